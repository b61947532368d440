//! The options of stop rules. `ordain rank`, `ordain next` and `ordain ask` share them.

use clap::Args;
use ordain::active::{AskOptions, StopRule};
use ordain::data::Goal;

/// The stop rule of the command line.
#[derive(Args)]
pub struct Wanted {
    /// The probability with which the goal must be reached
    #[arg(long, value_name = "P", default_value = "0.9", value_parser = parse_share)]
    target: f64,
    #[command(flatten)]
    slack: Slack,
}

/// The share of pairs that may be wrong.
#[derive(Args)]
pub struct Slack {
    /// The share of pairs that may be in the wrong order, for the goal whole-order
    #[arg(long, value_name = "SHARE", default_value = "0.1", value_parser = parse_share)]
    error: f64,
}

impl Wanted {
    /// The stop rule for this goal.
    pub fn rule(&self, goal: Goal) -> StopRule {
        StopRule::new(goal).with_error(self.slack.error).with_target(self.target)
    }

    /// These options with this stop rule.
    pub fn with(&self, options: AskOptions) -> AskOptions {
        self.slack.with(options).with_target(Some(self.target))
    }
}

impl Slack {
    /// These options with this share of wrong pairs.
    pub fn with(&self, options: AskOptions) -> AskOptions {
        options.with_error(Some(self.error))
    }
}

/// Parses a share or a probability.
pub fn parse_share(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or("a number from 0 to 1")
}
