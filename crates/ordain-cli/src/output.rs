//! How results are shown: data to standard output, everything else to standard error.

use std::io::Write;

use clap::ValueEnum;
use serde::Serialize;

use crate::Outcome;

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// For programs: one object.
    Json,
    /// For programs: one row an item, under a header.
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

/// Writes rows under a header to standard output.
pub fn csv<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Outcome {
    let mut writer = csv::Writer::from_writer(std::io::stdout().lock());
    for row in rows {
        writer.serialize(row).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            other => std::io::Error::other(format!("{other:?}")),
        })?;
    }
    writer.flush()?;
    Ok(())
}

/// Says something on standard error; nobody listening there is no reason to fail.
pub fn note(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// An interval and its middle drawn in `width` characters between `from` and `to`: `  ├──●──┤   `.
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
    use super::draw_interval;

    #[test]
    fn intervals_stay_inside_their_box() {
        assert_eq!(draw_interval(-1.0, 0.0, 1.0, (-2.0, 2.0), 9), "  ├─●─┤  ");
        assert_eq!(draw_interval(0.0, 0.0, 0.0, (0.0, 0.0), 4), "●   ");
        assert_eq!(draw_interval(-9.0, 1.0, 9.0, (0.0, 1.0), 5), "├───●");
    }
}
