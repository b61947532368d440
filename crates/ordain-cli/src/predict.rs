//! `ordain predict`: the probable answer of a judge on two items or on many pairs, or the probable grade of one.

mod pairs;

use std::path::PathBuf;

use clap::Args;
use ordain::formats::{named_item, named_pair};
use ordain::gp::Prediction;
use ordain::{Fitted, Inference, InputError, Project};
use serde::Serialize;

use crate::output::{self, Format};
use crate::working::{during, working};
use crate::{Outcome, memory, word};

/// Predict which of two items a judge would prefer, or the grade of one
///
/// With one item, the probability of every grade, if the project has grades. The median has the least expected absolute
/// error, the mode is the most probable grade.
///
/// --pairs predicts every pair of a table with the columns first and second, and group if ids alone are ambiguous. JSON:
/// {"pairs":[{"first","second","probability","tie","group"?}...]}, in the order of the file.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain predict France Spain
  ordain predict France Spain --format json
  ordain predict France --judge ann
  ordain predict --pairs pairs.csv --format csv")]
pub struct Arguments {
    /// The first item: its id, or its name if no other item has that name
    #[arg(required_unless_present = "pairs")]
    first: Option<String>,
    /// The second item. Without it, the grade of the first is predicted
    second: Option<String>,
    /// The judge whose grade is predicted. Default: any judge
    #[arg(long, conflicts_with = "second")]
    judge: Option<String>,
    /// Predict every pair of this table: columns first and second, and group if ids alone are ambiguous
    #[arg(long, value_name = "FILE", conflicts_with_all = ["first", "second", "judge", "group"])]
    pairs: Option<PathBuf>,
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

#[derive(Serialize)]
struct GradeReport<'a> {
    item: &'a str,
    grades: Vec<GradeRow>,
    median: i32,
    mode: i32,
}

#[derive(Serialize)]
struct GradeRow {
    grade: i32,
    probability: f64,
}

/// The origin of the items' names, for errors.
const ORIGIN: &str = "command line";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut project = during("reading the project", || Project::open(&arguments.project))?;
    project.set_memory(memory::available());
    match (&arguments.pairs, &arguments.first, &arguments.second) {
        (Some(file), ..) => pairs::run(arguments, &project, file),
        (None, Some(first), Some(second)) => answer(arguments, &project, [first, second]),
        (None, Some(first), None) => grade(arguments, &project, first),
        (None, None, _) => unreachable!("the parser requires an item or pairs"),
    }
}

fn fit(arguments: &Arguments, project: &Project) -> ordain::Result<Fitted> {
    let working = working("learning from the answers");
    project.fit(arguments.inference, &working.watch())
}

/// A line of the table.
fn line(probability: f64, what: &str) -> Outcome {
    let room = output::columns().saturating_sub(9).max(8);
    output::text(format_args!("{:5.1} %  {}", 100.0 * probability, output::cut(what, room)))
}

fn grade(arguments: &Arguments, project: &Project, id: &str) -> Outcome {
    let item = named_item(project.items(), ORIGIN, id, arguments.group.as_deref())?;
    let Some(found) = fit(arguments, project)?.predict_grade(item, arguments.judge.as_deref())? else {
        let error = InputError::new(&project.file().path, "grades, or a second item").found("a project without grades");
        let hint = format!("record some: ordain answer {} --grade 4", output::typed(id));
        return Err(ordain::Error::from(error.hint(hint)).into());
    };
    let grades = found.probabilities().map(|(grade, probability)| GradeRow { grade, probability }).collect();
    let report = GradeReport { item: project.items().id(item), grades, median: found.median(), mode: found.mode() };
    match arguments.format {
        Format::Json => output::json(&report),
        Format::Csv => output::csv(report.grades),
        Format::Table => {
            for GradeRow { grade, probability } in report.grades.iter().rev() {
                line(*probability, &format!("grade {grade}"))?;
            }
            output::note(format!("median {}, mode {}", report.median, report.mode));
            Ok(())
        }
    }
}

fn answer(arguments: &Arguments, project: &Project, words: [&str; 2]) -> Outcome {
    let items = project.items();
    let (first, second) = named_pair(items, ORIGIN, words, arguments.group.as_deref())?;
    let Prediction { probability, tie } = fit(arguments, project)?.predict(first, second)?;
    let report = Report { first: items.id(first), second: items.id(second), probability, tie };
    match arguments.format {
        Format::Json => output::json(&report),
        Format::Csv => output::csv([report]),
        Format::Table => {
            line(report.probability, &items.label(first))?;
            line(1.0 - report.probability - report.tie, &items.label(second))?;
            if report.tie > 0.0 { line(report.tie, "a tie") } else { Ok(()) }
        }
    }
}
