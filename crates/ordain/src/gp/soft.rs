//! Soft answers: how much an item is preferred, and with what probability.
//!
//! Let $d$ be the difference of two utilities, $\lambda$ the noise on it, $w$ the width of ties.
//!
//! | answer | says | likelihood |
//! |---|---|---|
//! | `first` | $w < d + \lambda e$ | $\Phi((d - w)/\lambda)$ |
//! | `first>` | $w < d + \lambda e < s$ | $\Phi((s - d)/\lambda) - \Phi((w - d)/\lambda)$ |
//! | `first>>` | $s < d + \lambda e$ | $\Phi((d - s)/\lambda)$ |
//! | `first:p` | $z = d/(\lambda T) + e'$ with $z = \Phi^{-1}(p)$, $e' \sim N(0, \omega^2)$ | $N(z;\; d/(\lambda T),\; \omega^2)$ |
//! | `7:3` | seven answers `first`, three `second` | the product of their likelihoods |
//!
//! **Strength.** `first>` and `first>>` share what `first` says, at a threshold $s > w$.
//!
//! **Probability.** A judge feels the difference in units of the noise, which a second look would have, divides it by his temperature
//! $T$, and states the normal law of it: with $T = 1$ and $\omega = 0$, just the share of such answers that would prefer the first
//! item. $T < 1$ overstates, $T > 1$ understates. The reading is a value $\lambda T z$ of $d$ with the noise $\lambda T \omega$. Its
//! density by z is that by the value times $\lambda T$: without this factor a judge would be the more probable the smaller his
//! $\lambda T$. One half is a value too: the judge finds both alike. A reading is no lapse; a judge who states at random has a
//! large $\omega$.
//!
//! **Learned** with the noise, and after as many answers: the gap $s - w$; the scale $\tau = \lambda T$ and $\omega$, which judges
//! share more or less as thresholds of grades are shared ([`super::grading`]). They maximise EP's evidence of all answers times a
//! log-normal prior: of the gap around the one at which the prior of utilities gives weak and strong answers their shares, of T
//! around 1, of $\omega$ around one half, of a judge's own $\tau$ and $\omega$ around the shared ones. The grid of noises holds
//! $\tau$ and so moves T, whose prior then counts: readings and other answers tell of the noise only through it. Strengths tell the
//! ratios of $\lambda$, $w$ and $s$ much better than their size, and one after the other they would hardly move. So where there are
//! strengths, a common factor of $\lambda$ and $w$ is climbed together with the gap, under the prior that the noise has.
//!
//! **Held** noise holds these too: $s = w + \lambda$, $T = 1$, $\omega = \tfrac12$.

use std::collections::BTreeMap;

use super::ep::{EpParams, Evidence};
use super::noise::Fit;
use super::observation::Slopes;
use super::{AnswerModel, NoiseLaw, Observation};
use crate::data::{Answer, ItemId, Outcome, Probability, Votes};
use crate::numeric::normal::{cdf, quantile};
use crate::numeric::optimise::Lbfgs;
use crate::{Error, Result};

/// The noise of a stated probability, in probits: one of .8 may as well be .63 or .91.
const SPREAD: f64 = 0.5;

/// The median of a normal difference of two utilities, in deviations of one. The gap before any strength was heard, so that one in two
/// preferences is strong.
const GAP: f64 = 0.953_872_552_408_939_8;

/// The deviations of the logarithms of the gap, of the temperature and of the noise of a stated probability: factors of 2.7.
const PRIOR_SPREAD: f64 = 1.0;

/// The deviation of the logarithm of a judge's own temperature, and of his noise, around the shared one.
const OWN_SPREAD: f64 = 0.5;

/// How often the noise and this are found in turn. They tell of each other only through the prior of the temperature.
const TURNS: usize = 2;

/// How judges say more than which of two items they prefer, as far as that was learned.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Soft {
    /// How far the threshold of strong preferences is above the width of ties.
    gap: Option<f64>,
    readings: Option<Readings>,
}

