//! The table of judges for people, with a picture of the noise of each.

use comfy_table::{CellAlignment, Table, presets};
use ordain::JudgeReport;
use ordain::gp::Estimate;
use unicode_width::UnicodeWidthStr;

use super::Judges;
use crate::Outcome;
use crate::output::{self, count, fixed};

/// What stands for a number that is not known.
const NONE: &str = "–";

/// The name of answers without a judge.
pub const NO_NAME: &str = "(no name)";

/// The spaces of a cell: one on either side.
const PADDING: usize = 2;

/// A column of numbers: its heading, and the cell of a judge.
type Column = (&'static str, fn(&JudgeReport) -> String);

/// Shows the table, and below it what is to be said of all.
pub fn show(judges: &Judges) -> Outcome {
    if judges.all.is_empty() {
        output::note(judges.lead());
        return Ok(());
    }
    let columns = columns(judges);
    let mut rows: Vec<Vec<String>> = judges.all.iter().map(|judge| cells(judge, &columns)).collect();
    let mut heads: Vec<&str> = std::iter::once("judge").chain(columns.iter().map(|(head, _)| *head)).collect();
    heads.push("verdict");
    let width =
        |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0).max(heads[column].width());
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let (name, picture) = fit(output::columns(), widths[0], widths[1..].iter().map(|width| width + PADDING).sum());
    rows.iter_mut().for_each(|row| row[0] = output::cut_in_the_middle(&row[0], name));
    if picture > 0 {
        heads.push("noise with 90 %");
        rows.iter_mut().zip(pictures(judges, picture)).for_each(|(row, picture)| row.push(picture));
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(heads).add_rows(rows);
    for column in 1..=columns.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::table(&table)?;
    output::note(judges.lead());
    Ok(())
}

/// The widths of names and of the picture, which has none where there is no room: the picture gives way before names are cut.
fn fit(terminal: usize, name: usize, numbers: usize) -> (usize, usize) {
    const LONGEST: usize = 32;
    const SHORTEST: usize = 8;
    const SMALLEST: usize = 15;
    const LARGEST: usize = 30;
    let name = name.min(LONGEST);
    let room = terminal.saturating_sub(numbers + PADDING);
    match room.checked_sub(name + PADDING).filter(|left| *left >= SMALLEST) {
        Some(left) => (name, left.min(LARGEST)),
        // Without room for a name, every cell gets a line of its own.
        None => (if room < SHORTEST { name } else { name.min(room) }, 0),
    }
}

/// The columns between the name and the verdict: of what is known of somebody.
fn columns(judges: &Judges) -> Vec<Column> {
    let mut out: Vec<Column> = vec![("answers", |judge| judge.tally.answers.to_string())];
    if judges.all.len() > 1 {
        out.push(("agrees (pairs)", |judge| match judge.tally.agreement {
            agreement if agreement.pairs == 0 => NONE.to_owned(),
            agreement => format!("{} ({})", number(agreement.beyond_chance()), agreement.pairs),
        }));
        out.push(("as ranked", |judge| number(judge.summary.as_ref().and_then(|summary| summary.agreement))));
    }
    out.push(("noise (90 %)", |judge| estimate(judge.summary.as_ref().map(|summary| summary.noise))));
    if judges.have_sides() {
        out.push(("left (90 %)", |judge| estimate(judge.bias())));
    }
    out.push(("random", |judge| {
        judge.summary.as_ref().map_or_else(|| NONE.to_owned(), |summary| percent(summary.careless))
    }));
    if judges.have_gold() {
        out.push(("gold (90 %)", |judge| match &judge.gold {
            None => NONE.to_owned(),
            Some(gold) => {
                let end = |share: f64| format!("{:.0}", 100.0 * share);
                format!("{} of {} ({}–{} %)", gold.right, gold.answers, end(gold.share.low), end(gold.share.high))
            }
        }));
    }
    out
}

fn cells(judge: &JudgeReport, columns: &[Column]) -> Vec<String> {
    let name = judge.tally.judge.clone().unwrap_or_else(|| NO_NAME.to_owned());
    let numbers = columns.iter().map(|(_, cell)| cell(judge));
    let skips = judge.tally.skips;
    let verdict = match skips {
        0 => judge.verdict(),
        _ => format!("{}; {}", judge.verdict(), count(skips, "skip")),
    };
    std::iter::once(name).chain(numbers).chain([verdict]).collect()
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| fixed(value, 2))
}

/// A number with its interval.
fn estimate(known: Option<Estimate>) -> String {
    let Some(Estimate { value, low, high }) = known else { return NONE.to_owned() };
    let [value, from, to] = [value, low, high].map(|number| fixed(number, 2));
    // A dash between numbers would look like a sign.
    let between = if low < 0.0 { " to " } else { "–" };
    format!("{value} ({from}{between}{to})")
}

/// A probability, never rounded to certainty.
pub fn percent(share: f64) -> String {
    match (100.0 * share).round() {
        rounded if rounded < 1.0 => "<1 %".to_owned(),
        rounded if rounded > 99.0 => ">99 %".to_owned(),
        rounded => format!("{rounded:.0} %"),
    }
}

/// A picture of the noise of every judge, all on one scale of logarithms.
fn pictures(judges: &Judges, width: usize) -> Vec<String> {
    let of = |judge: &JudgeReport| {
        judge.summary.as_ref().map(|summary| {
            let Estimate { value, low, high } = summary.noise;
            [low, value, high].map(f64::ln)
        })
    };
    let known = || judges.all.iter().filter_map(of);
    let from = known().map(|[low, ..]| low).fold(f64::INFINITY, f64::min);
    let to = known().map(|[.., high]| high).fold(f64::NEG_INFINITY, f64::max);
    let draw = |judge: &JudgeReport| {
        of(judge)
            .map_or_else(String::new, |[low, value, high]| output::draw_interval(low, value, high, (from, to), width))
    };
    judges.all.iter().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_gives_way_before_the_names() {
        // 60 columns of numbers, and two spaces around a name and a picture.
        assert_eq!(fit(200, 10, 60), (10, 30));
        assert_eq!(fit(100, 10, 60), (10, 26));
        assert_eq!(fit(88, 10, 60), (10, 0));
        assert_eq!(fit(80, 40, 60), (18, 0));
        assert_eq!(fit(60, 40, 60), (32, 0));
    }

    #[test]
    fn numbers_and_intervals() {
        assert_eq!(estimate(Some(Estimate { value: 0.31, low: 0.2, high: 0.449 })), "0.31 (0.20–0.45)");
        assert_eq!(estimate(Some(Estimate { value: 0.1, low: -0.2, high: 0.4 })), "0.10 (-0.20 to 0.40)");
        assert_eq!(["<1 %", "3 %", ">99 %"].map(str::to_owned), [0.0001, 0.031, 0.9999].map(percent));
    }
}
