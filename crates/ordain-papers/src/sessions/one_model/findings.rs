//! What the sessions of one model say together.

use std::fmt::Write;

use ordain::measure::{Mean, paired_t_test, signed_rank_test};
use ordain_plot::{Across, Boxes, Lines, Range, Series, html};

use super::{ACTIVE, Plan, RANDOM, WAYS, Way};
use crate::findings::{Findings, Gist};
use crate::journal::Row;

/// Below this p a difference is called significant.
const SIGNIFICANT: f64 = 0.05;

/// How a way did at a mark.
struct Entry {
    /// MAP of every run.
    runs: Vec<f64>,
    /// Average precision of every query, over the runs.
    queries: Vec<f64>,
    /// MAP, with the standard error over runs.
    map: Mean,
    /// The standard deviation over runs.
    sd: f64,
    /// Against random pairs, none for these themselves or where there is no difference: the t test and the signed-rank test over runs,
    p_runs: [Option<f64>; 2],
    /// and the signed-rank test over queries.
    p_queries: Option<f64>,
}

/// All marks, and at each all ways.
struct Summary<'a> {
    plan: &'a Plan,
    marks: Vec<[Entry; WAYS.len()]>,
}

impl<'a> Summary<'a> {
    fn new(plan: &'a Plan, rows: &[Row]) -> Self {
        let ap = |repeat: usize, way: usize, mark: usize, query: usize| {
            let at = ((repeat * WAYS.len() + way) * plan.marks() + mark) * plan.queries.len() + query;
            rows[at][0].unwrap_or(f64::NAN)
        };
        let entry = |mark: usize, way: usize| {
            let mean = |values: Vec<f64>| Mean::of(&values).value;
            let (runs, queries) = (0..plan.repeats, 0..plan.queries.len());
            let run = |repeat| mean(queries.clone().map(|query| ap(repeat, way, mark, query)).collect());
            let query = |query| mean(runs.clone().map(|repeat| ap(repeat, way, mark, query)).collect());
            let (of_runs, of_queries): (Vec<f64>, Vec<f64>) =
                (runs.clone().map(run).collect(), queries.clone().map(query).collect());
            let map = Mean::of(&of_runs);
            let sd = map.error * (of_runs.len() as f64).sqrt();
            Entry { runs: of_runs, queries: of_queries, map, sd, p_runs: [None; 2], p_queries: None }
        };
        let compare = |mark: usize| {
            let mut entries: [Entry; WAYS.len()] = std::array::from_fn(|way| entry(mark, way));
            let (active, random) = entries.split_at_mut(RANDOM);
            for way in active {
                // A test fails only where there is no difference to test.
                let p = |test: ordain::Result<ordain::measure::TestResult>| test.ok().map(|result| result.p);
                way.p_runs =
                    [p(paired_t_test(&way.runs, &random[0].runs)), p(signed_rank_test(&way.runs, &random[0].runs))];
                way.p_queries = p(signed_rank_test(&way.queries, &random[0].queries));
            }
            entries
        };
        Self { plan, marks: (0..plan.marks()).map(compare).collect() }
    }

    fn answers(&self, mark: usize) -> usize {
        (mark + 1) * self.plan.step
    }

    /// The marks at multiples of a hundred answers, where the paper tests.
    fn hundreds(&self) -> Vec<usize> {
        (0..self.marks.len()).filter(|&mark| self.answers(mark).is_multiple_of(100)).collect()
    }

    fn csv(&self) -> String {
        let mut out = "answers,strategy,map,map_se,map_sd,p_t,p_signed_rank,p_queries\n".to_owned();
        for (mark, entries) in self.marks.iter().enumerate() {
            for (way, entry) in WAYS.iter().zip(entries) {
                let numbers = [Some(entry.map.value), Some(entry.map.error), Some(entry.sd)];
                let tests = [entry.p_runs[0], entry.p_runs[1], entry.p_queries];
                let cell = |number: &Option<f64>| number.map_or_else(String::new, |number| format!("{number:?}"));
                let cells: Vec<String> = numbers.iter().chain(&tests).map(cell).collect();
                let _ = writeln!(out, "{},{},{}", self.answers(mark), way.name, cells.join(","));
            }
        }
        out
    }

