//! The search for the best pair. It is exact, but does not score all pairs.
//!
//! Items stand roughly in the order of their means, in blocks of 16, in blocks of blocks, and so on. The score of a
//! pair grows with the variance of the difference, falls with the distance of the means and grows with the weights of
//! the two places. So the extremes of two blocks bound the score of every pair between them. The search takes pairs of
//! blocks by falling bound and splits them, down to single pairs, until no bound reaches the best score found. This is
//! best-first branch and bound.
//!
//! The variance of a difference is `v_i + v_j - 2 c_ij`. A covariance is at least `-√(v_i v_j)`. If no prior covariance
//! is below a floor, it is also at least `floor - √(t_i t_j)`, where t is the variance that answers have removed
//! ([`Covariances`]). Within two blocks the comparison is turned around: the search finds the variance that a pair of
//! them needs to be among the best, and compares each pair's variance with it. If all covariances are stored, this
//! takes one addition and one comparison per pair.

pub(super) mod bounds;

use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use bounds::{Place, SLACK, Scorer, pair};
use rayon::prelude::*;

use super::Strategy;
use super::choice::{Best, Candidates};
use super::pair_belief::{Answers, PairBelief, Score};
use super::walk::walk;
use crate::Result;
use crate::data::ItemId;
use crate::gp::{Belief, Covariances};
use crate::numeric::Matrix;

/// The number of items in a block that is not split further.
const LEAF: usize = 16;

/// The number of pairs of leaves that are scored together, on all threads.
const TOGETHER: usize = 256;

/// The number of items from which leaves are scored together.
const MANY: usize = 2000;

/// Up to this number of items a search is always exact.
const EXACT_UP_TO: usize = 4000;

/// A larger search stops after this many covariances, plus one for every two items.
const COVARIANCES: usize = 1 << 14;

/// A larger search also stops before it needs more columns than this, if the kernel gives covariances only by whole
/// columns.
const MOST_COLUMNS: usize = 2;

/// The best pairs of all groups, under a strategy that scores each pair by itself: so many, and all that share the score of the last of
/// them.
///
/// The search is exact up to 4,000 items. Beyond that, it may end with the best pairs found so far. Their score is then
/// below the best by at most the difference to the largest remaining bound, and usually by far less.
///
/// # Errors
/// If the kernel cannot give a column.
pub(super) fn search(
    belief: &dyn Belief,
    answers: &Answers,
    strategy: Strategy,
    candidates: &Candidates,
    wanted: usize,
) -> Result<Best> {
    let rows = Rows::new(belief);
    let covariances = belief.covariances().unwrap_or(&rows);
    let scorer = Scorer { strategy, answers, floor: covariances.floor() };
    if let Some(best) = walk(belief, covariances, &scorer, candidates)? {
        return Ok(best);
    }
    let orders = candidates.orders(belief);
    let trees = orders.iter().map(|order| Tree::new(belief, covariances, strategy, order)).collect();
    let mut search = Search {
        scorer,
        covariances,
        matrix: covariances.all().map(|all| all.matrix),
        candidates,
        trees,
        many: belief.len() >= MANY,
        waiting: BinaryHeap::new(),
        best: Best::of(wanted),
        asked: 0,
        columns: HashSet::new(),
    };
    search.run(belief.len())?;
    Ok(search.best)
}

/// The items of a group by falling mean, and the extremes of its blocks.
struct Tree {
    items: Vec<u32>,
    places: Vec<Place>,
    variances: Vec<f64>,
    /// Blocks of one leaf, of two leaves, of four leaves, and so on.
    levels: Vec<Vec<Place>>,
}

impl Tree {
    /// A tree of the items in `order`, which lists them by falling mean.
    fn new(belief: &dyn Belief, covariances: &dyn Covariances, strategy: Strategy, order: &[usize]) -> Self {
        let (mean, variances, prior) = (belief.mean(), belief.variances(), covariances.prior_variances());
        let all = covariances.all();
        let weights = strategy.emphasis().weights(order, mean);
        // Utilities count from the group's best item, so a group's level does not matter.
        let level = order.first().map_or(0.0, |&best| mean[best]);
        let place = |(&item, weight): (&usize, f64)| {
            let largest = all.map_or(f64::INFINITY, |all| all.largest[item]);
            let lower = strategy.lower_share() * weight;
            Place { largest, lower, weight, ..Place::new(mean[item] - level, variances[item], prior[item]) }
        };
        let places: Vec<Place> = order.iter().zip(weights).map(place).collect();
        let join = |places: &[Place]| places[1..].iter().fold(places[0], |all, one| all.and(one));
        let mut levels: Vec<Vec<Place>> = vec![places.chunks(LEAF).map(join).collect()];
        while let Some(below) = levels.last().filter(|blocks| blocks.len() > 1) {
            levels.push(below.chunks(2).map(join).collect());
        }
        let variances = places.iter().map(|place| place.variance).collect();
        Self { items: order.iter().map(|&item| item as u32).collect(), places, variances, levels }
    }

