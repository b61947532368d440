//! Relations from lists of links.
//!
//! A list has a header if its first line names a `source` (or `src`, `from`) and a `target` (or `dst`, `to`). Then a
//! column `weight` holds weights, a column `group` holds the group of both ends, and other columns are ignored.
//!
//! Any other first line is a link itself: two or three cells (source, target and perhaps a weight). Tabs separate them
//! if the line has one, else commas if it has one, else blanks. Semicolons do if the line has one, unless only another
//! separator makes known ids of it. In such a list, lines that begin with `#` are comments. A list separated by blanks
//! may begin with the line `source target` or `source target weight`. JSONL and Parquet files name their columns like a
//! header. The default weight is 1.
//!
//! Weights have a decimal point or a decimal comma, the same in the whole list (see `numbers`).

use std::collections::HashMap;
use std::path::Path;

use super::items::{Place, find_item};
use super::numbers::{Decimal, Written};
use super::source::Lines;
use super::table::{LastLine, Rows, delimiter, empty};
use crate::data::{Items, Link, Lookup, Relation};
use crate::{Error, InputError, Result};

const SOURCES: [&str; 3] = ["source", "src", "from"];
const TARGETS: [&str; 3] = ["target", "dst", "to"];

/// Reads links between items, or from items to other things if `bipartite`. Other things are numbered in order of first
/// appearance.
///
/// # Lists
/// A list has a header if its first line, divided into cells, names a `source` (or `src`, `from`) and a `target` (or
/// `dst`, `to`); then a column `weight` holds weights, a column `group` the group of both ends, and other columns are
/// passed over. Any other first line is a link itself: two or three cells (source, target and perhaps a weight), divided
/// by tabs if it has one, else by semicolons, commas or blanks; in such a list lines that begin with `#` are
/// comments, and one divided by blanks may begin with the line `source target` or `source target weight`. JSONL and
/// Parquet files name their columns as a header does. A weight that is not given is 1. Weights may have decimal commas.
///
/// # Errors
/// If the file cannot be read, an end is not an item, or a weight is not a finite number of at least 0, or is one in two
/// readings.
pub fn read_relation(path: impl AsRef<Path>, items: &Items, bipartite: bool) -> Result<Relation> {
    read_links(path.as_ref(), items, 0, bipartite.then(HashMap::new)).map(|(relation, _)| relation)
}

/// Reads links between documents, by their ids. Links to or from other ids are left out, as a collection is often part of a larger one;
/// their number is returned too. A link of weight 0 is none; other weights count the same. Formats are those of [`read_relation`].
///
/// # Errors
/// As [`read_relation`], but for unknown ends; an empty id is an error.
pub fn read_document_links(path: impl AsRef<Path>, documents: &Items) -> Result<(Vec<(u32, u32)>, usize)> {
    let mut links = Links { known_only: true, ..Links::new(path.as_ref(), documents) };
    links.read()?;
    let kept = links.links.iter().filter(|link| link.weight > 0.0);
    Ok((kept.map(|link| (link.source, link.target)).collect(), links.left_out))
}

/// The other things of a bipartite relation, and their numbers.
pub(crate) type Things = HashMap<String, u32>;

/// Reads links that involve an item from number `first` on. For a bipartite relation, `things` are those known before;
/// all of them are returned.
pub(crate) fn read_links(
    path: &Path,
    items: &Items,
    first: usize,
    things: Option<Things>,
) -> Result<(Relation, Option<Things>)> {
    let mut links = Links { first, things, ..Links::new(path, items) };
    links.read()?;
    links.finish()
}

/// The next line that is neither blank nor a comment.
fn next_link(lines: &mut Lines) -> Result<Option<String>> {
    while let Some(line) = lines.next_content()? {
        if !line.starts_with('#') {
            return Ok(Some(line.to_owned()));
        }
    }
    Ok(None)
}

/// Whether this is a header of a list separated by blanks.
fn blank_header(line: &str) -> bool {
    let cells: Vec<String> = line.split_whitespace().map(str::to_ascii_lowercase).collect();
    match cells.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [source, target] | [source, target, "weight"] => SOURCES.contains(source) && TARGETS.contains(target),
        _ => false,
    }
}

fn has_header(path: &Path, line: &str) -> bool {
    // A header with commas and semicolons is divided by those that part its two names.
    [delimiter(path, line), b';'].into_iter().any(|separator| {
        let has = |names: &[&str]| {
            let matches =
                |cell: &str| names.iter().any(|name| cell.trim().trim_matches('"').eq_ignore_ascii_case(name));
            line.split(separator as char).any(matches)
        };
        has(&SOURCES) && has(&TARGETS)
    })
}

struct Links<'a> {
    path: &'a Path,
    items: &'a Items,
    /// Every link involves an item from this number on.
    first: usize,
    things: Option<Things>,
    /// Whether links with an unknown end are left out.
    known_only: bool,
    left_out: usize,
    links: Vec<Link>,
    weights: Weights,
}

