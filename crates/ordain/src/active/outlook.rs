//! A forecast that stays within a budget of operations.
//!
//! A forecast takes time. The number of operations is first estimated from sizes, not measured by a clock. The forecast
//! is therefore the same on every machine.

use super::forecast::{Forecast, ForecastParams, look_ahead};
use super::standing::{QUICK_DRAWS, ROUGH_DRAWS};
use super::{Session, Strategy};
use crate::data::{Groups, Items};
use crate::{Error, Result, Watch};

/// The extent of a forecast: in how many worlds it looks ahead, how far in each, and how often certainty is counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    worlds: usize,
    every: usize,
    /// The operations that each world may take.
    budget: f64,
    cost: Cost,
}

/// The operations that a session costs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Cost {
    /// A question and its answer.
    pub question: f64,
    /// A look at a goal that is far.
    pub far: f64,
    /// A look at a goal that is near, so that certainty is counted well.
    pub near: f64,
}

impl Span {
    /// The operations of a forecast that takes some seconds, at about 1e9 operations per second and core: enough for a person who
    /// thinks, or waits for it.
    pub const BUDGET: f64 = 2e10;

    /// The fewest answers ahead that make a useful forecast.
    const FEWEST: f64 = 20.0;

    /// A span that takes some seconds. `learns` says whether the noise is learned.
    fn whole(items: &Items, answers: usize, strategy: Strategy, learns: bool) -> Self {
        const WORLDS: usize = 19;
        const EVERY: usize = 5;
        let cost = cost(items, answers, strategy, learns);
        Self {
            worlds: WORLDS,
            every: EVERY,
            budget: (Self::BUDGET / WORLDS as f64).max(Self::FEWEST * cost.question),
            cost,
        }
    }

    /// A rough span that fits into a budget of operations (about 1e9 operations per second and core). Certainty is
    /// counted after every `every` answers of a world. `None` if the budget allows too few answers for a useful
    /// forecast. `learns` says whether the noise is learned.
    pub fn within(
        budget: f64,
        every: usize,
        items: &Items,
        answers: usize,
        strategy: Strategy,
        learns: bool,
    ) -> Option<Self> {
        const WORLDS: usize = 9;
        let cost = cost(items, answers, strategy, learns);
        // A world is drawn for all items together.
        let count = items.len() as f64;
        let budget = (budget - count * count * count / 3.0) / WORLDS as f64;
        (budget >= Self::FEWEST * cost.question).then_some(Self { worlds: WORLDS, every, budget, cost })
    }
}

/// The operations of a session with this strategy, some answers from now.
fn cost(items: &Items, answers: usize, strategy: Strategy, learns: bool) -> Cost {
    /// Operations per pair of the slowest strategy that does not look ahead.
    const PAIR: f64 = 60.0;
    /// Operations per cube of the compared items, where the noise is learned: EP now and then, and EP for every judge.
    const EP: f64 = 4.0;
    const EVERY_JUDGE: f64 = 60.0;
    /// Operations per answer of one EP.
    const SITES: f64 = 1000.0;
    // A world has about this many answers on its way.
    let answers = answers + 50;
    let pairs: f64 = items.group_sizes().into_iter().map(|size| PAIR * (size * size) as f64 / 2.0).sum();
    let choice = if strategy.looks_ahead() { pairs * pairs } else { pairs };
    let count = items.len() as f64;
    let cube = if learns { count.min(answers as f64).powi(3) + SITES * answers as f64 / EP } else { 0.0 };
    let counted = |draws: usize| certainty_cost(items.group_sizes().into_iter(), answers, draws);
    let question = choice + count * count + EP * cube;
    let far = counted(ROUGH_DRAWS);
    let near = far + if learns { 2.0 * counted(QUICK_DRAWS) + EVERY_JUDGE * cube } else { counted(QUICK_DRAWS) };
    Cost { question, far, near }
}

/// The amount of work that a forecast may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effort {
    /// A few seconds.
    Whole,
    /// About a fifth of a second on two cores. There is no forecast if that is too little for a useful one.
    IfQuick,
}

