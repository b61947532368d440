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

    /// The site of each of so many equal observations of a functional that nothing was said about, and the logarithm of the probability
    /// of all of them as EP has it.
    ///
    /// # Errors
    /// As [`Site::matching`].
    pub(in crate::gp) fn of_equals(
        observation: &Observation,
        mean: f64,
        variance: f64,
        count: f64,
    ) -> Result<(Self, f64)> {
        let bare = Gaussian { mean, variance };
        let site = Self::default().matching_all(observation, bare, count)?;
        let all = Self { precision: count * site.precision, shift: count * site.shift };
        let others = Self { precision: all.precision - site.precision, shift: all.shift - site.shift };
        // The marginal without one of them has all others.
        let cavity = others.times(bare);
        let each = observation.log_mass(cavity.mean, cavity.variance) - site.log_mass(cavity);
        Ok((site, count * each + all.log_mass(bare)))
    }

    /// The normalised product with a Gaussian.
    fn times(self, Gaussian { mean, variance }: Gaussian) -> Gaussian {
        let grown = 1.0 + variance * self.precision;
        Gaussian { mean: (mean + variance * self.shift) / grown, variance: variance / grown }
    }

    /// The logarithm of the integral of its product with a Gaussian: with `g = 1 + v τ`, of
    /// `g^-½ exp((2 ν m + v ν² - τ m²) / (2 g))`.
    fn log_mass(self, Gaussian { mean, variance }: Gaussian) -> f64 {
        let Self { precision, shift } = self;
        let grown = 1.0 + variance * precision;
        0.5 * ((2.0 * shift * mean + variance * shift * shift - precision * mean * mean) / grown) - 0.5 * grown.ln()
    }

    /// The moments of a Gaussian of this mean and variance that so many of these sites give.
    pub(in crate::gp) fn moments(self, mean: f64, variance: f64, count: f64) -> Moments {
        let (precision, shift) = (count * self.precision, count * self.shift);
        let left = 1.0 / (1.0 + variance * precision);
        Moments { slope: (shift - precision * mean) * left, curvature: precision * left, left }
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
