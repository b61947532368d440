//! Agreement of two orders that are given by numbers: Kendall's τ, Spearman's ρ and footrule, and errors of scores
//! against a truth, counted in pairs.
//!
//! For `n` items let $C$ be the number of pairs that both put in the same order, $D$ the number that they put in
//! opposite order, and $T_x$, $T_y$ the numbers of pairs tied in each. All counts are whole numbers, found by merging;
//! only the last division rounds.
//!
//! All functions refuse NaN, slices of different lengths, and data without a pair to compare, with
//! [`Error::Data`](crate::Error::Data). Infinite values are ordered like any other.
//!
//! # References
//!
//! M. G. Kendall, *The treatment of ties in ranking problems*, Biometrika 33 (1945). W. R. Knight, *A computer method
//! for calculating Kendall's tau with ungrouped data*, JASA 61 (1966). S. Rajaram and S. Agarwal, *Generalization bounds
//! for k-partite ranking*, NIPS workshop on learning to rank (2005).

use std::cmp::Ordering;

use super::ranks::{PairCounts, Ranks, check_at_least, check_lengths, check_ordered, compare, unusable};
use crate::data::ItemId;
use crate::{Error, Result};

/// Fails unless both slices have the same length, two or more numbers, and no NaN.
fn check_both(first: &[f64], second: &[f64]) -> Result<()> {
    check_lengths("values to compare", first.len(), second.len())?;
    check_at_least("values to compare", first.len(), 2)?;
    check_ordered("first values", first)?;
    check_ordered("second values", second)
}

fn count(first: &[f64], second: &[f64]) -> Result<PairCounts> {
    check_both(first, second)?;
    Ok(PairCounts::new(&Ranks::new(first).doubled, &Ranks::new(second).doubled))
}

/// Kendall's τ-a, $(C - D) / \binom n2$. A pair tied in either order counts as half agreement, half disagreement, so
/// ties keep it away from ±1. O(n log n).
///
/// ```
/// let tau = ordain::measure::kendall_tau_a(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0])?;
/// assert_eq!(tau, 1.0 / 3.0);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// NaN, different lengths, fewer than two items.
pub fn kendall_tau_a(first: &[f64], second: &[f64]) -> Result<f64> {
    let counts = count(first, second)?;
    Ok(counts.agreement() as f64 / counts.all as f64)
}

/// Kendall's τ-b, $(C - D) / \sqrt{(\binom n2 - T_x)(\binom n2 - T_y)}$. Ties leave both the count and the norm, so it
/// reaches ±1 if both orders have the same ties. O(n log n).
///
/// ```
/// let tau = ordain::measure::kendall_tau_b(&[1.0, 2.0, 2.0], &[5.0, 7.0, 7.0])?;
/// assert_eq!(tau, 1.0);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// NaN, different lengths, fewer than two items, or all values of one side equal.
pub fn kendall_tau_b(first: &[f64], second: &[f64]) -> Result<f64> {
    let counts = count(first, second)?;
    let (ordered_first, ordered_second) = (counts.all - counts.tied_first, counts.all - counts.tied_second);
    if ordered_first == 0 || ordered_second == 0 {
        return Err(all_equal());
    }
    let norm = (ordered_first as f64 * ordered_second as f64).sqrt();
    Ok((counts.agreement() as f64 / norm).clamp(-1.0, 1.0))
}

fn all_equal() -> Error {
    unusable("values to compare", "all equal on one side", "two that differ on each")
}

/// Spearman's ρ: Pearson's correlation of the ranks. Ties get their average rank. O(n log n).
///
/// # Errors
///
/// NaN, different lengths, fewer than two items, or all values of one side equal.
pub fn spearman_rho(first: &[f64], second: &[f64]) -> Result<f64> {
    check_both(first, second)?;
    // Twice the mean rank is whole, so doubled ranks stay whole when centred.
    let mean = first.len() as i128 + 1;
    let centred = |values: &[f64]| -> Vec<i128> {
        Ranks::new(values).doubled.into_iter().map(|rank| i128::from(rank) - mean).collect()
    };
    let (first, second) = (centred(first), centred(second));
    let product = |a: &[i128], b: &[i128]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i128>() as f64;
    let squares = product(&first, &first) * product(&second, &second);
    if squares == 0.0 {
        return Err(all_equal());
    }
    Ok((product(&first, &second) / squares.sqrt()).clamp(-1.0, 1.0))
}

