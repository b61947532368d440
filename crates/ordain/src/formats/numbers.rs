//! Numbers in the cells of a table, as people and spreadsheets write them.
//!
//! | cell | read as |
//! |---|---|
//! | nothing, `NA`, `n/a`, `NaN`, `null`, `-`, `?`, in any case | missing |
//! | `12`, `-0.5`, `+3`, `1e-4` | a number |
//! | `1,234`, `1,234,567.8` | a number with a decimal point; the commas part thousands |
//! | `3,14`, `1.234,5` | a number with a decimal comma; points part thousands |
//! | `$1`, `-$1`, `€ 3`, `3 €` | the number beside the sign of a currency |
//! | `12 %` | 12 |
//!
//! **The decimal mark** is one for a column. A cell such as `3.14` or `0.125` shows a point, `3,14` or `1.234.567` a
//! comma. If a column shows both, the mark that reads more cells counts, and the other cells are mistakes. Cells such
//! as `1,234` and `1.234` show neither. In a column with nothing else, the other columns of numbers decide. If none of
//! them shows a mark, it is the point, except for `1,234` in a table that is not separated by commas: that is an error,
//! as is a column that the others contradict.
//!
//! **Signs** are those of one currency in a column; some cells may lack it. A percent sign stands in all cells of a
//! column or in none, since 0.5 is not 0.5 %.

use std::cell::OnceCell;

use super::table::Table;
use crate::InputError;

/// The letter before the decimals of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decimal {
    Point,
    Comma,
}

/// A sign beside a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    None,
    Percent,
    Currency(char),
}

/// A cell of a column of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    Missing,
    Number(Written),
    /// Infinity, however it is written.
    Infinite,
    Other,
}

/// A number in its two readings, of which there is at least one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Written {
    point: Option<f64>,
    comma: Option<f64>,
    sign: Sign,
}

impl Written {
    /// A number without a sign of a currency or of percent.
    pub(crate) fn plain(cell: &str) -> Option<Self> {
        match parse(cell) {
            Cell::Number(written) if written.sign == Sign::None => Some(written),
            _ => None,
        }
    }

    /// The value with this decimal mark.
    pub(crate) fn value(self, mark: Decimal) -> Option<f64> {
        match mark {
            Decimal::Point => self.point,
            Decimal::Comma => self.comma,
        }
    }

    /// The decimal mark, if the number has one reading only.
    pub(crate) fn shows(self) -> Option<Decimal> {
        match (self.point, self.comma) {
            (Some(_), None) => Some(Decimal::Point),
            (None, Some(_)) => Some(Decimal::Comma),
            _ => None,
        }
    }

    /// Whether the two readings are different numbers.
    pub(crate) fn is_ambiguous(self) -> bool {
        matches!((self.point, self.comma), (Some(point), Some(comma)) if point != comma)
    }
}

/// Words of a missing number, in lower case.
const MISSING: [&str; 6] = ["na", "n/a", "nan", "null", "-", "?"];

