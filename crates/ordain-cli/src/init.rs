//! `ordain init`: a first project file.

use std::path::PathBuf;

use clap::Args;
use ordain::Error;
use ordain::formats::{Draft, Sketch, draft_project, write_project};

use crate::{Failure, Outcome, output};

/// Start a project: write a commented ordain.toml for your data
///
/// FILE is a table of items (CSV, TSV, JSONL or Parquet), or a table of answers alone, such as arena battles.
#[derive(Args)]
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
    let Draft { text, remarks } = draft_project(&Sketch {
        folder: arguments.folder.clone(),
        file: arguments.file.clone(),
        answers: arguments.answers.clone(),
        relations: arguments.relation.clone(),
    })?;
    // Only now: the data fit.
    let failed = |source| Failure::Library(Error::Io { action: "create", path: arguments.folder.clone(), source });
    std::fs::create_dir_all(&arguments.folder).map_err(failed)?;
    let path = write_project(&arguments.folder, &text)?;
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
