//! Relations as columns of numbers.

use numpy::{PyArray1, PyReadonlyArray1};
use ordain::data::{Link, Relation};
use pyo3::prelude::*;

use crate::answers;
use crate::failure::{Outcome, unfit};

/// A relation as Python gets it.
pub type LinkColumns<'py> =
    (Option<usize>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// A relation: the number of targets or none, sources, targets, weights.
#[derive(FromPyObject)]
pub struct Links<'py>(
    Option<usize>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
);

impl Links<'_> {
    /// The relation of so many items.
    pub fn relation(self, items: usize) -> Outcome<Relation> {
        let Self(targets, from, to, weights) = self;
        let (from, to, weights) = (from.as_array(), to.as_array(), weights.as_array());
        if from.len() != to.len() || from.len() != weights.len() {
            return Err(unfit("links", "columns of different lengths", "a source, a target and a weight each"));
        }
        let ends = targets.unwrap_or(items);
        let link = |at: usize| -> Outcome<Link> {
            let target = answers::item(to[at], ends)?.0;
            Ok(Link { source: answers::item(from[at], items)?.0, target, weight: weights[at] })
        };
        let links = (0..from.len()).map(link).collect::<Outcome<Vec<_>>>()?;
        Ok(match targets {
            Some(targets) => Relation::bipartite(items, targets, links)?,
            None => Relation::new(items, links)?,
        })
    }
}

/// The columns of a relation among so many items.
pub fn columns<'py>(py: Python<'py>, relation: &Relation, items: usize) -> LinkColumns<'py> {
    let links = relation.links();
    let targets = (relation.targets() != items).then_some(relation.targets());
    let of = |end: fn(&Link) -> u32| links.iter().map(|link| i64::from(end(link))).collect::<Vec<i64>>();
    let weights = links.iter().map(|link| link.weight).collect::<Vec<f64>>();
    (
        targets,
        PyArray1::from_vec(py, of(|link| link.source)),
        PyArray1::from_vec(py, of(|link| link.target)),
        PyArray1::from_vec(py, weights),
    )
}
