//! Rankers from graded lists.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use ordain::data::{Attributes, Groups, Items};
use ordain::learn::{self, LambdaParams, LinearSvmParams, PairLambda, Ranker, Scaling, Swap};
use ordain::measure::Measure;
use ordain::numeric::Seed;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use crate::failure::{Outcome, unfit};
use crate::fitted::Columns;
use crate::long::{long, quick};

/// Documents with attributes in groups: the queries. Groups are numbers.
fn documents(
    values: &PyReadonlyArray2<'_, f64>,
    names: Vec<String>,
    groups: &PyReadonlyArray1<'_, i64>,
) -> Outcome<(Attributes, Groups)> {
    let values = values.as_array();
    let groups = groups.as_array();
    if groups.len() != values.nrows() {
        let expected = format!("{}, one per document", values.nrows());
        return Err(unfit("qid", groups.len().to_string(), expected));
    }
    let attributes = Attributes::new(names, values.nrows(), values.iter().copied().collect())?;
    Ok((attributes, Groups::new(groups.iter().map(ToString::to_string))))
}

/// Graded documents, query by query.
#[pyclass(frozen, module = "ordain._core")]
pub struct GradedLists {
    lists: Arc<learn::GradedLists>,
}

#[pymethods]
impl GradedLists {
    #[new]
    fn new(
        values: PyReadonlyArray2<'_, f64>,
        names: Vec<String>,
        grades: PyReadonlyArray1<'_, i32>,
        groups: PyReadonlyArray1<'_, i64>,
        scaling: &str,
    ) -> Outcome<Self> {
        let (attributes, groups) = documents(&values, names, &groups)?;
        let ids = (0..attributes.items()).map(|at| at.to_string()).collect();
        let items = Items::new(ids, Some(groups), attributes)?;
        let grades: Vec<i32> = grades.as_array().iter().copied().collect();
        let lists = learn::GradedLists::new(&items, &grades, scaling.parse::<Scaling>()?)?;
        Ok(Self { lists: Arc::new(lists) })
    }
}

/// A learned ranking function.
#[pyclass(frozen, module = "ordain._core")]
pub struct RankingModel {
    model: learn::RankingModel,
}

#[pymethods]
impl RankingModel {
    /// The scores of documents; the higher, the better.
    fn score<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, f64>,
        names: Vec<String>,
        groups: PyReadonlyArray1<'py, i64>,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let (attributes, groups) = documents(&values, names, &groups)?;
        let model = &self.model;
        let scores = quick(py, || Ok(model.score(&attributes, Some(&groups))?))?;
        Ok(PyArray1::from_vec(py, scores))
    }

    /// The weight of every attribute, if the scores are linear.
    fn weights<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.model.weights().map(|weights| PyArray1::from_slice(py, weights))
    }

    /// The share of the scores that each attribute moves.
    fn importance<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.model.importance())
    }

    /// The names of the attributes.
    fn features(&self) -> Vec<String> {
        self.model.features().to_vec()
    }

    /// What the learner chose, by name.
    fn chosen(&self) -> Vec<(String, f64)> {
        self.model.chosen().to_vec()
    }

    /// The measure on the queries that taught, and on those to validate with.
    fn measured(&self) -> [f64; 2] {
        self.model.measured()
    }

    /// The measure after every pass: on the queries that taught, and on those to validate with.
    fn curve(&self) -> Vec<(f64, f64)> {
        self.model.curve().iter().map(|epoch| (epoch.train, epoch.validate)).collect()
    }

    /// Writes the model as a file that `ordain score` reads.
    fn save(&self, path: PathBuf) -> Outcome<()> {
        Ok(self.model.save(path)?)
    }

    /// Reads a model that `save` or `ordain train` wrote.
    #[staticmethod]
    fn load(path: PathBuf) -> Outcome<Self> {
        Ok(Self { model: learn::RankingModel::load(path)? })
    }
}

