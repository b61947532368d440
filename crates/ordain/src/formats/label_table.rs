//! Examples with label columns, from ARFF or any table.

use std::path::{Path, PathBuf};

use super::items::number;
use super::source::Lines;
use super::table::Table;
use super::{arff, read_text};
use crate::data::Attributes;
use crate::words::suggestion;
use crate::{InputError, Result};

/// Which columns of a table are labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelColumns {
    /// The last so many.
    Last(usize),
    /// These.
    Named(Vec<String>),
    /// Those that MULAN's XML file of the same name lists.
    Listed,
}

/// A table whose columns are attributes and labels.
#[derive(Debug, Clone)]
pub struct LabelTable {
    table: Table,
    attributes: Attributes,
    /// The columns of labels.
    labels: Vec<usize>,
}

/// Reads ARFF, or CSV, TSV, JSONL and Parquet.
fn read_table(path: &Path) -> Result<Table> {
    if arff::is_named(path) { arff::read(Lines::open(path)?) } else { Table::read(path) }
}

impl LabelTable {
    /// Reads a table. All columns that are not labels are attributes, and must be numbers.
    ///
    /// # Errors
    /// If the file cannot be read, a column is missing, or a cell of an attribute is not a number; with file, line and column.
    pub fn read(path: impl AsRef<Path>, columns: &LabelColumns) -> Result<Self> {
        let table = read_table(path.as_ref())?;
        let labels = places(&table, columns)?;
        let others: Vec<usize> = (0..table.columns().len()).filter(|column| !labels.contains(column)).collect();
        let attributes = numbers(&table, &others)?;
        Ok(Self { table, attributes, labels })
    }

    /// The same without attributes, so that other columns may hold anything.
    ///
    /// # Errors
    /// If the file cannot be read, or a column is missing.
    pub fn read_labels(path: impl AsRef<Path>, columns: &LabelColumns) -> Result<Self> {
        let table = read_table(path.as_ref())?;
        let labels = places(&table, columns)?;
        let attributes = Attributes::none(table.len());
        Ok(Self { table, attributes, labels })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.table.path()
    }

    /// The attributes, one row per line.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The names of the label columns.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.labels.iter().map(|&column| self.table.columns()[column].as_str())
    }

    /// What stands in a row for a label; none if nothing or `?` does.
    pub fn mark(&self, row: usize, label: usize) -> Option<&str> {
        let cell = self.table.cell(row, self.labels[label]).trim();
        (!cell.is_empty() && cell != "?").then_some(cell)
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// An error at a row's label.
    pub fn wrong(&self, row: usize, label: usize, expected: impl Into<String>) -> InputError {
        let column = self.labels[label];
        InputError::new(self.path(), expected)
            .line(self.table.line(row))
            .column(self.table.columns()[column].clone())
            .found(self.table.cell(row, column))
    }
}

/// The attributes of these names from a table, which may have other columns.
///
/// # Errors
/// If the file cannot be read, a column is missing, or a cell is not a number; with file, line and column.
pub fn read_attributes(path: impl AsRef<Path>, names: &[String]) -> Result<Attributes> {
    let table = read_table(path.as_ref())?;
    let columns = names.iter().map(|name| table.column(name)).collect::<Result<Vec<usize>>>()?;
    numbers(&table, &columns)
}

fn numbers(table: &Table, columns: &[usize]) -> Result<Attributes> {
    let mut values = Vec::with_capacity(table.len() * columns.len());
    for row in 0..table.len() {
        for &column in columns {
            let cell = table.cell(row, column);
            values.push(number(cell).ok_or_else(|| {
                InputError::new(table.path(), "a finite number")
                    .line(table.line(row))
                    .column(table.columns()[column].clone())
                    .found(cell)
            })?);
        }
    }
    let names = columns.iter().map(|&column| table.columns()[column].clone()).collect();
    Attributes::new(names, table.len(), values)
}

fn places(table: &Table, columns: &LabelColumns) -> Result<Vec<usize>> {
    let all = table.columns().len();
    match columns {
        LabelColumns::Last(count) if *count == 0 || *count >= all => {
            let expected = format!("from 1 to {} label columns: attributes must be left", all.saturating_sub(1));
            Err(InputError::new(table.path(), expected).found(count.to_string()).into())
        }
        LabelColumns::Last(count) => Ok((all - count..all).collect()),
        LabelColumns::Named(names) => names.iter().map(|name| table.column(name)).collect(),
        LabelColumns::Listed => {
            let path = listing(table.path());
            let names = listed(&path)?;
            let place = |(line, name): &(u64, String)| {
                table.columns().iter().position(|column| column == name).ok_or_else(|| {
                    let mut error = InputError::new(&path, format!("an attribute of {}", table.path().display()));
                    error.hint = suggestion(name, table.columns().iter().map(String::as_str));
                    error.line(*line).found(name.as_str()).into()
                })
            };
            names.iter().map(place).collect()
        }
    }
}

/// The XML file of the same name.
fn listing(path: &Path) -> PathBuf {
    let bare = match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz" | "zst") => path.with_extension(""),
        _ => path.to_path_buf(),
    };
    bare.with_extension("xml")
}

/// Whether MULAN's XML file lies beside a file.
pub fn has_listing(path: impl AsRef<Path>) -> bool {
    listing(path.as_ref()).is_file()
}

/// The labels of MULAN's XML: `<label name="..."></label>`, with their lines. Comments do not count.
fn listed(path: &Path) -> Result<Vec<(u64, String)>> {
    let text = read_text(path)?;
    let mut names = Vec::new();
    let (mut rest, mut line, mut counted) = (text.as_str(), 1, 0);
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        // From the tag before, so that a file of many tags takes time in proportion.
        let here = text.len() - rest.len();
        line += text[counted..here].matches('\n').count() as u64;
        counted = here;
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end..]);
            continue;
        }
        let end = rest.find('>').ok_or_else(|| InputError::new(path, "a tag that ends with >").line(line))?;
        let (tag, after) = (&rest[1..end], &rest[end..]);
        if let Some(inner) = tag.strip_prefix("label").filter(|inner| inner.starts_with(char::is_whitespace)) {
            let name = inner.split_once("name").and_then(|(_, value)| {
                let value = value.trim_start().strip_prefix('=')?.trim_start();
                let quote = value.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
                value[1..].split_once(quote).map(|(name, _)| name)
            });
            let name = name.ok_or_else(|| InputError::new(path, "<label name=\"...\">").line(line).found(tag))?;
            let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
            let name = plain.iter().fold(name.to_owned(), |name, (coded, letter)| name.replace(coded, letter));
            names.push((line, name));
        }
        rest = after;
    }
    if names.is_empty() {
        return Err(InputError::new(path, "labels, as in <label name=\"...\"></label>").found("none").into());
    }
    Ok(names)
}
