//! Distances between lists of the first few items, and between orders with ties, of named items.
//!
//! Two top lists need not hold the same items, so the classical distances are extended. The Kendall distance $K^{(p)}$
//! is a sum over all pairs of items in either list: 1 if the lists surely disagree, 0 if they may agree, and the
//! penalty `p` if both items stand in one list and neither in the other, so that nothing is known. The footrule
//! $F^{(\ell)}$ puts an absent item at position $\ell$.
//!
//! A bucket order is a list of groups, best first; the members of a group are tied. There $K^{(p)}$ charges `p` for a
//! pair that is tied in exactly one of the orders, and $F_{prof}$ places every member of a bucket at the bucket's
//! average position.
//!
//! # References
//!
//! R. Fagin, R. Kumar and D. Sivakumar, *Comparing top k lists*, SIAM J. Discrete Mathematics 17 (2003). R. Fagin,
//! R. Kumar, M. Mahdian, D. Sivakumar and E. Vee, *Comparing and aggregating rankings with ties*, PODS 2004.
//!
//! Deviation: the two lists may differ in length.

use std::collections::HashMap;
use std::hash::Hash;

use super::correlation::half_of_differences;
use super::ranks::{PairCounts, pairs, sort_counting_inversions, unusable};
use crate::{Error, Result};

/// The penalty that assumes the best about unknown pairs.
pub const OPTIMISTIC: f64 = 0.0;
/// The penalty that flips a fair coin for unknown pairs.
pub const NEUTRAL: f64 = 0.5;

/// The position of each item of a list, from 1.
fn positions<T: Eq + Hash>(list: &[T]) -> Result<HashMap<&T, u64>> {
    let mut positions = HashMap::with_capacity(list.len());
    for (at, item) in list.iter().enumerate() {
        if let Some(earlier) = positions.insert(item, at as u64 + 1) {
            return Err(twice(earlier, at as u64 + 1));
        }
    }
    Ok(positions)
}

fn twice(earlier: u64, later: u64) -> Error {
    unusable("list", format!("one item at {earlier} and at {later}"), "every item once")
}

fn check_penalty(penalty: f64) -> Result<()> {
    if (0.0..=1.0).contains(&penalty) {
        return Ok(());
    }
    Err(Error::Parameter { name: "penalty".to_owned(), value: penalty, expected: "between 0 and 1" })
}

/// The Kendall distance $K^{(p)}$ of two top lists, best first. It is 0 for equal lists, $k_1 k_2 + p
/// \left(\binom{k_1}2 + \binom{k_2}2\right)$ for disjoint ones. A pair that stands in one list and is wholly absent
/// from the other costs `penalty`: [`OPTIMISTIC`], [`NEUTRAL`] or any number between 0 and 1. O(k log k).
///
/// ```
/// use ordain::measure::{NEUTRAL, top_kendall};
/// assert_eq!(top_kendall(&["a", "b"], &["b", "c"], NEUTRAL)?, 2.0);
/// assert_eq!(top_kendall(&["a", "b"], &["c", "d"], NEUTRAL)?, 5.0);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// An item twice in one list; a penalty outside 0 to 1.
pub fn top_kendall<T: Eq + Hash>(first: &[T], second: &[T], penalty: f64) -> Result<f64> {
    check_penalty(penalty)?;
    let (in_first, in_second) = (positions(first)?, positions(second)?);
    let mut common: Vec<u64> = first.iter().filter_map(|item| in_second.get(item).copied()).collect();
    let alone = [first.len() - common.len(), second.len() - common.len()].map(|count| count as u64);
    let overtaken = absent_before_present(first, &in_second) + absent_before_present(second, &in_first);
    let sure = sort_counting_inversions(&mut common) + overtaken + alone[0] * alone[1];
    Ok(sure as f64 + penalty * (pairs(alone[0]) + pairs(alone[1])) as f64)
}

/// The number of pairs of `list` whose better item is absent from the other list and whose worse item is not.
fn absent_before_present<T: Eq + Hash>(list: &[T], other: &HashMap<&T, u64>) -> u64 {
    let (mut absent, mut total) = (0, 0);
    for item in list {
        if other.contains_key(item) {
            total += absent;
        } else {
            absent += 1;
        }
    }
    total
}

/// The footrule of two top lists. An absent item is placed right behind the list, at its length + 1: $F^{(k+1)}$. O(k).
///
/// # Errors
///
/// An item twice in one list.
pub fn top_footrule<T: Eq + Hash>(first: &[T], second: &[T]) -> Result<f64> {
    footrule_at(first, second, [first.len() as f64 + 1.0, second.len() as f64 + 1.0])
}

