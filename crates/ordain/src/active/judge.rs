//! A simulated judge who knows the truth up to noise.

use rand::RngExt;
use rand_distr::StandardNormal;

use crate::Result;
use crate::data::{Answer, ItemId, Outcome};
use crate::gp::AnswerModel;
use crate::numeric::Stream;

/// A simulated judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judge {
    /// The standard deviation of the noise on a difference of two utilities; 0 for a judge who never errs.
    pub noise: f64,
    /// The tie width: a noisy difference smaller than this is called a tie. 0 for a judge who always decides.
    pub tie_width: f64,
}

impl From<&AnswerModel> for Judge {
    /// The judge that an answer model describes.
    fn from(model: &AnswerModel) -> Self {
        Self { noise: model.lambda(), tie_width: model.tie_width() }
    }
}

impl Judge {
    /// The judge's answer on two items with these true utilities.
    ///
    /// # Errors
    /// If both items are the same.
    pub fn compare(&self, utilities: &[f64], first: ItemId, second: ItemId, stream: &mut Stream) -> Result<Answer> {
        let noise: f64 = stream.sample(StandardNormal);
        let heard = utilities[first.index()] - utilities[second.index()] + self.noise * noise;
        let outcome = if self.tie_width > 0.0 && heard.abs() <= self.tie_width {
            Outcome::Tie
        } else if heard > 0.0 {
            Outcome::First
        } else {
            Outcome::Second
        };
        Answer::new(first, Some(second), outcome)
    }
}
