//! The one observation type of all the papers: a sparse linear functional of the utilities, plus noise, fell into an
//! interval. If the judge's attention may lapse, it fell into that interval or into the opposite one. An interval that
//! shrinks to a point is a value that was seen: its density takes the place of a probability.

use std::sync::Arc;

use super::grading::Grading;
use super::judges::Judges;
use super::prior_too_wide;
use super::screens::{Screen, Screens, asides_of};
use super::soft::{Soft, beyond};
use crate::data::{Answer, Functional, ItemId, Outcome};
use crate::numeric::logistic::{LogisticInterval, Mass};
use crate::numeric::normal::{self, Interval, Truncated};
use crate::words::vocabulary;
use crate::{Error, Result};

/// How utilities become answers: the noise of a judge and the width of a tie.
///
/// "i before j" has the likelihood $\Phi((\xi_i - \xi_j - \epsilon)/\lambda)$ with $\lambda = \sqrt 2 \sigma$ (XPGP
/// section 3.2 for $\epsilon = 0$). A tie has the remaining probability, so the three outcomes sum to one. A single
/// item is called good or bad with noise $\sigma$. If the noise is learned, a share of the answers may be turned round: the likelihood
/// is then the mean of that of the answer and that of its opposite, with these weights.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerModel {
    sigma: f64,
    tie_width: f64,
    /// The share of answers that are turned round, whatever the utilities. 0 unless it was learned.
    lapse: f64,
    noise: Noise,
    law: NoiseLaw,
    /// How judges grade single items, if they do. Clones share it.
    grading: Option<Arc<Grading>>,
    /// Whether the first item of every answer stood left.
    pub(super) sides: bool,
    /// How judges differ, once their answers are known. Clones share it.
    pub(super) judges: Option<Arc<Judges>>,
    /// How judges say more than which of two items they prefer, as far as that was learned. Clones share it.
    soft: Option<Arc<Soft>>,
    /// The asides of screens.
    pub(super) screens: Screens,
}

/// Whether the noise is a given number.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
    /// It is.
    Held,
    /// It is learned from the answers. The unit is the deviation of the prior, once that is known.
    Learned {
        unit: Option<f64>,
        /// The width of ties before any answer.
        first_width: f64,
        /// How well the width of ties is known: the deviation of its logarithm.
        width_spread: f64,
        /// The judges that are plausible, as bits.
        plausible: u32,
    },
}

impl Default for AnswerModel {
    /// `lambda = 1` and no ties, as AXPGP prints it.
    fn default() -> Self {
        let (sigma, tie_width) = (std::f64::consts::FRAC_1_SQRT_2, 0.0);
        let (noise, law, screens) = (Noise::Held, NoiseLaw::Normal, Screens::default());
        Self {
            sigma,
            tie_width,
            lapse: 0.0,
            noise,
            law,
            grading: None,
            soft: None,
            sides: false,
            judges: None,
            screens,
        }
    }
}

impl AnswerModel {
    /// A model with this noise and tie width.
    ///
    /// # Errors
    /// If the noise is not positive, its square is out of range, or the tie width is negative.
    pub fn new(sigma: f64, tie_width: f64) -> Result<Self> {
        let wrong = |name: &str, value, expected| Error::Parameter { name: name.into(), value, expected };
        if !(sigma > 0.0 && (sigma * sigma).is_normal() && (2.0 * sigma * sigma).is_finite()) {
            return Err(wrong("noise", sigma, "a positive number whose square is in range"));
        }
        if !(tie_width >= 0.0 && tie_width.is_finite()) {
            return Err(wrong("tie_width", tie_width, "a number that is not negative"));
        }
        Ok(Self { sigma, tie_width, ..Self::default() })
    }

    /// A model whose noise is learned from the answers, with this tie width at the start.
    ///
    /// # Errors
    /// If the tie width is negative.
    pub fn learning(tie_width: f64) -> Result<Self> {
        let noise = Noise::Learned { unit: None, first_width: tie_width, width_spread: 0.0, plausible: u32::MAX };
        Ok(Self { noise, ..Self::new(Self::default().sigma, tie_width)? })
    }

    /// The same model with noise of this law. Its scale on a difference is [`AnswerModel::lambda`]: with 1 a logistic answer
    /// has the probability `1 / (1 + exp(-difference))`.
    #[must_use]
    pub fn with_law(self, law: NoiseLaw) -> Self {
        Self { law, ..self }
    }

    /// The law of the noise.
    pub fn law(&self) -> NoiseLaw {
        self.law
    }

