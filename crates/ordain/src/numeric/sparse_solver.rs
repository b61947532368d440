//! Columns and variances of a graph prior: by a factor if it stays sparse, else by conjugate gradients.
//!
//! The two fail on opposite graphs. Random and scale-free graphs fill the factor but need about twenty steps of
//! conjugate gradients. Grids, neighbourhoods and crawls of the web need hundreds of steps but barely fill.
//! [`SparseSolver`] counts the fill without computing it, and chooses.

use std::sync::Arc;

use rayon::prelude::*;

use super::dense::{Cholesky, mirror_lower};
use super::sparse_cholesky::Wide;
use super::{Matrix, ShiftedLaplacian, SparseCholesky, SparseMatrix, SparseOrdering};
use crate::{Error, Result};

/// The largest factor that is kept: half a gigabyte of values, about two seconds of factoring.
const MOST_FILL: usize = 60_000_000;

/// The rows of the first part of a graph whose fill is counted.
const FIRST_COUNTED: usize = 1 << 14;

/// Right-hand sides that a factor solves together. They have the bits of one alone.
const SOLVED_TOGETHER: usize = 8;

/// The largest error of a correlation from an iterative solve. Beliefs add up some hundreds of columns and must agree
/// with dense ones to 1e-9.
pub(super) const TOLERANCE: f64 = 1e-12;

/// How a sparse system is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolveMethod {
    /// A factor if it stays sparse, else conjugate gradients.
    #[default]
    Automatic,
    /// A factor, whatever its size.
    Factor,
    /// Conjugate gradients.
    Iterate,
}

/// Solves systems of one [`ShiftedLaplacian`] by the method that suits it.
#[derive(Debug, Clone)]
pub struct SparseSolver {
    matrix: ShiftedLaplacian,
    method: SolveMethod,
    ordering: Option<SparseOrdering>,
    factor: Option<SparseCholesky>,
}

impl SparseSolver {
    /// Prepares to solve systems of a matrix.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a factor was asked for and does not fit.
    pub fn new(matrix: ShiftedLaplacian, method: SolveMethod) -> Result<Self> {
        let ordering = match method {
            SolveMethod::Iterate => None,
            SolveMethod::Automatic => sparse_ordering(&matrix),
            SolveMethod::Factor => Some(SparseOrdering::new(&matrix.to_matrix()).ok_or_else(|| Error::TooLarge {
                what: "the factor of a sparse matrix".into(),
                size: usize::MAX,
                limit: u32::MAX as usize,
                method: "sparse Cholesky factorisation",
            })?),
        };
        let factor = factor_of(ordering.as_ref(), &matrix)?;
        Ok(Self { matrix, method, ordering, factor })
    }

    /// The same solver with another shift. It shares the links and keeps the order.
    ///
    /// # Errors
    /// Like [`SparseSolver::new`].
    pub fn with_shift(&self, shift: f64) -> Result<Self> {
        let matrix = ShiftedLaplacian::new(Arc::clone(self.matrix.links()), shift);
        let factor = factor_of(self.ordering.as_ref(), &matrix)?;
        Ok(Self { matrix, method: self.method, ordering: self.ordering.clone(), factor })
    }

    /// The matrix.
    pub fn matrix(&self) -> &ShiftedLaplacian {
        &self.matrix
    }

    /// The factor, if there is one.
    pub(super) fn factor(&self) -> Option<&SparseCholesky> {
        self.factor.as_ref()
    }

    /// The number of entries of the factor, if there is one.
    pub fn fill(&self) -> Option<usize> {
        self.factor.as_ref().map(SparseCholesky::fill)
    }

    /// Solves `A x = b`.
    ///
    /// # Errors
    /// [`Error::NotConverged`] if conjugate gradients are used and do not converge.
    pub fn solve(&self, rhs: &[f64], x: &mut [f64]) -> Result<()> {
        x.copy_from_slice(rhs);
        match &self.factor {
            Some(factor) => factor.solve_in_place(x),
            None => {
                self.matrix.solve_in_place(x, TOLERANCE)?;
            }
        }
        Ok(())
    }

    /// Solves `A X = B` in place for right-hand sides that stand one after another. A factor solves blocks of them in
    /// parallel, which reads it once per block. Conjugate gradients solve eight at a time, to this tolerance
    /// ([`ShiftedLaplacian::solve_in_place`]).
    ///
    /// # Errors
    /// Like [`SparseSolver::solve`].
    pub fn solve_many(&self, rhs: &mut [f64], tolerance: f64) -> Result<()> {
        match &self.factor {
            Some(factor) => {
                let blocks = rhs.par_chunks_mut((self.matrix.size() * SOLVED_TOGETHER).max(1));
                blocks.for_each(|block| factor.solve_in_place(block));
                Ok(())
            }
            None => self.matrix.solve_in_place(rhs, tolerance).map(|_| ()),
        }
    }

