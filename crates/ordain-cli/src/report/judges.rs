//! Judges on a page: what is known of each, with a picture of the noise.

use ordain::gp::{Estimate, JudgeSummary, Verdict};
use ordain::{JudgeReport, Project};
use ordain_plot::html::{document, escape};

use super::as_html;
use super::page::{capital, name_of};
use crate::judges::{Judges, percent};
use crate::output;

/// The longest name that is shown whole, in letters: about three lines on a phone.
const LONGEST: usize = 48;

/// How many judges a page shows.
#[derive(Clone, Copy)]
struct Extent {
    /// The judges after these are left out.
    shown: usize,
    /// Those after these are folded up.
    open: usize,
}

/// A page of judges alone.
pub fn page(project: &Project, judges: &Judges) -> String {
    let name = name_of(project);
    let all = Extent { shown: usize::MAX, open: usize::MAX };
    let body = format!(
        "<h1>The judges of {}</h1>\n{}<p class=\"note\">Ordain {}.</p>\n",
        as_html(&name),
        content(judges, all),
        env!("CARGO_PKG_VERSION")
    );
    let title = format!("Ordain: judges of {}", escape(&output::cut(&name, 60)));
    document(&title, include_str!("report.css"), &body)
}

/// The section of a report; nothing without answers.
pub fn section(judges: &Judges) -> String {
    if judges.all.is_empty() {
        return String::new();
    }
    format!("<h2>Judges</h2>\n{}", content(judges, Extent { shown: 50, open: 10 }))
}

fn content(judges: &Judges, extent: Extent) -> String {
    /// Fewer judges than this are not worth folding.
    const FOLDED: usize = 5;
    let lead = capital(&escape(&judges.lead()));
    let all = &judges.all;
    if all.is_empty() {
        return format!("<p class=\"notice\">{lead}.</p>\n");
    }
    let shown = &all[..all.len().min(extent.shown)];
    let (open, folded) =
        shown.split_at(if shown.len() < extent.open.saturating_add(FOLDED) { shown.len() } else { extent.open });
    let scale = Scale::of(judges);
    let folded = match folded.len() {
        0 => String::new(),
        count => format!(
            "<details>\n<summary>The next {}</summary>\n{}</details>\n",
            output::count(count, "judge"),
            table(judges, folded, &scale)
        ),
    };
    let rest = match all.len() - shown.len() {
        0 => String::new(),
        rest => {
            let answers: usize = all[shown.len()..].iter().map(|judge| judge.tally.answers).sum();
            format!(
                "<p class=\"note\">And {} with {} in all; <code>ordain judges -o judges.html</code> shows everybody.</p>\n",
                output::count(rest, "more judge"),
                output::count(answers, "answer")
            )
        }
    };
    format!("<p>{lead}.</p>\n{}{}{folded}{rest}", legend(judges), table(judges, open, &scale))
}

/// What the columns mean.
fn legend(judges: &Judges) -> String {
    let mut out = String::from("<p class=\"note\">");
    if judges.all.len() > 1 {
        out += "Agrees: how much more often than by chance a judge says what others say, on the pairs that both compared; as ranked: \
                how much more often he prefers what the ranking by all others prefers. 1 is always, 0 is chance. ";
    }
    out += "Noise: the standard deviation of what a judge adds to a utility, with its 90 % interval, on a scale of logarithms";
    out += if judges.told_apart { "; the line is the noise that judges have in common. " } else { ". " };
    if judges.have_sides() {
        out += "Left: what he adds for the item that stands left. ";
    }
    out += "At random: the probability that all of his answers are blind.";
    if judges.have_gold() {
        out += " Gold: pairs with a known answer that he got right, with the 90 % interval of the share; nothing else here looks at them.";
    }
    // A number and its sign stay on one line.
    out.replace(" %", "\u{A0}%") + "</p>\n"
}

/// The scale of the pictures, in logarithms of noise.
struct Scale {
    from: f64,
    to: f64,
    /// The noise that judges have in common, if they are told apart.
    common: Option<f64>,
}

impl Scale {
    fn of(judges: &Judges) -> Self {
        let common = judges.told_apart.then(|| judges.noise.ln());
        let known = || judges.all.iter().filter_map(|judge| judge.summary.as_ref()).map(|summary| summary.noise);
        let from = known().map(|noise| noise.low.ln()).chain(common).fold(f64::INFINITY, f64::min);
        let to = known().map(|noise| noise.high.ln()).chain(common).fold(f64::NEG_INFINITY, f64::max);
        Self { from, to, common }
    }

    /// The place of a logarithm, in percent.
    fn place(&self, logarithm: f64) -> f64 {
        if self.to > self.from { 100.0 * (logarithm - self.from) / (self.to - self.from) } else { 50.0 }
    }

