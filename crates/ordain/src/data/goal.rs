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

    /// How many first items are to be found, if the goal is to find some.
    pub fn places(self) -> Option<usize> {
        match self {
            Self::Top { k } => Some(k),
            Self::Best | Self::WholeOrder | Self::TopHeavy => None,
        }
    }
}