    /// The factor for thousands of right-hand sides, if there is one.
    pub(crate) fn wide(&self) -> Option<Wide<'_>> {
        self.factor.as_ref().map(SparseCholesky::wide)
    }

    /// Columns of the inverse, written one after another. Each has the same bits as if it were solved alone.
    ///
    /// # Errors
    /// Like [`SparseSolver::solve`].
    pub fn columns(&self, items: &[usize], out: &mut [f64]) -> Result<()> {
        self.differences(&items.iter().map(|&item| (item, None)).collect::<Vec<_>>(), out)
    }

    /// Differences of two columns of the inverse, or single columns, written one after another: one solve each. Without
    /// a factor, columns that touch few rows are solved there, in parallel.
    ///
    /// # Errors
    /// Like [`SparseSolver::solve`].
    pub fn differences(&self, pairs: &[(usize, Option<usize>)], out: &mut [f64]) -> Result<()> {
        let n = self.matrix.size();
        out.fill(0.0);
        let unit = |column: &mut [f64], (first, second): (usize, Option<usize>)| {
            column[first] += 1.0;
            if let Some(second) = second {
                column[second] -= 1.0;
            }
        };
        if self.factor.is_some() {
            out.chunks_exact_mut(n.max(1)).zip(pairs).for_each(|(column, &pair)| unit(column, pair));
            return self.solve_many(out, TOLERANCE);
        }
        let local = |(column, &(first, second)): (&mut [f64], &(usize, Option<usize>))| -> Result<bool> {
            let mut solved = self.matrix.local_column(first, TOLERANCE, column)?;
            if let Some(second) = second.filter(|_| solved) {
                let mut other = vec![0.0; n];
                solved = self.matrix.local_column(second, TOLERANCE, &mut other)?;
                column.iter_mut().zip(other).for_each(|(column, other)| *column -= other);
            }
            if !solved {
                column.fill(0.0);
                unit(column, (first, second));
            }
            Ok(solved)
        };
        let solved: Vec<bool> = out.par_chunks_mut(n.max(1)).zip(pairs).map(local).collect::<Result<_>>()?;
        let mut rest = out;
        for run in solved.chunk_by(|left, right| left == right) {
            let (columns, after) = rest.split_at_mut(n * run.len());
            if !run[0] {
                self.matrix.solve_in_place(columns, TOLERANCE)?;
            }
            rest = after;
        }
        Ok(())
    }

    /// The inverse: `n²` doubles, n solves, in parallel by blocks of columns. If the method is left open and a dense
    /// factor is faster, it is used, with `3 n²` doubles. Exactly symmetric.
    ///
    /// # Errors
    /// Like [`SparseSolver::solve`].
    pub fn inverse(&self) -> Result<Matrix> {
        let n = self.matrix.size();
        if self.method == SolveMethod::Automatic && self.dense_is_faster() {
            return dense_inverse(&self.matrix.to_matrix());
        }
        let mut out = Matrix::identity(n);
        let blocks = out.values_mut().par_chunks_mut((n * SOLVED_TOGETHER).max(1));
        match &self.factor {
            Some(factor) => blocks.for_each(|block| factor.solve_in_place(block)),
            None => blocks.try_for_each(|block| self.matrix.solve_in_place(block, TOLERANCE).map(|_| ()))?,
        }
        mirror_lower(&mut out);
        Ok(out)
    }

    /// Whether a dense factor is faster per column. It takes `n²` operations at about 30 per nanosecond. A sparse
    /// factor takes four per entry at 2.5 per nanosecond. Conjugate gradients take about thirty steps, each two per
    /// entry of the matrix and twelve per row, at 1 per nanosecond.
    fn dense_is_faster(&self) -> bool {
        let n = self.matrix.size() as f64;
        let dense = n * n / 30.0;
        match self.fill() {
            Some(fill) => dense < 4.0 * fill as f64 / 2.5,
            None => dense < 30.0 * (2.0 * self.matrix.links().stored() as f64 + 12.0 * n),
        }
    }
}

fn factor_of(ordering: Option<&SparseOrdering>, matrix: &ShiftedLaplacian) -> Result<Option<SparseCholesky>> {
    ordering.map(|ordering| SparseCholesky::new(ordering, &matrix.to_matrix())).transpose()
}

/// The inverse by a dense Cholesky factor.
pub(super) fn dense_inverse(matrix: &SparseMatrix) -> Result<Matrix> {
    let n = matrix.rows();
    let mut dense = Matrix::zeros(n, n);
    for row in 0..n {
        let (columns, values) = matrix.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            dense[(row, column as usize)] = value;
        }
    }
    let not_definite = |pivot| Error::NotPositiveDefinite { what: "a sparse matrix", pivot, dimension: n };
    Ok(Cholesky::factor(dense).map_err(not_definite)?.inverse())
}

