//! The prior that users share: its update, its own prior, and more items.

use std::sync::Arc;

use crate::kernel::{Given, Kernel};
use crate::numeric::Matrix;
use crate::numeric::dense::{
    Cholesky, SemidefiniteFactor, add_scaled, mirror_lower, multiply, multiply_vector, squared, transpose,
};
use crate::{Error, Result};

/// The normal-inverse-Wishart law around the prior at the start.
///
/// Its log density is `-½ τ (log|Σ| + tr(Σ_0 Σ⁻¹)) - ½ π (h - h_0)' Σ⁻¹ (h - h_0)`, up to a constant. In the coordinates of
/// `Σ_0 = F F'`, `Σ = F C F'`, so nothing is inverted that could be singular.
pub(super) struct Shrunk {
    start: Arc<Given>,
    factor: SemidefiniteFactor,
    /// `τ`.
    shrinkage: f64,
    /// `π`.
    mean_shrinkage: f64,
}

impl Shrunk {
    pub fn new(start: Given, shrinkage: f64, mean_shrinkage: f64) -> Self {
        let factor = SemidefiniteFactor::new(start.covariance());
        Self { start: Arc::new(start), factor, shrinkage, mean_shrinkage }
    }

    pub fn start(&self) -> &Arc<Given> {
        &self.start
    }

    /// The log density of a prior, up to a constant.
    pub fn log_density(&self, prior: &Given) -> f64 {
        let half = self.factor.solve(prior.covariance().clone());
        let inner = self.factor.solve(transpose(&half));
        let off = self.off(prior);
        let off = self.factor.solve(Matrix::from_fn(off.len(), 1, |row, _| off[row]));
        // Without shrinkage the covariance may become singular, where only this density is not defined.
        let Ok(cholesky) = Cholesky::factor(inner) else { return f64::NEG_INFINITY };
        let inverse = cholesky.inverse();
        let trace: f64 = inverse.diagonal().iter().sum();
        let pulled = multiply_vector(&inverse, off.values());
        let distance: f64 = pulled.iter().zip(off.values()).map(|(one, other)| one * other).sum();
        -0.5 * (self.shrinkage * (cholesky.log_det() + trace) + self.mean_shrinkage * distance)
    }

    /// `h - h_0`.
    fn off(&self, prior: &Given) -> Vec<f64> {
        let zero = vec![0.0; prior.len()];
        let (mean, start) = (prior.mean().unwrap_or(&zero), self.start.mean().unwrap_or(&zero));
        mean.iter().zip(start).map(|(mean, start)| mean - start).collect()
    }

    /// M: the prior that fits the beliefs of n users best (COR eq. 3, with shrinkage). `on_mean` and `on_covariance` are the sums
    /// of their pulls.
    pub fn maximise(&self, prior: &Given, users: usize, on_mean: &[f64], on_covariance: &Matrix) -> Result<Given> {
        let (n, items) = (users as f64, prior.len());
        let covariance = prior.covariance();
        // Σ_j (f_j - h), and Σ_j [(f_j - h)(f_j - h)' + Σ_j].
        let deviations = multiply_vector(covariance, on_mean);
        let mut sum = multiply(&multiply(covariance, on_covariance), covariance);
        add_scaled(sum.values_mut(), n, covariance.values());
        let before = self.off(prior);
        let weight = n + self.mean_shrinkage;
        let moved: Vec<f64> = deviations
            .iter()
            .zip(&before)
            .map(|(deviation, off)| (deviation - self.mean_shrinkage * off) / weight)
            .collect();
        let after: Vec<f64> = before.iter().zip(&moved).map(|(before, moved)| before + moved).collect();
        // Around the new mean; and the pull of the start.
        for column in 0..items {
            for row in 0..items {
                let around =
                    n * moved[row] * moved[column] - moved[row] * deviations[column] - deviations[row] * moved[column]
                        + self.mean_shrinkage * after[row] * after[column];
                sum[(row, column)] += around + self.shrinkage * self.start.covariance()[(row, column)];
            }
        }
        let total = n + self.shrinkage;
        sum.values_mut().iter_mut().for_each(|value| *value /= total);
        mirror_lower(&mut sum);
        let zero = vec![0.0; items];
        let start = self.start.mean().unwrap_or(&zero);
        Given::new(start.iter().zip(&after).map(|(start, off)| start + off).collect(), sum)
    }
}

