//! ARFF, Weka's and MULAN's format: a header of attributes, then rows, dense or sparse.
//!
//! It is read into a [`Table`]: names are columns, values are cells without their quotes, `?` stays `?`. In a sparse row, `{1 0.5, 4 1}`, a
//! value that is left out is 0, or the first of its attribute's values if these are listed.

use std::collections::HashSet;
use std::path::Path;

use super::source::Lines;
use super::table::{Cells, Table};
use crate::{InputError, Result};

/// Reads a file. `O(cells)` memory, also for sparse rows.
pub(super) fn read(mut lines: Lines) -> Result<Table> {
    let path = lines.path().to_path_buf();
    let attributes = header(&mut lines, &path)?;
    let limits = lines.limits();
    let (mut cells, mut numbers) = (Cells::default(), Vec::new());
    while let Some((line, text)) = lines.next_numbered()? {
        let text = text.trim();
        if text.is_empty() || text.starts_with('%') {
            continue;
        }
        row(text, &attributes, &mut cells).map_err(|wrong| wrong.at(&path, line))?;
        numbers.push(line);
        cells.check(limits, &path)?;
    }
    if numbers.is_empty() {
        return Err(InputError::new(&path, "rows below @data").into());
    }
    Ok(Table::new(&path, attributes.into_iter().map(|attribute| attribute.name).collect(), numbers, cells))
}

/// Whether a file is ARFF, by its name without what packs it.
pub(super) fn is_named(path: &Path) -> bool {
    let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().to_lowercase());
    let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    name.ends_with(".arff")
}

/// A column.
struct Attribute {
    name: String,
    /// The values that it may have, if they are listed.
    listed: Option<Vec<String>>,
    /// What a sparse row that leaves it out means.
    usual: String,
}

/// What is wrong with a line.
struct Wrong {
    found: Option<String>,
    expected: String,
}

impl Wrong {
    fn new(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { found: Some(found.into()), expected: expected.into() }
    }

    fn at(self, path: &Path, line: u64) -> crate::Error {
        let error = InputError::new(path, self.expected).line(line);
        match self.found {
            Some(found) => error.found(found),
            None => error,
        }
        .into()
    }
}

impl Attribute {
    /// Fails if a value is not one of those that are listed.
    fn check(&self, value: &str) -> std::result::Result<(), Wrong> {
        match &self.listed {
            Some(listed) if value != "?" && !listed.iter().any(|known| known == value) => {
                Err(Wrong::new(value, format!("a value of {}: {}", self.name, crate::error::listed(listed))))
            }
            _ => Ok(()),
        }
    }
}

fn header(lines: &mut Lines, path: &Path) -> Result<Vec<Attribute>> {
    let mut attributes: Vec<Attribute> = Vec::new();
    let mut seen = HashSet::new();
    while let Some((line, text)) = lines.next_numbered()? {
        let text = text.trim();
        if text.is_empty() || text.starts_with('%') {
            continue;
        }
        let word = text.split(|letter: char| letter.is_whitespace()).next().unwrap_or_default();
        let rest = text[word.len()..].trim();
        match word.to_ascii_lowercase().as_str() {
            "@relation" => {}
            "@attribute" => {
                let own = attribute(rest).map_err(|wrong| wrong.at(path, line))?;
                if !seen.insert(own.name.clone()) {
                    return Err(Wrong::new(own.name, "every attribute once").at(path, line));
                }
                attributes.push(own);
            }
            "@data" if attributes.is_empty() => {
                return Err(Wrong::new("@data", "@attribute lines before it").at(path, line));
            }
            "@data" => return Ok(attributes),
            _ => return Err(Wrong::new(word, "@relation, @attribute or @data").at(path, line)),
        }
    }
    Err(InputError::new(path, "a line @data, and rows below it").into())
}

