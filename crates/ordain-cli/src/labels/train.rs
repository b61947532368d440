//! `ordain train labels`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ordain::formats::{LabelTable, check_outputs};
use ordain::learn::labels::{
    Features, ForestParams, LabelEvaluation, LabelKind, LabelLoss, LabelRanker, LabelledExamples, LogisticParams,
    NeighboursParams, OnlineParams, PairwiseParams,
};
use ordain::numeric::Seed;
use ordain::{Error, InputError};
use serde::Serialize;

use super::eval::measures;
use super::tables;
use crate::letor::roles;
use crate::output::{self, Format};
use crate::working::working;
use crate::{Failure, Outcome, word};

/// The options for labels.
#[derive(Args)]
pub struct LabelArguments {
    /// For labels, the columns that are labels: their number if they are the last, or their names with commas between
    /// them [default: those of the XML file of the same name]
    #[arg(long, value_name = "COLUMNS")]
    pub labels: Option<String>,
    /// How labels are learned [default: forest]
    #[arg(long, value_enum)]
    pub method: Option<Method>,
    /// What a wrong ranking costs, for the online methods [default: zero-one]
    #[arg(long, value_parser = word::parser::<LabelLoss>())]
    pub loss: Option<LabelLoss>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Trees over all labels; for orders, and where nothing is known of the data
    Forest,
    /// The online algorithm with a Gaussian kernel; for sets, with up to some thousand examples
    Kernel,
    /// The online algorithm on attributes, for linear data and many examples
    Online,
    /// The online algorithm on random waves
    Fourier,
    /// One logistic regression over all constraints
    Logistic,
    /// A logistic regression per pair of labels; all vote
    Pairwise,
    /// What the nearest examples agree on
    Neighbours,
}

/// The width of the Gaussian kernel beside the spread of standardised attributes.
const WIDTH: f64 = 0.7;
/// The number of random waves.
const WAVES: usize = 500;

/// What of `train` concerns labels.
pub struct Task<'a> {
    pub train: &'a [PathBuf],
    pub validate: &'a [PathBuf],
    pub output: &'a Path,
    pub labels: &'a LabelArguments,
    pub epochs: Option<u32>,
    pub penalties: Option<&'a [f64]>,
    pub seed: Option<u64>,
    pub format: Format,
}

#[derive(Serialize)]
struct Report {
    learner: &'static str,
    method: String,
    examples: usize,
    features: usize,
    labels: Vec<String>,
    /// Whether there is a zero point.
    calibrated: bool,
    chosen: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    validate: Option<BTreeMap<&'static str, f64>>,
}

/// Runs the subcommand.
pub fn run(task: &Task<'_>) -> Outcome {
    let inputs = roles("--train", task.train).chain(roles("--validate", task.validate));
    check_outputs(&[("--output", task.output)], &inputs.collect::<Vec<_>>())?;
    let learner = learner(task)?;
    let working = working("training");
    let named = task.labels.labels.as_deref();
    let mut files = tables(&[task.train, task.validate].concat(), named)?;
    let kind = LabelKind::of(&files)?;
    let others = files.split_off(task.train.len());
    let train = together(&files, kind)?;
    check_labels(&train, task)?;
    let validate = match others.as_slice() {
        [] => None,
        others => {
            let examples = together(others, kind)?;
            let in_file = |error: Error| Error::from(InputError::new(others[0].path(), error.to_string()));
            Some((examples.targets_for(train.labels()).map_err(in_file)?, examples))
        }
    };
    let model = learner.fit(&train, &working.watch())?;
    let measured = match &validate {
        None => None,
        Some((targets, examples)) => {
            let found = model.predict(examples.attributes())?;
            Some(LabelEvaluation::of(&found, targets, model.labels().len())?)
        }
    };
    drop(working);
    model.save(task.output)?;
    let report = Report {
        learner: "labels",
        method: model.learner().to_owned(),
        examples: train.len(),
        features: model.features().len(),
        labels: model.labels().to_vec(),
        calibrated: model.is_calibrated(),
        chosen: model.chosen().iter().map(|(name, value)| (name.clone(), output::number(*value))).collect(),
        validate: measured.as_ref().map(measures),
    };
    match task.format {
        Format::Json => output::json(&report)?,
        Format::Csv | Format::Table => {
            let names: Vec<String> = task.validate.iter().map(|path| path.display().to_string()).collect();
            let measured = measured.map(|evaluation| (names.join(", "), evaluation));
            super::eval::show(measured.as_slice(), task.format)?;
        }
    }
    conclude(&report, task);
    Ok(())
}

