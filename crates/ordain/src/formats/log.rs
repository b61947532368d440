//! Appending to an answer log so that an acknowledged answer survives a crash.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::answers::{Kind, Layout, item_like_a_word, verdict_word};
use super::source::{Lines, Wrapping, sniff};
use super::table::{LastLine, Rows, delimiter, empty, torn};
use crate::data::{Answer, Entry, ItemId, Items, Lookup, Outcome};
use crate::{Error, InputError, Result};

/// The columns of a new log.
const HEADER: &str = "first,second,outcome,judge,time";

/// Appends to an answer log. Each entry is one line, written in one piece under an exclusive lock of the file, and on the
/// disk when [`AnswerWriter::append`] returns; if that fails, the file is cut back to what it was.
///
/// A file that exists keeps its columns; those that are not known here stay empty. The file is opened anew for every
/// entry, so that a log which was moved away or removed meanwhile is an error and not an answer written to nowhere.
#[derive(Debug)]
pub struct AnswerWriter {
    path: PathBuf,
    layout: Layout,
    width: usize,
    delimiter: u8,
}

impl AnswerWriter {
    /// Opens a log for appending; makes it, with a header, if there is none or it is empty. A new log of items whose ids
    /// stand in several groups gets a column `group`.
    ///
    /// # Errors
    /// If the file cannot be opened, is compressed or not a table of answers that can be appended to, or its last line
    /// is torn.
    pub fn open(path: impl AsRef<Path>, items: &Items) -> Result<Self> {
        let path = path.as_ref();
        let exists = path.try_exists().map_err(|source| failed("open", path, source))?;
        if exists && sniff(path)? != Wrapping::Plain {
            return Err(InputError::new(path, "a plain text file to append to")
                .found("a packed file")
                .hint("decompress it first, and name the plain file under [answers]")
                .into());
        }
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(|source| failed("append to", path, source))?;
        locked(&mut file, path, |file| {
            if length(file, path)? == 0 {
                write_line(file, path, header(path, items).as_bytes())?;
                sync_folder(path);
            }
            check_last_line(file, path)
        })?;
        let rows = Rows::open(path, LastLine::Ended)?;
        let layout = Layout::of(&rows)?;
        if let Some(id) = item_like_a_word(layout.kind, items) {
            return Err(InputError::new(path, format!("a log with the columns {HEADER}"))
                .found(rows.columns().join(","))
                .hint(format!("the item \"{id}\" could be mistaken for a verdict in these columns"))
                .into());
        }
        match rows.delimiter() {
            Some(delimiter) if layout.kind != Kind::Labelled => {
                Ok(Self { path: path.to_path_buf(), width: rows.columns().len(), delimiter, layout })
            }
            _ => Err(InputError::new(path, format!("a CSV or TSV file with the columns {HEADER}"))
                .found(rows.columns().join(","))
                .hint("answers in this form can be read but not appended to: convert the file")
                .into()),
        }
    }

    /// The log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one entry; it is on the disk when this returns.
    ///
    /// # Errors
    /// If the columns of the log cannot hold the entry, or writing fails. Then the file is as it was.
    pub fn append(&mut self, entry: &Entry, items: &Items) -> Result<()> {
        let line = self.line(entry, items)?;
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .append(true)
            .open(&self.path)
            .map_err(|source| failed("append to", &self.path, source))?;
        locked(&mut file, &self.path, |file| {
            if length(file, &self.path)? == 0 {
                // Somebody emptied the log; without its header the answer would be taken for one.
                return Err(empty(&self.path));
            }
            check_last_line(file, &self.path)?;
            write_line(file, &self.path, &line)
        })
    }

    /// The entry as a line of this log, line feed included.
    fn line(&self, entry: &Entry, items: &Items) -> Result<Vec<u8>> {
        let mut cells = vec![""; self.width];
        let (judge, time) = match entry {
            Entry::Answer(answer) => {
                self.place(answer, items, &mut cells)?;
                (&answer.judge, &answer.time)
            }
            Entry::Undo { judge, time } => {
                match (self.layout.kind, self.layout.verdict) {
                    (Kind::Log, Some(column)) => cells[column] = "undo",
                    _ => return Err(self.cannot_hold("undo")),
                }
                (judge, time)
            }
        };
        if let Some(judge) = judge.as_deref().filter(|judge| !judge.is_empty()) {
            match self.layout.judge {
                Some(column) => cells[column] = judge,
                // Without its judge, the answer would be taken back by somebody else's undo.
                None => {
                    return Err(InputError::new(&self.path, "a column judge to hold it")
                        .found(judge)
                        .hint("add a column judge to the log, or answer without naming a judge")
                        .into());
                }
            }
        }
        if let (Some(column), Some(time)) = (self.layout.time, time) {
            cells[column] = time;
        }
        self.render(&cells)
    }

