//! Files of what users share.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::RatersModel;
use crate::Result;
use crate::data::{Answer, GradeScale, ItemId, Items, Opinions, Ratings};
use crate::formats::model_file::{self, Stored};
use crate::formats::write_whole;
use crate::gp::{AnswerModel, CollaborativeParts, Cuts, GradeModel, OpinionModel};
use crate::kernel::{Given, Kernel};
use crate::numeric::Matrix;

impl RatersModel {
    /// Writes the model as a JSON file that later versions can read. The file is complete or stays as it was.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let CollaborativeParts { start, prior, model, cuts, users, mean_shrinkage } = self.learned.parts();
        let numbers = |cuts: &Cuts| cuts.values().to_vec();
        let shared = match &model.grades {
            GradeModel::Ordinal(cuts) => Some(numbers(cuts)),
            GradeModel::Values(_) => None,
        };
        let said = |(name, opinions): (&String, &Opinions)| {
            let answer =
                |answer: &Answer| (answer.first.0, answer.second.map(|second| second.0), answer.outcome.to_string());
            UserFile {
                name: name.clone(),
                grades: opinions.grades.iter().map(|&(item, grade)| (item.0, grade)).collect(),
                answers: opinions.answers.iter().map(answer).collect(),
            }
        };
        let file = File {
            format: Self::FORMAT.into(),
            version: Self::VERSION,
            items: self.ratings.items().ids().to_vec(),
            scale: self.ratings.scale().map(|scale| (scale.lowest(), scale.highest())),
            law: model.answers.law().name().to_owned(),
            noise: model.answers.noise(),
            tie_width: model.answers.tie_width(),
            cuts: shared,
            own_cuts: cuts.iter().map(numbers).collect(),
            mean_shrinkage,
            start: GaussianFile::of(&start),
            prior: GaussianFile::of(&prior),
            users: self.ratings.users().iter().zip(&users).map(said).collect(),
        };
        write_whole(path, |out| {
            serde_json::to_writer(&mut *out, &file)?;
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
    items: Vec<String>,
    scale: Option<(i32, i32)>,
    law: String,
    noise: f64,
    tie_width: f64,
    cuts: Option<Vec<f64>>,
    own_cuts: Vec<Vec<f64>>,
    mean_shrinkage: f64,
    start: GaussianFile,
    prior: GaussianFile,
    users: Vec<UserFile>,
}

/// A Gaussian: its mean, and the lower half of its covariance column by column.
#[derive(Serialize, Deserialize)]
struct GaussianFile {
    mean: Vec<f64>,
    covariance: Vec<f64>,
}

impl GaussianFile {
    fn of(given: &Given) -> Self {
        let n = given.len();
        let lower = (0..n).flat_map(|column| given.covariance().column(column)[column..].iter().copied());
        Self { mean: given.mean().unwrap_or_default().to_vec(), covariance: lower.collect() }
    }

    fn restored(self) -> std::result::Result<Given, String> {
        let n = self.mean.len();
        if n.checked_mul(n + 1).is_none_or(|twice| twice / 2 != self.covariance.len()) {
            return Err(format!("{n} means and the lower half of as many columns of covariances"));
        }
        // The column before has begun at this place, and has one entry more.
        let at = |row: usize, column: usize| column * n - column * (column + 1) / 2 + row;
        let entry = |i: usize, j: usize| self.covariance[at(i.max(j), i.min(j))];
        Given::new(self.mean.clone(), Matrix::from_fn(n, n, entry)).map_err(|error| error.to_string())
    }
}

#[derive(Serialize, Deserialize)]
struct UserFile {
    name: String,
    grades: Vec<(u32, usize)>,
    answers: Vec<(u32, Option<u32>, String)>,
}

impl UserFile {
    fn restored(self) -> Result<(String, Opinions)> {
        let answer = |(first, second, outcome): (u32, Option<u32>, String)| {
            Answer::new(ItemId(first), second.map(ItemId), outcome.parse()?)
        };
        let grades = self.grades.into_iter().map(|(item, grade)| (ItemId(item), grade)).collect();
        let answers = self.answers.into_iter().map(answer).collect::<Result<_>>()?;
        Ok((self.name, Opinions { grades, answers }))
    }
}

impl File {
    fn model(self) -> Result<RatersModel> {
        let wrong = |expected: String| crate::Error::Data { what: "a model", found: "other numbers".into(), expected };
        let scale = self.scale.map(|(lowest, highest)| GradeScale::new(lowest, highest)).transpose()?;
        let grades = match self.cuts {
            Some(cuts) => GradeModel::Ordinal(Cuts::new(cuts)?),
            None => GradeModel::Values(scale.into_iter().flat_map(GradeScale::grades).map(f64::from).collect()),
        };
        let answers = AnswerModel::new(self.noise, self.tie_width)?.with_law(self.law.parse()?);
        let users = self.users.into_iter().map(UserFile::restored).collect::<Result<Vec<_>>>()?;
        let ratings = Ratings::new(Items::from_ids(self.items)?, scale, users)?;
        let (start, prior) = (self.start.restored().map_err(wrong)?, self.prior.restored().map_err(wrong)?);
        if prior.len() != ratings.items().len() || scale.is_some_and(|scale| scale.count() != grades.count()) {
            return Err(wrong("as many items and grades as the file names".into()));
        }
        let parts = CollaborativeParts {
            start,
            prior,
            model: OpinionModel { answers, grades },
            cuts: self.own_cuts.into_iter().map(Cuts::new).collect::<Result<_>>()?,
            users: ratings.opinions().to_vec(),
            mean_shrinkage: self.mean_shrinkage,
        };
        Ok(RatersModel { learned: parts.restore()?, ratings })
    }
}

impl Stored for RatersModel {
    const FORMAT: &'static str = "ordain raters model";
    const VERSION: u32 = 1;
    const WRITER: &'static str = "ordain rate train";
    type File = File;

    fn restored(file: File) -> std::result::Result<Self, String> {
        file.model().map_err(|error| error.to_string())
    }
}
