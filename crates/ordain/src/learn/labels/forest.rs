//! Extremely randomised trees (Geurts, Ernst, Wehenkel 2006) over all labels at once.
//!
//! What is known of an example becomes a number per label: 1 if it is relevant, -1 if it is irrelevant, and within each side the share of labels
//! that it is before, less those it is behind. A tree divides the examples by random thresholds, of which the one counts that leaves the
//! least variance of these numbers, summed over labels. The utility of a label is the mean over trees of the means in their leaves.

use rand::RngExt;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::LabelRanker;
use super::examples::LabelledExamples;
use super::model::{LabelModel, Machine};
use super::prepared::{Rows, Standard};
use super::target::{Encoding, Target};
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
        let standard = Standard::of(examples.attributes());
        let columns: Vec<usize> = (0..standard.len()).collect();
        let rows = standard.rows(examples.attributes(), &columns);
        let targets = numbers(examples);
        let done = std::sync::atomic::AtomicUsize::new(0);
        let grow = |tree: usize| {
            let at = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            watch.step(|| Step::new("growing trees", at, self.trees))?;
            Ok(Grower::new(self, &rows, &targets, examples.labels().len()).grow(self.seed.stream(tree as u64)))
        };
        let trees: Vec<Tree> = (0..self.trees).into_par_iter().map(grow).collect::<Result<_>>()?;
        let sets = examples.targets().iter().all(|target| matches!(target, Target::Set(_)));
        Ok(LabelModel::new("forest", examples, standard, Machine::Forest { trees, shares: sets }))
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

/// A number per example and label. A label of which nothing is known has the mean of the others' numbers for it.
fn numbers(examples: &LabelledExamples) -> Vec<f64> {
    let labels = examples.labels().len();
    let mut out = Vec::with_capacity(examples.len() * labels);
    for target in examples.targets() {
        let known = Encoding::default().preferences(target, labels);
        let mut own = vec![f64::NAN; labels];
        let mut add = |label: usize, value: f64| {
            own[label] = if own[label].is_nan() { value } else { own[label] + value };
        };
        known.relevant.iter().for_each(|&label| add(label, 1.0));
        known.irrelevant.iter().for_each(|&label| add(label, -1.0));
        for &(one, other) in &known.pairs {
            add(one, 1.0 / labels as f64);
            add(other, -1.0 / labels as f64);
        }
        out.extend(own);
    }
    for label in 0..labels {
        let known: Vec<f64> = out.iter().skip(label).step_by(labels).copied().filter(|value| !value.is_nan()).collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        out.iter_mut().skip(label).step_by(labels).filter(|value| value.is_nan()).for_each(|value| *value = mean);
    }
    out
}

/// A tree. Nodes stand behind their parents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Tree {
    /// The attribute of every node; for a leaf, the number of attributes.
    pub(super) attribute: Vec<u32>,
    /// The threshold: rows below it go to the next node, others to `other`.
    pub(super) threshold: Vec<f64>,
    /// Where other rows go; for a leaf, its number.
    pub(super) other: Vec<u32>,
    /// Leaf by leaf, a number per label.
    pub(super) leaves: Vec<f64>,
}

impl Tree {
    /// The numbers of the leaf of a row, which ends with a constant.
    pub(super) fn leaf(&self, row: &[f64], labels: usize) -> &[f64] {
        let attributes = row.len() - 1;
        let mut node = 0;
        loop {
            let attribute = self.attribute[node] as usize;
            if attribute == attributes {
                let leaf = self.other[node] as usize;
                return &self.leaves[leaf * labels..(leaf + 1) * labels];
            }
            node = if row[attribute] < self.threshold[node] { node + 1 } else { self.other[node] as usize };
        }
    }

    /// Whether every row of so many attributes finds a leaf: all parts fit, and every node leads forward.
    pub(super) fn is_whole(&self, attributes: usize, labels: usize) -> bool {
        let count = self.attribute.len();
        let leaves = self.leaves.len() / labels;
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
            && self.leaves.len() == leaves * labels
            && self.threshold.iter().chain(&self.leaves).all(|number| number.is_finite())
            && (0..count).all(leads)
    }
}

/// Memory for growing one tree.
struct Grower<'a> {
    params: &'a ForestParams,
    rows: &'a Rows,
    targets: &'a [f64],
    labels: usize,
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
    fn new(params: &'a ForestParams, rows: &'a Rows, targets: &'a [f64], labels: usize) -> Self {
        let attributes = rows.width - 1;
        Self {
            params,
            rows,
            targets,
            labels,
            tried: ((params.tried * attributes as f64).round() as usize).clamp(1, attributes),
            tree: Tree::default(),
            examples: (0..rows.len() as u32).collect(),
            attributes: (0..attributes).collect(),
            sums: vec![0.0; labels],
            left: vec![0.0; labels],
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
        let leaf = self.tree.leaves.len() / self.labels;
        self.tree.attribute.push((self.rows.width - 1) as u32);
        self.tree.threshold.push(0.0);
        self.tree.other.push(leaf as u32);
        let count = (to - from) as f64;
        self.tree.leaves.extend(self.sums.iter().map(|sum| sum / count));
    }

    /// The sums of all labels over a part.
    fn add_up(&mut self, from: usize, to: usize) {
        self.sums.fill(0.0);
        for &example in &self.examples[from..to] {
            let own = &self.targets[example as usize * self.labels..][..self.labels];
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
        let own = |example: u32| &self.targets[example as usize * self.labels..][..self.labels];
        let first = own(self.examples[from]);
        self.examples[from + 1..to].iter().all(|&example| own(example) == first)
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
                let own = &self.targets[example as usize * self.labels..][..self.labels];
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
            // Before both others, less behind none: 2/3; and so on.
            let mut sorted = found.utilities.clone();
            sorted.sort_by(f64::total_cmp);
            assert!(sorted.iter().zip([-2.0 / 3.0, 0.0, 2.0 / 3.0]).all(|(one, other)| (one - other).abs() < 1e-12));
        }
    }
}
