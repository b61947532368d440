//! Rankers from graded lists beside NumPy and LightGBM: an epoch, training to its end, and scoring.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ordain::Watch;
use ordain::data::{Attributes, Groups, Items};
use ordain::learn::{GradedLists, LambdaParams, Ranker, RankingModel, Scaling, Swap};
use ordain::measure::Measure;
use ordain::measure::retrieval::{Discount, Gain};
use ordain::numeric::Seed;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

use crate::shared::{folder, machine, median, record, run};

/// Queries that teach, that choose and that test, each of so many documents with so many features.
const QUERIES: [usize; 3] = [1000, 200, 200];
const DOCUMENTS: usize = 100;
const FEATURES: usize = 136;

/// What came of it.
#[derive(Serialize, Deserialize)]
struct Found {
    /// One pass of linear lambdas for NDCG over all queries that teach; none where the learner has no passes.
    epoch: Option<f64>,
    /// Training to its end, in seconds.
    training: f64,
    /// NDCG@10 on the queries that test.
    ndcg10: f64,
    /// Rows per second.
    scoring: f64,
    #[serde(default)]
    versions: BTreeMap<String, String>,
}

/// Documents whose grade follows a few of the features, one of them bent, and noise.
fn documents(queries: usize, task: u64) -> Documents {
    let mut stream = Seed(17).stream(task);
    let (mut rows, mut grades) = (Vec::new(), Vec::new());
    for _ in 0..queries * DOCUMENTS {
        let row: Vec<f64> = (0..FEATURES).map(|_| stream.sample(StandardNormal)).collect();
        let told: f64 = (0..10).map(|at| row[at] / (1.0 + at as f64)).sum::<f64>() + 0.5 * row[10].abs();
        let utility = told + 1.5 * stream.sample::<f64, _>(StandardNormal);
        // Two thirds have grade 0, and few the highest.
        grades.push([1.2, 2.4, 3.4, 4.4].iter().filter(|least| utility > **least).count() as i32);
        rows.extend(row);
    }
    (rows, grades)
}

/// The features of documents, row by row, and their grades.
type Documents = (Vec<f64>, Vec<i32>);

fn lists(queries: usize, (rows, grades): &Documents) -> Result<(Items, GradedLists), Box<dyn Error>> {
    let names: Vec<String> = (1..=FEATURES).map(|feature| feature.to_string()).collect();
    let attributes = Attributes::new(names, grades.len(), rows.clone())?;
    let ids = (0..grades.len()).map(|at| at.to_string()).collect();
    let groups = Groups::new((0..queries * DOCUMENTS).map(|at| (at / DOCUMENTS).to_string()));
    let items = Items::new(ids, Some(groups), attributes)?;
    let lists = GradedLists::new(&items, grades, Scaling::Standard)?;
    Ok((items, lists))
}

/// Learns the problem that the folder holds.
pub fn ours(place: &str) -> Result<(), Box<dyn Error>> {
    let parts = read(Path::new(place))?;
    let [train, validate, test] = &parts;
    let (train, validate) = (lists(QUERIES[0], train)?.1, lists(QUERIES[1], validate)?.1);
    let (items, test) = lists(QUERIES[2], test)?;
    let measure = Measure::Ndcg { k: Some(10), gain: Gain::Exponential, discount: Discount::Standard };
    let params =
        || LambdaParams::lambdarank(Swap::ndcg()).with_rates(vec![0.01]).with_restarts(1).with_measure(measure);
    // Two numbers of passes differ by as many passes as the clock is asked about.
    let passes = |epochs: usize| -> Result<f64, Box<dyn Error>> {
        let started = Instant::now();
        params().with_epochs(epochs).with_patience(epochs).fit(&train, Some(&validate), &Watch::NONE)?;
        Ok(started.elapsed().as_secs_f64())
    };
    let epochs: Result<Vec<f64>, _> =
        (0..5).map(|_| Ok::<f64, Box<dyn Error>>((passes(21)? - passes(1)?) / 20.0)).collect();
    let started = Instant::now();
    let model: RankingModel = params().fit(&train, Some(&validate), &Watch::NONE)?;
    let training = started.elapsed().as_secs_f64();
    let scores = model.score(items.attributes(), items.groups())?;
    let scored = model_on(&model, &items)?;
    let found = Found {
        epoch: Some(median(&epochs?)),
        training,
        ndcg10: test.measure(measure, &scores)?,
        scoring: scored,
        versions: BTreeMap::new(),
    };
    serde_json::to_writer(std::io::stdout(), &found)?;
    Ok(())
}

