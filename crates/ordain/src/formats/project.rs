//! A project: `ordain.toml` and everything it names, read and checked in one go.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::answers::{is_begun, read_answer_items, read_answers};
use super::items::{ItemTable, ItemsSpec, Missing, TextColumns, read_items};
use super::nearest::suggestion;
use super::relations::{Things, read_links};
use super::settings::{Document, Numbers, Placed, Section};
use super::source::read_text;
use crate::data::{AnswerLog, Ask, Goal, Items, Relation, Scale};
use crate::kernel::{Causes, Form, KernelSpec, Over, RelationSpec, Rho, Role, Shape};
use crate::{Error, InputError, Result};

/// The name of the project file within its folder.
pub const PROJECT_FILE: &str = "ordain.toml";

/// The standard deviation of an answer's noise when none is given: with it, the difference of two utilities is seen
/// through noise of standard deviation 1.
pub const DEFAULT_NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The answer log when none is named.
const DEFAULT_ANSWERS: &str = "answers.csv";

/// The inverse length over the rows of a relation when none is given; those rows are not standardized, so the number of
/// columns says nothing about distances.
const DEFAULT_RELATION_RHO: f64 = 0.5;

/// A project file, and the files that it names.
#[derive(Debug, Clone)]
pub struct ProjectFile {
    /// The project file.
    pub path: PathBuf,
    /// Its folder, which other paths start from.
    pub folder: PathBuf,
    /// The items' table; none if the items are those named in the answers.
    pub items: Option<PathBuf>,
    /// What else the items' table says.
    pub other: TextColumns,
    /// The files of the relations.
    pub relations: Vec<PathBuf>,
    /// The answer log, which may not exist yet.
    pub answers: PathBuf,
    /// The line that names the strategy.
    strategy_line: Option<u64>,
    /// How newcomers are read.
    pub(super) reading: Reading,
    /// The text of the project file.
    pub(super) text: String,
}

/// Everything a project file says, with the data it names.
#[derive(Debug, Clone)]
pub struct ProjectData {
    /// The project file.
    pub file: ProjectFile,
    /// The items, their attributes standardized if the project says so (it does unless told otherwise).
    pub items: Items,
    /// The relations, each file once for each of its two readings (between items, or to other things).
    pub relations: Vec<Relation>,
    /// The parts of the utility; relations by their position in `relations`.
    pub kernels: Vec<KernelSpec>,
    /// What has been answered; nothing if the log does not exist yet.
    pub answers: AnswerLog,
    /// The standard deviation of the noise of one utility in an answer.
    pub noise: f64,
    /// Two utilities whose difference, noise included, is between minus and plus this are called a tie.
    pub tie_width: f64,
    /// What to ask next.
    pub ask: Ask,
}

/// What it takes to record an answer: the items' ids and the log, without attributes and links.
#[derive(Debug, Clone)]
pub struct ProjectLog {
    /// The project file.
    pub path: PathBuf,
    /// The items, without their attributes.
    pub items: Items,
    /// What has been answered.
    pub answers: AnswerLog,
    /// The answer log, which may not exist yet.
    pub file: PathBuf,
    /// How close the utilities of a tie are.
    pub tie_width: f64,
}

/// What it takes to read newcomers as the items were read.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) spec: ItemsSpec,
    /// The means of the attributes as in the file.
    pub(super) means: Vec<f64>,
    /// The scale on which the attributes were standardized, if they were.
    pub(super) scale: Option<Scale>,
    /// The other things of the relations that lead to some.
    pub(super) things: Vec<Option<Things>>,
}

/// Reads a project from its folder or its project file, with all data that it names.
///
/// # Errors
/// If a file cannot be read or does not say what it should; the error names the place.
pub fn read_project(path: impl AsRef<Path>) -> Result<ProjectData> {
    let (file, text) = project_text(path.as_ref())?;
    let document = Document { path: &file, text: &text };
    let root = document.parse()?;
    load(Section { document, table: root.get_ref() }, &file)
}

/// Reads what it takes to record an answer in a project: neither attributes nor links.
///
/// # Errors
/// As [`read_project`], as far as it reads.
pub fn read_project_log(path: impl AsRef<Path>) -> Result<ProjectLog> {
    let (file, text) = project_text(path.as_ref())?;
    let document = Document { path: &file, text: &text };
    let root = document.parse()?;
    let root = Section { document, table: root.get_ref() };
    root.check_keys(&TABLES)?;
    let folder = folder_of(&file);
    let answers = AnswersSettings::read(root.section("answers")?, &folder)?;
    let items = match root.section("items")?.map(|section| ItemsSettings::read(section, &folder)).transpose()? {
        Some(ItemsSettings { file, spec, .. }) => {
            read_items(&file, &ItemsSpec { attributes: Some(Vec::new()), ..spec })?.items
        }
        None => items_of_answers(&file, &answers)?.items,
    };
    let log = answers.log(&items)?;
    Ok(ProjectLog { path: file, items, answers: log, file: answers.file, tie_width: answers.tie_width })
}

