//! The care of every judge, from his answers and those of all others.
//!
//! **Model.** The noise of a judge is the common one times a factor, log-normal around 1. A judge may be careless: then all his answers are
//! blind. A priori few are; how few, and how much judges differ in noise, is learned too.
//!
//! **How.** At a fixed point of EP, every judge's answers are taken apart ([`Apart`]), and their evidence under the belief of all others is
//! integrated over the logarithm of his factor, by Gauss and Hermite's rule around its maximum. That gives the mean and the deviation of the
//! logarithm, and the evidence of a judge who takes care, beside that of blind answers. All judges move at once to their means, and EP runs
//! again, until they stand still. So a judge of few answers stays near the common noise, and what is learned depends on the answers alone.
//!
//! **Ties.** Some call many things equal, and some nothing; that says little of how often they err. With one width of ties for all, it would
//! be taken for little noise, or for much. So where there are ties, every judge has a width of his own, log-normal around the common one:
//! its posterior mean is a sum over seven widths at the noise found before, in the same turns.

use std::sync::Arc;

use super::{Habit, Judges, name};
use crate::data::{Answer, Outcome};
use crate::gp::ep::{Apart, EpParams, Evidence};
use crate::gp::noise::Fit;
use crate::gp::soft::each_said;
use crate::gp::{AnswerModel, NoiseLaw, Observation};
use crate::{Error, Result};

/// How much judges differ before any answer: the deviation of the logarithm of their noise, a factor of two. It counts as if it had been
/// found of so many judges.
const SPREAD: (f64, f64) = (0.7, 4.0);

/// The share of careless judges before any answer, as if it had been found of so many judges.
const CARELESS: (f64, f64) = (0.05, 10.0);

/// How much judges differ in their width of ties, in the same terms.
const WIDTHS: (f64, f64) = (0.7, 4.0);

/// How often all judges move at most.
const TURNS: usize = 6;

/// A change of the logarithm of a noise that is too small for another turn.
const STILL: f64 = 0.02;

/// How exactly EP finds what a judge says by himself. The evidence is stationary, so its error is the square of this.
const TOLERANCE: f64 = 1e-4;

/// Nodes and weights of Gauss and Hermite's rule with 7 points, for the weight `exp(-x²)`: the node and the weight times `exp(x²)`
/// (Abramowitz and Stegun, table 25.10).
const RULE: [(f64, f64); 4] = [
    (0.0, 0.810_264_617_556_807_3),
    (0.816_287_882_858_964_7, 0.828_687_303_283_639_4),
    (1.673_551_628_767_471_4, 0.897_184_600_225_184),
    (2.651_961_356_835_233_5, 1.101_330_729_610_322_2),
];

/// What all judges have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::gp) struct Crowd {
    /// The deviation of the logarithm of a judge's noise.
    pub spread: f64,
    /// The deviation of the logarithm of a judge's width of ties; 0 if nobody called a tie.
    pub widths: f64,
    /// The share of judges who are careless.
    pub careless: f64,
    /// The deviation of the logarithm of the common noise.
    pub common: f64,
}

impl Default for Crowd {
    fn default() -> Self {
        Self { spread: SPREAD.0, widths: 0.0, careless: CARELESS.0, common: 0.0 }
    }
}

/// What is known of a judge's care.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::gp) struct Care {
    /// Mean and deviation of the logarithm of his noise, beside the common one, if he is not careless.
    pub log_factor: (f64, f64),
    /// Mean and deviation of the logarithm of his width of ties, beside the common one.
    pub log_width: (f64, f64),
    /// The probability that he is careless.
    pub careless: f64,
}

impl Care {
    /// That of a judge of this habit, before his answers are looked at again.
    pub(super) fn at(habit: Habit, crowd: Crowd) -> Self {
        let [factor, width] = [habit.factor, habit.width].map(f64::ln);
        Self { log_factor: (factor, crowd.spread), log_width: (width, crowd.widths), ..Self::before(crowd) }
    }

    pub(super) fn before(crowd: Crowd) -> Self {
        Self { log_factor: (0.0, crowd.spread), log_width: (0.0, crowd.widths), careless: crowd.careless }
    }
}

