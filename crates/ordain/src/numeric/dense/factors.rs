//! Factorisations: Cholesky, and a factor of semidefinite matrices.

use std::convert::Infallible;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor as llt, inverse as llt_inverse};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Par};
use rayon::prelude::*;

use super::{add_scaled, for_each_chunk, mirror_lower, parts, transpose, view, view_mut};
use crate::numeric::Matrix;

/// The lower Cholesky factor of a symmetric positive definite matrix. Only the lower triangle is read. `n³/3`
/// operations.
#[derive(Debug, Clone)]
pub struct Cholesky {
    lower: Matrix,
}

impl Cholesky {
    /// The factor of the identity.
    pub fn identity(size: usize) -> Self {
        Self { lower: Matrix::identity(size) }
    }

    /// Factors the matrix.
    ///
    /// # Errors
    /// The index of the first pivot that is not positive.
    pub fn factor(mut matrix: Matrix) -> Result<Self, usize> {
        let n = matrix.rows();
        assert_eq!(n, matrix.columns());
        let parts = parts(n);
        let mut buffer = MemBuffer::new(llt::cholesky_in_place_scratch::<f64>(n, parts, Default::default()));
        let stack = MemStack::new(&mut buffer);
        let regularization = Default::default();
        llt::cholesky_in_place(view_mut(&mut matrix), regularization, parts, stack, Default::default())
            .map_err(|llt::LltError::NonPositivePivot { index }| index)?;
        for column in 1..n {
            matrix.column_mut(column)[..column].fill(0.0);
        }
        Ok(Self { lower: matrix })
    }

    /// The factor of `R' R`, for an upper triangle with a diagonal that is not negative.
    pub(crate) fn of_triangle(upper: &Matrix) -> Self {
        Self { lower: transpose(upper) }
    }

    /// Returns the memory of the factor.
    pub fn into_matrix(self) -> Matrix {
        self.lower
    }

    /// The factor `L` of `L L'`, zero above the diagonal.
    pub fn lower(&self) -> &Matrix {
        &self.lower
    }

    /// `log det` of the matrix.
    pub fn log_det(&self) -> f64 {
        2.0 * self.lower.diagonal().into_iter().map(f64::ln).sum::<f64>()
    }

    /// The largest pivot. A pivot is an entry of the matrix's diagonal minus the part that earlier rows explain.
    pub fn largest_pivot(&self) -> f64 {
        self.lower.diagonal().into_iter().fold(0.0, f64::max).powi(2)
    }

    /// Replaces every column `b` by the solution of `L x = b`.
    pub fn solve_lower_in_place(&self, right: &mut Matrix) {
        let n = self.lower.rows();
        assert_eq!(n, right.rows());
        let cost = n * n / 2 * right.columns();
        for_each_chunk(right, cost, |_, chunk| solve_lower_triangular_in_place(view(&self.lower), chunk, Par::Seq));
    }

    /// Writes the inverse of the factor, zero above the diagonal. `n³/3` operations.
    pub(crate) fn invert_lower(&self, out: &mut Matrix) {
        let n = self.lower.rows();
        assert!(out.rows() == n && out.columns() == n);
        out.values_mut().fill(0.0);
        invert_lower_triangular(view_mut(out), view(&self.lower), parts(n));
    }

    /// The inverse of the matrix. `2 n³/3` operations.
    pub fn inverse(&self) -> Matrix {
        let n = self.lower.rows();
        let parts = parts(n);
        let mut out = Matrix::zeros(n, n);
        let mut buffer = MemBuffer::new(llt_inverse::inverse_scratch::<f64>(n, parts));
        llt_inverse::inverse(view_mut(&mut out), view(&self.lower), parts, MemStack::new(&mut buffer));
        mirror_lower(&mut out);
        out
    }

    /// Replaces every column `b` by the solution of `L L' x = b`.
    pub fn solve_in_place(&self, right: &mut Matrix) {
        let n = self.lower.rows();
        assert_eq!(n, right.rows());
        let cost = n * n * right.columns();
        for_each_chunk(right, cost, |_, mut chunk| {
            solve_lower_triangular_in_place(view(&self.lower), chunk.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(view(&self.lower).transpose(), chunk, Par::Seq);
        });
    }
}

/// A factor `F` with `F F' = A` of a symmetric positive *semi*definite matrix, kept as its transpose. It is upper
/// triangular if the matrix is definite. Then `F'`, and its product with a lower triangular matrix, are lower
/// triangular.
#[derive(Debug, Clone)]
pub(crate) struct SemidefiniteFactor {
    transpose: Matrix,
    /// If the factor is not triangular: the rows that are lower triangular in this order.
    pivots: Option<Vec<usize>>,
}

impl SemidefiniteFactor {
    /// Factors the matrix: by Cholesky (from the last row up) if that succeeds, else by Cholesky with diagonal
    /// pivoting. Pivoting stops when only rounding is left (below `n ε` times the largest variance). Nothing is added
    /// to the diagonal.
    pub fn new(matrix: &Matrix) -> Self {
        let n = matrix.rows();
        // Reversing both rows and columns turns the lower factor into the upper one. Reading the values of a matrix
        // backwards, column by column, does both.
        let mut reversed = matrix.clone();
        reversed.values_mut().reverse();
        match Cholesky::factor(reversed) {
            Ok(mut cholesky) => {
                cholesky.lower.values_mut().reverse();
                Self { transpose: transpose(&cholesky.lower), pivots: None }
            }
            Err(_) => Self::up_to(matrix, n as f64 * f64::EPSILON),
        }
    }

