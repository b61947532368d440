//! Learning to order things (LTOT): preference functions, one order from many experts, and weights learned from feedback.
//!
//! An *expert* already ranks: a search engine, a feature, a belief. Its opinion on a set of items is a [`Preference`],
//! a number in \[0, 1\] for every pair. [`RankOrdering`] is the usual one, [`BeliefPreference`] that of a Gaussian
//! process. [`Weighted`] mixes several; [`Both`], [`Either`] and [`Opposite`] combine them.
//!
//! [`greedy_order`] finds an order that agrees with a preference at least half as well as the best one does.
//! [`component_order`], [`improve`] and [`exact_order`] do better for more work. [`Fusion`] names these and the usual
//! fusion methods. [`Hedge`] and [`Margin`] learn the experts' weights from [`Feedback`], query by query.
//!
//! ```
//! use ordain::order::{Feedback, Fusion, Learner, Margin, MarginParams, RankOrdering, Unretrieved};
//!
//! // Two search engines' lists of the same three documents; the second did not find document 1.
//! let experts = [
//!     RankOrdering::from_scores([Some(3.0), Some(2.0), Some(1.0)], Unretrieved::Last)?,
//!     RankOrdering::from_scores([Some(1.0), None, Some(2.0)], Unretrieved::Last)?,
//! ];
//! let mut learner = Margin::new(2, &MarginParams::default())?;
//! let shown = Fusion::Greedy.order(&experts, &learner.weights())?;
//! // Whoever looked at the list clicked on document 2, which the second engine has on top.
//! learner.learn(&experts, &Feedback::from_clicks(&shown.order, &[2])?)?;
//! assert!(learner.weights()[1] > 0.5);
//! # Ok::<(), ordain::Error>(())
//! ```

mod agreement;
mod belief;
mod components;
mod exact;
mod feedback;
mod fusion;
mod greedy;
mod hedge;
mod learner;
mod local;
mod margin;
mod pool;
mod preference;
mod rank_ordering;
mod weights;

pub use agreement::{agree, disagree};
pub use belief::BeliefPreference;
pub use components::component_order;
pub use exact::{LARGEST_EXACT, exact_order, two_valued_order};
pub use feedback::Feedback;
pub use fusion::{Fused, Fusion};
pub use greedy::greedy_order;
pub use hedge::{Hedge, HedgeParams};
pub use learner::{AnyLearner, Learner, Learning, Standing};
pub use local::improve;
pub use margin::{Margin, MarginParams};
pub use pool::Pool;
pub use preference::{Both, Either, Opposite, Preference, Weighted};
pub use rank_ordering::{RankOrdering, Unretrieved};
pub use weights::{ExpertState, ExpertWeights, Tally, scaled_weights};

/// Agreements that differ by less are equal up to rounding. With weights of sum 1, sums over thousands of items are
/// right to about 1e-12.
const SAME: f64 = 1e-9;
