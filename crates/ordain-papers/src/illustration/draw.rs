//! The six panels of AXPGP's figure 1.

use ordain::numeric::Matrix;
use ordain_plot::palette::{self, GRID, INK};
use ordain_plot::{Anchor, Canvas, Colour, picture};

use super::{ANSWERS, Believed, Illustration, NAMES};

/// The size of the figure,
const SIZE: (u32, u32) = (1020, 680);

/// of a panel,
const PANEL: (f64, f64) = (340.0, 340.0);

/// and where it is drawn in a panel: left, top, right, bottom.
const FRAME: [f64; 4] = [46.0, 54.0, 320.0, 308.0];

/// Utilities that are shown, at both sides of 0: 95 % of the prior of a paper without links lie within 1.96.
const REACH: f64 = 2.5;

/// Half a 95 % interval in standard deviations.
const WIDTH: f64 = 1.96;

const BLUE: Colour = palette::series(0);

impl Illustration {
    /// An SVG picture.
    pub(super) fn draw(&self) -> String {
        picture(SIZE, |canvas| self.panels(canvas))
    }

    fn panels(&self, canvas: &Canvas<'_>) {
        let asked = |at: usize| ANSWERS.map(|(winner, loser)| (NAMES[winner.index()], NAMES[loser.index()]))[at];
        let [first, second] = [0, 1].map(|at| format!("{} before {}", asked(at).0, asked(at).1));
        let at = |column: usize, row: usize| Panel { canvas, left: column as f64 * PANEL.0, top: row as f64 * PANEL.1 };
        let [before, after, updated] = [0, 1, 2].map(|answers| &self.beliefs[answers]);

        let panel = at(0, 0);
        panel.titles("Utilities before any answer", "three draws; 95 % of the prior shaded");
        panel.band(before);
        panel.axes();
        for (at, draw) in self.draws.iter().enumerate() {
            panel.curve(draw, palette::series(at));
        }
        let panel = at(1, 0);
        panel.titles(&format!("Utilities after {first}"), "mean; 95 % shaded");
        panel.utilities(after);
        let panel = at(2, 0);
        panel.titles("Expected loss of every pair", "dots: the largest, of which one is asked");
        panel.heat(&self.losses, true);
        self.largest().into_iter().for_each(|pair| panel.dots(pair));
        let panel = at(0, 1);
        panel.titles("Covariance before any answer", "the smaller, the darker");
        panel.heat(&before.covariance, false);
        let panel = at(1, 1);
        panel.titles(&format!("Covariance after {first}"), "the smaller, the darker");
        panel.heat(&after.covariance, false);
        let panel = at(2, 1);
        panel.titles(&format!("Utilities after {second} too"), "mean; 95 % shaded");
        panel.utilities(updated);
    }
}

/// One of the six.
struct Panel<'a, 'b> {
    canvas: &'a Canvas<'b>,
    left: f64,
    top: f64,
}

impl Panel<'_, '_> {
    fn titles(&self, title: &str, below: &str) {
        let x = self.left + FRAME[0];
        self.canvas.text(title, (x, self.top + 14.0), 17.0, Anchor::TopLeft);
        self.canvas.text(below, (x, self.top + 35.0), 13.0, Anchor::TopLeft);
    }

    /// The mean on the band, each paper with its mark.
    fn utilities(&self, believed: &Believed) {
        self.band(believed);
        self.axes();
        self.curve(&believed.mean, BLUE);
    }

    /// 95 % intervals, joined.
    fn band(&self, believed: &Believed) {
        let end = |sign: f64| move |item: usize| self.at(item, believed.mean[item] + sign * WIDTH * believed.sd(item));
        let items = 0..NAMES.len();
        let outline: Vec<(f64, f64)> = items.clone().map(end(1.0)).chain(items.rev().map(end(-1.0))).collect();
        self.canvas.polygon(&outline, BLUE.faint(0.18));
    }

