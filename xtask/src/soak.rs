//! The long runs: everything that CI does in a short form, at full length, with the totals at the end.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::step::{self, Course, Failure, Step};
use crate::tools;

/// What the parts are called.
pub const PARTS: [&str; 5] = ["kills", "log", "projects", "stopping", "fuzz"];

/// What the fuzzer tries: the functions of `fuzz/src/lib.rs`.
const TARGETS: [&str; 7] = ["tables", "judgements", "packed", "log", "project_file", "weights", "ranking"];

/// How long each target is fuzzed, in seconds.
const SECONDS: u64 = 600;

/// The version of cargo-fuzz.
const CARGO_FUZZ: &str = "0.13.2";

/// Runs these parts, or all.
pub fn run(parts: &[OsString]) -> Result<(), Failure> {
    let unknown = parts.iter().find(|part| !PARTS.iter().any(|known| part == known));
    if let Some(part) = unknown {
        let known = PARTS.join(", ");
        return Err(Failure::new(format!("unknown part `{}`; there are: {known}", part.to_string_lossy())));
    }
    let wanted = |part: &&str| parts.is_empty() || parts.iter().any(|given| given == part);
    let chosen: Vec<&str> = PARTS.into_iter().filter(wanted).collect();
    let mut course = Course::new(chosen.len());
    for part in chosen {
        course.take(part, |position| match part {
            "kills" => kills(position),
            "log" => log(position),
            "projects" => projects(position),
            "stopping" => stopping(position),
            _ => fuzz(position),
        })?;
    }
    course.finish();
    Ok(())
}

/// The test of this name, whole, with what it says shown.
fn test(title: &str, name: &str) -> Step {
    let arguments = ["test", "--workspace", "--all-features", "--test", name, "--", "--nocapture"];
    crate::cargo(title, &arguments)
}

fn kills(position: &str) -> Result<(), Failure> {
    if !tools::debian_tool("strace", "nothing can be killed without it")? {
        return Err(Failure::new("strace is not installed"));
    }
    test("1,000 kills per command, and an error of every kind at every system call on files", "faults")
        .env("ORDAIN_KILLS", "1000")
        .run(position)
}

fn log(position: &str) -> Result<(), Failure> {
    let step = test("100,000 interleavings of writers of the answer log", "log_model").env("PROPTEST_CASES", "100000");
    // Every answer waits for the disk; a disk in memory does not let it wait.
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { step.env("TMPDIR", memory) } else { step }.run(position)
}

fn projects(position: &str) -> Result<(), Failure> {
    test("10,000 projects at the extremes of every parameter", "wild").env("ORDAIN_PROJECTS", "10000").run(position)
}

/// The sessions that are played to their stop rule: how many, and of which settings, judges and strategies. Errors that persist per pair,
/// random pairs and the demo are played less often. The demo's sessions take longest.
const PLAYED: [(&str, &str, &str); 5] = [
    ("stopping", "200", "30-attributes 60-plain arena-40 never-wrong 10%-answers 20%-answers own"),
    ("stopping", "50", "demo never-wrong 10%-answers 20%-answers own"),
    ("stopping", "40", "30-attributes 60-plain arena-40 10%-pairs 20%-pairs own"),
    ("stopping", "20", "30-attributes 60-plain arena-40 never-wrong 10%-answers 20%-answers random"),
    ("forecasts", "6", "forecasts 30-attributes 60-plain arena-40 never-wrong 10%-answers 20%-answers own"),
];

/// Plays default projects to their stop rule. What was played stays in `target/soak`, so that this goes on where it was interrupted.
fn stopping(position: &str) -> Result<(), Failure> {
    let folder = tools::target().join("soak");
    fs::create_dir_all(&folder).map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
    for (file, sessions, names) in PLAYED {
        let file = folder.join(format!("{file}.jsonl")).display().to_string();
        let mut arguments = vec!["run", "--release", "-p", "ordain-bench", "--bin", "stopping", "--", &file, sessions];
        arguments.extend(names.split(' '));
        crate::cargo(&format!("{sessions} default projects of every kind, to their stop rule: {names}"), &arguments)
            .run(position)?;
    }
    Ok(())
}