/// Whether a cell of a column of numbers holds none on purpose.
pub(crate) fn is_missing(cell: &str) -> bool {
    let cell = cell.trim();
    cell.is_empty() || MISSING.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

fn parse(cell: &str) -> Cell {
    let cell = cell.trim();
    if is_missing(cell) {
        return Cell::Missing;
    }
    // Most cells of most tables are whole numbers or have a point.
    if let Ok(value) = cell.parse::<f64>() {
        if !value.is_finite() {
            return if value.is_nan() { Cell::Other } else { Cell::Infinite };
        }
        let comma = if cell.contains('.') { grouped(cell) } else { Some(value) };
        return Cell::Number(Written { point: Some(value), comma, sign: Sign::None });
    }
    let Some((negative, sign, body)) = signs(cell) else { return Cell::Other };
    let turned = |value: f64| if negative { -value } else { value };
    let (point, comma) = (with_point(body), with_point(&swapped(body)));
    match point.or(comma) {
        Some(_) => Cell::Number(Written { point: point.map(turned), comma: comma.map(turned), sign }),
        None => Cell::Other,
    }
}

/// A number whose points part thousands, with a minus or plus sign.
fn grouped(cell: &str) -> Option<f64> {
    let body = cell.strip_prefix(['-', '+']).unwrap_or(cell);
    let value = with_point(&swapped(body))?;
    Some(if cell.starts_with('-') { -value } else { value })
}

fn swapped(body: &str) -> String {
    let swap = |letter| match letter {
        '.' => ',',
        ',' => '.',
        letter => letter,
    };
    body.chars().map(swap).collect()
}

/// The signs before and behind a number: whether it is negative, its unit, and the rest.
fn signs(cell: &str) -> Option<(bool, Sign, &str)> {
    let mut rest = cell;
    let (mut negative, mut sign) = (None, Sign::None);
    // A minus sign stands before or behind a currency: -$1, $-1.
    while let Some(letter) = rest.chars().next() {
        match letter {
            '-' | '\u{2212}' if negative.is_none() => negative = Some(true),
            '+' if negative.is_none() => negative = Some(false),
            letter if is_currency(letter) && sign == Sign::None => sign = Sign::Currency(letter),
            _ => break,
        }
        rest = rest[letter.len_utf8()..].trim_start();
    }
    let last = rest.chars().next_back()?;
    let behind = match last {
        '%' => Sign::Percent,
        letter if is_currency(letter) => Sign::Currency(letter),
        _ => Sign::None,
    };
    if behind != Sign::None {
        if sign != Sign::None {
            return None;
        }
        (sign, rest) = (behind, rest[..rest.len() - last.len_utf8()].trim_end());
    }
    // What is left is no word, such as infinity, and has no second minus sign.
    let begins = rest.strip_prefix(['.', ',']).unwrap_or(rest).starts_with(|letter: char| letter.is_ascii_digit());
    begins.then_some((negative == Some(true), sign, rest))
}

/// Signs of currencies: dollar, pound, yen, and Unicode's block of them, with the euro.
fn is_currency(letter: char) -> bool {
    matches!(letter, '$' | '£' | '¥' | '\u{20a0}'..='\u{20cf}')
}

/// A number with a decimal point whose commas, if it has any, part thousands: `1,234.5`. A first group of 0 parts none.
fn with_point(body: &str) -> Option<f64> {
    if !body.contains(',') {
        return body.parse::<f64>().ok().filter(|value| value.is_finite());
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, part) = body.split_once('.').map_or((body, None), |(whole, part)| (whole, Some(part)));
    let (first, others) = whole.split_once(',')?;
    let fits = digits(first)
        && first.len() <= 3
        && !first.starts_with('0')
        && others.split(',').all(|group| group.len() == 3 && digits(group))
        && part.is_none_or(digits);
    let plain = || body.replace(',', "").parse::<f64>().ok().filter(|value| value.is_finite());
    if fits { plain() } else { None }
}

/// The apparent content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Numbers: every cell is a number or missing.
    Numbers,
    /// Numbers in more than half of the cells that are not missing, or infinities and numbers with the other decimal
    /// mark in all others; the cell of this row is no number of the column.
    Mixed(usize),
    /// Numbers that have two readings; one is in this row.
    Unclear(usize),
    /// Text, or nothing.
    Text,
}

/// What the cells of a column are.
#[derive(Debug, Default)]
struct Count {
    /// Cells with a value under one mark or the other, under a decimal point, and under a decimal comma.
    numbers: usize,
    point: usize,
    comma: usize,
    infinite: usize,
    words: usize,
    /// The first cell that shows this mark.
    shows_point: Option<usize>,
    shows_comma: Option<usize>,
    /// The first cell such as `1,234`, and such as `1.234`.
    like_1_comma_234: Option<usize>,
    like_1_point_234: Option<usize>,
    /// The sign of the numbers before, and the first number that has another one.
    sign: Option<Sign>,
    other_sign: Option<usize>,
}

impl Count {
    fn of(table: &Table, column: usize) -> Self {
        let mut out = Self::default();
        for row in 0..table.len() {
            let cell = table.cell(row, column);
            match parse(cell) {
                Cell::Missing => {}
                Cell::Infinite => out.infinite += 1,
                Cell::Other => out.words += 1,
                Cell::Number(written) => out.add(written, row, cell.contains(',')),
            }
        }
        out
    }