/// Trains a ranker: "lambdarank", "ranknet" or "linear-svm". Parameters that are absent have their usual values.
#[pyfunction]
#[pyo3(signature = (learner, lists, validate, params, progress=None))]
pub fn fit_ranker(
    py: Python<'_>,
    learner: &str,
    lists: &GradedLists,
    validate: Option<&GradedLists>,
    params: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> Outcome<RankingModel> {
    let ranker = ranker(learner, params)?;
    let lists = lists.lists.clone();
    let validate = validate.map(|validate| validate.lists.clone());
    let model = long(py, progress.as_ref(), move |watch| ranker.fit(&lists, validate.as_deref(), watch))?;
    Ok(RankingModel { model })
}

fn ranker(learner: &str, params: &Bound<'_, PyDict>) -> Outcome<Box<dyn Ranker>> {
    let measure = get::<String>(params, "measure")?.map(|name| name.parse::<Measure>()).transpose()?;
    if learner == "linear-svm" {
        let mut svm = LinearSvmParams::default();
        svm.measure = measure.unwrap_or(svm.measure);
        svm.penalties = get(params, "penalties")?.unwrap_or(svm.penalties);
        svm.tolerance = get(params, "tolerance")?.unwrap_or(svm.tolerance);
        svm.max_steps = get(params, "max_steps")?.unwrap_or(svm.max_steps);
        return Ok(Box::new(svm));
    }
    let weight = get::<String>(params, "weight")?;
    let mut lambda = match learner {
        "lambdarank" => LambdaParams::lambdarank(swap(weight.as_deref().unwrap_or("ndcg"))?),
        "ranknet" => LambdaParams::ranknet(),
        other => return Err(unfit("a learner", other, "lambdarank, ranknet or linear-svm")),
    };
    lambda.lambda.steepness = get(params, "steepness")?.unwrap_or(lambda.lambda.steepness);
    lambda.lambda.confidence = get(params, "confidence")?.unwrap_or(lambda.lambda.confidence);
    lambda.hidden = get(params, "hidden")?.unwrap_or(lambda.hidden);
    lambda.rates = get(params, "rates")?.unwrap_or(lambda.rates);
    lambda.restarts = get(params, "restarts")?.unwrap_or(lambda.restarts);
    lambda.epochs = get(params, "epochs")?.unwrap_or(lambda.epochs);
    lambda.patience = get(params, "patience")?.unwrap_or(lambda.patience);
    lambda.measure = measure.unwrap_or(lambda.measure);
    lambda.seed = get(params, "seed")?.map_or(lambda.seed, Seed);
    Ok(Box::new(lambda))
}

/// A parameter, if it is given.
pub fn get<'py, T: FromPyObjectOwned<'py>>(params: &Bound<'py, PyDict>, key: &str) -> Outcome<Option<T>> {
    match params.get_item(key)? {
        Some(value) if !value.is_none() => Ok(Some(value.extract().map_err(Into::<PyErr>::into)?)),
        _ => Ok(None),
    }
}

/// The measure that a pair of documents is weighed by.
fn swap(word: &str) -> Outcome<Swap> {
    let (name, places) = match word.split_once('@') {
        Some((name, places)) => (name, Some(places)),
        None => (word, None),
    };
    let k = places.map(str::parse::<usize>).transpose();
    Ok(match (name, k) {
        ("ndcg", Ok(k)) if k != Some(0) => Swap::Ndcg { k },
        ("pairs", Ok(None)) => Swap::Pairs,
        ("map", Ok(None)) => Swap::AveragePrecision,
        ("mrr", Ok(None)) => Swap::ReciprocalRank,
        ("winner", Ok(None)) => Swap::Winner,
        _ => return Err(unfit("the weight of pairs", word, "ndcg, ndcg@k, map, mrr, winner or pairs")),
    })
}

/// Gradient and curvature of every score, as LightGBM and XGBoost expect them of an objective. The documents of a query stand together;
/// `ends` says where each ends.
#[pyfunction]
#[pyo3(signature = (scores, grades, ends, weight, steepness, confidence))]
pub fn lambda_gradient<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray1<'py, f64>,
    grades: PyReadonlyArray1<'py, i32>,
    ends: PyReadonlyArray1<'py, i64>,
    weight: &str,
    steepness: f64,
    confidence: f64,
) -> Outcome<Columns<'py>> {
    let lambda = PairLambda::new(swap(weight)?).with_steepness(steepness).with_confidence(confidence);
    let scores: Vec<f64> = scores.as_array().iter().copied().collect();
    let grades: Vec<i32> = grades.as_array().iter().copied().collect();
    let ranges = ranges(&ends, scores.len())?;
    if grades.len() != scores.len() {
        return Err(unfit("grades", grades.len().to_string(), format!("{}, one per score", scores.len())));
    }
    let parts = quick(py, || {
        let one =
            |range: &std::ops::Range<usize>| learn::gradients(&lambda, &grades[range.clone()], &scores[range.clone()]);
        Ok(ranges.par_iter().map(one).collect::<ordain::Result<Vec<_>>>()?)
    })?;
    let (mut gradient, mut curvature) = (Vec::with_capacity(scores.len()), Vec::with_capacity(scores.len()));
    for [own, curved] in parts {
        gradient.extend(own);
        curvature.extend(curved);
    }
    Ok((PyArray1::from_vec(py, gradient), PyArray1::from_vec(py, curvature)))
}

/// Consecutive ranges by their ends, which cover all documents.
pub fn ranges(ends: &PyReadonlyArray1<'_, i64>, documents: usize) -> Outcome<Vec<std::ops::Range<usize>>> {
    let mut start = 0;
    let mut out = Vec::new();
    for &end in ends.as_array() {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        if end < start || end > documents {
            return Err(unfit("the ends of queries", end.to_string(), format!("{start} to {documents}")));
        }
        out.push(start..end);
        start = end;
    }
    if start != documents {
        return Err(unfit("the ends of queries", start.to_string(), format!("{documents}, the number of documents")));
    }
    Ok(out)
}
