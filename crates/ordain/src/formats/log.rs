//! Appends to an answer log, so that an acknowledged answer survives a crash.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::answers::{Kind, Layout, UNDO, answers_in, is_begun, item_like_a_word, verdict};
use super::lock::{failed, open_locked};
use super::screens;
use super::source::{Limits, Lines, Wrapping, sniff};
use super::table::{LastLine, Rows, delimiter, empty, torn};
use super::whole::sync_folder;
use crate::data::{Answer, AnswerLog, Entry, ItemId, Items, Lookup, Outcome};
use crate::{Error, InputError, Result};

/// The columns of a new log.
const HEADER: &str = "first,second,outcome,judge,time";

/// Appends to an answer log. Each entry is one line, written in one piece under an exclusive lock of the file. It is on
/// the disk when [`AnswerWriter::append`] returns. If that fails, the file is cut back to its former length.
///
/// An existing file keeps its columns; unknown columns stay empty. The first entry creates a log that does not exist or
/// is empty. The file is opened and its columns are read anew for every entry. So an entry goes to the log that has the
/// name when it is written, and in its columns. A log that was moved, removed or emptied meanwhile is an error, and no
/// answer is lost.
#[derive(Debug)]
pub struct AnswerWriter {
    path: PathBuf,
    /// Whether the log had a header when it was last seen.
    begun: bool,
}

impl AnswerWriter {
    /// Prepares to append to a log. Writes nothing yet.
    ///
    /// # Errors
    /// If the file cannot be opened, is compressed, is not a table of answers that can be appended to, or its last line
    /// is torn.
    pub fn open(path: impl AsRef<Path>, items: &Items) -> Result<Self> {
        let path = path.as_ref();
        let begun = is_begun(path);
        check_form(path)?;
        if begun {
            let file = &mut open_locked(path, &appending(false))?;
            check_last_line(file, path)?;
            Columns::of(&rows(file, path)?, items)?;
        }
        Ok(Self { path: path.to_path_buf(), begun })
    }

    /// The log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one entry. It is on the disk when this returns. The first entry of a new log is written together with
    /// the header, which has a column `group` if ids repeat between groups.
    ///
    /// # Errors
    /// If the columns of the log cannot hold the entry, it is an undo with nothing to take back, or writing fails. The
    /// file is then unchanged.
    pub fn append(&mut self, entry: &Entry, items: &Items) -> Result<()> {
        self.put(entry, None, items)
    }

    /// Checks that the columns of the log can hold an entry.
    ///
    /// # Errors
    /// If they cannot, or the log cannot be read.
    pub fn check(&self, entry: &Entry, items: &Items) -> Result<()> {
        if !self.begun {
            return first_lines(&self.path, entry, items).map(|_| ());
        }
        let file = &mut open_locked(&self.path, &appending(false))?;
        Columns::of(&rows(file, &self.path)?, items)?.line(&self.path, entry, items).map(|_| ())
    }

    /// Appends an undo of a judge that takes back this answer, and no other: what the log says under the lock decides.
    ///
    /// # Errors
    /// As [`AnswerWriter::append`], or if the judge's latest standing answer is another one, as when somebody else answered
    /// meanwhile under the same name.
    pub fn undo(&mut self, answer: &Answer, time: Option<String>, items: &Items) -> Result<()> {
        self.put(&Entry::Undo { judge: answer.judge.clone(), time }, Some(answer), items)
    }

