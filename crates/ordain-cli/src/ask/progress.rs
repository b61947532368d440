//! How sure the ranking is, and how far there is to go.
//!
//! Both are counted from draws, which takes time that the judge should not notice. So the number of operations is
//! estimated first (by sizes and not by a clock: what is shown is the same on any machine), and what takes more than the
//! blink of an eye is left out.

use ordain::active::{CertaintyParams, Forecast, ForecastParams, Session, Strategy, certainty, forecast};
use ordain::data::{Goal, Groups, Items};
use ordain::formats::Project;
use ordain::gp::AnswerModel;

use super::Arguments;
use crate::question::{Asking, candidates, group_sizes};
use crate::{Failure, output};

/// Answers between two forecasts.
const FORECAST_EVERY: usize = 10;

/// Operations of a forecast: about a fifth of a second on two cores.
const BUDGET: f64 = 1e8;

/// Operations of a certainty: most are a matrix product, so that they take no longer than those of a forecast.
const CERTAINTY_BUDGET: f64 = 1.2e9;

/// Operations that a pair costs the dearest of the strategies that do not look ahead.
const PAIR: f64 = 60.0;

/// Worlds of a forecast: enough for a rough number.
const WORLDS: usize = 6;

/// Answers between two looks at the certainty of a world, which are most of a forecast's cost.
const LOOK_EVERY: usize = 10;

/// A forecast that looks at fewer answers says too little.
const FEWEST: usize = 20;

/// The goal, and what is known of the way there.
pub struct Progress {
    goal: Goal,
    error: f64,
    target: f64,
    params: CertaintyParams,
    /// Whether certainty is counted at all.
    countable: bool,
    /// Answers that a forecast looks at; none if it would take too long.
    most: Option<usize>,
    latest: Option<Latest>,
}

/// The latest forecast.
struct Latest {
    forecast: Forecast,
    /// After how many answers it was made.
    at: usize,
    /// How many more answers it looked at,
    looked: usize,
    /// and whether those are all that can be asked.
    all: bool,
}

impl Progress {
    pub fn new(arguments: &Arguments, asking: &Asking, items: &Items) -> Self {
        let params = CertaintyParams { draws: 512, seed: asking.seed };
        let sizes: Vec<f64> = group_sizes(items).into_iter().map(|size| size as f64).collect();
        let look = |draws: usize| sizes.iter().map(|g| g * g * g / 3.0 + draws as f64 * g * (g + 20.0)).sum::<f64>();
        let pairs = sizes.iter().map(|g| PAIR * g * g / 2.0).sum::<f64>();
        let choice = match asking.strategy {
            Strategy::LookAhead { .. } | Strategy::PredictiveEntropy => pairs * pairs,
            _ => pairs,
        };
        let items = items.len() as f64;
        // A world is drawn for all items together, learns each answer for all of them, and is looked at with 256 draws.
        let start = items * items * items / 3.0;
        let step = choice + items * items + look(256) / LOOK_EVERY as f64;
        let most = (((BUDGET - start) / (WORLDS as f64 * step)).max(0.0) as usize).min(1000);
        Self {
            goal: asking.goal,
            error: arguments.error,
            target: arguments.target,
            countable: look(params.draws) <= CERTAINTY_BUDGET,
            params,
            most: Some(most).filter(|&most| most >= FEWEST),
            latest: None,
        }
    }

    /// The probability that the goal is reached in the group where it is least so.
    pub fn probability(&self, session: &Session, groups: Option<&Groups>) -> Result<Option<f64>, Failure> {
        if !self.countable {
            return Ok(None);
        }
        let all = certainty(session.belief(), groups, &self.params)?;
        Ok(Some(all.iter().map(|one| one.probability(self.goal, self.error)).fold(1.0, f64::min)))
    }

    /// Whether this is as sure as was wanted.
    pub fn is_enough(&self, probability: Option<f64>) -> bool {
        probability.is_some_and(|probability| probability >= self.target)
    }

    /// Looks ahead again if the latest forecast is some answers old.
    pub fn look_ahead(&mut self, session: &Session, project: &Project, model: &AnswerModel) -> Result<(), Failure> {
        let at = session.answers().len();
        let fresh = self.latest.as_ref().is_some_and(|latest| at.abs_diff(latest.at) < FORECAST_EVERY);
        let Some(most) = self.most.filter(|_| self.countable && !fresh) else { return Ok(()) };
        let (candidates, left) = candidates(project, session.answers());
        let params = ForecastParams {
            goal: self.goal,
            error: self.error,
            target: self.target,
            worlds: WORLDS,
            most,
            every: LOOK_EVERY,
            repeat: project.ask.repeat,
            seed: self.params.seed,
            ..ForecastParams::default()
        };
        let strategy = session.params().strategy;
        let forecast = forecast(session.belief(), project.items.groups(), model, strategy, &candidates, &params)?;
        self.latest = Some(Latest { forecast, at, looked: most.min(left), all: left <= most && !project.ask.repeat });
        Ok(())
    }

    /// How sure the goal is, in words.
    pub fn certainty(&self, probability: Option<f64>) -> String {
        let what = match self.goal {
            Goal::Best => "the first item is the best".into(),
            Goal::Top { k } => format!("the first {k} are the best {k}"),
            Goal::WholeOrder => format!("at most {:.0} % of pairs stand in the wrong order", 100.0 * self.error),
        };
        match probability {
            Some(probability) => format!("{:.0} % sure that {what}", 100.0 * probability),
            None => "too many items to say at once how sure the ranking is".into(),
        }
    }

    /// How many answers are still needed, in words.
    pub fn to_go(&self, answers: usize) -> Option<String> {
        let latest = self.latest.as_ref()?;
        // An older forecast less the answers since.
        let rest = |needed: usize| (needed + latest.at).saturating_sub(answers).max(1);
        let end = |end: Option<usize>| end.map_or(format!("over {}", rest(latest.looked)), |end| rest(end).to_string());
        let target = format!("for {:.0} %", 100.0 * self.target);
        let looked = rest(latest.looked);
        let Forecast { low, median, high } = latest.forecast;
        Some(match median.map(rest) {
            Some(median) => {
                let answers = output::count(median, "more answer");
                format!("about {answers} {target} ({} to {})", end(low), end(high))
            }
            None if latest.all => format!("{} left, perhaps too few {target}", output::count(looked, "pair")),
            None => format!("more than {} {target}", output::count(looked, "more answer")),
        })
    }
}
