//! How what users say becomes observations.

use crate::Result;
use crate::data::{ItemId, Opinions};
use crate::gp::{AnswerModel, Cuts, Observation};
use crate::numeric::normal;

/// How utilities become opinions.
#[derive(Debug, Clone, PartialEq)]
pub struct OpinionModel {
    /// The model of answers. Its noise is that of grades too.
    pub answers: AnswerModel,
    /// The model of grades.
    pub grades: GradeModel,
}

/// How a noisy utility becomes a grade.
#[derive(Debug, Clone, PartialEq)]
pub enum GradeModel {
    /// The utility is the grade's value (COR section 2.3, GPR); one value per grade, ascending.
    Values(Vec<f64>),
    /// The grade is the interval between cuts in which the utility lies (GPOR).
    Ordinal(Cuts),
}

impl GradeModel {
    /// The number of grades.
    pub fn count(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Ordinal(cuts) => cuts.grades(),
        }
    }
}

impl OpinionModel {
    /// The cuts of ordinal grades.
    pub(super) fn cuts(&self) -> Option<&Cuts> {
        match &self.grades {
            GradeModel::Values(_) => None,
            GradeModel::Ordinal(cuts) => Some(cuts),
        }
    }

    /// The observations that opinions make: one per grade, then one per answer. `own` are the user's own cuts.
    ///
    /// # Errors
    /// If an answer is a tie and the tie width is 0.
    pub(super) fn observe(&self, opinions: &Opinions, own: Option<&Cuts>) -> Result<Vec<Observation>> {
        let graded = |&(item, grade): &(ItemId, usize)| match (&self.grades, own) {
            (GradeModel::Values(values), _) => Ok(self.answers.valued(item, values[grade])),
            (GradeModel::Ordinal(shared), own) => {
                let (low, high) = own.unwrap_or(shared).ends(grade);
                self.answers.graded(item, low, high)
            }
        };
        let mut out = opinions.grades.iter().map(graded).collect::<Result<Vec<_>>>()?;
        out.extend(self.answers.observe_all(&opinions.answers)?);
        Ok(out)
    }

    /// The probability of every grade for a utility that is Gaussian with this mean and variance. Values are rounded to the
    /// nearest.
    pub fn probabilities(&self, mean: f64, variance: f64) -> Vec<f64> {
        match &self.grades {
            GradeModel::Ordinal(cuts) => cuts.probabilities(mean, variance, self.answers.noise()),
            GradeModel::Values(values) => {
                let sd = (variance + self.answers.noise().powi(2)).sqrt();
                let mut below = 0.0;
                let mut out: Vec<f64> = values
                    .windows(2)
                    .map(|pair| {
                        let up_to = normal::cdf((0.5 * (pair[0] + pair[1]) - mean) / sd);
                        up_to - std::mem::replace(&mut below, up_to)
                    })
                    .collect();
                out.push(1.0 - below);
                out
            }
        }
    }
}
