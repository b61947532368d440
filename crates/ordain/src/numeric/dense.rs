//! Dense linear algebra: products, factorisations, symmetric updates.
//!
//! Parallel work is cut into chunks of a fixed width, and each chunk runs on one thread. So results have the same bits
//! for any number of threads.

use std::convert::Infallible;
use std::num::NonZeroUsize;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor as llt, inverse as llt_inverse};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::{Matrix, SparseMatrix};

/// Columns per task: wide enough for the register blocks of a product, narrow enough to share out.
const CHUNK: usize = 96;
/// The number of parts of a factorisation. It does not depend on the number of threads, so neither do the bits.
const PARTS: Par = Par::Rayon(NonZeroUsize::new(2).unwrap());
/// Factorisations below this size are too small to share out.
const PARTS_FROM: usize = 256;
/// Products with fewer multiplications than this (about 0.1 ms) stay on the caller's thread.
const PARALLEL_FROM: usize = 2_000_000;

/// A pass over fewer entries than this (about 0.1 ms) stays on the caller's thread.
const SHARED_PASS: usize = 200_000;

fn parts(size: usize) -> Par {
    if size < PARTS_FROM { Par::Seq } else { PARTS }
}

fn view(matrix: &Matrix) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(matrix.values(), matrix.rows(), matrix.columns())
}

fn view_mut(matrix: &mut Matrix) -> MatMut<'_, f64> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    MatMut::from_column_major_slice_mut(matrix.values_mut(), rows, columns)
}

