//! `ordain rate`: many users who rate items.

mod predict;
mod train;

use clap::{Args, Subcommand};

use crate::Outcome;

/// Learn what many users agree on, and what each of them likes
///
/// Every user has a taste of their own, and all tastes have something in common: which items are liked, and which items
/// the same people like. The common part is learned from all users. So a user with few ratings gets a ranking of all
/// items, and the grades that they would give, with probabilities.
///
/// The models are those of collaborative ordinal regression: CGPOR for ordinal grades, CGPR for grades as values, and
/// the same for answers about pairs.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain rate train ratings.csv -o taste.json        # a table with the columns user,item,grade
  ordain rate predict taste.json                     # what users agree on
  ordain rate predict taste.json --user ann          # ann's ranking, and the grades she would give
  ordain rate predict taste.json --new guests.csv    # users who were not there")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Train(train::Arguments),
    Predict(predict::Arguments),
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    match &arguments.command {
        Command::Train(arguments) => train::run(arguments),
        Command::Predict(arguments) => predict::run(arguments),
    }
}
