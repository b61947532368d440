//! Strategies: which pair is worth asking next, and the score that each strategy gives a pair.

use std::fmt;

use super::expected_loss::{expected_loss, scaled_loss};
use super::goals::usual_focus;
use crate::data::{Goal, ItemId};
use crate::gp::{AnswerModel, Moments, Observation, Workload};
use crate::numeric::normal::{self, Beyond};
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

/// The belief about two items.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairBelief {
    /// The means. The item ranked higher comes first.
    pub means: [f64; 2],
    /// The variance of the difference.
    pub variance: f64,
    /// The weight of the pair, by the ranks of its items.
    pub weight: f64,
}

/// The score of a pair. Pairs with a larger first number are asked first; the second number decides between equal ones.
pub(super) type Score = (f64, f64);

impl PairBelief {
    /// The score of the pair under a strategy. All scores grow with the variance and fall with the distance of the
    /// means.
    pub(super) fn score(&self, strategy: Strategy, answers: &Answers) -> Score {
        self.score_by(strategy, answers, normal::beyond)
    }

    /// An upper bound on the score of every pair at least this far apart, with at most this variance and this weight.
    /// For strategies that look for the best, the means must also be at most these. The bound exceeds the score by at
    /// most a few per cent and is faster to compute.
    pub(super) fn bound(&self, strategy: Strategy, answers: &Answers) -> Score {
        match strategy {
            // With ties, the most is learned where an answer and a tie are equally likely. It is never more than a
            // plain measurement gives.
            Strategy::Entropy if answers.have_ties() => (0.5 * answers.signal(self.variance).ln_1p(), 0.0),
            Strategy::Entropy => (self.entropy_at_most(answers), 0.0),
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
            | Strategy::WrongPairs
            | Strategy::ExpectedLossItem { .. }
            | Strategy::LookAhead { .. }
            | Strategy::PredictiveEntropy => unreachable!("these do not score each pair by itself"),
        };
        (score, 0.0)
    }

    fn difference(&self) -> f64 {
        self.means[0] - self.means[1]
    }

    /// The weighted expected loss, AXPGP eq. 28.
    pub(super) fn loss(&self) -> f64 {
        self.weight * expected_loss(self.difference(), self.variance)
    }

    /// The moments on the wrong side of zero difference.
    fn beyond(&self, beyond: impl Fn(f64) -> Beyond) -> Beyond {
        beyond(self.difference().abs() / self.variance.sqrt())
    }

    /// The ratio of variance and squared difference, XPGP section 5.
    fn ratio(&self) -> Score {
        let difference = self.difference();
        let ratio = if self.variance > 0.0 { self.variance / (difference * difference) } else { 0.0 };
        (ratio, self.variance)
    }

    /// The expected maximum of the two utilities, with the deviation of their difference multiplied by `times`.
    fn best_option(&self, times: f64, beyond: impl Fn(f64) -> Beyond) -> f64 {
        let (best, other) = (self.means[0].max(self.means[1]), self.means[0].min(self.means[1]));
        let sd = times * self.variance.max(0.0).sqrt();
        if sd == 0.0 { best } else { best + sd * beyond((best - other) / sd).mean }
    }

    /// The expected entropy that the answer takes from the belief (SSGP eqs. 9 and 10). It is `-½ log` of the share of
    /// the difference's variance that is left, averaged over the two answers, or three with ties.
    fn entropy(&self, answers: &Answers) -> f64 {
        let each = answers.each(self.difference(), self.variance);
        let log_left = |moments: Moments| {
            // If nearly everything is left, only the part taken keeps its digits.
            let taken = self.variance * moments.curvature;
            if taken < 0.5 { (-taken).ln_1p() } else { moments.left.ln() }
        };
        each.map(|(probability, moments)| -0.5 * probability * log_left(moments)).sum()
    }
}

impl PairBelief {
    /// An upper bound on the entropy without ties, at most 3e-3 larger, by a table of what does not depend on the variance.
    fn entropy_at_most(&self, answers: &Answers) -> f64 {
        /// More than the table's error changes.
        const ROUGH: f64 = 1.5e-3;
        let signal = answers.signal(self.variance.max(0.0));
        let z = self.difference().abs() / (answers.noise() * (1.0 + signal).sqrt());
        let Some(halves) = normal::rough_halves(z) else { return self.entropy(answers) };
        let share = signal / (1.0 + signal);
        let taken = |half: usize| -0.5 * halves.probabilities[half] * (-share * halves.shrinkages[half]).ln_1p();
        (taken(0) + taken(1)) * (1.0 + ROUGH)
    }
}

