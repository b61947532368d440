//! The canvas of all pictures.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::palette::{Colour, INK, PAPER};

/// A surface to draw on. Places are in pixels from the left and the top, rounded to whole pixels.
pub struct Canvas<'a>(DrawingArea<SVGBackend<'a>, Shift>);

/// The point of a text that is put at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The middle of its left side.
    Left,
    /// The middle of its right side.
    Right,
    /// The middle of its top.
    Top,
    /// Its upper left corner.
    TopLeft,
    /// Its centre.
    Centre,
}

/// An upper bound on the mean width of a letter, for letters of size 1 in the fonts of pages.
pub(crate) const LETTER: f64 = 0.62;

/// An SVG picture of this width and height, in pixels.
pub fn picture(size: (u32, u32), draw: impl FnOnce(&Canvas<'_>)) -> String {
    let mut svg = String::new();
    {
        let canvas = Canvas(SVGBackend::with_string(&mut svg, size).into_drawing_area());
        drawn(canvas.0.fill(&ink(PAPER)));
        draw(&canvas);
        drawn(canvas.0.present());
    }
    svg
}

impl Canvas<'_> {
    /// A line through these points.
    pub fn line(&self, points: &[(f64, f64)], colour: Colour, width: u32) {
        drawn(self.0.draw(&PathElement::new(pixels(points), ink(colour).stroke_width(width))));
    }

    /// A dashed line through these points.
    pub fn dashes(&self, points: &[(f64, f64)], colour: Colour, width: u32) {
        let (dash, gap) = (7, 5);
        drawn(self.0.draw(&DashedPathElement::new(pixels(points), dash, gap, ink(colour).stroke_width(width))));
    }

    /// A filled rectangle between two corners.
    pub fn rectangle(&self, corners: [(f64, f64); 2], colour: Colour) {
        drawn(self.0.draw(&Rectangle::new(corners.map(pixel), ink(colour).filled())));
    }

    /// A filled polygon.
    pub fn polygon(&self, corners: &[(f64, f64)], colour: Colour) {
        drawn(self.0.draw(&Polygon::new(pixels(corners), ink(colour).filled())));
    }

    /// A filled circle.
    pub fn circle(&self, centre: (f64, f64), radius: u32, colour: Colour) {
        drawn(self.0.draw(&Circle::new(pixel(centre), radius, ink(colour).filled())));
    }

    /// A text in ink, with letters of this size.
    pub fn text(&self, text: &str, at: (f64, f64), size: f64, anchor: Anchor) {
        self.coloured_text(text, at, size, anchor, INK);
    }

    /// The title of a chart, from this place on. Its letters are smaller if it is too long for so many pixels.
    pub fn title(&self, title: &str, at: (f64, f64), room: f64) {
        const LARGE: f64 = 17.0;
        let letters = title.chars().count().max(1) as f64;
        self.text(title, at, LARGE.min(room / (LETTER * letters)), Anchor::Left);
    }

    /// A text in a colour, with letters of this size.
    pub fn coloured_text(&self, text: &str, at: (f64, f64), size: f64, anchor: Anchor, colour: Colour) {
        drawn(self.0.draw(&Text::new(text.to_owned(), pixel(at), style(size, anchor, colour))));
    }

    /// A text in ink that reads upwards. Its place is the middle of the tops of its letters.
    pub fn upward_text(&self, text: &str, at: (f64, f64), size: f64) {
        let turned = style(size, Anchor::Top, INK).transform(FontTransform::Rotate270);
        drawn(self.0.draw(&Text::new(text.to_owned(), pixel(at), turned)));
    }
}

fn style(size: f64, anchor: Anchor, colour: Colour) -> TextStyle<'static> {
    let (h, v) = match anchor {
        Anchor::Left => (HPos::Left, VPos::Center),
        Anchor::Right => (HPos::Right, VPos::Center),
        Anchor::Top => (HPos::Center, VPos::Top),
        Anchor::TopLeft => (HPos::Left, VPos::Top),
        Anchor::Centre => (HPos::Center, VPos::Center),
    };
    ("sans-serif", size).into_font().color(&ink(colour)).pos(Pos::new(h, v))
}

fn ink(colour: Colour) -> RGBAColor {
    let [red, green, blue] = colour.rgb;
    RGBAColor(red, green, blue, colour.opacity)
}

fn pixel((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

fn pixels(points: &[(f64, f64)]) -> Vec<(i32, i32)> {
    points.iter().copied().map(pixel).collect()
}

fn drawn<E: std::error::Error + Send + Sync>(result: Result<(), DrawingAreaErrorKind<E>>) {
    result.expect("writing to a string does not fail");
}

#[cfg(test)]
pub mod tests {
    /// Every tag of a picture is closed, and no value is NaN.
    pub fn well_formed(svg: &str) {
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
