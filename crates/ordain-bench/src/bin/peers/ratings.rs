//! Users who rate items beside a biased matrix factorisation, growth in users and items, and graphs of nearest neighbours beside
//! scikit-learn.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ordain::data::{Attributes, GradeScale, ItemId, Items, Opinions, Ratings};
use ordain::formats::{Table, read_ratings};
use ordain::gp::{Belief, CollaborativeParams, median_grade, mode_grade};
use ordain::kernel::neighbour_graph;
use ordain::learn::{GradesAs, Likeness, RatersParams};
use ordain::numeric::Seed;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::shared::{data, folder, machine, peak_mb, record, run};

const SIZES: [usize; 3] = [20, 40, 60];
const SPLITS: usize = 5;
const JOKES: usize = 100;

/// Errors and time of one way.
#[derive(Serialize, Deserialize)]
struct Row {
    name: String,
    size: usize,
    absolute: f64,
    wrong: f64,
    seconds: f64,
}

#[derive(Serialize, Deserialize)]
struct Found {
    rows: Vec<Row>,
    #[serde(default)]
    versions: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct Grown {
    seconds: f64,
    memory: f64,
}

#[derive(Deserialize)]
struct Joined {
    times: BTreeMap<String, f64>,
    links: usize,
    versions: BTreeMap<String, String>,
}

/// Our models on the splits of a folder.
pub fn ours(place: &str) -> Result<(), Box<dyn Error>> {
    let place = Path::new(place);
    let items = Items::from_ids((0..JOKES).map(|joke| joke.to_string()))?;
    let raters = raters(&place.join("others.csv"))?;
    let scale = GradeScale::new(1, 5)?;
    let mut rows = Vec::new();
    for size in SIZES {
        for (name, grades, together) in [
            ("GPR", GradesAs::Values, false),
            ("CGPR", GradesAs::Values, true),
            ("GPOR", GradesAs::Ordinal, false),
            ("CGPOR", GradesAs::Ordinal, true),
        ] {
            let mut row = Row { name: name.into(), size, absolute: 0.0, wrong: 0.0, seconds: 0.0 };
            for split in 0..SPLITS {
                let read = |kind: &str| {
                    read_ratings(place.join(format!("{kind}-{size}-{split}.csv")), Some(&items), Some(scale))
                };
                let (train, test) = (read("train")?, read("test")?);
                let shared = CollaborativeParams::default().with_learn_prior(together);
                let params = RatersParams::default().with_grades(grades).with_shared(shared);
                let started = Instant::now();
                let model = params.train(train, Likeness::Raters(&raters))?;
                row.seconds += started.elapsed().as_secs_f64() / SPLITS as f64;
                let (mut absolute, mut wrong, mut count) = (0.0, 0.0, 0.0);
                for (name, opinions) in test.users().iter().zip(test.opinions()) {
                    let (belief, opinion_model) = match model.ratings().user(name) {
                        Some(user) => (model.learned().belief(user)?, model.learned().model_of(user)),
                        None => (model.learned().belief_of(&Opinions::default())?, model.learned().model().clone()),
                    };
                    for &(item, grade) in &opinions.grades {
                        let at = item.index();
                        let shares = opinion_model.probabilities(belief.mean()[at], belief.variances()[at]);
                        absolute += median_grade(&shares).abs_diff(grade) as f64;
                        wrong += f64::from(u8::from(mode_grade(&shares) != grade));
                        count += 1.0;
                    }
                }
                row.absolute += absolute / count / SPLITS as f64;
                row.wrong += wrong / count / SPLITS as f64;
            }
            rows.push(row);
        }
    }
    serde_json::to_writer(std::io::stdout(), &Found { rows, versions: BTreeMap::new() })?;
    Ok(())
}

/// What one user said, as numbers.
type Numbers = Vec<(ItemId, f64)>;

/// The ratings of the other users.
fn raters(path: &Path) -> Result<Vec<Numbers>, Box<dyn Error>> {
    let table = Table::read(path)?;
    let (user, joke, rating) = (table.column("user")?, table.column("joke")?, table.column("rating")?);
    let mut out: BTreeMap<&str, Numbers> = BTreeMap::new();
    for row in 0..table.len() {
        let value = (ItemId::new(table.cell(row, joke).parse()?), table.cell(row, rating).parse()?);
        out.entry(table.cell(row, user)).or_default().push(value);
    }
    Ok(out.into_values().collect())
}

/// The grades that every user gives in a growing problem.
const GIVEN: usize = 40;

/// Three rounds of ordinal grades of so many users about so many items.
pub fn grown(users: &str, items: &str) -> Result<(), Box<dyn Error>> {
    let (users, items): (usize, usize) = (users.parse()?, items.parse()?);
    let mut stream = Seed(1).stream(0);
    let taste: Vec<f64> = (0..items).map(|_| StandardNormal.sample(&mut stream)).collect();
    let mut said = Vec::with_capacity(users);
    for user in 0..users {
        let level: f64 = StandardNormal.sample(&mut stream);
        let grades = (0..GIVEN).map(|_| {
            let item = stream.random_range(0..items);
            let noise: f64 = StandardNormal.sample(&mut stream);
            let value = 2.0 + 0.7 * taste[item] + 0.5 * level + 0.7 * noise;
            (ItemId::new(item), value.round().clamp(0.0, 4.0) as usize)
        });
        said.push((user.to_string(), Opinions { grades: grades.collect(), answers: Vec::new() }));
    }
    let items = Items::from_ids((0..items).map(|item| item.to_string()))?;
    let ratings = Ratings::new(items, Some(GradeScale::new(1, 5)?), said)?;
    let params = RatersParams::default().with_shared(CollaborativeParams::default().with_rounds(3));
    let started = Instant::now();
    params.train(ratings, Likeness::Apart)?;
    serde_json::to_writer(std::io::stdout(), &Grown { seconds: started.elapsed().as_secs_f64(), memory: peak_mb()? })?;
    Ok(())
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let file = data().join("ratings/jester5k/ratings.tsv.gz");
    if !file.exists() {
        println!("SKIPPED: no ratings/jester5k; set ORDAIN_DATA to the folder of public data");
        return Ok(());
    }
    let place = std::env::temp_dir().join(format!("ordain-ratings-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let found = compare(python, &place, &file);
    std::fs::remove_dir_all(&place)?;
    found
}

fn compare(python: &str, place: &Path, file: &Path) -> Result<(), Box<dyn Error>> {
    let script = folder().join("peers/ratings.py");
    let theirs = |task: &str, rest: &[&str]| {
        let mut command = Command::new(python);
        command.arg(&script).arg(task).arg(place).args(rest);
        command
    };
    let own = |arguments: &[&str]| {
        let mut command = Command::new(std::env::current_exe().unwrap_or_default());
        command.arg("ours").args(arguments).env("RAYON_NUM_THREADS", "2");
        command
    };
    let splits = SPLITS.to_string();
    let _: serde_json::Value = run(&mut theirs("split", &[&file.to_string_lossy(), &splits]), "")?;
    let peers: Found = run(&mut theirs("peers", &[&splits]), "")?;
    let models: Found = run(&mut own(&["ratings", &place.to_string_lossy()]), "")?;
    let mut report =
        String::from("| | 20 jokes | 40 jokes | 60 jokes | learning from 60, s |\n|---|---|---|---|---|\n");
    let rows: Vec<&Row> = peers.rows.iter().chain(&models.rows).collect();
    let mut names: Vec<&str> = Vec::new();
    rows.iter().filter(|row| row.size == SIZES[0]).for_each(|row| names.push(&row.name));
    for name in names {
        let of = |size: usize| rows.iter().find(|row| row.name == name && row.size == size);
        let cells: Vec<String> = SIZES
            .iter()
            .filter_map(|&size| of(size))
            .map(|row| format!("{:.3} / {:.3}", row.absolute, row.wrong))
            .collect();
        let seconds = of(SIZES[2]).map_or(0.0, |row| row.seconds);
        writeln!(report, "| {name} | {} | {seconds:.2} |", cells.join(" | "))?;
    }
    let mut growth = String::from("| users | items | three rounds, s | as long | MB |\n|---|---|---|---|---|\n");
    let mut first = None;
    for (users, items) in
        [(1250, 100), (2500, 100), (5000, 100), (10_000, 100), (1000, 100), (1000, 200), (1000, 400), (1000, 800)]
    {
        let found: Grown = run(&mut own(&["raters", &users.to_string(), &items.to_string()]), "")?;
        if users == 1250 || (users, items) == (1000, 100) {
            first = Some(found.seconds);
        }
        let ratio = found.seconds / first.unwrap_or(found.seconds);
        writeln!(growth, "| {users} | {items} | {:.2} | {ratio:.1} | {:.0} |", found.seconds, found.memory)?;
    }
    let (joined, versions) = neighbours(place, &theirs)?;
    let versions: Vec<String> =
        peers.versions.iter().chain(&versions).map(|(name, version)| format!("{name} {version}")).collect();
    record(
        "ratings",
        "Ratings of many users, and graphs of neighbours",
        &format!(
            "`cargo xtask bench-peers ratings` on {}; {}.\n\nMean absolute error / zero-one error of grades on Jester: 100 users, 60 % of their grades hidden, \
             {SPLITS} splits, the same files for both sides. SVD is the biased matrix factorisation with its default settings, rounded; \"all users\" adds the 4,900 others, from whose \
             ratings ours has its kernel.\n\n{report}\nGrowth: {GIVEN} ordinal grades per user, two threads, each run in a process of its own.\n\n{growth}\n\
             The graph of 3 nearest neighbours of 100,000 standard normal points, two threads on both sides; seconds.\n\n{joined}",
            machine()?,
            versions.join(", "),
        ),
    )
}

/// Graphs of nearest neighbours beside scikit-learn.
fn neighbours(
    place: &Path,
    theirs: &impl Fn(&str, &[&str]) -> Command,
) -> Result<(String, BTreeMap<String, String>), Box<dyn Error>> {
    const ITEMS: usize = 100_000;
    let mut report = String::from(
        "| attributes | Ordain | scikit-learn, kd_tree | scikit-learn, brute | faster than the better |\n|---|---|---|---|---|\n",
    );
    let mut versions = BTreeMap::new();
    for attributes in [2, 5, 10, 20] {
        let mut stream = Seed(1).stream(attributes as u64);
        let values: Vec<f64> = (0..ITEMS * attributes).map(|_| StandardNormal.sample(&mut stream)).collect();
        std::fs::write(place.join("points"), values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())?;
        let points = Attributes::new((0..attributes).map(|at| at.to_string()).collect(), ITEMS, values)?;
        let started = Instant::now();
        let graph = neighbour_graph(&points, 3)?;
        let own = started.elapsed().as_secs_f64();
        let found: Joined = run(&mut theirs("neighbours", &[&ITEMS.to_string(), &attributes.to_string()]), "")?;
        if found.links != graph.links() {
            return Err(format!("{} links beside {}", graph.links(), found.links).into());
        }
        let [tree, brute] = ["kd_tree", "brute"].map(|name| found.times.get(name).copied().unwrap_or(f64::NAN));
        writeln!(report, "| {attributes} | {own:.2} | {tree:.2} | {brute:.2} | {:.1} |", tree.min(brute) / own)?;
        versions = found.versions;
    }
    Ok((report, versions))
}
