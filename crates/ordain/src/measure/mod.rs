//! How good a ranking is: measures of retrieval, distances between orders, and tests of whether a difference is real.
//!
//! A [`JudgedList`] is what a measure of retrieval sees of a query; [`Measure`] names one, and [`evaluate`] applies it to
//! runs.

mod evaluate;
mod list;
mod name;
pub mod retrieval;

pub use evaluate::{Evaluation, EvaluationParams, RunEvaluation, Warning, evaluate};
pub use list::{JudgedList, Ties};
pub use name::Measure;
