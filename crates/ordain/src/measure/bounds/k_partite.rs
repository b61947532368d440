//! Bounds on the k-partite ranking error (KP).
//!
//! Of M documents drawn independently, let $n_l$ have rating $l$. With the skew $\rho_l = n_l / M$, $\gamma = \sum_{l <
//! m} \rho_l \rho_m$ and
//!
//! $$C_{l,\alpha} = \frac1\gamma \sum_{m \ne l} |m - l|^\alpha \rho_m, \qquad
//! V_\alpha = \sum_l \rho_l C_{l,\alpha}^2,$$
//!
//! one document of rating $l$ moves the empirical error by at most $C_{l,\alpha} / M$. So McDiarmid's inequality bounds
//! its distance from the expected error (definition 2), taken *at the skew of the sample*, for all functions of a class
//! at once:
//!
//! $$\sqrt{\frac{\ln |F| + \ln(2/\delta)}{2 M} V_\alpha}, \qquad
//! \sqrt{\frac{8 (\ln r + \ln(4/\delta))}{M} V_\alpha}$$
//!
//! for a finite class (theorem 1) and for a class with the rank-shatter coefficient $r$ at twice the counts (theorem
//! 2). Everything is kept in logarithms, since $r$ has thousands of digits.

use std::collections::BTreeMap;
use std::f64::consts::{E, LN_2};

use super::super::ranks::unusable;
use super::ln_inverse;
use crate::{Error, Result};

/// The number of documents per rating (KP definition 3, times M). At least two ratings occur.
///
/// ```
/// use ordain::measure::RatingCounts;
/// let counts = RatingCounts::of(&[0, 2, 0, 1])?;
/// assert_eq!(counts.levels(), [(0, 2), (1, 1), (2, 1)]);
/// assert_eq!((counts.total(), counts.gamma()), (4, 0.3125));
/// assert_eq!(counts.skew(), [0.5, 0.25, 0.25]);
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatingCounts {
    /// The ratings that occur, ascending, each with its count.
    levels: Vec<(u32, u64)>,
    total: u64,
}

/// A class of functions from which one was chosen after seeing the sample, with a bound on the number of orders that
/// they can make.
///
/// ```
/// use ordain::measure::{RankingClass, RatingCounts};
/// let counts = RatingCounts::new([(0, 10), (1, 5)])?;
/// assert_eq!(RankingClass::Finite { ln_functions: 25.0_f64.ln() }.ln_shatter(&counts), 25.0_f64.ln());
/// assert!((RankingClass::Any.ln_shatter(&counts) - 50.0 * 3.0_f64.ln()).abs() < 1e-12);
/// let linear = RankingClass::Linear { attributes: 2 }.ln_shatter(&counts);
/// assert!((linear - 2.0 * (1.0 + 50.0_f64.ln())).abs() < 1e-12);
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RankingClass {
    /// Functions fixed before the sample was seen, by the logarithm of their number.
    Finite {
        /// The natural logarithm of their number.
        ln_functions: f64,
    },
    /// Linear functions of this many attributes, with each pair of ratings by itself: $\prod_{l<m} (2 e n_l n_m / d)^d$
    /// (theorem 3).
    Linear {
        /// The number of attributes.
        attributes: usize,
    },
    /// Linear functions of this many attributes, with all pairs of ratings together: $(2 e C / d)^d$ with $C =
    /// \sum_{l<m} n_l n_m$, or theorem 3 if that is less. For two ratings it is theorem 3; for k ratings it saves a
    /// factor of up to k (k - 1) / 2 in the logarithm.
    ///
    /// It holds because theorem 3 does not depend on the origin of the differences of documents. A linear function
    /// decides C differences $v$ by the sign, -, 0 or +, of $w'v$. Choose one $w$ for each pattern, and let $\epsilon$
    /// be below every $|w'v|$ that is not 0. Then these $w$ lie in different cells of the 2 C hyperplanes $w'v =
    /// \pm\epsilon$ of $R^d$. There are at most $\sum_{i \le d} \binom{2C}{i} \le (2 e C / d)^d$ cells where $2 C \ge
    /// d$.
    LinearPooled {
        /// The number of attributes.
        attributes: usize,
    },
    /// Any functions at all: $3^C$.
    Any,
}

impl RankingClass {
    /// An upper bound on the logarithm of the rank-shatter coefficient $r(F, n_1, .., n_k)$ (definition 6).
    pub fn ln_shatter(&self, counts: &RatingCounts) -> f64 {
        let differences = |lower: u64, higher: u64| lower as f64 * higher as f64;
        let all: f64 = counts.pairs().map(|((_, lower), (_, higher))| differences(lower, higher)).sum();
        match *self {
            Self::Finite { ln_functions } => ln_functions,
            Self::Linear { attributes } => counts
                .pairs()
                .map(|((_, lower), (_, higher))| ln_patterns(differences(lower, higher), attributes))
                .sum(),
            Self::LinearPooled { attributes } => {
                ln_patterns(all, attributes).min(Self::Linear { attributes }.ln_shatter(counts))
            }
            Self::Any => all * 3.0_f64.ln(),
        }
    }
}

