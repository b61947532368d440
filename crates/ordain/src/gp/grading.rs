//! Grades and answers about pairs in one model (COR section 2.3).
//!
//! A grade is an interval of the noisy utility. Its ends are thresholds, which judges share more or less: one judge is
//! strict, another gives no fives. So every judge who has a name has thresholds of his own, around shared ones. A judge without
//! a name has the shared ones.
//!
//! **Learned** with the noise of answers, and after as many answers: the shared thresholds, every judge's own, and the noise
//! of grades unless noise is held. They maximise EP's evidence of all answers times their prior. Pairs tell nothing of
//! thresholds by themselves, but they tell how far apart the graded items are.
//!
//! **The prior** of the shared thresholds is around those at which the prior of utilities gives every grade its share of the
//! grades so far, with one more of each. All is in units of the prior's deviation.

use std::collections::BTreeMap;

use super::cuts::{Cuts, CutsPrior};
use super::ep::{EpParams, Evidence};
use super::noise::{Fit, deviation};
use super::observation::Slopes;
use super::soft::each_said;
use super::{AnswerModel, Belief, Observation};
use crate::data::{Answer, GradeScale, ItemId};
use crate::kernel::Kernel;
use crate::numeric::optimise::Lbfgs;
use crate::{Error, Result};

/// The noise of grades in the middle of its prior, as a share of the prior's deviation: about as wide as one grade of five. It is
/// cautious: a judge must show that his grades can be trusted, otherwise sessions would stop too soon.
const NOISE: f64 = 0.5;

/// The deviation of the logarithm of that noise.
const NOISE_SPREAD: f64 = 0.5;

/// How far shared thresholds are from where the counts put them: the deviation of their mean, in units of the prior's
/// deviation, and of the logarithms of their gaps.
const SHARED_SPREAD: [f64; 2] = [0.5, 0.5];

/// How far the thresholds of a judge are from the shared ones.
const OWN_SPREAD: [f64; 2] = [0.3, 0.3];

/// How judges grade.
#[derive(Debug, Clone, PartialEq)]
pub struct Grading {
    scale: GradeScale,
    /// How many answers at the beginning are grades that were given with the model.
    given: usize,
    /// The prior of the utilities, once it is known.
    prior: Option<Utilities>,
    noise: f64,
    shared: Cuts,
    /// The thresholds of judges with a name.
    judges: BTreeMap<String, Cuts>,
}

impl Grading {
    /// All grades alike probable for utilities with a deviation of 1.
    pub(super) fn new(scale: GradeScale, given: usize, noise: f64) -> Result<Self> {
        Self {
            scale,
            given,
            prior: None,
            noise,
            shared: Cuts::of_counts(&vec![1; scale.count()], 1.0)?,
            judges: BTreeMap::new(),
        }
        .before(&[])
    }

    /// The grades that can be given.
    pub fn scale(&self) -> GradeScale {
        self.scale
    }

    /// The standard deviation of the noise on a utility that is graded.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// The thresholds of a judge.
    pub fn cuts(&self, judge: Option<&str>) -> &Cuts {
        judge.and_then(|judge| self.judges.get(judge)).unwrap_or(&self.shared)
    }

    /// How many answers at the beginning are grades that were given with the model.
    pub(super) fn given(&self) -> usize {
        self.given
    }

    /// The same before its thresholds are learned, under this prior unless one is known. The noise is the one that is held, if it is.
    pub(super) fn under(&self, kernel: &dyn Kernel, held: Option<f64>) -> Result<Self> {
        let prior = match self.prior {
            Some(prior) => prior,
            None => Utilities::of(kernel)?,
        };
        Self { prior: Some(prior), noise: held.unwrap_or(NOISE * prior.deviation), ..self.clone() }.before(&[])
    }

