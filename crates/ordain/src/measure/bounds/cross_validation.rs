//! Bounds on the mean pairwise risk over queries (UD).
//!
//! Let a query have p relevant documents and q others. The risk $\Delta(y, f)$ of a ranking is the share of the p q
//! pairs that it puts in the wrong order. With ranks $r_i$ from 0, the best first,
//!
//! $$\Delta(y, f) = \frac{1}{pq} \Bigl( \sum_{i : y_i = 1} r_i - \tfrac12 p (p - 1) \Bigr),$$
//!
//! so for two rankings of the same documents, whatever the labels,
//!
//! $$\Delta(y, f) - \Delta(y, f') = \frac{1}{pq} \sum_{i : y_i = 1} (r_i - r'_i) \le d(f, f') =
//! \max_{p + q = n,\; p, q \ge 1} \frac{1}{pq} \sum_{k \le p} \delta_k,$$
//!
//! where $\delta$ are the differences of ranks by falling size. The labelling with those p documents attains it.
//!
//! **Ties.** UD breaks them arbitrarily. Here equal scores share the average of their ranks and a tied pair is half
//! wrong, so the order of the documents does not matter. Both lines above stay true: with ties too, the average ranks
//! of the relevant documents among themselves add up to p (p - 1) / 2 (Mann and Whitney).
//!
//! **Queries without a pair**, whose documents all have the same label, have no risk. Where labels are known they can
//! be left out, and the bound is then about queries with a pair. Unlabelled queries cannot be sorted in this way. If
//! queries without a pair count as risk 0 for any ranking, everything holds for all queries, since d is not negative.

use super::super::correlation::pair_error;
use super::super::ranks::{Ranks, check_at_least, check_lengths, check_ordered};
use super::ln_inverse;
use crate::{Error, Result};

/// The share of pairs of a relevant and another document that scores put in the wrong order, with ties as one half:
/// UD's $\Delta$, which is 1 minus the area under the ROC curve. None if the query has no such pair. O(n log n).
///
/// ```
/// use ordain::measure::pairwise_risk;
/// assert_eq!(pairwise_risk(&[3.0, 2.0, 1.0], &[false, true, false])?, Some(0.5));
/// assert_eq!(pairwise_risk(&[3.0, 2.0], &[true, true])?, None);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
/// NaN, or different lengths.
pub fn pairwise_risk(scores: &[f64], relevant: &[bool]) -> Result<Option<f64>> {
    check_lengths("scores and labels", scores.len(), relevant.len())?;
    check_ordered("scores", scores)?;
    if relevant.iter().all(|is| *is) || !relevant.contains(&true) {
        return Ok(None);
    }
    let truth: Vec<f64> = relevant.iter().map(|&is| f64::from(u8::from(is))).collect();
    pair_error(scores, &truth).map(Some)
}

/// The largest excess of the risk of the first scoring over that of the second, over all labellings of the documents:
/// UD's $d(f, f')$, between 0 and 1. Swapping relevant and other documents turns a risk into 1 minus the risk, so it is
/// symmetric. It is 0 for equal orders only and satisfies the triangle inequality: a metric. O(n log n).
///
/// ```
/// use ordain::measure::ranking_gap;
/// assert_eq!(ranking_gap(&[3.0, 2.0, 1.0], &[6.0, 4.0, 2.0])?, 0.0);
/// assert_eq!(ranking_gap(&[3.0, 2.0, 1.0], &[1.0, 2.0, 3.0])?, 1.0);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
/// NaN, or different lengths.
pub fn ranking_gap(first: &[f64], second: &[f64]) -> Result<f64> {
    check_lengths("scores of two rankings", first.len(), second.len())?;
    check_ordered("first scores", first)?;
    check_ordered("second scores", second)?;
    // Ranks count from the lowest score, so a document that the first scoring places lower has the larger rank in the
    // second.
    let ranks = Ranks::new(first).doubled.into_iter().zip(Ranks::new(second).doubled);
    let mut worse: Vec<i64> = ranks.map(|(first, second)| second as i64 - first as i64).collect();
    worse.sort_unstable_by(|a, b| b.cmp(a));
    let (mut doubled, mut gap) = (0, 0.0_f64);
    for (relevant, worse) in (1..first.len()).zip(worse) {
        doubled += worse;
        gap = gap.max(doubled as f64 / (2.0 * relevant as f64 * (first.len() - relevant) as f64));
    }
    Ok(gap)
}

