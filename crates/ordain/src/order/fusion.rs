//! One order from several experts: LTOT's ways, and the usual ones.

use super::greedy::greedy_order;
use super::{Preference, RankOrdering, Weighted, component_order, improve};
use crate::words::vocabulary;
use crate::{Error, Result};

/// How the experts' orders become one order. Equal items keep the order in which they are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Fusion {
    /// LTOT's greedy order of the weighted preferences.
    #[default]
    Greedy,
    /// The better of greedy and greedy within strongly connected components.
    Components,
    /// The better of these, improved by moving single items until no move gains.
    Local,
    /// Each expert gives an item one point per item that it ranks lower, and half a point per equal item.
    Borda,
    /// Scores of each list, scaled to \[0, 1\], are added (Fox and Shaw).
    CombSum,
    /// CombSum times the number of lists that have the item, whatever their weights.
    CombMnz,
    /// `1 / (60 + place)` are added (Cormack, Clarke and Büttcher).
    ReciprocalRank,
    /// The number of items that a weighted majority ranks lower, minus those that it ranks higher.
    Copeland,
}

vocabulary! { Fusion, "way to fuse";
    Greedy = "greedy", "the greedy order of the weighted preferences";
    Components = "components", "the better of greedy and greedy within strongly connected components";
    Local = "local", "the better of these, improved by moving single items";
    Borda = "borda", "the mean rank";
    CombSum = "combsum", "the sum of scores, scaled per list";
    CombMnz = "combmnz", "the same times the number of lists that have the item";
    ReciprocalRank = "rrf", "the sum of 1 / (60 + place)";
    Copeland = "copeland", "wins less losses, by weighted majority";
}

/// A fused order.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused {
    /// The items, best first.
    pub order: Vec<usize>,
    /// Their scores in that order, falling. If the method gives only an order, the score is the number of items from
    /// there on.
    pub scores: Vec<f64>,
}

/// The constant of reciprocal rank fusion, from its authors.
const RECIPROCAL_RANK_CONSTANT: f64 = 60.0;

impl Fusion {
    /// Makes one order of the items. Weights count relative to equal ones, so with equal weights the scores are those
    /// of the method's usual definition. The first three methods and Copeland's take `O(n² N)`, the others a sort. None
    /// keeps pairs times experts.
    ///
    /// # Errors
    /// If there is no expert, experts differ in their items, weights do not fit the experts, or scores to be added are
    /// not finite.
    pub fn order(self, experts: &[RankOrdering], weights: &[f64]) -> Result<Fused> {
        let preference = Weighted::new(experts, weights)?;
        match self {
            Self::Greedy => Ok(counted_down(greedy_order(&preference))),
            Self::Components => Ok(counted_down(component_order(&preference))),
            Self::Local => {
                let mut order = component_order(&preference);
                improve(&mut order, &preference)?;
                Ok(counted_down(order))
            }
            Self::Borda => Ok(by_score(borda(&preference))),
            Self::CombSum => Ok(by_score(comb_sum(&preference)?)),
            Self::CombMnz => {
                let mut scores = comb_sum(&preference)?;
                let mut lists = vec![0_u32; scores.len()];
                experts.iter().flat_map(RankOrdering::ranked).for_each(|&(item, _)| lists[item as usize] += 1);
                scores.iter_mut().zip(lists).for_each(|(score, lists)| *score *= f64::from(lists));
                Ok(by_score(scores))
            }
            Self::ReciprocalRank => Ok(by_score(reciprocal_rank(&preference))),
            Self::Copeland => Ok(by_score(copeland(&preference))),
        }
    }
}

fn counted_down(order: Vec<usize>) -> Fused {
    let scores = (0..order.len()).map(|at| (order.len() - at) as f64).collect();
    Fused { order, scores }
}

/// Sorts by falling score. Scores that differ only by the rounding of their sums are equal, so the order of the experts
/// does not decide between them.
fn by_score(scores: Vec<f64>) -> Fused {
    let rounding = 1e-12 * scores.iter().fold(0.0, |largest: f64, score| largest.max(score.abs()));
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut fused = Vec::with_capacity(scores.len());
    for equals in order.chunk_by_mut(|&a, &b| scores[a] - scores[b] <= rounding) {
        fused.resize(fused.len() + equals.len(), scores[equals[0]]);
        equals.sort_unstable();
    }
    Fused { order, scores: fused }
}

type Experts<'a> = Weighted<'a, RankOrdering>;

/// Each expert with its weight relative to an equal share.
fn counted<'a>(preference: &Experts<'a>) -> impl Iterator<Item = (&'a RankOrdering, f64)> {
    let experts = preference.experts();
    experts.iter().zip(preference.weights().iter().map(move |weight| weight * experts.len() as f64))
}

/// The sum of an expert's preferences for an item: `(n - 1)/2` and half of its potential.
fn borda(preference: &Experts<'_>) -> Vec<f64> {
    let (items, experts) = (preference.len() as f64, preference.experts().len() as f64);
    let mut potentials = vec![0.0; preference.len()];
    preference.add_potentials(experts, &mut potentials);
    potentials.iter().map(|potential| 0.5 * (experts * (items - 1.0) + potential)).collect()
}

fn comb_sum(preference: &Experts<'_>) -> Result<Vec<f64>> {
    let mut scores = vec![0.0; preference.len()];
    for (expert, weight) in counted(preference) {
        let (Some(&(_, high)), Some(&(_, low))) = (expert.ranked().first(), expert.ranked().last()) else { continue };
        // Huge scores are halved, so that their range does not overflow.
        let part = if (high - low).is_finite() { 1.0 } else { 0.5 };
        let range = part * high - part * low;
        if !range.is_finite() {
            let found = format!("from {low} to {high}");
            return Err(Error::Data { what: "scores to be added", found, expected: "finite numbers".into() });
        }
        for &(item, score) in expert.ranked() {
            scores[item as usize] += weight * if range > 0.0 { (part * score - part * low) / range } else { 1.0 };
        }
    }
    Ok(scores)
}

fn reciprocal_rank(preference: &Experts<'_>) -> Vec<f64> {
    let mut scores = vec![0.0; preference.len()];
    for (expert, weight) in counted(preference) {
        for &(item, _) in expert.ranked() {
            let place = expert.place(item as usize).unwrap_or_default();
            scores[item as usize] += weight / (RECIPROCAL_RANK_CONSTANT + f64::from(place));
        }
    }
    scores
}

fn copeland(preference: &Experts<'_>) -> Vec<f64> {
    let mut row = vec![0.0; preference.len()];
    let mut score = |item: usize| {
        row.fill(0.0);
        preference.add_net(item, 1.0, &mut row);
        let sign = |net: &f64| if net.abs() > super::SAME { net.signum() } else { 0.0 };
        row.iter().map(sign).sum()
    };
    (0..preference.len()).map(&mut score).collect()
}