    /// The shared thresholds at which every grade has its share of these answers.
    pub(super) fn before(mut self, answers: &[&Answer]) -> Result<Self> {
        let mut counts = vec![1; self.scale.count()];
        answers.iter().filter_map(|answer| self.position(answer)).for_each(|grade| counts[grade] += 1);
        let Utilities { centre, deviation } = self.prior();
        self.shared = Cuts::of_counts(&counts, deviation.hypot(self.noise))?.placed(1.0, centre);
        self.judges.clear();
        Ok(self)
    }

    fn prior(&self) -> Utilities {
        self.prior.unwrap_or(Utilities { centre: 0.0, deviation: 1.0 })
    }

    /// The position on the scale of the grade that an answer is.
    fn position(&self, answer: &Answer) -> Option<usize> {
        self.scale.position(answer.outcome.grade()?)
    }

    /// The ends of the interval that a grade of this judge stands for.
    ///
    /// # Errors
    /// If it is not on the scale.
    pub(super) fn ends(&self, grade: i32, judge: Option<&str>) -> Result<(f64, f64)> {
        let at = self.scale.position(grade).ok_or_else(|| Error::Data {
            what: "a grade",
            found: grade.to_string(),
            expected: format!("one from {} (lowest and highest under [grades] say which there are)", self.scale),
        })?;
        Ok(self.cuts(judge).ends(at))
    }

    /// The observations that the grades of a judge without a name make, from the lowest up.
    pub(crate) fn observations(&self, item: ItemId) -> Vec<Observation> {
        let observed = |(low, high)| Observation::between(item, low, high, self.noise);
        (0..self.scale.count()).map(|grade| observed(self.shared.ends(grade))).collect()
    }

    /// What a judge would grade an item under a belief.
    pub(crate) fn predict(&self, belief: &dyn Belief, item: ItemId, judge: Option<&str>) -> GradePrediction {
        let at = item.index();
        let probabilities = self.cuts(judge).probabilities(belief.mean()[at], belief.variances()[at], self.noise);
        GradePrediction { scale: self.scale, probabilities }
    }
}

/// The prior of the utilities of all items together.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Utilities {
    centre: f64,
    deviation: f64,
}

impl Utilities {
    /// The mean of the items' prior means, and the root of their variance plus the mean prior variance.
    fn of(kernel: &dyn Kernel) -> Result<Self> {
        let own = deviation(kernel)?;
        let means = kernel.mean().map(|means| &means[..kernel.items()]);
        let Some(means) = means.filter(|means| !means.is_empty()) else {
            return Ok(Self { centre: 0.0, deviation: own });
        };
        let count = means.len() as f64;
        let centre = means.iter().sum::<f64>() / count;
        let spread = means.iter().map(|mean| (mean - centre).powi(2)).sum::<f64>() / count;
        Ok(Self { centre, deviation: spread.sqrt().hypot(own) })
    }
}

/// The predicted grade of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct GradePrediction {
    scale: GradeScale,
    probabilities: Vec<f64>,
}

impl GradePrediction {
    /// The probability of every grade, from the lowest up.
    pub fn probabilities(&self) -> impl Iterator<Item = (i32, f64)> {
        self.scale.grades().zip(self.probabilities.iter().copied())
    }

    /// The grade with the least expected absolute error.
    pub fn median(&self) -> i32 {
        self.scale.grade(median_grade(&self.probabilities))
    }

    /// The most probable grade.
    pub fn mode(&self) -> i32 {
        self.scale.grade(mode_grade(&self.probabilities))
    }
}

/// The position of the grade with the least expected absolute error: the median.
pub fn median_grade(probabilities: &[f64]) -> usize {
    let mut sum = 0.0;
    let half = |share: &f64| {
        sum += share;
        sum >= 0.5
    };
    probabilities.iter().position(half).unwrap_or(probabilities.len().saturating_sub(1))
}

/// The position of the most probable grade, and of equal ones the lowest.
pub fn mode_grade(probabilities: &[f64]) -> usize {
    let better = |best: usize, at: usize| if probabilities[at] > probabilities[best] { at } else { best };
    (0..probabilities.len()).fold(0, better)
}

