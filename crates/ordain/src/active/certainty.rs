//! How settled a ranking is, and when to stop.
//!
//! Everything is counted from joint draws of the utilities. The draws come from the posterior itself; the belief's
//! Gaussian only guides them. Each draw gives an order, with which the ranking by means is compared. The first p items
//! are the right ones if the worst of them is above the best of the others. One pass finds this for all p.

use super::goals::usual_focus;
use super::strategy::Emphasis;
use crate::data::{Goal, Groups, ItemId, Items};
use crate::gp::{Belief, DrawnOrder, Draws, RankedItem, RankingParams, by_falling_mean, rank_and};
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
            let own: Vec<f64> = ranking(means, members).iter().map(|item| utilities[item.index()]).collect();
            let seen = look(members.len())(&DrawnOrder::new(&own));
            Ok(Certainty::count(&[seen], members.len()).probability(self.goal, self.error) == 1.0)
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
/// If `draws` is 0, or the kernel cannot be evaluated.
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
    let look = look(members.len());
    let draws = Draws::new(belief, &ranking(belief.mean(), members), params.draws)?;
    let draws = draws.each(params.seed, group, &params.watch, |drawn, _, _| look(&DrawnOrder::new(drawn)))?;
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
    let (ranked, draws) = rank_and(belief, items, params, look)?;
    Ok((ranked, draws.iter().zip(items.group_sizes()).map(|(draws, size)| Certainty::count(draws, size)).collect()))
}

/// The ranking by means compared with one draw. `right` holds every p for which the first p items are the right ones;
/// `wrong` is the share of pairs in the wrong order, and `early` the same share where a pair counts by its higher place.
struct Seen {
    right: Vec<u32>,
    wrong: f64,
    early: f64,
}

/// A function that compares the ranking of so many items by their means with a draw of their utilities.
fn look(count: usize) -> impl Fn(&DrawnOrder) -> Seen + Sync {
    let focus = usual_focus(Goal::TopHeavy, count as f64);
    let weights: Vec<f64> = (1..=count).map(|rank| Emphasis::Focus(focus).at(rank)).collect();
    let later = |rank: usize| (count - rank) as f64;
    let weight: f64 = weights.iter().zip(1..).map(|(weight, rank)| weight * later(rank)).sum();
    let pairs = (count * count.saturating_sub(1) / 2) as f64;
    move |order| {
        let right = right_prefixes(order);
        let (wrong, early) = inversions(&order.places, &weights);
        // A single item has no pairs.
        Seen { right, wrong: wrong as f64 / pairs.max(1.0), early: if weight > 0.0 { early / weight } else { 0.0 } }
    }
}

/// Items by falling mean.
fn ranking(means: &[f64], members: &[ItemId]) -> Vec<ItemId> {
    by_falling_mean(members.iter().map(|item| item.index()), means).into_iter().map(ItemId::new).collect()
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

/// Every p for which the first p items by mean have the p largest utilities.
fn right_prefixes(order: &DrawnOrder) -> Vec<u32> {
    let mut last = 0;
    let mut out = Vec::new();
    for (&place, p) in order.places.iter().zip(1..) {
        last = last.max(place + 1);
        // The last one of the first p must be above the next, not equal to it.
        if last == p && !order.is_tied.get(p as usize - 1).is_some_and(|tied| *tied) {
            out.push(p);
        }
    }
    out
}

/// The number of pairs of places that stand in the wrong order, and their sum where a pair counts the weight of its better
/// place. `places` are all places in some order.
///
/// Goes through the places by falling rank and counts those after each that stand before it in the order. Places are marked
/// in words of 64, whose counts are summed up within blocks of words and over blocks, so that adding and counting both touch
/// a few cache lines.
fn inversions(places: &[u32], weights: &[f64]) -> (u64, f64) {
    /// Words of a block.
    const BLOCK: usize = 32;
    let mut ranks = vec![0_u32; places.len()];
    places.iter().zip(0..).for_each(|(&place, rank)| ranks[place as usize] = rank);
    let words = places.len().div_ceil(64);
    let mut marked = vec![0_u64; words];
    // The number of marks in earlier words of the same block, and in earlier blocks.
    let mut before = vec![[0_u16; BLOCK]; words.div_ceil(BLOCK)];
    let mut blocks_before = vec![0_u32; before.len()];
    let (mut count, mut sum) = (0_u64, 0.0);
    for (&rank, weight) in ranks.iter().zip(weights).rev() {
        let (word, bit) = (rank as usize / 64, rank % 64);
        let (block, within) = (word / BLOCK, word % BLOCK);
        let below = marked[word] & ((1 << bit) - 1);
        let better = blocks_before[block] + u32::from(before[block][within]) + below.count_ones();
        count += u64::from(better);
        sum += weight * f64::from(better);
        marked[word] |= 1 << bit;
        before[block][within + 1..].iter_mut().for_each(|count| *count += 1);
        blocks_before[block + 1..].iter_mut().for_each(|count| *count += 1);
    }
    (count, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More places than one block of marks has.
    #[test]
    fn inversions_of_many_places_by_brute_force() {
        const N: usize = 5000;
        // A multiplier that shares no factor with N, so all places occur.
        let places: Vec<u32> = (0..N).map(|at| (at * 2371 % N) as u32).collect();
        let mut ranks = vec![0; N];
        places.iter().enumerate().for_each(|(rank, &place)| ranks[place as usize] = rank);
        let weights: Vec<f64> = (0..N).map(|at| 1.0 / (1.0 + at as f64)).collect();
        let (mut expected, mut sum) = (0, 0.0);
        for one in 0..N {
            let wrong = (one + 1..N).filter(|&other| ranks[other] < ranks[one]).count();
            expected += wrong as u64;
            sum += weights[one] * wrong as f64;
        }
        let (count, found) = inversions(&places, &weights);
        assert_eq!(count, expected);
        // Sums of 5,000 numbers in another order.
        assert!((found - sum).abs() < 1e-12 * sum, "{found} {sum}");
    }

    proptest::proptest! {
        #[test]
        fn prefixes_and_inversions_by_brute_force(values in proptest::collection::vec(-5.0..5.0_f64, 0..40)) {
            let n = values.len();
            let ascend = |&(i, j): &(usize, usize)| values[i] < values[j];
            let expected: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).filter(ascend).collect();
            let weights: Vec<f64> = (0..n).map(|at| 0.8_f64.powi(at as i32)).collect();
            let order = DrawnOrder::new(&values);
            let (count, sum) = inversions(&order.places, &weights);
            proptest::prop_assert_eq!(count, expected.len() as u64);
            // Sums of at most 780 numbers up to 1.
            proptest::prop_assert!((sum - expected.iter().map(|&(i, _)| weights[i]).sum::<f64>()).abs() < 1e-11);
            let right = |p: &usize| values[..*p].iter().all(|a| values[*p..].iter().all(|b| a > b));
            let expected: Vec<u32> = (1..=n).filter(right).map(|p| p as u32).collect();
            proptest::prop_assert_eq!(right_prefixes(&order), expected);
        }
    }
}