    fn axes(&self) {
        let [left, top, right, bottom] = self.frame();
        for value in [-2, -1, 0, 1, 2] {
            let y = self.at(0, f64::from(value)).1;
            self.canvas.line(&[(left, y), (right, y)], GRID, 1);
            let label = if value < 0 { format!("−{}", -value) } else { value.to_string() };
            self.canvas.text(&label, (left - 8.0, y), 14.0, Anchor::Right);
        }
        self.canvas.line(&[(left, top), (left, bottom), (right, bottom)], INK, 1);
        for (item, name) in NAMES.iter().enumerate() {
            let x = self.at(item, 0.0).0;
            self.canvas.line(&[(x, bottom), (x, bottom + 4.0)], INK, 1);
            self.canvas.text(name, (x, bottom + 8.0), 15.0, Anchor::Top);
        }
    }

    fn curve(&self, utilities: &[f64], colour: Colour) {
        let points: Vec<(f64, f64)> = utilities.iter().enumerate().map(|(item, &value)| self.at(item, value)).collect();
        self.canvas.line(&points, colour, 2);
        points.into_iter().for_each(|point| self.canvas.circle(point, 4, colour));
    }

    /// A symmetric matrix as coloured cells with their numbers; for losses the diagonal means nothing.
    fn heat(&self, matrix: &Matrix, off_diagonal: bool) {
        let shown = |i: usize, j: usize| !off_diagonal || i != j;
        let everywhere = || (0..NAMES.len()).flat_map(|i| (0..NAMES.len()).map(move |j| (i, j)));
        let values = || everywhere().filter(|&(i, j)| shown(i, j)).map(|place| matrix[place]);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        for (i, j) in everywhere().filter(|&(i, j)| shown(i, j)) {
            let share = (matrix[(i, j)] - low) / (high - low);
            let [left, top, right, bottom] = self.cell(i, j);
            self.canvas.rectangle([(left, top), (right, bottom)], palette::shade(share));
            let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
            // Neither is a colour that the report changes in the dark: cells look the same there.
            let ink = if share > 0.5 { Colour::new(0, 0, 0) } else { Colour::new(254, 254, 254) };
            let number = format!("{:.2}", matrix[(i, j)]).replace('-', "−").replace("−0.00", "0.00");
            self.canvas.coloured_text(&number, middle, 12.0, Anchor::Centre, ink);
        }
        for (item, name) in NAMES.iter().enumerate() {
            let [left, top, right, bottom] = self.cell(item, item);
            let [frame_left, _, _, frame_bottom] = self.frame();
            let (x, y) = ((left + right) / 2.0, (top + bottom) / 2.0);
            self.canvas.text(name, (x, frame_bottom + 8.0), 15.0, Anchor::Top);
            self.canvas.text(name, (frame_left - 10.0, y), 15.0, Anchor::Right);
        }
    }

    /// Marks a pair in both halves of the matrix.
    fn dots(&self, (one, other): (usize, usize)) {
        for (i, j) in [(one, other), (other, one)] {
            let [left, _, right, bottom] = self.cell(i, j);
            self.canvas.circle(((left + right) / 2.0, bottom - 8.0), 4, Colour::new(0, 90, 200));
        }
    }

    /// Left, top, right and bottom of a cell; the first row is at the top.
    fn cell(&self, row: usize, column: usize) -> [f64; 4] {
        let [left, top, right, bottom] = self.frame();
        let (width, height) = ((right - left) / NAMES.len() as f64, (bottom - top) / NAMES.len() as f64);
        let (x, y) = (left + width * column as f64, top + height * row as f64);
        [x, y, x + width, y + height]
    }

    fn frame(&self) -> [f64; 4] {
        let [left, top, right, bottom] = FRAME;
        [self.left + left, self.top + top, self.left + right, self.top + bottom]
    }

    fn at(&self, item: usize, utility: f64) -> (f64, f64) {
        let [left, top, right, bottom] = self.frame();
        let x = left + (right - left) * (item as f64 + 0.5) / NAMES.len() as f64;
        let share = (utility + REACH) / (2.0 * REACH);
        (x, bottom - (bottom - top) * share.clamp(0.0, 1.0))
    }
}
