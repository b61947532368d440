//! Dense linear algebra: products and symmetric updates; factorisations in `factors.rs`, least squares in `least_squares.rs`.
//!
//! Parallel work is cut into chunks of a fixed width, and each chunk runs on one thread. So results have the same bits
//! for any number of threads.

mod factors;
mod least_squares;

use std::num::NonZeroUsize;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

pub use factors::Cholesky;
pub(crate) use factors::SemidefiniteFactor;
pub(crate) use least_squares::least_squares;

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

/// The product `left' * right`.
pub(crate) fn multiply_left_transposed(left: &Matrix, right: &Matrix) -> Matrix {
    assert_eq!(left.rows(), right.rows());
    let mut out = Matrix::zeros(left.columns(), right.columns());
    let cost = left.rows() * left.columns() * right.columns();
    for_each_chunk(&mut out, cost, |first, chunk| {
        let right = view(right).subcols(first, chunk.ncols());
        matmul(chunk, Accum::Replace, view(left).transpose(), right, 1.0, Par::Seq);
    });
    out
}

/// The symmetric product `matrix' * matrix`, for half of the work.
pub(crate) fn squared(matrix: &Matrix) -> Matrix {
    let (rows, n) = (matrix.rows(), matrix.columns());
    let mut out = Matrix::zeros(n, n);
    for_each_chunk(&mut out, rows * n * n / 2, |first, chunk| {
        // A chunk needs only its rows from `first` on.
        let right = view(matrix).subcols(first, chunk.ncols());
        let left = view(matrix).subcols(first, n - first).transpose();
        matmul(chunk.subrows_mut(first, n - first), Accum::Replace, left, right, 1.0, Par::Seq);
    });
    mirror_lower(&mut out);
    out
}

/// `out -= left * right`.
pub(crate) fn subtract_product(out: &mut Matrix, left: &Matrix, right: &Matrix) {
    assert!(left.columns() == right.rows() && out.rows() == left.rows() && out.columns() == right.columns());
    let cost = left.rows() * left.columns() * right.columns();
    for_each_chunk(out, cost, |first, chunk| {
        let right = view(right).subcols(first, chunk.ncols());
        matmul(chunk, Accum::Add, view(left), right, -1.0, Par::Seq);
    });
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

/// Columns and rows of a tile of a matrix that stays in registers while all steps pass over it.
const TILE: (usize, usize) = (4, 8);

/// As many calls of [`rank_one_downdate`], to the bit, by one pass over the matrix.
pub(crate) fn rank_one_downdates(target: &mut Matrix, steps: &[(f64, Vec<f64>)]) {
    let n = target.rows();
    // The numbers of a tile's rows stand together, step by step.
    let of_rows =
        |tile: usize| steps.iter().map(move |(_, direction)| std::array::from_fn(|row| direction[tile * TILE.1 + row]));
    let packed: Vec<[f64; TILE.1]> = (0..n / TILE.1).flat_map(of_rows).collect();
    let run = |(tile, columns): (usize, &mut [f64])| {
        let first = tile * TILE.0;
        let factor = |(scale, direction): &(f64, Vec<f64>)| {
            std::array::from_fn(|column| direction.get(first + column).map_or(0.0, |entry| -scale * entry))
        };
        let factors: Vec<[f64; TILE.0]> = steps.iter().map(factor).collect();
        let tiled = if columns.len() == TILE.0 * n { n - n % TILE.1 } else { 0 };
        if tiled > 0 {
            add_by_tiles(columns, n, &factors, &packed);
        }
        for (at, column) in columns.chunks_exact_mut(n).enumerate() {
            for ((_, direction), factors) in steps.iter().zip(&factors) {
                add_scaled(&mut column[tiled..], factors[at], &direction[tiled..]);
            }
        }
    };
    let width = (TILE.0 * n).max(1);
    if n * n * steps.len() < PARALLEL_FROM {
        target.values_mut().chunks_mut(width).enumerate().for_each(run);
    } else {
        target.values_mut().par_chunks_mut(width).with_min_len(CHUNK / TILE.0).enumerate().for_each(run);
    }
}

/// `column += Σ factor * row` for four columns of `n` rows, step by step, in the rows of whole tiles.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn add_by_tiles(columns: &mut [f64], n: usize, factors: &[[f64; TILE.0]], packed: &[[f64; TILE.1]]) {
    let (left, right) = columns.split_at_mut(2 * n);
    let ((one, two), (three, four)) = (left.split_at_mut(n), right.split_at_mut(n));
    let [one, two, three, four] = [one, two, three, four].map(|column| column.as_chunks_mut::<{ TILE.1 }>().0);
    let tiles = one.iter_mut().zip(two).zip(three.iter_mut().zip(four)).zip(packed.chunks_exact(factors.len().max(1)));
    for (((one, two), (three, four)), rows) in tiles {
        let mut tile = [*one, *two, *three, *four];
        for (factors, rows) in factors.iter().zip(rows) {
            for column in 0..TILE.0 {
                for row in 0..TILE.1 {
                    tile[column][row] += factors[column] * rows[row];
                }
            }
        }
        [*one, *two, *three, *four] = tile;
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
    fn a_matrix_squared_is_its_transpose_times_itself() {
        for (rows, columns) in [(0, 3), (5, 1), (40, 230), (7, 200)] {
            let matrix = Matrix::from_fn(rows, columns, |row, column| ((row * 7 + column * 3) % 11) as f64 - 5.0);
            // Sums of small whole numbers are exact.
            assert_eq!(squared(&matrix), multiply(&transpose(&matrix), &matrix));
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

    /// As the steps one by one, to the bit: whole tiles, and rows and columns beside them.
    #[test]
    fn many_downdates_are_as_many_single_ones() {
        for n in SIZES {
            let wide = waves(n, n, 0.5);
            let matrix = by_hand(&wide, &transpose(&wide));
            for count in [0, 1, 16] {
                let steps: Vec<(f64, Vec<f64>)> =
                    (0..count).map(|at| (0.1 + at as f64, waves(n, 1, at as f64).values().to_vec())).collect();
                let (mut together, mut one_by_one) = (matrix.clone(), matrix.clone());
                rank_one_downdates(&mut together, &steps);
                steps.iter().for_each(|(scale, direction)| rank_one_downdate(&mut one_by_one, *scale, direction));
                assert_eq!(together, one_by_one, "{n} {count}");
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
