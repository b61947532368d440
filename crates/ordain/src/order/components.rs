//! Ordering by strongly connected components, as the journal version of LTOT does (JAIR 10, 1999).

use super::agreement::net_agreement;
use super::greedy::{greedy_among, greedy_order};
use super::{Preference, SAME};

/// The better of two orders. One is greedy. The other first orders the strongly connected components of "u should come
/// before v", which loses nothing between components, and is greedy within each. The second alone can be worse than
/// greedy; the result never is.
///
/// `O(n)` rows of the preference, `O(n²)` time, and one bit of memory per pair.
pub fn component_order(preference: &impl Preference) -> Vec<usize> {
    let greedy = greedy_order(preference);
    let components = components(&Majority::of(preference));
    if components.len() <= 1 {
        return greedy;
    }
    let by_component: Vec<usize> =
        components.into_iter().flat_map(|component| greedy_among(component, preference)).collect();
    if net_agreement(&by_component, preference) > net_agreement(&greedy, preference) + SAME {
        by_component
    } else {
        greedy
    }
}

/// For every pair of items, whether the first should come before the second: one bit per pair.
struct Majority {
    items: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Majority {
    fn of(preference: &impl Preference) -> Self {
        let items = preference.len();
        let words = items.div_ceil(64);
        let mut bits = vec![0; items * words];
        let mut row = vec![0.0; items];
        for item in 0..items {
            row.fill(0.0);
            preference.add_net(item, 1.0, &mut row);
            for (other, _) in row.iter().enumerate().filter(|(_, net)| **net > SAME) {
                bits[item * words + other / 64] |= 1 << (other % 64);
            }
        }
        Self { items, words, bits }
    }

    /// The first item, from `from` on, that should come after `item`.
    fn next(&self, item: usize, from: usize) -> Option<usize> {
        let row = &self.bits[item * self.words..(item + 1) * self.words];
        let mut word = from / 64;
        let mut left = row.get(word)? & (u64::MAX << (from % 64));
        while left == 0 {
            word += 1;
            left = *row.get(word)?;
        }
        Some(word * 64 + left.trailing_zeros() as usize)
    }
}

/// Strongly connected components in topological order, each with its items in rising order. This is Tarjan's algorithm
/// with a stack of its own, since a path can be as long as the number of items.
fn components(graph: &Majority) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let n = graph.items;
    let (mut number, mut lowest) = (vec![NEW; n], vec![NEW; n]);
    let mut open = vec![false; n];
    let (mut stack, mut path, mut out) = (Vec::new(), Vec::new(), Vec::new());
    let mut count = 0;
    for root in 0..n {
        if number[root] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some((item, from)) = path.pop() {
            if number[item] == NEW {
                (number[item], lowest[item]) = (count, count);
                count += 1;
                stack.push(item);
                open[item] = true;
            }
            if let Some(next) = graph.next(item, from) {
                if number[next] == NEW {
                    // Comes back to the same edge, which then finds `next` numbered.
                    path.push((item, next));
                    path.push((next, 0));
                } else {
                    if open[next] {
                        lowest[item] = lowest[item].min(lowest[next]);
                    }
                    path.push((item, next + 1));
                }
                continue;
            }
            if lowest[item] == number[item] {
                let start = stack.iter().rposition(|&other| other == item).unwrap_or(0);
                let mut component = stack.split_off(start);
                component.iter().for_each(|&member| open[member] = false);
                component.sort_unstable();
                out.push(component);
            }
        }
    }
    // Tarjan's algorithm completes a component after all that can be reached from it.
    out.reverse();
    out
}
