//! `ordain reproduce`: runs the papers' experiments again.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use comfy_table::{CellAlignment, Table, presets};
use indicatif::ProgressBar;
use ordain::formats::check_apart;
use ordain::numeric::Seed;
use ordain_papers::{
    DataFile, DataFolder, Experiment, Findings, Gist, Options, Progress, experiments, find, write_report,
};

use crate::manners::is_quiet;
use crate::output::{self, typed};
use crate::working::{bar_style, during};
use crate::{Failure, Outcome};

/// Run the papers' experiments again
///
/// `ordain reproduce list` shows the experiments. A run writes its numbers as CSV, its figures as SVG, and one
/// report.html on everything in the folder. An interrupted run goes on where it stopped, and ends with the same
/// numbers.
#[derive(Args)]
#[command(after_long_help = data_help())]
pub struct Arguments {
    /// `list`, or the experiments to run
    #[arg(required = true, value_name = "NAME", value_parser = names())]
    names: Vec<String>,
    /// The folder of public data [default: the variable ORDAIN_DATA, else data]; docs/data.md says what it must hold
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The folder for the results
    #[arg(long, value_name = "DIR", default_value = "reproduce")]
    out: PathBuf,
    /// Run a small version in under a minute, to see that everything works
    #[arg(long)]
    quick: bool,
    /// The seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const LIST: &str = "list";

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(std::iter::once(LIST).chain(experiments().iter().map(|experiment| experiment.name)))
}

const EXAMPLES: &str = "Examples:
  ordain reproduce list
  ordain reproduce ssgp-spiral --quick --out tried
  ordain reproduce kp-bounds ud-bounds --quick --data data

";

/// Examples, and what the folder of data must hold.
fn data_help() -> String {
    let mut files: Vec<DataFile> = Vec::new();
    for &file in experiments().iter().flat_map(|experiment| experiment.data) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let mut out = EXAMPLES.to_owned();
    out.push_str("Files in the folder of data, gzipped. docs/data.md says where to get each of them.\n");
    for set in files.chunk_by(|a, b| a.collection == b.collection) {
        let _ = write!(out, "\n{}:\n", set[0].collection);
        for alike in set.chunk_by(|a, b| a.form == b.form) {
            alike.iter().for_each(|file| out.push_str(&format!("  {}\n", file.path)));
            let _ = writeln!(out, "      {}", alike[0].form);
        }
    }
    out
}

/// The folder of data, and the setting that named it.
fn data_place(arguments: &Arguments) -> (PathBuf, &'static str) {
    if let Some(path) = &arguments.data {
        return (path.clone(), "--data");
    }
    match std::env::var_os("ORDAIN_DATA") {
        Some(path) => (path.into(), "the variable ORDAIN_DATA"),
        None => ("data".into(), "the default, without --data and ORDAIN_DATA"),
    }
}

/// Says which files are not those that the recorded results were made with.
fn warn_of_other_files(experiment: &Experiment, data: &DataFolder) -> Outcome {
    let differing = during("checking the data", || data.differing(experiment.data))?;
    if !differing.is_empty() {
        let files: Vec<&str> = differing.iter().map(|file| file.path).collect();
        output::warn(format!(
            "results may differ from ours: docs/data.md lists another SHA-256 for {}",
            files.join(", ")
        ));
    }
    Ok(())
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    if arguments.names.iter().any(|name| name == LIST) {
        if arguments.names.len() > 1 {
            let message = "list cannot be combined with experiments".to_owned();
            return Err(Failure::Usage { message, hint: "ordain reproduce list, or ordain reproduce NAME..." });
        }
        return list();
    }
    let (place, named_by) = data_place(arguments);
    check_apart(&[("--out", &arguments.out)], &[(named_by, &place)])?;
    let data = DataFolder::new(place, named_by);
    let options = Options { seed: Seed(arguments.seed), quick: arguments.quick };
    for experiment in arguments.names.iter().filter_map(|name| find(name)) {
        warn_of_other_files(experiment, &data)?;
        let gist = one(experiment, &data, arguments, options)?.gist;
        // The report also covers other experiments in the folder. If it fails on one of those, this one was shown.
        show(experiment, &gist, options)?;
        if !gist.note.is_empty() {
            output::note(&gist.note);
        }
        // After every experiment, so that a failure of the next one leaves a report on this one.
        output::note(format!("More in {}", typed(during("writing the report", || write_report(&arguments.out))?)));
    }
    Ok(())
}

fn list() -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["name", "paper", "about", "takes about"]);
    for experiment in experiments() {
        let Experiment { name, paper, figure, title, duration, .. } = experiment;
        let short = paper.rsplit_once('(').and_then(|(_, end)| end.strip_suffix(')')).unwrap_or(paper);
        let place = if experiment.is_own() { "ours".to_owned() } else { format!("{short}, {figure}") };
        table.add_row([*name, &place, title, duration]);
    }
    output::table(&table)
}

/// Prints the gist of an experiment's findings.
fn show(experiment: &Experiment, gist: &Gist, options: Options) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(&gist.header);
    gist.rows.iter().for_each(|row| {
        table.add_row(row);
    });
    for column in 0..gist.header.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let quick = if options.quick { " (a quick run: few queries and reruns, no result)" } else { "" };
    output::text(format!("{}{quick}: {}", experiment.name, gist.title))?;
    output::table(&table)
}

fn one(
    experiment: &Experiment,
    data: &DataFolder,
    arguments: &Arguments,
    options: Options,
) -> Result<Findings, Failure> {
    // Drawn only if standard error is a terminal.
    let bar = if is_quiet() { ProgressBar::hidden() } else { ProgressBar::new(0) };
    let bar = bar.with_style(bar_style("{prefix}: {msg} {wide_bar} {pos}/{len}, {eta} left"));
    bar.set_prefix(experiment.name);
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut stage = "";
    let mut watch = |progress: Progress| {
        if progress.stage != stage {
            stage = progress.stage;
            bar.set_message(stage);
            // The work of an earlier run says nothing about the time that this run needs.
            bar.reset_eta();
        }
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
    };
    let result = ordain_papers::run(experiment, data, &arguments.out, options, &mut watch);
    bar.finish_and_clear();
    Ok(result?)
}
