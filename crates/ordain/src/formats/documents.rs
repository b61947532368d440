//! Collections of documents and queries, as text.
//!
//! A collection is JSONL or any other table. JSONL is read one line at a time, and unused values may be nested. Other
//! tables are held in memory.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::json::{cell, nested, object, twice};
use super::numbers::{Columns, Content};
use super::source::Lines;
use super::table::{LastLine, Rows, Table, empty};
use crate::words::suggestion;
use crate::{InputError, Result};

/// The meaning of the columns of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentsSpec {
    /// The column of ids.
    pub id: String,
    /// The columns of text, joined by line feeds. Default: every column of text except the ids; in JSONL, every value
    /// that is a text or a list of texts.
    pub text: Option<Vec<String>>,
}

impl Default for DocumentsSpec {
    fn default() -> Self {
        Self { id: "id".into(), text: None }
    }
}

/// A document of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Its id, unique in the collection.
    pub id: String,
    /// Its text; may be empty.
    pub text: String,
}

/// The documents of a file, one at a time. Ids are remembered, so that a repeated id is an error.
pub struct Documents {
    path: PathBuf,
    spec: DocumentsSpec,
    body: Body,
    /// The line on which an id was first seen.
    seen: HashMap<String, u64>,
}

enum Body {
    Json(JsonLines),
    Table {
        table: Table,
        id: usize,
        text: Vec<usize>,
        next: usize,
    },
    /// After an error there is no next document.
    Over,
}

impl Documents {
    /// Opens a collection: JSONL, CSV, TSV or Parquet, plain or packed.
    ///
    /// # Errors
    /// If the file cannot be read, has no document, or a table lacks one of the columns.
    pub fn open(path: impl AsRef<Path>, spec: &DocumentsSpec) -> Result<Self> {
        let path = path.as_ref();
        let body = match Lines::open_documents(path)? {
            None => Body::table(Rows::parquet(path)?.collect()?, spec)?,
            Some(mut lines) => match lines.next_content()?.map(str::to_owned) {
                None => return Err(empty(path, "write a line for every document")),
                Some(first) if first.trim_start().starts_with('{') => Body::Json(JsonLines::new(lines, first)),
                Some(first) => Body::table(Rows::from_first(lines, &first, LastLine::Free)?.collect()?, spec)?,
            },
        };
        Ok(Self { path: path.to_path_buf(), spec: spec.clone(), body, seen: HashMap::new() })
    }

    fn read(&mut self) -> Result<Option<Document>> {
        let document = match &mut self.body {
            Body::Json(lines) => lines.read(&self.path, &self.spec)?,
            Body::Table { table, id, text, next } => (*next < table.len()).then(|| {
                let row = *next;
                *next += 1;
                let cells: Vec<&str> = text.iter().map(|&column| table.cell(row, column)).collect();
                Document { line: table.line(row), id: table.cell(row, *id).to_owned(), text: cells.join("\n") }
            }),
            Body::Over => None,
        };
        document.map(|document| self.check(document)).transpose()
    }

    /// Fails if the id is empty or repeated.
    fn check(&mut self, document: Document) -> Result<Document> {
        let wrong = |expected: &str| {
            InputError::new(&self.path, expected).line(document.line).column(&self.spec.id).found(&document.id)
        };
        if document.id.is_empty() {
            return Err(wrong("an id").hint("give every document an id of its own").into());
        }
        if let Some(first) = self.seen.insert(document.id.clone(), document.line) {
            return Err(wrong("each id once").hint(format!("line {first} has the same id")).into());
        }
        Ok(document)
    }
}

impl Iterator for Documents {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.read();
        if !matches!(read, Ok(Some(_))) {
            self.body = Body::Over;
        }
        read.transpose()
    }
}

impl Body {
    fn table(table: Table, spec: &DocumentsSpec) -> Result<Self> {
        let id = table.column(&spec.id)?;
        if table.is_empty() {
            return Err(InputError::new(table.path(), "at least one document")
                .found("only a header")
                .hint("write a line for every document")
                .into());
        }
        let text = match &spec.text {
            Some(names) => names.iter().map(|name| table.column(name)).collect::<Result<_>>()?,
            None => {
                let numeric = Columns::new(&table);
                let columns = (0..table.columns().len()).filter(|&column| column != id);
                columns.filter(|&column| numeric.content(column) == Content::Text).collect()
            }
        };
        Ok(Self::Table { table, id, text, next: 0 })
    }
}

/// The documents of a JSONL file.
struct JsonLines {
    lines: Lines,
    /// The first line, until it is taken.
    first: Option<String>,
    /// Keys seen so far.
    keys: HashSet<String>,
}

impl JsonLines {
    fn new(lines: Lines, first: String) -> Self {
        Self { lines, first: Some(first), keys: HashSet::new() }
    }

    fn read(&mut self, path: &Path, spec: &DocumentsSpec) -> Result<Option<Document>> {
        let held = match self.first.take() {
            Some(first) => Some((self.lines.line(), first)),
            None => self.lines.next_numbered()?.map(|(line, text)| (line, text.to_owned())),
        };
        let Some((line, text)) = held else {
            self.check_fields(path, spec)?;
            return Ok(None);
        };
        let mut values: HashMap<String, &RawValue> = HashMap::new();
        let mut parts = Vec::new();
        for (key, value) in object(path, line, &text)? {
            if values.insert(key.clone(), value).is_some() {
                return Err(twice(path, line, &key));
            }
            if spec.text.is_none() && key != spec.id {
                parts.extend(texts(value));
            }
            if !self.keys.contains(&key) {
                self.keys.insert(key);
            }
        }
        for name in spec.text.iter().flatten() {
            if let Some(value) = values.get(name) {
                let part = texts(value).or_else(|| cell(value)).ok_or_else(|| nested(path, line, name, value))?;
                parts.push(part);
            }
        }
        let Some(id) = values.get(&spec.id) else {
            let mut error = InputError::new(path, format!("a key \"{}\"", spec.id)).line(line);
            error.hint = suggestion(&spec.id, values.keys().map(String::as_str));
            return Err(error.into());
        };
        let id = cell(id).ok_or_else(|| nested(path, line, &spec.id, id))?;
        Ok(Some(Document { line, id, text: parts.join("\n") }))
    }