    fn put(&mut self, entry: &Entry, taken: Option<&Answer>, items: &Items) -> Result<()> {
        if !self.begun {
            // Somebody else may have begun the log meanwhile.
            *self = Self::open(&self.path, items)?;
        }
        let path = &self.path;
        let first = if self.begun { None } else { Some(first_lines(path, entry, items)?) };
        let file = &mut open_locked(path, &appending(first.is_some()))?;
        match first {
            // Without a header, the answer would be read as one.
            None if length(file, path)? == 0 => {
                return Err(empty(path, &format!("begin it again with the line {HEADER}, or delete it")));
            }
            Some(lines) if length(file, path)? == 0 => {
                write_lines(file, path, &lines)?;
                sync_folder(path);
            }
            _ => {
                check_last_line(file, path)?;
                let columns = Columns::of(&rows(file, path)?, items)?;
                let line = columns.line(path, entry, items)?;
                let taken = taken.map(|answer| columns.kept(answer));
                check_undo(file, path, entry, taken.as_ref(), items)?;
                write_lines(file, path, &line)?;
            }
        }
        self.begun = true;
        Ok(())
    }
}

/// How a log is opened: to append to it and to read it through the same handle, since some systems let no other handle read a
/// locked file.
fn appending(new: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(new);
    options
}

/// Refuses what cannot be appended to, in words about what it is. A log that is not begun can be.
pub(super) fn check_form(path: &Path) -> Result<()> {
    if !is_begun(path) {
        return Ok(());
    }
    let expected = |found: &str, hint: &str| {
        Err(InputError::new(path, "a plain text file to append to").found(found).hint(hint).into())
    };
    let about = path.metadata().map_err(|source| failed("append to", path, source))?;
    if !about.is_file() && !about.is_dir() {
        return expected("a pipe or a device", "name a file under [answers]");
    }
    match sniff(path)? {
        Wrapping::Plain => Ok(()),
        _ => expected("a packed file", "decompress it first, and name the plain file under [answers]"),
    }
}

/// The header of a new log with its first entry. Everything that can be refused is refused before there is a file.
fn first_lines(path: &Path, entry: &Entry, items: &Items) -> Result<Vec<u8>> {
    let header = header(path, items);
    let lines = Lines::from_reader(path, Box::new(io::Cursor::new(header.clone())), Limits::default());
    let columns = Columns::of(&Rows::from_lines(lines, LastLine::Ended)?, items)?;
    let line = columns.line(path, entry, items)?;
    match entry {
        Entry::Undo { judge, .. } => Err(nothing_to_undo(path, &AnswerLog::default(), judge.as_deref())),
        Entry::Answer(_) => Ok([header.as_bytes(), &line].concat()),
    }
}

/// The meaning of the columns of a log, and the form of its lines.
#[derive(Debug)]
struct Columns {
    layout: Layout,
    width: usize,
    delimiter: u8,
}

impl Columns {
    /// The columns of a log, if answers about these items can be appended to it.
    fn of(rows: &Rows, items: &Items) -> Result<Self> {
        let layout = Layout::of(rows)?;
        let found = rows.columns().join(",");
        if let Some(id) = item_like_a_word(layout.kind, items) {
            return Err(InputError::new(rows.path(), format!("a log with the columns {HEADER}"))
                .found(found)
                .hint(format!("the item \"{id}\" could be mistaken for a verdict in these columns"))
                .into());
        }
        match rows.delimiter() {
            Some(delimiter) if layout.kind.can_grow() => Ok(Self { layout, width: rows.columns().len(), delimiter }),
            _ => Err(InputError::new(rows.path(), format!("a CSV or TSV file with the columns {HEADER}"))
                .found(found)
                .hint("answers in this form can be read but not appended to: convert the file")
                .into()),
        }
    }

    /// The entry as a line of this log, line feed included.
    fn line(&self, path: &Path, entry: &Entry, items: &Items) -> Result<Vec<u8>> {
        let mut cells = vec![Cow::Borrowed(""); self.width];
        let (judge, time) = match entry {
            Entry::Answer(answer) => {
                self.place(path, answer, items, &mut cells)?;
                (&answer.judge, &answer.time)
            }
            Entry::Undo { judge, time } => {
                match (self.layout.kind, self.layout.verdict) {
                    (Kind::Log, Some(column)) => cells[column] = UNDO.into(),
                    _ => return Err(self.cannot_hold(path, UNDO)),
                }
                (judge, time)
            }
        };
        if let Some(judge) = judge.as_deref().filter(|judge| !judge.is_empty()) {
            match self.layout.judge {
                Some(column) => cells[column] = judge.into(),
                // Without its judge, somebody else's undo would take the answer back.
                None => {
                    return Err(InputError::new(path, "a column judge to hold it")
                        .found(judge)
                        .hint("add a column judge to the log, or answer without naming a judge")
                        .into());
                }
            }
        }
        if let (Some(column), Some(time)) = (self.layout.time, time) {
            cells[column] = time.into();
        }
        self.render(path, &cells)
    }

