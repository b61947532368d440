//! How long people wait for a question: from a table that Ordain has never seen to the first one, and from each answer to the next.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ordain::numeric::Seed;
use ordain_bench::projects::TABLES;
use rand::RngExt;

use super::shared::median;
use super::{Cost, LONGEST, RUNS, empty_folder, machine, measure};

/// Answers whose questions are timed together.
const ANSWERS: usize = 40;

/// The goals, as options.
const GOALS: [&[&str]; 3] = [&["--goal", "whole-order"], &["--goal", "top", "--top", "10"], &["--goal", "best"]];

/// The table of both builds, which take turns.
pub fn report(builds: [&Path; 2], name: &str) -> Result<String, Box<dyn Error>> {
    let mut out = format!(
        "{}. Tables of three attributes. First question: `ordain init` and `ordain ask` up to it, whole processes. Next question: the time that {ANSWERS} more \
         answers take, each. They come through a pipe, so nothing is made ready while somebody thinks; they are drawn at random. Medians of {RUNS} runs. The builds take turns. \
         `before` is commit {name}.\n\n\
         | items | goal | first question | processor | next question | processor | first, before | processor | next, before | processor |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        machine()?
    );
    for project in &TABLES {
        let folder = empty_folder(project)?;
        project.write_table(&folder)?;
        for goal in GOALS {
            let mut cells = [Vec::new(), Vec::new()];
            for _ in 0..RUNS {
                for (build, cells) in builds.iter().zip(&mut cells) {
                    cells.push(waits(build, &folder, goal)?);
                }
            }
            let row = format!("| {} | {} | {} |\n", project.items, goal[1], cells.map(|one| shown(&one)).join(" | "));
            eprint!("{row}");
            out.push_str(&row);
        }
        fs::remove_dir_all(&folder)?;
    }
    writeln!(out, "\nCommand: `cargo xtask bench-commands questions`")?;
    Ok(out)
}

/// What the first question costs, and what each of the next ones costs.
fn waits(build: &Path, folder: &Path, goal: &[&str]) -> Result<[Cost; 2], Box<dyn Error>> {
    let run = |words: &[&str], said: &str| -> Result<Cost, Box<dyn Error>> {
        let input = folder.join("said");
        fs::write(&input, said)?;
        measure(build, folder, words, Some(&input), LONGEST)?.ok_or_else(|| "the command failed".into())
    };
    let _ = fs::remove_file(folder.join("ordain.toml"));
    let _ = fs::remove_file(folder.join("answers.csv"));
    let init = run(&["init", "items.csv"], "")?;
    let ask = [&["ask"], goal].concat();
    let first = run(&ask, "")?;
    let mut stream = Seed(22).stream(0);
    let said: String = (0..ANSWERS).map(|_| if stream.random_bool(0.5) { "left\n" } else { "right\n" }).collect();
    let all = run(&ask, &said)?;
    let each = |all: f64, first: f64| (all - first) / ANSWERS as f64;
    Ok([
        Cost { seconds: init.seconds + first.seconds, processor: init.processor + first.processor, ..first },
        Cost { seconds: each(all.seconds, first.seconds), processor: each(all.processor, first.processor), ..all },
    ])
}

/// The medians in milliseconds.
fn shown(waits: &[[Cost; 2]]) -> String {
    let middle = |at: usize, of: fn(&Cost) -> f64| median(&waits.iter().map(|one| of(&one[at])).collect::<Vec<_>>());
    let cells = [0, 1].map(|at| {
        let [seconds, processor] = [middle(at, |cost| cost.seconds), middle(at, |cost| cost.processor)];
        format!("{:.0} ms | {:.0} ms", 1e3 * seconds, 1e3 * processor)
    });
    cells.join(" | ")
}
