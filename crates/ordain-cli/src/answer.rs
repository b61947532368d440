//! `ordain answer`: adds a line to the answer log.

use std::path::PathBuf;

use clap::Args;
use ordain::data::{Answer, Entry, Items, Outcome as Said};
use ordain::formats::{named_item, named_pair};
use ordain::{Error, InputError, Recorder};

use crate::clock::now;
use crate::working::during;
use crate::{Failure, Outcome, output};

/// Record an answer
///
/// For example `ordain answer France Spain first`: of France and Spain, the first is preferred. The answer is on the
/// disk when the command returns. `ordain answer France --grade 4` grades an item by itself; the project's table [grades]
/// says which grades there are, otherwise 1 to 5.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain answer France Spain first
  ordain answer Italy Spain skip --judge ann
  ordain answer France --grade 4
  ordain answer undo --judge ann")]
#[command(override_usage = "ordain answer [OPTIONS] <FIRST> <SECOND> <first|second|tie|skip>\n       \
                            ordain answer [OPTIONS] <ITEM> <good|bad|skip>\n       ordain answer [OPTIONS] <ITEM> --grade <GRADE>\n       \
                            ordain answer [OPTIONS] undo")]
pub struct Arguments {
    /// The items, then the answer
    #[arg(required = true, num_args = 1..=3, value_name = "WORD")]
    words: Vec<String>,
    /// The grade of the one item. The higher, the better
    #[arg(long, allow_negative_numbers = true)]
    grade: Option<i32>,
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(long, default_value = ".")]
    project: PathBuf,
    /// The name of the judge. An undo takes back this judge's latest answer
    #[arg(long, value_parser = one_line)]
    judge: Option<String>,
    /// The group of the items, if their ids alone are ambiguous
    #[arg(long)]
    group: Option<String>,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut recorder = during("reading the project", || Recorder::open(&arguments.project))?;
    let entry = entry(arguments, recorder.items())?;
    recorder.record(entry).map_err(|error| by_another(error, &recorder, arguments))?;
    let learned = recorder.answers().standing().iter().filter(|answer| answer.outcome != Said::Skip).count();
    let count = output::count(learned, "answer");
    output::note(format!("recorded in {}: {count} to learn from", recorder.file().display()));
    Ok(())
}

/// Says how to take back somebody else's answer, where that is what stands.
fn by_another(error: Error, recorder: &Recorder, arguments: &Arguments) -> Error {
    let standing = recorder.answers().standing();
    match (error, standing.last().and_then(|latest| latest.judge.as_deref())) {
        (Error::Input(error), Some(judge)) if arguments.words == ["undo"] => {
            error.hint(format!("the latest standing answer is taken back with --judge {}", output::typed(judge))).into()
        }
        (error, _) => error,
    }
}

fn entry(arguments: &Arguments, items: &Items) -> Result<Entry, Failure> {
    /// The origin of the items' names, for errors.
    const ORIGIN: &str = "command line";
    let wrong = |word: &str, expected: &str, hint| Failure::Usage {
        message: InputError::new(ORIGIN, expected).found(word).to_string(),
        hint,
    };
    let unknown = |word: &str, expected: &str| wrong(word, expected, "for example: ordain answer France Spain first");
    let (time, judge, group) = (Some(now()), arguments.judge.clone(), arguments.group.as_deref());
    let words: Vec<&str> = arguments.words.iter().map(String::as_str).collect();
    let said = |word: &str| word.parse::<Said>().ok();
    let answer = match (arguments.grade, &words[..]) {
        (Some(grade), [item]) => Answer::new(named_item(items, ORIGIN, item, group)?, None, Said::Grade(grade))?,
        (Some(_), words) => {
            return Err(wrong(
                &words.join(" "),
                "one item with --grade",
                "for example: ordain answer France --grade 4",
            ));
        }
        (None, ["undo"]) => return Ok(Entry::Undo { judge, time }),
        (None, [item, word]) if said(word).is_some_and(|said| said.is_single() || said == Said::Skip) => {
            Answer::new(named_item(items, ORIGIN, item, group)?, None, word.parse()?)?
        }
        (None, [first, second, word]) => {
            let Some(said) = said(word).filter(|said| !said.is_single()) else {
                return Err(unknown(word, "first, second, tie or skip after two items"));
            };
            let (first, second) = named_pair(items, ORIGIN, [first, second], group)?;
            Answer::new(first, Some(second), said)?
        }
        _ => {
            let last = words.last().copied().unwrap_or_default();
            let expected = "two items and first, second, tie or skip; one item and good, bad, skip or --grade; undo";
            return Err(unknown(last, expected));
        }
    };
    Ok(Entry::Answer(Answer { judge, time, ..answer }))
}

/// Checks that a judge's name is one line, because the log holds one entry per line.
pub fn one_line(judge: &str) -> Result<String, &'static str> {
    if judge.contains(['\n', '\r']) { Err("a judge's name is one line") } else { Ok(judge.to_owned()) }
}
