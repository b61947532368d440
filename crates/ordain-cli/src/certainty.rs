//! How sure a ranking is, and how far there is to go, as `ordain rank`, `ordain next` and `ordain ask` say it.
//!
//! Both are counted from draws, which takes time. So the number of operations is estimated first, by sizes and not by a
//! clock: what is said is the same on any machine.

use clap::Args;
use ordain::active::{
    Candidates, CertaintyParams, Forecast, ForecastParams, StopRule, Strategy, WORLD_DRAWS, forecast,
};
use ordain::data::{Goal, Groups, Items};
use ordain::gp::{AnswerModel, Incremental};
use ordain::numeric::Seed;

use crate::output;
use crate::question::group_sizes;

/// What counts as enough.
#[derive(Args)]
pub struct Wanted {
    /// The probability with which the goal is to be reached
    #[arg(long, value_name = "P", default_value_t = TARGET, value_parser = parse_share)]
    target: f64,
    #[command(flatten)]
    slack: Slack,
}

/// What may still be wrong.
#[derive(Args)]
pub struct Slack {
    /// The share of pairs that may stand in the wrong order, for the goal whole-order
    #[arg(long, value_name = "SHARE", default_value_t = ERROR, value_parser = parse_share)]
    error: f64,
}

/// Where nothing is said.
const TARGET: f64 = 0.9;
const ERROR: f64 = 0.1;

impl Default for Wanted {
    fn default() -> Self {
        Self { target: TARGET, slack: Slack { error: ERROR } }
    }
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

/// Operations of looking once at how settled the ranking of these items is after this many answers.
pub fn look_cost(items: &Items, answers: usize, draws: usize) -> f64 {
    /// Operations that an answer costs a draw: a few likelihoods, most of which are certain at a glance.
    const LIKELIHOODS: f64 = 150.0;
    let cost = |size: usize| {
        let size = size as f64;
        size * size * size / 3.0 + draws as f64 * size * (size + 20.0)
    };
    let groups: f64 = group_sizes(items).into_iter().map(cost).sum();
    groups + draws as f64 * LIKELIHOODS * answers as f64
}

/// How a probability is said. It is counted, so that none is ever said to be 0 or 1.
pub fn percent(probability: f64) -> String {
    match (100.0 * probability).round() {
        100.0.. => "over 99 %".into(),
        percent if percent < 1.0 => "under 1 %".into(),
        percent => format!("{percent:.0} %"),
    }
}

/// A share that was given, without the digits that a product with 100 adds.
fn given(share: f64) -> String {
    format!("{} %", (1e4 * share).round() / 1e2)
}

/// How sure the goal is, in words; in groups, where it is least so.
pub fn sentence(rule: &StopRule, probability: f64, groups: Option<&Groups>) -> String {
    let what = match rule.goal {
        Goal::Best | Goal::Top { k: 1 } => "the first item is the best".into(),
        Goal::Top { k } => format!("the first {k} are the best {k}"),
        Goal::WholeOrder => format!("at most {} of pairs stand in the wrong order", given(rule.error)),
        goal => format!("the goal {goal} is reached"),
    };
    let several = groups.map(Groups::len).filter(|&count| count > 1);
    let place = several.map_or(String::new(), |count| format!(" in the least settled of {count} groups"));
    format!("{} sure that {what}{place}", percent(probability))
}

/// How many more answers are looked at, in how many worlds, and how often in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    worlds: usize,
    most: usize,
    every: usize,
}

/// Operations that a pair costs the dearest of the strategies that do not look ahead.
const PAIR: f64 = 60.0;

impl Span {
    /// The fewest answers ahead that say anything, and the most that are of use.
    const FEWEST: usize = 20;
    const MOST: usize = 1000;

    /// A span for those who wait some seconds for it.
    pub fn whole(items: &Items, answers: usize, strategy: Strategy) -> Self {
        const BUDGET: f64 = 6e9;
        const WORLDS: usize = 20;
        const EVERY: usize = 10;
        let most = Self::most(BUDGET / WORLDS as f64, EVERY, items, answers, strategy);
        Self { worlds: WORLDS, most: most.max(Self::FEWEST), every: EVERY }
    }

