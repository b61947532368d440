//! Experts' weights: where they start, how they are learned, and the file that keeps them.

use std::io::ErrorKind;
use std::path::Path;

use ordain::InputError;
use ordain::formats::write_whole;
use ordain::order::{AnyLearner, Feedback, Hedge, HedgeParams, Learner, Margin, MarginParams, RankOrdering};
use serde::{Deserialize, Serialize};

use super::{Arguments, Learn};
use crate::Failure;

/// What the file of `--state` holds.
#[derive(Serialize, Deserialize)]
struct State {
    experts: Vec<String>,
    /// As they were given when learning began.
    initial: Option<Vec<f64>>,
    learner: AnyLearner,
}

/// The weights of the experts, and what they lost.
pub struct Weights {
    kind: Kind,
}

enum Kind {
    Learned(State),
    Fixed(Tally),
}

/// Losses under weights that stay as they are: shares of the feedback, as Hedge counts them.
struct Tally {
    weights: Vec<f64>,
    losses: Vec<f64>,
    loss: f64,
    rounds: u64,
}

impl Weights {
    /// The weights to start with: those of the state if there is one, or those that were asked for, or equal ones.
    pub fn start(arguments: &Arguments, learn: Learn, names: &[String]) -> Result<Self, Failure> {
        let initial = arguments.initial.as_deref().map(|weights| scaled(weights, names)).transpose()?;
        let kept = match &arguments.state {
            Some(path) => State::read(path)?.map(|state| (path, state)),
            None => None,
        };
        let Some((path, state)) = kept else {
            return Self::begin(arguments, learn, names, initial);
        };
        state.check(path, names)?;
        let word = state.word();
        if learn == Learn::None {
            if initial.is_some() {
                return Err(taken("--initial".into(), path));
            }
            return Ok(Self::fixed_at(state.learner.weights()));
        }
        if arguments.learn.is_some() && learn.word() != word {
            return Err(taken(format!("--learn {}", learn.word()), path));
        }
        if arguments.beta.is_some() && arguments.beta != state.learner.beta() {
            return Err(taken("another --beta".into(), path));
        }
        if initial.is_some() && initial != state.initial {
            return Err(taken("another --initial".into(), path));
        }
        Ok(Self { kind: Kind::Learned(state) })
    }

    fn begin(
        arguments: &Arguments,
        learn: Learn,
        names: &[String],
        initial: Option<Vec<f64>>,
    ) -> Result<Self, Failure> {
        let experts = names.len();
        let learner = match learn {
            Learn::Margin => {
                let params = MarginParams::default().with_initial(initial.clone());
                AnyLearner::Margin(Margin::new(experts, &params)?)
            }
            Learn::Hedge => {
                let beta = arguments.beta.unwrap_or(HedgeParams::default().beta);
                AnyLearner::Hedge(Hedge::new(
                    experts,
                    &HedgeParams::default().with_beta(beta).with_initial(initial.clone()),
                )?)
            }
            Learn::None => {
                if let Some(path) = &arguments.state {
                    let source = ErrorKind::NotFound.into();
                    return Err(ordain::Error::Io { action: "read", path: path.clone(), source }.into());
                }
                return Ok(Self::fixed_at(initial.unwrap_or_else(|| vec![1.0 / experts as f64; experts])));
            }
        };
        let state = State { experts: names.to_vec(), initial, learner };
        Ok(Self { kind: Kind::Learned(state) })
    }

    fn fixed_at(weights: Vec<f64>) -> Self {
        let losses = vec![0.0; weights.len()];
        Self { kind: Kind::Fixed(Tally { weights, losses, loss: 0.0, rounds: 0 }) }
    }

    /// The weights, if nothing changes them.
    pub fn fixed(&self) -> Option<&[f64]> {
        match &self.kind {
            Kind::Fixed(tally) => Some(&tally.weights),
            Kind::Learned(_) => None,
        }
    }

    /// The weights as they are now.
    pub fn now(&self) -> Vec<f64> {
        match &self.kind {
            Kind::Fixed(tally) => tally.weights.clone(),
            Kind::Learned(state) => state.learner.weights(),
        }
    }

    pub fn learn(&mut self, experts: &[RankOrdering], feedback: &Feedback) -> ordain::Result<()> {
        match &mut self.kind {
            Kind::Learned(state) => state.learner.learn(experts, feedback).map(|_| ()),
            Kind::Fixed(tally) => {
                tally.add(experts, feedback);
                Ok(())
            }
        }
    }

