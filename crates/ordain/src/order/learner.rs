//! The common part of the learners of experts' weights.

use serde::{Deserialize, Serialize};

use super::preference::check_weights;
use super::{Feedback, Hedge, Margin, Preference};
use crate::words::vocabulary;
use crate::{Error, Result};

/// The state of a learner: weights, and losses so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The logarithms of the initial weights.
    pub(super) initial: Vec<f64>,
    /// The logarithms of the present weights. None is lost to underflow.
    pub(super) log_weights: Vec<f64>,
    /// The loss that each expert alone would have had over all rounds.
    pub(super) losses: Vec<f64>,
    /// The loss of the weighted experts, each round with the weights from before it.
    pub(super) loss: f64,
    /// The number of queries with feedback.
    pub(super) rounds: u64,
}

impl Standing {
    /// The state at the given weights, or at equal ones.
    ///
    /// # Errors
    /// If there is no expert, or weights are not positive with the sum 1.
    pub(super) fn new(experts: usize, initial: Option<&[f64]>) -> Result<Self> {
        let initial = initial_log_weights(experts, initial)?;
        Ok(Self { log_weights: initial.clone(), initial, losses: vec![0.0; experts], loss: 0.0, rounds: 0 })
    }

    pub(super) fn experts(&self) -> usize {
        self.initial.len()
    }

    pub(super) fn weights(&self) -> Vec<f64> {
        normalise(&mut self.log_weights.clone())
    }

    /// Counts a round and returns its loss.
    pub(super) fn add(&mut self, loss: f64, losses: &[f64]) -> f64 {
        self.losses.iter_mut().zip(losses).for_each(|(total, loss)| *total += loss);
        self.loss += loss;
        self.rounds += 1;
        loss
    }

    /// Checks values that were read from a file.
    pub(super) fn check(&self) -> Result<()> {
        let experts = self.experts();
        check_finite("initial weights", &self.initial, experts.max(1))?;
        check_weights(&self.initial.iter().map(|log| log.exp()).collect::<Vec<f64>>())?;
        check_finite("weights", &self.log_weights, experts)?;
        check_losses(&self.losses, experts)?;
        check_losses(&[self.loss], 1)
    }
}

/// Learns weights of experts online: order a query's items with the present weights, then learn from the feedback.
pub trait Learner {
    /// Learns from the feedback on one query. Returns the loss of the weighted experts with the weights from before;
    /// none if there is no feedback, which does not count as a round.
    ///
    /// # Errors
    /// If the number of experts differs, experts differ in their items, or feedback is about other items. Earlier
    /// learning is kept.
    fn learn<P: Preference>(&mut self, experts: &[P], feedback: &Feedback) -> Result<Option<f64>>;

    /// The state of the learner.
    fn standing(&self) -> &Standing;

    /// An upper bound on [`Learner::loss`], whatever the experts said and whatever the feedback was.
    fn bound(&self) -> f64;

    /// The present weights: not negative, with the sum 1.
    fn weights(&self) -> Vec<f64> {
        self.standing().weights()
    }

    /// The number of queries with feedback.
    fn rounds(&self) -> u64 {
        self.standing().rounds
    }

    /// The loss of the weighted experts over all rounds, each with the weights from before it.
    fn loss(&self) -> f64 {
        self.standing().loss
    }

    /// The loss that each expert alone would have had.
    fn losses(&self) -> &[f64] {
        &self.standing().losses
    }
}

/// How experts' weights are learned, if they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learning {
    /// By [`Margin`].
    Margin,
    /// By [`Hedge`].
    Hedge,
    /// Weights stay as they are.
    None,
}

vocabulary! { Learning, "way to learn weights";
    Margin = "margin", "by the margin of the weighted experts";
    Hedge = "hedge", "by each expert's own mistakes";
    None = "none", "not at all";
}

/// Either learner, with everything that is needed to go on later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "learn", rename_all = "lowercase")]
pub enum AnyLearner {
    /// By the margin of the combined preference.
    Margin(Margin),
    /// By each expert's own loss.
    Hedge(Hedge),
}

impl AnyLearner {
    /// The number of experts.
    pub fn experts(&self) -> usize {
        self.standing().experts()
    }

