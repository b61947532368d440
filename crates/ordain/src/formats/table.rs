//! Named text cells from CSV, TSV, JSONL and Parquet. All other readers of tables start from it.
//!
//! The content decides the format. A first line that begins with `{` is JSONL, and a file that begins with `PAR1` is
//! Parquet. Anything else has a header line, unless the project says `header = false`; then the columns are called 1, 2,
//! 3 and so on. Tabs separate its cells if the name ends in `.tsv` or `.tab` (before `.gz` or `.zst`), or if the first
//! line has a tab and the name does not end in `.csv`, or if the first line has a tab and no comma. Otherwise the first
//! line decides between commas and semicolons, outside quotation marks. If it has both, the next line must have as many
//! cells. If that too fits both, one of them must make numbers of its cells and the other none; else the file is
//! ambiguous, which is an error. A line with both and no line after it has commas, unless only semicolons make numbers
//! of its cells.
//!
//! Cells separated by commas or semicolons may be quoted as in RFC 4180. Cells separated by tabs are never quoted: that is the
//! registered `text/tab-separated-values`, and text that begins with a quotation mark is common in such files.
//!
//! A cut file cannot always be told from a whole one: `d,4` may be the rest of `d,42`, since many programs write no
//! line feed after the last line. Only the answer log demands one. A cut within a quoted cell, or before the last cell
//! of a row, is an error.
//!
//! We read CSV ourselves. The `csv` crate accepts a quote that is never closed and misnumbers lines after a blank one.
//! It writes our files and is the oracle in the tests.

mod separator;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub(crate) use self::separator::delimiter;
use self::separator::found_delimiter;
use super::json;
use super::source::{Limits, Lines};
use crate::error::token;
use crate::words::suggestion;
use crate::{Error, InputError, Result};

/// Many short texts in one piece of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cells {
    text: String,
    ends: Vec<usize>,
}

impl Cells {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn text_len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn get(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    pub(crate) fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.end();
    }

    /// Fails if these are too many.
    pub(crate) fn check(&self, limits: Limits, path: &Path) -> Result<()> {
        limits.check_table(path, self.text.len() as u64, self.len() as u64)
    }

    fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }
}

/// A whole table in memory. Every row has a cell for every column, empty if the file has none. It takes its text and 8
/// bytes per cell, together at most 4 GiB; a larger one is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    path: PathBuf,
    columns: Vec<String>,
    /// The position of every column.
    places: HashMap<String, usize>,
    lines: Vec<u64>,
    cells: Cells,
    /// The separator of cells, if the file is text with separators.
    separator: Option<u8>,
    /// The line that names the columns, if they are named by a line.
    header: Option<u64>,
}

