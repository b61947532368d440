//! A million answers about 200 items beside the Bradley-Terry models of arenas.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ordain::gp::RankingParams;
use ordain::measure::kendall_tau_b;
use ordain::{Inference, Project, Watch};
use ordain_bench::projects::PROJECTS;
use serde::{Deserialize, Serialize};

use crate::shared::{folder, machine, median, record, run};

/// Runs of every contender.
const RUNS: usize = 5;

/// What a contender took, and the scores of the items.
#[derive(Serialize, Deserialize)]
struct Fit {
    read: f64,
    fit: f64,
    scores: BTreeMap<String, f64>,
    #[serde(default)]
    version: String,
}

/// Opens and ranks the project in this folder.
pub fn ours(place: &str) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let project = Project::open(place)?;
    let read = started.elapsed().as_secs_f64();
    let ranking = project.fit(Inference::Ep, &Watch::NONE)?.rank(&RankingParams::default())?;
    let fit = started.elapsed().as_secs_f64() - read;
    let name = |item| project.items().id(item).to_owned();
    let scores = ranking.items.iter().map(|ranked| (name(ranked.item), ranked.mean)).collect();
    serde_json::to_writer(std::io::stdout(), &Fit { read, fit, scores, version: String::new() })?;
    Ok(())
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let arena = PROJECTS.iter().find(|project| project.name == "arena").ok_or("no arena among the projects")?;
    let place = folder().join("../../target/commands/projects/arena-peers");
    std::fs::create_dir_all(&place)?;
    arena.write(&place)?;
    let truth: Vec<f64> = arena.utilities();
    let script = folder().join("peers/arena.py");
    let mut report = String::from(
        "| contender | reading, s | fit, s | both, beside ours | tau with ours | tau with the utilities |\n\
         |---|---|---|---|---|---|\n",
    );
    let mut own: Option<(f64, Vec<f64>)> = None;
    for contender in ["Ordain", "evalica", "arena-rank", "choix"] {
        let runs: Vec<Fit> = (0..RUNS).map(|_| once(contender, python, &script, &place)).collect::<Result<_, _>>()?;
        let middle = |of: fn(&Fit) -> f64| median(&runs.iter().map(of).collect::<Vec<_>>());
        let (read, fit) = (middle(|run| run.read), middle(|run| run.fit));
        let scores: Vec<f64> = (0..arena.items).map(|item| runs[0].scores[&format!("i{item}")]).collect();
        let (whole, ours) = own.get_or_insert_with(|| (read + fit, scores.clone()));
        let line = format!(
            "| {contender} {} | {read:.2} | {fit:.2} | {:.1} | {:.4} | {:.4} |",
            runs[0].version,
            (read + fit) / *whole,
            kendall_tau_b(&scores, ours)?,
            kendall_tau_b(&scores, &truth)?,
        );
        println!("{line}");
        writeln!(report, "{line}")?;
    }
    record(
        "arena",
        "A million answers about 200 items beside the models of arenas",
        &format!(
            "`cargo xtask bench-peers arena` on {}. Medians of {RUNS} processes each; starting Python is not counted.\n\n\
             The same file of answers. Ours: the project is opened and ranked, with standard deviations, rank intervals \
             and 4,096 joint draws. Theirs: pandas reads the file, and a Bradley-Terry model is fitted, without intervals: \
             evalica by its Rust solver, arena-rank by JAX on counted pairs, choix by iterative Luce spectral ranking on \
             the matrix of wins.\n\n{report}",
            machine()?
        ),
    )
}

fn once(contender: &str, python: &str, script: &Path, place: &Path) -> Result<Fit, Box<dyn Error>> {
    if contender == "Ordain" {
        return run(Command::new(std::env::current_exe()?).args(["ours", "arena"]).arg(place), "");
    }
    run(Command::new(python).arg(script).args([contender.as_ref(), place.join("answers.csv").as_os_str()]), "")
}