/// How judges state probabilities.
#[derive(Debug, Clone, PartialEq)]
struct Readings {
    shared: Reading,
    /// Those of judges with a name.
    judges: BTreeMap<String, Reading>,
}

/// How a judge states probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The difference of utilities that is one probit: `λ T`.
    pub scale: f64,
    /// The noise of the probit, `ω`.
    pub spread: f64,
}

/// The threshold of strong preferences: so far above the width of ties, and not lost in rounding.
pub(super) fn beyond(width: f64, gap: f64) -> f64 {
    (width + gap).max(width.next_up())
}

impl AnswerModel {
    /// The observation that the winner was preferred only just: the noisy difference is above the width of ties, and below that of
    /// strong preferences ([`AnswerModel::strong_width`]).
    pub fn slightly_preferred(&self, winner: ItemId, loser: ItemId) -> Observation {
        Observation { gap: self.gap(), ..self.difference(winner, loser, self.tie_width(), self.strong_width()) }
    }

    /// The observation that the winner was much preferred.
    pub fn strongly_preferred(&self, winner: ItemId, loser: ItemId) -> Observation {
        Observation { gap: self.gap(), ..self.difference(winner, loser, self.strong_width(), f64::INFINITY) }
    }

    /// The observation that a judge gave this probability that the first item is preferred: the difference, with noise `λ T ω`, was
    /// `λ T z`, where z is the probit of the probability and [`AnswerModel::reading`] gives the rest. Its density is that of z.
    pub fn stated(&self, first: ItemId, second: ItemId, probability: Probability, judge: Option<&str>) -> Observation {
        let reading = self.reading(judge);
        let value = reading.scale * self.link(probability);
        let observed = self.difference(first, second, value, value);
        Observation {
            noise: reading.scale * reading.spread,
            law: NoiseLaw::Normal,
            lapse: 0.0,
            unit: reading.scale,
            ..observed
        }
    }

    /// The difference, in units of the noise, at which the first item has this probability: the probit, or for logistic noise the
    /// logit.
    fn link(&self, probability: Probability) -> f64 {
        let [own, other] = [probability.value(), probability.opposite().value()];
        match self.law() {
            // From the side where nothing cancels.
            NoiseLaw::Normal if own <= other => quantile(own),
            NoiseLaw::Normal => -quantile(other),
            NoiseLaw::Logistic => (own / other).ln(),
        }
    }

    /// The observations that votes make: at most one of each kind, with its count.
    pub(super) fn counted(&self, first: ItemId, second: ItemId, votes: Votes) -> Result<[Option<Observation>; 3]> {
        let often = |observation: Observation, count: u32| (count > 0).then_some(Observation { count, ..observation });
        let tied = if votes.tie() > 0 { often(self.tied(first, second)?, votes.tie()) } else { None };
        let preferred =
            [often(self.preferred(first, second), votes.first()), often(self.preferred(second, first), votes.second())];
        Ok([preferred[0], tied, preferred[1]])
    }

    /// Differences, noise included, that are larger than this are a strong preference. It is above the width of ties.
    pub fn strong_width(&self) -> f64 {
        beyond(self.tie_width(), self.gap())
    }

    /// How far the threshold of strong preferences is above the width of ties.
    pub(super) fn gap(&self) -> f64 {
        let before = || self.unit().map_or(self.lambda(), |unit| GAP * unit);
        self.soft().and_then(|soft| soft.gap).unwrap_or_else(before)
    }

    /// How a judge states probabilities. Judges who stated none do as the others do.
    pub fn reading(&self, judge: Option<&str>) -> Reading {
        match self.soft().and_then(|soft| soft.readings.as_ref()) {
            Some(readings) => *judge.and_then(|judge| readings.judges.get(judge)).unwrap_or(&readings.shared),
            // The scale at which probabilities of items that nobody compared are probits of deviation 1.
            None => Reading {
                scale: self.unit().map_or(self.lambda(), |unit| std::f64::consts::SQRT_2 * unit),
                spread: SPREAD,
            },
        }
    }