    /// Factors the matrix by Cholesky with diagonal pivoting, until less than `tolerance` times the largest variance is
    /// left. The pivots explain the other rows to within that.
    pub fn up_to(matrix: &Matrix, tolerance: f64) -> Self {
        let copy = |column: usize, out: &mut [f64]| {
            out.copy_from_slice(matrix.column(column));
            Ok::<(), Infallible>(())
        };
        let Ok(found) = pivoted_cholesky(matrix.diagonal(), tolerance, usize::MAX, copy);
        let Some(factor) = found else { unreachable!("a matrix has at most as many pivots as rows") };
        factor
    }

    /// Factors a matrix that is given by its diagonal and its columns, by Cholesky with diagonal pivoting, until only
    /// rounding is left. `None` if that takes more than `most` pivots. Only columns of pivots are asked for. `n r²`
    /// operations and `2 n r` memory for rank r.
    ///
    /// # Errors
    /// If a column cannot be computed.
    pub fn by_columns<E>(
        diagonal: Vec<f64>,
        most: usize,
        column: impl Fn(usize, &mut [f64]) -> Result<(), E>,
    ) -> Result<Option<Self>, E> {
        let tolerance = diagonal.len() as f64 * f64::EPSILON;
        pivoted_cholesky(diagonal, tolerance, most, column)
    }

    /// The lower triangle of the inverse of the matrix, if it is definite and its pivots differ by at most this ratio. `2 n³/3`
    /// operations.
    pub fn well_conditioned_inverse(&self, ratio: f64) -> Option<Matrix> {
        if self.pivots.is_some() {
            return None;
        }
        let pivots = self.transpose.diagonal().into_iter().map(|pivot| pivot * pivot);
        let (least, largest) =
            pivots.fold((f64::INFINITY, 0.0_f64), |(least, largest), pivot| (least.min(pivot), largest.max(pivot)));
        if largest > ratio * least {
            return None;
        }
        // `F'` is lower triangular, and with its inverse J, `A⁻¹ = J J'`.
        let n = self.transpose.rows();
        let mut inverse = Matrix::zeros(n, n);
        Cholesky { lower: self.transpose.clone() }.invert_lower(&mut inverse);
        Some(lower_times_transpose(&inverse))
    }

    /// `log det` of a definite matrix, whose factor is triangular.
    pub fn log_det(&self) -> f64 {
        2.0 * self.transpose.diagonal().into_iter().map(f64::ln).sum::<f64>()
    }

    /// `F'`, of size rank x n.
    pub fn transpose(&self) -> &Matrix {
        &self.transpose
    }

    /// Writes `I + left * F` to the lower triangle of `out`, for a `left` that makes it symmetric. The upper triangle
    /// is then undefined. `n³/3` operations if the factor is triangular.
    pub fn identity_plus(&self, left: &Matrix, out: &mut Matrix) {
        let (rank, n) = (self.transpose.rows(), self.transpose.columns());
        assert!(left.rows() == rank && left.columns() == n && out.rows() == rank && out.columns() == rank);
        for_each_chunk(out, rank * rank * n / 6, |first, chunk| {
            // A chunk needs only its rows from `first` on. An upper triangular factor ends where the chunk ends.
            let width = chunk.ncols();
            let depth = if self.pivots.is_none() { first + width } else { n };
            let left = view(left).submatrix(first, 0, rank - first, depth);
            let right = view(&self.transpose).submatrix(first, 0, width, depth).transpose();
            matmul(chunk.subrows_mut(first, rank - first), Accum::Replace, left, right, 1.0, Par::Seq);
        });
        for axis in 0..rank {
            out[(axis, axis)] += 1.0;
        }
    }

    /// Writes `R⁻¹ F'` to `out`, for a lower Cholesky factor R. `n³/3` operations if the factor is triangular.
    pub fn divided_by(&self, cholesky: &Cholesky, out: &mut Matrix) {
        let rank = self.transpose.rows();
        assert_eq!(rank, cholesky.lower.rows());
        out.values_mut().copy_from_slice(self.transpose.values());
        for_each_chunk(out, rank * rank * self.transpose.columns() / 6, |first, chunk| {
            // The rows above the diagonal of a lower triangular matrix are zero and stay zero.
            let skip = if self.pivots.is_none() { first } else { 0 };
            let lower = view(&cholesky.lower).submatrix(skip, skip, rank - skip, rank - skip);
            solve_lower_triangular_in_place(lower, chunk.subrows_mut(skip, rank - skip), Par::Seq);
        });
    }

