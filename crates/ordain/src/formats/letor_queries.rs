//! LETOR's rank aggregation files, query by query, so that no file is held in memory.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::letor::{LetorRanks, Line, Sparse, check_documents, rank, without_lines};
use super::run_queries::apart;
use super::source::Lines;
use crate::{InputError, Result};

/// The queries of LETOR rank aggregation files, file by file. The lines of a query must stand together, and all files
/// must name the rankers of the first line.
pub struct LetorQueries {
    /// The files to come, the next one last.
    files: Vec<PathBuf>,
    lines: Option<Lines>,
    /// The first line of the next query: its number and content.
    begun: Option<(u64, Sparse<Option<f64>>)>,
    seen: HashSet<String>,
    rankers: usize,
}

impl LetorQueries {
    /// Opens files of ranks.
    ///
    /// # Errors
    /// If the first file cannot be read or is empty, or its first line does not have the form.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Self> {
        let files = paths.iter().rev().map(|path| path.as_ref().to_path_buf()).collect();
        let mut out = Self { files, lines: None, begun: None, seen: HashSet::new(), rankers: usize::MAX };
        out.begun = out.next_file()?;
        out.rankers = out.begun.as_ref().map_or(0, |(_, row)| row.largest as usize);
        Ok(out)
    }

    /// The number of rankers.
    pub fn rankers(&self) -> usize {
        self.rankers
    }

    /// The next query and the ranks of its documents, or none at the end.
    ///
    /// # Errors
    /// If a file cannot be read, a line does not have the form or has no query, the lines of a query stand apart, or a
    /// document occurs twice in a query.
    #[expect(clippy::should_implement_trait, reason = "after an error there is no next one")]
    pub fn next(&mut self) -> Result<Option<(String, LetorRanks)>> {
        let Some((number, mut rows)) = self.begun.take() else { return Ok(None) };
        let Some(lines) = &self.lines else { return Ok(None) };
        let path = lines.path().to_path_buf();
        let query = rows.queries[0].clone().unwrap_or_default();
        if !self.seen.insert(query.clone()) {
            let error = InputError::new(&path, "the lines of a query together").line(number).column(2).found(&query);
            return Err(apart(error.into(), "sort -s -k2,2"));
        }
        let mut places = vec![number];
        while let Some((number, row)) = self.next_row()? {
            if row.queries[0].as_deref() != Some(&query) {
                self.begun = Some((number, row));
                break;
            }
            rows.append(row);
            places.push(number);
        }
        check_documents(&path, &rows, &places)?;
        rows.check_dense(&path, self.rankers)?;
        if self.begun.is_none() {
            self.begun = self.next_file()?;
        }
        Ok(Some((query, rows.ranked(self.rankers)?)))
    }

    /// The first line of the next file.
    fn next_file(&mut self) -> Result<Option<(u64, Sparse<Option<f64>>)>> {
        let Some(path) = self.files.pop() else { return Ok(None) };
        self.lines = Some(Lines::open(&path)?);
        self.next_row()?.map(Some).ok_or_else(|| without_lines(&path))
    }

    /// The next line of the file that is not only a comment.
    fn next_row(&mut self) -> Result<Option<(u64, Sparse<Option<f64>>)>> {
        let Some(lines) = &mut self.lines else { return Ok(None) };
        let path = lines.path().to_path_buf();
        let mut row = Sparse::default();
        loop {
            let number = lines.line() + 1;
            let Some(text) = lines.next_line()? else { return Ok(None) };
            let place = Line { path: &path, number };
            if !place.read(text, rank, &mut row)? {
                continue;
            }
            if row.queries[0].is_none() {
                let found = text.split_ascii_whitespace().nth(1).unwrap_or_default();
                return Err(place.wrong(2, found, "qid: and a query"));
            }
            if row.largest as usize > self.rankers {
                let expected = format!("rankers 1 to {}, as on the first line", self.rankers);
                return Err(InputError::new(&path, expected).line(number).found(row.largest.to_string()).into());
            }
            return Ok(Some((number, row)));
        }
    }
}
