//! Extremely randomised trees (Geurts, Ernst, Wehenkel 2006) over all labels at once.
//!
//! What is known of an example becomes up to two numbers per label. Its side is 1 if it is relevant and -1 if it is not. Its rank is the share of
//! labels that it is before, less those that it is behind, among those it is compared with. A tree divides the examples by random thresholds,
//! of which the one counts that leaves the least variance of all numbers. Sides and ranks are means over trees of the means in their leaves.
//! Sides alone decide on which side of the zero point a label lies; there, sides and ranks order the labels.

use rand::RngExt;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::LabelRanker;
use super::examples::LabelledExamples;
use super::model::{LabelModel, Machine};
use super::prepared::{Rows, Standard};
use super::target::{Encoding, LabelPreferences, Target};
use crate::numeric::dense::add_scaled;
use crate::numeric::{Seed, Stream};
use crate::params::setters;
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// The settings of the forest. A tree of m examples takes about `O(m log m (attributes tried + labels))`, and a model about a number per label
/// and third example in every tree.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ForestParams {
    /// The number of trees.
    pub trees: usize,
    /// The share of the attributes that is tried at every division; at least one is.
    pub tried: f64,
    /// The fewest examples in a leaf.
    pub leaf: usize,
    /// The seed of attributes and thresholds.
    pub seed: Seed,
}

impl Default for ForestParams {
    fn default() -> Self {
        Self { trees: 100, tried: 0.5, leaf: 3, seed: Seed(1) }
    }
}

setters! {
    ForestParams:
    with_trees = trees: usize,
    with_tried = tried: f64,
    with_leaf = leaf: usize,
    with_seed = seed: Seed,
}

impl LabelRanker for ForestParams {
    fn fit(&self, examples: &LabelledExamples, watch: &Watch) -> Result<LabelModel> {
        self.check()?;
        examples.check()?;
        let (standard, rows) = Standard::of(examples.attributes());
        let numbers = Numbers::of(examples);
        let done = std::sync::atomic::AtomicUsize::new(0);
        let grow = |tree: usize| {
            let at = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            watch.step(|| Step::new("growing trees", at, self.trees))?;
            Ok(Grower::new(self, &rows, &numbers).grow(self.seed.stream(tree as u64)))
        };
        let trees: Vec<Tree> = (0..self.trees).into_par_iter().map(grow).collect::<Result<_>>()?;
        let forest = Forest { trees, has_sides: numbers.has_sides, has_ranks: numbers.has_ranks };
        Ok(LabelModel::new("forest", examples, standard, Machine::Forest(forest)))
    }
}

impl ForestParams {
    fn check(&self) -> Result<()> {
        let parameter = |name: &str, value: f64, expected| Err(Error::Parameter { name: name.into(), value, expected });
        if self.trees == 0 || self.leaf == 0 {
            return parameter("the number of trees, or of examples in a leaf", 0.0, "at least 1");
        }
        if !(self.tried > 0.0 && self.tried <= 1.0) {
            return parameter("the share of attributes tried", self.tried, "above 0 and at most 1");
        }
        Ok(())
    }
}

/// What a forest learns: for every example the sides of all labels, then their ranks, as far as any example has them.
struct Numbers {
    values: Vec<f64>,
    width: usize,
    has_sides: bool,
    has_ranks: bool,
}

impl Numbers {
    /// A label of which nothing is known has the mean of the others' numbers for it.
    fn of(examples: &LabelledExamples) -> Self {
        let labels = examples.labels().len();
        let known = |target: &Target| Encoding::ALL.preferences(target, labels);
        let has_sides = examples.has_zero();
        let has_ranks = examples.targets().iter().any(|target| !known(target).pairs.is_empty());
        let width = labels * (usize::from(has_sides) + usize::from(has_ranks));
        let mut values = Vec::with_capacity(examples.len() * width);
        for known in examples.targets().iter().map(known) {
            if has_sides {
                let mut sides = vec![f64::NAN; labels];
                known.relevant.iter().for_each(|&label| sides[label] = 1.0);
                known.irrelevant.iter().for_each(|&label| sides[label] = -1.0);
                values.extend(sides);
            }
            if has_ranks {
                values.extend(ranks(&known, labels));
            }
        }
        for column in 0..width {
            let of = || (0..examples.len()).map(move |row| row * width + column);
            let known: Vec<f64> = of().map(|at| values[at]).filter(|value| !value.is_nan()).collect();
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            for at in of() {
                if values[at].is_nan() {
                    values[at] = mean;
                }
            }
        }
        Self { values, width, has_sides, has_ranks }
    }

