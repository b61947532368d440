//! Projects at the extremes of every parameter: each command gives a valid result, or says in words what is wrong. None fails
//! as a bug would, and none goes on for ever.
//!
//! `ORDAIN_PROJECTS` says how many there are.
#![expect(clippy::print_stderr, reason = "a long test says what it did")]

#[path = "../it/util.rs"]
#[expect(dead_code, reason = "shared with the other tests of the command")]
mod util;

mod project;

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde_json::Value;
use util::{Folder, Run};

/// What one run may take. The slowest take a tenth of a second on an idle machine; this is for busy ones.
const PATIENCE: Duration = Duration::from_secs(120);

fn projects() -> u64 {
    let Ok(text) = std::env::var("ORDAIN_PROJECTS") else { return 120 };
    text.parse().unwrap_or_else(|_| panic!("ORDAIN_PROJECTS is {text:?}, expected a number"))
}

/// Every command beside `rank`, one per project in turn.
const COMMANDS: [&[&str]; 9] = [
    &["next", "--format", "json"],
    &["next", "--count", "3", "--format", "json"],
    &["predict", "i0", "i1", "--format", "json"],
    &["tune"],
    &["compare", "--format", "json"],
    &["rank", "--top", "2", "--goal", "top", "--format", "json"],
    &["rank"],
    &["rank", "--forecast", "--format", "json"],
    &["answer", "i0", "i1", "first"],
];

#[test]
fn a_valid_result_or_a_reason() {
    let count = projects();
    let ends: Vec<(&str, Option<&str>)> = (0..count)
        .into_par_iter()
        .flat_map_iter(|seed| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let folder = Folder::empty();
            let files = project::files(&mut |below| random.random_range(0..below));
            files.iter().for_each(|(name, text)| folder.write(name, text));
            let shown = || files.iter().map(|(name, text)| format!("--- {name}\n{text}")).collect::<String>();
            let command = COMMANDS[seed as usize % COMMANDS.len()];
            [&["rank", "--format", "json"][..], command].map(|arguments| {
                let started = Instant::now();
                let run = folder.run(arguments);
                let place = format!("project {seed}, {arguments:?}: {:?}\n{}{}", run.code, run.stderr, shown());
                assert!(started.elapsed() < PATIENCE, "took {:?}: {place}", started.elapsed());
                (arguments[0], check(&run, arguments, &place))
            })
        })
        .collect();
    let mut table: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (command, refused) in &ends {
        table.entry(command).or_default()[usize::from(refused.is_some())] += 1;
    }
    for (command, [fine, refused]) in table {
        eprintln!("{command}: {fine} valid results, {refused} reasons");
        assert!(fine > 0, "{command} never worked");
    }
    eprintln!("{count} projects");
}

/// Checks a run; what it was refused for, if it was.
fn check(run: &Run, arguments: &[&str], place: &str) -> Option<&'static str> {
    match run.code {
        Some(0) => {
            if arguments.ends_with(&["json"]) {
                let value: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {place}"));
                sound(&value, "", place);
                if arguments[0] == "rank" {
                    ranking(&value, place);
                }
            }
            None
        }
        Some(1) => {
            let reason = run.stderr.strip_prefix("error: ").unwrap_or_else(|| panic!("no reason: {place}"));
            assert!(run.stdout.is_empty() && reason.trim().len() > 20, "{place}");
            // A number with hundreds of digits tells nobody anything.
            let digits = reason.split(|letter: char| !letter.is_ascii_digit()).map(str::len).max().unwrap_or(0);
            assert!(digits < 40, "{place}");
            Some("")
        }
        _ => panic!("{place}"),
    }
}

/// No number is missing, and every probability is one.
fn sound(value: &Value, key: &str, place: &str) {
    match value {
        // What a forecast says where it saw no end.
        Value::Null => assert!(["low", "median", "high", "forecast"].contains(&key), "{key} is null: {place}"),
        Value::Number(number) => {
            let number = number.as_f64().unwrap();
            let probability = ["probability", "wrong_pairs", "first", "second", "tie", "in_top"].contains(&key);
            assert!(!probability || (0.0..=1.0).contains(&number), "{key} is {number}: {place}");
            assert!(key != "sd" || number >= 0.0, "{key} is {number}: {place}");
        }
        Value::Array(all) => all.iter().for_each(|one| sound(one, key, place)),
        Value::Object(all) => all.iter().for_each(|(key, one)| sound(one, key, place)),
        Value::Bool(_) | Value::String(_) => {}
    }
}

/// Every item once, by falling mean, within the ranks that there are.
fn ranking(value: &Value, place: &str) {
    let items = value["items"].as_array().unwrap();
    let number = |item: &Value, key: &str| item[key].as_f64().unwrap_or_else(|| panic!("no {key}: {place}"));
    let ids: HashSet<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), items.len(), "{place}");
    for (at, item) in items.iter().enumerate() {
        assert_eq!(number(item, "rank"), at as f64 + 1.0, "{place}");
        let [low, high] = ["rank_low", "rank_high"].map(|key| number(item, key));
        assert!(1.0 <= low && low <= high && high <= items.len() as f64, "{item}: {place}");
    }
    for pair in items.windows(2) {
        assert!(number(&pair[0], "mean") >= number(&pair[1], "mean"), "{pair:?}: {place}");
        assert!(number(&pair[0], "tier") <= number(&pair[1], "tier"), "{pair:?}: {place}");
    }
}
