//! Which pair is worth asking next: what every strategy makes of a pair.

use std::fmt;

use super::expected_loss::{expected_loss, scaled_loss};
use crate::data::{Goal, ItemId};
use crate::gp::{AnswerModel, Moments, Observation, Workload};
use crate::numeric::normal::{self, Beyond};
use crate::words::word_table;
use crate::{Error, Result};

/// A way to choose the next pair. Focus is the emphasis on the top: a pair counts `exp(-focus * rank)`, rank being that of the
/// better of the two (AXPGP eq. 26 prints focus = 1); items with equal means share the better rank.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Strategy {
    /// The pair with the largest expected loss (AXPGP eqs. 26-29, LELpair).
    ExpectedLoss {
        /// The emphasis on the top.
        focus: f64,
    },
    /// The pair with the largest expected regret: by how much the better item is better, where it is ranked lower. Unlike the
    /// expected loss it does not square, so that it spends less on pairs that are merely uncertain; and a pair counts the
    /// more, the farther apart its ranks are: half of the lower item's `exp(-focus * rank)` is taken off.
    ExpectedRegret {
        /// The emphasis on the top.
        focus: f64,
    },
    /// The pair with the largest expected squared regret for the first k places, times its variance: what there is to learn.
    /// `1 / log2(rank + 1)` takes the place of the focus up to rank k and 0 beyond, as in NDCG@k, and half of the lower item's
    /// is taken off.
    TopRegret {
        /// How many places count.
        k: usize,
    },
    /// The item whose pairs have the largest summed expected loss, then its worst pair (Radlinski, Joachims 2007).
    ExpectedLossItem {
        /// The emphasis on the top.
        focus: f64,
    },
    /// The pair after whose answer the least loss is expected, all pairs together (Radlinski, Joachims 2007). `n⁴` a choice.
    LookAhead {
        /// The emphasis on the top.
        focus: f64,
    },
    /// The pair with the largest variance over squared difference of means (XPGP section 5); among equals, as at the
    /// start, the largest variance.
    VarianceRatio,
    /// The pair whose answer is expected to take most entropy from the belief (SSGP eq. 10).
    Entropy,
    /// The pair whose answer is expected to take most entropy from the predictions of all pairs (SSGP section 3). `n⁴` a
    /// choice.
    PredictiveEntropy,
    /// The pair whose better item is expected to be best, counted from the best so far of its group (EUBO; Lin and others 2022).
    BestOption,
    /// The same, as if all deviations were twice as large: the best item is more often one that little is known of.
    OptimisticBest,
    /// Any pair.
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
    PredictiveEntropy = "predictive-entropy", "the pair whose answer takes the most entropy from all predictions; slow";
    BestOption = "best-option", "the pair whose better item is expected to be best";
    OptimisticBest = "optimistic-best", "the same, as if all deviations were twice as large";
    Random = "random", "any pair";
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

    /// The strategy that is taken for a goal, for groups of this many items on average.
    pub fn for_goal(goal: Goal, items: f64) -> Self {
        match goal {
            Goal::Best => Self::OptimisticBest,
            Goal::Top { k } => Self::TopRegret { k },
            Goal::WholeOrder => Self::ExpectedRegret { focus: usual_focus(goal, items) },
        }
    }

    /// The name of the strategy that is taken for a goal; where a focus is given, of one that has a focus.
    pub fn usual_name(goal: Goal, focused: bool) -> &'static str {
        let usual = Self::for_goal(goal, 2.0);
        if focused && usual.focus().is_none() { Self::ExpectedLoss { focus: 0.0 }.name() } else { usual.name() }
    }

    /// A strategy by its name. Strategies with an emphasis on the top take the given focus, or else what suits the goal; for
    /// other goals than the top, `top-regret` counts ten places.
    ///
    /// # Errors
    /// If there is no such strategy, the focus is negative or not finite, or the strategy takes none.
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

    /// Its emphasis on the top, if it has one.
    pub fn focus(self) -> Option<f64> {
        match self {
            Self::ExpectedLoss { focus }
            | Self::ExpectedRegret { focus }
            | Self::ExpectedLossItem { focus }
            | Self::LookAhead { focus } => Some(focus),
            Self::TopRegret { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => None,
        }
    }

    /// The same with another emphasis on the top, if it has one.
    fn with_focus(self, focus: f64) -> Self {
        match self {
            Self::ExpectedLoss { .. } => Self::ExpectedLoss { focus },
            Self::ExpectedRegret { .. } => Self::ExpectedRegret { focus },
            Self::ExpectedLossItem { .. } => Self::ExpectedLossItem { focus },
            Self::LookAhead { .. } => Self::LookAhead { focus },
            Self::TopRegret { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => self,
        }
    }

    /// The same with as many places as the goal has, if both have a number of them.
    fn with_places(self, goal: Goal) -> Self {
        match self {
            Self::TopRegret { k } => Self::TopRegret { k: goal.places().unwrap_or(k) },
            Self::ExpectedLoss { .. }
            | Self::ExpectedRegret { .. }
            | Self::ExpectedLossItem { .. }
            | Self::LookAhead { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => self,
        }
    }

    /// Whether it plays every answer through, which costs `n⁴` per choice.
    pub(super) fn looks_ahead(self) -> bool {
        matches!(self.method(), Method::Ahead(_))
    }

    /// How it comes to its pair.
    pub(super) fn method(self) -> Method {
        match self {
            Self::ExpectedLoss { .. }
            | Self::ExpectedRegret { .. }
            | Self::TopRegret { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::BestOption
            | Self::OptimisticBest => Method::EachPair,
            Self::ExpectedLossItem { focus } => Method::WorstItem { focus },
            Self::LookAhead { focus } => Method::Ahead(Ahead::Loss { focus }),
            Self::PredictiveEntropy => Method::Ahead(Ahead::Entropy),
            Self::Random => Method::AnyPair,
        }
    }

    /// Whether what it makes of a pair grows with the means of both, not with their distance.
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
            | Self::PredictiveEntropy
            | Self::Random => false,
        }
    }

    /// What it asks of a belief.
    pub(super) fn workload(self) -> Workload {
        if self.keeps_to_the_top() { Workload::TopQuestions } else { Workload::Questions }
    }

    /// Whether only pairs of the first few items can be worth asking: where a hundredth rank counts less than 1e-4.
    fn keeps_to_the_top(self) -> bool {
        match self {
            Self::TopRegret { k } => k <= 100,
            Self::ExpectedLoss { focus } | Self::ExpectedRegret { focus } => focus >= STEEP,
            Self::ExpectedLossItem { .. }
            | Self::LookAhead { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => false,
        }
    }

    /// Whether the best pair is found soonest along the rows of the first items.
    pub(super) fn is_steep(self) -> bool {
        matches!(self, Self::ExpectedLoss { focus } if focus >= STEEP)
    }

    /// What a place in the ranking counts.
    pub(super) fn emphasis(self) -> Emphasis {
        match self {
            Self::TopRegret { k } => Emphasis::Top(k),
            Self::ExpectedLoss { focus }
            | Self::ExpectedRegret { focus }
            | Self::ExpectedLossItem { focus }
            | Self::LookAhead { focus } => Emphasis::Focus(focus),
            Self::VarianceRatio
            | Self::Entropy
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => Emphasis::Focus(0.0),
        }
    }

    /// How much of what the lower place counts is taken off what the higher one does.
    pub(super) fn lower_share(self) -> f64 {
        match self {
            // Swapping two items costs the difference of their places, which would be all of it; but then neighbours
            // are never settled.
            Self::ExpectedRegret { .. } | Self::TopRegret { .. } => 0.5,
            Self::ExpectedLoss { .. }
            | Self::ExpectedLossItem { .. }
            | Self::LookAhead { .. }
            | Self::VarianceRatio
            | Self::Entropy
            | Self::PredictiveEntropy
            | Self::BestOption
            | Self::OptimisticBest
            | Self::Random => 0.0,
        }
    }
}

/// A focus from which the hundredth rank counts less than 1e-4.
const STEEP: f64 = 0.1;

/// How a strategy comes to its pair.
#[derive(Debug, Clone, Copy)]
pub(super) enum Method {
    /// It scores each pair by itself ([`PairBelief::score`]).
    EachPair,
    /// It sums the losses of each item's pairs.
    WorstItem { focus: f64 },
    /// It tries every answer to every pair.
    Ahead(Ahead),
    /// It does not look.
    AnyPair,
}

/// What is to be small once a pair is answered.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ahead {
    /// The expected loss of all pairs.
    Loss { focus: f64 },
    /// The entropy of all pairs' predictions.
    Entropy,
}

/// What a place in the ranking counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Emphasis {
    /// `exp(-focus * rank)` (AXPGP eq. 26).
    Focus(f64),
    /// The discount of NDCG of so many places.
    Top(usize),
}

