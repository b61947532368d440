//! What the sessions say together: MAP, and the cost of an answer.

use std::fmt::Write;

use ordain::Result;
use ordain::measure::{Mean, signed_rank_test};
use ordain_plot::{Across, Lines, Quartiles, Range, Series, html};

use super::{BELIEFS, Plan, Played, STRATEGIES};
use crate::findings::{Findings, Gist};
use crate::journal::Row;

const TITLES: [&str; BELIEFS.len()] = ["Glicko", "One step an answer", "Steps, EP now and then", "EP over all answers"];

/// The positions of the beliefs.
const GLICKO: usize = 0;
const STEPS: usize = 1;
const REFINED: usize = 2;
const FULL: usize = 3;

/// What MAP may differ by between one step an answer and EP over all of them.
const CLOSE: f64 = 0.01;

/// How a belief stood after some answers, asking by a strategy.
struct Entry {
    /// MAP of every query.
    maps: Vec<f64>,
    /// Over queries.
    map: Mean,
    /// Medians over queries: seconds to ask, to learn, and both together.
    ask: f64,
    learn: f64,
    both: f64,
}

struct Summary<'a> {
    plan: &'a Plan,
    /// By stretch, strategy and belief.
    entries: Vec<[[Entry; BELIEFS.len()]; STRATEGIES.len()]>,
}

impl<'a> Summary<'a> {
    fn new(plan: &'a Plan, quality: &[Row], times: &[Row]) -> Self {
        let entry = |stretch: usize, strategy: usize, belief: usize| {
            let queries = 0..plan.queries.len();
            let row = |query: usize| plan.row(Played { query, strategy, belief }, stretch);
            let number = |cell: Option<f64>| cell.unwrap_or(f64::NAN);
            let maps: Vec<f64> = queries.clone().map(|query| number(quality[row(query)][0])).collect();
            let median = |of: &dyn Fn(&Row) -> f64| {
                let values: Vec<f64> = queries.clone().map(|query| of(&times[row(query)])).collect();
                Quartiles::of(&values).quartiles[1]
            };
            Entry {
                map: Mean::of(&maps),
                maps,
                ask: median(&|row| number(row[0])),
                learn: median(&|row| number(row[1])),
                both: median(&|row| number(row[0]) + number(row[1])),
            }
        };
        let all = |stretch: usize| {
            std::array::from_fn(|strategy| std::array::from_fn(|belief| entry(stretch, strategy, belief)))
        };
        Self { plan, entries: (0..plan.stretches()).map(all).collect() }
    }

    fn answers(&self, stretch: usize) -> usize {
        (stretch + 1) * self.plan.stretch
    }

    /// MAP of a belief less that of EP over all answers, query by query.
    fn difference(&self, stretch: usize, strategy: usize, belief: usize) -> (Mean, Option<f64>) {
        let (own, full) = (&self.entries[stretch][strategy][belief].maps, &self.entries[stretch][strategy][FULL].maps);
        let differences: Vec<f64> = own.iter().zip(full).map(|(own, full)| own - full).collect();
        // The test fails only where there is no difference to test.
        (Mean::of(&differences), signed_rank_test(own, full).ok().map(|result| result.p))
    }

    /// The stretches that tables show: the first, and every fifty answers.
    fn shown(&self) -> Vec<usize> {
        let last = self.entries.len() - 1;
        (0..=last).filter(|&at| at == 0 || at == last || self.answers(at).is_multiple_of(50)).collect()
    }

    /// MAP alone: what the clock said is in a table of its own.
    fn csv(&self) -> String {
        let mut out = "answers,strategy,belief,map,map_se,beside_full,beside_full_se,p_signed_rank\n".to_owned();
        for (stretch, entries) in self.entries.iter().enumerate() {
            for (strategy, name) in STRATEGIES.iter().enumerate() {
                for (belief, kind) in BELIEFS.iter().enumerate() {
                    let map = entries[strategy][belief].map;
                    let (difference, p) = self.difference(stretch, strategy, belief);
                    let beside = match belief {
                        STEPS | REFINED => [Some(difference.value), Some(difference.error), p],
                        _ => [None; 3],
                    };
                    let cell = |number: Option<f64>| number.map_or_else(String::new, |number| format!("{number:?}"));
                    let numbers = [Some(map.value), Some(map.error)].into_iter().chain(beside).map(cell);
                    let numbers: Vec<String> = numbers.collect();
                    let _ = writeln!(out, "{},{name},{},{}", self.answers(stretch), kind.name(), numbers.join(","));
                }
            }
        }
        out
    }

    /// Medians over queries in milliseconds.
    fn times_csv(&self) -> String {
        let mut out = "answers,strategy,belief,ask_ms,learn_ms,both_ms\n".to_owned();
        for (stretch, entries) in self.entries.iter().enumerate() {
            for (strategy, name) in STRATEGIES.iter().enumerate() {
                for (belief, kind) in BELIEFS.iter().enumerate() {
                    let Entry { ask, learn, both, .. } = entries[strategy][belief];
                    let [ask, learn, both] = [ask, learn, both].map(|seconds| format!("{:.4}", 1e3 * seconds));
                    let answers = self.answers(stretch);
                    let _ = writeln!(out, "{answers},{name},{},{ask},{learn},{both}", kind.name());
                }
            }
        }
        out
    }

