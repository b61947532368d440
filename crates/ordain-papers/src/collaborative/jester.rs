//! `cor-jester`: COR's tables 1 and 2, on jokes in place of films.

use std::fmt::Write;

use ordain::Result;
use ordain::data::{ItemId, Opinions};
use ordain::gp::Cuts;
use ordain::measure::Mean;
use ordain::numeric::{Seed, Stream};
use ordain_plot::{Dots, Range, html};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::PAPER;
use super::methods::{GRADES, METHODS, Split};
use crate::collections::jester::{self, FILE, JOKES, User};
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::{Findings, Gist};
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;
use crate::stream::Phase;

pub const EXPERIMENT: Experiment = Experiment {
    name: "cor-jester",
    title: "Grades of many users: alone, or with what they share",
    paper: PAPER,
    figure: "tables 1 and 2",
    duration: "a minute",
    claim: "Models of users who share a prior predict grades better than models of every user alone, in mean absolute and zero-one error. \
            If the kernel is worse, such as from fewer users, the difference is larger. Ordinal regression is better than regression but for the \
            absolute error after few grades.",
    setting: "EachMovie: the 100 users with most ratings, about 60 % of their grades missing; a correlation kernel of films from 4,742 others; 100 to \
              400 films to train, the rest to test.",
    design: &[
        "Jester in place of EachMovie: the 100 users with most ratings, of whose grades each is hidden with probability 0.6 from all models. Five grades, cut \
         at the quantiles of the other 4,900 users' ratings.",
        "The same 20, 40 or 60 jokes for all users teach; grades of the other jokes test. Five splits, each with its own jokes and its own hidden \
         grades.",
        "The kernel of jokes is their correlation over the other users, gaps filled by the user's mean. Thresholds start at the \
         shares of the others' grades. Noise starts at 0.1 for values and 1 for ordinal grades; for the latter it is held.",
        "A grade is the median for the absolute error and the mode for the zero-one error.",
        "Every model has the level of a user: a common part of all jokes, with the variance of a joke's own part.",
    ],
    differences: &[
        "EachMovie was withdrawn by its owner.",
        "The paper has no shrinkage and no level of a user. Without shrinkage EM fits noise after a few rounds. Without levels, a kernel of centred \
         correlations cannot say that a user likes everything.",
    ],
    data: &[FILE],
    settings: 1,
    program: &Jester,
};

struct Jester;

/// The users who are modelled.
const MODELLED: usize = 100;

/// The share of their grades that is hidden.
const HIDDEN: f64 = 0.6;

/// Jokes that teach.
const SIZES: [usize; 3] = [20, 40, 60];

/// Other users behind the kernel.
const OTHERS: [usize; 2] = [4900, 50];

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    splits: usize,
    users: usize,
    /// The upper ends of all grades but the last.
    ends: Vec<f64>,
}

impl Plan {
    fn layout(&self) -> Layout {
        let errors = METHODS.iter().flat_map(|(name, _)| {
            let name = name.replace(", ", "_").replace(' ', "_");
            [format!("{name}_absolute"), format!("{name}_zero_one")]
        });
        let columns = ["kernel_users", "jokes", "split"].into_iter().map(str::to_owned).chain(errors).collect();
        let key = |at: usize| {
            let (others, size, split) = self.cell(at);
            format!("{others},{size},{}", split + 1)
        };
        Layout { columns, keys: (0..OTHERS.len() * SIZES.len() * self.splits).map(key).collect() }
    }

    /// The users behind the kernel, the jokes that teach, and the split.
    fn cell(&self, row: usize) -> (usize, usize, usize) {
        let (block, split) = (row / self.splits, row % self.splits);
        (OTHERS[block / SIZES.len()], SIZES[block % SIZES.len()], split)
    }
}