impl Table {
    /// Reads a CSV, TSV, JSONL or Parquet file.
    ///
    /// # Errors
    /// If the file cannot be read, is empty, or a row does not fit the header.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Rows::open(path.as_ref(), LastLine::Free)?.collect()
    }

    /// A table that somebody gave outside any file. `origin` says where, for example "command line".
    ///
    /// # Errors
    /// If a column is named twice, or a row has more or fewer cells than there are columns.
    pub fn given(origin: &str, columns: Vec<String>, rows: &[Vec<String>]) -> Result<Self> {
        check_names(Path::new(origin), 0, &columns)?;
        if let Some(row) = rows.iter().find(|row| row.len() != columns.len()) {
            let (found, expected) = (format!("{} cells", row.len()), format!("{}, one per column", columns.len()));
            return Err(Error::Data { what: "a row", found, expected });
        }
        let mut cells = Cells::default();
        rows.iter().flatten().for_each(|cell| cells.push(cell));
        Ok(Self::new(Path::new(origin), columns, vec![0; rows.len()], cells))
    }

    pub(crate) fn new(path: &Path, columns: Vec<String>, lines: Vec<u64>, cells: Cells) -> Self {
        debug_assert_eq!(cells.len(), lines.len() * columns.len());
        let mut places: HashMap<String, usize> = columns.iter().cloned().zip(0..).collect();
        // Where several columns have no name, nothing says which of them is meant.
        if columns.iter().filter(|name| name.is_empty()).count() > 1 {
            places.remove("");
        }
        Self { path: path.to_path_buf(), columns, places, lines, cells, separator: None, header: None }
    }

    /// Reads a table whose columns are named by its first line, or by their numbers.
    pub(crate) fn read_with(path: &Path, header: bool) -> Result<Self> {
        if header { Self::read(path) } else { Rows::open_bare(path)?.collect() }
    }

    /// The same table from a file with this separator.
    #[cfg(test)]
    pub(crate) fn separated(self, separator: Option<u8>) -> Self {
        Self { separator, ..self }
    }

    /// The separator of cells, if the file is text with separators.
    pub(crate) fn separator(&self) -> Option<u8> {
        self.separator
    }

    /// The line that names the columns, if a line does.
    pub(crate) fn header(&self) -> Option<u64> {
        self.header
    }

    /// Whether a cell has a comma in it.
    pub(crate) fn has_comma(&self) -> bool {
        self.cells.text.contains(',')
    }

    /// The table as it is if its header line is a row, and columns are called by their numbers.
    pub(crate) fn without_header(self) -> Self {
        let Some(line) = self.header else { return self };
        let mut cells = Cells::default();
        self.columns.iter().for_each(|name| cells.push(name));
        (0..self.cells.len()).for_each(|at| cells.push(self.cells.get(at)));
        let lines = std::iter::once(line).chain(self.lines).collect();
        let table = Self::new(&self.path, numbered(self.columns.len()), lines, cells);
        Self { separator: self.separator, ..table }
    }

    /// Fails unless each column has a name of its own.
    pub(crate) fn check_names(&self) -> Result<()> {
        check_names(&self.path, self.header.unwrap_or(1), &self.columns)
    }

    /// The file, as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the columns, each once; columns without a name have an empty one.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The line on which a row begins, from 1; for Parquet, the number of the row, from 1. 0 if it stands in no file.
    pub fn line(&self, row: usize) -> u64 {
        self.lines[row]
    }

    /// A cell.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.cells.get(row * self.columns.len() + column)
    }

    /// The position of a column.
    ///
    /// # Errors
    /// If there is no such column. The hint names the nearest column and all columns.
    pub fn column(&self, name: &str) -> Result<usize> {
        self.places.get(name).copied().ok_or_else(|| {
            let mut error = InputError::new(&self.path, format!("a column \"{}\"", token(name))).line(1);
            error.hint = suggestion(name, self.columns.iter().map(String::as_str));
            error.into()
        })
    }
}

/// How a last line without a line feed is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastLine {
    /// Like any other line.
    Free,
    /// As torn, which is an error.
    Ended,
}

/// The rows of a table, one at a time, so that a long file of answers or links is not held in memory.
pub(crate) struct Rows {
    path: PathBuf,
    columns: Vec<String>,
    /// The line that names the columns, if a line does.
    header: Option<u64>,
    body: Body,
}

enum Body {
    Text(TextRows),
    Held { table: Table, next: usize },
}

/// One row.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    /// The line on which it begins.
    pub(crate) line: u64,
    cells: &'a Cells,
    start: usize,
}

impl<'a> Row<'a> {
    pub(crate) fn get(&self, column: usize) -> &'a str {
        self.cells.get(self.start + column)
    }
}

impl Rows {
    /// Opens a table and reads its header.
    pub(crate) fn open(path: &Path, last: LastLine) -> Result<Self> {
        let rows = Self::open_unchecked(path, last)?;
        rows.check_names()?;
        Ok(rows)
    }

    /// Opens a table whose first line may be a header or a row, so that its cells may repeat.
    pub(crate) fn open_unchecked(path: &Path, last: LastLine) -> Result<Self> {
        let Some(mut lines) = Lines::open_text(path)? else { return Self::parquet(path) };
        let first = first_line(&mut lines)?;
        Self::from_unchecked(lines, &first, last)
    }

    /// Opens a table without a header. Its columns are called 1, 2, 3 and so on.
    pub(crate) fn open_bare(path: &Path) -> Result<Self> {
        match Lines::open_text(path)? {
            Some(lines) => Self::bare(lines),
            None => Err(named_by_itself(path, "a Parquet file")),
        }
    }

