//! `cor-breakfast`: the settings of `cor-jester`, on people who had no part in choosing them.

use std::fmt::Write;

use ordain::Result;
use ordain::data::{ItemId, Opinions};
use ordain::measure::{Mean, mean};
use ordain::numeric::Seed;
use ordain_plot::html;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::PAPER;
use super::methods::{GRADES, METHODS, Split};
use crate::collections::breakfast::{self, DISHES, FILES, Order};
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::{Findings, Gist};
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;
use crate::stream::Phase;

pub const EXPERIMENT: Experiment = Experiment {
    name: "cor-breakfast",
    title: "Grades of many users, with settings that were chosen elsewhere",
    paper: PAPER,
    figure: "tables 1 and 2",
    duration: "20 seconds",
    claim: "Models of users who share a prior predict grades better than models of every user alone.",
    setting: "As in cor-jester.",
    design: &[
        "42 persons put 15 dishes in order, in six situations. The first three of a person have grade 5, the next three 4, and so on. Nine dishes of every person, \
         each his own, teach; six test. Five splits per situation.",
        "The kernel of dishes is their correlation over the orders of the next situation.",
        "Shrinkage, noise, rounds and spreads are the defaults, which were chosen on Jester.",
        "Errors are over the six situations. The same 42 persons answered in all of them, so the situations are not quite independent.",
    ],
    differences: &["Orders in place of grades: all persons have the same shares of grades."],
    data: &FILES,
    settings: 1,
    program: &Breakfast,
};

struct Breakfast;

/// The dishes of a person that teach.
const TAUGHT: usize = 9;

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    splits: usize,
}

impl Plan {
    fn layout(&self) -> Layout {
        let errors = METHODS.iter().flat_map(|(name, _)| {
            let name = name.replace(", ", "_").replace(' ', "_");
            [format!("{name}_absolute"), format!("{name}_zero_one")]
        });
        let columns = ["situation", "split"].into_iter().map(str::to_owned).chain(errors).collect();
        let key = |at: usize| format!("{},{}", at / self.splits + 1, at % self.splits + 1);
        Layout { columns, keys: (0..FILES.len() * self.splits).map(key).collect() }
    }
}

impl Program for Breakfast {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let read = |situation| breakfast::read(job.data, situation);
        let orders = (0..FILES.len()).map(read).collect::<Result<Vec<_>>>()?;
        let plan = Plan { splits: if job.options.quick { 1 } else { 5 } };
        Record { general: job.general.clone(), plan: plan.clone() }.claim(&job.place.record())?;
        let mut journal = Journal::open(&job.place.file(".csv"), plan.layout())?.in_batches_of(2);
        let total = plan.layout().keys.len();
        watch(Progress { stage: "measuring", done: journal.done(), total });
        let compute = |at: usize| {
            let situation = at / plan.splits;
            let split = split(&orders[situation], job.options.seed, at);
            let raters: Vec<Vec<(ItemId, f64)>> = orders[(situation + 1) % orders.len()].iter().map(places).collect();
            let mut row = Row::new();
            for (_, method) in &METHODS {
                row.extend(split.errors(method, &raters, None)?.map(Some));
            }
            Ok(row)
        };
        journal.complete(0..total, compute, |done| watch(Progress { stage: "measuring", done, total }))
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let rows = plan.layout().read_finished(&place.file(".csv"))?;
        Ok(rows.map(|rows| findings(&plan, &rows)))
    }
}

/// How early every dish comes.
fn places(order: &Order) -> Vec<(ItemId, f64)> {
    order.iter().enumerate().map(|(place, &dish)| (ItemId::new(dish), -(place as f64))).collect()
}

/// Nine dishes of every person teach, the others test.
fn split(orders: &[Order], seed: Seed, number: usize) -> Split {
    let mut stream = seed.stream(Phase::Measuring.of_match(number, 0));
    let (mut taught, mut tests) = (Vec::new(), Vec::new());
    for order in orders {
        let grade = |place: usize| GRADES - 1 - place * GRADES / DISHES;
        let mut graded: Vec<(usize, usize)> =
            order.iter().enumerate().map(|(place, &dish)| (dish, grade(place))).collect();
        graded.shuffle(&mut stream);
        tests.push(graded.split_off(TAUGHT));
        let grades = graded.into_iter().map(|(dish, grade)| (ItemId::new(dish), grade)).collect();
        taught.push(Opinions { grades, answers: Vec::new() });
    }
    Split { items: DISHES, taught, tests }
}

/// The errors of a method, situation by situation: splits of one situation share their persons.
fn column(plan: &Plan, rows: &[Row], method: usize, error: usize) -> Vec<f64> {
    let of =
        |rows: &[Row]| mean(&rows.iter().map(|row| row[2 * method + error].unwrap_or(f64::NAN)).collect::<Vec<_>>());
    rows.chunks(plan.splits).map(of).collect()
}

fn findings(plan: &Plan, rows: &[Row]) -> Findings {
    let cell = |method: usize, error: usize| {
        let found = Mean::of(&column(plan, rows, method, error));
        format!("{:.3} ± {:.3}", found.value, found.error)
    };
    let line = |method: usize| vec![METHODS[method].0.to_owned(), cell(method, 0), cell(method, 1)];
    let table: Vec<Vec<String>> = (0..METHODS.len()).map(line).collect();
    let header = ["model", "absolute error", "zero-one error"];
    let at = |name: &str| METHODS.iter().position(|(own, _)| *own == name).unwrap_or_default();
    let mut comparison = String::new();
    for (own, other) in [("CGPR", "GPR"), ("CGPOR", "GPOR"), ("CGPOR, 20 rounds", "CGPOR, 3 rounds")] {
        let less = |error: usize| {
            let pairs = column(plan, rows, at(own), error).into_iter().zip(column(plan, rows, at(other), error));
            let found = Mean::of(&pairs.map(|(own, other)| own - other).collect::<Vec<_>>());
            format!("{:+.3} ± {:.3}", found.value, found.error).replace('-', "−")
        };
        let _ =
            write!(comparison, "<p>{own} less {other}: absolute error {}, zero-one error {}.</p>", less(0), less(1));
    }
    let note = "means over situations, with their standard errors".to_owned();
    Findings {
        measured: html::table(&format!("Grades of dishes that did not teach: {note}."), &header, &table),
        gist: Gist { title: "Predicted grades".into(), header: header.map(str::to_owned).to_vec(), rows: table, note },
        how: format!("<p>{} situations, {} splits each.</p>", FILES.len(), plan.splits),
        comparison,
        files: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three dishes per grade, of which each teaches or tests.
    #[test]
    fn splits() {
        let orders = vec![(0..DISHES).rev().collect::<Order>(); 4];
        let split = split(&orders, Seed(1), 0);
        for (taught, tests) in split.taught.iter().zip(&split.tests) {
            let taught = taught.grades.iter().map(|&(dish, grade)| (dish.index(), grade));
            let mut all: Vec<(usize, usize)> = taught.chain(tests.iter().copied()).collect();
            all.sort_unstable();
            assert_eq!(all, (0..DISHES).map(|dish| (dish, dish / 3)).collect::<Vec<_>>());
        }
    }
}
