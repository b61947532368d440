//! Strategies: which pair is worth asking next.

use std::fmt;

use super::goals::usual_focus;
use crate::data::Goal;
use crate::gp::Workload;
use crate::words::word_table;
use crate::{Error, Result};

/// A strategy to choose the next pair.
///
/// The focus is the emphasis on the top. A pair has the weight `exp(-focus * rank)`, where rank is the better of its
/// two ranks (AXPGP eq. 26 prints focus = 1). Items with equal means share the better rank.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Strategy {
    /// The pair with the largest expected loss (AXPGP eqs. 26-29, LELpair).
    ExpectedLoss {
        /// The emphasis on the top.
        focus: f64,
    },
    /// The pair with the largest expected regret: the expected amount by which the better item is better, counted where
    /// it is ranked lower. Unlike the expected loss, the regret is not squared, so it spends fewer answers on pairs
    /// that are merely uncertain. The weight grows with the distance of the ranks: it is the weight of the higher place
    /// less half of the lower item's `exp(-focus * rank)`.
    ExpectedRegret {
        /// The emphasis on the top.
        focus: f64,
    },
    /// The pair with the largest expected squared regret for the first k places, times its variance, which measures how
    /// much is left to learn. The weight of a place is `1 / log2(rank + 1)` up to rank k and 0 beyond, as in NDCG@k.
    /// Half of the lower place's weight is subtracted.
    TopRegret {
        /// The number of places that count.
        k: usize,
    },
    /// The item whose pairs have the largest summed expected loss, and of its pairs the one with the largest loss
    /// (Radlinski, Joachims 2007).
    ExpectedLossItem {
        /// The emphasis on the top.
        focus: f64,
    },
    /// The pair whose answer leaves the least expected loss, summed over all pairs (Radlinski, Joachims 2007). A choice
    /// costs `n⁴` operations.
    LookAhead {
        /// The emphasis on the top.
        focus: f64,
    },
    /// The pair with the largest variance over squared difference of means (XPGP section 5). Among equal ratios, as at
    /// the start, the larger variance wins.
    VarianceRatio,
    /// The pair whose answer is expected to take the most entropy from the belief (SSGP eq. 10).
    Entropy,
    /// Of the pairs that take much entropy, the pair whose answer is expected to mend the most wrong pairs: the sum of
    /// `p (1 - p)` over all pairs falls most, to first order.
    WrongPairs,
    /// The pair whose answer is expected to take the most entropy from the predictions of all pairs (SSGP section 3). A
    /// choice costs `n⁴` operations.
    PredictiveEntropy,
    /// The pair with the largest expected utility of its better item, counted from the best mean of its group (EUBO; Lin
    /// and others 2022).
    BestOption,
    /// As [`Strategy::BestOption`], with all deviations doubled. It asks more often about items of which little is
    /// known.
    OptimisticBest,
    /// A random pair.
    Random,
}

word_table! { Strategy, "strategy";
    ExpectedLoss { focus: PAPERS_FOCUS } = "expected-loss", "the pair with the largest expected loss";
    ExpectedRegret { focus: PAPERS_FOCUS } = "expected-regret", "the pair with the largest expected regret";
    TopRegret { k: Goal::USUAL_PLACES } = "top-regret", "the pair with the largest expected regret for the first places";
    ExpectedLossItem { focus: PAPERS_FOCUS } = "expected-loss-item", "the worst pair of the item with the largest expected loss";
    LookAhead { focus: PAPERS_FOCUS } = "look-ahead", "the pair whose answer leaves the least expected loss; slow";
    VarianceRatio = "variance-ratio", "the pair with the largest variance over squared difference";
    Entropy = "entropy", "the pair whose answer takes the most entropy from the belief";
    WrongPairs = "wrong-pairs", "the pair whose answer mends the most wrong pairs";
    PredictiveEntropy = "predictive-entropy", "the pair whose answer takes the most entropy from all predictions; slow";
    BestOption = "best-option", "the pair whose better item is expected to be best";
    OptimisticBest = "optimistic-best", "as best-option, with all deviations doubled";
    Random = "random", "a random pair";
}

/// The focus that AXPGP eq. 26 prints.
const PAPERS_FOCUS: f64 = 1.0;