    /// The temperature of a judge's probabilities, `T`: 1 if they are the shares of such answers, below 1 if they are too near to 0 and
    /// 1.
    pub fn temperature(&self, judge: Option<&str>) -> f64 {
        self.reading(judge).scale / self.lambda()
    }

    /// The logarithm of the prior's density of the shared temperature, up to a constant; 0 where nobody stated a probability.
    pub(super) fn log_prior_of_temperature(&self) -> f64 {
        if self.soft().is_none_or(|soft| soft.readings.is_none()) {
            return 0.0;
        }
        let off = self.temperature(None).ln() / PRIOR_SPREAD;
        -0.5 * off * off
    }
}

/// The strengths and probabilities among some answers.
#[derive(Debug, Clone, Default, PartialEq)]
struct Heard {
    weak: f64,
    strong: f64,
    stated: f64,
    /// The sum of the squares of the probits.
    squares: f64,
    /// The judges with a name who stated probabilities, in order.
    names: Vec<String>,
}

impl Heard {
    fn of(model: &AnswerModel, answers: &[&Answer]) -> Self {
        let mut out = Self::default();
        for answer in answers {
            match answer.outcome {
                Outcome::FirstWeakly | Outcome::SecondWeakly => out.weak += 1.0,
                Outcome::FirstStrongly | Outcome::SecondStrongly => out.strong += 1.0,
                Outcome::Probability(share) => {
                    out.stated += 1.0;
                    out.squares += model.link(share).powi(2);
                    out.names.extend(answer.judge.clone());
                }
                _ => {}
            }
        }
        out.names.sort_unstable();
        out.names.dedup();
        out
    }

    fn has_strengths(&self) -> bool {
        self.weak + self.strong > 0.0
    }

    fn has_readings(&self) -> bool {
        self.stated > 0.0
    }

    /// The gap at which differences of this deviation give strong preferences their share, with one more of either kind.
    fn gap(&self, width: f64, deviation: f64) -> f64 {
        let share = (self.strong + 1.0) / (self.weak + self.strong + 2.0);
        // `P(y > s) = share P(y > w)`.
        // A width of many deviations leaves no probability in double precision.
        let threshold = -deviation * quantile((share * cdf(-width / deviation)).max(f64::MIN_POSITIVE));
        (threshold - width).max(f64::EPSILON * deviation)
    }

    /// The scale at which probits of differences of this deviation have the squares that were stated, noise included.
    fn scale(&self, deviation: f64) -> f64 {
        /// Judges who state .5 for everything would have an endless scale.
        const LEAST: f64 = 0.05;
        deviation / (self.squares / self.stated - SPREAD * SPREAD).max(LEAST).sqrt()
    }
}

/// The free coordinates: logarithms of the gap, and of a factor of the noise and the width of ties, if there are strengths; of the shared
/// scale and spread if there are probabilities; and how far those of every judge are from the shared ones, one judge after the other.
struct Coordinates<'a> {
    /// What is held, and where the factor begins.
    model: &'a AnswerModel,
    heard: Heard,
    /// The centre of the prior for the gap.
    gap: f64,
    first: Vec<f64>,
}

impl<'a> Coordinates<'a> {
    fn new(model: &'a AnswerModel, unit: f64, answers: &[&Answer]) -> Self {
        let heard = Heard::of(model, answers);
        // That of a noisy difference of items that nobody compared.
        let deviation = (std::f64::consts::SQRT_2 * unit).hypot(model.lambda());
        let gap = heard.gap(model.tie_width(), deviation);
        let mut first = Vec::new();
        if heard.has_strengths() {
            first.extend([gap.ln(), 0.0]);
        }
        if heard.has_readings() {
            first.extend([heard.scale(std::f64::consts::SQRT_2 * unit).ln(), SPREAD.ln()]);
            first.extend(vec![0.0; 2 * heard.names.len()]);
        }
        Self { model, heard, gap: gap.ln(), first }
    }

    /// The place of the shared scale.
    fn shared(&self) -> usize {
        if self.heard.has_strengths() { 2 } else { 0 }
    }

