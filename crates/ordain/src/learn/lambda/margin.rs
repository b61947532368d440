//! The paper's example: a constant force while two documents stand in the wrong order, none beyond a margin.

use super::{Forces, Lambda, Scored, in_range};
use crate::Result;

/// The lambda of two documents with a margin (LambdaRank eqs. 4 to 6). With more documents, every pair of different grades has it.
///
/// The better document is pushed up with force 1 while it scores less. The force falls linearly until the lead is the margin, and is 0
/// beyond. The paper's rule is continuous at equal scores only for the margin 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarginLambda {
    /// The lead δ at which the force is 0; positive.
    pub margin: f64,
}

impl MarginLambda {
    /// The cost behind the lambdas of a pair in which the better document leads by this much (eqs. 7 to 9).
    pub fn cost(&self, lead: f64) -> f64 {
        if lead < 0.0 {
            -lead
        } else {
            let inside = lead.min(self.margin);
            0.5 * inside * inside - self.margin * inside
        }
    }

    /// The force on the better document, and how fast it falls with the lead.
    fn force(&self, lead: f64) -> (f64, f64) {
        if lead < 0.0 {
            (1.0, 0.0)
        } else if lead <= self.margin {
            (self.margin - lead, 1.0)
        } else {
            (0.0, 0.0)
        }
    }
}

impl Lambda for MarginLambda {
    fn add(&self, query: &Scored<'_>, forces: &mut Forces) {
        let count = query.grades.len();
        let pairs = (0..count).flat_map(|better| (0..count).map(move |worse| (better, worse)));
        for (better, worse) in pairs.filter(|&(better, worse)| query.grades[better] > query.grades[worse]) {
            let (force, curvature) = self.force(query.scores[better] - query.scores[worse]);
            forces.lambdas[better] += force;
            forces.lambdas[worse] -= force;
            forces.curvatures[better] += curvature;
            forces.curvatures[worse] += curvature;
        }
    }

    fn check(&self) -> Result<()> {
        in_range("margin", self.margin, self.margin > 0.0, "a positive, finite number")
    }
}