impl Strategy {
    /// The names of all strategies.
    pub fn names() -> &'static [&'static str] {
        const NAMES: [&str; Strategy::all().len()] = {
            let mut names = [""; Strategy::all().len()];
            let mut at = 0;
            while at < names.len() {
                names[at] = Strategy::all()[at].name();
                at += 1;
            }
            names
        };
        &NAMES
    }

    /// A strategy by its name. Strategies with a focus take the given one, or else the goal's usual one. `top-regret`
    /// counts the goal's places, or ten for goals without a number of places.
    ///
    /// # Errors
    /// If the strategy does not exist, the focus is negative or not finite, or the strategy has no focus and one is
    /// given.
    pub fn named(name: &str, focus: Option<f64>, goal: Goal, items: f64) -> Result<Self> {
        let usual = usual_focus(goal, items);
        if let Some(value) = focus.filter(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(Error::Parameter { name: "focus".into(), value, expected: "a finite number, at least 0" });
        }
        let strategy = name.parse::<Self>()?.with_focus(focus.unwrap_or(usual)).with_places(goal);
        match (focus, strategy.focus()) {
            (Some(value), None) => {
                Err(Error::Parameter { name: "focus".into(), value, expected: "no focus: the strategy has none" })
            }
            _ => Ok(strategy),
        }
    }

    /// The focus, if the strategy has one.
    pub fn focus(mut self) -> Option<f64> {
        self.focus_mut().copied()
    }

    fn focus_mut(&mut self) -> Option<&mut f64> {
        match self {
            Self::ExpectedLoss { focus }
            | Self::ExpectedRegret { focus }
            | Self::ExpectedLossItem { focus }
            | Self::LookAhead { focus } => Some(focus),
            Self::TopRegret { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::WrongPairs
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => None,
        }
    }

    /// The same strategy with another focus, if it has one.
    fn with_focus(mut self, focus: f64) -> Self {
        if let Some(own) = self.focus_mut() {
            *own = focus;
        }
        self
    }

    /// The same strategy with the goal's number of places, if both have one.
    fn with_places(self, goal: Goal) -> Self {
        match self {
            Self::TopRegret { k } => Self::TopRegret { k: goal.places().unwrap_or(k) },
            Self::ExpectedLoss { .. }
            | Self::ExpectedRegret { .. }
            | Self::ExpectedLossItem { .. }
            | Self::LookAhead { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::WrongPairs
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => self,
        }
    }

    /// Whether the strategy tries every answer to every pair, which costs `n⁴` operations per choice.
    pub(super) fn looks_ahead(self) -> bool {
        matches!(self.method(), Method::Ahead(_))
    }

    /// The method by which the strategy finds its pair.
    pub(super) fn method(self) -> Method {
        match self {
            Self::ExpectedLoss { .. }
            | Self::ExpectedRegret { .. }
            | Self::TopRegret { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::BestOption
            | Self::OptimisticBest => Method::EachPair,
            Self::WrongPairs => Method::WrongPairs,
            Self::ExpectedLossItem { focus } => Method::WorstItem { focus },
            Self::LookAhead { focus } => Method::Ahead(Ahead::Loss { focus }),
            Self::PredictiveEntropy => Method::Ahead(Ahead::Entropy),
            Self::Random => Method::AnyPair,
        }
    }

    /// Whether the score grows with the means of both items instead of falling with their distance.
    pub(super) fn looks_for_the_best(self) -> bool {
        match self {
            Self::BestOption | Self::OptimisticBest => true,
            Self::ExpectedLoss { .. }
            | Self::ExpectedRegret { .. }
            | Self::TopRegret { .. }
            | Self::ExpectedLossItem { .. }
            | Self::LookAhead { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::WrongPairs
            | Self::PredictiveEntropy
            | Self::Random => false,
        }
    }

    /// The workload of a belief that serves this strategy.
    pub(super) fn workload(self) -> Workload {
        if self.keeps_to_the_top() { Workload::TopQuestions } else { Workload::Questions }
    }

    /// Whether only pairs of the first few items can be worth asking: the hundredth rank has a weight below 1e-4.
    fn keeps_to_the_top(self) -> bool {
        match self {
            Self::TopRegret { k } => k <= 100,
            Self::ExpectedLoss { focus } | Self::ExpectedRegret { focus } => focus >= STEEP,
            Self::ExpectedLossItem { .. }
            | Self::LookAhead { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::WrongPairs
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => false,
        }
    }

    /// Whether a walk along the rows of the first items finds the best pair soonest.
    pub(super) fn is_steep(self) -> bool {
        matches!(self, Self::ExpectedLoss { focus } if focus >= STEEP)
    }

    /// The weights of places in the ranking.
    pub(super) fn emphasis(self) -> Emphasis {
        match self {
            Self::TopRegret { k } => Emphasis::Top(k),
            Self::ExpectedLoss { focus }
            | Self::ExpectedRegret { focus }
            | Self::ExpectedLossItem { focus }
            | Self::LookAhead { focus } => Emphasis::Focus(focus),
            Self::VarianceRatio
            | Self::Entropy
            | Self::WrongPairs
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => Emphasis::Focus(0.0),
        }
    }

    /// The share of the lower place's weight that is subtracted from the higher place's weight.
    pub(super) fn lower_share(self) -> f64 {
        match self {
            // Swapping two items costs the difference of their places' weights, which would be a share of 1. But then
            // neighbours would never be settled.
            Self::ExpectedRegret { .. } | Self::TopRegret { .. } => 0.5,
            Self::ExpectedLoss { .. }
            | Self::ExpectedLossItem { .. }
            | Self::LookAhead { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::WrongPairs
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => 0.0,
        }
    }
}

/// The focus from which the hundredth rank has a weight below 1e-4.
const STEEP: f64 = 0.1;

/// The method by which a strategy finds its pair.
#[derive(Debug, Clone, Copy)]
pub(super) enum Method {
    /// It scores each pair by itself ([`PairBelief::score`]).
    EachPair,
    /// It scores a short list of pairs by their effect on all pairs.
    WrongPairs,
    /// It sums the losses of each item's pairs.
    WorstItem { focus: f64 },
    /// It tries every answer to every pair.
    Ahead(Ahead),
    /// It draws any pair.
    AnyPair,
}

/// The quantity that should be small after a pair is answered.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ahead {
    /// The expected loss of all pairs.
    Loss { focus: f64 },
    /// The entropy of all pairs' predictions.
    Entropy,
}

/// The weights of places in the ranking.
#[derive(Debug, Clone, Copy)]
pub(super) enum Emphasis {
    /// `exp(-focus * rank)` (AXPGP eq. 26).
    Focus(f64),
    /// The discount of NDCG with this many places.
    Top(usize),
}

impl Emphasis {
    /// The weight at a rank, counted from 1.
    pub(super) fn at(self, rank: usize) -> f64 {
        match self {
            Self::Focus(focus) => (-focus * rank as f64).exp(),
            Self::Top(k) if rank <= k => 1.0 / (rank as f64 + 1.0).log2(),
            Self::Top(_) => 0.0,
        }
    }

    /// The weights of the places of items in falling order of means. Items with equal means share the better rank, so
    /// the questions do not depend on the order in which items are listed. Means that differ by less than a part in
    /// 1e12 of the range of all means count as equal, because rounding parts the means of equal items.
    pub(super) fn weights(self, order: &[usize], mean: &[f64]) -> Vec<f64> {
        let range = order.first().zip(order.last()).map_or(0.0, |(&best, &worst)| mean[best] - mean[worst]);
        self.weights_of(order.iter().map(|&item| mean[item]), range)
    }

    /// The weights of the first places. The items there have these means; `range` is the range of the means of all
    /// items.
    pub(super) fn weights_of(self, means: impl ExactSizeIterator<Item = f64>, range: f64) -> Vec<f64> {
        let ranks = self.at_ranks(means.len());
        let (mut weight, mut best) = (0.0, f64::INFINITY);
        let mut at = |(mean, own): (f64, f64)| {
            if best - mean > 1e-12 * range {
                (best, weight) = (mean, own);
            }
            weight
        };
        means.zip(ranks).map(&mut at).collect()
    }

    /// The weights at the ranks from 1 to `count`.
    fn at_ranks(self, count: usize) -> Vec<f64> {
        /// The number of ranks that share one exponential. Each rank multiplies it by a second one.
        const SHARED: usize = 16;
        match self {
            Self::Focus(focus) => {
                let within: Vec<f64> = (1..=SHARED).map(|rank| (-focus * rank as f64).exp()).collect();
                let before = |block: usize| (-focus * (block * SHARED) as f64).exp();
                let blocks = (0..count.div_ceil(SHARED)).flat_map(|block| {
                    let before = before(block);
                    within.iter().map(move |within| before * within)
                });
                blocks.take(count).collect()
            }
            Self::Top(_) => (1..=count).map(|rank| self.at(rank)).collect(),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.focus()) {
            (Self::TopRegret { k }, _) => write!(f, "{} (of {k})", self.name()),
            (_, Some(focus)) if focus > 0.0 && focus < 1e-3 => write!(f, "{} (focus {focus:.1e})", self.name()),
            (_, Some(focus)) => write!(f, "{} (focus {})", self.name(), (focus * 1e4).round() / 1e4),
            (_, None) => f.write_str(self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding does not separate equal items.
    #[test]
    fn means_that_differ_by_rounding_share_a_rank() {
        let mean = [0.0, 0.3, 0.1 + 0.2, 1.0, 0.3 - 1e-9];
        let weights = Emphasis::Focus(1.0).weights(&[3, 2, 1, 4, 0], &mean);
        assert_eq!(weights, [1, 2, 2, 4, 5].map(|rank| (-f64::from(rank)).exp()));
        assert_eq!(Emphasis::Focus(1.0).weights(&[0, 1], &[0.5, 0.5]), [(-1.0_f64).exp(); 2]);
    }
}
