//! What the fuzzer starts from, and what it found, through the functions that it tries.
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;

use std::fs;
use std::path::Path;

/// Runs every input of a target; the folder `found` holds those that failed once.
fn run(target: &str, function: fn(&[u8])) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut inputs = 0;
    for folder in ["seeds", "found"] {
        let Ok(entries) = fs::read_dir(root.join(folder).join(target)) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let input = fs::read(&path).unwrap();
            let run = std::panic::catch_unwind(|| function(&input));
            assert!(run.is_ok(), "{} fails", path.display());
            inputs += 1;
        }
    }
    assert!(inputs > 0, "no seeds for {target}");
}

#[test]
fn tables() {
    run("tables", fuzz::tables);
}

#[test]
fn judgements() {
    run("judgements", fuzz::judgements);
}

#[test]
fn packed() {
    run("packed", fuzz::packed);
}

#[test]
fn log() {
    run("log", fuzz::log);
}

#[test]
fn project_file() {
    run("project_file", fuzz::project_file);
}

#[test]
fn weights() {
    run("weights", fuzz::weights);
}

#[test]
fn ranking() {
    run("ranking", fuzz::ranking);
}
