//! Sparse Cholesky factors, in an approximate minimum degree order (Amestoy, Davis, Duff 1996).

mod wide;

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side};

use super::SparseMatrix;
use crate::{Error, Result};
pub(crate) use wide::Wide;

/// The lower triangle by columns, as the factorisation needs it.
struct Triangle {
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Triangle {
    /// `None` if there are more entries than `u32` counts.
    fn new(matrix: &SparseMatrix) -> Option<Self> {
        let mut out = Self { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for row in 0..matrix.rows() {
            let (columns, values) = matrix.row(row);
            let from = columns.partition_point(|&column| (column as usize) < row);
            out.rows.extend(&columns[from..]);
            out.values.extend(&values[from..]);
            out.starts.push(u32::try_from(out.rows.len()).ok()?);
        }
        Some(out)
    }

    fn pattern(&self) -> SymbolicSparseColMatRef<'_, u32> {
        let n = self.starts.len() - 1;
        SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows)
    }
}

/// The order of elimination and the places of the factor's entries, without their values.
#[derive(Clone)]
pub struct SparseOrdering {
    symbolic: Arc<SymbolicCholesky<u32>>,
}

impl std::fmt::Debug for SparseOrdering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseOrdering").field("fill", &self.fill()).finish()
    }
}

impl SparseOrdering {
    /// Orders a symmetric pattern. `None` if the factor has more entries than `u32` counts, or memory runs out.
    pub fn new(matrix: &SparseMatrix) -> Option<Self> {
        Self::with_threshold(matrix, SupernodalThreshold::AUTO)
    }

    fn with_threshold(matrix: &SparseMatrix, threshold: SupernodalThreshold) -> Option<Self> {
        let triangle = Triangle::new(matrix)?;
        let params = CholeskySymbolicParams { supernodal_flop_ratio_threshold: threshold, ..Default::default() };
        let symbolic =
            factorize_symbolic_cholesky(triangle.pattern(), Side::Lower, SymmetricOrdering::Amd, params).ok()?;
        Some(Self { symbolic: Arc::new(symbolic) })
    }

    /// The number of entries of the factor.
    pub fn fill(&self) -> usize {
        self.symbolic.len_val()
    }
}

/// The chordal graph that results from eliminating the rows of a pattern one by one. For each row, in the order of
/// elimination: the row itself, then its neighbours that are eliminated later.
///
/// # Errors
/// The number of entries, if it is above `limit`; `usize::MAX` if it cannot be counted.
pub(crate) fn triangulate(matrix: &SparseMatrix, limit: usize) -> std::result::Result<Vec<Vec<u32>>, usize> {
    // Supernodes are merged where that is faster. This would add links that the triangulation does not need. Counting
    // first avoids forming an unmerged pattern that is too large. Merging at most doubles small factors and adds a few
    // per cent to large ones, so twice the limit is certainly too large.
    let counted = SparseOrdering::new(matrix).ok_or(usize::MAX)?.fill();
    if counted > limit.saturating_mul(2) {
        return Err(counted);
    }
    let ordering = SparseOrdering::with_threshold(matrix, SupernodalThreshold::FORCE_SIMPLICIAL).ok_or(usize::MAX)?;
    let SymbolicCholeskyRaw::Simplicial(factor) = ordering.symbolic.raw() else { return Err(usize::MAX) };
    if ordering.fill() > limit {
        return Err(ordering.fill());
    }
    let original: Vec<u32> = match ordering.symbolic.perm() {
        Some(order) => order.arrays().0.to_vec(),
        None => (0..matrix.rows() as u32).collect(),
    };
    let (starts, rows) = (factor.col_ptr(), factor.row_idx());
    let column = |j: usize| rows[starts[j] as usize..starts[j + 1] as usize].iter().map(|&row| original[row as usize]);
    Ok((0..matrix.rows()).map(|j| column(j).collect()).collect())
}

