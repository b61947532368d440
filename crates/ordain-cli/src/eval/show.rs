//! What `ordain eval` shows: means, and the values of every query with the runs side by side.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, Table, presets};
use ordain::measure::{Evaluation, Measure, RunEvaluation};
use serde::Serialize;

use super::WIDEST;
use crate::Outcome;
use crate::output::{self, Format};

/// What was measured.
pub struct Measured<'a> {
    pub evaluation: &'a Evaluation,
    pub measures: &'a [Measure],
    /// `[run][measure]`: the corrected p value against the first run.
    pub p: &'a [Vec<Option<f64>>],
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

impl Measured<'_> {
    /// Shows the means, or the values of every query.
    pub fn show(&self, format: Format, per_query: bool) -> Outcome {
        match (format, per_query) {
            (Format::Json, _) => output::json(&self.report(per_query)),
            (Format::Csv, false) => output::csv_table(&self.mean_header(), self.mean_rows()),
            (Format::Csv, true) => {
                let header = ["query".to_owned()].into_iter().chain(self.columns().map(|column| self.name(column)));
                let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
                output::csv_table(&header.collect::<Vec<_>>(), self.query_rows(number))
            }
            (Format::Table, true) => self.side_by_side(),
            (Format::Table, false) => self.means(),
        }
    }

    fn report(&self, per_query: bool) -> Report {
        let names: Vec<String> = self.measures.iter().map(ToString::to_string).collect();
        let of_query = |run: &RunEvaluation, at: usize| -> BTreeMap<String, f64> {
            let value = |(measure, name): (usize, &String)| Some((name.clone(), run.values[measure][at]?));
            names.iter().enumerate().filter_map(value).collect()
        };
        let run = |(at, run): (usize, &RunEvaluation)| RunReport {
            name: run.name.clone(),
            queries: run.counted(),
            measures: names.iter().enumerate().map(|(measure, name)| (name.clone(), run.mean(measure))).collect(),
            p: names.iter().zip(&self.p[at]).filter_map(|(name, p)| Some((name.clone(), (*p)?))).collect(),
            per_query: per_query.then(|| {
                let queries = self.evaluation.queries.iter().enumerate();
                queries
                    .map(|(at, query)| (query.clone(), of_query(run, at)))
                    .filter(|(_, values)| !values.is_empty())
                    .collect()
            }),
        };
        Report { runs: self.evaluation.runs.iter().enumerate().map(run).collect() }
    }

    fn mean_header(&self) -> Vec<String> {
        ["run", "queries"].map(str::to_owned).into_iter().chain(self.measures.iter().map(ToString::to_string)).collect()
    }

    fn mean_rows(&self) -> impl Iterator<Item = Vec<String>> {
        self.evaluation.runs.iter().map(|run| {
            let means = (0..run.values.len()).map(|measure| run.mean(measure).to_string());
            [run.name.clone(), run.counted().to_string()].into_iter().chain(means).collect()
        })
    }

    /// The columns of values: measure and run, measure by measure, so that the runs stand side by side.
    fn columns(&self) -> impl Iterator<Item = (usize, usize)> {
        let runs = self.evaluation.runs.len();
        (0..self.measures.len()).flat_map(move |measure| (0..runs).map(move |run| (measure, run)))
    }

    /// The name of a column: the run, with several measures the measure and the run, or with one run the measure.
    fn name(&self, (measure, run): (usize, usize)) -> String {
        let (name, measure) = (&self.evaluation.runs[run].name, self.measures[measure]);
        match (self.measures.len(), self.evaluation.runs.len()) {
            (1, _) => name.clone(),
            (_, 1) => measure.to_string(),
            _ => format!("{measure} {name}"),
        }
    }

    /// One row per query that some run answers. A run that does not has an empty cell.
    fn query_rows(&self, number: impl Fn(Option<f64>) -> String) -> impl Iterator<Item = Vec<String>> {
        self.evaluation.queries.iter().enumerate().filter_map(move |(at, query)| {
            let value = |(measure, run): (usize, usize)| self.evaluation.runs[run].values[measure][at];
            let values: Vec<Option<f64>> = self.columns().map(value).collect();
            let cells = values.iter().any(Option::is_some).then(|| values.into_iter().map(&number))?;
            Some([query.clone()].into_iter().chain(cells).collect())
        })
    }

    /// The mean of a measure of a run with its stars.
    fn mean(&self, measure: usize, run: usize) -> String {
        let star = match self.p[run][measure] {
            Some(p) if p < 0.01 => "**",
            Some(p) if p < 0.05 => "* ",
            _ => "  ",
        };
        format!("{}{star}", output::fixed(self.evaluation.runs[run].mean(measure), 4))
    }

    fn means(&self) -> Outcome {
        let rows = self.evaluation.runs.iter().enumerate().map(|(at, run)| {
            let means = (0..self.measures.len()).map(|measure| self.mean(measure, at));
            [output::cut(&run.name, WIDEST), run.counted().to_string()].into_iter().chain(means).collect()
        });
        draw(self.mean_header(), rows.collect())?;
        self.explain();
        Ok(())
    }

    fn side_by_side(&self) -> Outcome {
        let names = self.columns().map(|column| output::cut(&self.name(column), WIDEST));
        let header = ["query".to_owned()].into_iter().chain(names).collect();
        // The blanks stand below the stars of means.
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| output::fixed(value, 4) + "  ");
        let mut rows: Vec<Vec<String>> = self.query_rows(number).collect();
        rows.iter_mut().for_each(|row| row[0] = output::cut(&row[0], WIDEST));
        let means = self.columns().map(|(measure, run)| self.mean(measure, run));
        rows.push(["all".to_owned()].into_iter().chain(means).collect());
        draw(header, rows)?;
        let measures: Vec<String> = self.measures.iter().map(ToString::to_string).collect();
        output::note(match &self.evaluation.runs[..] {
            [run] => format!("{}: {}", output::cut(&run.name, WIDEST), measures.join(", ")),
            _ => format!("{}; all: the mean over the queries that a run answers", measures.join(", ")),
        });
        self.explain();
        Ok(())
    }

    /// What the stars mean.
    fn explain(&self) {
        if self.evaluation.runs.len() > 1 {
            let first = output::cut(&self.evaluation.runs[0].name, WIDEST);
            output::note(format!("* p < 0.05, ** p < 0.01 against {first} (paired t test, Holm's correction)"));
        }
    }
}

/// Writes a table to standard output; all columns but the first are numbers.
fn draw(header: Vec<String>, rows: Vec<Vec<String>>) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let columns = header.len();
    table.set_header(header);
    table.add_rows(rows);
    for column in 1..columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::table(&table)
}
