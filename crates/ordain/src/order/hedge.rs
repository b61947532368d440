//! Hedge over ranking experts (LTOT figure 2).

use serde::{Deserialize, Serialize};

use super::learner::{Standing, check_round, normalise};
use super::{Feedback, Learner, Preference};
use crate::params::setters;
use crate::{Error, Result};

/// The start and the speed of Hedge.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HedgeParams {
    /// The factor of an expert's weight per loss of 1, between 0 and 1. A smaller value learns faster. Default: 0.5.
    pub beta: f64,
    /// The initial weights. Default: equal weights.
    pub initial: Option<Vec<f64>>,
}

impl Default for HedgeParams {
    fn default() -> Self {
        Self { beta: 0.5, initial: None }
    }
}

setters! {
    HedgeParams:
    with_beta = beta: f64,
    with_initial = initial: Option<Vec<f64>>,
}

/// Weights of experts by the share of the feedback that each contradicts (LTOT figure 2): `w_i <- w_i β^Loss_i / Z`.
///
/// The loss is linear in the weights, so in the end all weight goes to one expert. [`Margin`](super::Margin) weighs
/// experts by their contribution to each other. Weights are kept as logarithms, so none is lost to underflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hedge {
    beta: f64,
    standing: Standing,
}

impl Hedge {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// If there is no expert, β is not between 0 and 1, or initial weights are not positive with the sum 1.
    pub fn new(experts: usize, params: &HedgeParams) -> Result<Self> {
        let hedge = Self { beta: params.beta, standing: Standing::new(experts, params.initial.as_deref())? };
        hedge.check()?;
        Ok(hedge)
    }

    /// The factor of an expert's weight per loss of 1.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.beta > 0.0 && self.beta < 1.0 {
            return Ok(());
        }
        Err(Error::Parameter { name: "beta".into(), value: self.beta, expected: "above 0 and below 1" })
    }
}

impl Learner for Hedge {
    fn learn<P: Preference>(&mut self, experts: &[P], feedback: &Feedback) -> Result<Option<f64>> {
        check_round(self.standing.experts(), experts, feedback)?;
        if feedback.is_empty() {
            return Ok(None);
        }
        let losses: Vec<f64> = experts.iter().filter_map(|expert| feedback.loss(expert)).collect();
        let loss = self.weights().iter().zip(&losses).map(|(weight, loss)| weight * loss).sum();
        for (log, loss) in self.standing.log_weights.iter_mut().zip(&losses) {
            *log += self.beta.ln() * loss;
        }
        normalise(&mut self.standing.log_weights);
        Ok(Some(self.standing.add(loss, &losses)))
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    /// `min_i (L_i ln(1/β) + ln(1/w_i)) / (1 - β)` with the initial weights w. For equal weights this is
    /// `a_β min_i L_i + c_β ln N` (LTOT section 4, after Freund and Schapire).
    fn bound(&self) -> f64 {
        let of = |(loss, log): (&f64, &f64)| (loss * -self.beta.ln() - log) / (1.0 - self.beta);
        self.losses().iter().zip(&self.standing.initial).map(of).fold(f64::INFINITY, f64::min)
    }
}
