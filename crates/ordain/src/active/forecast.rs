//! A forecast of the number of answers still needed.
//!
//! The belief says which worlds are possible. Some worlds are drawn from it. In each world the session goes on: its
//! strategy asks, a judge of that world answers with the model's noise, and the belief learns, until the goal is
//! reached with the wanted probability. The numbers of answers in the worlds are the forecast. The forecast is as right
//! as the belief itself.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{Candidates, CertaintyParams, Judge, StopRule, Strategy, certainty, choose};
use crate::data::{Goal, Groups, ItemId};
use crate::gp::{AnswerModel, Belief, Draws, Incremental};
use crate::numeric::{Purpose, Seed};
use crate::params::setters;
use crate::watch::Step;
use crate::{Result, Watch};

/// Parameters of a forecast.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ForecastParams {
    /// The rule that ends a session.
    pub rule: StopRule,
    /// Whether a pair may be asked again.
    pub repeat: bool,
    /// The number of worlds to draw.
    pub worlds: usize,
    /// The number of answers after which a world is given up.
    pub most: usize,
    /// Certainty is counted after every `every` answers, so this is the resolution of the forecast.
    pub every: usize,
    /// The probability that the forecast interval holds the number of answers.
    pub level: f64,
    /// The seed of the worlds.
    pub seed: Seed,
    /// Follows the worlds and can cancel the forecast.
    pub watch: Watch,
}

impl Default for ForecastParams {
    fn default() -> Self {
        Self {
            rule: StopRule::new(Goal::WholeOrder),
            repeat: false,
            worlds: 40,
            most: 1000,
            every: 5,
            level: 0.8,
            seed: Seed(1),
            watch: Watch::NONE,
        }
    }
}

setters! {
    ForecastParams:
    with_rule = rule: StopRule,
    with_repeat = repeat: bool,
    with_worlds = worlds: usize,
    with_most = most: usize,
    with_every = every: usize,
    with_level = level: f64,
    with_seed = seed: Seed,
    with_watch = watch: Watch,
}

/// The number of answers still needed. `None` means more answers than the forecast looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forecast {
    /// The lower end of the interval. Half of the probability outside the interval lies below it.
    pub low: Option<usize>,
    /// The median: more answers are as likely as fewer.
    pub median: Option<usize>,
    /// The upper end of the interval. Half of the probability outside the interval lies above it.
    pub high: Option<usize>,
}

/// The number of draws from which certainty is counted in a world. A world has many answers in sequence; with fewer
/// draws, chance would end it too early.
pub(super) const WORLD_DRAWS: usize = 512;

/// The name of this step for a [`Watch`].
const LOOKING: &str = "looking ahead";

/// Draws form a chain. One draw out of this many becomes a world.
const APART: usize = 8;

/// Forecasts the number of answers still needed if the session goes on with this strategy. The cost is `worlds * most`
/// questions of [`choose`], and `worlds * most / every` counts of certainty.
///
/// # Errors
/// If the kernel cannot be evaluated, or a group has more than 20,000 items.
pub fn forecast(
    belief: &dyn Belief,
    groups: Option<&Groups>,
    model: &AnswerModel,
    strategy: Strategy,
    candidates: &Candidates,
    params: &ForecastParams,
) -> Result<Forecast> {
    let start = Incremental::from_belief(belief)?;
    let judge = Judge::from(model);
    let items: Vec<ItemId> = (0..belief.len()).map(ItemId::new).collect();
    let draws = Draws::new(belief, &items)?;
    let silent = params.watch.silent();
    let mut worlds = draws.each(params.worlds * APART, params.seed, 0, &silent, |utilities, _| utilities.to_vec())?;
    worlds = worlds.into_iter().step_by(APART).collect();
    let done = AtomicUsize::new(0);
    let one = |(world, utilities): (usize, &Vec<f64>)| -> Result<Option<usize>> {
        let mut belief = start.clone();
        let mut candidates = candidates.clone();
        // These streams differ from those of the draws.
        let mut stream = params.seed.stream(Purpose::World(world));
        for answers in 0..=params.most {
            silent.step(|| Step::new(LOOKING, done.load(Ordering::Relaxed), params.worlds))?;
            let question = match answers < params.most {
                true => choose(&belief, model, strategy, &candidates, &mut stream)?,
                false => None,
            };
            // Certainty is also counted when nothing more can be asked.
            let look = answers % params.every.max(1) == 0 || question.is_none();
            if look && reached(&belief, groups, params)? {
                return Ok(Some(answers));
            }
            let Some(question) = question else { break };
            let (first, second) = (question.first, question.second);
            let answer = judge.compare(utilities, first, second, &mut stream)?;
            candidates.rule_out(&answer, params.repeat);
            model.observe(&answer)?.iter().try_for_each(|observation| belief.observe(observation))?;
        }
        Ok(None)
    };
    let counted = |world: (usize, &Vec<f64>)| {
        let needed = one(world)?;
        params.watch.step(|| Step::new(LOOKING, done.fetch_add(1, Ordering::Relaxed) + 1, params.worlds))?;
        Ok(needed)
    };
    let mut needed: Vec<Option<usize>> = worlds.par_iter().enumerate().map(counted).collect::<Result<_>>()?;
    // Worlds that were given up took longest.
    needed.sort_by_key(|needed| needed.unwrap_or(usize::MAX));
    let outside = 0.5 * (1.0 - params.level);
    let quantile = |probability: f64| {
        let position = (probability * needed.len() as f64).ceil() as usize;
        needed.get(position.clamp(1, needed.len().max(1)) - 1).copied().flatten()
    };
    Ok(Forecast { low: quantile(outside), median: quantile(0.5), high: quantile(1.0 - outside) })
}

fn reached(belief: &dyn Belief, groups: Option<&Groups>, params: &ForecastParams) -> Result<bool> {
    let own = CertaintyParams { draws: WORLD_DRAWS, seed: params.seed, watch: params.watch.silent() };
    Ok(params.rule.is_met(&certainty(belief, groups, &own)?))
}
