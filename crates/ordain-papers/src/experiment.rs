//! What an experiment is, and how one is run.

use std::path::{Path, PathBuf};

use ordain::formats::write_whole;
use ordain::numeric::Seed;
use ordain::{Error, Result};

use crate::data::{DataFile, DataFolder};
use crate::findings::Findings;
use crate::record::General;

/// An experiment of a paper, or of our own.
pub struct Experiment {
    /// What to call it by.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// Where in the paper; empty for an experiment of our own.
    pub figure: &'static str,
    /// About how long a full run takes on two cores.
    pub duration: &'static str,
    /// What the paper says came out; in an experiment of our own, what is asked.
    pub claim: &'static str,
    /// What the paper's figure shows.
    pub(crate) setting: &'static str,
    /// How the data at hand take the place of the paper's.
    pub(crate) design: &'static [&'static str],
    /// Why results may differ from the paper's.
    pub(crate) differences: &'static [&'static str],
    /// The files that it reads.
    pub data: &'static [DataFile],
    /// Rises with every change that changes its numbers.
    pub(crate) settings: u32,
    /// What it does.
    pub(crate) program: &'static dyn Program,
}

impl Experiment {
    /// Whether it is of no paper.
    pub fn is_own(&self) -> bool {
        self.figure.is_empty()
    }
}

/// How to run an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What all random choices derive from.
    pub seed: Seed,
    /// Fewer queries and reruns: a look within a minute, and no result.
    pub quick: bool,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What it is at: "tuning", "measuring".
    pub stage: &'static str,
    /// How much of that is done.
    pub done: usize,
    /// How much there is.
    pub total: usize,
}

/// One run of an experiment: what it reads, and where its results go.
pub(crate) struct Job<'a> {
    /// The folder of data, which holds all files.
    pub data: &'a DataFolder,
    /// How it is run.
    pub options: Options,
    /// The general part of what its results are made with.
    pub general: General,
    /// Where its results go.
    pub place: Place<'a>,
}

/// Where the results of an experiment are.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// A folder, which is made when it is first claimed.
    pub folder: &'a Path,
    /// The name of the experiment.
    pub experiment: &'a str,
}

impl Place<'_> {
    /// The file whose name ends so.
    pub fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", self.experiment))
    }

    /// What the results were made with.
    pub fn record(&self) -> PathBuf {
        self.file(".json")
    }
}

/// What an experiment does. Whatever it computes is kept in [`Journal`](crate::journal::Journal)s, so that a run that was
/// interrupted goes on; what it finds is made from these files alone.
pub(crate) trait Program: Sync {
    /// Reads the data, [claims](crate::record::Record::claim) the place and computes what is missing there.
    ///
    /// # Errors
    /// If data are wrong, the place holds results that were made otherwise, or results cannot be computed or written.
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()>;

    /// What the files at a place say; none if the run is not finished.
    ///
    /// # Errors
    /// If files cannot be read or hold anything else.
    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>>;
}

/// Computes what is missing of an experiment in a folder, which is made if it is not there, and writes its summary and
/// figures; gives what it found. Results have the same bits for any number of threads and of interruptions.
///
/// # Errors
/// If data are missing or wrong, the folder holds results that were made otherwise, another run is at work on it, files
/// cannot be written, or a fit does not converge. What was computed before stays.
pub fn run(
    experiment: &Experiment,
    data: &DataFolder,
    folder: &Path,
    options: Options,
    watch: &mut dyn FnMut(Progress),
) -> Result<Findings> {
    let general = General {
        experiment: experiment.name.into(),
        ordain: env!("CARGO_PKG_VERSION").into(),
        settings: experiment.settings,
        seed: options.seed.0,
        quick: options.quick,
        data: data.fingerprints(experiment.data)?,
    };
    let place = Place { folder, experiment: experiment.name };
    watch(Progress { stage: "reading", done: 0, total: 1 });
    let job = Job { data, options, general, place };
    experiment.program.compute(&job, watch)?;
    let findings = experiment.program.findings(place)?.ok_or_else(|| Error::Data {
        what: "results",
        found: format!("files of {} that another process cut off", experiment.name),
        expected: "what was just written; run it again".into(),
    })?;
    for (ending, text) in &findings.files {
        write_text(&place.file(ending), text)?;
    }
    Ok(findings)
}

/// Writes a file at once or not at all.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<()> {
    write_whole(path, |out| out.write_all(text.as_bytes()))
}
