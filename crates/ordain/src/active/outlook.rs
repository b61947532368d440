//! A forecast that stays within a budget of operations.
//!
//! A forecast takes time. The number of operations is first estimated from sizes, not measured by a clock. The forecast
//! is therefore the same on every machine.

use super::forecast::{Forecast, ForecastParams, WORLD_DRAWS, forecast};
use super::{Asking, Candidates, StopRule, Strategy};
use crate::data::{Groups, Items};
use crate::gp::{AnswerModel, Belief, Incremental, check_size};
use crate::{Result, Watch};

/// The extent of a forecast: how many answers it looks ahead, in how many worlds, and how often certainty is counted in
/// each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    worlds: usize,
    most: usize,
    every: usize,
}

impl Span {
    /// The fewest answers ahead that make a useful forecast.
    const FEWEST: usize = 20;
    /// The most answers ahead that make a useful forecast.
    const MOST: usize = 1000;

    /// A span that takes some seconds.
    fn whole(items: &Items, answers: usize, strategy: Strategy) -> Self {
        const BUDGET: f64 = 6e9;
        const WORLDS: usize = 20;
        const EVERY: usize = 10;
        let most = Self::most(BUDGET / WORLDS as f64, EVERY, items, answers, strategy);
        Self { worlds: WORLDS, most: most.max(Self::FEWEST), every: EVERY }
    }

    /// A rough span that fits into a budget of operations (about 1e9 operations per second and core). Certainty is
    /// counted after every `every` answers of a world. `None` if the budget allows too few answers for a useful
    /// forecast.
    pub fn within(budget: f64, every: usize, items: &Items, answers: usize, strategy: Strategy) -> Option<Self> {
        const WORLDS: usize = 6;
        let most = Self::most(budget / WORLDS as f64, every, items, answers, strategy);
        (most >= Self::FEWEST).then_some(Self { worlds: WORLDS, most, every })
    }

    /// The number of answers ahead that a budget per world allows.
    fn most(budget: f64, every: usize, items: &Items, answers: usize, strategy: Strategy) -> usize {
        /// Operations per pair of the slowest strategy that does not look ahead.
        const PAIR: f64 = 60.0;
        // A world has about this many answers on its way.
        let answers = answers + 100;
        let pairs: f64 = items.group_sizes().into_iter().map(|size| PAIR * (size * size) as f64 / 2.0).sum();
        let choice = if strategy.looks_ahead() { pairs * pairs } else { pairs };
        // A world is drawn for all items together, and every answer is learned for all items.
        let count = items.len() as f64;
        let start = count * count * count / 3.0;
        let step = choice + count * count + certainty_cost(items, answers, WORLD_DRAWS) / every as f64;
        (((budget - start) / step).max(0.0) as usize).min(Self::MOST)
    }
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
    pub(crate) fn span(self, items: &Items, answers: usize, strategy: Strategy) -> Option<Span> {
        match self {
            Self::Whole => Some(Span::whole(items, answers, strategy)),
            Self::IfQuick => Span::within(1e8, 10, items, answers, strategy),
        }
    }
}

/// The operations that one [`certainty`](super::certainty()) of these items costs after this many answers.
pub fn certainty_cost(items: &Items, answers: usize, draws: usize) -> f64 {
    /// Operations per answer and draw: a few likelihoods, most of which are certain without computation.
    const LIKELIHOODS: f64 = 150.0;
    let cost = |size: usize| {
        let size = size as f64;
        size * size * size / 3.0 + draws as f64 * size * (size + 20.0)
    };
    let groups: f64 = items.group_sizes().into_iter().map(cost).sum();
    groups + draws as f64 * LIKELIHOODS * answers as f64
}

/// Everything that a forecast needs. It owns its data, so it can run on another thread while the session goes on.
pub struct Outlook {
    belief: Incremental,
    groups: Option<Groups>,
    model: AnswerModel,
    strategy: Strategy,
    candidates: Candidates,
    /// The number of pairs that are left to ask. `None` if pairs may be asked again.
    left: Option<usize>,
    params: ForecastParams,
}

impl Outlook {
    /// An outlook from this belief, under these settings and among these candidates.
    ///
    /// # Errors
    /// If there are more than 20,000 items, or the belief cannot give its covariances.
    pub(crate) fn new(
        belief: &dyn Belief,
        groups: Option<&Groups>,
        model: AnswerModel,
        asking: &Asking,
        candidates: Candidates,
        rule: StopRule,
        span: Span,
    ) -> Result<Self> {
        // A world is drawn for all items together.
        check_size(belief.len())?;
        let Span { worlds, most, every } = span;
        let (repeat, seed) = (asking.repeat, asking.seed);
        let params = ForecastParams { rule, repeat, worlds, most, every, seed, ..ForecastParams::default() };
        let left = (!repeat && !candidates.asks_again()).then(|| candidates.left(belief.len()));
        let belief = Incremental::from_belief(belief)?;
        Ok(Self { belief, groups: groups.cloned(), model, strategy: asking.strategy, candidates, left, params })
    }

    /// Makes the forecast.
    ///
    /// # Errors
    /// As [`forecast`], or if the watch stops it.
    pub fn look(&self, watch: &Watch) -> Result<Foreseen> {
        let params = ForecastParams { watch: watch.clone(), ..self.params.clone() };
        let groups = self.groups.as_ref();
        let forecast = forecast(&self.belief, groups, &self.model, self.strategy, &self.candidates, &params)?;
        let most = params.most;
        Ok(Foreseen {
            forecast,
            target: params.rule.target,
            looked: self.left.map_or(most, |left| most.min(left)),
            all: self.left.is_some_and(|left| left <= most),
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
