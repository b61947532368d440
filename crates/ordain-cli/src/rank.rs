//! `ordain rank`: the ranking with its uncertainty.

mod columns;
mod settled;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::active::{AskOptions, Asking, Effort, Foreseen, StopRule};
use ordain::data::ItemId;
use ordain::formats::NewLinks;
use ordain::gp::{RankedItem, RankingParams};
use ordain::numeric::Seed;
use ordain::{Fitted, Inference, Project, Ranking};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use self::columns::Columns;
use crate::certainty::Wanted;
use crate::output::{self, Format};
use crate::question::GoalOptions;
use crate::without::Without;
use crate::working::{during, working};
use crate::{Failure, Outcome, memory, word};

/// Rank the items and say how sure the ranking is
///
/// Ranks count from 1 by falling mean utility, within groups if there are groups. The interval of a rank holds it with
/// 90 % probability, and always contains the rank that is shown: it is the middle 90 %, or, if the rank by mean is not among
/// them, the 90 % that begin or end with it. Items that are much alike need this: one of a hundred must be first by mean,
/// and its interval is then 1-90. Intervals, tiers and the probabilities of being among the first k are counted from joint
/// draws of the utilities: 4096 up to 2048 items, fewer for more, at least 256. A probability p from N draws has the
/// standard error sqrt(p (1 - p) / N), at most 0.8 % for 4096 and 3.1 % for 256. In groups of more than 2000 items, standard
/// deviations are counted from the draws too. If draws are fewer than 4096, a line says how exact all is.
///
/// The table shows utilities less the mean of their group, with the standard deviation of that: answers compare items, so they
/// do not tell what all items have in common. JSON and CSV have these numbers as "centred" and "centred_sd"; "mean" and "sd" are
/// of the utility itself.
///
/// Items of one tier cannot be told apart from each other. A tier ends before the first item that some item of the tier is
/// better than with at least 90 % probability. The table has a column for tiers if there are several. JSON and CSV always
/// have the key tier. In groups of more than 2000 items, an item is compared with the first and the best known items of the tier.
///
/// Below the table, a line says how sure the goal is. The goal is that of [ask] in the project, or of --goal and --top.
/// With several groups, the line is about the least sure one. JSON has the same as "certainty": {"goal", "k"?,
/// "error"?, "target", "probability", "wrong_pairs", "forecast"?: {"low", "median", "high"}}. "probability" is the
/// probability that the goal is reached. "wrong_pairs" is the expected share of pairs in the wrong order. "forecast"
/// (with --forecast) is the number of further answers needed to reach the goal with the target's probability, with an
/// 80 % interval; null means more answers than the forecast looked at.
///
/// --with ranks items that the project does not have among its own, by their attributes and links. It learns nothing
/// anew and does not change the belief about the project's items. Attributes of newcomers are standardized like those
/// of the project's items. The table marks newcomers, JSON gives them the key "new": true, and CSV has a column new.
///
/// --format csv --columns all writes the columns of the ranking and then those of the table of items, in the order of
/// the file and as they are there. The columns of ids and groups are not repeated. A column of the table that is called
/// like one of the ranking gets "items." before its name, as in items.rank.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain rank
  ordain rank --top 10 --limit 20
  ordain rank --format json > ranking.json
  ordain rank --with new.csv
  ordain rank --without ann")]
#[command(mut_arg("top", |top| top.help("Show each item's probability of being among the first K; this is then the goal")))]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    #[command(flatten)]
    goal: GoalOptions,
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    without: Without,
    /// Forecast how many answers the goal still needs, however long that takes. Default: only if the forecast is quick
    #[arg(long, conflicts_with = "with")]
    forecast: bool,
    /// Show only the first N items of every group. All items are ranked
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Also rank the items of this table, which are new to the project. It needs the same columns as the project's
    /// items
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    /// Links of the new items to the project's items and to each other, in any format of a relation. If the project has
    /// several relations, name one by its file, e.g. cites.csv=new-links.csv
    #[arg(long, value_name = "[RELATION=]FILE", requires = "with", value_parser = parse_links)]
    with_links: Vec<NewLinks>,
    /// How answers become a belief
    #[arg(long, default_value = "ep", value_parser = word::parser::<Inference>())]
    inference: Inference,
    /// The columns of CSV. "all" adds the other columns of the table of items, as they are in the file
    #[arg(long, value_enum, default_value = "ranking")]
    columns: Columns,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Parses a file of links, with or without the name of its relation. If the whole text is the name of a file, it is
