//! The item's own part: the identity.

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::{Contraction, Kernel, PriorDraws};
use crate::Result;
use crate::data::Functional;
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

/// Tells `each` of every two functionals that touch the same item: both, and the product of their coefficients. The square of the
/// number of functionals of every item.
fn for_each_shared(functionals: &[Functional], mut each: impl FnMut(usize, usize, f64)) {
    let mut touches: Vec<(u32, usize, f64)> = Vec::with_capacity(2 * functionals.len());
    for (at, functional) in functionals.iter().enumerate() {
        touches.extend(functional.items().zip([1.0, -1.0]).map(|(item, sign)| (item, at, sign)));
    }
    touches.sort_by_key(|&(item, at, _)| (item, at));
    for of_item in touches.chunk_by(|one, other| one.0 == other.0) {
        for &(_, column, right) in of_item {
            of_item.iter().for_each(|&(_, row, left)| each(row, column, left * right));
        }
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

    fn between(&self, functionals: &[Functional]) -> Result<Matrix> {
        let mut out = Matrix::zeros(functionals.len(), functionals.len());
        for_each_shared(functionals, |row, column, product| out[(row, column)] += product);
        Ok(out)
    }

    fn contract_between(&self, functionals: &[Functional], weights: &Matrix) -> Result<Contraction> {
        let mut value = 0.0;
        for_each_shared(functionals, |row, column, product| value += product * weights[(row, column)]);
        Ok(Contraction { value, derivatives: Vec::new() })
    }
}