    fn lines(&self) -> String {
        let series = |way: usize| Series {
            title: WAYS[way].title.to_owned(),
            points: std::iter::once((0.0, Mean { value: Mean::of(&self.plan.before).value, error: 0.0 }))
                .chain((0..self.marks.len()).map(|mark| (self.answers(mark) as f64, self.marks[mark][way].map)))
                .collect(),
        };
        let series: Vec<Series> = (0..WAYS.len()).map(series).collect();
        let (low, high) = Range::of(&series);
        let across = Across::UpTo("Answers, over all queries".to_owned(), self.plan.answers);
        let title = "Quality of the rankings by answers".into();
        Lines { title, across, up: Range::new("Mean average precision (MAP)", low, high), series }.draw()
    }

    /// MAP over runs at multiples of a hundred.
    fn boxes(&self, way: usize) -> String {
        // Those that stand side by side have one scale.
        let shown =
            self.hundreds().into_iter().flat_map(|mark| [ACTIVE, RANDOM].map(|way| &self.marks[mark][way].runs));
        let ends = |(low, high): (f64, f64), &map: &f64| (low.min(map), high.max(map));
        let (low, high) = shown.flatten().fold((1.0, 0.0), ends);
        let boxes = self.hundreds().into_iter().map(|mark| {
            let values = self.marks[mark][way].runs.clone();
            (self.answers(mark).to_string(), values)
        });
        let title = format!("Spread over runs: {}", WAYS[way].title.to_lowercase());
        let (across, up) =
            ("Answers, over all queries".to_owned(), Range::new("Mean average precision (MAP)", low, high));
        Boxes { title, across, up, boxes: boxes.collect(), colour: way }.draw()
    }

    fn gist(&self) -> Gist {
        let row = |mark: usize| {
            let entry = |way: usize| {
                let entry = &self.marks[mark][way];
                let star = if surely(entry) { "*" } else { " " };
                format!("{:.3}{star}", entry.map.value)
            };
            std::iter::once(self.answers(mark).to_string()).chain((0..WAYS.len()).map(entry)).collect()
        };
        Gist {
            title: "MAP of one model over all queries".to_owned(),
            header: std::iter::once("answers".to_owned()).chain(WAYS.map(|way| way.title.to_owned())).collect(),
            rows: self.hundreds().into_iter().map(row).collect(),
            note: "* differs from random pairs in both tests over runs and in that over queries (p < 0.05)".to_owned(),
        }
    }

    fn table(&self) -> String {
        let row = |mark: usize| {
            let cell = |way: usize| {
                let entry = &self.marks[mark][way];
                let tests = [entry.p_runs[0], entry.p_runs[1], entry.p_queries].map(|p| p.map_or("–".into(), p_value));
                let tests =
                    if way == RANDOM { String::new() } else { format!("<br><small>p {}</small>", tests.join(" / ")) };
                format!("{}<br><small>sd {:.3}</small>{tests}", html::mean(entry.map), entry.sd)
            };
            std::iter::once(self.answers(mark).to_string()).chain((0..WAYS.len()).map(cell)).collect()
        };
        let rows: Vec<Vec<String>> = self.hundreds().into_iter().map(row).collect();
        let header: Vec<&str> = std::iter::once("answers").chain(WAYS.iter().map(|way| way.title)).collect();
        html::table("MAP", &header, &rows)
    }

    /// What came out beside what the paper says.
    fn comparison(&self) -> String {
        let hundreds = self.hundreds();
        let mut out = String::new();
        for (way, Way { title, .. }) in WAYS.iter().enumerate().take(RANDOM) {
            let better = |&&mark: &&usize| {
                let entry = &self.marks[mark][way];
                entry.map.value > self.marks[mark][RANDOM].map.value && surely(entry)
            };
            let worse = |&&mark: &&usize| {
                let entry = &self.marks[mark][way];
                entry.map.value < self.marks[mark][RANDOM].map.value && surely(entry)
            };
            let calmer = |&&mark: &&usize| self.marks[mark][way].sd < self.marks[mark][RANDOM].sd;
            let _ = write!(
                out,
                "{title} is significantly above random pairs at {} of {} multiples of 100 answers and significantly below at {}; \
                 its MAP varies less from run to run at {}. ",
                hundreds.iter().filter(better).count(),
                hundreds.len(),
                hundreds.iter().filter(worse).count(),
                hundreds.iter().filter(calmer).count(),
            );
        }
        out
    }
}

