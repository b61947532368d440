//! Bounds on the scores of the pairs between two blocks of items, and of the pairs of an item.

use super::super::Strategy;
use super::super::choice::Best;
use super::super::pair_belief::{Answers, PairBelief, Score};

/// Bounds are raised by this fraction, because rounding may leave a score slightly above its bound.
pub(in crate::active) const SLACK: f64 = 1e-10;

/// Bounds for an item, or for the items of a block. All are upper bounds, except `lowest_mean` and `lower`.
#[derive(Debug, Clone, Copy)]
pub(in crate::active) struct Place {
    pub(in crate::active) mean: f64,
    pub(in crate::active) lowest_mean: f64,
    pub(in crate::active) variance: f64,
    pub(in crate::active) sd: f64,
    /// The root of the variance that answers have removed.
    pub(in crate::active) taken: f64,
    pub(in crate::active) prior: f64,
    /// An upper bound on the variance of its difference with any item.
    pub(in crate::active) largest: f64,
    pub(in crate::active) weight: f64,
    /// The weight that it takes off a pair as the lower place. A lower bound.
    pub(in crate::active) lower: f64,
}

impl Place {
    /// An item with weight 0 and no bound on the variance of differences.
    pub(in crate::active) fn new(mean: f64, variance: f64, prior: f64) -> Self {
        Self {
            mean,
            lowest_mean: mean,
            variance,
            sd: variance.sqrt(),
            taken: (prior - variance).max(0.0).sqrt(),
            prior,
            largest: f64::INFINITY,
            weight: 0.0,
            lower: 0.0,
        }
    }

    pub(in crate::active) fn and(&self, other: &Self) -> Self {
        // `f64::max` would also handle NaN, which takes longer.
        let max = |one: f64, other: f64| if other > one { other } else { one };
        let min = |one: f64, other: f64| if other < one { other } else { one };
        Self {
            mean: max(self.mean, other.mean),
            lowest_mean: min(self.lowest_mean, other.lowest_mean),
            variance: max(self.variance, other.variance),
            sd: max(self.sd, other.sd),
            taken: max(self.taken, other.taken),
            prior: max(self.prior, other.prior),
            largest: max(self.largest, other.largest),
            weight: max(self.weight, other.weight),
            lower: min(self.lower, other.lower),
        }
    }
}

/// Scores pairs under a strategy, and bounds the scores of pairs between blocks.
pub(in crate::active) struct Scorer<'a> {
    pub(in crate::active) strategy: Strategy,
    pub(in crate::active) answers: &'a Answers,
    pub(in crate::active) floor: f64,
}

impl Scorer<'_> {
    pub(in crate::active) fn score(&self, pair: &PairBelief) -> Score {
        pair.score(self.strategy, self.answers)
    }

    /// An upper bound on the score of a pair: fast to compute and slightly larger.
    pub(in crate::active) fn bound_at(&self, pair: &PairBelief) -> Score {
        raised(pair.bound(self.strategy, self.answers))
    }

    /// An upper bound on the score of this pair alone, no larger than [`Scorer::bound_at`].
    pub(in crate::active) fn close_bound_at(&self, pair: &PairBelief) -> Score {
        raised(pair.close_bound(self.strategy, self.answers))
    }

    /// An upper bound on the variance of a difference between an item of one block and an item of the other.
    pub(in crate::active) fn variance(&self, first: &Place, second: &Place) -> f64 {
        let least = (self.floor - first.taken * second.taken).max(-first.sd * second.sd);
        let now = first.variance + second.variance - 2.0 * least;
        let prior = first.prior + second.prior - 2.0 * self.floor;
        now.min(prior).min(first.largest).min(second.largest) * (1.0 + SLACK)
    }

    /// An upper bound on the score of a pair of an item of one block and an item of the other.
    pub(in crate::active) fn bound(&self, first: &Place, second: &Place) -> Score {
        self.bound_with(first, second, self.variance(first, second))
    }

    /// As [`Scorer::bound`], if every such difference has at most this variance.
    pub(in crate::active) fn bound_with(&self, first: &Place, second: &Place, variance: f64) -> Score {
        let means = if self.strategy.looks_for_the_best() {
            [first.mean, second.mean]
        } else {
            [(first.lowest_mean - second.mean).max(second.lowest_mean - first.mean).max(0.0), 0.0]
        };
        // A pair has the weight of its better place, less a share of the other's.
        let weight = first.weight.max(second.weight) - first.lower.min(second.lower);
        let pair = PairBelief { means, variance: variance.max(0.0), weight };
        self.bound_at(&pair)
    }

    /// A lower bound on the variance that a pair between two blocks needs to be among the best. Each step halves the
    /// distance between the bound and the least variance that suffices.
    pub(in crate::active) fn needed_variance(&self, first: &Place, second: &Place, best: &Best, steps: usize) -> f64 {
        let may = |variance: f64| best.may_take(self.bound_with(first, second, variance));
        let (mut low, mut high) = (0.0, self.variance(first, second));
        if !may(high) {
            return f64::INFINITY;
        }
        for _ in 0..steps {
            let middle = 0.5 * (low + high);
            if may(middle) { high = middle } else { low = middle }
        }
        low
    }
}

/// The belief about two items. The item ranked higher comes first.
pub(in crate::active) fn pair(first: &Place, second: &Place, covariance: f64) -> PairBelief {
    let variance = first.variance + second.variance - 2.0 * covariance;
    PairBelief { means: [first.mean, second.mean], variance, weight: first.weight - second.lower }
}

fn raised((score, second): Score) -> Score {
    (score + SLACK * score.abs(), second + SLACK * second.abs())
}
