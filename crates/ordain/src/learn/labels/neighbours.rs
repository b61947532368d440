//! Nearest neighbours: the order of the labels that agrees best with what is known of the nearest examples. It is the centre of a Mallows model
//! of their rankings (Cheng, Hühn, Hüllermeier 2009), and the zero point is one of the ranked.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::examples::LabelledExamples;
use super::model::{LabelModel, LabelPrediction, Machine};
use super::prepared::{Rows, Standard};
use super::target::{Encoding, LabelPreferences};
use super::{LabelRanker, usual_loss};
use crate::numeric::dense::squared_distance;
use crate::order::{Preference, component_order, exact_order, improve};
use crate::params::setters;
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// The settings of nearest neighbours. A prediction takes `O(m n)` for m examples with n attributes, and the best order of d labels: exact for
/// up to ten, beyond that by local search.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NeighboursParams {
    /// The numbers of neighbours, of which the best is chosen by leaving out every example in turn.
    pub neighbours: Vec<usize>,
    /// At most this many examples are left out, evenly spread.
    pub left_out: usize,
}

impl Default for NeighboursParams {
    fn default() -> Self {
        Self { neighbours: vec![5, 10, 20, 40], left_out: 500 }
    }
}

setters! {
    NeighboursParams:
    with_neighbours = neighbours: Vec<usize>,
    with_left_out = left_out: usize,
}

impl LabelRanker for NeighboursParams {
    fn fit(&self, examples: &LabelledExamples, watch: &Watch) -> Result<LabelModel> {
        if self.neighbours.is_empty() || self.neighbours.contains(&0) || self.left_out == 0 {
            let name = "the number of neighbours, or of examples left out".into();
            return Err(Error::Parameter { name, value: 0.0, expected: "at least 1 of each" });
        }
        examples.check()?;
        let (standard, rows) = Standard::of(examples.attributes());
        let labels = examples.labels().len();
        let known: Vec<LabelPreferences> =
            examples.targets().iter().map(|target| Encoding::default().preferences(target, labels)).collect();
        let mut near = Neighbours { rows, known, count: self.neighbours[0], has_zero: examples.has_zero() };
        if self.neighbours.len() > 1 {
            near.count = self.choose(&near, examples, watch)?;
        }
        let count = near.count as f64;
        let model = LabelModel::new("neighbours", examples, standard, Machine::Neighbours(near));
        Ok(model.with_chosen("neighbours", count))
    }
}

impl NeighboursParams {
    /// The number of neighbours that would have ranked left-out examples best.
    fn choose(&self, near: &Neighbours, examples: &LabelledExamples, watch: &Watch) -> Result<usize> {
        let step = examples.len().div_ceil(self.left_out);
        let left_out: Vec<usize> = (0..examples.len()).step_by(step).collect();
        let most = self.neighbours.iter().copied().max().unwrap_or(1);
        let losses = |&example: &usize| -> Result<Vec<f64>> {
            watch.step(|| Step::new("choosing", example, examples.len()))?;
            let others = near.nearest(near.rows.row(example), most, Some(example));
            let target = &examples.targets()[example];
            let loss = |&count: &usize| {
                let found = near.best_order(&others[..count.min(others.len())], examples.labels().len())?;
                usual_loss(target).of(&found.utilities, target)
            };
            self.neighbours.iter().map(loss).collect()
        };
        let losses: Vec<Vec<f64>> = left_out.par_iter().map(losses).collect::<Result<_>>()?;
        let total = |at: usize| losses.iter().map(|losses| losses[at]).sum::<f64>();
        let best = (0..self.neighbours.len()).min_by(|&one, &other| total(one).total_cmp(&total(other)));
        Ok(self.neighbours[best.unwrap_or(0)])
    }
}

/// Examples to look for neighbours among.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Neighbours {
    pub(super) rows: Rows,
    pub(super) known: Vec<LabelPreferences>,
    pub(super) count: usize,
    pub(super) has_zero: bool,
}