    /// The logarithm of the factor of the noise and the width of ties.
    fn factor(&self, at: &[f64]) -> f64 {
        if self.heard.has_strengths() { at[1] } else { 0.0 }
    }

    /// The model with these coordinates.
    fn placed(&self, at: &[f64]) -> Result<AnswerModel> {
        let (model, factor) = (self.model.clone().with_soft(self.soft(at)), self.factor(at).exp());
        if !self.heard.has_strengths() {
            return Ok(model);
        }
        model.with_noise(factor * self.model.noise())?.with_tie_width(factor * self.model.tie_width())
    }

    /// The places of a judge's own scale and spread.
    fn own(&self, judge: Option<&str>) -> Option<usize> {
        let judge = judge?;
        let number = self.heard.names.binary_search_by(|name| name.as_str().cmp(judge)).ok()?;
        Some(self.shared() + 2 + 2 * number)
    }

    fn soft(&self, at: &[f64]) -> Soft {
        let shared = self.shared();
        let reading =
            |own: [f64; 2]| Reading { scale: (at[shared] + own[0]).exp(), spread: (at[shared + 1] + own[1]).exp() };
        let judge = |name: &String| {
            let own = self.own(Some(name)).map_or([0.0; 2], |own| [at[own], at[own + 1]]);
            (name.clone(), reading(own))
        };
        let readings = || Readings { shared: reading([0.0; 2]), judges: self.heard.names.iter().map(judge).collect() };
        Soft {
            gap: self.heard.has_strengths().then(|| at[0].exp()),
            readings: self.heard.has_readings().then(readings),
        }
    }

    /// The logarithm of the prior's density up to a constant. Adds its derivatives to `gradient`.
    fn log_prior(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let (shared, factor) = (self.shared(), self.factor(at));
        let mut sum = 0.0;
        let mut term = |place: usize, off: f64, spread: f64| {
            gradient[place] -= off / (spread * spread);
            sum -= 0.5 * (off / spread).powi(2);
        };
        if self.heard.has_strengths() {
            term(0, at[0] - self.gap, PRIOR_SPREAD);
            let (off, spread) = self.model.off_centre();
            term(1, off + factor, spread);
        }
        if self.heard.has_readings() {
            // The temperature is relative to the noise.
            let off = at[shared] - self.model.lambda().ln() - factor;
            term(shared, off, PRIOR_SPREAD);
            term(shared + 1, at[shared + 1] - SPREAD.ln(), PRIOR_SPREAD);
            (shared + 2..at.len()).for_each(|place| term(place, at[place], OWN_SPREAD));
            if self.heard.has_strengths() {
                gradient[1] += off / (PRIOR_SPREAD * PRIOR_SPREAD);
            }
        }
        sum
    }

    /// Derivatives by the ends and the noise of an observation, which an answer made, as derivatives by the coordinates.
    fn gradient(&self, width: f64, answer: &Answer, observation: &Observation, slopes: &Slopes, out: &mut [f64]) {
        let Observation { low, high, noise, gap, count, .. } = *observation;
        if let Outcome::Probability(_) = answer.outcome {
            let by_spread = noise * slopes.noise;
            // The value and its noise grow with the scale, and so does the unit of the density.
            let by_scale = low * slopes.low + by_spread + 1.0;
            for place in [Some(self.shared()), self.own(answer.judge.as_deref())].into_iter().flatten() {
                out[place] += by_scale;
                out[place + 1] += by_spread;
            }
            return;
        }
        if !self.heard.has_strengths() || answer.outcome.grade().is_some() {
            return;
        }
        out[1] += f64::from(count) * (noise * slopes.noise + width * observation.by_tie_width(slopes));
        if gap > 0.0 {
            // Of a weak preference the end that is farther from 0 is the threshold, of a strong one the only end.
            let upper = if observation.has_two_ends() { low >= 0.0 } else { high.is_finite() };
            let (end, slope) = if upper { (high, slopes.high) } else { (low, slopes.low) };
            out[0] += slope * gap.copysign(end);
        }
    }
}

