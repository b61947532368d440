//! Kernels as matrices.

use ordain::Result;
use ordain::kernel::Kernel;
use ordain::numeric::Matrix;

/// A kernel as its matrix: queries have a few hundred documents, and every draw of pairs uses it.
pub struct Tabulated(pub Matrix);

impl Kernel for Tabulated {
    fn len(&self) -> usize {
        self.0.rows()
    }

    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(&self.0.diagonal());
        Ok(())
    }

    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(self.0.column(item));
        Ok(())
    }
}
