//! How the judges of a project differ: in care, and in the side that they favour.
//!
//! **Care.** Every judge with a name has a noise of his own, around the common one, and may answer blindly. Where there are ties, he also has
//! a width of ties of his own: [`fit`].
//!
//! **Side bias.** Where answers say which item stood left (`[answers] sides`), every judge has an *aside*: a Gaussian coordinate beside
//! the items that is added to the difference "left less right". What all judges have in common is in their covariance. EP and steps
//! learn it with the utilities, exactly as they learn these.
//!
//! Judges take the asides in the order in which they first answer. As many asides are set aside as the next power of two, and always one
//! more than there are judges: that of a stranger. A judge for whom there is none left has all answers learned anew with twice as many.

mod fit;
mod summary;
mod telling;
mod verdict;

use std::collections::BTreeMap;
use std::sync::Arc;

use fit::{Care, Crowd, shows_care};
pub use summary::{Estimate, JudgeSummary};
pub use verdict::{Exactness, Side, Verdict};

use super::noise::deviation;
use super::screens::Screens;
use super::{AnswerModel, Functional, Observation};
use crate::Result;
use crate::data::{Answer, Outcome};
use crate::kernel::{Asides, Block, Kernel};

/// The deviation of a judge's own bias, in units of the prior's deviation.
const OWN_BIAS: f64 = 0.3;

/// The deviation of the bias that all judges have in common.
const COMMON_BIAS: f64 = 0.15;

/// What answers without a judge are filed under.
const NAMELESS: &str = "";

/// The judges of some answers, and what was learned of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judges {
    /// The deviation of the items' prior.
    unit: f64,
    /// The number of items: the coordinate of the first aside.
    items: u32,
    /// The aside of every judge who answered about two items.
    seats: BTreeMap<String, u32>,
    /// The number of asides that are set aside.
    capacity: usize,
    /// What was learned of the care of judges with a name.
    habits: BTreeMap<String, Habit>,
    /// What they have in common.
    crowd: Crowd,
}

/// How a judge answers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Habit {
    /// His noise, beside the common one.
    factor: f64,
    /// His width of ties, and all other thresholds, beside the common ones.
    width: f64,
    /// The probability that he is careless, if his answers speak for it; else 0.
    heedless: f64,
}

impl Habit {
    /// That of any judge.
    const USUAL: Self = Self { factor: 1.0, width: 1.0, heedless: 0.0 };

    /// A judge whose answers speak against it is taken at his word: then his sites are those of a log-concave likelihood.
    fn of(care: &Care, crowd: Crowd) -> Self {
        /// No answer is quite without weight, so that what he says can still be asked for.
        const MOST: f64 = 1.0 - 1e-6;
        let heedless = if care.careless > crowd.careless { care.careless.min(MOST) } else { 0.0 };
        Self { factor: care.log_factor.0.exp(), width: care.log_width.0.exp(), heedless }
    }
}

impl Judges {
    fn none(unit: f64, items: usize) -> Self {
        let (seats, habits) = (BTreeMap::new(), BTreeMap::new());
        Self { unit, items: items as u32, seats, capacity: capacity(0), habits, crowd: Crowd::default() }
    }

    /// Gives the judge of an answer an aside, if he has none and it takes one. Returns whether there was one left.
    fn seat(&mut self, answer: &Answer) -> bool {
        let next = self.seats.len();
        if takes_a_seat(answer) && !self.seats.contains_key(name(answer)) {
            self.seats.insert(name(answer).to_owned(), next as u32);
        }
        capacity(self.seats.len()) <= self.capacity
    }

    /// The coordinate of a judge's aside; for a stranger the next one.
    fn aside(&self, judge: Option<&str>) -> u32 {
        self.items + self.seats.get(judge.unwrap_or(NAMELESS)).copied().unwrap_or(self.seats.len() as u32)
    }

    fn blocks(&self) -> Vec<Block> {
        let variance = |share: f64| (share * self.unit).powi(2);
        vec![Block { count: self.capacity, own: variance(OWN_BIAS), common: variance(COMMON_BIAS) }]
    }
}

/// The number of asides for so many judges: that of a stranger too.
fn capacity(judges: usize) -> usize {
    (judges + 1).next_power_of_two()
}

/// Only a comparison of two items by one judge has sides: votes were given in more than one showing.
fn takes_a_seat(answer: &Answer) -> bool {
    let is_voted = matches!(answer.outcome, Outcome::Votes(_));
    answer.second.is_some() && !answer.is_skip() && !answer.is_of_screen() && !is_voted
}

fn name(answer: &Answer) -> &str {
    answer.judge.as_deref().unwrap_or(NAMELESS)
}

impl AnswerModel {
    /// The same model, which knows that the first item of every answer stood left, and learns how much each judge favours a side; or which
    /// knows nothing of sides.
    #[must_use]
    pub fn with_sides(mut self, sides: bool) -> Self {
        (self.sides, self.judges) = (sides, None);
        self
    }

    /// Whether the first item of every answer stood left.
    pub fn sides(&self) -> bool {
        self.sides
    }

    /// How much judges differ in noise, as the answers show: the deviation of the logarithm. `None` if judges are not told apart.
    pub fn spread_of_judges(&self) -> Option<f64> {
        self.judges.as_ref().filter(|judges| !judges.habits.is_empty()).map(|judges| judges.crowd.spread)
    }

