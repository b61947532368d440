//! How consistent a judge is, learned from the answers.
//!
//! **Learned:** the noise, relative to the width of the prior, and the width of ties if there are any. Twice all weights
//! and twice the noise is the same model, so one number stands for the ratio of signal and noise.
//!
//! **How:** by the evidence of EP on a fixed grid, under a log-normal prior that is wide enough for a judge who never
//! errs. The noise is the exponential of the posterior mean of its logarithm. A judge who never contradicts himself gives an evidence that
//! only grows towards no noise at all; a maximum would run to the end of the grid, and the mean does not.
//!
//! **When:** at counts of answers that grow geometrically ([`is_due`]). The result depends on the answers up to that
//! count and on nothing before. So a resumed session learns the same, and looks only at the last such count.

use super::ep::Evidence;
use super::{AnswerModel, EpParams, Observation};
use crate::data::{Answer, Outcome};
use crate::kernel::Kernel;
use crate::{Error, Result, Watch};

/// The noise in the middle of the prior, as a share of the prior's deviation.
const CENTRE: f64 = 0.03;

/// The standard deviation of the prior on the logarithm of the noise: a factor of 7.
const SPREAD: f64 = 2.0;

/// The smallest and the largest noise that is looked at, as shares of the prior's deviation.
const RANGE: (f64, f64) = (0.003, 3.0);

/// The number of noises that are looked at.
const GRID: usize = 10;

/// Factors of the tie width that are looked at.
const WIDTHS: [f64; 7] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// How often tie width and noise are found in turn.
const TURNS: usize = 2;

/// The first count of answers after which the noise is learned.
const FIRST: usize = 10;

/// Whether the noise is learned anew after this many answers: 10, 15, 22, 33, 49, and so on, half as many again each time.
pub(crate) fn is_due(answers: usize) -> bool {
    last_due(answers) == answers && answers > 0
}

/// The last count up to this one after which the noise is learned anew; 0 if there is none.
pub(crate) fn last_due(answers: usize) -> usize {
    let (mut last, mut next) = (0, FIRST);
    while next <= answers {
        last = next;
        next += next / 2;
    }
    last
}

impl AnswerModel {
    /// The model with the noise that fits these answers under this kernel, if the noise is to be learned; else itself. Only the answers
    /// up to the last count that [`is_due`] are looked at. 10 fits of EP, or 44 with ties.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, an answer cannot be learned, or the watch stops it.
    pub(crate) fn learned(self, kernel: &dyn Kernel, answers: &[&Answer], watch: &Watch) -> Result<Self> {
        if !self.learns() {
            return Ok(self);
        }
        let unit = match self.unit() {
            Some(unit) => unit,
            None => deviation(kernel)?,
        };
        let start = self.in_unit(unit).with_noise(CENTRE * unit)?;
        let counted: Vec<&Answer> = answers.iter().copied().filter(|answer| answer.outcome != Outcome::Skip).collect();
        let counted = &counted[..last_due(counted.len())];
        if counted.is_empty() {
            return Ok(start);
        }
        let fit = Fit { kernel, answers: counted, unit, watch };
        let mut out = fit.noise(start)?;
        if counted.iter().any(|answer| answer.outcome == Outcome::Tie) {
            // A width that is far off makes the noise wrong too, and the other way round.
            for _ in 0..TURNS {
                out = fit.noise(fit.tie_width(out)?)?;
            }
        }
        Ok(out)
    }
}

impl AnswerModel {
    /// Whether a second answer about the same two items tells something: the noise is learned, and it is so large that a judge would
    /// contradict himself about more than one random pair in twenty. Two answers to one question differ with probability
    /// `arccos(1 / (1 + (noise / deviation)²)) / π`.
    pub fn tells_again(&self) -> bool {
        const OFTEN: f64 = 0.05;
        self.unit().is_some_and(|unit| {
            let ratio = self.noise() / unit;
            (1.0 / (1.0 + ratio * ratio)).acos() / std::f64::consts::PI > OFTEN
        })
    }
}

/// The root of the mean prior variance; 1 if there is none.
fn deviation(kernel: &dyn Kernel) -> Result<f64> {
    let mut variances = vec![0.0; kernel.len()];
    kernel.diagonal(&mut variances)?;
    let mean = variances.iter().sum::<f64>() / variances.len().max(1) as f64;
    Ok(if mean > 0.0 && mean.is_finite() { mean.sqrt() } else { 1.0 })
}

/// Answers about the items of a kernel, whose model is looked for.
struct Fit<'a> {
    kernel: &'a dyn Kernel,
    answers: &'a [&'a Answer],
    unit: f64,
    watch: &'a Watch,
}

impl Fit<'_> {
    /// The model with the posterior mean of the logarithm of the noise.
    fn noise(&self, model: AnswerModel) -> Result<AnswerModel> {
        let (low, high) = RANGE;
        let share = |at: usize| low * (high / low).powf(at as f64 / (GRID - 1) as f64);
        let mut seen = Vec::new();
        for at in 0..GRID {
            let share = share(at);
            let Some(log_evidence) = self.log_evidence(model.with_noise(share * self.unit)?)? else { continue };
            let off = (share / CENTRE).ln() / SPREAD;
            // The trapezoid rule.
            let width: f64 = if at == 0 || at == GRID - 1 { 0.5 } else { 1.0 };
            seen.push((share.ln(), log_evidence - 0.5 * off * off + width.ln()));
        }
        let most = seen.iter().map(|&(_, height)| height).fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut total) = (0.0, 0.0);
        for (logarithm, height) in seen {
            let weight = (height - most).exp();
            sum += weight * logarithm;
            total += weight;
        }
        // If EP converges nowhere, the start is as good as anything.
        if total > 0.0 { model.with_noise((sum / total).exp() * self.unit) } else { Ok(model) }
    }

    /// The model with the width of ties that fits best, within a factor of 8 of the present one.
    fn tie_width(&self, model: AnswerModel) -> Result<AnswerModel> {
        let mut best = (f64::NEG_INFINITY, model);
        for factor in WIDTHS {
            let other = model.with_tie_width(factor * model.tie_width())?;
            if let Some(log_evidence) = self.log_evidence(other)?.filter(|&found| found > best.0) {
                best = (log_evidence, other);
            }
        }
        Ok(best.1)
    }

    /// The log evidence under a model; `None` if EP does not find it.
    fn log_evidence(&self, model: AnswerModel) -> Result<Option<f64>> {
        let observations: Vec<Observation> = model.observe_all(self.answers.iter().copied())?;
        let params = EpParams { watch: self.watch.silent(), ..EpParams::default() };
        match Evidence::new(&observations, self.kernel.len()).sites(&params, self.kernel) {
            Ok((log_evidence, _)) => Ok(Some(log_evidence).filter(|found| found.is_finite())),
            Err(error @ Error::Cancelled { .. }) => Err(error),
            Err(_) => Ok(None),
        }
    }
}
