//! `ordain eval --truth`: measures rankings of labels.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use comfy_table::{CellAlignment, Table, presets};
use ordain::formats::{LabelTable, Table as Rows};
use ordain::learn::labels::{LabelEvaluation, LabelKind, LabelPrediction, LabelledExamples};
use ordain::{Error, InputError};
use serde::Serialize;

use super::columns;
use crate::output::{self, Format};
use crate::working::working;
use crate::{Failure, Outcome};

/// Runs the part of the subcommand.
pub fn run(truth: &Path, named: Option<&str>, files: &[PathBuf], format: Format) -> Outcome {
    let working = working("measuring");
    let table = LabelTable::read_labels(truth, &columns(named, truth)?)?;
    let examples = LabelledExamples::from_table(&table, LabelKind::of(std::slice::from_ref(&table))?)?;
    // A class that nobody predicts is no label of the rankings.
    let known = if table.labels().len() == 1 { &[][..] } else { examples.labels() };
    let mut measured = Vec::new();
    for path in files {
        let (labels, found) = predictions(path, known, examples.len())?;
        let in_file =
            |error: Error| InputError::new(path, error.to_string()).hint("its labels must be those of --truth");
        let targets = examples.targets_for(&labels).map_err(|error| Error::from(in_file(error)))?;
        measured.push((path.display().to_string(), LabelEvaluation::of(&found, &targets, labels.len())?));
    }
    drop(working);
    show(&measured, format)
}

/// The rankings that `ordain score --format csv` wrote for so many examples, and their labels: those of the truth, and others behind them.
fn predictions(path: &Path, known: &[String], examples: usize) -> Result<(Vec<String>, Vec<LabelPrediction>), Failure> {
    let table = Rows::read(path)?;
    let [example, label, utility, relevant] =
        ["example", "label", "utility", "relevant"].map(|name| table.column(name));
    let (example, label, utility, relevant) = (example?, label?, utility?, relevant?);
    let mut labels: Vec<String> = known.to_vec();
    let mut utilities: Vec<Vec<(usize, f64)>> = vec![Vec::new(); examples];
    let mut calibrated = true;
    for row in 0..table.len() {
        let wrong = |column: usize, expected: String| {
            let error = InputError::new(path, expected).line(table.line(row));
            Error::from(error.column(table.columns()[column].clone()).found(table.cell(row, column)))
        };
        let at = table.cell(row, example).parse().ok().filter(|at| (1..=examples).contains(at));
        let at = at.ok_or_else(|| wrong(example, format!("the number of an example, from 1 to {examples}")))?;
        let name = table.cell(row, label);
        let of = labels.iter().position(|label| label == name).unwrap_or_else(|| {
            labels.push(name.to_owned());
            labels.len() - 1
        });
        let value = table.cell(row, utility).parse().ok().filter(|value: &f64| value.is_finite());
        let value = value.ok_or_else(|| wrong(utility, "a finite number".into()))?;
        if utilities[at - 1].iter().any(|(other, _)| *other == of) {
            return Err(wrong(label, "every label of an example once".into()).into());
        }
        utilities[at - 1].push((of, value));
        calibrated &= !table.cell(row, relevant).is_empty();
    }
    let mut found = Vec::with_capacity(examples);
    for (at, mut own) in utilities.into_iter().enumerate() {
        if own.len() != labels.len() {
            let expected = format!("{} labels of example {}", labels.len(), at + 1);
            return Err(Error::from(InputError::new(path, expected).found(own.len().to_string())).into());
        }
        own.sort_unstable_by_key(|(label, _)| *label);
        found.push(LabelPrediction::new(own.into_iter().map(|(_, value)| value).collect(), None, calibrated));
    }
    Ok((labels, found))
}

/// The measures in their order, with their names.
fn values(evaluation: &LabelEvaluation) -> [(&'static str, Option<f64>); 10] {
    [
        ("hamming", evaluation.hamming),
        ("ranking-loss", evaluation.ranking_loss),
        ("one-error", evaluation.one_error),
        ("coverage", evaluation.coverage),
        ("average-precision", evaluation.average_precision),
        ("micro-f1", evaluation.micro_f1),
        ("macro-f1", evaluation.macro_f1),
        ("accuracy", evaluation.accuracy),
        ("tau", evaluation.tau),
        ("footrule", evaluation.footrule),
    ]
}

/// The measures that are known, by name.
pub fn measures(evaluation: &LabelEvaluation) -> BTreeMap<&'static str, f64> {
    values(evaluation).into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

#[derive(Serialize)]
struct Report<'a> {
    runs: Vec<RunReport<'a>>,
}

#[derive(Serialize)]
struct RunReport<'a> {
    name: &'a str,
    examples: usize,
    measures: BTreeMap<&'static str, f64>,
}

/// Shows a column per file for people, a row per file for programs.
pub fn show(measured: &[(String, LabelEvaluation)], format: Format) -> Outcome {
    if measured.is_empty() {
        return Ok(());
    }
    match format {
        Format::Json => {
            let runs = measured.iter().map(|(name, evaluation)| RunReport {
                name,
                examples: evaluation.examples,
                measures: measures(evaluation),
            });
            output::json(&Report { runs: runs.collect() })
        }
        Format::Csv => {
            let names = values(&measured[0].1).map(|(name, _)| name.to_owned());
            let header: Vec<String> = ["run".to_owned(), "examples".into()].into_iter().chain(names).collect();
            let row = |(name, evaluation): &(String, LabelEvaluation)| {
                let cells = values(evaluation).map(|(_, value)| value.map_or(String::new(), |value| value.to_string()));
                [name.clone(), evaluation.examples.to_string()].into_iter().chain(cells).collect()
            };
            output::csv_table(&header, measured.iter().map(row))
        }
        Format::Table => table(measured),
    }
}

fn table(measured: &[(String, LabelEvaluation)]) -> Outcome {
    const WIDEST: usize = 30;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let names = measured.iter().map(|(name, _)| output::cut(name, WIDEST));
    table.set_header([String::new()].into_iter().chain(names));
    for (at, (name, _)) in values(&measured[0].1).iter().enumerate() {
        let cells: Vec<Option<f64>> = measured.iter().map(|(_, evaluation)| values(evaluation)[at].1).collect();
        if cells.iter().any(Option::is_some) {
            let shown = cells.iter().map(|value| value.map_or(String::new(), |value| output::fixed(value, 4)));
            table.add_row([(*name).to_owned()].into_iter().chain(shown));
        }
    }
    for column in 1..=measured.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::table(&table)
}
