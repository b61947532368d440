//! The best order: by dynamic programming for few items, by a closed form for two-valued experts.

use super::{Preference, RankOrdering, Unretrieved, Weighted};
use crate::{Error, Result};

/// The most items that [`exact_order`] takes: 2²⁰ sets, each with a number and a last item.
pub const LARGEST_EXACT: usize = 20;

/// An order that agrees best, by dynamic programming over the sets of items that come first. The problem is NP-complete
/// (LTOT theorem 1): `O(2ⁿ n²)` time and 9 bytes per set, so n is at most [`LARGEST_EXACT`].
///
/// # Errors
/// If there are more items.
pub fn exact_order(preference: &impl Preference) -> Result<Vec<usize>> {
    let n = preference.len();
    if n > LARGEST_EXACT {
        let what = "the set of items".to_owned();
        return Err(Error::TooLarge { what, size: n, limit: LARGEST_EXACT, method: "exact ordering" });
    }
    let prefer: Vec<f64> = (0..n * n).map(|at| preference.prefer(at / n, at % n)).collect();
    // For every set: the best agreement of an order of it, and the last item of that order.
    let mut agreement = vec![0.0_f64; 1 << n];
    let mut last = vec![0_u8; 1 << n];
    for set in 1..1_usize << n {
        let mut best = f64::NEG_INFINITY;
        last[set] = set.trailing_zeros() as u8;
        for item in members(set) {
            let before = set & !(1 << item);
            let value = agreement[before] + members(before).map(|first| prefer[first * n + item]).sum::<f64>();
            if value > best {
                best = value;
                last[set] = item as u8;
            }
        }
        agreement[set] = best;
    }
    let mut order = Vec::with_capacity(n);
    let mut set = (1_usize << n) - 1;
    while set != 0 {
        let item = usize::from(last[set]);
        order.push(item);
        set &= !(1 << item);
    }
    order.reverse();
    Ok(order)
}

/// The items of a set, ascending.
fn members(mut set: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let item = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(item)
    })
}

/// An order that agrees best with experts that each divide the items into a better and a worse part. Items come by
/// falling sum of the weights of the experts that put them in the better part (LTOT section 3, after theorem 1). None
/// if an expert has more than two levels or abstains on some items only. `O(n N + n log n)`.
pub fn two_valued_order(preference: &Weighted<'_, RankOrdering>) -> Option<Vec<usize>> {
    let mut sums = vec![0.0; preference.len()];
    for (expert, weight) in preference.experts().iter().zip(preference.weights()) {
        let whole = expert.ranked().len() == expert.len() || expert.ranked().is_empty();
        if expert.levels() > 2 || !(whole || expert.unretrieved() == Unretrieved::Last) {
            return None;
        }
        for &(item, _) in expert.ranked().iter().filter(|(item, _)| expert.place(*item as usize) == Some(1)) {
            sums[item as usize] += weight;
        }
    }
    let mut order: Vec<usize> = (0..sums.len()).collect();
    order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
    Some(order)
}
