//! The engine beside its peers: from an answer to the next question, on the same items and by the same judge.
//!
//! Every contender has a process of its own. Ours (by goal, and AXPGP's own rule) and the ratings ask and are answered; the
//! Python peers hear the answers that one of ours heard, after all of them or, where that would take too long, after some.
//! What the processes say goes into a file of raw numbers, from which the report and the plot are made.

mod floor;
mod numbers;
mod play;
mod plot;
mod ratings;
mod report;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ordain_bench::World;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::shared::{data, folder, machine, today};
use floor::Floor;
use numbers::{Numbers, Row};
pub use play::ours;
pub use report::time;

/// What a process says of its contender: seconds, and what was asked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Played {
    /// From the items to the first question.
    first: f64,
    /// After which answers the clock was looked at,
    counts: Vec<usize>,
    /// how long learning the answer took,
    tell: Vec<f64>,
    /// and how long the next question.
    ask: Vec<f64>,
    /// Winner and loser of every answer; of those who ask.
    #[serde(default)]
    answers: Vec<[u32; 2]>,
    /// What would be asked next; of those who ask.
    #[serde(default)]
    next: Option<[u32; 2]>,
    /// By which part the value of the pair that was asked is below that of the pair the peer would have asked, for every
    /// pair that differs; of those who follow and know such values.
    #[serde(default)]
    shortfalls: Vec<f64>,
    /// The largest resident memory, and what of it was there before the contender.
    peak_mb: f64,
    base_mb: f64,
    #[serde(default)]
    versions: BTreeMap<String, String>,
}

/// What a Python peer is given.
#[derive(Serialize)]
struct Task<'a> {
    #[serde(flatten)]
    world: &'a World,
    pairs: &'a [[u32; 2]],
    next: [u32; 2],
    counts: Option<&'a [usize]>,
    cap: f64,
}

