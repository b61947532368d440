//! Means of named things, as dots.

use ordain::measure::Mean;

use crate::canvas::picture;
use crate::palette;
use crate::range::Range;
use crate::rows::Rows;

/// Dots in named rows, with their standard errors. Unlike bars, they need not begin at 0, so small differences show.
pub struct Dots {
    /// The title.
    pub title: String,
    /// The meaning of the dots, and the axis.
    pub across: Range,
    /// The names of the series. Seven have their own colours. A single one has no legend.
    pub series: Vec<String>,
    /// Every row: its name and its means, one per series if known. An error that is not a number is not drawn.
    pub rows: Vec<(String, Vec<Option<Mean>>)>,
}

/// The height of a row.
const ROW: f64 = 16.0;

/// The number of letters of the longest name that is shown whole.
const LETTERS: usize = 26;

impl Dots {
    /// An SVG picture.
    pub fn draw(&self) -> String {
        let names = self.rows.iter().map(|(name, _)| name.as_str());
        let mut rows = Rows::new((&self.title, self.across.title()), &self.series, names, LETTERS, ROW);
        let ticks = self.across.ticks();
        // Texts of many ticks would touch.
        let every = if ticks.len() > 6 { 2 } else { 1 };
        let text = |at: usize, text: String| if at.is_multiple_of(every) { text } else { String::new() };
        let tick = |(at, (value, label)): (usize, (f64, String))| (self.across.share(value), text(at, label));
        rows.ticks = ticks.into_iter().enumerate().map(tick).collect();
        picture(rows.size(), |canvas| {
            rows.draw(canvas);
            for (at, (_, means)) in self.rows.iter().enumerate() {
                for (series, mean) in means.iter().enumerate() {
                    let Some(mean) = mean else { continue };
                    let (x, colour) = (|value| rows.x(self.across.share(value)), palette::series(series));
                    // Whiskers of two series lie beside each other.
                    let y = rows.y(at) + ROW * (series + 1) as f64 / (means.len() + 1) as f64;
                    if mean.error.is_finite() {
                        canvas.line(&[(x(mean.value - mean.error), y), (x(mean.value + mean.error), y)], colour, 1);
                    }
                    canvas.circle((x(mean.value), y), 4, colour);
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::tests::well_formed;

    #[test]
    fn pictures_are_well_formed() {
        let known = Some(Mean { value: 0.4, error: 0.02 });
        let exact = Some(Mean { value: 0.45, error: f64::NAN });
        let rows = vec![("a & b".to_owned(), vec![known, None]), ("c".to_owned(), vec![exact, known])];
        let across = Range::new("test", 0.38, 0.45);
        let series = vec!["MAP".into(), "NDCG".into()];
        let svg = Dots { title: "rankers".into(), across, series, rows }.draw();
        well_formed(&svg);
        assert!(["rankers", "test", "MAP", "NDCG"].iter().all(|words| svg.contains(words)));
        assert_eq!(svg.matches("<circle").count(), 3, "one dot per mean that is known");
    }
}
