//! Rank orderings: the preference of an expert that gave items scores or positions.

use super::Preference;
use crate::words::vocabulary;
use crate::{Error, Result};

/// The meaning of an item that an expert did not return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unretrieved {
    /// The expert ranks the item below all that it returned, and level with others that it did not: rank 0 in LTOT
    /// section 5.
    #[default]
    Last,
    /// The expert has no opinion on the item (φ in LTOT section 2).
    Abstain,
}

vocabulary! { Unretrieved, "meaning of an item that is not returned";
    Last = "last", "the expert ranks it below all that it returned";
    Abstain = "abstain", "the expert has no opinion on it";
}

/// The place of an item that was not returned: below all others.
const NO_PLACE: u32 = u32::MAX;

/// A preference function that follows an ordering function (LTOT section 2): 1 where u is ranked higher than v, 0 where
/// it is ranked lower, ½ where they are level or there is no opinion. Four bytes per item, and twelve per ranked item.
#[derive(Debug, Clone, PartialEq)]
pub struct RankOrdering {
    /// The place of every item, from 1. Equal scores share the better place.
    places: Vec<u32>,
    /// Ranked items and their scores, best first; equal scores by index.
    ranked: Vec<(u32, f64)>,
    unretrieved: Unretrieved,
}

impl RankOrdering {
    /// An order by falling score. Items without a score were not returned.
    ///
    /// # Errors
    /// If a score is NaN.
    pub fn from_scores(scores: impl IntoIterator<Item = Option<f64>>, unretrieved: Unretrieved) -> Result<Self> {
        let mut items = 0;
        let mut ranked = Vec::new();
        for (item, score) in scores.into_iter().enumerate() {
            items = item + 1;
            ranked.extend(score.map(|score| (item as u32, score)));
        }
        Self::from_list(items, ranked, unretrieved)
    }

    /// An order by rising position; 1 is the best. Items without a position were not returned.
    ///
    /// # Errors
    /// If a position is NaN.
    pub fn from_positions(positions: impl IntoIterator<Item = Option<f64>>, unretrieved: Unretrieved) -> Result<Self> {
        Self::from_scores(positions.into_iter().map(|position| position.map(|position| -position)), unretrieved)
    }

    /// An order of `items` items. Those listed with a score were returned. `O(n + k log k)`.
    ///
    /// # Errors
    /// If a score is NaN, or an item is listed twice or does not exist.
    pub fn from_list(items: usize, mut ranked: Vec<(u32, f64)>, unretrieved: Unretrieved) -> Result<Self> {
        let wrong =
            |found: String, expected: &str| Error::Data { what: "an expert's list", found, expected: expected.into() };
        if let Some((item, _)) = ranked.iter().find(|(_, score)| score.is_nan()) {
            return Err(wrong(format!("the score NaN of item {item}"), "numbers"));
        }
        // `partial_cmp`, since 0 and -0 are equal scores.
        ranked.sort_unstable_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(std::cmp::Ordering::Equal).then(a.0.cmp(&b.0)));
        let mut places = vec![NO_PLACE; items];
        let mut place = 0;
        for (at, &(item, score)) in ranked.iter().enumerate() {
            if at == 0 || ranked[at - 1].1 != score {
                place = at as u32 + 1;
            }
            match places.get_mut(item as usize) {
                Some(own) if *own == NO_PLACE => *own = place,
                Some(_) => return Err(wrong(format!("item {item} twice"), "each item once")),
                None => return Err(wrong(format!("item {item}"), &format!("one of {items} items, from 0"))),
            }
        }
        Ok(Self { places, ranked, unretrieved })
    }

    /// The place of an item, from 1; none if it was not returned. Equal scores share the better place.
    pub fn place(&self, item: usize) -> Option<u32> {
        Some(self.places[item]).filter(|&place| place != NO_PLACE)
    }

    /// The items that were returned with their scores, best first.
    pub fn ranked(&self) -> &[(u32, f64)] {
        &self.ranked
    }

    /// The meaning of an item that was not returned.
    pub fn unretrieved(&self) -> Unretrieved {
        self.unretrieved
    }

    /// The number of values of the ordering function, without items that have no opinion.
    pub(super) fn levels(&self) -> usize {
        let ranked = self.ranked.chunk_by(|a, b| a.1 == b.1).count();
        let rest = self.unretrieved == Unretrieved::Last && self.ranked.len() < self.places.len();
        ranked + usize::from(rest)
    }
}

/// 1, 0 or -1 as `a` is a better (smaller) place than `b`, the same, or a worse one.
#[inline]
fn net(a: u32, b: u32) -> f64 {
    f64::from(i32::from(a < b) - i32::from(a > b))
}

impl Preference for RankOrdering {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn prefer(&self, u: usize, v: usize) -> f64 {
        let (a, b) = (self.places[u], self.places[v]);
        if self.unretrieved == Unretrieved::Abstain && (a == NO_PLACE || b == NO_PLACE) {
            return 0.5;
        }
        0.5 + 0.5 * net(a, b)
    }

    fn add_net(&self, item: usize, weight: f64, out: &mut [f64]) {
        let own = self.places[item];
        match self.unretrieved {
            Unretrieved::Last => {
                for (out, &place) in out.iter_mut().zip(&self.places) {
                    *out += weight * net(own, place);
                }
            }
            Unretrieved::Abstain if own == NO_PLACE => {}
            Unretrieved::Abstain => {
                for (out, &place) in out.iter_mut().zip(&self.places) {
                    *out += if place == NO_PLACE { 0.0 } else { weight * net(own, place) };
                }
            }
        }
    }

    /// Counts the items below and above, in `O(n)`.
    fn add_potentials(&self, weight: f64, out: &mut [f64]) {
        let all = match self.unretrieved {
            Unretrieved::Last => self.places.len(),
            Unretrieved::Abstain => self.ranked.len(),
        };
        let mut above = 0;
        for level in self.ranked.chunk_by(|a, b| a.1 == b.1) {
            let below = all - above - level.len();
            for &(item, _) in level {
                out[item as usize] += weight * (below as f64 - above as f64);
            }
            above += level.len();
        }
        if self.unretrieved == Unretrieved::Last && above > 0 {
            for (out, _) in out.iter_mut().zip(&self.places).filter(|(_, place)| **place == NO_PLACE) {
                *out -= weight * above as f64;
            }
        }
    }
}
