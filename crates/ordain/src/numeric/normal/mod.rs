//! The standard normal law, right in the far tails.
//!
//! Everything is expressed through one function. For $x \ge 0$ let $R(x) = (1 - \Phi(x))/\varphi(x)$ be Mills' ratio and
//! $C(x) = 1/R(x) - x$ the excess of the hazard over its argument, which falls from $\sqrt{2/\pi}$ to $1/x$. Then, with
//! $z = -x$,
//!
//! - $r(z) = \varphi(z)/\Phi(z) = x + C(x)$,
//! - $r(z)(z + r(z)) = (x + C(x))\, C(x)$,
//! - $\log\Phi(z) = -x^2/2 - \log\sqrt{2\pi} - \log(x + C(x))$,
//!
//! These are sums and products of positive numbers, so nothing cancels however far out $z$ lies. $C$ itself is a table
//! of polynomials made with arbitrary precision (`make_table.py`).

mod table;

use std::f64::consts::PI;
use std::sync::LazyLock;

/// `log √(2π)`.
const LOG_SQRT_2PI: f64 = 0.918_938_533_204_672_8;
/// `1 / √(2π)`.
const INV_SQRT_2PI: f64 = 0.398_942_280_401_432_7;
/// `1 / C(0) = √(π/2)`.
const INV_EXCESS_AT_0: f64 = 1.253_314_137_315_500_3;

/// `C(x) = φ(x) / (1 - Φ(x)) - x` for `x >= 0`.
fn excess(x: f64) -> f64 {
    let position = table::SCALE / (table::SCALE + x) * table::PIECES.len() as f64;
    // The last piece also holds its right end, x = 0.
    let piece = (position as usize).min(table::PIECES.len() - 1);
    let t = 2.0 * (position - piece as f64) - 1.0;
    let polynomial = table::PIECES[piece].iter().rev().fold(0.0, |sum, &coefficient| sum * t + coefficient);
    polynomial / (x + INV_EXCESS_AT_0)
}

/// `exp(-x²/2) * factor` for `x >= 0`, without the error that rounding `x²` would bring into the exponent, and with a
/// single rounding where the result underflows gradually.
fn gauss(x: f64, factor: f64) -> f64 {
    // Beyond 40 everything underflows, and the series below would not hold.
    if x > 40.0 {
        return 0.0;
    }
    // The leading part has at most 22 significant bits, so its square is exact.
    let leading = (x * 65536.0).round() / 65536.0;
    // Half of the rest of x²: at most 40 / 65536, where five terms of the exponential series are enough.
    let rest = 0.5 * (leading - x) * (leading + x);
    let correction = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0))));
    let half = (-0.25 * leading * leading).exp();
    half * (factor * correction) * half
}

/// The density `φ(z)`.
pub fn density(z: f64) -> f64 {
    gauss(z.abs(), INV_SQRT_2PI)
}

/// The upper tail `1 - Φ(x)` for `x >= 0`.
fn upper_tail(x: f64) -> f64 {
    gauss(x, INV_SQRT_2PI / (x + excess(x)))
}

/// The distribution function `Φ(z)`.
pub fn cdf(z: f64) -> f64 {
    if z < 0.0 { upper_tail(-z) } else { 1.0 - upper_tail(z) }
}

/// The part of a standard normal variable beyond a point. Nothing cancels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beyond {
    /// `Φ(-t)`, the probability of lying beyond.
    pub probability: f64,
    /// `φ(t) - t Φ(-t)`, the mean distance beyond.
    pub mean: f64,
    /// `(1 + t²) Φ(-t) - t φ(t)`, the mean square.
    pub square: f64,
    /// `Φ(-t) + t φ(t)`, the mean square of the variable itself there.
    pub from_zero: f64,
}

/// The part beyond `t >= 0`. With the hazard `t + c` there, `φ(t) = (t + c) Φ(-t)`.
pub fn beyond(t: f64) -> Beyond {
    // Everything underflows. Farther out, `0 t²` would be NaN.
    if t > 40.0 {
        return Beyond { probability: 0.0, mean: 0.0, square: 0.0, from_zero: 0.0 };
    }
    let c = excess(t);
    let probability = gauss(t, INV_SQRT_2PI / (t + c));
    Beyond {
        probability,
        mean: probability * c,
        square: probability * (1.0 - t * c),
        from_zero: probability * (1.0 + t * (t + c)),
    }
}

/// Steps of the table of [`at_most_beyond`] per unit, and its end.
const STEPS: usize = 128;
const TABLE_END: usize = 8;

