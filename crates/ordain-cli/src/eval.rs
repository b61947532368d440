//! `ordain eval`: measures runs against judgements.

mod bounds;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::data::{Judgements, Run};
use ordain::formats::{read_letor, read_qrels, read_runs, read_scores};
use ordain::measure::{Evaluation, EvaluationParams, Measure, RunEvaluation, Ties, evaluate, holm, paired_t_test};
use ordain::{Error, InputError};
use serde::Serialize;

use self::bounds::BoundArguments;
use crate::output::{self, Format};
use crate::working::working;
use crate::{Failure, Outcome, labels, word};

/// Measure runs against judgements
///
/// This works like trec_eval, with several runs side by side. Scores order the documents; ranks that a run states are
/// ignored. A document without a judgement counts as not relevant. A query counts if it is both judged and answered.
///
/// A star marks a run whose mean differs from that of the first run: * for p < 0.05, ** for p < 0.01. The test is a
/// paired t test over the queries that both answer, with Holm's correction over the runs.
///
/// --bounds bounds the error of runs, or of a linear scorer, on queries not yet seen.
///
/// --truth measures rankings of labels that "ordain score --format csv" wrote: Hamming loss, ranking loss, one-error, coverage,
/// average precision, micro and macro F1 where the truth says which labels are relevant; Kendall's tau and the footrule, over
/// its largest value, where it orders them; accuracy where it is a class. Equal utilities count against a ranking, in tau and the footrule as half.
#[derive(Args)]
#[command(after_long_help = measures())]
pub struct Arguments {
    /// TREC runs (qid Q0 docid rank score tag); with --letor, files of scores, one per line; with --truth, rankings of labels
    #[arg(required_unless_present = "unlabelled", conflicts_with = "unlabelled", value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The judgements: TREC qrels (qid iteration docid grade)
    #[arg(long, value_name = "FILE", required_unless_present_any = ["letor", "truth"], conflicts_with_all = ["letor", "truth"])]
    qrels: Option<PathBuf>,
    /// Judgements in a LETOR file; each line of scores belongs to its line
    #[arg(long, value_name = "FILE")]
    letor: Option<PathBuf>,
    /// The true labels: ARFF, or a table such as CSV
    #[arg(long, value_name = "FILE", conflicts_with_all = ["letor", "bounds", "measure", "ties", "complete", "per_query"])]
    truth: Option<PathBuf>,
    /// With --truth, the columns that are labels, as for "ordain train labels"
    #[arg(long, value_name = "COLUMNS", requires = "truth")]
    labels: Option<String>,
    /// The measures, e.g. map,ndcg@10,p@5,mrr; may be given several times
    #[arg(long, value_delimiter = ',', default_value = "map,ndcg@10,p@10,mrr", value_parser = measure)]
    measure: Vec<Measure>,
    /// The order of documents with equal scores [default: trec; given with --letor]
    #[arg(long, value_parser = word::parser::<Ties>())]
    ties: Option<Ties>,
    /// Count judged queries that a run does not answer, as if the run had found nothing
    #[arg(long)]
    complete: bool,
    /// Show the values of every query
    #[arg(long)]
    per_query: bool,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    #[command(flatten)]
    bounds: BoundArguments,
}

/// The measures, one per line.
fn measures() -> String {
    let line = |measure: &Measure| {
        let others = measure.other_names().join(", ");
        let others = if others.is_empty() { others } else { format!(" (also {others})") };
        format!("  {:<14}{}{others}", measure.name(), measure.description())
    };
    let lines: Vec<String> = Measure::all().iter().map(line).collect();
    format!("Measures, k being a number:\n{}", lines.join("\n"))
}

fn measure(text: &str) -> Result<Measure, String> {
    text.parse().map_err(|error: Error| {
        let hint = error.hint().unwrap_or_default();
        format!("expected a known measure; {hint}")
    })
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    if let Some(truth) = &arguments.truth {
        return labels::eval::run(truth, arguments.labels.as_deref(), &arguments.runs, arguments.format);
    }
    if let (Some(letor), Some(unlabelled)) = (&arguments.letor, arguments.bounds.unlabelled()) {
        return bounds::of_scorer(&arguments.bounds, letor, unlabelled, arguments.format);
    }
    let working = working("measuring");
    let usual = if arguments.letor.is_some() { Ties::Given } else { Ties::Trec };
    let ties = arguments.ties.unwrap_or(usual);
    let measures = if arguments.bounds.bounds { Vec::new() } else { arguments.measure.clone() };
    let params = EvaluationParams::new(measures).with_ties(ties).with_complete(arguments.complete);
    let Input { judgements, runs, features } = read(arguments)?;
    let mut evaluation = Evaluation { queries: Vec::new(), runs: Vec::new() };
    let judged = arguments.letor.as_deref().or(arguments.qrels.as_deref()).unwrap_or(Path::new(""));
    for (path, run) in &runs {
        let one = evaluate(std::slice::from_ref(run), &judgements, &params);
        let one = one.map_err(|error| in_file(path, judged, error))?;
        evaluation.queries = one.queries;
        evaluation.runs.extend(one.runs);
    }
    drop(working);
    for ((path, _), run) in runs.iter().zip(&evaluation.runs) {
        let of = |warning| format!("warning: {}, run {}: {warning}", path.display(), run.name);
        run.warnings.iter().map(of).for_each(output::note);
    }
    if arguments.bounds.bounds {
        return bounds::of_runs(&arguments.bounds, judged, (&judgements, &runs), features, arguments.format);
    }
    let significance = significance(&evaluation);
    match (arguments.format, arguments.per_query) {
        (Format::Json, per_query) => output::json(&report(&evaluation, &params.measures, &significance, per_query)),
        (Format::Csv, false) => output::csv_table(&header(&params.measures, "queries"), mean_rows(&evaluation)),
        (Format::Csv, true) => output::csv_table(&header(&params.measures, "query"), query_rows(&evaluation)),
        (Format::Table, per_query) => show(&evaluation, &params.measures, &significance, per_query),
    }
}

