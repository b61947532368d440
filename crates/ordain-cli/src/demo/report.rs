//! The demo as a page: one self-contained file.

use std::fmt::Write;

use ordain::active::Point;
use ordain::gp::RankedItem;
use ordain::measure::Mean;
use ordain_plot::Series;
use ordain_plot::html::{document, escape};

use super::race::{IN_ORDER, MARKS, ORDAIN, RATINGS, Race, SESSIONS};
use super::{Place, signed};
use crate::output;
use crate::simulate::picture::{Scale, lines};

/// The contents of the page.
pub struct Story<'a> {
    pub places: &'a [Place<'a>],
    /// The number of answers that the ranking was learned from.
    pub answers: usize,
    /// The share of pairs in the true order.
    pub in_order: f64,
    pub race: &'a Race,
    /// Commands to try next.
    pub advice: &'a str,
}

impl Story<'_> {
    /// The page.
    pub fn page(&self) -> String {
        let style = include_str!("report.css");
        let countries = self.places.len();
        let answers = output::count(self.answers, "answer");
        let body = format!(
            "<h1>Where do people live longer?</h1>\n\
             <p class=\"lead\">{countries} countries, and {answers} of a judge who errs now and then. Life expectancies are hidden \
             from Ordain. It learns the order from the answers, from what a map tells of each country (population, area, \
             distance from the equator, coast) and from who is whose neighbour.</p>\n{}{}{}{}{}",
            self.cards(),
            self.speed(),
            self.ranking(),
            self.expected(),
            self.next()
        );
        document("Ordain: where do people live longer?", style, &body)
    }

    fn cards(&self) -> String {
        let inside = self.places.iter().filter(|place| place.is_inside()).count();
        let mut out = format!(
            "<div class=\"cards\">\n<div><b>{:.0} %</b>of all pairs of countries stand in their true order</div>\n\
             <div><b>{inside} of {}</b>true ranks lie within their 90 % interval</div>\n",
            100.0 * self.in_order,
            self.places.len()
        );
        if let Some((few, many)) = self.shortcut() {
            let _ = writeln!(
                out,
                "<div><b>{few} answers</b>teach Ordain more than {many} teach ratings without a model</div>"
            );
        }
        out + "</div>\n"
    }

    /// The number of answers after which Ordain first beats the final result of ratings, and the number of answers that
    /// ratings have then.
    fn shortcut(&self) -> Option<(usize, usize)> {
        let last = self.race.curve(RATINGS)?.points.last()?;
        let points = &self.race.curve(ORDAIN)?.points;
        let reached = points.iter().find(|point| point.mean.accuracy > last.mean.accuracy)?;
        Some((reached.answers, last.answers))
    }

    fn speed(&self) -> String {
        let shares = self.race.curves.iter().map(|(name, curve)| {
            let at = |answers: &usize| curve.points.iter().find(|point| point.answers == *answers);
            (name.as_str(), MARKS.iter().filter_map(at).map(share).collect())
        });
        let gains = self.race.gains();
        let in_percent = |gain: &Mean| Mean { value: 100.0 * gain.value, error: 100.0 * gain.error };
        let gains =
            gains.iter().map(|(part, gains)| (*part, gains.iter().map(|gain| signed(in_percent(gain), 1)).collect()));
        format!(
            "<h2>How fast the order is found</h2>\n<p>A simulated judge answers anew. The judge knows the life expectancies and \
             errs as the model expects. Ordain asks the pairs whose answers it cannot foresee, and what it learns of one \
             country tells of those like it and of its neighbours. The other lines lack one thing each.</p>\n{}{}{}",
            chart(&self.race.picture(), &format!("Means of {SESSIONS} sessions. Bands are one standard error.")),
            marks_table("Pairs in the right order, in percent", shares),
            marks_table("What each part of Ordain adds, in percentage points", gains),
        )
    }

    fn ranking(&self) -> String {
        let row = |place: &Place<'_>| {
            let RankedItem { rank, rank_low, rank_high, .. } = place.ranked;
            format!(
                "<tr><td>{rank}</td><td class=\"name\">{}</td><td>{rank_low}–{rank_high}</td><td>{}</td><td>{:.1}</td></tr>\n",
                escape(place.name),
                place.truth,
                place.years
            )
        };
        format!(
            "<h2>The ranking, and how sure it is</h2>\n<p>Every country as a dot: the nearer to the diagonal, the better. \
             The line through it is the interval that holds its rank with 90 % probability.</p>\n\
             <figure class=\"ranks\">\n{}\n<figcaption>After {}.</figcaption>\n</figure>\n\
             <details><summary>All {} countries as a table</summary>\n<table>\n<thead><tr><th>rank</th><th class=\"name\">country</th>\
             <th>90 %</th><th>true rank</th><th>years</th></tr></thead>\n<tbody>\n{}</tbody>\n</table></details>\n",
            ranks_picture(self.places),
            output::count(self.answers, "answer"),
            self.places.len(),
            self.places.iter().map(row).collect::<String>()
        )
    }

    fn expected(&self) -> String {
        let expected = self.race.expected.iter().map(|&(answers, mean)| (answers as f64, mean)).collect();
        let point = |point: &Point| {
            let error = point.error.map_or(0.0, |error| error.accuracy);
            (point.answers as f64, Mean { value: point.mean.accuracy, error })
        };
        let found = self.race.curve(ORDAIN).map(|curve| curve.points.iter().map(point).collect());
        let series = vec![
            Series { title: "what Ordain expects".into(), points: expected },
            Series { title: "what is so".into(), points: found.unwrap_or_default() },
        ];
        format!(
            "<h2>It knows how good it is</h2>\n<p>At any moment Ordain says how many of all pairs it expects to have in the right \
             order. It needs no truth for that. <code>ordain ask</code> stops by itself when the goal is reached with the \
             probability that you want.</p>\n{}",
            chart(
                &lines("Expected and true", series, IN_ORDER, Scale::Percent),
                &format!("Means of {SESSIONS} sessions. Bands are one standard error.")
            )
        )
    }

    fn next(&self) -> String {
        let lines: Vec<&str> = self.advice.lines().map(str::trim_start).collect();
        format!("<h2>Try next</h2>\n<pre><code>{}</code></pre>\n", escape(&lines.join("\n")))
    }
}

