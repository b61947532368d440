//! Curves as an SVG picture.

use std::path::Path;

use ordain::active::{Curve, Point};
use ordain::formats::write_whole;
use ordain::measure::Mean;
use ordain_plot::{Across, Lines, Range, Series};

use super::Measure;
use crate::{Failure, Outcome};

/// A picture of a measure of named curves, with bands of their standard errors.
pub fn picture(runs: &[(String, &Curve)], measure: Measure) -> String {
    let point = |point: &Point| {
        let error = point.error.map_or(0.0, |error| measure.of(&error));
        (point.answers as f64, Mean { value: measure.of(&point.mean), error })
    };
    let one = |(title, curve): &(String, &Curve)| Series {
        title: title.clone(),
        points: curve.points.iter().map(point).collect(),
    };
    lines(runs.iter().map(one).collect(), &title(measure), measure == Measure::Tau)
}

/// A picture of curves over the number of answers. If `signed`, values may fall below 0.
pub fn lines(series: Vec<Series>, title: &str, signed: bool) -> String {
    let (low, high) = Range::of(&series);
    let up = if signed { Range::signed(title, low, high) } else { Range::new(title, low, high) };
    let most = series.iter().flat_map(|series| &series.points).map(|(answers, _)| *answers as usize).max();
    Lines { across: Across::UpTo("Answers".into(), most.unwrap_or(0)), up, series }.draw()
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

/// The title of an axis: the measure's description with a capital letter.
fn title(measure: Measure) -> String {
    let mut letters = measure.description().chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
