//! A ranking with its uncertainty, from any belief.

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::Belief;
use super::draws::Draws;
use crate::data::{ItemId, Items};
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
    /// The seed of the draws.
    pub seed: Seed,
    /// Follows the draws.
    pub watch: Watch,
}

impl Default for RankingParams {
    fn default() -> Self {
        Self { draws: 4096, level: 0.9, top: None, seed: Seed(1), watch: Watch::NONE }
    }
}

setters! {
    RankingParams:
    with_draws = draws: usize,
    with_level = level: f64,
    with_top = top: Option<usize>,
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
    /// The lower end of the interval: the rank is below it with at most half of the probability outside.
    pub rank_low: usize,
    /// The upper end of the interval: the rank is above it with at most half of the probability outside.
    pub rank_high: usize,
    /// The probability of being among the first `top`.
    pub top: Option<f64>,
}

/// Ranks the items of every group. Groups keep their order; items come by rank.
///
/// Time `g³/3 + draws g²` and memory `g²` for a group of g items.
///
/// # Errors
/// If a parameter is out of range, a group has more than 20,000 items, or the kernel cannot be evaluated.
pub fn rank(belief: &dyn Belief, items: &Items, params: &RankingParams) -> Result<Vec<RankedItem>> {
    Ok(rank_and(belief, items, params, |_| |_: &[f64]| ())?.0)
}

/// Like [`rank`]; also returns the results of `also` on every draw of a group's utilities, group by group.
pub(crate) fn rank_and<T: Send, F: Fn(&[f64]) -> T + Sync>(
    belief: &dyn Belief,
    items: &Items,
    params: &RankingParams,
    also: impl Fn(&[ItemId]) -> F,
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
        let also = also(members);
        let take = |utilities: &mut [f64], _, stream: &mut Stream| (ranks(utilities, stream), also(utilities));
        let draws = Draws::new(belief, members, params.draws)?.each(params.seed, number as u32, &params.watch, take)?;
        let (ranks, other): (Vec<Vec<u32>>, Vec<T>) = draws.into_iter().unzip();
        out.extend(rank_group(belief, members, &ranks, params));
        others.push(other);
    }
    Ok((out, others))
}

/// The items of a group, from their ranks in every draw.
fn rank_group(belief: &dyn Belief, members: &[ItemId], draws: &[Vec<u32>], params: &RankingParams) -> Vec<RankedItem> {
    let mean: Vec<f64> = members.iter().map(|item| belief.mean()[item.index()]).collect();

    let outside = 0.5 * (1.0 - params.level);
    let quantile = |sorted: &[u32], probability: f64| {
        let position = (probability * sorted.len() as f64).ceil() as usize;
        sorted[position.clamp(1, sorted.len()) - 1] as usize
    };
    let order = by_falling_mean(0..members.len(), &mean);
    let ranked = order.into_par_iter().enumerate();
    ranked
        .map(|(place, position)| {
            let mut drawn: Vec<u32> = draws.iter().map(|ranks| ranks[position]).collect();
            drawn.sort_unstable();
            let within = |k: usize| drawn.partition_point(|&rank| rank as usize <= k) as f64 / drawn.len() as f64;
            RankedItem {
                item: members[position],
                rank: place + 1,
                mean: mean[position],
                sd: belief.variances()[members[position].index()].sqrt(),
                rank_low: quantile(&drawn, outside),
                rank_high: quantile(&drawn, 1.0 - outside),
                top: params.top.map(within),
            }
        })
        .collect()
}

/// Items by falling mean, which is the order of a ranking; equal ones by their numbers.
pub fn by_falling_mean(items: impl Iterator<Item = usize>, mean: &[f64]) -> Vec<usize> {
    // Numbers in the order of the bits that stand for them sort faster.
    let key = |item: usize| {
        let bits = (mean[item] + 0.0).to_bits();
        let ascending = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        (!ascending, item as u32)
    };
    let mut keys: Vec<(u64, u32)> = items.map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, item)| item as usize).collect()
}

/// Every item's rank in a draw. A random choice orders items with the same utility, so twins have the same chances.
fn ranks(utilities: &[f64], stream: &mut Stream) -> Vec<u32> {
    let mut order: Vec<u32> = (0..utilities.len() as u32).collect();
    order.shuffle(stream);
    order.sort_by(|&a, &b| utilities[b as usize].total_cmp(&utilities[a as usize]));
    let mut ranks = vec![0; utilities.len()];
    for (position, &item) in order.iter().enumerate() {
        ranks[item as usize] = position as u32 + 1;
    }
    ranks
}
