//! Axes, and the frame of the data beside a vertical one.

use ordain::measure::Mean;

use crate::canvas::{Anchor, Canvas, LETTER};
use crate::lines::Series;
use crate::palette::{GRID, INK};

/// The width of a figure.
pub const WIDTH: u32 = 480;

/// The left and right ends of the data.
pub const SIDES: (f64, f64) = (76.0, 462.0);

/// The height of the data.
const HEIGHT: f64 = 270.0;

/// The sizes of letters: of ticks and legends, and of the names of axes.
pub const SMALL: f64 = 14.0;
pub const NAMES: f64 = 15.0;

/// The height of a title above everything else.
pub const TITLE: f64 = 32.0;

/// The height below the data that the horizontal axis needs.
const BELOW: f64 = 56.0;

/// An axis with round ends and ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    title: String,
    from: f64,
    to: f64,
    step: f64,
    scale: Scale,
}

/// What the numbers of an axis stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Themselves.
    Plain,
    /// Shares, written in percent.
    Percent,
    /// Logarithms to the base 10.
    Logarithmic,
}

impl Range {
    /// An axis of shares that covers at least the range between these two.
    pub fn new(title: &str, low: f64, high: f64) -> Self {
        Self::above(0.0, title, low, high)
    }

    /// An axis of shares that covers at least the range between these two, with ticks in percent.
    pub fn percent(title: &str, low: f64, high: f64) -> Self {
        Self { scale: Scale::Percent, ..Self::new(title, low, high) }
    }

    /// An axis of correlations that covers at least the range between these two. It may fall below 0.
    pub fn signed(title: &str, low: f64, high: f64) -> Self {
        Self::above(-1.0, title, low, high)
    }

    /// An axis of any numbers that covers at least the range between these two.
    pub fn plain(title: &str, low: f64, high: f64) -> Self {
        let step = tick_step(high - low);
        let (from, to) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { title: title.to_owned(), from, to: to.max(from + step), step, scale: Scale::Plain }
    }

    fn above(least: f64, title: &str, low: f64, high: f64) -> Self {
        let step = tick_step(high - low);
        let from = ((low / step).floor() * step).clamp(least, 1.0 - step);
        let to = ((high / step).ceil() * step).clamp(from + step, 1.0);
        Self { title: title.to_owned(), from, to, step, scale: Scale::Plain }
    }

    /// A logarithmic axis of whole powers of ten that covers at least the range between these two positive numbers.
    pub fn logarithmic(title: &str, low: f64, high: f64) -> Self {
        let from = low.log10().floor();
        let to = high.log10().ceil().max(from + 1.0);
        Self { title: title.to_owned(), from, to, step: 1.0, scale: Scale::Logarithmic }
    }

    /// The range of some series of shares: from the lowest to the highest end of a standard error.
    pub fn of(series: &[Series]) -> (f64, f64) {
        Self::of_means(series.iter().flat_map(|series| &series.points).map(|(_, mean)| *mean))
    }

    /// The same of some means. An error that is not a number counts as 0.
    pub fn of_means(means: impl Iterator<Item = Mean>) -> (f64, f64) {
        let means = means.map(|mean| Mean { error: if mean.error.is_nan() { 0.0 } else { mean.error }, ..mean });
        let ends = means.flat_map(|mean| [mean.value - mean.error, mean.value + mean.error]);
        ends.fold((1.0, 0.0), |(low, high), end| (end.min(low), end.max(high)))
    }

    /// The meaning of the axis.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// The place of a value on the axis, between 0 and 1.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let value = if self.scale == Scale::Logarithmic { value.log10() } else { value };
        ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// The values at the ticks, and their texts.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        let tick = |number: usize| {
            let place = self.from + number as f64 * self.step;
            // Rounding may leave a hair below 0, which would have a sign.
            let place = if place.abs() < 1e-9 { 0.0 } else { place };
            let digits = if self.step < 0.0999 { 2 } else { 1 };
            match self.scale {
                Scale::Logarithmic => {
                    let value = 10.0_f64.powi(place as i32);
                    (value, format!("{value}"))
                }
                Scale::Percent => (place, format!("{:.0} %", 100.0 * place)),
                Scale::Plain => (place, format!("{place:.digits$}").replace('-', "−")),
            }
        };
        (0..=((self.to - self.from) / self.step).round() as usize).map(tick).collect()
    }
}

