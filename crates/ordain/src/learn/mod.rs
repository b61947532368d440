//! Rankers that learn from judged items without a belief over utilities.
//!
//! [`RankSvmParams`] fits the ranking SVM, the papers' baseline; [`RankSvmGrid`] chooses its two numbers by
//! cross-validation.

mod cross_validation;
mod rank_svm;

pub use cross_validation::{GridPoint, RankSvmGrid, RankSvmProblem};
pub use rank_svm::{RankSvm, RankSvmParams};