    fn map_figure(&self, strategy: usize) -> String {
        let point = |belief: usize| {
            move |stretch: usize| (self.answers(stretch) as f64, self.entries[stretch][strategy][belief].map)
        };
        let series = |belief: usize| Series {
            title: TITLES[belief].to_owned(),
            points: std::iter::once((0.0, Mean::of(&self.plan.before)))
                .chain((0..self.entries.len()).map(point(belief)))
                .collect(),
        };
        let series: Vec<Series> = (0..BELIEFS.len()).map(series).collect();
        let (low, high) = Range::of(&series);
        let across = Across::UpTo("Answers".to_owned(), self.plan.answers);
        let title = format!("Quality of the ranking, asking by {}", STRATEGIES[strategy].replace('-', " "));
        Lines { title, across, up: Range::new("Mean average precision (MAP)", low, high), series }.draw()
    }

    fn time_figure(&self) -> String {
        let series = |belief: usize| {
            let milliseconds = |stretch: usize| 1e3 * self.entries[stretch][0][belief].both;
            let point = |stretch| (self.answers(stretch) as f64, Mean { value: milliseconds(stretch), error: 0.0 });
            Series { title: TITLES[belief].to_owned(), points: (0..self.entries.len()).map(point).collect() }
        };
        let series: Vec<Series> = (0..BELIEFS.len()).map(series).collect();
        let values = || series.iter().flat_map(|series| series.points.iter().map(|(_, mean)| mean.value));
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        let across = Across::UpTo("Answers".to_owned(), self.plan.answers);
        let title = "Time of an answer".into();
        Lines { title, across, up: Range::logarithmic("Milliseconds per answer", low, high), series }.draw()
    }

    fn gist(&self) -> Gist {
        let row = |stretch: usize| {
            let entries = &self.entries[stretch][0];
            let mut cells = vec![self.answers(stretch).to_string()];
            cells.extend(entries.iter().map(|entry| milliseconds(entry.both)));
            cells.extend(entries.iter().map(|entry| format!("{:.3}", entry.map.value)));
            cells
        };
        let header = ["answers", "Glicko, ms", "steps", "refined", "EP", "Glicko, MAP", "steps", "refined", "EP"];
        Gist {
            title: "what an answer costs (median over queries), and MAP".to_owned(),
            header: header.map(str::to_owned).to_vec(),
            rows: self.shown().into_iter().map(row).collect(),
            note: "Asking by expected regret. steps: one step an answer; refined: with EP now and then; EP: over all after every answer"
                .to_owned(),
        }
    }

    fn times_table(&self) -> String {
        let row = |stretch: usize| {
            let cell = |belief: usize| {
                let Entry { ask, learn, both, .. } = &self.entries[stretch][0][belief];
                let (ask, learn) = (milliseconds(*ask), milliseconds(*learn));
                format!("{} <small>{ask} + {learn}</small>", milliseconds(*both))
            };
            std::iter::once(self.answers(stretch).to_string()).chain((0..BELIEFS.len()).map(cell)).collect()
        };
        let rows: Vec<Vec<String>> = self.shown().into_iter().map(row).collect();
        let header: Vec<&str> = std::iter::once("answers").chain(TITLES).collect();
        html::table("Milliseconds an answer: both, asking + learning", &header, &rows)
    }

    fn map_table(&self, strategy: usize, caption: &str) -> String {
        let row = |stretch: usize| {
            let means = self.entries[stretch][strategy].iter().map(|entry| html::mean(entry.map));
            let beside = [STEPS, REFINED].map(|belief| {
                let (difference, p) = self.difference(stretch, strategy, belief);
                let p = p.map_or_else(|| "–".to_owned(), |p| format!("{p:.3}"));
                let text = format!("{:+.4} <small>± {:.4}, p {p}</small>", difference.value, difference.error);
                text.replace('-', "−")
            });
            std::iter::once(self.answers(stretch).to_string()).chain(means).chain(beside).collect()
        };
        let rows: Vec<Vec<String>> = self.shown().into_iter().map(row).collect();
        let header: Vec<&str> =
            std::iter::once("answers").chain(TITLES).chain(["one step less EP", "now and then less EP"]).collect();
        html::table(caption, &header, &rows)
    }

