//! What the answers say of every judge.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::fit::{Care, Crowd, Judge, owner, shows_care};
use super::verdict::{Known, Verdict};
use super::{Habit, name};
use crate::data::{Answer, ItemId};
use crate::gp::ep::{Apart, EpParams, Evidence};
use crate::gp::soft::each_said;
use crate::gp::{AnswerModel, Belief, Ep, NoiseLaw};
use crate::kernel::Kernel;
use crate::{Result, Watch};

/// Half of the middle 90 % of a normal number, in deviations.
const NINETY: f64 = 1.644_853_626_951_472_7;

/// A number and the interval that holds it with 90 % probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    pub(super) fn normal(mean: f64, deviation: f64) -> Self {
        Self { value: mean, low: mean - NINETY * deviation, high: mean + NINETY * deviation }
    }

    fn map(self, of: impl Fn(f64) -> f64) -> Self {
        Self { value: of(self.value), low: of(self.low), high: of(self.high) }
    }
}

/// What the answers say of a judge.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeSummary {
    /// The name; answers without a judge are together.
    pub name: Option<String>,
    /// Standing answers, where votes are one; skips, grades and stated probabilities are none.
    pub answers: usize,
    /// How much more often than by chance he prefers the item of a pair that all others prefer: 1 is always, 0 is chance, -1 is never. `None`
    /// if he prefers none.
    pub agreement: Option<f64>,
    /// The standard deviation of his noise on one utility, if he is not careless.
    pub noise: Estimate,
    /// What he adds to the difference of two utilities for the item that stands left, in units of utility; `None` if sides are not known.
    pub bias: Option<Estimate>,
    /// The probability that he is careless: that all his answers are blind.
    pub careless: f64,
    /// What all of this says of him, in words.
    pub verdict: Verdict,
}

/// How many preferences of a judge are for the item that all others prefer, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Agreement {
    pub agreeing: f64,
    pub all: f64,
}

impl Agreement {
    fn beyond_chance(self) -> f64 {
        2.0 * self.agreeing / self.all - 1.0
    }

    /// How far the number that agrees is from that of chance, in deviations of chance: one half of `all`, and one half of its root.
    pub fn deviations(self) -> f64 {
        (2.0 * self.agreeing - self.all) / self.all.sqrt()
    }
}

impl AnswerModel {
    /// What these answers say of every judge, if utilities become answers in this way, under a kernel that has the asides of judges.
    pub(crate) fn summaries(
        &self,
        kernel: &Arc<dyn Kernel>,
        answers: &[&Answer],
        watch: &Watch,
    ) -> Result<Vec<JudgeSummary>> {
        let counted: Vec<&Answer> = answers.iter().copied().filter(|answer| !answer.is_skip()).collect();
        let names: BTreeSet<&str> =
            counted.iter().filter(|answer| shows_care(answer)).map(|answer| name(answer)).collect();
        let names: Vec<&str> = names.into_iter().collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let owners: Vec<Option<u32>> = each_said(&counted).map(|answer| owner(&names, answer)).collect();
        let mut answered = vec![0; names.len()];
        counted.iter().filter_map(|answer| owner(&names, answer)).for_each(|owner| answered[owner as usize] += 1);
        let observations = self.observe_all(counted.iter().copied())?;
        let params = EpParams { watch: watch.silent(), ..EpParams::default() };
        let crowd = self.judges.as_ref().map_or_else(Crowd::default, |judges| judges.crowd);
        let work = |at: usize, apart: Option<Apart>| self.look_at(names[at], apart, &params, crowd);
        let mut evidence = Evidence::of_items(&observations);
        let found = evidence.apart(&params, kernel.as_ref(), &owners, names.len(), work)?;
        let biases = self.biases(&names, kernel, &counted, &params)?;
        let summary = |at: usize, (care, agreement): (Care, Option<Agreement>), bias: Option<Estimate>| {
            let (name, (mean, deviation)) = (names[at], care.log_factor);
            let has_others = names.len() > 1;
            let agreement = agreement.filter(|_| has_others);
            let known = Known { answers: answered[at], care, spread: crowd.spread, agreement, bias, has_others };
            JudgeSummary {
                name: Some(name.to_owned()).filter(|name| !name.is_empty()),
                answers: answered[at],
                agreement: agreement.map(Agreement::beyond_chance),
                // All judges share the scale of utilities, so what is not known of the common noise is not known of anyone's.
                noise: Estimate::normal(mean, deviation.hypot(crowd.common))
                    .map(|log_factor| self.noise() * log_factor.exp()),
                bias,
                careless: care.careless,
                verdict: known.verdict(),
            }
        };
        let each = found.into_iter().zip(biases).enumerate();
        Ok(each.map(|(at, (found, bias))| summary(at, found, bias)).collect())
    }

    /// A judge's care and agreement, from his answers apart from those of all others.
    fn look_at(&self, name: &str, apart: Option<Apart>, params: &EpParams, crowd: Crowd) -> (Care, Option<Agreement>) {
        let before = Care::before(crowd);
        let Some(apart) = apart else { return (before, None) };
        let (agreeing, all) = apart.agreement();
        let agreement = (all > 0.0).then_some(Agreement { agreeing, all });
        if self.law() != NoiseLaw::Normal {
            return (before, agreement);
        }
        let habit = self.judges.as_ref().and_then(|judges| judges.habits.get(name));
        let at = Care::at(habit.copied().unwrap_or(Habit::USUAL), crowd);
        let care = Judge { apart, params, crowd, at }.care().unwrap_or(before);
        (care, agreement)
    }

    /// The biases of judges.
    fn biases(
        &self,
        names: &[&str],
        kernel: &Arc<dyn Kernel>,
        answers: &[&Answer],
        params: &EpParams,
    ) -> Result<Vec<Option<Estimate>>> {
        let Some(judges) = self.judges.as_ref().filter(|_| self.sides()) else { return Ok(vec![None; names.len()]) };
        let asides: Vec<ItemId> = names.iter().map(|name| ItemId(judges.aside(Some(*name)))).collect();
        let beside = |noise: f64| {
            let model = self.clone().with_noise(noise)?;
            params.fit(kernel.clone(), &model.observe_all(answers.iter().copied())?)
        };
        let belief = beside(self.noise())?;
        let variances = belief.variances_of(&asides)?;
        // The common noise is the scale of all that is learned. What is not known of it moves a bias as far as it does between two beliefs,
        // a deviation to either side.
        let off = judges.crowd.common.exp();
        let scales =
            if off > 1.0 { vec![beside(self.noise() / off)?, beside(self.noise() * off)?] } else { Vec::new() };
        let estimate = |(aside, variance): (&ItemId, f64)| {
            let bias = |belief: &Ep| belief.asides()[aside.index() - belief.len()];
            let by_scale = if let [low, high] = &scales[..] { 0.5 * (bias(high) - bias(low)) } else { 0.0 };
            Some(Estimate::normal(bias(&belief), variance.sqrt().hypot(by_scale)))
        };
        Ok(asides.iter().zip(variances).map(estimate).collect())
    }
}
