//! `ordain init`: a first project file.

use std::path::PathBuf;

use clap::Args;
use ordain::Project;
use ordain::formats::{Draft, Sketch};

use crate::working::during;
use crate::{Outcome, output};

/// Start a project: write a commented ordain.toml for your data
///
/// FILE is a table of items (CSV, TSV, JSONL or Parquet), or a table of answers alone, such as arena battles.
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
    /// The folder for ordain.toml; created if it does not exist
    #[arg(long, default_value = ".")]
    folder: PathBuf,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let sketch = Sketch {
        folder: arguments.folder.clone(),
        file: arguments.file.clone(),
        answers: arguments.answers.clone(),
        relations: arguments.relation.clone(),
    };
    let (path, Draft { remarks, .. }) = during("reading the tables", || Project::create(&sketch))?;
    let (rank, answer) = match output::typed(&arguments.folder).as_str() {
        "." => (String::new(), String::new()),
        folder => (format!(" {folder}"), format!(" --project {folder}")),
    };
    output::note(format!("wrote {}", path.display()));
    for remark in remarks {
        output::note(format!("note: {remark}"));
    }
    output::note("\nTry next:");
    output::note(format!("  ordain ask{rank}\n  ordain rank{rank}\n  ordain answer FIRST SECOND first{answer}"));
    Ok(())
}
