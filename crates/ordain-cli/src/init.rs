//! `ordain init`: a first project file.

use std::path::PathBuf;

use clap::Args;
use ordain::Project;
use ordain::data::Goal;
use ordain::formats::{Draft, Sketch};

use crate::question::GoalOptions;
use crate::working::during;
use crate::{Outcome, output, word};

/// Start a project: write a commented ordain.toml for your data
///
/// FILE is a table of items (CSV, TSV, JSONL or Parquet), or a table of answers alone, such as arena battles. Cells are
/// separated by commas, semicolons or tabs. Numbers may be written as 3.14 or 3,14, 1,234, $1 or 12 %; NA, n/a, NaN,
/// null, - and ? are missing numbers.
///
/// `init` prints what it understood. Options correct it: name other columns, or edit ordain.toml.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain init films.csv
  ordain init papers.csv --relation cites.csv --folder papers
  ordain init battles.csv --folder arena")]
pub struct Arguments {
    /// A table of items or of answers
    file: PathBuf,
    /// A list of links between the items (source,target[,weight]); may be given several times
    #[arg(long, value_name = "LINKS")]
    relation: Vec<PathBuf>,
    /// Answers to learn from [default: answers.csv, to be filled]
    #[arg(long, value_name = "ANSWERS")]
    answers: Option<PathBuf>,
    /// The column of ids [default: the one called id, else the first that can be]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// The column of names, which people see in place of ids [default: name, title or label, if it is text]
    #[arg(long, value_name = "COLUMN")]
    name: Option<String>,
    /// The columns of attributes, which are numbers [default: all columns of numbers]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    attributes: Option<Vec<String>>,
    /// Columns to leave out
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    ignore: Vec<String>,
    /// The column of groups; only items of one group are compared [default: group, query, qid or topic]
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,
    /// The goal of the answers [default: whole-order]
    #[arg(long, value_parser = word::parser::<Goal>())]
    goal: Option<Goal>,
    /// The number of items to find, for the goal top
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// The folder for ordain.toml; created if it does not exist
    #[arg(long, default_value = ".")]
    folder: PathBuf,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let goal = GoalOptions::of(arguments.goal, arguments.top).given(Goal::WholeOrder)?;
    let sketch = Sketch {
        folder: arguments.folder.clone(),
        file: arguments.file.clone(),
        answers: arguments.answers.clone(),
        relations: arguments.relation.clone(),
        id: arguments.id.clone(),
        name: arguments.name.clone(),
        attributes: arguments.attributes.clone(),
        ignore: arguments.ignore.clone(),
        group: arguments.group.clone(),
        goal,
    };
    let (path, Draft { understood, remarks, .. }) = during("reading the tables", || Project::create(&sketch))?;
    let (rank, answer) = match output::typed(&arguments.folder).as_str() {
        "." => (String::new(), String::new()),
        folder => (format!(" {folder}"), format!(" --project {folder}")),
    };
    output::note(format!("wrote {}", path.display()));
    for line in understood {
        output::note(format!("  {line}"));
    }
    for remark in remarks {
        output::note(format!("note: {remark}"));
    }
    output::note("\nTry next:");
    output::note(format!("  ordain ask{rank}\n  ordain rank{rank}\n  ordain answer FIRST SECOND first{answer}"));
    Ok(())
}
