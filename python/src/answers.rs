//! Answers from the arrays and words that Python hands in, and back.

use ordain::data::{Answer, Entry, ItemId, Outcome};
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

/// The entry of a tuple. A second item below 0 is none.
pub fn entry(
    (first, second): (i64, i64),
    outcome: &str,
    judge: Option<String>,
    time: Option<String>,
    items: usize,
) -> Result<Entry> {
    if outcome == "undo" {
        return Ok(Entry::Undo { judge, time });
    }
    let second = if second < 0 { None } else { Some(item(second, items)?) };
    let answer = Answer::new(item(first, items)?, second, outcome.parse::<Outcome>()?)?;
    Ok(Entry::Answer(Answer { judge, time, ..answer }))
}

/// The entry of a tuple that [`tuple`] made.
pub fn of_tuple((first, second, outcome, judge, time, others): Tuple, items: usize) -> Result<Entry> {
    let place = |at: Option<usize>| at.map_or(-1, |at| at as i64);
    if others.is_empty() {
        return entry((place(first), place(second)), &outcome, judge, time, items);
    }
    let shown = [first, second].into_iter().flatten().chain(others);
    let shown = shown.map(|at| item(at as i64, items)).collect::<Result<Vec<_>>>()?;
    Ok(Entry::Answer(Answer { judge, time, ..screen(&shown, &outcome)? }))
}

/// What was said of a screen: of `best` the first is it, of `order` they stand in it, of `skip` nothing.
pub fn screen(shown: &[ItemId], outcome: &str) -> Result<Answer> {
    match (outcome, shown) {
        ("best", [best, ..]) => Ok(Answer::best(shown, *best)?),
        ("order", _) => Ok(Answer::order(shown)?),
        ("skip", _) => Ok(Answer::skipped(shown)?),
        _ => Err(unfit("the outcome of a screen", outcome.to_owned(), "best, order or skip")),
    }
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
