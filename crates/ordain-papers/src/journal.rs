//! Tables that grow row by row and survive an interruption.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use ordain::{Error, InputError, Result};
use rayon::prelude::*;

/// The numbers of a row; none where a cell is empty.
pub type Row = Vec<Option<f64>>;

/// Rows that are computed together and then written and synced. An interruption can lose this many.
const BATCH: usize = 32;

/// The layout of a table: its columns, and the cells of every row that are known before it is computed.
pub struct Layout {
    /// All columns.
    pub columns: Vec<String>,
    /// The first cells of every row, in order, joined by commas.
    pub keys: Vec<String>,
}

/// A CSV file whose rows are appended in the order of their keys, so that it is always the beginning of the finished
/// file. Nobody else can write to it while it is open.
pub struct Journal {
    path: PathBuf,
    file: File,
    layout: Layout,
    rows: Vec<Row>,
    batch: usize,
}

impl Journal {
    /// Opens or creates a file. Removes a last line without a line feed, which an interruption left.
    ///
    /// # Errors
    /// If the file cannot be read and written, another process writes it, or it holds something else.
    pub fn open(path: &Path, layout: Layout) -> Result<Self> {
        let failed = |action| move |source| Error::Io { action, path: path.to_path_buf(), source };
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options.map_err(failed("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let error = InputError::new(path, "a file that nobody else writes").found("another run at work on it");
                return Err(error.hint("wait for it, or choose another folder with --out").into());
            }
            // File systems without locks go without: one writer is the common case.
            Err(TryLockError::Error(source)) if source.kind() == std::io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(source)) => return Err(failed("lock")(source)),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed("read"))?;
        let header = layout.header();
        // An interruption may have torn even the header.
        let (rows, whole) = if header.starts_with(&text) { (Vec::new(), 0) } else { layout.parse(path, &text)? };
        let mut journal = Self { path: path.to_path_buf(), file, layout, rows, batch: BATCH };
        if whole == 0 {
            journal.write(0, &header)?;
        } else if whole < text.len() {
            journal.write(whole as u64, "")?;
        }
        journal.file.seek(SeekFrom::End(0)).map_err(failed("read"))?;
        Ok(journal)
    }

    /// The same, with this many rows computed together: fewer if a row takes long.
    pub fn in_batches_of(self, batch: usize) -> Self {
        Self { batch, ..self }
    }

    /// The number of rows so far.
    pub fn done(&self) -> usize {
        self.rows.len()
    }

    /// Computes the missing rows among these, in parallel. They must follow the rows so far. Reports the number of rows
    /// after every batch.
    ///
    /// # Errors
    /// If a row cannot be computed or written. Earlier batches stay.
    pub fn complete(
        &mut self,
        rows: Range<usize>,
        compute: impl Fn(usize) -> Result<Row> + Sync,
        mut told: impl FnMut(usize),
    ) -> Result<()> {
        for first in (rows.start.max(self.rows.len())..rows.end).step_by(self.batch) {
            let batch = first..(first + self.batch).min(rows.end);
            let computed: Vec<Row> = batch.clone().into_par_iter().map(&compute).collect::<Result<_>>()?;
            let lines: String = batch.zip(&computed).map(|(at, row)| self.layout.line(at, row)).collect();
            let end = self.file.stream_position().map_err(|source| self.failed("append to", source))?;
            self.write(end, &lines)?;
            self.rows.extend(computed);
            told(self.rows.len());
        }
        Ok(())
    }

    /// All rows so far.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Writes text at a place, syncs it, and ends the file there.
    fn write(&mut self, at: u64, text: &str) -> Result<()> {
        let write = |file: &mut File| {
            file.set_len(at)?;
            file.seek(SeekFrom::Start(at))?;
            file.write_all(text.as_bytes())?;
            file.sync_data()
        };
        write(&mut self.file).map_err(|source| self.failed("append to", source))
    }

    fn failed(&self, action: &'static str, source: std::io::Error) -> Error {
        Error::Io { action, path: self.path.clone(), source }
    }
}

