//! A project: reads and checks `ordain.toml` and all files that it names.

mod grades;
mod items;
mod kernels;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use self::grades::GradesSettings;
pub use self::grades::ProjectGrades;
use self::items::{ItemsSettings, standardize};
pub(super) use self::kernels::Targets;
use self::kernels::{Kernels, kernel_sections};
use super::additions::ItemsSource;
use super::answers::{has_sides, is_begun, items_named_in, read_answer_items, read_answers_on};
use super::apart::check_apart;
use super::gold::read_gold;
use super::items::{ItemTable, ItemsSpec, Marks, TextColumns, read_items};
use super::log::check_form;
use super::settings::{Document, Placed, Section};
use super::source::read_text;
use super::table::Table;
use crate::data::{AnswerLog, Ask, Goal, Gold, GradeScale, Items, Prior, Relation, Scale};
use crate::error::brief;
use crate::kernel::{KernelSpec, Over, ParameterName, Shape};
use crate::words::suggestion;
use crate::{Error, InputError, Result};

/// The name of the project file within its folder.
pub const PROJECT_FILE: &str = "ordain.toml";

/// The word for a noise that is learned from the answers.
const LEARN: &str = "learn";

/// The default standard deviation of an answer's noise on one utility. The noise on a difference of two utilities then
/// has standard deviation 1.
pub const DEFAULT_NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The default name of the answer log.
const DEFAULT_ANSWERS: &str = "answers.csv";

/// A project file, and the names of its files.
#[derive(Debug, Clone)]
pub struct ProjectFile {
    /// The project file.
    pub path: PathBuf,
    /// The folder of the project file. Other paths are relative to it.
    pub folder: PathBuf,
    /// The items' table; `None` if the answers name the items.
    pub items: Option<PathBuf>,
    /// The other columns of the items' table (neither id, group, attribute nor prior), as text.
    pub other: TextColumns,
    /// The files of the relations; for the words of texts, the items' table.
    pub relations: Vec<PathBuf>,
    /// The answer log. It may not exist yet.
    pub answers: PathBuf,
    /// The file of grades that are given besides the log.
    pub grades: Option<PathBuf>,
    /// The file of gold pairs.
    pub gold: Option<PathBuf>,
    /// The settings for reading newcomers.
    pub(super) reading: Reading,
    /// The text of the project file.
    pub(super) text: String,
}

/// The settings of a project file, and the data of its files.
#[derive(Debug, Clone)]
pub struct ProjectData {
    /// The project file.
    pub file: ProjectFile,
    /// The items. Their attributes and priors are standardized unless the project says otherwise.
    pub items: Items,
    /// The relations. A file is listed once for each of its two readings (links between items, links to other things).
    pub relations: Vec<Relation>,
    /// The parts of the utility. They name relations by their position in `relations`.
    pub kernels: Vec<KernelSpec>,
    /// The answers; none if the log does not exist yet.
    pub answers: AnswerLog,
    /// The standard deviation of an answer's noise on one utility; `None` if it is learned from the answers.
    pub noise: Option<f64>,
    /// The tie width: a difference of two utilities, noise included, between minus and plus this is a tie.
    pub tie_width: f64,
    /// Whether the first item of every answer stood left, so that judges who favour a side are known.
    pub sides: bool,
    /// The pairs whose answer is known, and the share of questions that are about them.
    pub gold: (Gold, f64),
    /// The grades.
    pub grades: ProjectGrades,
    /// The settings of `[ask]`.
    pub ask: Ask,
}

/// The data needed to record an answer: the items' ids and the log, without attributes and links.
#[derive(Debug, Clone)]
pub(crate) struct ProjectLog {
    /// The project file.
    pub(crate) path: PathBuf,
    /// The items, without their attributes.
    pub(crate) items: Items,
    /// The items' table; none if the answers name the items.
    pub(crate) source: Option<ItemsSource>,
    /// The answers so far.
    pub(crate) answers: AnswerLog,
    /// The answer log. It may not exist yet.
    pub(crate) file: PathBuf,
    /// The tie width.
    pub(crate) tie_width: f64,
    /// The pairs whose answer is known.
    pub(crate) gold: Gold,
    /// The grades that there are.
    pub(crate) scale: GradeScale,
    /// How many grades are known besides the log.
    pub(crate) given: usize,
}

