//! Projects at the extremes of every parameter: each command gives a valid result, or says in words what is wrong. None fails
//! as a bug would, and none goes on for ever.
//!
//! `ORDAIN_PROJECTS` says how many there are.
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

#[path = "../it/util.rs"]
#[expect(dead_code, reason = "shared with the other tests of the command")]
mod util;

mod project;

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::thread;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde_json::Value;
use util::{Folder, Run};

/// What one run may take, so that one without end is found. The slowest take seconds, on busy machines too.
const PATIENCE: Duration = Duration::from_secs(120);

fn projects() -> u64 {
    let Ok(text) = std::env::var("ORDAIN_PROJECTS") else { return 120 };
    text.parse().unwrap_or_else(|_| panic!("ORDAIN_PROJECTS is {text:?}, expected a number"))
}

const RANK: &[&str] = &["rank", "--format", "json"];

/// Every command beside `rank`, one per project in turn.
const COMMANDS: [&[&str]; 9] = [
    &["next", "--format", "json"],
    &["next", "--count", "3", "--format", "json"],
    &["predict", "i0", "i1", "--format", "json"],
    &["tune"],
    &["compare", "--folds", "2", "--format", "json"],
    &["rank", "--top", "1", "--goal", "top", "--format", "json"],
    &["rank"],
    &["rank", "--forecast", "--format", "json"],
    &["answer", "i0", "i1", "first"],
];

#[test]
fn a_valid_result_or_a_reason() {
    let count = projects();
    let ends: Vec<(&str, Result<End, String>)> = (0..count).into_par_iter().flat_map_iter(project).collect();
    let mut table: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (command, end) in ends {
        match end {
            Ok(end) => table.entry(command).or_default()[end as usize] += 1,
            Err(place) => wrong.push(place),
        }
    }
    let brief = |place: &String| place.lines().next().unwrap_or_default().to_owned();
    let (whole, rest) = wrong.split_at(wrong.len().min(3));
    let rest: Vec<String> = rest.iter().map(brief).collect();
    assert!(wrong.is_empty(), "{} of {count} fail:\n{}\n{}", wrong.len(), whole.join("\n"), rest.join("\n"));
    for (command, [valid, refused, lost]) in table {
        eprintln!("{command}: {valid} valid results, {refused} reasons, {lost} times numbers too far apart");
        assert!(valid > 0, "{command} never worked");
        // Double precision does not hold weights of 1e300 beside weights of 1e-300. Most projects are not that wild. Two of the dozen
        // that the short form has for a command tell no share.
        assert!(lost <= ((valid + refused + lost) / 10).max(2), "{command} gives up");
    }
    eprintln!("{count} projects");
}

/// How a run ends well.
#[derive(Debug, Clone, Copy)]
enum End {
    Valid,
    Reason,
    /// A reason too: an iteration did not converge, or a matrix was not positive definite.
    Lost,
}

/// Runs two commands on the project of this number: how each ended, or what is wrong with that.
fn project(number: u64) -> [(&'static str, Result<End, String>); 2] {
    let mut random = ChaCha8Rng::seed_from_u64(number);
    let folder = Folder::empty();
    let files = project::files(&mut |below| random.random_range(0..below));
    files.iter().for_each(|(name, text)| folder.write(name, text));
    let shown = || files.iter().map(|(name, text)| format!("--- {name}\n{}", beginning(text))).collect::<String>();
    [RANK, COMMANDS[number as usize % COMMANDS.len()]].map(|arguments| {
        let run = run_within(&folder, arguments);
        let checked = check(&run, arguments);
        let place =
            |what| format!("project {number}, {arguments:?}, exit {:?}: {what}\n{}{}", run.code, run.stderr, shown());
        (arguments[0], checked.map_err(place))
    })
}

/// Runs a command, and kills it if it goes on for ever; it then has no code.
fn run_within(folder: &Folder, arguments: &[&str]) -> Run {
    let [out, err] = ["stdout", "stderr"].map(|name| folder.path(name));
    let mut command = folder.command(arguments);
    let mut child = command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap()).spawn().unwrap();
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(2));
    };
    let [stdout, stderr] = [out, err].map(|path| fs::read_to_string(path).unwrap());
    Run { code: status.code(), stdout, stderr }
}

