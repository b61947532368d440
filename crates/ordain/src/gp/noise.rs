//! How consistent a judge is, learned from the answers.
//!
//! **Learned:** the noise, relative to the width of the prior; the lapse, which is the share of answers that are turned round
//! whatever the utilities; and the width of ties if there are any. Twice all weights and twice the noise is the same model, so one
//! number stands for the ratio of signal and noise. While there are no ties, their width shrinks as answers without one come. Noise alone cannot describe a judge who sometimes presses the wrong key: one
//! such answer about items that are far apart would move them far, and the belief would be sure of it.
//!
//! **How:** by the evidence of EP on a fixed grid, under a prior that is wide enough for a judge who never errs: log-normal for the
//! noise. The noise is the exponential of the posterior mean of its logarithm. A judge who never contradicts himself gives an evidence
//! that only grows towards no noise at all; a maximum would run to the end of the grid, and the mean does not.
//!
//! **Averaged:** one noise for all would make a ranking look too settled after few answers. So joint draws come from the beliefs
//! under all judges that the answers allow ([`AnswerModel::under_noises`]).
//!
//! **When:** at counts of answers that grow geometrically ([`last_due`]). The result depends on the answers up to that
//! count and on nothing before. So a resumed session learns the same, and looks only at the last such count.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use super::ep::Evidence;
use super::screens::asides_of_all;
use super::{AnswerModel, Belief, Covariances, Ep, EpParams, Factor, Observation, Paths};
use crate::data::{Answer, Functional, ItemId, Outcome};
use crate::kernel::Kernel;
use crate::numeric::Matrix;
use crate::{Error, Result, Watch};

/// The noise in the middle of the prior, as a share of the prior's deviation.
const CENTRE: f64 = 0.03;

/// The standard deviation of the prior on the logarithm of the noise: a factor of 7.
const SPREAD: f64 = 2.0;

/// The smallest and the largest noise that is looked at, as shares of the prior's deviation.
const RANGE: (f64, f64) = (0.003, 3.0);

/// The number of noises that are looked at.
const GRID: usize = 10;

/// The lapses that are looked at, with their prior probabilities. A judge must show that his attention does not lapse: otherwise
/// sessions would stop in which the first lapses are not found yet.
const LAPSES: [(f64, f64); 5] = [(0.0, 0.04), (0.03, 0.06), (0.1, 0.3), (0.2, 0.3), (0.3, 0.3)];

/// The weight of a belief under a noise if lapses are rare before the answers: their prior falls exponentially. [`LAPSES`] is for
/// decisions: a judge must show that he can be trusted. What to expect of him is another matter.
pub(crate) fn without_caution(judge: &UnderNoise) -> f64 {
    /// The share of lapses that is expected of a judge.
    const EXPECTED: f64 = 0.1;
    let lapse = judge.model.lapse();
    let expected = |prior: f64| judge.weight / prior * (-lapse / EXPECTED).exp();
    LAPSES.iter().find(|(known, _)| *known == lapse).map_or(judge.weight, |(_, prior)| expected(*prior))
}

/// The prior odds that attention lapses.
const PRIOR_ODDS: f64 = (1.0 - LAPSES[0].1) / LAPSES[0].1;

/// With lapses, only every so many of the noises is looked at, and not the smallest: there lapses explain what noise does not.
const COARSE: usize = 2;

/// The tolerance of EP where it is asked for the evidence or for draws. The evidence is stationary at the fixed point, so its error
/// is the square of this, but for sites that lapses cut at 0; draws are corrected anyway.
const TOLERANCE: f64 = 1e-3;

/// How many times as probable as without lapses the answers must be until the belief counts with them: weaker evidence for lapses is
/// often a kernel that fits badly, or much noise.
const BELIEVED: f64 = 20.0;

/// Judges that are less probable than this are left out.
const NEGLIGIBLE: f64 = 0.001;

/// Judges that were less probable than this when the noise was last learned are not looked at. Until the next time, half as many
/// answers again may make them more probable.
const IMPLAUSIBLE: f64 = 1e-4;

/// The most compared items, or distinct pairs if there are fewer, for which a belief under every noise is found. Each takes EP, which
/// is cubic in their number. So many items have thousands of answers, which know the noise.
const MOST_COMPARED: usize = 250;

/// Tie widths that are looked at on either side of the present one.
const WIDTHS: i32 = 3;

/// The deviations of the logarithm of the tie width at which beliefs are averaged.
const OFF: [f64; 3] = [-1.5, 0.0, 1.5];

