//! A learned model of any kind that scores examples.

use std::path::Path;

use super::labels::LabelModel;
use super::ranker::RankingModel;
use crate::Result;
use crate::formats::model_file::{self, Stored};
use crate::formats::read_long_text;

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
        if model_file::head(path, &text)?.format == LabelModel::FORMAT {
            return model_file::restore(path, &text).map(Self::Labels);
        }
        model_file::restore(path, &text).map(Self::Ranking)
    }
}