/// Upper bounds on the numbers of [`beyond`], at most a few per cent larger. A table, since all of them fall as `t`
/// grows.
pub(crate) fn at_most_beyond(t: f64) -> Beyond {
    static TABLE: LazyLock<Vec<Beyond>> =
        LazyLock::new(|| (0..TABLE_END * STEPS).map(|step| beyond(step as f64 / STEPS as f64)).collect());
    // NaN is not below the end either.
    if t < TABLE_END as f64 { TABLE[(t * STEPS as f64) as usize] } else { beyond(t) }
}

/// A standard normal variable cut at a point: both parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Halves {
    /// The probabilities of lying above and below.
    pub probabilities: [f64; 2],
    /// The share of the variance that is lost by knowing that it lies above, or below.
    pub shrinkages: [f64; 2],
}

/// Both parts of a standard normal variable cut at `-z`, to a relative error of 1e-3: straight lines between the values of a table. `None`
/// beyond its end, and for negative z.
pub(crate) fn rough_halves(z: f64) -> Option<Halves> {
    static TABLE: LazyLock<Vec<Halves>> = LazyLock::new(|| {
        let halves = |step: usize| {
            let z = step as f64 / STEPS as f64;
            Halves { probabilities: [cdf(z), cdf(-z)], shrinkages: [hazard(z).curvature, hazard(-z).curvature] }
        };
        (0..=TABLE_END * STEPS).map(halves).collect()
    });
    if !(0.0..TABLE_END as f64).contains(&z) {
        return None;
    }
    let place = z * STEPS as f64;
    let (step, share) = (place as usize, place.fract());
    let [before, after] = [TABLE[step], TABLE[step + 1]];
    let between = |one: [f64; 2], other: [f64; 2]| [0, 1].map(|at| one[at] + share * (other[at] - one[at]));
    Some(Halves {
        probabilities: between(before.probabilities, after.probabilities),
        shrinkages: between(before.shrinkages, after.shrinkages),
    })
}

/// Steps of the table of [`rough_cdf`] per unit, and its end, where Φ is 0 or 1 to 1e-8.
const ROUGH_STEPS: usize = 256;
const ROUGH_END: f64 = 5.7;

/// `Φ(z)` to an absolute error of 1e-6: straight lines between the values of a table. For places where millions of values are needed
/// and chance blurs them anyway.
pub(crate) fn rough_cdf(z: f64) -> f64 {
    static TABLE: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let steps = (2.0 * ROUGH_END * ROUGH_STEPS as f64) as usize + 2;
        (0..=steps).map(|step| cdf(step as f64 / ROUGH_STEPS as f64 - ROUGH_END)).collect()
    });
    let place = (z.clamp(-ROUGH_END, ROUGH_END) + ROUGH_END) * ROUGH_STEPS as f64;
    let step = place as usize;
    let [before, after] = [TABLE[step], TABLE[step + 1]];
    before + (place - step as f64) * (after - before)
}

/// `log Φ(z)`, to about one unit in the last place, from below `-1e3` up to the point where it underflows to 0.
///
/// ```
/// let far = ordain::numeric::normal::log_cdf(-30.0);
/// assert!((far + 454.3212439563432).abs() < 1e-12);
/// ```
pub fn log_cdf(z: f64) -> f64 {
    if z < 0.0 {
        let x = -z;
        -0.5 * x * x - LOG_SQRT_2PI - (x + excess(x)).ln()
    } else {
        (-upper_tail(z)).ln_1p()
    }
}

/// The z at which the normal law has this probability below: the inverse of [`cdf`], for probabilities between 0 and 1;
/// infinite at both ends.
///
/// Newton's steps on `log Φ`, which is concave: from a start below the root they rise to it without passing it. Such a
/// start is where the bound `Φ(z) <= exp(-z²/2) / 2` has the probability.
pub fn quantile(probability: f64) -> f64 {
    if probability > 0.5 {
        return -quantile(1.0 - probability);
    }
    if probability.is_nan() || probability <= 0.0 {
        return if probability == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    }
    let target = probability.ln();
    let mut z = -(-2.0 * (2.0 * probability).ln()).max(0.0).sqrt();
    loop {
        let next = z + (target - log_cdf(z)) / hazard(z).rate;
        if next <= z + 1e-16 * z.abs() || next.is_nan() {
            return z;
        }
        z = next;
    }
}

/// The effect of an observation "z fell above 0" on a Gaussian: the first two derivatives of `log Φ`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hazard {
    /// `r = φ(z) / Φ(z)`, the derivative of `log Φ`.
    pub rate: f64,
    /// `r (z + r)`, minus the second derivative, in (0, 1).
    pub curvature: f64,
}