/// A share and its standard error, in percent.
fn share(point: &Point) -> String {
    let error = point.error.map(|error| format!(" ± {:.1}", 100.0 * error.accuracy)).unwrap_or_default();
    format!("{}{error}", output::fixed(100.0 * point.mean.accuracy, 1))
}

/// A table with one column per mark.
fn marks_table<'a>(caption: &str, rows: impl Iterator<Item = (&'a str, Vec<String>)>) -> String {
    // On a phone the error goes below the value.
    let cell = |cell: &String| match cell.split_once(" ± ") {
        Some((value, error)) => format!("<td>{value} <small>± {error}</small></td>"),
        None => format!("<td>{cell}</td>"),
    };
    let cells = |cells: &[String]| cells.iter().map(cell).collect::<String>();
    let rows: String = rows
        .map(|(name, values)| format!("<tr><td class=\"name\">{}</td>{}</tr>\n", escape(name), cells(&values)))
        .collect();
    let marks: String = MARKS.iter().map(|answers| format!("<th>{answers}</th>")).collect();
    format!(
        "<div class=\"wide\"><table class=\"marks\">\n<caption>{caption}</caption>\n<thead><tr><th class=\"name\">after answers</th>{marks}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// A picture of ranks, with their intervals, over true ranks.
fn ranks_picture(places: &[Place<'_>]) -> String {
    const SIZE: f64 = 480.0;
    const LEFT: f64 = 52.0;
    const TOP: f64 = 34.0;
    const SIDE: f64 = 400.0;
    const STEP: usize = 20;
    let last = places.len().max(2);
    let along = |rank: usize| SIDE * (rank - 1) as f64 / (last - 1) as f64;
    let (x, y) = (|rank: usize| LEFT + along(rank), |rank: usize| TOP + along(rank));
    let bottom = TOP + SIDE;
    let mut out = format!("<svg viewBox=\"0 0 {SIZE} {SIZE}\" role=\"img\" aria-label=\"Ranks over true ranks\">\n");
    for rank in std::iter::once(1).chain((STEP..=last).step_by(STEP)) {
        let (x, y) = (x(rank), y(rank));
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{x:.1} {TOP}V{bottom}M{LEFT} {y:.1}h{SIDE}\"/>\n\
             <text class=\"middle\" x=\"{x:.1}\" y=\"{}\">{rank}</text>\n\
             <text class=\"end\" x=\"{}\" y=\"{:.1}\">{rank}</text>",
            bottom + 18.0,
            LEFT - 6.0,
            y + 5.0
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"middle\" x=\"{}\" y=\"{}\">True rank</text>\n\
         <text class=\"middle\" transform=\"translate(15 {}) rotate(-90)\">Rank after the answers</text>\n\
         <text x=\"14\" y=\"20\">Ranks and their 90 % intervals</text>\n\
         <path class=\"diagonal\" d=\"M{LEFT} {TOP}l{SIDE} {SIDE}\"/>",
        LEFT + SIDE / 2.0,
        SIZE - 10.0,
        TOP + SIDE / 2.0
    );
    for place in places {
        let RankedItem { rank, rank_low, rank_high, .. } = place.ranked;
        let x = x(place.truth);
        let _ = writeln!(
            out,
            "<g><title>{}: rank {rank}, true rank {}</title><path class=\"interval\" d=\"M{x:.1} {:.1}V{:.1}\"/>\
             <circle class=\"rank\" cx=\"{x:.1}\" cy=\"{:.1}\" r=\"3.5\"/></g>",
            escape(place.name),
            place.truth,
            y(rank_low),
            y(rank_high),
            y(rank)
        );
    }
    out + "</svg>"
}

fn chart(svg: &str, caption: &str) -> String {
    // The picture has a fixed size, which the page may change.
    let svg = svg.trim();
    format!("<figure class=\"chart\">\n{svg}\n<figcaption>{caption}</figcaption>\n</figure>\n")
}
