//! Curves as an SVG picture.

use std::path::Path;

use ordain::active::{Curve, Point};
use ordain::formats::write_whole;
use ordain::measure::Mean;
use ordain_plot::{Across, Lines, Range, Series};

use super::Measure;
use crate::{Failure, Outcome};

/// A picture of a measure of named curves, with bands of their standard errors.
pub fn picture(runs: &[(String, &Curve)], measure: Measure, name: &str, scale: Scale) -> String {
    let point = |point: &Point| {
        let error = point.error.map_or(0.0, |error| measure.of(&error));
        (point.answers as f64, Mean { value: measure.of(&point.mean), error })
    };
    let one = |(title, curve): &(String, &Curve)| Series {
        title: title.clone(),
        points: curve.points.iter().map(point).collect(),
    };
    lines("Quality of the ranking by answers", runs.iter().map(one).collect(), name, scale)
}

/// What the numbers of a vertical axis are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Shares.
    Share,
    /// Shares, in percent.
    Percent,
    /// Correlations, which may fall below 0.
    Signed,
}

impl Scale {
    /// The scale of a measure where other numbers are shares.
    pub fn of(measure: Measure) -> Self {
        if measure == Measure::Tau { Self::Signed } else { Self::Share }
    }
}

/// A picture of curves over the number of answers.
pub fn lines(title: &str, series: Vec<Series>, name: &str, scale: Scale) -> String {
    let (low, high) = Range::of(&series);
    let up = match scale {
        Scale::Share => Range::new(name, low, high),
        Scale::Percent => Range::percent(name, low, high),
        Scale::Signed => Range::signed(name, low, high),
    };
    let most = series.iter().flat_map(|series| &series.points).map(|(answers, _)| *answers as usize).max();
    Lines { title: title.into(), across: Across::UpTo("Answers".into(), most.unwrap_or(0)), up, series }.draw()
}

/// Parses the name of an SVG file.
pub fn parse_file(text: &str) -> Result<std::path::PathBuf, &'static str> {
    let path = std::path::PathBuf::from(text);
    let svg = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    if svg { Ok(path) } else { Err("the picture is an SVG file: give it a name that ends in .svg") }
}

/// Writes a file as a whole or not at all.
pub fn write(path: &Path, text: &str) -> Outcome {
    write_whole(path, |out| out.write_all(text.as_bytes())).map_err(Failure::Library)
}

/// The name of an axis: the measure's description with a capital letter.
pub fn name(measure: Measure) -> String {
    let mut letters = measure.description().chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