/// Enough of a text for people.
fn beginning(text: &str) -> String {
    let lines = text.lines().count();
    let more = if lines > 30 { format!("... {lines} lines\n") } else { String::new() };
    text.lines().take(30).map(|line| format!("{line}\n")).collect::<String>() + &more
}

/// Checks a run.
fn check(run: &Run, arguments: &[&str]) -> Result<End, String> {
    match run.code {
        Some(0) if arguments.ends_with(&["json"]) => {
            let value: Value = serde_json::from_str(&run.stdout).map_err(|error| error.to_string())?;
            sound(&value, "")?;
            if arguments[0] == "rank" {
                ranking(&value)?;
            }
            Ok(End::Valid)
        }
        Some(0) => Ok(End::Valid),
        Some(1) => {
            let reason = run.stderr.strip_prefix("error: ").ok_or("no reason")?;
            require(run.stdout.is_empty() && reason.trim().len() > 20, || "no reason, or more than a reason".into())?;
            // A number with hundreds of digits tells nobody anything.
            let digits = reason.split(|letter: char| !letter.is_ascii_digit()).map(str::len).max().unwrap_or(0);
            require(digits < 40, || "a number nobody reads".into())?;
            let lost = ["did not converge", "not positive definite"].iter().any(|words| reason.contains(words));
            Ok(if lost { End::Lost } else { End::Reason })
        }
        _ => Err("no way to end".into()),
    }
}

fn require(holds: bool, else_say: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(else_say()) }
}

/// No number is missing, and every probability is one.
fn sound(value: &Value, key: &str) -> Result<(), String> {
    match value {
        // What a forecast says where it saw no end.
        Value::Null => require(["low", "median", "high", "forecast"].contains(&key), || format!("{key} is null")),
        Value::Number(number) => {
            let number = number.as_f64().ok_or("a number that is none")?;
            let probability = ["probability", "wrong_pairs", "tie", "top"].contains(&key);
            require(!probability || (0.0..=1.0).contains(&number), || format!("{key} is {number}"))?;
            require(key != "sd" || number >= 0.0, || format!("{key} is {number}"))
        }
        Value::Array(all) => all.iter().try_for_each(|one| sound(one, key)),
        Value::Object(all) => all.iter().try_for_each(|(key, one)| sound(one, key)),
        Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

/// Every item once, by falling mean, within the ranks that there are.
fn ranking(value: &Value) -> Result<(), String> {
    let items = value["items"].as_array().ok_or("no items")?;
    let number = |item: &Value, key: &str| item[key].as_f64().ok_or_else(|| format!("no {key} in {item}"));
    let ids: HashSet<Option<&str>> = items.iter().map(|item| item["id"].as_str()).collect();
    require(ids.len() == items.len() && !ids.contains(&None), || "an item twice".into())?;
    for (at, item) in items.iter().enumerate() {
        let [rank, low, high] = [number(item, "rank")?, number(item, "rank_low")?, number(item, "rank_high")?];
        require(rank == at as f64 + 1.0, || format!("the rank of {item}"))?;
        require(1.0 <= low && low <= high && high <= items.len() as f64, || format!("the interval of {item}"))?;
    }
    for pair in items.windows(2) {
        require(number(&pair[0], "mean")? >= number(&pair[1], "mean")?, || format!("the order of {pair:?}"))?;
        require(number(&pair[0], "tier")? <= number(&pair[1], "tier")?, || format!("the tiers of {pair:?}"))?;
    }
    Ok(())
}
