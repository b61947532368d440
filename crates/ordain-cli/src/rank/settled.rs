//! The certainty of a ranking in JSON.

use ordain::Ranking;
use ordain::active::{Forecast, Foreseen, StopRule};
use serde::Serialize;

/// The key `certainty` in JSON.
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

impl Report {
    /// The certainty of a ranking by this rule.
    pub fn new(ranking: &Ranking, rule: &StopRule, foreseen: Option<Foreseen>) -> Self {
        let report = |Forecast { low, median, high, .. }: Forecast| ForecastReport { low, median, high };
        Self {
            goal: rule.goal.name(),
            k: rule.goal.places(),
            error: rule.goal.is_order().then_some(rule.error),
            target: rule.target,
            probability: ranking.probability(rule),
            wrong_pairs: ranking.wrong_pairs(),
            forecast: foreseen.map(|foreseen| report(foreseen.forecast)),
        }
    }
}
