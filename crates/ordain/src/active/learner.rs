//! How the answers of a session become a belief.

use std::sync::Arc;

use super::Glicko;
use crate::data::{Answer, Outcome};
use crate::gp::{AnswerModel, Belief, Ep, EpParams, Incremental, Observation};
use crate::kernel::{Independent, Kernel, WeightedSum};
use crate::{Error, Result};

/// How answers become a belief.
#[derive(Debug, Clone, Copy, PartialEq)]
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

impl BeliefKind {
    /// Glickman's own start.
    pub const GLICKO: Self = Self::Glicko { deviation: 350.0 };

    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gp => "gp",
            Self::GpRefined => "gp-refined",
            Self::GpFull => "gp-full",
            Self::Glicko { .. } => "glicko",
            Self::Independent => "independent",
        }
    }
}

/// A belief that follows the answers.
pub(super) struct Learner {
    kind: BeliefKind,
    kernel: Arc<dyn Kernel>,
    model: AnswerModel,
    observations: Vec<Observation>,
    /// How many observations EP has seen last.
    refined: usize,
    state: State,
}

enum State {
    Steps(Incremental),
    Full(Box<Ep>),
    Ratings(Glicko),
}

/// Up to this many items all covariances are at hand, 72 MB of them: every question looks at those of all pairs, however few answers
/// there are.
const ALL_AT_HAND: usize = 3000;

/// Answers before EP is first worth its cost.
const FIRST_REFINEMENT: usize = 10;

impl Learner {
    /// The belief before any answer.
    pub(super) fn new(kind: BeliefKind, kernel: Arc<dyn Kernel>, model: AnswerModel) -> Result<Self> {
        let kernel = if kind == BeliefKind::Independent { independent(kernel.as_ref())? } else { kernel };
        let state = prior(kind, &kernel)?;
        Ok(Self { kind, kernel, model, observations: Vec::new(), refined: 0, state })
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) -> Result<()> {
        self.state = prior(self.kind, &self.kernel)?;
        self.observations.clear();
        self.refined = 0;
        Ok(())
    }

    /// Learns from an answer; skips teach nothing. What cannot be learned from leaves the belief as it was.
    pub(super) fn learn(&mut self, answer: &Answer) -> Result<()> {
        let Some(observation) = self.model.observe(answer)? else { return Ok(()) };
        match &mut self.state {
            State::Ratings(ratings) => {
                let (outcome, Some(second)) = (answer.outcome, answer.second) else {
                    return Err(Error::Data {
                        what: "an answer for ratings",
                        found: answer.outcome.word().into(),
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
                    *steps = Incremental::from_belief(&ep)?;
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

    /// What is believed now.
    pub(super) fn belief(&self) -> &dyn Belief {
        match &self.state {
            State::Steps(steps) => steps,
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

fn prior(kind: BeliefKind, kernel: &Arc<dyn Kernel>) -> Result<State> {
    Ok(match kind {
        BeliefKind::Gp | BeliefKind::GpRefined | BeliefKind::Independent => {
            State::Steps(Incremental::new(kernel.clone(), ALL_AT_HAND)?)
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
