//! The answers of judges.

use super::{Groups, ItemId, Outcome};
use crate::words::suggestion;
use crate::{Error, Result};

/// The name of the width of ties, among settings and tuned parameters.
pub const TIE_WIDTH: &str = "tie_width";

/// One comparison, or what was said of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The first item.
    pub first: ItemId,
    /// The second item; none for `good`, `bad`, a grade, and a skipped grade.
    pub second: Option<ItemId>,
    /// The outcome.
    pub outcome: Outcome,
    /// The judge.
    pub judge: Option<String>,
    /// The time, as text from the log.
    pub time: Option<String>,
}

impl Answer {
    /// A comparison of two different items, or a judgement of one.
    ///
    /// # Errors
    /// If an item is compared with itself, or the number of items does not fit the outcome.
    pub fn new(first: ItemId, second: Option<ItemId>, outcome: Outcome) -> Result<Self> {
        let wrong = |found: &str, expected: &str| Error::Data {
            what: "answer",
            found: found.into(),
            expected: expected.into(),
        };
        match second {
            Some(second) if second == first => Err(wrong("an item compared with itself", "two different items")),
            Some(_) if outcome.is_single() => Err(wrong("two items", "one item for \"good\", \"bad\" and grades")),
            None if !outcome.is_single() && outcome != Outcome::Skip => {
                Err(wrong("one item", "two items for a comparison"))
            }
            _ => Ok(Self { first, second, outcome, judge: None, time: None }),
        }
    }

    /// Whether the judge gave no answer.
    pub fn is_skip(&self) -> bool {
        self.outcome == Outcome::Skip
    }

    /// Sets the judge. An empty name is no judge.
    pub fn by(mut self, judge: impl Into<String>) -> Self {
        self.judge = named(Some(judge.into()));
        self
    }

    /// The same answer, in which an empty name is no judge.
    pub(crate) fn tidy(self) -> Self {
        Self { judge: named(self.judge), ..self }
    }

    /// Checks that the answer is about items that are there: one, or two different ones of one group, as the outcome says.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self, items: usize, groups: Option<&Groups>) -> Result<()> {
        Self::new(self.first, self.second, self.outcome)?;
        match self.second {
            Some(second) => check_pair(self.first, second, items, groups),
            None => check_item(self.first, items),
        }
    }

    /// The answer in words; `name` gives an item's name.
    pub fn sentence(&self, name: impl Fn(ItemId) -> String) -> String {
        let first = name(self.first);
        match (self.second.map(name), self.outcome) {
            (Some(second), Outcome::First) => format!("{first} over {second}"),
            (Some(second), Outcome::Second) => format!("{second} over {first}"),
            (Some(second), Outcome::FirstWeakly) => format!("{first} slightly over {second}"),
            (Some(second), Outcome::SecondWeakly) => format!("{second} slightly over {first}"),
            (Some(second), Outcome::FirstStrongly) => format!("{first} strongly over {second}"),
            (Some(second), Outcome::SecondStrongly) => format!("{second} strongly over {first}"),
            (Some(second), Outcome::Probability(share)) => format!("{first} over {second} with probability {share}"),
            (Some(second), Outcome::Votes(votes)) => format!("{first} and {second}, {votes} votes"),
            (Some(second), outcome) => format!("{first} and {second}, {outcome}"),
            (None, Outcome::Grade(grade)) => format!("{first} has grade {grade}"),
            (None, Outcome::Skip) => format!("{first}, skip"),
            (None, outcome) => format!("{first} {outcome}"),
        }
    }

    /// The answer that prefers the other item. Answers without a preference stay.
    pub fn turned(mut self) -> Self {
        self.outcome = self.outcome.turned();
        self
    }

    /// The same statement with this item first, if it is one of two: where the items are said to stand left and right.
    pub fn shown(self, left: ItemId) -> Self {
        match self.second {
            Some(second) if second == left => Self { first: left, second: Some(self.first), ..self.turned() },
            _ => self,
        }
    }

    /// The same answer, given at this time.
    pub fn at(mut self, time: impl Into<String>) -> Self {
        self.time = Some(time.into());
        self
    }
}

/// A line of the answer log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// An answer.
    Answer(Answer),
    /// The judge takes back their latest standing answer.
    Undo {
        /// The judge.
        judge: Option<String>,
        /// The time, as text from the log.
        time: Option<String>,
    },
}

impl Entry {
    /// Who made the entry.
    pub fn judge(&self) -> Option<&str> {
        match self {
            Self::Answer(answer) => answer.judge.as_deref(),
            Self::Undo { judge, .. } => judge.as_deref(),
        }
    }

