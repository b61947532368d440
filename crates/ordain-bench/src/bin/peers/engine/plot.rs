//! The cost of an answer against the number of items, both by powers of ten.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::numbers::Numbers;
use super::report::title;
use super::{OURS, RATINGS};

const SIZE: (u32, u32) = (860, 560);
/// Where the data are drawn: left, right, top, bottom.
const FRAME: (f64, f64, f64, f64) = (78.0, 664.0, 20.0, 500.0);
/// Titles at the ends of lines are at least so far apart.
const APART: f64 = 17.0;
/// What a letter of a title takes, or less.
const LETTER: f64 = 6.3;

const INK: RGBColor = RGBColor(34, 34, 34);
const GRID: RGBColor = RGBColor(224, 224, 224);
/// Ours in colours that colour-blind readers can tell apart (Okabe and Ito), the peers in greys and browns.
const OUR_COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(0, 158, 115), RGBColor(204, 121, 167), RGBColor(213, 94, 0)];
const PEER_COLOURS: [RGBColor; 7] = [
    RGBColor(90, 90, 90),
    RGBColor(140, 140, 140),
    RGBColor(170, 140, 60),
    RGBColor(120, 90, 60),
    RGBColor(160, 110, 110),
    RGBColor(110, 130, 150),
    RGBColor(150, 150, 110),
];
const PEERS: [&str; 5] = ["numpy-naive", "numpy-tuned", "numpy-pruned", "botorch", "choix-ep"];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>>;

/// One line: items and seconds.
struct Series {
    title: String,
    colour: RGBColor,
    points: Vec<(f64, f64)>,
    ours: bool,
    dashed: bool,
}

/// An axis by powers of ten, and its ends on the picture.
struct Axis {
    powers: (i32, i32),
    ends: (f64, f64),
}

impl Axis {
    fn over(values: impl Iterator<Item = f64> + Clone, ends: (f64, f64)) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor() as i32;
        let high = values.fold(0.0, f64::max).log10().ceil() as i32;
        Self { powers: (low, high.max(low + 1)), ends }
    }

    fn place(&self, value: f64) -> f64 {
        let (low, high) = (f64::from(self.powers.0), f64::from(self.powers.1));
        self.ends.0 + (self.ends.1 - self.ends.0) * (value.log10() - low) / (high - low)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.powers.0..=self.powers.1).map(|power| 10_f64.powi(power))
    }
}

/// An SVG picture.
pub fn plot(numbers: &Numbers) -> String {
    let series = series(numbers);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let drawn = area.fill(&WHITE).and_then(|()| draw(&area, &series)).and_then(|()| area.present());
        drawn.expect("writing to a string does not fail");
    }
    svg
}

fn series(numbers: &Numbers) -> Vec<Series> {
    let points = |contender: &str| -> Vec<(f64, f64)> {
        let own = numbers.rows.iter().filter(|row| row.contender == contender && row.answers > 0);
        own.filter_map(|row| Some((row.items()? as f64, row.answer.mean))).collect()
    };
    let peers = PEERS.into_iter().chain(RATINGS).zip(PEER_COLOURS).map(|(name, colour)| (name, colour, false));
    let ours = OURS.into_iter().zip(OUR_COLOURS).map(|(name, colour)| (name, colour, true));
    let mut out: Vec<Series> = peers
        .chain(ours)
        .map(|(name, colour, ours)| Series {
            title: title(name).to_owned(),
            colour,
            points: points(name),
            ours,
            dashed: false,
        })
        .collect();
    let floor = numbers.floors.iter().map(|floor| (floor.items as f64, floor.seconds)).collect();
    out.push(Series { title: "one dense update".into(), colour: INK, points: floor, ours: false, dashed: true });
    out.retain(|series| !series.points.is_empty());
    out
}

fn draw(area: &Area<'_>, series: &[Series]) -> Drawn {
    let (left, right, top, bottom) = FRAME;
    let points = || series.iter().flat_map(|series| series.points.iter().copied());
    if points().next().is_none() {
        return Ok(());
    }
    let across = Axis::over(points().map(|(items, _)| items), (left, right));
    let up = Axis::over(points().map(|(_, seconds)| seconds), (bottom, top));
    for value in up.ticks() {
        let y = up.place(value);
        line(area, &[(left, y), (right, y)], GRID, 1)?;
        text(area, &power_of_seconds(value), (left - 8.0, y), 15.0, (HPos::Right, VPos::Center), INK)?;
    }
    for value in across.ticks() {
        let x = across.place(value);
        line(area, &[(x, top), (x, bottom)], GRID, 1)?;
        text(area, &thousands(value), (x, bottom + 8.0), 15.0, (HPos::Center, VPos::Top), INK)?;
    }
    line(area, &[(left, top), (left, bottom), (right, bottom)], INK, 1)?;
    text(area, "items", ((left + right) / 2.0, bottom + 30.0), 16.0, (HPos::Center, VPos::Top), INK)?;
    let turned = style(16.0, (HPos::Center, VPos::Top), INK).transform(FontTransform::Rotate270);
    area.draw(&Text::new("from an answer to the next question", pixel((4.0, (top + bottom) / 2.0)), turned))?;
    for one in series {
        let path: Vec<(f64, f64)> = one.points.iter().map(|&(n, t)| (across.place(n), up.place(t))).collect();
        if one.dashed {
            dashes(area, &path, one.colour)?;
        } else {
            line(area, &path, one.colour, if one.ours { 3 } else { 2 })?;
        }
        for &at in path.iter().filter(|_| !one.dashed) {
            area.draw(&Circle::new(pixel(at), if one.ours { 5 } else { 4 }, one.colour.filled()))?;
        }
    }
    titles(area, series, &across, &up)
}

