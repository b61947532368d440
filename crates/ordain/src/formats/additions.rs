//! Adding rows to the table of items: checked against the table, then in the file whole or not at all.
//!
//! The file is replaced in one step by its old bytes and the new lines, so a crash leaves the old table or the new one. A table may
//! end without a line feed, so a torn line at its end could not be told from a row: that is why lines are not appended in place.

use std::fs::{self, OpenOptions};
use std::io::Cursor;
use std::path::{Path, PathBuf};

use super::items::{ItemTable, ItemsSpec, Known, Missing, attribute_names, items_filled, items_from};
use super::json;
use super::lock::{failed, open_locked};
use super::newcomers::check_unknown;
use super::source::{Limits, Lines, Wrapping, sniff};
use super::table::{Cells, LastLine, Rows, Table};
use super::whole::{clear, folder_of, write_whole};
use crate::data::Items;
use crate::error::token;
use crate::words::suggestion;
use crate::{InputError, Result};

/// The table of a project's items, and how it is read.
#[derive(Debug, Clone)]
pub(crate) struct ItemsSource {
    pub(crate) path: PathBuf,
    pub(crate) spec: ItemsSpec,
}

/// A table of items with further rows, not written yet.
pub(crate) struct Enlarged {
    /// All items, the new ones last, without attributes.
    pub(crate) items: Items,
    /// The bytes of the file.
    bytes: Vec<u8>,
}

impl ItemsSource {
    /// The table with these rows at its end. Rows may lack columns of the table: their cells are empty.
    ///
    /// # Errors
    /// If the file is not one that rows can be added to, or a row does not fit the table.
    pub(crate) fn with_rows(&self, rows: &Table) -> Result<Enlarged> {
        check_form(&self.path)?;
        let before = fs::read(&self.path).map_err(|source| failed("read", &self.path, source))?;
        let (table, delimiter) = self.parsed(&before)?;
        let known = items_from(&table, &self.spec)?;
        let rows = self.arranged(&table, rows)?;
        self.check(&known, &rows)?;
        let lines = match delimiter {
            Some(delimiter) => delimited(&self.path, &rows, delimiter)?,
            None => objects(&self.path, &before, &rows)?,
        };
        let bytes = joined(&before, &lines);
        let (after, _) = self.parsed(&bytes)?;
        let same = after.columns() == table.columns()
            && after.len() == table.len() + rows.len()
            && (0..table.len()).all(|row| cells(&after, row).eq(cells(&table, row)))
            && (0..rows.len()).all(|row| cells(&after, table.len() + row).eq(cells(&rows, row)));
        if !same {
            return Err(InputError::new(&self.path, "a table that reads back with the new rows as they were given")
                .found("other cells")
                .hint("the file stays as it is: add the rows by hand")
                .into());
        }
        let names = known.items.attributes().names();
        let now = attribute_names(&after, &self.spec);
        if now.as_ref().is_ok_and(|now| now == names) {
            let items = items_from(
                &after,
                &ItemsSpec { attributes: Some(Vec::new()), prior: Vec::new(), ..self.spec.clone() },
            )?
            .items;
            return Ok(Enlarged { items, bytes });
        }
        let turned = now.ok().and_then(|now| now.into_iter().find(|name| !names.contains(name)));
        let error = InputError::new(rows.path(), "cells that leave every column of text one of text");
        let error = turned.into_iter().fold(error, |error, column| error.column(column));
        Err(error
            .found("numbers")
            .hint("list the columns of numbers under [items] in the project file: attributes = [...]")
            .into())
    }