    /// What the columns keep of an answer.
    fn kept(&self, answer: &Answer) -> Answer {
        Answer { time: answer.time.clone().filter(|_| self.layout.time.is_some()), ..answer.clone() }
    }

    fn place<'a>(&self, path: &Path, answer: &Answer, items: &'a Items, cells: &mut [Cow<'a, str>]) -> Result<()> {
        let [first, second] = self.layout.items;
        let outcome = answer.outcome;
        match (self.layout.kind, answer.second, self.layout.verdict) {
            (Kind::WinnerLoser, Some(other), _) if outcome == Outcome::First => {
                (cells[first], cells[second]) = (items.id(answer.first).into(), items.id(other).into());
            }
            (Kind::WinnerLoser, Some(other), _) if outcome == Outcome::Second => {
                (cells[first], cells[second]) = (items.id(other).into(), items.id(answer.first).into());
            }
            (Kind::Log, Some(second_item), Some(column)) if answer.is_of_screen() => {
                cells[first] = items.id(answer.first).into();
                cells[second] = items.id(second_item).into();
                cells[column] = screens::outcome(outcome, answer.others.iter().map(|&item| items.id(item))).into();
            }
            _ if answer.is_of_screen() => return Err(self.cannot_hold(path, &outcome.to_string())),
            (kind, other, Some(column)) => {
                let text = verdict(kind, outcome).ok_or_else(|| self.cannot_hold(path, &outcome.to_string()))?;
                cells[first] = items.id(answer.first).into();
                cells[second] = other.map_or("", |other| items.id(other)).into();
                cells[column] = text.into();
            }
            _ => return Err(self.cannot_hold(path, &outcome.to_string())),
        }
        answer.items().try_for_each(|item| self.place_group(path, item, items, cells))
    }

    /// Names the group if the log has a column for it. Refuses an id that would be ambiguous when read again.
    fn place_group<'a>(&self, path: &Path, item: ItemId, items: &'a Items, cells: &mut [Cow<'a, str>]) -> Result<()> {
        if let Some(column) = self.layout.group {
            cells[column] = items.group_name(item).unwrap_or_default().into();
            return Ok(());
        }
        match items.find(items.id(item), None) {
            Lookup::Ambiguous(_) => Err(InputError::new(path, "a column group in the log")
                .found(items.id(item))
                .hint("several groups have this item: start a new log, or add the column")
                .into()),
            _ => Ok(()),
        }
    }

    fn cannot_hold(&self, path: &Path, word: &str) -> Error {
        let expected = match self.layout.kind {
            Kind::WinnerLoser => "an answer with a winner and no more; the columns winner,loser hold nothing else",
            _ => "an answer that the columns of the log can hold",
        };
        InputError::new(path, expected).found(word).hint(format!("start a new log with the columns {HEADER}")).into()
    }

