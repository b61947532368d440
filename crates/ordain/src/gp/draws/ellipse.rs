//! Steps of all utilities together.

use std::f64::consts::TAU;

use rand::RngExt;

use crate::gp::{Factor, NoiseLaw, Observation, Site};
use crate::numeric::Stream;

/// The logarithm of a product of probabilities is taken when it is smaller than this.
const SMALL: f64 = 1e-6;

/// Deviations beyond which the tail of the normal law is below rounding. Most answers are that certain and need no
/// logarithm.
const CERTAIN: f64 = 8.5;

/// The log likelihood of observations whose functionals have these values, relative to the largest that it can have. Every part is
/// negative, so the sum stops early once it is below `least`; the result is then any value below it.
pub(super) fn log_likelihood<'a>(values: impl Iterator<Item = (&'a Factor, f64)>, least: f64) -> f64 {
    let mut sum = 0.0;
    // Where answers may be lapses, no probability is tiny, and one logarithm serves for many.
    let mut product = 1.0;
    for (factor, x) in values {
        let Observation { low, high, noise, law, .. } = factor.observation;
        let inside = (x - low).min(high - x);
        let count = f64::from(factor.count);
        if factor.observation.is_value() {
            sum -= 0.5 * count * (inside / noise).powi(2);
            continue;
        }
        let tail = law == NoiseLaw::Normal;
        if tail && inside > CERTAIN * noise {
            continue;
        }
        if tail && inside < 0.0 && !factor.observation.may_mislead() {
            // A tail is below `exp(-z²/2)`, which refuses without a logarithm.
            let most = sum - 0.5 * count * (inside / noise).powi(2);
            if most < least {
                return most;
            }
        }
        if factor.observation.may_lapse() {
            let mass = factor.observation.relative_mass(x);
            if factor.count == 1 {
                product *= mass;
            } else {
                sum += count * mass.ln();
            }
            if product > SMALL {
                continue;
            }
            sum += f64::ln(std::mem::replace(&mut product, 1.0));
        } else {
            sum += count * factor.observation.log_mass(x, 0.0);
        }
        if sum < least {
            break;
        }
    }
    sum + product.ln()
}

/// The angle that slice sampling accepts, if it gives the log likelihood `found(angle, least)` at least the value of `least(angle)`.
/// With it comes the log likelihood there; `None` if rounding leaves no other angle than 0.
pub(super) fn slice(
    least: impl Fn(f64) -> f64,
    found: impl Fn(f64, f64) -> f64,
    stream: &mut Stream,
) -> Option<(f64, f64)> {
    let mut angle = TAU * stream.random::<f64>();
    let (mut low, mut high) = (angle - TAU, angle);
    // The bracket always holds the angle 0.
    while high - low > f64::EPSILON {
        let least = least(angle);
        let found = found(angle, least);
        if found >= least {
            return Some((angle, found));
        }
        *(if angle < 0.0 { &mut low } else { &mut high }) = angle;
        angle = low + (high - low) * stream.random::<f64>();
    }
    None
}

/// The ellipse through two draws of a belief, as the value of every observed functional along it: `centre + cos from +
/// sin fresh`.
pub(super) struct Ellipse<'a> {
    pub factors: &'a [Factor],
    pub centre: &'a [f64],
    pub from: &'a [f64],
    pub fresh: &'a [f64],
}

impl Ellipse<'_> {
    /// The angle that slice sampling accepts, starting from this log likelihood, and the log likelihood there.
    pub fn turn(&self, likelihood: f64, stream: &mut Stream) -> (f64, f64) {
        let sites = self.sites();
        let log_share = stream.random::<f64>().ln();
        let least = |angle: f64| likelihood + log_share + sites(angle) - sites(0.0);
        slice(least, |angle, least| self.likelihood(angle, least), stream).unwrap_or((0.0, likelihood))
    }

    /// The log likelihood at an angle, as [`log_likelihood`].
    fn likelihood(&self, angle: f64, least: f64) -> f64 {
        let (sin, cos) = angle.sin_cos();
        let values = self.factors.iter().zip(self.centre).zip(self.from).zip(self.fresh);
        let values = values.map(|(((factor, centre), from), fresh)| (factor, centre + cos * from + sin * fresh));
        log_likelihood(values, least)
    }

    /// The log of all sites, up to a constant, at any angle: a quadratic in its cosine and sine.
    fn sites(&self) -> impl Fn(f64) -> f64 + use<> {
        let [mut by_cos, mut by_sin, mut cos_cos, mut sin_sin, mut cos_sin] = [0.0; 5];
        for (((factor, centre), from), fresh) in self.factors.iter().zip(self.centre).zip(self.from).zip(self.fresh) {
            let (Site { precision, shift }, count) = (factor.site, f64::from(factor.count));
            let (precision, shift) = (count * precision, count * shift);
            let slope = shift - precision * centre;
            by_cos += slope * from;
            by_sin += slope * fresh;
            cos_cos += precision * from * from;
            sin_sin += precision * fresh * fresh;
            cos_sin += precision * from * fresh;
        }
        move |angle| {
            let (sin, cos) = angle.sin_cos();
            by_cos * cos + by_sin * sin - 0.5 * (cos_cos * cos * cos + sin_sin * sin * sin) - cos_sin * cos * sin
        }
    }
}
