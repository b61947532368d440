//! What is to be found out.

use crate::words::vocabulary;

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
    /// Ordering all items.
    WholeOrder,
}

vocabulary! { Goal, "goal";
    Best = "best", "finding the best item";
    Top { k: Goal::USUAL_PLACES } = "top", "finding the first few items, as many as k says";
    WholeOrder = "whole-order", "ordering all items";
}

impl Goal {
    /// How many first items count where nobody says how many: as many as a page of results usually has.
    pub const USUAL_PLACES: usize = 10;

    /// How many first items are to be found, if the goal is to find some.
    pub fn places(self) -> Option<usize> {
        match self {
            Self::Top { k } => Some(k),
            Self::Best | Self::WholeOrder => None,
        }
    }
}
