//! Learning 26 hyperparameters beside BoTorch's `fit_gpytorch_mll`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Read;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use ordain::data::ItemId;
use ordain::gp::{AnswerModel, EpParams, TuningParams, predict};
use ordain::kernel::{Kernel, WeightedSum};
use ordain_bench::Problem;
use serde::{Deserialize, Serialize};

use crate::shared::{folder, machine, peak_mb, record, run};

/// What is asked of both sides.
#[derive(Serialize, Deserialize)]
struct Task {
    #[serde(flatten)]
    problem: Problem,
    held_out: Vec<[u32; 2]>,
}

/// What came of it.
#[derive(Serialize, Deserialize)]
struct Found {
    seconds: f64,
    peak_mb: f64,
    base_mb: f64,
    /// Of the held-out answers, in nats an answer, after tuning and before.
    log_loss: f64,
    before: f64,
    evaluations: usize,
    parameters: usize,
    #[serde(default)]
    versions: BTreeMap<String, String>,
}

const ITEMS: usize = 1000;
const ANSWERS: usize = 2000;

/// The mean of -log P(winner preferred).
fn log_loss(problem: &Problem, kernel: WeightedSum, held_out: &[[u32; 2]]) -> Result<f64, Box<dyn Error>> {
    let model = AnswerModel::new(1.0, 0.0)?;
    let belief = EpParams::default().fit(Arc::new(kernel), &problem.observations())?;
    let mut sum = 0.0;
    for &[winner, loser] in held_out {
        sum -= predict(&belief, &model, ItemId(winner), ItemId(loser))?.probability.ln();
    }
    Ok(sum / held_out.len() as f64)
}

/// Tunes the problem on standard input from one start and so many more.
pub fn ours(restarts: &str) -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let Task { problem, held_out } = serde_json::from_str(&text)?;
    drop(text);
    let base_mb = peak_mb()?;
    let before = log_loss(&problem, problem.separate_lengths(), &held_out)?;
    let params = TuningParams::default().with_restarts(restarts.parse()?);
    let started = Instant::now();
    let mut problems = [ordain::gp::Problem::new(problem.separate_lengths(), problem.observations())];
    let tuned = params.tune(&mut problems)?;
    let seconds = started.elapsed().as_secs_f64();
    let mut kernel = problem.separate_lengths();
    let values: Vec<f64> = problems[0].kernel.parameters().iter().map(|parameter| parameter.value).collect();
    kernel.set_parameters(&values)?;
    let found = Found {
        seconds,
        peak_mb: peak_mb()?,
        base_mb,
        log_loss: log_loss(&problem, kernel, &held_out)?,
        before,
        evaluations: tuned.evaluations,
        parameters: tuned.parameters.len(),
        versions: BTreeMap::new(),
    };
    serde_json::to_writer(std::io::stdout(), &found)?;
    Ok(())
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let mut problem = Problem::of_few_attributes(ITEMS, 2 * ANSWERS);
    let held_out = problem.pairs.split_off(ANSWERS);
    let task = serde_json::to_string(&Task { problem, held_out })?;
    let ours = |restarts: &str| -> Result<Found, Box<dyn Error>> {
        run(Command::new(std::env::current_exe()?).args(["ours", "tune", restarts]), &task)
    };
    let (one, three) = (ours("0")?, ours("2")?);
    let theirs: Found = run(Command::new(python).arg(folder().join("peers/botorch_tune.py")), &task)?;
    let mut report = String::from(
        "| | seconds | ratio | parameters | evaluations | held-out log loss | before tuning | memory added, MB |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for (name, found) in [
        ("BoTorch `fit_gpytorch_mll`, one start", &theirs),
        ("Ordain, one start", &one),
        ("Ordain, three starts (the default)", &three),
    ] {
        writeln!(
            report,
            "| {name} | {:.1} | {:.1} | {} | {} | {:.4} | {:.4} | {:.0} |",
            found.seconds,
            theirs.seconds / found.seconds,
            found.parameters,
            found.evaluations,
            found.log_loss,
            found.before,
            found.peak_mb - found.base_mb,
        )?;
    }
    let versions: Vec<String> = theirs.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    record(
        "tune",
        "Tuning beside BoTorch's PairwiseGP",
        &format!(
            "`cargo xtask bench-peers tune` on {}; {}.\n\n{ITEMS} items, {ANSWERS} answers and as many held out, one run, each \
             side in a process of its own with both cores at its disposal. The same kernel, a scale and a length for each of \
             25 attributes, of which the first matter most; each side with its own priors and its own default start and \
             stopping rule. Ratio: how many times as long BoTorch takes. Evaluations: of the evidence and its gradient; for \
             BoTorch, steps of its optimiser.\n\n{report}",
            machine()?,
            versions.join(", ")
        ),
    )
}
