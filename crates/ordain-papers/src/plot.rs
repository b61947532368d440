//! Figures in the paper's layout: error rate, and area under the curve, against the number of known pairs.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::models::Model;
use crate::summary::{Mean, Summary};

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The error rate.
    Error,
    /// The area under the curve.
    Auc,
}

/// The size of a figure.
const SIZE: (u32, u32) = (480, 400);

/// Where the data are drawn: left, top, right, bottom.
const FRAME: [f64; 4] = [68.0, 74.0, 470.0, 344.0];

/// Neighbours are moved apart by so much, so that their intervals do not cover each other.
const APART: f64 = 8.0;

// The report gives these other colours in the dark.
const PAPER: RGBColor = RGBColor(255, 255, 255);
const INK: RGBColor = RGBColor(34, 34, 34);
const GRID: RGBColor = RGBColor(221, 221, 221);

/// Colours that colour-blind readers can tell apart (Okabe and Ito).
fn colour(model: Model) -> RGBColor {
    match model {
        Model::CommonCause => RGBColor(0, 114, 178),
        Model::Laplacian => RGBColor(0, 158, 115),
        Model::Pgp => RGBColor(213, 94, 0),
        Model::Svm => RGBColor(204, 121, 167),
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>>;

/// An SVG picture.
///
/// # Panics
/// Never: nothing about writing to a string fails.
pub fn draw(summary: &Summary, measure: Measure) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        Figure::new(summary, measure).draw(&area).expect("writing to a string does not fail");
    }
    svg
}

struct Figure<'a> {
    summary: &'a Summary,
    measure: Measure,
    models: Vec<Model>,
    /// The vertical axis: from, to, and between two ticks.
    from: f64,
    to: f64,
    step: f64,
}

impl<'a> Figure<'a> {
    fn new(summary: &'a Summary, measure: Measure) -> Self {
        let models: Vec<Model> =
            Model::ALL.into_iter().filter(|model| measure == Measure::Error || model.is_soft()).collect();
        let mut figure = Self { summary, measure, models, from: 0.0, to: 1.0, step: 0.1 };
        let ends: Vec<f64> = (0..summary.known.len())
            .flat_map(|known| figure.models.iter().map(move |&model| (known, model)))
            .filter_map(|(known, model)| figure.value(known, model))
            .flat_map(|mean| [mean.value - mean.error, mean.value + mean.error])
            .collect();
        let (low, high) = ends.iter().fold((1.0_f64, 0.0_f64), |(low, high), &end| (low.min(end), high.max(end)));
        // Errors are seen from 0; areas to 1, the best there is.
        let (low, high) = if measure == Measure::Error { (0.0, high) } else { (low, 1.0) };
        figure.step = tick_step(high - low);
        figure.from = ((low / figure.step).floor() * figure.step).max(0.0);
        figure.to = ((high / figure.step).ceil() * figure.step).clamp(figure.from + figure.step, 1.0);
        figure
    }

    fn value(&self, known: usize, model: Model) -> Option<Mean> {
        let entry = self.summary.entry(known, model);
        if self.measure == Measure::Error { Some(entry.error) } else { entry.auc }
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        area.fill(&PAPER)?;
        self.axes(area)?;
        self.legend(area)?;
        for (position, &model) in self.models.iter().enumerate() {
            self.series(area, position, model)?;
        }
        area.present()
    }

    fn axes(&self, area: &Area<'_>) -> Drawn {
        let [left, top, right, bottom] = FRAME;
        let ticks = ((self.to - self.from) / self.step).round() as usize;
        let digits = if self.step < 0.0999 { 2 } else { 1 };
        for tick in 0..=ticks {
            let value = self.from + tick as f64 * self.step;
            let y = self.y(value);
            line(area, &[(left, y), (right, y)], GRID, 1)?;
            text(area, &format!("{value:.digits$}"), (left - 10.0, y), 15.0, (HPos::Right, VPos::Center))?;
        }
        line(area, &[(left, top), (left, bottom), (right, bottom)], INK, 1)?;
        for (known, count) in self.summary.known.iter().enumerate() {
            let x = self.x(known);
            line(area, &[(x, bottom), (x, bottom + 5.0)], INK, 1)?;
            text(area, &count.to_string(), (x, bottom + 10.0), 15.0, (HPos::Center, VPos::Top))?;
        }
        let middle = (left + right) / 2.0;
        text(area, "Number of known pairs", (middle, bottom + 34.0), 16.0, (HPos::Center, VPos::Top))?;
        let name = if self.measure == Measure::Error { "Error rate" } else { "AUC" };
        let style = style(16.0, (HPos::Center, VPos::Top)).transform(FontTransform::Rotate270);
        area.draw(&Text::new(name, pixel((12.0, (top + bottom) / 2.0)), style))
    }