    /// The same model with asides for the judges of these answers, if sides are known, and for their screens; and the kernel with these
    /// beside its items. If there are none, the kernel as it is. The unit of biases is that of the items of the first kernel.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated.
    pub(crate) fn seated(mut self, kernel: &Arc<dyn Kernel>, answers: &[&Answer]) -> Result<(Self, Arc<dyn Kernel>)> {
        self.screens = Screens::for_all(answers);
        if !self.sides {
            return Ok(self.over(kernel));
        }
        let unit = match self.judges.as_ref().map(|judges| judges.unit).or(self.unit()) {
            Some(unit) => unit,
            None => deviation(kernel.as_ref())?,
        };
        let mut judges = Judges::none(unit, kernel.items());
        answers.iter().for_each(|answer| {
            judges.seat(answer);
        });
        judges.capacity = capacity(judges.seats.len());
        self.judges = Some(Arc::new(judges));
        Ok(self.over(kernel))
    }

    /// The same model over another kernel of the same items and newcomers, with the asides beside all of them.
    pub(crate) fn over(mut self, kernel: &Arc<dyn Kernel>) -> (Self, Arc<dyn Kernel>) {
        let mut blocks = Vec::new();
        if let Some(judges) = self.judges.as_mut().filter(|_| self.sides) {
            Arc::make_mut(judges).items = kernel.items() as u32;
            blocks = judges.blocks();
        }
        let seats: usize = blocks.iter().map(|block| block.count).sum();
        self.screens = self.screens.from((kernel.items() + seats) as u32);
        blocks.extend(self.screens.block());
        if blocks.is_empty() {
            return (self, kernel.clone());
        }
        (self, Arc::new(Asides::beside(kernel.clone(), blocks)))
    }

    /// The same model with an aside for the judge of an answer; `None` if there is none left.
    pub(crate) fn seating(mut self, answer: &Answer) -> Option<Self> {
        let has_room =
            self.judges.as_mut().filter(|_| self.sides).is_none_or(|judges| Arc::make_mut(judges).seat(answer));
        has_room.then_some(self)
    }

    /// The same model of answers that say nothing of sides.
    pub(crate) fn without_sides(self) -> Self {
        self.with_sides(false)
    }

    /// The number of judges who have an aside.
    pub(super) fn judges_with_asides(&self) -> usize {
        self.judges.as_ref().map_or(0, |judges| judges.seats.len())
    }

    /// What was observed by this judge, from what any judge would have observed.
    pub(super) fn heard(&self, observation: Observation, answer: &Answer) -> Observation {
        let Some(judges) = self.judges.as_deref() else { return observation };
        let judge = answer.judge.as_deref();
        let careful = match self.habit(judge) {
            Some(&Habit { factor, width, heedless }) if shows_care(answer) => {
                let functional = observation.functional.with_noise_times(factor);
                let noise = factor * observation.noise;
                Observation { functional, noise, heedless, ..observation.with_width_times(width) }
            }
            _ => observation,
        };
        let comparable = Observation { blindly: self.blindly(answer), ..careful };
        if self.sides && takes_a_seat(answer) { beside(comparable, answer, judges.aside(judge)) } else { comparable }
    }

    /// The probability of an answer of somebody who does not look: all outcomes are alike to him, and so are strengths of one preference.
    fn blindly(&self, answer: &Answer) -> f64 {
        if answer.outcome.is_choice() {
            return 0.5;
        }
        let outcome = if answer.second.is_some() && self.tie_width() > 0.0 { 1.0 / 3.0 } else { 0.5 };
        match answer.outcome {
            Outcome::FirstWeakly | Outcome::SecondWeakly | Outcome::FirstStrongly | Outcome::SecondStrongly => {
                0.5 * outcome
            }
            _ => outcome,
        }
    }

    /// The same model before anything was learned of its judges' care.
    pub(super) fn with_strangers(mut self) -> Self {
        match self.judges.as_mut() {
            Some(judges) if self.sides => {
                let judges = Arc::make_mut(judges);
                judges.habits.clear();
                judges.crowd = Crowd::default();
            }
            _ => self.judges = None,
        }
        self
    }

    /// What was learned of this judge's care, if anything was.
    fn habit(&self, judge: Option<&str>) -> Option<&Habit> {
        self.judges.as_deref()?.habits.get(judge?)
    }

    /// The model of this judge's answers alone if he looks, as those of any judge.
    pub(crate) fn of_judge(&self, judge: Option<&str>) -> Result<Self> {
        match self.habit(judge) {
            Some(habit) => {
                self.clone().with_noise(habit.factor * self.noise())?.with_tie_width(habit.width * self.tie_width())
            }
            None => Ok(self.clone()),
        }
    }
}

/// A comparison with a bias for the item that stood left.
fn beside(observation: Observation, answer: &Answer, aside: u32) -> Observation {
    let Functional::Difference(smaller, larger) = observation.functional else { return observation };
    let Observation { low, high, middle, .. } = observation;
    if answer.first.0 == smaller {
        return Observation { functional: Functional::Beside(smaller, larger, aside), ..observation };
    }
    let functional = Functional::Beside(larger, smaller, aside);
    Observation { functional, low: -high, high: -low, middle: -middle, ..observation }
}
