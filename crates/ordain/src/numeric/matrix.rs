//! A dense matrix, column by column.

use std::ops::{Index, IndexMut};

/// A dense matrix of `f64`, stored column by column without padding.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// The identity.
    pub fn identity(size: usize) -> Self {
        let mut out = Self::zeros(size, size);
        for i in 0..size {
            out[(i, i)] = 1.0;
        }
        out
    }

    /// A matrix whose entries are given by row and column.
    pub fn from_fn(rows: usize, columns: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(rows * columns);
        for column in 0..columns {
            values.extend((0..rows).map(|row| entry(row, column)));
        }
        Self { rows, columns, values }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One column.
    pub fn column(&self, column: usize) -> &[f64] {
        &self.values[column * self.rows..(column + 1) * self.rows]
    }

    /// One column, mutable.
    pub fn column_mut(&mut self, column: usize) -> &mut [f64] {
        &mut self.values[column * self.rows..(column + 1) * self.rows]
    }

    /// These columns, in this order.
    pub fn select_columns(&self, columns: impl IntoIterator<Item = usize>) -> Self {
        let mut out = Self { rows: self.rows, columns: 0, values: Vec::new() };
        for column in columns {
            out.values.extend_from_slice(self.column(column));
            out.columns += 1;
        }
        out
    }

    /// All columns in order, mutable; for example one per task.
    pub fn columns_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        // A matrix without rows has no chunks.
        self.values.chunks_exact_mut(self.rows.max(1))
    }

    /// The values, column by column.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values, column by column, mutable.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The main diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.rows.min(self.columns)).map(|i| self[(i, i)]).collect()
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        debug_assert!(row < self.rows);
        &self.values[column * self.rows + row]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        debug_assert!(row < self.rows);
        &mut self.values[column * self.rows + row]
    }
}
