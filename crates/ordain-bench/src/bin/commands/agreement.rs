//! Whether two builds say the same: rankings and their intervals, and tuned parameters with what they predict.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use ordain::data::ItemId;
use ordain::kernel::Parameter;
use ordain::{Inference, Project as Opened, Watch};
use ordain_bench::projects::{GROWTH, PROJECTS, Project};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::empty_folder;
use crate::shared::{self, machine};

/// Answers of the same judge that no build sees.
const HELD_OUT: usize = 20_000;

/// What `ordain rank` says.
#[derive(Deserialize)]
struct Ranked {
    items: Vec<Row>,
    certainty: Certainty,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    mean: f64,
    sd: f64,
    rank_low: f64,
    rank_high: f64,
    top: f64,
}

#[derive(Deserialize)]
struct Certainty {
    probability: f64,
    wrong_pairs: f64,
}

/// What `ordain tune` says.
#[derive(Deserialize)]
struct Tuned {
    parameters: Vec<TunedRow>,
    log_posterior: f64,
}

#[derive(Deserialize)]
struct TunedRow {
    name: String,
    value: f64,
    low: f64,
    high: f64,
}

/// What a Gibbs sampler finds: the same numbers of every item.
#[derive(Deserialize)]
struct Sampled {
    ids: Vec<String>,
    low: Vec<f64>,
    high: Vec<f64>,
    top: Vec<f64>,
    /// Standard errors of `top`.
    error: Vec<f64>,
}

/// Sweeps of the sampler.
const SWEEPS: usize = 40_000;

/// The report of both comparisons. The Python has what the tests' oracles need.
pub fn report([now, before]: [&Path; 2], name: &str, python: &str) -> Result<String, Box<dyn Error>> {
    let (rankings, tuning) = (rankings([now, before], python)?, tuning([now, before])?);
    Ok(format!(
        "{}. `before` is commit {name}.\n\n{rankings}\n{tuning}\nCommand: `cargo xtask bench-commands agreement`\n",
        machine()?
    ))
}

