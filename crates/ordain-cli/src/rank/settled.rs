//! How settled a ranking is: the goal's probability, and how far there is to go.

use ordain::active::{Asking, Forecast, Foreseen, Span, StopRule};
use ordain::data::Goal;
use ordain::{Fitted, Ranking};
use serde::Serialize;

use crate::Failure;
use crate::working::working;

/// Operations of a forecast that was not asked for: about a fifth of a second on two cores.
const UNASKED: f64 = 1e8;

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

/// Looks ahead, if that is wanted and possible: newcomers are not asked about.
pub fn foresee(
    fitted: &Fitted<'_>,
    ranking: &Ranking,
    asking: &Asking,
    rule: StopRule,
    ahead: Ahead,
) -> Result<Option<Foreseen>, Failure> {
    let span = match ahead {
        _ if fitted.has_newcomers() || rule.is_met(&ranking.groups) => None,
        Ahead::Always => Some(Span::whole(fitted.items(), fitted.learned(), asking.strategy)),
        Ahead::IfQuick => Span::within(UNASKED, 10, fitted.items(), fitted.learned(), asking.strategy),
        Ahead::Never => None,
    };
    let working = working("looking ahead");
    Ok(span.map(|span| fitted.outlook(asking, rule, span)?.look(&working.watch())).transpose()?)
}

/// In words.
pub fn line(ranking: &Ranking, rule: &StopRule, foreseen: Option<Foreseen>) -> String {
    let mut out = rule.sentence(ranking.probability(rule), ranking.groups.len());
    if rule.goal == Goal::WholeOrder {
        out += &format!(" (expected: {:.1} %)", 100.0 * ranking.wrong_pairs());
    }
    let Some(foreseen) = foreseen else { return out };
    let again = if foreseen.is_short() { "\nwith repeat = true under [ask], pairs are asked again" } else { "" };
    format!("{out}; {}{again}", foreseen.to_go(0))
}

/// For programs.
pub fn report(ranking: &Ranking, rule: &StopRule, foreseen: Option<Foreseen>) -> Report {
    let StopRule { goal, error, target, .. } = *rule;
    Report {
        goal: goal.name(),
        k: goal.places(),
        error: (goal == Goal::WholeOrder).then_some(error),
        target,
        probability: ranking.probability(rule),
        wrong_pairs: ranking.wrong_pairs(),
        forecast: foreseen.map(|Foreseen { forecast: Forecast { low, median, high }, .. }| ForecastReport {
            low,
            median,
            high,
        }),
    }
}
