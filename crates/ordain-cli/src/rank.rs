//! `ordain rank`: the ranking with its uncertainty.

use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::gp::{RankedItem, RankingParams, rank};
use ordain::numeric::Seed;
use serde::Serialize;

use crate::model::{Inference, Model, spinner};
use crate::output::{self, Format};
use crate::{Failure, Outcome};

/// Rank the items and say how sure the ranking is
///
/// Ranks count from 1 by falling mean utility, within the group where items have groups. The interval of a rank holds it
/// with 90 % probability; it and the probability of being among the first k are counted from 4096 joint draws of the
/// utilities, so a probability p is known to within a standard error of sqrt(p (1 - p) / 4096), at most 0.8 %.
#[derive(Args)]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// Also give each item's probability of being among the first K
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// How answers become a belief
    #[arg(long, value_enum, default_value = "ep")]
    inference: Inference,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Serialize)]
struct Report<'a> {
    items: Vec<Row<'a>>,
    log_evidence: f64,
    answers: usize,
    inference: &'static str,
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    rank: usize,
    mean: f64,
    sd: f64,
    rank_low: usize,
    rank_high: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let model = Model::open(&arguments.project, arguments.inference)?;
    let ranked = ranked(&model, arguments.top)?;
    let rows = || ranked.iter().map(|ranked| row(&model, ranked));
    match arguments.format {
        Format::Table => show(&model, &ranked),
        Format::Csv => output::csv(rows()),
        Format::Json => output::json(&Report {
            items: rows().collect(),
            log_evidence: model.belief.log_evidence(),
            answers: model.learned,
            inference: arguments.inference.word(),
        }),
    }
}

/// The ranking of all items.
pub fn ranked(model: &Model, top: Option<u32>) -> Result<Vec<RankedItem>, Failure> {
    let working = spinner("drawing rankings");
    let params = RankingParams {
        top: top.map(|top| top as usize),
        seed: Seed(model.project.ask.seed),
        ..RankingParams::default()
    };
    let ranked = rank(model.belief.as_ref(), &model.project.items, &params)?;
    working.finish_and_clear();
    Ok(ranked)
}

fn row<'a>(model: &'a Model, ranked: &RankedItem) -> Row<'a> {
    let items = &model.project.items;
    Row {
        id: items.id(ranked.item),
        rank: ranked.rank,
        mean: ranked.mean,
        sd: ranked.sd,
        rank_low: ranked.rank_low,
        rank_high: ranked.rank_high,
        top: ranked.top,
        group: items.group_name(ranked.item),
    }
}

/// The table for people, with a picture of every item's utility: the mean and the 90 % around it.
pub fn show(model: &Model, ranked: &[RankedItem]) -> Outcome {
    /// The standard normal lies within this of 0 with 90 % probability.
    const NINETY: f64 = 1.645;
    let ends = |item: &RankedItem| (item.mean - NINETY * item.sd, item.mean + NINETY * item.sd);
    let from = ranked.iter().map(|item| ends(item).0).fold(f64::INFINITY, f64::min);
    let to = ranked.iter().map(|item| ends(item).1).fold(f64::NEG_INFINITY, f64::max);
    let has_top = ranked.first().is_some_and(|item| item.top.is_some());
    let has_group = model.project.items.groups().is_some();

    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let width = picture_width(table.width());
    let mut header = vec!["rank", "item", "utility", "± sd", "rank (90 %)"];
    if has_top {
        header.push("top");
    }
    header.push("utility with 90 % interval");
    if has_group {
        header.insert(0, "group");
    }
    table.set_header(header);
    for item in ranked {
        let row = row(model, item);
        let mut cells = vec![
            row.rank.to_string(),
            row.id.to_owned(),
            format!("{:.3}", row.mean),
            format!("{:.3}", row.sd),
            format!("{}–{}", row.rank_low, row.rank_high),
        ];
        cells.extend(row.top.map(|top| format!("{:.1} %", 100.0 * top)));
        let (low, high) = ends(item);
        cells.push(output::draw_interval(low, row.mean, high, (from, to), width));
        if let Some(group) = row.group {
            cells.insert(0, group.to_owned());
        }
        table.add_row(cells);
    }
    let numbers = 2 + usize::from(has_group);
    for column in [0].into_iter().chain(numbers..numbers + 3 + usize::from(has_top)) {
        let column = if column == 0 { usize::from(has_group) } else { column };
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::text(table.trim_fmt())?;
    let answers = if model.learned == 1 { "answer" } else { "answers" };
    output::note(format!(
        "{} items, {} {answers}, log evidence {:.3}",
        ranked.len(),
        model.learned,
        model.belief.log_evidence()
    ));
    Ok(())
}

/// What the picture may take of the terminal's width, the other columns needing about 55 characters.
fn picture_width(terminal: Option<u16>) -> usize {
    let width = usize::from(terminal.unwrap_or(100));
    width.saturating_sub(55).clamp(11, 60)
}
