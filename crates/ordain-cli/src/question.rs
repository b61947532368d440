//! Options that decide which pair is asked, as `ordain next`, `ordain ask` and `ordain simulate` share them.

use clap::Args;
use clap::builder::PossibleValuesParser;
use ordain::active::{AskOptions, Strategy};
use ordain::data::Goal;

use crate::{Failure, word};

/// What the answers are for, and how the pairs are chosen.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    goal: GoalOptions,
    /// How pairs are chosen. Default: strategy in [ask], else the goal's own. top-regret counts the places of the goal top,
    /// else ten
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Strategy::names()))]
    strategy: Option<String>,
    /// The emphasis on the top, for strategies that have one: a pair counts exp(-F rank)
    #[arg(long, value_name = "F", value_parser = parse_focus)]
    focus: Option<f64>,
    /// What decides among pairs that are equally good. Default: seed in [ask]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// What the answers are for.
#[derive(Args, Clone, Default)]
pub struct GoalOptions {
    /// What the answers are for. Default: goal in [ask]
    #[arg(long, value_parser = word::parser::<Goal>())]
    goal: Option<Goal>,
    /// How many items are to be found, for the goal top
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
}

impl GoalOptions {
    /// How many items are to be found, if that was said.
    pub fn top(&self) -> Option<u32> {
        self.top
    }

    /// The goal, if the command line names one; `usual` is the project's.
    pub fn given(&self, usual: Goal) -> Result<Option<Goal>, Failure> {
        let usage =
            |message: &str| Failure::Usage { message: message.into(), hint: "for example: --goal top --top 10" };
        Ok(match (self.goal, self.top, usual) {
            (None | Some(Goal::Top { .. }), Some(k), _) => Some(Goal::Top { k: k as usize }),
            (Some(_), Some(_), _) => return Err(usage("--top goes with the goal top only")),
            (Some(Goal::Top { .. }), None, Goal::Top { .. }) => Some(usual),
            (Some(Goal::Top { .. }), None, _) => return Err(usage("the goal top needs --top: how many items")),
            (goal, None, _) => goal,
        })
    }
}

fn parse_focus(text: &str) -> Result<f64, &'static str> {
    let focus = text.parse().ok().filter(|focus: &f64| focus.is_finite() && *focus >= 0.0);
    focus.ok_or("a finite number, at least 0")
}

impl Options {
    /// What the command line wants otherwise than a project whose goal is `usual`.
    pub fn given(&self, usual: Goal) -> Result<AskOptions, Failure> {
        Ok(AskOptions::default()
            .with_goal(self.goal.given(usual)?)
            .with_strategy(self.strategy.clone())
            .with_focus(self.focus)
            .with_seed(self.seed))
    }
}
