//! From a project to a belief, as every subcommand needs it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use indicatif::ProgressBar;
use ordain::data::{AnswerLog, Outcome};
use ordain::formats::Project;
use ordain::gp::{AnswerModel, Belief, EpParams, Incremental, Observation};
use ordain::{InputError, kernel};

use crate::Failure;

/// How answers become a belief.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Inference {
    /// Expectation propagation over all answers at once.
    Ep,
    /// One step an answer, in the order of the log.
    Incremental,
}

impl Inference {
    /// The word on the command line and in the output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ep => "ep",
            Self::Incremental => "incremental",
        }
    }
}

/// A project and what is believed after its answers.
pub struct Model {
    pub project: Project,
    pub answers: AnswerModel,
    pub belief: Box<dyn Belief>,
    /// How many answers the belief learned from; skips do not count.
    pub learned: usize,
}

impl Model {
    /// Opens a project and learns from its answers.
    pub fn open(path: &PathBuf, inference: Inference) -> Result<Self, Failure> {
        let project = Project::open(path)?;
        let working = spinner("learning from the answers");
        let (answers, observations) = observe(&project, &project.answers)?;
        let kernel = Arc::new(kernel::build(&project.kernels, &project.items, &project.relations)?);
        let belief: Box<dyn Belief> = match inference {
            Inference::Ep => Box::new(EpParams::default().fit(kernel, &observations)?),
            Inference::Incremental => {
                let mut belief = Incremental::new(kernel, observations.len())?;
                for observation in &observations {
                    belief.observe(observation)?;
                }
                Box::new(belief)
            }
        };
        working.finish_and_clear();
        Ok(Self { project, answers, belief, learned: observations.len() })
    }
}

/// What a log says under the project's model of answers.
pub fn observe(project: &Project, log: &AnswerLog) -> Result<(AnswerModel, Vec<Observation>), Failure> {
    let standing = log.standing();
    if project.tie_width == 0.0 && standing.iter().any(|answer| answer.outcome == Outcome::Tie) {
        let error = InputError::new(&project.file, "a number above 0, since an answer is a tie");
        let hint = "write for example tie_width = 0.2 under [answers]: how close the utilities of a tie are";
        return Err(Failure::Library(error.column("tie_width").found("0").hint(hint).into()));
    }
    let answers = AnswerModel::new(project.noise, project.tie_width)?;
    let observations = answers.observe_all(standing)?;
    Ok((answers, observations))
}

/// Shown on a terminal from the first second on; nothing is drawn before that, nor if standard error is no terminal.
pub fn spinner(message: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(Duration::from_secs(1));
    spinner
}