    fn of_example(&self, example: u32) -> &[f64] {
        &self.values[example as usize * self.width..][..self.width]
    }
}

/// Of every label, what it is before less what it is behind, over both; NaN if it is compared with none.
fn ranks(known: &LabelPreferences, labels: usize) -> Vec<f64> {
    let (mut balance, mut count) = (vec![0.0; labels], vec![0.0; labels]);
    for (one, other) in known.ordered() {
        balance[one] += 1.0;
        balance[other] -= 1.0;
        count[one] += 1.0;
        count[other] += 1.0;
    }
    balance.iter().zip(&count).map(|(balance, count)| balance / count).collect()
}

/// The trees, and what their leaves hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Forest {
    trees: Vec<Tree>,
    has_sides: bool,
    has_ranks: bool,
}

impl Forest {
    fn width(&self, labels: usize) -> usize {
        labels * (usize::from(self.has_sides) + usize::from(self.has_ranks))
    }

    /// Utilities, and the shares of examples in which labels are relevant. Utilities are sums of side and rank, moved away from the zero point.
    pub(super) fn predict(&self, row: &[f64], labels: usize) -> (Vec<f64>, Option<Vec<f64>>) {
        let width = self.width(labels);
        let mut means = vec![0.0; width];
        self.trees.iter().for_each(|tree| add_scaled(&mut means, 1.0, tree.leaf(row, width)));
        means.iter_mut().for_each(|mean| *mean /= self.trees.len() as f64);
        if !self.has_sides {
            return (means, None);
        }
        let (sides, ranks) = means.split_at(labels);
        let shares = sides.iter().map(|side| 0.5 + 0.5 * side).collect();
        // Ranks lie between -1 and 1, so no label changes its side.
        let utility = |(label, side): (usize, &f64)| match ranks.get(label) {
            None => *side,
            Some(rank) if *side > 0.0 => side + (1.0 + rank).max(0.0),
            Some(rank) => side - (1.0 - rank).max(0.0),
        };
        (sides.iter().enumerate().map(utility).collect(), Some(shares))
    }

    /// Whether every row finds a leaf in every tree.
    pub(super) fn is_whole(&self, attributes: usize, labels: usize) -> bool {
        let width = self.width(labels);
        width > 0 && !self.trees.is_empty() && self.trees.iter().all(|tree| tree.is_whole(attributes, width))
    }
}

/// A tree. Nodes stand behind their parents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Tree {
    /// The attribute of every node; for a leaf, the number of attributes.
    attribute: Vec<u32>,
    /// The threshold: rows below it go to the next node, others to `other`.
    threshold: Vec<f64>,
    /// Where other rows go; for a leaf, its number.
    other: Vec<u32>,
    /// Leaf by leaf, what it holds.
    leaves: Vec<f64>,
}

impl Tree {
    /// The numbers of the leaf of a row, which ends with a constant.
    fn leaf(&self, row: &[f64], width: usize) -> &[f64] {
        let attributes = row.len() - 1;
        let mut node = 0;
        loop {
            let attribute = self.attribute[node] as usize;
            if attribute == attributes {
                let leaf = self.other[node] as usize;
                return &self.leaves[leaf * width..(leaf + 1) * width];
            }
            node = if row[attribute] < self.threshold[node] { node + 1 } else { self.other[node] as usize };
        }
    }

    /// Whether every row of so many attributes finds a leaf: all parts fit, and every node leads forward.
    fn is_whole(&self, attributes: usize, width: usize) -> bool {
        let count = self.attribute.len();
        let leaves = self.leaves.len() / width;
        let leads = |node: usize| {
            let (attribute, other) = (self.attribute[node] as usize, self.other[node] as usize);
            if attribute == attributes {
                other < leaves
            } else {
                attribute < attributes && other > node + 1 && other < count
            }
        };
        count > 0
            && self.threshold.len() == count
            && self.other.len() == count
            && self.leaves.len() == leaves * width
            && self.threshold.iter().chain(&self.leaves).all(|number| number.is_finite())
            && (0..count).all(leads)
    }
}

