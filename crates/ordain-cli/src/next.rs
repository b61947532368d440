//! `ordain next`: the pairs that are worth asking.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::active::{CertaintyParams, Question, certainty, choose_many};
use ordain::data::Items;
use ordain::formats::Project;
use ordain::gp::{Belief, EpParams, RankingParams};
use ordain::kernel;
use ordain::numeric::{Purpose, Seed};
use serde::Serialize;

use crate::certainty::{Slack, parse_share, sentence};
use crate::model::{Inference, observe, open_project, working};
use crate::output::{self, Format};
use crate::question::{Asking, Options, candidates, read_pool};
use crate::{Failure, Outcome};

/// Say which pairs are worth asking next
///
/// For example `ordain next --count 5 --goal best`: the five pairs whose answers help most to find the best item, the
/// best first. Each is chosen as if the answers to those before it had come. Pairs that were answered are not asked
/// again unless the project says `repeat = true` under [ask], skipped ones never, and only items of one group are
/// compared.
///
/// With --target, no pair is named once the goal is reached with that probability, which is then said on standard error.
///
/// Scores are the strategy's own, comparable with each other only. JSON has null for one that is infinite, as
/// that of variance-ratio is for items that are ranked equal.
#[derive(Args)]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// How many pairs
    #[arg(long, value_name = "K", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    #[command(flatten)]
    options: Options,
    /// Ask only pairs of this table, with the columns first and second, and group where ids alone do not say
    #[arg(long, value_name = "FILE")]
    pool: Option<PathBuf>,
    /// Name no pair if the goal is reached with this probability already
    #[arg(long, value_name = "P", value_parser = parse_share)]
    target: Option<f64>,
    #[command(flatten)]
    slack: Slack,
    /// How answers become a belief; `ordain ask` goes by the incremental one
    #[arg(long, value_enum, default_value = "ep")]
    inference: Inference,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Serialize)]
struct Report<'a> {
    pairs: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    first: &'a str,
    second: &'a str,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let project = open_project(&arguments.project)?;
    let asking = arguments.options.resolve(&project)?;
    let pool = arguments.pool.as_ref().map(|pool| read_pool(pool, &project)).transpose()?;
    let count = arguments.count as usize;
    let working = working("choosing pairs");
    let enough = |belief: &dyn Belief| enough(arguments, &asking, &project, belief);
    let (enough, questions) = match arguments.inference {
        Inference::Ep => {
            let (model, observations) = observe(&project, &project.answers)?;
            let kernel = Arc::new(kernel::build(&project.kernels, &project.items, &project.relations)?);
            let belief = EpParams::default().fit(kernel, &observations)?;
            let standing = project.answers.standing();
            let mut stream = asking.seed.stream(Purpose::Choice { answers: standing.len() });
            let (candidates, _) = candidates(&project, pool.as_ref(), standing);
            match enough(&belief)? {
                None => (None, choose_many(&belief, &model, asking.strategy, candidates, &[], count, &mut stream)?),
                enough => (enough, Vec::new()),
            }
        }
        Inference::Incremental => {
            let session = asking.session(&project, pool.as_ref())?;
            match enough(session.belief())? {
                None => (None, session.ask_many(count)?),
                enough => (enough, Vec::new()),
            }
        }
    };
    drop(working);
    if let Some(sure) = &enough {
        output::note(format!("nothing more need be asked: {sure}"));
    }
    let rows: Vec<Row<'_>> = questions.iter().map(|question| row(&project.items, question)).collect();
    match arguments.format {
        Format::Json => output::json(&Report { pairs: rows }),
        Format::Csv => show_csv(&rows),
        Format::Table if rows.is_empty() => {
            if enough.is_none() {
                output::note("no pair is left to ask");
            }
            Ok(())
        }
        Format::Table => show(&rows, &asking),
    }
}

/// How sure the goal is, in words, if that is as sure as was wanted.
fn enough(
    arguments: &Arguments,
    asking: &Asking,
    project: &Project,
    belief: &dyn Belief,
) -> Result<Option<String>, Failure> {
    let Some(target) = arguments.target else { return Ok(None) };
    let rule = arguments.slack.rule(asking.goal, target);
    let groups = project.items.groups();
    // The draws of a ranking, so that it and `ordain rank` say the same.
    let params =
        CertaintyParams::default().with_draws(RankingParams::default().draws).with_seed(Seed(project.ask.seed));
    let probability = rule.probability(&certainty(belief, groups, &params)?);
    Ok((probability >= target).then(|| sentence(&rule, probability, groups)))
}

fn row<'a>(items: &'a Items, question: &Question) -> Row<'a> {
    Row {
        first: items.id(question.first),
        second: items.id(question.second),
        score: question.score,
        group: items.group_name(question.first),
    }
}

/// The header stands even over no pair.
fn show_csv(rows: &[Row<'_>]) -> Outcome {
    let grouped = rows.iter().any(|row| row.group.is_some());
    let header = ["first", "second", "score"].into_iter().chain(grouped.then_some("group"));
    let cells = |row: &Row<'_>| {
        let names = [row.first, row.second].map(str::to_owned).into_iter();
        names.chain([row.score.to_string()]).chain(row.group.map(str::to_owned)).collect()
    };
    output::csv_table(&header.map(str::to_owned).collect::<Vec<_>>(), rows.iter().map(cells))
}

fn show(rows: &[Row<'_>], asking: &Asking) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let grouped = rows.iter().any(|row| row.group.is_some());
    // What the score and the spaces around the cells leave.
    let width = (output::columns().saturating_sub(20) / if grouped { 3 } else { 2 }).max(8);
    table.set_header(grouped.then_some("group").into_iter().chain(["first", "second", "score"]));
    for row in rows {
        let names = row.group.into_iter().chain([row.first, row.second]).map(|name| output::cut(name, width));
        table.add_row(names.chain([format!("{:.4e}", row.score)]));
    }
    if let Some(column) = table.column_mut(2 + usize::from(grouped)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    output::text(table.trim_fmt())?;
    output::note(format!("by {}; \"ordain ask\" asks one after the other", asking.strategy));
    Ok(())
}