    /// The same model, whose judges grade in this way.
    pub(super) fn with_grading(self, grading: Grading) -> Self {
        Self { grading: Some(Arc::new(grading)), ..self }
    }

    /// The same model, whose judges say more than which item they prefer in this way.
    pub(super) fn with_soft(self, soft: Soft) -> Self {
        Self { soft: Some(Arc::new(soft)), ..self }
    }

    /// How judges say more than which item they prefer, as far as that was learned.
    pub(super) fn soft(&self) -> Option<&Soft> {
        self.soft.as_deref()
    }

    /// The same model, whose judges do not grade.
    pub(crate) fn without_grades(self) -> Self {
        Self { grading: None, ..self }
    }

    /// How judges grade single items; `None` if they do not.
    pub fn grading(&self) -> Option<&Grading> {
        self.grading.as_deref()
    }

    /// Whether something is learned from the answers beside the utilities: the noise, how judges grade, or which side they favour.
    pub fn adapts(&self) -> bool {
        self.learns() || self.grading.is_some() || self.sides
    }

    /// Whether the noise is learned from the answers.
    pub fn learns(&self) -> bool {
        self.noise != Noise::Held
    }

    /// The deviation of the prior, if the noise is learned and the prior is known.
    pub(super) fn unit(&self) -> Option<f64> {
        match self.noise {
            Noise::Held => None,
            Noise::Learned { unit, .. } => unit,
        }
    }

    /// The same model before any answer, whose noise is learned in this unit.
    pub(crate) fn in_unit(self, unit: f64) -> Self {
        let first_width = match self.noise {
            Noise::Held => self.tie_width,
            Noise::Learned { first_width, .. } => first_width,
        };
        let noise = Noise::Learned { unit: Some(unit), first_width, width_spread: 0.0, plausible: u32::MAX };
        Self { noise, tie_width: first_width, lapse: 0.0, soft: None, ..self }
    }

    /// The judges that are plausible, as bits.
    pub(super) fn plausible(&self) -> u32 {
        match self.noise {
            Noise::Held => 0,
            Noise::Learned { plausible, .. } => plausible,
        }
    }

    /// The same model, of whose judges these are plausible.
    pub(super) fn with_plausible(mut self, judges: u32) -> Self {
        if let Noise::Learned { plausible, .. } = &mut self.noise {
            *plausible = judges;
        }
        self
    }

    /// How well the width of ties is known: the deviation of its logarithm. 0 unless it was learned.
    pub(super) fn width_spread(&self) -> f64 {
        match self.noise {
            Noise::Held => 0.0,
            Noise::Learned { width_spread, .. } => width_spread,
        }
    }

    /// The same model, whose width of ties is known so well.
    pub(super) fn with_width_spread(mut self, spread: f64) -> Self {
        if let Noise::Learned { width_spread, .. } = &mut self.noise {
            *width_spread = spread;
        }
        self
    }

    /// The same model with this noise.
    pub(crate) fn with_noise(self, sigma: f64) -> Result<Self> {
        Ok(Self { sigma: Self::new(sigma, self.tie_width)?.sigma, ..self })
    }

    /// The same model in which this share of answers is turned round, below one half.
    pub(super) fn with_lapse(self, lapse: f64) -> Self {
        Self { lapse, ..self }
    }

    /// The same model with this tie width.
    pub(super) fn with_tie_width(self, tie_width: f64) -> Result<Self> {
        Ok(Self { tie_width: Self::new(self.sigma, tie_width)?.tie_width, ..self })
    }

    /// The same model, which begins with this tie width.
    pub(crate) fn beginning_with_tie_width(mut self, tie_width: f64) -> Result<Self> {
        self = self.with_tie_width(tie_width)?;
        if let Noise::Learned { first_width, .. } = &mut self.noise {
            *first_width = tie_width;
        }
        Ok(self)
    }

    /// The standard deviation of the noise on one utility, `sigma`.
    pub fn noise(&self) -> f64 {
        self.sigma
    }

    /// The same model without lapses.
    pub(crate) fn attentive(&self) -> Self {
        Self { lapse: 0.0, ..self.clone() }
    }

    /// The share of answers that are turned round, whatever the utilities: an attention that lapses. 0 unless the noise is learned.
    pub fn lapse(&self) -> f64 {
        self.lapse
    }

    /// The standard deviation of the noise on a difference, `lambda = √2 sigma`.
    pub fn lambda(&self) -> f64 {
        std::f64::consts::SQRT_2 * self.sigma
    }

