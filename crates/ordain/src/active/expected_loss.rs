//! The expected loss of a pair that keeps the order of the belief (AXPGP section 2.3).

use super::pair_belief::PairBelief;
use super::strategy::Emphasis;
use crate::Result;
use crate::data::ItemId;
use crate::gp::{Belief, by_falling_mean};
use crate::numeric::normal::{self, Beyond};

/// A pair, and the expected loss if it stays unasked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairLoss {
    /// The item ranked higher.
    pub first: ItemId,
    /// The item ranked lower.
    pub second: ItemId,
    /// The expected loss.
    pub loss: f64,
}

/// The expected squared error of a difference of utilities, counted only where its sign is wrong (AXPGP eq. 28 without
/// the weight). It is the mean of `(delta - mean)²` over `delta` of the opposite sign to `mean`, for `delta ~ N(mean,
/// variance)`.
///
/// With $t = |\text{mean}|/\text{sd}$ it is $\text{variance}\,(\Phi(-t) + t\varphi(t))$. This is the paper's printed
/// form if the sign of the difference is chosen so that the mean is negative. For a positive mean the printed form
/// gives the part where the sign is right.
pub fn expected_loss(mean: f64, variance: f64) -> f64 {
    scaled_loss(1.0, mean, variance, normal::beyond)
}

/// The expected loss times a factor. `beyond` gives the moments beyond a number of standard deviations, or bounds on
/// them.
pub(super) fn scaled_loss(times: f64, mean: f64, variance: f64, beyond: impl Fn(f64) -> Beyond) -> f64 {
    if variance <= 0.0 {
        return 0.0;
    }
    times * variance * beyond(mean.abs() / variance.sqrt()).from_zero
}

/// The expected losses of all pairs, the largest first. A pair has the weight `exp(-focus * rank)`, where rank is the
/// better of its two ranks (AXPGP eqs. 26-28 with focus = 1). The cost is `n² / 2` pairs and one covariance column per
/// item.
///
/// # Errors
/// If the kernel cannot give a column.
pub fn pair_losses(belief: &dyn Belief, focus: f64) -> Result<Vec<PairLoss>> {
    let n = belief.len();
    let (mean, variances) = (belief.mean(), belief.variances());
    let order = by_falling_mean(0..n, mean);
    let weights = Emphasis::Focus(focus).weights(&order, mean);
    let mut losses = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    let mut column = vec![0.0; n];
    for (position, &first) in order.iter().enumerate() {
        belief.column(ItemId::new(first), &mut column)?;
        let weight = weights[position];
        for &second in &order[position + 1..] {
            let variance = variances[first] + variances[second] - 2.0 * column[second];
            let loss = PairBelief { means: [mean[first], mean[second]], variance, weight }.loss();
            losses.push(PairLoss { first: ItemId::new(first), second: ItemId::new(second), loss });
        }
    }
    losses.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    Ok(losses)
}
