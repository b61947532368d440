//! Fusing runs by reciprocal rank beside ranx, and how the greedy order grows.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use ordain::data::Run;
use ordain::formats::read_run;
use ordain::numeric::Seed;
use ordain::order::{Fusion, Pool, RankOrdering, Unretrieved, Weighted, greedy_order};
use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::shared::{folder, machine, median, peak_mb, record, run};

const RUNS: usize = 25;
const QUERIES: usize = 1000;
const DEPTH: usize = 100;
/// Documents of a query that runs choose from.
const CANDIDATES: usize = 400;
const REPEATS: usize = 5;

/// What fusing took.
#[derive(Serialize, Deserialize)]
struct Timed {
    /// From opening the files to the fused run.
    file_seconds: f64,
    /// The computation alone.
    seconds: Vec<f64>,
    peak_mb: f64,
    /// All fused scores together.
    sum: f64,
    /// The best score of every query.
    first: BTreeMap<String, f64>,
    #[serde(default)]
    versions: BTreeMap<String, String>,
}

/// How long a greedy order took.
#[derive(Serialize, Deserialize)]
struct Grown {
    items: usize,
    seconds: Vec<f64>,
    /// How much the largest resident memory rose.
    risen_mb: f64,
}

/// Runs that favour the same documents, each with noise of its own.
fn write_runs(place: &Path) -> Result<(), Box<dyn Error>> {
    for number in 0..RUNS {
        let mut stream = Seed(9).stream(number as u64);
        let mut out = BufWriter::new(std::fs::File::create(place.join(format!("run{number:02}.txt")))?);
        for query in 0..QUERIES {
            let mut scored: Vec<(f64, usize)> =
                (0..CANDIDATES).map(|document| (stream.random::<f64>() * 300.0 - document as f64, document)).collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (rank, (score, document)) in scored.iter().take(DEPTH).enumerate() {
                writeln!(out, "{query} Q0 doc{:07} {} {score} run{number:02}", query * 5000 + document, rank + 1)?;
            }
        }
        out.flush()?;
    }
    Ok(())
}

fn files(place: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(place)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.sort();
    Ok(files)
}

/// Every query with its documents and their scores, best first.
type FusedRun<'a> = Vec<(&'a str, Vec<(&'a str, f64)>)>;

/// What a run says of the query at this place, if it has one.
fn list(run: &Run, at: Option<usize>) -> Vec<(&str, f64)> {
    let rows = at.map_or(&[][..], |at| &run.queries[at].1);
    rows.iter().map(|row| (run.document(row), row.score)).collect()
}

fn fuse(runs: &[Run]) -> ordain::Result<FusedRun<'_>> {
    let places: Vec<HashMap<&str, usize>> = runs
        .iter()
        .map(|run| run.queries.iter().enumerate().map(|(at, (query, _))| (query.as_str(), at)).collect())
        .collect();
    let weights = vec![1.0 / runs.len() as f64; runs.len()];
    let fused = runs[0].queries.par_iter().map(|(query, _)| {
        let lists = runs.iter().zip(&places).map(|(run, places)| list(run, places.get(query.as_str()).copied()));
        let pool = Pool::new(lists)?;
        let fused = Fusion::ReciprocalRank.order(&pool.experts(Unretrieved::Last)?, &weights)?;
        let rows = fused.order.iter().zip(&fused.scores).map(|(&item, &score)| (pool.documents()[item], score));
        Ok((query.as_str(), rows.collect()))
    });
    fused.collect()
}

/// Fuses the runs of a folder in this process.
pub fn ours(place: &str) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let runs: Vec<Run> = files(place)?.par_iter().map(read_run).collect::<Result<_, _>>()?;
    let fused = fuse(&runs)?;
    let file_seconds = started.elapsed().as_secs_f64();
    let mut seconds = Vec::new();
    for _ in 0..REPEATS {
        let started = Instant::now();
        fuse(&runs)?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    let sum = fused.iter().flat_map(|(_, rows)| rows).map(|row| row.1).sum();
    let first = fused.iter().map(|(query, rows)| ((*query).to_owned(), rows[0].1)).collect();
    let timed = Timed { file_seconds, seconds, peak_mb: peak_mb()?, sum, first, versions: BTreeMap::new() };
    serde_json::to_writer(std::io::stdout(), &timed)?;
    Ok(())
}

