//! A belief as an expert.

use super::Preference;
use crate::data::ItemId;
use crate::gp::Belief;
use crate::numeric::normal;
use crate::{Error, Result};

/// The preference of a belief about some items: PREF(u, v) is the probability that u has the higher utility, `Φ((m_u -
/// m_v) / sd(u - v))`, and ½ for twins. Keeps the joint covariance of these items: 8 n² bytes.
#[derive(Debug, Clone)]
pub struct BeliefPreference {
    mean: Vec<f64>,
    covariance: crate::numeric::Matrix,
}

impl BeliefPreference {
    /// The belief about these items, which are then numbered from 0.
    ///
    /// # Errors
    /// If an item is not one of the belief's, or the kernel cannot give a column.
    pub fn new(belief: &dyn Belief, items: &[ItemId]) -> Result<Self> {
        if let Some(item) = items.iter().find(|item| item.index() >= belief.len()) {
            let expected = format!("one of {} items, from 0", belief.len());
            return Err(Error::Data { what: "an item", found: item.index().to_string(), expected });
        }
        let mean = items.iter().map(|item| belief.mean()[item.index()]).collect();
        Ok(Self { mean, covariance: belief.covariance(items)? })
    }
}

impl Preference for BeliefPreference {
    fn len(&self) -> usize {
        self.mean.len()
    }

    fn prefer(&self, u: usize, v: usize) -> f64 {
        let difference = self.mean[u] - self.mean[v];
        let own = self.covariance[(u, u)] + self.covariance[(v, v)];
        let variance = own - 2.0 * self.covariance[(u, v)];
        // Below this, the variance is only rounding.
        if variance > 4.0 * f64::EPSILON * own {
            return normal::cdf(difference / variance.sqrt());
        }
        if difference == 0.0 { 0.5 } else { f64::from(u8::from(difference > 0.0)) }
    }
}