impl Emphasis {
    /// At a rank from 1.
    pub(super) fn at(self, rank: usize) -> f64 {
        match self {
            Self::Focus(focus) => (-focus * rank as f64).exp(),
            Self::Top(k) if rank <= k => 1.0 / (rank as f64 + 1.0).log2(),
            Self::Top(_) => 0.0,
        }
    }

    /// What the places of items by falling mean count, of which equal ones share the better rank: what is asked does not depend on
    /// the order in which items happen to be listed. Means of items that are alike differ by rounding; what is less than a part in
    /// 1e12 of the range of all means is none.
    pub(super) fn weights(self, order: &[usize], mean: &[f64]) -> Vec<f64> {
        let range = order.first().zip(order.last()).map_or(0.0, |(&best, &worst)| mean[best] - mean[worst]);
        self.weights_of(order.iter().map(|&item| mean[item]), range)
    }

    /// What the first places count, if the items there have these means and all together this range.
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

    /// At the ranks from 1 to a number.
    fn at_ranks(self, count: usize) -> Vec<f64> {
        /// Ranks that share an exponential; each has another, and their product is as good.
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

/// The emphasis on the top that suits a goal: all of it for the best item, an e-fold over the first k, or over a third of
/// the list.
fn usual_focus(goal: Goal, items: f64) -> f64 {
    match goal {
        Goal::Best => 1.0,
        Goal::Top { k } => 1.0 / k.max(1) as f64,
        Goal::WholeOrder => 3.0 / items.max(3.0),
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

/// What is believed of two items.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairBelief {
    /// The means, that of the item ranked higher first.
    pub means: [f64; 2],
    /// The variance of the difference.
    pub variance: f64,
    /// What the pair counts, by the ranks of the two.
    pub weight: f64,
}

/// What a strategy makes of a pair: the larger is asked first, and among equals the second number decides.
pub(super) type Score = (f64, f64);

impl PairBelief {
    /// What a strategy makes of the pair. All of these grow with the variance and fall with the distance of the means.
    pub(super) fn score(&self, strategy: Strategy, answers: &Answers) -> Score {
        self.score_by(strategy, answers, normal::beyond)
    }

    /// What a strategy makes at most of a pair that is no closer, no more uncertain and counts no more than this one, and for those
    /// that look for the best has no larger means. At most a few per cent more than the score, and faster.
    pub(super) fn bound(&self, strategy: Strategy, answers: &Answers) -> Score {
        match strategy {
            // With ties the most is learned where an answer and a tie are as likely: never more than of a plain measurement.
            Strategy::Entropy if answers.have_ties() => (0.5 * answers.signal(self.variance).ln_1p(), 0.0),
            _ => self.score_by(strategy, answers, normal::at_most_beyond),
        }
    }

    fn score_by(&self, strategy: Strategy, answers: &Answers, beyond: impl Fn(f64) -> Beyond) -> Score {
        let score = match strategy {
            Strategy::VarianceRatio => return self.ratio(),
            Strategy::Entropy => self.entropy(answers),
            Strategy::BestOption => self.best_option(1.0, beyond),
            Strategy::OptimisticBest => self.best_option(2.0, beyond),
            _ if self.variance <= 0.0 => 0.0,
            Strategy::ExpectedLoss { .. } => scaled_loss(self.weight, self.difference(), self.variance, beyond),
            Strategy::ExpectedRegret { .. } => self.weight * self.variance.sqrt() * self.beyond(beyond).mean,
            Strategy::TopRegret { .. } => self.weight * self.variance * self.variance * self.beyond(beyond).square,
            Strategy::Random
            | Strategy::ExpectedLossItem { .. }
            | Strategy::LookAhead { .. }
            | Strategy::PredictiveEntropy => unreachable!("these do not score each pair by itself"),
        };
        (score, 0.0)
    }

    fn difference(&self) -> f64 {
        self.means[0] - self.means[1]
    }

    /// AXPGP eq. 28.
    pub(super) fn loss(&self) -> f64 {
        self.weight * expected_loss(self.difference(), self.variance)
    }

    /// What lies on the wrong side of no difference.
    fn beyond(&self, beyond: impl Fn(f64) -> Beyond) -> Beyond {
        beyond(self.difference().abs() / self.variance.sqrt())
    }

    /// XPGP section 5.
    fn ratio(&self) -> Score {
        let difference = self.difference();
        let ratio = if self.variance > 0.0 { self.variance / (difference * difference) } else { 0.0 };
        (ratio, self.variance)
    }

    /// The expected maximum of the two utilities, if the deviation of their difference were so many times as large.
    fn best_option(&self, times: f64, beyond: impl Fn(f64) -> Beyond) -> f64 {
        let (best, other) = (self.means[0].max(self.means[1]), self.means[0].min(self.means[1]));
        let sd = times * self.variance.max(0.0).sqrt();
        if sd == 0.0 { best } else { best + sd * beyond((best - other) / sd).mean }
    }

    /// The expected entropy that the answer takes from the belief (SSGP eqs. 9 and 10): `-½ log` of what is left of the variance
    /// of the difference, over the two answers, or three where there are ties.
    fn entropy(&self, answers: &Answers) -> f64 {
        let each = answers.each(self.difference(), self.variance);
        let log_left = |moments: Moments| {
            // Of what is nearly all left, only what is taken has digits.
            let taken = self.variance * moments.curvature;
            if taken < 0.5 { (-taken).ln_1p() } else { moments.left.ln() }
        };
        each.map(|(probability, moments)| -0.5 * probability * log_left(moments)).sum()
    }
}

/// What may be answered of two items.
#[derive(Debug, Clone)]
pub(super) struct Answers(Vec<Observation>);

impl Answers {
    pub(super) fn new(model: &AnswerModel) -> Self {
        let (first, second) = (ItemId::new(0), ItemId::new(1));
        let mut outcomes = vec![model.preferred(first, second), model.preferred(second, first)];
        // Without a width, ties have no probability.
        outcomes.extend(model.tied(first, second));
        Self(outcomes)
    }

    pub(super) fn have_ties(&self) -> bool {
        self.0.len() > 2
    }

    /// A variance beside that of the noise.
    pub(super) fn signal(&self, variance: f64) -> f64 {
        variance / self.0[0].noise.powi(2)
    }

    /// Every answer to a difference `N(mean, variance)`: its probability, and how it bears on the difference.
    pub(super) fn each(&self, mean: f64, variance: f64) -> impl Iterator<Item = (f64, Moments)> {
        let variance = variance.max(0.0);
        self.0.iter().map(move |one| (one.log_mass(mean, variance).exp(), one.moments(mean, variance)))
    }

    /// The expected curvature of the answer: times the squared covariance, what it takes from a variance.
    pub(super) fn curvature(&self, mean: f64, variance: f64) -> f64 {
        self.each(mean, variance).map(|(probability, moments)| probability * moments.curvature).sum()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const STRATEGIES: [Strategy; 7] = [
        Strategy::ExpectedLoss { focus: 0.0 },
        Strategy::ExpectedRegret { focus: 0.0 },
        Strategy::TopRegret { k: 3 },
        Strategy::VarianceRatio,
        Strategy::Entropy,
        Strategy::BestOption,
        Strategy::OptimisticBest,
    ];

    /// What bounds of a search are raised by, twice over rounding.
    const SLACK: f64 = 5e-11;

    fn at_most((first, second): Score, (other, other_second): Score) -> bool {
        let at_most = |one: f64, other: f64| one <= other + SLACK * other.abs().min(f64::MAX);
        at_most(first, other) && (first < other || at_most(second, other_second))
    }

    fn grid(from: i32, to: i32) -> impl Iterator<Item = f64> {
        (8 * from..=8 * to).map(|eighths| 10_f64.powf(f64::from(eighths) / 8.0))
    }

    /// Every score grows with the variance and falls with the distance, over 24 orders of magnitude of the one and 12 of the other;
    /// with ties the bound of the entropy does, and no score is above its bound.
    #[test]
    fn scores_grow_with_the_variance_and_fall_with_the_distance() {
        for tie_width in [0.0, 0.3, 5.0] {
            let answers = Answers::new(&AnswerModel::new(0.7, tie_width).unwrap());
            for strategy in STRATEGIES {
                let monotone_score = strategy != Strategy::Entropy || !answers.have_ties();
                let pair = |distance: f64, variance: f64| PairBelief { means: [0.0, -distance], variance, weight: 0.7 };
                let score = |distance, variance| pair(distance, variance).score(strategy, &answers);
                let bound = |distance, variance| pair(distance, variance).bound(strategy, &answers);
                let distances: Vec<f64> = std::iter::once(0.0).chain(grid(-8, 4)).collect();
                let variances: Vec<f64> = std::iter::once(0.0).chain(grid(-12, 12)).collect();
                for (d, &distance) in distances.iter().enumerate() {
                    for (v, &variance) in variances.iter().enumerate() {
                        let (own, most) = (score(distance, variance), bound(distance, variance));
                        assert!(!own.0.is_nan() && !most.0.is_nan(), "{strategy} {distance} {variance}");
                        assert!(at_most(own, most), "{strategy} {distance} {variance}: {own:?} {most:?}");
                        for (wider, farther) in [(v + 1, d), (v + 7, d), (v, d + 1), (v, d + 5), (v + 1, d + 1)] {
                            let (Some(&wider), Some(&farther)) = (variances.get(wider), distances.get(farther)) else {
                                continue;
                            };
                            let what = || format!("{strategy}: {distance} {variance}, {farther} {wider}");
                            assert!(at_most(score(farther, variance), bound(distance, wider)), "{}", what());
                            if monotone_score {
                                assert!(at_most(own, score(distance, wider)), "{}", what());
                                // The ratio decides among infinite ones by the variance, which is the same.
                                assert!(at_most(score(farther, variance), own), "{}", what());
                            }
                        }
                    }
                }
            }
        }
    }

    /// Where hardly anything is learned the entropy is `variance / (π noise²)`, to second order.
    #[test]
    fn the_entropy_of_next_to_nothing() {
        let answers = Answers::new(&AnswerModel::default());
        for variance in [1e-6, 1e-9, 1e-15] {
            let signal = answers.signal(variance);
            let pair = PairBelief { means: [0.0, 0.0], variance, weight: 1.0 };
            let (found, _) = pair.score(Strategy::Entropy, &answers);
            let expected = signal / std::f64::consts::PI;
            assert!((found / expected - 1.0).abs() < 1e-13 + 2.0 * signal, "{variance}: {found} {expected}");
        }
    }

    /// Rounding does not part items that are alike.
    #[test]
    fn means_that_differ_by_rounding_share_a_rank() {
        let mean = [0.0, 0.3, 0.1 + 0.2, 1.0, 0.3 - 1e-9];
        let weights = Emphasis::Focus(1.0).weights(&[3, 2, 1, 4, 0], &mean);
        assert_eq!(weights, [1, 2, 2, 4, 5].map(|rank| (-f64::from(rank)).exp()));
        assert_eq!(Emphasis::Focus(1.0).weights(&[0, 1], &[0.5, 0.5]), [(-1.0_f64).exp(); 2]);
    }
}
