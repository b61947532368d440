//! Recording answers: checked, appended, synced, and only then acknowledged.

use std::path::{Path, PathBuf};

use crate::data::{AnswerLog, Entry, GradeScale, Items, Outcome};
use crate::formats::{AnswerWriter, OTHER_SCALE, ProjectLog, read_answers, read_project_log};
use crate::{Error, InputError, Result};

/// Records answers in a project without learning from them. It reads the items' ids, the log and the file of grades, neither attributes
/// nor links, so it is quick however large the project is.
///
/// ```
/// use ordain::Recorder;
/// use ordain::data::{Answer, Entry, Outcome};
/// use ordain::formats::named_pair;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path();
/// # std::fs::write(folder.join("lamps.csv"), "id,watts\nred,40\nblue,60\ngreen,25\n").unwrap();
/// # std::fs::write(folder.join("ordain.toml"), "[items]\nfile = \"lamps.csv\"\n[[kernel]]\nkind = \"linear\"\n").unwrap();
/// let mut recorder = Recorder::open(folder)?;
/// let (red, blue) = named_pair(recorder.items(), "a request", ["red", "blue"], None)?;
/// recorder.record(Entry::Answer(Answer::new(red, Some(blue), Outcome::Second)?))?;
/// assert_eq!(recorder.answers().standing().len(), 1);
/// # Ok::<(), ordain::Error>(())
/// ```
pub struct Recorder {
    items: Items,
    answers: AnswerLog,
    /// The grades that there are.
    scale: GradeScale,
    log: Log,
}

impl Recorder {
    /// Opens a project to record answers in: a folder with an `ordain.toml`, or such a file.
    ///
    /// # Errors
    /// If a file that is needed cannot be read or does not say what it should; the error names the place.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let ProjectLog { path, items, answers, file, tie_width, scale } = read_project_log(path)?;
        Ok(Self { items, answers, scale, log: Log::new(path, file, tie_width) })
    }

    /// The items, without their attributes.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// What was answered.
    pub fn answers(&self) -> &AnswerLog {
        &self.answers
    }

    /// The answer log.
    pub fn file(&self) -> &Path {
        &self.log.file
    }

    /// Refuses a grade that is not on the scale.
    fn check_grade(&self, outcome: Outcome) -> Result<()> {
        let Outcome::Grade(grade) = outcome else { return Ok(()) };
        if self.scale.position(grade).is_some() {
            return Ok(());
        }
        let error = InputError::new(&self.log.project, format!("a grade from {}", self.scale)).found(grade.to_string());
        Err(error.hint(OTHER_SCALE).into())
    }

    /// Records an entry; it is on the disk when this returns.
    ///
    /// # Errors
    /// If nothing can be learned from it, the log cannot hold it, it is an undo with nothing to take back, or writing fails. The
    /// log is then as it was.
    pub fn record(&mut self, entry: Entry) -> Result<()> {
        let entry = entry.tidy();
        if let Entry::Answer(answer) = &entry {
            answer.check(self.items.len(), self.items.groups())?;
            self.check_grade(answer.outcome)?;
        }
        let mut after = self.answers.clone();
        // An undo with nothing to take back is refused by the log, in whose words the error is.
        let _ = after.push(entry.clone());
        if self.log.tie_width == 0.0 && after.standing().iter().any(|answer| answer.outcome == Outcome::Tie) {
            return Err(tie_without_width(&self.log.project));
        }
        self.log.append(&entry, &self.items)?;
        self.answers = match entry {
            Entry::Answer(_) => after,
            // Another process may have answered meanwhile under the same name: the log says which answer was taken back. The undo is
            // recorded, so a log that cannot be read now is no error here.
            Entry::Undo { .. } => read_answers(&self.log.file, &self.items).unwrap_or(after),
        };
        Ok(())
    }
}

/// The log of a project, to append to.
pub(super) struct Log {
    project: PathBuf,
    file: PathBuf,
    tie_width: f64,
    /// Opened when it is first needed.
    writer: Option<AnswerWriter>,
}

impl Log {
    pub(super) fn new(project: PathBuf, file: PathBuf, tie_width: f64) -> Self {
        Self { project, file, tie_width, writer: None }
    }

    /// Puts an entry on the disk, unless nothing could be learned from it.
    pub(super) fn append(&mut self, entry: &Entry, items: &Items) -> Result<()> {
        let tie = matches!(entry, Entry::Answer(answer) if answer.outcome == Outcome::Tie);
        if tie && self.tie_width == 0.0 {
            return Err(tie_without_width(&self.project));
        }
        self.writer(items)?.append(entry, items)
    }

    /// The writer, which finds a log that it cannot append to when it is made.
    pub(super) fn writer(&mut self, items: &Items) -> Result<&mut AnswerWriter> {
        Ok(match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(AnswerWriter::open(&self.file, items)?),
        })
    }
}

/// Ties need a width before anything can be learned from them.
pub(super) fn tie_without_width(project: &Path) -> Error {
    let error = InputError::new(project, "a number above 0, since an answer is a tie");
    let hint = "write for example tie_width = 0.2 under [answers]: how close the utilities of a tie are";
    error.column("tie_width").found("0").hint(hint).into()
}
