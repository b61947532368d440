//! Lines over powers of ten, with titles at their ends.

use crate::canvas::{Anchor, Canvas, picture};
use crate::palette::{Colour, GRID, INK, PAPER};

/// Lines with logarithmic axes, both by powers of ten.
pub struct Powers {
    /// The title.
    pub title: String,
    /// The horizontal axis: its title, and the text of a value.
    pub across: (String, fn(f64) -> String),
    /// The vertical axis: its title, and the text of a value.
    pub up: (String, fn(f64) -> String),
    /// The lines. Later lines cover earlier ones.
    pub lines: Vec<Trend>,
}

/// One line.
pub struct Trend {
    /// The title. It stands at the end of the line.
    pub title: String,
    /// The colour.
    pub colour: Colour,
    /// The style of the line.
    pub stroke: Stroke,
    /// The points: the place on the horizontal axis and the value on the vertical one. Both are positive, and places
    /// rise.
    pub points: Vec<(f64, f64)>,
}

/// The style of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// A thick line with large dots.
    Bold,
    /// A line with dots.
    Plain,
    /// A dashed line without dots.
    Dashed,
}

const SIZE: (u32, u32) = (860, 560);

/// The frame of the data: left, right, top, bottom.
const FRAME: (f64, f64, f64, f64) = (78.0, 664.0, 44.0, 500.0);

/// The least distance of titles at the ends of lines.
const APART: f64 = 17.0;

/// An upper bound on the width of a letter of a title.
const LETTER: f64 = 6.3;

/// An axis by powers of ten, and its ends in the picture.
struct Axis {
    powers: (i32, i32),
    ends: (f64, f64),
}

impl Axis {
    fn over(values: impl Iterator<Item = f64> + Clone, ends: (f64, f64)) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor() as i32;
        let high = values.fold(0.0, f64::max).log10().ceil() as i32;
        Self { powers: (low, high.max(low + 1)), ends }
    }

    fn place(&self, value: f64) -> f64 {
        let (low, high) = (f64::from(self.powers.0), f64::from(self.powers.1));
        self.ends.0 + (self.ends.1 - self.ends.0) * (value.log10() - low) / (high - low)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.powers.0..=self.powers.1).map(|power| 10_f64.powi(power))
    }
}

impl Powers {
    /// An SVG picture.
    pub fn draw(&self) -> String {
        picture(SIZE, |canvas| {
            canvas.title(&self.title, (14.0, 18.0), f64::from(SIZE.0) - 28.0);
            let points = || self.lines.iter().flat_map(|line| line.points.iter().copied());
            if points().next().is_none() {
                return;
            }
            let (left, right, top, bottom) = FRAME;
            let across = Axis::over(points().map(|(x, _)| x), (left, right));
            let up = Axis::over(points().map(|(_, y)| y), (bottom, top));
            self.axes(canvas, &across, &up);
            for line in &self.lines {
                let path: Vec<(f64, f64)> = line.points.iter().map(|&(x, y)| (across.place(x), up.place(y))).collect();
                let (width, radius) = match line.stroke {
                    Stroke::Dashed => {
                        canvas.dashes(&path, line.colour, 2);
                        continue;
                    }
                    Stroke::Plain => (2, 4),
                    Stroke::Bold => (3, 5),
                };
                canvas.line(&path, line.colour, width);
                path.iter().for_each(|&at| canvas.circle(at, radius, line.colour));
            }
            self.titles(canvas, &across, &up);
        })
    }

    fn axes(&self, canvas: &Canvas<'_>, across: &Axis, up: &Axis) {
        let (left, right, top, bottom) = FRAME;
        for value in up.ticks() {
            let y = up.place(value);
            canvas.line(&[(left, y), (right, y)], GRID, 1);
            canvas.text(&(self.up.1)(value), (left - 8.0, y), 15.0, Anchor::Right);
        }
        for value in across.ticks() {
            let x = across.place(value);
            canvas.line(&[(x, top), (x, bottom)], GRID, 1);
            canvas.text(&(self.across.1)(value), (x, bottom + 8.0), 15.0, Anchor::Top);
        }
        canvas.line(&[(left, top), (left, bottom), (right, bottom)], INK, 1);
        canvas.text(&self.across.0, ((left + right) / 2.0, bottom + 30.0), 16.0, Anchor::Top);
        canvas.upward_text(&self.up.0, (4.0, (top + bottom) / 2.0), 16.0);
    }

