//! `ordain add`: new rows of the items' table.

use std::path::{Path, PathBuf};

use clap::Args;
use ordain::Recorder;
use ordain::formats::Table;

use crate::working::during;
use crate::{Failure, Outcome, output};

/// Add items to the project
///
/// For example `ordain add new.csv`, or one item by its cells: `ordain add id=m31 title=Heat year=1995`. Every row is checked
/// against the project's table of items: its columns, its numbers, and that its id is not there yet. All rows are added, or
/// none. Columns that are left out get empty cells.
///
/// Items that are known from answers alone need no row: `ordain answer FIRST SECOND first --new` records an answer about them.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain add new.csv
  ordain add id=Atlantis life_expectancy=80")]
#[command(override_usage = "ordain add [OPTIONS] <FILE>\n       ordain add [OPTIONS] <COLUMN=CELL>...")]
pub struct Arguments {
    /// A table of new items (CSV, TSV, JSONL or Parquet), or the cells of one
    #[arg(required = true, value_name = "FILE|COLUMN=CELL")]
    words: Vec<String>,
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(long, default_value = ".")]
    project: PathBuf,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut recorder = during("reading the project", || Recorder::open(&arguments.project))?;
    let added = recorder.add(&rows(&recorder, &arguments.words)?)?;
    /// More names would hide the number.
    const MOST: usize = 5;
    let items = recorder.items();
    let mut names: Vec<String> =
        added.iter().take(MOST).map(|&item| output::name(&items.label_in_list(item))).collect();
    names.extend((added.len() > MOST).then(|| "…".into()));
    let file = recorder.table().unwrap_or(Path::new(""));
    output::note(format!(
        "added {} to {}: {}; now {}",
        output::count(added.len(), "item"),
        file.display(),
        names.join(", "),
        output::count(items.len(), "item")
    ));
    Ok(())
}

/// The rows of a file, or the one of the command line. A word that names a file is that file.
fn rows(recorder: &Recorder, words: &[String]) -> Result<Table, Failure> {
    if let [file] = words
        && (!file.contains('=') || Path::new(file).exists())
    {
        return Ok(recorder.read_rows(file)?);
    }
    let pair = |word: &String| match word.split_once('=') {
        Some((column, cell)) => Ok((column.to_owned(), cell.to_owned())),
        None => Err(Failure::Usage {
            message: format!("found \"{}\", expected COLUMN=CELL", output::name(word)),
            hint: "for example: ordain add new.csv; or one item: ordain add id=m31 title=Heat year=1995",
        }),
    };
    let pairs = words.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
    let (columns, row) = pairs.into_iter().unzip();
    Ok(Table::given("command line", columns, &[row])?)
}
