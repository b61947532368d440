//! Cards of items: of two side by side, or of one.

use std::borrow::Cow;

use comfy_table::{ColumnConstraint, ContentArrangement, Table as Drawn, Width, presets};
use ordain::data::{ItemId, Items, quoted_in_list};
use ordain::formats::Table;
use ordain::{InputError, Project};
use unicode_width::UnicodeWidthStr;

use crate::{Failure, output};

/// The cells of the items' table as they stand in the file. (Attributes of the model are standardized.)
pub struct Cards {
    /// Whether items are shown by their names. If the column of names is hidden, by their ids.
    named: bool,
    table: Option<Table>,
    /// The columns that are shown. Text columns come before columns of numbers.
    columns: Vec<usize>,
}

/// The number of rows of a card. Below it, a line counts the columns that do not fit.
const ROWS: usize = 12;

/// The number of lines of a long text.
const LINES: usize = 4;

/// The narrowest card. Without room for two of them, one stands below the other.
const NARROWEST: usize = 8;

/// The word for a side and the item there.
fn heading(word: &str, label: &str, width: usize) -> String {
    output::cut(&format!("{word}: {}", output::cut(label, width)), width)
}

/// Two items, one below the other.
fn listed(labels: [&str; 2], rows: &[(&str, [&str; 2])], width: usize) -> String {
    let card = |at: usize| {
        let head = heading(["left", "right"][at], labels[at], width);
        head + &list(rows.iter().map(|(name, cells)| (*name, cells[at])), width)
    };
    format!("{}\n{}", card(0), card(1))
}

/// The cells of one item, each on its line.
fn list<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>, width: usize) -> String {
    let row = |(name, cell): (&str, &str)| {
        let (name, cell) = (output::cut(name, width / 2), output::cut(cell, LINES * width - LINES));
        format!("\n {name}: {cell}")
    };
    rows.take(ROWS).map(row).collect()
}

/// A line about the rows that a card has no room for.
fn more(rows: usize) -> String {
    match rows.saturating_sub(ROWS) {
        0 => String::new(),
        more => format!("\n and {}", output::count(more, "more column")),
    }
}

impl Cards {
    /// The cards of a project's items, without the hidden columns.
    pub fn read(project: &Project, hidden: &[String]) -> Result<Self, Failure> {
        let names: Vec<&String> =
            project.file().other.names().iter().chain(project.items().attributes().names()).collect();
        if let Some(unknown) = hidden.iter().find(|name| !names.contains(name)) {
            /// More names would hide the one that was meant.
            const MOST: usize = 30;
            let known = names.iter().take(MOST).map(|name| output::cut(name, MOST)).collect::<Vec<_>>().join(", ");
            let more = if names.len() > MOST { ", …" } else { "" };
            let error = InputError::new("--hide", "a column of the items").found(unknown);
            return Err(Failure::Library(error.hint(format!("there are: {known}{more}")).into()));
        }
        let name = project.file().name_column();
        let named = name.is_none_or(|name| !hidden.iter().any(|hidden| hidden == name));
        let Some(file) = &project.file().items else { return Ok(Self { named, table: None, columns: Vec::new() }) };
        let table = project.file().read_table(file)?;
        if table.len() != project.items().len() {
            let expected = format!("{} as a moment ago", output::count(project.items().len(), "item"));
            return Err(Failure::Library(InputError::new(file, expected).found(table.len().to_string()).into()));
        }
        // The name stands above the card already.
        let shown = names.into_iter().filter(|column| !hidden.contains(column) && name != Some(column.as_str()));
        let columns = shown.map(|name| table.column(name)).collect::<Result<_, _>>()?;
        Ok(Self { named, table: Some(table), columns })
    }

    /// An item as the judge sees it.
    pub fn label<'a>(&self, items: &'a Items, item: ItemId) -> Cow<'a, str> {
        if self.named { items.label(item) } else { items.id(item).into() }
    }

    /// The same in a list.
    pub fn label_in_list<'a>(&self, items: &'a Items, item: ItemId) -> Cow<'a, str> {
        if self.named { items.label_in_list(item) } else { quoted_in_list(items.id(item)) }
    }

    /// Draws one item.
    pub fn draw_one(&self, items: &Items, item: ItemId) -> String {
        let (rows, width) = (self.rows([item, item]), output::columns());
        let head = output::cut(&self.label(items, item), width);
        format!("{head}{}{}", list(rows.iter().map(|(name, [cell, _])| (*name, *cell)), width), more(rows.len()))
    }

    /// Draws two items side by side, in the width of the terminal.
    pub fn draw(&self, items: &Items, [left, right]: [ItemId; 2]) -> String {
        let rows = self.rows([left, right]);
        let width = output::columns();
        let names = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0).min(width / 4);
        // Two spaces around each of three cells.
        let half = width.saturating_sub(names + 6) / 2;
        let more = more(rows.len());
        let labels = [left, right].map(|item| self.label(items, item));
        if half < NARROWEST {
            return format!("{}{more}", listed([&labels[0], &labels[1]], &rows, width));
        }
        let mut drawn = Drawn::new();
        drawn.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        drawn.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        let head = |word: &str, label: &str| heading(word, label, half);
        drawn.set_header([String::new(), head("left", &labels[0]), head("right", &labels[1])]);
        for (name, cells) in rows.iter().take(ROWS) {
            let [left, right] = cells.map(|cell| output::cut(cell, LINES * half - LINES));
            drawn.add_row([output::cut(name, names), left, right]);
        }
        for column in [1, 2] {
            if let Some(column) = drawn.column_mut(column) {
                let most = u16::try_from(half + 2).unwrap_or(u16::MAX);
                column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(most)));
            }
        }
        format!("{}{more}", drawn.trim_fmt())
    }

    /// The columns in which at least one of the two items has a value.
    fn rows(&self, items: [ItemId; 2]) -> Vec<(&str, [&str; 2])> {
        let Some(table) = &self.table else { return Vec::new() };
        let row = |&column: &usize| {
            (table.columns()[column].as_str(), items.map(|item| table.cell(item.index(), column).trim()))
        };
        self.columns.iter().map(row).filter(|(_, cells)| *cells != ["", ""]).collect()
    }
}
