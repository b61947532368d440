//! Is a difference real? Tests of two systems measured on the same queries, or of two samples; and intervals.
//!
//! All tests are two-sided: `p` is the probability, if there were no difference, of one at least as large as the
//! observed one, in either direction. All functions refuse numbers that are not finite and samples that are too small,
//! with [`Error::Data`](crate::Error::Data).
//!
//! Where a rule leaves a choice, we follow scipy 1.17 and say so at the function.
//!
//! # References
//!
//! F. Wilcoxon, *Individual comparisons by ranking methods*, Biometrics Bulletin 1 (1945). H. B. Mann and D. R. Whitney,
//! *On a test of whether one of two random variables is stochastically larger than the other*, Annals of Mathematical
//! Statistics 18 (1947). S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal of
//! Statistics 6 (1979). B. Efron and R. J. Tibshirani, *An introduction to the bootstrap* (1993), chapters 13 and 15.
//! B. Phipson and G. K. Smyth, *Permutation p-values should never be zero*, Statistical Applications in Genetics and
//! Molecular Biology 9 (2010).

use rand::{Rng, RngExt};
use rayon::prelude::*;

use super::mean::{Mean, mean};
use super::ranks::{Ranks, check_at_least, check_finite, check_lengths, compare, unusable};
use crate::numeric::{Seed, normal, student};
use crate::{Error, Result};

/// The largest sample without ties or zeros whose signed ranks are tested exactly (scipy).
const EXACT_SIGNED_RANKS: usize = 50;
/// The largest sample with ties or zeros whose signed ranks are tested exactly (scipy).
const EXACT_TIED_SIGNED_RANKS: usize = 13;
/// The rank-sum test is exact where the smaller sample is no larger and nothing is tied (scipy).
const EXACT_RANK_SUM: usize = 8;
/// The most pairs for which all changes of sign are tried: 32768, up to the sign of the whole.
const EXACT_RANDOMISATION: usize = 16;
/// Random draws per task. Each task has its own stream, so the result does not depend on the number of threads.
const DRAWS_PER_TASK: usize = 256;

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestResult {
    /// The tested quantity; each test names it.
    pub statistic: f64,
    /// The two-sided p-value.
    pub p: f64,
}

/// An interval around a mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanInterval {
    /// The lower end.
    pub low: f64,
    /// The observed mean.
    pub mean: f64,
    /// The upper end.
    pub high: f64,
}

/// The checked differences `first - second`.
fn differences(first: &[f64], second: &[f64], least: usize) -> Result<Vec<f64>> {
    check_lengths("paired values", first.len(), second.len())?;
    check_at_least("paired values", first.len(), least)?;
    check_finite("first values", first)?;
    check_finite("second values", second)?;
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    // Sums with any signs stay within the sum of sizes.
    check_finite("sum of sizes", &[total_size(first), total_size(second), total_size(&differences)])?;
    Ok(differences)
}

fn total_size(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).sum()
}

/// Twice the upper tail of the normal law, at most 1.
fn normal_two_sided(z: f64) -> f64 {
    (2.0 * normal::cdf(-z)).min(1.0)
}

/// Student's paired t test of a mean difference of 0. The statistic is `t` with n - 1 degrees of freedom; it is
/// positive if the first is larger on average. O(n).
///
/// ```
/// let result = ordain::measure::paired_t_test(&[3.0, 5.0, 4.0], &[1.0, 2.0, 3.0])?;
/// assert!((result.statistic - 12.0_f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// Different lengths, fewer than two pairs, numbers not finite, or differences that are all equal up to rounding (a
/// standard error below ten units in the last place of the mean, as in R), where `t` says nothing.
pub fn paired_t_test(first: &[f64], second: &[f64]) -> Result<TestResult> {
    let differences = differences(first, second, 2)?;
    let n = differences.len() as f64;
    let Mean { value: mean, error } = Mean::of(&differences);
    // Differences that vary only by rounding would look infinitely certain.
    if !(error.is_finite() && error > 10.0 * f64::EPSILON * mean.abs()) {
        return Err(unusable("differences", "no usable variance", "some that differ by more than rounding"));
    }
    let statistic = mean / error;
    Ok(TestResult { statistic, p: student::two_sided_tail(statistic, n - 1.0) })
}