/// A peer in Python.
struct Peer {
    name: &'static str,
    script: &'static str,
    form: &'static str,
    /// Whose answers it hears.
    follows: &'static str,
    /// After which answers it is timed with so many items; none for all of them. Not at all with other numbers of items.
    counts: [(usize, Option<&'static [usize]>); 3],
}

/// Ours, by the goal that a session is for; the first is AXPGP as printed.
const OURS: [&str; 4] = ["focus-1", "best", "top-10", "whole-order"];
/// Those of ours that are asked on graphs, where each takes minutes.
const ON_GRAPHS: [&str; 2] = ["focus-1", "whole-order"];
/// Ends the name of a contender that makes ready while the judge thinks, which nobody times.
const PREFETCHED: &str = "+prefetch";
const RATINGS: [&str; 2] = ["glicko-2", "trueskill"];
const SIZES: [usize; 3] = [152, 1000, 5000];
const OURS_ALONE: [usize; 2] = [20_000, 100_000];
const GRAPHS: [&str; 2] = ["cnr-2000", "power-law"];
/// Up to so many items, peers run once with one thread and once with two, and the faster counts.
const BOTH_UP_TO: usize = 1000;
/// The largest matrix that the floor is measured with, 3.2 GB.
const LARGEST_FLOOR: usize = 20_000;

const ANSWERS: usize = 500;
const GRAPH_ANSWERS: usize = 100;
const SOME: Option<&[usize]> = Some(&[1, 10, 50, 100, 250, 500]);
const FEW: Option<&[usize]> = Some(&[1, 100, 500]);
const NONE: Option<&[usize]> = Some(&[]);

/// A contender stops when its answers took so many seconds,
const CAP: f64 = 150.0;
/// and is stopped after so many.
const LIMIT: u32 = 400;

const PEERS: [Peer; 6] = [
    numpy("numpy-naive", "naive", "focus-1", SOME),
    numpy("numpy-tuned", "tuned", "focus-1", SOME),
    numpy("numpy-pruned", "pruned", "focus-1", SOME),
    numpy("numpy-pruned-whole-order", "regret", "whole-order", SOME),
    Peer {
        name: "botorch",
        script: "botorch_ask.py",
        form: "eubo",
        follows: "focus-1",
        counts: [(152, None), (1000, SOME), (5000, FEW)],
    },
    Peer {
        name: "choix-ep",
        script: "choix_ep.py",
        form: "ep",
        follows: "focus-1",
        counts: [(152, SOME), (1000, SOME), (5000, NONE)],
    },
];

const fn numpy(
    name: &'static str,
    form: &'static str,
    follows: &'static str,
    largest: Option<&'static [usize]>,
) -> Peer {
    Peer { name, script: "axpgp_numpy.py", form, follows, counts: [(152, None), (1000, None), (5000, largest)] }
}

/// The cells to run: all of them, or those that `ORDAIN_ENGINE_CELLS` names, as in `focus-1 1000, numpy-naive, cnr-2000`. All
/// words between two commas must be the contender's or the world's name.
struct Wanted(Option<Vec<Vec<String>>>);

impl Wanted {
    fn from_environment() -> Self {
        let words = |cell: &str| cell.split_whitespace().map(str::to_owned).collect();
        Self(std::env::var("ORDAIN_ENGINE_CELLS").ok().map(|cells| cells.split(',').map(words).collect()))
    }

    fn has(&self, contender: &str, world: &str) -> bool {
        self.0
            .as_ref()
            .is_none_or(|cells| cells.iter().any(|words| words.iter().all(|word| word == contender || word == world)))
    }
}

/// Runs everything and records it; with a choice of cells, writes to a temporary folder instead.
pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let wanted = Wanted::from_environment();
    let place = match &wanted.0 {
        None => Place::record(&today()?),
        Some(_) => Place::aside()?,
    };
    let mut numbers = Numbers::new(today()?, machine()?);
    floors(&wanted, &mut numbers)?;
    for items in SIZES {
        with_peers(python, items, &wanted, &mut numbers)?;
        numbers.write(&place.numbers)?;
    }
    let alone = OURS_ALONE.map(|items| (items.to_string(), ANSWERS));
    let graphs = GRAPHS.map(|name| (name.to_owned(), GRAPH_ANSWERS));
    for (world, answers) in alone.into_iter().chain(graphs) {
        let contenders: Vec<String> = match GRAPHS.contains(&world.as_str()) {
            true => ON_GRAPHS.iter().flat_map(|name| [(*name).to_owned(), format!("{name}{PREFETCHED}")]).collect(),
            false => OURS.map(str::to_owned).into(),
        };
        for contender in contenders.into_iter().filter(|contender| wanted.has(contender, &world)) {
            cell(&contender, &world, &mut numbers, |_| ask_ours(&contender, &world, answers))?;
            numbers.write(&place.numbers)?;
        }
    }
    place.publish(&numbers)
}

/// The report and the plot once more, from the latest numbers on record.
pub fn redraw() -> Result<(), Box<dyn Error>> {
    let is_ours = |path: &PathBuf| path.to_string_lossy().ends_with("-engine.json");
    let files = std::fs::read_dir(folder().join("results"))?.map(|entry| entry.map(|entry| entry.path()));
    let files: Vec<PathBuf> = files.collect::<Result<_, _>>()?;
    let latest = files.into_iter().filter(is_ours).max().ok_or("no numbers on record: run the part `engine` first")?;
    let numbers = Numbers::read(&latest)?;
    Place::record(&numbers.date).publish(&numbers)
}

/// Where the numbers, the report and the plot go.
struct Place {
    numbers: PathBuf,
    report: PathBuf,
    plot: PathBuf,
}

impl Place {
    fn record(date: &str) -> Self {
        let result = |end: &str| folder().join(format!("results/{date}-engine.{end}"));
        Self { numbers: result("json"), report: result("md"), plot: folder().join("../../docs/engine.svg") }
    }

    fn aside() -> Result<Self, Box<dyn Error>> {
        let folder = std::env::temp_dir().join("ordain-engine");
        std::fs::create_dir_all(&folder)?;
        let file = |end: &str| folder.join(format!("engine.{end}"));
        Ok(Self { numbers: file("json"), report: file("md"), plot: file("svg") })
    }