impl Neighbours {
    pub(super) fn predict(&self, row: &[f64], labels: usize) -> Result<LabelPrediction> {
        self.best_order(&self.nearest(row, self.count, None), labels)
    }

    /// The nearest examples, nearest first; of equally near ones the first. One may be left out.
    fn nearest(&self, row: &[f64], count: usize, left_out: Option<usize>) -> Vec<usize> {
        let distance = |(at, other): (usize, &[f64])| (squared_distance(row, other), at);
        let mut all: Vec<(f64, usize)> =
            self.rows.iter().enumerate().map(distance).filter(|(_, at)| Some(*at) != left_out).collect();
        let by = |one: &(f64, usize), other: &(f64, usize)| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1));
        let count = count.min(all.len());
        if count > 0 && count < all.len() {
            all.select_nth_unstable_by(count - 1, by);
        }
        all.truncate(count);
        all.sort_unstable_by(by);
        all.into_iter().map(|(_, at)| at).collect()
    }

    /// The order that agrees best with some examples. Utilities are distances from the place of the zero point.
    fn best_order(&self, examples: &[usize], labels: usize) -> Result<LabelPrediction> {
        // The zero point is one more label.
        let size = labels + 1;
        let mut wins = vec![0.0; size * size];
        let mut relevant = vec![[0.0; 2]; labels];
        for known in examples.iter().map(|&example| &self.known[example]) {
            known.ordered().for_each(|(one, other)| wins[one * size + other] += 1.0);
            for &label in &known.relevant {
                wins[label * size + labels] += 1.0;
                relevant[label][0] += 1.0;
            }
            for &label in &known.irrelevant {
                wins[labels * size + label] += 1.0;
                relevant[label][1] += 1.0;
            }
        }
        let ranked = if self.has_zero { size } else { labels };
        let votes = Votes::new(ranked, size, wins);
        const EXACT: usize = 11;
        let order = if ranked <= EXACT {
            exact_order(&votes)?
        } else {
            let mut order = component_order(&votes);
            improve(&mut order, &votes)?;
            order
        };
        let mut place = vec![0.0; size];
        order.iter().enumerate().for_each(|(at, &ranked)| place[votes.label(ranked)] = at as f64);
        let zero = if self.has_zero { place[labels] } else { 0.5 * (labels - 1) as f64 };
        let utilities = place[..labels].iter().map(|place| zero - place).collect();
        let share = |[yes, no]: &[f64; 2]| if yes + no > 0.0 { yes / (yes + no) } else { 0.5 };
        let probabilities = self.has_zero.then(|| relevant.iter().map(share).collect());
        Ok(LabelPrediction { utilities, probabilities, calibrated: self.has_zero })
    }
}

/// How often one label is preferred to another. The labels stand in reverse, behind them the zero point: of equally good orders the exact search
/// finds the one that has the last of them first, and equal labels should stand by their numbers, below the zero point.
struct Votes {
    ranked: usize,
    size: usize,
    wins: Vec<f64>,
    /// The most wins of any. Differences are weighed by it and not by the number of examples that compare a pair: one that compares a pair should
    /// not count as much as many.
    most: f64,
}

impl Votes {
    fn new(ranked: usize, size: usize, wins: Vec<f64>) -> Self {
        let most = wins.iter().copied().fold(1.0, f64::max);
        Self { ranked, size, wins, most }
    }

    /// The label at a place; the zero point is behind all labels.
    fn label(&self, at: usize) -> usize {
        let labels = self.size - 1;
        if at < labels { labels - 1 - at } else { labels }
    }
}

impl Preference for Votes {
    fn len(&self) -> usize {
        self.ranked
    }

    fn prefer(&self, u: usize, v: usize) -> f64 {
        let (u, v) = (self.label(u), self.label(v));
        0.5 + 0.5 * (self.wins[u * self.size + v] - self.wins[v * self.size + u]) / self.most
    }
}
