//! Conjugate gradients for [`ShiftedLaplacian`], for several right-hand sides at once, to a bound on the covariances.
//!
//! The inverse `K = A⁻¹` is a covariance. The error of an approximate column matters relative to the standard
//! deviations. For a solution `x` of `A x = b` with error `e`, Cauchy and Schwarz give `|e_j| ≤ √K_jj |e|_A`, where
//! `|e|_A² = e' A e`; and `|A⁻¹ b|_A² = b' K b` is the variance of `b' u`. So if the error is at most `t |A⁻¹ b|_A`, no
//! correlation of `b' u` with the utility of an item is off by more than `t`.
//!
//! Conjugate gradients minimise this norm, and it can be bounded from above as they go. Let `γ_k` be the steps, `δ_k`
//! the quotients of the residuals' squared norms `|r_k|²` (in the preconditioner's inverse), and `μ` at most the
//! smallest eigenvalue of the preconditioned matrix. Then
//!
//! `|e_k|_A² ≤ g_k |r_k|²`, `g_0 = 1 / μ`, `g_{k+1} = (g_k - γ_k) / (μ (g_k - γ_k) + δ_{k+1})`
//!
//! (Meurant, Tichý, *On computing quadrature-based bounds for the A-norm of the error in conjugate gradients*, 2013,
//! eqs. 3.5 and 3.8), while `|x_k|_A² = Σ γ_j |r_j|²` bounds the variance from below. The preconditioner is the
//! diagonal of `A`; then `μ = min shift / A_ii`, since `A - μ diag A` is still diagonally dominant.

use rayon::prelude::*;

use super::large_pages::LargePages;
use super::shifted_laplacian::{ROWS_PER_TASK, ShiftedLaplacian};
use crate::{Error, Result};

/// Partial sums per task, by position: enough to hide the latency of an addition.
const LANES: usize = 4;

/// The most steps. A path of a million nodes with a shift of 1e-6 takes a few thousand.
const MOST_STEPS: usize = 20_000;

/// A restart must make the squared drift at least this much smaller to be worth another one.
const MENDED: f64 = 1.0 / 16.0;

/// Systems up to this size have each block of right-hand sides on a thread of its own.
const SMALL: usize = 1 << 15;

/// Right-hand sides that are solved together: one cache line of each row.
const TOGETHER: usize = 8;

/// One right-hand side's iteration.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// The squared norm of the residual in the preconditioner's inverse.
    residual: f64,
    /// `residual` times this bounds the squared error.
    bound: f64,
    /// The squared norm of the solution so far.
    energy: f64,
    done: bool,
}

impl Progress {
    fn new(residual: f64, energy: f64, least: f64) -> Self {
        Self { residual, bound: 1.0 / least, energy, done: residual == 0.0 }
    }

    /// Updates the state after a step of this length that left a residual with this squared norm. Returns how much of
    /// the direction to keep.
    fn advance(&mut self, step: f64, residual: f64, least: f64, tolerance: f64) -> f64 {
        self.energy += step * self.residual;
        let keep = residual / self.residual;
        let beyond = self.bound - step;
        // Positive up to rounding. 1 / least is a bound in any case.
        self.bound = if beyond > 0.0 { beyond / (least * beyond + keep) } else { 1.0 / least };
        self.residual = residual;
        self.done = self.residual * self.bound <= tolerance * tolerance * self.energy;
        keep
    }
}