impl Effort {
    /// The span that this effort allows.
    pub(crate) fn span(self, items: &Items, answers: usize, strategy: Strategy, learns: bool) -> Option<Span> {
        match self {
            Self::Whole => Some(Span::whole(items, answers, strategy, learns)),
            Self::IfQuick => Span::within(2e8, 5, items, answers, strategy, learns),
        }
    }
}

/// The operations that one [`certainty`](super::certainty()) of these items costs after this many answers.
fn certainty_cost(sizes: impl Iterator<Item = usize>, answers: usize, draws: usize) -> f64 {
    /// Operations per answer and draw: a few likelihoods, most of which are certain without computation.
    const LIKELIHOODS: f64 = 150.0;
    let cost = |size: usize| {
        let size = size as f64;
        size * size * size / 3.0 + draws as f64 * size * (size + 20.0)
    };
    let groups: f64 = sizes.map(cost).sum();
    groups + draws as f64 * LIKELIHOODS * answers as f64
}

/// Whether a count of certainty takes at most about a fifth of a second on two cores, so that it can be made before every question.
pub(super) fn is_quick(items: usize, groups: Option<&Groups>, answers: usize, draws: usize) -> bool {
    const BUDGET: f64 = 1.2e9;
    let cost = match groups {
        None => certainty_cost(std::iter::once(items), answers, draws),
        Some(groups) => certainty_cost(groups.sizes(), answers, draws),
    };
    cost <= BUDGET
}

/// Whether a ranking of these groups, from EP over all answers, takes at most about a fifth of a second on two cores.
pub(super) fn is_settled_quickly(sizes: &[usize], answers: usize, draws: usize) -> bool {
    const BUDGET: f64 = 1.2e9;
    /// Operations per cube of the coordinates: about ten iterations.
    const EP: f64 = 7.0;
    /// So many answers per item are not followed by draws.
    const MANY: usize = 32;
    let items: usize = sizes.iter().sum();
    let followed = if answers > MANY * items { 0 } else { answers };
    let coordinates = items.min(answers) as f64;
    certainty_cost(sizes.iter().copied(), followed, draws) + EP * coordinates.powi(3) <= BUDGET
}

/// Everything that a forecast needs. It owns its data, so it can run on another thread while the session goes on.
pub struct Outlook {
    session: Session,
    /// The number of pairs that are left to ask. `None` if pairs may be asked again.
    left: Option<usize>,
    params: ForecastParams,
}

impl Outlook {
    /// An outlook from where a session is, with this number of pairs left to ask.
    ///
    /// # Errors
    /// If there are more than 20,000 items.
    pub(super) fn new(session: Session, left: Option<usize>, span: Span) -> Result<Self> {
        /// Sessions of more items are not played in one world after another.
        const MOST: usize = 20_000;
        let items = session.belief().len();
        if items > MOST {
            return Err(Error::TooLarge { what: "a project".into(), size: items, limit: MOST, method: "forecasts" });
        }
        let Span { worlds, every, budget, cost } = span;
        let seed = session.params().seed;
        let params = ForecastParams { worlds, every, budget, cost, seed, ..ForecastParams::default() };
        Ok(Self { session, left, params })
    }

    /// Makes the forecast.
    ///
    /// # Errors
    /// As [`forecast`](super::forecast()), or if the watch stops it.
    pub fn look(&self, watch: &Watch) -> Result<Foreseen> {
        let params = ForecastParams { watch: watch.clone(), ..self.params.clone() };
        let (forecast, looked) = look_ahead(&self.session, &params)?;
        Ok(Foreseen {
            forecast,
            target: self.session.params().rule.map_or(1.0, |rule| rule.target),
            given: self.session.learned(),
            looked: self.left.map_or(looked, |left| looked.min(left)),
            all: self.left.is_some_and(|left| left <= looked),
        })
    }
}

/// A forecast and its extent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foreseen {
    /// The answers still needed.
    pub forecast: Forecast,
    /// The probability with which the goal must be reached.
    pub target: f64,
    /// The number of standing answers when the forecast was made. Skips are no answers.
    pub given: usize,
    /// The number of answers that the forecast looked ahead.
    pub looked: usize,
    /// Whether no more answers than these can be asked.
    pub all: bool,
}

impl Foreseen {
    /// Whether the pairs that are left may be too few to reach the goal.
    pub fn is_short(self) -> bool {
        self.all && self.forecast.median.is_none()
    }
}
