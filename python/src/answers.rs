//! Answers from the arrays and words that Python hands in, and back.

use ordain::data::{Answer, Entry, Gold, ItemId, Outcome};
use pyo3::prelude::*;

use crate::failure::{Outcome as Result, unfit};

/// An entry as a tuple: first, second, outcome, judge, time, and the items of a screen after the first two. An undo has the outcome
/// "undo" and no items.
pub type Tuple = (Option<usize>, Option<usize>, String, Option<String>, Option<String>, Vec<usize>);

/// The item at a position that Python gives.
pub fn item(position: i64, items: usize) -> Result<ItemId> {
    match usize::try_from(position) {
        Ok(at) if at < items => Ok(ItemId::new(at)),
        _ => Err(unfit("the position of an item", position.to_string(), format!("0 to {}", items.saturating_sub(1)))),
    }
}

/// What Python says: first, second, the items of a screen after these, the outcome. A second item below 0 is none.
pub struct Said<'a>(pub i64, pub i64, pub &'a [i64], pub &'a str);

impl Said<'_> {
    /// The entry that says this about one of so many items.
    pub fn entry(self, judge: Option<String>, time: Option<String>, items: usize) -> Result<Entry> {
        match self.3 {
            "undo" => Ok(Entry::Undo { judge, time }),
            _ => Ok(Entry::Answer(Answer { judge, time, ..self.answer(items)? })),
        }
    }

    /// The answer of no judge.
    fn answer(self, items: usize) -> Result<Answer> {
        let Self(first, second, others, outcome) = self;
        let first = item(first, items)?;
        let second = if second < 0 { None } else { Some(item(second, items)?) };
        if others.is_empty() && !matches!(outcome, "best" | "order") {
            return Ok(Answer::new(first, second, outcome.parse::<Outcome>()?)?);
        }
        let mut shown: Vec<ItemId> = [first].into_iter().chain(second).collect();
        for &other in others {
            shown.push(item(other, items)?);
        }
        match outcome {
            "best" | "first" => Ok(Answer::best(&shown, first)?),
            "order" => Ok(Answer::order(&shown)?),
            "skip" => Ok(Answer::skipped(&shown)?),
            _ => Err(unfit("the outcome of several items", outcome.to_owned(), "best, order or skip")),
        }
    }
}

/// The entry of a tuple that [`tuple`] made.
pub fn of_tuple((first, second, outcome, judge, time, others): Tuple, items: usize) -> Result<Entry> {
    let place = |at: Option<usize>| at.map_or(-1, |at| at as i64);
    let others: Vec<i64> = others.into_iter().map(|at| at as i64).collect();
    Said(place(first), place(second), &others, &outcome).entry(judge, time, items)
}

/// The tuple of an entry.
pub fn tuple(entry: &Entry) -> Tuple {
    match entry {
        Entry::Answer(answer) => answer_tuple(answer),
        Entry::Undo { judge, time } => (None, None, "undo".into(), judge.clone(), time.clone(), Vec::new()),
    }
}

/// The tuple of an answer.
pub fn answer_tuple(answer: &Answer) -> Tuple {
    let Answer { first, second, outcome, judge, time, others } = answer;
    let second = second.map(|second| second.index());
    let others = others.iter().map(|item| item.index()).collect();
    (Some(first.index()), second, outcome.to_string(), judge.clone(), time.clone(), others)
}

/// Pairs of positions from an array with two columns.
pub fn pairs(array: &numpy::PyReadonlyArray2<'_, i64>, items: usize) -> Result<Vec<(ItemId, ItemId)>> {
    let array = array.as_array();
    if array.ncols() != 2 {
        return Err(unfit("pairs of items", format!("{} columns", array.ncols()), "two"));
    }
    array.rows().into_iter().map(|row| Ok((item(row[0], items)?, item(row[1], items)?))).collect()
}

/// Pairs whose answer is known, from first, second and outcome.
pub fn gold(pairs: &[(i64, i64, String)], items: usize) -> Result<Gold> {
    let mut known = Vec::with_capacity(pairs.len());
    for (at, (first, second, outcome)) in pairs.iter().enumerate() {
        let about = |failure: crate::failure::Failure| failure.about(|| format!("gold pair {at}"));
        let answer = Said(*first, *second, &[], outcome).answer(items).map_err(about)?;
        let Some(second) = answer.second else {
            return Err(about(unfit("a gold pair", "one item", "what is known of two items: first, second or tie")));
        };
        known.push((answer.first, second, answer.outcome));
    }
    Ok(Gold::new(known)?)
}

/// What is known of a pair: first, second, outcome.
pub type Known = (usize, usize, String);

/// The pairs of gold, as [`gold`] takes them.
pub fn gold_tuples(gold: &Gold) -> Vec<Known> {
    let known = |&(first, second): &(ItemId, ItemId)| {
        gold.known(first, second).map(|outcome| (first.index(), second.index(), outcome.to_string()))
    };
    gold.pairs().iter().filter_map(known).collect()
}

/// The settings of a question that Python reads: first, second, score.
pub fn question(question: &ordain::active::Question) -> (usize, usize, f64) {
    (question.first.index(), question.second.index(), question.score)
}

/// Whether an object is `None` or absent, else its text.
pub fn texts(list: Option<Bound<'_, PyAny>>, count: usize, what: &'static str) -> Result<Option<Vec<Option<String>>>> {
    let Some(list) = list else { return Ok(None) };
    let list: Vec<Option<String>> = list.extract()?;
    if list.len() != count {
        return Err(unfit(what, list.len().to_string(), format!("{count}, one per answer")));
    }
    Ok(Some(list))
}
