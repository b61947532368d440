//! A project: reads and checks `ordain.toml` and all files that it names.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::answers::{is_begun, read_answer_items, read_answers};
use super::apart::check_apart;
use super::items::{ItemTable, ItemsSpec, Missing, TextColumns, read_items};
use super::log::check_form;
use super::relations::{Things, read_links};
use super::settings::{Document, Numbers, Placed, Section};
use super::source::read_text;
use crate::data::{AnswerLog, Ask, Goal, Items, Prior, Relation, Scale};
use crate::error::{brief, listed};
use crate::kernel::{
    self, Causes, KernelKind, KernelSpec, KernelTable, Key, Over, ParameterName, RelationSpec, Rho, Role, Shape, Takes,
};
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
    /// The files of the relations.
    pub relations: Vec<PathBuf>,
    /// The answer log. It may not exist yet.
    pub answers: PathBuf,
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
    /// The answers so far.
    pub(crate) answers: AnswerLog,
    /// The answer log. It may not exist yet.
    pub(crate) file: PathBuf,
    /// The tie width.
    pub(crate) tie_width: f64,
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
    /// The other things to which a relation's links lead, for each relation that has them.
    pub(super) things: Vec<Option<Things>>,
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

/// Reads the data needed to record an answer in a project, without attributes and links.
///
/// # Errors
/// As [`read_project`], for the files that it reads.
pub(crate) fn read_project_log(path: impl AsRef<Path>) -> Result<ProjectLog> {
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
    let items_file = settings.as_ref().map(|settings| settings.file.clone());
    let items = match settings {
        Some(ItemsSettings { file, spec, .. }) => {
            read_items(&file, &ItemsSpec { attributes: Some(Vec::new()), prior: Vec::new(), ..spec })?.items
        }
        None => items_of_answers(&file, &answers)?.items,
    };
    check_log_apart(&answers.file, &file, items_file.as_deref(), &[])?;
    let log = answers.log(&items)?;
    Ok(ProjectLog { path: file, items, answers: log, file: answers.file, tie_width: answers.tie_width })
}

/// The names of the tables of a project file.
const TABLES: [&str; 4] = ["items", "kernel", "answers", "ask"];

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
        let own = [("the project", self.path.as_path()), ("[answers]", self.answers.as_path())];
        own.into_iter().chain(items).chain(relations).collect()
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
    let mut kernels = Kernels { folder, items, relations: Vec::new(), things: Vec::new(), files: Vec::new() };
    parts.iter().map(|part| kernels.read(part)).collect()
}

/// The kernels of a project file. There must be at least one.
fn kernel_sections<'a>(root: &Section<'a>) -> Result<Vec<Placed<Section<'a>>>> {
    let parts = root.sections("kernel")?;
    if parts.is_empty() {
        return Err(InputError::new(root.document.path, "at least one [[kernel]]")
            .hint("the simplest is [[kernel]] with kind = \"independent\"")
            .into());
    }
    Ok(parts)
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
    let mut kernels =
        Kernels { folder: &folder, items: &table.items, relations: Vec::new(), things: Vec::new(), files: Vec::new() };
    let specs = parts.iter().map(|part| kernels.read(part)).collect::<Result<Vec<_>>>()?;
    let Kernels { relations, things, files, .. } = kernels;
    let relations_files: Vec<&Path> = files.iter().map(|(file, _)| file.as_path()).collect();
    check_log_apart(&answers.file, file, settings.as_ref().map(|settings| &*settings.file), &relations_files)?;
    let log = answers.log(&table.items)?;
    let ItemTable { items, other } = table;
    let spec = settings.as_ref().map_or_else(ItemsSpec::default, |settings| settings.spec.clone());
    let means = items.attributes().means();
    let mut reading = Reading { spec, means, scale: None, prior: PriorReading::default(), things };
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
            relations: files.into_iter().map(|(file, _)| file).collect(),
            answers: answers.file,
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
        ask,
    })
}

