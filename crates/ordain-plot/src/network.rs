//! Things and their links.

use crate::canvas::{Anchor, Canvas, LETTER, picture};
use crate::palette::{self, INK, PAPER};
use crate::range::{NAMES, SMALL, TITLE, WIDTH};

/// Things as circles, coloured by a number, with lines between linked ones. Linked things stand near each other.
pub struct Network {
    /// The title.
    pub title: String,
    /// The meaning of the colours.
    pub meaning: String,
    /// The things. The names of earlier ones find their places first.
    pub nodes: Vec<Node>,
    /// The links: positions of two things.
    pub links: Vec<(usize, usize)>,
}

/// A thing.
pub struct Node {
    /// The name, if it is to be shown.
    pub name: Option<String>,
    /// The number that gives the colour.
    pub value: f64,
}

/// The frame of the things: left, top, right, bottom.
const FRAME: [f64; 4] = [24.0, TITLE + 14.0, 456.0, 420.0];

/// The radius of a circle.
const RADIUS: u32 = 6;

/// The number of letters of the longest name that is shown whole.
const LETTERS: usize = 18;

impl Network {
    /// An SVG picture.
    pub fn draw(&self) -> String {
        let places = self.places();
        picture((WIDTH, 480), |canvas| {
            canvas.title(&self.title, (14.0, 15.0), f64::from(WIDTH) - 28.0);
            for &(one, other) in &self.links {
                canvas.line(&[places[one], places[other]], INK.faint(0.4), 1);
            }
            // Where there is no room, a name lies under a circle and never hides it.
            self.names(canvas, &places);
            let (low, high) = self.ends();
            for (node, &place) in self.nodes.iter().zip(&places) {
                // The rim is seen where the colour is like the background.
                canvas.circle(place, RADIUS + 1, INK);
                canvas.circle(place, RADIUS, palette::shade((node.value - low) / (high - low)));
            }
            self.scale(canvas);
        })
    }

    /// The least and the largest number.
    fn ends(&self) -> (f64, f64) {
        let ends = |(low, high): (f64, f64), node: &Node| (low.min(node.value), high.max(node.value));
        let (low, high) = self.nodes.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        if low < high { (low, high) } else { (low - 0.5, low + 0.5) }
    }

    /// The places of the things, filling the frame.
    fn places(&self) -> Vec<(f64, f64)> {
        let placed = layout(self.nodes.len(), &self.links);
        let [left, top, right, bottom] = FRAME;
        let fill = |of: fn(&(f64, f64)) -> f64, (from, to): (f64, f64)| -> Vec<f64> {
            let values: Vec<f64> = placed.iter().map(of).collect();
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let share = |value: &f64| if high > low { (value - low) / (high - low) } else { 0.5 };
            values.iter().map(|value| from + (to - from) * share(value)).collect()
        };
        fill(|place| place.0, (left, right)).into_iter().zip(fill(|place| place.1, (top, bottom))).collect()
    }

