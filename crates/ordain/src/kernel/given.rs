//! A Gaussian that is given as it is.

use super::Kernel;
use crate::numeric::Matrix;
use crate::{Error, Result};

/// A mean and a covariance matrix, such as those that many users share. It has no parameters. `n²` memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    mean: Vec<f64>,
    covariance: Matrix,
}

impl Given {
    /// A Gaussian with this mean and this covariance, which must be symmetric and positive semidefinite.
    ///
    /// # Errors
    /// If the sizes differ or a number is not finite.
    pub fn new(mean: Vec<f64>, covariance: Matrix) -> Result<Self> {
        let n = mean.len();
        let finite = mean.iter().chain(covariance.values()).all(|value| value.is_finite());
        if covariance.rows() == n && covariance.columns() == n && finite {
            return Ok(Self { mean, covariance });
        }
        Err(Error::Data {
            what: "a Gaussian",
            found: format!(
                "{n} means, and covariances in {} rows and {} columns",
                covariance.rows(),
                covariance.columns()
            ),
            expected: "as many of each, all finite".into(),
        })
    }

    /// The covariance.
    pub fn covariance(&self) -> &Matrix {
        &self.covariance
    }
}

impl Kernel for Given {
    fn len(&self) -> usize {
        self.mean.len()
    }

    fn mean(&self) -> Option<&[f64]> {
        Some(&self.mean)
    }

    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(&self.covariance.diagonal());
        Ok(())
    }

    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(self.covariance.column(item));
        Ok(())
    }

    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        let column = self.covariance.column(item);
        out.iter_mut().zip(others).for_each(|(out, &other)| *out = column[other as usize]);
        Ok(())
    }

    fn has_cheap_entries(&self) -> bool {
        true
    }

    fn matrix(&self) -> Result<Matrix> {
        Ok(self.covariance.clone())
    }

    fn among(&self, items: &[usize]) -> Result<Matrix> {
        Ok(Matrix::from_fn(items.len(), items.len(), |row, column| self.covariance[(items[row], items[column])]))
    }
}
