//! Curves drawn in a terminal.

use unicode_width::UnicodeWidthStr;

use crate::output;

/// One curve: its name and its points.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// One marker per curve; they repeat when there are more curves.
const MARKERS: [char; 12] = ['●', '○', '▲', '△', '■', '□', '◆', '◇', '▼', '▽', '★', '☆'];

/// Rows of the picture.
const HEIGHT: usize = 14;

/// Draws curves over one axis, in at most this many columns and at least 18. Points have markers, dots connect them,
/// and a legend stands below. Earlier curves cover later ones.
pub fn draw(lines: &[Line], across: &str, up: &str, columns: usize) -> String {
    /// Columns left of the picture: a number and the axis.
    const LEFT: usize = 8;
    let width = columns.saturating_sub(LEFT + 2).clamp(8, 72);
    let points = || lines.iter().flat_map(|line| &line.points);
    let range = |of: fn(&(f64, f64)) -> f64| {
        points().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let ((left, right), (low, high)) = (range(|point| point.0), range(|point| point.1));
    let mut cells = vec![vec![' '; width]; HEIGHT];
    let mut put = |(column, row): (usize, usize), mark: char| cells[row][column] = mark;
    for (at, line) in lines.iter().enumerate().rev() {
        let place = |(x, y): (f64, f64)| (scaled(x, left, right, width), HEIGHT - 1 - scaled(y, low, high, HEIGHT));
        for pair in line.points.windows(2) {
            let ((from, _), (to, _)) = (place(pair[0]), place(pair[1]));
            for column in from + 1..to {
                let share = (column - from) as f64 / (to - from) as f64;
                let y = pair[0].1 + share * (pair[1].1 - pair[0].1);
                let (_, row) = place((pair[0].0, y));
                put((column, row), '·');
            }
        }
        for &point in &line.points {
            put(place(point), MARKERS[at % MARKERS.len()]);
        }
    }
    let mut out = format!("{up}\n");
    for (row, cells) in cells.iter().enumerate() {
        let value = high - (high - low) * row as f64 / (HEIGHT - 1) as f64;
        let label = if row % 3 == 1 { format!("{:>6} ┤", output::fixed(value, 3)) } else { format!("{:6} │", "") };
        let text: String = cells.iter().collect();
        out.push_str(&format!("{label}{}\n", text.trim_end()));
    }
    let (left, right) = (left.to_string(), format!("{right} {across}"));
    // Without room for both ends there is one.
    let left = if left.width() + right.width() < width { left } else { String::new() };
    let gap = width.saturating_sub(left.width() + right.width());
    out.push_str(&format!("{:6} └{}\n{:LEFT$}{left}{}{right}\n", "", "─".repeat(width), "", " ".repeat(gap)));
    // The legend stands below the picture, or at the margin if it does not fit there.
    let longest = lines.iter().map(|line| line.name.width() + 2).max().unwrap_or(0);
    let margin = if LEFT + longest > columns { 0 } else { LEFT };
    for (at, line) in lines.iter().enumerate() {
        out.push_str(&format!("{:margin$}{} {}\n", "", MARKERS[at % MARKERS.len()], line.name));
    }
    out
}

/// The cell of a value, among `cells` cells from `low` to `high`.
fn scaled(value: f64, low: f64, high: f64, cells: usize) -> usize {
    let share = if high > low { (value - low) / (high - low) } else { 0.5 };
    ((share * (cells - 1) as f64).round() as usize).min(cells - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rising_and_falling() {
        let line = |name: &str, from: f64, to: f64| Line { name: name.into(), points: vec![(10.0, from), (20.0, to)] };
        let text = draw(&[line("up", 0.0, 1.3), line("down", 1.3, 0.0)], "answers", "tau", 40);
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 1 + HEIGHT + 2 + 2);
        assert!(rows.iter().all(|row| row.width() <= 40), "{text}");
        // 30 cells after the axis: the falling curve starts in the first row, where the rising one ends.
        let cell = |row: usize, column: usize| rows[1 + row].chars().nth(8 + column);
        assert_eq!((cell(0, 0), cell(0, 29)), (Some('○'), Some('●')));
        assert_eq!((cell(13, 0), cell(13, 29)), (Some('●'), Some('○')));
        assert!(rows[2].starts_with(" 1.200 ┤"), "{text}");
        assert!(rows[16].ends_with("20 answers") && rows[16].starts_with("        10"), "{text}");
        assert!(rows[17].ends_with("● up") && rows[18].ends_with("○ down"));
    }

    #[test]
    fn nothing_breaks_on_a_single_point_or_a_flat_curve() {
        for points in [vec![(10.0, 0.5)], vec![(10.0, 0.5), (20.0, 0.5)]] {
            assert!(draw(&[Line { name: "flat".into(), points }], "answers", "map", 3).contains('●'));
        }
    }
}