/// An upper bound on the logarithm of the number of sign patterns that linear functions of `attributes` numbers can
/// give this many differences. Each difference has one of three signs; $(2 e N / d)^d$ holds where $2 N \ge d$, and is
/// smaller once there are many.
fn ln_patterns(differences: f64, attributes: usize) -> f64 {
    let (free, d) = (differences * 3.0_f64.ln(), attributes as f64);
    if attributes == 0 {
        // Every score is 0.
        0.0
    } else if 2.0 * differences < d {
        free
    } else {
        free.min(d * (2.0 * E * differences / d).ln())
    }
}

impl RatingCounts {
    /// Makes counts from ratings and their numbers. A rating may occur several times, or with 0.
    ///
    /// # Errors
    /// If fewer than two ratings occur, or the counts overflow.
    pub fn new(levels: impl IntoIterator<Item = (u32, u64)>) -> Result<Self> {
        let (mut counts, mut total) = (BTreeMap::new(), 0_u64);
        for (rating, count) in levels.into_iter().filter(|&(_, count)| count > 0) {
            let overflow = || unusable("ratings", "counts that overflow", "fewer than 2^64 documents");
            total = total.checked_add(count).ok_or_else(overflow)?;
            *counts.entry(rating).or_insert(0) += count;
        }
        if counts.len() < 2 {
            let found = counts.first_key_value().map_or("none".into(), |(rating, _)| format!("only {rating}"));
            return Err(unusable("ratings", found, "two that occur"));
        }
        Ok(Self { levels: counts.into_iter().collect(), total })
    }

    /// Counts the ratings of a sample of documents.
    ///
    /// # Errors
    /// If fewer than two ratings occur.
    pub fn of(ratings: &[u32]) -> Result<Self> {
        Self::new(ratings.iter().map(|&rating| (rating, 1)))
    }

    /// The ratings that occur, ascending, with their counts. Ratings that do not occur have no weight in any bound.
    pub fn levels(&self) -> &[(u32, u64)] {
        &self.levels
    }

    /// The number of documents, M.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The share of every rating that occurs, $\rho_l$, in the order of [`RatingCounts::levels`].
    pub fn skew(&self) -> Vec<f64> {
        self.levels.iter().map(|&(_, count)| count as f64 / self.total as f64).collect()
    }

    /// Half the probability that two documents drawn from the sample differ in rating: $\gamma$.
    pub fn gamma(&self) -> f64 {
        self.weighted(|_, _| 1.0)
    }

    /// Twice as many documents per rating, for the rank-shatter coefficient of theorem 2.
    ///
    /// ```
    /// # use ordain::measure::RatingCounts;
    /// assert_eq!(RatingCounts::of(&[0, 1, 1])?.doubled().levels(), [(0, 2), (1, 4)]);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    #[must_use]
    pub fn doubled(&self) -> Self {
        let twice = |count: u64| count.saturating_mul(2);
        Self { levels: self.levels.iter().map(|&(rating, n)| (rating, twice(n))).collect(), total: twice(self.total) }
    }

    /// The largest effect of a document of each rating on the error, times M: $C_{l,\alpha}$, in the order of
    /// [`RatingCounts::levels`]. O(k²) for k ratings, like the functions below.
    ///
    /// ```
    /// # use ordain::measure::RatingCounts;
    /// let counts = RatingCounts::of(&[0, 2, 0, 1])?;
    /// // (1 · 1/4 + 2 · 1/4) / γ, (1 · 1/2 + 1 · 1/4) / γ, (2 · 1/2 + 1 · 1/4) / γ, where γ is 5/16.
    /// assert_eq!(counts.sensitivities(1.0)?, [2.4, 2.4, 4.0]);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `alpha` is negative, not a number, or so large that a weight overflows.
    pub fn sensitivities(&self, alpha: f64) -> Result<Vec<f64>> {
        check_alpha(alpha)?;
        let (skew, gamma) = (self.skew(), self.gamma());
        let of = |&(rating, _): &(u32, u64)| {
            let others = self.levels.iter().zip(&skew).filter(|((other, _), _)| *other != rating);
            others.map(|((other, _), share)| apart(rating, *other, alpha) * share).sum::<f64>() / gamma
        };
        finite(self.levels.iter().map(of).collect(), alpha)
    }