/// What was read.
struct Input {
    judgements: Judgements,
    /// Every run with its file.
    runs: Vec<(PathBuf, Run)>,
    /// How many features a LETOR file has.
    features: Option<usize>,
}

fn read(arguments: &Arguments) -> Result<Input, Failure> {
    let mut runs = Vec::new();
    if let Some(letor) = &arguments.letor {
        let data = read_letor(letor)?;
        let mut judgements = Judgements::default();
        let mut places = Vec::with_capacity(data.items.len());
        for (item, &grade) in data.items.iter().zip(&data.grades) {
            let query = data.items.group_name(item).unwrap_or("1");
            let at = data.items.groups().map_or(0, |groups| groups.of(item));
            if at == judgements.queries.len() {
                judgements.queries.push((query.to_owned(), Default::default()));
            }
            let grade = whole(letor, data.lines[item.index()], grade)?;
            judgements.queries[at].1.insert(data.items.id(item).to_owned(), grade);
            places.push((at, data.items.id(item)));
        }
        for path in &arguments.runs {
            let scores = read_scores(path)?;
            if scores.len() != places.len() {
                let expected = format!("{} scores, one per line of {}", places.len(), letor.display());
                return Err(ordain::Error::from(InputError::new(path, expected).found(scores.len().to_string())).into());
            }
            let mut run = Run::new(path.file_stem().unwrap_or_default().to_string_lossy());
            run.queries = judgements.queries.iter().map(|(query, _)| (query.clone(), Vec::new())).collect();
            for (line, (&(query, document), &score)) in places.iter().zip(&scores).enumerate() {
                if !run.push(query, document, 0, score, line as u64 + 1) {
                    return Err(ordain::Error::from(InputError::new(letor, "at most 4 GiB of document ids")).into());
                }
            }
            runs.push((path.clone(), run));
        }
        return Ok(Input { judgements, runs, features: Some(data.items.attributes().len()) });
    }
    let qrels = arguments.qrels.as_deref().unwrap_or(Path::new(""));
    let judgements = read_qrels(qrels)?;
    for path in &arguments.runs {
        runs.extend(read_runs(path)?.into_iter().map(|run| (path.clone(), run)));
    }
    // Runs of several files often bear the same tag; then the files tell them apart.
    let tags: Vec<String> = runs.iter().map(|(_, run)| run.name.clone()).collect();
    for (path, run) in &mut runs {
        if tags.iter().filter(|tag| **tag == run.name).count() > 1 {
            run.name = path.display().to_string();
        }
    }
    Ok(Input { judgements, runs, features: None })
}

/// The grade on a line, as measures need it. LETOR allows any number.
pub fn whole(letor: &Path, line: u64, grade: f64) -> ordain::Result<i32> {
    if grade.fract() == 0.0 && grade.abs() <= f64::from(i32::MAX) {
        return Ok(grade as i32);
    }
    Err(InputError::new(letor, "whole numbers as grades").line(line).column(1).found(grade.to_string()).into())
}

/// An error of a run or of a judgement, with its file.
fn in_file(path: &Path, judged: &Path, error: ordain::Error) -> Failure {
    match error {
        ordain::Error::Data { what: "grades", found, expected } => {
            let hint = "leave out the measure, or map the grades to smaller ones";
            ordain::Error::from(InputError::new(judged, expected).found(found).hint(hint)).into()
        }
        ordain::Error::Data { what: "run", found, expected } => {
            let hint = "trec_eval refuses such a run too: mend the file";
            ordain::Error::from(InputError::new(path, expected).found(found).hint(hint)).into()
        }
        other => other.into(),
    }
}

/// `[run][measure]`: the corrected p value against the first run. None for the first run and where no test is possible.
fn significance(evaluation: &Evaluation) -> Vec<Vec<Option<f64>>> {
    let runs = &evaluation.runs;
    let measures = runs.first().map_or(0, |run| run.values.len());
    let by_measure: Vec<Vec<Option<f64>>> = (0..measures).map(|measure| significance_of(runs, measure)).collect();
    (0..runs.len()).map(|run| by_measure.iter().map(|p| p[run]).collect()).collect()
}

