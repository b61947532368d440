//! Figures: means as lines with their standard errors, boxes, and bars.
//!
//! The report gives paper, ink, grid and the blues other values in the dark.

mod bars;
mod boxes;
mod lines;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub use bars::Bars;
pub use boxes::{Boxes, Quartiles};
pub use lines::{Across, Lines, Series};

/// The width of a figure.
const WIDTH: u32 = 480;

/// Where the data are drawn: left and right, and from the top of the data to their bottom.
const SIDES: (f64, f64) = (68.0, 470.0);
const HEIGHT: f64 = 270.0;

/// Below the data: what the axis needs.
const BELOW: f64 = 56.0;

pub(crate) const PAPER: RGBColor = RGBColor(255, 255, 255);
pub(crate) const INK: RGBColor = RGBColor(34, 34, 34);
pub(crate) const GRID: RGBColor = RGBColor(221, 221, 221);

/// Colours that colour-blind readers can tell apart (Okabe and Ito), and a grey.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(128, 128, 128),
];

/// The colour of a series, by its position.
fn colour(position: usize) -> RGBColor {
    COLOURS[position % COLOURS.len()]
}

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn = Result<(), DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>>;

/// A picture of this height, in pixels.
fn picture(height: u32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        let drawn = area.fill(&PAPER).and_then(|()| draw(&area)).and_then(|()| area.present());
        drawn.expect("writing to a string does not fail");
    }
    svg
}

/// The vertical axis, with round ends and ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    title: String,
    from: f64,
    to: f64,
    step: f64,
    /// Whether from, to and step are logarithms to the base 10.
    logarithmic: bool,
}

impl Range {
    /// An axis of shares, which holds at least what is between these two.
    pub fn new(title: &str, low: f64, high: f64) -> Self {
        Self::above(0.0, title, low, high)
    }

    /// An axis of correlations, which may fall below 0.
    pub fn signed(title: &str, low: f64, high: f64) -> Self {
        Self::above(-1.0, title, low, high)
    }

    fn above(least: f64, title: &str, low: f64, high: f64) -> Self {
        let step = tick_step(high - low);
        let from = ((low / step).floor() * step).clamp(least, 1.0 - step);
        let to = ((high / step).ceil() * step).clamp(from + step, 1.0);
        Self { title: title.to_owned(), from, to, step, logarithmic: false }
    }

    /// A logarithmic axis of whole powers of ten, which holds at least what is between these two positive numbers.
    pub fn logarithmic(title: &str, low: f64, high: f64) -> Self {
        let from = low.log10().floor();
        let to = high.log10().ceil().max(from + 1.0);
        Self { title: title.to_owned(), from, to, step: 1.0, logarithmic: true }
    }

    /// From the least to the largest end of a standard error in some series of shares.
    pub fn of(series: &[Series]) -> (f64, f64) {
        let means = series.iter().flat_map(|series| &series.points).map(|(_, mean)| mean);
        let ends = means.flat_map(|mean| [mean.value - mean.error, mean.value + mean.error]);
        ends.fold((1.0, 0.0), |(low, high), end| (end.min(low), end.max(high)))
    }

    /// How far up a value is, between 0 and 1.
    fn share(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.log10() } else { value };
        ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// The values at the ticks, and how they are written.
    fn ticks(&self) -> Vec<(f64, String)> {
        let tick = |number: usize| {
            let place = self.from + number as f64 * self.step;
            if self.logarithmic {
                let value = 10.0_f64.powi(place as i32);
                return (value, format!("{value}"));
            }
            let digits = if self.step < 0.0999 { 2 } else { 1 };
            (place, format!("{place:.digits$}"))
        };
        (0..=((self.to - self.from) / self.step).round() as usize).map(tick).collect()
    }
}

/// A round distance of ticks, of which there are then four to ten.
fn tick_step(range: f64) -> f64 {
    let steps = [0.01, 0.02, 0.05, 0.1, 0.2];
    steps.into_iter().find(|step| range / step <= 8.0).unwrap_or(0.2)
}

/// The frame of the data, whose top is given.
struct Frame<'a> {
    top: f64,
    up: &'a Range,
}