impl Fit<'_> {
    /// Whether judges are told apart: the noise is learned, and at least two have a name.
    pub(in crate::gp) fn tells_judges_apart(&self, model: &AnswerModel) -> bool {
        model.learns() && model.law() == NoiseLaw::Normal && names(self.answers).len() > 1
    }

    /// The model with the care of every judge.
    pub(in crate::gp) fn judges(&self, mut model: AnswerModel) -> Result<AnswerModel> {
        let names = names(self.answers);
        let owners: Vec<Option<u32>> = each_said(self.answers).map(|answer| owner(&names, answer)).collect();
        let mut crowd = Crowd::before(&model, self.answers);
        let mut cares = vec![Care::before(crowd); names.len()];
        let mut evidence = Evidence::new(&model.observe_all(self.answers.iter().copied())?, self.kernel.items());
        for turn in 0..TURNS {
            let Some(found) = self.turn(&mut evidence, &model, &owners, &cares, crowd)? else { break };
            let change = found
                .iter()
                .zip(&cares)
                .map(|(new, old)| {
                    let moved = |of: fn(&Care) -> f64| (of(new) - of(old)).abs();
                    moved(|care| care.log_factor.0).max(moved(|care| care.log_width.0))
                })
                .fold(0.0, f64::max);
            cares = found;
            let noise = model.noise() * centre(&mut cares, crowd, |care| &mut care.log_factor.0).exp();
            let width = model.tie_width() * centre(&mut cares, crowd, |care| &mut care.log_width.0).exp();
            crowd = crowd.after(&cares);
            model = model.with_noise(noise)?.with_tie_width(width)?.with_habits(&names, &cares, crowd);
            if turn > 0 && change < STILL {
                break;
            }
        }
        Ok(model)
    }

    /// The model with the care of every judge beside a common noise that was found after it: who is less exact than most depends on what
    /// most are.
    pub(in crate::gp) fn judges_again(&self, model: AnswerModel) -> Result<AnswerModel> {
        let Some(judges) = model.judges.clone() else { return Ok(model) };
        let (names, crowd) = (names(self.answers), judges.crowd);
        let owners: Vec<Option<u32>> = each_said(self.answers).map(|answer| owner(&names, answer)).collect();
        let care = |name: &&str| {
            let habit = judges.habits.get(*name).copied().unwrap_or(Habit::USUAL);
            Care::at(habit, crowd)
        };
        let cares: Vec<Care> = names.iter().map(care).collect();
        let mut evidence = Evidence::new(&model.observe_all(self.answers.iter().copied())?, self.kernel.items());
        Ok(match self.turn(&mut evidence, &model, &owners, &cares, crowd)? {
            Some(found) => model.with_habits(&names, &found, crowd),
            None => model,
        })
    }

    /// What all judges' answers say of their care, each under the belief of all others. `None` if EP finds nothing.
    fn turn(
        &self,
        evidence: &mut Evidence,
        model: &AnswerModel,
        owners: &[Option<u32>],
        cares: &[Care],
        crowd: Crowd,
    ) -> Result<Option<Vec<Care>>> {
        evidence.observe(model.observe_all(self.answers.iter().copied())?, false);
        let params =
            EpParams { watch: self.watch.silent(), tolerance: TOLERANCE, max_sweeps: 0, ..EpParams::default() };
        let work = |judge: usize, apart: Option<Apart>| {
            let before = cares[judge];
            apart.and_then(|apart| Judge { apart, params: &params, crowd, at: before }.care()).unwrap_or(before)
        };
        match evidence.apart(&params, self.kernel, owners, cares.len(), work) {
            Ok(found) => Ok(Some(found)),
            Err(error @ Error::Cancelled { .. }) => Err(error),
            Err(_) => Ok(None),
        }
    }
}

impl Crowd {
    /// What is known before judges are looked at. Widths differ where somebody called a tie.
    fn before(model: &AnswerModel, answers: &[&Answer]) -> Self {
        let has_ties = model.tie_width() > 0.0 && answers.iter().any(|answer| answer.outcome.has_tie());
        Self { widths: if has_ties { WIDTHS.0 } else { 0.0 }, ..Self::default() }
    }

    /// What judges of such care have in common: the mean of what is known of each and of what was known before.
    fn after(self, cares: &[Care]) -> Self {
        let spread = |(before, weight): (f64, f64), of: fn(&Care) -> (f64, f64)| {
            let (mut square, mut total) = (weight * before * before, weight);
            for care in cares {
                let (mean, deviation) = of(care);
                square += (1.0 - care.careless) * (mean * mean + deviation * deviation);
                total += 1.0 - care.careless;
            }
            (square / total).sqrt()
        };
        let careless: f64 = cares.iter().map(|care| care.careless).sum();
        Self {
            spread: spread(SPREAD, |care| care.log_factor),
            widths: if self.widths > 0.0 { spread(WIDTHS, |care| care.log_width) } else { 0.0 },
            careless: (CARELESS.0 * CARELESS.1 + careless) / (CARELESS.1 + cares.len() as f64),
            common: 0.0,
        }
    }
}

