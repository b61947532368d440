//! What `letor` found.

use std::fmt::Write;

use ordain::Result;
use ordain::measure::{Mean, MeanInterval, bootstrap_mean_difference, mean};
use ordain::numeric::Seed;
use ordain_plot::{Dots, Range, html};

use super::argument::{self, Example, PUSHED_BY};
use super::contestants::CONTESTANTS;
use super::{MEASURES, PARTS, Plan, Tested};
use crate::findings::{Findings, Gist};
use crate::journal::Row;

/// A ranker on one collection.
struct Line {
    /// The name of its columns; that of a published one is its title.
    name: String,
    title: String,
    ours: bool,
    /// The means over folds of the means over queries, with the standard error over queries, by measure; none where it is not known.
    means: [Option<Mean>; MEASURES.len()],
    /// The values of every query by measure; none where only means are known.
    values: Option<[Vec<f64>; MEASURES.len()]>,
}

/// The ranker that lambdas are compared with.
const RANKNET: &str = "ranknet";

/// Lambdas, and the measure by which they should gain over RankNet.
const AIMS: [(&str, &str); 2] = [("lambda_ndcg", "ndcg10"), ("lambda_wta", "wta")];

/// What gains are counted over: RankNet, and the best of the others by MAP if their values are known.
fn references(lines: &[Line]) -> Vec<&Line> {
    let others = lines.iter().filter(|line| !line.ours && line.values.is_some());
    let best = others.max_by(|one, other| map(one).total_cmp(&map(other)));
    lines.iter().find(|line| line.name == RANKNET).into_iter().chain(best).collect()
}

fn map(line: &Line) -> f64 {
    line.means[0].map_or(f64::NAN, |mean| mean.value)
}

/// The mean gains of a ranker over another, query by query.
fn gains(line: &Line, over: &Line, seed: Seed) -> Result<Option<[MeanInterval; MEASURES.len()]>> {
    let (Some(own), Some(others)) = (&line.values, &over.values) else { return Ok(None) };
    let gain = |at: usize| bootstrap_mean_difference(&own[at], &others[at], 0.95, 10_000, seed);
    Ok(Some([gain(0)?, gain(1)?, gain(2)?]))
}

/// What is shown.
pub fn findings(plan: &Plan, rows: &[Vec<Row>], seed: Seed) -> Result<Findings> {
    let mut tables = String::new();
    let mut files = Vec::new();
    let mut captions = Vec::new();
    let mut all = Vec::new();
    for (tested, rows) in plan.collections.iter().zip(rows) {
        let lines = lines(tested, rows);
        let svg = figure(&lines);
        files.push((format!("-{}.svg", tested.name), svg.clone()));
        files.push((format!("-{}-summary.csv", tested.name), csv(&lines)));
        captions.push((
            svg,
            format!("{}: MAP and NDCG@10 on test queries, with standard errors over queries.", tested.title),
        ));
        let _ = writeln!(tables, "{}", table(tested, &lines));
        for over in references(&lines) {
            let _ = writeln!(tables, "{}", gains_table(tested, &lines, over, seed)?);
        }
        all.push((tested, lines));
    }
    let examples = argument::examples()?;
    let figures = html::figures(captions.iter().map(|(svg, caption)| (svg.as_str(), caption.as_str())));
    Ok(Findings {
        gist: gist(&all),
        measured: format!("{figures}\n{tables}\n{}", argument_table(&examples)),
        how: how(plan),
        comparison: format!("<p>{}</p>", comparison(&all, &examples, seed)?),
        files,
    })
}

