//! `ordain rate train`: learns what users share.

use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::Project;
use ordain::data::{GradeScale, ItemId, Ratings};
use ordain::formats::{check_outputs, read_ratings};
use ordain::gp::{CollaborativeParams, GradeModel, NoiseLaw};
use ordain::learn::{GradesAs, Likeness, RatersModel, RatersParams};
use serde::Serialize;

use crate::output::{self, Format};
use crate::working::working;
use crate::{Failure, Outcome, word};

/// Learn from ratings what users share, and write it to a file
///
/// The ratings are a table with the columns user, item and grade (whole numbers, the higher the better), or any table of
/// answers about pairs with a column judge. Items are those of the ratings, unless --project names others.
///
/// The table shows every round of learning: the log probability of all ratings, and the log density of what was learned
/// beside what was assumed. A last line says what came out.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain rate train ratings.csv -o taste.json
  ordain rate train ratings.csv --scale 1..5 --grades values -o taste.json")]
pub struct Arguments {
    /// The ratings
    ratings: PathBuf,
    /// Where the model is written
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A project whose items and kernels say how alike items are before anybody rates [default: not at all]
    #[arg(long, value_name = "PROJECT", conflicts_with = "raters")]
    project: Option<PathBuf>,
    /// Grades of other users, in the same form, whose correlations say how alike items are
    #[arg(long, value_name = "FILE")]
    raters: Option<PathBuf>,
    /// How grades are read
    #[arg(long, default_value = "ordinal", value_parser = word::parser::<GradesAs>())]
    grades: GradesAs,
    /// The law of the noise of answers about pairs
    #[arg(long, default_value = "normal", value_parser = word::parser::<NoiseLaw>())]
    law: NoiseLaw,
    /// The grades that can be given, such as 1..5 [default: from the lowest to the highest in the ratings]
    #[arg(long, value_name = "LOWEST..HIGHEST", value_parser = scale, allow_hyphen_values = true)]
    scale: Option<GradeScale>,
    /// Rounds of learning
    #[arg(long, default_value_t = CollaborativeParams::default().rounds as u32)]
    rounds: u32,
    /// How much the likeness at the start counts, in users per item
    #[arg(long, default_value_t = CollaborativeParams::default().shrinkage)]
    shrinkage: f64,
    /// Learn every user alone, without what they share
    #[arg(long)]
    alone: bool,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Parses the ends of a scale.
fn scale(text: &str) -> Result<GradeScale, String> {
    let wrong = || "expected the lowest and the highest grade, as in 1..5".to_owned();
    let (lowest, highest) = text.split_once("..").ok_or_else(wrong)?;
    let end = |text: &str| text.trim().parse::<i32>().map_err(|_| wrong());
    GradeScale::new(end(lowest)?, end(highest)?).map_err(|error| error.to_string())
}

#[derive(Serialize)]
struct Report {
    users: usize,
    items: usize,
    grades: usize,
    answers: usize,
    /// The noise that was learned or held.
    noise: f64,
    /// The thresholds between grades that users share.
    #[serde(skip_serializing_if = "Option::is_none")]
    thresholds: Option<Vec<f64>>,
    rounds: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    round: usize,
    log_evidence: f64,
    log_prior: f64,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let raters = arguments.raters.as_deref().map(|path| ("--raters", path));
    let inputs: Vec<_> = [("RATINGS", arguments.ratings.as_path())].into_iter().chain(raters).collect();
    check_outputs(&[("--output", arguments.output.as_path())], &inputs)?;
    if !(arguments.shrinkage >= 0.0 && arguments.shrinkage.is_finite()) {
        return Err(Failure::Usage {
            message: format!("--shrinkage {} is no number of users", arguments.shrinkage),
            hint: "use 0, or a number above it",
        });
    }
    let reading = working("reading the ratings");
    let project = arguments.project.as_ref().map(Project::open).transpose()?;
    let known = project.as_ref().map(Project::items);
    let ratings = read_ratings(&arguments.ratings, known, arguments.scale)?;
    let others = arguments.raters.as_ref().map(|path| read_ratings(path, Some(ratings.items()), None)).transpose()?;
    let kernel = project.as_ref().map(|project| project.model().kernel()).transpose()?;
    let others = others.as_ref().map(numbers);
    let likeness = match (&kernel, &others) {
        (Some(kernel), _) => Likeness::Kernel(kernel.as_ref()),
        (None, Some(others)) => Likeness::Raters(others),
        (None, None) => Likeness::Apart,
    };
    drop(reading);
    let working = working("learning what users share");
    let shared = CollaborativeParams::default()
        .with_rounds(arguments.rounds as usize)
        .with_shrinkage(arguments.shrinkage)
        .with_learn_prior(!arguments.alone)
        .with_watch(working.watch());
    let params = RatersParams::default().with_grades(arguments.grades).with_law(arguments.law).with_shared(shared);
    let model = params.train(ratings, likeness)?;
    drop(working);
    model.save(&arguments.output)?;
    let report = Report::of(&model);
    match arguments.format {
        Format::Json => output::json(&report),
        Format::Csv => output::csv(&report.rounds),
        Format::Table => show(&report),
    }?;
    output::note(format_args!(
        "Wrote {}. Look at it with: ordain rate predict {}",
        arguments.output.display(),
        output::typed(&arguments.output)
    ));
    Ok(())
}

/// The grades of every user as numbers.
fn numbers(ratings: &Ratings) -> Vec<Vec<(ItemId, f64)>> {
    let value = |position: usize| ratings.scale().map_or(0.0, |scale| f64::from(scale.grade(position)));
    let each = ratings.opinions().iter();
    each.map(|user| user.grades.iter().map(|&(item, grade)| (item, value(grade))).collect()).collect()
}

impl Report {
    fn of(model: &RatersModel) -> Self {
        let (ratings, learned) = (model.ratings(), model.learned());
        let thresholds = match &learned.model().grades {
            GradeModel::Ordinal(cuts) => Some(cuts.values().to_vec()),
            GradeModel::Values(_) => None,
        };
        let row = |(round, standing): (usize, &ordain::gp::Round)| Row {
            round,
            log_evidence: standing.log_evidence,
            log_prior: standing.log_prior,
        };
        Self {
            users: ratings.users().len(),
            items: ratings.items().len(),
            grades: ratings.opinions().iter().map(|user| user.grades.len()).sum(),
            answers: ratings.opinions().iter().map(|user| user.answers.len()).sum(),
            noise: learned.model().answers.noise(),
            thresholds,
            rounds: learned.rounds().iter().enumerate().map(row).collect(),
        }
    }
}

fn show(report: &Report) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["round", "log evidence", "log prior"]);
    table.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    for Row { round, log_evidence, log_prior } in &report.rounds {
        table.add_row([round.to_string(), output::fixed(*log_evidence, 2), output::fixed(*log_prior, 2)]);
    }
    output::table(&table)?;
    let said = match (report.grades, report.answers) {
        (grades, 0) => output::count(grades, "grade"),
        (0, answers) => output::count(answers, "answer"),
        (grades, answers) => format!("{} and {}", output::count(grades, "grade"), output::count(answers, "answer")),
    };
    output::text(format_args!(
        "{} of {} about {}. Noise {}.",
        said,
        output::count(report.users, "user"),
        output::count(report.items, "item"),
        output::fixed(report.noise, 3)
    ))?;
    if let Some(thresholds) = &report.thresholds {
        let numbers: Vec<String> = thresholds.iter().map(|&value| output::fixed(value, 2)).collect();
        output::text(format_args!("Thresholds between grades: {}.", numbers.join(", ")))?;
    }
    Ok(())
}
