//! A belief while answers are pending.

use crate::Result;
use crate::data::ItemId;
use crate::gp::{Belief, Covariances};

/// A belief with the variances that are expected after the answers to pending questions. Means stay as they are,
/// because the expected change of a mean is 0.
pub(super) struct Pending<'a> {
    belief: &'a dyn Belief,
    variances: Vec<f64>,
    /// The expected curvature and the direction of every pending answer.
    directions: Vec<(f64, Vec<f64>)>,
}

impl<'a> Pending<'a> {
    pub(super) fn new(belief: &'a dyn Belief) -> Self {
        Self { belief, variances: belief.variances().to_vec(), directions: Vec::new() }
    }

    /// The covariances of the belief. Only called if the belief has them.
    fn known(&self) -> &dyn Covariances {
        self.belief.covariances().unwrap_or_else(|| unreachable!("a belief that knows its covariances"))
    }

    /// Adds a pending question. The cost is `n` operations per pending question, and two columns of the belief.
    pub(super) fn expect(&mut self, first: ItemId, second: ItemId, curvature: impl Fn(f64, f64) -> f64) -> Result<()> {
        let (mut direction, mut other) = (vec![0.0; self.len()], vec![0.0; self.len()]);
        self.column(first, &mut direction)?;
        self.column(second, &mut other)?;
        direction.iter_mut().zip(&other).for_each(|(one, other)| *one -= other);
        let variance = direction[first.index()] - direction[second.index()];
        let mean = self.mean()[first.index()] - self.mean()[second.index()];
        let curvature = curvature(mean, variance);
        for (variance, entry) in self.variances.iter_mut().zip(&direction) {
            *variance = (*variance - curvature * entry * entry).max(0.0);
        }
        self.directions.push((curvature, direction));
        Ok(())
    }
}

impl Belief for Pending<'_> {
    fn mean(&self) -> &[f64] {
        self.belief.mean()
    }

    fn variances(&self) -> &[f64] {
        &self.variances
    }

    fn column(&self, item: ItemId, out: &mut [f64]) -> Result<()> {
        self.belief.column(item, out)?;
        for (curvature, direction) in &self.directions {
            let own = curvature * direction[item.index()];
            out.iter_mut().zip(direction).for_each(|(out, entry)| *out -= own * entry);
        }
        Ok(())
    }

    fn log_evidence(&self) -> f64 {
        self.belief.log_evidence()
    }

    fn covariances(&self) -> Option<&dyn Covariances> {
        self.belief.covariances().map(|_| self as &dyn Covariances)
    }
}

impl Covariances for Pending<'_> {
    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        self.known().entries(item, others, out)?;
        for (curvature, direction) in &self.directions {
            let own = curvature * direction[item];
            out.iter_mut().zip(others).for_each(|(out, &other)| *out -= own * direction[other as usize]);
        }
        Ok(())
    }

    fn with_row(&self, item: usize, read: &mut dyn FnMut(&[f64])) -> Result<()> {
        let mut column = vec![0.0; self.len()];
        self.column(ItemId::new(item), &mut column)?;
        read(&column);
        Ok(())
    }

    fn prior_variances(&self) -> &[f64] {
        self.known().prior_variances()
    }

    fn floor(&self) -> f64 {
        self.known().floor()
    }

    fn has_cheap_entries(&self) -> bool {
        self.known().has_cheap_entries()
    }

    fn taken(&self, item: usize, others: &[u32], out: &mut [f64]) {
        self.known().taken(item, others, out);
        for (curvature, direction) in &self.directions {
            let own = curvature * direction[item];
            out.iter_mut().zip(others).for_each(|(out, &other)| *out += own * direction[other as usize]);
        }
    }
}
