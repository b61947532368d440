//! How near a session is to its goal, and the pairs that it asks again before the goal counts as reached.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::outlook::is_quick;
use super::{CertaintyParams, Question, Session, StopRule, certainty};
use crate::Result;
use crate::data::{Goal, ItemId, Outcome};
use crate::gp::{OverNoises, UnderNoise};
use crate::numeric::normal;

/// The number of draws from which a session counts how near the goal is.
pub(super) const QUICK_DRAWS: usize = 512;

/// The number of draws of a rough count, which is enough where the goal is far.
pub(super) const ROUGH_DRAWS: usize = 128;

/// How near a session is to its goal.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Standing {
    /// The probability that the goal is reached, in the group where it is smallest. If the noise is learned, it is the average over
    /// the noises that the answers allow.
    pub probability: f64,
    /// Whether the stop rule is met.
    pub is_met: bool,
    /// The pair that is asked again. At the learned noise the goal is reached; but the judge may be less consistent than that, and
    /// the least sure answers tell.
    pub again: Option<Question>,
}

/// What a session has counted since its latest answer, each when it was first needed.
#[derive(Clone, Default)]
pub(super) struct Counted {
    noises: OnceLock<Vec<UnderNoise>>,
    near: OnceLock<bool>,
    at_learned_noise: OnceLock<f64>,
    standing: OnceLock<Option<Standing>>,
}

impl Session {
    /// How near the goal is. `None` if the session has no stop rule, or if there are so many items that counting would take more than
    /// a fifth of a second.
    ///
    /// # Errors
    /// As [`certainty()`].
    pub fn standing(&self) -> Result<Option<Standing>> {
        if let Some(standing) = self.counted.standing.get() {
            return Ok(*standing);
        }
        let standing = self.params.rule.map(|rule| self.count(&rule)).transpose()?.flatten();
        Ok(*self.counted.standing.get_or_init(|| standing))
    }

    fn count(&self, rule: &StopRule) -> Result<Option<Standing>> {
        let Some(params) = self.quick_count(QUICK_DRAWS) else { return Ok(None) };
        let probability = rule.probability(&self.certainty(&params)?);
        let is_met = probability >= rule.target;
        let doubtful = !is_met && self.over_noises()?.noises.len() > 1;
        let again = match doubtful && self.at_learned_noise(rule, &params)? >= rule.target {
            true => self.least_sure_answer()?,
            false => None,
        };
        Ok(Some(Standing { probability, is_met, again }))
    }

    /// Parameters for a count of certainty, if it is quick enough to be made before every question.
    fn quick_count(&self, draws: usize) -> Option<CertaintyParams> {
        let quick = is_quick(self.belief().len(), self.groups.as_ref(), self.answers.len(), draws);
        quick.then(|| CertaintyParams::default().with_draws(draws).with_seed(self.params.seed))
    }

    /// Whether the stop rule is met; false if the session has none, or too many items to count. Where the goal is far, this is
    /// faster than [`Session::standing`].
    ///
    /// # Errors
    /// As [`certainty()`].
    pub fn is_done(&self) -> Result<bool> {
        Ok(self.is_near()? && self.standing()?.is_some_and(|standing| standing.is_met))
    }

    /// Whether the goal may be reached, by the probability at the learned noise, of which a rough count comes first.
    pub(super) fn is_near(&self) -> Result<bool> {
        /// Five standard errors of the rough count.
        const FAR: f64 = 0.15;
        /// More than averaging over judges adds.
        const AVERAGING: f64 = 0.05;
        let (Some(rule), Some(params)) = (self.params.rule, self.quick_count(ROUGH_DRAWS)) else { return Ok(false) };
        if let Some(&near) = self.counted.near.get() {
            return Ok(near);
        }
        let rough = rule.probability(&certainty(self.belief(), self.groups.as_ref(), &params)?);
        let near = rough >= rule.target - FAR
            && self.at_learned_noise(&rule, &params.with_draws(QUICK_DRAWS))? >= rule.target - AVERAGING;
        Ok(*self.counted.near.get_or_init(|| near))
    }

