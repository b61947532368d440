//! The common part of the measures: checks of input, ranks with ties, and counts of pairs.

use std::cmp::Ordering;

use crate::{Error, Result};

/// The error for data that are too few, too uniform or too odd to be measured.
pub(super) fn unusable(what: &'static str, found: impl Into<String>, expected: impl Into<String>) -> Error {
    Error::Data { what, found: found.into(), expected: expected.into() }
}

/// Fails unless both lengths are the same.
pub(super) fn check_lengths(what: &'static str, first: usize, second: usize) -> Result<()> {
    if first == second { Ok(()) } else { Err(unusable(what, format!("{first} and {second}"), "as many of each")) }
}

/// Fails unless there are at least `least` items.
pub(super) fn check_at_least(what: &'static str, found: usize, least: usize) -> Result<()> {
    if found >= least { Ok(()) } else { Err(unusable(what, found.to_string(), format!("{least} or more"))) }
}

/// Fails on NaN. Infinities have an order.
pub(super) fn check_ordered(what: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| value.is_nan()) {
        Some(at) => Err(unusable(what, format!("NaN at position {at}"), "numbers")),
        None => Ok(()),
    }
}

/// Fails on numbers that are not finite.
pub(super) fn check_finite(what: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(unusable(what, format!("{} at position {at}", values[at]), "finite numbers")),
        None => Ok(()),
    }
}

/// The order of checked values, in which 0 and -0 are equal.
pub(super) fn compare(a: &f64, b: &f64) -> Ordering {
    a.partial_cmp(b).unwrap_or(Ordering::Equal)
}

/// Ranks from 1 with ties at their average, all doubled so that they are whole.
pub(super) struct Ranks {
    /// Twice the rank of every value, in the order given.
    pub(super) doubled: Vec<u64>,
    /// The sizes of the groups of equal values, from the smallest value up.
    pub(super) groups: Vec<u64>,
}

impl Ranks {
    /// The ranks of checked values, the smallest first. O(n log n).
    pub(super) fn new(values: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_unstable_by(|&a, &b| compare(&values[a], &values[b]));
        let mut ranks = Self { doubled: vec![0; values.len()], groups: Vec::new() };
        let mut before = 0;
        for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
            let size = group.len() as u64;
            for &item in group {
                // The average of before + 1 ..= before + size, doubled.
                ranks.doubled[item] = 2 * before + size + 1;
            }
            ranks.groups.push(size);
            before += size;
        }
        ranks
    }

    /// Whether any two values are equal.
    pub(super) fn has_ties(&self) -> bool {
        self.groups.iter().any(|&size| size > 1)
    }

    /// `Σ (t³ - t)` over the groups of equal values. Ties reduce a variance by it.
    pub(super) fn tie_term(&self) -> f64 {
        self.groups.iter().map(|&size| size as f64).map(|size| size * size * size - size).sum()
    }
}

/// `n` over 2.
pub(super) fn pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Counts of the pairs of a set of items in two orders with ties.
pub(super) struct PairCounts {
    /// All pairs.
    pub(super) all: u64,
    /// Pairs tied in the first order, whether or not in the second.
    pub(super) tied_first: u64,
    /// Pairs tied in the second order, whether or not in the first.
    pub(super) tied_second: u64,
    /// Pairs tied in both.
    pub(super) tied_both: u64,
    /// Pairs that the two orders put in opposite order.
    pub(super) opposed: u64,
}

impl PairCounts {
    /// Counts the pairs of two equally long orders, given by any numbers that order. O(n log n).
    pub(super) fn new(first: &[u64], second: &[u64]) -> Self {
        let mut items: Vec<(u64, u64)> = first.iter().copied().zip(second.iter().copied()).collect();
        items.sort_unstable();
        let tied_first = tied(&items, |a, b| a.0 == b.0);
        let tied_both = tied(&items, |a, b| a == b);
        // Within a tie of the first order the second ascends, so that none of its pairs is an inversion.
        let mut second: Vec<u64> = items.into_iter().map(|item| item.1).collect();
        let opposed = sort_counting_inversions(&mut second);
        let tied_second = tied(&second, |a, b| a == b);
        Self { all: pairs(first.len() as u64), tied_first, tied_second, tied_both, opposed }
    }

    /// Pairs in the same order minus pairs in opposite order.
    pub(super) fn agreement(&self) -> i128 {
        let strict = i128::from(self.all) - i128::from(self.tied_first) - i128::from(self.tied_second)
            + i128::from(self.tied_both);
        strict - 2 * i128::from(self.opposed)
    }

    /// Pairs tied in exactly one of the orders: the second, the first.
    pub(super) fn tied_once(&self) -> (u64, u64) {
        (self.tied_second - self.tied_both, self.tied_first - self.tied_both)
    }
}

/// The number of pairs within runs of equal elements.
fn tied<T>(sorted: &[T], same: impl FnMut(&T, &T) -> bool) -> u64 {
    sorted.chunk_by(same).map(|run| pairs(run.len() as u64)).sum()
}

/// Sorts by merging. Returns the number of pairs that were strictly in the wrong order.
pub(super) fn sort_counting_inversions(values: &mut [u64]) -> u64 {
    let mut spare = values.to_vec();
    merge_sort(values, &mut spare)
}

/// `spare` is room of the same length.
fn merge_sort(values: &mut [u64], spare: &mut [u64]) -> u64 {
    let middle = values.len() / 2;
    if middle == 0 {
        return 0;
    }
    let (left, right) = values.split_at_mut(middle);
    let (spare_left, spare_right) = spare.split_at_mut(middle);
    let mut inversions = merge_sort(left, spare_left) + merge_sort(right, spare_right);
    spare.copy_from_slice(values);
    let (left, right) = spare.split_at(middle);
    let (mut i, mut j) = (0, 0);
    for slot in values.iter_mut() {
        if j == right.len() || (i < left.len() && left[i] <= right[j]) {
            *slot = left[i];
            i += 1;
        } else {
            // Everything that still waits on the left is larger and stood before it.
            inversions += (left.len() - i) as u64;
            *slot = right[j];
            j += 1;
        }
    }
    inversions
}
