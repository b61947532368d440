//! Options that say what counts as enough, as `ordain rank`, `ordain next` and `ordain ask` share them.

use clap::Args;
use ordain::active::StopRule;
use ordain::data::Goal;

/// What counts as enough.
#[derive(Args)]
pub struct Wanted {
    /// The probability with which the goal is to be reached
    #[arg(long, value_name = "P", default_value = "0.9", value_parser = parse_share)]
    target: f64,
    #[command(flatten)]
    slack: Slack,
}

/// What may still be wrong.
#[derive(Args)]
pub struct Slack {
    /// The share of pairs that may stand in the wrong order, for the goal whole-order
    #[arg(long, value_name = "SHARE", default_value = "0.1", value_parser = parse_share)]
    error: f64,
}

impl Wanted {
    /// The rule by which it is enough.
    pub fn rule(&self, goal: Goal) -> StopRule {
        self.slack.rule(goal, self.target)
    }
}

impl Slack {
    /// The rule by which it is enough with this probability.
    pub fn rule(&self, goal: Goal, target: f64) -> StopRule {
        StopRule::new(goal).with_error(self.error).with_target(target)
    }
}

/// A share or a probability.
pub fn parse_share(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or("a number from 0 to 1")
}
