//! What experiments there are, and how one is run.

use std::path::{Path, PathBuf};

use ordain::formats::write_whole;
use ordain::numeric::Seed;
use ordain::{Error, Result};

use crate::data::{DataFile, DataFolder};
use crate::known_pairs::Study;
use crate::record::{Files, Record};
use crate::summary::Summary;
use crate::{html, links, ohsumed, plot};

/// An experiment of a paper.
#[derive(Debug)]
pub struct Experiment {
    /// What to call it by.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The paper.
    pub paper: &'static str,
    /// Where in the paper.
    pub figure: &'static str,
    /// About how long a full run takes on two cores.
    pub duration: &'static str,
    /// What the paper says came out.
    pub claim: &'static str,
    /// The paper's reduction of the mean error, from and to.
    pub(crate) claimed_cut: (f64, f64),
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
    pub(crate) load: fn(&DataFolder, Options) -> Result<Study>,
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

/// All experiments.
pub fn experiments() -> &'static [Experiment] {
    const ALL: &[Experiment] = &[ohsumed::EXPERIMENT, links::EXPERIMENT, links::TOP];
    ALL
}

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    experiments().iter().find(|experiment| experiment.name == name)
}

/// Computes what is missing of an experiment in a folder, which is made if it is not there, and writes its summary and
/// figures; gives the summary. Results have the same bits for any number of threads and of interruptions.
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
) -> Result<Summary> {
    let fingerprints = data.fingerprints(experiment.data)?;
    watch(Progress { stage: "reading", done: 0, total: 1 });
    let study = (experiment.load)(data, options)?;
    let record = study.describe(Record {
        experiment: experiment.name.into(),
        ordain: env!("CARGO_PKG_VERSION").into(),
        settings: experiment.settings,
        seed: options.seed.0,
        quick: options.quick,
        data: fingerprints,
        known: Vec::new(),
        reruns: 0,
        tuning_draws: 0,
        tuned_on: Vec::new(),
        queries: Vec::new(),
    })?;
    let failed = |source| Error::Io { action: "create", path: folder.to_path_buf(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let files = Files::new(folder, experiment.name);
    record.claim(&files.record)?;
    let summary = Summary::new(&record, &study.run(&record, folder, watch)?)?;
    write_text(&files.summary, &summary.csv())?;
    write_text(&files.error, &plot::draw(&summary, plot::Measure::Error))?;
    write_text(&files.auc, &plot::draw(&summary, plot::Measure::Auc))?;
    Ok(summary)
}

/// Writes the report on all finished experiments in a folder; says where it is.
///
/// # Errors
/// If results cannot be read or the report cannot be written.
pub fn write_report(folder: &Path) -> Result<PathBuf> {
    let mut sections = Vec::new();
    for experiment in experiments() {
        let files = Files::new(folder, experiment.name);
        let Some(record) = Record::read(&files.record)? else { continue };
        sections.push(html::section(experiment, &record, Summary::read(&record, &files)?.as_ref()));
    }
    let path = folder.join("report.html");
    write_text(&path, &html::page(&sections))?;
    Ok(path)
}

fn write_text(path: &Path, text: &str) -> Result<()> {
    write_whole(path, |out| out.write_all(text.as_bytes()))
}
