//! How the answers of a session become a belief.

use std::sync::Arc;

use super::{Glicko, Strategy};
use crate::data::{Answer, Outcome};
use crate::gp::{AnswerModel, Belief, CovarianceForm, Ep, EpParams, Incremental, Observation, Workload};
use crate::kernel::{Independent, Kernel, WeightedSum};
use crate::words::vocabulary;
use crate::{Error, Result};

/// How answers become a belief.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum BeliefKind {
    /// One step an answer ([`Incremental`]).
    Gp,
    /// One step an answer, and EP over all answers now and then, whenever a quarter more have come.
    GpRefined,
    /// EP over all answers after every answer.
    GpFull,
    /// Glickman's ratings, with this deviation at the start; 350 is his.
    Glicko {
        /// Of every rating before the first answer.
        deviation: f64,
    },
    /// One step an answer, and every item by itself, as wide as the kernel is on average.
    Independent,
}

vocabulary! { BeliefKind, "belief";
    Gp = "gp", "a Gaussian process that takes one step per answer";
    GpRefined = "gp-refined", "the same, with all answers learned anew now and then";
    GpFull = "gp-full", "the same, with all answers learned anew after each";
    Glicko { deviation: 350.0 } = "glicko", "Glickman's ratings of items by themselves";
    Independent = "independent", "a Gaussian process in which items have nothing in common";
}

impl BeliefKind {
    /// Glickman's own start.
    pub const GLICKO: Self = Self::Glicko { deviation: 350.0 };
}

/// A belief that follows the answers.
pub(super) struct Learner {
    kind: BeliefKind,
    /// How a belief that takes steps holds its covariances, and what for.
    form: (CovarianceForm, Workload),
    kernel: Arc<dyn Kernel>,
    model: AnswerModel,
    observations: Vec<Observation>,
    /// How many observations EP has seen last.
    refined: usize,
    state: State,
}

enum State {
    Steps(Box<Incremental>),
    Full(Box<Ep>),
    Ratings(Glicko),
}

/// Answers before EP is first worth its cost.
const FIRST_REFINEMENT: usize = 10;

impl Learner {
    /// The belief before any answer, which will be asked for pairs by this strategy.
    pub(super) fn new(
        kind: BeliefKind,
        form: CovarianceForm,
        strategy: Strategy,
        kernel: Arc<dyn Kernel>,
        model: AnswerModel,
    ) -> Result<Self> {
        let kernel = if kind == BeliefKind::Independent { independent(kernel.as_ref())? } else { kernel };
        let form = (form, strategy.workload());
        let state = prior(kind, form, &kernel)?;
        Ok(Self { kind, form, kernel, model, observations: Vec::new(), refined: 0, state })
    }

    /// Holds covariances in another form; what was learned is forgotten.
    pub(super) fn set_form(&mut self, form: CovarianceForm, strategy: Strategy) -> Result<()> {
        self.form = (form, strategy.workload());
        *self = self.fresh()?;
        Ok(())
    }

    /// The same before any answer.
    pub(super) fn fresh(&self) -> Result<Self> {
        let Self { kind, form, ref kernel, model, .. } = *self;
        let state = prior(kind, form, kernel)?;
        Ok(Self { kind, form, kernel: kernel.clone(), model, observations: Vec::new(), refined: 0, state })
    }

    /// Learns from an answer; skips teach nothing. What cannot be learned from leaves the belief as it was.
    pub(super) fn learn(&mut self, answer: &Answer) -> Result<()> {
        let Some(observation) = self.model.observe(answer)? else { return Ok(()) };
        match &mut self.state {
            State::Ratings(ratings) => {
                let (outcome, Some(second)) = (answer.outcome, answer.second) else {
                    return Err(Error::Data {
                        what: "an answer for ratings",
                        found: answer.outcome.name().into(),
                        expected: "a comparison of two items".into(),
                    });
                };
                let score = if outcome == Outcome::First { 1.0 } else { f64::from(outcome == Outcome::Tie) / 2.0 };
                ratings.compare(answer.first, second, score);
                self.observations.push(observation);
            }
            State::Steps(steps) => {
                let due = self.refined + (self.refined / 4).max(FIRST_REFINEMENT);
                if self.kind == BeliefKind::GpRefined && self.observations.len() + 1 >= due {
                    let ep = fit_with(&self.kernel, &mut self.observations, observation)?;
                    **steps = Incremental::from_belief(&ep)?;
                    self.refined = self.observations.len();
                } else {
                    steps.observe(&observation)?;
                    self.observations.push(observation);
                }
            }
            State::Full(ep) => **ep = fit_with(&self.kernel, &mut self.observations, observation)?,
        }
        Ok(())
    }

    /// The belief that takes one step an answer, if it is one.
    pub(super) fn steps(&self) -> Option<&Incremental> {
        match &self.state {
            State::Steps(steps) => Some(steps.as_ref()),
            State::Full(_) | State::Ratings(_) => None,
        }
    }

    /// What is believed now.
    pub(super) fn belief(&self) -> &dyn Belief {
        match &self.state {
            State::Steps(steps) => steps.as_ref(),
            State::Full(ep) => ep.as_ref(),
            State::Ratings(ratings) => ratings,
        }
    }
}

/// EP over the observations and one more, which is then among them; if it cannot be learned from, it is not.
fn fit_with(kernel: &Arc<dyn Kernel>, observations: &mut Vec<Observation>, one: Observation) -> Result<Ep> {
    observations.push(one);
    let fitted = EpParams::default().fit(kernel.clone(), observations);
    if fitted.is_err() {
        observations.pop();
    }
    fitted
}

fn prior(kind: BeliefKind, (form, workload): (CovarianceForm, Workload), kernel: &Arc<dyn Kernel>) -> Result<State> {
    Ok(match kind {
        BeliefKind::Gp | BeliefKind::GpRefined | BeliefKind::Independent => {
            State::Steps(Box::new(Incremental::in_form(kernel.clone(), form, workload)?))
        }
        BeliefKind::GpFull => State::Full(Box::new(EpParams::default().fit(kernel.clone(), &[])?)),
        BeliefKind::Glicko { deviation } => State::Ratings(Glicko::new(kernel.len(), deviation)),
    })
}

/// Items by themselves, as wide as a kernel is on average.
fn independent(kernel: &dyn Kernel) -> Result<Arc<dyn Kernel>> {
    let mut variances = vec![0.0; kernel.len()];
    kernel.diagonal(&mut variances)?;
    let mean = variances.iter().sum::<f64>() / variances.len().max(1) as f64;
    let part: Box<dyn Kernel> = Box::new(Independent::new(kernel.len()));
    // Items that cannot differ a priori would make a weight of 0.
    Ok(Arc::new(WeightedSum::new(vec![(mean.sqrt().max(f64::MIN_POSITIVE.sqrt()), part)])?))
}