impl ShiftedLaplacian {
    /// Solves `A x = b` in place for right-hand sides that stand one after another. The solution is off by at most
    /// `tolerance` times its own norm, in the norm of `A`, so no correlation is off by more. Returns the most steps
    /// taken.
    ///
    /// A step reads the links once for eight right-hand sides and passes over twelve vectors; four vectors of memory
    /// each. Parallel over rows. The residual of the recursion drifts from the true one by rounding. So it is computed
    /// afresh at the end, and the iteration starts again from there if this matters and helps.
    ///
    /// # Errors
    /// [`Error::NotConverged`] if 20 000 steps are not enough.
    pub fn solve_in_place(&self, rhs: &mut [f64], tolerance: f64) -> Result<usize> {
        let n = self.size().max(1);
        let solve = |block: &mut [f64]| -> Result<usize> {
            if block.len() == TOGETHER * n {
                return self.solve_block::<TOGETHER>(block, tolerance);
            }
            let mut steps = 0;
            let mut pairs = block.chunks_exact_mut(2 * n);
            for pair in &mut pairs {
                steps = steps.max(self.solve_block::<2>(pair, tolerance)?);
            }
            for single in pairs.into_remainder().chunks_exact_mut(n) {
                steps = steps.max(self.solve_block::<1>(single, tolerance)?);
            }
            Ok(steps)
        };
        // The threads share the blocks while the vectors of two fit the cache, and the rows of larger systems.
        let steps: Vec<usize> = if n > SMALL {
            rhs.chunks_mut(n * TOGETHER).map(solve).collect::<Result<_>>()?
        } else {
            rhs.par_chunks_mut(n * TOGETHER).map(solve).collect::<Result<_>>()?
        };
        Ok(steps.into_iter().max().unwrap_or(0))
    }

    fn solve_block<const K: usize>(&self, rhs: &mut [f64], tolerance: f64) -> Result<usize> {
        let n = self.size();
        let mut room: [LargePages; 4] = std::array::from_fn(|_| LargePages::zeros(n * K));
        let [x, residual, direction, product] = room.each_mut().map(|pages| pages.values().as_chunks_mut::<K>().0);
        residual
            .iter_mut()
            .enumerate()
            .for_each(|(row, residual)| *residual = std::array::from_fn(|k| rhs[k * n + row]));
        let least = self.least_eigenvalue();
        let mut progress = self.norms(self.inverse(), residual).map(|norm| Progress::new(norm, 0.0, least));
        let mut before = [f64::INFINITY; K];
        let mut steps = 0;
        while progress.iter().any(|own| !own.done) {
            self.turn([0.0; K], residual, direction);
            while progress.iter().any(|own| !own.done) {
                steps += 1;
                let curvature = self.product(direction, product);
                let mut lengths = [0.0; K]; // 0 leaves what is done as it is
                for (k, own) in progress.iter().enumerate().filter(|(_, own)| !own.done) {
                    lengths[k] = own.residual / curvature[k];
                    if !(lengths[k] > 0.0 && lengths[k].is_finite()) || steps > MOST_STEPS {
                        let residual = own.residual.sqrt();
                        let what = "conjugate gradients";
                        return Err(Error::NotConverged { what, iterations: steps, residual, dimension: n });
                    }
                }
                let norms = self.step(lengths, direction, product, x, residual);
                let mut keep = [0.0; K];
                for (k, own) in progress.iter_mut().enumerate().filter(|(_, own)| !own.done) {
                    keep[k] = own.advance(lengths[k], norms[k], least, tolerance);
                }
                self.turn(keep, residual, direction);
            }
            self.product(x, product);
            let drift = self.refresh(rhs, product, residual);
            let norms = self.norms(self.inverse(), residual);
            let sizes = self.norms(self.diagonal(), x);
            for (k, own) in progress.iter_mut().enumerate() {
                // A restart mends the drift that has added up over the steps. It does not mend the rounding of the
                // product itself, which is some ulps of `A_ii x_i` in each row and more at hubs.
                let rounding = (8.0 * f64::EPSILON).powi(2) * sizes[k];
                let matters = drift[k] > tolerance * tolerance * own.energy * least;
                if matters && drift[k] > rounding && drift[k] < MENDED * before[k] {
                    *own = Progress::new(norms[k], own.energy, least);
                    before[k] = drift[k];
                }
            }
        }
        for (k, out) in rhs.chunks_exact_mut(n.max(1)).enumerate() {
            out.iter_mut().zip(&*x).for_each(|(out, x)| *out = x[k]);
        }
        Ok(steps)
    }

