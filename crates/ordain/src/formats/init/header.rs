//! Whether the first line of a table names its columns.

use super::super::numbers::{Columns, Content, Value, value};
use super::super::numbers::{Decimal, is_missing};
use super::super::table::Table;
use crate::{InputError, Result};

/// Words that name columns. No item is called so.
const NAMES: [&str; 36] = [
    "id",
    "name",
    "title",
    "label",
    "item",
    "key",
    "code",
    "index",
    "no",
    "nr",
    "number",
    "group",
    "query",
    "qid",
    "topic",
    "text",
    "description",
    "category",
    "class",
    "type",
    "kind",
    "price",
    "year",
    "date",
    "score",
    "rating",
    "weight",
    "size",
    "url",
    "source",
    "target",
    "first",
    "second",
    "winner",
    "loser",
    "x",
];

/// The two kinds of first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// It names the columns.
    Header {
        /// Whether nothing but its place says so.
        assumed: bool,
    },
    /// It is an item.
    Item,
}

/// What the first line of a table is. The table has it as its header, whether it is one or not.
///
/// It is a header if
/// - a cell is one of [`NAMES`], in any case;
/// - or a cell is neither a number nor missing, and stands over a column of numbers;
/// - or the caller names a column by one of its cells, except by a number in a line that is plainly an item.
///
/// Otherwise every cell is one that its column could have. The line is an item if
/// - a cell over a column of numbers is a number with more than digits, such as `1.5`, `-3` or `$1`;
/// - or two cells are the same, which names of columns must not be;
/// - or a cell over a column of text occurs in that column again.
///
/// If nothing of this holds, a line over columns of text alone is a header. Over numbers, it may be either: digits
/// can be years as well as values. That is an error.
///
/// # Errors
/// If the line may be either.
pub(super) fn first_line(table: &Table, named: &[&str]) -> Result<First> {
    let header = First::Header { assumed: false };
    let Some(line) = table.header() else { return Ok(header) };
    let cells = table.columns();
    if table.is_empty() || cells.iter().any(|cell| NAMES.iter().any(|name| cell.eq_ignore_ascii_case(name))) {
        return Ok(header);
    }
    let columns = Columns::new(table);
    let numbers: Vec<bool> = (0..cells.len()).map(|column| columns.content(column) != Content::Text).collect();
    let is_number = |cell: &str| [Decimal::Point, Decimal::Comma].map(|mark| value(cell, mark)).iter().any(is_value);
    let over_numbers = || cells.iter().zip(&numbers).filter(|(_, numbers)| **numbers).map(|(cell, _)| cell);
    if over_numbers().any(|cell| !is_number(cell) && !is_missing(cell)) {
        return Ok(header);
    }
    let more_than_digits = |cell: &String| is_number(cell) && !cell.bytes().all(|byte| byte.is_ascii_digit());
    let repeated = |at: usize| !cells[at].is_empty() && cells[..at].contains(&cells[at]);
    let again = |column: usize| {
        !numbers[column]
            && !is_missing(&cells[column])
            && (0..table.len()).any(|row| table.cell(row, column).trim() == cells[column])
    };
    let item = over_numbers().any(more_than_digits) || (0..cells.len()).any(|at| repeated(at) || again(at));
    let named = named.iter().any(|name| cells.iter().any(|cell| cell == name) && !(item && is_number(name)));
    match (named, item) {
        (true, _) => Ok(header),
        (false, true) => Ok(First::Item),
        (false, false) if !numbers.contains(&true) => Ok(First::Header { assumed: true }),
        (false, false) => Err(unclear(table, line)),
    }
}

fn is_value(value: &Value) -> bool {
    matches!(value, Value::Number(_))
}

fn unclear(table: &Table, line: u64) -> crate::Error {
    let separator = (table.separator().unwrap_or(b',') as char).to_string();
    let cells = table.columns();
    let above: Vec<String> =
        (1..=cells.len()).map(|column| if column == 1 { "id".into() } else { format!("x{column}") }).collect();
    let above = above.join(&separator).replace('\t', "<tab>");
    InputError::new(table.path(), "a line that plainly names the columns, or plainly is an item")
        .line(line)
        .found(cells.join(&separator))
        .hint(format!(
            "if it names the columns, say which of them names the items: --id {}; if it is an item, write a line above it, \
             such as {above}",
            super::files::typed(&cells[0])
        ))
        .into()
}