/// that file.
fn parse_links(text: &str) -> Result<NewLinks, String> {
    let named = text.split_once('=').filter(|_| !Path::new(text).exists());
    let (relation, file) = named.map_or((None, text), |(relation, file)| (Some(relation.to_owned()), file));
    if file.is_empty() || relation.as_ref().is_some_and(String::is_empty) {
        return Err("expected a file, or a relation and a file as in cites.csv=new-links.csv".into());
    }
    Ok(NewLinks { relation, file: file.into() })
}

#[derive(Serialize)]
struct Report<'a> {
    items: Vec<Row<'a>>,
    log_evidence: f64,
    answers: usize,
    inference: &'static str,
    certainty: settled::Report,
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    /// What people see in place of the id.
    #[serde(skip)]
    label: Cow<'a, str>,
    rank: usize,
    mean: f64,
    sd: f64,
    centred: f64,
    centred_sd: f64,
    rank_low: usize,
    rank_high: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    /// In JSON only newcomers have this key. In CSV all rows have it if there are newcomers, because rows have the same
    /// columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<usize>,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    if arguments.forecast && matches!(arguments.format, Format::Csv) {
        return Err(Failure::Usage {
            message: "--forecast does not work with CSV, because the rows of CSV are items".into(),
            hint: "leave it out, or use --format json",
        });
    }
    if arguments.columns == Columns::All && !matches!(arguments.format, Format::Csv) {
        return Err(Failure::Usage { message: "--columns all works with CSV alone".into(), hint: "add --format csv" });
    }
    let mut project = during("reading the project", || Project::open(&arguments.project))?;
    project.set_memory(memory::available());
    arguments.without.leave_out(&mut project, None)?;
    let options = AskOptions::default().with_goal(arguments.goal.given(project.model().ask().goal)?);
    project.set_options(arguments.wanted.with(options))?;
    let asking = project.asking()?;
    let fitted = fit(&project, arguments)?;
    let effort = match arguments.format {
        _ if arguments.forecast => Some(Effort::Whole),
        Format::Table => Some(Effort::IfQuick),
        Format::Json | Format::Csv => None,
    };
    let limit = arguments.limit.map(|limit| limit as usize);
    let shown = Shown::make(&fitted, &asking, arguments.goal.top(), limit, effort)?;
    shown.note_draws();
    match arguments.format {
        Format::Table => shown.show(&fitted),
        Format::Csv if arguments.columns == Columns::All => {
            let own = columns::Own::read(project.file(), &fitted, arguments.with.as_deref())?;
            let items: Vec<ItemId> = shown.ranking.items.iter().map(|ranked| ranked.item).collect();
            own.write(shown.rows(&fitted), &items)
        }
        Format::Csv => output::csv(shown.rows(&fitted)),
        Format::Json => output::json(&Report {
            items: shown.rows(&fitted).map(|row| Row { new: row.new.filter(|&new| new), ..row }).collect(),
            log_evidence: fitted.belief().log_evidence(),
            answers: fitted.learned(),
            inference: arguments.inference.name(),
            certainty: settled::Report::new(&shown.ranking, &shown.rule, shown.foreseen),
        }),
    }
}

