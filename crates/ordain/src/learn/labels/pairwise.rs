//! Calibrated pairwise comparison: a logistic regression for every pair of labels, and for every label beside a zero label; all vote (Fürnkranz,
//! Hüllermeier, Loza Mencía, Brinker 2008).

use rayon::prelude::*;

use super::examples::LabelledExamples;
use super::logistic::{check_penalties, minimise, softplus};
use super::model::{LabelModel, Machine};
use super::prepared::{Rows, Standard};
use super::target::{Encoding, LabelPreferences};
use super::{LabelRanker, choose, usual_penalties};
use crate::numeric::optimise::Lbfgs;
use crate::params::setters;
use crate::watch::Step;
use crate::{Result, Watch};

/// The settings of pairwise comparison: `d (d - 1) / 2 + d` regressions for d labels, each on the examples that say something of its pair. A
/// pair of which no example says anything votes half and half.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PairwiseParams {
    /// The weights of half the squared norm of the weights, beside the mean over a pair's examples. The best on every fifth example is chosen,
    /// for all pairs together.
    pub penalties: Vec<f64>,
    /// A regression stops when no entry of the gradient is larger.
    pub tolerance: f64,
    /// A regression fails after this many steps.
    pub max_steps: usize,
}

impl Default for PairwiseParams {
    fn default() -> Self {
        Self { penalties: usual_penalties(), tolerance: 1e-5, max_steps: 10_000 }
    }
}

setters! {
    PairwiseParams:
    with_penalties = penalties: Vec<f64>,
    with_tolerance = tolerance: f64,
    with_max_steps = max_steps: usize,
}

impl LabelRanker for PairwiseParams {
    fn fit(&self, examples: &LabelledExamples, watch: &Watch) -> Result<LabelModel> {
        check_penalties(&self.penalties, self.tolerance)?;
        examples.check()?;
        let penalty = choose(&self.penalties, examples, |penalty, examples| self.fit_with(penalty, examples, watch))?;
        Ok(self.fit_with(penalty, examples, watch)?.with_chosen("penalty", penalty))
    }
}

impl PairwiseParams {
    fn fit_with(&self, penalty: f64, examples: &LabelledExamples, watch: &Watch) -> Result<LabelModel> {
        let (standard, rows) = Standard::of(examples.attributes());
        let labels = examples.labels().len();
        let known: Vec<LabelPreferences> =
            examples.targets().iter().map(|target| Encoding::default().preferences(target, labels)).collect();
        let outcomes = outcomes(&known, labels);
        let done = std::sync::atomic::AtomicUsize::new(0);
        let fit = |pair: &Vec<(usize, bool)>| {
            let at = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            watch.step(|| Step::new("training", at, outcomes.len()))?;
            self.regression(&rows, pair, penalty, watch)
        };
        let weights: Vec<Vec<f64>> = outcomes.par_iter().map(fit).collect::<Result<_>>()?;
        let zero = weights[pairs(labels)..].concat();
        let machine =
            Machine::Pairwise { pairs: weights[..pairs(labels)].concat(), zero: examples.has_zero().then_some(zero) };
        Ok(LabelModel::new("pairwise", examples, standard, machine))
    }
}

/// The number of pairs of labels.
pub(super) fn pairs(labels: usize) -> usize {
    labels * (labels - 1) / 2
}

/// The pairs in their order: 0 and 1, 0 and 2, and so on.
pub(super) fn every_pair(labels: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..labels).flat_map(move |one| (one + 1..labels).map(move |other| (one, other)))
}

/// For every pair of labels, then for every label beside zero: the examples that say something, and whether the first is preferred.
fn outcomes(known: &[LabelPreferences], labels: usize) -> Vec<Vec<(usize, bool)>> {
    let mut number = vec![0; labels * labels];
    every_pair(labels).enumerate().for_each(|(at, (one, other))| number[one * labels + other] = at);
    let mut out = vec![Vec::new(); pairs(labels) + labels];
    for (example, known) in known.iter().enumerate() {
        for (one, other) in known.ordered() {
            out[number[one.min(other) * labels + one.max(other)]].push((example, one < other));
        }
        known.relevant.iter().for_each(|label| out[pairs(labels) + label].push((example, true)));
        known.irrelevant.iter().for_each(|label| out[pairs(labels) + label].push((example, false)));
    }
    out
}

impl PairwiseParams {
    fn regression(&self, rows: &Rows, outcomes: &[(usize, bool)], penalty: f64, watch: &Watch) -> Result<Vec<f64>> {
        if outcomes.is_empty() {
            return Ok(vec![0.0; rows.width]);
        }
        let values = outcomes.iter().flat_map(|(example, _)| rows.row(*example)).copied().collect();
        let own = Rows { values, width: rows.width };
        let cost = |at: usize, utilities: &[f64], pull: &mut [f64]| {
            let sign = if outcomes[at].1 { -1.0 } else { 1.0 };
            let (value, slope) = softplus(sign * utilities[0]);
            pull[0] = sign * slope;
            value
        };
        let solver = Lbfgs { tolerance: self.tolerance, max_iterations: self.max_steps, ..Lbfgs::default() };
        minimise(&solver, &own, 1, penalty, cost, &watch.silent())
    }
}
