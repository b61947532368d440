//! The matrix of a graph prior, `A = D - W + shift I`, by its products and its solves.
//!
//! `W` holds the weights of links; it is positive and symmetric, with an empty diagonal. `D` holds the sums of its
//! rows. `A` is an M-matrix: its inverse has no negative entry and its rows sum to the shift, so `|A⁻¹ r| ≤ |r| /
//! shift` in the largest entry. Only the links and the diagonal are stored. Where all weights are equal, a product
//! reads only the places of the links, four bytes instead of twelve.
//!
//! Several right-hand sides are solved at once, so the links are read once for all. Each is independent: sums run in an
//! order that depends neither on the number solved together nor on the number of threads, and a finished one is left
//! alone. So a solution has the same bits whatever it is solved with.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::SparseMatrix;

/// Rows that one task takes, and that are summed before they join a total.
pub(super) const ROWS_PER_TASK: usize = 1 << 10;

/// Systems with fewer rows and links than this are not worth a second thread.
const PARALLEL_ENTRIES: usize = 1 << 15;

/// Rows whose links are fetched together before they are summed.
const ROWS_FETCHED: usize = 8;

/// `D - W + shift I`.
#[derive(Debug, Clone)]
pub struct ShiftedLaplacian {
    links: Arc<SparseMatrix>,
    shift: f64,
    /// `D + shift I`.
    diagonal: Vec<f64>,
    inverse: Vec<f64>,
    /// The weight of all links, if they have the same.
    weight: Option<f64>,
}

impl ShiftedLaplacian {
    /// The matrix of these links, which must be symmetric and positive with an empty diagonal. With a shift of 0 it has
    /// products but no solves.
    pub fn new(links: Arc<SparseMatrix>, shift: f64) -> Self {
        debug_assert!(links.rows() == links.columns() && shift >= 0.0);
        let diagonal: Vec<f64> = (0..links.rows()).map(|row| links.row(row).1.iter().sum::<f64>() + shift).collect();
        let inverse = diagonal.iter().map(|value| 1.0 / value).collect();
        let first = links.values().first().copied().unwrap_or(1.0);
        let weight = links.values().iter().all(|&weight| weight == first).then_some(first);
        Self { links, shift, diagonal, inverse, weight }
    }

    /// The rows and columns of some nodes, in this order. Links to other nodes are cut but stay in the diagonal.
    pub(super) fn part(&self, nodes: &[u32]) -> Self {
        let places: HashMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
        let inside = |(place, &node): (usize, &u32)| {
            let (others, weights) = self.links.row(node as usize);
            let places = &places;
            let entry = move |(other, &weight)| Some((place as u32, *places.get(other)?, weight));
            others.iter().zip(weights).filter_map(entry)
        };
        let entries: Vec<(u32, u32, f64)> = nodes.iter().enumerate().flat_map(inside).collect();
        let links = SparseMatrix::from_entries(nodes.len(), nodes.len(), &entries)
            .unwrap_or_else(|_| unreachable!("places are below their number"));
        let pick = |values: &[f64]| nodes.iter().map(|&node| values[node as usize]).collect();
        let (diagonal, inverse) = (pick(&self.diagonal), pick(&self.inverse));
        Self { links: Arc::new(links), shift: self.shift, diagonal, inverse, weight: self.weight }
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.diagonal.len()
    }

    /// The links.
    pub fn links(&self) -> &Arc<SparseMatrix> {
        &self.links
    }

    /// The shift: the number added to the Laplacian's diagonal.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// The diagonal.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// One over the diagonal.
    pub(super) fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    /// The matrix with all its entries.
    pub fn to_matrix(&self) -> SparseMatrix {
        self.links.map(|_, _, weight| -weight).with_diagonal(&self.diagonal)
    }