impl Layout {
    /// The rows of a finished file; none if there is no file or rows are missing.
    ///
    /// # Errors
    /// If the file cannot be read or holds something else.
    pub fn read_finished(&self, path: &Path) -> Result<Option<Vec<Row>>> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::Io { action: "read", path: path.to_path_buf(), source }),
        };
        if self.header().starts_with(&text) {
            return Ok(None);
        }
        let (rows, _) = self.parse(path, &text)?;
        Ok((rows.len() == self.keys.len()).then_some(rows))
    }

    fn header(&self) -> String {
        format!("{}\n", self.columns.join(","))
    }

    fn line(&self, at: usize, row: &Row) -> String {
        let mut line = self.keys[at].clone();
        for cell in row {
            line.push(',');
            // The shortest digits that read back as the same bits.
            line.extend(cell.map(|number| number.to_string()));
        }
        line.push('\n');
        line
    }

    /// The rows of the whole lines, and the end of these lines.
    fn parse(&self, path: &Path, text: &str) -> Result<(Vec<Row>, usize)> {
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].lines();
        let hint = "move it away, or choose another folder with --out";
        let wrong = |line: usize, found: &str, expected: &str| {
            Error::from(InputError::new(path, expected).line(line as u64 + 1).found(found).hint(hint))
        };
        let header = lines.next().unwrap_or(text);
        if header != self.columns.join(",") {
            return Err(wrong(0, header, &format!("the columns {}", self.columns.join(","))));
        }
        let mut rows = Vec::new();
        for (at, line) in lines.enumerate() {
            let Some(key) = self.keys.get(at) else { return Err(wrong(at + 1, line, "the end of the file")) };
            let cells = line.strip_prefix(key.as_str()).and_then(|rest| rest.strip_prefix(','));
            let number = |cell: &str| match cell {
                "" => Some(None),
                cell => cell.parse().ok().map(Some),
            };
            let row: Option<Row> = cells.and_then(|cells| cells.split(',').map(number).collect());
            let width = self.columns.len() - (1 + key.matches(',').count());
            let row = row.filter(|row| row.len() == width);
            rows.push(row.ok_or_else(|| wrong(at + 1, line, &format!("{key} and {width} numbers")))?);
        }
        Ok((rows, whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        let keys = (0..100).map(|at| format!("{},x", at / 10)).collect();
        Layout { columns: ["group", "name", "half", "none"].map(str::to_owned).to_vec(), keys }
    }

    fn compute(at: usize) -> Result<Row> {
        Ok(vec![Some(at as f64 / 3.0), at.is_multiple_of(2).then_some(1e-300)])
    }

    fn finish(path: &Path) -> (usize, String) {
        let mut journal = Journal::open(path, layout()).unwrap();
        let found = journal.done();
        let mut told = Vec::new();
        journal.complete(0..50, compute, |done| told.push(done)).unwrap();
        journal.complete(50..100, compute, |done| told.push(done)).unwrap();
        assert!(told.is_sorted() && told.last().is_none_or(|&last| last == 100));
        assert_eq!(journal.rows().len(), 100);
        (found, std::fs::read_to_string(path).unwrap())
    }

    /// Whatever byte an interruption stopped at, the finished file is the same and whole rows are kept.
    #[test]
    fn torn_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cells.csv");
        let (found, whole) = finish(&path);
        assert_eq!(found, 0);
        for (at, row) in layout().read_finished(&path).unwrap().unwrap().into_iter().enumerate() {
            assert_eq!(row, compute(at).unwrap());
        }
        for end in (0..whole.len()).step_by(149).chain([1, 20, 21, 22, whole.len() - 1]) {
            std::fs::write(&path, &whole[..end]).unwrap();
            assert!(layout().read_finished(&path).unwrap().is_none());
            let (found, again) = finish(&path);
            assert_eq!(found, whole[..end].matches('\n').count().saturating_sub(1));
            assert!(again == whole, "torn at {end}");
        }
    }

    #[test]
    fn anything_else_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cells.csv");
        let (_, whole) = finish(&path);
        let cases = [
            ("a,b\n1,2\n".to_owned(), "line 1"),
            ("group,name,half,none\n9,x,1,\n".to_owned(), "line 2"),
            ("group,name,half,none\n0,x,1\n".to_owned(), "line 2"),
            ("group,name,half,none\n0,x,one,\n".to_owned(), "line 2"),
            (format!("{whole}9,x,1,\n"), "line 102"),
            ("something else".to_owned(), "line 1"),
        ];
        for (text, place) in cases {
            std::fs::write(&path, &text).unwrap();
            let Err(error) = Journal::open(&path, layout()) else { panic!("took {text}") };
            assert!(error.to_string().contains(place), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cells.csv");
        let open = Journal::open(&path, layout()).unwrap();
        let Err(error) = Journal::open(&path, layout()) else { panic!("two writers") };
        assert!(error.to_string().contains("another run"), "{error}");
        drop(open);
        Journal::open(&path, layout()).unwrap();
    }
}
