//! Predictions of many pairs.

use std::borrow::Cow;
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};
use ordain::Project;
use serde::Serialize;

use super::{Arguments, fit};
use crate::Outcome;
use crate::output::{self, Format};
use crate::working::working;

#[derive(Serialize)]
struct Report<'a> {
    pairs: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    first: &'a str,
    second: &'a str,
    /// What people see in place of the ids.
    #[serde(skip)]
    labels: [Cow<'a, str>; 2],
    probability: f64,
    tie: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
}

/// Predicts every pair of a file.
pub fn run(arguments: &Arguments, project: &Project, file: &Path) -> Outcome {
    let pairs = project.pairs(file)?;
    let fitted = fit(arguments, project)?;
    let predicting = working("predicting");
    let predictions = fitted.predict_many(&pairs, &predicting.watch())?;
    drop(predicting);
    let items = project.items();
    let rows = pairs.iter().zip(predictions).map(|(&(first, second), predicted)| Row {
        first: items.id(first),
        second: items.id(second),
        labels: [first, second].map(|item| items.label(item)),
        probability: predicted.probability,
        tie: predicted.tie,
        group: items.group_name(first),
    });
    let rows: Vec<Row<'_>> = rows.collect();
    match arguments.format {
        Format::Json => output::json(&Report { pairs: rows }),
        Format::Csv => csv(&rows, items.groups().is_some()),
        Format::Table => show(&rows, items.groups().is_some()),
    }
}

/// Writes CSV. The header is written even if there is no pair.
fn csv(rows: &[Row<'_>], grouped: bool) -> Outcome {
    let header = ["first", "second", "probability", "tie"].into_iter().chain(grouped.then_some("group"));
    let cells = |row: &Row<'_>| {
        let names = [row.first, row.second].map(str::to_owned).into_iter();
        let numbers = [row.probability, row.tie].map(|number| number.to_string());
        names.chain(numbers).chain(row.group.map(str::to_owned)).collect()
    };
    output::csv_table(&header.map(str::to_owned).collect::<Vec<_>>(), rows.iter().map(cells))
}

/// Shows a table for people: the probability of each item, and of a tie if there can be one.
fn show(rows: &[Row<'_>], grouped: bool) -> Outcome {
    if rows.is_empty() {
        output::note("no pair in the file");
        return Ok(());
    }
    let ties = rows.iter().any(|row| row.tie > 0.0);
    /// The shortest length to which names are cut.
    const SHORTEST: usize = 8;
    // The room that the numbers and the spaces around cells leave. If it is too small, a name gets a line.
    let room = output::columns().saturating_sub(if ties { 42 } else { 32 }) / if grouped { 3 } else { 2 };
    let width = if room < SHORTEST { output::columns() } else { room };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let headings = ["first", "second", "first wins", "second wins"];
    table.set_header(grouped.then_some("group").into_iter().chain(headings).chain(ties.then_some("tie")));
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    for row in rows {
        let names =
            row.group.into_iter().chain(row.labels.iter().map(AsRef::as_ref)).map(|name| output::cut(name, width));
        let wins = [row.probability, 1.0 - row.probability - row.tie].map(percent);
        table.add_row(names.chain(wins).chain(ties.then(|| percent(row.tie))));
    }
    for column in 2..5 {
        if let Some(column) = table.column_mut(column + usize::from(grouped)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::table(&table)
}