    fn add(&mut self, written: Written, row: usize, has_comma: bool) {
        self.numbers += 1;
        self.point += usize::from(written.point.is_some());
        self.comma += usize::from(written.comma.is_some());
        let first = match written.shows() {
            Some(Decimal::Point) => Some(&mut self.shows_point),
            Some(Decimal::Comma) => Some(&mut self.shows_comma),
            None if !written.is_ambiguous() => None,
            None if has_comma => Some(&mut self.like_1_comma_234),
            None => Some(&mut self.like_1_point_234),
        };
        if let Some(first) = first {
            first.get_or_insert(row);
        }
        self.sign = Some(match (self.sign, written.sign) {
            (None, sign) => sign,
            (Some(known), sign) if known == sign => known,
            (Some(Sign::None), Sign::Currency(letter)) | (Some(Sign::Currency(letter)), Sign::None) => {
                Sign::Currency(letter)
            }
            (Some(known), _) => {
                self.other_sign.get_or_insert(row);
                known
            }
        });
    }

    /// The mark that the column shows by itself.
    fn shown(&self) -> Option<Decimal> {
        match (self.shows_point, self.shows_comma) {
            (None, None) => None,
            (Some(_), None) => Some(Decimal::Point),
            (None, Some(_)) => Some(Decimal::Comma),
            (Some(_), Some(_)) if self.comma > self.point => Some(Decimal::Comma),
            (Some(_), Some(_)) => Some(Decimal::Point),
        }
    }

    /// Whether enough cells are numbers with this mark for a column of numbers.
    fn is_numeric(&self, mark: Decimal) -> bool {
        let fitting = self.fitting(mark);
        let words = self.words + self.numbers - fitting;
        // Numbers of which some have a decimal point and some a comma are no text, however many there are of each.
        fitting > 0 && (self.words == 0 || fitting > self.infinite + words)
    }

    /// How many cells are numbers with this mark.
    fn fitting(&self, mark: Decimal) -> usize {
        match mark {
            Decimal::Point => self.point,
            Decimal::Comma => self.comma,
        }
    }
}

/// The number in a cell of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    Missing,
    Number(f64),
    Wrong,
}

/// The value of a cell of a column with this decimal mark.
pub(crate) fn value(cell: &str, mark: Decimal) -> Value {
    match parse(cell) {
        Cell::Missing => Value::Missing,
        Cell::Number(written) => written.value(mark).map_or(Value::Wrong, Value::Number),
        Cell::Infinite | Cell::Other => Value::Wrong,
    }
}

