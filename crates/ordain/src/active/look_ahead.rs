//! Strategies that look ahead: they score a pair by the effect of its answer on all pairs.

use rayon::prelude::*;

use super::pair_belief::{Answers, PairBelief};
use super::strategy::{Ahead, Emphasis};
use crate::Result;
use crate::data::ItemId;
use crate::gp::{Belief, by_falling_mean};
use crate::numeric::Matrix;

/// The score of every pair. It is minus the expected loss of all pairs after the answer, or the entropy that the answer
/// is expected to take from the predictions of all pairs. The cost is `n²` operations per pair and `n²` memory.
pub(super) fn look_ahead(
    belief: &dyn Belief,
    answers: &Answers,
    what: Ahead,
    orders: &[Vec<usize>],
    pairs: &[(usize, usize)],
) -> Result<Vec<f64>> {
    let items: Vec<ItemId> = (0..belief.len()).map(ItemId::new).collect();
    let covariance = belief.covariance(&items)?;
    let ahead = After { mean: belief.mean(), covariance: &covariance, answers, orders };
    let score = |&(first, second): &(usize, usize)| {
        let direction: Vec<f64> =
            covariance.column(first).iter().zip(covariance.column(second)).map(|(a, b)| a - b).collect();
        match what {
            Ahead::Loss { focus } => -ahead.loss_after(first, second, &direction, focus),
            Ahead::Entropy => ahead.entropy_taken(first, second, &direction),
        }
    };
    Ok(pairs.par_iter().map(score).collect())
}

struct After<'a> {
    mean: &'a [f64],
    covariance: &'a Matrix,
    answers: &'a Answers,
    orders: &'a [Vec<usize>],
}

impl After<'_> {
    /// The expected loss of all pairs after this pair is answered, averaged over its answers.
    fn loss_after(&self, first: usize, second: usize, direction: &[f64], focus: f64) -> f64 {
        let (difference, variance) = (self.mean[first] - self.mean[second], direction[first] - direction[second]);
        let mut sum = 0.0;
        for (probability, moments) in self.answers.each(difference, variance) {
            let mean: Vec<f64> = self.mean.iter().zip(direction).map(|(m, d)| m + moments.slope * d).collect();
            for order in self.orders {
                let order = by_falling_mean(order.iter().copied(), &mean);
                sum += probability * self.loss_of_order(&order, &mean, direction, moments.curvature, focus);
            }
        }
        sum
    }

    fn loss_of_order(&self, order: &[usize], mean: &[f64], direction: &[f64], curvature: f64, focus: f64) -> f64 {
        let weights = Emphasis::Focus(focus).weights(order, mean);
        let mut sum = 0.0;
        for (row, &first) in order.iter().enumerate() {
            let weight = weights[row];
            for &second in &order[row + 1..] {
                let variance = self.variance(first, second, direction, curvature);
                sum += PairBelief { means: [mean[first], mean[second]], variance, weight }.loss();
            }
        }
        sum
    }

    /// The variance of a difference after an answer with this direction and curvature.
    fn variance(&self, first: usize, second: usize, direction: &[f64], curvature: f64) -> f64 {
        let k = self.covariance;
        let along = direction[first] - direction[second];
        k[(first, first)] + k[(second, second)] - 2.0 * k[(first, second)] - curvature * along * along
    }

    /// `½ Σ log(v / v')` over the differences of all pairs, averaged over the answers. v is the variance of a
    /// difference before the answer, v' the variance after it.
    fn entropy_taken(&self, first: usize, second: usize, direction: &[f64]) -> f64 {
        let (difference, variance) = (self.mean[first] - self.mean[second], direction[first] - direction[second]);
        let mut sum = 0.0;
        for (probability, moments) in self.answers.each(difference, variance) {
            for order in self.orders {
                for (row, &one) in order.iter().enumerate() {
                    for &other in &order[row + 1..] {
                        let before = self.variance(one, other, direction, 0.0);
                        let along = direction[one] - direction[other];
                        // Twins have no difference to learn about.
                        if before > 0.0 {
                            let left = 1.0 - moments.curvature * along * along / before;
                            sum -= 0.5 * probability * left.max(f64::MIN_POSITIVE).ln();
                        }
                    }
                }
            }
        }
        sum
    }
}
