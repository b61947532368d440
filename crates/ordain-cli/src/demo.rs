//! `ordain demo`: the bundled countries, ranked, and how fast that goes.

mod race;
mod report;

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use ordain::active::Curve;
use ordain::gp::RankedItem;
use ordain::{Inference, Project};

use self::report::Story;
use crate::simulate::{Measure, draw, picture, table};
use crate::working::working;
use crate::{Failure, Outcome, output, rank};

/// Rank the bundled example: European countries by inhabitants, from 60 answers
///
/// Writes the example project into a folder and ranks it there, so that every other command can be tried on it. Then a
/// simulated judge, who knows the inhabitants and errs as the model expects, answers anew: how fast the order is found
/// with and without the borders, by pairs at random, and by ratings of countries by themselves. A page with pictures of
/// all that, report.html, is written into the folder too.
#[derive(Args)]
pub struct Arguments {
    /// Where to put the example
    #[arg(default_value = "ordain-demo")]
    folder: PathBuf,
}

const FILES: [(&str, &str); 4] = [
    ("items.csv", include_str!("../../../examples/countries/items.csv")),
    ("borders.csv", include_str!("../../../examples/countries/borders.csv")),
    ("answers.csv", include_str!("../../../examples/countries/answers.csv")),
    // Last, since a folder with this file is a project.
    ("ordain.toml", include_str!("../../../examples/countries/ordain.toml")),
];

/// The page that is written beside them.
const REPORT: &str = "report.html";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let folder = &arguments.folder;
    if folder.join("ordain.toml").exists() {
        output::note(format!("the project in {} is there already; ranking it as it is", folder.display()));
    } else {
        unpack(folder)?;
        output::note(format!("wrote the example to {}: 45 countries, their borders, 60 answers to", folder.display()));
        output::note("\"which has more inhabitants?\". The model does not see the inhabitants.\n");
    }
    let project = Project::open(folder)?;
    let learning = working("learning from the answers");
    let fitted = project.fit(Inference::Ep, &learning.watch())?;
    drop(learning);
    let shown = rank::Shown::plain(&fitted, &project.asking()?)?;
    shown.show(&fitted)?;
    let ranked = &shown.ranking.items;
    // Only the example knows the truth; another project that stands there has other items to try.
    let Some(truth) = inhabitants(&project) else { return Ok(()) };
    let share = share_in_order(&truth, ranked);
    output::note(format!("{:.0} % of all pairs stand in their true order", 100.0 * share));
    let working = working("playing sessions");
    let curves = race::race(&project, &truth, &working)?;
    let climb = race::climb(&project, &truth, &working)?;
    drop(working);
    show(&curves)?;
    let advice = advice(&output::typed(folder));
    let report = folder.join(REPORT);
    let story = Story {
        items: project.items(),
        learned: fitted.learned(),
        ranked,
        truth: &truth,
        in_order: share,
        curves: &curves,
        climb: &climb,
        advice: &advice,
    };
    picture::write(&report, &story.page())?;
    output::note(format!("\nAll this with pictures: {}", report.display()));
    output::note(format!("\nTry next:\n{advice}"));
    Ok(())
}

/// Commands to try on the example, and on one's own data.
fn advice(folder: &str) -> String {
    format!(
        "  ordain rank {folder} --top 5 --forecast\n  ordain predict Italy Spain --project {folder}\n  \
         ordain answer Italy Spain first --project {folder}\n  ordain next {folder} --count 5\n  \
         ordain ask {folder} --hide inhabitants\n  \
         ordain simulate {folder} --truth inhabitants --goal best --plot curves.svg\n\
         # and on your own data:\n  ordain init items.csv\n  ordain ask --goal top --top 10\n  ordain rank --top 10"
    )
}

/// How the sessions fare, in the terminal.
fn show(curves: &[(String, Curve)]) -> Outcome {
    let runs: Vec<(String, &Curve)> = curves.iter().map(|(name, curve)| (name.clone(), curve)).collect();
    output::note(format!(
        "\nThe share of pairs in the right order when a judge who knows the inhabitants answers, mean of {} sessions:\n",
        race::SESSIONS
    ));
    output::text(table(&runs, Measure::Accuracy).trim_fmt())?;
    output::text(format!("\n{}", draw(&runs, Measure::Accuracy)))
}

/// The column `inhabitants`, if these are the example's items.
fn inhabitants(project: &Project) -> Option<Vec<f64>> {
    let items = std::fs::read_to_string(project.file().items.as_ref()?).ok()?;
    let cells = project.file().other.get("inhabitants").filter(|_| items == FILES[0].1)?;
    cells.iter().map(|cell| cell.parse().ok()).collect()
}

fn unpack(folder: &Path) -> Result<(), Failure> {
    let failed = |action, path: &Path| {
        let path = path.to_path_buf();
        move |source| Failure::Library(ordain::Error::Io { action, path, source })
    };
    std::fs::create_dir_all(folder).map_err(failed("create", folder))?;
    // Somebody's own items.csv may stand there: all or nothing.
    let mut all = FILES.iter().map(|(name, _)| *name).chain([REPORT]).map(|name| folder.join(name));
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

/// The share of pairs that the ranking has in the true order.
fn share_in_order(truth: &[f64], ranked: &[RankedItem]) -> f64 {
    let order: Vec<f64> = ranked.iter().map(|ranked| truth[ranked.item.index()]).collect();
    let pairs = || (0..order.len()).flat_map(|first| (first + 1..order.len()).map(move |second| (first, second)));
    let right = pairs().filter(|&(first, second)| order[first] > order[second]).count();
    right as f64 / pairs().count() as f64
}
