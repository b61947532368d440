//! Relations as undirected graphs over the items, and as vectors.

use std::sync::Arc;

use super::Role;
use crate::data::Relation;
use crate::numeric::{ShiftedLaplacian, SparseMatrix};
use crate::{Error, Result};

/// The most products of links in a projection: a few seconds and at most 2.4 gigabytes.
const MOST_PAIRS: usize = 200_000_000;

/// An undirected weighted graph over the items: a symmetric sparse matrix `W` with positive weights and an empty diagonal.
///
/// The [`Role`] of a relation says how it becomes a graph (XPGP section 7):
///
/// - *undirected*: `W_ij` is the sum of the weights of all links from i to j and from j to i. So repeated links, and
///   links in both directions, add up.
/// - *linking*, *bipartite*: `W_ij = Σ_t w_it w_jt` over the targets t that both link to.
/// - *linked*: `W_ij = Σ_s w_si w_sj` over the sources s that link to both.
///
/// A link of weight 0 is no link. Links from an item to itself are left out: they cancel in `D - W` and say nothing
/// about how alike two items are. In projections they count as links to a target like any other.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    weights: Arc<SparseMatrix>,
}

impl Graph {
    /// The graph of a relation over this many items. A projection costs `Σ deg²` over the targets (or sources).
    ///
    /// # Errors
    /// If the relation has another number of items, the role needs links among items and the relation leads to other
    /// things, weights add up to infinity, or a projection has more than 200 million pairs ([`Error::TooLarge`]).
    pub fn new(items: usize, relation: &Relation, role: Role) -> Result<Self> {
        let weights = match role {
            Role::Undirected => undirected(items, relation)?,
            Role::Linking | Role::Linked | Role::Bipartite => {
                let vectors = relation_vectors(items, relation, role)?;
                let cost = vectors.gram_cost();
                if cost > MOST_PAIRS {
                    return Err(Error::TooLarge {
                        what: "the projection of a relation".into(),
                        size: cost,
                        limit: MOST_PAIRS,
                        method: "a graph of items",
                    });
                }
                vectors.gram()
            }
        };
        let weights = weights.filter(|row, column, weight| row != column && weight > 0.0);
        let graph = Self::from_weights(weights);
        if let Some(degree) = graph.degrees().into_iter().find(|degree| !degree.is_finite()) {
            return Err(too_heavy(degree));
        }
        Ok(graph)
    }

    /// The graph with these weights, which are symmetric, positive and off the diagonal.
    pub(super) fn from_weights(weights: SparseMatrix) -> Self {
        Self { weights: Arc::new(weights) }
    }

    /// The weights with their ends, each link in both directions.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u32, u32, f64)> {
        (0..self.len()).flat_map(|item| {
            let (others, weights) = self.neighbours(item);
            others.iter().zip(weights).map(move |(&other, &weight)| (item as u32, other, weight))
        })
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.weights.rows()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.weights.rows() == 0
    }

    /// The number of linked pairs.
    pub fn links(&self) -> usize {
        self.weights.stored() / 2
    }

    /// The weights `W`.
    pub fn weights(&self) -> &SparseMatrix {
        &self.weights
    }

    /// An item's neighbours, ascending, and the weights of the links to them.
    pub fn neighbours(&self, item: usize) -> (&[u32], &[f64]) {
        self.weights.row(item)
    }

    /// The sum of the weights at each item, the diagonal of `D`.
    pub fn degrees(&self) -> Vec<f64> {
        (0..self.len()).map(|item| self.weights.row(item).1.iter().sum()).collect()
    }

    /// `Δ + shift I`, `Δ = D - W` (XPGP eq. 2). It shares the weights.
    pub fn laplacian(&self, shift: f64) -> ShiftedLaplacian {
        ShiftedLaplacian::new(Arc::clone(&self.weights), shift)
    }
}

/// A relation as a vector for each item (XPGP section 3.1), one sparse row per item. An undirected relation gives the
/// weights to the neighbours (as in [`Graph`]), a linking or bipartite one those to the targets, a linked one those
/// from the sources. Repeated links add up.
///
/// # Errors
/// If the relation has another number of items, the role needs links among items and the relation leads to other
/// things, or weights add up to infinity.
pub fn relation_vectors(items: usize, relation: &Relation, role: Role) -> Result<SparseMatrix> {
    if relation.items() != items {
        return Err(Error::Data {
            what: "a relation",
            found: format!("links from {} items", relation.items()),
            expected: format!("links from {items} items"),
        });
    }
    if matches!(role, Role::Undirected | Role::Linked) && relation.targets() != items {
        return Err(Error::Data {
            what: "a relation",
            found: format!("links to {} other things", relation.targets()),
            expected: "links among the items; read it as bipartite".into(),
        });
    }
    let present = relation.links().iter().filter(|link| link.weight > 0.0);
    let out = match role {
        Role::Undirected => undirected(items, relation)?.filter(|row, column, _| row != column),
        Role::Linking | Role::Bipartite => {
            let entries: Vec<_> = present.map(|link| (link.source, link.target, link.weight)).collect();
            SparseMatrix::from_entries(items, relation.targets(), &entries)?
        }
        Role::Linked => {
            let entries: Vec<_> = present.map(|link| (link.target, link.source, link.weight)).collect();
            SparseMatrix::from_entries(items, items, &entries)?
        }
    };
    match out.values().iter().find(|value| !value.is_finite()) {
        Some(&weight) => Err(too_heavy(weight)),
        None => Ok(out),
    }
}

/// Every link in both directions.
fn undirected(items: usize, relation: &Relation) -> Result<SparseMatrix> {
    if relation.items() != items || relation.targets() != items {
        return Err(Error::Data {
            what: "a relation read as undirected",
            found: format!("links from {} items to {} targets", relation.items(), relation.targets()),
            expected: format!("links among {items} items"),
        });
    }
    let mut entries = Vec::with_capacity(2 * relation.links().len());
    for link in relation.links().iter().filter(|link| link.weight > 0.0) {
        entries.push((link.source, link.target, link.weight));
        entries.push((link.target, link.source, link.weight));
    }
    SparseMatrix::from_entries(items, items, &entries)
}

pub(super) fn too_heavy(weight: f64) -> Error {
    Error::Data {
        what: "link weights",
        found: format!("weights that add up to {weight}"),
        expected: "finite sums; scale the weights down".into(),
    }
}