    fn render(&self, path: &Path, cells: &[Cow<'_, str>]) -> Result<Vec<u8>> {
        let tabs = self.delimiter == b'\t';
        let breaks = |cell: &&Cow<'_, str>| cell.contains(['\n', '\r']) || (tabs && cell.contains('\t'));
        if let Some(cell) = cells.iter().find(breaks) {
            let what = if tabs { "text without line breaks and tabs" } else { "text without line breaks" };
            return Err(InputError::new(path, what).found(cell.as_ref()).into());
        }
        if tabs {
            return Ok((cells.join("\t") + "\n").into_bytes());
        }
        let mut writer = csv::WriterBuilder::new().delimiter(self.delimiter).from_writer(Vec::new());
        let broken = |source: io::Error| failed("append to", path, source);
        writer
            .write_record(cells.iter().map(|cell| cell.as_bytes()))
            .map_err(|error| broken(io::Error::other(error)))?;
        writer.into_inner().map_err(|error| broken(error.into_error()))
    }
}

/// The first line of a new log.
fn header(path: &Path, items: &Items) -> String {
    let group = if ids_repeat(items) { ",group" } else { "" };
    let separator = (delimiter(path, HEADER) as char).to_string();
    format!("{HEADER}{group}\n").replace(',', &separator)
}

/// Whether an id occurs in more than one group.
fn ids_repeat(items: &Items) -> bool {
    items.groups().is_some() && items.ids().iter().any(|id| matches!(items.find(id, None), Lookup::Ambiguous(_)))
}

/// The lines of a locked log from its beginning, through the same handle: some systems let no other handle read.
fn lines(file: &File, path: &Path) -> Result<Lines> {
    let mut own = file.try_clone().map_err(|source| failed("read", path, source))?;
    own.rewind().map_err(|source| failed("read", path, source))?;
    Ok(Lines::from_reader(path, Box::new(own), Limits::default()))
}

fn rows(file: &File, path: &Path) -> Result<Rows> {
    Rows::from_lines(lines(file, path)?, LastLine::Ended)
}

/// Refuses an undo that has nothing to take back, because nobody could read the log after it. Only the log under the
/// lock counts: somebody else may have taken the same answer back a moment ago.
fn check_undo(file: &File, path: &Path, entry: &Entry, taken: Option<&Answer>, items: &Items) -> Result<()> {
    let Entry::Undo { judge, .. } = entry else { return Ok(()) };
    // An empty cell is no judge.
    let judge = judge.as_deref().filter(|judge| !judge.is_empty());
    let log = answers_in(rows(file, path)?, items)?;
    let latest = log.latest(judge).ok_or_else(|| nothing_to_undo(path, &log, judge))?;
    match taken {
        Some(taken) if taken != latest => {
            let words = |answer: &Answer| answer.sentence(|item| items.label(item).into_owned());
            Err(InputError::new(path, format!("{} as the latest answer of its judge", words(taken)))
                .found(words(latest))
                .hint("somebody else answered meanwhile under the same name: open the project again")
                .into())
        }
        _ => Ok(()),
    }
}

fn nothing_to_undo(path: &Path, log: &AnswerLog, judge: Option<&str>) -> Error {
    let whose = judge.map_or_else(|| "without a judge".into(), |judge| format!("of the judge \"{judge}\""));
    let hint = match log.standing().last() {
        None => "there are no answers to take back".into(),
        Some(Answer { judge: None, .. }) => "the latest standing answer has no judge: undo without naming one".into(),
        Some(Answer { judge: Some(other), .. }) => format!("the latest standing answer is of the judge \"{other}\""),
    };
    InputError::new(path, format!("a standing answer {whose}")).found("undo").hint(hint).into()
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
    let mut lines = lines(file, path)?;
    while lines.next_line()?.is_some() {}
    Err(torn(path, lines.line()))
}

/// Appends whole lines in one piece and brings them to the disk, or leaves the file unchanged.
fn write_lines(file: &mut File, path: &Path, lines: &[u8]) -> Result<()> {
    let before = length(file, path)?;
    file.write_all(lines).and_then(|()| file.sync_data()).map_err(|source| {
        let source = match file.set_len(before) {
            Ok(()) => {
                // The lines are gone for every reader. Only a crash could bring them back, and the disk is refusing writes.
                let _ = file.sync_data();
                source
            }
            Err(second) => io::Error::new(source.kind(), format!(
                "{source}; the line could not be taken out again either ({second}), so it may stand in the log although it is not \
                 acknowledged: look at the end of the log before you answer again"
            )),
        };
        failed("append to", path, source)
    })
}
