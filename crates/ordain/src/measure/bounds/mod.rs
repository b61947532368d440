//! Bounds on the distance between the measured and the expected error. They hold with a stated probability, whatever
//! the distribution.
//!
//! There are two settings, from two papers. In the *k-partite* setting, single documents with ratings are drawn
//! independently. [`RatingCounts`] bounds the error over all pairs of them, for finite and for linear classes of
//! functions. In the other setting, whole *queries* are drawn independently. [`hoeffding_slack`] bounds the mean
//! [`pairwise_risk`] of functions that were fixed before. [`CrossValidationBound`] bounds that of a function learned
//! from these very queries, by means of queries without labels, on which [`ranking_gap`] measures the distance between
//! two rankings.
//!
//! `delta` is always the probability that a bound may fail; 0.05 means a confidence of 95 %. A bound above 1 is
//! returned as it is; it says nothing.
//!
//! # References
//!
//! KP: S. Rajaram and S. Agarwal, *Generalization bounds for k-partite ranking*; UD: N. Usunier, V. Truong, M. R. Amini and P.
//! Gallinari, *Ranking with unlabeled data: a first study*; both NIPS workshop on learning to rank (2005). W. Hoeffding,
//! *Probability inequalities for sums of bounded random variables*, JASA 58 (1963).

mod cross_validation;
mod k_partite;

pub use cross_validation::{CrossValidationBound, FoldRisk, hoeffding_slack, pairwise_risk, ranking_gap};
pub use k_partite::{RankingClass, RatingCounts};

use crate::{Error, Result};

/// `ln (1 / delta)`, not negative.
fn ln_inverse(delta: f64) -> Result<f64> {
    if delta > 0.0 && delta <= 1.0 {
        return Ok(-delta.ln());
    }
    Err(Error::Parameter { name: "delta".into(), value: delta, expected: "above 0 and at most 1" })
}
