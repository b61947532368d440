//! Batch inference beside BoTorch's PairwiseGP.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Read;
use std::process::Command;
use std::time::Instant;

use ordain::gp::{Belief, EpParams};
use ordain_bench::Problem;
use serde::{Deserialize, Serialize};

use crate::shared::{folder, machine, median, peak_mb, record, run};

/// What a fit took.
#[derive(Serialize, Deserialize)]
struct Fit {
    seconds: Vec<f64>,
    /// The process' largest resident memory, and what of it was there before the fit.
    peak_mb: f64,
    base_mb: f64,
    mean: Vec<f64>,
    #[serde(default)]
    versions: std::collections::BTreeMap<String, String>,
}

/// What is asked of a peer.
#[derive(Serialize, Deserialize)]
struct Task {
    #[serde(flatten)]
    problem: Problem,
    repeats: usize,
}

const CELLS: [(usize, usize, usize); 4] = [(152, 200, 20), (152, 2000, 20), (1000, 200, 10), (1000, 2000, 5)];

/// Fits the problem on standard input.
pub fn ours() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let Task { problem, repeats } = serde_json::from_str(&text)?;
    drop(text);
    let observations = problem.observations();
    let base_mb = peak_mb()?;
    let (mut seconds, mut mean) = (Vec::new(), Vec::new());
    for _ in 0..repeats {
        let started = Instant::now();
        let ep = EpParams::default().fit(problem.kernel(), &observations)?;
        seconds.push(started.elapsed().as_secs_f64());
        mean = ep.mean().to_vec();
    }
    let fit = Fit { seconds, peak_mb: peak_mb()?, base_mb, mean, versions: Default::default() };
    serde_json::to_writer(std::io::stdout(), &fit)?;
    Ok(())
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let script = folder().join("peers/botorch_fit.py");
    let mut report = String::from(
        "| items | answers | BoTorch, ms | Ordain, ms | ratio | BoTorch, MB | Ordain, MB | correlation of means |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let mut versions = String::new();
    for (items, answers, repeats) in CELLS {
        let task = serde_json::to_string(&Task { problem: Problem::new(items, answers), repeats })?;
        let theirs: Fit = run(Command::new(python).arg(&script), &task)?;
        let ours: Fit = run(Command::new(std::env::current_exe()?).args(["ours", "fit"]), &task)?;
        let (slow, fast) = (median(&theirs.seconds), median(&ours.seconds));
        let memory = |fit: &Fit| format!("{:.0} (+{:.0})", fit.peak_mb, fit.peak_mb - fit.base_mb);
        writeln!(
            report,
            "| {items} | {answers} | {:.1} | {:.1} | {:.1} | {} | {} | {:.4} |",
            1e3 * slow,
            1e3 * fast,
            slow / fast,
            memory(&theirs),
            memory(&ours),
            correlation(&theirs.mean, &ours.mean),
        )?;
        println!("{items} items, {answers} answers: {:.1} times as fast", slow / fast);
        versions =
            theirs.versions.iter().map(|(name, version)| format!("{name} {version}")).collect::<Vec<_>>().join(", ");
    }
    println!("\n{report}");
    record(
        "batch-fit",
        "Batch fit beside BoTorch's PairwiseGP",
        &format!(
            "`cargo xtask bench-peers` on {}; {versions}.\n\n\
             Medians of 20, 20, 10 and 5 fits in one run, each side in a process of its own with both cores at its \
             disposal. The same answers, the same squared exponential kernel over 25 attributes (scale 3, length 5), the \
             same noise, no hyperparameters learned. BoTorch's time is that of constructing the model (mode and Hessian); \
             ours is that of the kernel, EP to a change of 1e-9, the evidence, and the means and variances of all items. \
             Memory: largest resident, and how much of it the fits added.\n\n{report}",
            machine()?
        ),
    )
}

fn correlation(left: &[f64], right: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (left_mean, right_mean) = (mean(left), mean(right));
    let sum = |f: &dyn Fn(f64, f64) -> f64| {
        left.iter().zip(right).map(|(l, r)| f(l - left_mean, r - right_mean)).sum::<f64>()
    };
    sum(&|l, r| l * r) / (sum(&|l, _| l * l) * sum(&|_, r| r * r)).sqrt()
}