/// The free coordinates of a grading, in units of the prior's deviation: perhaps the logarithm of the noise; the shared thresholds;
/// and how far those of every judge are from these, one judge after the other.
struct Coordinates {
    /// What is held, and the centre of the prior.
    start: Grading,
    learns_noise: bool,
    names: Vec<String>,
}

impl Coordinates {
    fn new(start: Grading, learns_noise: bool, answers: &[&Answer]) -> Self {
        let graded = answers.iter().filter(|answer| start.position(answer).is_some());
        let mut names: Vec<String> = graded.filter_map(|answer| answer.judge.clone()).collect();
        names.sort_unstable();
        names.dedup();
        Self { start, learns_noise, names }
    }

    /// The number of thresholds.
    fn width(&self) -> usize {
        self.start.shared.values().len()
    }

    /// The start: the centre of the prior.
    fn first(&self) -> Vec<f64> {
        let noise = self.learns_noise.then(|| self.start.noise.ln());
        let own = vec![0.0; self.names.len() * self.width()];
        noise.into_iter().chain(self.centre()).chain(own).collect()
    }

    /// The centre of the shared thresholds' prior.
    fn centre(&self) -> Vec<f64> {
        self.in_units(&self.start.shared).coordinates()
    }

    /// Thresholds in units of the prior, counted from its centre.
    fn in_units(&self, cuts: &Cuts) -> Cuts {
        let Utilities { centre, deviation } = self.start.prior();
        cuts.placed(1.0 / deviation, -centre / deviation)
    }

    /// The thresholds with these coordinates.
    fn cuts(&self, coordinates: &[f64]) -> Option<Cuts> {
        let Utilities { centre, deviation } = self.start.prior();
        Some(Cuts::from_coordinates(coordinates)?.placed(deviation, centre))
    }

    /// The noise, the shared coordinates, and those of the judges.
    fn split<'a>(&self, at: &'a [f64]) -> (Option<f64>, &'a [f64], impl Iterator<Item = &'a [f64]> + use<'a>) {
        let (noise, cuts) = at.split_at(usize::from(self.learns_noise));
        let (shared, own) = cuts.split_at(self.width());
        (noise.first().copied(), shared, own.chunks(shared.len()))
    }

    /// The grading with these coordinates; `None` if rounding leaves no gap between two thresholds, or no noise.
    fn grading(&self, at: &[f64]) -> Option<Grading> {
        let (noise, shared, own) = self.split(at);
        let noise = noise.map_or(self.start.noise, f64::exp);
        let cuts = |own: &[f64]| {
            let sum: Vec<f64> = shared.iter().zip(own).map(|(shared, own)| shared + own).collect();
            self.cuts(&sum)
        };
        let judges = self.names.iter().zip(own).map(|(name, own)| Some((name.clone(), cuts(own)?)));
        let found =
            Grading { noise, shared: self.cuts(shared)?, judges: judges.collect::<Option<_>>()?, ..self.start.clone() };
        (noise > 0.0 && noise.is_finite()).then_some(found)
    }

    /// The logarithm of the prior's density up to a constant. Adds its derivatives to `gradient`.
    fn log_prior(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let (noise, shared, own) = self.split(at);
        let (mut sum, mut rest) = (0.0, gradient);
        if let Some(noise) = noise {
            let off = (noise - self.start.noise.ln()) / NOISE_SPREAD;
            rest[0] -= off / NOISE_SPREAD;
            sum -= 0.5 * off * off;
            rest = &mut rest[1..];
        }
        let prior = |centre, spread| CutsPrior { centre, spread };
        let of_own = std::iter::repeat(prior(vec![0.0; self.width()], OWN_SPREAD));
        let priors = std::iter::once(prior(self.centre(), SHARED_SPREAD)).chain(of_own);
        let each = std::iter::once(shared).chain(own).zip(rest.chunks_mut(self.width()));
        sum + each.zip(priors).map(|((values, slopes), prior)| prior.log_density(values, slopes)).sum::<f64>()
    }

    /// Derivatives by the ends and the noise of observations as derivatives by the coordinates.
    fn gradient(&self, grading: &Grading, answers: &[&Answer], slopes: &[Slopes], out: &mut [f64]) {
        let said = each_said(answers);
        let width = self.width();
        let mut by_cuts = vec![vec![0.0; width]; self.names.len() + 1];
        let mut by_noise = 0.0;
        for (answer, slopes) in said.zip(slopes) {
            let Some(grade) = grading.position(answer) else { continue };
            let own = answer.judge.as_ref().and_then(|judge| self.names.binary_search(judge).ok());
            let cuts = &mut by_cuts[own.map_or(0, |judge| judge + 1)];
            if let Some(slope) = cuts.get_mut(grade) {
                *slope += slopes.high;
            }
            if let Some(slope) = grade.checked_sub(1).and_then(|below| cuts.get_mut(below)) {
                *slope += slopes.low;
            }
            by_noise += slopes.noise;
        }
        let first = usize::from(self.learns_noise);
        if self.learns_noise {
            out[0] = grading.noise * by_noise;
        }
        let judges = std::iter::once(&grading.shared).chain(grading.judges.values());
        for (judge, (cuts, by_cuts)) in judges.zip(&by_cuts).enumerate() {
            let by_cuts: Vec<f64> = by_cuts.iter().map(|slope| slope * self.start.prior().deviation).collect();
            for (at, slope) in self.in_units(cuts).by_coordinates(&by_cuts).into_iter().enumerate() {
                out[first + at] += slope;
                if judge > 0 {
                    out[first + judge * width + at] = slope;
                }
            }
        }
    }
}

