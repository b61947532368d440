//! `ordain next`: the pairs that are worth asking.

mod screens;

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::active::{Asking, Certainty, CertaintyParams, GradeQuestion, Question};
use ordain::data::{ItemId, Items};
use ordain::gp::RankingParams;
use ordain::numeric::Seed;
use ordain::{Inference, Project};
use serde::Serialize;

use crate::answer::one_line;
use crate::certainty::{Slack, parse_share};
use crate::output::{self, Format};
use crate::question::Options;
use crate::without::Without;
use crate::working::{during, working};
use crate::{Outcome, memory, word};

/// Name the pairs that are worth asking next
///
/// For example, `ordain next --count 5 --goal best` names the five pairs whose answers help most to find the best item,
/// the best first. Each pair is chosen as if the pairs before it were answered already. Answered pairs are not asked
/// again, unless [ask] in the project has `repeat = true`. Skipped pairs are never asked again. Only items of one group
/// are compared.
///
/// With --target, no pair is named once the goal is reached with that probability. A line on standard error then says
/// so.
///
/// With `grades = true` under [ask], the grade of one item is named in place of a pair where it tells more now. Its second item
/// is null in JSON and empty in CSV, and its score is the entropy that it is expected to take, in nats.
///
/// With --choose, screens of several items are named, of which a judge says the best (`ordain answer A B C --best B`). A screen grows from the
/// best pair by the items whose pairs with those shown score most. CSV has their ids in one cell, with | between them.
///
/// Scores are comparable only within a strategy. JSON has null for an infinite score. The score of variance-ratio is
/// infinite for items with equal means.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain next --count 5
  ordain next --goal top --top 3 --format json
  ordain next --judge ann
  ordain next --choose 4 --count 2 --format json
  ordain next --pool pairs.csv --target 0.9")]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// The number of pairs
    #[arg(long, value_name = "K", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// Name screens of this many items instead of pairs
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..=32))]
    choose: Option<u32>,
    #[command(flatten)]
    options: Options,
    /// The judge who will be asked: pairs are weighed by what is known of his noise, and a pair with answers is named only
    /// where neither all answers nor his own settle it. Default: any judge
    #[arg(long, value_name = "NAME", value_parser = one_line)]
    judge: Option<String>,
    #[command(flatten)]
    without: Without,
    /// Ask only pairs of this table. Its columns are first and second, and group if ids alone are ambiguous
    #[arg(long, value_name = "FILE")]
    pool: Option<PathBuf>,
    /// Name no pair if the goal is already reached with this probability
    #[arg(long, value_name = "P", value_parser = parse_share)]
    target: Option<f64>,
    #[command(flatten)]
    slack: Slack,
    /// How answers become a belief. With the default, the first pair is the one that `ordain ask` asks the same judge
    #[arg(long, default_value = "incremental", value_parser = word::parser::<Inference>())]
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
    /// None if the grade of the first item is asked.
    second: Option<&'a str>,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut project = during("reading the project", || Project::open(&arguments.project))?;
    project.set_memory(memory::available());
    arguments.without.leave_out(&mut project, arguments.judge.as_deref())?;
    let options = arguments.options.given(project.model().ask().goal)?.with_judge(arguments.judge.clone());
    project.set_options(arguments.slack.with(options).with_target(arguments.target))?;
    if let Some(pool) = &arguments.pool {
        project.set_pool(pool)?;
    }
    let asking = project.asking()?;
    let count = arguments.count as usize;
    let working = working("choosing pairs");
    // The same draws as those of a ranking, so that `ordain rank` says the same.
    let (draws, seed) = (RankingParams::for_items(project.items().len()).draws, Seed(project.model().ask().seed));
    let params = CertaintyParams::default().with_draws(draws).with_seed(seed);
    if let Some(shown) = arguments.choose {
        return screens::run(arguments, &mut project, &asking, &params, shown as usize);
    }
    let (enough, questions) = match arguments.inference {
        Inference::Incremental => {
            let session = project.session()?;
            match enough(arguments, &asking, || session.settled(seed))? {
                None => {
                    let asked = session.ask_many(count)?;
                    let grades = asked.iter().map(|pair| session.grade_instead(pair)).collect::<Result<Vec<_>, _>>()?;
                    (None, mixed(asked, grades))
                }
                enough => (enough, Vec::new()),
            }
        }
        inference => {
            let mut fitted = project.fit(inference, &working.watch())?;
            fitted.ask_judge(arguments.judge.as_deref())?;
            match enough(arguments, &asking, || fitted.certainty(&params))? {
                None => {
                    let asked = fitted.ask_many(&asking, project.pool(), count)?;
                    let grade = |pair| fitted.grade_instead(&asking, pair);
                    let grades = asked.iter().map(grade).collect::<Result<Vec<_>, _>>()?;
                    (None, mixed(asked, grades))
                }
                enough => (enough, Vec::new()),
            }
        }
    };
    drop(working);
    if let Some(sure) = &enough {
        output::note(format!("nothing more need be asked: {sure}"));
    }
    let rows: Vec<Row<'_>> = questions.iter().map(|asked| row(project.items(), asked)).collect();
    match arguments.format {
        Format::Json => output::json(&Report { pairs: rows }),
        Format::Csv => show_csv(&rows),
        Format::Table if rows.is_empty() => {
            if enough.is_none() {
                output::note("no pair is left to ask");
            }
            Ok(())
        }
        Format::Table => {
            show(project.items(), &questions, &asking)?;
            note_stranger(&project, arguments.judge.as_deref());
            Ok(())
        }
    }
}

