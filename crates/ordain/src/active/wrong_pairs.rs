//! The pair whose answer is expected to mend the most wrong pairs.
//!
//! A pair k, l of the ranking is wrong with probability `min(p, 1 - p)`, where p is the probability that k is above l.
//! The smooth stand-in is `p (1 - p)`. An answer changes p to p'. The mean of p' is p, so `p (1 - p)` is expected to
//! fall by the variance of p'. To first order that is `w (e_kl' K e)² F`. Here K is the belief's covariance, e is the
//! difference of the pair that is asked, and `w = φ(t)² / v` with `t = (m_k - m_l) / √v` and v the variance of
//! `k - l`. F is the expected square of the slope of the answer's log probability. Without ties it is
//! `φ(z)² / (Φ(z) Φ(-z)) / (λ² + e'Ke)` with `z = e'm / √(λ² + e'Ke)`. The score is the sum over all pairs k, l:
//! `F e'K L K e` with the Laplacian L of the weights w.
//!
//! Two things make the sum fit a search. Only a short list of pairs is scored: those that take the most entropy. And
//! beyond some thousand pairs, a sample stands for all pairs k, l: items at geometrically growing distances in the
//! ranking, and of each distance as large a share of the items as fits. Weights are smooth in the rank.

use super::Strategy;
use super::choice::{Best, Candidates};
use super::pair_belief::Answers;
use super::search::{Rows, search};
use crate::Result;
use crate::gp::{Belief, Covariances};
use crate::numeric::Stream;
use crate::numeric::normal::density;

/// Up to this many items, all covariances are usually at hand.
const FEW: usize = 4000;

/// The number of pairs that are scored, and the number of pairs that stand for all pairs, at most. Both depend on the
/// number of items alone, not on the form of the covariances.
fn sizes(items: usize) -> (usize, usize) {
    if items <= FEW { (50, 4000) } else { (16, 1000) }
}

/// The pairs that share the best score of all groups.
///
/// Beside the search for the short list, this costs 200,000 looks into the covariances, or 16,000 beyond 4,000 items. If such
/// a kernel gives covariances only by whole columns, the best pair by entropy is taken.
///
/// # Errors
/// If the kernel cannot give a column.
pub(super) fn wrong_pairs(
    belief: &dyn Belief,
    answers: &Answers,
    candidates: &Candidates,
    stream: &mut Stream,
) -> Result<Best> {
    let rows = Rows::new(belief);
    let covariances = belief.covariances().unwrap_or(&rows);
    let Some(stand_ins) = StandIns::of(belief, covariances, candidates)? else {
        return search(belief, answers, Strategy::Entropy, candidates, 1);
    };
    let (list, _) = sizes(belief.len());
    let short = search(belief, answers, Strategy::Entropy, candidates, list)?.some(stream);
    let mut best = Best::default();
    for (first, second) in short {
        best.offer((stand_ins.score(belief, covariances, answers, first, second)?, 0.0), (first, second));
    }
    Ok(best)
}

/// Pairs that stand for all pairs of the ranking.
pub(super) struct StandIns {
    /// The items that occur, without repetition.
    items: Vec<u32>,
    /// The positions of two items in `items`, and the weight of their pair.
    pairs: Vec<(u32, u32, f64)>,
}

impl StandIns {
    /// Those of a belief; none if there are so many items that a kernel without cheap entries cannot give what they take.
    pub(super) fn of(
        belief: &dyn Belief,
        covariances: &dyn Covariances,
        candidates: &Candidates,
    ) -> Result<Option<Self>> {
        if belief.len() > FEW && !covariances.has_cheap_entries() {
            return Ok(None);
        }
        let (_, most) = sizes(belief.len());
        Self::new(belief, covariances, candidates, most).map(Some)
    }

    /// By how much an answer about two items is expected to mend the wrong pairs.
    pub(super) fn score(
        &self,
        belief: &dyn Belief,
        covariances: &dyn Covariances,
        answers: &Answers,
        first: usize,
        second: usize,
    ) -> Result<f64> {
        let mean = belief.mean()[first] - belief.mean()[second];
        let (spread, variance) = self.spread(covariances, first, second)?;
        Ok(answers.information(mean, variance) * spread)
    }

