//! What the choices of all queries say together.

use std::fmt::Write;

use ordain::measure::{Mean, signed_rank_test};
use ordain_plot::{Across, Lines, Range, Series, html};

use super::super::plan::Paired;
use super::{CHOSEN, Plan, Way, rows_per_query};
use crate::findings::{Findings, Gist};
use crate::journal::Row;
use crate::query::per_query;

/// What is measured.
#[derive(Clone, Copy)]
enum Measure {
    Error = 0,
    Auc = 1,
}

/// How a way did in a query: the mean over its choices and their standard deviation.
#[derive(Clone, Copy)]
struct Spread {
    mean: f64,
    sd: f64,
}

/// A way over all queries.
struct Entry {
    way: Way,
    queries: Vec<Spread>,
    mean: Mean,
    /// Queries in which its mean is better than that of random pairs.
    wins: usize,
    /// The signed-rank test of the queries' means against random pairs'; none where there is no difference to test.
    p: Option<f64>,
}

impl Entry {
    fn means(&self) -> Vec<f64> {
        self.queries.iter().map(|query| query.mean).collect()
    }
}

fn entries(plan: &Plan, rows: &[Row], measure: Measure) -> Vec<Entry> {
    let spread = |query: usize, way: usize| {
        let first = query * rows_per_query(plan) + way * plan.reruns;
        let own = rows[first..first + plan.reruns].iter();
        let values: Vec<f64> = own.map(|row| row[measure as usize].unwrap_or(f64::NAN)).collect();
        let Mean { value, error } = Mean::of(&values);
        Spread { mean: value, sd: error * (values.len() as f64).sqrt() }
    };
    let entry = |at: usize| {
        let queries: Vec<Spread> = (0..plan.queries.len()).map(|query| spread(query, at)).collect();
        let means: Vec<f64> = queries.iter().map(|query| query.mean).collect();
        Entry { way: Way::ALL[at], mean: Mean::of(&means), queries, wins: 0, p: None }
    };
    let mut entries: Vec<Entry> = (0..Way::ALL.len()).map(entry).collect();
    let random = entries[Way::Random as usize].means();
    for entry in entries.iter_mut().filter(|entry| entry.way != Way::Random) {
        let means = entry.means();
        let better = |(own, random): &(&f64, &f64)| match measure {
            Measure::Error => own < random,
            Measure::Auc => own > random,
        };
        entry.wins = means.iter().zip(&random).filter(better).count();
        // The test fails only where there is no difference to test.
        entry.p = signed_rank_test(&means, &random).ok().map(|result| result.p);
    }
    entries
}

/// A measure of every query; bars are standard deviations over choices.
fn figure(plan: &Plan, entries: &[Entry], measure: Measure) -> String {
    let series = |entry: &Entry| Series {
        title: entry.way.title().to_owned(),
        points: (entry.queries.iter().enumerate())
            .map(|(query, spread)| (query as f64, Mean { value: spread.mean, error: spread.sd }))
            .collect(),
    };
    let series: Vec<Series> = entries.iter().map(series).collect();
    let (low, high) = Range::of(&series);
    let (title, name, range) = match measure {
        Measure::Error => ("Wrongly predicted pairs by query", "Error rate", (0.0, high)),
        Measure::Auc => ("Predicted probabilities by query", "Area under the ROC curve", (low, 1.0)),
    };
    let names = plan.queries.iter().map(|query| query.measured.query.clone()).collect();
    let across = Across::Apart("Query".to_owned(), names);
    Lines { title: title.into(), across, up: Range::new(name, range.0, range.1), series }.draw()
}

fn csv(plan: &Plan, errors: &[Entry], areas: &[Entry]) -> String {
    let mut out = "query,strategy,error,error_sd,auc,auc_sd\n".to_owned();
    for (at, query) in plan.queries.iter().enumerate() {
        for (error, area) in errors.iter().zip(areas) {
            let (way, error, area) = (error.way.name(), error.queries[at], area.queries[at]);
            let numbers = [error.mean, error.sd, area.mean, area.sd].map(|number| format!("{number:?}"));
            let _ = writeln!(out, "{},{way},{}", query.measured.query, numbers.join(","));
        }
    }
    out
}

fn gist(plan: &Plan, errors: &[Entry], areas: &[Entry]) -> Gist {
    let row = |(error, area): (&Entry, &Entry)| {
        let beside = |text: String| if error.way == Way::Random { String::new() } else { text };
        vec![
            error.way.title().to_owned(),
            format!("{:.3}", error.mean.value),
            beside(format!("{} of {}", error.wins, plan.queries.len())),
            beside(p_value(error.p)),
            format!("{:.3}", area.mean.value),
        ]
    };
    Gist {
        title: format!("error rate on the remaining pairs after {CHOSEN} chosen ones"),
        header: ["pairs", "error", "better than random in", "p", "AUC"].map(str::to_owned).to_vec(),
        rows: errors.iter().zip(areas).map(row).collect(),
        note: "p: signed-rank test of the queries' mean errors against those of random pairs".to_owned(),
    }
}

fn p_value(p: Option<f64>) -> String {
    p.map_or_else(|| "–".to_owned(), |p| if p < 0.0005 { "below 0.001".to_owned() } else { format!("{p:.3}") })
}