/// The hazard `r = φ(z)/Φ(z)` and its curvature `r (z + r)`. Neither cancels.
pub fn hazard(z: f64) -> Hazard {
    if z < 0.0 {
        let x = -z;
        let excess = excess(x);
        let rate = x + excess;
        Hazard { rate, curvature: rate * excess }
    } else {
        let density = density(z);
        let rate = density / (1.0 - density / (z + excess(z)));
        // Where the rate is denormal, its rounding must not be multiplied by z.
        let curvature = if z < 37.0 { rate * (z + rate) } else { gauss(z, INV_SQRT_2PI * z) };
        Hazard { rate, curvature }
    }
}

/// The moments of a standard normal variable known to lie in an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Truncated {
    /// Its mean.
    pub mean: f64,
    /// Its variance, in (0, 1].
    pub variance: f64,
    /// One minus its variance, in [0, 1).
    pub shrinkage: f64,
}

/// The variance of a standard normal variable known to lie above `low`, from its shrinkage.
fn variance_above(low: f64, shrinkage: f64) -> f64 {
    // Below this the difference has lost at most four digits. Above it, this many terms of the asymptotic series for
    // 1 - C (x + C) leave 1e-15.
    if low < 100.0 {
        return 1.0 - shrinkage;
    }
    let inverse = 1.0 / (low * low);
    inverse * (1.0 + inverse * (-6.0 + inverse * (50.0 + inverse * (-518.0 + inverse * 6354.0))))
}

/// An interval of a standard normal variable; its ends may be infinite. The width is kept beside the ends, which lose
/// it where the interval is narrow and far out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
    width: f64,
}

impl Interval {
    /// The interval between `low` and `high`.
    ///
    /// # Panics
    /// If `low < high` does not hold.
    pub fn new(low: f64, high: f64) -> Self {
        Self::standardized(low, high, 0.0, 1.0)
    }

    /// The standardized interval of a variable with this mean and (positive) standard deviation between `low` and
    /// `high`.
    ///
    /// # Panics
    /// If `low < high` does not hold.
    pub fn standardized(low: f64, high: f64, mean: f64, sd: f64) -> Self {
        assert!(low < high, "empty interval ({low}, {high})");
        /// Finite ends stay within this, so that their squares are finite.
        const FARTHEST: f64 = 1e150;
        let end = |end: f64| if end.is_finite() { ((end - mean) / sd).clamp(-FARTHEST, FARTHEST) } else { end };
        Self { low: end(low), high: end(high), width: ((high - low) / sd).max(f64::MIN_POSITIVE) }
    }

    fn mirrored(self) -> Self {
        Self { low: -self.high, high: -self.low, ..self }
    }

    /// The mean and the variance of a standard normal variable known to lie in the interval.
    ///
    /// One-sided intervals use [`hazard`]. Two-sided ones use quadrature, since differences of tails would cancel for
    /// narrow intervals.
    pub fn moments(self) -> Truncated {
        let above = |low: f64| {
            let Hazard { rate, curvature } = hazard(-low);
            Truncated { mean: rate, variance: variance_above(low, curvature), shrinkage: curvature }
        };
        let negated = |right: Truncated| Truncated { mean: -right.mean, ..right };
        match (self.low == f64::NEG_INFINITY, self.high == f64::INFINITY) {
            (true, true) => Truncated { mean: 0.0, variance: 1.0, shrinkage: 0.0 },
            (false, true) => above(self.low),
            (true, false) => negated(above(-self.high)),
            (false, false) if self.low + self.high < 0.0 => negated(Slice::new(self.mirrored()).moments),
            (false, false) => Slice::new(self).moments,
        }
    }

    /// `log (Φ(high) - Φ(low))`.
    pub fn log_mass(self) -> f64 {
        match (self.low == f64::NEG_INFINITY, self.high == f64::INFINITY) {
            (true, true) => 0.0,
            (false, true) => log_cdf(-self.low),
            (true, false) => log_cdf(self.high),
            (false, false) if self.low + self.high < 0.0 => Slice::new(self.mirrored()).log_mass,
            (false, false) => Slice::new(self).log_mass,
        }
    }
}

/// A two-sided interval, by quadrature: 40-point Gauss-Legendre over the part that holds all but 1e-17 of the mass. The
/// integrand is entire and drops by at most e⁴⁰ there, so the error of the rule is below rounding.
struct Slice {
    log_mass: f64,
    moments: Truncated,
}