/// The tables of a project file.
const TABLES: [&str; 4] = ["items", "kernel", "answers", "ask"];

/// The project file that a path means, and its text.
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
    /// The error to give if the strategy that the project names is none of the known ones. Strategies are named further
    /// along than files are read, so they cannot be checked here.
    pub fn unknown_strategy(&self, name: &str, known: &[&str]) -> Error {
        let mut error = InputError::new(&self.path, "a known strategy").column("strategy").found(name);
        error.line = self.strategy_line;
        error.hint = suggestion(name, known.iter().copied());
        error.into()
    }
}

/// The `[[kernel]]` tables of a project file, for items that the file need not name: kernels over their attributes alone.
///
/// # Errors
/// If the file cannot be read or has no kernel, or a kernel is not right, is over a relation, or does not fit the items.
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

/// The kernels of a project file, of which there must be one.
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
    let ask_section = root.section("ask")?;
    let strategy = ask_section.map(|section| section.text("strategy")).transpose()?.flatten();
    let ask = ask_section.map_or_else(|| Ok(Ask::default()), read_ask)?;
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
    let log = answers.log(&table.items)?;
    let ItemTable { items, other } = table;
    let spec = settings.as_ref().map_or_else(ItemsSpec::default, |settings| settings.spec.clone());
    let mut reading = Reading { spec, means: items.attributes().means(), scale: None, things };
    let items = match &settings {
        Some(settings) if settings.standardize => {
            reading.scale = Some(Scale::of(items.attributes(), items.groups()));
            standardize(items, &settings.file, &specs)?
        }
        _ => items,
    };
    Ok(ProjectData {
        file: ProjectFile {
            path: file.to_path_buf(),
            items: settings.map(|settings| settings.file),
            other,
            relations: files.into_iter().map(|(file, _)| file).collect(),
            answers: answers.file,
            strategy_line: strategy.map(|text| root.document.line(&text.span)),
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

/// Attributes that are all constant are an error only if some kernel looks at attributes.
fn standardize(items: Items, file: &Path, kernels: &[KernelSpec]) -> Result<Items> {
    match items.attributes().standardized(items.groups()) {
        Ok(attributes) => items.with_attributes(attributes),
        Err(error) => match error {
            Error::Data { found, expected, .. } if use_attributes(kernels) => Err(InputError::new(file, expected)
                .found(found)
                .hint("compare the items by a relation, or use kind = \"independent\" alone")
                .into()),
            Error::Data { .. } => Ok(items),
            other => Err(other),
        },
    }
}

/// Whether some kernel looks at attributes.
pub(super) fn use_attributes(kernels: &[KernelSpec]) -> bool {
    kernels.iter().any(|spec| matches!(spec.shape, Shape::Vector { over: Over::Attributes, .. }))
}

/// A path of the project file, from its folder.
fn locate(section: &Section<'_>, folder: &Path, key: &str) -> Result<Option<Placed<PathBuf>>> {
    let text = section.text(key)?;
    Ok(text.map(|text| Placed { value: folder.join(text.value), span: text.span }))
}

/// An error at the place that names a file if there is no such file.
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
    standardize: bool,
}

impl ItemsSettings {
    fn read(section: Section<'_>, folder: &Path) -> Result<Self> {
        section.check_keys(&["file", "id", "attributes", "group", "standardize", "missing"])?;
        let Some(file) = locate(&section, folder, "file")? else {
            let error = section.reject("file", "a file under [items]");
            return Err(error.hint("write for example file = \"items.csv\"").into());
        };
        check_exists(&section, &file, "file")?;
        let text = |key: &str| section.text(key).map(|text| text.map(|text| text.value.to_owned()));
        let missing = section.word("missing", &[("error", Missing::Error), ("mean", Missing::Mean)])?;
        let spec = ItemsSpec {
            id: text("id")?.unwrap_or_else(|| "id".into()),
            attributes: section.texts("attributes")?,
            group: text("group")?,
            missing: missing.unwrap_or_default(),
        };
        Ok(Self { file: file.value, spec, standardize: section.flag("standardize")?.unwrap_or(true) })
    }
}

struct AnswersSettings {
    file: PathBuf,
    given: bool,
    noise: f64,
    tie_width: f64,
}

impl AnswersSettings {
    fn read(section: Option<Section<'_>>, folder: &Path) -> Result<Self> {
        let mut out =
            Self { file: folder.join(DEFAULT_ANSWERS), given: section.is_some(), noise: DEFAULT_NOISE, tie_width: 0.0 };
        let Some(section) = section else { return Ok(out) };
        section.check_keys(&["file", "noise", "tie_width"])?;
        if let Some(file) = locate(&section, folder, "file")? {
            out.file = file.value;
        }
        out.noise = section.positive("noise")?.unwrap_or(out.noise);
        out.tie_width = section.not_negative("tie_width")?.unwrap_or(out.tie_width);
        Ok(out)
    }

    fn log(&self, items: &Items) -> Result<AnswerLog> {
        if is_begun(&self.file) { read_answers(&self.file, items) } else { Ok(AnswerLog::default()) }
    }
}

fn items_of_answers(file: &Path, answers: &AnswersSettings) -> Result<ItemTable> {
    if !answers.given {
        return Err(InputError::new(file, "a table [items], or [answers] with a file whose items are meant")
            .hint("write for example [items] and below it file = \"items.csv\"")
            .into());
    }
    let items = read_answer_items(&answers.file)?;
    Ok(ItemTable { items, other: TextColumns::default() })
}

fn read_ask(section: Section<'_>) -> Result<Ask> {
    section.check_keys(&["goal", "k", "strategy", "focus", "repeat", "seed"])?;
    let default = Ask::default();
    let k = section.whole("k", 1, u64::from(u32::MAX))?;
    let goals = [("best", Goal::Best), ("top", Goal::Top { k: 0 }), ("whole-order", Goal::WholeOrder)];
    let goal = match (section.word("goal", &goals)?.unwrap_or(default.goal), k) {
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

/// The kinds of kernel.
#[derive(Clone, Copy)]
enum Kind {
    SquaredExponential,
    Matern32,
    Matern52,
    Linear,
    Polynomial,
    Cosine,
    Independent,
    RegularizedLaplacian,
    CommonCause,
    Diffusion,
    DirectedLaplacian,
}

const KINDS: [(&str, Kind); 11] = [
    ("squared-exponential", Kind::SquaredExponential),
    ("matern-3/2", Kind::Matern32),
    ("matern-5/2", Kind::Matern52),
    ("linear", Kind::Linear),
    ("polynomial", Kind::Polynomial),
    ("cosine", Kind::Cosine),
    ("independent", Kind::Independent),
    ("regularized-laplacian", Kind::RegularizedLaplacian),
    ("common-cause", Kind::CommonCause),
    ("diffusion", Kind::Diffusion),
    ("directed-laplacian", Kind::DirectedLaplacian),
];

impl Kind {
    /// The keys besides `kind` and `weight`.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::SquaredExponential | Self::Matern32 | Self::Matern52 => &["kappa", "rho", "relation", "as"],
            Self::Linear | Self::Cosine => &["kappa", "relation", "as"],
            Self::Polynomial => &["kappa", "offset", "degree", "relation", "as"],
            Self::Independent => &[],
            Self::RegularizedLaplacian => &["relation", "as", "beta", "iota"],
            Self::CommonCause => &["relation", "as", "form"],
            Self::Diffusion => &["relation", "as", "beta"],
            Self::DirectedLaplacian => &["relation", "beta", "iota"],
        }
    }
}

/// Reads `[[kernel]]` tables and the relations they name.
struct Kernels<'a> {
    folder: &'a Path,
    items: &'a Items,
    relations: Vec<Relation>,
    /// The other things of each relation that leads to some.
    things: Vec<Option<Things>>,
    /// The file of each relation, and whether its targets are other things.
    files: Vec<(PathBuf, bool)>,
}

impl Kernels<'_> {
    fn read(&mut self, part: &Placed<Section<'_>>) -> Result<KernelSpec> {
        let section = &part.value;
        let Some(kind) = section.word("kind", &KINDS)? else {
            let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
            let error = section.document.error(&part.span, "kind", "a key kind in every [[kernel]]");
            return Err(error.hint(format!("there are: {}", names.join(", "))).into());
        };
        let known: Vec<&str> = ["kind", "weight"].iter().chain(kind.keys()).copied().collect();
        section.check_keys(&known)?;
        let weight = section.positive("weight")?.unwrap_or(1.0);
        Ok(KernelSpec { weight, shape: self.shape(kind, part)? })
    }

    fn shape(&mut self, kind: Kind, part: &Placed<Section<'_>>) -> Result<Shape> {
        let section = &part.value;
        let number = |key: &str| section.positive(key).map(|number| number.unwrap_or(1.0));
        Ok(match kind {
            Kind::Independent => Shape::Independent,
            Kind::RegularizedLaplacian => Shape::RegularizedLaplacian {
                beta: number("beta")?,
                iota: number("iota")?,
                relation: self.required(part)?,
            },
            Kind::CommonCause => {
                let causes = section.word("form", &[("cliques", Causes::Cliques), ("edges", Causes::Edges)])?;
                Shape::CommonCause { causes: causes.unwrap_or(Causes::Edges), relation: self.required(part)? }
            }
            Kind::Diffusion => Shape::Diffusion { beta: number("beta")?, relation: self.required(part)? },
            Kind::DirectedLaplacian => Shape::DirectedLaplacian {
                beta: number("beta")?,
                iota: number("iota")?,
                relation: self.required(part)?.relation,
            },
            _ => {
                let over = match self.relation(section)? {
                    Some(relation) => Over::Relation(relation),
                    None if section.table.contains_key("as") => {
                        let error = section.reject("as", "a key relation beside it");
                        return Err(error.hint("delete the key, or name the file of links: relation").into());
                    }
                    None if self.items.attributes().is_empty() => return Err(no_attributes(section)),
                    None => Over::Attributes,
                };
                Shape::Vector { form: self.form(kind, section, over)?, over }
            }
        })
    }

    fn form(&self, kind: Kind, section: &Section<'_>, over: Over) -> Result<Form> {
        let kappa = section.positive("kappa")?.unwrap_or(1.0);
        Ok(match kind {
            Kind::Linear => Form::Linear { kappa },
            Kind::Cosine => Form::Cosine { kappa },
            Kind::Polynomial => Form::Polynomial {
                kappa,
                offset: section.not_negative("offset")?.unwrap_or(1.0),
                degree: section.whole("degree", 1, 100)?.unwrap_or(2) as u32,
            },
            Kind::Matern32 => Form::Matern32 { kappa, rho: self.rho(section, over)? },
            Kind::Matern52 => Form::Matern52 { kappa, rho: self.rho(section, over)? },
            _ => Form::SquaredExponential { kappa, rho: self.rho(section, over)? },
        })
    }

    /// The inverse length. Without one it is `1/√d` for d attributes: two standardized items are `√(2d)` apart on
    /// average, so that this keeps typical items alike to the same degree whatever d.
    fn rho(&self, section: &Section<'_>, over: Over) -> Result<Rho> {
        let count = self.items.attributes().len();
        match (section.positives("rho")?, over) {
            (Some(Numbers::One(rho)), _) => Ok(Rho::Shared(rho)),
            (Some(Numbers::Many(each)), Over::Attributes) if each.len() == count => Ok(Rho::Each(each)),
            (Some(Numbers::Many(_)), Over::Attributes) => {
                let names = self.items.attributes().names().join(", ");
                Err(section.reject("rho", format!("one number, or {count}: one for each of {names}")).into())
            }
            (Some(Numbers::Many(_)), Over::Relation(_)) => {
                Err(section.reject("rho", "one number, as the vectors are rows of a relation").into())
            }
            (None, Over::Attributes) => Ok(Rho::Shared(1.0 / (count as f64).sqrt())),
            (None, Over::Relation(_)) => Ok(Rho::Shared(DEFAULT_RELATION_RHO)),
        }
    }

    fn required(&mut self, part: &Placed<Section<'_>>) -> Result<RelationSpec> {
        self.relation(&part.value)?.ok_or_else(|| {
            let document = part.value.document;
            let error = document.error(&part.span, "relation", "a key relation: the file of links");
            error.hint("write for example relation = \"links.csv\"").into()
        })
    }

    /// The relation a kernel names, read once for all kernels that read it in the same way.
    fn relation(&mut self, section: &Section<'_>) -> Result<Option<RelationSpec>> {
        let Some(file) = locate(section, self.folder, "relation")? else { return Ok(None) };
        let roles = [
            ("undirected", Role::Undirected),
            ("linking", Role::Linking),
            ("linked", Role::Linked),
            ("bipartite", Role::Bipartite),
        ];
        let role = section.word("as", &roles)?.unwrap_or(Role::Undirected);
        check_exists(section, &file, "relation")?;
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

fn no_attributes(section: &Section<'_>) -> Error {
    section
        .reject("kind", "a kernel that needs no attributes, as the items have none")
        .hint("name a relation for it, give the items numeric columns, or use \"independent\"")
        .into()
}