/// What is believed of the project's items, and of newcomers if some are given.
fn fit(project: &Project, arguments: &Arguments) -> Result<Fitted, Failure> {
    let read = || arguments.with.as_ref().map(|items| project.newcomers(items, &arguments.with_links)).transpose();
    let newcomers = during("reading the new items", read)?;
    let working = working("learning from the answers");
    let (inference, watch) = (arguments.inference, working.watch());
    Ok(match newcomers {
        Some(newcomers) => project.fit_with(newcomers, inference, &watch)?,
        None => project.fit(inference, &watch)?,
    })
}

/// A ranking to be shown.
pub struct Shown {
    pub ranking: Ranking,
    top: Option<u32>,
    /// When the goal counts as reached.
    pub rule: StopRule,
    foreseen: Option<Foreseen>,
    /// The number of draws that all is counted from.
    draws: usize,
}

impl Shown {
    /// Ranks all items. Only the first `limit` of every group are kept.
    pub fn make(
        fitted: &Fitted,
        asking: &Asking,
        top: Option<u32>,
        limit: Option<usize>,
        effort: Option<Effort>,
    ) -> Result<Self, Failure> {
        let drawing = working("drawing rankings");
        let params = RankingParams::for_items(fitted.items().len())
            .with_top(top.map(|top| top as usize))
            .with_limit(limit)
            .with_seed(Seed(fitted.model().ask().seed))
            .with_watch(drawing.watch());
        let ranking = fitted.rank(&params)?;
        drop(drawing);
        let foreseen = match effort {
            Some(effort) => fitted.forecast(&ranking, asking, effort, &working("looking ahead").watch())?,
            None => None,
        };
        Ok(Self { ranking, top, rule: asking.rule, foreseen, draws: params.draws })
    }

    /// How exact the numbers are, if there are so many items that draws are fewer than usual.
    fn note_draws(&self) {
        if self.draws >= RankingParams::default().draws {
            return;
        }
        let probabilities = 100.0 * 0.5 / (self.draws as f64).sqrt();
        let mut line = format!("counted from {} draws: probabilities to at most {probabilities:.1} %", self.draws);
        if let Some(item) = self.ranking.items.iter().find(|item| item.centred_sd_error > 0.0) {
            line += &format!(", standard deviations to {:.1} %", 100.0 * item.centred_sd_error / item.centred_sd);
        }
        output::note(line);
    }

    /// As `ordain rank` shows it when nothing else is said.
    pub fn plain(fitted: &Fitted, asking: &Asking) -> Result<Self, Failure> {
        Self::make(fitted, asking, None, None, Some(Effort::IfQuick))
    }

    /// How sure the goal is and how many answers it still needs, in words.
    pub fn sentence(&self) -> String {
        self.ranking.sentence(&self.rule, self.foreseen)
    }

    fn rows<'a>(&'a self, fitted: &'a Fitted) -> impl Iterator<Item = Row<'a>> {
        self.ranking.items.iter().map(|item| row(fitted, item))
    }

