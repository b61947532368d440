//! Hyperparameters from answers (XPGP section 4.3): the weights and shapes of the kernels.
//!
//! **Tuned:** weights, lengths, reach, the weights of the prior mean, and the width of ties where there are some. Kappa, the beta of Laplacians and the noise
//! are held, since the weights do the same: twice all weights and twice the noise is the same model. Parameters are
//! positive, so tuning works on their logarithms. The weights of the mean may have either sign and are tuned as they
//! are.
//!
//! **Climbed:** the log evidence of EP, plus a log-normal prior around the values that each kernel calls typical (for a
//! weight: utilities that vary as much as the noise; for the width of ties: half the noise of a difference). The prior is a factor of 4.5 wide. With few answers the evidence
//! is flat towards lengths that run away, and the prior stops them. With many answers the prior hardly counts. The
//! weights of the mean have a normal prior around 0, since a column may be worthless. Its unit is the weight at which the
//! columns together vary half as much as the noise; its width is the same number of units. Without it, few answers and
//! many columns that say the same would be fitted to the noise. Several
//! problems (groups of items with answers of their own) share one set of parameters: their evidences multiply.
//!
//! **How:** by default L-BFGS on the evidence; at EP's fixed point the gradient is exact
//! ([`super::Ep::evidence_gradient`]). The paper's EM-EP alternates EP at the present parameters with scaled conjugate
//! gradients on the expected log prior (XPGP eqs. 15 and 16). It stops where the same gradient vanishes, but takes many
//! more rounds.
//!
//! **Cost.** An evaluation runs EP from the last fixed point, about five iterations of `b³` ([`super::EpParams`]), plus
//! `m²` per parameter for m observed items. There are about 50 evaluations. Where b is more than a thousand, starts climb by a
//! seeded choice of a thousand answers, and only the last climb takes all. It begins with Newton's steps by the curvature that the
//! thousand tell. Memory `12 b²` per problem, and `n b` with links.

mod ascent;
mod em;
mod space;
#[cfg(test)]
mod tests;

use rand_distr::{Distribution, StandardNormal};

use super::ep::MOST_SWEEPS;
use super::{EpParams, NoiseLaw, Observation};
use crate::data::{Groups, ItemId};
use crate::kernel::{Asides, Block, Kernel, Parameter, WeightedSum};
use crate::numeric::Seed;
use crate::numeric::dense::Cholesky;
use crate::params::setters;
use crate::watch::Step;
use crate::words::vocabulary;
use crate::{Error, Result, Watch};
use ascent::Ascent;
use em::Rounds;
use space::Space;

/// Items with a kernel, and their observations.
pub struct Problem {
    /// The kernel, whose parameters are tuned.
    pub kernel: WeightedSum,
    /// The observations, in sets whose evidences multiply.
    sets: Vec<Vec<Observation>>,
    /// The width of ties, if it is tuned.
    tie_width: Option<f64>,
    /// The asides of screens after the kernel's items.
    asides: usize,
}

impl Problem {
    /// A kernel and all observations of its items together.
    pub fn new(kernel: WeightedSum, observations: Vec<Observation>) -> Self {
        Self { kernel, sets: vec![observations], tie_width: None, asides: 0 }
    }

    /// The same problem, of whose observations this is the width of ties. It is tuned too, as the parameter
    /// [`TIE_WIDTH`](crate::data::TIE_WIDTH), if some observations are ties and the noise is normal. [`TuningMethod::EmEp`] holds it.
    #[must_use]
    pub fn with_tie_width(self, width: f64) -> Self {
        let is_open = self.observations().any(Observation::is_tie_of_two)
            && self.observations().all(|one| one.law == NoiseLaw::Normal);
        Self { tie_width: (width > 0.0 && is_open).then_some(width), ..self }
    }

    /// The same problem, of whose observations some are about so many asides of screens, which stand after the items.
    pub(crate) fn with_asides(self, asides: usize) -> Self {
        Self { asides, ..self }
    }

    /// What `work` makes of the kernel, with the asides beside its items.
    fn under<T>(&self, work: impl FnOnce(&dyn Kernel) -> T) -> T {
        match self.asides {
            0 => work(&self.kernel),
            count => work(&Asides::beside(&self.kernel, vec![Block { count, own: 1.0, common: 0.0 }])),
        }
    }

