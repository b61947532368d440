//! The graph of nearest neighbours (SSGP section 2.1).
//!
//! Points stand in boxes: every box is cut in two at the median of its longest side, down to blocks of [`LANES`] points.
//! The squared distance from a point or a box to a box bounds those to the points inside. All are sums of squares over
//! the attributes in the same order, and rounding keeps the order of numbers. So the bounds hold to the last bit, and the
//! neighbours are exact: the k smallest distances as computed, and of equal ones the first items.
//!
//! The points of a block look for their neighbours together, so a block that is far away is passed over once for all of
//! them, and one that is near is read once.

use std::collections::BinaryHeap;
use std::ops::Range;

use rayon::prelude::*;

use super::Graph;
use crate::data::Attributes;
use crate::numeric::SparseMatrix;
use crate::{Error, Result};

/// Points per block. Their distances are computed side by side.
const LANES: usize = 16;

/// The most links of a graph, counted in both directions: 2.4 gigabytes.
const MOST_LINKS: usize = 200_000_000;

/// The unweighted graph in which two items are linked if either is among the other's `neighbours` nearest by Euclidean
/// distance. Equal distances go to the first items. If there are as many neighbours as items, all are linked.
///
/// About `n log n` distances for few attributes, up to `n²` for many; memory linear in attributes and links.
///
/// # Errors
/// If items have no attributes, or there are more than 200 million links ([`Error::TooLarge`]).
pub fn neighbour_graph(attributes: &Attributes, neighbours: usize) -> Result<Graph> {
    let n = attributes.items();
    if attributes.is_empty() {
        return Err(Error::Data {
            what: "a graph of nearest neighbours",
            found: "items without attributes".into(),
            expected: "at least one attribute".into(),
        });
    }
    let neighbours = neighbours.min(n.saturating_sub(1));
    let links = n.saturating_mul(neighbours).saturating_mul(2);
    if links > MOST_LINKS {
        return Err(Error::TooLarge {
            what: format!("the graph of {neighbours} neighbours of {n} items"),
            size: links,
            limit: MOST_LINKS,
            method: "a graph of nearest neighbours",
        });
    }
    let boxes = Boxes::new(attributes);
    let blocks: Vec<usize> = (0..boxes.nodes.len()).filter(|&node| boxes.nodes[node].halves.is_none()).collect();
    let each = |block: &usize| boxes.nearest(attributes, *block, neighbours);
    let mut pairs: Vec<(u32, u32)> = blocks.par_iter().flat_map_iter(each).collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    let entries: Vec<(u32, u32, f64)> = pairs.into_iter().map(|(item, other)| (item, other, 1.0)).collect();
    Ok(Graph::from_weights(SparseMatrix::from_entries(n, n, &entries)?))
}

/// Points in boxes within boxes.
struct Boxes {
    attributes: usize,
    nodes: Vec<Node>,
    /// The lowest and the highest value of every attribute, node by node.
    sides: Vec<[f64; 2]>,
    /// The items in the order of the blocks.
    items: Vec<u32>,
    /// By block and attribute: the values of up to [`LANES`] points.
    blocks: Vec<[f64; LANES]>,
}

/// A box.
struct Node {
    /// The positions of its points in [`Boxes::items`].
    points: Range<usize>,
    /// The two halves; none for a block.
    halves: Option<[usize; 2]>,
}

/// An item and its squared distance. The farthest is the largest, and of equal ones the last.
#[derive(PartialEq)]
struct Neighbour {
    distance: f64,
    item: u32,
}

impl Eq for Neighbour {}

impl Ord for Neighbour {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.distance.total_cmp(&other.distance).then(self.item.cmp(&other.item))
    }
}

impl PartialOrd for Neighbour {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The neighbours found so far of one point.
struct Search<'a> {
    point: &'a [f64],
    item: u32,
    count: usize,
    found: BinaryHeap<Neighbour>,
}

impl Search<'_> {
    /// The distance beyond which no point is among the nearest.
    fn reach(&self) -> f64 {
        match self.found.peek() {
            Some(farthest) if self.found.len() == self.count => farthest.distance,
            _ => f64::INFINITY,
        }
    }

    fn offer(&mut self, neighbour: Neighbour) {
        if self.found.len() < self.count {
            self.found.push(neighbour);
        } else if let Some(mut farthest) = self.found.peek_mut()
            && neighbour < *farthest
        {
            *farthest = neighbour;
        }
    }
}

impl Boxes {
    fn new(attributes: &Attributes) -> Self {
        let n = attributes.items();
        let mut out = Self {
            attributes: attributes.len(),
            nodes: Vec::new(),
            sides: Vec::new(),
            items: (0..n as u32).collect(),
            blocks: Vec::new(),
        };
        let mut items = std::mem::take(&mut out.items);
        out.divide(attributes, &mut items, 0);
        out.items = items;
        for node in out.nodes.iter().filter(|node| node.halves.is_none()) {
            let items = &out.items[node.points.clone()];
            let lanes = |attribute: usize| {
                let value = |lane: usize| items.get(lane).map_or(0.0, |&item| attributes.row(item as usize)[attribute]);
                std::array::from_fn(value)
            };
            out.blocks.extend((0..attributes.len()).map(lanes));
        }
        out
    }

