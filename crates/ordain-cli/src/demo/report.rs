//! The demo as a page: one file that needs nothing beside it.

use std::fmt::Write;

use ordain::active::Curve;
use ordain::data::Items;
use ordain::gp::RankedItem;
use ordain::measure::Mean;
use ordain_plot::Series;
use ordain_plot::html::{document, escape, figure};

use super::race::{FIRST, RATINGS, SESSIONS, Step, WITH_LINKS, WITHOUT_LINKS};
use crate::output;
use crate::simulate::Measure;
use crate::simulate::picture::{lines, picture};

/// What the page tells of.
pub struct Story<'a> {
    pub items: &'a Items,
    /// Answers that were learned from.
    pub learned: usize,
    pub ranked: &'a [RankedItem],
    /// Inhabitants of every country.
    pub truth: &'a [f64],
    /// The share of pairs in the true order.
    pub in_order: f64,
    pub curves: &'a [(String, Curve)],
    pub climb: &'a [Step],
    /// Commands to try next.
    pub advice: &'a str,
}

impl Story<'_> {
    /// The page.
    pub fn page(&self) -> String {
        let style = include_str!("report.css");
        let countries = self.ranked.len();
        let answers = output::count(self.learned, "answer");
        let body = format!(
            "<h1>Which European country has more inhabitants?</h1>\n\
             <p class=\"lead\">{countries} countries, {answers} of a judge who errs now and then. The inhabitants are hidden \
             from the model: it learns from the answers, from what is known of the countries (area, place, wealth, coast) and \
             from who borders whom.</p>\n{}{}{}{}{}",
            self.cards(),
            self.ranking(),
            self.speed(),
            self.stopping(),
            self.next()
        );
        document("Ordain: the countries", style, &body)
    }

    fn cards(&self) -> String {
        let inside = self.places().iter().filter(|place| place.is_inside()).count();
        let mut out = format!(
            "<div class=\"cards\">\n<div><b>{:.0} %</b>of all pairs of countries stand in their true order</div>\n\
             <div><b>{inside} of {}</b>true ranks lie within their 90 % interval</div>\n",
            100.0 * self.in_order,
            self.ranked.len()
        );
        if let Some((few, many)) = self.shortcut() {
            let _ = writeln!(
                out,
                "<div><b>{few} answers</b>teach what ratings of the countries by themselves learn from {many}</div>"
            );
        }
        out + "</div>\n"
    }

    /// After how many answers Ordain is as good as ratings are in the end.
    fn shortcut(&self) -> Option<(usize, usize)> {
        let of = |name: &str| self.curves.iter().find(|(other, _)| other == name).map(|(_, curve)| &curve.points);
        let last = of(RATINGS)?.last()?;
        let reached = of(WITH_LINKS)?.iter().find(|point| point.mean.accuracy >= last.mean.accuracy)?;
        Some((reached.answers, last.answers))
    }

    /// Every country in the order of the ranking, with its true rank.
    fn places(&self) -> Vec<Place<'_>> {
        let place = |ranked: &RankedItem| {
            let own = self.truth[ranked.item.index()];
            Place {
                name: self.items.id(ranked.item),
                ranked: ranked.clone(),
                truth: 1 + self.truth.iter().filter(|&&other| other > own).count(),
                inhabitants: own,
            }
        };
        self.ranked.iter().map(place).collect()
    }

    fn ranking(&self) -> String {
        let places = self.places();
        let row = |place: &Place<'_>| {
            let RankedItem { rank, mean, sd, rank_low, rank_high, .. } = place.ranked;
            format!(
                "<tr><td>{rank}</td><td style=\"text-align:left\">{}</td><td>{}</td><td>{}</td><td>{rank_low}–{rank_high}</td>\
                 <td>{}</td><td>{:.1}</td></tr>\n",
                escape(place.name),
                output::fixed(mean, 2),
                output::fixed(sd, 2),
                place.truth,
                place.inhabitants / 1e6
            )
        };
        format!(
            "<h2>The ranking, and how sure it is</h2>\n<figure class=\"ranking\">\n{}\n<figcaption>\
             <span class=\"dot\">●</span> rank by what was learned, in the interval that holds it with 90 % probability; \
             <span class=\"mark\">◇</span> true rank.</figcaption>\n</figure>\n<details><summary>As a table</summary>\n\
             <div class=\"wide\"><table>\n<thead><tr><th>rank</th><th style=\"text-align:left\">country</th><th>utility</th>\
             <th>± sd</th><th>rank (90 %)</th><th>true rank</th><th>inhabitants (million)</th></tr></thead>\n<tbody>\n\
             {}</tbody>\n</table></div></details>\n",
            ranking_picture(&places),
            places.iter().map(row).collect::<String>()
        )
    }

    fn speed(&self) -> String {
        let runs: Vec<(String, &Curve)> = self.curves.iter().map(|(name, curve)| (name.clone(), curve)).collect();
        format!(
            "<h2>How fast the order is found</h2>\n<p>The same question asked anew, by a simulated judge who knows the \
             inhabitants and errs as the model expects: the mean of {SESSIONS} sessions of each kind. Ordain chooses the pairs \
             whose answers help most, and what it learns of one country tells of those like it.{}</p>\n{}",
            self.borders().unwrap_or_default(),
            chart(&picture(&runs, Measure::Accuracy), "Bands are one standard error.")
        )
    }

    /// What the borders do for the order in the end.
    fn borders(&self) -> Option<String> {
        let last = |name: &str| {
            let (_, curve) = self.curves.iter().find(|(other, _)| other == name)?;
            let point = curve.points.last()?;
            Some((point.answers, point.mean.accuracy, point.error?.accuracy))
        };
        let ((answers, with, its), (_, without, other)) = (last(WITH_LINKS)?, last(WITHOUT_LINKS)?);
        // Two standard errors of the difference, were the sessions independent.
        let verdict = match with - without {
            difference if difference.abs() < 2.0 * its.hypot(other) => {
                "make no difference that these sessions could show"
            }
            difference if difference > 0.0 => "help",
            _ => "mislead more than they help",
        };
        Some(format!(" Beside what is known of each country, the borders {verdict} after {answers} answers."))
    }

    fn stopping(&self) -> String {
        let series = |title: &str, of: fn(&Step) -> Mean| Series {
            title: title.to_owned(),
            points: self.climb.iter().map(|step| (step.answers as f64, of(step))).collect(),
        };
        let drawn = lines(
            vec![series("what Ordain says", |step| step.said), series("how often it is so", |step| step.right)],
            &format!("The first {FIRST} are the best {FIRST}"),
            false,
        );
        format!(
            "<h2>When to stop</h2>\n<p>At any moment Ordain says how probable it is that its first {FIRST} are the {FIRST} \
             largest. Sessions that ask for these alone, and again where that helps, {SESSIONS} of them: what it says, and in \
             which share of the sessions it is so by then. <code>ordain ask</code> stops by itself when the goal is reached with the probability that \
             you want.</p>\n{}",
            chart(&drawn, "Means over sessions; bands are one standard error.")
        )
    }

    fn next(&self) -> String {
        let lines: Vec<&str> = self.advice.lines().map(str::trim_start).collect();
        format!("<h2>Try next</h2>\n<pre><code>{}</code></pre>\n", escape(&lines.join("\n")))
    }
}

