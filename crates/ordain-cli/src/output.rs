//! How results are shown: data to standard output, everything else to standard error.

use std::ffi::OsStr;
use std::io::Write;

use clap::ValueEnum;
use comfy_table::Table;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::Outcome;

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// For programs: one object.
    Json,
    /// For programs: one row per item, under a header.
    Csv,
}

/// Writes a line of text to standard output.
pub fn text(text: impl std::fmt::Display) -> Outcome {
    writeln!(std::io::stdout().lock(), "{text}")?;
    Ok(())
}

/// Writes one JSON object to standard output.
pub fn json(value: &impl Serialize) -> Outcome {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// Writes rows to standard output, under a header of field names.
pub fn csv<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Outcome {
    let mut writer = csv::Writer::from_writer(std::io::stdout().lock());
    for row in rows {
        writer.serialize(row).map_err(csv_failure)?;
    }
    writer.flush()?;
    Ok(())
}

/// Writes rows under this header to standard output.
pub fn csv_table(header: &[String], rows: impl IntoIterator<Item = Vec<String>>) -> Outcome {
    let mut writer = csv::Writer::from_writer(std::io::stdout().lock());
    writer.write_record(header).map_err(csv_failure)?;
    for row in rows {
        writer.write_record(row).map_err(csv_failure)?;
    }
    writer.flush()?;
    Ok(())
}

fn csv_failure(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

/// Writes a note to standard error. A closed standard error is no reason to fail.
pub fn note(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A number of things in words: `1 answer`, `2 answers`.
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// A number with this many digits after the point. A value that rounds to 0 has no sign.
pub fn fixed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|letter| "0.".contains(letter)) => rest.to_owned(),
        _ => text,
    }
}

/// A word, quoted as the shell needs it.
pub fn typed(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref().to_string_lossy();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+:,@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The width of the terminal in columns; without a terminal, the variable `COLUMNS`, else 100.
pub fn columns() -> usize {
    let variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    Table::new().width().map(usize::from).or_else(variable).unwrap_or(100)
}

/// A text in at most `width` columns of a terminal: cut with an ellipsis, without characters that move the cursor.
pub fn cut(text: &str, width: usize) -> String {
    let mut out: String = text.chars().map(|letter| if letter.is_control() { '\u{FFFD}' } else { letter }).collect();
    if out.width() <= width {
        return out;
    }
    while out.width() + 1 > width && out.pop().is_some() {}
    out.push('…');
    out
}

/// An interval and its middle, drawn in `width` characters between `from` and `to`: `  ├──●──┤   `.
pub fn draw_interval(low: f64, middle: f64, high: f64, (from, to): (f64, f64), width: usize) -> String {
    let scale = if to > from { (width - 1) as f64 / (to - from) } else { 0.0 };
    let at = |value: f64| (((value - from) * scale).round().max(0.0) as usize).min(width - 1);
    let (low, middle, high) = (at(low), at(middle), at(high));
    let mut cells = vec![' '; width];
    cells[low..=high].fill('─');
    cells[low] = '├';
    cells[high] = '┤';
    cells[middle] = '●';
    cells.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{cut, draw_interval, fixed, typed};

    #[test]
    fn long_and_wide_texts_are_cut() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        // Each of these letters takes two columns, so one column stays free.
        assert_eq!(cut("東京都庁", 8), "東京都庁");
        assert_eq!(cut("東京都庁", 6), "東京…");
        assert_eq!(cut("a\u{1b}[31mb", 80), "a\u{FFFD}[31mb");
    }

    #[test]
    fn nothing_is_less_than_nothing() {
        let said = [-0.0, -0.0004, -0.0006, 0.0004, -10.0].map(|value| fixed(value, 3));
        assert_eq!(said, ["0.000", "0.000", "-0.001", "0.000", "-10.000"]);
        assert_eq!(fixed(-0.4, 0), "0");
    }

    #[test]
    fn words_for_a_shell() {
        assert_eq!(typed("a/b-c.csv"), "a/b-c.csv");
        assert_eq!(typed("it's here"), r"'it'\''s here'");
        assert_eq!(typed(""), "''");
    }

    #[test]
    fn intervals_stay_inside_their_box() {
        assert_eq!(draw_interval(-1.0, 0.0, 1.0, (-2.0, 2.0), 9), "  ├─●─┤  ");
        assert_eq!(draw_interval(0.0, 0.0, 0.0, (0.0, 0.0), 4), "●   ");
        assert_eq!(draw_interval(-9.0, 1.0, 9.0, (0.0, 1.0), 5), "├───●");
    }
}