/// Rows that are scored per second.
fn model_on(model: &RankingModel, items: &Items) -> Result<f64, Box<dyn Error>> {
    let mut seconds = Vec::new();
    for _ in 0..11 {
        let started = Instant::now();
        std::hint::black_box(model.score(items.attributes(), items.groups())?);
        seconds.push(started.elapsed().as_secs_f64());
    }
    Ok(items.len() as f64 / median(&seconds))
}

const NAMES: [&str; 3] = ["train", "validate", "test"];

fn write(place: &Path) -> Result<f64, Box<dyn Error>> {
    let mut pairs = 0.0;
    for (at, name) in NAMES.iter().enumerate() {
        let (rows, grades) = documents(QUERIES[at], at as u64);
        let bytes: Vec<u8> = rows.iter().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(place.join(format!("{name}.rows")), bytes)?;
        let bytes: Vec<u8> = grades.iter().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(place.join(format!("{name}.grades")), bytes)?;
        if at == 0 {
            let different = |query: &[i32]| {
                query.iter().map(|one| query.iter().filter(|other| one > *other).count()).sum::<usize>()
            };
            pairs = grades.chunks(DOCUMENTS).map(different).sum::<usize>() as f64;
        }
    }
    Ok(pairs)
}

fn read(place: &Path) -> Result<[Documents; 3], Box<dyn Error>> {
    let mut out = [const { (Vec::new(), Vec::new()) }; 3];
    for ((rows, grades), name) in out.iter_mut().zip(NAMES) {
        let bytes = std::fs::read(place.join(format!("{name}.rows")))?;
        *rows = bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        let bytes = std::fs::read(place.join(format!("{name}.grades")))?;
        *grades = bytes.as_chunks::<4>().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect();
    }
    Ok(out)
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let place = std::env::temp_dir().join(format!("ordain-rankers-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let found = compare(python, &place);
    std::fs::remove_dir_all(&place)?;
    found
}

fn compare(python: &str, place: &Path) -> Result<(), Box<dyn Error>> {
    let pairs = write(place)?;
    let path = place.to_str().ok_or("the temporary folder's name is no text")?;
    let ours: Found =
        run(Command::new(std::env::current_exe()?).args(["ours", "rankers", path]).env("RAYON_NUM_THREADS", "1"), "")?;
    let script = folder().join("peers/rankers.py");
    let theirs: BTreeMap<String, Found> =
        run(Command::new(python).arg(script).args([path, &DOCUMENTS.to_string(), &FEATURES.to_string()]), "")?;
    let mut report = String::from(
        "| | one pass, ms | times as long | training, s | times as long | NDCG@10 on test queries | rows scored per second |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let mut line = |name: &str, found: &Found| {
        let epoch = found.epoch.map_or("–".into(), |epoch| format!("{:.1}", 1e3 * epoch));
        let ratio = found.epoch.zip(ours.epoch).map_or("–".into(), |(theirs, own)| format!("{:.1}", theirs / own));
        writeln!(
            report,
            "| {name} | {epoch} | {ratio} | {:.2} | {:.1} | {:.4} | {:.1} M |",
            found.training,
            found.training / ours.training,
            found.ndcg10,
            found.scoring / 1e6
        )
    };
    line("Ordain, linear lambdas for NDCG", &ours)?;
    for (name, found) in &theirs {
        line(name, found)?;
    }
    let versions: Vec<String> = theirs
        .values()
        .flat_map(|found| found.versions.iter().map(|(name, version)| format!("{name} {version}")))
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    record(
        "rankers",
        "Rankers beside NumPy and LightGBM",
        &format!(
            "`cargo xtask bench-peers rankers` on {}; {}.\n\n{} queries of {DOCUMENTS} documents with {FEATURES} features teach: \
             {} rows and {:.1} M pairs of different grades; {} queries choose and {} test. One run, each side in a process of its \
             own, one thread each. A pass: lambdas for NDCG of every query, a step after each, and NDCG@10 on the queries that \
             choose; ours also measures those that teach and takes the mean of the weights. Training: until validation has been no better for 20 passes or trees; one step length, one \
             beginning; LightGBM at most 100 trees with its own defaults. Scoring: from features as given; \
             linear rankers standardise them within each query first.\n\n{report}",
            machine()?,
            versions.join(", "),
            QUERIES[0],
            QUERIES[0] * DOCUMENTS,
            pairs / 1e6,
            QUERIES[1],
            QUERIES[2],
        ),
    )
}