impl Fit<'_> {
    /// The model that `with_noise` makes, with the most probable thresholds of strength and readings of probabilities, if there are
    /// such answers. The two are found in turn, from a start that depends on the answers alone.
    pub(super) fn with_soft(
        &self,
        start: AnswerModel,
        with_noise: impl Fn(AnswerModel) -> Result<AnswerModel>,
    ) -> Result<AnswerModel> {
        let first = Coordinates::new(&start, self.unit, self.answers);
        if first.first.is_empty() {
            return with_noise(start);
        }
        let mut model = first.placed(&first.first)?;
        for _ in 0..TURNS {
            model = self.soften(with_noise(model)?)?;
        }
        Ok(model)
    }

    /// The same model with the most probable soft answers under its noise: at most 50 steps of L-BFGS, each one or a few fits of EP.
    fn soften(&self, model: AnswerModel) -> Result<AnswerModel> {
        let coordinates = Coordinates::new(&model, self.unit, self.answers);
        let mut ascent = Ascent { fit: self, coordinates: &coordinates, evidence: None, stopped: None };
        let minimiser = Lbfgs { tolerance: 0.01, max_iterations: 50, longest: 1.0, ..Lbfgs::default() };
        let found = minimiser.minimise(coordinates.first.clone(), |at, gradient| ascent.height(at, gradient), |_| {});
        match ascent.stopped {
            Some(error) => Err(error),
            None => coordinates.placed(&found.at),
        }
    }
}

/// The way up to the most probable soft answers.
struct Ascent<'a> {
    fit: &'a Fit<'a>,
    coordinates: &'a Coordinates<'a>,
    /// Every fixed point starts from the one before.
    evidence: Option<Evidence>,
    /// Why it stopped before its end.
    stopped: Option<Error>,
}

impl Ascent<'_> {
    /// Minus the log evidence and the log prior, and the derivatives; infinity where EP finds nothing.
    fn height(&mut self, at: &[f64], gradient: &mut [f64]) -> f64 {
        match self.evaluate(at, gradient) {
            Ok(found) => Some(found).filter(|found| found.is_finite()).unwrap_or(f64::INFINITY),
            Err(error) => {
                if matches!(error, Error::Cancelled { .. }) {
                    self.stopped = Some(error);
                }
                f64::INFINITY
            }
        }
    }

    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64]) -> Result<f64> {
        if self.stopped.is_some() || at.iter().any(|value| !value.exp().is_normal()) {
            return Ok(f64::INFINITY);
        }
        let answers = self.fit.answers;
        let model = self.coordinates.placed(at)?;
        let observations = model.observe_all(answers.iter().copied())?;
        let said = observations.clone();
        let evidence = match &mut self.evidence {
            Some(evidence) => {
                evidence.observe(observations, false);
                evidence
            }
            none => none.insert(Evidence::new(&observations, self.fit.kernel.items())),
        };
        let params = EpParams { watch: self.fit.watch.silent(), tolerance: 1e-5, ..EpParams::default() };
        let (log_evidence, slopes) = evidence.slopes(&params, self.fit.kernel)?;
        if log_evidence > evidence.log_most() {
            // Where lapses are possible, EP has fixed points that are none of a probability.
            return Ok(f64::INFINITY);
        }
        gradient.fill(0.0);
        for ((answer, observation), slopes) in each_said(answers).zip(&said).zip(&slopes) {
            self.coordinates.gradient(model.tie_width(), answer, observation, slopes, gradient);
        }
        let log_prior = self.coordinates.log_prior(at, gradient);
        gradient.iter_mut().for_each(|slope| *slope = -*slope);
        Ok(-log_evidence - log_prior)
    }
}

/// The answer of every observation that these answers make, in the same order.
pub(super) fn each_said<'a>(answers: &[&'a Answer]) -> impl Iterator<Item = &'a Answer> {
    answers.iter().flat_map(|&answer| std::iter::repeat_n(answer, answer.parts()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
