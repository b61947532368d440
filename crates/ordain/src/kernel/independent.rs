//! The item's own part: the identity.

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::{Kernel, PriorDraws};
use crate::Result;
use crate::numeric::{Matrix, Stream};

/// The identity over the items: a part of the utility that no item shares. It has no parameters; the weight scales it.
///
/// Without it a smooth kernel cannot tell near twins apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Independent {
    items: usize,
}

impl Independent {
    /// The kernel over this many items.
    pub fn new(items: usize) -> Self {
        Self { items }
    }
}

impl PriorDraws for &Independent {
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        out.values_mut().par_chunks_mut(self.items.max(1)).zip(streams).for_each(|(column, stream)| {
            column.iter_mut().for_each(|value| *value = stream.sample(StandardNormal));
        });
        Ok(())
    }
}

impl Kernel for Independent {
    fn len(&self) -> usize {
        self.items
    }

    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        out[item] = 1.0;
        Ok(())
    }

    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        out.iter_mut().zip(others).for_each(|(out, &other)| *out = f64::from(other as usize == item));
        Ok(())
    }

    fn has_cheap_entries(&self) -> bool {
        true
    }

    fn floor(&self) -> f64 {
        0.0
    }

    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        Ok(Box::new(self))
    }

    fn among(&self, items: &[usize]) -> Result<Matrix> {
        Ok(Matrix::from_fn(items.len(), items.len(), |row, column| f64::from(items[row] == items[column])))
    }
}
