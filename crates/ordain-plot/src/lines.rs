//! Means as lines.

use ordain::measure::Mean;

use crate::canvas::{Anchor, Canvas, picture};
use crate::palette;
use crate::range::{Frame, NAMES, Range, SIDES, SMALL, TITLE, WIDTH};

/// Lines of means with their standard errors.
pub struct Lines {
    /// The title.
    pub title: String,
    /// The horizontal axis.
    pub across: Across,
    /// The vertical axis.
    pub up: Range,
    /// The lines. Seven have their own colours. Those without points are left out. A single one has no legend.
    pub series: Vec<Series>,
}

/// A horizontal axis: its title and its values.
pub enum Across {
    /// Named places, numbered from 0. Standard errors are bars.
    Places(String, Vec<String>),
    /// Named places without an order: points with bars, and no lines between them.
    Apart(String, Vec<String>),
    /// Numbers from 0 to this one. Standard errors are bands.
    UpTo(String, usize),
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub title: String,
    /// The points: the place on the horizontal axis, and the mean on the vertical one.
    pub points: Vec<(f64, Mean)>,
}

/// For places: neighbouring series are moved apart by this much, so their bars do not cover each other.
const APART: f64 = 8.0;

/// The distance of the lines of the legend.
const BETWEEN_TITLES: f64 = 24.0;

/// For places: the width of a name.
const NAME: f64 = 32.0;

/// For numbers: the least distance of markers.
const BETWEEN_MARKERS: f64 = 26.0;

impl Lines {
    /// An SVG picture.
    pub fn draw(&self) -> String {
        let legend = self.legend();
        let rows = legend.last().map_or(0.0, |(_, (_, y))| 1.0 + y / BETWEEN_TITLES);
        let top = TITLE + if legend.is_empty() { 0.0 } else { BETWEEN_TITLES * rows + 6.0 };
        let frame = Frame { top, up: &self.up };
        picture(frame.size(), |canvas| {
            canvas.title(&self.title, (14.0, 15.0), f64::from(WIDTH) - 28.0);
            let (title, ticks) = self.across.ticks();
            frame.axes(canvas, title, &ticks);
            for (position, (x, y)) in legend {
                self.entry(canvas, position, (x, TITLE + 8.0 + y));
            }
            if self.is_empty() {
                canvas.text("nothing to show", frame.middle(), NAMES, Anchor::Centre);
            }
            if matches!(self.across, Across::UpTo(..)) {
                self.shown().for_each(|position| self.band(canvas, &frame, position));
            }
            self.shown().for_each(|position| self.series(canvas, &frame, position));
        })
    }

    /// Whether no series has a point. Nobody wants to see such a chart.
    pub fn is_empty(&self) -> bool {
        self.shown().next().is_none()
    }

    /// The positions of the series that have points.
    fn shown(&self) -> impl Iterator<Item = usize> {
        (0..self.series.len()).filter(|&position| !self.series[position].points.is_empty())
    }

    /// The place of every series in the legend, below the title: in two columns if the titles of both fit side by side.
    fn legend(&self) -> Vec<(usize, (f64, f64))> {
        const LONG: usize = 22;
        let shown: Vec<usize> = self.shown().collect();
        if shown.len() < 2 {
            return Vec::new();
        }
        let long = shown.iter().any(|&position| self.series[position].title.chars().count() > LONG);
        let columns = if long { 1 } else { 2 };
        let place =
            |(at, position)| (position, (14.0 + 236.0 * (at % columns) as f64, BETWEEN_TITLES * (at / columns) as f64));
        shown.into_iter().enumerate().map(place).collect()
    }

    /// Draws a line of the legend.
    fn entry(&self, canvas: &Canvas<'_>, position: usize, (x, y): (f64, f64)) {
        if !matches!(self.across, Across::Apart(..)) {
            canvas.line(&[(x, y), (x + 30.0, y)], palette::series(position), 2);
        }
        marker(canvas, (x + 15.0, y), position);
        canvas.text(&self.series[position].title, (x + 40.0, y), SMALL, Anchor::Left);
    }

    fn band(&self, canvas: &Canvas<'_>, frame: &Frame<'_>, position: usize) {
        let points = &self.series[position].points;
        let end = |sign: f64| move |&(x, mean): &(f64, Mean)| (x, mean.value + sign * mean.error);
        let around = points.iter().map(end(1.0)).chain(points.iter().rev().map(end(-1.0)));
        let around: Vec<(f64, f64)> = around.map(|(x, y)| (self.across.x(x), frame.y(y))).collect();
        canvas.polygon(&around, palette::series(position).faint(0.18));
    }

    fn series(&self, canvas: &Canvas<'_>, frame: &Frame<'_>, position: usize) {
        let colour = palette::series(position);
        let places = !matches!(self.across, Across::UpTo(..));
        let middle = (self.series.len() - 1) as f64 / 2.0;
        let apart = APART.min((self.across.x(1.0) - self.across.x(0.0)) / (self.series.len() + 1) as f64);
        let shift = if places { apart * (position as f64 - middle) } else { 0.0 };
        let points: Vec<(f64, Mean)> =
            self.series[position].points.iter().map(|&(x, mean)| (self.across.x(x) + shift, mean)).collect();
        let path: Vec<(f64, f64)> = points.iter().map(|&(x, mean)| (x, frame.y(mean.value))).collect();
        if !matches!(self.across, Across::Apart(..)) {
            canvas.line(&path, colour, 2);
        }
        let mut last = f64::NEG_INFINITY;
        for &(x, mean) in &points {
            if places {
                let (low, high) = (frame.y(mean.value - mean.error), frame.y(mean.value + mean.error));
                canvas.line(&[(x, low), (x, high)], colour, 1);
                for y in [low, high] {
                    canvas.line(&[(x - 4.0, y), (x + 4.0, y)], colour, 1);
                }
            } else if x < last + BETWEEN_MARKERS {
                continue;
            }
            last = x;
            marker(canvas, (x, frame.y(mean.value)), position);
        }
    }
}