/// All rankers on a collection: ours, those whose scores are known, and those whose means are.
fn lines(tested: &Tested, rows: &[Row]) -> Vec<Line> {
    let column = |at: usize| -> Vec<f64> { rows.iter().map(|row| row[at].unwrap_or(f64::NAN)).collect() };
    let by_fold = |values: &[f64]| {
        let folds: Vec<f64> = (0..PARTS).map(|part| mean(&values[tested.rows(part)])).collect();
        Mean { value: mean(&folds), error: Mean::of(values).error }
    };
    let ours = CONTESTANTS.iter().map(|contestant| (contestant.name, contestant.title, true));
    let known = ours.chain(tested.given.iter().map(|name| (name.as_str(), name.as_str(), false)));
    let known = known.enumerate().map(|(at, (name, title, ours))| {
        let values = [0, 1, 2].map(|measure| column(at * MEASURES.len() + measure));
        let means = values.each_ref().map(|values| Some(by_fold(values)));
        Line { name: name.into(), title: title.into(), ours, means, values: Some(values) }
    });
    let exact = |value| Some(Mean { value, error: f64::NAN });
    let published = tested.published.iter().map(|published| Line {
        name: published.ranker.clone(),
        title: published.ranker.clone(),
        ours: false,
        means: [exact(published.map), exact(published.ndcg10), None],
        values: None,
    });
    known.chain(published).collect()
}

fn number(mean: Option<Mean>) -> String {
    mean.map_or_else(|| "–".into(), |mean| format!("{:.4}", mean.value))
}

fn figure(lines: &[Line]) -> String {
    let rows: Vec<(String, Vec<Option<Mean>>)> =
        lines.iter().map(|line| (line.title.clone(), line.means[..2].to_vec())).collect();
    let (low, high) = Range::of_means(rows.iter().flat_map(|(_, means)| means).flatten().copied());
    let across = Range::new("Mean over the test queries", low, high);
    let series = vec!["MAP".into(), "NDCG@10".into()];
    Dots { title: "Quality of the rankers".into(), across, series, rows }.draw()
}

fn table(tested: &Tested, lines: &[Line]) -> String {
    let row = |line: &Line| {
        let mut row = vec![line.title.clone(), if line.ours { "Ordain" } else { "others" }.to_owned()];
        row.extend(line.means.map(number));
        row
    };
    let rows: Vec<Vec<String>> = lines.iter().map(row).collect();
    html::table(
        &format!("{}: test means over five folds.", tested.title),
        &["ranker", "by", "MAP", "NDCG@10", "winner"],
        &rows,
    )
}

fn interval(interval: &MeanInterval) -> String {
    let [mean, low, high] = [interval.mean, interval.low, interval.high].map(|value| html::signed(value, 4));
    format!("{mean} ({low} to {high})")
}

fn gains_table(tested: &Tested, lines: &[Line], over: &Line, seed: Seed) -> Result<String> {
    let mut rows = Vec::new();
    for line in lines.iter().filter(|line| line.name != over.name) {
        if let Some(gains) = gains(line, over, seed)? {
            rows.push([line.title.clone()].into_iter().chain(gains.iter().map(interval)).collect());
        }
    }
    let caption = format!("{}: gain over {} per query, with 95 % bootstrap intervals.", tested.title, over.title);
    Ok(html::table(&caption, &["ranker", "MAP", "NDCG@10", "winner"], &rows))
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
fn comparison(all: &[(&Tested, Vec<Line>)], examples: &[Example], seed: Seed) -> Result<String> {
    let mut out = format!(
        "In the list of 1,000 documents, wrong pairs fall from {} to {} while the cost of the winner goes from {} to {}.",
        examples[0].wrong_pairs, examples[1].wrong_pairs, examples[0].winner, examples[1].winner
    );
    for (tested, lines) in all {
        let find = |name: &str| lines.iter().find(|line| line.name == name);
        for (name, aim) in AIMS {
            let (Some(line), Some(ranknet)) = (find(name), find(RANKNET)) else { continue };
            let Some(gains) = gains(line, ranknet, seed)? else { continue };
            for (gain, _) in gains.iter().zip(MEASURES).filter(|(_, (measure, _))| *measure == aim) {
                let measure = if aim == "wta" { "winners" } else { "NDCG@10" };
                let gain = interval(gain);
                let _ = write!(out, " {}: {} gain {gain} in {measure} over RankNet.", tested.title, line.title);
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
    Ok(out)
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
