//! Student's t law.
//!
//! The two-sided tail is an incomplete beta function, $P(|T| \ge t) = I_x(\nu/2, 1/2)$ with $x = \nu/(\nu + t^2)$. For
//! $t \ge 1$ it is evaluated by the continued fraction of DiDonato and Morris (*Significant digit computation of the
//! incomplete beta function ratios*, ACM TOMS 18, 1992), whose terms do not cancel; otherwise by $I_x(a, b) = 1 -
//! I_{1-x}(b, a)$. The one constant, $1/B(a, 1/2) = \Gamma(a + 1/2) / (\Gamma(a) \sqrt\pi)$, comes from the asymptotic
//! series of the ratio (DLMF 5.11.13), so no large logarithms cancel.

use std::f64::consts::PI;

/// Steps of the continued fraction. About two hundred are enough, so this is never reached.
const MOST_STEPS: usize = 10_000;
/// From here on eight terms of the series below are exact to the last digit.
const SERIES_FROM: f64 = 40.0;

/// The probability that `|T|` is at least `|t|` with the given degrees of freedom, to about 13 digits, also in the far
/// tails. NaN if the degrees are not positive and finite or `t` is NaN. A few hundred operations at most.
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
    // t² is never formed alone, since it may overflow.
    let ratio = t.abs() / degrees.sqrt();
    let odds = ratio * ratio;
    if odds == 0.0 {
        return 1.0;
    }
    let (x, rest) = (1.0 / (1.0 + odds), 1.0 / (1.0 + 1.0 / odds));
    // Beyond 1e8 the 1 of 1 + odds is lost in any case.
    let log_x = if ratio > 1e8 { -2.0 * ratio.ln() } else { -odds.ln_1p() };
    let front = (a * log_x).exp() * rest.sqrt() * inverse_beta(a);
    let t = t.abs();
    // a (1 - x) - b x = (t² - 1) x / 2, which vanishes at 1; far out x vanishes instead.
    let lead = if t > 2.0 { a * rest - b * x } else { 0.5 * (t - 1.0) * (t + 1.0) * x };
    if t >= 1.0 {
        front / continued_fraction(x, rest, a, b, lead)
    } else {
        1.0 - front / continued_fraction(rest, x, b, a, -lead)
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

/// The fraction under `x^a y^b / B(a, b)` in `I_x(a, b)`, by Lentz's method. `y = 1 - x`; `lead = a y - b x` is an
/// argument because it cancels.
fn continued_fraction(x: f64, y: f64, a: f64, b: f64, lead: f64) -> f64 {
    let denominator = |n: f64| {
        n + n * (b - n) * x / (a + 2.0 * n - 1.0) + (a + n) * (lead + 1.0 + n * (1.0 + y)) / (a + 2.0 * n + 1.0)
    };
    let mut value = a * (lead + 1.0) / (a + 1.0);
    let (mut c, mut d) = (value, 0.0);
    for step in 1..=MOST_STEPS {
        let n = step as f64;
        let scale = x / (a + 2.0 * n - 1.0);
        let numerator = (a + n - 1.0) * scale * ((a + b + n - 1.0) * scale) * n * (b - n);
        d = 1.0 / (denominator(n) + numerator * d);
        c = denominator(n) + numerator / c;
        let change = c * d;
        value *= change;
        if (change - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    value
}