    /// The table for people, with a picture of every item's centred utility: the mean and the 90 % around it.
    pub fn show(&self, fitted: &Fitted) -> Outcome {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let tiered = self.ranking.items.iter().any(|item| item.tier > 1);
        let rows: Vec<Row<'_>> =
            self.rows(fitted).map(|row| Row { tier: row.tier.filter(|_| tiered), ..row }).collect();
        let numbers: Vec<Vec<String>> = rows.iter().map(numbers).collect();
        let mut headings: Vec<String> = ["rank", "utility", "± sd", "rank (90 %)"].map(str::to_owned).into();
        headings.extend(self.top.map(|top| format!("top {top}")));
        headings.extend(tiered.then(|| "tier".to_owned()));
        headings.extend(fitted.has_newcomers().then(String::new));
        let widest = |column: usize| numbers.iter().map(|cells| cells[column].width()).max().unwrap_or(0);
        let fixed = (0..headings.len()).map(|column| widest(column).max(headings[column].width()) + PADDING).sum();
        let longest = |name: fn(&Row<'_>) -> usize| rows.iter().map(name).max().unwrap_or(0);
        let group = fitted.items().groups().map(|_| longest(|row| row.group.map_or(0, str::width)).max("group".len()));
        let widths = Widths::fit(output::columns(), fixed, longest(|row| row.label.width()).max("item".len()), group);

        let rank = headings.remove(0);
        let heading = if widths.picture < 26 { "90 % interval" } else { "utility with 90 % interval" };
        let titles =
            [rank, "item".into()].into_iter().chain(headings).chain((widths.picture > 0).then(|| heading.into()));
        table.set_header(group.map(|_| "group".into()).into_iter().chain(titles));
        let pictures = pictures(&self.ranking.items, widths.picture);
        for ((row, mut numbers), picture) in rows.iter().zip(numbers).zip(pictures) {
            let group = group.map(|_| output::cut(row.group.unwrap_or_default(), widths.group));
            let item = output::cut(&row.label, widths.item);
            let rank = numbers.remove(0);
            table.add_row(group.into_iter().chain([rank, item]).chain(numbers).chain(picture));
        }
        let first = usize::from(group.is_some());
        let numbers = 4 + usize::from(self.top.is_some()) + usize::from(tiered);
        for column in (0..=numbers).filter(|&column| column != 1) {
            if let Some(column) = table.column_mut(first + column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        output::table(&table)?;
        let new = self.ranking.items.iter().filter(|ranked| fitted.is_new(ranked.item)).count();
        let new = if new > 0 { format!(" ({new} new)") } else { String::new() };
        let (shown, all) = (self.ranking.items.len(), fitted.items().len());
        let part = if shown < all { format!("{shown} of ") } else { String::new() };
        let items = part + &output::count(all, "item") + &new;
        let evidence = fitted.belief().log_evidence();
        output::note(match fitted.learned() {
            0 => format!("{items}, no answers yet; \"ordain ask\" asks for them"),
            answers => {
                format!("{items}, {}, log evidence {}", output::count(answers, "answer"), output::fixed(evidence, 3))
            }
        });
        output::note(self.sentence());
        Ok(())
    }
}

fn row<'a>(fitted: &'a Fitted, ranked: &RankedItem) -> Row<'a> {
    let items = fitted.items();
    Row {
        id: items.id(ranked.item),
        label: items.label(ranked.item),
        rank: ranked.rank,
        mean: ranked.mean,
        sd: ranked.sd,
        centred: ranked.centred,
        centred_sd: ranked.centred_sd,
        rank_low: ranked.rank_low,
        rank_high: ranked.rank_high,
        top: ranked.top,
        group: items.group_name(ranked.item),
        tier: Some(ranked.tier),
        new: fitted.has_newcomers().then(|| fitted.is_new(ranked.item)),
    }
}

/// The numbers of a row: rank, centred mean and its standard deviation, interval of the rank, probability of the top, and whether the
/// item is new.
fn numbers(row: &Row<'_>) -> Vec<String> {
    let interval = format!("{}–{}", row.rank_low, row.rank_high);
    let mut out = vec![row.rank.to_string(), output::fixed(row.centred, 3), output::fixed(row.centred_sd, 3), interval];
    out.extend(row.top.map(|top| format!("{:.1} %", 100.0 * top)));
    out.extend(row.tier.map(|tier| tier.to_string()));
    out.extend(row.new.map(|new| if new { "new" } else { "" }.to_owned()));
    out
}

/// A picture of every item's centred utility, all on one scale; `None` if there is no room.
fn pictures(ranked: &[RankedItem], width: usize) -> Vec<Option<String>> {
    /// A standard normal variable lies within ± this with 90 % probability.
    const NINETY: f64 = 1.645;
    let ends = |item: &RankedItem| (item.centred - NINETY * item.centred_sd, item.centred + NINETY * item.centred_sd);
    let from = ranked.iter().map(|item| ends(item).0).fold(f64::INFINITY, f64::min);
    let to = ranked.iter().map(|item| ends(item).1).fold(f64::NEG_INFINITY, f64::max);
    let draw = |item: &RankedItem| {
        let (low, high) = ends(item);
        (width > 0).then(|| output::draw_interval(low, item.centred, high, (from, to), width))
    };
    ranked.iter().map(draw).collect()
}

/// The spaces of a cell: one on either side.
const PADDING: usize = 2;

/// The widths of the columns that can shrink on a narrow terminal.
#[derive(Debug, PartialEq, Eq)]
struct Widths {
    group: usize,
    item: usize,
    /// 0 means no picture.
    picture: usize,
}

impl Widths {
    /// Distributes the columns of the terminal that the `fixed` columns of numbers leave. The picture shrinks first,
    /// then names are cut. If names would get too short, the picture goes. A terminal without room for names shows
    /// every cell in a line of its own.
    fn fit(terminal: usize, fixed: usize, item: usize, group: Option<usize>) -> Self {
        /// The width of the picture's heading.
        const SMALLEST: usize = 13;
        const LARGEST: usize = 60;
        /// The shortest length to which names are cut to keep the picture.
        const SHORT: usize = 8;
        /// The shortest length to which names are cut at all.
        const SHORTEST: usize = 4;
        let columns = 1 + usize::from(group.is_some());
        let group = group.unwrap_or(0);
        let room = terminal.saturating_sub(fixed + PADDING * columns);
        let least = item.min(SHORT) + group.min(SHORT);
        let picture = room.saturating_sub(item + group + PADDING).clamp(SMALLEST, LARGEST);
        let (names, picture) = match room.checked_sub(picture + PADDING) {
            Some(names) if names >= least => (names, picture),
            _ if room < SHORTEST * columns => {
                return Self { group: group.min(terminal), item: item.min(terminal), picture: 0 };
            }
            _ => (room, 0),
        };
        // A long group name takes a third of the room, or more if the items leave it or if a third is too short to
        // read.
        let group = group.min((names / 3).max(names.saturating_sub(item)).max(SHORT.min(names / 2)));
        Self { group, item: item.min(names - group), picture }
    }
}

#[cfg(test)]
mod tests {
    use super::Widths;

