//! A ranking with its uncertainty, from any belief.

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::Belief;
use super::draws::{Counted, Draws};
use super::tiers::tiers;
use crate::data::{ItemId, Items};
use crate::numeric::sorting::by_falling;
use crate::numeric::{Seed, Stream};
use crate::params::setters;
use crate::{Error, Result, Watch};

/// How a belief becomes ranks.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RankingParams {
    /// The number of joint draws of the utilities, at least one. Intervals and probabilities are counted from them. A
    /// probability p from N draws has the standard error `√(p (1 - p) / N)`: 0.0034 at the ends of a 90 % interval for
    /// the default 4096.
    pub draws: usize,
    /// The probability that a rank lies within its interval, from 0 to 1.
    pub level: f64,
    /// If given, the probability of being among the first this many is counted too.
    pub top: Option<usize>,
    /// If given, only the first this many items of every group are returned. All items are ranked in any case.
    pub limit: Option<usize>,
    /// The seed of the draws.
    pub seed: Seed,
    /// Follows the draws.
    pub watch: Watch,
}

/// The usual number of draws, and that for very many items.
const MOST_DRAWS: usize = 4096;
const LEAST_DRAWS: usize = 256;

/// Utilities that are drawn at most where the number of draws is left open, unless that is too few draws: about a second on two
/// cores.
const DRAWN: usize = 1 << 23;

/// Up to this many items that are returned, standard deviations are exact in any case.
const EXACT: usize = 1000;

impl RankingParams {
    /// The usual parameters for a ranking of so many items: 4096 draws up to 2048 items, fewer for more, at least 256.
    pub fn for_items(items: usize) -> Self {
        Self::default().with_draws((DRAWN / items.max(1)).clamp(LEAST_DRAWS, MOST_DRAWS))
    }
}

impl Default for RankingParams {
    fn default() -> Self {
        Self { draws: MOST_DRAWS, level: 0.9, top: None, limit: None, seed: Seed(1), watch: Watch::NONE }
    }
}

setters! {
    RankingParams:
    with_draws = draws: usize,
    with_level = level: f64,
    with_top = top: Option<usize>,
    with_limit = limit: Option<usize>,
    with_seed = seed: Seed,
    with_watch = watch: Watch,
}

/// An item's place in the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedItem {
    /// The item.
    pub item: ItemId,
    /// Its rank from 1, by falling mean, within its group. Equal means keep the order of the items.
    pub rank: usize,
    /// Its expected utility.
    pub mean: f64,
    /// The standard deviation of its utility.
    pub sd: f64,
    /// The standard error of `sd` if it was counted from the draws; 0 if it is exact.
    pub sd_error: f64,
    /// Its expected utility less the mean of those of its group. Answers compare items, so only this is learned from them.
    pub centred: f64,
    /// The standard deviation of its utility less the mean utility of its group.
    pub centred_sd: f64,
    /// The standard error of `centred_sd` if it was counted from the draws; 0 if it is exact.
    pub centred_sd_error: f64,
    /// The lower end of the interval of the rank, which holds it with the probability `level`. It is the central interval if that
    /// contains `rank`: half of the probability outside lies on either side. If not, `rank` is its nearer end, and as much probability is inside.
    pub rank_low: usize,
    /// The upper end of this interval.
    pub rank_high: usize,
    /// The probability of being among the first `top`.
    pub top: Option<f64>,
    /// The tier from 1, within the group. A tier ends before the first item that some member of it is better than with at least 90 %
    /// probability.
    pub tier: usize,
}

/// Ranks the items of every group. Groups keep their order; items come by rank.
///
/// Time `g³/3 + draws g²` and memory `g²` for a group of up to 2000 items. For larger groups, beliefs with [`Belief::paths`] take
/// `draws g b` for b coordinates, `g (b + draws)` memory, and draws of the prior; standard deviations are then counted from the
/// draws. Those of the utilities themselves are exact in any case if at most 1000 items are returned.
///
/// Tiers are counted from the draws. In groups of more than 2000 items, an item is compared with the first member of the tier and the
/// last 16 of those that are better known than every member above them, not with all.
///
/// # Errors
/// If a parameter is out of range, or the kernel cannot be evaluated.
pub fn rank(belief: &dyn Belief, items: &Items, params: &RankingParams) -> Result<Vec<RankedItem>> {
    Ok(rank_and(belief, items, params, |_| |_: &DrawnOrder| ())?.0)
}