/// The corrected p value of every run in one measure.
fn significance_of(runs: &[RunEvaluation], measure: usize) -> Vec<Option<f64>> {
    let test = |run: usize| {
        let pairs = runs[0].values[measure].iter().zip(&runs[run].values[measure]);
        let (first, other): (Vec<f64>, Vec<f64>) = pairs.filter_map(|(a, b)| Some(((*a)?, (*b)?))).unzip();
        Some((run, paired_t_test(&first, &other).ok()?.p))
    };
    let tested: Vec<(usize, f64)> = (1..runs.len()).filter_map(test).collect();
    let values: Vec<f64> = tested.iter().map(|&(_, p)| p).collect();
    let mut out = vec![None; runs.len()];
    for (&(run, _), p) in tested.iter().zip(holm(&values).unwrap_or_default()) {
        out[run] = Some(p);
    }
    out
}

#[derive(Serialize)]
struct Report {
    runs: Vec<RunReport>,
}

#[derive(Serialize)]
struct RunReport {
    name: String,
    queries: usize,
    measures: BTreeMap<String, f64>,
    /// Corrected p values against the first run.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    p: BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_query: Option<BTreeMap<String, BTreeMap<String, f64>>>,
}

fn report(evaluation: &Evaluation, measures: &[Measure], p: &[Vec<Option<f64>>], per_query: bool) -> Report {
    let names: Vec<String> = measures.iter().map(ToString::to_string).collect();
    let of_query = |run: &RunEvaluation, at: usize| -> BTreeMap<String, f64> {
        let value = |(measure, name): (usize, &String)| Some((name.clone(), run.values[measure][at]?));
        names.iter().enumerate().filter_map(value).collect()
    };
    let run = |(at, run): (usize, &RunEvaluation)| RunReport {
        name: run.name.clone(),
        queries: run.counted(),
        measures: names.iter().enumerate().map(|(measure, name)| (name.clone(), run.mean(measure))).collect(),
        p: names.iter().zip(&p[at]).filter_map(|(name, p)| Some((name.clone(), (*p)?))).collect(),
        per_query: per_query.then(|| {
            let queries = evaluation.queries.iter().enumerate();
            queries
                .map(|(at, query)| (query.clone(), of_query(run, at)))
                .filter(|(_, values)| !values.is_empty())
                .collect()
        }),
    };
    Report { runs: evaluation.runs.iter().enumerate().map(run).collect() }
}

fn header(measures: &[Measure], second: &str) -> Vec<String> {
    ["run".to_owned(), second.to_owned()].into_iter().chain(measures.iter().map(ToString::to_string)).collect()
}

fn mean_rows(evaluation: &Evaluation) -> impl Iterator<Item = Vec<String>> {
    evaluation.runs.iter().map(|run| {
        let means = (0..run.values.len()).map(|measure| run.mean(measure).to_string());
        [run.name.clone(), run.counted().to_string()].into_iter().chain(means).collect()
    })
}

fn query_rows(evaluation: &Evaluation) -> impl Iterator<Item = Vec<String>> {
    evaluation.runs.iter().flat_map(|run| {
        let row = |(at, query): (usize, &String)| {
            let values = run.values.iter().map(|values| values[at].map(|value| value.to_string()));
            let values: Vec<String> = values.collect::<Option<_>>()?;
            Some([run.name.clone(), query.clone()].into_iter().chain(values).collect())
        };
        evaluation.queries.iter().enumerate().filter_map(row).collect::<Vec<_>>()
    })
}

/// The widest name of a run or a query that a table shows.
const WIDEST: usize = 60;

fn show(evaluation: &Evaluation, measures: &[Measure], p: &[Vec<Option<f64>>], per_query: bool) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header(measures, if per_query { "query" } else { "queries" }));
    if per_query {
        let short = |cell: String| cell.parse::<f64>().map_or(cell, |value| output::fixed(value, 4));
        for row in query_rows(evaluation) {
            let (names, values) = row.split_at(2);
            let names = names.iter().map(|name| output::cut(name, WIDEST));
            table.add_row(names.chain(values.iter().cloned().map(short)));
        }
    }
    for (run, p) in evaluation.runs.iter().zip(p) {
        let star = |p: &Option<f64>| match p {
            Some(p) if *p < 0.01 => "**",
            Some(p) if *p < 0.05 => "* ",
            _ => "  ",
        };
        let means =
            p.iter().enumerate().map(|(measure, p)| format!("{}{}", output::fixed(run.mean(measure), 4), star(p)));
        let count = if per_query { "all".to_owned() } else { run.counted().to_string() };
        table.add_row([output::cut(&run.name, WIDEST), count].into_iter().chain(means));
    }
    for column in 1..=measures.len() + 1 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::table(&table)?;
    if evaluation.runs.len() > 1 {
        let first = output::cut(&evaluation.runs[0].name, WIDEST);
        output::note(format!("* p < 0.05, ** p < 0.01 against {first} (paired t test, Holm's correction)"));
    }
    Ok(())
}
