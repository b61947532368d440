//! The answers of judges.

use super::{Groups, ItemId, Outcome};
use crate::words::suggestion;
use crate::{Error, Result};

/// The name of the width of ties, among settings and tuned parameters.
pub const TIE_WIDTH: &str = "tie_width";

/// One comparison, what was said of one item, or what was said of a screen: several items that were shown together.
///
/// ```
/// use ordain::data::{Answer, ItemId, Outcome};
///
/// let [a, b, c, d] = [0, 1, 2, 3].map(ItemId::new);
/// let best = Answer::best(&[a, b, c, d], c)?;
/// assert_eq!(best, Answer::best(&[d, c, b, a], c)?);
/// assert_eq!(best.first, c);
/// assert_eq!(Answer::order(&[b, a])?, Answer::new(b, Some(a), Outcome::First)?);
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The first item: the best of a screen.
    pub first: ItemId,
    /// The second item; none for `good`, `bad`, a grade, and a skipped grade.
    pub second: Option<ItemId>,
    /// The items of a screen after the first two: in their order if that was said, else ascending. None for two items and for one.
    pub others: Vec<ItemId>,
    /// The outcome.
    pub outcome: Outcome,
    /// The judge.
    pub judge: Option<String>,
    /// The time, as text from the log.
    pub time: Option<String>,
}

impl Answer {
    /// The most items of a screen.
    pub const MOST_SHOWN: usize = 32;

    /// That this is the best of the items of a screen. Of two items it is a plain answer, about the first and the second that were shown.
    ///
    /// # Errors
    /// If it is not among them, one is shown twice, or there are fewer than two or more than 32.
    pub fn best(shown: &[ItemId], best: ItemId) -> Result<Self> {
        let mut order = vec![best];
        order.extend(shown.iter().copied().filter(|&item| item != best));
        order[1..].sort_unstable();
        if !shown.contains(&best) {
            return Err(wrong_screen("a best item that is not among those shown", "one of the items shown"));
        }
        if order.len() < shown.len() {
            return Err(shown_twice());
        }
        if let [left, right] = *shown {
            return Self::new(left, Some(right), if best == left { Outcome::First } else { Outcome::Second });
        }
        Self::screen(&order, Outcome::Best)
    }

    /// That these items stand in this order, best first. Two items are a plain answer.
    ///
    /// # Errors
    /// If one is there twice, or there are fewer than two or more than 32.
    pub fn order(items: &[ItemId]) -> Result<Self> {
        Self::screen(items, Outcome::Order)
    }

    /// That the judge said nothing of a screen.
    ///
    /// # Errors
    /// If an item is there twice, or there are fewer than two or more than 32.
    pub fn skipped(shown: &[ItemId]) -> Result<Self> {
        let mut shown = shown.to_vec();
        shown.sort_unstable();
        Self::screen(&shown, Outcome::Skip)
    }

    /// A screen whose items are in this order.
    pub(crate) fn screen(items: &[ItemId], outcome: Outcome) -> Result<Self> {
        let (first, second, others) = match *items {
            [first, second, ref others @ ..] => (first, second, others.to_vec()),
            _ => return Err(wrong_screen("fewer than two items", "two items or more")),
        };
        if others.is_empty() {
            return Self::new(first, Some(second), if outcome.is_choice() { Outcome::First } else { outcome });
        }
        let answer = Self { first, second: Some(second), others, outcome, judge: None, time: None };
        answer.check_screen()?;
        Ok(answer)
    }

    /// Fails unless it may say this of more than two items, which all differ.
    fn check_screen(&self) -> Result<()> {
        let mut items: Vec<ItemId> = self.items().collect();
        items.sort_unstable();
        if !(self.outcome.is_choice() || self.is_skip()) {
            return Err(wrong_screen("more than two items", "one item or two"));
        }
        if items.len() < 3 || items.len() > Self::MOST_SHOWN {
            return Err(wrong_screen(&format!("{} items", items.len()), "two to 32 items"));
        }
        if items.windows(2).any(|pair| pair[0] == pair[1]) { Err(shown_twice()) } else { Ok(()) }
    }

    /// The items that the answer is about.
    pub fn items(&self) -> impl Iterator<Item = ItemId> {
        std::iter::once(self.first).chain(self.second).chain(self.others.iter().copied())
    }

    /// The same statement about other items.
    pub(crate) fn of_others(&self, other: impl Fn(ItemId) -> ItemId) -> Self {
        let others = self.others.iter().map(|&item| other(item)).collect();
        Self { first: other(self.first), second: self.second.map(&other), others, ..self.clone() }
    }

    /// Whether it is about more than two items.
    pub fn is_of_screen(&self) -> bool {
        !self.others.is_empty()
    }

    /// The pairs of items of which it says that the first is better: all that follow of themselves, so that nobody need be asked.
    pub(crate) fn preferences(&self) -> Vec<(ItemId, ItemId)> {
        let items: Vec<ItemId> = self.items().collect();
        let better = match self.outcome {
            Outcome::Best => 1,
            Outcome::Order => items.len(),
            _ => 0,
        };
        let below = |at: usize| items[at + 1..].iter().map(|&lower| (items[at], lower)).collect::<Vec<_>>();
        (0..better).flat_map(below).collect()
    }

    /// How many observations it makes.
    pub(crate) fn parts(&self) -> usize {
        if self.outcome.is_choice() { 1 + self.others.len() } else { self.outcome.parts() }
    }

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
            Some(_) if outcome.is_choice() => Err(wrong("two items", "three items or more for a choice among several")),
            _ => Ok(Self { first, second, others: Vec::new(), outcome, judge: None, time: None }),
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

    /// Checks that the answer is about items that are there: one, or different ones of one group, as many as the outcome says.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self, items: usize, groups: Option<&Groups>) -> Result<()> {
        if self.is_of_screen() {
            self.check_screen()?;
            return self.items().skip(1).try_for_each(|other| check_pair(self.first, other, items, groups));
        }
        Self::new(self.first, self.second, self.outcome)?;
        match self.second {
            Some(second) => check_pair(self.first, second, items, groups),
            None => check_item(self.first, items),
        }
    }

    /// The answer in words; `name` gives an item's name.
    pub fn sentence(&self, name: impl Fn(ItemId) -> String) -> String {
        if self.is_of_screen() {
            return self.sentence_of_screen(name);
        }
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

    fn sentence_of_screen(&self, name: impl Fn(ItemId) -> String) -> String {
        let names: Vec<String> = self.items().map(name).collect();
        match (self.outcome, names.split_last()) {
            (Outcome::Order, _) => names.join(" over "),
            (Outcome::Best, Some((last, before))) => {
                format!("{} over {} and {last}", before[0], before[1..].join(", "))
            }
            (outcome, _) => format!("{}, {outcome}", names.join(", ")),
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
            Some(second) if second == left && !self.is_of_screen() => {
                Self { first: left, second: Some(self.first), ..self.turned() }
            }
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

fn wrong_screen(found: &str, expected: &str) -> Error {
    Error::Data { what: "a choice among several items", found: found.into(), expected: expected.into() }
}

fn shown_twice() -> Error {
    wrong_screen("an item that is shown twice", "different items")
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