/// Spearman's footrule: the sum of the absolute differences of ranks. Ties get their average rank. O(n log n).
///
/// # Errors
///
/// NaN, different lengths, fewer than two items.
pub fn footrule(first: &[f64], second: &[f64]) -> Result<f64> {
    check_both(first, second)?;
    let (first, second) = (Ranks::new(first).doubled, Ranks::new(second).doubled);
    Ok(half_of_differences(&first, &second))
}

/// The sum of absolute differences of doubled ranks, halved.
pub(super) fn half_of_differences(first: &[u64], second: &[u64]) -> f64 {
    let doubled: u128 = first.iter().zip(second).map(|(a, b)| u128::from(a.abs_diff(*b))).sum();
    doubled as f64 / 2.0
}

/// [`footrule`] over its maximum $\lfloor n^2/2 \rfloor$, which a reversed order without ties reaches. 0 for equal
/// orders, 1 for opposite ones. O(n log n).
///
/// # Errors
///
/// NaN, different lengths, fewer than two items.
pub fn normalised_footrule(first: &[f64], second: &[f64]) -> Result<f64> {
    let largest = first.len() as u128 * first.len() as u128 / 2;
    Ok(footrule(first, second)? / largest as f64)
}

/// The share of pairs of different truth that the scores put in the wrong order. A pair of equal scores is half wrong;
/// a pair of equal truth is not counted. Higher scores should mean higher truth. O(n log n).
///
/// ```
/// let error = ordain::measure::pair_error(&[0.9, 0.1, 0.1], &[3.0, 2.0, 1.0])?;
/// assert_eq!(error, 0.5 / 3.0);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// NaN, different lengths, fewer than two items, or no two of different truth.
pub fn pair_error(scores: &[f64], truth: &[f64]) -> Result<f64> {
    let counts = count(truth, scores)?;
    let comparable = counts.all - counts.tied_first;
    if comparable == 0 {
        return Err(unusable("truth", "all equal", "two items that differ"));
    }
    let (undecided, _) = counts.tied_once();
    let doubled = 2 * u128::from(counts.opposed) + u128::from(undecided);
    Ok(doubled as f64 / (2 * u128::from(comparable)) as f64)
}

/// The number of pairs of a better and a worse item that the scores put in the wrong order. A pair of equal scores is
/// half wrong. It serves pairs that no single truth gives; [`pair_error`] counts all pairs of one truth faster. O(n +
/// pairs).
///
/// ```
/// use ordain::data::ItemId;
/// let pairs = [(ItemId(0), ItemId(1)), (ItemId(1), ItemId(2)), (ItemId(2), ItemId(0))];
/// assert_eq!(ordain::measure::wrong_pairs(&[0.9, 0.1, 0.1], &pairs)?, 1.5);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// NaN, or a pair with an item that has no score.
pub fn wrong_pairs(scores: &[f64], pairs: &[(ItemId, ItemId)]) -> Result<f64> {
    check_ordered("scores", scores)?;
    let score = |item: ItemId| {
        let missing = || unusable("pairs", format!("item {}", item.index()), format!("items below {}", scores.len()));
        scores.get(item.index()).copied().ok_or_else(missing)
    };
    let mut wrong = 0.0;
    for &(better, worse) in pairs {
        wrong += match compare(&score(better)?, &score(worse)?) {
            Ordering::Greater => 0.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 1.0,
        };
    }
    Ok(wrong)
}