/// The data needed to read newcomers in the same way as the items.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) spec: ItemsSpec,
    /// The means of the attributes, on the scale of the file.
    pub(super) means: Vec<f64>,
    /// The scale of the standardized attributes; `None` if they are not standardized.
    pub(super) scale: Option<Scale>,
    /// The same of the prior.
    pub(super) prior: PriorReading,
    /// The decimal marks of attributes and prior.
    pub(super) marks: Marks,
    /// What the links of each relation lead to.
    pub(super) targets: Vec<Targets>,
}

/// The data needed to read the prior of newcomers.
#[derive(Debug, Clone, Default)]
pub(super) struct PriorReading {
    /// The means of the columns, on the scale of the file.
    pub(super) means: Vec<f64>,
    /// The scale of the standardized columns; `None` if they are not standardized.
    pub(super) scale: Option<Scale>,
}

/// Reads a project from its folder or its project file, with all its data.
///
/// # Errors
/// If a file cannot be read or its content is not as expected. The error names the place.
pub fn read_project(path: impl AsRef<Path>) -> Result<ProjectData> {
    let (file, text) = project_text(path.as_ref())?;
    let document = Document { path: &file, text: &text };
    let root = document.parse()?;
    load(Section { document, table: root.get_ref() }, &file)
}

/// Reads the data needed to record an answer in a project, without attributes and links. With `begins`, a project whose answers name
/// its items may have no answers yet.
///
/// # Errors
/// As [`read_project`], for the files that it reads.
pub(crate) fn read_project_log(path: impl AsRef<Path>, begins: bool) -> Result<ProjectLog> {
    let (file, text) = project_text(path.as_ref())?;
    let document = Document { path: &file, text: &text };
    let root = document.parse()?;
    let root = Section { document, table: root.get_ref() };
    root.check_keys(&TABLES)?;
    let folder = folder_of(&file);
    let answers = AnswersSettings::read(root.section("answers")?, &folder)?;
    // A log that nothing can be appended to is refused before a pipe in its place is waited for.
    check_form(&answers.file)?;
    let settings = root.section("items")?.map(|section| ItemsSettings::read(section, &folder)).transpose()?;
    let source = settings.map(|ItemsSettings { file, spec, .. }| ItemsSource { path: file, spec });
    let items_file = source.as_ref().map(|source| source.path.clone());
    let items = match &source {
        Some(ItemsSource { path, spec }) => {
            read_items(path, &ItemsSpec { attributes: Some(Vec::new()), prior: Vec::new(), ..spec.clone() })?.items
        }
        None if begins && answers.given && !is_begun(&answers.file) => Items::from_ids::<String>([])?,
        None if begins && answers.given => items_named_in(&answers.file)?,
        None => items_of_answers(&file, &answers)?.items,
    };
    let grades = GradesSettings::read(root.section("grades")?, &folder)?;
    let beside = [grades.file.as_deref(), answers.gold.as_deref()];
    check_log_apart(&answers.file, &file, items_file.as_deref(), beside, &[])?;
    let known = grades.load(&file, &items)?;
    let gold = answers.gold(&items)?;
    let (scale, given) = (known.scale, known.given.len());
    let log = answers.log(&items, scale)?;
    Ok(ProjectLog {
        path: file,
        items,
        source,
        answers: log,
        file: answers.file,
        tie_width: answers.tie_width,
        gold,
        scale,
        given,
    })
}

/// The names of the tables of a project file.
const TABLES: [&str; 5] = ["items", "kernel", "answers", "grades", "ask"];

/// The project file at a path, and its text.
fn project_text(path: &Path) -> Result<(PathBuf, String)> {
    let file = if path.is_dir() { path.join(PROJECT_FILE) } else { path.to_path_buf() };
    if path.is_dir() && !file.exists() {
        return Err(InputError::new(path, format!("a folder with a file {PROJECT_FILE}"))
            .hint("make one with \"ordain init\" and a table of items or answers")
            .into());
    }
    if path.is_file() && path.extension().is_none_or(|ending| ending != "toml") {
        return Err(InputError::new(path, format!("a folder with an {PROJECT_FILE}, or such a file"))
            .found("a file of another kind")
            .hint(format!("to make a project of a table: ordain init {}", path.display()))
            .into());
    }
    let text = read_text(&file)?;
    Ok((file, text))
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).to_path_buf()
}

