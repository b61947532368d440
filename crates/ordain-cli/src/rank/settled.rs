//! How settled a ranking is: the goal's probability, tiers, and how far there is to go.

use ordain::active::{Certainty, StopRule};
use ordain::data::{Goal, Groups};
use ordain::gp::Incremental;
use serde::Serialize;

use crate::Failure;
use crate::certainty::{Foreseen, Outlook, Span, sentence};
use crate::model::{Model, working};
use crate::question::{Asking, candidates};

/// Operations of a forecast that was not asked for: about a fifth of a second on two cores.
const UNASKED: f64 = 1e8;

/// The probability with which tiers are told apart.
const LEVEL: f64 = 0.9;

/// How settled a ranking is.
pub struct Settled {
    rule: StopRule,
    groups: Vec<Certainty>,
    foreseen: Option<Foreseen>,
}

/// Whether a forecast is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// However long it takes.
    Always,
    /// If nobody notices.
    IfQuick,
    /// Not at all.
    Never,
}

/// What JSON says of it.
#[derive(Serialize)]
pub struct Report {
    goal: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    k: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    target: f64,
    probability: f64,
    wrong_pairs: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    forecast: Option<ForecastReport>,
}

#[derive(Serialize)]
struct ForecastReport {
    low: Option<usize>,
    median: Option<usize>,
    high: Option<usize>,
}

impl Settled {
    /// From how settled every group is, with a forecast perhaps.
    pub fn new(
        model: &Model,
        groups: Vec<Certainty>,
        asking: &Asking,
        rule: StopRule,
        ahead: Ahead,
    ) -> Result<Self, Failure> {
        // Newcomers are not asked about.
        let span = match ahead {
            _ if model.has_newcomers() || rule.is_met(&groups) => None,
            Ahead::Always => Some(Span::whole(model.items(), model.learned, asking.strategy)),
            Ahead::IfQuick => Span::within(UNASKED, 10, model.items(), model.learned, asking.strategy),
            Ahead::Never => None,
        };
        let working = working("looking ahead");
        let foreseen = span.map(|span| foresee(model, asking, rule, span)).transpose()?;
        drop(working);
        Ok(Self { rule, groups, foreseen })
    }

    /// The tier of every item from 1, in the order of the ranking.
    pub fn tiers(&self) -> Vec<usize> {
        let of_group = |group: &Certainty| {
            let sizes = group.tiers(LEVEL).into_iter().enumerate();
            sizes.flat_map(|(tier, size)| std::iter::repeat_n(tier + 1, size)).collect::<Vec<_>>()
        };
        self.groups.iter().flat_map(of_group).collect()
    }

    /// The expected share of pairs in the wrong order, in the group where it is largest.
    fn wrong_pairs(&self) -> f64 {
        self.groups.iter().map(Certainty::error).fold(0.0, f64::max)
    }

    /// In words.
    pub fn line(&self, groups: Option<&Groups>) -> String {
        let mut out = sentence(&self.rule, self.rule.probability(&self.groups), groups);
        if self.rule.goal == Goal::WholeOrder {
            out += &format!(" (expected: {:.1} %)", 100.0 * self.wrong_pairs());
        }
        let Some(foreseen) = self.foreseen else { return out };
        let again = if foreseen.is_short() { "\nwith repeat = true under [ask], pairs are asked again" } else { "" };
        format!("{out}; {}{again}", foreseen.to_go(0))
    }

    /// For programs.
    pub fn report(&self) -> Report {
        let StopRule { goal, error, target, .. } = self.rule;
        let forecast = self.foreseen.map(|foreseen| foreseen.forecast);
        Report {
            goal: goal.name(),
            k: goal.places(),
            error: (goal == Goal::WholeOrder).then_some(error),
            target,
            probability: self.rule.probability(&self.groups),
            wrong_pairs: self.wrong_pairs(),
            forecast: forecast.map(|forecast| ForecastReport {
                low: forecast.low,
                median: forecast.median,
                high: forecast.high,
            }),
        }
    }
}

fn foresee(model: &Model, asking: &Asking, rule: StopRule, span: Span) -> Result<Foreseen, Failure> {
    let project = &model.project;
    let (candidates, left) = candidates(project, None, project.answers.standing());
    let outlook = Outlook {
        belief: Incremental::from_belief(model.belief.as_ref())?,
        groups: project.items.groups().cloned(),
        model: model.answers,
        strategy: asking.strategy,
        candidates,
        left: (!project.ask.repeat).then_some(left),
        rule,
        span,
        seed: asking.seed,
    };
    Ok(outlook.look()?)
}