/// The area under the ROC curve: the probability that a positive item scores above a negative one. Equal scores count
/// one half (Mann and Whitney). O(n log n).
///
/// ```
/// let area = ordain::measure::auc(&[0.9, 0.4, 0.4], &[true, true, false])?;
/// assert_eq!(area, 0.75);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// NaN, different lengths, or items of one kind only.
pub fn auc(scores: &[f64], positive: &[bool]) -> Result<f64> {
    check_lengths("scores and labels", scores.len(), positive.len())?;
    check_ordered("scores", scores)?;
    let positives = positive.iter().filter(|&&is| is).count() as u128;
    let negatives = positive.len() as u128 - positives;
    if positives == 0 || negatives == 0 {
        return Err(unusable("labels", format!("{positives} positive, {negatives} negative"), "some of each"));
    }
    let ranks = Ranks::new(scores).doubled;
    let sum: u128 = ranks.iter().zip(positive).filter(|(_, is)| **is).map(|(rank, _)| u128::from(*rank)).sum();
    // Without the ranks of the positives among themselves.
    let doubled = sum - positives * (positives + 1);
    Ok(doubled as f64 / (2 * positives * negatives) as f64)
}

/// The empirical k-partite ranking error $\widehat R_\alpha$ (Rajaram and Agarwal 2005, definition 1):
///
/// $$\frac{1}{C} \sum_{l < m} (m - l)^\alpha \sum_{y_i = l} \sum_{y_j = m} \lambda(x_j, x_i), \qquad
/// C = \sum_{l < m} n_l n_m,$$
///
/// where $\lambda$ is 1 if the item of higher rating scores below the other, one half if both score the same, and 0
/// otherwise. With `alpha = 0` it is [`pair_error`]. With larger `alpha` a wrong pair costs more, the further its
/// ratings are apart, and the error may exceed 1. O(n log n + n · levels), where `levels` is the number of different
/// ratings.
///
/// # Errors
///
/// NaN, different lengths, fewer than two items, no two of different rating, `alpha` negative, infinite, or so large that
/// a weight overflows.
pub fn k_partite_error(scores: &[f64], ratings: &[u32], alpha: f64) -> Result<f64> {
    let parameter = |expected| Error::Parameter { name: "alpha".to_owned(), value: alpha, expected };
    if !(alpha >= 0.0 && alpha.is_finite()) {
        return Err(parameter("0 or more"));
    }
    check_lengths("scores and ratings", scores.len(), ratings.len())?;
    check_at_least("scores", scores.len(), 2)?;
    check_ordered("scores", scores)?;
    let levels = scores_by_level(scores, ratings);
    let (mut error, mut comparable) = (0.0, 0_u128);
    for (at, (higher, above)) in levels.iter().enumerate() {
        for (lower, below) in &levels[..at] {
            comparable += above.len() as u128 * below.len() as u128;
            let doubled = doubled_errors(above, below);
            if doubled > 0 {
                error += f64::from(higher - lower).powf(alpha) * (doubled as f64 / 2.0);
            }
        }
    }
    if comparable == 0 {
        return Err(unusable("ratings", "all equal", "two items that differ"));
    }
    if error.is_finite() { Ok(error / comparable as f64) } else { Err(parameter("a weight that does not overflow")) }
}

/// The ratings that occur, ascending, each with its scores, ascending.
fn scores_by_level(scores: &[f64], ratings: &[u32]) -> Vec<(u32, Vec<f64>)> {
    let mut items: Vec<(u32, f64)> = ratings.iter().copied().zip(scores.iter().copied()).collect();
    items.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(compare(&a.1, &b.1)));
    let runs = items.chunk_by(|a, b| a.0 == b.0);
    runs.map(|run| (run[0].0, run.iter().map(|item| item.1).collect())).collect()
}

/// Twice the sum of λ over the pairs of an item of `above` and one of `below`, both ascending, in one pass.
fn doubled_errors(above: &[f64], below: &[f64]) -> u64 {
    let (mut under, mut under_or_equal, mut doubled) = (0, 0, 0);
    for score in above {
        while under < below.len() && below[under] < *score {
            under += 1;
        }
        while under_or_equal < below.len() && below[under_or_equal] <= *score {
            under_or_equal += 1;
        }
        doubled += 2 * (below.len() - under_or_equal) + (under_or_equal - under);
    }
    doubled as u64
}
