//! Ranking labels with a zero point: calibrated label ranking (CLR), its online algorithm, and rivals.
//!
//! An example has attributes and labels. What is known of its labels ([`Target`]) may be a class, a set, an order, an order of the relevant
//! ones, or single constraints. A [`LabelRanker`] learns utilities: labels are ranked by them, and those above 0 are relevant. So one model
//! answers which labels apply and in which order.
//!
//! | learner | what it is |
//! |---|---|
//! | [`OnlineParams`] | CLR algorithm 1: a perceptron over the constraints; linear, with random Fourier features, or with a kernel |
//! | [`LogisticParams`] | CLR section 2: all constraints as one problem for a linear learner, here logistic regression |
//! | [`PairwiseParams`] | a logistic regression per pair of labels and per label beside the zero point, which vote |
//! | [`NeighboursParams`] | the best order of what is known of the nearest examples |
//! | [`ForestParams`] | randomised trees over all labels at once |
//!
//! ```
//! use ordain::Watch;
//! use ordain::data::Attributes;
//! use ordain::learn::labels::{LabelRanker, LabelledExamples, OnlineParams, Target};
//!
//! let attributes = Attributes::new(vec!["x".into()], 4, vec![-2.0, -1.0, 1.0, 2.0])?;
//! let labels = vec!["low".into(), "high".into()];
//! let targets = [vec![0], vec![0], vec![1], vec![1]].map(Target::Set).to_vec();
//! let examples = LabelledExamples::new(attributes, labels, targets)?;
//! let model = OnlineParams::default().fit(&examples, &Watch::NONE)?;
//! let found = model.predict(&Attributes::new(vec!["x".into()], 1, vec![3.0])?)?;
//! assert_eq!(found[0].order(), [1, 0]);
//! assert_eq!(found[0].relevant(), Some(1));
//! # Ok::<(), ordain::Error>(())
//! ```

mod evaluation;
mod examples;
mod expansion;
mod forest;
mod logistic;
mod loss;
mod model;
mod neighbours;
mod online;
mod pairwise;
mod prepared;
mod target;

pub use evaluation::LabelEvaluation;
pub use examples::{LabelKind, LabelledExamples};
pub use expansion::{BinaryExample, expand};
pub use forest::ForestParams;
pub use logistic::LogisticParams;
pub use loss::LabelLoss;
pub use model::{LabelModel, LabelPrediction};
pub use neighbours::NeighboursParams;
pub use online::{Features, OnlineParams, OnlineRanker};
pub use pairwise::PairwiseParams;
pub use target::{Encoding, LabelPreferences, Target};

use crate::{Result, Watch};

/// A learner of label rankings.
pub trait LabelRanker: Send + Sync {
    /// Learns a model. Same bits for any number of threads.
    ///
    /// # Errors
    /// If there is no example, a label occurs in none, a parameter is out of its range, or the watch stops it.
    fn fit(&self, examples: &LabelledExamples, watch: &Watch) -> Result<LabelModel>;
}

/// The loss by which to compare predictions of such a target.
fn usual_loss(target: &Target) -> LabelLoss {
    match target {
        Target::Set(_) => LabelLoss::Hamming,
        Target::Class(_) => LabelLoss::ZeroOne,
        Target::First(_) | Target::Order(_) | Target::Top(_) | Target::Partial(_) => LabelLoss::Kendall,
    }
}

/// The candidate whose model ranks examples that are kept aside best, of equals the first. Every fifth example is kept aside. If the others do
/// not teach every label, or there is one candidate only, it is the first.
fn choose<T: Copy>(
    candidates: &[T],
    examples: &LabelledExamples,
    fit: impl Fn(T, &LabelledExamples) -> Result<LabelModel>,
) -> Result<T> {
    const FIFTH: usize = 5;
    let (aside, rest): (Vec<usize>, Vec<usize>) = (0..examples.len()).partition(|at| at % FIFTH == FIFTH - 1);
    let (aside, rest) = (examples.some(&aside)?, examples.some(&rest)?);
    let mut best = (candidates[0], f64::INFINITY);
    if candidates.len() == 1 || aside.is_empty() || !rest.untaught().is_empty() {
        return Ok(best.0);
    }
    for &candidate in candidates {
        let mut total = 0.0;
        for (found, target) in fit(candidate, &rest)?.predict(aside.attributes())?.iter().zip(aside.targets()) {
            total += usual_loss(target).of(&found.utilities, target)?;
        }
        if total < best.1 {
            best = (candidate, total);
        }
    }
    Ok(best.0)
}

/// The penalties of logistic regressions, from the one to take if none can be chosen.
fn usual_penalties() -> Vec<f64> {
    vec![1e-2, 1e-3, 1e-4, 1e-1]
}

/// The labels by falling utility; equal ones by number.
fn argsort(utilities: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..utilities.len()).collect();
    // Adding 0 makes one zero of both, which are equal.
    order.sort_by(|&one, &other| (utilities[other] + 0.0).total_cmp(&(utilities[one] + 0.0)));
    order
}

/// The place of every label, from 0.
fn places(utilities: &[f64]) -> Vec<usize> {
    let mut places = vec![0; utilities.len()];
    argsort(utilities).into_iter().enumerate().for_each(|(place, label)| places[label] = place);
    places
}
