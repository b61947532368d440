//! Rankings of labels beside scikit-learn's logistic regression: training and prediction.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ordain::Watch;
use ordain::data::Attributes;
use ordain::learn::labels::{LabelEvaluation, LabelRanker, LabelledExamples, LogisticParams, OnlineParams, Target};
use ordain::numeric::Seed;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

use crate::shared::{folder, machine, record, run};

/// Examples that teach and that test, with so many attributes and labels.
const EXAMPLES: [usize; 2] = [100_000, 10_000];
const ATTRIBUTES: usize = 100;
const LABELS: usize = 20;

/// The weight of half the squared norm beside the mean over examples, on both sides.
const PENALTY: f64 = 1e-4;

/// What came of it.
#[derive(Serialize, Deserialize)]
struct Found {
    training: f64,
    prediction: f64,
    hamming: f64,
    ranking_loss: f64,
    #[serde(default)]
    versions: BTreeMap<String, String>,
}

/// Attributes row by row, and a mark per label.
type Examples = (Vec<f64>, Vec<u8>);

/// Labels that are relevant if a random linear function of the attributes, with noise, is high; about a sixth are.
fn examples(count: usize, task: u64) -> Examples {
    let mut truth = Seed(18).stream(0);
    let weights: Vec<f64> = (0..LABELS * ATTRIBUTES).map(|_| truth.sample::<f64, _>(StandardNormal) / 10.0).collect();
    let mut stream = Seed(18).stream(task);
    let (mut rows, mut marks) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let row: Vec<f64> = (0..ATTRIBUTES).map(|_| stream.sample(StandardNormal)).collect();
        for weights in weights.chunks(ATTRIBUTES) {
            let utility: f64 = weights.iter().zip(&row).map(|(weight, value)| weight * value).sum();
            marks.push(u8::from(utility + 0.5 * stream.sample::<f64, _>(StandardNormal) > 1.0));
        }
        rows.extend(row);
    }
    (rows, marks)
}

fn labelled((rows, marks): &Examples) -> Result<LabelledExamples, Box<dyn Error>> {
    let names = (0..ATTRIBUTES).map(|at| format!("a{at}")).collect();
    let labels = (0..LABELS).map(|at| format!("l{at}")).collect();
    let set = |marks: &[u8]| Target::Set((0..LABELS).filter(|&label| marks[label] == 1).collect());
    let attributes = Attributes::new(names, rows.len() / ATTRIBUTES, rows.clone())?;
    Ok(LabelledExamples::new(attributes, labels, marks.chunks(LABELS).map(set).collect())?)
}

const NAMES: [&str; 2] = ["train", "test"];

/// Learns the problem that the folder holds.
pub fn ours(place: &str) -> Result<(), Box<dyn Error>> {
    let mut parts = Vec::new();
    for name in NAMES {
        let bytes = std::fs::read(Path::new(place).join(format!("{name}.rows")))?;
        let rows = bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        parts.push(labelled(&(rows, std::fs::read(Path::new(place).join(format!("{name}.marks")))?))?);
    }
    let alone = LogisticParams::default().with_penalties(vec![PENALTY]).with_across(false).with_tolerance(1e-4);
    let joint = alone.clone().with_across(true);
    let learners: [(&str, Box<dyn LabelRanker>); 3] = [
        ("Ordain, a logistic regression per label", Box::new(alone)),
        ("Ordain, algorithm 1, five passes", Box::new(OnlineParams::default())),
        ("Ordain, joint logistic regression over all constraints", Box::new(joint)),
    ];
    let mut found = BTreeMap::new();
    for (at, (name, learner)) in learners.iter().enumerate() {
        let started = Instant::now();
        let model = learner.fit(&parts[0], &Watch::NONE)?;
        let training = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let predicted = model.predict(parts[1].attributes())?;
        let prediction = started.elapsed().as_secs_f64();
        let evaluation = LabelEvaluation::of(&predicted, parts[1].targets(), LABELS)?;
        let of = |value: Option<f64>| value.unwrap_or(f64::NAN);
        found.insert(
            format!("{at} {name}"),
            Found {
                training,
                prediction,
                hamming: of(evaluation.hamming),
                ranking_loss: of(evaluation.ranking_loss),
                versions: BTreeMap::new(),
            },
        );
    }
    serde_json::to_writer(std::io::stdout(), &found)?;
    Ok(())
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let place = std::env::temp_dir().join(format!("ordain-labels-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let found = compare(python, &place);
    std::fs::remove_dir_all(&place)?;
    found
}

fn compare(python: &str, place: &Path) -> Result<(), Box<dyn Error>> {
    for (at, name) in NAMES.iter().enumerate() {
        let (rows, marks) = examples(EXAMPLES[at], at as u64 + 1);
        let bytes: Vec<u8> = rows.iter().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(place.join(format!("{name}.rows")), bytes)?;
        std::fs::write(place.join(format!("{name}.marks")), marks)?;
    }
    let path = place.to_str().ok_or("the temporary folder's name is no text")?;
    let ours: BTreeMap<String, Found> =
        run(Command::new(std::env::current_exe()?).args(["ours", "labels", path]).env("RAYON_NUM_THREADS", "1"), "")?;
    let script = folder().join("peers/labels.py");
    let sizes = [ATTRIBUTES.to_string(), LABELS.to_string(), PENALTY.to_string()];
    let theirs: Found = run(Command::new(python).arg(script).arg(path).args(sizes), "")?;
    let mut report = String::from(
        "| | training, s | as long | prediction, ms | as long | Hamming loss | ranking loss |\n|---|---|---|---|---|---|---|\n",
    );
    let mut line = |name: &str, found: &Found| {
        writeln!(
            report,
            "| {name} | {:.2} | {:.2} | {:.1} | {:.2} | {:.4} | {:.4} |",
            found.training,
            found.training / theirs.training,
            1e3 * found.prediction,
            found.prediction / theirs.prediction,
            found.hamming,
            found.ranking_loss
        )
    };
    line("scikit-learn, a logistic regression per label", &theirs)?;
    for (name, found) in &ours {
        line(&name[2..], found)?;
    }
    let versions: Vec<String> = theirs.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    record(
        "labels",
        "Rankings of labels beside scikit-learn",
        &format!(
            "`cargo xtask bench-peers labels` on {}; {}.\n\n{} examples with {ATTRIBUTES} attributes and {LABELS} labels teach, {} \
             test. One run, each side in a process of its own, one thread each. Logistic regressions have the same penalty and stop \
             at a gradient of 1e-4 (lbfgs on both sides); ours also penalises the constant. \"As long\" is beside scikit-learn. Ours also standardises attributes, \
             and predictions are whole rankings.\n\n{report}",
            machine()?,
            versions.join(", "),
            EXAMPLES[0],
            EXAMPLES[1],
        ),
    )
}