    /// A rough span that this many operations allow, with a look at the certainty of a world after every so many answers;
    /// none if too few answers would be looked at to say anything.
    pub fn within(budget: f64, every: usize, items: &Items, answers: usize, strategy: Strategy) -> Option<Self> {
        const WORLDS: usize = 6;
        let most = Self::most(budget / WORLDS as f64, every, items, answers, strategy);
        (most >= Self::FEWEST).then_some(Self { worlds: WORLDS, most, every })
    }

    /// How many answers ahead so many operations a world allow to look.
    fn most(budget: f64, every: usize, items: &Items, answers: usize, strategy: Strategy) -> usize {
        // As many as worlds have on their way, about.
        let answers = answers + 100;
        let pairs: f64 = group_sizes(items).into_iter().map(|size| PAIR * (size * size) as f64 / 2.0).sum();
        let choice = match strategy {
            Strategy::LookAhead { .. } | Strategy::PredictiveEntropy => pairs * pairs,
            _ => pairs,
        };
        // A world is drawn for all items together, and learns each answer for all of them.
        let count = items.len() as f64;
        let start = count * count * count / 3.0;
        let step = choice + count * count + look_cost(items, answers, WORLD_DRAWS) / every as f64;
        (((budget - start) / step).max(0.0) as usize).min(Self::MOST)
    }
}

/// Everything that a forecast needs, so that it can be made elsewhere than where questions are asked.
pub struct Outlook {
    pub belief: Incremental,
    pub groups: Option<Groups>,
    pub model: AnswerModel,
    pub strategy: Strategy,
    pub candidates: Candidates,
    /// Pairs that are left to ask; none if pairs are asked again.
    pub left: Option<usize>,
    pub rule: StopRule,
    pub span: Span,
    pub seed: Seed,
}

/// A forecast, and how far it looked.
#[derive(Debug, Clone, Copy)]
pub struct Foreseen {
    pub forecast: Forecast,
    target: f64,
    /// How many more answers it looked at,
    looked: usize,
    /// and whether those are all that can be asked.
    all: bool,
}

impl Outlook {
    /// Looks ahead.
    ///
    /// # Errors
    /// As [`forecast`].
    pub fn look(&self) -> ordain::Result<Foreseen> {
        let Span { worlds, most, every } = self.span;
        let params = ForecastParams::default()
            .with_goal(self.rule.goal)
            .with_error(self.rule.error)
            .with_target(self.rule.target)
            .with_repeat(self.left.is_none())
            .with_worlds(worlds)
            .with_most(most)
            .with_every(every)
            .with_seed(self.seed);
        let groups = self.groups.as_ref();
        let forecast = forecast(&self.belief, groups, &self.model, self.strategy, &self.candidates, &params)?;
        let looked = self.left.map_or(most, |left| most.min(left));
        Ok(Foreseen { forecast, target: self.rule.target, looked, all: self.left.is_some_and(|left| left <= most) })
    }
}

impl Foreseen {
    /// Whether the pairs that are left may be too few.
    pub fn is_short(self) -> bool {
        self.all && self.forecast.median.is_none()
    }

    /// How many answers are still needed when this many came since, or were taken back if negative; in words.
    pub fn to_go(self, since: isize) -> String {
        let rest = |needed: usize| needed.saturating_add_signed(-since).max(1);
        let end = |end: Option<usize>| end.map_or(format!("over {}", rest(self.looked)), |end| rest(end).to_string());
        let target = format!("for {}", given(self.target));
        let looked = rest(self.looked);
        let Forecast { low, median, high } = self.forecast;
        match median.map(rest) {
            Some(median) => {
                let answers = output::count(median, "more answer");
                let (low, high) = (end(low), end(high));
                let range = if low == high { String::new() } else { format!(" ({low} to {high})") };
                format!("about {answers} {target}{range}")
            }
            None if self.is_short() => format!("{} left, perhaps too few {target}", output::count(looked, "pair")),
            None => format!("more than {} {target}", output::count(looked, "more answer")),
        }
    }
}

/// How certainty is counted while the judge waits.
pub fn quick(seed: Seed) -> CertaintyParams {
    CertaintyParams::default().with_draws(512).with_seed(seed)
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn nothing_that_is_counted_is_certain() {
        let said = [0.0, 0.004, 0.006, 0.5, 0.994, 0.996, 1.0].map(percent);
        assert_eq!(said, ["under 1 %", "under 1 %", "1 %", "50 %", "99 %", "over 99 %", "over 99 %"]);
    }
}
