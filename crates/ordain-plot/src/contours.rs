//! Functions of two numbers.

use crate::canvas::{Anchor, Canvas, picture};
use crate::palette::{self, Colour, INK};
use crate::range::{NAMES, SMALL};

/// A function of two numbers: shades, lines of equal values, and points.
pub struct Contours {
    /// What is shown.
    pub title: String,
    /// The names of the axes: across and up.
    pub names: [String; 2],
    /// The least and the largest number across.
    pub across: (f64, f64),
    /// The same up.
    pub up: (f64, f64),
    /// The values on a grid from end to end, row by row from the bottom. All rows have the same length.
    pub rows: Vec<Vec<f64>>,
    /// Points, as circles.
    pub points: Vec<(f64, f64)>,
    /// Points to look at, as triangles with their names.
    pub marked: Vec<(f64, f64, String)>,
}

/// Where the data are: left, top, right, bottom.
const FRAME: [f64; 4] = [48.0, 34.0, 408.0, 394.0];

/// The size of the picture, with room for the scale.
const SIZE: (u32, u32) = (480, 450);

/// The number of lines of equal values.
const LEVELS: usize = 11;

/// Neither is a colour that a report changes in the dark: shades look the same there.
const BLACK: Colour = Colour::new(0, 0, 0);
const WHITE: Colour = Colour::new(254, 254, 254);

impl Contours {
    /// An SVG picture.
    pub fn draw(&self) -> String {
        picture(SIZE, |canvas| {
            canvas.title(&self.title, (14.0, 15.0), f64::from(SIZE.0) - 28.0);
            self.axes(canvas);
            self.shades(canvas);
            self.levels().for_each(|level| self.line(canvas, level));
            for &(x, y) in &self.points {
                let place = self.place((x, y));
                canvas.circle(place, 4, BLACK);
                canvas.circle(place, 3, WHITE);
            }
            for (x, y, name) in &self.marked {
                let (x, y) = self.place((*x, *y));
                canvas.polygon(&[(x - 8.0, y + 6.0), (x + 8.0, y + 6.0), (x, y - 9.0)], palette::series(2));
                let width = 9.0 * name.chars().count() as f64 + 6.0;
                canvas.rectangle([(x + 10.0, y - 22.0), (x + 10.0 + width, y - 4.0)], WHITE);
                canvas.coloured_text(name, (x + 10.0 + width / 2.0, y - 13.0), 15.0, Anchor::Centre, BLACK);
            }
            self.scale(canvas);
        })
    }

