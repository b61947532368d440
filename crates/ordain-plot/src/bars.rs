//! Shares as horizontal bars.

use crate::canvas::picture;
use crate::palette;
use crate::range::tick_step;
use crate::rows::Rows;

/// Horizontal bars, in named groups. Each group has a bar of every series.
pub struct Bars {
    /// The title.
    pub title: String,
    /// The meaning of the bars.
    pub across: String,
    /// The names of the series. Seven have their own colours. A single one has no legend.
    pub series: Vec<String>,
    /// Every group: its name and its values, not negative, one per series.
    pub groups: Vec<(String, Vec<f64>)>,
}

/// The thickness of a bar.
const BAR: f64 = 9.0;

/// The number of letters of the longest name that is shown whole.
const LETTERS: usize = 16;

impl Bars {
    /// An SVG picture.
    pub fn draw(&self) -> String {
        let largest = self.groups.iter().flat_map(|(_, values)| values).copied().fold(0.01, f64::max);
        let step = tick_step(largest);
        let ticks = (largest / step - 1e-9).ceil() as usize;
        let names = self.groups.iter().map(|(name, _)| name.as_str());
        let mut rows =
            Rows::new((&self.title, &self.across), &self.series, names, LETTERS, BAR * self.series.len() as f64);
        let digits = if step < 0.0999 { 2 } else { 1 };
        let tick = |at: usize| (at as f64 / ticks as f64, format!("{:.digits$}", at as f64 * step));
        rows.ticks = (0..=ticks).map(tick).collect();
        picture(rows.size(), |canvas| {
            rows.draw(canvas);
            for (at, (_, values)) in self.groups.iter().enumerate() {
                for (series, &value) in values.iter().enumerate() {
                    let y = rows.y(at) + BAR * series as f64;
                    let right = rows.x(value / (ticks as f64 * step));
                    canvas.rectangle([(rows.x(0.0), y), (right, y + BAR)], palette::series(series));
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
        for groups in [1, 4, 25] {
            let name = |at: usize| ["short", "a name that is longer than it should be & <more>"][at % 2].to_owned();
            let groups = (0..groups).map(|at| (name(at), vec![0.0, 0.9 / (at + 1) as f64])).collect();
            let series = vec!["one".to_owned(), "two".to_owned()];
            let svg = Bars { title: "weights".into(), across: "Weight".to_owned(), series, groups }.draw();
            well_formed(&svg);
            assert!(["weights", "Weight", "one", "two"].iter().all(|words| svg.contains(words)));
        }
        let groups = vec![("expert".to_owned(), vec![0.5])];
        let svg = Bars { title: "t".into(), across: "Weight".into(), series: vec!["learned".into()], groups }.draw();
        assert!(!svg.contains("learned"), "one series has no legend");
    }
}