/// Draws the mark of a series. Its position decides colour and shape.
fn marker(canvas: &Canvas<'_>, at: (f64, f64), position: usize) {
    // Places are rounded first, so that all marks have the same size.
    let (x, y) = (at.0.round(), at.1.round());
    let colour = palette::series(position);
    match position % 4 {
        0 => canvas.circle((x, y), 5, colour),
        1 => canvas.rectangle([(x - 4.0, y - 4.0), (x + 5.0, y + 5.0)], colour),
        2 => canvas.polygon(&[(x, y - 6.0), (x + 6.0, y + 5.0), (x - 6.0, y + 5.0)], colour),
        _ => canvas.polygon(&[(x, y - 6.0), (x + 6.0, y), (x, y + 6.0), (x - 6.0, y)], colour),
    }
}

impl Across {
    fn x(&self, value: f64) -> f64 {
        let (left, right) = SIDES;
        let share = match self {
            Self::Places(_, places) | Self::Apart(_, places) => (value + 0.5) / places.len() as f64,
            Self::UpTo(_, most) => value / (*most).max(1) as f64,
        };
        left + (right - left) * share
    }

    fn ticks(&self) -> (&str, Vec<(f64, String)>) {
        match self {
            Self::Places(title, places) | Self::Apart(title, places) => {
                let tick = |(place, name): (usize, &String)| (self.x(place as f64), name.clone());
                // The names of narrow places would overlap.
                let every = (NAME * places.len() as f64 / (SIDES.1 - SIDES.0)).ceil().max(1.0) as usize;
                (title, places.iter().enumerate().step_by(every).map(tick).collect())
            }
            Self::UpTo(title, most) => {
                // Round distances that give four to eight ticks.
                let powers = std::iter::successors(Some(1_usize), |power| power.checked_mul(10));
                let steps = powers.flat_map(|power| [1.0, 2.0, 2.5, 5.0].map(|part| part * power as f64));
                let mut whole = steps.filter(|step| step.fract() == 0.0).map(|step| step as usize);
                let step = whole.find(|step| most / step <= 8).unwrap_or(*most);
                let tick = |value: usize| (self.x(value as f64), value.to_string());
                (title, (0..=*most).step_by(step).map(tick).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::tests::well_formed;

    #[test]
    fn pictures_are_well_formed() {
        let series = |at: usize| Series {
            title: format!("series {at} & <more>"),
            points: (1..=4).map(|x| (100.0 * f64::from(x), Mean { value: 0.2 * f64::from(x), error: 0.05 })).collect(),
        };
        let up = || Range::new("MAP", 0.15, 0.85);
        for count in [1, 2, 7, 9] {
            let series: Vec<Series> = (0..count).map(series).collect();
            let names = || ["one", "two & three"].map(str::to_owned).to_vec();
            for across in [
                Across::UpTo("Answers".into(), 400),
                Across::Places("Known".into(), names()),
                Across::Apart("Query".into(), names()),
            ] {
                let title = "All & sundry".to_owned();
                let svg = Lines { title, across, up: up(), series: series.clone() }.draw();
                well_formed(&svg);
                for words in ["All &amp; sundry", "MAP"] {
                    assert!(svg.contains(words), "the title and the axes have names: {words}");
                }
                assert_eq!(svg.contains("series 0"), count > 1, "a legend is for two series or more");
                assert!(!svg.contains("nothing to show"));
            }
        }
    }

    /// Ticks stand at round numbers, however many answers there are.
    #[test]
    fn ticks_are_round() {
        let ticks = |most: usize| {
            let across = Across::UpTo(String::new(), most);
            across.ticks().1.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ticks(0), "0");
        assert_eq!(ticks(8), "0 1 2 3 4 5 6 7 8");
        assert_eq!(ticks(50), "0 10 20 30 40 50");
        assert_eq!(ticks(200), "0 25 50 75 100 125 150 175 200");
        assert_eq!(ticks(9000), "0 2000 4000 6000 8000");
        assert_eq!(ticks(1_000_000), "0 200000 400000 600000 800000 1000000");
    }

    /// A series without points has no place in the legend, and a chart without any says so.
    #[test]
    fn what_has_no_points_is_left_out() {
        let series = |title: &str, points: Vec<(f64, Mean)>| Series { title: title.into(), points };
        let point = vec![(1.0, Mean { value: 0.5, error: 0.0 })];
        let lines = |series| Lines {
            title: "title".into(),
            across: Across::UpTo("Answers".into(), 2),
            up: Range::percent("Share of pairs", 0.0, 1.0),
            series,
        };
        let both = lines(vec![series("empty", vec![]), series("full", point.clone()), series("other", point.clone())]);
        let svg = both.draw();
        assert!(!svg.contains("empty") && svg.contains("full") && svg.contains("other") && !both.is_empty());
        assert!(
            !lines(vec![series("empty", vec![]), series("full", point)]).draw().contains("full"),
            "one is no legend"
        );
        let none = lines(vec![series("empty", vec![])]);
        assert!(none.is_empty() && none.draw().contains("nothing to show"));
        well_formed(&none.draw());
    }
}
