//! TREC qrels and runs, in their own form (cells separated by blanks, no header) or as TSV with a header.
//!
//! | | own form | header |
//! |---|---|---|
//! | qrels | `qid iteration docid grade` | `qid docid rel` (or `grade`, `code`) |
//! | run | `qid Q0 docid rank score tag` | `run qid docid rank score` |
//!
//! Queries keep the order of first appearance, documents the order of the file. In a run a document may occur twice and
//! a score may be NaN. The measure decides how to treat that; [`crate::data::RunRow`] lets it name the line. A document
//! that is judged twice for a query is an error.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::source::Lines;
use super::table::empty;
use crate::data::{Judgements, Run};
use crate::{Error, InputError, Result};

/// Reads graded judgements.
///
/// # Forms
/// | | own form | header |
/// |---|---|---|
/// | qrels | `qid iteration docid grade` | `qid docid rel` (or `grade`, `code`) |
/// | run | `qid Q0 docid rank score tag` | `run qid docid rank score` |
///
/// Queries keep the order of first appearance, documents the order of the file. In a run a document may stand twice and a
/// score may be NaN: what to make of that is the measure's choice, and [`crate::data::RunRow`] lets it name the line. A
/// document judged twice for a query is an error.
///
/// # Errors
/// If the file cannot be read or is empty, a line has another number of cells, a grade is not a whole number, or a
/// document is judged twice for a query.
pub fn read_qrels(path: impl AsRef<Path>) -> Result<Judgements> {
    let path = path.as_ref();
    let form = Form { names: &[&["qid"], &["docid"], &["rel", "grade", "code"]], bare: &[0, 2, 3], cells: 4 };
    let mut queries: InOrder<HashMap<String, i32>> = InOrder::default();
    let mut rows = form.open(path)?;
    while let Some((line, [query, document, grade])) = rows.next()? {
        let grade: i32 = grade.text.parse().map_err(|_| wrong(path, line, grade, "a grade: a whole number"))?;
        if queries.of(query.text).insert(document.text.to_owned(), grade).is_some() {
            return Err(wrong(path, line, document, &format!("each document once for query {}", query.text)));
        }
    }
    Ok(Judgements { queries: queries.entries })
}

/// Reads the one run of a file.
///
/// # Errors
/// Like [`read_runs`]; also if the file holds several runs.
pub fn read_run(path: impl AsRef<Path>) -> Result<Run> {
    let path = path.as_ref();
    let mut runs = read_runs(path)?;
    match (runs.len(), runs.pop()) {
        (1, Some(run)) => Ok(run),
        (count, last) => Err(InputError::new(path, "one run")
            .found(format!("{count} runs, the last tagged {}", last.map_or_else(String::new, |run| run.name)))
            .into()),
    }
}

/// Reads the runs of a file, in order of first appearance.
///
/// # Errors
/// If the file cannot be read or is empty, a line has another number of cells, or a rank or score is not a number.
pub fn read_runs(path: impl AsRef<Path>) -> Result<Vec<Run>> {
    runs_of(RUN.open(path.as_ref())?)
}

/// The runs of a file that was opened already.
pub(super) fn runs_of(mut rows: FormRows<5>) -> Result<Vec<Run>> {
    let path = rows.path().to_path_buf();
    let mut runs: InOrder<RunBuilder> = InOrder::default();
    while let Some((line, cells)) = rows.next()? {
        let [query, _, _, _, tag] = cells;
        let RunBuilder { run, index, latest } = runs.of(tag.text);
        // Rows of a query mostly stand together.
        if run.queries.get(*latest).is_none_or(|(name, _)| name != query.text) {
            *latest = *index.entry(query.text.to_owned()).or_insert_with(|| {
                run.queries.push((query.text.to_owned(), Vec::new()));
                run.queries.len() - 1
            });
        }
        push(&path, run, *latest, line, &cells)?;
    }
    let named = |(name, mut built): (String, RunBuilder)| {
        built.run.name = name;
        built.run
    };
    Ok(runs.entries.into_iter().map(named).collect())
}

/// The names of runs: their tags, or `FILE:TAG` for those whose tag another run has too.
pub fn told_apart(runs: &[(PathBuf, String)]) -> Vec<String> {
    let mut tags: HashMap<&str, usize> = HashMap::new();
    runs.iter().for_each(|(_, tag)| *tags.entry(tag).or_default() += 1);
    let name = |(file, tag): &(PathBuf, String)| match tags[tag.as_str()] {
        1 => tag.clone(),
        _ => format!("{}:{tag}", file.display()),
    };
    runs.iter().map(name).collect()
}

/// Whether a word can stand in a run, whose cells are separated by blanks: it is not empty and has no blank.
pub fn fits_run(word: &str) -> bool {
    !word.is_empty() && !word.contains(char::is_whitespace)
}

/// The lines of a run: query, document, rank, score and tag.
pub(super) const RUN: Form<5> =
    Form { names: &[&["qid"], &["docid"], &["rank"], &["score"], &["run", "tag"]], bare: &[0, 2, 3, 4, 5], cells: 6 };

