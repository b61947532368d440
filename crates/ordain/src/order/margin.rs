//! Weights of experts by the margin of their combined preference.
//!
//! For an assertion "u before v" the weighted experts have the margin `m = w'x`, `x_i = 2 R_i(u, v) - 1`, in \[-1, 1\].
//! Its loss is logistic, `ℓ(m) = ln(1 + exp(-2 m))`. To first order this takes PREF(u, v) for the probability of the
//! assertion, since `1 / (1 + exp(-2 m)) = ½ + m/2 + O(m³)` and PREF = ½ + m/2. A query's loss is the mean over its
//! feedback. Unlike Hedge's loss it is curved, so an expert counts by its contribution to the others.
//!
//! Every query's loss is replaced by a quadratic that touches it at the present weights and is nowhere above it,
//! `q_t(w) = ℓ_t(w_t) + g'(w - w_t) + ½ (w - w_t)'H (w - w_t)`. The weights minimise the sum of these and `λ KL(w |
//! w_1)`: follow the regularised leader. Only the sums of H and of `g - H w_t` are kept. There is no learning rate.
//!
//! **Regret.** For any weights u, with the weights w_t from before each round (be-the-leader, and `q_t <= ℓ_t`, `q_t(w_t) = ℓ_t(w_t)`):
//!
//! ```text
//! Σ ℓ_t(w_t) <= Σ ℓ_t(u) + λ KL(u | w_1) + Σ (q_t(w_t) - q_t(w_{t+1}))
//! ```
//!
//! The last sum is known as it grows. It is at most `a N ln(1 + c T/λ)` for any input, since `q_t(w_t) - q_t(w_{t+1})
//! <= g'M⁻¹g` with `M = λ I + Σ H`, `g g' <= a H` and `tr H <= c N`, where `a = max ℓ'²/curvature = e² < 7.5` and `c <
//! 0.87`. So regret grows as ln T. This holds for exact minimisers. Ours are right to 1e-9 in the weights, or to
//! rounding after millions of queries.
//!
//! Plain exponentiated gradient steps on the same loss have regret of order √T and need a rate. On few queries, the
//! last one or two decide their weights.

use serde::{Deserialize, Serialize};

use super::learner::{Standing, check_finite, check_losses, check_round, normalise};
use super::{Feedback, Learner, Preference};
use crate::numeric::Matrix;
use crate::numeric::dense::{Cholesky, add_scaled, dot};
use crate::params::setters;
use crate::{Error, Result};

/// The start of [`Margin`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MarginParams {
    /// λ: how many queries it takes to move away from the initial weights. Default: 0.1.
    pub prior: f64,
    /// The initial weights. Default: equal weights.
    pub initial: Option<Vec<f64>>,
}

impl Default for MarginParams {
    fn default() -> Self {
        Self { prior: 0.1, initial: None }
    }
}

setters! {
    MarginParams:
    with_prior = prior: f64,
    with_initial = initial: Option<Vec<f64>>,
}

/// Weights of experts by the logistic loss of their combined margin. The head of the module has the formulas. A round
/// of F assertions costs `O(F N²)` and a few factorisations of N x N; 8 N² bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Margin {
    prior: f64,
    /// Σ H, column by column.
    curvature: Vec<f64>,
    /// Σ (g - H w_t).
    slope: Vec<f64>,
    /// Σ (q_t(w_t) - q_t(w_{t+1})).
    stability: f64,
    standing: Standing,
}

/// How steep the logistic loss is.
const STEEPNESS: f64 = 2.0;

/// A dozen steps are usual. More are needed when an expert comes back whose weight had underflowed.
const NEWTON_STEPS: usize = 200;

/// ℓ(m).
fn loss_of(margin: f64) -> f64 {
    // ln(1 + exp(-x)) without overflow.
    let x = STEEPNESS * margin;
    (-x.abs()).exp().ln_1p() + (-x).max(0.0)
}

/// -ℓ'(m) / steepness: the probability of the outcome that did not happen.
fn surprise(margin: f64) -> f64 {
    1.0 / (1.0 + (STEEPNESS * margin).exp())
}

