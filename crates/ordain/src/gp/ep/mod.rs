//! Batch expectation propagation (XPGP section 4.1, eqs. 6-12) with scalar sites.
//!
//! The likelihood of an observation touches the utilities only through the scalar $x_s = d_s'\xi$, so its site is
//! $\tilde Z_s \exp(-\tfrac12 \tau_s x_s^2 + \nu_s x_s)$, two numbers an observation. With $A = \sum_s \tau_s d_s d_s'$
//! the approximate posterior is $N(m, \Sigma)$, $\Sigma = (K^{-1} + A)^{-1}$, $m = \Sigma \sum_s \nu_s d_s$.
//!
//! **Two equivalent forms.** All of that happens in the span of the observed functionals. Taking as coordinates either
//! the items that were compared or the distinct functionals themselves, whichever are fewer (b of them), EP works on a
//! b x b matrix, and the other items follow by conditioning: with $K = F F'$ and $R R' = I + F' A F$ over the
//! coordinates and $t_i = F^{-1} c_i$ for the prior covariances $c_i$ of item i with them,
//!
//! $$ m_i = t_i' (R R')^{-1} F' \sum_s \nu_s d_s, \qquad \Sigma_{ij} = K_{ij} - t_i' t_j + t_i' (R R')^{-1} t_j . $$
//!
//! For an item that is itself a coordinate the first two terms are the same number. Nothing here is larger than the prior
//! however precise the sites are, as $A - A \Sigma A$ would be, which takes the same role without F.
//!
//! So thousands of answers on hundreds of items and hundreds of answers on thousands of items both take the cheaper
//! form, and only prior columns of compared items are ever asked for.
//!
//! **Cost.** `b³` to `5 b³/3` and `O(t b)` operations an iteration over t observations, of which there are about ten (see
//! `fixed_point.rs`), and `2 n b²` for the variances of items never compared. Memory `5 b² + 2 n b`.

mod fixed_point;

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::{Belief, Functional, Observation};
use crate::data::ItemId;
use crate::kernel::Kernel;
use crate::numeric::Matrix;
use crate::numeric::dense::{add_scaled, dot, multiply, transpose};
use crate::{Error, Result};

pub use fixed_point::Site;
use fixed_point::State;

/// Iterations that may go back and forth without a check on the steps.
const PATIENCE: usize = 60;

/// When EP stops.
#[derive(Debug, Clone)]
pub struct EpParams {
    /// Stop when no observed functional's mean moves by more than this many standard deviations, nor its variance by more
    /// than this fraction; or than rounding allows, where the prior is very wide beside the noise.
    pub tolerance: f64,
    /// Give up after this many iterations.
    pub max_iterations: usize,
}

impl Default for EpParams {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_iterations: 500 }
    }
}

impl EpParams {
    /// Runs EP to its fixed point.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, EP does not converge, or the prior is so wide beside the noise that rounding
    /// hides what the answers say.
    pub fn fit(&self, kernel: Arc<dyn Kernel>, observations: &[Observation]) -> Result<Ep> {
        let basis = choose_basis(observations);
        let columns = basis_columns(kernel.as_ref(), &basis)?;
        let prior = restrict(&columns, &basis);
        let placed = place(observations, &basis);

        let mut state = State::new(prior, placed)?;
        let iterations = self.converge(&mut state)?;
        let everything = basis.len() == kernel.len() && basis.iter().all(|axis| matches!(axis, Functional::Item(_)));
        let (white, variances) = if everything {
            (state.white_coordinates(), state.variances())
        } else {
            let white = state.whiten(transpose(&columns));
            let variances = variances(kernel.as_ref(), &basis, &state, &white)?;
            (white, variances)
        };
        let mean = (0..kernel.len()).map(|item| state.mean_along(white.column(item))).collect();
        let log_evidence = state.log_evidence();
        Ok(Ep { kernel, basis, white, state, mean, variances, log_evidence, iterations })
    }

    /// Iterates until the marginals stand still; says how often.
    fn converge(&self, state: &mut State) -> Result<usize> {
        let (mut damping, mut last) = (1.0, f64::INFINITY);
        for iteration in 1..=self.max_iterations {
            let change = state.iterate(damping)?;
            if change <= self.tolerance.max(state.rounding()) {
                return Ok(iteration);
            }
            // The first steps may well go back and forth; after them, a change that grows calls for smaller steps.
            if iteration > PATIENCE && change > last {
                damping = f64::max(0.7 * damping, 0.1);
            }
            last = change;
        }
        Err(Error::NotConverged {
            what: "expectation propagation",
            iterations: self.max_iterations,
            residual: last,
            dimension: state.len(),
        })
    }
}

/// The belief at EP's fixed point.
pub struct Ep {
    kernel: Arc<dyn Kernel>,
    /// The coordinates, ascending.
    basis: Vec<Functional>,
    /// `t_i` of every item, `[rank of the prior over the coordinates, n]`.
    white: Matrix,
    state: State,
    mean: Vec<f64>,
    variances: Vec<f64>,
    log_evidence: f64,
    iterations: usize,
}

impl Ep {
    /// The sites, one an observation, in their order.
    pub fn sites(&self) -> &[Site] {
        self.state.sites()
    }

    /// Mean and variance of every observation's functional under the belief.
    pub fn marginals(&self) -> impl Iterator<Item = (f64, f64)> {
        self.state.marginals()
    }

    /// The iterations it took.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether an item is itself a coordinate.
    fn is_coordinate(&self, item: ItemId) -> bool {
        self.basis.binary_search(&Functional::Item(item.0)).is_ok()
    }
}

