//! What users who rate items share.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use ordain::data::{Answer, Attributes, GradeScale, Items, Opinions, Outcome as Said, Ratings};
use ordain::gp::{CollaborativeParams, RankedItem, RankingParams};
use ordain::learn::{GradesAs, Likeness, Personal, RatersModel as Model, RatersParams};
use ordain::numeric::Seed;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answers::item;
use crate::failure::{Outcome, unfit};
use crate::kernels;
use crate::learners::get;
use crate::long::long;

/// What one user said: graded items, and pairs of a better and a worse item.
type Told = (Vec<(i64, i32)>, Vec<(i64, i64)>);

/// A prior that users share, and what is believed of each.
#[pyclass(frozen, module = "ordain._core")]
pub struct RatersModel {
    model: Arc<Model>,
}

fn opinions((grades, pairs): Told, items: usize, scale: Option<GradeScale>) -> Outcome<Opinions> {
    let grade = |(at, grade): (i64, i32)| {
        let position = scale.and_then(|scale| scale.position(grade));
        let position =
            position.ok_or_else(|| unfit("a grade", grade.to_string(), "one of the grades that were learned"))?;
        Ok((item(at, items)?, position))
    };
    let answer = |(better, worse): (i64, i64)| -> Outcome<Answer> {
        Ok(Answer::new(item(better, items)?, Some(item(worse, items)?), Said::First)?)
    };
    let grades = grades.into_iter().map(grade).collect::<Outcome<_>>()?;
    Ok(Opinions { grades, answers: pairs.into_iter().map(answer).collect::<Outcome<_>>()? })
}

/// Learns from users, each with a name and what he said. Without kernels, items are not alike before anybody speaks.
#[pyfunction]
#[pyo3(signature = (ids, values, names, kernels, users, params, progress=None))]
#[expect(clippy::too_many_arguments, reason = "one call from one place, with names")]
pub fn fit_raters(
    py: Python<'_>,
    ids: Vec<String>,
    values: Option<PyReadonlyArray2<'_, f64>>,
    names: Vec<String>,
    kernels: Vec<Bound<'_, PyDict>>,
    users: Vec<(String, Told)>,
    params: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> Outcome<RatersModel> {
    let count = ids.len();
    let given = match &values {
        None => Attributes::none(count),
        Some(values) => {
            Attributes::new(names, count, values.as_array().iter().copied().collect())?.standardized(None)?
        }
    };
    let specs = kernels.iter().map(|table| kernels::kernel(table, given.len())).collect::<Outcome<Vec<_>>>()?;
    let items = Items::new(ids, None, given)?;
    let grades = users.iter().flat_map(|(_, (grades, _))| grades).map(|(_, grade)| *grade);
    let scale = if grades.clone().next().is_some() { Some(GradeScale::of(grades)?) } else { None };
    let users =
        users.into_iter().map(|(name, told)| Ok((name, opinions(told, count, scale)?))).collect::<Outcome<Vec<_>>>()?;
    let ratings = Ratings::new(items.clone(), scale, users)?;
    let mut own = RatersParams::default();
    own.noise = get(params, "noise")?;
    own.grades = get::<String>(params, "grades")?.map_or(Ok(own.grades), |word| word.parse::<GradesAs>())?;
    let shared = CollaborativeParams::default();
    let rounds = get(params, "rounds")?.unwrap_or(shared.rounds);
    let shrinkage = get(params, "shrinkage")?.unwrap_or(shared.shrinkage);
    let model = long(py, progress.as_ref(), move |watch| {
        own.shared = shared.with_rounds(rounds).with_shrinkage(shrinkage).with_watch(watch.clone());
        if specs.is_empty() {
            return own.train(ratings, Likeness::Apart);
        }
        let kernel = ordain::Model::new(items, specs)?.kernel()?;
        own.train(ratings, Likeness::Kernel(kernel.as_ref()))
    })?;
    Ok(RatersModel { model: Arc::new(model) })
}

#[pymethods]
impl RatersModel {
    /// The ranking that users agree on.
    fn consensus<'py>(&self, py: Python<'py>, seed: u64) -> Outcome<Bound<'py, PyDict>> {
        let model = self.model.clone();
        let ranking = long(py, None, move |watch| model.consensus(&params(&model, seed).with_watch(watch.clone())))?;
        Ok(columns(py, &ranking)?)
    }

    /// What is believed of the user at a position: the ranking, and the probability of every grade of every item.
    fn personal<'py>(&self, py: Python<'py>, user: usize, seed: u64) -> Outcome<Belief<'py>> {
        let model = self.model.clone();
        if user >= model.ratings().users().len() {
            return Err(unfit("the position of a user", user.to_string(), "one of the users"));
        }
        let found = long(py, None, move |watch| model.personal(user, &params(&model, seed).with_watch(watch.clone())))?;
        believed(py, found)
    }

    /// What is believed of a user who was not there.
    fn newcomer<'py>(&self, py: Python<'py>, told: Told, seed: u64) -> Outcome<Belief<'py>> {
        let model = self.model.clone();
        let told = opinions(told, model.ratings().items().len(), model.scale())?;
        let found =
            long(py, None, move |watch| model.newcomer(&told, &params(&model, seed).with_watch(watch.clone())))?;
        believed(py, found)
    }

    /// The grades that there are.
    fn grades(&self) -> Vec<i32> {
        self.model.scale().map_or_else(Vec::new, |scale| scale.grades().collect())
    }

    /// The log evidence after every round.
    fn log_evidences(&self) -> Vec<f64> {
        self.model.learned().rounds().iter().map(|round| round.log_evidence).collect()
    }

    /// Writes the model as a file that `ordain rate` reads.
    fn save(&self, path: PathBuf) -> Outcome<()> {
        Ok(self.model.save(path)?)
    }

    /// Reads a model that `save` or `ordain train` wrote.
    #[staticmethod]
    fn load(path: PathBuf) -> Outcome<Self> {
        Ok(Self { model: Arc::new(Model::load(path)?) })
    }
}

