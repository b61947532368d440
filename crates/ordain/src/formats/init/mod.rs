//! The draft of a first project file for given data.
//!
//! `header` says whether the first line of a table names its columns, `columns` what they are, `answers` what a table of
//! answers says, `kernels` which kernels suit, and `files` how a project file names its files.

mod answers;
mod columns;
mod files;
mod header;
mod kernels;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use self::answers::{Summary, check_unpacked, read_summary};
use self::columns::{Described, describe_items, shown};
use self::files::named;
pub(super) use self::files::quoted;
use self::kernels::{attributes_kernel, independent_kernel, relation_kernel, text_kernel};
use super::answers::{Layout, is_begun, read_answer_ids, read_answer_items};
use super::items::{ItemsSpec, Missing};
use super::project::PROJECT_FILE;
use super::table::{LastLine, Rows, Table};
use super::whole::write_new;
use crate::data::{Goal, Items};
use crate::error::{LONGEST_TOKEN, beginning, token};
use crate::numeric::normal;
use crate::{Error, InputError, Result};

/// The content of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Description {
    /// A table of answers.
    Answers {
        /// The number of items that they name.
        items: usize,
    },
    /// A table of items.
    Items {
        /// The number of items.
        items: usize,
        /// The best reading of its columns.
        spec: ItemsSpec,
        /// The number of missing cells of attributes.
        holes: usize,
        /// Columns of numbers that are not attributes because a cell is not a number: the first such cell of each.
        left_out: Vec<InputError>,
    },
}

/// The weight of a kernel over attributes or links in a first project.
pub const USUAL_WEIGHT: f64 = 2.0;

/// The weight of an item's own part in a first project. Utilities differ enough for a judge to get more than nine pairs
/// of ten right, and alike items may differ. A belief that trusts attributes too much stays wrong about some items,
/// however many answers come.
pub const USUAL_OWN_WEIGHT: f64 = 3.0;

/// Says whether a table holds items or answers (by its header), and what its columns seem to be.
///
/// # Errors
/// If the file cannot be read, it is not plain whether its first line is a header, no column can hold the ids of items,
/// or a number could be read in two ways.
pub fn describe(path: impl AsRef<Path>) -> Result<Description> {
    let path = path.as_ref();
    let Some(table) = items_table(path)? else {
        return Ok(Description::Answers { items: read_answer_ids(path)?.len() });
    };
    let Described { items, spec, holes, left_out, .. } = describe_items(table, &Sketch::default(), &[])?;
    Ok(Description::Items { items: items.len(), spec, holes: holes.iter().sum(), left_out })
}

/// A table of items with its first line as header, whether it is one or not; or none if it is a table of answers.
fn items_table(path: &Path) -> Result<Option<Table>> {
    let rows = Rows::open_unchecked(path, LastLine::Free)?;
    if Layout::find(&rows).is_some() { Ok(None) } else { rows.collect().map(Some) }
}

/// The parts of a new project.
#[derive(Debug, Clone, Default)]
pub struct Sketch {
    /// The folder of the project file. Files are named relative to it, so that both can be moved together, unless they
    /// share only the root with it.
    pub folder: PathBuf,
    /// A table of items, or of answers; their items are then the items of the project.
    pub file: PathBuf,
    /// Answers, if `file` is a table of items. Default: `answers.csv`.
    pub answers: Option<PathBuf>,
    /// Lists of links between the items.
    pub relations: Vec<PathBuf>,
    /// The column of ids. Default: the one that holds all items of the answers, or is called `id`, or looks like one.
    pub id: Option<String>,
    /// The column of names that people see. Default: `name`, `title` or `label`, if it holds text and is not the id.
    pub name: Option<String>,
    /// The columns of attributes. Default: all columns of numbers that differ between items.
    pub attributes: Option<Vec<String>>,
    /// Columns that are not used.
    pub ignore: Vec<String>,
    /// The column of groups. Default: `group`, `query`, `qid` or `topic`, if the table has one.
    pub group: Option<String>,
    /// The purpose of the answers. Default: the whole order.
    pub goal: Option<Goal>,
}

impl Sketch {
    /// The columns that are named.
    fn columns(&self) -> Vec<&str> {
        let single = self.id.iter().chain(&self.name).chain(&self.group);
        single.chain(self.attributes.iter().flatten()).chain(&self.ignore).map(String::as_str).collect()
    }
}

