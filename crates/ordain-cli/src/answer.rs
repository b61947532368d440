//! `ordain answer`: adds a line to the answer log.

use std::path::PathBuf;

use clap::Args;
use ordain::data::{Answer, Entry, Items, Lookup, Outcome as Said, quoted_in_list};
use ordain::formats::{named_item, named_items, named_pair};
use ordain::{Error, InputError, Recorder};

use crate::clock::now;
use crate::working::during;
use crate::{Failure, Outcome, output};

/// Record an answer
///
/// For example `ordain answer France Spain first`: of France and Spain, the first is preferred. The answer is on the
/// disk when the command returns. `ordain answer France --grade 4` grades an item by itself; the project's table [grades]
/// says which grades there are, otherwise 1 to 5.
///
/// An answer may say more: "first>" prefers the first only just, "first>>" by much (in quotation marks, since > means something to
/// the shell); first:0.8 is the probability that the first is preferred; 7:3 counts seven votes for the first and three for the
/// second, 7:2:3 also two for neither.
///
/// Of several items that were looked at together, --best names the best, and --order says that they stand in this order, the best first.
/// That is one answer: the belief knows that its comparisons were one look. `skip` after them says nothing, and keeps them from being
/// asked together again.
///
/// With --new, the items may be ones that the project does not have yet. If the answers name the items, recording the answer
/// is all. If there is a table of items whose attributes may be empty (missing = "mean" under [items], or no attributes), a
/// row with the id is added to it. Otherwise add the item with its numbers first: `ordain add --help`.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain answer France Spain first
  ordain answer Italy Spain skip --judge ann
  ordain answer France Italy first:0.8
  ordain answer France Spain 7:3
  ordain answer France --grade 4
  ordain answer France Italy Spain Austria --best Italy
  ordain answer Italy France Spain --order
  ordain answer undo --judge ann")]
#[command(override_usage = "ordain answer [OPTIONS] <FIRST> <SECOND> <first|second|tie|skip|first:0.8|7:3>\n       \
                            ordain answer [OPTIONS] <ITEM> <good|bad|skip>\n       ordain answer [OPTIONS] <ITEM> --grade <GRADE>\n       \
                            ordain answer [OPTIONS] <ITEM> <ITEM>... <--best <ITEM>|--order>\n       \
                            ordain answer [OPTIONS] undo")]
pub struct Arguments {
    /// The items, by id or name, then the answer
    #[arg(required = true, num_args = 1..=33, value_name = "WORD")]
    words: Vec<String>,
    /// The grade of the one item. The higher, the better
    #[arg(long, allow_negative_numbers = true)]
    grade: Option<i32>,
    /// The best of the items
    #[arg(long, value_name = "ITEM", conflicts_with = "grade")]
    best: Option<String>,
    /// The items stand in this order, the best first
    #[arg(long, conflicts_with_all = ["grade", "best"])]
    order: bool,
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(long, default_value = ".")]
    project: PathBuf,
    /// The name of the judge. An undo takes back this judge's latest answer
    #[arg(long, value_parser = one_line)]
    judge: Option<String>,
    /// The group of the items, if their ids alone are ambiguous, or if they are new and there are groups
    #[arg(long)]
    group: Option<String>,
    /// Take items that the project does not have yet. Where there is a table of items, they get a row with empty cells
    #[arg(long)]
    new: bool,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let said = Words::read(arguments)?;
    let mut recorder = during("reading the project", || match arguments.new {
        true => Recorder::open_for_new(&arguments.project),
        false => Recorder::open(&arguments.project),
    })?;
    let group = arguments.group.as_deref();
    let new = said.unknown(recorder.items(), group);
    if arguments.new {
        recorder.admit(&new, group)?;
    }
    let entry = said.entry(arguments, recorder.items()).map_err(|error| or_new(error, &new))?;
    let sentence = match &entry {
        Entry::Answer(answer) => answer.sentence(|item| output::name(&recorder.items().label(item))),
        Entry::Undo { .. } => "undo".into(),
    };
    recorder.record(entry).map_err(|error| by_another(error, &recorder, arguments))?;
    let count = output::count(recorder.learned(), "answer");
    output::note(format!("recorded in {}: {sentence}; {count} to learn from", recorder.file().display()));
    let names: Vec<String> = new.iter().map(|id| output::name(&quoted_in_list(id))).collect();
    match recorder.table().filter(|_| !new.is_empty()) {
        Some(table) => output::note(format!("new in {}, with empty cells: {}", table.display(), names.join(", "))),
        None if !new.is_empty() => output::note(format!("new: {}", names.join(", "))),
        None => {}
    }
    Ok(())
}

/// Says how to answer about a new item, where the item is one that the project does not have.
fn or_new(error: Error, unknown: &[&str]) -> Error {
    match error {
        Error::Input(error) if !unknown.is_empty() => {
            let hint = error.hint.clone().map_or(String::new(), |hint| format!("{hint}; "));
            error.hint(format!("{hint}if it is a new item, say --new")).into()
        }
        error => error,
    }
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

/// The origin of the items' names, for errors.
const ORIGIN: &str = "command line";

/// What was typed: the items, and what is said of them.
struct Words<'a> {
    items: Vec<&'a str>,
    /// None takes back an answer.
    outcome: Option<Said>,
}

