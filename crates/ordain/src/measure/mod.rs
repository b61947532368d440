//! How good a ranking is: measures of retrieval, distances between orders, and tests of whether a difference is real.
//!
//! A [`JudgedList`] holds the grades of a query's documents for a measure of retrieval. [`Measure`] names a measure,
//! and [`evaluate`] applies it to runs. [`kendall_tau_b`] and its kin compare two scorings of the same items,
//! [`top_kendall`] and [`top_footrule`] compare two lists, [`paired_t_test`] and the other tests compare two columns of
//! values. [`RatingCounts`], [`hoeffding_slack`] and [`CrossValidationBound`] bound the distance between the measured
//! and the expected error.

mod bounds;
mod correlation;
mod errors;
mod evaluate;
mod labels;
mod list;
mod mean;
mod name;
mod ranks;
pub mod retrieval;
mod share;
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
pub use labels::{LabelCounts, label_average_precision, label_coverage, label_ranking_loss, one_error};
pub use list::{JudgedList, Ties};
pub use mean::{Mean, mean};
pub use name::Measure;
pub use share::share_interval;
pub use significance::{
    MeanInterval, TestResult, bootstrap_mean_difference, bootstrap_ratio, holm, paired_t_test, randomisation_test,
    rank_sum_test, signed_rank_test,
};
pub use top_lists::{NEUTRAL, OPTIMISTIC, bucket_footrule, bucket_kendall, top_footrule, top_footrule_at, top_kendall};