impl ProjectFile {
    /// All files of the project, each with its part in it, for [`check_apart`](super::check_apart).
    pub fn roles(&self) -> Vec<(&str, &Path)> {
        let relations = self.relations.iter().map(|file| ("a relation", file.as_path()));
        let items = self.items.as_deref().map(|file| ("[items]", file));
        let grades = self.grades.as_deref().map(|file| ("[grades]", file));
        let gold = self.gold.as_deref().map(|file| ("gold", file));
        let own = [("the project", self.path.as_path()), ("[answers]", self.answers.as_path())];
        own.into_iter().chain(items).chain(grades).chain(gold).chain(relations).collect()
    }

    /// The column of the items' names, if they have names.
    pub fn name_column(&self) -> Option<&str> {
        self.reading.spec.name.as_deref()
    }

    /// Reads a table whose columns are those of the items' table: a line names them if one does there.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read_table(&self, path: impl AsRef<Path>) -> Result<Table> {
        Table::read_with(path.as_ref(), self.reading.spec.header)
    }

    /// The columns of the items' table that hold the ids and the groups.
    pub fn key_columns(&self) -> (&str, Option<&str>) {
        (&self.reading.spec.id, self.reading.spec.group.as_deref())
    }

    /// The error for an unknown strategy. Strategies are resolved after files are read, so they cannot be checked here.
    pub fn unknown_strategy(&self, name: &str, known: &[&str]) -> Error {
        let mut error = InputError::new(&self.path, "a known strategy").column("strategy").found(name);
        error.line = self.strategy_line();
        error.hint = suggestion(name, known.iter().copied());
        error.into()
    }

    /// The same error with the file and the key that it is about, where a number of the project file or a relation leads
    /// to it only once it meets the other data.
    pub fn place(&self, error: Error) -> Error {
        match error {
            Error::Parameter { name, value, expected } => match self.wrong_number(&name, value, expected) {
                Some(placed) => placed.into(),
                None => Error::Parameter { name, value, expected },
            },
            Error::Relation { number, error } => Error::In { file: self.relations[number].clone(), error },
            Error::Data { .. }
            | Error::TooLarge { .. }
            | Error::NotConverged { .. }
            | Error::NotPositiveDefinite { .. } => Error::In { file: self.path.clone(), error: Box::new(error) },
            error => error,
        }
    }

    /// The error about a number of a kernel, such as `kernel[0].weight`, of the prior, or of the answers.
    fn wrong_number(&self, name: &str, value: f64, expected: &str) -> Option<InputError> {
        let document = Document { path: &self.path, text: &self.text };
        let root = document.parse().ok()?;
        let root = Section { document, table: root.get_ref() };
        let (section, key) = match ParameterName::parse(name) {
            Some(ParameterName { kernel, key, .. }) => (Some(root.sections("kernel").ok()?.get(kernel)?.value), key),
            None if ["noise", "tie_width"].contains(&name) => (root.section("answers").ok()?, name),
            None if Prior::column_of(name).is_some() => (root.section("items").ok()?, "prior_weights"),
            None => return None,
        };
        let error = match section {
            Some(section) => section.reject(key, expected),
            None => InputError::new(&self.path, expected).column(key),
        };
        // The key may be absent, or tuning may be at another value than the file's.
        Some(error.found(brief(value)))
    }

    /// The line that names the strategy.
    fn strategy_line(&self) -> Option<u64> {
        let document = Document { path: &self.path, text: &self.text };
        let root = document.parse().ok()?;
        let ask = Section { document, table: root.get_ref() }.section("ask").ok()??;
        Some(document.line(&ask.text("strategy").ok()??.span))
    }
}

