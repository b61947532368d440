//! Shares as horizontal bars.

use crate::canvas::{Anchor, Canvas, picture};
use crate::palette::{self, GRID, INK};
use crate::range::{WIDTH, tick_step};

/// Horizontal bars, in named groups. Each group has a bar of every series.
pub struct Bars {
    /// The meaning of the bars.
    pub across: String,
    /// The names of the series. Seven have their own colours.
    pub series: Vec<String>,
    /// Every group: its name and its values, not negative, one per series.
    pub groups: Vec<(String, Vec<f64>)>,
}

/// The thickness of a bar.
const BAR: f64 = 9.0;

/// The space between groups.
const BETWEEN: f64 = 7.0;

/// The right end of the longest bar.
const RIGHT: f64 = 460.0;

/// The width of a letter of a name.
const LETTER: f64 = 8.5;

/// The number of letters of the longest name that is shown whole.
const LETTERS: usize = 16;

impl Bars {
    /// An SVG picture.
    pub fn draw(&self) -> String {
        let shown = |name: &str| match name.char_indices().nth(LETTERS) {
            Some((end, _)) => format!("{}…", &name[..end]),
            None => name.to_owned(),
        };
        let longest = self.groups.iter().map(|(name, _)| shown(name).chars().count()).max().unwrap_or(0);
        let left = 24.0 + LETTER * longest as f64;
        let largest = self.groups.iter().flat_map(|(_, values)| values).copied().fold(0.01, f64::max);
        let step = tick_step(largest);
        let ticks = (largest / step - 1e-9).ceil() as usize;
        let x = |value: f64| left + (RIGHT - left) * value / (ticks as f64 * step);
        let group = BAR * self.series.len() as f64 + BETWEEN;
        let top = 40.0;
        let bottom = top + group * self.groups.len() as f64 + BETWEEN;
        picture((WIDTH, (bottom + 60.0) as u32), |canvas| {
            self.legend(canvas);
            for tick in 0..=ticks {
                let value = tick as f64 * step;
                canvas.line(&[(x(value), top), (x(value), bottom)], GRID, 1);
                let digits = if step < 0.0999 { 2 } else { 1 };
                canvas.text(&format!("{value:.digits$}"), (x(value), bottom + 8.0), 15.0, Anchor::Top);
            }
            for (at, (name, values)) in self.groups.iter().enumerate() {
                let above = top + BETWEEN + group * at as f64;
                let middle = above + 0.5 * (group - BETWEEN);
                canvas.text(&shown(name), (left - 8.0, middle), 15.0, Anchor::Right);
                for (series, &value) in values.iter().enumerate() {
                    let y = above + BAR * series as f64;
                    canvas.rectangle([(left, y), (x(value), y + BAR)], palette::series(series));
                }
            }
            canvas.line(&[(left, top), (left, bottom), (RIGHT, bottom)], INK, 1);
            canvas.text(&self.across, ((left + RIGHT) / 2.0, bottom + 32.0), 16.0, Anchor::Top);
        })
    }

    fn legend(&self, canvas: &Canvas<'_>) {
        let width = f64::from(WIDTH) / self.series.len().max(1) as f64;
        for (at, title) in self.series.iter().enumerate() {
            let x = 24.0 + (width - 24.0).min(150.0) * at as f64;
            canvas.rectangle([(x, 12.0), (x + 18.0, 24.0)], palette::series(at));
            canvas.text(title, (x + 26.0, 18.0), 15.0, Anchor::Left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::tests::well_formed;

    #[test]
    fn pictures_are_well_formed() {
        for groups in [1, 4, 25] {
            let name = |at: usize| ["short", "a name that is longer than it should be & <more>"][at % 2].to_owned();
            let groups = (0..groups).map(|at| (name(at), vec![0.0, 0.9 / (at + 1) as f64])).collect();
            let series = vec!["one".to_owned(), "two".to_owned()];
            well_formed(&Bars { across: "Weight".to_owned(), series, groups }.draw());
        }
    }
}
