//! The `ordain` command: parses the arguments, runs the subcommand, turns its result into an exit code.

mod add;
mod answer;
mod ask;
mod certainty;
mod chart;
mod clock;
mod compare;
mod completions;
mod demo;
mod eval;
mod fuse;
mod init;
mod judges;
mod labels;
mod letor;
mod links;
mod manners;
mod memory;
mod next;
mod output;
mod predict;
mod question;
mod rank;
mod rate;
mod report;
mod reproduce;
mod score;
mod search;
mod simulate;
mod train;
mod tune;
mod without;
mod word;
mod working;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use manners::Manners;
use output::Kind;

/// Learn the order of things from as few comparisons as possible.
///
/// Items have attributes and links. Somebody answers "which of these two?". Ordain ranks all items and says how sure it
/// is. A folder with an `ordain.toml` is a project. Start one with `ordain init items.csv`, or look at `ordain demo`.
#[derive(Parser)]
#[command(name = "ordain", version, max_term_width = 100, after_help = manners::HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    manners: Manners,
}

#[derive(Subcommand)]
enum Command {
    Init(init::Arguments),
    Add(add::Arguments),
    Rank(rank::Arguments),
    Next(next::Arguments),
    Ask(ask::Arguments),
    Tune(tune::Arguments),
    Compare(compare::Arguments),
    Report(report::Arguments),
    Judges(judges::Arguments),
    Predict(predict::Arguments),
    Answer(answer::Arguments),
    Eval(eval::Arguments),
    Fuse(fuse::Arguments),
    Train(train::Arguments),
    Score(score::Arguments),
    Rate(rate::Arguments),
    Reproduce(reproduce::Arguments),
    Search(search::Arguments),
    Simulate(simulate::Arguments),
    Demo(demo::Arguments),
    Completions(completions::Arguments),
    #[command(hide = true)]
    Man(completions::ManArguments),
}

/// The command as the parser, the shells and the manual see it.
fn command() -> clap::Command {
    Arguments::command()
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
    let colours = manners::colours(std::env::args_os().skip(1));
    let mut command = manners::with_project(command().color(colours));
    let matches = command.try_get_matches_from_mut(std::env::args_os());
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(said) => return answered(&said),
    };
    manners::choose(arguments.manners.quiet, arguments.manners.color);
    working::tell_waits();
    outlive_file_limits();
    hold_panics();
    let run = || match arguments.command {
        Command::Init(arguments) => init::run(&arguments),
        Command::Add(arguments) => add::run(&arguments),
        Command::Rank(arguments) => rank::run(&arguments),
        Command::Next(arguments) => next::run(&arguments),
        Command::Ask(arguments) => ask::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Judges(arguments) => judges::run(&arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Answer(arguments) => answer::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Fuse(arguments) => fuse::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Score(arguments) => score::run(&arguments),
        Command::Rate(arguments) => rate::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Search(arguments) => search::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => completions::write_pages(&arguments),
    };
    // What is left in the buffer of standard output must arrive too.
    let run = || run().and_then(|()| Ok(std::io::stdout().flush()?));
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(Failure::Output(error))) => unwritten(&error),
        Ok(Err(Failure::Library(error))) => {
            let code = if matches!(error, ordain::Error::Setting { .. }) { USAGE } else { INPUT };
            let option = if code == USAGE { "--" } else { "" };
            complain(&format!("{option}{error}"), error.hint(), code)
        }
        Ok(Err(Failure::Usage { message, hint })) => complain(&message, Some(hint), USAGE),
        Err(_) => {
            let said = SAID.lock().unwrap_or_else(PoisonError::into_inner).clone();
            complain(&format!("this is a bug in Ordain: {said}"), None, INTERNAL)
        }
    }
}

/// What the latest panic said.
static SAID: Mutex<String> = Mutex::new(String::new());

/// Has panics say nothing until they reach the end of the command: that of another library over a damaged file becomes an error
/// about the file.
fn hold_panics() {
    std::panic::set_hook(Box::new(|panic| *SAID.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string()));
}

/// A file that may not grow further (`ulimit -f`) is an error of writing, as a full disk is. Unheard, the signal would kill the
/// command in the middle of a line.
#[cfg(unix)]
fn outlive_file_limits() {
    // Without it, the command only dies as others do.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

#[cfg(not(unix))]
fn outlive_file_limits() {}

/// Prints what the parser says instead of running: help and version to standard output, errors to standard error.
fn answered(said: &clap::Error) -> ExitCode {
    let plain = said.render().to_string();
    let harmless = output::shown(&plain);
    let code = if said.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
    if harmless != plain {
        // An argument that has instructions to the terminal in it is shown without colours.
        let _ = std::io::stderr().write_all(harmless.as_bytes());
        return code;
    }
    let printed = said.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(error) if !said.use_stderr() => unwritten(&error),
        _ => code,
    }
}

/// Standard output could not be written.
fn unwritten(error: &std::io::Error) -> ExitCode {
    // The reader has closed the pipe, as in `ordain rank | head`.
    if error.kind() == ErrorKind::BrokenPipe {
        return ExitCode::SUCCESS;
    }
    complain(&format!("cannot write to standard output: {error}"), None, INPUT)
}

/// Writes an error to standard error. If that is closed, the exit code remains.
fn complain(message: &str, hint: Option<&str>, code: u8) -> ExitCode {
    /// Room for any path. No message should come near it.
    const LONGEST: usize = 8000;
    let say = |kind: Kind, text: &str| {
        let short: String = text.chars().take(LONGEST).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        output::say(kind, format_args!("{short}{more}"));
    };
    say(Kind::Error, message);
    hint.into_iter().for_each(|hint| say(Kind::Hint, hint));
    ExitCode::from(code)
}