/// Reads the `[[kernel]]` tables of a project file for other items than the file's own. Only kernels over attributes
/// are allowed.
///
/// # Errors
/// If the file cannot be read or has no kernel, or a kernel is not valid, is over a relation, or does not fit the
/// items.
pub fn read_kernels(path: impl AsRef<Path>, items: &Items) -> Result<Vec<KernelSpec>> {
    let path = path.as_ref();
    let file = if path.is_dir() { path.join(PROJECT_FILE) } else { path.to_path_buf() };
    let text = read_text(&file)?;
    let document = Document { path: &file, text: &text };
    let root = document.parse()?;
    let root = Section { document, table: root.get_ref() };
    root.check_keys(&TABLES)?;
    let parts = kernel_sections(&root)?;
    let related = parts.iter().find(|part| part.value.table.contains_key("relation"));
    if let Some(part) = related {
        let error = part.value.reject("relation", "a kernel over attributes: these items have no links");
        return Err(error.hint("use kernels without a key relation").into());
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut kernels = Kernels::new(folder, items);
    parts.iter().map(|part| kernels.read(part)).collect()
}

fn load(root: Section<'_>, file: &Path) -> Result<ProjectData> {
    root.check_keys(&TABLES)?;
    let folder = folder_of(file);
    let answers = AnswersSettings::read(root.section("answers")?, &folder)?;
    let ask = root.section("ask")?.map_or_else(|| Ok(Ask::default()), read_ask)?;
    let settings = root.section("items")?.map(|section| ItemsSettings::read(section, &folder)).transpose()?;
    let parts = kernel_sections(&root)?;
    let table = match &settings {
        Some(settings) => read_items(&settings.file, &settings.spec)?,
        None => items_of_answers(file, &answers)?,
    };
    let texts = Some(&table.other);
    let items_file = settings.as_ref().map(|settings| settings.file.as_path());
    let mut kernels = Kernels { texts, table: items_file, ..Kernels::new(&folder, &table.items) };
    let specs = parts.iter().map(|part| kernels.read(part)).collect::<Result<Vec<_>>>()?;
    let Kernels { relations, targets, files, .. } = kernels;
    let grades = GradesSettings::read(root.section("grades")?, &folder)?;
    let beside = [grades.file.as_deref(), answers.gold.as_deref()];
    check_log_apart(&answers.file, file, items_file, beside, &files)?;
    let known = grades.load(file, &table.items)?;
    let gold = (answers.gold(&table.items)?, answers.gold_rate);
    let log = answers.log(&table.items, known.scale)?;
    let ItemTable { items, other, marks } = table;
    let spec = settings.as_ref().map_or_else(ItemsSpec::default, |settings| settings.spec.clone());
    let means = items.attributes().means();
    let mut reading = Reading { spec, means, scale: None, prior: PriorReading::default(), marks, targets };
    let items = match &settings {
        Some(settings) => {
            let (items, prior) = settings.with_prior(items)?;
            reading.prior = prior;
            if settings.standardize {
                reading.scale = Some(Scale::of(items.attributes(), items.groups()));
                standardize(items, &settings.file, &specs)?
            } else {
                items
            }
        }
        None => items,
    };
    Ok(ProjectData {
        file: ProjectFile {
            path: file.to_path_buf(),
            items: settings.map(|settings| settings.file),
            other,
            relations: files,
            answers: answers.file,
            grades: grades.file,
            gold: answers.gold,
            reading,
            text: root.document.text.to_owned(),
            folder,
        },
        items,
        relations,
        kernels: specs,
        answers: log,
        noise: answers.noise,
        tie_width: answers.tie_width,
        sides: answers.sides,
        gold,
        grades: known,
        ask,
    })
}

/// Whether a kernel uses attributes.
pub(super) fn use_attributes(kernels: &[KernelSpec]) -> bool {
    kernels.iter().any(|spec| matches!(spec.shape, Shape::Vector { over: Over::Attributes, .. }))
}

/// The path that a key names, relative to the project's folder.
fn locate(section: &Section<'_>, folder: &Path, key: &str) -> Result<Option<Placed<PathBuf>>> {
    let text = section.text(key)?;
    Ok(text.map(|text| Placed { value: folder.join(text.value), span: text.span }))
}

/// Returns an error at the key that names a file if the file does not exist.
fn check_exists(section: &Section<'_>, file: &Placed<PathBuf>, key: &str) -> Result<()> {
    match file.value.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let hint = format!("there is no file {}", file.value.display());
            Err(section.reject(key, "the name of a file").hint(hint).into())
        }
        _ => Ok(()),
    }
}

struct AnswersSettings {
    file: PathBuf,
    given: bool,
    noise: Option<f64>,
    tie_width: f64,
    sides: bool,
    /// The file of gold pairs, and the share of questions that are about them.
    gold: Option<PathBuf>,
    gold_rate: f64,
}

/// The default share of questions that are about gold pairs.
const GOLD_RATE: f64 = 0.1;

