//! Joint draws of utilities from a belief.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::Belief;
use crate::data::ItemId;
use crate::numeric::dense::{SemidefiniteFactor, multiply, transpose};
use crate::numeric::{Matrix, Seed};
use crate::{Error, Result};

/// The largest group whose joint covariance is formed: 3.2 GB.
const LARGEST_GROUP: usize = 20_000;

/// The joint law of some items' utilities, ready to draw from.
pub(crate) struct Draws {
    mean: Vec<f64>,
    factor: Matrix,
}

impl Draws {
    /// Of these items. `g³/3` operations for g of them.
    ///
    /// # Errors
    /// If there are more than 20,000, or the kernel cannot be evaluated.
    pub(crate) fn new(belief: &dyn Belief, items: &[ItemId]) -> Result<Self> {
        if items.len() > LARGEST_GROUP {
            return Err(Error::TooLarge {
                what: "a group of items".into(),
                size: items.len(),
                limit: LARGEST_GROUP,
                method: "the joint draws behind rank intervals",
            });
        }
        let mean = items.iter().map(|item| belief.mean()[item.index()]).collect();
        let factor = transpose(SemidefiniteFactor::new(&belief.covariance(items)?).transpose());
        Ok(Self { mean, factor })
    }

    /// What `take` makes of each of so many draws, in order; `g²` operations a draw. `group` sets the streams of several
    /// groups apart.
    pub(crate) fn each<T: Send>(
        &self,
        count: usize,
        seed: Seed,
        group: u64,
        take: impl Fn(&mut [f64], &mut ChaCha8Rng) -> T + Sync,
    ) -> Vec<T> {
        /// Draws a task; fixed, so that the draws do not depend on the number of threads.
        const BATCH: usize = 128;
        let one = |batch: usize| {
            let size = BATCH.min(count - batch * BATCH);
            let mut stream = seed.stream((group << 32) | batch as u64);
            let noise = Matrix::from_fn(self.factor.columns(), size, |_, _| stream.sample(StandardNormal));
            let mut utilities = multiply(&self.factor, &noise);
            let own = |column: &mut [f64]| {
                column.iter_mut().zip(&self.mean).for_each(|(utility, mean)| *utility += mean);
                take(column, &mut stream)
            };
            utilities.columns_mut().map(own).collect::<Vec<T>>()
        };
        let batches: Vec<Vec<T>> = (0..count.div_ceil(BATCH)).into_par_iter().map(one).collect();
        batches.into_iter().flatten().collect()
    }
}
