//! Experiments in which some pairs of each query are known and the models predict the remaining ones (XPGP section 6).

pub mod active;
pub mod links;
mod models;
pub mod ohsumed;
mod plan;
mod report;
mod summary;

use ordain::numeric::Seed;
use ordain::{Error, Result};

use self::models::{Example, Measures, Model, Prepared, Tuned, tune};
use self::plan::{Cell, Paired, Plan};
use self::summary::Summary;
use crate::data::DataFolder;
use crate::experiment::{Job, Options, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::Journal;
use crate::query::{Measured, Query, Split};
use crate::record::Record;
use crate::stream::Phase;

/// An experiment with known pairs.
pub struct KnownPairs {
    /// The paper's reduction of the mean error, from and to; none in an experiment of our own.
    claimed_cut: Option<(f64, f64)>,
    load: fn(&DataFolder, Options) -> Result<Study>,
}

impl Program for KnownPairs {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let study = (self.load)(job.data, job.options)?;
        let plan = study.plan()?;
        let record = Record { general: job.general.clone(), plan };
        record.claim(&job.place.record())?;
        study.run(&record.plan, job.options.seed, job.place, watch)
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let rows = plan.cells_layout().read_finished(&place.file(CELLS))?;
        let find = |rows: Vec<_>| Ok(report::findings(&plan, &Summary::new(&plan, &rows)?, self.claimed_cut));
        rows.map(find).transpose()
    }
}

/// How the names of the tables of cells and of tuned numbers end.
const CELLS: &str = ".csv";
const TUNED: &str = "-tuned.csv";

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
    /// The models that are compared.
    pub models: Vec<Model>,
}

impl Study {
    /// What the results will have been made with.
    ///
    /// # Errors
    /// If the links of a query cannot be a graph.
    fn plan(&self) -> Result<Plan> {
        let measured = |&(query, part): &(usize, usize)| {
            let query = &self.queries[query];
            let measured = Measured::new(&query.name, part, &query.items, &query.relation)?;
            Ok(Paired { measured, pairs: query.pairs.len() })
        };
        let names = |part: &Vec<usize>| part.iter().map(|&query| self.queries[query].name.clone()).collect();
        Ok(Plan {
            known: self.known.clone(),
            reruns: self.reruns,
            tuning_draws: self.tuning_draws,
            tuned_on: self.tuned_on.iter().map(names).collect(),
            queries: self.measured.iter().map(measured).collect::<Result<_>>()?,
            models: self.models.clone(),
        })
    }

    /// Tunes and measures what is still missing.
    ///
    /// # Errors
    /// If results cannot be computed, or read and written.
    fn run(&self, plan: &Plan, seed: Seed, place: Place<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let mut cells = Journal::open(&place.file(CELLS), plan.cells_layout())?;
        let tuned = self.tune(plan, seed, place, watch)?;
        let (per_query, total) = (plan.cells_per_query(), plan.cells_layout().keys.len());
        watch(Progress { stage: "measuring", done: cells.done(), total });
        for query in 0..plan.queries.len() {
            let rows = query * per_query..(query + 1) * per_query;
            if rows.end <= cells.done() {
                continue;
            }
            let prepared = self.prepare(plan, query, &tuned)?;
            let compute = |at: usize| {
                let cell = plan.cell(at);
                let Measures { error, auc } = self.measure(plan, seed, cell, &prepared)?;
                Ok(vec![Some(error), auc])
            };
            cells.complete(rows, compute, |done| watch(Progress { stage: "measuring", done, total }))?;
        }
        Ok(())
    }

    /// The tuned numbers of every part, number of known pairs and model.
    fn tune(&self, plan: &Plan, seed: Seed, place: Place<'_>, watch: &mut dyn FnMut(Progress)) -> Result<Vec<Tuned>> {
        let path = place.file(TUNED);
        let mut journal = Journal::open(&path, plan.tuned_layout())?.in_batches_of(rayon::current_num_threads());
        let tunings: Vec<(usize, usize, Model)> = plan.tunings().collect();
        let total = tunings.len();
        watch(Progress { stage: "tuning", done: journal.done(), total });
        let compute = |at: usize| {
            let (part, known, model) = tunings[at];
            let example = |&(query, draw): &(usize, usize)| {
                let own = &self.queries[query];
                let marks = own.draw(known, seed, Phase::Tuning.of_pairs(query, known, draw));
                Example { query: own, split: Split::new(own, &marks) }
            };
            let draws = |&query: &usize| (0..plan.tuning_draws).map(move |draw| (query, draw));
            let draws: Vec<(usize, usize)> = self.tuned_on[part].iter().flat_map(draws).collect();
            let examples: Vec<Example<'_>> = draws.iter().map(example).collect();
            Ok(tune(model, &examples, seed)?.row(plan.has_text()))
        };
        journal.complete(0..total, compute, |done| watch(Progress { stage: "tuning", done, total }))?;
        let read = |row| {
            Tuned::from_row(row).ok_or_else(|| Error::Data {
                what: "tuned numbers",
                found: format!("{row:?} in {}", path.display()),
                expected: "a score at least; move the file away".into(),
            })
        };
        journal.rows().iter().map(read).collect()
    }

    /// All models for a query, by number of known pairs and model.
    fn prepare(&self, plan: &Plan, query: usize, tuned: &[Tuned]) -> Result<Vec<Prepared>> {
        let own = &self.queries[self.measured[query].0];
        let one = |at: usize| {
            let (known, model) = (at / plan.models.len(), plan.models[at % plan.models.len()]);
            Prepared::new(model, &tuned[plan.tuning_of(Cell { query, known, rerun: 0, model })], own)
        };
        (0..plan.known.len() * plan.models.len()).map(one).collect()
    }

    fn measure(&self, plan: &Plan, seed: Seed, cell: Cell, prepared: &[Prepared]) -> Result<Measures> {
        let position = self.measured[cell.query].0;
        let query = &self.queries[position];
        let known = plan.known[cell.known];
        let marks = query.draw(known, seed, Phase::Measuring.of_pairs(position, known, cell.rerun));
        prepared[cell.known * plan.models.len() + plan.place(cell.model)].measure(&Split::new(query, &marks))
    }
}
