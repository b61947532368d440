//! Cards of items: of several side by side, or of one.

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

/// Items, one below the other.
fn listed(words: &[&str], labels: &[Cow<'_, str>], rows: &[(&str, Vec<&str>)], width: usize) -> String {
    let card = |at: usize| {
        let head = heading(words[at], &labels[at], width);
        head + &list(rows.iter().map(|(name, cells)| (*name, cells[at])), width)
    };
    (0..words.len()).map(card).collect::<Vec<_>>().join("\n")
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
        let (rows, width) = (self.rows(&[item]), output::columns());
        let head = output::cut(&self.label(items, item), width);
        format!("{head}{}{}", list(rows.iter().map(|(name, cells)| (*name, cells[0])), width), more(rows.len()))
    }

    /// Draws items side by side under these words, in the width of the terminal, or one below the other if they have no room.
    pub fn draw(&self, items: &Items, shown: &[ItemId], words: &[&str]) -> String {
        let rows = self.rows(shown);
        let width = output::columns();
        let names = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0).min(width / 4);
        // Two spaces around every cell.
        let part = width.saturating_sub(names + 2 * (1 + shown.len())) / shown.len();
        let more = more(rows.len());
        let labels: Vec<Cow<'_, str>> = shown.iter().map(|&item| self.label(items, item)).collect();
        if part < NARROWEST {
            return format!("{}{more}", listed(words, &labels, &rows, width));
        }
        let mut drawn = Drawn::new();
        drawn.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        drawn.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        let heads = words.iter().zip(&labels).map(|(word, label)| heading(word, label, part));
        drawn.set_header(std::iter::once(String::new()).chain(heads));
        for (name, cells) in rows.iter().take(ROWS) {
            let cells = cells.iter().map(|cell| output::cut(cell, LINES * part - LINES));
            drawn.add_row(std::iter::once(output::cut(name, names)).chain(cells));
        }
        for column in 1..=shown.len() {
            if let Some(column) = drawn.column_mut(column) {
                let most = u16::try_from(part + 2).unwrap_or(u16::MAX);
                column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(most)));
            }
        }
        format!("{}{more}", drawn.trim_fmt())
    }

    /// The columns in which at least one of the items has a value.
    fn rows(&self, items: &[ItemId]) -> Vec<(&str, Vec<&str>)> {
        let Some(table) = &self.table else { return Vec::new() };
        let row = |&column: &usize| {
            let cell = |item: &ItemId| table.cell(item.index(), column).trim();
            (table.columns()[column].as_str(), items.iter().map(cell).collect::<Vec<_>>())
        };
        self.columns.iter().map(row).filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty())).collect()
    }
}