/// Right-hand sides that are solved together. They stand side by side, so that one pass over the factor serves all.
const TOGETHER: usize = 8;

/// A factor `L L'` of a sparse symmetric positive definite matrix, by columns in the order of elimination: the diagonal
/// first, then rows ascending. Twelve bytes per entry.
#[derive(Clone)]
pub struct SparseCholesky {
    /// The rows of the matrix in the order of elimination.
    order: Vec<u32>,
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl std::fmt::Debug for SparseCholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseCholesky").field("size", &self.size()).field("fill", &self.fill()).finish()
    }
}

impl SparseCholesky {
    /// Factors a matrix with the pattern of `ordering`. On one thread, so that the bits do not depend on the number of
    /// threads.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`], or [`Error::TooLarge`] if memory runs out.
    pub fn new(ordering: &SparseOrdering, matrix: &SparseMatrix) -> Result<Self> {
        let n = matrix.rows();
        let too_large = || Error::TooLarge {
            what: "the factor of a sparse matrix".into(),
            size: ordering.fill(),
            limit: u32::MAX as usize,
            method: "memory",
        };
        let triangle = Triangle::new(matrix).ok_or_else(too_large)?;
        let mut values = Vec::new();
        values.try_reserve_exact(ordering.fill()).map_err(|_| too_large())?;
        values.resize(ordering.fill(), 0.0);
        if n > 0 {
            let needed = ordering.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
            let mut memory = MemBuffer::try_new(needed).map_err(|_| too_large())?;
            let factored = ordering.symbolic.factorize_numeric_llt::<f64>(
                &mut values,
                SparseColMatRef::new(triangle.pattern(), &triangle.values),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            );
            if let Err(LltError::NonPositivePivot { index }) = factored {
                return Err(Error::NotPositiveDefinite { what: "a sparse matrix", pivot: index, dimension: n });
            }
        }
        Ok(Self::by_columns(ordering, n, values))
    }

    fn by_columns(ordering: &SparseOrdering, n: usize, factor: Vec<f64>) -> Self {
        let order = match ordering.symbolic.perm() {
            Some(order) => order.arrays().0.to_vec(),
            None => (0..n as u32).collect(),
        };
        match ordering.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(pattern) => {
                let starts = pattern.col_ptr().iter().map(|&start| start as usize).collect();
                Self { order, starts, rows: pattern.row_idx().to_vec(), values: factor }
            }
            SymbolicCholeskyRaw::Supernodal(pattern) => {
                let mut starts = Vec::with_capacity(n + 1);
                let mut rows = Vec::with_capacity(factor.len());
                let mut values = Vec::with_capacity(factor.len());
                starts.push(0);
                for node in 0..pattern.n_supernodes() {
                    let below = pattern.supernode(node).pattern();
                    let (begin, end) = (pattern.supernode_begin()[node], pattern.supernode_end()[node]);
                    let width = (end - begin) as usize;
                    let height = width + below.len();
                    let block = &factor[pattern.col_ptr_for_val()[node] as usize..];
                    for column in 0..width {
                        rows.extend(begin + column as u32..end);
                        rows.extend(below);
                        values.extend(&block[column * height + column..(column + 1) * height]);
                        starts.push(rows.len());
                    }
                }
                Self { order, starts, rows, values }
            }
        }
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// The number of entries of the factor.
    pub fn fill(&self) -> usize {
        self.values.len()
    }

    /// Solves `A X = B` in place for right-hand sides stored one after another, eight at a time. Four operations per
    /// entry of the factor and right-hand side; on one thread. Each solution has the same bits as if it were solved
    /// alone.
    pub fn solve_in_place(&self, rhs: &mut [f64]) {
        let n = self.size().max(1);
        let mut blocks = rhs.chunks_exact_mut(n * TOGETHER);
        blocks.by_ref().for_each(|block| self.solve_block::<TOGETHER>(block));
        blocks.into_remainder().chunks_exact_mut(n).for_each(|single| self.solve_block::<1>(single));
    }

