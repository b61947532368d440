//! Learners behind a file of their own: rankers from judged items, and what users who rate items share.
//!
//! [`RankSvmParams`] fits the ranking SVM, the papers' baseline. [`RankSvmGrid`] chooses its two parameters by
//! cross-validation. [`PairwiseRiskParams`] fits a linear scorer whose pairwise risk over queries can be bounded.
//! [`LambdaParams`] and [`LinearSvmParams`] learn from graded lists, behind the trait [`Ranker`]. [`labels`] ranks the
//! labels of examples. [`LinkLearnParams`] learns what words weigh from links between documents, [`DiagonalMetricParams`] a distance
//! from relative comparisons. [`RatersParams`] learns what many users share, by the Gaussian processes of [`crate::gp`].

mod adam;
mod any_model;
mod cross_validation;
mod diagonal_metric;
mod graded_lists;
mod gradient;
pub mod labels;
mod lambda;
mod linear_svm;
mod linklearn;
mod network;
mod pairwise_risk;
mod rank_svm;
mod ranker;
mod raters;

pub use any_model::AnyModel;
pub use cross_validation::{GridPoint, RankSvmGrid, RankSvmProblem};
pub use diagonal_metric::{Closer, DiagonalMetric, DiagonalMetricParams};
pub use graded_lists::{GradedLists, Scaling};
pub use gradient::LambdaParams;
pub use lambda::{
    Failure, Forces, Lambda, LambdaCheck, MarginLambda, PairLambda, Regularised, Scored, Swap, check_lambda,
    cross_entropy, gradients, loop_integral,
};
pub use linear_svm::LinearSvmParams;
pub use linklearn::{LinkLearnParams, LinkLearned, LinkLoss, LinkQueries, LinkedTexts};
pub use pairwise_risk::{CrossValidated, Fold, LabelledQuery, PairwiseRisk, PairwiseRiskParams};
pub use rank_svm::{RankSvm, RankSvmParams};
pub use ranker::{Epoch, Ranker, RankingModel};
pub use raters::{GradesAs, Likeness, Personal, RatersModel, RatersParams};
