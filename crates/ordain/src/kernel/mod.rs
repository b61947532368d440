//! How alike two items are a priori: kernels over attributes, over links, and their weighted sums.

mod spec;

pub use spec::{Causes, Form, KernelSpec, Over, RelationSpec, Rho, Role, Shape};

use crate::Result;
use crate::numeric::Matrix;

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

    /// The prior variances `K_ii`, written to `out` (length n).
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn diagonal(&self, out: &mut [f64]) -> Result<()>;

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
        for item in 0..n {
            self.column(item, out.column_mut(item))?;
        }
        Ok(out)
    }

    /// The parameters with their values, in a fixed order.
    fn parameters(&self) -> Vec<Parameter>;

    /// Gives the parameters other values, in the order of [`Kernel::parameters`].
    ///
    /// # Errors
    /// If a value is not positive and finite; the kernel is then unchanged.
    fn set_parameters(&mut self, values: &[f64]) -> Result<()>;

    /// The column `∂K_{. item} / ∂ parameter` (not of its logarithm), written to `out` (length n).
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn derivative_column(&self, parameter: usize, item: usize, out: &mut [f64]) -> Result<()>;
}
