//! How a kernel of distance falls with the distance.

use super::VectorKernel;
use crate::kernel::{Form, Rho};

/// A kernel of distance is `kappa² f(q)`.
pub(super) struct Profile<'a> {
    pub rho: &'a Rho,
    /// `f`.
    pub value: fn(f64) -> f64,
    /// `f'`.
    pub slope: fn(f64) -> f64,
}

impl VectorKernel {
    /// The function of the distance; none for the forms of products.
    pub(super) fn profile(&self) -> Option<Profile<'_>> {
        match &self.form {
            Form::SquaredExponential { rho, .. } => {
                Some(Profile { rho, value: |q| (-0.5 * q).exp(), slope: |q| -0.5 * (-0.5 * q).exp() })
            }
            Form::Matern32 { rho, .. } => {
                Some(Profile { rho, value: matern32, slope: |q| -1.5 * (-(3.0 * q).sqrt()).exp() })
            }
            Form::Matern52 { rho, .. } => Some(Profile { rho, value: matern52, slope: matern52_slope }),
            Form::Linear { .. } | Form::Polynomial { .. } | Form::Cosine { .. } => None,
        }
    }
}

/// `(1 + √3 r) exp(-√3 r)`, `r = √q`. It is 0 where the exponential is, even if r is infinite.
fn matern32(q: f64) -> f64 {
    let r = (3.0 * q).sqrt();
    let decay = (-r).exp();
    if decay > 0.0 { (1.0 + r) * decay } else { 0.0 }
}

/// `(1 + √5 r + 5 q / 3) exp(-√5 r)`.
fn matern52(q: f64) -> f64 {
    let r = (5.0 * q).sqrt();
    let decay = (-r).exp();
    if decay > 0.0 { (1.0 + r + 5.0 / 3.0 * q) * decay } else { 0.0 }
}

/// Its derivative by q.
fn matern52_slope(q: f64) -> f64 {
    let r = (5.0 * q).sqrt();
    let decay = (-r).exp();
    if decay > 0.0 { -5.0 / 6.0 * (1.0 + r) * decay } else { 0.0 }
}