/// The largest curvature of a parabola that touches ℓ at m and is nowhere above it on \[-1, 1\].
///
/// It is the least mean of ℓ'' over the way from m to another margin, where nearer points count more. ℓ'' falls from 0
/// to both sides alike, so the least mean is that over the way to the nearer end.
fn curvature_below(margin: f64) -> f64 {
    let end = 1.0_f64.copysign(margin);
    let way = end - margin;
    // The ends are too near for the difference to have digits. ℓ'' is least at the end.
    if way.abs() < 1e-3 {
        let p = surprise(end);
        return STEEPNESS * STEEPNESS * p * (1.0 - p);
    }
    2.0 * (loss_of(end) - loss_of(margin) + STEEPNESS * surprise(margin) * way) / (way * way)
}

/// A query's loss at the present weights: its value, and the parabola below it.
struct Expansion {
    loss: f64,
    /// Each expert's own loss.
    losses: Vec<f64>,
    /// g.
    gradient: Vec<f64>,
    /// H, column by column.
    curvature: Vec<f64>,
}

impl Expansion {
    fn new<P: Preference>(experts: &[P], weights: &[f64], feedback: &Feedback) -> Self {
        let n = experts.len();
        let mut out = Self { loss: 0.0, losses: vec![0.0; n], gradient: vec![0.0; n], curvature: vec![0.0; n * n] };
        let share = 1.0 / feedback.pairs().len() as f64;
        let mut advice = vec![0.0; n];
        for &(u, v) in feedback.pairs() {
            for (advice, expert) in advice.iter_mut().zip(experts) {
                *advice = 2.0 * expert.prefer(u as usize, v as usize) - 1.0;
            }
            let margin = dot(weights, &advice).clamp(-1.0, 1.0);
            out.loss += share * loss_of(margin);
            let (slope, curvature) = (-share * STEEPNESS * surprise(margin), share * curvature_below(margin));
            for (at, &x) in advice.iter().enumerate() {
                out.losses[at] += share * loss_of(x);
                // Many pairs have no opinion.
                if x != 0.0 {
                    out.gradient[at] += slope * x;
                    let column = &mut out.curvature[at * n..(at + 1) * n];
                    add_scaled(column, curvature * x, &advice);
                }
            }
        }
        out
    }
}

/// Below this, a step moves a weight by its logarithm. The weight may have far to go and hardly moves the objective.
const SMALL: f64 = 1e-10;

/// The largest size of a small weight after one step: enough to count in the next.
const LARGEST_SMALL: f64 = 2.0 * SMALL;

/// The part of a step after which no weight that counts has lost more than 99 %.
fn longest(weights: &[f64], step: &[f64]) -> f64 {
    let falls = weights.iter().zip(step).filter(|(weight, _)| **weight >= SMALL).map(|(_, ratio)| -ratio);
    (0.99 / falls.fold(0.0, f64::max)).min(1.0)
}

/// The logarithms of the weights after this part of a step in ratios: `w (1 + r)`, which is exact for the parabolas,
/// and `ln w + r` where weights are small.
fn stepped(logs: &[f64], weights: &[f64], step: &[f64], length: f64) -> Vec<f64> {
    let one = |((log, weight), ratio): ((&f64, &f64), &f64)| {
        if *weight < SMALL { (log + length * ratio).min(LARGEST_SMALL.ln()) } else { log + (length * ratio).ln_1p() }
    };
    logs.iter().zip(weights).zip(step).map(one).collect()
}

/// A square matrix, column by column, times a vector.
fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; vector.len()];
    for (column, &factor) in matrix.chunks_exact(vector.len()).zip(vector) {
        add_scaled(&mut out, factor, column);
    }
    out
}