/// Whether all tests find a difference.
fn surely(entry: &Entry) -> bool {
    let tests = [entry.p_runs[0], entry.p_runs[1], entry.p_queries];
    tests.iter().all(|p| p.is_some_and(|p| p < SIGNIFICANT))
}

fn p_value(p: f64) -> String {
    if p < 0.001 { "&lt; .001".to_owned() } else { format!("{p:.3}") }
}

/// Everything that is shown.
pub fn sum_up(plan: &Plan, rows: &[Row]) -> Findings {
    let summary = Summary::new(plan, rows);
    let lines = summary.lines();
    let (active, random) = (summary.boxes(ACTIVE), summary.boxes(RANDOM));
    let figures = html::figures([
        (lines.as_str(), "MAP against the number of answers; bands are the standard error over runs."),
        (active.as_str(), "Variability of MAP over runs, asking by expected regret."),
        (random.as_str(), "Variability of MAP over runs, asking at random."),
    ]);
    let note = "Means over runs ± their standard error, and the standard deviation over runs. p against random pairs: the paired \
                t test and the signed-rank test over runs, and the signed-rank test over the queries' means. Runs share their \
                queries: what they say of other queries, only the last test does.";
    let documents: usize = plan.documents.iter().sum();
    Findings {
        gist: summary.gist(),
        measured: format!("{figures}\n{}<p class=\"note\">{note}</p>", summary.table()),
        how: format!(
            "{} queries with {documents} documents together, {} runs of {} answers for every strategy.",
            plan.queries.len(),
            plan.repeats,
            plan.answers
        ),
        comparison: summary.comparison(),
        files: vec![
            ("-summary.csv".to_owned(), summary.csv()),
            ("-map.svg".to_owned(), lines),
            ("-active.svg".to_owned(), active),
            ("-random.svg".to_owned(), random),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two queries, three runs, one mark: means, spread and the t statistic by hand.
    #[test]
    fn statistics_by_hand() {
        let plan = Plan {
            answers: 100,
            step: 100,
            repeats: 3,
            queries: vec!["p".into(), "q".into()],
            documents: vec![4, 5],
            before: vec![0.3, 0.5],
            tuned_on: vec![],
        };
        // MAP of random pairs is 0.2, 0.3 and 0.4 in the runs; the active ways are 0.1, 0.2 and 0.3 above it.
        let mut rows = Vec::new();
        for run in 0..3 {
            for way in 0..WAYS.len() {
                let map = 0.2 + 0.1 * f64::from(run) + if way < RANDOM { 0.1 * f64::from(run + 1) } else { 0.0 };
                rows.extend([vec![Some(map - 0.05)], vec![Some(map + 0.05)]]);
            }
        }
        assert_eq!(plan.layout().keys.len(), rows.len());
        let summary = Summary::new(&plan, &rows);
        let [active, .., random] = &summary.marks[0];
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        close(random.map.value, 0.3);
        close(random.sd, 0.1);
        close(active.map.value, 0.5);
        close(active.map.error, 0.2 / 3.0_f64.sqrt());
        // t = 0.2 / (0.1 / √3) = 2 √3 with two degrees of freedom: p = 1 - t / √(2 + t²).
        let t = 2.0 * 3.0_f64.sqrt();
        close(active.p_runs[0].unwrap(), 1.0 - t / (2.0 + t * t).sqrt());
        // All three differences are positive, which happens in 2 of 8 signings; both of two queries in 2 of 4.
        close(active.p_runs[1].unwrap(), 0.25);
        close(active.p_queries.unwrap(), 0.5);
        assert!(random.p_runs[0].is_none());
    }
}
