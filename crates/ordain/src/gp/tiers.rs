//! Tiers: runs of items that cannot be told apart from each other.

use rayon::prelude::*;

use super::draws::LARGEST_GROUP;

/// The probability with which two items are told apart.
const LEVEL: f64 = 0.9;

/// Better known members that an item of a very large group is compared with.
const FRONT: usize = 16;

/// The tier from 1 of the first items of a ranking, from their ranks in every draw. A tier ends before the first item that some member
/// is better than in at least 90 % of the draws.
///
/// Up to 2000 items in the group, an item is compared with all members of the tier: `draws g²/2` comparisons at most. Beyond, with the
/// first member and the last 16 of those whose deviation is smaller than that of every member above them. If utilities do not depend on each other, no other
/// member is better with more probability: it has the lower mean, and is not known better.
pub(super) fn tiers(draws: &[Vec<u32>], deviations: &[f64], group: usize) -> Vec<usize> {
    /// Items whose ranks are collected together, so that a draw is read by whole cache lines.
    const TOGETHER: usize = 16;
    /// Members that one thread compares sooner than several would.
    const FEW: usize = 64;
    let is_large = group > LARGEST_GROUP;
    let mut members: Vec<(f64, Vec<u32>)> = Vec::new();
    let mut tier = 0;
    let mut out = Vec::with_capacity(deviations.len());
    for (block, deviations) in deviations.chunks(TOGETHER).enumerate() {
        let mut columns = vec![Vec::with_capacity(draws.len()); deviations.len()];
        for ranks in draws {
            let own = &ranks[block * TOGETHER..][..deviations.len()];
            columns.iter_mut().zip(own).for_each(|(column, rank)| column.push(*rank));
        }
        for (&deviation, column) in deviations.iter().zip(columns) {
            let apart = |(_, member): &(f64, Vec<u32>)| is_told_apart(member, &column);
            let is_apart = match members.len() {
                0 => true,
                1..=FEW => members.iter().any(apart),
                _ => members.par_iter().any(apart),
            };
            if is_apart {
                members.clear();
                tier += 1;
            }
            out.push(tier);
            if !is_large {
                members.push((deviation, column));
            } else if members.last().is_none_or(|(least, _)| deviation < *least) {
                // The first member stays.
                if members.len() > FRONT {
                    members.remove(1);
                }
                members.push((deviation, column));
            }
        }
    }
    out
}

/// Whether the first of two items has the better rank in at least 90 % of the draws.
fn is_told_apart(first: &[u32], second: &[u32]) -> bool {
    let better: u32 = first.iter().zip(second).map(|(first, second)| u32::from(first < second)).sum();
    f64::from(better) >= LEVEL * first.len() as f64
}
