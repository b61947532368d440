//! What `letor` found.

use std::fmt::Write;

use ordain::Result;
use ordain::measure::{Mean, MeanInterval, bootstrap_mean_difference, mean};
use ordain::numeric::Seed;
use ordain_plot::{Across, Lines, Range, Series, html};

use super::argument::{self, Example, PUSHED_BY};
use super::contestants::{CONTESTANTS, RANKNET};
use super::{MEASURES, PARTS, Plan, Tested};
use crate::findings::{Findings, Gist};
use crate::journal::Row;

/// A ranker on one collection.
struct Line {
    title: String,
    ours: bool,
    /// The means over folds of the means over queries, with the standard error over queries, by measure; none where it is not known.
    means: [Option<Mean>; MEASURES.len()],
    /// The mean difference from RankNet over all queries.
    gains: Option<[MeanInterval; MEASURES.len()]>,
}

/// What is shown.
pub fn findings(plan: &Plan, rows: &[Vec<Row>], seed: Seed) -> Result<Findings> {
    let mut tables = String::new();
    let mut files = Vec::new();
    let mut captions = Vec::new();
    let mut all = Vec::new();
    for (tested, rows) in plan.collections.iter().zip(rows) {
        let lines = lines(tested, rows, seed)?;
        let svg = figure(&lines);
        files.push((format!("-{}.svg", tested.name), svg.clone()));
        files.push((format!("-{}-summary.csv", tested.name), csv(&lines)));
        captions.push((
            svg,
            format!("{}: MAP and NDCG@10 on test queries, with standard errors over queries.", tested.title),
        ));
        let _ = writeln!(tables, "{}", table(tested, &lines));
        let _ = writeln!(tables, "{}", gains_table(tested, &lines));
        all.push((tested, lines));
    }
    let examples = argument::examples()?;
    let figures = html::figures(captions.iter().map(|(svg, caption)| (svg.as_str(), caption.as_str())));
    Ok(Findings {
        gist: gist(&all),
        measured: format!("{figures}\n{tables}\n{}", argument_table(&examples)),
        how: how(plan),
        comparison: format!("<p>{}</p>", comparison(&all, &examples)),
        files,
    })
}

/// All rankers on a collection: ours, those whose scores are known, and those whose means are.
fn lines(tested: &Tested, rows: &[Row], seed: Seed) -> Result<Vec<Line>> {
    let column = |at: usize| -> Vec<f64> { rows.iter().map(|row| row[at].unwrap_or(f64::NAN)).collect() };
    let by_fold = |values: &[f64]| {
        let folds: Vec<f64> = (0..PARTS).map(|part| mean(&values[tested.rows(part)])).collect();
        Mean { value: mean(&folds), error: Mean::of(values).error }
    };
    let columns = |ranker: usize| [0, 1, 2].map(|measure| column(ranker * MEASURES.len() + measure));
    let reference = columns(RANKNET);
    let line = |(at, title): (usize, String)| -> Result<Line> {
        let own = columns(at);
        let gain = |measure: usize| bootstrap_mean_difference(&own[measure], &reference[measure], 0.95, 10_000, seed);
        let gains = if at == RANKNET { None } else { Some([gain(0)?, gain(1)?, gain(2)?]) };
        let means = own.each_ref().map(|values| Some(by_fold(values)));
        Ok(Line { title, ours: at < CONTESTANTS.len(), means, gains })
    };
    let ours = CONTESTANTS.iter().map(|contestant| contestant.title.to_owned());
    let mut out: Vec<Line> = ours.chain(tested.given.iter().cloned()).enumerate().map(line).collect::<Result<_>>()?;
    let exact = |value| Some(Mean { value, error: f64::NAN });
    out.extend(tested.published.iter().map(|published| Line {
        title: published.ranker.clone(),
        ours: false,
        means: [exact(published.map), exact(published.ndcg10), None],
        gains: None,
    }));
    Ok(out)
}

fn number(mean: Option<Mean>) -> String {
    mean.map_or_else(|| "–".into(), |mean| format!("{:.4}", mean.value))
}

fn figure(lines: &[Line]) -> String {
    let point = |measure: usize| {
        let points = lines.iter().enumerate().filter_map(move |(at, line)| {
            let mean = line.means[measure]?;
            // Published means have no errors.
            let error = if mean.error.is_nan() { 0.0 } else { mean.error };
            Some((at as f64, Mean { error, ..mean }))
        });
        points.collect()
    };
    let series =
        vec![Series { title: "MAP".into(), points: point(0) }, Series { title: "NDCG@10".into(), points: point(1) }];
    let (low, high) = Range::of(&series);
    let names = (1..=lines.len()).map(|number| number.to_string()).collect();
    Lines {
        across: Across::Apart("Rankers, by their numbers in the table".into(), names),
        up: Range::new("Test queries", low, high),
        series,
    }
    .draw()
}