/// Fuzzes every target, one per core at a time, and says what each run tried and reached.
fn fuzz(position: &str) -> Result<(), Failure> {
    let seconds = match std::env::var("ORDAIN_FUZZ_SECONDS") {
        Ok(text) => {
            text.parse().map_err(|_| Failure::new(format!("ORDAIN_FUZZ_SECONDS is {text}, expected seconds")))?
        }
        Err(_) => SECONDS,
    };
    let tool = tools::cargo_tool("cargo-fuzz", CARGO_FUZZ, "")?;
    // The fuzzer's instrumentation is not stable, but is in every compiler. No sanitizer: this project has no unsafe code.
    let fuzz = |verb: &str| {
        let step =
            Step::new(&format!("fuzzing, {seconds} s per target"), &tool).args(&["fuzz", verb, "--sanitizer", "none"]);
        step.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", tools::target().join("fuzz"))
    };
    fuzz("build").run(position)?;
    let logs = tools::target().join("soak");
    let failed = |error: std::io::Error| Failure::new(format!("{}: {error}", logs.display()));
    fs::create_dir_all(&logs).map_err(failed)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut wrong = Vec::new();
    for some in TARGETS.chunks(cores) {
        let started = Instant::now();
        let mut running = Vec::new();
        for target in some {
            let log = logs.join(format!("fuzz-{target}.log"));
            let [corpus, seeds, found] =
                ["corpus", "seeds", "found"].map(|folder| crate::root().join("fuzz").join(folder).join(target));
            fs::create_dir_all(&corpus).map_err(failed)?;
            let mut folders = vec![corpus, seeds];
            folders.extend(found.is_dir().then_some(found));
            let step = fuzz("run").args(&[target]).args(&folders).args(&["--"]).args(&[
                &format!("-max_total_time={seconds}"),
                "-print_final_stats=1",
                "-timeout=60",
                "-rss_limit_mb=6144",
                "-max_len=4096",
            ]);
            let file = File::create(&log).map_err(failed)?;
            let mut command: Command = step.command();
            let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file).spawn().map_err(failed)?;
            running.push((target, log, child));
        }
        for (target, log, mut child) in running {
            let status = child.wait().map_err(failed)?;
            step::report(&format!("{target}: {} in {}", totals(&log), step::elapsed(started)));
            if !status.success() {
                wrong.push(format!("{target}: an input fails ({status}); {} says which", log.display()));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::new(wrong.join("\n"))) }
}

/// What a run tried and reached, from the fuzzer's own words.
fn totals(log: &PathBuf) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let after = |line: &str, key: &str| {
        line.split_once(key).map(|(_, rest)| rest.split_whitespace().next().unwrap_or("").to_owned())
    };
    let last = |key: &str| text.lines().rev().find_map(|line| after(line, key)).unwrap_or_else(|| "?".into());
    let [inputs, edges, kept] = ["stat::number_of_executed_units:", " cov: ", "corp: "].map(last);
    format!("{inputs} inputs, {edges} edges covered, corpus {kept}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_function_and_seeds() {
        let fuzz = crate::root().join("fuzz");
        let library = fs::read_to_string(fuzz.join("src/lib.rs")).unwrap();
        let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
        for target in TARGETS {
            assert!(library.contains(&format!("pub fn {target}(input: &[u8])")), "{target}");
            assert!(manifest.contains(&format!("name = \"{target}\"")), "{target}");
            assert!(fuzz.join("seeds").join(target).is_dir(), "{target}");
        }
        assert_eq!(library.matches("pub fn ").count(), TARGETS.len());
    }

    #[test]
    fn totals_are_read_from_the_fuzzers_words() {
        let log = std::env::temp_dir().join(format!("ordain-soak-{}", std::process::id()));
        let words = "#2\tINITED cov: 7 ft: 8 corp: 1/2b\n#64\tpulse  cov: 12 ft: 20 corp: 3/40b lim: 4\nDone 64 runs\n\
                     stat::number_of_executed_units: 64\n";
        fs::write(&log, words).unwrap();
        assert_eq!(totals(&log), "64 inputs, 12 edges covered, corpus 3/40b");
        fs::remove_file(&log).unwrap();
    }
}
