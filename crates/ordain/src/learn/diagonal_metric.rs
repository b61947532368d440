//! A distance with one weight per coordinate, learned from "a is closer to b than to c" (M. Schultz and T. Joachims,
//! Learning a distance metric from relative comparisons, NIPS 2003; LinkLearn eq. 8).
//!
//! With `d_w(x, y)² = Σ_i w_i (x_i - y_i)²` and `φ_abc = (x_a - x_c)² - (x_a - x_b)²`, coordinate by coordinate, the problem is
//!
//! ```text
//! min  ½ |w|² + C Σ max(0, 1 - w·φ)     over w >= 0
//! ```
//!
//! Deviation: LinkLearn prints |w| where Schultz and Joachims have ½ |w|². Its dual is `max Σ α - ½ |[Σ α φ]₊|²` over
//! `0 <= α <= C`, and `w = [Σ α φ]₊`. One α at a time is moved by `(1 - w·φ) / |φ|²`, which never lowers the dual since
//! taking the positive part does not lengthen a step. The gap between the two says when to stop.

use rand::seq::SliceRandom;

use crate::numeric::{Seed, SparseMatrix};
use crate::params::setters;
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// The settings of the learner.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DiagonalMetricParams {
    /// What a comparison in the wrong order costs, C. Default: 1.
    pub cost: f64,
    /// The gap to the best possible value at which to stop, relative to the value. Default: 1e-3.
    pub gap: f64,
    /// The most passes over the comparisons. Default: 1,000.
    pub passes: usize,
    /// The seed of the order in which comparisons are taken.
    pub seed: Seed,
}

impl Default for DiagonalMetricParams {
    fn default() -> Self {
        Self { cost: 1.0, gap: 1e-3, passes: 1000, seed: Seed(1) }
    }
}

setters! {
    DiagonalMetricParams:
    with_cost = cost: f64,
    with_gap = gap: f64,
    with_passes = passes: usize,
    with_seed = seed: Seed,
}

/// "The first row is closer to the second than to the third."
pub type Closer = [u32; 3];

/// A learned distance.
#[derive(Debug, Clone, PartialEq)]
pub struct DiagonalMetric {
    weights: Vec<f64>,
    /// The value reached, and how far it may be from the best one.
    value: f64,
    gap: f64,
}

/// The name of this work for a [`Watch`].
const LEARNING: &str = "learning a metric";

impl DiagonalMetricParams {
    /// Learns from comparisons of rows.
    ///
    /// A pass costs a few operations per comparison and entry of its three rows; memory is 12 bytes for each of these.
    ///
    /// # Errors
    /// If a parameter is out of range, a comparison names no row, the passes do not suffice, or the watch stops the work.
    pub fn fit(&self, rows: &SparseMatrix, comparisons: &[Closer], watch: &Watch) -> Result<DiagonalMetric> {
        for (name, value) in [("cost", self.cost), ("gap", self.gap)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::Parameter { name: name.into(), value, expected: "a positive, finite number" });
            }
        }
        if let Some(row) = comparisons.iter().flatten().find(|row| **row as usize >= rows.rows()) {
            return Err(Error::Data {
                what: "comparisons",
                found: format!("row {row}"),
                expected: format!("rows below {}", rows.rows()),
            });
        }
        let mut dual = Dual::new(self.cost, rows, comparisons);
        let mut order: Vec<usize> = (0..comparisons.len()).collect();
        let mut stream = self.seed.stream(0);
        for pass in 0..self.passes {
            order.shuffle(&mut stream);
            order.iter().for_each(|&at| dual.move_one(at));
            let (value, gap) = dual.value();
            watch.step(|| Step::new(LEARNING, pass + 1, None).detail(format!("gap {:.1e}", gap / value)))?;
            if gap <= self.gap * value {
                return Ok(DiagonalMetric { weights: dual.weights(), value, gap });
            }
        }
        let (value, gap) = dual.value();
        Err(Error::NotConverged {
            what: "the descent to a diagonal metric",
            iterations: self.passes,
            residual: gap / value,
            dimension: comparisons.len(),
        })
    }
}

/// The dual problem at some α.
struct Dual {
    cost: f64,
    /// φ of every comparison.
    differences: Vec<Vec<(u32, f64)>>,
    squares: Vec<f64>,
    alphas: Vec<f64>,
    /// `Σ α φ`.
    sum: Vec<f64>,
}

impl Dual {
    fn new(cost: f64, rows: &SparseMatrix, comparisons: &[Closer]) -> Self {
        let differences: Vec<_> = comparisons.iter().map(|closer| difference(rows, *closer)).collect();
        let squares = differences.iter().map(|row| row.iter().map(|(_, value)| value * value).sum()).collect();
        Self { cost, squares, alphas: vec![0.0; comparisons.len()], sum: vec![0.0; rows.columns()], differences }
    }

    /// `w·φ` of a comparison.
    fn margin(&self, at: usize) -> f64 {
        self.differences[at].iter().map(|&(column, value)| self.sum[column as usize].max(0.0) * value).sum()
    }