impl Margin {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// If there is no expert, the prior is below 1e-6, or initial weights are not positive with the sum 1.
    pub fn new(experts: usize, params: &MarginParams) -> Result<Self> {
        let margin = Self {
            prior: params.prior,
            curvature: vec![0.0; experts * experts],
            slope: vec![0.0; experts],
            stability: 0.0,
            standing: Standing::new(experts, params.initial.as_deref())?,
        };
        margin.check()?;
        Ok(margin)
    }

    /// An upper bound on the excess of the loss over that of a fixed mixture of the experts: `λ KL(mixture | w_1)` plus
    /// the price of moving the weights.
    ///
    /// # Errors
    /// If the mixture is not one weight per expert, not negative, with the sum 1.
    pub fn regret_bound(&self, mixture: &[f64]) -> Result<f64> {
        super::preference::check_weights(mixture)?;
        if mixture.len() != self.standing.experts() {
            let expected = format!("{}, one per expert", self.standing.experts());
            return Err(Error::Data { what: "weights", found: mixture.len().to_string(), expected });
        }
        let part = |(weight, log): (&f64, &f64)| if *weight > 0.0 { weight * (weight.ln() - log) } else { 0.0 };
        let divergence: f64 = mixture.iter().zip(&self.standing.initial).map(part).sum();
        Ok(self.prior * divergence + self.stability)
    }

    /// The weights that minimise `slope'w + ½ w'curvature w + λ KL(w | w_1)`, as logarithms.
    ///
    /// Newton's method in ratios: for `w (1 + r)` the system of the step is `(√W A √W + λ I)`, which no small weight
    /// spoils. A step is shortened until the objective falls.
    fn leader(&self, curvature: &[f64], slope: &[f64]) -> Result<Vec<f64>> {
        let n = slope.len();
        let mut logs = self.standing.log_weights.clone();
        let mut weights = normalise(&mut logs);
        // The rounding of the gradient, and its effect on the ratios.
        let largest = slope.iter().chain(curvature).fold(self.prior, |largest, value| largest.max(value.abs()));
        let rounding = 16.0 * f64::EPSILON * largest;
        let mut moved = f64::INFINITY;
        for _ in 0..NEWTON_STEPS {
            let product = times(curvature, &weights);
            let mut gradient: Vec<f64> =
                (0..n).map(|i| slope[i] + product[i] + self.prior * (logs[i] - self.standing.initial[i])).collect();
            // A part that is the same for all experts moves nothing and would cancel below.
            let level = dot(&weights, &gradient);
            gradient.iter_mut().for_each(|slope| *slope -= level);
            let step = self.step(curvature, &weights, &gradient)?;
            if step.iter().any(|ratio| !ratio.is_finite()) {
                break;
            }
            let mut length = longest(&weights, &step);
            // A weight that has far to grow moves little at first.
            let grows =
                |i: usize| if weights[i] < SMALL { logs[i] + step[i] > LARGEST_SMALL.ln() } else { step[i] > 1.0 };
            let whole = length == 1.0 && !(0..n).any(grows);
            loop {
                let mut next = stepped(&logs, &weights, &step, length);
                let next_weights = normalise(&mut next);
                let change: Vec<f64> = next_weights.iter().zip(&weights).map(|(next, weight)| next - weight).collect();
                moved = change.iter().fold(0.0, |largest, change| change.abs().max(largest));
                // Convergence is quadratic: far less is left after this step. The change of the weights decides, not
                // that of the objective, because a weight that underflowed and must grow does not show in the objective
                // yet.
                if whole && length == 1.0 && moved < (rounding / self.prior).max(1e-9) {
                    return Ok(next);
                }
                // KL(next | weights); each term is not negative, up to the rounding of the logarithms.
                let divergence: f64 = (0..n).map(|i| next_weights[i] * (next[i] - logs[i]) - change[i]).sum();
                // The rise of the objective, as a difference whose terms are as small as it is.
                let rise =
                    dot(&gradient, &change) + 0.5 * dot(&change, &times(curvature, &change)) + self.prior * divergence;
                if rise <= rounding * moved + 8.0 * f64::EPSILON * self.prior || length < f64::EPSILON {
                    (logs, weights) = (next, next_weights);
                    break;
                }
                length *= 0.5;
            }
        }
        let what = "the weights of the experts";
        Err(Error::NotConverged { what, iterations: NEWTON_STEPS, residual: moved, dimension: n })
    }