/// Says so if nothing is known of the judge.
fn note_stranger(project: &Project, judge: Option<&str>) {
    let Some(name) = judge.filter(|name| !name.is_empty()) else { return };
    if project.model().answers().latest(Some(name)).is_none() {
        output::note(format!("{} has not answered yet, so pairs are those for any judge", output::name(name)));
    }
}

/// The certainty of the goal in words, if it reaches the target.
fn enough(
    arguments: &Arguments,
    asking: &Asking,
    certainty: impl FnOnce() -> ordain::Result<Vec<Certainty>>,
) -> ordain::Result<Option<String>> {
    if arguments.target.is_none() {
        return Ok(None);
    }
    let (rule, groups) = (asking.rule, certainty()?);
    let probability = rule.probability(&groups);
    Ok((probability >= rule.target).then(|| rule.sentence(probability, groups.len())))
}

/// What is worth asking: two items, or the grade of one; and the score.
struct Asked {
    first: ItemId,
    second: Option<ItemId>,
    score: f64,
}

/// Pairs, or the grades that tell more now, each grade once.
fn mixed(pairs: Vec<Question>, grades: Vec<Option<GradeQuestion>>) -> Vec<Asked> {
    let mut graded = Vec::new();
    let asked = pairs.into_iter().zip(grades).map(|(Question { first, second, score }, grade)| match grade {
        Some(GradeQuestion { item, entropy }) if !graded.contains(&item) => {
            graded.push(item);
            Asked { first: item, second: None, score: entropy }
        }
        _ => Asked { first, second: Some(second), score },
    });
    asked.collect()
}

fn row<'a>(items: &'a Items, asked: &Asked) -> Row<'a> {
    Row {
        first: items.id(asked.first),
        second: asked.second.map(|second| items.id(second)),
        score: asked.score,
        group: items.group_name(asked.first),
    }
}

/// Writes CSV. The header is written even if there is no pair.
fn show_csv(rows: &[Row<'_>]) -> Outcome {
    let grouped = rows.iter().any(|row| row.group.is_some());
    let header = ["first", "second", "score"].into_iter().chain(grouped.then_some("group"));
    let cells = |row: &Row<'_>| {
        let names = [row.first, row.second.unwrap_or_default()].map(str::to_owned).into_iter();
        names.chain([row.score.to_string()]).chain(row.group.map(str::to_owned)).collect()
    };
    output::csv_table(&header.map(str::to_owned).collect::<Vec<_>>(), rows.iter().map(cells))
}

fn show(items: &Items, questions: &[Asked], asking: &Asking) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let grouped = items.groups().is_some();
    /// The shortest length to which names are cut.
    const SHORTEST: usize = 8;
    // The room that the score and the spaces around cells leave. If it is too small, a name gets a line.
    let room = output::columns().saturating_sub(20) / if grouped { 3 } else { 2 };
    let width = if room < SHORTEST { output::columns() } else { room };
    table.set_header(grouped.then_some("group").into_iter().chain(["first", "second", "score"]));
    for asked in questions {
        let second = asked.second.map_or("(its grade)".into(), |second| items.label(second));
        let group = items.group_name(asked.first).map(Cow::from);
        let names = group.into_iter().chain([items.label(asked.first), second]).map(|name| output::cut(&name, width));
        table.add_row(names.chain([format!("{:.4e}", asked.score)]));
    }
    if let Some(column) = table.column_mut(2 + usize::from(grouped)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    output::table(&table)?;
    output::note(format!("by {}; \"ordain ask\" asks one after the other", asking.strategy));
    Ok(())
}
