//! Items from a table.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::numbers::{Columns, Content, Decimal, Value, value};
use super::table::Table;
use crate::data::{Attributes, Groups, ItemId, Items, Lookup, Prior};
use crate::words::{suggestion, vocabulary};
use crate::{Error, InputError, Result};

/// The meaning of the columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemsSpec {
    /// Whether the first line names the columns. If not, they are called 1, 2, 3 and so on.
    pub header: bool,
    /// The column of ids.
    pub id: String,
    /// The columns of attributes. Default: every numeric column that is not one of the prior.
    pub attributes: Option<Vec<String>>,
    /// The columns whose weighted sum is the prior mean of the utilities.
    pub prior: Vec<String>,
    /// The column of groups, if items are in groups.
    pub group: Option<String>,
    /// The meaning of a missing number in an attribute or in the prior.
    pub missing: Missing,
}

impl Default for ItemsSpec {
    fn default() -> Self {
        Self {
            header: true,
            id: "id".into(),
            attributes: None,
            prior: Vec::new(),
            group: None,
            missing: Missing::Error,
        }
    }
}

/// The meaning of a missing number in an attribute: an empty cell, or one that says `NA`, `n/a`, `NaN`, `null`, `-` or
/// `?`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// An error.
    #[default]
    Error,
    /// The mean of the column, over all items that have a number there.
    Mean,
}

vocabulary! { Missing, "meaning of a missing number";
    Error = "error", "a missing number in an attribute or in the prior is a mistake";
    Mean = "mean", "a missing number in an attribute or in the prior is the mean of the column";
}

/// Items and the other columns of their table.
#[derive(Debug, Clone)]
pub struct ItemTable {
    /// The items, with attributes and prior as in the file. The weights of the prior are 1.
    pub items: Items,
    /// The columns that are neither id, group, attribute nor prior, as text.
    pub other: TextColumns,
    /// How the numbers were read.
    pub(super) marks: Marks,
}

/// The decimal marks of the columns of attributes and of the prior; none where every cell reads the same with either.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    pub(super) attributes: Vec<Option<Decimal>>,
    pub(super) prior: Vec<Option<Decimal>>,
}

/// Columns of text, one cell per item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextColumns {
    names: Vec<String>,
    columns: Vec<Vec<String>>,
}

impl TextColumns {
    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The cells of some columns that are there, joined by line feeds, for every item.
    pub(crate) fn joined(&self, names: &[String]) -> Vec<String> {
        let columns: Vec<&[String]> = names.iter().filter_map(|name| self.get(name)).collect();
        let items = self.columns.first().map_or(0, Vec::len);
        let text = |item: usize| columns.iter().map(|column| column[item].as_str()).collect::<Vec<_>>().join("\n");
        (0..items).map(text).collect()
    }

    /// The cells of a column, in the order of the items.
    pub fn get(&self, name: &str) -> Option<&[String]> {
        let at = self.names.iter().position(|own| own == name)?;
        Some(&self.columns[at])
    }
}

/// Reads items from a CSV, TSV, JSONL or Parquet file, one row per item. Attributes and priors are not standardized here.
///
/// Without named attributes, every column of numbers is an attribute, apart from those of the prior. In such a column
/// more than half of the cells that are not missing are finite numbers, or all others are infinite. A cell of such a
/// column that is not a finite number is an error, so a slip in a column of measurements is reported and the column is
/// not silently left out.
///
/// Numbers may have a decimal point or a decimal comma, marks between thousands, and the sign of a currency or of
/// percent: `3.14`, `3,14`, `1,234`, `$1`, `12 %`. What most cells of a column, or the other columns, show counts. A
/// number that could be read in two ways is an error.
///
/// # Errors
/// If the file cannot be read, a column is missing, an id is empty or occurs twice in a group, or a cell of an
/// attribute is not a finite number, or is one in two readings.
pub fn read_items(path: impl AsRef<Path>, spec: &ItemsSpec) -> Result<ItemTable> {
    items_from(&Table::read_with(path.as_ref(), spec.header)?, spec)
}

/// Items from a table that has already been read.
///
/// # Errors
/// Like [`read_items`].
pub(crate) fn items_from(table: &Table, spec: &ItemsSpec) -> Result<ItemTable> {
    items_filled(table, spec, [None, None])
}

/// How the numbers of other items were read, so that these are read in the same way.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// The mean of every column.
    pub(super) means: &'a [f64],
    /// The decimal mark of every column.
    pub(super) marks: &'a [Option<Decimal>],
}

