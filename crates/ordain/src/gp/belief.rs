//! The belief about the utilities.

use super::{AnswerModel, Observation, Site, UnderNoise};
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

    /// Access to single covariances, if they come without the rest of their column.
    fn covariances(&self) -> Option<&dyn Covariances> {
        None
    }

    /// The observations so far, each with its site: the belief is the prior times these sites. Empty if a belief is no
    /// such product, or does not keep its observations.
    fn factors(&self) -> &[Factor] {
        &[]
    }

    /// The same belief under every noise that the answers allow, with its probability. Joint draws come from these. Empty if
    /// the belief stands for itself.
    fn noises(&self) -> &[UnderNoise] {
        &[]
    }
}

/// Single covariances and bounds on them, for a search over pairs.
///
/// A covariance is a prior covariance minus a product of two vectors, one per item. The prior covariance is never below
/// [`Covariances::floor`]. The square of an item's vector is the amount that observations took from its variance. So
/// the covariance of items i and j is at least `floor - √(taken_i taken_j)`, even before it is computed.
pub trait Covariances: Send + Sync {
    /// The covariances of an item with others, written to `out`.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()>;

    /// Reads the covariances of an item with all items, and keeps them at hand.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    fn with_row(&self, item: usize, read: &mut dyn FnMut(&[f64])) -> Result<()>;

    /// Every item's variance before any observation.
    fn prior_variances(&self) -> &[f64];

    /// A lower bound on all prior covariances of two items; minus infinity where none is known.
    fn floor(&self) -> f64;

    /// Whether an entry costs only its share of a column.
    fn has_cheap_entries(&self) -> bool;

    /// The amounts that observations took from the covariances of an item with others, written to `out`. Used where
    /// entries are not cheap.
    fn taken(&self, item: usize, others: &[u32], out: &mut [f64]);

    /// All covariances, if they are in memory.
    fn all(&self) -> Option<AllCovariances<'_>> {
        None
    }
}

/// All covariances.
#[derive(Debug, Clone, Copy)]
pub struct AllCovariances<'a> {
    /// The covariances.
    pub matrix: &'a Matrix,
    /// For every item, an upper bound on the variance of its difference with any other item.
    pub largest: &'a [f64],
}

/// An observation, and the Gaussian that stands for it in a belief.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    /// The observation.
    pub observation: Observation,
    /// Its site.
    pub site: Site,
}

/// The predicted answer of a judge about two items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The probability that the first is preferred.
    pub probability: f64,
    /// The probability of a tie. The second item has the rest.
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
