//! Draws of kernels that are products of vectors.

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::{VectorKernel, kappa_of};
use crate::Result;
use crate::kernel::vectors::Store;
use crate::kernel::{Form, Kernel, PriorDraws};
use crate::numeric::dense::add_scaled;
use crate::numeric::{Matrix, Stream};

/// Of the forms that are products of vectors: a normal number per attribute or target.
impl PriorDraws for &VectorKernel {
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        let (n, kappa) = (self.len(), kappa_of(&self.form));
        let is_cosine = matches!(self.form, Form::Cosine { .. });
        out.values_mut().par_chunks_mut(n.max(1)).zip(streams).for_each(|(column, stream)| {
            column.fill(0.0);
            match &self.vectors.0 {
                Store::Dense { items, values } => values
                    .chunks_exact((*items).max(1))
                    .for_each(|attribute| add_scaled(column, stream.sample(StandardNormal), attribute)),
                Store::Sparse { rows, by_target } => {
                    let weights: Vec<f64> = (0..by_target.rows()).map(|_| stream.sample(StandardNormal)).collect();
                    rows.multiply(&weights, column);
                }
            }
            for (value, square) in column.iter_mut().zip(&self.squares) {
                *value = match is_cosine {
                    true if *square > 0.0 => kappa * *value / square.sqrt(),
                    // A vector of no length has the variance of others, and nothing in common with them.
                    true => kappa * stream.sample::<f64, _>(StandardNormal),
                    false => kappa * *value,
                };
            }
        });
        Ok(())
    }
}
