//! How settled a ranking is, and when to stop.
//!
//! Everything is counted from joint draws of the utilities. The draws come from the posterior itself; the belief's
//! Gaussian only guides them. Each draw gives an order, with which the ranking by means is compared. The first p items
//! are the right ones if the worst of them is above the best of the others. One pass finds this for all p.

use super::goals::usual_focus;
use super::strategy::Emphasis;
use crate::data::{Goal, Groups, ItemId, Items};
use crate::gp::{Belief, Draws, RankedItem, RankingParams, by_falling_mean, rank_and};
use crate::numeric::Seed;
use crate::params::setters;
use crate::{Error, Result, Watch};

/// Parameters of the count of certainty.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CertaintyParams {
    /// The number of draws, at least one. A probability p has the standard error `√(p (1 - p) / draws)`. The error is
    /// two or three times as large after many answers that are sharp compared with the prior, because the draws then
    /// form a chain.
    pub draws: usize,
    /// The seed of the draws.
    pub seed: Seed,
    /// Follows the draws and can cancel them.
    pub watch: Watch,
}

impl Default for CertaintyParams {
    fn default() -> Self {
        Self { draws: 1024, seed: Seed(1), watch: Watch::NONE }
    }
}

setters! {
    CertaintyParams:
    with_draws = draws: usize,
    with_seed = seed: Seed,
    with_watch = watch: Watch,
}

/// How settled the ranking of a group is.
#[derive(Debug, Clone, PartialEq)]
pub struct Certainty {
    /// For p = 1, 2, ...: the probability that the first p items by mean are the p best.
    prefixes: Vec<f64>,
    /// The share of pairs in the wrong order in each draw, ascending.
    errors: Vec<f64>,
    /// The same share, where a pair counts by its higher place; ascending.
    early_errors: Vec<f64>,
}

impl Certainty {
    /// The probability that the goal is reached. The goal is that the best item is on top, that the first k items are
    /// the k best, or that at most the share `error` of pairs is in the wrong order. For the goal `top-heavy`, a pair counts
    /// `exp(-3 rank / n)` by its higher rank.
    pub fn probability(&self, goal: Goal, error: f64) -> f64 {
        match goal {
            Goal::Best => self.top(1),
            Goal::Top { k } => self.top(k),
            Goal::WholeOrder => share_within(&self.errors, error),
            Goal::TopHeavy => share_within(&self.early_errors, error),
        }
    }

    /// The probability that the first k items by mean are the k best.
    pub fn top(&self, k: usize) -> f64 {
        // For k = 0 or k = all items, the set is always right.
        k.checked_sub(1).and_then(|at| self.prefixes.get(at)).copied().unwrap_or(1.0)
    }

    /// The expected share of pairs in the wrong order.
    pub fn error(&self) -> f64 {
        self.errors.iter().sum::<f64>() / self.errors.len() as f64
    }

    /// The number of items in each tier, from the top. Neighbouring tiers are told apart with at least the probability
    /// `level`. The items within a tier are not told apart yet.
    pub fn tiers(&self, level: f64) -> Vec<usize> {
        let mut out = Vec::new();
        let mut from = 0;
        for to in 1..=self.prefixes.len() {
            if to == self.prefixes.len() || self.prefixes[to - 1] >= level {
                out.push(to - from);
                from = to;
            }
        }
        out
    }
}

/// The share of ascending numbers that are at most `most`; all, if there are none.
fn share_within(ascending: &[f64], most: f64) -> f64 {
    if ascending.is_empty() {
        return 1.0;
    }
    ascending.partition_point(|&found| found <= most) as f64 / ascending.len() as f64
}

/// A rule for when to stop: the goal is reached with a given probability in every group.
///
/// A belief's probabilities hold at any time. Stopping at the first moment that meets the rule therefore does not make
/// them wrong, apart from the chance in counting them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StopRule {
    /// The goal of the answers.
    pub goal: Goal,
    /// The share of pairs that may be in the wrong order. Only goals that order all items use it.
    pub error: f64,
    /// The probability with which the goal must be reached.
    pub target: f64,
}

impl StopRule {
    /// A rule with target probability 0.9 and, for an order of all items, at most a tenth of the pairs wrong.
    pub fn new(goal: Goal) -> Self {
        Self { goal, error: 0.1, target: 0.9 }
    }
}

setters! {
    StopRule:
    with_error = error: f64,
    with_target = target: f64,
}