/// A project file that has not been written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its text, with comments.
    pub text: String,
    /// What was understood of the data, for a person: items, attributes, columns without use, links, answers. One line
    /// each.
    pub understood: Vec<String>,
    /// What deserves a second look, one sentence each. The comments contain what is about the items.
    pub remarks: Vec<String>,
}

/// Drafts a commented project file with kernels that suit the data.
///
/// # Errors
/// If a file cannot be read or does not fit the others, a column that is named does not exist or cannot hold what it
/// should, it is not plain what a first line or a number means, or answers are packed, so that none could be appended.
pub fn draft_project(sketch: &Sketch) -> Result<Draft> {
    let text = "# An Ordain project: the items, the kernels that make them similar, and the answers.\n".to_owned();
    let mut draft = Draft { text, understood: Vec::new(), remarks: Vec::new() };
    match items_table(&sketch.file)? {
        None => of_answers(sketch, &mut draft)?,
        Some(table) => of_items(sketch, table, &mut draft)?,
    }
    Ok(draft)
}

/// A project whose items are those that the answers name.
fn of_answers(sketch: &Sketch, draft: &mut Draft) -> Result<()> {
    let wrong = |expected: &str, found: &str, hint: &str| {
        Err(InputError::new(&sketch.file, expected).found(found).hint(hint).into())
    };
    if let Some(column) = sketch.columns().first() {
        let hint = "this is a table of answers: give the table of items, and the answers by --answers";
        return wrong("a table of items, since a column of it is named", column, hint);
    }
    if sketch.answers.is_some() {
        let hint = "leave --answers out, or give a table of items";
        return wrong("a table of items, since there are answers beside it", "a table of answers", hint);
    }
    check_unpacked(&sketch.file)?;
    draft.text.push_str("\n# The items are those named in the answers.\n");
    let items = read_answer_items(&sketch.file)?;
    draft.understood.push(format!("{}, as named in the answers", count(items.len(), "item")));
    draft.understood.extend(groups(&items, "group"));
    for relation in &sketch.relations {
        let (text, line) = relation_kernel(sketch, relation, &items, "the answers", &[])?;
        draft.text.push_str(&text);
        draft.understood.push(line);
    }
    finish(sketch, &items, Some(&sketch.file), &[], sketch.relations.len(), draft)
}

/// A project with a table of items.
fn of_items(sketch: &Sketch, table: Table, draft: &mut Draft) -> Result<()> {
    let answers = sketch.answers.as_deref();
    let begun = answers.filter(|path| is_begun(path));
    begun.map_or(Ok(()), check_unpacked)?;
    let answered = begun.map(read_answer_ids).transpose()?;
    let described = describe_items(table, sketch, &answered.unwrap_or_default())?;
    draft.remarks.extend(described.remarks.clone());
    draft.remarks.extend(described.left_out.iter().map(left_out));
    draft.understood.extend(understood(&described));
    let text = items_text(sketch, &described, &draft.remarks)?;
    draft.text.push_str(&text);
    if largest_group(&described.items) < 2 {
        draft.remarks.push("there are no two items to compare yet: add more, for example by \"ordain add\"".to_owned());
    }
    let attributes = described.items.attributes().len();
    if attributes > 0 {
        draft.text.push_str(&attributes_kernel(attributes));
    } else if !described.prose.is_empty() {
        draft.text.push_str(&text_kernel(&described.prose));
    }
    let others = described.other_ids();
    for relation in &sketch.relations {
        let column = format!("column {}", quoted(&described.spec.id));
        let (text, line) = relation_kernel(sketch, relation, &described.items, &column, &others)?;
        draft.text.push_str(&text);
        draft.understood.push(line);
    }
    let alike = usize::from(attributes > 0 || !described.prose.is_empty()) + sketch.relations.len();
    finish(sketch, &described.items, answers, &others, alike, draft)
}