    /// Newton's step in ratios: r with `A W r + λ r = μ - gradient` and `Σ w r = 0`.
    fn step(&self, curvature: &[f64], weights: &[f64], gradient: &[f64]) -> Result<Vec<f64>> {
        let n = weights.len();
        let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
        let mut system = Matrix::zeros(n, n);
        for column in 0..n {
            for row in 0..n {
                system[(row, column)] = roots[row] * curvature[column * n + row] * roots[column];
            }
            system[(column, column)] += self.prior;
        }
        let mut right = Matrix::zeros(n, 2);
        for (row, root) in roots.iter().enumerate() {
            right[(row, 0)] = root * gradient[row];
            right[(row, 1)] = *root;
        }
        let failed =
            |pivot| Error::NotPositiveDefinite { what: "the curvature of the margin loss", pivot, dimension: n };
        Cholesky::factor(system).map_err(failed)?.solve_in_place(&mut right);
        let sum = |column: usize| dot(&roots, right.column(column));
        let level = sum(0) / sum(1);
        let change: Vec<f64> = (0..n).map(|i| roots[i] * (level * right[(i, 1)] - right[(i, 0)])).collect();
        // From the change of the weights, so that a weight that underflowed has its ratio too.
        let product = times(curvature, &change);
        Ok((0..n).map(|i| (level - gradient[i] - product[i]) / self.prior).collect())
    }

    pub(super) fn check(&self) -> Result<()> {
        if !(self.prior >= LEAST_PRIOR && self.prior.is_finite()) {
            return Err(Error::Parameter { name: "prior".into(), value: self.prior, expected: "1e-6 or more" });
        }
        let experts = self.standing.experts();
        check_finite("the curvature", &self.curvature, experts * experts)?;
        check_finite("the slope", &self.slope, experts)?;
        check_losses(&[self.stability], 1)
    }
}

/// A smaller prior is lost beside the rounding of a single query.
const LEAST_PRIOR: f64 = 1e-6;