    /// Changes the width of ties.
    fn set_tie_width(&mut self, width: f64) {
        self.tie_width = Some(width);
        self.sets.iter_mut().flatten().for_each(|one| *one = one.with_tie_width(width));
    }

    /// The same problem with the observations of every group by themselves: groups share the parameters, and nothing
    /// else that is learned. `b³` then counts the coordinates of one group. The groups are those of the kernel's items;
    /// an observation belongs to the group of its first item.
    #[must_use]
    pub fn by_group(self, groups: &Groups) -> Self {
        let mut sets = vec![Vec::new(); groups.len()];
        for observation in self.sets.into_iter().flatten() {
            if let Some(item) = observation.functional.items().next() {
                sets[groups.of(ItemId(item))].push(observation);
            }
        }
        sets.retain(|set| !set.is_empty());
        Self { sets, ..self }
    }

    /// All observations.
    fn observations(&self) -> impl Iterator<Item = &Observation> {
        self.sets.iter().flatten()
    }
}

/// How the evidence is climbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TuningMethod {
    /// L-BFGS on the evidence itself.
    Ascent,
    /// EM-EP with scaled conjugate gradients (XPGP section 4.3). Kernels must be definite; a kernel of kind
    /// `independent` makes them so.
    EmEp,
}

vocabulary! { TuningMethod, "method of tuning";
    Ascent = "ascent", "L-BFGS on the evidence itself";
    EmEp = "em-ep", "expectation maximisation around EP, as in the paper; it needs more rounds and a kernel of kind \"independent\"";
}

/// The settings of tuning.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TuningParams {
    /// The method.
    pub method: TuningMethod,
    /// The number of further starts, drawn from the prior. All starts climb a few steps, and the best goes on to the
    /// end.
    pub restarts: usize,
    /// The seed of the starts.
    pub seed: Seed,
    /// The standard deviation of the prior on the logarithm of a parameter, or on a weight of the prior mean in units of
    /// its typical size.
    pub spread: f64,
    /// Tuning stops when no entry of the gradient by the logarithms is larger than this, in nats per e-fold. A weight
    /// of the prior mean counts in units of its typical size.
    pub tolerance: f64,
    /// Tuning stops after this many steps, or rounds of EM-EP.
    pub max_iterations: usize,
    /// Whether the kernels' parameters and the width of ties are held, so that only the weights of the prior mean are tuned.
    pub hold_kernels: bool,
    /// Whether the answers of every group of items are learned by themselves ([`Problem::by_group`]). Only a model whose
    /// items have groups can be tuned so.
    pub by_group: bool,
    /// Follows the steps.
    pub watch: Watch,
}

impl Default for TuningParams {
    fn default() -> Self {
        Self {
            method: TuningMethod::Ascent,
            restarts: 2,
            seed: Seed(1),
            spread: 1.5,
            tolerance: 1e-2,
            max_iterations: 200,
            hold_kernels: false,
            by_group: false,
            watch: Watch::NONE,
        }
    }
}

setters! {
    TuningParams:
    with_method = method: TuningMethod,
    with_restarts = restarts: usize,
    with_seed = seed: Seed,
    with_spread = spread: f64,
    with_tolerance = tolerance: f64,
    with_max_iterations = max_iterations: usize,
    with_hold_kernels = hold_kernels: bool,
    with_by_group = by_group: bool,
    with_watch = watch: Watch,
}

/// What tuning found.
#[derive(Debug, Clone)]
pub struct Tuned {
    /// Every parameter that was tuned.
    pub parameters: Vec<TunedParameter>,
    /// The log evidence of all problems before tuning.
    pub log_evidence_before: f64,
    /// The log evidence of all problems after tuning. It may fall if the start was far from the prior.
    pub log_evidence: f64,
    /// The objective before tuning: log evidence plus log prior of the parameters.
    pub log_posterior_before: f64,
    /// The objective after tuning.
    pub log_posterior: f64,
    /// The start that led to the result: 0 for the present parameters.
    pub start: usize,
    /// The number of evaluations of the evidence.
    pub evaluations: usize,
    /// The largest entry of the gradient at the end.
    pub gradient: f64,
    /// Whether that is within the tolerance.
    pub converged: bool,
}

