//! What `clr` found.

use std::fmt::Write;

use ordain::measure::{Mean, mean};
use ordain_plot::{Dots, Range, html};

use super::methods::{ENCODINGS, LOSSES, METHODS};
use super::{OF_SETS, Plan, Ranked};
use crate::findings::{Findings, Gist};
use crate::journal::Row;

/// What is shown.
pub fn findings(plan: &Plan, rows: &[Vec<Row>]) -> Findings {
    let [sets, orders, encodings] = rows else { unreachable!("three files are read") };
    let sets = sets_rows(sets);
    let taus = taus(plan, orders);
    let svg = figure(&taus);
    let caption = "Kendall's tau on each label-ranking set, test examples; the last row is the mean over sets.";
    let learned = encoding_losses(encodings);
    let encodings = encodings_rows(&learned);
    let mut measured = html::figures([(svg.as_str(), caption)]);
    let _ = writeln!(
        measured,
        "{}",
        html::table(
            "Multi-label sets: Hamming loss, ranking loss and one-error on test examples.",
            &["method", "emotions", "", "", "scene", "", ""],
            &sets
        )
    );
    let titles: Vec<&str> = ["set"].into_iter().chain(METHODS.iter().map(|method| method.title)).collect();
    let _ = writeln!(
        measured,
        "{}",
        html::table("Label rankings: Kendall's tau on test examples.", &titles, &tau_rows(&taus))
    );
    let losses: Vec<String> = LOSSES.iter().map(|loss| format!("{loss} on tests")).collect();
    let header: Vec<&str> =
        ["encoding", "loss of a step"].into_iter().chain(losses.iter().map(String::as_str)).collect();
    let _ = writeln!(
        measured,
        "{}",
        html::table(
            "Top rankings (the better half of each order): mean test losses over sets, algorithm 1.",
            &header,
            &encodings
        )
    );
    Findings {
        gist: gist(&sets, &taus),
        measured,
        how: how(plan),
        comparison: format!("<p>{}</p>", comparison(&taus, &learned)),
        files: vec![("-taus.svg".into(), svg), ("-summary.csv".into(), csv(&taus))],
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{value:.3}").replace('-', "−"))
}

/// A row per method: the three measures on both sets.
fn sets_rows(rows: &[Row]) -> Vec<Vec<String>> {
    let width = OF_SETS.len();
    let of = |column: usize, rows: &[Row]| {
        let values: Option<Vec<f64>> = rows.iter().map(|row| row[column]).collect();
        number(values.map(|values| mean(&values)))
    };
    let method = |(at, method): (usize, &super::methods::Method)| {
        let mut row = vec![method.title.to_owned()];
        let (emotions, scene) = rows.split_at(rows.len() - 1);
        for part in [emotions, scene] {
            row.extend((at * width..(at + 1) * width).map(|column| of(column, part)));
        }
        row
    };
    METHODS.iter().enumerate().map(method).collect()
}

/// Of every set, and of all in the end: the mean tau of every method; none where it was not run.
fn taus(plan: &Plan, rows: &[Row]) -> Vec<(String, Vec<Option<Mean>>)> {
    let cells = plan.cells();
    let of = |(at, ranked): (usize, &Ranked)| {
        let tau = |method: usize| {
            let values = cells.iter().zip(rows).filter(|((set, ..), _)| *set == at).map(|(_, row)| row[method]);
            values.collect::<Option<Vec<f64>>>().map(|values| Mean::of(&values))
        };
        (ranked.name.clone(), (0..METHODS.len()).map(tau).collect())
    };
    let mut out: Vec<(String, Vec<Option<Mean>>)> = plan.orders.iter().enumerate().map(of).collect();
    let over = |method: usize| {
        let values: Option<Vec<f64>> = out.iter().map(|(_, means)| Some(means[method]?.value)).collect();
        values.map(|values| Mean { value: mean(&values), error: f64::NAN })
    };
    let all = (0..METHODS.len()).map(over).collect();
    out.push(("mean".into(), all));
    out
}

fn tau_rows(taus: &[(String, Vec<Option<Mean>>)]) -> Vec<Vec<String>> {
    let row = |(name, means): &(String, Vec<Option<Mean>>)| {
        [name.clone()].into_iter().chain(means.iter().map(|mean| number(mean.map(|mean| mean.value)))).collect()
    };
    taus.iter().map(row).collect()
}

fn figure(taus: &[(String, Vec<Option<Mean>>)]) -> String {
    // Those that were run on all sets.
    let shown: Vec<usize> =
        (0..METHODS.len()).filter(|&at| taus.iter().all(|(_, means)| means[at].is_some())).collect();
    let rows: Vec<(String, Vec<Option<Mean>>)> =
        taus.iter().map(|(name, means)| (name.clone(), shown.iter().map(|&at| means[at]).collect())).collect();
    let series = shown.iter().map(|&at| METHODS[at].title.to_owned()).collect();
    let lowest = rows.iter().flat_map(|(_, means)| means.iter().flatten()).map(|mean| mean.value - mean.error);
    let across = Range::signed("Kendall's tau with the true order", lowest.fold(0.0, f64::min), 1.0);
    Dots { title: "Rankings of labels on held-out items".into(), across, series, rows }.draw()
}

/// What algorithm 1 learned with an encoding and a loss: both names, and the mean over sets of every loss on tests.
type Encoded = (&'static str, String, Vec<f64>);

fn encoding_losses(rows: &[Row]) -> Vec<Encoded> {
    let mut out = Vec::new();
    for (encoding, (title, _)) in ENCODINGS.iter().enumerate() {
        for (loss, name) in LOSSES.iter().enumerate() {
            let measured = (0..LOSSES.len()).map(|measured| {
                let column = (encoding * LOSSES.len() + loss) * LOSSES.len() + measured;
                mean(&rows.iter().map(|row| row[column].unwrap_or(f64::NAN)).collect::<Vec<f64>>())
            });
            out.push((*title, name.to_string(), measured.collect()));
        }
    }
    out
}

fn encodings_rows(losses: &[Encoded]) -> Vec<Vec<String>> {
    let row = |(title, loss, measured): &Encoded| {
        let cells = measured.iter().map(|value| number(Some(*value)));
        [(*title).to_owned(), loss.clone()].into_iter().chain(cells).collect()
    };
    losses.iter().map(row).collect()
}

fn gist(sets: &[Vec<String>], taus: &[(String, Vec<Option<Mean>>)]) -> Gist {
    let all = taus.last().map(|(_, means)| means.as_slice()).unwrap_or_default();
    let row = |(row, tau): (&Vec<String>, &Option<Mean>)| {
        let [method, measures @ ..] = row.as_slice() else { return row.clone() };
        vec![
            method.clone(),
            measures[..OF_SETS.len()].join(" / "),
            measures[OF_SETS.len()..].join(" / "),
            number(tau.map(|tau| tau.value)),
        ]
    };
    Gist {
        title: "Hamming loss / ranking loss / one-error, and the mean of Kendall's tau over eleven sets".into(),
        header: ["method", "emotions", "scene", "label rankings"].map(str::to_owned).to_vec(),
        rows: sets.iter().zip(all).map(row).collect(),
        note: "–: not run on all sets".into(),
    }
}

fn how(plan: &Plan) -> String {
    let one =
        |ranked: &Ranked| format!("{} {} x {} x {}", ranked.name, ranked.examples, ranked.attributes, ranked.labels);
    let sets: Vec<String> = plan.orders.iter().map(one).collect();
    format!(
        "Emotions: {} examples; scene: {} examples to test. Examples x attributes x labels of the rankings: {}.",
        plan.emotions,
        plan.scene,
        sets.join(", ")
    )
}

/// Which method leads where, and what encodings change.
fn comparison(taus: &[(String, Vec<Option<Mean>>)], encodings: &[Encoded]) -> String {
    let mut out = String::new();
    for (at, method) in METHODS.iter().enumerate() {
        let leads = |(_, means): &&(String, Vec<Option<Mean>>)| {
            let own = means[at].map_or(f64::NEG_INFINITY, |mean| mean.value);
            means.iter().flatten().all(|mean| mean.value <= own)
        };
        let names: Vec<&str> = taus.iter().filter(leads).map(|(name, _)| name.as_str()).collect();
        if !names.is_empty() {
            let _ = write!(out, "Highest tau, {}: {}. ", method.title, names.join(", "));
        }
    }
    for (at, loss) in LOSSES.iter().enumerate() {
        let best = encodings.iter().min_by(|one, other| one.2[at].total_cmp(&other.2[at]));
        if let Some((encoding, by, measured)) = best {
            let _ = write!(out, "Lowest {loss} loss of top rankings: {encoding} with {by} ({:.3}). ", measured[at]);
        }
    }
    out
}

fn csv(taus: &[(String, Vec<Option<Mean>>)]) -> String {
    let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    let mut out = format!("set,{}\n", names.join(","));
    for (name, means) in taus {
        let cell = |mean: &Option<Mean>| mean.map_or(String::new(), |mean| mean.value.to_string());
        let cells: Vec<String> = means.iter().map(cell).collect();
        let _ = writeln!(out, "{name},{}", cells.join(","));
    }
    out
}