/// Memory for growing one tree.
struct Grower<'a> {
    params: &'a ForestParams,
    rows: &'a Rows,
    numbers: &'a Numbers,
    tried: usize,
    tree: Tree,
    examples: Vec<u32>,
    /// The attributes in random order.
    attributes: Vec<usize>,
    sums: Vec<f64>,
    left: Vec<f64>,
}

/// A threshold on an attribute.
#[derive(Clone, Copy)]
struct Division {
    attribute: usize,
    threshold: f64,
    gain: f64,
}

impl<'a> Grower<'a> {
    fn new(params: &'a ForestParams, rows: &'a Rows, numbers: &'a Numbers) -> Self {
        let attributes = rows.width - 1;
        Self {
            params,
            rows,
            numbers,
            tried: ((params.tried * attributes as f64).round() as usize).clamp(1, attributes),
            tree: Tree::default(),
            examples: (0..rows.len() as u32).collect(),
            attributes: (0..attributes).collect(),
            sums: vec![0.0; numbers.width],
            left: vec![0.0; numbers.width],
        }
    }

    fn grow(mut self, mut stream: Stream) -> Tree {
        // Parts of the examples that wait, each with the node that leads to it as its other side.
        let mut waiting: Vec<(usize, usize, Option<usize>)> = vec![(0, self.examples.len(), None)];
        while let Some((from, to, parent)) = waiting.pop() {
            let node = self.tree.attribute.len();
            if let Some(parent) = parent {
                self.tree.other[parent] = node as u32;
            }
            match self.divide(from, to, &mut stream) {
                None => self.leaf(from, to),
                Some(division) => {
                    let middle = self.partition(from, to, division);
                    self.tree.attribute.push(division.attribute as u32);
                    self.tree.threshold.push(division.threshold);
                    self.tree.other.push(0);
                    waiting.push((middle, to, Some(node)));
                    // The near side is next, right behind its parent.
                    waiting.push((from, middle, None));
                }
            }
        }
        self.tree
    }

    fn leaf(&mut self, from: usize, to: usize) {
        self.add_up(from, to);
        let leaf = self.tree.leaves.len() / self.numbers.width;
        self.tree.attribute.push((self.rows.width - 1) as u32);
        self.tree.threshold.push(0.0);
        self.tree.other.push(leaf as u32);
        let count = (to - from) as f64;
        self.tree.leaves.extend(self.sums.iter().map(|sum| sum / count));
    }

    /// The sums of all numbers over a part.
    fn add_up(&mut self, from: usize, to: usize) {
        self.sums.fill(0.0);
        for &example in &self.examples[from..to] {
            let own = self.numbers.of_example(example);
            self.sums.iter_mut().zip(own).for_each(|(sum, value)| *sum += value);
        }
    }

    /// The best of some random divisions; none if the part is too small, or nothing divides it.
    fn divide(&mut self, from: usize, to: usize, stream: &mut Stream) -> Option<Division> {
        let count = to - from;
        if count < 2 * self.params.leaf || self.is_alike(from, to) {
            return None;
        }
        self.add_up(from, to);
        let mut best: Option<Division> = None;
        let mut tried = 0;
        for at in 0..self.attributes.len() {
            if tried == self.tried {
                break;
            }
            let other = stream.random_range(at..self.attributes.len());
            self.attributes.swap(at, other);
            let attribute = self.attributes[at];
            let (low, high) = self.ends(from, to, attribute);
            if low >= high {
                continue;
            }
            tried += 1;
            let threshold = low + (high - low) * stream.random_range(0.0..1.0);
            // Rounding may put it on the lowest value, which would leave one side empty.
            let threshold = if threshold > low { threshold } else { high };
            if let Some(gain) = self.gain(from, to, attribute, threshold)
                && best.is_none_or(|best| gain > best.gain)
            {
                best = Some(Division { attribute, threshold, gain });
            }
        }
        best
    }

    /// Whether all examples of a part have the same numbers.
    fn is_alike(&self, from: usize, to: usize) -> bool {
        let first = self.numbers.of_example(self.examples[from]);
        self.examples[from + 1..to].iter().all(|&example| self.numbers.of_example(example) == first)
    }

