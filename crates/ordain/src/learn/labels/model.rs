//! Learned label rankings, and their files.

use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::argsort;
use super::examples::LabelledExamples;
use super::forest::Forest;
use super::neighbours::Neighbours;
use super::online::{Fourier, WIDTHS, gaussian};
use super::pairwise::{every_pair, pairs};
use super::prepared::Standard;
use super::target::LabelPreferences;
use crate::data::Attributes;
use crate::formats::model_file::{self, Stored};
use crate::formats::write_whole;
use crate::numeric::dense::{add_scaled, row_products};
use crate::{Error, Result};

/// The ranking of an example's labels.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPrediction {
    /// The utility of every label, beside the zero point at 0.
    pub utilities: Vec<f64>,
    /// The probability that each label is relevant, where the learner has it.
    pub probabilities: Option<Vec<f64>>,
    pub(super) calibrated: bool,
}

impl LabelPrediction {
    /// A prediction of these utilities, from wherever. Calibrated means that the zero point has a meaning.
    pub fn new(utilities: Vec<f64>, probabilities: Option<Vec<f64>>, calibrated: bool) -> Self {
        Self { utilities, probabilities, calibrated }
    }

    /// The labels by falling utility; equal ones by number.
    pub fn order(&self) -> Vec<usize> {
        argsort(&self.utilities)
    }

    /// How many labels are above the zero point; none if nothing was known of a zero point.
    pub fn relevant(&self) -> Option<usize> {
        self.calibrated.then(|| self.utilities.iter().filter(|utility| **utility > 0.0).count())
    }
}

/// What computes utilities from rows, which end with a constant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Machine {
    /// Weights label by label. Utilities may be log odds of being relevant.
    Linear { weights: Vec<f64>, fourier: Option<Fourier>, is_log_odds: bool },
    /// Rows that taught, and the share of every label in each.
    Kernel { rows: Vec<f64>, shares: Vec<f64>, width: f64 },
    /// Weights pair by pair, and label by label beside the zero point.
    Pairwise { pairs: Vec<f64>, zero: Option<Vec<f64>> },
    /// Examples to look for neighbours among.
    Neighbours(Neighbours),
    /// Trees.
    Forest(Forest),
}

/// A learned ranking of labels.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelModel {
    learner: String,
    features: Vec<String>,
    labels: Vec<String>,
    calibrated: bool,
    standard: Standard,
    machine: Machine,
    chosen: Vec<(String, f64)>,
}

impl LabelModel {
    pub(super) fn new(learner: &str, examples: &LabelledExamples, standard: Standard, machine: Machine) -> Self {
        Self {
            learner: learner.into(),
            features: examples.attributes().names().to_vec(),
            labels: examples.labels().to_vec(),
            calibrated: examples.has_zero(),
            standard,
            machine,
            chosen: Vec::new(),
        }
    }

    pub(super) fn with_chosen(mut self, name: &str, value: f64) -> Self {
        self.chosen.push((name.into(), value));
        self
    }

    /// The name of the learner.
    pub fn learner(&self) -> &str {
        &self.learner
    }

    /// The names of the attributes that it reads.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The labels' names.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Whether it knows a zero point: some example said which labels are relevant.
    pub fn is_calibrated(&self) -> bool {
        self.calibrated
    }

    /// The values that the learner chose, by name.
    pub fn chosen(&self) -> &[(String, f64)] {
        &self.chosen
    }

    /// The ranking of every example's labels.
    ///
    /// # Errors
    /// If an attribute that the model was learned with is missing, or values are so large that utilities overflow. Other attributes are not
    /// looked at.
    pub fn predict(&self, attributes: &Attributes) -> Result<Vec<LabelPrediction>> {
        let column = |feature: &String| {
            attributes.names().iter().position(|name| name == feature).ok_or_else(|| Error::Data {
                what: "attributes to rank labels by",
                found: format!("none that is called {feature}"),
                expected: "the attributes that the model was learned with".into(),
            })
        };
        let columns = self.features.iter().map(column).collect::<Result<Vec<usize>>>()?;
        let rows = self.standard.rows(attributes, &columns);
        let rows = match &self.machine {
            Machine::Linear { fourier: Some(fourier), .. } => fourier.of(&rows),
            _ => rows,
        };
        let one = |at: usize| {
            let found = self.one(rows.row(at))?;
            if found.utilities.iter().all(|utility| utility.is_finite()) {
                return Ok(found);
            }
            Err(Error::Data {
                what: "attributes to rank labels by",
                found: format!("values in row {} so large that utilities overflow", at + 1),
                expected: "values of the size that the model was learned with".into(),
            })
        };
        (0..rows.len()).into_par_iter().map(one).collect()
    }