    /// The least and the largest value.
    fn ends(&self) -> (f64, f64) {
        let values = self.rows.iter().flatten();
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)));
        if low < high { (low, high) } else { (low - 0.5, low + 0.5) }
    }

    fn levels(&self) -> impl Iterator<Item = f64> {
        let (low, high) = self.ends();
        (1..=LEVELS).map(move |level| low + (high - low) * level as f64 / (LEVELS + 1) as f64)
    }

    /// The place of a pair of numbers in the picture.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let [left, top, right, bottom] = FRAME;
        let share = |value: f64, (from, to): (f64, f64)| (value - from) / (to - from);
        (left + (right - left) * share(x, self.across), bottom - (bottom - top) * share(y, self.up))
    }

    /// The place of a point of the grid, which may lie between two.
    fn on_grid(&self, row: f64, column: f64) -> (f64, f64) {
        let [left, top, right, bottom] = FRAME;
        let steps = |count: usize| count.saturating_sub(1).max(1) as f64;
        let columns = steps(self.rows.first().map_or(0, Vec::len));
        (left + (right - left) * column / columns, bottom - (bottom - top) * row / steps(self.rows.len()))
    }

    /// A rectangle around every point of the grid.
    fn shades(&self, canvas: &Canvas<'_>) {
        let (low, high) = self.ends();
        let [left, top, right, bottom] = FRAME;
        let within = |(x, y): (f64, f64)| (x.clamp(left, right), y.clamp(top, bottom));
        for (row, values) in self.rows.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                let corner = |off: f64| within(self.on_grid(row as f64 - off, column as f64 + off));
                let colour = palette::shade((value - low) / (high - low));
                canvas.rectangle([corner(-0.5), corner(0.5)], colour);
            }
        }
    }

    /// The line of a level: within every cell of the grid, straight pieces between the places on its sides that have the
    /// level by linear interpolation.
    fn line(&self, canvas: &Canvas<'_>, level: f64) {
        for (row, pair) in self.rows.windows(2).enumerate() {
            for column in 1..pair[0].len() {
                let corners = [(0, column - 1), (0, column), (1, column), (1, column - 1)];
                let crossed: Vec<(f64, f64)> = (0..4)
                    .filter_map(|side| {
                        let ((r, c), (s, d)) = (corners[side], corners[(side + 1) % 4]);
                        let (from, to) = (pair[r][c], pair[s][d]);
                        let part = ((from < level) != (to < level)).then(|| (level - from) / (to - from))?;
                        let between = |a: usize, b: usize| a as f64 + part * (b as f64 - a as f64);
                        Some(self.on_grid(row as f64 + between(r, s), between(c, d)))
                    })
                    .collect();
                crossed.as_chunks::<2>().0.iter().for_each(|piece| canvas.line(piece, BLACK.faint(0.5), 1));
            }
        }
    }

    /// The names of the axes and the numbers at their ends.
    fn axes(&self, canvas: &Canvas<'_>) {
        let [left, top, right, bottom] = FRAME;
        let text = |value: f64| format!("{value}").replace('-', "−");
        canvas.text(&self.names[0], ((left + right) / 2.0, bottom + 26.0), NAMES, Anchor::Top);
        canvas.upward_text(&self.names[1], (6.0, (top + bottom) / 2.0), NAMES);
        for (x, value) in [(left + 8.0, self.across.0), (right - 8.0, self.across.1)] {
            canvas.text(&text(value), (x, bottom + 8.0), SMALL, Anchor::Top);
        }
        for (y, value) in [(bottom - 6.0, self.up.0), (top + 6.0, self.up.1)] {
            canvas.text(&text(value), (left - 8.0, y), SMALL, Anchor::Right);
        }
    }

    /// Which shade stands for which value.
    fn scale(&self, canvas: &Canvas<'_>) {
        const STEPS: usize = 60;
        let [_, top, right, bottom] = FRAME;
        let (low, high) = self.ends();
        let y = |share: f64| bottom - (bottom - top) * share;
        for step in 0..STEPS {
            let [from, to] = [step, step + 1].map(|step| step as f64 / STEPS as f64);
            canvas.rectangle([(right + 10.0, y(to)), (right + 26.0, y(from))], palette::shade(from));
        }
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let text = format!("{:.2}", low + share * (high - low)).replace('-', "−").replace("−0.00", "0.00");
            canvas.line(&[(right + 26.0, y(share)), (right + 29.0, y(share))], INK, 1);
            canvas.text(&text, (right + 32.0, y(share)), 12.0, Anchor::Left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::tests::well_formed;

    /// A bowl, a plane that is flat, and a single value.
    #[test]
    fn pictures_are_well_formed() {
        let bowl = |i: i32, j: i32| f64::from(i * i + j * j);
        let grids = [
            (-5..=5).map(|i| (-4..=4).map(|j| bowl(i, j)).collect()).collect(),
            vec![vec![1.0; 3]; 2],
            vec![vec![0.0]],
        ];
        for (at, rows) in grids.into_iter().enumerate() {
            let svg = Contours {
                title: "a & b".into(),
                names: ["width & depth".into(), "height".into()],
                across: (-1.0, 1.0),
                up: (-1.0, 1.0),
                rows,
                points: vec![(0.0, 0.5)],
                marked: vec![(0.5, 0.5, "first".into())],
            }
            .draw();
            well_formed(&svg);
            assert!(["a &amp; b", "width &amp; depth", "height"].iter().all(|words| svg.contains(words)));
            assert_eq!(svg.matches("<polyline").count() > 40, at == 0, "only the bowl has levels");
        }
    }

    /// The level of a circle: every piece of it is at the radius, but for the grid.
    #[test]
    fn a_level_is_where_the_value_is() {
        let rows = (-20..=20).map(|i| (-20..=20).map(|j| f64::from(i * i + j * j)).collect()).collect();
        let contours = Contours {
            title: String::new(),
            names: Default::default(),
            across: (-20.0, 20.0),
            up: (-20.0, 20.0),
            rows,
            points: vec![],
            marked: vec![],
        };
        let svg = picture(SIZE, |canvas| contours.line(canvas, 225.0));
        let pieces = svg.split("points=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        let mut seen = 0;
        for corner in pieces.flat_map(str::split_whitespace) {
            let (x, y) = corner.split_once(',').unwrap();
            let [x, y] = [(x, 228.0), (y, 214.0)].map(|(text, middle)| (text.parse::<f64>().unwrap() - middle) / 9.0);
            // A pixel is a ninth of a step.
            assert!((x.hypot(y) - 15.0).abs() < 0.2, "{x} {y}");
            seen += 1;
        }
        assert!(seen > 100);
    }
}
