//! Recording answers: checked, appended, synced, and only then acknowledged.

use std::path::{Path, PathBuf};

use crate::data::{Answer, AnswerLog, Attributes, Entry, Gold, GradeScale, Groups, ItemId, Items, Outcome};
use crate::error::listed;
use crate::formats::{
    AnswerWriter, ItemsSource, OTHER_SCALE, ProjectLog, Table, is_begun, read_answers, read_project_log,
};
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
    /// The items' table; none if the answers name the items.
    source: Option<ItemsSource>,
    /// The rows of admitted items, which are added to the table with the next answer.
    admitted: Option<Table>,
    answers: AnswerLog,
    /// The grades that there are.
    scale: GradeScale,
    /// How many grades are known besides the log.
    given: usize,
    /// The pairs whose answer is known.
    gold: Gold,
    log: Log,
}

impl Recorder {
    /// Opens a project to record answers in: a folder with an `ordain.toml`, or such a file.
    ///
    /// # Errors
    /// If a file that is needed cannot be read or does not say what it should; the error names the place.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::of(read_project_log(path, false)?)
    }

    /// As [`Recorder::open`], for answers about items that the project may not have: [`Recorder::admit`] takes them. A project whose
    /// answers name its items may have no answers yet.
    ///
    /// # Errors
    /// As [`Recorder::open`].
    pub fn open_for_new(path: impl AsRef<Path>) -> Result<Self> {
        Self::of(read_project_log(path, true)?)
    }

    fn of(project: ProjectLog) -> Result<Self> {
        let ProjectLog { path, items, source, answers, file, tie_width, gold, scale, given } = project;
        Ok(Self { items, source, admitted: None, answers, scale, given, gold, log: Log::new(path, file, tie_width) })
    }

    /// Rows to add, from a file that names its columns, or does not, as the project's table does.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read_rows(&self, path: impl AsRef<Path>) -> Result<Table> {
        Table::read_with(path.as_ref(), self.source.as_ref().is_none_or(|source| source.spec.header))
    }

    /// Adds items to the project's table: rows with columns of the table, in any order. Columns that the rows lack get empty cells. Every
    /// row is checked; all are on the disk when this returns, or none. Gives the new items.
    ///
    /// # Errors
    /// If the project has no table of items, it is packed, a row does not fit it (an unknown column, an id that is there already, no
    /// number where there must be one), the answer log cannot be read with the new items, or writing fails. The table is then as it was.
    pub fn add(&mut self, rows: &Table) -> Result<Vec<ItemId>> {
        let Some(source) = &self.source else {
            return Err(InputError::new(&self.log.project, "a table of items to add to")
                .found("a project whose items are those that the answers name")
                .hint("record an answer about the new item: ordain answer FIRST SECOND first --new")
                .into());
        };
        let items = source.add(rows, |items| self.check_items(items))?;
        let new = items.len() - rows.len()..items.len();
        self.items = items;
        // Others may have added items too, and the rows that were to be added with the next answer are not there any more.
        self.admitted = None;
        Ok(new.map(ItemId::new).collect())
    }

    /// Lets the next answer be about items that the project does not have yet. Where the answers name the items, recording the answer
    /// is all. Where there is a table of items, [`Recorder::record`] first adds a row with the id, and otherwise empty cells.
    ///
    /// # Errors
    /// If there is such an item already, it needs a group and none is named, or it needs numbers that an empty cell does not give.
    /// Nothing is written here.
    pub fn admit(&mut self, ids: &[&str], group: Option<&str>) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let grouped = self.items.groups().is_some();
        let group = group.filter(|group| grouped && !group.is_empty());
        if grouped && group.is_none() {
            let error = InputError::new(&self.log.project, "the group of the new item").found(ids[0]);
            return Err(error.hint("only items of one group are compared: name it with --group").into());
        }
        let Some(source) = &self.source else {
            let groups = group.map(|group| Groups::new(ids.iter().map(|_| group)));
            let ids: Vec<String> = ids.iter().map(|&id| id.to_owned()).collect();
            let attributes = Attributes::none(ids.len());
            self.items = self.items.joined(&Items::new(ids, groups, attributes)?)?;
            return Ok(());
        };
        let needed = source.needed_numbers()?;
        if !needed.is_empty() {
            let example: String = needed.iter().take(2).map(|column| format!(" {column}=NUMBER")).collect();
            let more = if needed.len() > 2 { " ..." } else { "" };
            let error = InputError::new(&source.path, format!("numbers of the new item: {}", listed(&needed)));
            return Err(error
                .found(ids[0])
                .hint(format!(
                    "add it with them: ordain add {}=ID{example}{more}; or set missing = \"mean\" under [items], and empty cells \
                     get the mean of their column",
                    source.spec.id
                ))
                .into());
        }
        let rows = rows_of(source, ids, group)?;
        self.items = source.with_rows(&rows)?.items;
        self.admitted = Some(rows);
        Ok(())
    }

    /// Checks that the project's items begin with those that are known here, and that the answer log can be read and appended to with
    /// all of them.
    fn check_items(&self, items: &Items) -> Result<()> {
        let same = |item: ItemId| {
            item.index() < items.len()
                && items.id(item) == self.items.id(item)
                && items.group_name(item) == self.items.group_name(item)
        };
        if !self.items.iter().all(same) {
            return Err(changed(self.source.as_ref().map_or(&self.log.project, |source| &source.path)));
        }
        AnswerWriter::open(&self.log.file, items)?;
        if is_begun(&self.log.file) {
            read_answers(&self.log.file, items)?;
        }
        Ok(())
    }

    /// The items, without their attributes.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// What was answered.
    pub fn answers(&self) -> &AnswerLog {
        &self.answers
    }

    /// The number of answers to learn from: those that stand, and the grades that are known besides the log. Skips are no answers, and
    /// nothing is learned of gold pairs.
    pub fn learned(&self) -> usize {
        let is_learned = |answer: &&Answer| !answer.is_skip() && !self.gold.is_about(answer);
        self.answers.standing().into_iter().filter(is_learned).count() + self.given
    }

    /// The items' table; none if the answers name the items.
    pub fn table(&self) -> Option<&Path> {
        self.source.as_ref().map(|source| source.path.as_path())
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
        if self.log.tie_width == 0.0 && after.standing().iter().any(|answer| answer.outcome.has_tie()) {
            return Err(tie_without_width(&self.log.project));
        }
        if let (Some(rows), Some(source)) = (&self.admitted, &self.source) {
            // Whatever can be refused is refused before there is a new row.
            self.log.writer(&self.items)?.check(&entry, &self.items)?;
            let same =
                |items: &Items| if items.ids() == self.items.ids() { Ok(()) } else { Err(changed(&source.path)) };
            source.add(rows, |items| same(items).and_then(|()| self.check_items(items)))?;
            self.admitted = None;
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

/// Rows of items that have only ids, and a group where there are groups.
fn rows_of(source: &ItemsSource, ids: &[&str], group: Option<&str>) -> Result<Table> {
    let group = source.spec.group.as_ref().zip(group);
    let columns = [&source.spec.id].into_iter().chain(group.map(|(column, _)| column)).cloned().collect();
    let row = |id: &&str| [*id].into_iter().chain(group.map(|(_, name)| name)).map(str::to_owned).collect();
    Table::given("command line", columns, &ids.iter().map(row).collect::<Vec<_>>())
}

/// The error where another process changed the items meanwhile.
fn changed(path: &Path) -> Error {
    let error = InputError::new(path, "the items as they were when the project was opened").found("other items");
    error.hint("the table was changed meanwhile, and stays as it is: run the command again").into()
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
        let tie = matches!(entry, Entry::Answer(answer) if answer.outcome.has_tie());
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
