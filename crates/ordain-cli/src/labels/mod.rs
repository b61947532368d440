//! Rankings of labels: the parts of `train`, `score` and `eval` that are about them.

pub mod eval;
pub mod score;
pub mod train;

use std::path::{Path, PathBuf};

use ordain::formats::{LabelColumns, LabelTable, has_listing};

use crate::Failure;

/// The label columns that an option names: a number means the last so many, anything else is names with commas between them. Without the option,
/// MULAN's XML file beside the table lists them.
fn columns(named: Option<&str>, path: &Path) -> Result<LabelColumns, Failure> {
    match named {
        Some(text) => Ok(text.parse().map_or_else(|_| LabelColumns::Named(names(text)), LabelColumns::Last)),
        None if has_listing(path) => Ok(LabelColumns::Listed),
        None => Err(Failure::Usage {
            message: "it is not known which columns are labels".into(),
            hint: "add --labels with their number, if they are the last, or with their names",
        }),
    }
}

/// Names with commas between them; one that has a comma itself is quoted as in CSV.
fn names(text: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(text.as_bytes());
    let first = reader.records().next().and_then(Result::ok).unwrap_or_default();
    first.iter().map(str::to_owned).collect()
}

/// The tables of some files.
fn tables(files: &[PathBuf], named: Option<&str>) -> Result<Vec<LabelTable>, Failure> {
    let mut tables = Vec::new();
    for path in files {
        tables.push(LabelTable::read(path, &columns(named, path)?)?);
    }
    Ok(tables)
}
