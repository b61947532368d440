//! The belief about the utilities.

use super::{AnswerModel, Observation, Paths, Site, UnderNoise};
use crate::Result;
use crate::data::{Functional, ItemId};
use crate::numeric::Matrix;
use crate::numeric::dense::{SemidefiniteFactor, transpose};

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

    /// The expected values of the asides: coordinates after the items that answers are about too. They are named as if they were the
    /// items after the last one, in [`Belief::covariance`] and where factors speak of them.
    fn asides(&self) -> &[f64] {
        &[]
    }

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

    /// A root of the joint covariance of some items, whose product with its transpose it is; one row per item.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    fn root(&self, items: &[ItemId]) -> Result<Matrix> {
        Ok(root_of(&self.covariance(items)?))
    }

    /// The variances of some items. Where [`Belief::variances`] would take long, this takes its share of it.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    fn variances_of(&self, items: &[ItemId]) -> Result<Vec<f64>> {
        Ok(items.iter().map(|item| self.variances()[item.index()]).collect())
    }

    /// The variance of every one of some items about the mean of all of them: `V_i - 2 c_i + mean c`, where `c_i` is the covariance of
    /// item i with the mean. The joint covariance of the items; no more than a sum of it where that is at hand.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    fn centred_variances(&self, items: &[ItemId]) -> Result<Vec<f64>> {
        let covariance = self.covariance(items)?;
        Ok(centred_variances_of(&covariance))
    }

    /// The way from draws of the prior to draws of this belief, if there is one. Draws of very many items take it.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    fn paths(&self) -> Result<Option<Paths>> {
        Ok(None)
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

    /// The variance of every factor's functional.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    fn factor_variances(&self) -> Result<Vec<f64>> {
        let functionals: Vec<Functional> = self.factors().iter().map(|factor| factor.observation.functional).collect();
        let items = Functional::items_of(&functionals);
        let covariance = self.covariance(&items.iter().map(|&item| ItemId::new(item)).collect::<Vec<_>>())?;
        let variance = |functional: Functional| functional.variance(|one, other| covariance[(one, other)]);
        Ok(Functional::in_terms_of(&items, &functionals).into_iter().map(variance).collect())
    }

    /// The same belief under every noise that the answers allow, with its probability. Joint draws come from these. Empty if
    /// the belief stands for itself.
    fn noises(&self) -> &[UnderNoise] {
        &[]
    }
}

/// The variances of items about their mean, from their joint covariance.
pub(super) fn centred_variances_of(covariance: &Matrix) -> Vec<f64> {
    let sums = (0..covariance.columns()).map(|column| covariance.column(column).iter().sum());
    about_the_mean(&covariance.diagonal(), sums)
}

/// The variances of items about their mean, from their own and the sums of their covariances with all of them.
pub(super) fn about_the_mean(variances: &[f64], sums: impl Iterator<Item = f64>) -> Vec<f64> {
    let count = variances.len().max(1) as f64;
    let with_mean: Vec<f64> = sums.map(|sum| sum / count).collect();
    let of_mean = with_mean.iter().sum::<f64>() / count;
    // Rounding may leave a hair below zero for a single item, or for twins.
    variances.iter().zip(with_mean).map(|(own, with)| (own - 2.0 * with + of_mean).max(0.0)).collect()
}

/// A root of a covariance, one row per item.
pub(super) fn root_of(covariance: &Matrix) -> Matrix {
    transpose(SemidefiniteFactor::new(covariance).transpose())
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

/// An observation, the Gaussian that stands for it in a belief, and how often it was made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    /// The observation.
    pub observation: Observation,
    /// Its site.
    pub site: Site,
    /// How many such observations there are, each with such a site.
    pub count: u32,
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
    let (i, j) = (first.index(), second.index());
    let covariance = belief.covariance(&[first, second])?;
    // Rounding may leave a hair below zero for twins.
    let variance = (covariance[(0, 0)] + covariance[(1, 1)] - 2.0 * covariance[(1, 0)]).max(0.0);
    let (probability, tie) = model.outcome_probabilities(belief.mean()[i] - belief.mean()[j], variance);
    Ok(Prediction { probability, tie })
}
