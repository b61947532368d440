//! Solves of thousands of right-hand sides by one sparse factor.
//!
//! Whatever the order, the last rows to be eliminated have filled up: a graph of ten thousand nodes and thirty thousand random
//! links ends in a triangle of a few thousand rows without a gap, which holds most of the factor. There, dense products are
//! ten times as fast as steps from entry to entry.

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, MatRef, Par};
use rayon::prelude::*;

use super::SparseCholesky;
use crate::numeric::Matrix;

/// Right-hand sides that stand side by side: enough for dense products, and few enough that ten thousand rows stay in the cache.
const TOGETHER: usize = 32;

/// A factor whose last rows are a dense triangle.
pub(crate) struct Wide<'a> {
    factor: &'a SparseCholesky,
    /// The lower triangle of the last rows.
    dense: Matrix,
}

impl<'a> Wide<'a> {
    /// Copies the last rows: `core²` doubles, at most as many as the rows before them cost in time.
    pub(super) fn new(factor: &'a SparseCholesky) -> Self {
        let n = factor.size();
        let first = first_dense(&factor.starts);
        let mut dense = Matrix::zeros(n - first, n - first);
        for column in first..n {
            let places = factor.starts[column]..factor.starts[column + 1];
            for (&row, &value) in factor.rows[places.clone()].iter().zip(&factor.values[places]) {
                dense[(row as usize - first, column - first)] = value;
            }
        }
        Self { factor, dense }
    }

    /// Solves `A X = B` in place for right-hand sides that stand one after another, in parallel. Their bits depend on their
    /// place among the others, but not on the number of threads.
    pub(crate) fn solve_in_place(&self, rhs: &mut [f64]) {
        let n = self.factor.size().max(1);
        rhs.par_chunks_mut(n * TOGETHER).for_each(|block| self.solve_block(block));
    }

    fn solve_block(&self, rhs: &mut [f64]) {
        let (n, order) = (self.factor.size(), &self.factor.order);
        let columns = rhs.len() / n;
        let first = n - self.dense.rows();
        let mut x = vec![[0.0; TOGETHER]; n];
        for (x, &row) in x.iter_mut().zip(order) {
            (0..columns).for_each(|column| x[column] = rhs[column * n + row as usize]);
        }
        let SparseCholesky { starts, rows, values, .. } = self.factor;
        forward(&starts[..=first], rows, values, x.as_flattened_mut());
        let triangle = MatRef::from_column_major_slice(self.dense.values(), self.dense.rows(), self.dense.columns());
        let mut last = MatMut::from_row_major_slice_mut(x[first..].as_flattened_mut(), n - first, TOGETHER);
        solve_lower_triangular_in_place(triangle, last.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(triangle.transpose(), last, Par::Seq);
        backward(&starts[..=first], rows, values, x.as_flattened_mut());
        for (x, &row) in x.iter().zip(order) {
            (0..columns).for_each(|column| rhs[column * n + row as usize] = x[column]);
        }
    }
}

/// The first row of the dense triangle, which takes least time: a step to an entry of the factor takes four operations at 2.5 per
/// nanosecond; the dense triangle of m rows takes `2 m²`, at 30 per nanosecond.
fn first_dense(starts: &[usize]) -> usize {
    let n = starts.len() - 1;
    let cost = |first: usize| 4.0 / 2.5 * starts[first] as f64 + 2.0 / 30.0 * ((n - first) as f64).powi(2);
    (0..=n).min_by(|&one, &other| cost(one).total_cmp(&cost(other))).unwrap_or(n)
}

/// Eliminates the first rows, up to the end of `starts`.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn forward(starts: &[usize], rows: &[u32], values: &[f64], x: &mut [f64]) {
    let x = x.as_chunks_mut::<TOGETHER>().0;
    for column in 0..starts.len() - 1 {
        let (first, end) = (starts[column], starts[column + 1]);
        let mut own = x[column];
        if own == [0.0; TOGETHER] {
            continue;
        }
        own.iter_mut().for_each(|own| *own /= values[first]);
        x[column] = own;
        for (&row, value) in rows[first + 1..end].iter().zip(&values[first + 1..end]) {
            x[row as usize].iter_mut().zip(&own).for_each(|(target, own)| *target -= value * own);
        }
    }
}

/// Solves with the transpose for the first rows, once the others are known.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn backward(starts: &[usize], rows: &[u32], values: &[f64], x: &mut [f64]) {
    let x = x.as_chunks_mut::<TOGETHER>().0;
    for column in (0..starts.len() - 1).rev() {
        let (first, end) = (starts[column], starts[column + 1]);
        let mut own = x[column];
        for (&row, value) in rows[first + 1..end].iter().zip(&values[first + 1..end]) {
            own.iter_mut().zip(&x[row as usize]).for_each(|(own, other)| *own -= value * other);
        }
        own.iter_mut().for_each(|own| *own /= values[first]);
        x[column] = own;
    }
}
