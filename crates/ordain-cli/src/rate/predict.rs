//! `ordain rate predict`: rankings and grades of users.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, Table, presets};
use ordain::InputError;
use ordain::data::GradeScale;
use ordain::formats::read_ratings;
use ordain::gp::{RankedItem, RankingParams, median_grade, mode_grade};
use ordain::learn::{Personal, RatersModel};
use ordain::numeric::Seed;
use serde::Serialize;

use crate::Outcome;
use crate::output::{self, Format};
use crate::working::working;

/// Rank the items for users, and predict the grades that they would give
///
/// Without a user, the ranking is what users agree on. Ranks count from 1 by falling mean utility; the interval of a
/// rank holds it with 90 % probability.
///
/// The grade of an item is the median of its probabilities, which has the least expected absolute error, or the mode,
/// which is right most often. JSON has both forms of certainty: {"users": [{"user", "items": [{"id", "rank", "mean",
/// "sd", "rank_low", "rank_high", "grade"?, "probabilities"?}]}]}; "user" is null for what users agree on.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain rate predict taste.json
  ordain rate predict taste.json --user ann --by mode
  ordain rate predict taste.json --new guests.csv --format json")]
pub struct Arguments {
    /// The model that `ordain rate train` wrote
    model: PathBuf,
    /// A user of the ratings; may be given several times
    #[arg(long, value_name = "NAME")]
    user: Vec<String>,
    /// All users of the ratings
    #[arg(long, conflicts_with = "user")]
    all: bool,
    /// Ratings of users who were not there when the model was learned
    #[arg(long, value_name = "FILE")]
    new: Option<PathBuf>,
    /// How a grade is decided
    #[arg(long, value_enum, default_value = "median")]
    by: Decision,
    /// The seed of the draws behind intervals
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// How a grade is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Decision {
    /// The grade with the least expected absolute error
    Median,
    /// The most probable grade
    Mode,
}

impl Decision {
    fn of(self, probabilities: &[f64]) -> usize {
        match self {
            Self::Median => median_grade(probabilities),
            Self::Mode => mode_grade(probabilities),
        }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    users: Vec<User<'a>>,
}

#[derive(Serialize)]
struct User<'a> {
    /// None for what users agree on.
    user: Option<&'a str>,
    items: Vec<Row<'a>>,
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
    grade: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<Vec<f64>>,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let working = working("ranking for users");
    let model = RatersModel::load(&arguments.model)?;
    let newcomers = arguments
        .new
        .as_ref()
        .map(|path| read_ratings(path, Some(model.ratings().items()), model.scale()))
        .transpose()?;
    let params = RankingParams::default().with_seed(Seed(arguments.seed));
    let known: Vec<usize> = match arguments.all {
        true => (0..model.ratings().users().len()).collect(),
        false => arguments.user.iter().map(|name| find(&model, name)).collect::<ordain::Result<_>>()?,
    };
    let mut users = Vec::new();
    if known.is_empty() && newcomers.is_none() {
        let ranking = model.consensus(&params)?;
        users.push(User { user: None, items: ranking.iter().map(|item| row(&model, item, None)).collect() });
    }
    for user in known {
        let personal = model.personal(user, &params)?;
        users.push(shown(&model, &model.ratings().users()[user], &personal, arguments.by));
    }
    let people = newcomers.iter().flat_map(|ratings| ratings.users().iter().zip(ratings.opinions()));
    for (name, opinions) in people {
        let personal = model.newcomer(opinions, &params)?;
        users.push(shown(&model, name, &personal, arguments.by));
    }
    drop(working);
    match arguments.format {
        Format::Json => output::json(&Report { users }),
        Format::Csv => csv(&users, model.scale()),
        Format::Table => users.iter().enumerate().try_for_each(|(at, user)| {
            if at > 0 {
                output::text("")?;
            }
            show(user, model.scale())
        }),
    }
}

/// The user of the ratings with this name.
fn find(model: &RatersModel, name: &str) -> ordain::Result<usize> {
    model.ratings().user(name).ok_or_else(|| {
        let error = InputError::new("command line", "a user of the ratings").column("--user").found(name);
        error.hint("ratings of users who were not there go into a file: --new FILE").into()
    })
}

fn shown<'a>(model: &'a RatersModel, name: &'a str, personal: &Personal, by: Decision) -> User<'a> {
    let of = |item: &RankedItem| personal.grades.get(item.item.index()).map(|shares| (by.of(shares), shares));
    let rows = personal.ranking.iter().map(|item| row(model, item, of(item)));
    User { user: Some(name), items: rows.collect() }
}

fn row<'a>(model: &'a RatersModel, item: &RankedItem, graded: Option<(usize, &Vec<f64>)>) -> Row<'a> {
    Row {
        id: model.ratings().items().id(item.item),
        rank: item.rank,
        mean: item.mean,
        sd: item.sd,
        rank_low: item.rank_low,
        rank_high: item.rank_high,
        grade: graded.and_then(|(grade, _)| Some(model.scale()?.grade(grade))),
        probabilities: graded.map(|(_, shares)| shares.clone()),
    }
}

/// Numbers with all their digits: a row per user and item.
fn csv(users: &[User<'_>], scale: Option<GradeScale>) -> Outcome {
    let graded = users.iter().flat_map(|user| &user.items).any(|row| row.grade.is_some());
    let mut header: Vec<String> =
        ["user", "item", "rank", "mean", "sd", "rank_low", "rank_high"].map(str::to_owned).to_vec();
    if let Some(scale) = scale.filter(|_| graded) {
        header.push("grade".into());
        header.extend(scale.grades().map(|grade| format!("probability_{grade}")));
    }
    let rows = users.iter().flat_map(|user| {
        user.items.iter().map(|row| {
            let mut cells = vec![user.user.unwrap_or_default().to_owned(), row.id.to_owned(), row.rank.to_string()];
            cells.extend([row.mean, row.sd].map(|number| number.to_string()));
            cells.extend([row.rank_low, row.rank_high].map(|rank| rank.to_string()));
            cells.extend(row.grade.map(|grade| grade.to_string()));
            cells.extend(row.probabilities.iter().flatten().map(|share| share.to_string()));
            cells
        })
    });
    output::csv_table(&header, rows)
}

fn show(user: &User<'_>, scale: Option<GradeScale>) -> Outcome {
    let graded = user.items.iter().any(|row| row.grade.is_some());
    let title = user.user.map_or_else(|| "What users agree on".to_owned(), |name| format!("What {name} likes"));
    output::text(output::shown(&title))?;
    let mut header: Vec<String> = ["rank", "item", "mean", "sd", "90 % ranks"].map(str::to_owned).to_vec();
    if let Some(scale) = scale.filter(|_| graded) {
        header.push("grade".into());
        header.extend(scale.grades().map(|grade| format!("P({grade})")));
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    let names = 1;
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(if at == names { CellAlignment::Left } else { CellAlignment::Right });
    }
    for row in &user.items {
        let mut cells = vec![
            row.rank.to_string(),
            output::cut(row.id, 40),
            output::fixed(row.mean, 3),
            output::fixed(row.sd, 3),
            format!("{}..{}", row.rank_low, row.rank_high),
        ];
        cells.extend(row.grade.map(|grade| grade.to_string()));
        cells.extend(row.probabilities.iter().flatten().map(|share| output::fixed(*share, 2)));
        table.add_row(cells);
    }
    output::table(&table)
}
