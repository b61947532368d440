//! Where experts' weights start, and the file that keeps them.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use ordain::formats::write_whole;
use ordain::order::{ExpertState, ExpertWeights, HedgeParams, Learner, Learning, MarginParams, scaled_weights};
use ordain::{Error, InputError};

use super::Arguments;
use crate::Failure;

/// The weights to start with: those of the state if there is one, or those that were asked for, or equal ones. With them, the queries that
/// the state has learned from.
pub fn start(
    arguments: &Arguments,
    learn: Learning,
    names: &[String],
) -> Result<(ExpertWeights, BTreeSet<String>), Failure> {
    let initial = arguments.initial.as_deref().map(|weights| scaled_weights(weights, names)).transpose();
    let initial = initial.map_err(|error| hinted(error, INITIAL))?;
    match &arguments.state {
        Some(path) => match read(path)? {
            Some(state) => {
                let queries = state.queries().clone();
                Ok((go_on(arguments, learn, names, initial.as_deref(), (path, state))?, queries))
            }
            None if learn == Learning::None => {
                Err(Error::Io { action: "read", path: path.clone(), source: ErrorKind::NotFound.into() }.into())
            }
            None => Ok((begin(arguments, learn, names, initial)?, BTreeSet::new())),
        },
        None => Ok((begin(arguments, learn, names, initial)?, BTreeSet::new())),
    }
}

/// The weights of a state, if nothing that was asked for contradicts it.
fn go_on(
    arguments: &Arguments,
    learn: Learning,
    names: &[String],
    initial: Option<&[f64]>,
    (path, state): (&Path, ExpertState),
) -> Result<ExpertWeights, Failure> {
    let given = arguments.learn.filter(|&learn| learn != Learning::None);
    let checked = state.check(names, given, arguments.beta, initial);
    checked.map_err(|error| hinted(placed(error, path), BEGUN))?;
    match learn {
        Learning::None if initial.is_some() => Err(Failure::Usage {
            message: format!("--initial: the weights are those of {}", path.display()),
            hint: "leave out --initial, or leave out --state",
        }),
        Learning::None => Ok(ExpertWeights::fixed(state.learner().weights())),
        Learning::Margin | Learning::Hedge => Ok(ExpertWeights::Learned(state)),
    }
}

/// The weights without a state.
fn begin(
    arguments: &Arguments,
    learn: Learning,
    names: &[String],
    initial: Option<Vec<f64>>,
) -> Result<ExpertWeights, Failure> {
    Ok(match learn {
        Learning::Margin => {
            let params = MarginParams::default().with_initial(initial);
            ExpertWeights::Learned(ExpertState::by_margin(names.to_vec(), params)?)
        }
        Learning::Hedge => {
            let usual = HedgeParams::default();
            let beta = arguments.beta.unwrap_or(usual.beta);
            let params = usual.with_beta(beta).with_initial(initial);
            ExpertWeights::Learned(ExpertState::by_hedge(names.to_vec(), params)?)
        }
        Learning::None => ExpertWeights::fixed(initial.unwrap_or_else(|| vec![1.0 / names.len() as f64; names.len()])),
    })
}

/// Keeps what was learned, if anything is and a file is named.
pub fn save(weights: &ExpertWeights, path: Option<&Path>) -> Result<(), Failure> {
    let (Some(path), ExpertWeights::Learned(state)) = (path, weights) else { return Ok(()) };
    let text = state.to_json()?;
    Ok(write_whole(path, |out| out.write_all(text.as_bytes()))?)
}

/// A state, if the file exists.
fn read(path: &Path) -> Result<Option<ExpertState>, Error> {
    // A device or a pipe keeps nothing, and may have no end.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(InputError::new(path, "a file that keeps the weights").hint("name a file for --state").into());
    }
    match std::fs::read_to_string(path) {
        Ok(text) => ExpertState::from_json(&text).map(Some).map_err(|error| match error {
            Error::Data { found, .. } => {
                let error = InputError::new(path, "weights that ordain fuse --state wrote").found(found);
                error.hint("name another file for --state, or remove this one").into()
            }
            other => other,
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Io { action: "read", path: path.to_path_buf(), source }),
    }
}

const BEGUN: &str = "leave it out to go on, or name a new file for --state";
const INITIAL: &str = "write for example --initial 0.5,0.3,0.2";

/// The error of a file that keeps the weights of other experts.
fn placed(error: Error, path: &Path) -> Error {
    match error {
        Error::Data { found, expected, .. } => InputError::new(path, expected)
            .found(found)
            .hint("give the same runs in the same order, or name another file for --state")
            .into(),
        other => other,
    }
}

/// The error of a setting, with what to type instead.
fn hinted(error: Error, hint: &'static str) -> Error {
    match error {
        Error::Setting { name, found, expected, .. } => Error::Setting { name, found, expected, hint },
        other => other,
    }
}
