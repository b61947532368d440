//! A judge who knows the truth, more or less.

use rand::RngExt;
use rand_distr::StandardNormal;

use crate::Result;
use crate::data::{Answer, ItemId, Outcome};
use crate::gp::AnswerModel;
use crate::numeric::Stream;

/// How a simulated judge hears the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judge {
    /// The standard deviation of the noise on a difference of two utilities; 0 for a judge who never errs.
    pub noise: f64,
    /// What seems closer than this is called a tie; 0 for a judge who always decides.
    pub tie_width: f64,
}

impl From<&AnswerModel> for Judge {
    /// The judge that a model believes in.
    fn from(model: &AnswerModel) -> Self {
        Self { noise: model.lambda(), tie_width: model.tie_width() }
    }
}

impl Judge {
    /// What the judge says of two items with these true utilities.
    ///
    /// # Errors
    /// If the items are one and the same.
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