fn learner(task: &Task<'_>) -> Result<Box<dyn LabelRanker>, Failure> {
    let method = task.labels.method.unwrap_or(Method::Forest);
    let is_online = matches!(method, Method::Online | Method::Fourier | Method::Kernel);
    let has_penalties = matches!(method, Method::Logistic | Method::Pairwise);
    let given = [
        ("--loss", task.labels.loss.is_some(), is_online),
        ("--epochs", task.epochs.is_some(), is_online),
        ("--penalties", task.penalties.is_some(), has_penalties),
        ("--seed", task.seed.is_some(), is_online || method == Method::Forest),
    ];
    if let Some((option, ..)) = given.into_iter().find(|(_, is_given, is_used)| *is_given && !is_used) {
        let name = method.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
        return Err(Failure::Usage {
            message: format!("--method {name} has no {option}"),
            hint: "leave it out, or choose another method",
        });
    }
    let seed = task.seed.map_or(Seed(1), Seed);
    let online = |features: Features| {
        let mut params = OnlineParams::default().with_features(features).with_seed(seed);
        params.loss = task.labels.loss.unwrap_or(params.loss);
        params.epochs = task.epochs.map_or(params.epochs, |epochs| epochs as usize);
        Box::new(params)
    };
    let penalties = |usual: Vec<f64>| task.penalties.map_or(usual, <[f64]>::to_vec);
    Ok(match method {
        Method::Online => online(Features::Attributes),
        Method::Fourier => online(Features::Fourier { count: WAVES, width: WIDTH }),
        Method::Kernel => online(Features::Kernel { width: WIDTH }),
        Method::Forest => Box::new(ForestParams::default().with_seed(seed)),
        Method::Neighbours => Box::new(NeighboursParams::default()),
        Method::Logistic => {
            let params = LogisticParams::default();
            Box::new(params.clone().with_penalties(penalties(params.penalties)))
        }
        Method::Pairwise => {
            let params = PairwiseParams::default();
            Box::new(params.clone().with_penalties(penalties(params.penalties)))
        }
    })
}

/// The examples of several files, which must have the same columns.
fn together(tables: &[LabelTable], kind: LabelKind) -> Result<LabelledExamples, Failure> {
    let [first, others @ ..] = tables else { unreachable!("there is at least one file") };
    let mut all = LabelledExamples::from_table(first, kind)?;
    for table in others {
        all = all.and(&LabelledExamples::from_table(table, kind)?).map_err(|error| {
            let hint = format!("all files must have the columns of {}", first.path().display());
            Error::from(InputError::new(table.path(), error.to_string()).hint(hint))
        })?;
    }
    Ok(all)
}

/// Fails if a label occurs nowhere, with its column.
fn check_labels(train: &LabelledExamples, task: &Task<'_>) -> Outcome {
    match train.untaught().first() {
        None => Ok(()),
        Some(&label) => {
            let files: Vec<String> = task.train.iter().map(|path| path.display().to_string()).collect();
            let error = InputError::new(files.join(", "), "every label in at least one example")
                .column(train.labels()[label].clone())
                .found("none")
                .hint("leave the label out with --labels, or add examples that have it");
            Err(Error::from(error).into())
        }
    }
}

/// Prints the outcome for people.
fn conclude(report: &Report, task: &Task<'_>) {
    let zero = if report.calibrated {
        "and their zero point"
    } else {
        "without a zero point: no example says which are relevant"
    };
    output::note(format!(
        "learned {} {zero} from {} with {}",
        output::count(report.labels.len(), "label"),
        output::count(report.examples, "example"),
        output::count(report.features, "attribute")
    ));
    for (name, value) in &report.chosen {
        output::note(format!("chosen on examples kept aside: {name} {value}"));
    }
    output::note(format!("written to {}", output::shown(&task.output.to_string_lossy())));
}
