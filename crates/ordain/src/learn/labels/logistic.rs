//! The expansion of CLR section 2 with logistic regression: one convex problem over all constraints.
//!
//! $$\min_W \; \frac{\lambda}{2} \lVert W \rVert^2 + \frac1m \sum_{\text{examples}} \Big[ 2 \sum_{(r,s)} \ell(u_r - u_s) + \sum_{r \in P} \ell(u_r)
//! + \sum_{r \in N} \ell(-u_r) \Big], \qquad u = W x, \quad \ell(t) = \log(1 + e^{-t}).$$
//!
//! A pair counts twice, because its expansion has two origin-symmetric examples. The examples are never expanded: all that the gradient needs of the constraints is a number per example and label.

use rayon::prelude::*;

use super::examples::LabelledExamples;
use super::model::{LabelModel, Machine};
use super::prepared::{Rows, Standard};
use super::target::{Encoding, LabelPreferences};
use super::{LabelRanker, choose, usual_penalties};
use crate::numeric::dense::{add_scaled, dot, row_products};
use crate::numeric::optimise::{Lbfgs, largest};
use crate::params::setters;
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// The settings of joint logistic regression. A step takes `O(m d (n + d))` for m examples, n attributes and d labels.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LogisticParams {
    /// Which constraints orders become.
    pub encoding: Encoding,
    /// Whether relevant labels are also compared with irrelevant ones. Without it, sets give a logistic regression per label.
    pub across: bool,
    /// The weights λ of half the squared norm of the weights, beside the mean over examples. The best on every fifth example is chosen.
    pub penalties: Vec<f64>,
    /// The fit stops when no entry of the gradient is larger.
    pub tolerance: f64,
    /// The fit fails after this many steps.
    pub max_steps: usize,
}

impl Default for LogisticParams {
    fn default() -> Self {
        Self {
            encoding: Encoding::default(),
            across: true,
            penalties: usual_penalties(),
            tolerance: 1e-5,
            max_steps: 10_000,
        }
    }
}

setters! {
    LogisticParams:
    with_encoding = encoding: Encoding,
    with_across = across: bool,
    with_penalties = penalties: Vec<f64>,
    with_tolerance = tolerance: f64,
    with_max_steps = max_steps: usize,
}

impl LabelRanker for LogisticParams {
    fn fit(&self, examples: &LabelledExamples, watch: &Watch) -> Result<LabelModel> {
        check_penalties(&self.penalties, self.tolerance)?;
        examples.check()?;
        let penalty = choose(&self.penalties, examples, |penalty, examples| self.fit_with(penalty, examples, watch))?;
        Ok(self.fit_with(penalty, examples, watch)?.with_chosen("penalty", penalty))
    }
}

pub(super) fn check_penalties(penalties: &[f64], tolerance: f64) -> Result<()> {
    let parameter = |value: f64, expected| Error::Parameter { name: "penalty or tolerance".into(), value, expected };
    if penalties.is_empty() {
        return Err(parameter(0.0, "at least 1 penalty"));
    }
    match penalties.iter().chain([&tolerance]).find(|value| !(value.is_finite() && **value > 0.0)) {
        Some(&value) => Err(parameter(value, "a positive, finite number")),
        None => Ok(()),
    }
}

impl LogisticParams {
    fn fit_with(&self, penalty: f64, examples: &LabelledExamples, watch: &Watch) -> Result<LabelModel> {
        let (standard, rows) = Standard::of(examples.attributes());
        let labels = examples.labels().len();
        let known: Vec<LabelPreferences> =
            examples.targets().iter().map(|target| self.encoding.preferences(target, labels)).collect();
        let cost = |at: usize, utilities: &[f64], pull: &mut [f64]| self.cost(&known[at], utilities, pull);
        let solver = Lbfgs { tolerance: self.tolerance, max_iterations: self.max_steps, ..Lbfgs::default() };
        let weights = minimise(&solver, &rows, labels, penalty, cost, watch)?;
        Ok(LabelModel::new(
            "logistic",
            examples,
            standard,
            Machine::Linear { weights, fourier: None, is_log_odds: !self.across && examples.has_zero() },
        ))
    }
}

