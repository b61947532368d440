//! Rankers that learn from judged items without a belief over utilities.
//!
//! [`RankSvmParams`] fits the ranking SVM, the papers' baseline. [`RankSvmGrid`] chooses its two parameters by
//! cross-validation. [`PairwiseRiskParams`] fits a linear scorer whose pairwise risk over queries can be bounded.

mod cross_validation;
mod pairwise_risk;
mod rank_svm;

pub use cross_validation::{GridPoint, RankSvmGrid, RankSvmProblem};
pub use pairwise_risk::{CrossValidated, Fold, LabelledQuery, PairwiseRisk, PairwiseRiskParams};
pub use rank_svm::{RankSvm, RankSvmParams};
