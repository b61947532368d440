//! An experiment, and how it is run.

use std::path::{Path, PathBuf};

use ordain::formats::write_whole;
use ordain::numeric::Seed;
use ordain::{Error, Result};

use crate::data::{DataFile, DataFolder};
use crate::findings::Findings;
use crate::record::General;

/// An experiment of a paper, or of our own.
pub struct Experiment {
    /// Its name, which is typed.
    pub name: &'static str,
    /// Its subject.
    pub title: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// The place in the paper; empty for an experiment of our own.
    pub figure: &'static str,
    /// The time of a full run on two cores, about.
    pub duration: &'static str,
    /// The paper's claim; in an experiment of our own, the question.
    pub claim: &'static str,
    /// The content of the paper's figure.
    pub(crate) setting: &'static str,
    /// How our data replace the paper's.
    pub(crate) design: &'static [&'static str],
    /// Why results may differ from the paper's.
    pub(crate) differences: &'static [&'static str],
    /// The files that it reads.
    pub data: &'static [DataFile],
    /// A version that rises with every change of its numbers.
    pub(crate) settings: u32,
    /// Its program.
    pub(crate) program: &'static dyn Program,
}

impl Experiment {
    /// Whether it is our own, not from a paper.
    pub fn is_own(&self) -> bool {
        self.figure.is_empty()
    }
}

/// The options of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The seed of all random choices.
    pub seed: Seed,
    /// Fewer queries and reruns: a look within a minute, not a result.
    pub quick: bool,
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The present stage: "tuning", "measuring".
    pub stage: &'static str,
    /// The finished part of the stage.
    pub done: usize,
    /// The whole of the stage.
    pub total: usize,
}

/// One run of an experiment: its data, and the place of its results.
pub(crate) struct Job<'a> {
    /// The folder of data.
    pub data: &'a DataFolder,
    /// The options.
    pub options: Options,
    /// The general part of the record.
    pub general: General,
    /// The place of its results.
    pub place: Place<'a>,
}

/// The place of an experiment's results.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// A folder, created when it is first claimed.
    pub folder: &'a Path,
    /// The name of the experiment.
    pub experiment: &'a str,
}

impl Place<'_> {
    /// The file with this ending.
    pub fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", self.experiment))
    }

    /// The file of the record.
    pub fn record(&self) -> PathBuf {
        self.file(".json")
    }
}

/// The program of an experiment. It keeps its results in [`Journal`](crate::journal::Journal)s, so that an interrupted
/// run goes on. Its findings are made from these files alone.
pub(crate) trait Program: Sync {
    /// Reads the data, [claims](crate::record::Record::claim) the place and computes the missing results.
    ///
    /// # Errors
    /// If data are wrong, the place holds results made under other conditions, or results cannot be computed or
    /// written.
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()>;

    /// The findings from the files at a place; none if the run is not finished.
    ///
    /// # Errors
    /// If files cannot be read or hold something else.
    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>>;
}

/// Computes the missing results of an experiment in a folder, which is created if needed, and writes its summary and
/// figures. Returns the findings. Results have the same bits for any number of threads and interruptions.
///
/// # Errors
/// If data are missing or wrong, the folder holds results made under other conditions, another run works on it, files
/// cannot be written, or a fit does not converge. Earlier results stay.
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

/// Writes a complete file, or none.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<()> {
    write_whole(path, |out| out.write_all(text.as_bytes()))
}