    /// Differences that seem smaller than this are a tie. 0 if a judge always decides.
    pub fn tie_width(&self) -> f64 {
        self.tie_width
    }

    /// The observation that the winner was preferred to the loser.
    pub fn preferred(&self, winner: ItemId, loser: ItemId) -> Observation {
        self.difference(winner, loser, self.tie_width, f64::INFINITY)
    }

    /// The observation that neither item was preferred.
    ///
    /// # Errors
    /// If the tie width is 0, so that ties have no probability.
    pub fn tied(&self, first: ItemId, second: ItemId) -> Result<Observation> {
        if self.tie_width == 0.0 {
            return Err(Error::Parameter {
                name: "tie_width".into(),
                value: 0.0,
                expected: "a positive width, since there are ties among the answers (set tie_width under [answers])",
            });
        }
        Ok(self.difference(first, second, -self.tie_width, self.tie_width))
    }

    /// The observation that the item was called good: its noisy utility is above 0.
    pub fn good(&self, item: ItemId) -> Observation {
        self.single(item, 0.0, f64::INFINITY)
    }

    /// The observation that the item was called bad: its noisy utility is below 0.
    pub fn bad(&self, item: ItemId) -> Observation {
        self.single(item, f64::NEG_INFINITY, 0.0)
    }

    /// The observation that the item's noisy utility was this value (COR section 2.3, GPR).
    pub fn valued(&self, item: ItemId, value: f64) -> Observation {
        Observation { lapse: 0.0, law: NoiseLaw::Normal, ..self.single(item, value, value) }
    }

    /// The observation that the item got the grade between these thresholds of the noisy utility.
    ///
    /// # Errors
    /// If the thresholds do not ascend.
    pub fn graded(&self, item: ItemId, low: f64, high: f64) -> Result<Observation> {
        if low < high {
            // A grade has no opposite.
            return Ok(Observation { lapse: 0.0, ..self.single(item, low, high) });
        }
        let found = format!("{low} and {high}");
        Err(Error::Data { what: "the thresholds of a grade", found, expected: "two numbers that ascend".into() })
    }

    /// The observation that a judge gave the item this grade.
    fn grade(&self, item: ItemId, grade: i32, judge: Option<&str>) -> Result<Observation> {
        let Some(grading) = self.grading() else {
            let expected = "a model with a scale of grades (AnswerModel::with_grades, or [grades] in a project)".into();
            return Err(Error::Data { what: "an answer", found: format!("grade {grade}"), expected });
        };
        let (low, high) = grading.ends(grade, judge)?;
        // Beside a prior mean that is far larger, thresholds may be equal but for rounding.
        if low < high { Ok(Observation::between(item, low, high, grading.noise())) } else { Err(prior_too_wide()) }
    }

    /// The observations that an answer makes: none if it was skipped, and of votes one of each kind with its count.
    ///
    /// # Errors
    /// If the answer is a tie and the tie width is 0, or a grade that is not on the scale.
    pub fn observe(&self, answer: &Answer) -> Result<impl Iterator<Item = Observation> + std::fmt::Debug + use<>> {
        self.observe_after(answer, self.taken_by_screens())
    }

    /// As [`AnswerModel::observe`], after screens that take so many asides.
    fn observe_after(
        &self,
        answer: &Answer,
        taken: usize,
    ) -> Result<impl Iterator<Item = Observation> + std::fmt::Debug + use<>> {
        let observed = self.observe_of_any(answer)?.map(|one| one.map(|observation| self.heard(observation, answer)));
        Ok(observed.into_iter().flatten().chain(self.observe_screen(answer, taken)?))
    }

    /// The observations that an answer makes if nothing is known of its judge but how he grades and states probabilities.
    fn observe_of_any(&self, answer: &Answer) -> Result<[Option<Observation>; 3]> {
        let (first, judge) = (answer.first, answer.judge.as_deref());
        let one = match (answer.outcome, answer.second) {
            (Outcome::First, Some(second)) => Some(self.preferred(first, second)),
            (Outcome::Second, Some(second)) => Some(self.preferred(second, first)),
            (Outcome::Tie, Some(second)) => Some(self.tied(first, second)?),
            (Outcome::FirstWeakly, Some(second)) => Some(self.slightly_preferred(first, second)),
            (Outcome::SecondWeakly, Some(second)) => Some(self.slightly_preferred(second, first)),
            (Outcome::FirstStrongly, Some(second)) => Some(self.strongly_preferred(first, second)),
            (Outcome::SecondStrongly, Some(second)) => Some(self.strongly_preferred(second, first)),
            (Outcome::Probability(share), Some(second)) => Some(self.stated(first, second, share, judge)),
            (Outcome::Votes(votes), Some(second)) => {
                return self.counted(first, second, votes);
            }
            (Outcome::Good, _) => Some(self.good(first)),
            (Outcome::Bad, _) => Some(self.bad(first)),
            (Outcome::Grade(grade), _) => Some(self.grade(first, grade, judge)?),
            // No answer is of two items without a second one, and a screen is observed by itself.
            (Outcome::Skip | Outcome::Best | Outcome::Order, _) | (_, None) => None,
        };
        Ok([one, None, None])
    }

