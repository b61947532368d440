//! Rankers: what learns from graded lists, and the model that it gives.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::graded_lists::{GradedLists, Scaling, check_same_names};
use super::network::{Activity, Network};
use crate::data::{Attributes, Groups};
use crate::formats::model_file::{self, Stored};
use crate::formats::write_whole;
use crate::measure::Measure;
use crate::{Error, Result, Watch};

/// A learner of rankings from graded lists.
pub trait Ranker: Send + Sync {
    /// Learns a model. What the learner chooses, it chooses by a measure on the lists to validate with. If there are none, it keeps aside every
    /// fifth query of those to learn from in which grades differ; with fewer than five of these it chooses by the queries that teach.
    ///
    /// # Errors
    /// If no query has documents of different grades, no query to choose by has a relevant document, the attributes of the lists differ, a
    /// parameter is out of its range, or the watch stops it.
    fn fit(&self, train: &GradedLists, validate: Option<&GradedLists>, watch: &Watch) -> Result<RankingModel>;
}

/// The version of the model files that this version of the library writes. It reads this one and all before.
const VERSION: u32 = 1;

/// A learned ranking function: attributes to scores.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingModel {
    pub(super) learner: String,
    pub(super) scaling: Scaling,
    pub(super) features: Vec<String>,
    pub(super) importance: Vec<f64>,
    pub(super) network: Network,
    pub(super) chosen: Vec<(String, f64)>,
    pub(super) curve: Vec<Epoch>,
    pub(super) measure: Measure,
    pub(super) measured: [f64; 2],
}

/// The measure after a pass over all queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// On the queries to learn from, each as the pass met it.
    pub train: f64,
    /// On the queries to validate with.
    pub validate: f64,
}

impl RankingModel {
    /// The name of the learner.
    pub fn learner(&self) -> &str {
        &self.learner
    }

    /// The names of the attributes that it reads.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// How attributes are scaled within each query.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// The units of each hidden layer; none if the scores are linear.
    pub fn hidden(&self) -> &[usize] {
        self.network.hidden()
    }

    /// The weight of every attribute after scaling; none if the scores are not linear.
    pub fn weights(&self) -> Option<&[f64]> {
        self.hidden().is_empty().then_some(&self.network.weights)
    }

    /// How much of the scores each attribute moves: the mean size of the score's derivative by it over the documents that taught, times its
    /// deviation among them. The shares of all attributes add up to 1.
    pub fn importance(&self) -> &[f64] {
        &self.importance
    }

    /// The values that the learner chose, by name.
    pub fn chosen(&self) -> &[(String, f64)] {
        &self.chosen
    }

    /// The measure by which the learner chose.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// The measure of the model on the queries that taught, and on those to validate with.
    pub fn measured(&self) -> [f64; 2] {
        self.measured
    }

    /// The measure after every pass of the run that was chosen.
    pub fn curve(&self) -> &[Epoch] {
        &self.curve
    }

    /// The scores of items; the higher, the better. Attributes are scaled within each group, so scores of different groups do not compare.
    ///
    /// # Errors
    /// If the attributes are not those that the model was learned with (their order does not matter), or groups are not of as many items.
    pub fn score(&self, attributes: &Attributes, groups: Option<&Groups>) -> Result<Vec<f64>> {
        let columns = self.columns(attributes)?;
        let grouped = groups.map_or(attributes.items(), |groups| groups.sizes().sum());
        if grouped != attributes.items() {
            return Err(Error::Data {
                what: "groups of items to score",
                found: format!("groups of {grouped} items"),
                expected: format!("those of the {} items", attributes.items()),
            });
        }
        let scaled = self.scaling.of(attributes, groups);
        let in_place = columns.iter().enumerate().all(|(at, column)| at == *column);
        let mut activity = Activity::default();
        let mut out = Vec::with_capacity(attributes.items());
        let mut rows = Vec::new();
        // Some rows at a time, so that hidden layers stay in the cache.
        const ROWS: usize = 256;
        for from in (0..attributes.items()).step_by(ROWS) {
            rows.clear();
            for item in from..attributes.items().min(from + ROWS) {
                let row = scaled.row(item);
                if in_place {
                    rows.extend_from_slice(row)
                } else {
                    rows.extend(columns.iter().map(|&column| row[column]))
                }
            }
            self.network.scores(&rows, &mut activity);
            out.append(&mut activity.scores);
        }
        Ok(out)
    }

    /// The column of every feature.
    fn columns(&self, attributes: &Attributes) -> Result<Vec<usize>> {
        let differ = |found: String, expected: String| Error::Data { what: "attributes to score", found, expected };
        let column = |feature: &String| {
            attributes.names().iter().position(|name| name == feature).ok_or_else(|| {
                differ(
                    format!("none that is called {feature}"),
                    "the attributes that the model was learned with".into(),
                )
            })
        };
        let columns = self.features.iter().map(column).collect::<Result<Vec<usize>>>()?;
        if let Some(other) = attributes.names().iter().find(|name| !self.features.contains(name)) {
            return Err(differ(
                format!("{other}, which the model does not know"),
                format!("the {} attributes that it was learned with", self.features.len()),
            ));
        }
        Ok(columns)
    }

