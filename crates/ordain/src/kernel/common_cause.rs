//! Hidden common causes.
//!
//! Linked items are alike because something unseen acts on both (Silva, Chu, Ghahramani, *Hidden common cause relations
//! in relational learning*, 2007; XPGP section 3). Every cause has an independent unit utility. An item is the sum of
//! its causes, scaled to variance 1. With `C` the incidence of items and causes and `N = diag(C 1)` the number of
//! causes of each item, the covariance is
//!
//! `U = N^-½ C C' N^-½`, `U_ij = #causes of both / √(#causes(i) #causes(j))`,
//!
//! It is positive semidefinite, as the product of `N^-½ C` and its transpose, with 1 on the diagonal. There are two
//! choices of causes:
//!
//! - *edges*: one cause per link. Two items share at most one, so `U_ij = 1 / √(deg_i deg_j)` for linked pairs, with
//!   deg the number of neighbours.
//! - *cliques*: one cause per maximal clique of the triangulated graph. A chordal graph has at most as many maximal
//!   cliques as items, while a graph can have exponentially many. A component that is already chordal stays as it is.
//!   Others are eliminated in an approximate minimum degree order, which breaks ties by the order of the items.
//!
//! An item without links is its own only cause. Weights do not count, except that weight 0 is no link. Repeated links
//! count once. A link from an item to itself is ignored, since such a cause would be the item's own. There are no
//! parameters; the weight of the part scales it.

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::{Causes, Graph, Kernel, PriorDraws};
use crate::numeric::{Matrix, SparseMatrix, Stream, triangulate};
use crate::{Error, Result};

/// The most links of a triangulated graph.
const MOST_FILL: usize = 50_000_000;

/// The most products that forming the covariance may take.
const MOST_PAIRS: usize = 200_000_000;

/// Covariance by shared hidden causes; sparse.
#[derive(Debug, Clone, PartialEq)]
pub struct CommonCause {
    covariance: SparseMatrix,
    /// `N^-½ C`, whose product with its transpose is the covariance.
    causes: SparseMatrix,
}

impl CommonCause {
    /// The kernel of a graph. By edges, time is linear in the links; by cliques, it is the triangulation plus `Σ
    /// |clique|²`.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the triangulated graph has more than 50 million links or the covariance more than 200
    /// million products.
    pub fn new(graph: &Graph, causes: Causes) -> Result<Self> {
        match causes {
            Causes::Edges => by_edges(graph),
            Causes::Cliques => by_cliques(graph),
        }
    }

    /// The covariance.
    pub fn covariance(&self) -> &SparseMatrix {
        &self.covariance
    }
}

fn by_edges(graph: &Graph) -> Result<CommonCause> {
    let degree = |item: usize| graph.neighbours(item).0.len() as f64;
    let linked = graph.weights().map(|i, j, _| 1.0 / (degree(i) * degree(j)).sqrt());
    let covariance = linked.with_diagonal(&vec![1.0; graph.len()]);
    let mut entries = Vec::with_capacity(graph.len() + 2 * graph.links());
    let mut count = 0;
    for item in 0..graph.len() {
        let others = graph.neighbours(item).0;
        if others.is_empty() {
            entries.push((item as u32, count, 1.0));
            count += 1;
        }
        for &other in others.iter().filter(|&&other| other as usize > item) {
            entries.push((item as u32, count, 1.0 / degree(item).sqrt()));
            entries.push((other, count, 1.0 / degree(other as usize).sqrt()));
            count += 1;
        }
    }
    let causes = SparseMatrix::from_entries(graph.len(), count as usize, &entries)?;
    Ok(CommonCause { covariance, causes })
}

fn by_cliques(graph: &Graph) -> Result<CommonCause> {
    let n = graph.len();
    let cliques = maximal_cliques(graph)?;
    let members =
        cliques.iter().zip(0_u32..).flat_map(|(clique, cause)| clique.iter().map(move |&item| (item, cause, 1.0)));
    let incidence = SparseMatrix::from_entries(n, cliques.len(), &members.collect::<Vec<_>>())?;
    let cost = incidence.gram_cost();
    if cost > MOST_PAIRS {
        return Err(Error::TooLarge {
            what: "the triangulated graph of a relation".into(),
            size: cost,
            limit: MOST_PAIRS,
            method: "the common-cause kernel by cliques",
        });
    }
    let count = |item: usize| incidence.row(item).0.len() as f64;
    // The root of a square on the diagonal, so exactly 1.
    let covariance = incidence.gram().map(|i, j, common| common / (count(i) * count(j)).sqrt());
    let causes = incidence.map(|item, _, _| 1.0 / count(item).sqrt());
    Ok(CommonCause { covariance, causes })
}

/// The maximal cliques of the triangulated graph.
fn maximal_cliques(graph: &Graph) -> Result<Vec<Vec<u32>>> {
    let order = cardinality_order(graph);
    let (mut candidates, chordal) = later_neighbours(graph, &order);
    let rest: Vec<u32> = (0..graph.len() as u32).filter(|&item| !chordal[item as usize]).collect();
    if !rest.is_empty() {
        candidates.retain(|clique| clique.first().is_some_and(|&item| chordal[item as usize]));
        let mut position = vec![u32::MAX; graph.len()];
        for (&item, place) in rest.iter().zip(0..) {
            position[item as usize] = place;
        }
        // Components are whole: every neighbour of an item of `rest` is in it.
        let entries = rest.iter().flat_map(|&item| {
            let from = position[item as usize];
            let position = &position;
            let neighbours = graph.neighbours(item as usize).0.iter().map(|&other| position[other as usize]);
            neighbours.chain([from]).map(move |to| (from, to, 1.0))
        });
        let pattern = SparseMatrix::from_entries(rest.len(), rest.len(), &entries.collect::<Vec<_>>())?;
        let triangulated = triangulate(&pattern, MOST_FILL).map_err(|size| Error::TooLarge {
            what: format!("the triangulation of a graph of {} items and {} links", graph.len(), graph.links()),
            size,
            limit: MOST_FILL,
            method: "the common-cause kernel by cliques",
        })?;
        for mut clique in triangulated {
            clique.iter_mut().for_each(|item| *item = rest[*item as usize]);
            candidates.push(clique);
        }
    }
    Ok(only_maximal(graph.len(), candidates))
}

