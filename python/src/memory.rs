//! A model in memory: built from what Python hands in, with the session that asks.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use ordain::active::{AskOptions, Session};
use ordain::data::{AnswerLog, Attributes, Entry, Groups, ItemId, Items, Link, Newcomers, Prior, Relation, Scale};
use ordain::gp::AnswerModel;
use ordain::kernel::KernelSpec;
use ordain::{Fitted, Inference, Model, Watch};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answers;
use crate::asking::settings;
use crate::failure::{Outcome, unfit};
use crate::kernels;
use crate::links::Links;
use crate::long::long;

/// For every group and column, what it is divided by, then the mean and the deviation.
type Blocks = Vec<Vec<Option<[f64; 3]>>>;

/// The scales of attributes and of the prior; none where numbers are as they were given.
pub type Scales = (Option<Blocks>, Option<Blocks>);

/// The columns of a prior, their names, and the weights if they are not 1 each.
type GivenPrior<'py> = (PyReadonlyArray2<'py, f64>, Vec<String>, Option<Vec<f64>>);

/// Items, relations, kernels and how judges answer, as Python hands them in.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Parts<'py> {
    ids: Vec<String>,
    values: Option<PyReadonlyArray2<'py, f64>>,
    names: Vec<String>,
    groups: Option<Vec<String>>,
    /// The columns whose weighted sum is the mean.
    prior: Option<GivenPrior<'py>>,
    standardize: bool,
    /// The scales of attributes and prior, if they were standardized before.
    scales: Scales,
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
    pub fn memory(self, py: Python<'_>) -> Outcome<Memory> {
        let Self { ids, names, groups, standardize, mut scales, noise, tie_width, sides, gold_rate, .. } = self;
        let (count, width) = (ids.len(), names.len());
        let specs: Vec<KernelSpec> =
            self.kernels.iter().map(|table| kernels::kernel(table, width)).collect::<Outcome<_>>()?;
        let relations: Vec<Relation> =
            self.relations.into_iter().map(|links| links.relation(count)).collect::<Outcome<_>>()?;
        let ask = settings(&self.ask)?;
        let gold = answers::gold(&self.gold, count)?;
        // The model's own copies, row by row.
        let rows = self.values.as_ref().map(copy);
        let prior = self.prior.map(|(columns, names, weights)| (copy(&columns), names, weights));
        long(py, None, move |_| {
            let groups = groups.map(Groups::new);
            let attributes = match rows {
                None => Attributes::none(count),
                Some(rows) => {
                    let given = Attributes::new(names, count, rows)?;
                    if standardize && width > 0 {
                        scales.0 = Some(Scale::of(&given, groups.as_ref()).blocks());
                        given.standardized(groups.as_ref())?
                    } else {
                        given
                    }
                }
            };
            let prior = match prior {
                None => None,
                Some((columns, names, weights)) => {
                    let mut prior = Prior::new(Attributes::new(names, count, columns)?)?;
                    if standardize {
                        scales.1 = Some(Scale::of(prior.columns(), groups.as_ref()).blocks());
                        prior = prior.standardized(groups.as_ref())?;
                    }
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
            Ok(Memory { model, scales, options: AskOptions::default(), pool: None, session: None })
        })
    }
}

/// Newcomers, as Python hands them in: numbers as they were given, and for every relation the links that involve newcomers.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Newcoming<'py> {
    ids: Vec<String>,
    values: Option<PyReadonlyArray2<'py, f64>>,
    groups: Option<Vec<String>>,
    prior: Option<PyReadonlyArray2<'py, f64>>,
    links: Vec<Links<'py>>,
}

/// The same, read.
pub struct Read {
    ids: Vec<String>,
    values: Option<Vec<f64>>,
    groups: Option<Groups>,
    prior: Option<Vec<f64>>,
    links: Vec<Vec<Link>>,
}

impl Newcoming<'_> {
    /// Reads them beside so many known items.
    pub fn read(self, known: usize) -> Outcome<Read> {
        let all = known + self.ids.len();
        let links = self.links.into_iter().map(|links| Ok(links.relation(all)?.links().to_vec()));
        Ok(Read {
            links: links.collect::<Outcome<_>>()?,
            values: self.values.as_ref().map(copy),
            prior: self.prior.as_ref().map(copy),
            groups: self.groups.map(Groups::new),
            ids: self.ids,
        })
    }
}

impl Read {
    /// What is believed after the answers of a model, of newcomers too.
    pub fn fit(self, model: &Model, scales: &Scales, inference: Inference, watch: &Watch) -> ordain::Result<Fitted> {
        let (known, count) = (model.items(), self.ids.len());
        let all = known.len() + count;
        let scaled = |names: &[String], rows: Vec<f64>, scale: &Option<Blocks>| -> ordain::Result<Attributes> {
            let given = Attributes::new(names.to_vec(), count, rows)?;
            let Some(scale) = scale.as_deref().map(Scale::of_blocks) else { return Ok(given) };
            Ok(given.scaled(&scale.for_newcomers(known.groups(), &given, self.groups.as_ref()), self.groups.as_ref()))
        };
        let attributes = match self.values {
            Some(rows) => scaled(known.attributes().names(), rows, &scales.0)?,
            None => Attributes::none(count),
        };
        let prior = match (self.prior, known.prior()) {
            (Some(rows), Some(prior)) => {
                let columns = scaled(prior.columns().names(), rows, &scales.1)?;
                Some(Prior::new(columns)?.with_weights(prior.weights().to_vec())?)
            }
            _ => None,
        };
        let items = known.joined(&Items::new(self.ids, self.groups.clone(), attributes)?.with_prior(prior)?)?;
        let joined = model.relations().iter().zip(self.links).map(|(relation, links)| {
            let links = [relation.links(), &links].concat();
            let targets = if relation.targets() == known.len() { all } else { relation.targets() };
            Relation::bipartite(all, targets, links)
        });
        let joined = joined.collect::<ordain::Result<Vec<_>>>()?;
        let newcomers = Newcomers::new(known, model.relations(), items, joined)?;
        model.fit_with(newcomers, inference, watch)
    }
}

/// The numbers of an array, row by row.
fn copy(array: &PyReadonlyArray2<'_, f64>) -> Vec<f64> {
    array.as_array().iter().copied().collect()
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
    pub scales: Scales,
    pub options: AskOptions,
    pub pool: Option<Vec<(ItemId, ItemId)>>,
    /// It has learned exactly the model's answers.
    pub session: Option<Session>,
}

impl Memory {
    /// Has these answers from now on. The session begins anew.
    ///
    /// # Errors
    /// If there are ties and they have no width. Nothing changes then.
    pub fn set_answers(&mut self, answers: AnswerLog) -> ordain::Result<()> {
        let model = self.model.clone().with_answers(answers)?;
        if model.ties_need_width() {
            let expected = "a positive width, since there are ties among the answers";
            return Err(ordain::Error::Parameter { name: "tie_width".into(), value: 0.0, expected });
        }
        (self.model, self.session) = (model, None);
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
