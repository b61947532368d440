//! How good a ranking is: measures of retrieval, distances between orders, and tests of whether a difference is real.
//!
//! A [`JudgedList`] is what a measure of retrieval sees of a query; [`Measure`] names one, and [`evaluate`] applies it to
//! runs. Two scorings of the same items are compared by [`kendall_tau_b`] and its kin, two lists by [`top_kendall`] and
//! [`top_footrule`], two columns of values by [`paired_t_test`] and the other tests. How far what was measured can be from what is
//! to be expected is bounded by [`RatingCounts`], [`hoeffding_slack`] and [`CrossValidationBound`].

mod bounds;
mod correlation;
mod errors;
mod evaluate;
mod list;
mod mean;
mod name;
mod ranks;
pub mod retrieval;
mod significance;
mod top_lists;

pub use bounds::{
    CrossValidationBound, FoldRisk, RankingClass, RatingCounts, hoeffding_slack, pairwise_risk, ranking_gap,
};
pub use correlation::{
    auc, footrule, k_partite_error, kendall_tau_a, kendall_tau_b, normalised_footrule, pair_error, spearman_rho,
    wrong_pairs,
};
pub use errors::{Bins, expected_calibration_error, mean_absolute_error, zero_one_error};
pub use evaluate::{Evaluation, EvaluationParams, RunEvaluation, Warning, evaluate};
pub use list::{JudgedList, Ties};
pub use mean::{Mean, mean};
pub use name::Measure;
pub use significance::{
    MeanInterval, TestResult, bootstrap_mean_difference, bootstrap_ratio, holm, paired_t_test, randomisation_test,
    rank_sum_test, signed_rank_test,
};
pub use top_lists::{NEUTRAL, OPTIMISTIC, bucket_footrule, bucket_kendall, top_footrule, top_footrule_at, top_kendall};