impl Belief for Ep {
    fn mean(&self) -> &[f64] {
        &self.mean
    }

    fn variances(&self) -> &[f64] {
        &self.variances
    }

    fn column(&self, item: ItemId, out: &mut [f64]) -> Result<()> {
        let own = self.white.column(item.index());
        let mut along = Matrix::zeros(own.len(), 1);
        along.values_mut().copy_from_slice(own);
        self.state.cholesky().solve_in_place(&mut along);
        if self.is_coordinate(item) {
            out.fill(0.0);
        } else {
            self.kernel.column(item.index(), out)?;
            add_scaled(along.values_mut(), -1.0, own);
        }
        for (other, entry) in out.iter_mut().enumerate() {
            *entry += dot(self.white.column(other), along.values());
        }
        Ok(())
    }

    fn covariance(&self, items: &[ItemId]) -> Result<Matrix> {
        let white = Matrix::from_fn(self.white.rows(), items.len(), |axis, at| self.white[(axis, items[at].index())]);
        let mut root = white.clone();
        self.state.cholesky().solve_lower_in_place(&mut root);
        let mut out = multiply(&transpose(&root), &root);
        let others: Vec<usize> = (0..items.len()).filter(|&at| !self.is_coordinate(items[at])).collect();
        let mut whole = vec![0.0; self.mean.len()];
        for &at in &others {
            self.kernel.column(items[at].index(), &mut whole)?;
            for &row in &others {
                out[(row, at)] += whole[items[row].index()] - dot(white.column(row), white.column(at));
            }
        }
        Ok(out)
    }

    fn log_evidence(&self) -> f64 {
        self.log_evidence
    }
}

/// The compared items or the distinct functionals, whichever are fewer, ascending.
fn choose_basis(observations: &[Observation]) -> Vec<Functional> {
    let distinct: HashSet<Functional> = observations.iter().map(|observation| observation.functional).collect();
    let items: HashSet<u32> = distinct.iter().flat_map(|functional| functional.items()).collect();
    let mut basis: Vec<Functional> = if items.len() <= distinct.len() {
        items.into_iter().map(Functional::Item).collect()
    } else {
        distinct.into_iter().collect()
    };
    basis.sort_unstable();
    basis
}

/// Prior covariances of all items with the coordinates, `[n, b]`.
fn basis_columns(kernel: &dyn Kernel, basis: &[Functional]) -> Result<Matrix> {
    let n = kernel.len();
    let mut items: Vec<u32> = basis.iter().flat_map(|axis| axis.items()).collect();
    items.sort_unstable();
    items.dedup();
    let whole = if items.len() == n {
        kernel.matrix()?
    } else {
        let mut columns = Matrix::zeros(n, items.len());
        let each = |(out, &item): (&mut [f64], &u32)| kernel.column(item as usize, out);
        columns.values_mut().par_chunks_exact_mut(n.max(1)).zip(&items).try_for_each(each)?;
        columns
    };
    if basis.iter().all(|axis| matches!(axis, Functional::Item(_))) {
        return Ok(whole);
    }
    let at = |item: u32| items.partition_point(|&other| other < item);
    let mut columns = Matrix::zeros(n, basis.len());
    for (position, &axis) in basis.iter().enumerate() {
        let out = columns.column_mut(position);
        match axis {
            Functional::Item(item) => out.copy_from_slice(whole.column(at(item))),
            Functional::Difference(first, second) => {
                let pair = whole.column(at(first)).iter().zip(whole.column(at(second)));
                for (entry, (first, second)) in out.iter_mut().zip(pair) {
                    *entry = first - second;
                }
            }
        }
    }
    Ok(columns)
}

/// The prior covariances among the coordinates, `[b, b]`.
fn restrict(columns: &Matrix, basis: &[Functional]) -> Matrix {
    Matrix::from_fn(basis.len(), basis.len(), |row, column| basis[row].of(columns.column(column)))
}

/// The observations in terms of the coordinates.
fn place(observations: &[Observation], basis: &[Functional]) -> Vec<Observation> {
    let at = |axis: Functional| basis.binary_search(&axis).map(|position| position as u32);
    let place = |observation: &Observation| {
        let functional = match (at(observation.functional), observation.functional) {
            (Ok(position), _) => Functional::Item(position),
            (Err(_), Functional::Difference(first, second)) => {
                let item = |item| at(Functional::Item(item)).unwrap_or_else(|_| unreachable!("a compared item"));
                Functional::Difference(item(first), item(second))
            }
            (Err(_), Functional::Item(_)) => unreachable!("every single item is a coordinate"),
        };
        Observation { functional, ..*observation }
    };
    observations.iter().map(place).collect()
}

/// Every item's variance: the coordinates' own, and `K_ii - |t_i|² + |R⁻¹ t_i|²`.
fn variances(kernel: &dyn Kernel, basis: &[Functional], state: &State, white: &Matrix) -> Result<Vec<f64>> {
    let mut out = vec![0.0; kernel.len()];
    kernel.diagonal(&mut out)?;
    let mut root = white.clone();
    state.cholesky().solve_lower_in_place(&mut root);
    for (item, variance) in out.iter_mut().enumerate() {
        let (before, after) = (white.column(item), root.column(item));
        // Rounding may leave a hair below zero where nothing is left to learn.
        *variance = (*variance - dot(before, before) + dot(after, after)).max(0.0);
    }
    for (axis, variance) in basis.iter().zip(state.variances()) {
        if let Functional::Item(item) = axis {
            out[*item as usize] = variance;
        }
    }
    Ok(out)
}