    /// Draws the titles to the right of the ends of their lines. They stand in the order of these ends and never
    /// overlap.
    fn titles(&self, canvas: &Canvas<'_>, across: &Axis, up: &Axis) {
        let end = |line: &Trend| line.points.last().map(|&(x, y)| (across.place(x), up.place(y)));
        let ends: Vec<(&Trend, (f64, f64))> =
            self.lines.iter().filter_map(|line| end(line).map(|end| (line, end))).collect();
        let mut columns: Vec<i32> = ends.iter().map(|(_, end)| end.0 as i32).collect();
        columns.sort_unstable();
        columns.dedup();
        for column in columns {
            let mut here: Vec<_> = ends.iter().filter(|(_, end)| end.0 as i32 == column).collect();
            here.sort_by(|(_, one), (_, other)| one.1.total_cmp(&other.1));
            let wanted: Vec<f64> = here.iter().map(|(_, end)| end.1).collect();
            for ((line, end), y) in here.into_iter().zip(spread(&wanted)) {
                let x = end.0 + 10.0;
                // Other lines must not cross out the title.
                let width = LETTER * line.title.chars().count() as f64;
                canvas.rectangle([(x - 2.0, y - 8.0), (x + width, y + 8.0)], PAPER);
                canvas.coloured_text(&line.title, (x, y), 15.0, Anchor::Left, line.colour);
            }
        }
    }
}

/// Moves rising places apart so that none is closer than [`APART`] to the next. Places that would touch form a block,
/// which stands around the mean of the places that its members want.
fn spread(wanted: &[f64]) -> Vec<f64> {
    // For every block: the place of its first member, and the number of members.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for &place in wanted {
        let mut block = (place, 1);
        while let Some(&(start, count)) = blocks.last() {
            if start + count as f64 * APART <= block.0 {
                break;
            }
            // The mean over members of the wanted place less the member's distance from the first.
            let total = (count + block.1) as f64;
            let first = (start * count as f64 + (block.0 - count as f64 * APART) * block.1 as f64) / total;
            block = (first, count + block.1);
            blocks.pop();
        }
        blocks.push(block);
    }
    blocks.into_iter().flat_map(|(start, count)| (0..count).map(move |at| start + at as f64 * APART)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::tests::well_formed;
    use crate::palette;

    #[test]
    fn titles_stay_in_order_and_apart() {
        for wanted in [vec![], vec![5.0], vec![0.0, 1.0, 2.0, 100.0, 101.0], vec![3.0; 6], vec![0.0, 16.0, 32.0, 48.0]]
        {
            let placed = spread(&wanted);
            assert_eq!(placed.len(), wanted.len());
            // The tolerance covers rounding.
            assert!(placed.windows(2).all(|two| two[1] - two[0] >= APART - 1e-9), "{placed:?}");
            let shift: f64 = placed.iter().zip(&wanted).map(|(placed, wanted)| placed - wanted).sum();
            assert!(shift.abs() < 1e-9, "{placed:?}");
        }
    }

    #[test]
    fn pictures_are_well_formed() {
        let line = |(at, stroke): (usize, Stroke)| Trend {
            title: format!("line {at} & <more>"),
            colour: palette::muted(at),
            stroke,
            points: (0..at).map(|x| (10_f64.powi(x as i32), 0.001 * at as f64)).collect(),
        };
        // The first line has no points.
        let strokes = [Stroke::Plain, Stroke::Bold, Stroke::Plain, Stroke::Dashed];
        for count in 0..=strokes.len() {
            let lines = strokes.into_iter().enumerate().take(count).map(line).collect();
            let label = |value: f64| value.to_string();
            let svg =
                Powers { title: "time".into(), across: ("items".into(), label), up: ("seconds".into(), label), lines }
                    .draw();
            well_formed(&svg);
            assert_eq!(svg.contains("line 1 &amp; &lt;more&gt;"), count > 1);
        }
    }
}
