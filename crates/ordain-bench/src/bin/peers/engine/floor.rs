//! The floor under any engine that keeps all covariances: one dense rank-one update in place.

use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::shared::median;

/// What one update takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// The number of items.
    pub items: usize,
    /// The faster of one and two threads.
    pub seconds: f64,
    /// Whether it was measured, or follows from the bytes at the speed of the largest that was.
    pub measured: bool,
}

/// Updates, at least, and for so many seconds.
const REPEATS: usize = 5;
const SECONDS: f64 = 0.3;

/// Measures an `items` x `items` matrix of doubles, by the widest instructions that the processor has.
pub fn measure(items: usize) -> Floor {
    let a: Vec<f64> = (0..items).map(|item| (item as f64).sin()).collect();
    let mut matrix = vec![1.0; items * items];
    let seconds = [1, 2].map(|parts| {
        let mut times = Vec::new();
        while times.len() < REPEATS || times.iter().sum::<f64>() < SECONDS {
            let started = Instant::now();
            update(&mut matrix, 1e-9, &a, parts);
            times.push(started.elapsed().as_secs_f64());
        }
        median(&times)
    });
    std::hint::black_box(&matrix);
    Floor { items, seconds: seconds[0].min(seconds[1]), measured: true }
}

impl Floor {
    /// The floor for more items than fit the memory: as many bytes a second as here.
    pub fn extrapolated(self, items: usize) -> Self {
        let ratio = items as f64 / self.items as f64;
        Self { items, seconds: self.seconds * ratio * ratio, measured: false }
    }
}

/// `matrix -= scale * a a'`, in so many parts, each by a thread.
fn update(matrix: &mut [f64], scale: f64, a: &[f64], parts: usize) {
    let rows = a.len().div_ceil(parts);
    let part = |matrix: &mut [f64], a_rows: &[f64]| {
        pulp::Arch::new().dispatch(|| {
            for (row, entry) in matrix.chunks_exact_mut(a.len()).zip(a_rows) {
                let factor = scale * entry;
                row.iter_mut().zip(a).for_each(|(value, other)| *value -= factor * other);
            }
        });
    };
    if parts == 1 {
        part(matrix, a);
    } else {
        let blocks = matrix.par_chunks_mut(rows * a.len()).zip(a.par_chunks(rows));
        blocks.for_each(|(matrix, a_rows)| part(matrix, a_rows));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_is_one_on_any_number_of_threads() {
        let a = [0.5, -1.0, 2.0];
        for parts in [1, 2] {
            let mut matrix = vec![1.0; 9];
            update(&mut matrix, 2.0, &a, parts);
            assert_eq!(matrix, [0.5, 2.0, -1.0, 2.0, -1.0, 5.0, -1.0, 5.0, -7.0]);
        }
    }
}
