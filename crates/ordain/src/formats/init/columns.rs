//! What the columns of a table of items are.

use std::collections::HashSet;

use super::super::items::{ItemsSpec, Missing, items_from};
use super::super::numbers::{Columns, Content, Decimal, is_missing};
use super::super::table::Table;
use super::Sketch;
use super::files::{quoted, typed};
use super::header::{First, first_line};
use crate::data::{Attributes, Groups, ItemId, Items, Lookup};
use crate::{Error, InputError, Result};

/// Columns that are read as groups if the table has one.
const GROUPS: [&str; 4] = ["group", "query", "qid", "topic"];

/// A table of items in its best reading.
pub(super) struct Described {
    pub(super) table: Table,
    pub(super) items: Items,
    pub(super) spec: ItemsSpec,
    /// How the column of ids was found, if nobody named it.
    pub(super) id_chosen: bool,
    /// The number of missing cells of each attribute.
    pub(super) holes: Vec<usize>,
    /// Columns that are not used, as they are shown, each with the reason.
    pub(super) ignored: Vec<(String, &'static str)>,
    /// Columns of numbers that are not attributes because a cell is not a number: the first such cell of each.
    pub(super) left_out: Vec<InputError>,
    /// Columns of prose.
    pub(super) prose: Vec<String>,
    /// The attributes with decimal commas.
    pub(super) with_commas: Vec<String>,
    /// What is unusual about the table, one sentence each.
    pub(super) remarks: Vec<String>,
}

impl Described {
    /// The columns without use, each with the reason. Texts are used only if there are no attributes.
    pub(super) fn unused(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let texts = self.prose.iter().filter(|_| !self.items.attributes().is_empty());
        let texts = texts.filter(|name| self.spec.name.as_ref() != Some(name));
        let ignored = self.ignored.iter().map(|(name, why)| (name.as_str(), *why));
        ignored.chain(texts.map(|name| (name.as_str(), "text")))
    }