/// Orders items greedily by the shuffled lists of 25 experts in this process.
pub fn grown(items: &str) -> Result<(), Box<dyn Error>> {
    let items: usize = items.parse()?;
    let mut stream = Seed(10).stream(0);
    let mut expert = |_| {
        let mut places: Vec<usize> = (0..items).collect();
        places.shuffle(&mut stream);
        RankOrdering::from_positions(places.into_iter().map(|place| Some(place as f64)), Unretrieved::Last)
    };
    let experts: Vec<RankOrdering> = (0..RUNS).map(&mut expert).collect::<Result<_, _>>()?;
    let weights = vec![1.0 / RUNS as f64; RUNS];
    let preference = Weighted::new(&experts, &weights)?;
    let before = peak_mb()?;
    let mut seconds = Vec::new();
    for _ in 0..REPEATS {
        let started = Instant::now();
        let order = greedy_order(&preference);
        seconds.push(started.elapsed().as_secs_f64());
        assert_eq!(order.len(), items);
    }
    serde_json::to_writer(std::io::stdout(), &Grown { items, seconds, risen_mb: peak_mb()? - before })?;
    Ok(())
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let place = std::env::temp_dir().join(format!("ordain-peers-fusion-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    write_runs(&place)?;
    let script = folder().join("peers/fuse.py");
    let theirs: Timed = run(Command::new(python).arg(script).arg(&place).arg(REPEATS.to_string()), "")?;
    let ours: Timed = run(Command::new(std::env::current_exe()?).args(["ours", "fusion"]).arg(&place), "")?;
    std::fs::remove_dir_all(&place)?;
    // Sums of 25 numbers.
    let same = |a: f64, b: f64| (a - b).abs() < 1e-12 * b.abs();
    if !same(ours.sum, theirs.sum) || ours.first.iter().any(|(query, score)| !same(*score, theirs.first[query])) {
        return Err("ranx and ours differ".into());
    }
    let mut report = String::from(
        "| | files to fused run, s | ratio | computation, s | ratio | peak memory, MB |\n|---|---|---|---|---|---|\n",
    );
    for (name, side) in [("ranx", &theirs), ("Ordain", &ours)] {
        let (file, alone) = (side.file_seconds, median(&side.seconds));
        writeln!(
            report,
            "| {name} | {file:.2} | {:.1} | {alone:.3} | {:.1} | {:.0} |",
            file / ours.file_seconds,
            alone / median(&ours.seconds),
            side.peak_mb
        )?;
    }
    let mut growth = String::from("| items | seconds | ratio | memory on top, MB |\n|---|---|---|---|\n");
    let mut last: Option<f64> = None;
    for items in [1000, 2000, 4000] {
        let side: Grown = run(Command::new(std::env::current_exe()?).args(["ours", "greedy", &items.to_string()]), "")?;
        let seconds = median(&side.seconds);
        let ratio = last.map_or_else(String::new, |last| format!("{:.1}", seconds / last));
        writeln!(growth, "| {items} | {seconds:.3} | {ratio} | {:.1} |", side.risen_mb)?;
        last = Some(seconds);
    }
    let versions: Vec<String> = theirs.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    record(
        "fusion",
        "Fusing runs by reciprocal rank beside ranx",
        &format!(
            "`cargo xtask bench-peers fusion` on {}; {}.\n\n{RUNS} runs of {QUERIES} queries x {DEPTH} documents out of \
             {CANDIDATES}; scores agree to 1e-12. Files to fused run: read once, after imports and after ranx has compiled its \
             functions. Computation: median of {REPEATS} over what was read, both cores at everyone's disposal. Ratio: how \
             many times as long as ours.\n\n{report}\n## The greedy order\n\n{RUNS} experts that rank all items, each in a \
             random order; median of {REPEATS}. Ratio: to half as many items, 4 being n². A table of all pairs of 2,000 items \
             for every expert would take 800 MB.\n\n{growth}",
            machine()?,
            versions.join(", ")
        ),
    )
}