    /// The same factor for thousands of right-hand sides.
    pub(crate) fn wide(&self) -> Wide<'_> {
        Wide::new(self)
    }

    fn solve_block<const K: usize>(&self, rhs: &mut [f64]) {
        let n = self.size();
        let mut x: Vec<[f64; K]> =
            self.order.iter().map(|&row| std::array::from_fn(|k| rhs[k * n + row as usize])).collect();
        substitute(&self.starts, &self.rows, &self.values, x.as_flattened_mut(), K);
        for (x, &row) in x.iter().zip(&self.order) {
            (0..K).for_each(|k| rhs[k * n + row as usize] = x[k]);
        }
    }

    /// The diagonal of the inverse, without the inverse: Takahashi's recursion (Takahashi, Fagan, Chen 1973; Erisman,
    /// Tinney 1975) computes the inverse only at the places of the factor.
    ///
    /// From `Z L = L⁻ᵀ`, column j from the last: `Z_ij = -Σ_k Z_ik L_kj / L_jj` for i below j and
    /// `Z_jj = (1 / L_jj - Σ_k L_kj Z_kj) / L_jj`, sums over the k below j where `L_kj` has a place. Time
    /// `Σ_j Σ_{i in column j} |column i|`, twice the memory of the factor; on one thread.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let n = self.size();
        let Self { starts, rows, values: factor, .. } = self;
        let mut inverse = vec![0.0; factor.len()]; // Z at the places of L
        let mut weight = vec![0.0; n]; // column j of L, spread out; 0 outside its places
        let mut sum = vec![0.0; n]; // Z L; meaningful at the places of column j
        for j in (0..n).rev() {
            let (first, end) = (starts[j], starts[j + 1]);
            let pivot = factor[first];
            for place in first + 1..end {
                weight[rows[place] as usize] = factor[place];
                sum[rows[place] as usize] = 0.0;
            }
            for place in first + 1..end {
                let i = rows[place] as usize;
                let own = factor[place];
                let (begin, end) = (starts[i], starts[i + 1]);
                let mut total = inverse[begin] * own;
                for (&k, &z) in rows[begin + 1..end].iter().zip(&inverse[begin + 1..end]) {
                    total += z * weight[k as usize];
                    sum[k as usize] += z * own;
                }
                sum[i] += total;
            }
            let mut diagonal = 1.0 / pivot;
            for place in first + 1..end {
                let i = rows[place] as usize;
                let value = -sum[i] / pivot;
                inverse[place] = value;
                diagonal -= factor[place] * value;
                weight[i] = 0.0;
            }
            inverse[first] = diagonal / pivot;
        }
        let mut out = vec![0.0; n];
        for (j, &row) in self.order.iter().enumerate() {
            out[row as usize] = inverse[starts[j]];
        }
        out
    }
}

/// Solves with the factor and then with its transpose, for `width` right-hand sides that stand side by side.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn substitute(starts: &[usize], rows: &[u32], values: &[f64], x: &mut [f64], width: usize) {
    match width {
        1 => substitute_side_by_side::<1>(starts, rows, values, x.as_chunks_mut().0),
        _ => substitute_side_by_side::<TOGETHER>(starts, rows, values, x.as_chunks_mut().0),
    }
}

