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

impl Goal {
    /// Its word in project files, on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Top { .. } => "top",
            Self::WholeOrder => "whole-order",
        }
    }
}