/// The slack of a mean: with probability `1 - delta`, no mean of this many independent numbers between 0 and 1 is below
/// its expectation by more than this, for all of `functions` functions at once that were fixed before. It is
/// $\sqrt{(\ln |F| + \ln(1/\delta)) / 2 n}$ (Hoeffding, McDiarmid, and the union over the functions).
///
/// ```
/// use ordain::measure::hoeffding_slack;
/// assert!((hoeffding_slack(50, 1, 0.05)? - (20.0_f64.ln() / 100.0).sqrt()).abs() < 1e-15);
/// assert!((hoeffding_slack(50, 5, 0.05)? - (100.0_f64.ln() / 100.0).sqrt()).abs() < 1e-15);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
/// If there is no number or function, or `delta` is not above 0 and at most 1.
pub fn hoeffding_slack(samples: usize, functions: usize, delta: f64) -> Result<f64> {
    check_at_least("queries", samples, 1)?;
    check_at_least("functions", functions, 1)?;
    Ok((((functions as f64).ln() + ln_inverse(delta)?) / (2.0 * samples as f64)).sqrt())
}

/// The risk on a fold of the function learned without it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldRisk {
    /// The number of queries of the fold.
    pub queries: usize,
    /// Their mean risk.
    pub risk: f64,
    /// The slack of the expected risk above it.
    pub slack: f64,
}

/// UD's bound on the expected risk of a learned function (equation 2), in its parts.
///
/// The training queries are cut into K folds. For each fold a function $f_k$ is learned from the others and tested on
/// the fold, which it has not seen. Unlabelled queries bound the distance between the rankings of $f$, learned from all
/// queries, and those of the $f_k$:
///
/// $$\epsilon(f) \le \frac1K \sum_k \Bigl( \hat\epsilon_k + \sqrt{\tfrac{\ln(2K/\delta)}{2 n_k}} \Bigr) + \hat D +
/// \sqrt{\tfrac{\ln(2/\delta)}{2 m}}.$$
///
/// UD draws one fold by lot for each unlabelled query. Here $\hat D$ is the mean over queries of the *mean of $d(f,
/// f_k)$ over all folds*. The expectation is the same, and the terms are still independent and between 0 and 1, so the
/// slack holds. The variance is smaller, and nothing is left to chance.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidationBound {
    /// The folds.
    pub folds: Vec<FoldRisk>,
    /// The number of unlabelled queries.
    pub unlabelled: usize,
    /// The estimate of D: the average distance between the rankings of the function and those of the folds' functions.
    pub gap: f64,
    /// The slack of D above it.
    pub gap_slack: f64,
}

impl CrossValidationBound {
    /// Makes the bound from the risks of the queries of every fold by that fold's function and, for every unlabelled
    /// query, the mean of [`ranking_gap`] between the function and those of the folds.
    ///
    /// ```
    /// use ordain::measure::CrossValidationBound;
    /// let bound = CrossValidationBound::new(&[vec![0.2; 500], vec![0.4; 500]], &[0.1; 10_000], 0.05)?;
    /// assert!((bound.risk() - 0.3).abs() < 1e-12 && (bound.gap - 0.1).abs() < 1e-12);
    /// assert!((bound.risk_slack() - (80.0_f64.ln() / 1000.0).sqrt()).abs() < 1e-12);
    /// assert!((bound.gap_slack - (40.0_f64.ln() / 20_000.0).sqrt()).abs() < 1e-12);
    /// assert!(bound.bound() < 0.481);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer than two folds, a fold or the unlabelled queries are empty, a number is not between 0 and 1, or `delta`
    /// is not above 0 and at most 1.
    pub fn new(folds: &[Vec<f64>], gaps: &[f64], delta: f64) -> Result<Self> {
        check_at_least("folds", folds.len(), 2)?;
        check_shares("unlabelled queries", gaps)?;
        ln_inverse(delta)?;
        let fold = |risks: &Vec<f64>| {
            check_shares("queries of a fold", risks)?;
            // Half of delta serves all folds together.
            let slack = hoeffding_slack(risks.len(), 2 * folds.len(), delta)?;
            Ok(FoldRisk { queries: risks.len(), risk: mean(risks.iter().copied()), slack })
        };
        Ok(Self {
            folds: folds.iter().map(fold).collect::<Result<_>>()?,
            unlabelled: gaps.len(),
            gap: mean(gaps.iter().copied()),
            gap_slack: hoeffding_slack(gaps.len(), 2, delta)?,
        })
    }

    /// The mean of the folds' risks.
    pub fn risk(&self) -> f64 {
        mean(self.folds.iter().map(|fold| fold.risk))
    }

    /// The mean of the folds' slacks.
    pub fn risk_slack(&self) -> f64 {
        mean(self.folds.iter().map(|fold| fold.slack))
    }

    /// The bound: the expected risk exceeds it with probability at most `delta`. It is the sum of the four parts.
    pub fn bound(&self) -> f64 {
        self.risk() + self.risk_slack() + self.gap + self.gap_slack
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

fn check_shares(what: &'static str, values: &[f64]) -> Result<()> {
    check_at_least(what, values.len(), 1)?;
    match values.iter().find(|value| !(0.0..=1.0).contains(*value)) {
        Some(value) => Err(Error::Data { what, found: value.to_string(), expected: "numbers from 0 to 1".into() }),
        None => Ok(()),
    }
}
