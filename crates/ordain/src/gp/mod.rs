//! From answers to a belief: observations, expectation propagation, the incremental belief, the ranking, and the
//! parameters that fit the answers best.
//!
//! Utilities have the prior $\xi \sim N(0, K)$ with a covariance $K$ from [`crate::kernel`]. Every observation says
//! that a sparse linear functional of the utilities plus Gaussian noise fell into an interval. A [`Belief`] is the
//! Gaussian that approximates the posterior, given the observations.

mod belief;
mod collaborative;
mod compare;
mod cuts;
mod draws;
mod ep;
mod grading;
mod incremental;
mod judges;
mod noise;
mod observation;
mod paths;
mod ranking;
mod screens;
mod soft;
mod tiers;
mod tuning;

pub use crate::data::Functional;
pub use belief::{AllCovariances, Belief, Covariances, Factor, Prediction, predict};
pub use collaborative::{Collaborative, CollaborativeParams, CollaborativeParts, GradeModel, OpinionModel, Round};
pub use compare::{Comparison, ComparisonParams, Lack, Score, Setting};
pub use cuts::Cuts;
pub(crate) use draws::{BLOCK, Draws, LARGEST_GROUP, OF_A_BLOCK};
pub use ep::{Ep, EpParams, Site};
pub use grading::{GradePrediction, Grading, median_grade, mode_grade};
pub(crate) use incremental::Workload;
pub use incremental::{CovarianceForm, Incremental};
pub use judges::{Estimate, Exactness, JudgeSummary, Side, Verdict};
pub use noise::UnderNoise;
pub(crate) use noise::{OverNoises, last_due, without_caution};
pub use observation::{AnswerModel, Moments, NoiseLaw, Observation};
pub use paths::Paths;
pub(crate) use ranking::{DrawnOrder, rank_and};
pub use ranking::{RankedItem, RankingParams, by_falling_mean, rank};
pub use screens::Screen;
pub(crate) use screens::asides_of_all;
pub use soft::Reading;
pub use tuning::{Problem, Tuned, TunedParameter, TuningMethod, TuningParams};

use crate::{Error, Result};

/// Refuses a prior with covariances whose squares are not finite: strategies and EP multiply two of them.
fn check_prior(covariances: &[f64]) -> Result<()> {
    if covariances.iter().all(|one| (one * one).is_finite()) { Ok(()) } else { Err(prior_too_wide()) }
}

/// Refuses an evidence that is not finite: some answer is so improbable under the model that its logarithm overflows.
fn check_evidence(log_evidence: f64) -> Result<()> {
    if log_evidence.is_finite() {
        return Ok(());
    }
    Err(Error::Data {
        what: "the answers under this model",
        found: "some that are next to impossible".into(),
        expected: "a smaller tie_width, or more noise, under [answers]".into(),
    })
}

/// The error for a prior whose rounding is larger than the noise, so that the answers are lost in it.
fn prior_too_wide() -> Error {
    Error::Data {
        what: "the prior beside the noise",
        found: "utilities so wide that rounding hides the answers".into(),
        expected: "smaller weights of the kernels, or more noise under [answers]".into(),
    }
}