impl Program for Jester {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let (modelled, others) = parted(jester::read(job.data)?);
        let plan = Plan {
            splits: if job.options.quick { 1 } else { 5 },
            users: modelled.len() + others.len(),
            ends: quantiles(&others),
        };
        Record { general: job.general.clone(), plan: plan.clone() }.claim(&job.place.record())?;
        let mut journal = Journal::open(&job.place.file(".csv"), plan.layout())?.in_batches_of(2);
        let total = plan.layout().keys.len();
        watch(Progress { stage: "measuring", done: journal.done(), total });
        let compute = |at: usize| {
            let (kernel_users, size, split) = plan.cell(at);
            let set = parted_grades(&modelled, &plan.ends, size, job.options.seed, split);
            let raters: Vec<Vec<(ItemId, f64)>> =
                others[..kernel_users.min(others.len())].iter().map(numbers).collect();
            let cuts = others_cuts(&others, &plan.ends)?;
            let mut row = Row::new();
            for (_, method) in &METHODS {
                row.extend(set.errors(method, &raters, Some(&cuts))?.map(Some));
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

/// The users with most ratings, and the others. Of equal ones the first of the file.
pub(super) fn parted(mut users: Vec<User>) -> (Vec<User>, Vec<User>) {
    users.sort_by_key(|user| std::cmp::Reverse(user.len()));
    let others = users.split_off(MODELLED.min(users.len()));
    (users, others)
}

/// The ratings that part the others' ratings into grades of equal shares.
pub(super) fn quantiles(others: &[User]) -> Vec<f64> {
    let mut all: Vec<f64> = others.iter().flatten().map(|(_, value)| *value).collect();
    all.sort_by(f64::total_cmp);
    (1..GRADES).map(|grade| all[all.len() * grade / GRADES]).collect()
}

pub(super) fn grade_of(value: f64, ends: &[f64]) -> usize {
    ends.iter().filter(|&&end| value >= end).count()
}

fn numbers(user: &User) -> Vec<(ItemId, f64)> {
    user.iter().map(|&(joke, value)| (ItemId::new(joke), value)).collect()
}

/// The thresholds of the others' grades, for utilities of variance 3: a joke's own part, the level and the noise have 1 each.
fn others_cuts(others: &[User], ends: &[f64]) -> Result<Cuts> {
    let mut counts = vec![0; GRADES];
    others.iter().flatten().for_each(|&(_, value)| counts[grade_of(value, ends)] += 1);
    Cuts::of_counts(&counts, 3.0_f64.sqrt())
}

/// Grades of the same jokes teach for all users; the others test.
fn parted_grades(users: &[User], ends: &[f64], size: usize, seed: Seed, split: usize) -> Split {
    let mut stream = seed.stream(Phase::Measuring.of_match(size, split));
    let mut jokes: Vec<usize> = (0..JOKES).collect();
    jokes.shuffle(&mut stream);
    let teaches = &jokes[..size];
    let (mut taught, mut tests) = (Vec::new(), Vec::new());
    for user in users {
        let seen = shown(user, ends, &mut stream);
        let (teach, test): (Vec<_>, Vec<_>) = seen.into_iter().partition(|(joke, _)| teaches.contains(joke));
        let grades = teach.into_iter().map(|(joke, grade)| (ItemId::new(joke), grade)).collect();
        taught.push(Opinions { grades, answers: Vec::new() });
        tests.push(test);
    }
    Split { items: JOKES, taught, tests }
}

/// The grades of a user that are not hidden.
fn shown(user: &User, ends: &[f64], stream: &mut Stream) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for &(joke, value) in user {
        if stream.random::<f64>() >= HIDDEN {
            out.push((joke, grade_of(value, ends)));
        }
    }
    out
}

/// The means over splits of a method's absolute and zero-one error, for a kernel and a size.
fn means(plan: &Plan, rows: &[Row], block: usize, method: usize) -> [Mean; 2] {
    let own = &rows[block * plan.splits..][..plan.splits];
    [0, 1].map(|error| Mean::of(&own.iter().map(|row| row[2 * method + error].unwrap_or(f64::NAN)).collect::<Vec<_>>()))
}

fn findings(plan: &Plan, rows: &[Row]) -> Findings {
    let text = |[absolute, wrong]: [Mean; 2]| format!("{:.3} / {:.3}", absolute.value, wrong.value);
    let lines = |kernel: usize| {
        let line = |method: usize| {
            let cells = (0..SIZES.len()).map(|size| text(means(plan, rows, kernel * SIZES.len() + size, method)));
            [METHODS[method].0.to_owned()].into_iter().chain(cells).collect::<Vec<String>>()
        };
        (0..METHODS.len()).map(line).collect::<Vec<_>>()
    };
    let header: Vec<String> =
        ["model".to_owned()].into_iter().chain(SIZES.map(|size| format!("{size} jokes"))).collect();
    let heads: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut measured = String::new();
    let svg = figure(plan, rows);
    measured.push_str(&html::figures([(
        svg.as_str(),
        "Mean absolute error after 20, 40 and 60 jokes, with its standard error over splits; kernel from 4,900 users.",
    )]));
    for (kernel, users) in OTHERS.iter().enumerate() {
        let title = format!("Mean absolute error / zero-one error; kernel from {users} users.");
        let _ = writeln!(measured, "{}", html::table(&title, &heads, &lines(kernel)));
    }
    Findings {
        comparison: comparison(plan, rows),
        gist: Gist {
            title: "Mean absolute error / zero-one error of predicted grades; kernel from 4,900 users".into(),
            header,
            rows: lines(0),
            note: "10 rounds of EM where none are named".into(),
        },
        measured,
        how: format!(
            "<p>{} splits, {MODELLED} users and {} others; grades begin at the ratings {:?}.</p>",
            plan.splits,
            plan.users - MODELLED,
            plan.ends
        ),
        files: vec![(".svg".into(), svg)],
    }
}

fn figure(plan: &Plan, rows: &[Row]) -> String {
    let shown = 0..6;
    let row = |method: usize| {
        let mean = |size: usize| Some(means(plan, rows, size, method)[0]);
        (METHODS[method].0.to_owned(), (0..SIZES.len()).map(mean).collect::<Vec<_>>())
    };
    let rows: Vec<(String, Vec<Option<Mean>>)> = shown.map(row).collect();
    let values = || rows.iter().flat_map(|(_, means)| means.iter().flatten()).map(|mean| mean.value);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let series = SIZES.map(|size| format!("{size} jokes")).to_vec();
    let across = Range::plain("Mean absolute error, in points of the rating", low, high);
    Dots { title: "Error of predicted ratings".into(), across, series, rows }.draw()
}

/// The paper's claims, one by one.
fn comparison(plan: &Plan, rows: &[Row]) -> String {
    let at = |name: &str| METHODS.iter().position(|(own, _)| *own == name).unwrap_or_default();
    let mut out = String::new();
    for (kernel, users) in OTHERS.iter().enumerate() {
        for (together, alone) in [("CGPR", "GPR"), ("CGPOR", "GPOR")] {
            let gain = |size: usize, error: usize| {
                let of = |name: &str| means(plan, rows, kernel * SIZES.len() + size, at(name))[error].value;
                format!("{:+.3}", of(together) - of(alone)).replace('-', "−")
            };
            let gains = |error: usize| (0..SIZES.len()).map(|size| gain(size, error)).collect::<Vec<_>>().join(", ");
            let _ = write!(
                out,
                "<p>Kernel from {users} users, {together} less {alone}: absolute error {}; zero-one error {}.</p>",
                gains(0),
                gains(1)
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_by_hand() {
        let ends = [-5.0, 0.0, 2.0, 6.0];
        assert_eq!([-9.0, -5.0, 1.0, 2.0, 9.0].map(|value| grade_of(value, &ends)), [0, 1, 2, 3, 4]);
        let others = vec![(0..50).map(|at| (at, at as f64)).collect::<User>(); 2];
        assert_eq!(quantiles(&others), [10.0, 20.0, 30.0, 40.0]);
    }

    /// No grade both teaches and tests, and hidden ones do neither.
    #[test]
    fn splits() {
        let users: Vec<User> = vec![(0..JOKES).map(|joke| (joke, 1.0)).collect(); 30];
        let split = parted_grades(&users, &[-1.0, 0.0, 2.0, 3.0], 40, Seed(1), 0);
        let taught: std::collections::HashSet<usize> =
            split.taught.iter().flat_map(|user| user.grades.iter().map(|(item, _)| item.index())).collect();
        assert_eq!(taught.len(), 40);
        assert!(split.tests.iter().flatten().all(|(joke, grade)| !taught.contains(joke) && *grade == 2));
        let kept = split.taught.iter().map(|user| user.grades.len()).sum::<usize>()
            + split.tests.iter().map(Vec::len).sum::<usize>();
        // 3,000 grades, of which 40 % stay: a deviation is 27.
        assert!((kept as f64 - 1200.0).abs() < 135.0, "{kept}");
    }
}