/// Items by maximum cardinality search (Tarjan, Yannakakis 1984), last to first: the next item is the one with the most
/// neighbours already taken. The reverse order eliminates a chordal graph without fill. Linear in items and links.
fn cardinality_order(graph: &Graph) -> Vec<u32> {
    let n = graph.len();
    let mut taken = vec![false; n];
    let mut count = vec![0_usize; n];
    // Stacks by count. Entries with an outdated count are skipped.
    let mut stacks: Vec<Vec<u32>> = vec![(0..n as u32).rev().collect()];
    let mut order = Vec::with_capacity(n);
    let mut top = 0;
    while order.len() < n {
        let Some(item) = stacks[top].pop() else {
            top = top.saturating_sub(1);
            continue;
        };
        if taken[item as usize] || count[item as usize] != top {
            continue;
        }
        taken[item as usize] = true;
        order.push(item);
        for &other in graph.neighbours(item as usize).0 {
            if taken[other as usize] {
                continue;
            }
            let count = &mut count[other as usize];
            *count += 1;
            if stacks.len() == *count {
                stacks.push(Vec::new());
            }
            stacks[*count].push(other);
        }
        top = (top + 1).min(stacks.len() - 1);
    }
    order.reverse();
    order
}

/// For each item, in the order of elimination, the item and then its later neighbours, in that order; and whether each
/// item's component is chordal, that is, eliminated without fill.
fn later_neighbours(graph: &Graph, order: &[u32]) -> (Vec<Vec<u32>>, Vec<bool>) {
    let n = graph.len();
    let mut position = vec![0_usize; n];
    for (place, &item) in order.iter().enumerate() {
        position[item as usize] = place;
    }
    let later = |item: u32| {
        let mut out: Vec<u32> = graph.neighbours(item as usize).0.to_vec();
        out.retain(|&other| position[other as usize] > position[item as usize]);
        out.sort_unstable_by_key(|&other| position[other as usize]);
        out.insert(0, item);
        out
    };
    let candidates: Vec<Vec<u32>> = order.iter().map(|&item| later(item)).collect();
    // Without fill, the later neighbours of an item, except the first of them, are later neighbours of that first one.
    let mut missing = vec![false; n];
    for candidate in &candidates {
        if let [item, first, others @ ..] = candidate.as_slice() {
            let neighbours = graph.neighbours(*first as usize).0;
            missing[*item as usize] = others.iter().any(|other| neighbours.binary_search(other).is_err());
        }
    }
    let mut chordal = vec![true; n];
    let mut seen = vec![false; n];
    for start in 0..n {
        let mut component = Vec::new();
        let mut waiting = Vec::new();
        if !std::mem::replace(&mut seen[start], true) {
            waiting.push(start as u32);
        }
        while let Some(item) = waiting.pop() {
            component.push(item as usize);
            for &other in graph.neighbours(item as usize).0 {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    waiting.push(other);
                }
            }
        }
        if component.iter().any(|&item| missing[item]) {
            component.iter().for_each(|&item| chordal[item] = false);
        }
    }
    (candidates, chordal)
}

/// The candidates that no other candidate contains. In a chordal graph each maximal clique is an item with its later
/// neighbours (Fulkerson, Gross 1965). The set of an item is not maximal exactly if that item is the first later
/// neighbour of an earlier item with one later neighbour more.
fn only_maximal(n: usize, candidates: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut size = vec![0_usize; n];
    for candidate in &candidates {
        if let Some(&item) = candidate.first() {
            size[item as usize] = candidate.len();
        }
    }
    let mut held = vec![false; n];
    for candidate in &candidates {
        if let [_, first, ..] = candidate.as_slice() {
            held[*first as usize] |= candidate.len() == size[*first as usize] + 1;
        }
    }
    candidates.into_iter().filter(|candidate| candidate.first().is_some_and(|&item| !held[item as usize])).collect()
}

/// A normal number per cause, and one product with the incidence.
impl PriorDraws for &CommonCause {
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        out.values_mut().par_chunks_mut(self.len().max(1)).zip(streams).for_each(|(column, stream)| {
            let causes: Vec<f64> = (0..self.causes.columns()).map(|_| stream.sample(StandardNormal)).collect();
            self.causes.multiply(&causes, column);
        });
        Ok(())
    }
}

impl Kernel for CommonCause {
    fn len(&self) -> usize {
        self.covariance.rows()
    }

    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(&self.covariance.diagonal());
        Ok(())
    }

    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        let (others, values) = self.covariance.row(item);
        for (&other, &value) in others.iter().zip(values) {
            out[other as usize] = value;
        }
        Ok(())
    }

    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        out.iter_mut().zip(others).for_each(|(out, &other)| *out = self.covariance.get(item, other as usize));
        Ok(())
    }

    fn has_cheap_entries(&self) -> bool {
        true
    }

    fn floor(&self) -> f64 {
        0.0
    }

    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        Ok(Box::new(self))
    }
}
