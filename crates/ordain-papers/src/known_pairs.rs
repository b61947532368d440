//! Experiments in which some pairs of each query are known and the models predict the remaining ones (XPGP section 6).

use std::path::Path;

use ordain::kernel::{Graph, Role};
use ordain::numeric::Seed;
use ordain::{Error, Result};

use crate::experiment::Progress;
use crate::journal::{Journal, Row};
use crate::models::{Example, Measures, Model, Prepared, Tuned, tune};
use crate::query::{Query, Split};
use crate::record::{Cell, Files, Measured, Record};

/// What is to be done: queries, and which models are tuned on which of them and measured on which.
pub struct Study {
    /// All queries.
    pub queries: Vec<Query>,
    /// Numbers of known pairs.
    pub known: Vec<usize>,
    /// How often known pairs are drawn anew.
    pub reruns: usize,
    /// How often known pairs are drawn to tune by.
    pub tuning_draws: usize,
    /// The parts: queries to tune on.
    pub tuned_on: Vec<Vec<usize>>,
    /// Queries to measure on, each with the part whose models it takes, which is not tuned on it.
    pub measured: Vec<(usize, usize)>,
}

/// Purposes of random streams, so that no two share one.
const TUNING: u64 = 1;
const MEASURING: u64 = 2;

/// The stream of a draw: a purpose, a query, a number of known pairs and a number of the draw.
fn task(purpose: u64, query: usize, known: usize, rerun: usize) -> u64 {
    purpose << 60 | (query as u64) << 40 | (known as u64) << 16 | rerun as u64
}

impl Study {
    /// What the results will have been made with; the general part is given.
    ///
    /// # Errors
    /// If the links of a query cannot be a graph.
    pub fn describe(&self, general: Record) -> Result<Record> {
        let measured = |&(query, part): &(usize, usize)| {
            let query = &self.queries[query];
            let links = Graph::new(query.items.len(), &query.relation, Role::Undirected)?.links();
            let (documents, pairs) = (query.items.len(), query.pairs.len());
            Ok(Measured { query: query.name.clone(), part, documents, links, pairs })
        };
        let names = |part: &Vec<usize>| part.iter().map(|&query| self.queries[query].name.clone()).collect();
        Ok(Record {
            known: self.known.clone(),
            reruns: self.reruns,
            tuning_draws: self.tuning_draws,
            tuned_on: self.tuned_on.iter().map(names).collect(),
            queries: self.measured.iter().map(measured).collect::<Result<_>>()?,
            ..general
        })
    }

    /// Tunes and measures what is still missing in the folder; gives all cells.
    ///
    /// # Errors
    /// If results cannot be computed, or read and written.
    pub fn run(&self, record: &Record, folder: &Path, watch: &mut dyn FnMut(Progress)) -> Result<Vec<Row>> {
        let files = Files::new(folder, &record.experiment);
        let mut cells = Journal::open(&files.cells, record.cells_layout())?;
        let tuned = self.tune(record, &files.tuned, watch)?;
        let (per_query, total) = (record.cells_per_query(), record.cells_layout().keys.len());
        watch(Progress { stage: "measuring", done: cells.done(), total });
        for query in 0..record.queries.len() {
            let rows = query * per_query..(query + 1) * per_query;
            if rows.end <= cells.done() {
                continue;
            }
            let prepared = self.prepare(record, query, &tuned)?;
            let compute = |at: usize| {
                let cell = record.cell(at);
                let Measures { error, auc } = self.measure(record, cell, &prepared)?;
                Ok(vec![Some(error), auc])
            };
            cells.complete(rows, compute, |done| watch(Progress { stage: "measuring", done, total }))?;
        }
        Ok(cells.rows().to_vec())
    }

    /// The tuned numbers of every part, number of known pairs and model.
    fn tune(&self, record: &Record, path: &Path, watch: &mut dyn FnMut(Progress)) -> Result<Vec<Tuned>> {
        let mut journal = Journal::open(path, record.tuned_layout())?.in_batches_of(rayon::current_num_threads());
        let tunings: Vec<(usize, usize, Model)> = record.tunings().collect();
        let total = tunings.len();
        watch(Progress { stage: "tuning", done: journal.done(), total });
        let compute = |at: usize| {
            let (part, known, model) = tunings[at];
            let example = |&(query, draw): &(usize, usize)| {
                let own = &self.queries[query];
                let marks = own.draw(known, Seed(record.seed), task(TUNING, query, known, draw));
                Example { query: own, split: Split::new(own, &marks) }
            };
            let draws = |&query: &usize| (0..record.tuning_draws).map(move |draw| (query, draw));
            let draws: Vec<(usize, usize)> = self.tuned_on[part].iter().flat_map(draws).collect();
            let examples: Vec<Example<'_>> = draws.iter().map(example).collect();
            Ok(tune(model, &examples, Seed(record.seed))?.row())
        };
        journal.complete(0..total, compute, |done| watch(Progress { stage: "tuning", done, total }))?;
        let read = |row| {
            Tuned::from_row(row).ok_or_else(|| Error::Data {
                what: "tuned numbers",
                found: format!("{row:?} in {}", path.display()),
                expected: "a rho and a score at least; move the file away".into(),
            })
        };
        journal.rows().iter().map(read).collect()
    }

    /// All models for a query, by number of known pairs and model.
    fn prepare(&self, record: &Record, query: usize, tuned: &[Tuned]) -> Result<Vec<Prepared>> {
        let own = &self.queries[self.measured[query].0];
        let one = |at: usize| {
            let (known, model) = (at / Model::ALL.len(), Model::ALL[at % Model::ALL.len()]);
            Prepared::new(model, &tuned[record.tuning_of(Cell { query, known, rerun: 0, model })], own)
        };
        (0..record.known.len() * Model::ALL.len()).map(one).collect()
    }

    fn measure(&self, record: &Record, cell: Cell, prepared: &[Prepared]) -> Result<Measures> {
        let position = self.measured[cell.query].0;
        let query = &self.queries[position];
        let known = record.known[cell.known];
        let marks = query.draw(known, Seed(record.seed), task(MEASURING, position, known, cell.rerun));
        prepared[cell.known * Model::ALL.len() + cell.model as usize].measure(&Split::new(query, &marks))
    }
}
