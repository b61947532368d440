//! Tiers: runs of items that cannot be told apart from each other.

use multiversion::multiversion;
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

/// Whether the first of two items has the better rank in at least 90 % of the draws. Ends once too many draws say otherwise.
fn is_told_apart(first: &[u32], second: &[u32]) -> bool {
    const TOGETHER: usize = 256;
    let (mut most, draws) = (first.len(), first.len() as f64);
    first.chunks(TOGETHER).zip(second.chunks(TOGETHER)).all(|(first, second)| {
        most -= first.len() - better(first, second) as usize;
        most as f64 >= LEVEL * draws
    })
}

/// The number of draws in which the first of two items has the better rank.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn better(first: &[u32], second: &[u32]) -> u32 {
    first.iter().zip(second).map(|(first, second)| u32::from(first < second)).sum()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::numeric::Seed;

    /// Ranks in draws of independent utilities with falling means.
    fn drawn(means: &[f64], deviations: &[f64], count: usize, task: u64) -> Vec<Vec<u32>> {
        let mut stream = Seed(5).stream(task);
        let one = |_: usize| {
            let utilities: Vec<f64> = means
                .iter()
                .zip(deviations)
                .map(|(mean, deviation)| mean + deviation * stream.sample::<f64, _>(StandardNormal))
                .collect();
            let rank = |own: &f64| 1 + utilities.iter().filter(|other| *other > own).count() as u32;
            utilities.iter().map(rank).collect()
        };
        (0..count).map(one).collect()
    }

    /// By the definition, every pair counted: a tier is as long as nobody in it is told apart from another member.
    fn by_hand(draws: &[Vec<u32>], items: usize) -> Vec<usize> {
        let better = |one: usize, other: usize| {
            draws.iter().filter(|ranks| ranks[one] < ranks[other]).count() as f64 / draws.len() as f64
        };
        let (mut from, mut tier, mut out) = (0, 1, Vec::new());
        for at in 0..items {
            if (from..at).any(|member| better(member, at) >= 0.9) {
                (from, tier) = (at, tier + 1);
            }
            out.push(tier);
        }
        out
    }

    #[test]
    fn tiers_compare_all_members() {
        for (task, items) in [0, 1, 2, 15, 16, 17, 40, 100].into_iter().enumerate() {
            let mut stream = Seed(6).stream(task as u64);
            let mut means: Vec<f64> = (0..items).map(|_| 1.5 * stream.sample::<f64, _>(StandardNormal)).collect();
            means.sort_by(|one, other| other.total_cmp(one));
            let deviations: Vec<f64> = (0..items).map(|_| stream.random_range(0.05..1.0)).collect();
            let draws = drawn(&means, &deviations, 200, task as u64);
            assert_eq!(tiers(&draws, &deviations, items), by_hand(&draws, items), "{items}");
            // The same items as the first of a very large group: only better known members count, and they decide.
            let some = tiers(&draws, &deviations, LARGEST_GROUP + 1);
            assert!(some.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1), "{some:?}");
        }
    }

    /// A member far down that is well known ends a tier that its first, ill known member would not; in very large groups too.
    #[test]
    fn a_well_known_member_ends_a_tier() {
        let (means, deviations) = ([1.0, 0.9, 0.0, -0.1], [2.0, 0.05, 0.05, 2.0]);
        let draws = drawn(&means, &deviations, 2000, 50);
        for group in [4, LARGEST_GROUP + 1] {
            assert_eq!(tiers(&draws, &deviations, group), [1, 1, 2, 2], "{group}");
        }
    }
}