/// What the weights of a list show of its decimal mark. The links have their weights with a decimal point, if there is such
/// a reading.
#[derive(Default)]
struct Weights {
    /// The first weight that shows this mark, with its line and column.
    point: Option<(u64, String, String)>,
    comma: Option<(u64, String, String)>,
    /// The first weight like 1,234.
    ambiguous: Option<(u64, String, String)>,
    /// Links whose weight is another number with a decimal comma.
    commas: Vec<(usize, f64)>,
}

impl<'a> Links<'a> {
    fn new(path: &'a Path, items: &'a Items) -> Self {
        Self {
            path,
            items,
            first: 0,
            things: None,
            known_only: false,
            left_out: 0,
            links: Vec::new(),
            weights: Weights::default(),
        }
    }

    fn read(&mut self) -> Result<()> {
        let separator = self.read_lines()?;
        self.settle_weights(separator)
    }

    /// Reads all lines. Returns the separator, if the file is text.
    fn read_lines(&mut self) -> Result<Option<u8>> {
        let path = self.path;
        let Some(mut lines) = Lines::open_text(path)? else { return self.named(Rows::parquet(path)?) };
        let Some(first) = next_link(&mut lines)? else {
            return Err(empty(path, "write the line source,target and below it a line for every link"));
        };
        if first.trim_start().starts_with('{') || has_header(path, &first) {
            return self.named(Rows::from_first(lines, &first, LastLine::Free)?);
        }
        if !blank_header(&first) {
            return self.bare(lines, first);
        }
        next_link(&mut lines)?.map_or(Ok(None), |next| self.bare(lines, next))
    }

    fn named(&mut self, mut rows: Rows) -> Result<Option<u8>> {
        let find = |names: &[&str]| names.iter().find_map(|name| rows.position(name));
        let (Some(source), Some(target)) = (find(&SOURCES), find(&TARGETS)) else {
            return Err(InputError::new(self.path, "columns source and target")
                .line(1)
                .found(rows.columns().join(","))
                .hint("name the columns of the two ends source and target")
                .into());
        };
        let (weight, group) = (rows.position("weight"), rows.position("group"));
        let names = rows.columns().to_vec();
        while let Some(row) = rows.next()? {
            let cells = [(row.get(source), names[source].as_str()), (row.get(target), names[target].as_str())];
            let weight = weight.map(|at| (row.get(at), names[at].as_str()));
            self.add(row.line, cells, weight, group.map(|at| row.get(at)))?;
        }
        Ok(rows.delimiter())
    }

    /// What separates the cells of a list without a header, by its first line; none are blanks.
    fn separator(&self, lines: &Lines, line: &str) -> Result<Option<char>> {
        let other = line.contains(',').then_some(',');
        if line.contains('\t') || !line.contains(';') {
            return Ok(if line.contains('\t') { Some('\t') } else { other });
        }
        let known = |separator: &Option<char>| {
            let cells = divided(line, *separator);
            let item = |id: &str| self.items.find(id, None) != Lookup::Unknown;
            (2..=3).contains(&cells.len()) && item(cells[0]) && (self.things.is_some() || item(cells[1]))
        };
        let fits = |separator: Option<char>| (2..=3).contains(&divided(line, separator).len());
        match [Some(';'), other].map(|separator| (known(&separator), fits(separator))) {
            [(true, _), (false, _)] => Ok(Some(';')),
            [(false, _), (true, _)] => Ok(other),
            [(false, false), _] => Ok(other),
            // Ids that are no items do not tell, which matters only if links with such ids are left out.
            [(false, true), (false, second)] if !(self.known_only && second) => Ok(Some(';')),
            _ => Err(InputError::new(self.path, "a link whose cells are separated in one way")
                .line(lines.line())
                .found(line)
                .hint("begin the list with the line source;target or source,target")
                .into()),
        }
    }

    fn bare(&mut self, mut lines: Lines, mut line: String) -> Result<Option<u8>> {
        let separator = self.separator(&lines, &line)?;
        let mut width = None;
        loop {
            let cells = divided(&line, separator);
            let fits = (2..=3).contains(&cells.len()) && width.is_none_or(|width| width == cells.len());
            if !fits {
                return Err(self.misfit(lines.line(), &line, width));
            }
            let first = width.is_none();
            width = Some(cells.len());
            let weight = cells.get(2).map(|cell| (*cell, "3"));
            self.add(lines.line(), [(cells[0], "1"), (cells[1], "2")], weight, None)
                .map_err(|error| if first { maybe_header(error) } else { error })?;
            match next_link(&mut lines)? {
                Some(next) => line = next,
                // Blanks tell as little about the decimal mark as tabs.
                None => return Ok(Some(separator.map_or(b' ', |separator| separator as u8))),
            }
        }
    }

    fn misfit(&self, line: u64, found: &str, width: Option<usize>) -> Error {
        let expected = match width {
            Some(width) => format!("{width} cells, as on the lines before"),
            None => "a header with source and target, or a link: source, target and perhaps a weight".into(),
        };
        let hint = "write every link with the same cells: source, target and, if any link has one, a weight";
        InputError::new(self.path, expected).line(line).found(found).hint(hint).into()
    }

