//! Where experts' weights start, and the file that keeps them.

use std::io::ErrorKind;
use std::path::Path;

use ordain::formats::write_whole;
use ordain::order::{ExpertState, ExpertWeights, HedgeParams, Learner};
use ordain::{Error, InputError};

use super::{Arguments, Learn};
use crate::Failure;

/// The weights to start with: those of the state if there is one, or those that were asked for, or equal ones.
pub fn start(arguments: &Arguments, learn: Learn, names: &[String]) -> Result<ExpertWeights, Failure> {
    let initial = arguments.initial.as_deref().map(|weights| scaled(weights, names)).transpose()?;
    let kept = match &arguments.state {
        Some(path) => read(path)?.map(|state| (path, state)),
        None => None,
    };
    let Some((path, state)) = kept else { return begin(arguments, learn, names, initial) };
    check(&state, path, names)?;
    let learner = state.learner();
    match learn {
        Learn::None if initial.is_some() => Err(taken("--initial".into(), path)),
        Learn::None => Ok(ExpertWeights::fixed(learner.weights())),
        _ if arguments.learn.is_some() && learn.word() != learner.word() => {
            Err(taken(format!("--learn {}", learn.word()), path))
        }
        _ if arguments.beta.is_some() && arguments.beta != learner.beta() => Err(taken("another --beta".into(), path)),
        _ if initial.is_some() && initial.as_deref() != state.initial() => Err(taken("another --initial".into(), path)),
        _ => Ok(ExpertWeights::Learned(state)),
    }
}

fn begin(
    arguments: &Arguments,
    learn: Learn,
    names: &[String],
    initial: Option<Vec<f64>>,
) -> Result<ExpertWeights, Failure> {
    let beta = match (learn, &arguments.state) {
        (Learn::Margin, _) => None,
        (Learn::Hedge, _) => Some(arguments.beta.unwrap_or(HedgeParams::default().beta)),
        (Learn::None, Some(path)) => {
            return Err(Error::Io { action: "read", path: path.clone(), source: ErrorKind::NotFound.into() }.into());
        }
        (Learn::None, None) => {
            let equal = || vec![1.0 / names.len() as f64; names.len()];
            return Ok(ExpertWeights::fixed(initial.unwrap_or_else(equal)));
        }
    };
    Ok(ExpertWeights::Learned(ExpertState::new(names.to_vec(), initial, beta)?))
}

/// Keeps what was learned, if anything is and a file is named.
pub fn save(weights: &ExpertWeights, path: Option<&Path>) -> Result<(), Failure> {
    let (Some(path), ExpertWeights::Learned(state)) = (path, weights) else { return Ok(()) };
    let text = state.to_json()?;
    Ok(write_whole(path, |out| out.write_all(text.as_bytes()))?)
}

/// A state, if the file exists.
fn read(path: &Path) -> Result<Option<ExpertState>, Failure> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Io { action: "read", path: path.to_path_buf(), source }.into()),
    };
    Ok(Some(ExpertState::from_json(&text).map_err(|error| {
        let found = if let Error::Data { found, .. } = &error { found.clone() } else { error.to_string() };
        let error = InputError::new(path, "weights that ordain fuse --state wrote").found(found);
        Error::from(error.hint("name another file for --state, or take this one away"))
    })?))
}

/// The experts are those that it was learned for.
fn check(state: &ExpertState, path: &Path, names: &[String]) -> Result<(), Failure> {
    let kept = state.experts();
    if kept == names {
        return Ok(());
    }
    let (expected, found) = match kept.iter().zip(names).position(|(kept, given)| kept != given) {
        Some(at) => (names[at].clone(), format!("expert {}: {}", at + 1, kept[at])),
        None => (names.len().to_string(), format!("{} experts", kept.len())),
    };
    let hint = "give the same runs in the same order, or name another file for --state";
    let error = InputError::new(path, format!("{expected}, as given now")).found(found);
    Err(Error::from(error.hint(hint)).into())
}

/// The error for a setting that contradicts the state.
fn taken(what: String, path: &Path) -> Failure {
    Failure::Usage {
        message: format!("{what}: {} was begun with another setting", path.display()),
        hint: "leave it out to go on with the state, or name a new file for --state",
    }
}

/// Weights that are one together, one per expert.
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
    // Weights whose sum is 1 stay as they are, to the bit.
    Ok(if sum == 1.0 { weights.to_vec() } else { weights.iter().map(|weight| weight / sum).collect() })
}