    /// Every name beside its circle: on the side where it covers least.
    fn names(&self, canvas: &Canvas<'_>, places: &[(f64, f64)]) {
        let around = |&(x, y): &(f64, f64)| {
            let reach = f64::from(RADIUS);
            [x - reach, y - reach, x + reach, y + reach]
        };
        let mut taken: Vec<[f64; 4]> = places.iter().map(around).collect();
        for &(one, other) in &self.links {
            // Small boxes along the link.
            const BOXES: u32 = 16;
            let (from, to) = (places[one], places[other]);
            taken.extend((1..BOXES).map(|at| {
                let share = f64::from(at) / f64::from(BOXES);
                let (x, y) = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
                [x - 1.5, y - 1.5, x + 1.5, y + 1.5]
            }));
        }
        for (node, &(x, y)) in self.nodes.iter().zip(places) {
            let Some(name) = &node.name else { continue };
            let name = match name.char_indices().nth(LETTERS) {
                Some((end, _)) => format!("{}…", &name[..end]),
                None => name.clone(),
            };
            let (width, half) = (LETTER * NAME * name.chars().count() as f64, 0.5 * NAME + 1.0);
            let off = f64::from(RADIUS) + 3.0;
            let sides = [
                [x + off, y - half, x + off + width, y + half],
                [x - off - width, y - half, x - off, y + half],
                [x - width / 2.0, y + off, x + width / 2.0, y + off + 2.0 * half],
                [x - width / 2.0, y - off - 2.0 * half, x + width / 2.0, y - off],
            ];
            let cost = |side: &[f64; 4]| {
                let covered: f64 = taken.iter().map(|other| overlap(side, other)).sum();
                let page = [2.0, TITLE, f64::from(WIDTH) - 2.0, FRAME[3] + 20.0];
                // What is outside of the picture cannot be read at all.
                covered + 10.0 * (area(side) - overlap(side, &page))
            };
            let best = sides.into_iter().enumerate().min_by(|one, other| cost(&one.1).total_cmp(&cost(&other.1)));
            let Some((at, side)) = best else { continue };
            let middle = (side[1] + side[3]) / 2.0;
            // The box is as wide as the widest letters, so the text stands at the end that is near the circle.
            let (x, anchor) = match at {
                0 => (side[0], Anchor::Left),
                1 => (side[2], Anchor::Right),
                _ => ((side[0] + side[2]) / 2.0, Anchor::Centre),
            };
            canvas.rectangle([(side[0], side[1]), (side[2], side[3])], PAPER.faint(0.7));
            canvas.text(&name, (x, middle), NAME, anchor);
            taken.push(side);
        }
    }

    /// The meaning of the colours.
    fn scale(&self, canvas: &Canvas<'_>) {
        const STEPS: usize = 40;
        const ENDS: (f64, f64) = (160.0, 320.0);
        let y = 452.0;
        for step in 0..STEPS {
            let x = |step: usize| ENDS.0 + (ENDS.1 - ENDS.0) * step as f64 / STEPS as f64;
            let colour = palette::shade((step as f64 + 0.5) / STEPS as f64);
            canvas.rectangle([(x(step), y - 6.0), (x(step + 1), y + 6.0)], colour);
        }
        let (low, high) = self.ends();
        let text = |value: f64| format!("{value:.1}").replace('-', "−").replace("−0.0", "0.0");
        canvas.text(&text(low), (ENDS.0 - 8.0, y), SMALL, Anchor::Right);
        canvas.text(&text(high), (ENDS.1 + 8.0, y), SMALL, Anchor::Left);
        canvas.text(&self.meaning, ((ENDS.0 + ENDS.1) / 2.0, y + 10.0), NAMES, Anchor::Top);
    }
}

/// The size of the letters of names.
const NAME: f64 = 13.0;

fn area(of: &[f64; 4]) -> f64 {
    (of[2] - of[0]) * (of[3] - of[1])
}

fn overlap(one: &[f64; 4], other: &[f64; 4]) -> f64 {
    let along = |from: usize, to: usize| (one[to].min(other[to]) - one[from].max(other[from])).max(0.0);
    along(0, 2) * along(1, 3)
}