/// The parts that every project has. `others` are other readings of the items, each with the column of its ids; so many kernels say that
/// items are alike.
fn finish(
    sketch: &Sketch,
    items: &Items,
    answers: Option<&Path>,
    others: &[(&str, Items)],
    alike: usize,
    draft: &mut Draft,
) -> Result<()> {
    draft.text.push_str(&independent_kernel());
    let begun = answers.filter(|path| is_begun(path));
    let summary = begun.map(|path| read_summary(path, items, others)).transpose()?;
    if let (Some(path), Some(summary)) = (begun, &summary) {
        draft.understood.push(format!("{}: {}", file_name(path), summary.sentence()));
        draft.remarks.extend(answers::fixed(path, items));
    }
    let summary = summary.unwrap_or_default();
    let squared_weights = USUAL_OWN_WEIGHT.powi(2) + alike as f64 * USUAL_WEIGHT.powi(2);
    draft.text.push_str(&answers_text(sketch, answers, &summary, squared_weights)?);
    draft.text.push_str(&ask_text(sketch, items, &summary)?);
    Ok(())
}

/// What was understood of a table of items.
fn understood(described: &Described) -> Vec<String> {
    let Described { items, spec, holes, .. } = described;
    let id = quoted(&spec.id);
    let chosen = if described.id_chosen { ", since none is called \"id\" (--id takes another one)" } else { "" };
    let mut out = vec![format!("{} by column {id}{chosen}", count(items.len(), "item"))];
    out.extend(spec.name.as_deref().map(|name| format!("shown by their names in column {}", quoted(name))));
    out.extend(spec.group.as_deref().and_then(|column| groups(items, column)));
    let attribute = |(name, missing): (&String, &usize)| match missing {
        0 => quoted(name),
        missing => format!("{} ({missing} of {} missing)", quoted(name), items.len()),
    };
    let attributes: Vec<String> = spec.attributes.iter().flatten().zip(holes).map(attribute).collect();
    out.push(match (attributes.as_slice(), described.prose.as_slice()) {
        ([], []) => "no attributes".to_owned(),
        ([], prose) => format!("no attributes; texts that are compared: {}", columns::several(prose)),
        (attributes, _) => format!("{}: {}", count(attributes.len(), "attribute"), shown(attributes.to_vec(), ", ")),
    });
    if !described.with_commas.is_empty() {
        out.push(format!("with decimal commas: {}", columns::several(&described.with_commas)));
    }
    let ignored: Vec<String> = described.unused().map(|(name, why)| format!("{}: {why}", token(name))).collect();
    if !ignored.is_empty() {
        out.push(format!("ignored: {}", shown(ignored, "; ")));
    }
    out
}

/// The groups of the items, in words.
fn groups(items: &Items, column: &str) -> Option<String> {
    let groups = count(items.groups()?.len(), "group");
    Some(format!("{groups} by column {}; only items of one group are compared", quoted(column)))
}

/// A number of things in words: `1 answer`, `2 answers`.
fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn file_name(path: &Path) -> String {
    token(&path.file_name().unwrap_or_default().to_string_lossy())
}

/// Says why a column is not an attribute.
fn left_out(cell: &InputError) -> String {
    let (column, more) = beginning(cell.column.as_deref().unwrap_or_default(), LONGEST_TOKEN);
    let column = quoted(&format!("{column}{more}"));
    let found = cell.found.as_deref().unwrap_or_default();
    let line = cell.line.unwrap_or_default();
    format!("column {column} is left out of the attributes: line {line} has \"{found}\", expected {}", cell.expected)
}

/// A tie width for answers with so many ties among them, under kernels with this sum of squared weights: the prior of the project
/// then expects that share of ties. The difference of two items that are not alike is normal with twice the sum as its variance;
/// the noise in the middle of its prior adds a thousandth. One tie in ten is expected before any answer, which counts like ten
/// answers, so the width is never 0 and ties work at once.
fn tie_width(ties: usize, answers: usize, squared_weights: f64) -> f64 {
    let share = (ties as f64 + 1.0) / (answers as f64 + 10.0);
    let width = normal::quantile(0.5 * (1.0 + share)) * (2.0 * squared_weights).sqrt();
    (width * 100.0).ceil() / 100.0
}