impl Slice {
    /// For an interval with `|low| <= high`.
    fn new(Interval { low, high, width }: Interval) -> Self {
        /// The part where the density has dropped by this many powers of e from its largest value is left out.
        const DROP: f64 = 40.0;
        // The largest density on the interval is at `top`. Offsets from there keep their digits when the interval is
        // far out and narrow. `reach` solves (u² - top²)/2 = DROP for u - top without cancelling.
        let top = low.max(0.0);
        let reach = 2.0 * DROP / (top + (top * top + 2.0 * DROP).sqrt());
        let from = (low - top).max(-(2.0 * DROP).sqrt());
        let to = if low < 0.0 { high } else { width }.min(reach);
        let half = 0.5 * (to - from);
        let middle = 0.5 * (to + from);
        let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
        for &(node, weight) in LEGENDRE.iter() {
            let offset = middle + half * node;
            let density = weight * (-offset * (top + 0.5 * offset)).exp();
            mass += density;
            first += density * node;
            second += density * node * node;
        }
        let centre = first / mass;
        let variance = half * half * (second / mass - centre * centre);
        Self {
            log_mass: -0.5 * top * top - LOG_SQRT_2PI + (half * mass).ln(),
            moments: Truncated {
                mean: top + (middle + half * centre),
                variance,
                shrinkage: (1.0 - variance).clamp(0.0, 1.0),
            },
        }
    }
}

/// Nodes and weights of the 40-point Gauss-Legendre rule on [-1, 1].
static LEGENDRE: LazyLock<[(f64, f64); 40]> = LazyLock::new(|| {
    const POINTS: usize = 40;
    std::array::from_fn(|i| {
        // Newton's method from the classical first guess.
        let mut x = (PI * (i as f64 + 0.75) / (POINTS as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..10 {
            let (mut before, mut value) = (1.0, x);
            for degree in 2..=POINTS {
                let degree = degree as f64;
                let next = ((2.0 * degree - 1.0) * x * value - (degree - 1.0) * before) / degree;
                before = value;
                value = next;
            }
            slope = POINTS as f64 * (x * value - before) / (x * x - 1.0);
            x -= value / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rough_distribution_function_is_near() {
        for step in -80_000..80_000 {
            let z = f64::from(step) * 1.01e-4;
            assert!((rough_cdf(z) - cdf(z)).abs() < 1e-6, "at {z}");
        }
        assert!(rough_cdf(f64::INFINITY) > 1.0 - 1e-8 && rough_cdf(f64::NEG_INFINITY) < 1e-8);
    }

    fn parts(of: Beyond) -> [f64; 4] {
        [of.probability, of.mean, of.square, of.from_zero]
    }

    /// `φ(t) ∫ g(u) exp(-t u - u²/2) du` over what lies beyond, by Simpson's rule: nothing cancels there either.
    fn by_quadrature(t: f64) -> [f64; 4] {
        const STEPS: usize = 20_000;
        let width = 40.0 / (t + (t * t + 80.0).sqrt()) * 2.0 / STEPS as f64;
        let mut sums = [0.0; 4];
        for step in 0..=STEPS {
            let u = step as f64 * width;
            let ends = if step == 0 || step == STEPS { 1.0 } else { 2.0 + 2.0 * (step % 2) as f64 };
            let weight = ends * width / 3.0 * (-t * u - 0.5 * u * u).exp();
            for (sum, g) in sums.iter_mut().zip([1.0, u, u * u, (t + u) * (t + u)]) {
                *sum += weight * g;
            }
        }
        sums.map(|sum| sum * density(t))
    }

    #[test]
    fn what_lies_beyond_by_quadrature() {
        for step in 0..370 {
            let t = f64::from(step) / 10.0;
            for (found, expected) in parts(beyond(t)).into_iter().zip(by_quadrature(t)) {
                // The square is 1 - t c of the probability, which cancels as 2 / t²; the rule is right to 1e-12.
                assert!((found / expected - 1.0).abs() < 1e-11, "{t}: {found} {expected}");
            }
        }
        for t in [39.0, 41.0, 1e10, 1e155, f64::INFINITY] {
            assert!(parts(beyond(t)).iter().all(|&part| (0.0..1e-300).contains(&part)), "{t}");
        }
    }

    #[test]
    fn the_table_is_above_and_near() {
        let mut before = beyond(0.0);
        // Farther out results have fewer digits, until they vanish.
        for step in 1..370_000 {
            let t = f64::from(step) * 1e-4;
            let (exact, most) = (beyond(t), at_most_beyond(t));
            for (exact, most) in parts(exact).into_iter().zip(parts(most)) {
                assert!(exact <= most * (1.0 + 1e-13) && most <= 1.08 * exact, "{t}: {exact} {most}");
            }
            // All of it falls.
            for (now, before) in parts(exact).into_iter().zip(parts(before)) {
                assert!(now <= before * (1.0 + 1e-13), "{t}: {before} {now}");
            }
            before = exact;
        }
    }
}