/// Like [`rank`]; also returns the results of `also` on every draw of a group's utilities, group by group.
pub(crate) fn rank_and<T: Send, F: Fn(&DrawnOrder) -> T + Sync>(
    belief: &dyn Belief,
    items: &Items,
    params: &RankingParams,
    also: impl Fn(usize) -> F,
) -> Result<(Vec<RankedItem>, Vec<Vec<T>>)> {
    let wrong = |name: &str, value, expected| Error::Parameter { name: name.into(), value, expected };
    if params.draws == 0 {
        return Err(wrong("draws", 0.0, "at least one"));
    }
    if !(0.0..=1.0).contains(&params.level) {
        return Err(wrong("level", params.level, "a probability"));
    }
    let everything: Vec<ItemId> = items.iter().collect();
    let groups: Vec<&[ItemId]> = match items.groups() {
        Some(groups) => (0..groups.len()).map(|group| groups.members(group)).collect(),
        None => vec![&everything],
    };
    let mut out = Vec::with_capacity(items.len());
    let mut others = Vec::with_capacity(groups.len());
    for (number, &members) in groups.iter().enumerate() {
        // The draws are in the order of the ranking.
        let order = by_falling_mean(members.iter().map(|item| item.index()), belief.mean());
        let ranking: Vec<ItemId> = order.into_iter().map(ItemId::new).collect();
        let also = also(members.len());
        let shown = &ranking[..params.limit.unwrap_or(ranking.len()).min(ranking.len())];
        let take = |utilities: &mut [f64], _, stream: &mut Stream| {
            let order = DrawnOrder::new(utilities);
            // A copy, so that the room of the others is free again.
            let ranks = order.ranks(stream)[..shown.len()].to_vec();
            (ranks, also(&order))
        };
        let draws = Draws::new(belief, &ranking, params.draws)?;
        let (drawn, counted) = draws.each_and_counted(params.seed, number as u32, &params.watch, take)?;
        let (ranks, other): (Vec<Vec<u32>>, Vec<T>) = drawn.into_iter().unzip();
        let spread = Spread::new(belief, &ranking, shown, counted, params.draws)?;
        let tiers = tiers(&ranks, &spread.centred, members.len());
        let average = ranking.iter().map(|item| belief.mean()[item.index()]).sum::<f64>() / ranking.len().max(1) as f64;
        let ranked = rank_group(belief.mean(), shown, &ranks, params);
        out.extend(ranked.into_iter().enumerate().map(|(at, ranked)| {
            let (sd, centred_sd) = (spread.own[at], spread.centred[at]);
            let (sd_error, centred_sd_error) = (spread.own_error * sd, spread.centred_error * centred_sd);
            let (centred, tier) = (ranked.mean - average, tiers[at]);
            RankedItem { sd, sd_error, centred, centred_sd, centred_sd_error, tier, ..ranked }
        }));
        others.push(other);
    }
    Ok((out, others))
}

/// The standard deviations of the items that are returned, and their relative errors.
struct Spread {
    own: Vec<f64>,
    own_error: f64,
    centred: Vec<f64>,
    centred_error: f64,
}

impl Spread {
    /// Exact, but where the draws came without the joint covariance and exact ones would take long.
    fn new(
        belief: &dyn Belief,
        ranking: &[ItemId],
        shown: &[ItemId],
        counted: Option<Counted>,
        draws: usize,
    ) -> Result<Self> {
        let error = (0.5 / draws as f64).sqrt();
        let (centred, centred_error) = match &counted {
            Some(counted) => (counted.centred.clone(), error),
            None => (belief.centred_variances(ranking)?, 0.0),
        };
        let (own, own_error) = match counted {
            // Draws under several noises vary about several means.
            Some(counted) if shown.len() > EXACT && belief.noises().is_empty() => (counted.variances, error),
            _ => (belief.variances_of(shown)?, 0.0),
        };
        let deviations = |variances: Vec<f64>| variances.into_iter().take(shown.len()).map(f64::sqrt).collect();
        Ok(Self { own: deviations(own), own_error, centred: deviations(centred), centred_error })
    }
}

/// The first items of a group, in the order of the ranking, from their ranks in every draw. Standard deviations, centred
/// utilities and tiers are left open.
fn rank_group(mean: &[f64], ranking: &[ItemId], draws: &[Vec<u32>], params: &RankingParams) -> Vec<RankedItem> {
    /// Items whose ranks are collected together, so that a draw is read by whole cache lines.
    const TOGETHER: usize = 16;
    let some = |(block, items): (usize, &[ItemId])| -> Vec<RankedItem> {
        let mut drawn = vec![0; draws.len() * items.len()];
        for (number, ranks) in draws.iter().enumerate() {
            let own = &ranks[block * TOGETHER..][..items.len()];
            own.iter().enumerate().for_each(|(at, rank)| drawn[at * draws.len() + number] = *rank);
        }
        let one = |(at, (&item, drawn)): (usize, (&ItemId, &mut [u32]))| {
            let within =
                |k: usize| drawn.iter().filter(|&&rank| rank as usize <= k).count() as f64 / draws.len() as f64;
            let top = params.top.map(within);
            let (rank, mean) = (block * TOGETHER + at + 1, mean[item.index()]);
            let (rank_low, rank_high) = interval(drawn, rank, params.level);
            RankedItem {
                item,
                rank,
                mean,
                sd: 0.0,
                sd_error: 0.0,
                centred: 0.0,
                centred_sd: 0.0,
                centred_sd_error: 0.0,
                rank_low,
                rank_high,
                top,
                tier: 1,
            }
        };
        items.iter().zip(drawn.chunks_exact_mut(draws.len())).enumerate().map(one).collect()
    };
    ranking.par_chunks(TOGETHER).enumerate().map(some).flatten().collect()
}