    /// How weights are learned.
    pub fn word(&self) -> &'static str {
        match &self.kind {
            Kind::Fixed(_) => Learn::None.word(),
            Kind::Learned(state) => state.word(),
        }
    }

    /// How many queries had feedback.
    pub fn rounds(&self) -> u64 {
        match &self.kind {
            Kind::Fixed(tally) => tally.rounds,
            Kind::Learned(state) => state.learner.rounds(),
        }
    }

    /// What each expert lost alone.
    pub fn losses(&self) -> &[f64] {
        match &self.kind {
            Kind::Fixed(tally) => &tally.losses,
            Kind::Learned(state) => state.learner.losses(),
        }
    }

    /// What the weighted experts lost.
    pub fn loss(&self) -> f64 {
        match &self.kind {
            Kind::Fixed(tally) => tally.loss,
            Kind::Learned(state) => state.learner.loss(),
        }
    }

    /// What they could have lost at most, if weights are learned.
    pub fn bound(&self) -> Option<f64> {
        match &self.kind {
            Kind::Fixed(_) => None,
            Kind::Learned(state) => Some(state.learner.bound()),
        }
    }

    /// Keeps what was learned, if anything is and a file is named.
    pub fn save(&self, path: Option<&Path>) -> Result<(), Failure> {
        let (Some(path), Kind::Learned(state)) = (path, &self.kind) else { return Ok(()) };
        Ok(write_whole(path, |mut out| {
            serde_json::to_writer_pretty(&mut out, state)?;
            writeln!(out)
        })?)
    }
}

impl Tally {
    fn add(&mut self, experts: &[RankOrdering], feedback: &Feedback) {
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

impl State {
    /// A state, if the file exists.
    fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ordain::Error::Io { action: "read", path: path.to_path_buf(), source }.into()),
        };
        let broken = |found: String| {
            let error = InputError::new(path, "weights that ordain fuse --state wrote").found(found);
            Failure::from(ordain::Error::from(error.hint("name another file for --state, or take this one away")))
        };
        let state: Self = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        state.learner.check().map_err(|error| broken(error.to_string()))?;
        if state.learner.experts() != state.experts.len() {
            return Err(broken(format!("{} names, {} weights", state.experts.len(), state.learner.experts())));
        }
        Ok(Some(state))
    }

    fn word(&self) -> &'static str {
        match self.learner {
            AnyLearner::Margin(_) => Learn::Margin.word(),
            AnyLearner::Hedge(_) => Learn::Hedge.word(),
        }
    }

    /// The experts are those that it was learned for.
    fn check(&self, path: &Path, names: &[String]) -> Result<(), Failure> {
        if self.experts == names {
            return Ok(());
        }
        let error = match self.experts.iter().zip(names).position(|(kept, given)| kept != given) {
            Some(at) => InputError::new(path, format!("{}, as given now", names[at])).found(format!(
                "expert {}: {}",
                at + 1,
                self.experts[at]
            )),
            None => InputError::new(path, format!("{}, as given now", names.len()))
                .found(format!("{} experts", self.experts.len())),
        };
        let hint = "give the same runs in the same order, or name another file for --state";
        Err(ordain::Error::from(error.hint(hint)).into())
    }
}

/// Something was asked for that the state has settled.
fn taken(what: String, path: &Path) -> Failure {
    Failure::Usage {
        message: format!("{what}: {} was begun otherwise", path.display()),
        hint: "leave it out to go on as it was begun, or name a new file for --state",
    }
}

/// Weights that are one together, one an expert.
fn scaled(weights: &[f64], names: &[String]) -> Result<Vec<f64>, Failure> {
    let wrong = |message| Err(Failure::Usage { message, hint: "write for example --initial 0.5,0.3,0.2" });
    if weights.len() != names.len() {
        let named = names.join(", ");
        return wrong(format!("--initial has {} weights for {} experts: {named}", weights.len(), names.len()));
    }
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return wrong(format!("--initial sums to {sum}"));
    }
    // Weights that are one together stay as they are to the bit.
    Ok(if sum == 1.0 { weights.to_vec() } else { weights.iter().map(|weight| weight / sum).collect() })
}
