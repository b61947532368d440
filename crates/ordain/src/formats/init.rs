//! The draft of a first project file for given data.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use super::answers::{Layout, is_begun, read_answer_ids, read_answer_items, read_answers};
use super::items::{Content, ItemsSpec, Missing, content, items_from, not_a_number};
use super::project::PROJECT_FILE;
use super::relations::read_relation;
use super::table::{LastLine, Rows, Table};
use super::whole::write_new;
use crate::data::{Items, Outcome};
use crate::error::{LONGEST_TOKEN, beginning};
use crate::kernel::Role;
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
        /// The number of empty cells of attributes.
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

/// Columns that are read as groups if the table has one.
const GROUPS: [&str; 4] = ["group", "query", "qid", "topic"];

/// Says whether a table holds items or answers (by its header), and what its columns seem to be.
///
/// # Errors
/// If the file cannot be read, or no column can hold the ids of items.
pub fn describe(path: impl AsRef<Path>) -> Result<Description> {
    let path = path.as_ref();
    let Some(table) = items_table(path)? else {
        return Ok(Description::Answers { items: read_answer_ids(path)?.len() });
    };
    let Described { items, spec, holes, left_out, .. } = describe_items(&table, &[])?;
    Ok(Description::Items { items: items.len(), spec, holes, left_out })
}

/// A table of items, or none if it is a table of answers.
fn items_table(path: &Path) -> Result<Option<Table>> {
    let rows = Rows::open(path, LastLine::Free)?;
    if Layout::find(&rows).is_some() { Ok(None) } else { rows.collect().map(Some) }
}

/// A table of items in its best reading.
struct Described {
    items: Items,
    spec: ItemsSpec,
    holes: usize,
    left_out: Vec<InputError>,
    /// The reason why a column "id" is not the id.
    not_id: Option<String>,
    /// Columns of prose.
    prose: Vec<String>,
}

/// Reads the columns of a table of items. The id column must hold the ids `answered`.
fn describe_items(table: &Table, answered: &[String]) -> Result<Described> {
    let contents: Vec<Content> = (0..table.columns().len()).map(|column| content(table, column)).collect();
    let group = GROUPS.iter().find(|name| table.columns().iter().any(|column| column == *name));
    let group = group.map(|name| (*name).to_owned());
    let id = id_column(table, &contents, group.as_deref(), answered)?;
    let not_id = not_id(table, &id, group.as_deref())?;
    let mut attributes = Vec::new();
    let (mut holes, mut left_out, mut prose) = (0, Vec::new(), Vec::new());
    for (column, (name, content)) in table.columns().iter().zip(contents).enumerate() {
        // A column "id" that is not the id numbers the items but does not describe them.
        if *name == id || name == "id" || Some(name) == group.as_ref() {
            continue;
        }
        match content {
            Content::Numbers => {
                holes += (0..table.len()).filter(|&row| table.cell(row, column).trim().is_empty()).count();
                attributes.push(name.clone());
            }
            Content::Mixed(row) => left_out.push(not_a_number(table, row, column)),
            Content::Text if is_prose(table, column) => prose.push(name.clone()),
            Content::Text => {}
        }
    }
    let missing = if holes > 0 { Missing::Mean } else { Missing::Error };
    let mut spec = ItemsSpec { id, attributes: Some(attributes), prior: Vec::new(), group, missing };
    let mut items = items_from(table, &spec)?.items;
    if items.attributes().standardized(items.groups()).is_err() {
        // Attributes that are the same for all items say nothing about them.
        spec = ItemsSpec { attributes: Some(Vec::new()), missing: Missing::Error, ..spec };
        items = items_from(table, &spec)?.items;
    }
    Ok(Described { items, spec, holes, left_out, not_id, prose })
}

/// Words per cell from which a column holds prose: names, places and categories have fewer.
const PROSE: usize = 4;

/// Whether the cells of a column that are not empty have many words on average.
fn is_prose(table: &Table, column: usize) -> bool {
    let cells = (0..table.len()).map(|row| table.cell(row, column)).filter(|cell| !cell.trim().is_empty());
    let (count, all) = cells.fold((0, 0), |(count, all), cell| (count + 1, all + cell.split_whitespace().count()));
    count > 0 && all >= PROSE * count
}

