//! The feedback on a query.

use std::collections::HashMap;

use super::Preference;
use crate::{Error, Result};

/// Assertions "u should be preferred to v" on the items of one query (F in LTOT section 4). They may contradict each
/// other, and there may be none. An assertion that is given twice counts twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Feedback {
    pairs: Vec<(u32, u32)>,
}

impl Feedback {
    /// Feedback from these assertions, the preferred item first.
    ///
    /// # Errors
    /// If an item is preferred to itself.
    pub fn new(pairs: Vec<(u32, u32)>) -> Result<Self> {
        match pairs.iter().find(|(better, worse)| better == worse) {
            None => Ok(Self { pairs }),
            Some((item, _)) => {
                let found = format!("item {item} preferred to itself");
                Err(Error::Data { what: "feedback", found, expected: "two items".into() })
            }
        }
    }

    /// Full relevance feedback: every item is preferred to all of a lower grade. None if all grades are equal.
    pub fn from_grades(grades: &[i32]) -> Self {
        let better = |u: u32| move |v: u32| (grades[u as usize] > grades[v as usize]).then_some((u, v));
        let items = grades.len() as u32;
        Self { pairs: (0..items).flat_map(|u| (0..items).filter_map(better(u))).collect() }
    }

    /// Click feedback: each clicked item is preferred to all items that were shown before it and not clicked (LTOT
    /// section 5). Clicks on the first places alone give none.
    ///
    /// # Errors
    /// If an item was shown twice, or clicked and not shown.
    pub fn from_clicks(shown: &[usize], clicked: &[usize]) -> Result<Self> {
        let wrong = |found: String, expected: &str| Error::Data { what: "feedback", found, expected: expected.into() };
        let mut was_clicked: HashMap<usize, bool> = HashMap::with_capacity(shown.len());
        for &item in shown {
            if was_clicked.insert(item, false).is_some() {
                return Err(wrong(format!("item {item} shown twice"), "every item once"));
            }
        }
        for &item in clicked {
            let Some(click) = was_clicked.get_mut(&item) else {
                return Err(wrong(format!("a click on item {item}"), "clicks on items that were shown"));
            };
            *click = true;
        }
        let (mut pairs, mut passed) = (Vec::new(), Vec::new());
        for item in shown {
            if was_clicked[item] {
                pairs.extend(passed.iter().map(|&other| (*item as u32, other)));
            } else {
                passed.push(*item as u32);
            }
        }
        Ok(Self { pairs })
    }

    /// The assertions, the preferred item first.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Whether there is no assertion.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The share of the assertions that a preference contradicts, each as far as it does (LTOT equation 2). None
    /// without assertions.
    pub fn loss(&self, preference: &impl Preference) -> Option<f64> {
        let wrong = |&(u, v): &(u32, u32)| 1.0 - preference.prefer(u as usize, v as usize);
        (!self.is_empty()).then(|| self.pairs.iter().map(wrong).sum::<f64>() / self.pairs.len() as f64)
    }

    /// Fails unless all items are below this number.
    pub(super) fn check(&self, items: usize) -> Result<()> {
        let outside = |&&(u, v): &&(u32, u32)| u.max(v) as usize >= items;
        match self.pairs.iter().find(outside) {
            None => Ok(()),
            Some((u, v)) => {
                let found = format!("item {}", u.max(v));
                Err(Error::Data { what: "feedback", found, expected: format!("one of {items} items, from 0") })
            }
        }
    }
}
