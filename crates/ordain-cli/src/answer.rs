//! `ordain answer`: one more line of the answer log.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use ordain::data::{Answer, Entry, Items, Outcome as Said};
use ordain::formats::{named_item, named_pair};
use ordain::{InputError, Recorder};

use crate::{Failure, Outcome, output};

/// Record an answer
///
/// For example `ordain answer France Spain first`: of France and Spain, the first is preferred. The answer is on the
/// disk when the command returns.
#[derive(Args)]
#[command(override_usage = "ordain answer [OPTIONS] <FIRST> <SECOND> <first|second|tie|skip>\n       \
                            ordain answer [OPTIONS] <ITEM> <good|bad>\n       ordain answer [OPTIONS] undo")]
pub struct Arguments {
    /// The items, then what was said of them
    #[arg(required = true, num_args = 1..=3, value_name = "WORD")]
    words: Vec<String>,
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(long, default_value = ".")]
    project: PathBuf,
    /// Who answers. An undo takes back this judge's latest answer
    #[arg(long, value_parser = one_line)]
    judge: Option<String>,
    /// The group of the items, where their ids alone do not say
    #[arg(long)]
    group: Option<String>,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut recorder = Recorder::open(&arguments.project)?;
    let entry = entry(arguments, recorder.items())?;
    recorder.record(entry)?;
    let learned = recorder.answers().standing().iter().filter(|answer| answer.outcome != Said::Skip).count();
    let count = output::count(learned, "answer");
    output::note(format!("recorded in {}: {count} to learn from", recorder.file().display()));
    Ok(())
}

fn entry(arguments: &Arguments, items: &Items) -> Result<Entry, Failure> {
    /// Where the names of the items come from.
    const ORIGIN: &str = "command line";
    let unknown = |word: &str, expected: &str| Failure::Usage {
        message: InputError::new(ORIGIN, expected).found(word).to_string(),
        hint: "for example: ordain answer France Spain first",
    };
    let (time, judge, group) = (Some(now()), arguments.judge.clone(), arguments.group.as_deref());
    let words: Vec<&str> = arguments.words.iter().map(String::as_str).collect();
    let said = |word: &str| word.parse::<Said>().ok();
    let answer = match words[..] {
        ["undo"] => return Ok(Entry::Undo { judge, time }),
        [item, word] if said(word).is_some_and(Said::is_single) => {
            Answer::new(named_item(items, ORIGIN, item, group)?, None, word.parse()?)?
        }
        [first, second, word] => {
            let Some(said) = said(word).filter(|said| !said.is_single()) else {
                return Err(unknown(word, "first, second, tie or skip after two items"));
            };
            let (first, second) = named_pair(items, ORIGIN, [first, second], group)?;
            Answer::new(first, Some(second), said)?
        }
        _ => {
            let last = words.last().copied().unwrap_or_default();
            return Err(unknown(last, "two items and first, second, tie or skip; one item and good or bad; undo"));
        }
    };
    Ok(Entry::Answer(Answer { judge, time, ..answer }))
}

/// The log holds one entry per line.
pub fn one_line(judge: &str) -> Result<String, &'static str> {
    if judge.contains(['\n', '\r']) { Err("a judge's name is one line") } else { Ok(judge.to_owned()) }
}

/// The time in RFC 3339, UTC, to the second.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    rfc3339(seconds)
}

/// Seconds since 1970 as a date and time of the Gregorian calendar.
fn rfc3339(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Counted from 1 March of year 0, so that the leap day is the last day of its year; 400 years have 146,097 days.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months from March on have 153 days for every five.
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = 400 * era + year_of_era + carry;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::rfc3339;

    /// Dates known from the calendar: the epoch, leap days of a century that has one and of a year that has one.
    #[test]
    fn dates() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(rfc3339(1_709_251_200), "2024-03-01T00:00:00Z");
        assert_eq!(rfc3339(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