#[inline(always)]
fn substitute_side_by_side<const K: usize>(starts: &[usize], rows: &[u32], values: &[f64], x: &mut [[f64; K]]) {
    for column in 0..x.len() {
        let (first, end) = (starts[column], starts[column + 1]);
        let mut own = x[column];
        if own == [0.0; K] {
            continue;
        }
        own.iter_mut().for_each(|own| *own /= values[first]);
        x[column] = own;
        for (&row, value) in rows[first + 1..end].iter().zip(&values[first + 1..end]) {
            let target = &mut x[row as usize];
            (0..K).for_each(|k| target[k] -= value * own[k]);
        }
    }
    for column in (0..x.len()).rev() {
        let (first, end) = (starts[column], starts[column + 1]);
        let mut own = x[column];
        for (&row, value) in rows[first + 1..end].iter().zip(&values[first + 1..end]) {
            let other = &x[row as usize];
            (0..K).for_each(|k| own[k] -= value * other[k]);
        }
        own.iter_mut().for_each(|own| *own /= values[first]);
        x[column] = own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph of `n` nodes where node i is linked to i - 1 and to a few others, plus the identity.
    fn example(n: u32, links: u32) -> SparseMatrix {
        let mut entries: Vec<(u32, u32, f64)> = (0..n).map(|i| (i, i, 1.0)).collect();
        for i in 1..n {
            for k in 0..links {
                let j = (i - 1).wrapping_mul(1 + 2_654_435_761_u32.wrapping_mul(k)) % i;
                let weight = 0.5 + f64::from((i * 31 + k * 17) % 13) / 13.0;
                entries.extend([(i, i, weight), (j, j, weight), (i, j, -weight), (j, i, -weight)]);
            }
        }
        SparseMatrix::from_entries(n as usize, n as usize, &entries).unwrap()
    }

    #[test]
    fn solutions_and_diagonals_by_both_kinds_of_factor() {
        let kind = |ordering: &SparseOrdering| match ordering.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(_) => "simplicial",
            SymbolicCholeskyRaw::Supernodal(_) => "supernodal",
        };
        // Few links give a simplicial factor, many a supernodal one.
        for (n, links, expected) in [(33, 1, "simplicial"), (300, 1, "simplicial"), (300, 12, "supernodal")] {
            let matrix = example(n, links);
            let n = n as usize;
            let ordering = SparseOrdering::new(&matrix).unwrap();
            assert_eq!(kind(&ordering), expected);
            let factor = SparseCholesky::new(&ordering, &matrix).unwrap();
            let diagonal = factor.inverse_diagonal();
            for item in 0..n {
                let mut column = vec![0.0; n];
                column[item] = 1.0;
                factor.solve_in_place(&mut column);
                assert!((column[item] - diagonal[item]).abs() <= 1e-13);
                let mut product = vec![0.0; n];
                matrix.multiply(&column, &mut product);
                for (row, value) in product.iter().enumerate() {
                    let expected = if row == item { 1.0 } else { 0.0 };
                    assert!((value - expected).abs() <= 1e-12);
                }
            }
        }
    }

    /// Many right-hand sides beside one at a time, by factors with and without a dense end; 70 and 5 fill no whole block.
    #[test]
    fn many_solutions_are_those_of_one_at_a_time() {
        for (n, links, count) in [(1, 0, 5), (33, 1, 70), (300, 1, 70), (300, 12, 70)] {
            let matrix = example(n, links);
            let n = n as usize;
            let factor = SparseCholesky::new(&SparseOrdering::new(&matrix).unwrap(), &matrix).unwrap();
            let mut many: Vec<f64> = (0..n * count).map(|at| ((at * 37) % 101) as f64 - 50.0).collect();
            let mut alone = many.clone();
            factor.wide().solve_in_place(&mut many);
            alone.chunks_exact_mut(n).for_each(|column| factor.solve_in_place(column));
            let largest = alone.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
            for (many, alone) in many.iter().zip(&alone) {
                assert!((many - alone).abs() <= 1e-13 * largest, "{many} {alone}");
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let matrix = example(50, 2).map(|row, column, value| if row == column && row == 7 { -1.0 } else { value });
        let error = SparseCholesky::new(&SparseOrdering::new(&matrix).unwrap(), &matrix).unwrap_err();
        assert!(matches!(error, Error::NotPositiveDefinite { dimension: 50, .. }));
    }
}