/// The possible answers about two items.
#[derive(Debug, Clone)]
pub(super) struct Answers(Vec<Observation>);

impl Answers {
    pub(super) fn new(model: &AnswerModel) -> Self {
        let (first, second) = (ItemId::new(0), ItemId::new(1));
        // Lapses take the same share from what any answer tells, and would cost the searches their bounds.
        let model = model.attentive();
        let mut outcomes = vec![model.preferred(first, second), model.preferred(second, first)];
        // If ties have no width, they have no probability.
        outcomes.extend(model.tied(first, second));
        Self(outcomes)
    }

    pub(super) fn have_ties(&self) -> bool {
        self.0.len() > 2
    }

    /// The standard deviation of the noise.
    fn noise(&self) -> f64 {
        self.0[0].noise
    }

    /// A variance in units of the noise's variance.
    pub(super) fn signal(&self, variance: f64) -> f64 {
        variance / self.noise().powi(2)
    }

    /// The probability of every answer to a difference `N(mean, variance)`, and the moments of its effect on the
    /// difference.
    pub(super) fn each(&self, mean: f64, variance: f64) -> impl Iterator<Item = (f64, Moments)> {
        let variance = variance.max(0.0);
        self.0.iter().map(move |one| (one.log_mass(mean, variance).exp(), one.moments(mean, variance)))
    }

    /// The expected square of the slope of the answer's log probability, by the mean. Multiplied by a squared covariance, it is the
    /// variance of the shift that the answer gives to a mean.
    pub(super) fn information(&self, mean: f64, variance: f64) -> f64 {
        self.each(mean, variance).map(|(probability, moments)| probability * moments.slope * moments.slope).sum()
    }

    /// The expected curvature of the answer. Multiplied by a squared covariance, it is the variance that the answer
    /// removes.
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

    /// The fraction by which the bounds of a search are raised; twice what rounding needs.
    const SLACK: f64 = 5e-11;

    fn at_most((first, second): Score, (other, other_second): Score) -> bool {
        let at_most = |one: f64, other: f64| one <= other + SLACK * other.abs().min(f64::MAX);
        at_most(first, other) && (first < other || at_most(second, other_second))
    }

    fn grid(from: i32, to: i32) -> impl Iterator<Item = f64> {
        (8 * from..=8 * to).map(|eighths| 10_f64.powf(f64::from(eighths) / 8.0))
    }

    /// Every score grows with the variance and falls with the distance, over 24 orders of magnitude of the variance and
    /// 12 of the distance. With ties this holds for the bound of the entropy. No score is above its bound.
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
                                // The ratio decides between infinite scores by the variance, which is equal here.
                                assert!(at_most(score(farther, variance), own), "{}", what());
                            }
                        }
                    }
                }
            }
        }
    }

    /// If hardly anything is learned, the entropy is `variance / (π noise²)`, to second order.
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

    /// The bound of the entropy follows it closely, so that a search that stops early stops at nearly the best.
    #[test]
    fn the_bound_of_the_entropy_is_tight() {
        let answers = Answers::new(&AnswerModel::default());
        for variance in grid(-6, 6) {
            for distance in (0..2000).map(|step| 0.013 * f64::from(step)) {
                let pair = PairBelief { means: [0.0, -distance], variance, weight: 1.0 };
                let (score, _) = pair.score(Strategy::Entropy, &answers);
                let (most, _) = pair.bound(Strategy::Entropy, &answers);
                assert!(score <= most && most <= 1.003 * score, "{distance} {variance}: {score} {most}");
            }
        }
    }

    /// Rounding does not separate equal items.
    #[test]
    fn means_that_differ_by_rounding_share_a_rank() {
        let mean = [0.0, 0.3, 0.1 + 0.2, 1.0, 0.3 - 1e-9];
        let weights = Emphasis::Focus(1.0).weights(&[3, 2, 1, 4, 0], &mean);
        assert_eq!(weights, [1, 2, 2, 4, 5].map(|rank| (-f64::from(rank)).exp()));
        assert_eq!(Emphasis::Focus(1.0).weights(&[0, 1], &[0.5, 0.5]), [(-1.0_f64).exp(); 2]);
    }
}
