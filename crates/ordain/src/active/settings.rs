//! The one place where the settings of a session are decided: goal, strategy, focus, repeat and seed, from what a project
//! says and what a caller wants otherwise.

use super::Strategy;
use crate::Error;
use crate::data::{Ask, Goal, Items};
use crate::numeric::Seed;

/// What a caller wants otherwise than the project's `[ask]` says.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct AskOptions {
    /// Another goal.
    pub goal: Option<Goal>,
    /// Another strategy, by name.
    pub strategy: Option<String>,
    /// Another focus.
    pub focus: Option<f64>,
    /// Another seed.
    pub seed: Option<u64>,
}

impl AskOptions {
    /// Nothing but another goal, if there is one.
    pub fn goal(goal: Option<Goal>) -> Self {
        Self { goal, ..Self::default() }
    }
}

/// The settings of a session.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Asking {
    /// What the answers are for.
    pub goal: Goal,
    /// How the next pair is chosen.
    pub strategy: Strategy,
    /// Whether a pair that was answered may be asked again.
    pub repeat: bool,
    /// What decides among pairs that are equally good.
    pub seed: Seed,
}

/// Why settings do not fit together.
#[derive(Debug)]
pub(crate) enum Unfit {
    /// The project names a strategy that does not exist.
    UnknownStrategy {
        /// The name.
        name: String,
    },
    /// The project gives a focus to a strategy that has none.
    NoFocus {
        /// The focus.
        focus: f64,
        /// The strategy.
        strategy: &'static str,
    },
    /// The caller's own options do not fit.
    Options(Error),
}

const NO_FOCUS: &str = "leave it out, or choose a strategy that has one, for example expected-loss";

impl Asking {
    /// Decides the settings. An option of the caller counts more than the project, and the project more than what suits the goal.
    ///
    /// # Errors
    /// If there is no such strategy, or the strategy has no focus and one is given.
    pub(crate) fn resolve(ask: &Ask, options: &AskOptions, items: &Items) -> std::result::Result<Self, Unfit> {
        let goal = options.goal.unwrap_or(ask.goal);
        // A project's focus is meant for its own strategy, or that of its own goal.
        let own = options.strategy.is_none() && (ask.strategy.is_some() || goal == ask.goal);
        let focus = options.focus.or(ask.focus.filter(|_| own));
        let named = |name: &str, focus| Strategy::named(name, focus, goal, items.mean_group_size());
        let name = match (&options.strategy, &ask.strategy) {
            (Some(name), _) => name.as_str(),
            (None, Some(name)) if named(name, None).is_err() => {
                return Err(Unfit::UnknownStrategy { name: name.clone() });
            }
            (None, Some(name)) => name.as_str(),
            (None, None) => Strategy::usual_name(goal, focus.is_some()),
        };
        let strategy = named(name, None).map_err(Unfit::Options)?;
        if let (Some(focus), None) = (focus, strategy.focus()) {
            return Err(match options.focus {
                Some(_) => Unfit::Options(Error::Setting {
                    name: "focus",
                    found: focus.to_string(),
                    expected: format!("no focus: the strategy {} has none", strategy.name()),
                    hint: NO_FOCUS,
                }),
                None => Unfit::NoFocus { focus, strategy: strategy.name() },
            });
        }
        let strategy = named(name, focus).map_err(Unfit::Options)?;
        Ok(Self { goal, strategy, repeat: ask.repeat, seed: Seed(options.seed.unwrap_or(ask.seed)) })
    }
}

impl From<Unfit> for Error {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::UnknownStrategy { name } => Self::Setting {
                name: "strategy",
                found: name,
                expected: format!("one of {}", Strategy::names().join(", ")),
                hint: "leave it out to have the goal's own",
            },
            Unfit::NoFocus { focus, strategy } => Self::Setting {
                name: "focus",
                found: focus.to_string(),
                expected: format!("no focus: the strategy {strategy} has none"),
                hint: NO_FOCUS,
            },
            Unfit::Options(error) => error,
        }
    }
}
