//! The belief about two items, what their answers tell, and the score that a strategy gives them.

use super::Strategy;
use super::expected_loss::{expected_loss, scaled_loss};
use crate::data::ItemId;
use crate::gp::{AnswerModel, Moments, Observation};
use crate::numeric::normal::{self, Beyond};

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
            Strategy::Entropy if answers.have_ties() => (self.entropy_beyond_ties(answers), 0.0),
            Strategy::Entropy => (self.entropy_at_most(answers), 0.0),
            _ => self.score_by(strategy, answers, normal::at_most_beyond),
        }
    }

    /// An upper bound on the score of this pair alone: closer than [`PairBelief::bound`], and faster to compute than the score.
    pub(super) fn close_bound(&self, strategy: Strategy, answers: &Answers) -> Score {
        let of_ties = match strategy {
            Strategy::Entropy if answers.have_ties() => self.entropy_with_ties(answers),
            _ => None,
        };
        of_ties.map_or_else(|| self.bound(strategy, answers), |most| (most, 0.0))
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
    pub(super) fn entropy(&self, answers: &Answers) -> f64 {
        entropy(self.variance, answers.each(self.difference(), self.variance))
    }

    /// An upper bound on the entropy without ties, by a table of what does not depend on the variance. It is larger by the factor
    /// `1 + 2e-5 (1 + z)²` at most, with the distance z in standard deviations of an answer.
    ///
    /// It must be close where z is small: to a judge who never errs, all pairs with nearly equal means tell nearly the same, and each
    /// that the bound lets pass is scored.
    fn entropy_at_most(&self, answers: &Answers) -> f64 {
        /// Times `(1 + z)²`, more than the table's error changes.
        const ROUGH: f64 = 1e-5;
        let signal = answers.signal(self.variance.max(0.0));
        let z = self.difference().abs() / (answers.noise() * (1.0 + signal).sqrt());
        let Some(halves) = normal::rough_halves(z) else { return self.entropy(answers) };
        let share = signal / (1.0 + signal);
        let taken = |half: usize| -0.5 * halves.probabilities[half] * (-share * halves.shrinkages[half]).ln_1p();
        (taken(0) + taken(1)) * (1.0 + ROUGH * (1.0 + z).powi(2))
    }
}

impl PairBelief {
    /// An upper bound on the entropy with ties of every pair at least this far apart, with at most this variance.
    ///
    /// No answer tells more than a plain measurement. One that is no tie tells no more than without ties about two items that are
    /// nearer by the tie width. The probability of a tie is at most that of a normal variable beyond the distance from there, and at
    /// most the width of ties times the largest density at that distance.
    fn entropy_beyond_ties(&self, answers: &Answers) -> f64 {
        let signal = answers.signal(self.variance.max(0.0));
        let most = 0.5 * signal.ln_1p();
        let distance = self.difference().abs() - answers.tie_width;
        if distance <= 0.0 {
            return most;
        }
        let (least, deviation) = (answers.noise(), answers.noise() * (1.0 + signal).sqrt());
        let densest = distance.clamp(least, deviation);
        let by_density = 2.0 * answers.tie_width / densest * normal::density(distance / densest);
        let tie = normal::at_most_beyond(distance / deviation).probability.min(by_density);
        let nearer = Self { means: [distance, 0.0], ..*self };
        most.min(nearer.entropy_at_most(answers) + tie * most)
    }

    /// An upper bound on the entropy with ties, by the table of halves: none beyond its end.
    ///
    /// Answers that are no ties are halves of a normal variable, cut on either side of the ties. The rest of its probability and of
    /// its moments are those of a tie.
    fn entropy_with_ties(&self, answers: &Answers) -> Option<f64> {
        /// As in [`PairBelief::entropy_at_most`].
        const ROUGH: f64 = 1e-5;
        /// More than the table's error changes the probability of a tie.
        const TIE: f64 = 4e-6;
        /// The share of the variance from which rounding changes less than the table.
        const PLAIN: f64 = 1e-3;
        let signal = answers.signal(self.variance.max(0.0));
        let share = signal / (1.0 + signal);
        let deviation = answers.noise() * (1.0 + signal).sqrt();
        let (z, width) = (self.difference().abs() / deviation, answers.tie_width / deviation);
        let (near, far) = (normal::rough_halves((z - width).abs())?, normal::rough_halves(z + width)?);
        let [near, far] = [(near, usize::from(z < width)), (far, 1)]
            .map(|(halves, side)| (halves.probabilities[side], halves.shrinkages[side]));
        let tie = (1.0 - near.0 - far.0).max(0.0) + TIE;
        let shrinkage = 1.0 - least_variance(z, width, tie, [near, far]);
        // The plain logarithm is faster, and keeps enough digits unless next to nothing is taken.
        let log_left = |taken: f64| if share > PLAIN { (1.0 - taken).ln() } else { (-taken).ln_1p() };
        let taken = |(probability, shrinkage): (f64, f64)| -0.5 * probability * log_left(share * shrinkage);
        let most = taken(near) + taken(far) + taken((tie, shrinkage));
        Some(most * (1.0 + ROUGH * (1.0 + z + width).powi(2)))
    }
}