    /// Adds one link. Every cell comes with the name of its column.
    fn add(
        &mut self,
        line: u64,
        [source, target]: [(&str, &str); 2],
        weight: Option<(&str, &str)>,
        group: Option<&str>,
    ) -> Result<()> {
        let is_other = |(id, _): &(&str, &str)| !id.trim().is_empty() && self.items.find(id, group) == Lookup::Unknown;
        if self.known_only && [source, target].iter().any(is_other) {
            self.left_out += 1;
            return Ok(());
        }
        let item = |(id, column): (&str, &str)| {
            find_item(self.items, &Place { path: self.path, line: Some(line), column }, id, group).map(|item| item.0)
        };
        let ends = [source.0, target.0];
        let source = item(source)?;
        let target = match &mut self.things {
            None => item(target)?,
            Some(things) => {
                let next = u32::try_from(things.len()).map_err(|_| Error::TooLarge {
                    what: self.path.display().to_string(),
                    size: things.len(),
                    limit: u32::MAX as usize,
                    method: "the number of a target",
                })?;
                match things.get(target.0) {
                    Some(&thing) => thing,
                    None => *things.entry(target.0.to_owned()).or_insert(next),
                }
            }
        };
        let new_target = self.things.is_none() && target as usize >= self.first;
        if (source as usize) < self.first && !new_target {
            return Err(InputError::new(self.path, "a link of a new item")
                .line(line)
                .found(ends.join(","))
                .hint("links among the items of the project belong in the file of their relation")
                .into());
        }
        let weight = match weight {
            None => 1.0,
            Some((cell, column)) => {
                let wrong = || {
                    InputError::new(self.path, "a weight: a finite number of at least 0")
                        .line(line)
                        .column(column)
                        .found(cell)
                        .hint("a larger weight is a stronger link, and 1 an ordinary one; delete the line to have no link")
                };
                let written = Written::plain(cell).ok_or_else(|| Error::from(wrong()))?;
                let (point, comma) = (written.value(Decimal::Point), written.value(Decimal::Comma));
                if [point, comma].iter().flatten().any(|weight| *weight < 0.0) {
                    return Err(wrong().into());
                }
                self.weights.note(written, (line, column, cell), self.links.len());
                point.or(comma).unwrap_or_default()
            }
        };
        self.links.push(Link { source, target, weight });
        Ok(())
    }

    /// Gives the links their weights with the decimal mark of the list.
    fn settle_weights(&mut self, separator: Option<u8>) -> Result<()> {
        let Weights { point, comma, ambiguous, commas } = std::mem::take(&mut self.weights);
        let wrong = |(line, column, cell): (u64, String, String), expected: &str, hint: String| {
            Err(InputError::new(self.path, expected).line(line).column(column).found(cell).hint(hint).into())
        };
        match (point, comma, ambiguous) {
            (Some(point), Some(comma), _) => {
                let (before, here) = if point.0 < comma.0 { (point, comma) } else { (comma, point) };
                let hint = format!("line {} has \"{}\": write all weights with a decimal point", before.0, before.2);
                wrong(here, "a weight with the decimal mark of the others", hint)
            }
            (None, Some(_), _) => {
                commas.into_iter().for_each(|(link, weight)| self.links[link].weight = weight);
                Ok(())
            }
            (None, None, Some(here)) if separator.is_some_and(|separator| separator != b',') => {
                let hint = "no other weight tells whether its comma parts decimals or thousands: write a decimal point";
                wrong(here, "a weight that reads in one way only", hint.into())
            }
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<(Relation, Option<Things>)> {
        let relation = match &self.things {
            None => Relation::new(self.items.len(), self.links),
            Some(things) => Relation::bipartite(self.items.len(), things.len(), self.links),
        };
        Ok((relation?, self.things))
    }
}

impl Weights {
    /// Notes what a weight shows; it will be that of this link.
    fn note(&mut self, written: Written, (line, column, cell): (u64, &str, &str), link: usize) {
        let place = match written.shows() {
            Some(Decimal::Point) => &mut self.point,
            Some(Decimal::Comma) => &mut self.comma,
            None if !written.is_ambiguous() => return,
            None => {
                self.commas.extend(written.value(Decimal::Comma).map(|weight| (link, weight)));
                if !cell.contains(',') {
                    return;
                }
                &mut self.ambiguous
            }
        };
        place.get_or_insert_with(|| (line, column.to_owned(), cell.to_owned()));
    }
}

/// The cells of a line of a list without a header. Blanks separate them if nothing else does.
fn divided(line: &str, separator: Option<char>) -> Vec<&str> {
    match separator {
        Some(separator) => line.split(separator).map(str::trim).collect(),
        None => line.split_whitespace().collect(),
    }
}

/// Adds a hint: the first line of a list without a known header may be a header with other names.
fn maybe_header(error: Error) -> Error {
    match error {
        Error::Input(mut error) => {
            let more = "if this line is a header, name its columns source and target";
            error.hint = Some(error.hint.map_or_else(|| more.to_owned(), |hint| format!("{hint}; {more}")));
            Error::Input(error)
        }
        other => other,
    }
}