/// The interval that holds a share `level` of drawn ranks and contains the rank by mean. Of these, the share outside is divided as evenly
/// as possible: the central interval if the rank is inside, else one that begins or ends with the rank.
///
/// The rank by mean can be far from the drawn ones: one of many items that are alike must be first, and is first in hardly any draw.
fn interval(drawn: &mut [u32], rank: usize, level: f64) -> (usize, usize) {
    let (count, outside) = (drawn.len(), 0.5 * (1.0 - level));
    let place_of = |probability: f64| ((probability * count as f64).ceil() as usize).clamp(1, count) - 1;
    let inside = ((level * count as f64).ceil() as usize).clamp(1, count);
    let mut nth = |place: usize| *drawn.select_nth_unstable(place.min(count - 1)).1 as usize;
    let (low, high) = (nth(place_of(outside)), nth(place_of(1.0 - outside)));
    if rank < low {
        let below = drawn.iter().filter(|&&drawn| (drawn as usize) < rank).count();
        return (rank, *drawn.select_nth_unstable((below + inside - 1).min(count - 1)).1 as usize);
    }
    if rank > high {
        let above = drawn.iter().filter(|&&drawn| drawn as usize > rank).count();
        return (*drawn.select_nth_unstable((count - above).saturating_sub(inside)).1 as usize, rank);
    }
    (low, high)
}

/// Items by falling mean, which is the order of a ranking; equal ones by their numbers.
pub fn by_falling_mean(items: impl Iterator<Item = usize>, mean: &[f64]) -> Vec<usize> {
    let items: Vec<usize> = items.collect();
    let means: Vec<f64> = items.iter().map(|&item| mean[item]).collect();
    by_falling(&means).into_iter().map(|at| items[at as usize]).collect()
}

/// A draw of a group's utilities, in order.
pub(crate) struct DrawnOrder {
    /// Places in the ranking by mean, by falling drawn utility; equal ones by place.
    pub places: Vec<u32>,
    /// Whether the utility at each of these places is equal to that at the next.
    pub is_tied: Vec<bool>,
}

impl DrawnOrder {
    /// From the drawn utilities in the order of the means.
    pub fn new(utilities: &[f64]) -> Self {
        let places = by_falling(utilities);
        let tied = |pair: &[u32]| utilities[pair[0] as usize] == utilities[pair[1] as usize];
        Self { is_tied: places.windows(2).map(tied).collect(), places }
    }

    /// The rank from 1 of every place. A random choice orders items with the same utility, so twins have the same chances.
    fn ranks(&self, stream: &mut Stream) -> Vec<u32> {
        let mut order = self.places.clone();
        let mut from = 0;
        while from < order.len() {
            let more = self.is_tied[from.min(self.is_tied.len())..].iter().take_while(|tied| **tied).count();
            if more > 0 {
                order[from..=from + more].shuffle(stream);
            }
            from += more + 1;
        }
        let mut ranks = vec![0; order.len()];
        order.iter().zip(1..).for_each(|(&place, rank)| ranks[place as usize] = rank);
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// The interval by its definition: it contains the rank, holds the share, and is the central one unless that lacks the rank;
        /// then it begins or ends with the rank, and one rank less at its other end would hold too little.
        #[test]
        fn intervals_by_definition(
            mut drawn in proptest::collection::vec(1_u32..30, 1..80),
            rank in 1_usize..30,
            level in 0.0..=1.0_f64,
        ) {
            let (low, high) = interval(&mut drawn, rank, level);
            let share = |low: usize, high: usize| {
                drawn.iter().filter(|&&drawn| (low..=high).contains(&(drawn as usize))).count() as f64 / drawn.len() as f64
            };
            proptest::prop_assert!(low <= rank && rank <= high);
            // Rounding in a product of two numbers up to 80.
            proptest::prop_assert!(share(low, high) >= level - 1e-12);
            let mut sorted = drawn.clone();
            sorted.sort_unstable();
            let count = sorted.len() as f64;
            let quantile = |p: f64| sorted[((p * count).ceil() as usize).clamp(1, sorted.len()) - 1] as usize;
            let central = (quantile(0.5 * (1.0 - level)), quantile(1.0 - 0.5 * (1.0 - level)));
            if (central.0..=central.1).contains(&rank) {
                proptest::prop_assert_eq!((low, high), central);
            } else if rank < central.0 {
                proptest::prop_assert_eq!(low, rank);
                proptest::prop_assert!(high == rank || share(low, high - 1) < level + 1e-12);
            } else {
                proptest::prop_assert_eq!(high, rank);
                proptest::prop_assert!(low == rank || share(low + 1, high) < level + 1e-12);
            }
        }
    }
}