    /// Writes the model as a JSON file that later versions can read. The file is complete or stays as it was.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let file = File {
            format: FORMAT.into(),
            version: VERSION,
            learner: self.learner.clone(),
            scaling: self.scaling.to_string(),
            hidden: self.hidden().to_vec(),
            features: self.features.clone(),
            weights: self.network.weights.clone(),
            importance: self.importance.clone(),
            measure: self.measure.to_string(),
            measured: self.measured,
            chosen: self.chosen.clone(),
            curve: self.curve.clone(),
        };
        write_whole(path, |out| {
            serde_json::to_writer_pretty(&mut *out, &file)?;
            out.write_all(b"\n")
        })
    }

    /// Reads a model that was saved by this version or an earlier one.
    ///
    /// # Errors
    /// If the file cannot be read, is no model, was cut short, or is of a later version.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        model_file::load(path.as_ref())
    }
}

const FORMAT: &str = "ordain ranking model";

/// The file.
#[derive(Serialize, Deserialize)]
pub(crate) struct File {
    format: String,
    version: u32,
    learner: String,
    scaling: String,
    hidden: Vec<usize>,
    features: Vec<String>,
    weights: Vec<f64>,
    importance: Vec<f64>,
    measure: String,
    measured: [f64; 2],
    chosen: Vec<(String, f64)>,
    curve: Vec<Epoch>,
}

impl Stored for RankingModel {
    const FORMAT: &'static str = FORMAT;
    const VERSION: u32 = VERSION;
    type File = File;

    fn restored(file: File) -> std::result::Result<Self, String> {
        let scaling = file.scaling.parse().map_err(|error: Error| error.to_string())?;
        let measure = file.measure.parse().map_err(|error: Error| error.to_string())?;
        let numbers = file.weights.iter().chain(&file.importance);
        if file.importance.len() != file.features.len() || numbers.into_iter().any(|number| !number.is_finite()) {
            return Err("a finite number for every weight and attribute".into());
        }
        let different: HashSet<&String> = file.features.iter().collect();
        if file.features.is_empty() || different.len() != file.features.len() {
            return Err("at least one attribute, and none twice".into());
        }
        if file.hidden.len() > MOST_LAYERS || file.hidden.contains(&0) {
            return Err(format!("at most {MOST_LAYERS} hidden layers, each with units"));
        }
        let network = Network::with_weights(file.features.len(), &file.hidden, file.weights);
        Ok(Self {
            network: network.ok_or("as many weights as the attributes and hidden units need")?,
            learner: file.learner,
            scaling,
            features: file.features,
            importance: file.importance,
            chosen: file.chosen,
            curve: file.curve,
            measure,
            measured: file.measured,
        })
    }
}

/// The most hidden layers of a network.
pub(super) const MOST_LAYERS: usize = 2;

/// Fails if less of a measure is better.
pub(super) fn check_gain(measure: Measure) -> Result<()> {
    if measure.is_gain() {
        return Ok(());
    }
    Err(Error::Data {
        what: "the measure to choose by",
        found: measure.to_string(),
        expected: "a measure of which more is better".into(),
    })
}

/// The lists that teach and those to choose by.
pub(super) struct Parts<'a> {
    pub(super) train: Cow<'a, GradedLists>,
    pub(super) validate: Cow<'a, GradedLists>,
}

/// The lists as given, or with every fifth query in which grades differ kept aside to choose by.
pub(super) fn parts<'a>(train: &'a GradedLists, validate: Option<&'a GradedLists>) -> Result<Parts<'a>> {
    const FIFTH: usize = 5;
    let parts = match validate {
        Some(validate) => {
            check_alike(train, validate)?;
            Parts { train: Cow::Borrowed(train), validate: Cow::Borrowed(validate) }
        }
        None => {
            let aside: Vec<usize> = train.teach().into_iter().skip(FIFTH - 1).step_by(FIFTH).collect();
            if aside.is_empty() {
                Parts { train: Cow::Borrowed(train), validate: Cow::Borrowed(train) }
            } else {
                let rest: Vec<usize> = (0..train.len()).filter(|query| !aside.contains(query)).collect();
                Parts { train: Cow::Owned(train.some(&rest)), validate: Cow::Owned(train.some(&aside)) }
            }
        }
    };
    if parts.validate.has_relevant() {
        return Ok(parts);
    }
    Err(Error::Data {
        what: "queries to choose by",
        found: "no relevant document".into(),
        expected: "a document of grade 1 or more: without one, every measure is 0".into(),
    })
}

/// Fails unless the lists to validate with have the attributes of those that teach.
pub(super) fn check_alike(train: &GradedLists, validate: &GradedLists) -> Result<()> {
    const WHAT: &str = "lists to validate with";
    check_same_names(WHAT, train.names(), validate.names())?;
    if train.scaling() == validate.scaling() {
        return Ok(());
    }
    Err(Error::Data {
        what: WHAT,
        found: format!("scaling {}", validate.scaling()),
        expected: format!("{}, as in the lists to learn from", train.scaling()),
    })
}

/// The place of the largest value; the first of equals, and 0 if there is none.
pub(super) fn first_best(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (at, value) in values.enumerate() {
        if value > best.1 {
            best = (at, value);
        }
    }
    best.0
}
