//! Settings of asking, from tables.

use ordain::active::AskOptions;
use ordain::data::{Ask, Goal};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::Outcome;
use crate::learners::get;

/// The settings of questions and of the goal.
#[pyclass(frozen, module = "ordain._core")]
pub struct Asking {
    pub asking: ordain::active::Asking,
}

/// What a model itself says about asking, from a table with the same keys.
pub fn settings(table: &Bound<'_, PyDict>) -> Outcome<Ask> {
    let options = options(table)?;
    let mut ask = Ask::default();
    ask.goal = options.goal.unwrap_or(ask.goal);
    ask.strategy = options.strategy;
    ask.focus = options.focus;
    ask.repeat = options.repeat.unwrap_or(ask.repeat);
    ask.seed = options.seed.unwrap_or(ask.seed);
    Ok(ask)
}

/// Options of asking from a table: goal, k, strategy, focus, repeat, seed, target, error, judge. What is absent is left open.
pub fn options(table: &Bound<'_, PyDict>) -> Outcome<AskOptions> {
    let places = get::<usize>(table, "k")?;
    let goal = match get::<String>(table, "goal")? {
        None => None,
        Some(word) => Some(match word.parse::<Goal>()? {
            Goal::Top { k } => Goal::Top { k: places.unwrap_or(k) },
            goal => goal,
        }),
    };
    Ok(AskOptions::default()
        .with_goal(goal)
        .with_strategy(get(table, "strategy")?)
        .with_focus(get(table, "focus")?)
        .with_repeat(get(table, "repeat")?)
        .with_seed(get(table, "seed")?)
        .with_target(get(table, "target")?)
        .with_error(get(table, "error")?)
        .with_judge(get(table, "judge")?))
}