/// Wilcoxon's signed-rank test of differences that are symmetric around 0. Differences of 0 are dropped (Wilcoxon's own
/// rule). Equal sizes share their average rank. The statistic is the smaller of the rank sums of positive and of
/// negative differences.
///
/// Like scipy's `wilcoxon(correction=True)`, where n counts the zeros: exact for n ≤ 50 without ties and zeros, and for
/// n ≤ 13 with them (over all changes of sign). Otherwise the normal approximation, with the variance corrected for
/// ties and a continuity correction of one half towards the mean. O(n log n), and O(n³) ≤ 10⁵ where exact.
///
/// # Errors
///
/// Different lengths, numbers not finite, or no difference other than 0.
pub fn signed_rank_test(first: &[f64], second: &[f64]) -> Result<TestResult> {
    let mut differences = differences(first, second, 1)?;
    let n = differences.len();
    differences.retain(|value| *value != 0.0);
    if differences.is_empty() {
        return Err(unusable("differences", "only zeros", "at least one other"));
    }
    let sizes: Vec<f64> = differences.iter().map(|value| value.abs()).collect();
    let ranks = Ranks::new(&sizes);
    let signed = ranks.doubled.iter().zip(&differences);
    let positive: u64 = signed.filter(|(_, value)| **value > 0.0).map(|(rank, _)| rank).sum();
    let count = differences.len() as u64;
    let smaller = positive.min(count * (count + 1) - positive);
    let plain = count == n as u64 && !ranks.has_ties();
    let p = if n <= if plain { EXACT_SIGNED_RANKS } else { EXACT_TIED_SIGNED_RANKS } {
        exact_signed_rank(&ranks.doubled, smaller)
    } else {
        approximate_signed_rank(&ranks, smaller)
    };
    Ok(TestResult { statistic: smaller as f64 / 2.0, p })
}

/// Twice the probability that a random subset of doubled ranks adds up to `smaller` or less. At most 50 ranks, so the
/// counts are exact.
fn exact_signed_rank(doubled: &[u64], smaller: u64) -> f64 {
    let end = smaller as usize;
    let mut subsets = vec![0_u64; end + 1];
    subsets[0] = 1;
    for rank in doubled.iter().map(|&rank| rank as usize) {
        for sum in (rank..=end).rev() {
            subsets[sum] += subsets[sum - rank];
        }
    }
    let all = (doubled.len() as f64).exp2();
    (2.0 * subsets.iter().sum::<u64>() as f64 / all).min(1.0)
}

fn approximate_signed_rank(ranks: &Ranks, smaller: u64) -> f64 {
    let n = ranks.doubled.len() as f64;
    let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - 0.5 * ranks.tie_term()) / 24.0;
    let distance = 0.25 * n * (n + 1.0) - 0.5 * smaller as f64;
    normal_two_sided((distance - 0.5).max(0.0) / variance.sqrt())
}

/// Wilcoxon's rank-sum test of Mann and Whitney: do two samples come from the same law? The statistic is `U` of the
/// first sample: the number of pairs in which it is larger. Equal values count one half.
///
/// Like scipy's `mannwhitneyu`: exact if the smaller sample has at most 8 values and none are tied. Otherwise the
/// normal approximation, with the variance corrected for ties and a continuity correction of one half. Deviation: the
/// approximation also serves where the number of splits of the values exceeds 2¹²⁸ (8 against about 10⁵). O(n log n),
/// and O(m² n) where exact, with m the smaller size.
///
/// # Errors
///
/// An empty sample, numbers not finite.
pub fn rank_sum_test(first: &[f64], second: &[f64]) -> Result<TestResult> {
    check_at_least("first sample", first.len(), 1)?;
    check_at_least("second sample", second.len(), 1)?;
    check_finite("first sample", first)?;
    check_finite("second sample", second)?;
    let ranks = Ranks::new(&[first, second].concat());
    let (n, m) = (first.len() as u64, second.len() as u64);
    let doubled = ranks.doubled[..first.len()].iter().sum::<u64>() - n * (n + 1);
    let smaller = doubled.min(2 * n * m - doubled);
    let (few, many) = (n.min(m), n.max(m));
    let splits = if few <= EXACT_RANK_SUM as u64 && !ranks.has_ties() { binomial(few, many) } else { None };
    let p = match splits {
        Some(splits) => (2.0 * (splits_up_to(smaller / 2, few, many) as f64 / splits as f64)).min(1.0),
        None => approximate_rank_sum(&ranks, smaller, n as f64, m as f64),
    };
    Ok(TestResult { statistic: doubled as f64 / 2.0, p })
}

/// `few + many` over `few`; none if it overflows on the way.
fn binomial(few: u64, many: u64) -> Option<u128> {
    (1..=u128::from(few))
        .try_fold(1_u128, |product, step| product.checked_mul(u128::from(many) + step).map(|product| product / step))
}

