//! Measuring runs beside ranx and pytrec_eval: 1,000 queries x 1,000 documents.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ordain::formats::{read_qrels, read_run};
use ordain::measure::{EvaluationParams, Measure, Ties, evaluate};
use ordain::numeric::Seed;
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::shared::{folder, machine, median, peak_mb, record, run};

const MEASURES: [&str; 3] = ["ndcg@10", "map", "mrr"];
const REPEATS: usize = 10;

/// What measuring a run took.
#[derive(Serialize, Deserialize)]
struct Measured {
    /// From opening the files to the values.
    file_seconds: f64,
    /// The computation alone.
    seconds: Vec<f64>,
    peak_mb: f64,
    values: BTreeMap<String, f64>,
    #[serde(default)]
    versions: BTreeMap<String, String>,
}

/// Measures the files in this process.
pub fn ours(run_file: &str, qrels_file: &str) -> Result<(), Box<dyn Error>> {
    let measures: Vec<Measure> = MEASURES.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    let params = EvaluationParams::new(measures).with_ties(Ties::Trec);
    let started = Instant::now();
    let judgements = read_qrels(qrels_file)?;
    let runs = [read_run(run_file)?];
    let evaluation = evaluate(&runs, &judgements, &params)?;
    let file_seconds = started.elapsed().as_secs_f64();
    let mut seconds = Vec::new();
    for _ in 0..REPEATS {
        let started = Instant::now();
        evaluate(&runs, &judgements, &params)?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    let value = |(at, name): (usize, &&str)| ((*name).to_owned(), evaluation.runs[0].mean(at));
    let values = MEASURES.iter().enumerate().map(value).collect();
    let measured = Measured { file_seconds, seconds, peak_mb: peak_mb()?, values, versions: BTreeMap::new() };
    serde_json::to_writer(std::io::stdout(), &measured)?;
    Ok(())
}

/// A run of 1,000 documents for each of 1,000 queries by falling score, and 100 judged documents a query, half of them
/// in the run.
fn write_files(run_file: &Path, qrels_file: &Path) -> Result<(), Box<dyn Error>> {
    let mut stream = Seed(5).stream(0);
    let mut runs = BufWriter::new(std::fs::File::create(run_file)?);
    let mut qrels = BufWriter::new(std::fs::File::create(qrels_file)?);
    for query in 0..1000 {
        let mut score = 30.0;
        for rank in 1..=1000 {
            score -= stream.random_range(0.001..0.05);
            writeln!(runs, "{query} Q0 doc{:07} {rank} {score:.6} tag", query * 5000 + rank)?;
        }
        for judged in 0..100 {
            let document = query * 5000 + if judged % 2 == 0 { 20 * judged / 2 + 1 } else { 2000 + judged };
            writeln!(qrels, "{query} 0 doc{document:07} {}", stream.random_range(0..4))?;
        }
    }
    runs.flush()?;
    qrels.flush()?;
    Ok(())
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let temporary = std::env::temp_dir().join(format!("ordain-peers-{}", std::process::id()));
    std::fs::create_dir_all(&temporary)?;
    let (run_file, qrels_file) = (temporary.join("run.txt"), temporary.join("qrels.txt"));
    write_files(&run_file, &qrels_file)?;
    let script = folder().join("peers/evaluate.py");
    let theirs = |library: &str| -> Result<Measured, Box<dyn Error>> {
        let mut command = Command::new(python);
        command.arg(&script).arg(library).args([&run_file, &qrels_file]).arg(REPEATS.to_string());
        run(&mut command, "")
    };
    let ours: Measured =
        run(Command::new(std::env::current_exe()?).args(["ours", "evaluation"]).args([&run_file, &qrels_file]), "")?;
    let sides = [("pytrec_eval", theirs("pytrec_eval")?), ("ranx", theirs("ranx")?), ("Ordain", ours)];
    std::fs::remove_dir_all(&temporary)?;

    let ours = &sides[2].1;
    let mut report = String::from(
        "| | files to values, ms | ratio | computation, ms | ratio | peak memory, MB |\n|---|---|---|---|---|---|\n",
    );
    for (name, side) in &sides {
        for (measure, value) in &side.values {
            if (value - ours.values[measure]).abs() > 1e-9 {
                return Err(format!("{name} has {measure} = {value}, ours is {}", ours.values[measure]).into());
            }
        }
        let (file, alone) = (side.file_seconds, median(&side.seconds));
        writeln!(
            report,
            "| {name} | {:.0} | {:.1} | {:.1} | {:.1} | {:.0} |",
            1e3 * file,
            file / ours.file_seconds,
            1e3 * alone,
            alone / median(&ours.seconds),
            side.peak_mb
        )?;
    }
    let versions: Vec<String> =
        sides.iter().flat_map(|(_, side)| &side.versions).map(|(name, version)| format!("{name} {version}")).collect();
    record(
        "evaluation",
        "Measuring a run beside ranx and pytrec_eval",
        &format!(
            "`cargo xtask bench-peers` on {}; {}.\n\n1,000 queries x 1,000 documents, 100 judged a query; NDCG@10, MAP and \
             MRR, which agree to 1e-9. Files to values: read once, after imports (and after ranx has compiled its \
             functions). Computation: median of {REPEATS} over what was read. Ratio: how many times as long as ours.\n\n{report}",
            machine()?,
            versions.join(", ")
        ),
    )
}
