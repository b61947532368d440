//! `ordain demo`: ranks the bundled countries and shows how fast the order is found.

mod race;
mod report;

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::active::Curve;
use ordain::data::Items;
use ordain::formats::check_apart;
use ordain::gp::RankedItem;
use ordain::measure::Mean;
use ordain::{Inference, Project};

use self::race::{MARKS, Race, SESSIONS};
use self::report::Story;
use crate::simulate::{Measure, draw, picture, table};
use crate::working::working;
use crate::{Failure, Outcome, output, rank};

/// Rank the bundled example: 141 countries by life expectancy, from 50 answers
///
/// Writes the example project into a folder and ranks it there. You can try every other command on it. Then a simulated
/// judge answers anew. The judge knows the life expectancies and errs as the model expects. A table shows how fast the
/// order is found: by Ordain, without neighbours, without attributes, with random pairs, and by Glicko, which rates
/// every country by itself. The folder also gets a page with pictures, report.html.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain demo
  ordain rank ordain-demo --top 5")]
pub struct Arguments {
    /// The folder for the example
    #[arg(default_value = "ordain-demo")]
    folder: PathBuf,
}

const FILES: [(&str, &str); 4] = [
    ("items.csv", include_str!("../../../examples/world/items.csv")),
    ("neighbours.csv", include_str!("../../../examples/world/neighbours.csv")),
    ("answers.csv", include_str!("../../../examples/world/answers.csv")),
    // Last, because a folder with this file is a project.
    ("ordain.toml", include_str!("../../../examples/world/ordain.toml")),
];

/// The page that is written beside the files.
const REPORT: &str = "report.html";

/// The curves of the page as a picture by themselves.
const CURVES: &str = "curves.svg";

/// The column of the items that holds the truth.
const TRUTH: &str = "life_expectancy";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let folder = &arguments.folder;
    if folder.join("ordain.toml").exists() {
        output::note(format!("the project in {} is there already; ranking it as it is", folder.display()));
    } else {
        unpack(folder)?;
        output::note(format!("wrote the example to {}", folder.display()));
    }
    let project = Project::open(folder)?;
    let learning = working("learning from the answers");
    let fitted = project.fit(Inference::Ep, &learning.watch())?;
    drop(learning);
    let shown = rank::Shown::plain(&fitted, &project.asking()?)?;
    // Only the example has a known truth. The folder may hold another project.
    let Some(truth) = truth(&project) else { return shown.show(&fitted) };
    let (curves, report) = (folder.join(CURVES), folder.join(REPORT));
    check_apart(&[("the curves", &curves), ("the report", &report)], &project.file().roles())?;
    let places = places(project.items(), &shown.ranking.items, &truth);
    let in_order = share_in_order(&places);
    output::note(format!(
        "\nWhere do people live longer? Ordain puts {} countries in order. It sees what a map tells of\n\
         each (population, area, distance from the equator, coast), who is whose neighbour, and {}.\n\
         It does not see the life expectancies, so they can say how well it does:\n",
        places.len(),
        output::count(fitted.learned(), "answer")
    ));
    output::table(&first_and_last(&places))?;
    output::note(format!(
        "\n{:.0} % of all pairs stand in their true order. ● rank, ├─┤ 90 % interval, ◇ true rank.",
        100.0 * in_order
    ));
    let working = working("playing sessions");
    let race = Race::run(&project, &truth, &working)?;
    drop(working);
    show(&race)?;
    let advice = advice(&output::typed(folder));
    let story = Story { places: &places, answers: fitted.learned(), in_order, race: &race, advice: &advice };
    picture::write(&curves, &race.picture())?;
    picture::write(&report, &story.page())?;
    output::note(format!("\nAll this with pictures: {}", report.display()));
    output::note(format!("\nTry next:\n{advice}"));
    Ok(())
}

/// Commands to try on the example and on the user's own data.
fn advice(folder: &str) -> String {
    format!(
        "  ordain rank {folder} --top 5\n  ordain predict Italy Spain --project {folder}\n  \
         ordain answer Italy Spain first --project {folder}\n  ordain next {folder} --count 5\n  \
         ordain ask {folder} --hide {TRUTH}\n  \
         ordain simulate {folder} --truth {TRUTH} --goal best --strategy optimistic-best,random --plot best.svg\n\
         # and on your own data:\n  ordain init items.csv\n  ordain ask --goal top --top 10\n  ordain rank --top 10"
    )
}

/// Shows the results of the sessions in the terminal.
fn show(race: &Race) -> Outcome {
    let runs: Vec<(String, &Curve)> = race.curves.iter().map(|(name, curve)| (name.clone(), curve)).collect();
    output::note(format!(
        "\nHow fast is that? A simulated judge, who knows the life expectancies and errs now and then, answers anew.\n\
         The share of pairs in the right order, mean of {SESSIONS} sessions ± standard error:\n"
    ));
    output::table(&table(&runs, Measure::Accuracy))?;
    output::note("\nWhat each part of Ordain adds to that:\n");
    output::table(&gains(race))?;
    output::text(format!("\n{}", draw(&runs, Measure::Accuracy)))
}