    /// What came out beside what the paper says.
    fn comparison(&self) -> String {
        let last = self.entries.len() - 1;
        let cost = |stretch: usize, belief: usize| self.entries[stretch][0][belief].both;
        let ratio =
            |stretch: usize, one: usize, other: usize| format!("{:.1}", cost(stretch, one) / cost(stretch, other));
        let close = |strategy: usize, belief: usize| {
            let differences = (0..=last).map(|stretch| self.difference(stretch, strategy, belief).0.value);
            let lowest = differences.clone().fold(f64::INFINITY, f64::min);
            let count = differences.filter(|&difference| difference < -CLOSE).count();
            let lowest = format!("{lowest:+.4}").replace('-', "−");
            format!(
                "more than {CLOSE} below that of EP over all answers at {count} of {} marks (lowest {lowest})",
                last + 1
            )
        };
        format!(
            "An answer with one step costs {} times one with Glicko at {} answers and {} times at {}: a constant factor would be \
             the same twice. EP over all answers costs {} times one step at {} answers and {} times at {}. Asking by \
             expected regret, MAP with one step an answer is {}, and with EP now and then {}; asking by the largest expected \
             loss, it is {}, and {}.",
            ratio(0, STEPS, GLICKO),
            self.answers(0),
            ratio(last, STEPS, GLICKO),
            self.answers(last),
            ratio(0, FULL, STEPS),
            self.answers(0),
            ratio(last, FULL, STEPS),
            self.answers(last),
            close(0, STEPS),
            close(0, REFINED),
            close(1, STEPS),
            close(1, REFINED),
        )
    }
}

fn milliseconds(seconds: f64) -> String {
    let value = 1e3 * seconds;
    let digits = if value < 1.0 { 3 } else { usize::from(value < 100.0) };
    format!("{value:.digits$}")
}

/// Everything that is shown.
pub fn sum_up(plan: &Plan, quality: &[Row], times: &[Row]) -> Result<Findings> {
    let summary = Summary::new(plan, quality, times);
    let (time, [regret, loss]) = (summary.time_figure(), [0, 1].map(|strategy| summary.map_figure(strategy)));
    let figures = html::figures([
        (time.as_str(), "What an answer costs, asking and learning: the median over queries. Mind the scale."),
        (regret.as_str(), "MAP, asking by expected regret; bands are the standard error over queries."),
        (loss.as_str(), "MAP, asking by the largest expected loss with the paper's weight."),
    ]);
    let note = "MAP: means over queries ± their standard error; differences from EP over all answers query by query, and \
                its signed-rank test. Times are medians over queries and differ from run to run; everything else is the same \
                again.";
    let documents = plan.documents.iter().sum::<usize>() as f64 / plan.documents.len() as f64;
    let tables = [
        summary.times_table(),
        summary.map_table(0, "MAP, asking by expected regret"),
        summary.map_table(1, "MAP, asking by the largest expected loss"),
    ];
    Ok(Findings {
        gist: summary.gist(),
        measured: format!("{figures}\n{}<p class=\"note\">{note}</p>", tables.concat()),
        how: format!(
            "{} queries with {documents:.0} documents on average, a session of {} answers for each strategy and belief.",
            plan.queries.len(),
            plan.answers
        ),
        comparison: summary.comparison(),
        files: vec![
            ("-summary.csv".to_owned(), summary.csv()),
            ("-map-regret.svg".to_owned(), regret),
            ("-map-loss.svg".to_owned(), loss),
            ("-times-summary.csv".to_owned(), summary.times_csv()),
            ("-times.svg".to_owned(), time),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three queries, one stretch: medians, means and differences by hand.
    #[test]
    fn statistics_by_hand() {
        let queries = ["p", "q", "r"].map(str::to_owned).to_vec();
        let plan =
            Plan { answers: 10, stretch: 10, queries, documents: vec![5; 3], before: vec![0.2; 3], tuned_on: vec![] };
        let rows = plan.keys().len();
        assert_eq!(rows, 3 * STRATEGIES.len() * BELIEFS.len());
        let (mut quality, mut times) = (vec![vec![]; rows], vec![vec![]; rows]);
        for query in 0..3 {
            for strategy in 0..STRATEGIES.len() {
                for belief in 0..BELIEFS.len() {
                    let at = plan.row(Played { query, strategy, belief }, 0);
                    let number = query as f64;
                    // EP is 0, 0.008 and 0.016 better than steps in the queries.
                    let better = if belief == FULL { 0.008 * number } else { 0.0 };
                    quality[at] = vec![Some(0.5 + 0.1 * number + better)];
                    times[at] = vec![Some(10.0_f64.powf(number)), Some((belief + 1) as f64)];
                }
            }
        }
        let summary = Summary::new(&plan, &quality, &times);
        let entries = &summary.entries[0][1];
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        close(entries[STEPS].map.value, 0.6);
        close(entries[STEPS].map.error, 0.1 / 3.0_f64.sqrt());
        close(entries[FULL].map.value, 0.608);
        assert_eq!((entries[FULL].ask, entries[FULL].learn, entries[FULL].both), (10.0, 4.0, 14.0));
        let (difference, p) = summary.difference(0, 0, STEPS);
        close(difference.value, -0.008);
        close(difference.error, 0.008 / 3.0_f64.sqrt());
        // Two differences of one sign, the third being 0: 2 of 4 signings.
        close(p.unwrap(), 0.5);
        // Medians of 12 and 11 seconds, and a difference that is not more than allowed.
        assert!(summary.comparison().contains("costs 1.1 times") && summary.comparison().contains("at 0 of 1 marks"));
    }
}
