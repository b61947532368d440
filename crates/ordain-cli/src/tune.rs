//! `ordain tune`: the kernels' parameters, the weights of the prior and the tie width from the answers.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::data::{ItemId, Items, Prior, TIE_WIDTH};
use ordain::formats::rounded;
use ordain::gp::{Observation, Tuned, TunedParameter, TuningMethod, TuningParams};
use ordain::kernel::{Parameter, ParameterName};
use ordain::numeric::Seed;
use ordain::{Error, InputError, Project};
use serde::Serialize;

use crate::output::{self, Format};
use crate::working::{during, working};
use crate::{Failure, Outcome, memory, word};

/// Learn the kernels' weights and shapes, the weights of the prior and the tie width from the answers
///
/// Finds the most probable parameters given the answers. They maximize the product of the evidence of the answers, as
/// EP approximates it, and a broad prior around ordinary values. The prior keeps lengths and weights within bounds if
/// there are few answers. The values are written into ordain.toml; comments and order stay. Kappa, the beta of
/// Laplacians and the noise are not tuned, because weights have the same effect. If rho is a list with one number per
/// attribute, a length is learned for every attribute. If [items] names columns as prior, their weights are learned as
/// prior_weights. If there are ties, their width is learned as tie_width under [answers]; the method em-ep holds it.
///
/// JSON: {"parameters":[{"name","before","value","low"?,"high"?}...],"log_evidence_before","log_evidence",
/// "log_posterior_before","log_posterior","answers","groups"?,"groups_without_answers"?,"evaluations","converged",
/// "written"}. CSV: one row per parameter. The weight of the first column of the prior is named prior[0], the width of ties
/// tie_width.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain tune
  ordain tune --dry-run --intervals")]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// Show the values without writing them
    #[arg(long)]
    dry_run: bool,
    /// Learn from every group by itself: groups share the parameters, and nothing else that is learned. So the groups
    /// that have answers teach those that have none, and many groups take less time than all at once
    #[arg(long)]
    groups: bool,
    /// Also show the 90 % interval of each value; takes two more evaluations per parameter
    #[arg(long)]
    intervals: bool,
    /// The method that maximizes the evidence
    #[arg(long, default_value = "ascent", value_parser = word::parser::<TuningMethod>())]
    method: TuningMethod,
    /// The number of additional starts, drawn at random around ordinary values, at most 1000. The values of the file
    /// are always a start
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u16).range(..=1000))]
    restarts: u16,
    /// The seed of the random starts [default: the project's seed]
    #[arg(long)]
    seed: Option<u64>,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Serialize)]
struct Report {
    parameters: Vec<Row>,
    log_evidence_before: f64,
    log_evidence: f64,
    log_posterior_before: f64,
    log_posterior: f64,
    answers: usize,
    /// The groups that have answers, and those that have none, if each is learned by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups_without_answers: Option<usize>,
    evaluations: usize,
    converged: bool,
    written: bool,
}

#[derive(Serialize)]
struct Row {
    name: String,
    before: f64,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut project = during("reading the project", || Project::open(&arguments.project))?;
    project.set_memory(memory::available());
    let observations = project.observations()?;
    let taught = taught_groups(arguments, project.items(), &observations);
    let working = working("tuning");
    let params = TuningParams::default()
        .with_method(arguments.method)
        .with_restarts(arguments.restarts.into())
        .with_by_group(arguments.groups)
        .with_seed(Seed(arguments.seed.unwrap_or(project.model().ask().seed)))
        .with_watch(working.watch());
    let tuned = project.tune(&params).map_err(|error| explained(error, &project))?;
    let mut values = tuned.values();
    values.iter_mut().for_each(|one| one.value = rounded(one.value));
    let spreads = match arguments.intervals {
        true => Some(project.model().clone().with_parameters(&values)?.uncertainty(&params)?),
        false => None,
    };
    drop(working);
    if !arguments.dry_run {
        project.save(&values)?;
    }
    let report = Report {
        parameters: rows(&tuned.parameters, &values, spreads),
        log_evidence_before: tuned.log_evidence_before,
        log_evidence: tuned.log_evidence,
        log_posterior_before: tuned.log_posterior_before,
        log_posterior: tuned.log_posterior,
        answers: observations.len(),
        groups: taught.map(|(with, _)| with),
        groups_without_answers: taught.map(|(_, without)| without),
        evaluations: tuned.evaluations,
        converged: tuned.converged,
        written: !arguments.dry_run,
    };
    match arguments.format {
        Format::Json => output::json(&report),
        Format::Csv => output::csv(&report.parameters),
        Format::Table => show(&report, &project),
    }?;
    conclude(&report, &tuned, &project.file().path.to_string_lossy());
    Ok(())
}

