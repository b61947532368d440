//! A first project file for data at hand.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::answers::{Layout, read_answer_ids, read_answer_items, read_answers};
use super::items::{ItemTable, ItemsSpec, Missing, items_from, numeric_columns};
use super::project::{DEFAULT_NOISE, PROJECT_FILE};
use super::relations::read_relation;
use super::table::{LastLine, Rows, Table};
use crate::data::{Items, Outcome};
use crate::{Error, InputError, Result};

/// What a table is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Description {
    /// A table of answers.
    Answers {
        /// How many items they name.
        items: usize,
    },
    /// A table of items.
    Items {
        /// How many there are.
        items: usize,
        /// How its columns are best read.
        spec: ItemsSpec,
        /// How many cells of attributes are empty.
        holes: usize,
    },
}

/// Columns that are taken for groups if the table has one.
const GROUPS: [&str; 4] = ["group", "query", "qid", "topic"];

/// Says whether a table holds items or answers (by its header), and what its columns seem to be.
///
/// # Errors
/// If the file cannot be read, or no column can be the ids of items.
pub fn describe(path: impl AsRef<Path>) -> Result<Description> {
    let path = path.as_ref();
    if is_answers(path)? {
        return Ok(Description::Answers { items: read_answer_ids(path)?.len() });
    }
    describe_items(&Table::read(path)?, &[])
}

fn is_answers(path: &Path) -> Result<bool> {
    Rows::open(path, LastLine::Free).map(|rows| Layout::find(&rows).is_some())
}

/// Reads the columns of a table of items; `answered` are ids that the id column must hold.
fn describe_items(table: &Table, answered: &[String]) -> Result<Description> {
    let group = GROUPS.iter().find(|name| table.columns().iter().any(|column| column == *name));
    let group = group.map(|name| (*name).to_owned());
    let id = id_column(table, group.as_deref(), answered)?;
    // A column "id" that is not the id numbers the items but does not describe them.
    let chosen = |&at: &usize| {
        let name = &table.columns()[at];
        *name != id && name != "id" && Some(name) != group.as_ref()
    };
    let attributes: Vec<usize> = numeric_columns(table).into_iter().filter(chosen).collect();
    let hole = |column: &usize| (0..table.len()).filter(|&row| table.cell(row, *column).trim().is_empty()).count();
    let holes: usize = attributes.iter().map(hole).sum();
    let names = attributes.iter().map(|&at| table.columns()[at].clone()).collect();
    let missing = if holes > 0 { Missing::Mean } else { Missing::Error };
    let mut spec = ItemsSpec { id, attributes: Some(names), group, missing };
    let ItemTable { items, .. } = items_from(table, &spec)?;
    if items.attributes().standardized(items.groups()).is_err() {
        // Attributes that are the same for all items say nothing of them.
        spec.attributes = Some(Vec::new());
    }
    Ok(Description::Items { items: items.len(), spec, holes })
}

/// `id` if there is such a column and it fits, else the first column of text that does, else of whole numbers: every cell
/// filled and different (within the group), and every item that was answered about among them.
fn id_column(table: &Table, group: Option<&str>, answered: &[String]) -> Result<String> {
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
    let numeric = numeric_columns(table);
    let whole = |column: usize| (0..table.len()).all(|row| table.cell(row, column).parse::<i64>().is_ok());
    let texts = (0..table.columns().len()).filter(|column| !numeric.contains(column));
    // Measurements are often all different too, but nobody calls an item 0.00632.
    let numbers = numeric.iter().copied().filter(|&column| whole(column));
    let found = named.into_iter().chain(texts).chain(numbers).find(fits);
    found.map(|at| table.columns()[at].clone()).ok_or_else(|| {
        let error = InputError::new(table.path(), "a column of ids: filled, and different for every item");
        let more = if answered.is_empty() { "" } else { ", with every item of the answers" };
        error.hint(format!("give the table such a column and name it \"id\"{more}")).into()
    })
}

/// What a project is to be made of.
#[derive(Debug, Clone, Default)]
pub struct Sketch {
    /// The folder the project file will stand in; files inside it are named relative to it.
    pub folder: PathBuf,
    /// A table of items, or of answers whose items are meant.
    pub file: PathBuf,
    /// Answers, if `file` is a table of items; `answers.csv` if not given.
    pub answers: Option<PathBuf>,
    /// Lists of links between the items.
    pub relations: Vec<PathBuf>,
}

/// The text of a commented project file with kernels that suit the data.
///
/// # Errors
/// If a file cannot be read or does not fit the others.
pub fn project_text(sketch: &Sketch) -> Result<String> {
    let mut text =
        String::from("# An Ordain project: what is ordered, what makes items alike, and what was answered.\n");
    let (items, answers, attributes) = if is_answers(&sketch.file)? {
        let items = read_answer_items(&sketch.file)?;
        text.push_str("\n# The items are those named in the answers.\n");
        (items, Some(&sketch.file), 0)
    } else {
        let answered = sketch.answers.as_deref().filter(|path| begun(path)).map(read_answer_ids).transpose()?;
        let table = Table::read(&sketch.file)?;
        let Description::Items { spec, holes, .. } = describe_items(&table, &answered.unwrap_or_default())? else {
            return Err(InputError::new(&sketch.file, "a table of items").into());
        };
        let items = items_from(&table, &spec)?.items;
        text.push_str(&items_text(sketch, &spec, holes)?);
        let attributes = items.attributes().len();
        (items, sketch.answers.as_ref(), attributes)
    };
    if attributes > 0 {
        let _ = write!(text, "{}", attributes_kernel(attributes));
    }
    for relation in &sketch.relations {
        text.push_str(&relation_kernel(sketch, relation, &items)?);
    }
    let alone = attributes == 0 && sketch.relations.is_empty();
    text.push_str(&independent_kernel(alone));
    text.push_str(&answers_text(sketch, answers.map(PathBuf::as_path), &items)?);
    Ok(text)
}

