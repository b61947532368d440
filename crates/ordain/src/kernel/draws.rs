//! Draws of utilities from a prior, without its joint covariance.

use rand::RngExt;
use rand_distr::StandardNormal;

use crate::numeric::dense::{SemidefiniteFactor, multiply, transpose};
use crate::numeric::{Matrix, Stream};
use crate::{Error, Result};

/// The largest rank of a matrix that is factored to draw from it: 32,000 bytes per item.
const MOST_PIVOTS: usize = 4000;

/// Draws of the deviations from the prior mean, ready to be made.
pub trait PriorDraws: Send + Sync {
    /// Fills every column of `out` (n rows) with a draw, from the random stream of the same number.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()>;
}

/// Standard normal numbers, each column from its stream.
pub(super) fn normals(rows: usize, streams: &mut [Stream]) -> Matrix {
    let mut out = Matrix::zeros(rows, streams.len());
    for (column, stream) in out.columns_mut().zip(streams) {
        column.iter_mut().for_each(|value| *value = stream.sample(StandardNormal));
    }
    out
}

/// Draws `R z` by a root R of the covariance, `[n, r]`.
pub(super) struct ByRoot(pub(super) Matrix);

impl PriorDraws for ByRoot {
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        *out = multiply(&self.0, &normals(self.0.columns(), streams));
        Ok(())
    }
}

/// Draws by a factor of a covariance that is given by its diagonal and columns.
pub(super) fn by_factor<'a>(
    items: usize,
    diagonal: Vec<f64>,
    column: impl Fn(usize, &mut [f64]) -> Result<()>,
) -> Result<Box<dyn PriorDraws + 'a>> {
    let factor = SemidefiniteFactor::by_columns(diagonal, MOST_PIVOTS, column)?;
    let factor = factor.ok_or_else(|| Error::TooLarge {
        what: "a kernel without a faster way to be drawn from".into(),
        size: items,
        limit: MOST_PIVOTS,
        method: "draws by a factor of its matrix",
    })?;
    Ok(Box::new(ByRoot(transpose(factor.transpose()))))
}
