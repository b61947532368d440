//! Linear systems without a factorisation: conjugate gradients with the diagonal as preconditioner.
//!
//! Solves `A x = b` for a symmetric positive definite `A` that is known only by its products (Saad, *Iterative methods
//! for sparse linear systems*, 2nd ed. 2003, algorithm 9.1). Inner products are sums of fixed chunks added in order, so
//! the result has the same bits for any number of threads.

use rayon::prelude::*;

use super::SparseMatrix;
use super::dense::sum_of;
use crate::{Error, Result};

/// Terms of an inner product that are summed before they join the total.
const CHUNK: usize = 1 << 12;

/// Vectors shorter than this are not worth a second thread.
const PARALLEL_LENGTH: usize = 1 << 16;

/// A symmetric positive definite matrix known by its products.
pub(crate) trait SymmetricOperator: Sync {
    /// The number of rows.
    fn size(&self) -> usize;

    /// `out = A x`.
    fn apply(&self, x: &[f64], out: &mut [f64]);

    /// A preconditioner: the positive diagonal of `A`, or numbers near it. Only the speed depends on it.
    fn preconditioner(&self) -> Vec<f64>;
}

impl SymmetricOperator for SparseMatrix {
    fn size(&self) -> usize {
        self.rows()
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        self.multiply(x, out);
    }