/// The columns of a ranking, and the probabilities of grades if there are grades.
type Belief<'py> = (Bound<'py, PyDict>, Option<Bound<'py, PyArray2<f64>>>);

fn params(model: &Model, seed: u64) -> RankingParams {
    RankingParams::for_items(model.ratings().items().len()).with_seed(Seed(seed))
}

fn believed(py: Python<'_>, found: Personal) -> Outcome<Belief<'_>> {
    let width = found.grades.first().map_or(0, Vec::len);
    let grades = match width {
        0 => None,
        _ => {
            let shape = (found.grades.len(), width);
            let array = Array2::from_shape_vec(shape, found.grades.into_iter().flatten().collect());
            Some(array.map_err(|error| unfit("grades", error.to_string(), "a table"))?.into_pyarray(py))
        }
    };
    Ok((columns(py, &found.ranking)?, grades))
}

fn columns<'py>(py: Python<'py>, ranking: &[RankedItem]) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let whole = |of: fn(&RankedItem) -> usize| {
        PyArray1::from_vec(py, ranking.iter().map(|item| of(item) as i64).collect::<Vec<i64>>())
    };
    let real = |of: fn(&RankedItem) -> f64| PyArray1::from_vec(py, ranking.iter().map(of).collect::<Vec<f64>>());
    out.set_item("item", whole(|item| item.item.index()))?;
    out.set_item("rank", whole(|item| item.rank))?;
    out.set_item("mean", real(|item| item.mean))?;
    out.set_item("sd", real(|item| item.sd))?;
    out.set_item("rank_low", whole(|item| item.rank_low))?;
    out.set_item("rank_high", whole(|item| item.rank_high))?;
    Ok(out)
}