    /// The places of a leaf.
    fn leaf(&self, number: u32) -> Range<usize> {
        let first = number as usize * LEAF;
        first..(first + LEAF).min(self.places.len())
    }
}

/// Two blocks of one level, or two places, that may hold the best pair.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    bound: Score,
    tree: u32,
    /// 0 for places, 1 for leaves, 2 and more for larger blocks.
    level: u32,
    first: u32,
    second: u32,
}

impl Ord for Waiting {
    /// Compares by bound. Among equal bounds single pairs come first; the rest has a fixed order.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let place = |one: &Self| (one.level, one.tree, one.first, one.second);
        let bounds = self.bound.0.total_cmp(&other.bound.0).then(self.bound.1.total_cmp(&other.bound.1));
        bounds.then_with(|| place(other).cmp(&place(self)))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

struct Search<'a> {
    scorer: Scorer<'a>,
    covariances: &'a dyn Covariances,
    /// All covariances, if they are stored.
    matrix: Option<&'a Matrix>,
    candidates: &'a Candidates,
    trees: Vec<Tree>,
    many: bool,
    waiting: BinaryHeap<Waiting>,
    best: Best,
    /// The number of covariances requested so far.
    asked: usize,
    /// The items whose columns were requested so far.
    columns: HashSet<u32>,
}