    fn preconditioner(&self) -> Vec<f64> {
        self.diagonal()
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ConjugateGradients {
    /// The residual's norm over that of the right-hand side.
    pub tolerance: f64,
    /// The most steps to take.
    pub iterations: usize,
}

impl Default for ConjugateGradients {
    /// Relative residual 1e-12, at most 20 000 steps (a grid of a million nodes with a shift of 1e-4 takes 2 300 to 1e-8).
    fn default() -> Self {
        Self { tolerance: 1e-12, iterations: 20_000 }
    }
}

impl ConjugateGradients {
    /// Solves `A x = b` from `x = 0`. Returns the number of steps. Each step is one product with `A` and a few passes
    /// over vectors; five vectors of memory.
    ///
    /// The residual of the recursion drifts from the true one. So it is computed afresh at the end, and the iteration
    /// starts again from there if it has drifted too far. Rounding limits the tolerance: a residual of a few ulps of
    /// `|A| |x|` is accepted.
    ///
    /// # Errors
    /// [`Error::NotConverged`] if the steps run out or the matrix turns out not to be positive definite.
    pub fn solve(&self, operator: &impl SymmetricOperator, rhs: &[f64], x: &mut [f64]) -> Result<usize> {
        let n = operator.size();
        x.fill(0.0);
        let target = self.tolerance * norm(rhs);
        if target == 0.0 {
            return Ok(0);
        }
        if !target.is_finite() {
            return Err(self.failure(0, f64::INFINITY, n));
        }
        let inverse: Vec<f64> = operator.preconditioner().iter().map(|value| 1.0 / value).collect();
        let mut residual = rhs.to_vec();
        let mut product = vec![0.0; n];
        let mut direction = vec![0.0; n];
        // The largest |A p| / |p| so far, which estimates |A| from below.
        let mut largest = 0.0_f64;
        let mut steps = 0;
        let mut size = norm(&residual);
        loop {
            for ((direction, inverse), residual) in direction.iter_mut().zip(&inverse).zip(&residual) {
                *direction = inverse * residual;
            }
            let mut alignment = dot(&residual, &direction);
            while size > target {
                if steps == self.iterations {
                    return Err(self.failure(steps, size / norm(rhs), n));
                }
                steps += 1;
                operator.apply(&direction, &mut product);
                let curvature = dot(&direction, &product);
                // Not written as `<= 0`, so that NaN stops too.
                if !(curvature > 0.0 && curvature.is_finite()) {
                    return Err(self.failure(steps, size / norm(rhs), n));
                }
                largest = largest.max(norm(&product) / norm(&direction));
                let step = alignment / curvature;
                add_scaled(x, step, &direction);
                add_scaled(&mut residual, -step, &product);
                let before = alignment;
                alignment = dot_scaled(&residual, &inverse);
                let keep = alignment / before;
                update_direction(&mut direction, keep, &inverse, &residual);
                size = norm(&residual);
            }
            operator.apply(x, &mut product);
            for ((residual, rhs), product) in residual.iter_mut().zip(rhs).zip(&product) {
                *residual = rhs - product;
            }
            size = norm(&residual);
            // 8 ulps: the rounding of one product and one sum of a few terms each.
            let floor = 8.0 * f64::EPSILON * largest * norm(x);
            if size <= target.max(floor) {
                return Ok(steps);
            }
            // No step is taken from a residual that is not a number.
            if !size.is_finite() {
                return Err(self.failure(steps, size / norm(rhs), n));
            }
        }
    }

    fn failure(&self, iterations: usize, residual: f64, dimension: usize) -> Error {
        Error::NotConverged { what: "conjugate gradients", iterations, residual, dimension }
    }
}

/// The inner product, by fixed chunks in order; in parallel for long vectors.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    sum_of_chunks(x, y, |x, y| x * y)
}

/// The Euclidean norm.
fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// `Σ scale x²`.
fn dot_scaled(x: &[f64], scale: &[f64]) -> f64 {
    sum_of_chunks(x, scale, |x, scale| scale * x * x)
}

fn sum_of_chunks(x: &[f64], y: &[f64], term: impl Fn(f64, f64) -> f64 + Sync) -> f64 {
    let chunk = |(x, y): (&[f64], &[f64])| sum_of(x, y, &term);
    if x.len() < PARALLEL_LENGTH {
        x.chunks(CHUNK).zip(y.chunks(CHUNK)).map(chunk).sum()
    } else {
        let sums: Vec<f64> = x.par_chunks(CHUNK).zip(y.par_chunks(CHUNK)).map(chunk).collect();
        sums.iter().sum()
    }
}

/// `y += scale x`.
fn add_scaled(y: &mut [f64], scale: f64, x: &[f64]) {
    let add = |(y, x): (&mut [f64], &[f64])| y.iter_mut().zip(x).for_each(|(y, x)| *y += scale * x);
    if x.len() < PARALLEL_LENGTH {
        add((y, x));
    } else {
        y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(add);
    }
}

/// `direction = inverse ∘ residual + keep direction`.
fn update_direction(direction: &mut [f64], keep: f64, inverse: &[f64], residual: &[f64]) {
    let update = |(direction, (inverse, residual)): (&mut [f64], (&[f64], &[f64]))| {
        for ((direction, inverse), residual) in direction.iter_mut().zip(inverse).zip(residual) {
            *direction = inverse * residual + keep * *direction;
        }
    };
    if direction.len() < PARALLEL_LENGTH {
        update((direction, (inverse, residual)));
    } else {
        let parts = inverse.par_chunks(CHUNK).zip(residual.par_chunks(CHUNK));
        direction.par_chunks_mut(CHUNK).zip(parts).for_each(update);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path of `n` nodes with the given shift on the diagonal.
    fn path(n: u32, shift: f64) -> SparseMatrix {
        let mut entries = Vec::new();
        for i in 0..n {
            entries.push((i, i, shift));
            if i + 1 < n {
                entries.extend([(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)]);
            }
        }
        SparseMatrix::from_entries(n as usize, n as usize, &entries).unwrap()
    }

    #[test]
    fn solves_to_the_tolerance() {
        for (n, shift) in [(0, 1.0), (1, 2.0), (2, 1.0), (257, 1e-3), (100_000, 1.0)] {
            let matrix = path(n, shift);
            let expected: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.7).sin()).collect();
            let mut rhs = vec![0.0; n as usize];
            matrix.multiply(&expected, &mut rhs);
            let mut x = vec![0.0; n as usize];
            ConjugateGradients::default().solve(&matrix, &rhs, &mut x).unwrap();
            // The error is the residual times the condition, at most 4 / shift, in the Euclidean norm.
            let allowed = 1e-12 * (4.0 / shift + 1.0) * norm(&expected).max(1.0);
            for (x, expected) in x.iter().zip(&expected) {
                assert!((x - expected).abs() <= allowed, "{n} {shift}: {x} {expected}");
            }
        }
    }

    #[test]
    fn says_when_it_fails() {
        let few = ConjugateGradients { iterations: 3, ..Default::default() };
        let mut x = vec![0.0; 100];
        let mut rhs = vec![0.0; 100];
        rhs[0] = 1.0;
        let error = few.solve(&path(100, 1e-3), &rhs, &mut x).unwrap_err();
        assert!(matches!(error, Error::NotConverged { iterations: 3, dimension: 100, .. }), "{error}");
        let indefinite = path(100, 0.5).map(|_, _, value| -value);
        assert!(ConjugateGradients::default().solve(&indefinite, &rhs, &mut x).is_err());
        // These would be looked at for ever.
        for value in [f64::NAN, f64::INFINITY, 1e200] {
            rhs[1] = value;
            assert!(ConjugateGradients::default().solve(&path(100, 0.5), &rhs, &mut x).is_err(), "{value}");
        }
    }

    #[test]
    fn a_zero_right_side_has_a_zero_solution() {
        let mut x = vec![3.0; 10];
        assert_eq!(ConjugateGradients::default().solve(&path(10, 1.0), &[0.0; 10], &mut x).unwrap(), 0);
        assert_eq!(x, [0.0; 10]);
    }
}