impl AnswersSettings {
    fn read(section: Option<Section<'_>>, folder: &Path) -> Result<Self> {
        let mut out = Self {
            file: folder.join(DEFAULT_ANSWERS),
            given: section.is_some(),
            noise: Some(DEFAULT_NOISE),
            tie_width: 0.0,
            sides: false,
            gold: None,
            gold_rate: GOLD_RATE,
        };
        let Some(section) = section else { return Ok(out) };
        section.check_keys(&["file", "noise", "tie_width", "sides", "gold", "gold_rate"])?;
        if let Some(file) = locate(&section, folder, "file")? {
            out.file = file.value;
        }
        out.noise = section.positive_or("noise", LEARN)?.unwrap_or(out.noise);
        out.tie_width = section.not_negative("tie_width")?.unwrap_or(out.tie_width);
        out.sides = section.flag("sides")?.unwrap_or(out.sides);
        // A table whose columns say who won does not know what stood left.
        out.sides = out.sides && (!is_begun(&out.file) || has_sides(&out.file)?);
        if let Some(gold) = locate(&section, folder, "gold")? {
            check_exists(&section, &gold, "gold")?;
            out.gold = Some(gold.value);
        }
        if let Some(rate) = section.not_negative("gold_rate")? {
            let error = |expected: &str, hint: &str| Err(section.reject("gold_rate", expected).hint(hint).into());
            match &out.gold {
                None => {
                    return error(
                        "a key gold beside it: the file of gold pairs",
                        "write for example gold = \"gold.csv\"",
                    );
                }
                Some(_) if rate > 1.0 => return error("a share from 0 to 1", "write for example gold_rate = 0.1"),
                Some(_) => out.gold_rate = rate,
            }
        }
        Ok(out)
    }

    fn gold(&self, items: &Items) -> Result<Gold> {
        self.gold.as_ref().map_or_else(|| Ok(Gold::default()), |file| read_gold(file, items))
    }

    fn log(&self, items: &Items, scale: GradeScale) -> Result<AnswerLog> {
        if is_begun(&self.file) { read_answers_on(&self.file, items, Some(scale)) } else { Ok(AnswerLog::default()) }
    }
}

/// Fails if answers would be appended to another file of the project.
fn check_log_apart(
    log: &Path,
    project: &Path,
    items: Option<&Path>,
    [grades, gold]: [Option<&Path>; 2],
    relations: &[PathBuf],
) -> Result<()> {
    let items = items.map(|file| ("[items]", file));
    let grades = grades.map(|file| ("[grades]", file)).into_iter().chain(gold.map(|file| ("gold", file)));
    let relations = relations.iter().map(|file| ("a relation", file.as_path()));
    let others: Vec<_> = [("the project", project)].into_iter().chain(items).chain(grades).chain(relations).collect();
    check_apart(&[("[answers]", log)], &others)
}

fn items_of_answers(file: &Path, answers: &AnswersSettings) -> Result<ItemTable> {
    if !answers.given {
        return Err(InputError::new(file, "a table [items], or a table [answers] with a file that names the items")
            .hint("write for example [items] and below it file = \"items.csv\"")
            .into());
    }
    let items = read_answer_items(&answers.file)?;
    Ok(ItemTable { items, other: TextColumns::default(), marks: Marks::default() })
}

pub(super) fn read_ask(section: Section<'_>) -> Result<Ask> {
    section.check_keys(&["goal", "k", "strategy", "focus", "repeat", "grades", "strengths", "seed"])?;
    let default = Ask::default();
    let k = section.whole("k", 1, u64::from(u32::MAX))?;
    let goal = match (section.word("goal")?.unwrap_or(default.goal), k) {
        (Goal::Top { .. }, Some(k)) => Goal::Top { k: k as usize },
        (Goal::Top { .. }, None) => {
            let error = section.reject("goal", "a key k beside it: how many items");
            return Err(error.hint("write for example k = 10").into());
        }
        (_, Some(_)) => {
            let error = section.reject("k", "goal = \"top\" beside it");
            return Err(error.hint("delete k, or set goal = \"top\"").into());
        }
        (goal, None) => goal,
    };
    let mut ask = default;
    ask.goal = goal;
    ask.strategy = section.text("strategy")?.map(|text| text.value.to_owned());
    ask.focus = section.not_negative("focus")?;
    ask.repeat = section.flag("repeat")?.unwrap_or(ask.repeat);
    ask.grades = section.flag("grades")?.unwrap_or(ask.grades);
    ask.strengths = section.flag("strengths")?.unwrap_or(ask.strengths);
    ask.seed = section.whole("seed", 0, u64::MAX)?.unwrap_or(ask.seed);
    Ok(ask)
}