    /// The observations that a list of answers makes, with which a belief begins. Skips are left out.
    ///
    /// # Errors
    /// As [`AnswerModel::observe`].
    pub fn observe_all<'a>(&self, answers: impl IntoIterator<Item = &'a Answer>) -> Result<Vec<Observation>> {
        self.observe_from(0, answers)
    }

    /// The observations that a list of further answers makes.
    ///
    /// # Errors
    /// As [`AnswerModel::observe`].
    pub(crate) fn observe_more<'a>(&self, answers: impl IntoIterator<Item = &'a Answer>) -> Result<Vec<Observation>> {
        self.observe_from(self.taken_by_screens(), answers)
    }

    fn observe_from<'a>(
        &self,
        mut taken: usize,
        answers: impl IntoIterator<Item = &'a Answer>,
    ) -> Result<Vec<Observation>> {
        let answers = answers.into_iter();
        let mut out = Vec::with_capacity(answers.size_hint().0);
        for answer in answers {
            out.extend(self.observe_after(answer, taken)?);
            taken += asides_of(answer);
        }
        Ok(out)
    }

    /// The probabilities that the first item is preferred and of a tie, for a difference of utilities that is Gaussian
    /// with this mean and variance (XPGP section 4.2).
    pub fn outcome_probabilities(&self, mean: f64, variance: f64) -> (f64, f64) {
        let between = |low: f64, high: f64| {
            let observed = self.difference(ItemId(0), ItemId(1), low, high);
            observed.log_mass_meant(mean, variance).exp()
        };
        let first = match self.law {
            NoiseLaw::Normal => normal::cdf((mean - self.tie_width) / (self.lambda().powi(2) + variance).sqrt()),
            NoiseLaw::Logistic => between(self.tie_width, f64::INFINITY),
        };
        // Rounding may leave a hair above what the first item leaves, where a tie is certain.
        let tied = || between(-self.tie_width, self.tie_width).min(1.0 - first);
        let tie = if self.tie_width > 0.0 { tied() } else { 0.0 };
        // A tie that is turned round is a tie.
        let second = 1.0 - first - tie;
        (first + self.lapse * (second - first), tie)
    }

    fn single(&self, item: ItemId, low: f64, high: f64) -> Observation {
        let (noise, lapse) = (self.sigma, self.lapse);
        let (functional, law) = (Functional::Item(item.0), self.law);
        Observation { functional, low, high, noise, law, lapse, ..Observation::NOTHING }
    }

    /// The difference of two items in its standard form, smaller item first, so that equal axes compare equal.
    pub(super) fn difference(&self, first: ItemId, second: ItemId, low: f64, high: f64) -> Observation {
        let (functional, low, high) = if first < second {
            (Functional::Difference(first.0, second.0), low, high)
        } else {
            (Functional::Difference(second.0, first.0), -high, -low)
        };
        let (noise, law, lapse) = (self.lambda(), self.law, self.lapse);
        Observation { functional, low, high, noise, law, lapse, ..Observation::NOTHING }
    }
}

/// The law of the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NoiseLaw {
    /// Gaussian: answers are probits.
    #[default]
    Normal,
    /// Logistic: answers are as in Bradley and Terry's model, RankNet and COR section 5.
    Logistic,
}

vocabulary! { NoiseLaw, "law of noise";
    Normal = "normal", "answers by the normal distribution";
    Logistic = "logistic", "answers by the logistic function, as in Bradley and Terry's model";
}

