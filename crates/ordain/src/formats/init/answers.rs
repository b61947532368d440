//! What a table of answers says, for a first project file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::super::answers::{has_sides, read_counted};
use super::super::log::AnswerWriter;
use super::super::source::{Wrapping, sniff};
use super::columns::suggesting;
use super::count;
use super::files::typed;
use crate::data::{Items, Outcome};
use crate::{InputError, Result};

/// Biases of more judges than this are not learned unless somebody wants it: each is one more coordinate of every step, whose time is
/// quadratic in their number.
const MOST_JUDGES: usize = 1000;

/// What a table of answers says.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Standing answers without skips, where a verdict that both items are bad is one. Every vote is one.
    pub(super) answers: usize,
    /// Those of them that neither item is preferred.
    pub(super) ties: usize,
    /// Verdicts that both items are bad.
    both_bad: usize,
    judges: usize,
    /// Pairs that are answered more than once.
    pub(super) repeated: usize,
    /// What the order of the two items says.
    pub(super) order: Order,
}

/// What the order of the two items of an answer says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// Which of them was shown first, or left.
    #[default]
    Shown,
    /// Who won: there are columns for the winner and the loser.
    Winner,
    /// Which of them was shown first, to very many judges.
    ManyJudges,
    /// Who won, it seems: nearly all answers prefer the first item, or the second.
    OneSided,
}

/// Fails if a table of answers is packed, because nothing could be appended to it.
pub(super) fn check_unpacked(path: &Path) -> Result<()> {
    let (program, ending) = match sniff(path)? {
        Wrapping::Gzip => ("gzip", ".gz"),
        Wrapping::Zstd => ("zstd", ".zst"),
        Wrapping::Plain | Wrapping::Parquet | Wrapping::Foreign(_) => return Ok(()),
    };
    let name = path.to_string_lossy();
    let plain = name.strip_suffix(ending).map_or_else(|| format!("{name}.csv"), str::to_owned);
    let (packed, plain) = (typed(&name), typed(&plain));
    Err(InputError::new(path, "a plain file of answers, to which more can be appended")
        .found(format!("a file packed by {program}"))
        .hint(format!("unpack it: {program} -dc {packed} > {plain}, and give {plain}"))
        .into())
}

/// Reads a table of answers. `others` are other readings of the items, each with the column of its ids.
pub(super) fn read_summary(path: &Path, items: &Items, others: &[(&str, Items)]) -> Result<Summary> {
    let fits = |items: &Items| read_counted(path, items).is_ok();
    let (log, both_bad) = read_counted(path, items).map_err(|error| suggesting(others, error, fits))?;
    let standing = log.standing();
    let said = || standing.iter().filter(|answer| answer.outcome != Outcome::Skip);
    let mut pairs: BTreeMap<_, usize> = BTreeMap::new();
    for answer in said() {
        if let Some(second) = answer.second {
            *pairs.entry((answer.first.min(second), answer.first.max(second))).or_default() += 1;
        }
    }
    let judges: BTreeSet<&str> = said().filter_map(|answer| answer.judge.as_deref()).collect();
    let preferred = |outcome: Outcome| said().filter(|answer| answer.outcome.plain() == Some(outcome)).count();
    let order = match has_sides(path)? {
        true if judges.len() > MOST_JUDGES => Order::ManyJudges,
        true => Order::of([preferred(Outcome::First), preferred(Outcome::Second)]),
        false => Order::Winner,
    };
    Ok(Summary {
        order,
        // Every verdict that both are bad is two answers. Tables that have it have no undo.
        answers: said().map(|answer| answer.outcome.count()).sum::<u64>() as usize - both_bad,
        ties: said().map(|answer| answer.outcome.ties()).sum::<u64>() as usize,
        both_bad,
        judges: judges.len(),
        repeated: pairs.values().filter(|&&times| times > 1).count(),
    })
}

impl Order {
    /// From how many answers prefer the first item, and how many the second, where columns do not say who won.
    fn of([first, second]: [usize; 2]) -> Self {
        /// So many answers for one side, for each of the other, are not a judge's bias.
        const MOST: usize = 19;
        let (few, many) = (first.min(second), first.max(second));
        if many > MOST * few.max(1) { Self::OneSided } else { Self::Shown }
    }

    /// What the project file says of it.
    pub(super) fn text(self) -> String {
        let (sides, why) = match self {
            Self::Shown => (true, "the first item of an answer was shown left: whoever favours a side is known"),
            Self::Winner => (false, "the answers do not say which item was shown left"),
            Self::ManyJudges => (
                false,
                "so many judges would make every command slow; true: whoever favours the item shown left is known",
            ),
            Self::OneSided => {
                (false, "nearly all answers prefer the same side; true: it is the side where the item was shown")
            }
        };
        format!("sides = {sides}  # {why}\n")
    }
}

impl Summary {
    /// The summary in words.
    pub(super) fn sentence(&self) -> String {
        let mut out = format!("{}, {}", count(self.answers, "answer"), count(self.ties, "tie"));
        if self.both_bad > 0 {
            let verdicts = count(self.both_bad, "verdict");
            out += &format!(
                ", {verdicts} that both are bad (\"tie (bothbad)\": no tie, but learned as two answers, bad about either item; so \
                 {} in all)",
                count(self.answers + self.both_bad, "answer")
            );
        }
        out += &match self.judges {
            0 => ", no judge named".to_owned(),
            judges => format!(", {}", count(judges, "judge")),
        };
        match self.repeated {
            0 => out + ", no pair twice",
            pairs => format!("{out}, {} answered more than once, so repeat = true", count(pairs, "pair")),
        }
    }
}

/// A remark if nothing can be appended to a table of answers that can be read.
pub(super) fn fixed(path: &Path, items: &Items) -> Option<String> {
    let error = AnswerWriter::open(path, items).err()?;
    let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
    Some(format!("these answers can be learned from, but none can be added: {error}{hint}"))
}
