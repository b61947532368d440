//! Lanczos' method: a symmetric matrix as it acts on one vector.
//!
//! After k steps from a unit vector the method has orthonormal vectors `V = (v_1, ..., v_k)` and a tridiagonal matrix
//! `T` with `A V = V T + b_k v_{k+1} e_k'`. It needs as many steps as the vector meets different eigenvalues: three for
//! any item of a star, whatever its size.
//!
//! For `A` without negative eigenvalues, `exp(-t A) v_1` is near `V exp(-t T) e_1`. The difference is at most
//! $b_k \int_0^t |(e^{-sT} e_1)_k|\, ds$ (Hochbruck, Lubich 1997). The integrand does not change its sign, and its
//! Laplace transform is $b_1 \cdots b_{k-1} / \det(z + T)$, so the difference is at most
//! $e^{zt}\, b_1 \cdots b_k / \det(z + T)$ for every $z > 0$. This takes `k` operations and misses nothing: where small
//! eigenvalues are not seen yet, the determinant is small.

use super::dense::{add_scaled, dot};

/// Orthonormal vectors and the tridiagonal matrix that stands for a matrix among them.
pub(crate) struct Krylov {
    vectors: Vec<Vec<f64>>,
    /// The diagonal of `T`.
    diagonal: Vec<f64>,
    /// The numbers beside it.
    beside: Vec<f64>,
}

impl Krylov {
    /// Steps from a unit vector, until `exp(-time A)` of it is known to within `tolerance`; `None` if that takes more
    /// than `most` steps. `multiply` writes `A x`. `norm` bounds the eigenvalues, of which none is negative. `4 n k²`
    /// operations and k products for k steps.
    pub(crate) fn of_unit(
        (item, size): (usize, usize),
        multiply: impl Fn(&[f64], &mut [f64]),
        norm: f64,
        (time, tolerance): (f64, f64),
        most: usize,
    ) -> Option<Self> {
        let mut unit = vec![0.0; size];
        unit[item] = 1.0;
        let mut found = Self { vectors: vec![unit], diagonal: Vec::new(), beside: Vec::new() };
        while found.vectors.len() <= most {
            let last = &found.vectors[found.vectors.len() - 1];
            let mut next = vec![0.0; size];
            multiply(last, &mut next);
            found.diagonal.push(dot(last, &next));
            // Twice is enough to make them orthogonal to the last bit (Giraud, Langou, Rozložník 2005).
            for _ in 0..2 {
                for earlier in &found.vectors {
                    let along = dot(earlier, &next);
                    add_scaled(&mut next, -along, earlier);
                }
            }
            let left = dot(&next, &next).sqrt();
            // Products are known to rounding beside the norm, so nothing below it is a direction.
            if left <= 4.0 * f64::EPSILON * norm || found.vectors.len() == size {
                return Some(found);
            }
            found.beside.push(left);
            if found.log_error(time) <= tolerance.ln() {
                found.beside.pop();
                return Some(found);
            }
            next.iter_mut().for_each(|value| *value /= left);
            found.vectors.push(next);
        }
        None
    }

    /// The number of steps.
    pub(crate) fn steps(&self) -> usize {
        self.diagonal.len()
    }

    /// `out = T x`.
    pub(crate) fn multiply(&self, x: &[f64], out: &mut [f64]) {
        for row in 0..x.len() {
            let before = if row > 0 { self.beside[row - 1] * x[row - 1] } else { 0.0 };
            let after = if row + 1 < x.len() { self.beside[row] * x[row + 1] } else { 0.0 };
            out[row] = before + self.diagonal[row] * x[row] + after;
        }
    }

    /// `out = V x`.
    pub(crate) fn expand(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (vector, &factor) in self.vectors.iter().zip(x) {
            add_scaled(out, factor, vector);
        }
    }

    /// The logarithm of the bound on the error, which has one more number beside the diagonal. Any positive `z` gives
    /// one. The best is at most `k / time`, and below a tenth of `1 / time` nothing is gained.
    fn log_error(&self, time: f64) -> f64 {
        let product: f64 = self.beside.iter().map(|beside| beside.ln()).sum();
        let mut least = f64::INFINITY;
        let mut scaled = self.steps() as f64;
        while scaled >= 0.1 {
            least = least.min(scaled - self.log_det(scaled / time));
            scaled /= 1.5;
        }
        product + least
    }

    /// `log det(z + T)`, from the pivots of Gauss' method; minus infinity where rounding leaves none.
    fn log_det(&self, z: f64) -> f64 {
        let mut sum = 0.0;
        let mut pivot = 1.0;
        for (row, own) in self.diagonal.iter().enumerate() {
            let explained = if row > 0 { self.beside[row - 1] * self.beside[row - 1] / pivot } else { 0.0 };
            pivot = z + own - explained;
            if pivot.is_nan() || pivot <= 0.0 {
                return f64::NEG_INFINITY;
            }
            sum += f64::ln(pivot);
        }
        sum
    }
}
