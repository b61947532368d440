//! The search for the best pair if the first few places have nearly all the weight. It walks the rows in the order of
//! rank until no later row can hold the best pair (the search for LELpair that AXPGP eqs. 26-29 allow).
//!
//! Only the first items are sorted. Each is compared with all items at once, by its column: the walk finds the variance
//! that a pair of the row needs, and one pass over the column finds the pairs that have it. The cost is linear in the
//! number of items, for a handful of rows.

use multiversion::multiversion;

use super::choice::{Best, Candidates};
use super::pair_belief::PairBelief;
use super::search::bounds::{Place, Scorer};
use crate::Result;
use crate::gp::{Belief, Covariances};

/// The number of items that are sorted, which is the number of rows that may be walked.
const HEAD: usize = 128;

/// The number of distances for which the variance needed by a pair of a row is computed separately.
const DISTANCES: usize = 16;

/// If more pairs of a row than this have the variance that the nearest pair needs, it is computed for each of the
/// distances.
const MANY: usize = 100;

/// The number of bisection steps for the variance that a row needs.
const STEPS: usize = 6;

/// The pairs that share the best score. `None` if a walk does not suit: the weights of places do not fall steeply,
/// items are in groups or a pool, columns are costly, or more rows would have to be walked than are sorted.
///
/// # Errors
/// If the kernel cannot give a column.
pub(super) fn walk(
    belief: &dyn Belief,
    covariances: &dyn Covariances,
    scorer: &Scorer<'_>,
    candidates: &Candidates,
) -> Result<Option<Best>> {
    let (mean, variances, prior) = (belief.mean(), belief.variances(), covariances.prior_variances());
    // Under these strategies the lower item of a pair has no weight, so only the first items must be known.
    let steep = scorer.strategy.is_steep();
    if !steep || mean.len() < HEAD || !covariances.has_cheap_entries() || !candidates.are_all() {
        return Ok(None);
    }
    let head = first_by_mean(mean);
    let (level, worst) = (mean[head[0]], -largest(mean, mean, |mean, _| -mean));
    let weights = scorer.strategy.emphasis().weights_of(head.iter().map(|&item| mean[item]), level - worst);
    let most = |values: &[f64]| largest(values, values, |value, _| value);
    let taken = largest(prior, variances, |prior, variance| prior - variance).max(0.0).sqrt();
    let all = Place { taken, lowest_mean: worst - level, ..Place::new(0.0, most(variances), most(prior)) };
    let mut best = Best::default();
    // The variances of the items that can still be paired with a row.
    let mut open = variances.to_vec();
    let mut found = Vec::new();
    for (row, (&item, &weight)) in head.iter().zip(&weights).enumerate() {
        // No pair with this weight can be among the best.
        if best.is_past(scorer.bound(&Place { weight, ..all }, &all)) {
            return Ok(Some(best));
        }
        open[item] = f64::NEG_INFINITY;
        let own = Place { weight, ..Place::new(mean[item] - level, variances[item], prior[item]) };
        let next = head.get(row + 1).map_or(mean[item], |&next| mean[next]) - level;
        let needed = scorer.needed_variance(&own, &Place { mean: next, ..all }, &best, STEPS);
        if needed == f64::INFINITY {
            continue;
        }
        covariances.with_row(item, &mut |column| {
            found.clear();
            reaching(own.variance, column, &open, needed, &mut found);
            let many = found.len() > MANY;
            let farther = many.then(|| Farther::new(scorer, &own, &Place { mean: next, ..all }, &best));
            for &other in &found {
                let means = [own.mean, mean[other] - level];
                let variance = own.variance + variances[other] - 2.0 * column[other];
                if farther.as_ref().is_none_or(|farther| variance >= farther.needed(means[0] - means[1])) {
                    let pair = PairBelief { means, variance, weight };
                    best.offer_pair(scorer, candidates, &pair, (item, other));
                }
            }
        })?;
    }
    Ok(None)
}

/// The variance that the pairs of a row need, by the distance of their means.
struct Farther {
    nearest: f64,
    /// The inverse of the width of a step.
    scale: f64,
    needed: [f64; DISTANCES],
}

impl Farther {
    fn new(scorer: &Scorer<'_>, own: &Place, rest: &Place, best: &Best) -> Self {
        let (nearest, farthest) = (own.mean - rest.mean, own.mean - rest.lowest_mean);
        let width = (farthest - nearest) / DISTANCES as f64;
        let at = |step: usize| Place { mean: rest.mean - step as f64 * width, ..*rest };
        let needed = std::array::from_fn(|step| scorer.needed_variance(own, &at(step), best, STEPS));
        // If all distances are equal, there is one step.
        Self { nearest, scale: if width > 0.0 { 1.0 / width } else { 0.0 }, needed }
    }

    fn needed(&self, distance: f64) -> f64 {
        // Rounding must not increase the distance of a pair.
        let step = (distance - self.nearest) * self.scale * (1.0 - 1e-9);
        self.needed[(step as usize).min(DISTANCES - 1)]
    }
}

/// The largest `value(left, right)`.
#[inline]
fn largest(left: &[f64], right: &[f64], value: impl Fn(f64, f64) -> f64) -> f64 {
    let mut most = [f64::NEG_INFINITY; 8];
    let larger = |most: f64, value: f64| if value > most { value } else { most };
    let ((blocks, rest), (right_blocks, right_rest)) = (left.as_chunks::<8>(), right.as_chunks::<8>());
    for (left, right) in blocks.iter().zip(right_blocks) {
        for lane in 0..8 {
            most[lane] = larger(most[lane], value(left[lane], right[lane]));
        }
    }
    let rest = rest.iter().zip(right_rest).map(|(&left, &right)| value(left, right));
    most.into_iter().chain(rest).fold(f64::NEG_INFINITY, larger)
}

/// The first items by falling mean. Ties are broken by item id.
fn first_by_mean(mean: &[f64]) -> Vec<usize> {
    /// The number of items whose largest mean is found together.
    const BLOCK: usize = 64;
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    // At least `HEAD` blocks hold an item with this mean or more, so no item below it is among the first.
    let mut blocks: Vec<f64> = mean.chunks(BLOCK).map(|block| largest(block, block, |mean, _| mean)).collect();
    let least = if blocks.len() > HEAD {
        *blocks.select_nth_unstable_by(HEAD - 1, |a, b| b.total_cmp(a)).1
    } else {
        f64::NEG_INFINITY
    };
    let mut items: Vec<(f64, usize)> = mean.iter().copied().zip(0..).filter(|&(mean, _)| mean >= least).collect();
    if items.len() > HEAD {
        items.select_nth_unstable_by(HEAD, order);
        items.truncate(HEAD);
    }
    items.sort_unstable_by(order);
    items.into_iter().map(|(_, item)| item).collect()
}

/// Finds the items whose difference to an item with this variance and column has at least the variance `needed`.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn reaching(own: f64, column: &[f64], variances: &[f64], needed: f64, found: &mut Vec<usize>) {
    const BLOCK: usize = 64;
    for (block, (column, variances)) in column.chunks(BLOCK).zip(variances.chunks(BLOCK)).enumerate() {
        let reach = |(covariance, variance): (&f64, &f64)| own + variance - 2.0 * covariance >= needed;
        let count = column.iter().zip(variances).map(|pair| u32::from(reach(pair))).sum::<u32>();
        if count > 0 {
            let places = column.iter().zip(variances).enumerate().filter(|(_, pair)| reach(*pair));
            found.extend(places.map(|(place, _)| block * BLOCK + place));
        }
    }
}
