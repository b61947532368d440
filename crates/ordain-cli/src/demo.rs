//! `ordain demo`: the bundled countries, ranked.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use ordain::gp::RankedItem;

use crate::model::{Inference, Model};
use crate::{Failure, Outcome, output, rank};

/// Rank the bundled example: European countries by inhabitants, from 60 answers
///
/// Writes the example project into a folder and ranks it there, so that every other command can be tried on it.
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
    let Some(share) = share_in_order(&model, &ranked) else { return Ok(()) };
    output::note(format!("{:.0} % of all pairs stand in their true order", 100.0 * share));
    let folder = output::typed(folder);
    output::note(format!(
        "\nTry next:\n  ordain rank {folder} --top 5\n  ordain predict Italy Spain --project {folder}\n  \
         ordain answer Italy Spain first --project {folder}\n  ordain next {folder} --count 5\n  \
         ordain ask {folder} --hide inhabitants\nand on your own data:\n  ordain init items.csv"
    ));
    Ok(())
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

/// The share of pairs that the ranking has in the order of the column `inhabitants`.
fn share_in_order(model: &Model, ranked: &[RankedItem]) -> Option<f64> {
    let truth: Vec<f64> =
        model.project.other.get("inhabitants")?.iter().map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
    let order: Vec<f64> = ranked.iter().map(|ranked| truth[ranked.item.index()]).collect();
    let pairs = || (0..order.len()).flat_map(|first| (first + 1..order.len()).map(move |second| (first, second)));
    let right = pairs().filter(|&(first, second)| order[first] > order[second]).count();
    Some(right as f64 / pairs().count() as f64)
}