    /// Adds these rows to the file, if `fits` finds nothing wrong with the items that there are then. They are on the disk when this
    /// returns.
    ///
    /// # Errors
    /// As [`ItemsSource::with_rows`] and `fits`, or if the file cannot be written. It is then as it was.
    pub(crate) fn add(&self, rows: &Table, fits: impl FnOnce(&Items) -> Result<()>) -> Result<Items> {
        check_form(&self.path)?;
        // What a killed command left may be a second name of this very file, which could not be replaced then.
        clear(folder_of(&self.path));
        // Two processes that add at the same moment do so one after the other. Some file systems lock only what is open for writing.
        let _locked = open_locked(&self.path, OpenOptions::new().read(true).write(true))?;
        let Enlarged { items, bytes } = self.with_rows(rows)?;
        fits(&items)?;
        write_whole(&self.path, |out| out.write_all(&bytes))?;
        Ok(items)
    }

    /// The columns of numbers that an item must have.
    pub(crate) fn needed_numbers(&self) -> Result<Vec<String>> {
        if self.spec.missing == Missing::Mean {
            return Ok(Vec::new());
        }
        let items = items_from(&Table::read_with(&self.path, self.spec.header)?, &self.spec)?.items;
        let prior = items.prior().map_or(&[][..], |prior| prior.columns().names());
        Ok(items.attributes().names().iter().chain(prior).cloned().collect())
    }

    /// A table of these bytes, and its separator if it has a header.
    fn parsed(&self, bytes: &[u8]) -> Result<(Table, Option<u8>)> {
        let lines = Lines::from_reader(&self.path, Box::new(Cursor::new(bytes.to_vec())), Limits::default());
        let rows = if self.spec.header { Rows::from_lines(lines, LastLine::Free) } else { Rows::bare(lines) }?;
        let delimiter = rows.delimiter();
        Ok((rows.collect()?, delimiter))
    }

    /// The rows with the columns of the table, in its order.
    fn arranged(&self, table: &Table, rows: &Table) -> Result<Table> {
        let known = table.columns().iter().map(String::as_str);
        if let Some(unknown) = rows.columns().iter().find(|name| !table.columns().contains(name)) {
            let mut error = InputError::new(rows.path(), format!("a column of {}", self.path.display())).found(unknown);
            error.hint = suggestion(unknown, known);
            return Err(error.into());
        }
        for name in [Some(&self.spec.id), self.spec.group.as_ref()].into_iter().flatten() {
            if !rows.columns().contains(name) {
                let error = InputError::new(rows.path(), format!("a column \"{}\"", token(name)));
                let what =
                    if *name == self.spec.id { "the ids of the new items" } else { "the groups of the new items" };
                return Err(error.hint(format!("it holds {what}")).into());
            }
        }
        let places: Vec<Option<usize>> =
            table.columns().iter().map(|name| rows.columns().iter().position(|own| own == name)).collect();
        let mut cells = Cells::default();
        for row in 0..rows.len() {
            places.iter().for_each(|place| cells.push(place.map_or("", |column| rows.cell(row, column))));
        }
        let lines = (0..rows.len()).map(|row| rows.line(row)).collect();
        Ok(Table::new(rows.path(), table.columns().to_vec(), lines, cells))
    }

    /// Checks ids, groups and numbers of new rows.
    fn check(&self, ItemTable { items: known, marks, .. }: &ItemTable, rows: &Table) -> Result<()> {
        let spec = ItemsSpec { attributes: Some(known.attributes().names().to_vec()), ..self.spec.clone() };
        // Any number will do for an empty cell that is allowed: the new table is read again as a whole.
        let means = [vec![0.0; known.attributes().len()], vec![0.0; spec.prior.len()]];
        let of = |means, marks| Some(Known { means, marks });
        let new = items_filled(rows, &spec, [of(&means[0], &marks.attributes), of(&means[1], &marks.prior)])?.items;
        check_unknown(rows, &spec.id, known, &new)?;
        let Some(group) = &spec.group else { return Ok(()) };
        match new.iter().position(|item| new.group_name(item).is_some_and(|name| name.trim().is_empty())) {
            Some(row) => {
                let error = InputError::new(rows.path(), "a group").line(rows.line(row)).column(group).found("");
                Err(error.hint("only items of one group are compared: name the new item's").into())
            }
            None => Ok(()),
        }
    }
}