impl Search<'_> {
    fn run(&mut self, items: usize) -> Result<()> {
        let exact = items <= EXACT_UP_TO;
        let most = COVARIANCES + items / 2;
        for tree in 0..self.trees.len() {
            if !self.trees[tree].items.is_empty() {
                self.consider(tree as u32, self.trees[tree].levels.len() as u32, 0, 0);
            }
        }
        while let Some(next) = self.waiting.pop() {
            // A single pair needs a column.
            let dear = next.level == 0 && self.columns.len() >= MOST_COLUMNS && !self.has_column(&next);
            let enough = self.asked >= most || dear;
            if self.best.is_past(next.bound) || (!exact && enough && self.best.is_some()) {
                break;
            }
            if !self.best.may_take(next.bound) {
                continue;
            }
            match (next.level, self.matrix) {
                (0, _) => self.evaluate(next)?,
                (1, Some(matrix)) => {
                    let batch = self.batch(next);
                    self.look_at_all(matrix, &batch);
                }
                (1, None) => self.look(next)?,
                _ => self.split(next),
            }
        }
        Ok(())
    }

    /// Whether the column of a single pair was requested before.
    fn has_column(&self, waiting: &Waiting) -> bool {
        self.columns.contains(&self.trees[waiting.tree as usize].items[waiting.first as usize])
    }

    /// The next leaves in the queue, to be scored together. Their number is fixed, so the result does not depend on the
    /// threads.
    fn batch(&mut self, next: Waiting) -> Vec<Waiting> {
        let mut batch = vec![next];
        // Without a best pair to compare with, all their pairs would be found.
        let most = if self.many && self.best.is_some() { TOGETHER } else { 1 };
        while batch.len() < most && self.waiting.peek().is_some_and(|next| next.level == 1) {
            batch.extend(self.waiting.pop());
        }
        batch
    }

    /// Puts two blocks into the queue if their best pair may be the best of all.
    fn consider(&mut self, tree: u32, level: u32, first: u32, second: u32) {
        let blocks = &self.trees[tree as usize].levels[level as usize - 1];
        let bound = self.scorer.bound(&blocks[first as usize], &blocks[second as usize]);
        if self.best.may_take(bound) {
            self.waiting.push(Waiting { bound, tree, level, first, second });
        }
    }

    fn split(&mut self, Waiting { tree, level, first, second, .. }: Waiting) {
        let below = level - 1;
        let count = self.trees[tree as usize].levels[below as usize - 1].len() as u32;
        for one in [2 * first, 2 * first + 1] {
            for other in [2 * second, 2 * second + 1] {
                if one <= other && other < count {
                    self.consider(tree, below, one, other);
                }
            }
        }
    }

    /// The variance that a pair of two leaves needs to be among the best, for every row of the first leaf.
    fn needed(&self, tree: &Tree, first: u32, second: u32) -> [f64; LEAF] {
        let [upper, lower] = [first, second].map(|leaf| tree.levels[0][leaf as usize]);
        let rows = &tree.places[tree.leaf(first)];
        // If the rows have similar weights, one number serves all of them.
        if rows.last().is_some_and(|last| 2.0 * last.weight > upper.weight) {
            return [self.scorer.needed_variance(&upper, &lower, &self.best, 6); LEAF];
        }
        let mut out = [f64::INFINITY; LEAF];
        for (out, own) in out.iter_mut().zip(rows) {
            // This row's weight is too small even at the closest distance, and so are the weights of later rows.
            if !self.best.may_take(self.scorer.bound(&Place { weight: own.weight, ..upper }, &lower)) {
                break;
            }
            *out = self.scorer.needed_variance(own, &lower, &self.best, 3);
        }
        out
    }

    /// Scores the pairs of some leaves when all covariances are stored.
    fn look_at_all(&mut self, matrix: &Matrix, batch: &[Waiting]) {
        let this = &*self;
        let look = |&Waiting { tree, first, second, .. }: &Waiting| {
            let tree = &this.trees[tree as usize];
            let mut found = Vec::new();
            let [rows, columns] = [first, second].map(|leaf| tree.leaf(leaf));
            reaching(matrix, tree, rows, columns, &this.needed(tree, first, second), &mut found);
            found
        };
        let found: Vec<Vec<(usize, usize)>> = if batch.len() < TOGETHER {
            batch.iter().map(look).collect()
        } else {
            batch.par_iter().map(look).collect()
        };
        for (waiting, found) in batch.iter().zip(found) {
            let tree = &self.trees[waiting.tree as usize];
            for pair in found {
                let covariance = matrix[(tree.items[pair.0] as usize, tree.items[pair.1] as usize)];
                self.best.offer_places(&self.scorer, self.candidates, tree, pair, covariance);
            }
        }
    }

    /// Scores the pairs of two leaves when not all covariances are stored.
    fn look(&mut self, Waiting { tree: number, first, second, .. }: Waiting) -> Result<()> {
        let tree = &self.trees[number as usize];
        let lower = tree.levels[0][second as usize];
        let all_cheap = self.covariances.has_cheap_entries();
        let (mut others, mut at, mut entries) = ([0; LEAF], [0; LEAF], [0.0; LEAF]);
        let mut most: Option<Waiting> = None;
        for (row, needed) in tree.leaf(first).zip(self.needed(tree, first, second)) {
            let own = &tree.places[row];
            if self.scorer.variance(own, &lower) < needed {
                continue;
            }
            let mut count = 0;
            for other in tree.leaf(second).start.max(row + 1)..tree.leaf(second).end {
                if self.scorer.variance(own, &tree.places[other]) >= needed {
                    (others[count], at[count]) = (tree.items[other], other);
                    count += 1;
                }
            }
            if count == 0 {
                continue;
            }
            let item = tree.items[row] as usize;
            // A requested column is stored.
            let cheap = all_cheap || self.columns.contains(&tree.items[row]);
            self.asked += count;
            if cheap {
                self.covariances.entries(item, &others[..count], &mut entries[..count])?;
            } else {
                self.covariances.taken(item, &others[..count], &mut entries[..count]);
            }
            for k in 0..count {
                let other = &tree.places[at[k]];
                if !cheap {
                    let variance = own.variance + other.variance - 2.0 * (self.scorer.floor - entries[k]);
                    // If no floor is known, this variance is infinite and would not tell pairs apart.
                    let variance = (variance * (1.0 + SLACK)).min(self.scorer.variance(own, other));
                    let bound = self.scorer.bound_with(own, other, variance);
                    if self.best.may_take(bound) {
                        let (first, second) = (row as u32, at[k] as u32);
                        let waiting = Waiting { bound, tree: number, level: 0, first, second };
                        self.waiting.push(waiting);
                        most = most.max(Some(waiting));
                    }
                } else if own.variance + other.variance - 2.0 * entries[k] >= needed {
                    self.best.offer_places(&self.scorer, self.candidates, tree, (row, at[k]), entries[k]);
                }
            }
        }
        // The first score must come early; otherwise the queue grows too long.
        match most.filter(|_| !self.best.is_some()) {
            Some(waiting) => self.evaluate(waiting),
            None => Ok(()),
        }
    }

    /// Scores a single pair whose covariance is costly.
    fn evaluate(&mut self, Waiting { tree, first, second, .. }: Waiting) -> Result<()> {
        let tree = &self.trees[tree as usize];
        let (first, second) = (first as usize, second as usize);
        let (item, other) = (tree.items[first], tree.items[second]);
        if self.candidates.allows(item as usize, other as usize) {
            self.columns.insert(item);
            let mut entry = [0.0];
            self.covariances.entries(item as usize, &[other], &mut entry)?;
            self.best.offer_places(&self.scorer, self.candidates, tree, (first, second), entry[0]);
        }
        Ok(())
    }
}