/// The column of ids: `id` if it exists and fits, else the first fitting column of text, else of whole numbers, else of
/// numbers and text. A column fits if every cell is filled and different (within the group), and it holds every
/// answered item.
fn id_column(table: &Table, contents: &[Content], group: Option<&str>, answered: &[String]) -> Result<String> {
    let group = group.map(|name| table.column(name)).transpose()?;
    let fits = |&column: &usize| {
        let mut seen = HashSet::new();
        let different = (0..table.len()).all(|row| {
            let cell = table.cell(row, column);
            !cell.is_empty() && seen.insert((group.map(|at| table.cell(row, at)), cell))
        });
        let ids: HashSet<&str> = seen.iter().map(|(_, id)| *id).collect();
        different && Some(column) != group && answered.iter().all(|id| ids.contains(id.as_str()))
    };
    let named = table.columns().iter().position(|name| name == "id");
    // Measurements are often all different too, but nobody calls an item 0.00632.
    let whole = |column: usize| (0..table.len()).all(|row| table.cell(row, column).parse::<i64>().is_ok());
    let rank = |column: usize| match contents[column] {
        _ if Some(column) == named => Some(0),
        Content::Text => Some(1),
        Content::Numbers => whole(column).then_some(2),
        Content::Mixed(_) => Some(3),
    };
    let mut candidates: Vec<usize> = (0..contents.len()).filter(|&column| rank(column).is_some()).collect();
    candidates.sort_by_key(|&column| rank(column));
    let found = candidates.into_iter().find(fits);
    found.map(|at| table.columns()[at].clone()).ok_or_else(|| {
        let error = InputError::new(table.path(), "a column of ids: filled, and different for every item");
        let more = if answered.is_empty() { "" } else { ", with every item of the answers" };
        error.hint(format!("give the table such a column and name it \"id\"{more}")).into()
    })
}

/// The reason why the column "id" is not the one taken, if there is one.
fn not_id(table: &Table, taken: &str, group: Option<&str>) -> Result<Option<String>> {
    let Some(column) = table.columns().iter().position(|name| name == "id").filter(|_| taken != "id") else {
        return Ok(None);
    };
    let group = group.map(|name| table.column(name)).transpose()?;
    let mut seen = HashSet::new();
    let wrong = (0..table.len()).find_map(|row| {
        let (cell, line) = (table.cell(row, column), table.line(row));
        let place = group.map(|at| table.cell(row, at));
        match seen.insert((place, cell)) {
            _ if cell.is_empty() => Some(format!("is empty in line {line}")),
            true => None,
            false => Some(format!("repeats \"{cell}\" in line {line}")),
        }
    });
    let why = wrong.unwrap_or_else(|| "lacks items of the answers".into());
    Ok(Some(format!("column \"id\" {why}, so column {} names the items", quoted(taken))))
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
}

/// A project file that has not been written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its text, with comments.
    pub text: String,
    /// Remarks for a person, one sentence each. The comments contain them too.
    pub remarks: Vec<String>,
}

/// Drafts a commented project file with kernels that suit the data.
///
/// # Errors
/// If a file cannot be read or does not fit the others.
pub fn draft_project(sketch: &Sketch) -> Result<Draft> {
    let mut text =
        String::from("# An Ordain project: the items, the kernels that make them similar, and the answers.\n");
    let mut remarks = Vec::new();
    let (items, prose, answers) = match items_table(&sketch.file)? {
        None => {
            text.push_str("\n# The items are those named in the answers.\n");
            (read_answer_items(&sketch.file)?, Vec::new(), Some(sketch.file.as_path()))
        }
        Some(table) => {
            let answers = sketch.answers.as_deref();
            let answered = answers.filter(|path| is_begun(path)).map(read_answer_ids).transpose()?;
            let described = describe_items(&table, &answered.unwrap_or_default())?;
            remarks.extend(described.not_id.clone());
            remarks.extend(described.left_out.iter().map(left_out));
            text.push_str(&items_text(sketch, &described, &remarks)?);
            (described.items, described.prose, answers)
        }
    };
    let attributes = items.attributes().len();
    if attributes > 0 {
        text.push_str(&attributes_kernel(attributes));
    } else if !prose.is_empty() {
        text.push_str(&text_kernel(&prose));
    }
    for relation in &sketch.relations {
        text.push_str(&relation_kernel(sketch, relation, &items)?);
    }
    text.push_str(&independent_kernel());
    let others = usize::from(attributes > 0 || !prose.is_empty()) + sketch.relations.len();
    let squared_weights = USUAL_OWN_WEIGHT.powi(2) + others as f64 * USUAL_WEIGHT.powi(2);
    text.push_str(&answers_text(sketch, answers, &items, squared_weights)?);
    Ok(Draft { text, remarks })
}