/// The titles stand right of their lines' ends, in the order of these ends and never on each other.
fn titles(area: &Area<'_>, series: &[Series], across: &Axis, up: &Axis) -> Drawn {
    let end = |series: &Series| {
        let (items, seconds) = series.points[series.points.len() - 1];
        (across.place(items), up.place(seconds))
    };
    let mut columns: Vec<i32> = series.iter().map(|series| end(series).0 as i32).collect();
    columns.sort_unstable();
    columns.dedup();
    for column in columns {
        let mut here: Vec<&Series> = series.iter().filter(|series| end(series).0 as i32 == column).collect();
        here.sort_by(|one, other| end(one).1.total_cmp(&end(other).1));
        let wanted: Vec<f64> = here.iter().map(|series| end(series).1).collect();
        for (series, y) in here.iter().zip(spread(&wanted)) {
            let x = end(series).0 + 10.0;
            // Lines that pass do not strike it through.
            let width = LETTER * series.title.chars().count() as f64;
            let paper = [pixel((x - 2.0, y - 8.0)), pixel((x + width, y + 8.0))];
            area.draw(&Rectangle::new(paper, WHITE.filled()))?;
            text(area, &series.title, (x, y), 15.0, (HPos::Left, VPos::Center), series.colour)?;
        }
    }
    Ok(())
}

/// Rising places moved apart so that none is closer than [`APART`] to the next: those that would touch form a block, which
/// stands around the mean of what its members want.
fn spread(wanted: &[f64]) -> Vec<f64> {
    // Of every block: where its first member stands, and how many there are.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for &place in wanted {
        let mut block = (place, 1);
        while let Some(&(start, count)) = blocks.last() {
            if start + count as f64 * APART <= block.0 {
                break;
            }
            // The mean over members of what each wants, less its distance from the first.
            let total = (count + block.1) as f64;
            let first = (start * count as f64 + (block.0 - count as f64 * APART) * block.1 as f64) / total;
            block = (first, count + block.1);
            blocks.pop();
        }
        blocks.push(block);
    }
    blocks.into_iter().flat_map(|(start, count)| (0..count).map(move |at| start + at as f64 * APART)).collect()
}

fn power_of_seconds(value: f64) -> String {
    let (value, unit) = match value {
        v if v < 0.5e-6 => (1e9 * v, "ns"),
        v if v < 0.5e-3 => (1e6 * v, "µs"),
        v if v < 0.5 => (1e3 * v, "ms"),
        v => (v, "s"),
    };
    format!("{value:.0} {unit}")
}

fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

fn dashes(area: &Area<'_>, path: &[(f64, f64)], colour: RGBColor) -> Drawn {
    let path: Vec<(i32, i32)> = path.iter().copied().map(pixel).collect();
    area.draw(&DashedPathElement::new(path, 7, 5, colour.stroke_width(2)))
}

fn line(area: &Area<'_>, points: &[(f64, f64)], colour: RGBColor, width: u32) -> Drawn {
    let points: Vec<(i32, i32)> = points.iter().copied().map(pixel).collect();
    area.draw(&PathElement::new(points, colour.stroke_width(width)))
}

fn text(area: &Area<'_>, text: &str, at: (f64, f64), size: f64, place: (HPos, VPos), colour: RGBColor) -> Drawn {
    area.draw(&Text::new(text.to_owned(), pixel(at), style(size, place, colour)))
}

fn style(size: f64, (h, v): (HPos, VPos), colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour).pos(Pos::new(h, v))
}

fn pixel((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_stay_in_order_and_apart() {
        for wanted in [vec![], vec![5.0], vec![0.0, 1.0, 2.0, 100.0, 101.0], vec![3.0; 6], vec![0.0, 16.0, 32.0, 48.0]]
        {
            let placed = spread(&wanted);
            assert_eq!(placed.len(), wanted.len());
            // Rounding only.
            assert!(placed.windows(2).all(|two| two[1] - two[0] >= APART - 1e-9), "{placed:?}");
            let shift: f64 = placed.iter().zip(&wanted).map(|(placed, wanted)| placed - wanted).sum();
            assert!(shift.abs() < 1e-9, "{placed:?}");
        }
    }

    #[test]
    fn ticks_are_words_for_people() {
        let seconds = [1e-7, 1e-6, 1e-5, 1e-3, 0.1, 1.0, 10.0].map(power_of_seconds);
        assert_eq!(seconds, ["100 ns", "1 µs", "10 µs", "1 ms", "100 ms", "1 s", "10 s"]);
        assert_eq!([100.0, 1e3, 1e5, 1e6].map(thousands), ["100", "1,000", "100,000", "1,000,000"]);
    }
}