fn cells(table: &Table, row: usize) -> impl Iterator<Item = &str> {
    (0..table.columns().len()).map(move |column| table.cell(row, column))
}

/// Refuses what rows cannot be added to.
fn check_form(path: &Path) -> Result<()> {
    let refuse = |found: &str, hint: &str| {
        Err(InputError::new(path, "a plain text file to add rows to").found(found).hint(hint).into())
    };
    let about = path.metadata().map_err(|source| failed("read", path, source))?;
    if !about.is_file() && !about.is_dir() {
        return refuse("a pipe or a device", "name a file under [items]");
    }
    match sniff(path)? {
        Wrapping::Plain | Wrapping::Foreign(_) => Ok(()),
        Wrapping::Parquet => refuse("a Parquet file", "convert it to CSV, and name the CSV file under [items]"),
        Wrapping::Gzip | Wrapping::Zstd => {
            refuse("a packed file", "decompress it first, and name the plain file under [items]")
        }
    }
}

/// The old bytes and further lines, which end as the first line of the file does.
fn joined(before: &[u8], lines: &[String]) -> Vec<u8> {
    let first = before.iter().position(|&byte| byte == b'\n');
    let end: &[u8] = if first.is_some_and(|at| before[..at].ends_with(b"\r")) { b"\r\n" } else { b"\n" };
    let mut bytes = before.to_vec();
    if !bytes.ends_with(b"\n") {
        bytes.extend(end);
    }
    for line in lines {
        bytes.extend(line.as_bytes());
        bytes.extend(end);
    }
    bytes
}

/// Rows as lines of separated cells, without line ends.
fn delimited(path: &Path, rows: &Table, delimiter: u8) -> Result<Vec<String>> {
    let tabs = delimiter == b'\t';
    let line = |row: usize| {
        let cells: Vec<&str> = cells(rows, row).collect();
        if tabs {
            return match cells.iter().position(|cell| cell.contains(['\t', '\n', '\r'])) {
                None => Ok(cells.join("\t")),
                Some(column) => Err(InputError::new(rows.path(), "text without line breaks and tabs")
                    .line(rows.line(row))
                    .column(&rows.columns()[column])
                    .found(cells[column])
                    .hint(format!("{} has its cells between tabs", path.display()))
                    .into()),
            };
        }
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        let broken = |source: std::io::Error| failed("write", path, source);
        writer.write_record(&cells).map_err(|error| broken(std::io::Error::other(error)))?;
        let bytes = writer.into_inner().map_err(|error| broken(error.into_error()))?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned())
    };
    (0..rows.len()).map(line).collect()
}

/// Rows as JSON objects, without line ends. A cell is a number where the first object has a number and the cell reads as one; empty
/// cells are left out.
fn objects(path: &Path, before: &[u8], rows: &Table) -> Result<Vec<String>> {
    let mut lines = Lines::from_reader(path, Box::new(Cursor::new(before.to_vec())), Limits::default());
    let first = lines.next_content()?.unwrap_or_default().to_owned();
    let is_number = |text: &str| {
        text.starts_with(|letter: char| letter == '-' || letter.is_ascii_digit())
            && serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok_and(|value| value.get() == text)
    };
    let numbers: Vec<String> = json::object(path, lines.line(), &first)?
        .into_iter()
        .filter_map(|(key, value)| is_number(value.get()).then_some(key))
        .collect();
    let value = |name: &String, cell: &str| match numbers.contains(name) && is_number(cell) {
        true => cell.to_owned(),
        false => serde_json::Value::from(cell).to_string(),
    };
    let line = |row: usize| {
        let pairs = rows.columns().iter().zip(cells(rows, row)).filter(|(_, cell)| !cell.is_empty());
        let pair = |(name, cell): (&String, &str)| {
            format!("{}: {}", serde_json::Value::from(name.as_str()), value(name, cell))
        };
        format!("{{{}}}", pairs.map(pair).collect::<Vec<_>>().join(", "))
    };
    Ok((0..rows.len()).map(line).collect())
}
