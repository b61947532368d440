//! `ordain report`: a project as one page.

pub mod judges;
mod links;
mod page;
mod parts;
mod ranking;
mod settings;
mod settling;

use std::path::PathBuf;

use clap::Args;
use ordain::active::Effort;
use ordain::data::{ItemId, Items};
use ordain::formats::check_outputs;
use ordain::{Inference, Project};

use crate::judges::Judges;
use crate::simulate::picture;
use crate::working::{during, working};
use crate::{Outcome, memory, output, rank};

/// Write a page about a project: its ranking, how sure it is, its judges and what helps
///
/// The page is one HTML file that needs nothing beside it, for a screen or a phone. It shows the ranking with its
/// intervals and tiers, how sure the goal of [ask] is and how many answers it still needs, how the ranking settled over
/// the answers, what is known of every judge (as `ordain judges` says), what each kernel contributes (as `ordain compare` says), the links, and the settings.
///
/// How the ranking settled is found by learning from the first answers anew, at up to 30 points of the log. Where a part
/// would take longer than about half a minute, the page says so instead and --full makes it. The page shows 500 items,
/// spread over the groups; --full shows all.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain report
  ordain report --output ranking.html --full")]
pub struct Arguments {
    /// The project: a folder with an ordain.toml, or such a file
    #[arg(default_value = ".")]
    project: PathBuf,
    /// The page to write
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// Make every part, however long it takes, and show every item
    #[arg(long)]
    full: bool,
}

/// The longest name that is shown whole, in letters.
const LONGEST: usize = 120;

/// The name of an item as HTML.
fn named(items: &Items, item: ItemId) -> String {
    as_html(&items.label(item))
}

/// A name from a file as HTML: cut if it is very long, and harmless to what stands around it.
fn as_html(name: &str) -> String {
    format!("<bdi>{}</bdi>", ordain_plot::html::escape(&output::cut(name, LONGEST)))
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut project = during("reading the project", || Project::open(&arguments.project))?;
    project.set_memory(memory::available());
    check_outputs(&[("the report", &arguments.output)], &project.file().roles())?;
    let asking = project.asking()?;
    let learning = working("learning from the answers");
    let fitted = project.fit(Inference::Ep, &learning.watch())?;
    drop(learning);
    let extent = ranking::Extent::of(project.items(), arguments.full);
    let shown = rank::Shown::make(&fitted, &asking, None, extent.limit, Some(Effort::IfQuick))?;
    let course = settling::replay(&project, &fitted, &shown, arguments.full)?;
    let comparison = parts::compare(&project, arguments.full)?;
    let judges = Judges::of(&project, &fitted)?;
    let all = page::Page { project: &project, fitted: &fitted, shown: &shown, extent, course, judges, comparison };
    picture::write(&arguments.output, &all.html())?;
    output::note(format!("wrote {}", arguments.output.display()));
    Ok(())
}