impl StopRule {
    /// The probability that the goal is reached, in the group where this probability is smallest.
    pub fn probability(&self, groups: &[Certainty]) -> f64 {
        groups.iter().map(|one| one.probability(self.goal, self.error)).fold(1.0, f64::min)
    }

    /// Whether the goal is reached in every group by the ranking by these means, if these are the true utilities.
    ///
    /// # Errors
    /// If there are not as many utilities as means, or the groups are of other items.
    pub fn holds(&self, means: &[f64], groups: Option<&Groups>, utilities: &[f64]) -> Result<bool> {
        let grouped = groups.map_or(means.len(), |groups| groups.sizes().sum());
        if utilities.len() != means.len() || grouped != means.len() {
            return Err(Error::Data {
                what: "true utilities",
                found: format!("{} of {grouped} items", utilities.len()),
                expected: format!("{}, as many as the ranking has", means.len()),
            });
        }
        let of_group = |members: &[ItemId], _| {
            let own: Vec<f64> = members.iter().map(|item| utilities[item.index()]).collect();
            Ok(Certainty::count(&[look(means, members)(&own)], members.len()).probability(self.goal, self.error) == 1.0)
        };
        Ok(each_group(means.len(), groups, of_group)?.into_iter().all(|holds| holds))
    }

    /// Whether the rule is met.
    pub fn is_met(&self, groups: &[Certainty]) -> bool {
        self.probability(groups) >= self.target
    }
}

/// Counts how settled the ranking of every group is. This takes `g³/3 + draws g²` operations for a group of g items,
/// and per draw a few likelihoods of every answer.
///
/// # Errors
/// If `draws` is 0, a group has more than 20,000 items, or the kernel cannot be evaluated.
pub fn certainty(belief: &dyn Belief, groups: Option<&Groups>, params: &CertaintyParams) -> Result<Vec<Certainty>> {
    if params.draws == 0 {
        return Err(Error::Parameter { name: "draws".into(), value: 0.0, expected: "at least one" });
    }
    each_group(belief.len(), groups, |members, group| certainty_of(belief, members, group, params))
}

/// How settled the ranking of some items is. `group` separates the draws of several groups.
pub(super) fn certainty_of(
    belief: &dyn Belief,
    members: &[ItemId],
    group: u32,
    params: &CertaintyParams,
) -> Result<Certainty> {
    let look = look(belief.mean(), members);
    let draws = Draws::new(belief, members, params.draws)?;
    let draws = draws.each(params.seed, group, &params.watch, |drawn, _, _| look(drawn))?;
    Ok(Certainty::count(&draws, members.len()))
}

/// What is found about the members of every group, each with its number; without groups, about all of so many items.
pub(super) fn each_group<T>(
    items: usize,
    groups: Option<&Groups>,
    find: impl Fn(&[ItemId], u32) -> Result<T>,
) -> Result<Vec<T>> {
    match groups {
        None => Ok(vec![find(&(0..items).map(ItemId::new).collect::<Vec<_>>(), 0)?]),
        Some(groups) => (0..groups.len()).map(|group| find(groups.members(group), group as u32)).collect(),
    }
}

/// The ranking and the certainty of every group, from the same draws. This is hardly more work than the ranking alone.
///
/// # Errors
/// As [`rank`](crate::gp::rank).
pub fn rank_with_certainty(
    belief: &dyn Belief,
    items: &Items,
    params: &RankingParams,
) -> Result<(Vec<RankedItem>, Vec<Certainty>)> {
    let (ranked, draws) = rank_and(belief, items, params, |members| look(belief.mean(), members))?;
    Ok((ranked, draws.iter().zip(items.group_sizes()).map(|(draws, size)| Certainty::count(draws, size)).collect()))
}

/// The ranking by means compared with one draw. `right` holds every p for which the first p items are the right ones;
/// `wrong` is the share of pairs in the wrong order, and `early` the same share where a pair counts by its higher place.
struct Seen {
    right: Vec<u32>,
    wrong: f64,
    early: f64,
}

