//! Rankings of labels.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use ordain::data::Attributes;
use ordain::learn::labels::{
    ForestParams, LabelEvaluation, LabelModel as Model, LabelPrediction, LabelRanker, LabelledExamples, LogisticParams,
    NeighboursParams, OnlineParams, PairwiseParams, Target,
};
use ordain::numeric::Seed;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::{Outcome, unfit};
use crate::learners::get;
use crate::long::{long, quick};

fn attributes(values: &PyReadonlyArray2<'_, f64>, names: Vec<String>) -> Outcome<Attributes> {
    let values = values.as_array();
    Ok(Attributes::new(names, values.nrows(), values.iter().copied().collect())?)
}

/// What is known of an example's labels, by the word of its kind.
fn targets(kind: &str, labels: Vec<Vec<usize>>) -> Outcome<Vec<Target>> {
    let target = |labels: Vec<usize>| {
        Ok(match kind {
            "class" => match labels[..] {
                [label] => Target::Class(label),
                _ => return Err(unfit("a class", format!("{} labels", labels.len()), "one label")),
            },
            "first" => Target::First(labels),
            "set" => Target::Set(labels),
            "order" => Target::Order(labels),
            "top" => Target::Top(labels),
            other => return Err(unfit("a kind of target", other, "class, first, set, order or top")),
        })
    };
    labels.into_iter().map(target).collect()
}

/// A learned ranking of labels.
#[pyclass(frozen, module = "ordain._core")]
pub struct LabelModel {
    model: Arc<Model>,
}

impl LabelModel {
    fn found(&self, py: Python<'_>, attributes: &Attributes) -> Outcome<Vec<LabelPrediction>> {
        quick(py, || Ok(self.model.predict(attributes)?))
    }
}

#[pymethods]
impl LabelModel {
    /// The utility of every label for every example, and its probability of being relevant where the learner has it.
    #[expect(clippy::type_complexity, reason = "two tables")]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, f64>,
    ) -> Outcome<(Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<f64>>>)> {
        let found = self.found(py, &attributes(&values, self.model.features().to_vec())?)?;
        let shape = (found.len(), self.model.labels().len());
        let table = |rows: Vec<f64>| -> Outcome<Bound<'py, PyArray2<f64>>> {
            let array = Array2::from_shape_vec(shape, rows);
            Ok(array.map_err(|error| unfit("utilities", error.to_string(), "one per label"))?.into_pyarray(py))
        };
        let probabilities: Option<Vec<&Vec<f64>>> = found.iter().map(|one| one.probabilities.as_ref()).collect();
        let probabilities = probabilities.filter(|all| !all.is_empty());
        let probabilities = probabilities.map(|all| table(all.into_iter().flatten().copied().collect())).transpose()?;
        Ok((table(found.into_iter().flat_map(|one| one.utilities).collect())?, probabilities))
    }

    /// Measures of the predictions beside what is known; those that say nothing here are absent.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, f64>,
        kind: &str,
        labels: Vec<Vec<usize>>,
    ) -> Outcome<Bound<'py, PyDict>> {
        let found = self.found(py, &attributes(&values, self.model.features().to_vec())?)?;
        let LabelEvaluation {
            hamming,
            ranking_loss,
            one_error,
            coverage,
            average_precision,
            micro_f1,
            macro_f1,
            accuracy,
            tau,
            footrule,
            ..
        } = LabelEvaluation::of(&found, &targets(kind, labels)?, self.model.labels().len())?;
        let out = PyDict::new(py);
        for (name, value) in [
            ("hamming", hamming),
            ("ranking_loss", ranking_loss),
            ("one_error", one_error),
            ("coverage", coverage),
            ("average_precision", average_precision),
            ("micro_f1", micro_f1),
            ("macro_f1", macro_f1),
            ("accuracy", accuracy),
            ("tau", tau),
            ("footrule", footrule),
        ] {
            if let Some(value) = value {
                out.set_item(name, value)?;
            }
        }
        Ok(out)
    }

    /// Whether the labels above 0 are the relevant ones.
    fn is_calibrated(&self) -> bool {
        self.model.is_calibrated()
    }

    /// Writes the model as a file that `ordain score` reads.
    fn save(&self, path: PathBuf) -> Outcome<()> {
        Ok(self.model.save(path)?)
    }

    /// Reads a model that `save` or `ordain train` wrote.
    #[staticmethod]
    fn load(path: PathBuf) -> Outcome<Self> {
        Ok(Self { model: Arc::new(Model::load(path)?) })
    }
}

/// Trains a ranker of labels: "online", "logistic", "pairwise", "neighbours" or "forest". Labels are positions.
#[pyfunction]
#[pyo3(signature = (learner, values, names, labels, kind, targets, params, progress=None))]
#[expect(clippy::too_many_arguments, reason = "one call from one place, with names")]
pub fn fit_labels(
    py: Python<'_>,
    learner: &str,
    values: PyReadonlyArray2<'_, f64>,
    names: Vec<String>,
    labels: Vec<String>,
    kind: &str,
    targets: Vec<Vec<usize>>,
    params: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> Outcome<LabelModel> {
    let examples = LabelledExamples::new(attributes(&values, names)?, labels, self::targets(kind, targets)?)?;
    let ranker = ranker(learner, params)?;
    let model = long(py, progress.as_ref(), move |watch| ranker.fit(&examples, watch))?;
    Ok(LabelModel { model: Arc::new(model) })
}

fn ranker(learner: &str, params: &Bound<'_, PyDict>) -> Outcome<Box<dyn LabelRanker>> {
    let seed = get::<u64>(params, "seed")?.map(Seed);
    let penalties = get::<Vec<f64>>(params, "penalties")?;
    Ok(match learner {
        "online" => {
            let mut own = OnlineParams::default();
            own.epochs = get(params, "epochs")?.unwrap_or(own.epochs);
            own.seed = seed.unwrap_or(own.seed);
            Box::new(own)
        }
        "logistic" => {
            let mut own = LogisticParams::default();
            own.across = get(params, "across")?.unwrap_or(own.across);
            own.penalties = penalties.unwrap_or(own.penalties);
            Box::new(own)
        }
        "pairwise" => {
            let mut own = PairwiseParams::default();
            own.penalties = penalties.unwrap_or(own.penalties);
            Box::new(own)
        }
        "neighbours" => {
            let mut own = NeighboursParams::default();
            own.neighbours = get(params, "neighbours")?.unwrap_or(own.neighbours);
            Box::new(own)
        }
        "forest" => {
            let mut own = ForestParams::default();
            own.trees = get(params, "trees")?.unwrap_or(own.trees);
            own.seed = seed.unwrap_or(own.seed);
            Box::new(own)
        }
        other => return Err(unfit("a learner", other, "online, logistic, pairwise, neighbours or forest")),
    })
}