/// Where a climb ended.
pub(super) struct Summit {
    space: Space,
    at: Vec<f64>,
    /// An estimate of minus the objective's Hessian, if there is one.
    curvature: Option<Cholesky>,
}

/// A tuned parameter, before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedParameter {
    /// The kernel's name for it, or [`TIE_WIDTH`](crate::data::TIE_WIDTH).
    pub name: String,
    /// The value before tuning.
    pub before: f64,
    /// The value after tuning.
    pub value: f64,
}

impl Tuned {
    /// The values that were found, by name.
    pub fn values(&self) -> Vec<Parameter> {
        self.parameters.iter().map(|one| Parameter { name: one.name.clone(), value: one.value }).collect()
    }
}

/// Steps that every start may climb before only the best one goes on.
const TRIAL_STEPS: usize = 10;

/// EP to an error in the gradient that the optimiser cannot see.
const EP: EpParams =
    EpParams { tolerance: 1e-7, max_iterations: 500, max_sweeps: MOST_SWEEPS, by_items: false, watch: Watch::NONE };

impl TuningParams {
    /// Tunes the parameters that all problems share, starting from the first kernel's values. Afterwards all kernels
    /// have the best values found.
    ///
    /// # Errors
    /// If the kernels' parameters differ in name, there is nothing to tune or to tune by, or the evidence cannot be computed
    /// at the start. Kernels then keep their values.
    pub fn tune(&self, problems: &mut [Problem]) -> Result<Tuned> {
        Ok(self.tune_from(problems, None)?.0)
    }

    /// As [`TuningParams::tune`], and where the climb ended if starts did not take all answers. From there, another such problem with
    /// the same kernels and many of the same answers climbs at once, with all answers of its own.
    pub(super) fn tune_from(
        &self,
        problems: &mut [Problem],
        summit: Option<&Summit>,
    ) -> Result<(Tuned, Option<Summit>)> {
        let space = match summit {
            Some(summit) => summit.space.clone(),
            None => Space::new(problems, self)?,
        };
        let first = space.start();
        let result = self.search(&space, problems, summit);
        match &result {
            Ok((best, ..)) => space.set(problems, best)?,
            Err(_) => space.set(problems, &first)?,
        }
        let (best, mut tuned, summit) = result?;
        let (before, after) = (space.found(), space.values(&best));
        let values = space.names().iter().zip(before).zip(after);
        tuned.parameters =
            values.map(|((name, before), value)| TunedParameter { name: name.clone(), before, value }).collect();
        Ok((tuned, summit))
    }

    /// Gives the kernels the values in the middle of the prior, which no answer has influenced. Held parameters stay.
    ///
    /// # Errors
    /// Like [`TuningParams::tune`] before its start.
    pub(super) fn set_typical(&self, problems: &mut [Problem]) -> Result<()> {
        let space = Space::new(problems, self)?;
        space.set(problems, &space.draw(&vec![0.0; space.len()]))
    }

