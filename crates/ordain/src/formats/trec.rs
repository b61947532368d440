//! TREC qrels and runs, in their own form (cells divided by blanks, no header) or as TSV with a header.
//!
//! | | own form | header |
//! |---|---|---|
//! | qrels | `qid iteration docid grade` | `qid docid rel` (or `grade`, `code`) |
//! | run | `qid Q0 docid rank score tag` | `run qid docid rank score` |
//!
//! Queries keep the order of first appearance, documents the order of the file. A document may stand twice and a score
//! may be NaN: what to make of that is the measure's choice, and [`RunRow::line`] lets it name the place.

use std::collections::HashMap;
use std::path::Path;

use super::source::Lines;
use super::table::empty;
use crate::data::{Judgements, Run, RunRow};
use crate::{Error, InputError, Result};

/// Reads graded judgements.
///
/// # Errors
/// If the file cannot be read or is empty, a line has another number of cells, or a grade is not a whole number.
pub fn read_qrels(path: impl AsRef<Path>) -> Result<Judgements> {
    let path = path.as_ref();
    let form = Form { names: &[&["qid"], &["docid"], &["rel", "grade", "code"]], bare: &[0, 2, 3], cells: 4 };
    let mut queries: InOrder<Vec<(String, i32)>> = InOrder::default();
    form.read(path, |line, [query, document, grade]| {
        let grade: i32 = grade.text.parse().map_err(|_| wrong(path, line, grade, "a grade: a whole number"))?;
        queries.of(query.text).push((document.text.to_owned(), grade));
        Ok(())
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
    let mut runs: InOrder<InOrder<Vec<RunRow>>> = InOrder::default();
    form.read(path, |line, [query, document, rank, score, tag]| {
        let row = RunRow {
            document: document.text.to_owned(),
            rank: rank.text.parse().map_err(|_| wrong(path, line, rank, "a rank: a whole number"))?,
            score: score.text.parse().map_err(|_| wrong(path, line, score, "a score: a number"))?,
            line,
        };
        runs.of(tag.text).of(query.text).push(row);
        Ok(())
    })?;
    Ok(runs.entries.into_iter().map(|(name, queries)| Run { name, queries: queries.entries }).collect())
}

/// Values by name, in order of first appearance.
#[derive(Default)]
struct InOrder<T> {
    entries: Vec<(String, T)>,
    index: HashMap<String, usize>,
}

impl<T: Default> InOrder<T> {
    fn of(&mut self, name: &str) -> &mut T {
        let at = match self.index.get(name) {
            Some(&at) => at,
            None => {
                self.entries.push((name.to_owned(), T::default()));
                self.index.insert(name.to_owned(), self.entries.len() - 1);
                self.entries.len() - 1
            }
        };
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
            while let Some(line) = lines.next_content()?.map(str::to_owned) {
                let cells = line.split_ascii_whitespace();
                self.row(path, lines.line(), cells, self.cells, self.bare, &mut row)?;
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
        while let Some(line) = lines.next_content()?.map(str::to_owned) {
            self.row(path, lines.line(), line.split('\t'), header.len(), &columns, &mut row)?;
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
