//! From answers to a belief: observations, expectation propagation, the incremental belief, and the ranking they give.
//!
//! Utilities have the prior $\xi \sim N(0, K)$ with a covariance $K$ from [`crate::kernel`]. Every observation says that
//! a sparse linear functional of the utilities plus Gaussian noise fell into an interval; a [`Belief`] is the Gaussian
//! that approximates what the observations leave of the prior.

mod belief;
mod ep;
mod incremental;
mod observation;
mod ranking;

pub use belief::{Belief, Prediction, predict};
pub use ep::{Ep, EpParams, Site};
pub use incremental::Incremental;
pub use observation::{AnswerModel, Functional, Moments, Observation};
pub use ranking::{RankedItem, RankingParams, rank};