/// The number of groups that have answers, and of those that have none, if each is learned by itself.
fn taught_groups(arguments: &Arguments, items: &Items, observations: &[Observation]) -> Option<(usize, usize)> {
    let groups = items.groups().filter(|_| arguments.groups)?;
    let touched = observations.iter().flat_map(|one| one.functional.items());
    let taught: HashSet<usize> = touched.map(|item| groups.of(ItemId(item))).collect();
    Some((taught.len(), groups.len() - taught.len()))
}

/// Turns the error of a kernel that EM-EP cannot invert into an input error: the project chose the kernel.
fn explained(error: Error, project: &Project) -> Failure {
    match error {
        Error::NotPositiveDefinite { .. } => {
            let expected = "kernels under which no item is a function of the others, for --method em-ep";
            let hint = "add a [[kernel]] with kind = \"independent\", or leave out --method";
            Failure::Library(InputError::new(&project.file().path, expected).column("kernel").hint(hint).into())
        }
        error => error.into(),
    }
}

fn rows(tuned: &[TunedParameter], values: &[Parameter], spreads: Option<Vec<f64>>) -> Vec<Row> {
    /// A standard normal variable lies within ± this with 90 % probability.
    const NINETY: f64 = 1.645;
    let row = |(at, (one, written)): (usize, (&TunedParameter, &Parameter))| {
        let spread = spreads.as_ref().map(|spreads| spreads[at]);
        let is_weight_of_prior = Prior::column_of(&one.name).is_some();
        let end = |sign: f64| {
            spread.map(|spread| match is_weight_of_prior {
                true => written.value + sign * NINETY * spread,
                false => written.value * (sign * NINETY * spread).exp(),
            })
        };
        let (low, high) = (end(-1.0), end(1.0));
        Row { low, high, name: one.name.clone(), before: one.before, value: written.value }
    };
    tuned.iter().zip(values).enumerate().map(row).collect()
}

fn show(report: &Report, project: &Project) -> Outcome {
    let kernels = project.kernel_names();
    let columns = project.items().prior().map_or(&[][..], |prior| prior.columns().names());
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let intervals = report.parameters.iter().any(|row| row.low.is_some());
    let titles = ["part", "parameter", "before", "after"].into_iter();
    table.set_header(titles.chain(intervals.then_some("90 % interval")));
    let mut last = None;
    for row in &report.parameters {
        let (part, parameter) = match (ParameterName::parse(&row.name), Prior::column_of(&row.name)) {
            (Some(name), _) => (kernels.get(name.kernel).map_or("", String::as_str), name.own),
            (None, None) if row.name == TIE_WIDTH => ("answers", TIE_WIDTH),
            (None, Some(column)) => ("prior", columns.get(column).map_or("", String::as_str)),
            (None, None) => ("", &*row.name),
        };
        // The name of a part stands only in its first row. Two kernels never have the same name.
        let name = if last == Some(part) { "" } else { part }.to_owned();
        last = Some(part);
        let dash = if row.low.is_some_and(|low| low < 0.0) { " to " } else { "–" };
        let interval = row.low.zip(row.high).map(|(low, high)| format!("{}{dash}{}", short(low), short(high)));
        let cells = [name, parameter.to_owned(), short(row.before), short(row.value)];
        table.add_row(cells.into_iter().chain(interval));
    }
    for column in 2..5 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::table(&table)
}

/// A number with four significant digits.
pub fn short(value: f64) -> String {
    if !(1e-4..1e6).contains(&value.abs()) {
        return if value == 0.0 { "0".into() } else { format!("{value:.3e}") };
    }
    let places = (3 - value.abs().log10().floor() as i32).max(0) as usize;
    format!("{value:.places$}")
}

/// Prints the outcome for people.
fn conclude(report: &Report, tuned: &Tuned, file: &str) {
    let Report { log_evidence_before, log_evidence, answers, .. } = report;
    let answers = output::count(*answers, "answer");
    output::note(format!(
        "log evidence of {answers}: {} before, {} after",
        output::fixed(*log_evidence_before, 3),
        output::fixed(*log_evidence, 3)
    ));
    if let Some((with, without)) = report.groups.zip(report.groups_without_answers) {
        let taught = format!("learned on {} with answers, each by itself", output::count(with, "group"));
        output::note(match without {
            0 => taught,
            1 => format!("{taught}; the other one has the same parameters"),
            others => format!("{taught}; the other {others} have the same parameters"),
        });
    }
    if log_evidence < log_evidence_before {
        let (before, after) = (report.log_posterior_before, report.log_posterior);
        output::note(format!(
            "the prior on the parameters outweighs it: log posterior {} before, {} after",
            output::fixed(before, 3),
            output::fixed(after, 3)
        ));
    }
    if !tuned.converged && report.written {
        let slope = tuned.gradient;
        output::note(format!("not converged: a slope of {slope:.2} is left; run it again to continue from here"));
    }
    if report.written {
        output::note(format!("written to {file}"));
    }
}