    #[test]
    fn the_picture_gives_way_before_the_names() {
        let fit = |terminal, item, group| Widths::fit(terminal, 35, item, group);
        assert_eq!(fit(200, 10, None), Widths { group: 0, item: 10, picture: 60 });
        assert_eq!(fit(80, 10, None), Widths { group: 0, item: 10, picture: 31 });
        assert_eq!(fit(80, 50, None), Widths { group: 0, item: 28, picture: 13 });
        assert_eq!(fit(60, 5, None), Widths { group: 0, item: 5, picture: 16 });
        assert_eq!(fit(50, 50, None), Widths { group: 0, item: 13, picture: 0 });
        assert_eq!(fit(50, 50, Some(50)), Widths { group: 5, item: 6, picture: 0 });
        assert_eq!(fit(20, 50, None), Widths { group: 0, item: 20, picture: 0 });
        assert_eq!(fit(20, 50, Some(7)), Widths { group: 7, item: 20, picture: 0 });
        assert_eq!(fit(80, 40, Some(40)), Widths { group: 8, item: 18, picture: 13 });
        assert_eq!(fit(80, 3, Some(40)), Widths { group: 23, item: 3, picture: 13 });
    }

    #[test]
    fn the_columns_fit_the_terminal_whatever_the_names() {
        for (terminal, item, group) in
            (48..130).flat_map(|t| (1..70).flat_map(move |i| (0..70).map(move |g| (t, i, g))))
        {
            let group = (group > 0).then_some(group);
            let widths = Widths::fit(terminal, 35, item, group);
            let shown = |width: usize| if width > 0 { width + 2 } else { 0 };
            assert!(35 + shown(widths.group) + shown(widths.item) + shown(widths.picture) <= terminal, "{widths:?}");
        }
    }
}