impl Fit<'_> {
    /// The model whose grading is the most probable, if there are grades among the answers.
    pub(super) fn grades(&self, model: AnswerModel) -> Result<AnswerModel> {
        let Some(grading) = model.grading().cloned() else { return Ok(model) };
        if !self.answers.iter().any(|answer| answer.outcome.grade().is_some()) {
            return Ok(model);
        }
        let coordinates = Coordinates::new(grading, model.learns(), self.answers);
        let mut ascent = Ascent { fit: self, model: &model, coordinates: &coordinates, evidence: None, stopped: None };
        let minimiser = Lbfgs { tolerance: 0.01, max_iterations: 50, longest: 1.0, ..Lbfgs::default() };
        let found = minimiser.minimise(coordinates.first(), |at, gradient| ascent.height(at, gradient), |_| {});
        match (ascent.stopped, coordinates.grading(&found.at)) {
            (Some(error), _) => Err(error),
            (None, Some(grading)) => Ok(model.with_grading(grading)),
            (None, None) => Ok(model),
        }
    }
}

/// The way up to the most probable grading.
struct Ascent<'a> {
    fit: &'a Fit<'a>,
    model: &'a AnswerModel,
    coordinates: &'a Coordinates,
    /// Every fixed point starts from the one before.
    evidence: Option<Evidence>,
    /// Why it stopped before its end.
    stopped: Option<Error>,
}

impl Ascent<'_> {
    /// Minus the log evidence and the log prior, and the derivatives; infinity where EP finds nothing.
    fn height(&mut self, at: &[f64], gradient: &mut [f64]) -> f64 {
        match self.evaluate(at, gradient) {
            Ok(found) => found.filter(|found| found.is_finite()).unwrap_or(f64::INFINITY),
            Err(error) => {
                if matches!(error, Error::Cancelled { .. }) {
                    self.stopped = Some(error);
                }
                f64::INFINITY
            }
        }
    }

    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64]) -> Result<Option<f64>> {
        let Some(grading) = self.coordinates.grading(at).filter(|_| self.stopped.is_none()) else { return Ok(None) };
        let answers = self.fit.answers;
        let model = self.model.clone().with_grading(grading.clone());
        let observations: Vec<Observation> = model.observe_all(answers.iter().copied())?;
        let evidence = match &mut self.evidence {
            Some(evidence) => {
                evidence.observe(observations, false);
                evidence
            }
            none => none.insert(Evidence::new(&observations, self.fit.kernel.items())),
        };
        let params = EpParams { watch: self.fit.watch.silent(), tolerance: 1e-5, ..EpParams::default() };
        let (log_evidence, slopes) = evidence.slopes(&params, self.fit.kernel)?;
        gradient.fill(0.0);
        self.coordinates.gradient(&grading, answers, &slopes, gradient);
        let log_prior = self.coordinates.log_prior(at, gradient);
        gradient.iter_mut().for_each(|slope| *slope = -*slope);
        Ok(Some(-log_evidence - log_prior))
    }
}