/// A country in the ranking and in truth.
struct Place<'a> {
    name: &'a str,
    ranked: RankedItem,
    truth: usize,
    inhabitants: f64,
}

impl Place<'_> {
    fn is_inside(&self) -> bool {
        (self.ranked.rank_low..=self.ranked.rank_high).contains(&self.truth)
    }
}

/// Ranks with their intervals, a row a country.
fn ranking_picture(places: &[Place<'_>]) -> String {
    const LEFT: f64 = 190.0;
    const WIDTH: f64 = 860.0;
    const TOP: f64 = 34.0;
    const ROW: f64 = 20.0;
    let last = places.len().max(2);
    let x = |rank: usize| LEFT + 14.0 + (WIDTH - LEFT - 28.0) * (rank - 1) as f64 / (last - 1) as f64;
    let height = TOP + ROW * places.len() as f64 + 6.0;
    let mut out =
        format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Ranks with their intervals\">\n");
    for rank in std::iter::once(1).chain((5..=last).step_by(5)) {
        let x = x(rank);
        let _ =
            writeln!(out, "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{height}\"/>", TOP - 8.0);
        let _ = writeln!(out, "<text class=\"middle\" x=\"{x:.1}\" y=\"{}\">{rank}</text>", TOP - 16.0);
    }
    for (row, place) in places.iter().enumerate() {
        let y = TOP + ROW * (row as f64 + 0.5);
        let [low, middle, high, truth] =
            [place.ranked.rank_low, place.ranked.rank, place.ranked.rank_high, place.truth].map(x);
        let _ = writeln!(
            out,
            "<text class=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>\n\
             <line class=\"interval\" x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\n\
             <circle class=\"rank\" cx=\"{middle:.1}\" cy=\"{y:.1}\" r=\"5\"/>\n\
             <path class=\"truth\" d=\"M{truth:.1} {:.1}l6 6l-6 6l-6-6z\"/>",
            LEFT - 8.0,
            y + 4.5,
            escape(place.name),
            y - 6.0
        );
    }
    out + "</svg>"
}

fn chart(svg: &str, caption: &str) -> String {
    figure("chart", svg, caption)
}