/// Moves the mean logarithm of the noise of those who take care into the common noise, which it belongs to: what judges say is the same,
/// and the prior of their factors is larger. The same for widths of ties. Returns the mean.
fn centre(cares: &mut [Care], crowd: Crowd, of: impl Fn(&mut Care) -> &mut f64) -> f64 {
    let total: f64 = cares.iter().map(|care| 1.0 - care.careless).sum();
    let sum: f64 = cares.iter_mut().map(|care| (1.0 - care.careless) * *of(care)).sum();
    let mean = if total > crowd.careless { sum / total } else { 0.0 };
    cares.iter_mut().for_each(|care| *of(care) -= mean);
    mean
}

/// The judges with a name who compared items or called one good or bad, ascending.
fn names<'a>(answers: &[&'a Answer]) -> Vec<&'a str> {
    let mut names: Vec<&str> =
        answers.iter().filter(|answer| shows_care(answer)).filter_map(|answer| answer.judge.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Grades and stated probabilities have a noise of their own.
pub(super) fn shows_care(answer: &Answer) -> bool {
    !matches!(answer.outcome, Outcome::Skip | Outcome::Grade(_) | Outcome::Probability(_))
}

pub(super) fn owner(names: &[&str], answer: &Answer) -> Option<u32> {
    let at = names.binary_search(&name(answer)).ok().filter(|_| shows_care(answer))?;
    Some(at as u32)
}

/// The answers of a judge, apart from all others.
pub(super) struct Judge<'a> {
    pub apart: Apart,
    pub params: &'a EpParams,
    pub crowd: Crowd,
    /// What was known of his care before: these answers have the means of its factors.
    pub at: Care,
}

