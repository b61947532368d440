//! The separator of the cells of a text file.

use std::path::Path;

use super::super::numbers::Written;
use super::super::source::Lines;
use crate::{InputError, Result};

/// The separator of the cells of a file with this header line: a tab, or none if it is a comma or a semicolon.
fn tab(path: &Path, header: &str) -> Option<u8> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    let tab = header.contains('\t');
    let named_tabs = name.ends_with(".tsv") || name.ends_with(".tab");
    (named_tabs || (tab && (!name.ends_with(".csv") || !header.contains(',')))).then_some(b'\t')
}

/// The separator of the cells of a file with this header line, if that line alone tells: a comma in case of doubt.
pub(crate) fn delimiter(path: &Path, header: &str) -> u8 {
    let semicolons = || split(header, ';').len() > 1 && split(header, ',').len() == 1;
    tab(path, header).unwrap_or_else(|| if semicolons() { b';' } else { b',' })
}

/// The separator of the cells of a file with this header line. If it may be a comma or a semicolon, the next line of
/// the file is looked at.
pub(super) fn found_delimiter(lines: &mut Lines, header: &str, line: u64) -> Result<u8> {
    let path = lines.path().to_path_buf();
    let widths = [',', ';'].map(|separator| split(header, separator).len());
    if tab(&path, header).is_some() || widths.contains(&1) {
        return Ok(delimiter(&path, header));
    }
    let next = lines.next_content()?.map(str::to_owned);
    if next.is_some() {
        lines.unread();
    }
    let cells = [',', ';'].map(|separator| split(next.as_deref().unwrap_or(header), separator));
    match [0, 1].map(|at| cells[at].len() == widths[at]) {
        [false, true] => return Ok(b';'),
        [true, true] => {}
        [_, false] => return Ok(b','),
    }
    match cells.map(|cells| cells.iter().any(|cell| Written::plain(cell.trim().trim_matches('"')).is_some())) {
        [true, false] => Ok(b','),
        [false, true] => Ok(b';'),
        _ if next.is_none() => Ok(b','),
        _ => Err(InputError::new(&path, "cells that are separated either by commas or by semicolons")
            .line(line)
            .found(header)
            .hint("both fit here: quote the cells that have a comma or a semicolon in them, or separate cells by tabs")
            .into()),
    }
}

/// The cells of a line, as far as a quoted cell does not go on in the next one.
fn split(line: &str, separator: char) -> Vec<&str> {
    let (mut out, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, letter) in line.char_indices() {
        // Within a cell that does not begin with one, a quotation mark is a letter.
        if letter == '"' && line[start..].starts_with('"') {
            quoted = !quoted;
        } else if letter == separator && !quoted {
            out.push(&line[start..at]);
            start = at + letter.len_utf8();
        }
    }
    out.push(&line[start..]);
    out
}
