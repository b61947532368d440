//! How alike two items are a priori: kernels over attributes, over links, and their weighted sums.
//!
//! [`build`] turns a project's [`KernelSpec`]s into one [`WeightedSum`]; each part can also be made by itself. Parts over
//! vectors are [`VectorKernel`]s; parts over links start from a [`Graph`]. No part keeps the matrix over the items: a
//! column costs time and memory linear in the items and links, apart from the solves that its documentation names.
//!
//! Every random choice is absent and every sum has a fixed order, so values have the same bits for any number of threads.

mod common_cause;
mod diffusion;
mod directed;
mod graph;
mod independent;
mod laplacian;
mod newcomers;
mod spec;
mod sum;
mod vector;

pub use common_cause::CommonCause;
pub use diffusion::Diffusion;
pub use directed::DirectedLaplacian;
pub use graph::{Graph, relation_vectors};
pub use independent::Independent;
pub use laplacian::RegularizedLaplacian;
pub use newcomers::build_with_newcomers;
pub use spec::{Causes, Form, KernelSpec, Over, RelationSpec, Rho, Role, Shape};
pub use sum::{WeightedSum, build};
pub use vector::{VectorKernel, Vectors};

use rayon::prelude::*;

use crate::numeric::Matrix;
use crate::{Error, Result};

/// One tunable number of a kernel. All parameters are positive.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// As in the project file: `kappa`, `rho`, `rho[3]`, `beta`.
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// A covariance over a fixed set of items, by columns: nothing here needs the whole matrix.
///
/// Every implementation is symmetric and positive semidefinite.
pub trait Kernel: Send + Sync {
    /// The number of items.
    fn len(&self) -> usize;

    /// Whether there is no item.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The prior variances `K_ii`, written to `out` (length n). Kernels that can do better than n columns, in parallel, do.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        let entry = |column: &mut Vec<f64>, (item, out): (usize, &mut f64)| {
            self.column(item, column)?;
            *out = column[item];
            Ok(())
        };
        out.par_iter_mut().enumerate().try_for_each_init(|| vec![0.0; self.len()], entry)
    }

    /// The column `K_{. item}`, written to `out` (length n).
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn column(&self, item: usize, out: &mut [f64]) -> Result<()>;

    /// The whole matrix: `n²` doubles. Kernels that can do better than column by column do.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn matrix(&self) -> Result<Matrix> {
        let n = self.len();
        let mut out = Matrix::zeros(n, n);
        let columns = out.values_mut().par_chunks_mut(n.max(1)).enumerate();
        columns.try_for_each(|(item, column)| self.column(item, column))?;
        Ok(out)
    }

    /// The parameters with their values, in a fixed order; none unless a kernel says otherwise.
    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    /// Gives the parameters other values, in the order of [`Kernel::parameters`].
    ///
    /// # Errors
    /// If a value is not positive and finite; the kernel is then unchanged.
    fn set_parameters(&mut self, values: &[f64]) -> Result<()> {
        parameters_of::<0>(values).map(|_| ())
    }

    /// The column `∂K_{. item} / ∂ parameter` (not of its logarithm), written to `out` (length n).
    ///
    /// # Errors
    /// If an iterative solve does not converge, or there is no such parameter.
    fn derivative_column(&self, parameter: usize, item: usize, out: &mut [f64]) -> Result<()> {
        let _ = (item, out);
        Err(no_such_parameter(parameter, 0))
    }

    /// The whole matrix `∂K / ∂ parameter`: `n²` doubles.
    ///
    /// # Errors
    /// As [`Kernel::derivative_column`].
    fn derivative_matrix(&self, parameter: usize) -> Result<Matrix> {
        let n = self.len();
        let mut out = Matrix::zeros(n, n);
        let columns = out.values_mut().par_chunks_mut(n.max(1)).enumerate();
        columns.try_for_each(|(item, column)| self.derivative_column(parameter, item, column))?;
        Ok(out)
    }
}

/// The value, if it is positive and finite.
fn positive(name: &str, value: f64) -> Result<f64> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(Error::Parameter { name: name.into(), value, expected: "a positive, finite number" })
}

/// The values as an array, if there are as many as parameters.
fn parameters_of<const COUNT: usize>(values: &[f64]) -> Result<[f64; COUNT]> {
    values.try_into().map_err(|_| wrong_count(values.len(), COUNT))
}

fn wrong_count(found: usize, expected: usize) -> Error {
    Error::Data { what: "kernel parameters", found: found.to_string(), expected: expected.to_string() }
}

fn no_such_parameter(found: usize, count: usize) -> Error {
    Error::Data {
        what: "the position of a kernel parameter",
        found: found.to_string(),
        expected: format!("below {count}"),
    }
}

/// A column of the derivative of `K = [beta (M + I / iota²)]⁻¹` by beta (0) or iota (1): `-K / beta`, or
/// `(2 / iota³) (M + I / iota²)⁻¹ K`, for which `solve` solves with `M + I / iota²`. One solve, or two.
fn derivative_of_inverse(
    kernel: &impl Kernel,
    [beta, iota]: [f64; 2],
    solve: impl Fn(&[f64], &mut [f64]) -> Result<()>,
    (parameter, item): (usize, usize),
    out: &mut [f64],
) -> Result<()> {
    let scale = match parameter {
        0 => {
            kernel.column(item, out)?;
            -1.0 / beta
        }
        1 => {
            let mut column = vec![0.0; kernel.len()];
            kernel.column(item, &mut column)?;
            solve(&column, out)?;
            2.0 / iota.powi(3)
        }
        _ => return Err(no_such_parameter(parameter, 2)),
    };
    out.iter_mut().for_each(|value| *value *= scale);
    Ok(())
}

fn named(name: &str, value: f64) -> Parameter {
    Parameter { name: name.into(), value }
}
