//! One vector per item: attributes, or the row of a relation.

use crate::data::Attributes;
use crate::numeric::SparseMatrix;
use crate::{Error, Result};

/// One vector per item.
#[derive(Debug, Clone)]
pub struct Vectors(pub(super) Store);

#[derive(Debug, Clone)]
pub(super) enum Store {
    /// By attribute: all items' first attributes, then their second, ...
    Dense { items: usize, values: Vec<f64> },
    /// By item, and by target.
    Sparse { rows: SparseMatrix, by_target: SparseMatrix },
}

impl Vectors {
    /// The items' attributes.
    ///
    /// # Errors
    /// If items have no attributes.
    pub fn from_attributes(attributes: &Attributes) -> Result<Self> {
        if attributes.is_empty() {
            return Err(Error::Data {
                what: "a kernel over attributes",
                found: "items without attributes".into(),
                expected: "at least one attribute".into(),
            });
        }
        let items = attributes.items();
        let mut values = vec![0.0; items * attributes.len()];
        for item in 0..items {
            for (attribute, &value) in attributes.row(item).iter().enumerate() {
                values[attribute * items + item] = value;
            }
        }
        Ok(Self(Store::Dense { items, values }))
    }

    /// Vectors from sparse rows, one per item, for example of [`super::relation_vectors`].
    pub fn from_rows(rows: SparseMatrix) -> Self {
        let by_target = rows.transposed();
        Self(Store::Sparse { rows, by_target })
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        match &self.0 {
            Store::Dense { items, .. } => *items,
            Store::Sparse { rows, .. } => rows.rows(),
        }
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vectors of some items.
    pub(super) fn select(&self, items: &[usize]) -> Self {
        match &self.0 {
            Store::Dense { items: all, values } => {
                let columns = values.chunks_exact((*all).max(1));
                let values = columns.flat_map(|column| items.iter().map(|&item| column[item])).collect();
                Self(Store::Dense { items: items.len(), values })
            }
            Store::Sparse { rows, .. } => Self::from_rows(rows.select_rows(items)),
        }
    }

    /// The root mean square of every attribute around its mean; over a relation, of all targets together around 0.
    pub(super) fn spreads(&self) -> Vec<f64> {
        match &self.0 {
            Store::Dense { items, values } => {
                let count = (*items).max(1) as f64;
                let spread = |column: &[f64]| {
                    // Divided by the largest magnitude, so that no square overflows or underflows.
                    let largest = column.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
                    if largest == 0.0 {
                        return 0.0;
                    }
                    let mean = column.iter().map(|value| value / largest / count).sum::<f64>();
                    largest * (column.iter().map(|value| (value / largest - mean).powi(2)).sum::<f64>() / count).sqrt()
                };
                values.chunks_exact((*items).max(1)).map(spread).collect()
            }
            Store::Sparse { rows, .. } => {
                vec![(rows.values().iter().map(|value| value * value).sum::<f64>() / rows.rows().max(1) as f64).sqrt()]
            }
        }
    }

    /// All vectors divided by their largest magnitude, so that no square overflows. Angles stay.
    pub(super) fn scaled(self) -> Self {
        let inverse = |largest: f64| if largest > 0.0 { largest } else { 1.0 };
        match self.0 {
            Store::Dense { items, mut values } => {
                let mut largest = vec![0.0_f64; items];
                for column in values.chunks_exact(items.max(1)) {
                    largest.iter_mut().zip(column).for_each(|(largest, value)| *largest = largest.max(value.abs()));
                }
                for column in values.chunks_exact_mut(items.max(1)) {
                    column.iter_mut().zip(&largest).for_each(|(value, &largest)| *value /= inverse(largest));
                }
                Self(Store::Dense { items, values })
            }
            Store::Sparse { rows, .. } => {
                let largest =
                    |row: usize| rows.row(row).1.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
                let largest: Vec<f64> = (0..rows.rows()).map(largest).collect();
                Self::from_rows(rows.map(|row, _, value| value / inverse(largest[row])))
            }
        }
    }

    /// `x·x` for every item, summed in the order of [`Vectors::products`].
    pub(super) fn squares(&self) -> Vec<f64> {
        match &self.0 {
            Store::Dense { items, values } => {
                let mut out = vec![0.0; *items];
                for column in values.chunks_exact((*items).max(1)) {
                    out.iter_mut().zip(column).for_each(|(out, value)| *out += value * value);
                }
                out
            }
            Store::Sparse { rows, .. } => {
                (0..rows.rows()).map(|row| rows.row(row).1.iter().fold(0.0, |sum, value| sum + value * value)).collect()
            }
        }
    }

    /// `out_j = x_item · x_{first + j}`.
    pub(super) fn products(&self, item: usize, first: usize, out: &mut [f64]) {
        out.fill(0.0);
        match &self.0 {
            Store::Dense { items, values } => {
                // Four attributes per pass, so that the sums are loaded and stored a quarter as often.
                let mut groups = values.chunks_exact((4 * items).max(1));
                for group in &mut groups {
                    let column = |k: usize| &group[k * items + first..][..out.len()];
                    let (a, b, c, d) = (column(0), column(1), column(2), column(3));
                    let own = [0, 1, 2, 3].map(|k| group[k * items + item]);
                    for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                        *out = *out + a * own[0] + b * own[1] + c * own[2] + d * own[3];
                    }
                }
                for column in groups.remainder().chunks_exact((*items).max(1)) {
                    let own = column[item];
                    out.iter_mut().zip(&column[first..]).for_each(|(out, value)| *out += value * own);
                }
            }
            Store::Sparse { rows, by_target } => {
                let (targets, weights) = rows.row(item);
                let end = first + out.len();
                for (&target, &own) in targets.iter().zip(weights) {
                    let (others, values) = by_target.row(target as usize);
                    let from = others.partition_point(|&other| (other as usize) < first);
                    let others = others[from..].iter().zip(&values[from..]);
                    for (&other, value) in others.take_while(|&(&other, _)| (other as usize) < end) {
                        out[other as usize - first] += value * own;
                    }
                }
            }
        }
    }

    /// `out_k = x_item · x_{others_k}`, with the bits of [`Vectors::products`].
    pub(super) fn products_with(&self, item: usize, others: &[u32], out: &mut [f64]) {
        match &self.0 {
            Store::Dense { items, values } => {
                out.fill(0.0);
                for column in values.chunks_exact((*items).max(1)) {
                    let own = column[item];
                    for (out, &other) in out.iter_mut().zip(others) {
                        *out += column[other as usize] * own;
                    }
                }
            }
            Store::Sparse { rows, .. } => {
                out.iter_mut().zip(others).for_each(|(out, &other)| *out = rows.row_product(item, other as usize));
            }
        }
    }
}
