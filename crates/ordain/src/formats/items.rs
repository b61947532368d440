//! Items from a table.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::numbers::{Columns, Content, Decimal, Value, value};
use super::table::Table;
use crate::data::{Attributes, Groups, ItemId, Items, Lookup, Prior};
use crate::error::list_token;
use crate::words::{nearest, suggestion, vocabulary};
use crate::{Error, InputError, Result};

/// The meaning of the columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemsSpec {
    /// Whether the first line names the columns. If not, they are called 1, 2, 3 and so on.
    pub header: bool,
    /// The column of ids.
    pub id: String,
    /// The column of the names that people see, if items have names beside their ids.
    pub name: Option<String>,
    /// The columns of attributes. Default: every numeric column that is neither that of names nor one of the prior.
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
            name: None,
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
    /// The columns that are neither id, group, attribute nor prior, as text. That of names is among them.
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
/// Without named attributes, every column of numbers is an attribute, apart from those of names and of the prior. In such a column
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
    let name = spec.name.as_deref().map(|name| table.column(name)).transpose()?;
    let group = spec.group.as_deref().map(|name| table.column(name)).transpose()?;
    let prior = requested(table, &spec.prior, "prior")?;
    let numeric = Columns::new(table);
    let attributes = attribute_columns(&numeric, table, spec, &prior)?;
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
    let items = match name {
        Some(name) => items.with_names((0..table.len()).map(|row| table.cell(row, name)))?,
        None => items,
    };
    let used: HashSet<usize> = attributes.into_iter().chain(prior).chain(group).chain([id]).collect();
    let rest: Vec<usize> = (0..table.columns().len()).filter(|at| !used.contains(at)).collect();
    let other = TextColumns {
        names: rest.iter().map(|&at| table.columns()[at].clone()).collect(),
        columns: rest.iter().map(|&at| (0..table.len()).map(|row| table.cell(row, at).to_owned()).collect()).collect(),
    };
    Ok(ItemTable { items, other, marks })
}

/// The columns of attributes: those that are named, or every numeric one with no other part.
fn attribute_columns(numeric: &Columns, table: &Table, spec: &ItemsSpec, prior: &[usize]) -> Result<Vec<usize>> {
    let Some(names) = &spec.attributes else {
        let parts = [Some(&spec.id), spec.name.as_ref(), spec.group.as_ref()].into_iter().flatten();
        let parts = parts.map(|name| table.column(name)).collect::<Result<Vec<usize>>>()?;
        return every_numeric(numeric, table, &prior.iter().copied().chain(parts).collect());
    };
    requested(table, names, "attributes")
}

/// The names of the columns of attributes.
pub(super) fn attribute_names(table: &Table, spec: &ItemsSpec) -> Result<Vec<String>> {
    let columns = attribute_columns(&Columns::new(table), table, spec, &requested(table, &spec.prior, "prior")?)?;
    Ok(columns.into_iter().map(|column| table.columns()[column].clone()).collect())
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

/// All columns of numbers that have a name, except these. A column without a name is usually that of row numbers.
fn every_numeric(columns: &Columns<'_>, table: &Table, others: &HashSet<usize>) -> Result<Vec<usize>> {
    let mut out = Vec::new();
    let named = |at: &usize| !others.contains(at) && !table.columns()[*at].is_empty();
    for column in (0..table.columns().len()).filter(named) {
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

/// The item that somebody named outside any file, by its id, or by its name if no other item has that name. `origin` says where, for
/// example "command line".
///
/// # Errors
/// If there is no such item, several items have that name, or several groups have that id and none is named.
pub fn named_item(items: &Items, origin: &str, word: &str, group: Option<&str>) -> Result<ItemId> {
    let group = group.filter(|group| items.groups().is_some() && !group.is_empty());
    let place = Place { path: Path::new(origin), line: None, column: "item" };
    match items.find_called(word, group) {
        Lookup::Found(item) => Ok(item),
        Lookup::Ambiguous(several) if items.find(word, group) == Lookup::Unknown => {
            let id = |item: &ItemId| match items.group_name(*item) {
                Some(group) => format!("{} in the group {}", list_token(items.id(*item)), list_token(group)),
                None => list_token(items.id(*item)),
            };
            /// More ids would hide the question.
            const MOST: usize = 10;
            let mut ids: Vec<String> = several.iter().take(MOST).map(id).collect();
            ids.extend((several.len() > MOST).then(|| "…".into()));
            let hint = format!("{} items have this name; write the id of one: {}", several.len(), ids.join(", "));
            Err(InputError::new(origin, "a name that only one item has").column("item").found(word).hint(hint).into())
        }
        // The error is that of an id: a name that is one is known to `find_called`.
        _ => find_item(items, &place, word, group).map_err(|error| match error {
            Error::Input(error) if items.has_names() && items.find(word, None) == Lookup::Unknown => {
                let ids = items.ids().iter().map(String::as_str);
                let labels: Vec<Cow<'_, str>> = items.iter().map(|item| items.label(item)).collect();
                let hint = match nearest(word, ids.clone()) {
                    Some(_) => suggestion(word, ids),
                    None => suggestion(word, labels.iter().map(AsRef::as_ref)),
                };
                let expected = error.expected.replace("the id of", "the id or the name of");
                InputError { expected, hint, ..*error }.into()
            }
            error => error,
        }),
    }
}

/// Two items to be compared that somebody named outside any file, as in [`named_item`].
///
/// # Errors
/// If an item is not named as [`named_item`] asks, both are the same, or they are in different groups.
pub fn named_pair(items: &Items, origin: &str, words: [&str; 2], group: Option<&str>) -> Result<(ItemId, ItemId)> {
    pair_of(items, origin, words, |word| named_item(items, origin, word, group))
}

/// Several items to be compared that somebody named outside any file, as in [`named_item`].
///
/// # Errors
/// If an item is not named as [`named_item`] asks or is named twice, or two are in different groups.
pub fn named_items(items: &Items, origin: &str, words: &[&str], group: Option<&str>) -> Result<Vec<ItemId>> {
    let mut out: Vec<ItemId> = Vec::with_capacity(words.len());
    for word in words {
        let item = named_item(items, origin, word, group)?;
        let wrong =
            |expected: &str, hint: &str| InputError::new(origin, expected).column("item").found(*word).hint(hint);
        if out.contains(&item) {
            return Err(wrong("an item that is not named before", "an item cannot be compared with itself").into());
        }
        if let (Some(groups), Some(first)) = (items.groups(), out.first())
            && groups.of(*first) != groups.of(item)
        {
            return Err(wrong("an item of the first one's group", "only items of one group are compared").into());
        }
        out.push(item);
    }
    Ok(out)
}

/// Two items to be compared that a file names by their ids.
pub(crate) fn pair_of_ids(items: &Items, file: &Path, ids: [&str; 2], group: Option<&str>) -> Result<(ItemId, ItemId)> {
    let place = Place { path: file, line: None, column: "item" };
    pair_of(items, &file.to_string_lossy(), ids, |id| find_item(items, &place, id, group))
}

fn pair_of(
    items: &Items,
    origin: &str,
    words: [&str; 2],
    find: impl Fn(&str) -> Result<ItemId>,
) -> Result<(ItemId, ItemId)> {
    let (first, second) = (find(words[0])?, find(words[1])?);
    let wrong =
        |expected: &str, hint: &str| InputError::new(origin, expected).column("item").found(words[1]).hint(hint);
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
