//! Attributes as learners read them: standardised by the examples that taught, with a constant behind them.

use serde::{Deserialize, Serialize};

use crate::data::{Attributes, Scale};

/// The shift and scale of every attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Standard(Vec<Option<[f64; 3]>>);

impl Standard {
    /// The standard of attributes, and their rows by it.
    pub(super) fn of(attributes: &Attributes) -> (Self, Rows) {
        let standard = Self(Scale::of(attributes, None).blocks().swap_remove(0));
        let columns: Vec<usize> = (0..standard.len()).collect();
        let rows = standard.rows(attributes, &columns);
        (standard, rows)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it was made from attributes: nothing divides by 0.
    pub(super) fn is_sound(&self) -> bool {
        self.0.iter().flatten().all(|[largest, mean, sd]| {
            let positive = |number: &f64| number.is_finite() && *number > 0.0;
            positive(largest) && mean.is_finite() && positive(sd)
        })
    }

    /// The rows, each of as many values as there are attributes, and a 1. Columns say where each attribute stands.
    pub(super) fn rows(&self, attributes: &Attributes, columns: &[usize]) -> Rows {
        let width = self.0.len() + 1;
        let mut values = Vec::with_capacity(attributes.items() * width);
        for item in 0..attributes.items() {
            let row = attributes.row(item);
            values.extend(
                columns.iter().zip(&self.0).map(|(&column, scale)| {
                    scale.map_or(0.0, |[largest, mean, sd]| (row[column] / largest - mean) / sd)
                }),
            );
            values.push(1.0);
        }
        Rows { values, width }
    }
}

/// Numbers row by row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Rows {
    pub(super) values: Vec<f64>,
    pub(super) width: usize,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.values.len() / self.width
    }

    pub(super) fn row(&self, at: usize) -> &[f64] {
        &self.values[at * self.width..(at + 1) * self.width]
    }

    pub(super) fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.width)
    }
}