    /// The same entry, in which an empty name is no judge.
    pub(crate) fn tidy(self) -> Self {
        match self {
            Self::Answer(answer) => Self::Answer(answer.tidy()),
            Self::Undo { judge, time } => Self::Undo { judge: named(judge), time },
        }
    }
}

fn named(judge: Option<String>) -> Option<String> {
    judge.filter(|judge| !judge.is_empty())
}

/// Checks that an item is one of so many.
pub(crate) fn check_item(item: ItemId, items: usize) -> Result<()> {
    if item.index() < items {
        return Ok(());
    }
    let found = item.index().to_string();
    Err(Error::Data { what: "the number of an item", found, expected: format!("below {items}") })
}

/// Checks that two items are there, differ, and are of one group.
pub(crate) fn check_pair(first: ItemId, second: ItemId, items: usize, groups: Option<&Groups>) -> Result<()> {
    check_item(first, items)?;
    check_item(second, items)?;
    let apart = groups.is_some_and(|groups| groups.of(first) != groups.of(second));
    if first == second || apart {
        return Err(Error::Data {
            what: "a pair",
            found: if apart { "items of two groups" } else { "an item and itself" }.into(),
            expected: "two items of one group".into(),
        });
    }
    Ok(())
}

/// All entries of the log, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerLog {
    entries: Vec<Entry>,
}

impl AnswerLog {
    /// A log of these entries.
    ///
    /// # Errors
    /// If an undo has no answer to take back.
    pub fn new(entries: Vec<Entry>) -> Result<Self> {
        match Self::idle_undo(&entries) {
            None => Ok(Self { entries }),
            Some(at) => Err(idle(at)),
        }
    }

    /// Adds an entry at the end.
    ///
    /// # Errors
    /// If it is an undo with nothing to take back.
    pub fn push(&mut self, entry: Entry) -> Result<()> {
        let undo = matches!(entry, Entry::Undo { .. });
        self.entries.push(entry);
        if undo && Self::idle_undo(&self.entries).is_some() {
            self.entries.pop();
            return Err(idle(self.entries.len()));
        }
        Ok(())
    }

    /// The entries in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The standing answers: those that no undo took back, in order, with skips.
    pub fn standing(&self) -> Vec<&Answer> {
        resolve(&self.entries).0
    }

    /// The log without the entries of these judges.
    ///
    /// # Errors
    /// If one of them has no entry.
    pub fn without_judges(&self, names: &[String]) -> Result<Self> {
        let mut judges: Vec<&str> = self.entries.iter().filter_map(Entry::judge).collect();
        judges.sort_unstable();
        judges.dedup();
        if let Some(unknown) = names.iter().find(|name| judges.binary_search(&name.as_str()).is_err()) {
            return Err(Error::UnknownWord {
                what: "judge",
                found: unknown.clone(),
                hint: suggestion(unknown, judges.iter().copied()),
            });
        }
        let stays = |entry: &&Entry| entry.judge().is_none_or(|judge| names.iter().all(|name| name != judge));
        // An undo takes back an answer of its own judge, so none is left with nothing to take back.
        Self::new(self.entries.iter().filter(stays).cloned().collect())
    }

    /// The number of standing answers. Skips are no answers; votes are one.
    pub fn count(&self) -> usize {
        self.standing().into_iter().filter(|answer| !answer.is_skip()).count()
    }

    /// The latest standing answer of a judge.
    pub fn latest(&self, judge: Option<&str>) -> Option<&Answer> {
        self.standing().into_iter().rfind(|answer| answer.judge.as_deref() == judge)
    }

    /// The position of the first undo among `entries` that has nothing to take back.
    pub fn idle_undo(entries: &[Entry]) -> Option<usize> {
        resolve(entries).1
    }
}

fn idle(at: usize) -> Error {
    Error::Data {
        what: "answer log",
        found: format!("an undo at entry {at} with nothing to take back"),
        expected: "an earlier standing answer of the same judge".into(),
    }
}

/// The standing answers and the first undo without an answer to take back. Linear in the log.
fn resolve(entries: &[Entry]) -> (Vec<&Answer>, Option<usize>) {
    let mut standing: Vec<Option<&Answer>> = Vec::with_capacity(entries.len());
    let mut latest: std::collections::HashMap<Option<&str>, Vec<usize>> = std::collections::HashMap::new();
    let mut idle = None;
    for (at, entry) in entries.iter().enumerate() {
        match entry {
            Entry::Answer(answer) => {
                latest.entry(answer.judge.as_deref()).or_default().push(standing.len());
                standing.push(Some(answer));
            }
            Entry::Undo { judge, .. } => match latest.get_mut(&judge.as_deref()).and_then(Vec::pop) {
                Some(position) => standing[position] = None,
                None => idle = idle.or(Some(at)),
            },
        }
    }
    (standing.into_iter().flatten().collect(), idle)
}