    /// As [`Rows::open_bare`], of text that has not been read yet.
    pub(crate) fn bare(mut lines: Lines) -> Result<Self> {
        let first = first_line(&mut lines)?;
        let mut rows = Self::from_unchecked(lines, &first, LastLine::Free)?;
        let Body::Text(text) = &mut rows.body else { return Err(named_by_itself(&rows.path, "a JSONL file")) };
        text.held = true;
        text.header = None;
        rows.columns = numbered(rows.columns.len());
        rows.header = None;
        Ok(rows)
    }

    /// Rows of text that has not been read yet.
    pub(crate) fn from_lines(mut lines: Lines, last: LastLine) -> Result<Self> {
        let first = first_line(&mut lines)?;
        Self::from_first(lines, &first, last)
    }

    pub(crate) fn parquet(path: &Path) -> Result<Self> {
        read_parquet(path).map(Self::held)
    }

    /// Rows of text whose first line has already been taken from `lines`.
    pub(crate) fn from_first(lines: Lines, header: &str, last: LastLine) -> Result<Self> {
        let rows = Self::from_unchecked(lines, header, last)?;
        rows.check_names()?;
        Ok(rows)
    }

    fn from_unchecked(mut lines: Lines, header: &str, last: LastLine) -> Result<Self> {
        if header.trim_start().starts_with('{') {
            return Ok(Self::held(json::read(lines, header, last)?));
        }
        let path = lines.path().to_path_buf();
        let line = lines.line();
        check_end(&lines, last)?;
        let delimiter = found_delimiter(&mut lines, header, line)?;
        let cells = Cells::default();
        let mut text = TextRows { lines, delimiter, last, width: None, header: Some(line), line, held: false, cells };
        text.parse(header.to_owned())?;
        let columns: Vec<String> = (0..text.cells.len()).map(|at| text.cells.get(at).trim().to_owned()).collect();
        text.width = Some(columns.len());
        Ok(Self { path, columns, header: Some(line), body: Body::Text(text) })
    }

    /// Fails unless each column has a name of its own.
    pub(crate) fn check_names(&self) -> Result<()> {
        check_names(&self.path, self.header.unwrap_or(1), &self.columns)
    }

    fn held(table: Table) -> Self {
        let (path, columns, header) = (table.path.clone(), table.columns.clone(), table.header);
        Self { path, columns, header, body: Body::Held { table, next: 0 } }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The separator of cells, if the file is text with a header.
    pub(crate) fn delimiter(&self) -> Option<u8> {
        match &self.body {
            Body::Text(text) => Some(text.delimiter),
            Body::Held { .. } => None,
        }
    }

    /// The position of the column with this name, in any case.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
    }

    /// The next row, or none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>> {
        match &mut self.body {
            Body::Text(text) => Ok(text.next()?.then_some(Row { line: text.line, cells: &text.cells, start: 0 })),
            Body::Held { table, next } => {
                let row = *next;
                *next += 1;
                let start = row * table.columns.len();
                Ok((row < table.len()).then(|| Row { line: table.lines[row], cells: &table.cells, start }))
            }
        }
    }

    /// All rows. None may have been taken yet.
    pub(crate) fn collect(mut self) -> Result<Table> {
        let limits = match self.body {
            Body::Held { table, .. } => return Ok(table),
            Body::Text(ref text) => text.lines.limits(),
        };
        let mut lines = Vec::new();
        let mut cells = Cells::default();
        let (path, width) = (self.path.clone(), self.columns.len());
        while let Some(row) = self.next()? {
            lines.push(row.line);
            (0..width).for_each(|column| cells.push(row.get(column)));
            cells.check(limits, &path)?;
        }
        let (separator, header) = (self.delimiter(), self.header);
        Ok(Table { separator, header, ..Table::new(&self.path, self.columns, lines, cells) })
    }
}

/// The first line of a table that is not blank.
fn first_line(lines: &mut Lines) -> Result<String> {
    match lines.next_content()?.map(str::to_owned) {
        Some(first) => check_first(lines, &first).map_or(Ok(first), Err),
        None => Err(empty(lines.path(), "the first line names the columns, and every further line is a row")),
    }
}

