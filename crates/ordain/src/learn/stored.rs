//! Files of learned models: JSON with a format and a version, so that later versions read them, and earlier ones say why they cannot.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::labels::LabelModel;
use super::ranker::RankingModel;
use crate::formats::read_long_text;
use crate::{Error, InputError, Result};

/// A model with a file of its own kind.
pub(super) trait Stored: Sized {
    /// What the file says it is.
    const FORMAT: &'static str;
    /// The version that is written. It and all before it are read.
    const VERSION: u32;
    /// What the file holds.
    type File: DeserializeOwned;

    /// The model, or what the file should hold.
    fn restored(file: Self::File) -> std::result::Result<Self, String>;
}

/// What every version of every file has.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

fn broken(path: &Path, error: &serde_json::Error) -> Error {
    let reason = if error.is_eof() { "it ends too early" } else { "it is not as `ordain train` wrote it" };
    InputError::new(path, "a model").line(error.line() as u64).hint(format!("{reason}: {error}")).into()
}

fn head(path: &Path, text: &str) -> Result<Head> {
    serde_json::from_str(text).map_err(|error| broken(path, &error))
}

/// Reads a model from its file.
pub(super) fn load<M: Stored>(path: &Path) -> Result<M> {
    restore(path, &read_long_text(path)?)
}

fn restore<M: Stored>(path: &Path, text: &str) -> Result<M> {
    let wrong = |expected: &str| InputError::new(path, expected);
    let head = head(path, text)?;
    if head.format != M::FORMAT {
        let error = wrong(&format!("an {}, which `ordain train` writes", M::FORMAT));
        return Err(error.found(head.format).into());
    }
    if !(1..=M::VERSION).contains(&head.version) {
        let error = wrong(&format!("a version up to {}", M::VERSION)).found(head.version.to_string());
        let error = if head.version > M::VERSION { error.hint("a later version of ordain wrote it") } else { error };
        return Err(error.into());
    }
    let file = serde_json::from_str(text).map_err(|error| broken(path, &error))?;
    M::restored(file).map_err(|expected| wrong(&expected).into())
}

/// A model of any kind, from its file.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyModel {
    /// Ranks documents.
    Ranking(RankingModel),
    /// Ranks labels.
    Labels(LabelModel),
}

impl AnyModel {
    /// Reads the model that a file holds, of whatever kind.
    ///
    /// # Errors
    /// As [`RankingModel::load`] and [`LabelModel::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = read_long_text(path)?;
        if head(path, &text)?.format == LabelModel::FORMAT {
            return restore(path, &text).map(Self::Labels);
        }
        restore(path, &text).map(Self::Ranking)
    }
}
