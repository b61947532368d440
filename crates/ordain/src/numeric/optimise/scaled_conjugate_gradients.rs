//! Scaled conjugate gradients (Møller 1993): conjugate directions with a trust in the local parabola in place of a line
//! search. XPGP section 4.3 uses them.

use super::{Counted, Minimum, Place, largest};
use crate::numeric::dense::dot;

/// When scaled conjugate gradients stop.
#[derive(Debug, Clone)]
pub struct ScaledConjugateGradients {
    /// The minimiser stops when no entry of the gradient is larger than this.
    pub tolerance: f64,
    /// The minimiser stops after this many steps, taken or refused.
    pub max_iterations: usize,
}

impl Default for ScaledConjugateGradients {
    fn default() -> Self {
        Self { tolerance: 1e-5, max_iterations: 500 }
    }
}

/// The length over which the curvature is measured: rounding and the third derivative weigh the same there.
const PROBE: f64 = 1e-5;
/// The number added to the curvature: first, least and most.
const FIRST: f64 = 1e-6;
const LEAST: f64 = 1e-15;
const MOST: f64 = 1e20;

impl ScaledConjugateGradients {
    /// Minimises the function from this start. Two evaluations per step.
    pub fn minimise(&self, start: Vec<f64>, function: impl FnMut(&[f64], &mut [f64]) -> f64) -> Minimum {
        let mut function = Counted::new(function);
        let mut place = function.at(start);
        let mut direction: Vec<f64> = place.gradient.iter().map(|slope| -slope).collect();
        let (mut damping, mut since_restart) = (FIRST, 0);
        // The curvature along the direction, measured again for every new direction.
        let mut curvature = None;
        let mut iterations = 0;
        while iterations < self.max_iterations && place.value.is_finite() && largest(&place.gradient) > self.tolerance {
            iterations += 1;
            let square = dot(&direction, &direction);
            let down = -dot(&direction, &place.gradient);
            if down <= 0.0 {
                direction = place.gradient.iter().map(|slope| -slope).collect();
                curvature = None;
                continue;
            }
            let measured = *curvature.get_or_insert_with(|| measure(&mut function, &place, &direction));
            let mut damped = measured + damping * square;
            if damped <= 0.0 {
                // Not convex here: as much is added as makes it so.
                damping = (2.0 * (damping - damped / square)).min(MOST);
                damped = measured + damping * square;
            }
            let next = function.along(&place, down / damped, &direction);
            // How much of the decrease that the parabola promises came true.
            let truth = 2.0 * damped * (place.value - next.value) / (down * down);
            if truth >= 0.75 {
                damping = (damping / 4.0).max(LEAST);
            }
            if truth < 0.25 || truth.is_nan() {
                damping = if truth.is_finite() { damping + damped * (1.0 - truth) / square } else { 10.0 * damping };
                if damping > MOST {
                    break;
                }
            }
            if truth > 0.0 {
                since_restart += 1;
                let again = dot(&next.gradient, &next.gradient) - dot(&next.gradient, &place.gradient);
                let beta = if since_restart % place.at.len() == 0 { 0.0 } else { again / down };
                direction.iter_mut().zip(&next.gradient).for_each(|(d, slope)| *d = beta * *d - slope);
                place = next;
                curvature = None;
            }
        }
        place.into_minimum(iterations, function.evaluations, self.tolerance)
    }
}

/// `d' H d` by a difference of gradients; 0, which damping makes positive, where the probe is out of bounds.
fn measure(function: &mut Counted<impl FnMut(&[f64], &mut [f64]) -> f64>, place: &Place, direction: &[f64]) -> f64 {
    let probe = PROBE / dot(direction, direction).sqrt();
    let ahead = function.along(place, probe, direction);
    let change = dot(direction, &ahead.gradient) - dot(direction, &place.gradient);
    if ahead.value.is_finite() { change / probe } else { 0.0 }
}