impl Judge<'_> {
    /// The log posterior of a logarithm of the factor, without its normalisation, and its derivative; `None` where EP finds nothing.
    fn height(&mut self, log_factor: f64) -> Option<(f64, f64)> {
        let (height, slope) = self.evidence(log_factor, self.at.log_width.0)?;
        let precision = self.crowd.spread.powi(-2);
        Some((height - 0.5 * precision * log_factor * log_factor, slope - precision * log_factor))
    }

    /// The log evidence if he takes care, with these logarithms of his factors, and its derivative by the first.
    fn evidence(&mut self, log_factor: f64, log_width: f64) -> Option<(f64, f64)> {
        let factor = (log_factor - self.at.log_factor.0).exp();
        let width = (log_width - self.at.log_width.0).exp();
        let takes_care = |one: &Observation| {
            let functional = one.functional.with_noise_times(factor);
            Observation { functional, noise: one.noise * factor, heedless: 0.0, ..one.with_width_times(width) }
        };
        let (log_evidence, slope) = self.apart.evidence(self.params, takes_care).ok()?;
        log_evidence.is_finite().then_some((log_evidence, slope))
    }

    /// What his answers say of his care.
    pub fn care(&mut self) -> Option<Care> {
        let (mode, deviation) = self.mode(self.at)?;
        let mut nodes = Vec::with_capacity(2 * RULE.len() - 1);
        for &(node, weight) in &RULE {
            for sign in [-1.0, 1.0].iter().skip(usize::from(node == 0.0)) {
                let at = mode + sign * std::f64::consts::SQRT_2 * deviation * node;
                nodes.push((at, self.height(at)?.0 + f64::ln(weight)));
            }
        }
        let most = nodes.iter().fold(f64::NEG_INFINITY, |most, (_, height)| most.max(*height));
        let weigh =
            |of: &dyn Fn(f64) -> f64| nodes.iter().map(|(at, height)| (height - most).exp() * of(*at)).sum::<f64>();
        let total = weigh(&|_| 1.0);
        let mean = weigh(&|at| at) / total;
        let variance = weigh(&|at| (at - mean).powi(2)) / total;
        let normalisation =
            (std::f64::consts::SQRT_2 * deviation / (self.crowd.spread * std::f64::consts::TAU.sqrt())).ln();
        let (log_width, over_widths) = self.width(mean)?;
        let careful = most + total.ln() + normalisation + over_widths;
        let blind: f64 = self.apart.observations().map(|(one, count)| count * one.log_blind()).sum();
        let odds = (blind - careful).exp() * self.crowd.careless / (1.0 - self.crowd.careless);
        let careless = if odds.is_infinite() { 1.0 } else { odds / (1.0 + odds) };
        Some(Care { log_factor: (mean, variance.sqrt()), log_width, careless })
    }

    /// Mean and deviation of the logarithm of his width of ties at this noise, and the log evidence over all widths, beside that of the
    /// width that was known before.
    fn width(&mut self, log_factor: f64) -> Option<((f64, f64), f64)> {
        /// Widths to either side, and the steps between them in deviations of what was known before: in later turns that is the posterior.
        const SIDE: i32 = 3;
        const STEPS: (f64, f64) = (0.05, 0.5);
        let spread = self.crowd.widths;
        let (middle, known) = self.at.log_width;
        if spread == 0.0 {
            return Some(((0.0, 0.0), 0.0));
        }
        let step = known.clamp(STEPS.0, STEPS.1);
        let mut seen = Vec::with_capacity(2 * SIDE as usize + 1);
        for place in -SIDE..=SIDE {
            let at = middle + step * f64::from(place);
            let (height, _) = self.evidence(log_factor, at)?;
            seen.push((at, height, -0.5 * (at / spread).powi(2)));
        }
        let before = seen[SIDE as usize].1;
        let weight = |&(_, height, prior): &(f64, f64, f64)| (height - before + prior).exp();
        let total: f64 = seen.iter().map(weight).sum();
        let mean = seen.iter().map(|one| weight(one) * one.0).sum::<f64>() / total;
        let variance = seen.iter().map(|one| weight(one) * (one.0 - mean).powi(2)).sum::<f64>() / total;
        let over_widths = (total * step / (spread * std::f64::consts::TAU.sqrt())).ln();
        let sound = mean.is_finite() && over_widths.is_finite();
        sound.then_some(((mean, variance.sqrt()), over_widths))
    }

    /// The logarithm with the largest posterior, to a tenth of its deviation, and that deviation, by steps along the secant of the slopes.
    fn mode(&mut self, before: Care) -> Option<(f64, f64)> {
        /// More than an answer tells, in nats per squared e-fold of noise: the information of a probit about its noise, `z² φ² / (Φ (1 -
        /// Φ))`, is at most 0.61.
        const TOLD: f64 = 2.0;
        const STEPS: usize = 12;
        const LONGEST: f64 = 1.0;
        let least = self.crowd.spread.powi(-2);
        let count: f64 = self.apart.observations().map(|(_, count)| count).sum();
        let most = least + TOLD * count;
        let mut bend = before.log_factor.1.powi(-2).clamp(least, most);
        let mut at = before.log_factor.0;
        let (_, mut slope) = self.height(at)?;
        for _ in 0..STEPS {
            if slope.abs() < 0.1 * bend.sqrt() {
                break;
            }
            let next = at + (slope / bend).clamp(-LONGEST, LONGEST);
            let (_, fresh) = self.height(next)?;
            bend = ((slope - fresh) / (next - at)).clamp(0.25 * least, most);
            (at, slope) = (next, fresh);
        }
        // How it bends there: of the last step, or of one that is half a deviation long.
        let next = at + 0.5 / bend.sqrt();
        let (_, fresh) = self.height(next)?;
        bend = ((slope - fresh) / (next - at)).clamp(0.25 * least, most);
        Some((at, bend.sqrt().recip()))
    }
}

impl AnswerModel {
    /// The same model, whose common noise is known so well: the deviation of its logarithm.
    pub(in crate::gp) fn with_common_spread(mut self, spread: f64) -> Self {
        if let Some(judges) = self.judges.as_mut() {
            Arc::make_mut(judges).crowd.common = spread;
        }
        self
    }

    /// The same model with this care of its judges.
    fn with_habits(mut self, names: &[&str], cares: &[Care], crowd: Crowd) -> Self {
        let none = Judges::none(self.unit().unwrap_or(1.0), 0);
        let judges = Arc::make_mut(self.judges.get_or_insert_with(|| Arc::new(none)));
        judges.crowd = crowd;
        judges.habits =
            names.iter().zip(cares).map(|(name, care)| ((*name).to_owned(), Habit::of(care, crowd))).collect();
        self
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