/// A functional of the utilities plus noise lay between `low` and `high`, or was exactly `low` if they are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The functional.
    pub functional: Functional,
    /// The lower end, which may be minus infinity.
    pub low: f64,
    /// The upper end, which may be infinity.
    pub high: f64,
    /// The standard deviation of Gaussian noise, or the scale of logistic noise; positive.
    pub noise: f64,
    /// The law of the noise. An answer with logistic noise is no lapse.
    pub law: NoiseLaw,
    /// The probability, below one half, that the answer was turned round.
    pub lapse: f64,
    /// The value of the functional that favours neither answer, about which an answer is turned round: 0, unless utilities are counted
    /// from a prior mean.
    pub middle: f64,
    /// The probability, below 1, that the judge did not heed the question, so that the answer says nothing.
    pub heedless: f64,
    /// The probability of the answer if he did not.
    pub blindly: f64,
    /// How far the threshold of strong preferences is above the width of ties, if it is one of the ends; else 0.
    pub gap: f64,
    /// The unit in which a value was read: its density is per unit. 1 for intervals.
    pub unit: f64,
    /// How often this was said, at least once. Probabilities and moments are those of one.
    pub count: u32,
    /// The screen whose first comparison it is, if it is one.
    pub screen: Option<Screen>,
}

/// The effect of an observation on a Gaussian `N(mean, variance)` of its functional: the first two derivatives of its
/// log probability Z in the mean. They give the moments of the tilted distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// `d log Z / d mean`: the mean moves by `variance * slope`.
    pub slope: f64,
    /// `-d² log Z / d mean²`, or 0 where that is negative because the answer may be a lapse: the variance falls by `variance² * curvature`.
    pub curvature: f64,
    /// `1 - variance * curvature`, positive: the fraction of the variance that is left.
    pub left: f64,
}

/// The derivatives of an observation's log probability by what it is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slopes {
    pub low: f64,
    pub high: f64,
    pub noise: f64,
}

impl Observation {
    /// An observation that says nothing: what others differ from.
    pub const NOTHING: Self = Self {
        functional: Functional::Item(0),
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        noise: 1.0,
        law: NoiseLaw::Normal,
        lapse: 0.0,
        middle: 0.0,
        heedless: 0.0,
        blindly: 0.5,
        gap: 0.0,
        unit: 1.0,
        count: 1,
        screen: None,
    };

    /// An item's utility plus normal noise lay between these two.
    pub(super) fn between(item: ItemId, low: f64, high: f64, noise: f64) -> Self {
        let (functional, law) = (Functional::Item(item.0), NoiseLaw::Normal);
        Self { functional, low, high, noise, law, ..Self::NOTHING }
    }

    /// The moments under a Gaussian of the functional (AXPGP eqs. 14-21 in scalar form).
    #[inline]
    pub fn moments(&self, mean: f64, variance: f64) -> Moments {
        if !self.may_mislead() {
            return self.as_meant(mean, variance);
        }
        let heeded =
            if self.may_be_turned() { self.perhaps_turned(mean, variance) } else { self.as_meant(mean, variance) };
        let mixed = if self.heedless > 0.0 { self.perhaps_blind(heeded, mean, variance) } else { heeded };
        if mixed.curvature <= 0.0 { Moments { curvature: 0.0, left: 1.0, ..mixed } } else { mixed }
    }

    /// The moments if the answer was no lapse.
    #[inline]
    fn as_meant(&self, mean: f64, variance: f64) -> Moments {
        if self.law == NoiseLaw::Logistic {
            let Mass { slope, curvature, left, .. } = self.logistic().mass(mean, variance);
            return Moments { slope, curvature, left };
        }
        let sd = self.sd(variance);
        if self.is_value() {
            let precision = 1.0 / (sd * sd);
            return Moments {
                slope: (self.low - mean) * precision,
                curvature: precision,
                left: self.noise * self.noise * precision,
            };
        }
        let Truncated { mean: shift, variance: spread, shrinkage } = self.interval(mean, sd).moments();
        // Where a narrow interval leaves almost no variance, 1 - variance * curvature would round to 0 or below.
        let left = (self.noise * self.noise + variance * spread) / (sd * sd);
        Moments { slope: shift / sd, curvature: shrinkage / (sd * sd), left }
    }