fn table(plan: &Plan, errors: &[Entry], areas: &[Entry]) -> String {
    let random = errors[Way::Random as usize].mean.value;
    let row = |(error, area): (&Entry, &Entry)| {
        let beside = |text: String| if error.way == Way::Random { String::new() } else { text };
        let of = |entry: &Entry| format!("{} of {}, p {}", entry.wins, plan.queries.len(), p_value(entry.p));
        vec![
            error.way.title().to_owned(),
            html::mean(error.mean),
            beside(html::change(error.mean.value / random - 1.0)),
            beside(of(error)),
            html::mean(area.mean),
            beside(of(area)),
        ]
    };
    let header = ["pairs", "error", "beside random", "queries in which it is better", "AUC", "queries"];
    html::table("Means over queries", &header, &errors.iter().zip(areas).map(row).collect::<Vec<_>>())
}

/// What came out beside what the paper says.
fn comparison(plan: &Plan, errors: &[Entry]) -> String {
    let random = errors[Way::Random as usize].mean.value;
    let mut out = String::new();
    for entry in errors.iter().filter(|entry| entry.way != Way::Random) {
        let word = if entry.mean.value < random { "below" } else { "above" };
        let _ = write!(
            out,
            "{}: the mean error is {:.0} % {word} that of random pairs, and lower in {} of {} queries (p {}). ",
            entry.way.title(),
            100.0 * (entry.mean.value / random - 1.0).abs(),
            entry.wins,
            plan.queries.len(),
            p_value(entry.p)
        );
    }
    out.push_str("The paper's rule was better in 9 of its 10 queries.");
    out
}

/// Everything that is shown.
pub fn sum_up(plan: &Plan, rows: &[Row]) -> Findings {
    let (errors, areas) = (entries(plan, rows, Measure::Error), entries(plan, rows, Measure::Auc));
    let (error, auc) = (figure(plan, &errors, Measure::Error), figure(plan, &areas, Measure::Auc));
    let figures = html::figures([
        (
            error.as_str(),
            "Error rate on the remaining pairs of every query; bars are standard deviations over choices.",
        ),
        (auc.as_str(), "Area under the ROC curve of the remaining pairs."),
    ]);
    let note =
        "Means over queries ± their standard error. p: signed-rank test of the queries' means against random pairs'.";
    let per = |of: fn(&Paired) -> usize| per_query(&plan.queries, of);
    Findings {
        gist: gist(plan, &errors, &areas),
        measured: format!("{figures}\n{}<p class=\"note\">{note}</p>", table(plan, &errors, &areas)),
        how: format!(
            "{} queries with on average {:.0} documents and {:.0} pairs of different grade; {CHOSEN} pairs are chosen {} times in \
             every way. The model was tuned for the least error on the remaining pairs of {} other queries with {} draws of \
             {CHOSEN} random pairs each.",
            plan.queries.len(),
            per(|query| query.measured.items),
            per(|query| query.pairs),
            plan.reruns,
            plan.tuned_on.iter().map(|part| part.len().to_string()).collect::<Vec<_>>().join(" and "),
            plan.tuning_draws,
        ),
        comparison: comparison(plan, &errors),
        files: vec![
            ("-summary.csv".to_owned(), csv(plan, &errors, &areas)),
            ("-error.svg".to_owned(), error),
            ("-auc.svg".to_owned(), auc),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known_pairs::models::Model;
    use crate::query::Measured;

    /// Two queries, two choices: by hand.
    #[test]
    fn statistics_by_hand() {
        let measured = |name: &str| Measured { query: name.into(), part: 0, items: 5, links: 0 };
        let query = |name: &str| Paired { measured: measured(name), pairs: 6 };
        let plan = Plan {
            known: vec![CHOSEN],
            reruns: 2,
            tuning_draws: 1,
            tuned_on: vec![vec![]],
            queries: vec![query("p"), query("q")],
            models: Model::PAPER.to_vec(),
        };
        // Random pairs err in 0.3 and 0.5; the ways before them less by 0.1 in the first query and more by 0.2 in the second.
        let mut rows = Vec::new();
        for (random, shift) in [(0.3, -0.1), (0.5, 0.2)] {
            for way in Way::ALL {
                let mean: f64 = random + if way == Way::Random { 0.0 } else { shift };
                rows.extend([mean - 0.01, mean + 0.01].map(|error| vec![Some(error), Some(1.0 - error)]));
            }
        }
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        for (measure, mean) in [(Measure::Error, 0.45), (Measure::Auc, 0.55)] {
            let entries = entries(&plan, &rows, measure);
            close(entries[0].mean.value, mean);
            close(entries[0].queries[1].sd, 0.01 * 2.0_f64.sqrt());
            // Differences of both signs, ranks 1 and 2: 4 of 4 signings are as far out.
            assert_eq!((entries[0].wins, entries[0].p), (1, Some(1.0)));
            assert!(entries[Way::Random as usize].p.is_none());
        }
        let said = comparison(&plan, &entries(&plan, &rows, Measure::Error));
        assert!(said.contains("12 % above") || said.contains("13 % above"), "{said}");
    }
}
