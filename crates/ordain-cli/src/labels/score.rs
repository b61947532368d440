//! `ordain score` with a model of labels.

use std::io::Write;
use std::path::{Path, PathBuf};

use ordain::formats::read_attributes;
use ordain::learn::labels::{LabelModel, LabelPrediction};
use serde::Serialize;

use crate::output;
use crate::score::Format;
use crate::working::working;
use crate::{Failure, Outcome};

/// The rankings of all examples of some files, one after the other.
pub fn predict(model: &LabelModel, files: &[PathBuf]) -> Result<Vec<LabelPrediction>, Failure> {
    let working = working("ranking labels");
    let mut found = Vec::new();
    for path in files {
        found.extend(model.predict(&read_attributes(path, model.features())?)?);
    }
    drop(working);
    Ok(found)
}

#[derive(Serialize)]
struct Report<'a> {
    labels: &'a [String],
    calibrated: bool,
    examples: Vec<Ranked<'a>>,
}

#[derive(Serialize)]
struct Ranked<'a> {
    example: usize,
    order: Vec<&'a str>,
    /// How many labels of the order are above the zero point.
    relevant: Option<usize>,
    utilities: &'a [f64],
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<&'a [f64]>,
}

/// Writes the rankings.
pub fn write(
    model: &LabelModel,
    found: &[LabelPrediction],
    format: Format,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    match format {
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, &report(model, found))?;
            writeln!(out)
        }
        Format::Csv => csv(model, found, out),
        _ => found.iter().enumerate().try_for_each(|(at, found)| writeln!(out, "{}", line(model, at, found))),
    }
}

/// Fails if a form is one of document rankings.
pub fn check_format(format: Format, model: &Path) -> Outcome {
    match format {
        Format::Table | Format::Json | Format::Csv => Ok(()),
        Format::Trec | Format::Letor => Err(Failure::Usage {
            message: format!("{} ranks labels, which have no such form", model.display()),
            hint: "choose --format table, json or csv",
        }),
    }
}

fn report<'a>(model: &'a LabelModel, found: &'a [LabelPrediction]) -> Report<'a> {
    let ranked = |(at, found): (usize, &'a LabelPrediction)| Ranked {
        example: at + 1,
        order: found.order().into_iter().map(|label| model.labels()[label].as_str()).collect(),
        relevant: found.relevant(),
        utilities: &found.utilities,
        probabilities: found.probabilities.as_deref(),
    };
    Report {
        labels: model.labels(),
        calibrated: model.is_calibrated(),
        examples: found.iter().enumerate().map(ranked).collect(),
    }
}

/// A line for people: the labels in order, with a bar at the zero point.
fn line(model: &LabelModel, at: usize, found: &LabelPrediction) -> String {
    let name = |label: &usize| {
        let share = found.probabilities.as_ref().map(|shares| format!(" {:.0}%", 100.0 * shares[*label]));
        format!("{}{}", output::shown(&model.labels()[*label]), share.unwrap_or_default())
    };
    let order = found.order();
    let join = |labels: &[usize]| labels.iter().map(name).collect::<Vec<_>>().join(", ");
    match found.relevant() {
        None => format!("{}: {}", at + 1, join(&order)),
        Some(relevant) => {
            let (above, below) = order.split_at(relevant);
            let parts = [join(above), "|".to_owned(), join(below)].into_iter().filter(|part| !part.is_empty());
            format!("{}: {}", at + 1, parts.collect::<Vec<_>>().join(" "))
        }
    }
}

/// A row per example and label, best first.
fn csv(model: &LabelModel, found: &[LabelPrediction], out: &mut dyn Write) -> std::io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let head = ["example", "place", "label", "utility", "relevant", "probability"];
    csv.write_record(head).map_err(output::csv_failure)?;
    for (at, found) in found.iter().enumerate() {
        for (place, label) in found.order().into_iter().enumerate() {
            let relevant = found.relevant().map_or(String::new(), |count| u8::from(place < count).to_string());
            let share = found.probabilities.as_ref().map_or(String::new(), |shares| shares[label].to_string());
            let cells = [
                (at + 1).to_string(),
                (place + 1).to_string(),
                model.labels()[label].clone(),
                found.utilities[label].to_string(),
                relevant,
                share,
            ];
            csv.write_record(cells).map_err(output::csv_failure)?;
        }
    }
    csv.flush()
}
