//! Files of learned models: JSON with a format and a version, so that later versions read them, and earlier ones say why they cannot.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::source::read_long_text;
use crate::{Error, InputError, Result};

/// A model with a file of its own kind.
pub(crate) trait Stored: Sized {
    /// What the file says it is.
    const FORMAT: &'static str;
    /// The version that is written. It and all before it are read.
    const VERSION: u32;
    /// The command that writes it.
    const WRITER: &'static str = "ordain train";
    /// What the file holds.
    type File: DeserializeOwned;

    /// The model, or what the file should hold.
    fn restored(file: Self::File) -> std::result::Result<Self, String>;
}

/// What every version of every file has.
#[derive(Deserialize)]
pub(crate) struct Head {
    pub(crate) format: String,
    version: u32,
}

fn broken(path: &Path, error: &serde_json::Error) -> Error {
    let reason = if error.is_eof() { "it ends too early" } else { "it is not as ordain wrote it" };
    InputError::new(path, "a model").line(error.line() as u64).hint(format!("{reason}: {error}")).into()
}

pub(crate) fn head(path: &Path, text: &str) -> Result<Head> {
    serde_json::from_str(text).map_err(|error| broken(path, &error))
}

/// Reads a model from its file.
pub(crate) fn load<M: Stored>(path: &Path) -> Result<M> {
    restore(path, &read_long_text(path)?)
}

pub(crate) fn restore<M: Stored>(path: &Path, text: &str) -> Result<M> {
    let wrong = |expected: &str| InputError::new(path, expected);
    let head = head(path, text)?;
    if head.format != M::FORMAT {
        let error = wrong(&format!("an {}, which `{}` writes", M::FORMAT, M::WRITER));
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
