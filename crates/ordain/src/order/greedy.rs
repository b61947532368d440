//! The greedy order (LTOT figure 1).

use super::{Preference, SAME};

/// Order-By-Preferences (LTOT figure 1), best item first. It repeatedly takes the item whose preferences over the rest
/// most outweigh theirs over it. The order agrees with the preference at least half as well as the best order does
/// (LTOT theorem 2). Among equal items the one with the smallest index comes first.
///
/// It asks for every row of the preference once: `O(n²)` time for a single preference and `O(n² N)` for N weighted
/// experts, `O(n)` memory.
pub fn greedy_order(preference: &impl Preference) -> Vec<usize> {
    greedy_among((0..preference.len()).collect(), preference)
}

/// The greedy order of some of the items, which are given in rising order.
pub(super) fn greedy_among(mut left: Vec<usize>, preference: &impl Preference) -> Vec<usize> {
    let n = preference.len();
    let mut potentials = vec![0.0; n];
    let mut row = vec![0.0; n];
    if left.len() == n {
        preference.add_potentials(1.0, &mut potentials);
    } else {
        for &item in &left {
            row.fill(0.0);
            preference.add_net(item, 1.0, &mut row);
            potentials[item] = left.iter().map(|&other| row[other]).sum();
        }
    }
    let mut order = Vec::with_capacity(left.len());
    while let Some(at) = best(&left, &potentials) {
        let first = left.remove(at);
        order.push(first);
        // The lead of `first` no longer counts for the others (its row is PREF(first, v) - PREF(v, first)).
        row.fill(0.0);
        preference.add_net(first, 1.0, &mut row);
        for &other in &left {
            potentials[other] += row[other];
        }
    }
    order
}

/// The position of the item with the largest potential.
fn best(left: &[usize], potentials: &[f64]) -> Option<usize> {
    let mut best = 0;
    let mut largest = potentials[*left.first()?];
    for (at, &item) in left.iter().enumerate().skip(1) {
        if potentials[item] > largest + SAME {
            (best, largest) = (at, potentials[item]);
        }
    }
    Some(best)
}