/// The number of splits of untied values into `few` and `many` with a U of `largest` or less: coefficients of the
/// Gaussian binomial $\prod_{i \le few} (1 - q^{many + i}) / (1 - q^i)$. Differences wrap on the way; the result is
/// right.
fn splits_up_to(largest: u64, few: u64, many: u64) -> u128 {
    let end = largest as usize;
    let mut ways = vec![0_u128; end + 1];
    ways[0] = 1;
    for step in 1..=few as usize {
        for u in step..=end {
            ways[u] = ways[u].wrapping_add(ways[u - step]);
        }
        let shift = many as usize + step;
        for u in (shift..=end).rev() {
            ways[u] = ways[u].wrapping_sub(ways[u - shift]);
        }
    }
    ways.into_iter().fold(0, u128::wrapping_add)
}

fn approximate_rank_sum(ranks: &Ranks, smaller: u64, n: f64, m: f64) -> f64 {
    let all = n + m;
    // 12 / (n m) times the variance. It is 0 if all values are tied.
    let spread = (all + 1.0) - ranks.tie_term() / (all * (all - 1.0));
    let distance = 0.5 * (n * m - smaller as f64) - 0.5;
    if distance <= 0.0 || spread <= 0.0 {
        return 1.0;
    }
    normal_two_sided(distance / (n * m / 12.0 * spread).sqrt())
}

/// The randomisation test of paired differences, symmetric around 0: how often is the mean as far from 0 as observed,
/// if a fair coin draws the signs of the differences? The statistic is the mean difference.
///
/// Up to 16 pairs, all changes of sign are tried, and `draws` and `seed` do not matter. Beyond, `draws` are sampled and
/// p = (count + 1) / (draws + 1), so p is never 0. A mean counts as far enough if it equals the observed one up to the
/// rounding of the sums and of the given values. O(n · draws) in parallel, O(n · 2ⁿ) where exact. The result does not
/// depend on the number of threads.
///
/// ```
/// use ordain::{measure::randomisation_test, numeric::Seed};
/// let result = randomisation_test(&[3.0, 5.0, 4.0], &[1.0, 2.0, 3.0], 1000, Seed(1))?;
/// assert_eq!((result.statistic, result.p), (2.0, 0.25));
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// Different lengths, no pairs, numbers not finite, no draws.
pub fn randomisation_test(first: &[f64], second: &[f64], draws: usize, seed: Seed) -> Result<TestResult> {
    let differences = differences(first, second, 1)?;
    check_draws(draws)?;
    let statistic = mean(&differences);
    let bound = rounding(&differences) + 2.0 * f64::EPSILON * (total_size(first) + total_size(second));
    let bar = differences.iter().sum::<f64>().abs() - bound;
    let p = if differences.len() <= EXACT_RANDOMISATION {
        exact_randomisation(&differences, bar)
    } else {
        (as_far_among(&differences, bar, draws, seed) + 1) as f64 / (draws as f64 + 1.0)
    };
    Ok(TestResult { statistic, p })
}

/// An upper bound on the rounding between two sums of these numbers with any signs.
fn rounding(values: &[f64]) -> f64 {
    2.0 * values.len() as f64 * f64::EPSILON * total_size(values)
}

fn check_draws(draws: usize) -> Result<()> {
    if draws > 0 {
        return Ok(());
    }
    Err(Error::Parameter { name: "draws".to_owned(), value: 0.0, expected: "1 or more" })
}

/// The sum with the signs from the bits; one word serves 64 differences.
fn flipped_sum(differences: &[f64], mut word: impl FnMut() -> u64) -> f64 {
    let mut total = 0.0;
    for block in differences.chunks(64) {
        let bits = word();
        for (at, value) in block.iter().enumerate() {
            total += if bits >> at & 1 == 1 { -value } else { *value };
        }
    }
    total
}

fn exact_randomisation(differences: &[f64], bar: f64) -> f64 {
    // Changing every sign changes no size, so the last sign can stay.
    let all = 1_u64 << (differences.len() - 1);
    let count = (0..all).filter(|&bits| flipped_sum(differences, || bits).abs() >= bar).count();
    count as f64 / all as f64
}

/// The number of random draws that are as far from 0 as the bar.
fn as_far_among(differences: &[f64], bar: f64, draws: usize, seed: Seed) -> usize {
    let one_task = |task: usize| {
        let mut stream = seed.stream(task as u64);
        let size = DRAWS_PER_TASK.min(draws - task * DRAWS_PER_TASK);
        (0..size).filter(|_| flipped_sum(differences, || stream.next_u64()).abs() >= bar).count()
    };
    (0..draws.div_ceil(DRAWS_PER_TASK)).into_par_iter().map(one_task).sum()
}