/// A function that compares the ranking of these items by their means with a draw of their utilities.
fn look(means: &[f64], members: &[ItemId]) -> impl Fn(&[f64]) -> Seen + Sync + use<> {
    let mean: Vec<f64> = members.iter().map(|item| means[item.index()]).collect();
    let order = by_falling_mean(0..members.len(), &mean);
    let count = order.len();
    let focus = usual_focus(Goal::TopHeavy, count as f64);
    let weights: Vec<f64> = (1..=count).map(|rank| Emphasis::Focus(focus).at(rank)).collect();
    let later = |rank: usize| (count - rank) as f64;
    let weight: f64 = weights.iter().zip(1..).map(|(weight, rank)| weight * later(rank)).sum();
    let pairs = (count * count.saturating_sub(1) / 2) as f64;
    move |utilities| {
        let utilities: Vec<f64> = order.iter().map(|&at| utilities[at]).collect();
        let right = right_prefixes(&utilities);
        let (wrong, early) = inversions(&utilities, &weights);
        // A single item has no pairs.
        Seen { right, wrong: wrong as f64 / pairs.max(1.0), early: if weight > 0.0 { early / weight } else { 0.0 } }
    }
}

impl Certainty {
    fn count(draws: &[Seen], size: usize) -> Self {
        let mut prefixes = vec![0.0; size];
        draws.iter().flat_map(|seen| &seen.right).for_each(|&p| prefixes[p as usize - 1] += 1.0);
        prefixes.iter_mut().for_each(|count| *count /= draws.len() as f64);
        let ascending = |share: fn(&Seen) -> f64| {
            let mut shares: Vec<f64> = draws.iter().map(share).collect();
            shares.sort_by(f64::total_cmp);
            shares
        };
        Self { prefixes, errors: ascending(|seen| seen.wrong), early_errors: ascending(|seen| seen.early) }
    }
}

/// Every p for which the first p numbers are the p largest.
fn right_prefixes(utilities: &[f64]) -> Vec<u32> {
    let mut largest_after = vec![f64::NEG_INFINITY; utilities.len() + 1];
    for (at, &utility) in utilities.iter().enumerate().rev() {
        largest_after[at] = utility.max(largest_after[at + 1]);
    }
    let mut smallest = f64::INFINITY;
    let mut out = Vec::new();
    for (at, &utility) in utilities.iter().enumerate() {
        smallest = smallest.min(utility);
        if smallest > largest_after[at + 1] {
            out.push(at as u32 + 1);
        }
    }
    out
}

/// The number of pairs in which the later value is larger, and their sum where a pair counts the weight of its earlier place. Merges
/// the values in falling order. `n log n`.
fn inversions(values: &[f64], weights: &[f64]) -> (u64, f64) {
    let mut sorted: Vec<(f64, f64)> = values.iter().copied().zip(weights.iter().copied()).collect();
    let mut scratch = sorted.clone();
    let (mut count, mut sum) = (0, 0.0);
    let mut width = 1;
    while width < sorted.len() {
        for (from, to) in sorted.chunks(2 * width).zip(scratch.chunks_mut(2 * width)) {
            let (left, right) = from.split_at(width.min(from.len()));
            let (mut l, mut r) = (0, 0);
            // The weights of the left values that are not merged yet.
            let mut ahead: f64 = left.iter().map(|(_, weight)| weight).sum();
            for out in to {
                let take_left = r == right.len() || (l < left.len() && left[l].0 >= right[r].0);
                if take_left {
                    *out = left[l];
                    ahead -= left[l].1;
                    l += 1;
                } else {
                    *out = right[r];
                    r += 1;
                    count += (left.len() - l) as u64;
                    sum += if l < left.len() { ahead } else { 0.0 };
                }
            }
        }
        sorted.copy_from_slice(&scratch);
        width *= 2;
    }
    (count, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn prefixes_and_inversions_by_brute_force(values in proptest::collection::vec(-5.0..5.0_f64, 0..40)) {
            let n = values.len();
            let ascend = |&(i, j): &(usize, usize)| values[i] < values[j];
            let expected: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).filter(ascend).collect();
            let weights: Vec<f64> = (0..n).map(|at| 0.8_f64.powi(at as i32)).collect();
            let (count, sum) = inversions(&values, &weights);
            proptest::prop_assert_eq!(count, expected.len() as u64);
            // Sums of at most 780 numbers up to 1.
            proptest::prop_assert!((sum - expected.iter().map(|&(i, _)| weights[i]).sum::<f64>()).abs() < 1e-11);
            let right = |p: &usize| values[..*p].iter().all(|a| values[*p..].iter().all(|b| a > b));
            let expected: Vec<u32> = (1..=n).filter(right).map(|p| p as u32).collect();
            proptest::prop_assert_eq!(right_prefixes(&values), expected);
        }
    }
}
