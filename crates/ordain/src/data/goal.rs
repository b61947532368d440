//! What is to be found out.

/// What the answers are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