    /// The moments of `Z = (1 - lapse) p + lapse q`, where p is the probability of the answer and q that of the answer turned round.
    /// With the share r of Z that was meant, the slope is the mean of the two slopes, and the curvature that of the two curvatures less
    /// `r (1 - r)` times the squared difference of the slopes.
    fn perhaps_turned(&self, mean: f64, variance: f64) -> Moments {
        let (meant, turned) = (self.as_meant(mean, variance), self.turned().as_meant(mean, variance));
        let (log_meant, log_turned) = self.log_masses(mean, variance);
        let share = 1.0 / (1.0 + (log_turned - log_meant).exp());
        let average = |one: f64, other: f64| share * one + (1.0 - share) * other;
        let doubt = share * (1.0 - share) * (meant.slope - turned.slope).powi(2);
        let slope = average(meant.slope, turned.slope);
        let curvature = average(meant.curvature, turned.curvature) - doubt;
        Moments { slope, curvature, left: average(meant.left, turned.left) + variance * doubt }
    }

    /// The moments of `Z = (1 - heedless) p + heedless blindly`, from those of p. With the share r of Z that was heeded, the slope is r
    /// times that of p, and the curvature r times that of p, less `r (1 - r)` times the square of its slope.
    fn perhaps_blind(&self, heeded: Moments, mean: f64, variance: f64) -> Moments {
        let share = self.heeded_share(mean, variance);
        let doubt = share * (1.0 - share) * heeded.slope.powi(2);
        Moments {
            slope: share * heeded.slope,
            curvature: share * heeded.curvature - doubt,
            left: share * heeded.left + (1.0 - share) + variance * doubt,
        }
    }

    /// The part of the probability that is of heeding the question.
    fn heeded_share(&self, mean: f64, variance: f64) -> f64 {
        let odds = self.heedless / (1.0 - self.heedless) * self.blindly;
        1.0 / (1.0 + odds * (-self.log_mass_heeded(mean, variance)).exp())
    }

    /// The logarithms of the two parts of the probability: that of the answer and that of the answer turned round.
    fn log_masses(&self, mean: f64, variance: f64) -> (f64, f64) {
        let part = |share: f64, own: &Self| share.ln() + own.log_mass_meant(mean, variance);
        (part(1.0 - self.lapse, self), part(self.lapse, &self.turned()))
    }

    /// The derivatives of the log probability by the ends and the noise, for an interval with normal noise. If the answer may be a
    /// lapse, they are the mean of both answers', by their shares of the probability; the ends of the opposite answer are twice the
    /// middle less the other end.
    pub(super) fn slopes(&self, mean: f64, variance: f64) -> Slopes {
        let heeded = self.slopes_heeded(mean, variance);
        if self.heedless == 0.0 {
            return heeded;
        }
        let share = self.heeded_share(mean, variance);
        Slopes { low: share * heeded.low, high: share * heeded.high, noise: share * heeded.noise }
    }

    /// The slopes if the judge heeded the question.
    fn slopes_heeded(&self, mean: f64, variance: f64) -> Slopes {
        let meant = self.slopes_meant(mean, variance);
        if !self.may_be_turned() {
            return meant;
        }
        let turned = self.turned().slopes_meant(mean, variance);
        let (log_meant, log_turned) = self.log_masses(mean, variance);
        let share = 1.0 / (1.0 + (log_turned - log_meant).exp());
        let average = |one: f64, other: f64| share * one + (1.0 - share) * other;
        Slopes {
            low: average(meant.low, -turned.high),
            high: average(meant.high, -turned.low),
            noise: average(meant.noise, turned.noise),
        }
    }

    /// The slopes if the answer was no lapse. By the heat equation, `dZ / d sd² = ½ d²Z / d mean²`. The slope by a value stands in
    /// place of that by the lower end.
    fn slopes_meant(&self, mean: f64, variance: f64) -> Slopes {
        if self.is_value() {
            let Moments { slope, curvature, .. } = self.as_meant(mean, variance);
            return Slopes { low: -slope, high: 0.0, noise: self.noise * (slope * slope - curvature) };
        }
        let (sd, log_mass) = (self.sd(variance), self.log_mass_meant(mean, variance));
        // The density at an end over the mass between: 0 at infinite ends.
        let edge = |end: f64| {
            let z = (end - mean) / sd;
            (-0.5 * z * z - log_mass).exp() / (std::f64::consts::TAU.sqrt() * sd)
        };
        let Moments { slope, curvature, .. } = self.as_meant(mean, variance);
        Slopes { low: -edge(self.low), high: edge(self.high), noise: self.noise * (slope * slope - curvature) }
    }

    /// The logarithm of the probability if the answer was no lapse; of the density for a value.
    fn log_mass_meant(&self, mean: f64, variance: f64) -> f64 {
        if self.law == NoiseLaw::Logistic {
            return self.logistic().mass(mean, variance).log;
        }
        let sd = self.sd(variance);
        if self.is_value() {
            let off = (self.low - mean) / sd;
            return -0.5 * off * off - sd.ln() - 0.5 * std::f64::consts::TAU.ln() + self.unit.ln();
        }
        self.interval(mean, sd).log_mass()
    }