    fn place<'a>(&self, answer: &Answer, items: &'a Items, cells: &mut [&'a str]) -> Result<()> {
        let [first, second] = self.layout.items;
        let outcome = answer.outcome;
        match (self.layout.kind, answer.second, self.layout.verdict) {
            (Kind::WinnerLoser, Some(other), _) if outcome == Outcome::First => {
                (cells[first], cells[second]) = (items.id(answer.first), items.id(other));
            }
            (Kind::WinnerLoser, Some(other), _) if outcome == Outcome::Second => {
                (cells[first], cells[second]) = (items.id(other), items.id(answer.first));
            }
            (kind, other, Some(verdict)) => {
                let word = verdict_word(kind, outcome).ok_or_else(|| self.cannot_hold(outcome.word()))?;
                cells[first] = items.id(answer.first);
                cells[second] = other.map_or("", |other| items.id(other));
                cells[verdict] = word;
            }
            _ => return Err(self.cannot_hold(outcome.word())),
        }
        self.place_group(answer.first, items, cells)?;
        match answer.second {
            Some(second) => self.place_group(second, items, cells),
            None => Ok(()),
        }
    }

    /// Names the group if the log has a column for it; refuses an id that could not be told apart when read again.
    fn place_group<'a>(&self, item: ItemId, items: &'a Items, cells: &mut [&'a str]) -> Result<()> {
        if let Some(column) = self.layout.group {
            cells[column] = items.group_name(item).unwrap_or_default();
            return Ok(());
        }
        match items.find(items.id(item), None) {
            Lookup::Ambiguous(_) => Err(InputError::new(&self.path, "a column group in the log")
                .found(items.id(item))
                .hint("several groups have this item: start a new log, or add the column")
                .into()),
            _ => Ok(()),
        }
    }

    fn cannot_hold(&self, word: &str) -> Error {
        let expected = match self.layout.kind {
            Kind::WinnerLoser => "an answer with a winner, as the columns winner,loser hold nothing else",
            _ => "an answer that the columns of the log can hold",
        };
        InputError::new(&self.path, expected)
            .found(word)
            .hint(format!("start a new log with the columns {HEADER}"))
            .into()
    }

    fn render(&self, cells: &[&str]) -> Result<Vec<u8>> {
        let tabs = self.delimiter == b'\t';
        let breaks = |cell: &&&str| cell.contains(['\n', '\r']) || (tabs && cell.contains('\t'));
        if let Some(cell) = cells.iter().find(breaks) {
            let what = if tabs { "text without line breaks and tabs" } else { "text without line breaks" };
            return Err(InputError::new(&self.path, what).found(cell).into());
        }
        if tabs {
            return Ok((cells.join("\t") + "\n").into_bytes());
        }
        let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
        let broken = |source: io::Error| failed("append to", &self.path, source);
        writer.write_record(cells).map_err(|error| broken(io::Error::other(error)))?;
        writer.into_inner().map_err(|error| broken(error.into_error()))
    }
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> Error {
    Error::Io { action, path: path.to_path_buf(), source }
}

/// The first line of a new log.
fn header(path: &Path, items: &Items) -> String {
    let group = if ids_repeat(items) { ",group" } else { "" };
    let separator = (delimiter(path, HEADER) as char).to_string();
    format!("{HEADER}{group}\n").replace(',', &separator)
}

/// Whether some id stands in more than one group.
fn ids_repeat(items: &Items) -> bool {
    items.groups().is_some() && items.ids().iter().any(|id| matches!(items.find(id, None), Lookup::Ambiguous(_)))
}

/// Does something while no other process that asks for the lock writes to the file. File systems without locks go
/// without: one writer is the common case, and a refusal would lock people out of their own log.
fn locked<T>(file: &mut File, path: &Path, work: impl FnOnce(&mut File) -> Result<T>) -> Result<T> {
    match file.lock() {
        Err(error) if error.kind() != ErrorKind::Unsupported => return Err(failed("lock", path, error)),
        _ => {}
    }
    let result = work(file);
    // Closing the file gives the lock back too, so a failure here changes nothing.
    let _ = file.unlock();
    result
}

fn length(file: &File, path: &Path) -> Result<u64> {
    Ok(file.metadata().map_err(|source| failed("read", path, source))?.len())
}

fn check_last_line(file: &mut File, path: &Path) -> Result<()> {
    let io = |source| failed("read", path, source);
    let mut last = [b'\n'];
    if length(file, path)? > 0 {
        file.seek(SeekFrom::End(-1)).map_err(io)?;
        file.read_exact(&mut last).map_err(io)?;
    }
    if last == *b"\n" {
        return Ok(());
    }
    let mut lines = Lines::open(path)?;
    while lines.next_line()?.is_some() {}
    Err(torn(path, lines.line()))
}

/// Appends one whole line and brings it to the disk, or leaves the file as it was.
fn write_line(file: &mut File, path: &Path, line: &[u8]) -> Result<()> {
    let before = length(file, path)?;
    match file.write_all(line).and_then(|()| file.sync_data()) {
        Ok(()) => Ok(()),
        Err(source) => {
            // Best effort: if the disk refuses this as well, the torn line is detected when the log is read.
            let _ = file.set_len(before).and_then(|()| file.sync_data());
            Err(failed("append to", path, source))
        }
    }
}

/// Makes a new file's name survive a crash where the system can do that.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Windows cannot open folders; there the name is durable with the file.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