/// Says why a column is not an attribute.
fn left_out(cell: &InputError) -> String {
    let (column, more) = beginning(cell.column.as_deref().unwrap_or_default(), LONGEST_TOKEN);
    let column = quoted(&format!("{column}{more}"));
    let found = cell.found.as_deref().unwrap_or_default();
    let line = cell.line.unwrap_or_default();
    format!("column {column} is left out of the attributes: line {line} has \"{found}\" where a number should be")
}

/// A tie width for answers with so many ties among them, under kernels with this sum of squared weights: the prior of the project
/// then expects that share of ties. The difference of two items that are not alike is normal with twice the sum as its variance; the noise
/// in the middle of its prior adds a thousandth. One tie in ten is expected before any answer, which counts like ten answers, so the width is never 0
/// and ties work at once.
fn tie_width(ties: usize, answers: usize, squared_weights: f64) -> f64 {
    let share = (ties as f64 + 1.0) / (answers as f64 + 10.0);
    let width = normal::quantile(0.5 * (1.0 + share)) * (2.0 * squared_weights).sqrt();
    (width * 100.0).ceil() / 100.0
}

fn items_text(sketch: &Sketch, described: &Described, remarks: &[String]) -> Result<String> {
    let Described { spec, holes, .. } = described;
    let names: Vec<String> = spec.attributes.iter().flatten().map(|name| quoted(name)).collect();
    let mut text = format!("\n[items]\nfile = {}\nid = {}\n", named(sketch, &sketch.file)?, quoted(&spec.id));
    let _ = writeln!(text, "attributes = [{}]  # numbers that describe an item", names.join(", "));
    for remark in remarks {
        let _ = writeln!(text, "# {remark}");
    }
    if let Some(group) = &spec.group {
        let _ = writeln!(text, "group = {}  # only items of one group are compared", quoted(group));
    }
    if spec.missing == Missing::Mean {
        let cells = if *holes == 1 { "cell gets" } else { "cells get" };
        let _ = writeln!(text, "missing = \"mean\"  # {holes} empty {cells} the mean of the column; or \"error\"");
    }
    text.push_str("standardize = true  # every attribute to mean 0 and standard deviation 1\n");
    Ok(text)
}

fn attributes_kernel(attributes: usize) -> String {
    format!(
        "\n# Items with similar attributes have similar utilities.\n[[kernel]]\nkind = \"squared-exponential\"\n\
         weight = {USUAL_WEIGHT:?}\nkappa = 1.0\nrho = {:?}  # inverse length: 1/sqrt(number of attributes)\n",
        1.0 / (attributes as f64).sqrt()
    )
}

fn text_kernel(columns: &[String]) -> String {
    let columns: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    format!(
        "\n# Items whose texts share telling words have similar utilities.\n[[kernel]]\nkind = \"text\"\ncolumns = [{}]\n\
         weight = {USUAL_WEIGHT:?}\nstem = \"english\"  # strips the endings of words; delete it for other languages\n",
        columns.join(", ")
    )
}

fn relation_kernel(sketch: &Sketch, file: &Path, items: &Items) -> Result<String> {
    let role = match read_relation(file, items, false) {
        Ok(_) => Role::Undirected,
        // Links from items to things that are not items lead to other things.
        Err(error) => read_relation(file, items, true).map(|_| Role::Bipartite).map_err(|_| error)?,
    };
    let others = Role::all().iter().filter(|other| **other != role);
    let others = others.map(|other| format!("\"{other}\"")).collect::<Vec<_>>().join(", ");
    let says = if role == Role::Bipartite { "linked to the same things" } else { "linked to each other" };
    Ok(format!(
        "\n# Items {says} have similar utilities.\n[[kernel]]\nkind = \"regularized-laplacian\"\nrelation = {}\n\
         as = \"{role}\"  # or {others}\nweight = {USUAL_WEIGHT:?}\nbeta = 1.0\niota = 1.0\n",
        named(sketch, file)?
    ))
}

fn independent_kernel() -> String {
    format!(
        "\n# Each item's own part of the utility.\n[[kernel]]\nkind = \"independent\"\nweight = {USUAL_OWN_WEIGHT:?}\n"
    )
}