    fn value(&self, example: u32, attribute: usize) -> f64 {
        self.rows.values[example as usize * self.rows.width + attribute]
    }

    fn ends(&self, from: usize, to: usize, attribute: usize) -> (f64, f64) {
        let values = self.examples[from..to].iter().map(|&example| self.value(example, attribute));
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    }

    /// By how much a division lowers the sum of squares, up to what all divisions share; none if a side is too small.
    fn gain(&mut self, from: usize, to: usize, attribute: usize, threshold: f64) -> Option<f64> {
        self.left.fill(0.0);
        let mut below = 0;
        for &example in &self.examples[from..to] {
            if self.rows.values[example as usize * self.rows.width + attribute] < threshold {
                below += 1;
                let own = self.numbers.of_example(example);
                self.left.iter_mut().zip(own).for_each(|(sum, value)| *sum += value);
            }
        }
        let above = to - from - below;
        if below < self.params.leaf || above < self.params.leaf {
            return None;
        }
        let (below, above) = (below as f64, above as f64);
        Some(
            self.left
                .iter()
                .zip(&self.sums)
                .map(|(left, all)| left * left / below + (all - left).powi(2) / above)
                .sum(),
        )
    }

    /// Puts the examples below the threshold first, and returns where the others begin. Both keep their order.
    fn partition(&mut self, from: usize, to: usize, division: Division) -> usize {
        let part: Vec<u32> = self.examples[from..to].to_vec();
        let (below, above): (Vec<u32>, Vec<u32>) =
            part.into_iter().partition(|&example| self.value(example, division.attribute) < division.threshold);
        let middle = from + below.len();
        self.examples[from..middle].copy_from_slice(&below);
        self.examples[middle..to].copy_from_slice(&above);
        middle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Attributes;

    /// With leaves of one example and no two alike, every tree gives back what it was taught.
    #[test]
    fn whole_trees_remember() {
        let attributes =
            Attributes::new(vec!["x".into(), "y".into()], 6, (0..12).map(|at| (at * 7 % 12) as f64).collect()).unwrap();
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let targets: Vec<Target> = orders.iter().map(|order| Target::Order(order.to_vec())).collect();
        let labels = ["a", "b", "c"].map(str::to_owned).to_vec();
        let examples = LabelledExamples::new(attributes.clone(), labels, targets).unwrap();
        let model = ForestParams::default().with_leaf(1).with_trees(3).fit(&examples, &Watch::NONE).unwrap();
        for (found, order) in model.predict(&attributes).unwrap().iter().zip(orders) {
            assert_eq!(found.order(), order);
            // Before both others and behind none: 1; and so on.
            let mut sorted = found.utilities.clone();
            sorted.sort_by(f64::total_cmp);
            assert!(sorted.iter().zip([-1.0, 0.0, 1.0]).all(|(one, other)| (one - other).abs() < 1e-12));
        }
    }

    /// A label that is relevant in seven of ten examples lies above the zero point, also if it is always the last of the relevant ones; one that
    /// is relevant in four of ten lies below, also if it is always the first.
    #[test]
    fn sides_alone_decide_the_zero_point() {
        let attributes = Attributes::new(vec!["x".into()], 10, vec![1.0; 10]).unwrap();
        let top = |at: usize| match at {
            0..4 => Target::Top(vec![0, 2, 3, 1]),
            4..7 => Target::Top(vec![2, 3, 1]),
            _ => Target::Top(vec![2]),
        };
        let labels = ["first", "last", "a", "b"].map(str::to_owned).to_vec();
        let examples = LabelledExamples::new(attributes.clone(), labels, (0..10).map(top).collect()).unwrap();
        let found = ForestParams::default().fit(&examples, &Watch::NONE).unwrap().predict(&attributes).unwrap();
        let shares = found[0].probabilities.as_ref().unwrap();
        assert!(shares.iter().zip([0.4, 0.7, 1.0, 0.7]).all(|(one, other)| (one - other).abs() < 1e-12), "{shares:?}");
        assert_eq!((found[0].order(), found[0].relevant()), (vec![2, 3, 1, 0], Some(3)));
    }
}
