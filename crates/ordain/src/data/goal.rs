//! What is to be found out.

use crate::words::vocabulary;
use crate::{Error, Result};

/// What the answers are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Goal {
    /// Finding the best item.
    Best,
    /// Finding the first few items.
    Top {
        /// How many.
        k: usize,
    },
    /// Ordering all items with the fewest wrong pairs.
    WholeOrder,
    /// Ordering all items, where early places count more.
    TopHeavy,
}

vocabulary! { Goal, "goal";
    Best = "best", "finding the best item";
    Top { k: Goal::USUAL_PLACES } = "top", "finding the first few items, as many as k says";
    WholeOrder = "whole-order", "ordering all items with the fewest wrong pairs";
    TopHeavy = "top-heavy", "ordering all items, where early places count more";
}

impl Goal {
    /// How many first items count where nobody says how many: as many as a page of results usually has.
    pub const USUAL_PLACES: usize = 10;

    /// Whether the goal is an order of all items, of which a share of the pairs may be wrong.
    pub fn is_order(self) -> bool {
        match self {
            Self::WholeOrder | Self::TopHeavy => true,
            Self::Best | Self::Top { .. } => false,
        }
    }

    /// Refuses a goal of more first items than any group has.
    ///
    /// # Errors
    /// If there are not so many items in the largest of these groups.
    pub fn check(self, group_sizes: &[usize]) -> Result<()> {
        match (self.places(), self.most(group_sizes)) {
            (Some(k), Some(expected)) => Err(Error::Setting {
                name: "top",
                found: k.to_string(),
                expected,
                hint: "give a smaller number, or the goal whole-order",
            }),
            _ => Ok(()),
        }
    }

    /// What the number of first items may be at most, in words, if it is more.
    pub(crate) fn most(self, group_sizes: &[usize]) -> Option<String> {
        let largest = group_sizes.iter().copied().max().unwrap_or(0);
        let of = match largest {
            _ if group_sizes.len() > 1 => "of the largest group",
            1 => "there is",
            _ => "there are",
        };
        let items = if largest == 1 { "item" } else { "items" };
        // Where there is no item, there is nothing to find.
        self.places().filter(|&k| k > largest && largest > 0).map(|_| format!("at most {largest}: the {items} {of}"))
    }

    /// How many first items are to be found, if the goal is to find some.
    pub fn places(self) -> Option<usize> {
        match self {
            Self::Top { k } => Some(k),
            Self::Best | Self::WholeOrder | Self::TopHeavy => None,
        }
    }
}