/// A lower bound on the variance of a standard normal variable that lies within `width` of `z`, with this probability. The parts outside,
/// the nearer to 0 first, have these probabilities and lose these shares of their variance.
fn least_variance(z: f64, width: f64, probability: f64, outside: [(f64, f64); 2]) -> f64 {
    /// Times `((1 + z + width) / probability)²`, more than the table's error changes.
    const ROUGH: f64 = 4e-5;
    let square = width * width;
    // The beginning of the series in the width, whose rest is positive.
    let narrow = square / 3.0 * (1.0 - square * (z * z / 5.0 + 2.0 / 15.0));
    // By the densities at both ends. Of a half that is cut at t, the rate r has r (r - t) = shrinkage, and the density is r times the
    // probability.
    let ends = [width - z, width + z];
    let [near, far] = [0, 1].map(|at| {
        let (probability, shrinkage) = outside[at];
        0.5 * (ends[at] + (ends[at] * ends[at] + 4.0 * shrinkage).sqrt()) * probability
    });
    let mean = (near - far) / probability;
    let wide = 1.0 - (ends[0] * near + ends[1] * far) / probability - mean * mean;
    narrow.max(wide - ROUGH * ((1.0 + z + width) / probability).powi(2)).clamp(0.0, 1.0)
}

/// The expected entropy that an answer takes from a Gaussian with this variance, for the probability and the moments of every answer.
pub(super) fn entropy(variance: f64, answers: impl Iterator<Item = (f64, Moments)>) -> f64 {
    let log_left = |moments: Moments| {
        // If nearly everything is left, only the part taken keeps its digits.
        let taken = variance * moments.curvature;
        if taken < 0.5 { (-taken).ln_1p() } else { moments.left.ln() }
    };
    answers.map(|(probability, moments)| -0.5 * probability * log_left(moments)).sum()
}

/// The possible answers about two items.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    outcomes: Vec<Observation>,
    tie_width: f64,
}

impl Answers {
    pub(super) fn new(model: &AnswerModel) -> Self {
        let (first, second) = (ItemId::new(0), ItemId::new(1));
        // Lapses take the same share from what any answer tells, and would cost the searches their bounds.
        let model = model.attentive();
        let mut outcomes = vec![model.preferred(first, second), model.preferred(second, first)];
        // If ties have no width, they have no probability.
        outcomes.extend(model.tied(first, second));
        Self { outcomes, tie_width: model.tie_width() }
    }

    pub(super) fn have_ties(&self) -> bool {
        self.outcomes.len() > 2
    }

    /// The standard deviation of the noise.
    fn noise(&self) -> f64 {
        self.outcomes[0].noise
    }

    /// A variance in units of the noise's variance.
    pub(super) fn signal(&self, variance: f64) -> f64 {
        variance / self.noise().powi(2)
    }

    /// The probability of every answer to a difference `N(mean, variance)`, and the moments of its effect on the
    /// difference.
    pub(super) fn each(&self, mean: f64, variance: f64) -> impl Iterator<Item = (f64, Moments)> {
        let variance = variance.max(0.0);
        self.outcomes.iter().map(move |one| (one.log_mass(mean, variance).exp(), one.moments(mean, variance)))
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
        for tie_width in [0.0, 0.02, 0.3, 1.0, 5.0] {
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
                        let close = pair(distance, variance).close_bound(strategy, &answers);
                        assert!(at_most(own, close), "{strategy} {distance} {variance}: {own:?} {close:?}");
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

    /// With ties too the bound of a single pair follows the entropy: within a few thousandths where the means are close and ties narrow, so
    /// where most pairs are scored, and within a fifth wherever no answer is a sure thing.
    #[test]
    fn the_close_bound_of_the_entropy_is_close() {
        for tie_width in [0.01, 0.1, 0.3, 0.74, 2.0] {
            let answers = Answers::new(&AnswerModel::new(0.7, tie_width).unwrap());
            for (variance, step) in grid(-4, 4).flat_map(|variance| (0..400).map(move |step| (variance, step))) {
                let distance = 0.02 * f64::from(step);
                let pair = PairBelief { means: [0.0, -distance], variance, weight: 1.0 };
                let surest = answers.each(distance, variance).map(|(probability, _)| probability).fold(0.0, f64::max);
                let (score, _) = pair.score(Strategy::Entropy, &answers);
                let (most, _) = pair.close_bound(Strategy::Entropy, &answers);
                let deviation = answers.noise() * (1.0 + answers.signal(variance)).sqrt();
                let times = match (distance < 1.5 * deviation && tie_width < 0.5 * deviation, surest < 0.99) {
                    (true, _) => 1.003,
                    (false, true) => 1.2,
                    (false, false) => f64::INFINITY,
                };
                assert!(score <= most && most <= times * score, "{tie_width} {distance} {variance}: {score} {most}");
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
                let z = distance / (answers.noise() * (1.0 + answers.signal(variance)).sqrt());
                let times = 1.0 + 2e-5 * (1.0 + z).powi(2);
                assert!(score <= most && most <= times * score, "{distance} {variance}: {score} {most}");
            }
        }
    }
}
