//! TREC qrels and runs, in their own form (cells divided by blanks, no header) or as TSV with a header.
//!
//! | | own form | header |
//! |---|---|---|
//! | qrels | `qid iteration docid grade` | `qid docid rel` (or `grade`, `code`) |
//! | run | `qid Q0 docid rank score tag` | `run qid docid rank score` |
//!
//! Queries keep the order of first appearance, documents the order of the file. In a run a document may stand twice and a
//! score may be NaN: what to make of that is the measure's choice, and [`crate::data::RunRow`] lets it name the line. A
//! document judged twice for a query is an error.

use std::collections::HashMap;
use std::path::Path;

use super::source::Lines;
use super::table::empty;
use crate::data::{Judgements, Run};
use crate::{Error, InputError, Result};

/// Reads graded judgements.
///
/// # Errors
/// If the file cannot be read or is empty, a line has another number of cells, a grade is not a whole number, or a
/// document is judged twice for a query.
pub fn read_qrels(path: impl AsRef<Path>) -> Result<Judgements> {
    let path = path.as_ref();
    let form = Form { names: &[&["qid"], &["docid"], &["rel", "grade", "code"]], bare: &[0, 2, 3], cells: 4 };
    let mut queries: InOrder<HashMap<String, i32>> = InOrder::default();
    form.read(path, |line, [query, document, grade]| {
        let grade: i32 = grade.text.parse().map_err(|_| wrong(path, line, grade, "a grade: a whole number"))?;
        match queries.of(query.text).insert(document.text.to_owned(), grade) {
            None => Ok(()),
            Some(_) => Err(wrong(path, line, document, &format!("each document once for query {}", query.text))),
        }
    })?;
    Ok(Judgements { queries: queries.entries })
}

/// Reads the one run of a file.
///
/// # Errors
/// As [`read_runs`]; and if the file holds several runs.
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
    let path = path.as_ref();
    let form = Form {
        names: &[&["qid"], &["docid"], &["rank"], &["score"], &["run", "tag"]],
        bare: &[0, 2, 3, 4, 5],
        cells: 6,
    };
    let mut runs: InOrder<RunBuilder> = InOrder::default();
    form.read(path, |line, [query, document, rank, score, tag]| {
        let rank = rank.text.parse().map_err(|_| wrong(path, line, rank, "a rank: a whole number"))?;
        let score = score.text.parse().map_err(|_| wrong(path, line, score, "a score: a number"))?;
        let RunBuilder { run, index, latest } = runs.of(tag.text);
        // Rows of a query mostly stand together.
        if run.queries.get(*latest).is_none_or(|(name, _)| name != query.text) {
            *latest = *index.entry(query.text.to_owned()).or_insert_with(|| {
                run.queries.push((query.text.to_owned(), Vec::new()));
                run.queries.len() - 1
            });
        }
        if run.push(*latest, document.text, rank, score, line) {
            return Ok(());
        }
        Err(wrong(path, line, document, "at most 4 GiB of document ids in a run"))
    })?;
    let named = |(name, mut built): (String, RunBuilder)| {
        built.run.name = name;
        built.run
    };
    Ok(runs.entries.into_iter().map(named).collect())
}

/// Whether a word can stand in a run, whose cells are divided by blanks: it is not empty and has no blank in it.
pub fn fits_run(word: &str) -> bool {
    !word.is_empty() && !word.contains(char::is_whitespace)
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
struct Cell<'a> {
    text: &'a str,
    number: usize,
}

fn wrong(path: &Path, line: u64, cell: Cell<'_>, expected: &str) -> Error {
    InputError::new(path, expected).line(line).column(cell.number).found(cell.text).into()
}

/// Which cells of a line are wanted: by name where there is a header, by position where there is none.
struct Form<const N: usize> {
    names: &'static [&'static [&'static str]; N],
    bare: &'static [usize; N],
    cells: usize,
}

impl<const N: usize> Form<N> {
    fn read(&self, path: &Path, mut row: impl FnMut(u64, [Cell<'_>; N]) -> Result<()>) -> Result<()> {
        let mut lines = Lines::open(path)?;
        let Some(first) = lines.next_content()?.map(str::to_owned) else {
            return Err(empty(path, "write a line for every document of a query"));
        };
        let header: Vec<&str> = first.split('\t').map(str::trim).collect();
        if !header.contains(&"qid") {
            self.row(path, lines.line(), first.split_ascii_whitespace(), self.cells, self.bare, &mut row)?;
            while let Some((number, line)) = lines.next_numbered()? {
                let cells = line.split_ascii_whitespace();
                self.row(path, number, cells, self.cells, self.bare, &mut row)?;
            }
            return Ok(());
        }
        let mut columns = [0; N];
        for (column, names) in columns.iter_mut().zip(self.names) {
            *column = header.iter().position(|name| names.contains(name)).ok_or_else(|| {
                Error::from(
                    InputError::new(path, format!("a column {}", names.join(" or "))).line(1).found(header.join(",")),
                )
            })?;
        }
        while let Some((number, line)) = lines.next_numbered()? {
            self.row(path, number, line.split('\t'), header.len(), &columns, &mut row)?;
        }
        Ok(())
    }

    fn row<'a>(
        &self,
        path: &Path,
        line: u64,
        cells: impl Iterator<Item = &'a str>,
        count: usize,
        wanted: &[usize; N],
        row: &mut impl FnMut(u64, [Cell<'_>; N]) -> Result<()>,
    ) -> Result<()> {
        let mut out = [Cell::default(); N];
        let mut found = 0;
        for (at, text) in cells.enumerate() {
            found += 1;
            if let Some(slot) = wanted.iter().position(|&position| position == at) {
                out[slot] = Cell { text: text.trim(), number: at + 1 };
            }
        }
        if found != count {
            return Err(InputError::new(path, format!("{count} cells"))
                .line(line)
                .found(format!("{found} cells"))
                .into());
        }
        row(line, out)
    }
}