    /// The same by somebody whose thresholds are so many times as far from the middle.
    pub(super) fn with_width_times(self, scale: f64) -> Self {
        if scale == 1.0 || self.is_value() {
            return self;
        }
        let end = |end: f64| self.middle + scale * (end - self.middle);
        Self { low: end(self.low), high: end(self.high), gap: scale * self.gap, ..self }
    }

    /// Whether the functional plus noise was seen itself.
    pub(super) fn is_value(&self) -> bool {
        self.low == self.high
    }

    fn logistic(&self) -> LogisticInterval {
        LogisticInterval { low: self.low, high: self.high, scale: self.noise }
    }

    /// Whether the answer may be a lapse. A tie turned round is the same tie.
    pub(super) fn may_be_turned(&self) -> bool {
        self.lapse > 0.0 && !(self.has_two_ends() && self.low < self.middle && self.middle < self.high)
    }

    /// Whether the answer may say something else than it seems to, so that its likelihood need not be log-concave.
    pub(super) fn may_mislead(&self) -> bool {
        self.may_be_turned() || self.heedless > 0.0
    }

    /// Whether the judge may answer carelessly now and then, or always.
    pub(super) fn may_lapse(&self) -> bool {
        self.lapse > 0.0 || self.heedless > 0.0
    }

    /// Whether it lies between two ends: a tie, a weak preference or a grade.
    pub(super) fn has_two_ends(&self) -> bool {
        self.low.is_finite() && self.high.is_finite() && !self.is_value()
    }

    /// The logarithm of the largest probability, or density, that this can have.
    pub(super) fn log_most(&self) -> f64 {
        if self.is_value() { (self.unit / (self.noise * std::f64::consts::TAU.sqrt())).ln() } else { self.log_share() }
    }

    /// The logarithm of what the probability of a screen counts more than the product of its comparisons; 0 for all else.
    fn log_share(&self) -> f64 {
        let turned = (1.0 - self.heedless) * self.lapse + 0.5 * self.heedless;
        self.screen.map_or(0.0, |screen| screen.log_share(turned))
    }

    /// The logarithm of its probability if the judge does not look.
    pub(super) fn log_blind(&self) -> f64 {
        self.blindly.ln() + self.screen.map_or(0.0, |screen| screen.log_share(0.5))
    }

    /// Whether it is a tie of two items, not a grade.
    pub(super) fn is_tie_of_two(&self) -> bool {
        self.has_two_ends() && self.low < self.middle && self.middle < self.high && self.has_width()
    }

    /// Whether it shares noise with other comparisons.
    pub(super) fn is_on_screen(&self) -> bool {
        matches!(self.functional, Functional::OnScreen(..))
    }

    /// Whether its finite ends are the width of a tie or that of strong preferences, or minus those: it compares two items.
    fn has_width(&self) -> bool {
        self.functional.compares() && !self.is_value() && !self.is_on_screen()
    }

    /// The same answer under another width of ties. The threshold of strong preferences is as far beyond it as before.
    pub(super) fn with_tie_width(&self, width: f64) -> Self {
        if !self.has_width() {
            return *self;
        }
        let is_threshold =
            |end: f64| self.gap > 0.0 && (!self.has_two_ends() || end.abs() == self.low.abs().max(self.high.abs()));
        let end = |end: f64| match end {
            _ if !end.is_finite() => end,
            _ if is_threshold(end) => beyond(width, self.gap).copysign(end),
            _ => width.copysign(end),
        };
        Self { low: end(self.low), high: end(self.high), ..*self }
    }

    /// The derivative of the log probability by the width of ties, from those by the ends. Strong preferences move with it.
    pub(super) fn by_tie_width(&self, slopes: &Slopes) -> f64 {
        let end = |end: f64, slope: f64| if end.is_finite() { slope * 1.0_f64.copysign(end) } else { 0.0 };
        if self.has_width() { end(self.low, slopes.low) + end(self.high, slopes.high) } else { 0.0 }
    }

    /// The opposite answer.
    fn turned(&self) -> Self {
        let about = |end: f64| 2.0 * self.middle - end;
        Self { low: about(self.high), high: about(self.low), ..*self }
    }