    /// The expected k-partite error at this skew (definition 2). `misplaced` gives, for two ratings with the lower one
    /// first, the probability that a document of the lower rating is placed above one of the higher. Ties count one
    /// half.
    ///
    /// ```
    /// # use ordain::measure::RatingCounts;
    /// // A sample of two ratings: the error is the only number there is, whatever the skew.
    /// assert_eq!(RatingCounts::of(&[0, 1, 1])?.expected_error(1.0, |_, _| 0.25)?, 0.25);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`RatingCounts::sensitivities`].
    pub fn expected_error(&self, alpha: f64, mut misplaced: impl FnMut(u32, u32) -> f64) -> Result<f64> {
        check_alpha(alpha)?;
        let error = self.weighted(|lower, higher| apart(lower, higher, alpha) * misplaced(lower, higher));
        Ok(finite(vec![error / self.gamma()], alpha)?[0])
    }

    /// Theorem 1: with probability `1 - delta`, the empirical error of every function of a class that was fixed before
    /// the sample was drawn is within this of its expected error at the skew of the sample.
    ///
    /// ```
    /// # use ordain::measure::RatingCounts;
    /// let counts = RatingCounts::new([(0, 50), (1, 50)])?;
    /// // Of two equal halves every C is 2 and so their mean square 4.
    /// let slack = counts.finite_class_slack(0.0, 25.0_f64.ln(), 0.05)?;
    /// assert!((slack - (1000.0_f64.ln() / 200.0 * 4.0).sqrt()).abs() < 1e-15);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `ln_functions` is negative or not finite, or `delta` is not above 0 and at most 1; also like
    /// [`RatingCounts::sensitivities`].
    pub fn finite_class_slack(&self, alpha: f64, ln_functions: f64, delta: f64) -> Result<f64> {
        self.slack(alpha, 0.5, check_ln("ln_functions", ln_functions)? + LN_2 + ln_inverse(delta)?)
    }

    /// Theorem 2: the same for any class, given the logarithm of its rank-shatter coefficient at
    /// [`RatingCounts::doubled`] counts, or an upper bound on it.
    ///
    /// ```
    /// # use ordain::measure::{RankingClass, RatingCounts};
    /// let counts = RatingCounts::new([(0, 500_000), (1, 500_000)])?;
    /// let ln_shatter = RankingClass::Linear { attributes: 25 }.ln_shatter(&counts.doubled());
    /// let slack = counts.shattered_slack(0.0, ln_shatter, 0.05)?;
    /// assert!((0.14..0.15).contains(&slack));
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`RatingCounts::finite_class_slack`].
    pub fn shattered_slack(&self, alpha: f64, ln_shatter: f64, delta: f64) -> Result<f64> {
        self.slack(alpha, 8.0, check_ln("ln_shatter", ln_shatter)? + 2.0 * LN_2 + ln_inverse(delta)?)
    }

    /// The root of `factor * ln / M` times the mean square of the sensitivities.
    fn slack(&self, alpha: f64, factor: f64, ln: f64) -> Result<f64> {
        let squares = self.skew().iter().zip(self.sensitivities(alpha)?).map(|(share, c)| share * c * c).sum();
        Ok((factor * ln / self.total as f64 * finite(vec![squares], alpha)?[0]).sqrt())
    }

    /// The sum over pairs of ratings, the lower one first, of both shares times a weight.
    fn weighted(&self, mut weight: impl FnMut(u32, u32) -> f64) -> f64 {
        let share = |count: u64| count as f64 / self.total as f64;
        self.pairs().map(|((l, lower), (m, higher))| share(lower) * share(higher) * weight(l, m)).sum()
    }

    /// All pairs of ratings with their counts, the lower one first.
    fn pairs(&self) -> impl Iterator<Item = ((u32, u64), (u32, u64))> {
        self.levels
            .iter()
            .enumerate()
            .flat_map(|(at, &higher)| self.levels[..at].iter().map(move |&lower| (lower, higher)))
    }
}

/// $|m - l|^\alpha$.
fn apart(one: u32, other: u32, alpha: f64) -> f64 {
    f64::from(one.abs_diff(other)).powf(alpha)
}

fn check_alpha(alpha: f64) -> Result<()> {
    if alpha >= 0.0 { Ok(()) } else { Err(wrong_alpha(alpha, "0 or more")) }
}

fn wrong_alpha(value: f64, expected: &'static str) -> Error {
    Error::Parameter { name: "alpha".into(), value, expected }
}

fn finite(values: Vec<f64>, alpha: f64) -> Result<Vec<f64>> {
    if values.iter().all(|value| value.is_finite()) {
        return Ok(values);
    }
    Err(wrong_alpha(alpha, "a weight that does not overflow"))
}

fn check_ln(name: &str, value: f64) -> Result<f64> {
    if value.is_finite() && value >= 0.0 {
        return Ok(value);
    }
    Err(Error::Parameter { name: name.into(), value, expected: "0 or more: the logarithm of a number of functions" })
}
