//! What is believed of the utilities at a moment.

use super::{AnswerModel, Observation, Site};
use crate::Result;
use crate::data::ItemId;
use crate::numeric::Matrix;

/// A Gaussian over the utilities of all items.
pub trait Belief: Send + Sync {
    /// The number of items.
    fn len(&self) -> usize {
        self.mean().len()
    }

    /// Whether there is no item.
    fn is_empty(&self) -> bool {
        self.mean().is_empty()
    }

    /// Every item's expected utility.
    fn mean(&self) -> &[f64];

    /// Every item's variance.
    fn variances(&self) -> &[f64];

    /// The covariance of one item with all, written to `out` (length n).
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    fn column(&self, item: ItemId, out: &mut [f64]) -> Result<()>;

    /// The joint covariance of some items.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    fn covariance(&self, items: &[ItemId]) -> Result<Matrix> {
        let mut out = Matrix::zeros(items.len(), items.len());
        let mut whole = vec![0.0; self.len()];
        for (position, &item) in items.iter().enumerate() {
            self.column(item, &mut whole)?;
            for (entry, other) in out.column_mut(position).iter_mut().zip(items) {
                *entry = whole[other.index()];
            }
        }
        Ok(out)
    }

    /// The log probability of the observations so far under the prior, as this belief approximates it.
    fn log_evidence(&self) -> f64;

    /// What stands for the observations so far: the belief is the prior times the sites of these factors. None where a belief is
    /// no such product, or its observations are not kept.
    fn factors(&self) -> &[Factor] {
        &[]
    }
}

/// An observation, and the Gaussian that stands for it in a belief.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    /// What was observed.
    pub observation: Observation,
    /// What the belief made of it.
    pub site: Site,
}

/// What a judge would say of two items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The probability that the first is preferred.
    pub probability: f64,
    /// The probability of a tie; the rest is the second's.
    pub tie: f64,
}

/// Predicts an answer that has not been given (XPGP section 4.2).
///
/// # Errors
/// If the kernel cannot give a column.
pub fn predict(belief: &dyn Belief, model: &AnswerModel, first: ItemId, second: ItemId) -> Result<Prediction> {
    let mut column = vec![0.0; belief.len()];
    belief.column(first, &mut column)?;
    let (i, j) = (first.index(), second.index());
    // Rounding may leave a hair below zero for twins.
    let variance = (belief.variances()[i] + belief.variances()[j] - 2.0 * column[j]).max(0.0);
    let (probability, tie) = model.outcome_probabilities(belief.mean()[i] - belief.mean()[j], variance);
    Ok(Prediction { probability, tie })
}
