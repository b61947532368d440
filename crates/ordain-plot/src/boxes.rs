//! The spread of values, as boxes.

use crate::canvas::{Canvas, picture};
use crate::palette;
use crate::range::{Frame, Range, SIDES, TITLE, WIDTH};

/// Boxes from the lower to the upper quartile, with the median. Whiskers reach to the furthest values within one and a
/// half times the distance of the quartiles; values beyond are points (Tukey).
pub struct Boxes {
    /// The title.
    pub title: String,
    /// The meaning of the boxes.
    pub across: String,
    /// The vertical axis.
    pub up: Range,
    /// Every box: its name and its values, at least one.
    pub boxes: Vec<(String, Vec<f64>)>,
    /// The position of the colour.
    pub colour: usize,
}

/// The numbers of a box.
#[derive(Debug, Clone, PartialEq)]
pub struct Quartiles {
    /// The lower quartile, the median, the upper quartile.
    pub quartiles: [f64; 3],
    /// The ends of the whiskers.
    pub whiskers: [f64; 2],
    /// The values beyond the whiskers.
    pub outside: Vec<f64>,
}

impl Quartiles {
    /// The numbers for these values, of which there must be at least one. Quantiles are linear between values (Hyndman
    /// and Fan's seventh definition).
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let place = share * (sorted.len() - 1) as f64;
            let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
            low + (high - low) * place.fract()
        };
        let quartiles = [0.25, 0.5, 0.75].map(quantile);
        let reach = 1.5 * (quartiles[2] - quartiles[0]);
        let within = |value: &f64| (quartiles[0] - reach..=quartiles[2] + reach).contains(value);
        let mut inside = sorted.iter().copied().filter(within);
        let first = inside.next().unwrap_or(quartiles[1]);
        let whiskers = [first.min(quartiles[0]), inside.next_back().unwrap_or(first).max(quartiles[2])];
        Self { quartiles, whiskers, outside: sorted.iter().copied().filter(|value| !within(value)).collect() }
    }
}

impl Boxes {
    /// An SVG picture.
    pub fn draw(&self) -> String {
        let frame = Frame { top: TITLE, up: &self.up };
        let (left, right) = SIDES;
        let width = (right - left) / self.boxes.len() as f64;
        let x = |at: usize| left + width * (at as f64 + 0.5);
        // The names of narrow boxes would overlap.
        let every = (self.boxes.len() as f64 * 40.0 / (right - left)).ceil().max(1.0) as usize;
        let named = self.boxes.iter().enumerate().filter(|(at, _)| (at + 1) % every == 0);
        let ticks: Vec<(f64, String)> = named.map(|(at, (name, _))| (x(at), name.clone())).collect();
        picture(frame.size(), |canvas| {
            canvas.title(&self.title, (14.0, 15.0), f64::from(WIDTH) - 28.0);
            frame.axes(canvas, &self.across, &ticks);
            let half = (0.32 * width).min(18.0);
            for (at, (_, values)) in self.boxes.iter().enumerate() {
                self.one(canvas, &frame, x(at), half, &Quartiles::of(values));
            }
        })
    }

    fn one(&self, canvas: &Canvas<'_>, frame: &Frame<'_>, x: f64, half: f64, of: &Quartiles) {
        let colour = palette::series(self.colour);
        let [low, middle, high] = of.quartiles.map(|value| frame.y(value));
        let (left, right) = (x - half, x + half);
        canvas.rectangle([(left, high), (right, low)], colour.faint(0.25));
        canvas.line(&[(left, high), (right, high), (right, low), (left, low), (left, high)], colour, 1);
        canvas.line(&[(left, middle), (right, middle)], colour, 3);
        for (end, side) in of.whiskers.iter().zip([low, high]) {
            let end = frame.y(*end);
            canvas.line(&[(x, side), (x, end)], colour, 1);
            canvas.line(&[(x - 0.5 * half, end), (x + 0.5 * half, end)], colour, 1);
        }
        of.outside.iter().for_each(|&value| canvas.circle((x, frame.y(value)), 2, colour));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::tests::well_formed;

    /// By hand: for 1..=9 and 30 the quartiles are 3.25, 5.5 and 7.75 (as R's `quantile` gives). So whiskers reach at
    /// most to -3.5 and 14.5.
    #[test]
    fn quartiles_by_hand() {
        let values: Vec<f64> = (1..=9).rev().map(f64::from).chain([30.0]).collect();
        let found = Quartiles::of(&values);
        assert_eq!(found, Quartiles { quartiles: [3.25, 5.5, 7.75], whiskers: [1.0, 9.0], outside: vec![30.0] });
        let one = Quartiles::of(&[0.5]);
        assert_eq!(one, Quartiles { quartiles: [0.5; 3], whiskers: [0.5; 2], outside: vec![] });
    }

    #[test]
    fn pictures_are_well_formed() {
        for count in [1, 4, 18] {
            let boxes = (1..=count).map(|at| (at.to_string(), vec![0.1, 0.2, 0.9, 0.3, 0.25])).collect();
            let up = Range::new("AP", 0.0, 1.0);
            let svg = Boxes { title: "spread".into(), across: "Answers".into(), up, boxes, colour: 1 }.draw();
            well_formed(&svg);
            assert!(["spread", "Answers", "AP"].iter().all(|words| svg.contains(words)));
        }
    }
}
