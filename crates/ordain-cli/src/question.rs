//! The options that decide which pair is asked. `ordain next`, `ordain ask` and `ordain simulate` share them.

use clap::Args;
use clap::builder::PossibleValuesParser;
use ordain::active::{AskOptions, Strategy};
use ordain::data::Goal;

use crate::{Failure, word};

/// The goal, and the way in which pairs are chosen.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    goal: GoalOptions,
    /// How pairs are chosen. Default: strategy in [ask], else the goal's own. top-regret counts the places of the goal
    /// top, or ten for other goals
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Strategy::names()))]
    strategy: Option<String>,
    /// The emphasis on the top, for strategies that have one. A pair has the weight exp(-F rank)
    #[arg(long, value_name = "F", value_parser = parse_focus)]
    focus: Option<f64>,
    /// The seed of the draws among equally good pairs. Default: seed in [ask]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// The goal of the answers.
#[derive(Args, Clone, Default)]
pub struct GoalOptions {
    /// The goal of the answers. Default: goal in [ask]
    #[arg(long, value_parser = word::parser::<Goal>())]
    goal: Option<Goal>,
    /// The number of items to find, for the goal top
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
}

impl GoalOptions {
    /// A goal that is given otherwise.
    pub fn of(goal: Option<Goal>, top: Option<u32>) -> Self {
        Self { goal, top }
    }

    /// The number of items to find, if the command line gives it.
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
    /// The command line's options, for a project whose goal is `usual`.
    pub fn given(&self, usual: Goal) -> Result<AskOptions, Failure> {
        Ok(AskOptions::default()
            .with_goal(self.goal.given(usual)?)
            .with_strategy(self.strategy.clone())
            .with_focus(self.focus)
            .with_seed(self.seed))
    }
}