    fn move_one(&mut self, at: usize) {
        if self.squares[at] == 0.0 {
            // No weights can tell the two apart, so α is at its bound and changes nothing.
            self.alphas[at] = self.cost;
            return;
        }
        let wanted = self.alphas[at] + (1.0 - self.margin(at)) / self.squares[at];
        let moved = wanted.clamp(0.0, self.cost) - self.alphas[at];
        self.alphas[at] += moved;
        for &(column, value) in &self.differences[at] {
            self.sum[column as usize] += moved * value;
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.sum.iter().map(|sum| sum.max(0.0)).collect()
    }

    /// The value of the problem at the weights, and its distance from the dual's, which is below every value.
    fn value(&self) -> (f64, f64) {
        let half = 0.5 * self.sum.iter().map(|sum| sum.max(0.0).powi(2)).sum::<f64>();
        let losses: f64 = (0..self.alphas.len()).map(|at| (1.0 - self.margin(at)).max(0.0)).sum();
        let value = half + self.cost * losses;
        (value, value - (self.alphas.iter().sum::<f64>() - half))
    }
}

/// `(x_a - x_c)² - (x_a - x_b)²`, coordinate by coordinate.
fn difference(rows: &SparseMatrix, [a, b, c]: Closer) -> Vec<(u32, f64)> {
    let mut columns: Vec<u32> = [a, b, c].into_iter().flat_map(|row| rows.row(row as usize).0).copied().collect();
    columns.sort_unstable();
    columns.dedup();
    let entry = |column: u32| {
        let [a, b, c] = [a, b, c].map(|row| rows.get(row as usize, column as usize));
        (column, (a - c).powi(2) - (a - b).powi(2))
    };
    columns.into_iter().map(entry).collect()
}

impl DiagonalMetric {
    /// The weight of every coordinate, at least 0.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The value of the problem that was reached, and how much lower the best one can be at most.
    pub fn value(&self) -> (f64, f64) {
        (self.value, self.gap)
    }

    /// The rows, stretched so that their usual distances are the learned ones: every entry times the root of its weight.
    pub fn stretch(&self, rows: &SparseMatrix) -> SparseMatrix {
        rows.map(|_, column, value| value * self.weights[column].sqrt())
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    fn random_rows(seed: u64, rows: usize, columns: usize) -> SparseMatrix {
        let mut stream = Seed(seed).stream(0);
        let mut entries = Vec::new();
        for row in 0..rows as u32 {
            for column in 0..columns as u32 {
                if stream.random_bool(0.5) {
                    entries.push((row, column, stream.random_range(-1.0..1.0)));
                }
            }
        }
        SparseMatrix::from_entries(rows, columns, &entries).unwrap()
    }

    fn objective(rows: &SparseMatrix, comparisons: &[Closer], cost: f64, weights: &[f64]) -> f64 {
        let dense = |row: u32| -> Vec<f64> {
            let (columns, values) = rows.row(row as usize);
            let mut out = vec![0.0; rows.columns()];
            columns.iter().zip(values).for_each(|(&column, value)| out[column as usize] = *value);
            out
        };
        let distance = |x: u32, y: u32| -> f64 {
            dense(x).iter().zip(dense(y)).zip(weights).map(|((x, y), weight)| weight * (x - y).powi(2)).sum()
        };
        let loss = |&[a, b, c]: &Closer| (1.0 - distance(a, c) + distance(a, b)).max(0.0);
        0.5 * weights.iter().map(|weight| weight * weight).sum::<f64>()
            + cost * comparisons.iter().map(loss).sum::<f64>()
    }

    /// The value is that of the definition, no nearby and no random weights do better, and the gap says so.
    #[test]
    fn reaches_the_least_value() {
        let mut stream = Seed(8).stream(1);
        for (cost, seed) in [(0.05, 1), (1.0, 2), (20.0, 3)] {
            let rows = random_rows(seed, 12, 4);
            let comparisons: Vec<Closer> = (0..40).map(|_| [(); 3].map(|()| stream.random_range(0..12))).collect();
            let params = DiagonalMetricParams::default().with_cost(cost).with_gap(1e-9).with_passes(200_000);
            let metric = params.fit(&rows, &comparisons, &Watch::NONE).unwrap();
            let (value, gap) = metric.value();
            let expected = objective(&rows, &comparisons, cost, metric.weights());
            assert!((value - expected).abs() < 1e-12 * expected && gap <= 1e-9 * value, "{value} {expected} {gap}");
            for _ in 0..2000 {
                let near = stream.random_bool(0.5);
                let other = |&weight: &f64| {
                    let noise: f64 = stream.random_range(-1.0..1.0);
                    if near { (weight + 1e-3 * noise).max(0.0) } else { 4.0 * noise.abs() }
                };
                let other: Vec<f64> = metric.weights().iter().map(other).collect();
                assert!(objective(&rows, &comparisons, cost, &other) >= value - gap);
            }
        }
    }

    #[test]
    fn distances_and_errors() {
        let rows = random_rows(4, 9, 5);
        let metric = DiagonalMetric { weights: vec![0.0, 1.0, 0.5, 2.0, 0.25], value: 0.0, gap: 0.0 };
        let stretched = metric.stretch(&rows);
        let distance = |rows: &SparseMatrix, weights: &[f64]| -> f64 {
            (0..5).map(|at| weights[at] * (rows.get(1, at) - rows.get(2, at)).powi(2)).sum()
        };
        assert!((distance(&stretched, &[1.0; 5]) - distance(&rows, metric.weights())).abs() < 1e-14);
        let params = DiagonalMetricParams::default();
        assert!(params.fit(&rows, &[[0, 1, 9]], &Watch::NONE).is_err());
        assert!(params.with_cost(0.0).fit(&rows, &[], &Watch::NONE).is_err());
        let same = params.fit(&rows, &[[0, 1, 1]], &Watch::NONE).unwrap();
        assert_eq!((same.weights(), same.value().0), (&[0.0; 5][..], 1.0));
    }
}
