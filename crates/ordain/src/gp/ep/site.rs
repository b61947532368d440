//! The Gaussian that stands for one observation.

use crate::Result;
use crate::gp::{Moments, Observation, prior_too_wide};

/// The Gaussian factor `exp(-½ precision x² + shift x)` that stands for an observation of `x`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Site {
    /// `tau`, not negative: likelihoods are log-concave, and where a lapse makes one otherwise, it is 0.
    pub precision: f64,
    /// `nu`.
    pub shift: f64,
}

/// A Gaussian of one functional.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gaussian {
    pub mean: f64,
    pub variance: f64,
}

impl Site {
    /// The marginal without this site. This form allows a variance of 0 (identical twins); subtracting precisions would
    /// not.
    pub(super) fn cavity(&self, marginal: Gaussian) -> Gaussian {
        // The marginal variance is v / (1 + v tau) of the cavity's v, so this is positive; rounding must not undo that.
        let left = (1.0 - marginal.variance * self.precision).max(f64::EPSILON);
        let mean = (marginal.mean - marginal.variance * self.shift) / left;
        Gaussian { mean, variance: marginal.variance / left }
    }

    /// The site whose product with the cavity has the moments of the tilted distribution (XPGP eqs. 9-12).
    ///
    /// # Errors
    /// If it is not finite.
    pub(super) fn matching(observation: &Observation, cavity: Gaussian) -> Result<Self> {
        Self::from_moments(observation.moments(cavity.mean, cavity.variance), cavity.mean)
    }

    /// The site of each of so many equal observations that together give this marginal, as they match one after the other.
    ///
    /// # Errors
    /// As [`Site::matching`].
    pub(super) fn matching_all(&self, observation: &Observation, marginal: Gaussian, count: f64) -> Result<Self> {
        /// Rounds at most, each of half a step: with many copies, whole steps would go back and forth.
        const ROUNDS: usize = 200;
        /// A change that is rounding.
        const STILL: f64 = 1e-13;
        if count == 1.0 {
            return Self::matching(observation, self.cavity(marginal));
        }
        // The marginal without all of them.
        let all = Self { precision: count * self.precision, shift: count * self.shift };
        let bare = all.cavity(marginal);
        let mut site = *self;
        for _ in 0..ROUNDS {
            let grown = 1.0 + bare.variance * count * site.precision;
            let mean = (bare.mean + bare.variance * count * site.shift) / grown;
            let wanted = Self::matching(observation, site.cavity(Gaussian { mean, variance: bare.variance / grown }))?;
            let (precision, shift) = (wanted.precision - site.precision, wanted.shift - site.shift);
            site.precision += 0.5 * precision;
            site.shift += 0.5 * shift;
            if precision.abs() <= STILL * site.precision && shift.abs() <= STILL * site.shift.abs() {
                break;
            }
        }
        Ok(site)
    }

    /// The site that gives a Gaussian of this mean these moments. Its precision is not negative ([`Moments::curvature`] is not).
    ///
    /// # Errors
    /// If squares beyond the range of numbers left NaN, or nothing of the variance.
    pub(in crate::gp) fn from_moments(Moments { slope, curvature, left }: Moments, mean: f64) -> Result<Self> {
        let site = Self { precision: curvature / left, shift: (slope + mean * curvature) / left };
        let sound = curvature >= 0.0 && left > 0.0 && site.precision.is_finite() && site.shift.is_finite();
        if sound { Ok(site) } else { Err(prior_too_wide()) }
    }
}