impl LogisticParams {
    /// The cost of an example's constraints; adds its derivatives by the utilities.
    fn cost(&self, known: &LabelPreferences, utilities: &[f64], pull: &mut [f64]) -> f64 {
        let mut cost = 0.0;
        let counted = if self.across { usize::MAX } else { known.pairs.len() };
        for (one, other) in known.ordered().take(counted) {
            let (value, slope) = softplus(utilities[other] - utilities[one]);
            cost += 2.0 * value;
            pull[one] -= 2.0 * slope;
            pull[other] += 2.0 * slope;
        }
        for (labels, sign) in [(&known.relevant, -1.0), (&known.irrelevant, 1.0)] {
            for &label in labels {
                let (value, slope) = softplus(sign * utilities[label]);
                cost += value;
                pull[label] += sign * slope;
            }
        }
        cost
    }
}

/// `log(1 + e^t)` and its derivative, without overflow.
pub(super) fn softplus(t: f64) -> (f64, f64) {
    let small = (-t.abs()).exp();
    let value = t.max(0.0) + small.ln_1p();
    let slope = if t >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
    (value, slope)
}

/// Minimises half the penalty times the squared weights, and the mean over examples of a cost of their utilities. The cost of an example adds
/// its derivatives.
pub(super) fn minimise(
    solver: &Lbfgs,
    rows: &Rows,
    labels: usize,
    penalty: f64,
    cost: impl Fn(usize, &[f64], &mut [f64]) -> f64 + Sync,
    watch: &Watch,
) -> Result<Vec<f64>> {
    // Of a fixed size, so that sums do not depend on the number of threads.
    const CHUNK: usize = 1024;
    let (size, share) = (labels * rows.width, 1.0 / rows.len() as f64);
    let (mut stopped, mut evaluations) = (None, 0);
    let part = |weights: &[f64], (chunk, values): (usize, &[f64])| {
        let mut slopes = vec![0.0; size];
        let (mut utilities, mut pull) = (Vec::with_capacity(labels), vec![0.0; labels]);
        let mut total = 0.0;
        for (at, row) in values.chunks_exact(rows.width).enumerate() {
            utilities.clear();
            row_products(weights, row, &mut utilities);
            pull.fill(0.0);
            total += cost(chunk * CHUNK + at, &utilities, &mut pull);
            for (slopes, pull) in slopes.chunks_exact_mut(rows.width).zip(&pull).filter(|(_, pull)| **pull != 0.0) {
                add_scaled(slopes, *pull, row);
            }
        }
        (total, slopes)
    };
    let objective = |weights: &[f64], slopes: &mut [f64]| {
        evaluations += 1;
        if let Err(error) = watch.step(|| Step::new("training", evaluations, None)) {
            stopped = Some(error);
            return f64::NAN;
        }
        let chunks: Vec<(f64, Vec<f64>)> =
            rows.values.par_chunks(CHUNK * rows.width).enumerate().map(|chunk| part(weights, chunk)).collect();
        slopes.iter_mut().zip(weights).for_each(|(slope, weight)| *slope = penalty * weight);
        let mut value = 0.5 * penalty * dot(weights, weights);
        for (total, own) in &chunks {
            value += share * total;
            add_scaled(slopes, share, own);
        }
        value
    };
    let minimum = solver.minimise(vec![0.0; size], objective, |_| {});
    if let Some(error) = stopped {
        return Err(error);
    }
    if minimum.converged {
        return Ok(minimum.at);
    }
    Err(Error::NotConverged {
        what: "logistic regression",
        iterations: minimum.iterations,
        residual: largest(&minimum.gradient),
        dimension: size,
    })
}
