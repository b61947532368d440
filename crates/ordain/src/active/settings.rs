//! The settings of a session: goal and stop rule, strategy, focus, repeat and seed. This is the one place that decides them, from the
//! project's settings and the caller's options.

use super::{StopRule, Strategy};
use crate::Error;
use crate::data::{Ask, Goal, Items};
use crate::numeric::Seed;
use crate::params::setters;

/// The caller's options. They override the project's `[ask]`.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct AskOptions {
    /// The goal, if not the project's.
    pub goal: Option<Goal>,
    /// The name of the strategy, if not the project's.
    pub strategy: Option<String>,
    /// The focus, if not the project's.
    pub focus: Option<f64>,
    /// Whether a pair may be asked again.
    pub repeat: Option<bool>,
    /// Another seed.
    pub seed: Option<u64>,
    /// The probability with which the goal must be reached, if not 0.9.
    pub target: Option<f64>,
    /// The share of pairs that may be in the wrong order, if not a tenth.
    pub error: Option<f64>,
    /// The judge for whom questions are chosen, by what is known of his noise; any judge if there is none.
    pub judge: Option<String>,
}

setters! {
    AskOptions:
    with_goal = goal: Option<Goal>,
    with_strategy = strategy: Option<String>,
    with_focus = focus: Option<f64>,
    with_repeat = repeat: Option<bool>,
    with_seed = seed: Option<u64>,
    with_target = target: Option<f64>,
    with_error = error: Option<f64>,
    with_judge = judge: Option<String>,
}

/// The settings of a session.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Asking {
    /// The goal of the answers, and when it counts as reached.
    pub rule: StopRule,
    /// The strategy that chooses the next pair.
    pub strategy: Strategy,
    /// Whether a pair that was answered may be asked again.
    pub repeat: bool,
    /// Whether single items may be asked for their grade.
    pub grades: bool,
    /// The seed of the draws among equally good pairs.
    pub seed: Seed,
}

/// The reason why settings do not fit together.
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
    /// The project's goal is more items than there are.
    TooMany {
        /// How many.
        k: usize,
        /// What is possible.
        expected: String,
    },
    /// The caller's options do not fit.
    Options(Error),
}

const NO_FOCUS: &str = "leave it out, or choose a strategy that has one, for example expected-loss";

impl Asking {
    /// Decides the settings. The caller's options override the project, and the project overrides the defaults of the
    /// goal.
    ///
    /// # Errors
    /// If the strategy does not exist, a focus is given for a strategy that has none, or the goal is more items than there are.
    pub(crate) fn resolve(ask: &Ask, options: &AskOptions, items: &Items) -> std::result::Result<Self, Unfit> {
        let goal = options.goal.unwrap_or(ask.goal);
        let sizes = items.group_sizes();
        match (options.goal, goal.places(), goal.most(&sizes)) {
            (Some(_), ..) => goal.check(&sizes).map_err(Unfit::Options)?,
            (None, Some(k), Some(expected)) => return Err(Unfit::TooMany { k, expected }),
            _ => {}
        }
        // A project's focus is meant for the project's strategy or the strategy of its goal.
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
        let repeat = options.repeat.unwrap_or(ask.repeat);
        let mut rule = StopRule::new(goal);
        rule.target = options.target.unwrap_or(rule.target);
        rule.error = options.error.unwrap_or(rule.error);
        Ok(Self { rule, strategy, repeat, grades: ask.grades, seed: Seed(options.seed.unwrap_or(ask.seed)) })
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
            Unfit::TooMany { k, expected } => {
                Self::Setting { name: "k", found: k.to_string(), expected, hint: "give a smaller number" }
            }
            Unfit::Options(error) => error,
        }
    }
}