    /// `out = A x` for one column, with the same sums as in a solve.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        self.product::<1>(x.as_chunks().0, out.as_chunks_mut().0);
    }

    /// `out = A x`, and `x' A x` of every column. Every row is one sum in the order of its links.
    pub(super) fn product<const K: usize>(&self, x: &[[f64; K]], out: &mut [[f64; K]]) -> [f64; K] {
        self.over_tasks(out.chunks_mut(ROWS_PER_TASK).enumerate(), |(task, out)| {
            product_of_rows(self, task * ROWS_PER_TASK, x, out)
        })
    }

    /// `W x` in one row: four partial sums by position, then the rest. More than four columns are summed four at a time, so
    /// that their sums stay in registers.
    #[inline(always)]
    pub(super) fn linked<const K: usize>(&self, row: usize, x: &[[f64; K]]) -> [f64; K] {
        const { assert!(K <= 4 || K.is_multiple_of(4)) }
        if K <= 4 {
            return self.linked_from(row, 0, x);
        }
        let mut out = [0.0; K];
        for (at, out) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *out = self.linked_from(row, 4 * at, x);
        }
        out
    }

    /// The columns from `from` on of `W x` in one row.
    #[inline(always)]
    fn linked_from<const K: usize, const C: usize>(&self, row: usize, from: usize, x: &[[f64; K]]) -> [f64; C] {
        let (columns, weights) = self.links.row(row);
        let (fours, rest) = columns.as_chunks::<4>();
        let mut sums = [[0.0; C]; 4];
        if let Some(weight) = self.weight {
            for columns in fours {
                for (sum, &column) in sums.iter_mut().zip(columns) {
                    add(sum, &x[column as usize][from..]);
                }
            }
            for (sum, &column) in sums.iter_mut().zip(rest) {
                add(sum, &x[column as usize][from..]);
            }
            return std::array::from_fn(|k| weight * (sums[0][k] + sums[1][k] + (sums[2][k] + sums[3][k])));
        }
        let (four_weights, rest_weights) = weights.as_chunks::<4>();
        for (columns, weights) in fours.iter().zip(four_weights) {
            for (sum, (&column, &weight)) in sums.iter_mut().zip(columns.iter().zip(weights)) {
                add_scaled(sum, weight, &x[column as usize][from..]);
            }
        }
        for (sum, (&column, &weight)) in sums.iter_mut().zip(rest.iter().zip(rest_weights)) {
            add_scaled(sum, weight, &x[column as usize][from..]);
        }
        std::array::from_fn(|k| sums[0][k] + sums[1][k] + (sums[2][k] + sums[3][k]))
    }

    /// The sum of the results of `work` over all tasks, in their order; in parallel if the system is large.
    pub(super) fn over_tasks<T: Send, const K: usize>(
        &self,
        tasks: impl Iterator<Item = T>,
        work: impl Fn(T) -> [f64; K] + Sync,
    ) -> [f64; K] {
        let mut total = [0.0; K];
        let add = |sums: [f64; K]| (0..K).for_each(|k| total[k] += sums[k]);
        if self.size() + self.links.stored() < PARALLEL_ENTRIES {
            tasks.map(work).for_each(add);
        } else {
            let tasks: Vec<T> = tasks.collect();
            let sums: Vec<[f64; K]> = tasks.into_par_iter().map(&work).collect();
            sums.into_iter().for_each(add);
        }
        total
    }
}

/// `out = A x` in the rows from `first` on, and their part of `x' A x`. Wide registers leave the processor room to fetch
/// more rows of `x` at once.
#[multiversion::multiversion(targets("x86_64+avx2"))]
fn product_of_rows<const K: usize>(
    matrix: &ShiftedLaplacian,
    first: usize,
    x: &[[f64; K]],
    out: &mut [[f64; K]],
) -> [f64; K] {
    let mut curvature = [0.0; K];
    for (first, out) in (first..).step_by(ROWS_FETCHED).zip(out.chunks_mut(ROWS_FETCHED)) {
        if K >= 8 {
            fetch(matrix.links.columns_of(first..first + out.len()), x);
        }
        for (row, out) in (first..).zip(out) {
            let linked = matrix.linked(row, x);
            let (own, diagonal) = (&x[row], matrix.diagonal[row]);
            for k in 0..K {
                out[k] = diagonal * own[k] - linked[k];
                curvature[k] += own[k] * out[k];
            }
        }
    }
    curvature
}

#[inline(always)]
fn add<const C: usize>(sum: &mut [f64; C], row: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += value;
    }
}

#[inline(always)]
fn add_scaled<const C: usize>(sum: &mut [f64; C], scale: f64, row: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += scale * value;
    }
}

/// Reads a number of each of these rows, so that they are near when they are summed. Reads that do nothing else wait for
/// memory together; sums wait in turn.
#[inline(always)]
fn fetch<const K: usize>(rows: &[u32], x: &[[f64; K]]) {
    let mut seen = [0.0; 4];
    for rows in rows.as_chunks::<4>().0 {
        for (seen, &row) in seen.iter_mut().zip(rows) {
            *seen += x[row as usize][0];
        }
    }
    std::hint::black_box(seen);
}