/// The name and the type of an attribute.
fn attribute(text: &str) -> std::result::Result<Attribute, Wrong> {
    let (name, rest) = token(text, |letter| letter.is_whitespace() || letter == '{')?;
    let kind = rest.trim();
    if name.is_empty() || kind.is_empty() {
        return Err(Wrong::new(text, "a name and a type, as in \"@attribute size numeric\""));
    }
    if let Some(listed) = kind.strip_prefix('{') {
        let listed = listed.strip_suffix('}').ok_or_else(|| Wrong::new(kind, "values that end with \"}\""))?;
        let listed = split(listed)?;
        return Ok(Attribute { name, usual: listed.first().cloned().unwrap_or_default(), listed: Some(listed) });
    }
    let known = ["numeric", "real", "integer", "string", "date", "relational"];
    let word = kind.split_whitespace().next().unwrap_or_default();
    match known.iter().position(|known| word.eq_ignore_ascii_case(known)) {
        Some(at) if at < 3 => Ok(Attribute { name, usual: "0".into(), listed: None }),
        Some(5) | None => Err(Wrong::new(word, "numeric, real, integer, string, date, or values in {}")),
        Some(_) => Ok(Attribute { name, usual: String::new(), listed: None }),
    }
}

/// A name or a value at the beginning of a text, quoted or up to some letter, and what follows it.
fn token(text: &str, ends: impl Fn(char) -> bool) -> std::result::Result<(String, &str), Wrong> {
    let text = text.trim_start();
    let Some(quote) = text.chars().next().filter(|letter| matches!(letter, '\'' | '"')) else {
        let end = text.find(ends).unwrap_or(text.len());
        return Ok((text[..end].trim_end().to_owned(), &text[end..]));
    };
    let (mut value, mut escaped) = (String::new(), false);
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => {
                value.push(letter);
                escaped = false;
            }
            '\\' => escaped = true,
            letter if letter == quote => return Ok((value, &text[at + quote.len_utf8()..])),
            letter => value.push(letter),
        }
    }
    Err(Wrong::new(text, format!("a closing {quote}")))
}

/// The values between commas.
fn split(text: &str) -> std::result::Result<Vec<String>, Wrong> {
    let (mut values, mut rest) = (Vec::new(), text);
    loop {
        let (value, after) = token(rest, |letter| letter == ',')?;
        values.push(value);
        let after = after.trim_start();
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None if after.is_empty() => return Ok(values),
            None => return Err(Wrong::new(after, "a comma between values")),
        }
    }
}

fn row(text: &str, attributes: &[Attribute], cells: &mut Cells) -> std::result::Result<(), Wrong> {
    if text.starts_with('{') {
        return sparse(text, attributes, cells);
    }
    let values = split(text)?;
    if values.len() != attributes.len() {
        return Err(Wrong::new(format!("{} values", values.len()), format!("{}, one per attribute", attributes.len())));
    }
    for (value, attribute) in values.iter().zip(attributes) {
        attribute.check(value)?;
        cells.push(value);
    }
    Ok(())
}

fn sparse(text: &str, attributes: &[Attribute], cells: &mut Cells) -> std::result::Result<(), Wrong> {
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let mut rest = inner.ok_or_else(|| Wrong::new(text, "a sparse row that ends with \"}\""))?.trim();
    let mut next = 0;
    while !rest.is_empty() {
        let (place, after) = token(rest, char::is_whitespace)?;
        let place: usize = place.parse().ok().filter(|place| *place < attributes.len()).ok_or_else(|| {
            Wrong::new(place, format!("the number of an attribute, from 0 to {}", attributes.len() - 1))
        })?;
        if place < next {
            return Err(Wrong::new(place.to_string(), "numbers of attributes that rise"));
        }
        let (value, after) = token(after, |letter| letter == ',')?;
        attributes[next..place].iter().for_each(|attribute| cells.push(&attribute.usual));
        attributes[place].check(&value)?;
        cells.push(&value);
        next = place + 1;
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(more) if !more.trim().is_empty() => more.trim_start(),
            None if after.is_empty() => after,
            _ => return Err(Wrong::new(after, "a comma between values, and none at the end")),
        };
    }
    attributes[next..].iter().for_each(|attribute| cells.push(&attribute.usual));
    Ok(())
}
