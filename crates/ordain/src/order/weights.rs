//! Named experts and their weights, fixed or learned, and what they lost: all that a fusion keeps between queries.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{AnyLearner, Feedback, Hedge, HedgeParams, Learner, Learning, Margin, MarginParams, Preference};
use crate::{Error, Result};

/// Weights of named experts that are learned, with all that is needed to go on later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpertState {
    experts: Vec<String>,
    /// As they were given when learning began.
    initial: Option<Vec<f64>>,
    learner: AnyLearner,
    /// The queries whose feedback was learned. States of earlier versions do not have them.
    #[serde(default)]
    queries: BTreeSet<String>,
}

impl ExpertState {
    /// Begins to learn by the margin.
    ///
    /// # Errors
    /// As [`Margin::new`].
    pub fn by_margin(experts: Vec<String>, params: MarginParams) -> Result<Self> {
        let learner = AnyLearner::Margin(Margin::new(experts.len(), &params)?);
        Ok(Self { experts, initial: params.initial, learner, queries: BTreeSet::new() })
    }

    /// Begins to learn by Hedge.
    ///
    /// # Errors
    /// As [`Hedge::new`].
    pub fn by_hedge(experts: Vec<String>, params: HedgeParams) -> Result<Self> {
        let learner = AnyLearner::Hedge(Hedge::new(experts.len(), &params)?);
        Ok(Self { experts, initial: params.initial, learner, queries: BTreeSet::new() })
    }

    /// Reads what [`ExpertState::to_json`] wrote.
    ///
    /// # Errors
    /// If it is no such text.
    pub fn from_json(text: &str) -> Result<Self> {
        let broken = |found: String| Error::Data {
            what: "experts' weights",
            found,
            expected: "weights that were kept as JSON".into(),
        };
        let state: Self = serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
        state.learner.check().map_err(|error| broken(error.to_string()))?;
        if state.learner.experts() != state.experts.len() {
            return Err(broken(format!("{} names, {} weights", state.experts.len(), state.learner.experts())));
        }
        Ok(state)
    }

    /// As JSON, to keep.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn to_json(&self) -> Result<String> {
        let wrong = |error: serde_json::Error| Error::Data {
            what: "experts' weights",
            found: error.to_string(),
            expected: "finite numbers".into(),
        };
        Ok(serde_json::to_string_pretty(self).map_err(wrong)? + "\n")
    }

    /// Checks that the state was begun for these experts, and with these settings where they are given.
    ///
    /// # Errors
    /// If the experts are others, or a setting contradicts the state.
    pub fn check(
        &self,
        experts: &[String],
        learn: Option<Learning>,
        beta: Option<f64>,
        initial: Option<&[f64]>,
    ) -> Result<()> {
        if self.experts != experts {
            let differ = self.experts.iter().zip(experts).position(|(kept, given)| kept != given);
            let (found, expected) = match differ {
                Some(at) => (format!("expert {}: {}", at + 1, self.experts[at]), experts[at].clone()),
                None => (format!("{} experts", self.experts.len()), experts.len().to_string()),
            };
            return Err(Error::Data { what: "experts' weights", found, expected: format!("{expected}, as given now") });
        }
        let contradicts = |name, found: String, kept: String| {
            let expected = format!("{kept}, with which the state was begun");
            Err(Error::Setting { name, found, expected, hint: "leave it out to go on, or begin a new state" })
        };
        match (learn, beta, initial) {
            (Some(learn), _, _) if learn != self.learner.learning() => {
                contradicts("learn", learn.to_string(), self.learner.learning().to_string())
            }
            (_, Some(beta), _) if self.learner.beta() != Some(beta) => {
                let kept = self.learner.beta().map_or("no value".into(), |beta| beta.to_string());
                contradicts("beta", beta.to_string(), kept)
            }
            (_, _, Some(initial)) if self.initial.as_deref() != Some(initial) => {
                contradicts("initial", listed(initial), self.initial.as_deref().map_or("equal weights".into(), listed))
            }
            _ => Ok(()),
        }
    }

    /// The experts' names.
    pub fn experts(&self) -> &[String] {
        &self.experts
    }

    /// The queries whose feedback was learned.
    pub fn queries(&self) -> &BTreeSet<String> {
        &self.queries
    }

    /// How weights are learned.
    pub fn learner(&self) -> &AnyLearner {
        &self.learner
    }
}