/// The answers without a tie that halve the width of ties, until there is one: the share of ties, to which a small width is proportional,
/// has the mean `1 / (a + b + answers)` of a Beta prior with a = 1 and a + b = 10.
const TIELESS: f64 = 10.0;

/// How often tie width and noise are found in turn at most.
const TURNS: usize = 3;

/// The first count of answers after which the noise is learned.
const FIRST: u64 = 10;

/// The last count up to this one after which the noise is learned anew: 10, 15, 22, 33, 49, and so on, half as many again each time; 0
/// if there is none. Every vote counts.
pub(crate) fn last_due(answers: u64) -> u64 {
    let (mut last, mut next) = (0, FIRST);
    while next <= answers {
        last = next;
        next += next / 2;
    }
    last
}

/// How many of these answers there were when the noise was last learned anew: after the one that reached or passed the last count.
fn learned_from(answers: &[&Answer]) -> usize {
    let due = last_due(answers.iter().map(|answer| answer.outcome.count()).sum());
    let mut seen = 0;
    let reaches = |answer: &&Answer| {
        seen += answer.outcome.count();
        seen >= due
    };
    if due == 0 { 0 } else { answers.iter().position(reaches).map_or(0, |last| last + 1) }
}

impl AnswerModel {
    /// The model with the noise and the thresholds of grades that fit these answers under this kernel, if there is something to be
    /// learned; else itself. Only the answers up to the last count after which it is ([`last_due`]) are looked at. 26 fits of EP for the noise, or some
    /// hundreds with ties; up to 50 steps of L-BFGS for thresholds, of one or a few fits each.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, an answer cannot be learned, or the watch stops it.
    pub(crate) fn learned(self, kernel: &dyn Kernel, answers: &[&Answer], watch: &Watch) -> Result<Self> {
        if !self.learns() && self.grading().is_none() {
            return Ok(self);
        }
        let unit = match self.unit() {
            Some(unit) => unit,
            None => deviation(kernel)?,
        };
        let mut start = self.before_answers(kernel, unit)?;
        let counted: Vec<&Answer> = answers.iter().copied().filter(|answer| answer.outcome != Outcome::Skip).collect();
        // What was given with the model counts at once; a schedule is for what is told one by one.
        let given = start.given().min(counted.len());
        let counted = &counted[..given + learned_from(&counted[given..])];
        if counted.is_empty() {
            return Ok(start);
        }
        if let Some(grading) = start.grading().cloned() {
            start = start.with_grading(grading.before(counted)?);
        }
        let has_ties = counted.iter().any(|answer| answer.outcome.has_tie());
        if start.learns() && !has_ties {
            let decided =
                counted.iter().filter(|answer| is_decided(answer.outcome)).map(|answer| answer.outcome.count());
            let decided = decided.sum::<u64>() as f64;
            let width = start.tie_width() * TIELESS / (TIELESS + decided);
            start = start.with_tie_width(width)?;
        }
        let fit = Fit { kernel, answers: counted, unit, watch, prior: RefCell::default() };
        let apart = fit.tells_judges_apart(&start);
        let with_noise = |model| match has_ties {
            true => fit.with_ties(fit.noise(model)?),
            false if apart => fit.rough_noise(model),
            false => fit.noise(model),
        };
        let found = if start.learns() { fit.with_soft(start, with_noise)? } else { start };
        // What is common to judges, once they are told apart.
        let found = match apart {
            true => fit.judges_again(fit.with_soft(fit.judges(found)?, |model| fit.common_noise(model))?)?,
            false => found,
        };
        fit.grades(found)
    }

    /// The same model in this unit, as it is before any answer.
    fn before_answers(self, kernel: &dyn Kernel, unit: f64) -> Result<Self> {
        let grading = self.grading().cloned();
        let held = (!self.learns()).then(|| self.noise());
        let start = self.with_strangers();
        let start = if start.learns() { start.in_unit(unit).with_noise(CENTRE * unit)? } else { start };
        Ok(match grading {
            Some(grading) => start.with_grading(grading.under(kernel, held)?),
            None => start,
        })
    }
}

impl AnswerModel {
    /// How far the logarithm of the noise is from the middle of its prior, and the deviation of that prior.
    pub(super) fn off_centre(&self) -> (f64, f64) {
        let share = self.noise() / self.unit().unwrap_or(self.noise());
        ((share / CENTRE).ln(), SPREAD)
    }
}