impl Best {
    /// Adds a pair of items if it is among the best and may be asked. The item ranked higher comes first.
    pub(super) fn offer_pair(
        &mut self,
        scorer: &Scorer<'_>,
        candidates: &Candidates,
        pair: &PairBelief,
        items: (usize, usize),
    ) {
        if !self.may_take(scorer.close_bound_at(pair)) {
            return;
        }
        let score = scorer.score(pair);
        if self.may_take(score) && candidates.allows(items.0, items.1) {
            self.offer(score, items);
        }
    }

    /// Adds the pair of two places of a tree if it is among the best and may be asked.
    fn offer_places(
        &mut self,
        scorer: &Scorer<'_>,
        candidates: &Candidates,
        tree: &Tree,
        (first, second): (usize, usize),
        covariance: f64,
    ) {
        let pair = pair(&tree.places[first], &tree.places[second], covariance);
        let items = (tree.items[first] as usize, tree.items[second] as usize);
        self.offer_pair(scorer, candidates, &pair, items);
    }
}

/// Finds the pairs of rows with later columns whose difference has at least the variance that the row needs.
fn reaching(
    matrix: &Matrix,
    tree: &Tree,
    rows: Range<usize>,
    columns: Range<usize>,
    needed: &[f64; LEAF],
    found: &mut Vec<(usize, usize)>,
) {
    for (row, &needed) in rows.zip(needed) {
        let columns = columns.start.max(row + 1)..columns.end;
        if needed == f64::INFINITY {
            continue;
        }
        let own = tree.variances[row];
        let covariances = matrix.column(tree.items[row] as usize);
        let mut variances = [f64::NEG_INFINITY; LEAF];
        let others = tree.items[columns.clone()].iter().zip(&tree.variances[columns.clone()]);
        for (out, (&item, variance)) in variances.iter_mut().zip(others) {
            *out = own + variance - 2.0 * covariances[item as usize];
        }
        let mut most = [f64::NEG_INFINITY; 8];
        for block in variances.as_chunks::<8>().0 {
            for lane in 0..8 {
                most[lane] = if block[lane] > most[lane] { block[lane] } else { most[lane] };
            }
        }
        if most.iter().any(|&most| most >= needed) {
            let reach = columns.zip(variances).filter(|&(_, variance)| variance >= needed);
            found.extend(reach.map(|(column, _)| (row, column)));
        }
    }
}

/// The covariances of a belief that knows only columns. Each column is requested once.
pub(super) struct Rows<'a> {
    belief: &'a dyn Belief,
    columns: Mutex<HashMap<usize, Vec<f64>>>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(belief: &'a dyn Belief) -> Self {
        Self { belief, columns: Mutex::default() }
    }
}

impl Covariances for Rows<'_> {
    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        self.with_row(item, &mut |column| {
            out.iter_mut().zip(others).for_each(|(out, &other)| *out = column[other as usize]);
        })
    }

    fn with_row(&self, item: usize, read: &mut dyn FnMut(&[f64])) -> Result<()> {
        let mut columns = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        let column = match columns.entry(item) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let mut column = vec![0.0; self.belief.len()];
                self.belief.column(ItemId::new(item), &mut column)?;
                place.insert(column)
            }
        };
        read(column);
        Ok(())
    }

    fn prior_variances(&self) -> &[f64] {
        self.belief.variances()
    }

    fn floor(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn has_cheap_entries(&self) -> bool {
        true
    }

    fn taken(&self, _: usize, _: &[u32], out: &mut [f64]) {
        out.fill(0.0);
    }
}

#[cfg(test)]
mod tests;