/// Places of so many things, near each other where they are linked: springs along links, and all push each other away
/// (Fruchterman and Reingold 1991). A weak pull to the middle keeps parts without links between them together. No chance is
/// involved. Takes `rounds count²` steps.
fn layout(count: usize, links: &[(usize, usize)]) -> Vec<(f64, f64)> {
    const ROUNDS: usize = 400;
    /// The first steps are at most this long; they get shorter evenly.
    const LONGEST: f64 = 0.12;
    const PULL: f64 = 0.6;
    let apart = (1.0 / count.max(1) as f64).sqrt();
    // A spiral of the golden angle: evenly spread, and no two things in one place.
    let start = |at: usize| {
        let (angle, radius) = (2.399_963_229_728_653 * at as f64, 0.5 * ((at as f64 + 0.5) / count as f64).sqrt());
        (radius * angle.cos(), radius * angle.sin())
    };
    let mut places: Vec<(f64, f64)> = (0..count).map(start).collect();
    for round in 0..ROUNDS {
        let mut forces: Vec<(f64, f64)> = places.iter().map(|&(x, y)| (-PULL * x, -PULL * y)).collect();
        let mut push = |one: usize, other: usize, strength: fn(f64, f64) -> f64| {
            let (x, y) = (places[one].0 - places[other].0, places[one].1 - places[other].1);
            // Things in one place have no direction; a hair apart they have.
            let distance = x.hypot(y).max(1e-9);
            let by = strength(distance, apart) / distance;
            forces[one].0 += by * x;
            forces[one].1 += by * y;
            forces[other].0 -= by * x;
            forces[other].1 -= by * y;
        };
        for one in 0..count {
            (0..one).for_each(|other| push(one, other, |distance, apart| apart * apart / distance));
        }
        for &(one, other) in links.iter().filter(|(one, other)| one != other) {
            push(one, other, |distance, apart| -distance * distance / apart);
        }
        let longest = LONGEST * (1.0 - round as f64 / ROUNDS as f64);
        for (place, (x, y)) in places.iter_mut().zip(forces) {
            let shorter = (longest / x.hypot(y).max(1e-12)).min(1.0);
            *place = (place.0 + shorter * x, place.1 + shorter * y);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::tests::well_formed;

    fn network(count: usize, links: Vec<(usize, usize)>) -> Network {
        let node = |at: usize| Node { name: (at < 5).then(|| format!("node {at} & <more>")), value: at as f64 };
        Network { title: "links".into(), meaning: "utility".into(), nodes: (0..count).map(node).collect(), links }
    }

    #[test]
    fn pictures_are_well_formed() {
        for count in [1, 2, 3, 60] {
            let svg = network(count, (1..count).map(|at| (at - 1, at)).collect()).draw();
            well_formed(&svg);
            // A rim and a face each.
            assert_eq!(svg.matches("<circle").count(), 2 * count);
            assert!(["links", "utility", "node 0 &amp; &lt;more"].iter().all(|words| svg.contains(words)));
        }
        well_formed(&network(0, vec![]).draw());
        // A link from a thing to itself, and twice the same.
        well_formed(&network(3, vec![(0, 0), (0, 1), (0, 1)]).draw());
    }

    /// Two cliques that one link joins: things of one clique are nearer to each other than to the other clique, and
    /// everything is inside of the frame.
    #[test]
    fn linked_things_stand_near_each_other() {
        const SIZE: usize = 6;
        let clique = |from: usize| (from..from + SIZE).flat_map(move |one| (from..one).map(move |other| (one, other)));
        let links: Vec<(usize, usize)> = clique(0).chain(clique(SIZE)).chain([(0, SIZE)]).collect();
        let network = network(2 * SIZE, links);
        let places = network.places();
        assert_eq!(places, network.places(), "no chance");
        let mean = |within: bool| {
            let pairs = (0..2 * SIZE).flat_map(|one| (0..one).map(move |other| (one, other)));
            let own = pairs.filter(|(one, other)| (one / SIZE == other / SIZE) == within);
            let distances: Vec<f64> = own
                .map(|(one, other)| (places[one].0 - places[other].0).hypot(places[one].1 - places[other].1))
                .collect();
            distances.iter().sum::<f64>() / distances.len() as f64
        };
        assert!(2.0 * mean(true) < mean(false), "{} {}", mean(true), mean(false));
        let [left, top, right, bottom] = FRAME;
        let inside = |&(x, y): &(f64, f64)| (left..=right).contains(&x) && (top..=bottom).contains(&y);
        assert!(places.iter().all(inside), "{places:?}");
    }
}