    /// `F⁻¹ B`, the `X` of `F X = B`, for columns in the span of the matrix. `n²` operations per column if the factor
    /// is triangular.
    pub fn solve(&self, right: Matrix) -> Matrix {
        let (rank, n) = (self.transpose.rows(), self.transpose.columns());
        assert_eq!(n, right.rows());
        match &self.pivots {
            None => {
                let mut out = right;
                let cost = n * n / 2 * out.columns();
                for_each_chunk(&mut out, cost, |_, chunk| {
                    solve_upper_triangular_in_place(view(&self.transpose).transpose(), chunk, Par::Seq);
                });
                out
            }
            Some(pivots) => {
                let lower = Matrix::from_fn(rank, rank, |row, column| self.transpose[(column, pivots[row])]);
                let mut out = Matrix::from_fn(rank, right.columns(), |row, column| right[(pivots[row], column)]);
                Cholesky { lower }.solve_lower_in_place(&mut out);
                out
            }
        }
    }

    /// A `Z` with `A Z = B`, for columns in the span of the matrix A. If A is singular, Z is zero except at the rows
    /// that the factorisation chose. `2 n²` operations per column if the factor is triangular.
    pub fn divide(&self, right: Matrix) -> Matrix {
        let (rank, n) = (self.transpose.rows(), self.transpose.columns());
        match &self.pivots {
            None => {
                let mut out = self.solve(right);
                let cost = n * n / 2 * out.columns();
                for_each_chunk(&mut out, cost, |_, chunk| {
                    solve_lower_triangular_in_place(view(&self.transpose), chunk, Par::Seq);
                });
                out
            }
            Some(pivots) => {
                assert_eq!(n, right.rows());
                let lower = Matrix::from_fn(rank, rank, |row, column| self.transpose[(column, pivots[row])]);
                let mut chosen = Matrix::from_fn(rank, right.columns(), |row, column| right[(pivots[row], column)]);
                Cholesky { lower }.solve_in_place(&mut chosen);
                let mut out = Matrix::zeros(n, right.columns());
                for column in 0..right.columns() {
                    for row in 0..rank {
                        out[(pivots[row], column)] = chosen[(row, column)];
                    }
                }
                out
            }
        }
    }
}

/// The lower triangle of `L L'` for a lower triangular matrix. `n³/3` operations.
fn lower_times_transpose(lower: &Matrix) -> Matrix {
    let n = lower.rows();
    let mut out = Matrix::zeros(n, n);
    for_each_chunk(&mut out, n * n * n / 6, |first, chunk| {
        // Column j needs rows from j on, and the first j + 1 columns of the factor.
        let width = chunk.ncols();
        let left = view(lower).submatrix(first, 0, n - first, first + width);
        let right = view(lower).submatrix(first, 0, width, first + width).transpose();
        matmul(chunk.subrows_mut(first, n - first), Accum::Replace, left, right, 1.0, Par::Seq);
    });
    out
}

/// The factor of a semidefinite matrix with diagonal pivoting, until less than `tolerance` times the largest variance is
/// left; `None` if that takes more than `most` pivots.
fn pivoted_cholesky<E>(
    diagonal: Vec<f64>,
    tolerance: f64,
    most: usize,
    column_of: impl Fn(usize, &mut [f64]) -> Result<(), E>,
) -> Result<Option<SemidefiniteFactor>, E> {
    /// Rows per task.
    const ROWS: usize = 4096;
    let n = diagonal.len();
    let mut left = diagonal;
    let largest = left.iter().copied().fold(0.0, f64::max);
    let threshold = tolerance * largest;
    let (mut pivots, mut columns) = (Vec::new(), Vec::<Vec<f64>>::new());
    while let Some(pivot) = (0..n).max_by(|&a, &b| left[a].total_cmp(&left[b]))
        && left[pivot] > threshold
    {
        if pivots.len() == most {
            return Ok(None);
        }
        let mut column = vec![0.0; n];
        column_of(pivot, &mut column)?;
        let explain = |(chunk, rows): (usize, &mut [f64])| {
            for earlier in &columns {
                add_scaled(rows, -earlier[pivot], &earlier[chunk * ROWS..][..rows.len()]);
            }
        };
        column.par_chunks_mut(ROWS).enumerate().for_each(explain);
        let scale = 1.0 / left[pivot].sqrt();
        for (entry, left) in column.iter_mut().zip(&mut left) {
            *entry *= scale;
            *left = (*left - *entry * *entry).max(0.0);
        }
        left[pivot] = 0.0;
        // A row that earlier pivots explain to the last digit adds nothing to later ones.
        for &pivot in &pivots {
            column[pivot] = 0.0;
        }
        pivots.push(pivot);
        columns.push(column);
    }
    let mut transpose = Matrix::zeros(columns.len(), n);
    transpose.columns_mut().enumerate().for_each(|(item, out)| {
        out.iter_mut().zip(&columns).for_each(|(out, column)| *out = column[item]);
    });
    Ok(Some(SemidefiniteFactor { transpose, pivots: Some(pivots) }))
}
