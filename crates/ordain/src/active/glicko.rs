//! Ratings of independent items: Glickman's system with one comparison per period, as Radlinski and Joachims (2007) use
//! it.
//!
//! Ratings are on Glickman's scale, where 400 points are odds of ten to one: `q = ln 10 / 400`, and with
//! `g(RD) = 1 / √(1 + 3 q² RD² / π²)` and `E = 1 / (1 + 10^(-g (r_i - r_j) / 400))`, a comparison with outcome s moves
//!
//! `r_i += q / (1 / RD_i² + 1 / d²) g(RD_j) (s - E)`, `RD_i² = 1 / (1 / RD_i² + 1 / d²)`, `1 / d² = q² g(RD_j)² E (1 - E)`
//!
//! (Glickman 1999, eqs. 13-18). Both items are updated from the other's rating before the comparison. Deviations do not
//! grow with time.

use crate::Result;
use crate::data::ItemId;
use crate::gp::Belief;

/// A belief in which items are independent.
#[derive(Debug, Clone)]
pub struct Glicko {
    ratings: Vec<f64>,
    squared_deviations: Vec<f64>,
    log_evidence: f64,
}

/// `ln 10 / 400`.
const Q: f64 = std::f64::consts::LN_10 / 400.0;

impl Glicko {
    /// Ratings for this many items, all 0 with this deviation. Glickman starts at 350.
    pub fn new(items: usize, deviation: f64) -> Self {
        Self { ratings: vec![0.0; items], squared_deviations: vec![deviation * deviation; items], log_evidence: 0.0 }
    }

    /// Learns an outcome: 1 if the first item was preferred, 0 if the second was, ½ if neither was.
    pub fn compare(&mut self, first: ItemId, second: ItemId, outcome: f64) {
        let (i, j) = (first.index(), second.index());
        let expected = |own: usize, other: usize| {
            let g = damping(self.squared_deviations[other]);
            let e = 1.0 / (1.0 + (-Q * g * (self.ratings[own] - self.ratings[other])).exp());
            (g, e)
        };
        let moved = |own: usize, other: usize, outcome: f64| {
            let (g, e) = expected(own, other);
            let information = (Q * g).powi(2) * e * (1.0 - e);
            let square = 1.0 / (1.0 / self.squared_deviations[own] + information);
            (self.ratings[own] + Q * square * g * (outcome - e), square)
        };
        let (_, e) = expected(i, j);
        self.log_evidence += outcome * e.ln() + (1.0 - outcome) * (1.0 - e).ln();
        let (one, other) = (moved(i, j, outcome), moved(j, i, 1.0 - outcome));
        (self.ratings[i], self.squared_deviations[i]) = one;
        (self.ratings[j], self.squared_deviations[j]) = other;
    }
}

/// `g`: the factor by which an opponent's uncertainty damps a comparison.
fn damping(squared_deviation: f64) -> f64 {
    1.0 / (1.0 + 3.0 * Q * Q * squared_deviation / (std::f64::consts::PI * std::f64::consts::PI)).sqrt()
}

impl Belief for Glicko {
    fn mean(&self) -> &[f64] {
        &self.ratings
    }

    fn variances(&self) -> &[f64] {
        &self.squared_deviations
    }

    fn column(&self, item: ItemId, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        out[item.index()] = self.squared_deviations[item.index()];
        Ok(())
    }

    /// The sum of the log probabilities of the outcomes. Each probability is the one before the outcome was learned.
    fn log_evidence(&self) -> f64 {
        self.log_evidence
    }
}