/// The size of the letters of a vertical axis's name, which is as long as the data are high.
fn fitting(name: &str) -> f64 {
    NAMES.min((HEIGHT + 20.0) / (LETTER * name.chars().count().max(1) as f64))
}

/// A round distance that gives four to ten ticks.
pub fn tick_step(range: f64) -> f64 {
    let steps = [0.01, 0.02, 0.05, 0.1, 0.2];
    steps.into_iter().find(|step| range / step <= 8.0).unwrap_or(0.2)
}

/// The frame of the data, with a given top.
pub struct Frame<'a> {
    pub top: f64,
    pub up: &'a Range,
}

impl Frame<'_> {
    fn bottom(&self) -> f64 {
        self.top + HEIGHT
    }

    /// The size of the picture.
    pub fn size(&self) -> (u32, u32) {
        (WIDTH, (self.bottom() + BELOW) as u32)
    }

    /// The middle of the data.
    pub fn middle(&self) -> (f64, f64) {
        ((SIDES.0 + SIDES.1) / 2.0, self.top + HEIGHT / 2.0)
    }

    pub fn y(&self, value: f64) -> f64 {
        self.bottom() - HEIGHT * self.up.share(value)
    }

    /// Draws both axes: the vertical one with its grid, the horizontal one with ticks at these places.
    pub fn axes(&self, canvas: &Canvas<'_>, title: &str, ticks: &[(f64, String)]) {
        let ((left, right), bottom) = (SIDES, self.bottom());
        for (value, label) in self.up.ticks() {
            let y = self.y(value);
            canvas.line(&[(left, y), (right, y)], GRID, 1);
            canvas.text(&label, (left - 10.0, y), SMALL, Anchor::Right);
        }
        canvas.line(&[(left, self.top), (left, bottom), (right, bottom)], INK, 1);
        for (x, label) in ticks {
            canvas.line(&[(*x, bottom), (*x, bottom + 5.0)], INK, 1);
            canvas.text(label, (*x, bottom + 10.0), SMALL, Anchor::Top);
        }
        canvas.text(title, ((left + right) / 2.0, bottom + 34.0), NAMES, Anchor::Top);
        canvas.upward_text(&self.up.title, (6.0, (self.top + bottom) / 2.0), fitting(&self.up.title));
    }
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

    /// Axes cover the range they must, also if all values are the best possible. Only signed axes fall below 0.
    #[test]
    fn axes_hold_their_values() {
        for (low, high) in [(1.0, 1.0), (0.0, 0.0), (-0.31, 0.24), (0.05, 0.97), (-1.0, 1.0)] {
            let signed = Range::signed("tau", low, high);
            assert!(-1.0 <= signed.from && signed.from < signed.to && signed.to <= 1.0, "{signed:?}");
            // The tolerance covers rounding.
            assert!(signed.from <= low + 1e-12 && high - 1e-12 <= signed.to, "{signed:?}");
            assert!(Range::new("MAP", low, high).from >= 0.0);
        }
        let texts: Vec<String> = Range::signed("tau", -0.31, 0.24).ticks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts.join(" "), "−0.4 −0.3 −0.2 −0.1 0.0 0.1 0.2 0.3");
    }

    /// An axis of shares has shares or percent, never both.
    #[test]
    fn percent_is_for_shares() {
        let labels = |range: Range| range.ticks().into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(labels(Range::percent("right", 0.5, 0.7)), ["50 %", "55 %", "60 %", "65 %", "70 %"]);
        assert_eq!(labels(Range::new("right", 0.5, 0.7)), ["0.50", "0.55", "0.60", "0.65", "0.70"]);
        assert_eq!(Range::percent("right", 0.5, 0.7).share(0.6), Range::new("right", 0.5, 0.7).share(0.6));
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
}