impl AnswerModel {
    /// The same model, whose judges may grade single items too.
    ///
    /// # Errors
    /// If the noise is out of range.
    pub fn with_grades(self, scale: GradeScale) -> Result<Self> {
        self.with_given_grades(scale, 0)
    }

    /// The same model, whose judges may grade. So many answers at the beginning are known from the start, and cannot be taken back.
    pub(crate) fn with_given_grades(self, scale: GradeScale, given: usize) -> Result<Self> {
        let grading = Grading::new(scale, given, self.noise())?;
        Ok(self.with_grading(grading))
    }

    /// How many answers at the beginning are grades that were given with the model.
    pub(crate) fn given(&self) -> usize {
        self.grading().map_or(0, Grading::given)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Watch;
    use crate::data::Outcome;
    use crate::kernel::Given;
    use crate::numeric::Matrix;
    use crate::numeric::normal::quantile;

    /// Six items, more alike the nearer, with a prior mean.
    fn kernel() -> Given {
        let near = |row: usize, column: usize| 1.7 * (-0.5 * row.abs_diff(column) as f64).exp();
        Given::new(vec![0.3, 0.0, -0.4, 0.1, 0.0, 0.2], Matrix::from_fn(6, 6, near)).unwrap()
    }

    fn grade(item: usize, grade: i32, judge: &str) -> Answer {
        Answer::new(ItemId::new(item), None, Outcome::Grade(grade)).unwrap().by(judge)
    }

    fn pair(first: usize, second: usize) -> Answer {
        Answer::new(ItemId::new(first), Some(ItemId::new(second)), Outcome::First).unwrap()
    }

    fn answers() -> Vec<Answer> {
        let grades =
            [(0, 4, "ann"), (1, 3, "ann"), (2, 1, "bob"), (3, 2, ""), (0, 3, "bob"), (5, 4, ""), (4, 2, "ann")];
        grades
            .map(|(item, value, judge)| grade(item, value, judge))
            .into_iter()
            .chain([pair(0, 2), pair(5, 3)])
            .collect()
    }

    fn model() -> AnswerModel {
        AnswerModel::learning(0.0).unwrap().with_grades(GradeScale::new(1, 4).unwrap()).unwrap()
    }

    /// The height and its slopes at some coordinates, for all of noise, shared thresholds and those of two judges.
    fn height(at: &[f64]) -> (f64, Vec<f64>) {
        let (kernel, answers) = (kernel(), answers());
        let answers: Vec<&Answer> = answers.iter().collect();
        let model = model().learned(&kernel, &[], &Watch::NONE).unwrap();
        let start = model.grading().unwrap().clone().before(&answers).unwrap();
        let fit = Fit { kernel: &kernel, answers: &answers, unit: 1.3, watch: &Watch::NONE, prior: Default::default() };
        let coordinates = Coordinates::new(start, true, &answers);
        assert_eq!(coordinates.first().len(), at.len());
        let mut ascent = Ascent { fit: &fit, model: &model, coordinates: &coordinates, evidence: None, stopped: None };
        let mut gradient = vec![0.0; at.len()];
        (ascent.height(at, &mut gradient), gradient)
    }

    /// EP's evidence and the prior, by noise and thresholds, against central differences.
    #[test]
    fn slopes_of_the_evidence_equal_differences() {
        const STEP: f64 = 1e-4;
        let at = [-0.6, 0.1, -0.3, 0.2, 0.2, -0.1, 0.3, -0.15, 0.25, -0.2];
        let (_, slopes) = height(&at);
        for (coordinate, slope) in slopes.into_iter().enumerate() {
            let moved = |step: f64| {
                let mut at = at;
                at[coordinate] += step;
                height(&at).0
            };
            let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            // EP stops at 1e-5; its evidence is stationary there, so that the differences err by 1e-10 over the step.
            assert!((slope - expected).abs() < 1e-5 * (1.0 + expected.abs()), "{coordinate}: {slope} {expected}");
        }
    }

    /// The evidence of one grade per independent item is a product of integrals, which EP gets exactly. By the midpoint rule, with
    /// another crate's normal law.
    #[test]
    fn evidence_and_moments_equal_integrals() {
        let phi = |z: f64| 0.5 * errorfunctions::RealErrorFunctions::erfc(-z / std::f64::consts::SQRT_2);
        let (variances, means) = ([0.6, 1.7, 3.0], [0.3, -0.5, 0.1]);
        let own = |row: usize, column: usize| if row == column { variances[row] } else { 0.0 };
        let kernel = Given::new(means.to_vec(), Matrix::from_fn(3, 3, own)).unwrap();
        let answers = [grade(0, 4, ""), grade(1, 2, ""), grade(2, 1, "")];
        let model = model().learned(&kernel, &[], &Watch::NONE).unwrap();
        let observations = model.observe_all(&answers).unwrap();
        let ep = EpParams::default().fit(std::sync::Arc::new(kernel), &observations).unwrap();
        let grading = model.grading().unwrap();
        let mut log_evidence = 0.0;
        for (item, answer) in answers.iter().enumerate() {
            let (low, high) = grading.cuts(None).ends(grading.position(answer).unwrap());
            let (sd, points) = (variances[item].sqrt(), 40_000);
            let step = 20.0 * sd / f64::from(points);
            let [mut mass, mut first, mut second] = [0.0; 3];
            for point in 0..points {
                let utility = means[item] - 10.0 * sd + step * (f64::from(point) + 0.5);
                let at = |end: f64| phi((end - utility) / grading.noise());
                let density = (-0.5 * ((utility - means[item]) / sd).powi(2)).exp() / sd / std::f64::consts::TAU.sqrt();
                let weight = step * density * (at(high) - at(low));
                mass += weight;
                first += weight * utility;
                second += weight * utility * utility;
            }
            log_evidence += mass.ln();
            let (mean, variance) = (first / mass, second / mass - (first / mass).powi(2));
            assert!((ep.mean()[item] - mean).abs() < 1e-9, "{item}: {} {mean}", ep.mean()[item]);
            assert!((ep.variances()[item] - variance).abs() < 1e-9, "{item}: {} {variance}", ep.variances()[item]);
        }
        assert!((ep.log_evidence() - log_evidence).abs() < 1e-9, "{} {log_evidence}", ep.log_evidence());
    }

    /// 60 items that pairs put in order, and two judges of whom one is strict: their thresholds are found.
    #[test]
    fn strict_and_lenient_judges_are_told_apart() {
        let count = 60;
        let utility = |item: usize| quantile((item as f64 + 0.5) / count as f64);
        let kernel =
            Given::new(vec![0.0; count], Matrix::from_fn(count, count, |a, b| f64::from(u8::from(a == b)))).unwrap();
        let value =
            |item: usize, shift: f64| 1 + [-0.5, 0.5].iter().filter(|&&cut| utility(item) > cut + shift).count() as i32;
        let mut answers: Vec<Answer> = (0..count).map(|item| grade(item, value(item, 0.4), "strict")).collect();
        answers.extend((0..count).map(|item| grade(item, value(item, -0.4), "mild")));
        answers.extend((0..count - 1).map(|item| pair(item + 1, item)));
        let answers: Vec<&Answer> = answers.iter().collect();
        let model = AnswerModel::new(0.1, 0.0).unwrap().with_grades(GradeScale::new(1, 3).unwrap()).unwrap();
        let found = model.learned(&kernel, &answers, &Watch::NONE).unwrap();
        let grading = found.grading().unwrap();
        assert_eq!(grading.noise(), 0.1, "noise that is held is that of grades too");
        let [strict, mild] = ["strict", "mild"].map(|judge| grading.cuts(Some(judge)).values().to_vec());
        for cut in 0..2 {
            // 0.8 apart, less what the prior of judges who are alike takes.
            assert!((0.5..0.9).contains(&(strict[cut] - mild[cut])), "{strict:?} {mild:?}");
        }
        let shared = grading.cuts(None);
        assert_eq!(grading.cuts(Some("a stranger")), shared);
        assert!(shared.values()[0] > mild[0] && shared.values()[0] < strict[0]);
    }

    /// A judge who always gives one grade; grades without pairs; and none at all.
    #[test]
    fn few_and_equal_grades() {
        let kernel = kernel();
        let none = model().learned(&kernel, &[], &Watch::NONE).unwrap();
        // All grades are alike before any: for the mean and the variance of the items' means and variances together.
        let means = [0.3, 0.0, -0.4, 0.1, 0.0, 0.2];
        let centre = means.iter().sum::<f64>() / 6.0;
        let spread = means.iter().map(|mean| (mean - centre).powi(2)).sum::<f64>() / 6.0;
        let shares =
            none.grading().unwrap().cuts(None).probabilities(centre, 1.7 + spread, none.grading().unwrap().noise());
        assert!(shares.iter().all(|share| (share - 0.25).abs() < 1e-12), "{shares:?}");
        let same: Vec<Answer> = (0..12).map(|at| grade(at % 6, 3, "ann")).collect();
        let same: Vec<&Answer> = same.iter().collect();
        let found = model().learned(&kernel, &same, &Watch::NONE).unwrap();
        let grading = found.grading().unwrap();
        let cuts = grading.cuts(Some("ann"));
        assert!(cuts.values().iter().all(|cut| cut.abs() < 10.0), "{cuts:?}");
        let shares = cuts.probabilities(0.0, 1.7, grading.noise());
        assert!(mode_grade(&shares) == 2 && shares[2] < 1.0, "{shares:?}");
        // Thresholds that a huge prior mean makes equal are refused.
        let far = Given::new(vec![1e20; 6], Matrix::from_fn(6, 6, |a, b| f64::from(u8::from(a == b)))).unwrap();
        let lost = model().learned(&far, &[], &Watch::NONE).unwrap();
        assert!(lost.observe(same[0]).unwrap_err().to_string().contains("prior"));
        // A grade that is not on the scale is refused, as is one where there is no scale.
        let off = grade(0, 5, "ann");
        assert!(found.observe(&off).unwrap_err().to_string().contains("from 1 to 4"));
        assert!(AnswerModel::default().observe(&off).is_err());
    }

    /// Twice the weights and twice the noise is the same model.
    #[test]
    fn the_unit_does_not_matter() {
        let answers = answers();
        let answers: Vec<&Answer> = answers.iter().cycle().take(15).collect();
        let learned = |factor: f64| {
            // Far from 0, as a prior that is not standardized.
            let (mean, kernel) =
                (kernel().mean().unwrap().iter().map(|mean| factor * (mean + 70.0)).collect(), kernel());
            let covariance = Matrix::from_fn(6, 6, |row, column| factor * factor * kernel.covariance()[(row, column)]);
            let kernel = Given::new(mean, covariance).unwrap();
            let model = model().learned(&kernel, &answers, &Watch::NONE).unwrap();
            model.grading().unwrap().clone()
        };
        let (one, many) = (learned(1.0), learned(1000.0));
        assert!((many.noise() / one.noise() / 1000.0 - 1.0).abs() < 1e-6);
        for judge in [None, Some("ann"), Some("bob")] {
            for (one, many) in one.cuts(judge).values().iter().zip(many.cuts(judge).values()) {
                assert!((many / 1000.0 - one).abs() < 1e-6, "{one} {many}");
            }
        }
    }
}