/// The percentile bootstrap interval of a mean difference. Pairs are drawn with replacement `draws` times. The interval
/// holds the middle `level` of the means, with linear interpolation between them. The result does not depend on the
/// number of threads. O(n · draws) time in parallel, 8 bytes per draw.
///
/// # Errors
///
/// Different lengths, fewer than two pairs, numbers not finite, a level not between 0 and 1, no draws.
pub fn bootstrap_mean_difference(
    first: &[f64],
    second: &[f64],
    level: f64,
    draws: usize,
    seed: Seed,
) -> Result<MeanInterval> {
    let differences = differences(first, second, 2)?;
    let n = differences.len();
    let resampled =
        |stream: &mut dyn Rng| (0..n).map(|_| differences[stream.random_range(0..n)]).sum::<f64>() / n as f64;
    percentile_interval(mean(&differences), resampled, level, draws, seed)
}

/// The percentile bootstrap interval of a mean over parts that come in units of different sizes, such as answers on
/// pairs. The mean is the sum of the units' totals over the sum of their sizes. Units are drawn with replacement,
/// totals and sizes together, so each draw is divided by its own number of parts. With all sizes 1 it is
/// [`bootstrap_mean_difference`].
///
/// ```
/// use ordain::{measure::bootstrap_ratio, numeric::Seed};
/// let found = bootstrap_ratio(&[30.0, 0.5, 1.0], &[60.0, 1.0, 2.0], 0.95, 1000, Seed(1))?;
/// assert_eq!((found.low, found.mean, found.high), (0.5, 0.5, 0.5));
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// Different lengths, fewer than two units, numbers not finite, a size not positive, a level not between 0 and 1, no
/// draws.
pub fn bootstrap_ratio(totals: &[f64], sizes: &[f64], level: f64, draws: usize, seed: Seed) -> Result<MeanInterval> {
    check_lengths("totals and sizes", totals.len(), sizes.len())?;
    check_at_least("units", totals.len(), 2)?;
    check_finite("totals", totals)?;
    check_finite("sizes", sizes)?;
    if let Some(&value) = sizes.iter().find(|size| **size <= 0.0) {
        return Err(Error::Parameter { name: "size".to_owned(), value, expected: "positive" });
    }
    let n = totals.len();
    // A draw may take the largest unit every time.
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, value| most.max(value.abs())) * n as f64;
    check_finite("sum of sizes", &[largest(totals), largest(sizes)])?;
    let ratio = |units: &mut dyn Iterator<Item = usize>| {
        let (total, size) = units.fold((0.0, 0.0), |(total, size), unit| (total + totals[unit], size + sizes[unit]));
        total / size
    };
    let resampled = |stream: &mut dyn Rng| ratio(&mut (0..n).map(|_| stream.random_range(0..n)));
    percentile_interval(ratio(&mut (0..n)), resampled, level, draws, seed)
}

/// The interval of the middle `level` of the draws, around the observed value.
fn percentile_interval(
    mean: f64,
    resampled: impl Fn(&mut dyn Rng) -> f64 + Sync,
    level: f64,
    draws: usize,
    seed: Seed,
) -> Result<MeanInterval> {
    check_draws(draws)?;
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::Parameter { name: "level".to_owned(), value: level, expected: "between 0 and 1" });
    }
    let mut drawn = vec![0.0; draws];
    drawn.par_chunks_mut(DRAWS_PER_TASK).enumerate().for_each(|(task, drawn)| {
        let mut stream = seed.stream(task as u64);
        drawn.iter_mut().for_each(|slot| *slot = resampled(&mut stream));
    });
    drawn.sort_unstable_by(compare);
    let outside = 0.5 * (1.0 - level);
    Ok(MeanInterval { low: quantile(&drawn, outside), mean, high: quantile(&drawn, 1.0 - outside) })
}

/// The quantile of sorted, non-empty values, by linear interpolation.
fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let last = sorted.len() - 1;
    let place = fraction * last as f64;
    let below = (place as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// Holm's correction of the p-values of several tests. Each becomes the smallest level at which the step-down procedure
/// rejects its hypothesis while the probability of any false rejection stays below that level. With the p-values
/// ascending, the i-th of m becomes $\max_{j \le i} \min(1, (m - j + 1)\, p_j)$; equal p-values stay equal. Results are
/// in the given order. O(m log m).
///
/// ```
/// assert_eq!(ordain::measure::holm(&[0.5, 0.125, 0.25])?, vec![0.5, 0.375, 0.5]);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// A p-value outside 0 to 1.
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>> {
    if let Some(&value) = p_values.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(Error::Parameter { name: "p-value".to_owned(), value, expected: "between 0 and 1" });
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_unstable_by(|&a, &b| compare(&p_values[a], &p_values[b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (at, test) in order.into_iter().enumerate() {
        largest = largest.max((p_values.len() - at) as f64 * p_values[test]).min(1.0);
        corrected[test] = largest;
    }
    Ok(corrected)
}
