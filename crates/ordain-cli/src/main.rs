//! The `ordain` command: parses the arguments, runs the subcommand, turns its result into an exit code.

mod answer;
mod ask;
mod certainty;
mod chart;
mod clock;
mod compare;
mod demo;
mod eval;
mod fuse;
mod init;
mod memory;
mod next;
mod output;
mod predict;
mod question;
mod rank;
mod reproduce;
mod search;
mod simulate;
mod tune;
mod word;
mod working;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Learn the order of things from as few comparisons as possible.
///
/// Items have attributes and links. Somebody answers "which of these two?". Ordain ranks all items and says how sure it
/// is. A folder with an `ordain.toml` is a project. Start one with `ordain init items.csv`, or look at `ordain demo`.
#[derive(Parser)]
#[command(name = "ordain", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Init(init::Arguments),
    Rank(rank::Arguments),
    Next(next::Arguments),
    Ask(ask::Arguments),
    Tune(tune::Arguments),
    Compare(compare::Arguments),
    Predict(predict::Arguments),
    Answer(answer::Arguments),
    Eval(eval::Arguments),
    Fuse(fuse::Arguments),
    Reproduce(reproduce::Arguments),
    Search(search::Arguments),
    Simulate(simulate::Arguments),
    Demo(demo::Arguments),
}

/// Why a subcommand failed.
#[derive(Debug)]
enum Failure {
    /// An error of the library.
    Library(ordain::Error),
    /// Standard output could not be written.
    Output(std::io::Error),
    /// The arguments do not fit together.
    Usage {
        /// What is wrong.
        message: String,
        /// What to type instead.
        hint: &'static str,
    },
}

impl From<ordain::Error> for Failure {
    fn from(error: ordain::Error) -> Self {
        Self::Library(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}

/// The result of a subcommand.
type Outcome = Result<(), Failure>;

/// Exit codes: 0 fine, 1 wrong input, 2 wrong usage (clap uses it too), 3 internal.
const INPUT: u8 = 1;
const USAGE: u8 = 2;
const INTERNAL: u8 = 3;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    working::tell_waits();
    let run = || match arguments.command {
        Command::Init(arguments) => init::run(&arguments),
        Command::Rank(arguments) => rank::run(&arguments),
        Command::Next(arguments) => next::run(&arguments),
        Command::Ask(arguments) => ask::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Answer(arguments) => answer::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Fuse(arguments) => fuse::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Search(arguments) => search::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
    };
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        // The reader has closed the pipe, as in `ordain rank | head`.
        Ok(Err(Failure::Output(error))) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Ok(Err(Failure::Output(error))) => complain(&format!("cannot write the output: {error}"), None, INTERNAL),
        Ok(Err(Failure::Library(error))) => {
            let code = if matches!(error, ordain::Error::Setting { .. }) { USAGE } else { INPUT };
            let option = if code == USAGE { "--" } else { "" };
            complain(&format!("{option}{error}"), error.hint(), code)
        }
        Ok(Err(Failure::Usage { message, hint })) => complain(&message, Some(hint), USAGE),
        Err(_) => complain("this is a bug in Ordain; the message above says where", None, INTERNAL),
    }
}

/// Writes an error to standard error. If that is closed, the exit code remains.
fn complain(message: &str, hint: Option<&str>, code: u8) -> ExitCode {
    let mut stderr = std::io::stderr();
    let _ = writeln!(stderr, "error: {message}");
    if let Some(hint) = hint {
        let _ = writeln!(stderr, "hint: {hint}");
    }
    ExitCode::from(code)
}