    fn one(&self, row: &[f64]) -> Result<LabelPrediction> {
        let labels = self.labels.len();
        let (utilities, probabilities) = match &self.machine {
            Machine::Neighbours(near) => return near.predict(row, labels),
            Machine::Linear { weights, is_log_odds, .. } => {
                let mut utilities = Vec::with_capacity(labels);
                row_products(weights, row, &mut utilities);
                let probabilities = is_log_odds.then(|| utilities.iter().map(|utility| sigmoid(*utility)).collect());
                (utilities, probabilities)
            }
            Machine::Kernel { rows, shares, width } => {
                let mut utilities = vec![0.0; labels];
                for (other, shares) in rows.chunks_exact(row.len()).zip(shares.chunks_exact(labels)) {
                    add_scaled(&mut utilities, gaussian(row, other, *width), shares);
                }
                (utilities, None)
            }
            Machine::Pairwise { pairs, zero } => vote(row, labels, pairs, zero.as_deref()),
            Machine::Forest(forest) => forest.predict(row, labels),
        };
        Ok(LabelPrediction { utilities, probabilities, calibrated: self.calibrated })
    }
}

fn sigmoid(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

/// The votes of all pairs: what a label gets, less what the zero label gets, or, if there is none, less the mean.
fn vote(row: &[f64], labels: usize, weights: &[f64], zero: Option<&[f64]>) -> (Vec<f64>, Option<Vec<f64>>) {
    let mut products = Vec::with_capacity(pairs(labels));
    row_products(weights, row, &mut products);
    let mut votes = vec![0.0; labels];
    for ((one, other), product) in every_pair(labels).zip(products) {
        let share = sigmoid(product);
        votes[one] += share;
        votes[other] += 1.0 - share;
    }
    let Some(zero) = zero else {
        let mean = 0.5 * (labels - 1) as f64;
        votes.iter_mut().for_each(|vote| *vote -= mean);
        return (votes, None);
    };
    let mut relevant = Vec::with_capacity(labels);
    row_products(zero, row, &mut relevant);
    relevant.iter_mut().for_each(|product| *product = sigmoid(*product));
    let for_zero: f64 = relevant.iter().map(|share| 1.0 - share).sum();
    votes.iter_mut().zip(&relevant).for_each(|(vote, share)| *vote += share - for_zero);
    (votes, Some(relevant))
}

/// The file of a model.
const FORMAT: &str = "ordain label model";

/// The version of the files that this version of the library writes. It reads this one and all before.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
pub(crate) struct File {
    format: String,
    version: u32,
    learner: String,
    features: Vec<String>,
    labels: Vec<String>,
    calibrated: bool,
    standard: Standard,
    machine: Machine,
    chosen: Vec<(String, f64)>,
}

impl LabelModel {
    /// Writes the model as a JSON file that later versions can read. The file is complete or stays as it was.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let file = File {
            format: FORMAT.into(),
            version: VERSION,
            learner: self.learner.clone(),
            features: self.features.clone(),
            labels: self.labels.clone(),
            calibrated: self.calibrated,
            standard: self.standard.clone(),
            machine: self.machine.clone(),
            chosen: self.chosen.clone(),
        };
        write_whole(path, |out| {
            serde_json::to_writer(&mut *out, &file)?;
            out.write_all(b"\n")
        })
    }

    /// Reads a model that was saved by this version or an earlier one.
    ///
    /// # Errors
    /// If the file cannot be read, is no model of labels, was cut short, or is of a later version.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        model_file::load(path.as_ref())
    }
}

impl Stored for LabelModel {
    const FORMAT: &'static str = FORMAT;
    const VERSION: u32 = VERSION;
    type File = File;

    fn restored(file: File) -> std::result::Result<Self, String> {
        let (features, labels) = (file.features.len(), file.labels.len());
        if features == 0 || labels < 2 || file.standard.len() != features || !file.standard.is_sound() {
            return Err("at least one attribute and two labels, and finite numbers for each".into());
        }
        if !file.machine.fits(features + 1, labels, file.calibrated) {
            return Err("as many finite numbers as the attributes and labels need".into());
        }
        Ok(Self {
            learner: file.learner,
            features: file.features,
            labels: file.labels,
            calibrated: file.calibrated,
            standard: file.standard,
            machine: file.machine,
            chosen: file.chosen,
        })
    }
}

impl Machine {
    /// Whether all parts are there, so that no row can fail.
    fn fits(&self, width: usize, labels: usize, calibrated: bool) -> bool {
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        match self {
            Self::Linear { weights, fourier: None, .. } => weights.len() == labels * width && finite(weights),
            Self::Linear { weights, fourier: Some(Fourier { waves }), .. } => {
                let count = waves.len() / width;
                count > 0
                    && waves.len() == count * width
                    && weights.len() == labels * (count + 1)
                    && finite(waves)
                    && finite(weights)
            }
            Self::Kernel { rows, shares, width: of } => {
                let count = rows.len() / width;
                rows.len() == count * width
                    && shares.len() == count * labels
                    && finite(rows)
                    && finite(shares)
                    && WIDTHS.contains(of)
            }
            Self::Pairwise { pairs: weights, zero } => {
                weights.len() == pairs(labels) * width
                    && finite(weights)
                    && zero.as_ref().is_none_or(|zero| zero.len() == labels * width && finite(zero))
            }
            Self::Neighbours(near) => {
                near.rows.width == width
                    && near.rows.values.len() == near.known.len() * width
                    && near.count > 0
                    && near.has_zero == calibrated
                    && near.known.iter().flat_map(LabelPreferences::named).all(|label| label < labels)
                    && finite(&near.rows.values)
            }
            Self::Forest(forest) => forest.is_whole(width - 1, labels),
        }
    }
}
