//! Files of learned weights of words.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::model_file::{self, Stored};
use super::whole::write_whole;
use crate::text::{Analysis, Curve, Curves, StopWords};
use crate::{Error, Result};

/// Weights of words that were learned from links, with the analysis that made the words. They apply to any collection.
#[derive(Debug, Clone, PartialEq)]
pub struct TextModel {
    /// How text becomes terms.
    pub analysis: Analysis,
    /// The weights.
    pub curves: Curves,
    /// How it was learned, for people.
    pub training: TextTraining,
}

/// How a [`TextModel`] was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextTraining {
    /// The number of documents, half of which taught.
    pub documents: usize,
    /// The number of linked pairs within the half that taught.
    pub links: usize,
    /// The mean average precision of links, on the half by which the weights were chosen.
    pub link_precision: f64,
    /// The hidden units of each curve.
    pub hidden: usize,
    /// The length of the steps.
    pub rate: f64,
    /// The number of passes.
    pub epochs: usize,
}

impl TextModel {
    /// Writes the model as a JSON file that later versions can read. The file is complete or stays as it was.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let curve = |curve: &Curve| curve.numbers().to_vec();
        let file = File {
            format: Self::FORMAT.into(),
            version: Self::VERSION,
            stem: self.analysis.stem.map(|stemmer| stemmer.to_string()),
            stop: self.analysis.stop.sorted().into_iter().map(str::to_owned).collect(),
            tf: curve(&self.curves.tf),
            idf: curve(&self.curves.idf),
            length: curve(&self.curves.length),
            training: self.training.clone(),
        };
        write_whole(path, |out| {
            serde_json::to_writer_pretty(&mut *out, &file)?;
            out.write_all(b"\n")
        })
    }

    /// Reads a model that was saved by this version or an earlier one.
    ///
    /// # Errors
    /// If the file cannot be read, is no such model, was cut short, or is of a later version.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        model_file::load(path.as_ref())
    }
}

/// The file.
#[derive(Serialize, Deserialize)]
pub(crate) struct File {
    format: String,
    version: u32,
    stem: Option<String>,
    stop: Vec<String>,
    tf: Vec<f64>,
    idf: Vec<f64>,
    length: Vec<f64>,
    training: TextTraining,
}

impl Stored for TextModel {
    const FORMAT: &'static str = "ordain text model";
    const VERSION: u32 = 1;
    type File = File;

    fn restored(file: File) -> std::result::Result<Self, String> {
        let curve = |name: &str, numbers: Vec<f64>| {
            let expected = "numbers within ±1e6: three per hidden unit and one more";
            Curve::new(numbers).ok_or_else(|| format!("{expected}, under {name}"))
        };
        let stem = file.stem.map(|name| name.parse()).transpose().map_err(|error: Error| error.to_string())?;
        Ok(Self {
            analysis: Analysis { stem, stop: StopWords::new(file.stop) },
            curves: Curves {
                tf: curve("tf", file.tf)?,
                idf: curve("idf", file.idf)?,
                length: curve("length", file.length)?,
            },
            training: file.training,
        })
    }
}