impl Learner for Margin {
    fn learn<P: Preference>(&mut self, experts: &[P], feedback: &Feedback) -> Result<Option<f64>> {
        check_round(self.standing.experts(), experts, feedback)?;
        if feedback.is_empty() {
            return Ok(None);
        }
        let weights = self.weights();
        let now = Expansion::new(experts, &weights, feedback);
        let add = |total: &[f64], more: &[f64]| -> Vec<f64> { total.iter().zip(more).map(|(a, b)| a + b).collect() };
        let curvature = add(&self.curvature, &now.curvature);
        let pull = times(&now.curvature, &weights);
        let slope: Vec<f64> = (0..weights.len()).map(|i| self.slope[i] + now.gradient[i] - pull[i]).collect();
        let log_weights = self.leader(&curvature, &slope)?;

        let moved: Vec<f64> = log_weights.iter().zip(&weights).map(|(log, weight)| log.exp() - weight).collect();
        let change = dot(&now.gradient, &moved) + 0.5 * dot(&moved, &times(&now.curvature, &moved));
        // Not negative, but for rounding.
        self.stability += (-change).max(0.0);
        (self.curvature, self.slope, self.standing.log_weights) = (curvature, slope, log_weights);
        Ok(Some(self.standing.add(now.loss, &now.losses)))
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The best expert's loss plus the price of finding it: `min_i (L_i + λ ln(1/w_i)) + Σ (q_t(w_t) - q_t(w_{t+1}))`.
    fn bound(&self) -> f64 {
        let best = self.losses().iter().zip(&self.standing.initial).map(|(loss, log)| loss - self.prior * log);
        best.fold(f64::INFINITY, f64::min) + self.stability
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// On a grid of margins; the parabola's excess is at most the rounding of its terms.
    #[test]
    fn parabolas_lie_below_and_touch_twice() {
        let grid: Vec<f64> = (-1000..=1000).map(|at| f64::from(at) / 1000.0).collect();
        for &at in grid.iter().step_by(7) {
            let curvature = curvature_below(at);
            let gap = |m: f64| {
                loss_of(m) - loss_of(at) + STEEPNESS * surprise(at) * (m - at) - 0.5 * curvature * (m - at).powi(2)
            };
            assert!(grid.iter().all(|&m| gap(m) > -1e-15), "{at}");
            let end = 1.0_f64.copysign(at);
            // The parabola meets the loss again at the nearer end, so no larger curvature would do.
            assert!(gap(end) < if (end - at).abs() < 1e-3 { 1e-9 } else { 1e-15 }, "{at}");
        }
    }

    /// From equal weights to far leaders, with the curvature of up to a hundred million queries that tell less about the experts than
    /// there are of them. A leader's gradient is the same for all experts.
    #[test]
    fn leaders_of_long_streams() {
        let mut stream = crate::numeric::Seed(5).stream(0);
        for (experts, exponent) in [4, 9, 25].into_iter().flat_map(|n| (-2..=8).map(move |exponent| (n, exponent))) {
            let margin = Margin::new(experts, &MarginParams::default()).unwrap();
            let scale = 10.0_f64.powi(exponent);
            for _ in 0..100 {
                let advice: Vec<[f64; 3]> =
                    (0..experts).map(|_| [0; 3].map(|_| stream.random::<f64>() - 0.5)).collect();
                let pairs = experts * experts;
                let curvature: Vec<f64> =
                    (0..pairs).map(|at| scale * dot(&advice[at / experts], &advice[at % experts])).collect();
                let raw: Vec<f64> = (0..experts).map(|_| stream.random::<f64>().powi(4)).collect();
                let wanted: Vec<f64> = raw.iter().map(|weight| weight / raw.iter().sum::<f64>()).collect();
                let slope: Vec<f64> = times(&curvature, &wanted).iter().map(|pull| scale - pull).collect();
                let leader = margin.leader(&curvature, &slope);
                let leader = leader.unwrap_or_else(|error| panic!("{experts} experts, {scale}: {error}"));
                let product = times(&curvature, &leader.iter().map(|log| log.exp()).collect::<Vec<f64>>());
                let gradient: Vec<f64> = (0..experts)
                    .map(|i| slope[i] + product[i] + 0.1 * (leader[i] - margin.standing.initial[i]))
                    .collect();
                // Weights right to 1e-9, or what rounding allows, times the curvature.
                let tolerance = (1e-9 + 1e-13 * scale) * (1.0 + scale);
                assert!(gradient.iter().all(|one| (one - gradient[0]).abs() < tolerance), "{scale} {gradient:?}");
            }
        }
    }

    /// A weight between what counts and what does not, which a query gives reason to grow: two experts, and a slope alone, whose
    /// leader is known: `w_i ∝ w_i¹ exp(-slope_i / λ)`.
    #[test]
    fn small_weights_that_grow() {
        for start in [1e-300, 1e-12, 1.2e-10, 3e-10, 1e-8] {
            for pull in [0.5, 0.8, 2.0, 70.0] {
                let mut margin = Margin::new(2, &MarginParams::default()).unwrap();
                margin.standing.log_weights = vec![0.0, f64::ln(start)];
                let slope = [0.0, -0.1 * f64::ln(start) - pull];
                let leader = margin.leader(&[0.0; 4], &slope).unwrap();
                let expected = 1.0 / (1.0 + (slope[1] / 0.1).exp());
                assert!((leader[1].exp() - expected).abs() < 1e-9, "{start} {pull} {leader:?}");
            }
        }
    }

    #[test]
    fn the_loss_far_out() {
        assert_eq!(loss_of(-400.0), 800.0);
        assert!((loss_of(0.0) - std::f64::consts::LN_2).abs() < 1e-16);
        assert!(loss_of(400.0) >= 0.0 && loss_of(400.0) < 1e-300);
    }
}
