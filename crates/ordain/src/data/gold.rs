//! Pairs whose answer is known, by which judges are judged.

use std::collections::HashMap;

use super::{Answer, ItemId, Outcome};
use crate::{Error, Result};

/// Pairs of items whose answer is known: `first`, `second` or `tie`. What judges say of them tells about judges, so nothing about items is
/// learned from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gold {
    pairs: Vec<(ItemId, ItemId)>,
    /// What is known of each pair, the item with the smaller number first.
    known: HashMap<(ItemId, ItemId), Outcome>,
}

impl Gold {
    /// Pairs with what is known of them: the first item is better, the second, or neither. A pair may be given twice.
    ///
    /// # Errors
    /// If an outcome does not compare two items, or two outcomes of one pair contradict each other.
    pub fn new(pairs: impl IntoIterator<Item = (ItemId, ItemId, Outcome)>) -> Result<Self> {
        let mut out = Self::default();
        for (first, second, outcome) in pairs {
            out.add(first, second, outcome)?;
        }
        Ok(out)
    }

    fn add(&mut self, first: ItemId, second: ItemId, outcome: Outcome) -> Result<()> {
        let wrong =
            |found: String, expected: &str| Err(Error::Data { what: "a gold pair", found, expected: expected.into() });
        let Some(plain) = outcome.plain().filter(|_| first != second) else {
            return wrong(outcome.to_string(), "what is known of two items: first, second or tie");
        };
        let (pair, plain) = in_order(first, second, plain);
        match self.known.insert(pair, plain) {
            None => self.pairs.push((first, second)),
            Some(before) if before == plain => {}
            Some(before) => return wrong(format!("{before} and {plain} of one pair"), "one of them"),
        }
        Ok(())
    }

    /// The pairs, in the order in which they were given, each once.
    pub fn pairs(&self) -> &[(ItemId, ItemId)] {
        &self.pairs
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// What is known of two items: `First` if the first is better.
    pub fn known(&self, first: ItemId, second: ItemId) -> Option<Outcome> {
        let (pair, _) = in_order(first, second, Outcome::Tie);
        let known = *self.known.get(&pair)?;
        Some(if pair == (first, second) { known } else { known.turned() })
    }

    /// Whether an answer is about a gold pair. A screen is not, whatever it shows.
    pub fn is_about(&self, answer: &Answer) -> bool {
        let known = |second| !answer.is_of_screen() && self.known(answer.first, second).is_some();
        answer.second.is_some_and(known)
    }

    /// Whether an answer about a gold pair is right; `None` of others and of skips. A probability, a strength and votes count as what
    /// they favour.
    pub fn is_right(&self, answer: &Answer) -> Option<bool> {
        let known = self.known(answer.first, answer.second?)?;
        Some(answer.outcome.plain()? == known)
    }
}

/// A pair with the smaller number first, and an outcome of it.
fn in_order(first: ItemId, second: ItemId, outcome: Outcome) -> ((ItemId, ItemId), Outcome) {
    if first < second { ((first, second), outcome) } else { ((second, first), outcome.turned()) }
}