    /// Adds the box of some items and all boxes within it, and brings the items into the order of the blocks. Returns
    /// the number of the box. Blocks are full but for the last one, so their number follows from their first point.
    fn divide(&mut self, attributes: &Attributes, items: &mut [u32], first: usize) -> usize {
        let number = self.nodes.len();
        self.nodes.push(Node { points: first..first + items.len(), halves: None });
        let side = |attribute: usize| {
            let values = items.iter().map(|&item| attributes.row(item as usize)[attribute]);
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
        };
        let sides: Vec<[f64; 2]> = (0..self.attributes).map(side).collect();
        let length = |attribute: &usize| sides[*attribute][1] - sides[*attribute][0];
        let longest = (0..self.attributes).max_by(|one, other| length(one).total_cmp(&length(other)));
        self.sides.extend(&sides);
        if let Some(longest) = longest.filter(|_| items.len() > LANES) {
            let middle = (items.len() / 2).next_multiple_of(LANES);
            let value = |item: u32| attributes.row(item as usize)[longest];
            items.select_nth_unstable_by(middle, |&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
            let (lower, upper) = items.split_at_mut(middle);
            let lower = self.divide(attributes, lower, first);
            let upper = self.divide(attributes, upper, first + middle);
            self.nodes[number].halves = Some([lower, upper]);
        }
        number
    }

    /// The links of the items of a block to their nearest, in both directions.
    fn nearest(&self, attributes: &Attributes, block: usize, count: usize) -> Vec<(u32, u32)> {
        if count == 0 {
            return Vec::new();
        }
        let items = &self.items[self.nodes[block].points.clone()];
        let search = |&item: &u32| Search {
            point: attributes.row(item as usize),
            item,
            count,
            found: BinaryHeap::with_capacity(count + 1),
        };
        let mut searches: Vec<Search<'_>> = items.iter().map(search).collect();
        // What is near is looked at first, so that little else may be nearer.
        self.look_at(block, block, &mut searches);
        self.visit(0, block, &mut searches);
        let links = searches.iter().flat_map(|search| {
            search.found.iter().flat_map(|other| [(search.item, other.item), (other.item, search.item)])
        });
        links.collect()
    }

    /// Looks in a box for the nearest items of a block.
    fn visit(&self, number: usize, block: usize, searches: &mut [Search<'_>]) {
        let node = &self.nodes[number];
        let Some(halves) = node.halves else {
            if number != block {
                self.look_at(number, block, searches);
            }
            return;
        };
        let mut halves = halves.map(|half| (self.distance_of_boxes(half, block), half));
        halves.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (distance, half) in halves {
            let reach = searches.iter().map(Search::reach).fold(0.0, f64::max);
            if distance <= reach {
                self.visit(half, block, searches);
            }
        }
    }

    fn sides(&self, node: usize) -> &[[f64; 2]] {
        &self.sides[node * self.attributes..][..self.attributes]
    }

    /// The squared distance between the nearest points of two boxes.
    fn distance_of_boxes(&self, one: usize, other: usize) -> f64 {
        self.sides(one).iter().zip(self.sides(other)).fold(0.0, |sum, (one, other)| {
            let off = (one[0] - other[1]).max(other[0] - one[1]).max(0.0);
            sum + off * off
        })
    }

    /// The values of a block.
    fn block(&self, number: usize) -> &[[f64; LANES]] {
        &self.blocks[self.nodes[number].points.start / LANES * self.attributes..][..self.attributes]
    }

    /// Offers the points of a block to those of another that it may concern.
    fn look_at(&self, number: usize, own: usize, searches: &mut [Search<'_>]) {
        let items = &self.items[self.nodes[number].points.clone()];
        let bounds = distances_to_box(self.block(own), self.sides(number));
        for (search, &bound) in searches.iter_mut().zip(&bounds) {
            if bound > search.reach() {
                continue;
            }
            let distances = distances(self.block(number), search.point);
            for (&item, &distance) in items.iter().zip(&distances) {
                if item != search.item && distance <= search.reach() {
                    search.offer(Neighbour { distance, item });
                }
            }
        }
    }
}

/// The squared distances from the points of a block to the nearest point of a box.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn distances_to_box(block: &[[f64; LANES]], sides: &[[f64; 2]]) -> [f64; LANES] {
    let mut out = [0.0; LANES];
    for (values, [low, high]) in block.iter().zip(sides) {
        for lane in 0..LANES {
            let off = (low - values[lane]).max(values[lane] - high).max(0.0);
            out[lane] += off * off;
        }
    }
    out
}

/// The squared distances from a point to those of a block.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn distances(block: &[[f64; LANES]], point: &[f64]) -> [f64; LANES] {
    let mut out = [0.0; LANES];
    for (values, &own) in block.iter().zip(point) {
        for lane in 0..LANES {
            let off = values[lane] - own;
            out[lane] += off * off;
        }
    }
    out
}