    /// Above the data: two by two.
    fn legend(&self, area: &Area<'_>) -> Drawn {
        for (position, &model) in self.models.iter().enumerate() {
            let x = 14.0 + 236.0 * (position % 2) as f64;
            let y = 22.0 + 26.0 * (position / 2) as f64;
            line(area, &[(x, y), (x + 30.0, y)], colour(model), 2)?;
            marker(area, (x + 15.0, y), model)?;
            text(area, model.title(), (x + 40.0, y), 15.0, (HPos::Left, VPos::Center))?;
        }
        Ok(())
    }

    fn series(&self, area: &Area<'_>, position: usize, model: Model) -> Drawn {
        let shift = APART * (position as f64 - (self.models.len() - 1) as f64 / 2.0);
        let points: Vec<(f64, Mean)> = (0..self.summary.known.len())
            .filter_map(|known| Some((self.x(known) + shift, self.value(known, model)?)))
            .collect();
        let path: Vec<(f64, f64)> = points.iter().map(|&(x, mean)| (x, self.y(mean.value))).collect();
        line(area, &path, colour(model), 2)?;
        for &(x, mean) in &points {
            let (low, high) = (self.y(mean.value - mean.error), self.y(mean.value + mean.error));
            for bar in [[(x, low), (x, high)], [(x - 4.0, low), (x + 4.0, low)], [(x - 4.0, high), (x + 4.0, high)]] {
                line(area, &bar, colour(model), 1)?;
            }
            marker(area, (x, self.y(mean.value)), model)?;
        }
        Ok(())
    }

    fn x(&self, known: usize) -> f64 {
        let [left, _, right, _] = FRAME;
        left + (right - left) * (known as f64 + 0.5) / self.summary.known.len() as f64
    }

    fn y(&self, value: f64) -> f64 {
        let [_, top, _, bottom] = FRAME;
        let share = (value - self.from) / (self.to - self.from);
        bottom - (bottom - top) * share.clamp(0.0, 1.0)
    }
}

/// A round distance of ticks, of which there are then four to ten.
fn tick_step(range: f64) -> f64 {
    let steps = [0.01, 0.02, 0.05, 0.1, 0.2];
    steps.into_iter().find(|step| range / step <= 8.0).unwrap_or(0.2)
}

fn pixel((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

fn line(area: &Area<'_>, points: &[(f64, f64)], colour: RGBColor, width: u32) -> Drawn {
    let points: Vec<(i32, i32)> = points.iter().copied().map(pixel).collect();
    area.draw(&PathElement::new(points, colour.stroke_width(width)))
}

fn marker(area: &Area<'_>, at: (f64, f64), model: Model) -> Drawn {
    let (x, y) = pixel(at);
    let fill = colour(model).filled();
    match model {
        Model::CommonCause => area.draw(&Circle::new((x, y), 5, fill)),
        Model::Laplacian => area.draw(&Rectangle::new([(x - 4, y - 4), (x + 5, y + 5)], fill)),
        Model::Pgp => area.draw(&Polygon::new(vec![(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)], fill)),
        Model::Svm => area.draw(&Polygon::new(vec![(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)], fill)),
    }
}

fn text(area: &Area<'_>, text: &str, at: (f64, f64), size: f64, (h, v): (HPos, VPos)) -> Drawn {
    area.draw(&Text::new(text.to_owned(), pixel(at), style(size, (h, v))))
}

fn style(size: f64, (h, v): (HPos, VPos)) -> TextStyle<'static> {
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
}