/// The columns of a table as numbers. Every column is looked at once, when it is needed.
pub(crate) struct Columns<'a> {
    table: &'a Table,
    counts: Vec<OnceCell<Count>>,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(table: &'a Table) -> Self {
        Self { table, counts: table.columns().iter().map(|_| OnceCell::new()).collect() }
    }

    fn count(&self, column: usize) -> &Count {
        self.counts[column].get_or_init(|| Count::of(self.table, column))
    }

    /// The content of a column.
    pub(crate) fn content(&self, column: usize) -> Content {
        let count = self.count(column);
        let mark = match self.decided(column) {
            Ok(mark) => mark,
            // Whatever the mark, these are numbers or not.
            Err(row) if count.is_numeric(Decimal::Point) => return Content::Unclear(row),
            Err(_) => return Content::Text,
        };
        match (count.is_numeric(mark), self.first_wrong(column, mark)) {
            (false, _) => Content::Text,
            (true, Some(row)) => Content::Mixed(row),
            (true, None) => Content::Numbers,
        }
    }

    /// The mark of a column if a cell depends on it; none if every cell reads the same either way.
    pub(crate) fn mark(&self, column: usize) -> Option<Decimal> {
        let count = self.count(column);
        let firsts = [count.shows_point, count.shows_comma, count.like_1_comma_234, count.like_1_point_234];
        if firsts.iter().any(Option::is_some) { self.decided(column).ok() } else { None }
    }

    /// The first cell of a column that is neither missing nor a number of the column.
    pub(crate) fn first_wrong(&self, column: usize, mark: Decimal) -> Option<usize> {
        let count = self.count(column);
        let all = count.words + count.infinite == 0 && count.fitting(mark) == count.numbers;
        let wrong = |&row: &usize| value(self.table.cell(row, column), mark) == Value::Wrong;
        let other = if all { None } else { (0..self.table.len()).find(wrong) };
        [other, count.other_sign].into_iter().flatten().min()
    }

    /// The mark with which a column is read, or the row of a number with two readings. A caller that knows the mark
    /// need not ask.
    pub(crate) fn decided(&self, column: usize) -> Result<Decimal, usize> {
        let count = self.count(column);
        if let Some(mark) = count.shown() {
            return Ok(mark);
        }
        let (comma, point) = (count.like_1_comma_234, count.like_1_point_234);
        let Some(first) = [comma, point].into_iter().flatten().min() else { return Ok(Decimal::Point) };
        if comma.is_some() && point.is_some() {
            return Err(first);
        }
        // Decimal points are common and other columns many; without a comma anywhere there is nothing to look for.
        if !self.table.has_comma() {
            return Ok(Decimal::Point);
        }
        let shown = |mark: Decimal| {
            (0..self.counts.len()).filter(|&other| other != column).any(|other| {
                let other = self.count(other);
                other.shown() == Some(mark) && other.is_numeric(mark)
            })
        };
        // In a table that is separated by commas, and in JSON, numbers are usually written with a point.
        let by_commas = self.table.separator().is_none_or(|separator| separator == b',');
        match (shown(Decimal::Point), shown(Decimal::Comma)) {
            (true, true) => Err(first),
            (true, false) => Ok(Decimal::Point),
            (false, true) if by_commas && point.is_some() => Err(first),
            (false, true) => Ok(Decimal::Comma),
            (false, false) if comma.is_some() && !by_commas => Err(first),
            (false, false) => Ok(Decimal::Point),
        }
    }

    /// The first number of a column that has another sign than those before.
    pub(crate) fn other_sign(&self, column: usize) -> Option<usize> {
        self.count(column).other_sign
    }

    /// The error for a cell that is no number of its column.
    pub(crate) fn wrong(&self, row: usize, column: usize) -> InputError {
        let other_sign = self.count(column).other_sign == Some(row);
        let expected = if other_sign { "a finite number with the sign of the others" } else { "a finite number" };
        self.at(row, column, expected)
    }

    /// The error for a number with two readings.
    pub(crate) fn unclear(&self, row: usize, column: usize) -> InputError {
        let cell = self.table.cell(row, column).trim();
        let (plain, comma) = (cell.replace(['.', ','], ""), cell.replace(',', "."));
        self.at(row, column, "a number that reads in one way only")
            .hint(format!("no other cell tells whether this is {plain} or {comma}: write all numbers with a decimal point, and without marks between thousands"))
    }

    fn at(&self, row: usize, column: usize, expected: &str) -> InputError {
        InputError::new(self.table.path(), expected)
            .line(self.table.line(row))
            .column(&self.table.columns()[column])
            .found(self.table.cell(row, column).trim())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::table::Cells;
    use super::*;

    fn both(cell: &str) -> (Option<f64>, Option<f64>) {
        match parse(cell) {
            Cell::Number(written) => (written.point, written.comma),
            other => panic!("{cell}: {other:?}"),
        }
    }

    /// The two readings of cells, by hand.
    #[test]
    fn readings_of_cells() {
        for (cell, point, comma) in [
            ("12", Some(12.0), Some(12.0)),
            (" -3 ", Some(-3.0), Some(-3.0)),
            ("2.75", Some(2.75), None),
            ("2,75", None, Some(2.75)),
            ("1e-4", Some(1e-4), Some(1e-4)),
            ("1,5e3", None, Some(1500.0)),
            (".5", Some(0.5), None),
            (",5", None, Some(0.5)),
            ("1,234", Some(1234.0), Some(1.234)),
            ("-1.234", Some(-1.234), Some(-1234.0)),
            ("0,125", None, Some(0.125)),
            ("0.125", Some(0.125), None),
            ("1,234,567.8", Some(1_234_567.8), None),
            ("1.234.567,8", None, Some(1_234_567.8)),
            ("1.234.567", None, Some(1_234_567.0)),
            ("1234,567", None, Some(1234.567)),
            ("$1", Some(1.0), Some(1.0)),
            ("-$1", Some(-1.0), Some(-1.0)),
            ("$-1.50", Some(-1.5), None),
            ("\u{2212}3", Some(-3.0), Some(-3.0)),
            ("€ 3", Some(3.0), Some(3.0)),
            ("3,5 €", None, Some(3.5)),
            ("₹1,234", Some(1234.0), Some(1.234)),
            ("12 %", Some(12.0), Some(12.0)),
            ("12.5%", Some(12.5), None),
        ] {
            assert_eq!(both(cell), (point, comma), "{cell}");
        }
        for cell in ["", " ", "NA", "n/a", "NaN", "nan", "NULL", "-", " ? "] {
            assert_eq!(parse(cell), Cell::Missing, "{cell}");
        }
        for cell in ["inf", "-Infinity", "1e999"] {
            assert_eq!(parse(cell), Cell::Infinite, "{cell}");
        }
        for cell in [
            "wide",
            "3O",
            "1,23,456",
            "1,2345,678",
            "2024-01-05",
            "1.2.3",
            "1/2",
            "$",
            "%",
            "$1%",
            "$$1",
            "--1",
            "1 2",
            "$inf",
            "+NaN",
            "1,234.",
            "01,234",
            "$1e999",
            "1_000",
            "0x1f",
            "12.34.567",
        ] {
            // Some of these have a reading with a comma, as 01,234 = 1.234; none with a point.
            assert!(!matches!(parse(cell), Cell::Number(Written { point: Some(_), .. })), "{cell}: {:?}", parse(cell));
        }
        assert_eq!(both("01,234"), (None, Some(1.234)));
    }

    fn table(separator: Option<u8>, columns: &[&[&str]]) -> Table {
        let mut cells = Cells::default();
        let rows = columns[0].len();
        (0..rows).for_each(|row| columns.iter().for_each(|column| cells.push(column[row])));
        let names = (0..columns.len()).map(|column| format!("c{column}")).collect();
        Table::new(Path::new("t"), names, (2..rows as u64 + 2).collect(), cells).separated(separator)
    }

    #[track_caller]
    fn check(separator: u8, columns: &[&[&str]], content: Content, mark: Option<Decimal>) {
        let table = table(Some(separator), columns);
        let columns = Columns::new(&table);
        assert_eq!((columns.content(0), columns.mark(0)), (content, mark));
    }

    #[test]
    fn the_mark_of_a_column() {
        use Content::{Mixed, Numbers, Text, Unclear};
        let (point, comma) = (Some(Decimal::Point), Some(Decimal::Comma));
        // Of itself.
        check(b',', &[&["1", "2"]], Numbers, None);
        check(b',', &[&["1,234", "$1", "12", "NA"]], Numbers, point);
        check(b',', &[&["3,14", "1.234", "1"]], Numbers, comma);
        check(b';', &[&["3,14", "1,234"]], Numbers, comma);
        check(b';', &[&["3.14", "1,234"]], Numbers, point);
        check(b';', &[&["3.14", "2.5", "3,1"]], Mixed(2), point);
        check(b';', &[&["3.14", "2,5", "3,1"]], Mixed(0), comma);
        check(b';', &[&["1.5", "2,5"]], Mixed(1), point);
        check(b';', &[&["1.5", "2,5", "red"]], Text, point);
        check(b';', &[&["1.234", "5.678"]], Numbers, point);
        // Of the other columns.
        check(b';', &[&["1,234", "7"], &["2.5", "1"]], Numbers, point);
        check(b';', &[&["1,234", "7"], &["2,5", "1"]], Numbers, comma);
        check(b';', &[&["1.234", "7"], &["2,5", "1"]], Numbers, comma);
        check(b';', &[&["1.234", "7"], &["a, b", "2,5"]], Numbers, point);
        // Of nothing.
        check(b';', &[&["7", "1,234"]], Unclear(1), None);
        check(b'\t', &[&["7", "1,234"]], Unclear(1), None);
        check(b',', &[&["1,234", "1.234"]], Unclear(0), None);
        check(b';', &[&["1,234", "7"], &["2,5", "1"], &["2.5", "1"]], Unclear(0), None);
        check(b',', &[&["1.234", "7"], &["2,5", "1"]], Unclear(0), None);
        check(b';', &[&["1,234", "red", "blue"]], Text, None);
    }

    #[test]
    fn the_signs_of_a_column() {
        use Content::{Mixed, Numbers, Text};
        check(b',', &[&["$1", "2", "$3"]], Numbers, None);
        check(b',', &[&["$1", "2", "€3"]], Mixed(2), None);
        check(b',', &[&["1 %", "2%", "?"]], Numbers, None);
        check(b',', &[&["1 %", "2", "3 %"]], Mixed(1), None);
        check(b',', &[&["1", "2", "3 %"]], Mixed(2), None);
        check(b',', &[&["1", "inf"]], Mixed(1), None);
        check(b',', &[&["NA", "-"]], Text, None);
        let table = table(Some(b','), &[&["$1", "€3"]]);
        let error = Columns::new(&table).wrong(1, 0);
        assert_eq!((error.line, error.found.as_deref()), (Some(3), Some("€3")));
        assert!(error.expected.contains("the sign of the others"), "{error}");
    }
}