    /// How it learns.
    pub fn learning(&self) -> Learning {
        match self {
            Self::Margin(_) => Learning::Margin,
            Self::Hedge(_) => Learning::Hedge,
        }
    }

    /// Hedge's β; none for a margin learner, which has no rate.
    pub fn beta(&self) -> Option<f64> {
        match self {
            Self::Margin(_) => None,
            Self::Hedge(hedge) => Some(hedge.beta()),
        }
    }

    /// Checks a learner that was read from a file.
    ///
    /// # Errors
    /// If its numbers are not those of a learner.
    pub fn check(&self) -> Result<()> {
        self.standing().check()?;
        match self {
            Self::Margin(margin) => margin.check(),
            Self::Hedge(hedge) => hedge.check(),
        }
    }
}

impl Learner for AnyLearner {
    fn learn<P: Preference>(&mut self, experts: &[P], feedback: &Feedback) -> Result<Option<f64>> {
        match self {
            Self::Margin(margin) => margin.learn(experts, feedback),
            Self::Hedge(hedge) => hedge.learn(experts, feedback),
        }
    }

    fn standing(&self) -> &Standing {
        match self {
            Self::Margin(margin) => margin.standing(),
            Self::Hedge(hedge) => hedge.standing(),
        }
    }

    fn bound(&self) -> f64 {
        match self {
            Self::Margin(margin) => margin.bound(),
            Self::Hedge(hedge) => hedge.bound(),
        }
    }
}

/// The logarithms of the initial weights: those given, else equal ones.
fn initial_log_weights(experts: usize, given: Option<&[f64]>) -> Result<Vec<f64>> {
    let wrong = |found: String, expected: String| Error::Data { what: "initial weights", found, expected };
    if experts == 0 {
        return Err(Error::Data { what: "experts", found: "none".into(), expected: "at least one".into() });
    }
    let Some(weights) = given else { return Ok(vec![-(experts as f64).ln(); experts]) };
    if weights.len() != experts {
        return Err(wrong(weights.len().to_string(), format!("{experts}, one per expert")));
    }
    check_weights(weights)?;
    if weights.contains(&0.0) {
        return Err(wrong("0".into(), "more than 0: an expert without weight could never gain any".into()));
    }
    Ok(weights.iter().map(|weight| weight.ln()).collect())
}

/// Fails unless there is one expert per weight, all on the same items, and the feedback is about these.
pub(super) fn check_round<P: Preference>(learner: usize, experts: &[P], feedback: &Feedback) -> Result<()> {
    let wrong = |found: String, expected: String| Error::Data { what: "experts", found, expected };
    if experts.len() != learner {
        return Err(wrong(experts.len().to_string(), learner.to_string()));
    }
    let items = experts[0].len();
    if let Some(other) = experts.iter().find(|expert| expert.len() != items) {
        let found = format!("experts on {items} and on {} items", other.len());
        return Err(wrong(found, "the same items for all".into()));
    }
    feedback.check(items)
}

/// The weights of these logarithms, which are normalised to the sum 1.
pub(super) fn normalise(log_weights: &mut [f64]) -> Vec<f64> {
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log_sum = largest + log_weights.iter().map(|log| (log - largest).exp()).sum::<f64>().ln();
    log_weights.iter_mut().for_each(|log| *log -= log_sum);
    log_weights.iter().map(|log| log.exp()).collect()
}

/// Fails unless these numbers from a file are finite and as many as expected.
pub(super) fn check_finite(what: &'static str, values: &[f64], count: usize) -> Result<()> {
    if values.len() == count && values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    let found = format!("{} numbers, {} finite", values.len(), values.iter().filter(|value| value.is_finite()).count());
    Err(Error::Data { what, found, expected: format!("{count} finite ones") })
}

/// Fails unless these losses from a file are possible.
pub(super) fn check_losses(losses: &[f64], count: usize) -> Result<()> {
    check_finite("losses", losses, count)?;
    match losses.iter().find(|loss| **loss < 0.0) {
        None => Ok(()),
        Some(&value) => Err(Error::Parameter { name: "a loss".into(), value, expected: "0 or more" }),
    }
}