/// Whether a log has anything in it.
fn begun(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| about.len() > 0)
}

/// A tie width for answers of which this share are ties. A difference of two utilities of variance 1, seen through noise
/// of variance 1, is normal with variance 3, and falls within `±width` with probability `2 width / √(6π)` for a small
/// width; tuning finds a better one, but with none at all a tie would be impossible.
fn tie_width(share: f64) -> f64 {
    let width = share * (6.0 * std::f64::consts::PI).sqrt() / 2.0;
    (width * 100.0).ceil() / 100.0
}

fn items_text(sketch: &Sketch, spec: &ItemsSpec, holes: usize) -> Result<String> {
    let names: Vec<String> = spec.attributes.iter().flatten().map(|name| quoted(name)).collect();
    let mut text = format!("\n[items]\nfile = {}\nid = {}\n", named(sketch, &sketch.file)?, quoted(&spec.id));
    let _ = writeln!(text, "attributes = [{}]  # numbers that describe an item", names.join(", "));
    if let Some(group) = &spec.group {
        let _ = writeln!(text, "group = {}  # only items of one group are compared", quoted(group));
    }
    if spec.missing == Missing::Mean {
        let _ = writeln!(text, "missing = \"mean\"  # {holes} empty cells get the mean of their column; or \"error\"");
    }
    text.push_str("standardize = true  # every attribute to mean 0 and standard deviation 1\n");
    Ok(text)
}

fn attributes_kernel(attributes: usize) -> String {
    format!(
        "\n# Items with similar attributes have similar utilities.\n[[kernel]]\nkind = \"squared-exponential\"\n\
         weight = 1.0\nkappa = 1.0\nrho = {:?}  # inverse length: 1/sqrt({attributes}) for {attributes} attributes\n",
        1.0 / (attributes as f64).sqrt()
    )
}

fn relation_kernel(sketch: &Sketch, file: &Path, items: &Items) -> Result<String> {
    let role = match read_relation(file, items, false) {
        Ok(_) => "undirected",
        // Links whose sources are items and whose targets are not lead to other things.
        Err(error) => read_relation(file, items, true).map(|_| "bipartite").map_err(|_| error)?,
    };
    let says = if role == "bipartite" { "linked to the same things" } else { "linked to each other" };
    Ok(format!(
        "\n# Items {says} have similar utilities.\n[[kernel]]\nkind = \"regularized-laplacian\"\nrelation = {}\n\
         as = \"{role}\"  # or \"undirected\", \"linking\", \"linked\", \"bipartite\"\nweight = 1.0\nbeta = 1.0\niota = 1.0\n",
        named(sketch, file)?
    ))
}

fn independent_kernel(alone: bool) -> String {
    let weight = if alone { "1.0" } else { "0.5" };
    format!("\n# What is the item's own.\n[[kernel]]\nkind = \"independent\"\nweight = {weight}\n")
}

fn answers_text(sketch: &Sketch, answers: Option<&Path>, items: &Items) -> Result<String> {
    let file = answers.map_or_else(|| Ok(quoted("answers.csv")), |file| named(sketch, file))?;
    let log = answers.filter(|path| begun(path)).map(|path| read_answers(path, items)).transpose()?.unwrap_or_default();
    let standing = log.standing();
    let ties = standing.iter().filter(|answer| answer.outcome == Outcome::Tie).count();
    let width = tie_width(ties as f64 / standing.len().max(1) as f64);
    Ok(format!(
        "\n[answers]\nfile = {file}  # appended to, never rewritten\nnoise = {DEFAULT_NOISE:?}\n\
         tie_width = {width:?}  # {ties} of {} answers are ties\n\
         \n[ask]\ngoal = \"whole-order\"  # or \"best\", or \"top\" with k = 10\nrepeat = false  # ask a pair again?\nseed = 1\n",
        standing.len()
    ))
}

/// A file as the project names it: from its folder if it stands inside, else in full.
fn named(sketch: &Sketch, file: &Path) -> Result<String> {
    let io = |source| Error::Io { action: "find", path: file.to_path_buf(), source };
    let full = std::path::absolute(file).map_err(io)?;
    let folder = if sketch.folder.as_os_str().is_empty() { Path::new(".") } else { &sketch.folder };
    let folder = std::path::absolute(folder).map_err(io)?;
    let name = full.strip_prefix(&folder).unwrap_or(&full);
    match name.to_str() {
        Some(name) => Ok(quoted(name)),
        None => Err(InputError::new(file, "a file name in UTF-8").into()),
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
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

/// Writes a project file into a folder; one that is there already stays as it is.
///
/// # Errors
/// If there is one already, or it cannot be written.
pub fn write_project(folder: impl AsRef<Path>, text: &str) -> Result<PathBuf> {
    let path = folder.as_ref().join(PROJECT_FILE);
    let failed = |source: std::io::Error| Error::Io { action: "create", path: path.clone(), source };
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(failed)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|source| {
        // A half project would be read as a whole one.
        let _ = std::fs::remove_file(&path);
        failed(source)
    })?;
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
        assert!(Path::new(named(&sketch("p"), Path::new("x.csv")).unwrap().trim_matches('"')).is_absolute());
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