    fn picture(&self, noise: Estimate) -> String {
        let [low, value, high] = [noise.low, noise.value, noise.high].map(|noise| self.place(noise.ln()));
        let line =
            self.common.map_or_else(String::new, |common| format!("<s style=\"left:{:.1}%\"></s>", self.place(common)));
        format!(
            "<span>{line}<i style=\"left:{low:.1}%;width:{:.1}%\"></i><b style=\"left:{value:.1}%\"></b></span>",
            high - low
        )
    }
}

fn table(judges: &Judges, some: &[JudgeReport], scale: &Scale) -> String {
    let (several, sides, gold) = (judges.all.len() > 1, judges.have_sides(), judges.have_gold());
    let heads = [
        ("answers", true),
        ("agrees", several),
        ("as ranked", several),
        ("left", sides),
        ("at random", true),
        ("gold", gold),
    ];
    let heads: String = heads
        .iter()
        .filter(|(_, is_there)| *is_there)
        .map(|(head, _)| format!("<th scope=\"col\">{head}</th>"))
        .collect();
    let row = |judge: &JudgeReport| {
        let name = judge
            .tally
            .judge
            .as_deref()
            .map_or_else(|| "<i>no name</i>".to_owned(), |name| as_html(&output::cut_in_the_middle(name, LONGEST)));
        let summary = judge.summary.as_ref();
        let optional = |cell: String, is_there: bool| if is_there { cell } else { String::new() };
        let class = if is_suspect(summary) { " class=\"suspect\"" } else { "" };
        format!(
            "<tr{class}><th scope=\"row\" class=\"item\">{name}<small>{}</small></th><td class=\"picture\">{}</td>{}{}{}{}{}{}{}</tr>\n",
            escape(&judge.verdict()).replace(" %", "\u{A0}%"),
            summary.map_or_else(String::new, |summary| scale.picture(summary.noise)),
            cell(summary.map(|summary| number(summary.noise.value)), summary.map(|summary| interval(summary.noise))),
            cell(Some(judge.tally.answers.to_string()), beside(judge)),
            optional(agreement(judge), several),
            optional(cell(summary.and_then(|summary| summary.agreement).map(number), None), several),
            optional(cell(judge.bias().map(|bias| number(bias.value)), judge.bias().map(interval)), sides),
            cell(
                summary.map(|summary| percent(summary.careless)
                    .replace(' ', "\u{A0}")
                    .replace('<', "&lt;")
                    .replace('>', "&gt;")),
                None
            ),
            optional(of_gold(judge), gold),
        )
    };
    format!(
        "<div class=\"wide\"><table class=\"judges\">\n<thead><tr><th scope=\"col\" class=\"item\">judge</th>\
         <th scope=\"colgroup\" colspan=\"2\">noise</th>{heads}</tr></thead>\n<tbody>\n{}</tbody>\n</table></div>\n",
        some.iter().map(row).collect::<String>()
    )
}

/// Whether somebody should look at what this judge says.
fn is_suspect(summary: Option<&JudgeSummary>) -> bool {
    summary.is_some_and(|summary| {
        matches!(summary.verdict, Verdict::AtRandom { .. } | Verdict::Contradicts | Verdict::AsChance)
    })
}

/// A cell with a number, or a dash if there is none, and small words below.
fn cell(number: Option<String>, below: Option<String>) -> String {
    let below = below.map_or_else(String::new, |below| format!("<small>{below}</small>"));
    format!("<td>{}{below}</td>", number.unwrap_or_else(|| "–".to_owned()))
}

fn number(value: f64) -> String {
    output::fixed(value, 2).replace('-', "−")
}

fn interval(known: Estimate) -> String {
    format!("{} to {}", number(known.low), number(known.high))
}

/// The agreement with others, and the number of pairs in common.
fn agreement(judge: &JudgeReport) -> String {
    let agreement = judge.tally.agreement;
    let pairs = (agreement.pairs > 0).then(|| output::count(agreement.pairs, "pair"));
    cell(agreement.beyond_chance().map(number), pairs)
}

fn of_gold(judge: &JudgeReport) -> String {
    let words = judge.gold.as_ref().map(|gold| {
        let share = |share: f64| format!("{:.0}", 100.0 * share);
        (
            format!("{} of {}", gold.right, gold.answers),
            format!("{} to {}\u{A0}%", share(gold.share.low), share(gold.share.high)),
        )
    });
    let (right, interval) = words.unzip();
    cell(right, interval)
}

/// The ties and skips of a judge, if there are some.
fn beside(judge: &JudgeReport) -> Option<String> {
    let counts = [(judge.tally.ties, "tie"), (judge.tally.skips, "skip")].into_iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = counts.map(|(count, thing)| output::count(count, thing)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}