/// An order whose factor is small enough, if there is one.
///
/// Ordering takes minutes if a large graph fills. But a part of a graph, in the same order, fills no more than the
/// whole. So parts around the heaviest hub, each twice the one before, are counted until one fills too much. This takes
/// at most twice the time of ordering the whole.
fn sparse_ordering(matrix: &ShiftedLaplacian) -> Option<SparseOrdering> {
    let n = matrix.size();
    let nodes = if n > FIRST_COUNTED { around_the_hub(matrix.links()) } else { Vec::new() };
    let mut count = FIRST_COUNTED;
    while count < n {
        let part = matrix.part(&nodes[..count]).to_matrix();
        if part.stored() / 2 > MOST_FILL || SparseOrdering::new(&part)?.fill() > MOST_FILL {
            return None;
        }
        count *= 2;
    }
    let whole = matrix.to_matrix();
    if whole.stored() / 2 > MOST_FILL {
        return None;
    }
    SparseOrdering::new(&whole).filter(|ordering| ordering.fill() <= MOST_FILL)
}

/// All nodes, by distance from the one with the most links; then the nodes of other components.
fn around_the_hub(links: &SparseMatrix) -> Vec<u32> {
    let n = links.rows();
    let hub = (0..n).max_by_key(|&node| links.row(node).0.len()).unwrap_or(0);
    let mut seen = vec![false; n];
    let mut out: Vec<u32> = Vec::with_capacity(n);
    let mut next = 0;
    for start in std::iter::once(hub).chain(0..n) {
        if !std::mem::replace(&mut seen[start], true) {
            out.push(start as u32);
        }
        while next < out.len() {
            for &other in links.row(out[next] as usize).0 {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    out.push(other);
                }
            }
            next += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph of `n` nodes where node i is linked to i - 1 and to a few others.
    fn example(n: u32, links: u32) -> ShiftedLaplacian {
        let mut entries: Vec<(u32, u32, f64)> = Vec::new();
        for i in 1..n {
            for k in 0..links {
                let j = (i - 1).wrapping_mul(1 + 2_654_435_761_u32.wrapping_mul(k)) % i;
                let weight = 0.5 + f64::from((i * 31 + k * 17) % 13) / 13.0;
                entries.extend([(i, j, weight), (j, i, weight)]);
            }
        }
        let weights = SparseMatrix::from_entries(n as usize, n as usize, &entries).unwrap();
        ShiftedLaplacian::new(Arc::new(weights), 1.0)
    }

    #[test]
    fn the_factor_and_the_iteration_agree() {
        for (n, links) in [(0, 1), (1, 1), (2, 1), (33, 1), (300, 3), (300, 12)] {
            let matrix = example(n, links);
            let n = n as usize;
            let of = |method| SparseSolver::new(matrix.clone(), method).unwrap();
            let (factor, iterate) = (of(SolveMethod::Factor), of(SolveMethod::Iterate));
            let automatic = of(SolveMethod::Automatic);
            assert_eq!(automatic.dense_is_faster(), n > 0);
            assert!(factor.fill().is_some() && iterate.fill().is_none());
            let inverse = factor.inverse().unwrap();
            let other = iterate.inverse().unwrap();
            let dense = automatic.inverse().unwrap();
            for ((a, b), c) in inverse.values().iter().zip(other.values()).zip(dense.values()) {
                assert!((a - b).abs() <= 2e-12 && (a - c).abs() <= 1e-12, "{a} {b} {c}");
            }
            for solver in [&factor, &iterate] {
                for (i, value) in solver.inverse_diagonal().unwrap().values.iter().enumerate() {
                    assert!((value - inverse[(i, i)]).abs() <= 1e-13, "{n} {links}: {value} {}", inverse[(i, i)]);
                }
            }
        }
    }

    #[test]
    fn another_shift_uses_the_same_ordering() {
        let matrix = example(200, 3);
        let solver = SparseSolver::new(matrix.clone(), SolveMethod::Automatic).unwrap();
        let shifted = solver.with_shift(0.3).unwrap();
        let anew = ShiftedLaplacian::new(Arc::clone(matrix.links()), 0.3);
        let anew = SparseSolver::new(anew, SolveMethod::Factor).unwrap();
        assert_eq!(shifted.fill(), anew.fill());
        assert_eq!(shifted.inverse_diagonal().unwrap(), anew.inverse_diagonal().unwrap());
    }

    #[test]
    fn the_nodes_around_a_hub_are_all_nodes() {
        let links = [(3, 1), (3, 2), (3, 4), (4, 5), (0, 6)];
        let entries: Vec<_> = links.iter().flat_map(|&(i, j)| [(i, j, 1.0), (j, i, 1.0)]).collect();
        let links = SparseMatrix::from_entries(8, 8, &entries).unwrap();
        assert_eq!(around_the_hub(&links), [3, 1, 2, 4, 5, 0, 6, 7]);
    }
}