/// What is wrong with a first line that is neither a row nor names of columns.
fn check_first(lines: &Lines, first: &str) -> Option<Error> {
    let text = first.trim();
    let error = |expected: &str, hint: &str| {
        Some(InputError::new(lines.path(), expected).line(lines.line()).found(text).hint(hint).into())
    };
    if text == "[" || text.starts_with("[{") {
        return error(
            "CSV, TSV, or JSON with one object per line",
            "take each object out of the list, onto a line of its own",
        );
    }
    if text.strip_prefix("sep=").is_some_and(|separator| separator.chars().count() <= 1) {
        return error("a line that names the columns", "this line says something to spreadsheets only: delete it");
    }
    None
}

/// The names of columns that nothing names.
fn numbered(width: usize) -> Vec<String> {
    (1..=width).map(|column| column.to_string()).collect()
}

#[cfg(feature = "parquet")]
fn read_parquet(path: &Path) -> Result<Table> {
    super::parquet::read(path)
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(path: &Path) -> Result<Table> {
    Err(InputError::new(path, "CSV, TSV or JSONL")
        .found("a Parquet file")
        .hint("this build cannot read Parquet: convert the file to CSV, or build with the feature \"parquet\"")
        .into())
}

pub(crate) fn empty(path: &Path, hint: &str) -> crate::Error {
    InputError::new(path, "at least one line").found("an empty file").hint(hint).into()
}

/// Fails unless each name occurs once; otherwise it would be unclear which column is meant. Several columns may have no name: nobody
/// can mean them.
pub(crate) fn check_names(path: &Path, line: u64, names: &[String]) -> Result<()> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (at, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        if let Some(first) = seen.insert(name, at) {
            return Err(InputError::new(path, "each column name once")
                .line(line)
                .column(at + 1)
                .found(name)
                .hint(format!("column {} has the same name: rename one of them", first + 1))
                .into());
        }
    }
    Ok(())
}

/// A file that names its columns, in place of one without a header.
fn named_by_itself(path: &Path, found: &str) -> Error {
    InputError::new(path, "a CSV or TSV file, since header = false")
        .found(found)
        .hint("such a file names its columns itself: delete header from [items]")
        .into()
}

/// Rows of cells separated by commas, semicolons or tabs.
struct TextRows {
    lines: Lines,
    delimiter: u8,
    last: LastLine,
    width: Option<usize>,
    /// The line of the names of columns, until a row was found to fit it.
    header: Option<u64>,
    /// The line on which the latest row begins.
    line: u64,
    /// Whether the cells are those of a row that has not been given yet.
    held: bool,
    cells: Cells,
}

/// The place of a character in a quoted row.
enum Place {
    Start,
    Plain,
    Quoted,
    Closed,
}

