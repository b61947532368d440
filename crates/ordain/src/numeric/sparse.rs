//! Sparse matrices, row by row.
//!
//! Column numbers are `u32`, so a link costs twelve bytes. Sums of repeated entries and of products run in a fixed
//! order: the result never depends on the number of threads, and a symmetric input stays symmetric to the last bit.

use std::ops::Range;

use rayon::prelude::*;

use crate::{Error, Result};

/// Products with fewer stored entries than this are not worth a second thread.
const PARALLEL_ENTRIES: usize = 1 << 16;

/// Rows per task. Fixed, so that the split does not depend on the number of threads.
const ROWS_PER_TASK: usize = 1 << 10;

/// A sparse matrix of `f64`, stored row by row with ascending columns. Symmetric matrices are stored with both halves.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMatrix {
    columns: usize,
    /// The start of each row in `indices` and `values`; one more start than rows.
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl SparseMatrix {
    /// A matrix from (row, column, value) entries. Entries at the same place add up, in the given order.
    ///
    /// # Errors
    /// If an entry lies outside the matrix.
    pub fn from_entries(rows: usize, columns: usize, entries: &[(u32, u32, f64)]) -> Result<Self> {
        let mut starts = vec![0_usize; rows + 1];
        for &(row, column, _) in entries {
            if row as usize >= rows || column as usize >= columns {
                return Err(Error::Data {
                    what: "entries of a sparse matrix",
                    found: format!("({row}, {column})"),
                    expected: format!("places inside {rows} x {columns}"),
                });
            }
            starts[row as usize + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut sorted = vec![(0_u32, 0.0_f64); entries.len()];
        for &(row, column, value) in entries {
            let place = &mut next[row as usize];
            sorted[*place] = (column, value);
            *place += 1;
        }
        let mut out = Self::with_capacity(rows, columns, entries.len());
        for row in 0..rows {
            let entries = &mut sorted[starts[row]..starts[row + 1]];
            entries.sort_by_key(|&(column, _)| column); // stable: repeated entries keep their order
            let begin = out.indices.len();
            for &(column, value) in entries.iter() {
                match out.values.last_mut() {
                    Some(last) if out.indices.len() > begin && out.indices.last() == Some(&column) => *last += value,
                    _ => {
                        out.indices.push(column);
                        out.values.push(value);
                    }
                }
            }
            out.starts.push(out.indices.len());
        }
        Ok(out)
    }

    /// A matrix without rows yet, with room for them.
    fn with_capacity(rows: usize, columns: usize, stored: usize) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Self { columns, starts, indices: Vec::with_capacity(stored), values: Vec::with_capacity(stored) }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of stored entries.
    pub fn stored(&self) -> usize {
        self.indices.len()
    }

    /// One row: its columns, ascending, and their values.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The columns of the stored entries of some rows, row by row.
    pub(super) fn columns_of(&self, rows: Range<usize>) -> &[u32] {
        &self.indices[self.starts[rows.start]..self.starts[rows.end]]
    }

    /// One entry; 0 if it is not stored.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let (columns, values) = self.row(row);
        match columns.binary_search_by(|&other| (other as usize).cmp(&column)) {
            Ok(place) => values[place],
            Err(_) => 0.0,
        }
    }

    /// The inner product of two rows, in the order of the columns.
    pub(crate) fn row_product(&self, left: usize, right: usize) -> f64 {
        let (mut columns, mut values) = self.row(left);
        let (others, other_values) = self.row(right);
        let mut sum = 0.0;
        for (other, other_value) in others.iter().zip(other_values) {
            let at = columns.partition_point(|column| column < other);
            (columns, values) = (&columns[at..], &values[at..]);
            if columns.first() == Some(other) {
                sum += values[0] * other_value;
            }
        }
        sum
    }

    /// The stored values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The main diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.rows().min(self.columns)).map(|i| self.get(i, i)).collect()
    }

    /// The same matrix with every stored value replaced by `change(row, column, value)`.
    pub fn map(&self, change: impl Fn(usize, usize, f64) -> f64) -> Self {
        let mut out = self.clone();
        for row in 0..self.rows() {
            for place in self.starts[row]..self.starts[row + 1] {
                out.values[place] = change(row, self.indices[place] as usize, self.values[place]);
            }
        }
        out
    }

    /// The same matrix without the entries that `keep(row, column, value)` refuses.
    pub fn filter(&self, keep: impl Fn(usize, usize, f64) -> bool) -> Self {
        let mut out = Self::with_capacity(self.rows(), self.columns, self.stored());
        for row in 0..self.rows() {
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                if keep(row, column as usize, value) {
                    out.indices.push(column);
                    out.values.push(value);
                }
            }
            out.starts.push(out.indices.len());
        }
        out
    }

    /// Some rows, in this order.
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let mut entries = Vec::new();
        for (row, &from) in rows.iter().enumerate() {
            let (columns, values) = self.row(from);
            entries.extend(columns.iter().zip(values).map(|(&column, &value)| (row as u32, column, value)));
        }
        Self::from_entries(rows.len(), self.columns(), &entries)
            .unwrap_or_else(|_| unreachable!("the rows of a matrix are in its range"))
    }

    /// The same square matrix with another diagonal. All its entries are stored, zeros too.
    pub fn with_diagonal(&self, diagonal: &[f64]) -> Self {
        debug_assert!(diagonal.len() == self.rows() && diagonal.len() == self.columns);
        let mut out = Self::with_capacity(self.rows(), self.columns, self.stored() + self.rows());
        for (row, &own) in diagonal.iter().enumerate() {
            let (columns, values) = self.row(row);
            let before = columns.partition_point(|&column| (column as usize) < row);
            let after = columns.partition_point(|&column| column as usize <= row);
            out.indices.extend_from_slice(&columns[..before]);
            out.indices.push(row as u32);
            out.indices.extend_from_slice(&columns[after..]);
            out.values.extend_from_slice(&values[..before]);
            out.values.push(own);
            out.values.extend_from_slice(&values[after..]);
            out.starts.push(out.indices.len());
        }
        out
    }

    /// `out = A x`. Every row is one sum in the order of its columns. Parallel over rows.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        debug_assert_eq!(x.len(), self.columns);
        debug_assert_eq!(out.len(), self.rows());
        let product = |first: usize, out: &mut [f64]| {
            for (row, out) in (first..).zip(out) {
                let (columns, values) = self.row(row);
                *out = columns.iter().zip(values).map(|(&column, value)| value * x[column as usize]).sum();
            }
        };
        if self.stored() < PARALLEL_ENTRIES {
            product(0, out);
        } else {
            let tasks = out.par_chunks_mut(ROWS_PER_TASK).enumerate();
            tasks.for_each(|(task, out)| product(task * ROWS_PER_TASK, out));
        }
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Self {
        let mut starts = vec![0_usize; self.columns + 1];
        for &column in &self.indices {
            starts[column as usize + 1] += 1;
        }
        for column in 0..self.columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut indices = vec![0_u32; self.stored()];
        let mut values = vec![0.0; self.stored()];
        for row in 0..self.rows() {
            let (columns, row_values) = self.row(row);
            for (&column, &value) in columns.iter().zip(row_values) {
                let place = &mut next[column as usize];
                indices[*place] = row as u32;
                values[*place] = value;
                *place += 1;
            }
        }
        Self { columns: self.rows(), starts, indices, values }
    }

    /// The number of products in [`SparseMatrix::gram`]: the sum of the squared numbers of entries in the columns.
    pub fn gram_cost(&self) -> usize {
        let mut counts = vec![0_usize; self.columns];
        for &column in &self.indices {
            counts[column as usize] += 1;
        }
        counts.iter().fold(0, |sum, &count| count.saturating_mul(count).saturating_add(sum))
    }

    /// `A A'`, the products of all pairs of rows that share a column. Symmetric to the last bit: both halves sum the same
    /// products in the order of the columns. Time [`SparseMatrix::gram_cost`], parallel over rows.
    pub fn gram(&self) -> Self {
        let by_column = self.transposed();
        let n = self.rows();
        let row_of_gram = |(sums, touched): &mut (Vec<f64>, Vec<u32>), row: usize| {
            touched.clear();
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                let (others, other_values) = by_column.row(column as usize);
                for (&other, &other_value) in others.iter().zip(other_values) {
                    let sum = &mut sums[other as usize];
                    if sum.is_nan() {
                        *sum = 0.0;
                        touched.push(other);
                    }
                    *sum += value * other_value;
                }
            }
            touched.sort_unstable();
            let values = touched.iter().map(|&other| std::mem::replace(&mut sums[other as usize], f64::NAN)).collect();
            (touched.clone(), values)
        };
        // NaN marks a sum that has not begun; the values of a matrix are finite.
        let rows = (0..n).into_par_iter().map_init(|| (vec![f64::NAN; n], Vec::new()), row_of_gram);
        let rows: Vec<(Vec<u32>, Vec<f64>)> = rows.collect();
        let mut out = Self::with_capacity(n, n, rows.iter().map(|(columns, _)| columns.len()).sum());
        for (columns, values) in rows {
            out.indices.extend(columns);
            out.values.extend(values);
            out.starts.push(out.indices.len());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> SparseMatrix {
        let entries = [(0, 2, 1.0), (2, 0, 4.0), (0, 1, 2.0), (0, 2, 0.5), (2, 2, -1.0)];
        SparseMatrix::from_entries(3, 3, &entries).unwrap()
    }

    #[test]
    fn entries_are_sorted_and_add_up() {
        let matrix = example();
        assert_eq!(matrix.row(0), (&[1, 2][..], &[2.0, 1.5][..]));
        assert_eq!(matrix.row(1), (&[][..], &[][..]));
        assert_eq!(matrix.diagonal(), [0.0, 0.0, -1.0]);
        assert_eq!(matrix.get(2, 0), 4.0);
        assert!(SparseMatrix::from_entries(3, 2, &[(0, 2, 1.0)]).is_err());
    }

    #[test]
    fn products_and_transposes() {
        let matrix = example();
        let mut out = [0.0; 3];
        matrix.multiply(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [170.0, 0.0, -96.0]);
        matrix.transposed().multiply(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [400.0, 2.0, -98.5]);
        assert_eq!(matrix.transposed().transposed(), matrix);
        let gram = matrix.gram();
        assert_eq!(gram.get(0, 0), 2.0 * 2.0 + 1.5 * 1.5);
        assert_eq!(gram.get(0, 2), -1.5);
        assert_eq!(gram.get(2, 0), -1.5);
        assert_eq!(gram.get(2, 2), 17.0);
        assert_eq!(gram.stored(), 4);
        assert_eq!(matrix.gram_cost(), 1 + 1 + 4);
        let diagonal = matrix.with_diagonal(&[0.0, 5.0, 6.0]);
        assert_eq!((diagonal.diagonal(), diagonal.stored()), (vec![0.0, 5.0, 6.0], 6));
        assert_eq!(diagonal.filter(|row, column, _| row != column), matrix.filter(|row, column, _| row != column));
    }

    #[test]
    fn nothing_is_a_matrix_too() {
        let matrix = SparseMatrix::from_entries(0, 0, &[]).unwrap();
        assert_eq!((matrix.rows(), matrix.columns(), matrix.stored()), (0, 0, 0));
        matrix.multiply(&[], &mut []);
        assert_eq!(matrix.gram(), matrix);
    }

    #[test]
    fn large_products_do_not_depend_on_the_split() {
        let n = 5000_u32;
        let entries: Vec<_> =
            (0..n).flat_map(|i| (0..20).map(move |k| (i, (i * 7 + k * 131) % n, f64::from(k) + 0.1))).collect();
        let matrix = SparseMatrix::from_entries(n as usize, n as usize, &entries).unwrap();
        assert!(matrix.stored() > PARALLEL_ENTRIES);
        let x: Vec<f64> = (0..n).map(|i| f64::from(i).sin()).collect();
        let mut out = vec![0.0; n as usize];
        matrix.multiply(&x, &mut out);
        for row in [0, 1, 1023, 1024, 4999] {
            let (columns, values) = matrix.row(row);
            let expected: f64 = columns.iter().zip(values).map(|(&column, value)| value * x[column as usize]).sum();
            assert_eq!(out[row], expected);
        }
    }
}