    /// The probability of the observation if this is the functional's value, relative to the largest that it can have, to 1e-4. Lapses
    /// keep it from being small, except for ties.
    #[inline]
    pub(super) fn relative_mass(&self, value: f64) -> f64 {
        let heeded = self.relative_mass_heeded(value);
        if self.heedless == 0.0 {
            return heeded;
        }
        let meant = if self.may_be_turned() { 1.0 - self.lapse } else { 1.0 };
        let blind = self.heedless / (1.0 - self.heedless) * self.blindly / meant;
        (heeded + blind) / (1.0 + blind)
    }

    /// The same if the judge heeded the question.
    #[inline]
    fn relative_mass_heeded(&self, value: f64) -> f64 {
        /// Smaller differences of rough numbers are too rough.
        const SMALL: f64 = 0.02;
        /// Deviations beyond which a rough tail is nothing.
        const CERTAIN: f64 = 5.7;
        let Self { low, high, noise, lapse, middle, .. } = *self;
        if self.is_value() {
            return (-0.5 * ((low - value) / noise).powi(2)).exp();
        }
        if self.law == NoiseLaw::Logistic {
            let turned = if self.may_be_turned() { self.turned().logistic().log_likelihood(value).exp() } else { 0.0 };
            return self.logistic().log_likelihood(value).exp() + lapse / (1.0 - lapse) * turned;
        }
        if self.has_two_ends() {
            let within = |one: &Self| {
                let mass = normal::rough_cdf((one.high - value) / noise) - normal::rough_cdf((one.low - value) / noise);
                if mass > SMALL { mass } else { one.interval(value, noise).log_mass().exp() }
            };
            let turned = if self.may_be_turned() { lapse / (1.0 - lapse) * within(&self.turned()) } else { 0.0 };
            return within(self) + turned;
        }
        let (inside, width) = if low.is_finite() { (value - low, low - middle) } else { (high - value, middle - high) };
        let (odds, opposite) = (lapse / (1.0 - lapse), -(inside + 2.0 * width));
        if opposite > CERTAIN * noise {
            return odds;
        }
        let meant = normal::rough_cdf(inside / noise);
        let turned = if width == 0.0 { 1.0 - meant } else { normal::rough_cdf(opposite / noise) };
        meant + odds * turned
    }

    /// Fails unless the observation is about some of so many items and says something that can be.
    pub(crate) fn check(&self, items: usize) -> Result<()> {
        let Self { low, high, noise, unit, count, .. } = self;
        let known = self.functional.items().all(|item| (item as usize) < items);
        let value = self.is_value() && low.is_finite() && self.law == NoiseLaw::Normal && self.heedless == 0.0;
        let measured = *unit > 0.0 && unit.is_finite() && *count > 0;
        if known && measured && (low < high || value) && *noise > 0.0 && noise.is_finite() {
            return Ok(());
        }
        Err(Error::Data {
            what: "an observation",
            found: format!("{:?} between {low} and {high} with noise {noise}", self.functional),
            expected: format!("items below {items}, ends that ascend and positive noise"),
        })
    }

    /// The log probability of the observation under a Gaussian of the functional, `log Z` (AXPGP eq. 14).
    pub fn log_mass(&self, mean: f64, variance: f64) -> f64 {
        let own = self.log_mass_of_own(mean, variance);
        if self.screen.is_some() { own + self.log_share() } else { own }
    }

    /// The same without what a screen counts more.
    fn log_mass_of_own(&self, mean: f64, variance: f64) -> f64 {
        let heeded = self.log_mass_heeded(mean, variance);
        if self.heedless == 0.0 {
            return heeded;
        }
        let (heeded, blind) = ((-self.heedless).ln_1p() + heeded, (self.heedless * self.blindly).ln());
        heeded.max(blind) + (-(heeded - blind).abs()).exp().ln_1p()
    }

    /// The log probability if the judge heeded the question.
    fn log_mass_heeded(&self, mean: f64, variance: f64) -> f64 {
        if !self.may_be_turned() {
            return self.log_mass_meant(mean, variance);
        }
        let (meant, turned) = self.log_masses(mean, variance);
        meant.max(turned) + (-(meant - turned).abs()).exp().ln_1p()
    }

    fn interval(&self, mean: f64, sd: f64) -> Interval {
        Interval::standardized(self.low, self.high, mean, sd)
    }

    /// The standard deviation of the functional with its noise.
    fn sd(&self, variance: f64) -> f64 {
        (self.noise * self.noise + variance).sqrt()
    }
}
