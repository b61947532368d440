//! How far the error that was measured can be from the error that is to be expected: bounds that hold with a stated
//! probability, whatever the distribution.
//!
//! Two settings, two papers. In the *k-partite* one single documents with ratings are drawn independently, and
//! [`RatingCounts`] bounds the error over all pairs of them for finite and for linear classes of functions. In the other
//! whole *queries* are drawn independently: [`hoeffding_slack`] bounds the mean [`pairwise_risk`] of functions that were
//! fixed before, and [`CrossValidationBound`] that of a function learned from these very queries, with the help of queries
//! without labels, on which [`ranking_gap`] says how far two rankings can be apart.
//!
//! Everywhere `delta` is the probability that a bound may fail; 0.05 is a confidence of 95 %. A bound above 1 is returned as it
//! is: it says nothing.
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
