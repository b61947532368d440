//! What one more answer about the same two items tells.
//!
//! Two answers of a judge to one question differ with probability `arccos(1 / (1 + (noise / deviation)²)) / π`, or if just one of them is a
//! lapse, or every other time if he does not look. If his answers are turned round with probability ε, each moves the odds of the pair by
//! a factor of `(1 - ε) / ε`. Odds of 99 settle it: a Gaussian never becomes that sure of two items that differ little beside its width,
//! and would ask for ever.

use super::{AnswerModel, Habit};

/// The odds that settle a pair.
const ODDS: f64 = 99.0;

/// A judge who contradicts himself about a smaller share of random pairs is not asked twice.
const OFTEN: f64 = 0.05;

impl AnswerModel {
    /// The lead, in answers about the same two items, from which one more answer tells nothing. `None` if not even a second answer tells
    /// something: the noise is held, or so small that a judge would contradict himself about at most one random pair in twenty.
    pub fn telling_lead(&self) -> Option<u32> {
        self.settling_lead(Habit::USUAL).map(|lead| lead.ceil() as u32)
    }

    /// The lead of this judge's answers alone that settles a pair, with its fraction. `None` if his first answer does.
    pub(crate) fn settling_lead_of(&self, judge: Option<&str>) -> Option<f64> {
        self.settling_lead(self.habit(judge).copied().unwrap_or(Habit::USUAL))
    }

    /// Whether something was learned of this judge's care.
    pub(crate) fn tells_apart(&self, judge: &str) -> bool {
        self.habit(Some(judge)).is_some()
    }

    fn settling_lead(&self, Habit { factor, heedless, .. }: Habit) -> Option<f64> {
        let ratio = factor * self.noise() / self.unit()?;
        let meant = (1.0 / (1.0 + ratio * ratio)).acos() / std::f64::consts::PI;
        let one_lapse = 2.0 * self.lapse() * (1.0 - self.lapse());
        let differ = meant + one_lapse - 2.0 * meant * one_lapse;
        let turned = 0.5 * (1.0 - (1.0 - 2.0 * differ).max(0.0).sqrt());
        let perhaps_blind = |probability: f64| probability + heedless * (0.5 - probability);
        let (differ, turned) = (perhaps_blind(differ), perhaps_blind(turned));
        // Coins settle nothing.
        (differ > OFTEN).then(|| (ODDS.ln() / ((1.0 - turned) / turned).ln()).min(f64::MAX))
    }
}