/// A belief under one of the judges that the answers allow.
#[derive(Clone)]
pub struct UnderNoise {
    /// The probability of this judge.
    pub weight: f64,
    /// The judge.
    pub model: AnswerModel,
    /// The belief if the answers are his.
    pub belief: Ep,
}

impl AnswerModel {
    /// The judges that were plausible when the noise was last learned.
    fn plausible_judges(&self) -> impl Iterator<Item = Candidate> {
        let bits = self.plausible();
        grid().enumerate().filter(move |(at, _)| bits & 1 << at != 0).map(|(_, judge)| judge)
    }

    /// The widths of ties at which beliefs are averaged: one if there are no ties.
    fn plausible_widths(&self) -> Vec<f64> {
        match self.width_spread() {
            0.0 => vec![self.tie_width()],
            spread => OFF.iter().map(|off| self.tie_width() * (off * spread).exp()).collect(),
        }
    }

    /// The beliefs under all noises that these answers allow, each with its probability, if the noise is learned. Empty if it is held,
    /// if nothing was answered, or if more than 250 items were compared in more than 250 different pairs: then the learned noise stands
    /// for all. Up to 26 fits of EP, or three times as many with ties, for the judges that were plausible when the noise was last learned.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, an answer cannot be learned, or the watch stops it.
    pub(crate) fn under_noises(
        &self,
        kernel: &Arc<dyn Kernel>,
        answers: &[&Answer],
        watch: &Watch,
    ) -> Result<Vec<UnderNoise>> {
        let Some(unit) = self.unit().filter(|_| is_small(answers, self.judges_with_asides())) else {
            return Ok(Vec::new());
        };
        let mut found: Vec<(f64, AnswerModel, Ep)> = Vec::new();
        for width in self.plausible_widths() {
            let mut row = f64::NAN;
            for Candidate { share, lapse, height } in self.plausible_judges() {
                let model = self.clone().with_tie_width(width)?.with_noise(share * unit)?.with_lapse(lapse);
                let observations = model.observe_all(answers.iter().copied())?;
                let start = found.last().filter(|_| lapse == row).map(|(.., belief)| belief);
                match effort(lapse, watch).fit_from(start, kernel.clone(), &observations) {
                    Ok(belief) if is_probability(belief.log_evidence(), log_most(&observations)) => {
                        let height = height + model.log_prior_of_temperature();
                        found.push((height + belief.log_evidence(), model, belief));
                        row = lapse;
                    }
                    Err(error @ Error::Cancelled { .. }) => return Err(error),
                    // EP does not converge, or not to anything true, where the noise is far too small.
                    Ok(_) | Err(_) => {}
                }
            }
        }
        let weights = normalized(found.iter().map(|(height, ..)| *height));
        let kept = weights.into_iter().zip(found).filter(|(weight, _)| *weight >= NEGLIGIBLE);
        Ok(kept.map(|(weight, (_, model, belief))| UnderNoise { weight, model, belief }).collect())
    }
}

/// Whether an answer says that one of two items is preferred and that they are not tied.
fn is_decided(outcome: Outcome) -> bool {
    !outcome.is_single() && !outcome.has_tie() && !matches!(outcome, Outcome::Skip | Outcome::Probability(_))
}

/// The logarithm of the largest evidence that these can have: above 0 for densities of values alone.
fn log_most(observations: &[Observation]) -> f64 {
    observations.iter().map(|one| f64::from(one.count) * one.log_most()).sum()
}

/// Whether this can be the logarithm of the probability of answers whose largest is `log_most`. Where lapses are possible, EP has fixed
/// points of which it is not.
fn is_probability(log_evidence: f64, log_most: f64) -> bool {
    log_evidence.is_finite() && log_evidence <= log_most
}

/// How far EP goes for one judge. If lapses are possible and EP does not converge soon, the judge is far from what the answers show.
fn effort(lapse: f64, watch: &Watch) -> EpParams {
    let usual = EpParams { watch: watch.silent(), tolerance: TOLERANCE, by_items: true, ..EpParams::default() };
    if lapse > 0.0 { EpParams { max_iterations: 100, max_sweeps: 0, ..usual } } else { usual }
}

