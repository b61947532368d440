//! Draws of a belief about very many items, without their joint covariance.

use std::sync::Arc;

use rand::RngExt;
use rand_distr::StandardNormal;

use super::ep::conditioning::{Conditioning, coordinates};
use super::{Factor, Functional};
use crate::Result;
use crate::kernel::{Kernel, PriorDraws};
use crate::numeric::dense::{Cholesky, subtract_product};
use crate::numeric::{Matrix, Stream};

/// How draws of a prior become draws of a belief (Matheron's rule): what the sites say of each draw's coordinates is taken
/// off. Memory `n b` for b coordinates, which beliefs share.
#[derive(Clone)]
pub struct Paths {
    pub(super) kernel: Arc<dyn Kernel>,
    pub(super) basis: Vec<Functional>,
    /// The items' prior covariances with the coordinates, `[n, b]`.
    pub(super) columns: Arc<Matrix>,
    pub(super) conditioning: Arc<Conditioning>,
}

impl Paths {
    /// For a belief that is the prior of a kernel times these sites. One column of the kernel per coordinate, which are the
    /// items if answers may be lapses, else the different functionals; `b³/3` operations.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, or the prior is so wide that rounding hides the sites.
    pub(super) fn of_sites(kernel: Arc<dyn Kernel>, factors: &[Factor]) -> Result<Self> {
        let mut basis: Vec<Functional> = factors.iter().map(|factor| factor.observation.functional).collect();
        basis.sort_unstable();
        basis.dedup();
        let mut precisions = vec![0.0; basis.len()];
        for factor in factors {
            let at = basis.partition_point(|other| *other < factor.observation.functional);
            precisions[at] += f64::from(factor.count) * factor.site.precision;
        }
        let mut columns = Matrix::zeros(kernel.len(), basis.len());
        kernel.along(&basis, &mut columns)?;
        let prior = Matrix::from_fn(basis.len(), basis.len(), |row, column| basis[row].of(columns.column(column)));
        let conditioning = Arc::new(Conditioning::of_precisions(&precisions, &prior)?);
        Ok(Self { kernel, basis, columns: Arc::new(columns), conditioning })
    }

    /// Whether all coordinates are items.
    pub(super) fn are_items(&self) -> bool {
        self.basis.iter().all(|axis| matches!(axis, Functional::Item(_)))
    }

    /// A factor of the prior covariance of the coordinates; `None` if it is singular.
    pub(super) fn prior_of_coordinates(&self) -> Option<Cholesky> {
        let b = self.basis.len();
        Cholesky::factor(Matrix::from_fn(b, b, |row, column| self.basis[row].of(self.columns.column(column)))).ok()
    }

    /// Fills every column of `out` (n rows) with a draw of the deviations from the belief's mean, from the random stream of the
    /// same number.
    pub(super) fn draw(&self, prior: &dyn PriorDraws, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        prior.draw(streams, out)?;
        let mut noise = Matrix::zeros(self.conditioning.rank(), out.columns());
        for (column, stream) in noise.columns_mut().zip(streams) {
            column.iter_mut().for_each(|value| *value = stream.sample(StandardNormal));
        }
        let explained = self.conditioning.explained(&coordinates(&self.basis, out), &noise);
        subtract_product(out, &self.columns, &explained);
        Ok(())
    }
}