    /// The probability that the goal is reached at the learned noise.
    fn at_learned_noise(&self, rule: &StopRule, params: &CertaintyParams) -> Result<f64> {
        if let Some(&probability) = self.counted.at_learned_noise.get() {
            return Ok(probability);
        }
        let probability = rule.probability(&certainty(self.belief(), self.groups.as_ref(), params)?);
        Ok(*self.counted.at_learned_noise.get_or_init(|| probability))
    }

    /// The pair to ask again, if there is one.
    pub(super) fn again(&self) -> Result<Option<Question>> {
        // A held noise is believed.
        if !self.model().learns() || !self.is_near()? {
            return Ok(None);
        }
        Ok(self.standing()?.and_then(|standing| standing.again))
    }

    /// The answered pair whose order is least sure, of those that were asked least often.
    fn least_sure_answer(&self) -> Result<Option<Question>> {
        let mut times: BTreeMap<(ItemId, ItemId), usize> = BTreeMap::new();
        for answer in self.answers.iter().filter(|answer| answer.outcome != Outcome::Skip) {
            let Some(second) = answer.second else { continue };
            *times.entry((answer.first.min(second), answer.first.max(second))).or_default() += 1;
        }
        times.retain(|&(first, second), _| self.candidates.allow_again(first.index(), second.index()));
        let fewest = times.values().min().copied();
        let pairs = times.into_iter().filter(|(_, count)| Some(*count) == fewest).map(|(pair, _)| pair);
        self.least_sure(pairs)
    }

    /// The two items of least sure order between which the goal is still open: the first and another one, one of the first k and one
    /// of the others, or any two. `None` if the session has no stop rule, or no group has two such items.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    pub fn undecided(&self) -> Result<Option<Question>> {
        let Some(rule) = self.params.rule else { return Ok(None) };
        let mut pairs = Vec::new();
        for order in self.allowed.orders(self.belief()) {
            let items: Vec<ItemId> = order.into_iter().map(ItemId::new).collect();
            let until = match rule.goal {
                Goal::Best => 1,
                Goal::Top { k } => k.min(items.len()),
                // Neighbours are less sure than others, if anything.
                Goal::WholeOrder | Goal::TopHeavy => {
                    pairs.extend(items.windows(2).map(|pair| (pair[0], pair[1])));
                    continue;
                }
            };
            let (inside, outside) = items.split_at(until);
            pairs.extend(inside.iter().flat_map(|&one| outside.iter().map(move |&other| (one, other))));
        }
        self.least_sure(pairs.into_iter())
    }

    /// The pair whose order is least sure. Its score is the probability that the order is wrong.
    fn least_sure(&self, pairs: impl Iterator<Item = (ItemId, ItemId)>) -> Result<Option<Question>> {
        let belief = self.belief();
        let (mean, variances) = (belief.mean(), belief.variances());
        let (mut column, mut of) = (vec![0.0; belief.len()], None);
        let mut best: Option<Question> = None;
        for (one, other) in pairs {
            if of != Some(one) {
                belief.column(one, &mut column)?;
                of = Some(one);
            }
            let (i, j) = (one.index(), other.index());
            let variance = (variances[i] + variances[j] - 2.0 * column[j]).max(f64::MIN_POSITIVE);
            let score = normal::cdf(-(mean[i] - mean[j]).abs() / variance.sqrt());
            if best.is_none_or(|best| score > best.score) {
                let (first, second) = if mean[i] >= mean[j] { (one, other) } else { (other, one) };
                best = Some(Question { first, second, score });
            }
        }
        Ok(best)
    }

    /// The belief, and the same under all noises that the answers allow.
    pub(super) fn over_noises(&self) -> Result<OverNoises<'_>> {
        if self.counted.noises.get().is_none() {
            let noises = self.learner.under_noises()?;
            // If another thread was faster, it found the same.
            let _ = self.counted.noises.set(noises);
        }
        Ok(OverNoises { belief: self.belief(), noises: self.counted.noises.get().map_or(&[], Vec::as_slice) })
    }
}