/// The footrule $F^{(\ell)}$ of two top lists. An absent item is placed at position `location`, which must lie behind
/// both lists. O(k).
///
/// ```
/// use ordain::measure::top_footrule_at;
/// assert_eq!(top_footrule_at(&["a", "b"], &["b", "c"], 3.0)?, 4.0);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// An item twice in one list; a location not behind both, or infinite.
pub fn top_footrule_at<T: Eq + Hash>(first: &[T], second: &[T], location: f64) -> Result<f64> {
    if !(location.is_finite() && location > first.len().max(second.len()) as f64) {
        let expected = "more than the length of either list";
        return Err(Error::Parameter { name: "location".to_owned(), value: location, expected });
    }
    footrule_at(first, second, [location; 2])
}

/// The footrule with items absent from the first and from the second list at `behind`.
fn footrule_at<T: Eq + Hash>(first: &[T], second: &[T], behind: [f64; 2]) -> Result<f64> {
    let (in_first, in_second) = (positions(first)?, positions(second)?);
    let mut total = 0.0;
    for (at, item) in first.iter().enumerate() {
        let other = in_second.get(item).map_or(behind[1], |&position| position as f64);
        total += ((at + 1) as f64 - other).abs();
    }
    for (at, item) in second.iter().enumerate() {
        if !in_first.contains_key(item) {
            total += (behind[0] - (at + 1) as f64).abs();
        }
    }
    Ok(total)
}

/// Twice the average position of every item's bucket, in the order of the list.
fn doubled_positions<T: Eq + Hash, B: AsRef<[T]>>(buckets: &[B]) -> Result<(Vec<&T>, HashMap<&T, u64>)> {
    let (mut items, mut positions) = (Vec::new(), HashMap::new());
    for bucket in buckets.iter().map(AsRef::as_ref) {
        let doubled = 2 * items.len() as u64 + bucket.len() as u64 + 1;
        for item in bucket {
            items.push(item);
            if positions.insert(item, doubled).is_some() {
                return Err(unusable("bucket order", "one item twice", "every item once"));
            }
        }
    }
    Ok((items, positions))
}

/// Twice the positions of the same items in two bucket orders.
fn paired_positions<T, A, B>(first: &[A], second: &[B]) -> Result<(Vec<u64>, Vec<u64>)>
where
    T: Eq + Hash,
    A: AsRef<[T]>,
    B: AsRef<[T]>,
{
    let (items, in_first) = doubled_positions(first)?;
    let (_, in_second) = doubled_positions(second)?;
    let common = items.iter().filter(|item| in_second.contains_key(*item)).count();
    if common != items.len() || common != in_second.len() {
        let found = format!("{common} common items of {} and {}", items.len(), in_second.len());
        return Err(unusable("bucket orders", found, "the same items in both"));
    }
    let of = |positions: &HashMap<&T, u64>| items.iter().filter_map(|item| positions.get(item).copied()).collect();
    Ok((of(&in_first), of(&in_second)))
}

/// The Kendall distance $K^{(p)}$ of two bucket orders of the same items. A pair in opposite order costs 1, a pair tied
/// in exactly one order costs `penalty`, a pair tied in both costs nothing. With [`NEUTRAL`] it is the metric
/// $K_{prof}$. Empty buckets are ignored. O(n log n).
///
/// ```
/// use ordain::measure::{NEUTRAL, bucket_kendall};
/// let distance = bucket_kendall(&[vec!["a", "b"], vec!["c"]], &[vec!["b"], vec!["a", "c"]], NEUTRAL)?;
/// assert_eq!(distance, 1.0);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// An item twice in one order or in only one of them; a penalty outside 0 to 1.
pub fn bucket_kendall<T, A, B>(first: &[A], second: &[B], penalty: f64) -> Result<f64>
where
    T: Eq + Hash,
    A: AsRef<[T]>,
    B: AsRef<[T]>,
{
    check_penalty(penalty)?;
    let (first, second) = paired_positions::<T, A, B>(first, second)?;
    let counts = PairCounts::new(&first, &second);
    let (only_second, only_first) = counts.tied_once();
    Ok(counts.opposed as f64 + penalty * (only_second + only_first) as f64)
}

/// The footrule $F_{prof}$ of two bucket orders of the same items: the sum of the absolute differences of positions.
/// Tied items have the average position of their bucket. Empty buckets are ignored. O(n).
///
/// # Errors
///
/// An item twice in one order or in only one of them.
pub fn bucket_footrule<T, A, B>(first: &[A], second: &[B]) -> Result<f64>
where
    T: Eq + Hash,
    A: AsRef<[T]>,
    B: AsRef<[T]>,
{
    let (first, second) = paired_positions::<T, A, B>(first, second)?;
    Ok(half_of_differences(&first, &second))
}