/// The covariance of the shared mean: `(π Σ⁻¹ + M)⁻¹ = F (π I + F' M F)⁻¹ F'` for `Σ = F F'`.
pub(super) fn spread_of_mean(covariance: &Matrix, information: &Matrix, mean_shrinkage: f64) -> Result<Matrix> {
    let factor = SemidefiniteFactor::new(covariance);
    let half = factor.transpose(); // F'
    let mut inner = multiply(&multiply(half, information), &transpose(half));
    for axis in 0..inner.rows() {
        inner[(axis, axis)] += mean_shrinkage;
    }
    let dimension = inner.rows();
    let cholesky = Cholesky::factor(inner).map_err(|pivot| Error::NotPositiveDefinite {
        what: "what users together know of the shared mean",
        pivot,
        dimension,
    })?;
    let mut root = half.clone();
    cholesky.solve_lower_in_place(&mut root);
    let mut out = squared(&root);
    mirror_lower(&mut out);
    Ok(out)
}

/// The learned prior over more items. With `A = K_nm K_mm⁻¹` at the start, new items have the mean `h_n + A (h - h_0)` and the
/// covariances `A Σ` and `A Σ A' + K_nn - A K_mn` (COR section 5; Yu, Tresp, Schwaighofer 2005).
pub(super) fn enlarged(start: &Given, learned: &Given, joint: &Given) -> Result<Given> {
    /// Solves differ by rounding. Other parameters differ by far more.
    const SAME: f64 = 1e-9;
    let (known, all) = (start.len(), joint.len());
    let corner = |matrix: &Matrix, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
        Matrix::from_fn(rows.len(), columns.len(), |i, j| matrix[(rows.start + i, columns.start + j)])
    };
    let wrong = |found: String, expected: String| Error::Data { what: "a prior of more items", found, expected };
    if all < known {
        return Err(wrong(format!("{all} items"), format!("the {known} known ones and more")));
    }
    let largest = start.covariance().diagonal().into_iter().fold(0.0, f64::max);
    let same = corner(joint.covariance(), 0..known, 0..known);
    let mut pairs = same.values().iter().zip(start.covariance().values());
    if let Some((here, there)) = pairs.find(|(here, there)| (*here - *there).abs() > SAME * largest) {
        return Err(wrong(format!("a covariance of {here} of known items"), format!("{there}, as at the start")));
    }
    let cross = corner(joint.covariance(), 0..known, known..all); // K_mn
    let regression = SemidefiniteFactor::new(start.covariance()).divide(cross.clone()); // A'
    let through = multiply(learned.covariance(), &regression); // Σ A'
    let mut own = multiply(&transpose(&regression), &through);
    add_scaled(own.values_mut(), 1.0, corner(joint.covariance(), known..all, known..all).values());
    add_scaled(own.values_mut(), -1.0, multiply(&transpose(&regression), &cross).values());
    let mut covariance = Matrix::from_fn(all, all, |i, j| match (i < known, j < known) {
        (true, true) => learned.covariance()[(i, j)],
        (true, false) => through[(i, j - known)],
        (false, true) => through[(j, i - known)],
        (false, false) => own[(i - known, j - known)],
    });
    mirror_lower(&mut covariance);
    let zero = vec![0.0; all];
    let (before, after) = (start.mean().unwrap_or(&zero), learned.mean().unwrap_or(&zero));
    let moved: Vec<f64> = after.iter().zip(before).map(|(after, before)| after - before).collect();
    let mut mean = after.to_vec();
    let fresh = joint.mean().unwrap_or(&zero)[known..].iter().enumerate().map(|(at, own)| {
        own + regression.column(at).iter().zip(&moved).map(|(share, moved)| share * moved).sum::<f64>()
    });
    mean.extend(fresh);
    Given::new(mean, covariance)
}