/// Standardizes the attributes. If all are constant, this is an error only if a kernel uses attributes.
fn standardize(items: Items, file: &Path, kernels: &[KernelSpec]) -> Result<Items> {
    match items.attributes().standardized(items.groups()) {
        Ok(attributes) => items.with_attributes(attributes),
        Err(Error::ConstantAttributes { names }) if use_attributes(kernels) => {
            let found = format!("only constant columns ({})", listed(&names));
            Err(InputError::new(file, "at least one attribute that differs between items")
                .found(found)
                .hint("compare the items by a relation, or use kind = \"independent\" alone")
                .into())
        }
        Err(Error::ConstantAttributes { .. }) => Ok(items),
        Err(other) => Err(other),
    }
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

struct ItemsSettings {
    file: PathBuf,
    spec: ItemsSpec,
    /// One weight per column of the prior.
    prior_weights: Vec<f64>,
    standardize: bool,
}

impl ItemsSettings {
    fn read(section: Section<'_>, folder: &Path) -> Result<Self> {
        section.check_keys(&ITEMS_KEYS)?;
        let Some(file) = locate(&section, folder, "file")? else {
            let error = section.reject("file", "a file under [items]");
            return Err(error.hint("write for example file = \"items.csv\"").into());
        };
        check_exists(&section, &file, "file")?;
        let text = |key: &str| section.text(key).map(|text| text.map(|text| text.value.to_owned()));
        let missing = section.word::<Missing>("missing")?;
        let spec = ItemsSpec {
            id: text("id")?.unwrap_or_else(|| "id".into()),
            attributes: section.texts("attributes")?,
            prior: section.texts("prior")?.unwrap_or_default(),
            group: text("group")?,
            missing: missing.unwrap_or_default(),
        };
        let prior_weights = read_prior_weights(&section, spec.prior.len())?;
        let standardize = section.flag("standardize")?.unwrap_or(true);
        Ok(Self { file: file.value, spec, prior_weights, standardize })
    }

    /// The items with the weights of their prior, standardized like the attributes, and what newcomers need of it.
    fn with_prior(&self, items: Items) -> Result<(Items, PriorReading)> {
        let Some(prior) = items.prior().cloned() else { return Ok((items, PriorReading::default())) };
        let means = prior.columns().means();
        let scale = self.standardize.then(|| Scale::of(prior.columns(), items.groups()));
        let prior = if self.standardize { prior.standardized(items.groups()) } else { Ok(prior) };
        let prior = prior.map_err(|error| match error {
            Error::ConstantAttributes { names } => {
                InputError::new(&self.file, "a column of the prior that differs between items of a group")
                    .column(&names[0])
                    .found("the same number everywhere")
                    .hint("delete the column from prior under [items]")
                    .into()
            }
            error => error,
        })?;
        let prior = prior.with_weights(self.prior_weights.clone()).map_err(|_| {
            InputError::new(&self.file, "columns whose sum, times prior_weights, is a finite number")
                .column(listed(&self.spec.prior))
                .hint("set standardize = true under [items], or give smaller weights")
        })?;
        Ok((items.with_prior(Some(prior))?, PriorReading { means, scale }))
    }
}

/// The keys of `[items]`.
const ITEMS_KEYS: [&str; 8] = ["file", "id", "attributes", "prior", "prior_weights", "group", "standardize", "missing"];

/// The weights of the columns of the prior: 1 each unless they are given.
fn read_prior_weights(section: &Section<'_>, columns: usize) -> Result<Vec<f64>> {
    let Some(weights) = section.numbers("prior_weights")? else { return Ok(vec![1.0; columns]) };
    if weights.len() == columns {
        return Ok(weights);
    }
    let error = match columns {
        0 => section.reject("prior_weights", "a key prior beside it: the columns that the weights are of"),
        columns => section.reject("prior_weights", format!("{columns} numbers, one per column of prior")),
    };
    Err(error.hint("leave the key out for weights of 1").into())
}

struct AnswersSettings {
    file: PathBuf,
    given: bool,
    noise: Option<f64>,
    tie_width: f64,
}

impl AnswersSettings {
    fn read(section: Option<Section<'_>>, folder: &Path) -> Result<Self> {
        let mut out = Self {
            file: folder.join(DEFAULT_ANSWERS),
            given: section.is_some(),
            noise: Some(DEFAULT_NOISE),
            tie_width: 0.0,
        };
        let Some(section) = section else { return Ok(out) };
        section.check_keys(&["file", "noise", "tie_width"])?;
        if let Some(file) = locate(&section, folder, "file")? {
            out.file = file.value;
        }
        out.noise = section.positive_or("noise", LEARN)?.unwrap_or(out.noise);
        out.tie_width = section.not_negative("tie_width")?.unwrap_or(out.tie_width);
        Ok(out)
    }

    fn log(&self, items: &Items) -> Result<AnswerLog> {
        if is_begun(&self.file) { read_answers(&self.file, items) } else { Ok(AnswerLog::default()) }
    }
}

/// Fails if answers would be appended to another file of the project.
fn check_log_apart(log: &Path, project: &Path, items: Option<&Path>, relations: &[&Path]) -> Result<()> {
    let items = items.map(|file| ("[items]", file));
    let relations = relations.iter().map(|file| ("a relation", *file));
    let others: Vec<_> = [("the project", project)].into_iter().chain(items).chain(relations).collect();
    check_apart(&[("[answers]", log)], &others)
}

fn items_of_answers(file: &Path, answers: &AnswersSettings) -> Result<ItemTable> {
    if !answers.given {
        return Err(InputError::new(file, "a table [items], or a table [answers] with a file that names the items")
            .hint("write for example [items] and below it file = \"items.csv\"")
            .into());
    }
    let items = read_answer_items(&answers.file)?;
    Ok(ItemTable { items, other: TextColumns::default() })
}

pub(super) fn read_ask(section: Section<'_>) -> Result<Ask> {
    section.check_keys(&["goal", "k", "strategy", "focus", "repeat", "seed"])?;
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
    ask.seed = section.whole("seed", 0, u64::MAX)?.unwrap_or(ask.seed);
    Ok(ask)
}

/// Reads `[[kernel]]` tables and the relations they name.
struct Kernels<'a> {
    folder: &'a Path,
    items: &'a Items,
    relations: Vec<Relation>,
    /// The other things to which a relation's links lead, for each relation that has them.
    things: Vec<Option<Things>>,
    /// The file of each relation, and whether its targets are other things.
    files: Vec<(PathBuf, bool)>,
}