/// Whether there are answers, and so few items or pairs were compared that EP is cheap. Asides of so many judges count as items.
fn is_small(answers: &[&Answer], asides: usize) -> bool {
    let ends = |answer: &&Answer| [answer.first, answer.second.unwrap_or(answer.first)];
    let said = || answers.iter().filter(|answer| answer.outcome != Outcome::Skip);
    let of_two = said().filter(|answer| !answer.is_of_screen());
    let pairs: HashSet<[ItemId; 2]> = of_two.map(ends).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    // The comparisons of screens have noise of their own, so none is that of another.
    let on_screens: usize = said().filter(|answer| answer.is_of_screen()).map(|answer| answer.parts()).sum();
    let items: HashSet<ItemId> = said().flat_map(|answer| answer.items()).collect();
    let (pairs, asides) = (pairs.len() + on_screens, asides + asides_of_all(said().copied()));
    pairs > 0 && pairs.min(items.len() + asides) <= MOST_COMPARED
}

/// A belief, and the same under all noises that the answers allow. Draws come from all of these; all else is that of the belief.
pub(crate) struct OverNoises<'a> {
    pub belief: &'a dyn Belief,
    pub noises: &'a [UnderNoise],
}

impl Belief for OverNoises<'_> {
    fn mean(&self) -> &[f64] {
        self.belief.mean()
    }

    fn variances(&self) -> &[f64] {
        self.belief.variances()
    }

    fn asides(&self) -> &[f64] {
        self.belief.asides()
    }

    fn column(&self, item: ItemId, out: &mut [f64]) -> Result<()> {
        self.belief.column(item, out)
    }

    fn covariance(&self, items: &[ItemId]) -> Result<Matrix> {
        self.belief.covariance(items)
    }

    fn root(&self, items: &[ItemId]) -> Result<Matrix> {
        self.belief.root(items)
    }

    fn variances_of(&self, items: &[ItemId]) -> Result<Vec<f64>> {
        self.belief.variances_of(items)
    }

    fn centred_variances(&self, items: &[ItemId]) -> Result<Vec<f64>> {
        self.belief.centred_variances(items)
    }

    fn paths(&self) -> Result<Option<Paths>> {
        self.belief.paths()
    }

    fn log_evidence(&self) -> f64 {
        self.belief.log_evidence()
    }

    fn covariances(&self) -> Option<&dyn Covariances> {
        self.belief.covariances()
    }

    fn factors(&self) -> &[Factor] {
        self.belief.factors()
    }

    fn factor_variances(&self) -> Result<Vec<f64>> {
        self.belief.factor_variances()
    }

    fn noises(&self) -> &[UnderNoise] {
        self.noises
    }
}

/// A judge that is looked at: noise as a share of the prior's deviation, lapse, and the logarithm of the weight, which is the prior's
/// density times the part of the grid that it stands for.
#[derive(Clone, Copy)]
struct Candidate {
    share: f64,
    lapse: f64,
    height: f64,
}

/// The judges that are looked at. Those of one lapse follow each other with falling noise, so that EP can start from the one before:
/// where lapses are possible, it has several fixed points once the noise is small.
fn grid() -> impl Iterator<Item = Candidate> {
    let (low, high) = RANGE;
    LAPSES.into_iter().flat_map(move |(lapse, prior)| {
        let (first, step) = if lapse > 0.0 { (COARSE, COARSE) } else { (0, 1) };
        (first..GRID).step_by(step).rev().map(move |at| {
            let share = low * (high / low).powf(at as f64 / (GRID - 1) as f64);
            let width = if at == 0 || at == GRID - 1 { 0.5 } else { step as f64 };
            Candidate { share, lapse, height: (prior * width).ln() + log_prior(share) }
        })
    })
}

/// The logarithm of the prior density of the logarithm of a noise, up to a constant.
fn log_prior(share: f64) -> f64 {
    let off = (share / CENTRE).ln() / SPREAD;
    -0.5 * off * off
}

/// The logarithm of the sum of numbers with these logarithms.
fn log_sum(heights: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = heights.clone().fold(f64::NEG_INFINITY, f64::max);
    if most.is_infinite() { most } else { most + heights.map(|height| (height - most).exp()).sum::<f64>().ln() }
}

/// Weights with these logarithms, up to a constant, that sum to 1.
fn normalized(heights: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let total = log_sum(heights.clone());
    heights.map(|height| (height - total).exp()).collect()
}

/// Mean and deviation of weighted numbers.
fn moments(each: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64) {
    let total: f64 = each.clone().map(|(weight, _)| weight).sum();
    let mean = each.clone().map(|(weight, value)| weight * value).sum::<f64>() / total;
    let variance = each.map(|(weight, value)| weight * (value - mean).powi(2)).sum::<f64>() / total;
    (mean, variance.sqrt())
}

