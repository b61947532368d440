//! From the coordinates to all items: the sites as observations with unit noise.
//!
//! With the precision `A = E E'` of the sites and the covariance K of the coordinates, the sites say as much as the
//! observation of `E'x` with unit noise. Let `L L' = I + E'KE` and $c_i$ be the prior covariances of item i with the
//! coordinates. Then
//!
//! $$ g_i = L^{-1} E' c_i, \qquad m_i = c_i' w, \qquad \Sigma_{ij} = K_{ij} - g_i' g_j , $$
//!
//! and a draw f of the prior becomes one of the belief without its mean by $f - C E (L L')^{-1} (E'f + z)$, with standard
//! normal z (Matheron's rule; Wilson and others 2020). Nothing is divided by the prior.

use super::State;
use crate::Result;
use crate::gp::{Functional, prior_too_wide};
use crate::numeric::Matrix;
use crate::numeric::dense::{
    Cholesky, add_scaled, dot, multiply, multiply_left_transposed, multiply_vector, transpose,
};

/// A root of the sites' precision.
#[derive(Debug, Clone)]
pub(super) enum Root {
    /// Every site is about a coordinate: the roots of their precisions.
    Diagonal(Vec<f64>),
    /// `E`, `[b, r]`.
    Dense(Matrix),
}

impl Root {
    /// `E' X`.
    fn transposed_times(&self, right: &Matrix) -> Matrix {
        match self {
            Self::Diagonal(roots) => scaled_rows(right.clone(), roots),
            Self::Dense(root) => multiply_left_transposed(root, right),
        }
    }

    /// The factor of `I + E'KE`.
    fn cholesky(&self, prior: &Matrix) -> Result<Cholesky> {
        let mut inner = self.transposed_times(&transpose(&self.transposed_times(prior)));
        (0..inner.rows()).for_each(|axis| inner[(axis, axis)] += 1.0);
        Cholesky::factor(inner).map_err(|_| prior_too_wide())
    }

    /// `E X`.
    fn times(&self, right: Matrix) -> Matrix {
        match self {
            Self::Diagonal(roots) => scaled_rows(right, roots),
            Self::Dense(root) => multiply(root, &right),
        }
    }
}

fn scaled_rows(mut matrix: Matrix, scales: &[f64]) -> Matrix {
    for column in matrix.columns_mut() {
        column.iter_mut().zip(scales).for_each(|(value, scale)| *value *= scale);
    }
    matrix
}

/// What the sites say about quantities with known prior covariances with the coordinates.
#[derive(Debug, Clone)]
pub(in crate::gp) struct Conditioning {
    root: Root,
    cholesky: Cholesky,
    /// `w = K⁻¹ (m - m0)` of the coordinates.
    weights: Vec<f64>,
}

impl Conditioning {
    /// From sites over the coordinates, whose prior covariance this is. `b³/3` operations if every site is about a
    /// coordinate, else about `3 b³`.
    ///
    /// # Errors
    /// If rounding in `E' K E` is larger than the identity beside it.
    pub(super) fn new(state: &State, prior: &Matrix) -> Result<Self> {
        let (root, target, loose) = state.as_unit_noise();
        let cholesky = root.cholesky(prior)?;
        let mut along = Matrix::from_fn(target.len(), 1, |row, _| target[row]);
        if let Some(loose) = &loose {
            let mean = Matrix::from_fn(prior.rows(), 1, |row, _| dot(prior.column(row), loose));
            add_scaled(along.values_mut(), -1.0, root.transposed_times(&mean).values());
        }
        cholesky.solve_in_place(&mut along);
        let mut weights = root.times(along).values().to_vec();
        loose.iter().for_each(|loose| add_scaled(&mut weights, 1.0, loose));
        Ok(Self { root, cholesky, weights })
    }

    /// From the precisions of sites about coordinates, each about its own. The means are left out.
    pub(in crate::gp) fn of_precisions(precisions: &[f64], prior: &Matrix) -> Result<Self> {
        let root = Root::Diagonal(precisions.iter().map(|precision| precision.sqrt()).collect());
        Ok(Self { cholesky: root.cholesky(prior)?, root, weights: Vec::new() })
    }

    /// The means, less the prior's, of quantities with these covariances, `[n, b]`.
    pub(super) fn means(&self, covariances: &Matrix) -> Vec<f64> {
        multiply_vector(covariances, &self.weights)
    }

    /// The length of the weights, each times its factor.
    pub(super) fn weight_along(&self, factors: &[f64]) -> f64 {
        self.weights.iter().zip(factors).map(|(weight, factor)| (weight * factor).powi(2)).sum::<f64>().sqrt()
    }

    /// `g_i` of some quantities, `[r, n]`, from their covariances, `[b, n]`. `b²` operations each.
    pub(super) fn reduction(&self, covariances: &Matrix) -> Matrix {
        let mut out = self.root.transposed_times(covariances);
        self.cholesky.solve_lower_in_place(&mut out);
        out
    }

    /// The number of standard normal numbers that a draw takes.
    pub(in crate::gp) fn rank(&self) -> usize {
        self.cholesky.lower().rows()
    }

    /// `E (L L')⁻¹ (E'f + z)`, for the coordinates f of draws of the prior, `[b, draws]`, and normal numbers z. The draws lose
    /// their covariances times this.
    pub(in crate::gp) fn explained(&self, prior: &Matrix, z: &Matrix) -> Matrix {
        let mut along = self.root.transposed_times(prior);
        add_scaled(along.values_mut(), 1.0, z.values());
        self.cholesky.solve_in_place(&mut along);
        self.root.times(along)
    }
}

/// Coordinates of draws: every functional of every column.
pub(in crate::gp) fn coordinates(basis: &[Functional], draws: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(basis.len(), draws.columns());
    for (at, column) in out.columns_mut().enumerate() {
        let draw = draws.column(at);
        column.iter_mut().zip(basis).for_each(|(value, functional)| *value = functional.of(draw));
    }
    out
}