fn items_text(sketch: &Sketch, described: &Described, remarks: &[String]) -> Result<String> {
    let Described { spec, holes, .. } = described;
    let names: Vec<String> = spec.attributes.iter().flatten().map(|name| quoted(name)).collect();
    let mut text = format!("\n[items]\nfile = {}\n", named(sketch, &sketch.file)?);
    if !spec.header {
        text.push_str("header = false  # no line names the columns: they are called 1, 2, 3 and so on\n");
    }
    let _ = writeln!(text, "id = {}", quoted(&spec.id));
    if let Some(name) = &spec.name {
        let _ = writeln!(text, "name = {}  # what people see; ids stay in files", quoted(name));
    }
    let _ = writeln!(text, "attributes = [{}]  # numbers that describe an item", names.join(", "));
    for remark in remarks {
        let _ = writeln!(text, "# {remark}");
    }
    for (name, why) in described.unused() {
        let _ = writeln!(text, "# ignored: {}: {why}", token(name));
    }
    if let Some(group) = &spec.group {
        let _ = writeln!(text, "group = {}  # only items of one group are compared", quoted(group));
    }
    if spec.missing == Missing::Mean {
        let holes: usize = holes.iter().sum();
        let numbers = if holes == 1 { "number gets" } else { "numbers get" };
        let _ = writeln!(text, "missing = \"mean\"  # {holes} missing {numbers} the mean of the column; or \"error\"");
    }
    text.push_str("standardize = true  # every attribute to mean 0 and standard deviation 1\n");
    Ok(text)
}

/// What may be added where several people answer.
const GOLD: &str = "# gold = \"gold.csv\"  # pairs with a known answer: some questions of \"ordain ask\" are about them, and \"ordain judges\" says who is right\n\
                    # gold_rate = 0.1\n";

fn answers_text(sketch: &Sketch, answers: Option<&Path>, summary: &Summary, squared_weights: f64) -> Result<String> {
    let file = answers.map_or_else(|| Ok(quoted("answers.csv")), |file| named(sketch, file))?;
    let Summary { ties, answers, order, .. } = summary;
    let (width, sides) = (tie_width(*ties, *answers, squared_weights), order.text());
    Ok(format!(
        "\n[answers]\nfile = {file}  # appended to, never rewritten\nnoise = \"learn\"  # how consistent the judge is; or a number\n\
         tie_width = {width:?}  # differences this small are ties; ties among the answers: {ties} of {answers}\n\
         {sides}{GOLD}"
    ))
}

fn ask_text(sketch: &Sketch, items: &Items, summary: &Summary) -> Result<String> {
    let goal = sketch.goal.unwrap_or(Goal::WholeOrder);
    let others = Goal::all().iter().filter(|other| other.name() != goal.name());
    let others = others.map(|other| match other {
        Goal::Top { k } => format!("\"{other}\" with k = {k}"),
        other => format!("\"{other}\""),
    });
    let others = others.collect::<Vec<_>>().join(", ");
    let mut text = format!("\n[ask]\ngoal = \"{goal}\"  # or {others}\n");
    if let Goal::Top { k } = goal {
        let most = largest_group(items);
        if k > most {
            let of = if items.groups().is_some() { "items of the largest group" } else { "items" };
            return Err(Error::Setting {
                name: "top",
                found: k.to_string(),
                expected: format!("at most {most}, the number of {of}"),
                hint: "look for fewer items",
            });
        }
        let _ = writeln!(text, "k = {k}");
    }
    let (repeat, why) = match summary.repeated {
        0 => (false, "true: pairs may be asked again".to_owned()),
        pairs => (true, format!("the answers repeat {}; false: no pair is asked again", count(pairs, "pair"))),
    };
    let _ = writeln!(text, "repeat = {repeat}  # {why}\nseed = 1");
    Ok(text)
}

/// The largest number of items that are compared with each other.
fn largest_group(items: &Items) -> usize {
    let Some(groups) = items.groups() else { return items.len() };
    let mut sizes = vec![0; groups.len()];
    items.iter().for_each(|item| sizes[groups.of(item)] += 1);
    sizes.into_iter().max().unwrap_or(0)
}

/// Writes a project file into a folder, and creates the folder if needed. An existing project file stays as it is.
///
/// # Errors
/// If a project file exists already, or it cannot be written.
pub fn write_project(folder: impl AsRef<Path>, text: &str) -> Result<PathBuf> {
    let folder = folder.as_ref();
    let made = std::fs::create_dir_all(folder);
    made.map_err(|source| Error::Io { action: "create", path: folder.to_path_buf(), source })?;
    let path = folder.join(PROJECT_FILE);
    write_new(&path, text.as_bytes())?;
    Ok(path)
}
