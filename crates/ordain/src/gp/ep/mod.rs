//! Batch expectation propagation (XPGP section 4.1, eqs. 6-12) with scalar sites.
//!
//! The likelihood of an observation touches the utilities only through the scalar $x_s = d_s'\xi$, so its site is
//! $\tilde Z_s \exp(-\tfrac12 \tau_s x_s^2 + \nu_s x_s)$, two numbers an observation. With $A = \sum_s \tau_s d_s d_s'$
//! the approximate posterior is $N(m, \Sigma)$, $\Sigma = (K^{-1} + A)^{-1}$, $m = \Sigma \sum_s \nu_s d_s$.
//!
//! **Two equivalent forms.** All of that happens in the span of the observed functionals. Taking as coordinates either
//! the items that were compared or the distinct functionals themselves, whichever are fewer (b of them), EP works on a
//! b x b matrix, and the other items follow by conditioning: with $c_i$ the prior covariances of item i with the
//! coordinates,
//!
//! $$ m_i = c_i' w, \qquad \Sigma_{ij} = K_{ij} - c_i' P c_j, \qquad P = A - A \Sigma A, \qquad
//!    w = \sum_s (\nu_s - \tau_s d_s'm)\, d_s . $$
//!
//! So thousands of answers on hundreds of items and hundreds of answers on thousands of items both take the cheaper
//! form, and only prior columns of compared items are ever asked for.
//!
//! **Cost.** `5 b³/3 + O(t b)` operations an iteration over t observations, of which there are about ten (see
//! `fixed_point.rs`), and `n b²` for the variances of items never compared. Memory `4 b² + n b`.

mod fixed_point;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{Belief, Functional, Observation};
use crate::data::ItemId;
use crate::kernel::Kernel;
use crate::numeric::Matrix;
use crate::numeric::dense::{dot, multiply, multiply_vector};
use crate::{Error, Result};

pub use fixed_point::Site;
use fixed_point::State;

/// When EP stops.
#[derive(Debug, Clone)]
pub struct EpParams {
    /// Stop when no observed functional's mean moves by more than this many standard deviations, nor its variance by more
    /// than this fraction.
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
    /// If the kernel cannot be evaluated, or EP does not converge.
    pub fn fit(&self, kernel: Arc<dyn Kernel>, observations: &[Observation]) -> Result<Ep> {
        let basis = choose_basis(observations);
        let columns = basis_columns(kernel.as_ref(), &basis)?;
        let prior = restrict(&columns, &basis);
        let placed = place(observations, &basis);

        let mut state = State::new(prior, placed);
        let iterations = self.converge(&mut state)?;
        let mean = multiply_vector(&columns, &state.weights());
        let shrink = OnceLock::new();
        let everything = basis.len() == kernel.len() && basis.iter().all(|axis| matches!(axis, Functional::Item(_)));
        let variances = if everything {
            state.variances()
        } else {
            variances(kernel.as_ref(), &columns, shrink.get_or_init(|| state.shrink()))?
        };
        let log_evidence = state.log_evidence();
        Ok(Ep { kernel, basis, columns, state, shrink, mean, variances, log_evidence, iterations })
    }

    /// Iterates until the marginals stand still; says how often.
    fn converge(&self, state: &mut State) -> Result<usize> {
        let (mut damping, mut last) = (1.0, f64::INFINITY);
        for iteration in 1..=self.max_iterations {
            let change = state.iterate(damping)?;
            if change <= self.tolerance {
                return Ok(iteration);
            }
            // The first steps may well go back and forth; after them, a change that grows calls for smaller steps.
            if iteration > 10 && change > last {
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
    /// Prior covariances of all items with the coordinates, `[n, b]`.
    columns: Matrix,
    state: State,
    /// `P`, by which the observations shrink the prior, `[b, b]`; made when first asked for.
    shrink: OnceLock<Matrix>,
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

    fn shrink(&self) -> &Matrix {
        self.shrink.get_or_init(|| self.state.shrink())
    }

    /// A prior column, from the coordinates if it is there.
    fn prior_column(&self, item: ItemId, out: &mut [f64]) -> Result<()> {
        let here = |axis: &Functional| *axis == Functional::Item(item.0);
        // The coordinates are either all items, ascending, or all functionals.
        let position = self.basis.partition_point(|axis| matches!(axis, Functional::Item(other) if *other < item.0));
        match self.basis.get(position) {
            Some(axis) if here(axis) => out.copy_from_slice(self.columns.column(position)),
            _ => self.kernel.column(item.index(), out)?,
        }
        Ok(())
    }

    /// The prior covariances of one item with the coordinates.
    fn row(&self, item: ItemId) -> Vec<f64> {
        (0..self.basis.len()).map(|axis| self.columns[(item.index(), axis)]).collect()
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
        self.prior_column(item, out)?;
        let correction = multiply_vector(&self.columns, &multiply_vector(self.shrink(), &self.row(item)));
        for (entry, correction) in out.iter_mut().zip(correction) {
            *entry -= correction;
        }
        Ok(())
    }

    fn covariance(&self, items: &[ItemId]) -> Result<Matrix> {
        let size = items.len();
        let rows = Matrix::from_fn(self.basis.len(), size, |axis, at| self.columns[(items[at].index(), axis)]);
        let shrunk = multiply(self.shrink(), &rows);
        let mut out = Matrix::zeros(size, size);
        let mut whole = vec![0.0; self.mean.len()];
        for (position, &item) in items.iter().enumerate() {
            self.prior_column(item, &mut whole)?;
            let column = out.column_mut(position);
            for (row, (entry, other)) in column.iter_mut().zip(items).enumerate() {
                *entry = whole[other.index()] - dot(rows.column(row), shrunk.column(position));
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

/// `K_ii - c_i' P c_i` for all items.
fn variances(kernel: &dyn Kernel, columns: &Matrix, shrink: &Matrix) -> Result<Vec<f64>> {
    let mut out = vec![0.0; kernel.len()];
    kernel.diagonal(&mut out)?;
    let shrunk = multiply(columns, shrink);
    for axis in 0..columns.columns() {
        for (variance, (left, right)) in out.iter_mut().zip(columns.column(axis).iter().zip(shrunk.column(axis))) {
            *variance -= left * right;
        }
    }
    // Rounding may leave a hair below zero where nothing is left to learn.
    out.iter_mut().for_each(|variance| *variance = variance.max(0.0));
    Ok(out)
}