    /// `x += lengths ∘ direction`, `residual -= lengths ∘ product`, and the squared norms of the residual.
    fn step<const K: usize>(
        &self,
        lengths: [f64; K],
        direction: &[[f64; K]],
        product: &[[f64; K]],
        x: &mut [[f64; K]],
        residual: &mut [[f64; K]],
    ) -> [f64; K] {
        let read = direction.chunks(ROWS_PER_TASK).zip(product.chunks(ROWS_PER_TASK));
        let write = x.chunks_mut(ROWS_PER_TASK).zip(residual.chunks_mut(ROWS_PER_TASK));
        let scale = self.inverse().chunks(ROWS_PER_TASK);
        self.over_tasks(read.zip(write).zip(scale), |(((direction, product), (x, residual)), scale)| {
            let mut sums = [[0.0; K]; LANES];
            let rows = direction.iter().zip(product).zip(x.iter_mut().zip(residual)).zip(scale);
            for (row, (((direction, product), (x, residual)), scale)) in rows.enumerate() {
                let sum = &mut sums[row % LANES];
                for k in 0..K {
                    x[k] += lengths[k] * direction[k];
                    residual[k] -= lengths[k] * product[k];
                    sum[k] += scale * residual[k] * residual[k];
                }
            }
            add_up(sums)
        })
    }

    /// `direction = inverse ∘ residual + keep ∘ direction`.
    fn turn<const K: usize>(&self, keep: [f64; K], residual: &[[f64; K]], direction: &mut [[f64; K]]) {
        let read = residual.chunks(ROWS_PER_TASK).zip(self.inverse().chunks(ROWS_PER_TASK));
        self.over_tasks(read.zip(direction.chunks_mut(ROWS_PER_TASK)), |((residual, scale), direction)| {
            for ((residual, scale), direction) in residual.iter().zip(scale).zip(direction) {
                (0..K).for_each(|k| direction[k] = scale * residual[k] + keep[k] * direction[k]);
            }
            [0.0; K]
        });
    }

    /// `Σ scale v²` of every column.
    fn norms<const K: usize>(&self, scale: &[f64], vectors: &[[f64; K]]) -> [f64; K] {
        let tasks = scale.chunks(ROWS_PER_TASK).zip(vectors.chunks(ROWS_PER_TASK));
        self.over_tasks(tasks, |(scale, vectors)| {
            let mut sums = [[0.0; K]; LANES];
            for (row, (scale, vector)) in scale.iter().zip(vectors).enumerate() {
                let sum = &mut sums[row % LANES];
                (0..K).for_each(|k| sum[k] += scale * vector[k] * vector[k]);
            }
            add_up(sums)
        })
    }

    /// `residual = rhs - product`, and the squared norms of the change.
    fn refresh<const K: usize>(&self, rhs: &[f64], product: &[[f64; K]], residual: &mut [[f64; K]]) -> [f64; K] {
        let n = self.size();
        let tasks = product.chunks(ROWS_PER_TASK).zip(residual.chunks_mut(ROWS_PER_TASK)).enumerate();
        self.over_tasks(tasks, |(task, (product, residual))| {
            let mut sums = [[0.0; K]; LANES];
            for (row, (product, residual)) in (task * ROWS_PER_TASK..).zip(product.iter().zip(residual)) {
                let (sum, scale) = (&mut sums[row % LANES], self.inverse()[row]);
                for k in 0..K {
                    let fresh = rhs[k * n + row] - product[k];
                    let change = fresh - residual[k];
                    residual[k] = fresh;
                    sum[k] += scale * change * change;
                }
            }
            add_up(sums)
        })
    }

    /// A lower bound on the smallest eigenvalue of the matrix preconditioned by its diagonal.
    fn least_eigenvalue(&self) -> f64 {
        self.shift() / self.diagonal().iter().copied().fold(self.shift(), f64::max)
    }
}

fn add_up<const K: usize>(sums: [[f64; K]; LANES]) -> [f64; K] {
    std::array::from_fn(|k| sums.iter().map(|sum| sum[k]).sum())
}