    /// The best coordinates and how they were found, whose names and values are left open; where others may begin.
    fn search(
        &self,
        space: &Space,
        problems: &mut [Problem],
        summit: Option<&Summit>,
    ) -> Result<(Vec<f64>, Tuned, Option<Summit>)> {
        let mut ascent = Ascent::new(space, problems, self.ep());
        if self.method == TuningMethod::Ascent {
            ascent.thin(self.seed);
        }
        let log_prior = |at: &[f64]| space.log_prior(at, &mut vec![0.0; at.len()]);
        let starts = self.restarts.saturating_add(1);
        let climb = |start: usize, from: Vec<f64>, most: usize, ascent: &mut Ascent<'_>| {
            let mut stopped = Ok(());
            let mut step = |iteration: usize, objective: f64, gradient: f64| {
                let detail =
                    || format!("start {} of {starts}, log posterior {objective:.3}, slope {gradient:.2}", start + 1);
                let step = || Step { value: Some(objective), ..Step::new("tuning", iteration, None).detail(detail()) };
                stopped = std::mem::replace(&mut stopped, Ok(())).and_then(|()| self.watch.step(step));
            };
            let peak = match self.method {
                TuningMethod::Ascent => ascent.climb(from, self.tolerance, most, &mut step),
                TuningMethod::EmEp => Rounds::new(ascent).climb(from, self.tolerance, most, &mut step),
            };
            stopped.and(peak)
        };
        let is_thinned = ascent.is_thinned();
        let (start, before, peak) = match summit.filter(|_| is_thinned) {
            Some(summit) => {
                ascent.forget_tried();
                ascent.set_curvature(summit.curvature.clone());
                let peak = climb(0, summit.at.clone(), self.max_iterations, &mut ascent)?;
                (0, peak.first - log_prior(&summit.at), peak)
            }
            None => {
                let trial_steps =
                    if self.restarts > 0 { TRIAL_STEPS.min(self.max_iterations) } else { self.max_iterations };
                let mut before = ascent.log_evidence(&space.start())?;
                let (mut start, mut peak) = (0, climb(0, space.start(), trial_steps, &mut ascent)?);
                for drawn in 1..starts {
                    match climb(drawn, space.draw(&self.normals(drawn, space.len())), trial_steps, &mut ascent) {
                        Err(error @ Error::Cancelled { .. }) => return Err(error),
                        Ok(other) if other.objective > peak.objective => (start, peak) = (drawn, other),
                        // No better, or a start from which nothing can be computed; only the first one must be more.
                        Ok(_) | Err(_) => {}
                    }
                }
                if peak.gradient > self.tolerance && trial_steps < self.max_iterations {
                    peak = climb(start, peak.at, self.max_iterations - trial_steps, &mut ascent)?;
                }
                if is_thinned {
                    ascent.take_all(&peak.at)?;
                    before = ascent.log_evidence(&space.start())?;
                    peak = climb(start, peak.at, self.max_iterations, &mut ascent)?;
                }
                (start, before, peak)
            }
        };
        let log_evidence = ascent.log_evidence(&peak.at)?;
        let tuned = Tuned {
            parameters: Vec::new(),
            log_evidence_before: before,
            log_evidence,
            log_posterior_before: before + log_prior(&space.start()),
            log_posterior: log_evidence + log_prior(&peak.at),
            start,
            evaluations: ascent.evaluations(),
            gradient: peak.gradient,
            converged: peak.gradient <= self.tolerance,
        };
        let summit = Summit { space: space.clone(), at: peak.at.clone(), curvature: ascent.into_curvature() };
        Ok((peak.at, tuned, is_thinned.then_some(summit)))
    }

    /// EP, which only looks whether to stop. At a thousandth of the slope that counts as none, what its last round would still move is
    /// lost beside that slope: the evidence is stationary in the sites, and each round moves them by a few per cent of the one before.
    fn ep(&self) -> EpParams {
        EpParams { tolerance: (1e-3 * self.tolerance).clamp(EP.tolerance, 1e-5), watch: self.watch.silent(), ..EP }
    }

    fn normals(&self, start: usize, count: usize) -> Vec<f64> {
        let mut stream = self.seed.stream(start as u64);
        (0..count).map(|_| StandardNormal.sample(&mut stream)).collect()
    }

    /// The standard deviations of the logarithms of the tuned parameters, or of the weights of a prior mean themselves,
    /// around the kernels' present values, which must be the best ones. This is Laplace's approximation, with the Hessian by central differences of the gradient. Two
    /// evaluations per parameter.
    ///
    /// # Errors
    /// Like [`TuningParams::tune`], or if the values are no maximum ([`Error::NotPositiveDefinite`]).
    pub fn uncertainty(&self, problems: &mut [Problem]) -> Result<Vec<f64>> {
        let space = Space::new(problems, self)?;
        let best = space.start();
        let mut ascent = Ascent::new(&space, problems, self.ep());
        let computed = ascent.curvature_by_differences(&best);
        space.set(problems, &best)?;
        let curvature = computed?;
        let not_definite =
            |pivot| Error::NotPositiveDefinite { what: "the evidence's curvature", pivot, dimension: best.len() };
        let covariance = Cholesky::factor(curvature).map_err(not_definite)?.inverse();
        Ok(space.in_units(covariance.diagonal().into_iter().map(f64::sqrt)))
    }
}
