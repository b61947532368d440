//! What a project says about asking.

use super::Goal;
use crate::params::setters;

/// How the next pair is chosen, as a project's `[ask]` says it. `ordain::active` makes settings of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ask {
    /// What the answers are for.
    pub goal: Goal,
    /// The strategy by name. Default: the goal's own.
    pub strategy: Option<String>,
    /// The strategy's focus. Default: what suits the goal.
    pub focus: Option<f64>,
    /// Whether a pair may be asked again.
    pub repeat: bool,
    /// Whether single items may be asked for their grade.
    pub grades: bool,
    /// Whether a judge may say how much one item is preferred.
    pub strengths: bool,
    /// Where random choices start.
    pub seed: u64,
}

setters! {
    Ask:
    with_goal = goal: Goal,
    with_strategy = strategy: Option<String>,
    with_focus = focus: Option<f64>,
    with_repeat = repeat: bool,
    with_grades = grades: bool,
    with_strengths = strengths: bool,
    with_seed = seed: u64,
}

impl Default for Ask {
    fn default() -> Self {
        let (strategy, focus) = (None, None);
        Self { goal: Goal::WholeOrder, strategy, focus, repeat: false, grades: false, strengths: false, seed: 1 }
    }
}