/// Runs `work(first column, columns)` over the chunks of a matrix, in parallel when the work is worth it.
fn for_each_chunk(matrix: &mut Matrix, multiplications: usize, work: impl Fn(usize, MatMut<'_, f64>) + Sync) {
    let rows = matrix.rows();
    if rows == 0 || matrix.columns() == 0 {
        return;
    }
    let run = |(chunk, values): (usize, &mut [f64])| {
        let columns = values.len() / rows;
        work(chunk * CHUNK, MatMut::from_column_major_slice_mut(values, rows, columns));
    };
    if multiplications < PARALLEL_FROM {
        matrix.values_mut().chunks_mut(rows * CHUNK).enumerate().for_each(run);
    } else {
        matrix.values_mut().par_chunks_mut(rows * CHUNK).enumerate().for_each(run);
    }
}

/// The product `left * right`.
///
/// # Panics
/// If the inner dimensions differ.
pub fn multiply(left: &Matrix, right: &Matrix) -> Matrix {
    assert_eq!(left.columns(), right.rows());
    let mut out = Matrix::zeros(left.rows(), right.columns());
    let cost = left.rows() * left.columns() * right.columns();
    for_each_chunk(&mut out, cost, |first, chunk| {
        let right = view(right).subcols(first, chunk.ncols());
        matmul(chunk, Accum::Replace, view(left), right, 1.0, Par::Seq);
    });
    out
}

/// The product `matrix * vector`.
pub fn multiply_vector(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    /// Rows per task.
    const ROWS: usize = 256;
    assert_eq!(matrix.columns(), vector.len());
    let mut out = vec![0.0; matrix.rows()];
    let run = |(chunk, out): (usize, &mut [f64])| {
        for (column, &factor) in vector.iter().enumerate() {
            add_scaled(out, factor, &matrix.column(column)[chunk * ROWS..][..out.len()]);
        }
    };
    if matrix.values().len() < SHARED_PASS {
        out.chunks_mut(ROWS).enumerate().for_each(run);
    } else {
        out.par_chunks_mut(ROWS).enumerate().for_each(run);
    }
    out
}

/// The products `matrix' * vector`.
pub(crate) fn multiply_transposed(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    let product = |column: usize| dot(matrix.column(column), vector);
    if matrix.values().len() < SHARED_PASS {
        (0..matrix.columns()).map(product).collect()
    } else {
        (0..matrix.columns()).into_par_iter().with_min_len(CHUNK).map(product).collect()
    }
}

/// Writes the product of a matrix with a sparse symmetric matrix to `out`. Only the rows of the latter are read.
pub(crate) fn multiply_sparse(matrix: &Matrix, symmetric: &SparseMatrix, out: &mut Matrix) {
    assert!(matrix.columns() == symmetric.rows() && symmetric.rows() == symmetric.columns());
    assert!(out.rows() == matrix.rows() && out.columns() == matrix.columns());
    let rows = matrix.rows().max(1);
    let run = |(column, out): (usize, &mut [f64])| {
        out.fill(0.0);
        let (others, values) = symmetric.row(column);
        for (&other, &value) in others.iter().zip(values) {
            add_scaled(out, value, matrix.column(other as usize));
        }
    };
    if symmetric.stored() * rows < SHARED_PASS {
        out.values_mut().chunks_mut(rows).enumerate().for_each(run);
    } else {
        out.values_mut().par_chunks_mut(rows).with_min_len(CHUNK).enumerate().for_each(run);
    }
}

/// `target += factor * source`.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
pub(crate) fn add_scaled(target: &mut [f64], factor: f64, source: &[f64]) {
    for (target, &source) in target.iter_mut().zip(source) {
        *target += factor * source;
    }
}

/// `target += Σ factor * row`, row by row. Four rows at a time, so that the target is read and written a quarter as often.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
pub(crate) fn add_scaled_rows(target: &mut [f64], factors: &[f64], rows: &[f64]) {
    let width = target.len();
    let (fours, rest) = factors.as_chunks::<4>();
    let (in_fours, in_rest) = rows.split_at(4 * fours.len() * width);
    for (factors, rows) in fours.iter().zip(in_fours.chunks_exact(4 * width)) {
        let ((one, two), (three, four)) = {
            let (first, second) = rows.split_at(2 * width);
            (first.split_at(width), second.split_at(width))
        };
        let rows = one.iter().zip(two).zip(three.iter().zip(four));
        for (target, ((one, two), (three, four))) in target.iter_mut().zip(rows) {
            *target = *target + factors[0] * one + factors[1] * two + factors[2] * three + factors[3] * four;
        }
    }
    for (factor, row) in rest.iter().zip(in_rest.chunks_exact(width)) {
        target.iter_mut().zip(row).for_each(|(target, value)| *target += factor * value);
    }
}

/// The inner product; the order of the sum is fixed.
pub fn dot(left: &[f64], right: &[f64]) -> f64 {
    sum_of(left, right, |left, right| left * right)
}

/// Appends the inner products of rows with a vector, to the bit as [`dot`] gives them.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
pub(crate) fn row_products(rows: &[f64], vector: &[f64], out: &mut Vec<f64>) {
    out.extend(rows.chunks_exact(vector.len()).map(|row| sum_of(row, vector, |left, right| left * right)));
}

/// `|left - right|²`, without the cancellation of sums of squares.
pub(crate) fn squared_distance(left: &[f64], right: &[f64]) -> f64 {
    sum_of(left, right, |left, right| (left - right) * (left - right))
}

/// `Σ term(left, right)` in eight interleaved partial sums, so that it vectorises. Their number is part of the bits.
#[inline(always)]
pub(crate) fn sum_of(left: &[f64], right: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    assert_eq!(left.len(), right.len());
    let mut sums = [0.0; 8];
    let (left_blocks, left_rest) = left.as_chunks::<8>();
    let (right_blocks, right_rest) = right.as_chunks::<8>();
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        for lane in 0..8 {
            sums[lane] += term(left[lane], right[lane]);
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(&left, &right)| term(left, right)).sum();
    sums.iter().sum::<f64>() + rest
}

/// `target -= scale * direction * direction'` on a whole symmetric matrix. `n²` multiplications; every entry is read
/// and written once, which sets the time once the matrix leaves the cache.
pub(crate) fn rank_one_downdate(target: &mut Matrix, scale: f64, direction: &[f64]) {
    let n = direction.len();
    assert!(target.rows() == n && target.columns() == n);
    if n == 0 {
        return;
    }
    let run = |(first, values): (usize, &mut [f64])| {
        for (column, &entry) in values.chunks_exact_mut(n).zip(&direction[first * CHUNK..]) {
            add_scaled(column, -scale * entry, direction);
        }
    };
    if n * n < PARALLEL_FROM {
        target.values_mut().chunks_mut(n * CHUNK).enumerate().for_each(run);
    } else {
        target.values_mut().par_chunks_mut(n * CHUNK).enumerate().for_each(run);
    }
}

/// `target -= scale * direction * direction'` on a symmetric matrix of covariances with these variances. Also finds,
/// for every item, the largest variance of a difference with it afterwards, `variance_i + max_j (variance_j - 2
/// target_ij)`. One pass: the second part costs little beside reading and writing the matrix.
pub(crate) fn downdate_covariance(
    target: &mut Matrix,
    scale: f64,
    direction: &[f64],
    variances: &[f64],
    largest: &mut [f64],
) {
    let n = direction.len();
    if n == 0 {
        return;
    }
    let run = |(chunk, (values, largest)): (usize, (&mut [f64], &mut [f64]))| {
        let rows = direction[chunk * CHUNK..].iter().zip(&variances[chunk * CHUNK..]);
        for ((column, largest), (entry, variance)) in values.chunks_exact_mut(n).zip(largest).zip(rows) {
            *largest = variance + downdate_column(column, -scale * entry, direction, variances);
        }
    };
    if n * n < PARALLEL_FROM {
        target.values_mut().chunks_mut(n * CHUNK).zip(largest.chunks_mut(CHUNK)).enumerate().for_each(run);
    } else {
        target.values_mut().par_chunks_mut(n * CHUNK).zip(largest.par_chunks_mut(CHUNK)).enumerate().for_each(run);
    }
}

/// `column += factor * direction`; returns the largest `variance - 2 column`.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn downdate_column(column: &mut [f64], factor: f64, direction: &[f64], variances: &[f64]) -> f64 {
    let mut most = [f64::NEG_INFINITY; 8];
    let larger = |most: f64, value: f64| if value > most { value } else { most };
    let (blocks, rest) = column.as_chunks_mut::<8>();
    let ((directions, direction_rest), (spreads, spread_rest)) =
        (direction.as_chunks::<8>(), variances.as_chunks::<8>());
    for ((block, direction), variance) in blocks.iter_mut().zip(directions).zip(spreads) {
        for lane in 0..8 {
            block[lane] += factor * direction[lane];
            most[lane] = larger(most[lane], variance[lane] - 2.0 * block[lane]);
        }
    }
    for ((value, direction), variance) in rest.iter_mut().zip(direction_rest).zip(spread_rest) {
        *value += factor * direction;
        most[0] = larger(most[0], variance - 2.0 * *value);
    }
    most.into_iter().fold(f64::NEG_INFINITY, larger)
}

