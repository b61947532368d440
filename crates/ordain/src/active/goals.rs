//! What each goal means: the strategy that asks for it, the focus of other strategies, the measure by which it is judged. How it
//! is counted as reached is in `certainty.rs`, and how that is said in `words.rs`.
//!
//! | goal | loss | strategy | reached, with the target's probability | measure |
//! |---|---|---|---|---|
//! | `best` | the best item is not first | `optimistic-best` | the first item is the best | reciprocal rank of the best |
//! | `top` k | an item is wrongly in or out of the first k | `top-regret` | the first k are the k best | NDCG@10 |
//! | `whole-order` | the share of wrong pairs | `wrong-pairs` | at most the allowed share of pairs is wrong | Kendall's tau |
//! | `top-heavy` | the share of wrong pairs, weighted by the higher place | `expected-regret` | at most the allowed weighted share is wrong | mean average precision |

use super::{QualityMeasure, Strategy};
use crate::data::Goal;

impl Strategy {
    /// The usual strategy for a goal: the best known one for its measure. `items` is the average number of items per group.
    pub fn for_goal(goal: Goal, items: f64) -> Self {
        match goal {
            Goal::Best => Self::OptimisticBest,
            Goal::Top { k } => Self::TopRegret { k },
            Goal::WholeOrder => Self::WrongPairs,
            Goal::TopHeavy => Self::ExpectedRegret { focus: usual_focus(goal, items) },
        }
    }

    /// The name of the usual strategy for a goal. If `focused`, the strategy is one that has a focus.
    pub fn usual_name(goal: Goal, focused: bool) -> &'static str {
        let focus = 0.0;
        match goal {
            Goal::Best | Goal::Top { .. } if focused => Self::ExpectedLoss { focus }.name(),
            Goal::WholeOrder if focused => Self::ExpectedRegret { focus }.name(),
            _ => Self::for_goal(goal, 2.0).name(),
        }
    }
}

/// The usual focus for a goal: 1 for the best item, an e-fold over the first k items, none where all pairs count the same, or an e-fold
/// over a third of the list.
pub(super) fn usual_focus(goal: Goal, items: f64) -> f64 {
    match goal {
        Goal::Best => 1.0,
        Goal::Top { k } => 1.0 / k.max(1) as f64,
        Goal::WholeOrder => 0.0,
        Goal::TopHeavy => 3.0 / items.max(3.0),
    }
}

impl QualityMeasure {
    /// The measure of a goal.
    pub fn for_goal(goal: Goal) -> Self {
        match goal {
            Goal::Best => Self::Best,
            Goal::Top { .. } => Self::Ndcg10,
            Goal::WholeOrder => Self::Tau,
            Goal::TopHeavy => Self::Map,
        }
    }
}
