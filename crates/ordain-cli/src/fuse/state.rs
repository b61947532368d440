//! Where experts' weights start, and the file that keeps them.

use std::io::ErrorKind;
use std::path::Path;

use ordain::formats::write_whole;
use ordain::order::{ExpertState, ExpertWeights, HedgeParams, Learner, scaled_weights};
use ordain::{Error, InputError};

use super::{Arguments, Learn};
use crate::Failure;

/// The weights to start with: those of the state if there is one, or those that were asked for, or equal ones.
pub fn start(arguments: &Arguments, learn: Learn, names: &[String]) -> Result<ExpertWeights, Failure> {
    let initial = arguments.initial.as_deref().map(|weights| scaled_weights(weights, names)).transpose()?;
    let equal = || vec![1.0 / names.len() as f64; names.len()];
    let state = match &arguments.state {
        Some(path) => read(path)?.map(|state| (path, state)),
        None => None,
    };
    let beta = arguments.beta.or((learn == Learn::Hedge).then(|| HedgeParams::default().beta));
    match (state, learn) {
        (Some((path, state)), learn) => {
            let word = arguments.learn.filter(|_| learn != Learn::None).map(Learn::word);
            state
                .check(names, word, arguments.beta, initial.as_deref())
                .map_err(|error| placed(error, path, OTHER_EXPERTS))?;
            match learn {
                Learn::None => Ok(ExpertWeights::fixed(state.learner().weights())),
                Learn::Margin | Learn::Hedge => Ok(ExpertWeights::Learned(state)),
            }
        }
        (None, Learn::None) => match &arguments.state {
            Some(path) => {
                Err(Error::Io { action: "read", path: path.clone(), source: ErrorKind::NotFound.into() }.into())
            }
            None => Ok(ExpertWeights::fixed(initial.unwrap_or_else(equal))),
        },
        (None, Learn::Margin | Learn::Hedge) => {
            Ok(ExpertWeights::Learned(ExpertState::new(names.to_vec(), initial, beta)?))
        }
    }
}

/// Keeps what was learned, if anything is and a file is named.
pub fn save(weights: &ExpertWeights, path: Option<&Path>) -> Result<(), Failure> {
    let (Some(path), ExpertWeights::Learned(state)) = (path, weights) else { return Ok(()) };
    let text = state.to_json()?;
    Ok(write_whole(path, |out| out.write_all(text.as_bytes()))?)
}

/// A state, if the file exists.
fn read(path: &Path) -> Result<Option<ExpertState>, Error> {
    match std::fs::read_to_string(path) {
        Ok(text) => ExpertState::from_json(&text).map(Some).map_err(|error| placed(error, path, BROKEN)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Io { action: "read", path: path.to_path_buf(), source }),
    }
}

const OTHER_EXPERTS: &str = "give the same runs in the same order, or name another file for --state";
const BROKEN: &str = "name another file for --state, or remove this one";

/// The error of a file that keeps weights, which are not those that are wanted.
fn placed(error: Error, path: &Path, hint: &str) -> Error {
    match error {
        Error::Data { found, expected, .. } => InputError::new(path, expected).found(found).hint(hint).into(),
        other => other,
    }
}