fn table(tested: &Tested, lines: &[Line]) -> String {
    let row = |(at, line): (usize, &Line)| {
        let whose = if line.ours { "Ordain" } else { "others" };
        let mut row = vec![(at + 1).to_string(), line.title.clone(), whose.to_owned()];
        row.extend(line.means.map(number));
        row
    };
    let rows: Vec<Vec<String>> = lines.iter().enumerate().map(row).collect();
    html::table(
        &format!("{}: test means over five folds.", tested.title),
        &["", "ranker", "by", "MAP", "NDCG@10", "winner"],
        &rows,
    )
}

fn interval(interval: &MeanInterval) -> String {
    format!("{:+.4} ({:+.4} to {:+.4})", interval.mean, interval.low, interval.high)
}

fn gains_table(tested: &Tested, lines: &[Line]) -> String {
    let row = |line: &Line| -> Option<Vec<String>> {
        let gains = line.gains.as_ref()?;
        Some([line.title.clone()].into_iter().chain(gains.iter().map(interval)).collect())
    };
    let rows: Vec<Vec<String>> = lines.iter().filter_map(row).collect();
    let caption = format!("{}: gain over RankNet per query, with 95 % bootstrap intervals.", tested.title);
    html::table(&caption, &["ranker", "MAP", "NDCG@10", "winner"], &rows)
}

fn argument_table(examples: &[Example]) -> String {
    let row = |example: &Example| {
        let mut row = vec![example.title.to_owned(), example.wrong_pairs.to_string(), example.winner.to_string()];
        row.extend(example.pushes.iter().map(|[first, second]| format!("{first:.2}, {second:.2}")));
        row
    };
    let rows: Vec<Vec<String>> = examples.iter().map(row).collect();
    let mut header = vec!["relevant documents".to_owned(), "wrong pairs".into(), "winner lost".into()];
    header.extend(PUSHED_BY.iter().map(|(name, _)| format!("pushes by {name}")));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    html::table("1,000 documents of which two are relevant, scores that fall by 1 per place.", &header, &rows)
}

fn gist(all: &[(&Tested, Vec<Line>)]) -> Gist {
    let row = |tested: &Tested, line: &Line| {
        let mut row = vec![tested.title.clone(), line.title.clone()];
        row.extend(line.means.map(number));
        row
    };
    Gist {
        title: "test means over five folds".into(),
        header: ["collection", "ranker", "MAP", "NDCG@10", "winner"].map(str::to_owned).to_vec(),
        rows: all.iter().flat_map(|(tested, lines)| lines.iter().map(|line| row(tested, line))).collect(),
        note: "winner: the share of queries whose first document is relevant".into(),
    }
}

fn how(plan: &Plan) -> String {
    let one = |tested: &Tested| {
        let queries: usize = tested.queries.iter().map(Vec::len).sum();
        format!(
            "{}: {queries} queries with {} documents and {} features; {} queries have one grade only and teach nothing.",
            tested.title, tested.documents, tested.features, tested.one_grade_only
        )
    };
    let collections: Vec<String> = plan.collections.iter().map(one).collect();
    format!("{} At most {} passes, {} beginnings per step length.", collections.join(" "), plan.epochs, plan.restarts)
}

/// What lambdas gain, and where ours stand beside others.
fn comparison(all: &[(&Tested, Vec<Line>)], examples: &[Example]) -> String {
    let mut out = format!(
        "In the list of 1,000 documents, wrong pairs fall from {} to {} while the cost of the winner goes from {} to {}.",
        examples[0].wrong_pairs, examples[1].wrong_pairs, examples[0].winner, examples[1].winner
    );
    for (tested, lines) in all {
        for (at, measure) in [(0, 1), (2, 2)] {
            if let Some(gains) = &lines[at].gains {
                let _ = write!(
                    out,
                    " {}: {} gain {} in {} over RankNet.",
                    tested.title,
                    lines[at].title,
                    interval(&gains[measure]),
                    if measure == 1 { "NDCG@10" } else { "winners" }
                );
            }
        }
        let best = |ours: bool, measure: usize| {
            let own = lines.iter().filter(|line| line.ours == ours);
            own.filter_map(|line| Some((line.means[measure]?.value, &line.title)))
                .max_by(|one, other| one.0.total_cmp(&other.0))
        };
        for (measure, name) in [(0, "MAP"), (1, "NDCG@10")] {
            if let (Some((value, ours)), Some((rival, others))) = (best(true, measure), best(false, measure)) {
                let _ = write!(out, " {}, {name}: {value:.4} ({ours}) beside {rival:.4} ({others}).", tested.title);
            }
        }
    }
    out
}

fn csv(lines: &[Line]) -> String {
    let mut out = "ranker,by,map,ndcg10,wta\n".to_owned();
    for line in lines {
        let cell = |mean: &Option<Mean>| mean.map_or(String::new(), |mean| mean.value.to_string());
        let cells: Vec<String> = line.means.iter().map(cell).collect();
        let _ = writeln!(out, "\"{}\",{},{}", line.title, if line.ours { "ordain" } else { "others" }, cells.join(","));
    }
    out
}
