//! `ordain demo`: the bundled countries, ranked, and how fast that goes.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use ordain::active::{BeliefKind, Facts, Judge, Strategy};
use ordain::formats::Project;
use ordain::gp::{AnswerModel, RankedItem};
use ordain::kernel::{self, KernelSpec};
use ordain::numeric::Seed;

use crate::model::{Inference, Model, working};
use crate::simulate::play::{Contender, Curve, Rules, play};
use crate::simulate::problem::Problem;
use crate::simulate::{Measure, draw, table};
use crate::{Failure, Outcome, output, rank};

/// Rank the bundled example: European countries by inhabitants, from 60 answers
///
/// Writes the example project into a folder and ranks it there, so that every other command can be tried on it. Then a
/// simulated judge, who knows the inhabitants and errs as the model expects, answers anew: how fast the order is found
/// with and without the borders, by pairs at random, and by ratings of countries by themselves.
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
    let model = Model::open(folder, Inference::Ep)?;
    let ranked = rank::ranked(&model, None)?;
    rank::show(&model, &ranked, None)?;
    // Only the example knows the truth; another project that stands there has other items to try.
    let Some(truth) = inhabitants(&model.project) else { return Ok(()) };
    let share = share_in_order(&truth, &ranked);
    output::note(format!("{:.0} % of all pairs stand in their true order", 100.0 * share));
    race(&model.project, &truth)?;
    let folder = output::typed(folder);
    output::note(format!(
        "\nTry next:\n  ordain rank {folder} --top 5\n  ordain predict Italy Spain --project {folder}\n  \
         ordain answer Italy Spain first --project {folder}\n  ordain next {folder} --count 5\n  \
         ordain ask {folder} --hide inhabitants\n  ordain simulate {folder} --truth inhabitants --goal best\n\
         and on your own data:\n  ordain init items.csv"
    ));
    Ok(())
}

/// The column `inhabitants`, if these are the example's items.
fn inhabitants(project: &Project) -> Option<Vec<f64>> {
    let items = std::fs::read_to_string(project.items_file.as_ref()?).ok()?;
    let cells = project.other.get("inhabitants").filter(|_| items == FILES[0].1)?;
    cells.iter().map(|cell| cell.parse().ok()).collect()
}

/// Plays sessions of several kinds against the truth and shows how they fare.
fn race(project: &Project, truth: &[f64]) -> Outcome {
    let model = AnswerModel::new(project.noise, project.tie_width)?;
    let rules = Rules {
        answers: 100,
        repeats: 20,
        seed: Seed(project.ask.seed),
        goal: project.ask.goal,
        judge: Judge::from(&model),
        model,
        repeat: project.ask.repeat,
    };
    let contender = |belief, strategy: &str| Contender { belief, strategy: strategy.to_owned(), focus: None };
    let usual = Strategy::for_goal(rules.goal, truth.len() as f64).name();
    let linked = [
        contender(BeliefKind::Gp, usual),
        contender(BeliefKind::Gp, "random"),
        contender(BeliefKind::GLICKO, "random"),
    ];
    let working = working("playing");
    let play = |kernels: &[KernelSpec], contenders: &[Contender]| -> Result<Vec<Curve>, Failure> {
        let kernel = Arc::new(kernel::build(kernels, &project.items, &project.relations)?);
        let problem = Problem { items: project.items.clone(), kernel, facts: Facts::Utilities(utilities(truth)) };
        Ok(play(&[problem], contenders, &rules, |_, _| {})?)
    };
    let unlinked: Vec<KernelSpec> =
        project.kernels.iter().filter(|spec| spec.shape.relation().is_none()).cloned().collect();
    let names = ["Ordain, with borders", "Ordain, pairs at random", "Glicko ratings, pairs at random"];
    let mut curves: Vec<(&str, Curve)> = names.into_iter().zip(play(&project.kernels, &linked)?).collect();
    // The example may have been changed to have no kernel but that of the borders.
    if !unlinked.is_empty() {
        let curve = play(&unlinked, &linked[..1])?.into_iter();
        curves.splice(1..1, curve.map(|curve| ("Ordain, without borders", curve)));
    }
    drop(working);
    let runs: Vec<(String, &Curve)> = curves.iter().map(|(name, curve)| ((*name).to_owned(), curve)).collect();
    output::note(
        "\nThe share of pairs in the right order when a judge who knows the inhabitants answers, mean of 20 sessions:\n",
    );
    output::text(table(&runs, Measure::Accuracy).trim_fmt())?;
    output::text(format!("\n{}", draw(&runs, Measure::Accuracy)))
}

/// Inhabitants span several powers of ten: their logarithms, to mean 0 and variance 1, are on the scale that the model
/// expects.
fn utilities(inhabitants: &[f64]) -> Vec<f64> {
    let logs: Vec<f64> = inhabitants.iter().map(|count| count.ln()).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / count).sqrt();
    logs.iter().map(|log| (log - mean) / deviation).collect()
}

fn unpack(folder: &Path) -> Result<(), Failure> {
    let failed = |action, path: &Path| {
        let path = path.to_path_buf();
        move |source| Failure::Library(ordain::Error::Io { action, path, source })
    };
    std::fs::create_dir_all(folder).map_err(failed("create", folder))?;
    // Somebody's own items.csv may stand there: all or nothing.
    if let Some(path) = FILES.map(|(name, _)| folder.join(name)).iter().find(|path| path.exists()) {
        return Err(failed("create", path)(ErrorKind::AlreadyExists.into()));
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
