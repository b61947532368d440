//! Sessions that were played to their stop rule.

use comfy_table::{CellAlignment, Table, presets};
use ordain::active::{Contender, Ending, StopRule};
use serde::Serialize;

use crate::Outcome;
use crate::output::{self, Format};

#[derive(Serialize)]
struct Report<'a> {
    goal: &'static str,
    target: f64,
    runs: &'a [Run<'a>],
}

/// The endings of a contender.
#[derive(Serialize)]
pub struct Run<'a> {
    belief: &'static str,
    strategy: &'a str,
    sessions: usize,
    /// The sessions that met the rule.
    stopped: usize,
    /// Of these, the median, least and most answers; none if none stopped.
    answers_median: Option<usize>,
    answers_least: Option<usize>,
    answers_most: Option<usize>,
    /// Of these, the share that truly reached the goal, with its standard error.
    right: Option<f64>,
    right_se: Option<f64>,
    /// Of these, the mean of the probability that was stated.
    stated: Option<f64>,
    /// Of the others, the share that truly reached the goal.
    right_unstopped: Option<f64>,
}

/// Sums up the endings of every contender.
pub fn runs<'a>(contenders: &'a [Contender], endings: &[Vec<Ending>]) -> Vec<Run<'a>> {
    contenders.iter().zip(endings).map(|(contender, endings)| run(contender, endings)).collect()
}

fn run<'a>(contender: &'a Contender, endings: &[Ending]) -> Run<'a> {
    let (stopped, others): (Vec<&Ending>, Vec<&Ending>) = endings.iter().partition(|ending| ending.stopped);
    let mean = |of: &[&Ending], value: fn(&Ending) -> f64| {
        (!of.is_empty()).then(|| of.iter().map(|ending| value(ending)).sum::<f64>() / of.len() as f64)
    };
    let is_right = |ending: &Ending| f64::from(u8::from(ending.right));
    let mut answers: Vec<usize> = stopped.iter().map(|ending| ending.answers).collect();
    answers.sort_unstable();
    let right = mean(&stopped, is_right);
    Run {
        belief: contender.belief.name(),
        strategy: &contender.strategy,
        sessions: endings.len(),
        stopped: stopped.len(),
        answers_median: answers.get(answers.len() / 2).copied(),
        answers_least: answers.first().copied(),
        answers_most: answers.last().copied(),
        right,
        right_se: right.map(|right| (right * (1.0 - right) / stopped.len() as f64).sqrt()),
        stated: mean(&stopped, |ending| ending.stated),
        right_unstopped: mean(&others, is_right),
    }
}

/// Shows the endings.
pub fn show(runs: &[Run<'_>], rule: &StopRule, format: Format) -> Outcome {
    match format {
        Format::Json => output::json(&Report { goal: rule.goal.name(), target: rule.target, runs }),
        Format::Csv => output::csv(runs),
        Format::Table => {
            output::table(&table(runs))?;
            output::note(
                "right: the share of stopped sessions whose goal was truly reached; stated: what they said of it",
            );
            Ok(())
        }
    }
}

fn table(runs: &[Run<'_>]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["run", "stopped", "answers", "least to most", "right", "stated"]);
    for run in runs {
        let number = |value: Option<usize>| value.map_or("-".into(), |value| value.to_string());
        let share = |value: Option<f64>| value.map_or("-".into(), |value| output::fixed(value, 3));
        let range = run.answers_least.map_or("-".into(), |least| format!("{least} to {}", number(run.answers_most)));
        let error = run.right_se.map_or(String::new(), |error| format!(" \u{b1} {}", output::fixed(error, 3)));
        table.add_row([
            format!("{} {}", run.belief, run.strategy),
            format!("{} of {}", run.stopped, run.sessions),
            number(run.answers_median),
            range,
            format!("{}{error}", share(run.right)),
            share(run.stated),
        ]);
    }
    for column in 1..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