/// Items from a table. `known` is about the attributes and about the prior; without it, the table's own means and marks
/// count.
pub(super) fn items_filled(table: &Table, spec: &ItemsSpec, known: [Option<Known<'_>>; 2]) -> Result<ItemTable> {
    let id = table.column(&spec.id)?;
    let group = spec.group.as_deref().map(|name| table.column(name)).transpose()?;
    let prior = requested(table, &spec.prior, "prior")?;
    let numeric = Columns::new(table);
    let attributes = match &spec.attributes {
        Some(names) => requested(table, names, "attributes")?,
        None => {
            let others: HashSet<usize> = prior.iter().copied().chain(group).chain([id]).collect();
            every_numeric(&numeric, table, &others)?
        }
    };
    if table.is_empty() {
        return Err(InputError::new(table.path(), "at least one item")
            .found("only a header")
            .hint("add a line for every item")
            .into());
    }
    if table.len() > u32::MAX as usize {
        return Err(Error::TooLarge {
            what: table.path().display().to_string(),
            size: table.len(),
            limit: u32::MAX as usize,
            method: "an item number",
        });
    }
    check_ids(table, id, group)?;
    let columns = |columns: &[usize], known: Option<Known<'_>>| -> Result<_> {
        let own = |(at, &column): (usize, &usize)| known.and_then(|known| known.marks[at]).or(numeric.mark(column));
        let marks: Vec<Option<Decimal>> = columns.iter().enumerate().map(own).collect();
        let values = numbers(table, &numeric, columns, &marks, spec.missing, known.map(|known| known.means))?;
        let names = columns.iter().map(|&at| table.columns()[at].clone()).collect();
        Ok((Attributes::new(names, table.len(), values)?, marks))
    };
    let [known_attributes, known_prior] = known;
    let (described, attribute_marks) = columns(&attributes, known_attributes)?;
    let (expected, prior_marks) = columns(&prior, known_prior)?;
    let expected = if prior.is_empty() { None } else { Some(Prior::new(expected)?) };
    let marks = Marks { attributes: attribute_marks, prior: prior_marks };
    let ids = (0..table.len()).map(|row| table.cell(row, id).to_owned()).collect();
    let groups = group.map(|at| Groups::new((0..table.len()).map(|row| table.cell(row, at))));
    let items = Items::new(ids, groups, described)?.with_prior(expected)?;
    let used: HashSet<usize> = attributes.into_iter().chain(prior).chain(group).chain([id]).collect();
    let rest: Vec<usize> = (0..table.columns().len()).filter(|at| !used.contains(at)).collect();
    let other = TextColumns {
        names: rest.iter().map(|&at| table.columns()[at].clone()).collect(),
        columns: rest.iter().map(|&at| (0..table.len()).map(|row| table.cell(row, at).to_owned()).collect()).collect(),
    };
    Ok(ItemTable { items, other, marks })
}

/// The columns that a key of `[items]` names.
fn requested(table: &Table, names: &[String], key: &str) -> Result<Vec<usize>> {
    let mut out = Vec::with_capacity(names.len());
    let mut seen = HashSet::with_capacity(names.len());
    for name in names {
        let at = table.column(name)?;
        if !seen.insert(at) {
            return Err(InputError::new(table.path(), format!("each column once in {key}"))
                .column(name)
                .hint(format!("delete one of the two from {key} under [items]"))
                .into());
        }
        out.push(at);
    }
    Ok(out)
}

/// All columns of numbers except these.
fn every_numeric(columns: &Columns<'_>, table: &Table, others: &HashSet<usize>) -> Result<Vec<usize>> {
    let mut out = Vec::new();
    for column in (0..table.columns().len()).filter(|at| !others.contains(at)) {
        match columns.content(column) {
            Content::Numbers => out.push(column),
            Content::Text => {}
            Content::Mixed(row) => {
                let hint = "mend the cell, or list the columns wanted under [items]: attributes = [...]";
                return Err(columns.wrong(row, column).hint(hint).into());
            }
            Content::Unclear(row) => return Err(columns.unclear(row, column).into()),
        }
    }
    Ok(out)
}

fn check_ids(table: &Table, id: usize, group: Option<usize>) -> Result<()> {
    let mut seen: HashMap<(&str, &str), u64> = HashMap::with_capacity(table.len());
    for row in 0..table.len() {
        let name = table.cell(row, id);
        let line = table.line(row);
        let at = |expected: &str| {
            InputError::new(table.path(), expected).line(line).column(&table.columns()[id]).found(name)
        };
        if name.is_empty() {
            return Err(at("an id").hint("give every item its own id; delete the line if it is not an item").into());
        }
        // The answer log has one answer per line, so that a torn line is one torn answer.
        if name.contains(['\n', '\r']) {
            return Err(at("an id without line breaks").hint("write the id on one line").into());
        }
        let in_group = group.map_or("", |at| table.cell(row, at));
        if let Some(first) = seen.insert((in_group, name), line) {
            let where_ = if group.is_some() { "each id once per group" } else { "each id once" };
            let error = at(where_).hint(format!("line {first} has the same id"));
            return Err(error.into());
        }
    }
    Ok(())
}