    /// Fails if no document has a requested field.
    fn check_fields(&self, path: &Path, spec: &DocumentsSpec) -> Result<()> {
        let Some(missing) = spec.text.iter().flatten().find(|name| !self.keys.contains(*name)) else { return Ok(()) };
        let mut known: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        known.sort_unstable();
        let mut error = InputError::new(path, format!("a key \"{missing}\"")).found("no line with one");
        error.hint = suggestion(missing, known);
        Err(error.into())
    }
}

/// The text of a value, if it is a text or a list of texts.
fn texts(value: &RawValue) -> Option<String> {
    match value.get().as_bytes().first()? {
        b'"' => cell(value),
        b'[' => serde_json::from_str::<Vec<String>>(value.get()).ok().map(|texts| texts.join("\n")),
        _ => None,
    }
}

/// A query from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryText {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Its id, unique in the file.
    pub id: String,
    /// Its text; may be empty.
    pub text: String,
}

/// The queries of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queries {
    /// The queries, in the order of the file.
    pub queries: Vec<QueryText>,
    /// Whether the file has a header. Without one, its lines are `qid`, a tab and the text.
    pub header: bool,
}

/// The names of the columns of a table of queries.
const QUERY_COLUMNS: [[&str; 2]; 2] = [["qid", "id"], ["text", "query"]];

/// Reads queries from a table with the columns `qid` (or `id`) and `text` (or `query`), or from lines of an id, a tab and the text without
/// a header. A first line of two cells with a tab between, neither of which is such a name, is a query. Without a header, nothing is quoted,
/// and further tabs belong to the text.
///
/// # Errors
/// If the file cannot be read, has no query, lacks a column or a tab, or an id is empty or repeated.
pub fn read_queries(path: impl AsRef<Path>) -> Result<Queries> {
    let path = path.as_ref();
    let Some(mut lines) = Lines::open_text(path)? else { return table_queries(&Rows::parquet(path)?.collect()?) };
    let Some(first) = lines.next_content()?.map(str::to_owned) else {
        return Err(empty(path, "write a line for every query: the id, a tab and the text"));
    };
    if !is_query(&first) {
        return table_queries(&Rows::from_first(lines, &first, LastLine::Free)?.collect()?);
    }
    let mut queries = Vec::new();
    let mut line = Some((lines.line(), first));
    while let Some((number, text)) = line {
        let (id, text) = text.split_once('\t').ok_or_else(|| {
            let error = InputError::new(path, "an id, a tab and the text of a query").line(number).found(&text);
            error.hint("the first line has this form; or name the columns there: qid, a tab, text")
        })?;
        queries.push(QueryText { line: number, id: id.trim().to_owned(), text: text.to_owned() });
        line = lines.next_numbered()?.map(|(number, line)| (number, line.to_owned()));
    }
    check_ids(path, "qid", &queries)?;
    Ok(Queries { queries, header: false })
}

/// Whether the first line of a file is a query: two cells with a tab between, neither with the name of a column.
fn is_query(first: &str) -> bool {
    let named = |cell: &str| QUERY_COLUMNS.iter().flatten().any(|name| cell.trim().eq_ignore_ascii_case(name));
    first.contains('\t') && !first.starts_with('{') && !first.split('\t').any(named)
}

/// The queries of a table.
fn table_queries(table: &Table) -> Result<Queries> {
    let [id, text] = QUERY_COLUMNS.map(|names| either(table, names));
    let (id, text) = (id?, text?);
    let query = |row: usize| QueryText {
        line: table.line(row),
        id: table.cell(row, id).trim().to_owned(),
        text: table.cell(row, text).to_owned(),
    };
    let queries: Vec<QueryText> = (0..table.len()).map(query).collect();
    if queries.is_empty() {
        let error = InputError::new(table.path(), "at least one query").found("only a header");
        return Err(error.hint("write a line for every query").into());
    }
    check_ids(table.path(), &table.columns()[id], &queries)?;
    Ok(Queries { queries, header: true })
}

/// Fails if an id is empty or repeated.
fn check_ids(path: &Path, column: &str, queries: &[QueryText]) -> Result<()> {
    let mut seen: HashMap<&str, u64> = HashMap::with_capacity(queries.len());
    for QueryText { line, id, .. } in queries {
        let wrong = |expected: &str| InputError::new(path, expected).line(*line).column(column).found(id);
        if id.is_empty() {
            return Err(wrong("an id").hint("give every query an id of its own").into());
        }
        if let Some(first) = seen.insert(id, *line) {
            return Err(wrong("each id once").hint(format!("line {first} has the same id")).into());
        }
    }
    Ok(())
}

/// The column of the first of two names that exists.
fn either(table: &Table, names: [&str; 2]) -> Result<usize> {
    let found = names.iter().find_map(|name| table.columns().iter().position(|column| column == name));
    found.ok_or_else(|| {
        InputError::new(table.path(), format!("a column \"{}\" or \"{}\"", names[0], names[1]))
            .line(1)
            .found(table.columns().join(","))
            .hint("the first line names the columns: qid,text; without it, a tab stands between id and text")
            .into()
    })
}