    fn publish(&self, numbers: &Numbers) -> Result<(), Box<dyn Error>> {
        let text = report::report(numbers)?;
        numbers.write(&self.numbers)?;
        std::fs::write(&self.report, &text)?;
        std::fs::write(&self.plot, plot::plot(numbers))?;
        let shown = |path: &Path| path.display().to_string();
        println!("{text}\nrecorded in {}, {} and {}", shown(&self.report), shown(&self.numbers), shown(&self.plot));
        Ok(())
    }
}

fn floors(wanted: &Wanted, numbers: &mut Numbers) -> Result<(), Box<dyn Error>> {
    for items in SIZES.into_iter().chain(OURS_ALONE) {
        if !wanted.has("floor", &items.to_string()) {
            continue;
        }
        let floor = match numbers.floors.last() {
            Some(largest) if items > LARGEST_FLOOR => largest.extrapolated(items),
            _ => within_limit::<Floor>(ourselves("floor", &items.to_string(), 1)?, "")?
                .ok_or("the floor took too long")?,
        };
        println!("floor, {items} items: {}", report::time(floor.seconds));
        numbers.floors.push(floor);
    }
    Ok(())
}

/// All contenders with this many items. Those whose answers a peer needs are run even if they are not wanted themselves.
fn with_peers(python: &str, items: usize, wanted: &Wanted, numbers: &mut Numbers) -> Result<(), Box<dyn Error>> {
    let name = items.to_string();
    let peers: Vec<&Peer> = PEERS.iter().filter(|peer| wanted.has(peer.name, &name)).collect();
    let mut heard: BTreeMap<&str, Played> = BTreeMap::new();
    for contender in OURS.into_iter().chain(RATINGS) {
        let needed = peers.iter().any(|peer| peer.follows == contender);
        if needed || wanted.has(contender, &name) {
            let played = cell(contender, &name, numbers, |_| ask_ours(contender, &name, ANSWERS))?;
            heard.extend(played.map(|played| (contender, played)));
        }
    }
    let world = World::of_attributes(items);
    for peer in peers {
        let counts = peer.counts.iter().find(|(size, _)| *size == items).and_then(|(_, counts)| *counts);
        let Some(heard) = heard.get(peer.follows) else { continue };
        if counts.is_some_and(<[usize]>::is_empty) {
            continue;
        }
        let next = heard.next.ok_or("the one who is followed asked nothing")?;
        let task = serde_json::to_string(&Task { world: &world, pairs: &heard.answers, next, counts, cap: CAP })?;
        cell(peer.name, &name, numbers, |row| {
            row.follows = Some(peer.follows.to_owned());
            row.sampled = counts.is_some();
            let threads: &[usize] = if items <= BOTH_UP_TO { &[1, 2] } else { &[2] };
            fastest(python, peer, &task, threads, row)
        })?;
    }
    Ok(())
}

/// A peer with each of these numbers of threads; what it took with the one that suits it best.
fn fastest(
    python: &str,
    peer: &Peer,
    task: &str,
    threads: &[usize],
    row: &mut Row,
) -> Result<Option<Played>, Box<dyn Error>> {
    let mut best: Option<(f64, Played)> = None;
    for &threads in threads {
        let mut command = limited(python);
        command.arg(folder().join("peers").join(peer.script)).arg(peer.form);
        command.envs(
            ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"].map(|name| (name, threads.to_string())),
        );
        let Some(played) = within_limit::<Played>(command, task)? else { continue };
        let mean = played.mean();
        if best.as_ref().is_none_or(|(least, _)| mean < *least) {
            row.threads = Some(threads);
            best = Some((mean, played));
        }
    }
    Ok(best.map(|(_, played)| played))
}

/// Runs a contender in a world and puts down what it took, or that it was stopped.
fn cell(
    contender: &str,
    world: &str,
    numbers: &mut Numbers,
    run: impl FnOnce(&mut Row) -> Result<Option<Played>, Box<dyn Error>>,
) -> Result<Option<Played>, Box<dyn Error>> {
    if world == "cnr-2000" && !data().join("web-graph").exists() {
        println!("SKIPPED: no {}; set ORDAIN_DATA to the folder of public data", data().join("web-graph").display());
        return Ok(None);
    }
    let mut row = Row::new(contender, world);
    let played = run(&mut row).map_err(|error| format!("{contender} {world}: {error}"))?;
    match &played {
        Some(played) => {
            row.fill(played);
            numbers.versions.extend(played.versions.clone());
            println!("{contender}, {world}: {} an answer, {} answers", report::time(row.answer.mean), row.answers);
        }
        None => println!("{contender}, {world}: stopped after {LIMIT} s"),
    }
    numbers.rows.push(row);
    Ok(played)
}

fn ask_ours(contender: &str, world: &str, answers: usize) -> Result<Option<Played>, Box<dyn Error>> {
    within_limit(ourselves(contender, world, answers)?, "")
}

fn ourselves(contender: &str, world: &str, answers: usize) -> Result<Command, Box<dyn Error>> {
    let mut command = limited(std::env::current_exe()?);
    command.args(["ours", "engine", contender, world, &answers.to_string()]);
    Ok(command)
}

/// A command that is stopped after the limit.
fn limited(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.arg(LIMIT.to_string()).arg(program);
    command
}

/// The JSON that a command prints, given this on standard input; none if it was stopped.
fn within_limit<T: DeserializeOwned>(mut command: Command, task: &str) -> Result<Option<T>, Box<dyn Error>> {
    use std::io::Write as _;
    /// How `timeout` says so.
    const STOPPED: Option<i32> = Some(124);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().ok_or("no standard input")?.write_all(task.as_bytes())?;
    let output = child.wait_with_output()?;
    if output.status.code() == STOPPED {
        return Ok(None);
    }
    if !output.status.success() {
        return Err(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(Some(serde_json::from_slice(&output.stdout)?))
}