impl Frame<'_> {
    fn bottom(&self) -> f64 {
        self.top + HEIGHT
    }

    /// The height of the picture.
    fn height(&self) -> u32 {
        (self.bottom() + BELOW) as u32
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom() - HEIGHT * self.up.share(value)
    }

    /// Both axes: the vertical one with its grid, the horizontal one with ticks at these places.
    fn axes(&self, area: &Area<'_>, title: &str, ticks: &[(f64, String)]) -> Drawn {
        let ((left, right), bottom) = (SIDES, self.bottom());
        for (value, label) in self.up.ticks() {
            let y = self.y(value);
            line(area, &[(left, y), (right, y)], GRID, 1)?;
            text(area, &label, (left - 10.0, y), 15.0, (HPos::Right, VPos::Center))?;
        }
        line(area, &[(left, self.top), (left, bottom), (right, bottom)], INK, 1)?;
        for (x, label) in ticks {
            line(area, &[(*x, bottom), (*x, bottom + 5.0)], INK, 1)?;
            text(area, label, (*x, bottom + 10.0), 15.0, (HPos::Center, VPos::Top))?;
        }
        text(area, title, ((left + right) / 2.0, bottom + 34.0), 16.0, (HPos::Center, VPos::Top))?;
        let style = style(16.0, (HPos::Center, VPos::Top)).transform(FontTransform::Rotate270);
        area.draw(&Text::new(self.up.title.clone(), pixel((12.0, (self.top + bottom) / 2.0)), style))
    }
}

pub(crate) fn pixel((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

pub(crate) fn line(area: &Area<'_>, points: &[(f64, f64)], colour: RGBColor, width: u32) -> Drawn {
    let points: Vec<(i32, i32)> = points.iter().copied().map(pixel).collect();
    area.draw(&PathElement::new(points, colour.stroke_width(width)))
}

/// The mark of a series, by its position: colour and shape.
fn marker(area: &Area<'_>, at: (f64, f64), position: usize) -> Drawn {
    let (x, y) = pixel(at);
    let fill = colour(position).filled();
    match position % 4 {
        0 => area.draw(&Circle::new((x, y), 5, fill)),
        1 => area.draw(&Rectangle::new([(x - 4, y - 4), (x + 5, y + 5)], fill)),
        2 => area.draw(&Polygon::new(vec![(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)], fill)),
        _ => area.draw(&Polygon::new(vec![(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)], fill)),
    }
}

pub(crate) fn text(area: &Area<'_>, text: &str, at: (f64, f64), size: f64, (h, v): (HPos, VPos)) -> Drawn {
    area.draw(&Text::new(text.to_owned(), pixel(at), style(size, (h, v))))
}

pub(crate) fn style(size: f64, (h, v): (HPos, VPos)) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK).pos(Pos::new(h, v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        for range in [0.03, 0.1, 0.23, 0.4, 0.5, 0.9, 1.0] {
            let count = range / tick_step(range);
            assert!((2.0..=8.0).contains(&count), "{range}: {count}");
        }
    }

    /// Axes hold what they must, also where all values are the best there is, and only signed ones fall below 0.
    #[test]
    fn axes_hold_their_values() {
        for (low, high) in [(1.0, 1.0), (0.0, 0.0), (-0.31, 0.24), (0.05, 0.97), (-1.0, 1.0)] {
            let signed = Range::signed("tau", low, high);
            assert!(-1.0 <= signed.from && signed.from < signed.to && signed.to <= 1.0, "{signed:?}");
            // Rounding only.
            assert!(signed.from <= low + 1e-12 && high - 1e-12 <= signed.to, "{signed:?}");
            assert!(Range::new("MAP", low, high).from >= 0.0);
        }
    }

    #[test]
    fn powers_of_ten() {
        let range = Range::logarithmic("ms", 0.03, 250.0);
        let labels: Vec<String> = range.ticks().into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["0.01", "0.1", "1", "10", "100", "1000"]);
        assert_eq!((range.share(0.01), range.share(1000.0)), (0.0, 1.0));
        // A logarithm rounds.
        assert!((range.share(1.0) - 0.4).abs() < 1e-15);
    }

    /// Every tag of a picture is closed, and nothing in it is not a number.
    pub(super) fn well_formed(svg: &str) {
        let mut open = Vec::new();
        for tag in svg.split('<').skip(1).map(|rest| rest.split_once('>').unwrap().0) {
            let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
            match (tag.starts_with('/'), tag.ends_with('/')) {
                (true, _) => assert_eq!(open.pop(), Some(name)),
                (false, true) => {}
                (false, false) => open.push(name),
            }
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        }
        assert!(open.is_empty() && svg.starts_with("<svg") && !svg.contains("NaN"), "{open:?}");
    }
}