    /// At most about `most` pairs, over all groups.
    fn new(belief: &dyn Belief, covariances: &dyn Covariances, candidates: &Candidates, most: usize) -> Result<Self> {
        let orders = candidates.orders(belief);
        let pairs: usize = orders.iter().map(|order| order.len() * order.len().saturating_sub(1) / 2).sum();
        let wanted = |order: &Vec<usize>| distances(order.len(), pairs <= most);
        let total: usize =
            orders.iter().map(|order| wanted(order).map(|(distance, _)| order.len() - distance).sum::<usize>()).sum();
        let stride = total.div_ceil(most).max(1);
        let (mean, variances) = (belief.mean(), belief.variances());
        let mut place = vec![u32::MAX; belief.len()];
        let mut out = Self { items: Vec::new(), pairs: Vec::new() };
        for order in &orders {
            let all: Vec<(usize, f64)> = wanted(order).collect();
            let of_distance = |(at, &(distance, share)): (usize, &(usize, f64))| {
                let rows = taken_rows(order.len() - distance, at, stride, all.len());
                rows.map(move |row| (row, distance, share * stride as f64))
            };
            let mut taken: Vec<(usize, usize, f64)> = all.iter().enumerate().flat_map(of_distance).collect();
            taken.sort_unstable_by_key(|&(row, distance, _)| (row, distance));
            for row in taken.chunk_by(|one, other| one.0 == other.0) {
                let item = order[row[0].0];
                let others: Vec<u32> = row.iter().map(|&(row, distance, _)| order[row + distance] as u32).collect();
                let mut entries = vec![0.0; others.len()];
                covariances.entries(item, &others, &mut entries)?;
                for ((&other, covariance), (.., share)) in others.iter().zip(&entries).zip(row) {
                    let variance = variances[item] + variances[other as usize] - 2.0 * covariance;
                    // Twins never part.
                    if variance > 0.0 {
                        let density = density((mean[item] - mean[other as usize]) / variance.sqrt());
                        let pair = [item as u32, other].map(|item| out.place(&mut place, item));
                        out.pairs.push((pair[0], pair[1], share * density * density / variance));
                    }
                }
            }
        }
        Ok(out)
    }

    /// The position of an item among those that occur.
    fn place(&mut self, places: &mut [u32], item: u32) -> u32 {
        let place = &mut places[item as usize];
        if *place == u32::MAX {
            *place = self.items.len() as u32;
            self.items.push(item);
        }
        *place
    }

    /// `e'K L K e` and `e'Ke` for the difference e of two items.
    fn spread(&self, covariances: &dyn Covariances, first: usize, second: usize) -> Result<(f64, f64)> {
        let others: Vec<u32> = self.items.iter().copied().chain([first as u32, second as u32]).collect();
        let (mut one, mut other) = (vec![0.0; others.len()], vec![0.0; others.len()]);
        covariances.entries(first, &others, &mut one)?;
        covariances.entries(second, &others, &mut other)?;
        let direction: Vec<f64> = one.iter().zip(&other).map(|(one, other)| one - other).collect();
        let sum = |sum: f64, &(first, second, weight): &(u32, u32, f64)| {
            let difference = direction[first as usize] - direction[second as usize];
            sum + weight * difference * difference
        };
        let count = self.items.len();
        Ok((self.pairs.iter().fold(0.0, sum), direction[count] - direction[count + 1]))
    }
}

/// The rows, of this many, whose pair at the distance of this number stands for others, if one of `stride` pairs does. It is each
/// `stride`-th row, and rows of different distances lie apart.
fn taken_rows(rows: usize, number: usize, stride: usize, distances: usize) -> impl Iterator<Item = usize> {
    let apart = (stride / distances).max(1);
    ((stride - number * apart % stride) % stride..rows).step_by(stride)
}

/// Distances in a ranking of so many items, and the number of distances that each stands for: all distances, or all up to 8 and
/// then each for about a quarter of itself.
fn distances(items: usize, all: bool) -> impl Iterator<Item = (usize, f64)> {
    let mut from = 1;
    std::iter::from_fn(move || {
        let share = if all { 1 } else { (from / 4).max(1) };
        let to = (from + share).min(items);
        let next = (from < to).then(|| ((from + to - 1) / 2, (to - from) as f64));
        from = to;
        next
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of every distance, as many rows are taken as its share says, up to one.
    #[test]
    fn every_distance_has_its_share() {
        for items in [3, 220, 300, 3065, 3975, 20_000] {
            let all: Vec<(usize, f64)> = distances(items, false).collect();
            for stride in [1, 2, 3, 37, 38, 39, 500, 7_919] {
                for (at, (distance, _)) in all.iter().enumerate() {
                    let rows = items - distance;
                    let taken = taken_rows(rows, at, stride, all.len()).count();
                    assert!(
                        (taken * stride).abs_diff(rows) <= stride,
                        "{items} {stride} {distance}: {taken} of {rows}"
                    );
                }
            }
        }
    }

    #[test]
    fn distances_stand_for_all() {
        for items in [0, 1, 2, 9, 10, 152, 1000] {
            for all in [false, true] {
                let found: Vec<(usize, f64)> = distances(items, all).collect();
                assert_eq!(found.iter().map(|(_, share)| share).sum::<f64>(), items.saturating_sub(1) as f64);
                assert!(found.iter().all(|&(distance, _)| distance >= 1 && distance < items));
                let exact = if all { items } else { 7 };
                let mut first = found.iter().take(exact).enumerate();
                assert!(first.all(|(at, &one)| one == (at + 1, 1.0)), "{items} {all}");
            }
        }
    }
}