/// Rankings of the smallest project.
fn rankings([now, before]: [&Path; 2], python: &str) -> Result<String, Box<dyn Error>> {
    let project = &PROJECTS[0];
    let folder = empty_folder(project)?;
    project.write(&folder)?;
    let ranked = |build: &Path| json_of::<Ranked>(build, &folder, &["rank", "--top", "10", "--format", "json"]);
    let (own, theirs) = (ranked(now)?, ranked(before)?);
    let toml = folder.join("ordain.toml");
    let text = std::fs::read_to_string(&toml)?;
    std::fs::write(&toml, format!("{text}[ask]\nseed = 2\n"))?;
    let again = ranked(now)?;
    let task = serde_json::json!({ "folder": folder, "sweeps": SWEEPS, "top": 10 });
    let script = shared::folder().join("peers/gibbs.py");
    let sampled: Sampled = shared::run(Command::new(python).arg(script), &task.to_string())?;
    let mut out = format!(
        "`rank --top 10` of {} items after {} answers, from 4,096 draws: the largest and the mean difference over the items. The \
         posterior itself is known from {SWEEPS} sweeps of a Gibbs sampler in NumPy, which forms the kernels from the files by itself; \
         its own standard error of the probabilities is at most {:.1e}.\n\n\
         | | builds | two seeds of this build | now and Gibbs | before and Gibbs |\n|---|---|---|---|---|\n",
        project.items,
        project.answers,
        sampled.error.iter().fold(0.0_f64, |most, error| most.max(*error))
    );
    type Of = fn(&Row) -> f64;
    // What it is, where it stands, and what the sampler finds.
    type Number<'a> = (&'a str, Of, Option<&'a [f64]>);
    let rows: [Number<'_>; 5] = [
        ("posterior mean", |row| row.mean, None),
        ("standard deviation", |row| row.sd, None),
        ("lower end of the rank", |row| row.rank_low, Some(&sampled.low)),
        ("upper end of the rank", |row| row.rank_high, Some(&sampled.high)),
        ("probability of the first ten", |row| row.top, Some(&sampled.top)),
    ];
    for (what, of, exact) in rows {
        let values = |ranked: &Ranked| by_id(ranked, &sampled.ids, of);
        let (own, theirs, again) = (values(&own)?, values(&theirs)?, values(&again)?);
        let beside = |values: &[f64]| exact.map_or_else(String::new, |exact| apart(values, exact));
        let builds = [apart(&own, &theirs), apart(&own, &again), beside(&own), beside(&theirs)];
        writeln!(out, "| {what} | {} |", builds.join(" | "))?;
    }
    let certainty =
        |other: &Ranked, of: fn(&Certainty) -> f64| format!("{:.4}", (of(&own.certainty) - of(&other.certainty)).abs());
    type Share = fn(&Certainty) -> f64;
    let both: [(&str, Share); 2] = [
        ("certainty", |certainty| certainty.probability),
        ("expected share of wrong pairs", |certainty| certainty.wrong_pairs),
    ];
    for (what, of) in both {
        writeln!(out, "| {what} | {} | {} | | |", certainty(&theirs, of), certainty(&again, of))?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(out)
}

/// A number of every item, in the order of the ids.
fn by_id(ranked: &Ranked, ids: &[String], of: fn(&Row) -> f64) -> Result<Vec<f64>, Box<dyn Error>> {
    let rows: HashMap<&str, &Row> = ranked.items.iter().map(|row| (row.id.as_str(), row)).collect();
    ids.iter().map(|id| Ok(of(rows.get(id.as_str()).ok_or("an item is missing")?))).collect()
}

/// The largest and the mean difference.
fn apart(one: &[f64], other: &[f64]) -> String {
    let differences = || one.iter().zip(other).map(|(one, other)| (one - other).abs());
    format!("{:.2e}, {:.2e}", differences().fold(0.0, f64::max), differences().sum::<f64>() / one.len() as f64)
}

/// Parameters that both builds learn, and how well each predicts answers that it did not see.
fn tuning([now, before]: [&Path; 2]) -> Result<String, Box<dyn Error>> {
    let project = &GROWTH[0];
    let folder = empty_folder(project)?;
    project.write(&folder)?;
    let tuned =
        |build: &Path| json_of::<Tuned>(build, &folder, &["tune", "--dry-run", "--intervals", "--format", "json"]);
    let (own, theirs) = (tuned(now)?, tuned(before)?);
    let mut out = format!(
        "`tune --intervals` of {} items and {} answers.\n\n\
         | parameter | now, with 90 % interval | before | within the interval |\n|---|---|---|---|\n",
        project.items, project.answers
    );
    for (own, theirs) in own.parameters.iter().zip(&theirs.parameters) {
        let within = (own.low..=own.high).contains(&theirs.value);
        let TunedRow { name, value, low, high } = own;
        let within = if within { "yes" } else { "**no**" };
        writeln!(out, "| `{name}` | {value:.4} ({low:.4} to {high:.4}) | {:.4} | {within} |", theirs.value)?;
    }
    let (mine, other) = (held_out(project, &folder, &own)?, held_out(project, &folder, &theirs)?);
    writeln!(
        out,
        "\nLog posterior: {:.4} now, {:.4} before. Log loss on {HELD_OUT} further answers of the same judge: {mine:.5} now, {other:.5} before.",
        own.log_posterior, theirs.log_posterior
    )?;
    std::fs::remove_dir_all(&folder)?;
    Ok(out)
}

/// The mean log loss of the answers that nobody saw.
fn held_out(project: &Project, folder: &Path, tuned: &Tuned) -> Result<f64, Box<dyn Error>> {
    let model = Opened::open(folder)?.model().clone();
    let values: Vec<Parameter> =
        tuned.parameters.iter().map(|row| Parameter { name: row.name.clone(), value: row.value }).collect();
    let model = model.with_parameters(&values)?;
    let fitted = model.fit(Inference::Ep, &Watch::NONE)?;
    let utilities = project.utilities();
    let mut stream = project.unseen();
    let mut loss = 0.0;
    for _ in 0..HELD_OUT {
        let (first, second, is_first) = project.answer(&utilities, &mut stream);
        let probability = fitted.predict(ItemId::new(first), ItemId::new(second))?.probability;
        loss -= if is_first { probability } else { 1.0 - probability }.ln() / HELD_OUT as f64;
    }
    Ok(loss)
}

/// What a command of a build prints as JSON in a folder.
fn json_of<T: DeserializeOwned>(build: &Path, folder: &Path, command: &[&str]) -> Result<T, Box<dyn Error>> {
    let output = Command::new(build).args(command).current_dir(folder).output()?;
    if !output.status.success() {
        return Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