/// The cells of these columns, row by row, with their decimal marks.
fn numbers(
    table: &Table,
    numeric: &Columns<'_>,
    columns: &[usize],
    marks: &[Option<Decimal>],
    missing: Missing,
    means: Option<&[f64]>,
) -> Result<Vec<f64>> {
    let mut read = Vec::with_capacity(columns.len());
    // The first cell with the sign of another currency, or with a percent sign among numbers without.
    let mut strangers = Vec::with_capacity(columns.len());
    for (&column, mark) in columns.iter().zip(marks) {
        let mark = match mark {
            Some(mark) => *mark,
            None => numeric.decided(column).map_err(|row| numeric.unclear(row, column))?,
        };
        read.push((column, mark));
        strangers.push(numeric.other_sign(column));
    }
    let mut values = Vec::with_capacity(table.len() * columns.len());
    let mut holes = Vec::new();
    for row in 0..table.len() {
        for (&(column, mark), stranger) in read.iter().zip(&strangers) {
            let cell = table.cell(row, column);
            let wrong = |hint: &str| Error::from(numeric.wrong(row, column).hint(hint));
            values.push(match value(cell, mark) {
                Value::Number(number) if *stranger != Some(row) => number,
                Value::Number(_) | Value::Wrong => {
                    return Err(wrong("mend the cell, or leave the column out under [items]"));
                }
                Value::Missing if missing == Missing::Error => {
                    return Err(wrong(
                        "fill the cell, or set missing = \"mean\" under [items] to put the column's mean there",
                    ));
                }
                Value::Missing => {
                    holes.push(values.len());
                    f64::NAN
                }
            });
        }
    }
    match means {
        Some(means) => holes.iter().for_each(|&hole| values[hole] = means[hole % columns.len()]),
        None => fill_holes(table, columns, &mut values, &holes)?,
    }
    Ok(values)
}

/// Fills every hole with the mean of its column.
fn fill_holes(table: &Table, columns: &[usize], values: &mut [f64], holes: &[usize]) -> Result<()> {
    let width = columns.len();
    let mut means: HashMap<usize, f64> = HashMap::new();
    for &hole in holes {
        let column = hole % width;
        let mean = match means.get(&column) {
            Some(&mean) => mean,
            None => {
                let known = values[column..].iter().step_by(width).filter(|value| !value.is_nan());
                let count = known.clone().count() as f64;
                let mean = known.map(|value| value / count).sum::<f64>();
                if count == 0.0 {
                    return Err(InputError::new(table.path(), "at least one number")
                        .column(&table.columns()[columns[column]])
                        .found("only missing numbers")
                        .hint("leave the column out under [items]")
                        .into());
                }
                means.insert(column, mean);
                mean
            }
        };
        values[hole] = mean;
    }
    Ok(())
}

/// A finite number, or nothing.
pub(crate) fn number(cell: &str) -> Option<f64> {
    cell.trim().parse::<f64>().ok().filter(|value| value.is_finite())
}

/// The item that a cell of another file names.
pub(crate) fn find_item(items: &Items, place: &Place<'_>, id: &str, group: Option<&str>) -> Result<ItemId> {
    let group = group.filter(|group| items.groups().is_some() && !group.is_empty());
    let at = |expected: &str| {
        let error = InputError::new(place.path, expected).column(place.column).found(id);
        place.line.into_iter().fold(error, InputError::line)
    };
    match items.find(id, group) {
        Lookup::Found(item) => Ok(item),
        Lookup::Unknown => {
            let known = items.ids().iter().map(String::as_str);
            let mut error = at(if group.is_some() { "the id of an item of the group" } else { "the id of an item" });
            error.hint = match (items.find(id, None), group) {
                (Lookup::Found(_) | Lookup::Ambiguous(_), Some(group)) => {
                    Some(format!("the item is not in the group \"{group}\""))
                }
                _ => suggestion(id, known),
            };
            Err(error.into())
        }
        Lookup::Ambiguous(several) => Err(at("an id that only one group has")
            .hint(match place.line {
                Some(_) => {
                    format!("{} groups have this item: add a column \"group\" that names the group", several.len())
                }
                None => format!("{} groups have this item: name the group too", several.len()),
            })
            .into()),
    }
}

/// The item that somebody named outside any file. `origin` says where, for example "command line".
///
/// # Errors
/// If there is no such item, or several groups have it and none is named.
pub fn named_item(items: &Items, origin: &str, id: &str, group: Option<&str>) -> Result<ItemId> {
    find_item(items, &Place { path: Path::new(origin), line: None, column: "item" }, id, group)
}

/// Two items to be compared that somebody named outside any file.
///
/// # Errors
/// If an item does not exist, several groups have it and none is named, both are the same, or they are in different
/// groups.
pub fn named_pair(items: &Items, origin: &str, ids: [&str; 2], group: Option<&str>) -> Result<(ItemId, ItemId)> {
    let (first, second) = (named_item(items, origin, ids[0], group)?, named_item(items, origin, ids[1], group)?);
    let wrong = |expected: &str, hint: &str| InputError::new(origin, expected).column("item").found(ids[1]).hint(hint);
    if first == second {
        return Err(wrong("an item other than the first", "an item cannot be compared with itself").into());
    }
    if items.groups().is_some_and(|groups| groups.of(first) != groups.of(second)) {
        return Err(wrong("an item of the first one's group", "only items of one group are compared").into());
    }
    Ok((first, second))
}

/// The place of a cell.
pub(crate) struct Place<'a> {
    pub(crate) path: &'a Path,
    pub(crate) line: Option<u64>,
    pub(crate) column: &'a str,
}
