//! `ordain predict`: the probable answer of a judge on two items.

use std::path::PathBuf;

use clap::Args;
use ordain::formats::named_pair;
use ordain::{Inference, Project};
use serde::Serialize;

use crate::output::{self, Format};
use crate::working::working;
use crate::{Outcome, memory, word};

/// Predict which of two items a judge would prefer
#[derive(Args)]
pub struct Arguments {
    /// The first item
    first: String,
    /// The second item
    second: String,
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(long, default_value = ".")]
    project: PathBuf,
    /// The group of both items, if their ids alone are ambiguous
    #[arg(long)]
    group: Option<String>,
    /// How answers become a belief
    #[arg(long, default_value = "ep", value_parser = word::parser::<Inference>())]
    inference: Inference,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Serialize)]
struct Report<'a> {
    first: &'a str,
    second: &'a str,
    probability: f64,
    tie: f64,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut project = Project::open(&arguments.project)?;
    project.set_memory(memory::available());
    let ids = [arguments.first.as_str(), arguments.second.as_str()];
    let (first, second) = named_pair(project.items(), "command line", ids, arguments.group.as_deref())?;
    let working = working("learning from the answers");
    let prediction = project.fit(arguments.inference, &working.watch())?.predict(first, second)?;
    drop(working);
    let report = Report {
        first: &arguments.first,
        second: &arguments.second,
        probability: prediction.probability,
        tie: prediction.tie,
    };
    match arguments.format {
        Format::Json => output::json(&report),
        Format::Csv => output::csv([report]),
        Format::Table => {
            let room = output::columns().saturating_sub(9).max(8);
            let line = |probability: f64, what: &str| {
                output::text(format_args!("{:5.1} %  {}", 100.0 * probability, output::cut(what, room)))
            };
            line(report.probability, report.first)?;
            line(1.0 - report.probability - report.tie, report.second)?;
            if report.tie > 0.0 { line(report.tie, "a tie") } else { Ok(()) }
        }
    }
}