/// The root of the mean prior variance of the items; 1 if there is none.
pub(super) fn deviation(kernel: &dyn Kernel) -> Result<f64> {
    let mut variances = vec![0.0; kernel.len()];
    kernel.diagonal(&mut variances)?;
    variances.truncate(kernel.items());
    let mean = variances.iter().sum::<f64>() / variances.len().max(1) as f64;
    Ok(if mean > 0.0 && mean.is_finite() { mean.sqrt() } else { 1.0 })
}

/// Answers about the items of a kernel, whose model is looked for.
pub(super) struct Fit<'a> {
    pub(super) kernel: &'a dyn Kernel,
    /// Without skips.
    pub(super) answers: &'a [&'a Answer],
    /// The deviation of the prior.
    pub(super) unit: f64,
    pub(super) watch: &'a Watch,
    /// The covariances among the coordinates that were used last: judges come and go under one prior.
    pub(super) prior: RefCell<Option<(Vec<Functional>, Matrix)>>,
}

impl Fit<'_> {
    /// The model with the posterior mean of the logarithm of the noise. If the answers are 20 times as probable with lapses as without
    /// ([`BELIEVED`]), it has the posterior mean of the lapse too.
    fn noise(&self, model: AnswerModel) -> Result<AnswerModel> {
        Ok(self.noise_among(model, grid())?.0)
    }

    /// As [`Fit::noise`], from a few noises without lapses: where judges that are told apart start.
    fn rough_noise(&self, model: AnswerModel) -> Result<AnswerModel> {
        Ok(self.noise_among(model, grid().filter(|judge| judge.lapse == 0.0).step_by(COARSE))?.0)
    }

    /// As [`Fit::noise`], of judges who are told apart, with the deviation of the logarithm. Their answers know the noise better than the
    /// steps of the grid, and a step that is off would move every judge with it. So mean and deviation are found again, among noises around
    /// the mean whose steps are of that deviation.
    fn common_noise(&self, model: AnswerModel) -> Result<AnswerModel> {
        /// Sums over steps of so many deviations are integrals of a normal density to three digits: the error is `2 exp(-2 π² / 1.5²)`.
        const DENSE: f64 = 1.5;
        let (mut found, mut spread) = self.noise_among(model, grid())?;
        let mut step = (RANGE.1 / RANGE.0).ln() / (GRID - 1) as f64;
        for _ in 0..TURNS {
            if step <= DENSE * spread {
                break;
            }
            step = spread.max(0.25 * step);
            let around = (-WIDTHS..=WIDTHS).rev().map(|at| {
                let share = found.noise() / self.unit * (f64::from(at) * step).exp();
                Candidate { share, lapse: found.lapse(), height: log_prior(share) }
            });
            let seen = self.heights(&found, around)?;
            if seen.iter().all(|(height, _)| height.is_infinite()) {
                break;
            }
            let weights = normalized(seen.iter().map(|(height, _)| *height));
            let (mean, deviation) =
                moments(weights.iter().zip(&seen).map(|(weight, (_, judge))| (*weight, judge.share.ln())));
            found = found.with_noise(mean.exp() * self.unit)?;
            spread = deviation;
        }
        Ok(found.with_common_spread(spread))
    }

    /// As [`Fit::noise`], from these judges, and the deviation of the logarithm of the noise.
    fn noise_among(&self, model: AnswerModel, judges: impl Iterator<Item = Candidate>) -> Result<(AnswerModel, f64)> {
        let seen = self.heights(&model, judges)?;
        let weights = normalized(seen.iter().map(|(height, _)| *height));
        let plausible = weights.iter().enumerate().filter(|(_, weight)| **weight >= IMPLAUSIBLE);
        let plausible = plausible.fold(0, |bits, (at, _)| bits | 1 << at);
        let seen = weights.iter().zip(&seen).map(|(weight, (_, judge))| (*weight, judge));
        let (lapsing, attentive): (Vec<_>, Vec<_>) =
            seen.filter(|(weight, _)| *weight > 0.0).partition(|(_, judge)| judge.lapse > 0.0);
        let total = |judges: &[(f64, &Candidate)]| judges.iter().map(|(weight, _)| weight).sum::<f64>();
        let factor = total(&lapsing) / total(&attentive) / PRIOR_ODDS;
        let likely = if factor > BELIEVED || attentive.is_empty() { lapsing } else { attentive };
        if likely.is_empty() {
            // If EP converges nowhere, the start is as good as anything.
            return Ok((model, 0.0));
        }
        let of_likely = |of: fn(&Candidate) -> f64| moments(likely.iter().map(|(weight, judge)| (*weight, of(judge))));
        let (log_share, deviation) = of_likely(|judge| judge.share.ln());
        let (lapse, _) = of_likely(|judge| judge.lapse);
        let model = model.with_noise(log_share.exp() * self.unit)?.with_lapse(lapse).with_plausible(plausible);
        Ok((model, deviation))
    }

    /// The model with the width of ties too. A width that is far off makes the noise wrong, and the other way round, so the two are found
    /// in turn.
    fn with_ties(&self, mut model: AnswerModel) -> Result<AnswerModel> {
        let mut step = std::f64::consts::LN_2;
        for turn in 0..TURNS {
            // The first turn only has to come near.
            let alone = || Candidate { share: model.noise() / self.unit, lapse: model.lapse(), height: 0.0 };
            let judges = if turn == 0 { vec![alone()] } else { model.plausible_judges().collect() };
            let found = self.tie_width(&model, &judges, step)?;
            let (spread, off) = (found.width_spread(), (found.tie_width() / model.tie_width()).ln().abs());
            model = self.noise(found)?;
            if off < spread && step < 2.0 * spread {
                break;
            }
            // Next time, the widths reach two deviations to either side, and as far as this time's was off.
            step = (2.0 * spread).max(off).max(step) / f64::from(WIDTHS);
        }
        Ok(model)
    }

    /// These judges, each with the logarithm of its posterior probability up to a constant.
    fn heights(&self, model: &AnswerModel, judges: impl Iterator<Item = Candidate>) -> Result<Vec<(f64, Candidate)>> {
        let mut evidence = Evidence::new(&model.observe_all(self.answers.iter().copied())?, self.kernel.items());
        let (mut row, mut out) = (f64::NAN, Vec::new());
        for judge in judges {
            let other = model.clone().with_noise(judge.share * self.unit)?.with_lapse(judge.lapse);
            evidence.observe(other.observe_all(self.answers.iter().copied())?, judge.lapse != row);
            row = judge.lapse;
            let found = self.log_evidence(&mut evidence, judge.lapse)?;
            let height = judge.height + other.log_prior_of_temperature();
            out.push((found.map_or(f64::NEG_INFINITY, |found| height + found), judge));
        }
        Ok(out)
    }

    /// The model with the posterior mean of the logarithm of the tie width, averaged over these judges, of those that are up to three
    /// steps of the logarithm from the present one. It has the deviation too.
    fn tie_width(&self, model: &AnswerModel, judges: &[Candidate], step: f64) -> Result<AnswerModel> {
        let mut seen = Vec::new();
        for at in -WIDTHS..=WIDTHS {
            let off = f64::from(at) * step;
            let other = model.clone().with_tie_width(off.exp() * model.tie_width())?;
            let judges = self.heights(&other, judges.iter().copied())?;
            seen.push((log_sum(judges.iter().map(|(height, _)| *height)), off));
        }
        if seen.iter().all(|(found, _)| found.is_infinite()) {
            return Ok(model.clone());
        }
        let weights = normalized(seen.iter().map(|(found, _)| *found));
        let mean: f64 = weights.iter().zip(&seen).map(|(weight, (_, off))| weight * off).sum();
        let variance: f64 = weights.iter().zip(&seen).map(|(weight, (_, off))| weight * (off - mean).powi(2)).sum();
        Ok(model.clone().with_tie_width(mean.exp() * model.tie_width())?.with_width_spread(variance.sqrt()))
    }

    fn prior_between(&self, basis: &[Functional]) -> Result<Matrix> {
        let mut known = self.prior.borrow_mut();
        if let Some((_, prior)) = known.as_ref().filter(|(known, _)| known == basis) {
            return Ok(prior.clone());
        }
        let prior = self.kernel.between(basis)?;
        *known = Some((basis.to_vec(), prior.clone()));
        Ok(prior)
    }

    /// The log evidence of answers of which this share are lapses; `None` if EP does not find it.
    fn log_evidence(&self, evidence: &mut Evidence, lapse: f64) -> Result<Option<f64>> {
        let prior = self.prior_between(evidence.basis())?;
        let most = evidence.log_most();
        match evidence.sites(&effort(lapse, self.watch), prior, self.kernel.mean()) {
            Ok((log_evidence, _)) => Ok(Some(log_evidence).filter(|found| is_probability(*found, most))),
            Err(error @ Error::Cancelled { .. }) => Err(error),
            Err(_) => Ok(None),
        }
    }
}
