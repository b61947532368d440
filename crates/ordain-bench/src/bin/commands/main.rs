//! Whole commands, from files to output, of two builds of `ordain` in turn: time, processor time and memory.
//!
//! `commands NOW BEFORE NAME` compares the builds at these two paths; NAME is the commit of the second. With `agreement PYTHON` at the end,
//! it compares what they say; with `questions`, how long people wait for a question.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to the developer at the terminal")]

mod agreement;
mod questions;
#[allow(dead_code)]
#[path = "../peers/shared.rs"]
mod shared;

use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use ordain_bench::projects::{COMMANDS, GROWTH, PROJECTS, Project, TUNED, TUNING_COMMANDS};
use shared::{machine, median, record};

/// Runs of a command.
const RUNS: usize = 5;

/// A command of the earlier build that takes longer than this is run once.
const LONG: f64 = 60.0;

/// A command that takes longer than this is stopped; one of the earlier build already if it takes this many times as long as that of the
/// other, and longer than [`LONG`].
const LONGEST: f64 = 600.0;
const MUCH_LONGER: f64 = 100.0;

/// Tuning and comparing are stopped after this many seconds.
const LONGEST_TUNING: f64 = 7200.0;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [now, before, name] => compare(Path::new(now), Path::new(before), name),
        [now, before, name, "agreement", python] => agreement::report([now, before].map(Path::new), name, python)
            .and_then(|text| record("agreement", "What commands say beside an earlier commit", &text)),
        [now, before, name, "questions"] => questions::report([now, before].map(Path::new), name)
            .and_then(|text| record("questions", "How long people wait for a question", &text)),
        _ => {
            eprintln!("usage: commands NOW BEFORE NAME [agreement PYTHON | questions]");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What a command took.
#[derive(Debug, Clone, Copy)]
struct Cost {
    seconds: f64,
    processor: f64,
    megabytes: f64,
}

fn compare(now: &Path, before: &Path, name: &str) -> Result<(), Box<dyn Error>> {
    let wanted = std::env::var("ORDAIN_COMMANDS_CELLS").ok();
    let is_wanted = |project: &Project| {
        wanted.as_ref().is_none_or(|wanted| wanted.split(',').any(|cell| cell.trim() == project.name))
    };
    let mut text = format!(
        "{}. Whole processes, whose files the system has in memory; medians of {RUNS} runs, of one run of the earlier build above {LONG} s; stopped after {LONGEST} s, the earlier build after {LONG} s or {MUCH_LONGER} times as long if that is less. Processor time is that of all \
         cores. The builds take turns. `before` is commit {name}, which draws 4096 rankings of any number of items; this one draws fewer of more than 2048.\n\n\
         | items | answers | links | command | now, s | processor, s | MB | before, s | processor, s | MB | faster |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
        machine()?
    );
    let mut grown = Vec::new();
    for project in PROJECTS.iter().filter(|project| is_wanted(project)) {
        let folder = empty_folder(project)?;
        eprintln!("{} items: writing the project", project.items);
        project.write(&folder)?;
        for command in COMMANDS {
            let [own, theirs] = both(&[now, before], &folder, command)?;
            let row = format!(
                "| {} | {} | {} | `{}` | {} | {} | {} |\n",
                project.items,
                project.answers,
                project.links,
                command.join(" "),
                cells(own),
                cells(theirs),
                match (own, theirs) {
                    (Some(own), Some(theirs)) => format!("{:.1}", theirs.seconds / own.seconds),
                    _ => String::new(),
                }
            );
            eprint!("{row}");
            text.push_str(&row);
            if let Some(cost) = own.filter(|_| project.answers == GROWTH[0].answers && command == COMMANDS[0]) {
                grown.push((project.items as f64, cost.seconds));
            }
        }
        std::fs::remove_dir_all(&folder)?;
    }
    text.push_str(&growth(now, grown)?);
    if is_wanted(&TUNED) {
        text.push_str(&tuning(now)?);
    }
    if wanted.is_some() {
        println!("{text}");
        return Ok(());
    }
    let _ = write!(text, "\nCommand: `cargo xtask bench-commands`\n");
    record("commands", "Whole commands beside an earlier commit", &text)
}

/// What tuning and comparing take, in one run each: the earlier build did not end in [`LONGEST`].
fn tuning(now: &Path) -> Result<String, Box<dyn Error>> {
    let folder = empty_folder(&TUNED)?;
    eprintln!("{} items: writing the project", TUNED.items);
    TUNED.write(&folder)?;
    let mut text = format!(
        "\n{} items, {} answers, {} links; one run each, stopped after {LONGEST_TUNING} s:\n\n\
         | command | now, s | processor, s | MB |\n|---|---|---|---|\n",
        TUNED.items, TUNED.answers, TUNED.links
    );
    for command in TUNING_COMMANDS {
        let cost = measure(now, &folder, command, None, LONGEST_TUNING)?;
        let row = format!("| `{}` | {} |\n", command.join(" "), cells(cost));
        eprint!("{row}");
        text.push_str(&row);
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(text)
}

/// How the first command grows with the items, at the same number of answers: the exponent between the smallest and the largest of
/// these and the smaller projects.
fn growth(now: &Path, mut grown: Vec<(f64, f64)>) -> Result<String, Box<dyn Error>> {
    if grown.is_empty() {
        return Ok(String::new());
    }
    for project in &GROWTH {
        let folder = empty_folder(project)?;
        project.write(&folder)?;
        let seconds = (0..RUNS)
            .map(|_| Ok(measure(now, &folder, COMMANDS[0], None, LONGEST)?.ok_or("the command failed")?.seconds));
        grown.push((project.items as f64, median(&seconds.collect::<Result<Vec<_>, Box<dyn Error>>>()?)));
        std::fs::remove_dir_all(&folder)?;
    }
    grown.sort_by(|one, other| one.0.total_cmp(&other.0));
    let each: Vec<String> = grown.iter().map(|(items, seconds)| format!("{seconds:.2} s for {items} items")).collect();
    let (first, last) = (grown[0], grown[grown.len() - 1]);
    let exponent = (last.1 / first.1).ln() / (last.0 / first.0).ln();
    Ok(format!(
        "\n`{}` with {} answers: {}; it grows as the items to the power {exponent:.2}.\n",
        COMMANDS[0].join(" "),
        GROWTH[0].answers,
        each.join(", ")
    ))
}

/// An empty folder for a project.
fn empty_folder(project: &Project) -> Result<std::path::PathBuf, Box<dyn Error>> {
    let folder = shared::folder().join("../../target/commands/projects").join(project.name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn cells(cost: Option<Cost>) -> String {
    match cost {
        Some(Cost { seconds, processor, megabytes }) => format!("{seconds:.2} | {processor:.2} | {megabytes:.0}"),
        None => "failed or stopped | |".into(),
    }
}

/// The medians of both builds, which take turns.
fn both(builds: &[&Path; 2], folder: &Path, command: &[&str]) -> Result<[Option<Cost>; 2], Box<dyn Error>> {
    let mut costs: [Vec<Cost>; 2] = [Vec::new(), Vec::new()];
    let mut limit = LONGEST;
    for run in 0..RUNS {
        for (build, (costs, longest)) in builds.iter().zip(costs.iter_mut().zip([f64::INFINITY, LONG])) {
            if run > 0 && costs.first().is_none_or(|first| first.seconds > longest) {
                continue;
            }
            let cost = measure(build, folder, command, None, limit)?;
            // The next one is of the earlier build, or again of this one, which is as fast as before.
            limit =
                costs.first().copied().or(cost).map_or(LONGEST, |own| (MUCH_LONGER * own.seconds).clamp(LONG, LONGEST));
            costs.extend(cost);
        }
    }
    let middle = |costs: &[Cost], of: fn(&Cost) -> f64| median(&costs.iter().map(of).collect::<Vec<_>>());
    let medians = |costs: &Vec<Cost>| {
        (!costs.is_empty()).then(|| Cost {
            seconds: middle(costs, |cost| cost.seconds),
            processor: middle(costs, |cost| cost.processor),
            megabytes: middle(costs, |cost| cost.megabytes),
        })
    };
    Ok([medians(&costs[0]), medians(&costs[1])])
}

/// What one run takes that reads this file, by GNU time; none if it fails or takes too long.
fn measure(
    build: &Path,
    folder: &Path,
    command: &[&str],
    input: Option<&Path>,
    limit: f64,
) -> Result<Option<Cost>, Box<dyn Error>> {
    let seconds = limit.ceil().to_string();
    let input = input.map(File::open).transpose()?.map_or_else(Stdio::null, Stdio::from);
    let output = Command::new("timeout")
        .args([&seconds, "/usr/bin/time", "-f", "\n%e %U %S %M"])
        .arg(build)
        .args(command)
        .current_dir(folder)
        .stdin(input)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()?;
    if !output.status.success() {
        eprintln!("{} {}: {}", build.display(), command.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        return Ok(None);
    }
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let numbers: Vec<f64> =
        told.lines().last().unwrap_or_default().split(' ').filter_map(|number| number.parse().ok()).collect();
    let [seconds, user, system, kilobytes] = numbers[..] else {
        return Err(format!("GNU time printed {told:?}").into());
    };
    Ok(Some(Cost { seconds, processor: user + system, megabytes: kilobytes / 1024.0 }))
}
