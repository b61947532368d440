//! The ranking as a table.

use std::fmt::Write;

use ordain::data::Items;
use ordain::gp::RankedItem;

use super::{as_html, named};
use crate::output;
use crate::rank::Shown;

/// How much of the ranking is shown.
#[derive(Clone, Copy)]
pub struct Extent {
    /// Only the first so many items of every group.
    pub limit: Option<usize>,
    /// Only the first so many groups.
    groups: usize,
}

impl Extent {
    /// All, or about 500 rows: at least three of every group, of at most 100 groups.
    pub fn of(items: &Items, full: bool) -> Self {
        const ROWS: usize = 500;
        const LEAST: usize = 3;
        const GROUPS: usize = 100;
        if full {
            return Self { limit: None, groups: usize::MAX };
        }
        let sizes = items.group_sizes();
        let limit = (ROWS / sizes.len().clamp(1, GROUPS)).max(LEAST);
        Self { limit: sizes.iter().any(|&size| size > limit).then_some(limit), groups: GROUPS }
    }
}

/// An interval of an item's centred utility: its ends, which hold it with 90 % probability, and the expected utility.
fn interval(item: &RankedItem) -> [f64; 3] {
    /// A standard normal variable lies within ± this with 90 % probability.
    const NINETY: f64 = 1.645;
    let reach = NINETY * item.centred_sd;
    [item.centred - reach, item.centred, item.centred + reach]
}

/// The section. Rows after the first ones are folded up, so that nobody must leaf through them to what follows.
pub fn section(items: &Items, shown: &Shown, extent: Extent) -> String {
    const OPEN: usize = 25;
    /// Fewer rows than this are not worth folding.
    const FOLDED: usize = 5;
    let within = |item: &RankedItem| items.groups().is_none_or(|groups| groups.of(item.item) < extent.groups);
    let rows: Vec<&RankedItem> = shown.ranking.items.iter().filter(|item| within(item)).collect();
    let tiered = rows.iter().any(|item| item.tier > 1);
    let ends = rows.iter().map(|item| interval(item));
    let ends =
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), [from, _, to]| (low.min(from), high.max(to)));
    let (open, folded) = rows.split_at(if rows.len() < OPEN + FOLDED { rows.len() } else { OPEN });
    let mut out = format!(
        "<h2>The ranking</h2>\n<p>The rank lies within the interval with 90 % probability. The picture shows the utility \
         above or below the mean of all items: its expected value and the 90 % around it, on one scale from {} to {}.{}</p>\n{}{}",
        output::fixed(ends.0, 1).replace('-', "−"),
        output::fixed(ends.1, 1).replace('-', "−"),
        match tiered {
            true => " Items of one tier cannot be told apart from each other yet.",
            false if items.len() > 1 => " No tiers can be told apart yet.",
            false => "",
        },
        cut(items, rows.len(), extent),
        table(items, open, tiered, ends),
    );
    if !folded.is_empty() {
        let _ = write!(
            out,
            "<details>\n<summary>The next {}</summary>\n{}</details>\n",
            output::count(folded.len(), "item"),
            table(items, folded, tiered, ends)
        );
    }
    out
}

/// A table of some rows. `ends` are those of the scale of the pictures.
fn table(items: &Items, rows: &[&RankedItem], tiered: bool, (low, high): (f64, f64)) -> String {
    let share = |value: f64| if high > low { 100.0 * (value - low) / (high - low) } else { 50.0 };
    let columns = 4 + usize::from(tiered);
    let mut body = String::new();
    let mut before: Option<&RankedItem> = None;
    for &item in rows {
        let tier = item.tier;
        let new_group = before.is_none() || item.rank == 1;
        if let Some(group) = items.group_name(item.item).filter(|_| new_group) {
            let _ = writeln!(body, "<tr class=\"group\"><th colspan=\"{columns}\">{}</th></tr>", as_html(group));
        }
        // A line between two tiers of one group.
        let parts = before.is_some_and(|other| item.rank > other.rank && tier != other.tier);
        let class = if parts { " class=\"tier\"" } else { "" };
        before = Some(item);
        let tier = if tiered { format!("<td>{tier}</td>") } else { String::new() };
        let [from, middle, to] = interval(item).map(share);
        let _ = writeln!(
            body,
            "<tr{class}><td>{}</td><th scope=\"row\" class=\"item\">{}</th>{tier}<td>{}–{}</td><td class=\"picture\">\
             <span title=\"utility {} ± {}\"><i style=\"left:{from:.1}%;width:{:.1}%\"></i>\
             <b style=\"left:{middle:.1}%\"></b></span></td></tr>",
            item.rank,
            named(items, item.item),
            item.rank_low,
            item.rank_high,
            output::fixed(item.centred, 2),
            output::fixed(item.centred_sd, 2),
            to - from,
        );
    }
    let tier = if tiered { "<th scope=\"col\">tier</th>" } else { "" };
    format!(
        "<table class=\"ranking\">\n<thead><tr><th scope=\"col\">rank</th><th scope=\"col\" class=\"item\">item</th>{tier}\
         <th scope=\"col\">rank (90\u{A0}%)</th><th scope=\"col\">utility</th></tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
    )
}

/// What is not shown, in words.
fn cut(items: &Items, rows: usize, extent: Extent) -> String {
    if rows == items.len() {
        return String::new();
    }
    let groups = items.groups().map_or(1, |groups| groups.len());
    let of_each = match (extent.limit, groups) {
        (Some(limit), 1) => format!("the first {limit} of {} items", items.len()),
        (Some(limit), _) => format!("the first {limit} items of every group"),
        (None, _) => "the items".to_owned(),
    };
    let only = match groups > extent.groups {
        true => format!("{of_each}, of the first {} of {groups} groups", extent.groups),
        false => of_each,
    };
    format!("<p class=\"notice\">This page shows {only}. All are ranked; <code>--full</code> shows all.</p>\n")
}
