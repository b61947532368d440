//! From answers to a belief: observations, expectation propagation, the incremental belief, the ranking, and the
//! parameters that fit the answers best.
//!
//! Utilities have the prior $\xi \sim N(0, K)$ with a covariance $K$ from [`crate::kernel`]. Every observation says
//! that a sparse linear functional of the utilities plus Gaussian noise fell into an interval. A [`Belief`] is the
//! Gaussian that approximates the posterior, given the observations.

mod belief;
mod compare;
mod draws;
mod ep;
mod incremental;
mod observation;
mod ranking;
mod tuning;

pub use belief::{AllCovariances, Belief, Covariances, Factor, Prediction, predict};
pub use compare::{Comparison, ComparisonParams, Lack, Score, Setting};
pub(crate) use draws::{Draws, check_size};
pub use ep::{Ep, EpParams, Site};
pub(crate) use incremental::Workload;
pub use incremental::{CovarianceForm, Incremental};
pub use observation::{AnswerModel, Functional, Moments, Observation};
pub(crate) use ranking::rank_and;
pub use ranking::{RankedItem, RankingParams, by_falling_mean, rank};
pub use tuning::{Problem, Tuned, TunedParameter, TuningMethod, TuningParams};

use crate::{Error, Result};

/// Refuses a prior with variances that are not finite.
fn check_prior(variances: &[f64]) -> Result<()> {
    if variances.iter().all(|variance| variance.is_finite()) { Ok(()) } else { Err(prior_too_wide()) }
}

/// The error for a prior whose rounding is larger than the noise, so that the answers are lost in it.
fn prior_too_wide() -> Error {
    Error::Data {
        what: "the prior beside the noise",
        found: "utilities so wide that rounding hides the answers".into(),
        expected: "smaller weights of the kernels, or more noise under [answers]".into(),
    }
}