impl TextRows {
    fn next(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.held) {
            return Ok(true);
        }
        let Some(line) = self.lines.next_content()? else { return Ok(false) };
        self.cells.clear();
        if self.delimiter == b'\t' || !line.contains('"') {
            line.split(self.delimiter as char).for_each(|cell| self.cells.push(cell));
            self.line = self.lines.line();
            self.check_end()?;
        } else {
            let line = line.to_owned();
            self.line = self.lines.line();
            self.check_end()?;
            self.parse(line)?;
        }
        self.check_width()?;
        Ok(true)
    }

    fn check_end(&self) -> Result<()> {
        check_end(&self.lines, self.last)
    }

    fn check_width(&mut self) -> Result<()> {
        match self.width {
            Some(width) if width != self.cells.len() => {
                let found = self.cells.len();
                let cells = "quote cells that contain the separator, and give every row all cells, empty ones too";
                let hint = match self.header {
                    Some(line) => format!(
                        "line {line} is taken for the names of the columns: delete lines above the names; else {cells}"
                    ),
                    None => cells.to_owned(),
                };
                Err(InputError::new(self.lines.path(), format!("{width}, as in the header"))
                    .line(self.line)
                    .found(if found == 1 { "1 cell".into() } else { format!("{found} cells") })
                    .hint(hint)
                    .into())
            }
            _ => {
                self.header = None;
                Ok(())
            }
        }
    }

    /// Splits a row into cells. Takes further lines while a quote is open.
    fn parse(&mut self, mut line: String) -> Result<()> {
        self.cells.clear();
        if self.delimiter == b'\t' {
            line.split('\t').for_each(|cell| self.cells.push(cell));
            return Ok(());
        }
        let mut place = Place::Start;
        let mut opened = self.line;
        loop {
            for letter in line.chars() {
                place = match (place, letter) {
                    (Place::Start, '"') => {
                        opened = self.lines.line();
                        Place::Quoted
                    }
                    (Place::Quoted, '"') => Place::Closed,
                    (Place::Closed, '"') => {
                        self.cells.text.push('"');
                        Place::Quoted
                    }
                    (Place::Start | Place::Plain | Place::Closed, letter) if letter == self.delimiter as char => {
                        self.cells.end();
                        Place::Start
                    }
                    (Place::Closed, letter) => return Err(self.after_quote(letter)),
                    (Place::Quoted, letter) => {
                        self.cells.text.push(letter);
                        Place::Quoted
                    }
                    (Place::Start | Place::Plain, letter) => {
                        self.cells.text.push(letter);
                        Place::Plain
                    }
                };
            }
            if !matches!(place, Place::Quoted) {
                self.cells.end();
                return Ok(());
            }
            self.cells.text.push('\n');
            let too_long = self.cells.text.len() > self.lines.limits().line;
            match self.lines.next_line()? {
                Some(next) if !too_long => next.clone_into(&mut line),
                _ => return Err(self.unclosed(opened)),
            }
            self.check_end()?;
        }
    }

    fn after_quote(&self, letter: char) -> crate::Error {
        let separator = if self.delimiter == b';' { "semicolon" } else { "comma" };
        let expected = format!("a {separator} or the end of the line after a closing quotation mark");
        InputError::new(self.lines.path(), expected)
            .line(self.lines.line())
            .column(self.cells.len() + 1)
            .found(letter.to_string())
            .hint("write a quotation mark inside a quoted cell twice")
            .into()
    }

    fn unclosed(&self, opened: u64) -> crate::Error {
        InputError::new(self.lines.path(), "a closing quotation mark")
            .line(opened)
            .column(self.cells.len() + 1)
            .found("a quoted cell without end")
            .hint("close the cell with a quotation mark; write a cell that has one in it as \"a \"\"quoted\"\" word\"")
            .into()
    }
}

/// Fails if the latest line was torn and that matters.
pub(crate) fn check_end(lines: &Lines, last: LastLine) -> Result<()> {
    if last == LastLine::Free || lines.terminated() {
        return Ok(());
    }
    Err(torn(lines.path(), lines.line()))
}

/// The error for a last line without a line feed, in a file that is appended to line by line.
pub(crate) fn torn(path: &Path, line: u64) -> crate::Error {
    let hint = "writing stopped midway: delete the line if it is cut, or add the line feed if it is whole";
    let error = InputError::new(path, "a line feed at the end of the last line").line(line).found("a torn line");
    InputError { torn: true, ..error.hint(hint) }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_too_large_to_be_held_is_refused() {
        let read = |text: &str, table: u64| {
            let limits = Limits { table, ..Limits::default() };
            let reader = Box::new(std::io::Cursor::new(text.to_owned()));
            Rows::from_lines(Lines::from_reader(Path::new("t.csv"), reader, limits), LastLine::Free)?.collect()
        };
        // 22 bytes of text in four cells.
        for text in
            ["a,b\nten bytes!,1\nten bytes?,2\n", "{\"a\":\"ten bytes!\",\"b\":1}\n{\"a\":\"ten bytes!\",\"b\":2}\n"]
        {
            assert_eq!(read(text, 54).unwrap().len(), 2);
            let error = read(text, 53).unwrap_err();
            assert!(error.to_string().contains("a table of at most 0 MiB"), "{error}");
            assert!(error.hint().unwrap().contains("leave out the columns"));
        }
    }
}
