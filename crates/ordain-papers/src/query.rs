//! One query of an experiment: its documents, how they are linked, and which are better.

use ordain::data::{Attributes, ItemId, Items, Relation};
use ordain::kernel::{Graph, Role};
use ordain::numeric::Seed;
use ordain::{Error, Result};
use rand::seq::index;
use serde::{Deserialize, Serialize};

/// A query's documents.
pub struct Query {
    /// Its name in the data.
    pub name: String,
    /// The documents with their attributes, standardized within the query.
    pub items: Items,
    /// How they are linked.
    pub relation: Relation,
    /// Their words, by several weightings; none where models do not look at texts.
    pub words: Vec<Relation>,
    /// How good they are; the larger, the better.
    pub grades: Vec<f64>,
    /// All pairs of a better and a worse document, in a fixed order.
    pub pairs: Vec<(ItemId, ItemId)>,
}

impl Query {
    /// A query from its documents' ids, attributes, links and grades.
    ///
    /// # Errors
    /// If the parts differ in length, an id stands twice, or all attributes are constant.
    pub fn new(
        name: String,
        ids: Vec<String>,
        attributes: &Attributes,
        relation: Relation,
        grades: Vec<f64>,
    ) -> Result<Self> {
        let items = Items::new(ids, None, attributes.standardized(None)?)?;
        if grades.len() != items.len() || relation.items() != items.len() {
            return Err(Error::Data {
                what: "a query",
                found: format!("{} grades and links among {} documents", grades.len(), relation.items()),
                expected: format!("{} of both", items.len()),
            });
        }
        let everyone = || (0..grades.len()).map(ItemId::new);
        let better = |one: ItemId, other: ItemId| grades[one.index()] > grades[other.index()];
        let worse = |than: ItemId| everyone().filter(move |&other| better(than, other)).map(move |other| (than, other));
        let pairs = everyone().flat_map(worse).collect();
        Ok(Self { name, items, relation, words: Vec::new(), grades, pairs })
    }

    /// Marks which pairs are known: this many, all choices being equally likely. There must be as many.
    pub fn draw(&self, known: usize, seed: Seed, task: u64) -> Vec<bool> {
        let mut marks = vec![false; self.pairs.len()];
        index::sample(&mut seed.stream(task), self.pairs.len(), known).into_iter().for_each(|at| marks[at] = true);
        marks
    }
}

/// A query's pairs, some of which are known.
pub struct Split {
    /// What the models may see.
    pub known: Vec<(ItemId, ItemId)>,
    /// What they are measured on.
    pub remaining: Vec<(ItemId, ItemId)>,
}

impl Split {
    /// The pairs by their marks.
    pub fn new(query: &Query, marks: &[bool]) -> Self {
        let part = |wanted: bool| {
            let pairs = query.pairs.iter().zip(marks);
            pairs.filter(|&(_, &known)| known == wanted).map(|(&pair, _)| pair).collect()
        };
        Self { known: part(true), remaining: part(false) }
    }
}

/// A query that an experiment measures on, as its record names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Its name in the data.
    pub query: String,
    /// The part whose tuned models or beliefs it takes.
    pub part: usize,
    /// The number of items; some records say documents.
    #[serde(alias = "documents")]
    pub items: usize,
    /// The number of linked pairs of items.
    pub links: usize,
}

impl Measured {
    /// A query of this name and part, with its items and how they are linked.
    ///
    /// # Errors
    /// If the links cannot be a graph.
    pub fn new(name: &str, part: usize, items: &Items, relation: &Relation) -> Result<Self> {
        let links = Graph::new(items.len(), relation, Role::Undirected)?.links();
        Ok(Self { query: name.to_owned(), part, items: items.len(), links })
    }
}

/// The average of a number per query; 0 without queries.
pub fn per_query<T>(queries: &[T], number: impl Fn(&T) -> usize) -> f64 {
    queries.iter().map(number).sum::<usize>() as f64 / queries.len().max(1) as f64
}