/// Copies the lower half of a square matrix over its upper half, in tiles that fit the nearest cache.
pub(crate) fn mirror_lower(matrix: &mut Matrix) {
    const TILE: usize = 32;
    let n = matrix.rows();
    let values = matrix.values_mut();
    for first in (0..n).step_by(TILE) {
        for begin in (first..n).step_by(TILE) {
            for column in first..(first + TILE).min(n) {
                for row in begin.max(column + 1)..(begin + TILE).min(n) {
                    values[row * n + column] = values[column * n + row];
                }
            }
        }
    }
}

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

/// The transpose.
pub(crate) fn transpose(matrix: &Matrix) -> Matrix {
    /// Tiles keep both the rows and the columns that are touched in the cache.
    const TILE: usize = 32;
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let mut out = Matrix::zeros(columns, rows);
    for first_column in (0..columns).step_by(TILE) {
        for first_row in (0..rows).step_by(TILE) {
            for column in first_column..(first_column + TILE).min(columns) {
                for row in first_row..(first_row + TILE).min(rows) {
                    out[(column, row)] = matrix[(row, column)];
                }
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing, the smallest, and around one and two chunks.
    const SIZES: [usize; 8] = [0, 1, 2, 7, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 1];

    fn waves(rows: usize, columns: usize, phase: f64) -> Matrix {
        Matrix::from_fn(rows, columns, |i, j| (1.7 * i as f64 + 0.3 * (i * j) as f64 + j as f64 + phase).sin())
    }

    fn by_hand(left: &Matrix, right: &Matrix) -> Matrix {
        let entry = |i, j| (0..left.columns()).map(|k| left[(i, k)] * right[(k, j)]).sum();
        Matrix::from_fn(left.rows(), right.columns(), entry)
    }

    /// Entries are sums of at most 400 products of numbers of the order 1, and factors of well-conditioned matrices.
    fn close(found: &Matrix, expected: &Matrix, lower_only: bool) {
        assert_eq!((found.rows(), found.columns()), (expected.rows(), expected.columns()));
        for j in 0..found.columns() {
            for i in if lower_only { j } else { 0 }..found.rows() {
                let (found, expected) = (found[(i, j)], expected[(i, j)]);
                assert!((found - expected).abs() <= 1e-10 * (1.0 + expected.abs()), "({i}, {j}): {found} {expected}");
            }
        }
    }

    #[test]
    fn products_and_transposes() {
        for n in SIZES {
            let (left, right) = (waves(n, n / 2, 0.0), waves(n / 2, n + 3, 1.0));
            close(&multiply(&left, &right), &by_hand(&left, &right), false);
            close(&transpose(&left), &Matrix::from_fn(n / 2, n, |i, j| left[(j, i)]), false);
            let (a, b) = (waves(n, 1, 0.0), waves(n, 1, 2.0));
            let expected: f64 = a.values().iter().zip(b.values()).map(|(a, b)| (a - b).powi(2)).sum();
            assert!((squared_distance(a.values(), b.values()) - expected).abs() <= 1e-12 * (1.0 + expected));
        }
    }

    /// Of definite matrices, and of singular ones: F makes the matrix again, and what is made of F is what it should be.
    #[test]
    fn factors() {
        for n in SIZES {
            for rank in [n, n / 2, 1.min(n), 0] {
                let wide = waves(n, rank, 0.5);
                let mut matrix = by_hand(&wide, &transpose(&wide));
                if rank == n {
                    (0..n).for_each(|i| matrix[(i, i)] += 1.0);
                }
                let factor = SemidefiniteFactor::new(&matrix);
                let lower = transpose(factor.transpose());
                close(&by_hand(&lower, factor.transpose()), &matrix, false);

                // F' A for a diagonal A makes I + F' A F symmetric.
                let left = Matrix::from_fn(lower.columns(), n, |k, i| lower[(i, k)] * (1.0 + (i % 3) as f64));
                let mut expected = by_hand(&left, &lower);
                (0..lower.columns()).for_each(|k| expected[(k, k)] += 1.0);
                let (rank, n) = (factor.transpose().rows(), factor.transpose().columns());
                let mut plus = Matrix::zeros(rank, rank);
                factor.identity_plus(&left, &mut plus);
                close(&plus, &expected, true);
                let cholesky = Cholesky::factor(plus).unwrap();
                close(&by_hand(cholesky.lower(), &transpose(cholesky.lower())), &expected, true);
                let mut divided = Matrix::zeros(rank, n);
                factor.divided_by(&cholesky, &mut divided);
                close(&by_hand(cholesky.lower(), &divided), factor.transpose(), false);
                let mut solved = factor.transpose().clone();
                cholesky.solve_lower_in_place(&mut solved);
                close(&solved, &divided, false);

                // The matrix's own columns are in its span.
                close(&by_hand(&lower, &factor.solve(matrix.clone())), &matrix, false);
                close(&by_hand(&matrix, &factor.divide(matrix.clone())), &matrix, false);
            }
        }
    }

    #[test]
    fn not_definite() {
        let mut matrix = Matrix::identity(5);
        matrix[(3, 3)] = -1.0;
        assert_eq!(Cholesky::factor(matrix).unwrap_err(), 3);
    }
}