/// Adds a line to the query at this position of a run.
pub(super) fn push(path: &Path, run: &mut Run, query: usize, line: u64, cells: &[Cell<'_>; 5]) -> Result<()> {
    let [_, document, rank, score, _] = *cells;
    let rank = rank.text.parse().map_err(|_| wrong(path, line, rank, "a rank: a whole number"))?;
    let score = score.text.parse().map_err(|_| wrong(path, line, score, "a score: a number"))?;
    if run.push(query, document.text, rank, score, line) {
        return Ok(());
    }
    Err(wrong(path, line, document, "at most 4 GiB of document ids in a run"))
}

/// A run in the making.
#[derive(Default)]
struct RunBuilder {
    run: Run,
    index: HashMap<String, usize>,
    /// The position of the query that came last.
    latest: usize,
}

/// Values by name, in order of first appearance.
#[derive(Default)]
struct InOrder<T> {
    entries: Vec<(String, T)>,
    index: HashMap<String, usize>,
    latest: usize,
}

impl<T: Default> InOrder<T> {
    fn of(&mut self, name: &str) -> &mut T {
        // The same name mostly comes again.
        if self.entries.get(self.latest).is_some_and(|(latest, _)| latest == name) {
            return &mut self.entries[self.latest].1;
        }
        let at = match self.index.get(name) {
            Some(&at) => at,
            None => {
                self.entries.push((name.to_owned(), T::default()));
                self.index.insert(name.to_owned(), self.entries.len() - 1);
                self.entries.len() - 1
            }
        };
        self.latest = at;
        &mut self.entries[at].1
    }
}

/// A cell and its number from 1.
#[derive(Clone, Copy, Default)]
pub(super) struct Cell<'a> {
    pub(super) text: &'a str,
    number: usize,
}

pub(super) fn wrong(path: &Path, line: u64, cell: Cell<'_>, expected: &str) -> Error {
    InputError::new(path, expected).line(line).column(cell.number).found(cell.text).into()
}

/// The wanted cells of a line: by name if there is a header, else by position.
pub(super) struct Form<const N: usize> {
    names: &'static [&'static [&'static str]; N],
    bare: &'static [usize; N],
    cells: usize,
}

/// The wanted cells of a file, line by line.
pub(super) struct FormRows<const N: usize> {
    path: PathBuf,
    lines: Lines,
    /// The first line and its number, while it is still to be read as a row.
    first: Option<(u64, String)>,
    taken: String,
    /// The positions of the wanted cells, the number of cells, and whether only tabs separate them.
    wanted: [usize; N],
    cells: usize,
    tabs: bool,
}

impl<const N: usize> Form<N> {
    /// Opens a file and finds out whether it has a header.
    pub(super) fn open(&self, path: &Path) -> Result<FormRows<N>> {
        let mut lines = Lines::open(path)?;
        let Some(first) = lines.next_content()?.map(str::to_owned) else {
            return Err(empty(path, "write a line for every document of a query"));
        };
        self.begin(path, lines, first)
    }

    /// The rows of a file whose first line was taken already.
    pub(super) fn begin(&self, path: &Path, lines: Lines, first: String) -> Result<FormRows<N>> {
        let header: Vec<&str> = first.split('\t').map(str::trim).collect();
        if !header.contains(&"qid") {
            let first = Some((lines.line(), first));
            let (wanted, cells) = (*self.bare, self.cells);
            return Ok(FormRows {
                path: path.to_path_buf(),
                lines,
                first,
                taken: String::new(),
                wanted,
                cells,
                tabs: false,
            });
        }
        let mut wanted = [0; N];
        for (column, names) in wanted.iter_mut().zip(self.names) {
            *column = header.iter().position(|name| names.contains(name)).ok_or_else(|| {
                Error::from(
                    InputError::new(path, format!("a column {}", names.join(" or "))).line(1).found(header.join(",")),
                )
            })?;
        }
        let cells = header.len();
        Ok(FormRows { path: path.to_path_buf(), lines, first: None, taken: String::new(), wanted, cells, tabs: true })
    }
}

impl<const N: usize> FormRows<N> {
    /// The file, as the user named it.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the next line that is not blank, and its wanted cells.
    pub(super) fn next(&mut self) -> Result<Option<(u64, [Cell<'_>; N])>> {
        let (line, text) = match self.first.take() {
            Some((line, text)) => {
                self.taken = text;
                (line, self.taken.as_str())
            }
            None => match self.lines.next_numbered()? {
                Some(row) => row,
                None => return Ok(None),
            },
        };
        let (out, found) = match self.tabs {
            true => choose(text.split('\t'), &self.wanted),
            false => choose(text.split_ascii_whitespace(), &self.wanted),
        };
        if found == self.cells {
            return Ok(Some((line, out)));
        }
        let expected = format!("{} cells", self.cells);
        Err(InputError::new(&self.path, expected).line(line).found(format!("{found} cells")).into())
    }
}

/// The wanted cells of a line, and its number of cells.
fn choose<'a, const N: usize>(cells: impl Iterator<Item = &'a str>, wanted: &[usize; N]) -> ([Cell<'a>; N], usize) {
    let mut out = [Cell::default(); N];
    let mut found = 0;
    for (at, text) in cells.enumerate() {
        found += 1;
        if let Some(slot) = wanted.iter().position(|&position| position == at) {
            out[slot] = Cell { text: text.trim(), number: at + 1 };
        }
    }
    (out, found)
}