impl Kernels<'_> {
    fn read(&mut self, part: &Placed<Section<'_>>) -> Result<KernelSpec> {
        let section = &part.value;
        let Some(kind) = section.word::<KernelKind>("kind")? else {
            let names: Vec<&str> = KernelKind::all().iter().map(|kind| kind.name()).collect();
            let error = section.document.error(&part.span, "kind", "a key kind in every [[kernel]]");
            return Err(error.hint(format!("there are: {}", names.join(", "))).into());
        };
        let own = kind.keys().iter().map(|key| key.name);
        let known: Vec<&str> = ["kind", kernel::WEIGHT.name].into_iter().chain(own).collect();
        section.check_keys(&known)?;
        let weight = section.number(&kernel::WEIGHT)?;
        Ok(KernelSpec { weight, shape: kind.shape(&mut KernelPart { kernels: self, part })? })
    }

    /// The relation that a kernel names. It is read once for all kernels that read it in the same way.
    fn relation(&mut self, section: &Section<'_>, key: &Key, role: Option<&Key>) -> Result<Option<RelationSpec>> {
        let Some(file) = locate(section, self.folder, key.name)? else { return Ok(None) };
        let role = role.map(|key| section.word(key.name)).transpose()?.flatten().unwrap_or(Role::Undirected);
        check_exists(section, &file, key.name)?;
        let key = (file.value, role == Role::Bipartite);
        let relation = match self.files.iter().position(|known| *known == key) {
            Some(known) => known,
            None => {
                let (relation, things) = read_links(&key.0, self.items, 0, key.1.then(Things::new))?;
                self.relations.push(relation);
                self.things.push(things);
                self.files.push(key);
                self.relations.len() - 1
            }
        };
        Ok(Some(RelationSpec { relation, role }))
    }
}

/// One `[[kernel]]` table and its context.
struct KernelPart<'a, 'b> {
    kernels: &'a mut Kernels<'b>,
    part: &'a Placed<Section<'a>>,
}

impl KernelTable for KernelPart<'_, '_> {
    fn number(&self, key: &Key) -> Result<f64> {
        self.part.value.number(key)
    }

    fn whole(&self, key: &Key) -> Result<u32> {
        let Takes::Whole { least, most, usual } = key.takes else { unreachable!("{} is no whole number", key.name) };
        let value = self.part.value.whole(key.name, u64::from(least), u64::from(most))?;
        Ok(value.map_or(usual, |value| value as u32))
    }

    fn lengths(&self, key: &Key, over: Over) -> Result<Rho> {
        let (section, attributes) = (&self.part.value, self.kernels.items.attributes());
        let count = attributes.len();
        match (section.positives(key.name)?, over) {
            (Some(Numbers::One(rho)), _) => Ok(Rho::Shared(rho)),
            (Some(Numbers::Many(each)), Over::Attributes) if each.len() == count => Ok(Rho::Each(each)),
            (Some(Numbers::Many(_)), Over::Attributes) => {
                let names = listed(attributes.names());
                Err(section.reject(key.name, format!("one number, or {count}: one for each of {names}")).into())
            }
            (Some(Numbers::Many(_)), Over::Relation(_)) => {
                Err(section.reject(key.name, "one number, as the vectors are rows of a relation").into())
            }
            (None, over) => Ok(Rho::usual(count, over)),
        }
    }

    fn causes(&self, key: &Key) -> Result<Causes> {
        Ok(self.part.value.word(key.name)?.unwrap_or(Causes::Edges))
    }

    fn links(&mut self, key: &Key, role: Option<&Key>) -> Result<RelationSpec> {
        self.kernels.relation(&self.part.value, key, role)?.ok_or_else(|| {
            let expected = format!("a key {}: the file of links", key.name);
            let error = self.part.value.document.error(&self.part.span, key.name, expected);
            error.hint(format!("write for example {} = \"links.csv\"", key.name)).into()
        })
    }

    fn over(&mut self, key: &Key, role: &Key) -> Result<Over> {
        let section = &self.part.value;
        match self.kernels.relation(section, key, Some(role))? {
            Some(relation) => Ok(Over::Relation(relation)),
            None if section.table.contains_key(role.name) => {
                let error = section.reject(role.name, format!("a key {} beside it", key.name));
                Err(error.hint(format!("delete the key, or name the file of links: {}", key.name)).into())
            }
            None if self.kernels.items.attributes().is_empty() => Err(no_attributes(section)),
            None => Ok(Over::Attributes),
        }
    }
}

fn no_attributes(section: &Section<'_>) -> Error {
    section
        .reject("kind", "a kernel that needs no attributes, as the items have none")
        .hint("name a relation for it, give the items numeric columns, or use \"independent\"")
        .into()
}
