//! Student's t law.
//!
//! The two-sided tail is an incomplete beta function,
//! $P(|T| \ge t) = I_x(\nu/2, 1/2)$ with $x = \nu/(\nu + t^2)$, evaluated by its continued fraction (DLMF 8.17.22) on the
//! side where it converges fast, and by $I_x(a, b) = 1 - I_{1-x}(b, a)$ on the other. The one constant needed,
//! $1/B(a, 1/2) = \Gamma(a + 1/2) / (\Gamma(a) \sqrt\pi)$, comes from the asymptotic series of the ratio (DLMF 5.11.13),
//! so that no large logarithms cancel.

use std::f64::consts::PI;

/// Steps of the continued fraction. About the root of the degrees of freedom are needed, so this is never reached.
const MOST_STEPS: usize = 1_000_000;
/// From here on eight terms of the series below are exact to the last digit.
const SERIES_FROM: f64 = 40.0;

/// The chance that `|T|` is at least `|t|` with the given degrees of freedom, to about 13 digits, in the far tails too.
/// NaN if the degrees are not positive and finite or `t` is NaN. O(√degrees).
///
/// ```
/// let p = ordain::numeric::student::two_sided_tail(1.0, 1.0);
/// assert!((p - 0.5).abs() < 1e-15);
/// ```
pub fn two_sided_tail(t: f64, degrees: f64) -> f64 {
    if t.is_nan() || !(degrees > 0.0 && degrees.is_finite()) {
        return f64::NAN;
    }
    let (a, b) = (0.5 * degrees, 0.5);
    // t² is never formed alone, as it may overflow.
    let ratio = t.abs() / degrees.sqrt();
    let odds = ratio * ratio;
    if odds == 0.0 {
        return 1.0;
    }
    let (x, rest) = (1.0 / (1.0 + odds), 1.0 / (1.0 + 1.0 / odds));
    // Beyond 1e8 the 1 of 1 + odds is lost in any case.
    let log_x = if ratio > 1e8 { -2.0 * ratio.ln() } else { -odds.ln_1p() };
    // x^a (1 - x)^b / B(a, b)
    let front = (a * log_x).exp() * rest.sqrt() * inverse_beta(a);
    if x < (a + 1.0) / (a + b + 2.0) {
        front / a * continued_fraction(x, a, b)
    } else {
        1.0 - front / b * continued_fraction(rest, b, a)
    }
}

/// `1 / B(a, 1/2)`.
fn inverse_beta(a: f64) -> f64 {
    let (mut a, mut factor) = (a, 1.0);
    while a < SERIES_FROM {
        factor *= a / (a + 0.5);
        a += 1.0;
    }
    const SERIES: [f64; 8] = [
        1.0,
        -1.0 / 8.0,
        1.0 / 128.0,
        5.0 / 1024.0,
        -21.0 / 32768.0,
        -399.0 / 262_144.0,
        869.0 / 4_194_304.0,
        39_325.0 / 33_554_432.0,
    ];
    let series = SERIES.iter().rev().fold(0.0, |sum, &coefficient| sum / a + coefficient);
    factor * (a / PI).sqrt() * series
}

/// The continued fraction of `I_x(a, b)` without its front factor, by Lentz's method.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    // Replaces a denominator that vanishes.
    const TINY: f64 = 1e-300;
    let nonzero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for step in 1..=MOST_STEPS {
        let m = step as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / nonzero(1.0 + even * d);
        c = nonzero(1.0 + even / c);
        value *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / nonzero(1.0 + odd * d);
        c = nonzero(1.0 + odd / c);
        let change = c * d;
        value *= change;
        if (change - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    value
}