/// Numbers with commas between.
fn listed(weights: &[f64]) -> String {
    weights.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}

/// Weights with the sum 1, one per expert.
///
/// # Errors
/// If there is another number of weights, or their sum is not positive and finite.
pub fn scaled_weights(weights: &[f64], experts: &[String]) -> Result<Vec<f64>> {
    let hint = "give for example 0.5,0.3,0.2 for three experts";
    let wrong = |expected| Err(Error::Setting { name: "initial", found: listed(weights), expected, hint });
    if weights.len() != experts.len() {
        let all = crate::error::listed(experts);
        return wrong(format!("{} weights with commas between, one for each of {all}", experts.len()));
    }
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return wrong("weights with a positive, finite sum".into());
    }
    // Weights with the sum 1 stay as they are to the bit.
    Ok(if sum == 1.0 { weights.to_vec() } else { weights.iter().map(|weight| weight / sum).collect() })
}

/// Experts' weights, fixed or learned, and what they lost.
pub enum ExpertWeights {
    /// They are learned.
    Learned(ExpertState),
    /// They stay as they are.
    Fixed(Tally),
}

/// Losses under weights that stay as they are: shares of the feedback, as Hedge counts them.
pub struct Tally {
    weights: Vec<f64>,
    losses: Vec<f64>,
    loss: f64,
    rounds: u64,
}

impl ExpertWeights {
    /// Weights that stay as they are.
    pub fn fixed(weights: Vec<f64>) -> Self {
        let losses = vec![0.0; weights.len()];
        Self::Fixed(Tally { weights, losses, loss: 0.0, rounds: 0 })
    }

    /// The weights, if nothing changes them.
    pub fn if_fixed(&self) -> Option<&[f64]> {
        match self {
            Self::Fixed(tally) => Some(&tally.weights),
            Self::Learned(_) => None,
        }
    }

    /// The weights as they are now.
    pub fn now(&self) -> Vec<f64> {
        match self {
            Self::Fixed(tally) => tally.weights.clone(),
            Self::Learned(state) => state.learner.weights(),
        }
    }

    /// Learns from feedback on a query and remembers its name, or only counts what was lost.
    ///
    /// # Errors
    /// As [`Learner::learn`].
    pub fn learn<P: Preference>(&mut self, query: &str, experts: &[P], feedback: &Feedback) -> Result<()> {
        match self {
            Self::Learned(state) => {
                if state.learner.learn(experts, feedback)?.is_some() {
                    state.queries.insert(query.to_owned());
                }
                Ok(())
            }
            Self::Fixed(tally) => {
                tally.add(experts, feedback);
                Ok(())
            }
        }
    }

    /// How weights are learned.
    pub fn learning(&self) -> Learning {
        match self {
            Self::Fixed(_) => Learning::None,
            Self::Learned(state) => state.learner.learning(),
        }
    }

    /// How many queries had feedback.
    pub fn rounds(&self) -> u64 {
        match self {
            Self::Fixed(tally) => tally.rounds,
            Self::Learned(state) => state.learner.rounds(),
        }
    }

    /// What each expert lost alone.
    pub fn losses(&self) -> &[f64] {
        match self {
            Self::Fixed(tally) => &tally.losses,
            Self::Learned(state) => state.learner.losses(),
        }
    }

    /// What the weighted experts lost.
    pub fn loss(&self) -> f64 {
        match self {
            Self::Fixed(tally) => tally.loss,
            Self::Learned(state) => state.learner.loss(),
        }
    }

    /// What they could have lost at most, if weights are learned.
    pub fn bound(&self) -> Option<f64> {
        match self {
            Self::Fixed(_) => None,
            Self::Learned(state) => Some(state.learner.bound()),
        }
    }
}

impl Tally {
    fn add<P: Preference>(&mut self, experts: &[P], feedback: &Feedback) {
        if feedback.is_empty() {
            return;
        }
        self.rounds += 1;
        for ((expert, total), weight) in experts.iter().zip(&mut self.losses).zip(&self.weights) {
            let loss = feedback.loss(expert).unwrap_or(0.0);
            *total += loss;
            self.loss += weight * loss;
        }
    }
}
