//! How results are shown: data to standard output, everything else to standard error.

use std::ffi::OsStr;
use std::io::{IsTerminal, Write};

use clap::ValueEnum;
use comfy_table::Table;
use serde::Serialize;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::{Outcome, manners};

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// For programs: one object.
    Json,
    /// For programs: rows under a header.
    Csv,
}

/// Writes a line of text to standard output, in lines that fit the terminal.
pub fn text(text: impl std::fmt::Display) -> Outcome {
    writeln!(std::io::stdout().lock(), "{}", fitted(&text.to_string()))?;
    Ok(())
}

/// Text for standard output, in lines that fit the terminal.
pub fn fitted(text: &str) -> String {
    wrapped(text, terminal_of(&std::io::stdout()))
}

/// Writes a table to standard output, in lines that fit the width if that is known.
pub fn table(table: &Table) -> Outcome {
    text(drawn(table))
}

/// A table as text. If it is wider than the width that is known, every cell gets a line of its own.
pub fn drawn(table: &Table) -> String {
    let lines = table.trim_fmt();
    let widest = lines.lines().map(str::width).max().unwrap_or(0);
    match known_columns() {
        Some(columns) if widest > columns => stacked(table, columns),
        _ => lines,
    }
}

/// A table with one line per cell, under the name of its column, and a blank line between rows.
fn stacked(table: &Table, columns: usize) -> String {
    let names: Vec<String> = table.header().into_iter().flat_map(|header| header.cell_iter()).map(content).collect();
    let row = |row: &comfy_table::Row| {
        let cells = row.cell_iter().map(content).zip(&names).filter(|(cell, _)| !cell.is_empty());
        let line = |(cell, name): (String, &String)| {
            let line = if name.is_empty() { cell } else { format!("{name}: {cell}") };
            wrapped(&line, Some(columns)) + "\n"
        };
        cells.map(line).collect::<String>()
    };
    table.row_iter().map(row).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn content(cell: &comfy_table::Cell) -> String {
    cell.content().trim().to_owned()
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

/// Writes the header of such rows to standard output, where there is no row that it could be taken from.
pub fn csv_header<R: Serialize + Default>() -> Outcome {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.serialize(R::default()).map_err(csv_failure)?;
    let text = writer.into_inner().map_err(|error| std::io::Error::other(error.to_string()))?;
    let header: Vec<u8> = text.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default().to_vec();
    std::io::stdout().lock().write_all(&header)?;
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

/// The error of the file itself, where it is one.
pub fn csv_failure(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

/// Writes a note to standard error, in lines that fit the terminal; nothing with `--quiet`. A closed standard error is no reason to fail.
pub fn note(text: impl std::fmt::Display) {
    if !manners::is_quiet() {
        let text = wrapped(&text.to_string(), terminal_of(&std::io::stderr()));
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }
}

/// What a message is about that is no note. `--quiet` leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Why the command failed.
    Error,
    /// What may be wrong with what the command did.
    Warning,
    /// What to do about an error.
    Hint,
}

/// Writes a warning to standard error, in lines that fit the terminal.
pub fn warn(text: impl std::fmt::Display) {
    say(Kind::Warning, text);
}

/// Writes a message to standard error, in lines that fit the terminal, after the word for its kind.
pub fn say(kind: Kind, text: impl std::fmt::Display) {
    // Bold red, yellow and cyan, as the parser's own messages have them.
    let (word, colour) = match kind {
        Kind::Error => ("error:", "\u{1b}[1;31m"),
        Kind::Warning => ("warning:", "\u{1b}[1;33m"),
        Kind::Hint => ("hint:", "\u{1b}[1;36m"),
    };
    let text = wrapped(&format!("{word} {text}"), terminal_of(&std::io::stderr()));
    // The colour comes after the text was made harmless and broken into lines.
    let text = match text.strip_prefix(word).filter(|_| manners::has_colours()) {
        Some(rest) => format!("{colour}{word}\u{1b}[0m{rest}"),
        None => text,
    };
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A number for JSON, without a fraction if it has none.
pub fn number(value: f64) -> serde_json::Value {
    const LARGEST: f64 = 1e15;
    if value.fract() == 0.0 && value.abs() < LARGEST { (value as i64).into() } else { value.into() }
}

/// A number of things in words: `1 answer`, `2 answers`.
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// A number with this many digits after the point. A value that rounds to 0 has no sign. One that is too long to read is
/// written with a power of ten.
pub fn fixed(value: f64, digits: usize) -> String {
    const LONG: f64 = 1e12;
    if value.abs() >= LONG {
        return format!("{value:.digits$e}");
    }
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
    known_columns().unwrap_or(100)
}

/// The width of the terminal on standard output; without a terminal, the variable `COLUMNS`.
fn known_columns() -> Option<usize> {
    let variable = || std::env::var("COLUMNS").ok()?.parse::<u16>().ok();
    let width = terminal_of(&std::io::stdout());
    width.or_else(|| variable().filter(|&columns| columns > 0).map(usize::from))
}

/// The width of the terminal to which this leads, if it leads to one. Some terminals report no width at all, as 0.
fn terminal_of(stream: &impl IsTerminal) -> Option<usize> {
    let size = || crossterm::terminal::size().ok();
    let (columns, _) = stream.is_terminal().then(size).flatten()?;
    (columns > 0).then_some(usize::from(columns))
}

/// Whether a character could give the terminal an instruction, reorder the text around it or break the line.
fn is_hostile(letter: char) -> bool {
    const DIRECTIONS: [char; 3] = ['\u{61C}', '\u{200E}', '\u{200F}'];
    let reorders = |letter| matches!(letter, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{206F}');
    letter.is_control() || DIRECTIONS.contains(&letter) || reorders(letter)
}

fn harmless(letter: char) -> char {
    if is_hostile(letter) { char::REPLACEMENT_CHARACTER } else { letter }
}

/// A name as sentences show it: of a readable length, without characters that move the cursor.
pub fn name(name: &str) -> String {
    /// Two of these fill a few lines.
    const LONGEST: usize = 200;
    cut(name, LONGEST)
}

/// Whole text for the screen, of any length: without hostile characters, except for line feeds.
pub fn shown(text: &str) -> String {
    text.chars().map(|letter| if letter == '\n' { letter } else { harmless(letter) }).collect()
}

/// The letters of a text as a terminal shows them, each with its width: harmless, and with at most [`MARKS`] marks.
fn letters(text: &str) -> impl Iterator<Item = (String, usize)> {
    text.graphemes(true).map(|letter| {
        let letter: String = letter.chars().take(MARKS).map(harmless).collect();
        let width = letter.width();
        (letter, width)
    })
}

/// The most characters of a letter. The longest emoji have ten.
const MARKS: usize = 16;

/// A text in at most `width` columns of a terminal: cut with an ellipsis, without characters that move the cursor. Takes
/// time in proportion to the width, however long the text is.
pub fn cut(text: &str, width: usize) -> String {
    let Some(before_ellipsis) = width.checked_sub(1) else { return String::new() };
    // Letters without any width take no column, but they take room.
    let most = width.saturating_mul(2).saturating_add(MARKS);
    let (mut out, mut used, mut kept) = (String::new(), 0, 0);
    for (at, (letter, own)) in letters(text).enumerate() {
        used += own;
        if used > width || at >= most {
            out.truncate(kept);
            out.push('…');
            return out;
        }
        out.push_str(&letter);
        if used <= before_ellipsis {
            kept = out.len();
        }
    }
    out
}

/// As [`cut`], but if there is room, in the middle: the digits that tell names apart are often at their ends.
pub fn cut_in_the_middle(text: &str, width: usize) -> String {
    let end = width / 3;
    let short = cut(text, width);
    if letters(text).map(|(letter, _)| letter).collect::<String>() == short {
        return short;
    }
    let last: Vec<&str> = text.graphemes(true).rev().take(end).collect();
    let last: String = last.into_iter().rev().flat_map(letters).map(|(letter, _)| letter).collect();
    let room = width.saturating_sub(last.width());
    if last.width() > end { short } else { cut(text, room) + &last }
}

/// Text in lines of at most this many columns, broken between words where possible; unbroken without a width. No
/// character of it moves the cursor.
pub fn wrapped(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns.map(|columns| columns.max(2)) else { return shown(text) };
    text.split('\n').map(|line| wrapped_line(line, columns)).collect::<Vec<_>>().join("\n")
}

fn wrapped_line(line: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let letters: Vec<(String, usize)> = letters(word).collect();
        let width: usize = letters.iter().map(|(_, width)| width).sum();
        // A space at the end of a line takes no room.
        let visible = width - usize::from(word.ends_with(' '));
        if used > 0 && used + visible > columns {
            let end = out.trim_end_matches(' ').len();
            out.truncate(end);
            out.push('\n');
            used = 0;
        }
        for (letter, width) in letters {
            if letter == " " && used + width > columns {
                continue;
            }
            if used + width > columns {
                out.push('\n');
                used = 0;
            }
            out.push_str(&letter);
            used += width;
        }
    }
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
    use comfy_table::{Table, presets};
    use unicode_width::UnicodeWidthStr;

    use super::{cut, cut_in_the_middle, draw_interval, fixed, stacked, typed, wrapped};

    #[test]
    fn long_and_wide_texts_are_cut() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        // Each of these letters takes two columns, so one column stays free.
        assert_eq!(cut("東京都庁", 8), "東京都庁");
        assert_eq!(cut("東京都庁", 6), "東京…");
        assert_eq!(cut("a\u{1b}[31mb", 80), "a\u{FFFD}[31mb");
        assert_eq!(cut("evil\u{202E}txt\u{2066}", 80), "evil\u{FFFD}txt\u{FFFD}");
        assert_eq!([cut("abc", 1), cut("abc", 0), cut("", 0)], ["…", "", ""]);
        // A family is one letter of two columns.
        assert_eq!(cut("👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧", 5), "👩‍👩‍👧‍👧👩‍👩‍👧‍👧…");
    }

    /// Each of these took hours when every letter that was cut off measured the rest again.
    #[test]
    fn cutting_takes_no_longer_for_longer_texts() {
        const LENGTH: usize = 1 << 18;
        for letter in ["a", "word ", "東", "\u{200B}", "\u{301}", "\u{1b}", "🇩", "👩\u{200D}"] {
            let text = letter.repeat(LENGTH / letter.len());
            let short = cut(&text, 40);
            assert!(short.width() <= 40 && short.len() < 4000, "{short}");
            assert!(wrapped(&text, Some(40)).lines().all(|line| line.width() <= 40));
        }
    }

    #[test]
    fn the_ends_of_long_names_stay() {
        assert_eq!(cut_in_the_middle("annotator 0001", 14), "annotator 0001");
        assert_eq!(cut_in_the_middle("annotator number 0001", 12), "annotat…0001");
        assert_eq!(cut_in_the_middle("annotator", 2), "a…");
        for width in 0..12 {
            assert!(cut_in_the_middle("東京の審査員一号と二号", width).width() <= width);
        }
    }

    #[test]
    fn lines_are_broken_between_words() {
        let broken = |text: &str| wrapped(text, Some(10));
        assert_eq!(broken("ten letter"), "ten letter");
        assert_eq!(broken("not on one line"), "not on one\nline");
        assert_eq!(broken("  indented text"), "  indented\ntext");
        assert_eq!(broken("abcdefghijklmno p"), "abcdefghij\nklmno p");
        assert_eq!(broken("two\nlines"), "two\nlines");
        assert_eq!(broken("[q]uit: "), "[q]uit: ");
        assert_eq!(broken("東京都庁東京都庁"), "東京都庁東\n京都庁");
        assert_eq!(broken("\u{1b}[2J"), "\u{FFFD}[2J");
        assert_eq!(wrapped("no width at all", None), "no width at all");
    }

    #[test]
    fn a_table_too_wide_becomes_a_list() {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(["item", "utility", ""]).add_row(["ant", "0.5", "██"]).add_row(["bee", "", "█"]);
        assert_eq!(stacked(&table, 10), "item: ant\nutility:\n0.5\n██\n\nitem: bee\n█");
    }

    #[test]
    fn nothing_is_less_than_nothing() {
        let said = [-0.0, -0.0004, -0.0006, 0.0004, -10.0].map(|value| fixed(value, 3));
        assert_eq!(said, ["0.000", "0.000", "-0.001", "0.000", "-10.000"]);
        assert_eq!(fixed(-0.4, 0), "0");
        assert_eq!([fixed(-1.25e300, 3), fixed(123_456_789.0, 2)], ["-1.250e300", "123456789.00"]);
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
