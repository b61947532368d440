//! Named rows over a horizontal axis: the frame of bars and dots.

use crate::canvas::{Anchor, Canvas};
use crate::palette::{self, GRID, INK};
use crate::range::{NAMES, SMALL, TITLE, WIDTH};

/// The space between rows.
const BETWEEN: f64 = 7.0;

/// What each line of legend takes.
const LINE: f64 = 20.0;

/// The right end of the axis.
const RIGHT: f64 = 460.0;

/// The width of a letter of a name.
const LETTER: f64 = 8.5;

/// The frame.
pub struct Rows<'a> {
    /// The title of the chart.
    pub title: &'a str,
    /// The meaning of the axis.
    pub across: &'a str,
    /// The names of the series. A single one has no legend.
    pub series: &'a [String],
    /// The ticks: their places on the axis from 0 to 1, and their texts.
    pub ticks: Vec<(f64, String)>,
    /// The height of a row.
    pub height: f64,
    names: Vec<String>,
}

impl<'a> Rows<'a> {
    /// A frame. A name with more letters than these is cut.
    pub fn new<'n>(
        (title, across): (&'a str, &'a str),
        series: &'a [String],
        names: impl Iterator<Item = &'n str>,
        letters: usize,
        height: f64,
    ) -> Self {
        let shown = |name: &str| match name.char_indices().nth(letters) {
            Some((end, _)) => format!("{}…", &name[..end]),
            None => name.to_owned(),
        };
        Self { title, across, series, ticks: Vec::new(), height, names: names.map(shown).collect() }
    }

    fn left(&self) -> f64 {
        24.0 + LETTER * self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64
    }

    /// The place of every title of the legend: as many on a line as fit.
    fn legend(&self) -> Vec<(f64, f64)> {
        const LEFT: f64 = 24.0;
        if self.series.len() < 2 {
            return Vec::new();
        }
        let (mut x, mut y) = (LEFT, TITLE + 8.0);
        let place = |title: &String| {
            let width = 44.0 + LETTER * title.chars().count() as f64;
            if x > LEFT && x + width > f64::from(WIDTH) {
                (x, y) = (LEFT, y + LINE);
            }
            x += width;
            (x - width, y)
        };
        self.series.iter().map(place).collect()
    }

    fn top(&self) -> f64 {
        self.legend().last().map_or(TITLE, |(_, y)| y + LINE)
    }

    fn bottom(&self) -> f64 {
        self.top() + BETWEEN + (self.height + BETWEEN) * self.names.len() as f64
    }

    /// The size of the picture.
    pub fn size(&self) -> (u32, u32) {
        (WIDTH, (self.bottom() + 60.0) as u32)
    }

    /// The place of a share of the axis.
    pub fn x(&self, share: f64) -> f64 {
        self.left() + (RIGHT - self.left()) * share
    }

    /// The upper end of a row.
    pub fn y(&self, row: usize) -> f64 {
        self.top() + BETWEEN + (self.height + BETWEEN) * row as f64
    }

    /// Draws the legend, the names and the axis with its grid.
    pub fn draw(&self, canvas: &Canvas<'_>) {
        let (left, bottom) = (self.left(), self.bottom());
        canvas.title(self.title, (14.0, 15.0), f64::from(WIDTH) - 28.0);
        for (at, (title, (x, y))) in self.series.iter().zip(self.legend()).enumerate() {
            canvas.rectangle([(x, y - 6.0), (x + 18.0, y + 6.0)], palette::series(at));
            canvas.text(title, (x + 26.0, y), SMALL, Anchor::Left);
        }
        for (share, label) in &self.ticks {
            let x = self.x(*share);
            canvas.line(&[(x, self.top()), (x, bottom)], GRID, 1);
            canvas.text(label, (x, bottom + 8.0), SMALL, Anchor::Top);
        }
        for (row, name) in self.names.iter().enumerate() {
            canvas.text(name, (left - 8.0, self.y(row) + 0.5 * self.height), SMALL, Anchor::Right);
        }
        canvas.line(&[(left, self.top()), (left, bottom), (RIGHT, bottom)], INK, 1);
        canvas.text(self.across, ((left + RIGHT) / 2.0, bottom + 32.0), NAMES, Anchor::Top);
    }
}
