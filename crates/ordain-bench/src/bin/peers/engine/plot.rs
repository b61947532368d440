//! The cost of an answer against the number of items, both by powers of ten.

use ordain_plot::palette::{self, INK};
use ordain_plot::{Powers, Stroke, Trend};

use super::numbers::Numbers;
use super::report::title;
use super::{OURS, RATINGS};

/// Peers beside the ratings.
const PEERS: [&str; 5] = ["numpy-naive", "numpy-tuned", "numpy-pruned", "botorch", "choix-ep"];

/// The position of the colour of each of ours.
const OUR_COLOURS: [usize; 4] = [0, 1, 3, 2];

/// An SVG picture.
pub fn plot(numbers: &Numbers) -> String {
    let points = |contender: &str| -> Vec<(f64, f64)> {
        let own = numbers.rows.iter().filter(|row| row.contender == contender && row.answers > 0);
        own.filter_map(|row| Some((row.items()? as f64, row.answer.mean))).collect()
    };
    let trend =
        |name: &str, colour, stroke| Trend { title: title(name).to_owned(), colour, stroke, points: points(name) };
    let peers = PEERS.into_iter().chain(RATINGS).enumerate();
    let peers = peers.map(|(at, name)| trend(name, palette::muted(at), Stroke::Plain));
    let ours = OURS.into_iter().zip(OUR_COLOURS);
    let ours = ours.map(|(name, at)| trend(name, palette::series(at), Stroke::Bold));
    let floor = Trend {
        title: "one dense update".into(),
        colour: INK,
        stroke: Stroke::Dashed,
        points: numbers.floors.iter().map(|floor| (floor.items as f64, floor.seconds)).collect(),
    };
    Powers {
        title: "From an answer to the next question, by the number of items".into(),
        across: ("Items".into(), thousands),
        up: ("Time from an answer to the next question".into(), power_of_seconds),
        lines: peers.chain(ours).chain([floor]).collect(),
    }
    .draw()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_words_for_people() {
        let seconds = [1e-7, 1e-6, 1e-5, 1e-3, 0.1, 1.0, 10.0].map(power_of_seconds);
        assert_eq!(seconds, ["100 ns", "1 µs", "10 µs", "1 ms", "100 ms", "1 s", "10 s"]);
        assert_eq!([100.0, 1e3, 1e5, 1e6].map(thousands), ["100", "1,000", "100,000", "1,000,000"]);
    }
}
