//! `ordain next --choose`: screens of several items that are worth showing.

use comfy_table::{CellAlignment, Table, presets};
use ordain::active::{Asking, CertaintyParams, ScreenQuestion};
use ordain::data::Items;
use ordain::formats::joined_ids;
use ordain::{Inference, Project};
use serde::Serialize;

use super::{Arguments, enough, note_stranger};
use crate::Outcome;
use crate::output::{self, Format};
use crate::working::working;

#[derive(Serialize)]
struct Report<'a> {
    screens: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    items: Vec<&'a str>,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
}

/// Names screens of this many items.
pub fn run(
    arguments: &Arguments,
    project: &mut Project,
    asking: &Asking,
    params: &CertaintyParams,
    shown: usize,
) -> Outcome {
    let working = working("choosing items to show together");
    let count = arguments.count as usize;
    let (reached, screens) = match arguments.inference {
        Inference::Incremental => {
            let session = project.session()?;
            match enough(arguments, asking, || session.settled(params.seed))? {
                None => (None, session.ask_screens(shown, count)?),
                reached => (reached, Vec::new()),
            }
        }
        inference => {
            let mut fitted = project.fit(inference, &working.watch())?;
            fitted.ask_judge(arguments.judge.as_deref())?;
            match enough(arguments, asking, || fitted.certainty(params))? {
                None => (None, fitted.ask_screens(asking, project.pool(), shown, count)?),
                reached => (reached, Vec::new()),
            }
        }
    };
    drop(working);
    if let Some(sure) = &reached {
        output::note(format!("nothing more need be asked: {sure}"));
    }
    let items = project.items();
    match arguments.format {
        Format::Json => output::json(&Report { screens: screens.iter().map(|screen| row(items, screen)).collect() }),
        Format::Csv => show_csv(items, &screens),
        Format::Table if screens.is_empty() => {
            if reached.is_none() {
                output::note("no pair is left to ask");
            }
            Ok(())
        }
        Format::Table => {
            show(items, &screens, asking)?;
            note_stranger(project, arguments.judge.as_deref());
            Ok(())
        }
    }
}

fn row<'a>(items: &'a Items, screen: &ScreenQuestion) -> Row<'a> {
    Row {
        items: screen.items.iter().map(|&item| items.id(item)).collect(),
        score: screen.score,
        group: screen.items.first().and_then(|&item| items.group_name(item)),
    }
}

/// Writes CSV. The header is written even if there is no screen.
fn show_csv(items: &Items, screens: &[ScreenQuestion]) -> Outcome {
    let header = ["items", "score"].into_iter().chain(items.groups().map(|_| "group"));
    let cells = |screen: &ScreenQuestion| {
        let Row { items: ids, score, group } = row(items, screen);
        [joined_ids(ids.into_iter()), score.to_string()].into_iter().chain(group.map(str::to_owned)).collect()
    };
    output::csv_table(&header.map(str::to_owned).collect::<Vec<_>>(), screens.iter().map(cells))
}

fn show(items: &Items, screens: &[ScreenQuestion], asking: &Asking) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    // The room that the score and the spaces around cells leave.
    let width = output::columns().saturating_sub(16).max(8);
    table.set_header(["items", "score"]);
    for screen in screens {
        let names: Vec<String> = screen.items.iter().map(|&item| items.label_in_list(item).into_owned()).collect();
        let group = items.group_name(screen.items[0]).map_or(String::new(), |group| format!("{group}: "));
        // One item per line where they do not fit on one.
        let listed = group + &names.join(", ");
        table.add_row([output::wrapped(&listed, Some(width)), format!("{:.4e}", screen.score)]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    output::table(&table)?;
    output::note(format!("by {}; \"ordain ask --choose\" asks one screen after the other", asking.strategy));
    Ok(())
}
