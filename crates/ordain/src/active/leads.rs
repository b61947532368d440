//! The answers that pairs have, and whether these settle them.
//!
//! An answer counts as much as its judge is to be trusted. So an exact judge is asked to settle what others left open, and their guesses
//! do not close what he would know. Among judges who are alike, the answers are counted.

use std::collections::HashMap;

use crate::gp::AnswerModel;

/// Answered pairs.
#[derive(Debug, Clone, Default)]
pub(super) struct Leads {
    /// Of every answered pair, by judge: the answers for its first item less those for the second.
    pairs: HashMap<(u32, u32), Vec<(usize, i32)>>,
    /// The numbers of judges. Answers without a judge are those of "".
    judges: HashMap<String, usize>,
    /// How far judges are to be trusted; `None` if every answer settles its pair.
    trust: Option<Trust>,
}

#[derive(Debug, Clone)]
struct Trust {
    /// The lead of any judge that settles a pair; `None` if one answer does.
    usual: Option<f64>,
    /// What an answer of each judge adds to a lead; `None` if one answer of his settles a pair.
    weights: Vec<Option<f64>>,
    /// The number of the judge who is asked, if he is told apart, and the lead of his own answers that settles a pair for him: what he
    /// would say again tells nothing. `None` if that is his first answer.
    asked: Option<(usize, Option<u32>)>,
}

impl Leads {
    /// Adds an answer of a judge, or several.
    pub fn add(&mut self, pair: (u32, u32), judge: Option<&str>, lead: i32) {
        let judge = self.number(judge.unwrap_or_default());
        let leads = self.pairs.entry(pair).or_default();
        match leads.iter_mut().find(|(known, _)| *known == judge) {
            Some((_, known)) => *known = known.saturating_add(lead),
            None => leads.push((judge, lead)),
        }
    }

    fn number(&mut self, judge: &str) -> usize {
        let next = self.judges.len();
        match self.judges.get(judge) {
            Some(&known) => known,
            None => *self.judges.entry(judge.to_owned()).or_insert(next),
        }
    }

    /// Trusts judges as far as this model does, and counts for this one's next question.
    pub fn trust(&mut self, model: &AnswerModel, asked: Option<&str>) {
        let asked = asked.filter(|judge| model.tells_apart(judge)).map(|judge| {
            // A noise that is out of range says nothing of how far a judge is to be trusted.
            let alone = model.of_judge(Some(judge)).ok().and_then(|model| model.telling_lead());
            (self.number(judge), alone)
        });
        // Judges who are alike weigh exactly 1.
        let usual = model.settling_lead_of(None);
        let mut weights = vec![None; self.judges.len()];
        for (judge, &number) in &self.judges {
            weights[number] = model.settling_lead_of(Some(judge)).map(|lead| usual.unwrap_or(1.0) / lead);
        }
        self.trust = Some(Trust { usual, weights, asked });
    }

    /// Whether a second answer about a pair is ever worth asking.
    pub fn may_stay_open(&self) -> bool {
        self.trust.as_ref().is_some_and(|trust| trust.usual.is_some() || trust.weights.iter().any(Option::is_some))
    }

    /// Whether a pair has answers that settle it.
    pub fn settle(&self, pair: &(u32, u32)) -> bool {
        self.pairs.get(pair).is_some_and(|leads| self.trust.as_ref().is_none_or(|trust| trust.is_enough(leads)))
    }

    /// The pairs that are settled.
    pub fn settled(&self) -> impl Iterator<Item = &(u32, u32)> {
        self.pairs.keys().filter(|pair| self.settle(pair))
    }
}

impl Trust {
    fn is_enough(&self, leads: &[(usize, i32)]) -> bool {
        let settles_alone = |&(judge, lead): &(usize, i32)| match self.asked {
            Some((asked, alone)) if asked == judge => alone.is_none_or(|alone| lead.unsigned_abs() >= alone),
            _ => false,
        };
        if leads.iter().any(settles_alone) {
            return true;
        }
        // Who answered first after trust was set weighs as any judge.
        let weight = |judge: usize| self.weights.get(judge).copied().unwrap_or(Some(1.0));
        let sum: Option<f64> = leads.iter().map(|&(judge, lead)| Some(weight(judge)? * f64::from(lead))).sum();
        sum.is_none_or(|sum| sum.abs() >= self.usual.unwrap_or(1.0))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Judges who are not told apart settle a pair together, from the lead on that the model states.
    #[test]
    fn judges_who_are_alike_are_counted() {
        for share in 1..300 {
            let noise = 0.01 * f64::from(share);
            let model = AnswerModel::learning(0.0).unwrap().in_unit(1.0).with_noise(noise).unwrap();
            let telling = model.telling_lead();
            for lead in 0..40 {
                let mut leads = Leads::default();
                leads.add((0, 1), Some("ann"), 7 - lead);
                leads.add((0, 1), None, -7);
                leads.trust(&model, Some("ann"));
                let settled = telling.is_none_or(|telling| lead.unsigned_abs() >= telling);
                assert_eq!(leads.settle(&(0, 1)), settled, "{noise} {lead} {telling:?}");
                assert!(!leads.settle(&(0, 2)));
            }
        }
    }
}