impl<'a> Words<'a> {
    fn read(arguments: &'a Arguments) -> Result<Self, Failure> {
        let wrong = |word: &str, expected: &str, hint| Failure::Usage {
            message: InputError::new(ORIGIN, expected).found(word).to_string(),
            hint,
        };
        let unknown =
            |word: &str, expected: &str| wrong(word, expected, "for example: ordain answer France Spain first");
        let words: Vec<&str> = arguments.words.iter().map(String::as_str).collect();
        let said = |word: &str| word.parse::<Said>().ok();
        let unknown = |word: &str, expected: &str| match word.parse::<Said>() {
            Err(Error::Malformed { expected, hint, .. }) => wrong(word, &expected, hint),
            _ => unknown(word, expected),
        };
        let single = |word: &str| said(word).filter(|said| said.is_single() || *said == Said::Skip);
        if let Some(outcome) = said_of_screen(arguments) {
            let several = 2..=Answer::MOST_SHOWN;
            if several.contains(&words.len()) {
                return Ok(Self { items: words, outcome: Some(outcome) });
            }
            let found = words.join(" ");
            let hint = "for example: ordain answer France Italy Spain --best Italy";
            return Err(wrong(&found, "two to 32 items with --best or --order", hint));
        }
        let (items, outcome) = match (arguments.grade, &words[..]) {
            (Some(grade), [item]) => (vec![*item], Some(Said::Grade(grade))),
            (Some(_), words) => {
                return Err(wrong(
                    &words.join(" "),
                    "one item with --grade",
                    "for example: ordain answer France --grade 4",
                ));
            }
            (None, ["undo"]) if arguments.new => {
                return Err(wrong(
                    "--new",
                    "no --new with undo",
                    "an undo is about an answer that is there: leave it out",
                ));
            }
            (None, ["undo"]) => (Vec::new(), None),
            (None, [item, word]) if single(word).is_some() => (vec![*item], single(word)),
            (None, [first, second, word]) => match said(word).filter(|said| !said.is_single()) {
                Some(said) => (vec![*first, *second], Some(said)),
                None => {
                    return Err(unknown(word, "first, second, tie, skip, or such as first:0.8 or 7:3 after two items"));
                }
            },
            (None, [several @ .., "skip"]) => (several.to_vec(), Some(Said::Skip)),
            _ => {
                let last = words.last().copied().unwrap_or_default();
                let expected = "two items and first, second, tie or skip; one item and good, bad, skip or --grade; several items and \
                                --best, --order or skip; undo";
                return Err(unknown(last, expected));
            }
        };
        Ok(Self { items, outcome })
    }

    /// The items that the project does not have, each once.
    fn unknown(&self, items: &Items, group: Option<&str>) -> Vec<&'a str> {
        let group = group.filter(|group| items.groups().is_some() && !group.is_empty());
        let mut out = Vec::new();
        for &word in &self.items {
            if items.find_called(word, group) == Lookup::Unknown && !out.contains(&word) {
                out.push(word);
            }
        }
        out
    }

    fn entry(&self, arguments: &Arguments, items: &Items) -> Result<Entry, Error> {
        let (time, judge, group) = (Some(now()), arguments.judge.clone(), arguments.group.as_deref());
        let answer = match (self.outcome, &self.items[..]) {
            (None, _) => return Ok(Entry::Undo { judge, time }),
            (Some(said), several) if said.is_choice() || several.len() > 2 => {
                let shown = named_items(items, ORIGIN, several, group)?;
                match (said, arguments.best.as_deref()) {
                    (Said::Best, Some(best)) => {
                        let item = named_item(items, ORIGIN, best, group)?;
                        if !shown.contains(&item) {
                            let error =
                                InputError::new(ORIGIN, "one of the items that are named before").column("best");
                            return Err(error.found(best).hint("--best names the best of them").into());
                        }
                        Answer::best(&shown, item)?
                    }
                    (Said::Skip, _) => Answer::skipped(&shown)?,
                    _ => Answer::order(&shown)?,
                }
            }
            (Some(said), [first, second]) => {
                let (first, second) = named_pair(items, ORIGIN, [first, second], group)?;
                Answer::new(first, Some(second), said)?
            }
            (Some(said), several) => {
                let item = several.first().copied().unwrap_or_default();
                Answer::new(named_item(items, ORIGIN, item, group)?, None, said)?
            }
        };
        Ok(Entry::Answer(Answer { judge, time, ..answer }))
    }
}

/// What is said of several items, if that is.
fn said_of_screen(arguments: &Arguments) -> Option<Said> {
    let best = arguments.best.as_ref().map(|_| Said::Best);
    best.or(arguments.order.then_some(Said::Order))
}

/// Checks that a judge's name is one line, because the log holds one entry per line.
pub fn one_line(judge: &str) -> Result<String, &'static str> {
    if judge.contains(['\n', '\r']) { Err("a judge's name is one line") } else { Ok(judge.to_owned()) }
}