/// A table of the gain by each part, at the marks.
fn gains(race: &Race) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let heading = |&answers: &usize| output::count(answers, "answer");
    table.set_header(std::iter::once("part".to_owned()).chain(MARKS.iter().map(heading)));
    for (part, gains) in race.gains() {
        table.add_row(std::iter::once(part.to_owned()).chain(gains.into_iter().map(|gain| signed(gain, 3))));
    }
    align_right(&mut table, 1..=MARKS.len());
    table
}

/// A difference with its sign and its standard error, with this many digits after the point.
fn signed(gain: Mean, digits: usize) -> String {
    let value = output::fixed(gain.value, digits);
    let sign = if value.starts_with('-') { "" } else { "+" };
    format!("{sign}{value} ± {:.digits$}", gain.error)
}

fn align_right(table: &mut Table, columns: impl IntoIterator<Item = usize>) {
    for column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// A country with its rank and its true rank.
struct Place<'a> {
    name: &'a str,
    ranked: RankedItem,
    /// Its true rank.
    truth: usize,
    /// The life expectancy.
    years: f64,
}

impl Place<'_> {
    fn is_inside(&self) -> bool {
        (self.ranked.rank_low..=self.ranked.rank_high).contains(&self.truth)
    }
}

/// Every country in the order of the ranking.
fn places<'a>(items: &'a Items, ranked: &[RankedItem], truth: &[f64]) -> Vec<Place<'a>> {
    let place = |ranked: &RankedItem| {
        let years = truth[ranked.item.index()];
        let above = truth.iter().filter(|&&other| other > years).count();
        Place { name: items.name(ranked.item), ranked: ranked.clone(), truth: 1 + above, years }
    };
    ranked.iter().map(place).collect()
}

/// A table of both ends of the ranking, with the truth.
fn first_and_last(places: &[Place<'_>]) -> Table {
    const FIRST: usize = 10;
    const LAST: usize = 3;
    /// The approximate width of the other columns.
    const BESIDE: usize = 62;
    const NARROWEST: usize = 15;
    let room = output::columns().saturating_sub(BESIDE);
    let width = (room >= NARROWEST).then_some(room.min(50));
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let heading = width.map(|_| "from the first rank to the last");
    table.set_header(["rank", "country", "rank (90 %)", "true rank", "years"].into_iter().chain(heading));
    for (at, place) in places.iter().enumerate() {
        if at >= FIRST && at + LAST < places.len() {
            if at == FIRST {
                table.add_row(["…"]);
            }
            continue;
        }
        let RankedItem { rank, rank_low, rank_high, .. } = place.ranked;
        let cells = [
            rank.to_string(),
            place.name.to_owned(),
            format!("{rank_low}–{rank_high}"),
            place.truth.to_string(),
            output::fixed(place.years, 1),
        ];
        table.add_row(cells.into_iter().chain(width.map(|width| drawn(place, places.len(), width))));
    }
    align_right(&mut table, [0, 2, 3, 4]);
    table
}

/// A drawing of the interval of a rank, with the true rank.
fn drawn(place: &Place<'_>, count: usize, width: usize) -> String {
    let ends = (1.0, count as f64);
    let RankedItem { rank, rank_low, rank_high, .. } = place.ranked;
    let interval = output::draw_interval(rank_low as f64, rank as f64, rank_high as f64, ends, width);
    let truth = place.truth as f64;
    let alone = output::draw_interval(truth, truth, truth, ends, width);
    let both = interval.chars().zip(alone.chars()).map(|(own, truth)| if truth == ' ' { own } else { '◇' });
    both.collect()
}

/// The true values, if the project has the example's items.
fn truth(project: &Project) -> Option<Vec<f64>> {
    let items = std::fs::read_to_string(project.file().items.as_ref()?).ok()?;
    let cells = project.file().other.get(TRUTH).filter(|_| items == FILES[0].1)?;
    cells.iter().map(|cell| cell.parse().ok()).collect()
}

fn unpack(folder: &Path) -> Result<(), Failure> {
    let failed = |action, path: &Path| {
        let path = path.to_path_buf();
        move |source| Failure::Library(ordain::Error::Io { action, path, source })
    };
    std::fs::create_dir_all(folder).map_err(failed("create", folder))?;
    // Somebody's own items.csv may stand there: all or nothing.
    let mut all = FILES.iter().map(|(name, _)| *name).chain([CURVES, REPORT]).map(|name| folder.join(name));
    if let Some(path) = all.find(|path| path.exists()) {
        return Err(failed("create", &path)(ErrorKind::AlreadyExists.into()));
    }
    for (name, text) in FILES {
        let path = folder.join(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed("create", &path))?;
    }
    Ok(())
}

/// The share of pairs that the ranking puts in their true order.
fn share_in_order(places: &[Place<'_>]) -> f64 {
    let count = places.len();
    let pairs = || (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second)));
    let right = pairs().filter(|&(first, second)| places[first].years > places[second].years).count();
    right as f64 / pairs().count() as f64
}
