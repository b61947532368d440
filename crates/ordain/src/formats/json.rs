//! JSONL: one flat object per line.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::source::Lines;
use super::table::{Cells, LastLine, Table, check_end};
use crate::{Error, InputError, Result};

/// Reads the rows of a JSONL file whose first line has already been taken from `lines`. Columns are the keys in order
/// of first appearance. A missing key or `null` is an empty cell. Numbers keep their digits.
pub(crate) fn read(mut lines: Lines, first: &str, last: LastLine) -> Result<Table> {
    let mut rows = JsonRows::default();
    check_end(&lines, last)?;
    rows.add(&lines, lines.line(), first)?;
    while let Some(line) = lines.next_content()?.map(str::to_owned) {
        check_end(&lines, last)?;
        rows.add(&lines, lines.line(), &line)?;
    }
    rows.finish(&lines)
}

/// The keys and values of the object on a line, in order, duplicates included.
pub(crate) fn object<'a>(path: &Path, line: u64, text: &'a str) -> Result<Vec<(String, &'a RawValue)>> {
    let mut pairs = Vec::new();
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_map(Pairs(&mut pairs)).and_then(|()| json.end()).map_err(|error| {
        Error::from(
            InputError::new(path, "one JSON object on the line")
                .line(line)
                .column(error.column())
                .found(strip_place(&error.to_string())),
        )
    })?;
    Ok(pairs)
}

#[derive(Default)]
struct JsonRows {
    columns: Vec<String>,
    index: HashMap<String, usize>,
    lines: Vec<u64>,
    /// The number of columns known when a row was read: its number of cells.
    widths: Vec<usize>,
    cells: Cells,
    row: Vec<Option<String>>,
}

impl JsonRows {
    fn add(&mut self, source: &Lines, line: u64, text: &str) -> Result<()> {
        let pairs = object(source.path(), line, text)?;
        self.row.iter_mut().for_each(|cell| *cell = None);
        for (key, value) in pairs {
            let cell = cell(value).ok_or_else(|| nested(source.path(), line, &key, value))?;
            let column = self.column(&key);
            if self.row[column].replace(cell).is_some() {
                return Err(twice(source.path(), line, &key));
            }
        }
        for cell in &self.row {
            self.cells.push(cell.as_deref().unwrap_or_default());
        }
        self.cells.check(source.limits(), source.path())?;
        self.lines.push(line);
        self.widths.push(self.columns.len());
        Ok(())
    }

    fn column(&mut self, key: &str) -> usize {
        if let Some(&at) = self.index.get(key) {
            return at;
        }
        self.columns.push(key.to_owned());
        self.index.insert(key.to_owned(), self.columns.len() - 1);
        self.row.push(None);
        self.columns.len() - 1
    }

    /// Gives early rows the columns that came later.
    fn finish(self, source: &Lines) -> Result<Table> {
        let width = self.columns.len();
        let wanted = self.lines.len().saturating_mul(width);
        if wanted == self.cells.len() {
            return Ok(Table::new(source.path(), self.columns, self.lines, self.cells));
        }
        // If every line had its own keys, the table would be almost only holes.
        if wanted > HOLES + 4 * self.cells.len() {
            return Err(InputError::new(source.path(), "the same keys on every line")
                .found(format!("{width} different keys"))
                .hint("keep the keys that most lines have, and write the others as links: source,target")
                .into());
        }
        source.limits().check_table(source.path(), self.cells.text_len() as u64, wanted as u64)?;
        let mut cells = Cells::default();
        let mut at = 0;
        for &own in &self.widths {
            (at..at + own).for_each(|cell| cells.push(self.cells.get(cell)));
            (own..width).for_each(|_| cells.push(""));
            at += own;
        }
        Ok(Table::new(source.path(), self.columns, self.lines, cells))
    }
}

/// The number of empty cells that is always allowed.
const HOLES: usize = 1 << 24;

/// The text of a flat value.
pub(crate) fn cell(value: &RawValue) -> Option<String> {
    let text = value.get();
    match text.as_bytes().first()? {
        b'"' => serde_json::from_str(text).ok(),
        b'{' | b'[' => None,
        b'n' => Some(String::new()),
        _ => Some(text.to_owned()),
    }
}

pub(crate) fn nested(path: &Path, line: u64, key: &str, value: &RawValue) -> Error {
    InputError::new(path, "a text, a number, true, false or null")
        .line(line)
        .column(key)
        .found(value.get())
        .hint("nested values cannot be cells: flatten or drop the key")
        .into()
}

pub(crate) fn twice(path: &Path, line: u64, key: &str) -> Error {
    InputError::new(path, "each key once").line(line).column(key).found(key).hint("delete one of the two").into()
}

/// The message without serde's place, which knows only this one line.
fn strip_place(message: &str) -> String {
    message.split(" at line ").next().unwrap_or(message).to_owned()
}

/// Collects the pairs of an object in order, duplicates included.
struct Pairs<'a, 'de>(&'a mut Vec<(String, &'de RawValue)>);

impl<'de> Visitor<'de> for Pairs<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(pair) = map.next_entry::<String, &'de RawValue>()? {
            self.0.push(pair);
        }
        Ok(())
    }
}