fn answers_text(sketch: &Sketch, answers: Option<&Path>, items: &Items, squared_weights: f64) -> Result<String> {
    let file = answers.map_or_else(|| Ok(quoted("answers.csv")), |file| named(sketch, file))?;
    let log = answers.filter(|path| is_begun(path)).map(|path| read_answers(path, items)).transpose()?;
    let log = log.unwrap_or_default();
    let mut standing = log.standing();
    standing.retain(|answer| matches!(answer.outcome, Outcome::First | Outcome::Second | Outcome::Tie));
    let ties = standing.iter().filter(|answer| answer.outcome == Outcome::Tie).count();
    let width = tie_width(ties, standing.len(), squared_weights);
    Ok(format!(
        "\n[answers]\nfile = {file}  # appended to, never rewritten\nnoise = \"learn\"  # how consistent the judge is; or a number\n\
         tie_width = {width:?}  # differences this small are ties; ties among the answers: {ties} of {}\n\
         \n[ask]\ngoal = \"whole-order\"  # or \"top-heavy\", \"best\", or \"top\" with k = 10\n\
         repeat = false  # true: pairs may be asked again\nseed = 1\n",
        standing.len()
    ))
}

/// The name of a file in the project: relative to the project's folder, or absolute if the two share only the root.
fn named(sketch: &Sketch, file: &Path) -> Result<String> {
    let io = |source| Error::Io { action: "find", path: file.to_path_buf(), source };
    let full = std::path::absolute(file).map_err(io)?;
    let folder = if sketch.folder.as_os_str().is_empty() { Path::new(".") } else { &sketch.folder };
    let folder = std::path::absolute(folder).map_err(io)?;
    let name = match full.strip_prefix(&folder) {
        Ok(inside) => inside.to_path_buf(),
        Err(_) => relative(&folder, &full).unwrap_or(full),
    };
    match name.to_str() {
        Some(name) => Ok(quoted(name)),
        None => Err(InputError::new(file, "a file name in UTF-8").hint("rename the file").into()),
    }
}

/// The path from a folder to a file outside it, if they share more than the root.
fn relative(folder: &Path, file: &Path) -> Option<PathBuf> {
    // The file's own name stays as it is, even if it is a link.
    let (folder, place) = (resolved(folder)?, resolved(file.parent()?)?);
    let common = folder.components().zip(place.components()).take_while(|(one, other)| one == other);
    let common: PathBuf = common.map(|(one, _)| one).collect();
    if !common.components().any(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let up = folder.strip_prefix(&common).ok()?.components().map(|_| Component::ParentDir);
    let down = place.strip_prefix(&common).ok()?.components();
    Some(up.chain(down).collect::<PathBuf>().join(file.file_name()?))
}

/// A folder without `..` and symbolic links, which would make `..` lead elsewhere. It need not exist yet.
fn resolved(folder: &Path) -> Option<PathBuf> {
    match folder.canonicalize() {
        Ok(full) => Some(full),
        Err(_) => Some(resolved(folder.parent()?)?.join(folder.file_name()?)),
    }
}

/// A TOML string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_the_folder() {
        let sketch = |folder: &str| Sketch { folder: folder.into(), ..Sketch::default() };
        assert_eq!(named(&sketch(""), Path::new("a b.csv")).unwrap(), "\"a b.csv\"");
        assert_eq!(named(&sketch("."), Path::new("./x.csv")).unwrap(), "\"x.csv\"");
        assert_eq!(named(&sketch("p"), Path::new("p/x.csv")).unwrap(), "\"x.csv\"");
        assert_eq!(named(&sketch("p"), Path::new("x.csv")).unwrap(), "\"../x.csv\"");
        assert_eq!(named(&sketch("p/q"), Path::new("r/x.csv")).unwrap(), "\"../../r/x.csv\"");
        assert_eq!(named(&sketch("src/../p"), Path::new("./src/x.csv")).unwrap(), "\"../src/x.csv\"");
        let far = if cfg!(windows) { "Z:\\x.csv" } else { "/x.csv" };
        assert_eq!(named(&sketch("p"), Path::new(far)).unwrap(), quoted(far));
    }

    #[test]
    fn every_text_becomes_the_same_text() {
        for text in ["", "plain", "a\"b", "back\\slash", "tab\tline\n", "\u{7f}\u{1}", "äß€𝄞", "''"] {
            let toml = format!("x = {}", quoted(text));
            let table = toml::de::DeTable::parse(&toml).unwrap();
            assert_eq!(table.get_ref().get("x").unwrap().get_ref().as_str(), Some(text));
        }
    }
}
