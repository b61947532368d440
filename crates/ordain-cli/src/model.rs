//! From a project to a belief, as every subcommand needs it.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ordain::data::{AnswerLog, ItemId, Items, Newcomers, Outcome};
use ordain::formats::{NewLinks, Project};
use ordain::gp::{AnswerModel, Belief, EpParams, Incremental, Observation};
use ordain::{InputError, kernel};

use crate::{Failure, output};

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
    /// The project's items and then newcomers, if there are any.
    all: Option<Items>,
}

/// Items that the project does not have, and files of their links.
pub struct Unseen<'a> {
    pub items: &'a Path,
    pub links: &'a [NewLinks],
}

impl Model {
    /// Opens a project and learns from its answers.
    pub fn open(path: &Path, inference: Inference) -> Result<Self, Failure> {
        Self::open_with(path, inference, None)
    }

    /// Opens a project, learns from its answers, and believes accordingly of items that it does not have.
    pub fn open_with(path: &Path, inference: Inference, unseen: Option<&Unseen<'_>>) -> Result<Self, Failure> {
        let project = open_project(path)?;
        let newcomers = unseen.map(|unseen| project.newcomers(unseen.items, unseen.links)).transpose()?;
        let working = working("learning from the answers");
        let (answers, observations) = observe(&project, &project.answers)?;
        let joint = newcomers.as_ref().map(|newcomers| kernel::build_with_newcomers(&project.kernels, newcomers));
        let joint = joint.transpose()?.map(Arc::new);
        let kernel = || kernel::build(&project.kernels, &project.items, &project.relations).map(Arc::new);
        let belief: Box<dyn Belief> = match (inference, joint) {
            (Inference::Ep, None) => Box::new(EpParams::default().fit(kernel()?, &observations)?),
            (Inference::Ep, Some(joint)) => {
                Box::new(EpParams::default().fit(kernel()?, &observations)?.with_newcomers(joint)?)
            }
            (Inference::Incremental, joint) => {
                // Steps are along known items, so that newcomers change nothing for those.
                let kernel = joint.map_or_else(kernel, Ok)?;
                let mut belief = Incremental::new(kernel, observations.len())?;
                for observation in &observations {
                    belief.observe(observation)?;
                }
                Box::new(belief)
            }
        };
        drop(working);
        let all = newcomers.map(Newcomers::into_items);
        Ok(Self { project, answers, belief, learned: observations.len(), all })
    }

    /// The items that the belief is about: the project's, then newcomers.
    pub fn items(&self) -> &Items {
        self.all.as_ref().unwrap_or(&self.project.items)
    }

    /// Whether some are newcomers.
    pub fn has_newcomers(&self) -> bool {
        self.all.is_some()
    }

    /// Whether an item is a newcomer.
    pub fn is_new(&self, item: ItemId) -> bool {
        item.index() >= self.project.items.len()
    }
}

/// Opens a project; says what one is if a table is named in its place.
pub fn open_project(path: &Path) -> Result<Project, Failure> {
    if path.is_file() && path.extension().is_none_or(|ending| ending != "toml") {
        let error =
            InputError::new(path, "a folder with an ordain.toml, or such a file").found("a file of another kind");
        let hint = format!("to make a project of a table: ordain init {}", output::typed(path));
        return Err(Failure::Library(error.hint(hint).into()));
    }
    Ok(Project::open(path)?)
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

/// What the kernels are called: by their kind and relation, and by their number too where that is not enough.
pub fn kernel_names(project: &Project) -> Vec<String> {
    let name = |spec: &kernel::KernelSpec| {
        let file = spec.shape.relation().and_then(|relation| project.relation_files[relation].file_name());
        let over = file.map(|file| format!(" over {}", file.to_string_lossy())).unwrap_or_default();
        format!("{}{over}", spec.shape.kind())
    };
    let names: Vec<String> = project.kernels.iter().map(name).collect();
    let several = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let numbered = names.iter().enumerate().map(|(number, name)| match several(name) {
        true => format!("{name} (kernel[{number}])"),
        false => name.clone(),
    });
    numbered.collect()
}

/// Work that a spinner is shown for on a terminal if it takes more than a second; over when this is dropped.
pub struct Working {
    spinner: ProgressBar,
    over: Option<Sender<()>>,
    shown: Option<JoinHandle<()>>,
}

/// Starts such work. Nothing is drawn if standard error is no terminal.
pub fn working(on: &'static str) -> Working {
    let (over, waits) = channel();
    let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    spinner.set_style(ProgressStyle::default_spinner());
    spinner.set_message(on);
    let drawn = spinner.clone();
    let shown = thread::spawn(move || {
        if waits.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
            drawn.set_draw_target(ProgressDrawTarget::stderr());
            drawn.enable_steady_tick(Duration::from_millis(100));
            let _ = waits.recv();
            drawn.finish_and_clear();
        }
    });
    Working { spinner, over: Some(over), shown: Some(shown) }
}

impl Working {
    /// Says how far the work is.
    pub fn say(&self, what: String) {
        self.spinner.set_message(what);
    }

    /// Says how far the work is, in steps of how many; a bar shows it.
    pub fn progress(&self, over: usize, of: usize) {
        if self.spinner.length().is_none() {
            let style = ProgressStyle::with_template("{spinner} {msg} {wide_bar} {pos} of {len}, {eta} left");
            self.spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            self.spinner.set_length(of as u64);
        }
        self.spinner.set_position(over as u64);
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.over.take();
        // Waited for, so that the spinner is gone from the terminal before anything else is written there.
        if let Some(shown) = self.shown.take() {
            let _ = shown.join();
        }
    }
}
