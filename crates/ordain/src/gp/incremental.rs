//! The incremental belief: one rank-one step an answer (AXPGP section 2.2, in the scalar form of the errata).
//!
//! With $a = \Sigma d$, $v = d'a$ and the [`Moments`] of the observation under $N(d'm, v)$,
//!
//! $$ m \leftarrow m + \text{slope}\; a, \qquad \Sigma \leftarrow \Sigma - \text{curvature}\; a a'. $$
//!
//! This replaces AXPGP eqs. 22-24, whose 2 x 2 site covariance is singular along the sum of the two utilities.

use std::sync::Arc;

use super::{Belief, Factor, Functional, Moments, Observation, Site, prior_too_wide};
use crate::Result;
use crate::data::ItemId;
use crate::kernel::Kernel;
use crate::numeric::Matrix;
use crate::numeric::dense::{add_scaled, rank_one_downdate};

/// A belief that learns from one observation at a time and never looks back.
#[derive(Clone)]
pub struct Incremental {
    mean: Vec<f64>,
    variances: Vec<f64>,
    covariance: Covariance,
    factors: Vec<Factor>,
    log_evidence: f64,
}

/// Two forms of the same covariance.
#[derive(Clone)]
enum Covariance {
    /// All of it: `n²` doubles, `n²` operations an answer.
    Dense(Matrix),
    /// The prior less `curvature * direction direction'` for every answer so far: `n t` doubles after t answers, and
    /// `n t` operations plus two prior columns for the next.
    Directions { kernel: Arc<dyn Kernel>, directions: Vec<(f64, Vec<f64>)> },
}

/// Below this many items the dense form is the faster one at any number of answers: 8 MB stay in the cache.
const DENSE_BELOW: usize = 1000;

impl Incremental {
    /// The prior, about to learn from about this many observations, which decides the cheaper form of the covariance.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated.
    pub fn new(kernel: Arc<dyn Kernel>, expected_observations: usize) -> Result<Self> {
        let n = kernel.len();
        if n <= DENSE_BELOW.max(expected_observations) { Self::dense(kernel) } else { Self::directions(kernel) }
    }

    /// The prior in dense form.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated.
    pub fn dense(kernel: Arc<dyn Kernel>) -> Result<Self> {
        let matrix = kernel.matrix()?;
        let variances = matrix.diagonal();
        Ok(Self::prior(variances, Covariance::Dense(matrix)))
    }

    /// The prior in the form of directions, which never holds an n x n matrix.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated.
    pub fn directions(kernel: Arc<dyn Kernel>) -> Result<Self> {
        let mut variances = vec![0.0; kernel.len()];
        kernel.diagonal(&mut variances)?;
        Ok(Self::prior(variances, Covariance::Directions { kernel, directions: Vec::new() }))
    }

    /// Another belief, to learn on from; in dense form.
    ///
    /// # Errors
    /// If its kernel cannot be evaluated.
    pub fn from_belief(belief: &dyn Belief) -> Result<Self> {
        let items: Vec<ItemId> = (0..belief.len()).map(ItemId::new).collect();
        let covariance = Covariance::Dense(belief.covariance(&items)?);
        let (mean, variances) = (belief.mean().to_vec(), belief.variances().to_vec());
        let factors = belief.factors().to_vec();
        Ok(Self { mean, variances, covariance, factors, log_evidence: belief.log_evidence() })
    }

    fn prior(variances: Vec<f64>, covariance: Covariance) -> Self {
        Self { mean: vec![0.0; variances.len()], variances, covariance, factors: Vec::new(), log_evidence: 0.0 }
    }

    /// Learns from one observation.
    ///
    /// # Errors
    /// If the kernel cannot give a column, or the prior is so wide beside the noise that rounding hides it; the belief is
    /// then unchanged.
    pub fn observe(&mut self, observation: &Observation) -> Result<()> {
        let mut direction = vec![0.0; self.mean.len()];
        self.direction(observation.functional, &mut direction)?;
        let functional = observation.functional;
        let variance = functional.of(&direction);
        if !variance.is_finite() || variance < -observation.noise * observation.noise {
            return Err(prior_too_wide());
        }
        // Rounding may leave a hair below zero for twins.
        let variance = variance.max(0.0);
        let mean = functional.of(&self.mean);
        let moments = observation.moments(mean, variance);
        let Moments { slope, curvature, left } = moments;
        if !(left > 0.0 && curvature >= 0.0) {
            return Err(prior_too_wide());
        }
        self.factors.push(Factor { observation: *observation, site: Site::from_moments(moments, mean) });
        self.log_evidence += observation.log_mass(mean, variance);
        add_scaled(&mut self.mean, slope, &direction);
        for (variance, entry) in self.variances.iter_mut().zip(&direction) {
            *variance = (*variance - curvature * entry * entry).max(0.0);
        }
        match &mut self.covariance {
            Covariance::Dense(matrix) => rank_one_downdate(matrix, curvature, &direction),
            Covariance::Directions { directions, .. } => directions.push((curvature, direction)),
        }
        Ok(())
    }

    /// The covariance of all items with a functional, `Σ d`.
    fn direction(&self, functional: Functional, out: &mut [f64]) -> Result<()> {
        // In directions form without what the answers so far took away.
        let column = |item: u32, out: &mut [f64]| match &self.covariance {
            Covariance::Dense(matrix) => {
                out.copy_from_slice(matrix.column(item as usize));
                Ok(())
            }
            Covariance::Directions { kernel, .. } => kernel.column(item as usize, out),
        };
        match functional {
            Functional::Item(item) => column(item, out)?,
            Functional::Difference(first, second) => {
                column(first, out)?;
                let mut other = vec![0.0; out.len()];
                column(second, &mut other)?;
                add_scaled(out, -1.0, &other);
            }
        }
        if let Covariance::Directions { directions, .. } = &self.covariance {
            for (curvature, direction) in directions {
                add_scaled(out, -curvature * functional.of(direction), direction);
            }
        }
        Ok(())
    }
}

impl Belief for Incremental {
    fn mean(&self) -> &[f64] {
        &self.mean
    }

    fn variances(&self) -> &[f64] {
        &self.variances
    }

    fn column(&self, item: ItemId, out: &mut [f64]) -> Result<()> {
        self.direction(Functional::Item(item.0), out)
    }

    /// The sum of `log Z` over the steps: each answer's probability given the ones before it.
    fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    fn factors(&self) -> &[Factor] {
        &self.factors
    }
}