    /// Other readings of the items, each with the column of its ids: every other column that could hold ids.
    pub(super) fn other_ids(&self) -> Vec<(&str, Items)> {
        let group = self.spec.group.as_deref().and_then(|name| self.table.column(name).ok());
        let columns = self.table.columns().iter().map(String::as_str).enumerate();
        let others = columns.filter(|(column, name)| {
            *name != self.spec.id && Some(*column) != group && misfit(&self.table, *column, group).is_none()
        });
        others
            .filter_map(|(column, name)| {
                let ids = (0..self.table.len()).map(|row| self.table.cell(row, column).to_owned()).collect();
                let items = Items::new(ids, self.items.groups().cloned(), Attributes::none(self.table.len()));
                Some((name, items.ok()?))
            })
            .collect()
    }
}

/// An error about an id that is not known, with the column that has it: the first with which everything fits, else the
/// first that has this one.
pub(super) fn suggesting(others: &[(&str, Items)], error: Error, fits: impl Fn(&Items) -> bool) -> Error {
    let Error::Input(mut input) = error else { return error };
    let found = input.found.clone().unwrap_or_default();
    let having = || others.iter().filter(|(_, items)| items.find(&found, None) != Lookup::Unknown);
    if let Some((column, _)) = having().find(|(_, items)| fits(items)).or_else(|| having().next()) {
        input.hint = Some(format!("column {} has this id: --id {}", quoted(column), typed(column)));
    }
    Error::Input(input)
}

/// Reads the columns of a table of items, whose first line stands as its header. The answers name the items `answered`.
pub(super) fn describe_items(table: Table, sketch: &Sketch, answered: &[String]) -> Result<Described> {
    let named = sketch.columns();
    let mut remarks = Vec::new();
    let first = first_line(&table, &named)?;
    let table = match first {
        First::Header { .. } => table,
        First::Item => table.without_header(),
    };
    table.check_names()?;
    check_named(&table)?;
    check_separated(&table)?;
    match first {
        First::Item => remarks.push(format!(
            "line {} is an item, since no line names the columns: they are called {}",
            table.line(0),
            several(table.columns())
        )),
        First::Header { assumed: true } => remarks.push(format!(
            "line {} names the columns: {}; if it is an item, write a line above it that names them",
            table.header().unwrap_or(1),
            several(table.columns())
        )),
        First::Header { assumed: false } => {}
    }
    check_roles(&table, sketch)?;
    let columns = Columns::new(&table);
    let group = match &sketch.group {
        Some(name) => Some(table.column(name)?),
        None => GROUPS.iter().find_map(|name| {
            let at = table.columns().iter().position(|column| column == name)?;
            (!named.contains(name)).then_some(at)
        }),
    };
    let Id { column: id, chosen, remark } = id_column(&table, &columns, sketch, group, answered)?;
    remarks.extend(remark);
    if chosen {
        remarks.extend(of_two_items(&table, &columns, id, group));
    }
    let name = name_column(&table, &columns, sketch, [Some(id), group])?;
    let found = attributes(&table, &columns, sketch, [Some(id), group], name)?;
    let spec = ItemsSpec {
        header: first != First::Item,
        id: table.columns()[id].clone(),
        name: name.map(|at| table.columns()[at].clone()),
        attributes: Some(names(&table, &found.attributes)),
        prior: Vec::new(),
        group: group.map(|at| table.columns()[at].clone()),
        missing: Missing::Mean,
    };
    let items = items_from(&table, &spec)?.items;
    let Found { attributes, mut ignored, left_out, prose } = found;
    // Attributes that are the same for all items say nothing about them.
    let useful = useful(items.attributes(), items.groups());
    let why = if items.groups().is_some() { "the same within every group" } else { "the same for all items" };
    let idle = attributes.iter().zip(&useful).filter(|(_, useful)| !**useful).map(|(&at, _)| (at, why));
    ignored.extend(idle);
    ignored.sort_unstable();
    let attributes: Vec<usize> =
        attributes.iter().zip(&useful).filter(|(_, useful)| **useful).map(|(&at, _)| at).collect();
    let hole = |&column: &usize| (0..table.len()).filter(|&row| is_missing(table.cell(row, column))).count();
    let holes: Vec<usize> = attributes.iter().map(hole).collect();
    let missing = if holes.iter().any(|&count| count > 0) { Missing::Mean } else { Missing::Error };
    let spec = ItemsSpec { attributes: Some(names(&table, &attributes)), missing, ..spec };
    let items = items_from(&table, &spec)?.items;
    let with_comma = |&at: &usize| columns.mark(at) == Some(Decimal::Comma);
    let with_commas = names(&table, &attributes.iter().copied().filter(with_comma).collect::<Vec<_>>());
    let called = |at: usize| match table.columns()[at].as_str() {
        "" => format!("column {}", at + 1),
        name => name.to_owned(),
    };
    let ignored = ignored.into_iter().map(|(at, why)| (called(at), why)).collect();
    Ok(Described { items, spec, id_chosen: chosen, holes, ignored, left_out, prose, with_commas, remarks, table })
}

fn names(table: &Table, columns: &[usize]) -> Vec<String> {
    columns.iter().map(|&at| table.columns()[at].clone()).collect()
}

/// Names for a sentence, at most a dozen of them.
pub(super) fn several(names: &[String]) -> String {
    shown(names.iter().map(|name| quoted(name)).collect(), ", ")
}

/// Parts of a sentence, at most a dozen of them.
pub(super) fn shown(mut parts: Vec<String>, between: &str) -> String {
    const MOST: usize = 12;
    if parts.len() > MOST {
        let more = parts.len() - MOST + 1;
        parts.truncate(MOST - 1);
        parts.push(format!("and {more} more"));
    }
    parts.join(between)
}

/// Fails if most columns that hold something have no name: then the names stand further down.
fn check_named(table: &Table) -> Result<()> {
    let filled = |column: usize| (0..table.len()).any(|row| !table.cell(row, column).trim().is_empty());
    let columns = table.columns();
    let nameless = (0..columns.len()).filter(|&at| columns[at].is_empty() && filled(at)).count();
    if 2 * nameless <= columns.len() {
        return Ok(());
    }
    let hint =
        format!("{nameless} of {} columns have no name: delete the lines above the names, or name them", columns.len());
    let error = InputError::new(table.path(), "a line that names the columns").line(table.header().unwrap_or(1));
    Err(error.found(columns.join(",").trim_end_matches(',')).hint(hint).into())
}

/// Fails if the table has one column, and all of its lines are parted as often by a sign that parts no columns.
fn check_separated(table: &Table) -> Result<()> {
    const SIGN: char = '|';
    let [name] = table.columns() else { return Ok(()) };
    let parts = name.matches(SIGN).count();
    if parts == 0 || (0..table.len()).any(|row| table.cell(row, 0).matches(SIGN).count() != parts) {
        return Ok(());
    }
    let error = InputError::new(table.path(), "cells that are separated by commas, semicolons or tabs");
    let hint = format!("the cells seem to be separated by {SIGN}: save the table with commas");
    Err(error.line(table.header().unwrap_or(1)).found(name).hint(hint).into())
}

/// A remark if another column of text names items too, in half of its cells or more: then a row may be about two items.
fn of_two_items(table: &Table, columns: &Columns<'_>, id: usize, group: Option<usize>) -> Option<String> {
    let cells = |column: usize| (0..table.len()).map(move |row| table.cell(row, column));
    let ids: HashSet<&str> = cells(id).collect();
    let naming = |column: usize| 2 * cells(column).filter(|cell| ids.contains(cell)).count() >= table.len();
    let text = |&column: &usize| {
        column != id && Some(column) != group && table.len() > 1 && columns.content(column) == Content::Text
    };
    let other = (0..table.columns().len()).filter(text).find(|&column| naming(column))?;
    let [id, other] = [id, other].map(|at| quoted(&table.columns()[at]));
    Some(format!(
        "columns {id} and {other} name the same items: if every row is an answer, call its columns winner,loser, or \
         first,second,outcome; if every row is a link, give a table of the items, and this one by --relation"
    ))
}

/// Fails if a column does not exist, or is given two roles.
fn check_roles(table: &Table, sketch: &Sketch) -> Result<()> {
    let single = [("id", &sketch.id), ("name", &sketch.name), ("group", &sketch.group)];
    let single = single.into_iter().filter_map(|(role, name)| Some((role, name.as_ref()?)));
    let attributes = sketch.attributes.iter().flatten().map(|name| ("attributes", name));
    let ignored = sketch.ignore.iter().map(|name| ("ignore", name));
    let mut seen: Vec<(&str, usize)> = Vec::new();
    for (role, name) in single.chain(attributes).chain(ignored) {
        let column = table.column(name)?;
        if let Some((other, _)) = seen.iter().find(|(_, known)| *known == column) {
            let expected = format!("a column that is not given by {other} already");
            return Err(Error::Setting {
                name: role,
                found: name.clone(),
                expected,
                hint: "give each column to one of id, name, group, attributes and ignore",
            });
        }
        seen.push((role, column));
    }
    Ok(())
}

/// The columns that are not id and group.
struct Found {
    attributes: Vec<usize>,
    ignored: Vec<(usize, &'static str)>,
    left_out: Vec<InputError>,
    prose: Vec<String>,
}

/// Columns that are read as names if the table has one.
const NAMES: [&str; 3] = ["name", "title", "label"];

/// The column of names: the one that is asked for, else one that is called so, holds text in nine cells of ten, and has
/// no other part.
fn name_column(
    table: &Table,
    columns: &Columns<'_>,
    sketch: &Sketch,
    taken: [Option<usize>; 2],
) -> Result<Option<usize>> {
    if let Some(name) = &sketch.name {
        return table.column(name).map(Some);
    }
    let filled = |column: usize| {
        let count = (0..table.len()).filter(|&row| !is_missing(table.cell(row, column))).count();
        10 * count >= 9 * table.len()
    };
    let fits = |&column: &usize| {
        !taken.contains(&Some(column))
            && !sketch.ignore.contains(&table.columns()[column])
            && columns.content(column) == Content::Text
            && filled(column)
    };
    let called = |name: &&str| table.columns().iter().position(|column| column.eq_ignore_ascii_case(name));
    Ok(NAMES.iter().filter_map(called).find(fits))
}

/// The parts of all columns but those that are taken. Names may be prose that a kernel compares, but are no attribute.
fn attributes(
    table: &Table,
    columns: &Columns<'_>,
    sketch: &Sketch,
    taken: [Option<usize>; 2],
    names: Option<usize>,
) -> Result<Found> {
    let mut found = Found { attributes: Vec::new(), ignored: Vec::new(), left_out: Vec::new(), prose: Vec::new() };
    for (column, name) in table.columns().iter().enumerate().filter(|(at, _)| !taken.contains(&Some(*at))) {
        if sketch.ignore.contains(name) {
            found.ignored.push((column, "as asked"));
            continue;
        }
        if names == Some(column) && (columns.content(column) != Content::Text || !is_prose(table, column)) {
            continue;
        }
        if let Some(wanted) = &sketch.attributes {
            if wanted.contains(name) {
                match columns.content(column) {
                    Content::Numbers => found.attributes.push(column),
                    Content::Unclear(row) => return Err(columns.unclear(row, column).into()),
                    Content::Mixed(row) => return Err(mend(columns.wrong(row, column)).into()),
                    Content::Text => return Err(not_numbers(table, columns, column).into()),
                }
            } else {
                found.ignored.push((column, "not among the attributes asked for"));
            }
            continue;
        }
        if name.is_empty() && sketch.attributes.is_none() {
            let empty = (0..table.len()).all(|row| is_missing(table.cell(row, column)));
            found.ignored.push((column, if empty { "empty" } else { "it has no name" }));
            continue;
        }
        // A column "id" that is not the id numbers the items but does not describe them.
        if name.eq_ignore_ascii_case("id") {
            found.ignored.push((column, "another column names the items"));
            continue;
        }
        match columns.content(column) {
            Content::Numbers => found.attributes.push(column),
            Content::Mixed(row) => found.left_out.push(columns.wrong(row, column)),
            Content::Unclear(row) => {
                let mut error = columns.unclear(row, column);
                let or = format!("; or leave the column out: --ignore {}", typed(name));
                error.hint = error.hint.map(|hint| hint + &or);
                return Err(error.into());
            }
            Content::Text if is_prose(table, column) => found.prose.push(name.clone()),
            Content::Text if (0..table.len()).all(|row| is_missing(table.cell(row, column))) => {
                found.ignored.push((column, "empty"));
            }
            Content::Text if are_dates(table, column) => found.ignored.push((column, "dates or times, no numbers")),
            Content::Text => found.ignored.push((column, "text")),
        }
    }
    Ok(found)
}

fn mend(error: InputError) -> InputError {
    error.hint("mend the cell, or leave the column out of --attributes")
}

/// The error for a column that is asked for as an attribute, but holds text.
fn not_numbers(table: &Table, columns: &Columns<'_>, column: usize) -> InputError {
    let mark = columns.mark(column).unwrap_or(Decimal::Point);
    match columns.first_wrong(column, mark) {
        Some(row) => mend(columns.wrong(row, column)),
        None => InputError::new(table.path(), "at least one number")
            .column(&table.columns()[column])
            .found("only missing numbers")
            .hint("leave the column out of --attributes"),
    }
}

/// Whether each attribute differs between items, within a group if there are groups.
fn useful(attributes: &Attributes, groups: Option<&Groups>) -> Vec<bool> {
    let items = attributes.items();
    let mut first: Vec<Option<usize>> = vec![None; groups.map_or(1, Groups::len)];
    // A lone item differs from nothing, and yet has attributes.
    let mut useful = vec![items <= 1; attributes.len()];
    for item in 0..items {
        let group = groups.map_or(0, |groups| groups.of(ItemId::new(item)));
        let known = *first[group].get_or_insert(item);
        for (useful, (one, other)) in useful.iter_mut().zip(attributes.row(known).iter().zip(attributes.row(item))) {
            *useful |= one != other;
        }
    }
    useful
}

/// Words per cell from which a column holds prose: names, places and categories have fewer.
const PROSE: usize = 4;

/// Whether the cells of a column that are not empty have many words on average.
fn is_prose(table: &Table, column: usize) -> bool {
    let cells = (0..table.len()).map(|row| table.cell(row, column)).filter(|cell| !cell.trim().is_empty());
    let (count, all) = cells.fold((0, 0), |(count, all), cell| (count + 1, all + cell.split_whitespace().count()));
    count > 0 && all >= PROSE * count
}

/// Whether every cell of a column that is not missing is a date or a time in digits, such as `2020-01-15`, `15/1/2020` or `10:30`.
fn are_dates(table: &Table, column: usize) -> bool {
    let is_date = |cell: &str| {
        let parts = cell.split(['-', '/', '.', ':', ' ', 'T', 'Z']).filter(|part| !part.is_empty());
        let (count, digits) = parts.fold((0, true), |(count, digits), part| {
            (count + 1, digits && part.bytes().all(|byte| byte.is_ascii_digit()))
        });
        digits && (count > 2 || (count == 2 && cell.contains(':')))
    };
    (0..table.len()).map(|row| table.cell(row, column).trim()).filter(|cell| !is_missing(cell)).all(is_date)
}

/// The column of ids.
struct Id {
    column: usize,
    /// Whether nobody named it, by an option or by calling it "id".
    chosen: bool,
    /// The reason why a column "id" is not the one.
    remark: Option<String>,
}

/// The column of ids: the one that is asked for; else the first that holds every answered item; else the one called
/// "id"; else the first. Columns are tried in this order: the one called "id", text, whole numbers, numbers and text.
/// The last two must be the first column of the table or have a name that ends in "id", since nobody calls an item by
/// its price. Cells must be filled and different, within the group if there are groups.
///
/// # Errors
/// If the column that is asked for or called "id" does not fit, or none does.
fn id_column(
    table: &Table,
    columns: &Columns<'_>,
    sketch: &Sketch,
    group: Option<usize>,
    answered: &[String],
) -> Result<Id> {
    let of_option = |column| Id { column, chosen: false, remark: None };
    if let Some(name) = &sketch.id {
        let column = table.column(name)?;
        return match misfit(table, column, group) {
            Some(misfit) => Err(misfit.error(table, column, "mend them, or name another column: --id COLUMN").into()),
            None => Ok(of_option(column)),
        };
    }
    let unused = |&column: &usize| {
        let name = &table.columns()[column];
        Some(column) != group
            && sketch.name.as_ref() != Some(name)
            && !sketch.ignore.contains(name)
            && !sketch.attributes.iter().flatten().any(|own| own == name)
    };
    let called_id = |column: usize| table.columns()[column].eq_ignore_ascii_case("id");
    let named = (0..table.columns().len()).find(|&column| called_id(column) && unused(&column));
    let rank = |&column: &usize| {
        let whole = || (0..table.len()).all(|row| table.cell(row, column).trim().parse::<i64>().is_ok());
        let numbers_items = column == 0 || table.columns()[column].to_lowercase().ends_with("id");
        match columns.content(column) {
            _ if Some(column) == named => Some(0),
            Content::Text => Some(1),
            // Measurements are often all different too, but nobody calls an item 0.00632.
            Content::Numbers if numbers_items && whole() => Some(2),
            Content::Mixed(_) if numbers_items => Some(3),
            _ => None,
        }
    };
    let mut candidates: Vec<usize> =
        (0..table.columns().len()).filter(unused).filter(|at| rank(at).is_some()).collect();
    candidates.sort_by_key(rank);
    let fitting: Vec<usize> =
        candidates.iter().copied().filter(|&column| misfit(table, column, group).is_none()).collect();
    let holds = |&&column: &&usize| {
        let ids: HashSet<&str> = (0..table.len()).map(|row| table.cell(row, column)).collect();
        answered.iter().all(|id| ids.contains(id.as_str()))
    };
    if let Some(&column) = fitting.iter().find(holds).filter(|_| !answered.is_empty()) {
        let remark = named.filter(|named| *named != column).map(|named| {
            let why =
                misfit(table, named, group).map_or_else(|| "lacks items of the answers".into(), |misfit| misfit.says());
            let [id, taken] = [named, column].map(|at| quoted(&table.columns()[at]));
            format!("column {id} {why}, so column {taken} names the items, as in the answers")
        });
        return Ok(Id { column, chosen: named.is_none(), remark });
    }
    let other =
        fitting.first().map_or_else(String::new, |&at| format!(", such as --id {}", typed(&table.columns()[at])));
    if let Some(column) = named {
        return match misfit(table, column, group) {
            Some(misfit) => {
                let hint = format!("mend them, or say which column names the items: --id COLUMN{other}");
                Err(misfit.error(table, column, &hint).into())
            }
            None => Ok(of_option(column)),
        };
    }
    if let Some(&column) = fitting.first() {
        return Ok(Id { column, chosen: true, remark: None });
    }
    let error = InputError::new(table.path(), "a column of ids: filled, and different for every item");
    let why = candidates.first().and_then(|&column| {
        Some(format!("column {} {}: ", quoted(&table.columns()[column]), misfit(table, column, group)?.says()))
    });
    Err(error
        .hint(format!(
            "{}give the table such a column and name it \"id\", or say which one it is: --id COLUMN; if these are answers, \
             name their columns, as in winner,loser",
            why.unwrap_or_default()
        ))
        .into())
}

/// Why a column cannot hold ids: its empty cells, or cells that are the same.
struct Misfit {
    rows: Vec<usize>,
    lines: Vec<u64>,
    cell: String,
    grouped: bool,
}

/// The first reason why a column cannot hold ids.
fn misfit(table: &Table, column: usize, group: Option<usize>) -> Option<Misfit> {
    let key = |row: usize| (group.map(|at| table.cell(row, at)), table.cell(row, column));
    let mut seen = HashSet::with_capacity(table.len());
    let row = (0..table.len()).find(|&row| key(row).1.is_empty() || !seen.insert(key(row)))?;
    let cell = table.cell(row, column);
    let same = |&other: &usize| if cell.is_empty() { key(other).1.is_empty() } else { key(other) == key(row) };
    let rows: Vec<usize> = (0..table.len()).filter(same).collect();
    let lines = rows.iter().map(|&row| table.line(row)).collect();
    Some(Misfit { rows, lines, cell: cell.to_owned(), grouped: group.is_some() })
}

impl Misfit {
    /// The lines, for a sentence.
    fn places(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(u64::to_string).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        format!("{word} {}", shown(lines, ", "))
    }

    /// What is wrong, after the name of the column.
    fn says(&self) -> String {
        match self.cell.as_str() {
            "" => format!("is empty in {}", self.places()),
            cell => format!("repeats {} in {}", quoted(cell), self.places()),
        }
    }

    fn error(&self, table: &Table, column: usize, remedy: &str) -> InputError {
        let empty = self.cell.is_empty();
        // Of equal ids, the second is one too many.
        let row = self.rows[usize::from(!empty).min(self.rows.len() - 1)];
        let expected = match (empty, self.grouped) {
            (true, _) => "an id",
            (false, true) => "each id once per group",
            (false, false) => "each id once",
        };
        let what = if empty { "the cell is empty in" } else { "the id is the same in" };
        let group =
            if empty || self.grouped { "" } else { "; if ids repeat between groups, name the groups: --group COLUMN" };
        InputError::new(table.path(), expected)
            .line(table.line(row))
            .column(&table.columns()[column])
            .found(&self.cell)
            .hint(format!("{what} {}: {remedy}{group}", self.places()))
    }
}
