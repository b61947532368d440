//! A model in memory: built from what Python hands in, with the session that asks.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use ordain::active::{AskOptions, Session};
use ordain::data::{AnswerLog, Attributes, Entry, Groups, ItemId, Items, Prior, Relation};
use ordain::gp::AnswerModel;
use ordain::kernel::KernelSpec;
use ordain::{Model, Watch};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answers;
use crate::asking::settings;
use crate::failure::{Outcome, unfit};
use crate::kernels;
use crate::links::Links;
use crate::long::long;

/// Items, relations, kernels and how judges answer, as Python hands them in.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Parts<'py> {
    ids: Vec<String>,
    values: Option<PyReadonlyArray2<'py, f64>>,
    names: Vec<String>,
    groups: Option<Vec<String>>,
    /// The columns whose weighted sum is the mean, their names, and the weights if they are not 1 each.
    prior: Option<(PyReadonlyArray2<'py, f64>, Vec<String>, Option<Vec<f64>>)>,
    standardize: bool,
    relations: Vec<Links<'py>>,
    kernels: Vec<Bound<'py, PyDict>>,
    noise: Option<f64>,
    tie_width: f64,
    sides: bool,
    /// First, second, outcome.
    gold: Vec<(i64, i64, String)>,
    gold_rate: f64,
    ask: Bound<'py, PyDict>,
}

impl Parts<'_> {
    /// The model that they make.
    pub fn model(self, py: Python<'_>) -> Outcome<Model> {
        let Self { ids, names, groups, standardize, noise, tie_width, sides, gold_rate, .. } = self;
        let (count, width) = (ids.len(), names.len());
        let specs: Vec<KernelSpec> =
            self.kernels.iter().map(|table| kernels::kernel(table, width)).collect::<Outcome<_>>()?;
        let relations: Vec<Relation> =
            self.relations.into_iter().map(|links| links.relation(count)).collect::<Outcome<_>>()?;
        let ask = settings(&self.ask)?;
        let gold = answers::gold(&self.gold, count)?;
        // The model's own copies, row by row.
        let copy = |array: &PyReadonlyArray2<'_, f64>| array.as_array().iter().copied().collect::<Vec<f64>>();
        let rows = self.values.as_ref().map(copy);
        let prior = self.prior.map(|(columns, names, weights)| (copy(&columns), names, weights));
        long(py, None, move |_| {
            let groups = groups.map(Groups::new);
            let attributes = match rows {
                None => Attributes::none(count),
                Some(rows) => {
                    let given = Attributes::new(names, count, rows)?;
                    if standardize && width > 0 { given.standardized(groups.as_ref())? } else { given }
                }
            };
            let prior = match prior {
                None => None,
                Some((columns, names, weights)) => {
                    let prior = Prior::new(Attributes::new(names, count, columns)?)?;
                    let prior = if standardize { prior.standardized(groups.as_ref())? } else { prior };
                    Some(match weights {
                        Some(weights) => prior.with_weights(weights)?,
                        None => prior,
                    })
                }
            };
            let answers = match noise {
                Some(noise) => AnswerModel::new(noise, tie_width)?,
                None => AnswerModel::learning(tie_width)?,
            };
            let items = Items::new(ids, groups, attributes)?.with_prior(prior)?;
            let model = Model::new(items, specs)?.with_relations(relations);
            let model = model.with_answer_model(answers.with_sides(sides)).with_ask(ask).with_gold(gold, gold_rate)?;
            // What does not fit the items is said before anybody answers.
            model.kernel()?;
            model.asking(&AskOptions::default())?;
            Ok(model)
        })
    }
}

/// Columns of numbers as an array, a row per item; none if there are none.
pub fn array<'py>(py: Python<'py>, columns: &Attributes) -> Outcome<Option<Bound<'py, PyArray2<f64>>>> {
    if columns.is_empty() {
        return Ok(None);
    }
    let rows = (0..columns.items()).flat_map(|item| columns.row(item)).copied().collect();
    let array = Array2::from_shape_vec((columns.items(), columns.len()), rows);
    Ok(Some(array.map_err(|error| unfit("columns", error.to_string(), "rows"))?.into_pyarray(py)))
}

/// A model in memory with the session that asks.
pub struct Memory {
    pub model: Model,
    pub options: AskOptions,
    pub pool: Option<Vec<(ItemId, ItemId)>>,
    /// It has learned exactly the model's answers.
    pub session: Option<Session>,
}

impl Memory {
    /// A model without answers.
    pub fn new(model: Model) -> Self {
        Self { model, options: AskOptions::default(), pool: None, session: None }
    }

    /// The same model with these answers. The session begins anew.
    pub fn set_answers(&mut self, answers: AnswerLog) -> ordain::Result<()> {
        self.model = self.model.clone().with_answers(answers)?;
        self.session = None;
        Ok(())
    }

    pub fn session(&mut self) -> ordain::Result<&mut Session> {
        if self.session.is_none() {
            self.session = Some(self.model.session(&self.options, self.pool.as_deref(), &Watch::NONE)?);
        }
        match &mut self.session {
            Some(session) => Ok(session),
            None => unreachable!("it was made just now"),
        }
    }

    /// Learns an answer, then keeps it.
    pub fn tell(&mut self, entry: Entry) -> ordain::Result<()> {
        let Entry::Answer(answer) = &entry else { return self.model.add(entry) };
        if !self.model.gold().is_about(answer) {
            self.session()?.tell(answer.clone())?;
        }
        let told = self.model.add(entry);
        if told.is_err() {
            self.session = None;
        }
        told
    }

    pub fn undo(&mut self, judge: Option<&str>) -> ordain::Result<Option<ordain::data::Answer>> {
        let Some(taken) = self.model.answers().latest(judge).cloned() else { return Ok(None) };
        self.model.add(Entry::Undo { judge: judge.map(str::to_owned), time: None })?;
        if let Some(session) = &mut self.session
            && !self.model.gold().is_about(&taken)
            && session.undo(judge).is_err()
        {
            // The answer is taken back all the same: the session is made anew when it is next needed.
            self.session = None;
        }
        Ok(Some(taken))
    }
}
