//! Held-out log loss of answers with ties, before and after tuning: an arena as in [`ordain_bench::battles`], and UKPConvArg1.
//!
//! `cargo run --release -p ordain-bench --bin ties -- [DATA [TOPICS]]`. Projects are as `ordain init` writes them, or with the width of earlier
//! versions and the noise that was the default then. DATA is the folder of public data; without it, only the arena is
//! looked at. TOPICS of UKPConvArg1, of 32 and in the order of their names, are looked at: 4 unless told otherwise. Prints a table in Markdown.

#![allow(clippy::print_stdout)] // It prints a table.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use ordain::data::Outcome;
use ordain::gp::{AnswerModel, ComparisonParams, TuningParams};
use ordain::numeric::Seed;
use ordain::{Error, Model, Result, Watch};
use ordain_bench::{battles, fresh};

fn main() -> Result<()> {
    println!(
        "| answers | noise | width in the file | width that is used | log loss | width after tuning | log loss |\n|---|---|---|---|---|---|---|"
    );
    report("arena", &fresh::project("battles.csv", &battles::arena(Seed(1)), &[])?)?;
    let mut arguments = std::env::args().skip(1);
    if let Some(data) = arguments.next() {
        let topics = arguments.next().and_then(|topics| topics.parse().ok()).unwrap_or(4);
        report("UKPConvArg1", &fresh::project("pairs.csv", &pairs(Path::new(&data), topics)?, &[])?)?;
    }
    Ok(())
}

/// The rows of one set of answers: the noise held and the width that earlier versions wrote, and the project as `init` writes it,
/// which learns both.
fn report(name: &str, model: &Model) -> Result<()> {
    let standing = model.answers().standing();
    let ties = standing.iter().filter(|answer| answer.outcome == Outcome::Tie).count();
    let share = ties as f64 / standing.len() as f64;
    let old = share * (6.0 * std::f64::consts::PI).sqrt() / 2.0;
    let held = AnswerModel::new(AnswerModel::default().noise(), old)?;
    for (noise, answer_model) in [("held", held), ("learned", model.answer_model().clone())] {
        let asked = model.clone().with_answer_model(answer_model);
        let loss = |tuning: Option<TuningParams>| -> Result<String> {
            let found = asked.compare(&ComparisonParams::default().with_folds(5).with_tuning(tuning))?.all.log_loss;
            Ok(format!("{:.3}", found.mean))
        };
        let params = TuningParams::default().with_restarts(0);
        let tuned = asked.tune(&params)?.parameters.into_iter().find(|one| one.name == ordain::data::TIE_WIDTH);
        let tuned = tuned.map_or_else(String::new, |width| format!("{:.2}", width.value));
        println!(
            "| {name}: {} answers, {:.0} % ties | {noise} | {:.2} | {:.2} | {} | {tuned} | {} |",
            standing.len(),
            100.0 * share,
            asked.answer_model().tie_width(),
            asked.learned_answer_model(&Watch::NONE)?.tie_width(),
            loss(None)?,
            loss(Some(params))?
        );
    }
    Ok(())
}

/// The pairs with a gold label of so many topics, as a table of answers.
fn pairs(data: &Path, topics: usize) -> Result<String> {
    let path = data.join("pairwise/ukpconvarg1/pairs.tsv.gz");
    let failed = |source| Error::Io { action: "read", path: path.clone(), source };
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(&path).map_err(failed)?).read_to_string(&mut text).map_err(failed)?;
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let shown: BTreeSet<&str> =
        rows.iter().map(|row| row[1]).collect::<BTreeSet<_>>().into_iter().take(topics).collect();
    let winner = |gold: &str| match gold {
        "a1" => Some("left"),
        "a2" => Some("right"),
        "equal" => Some("tie"),
        _ => None,
    };
    let line = |row: &Vec<&str>| Some(format!("{},{},{}\n", row[2], row[3], winner(row[4])?));
    let some = rows.iter().filter(|row| shown.contains(row[1])).filter_map(line);
    Ok(std::iter::once("left,right,winner\n".to_owned()).chain(some).collect())
}
