//! The logistic law: what an interval of it says about a Gaussian.
//!
//! For a Gaussian `x ~ N(m, v)` and logistic noise of scale s, the probability that `x` plus noise lies between a and b is
//! the mean of `g(x) = F((b - x)/s) - F((a - x)/s)`, `F(z) = 1/(1 + exp(-z))` (COR section 5 for a = 0, b = ∞). It has no
//! closed form. But `log g` is concave and, since `F(p) - F(q) = F(p) F(-q) (1 - exp(q - p))`, simple:
//!
//! - `log g = log F(p) + log F(-q) + log(1 - exp(q - p))`, `p = (b - x)/s`, `q = (a - x)/s`; the last term is constant,
//! - `(log g)' = (F(p) + F(q) - 1) / s`,
//! - `-(log g)'' = (F'(p) + F'(q)) / s²`, `F' = F (1 - F)`.
//!
//! The integrals are sums over equidistant points around the mode. For a function that is analytic in a strip and
//! vanishes at both ends, such a sum converges exponentially: the poles of F are `π s` from the real axis, so steps of
//! `0.5 min(s, √v)` leave errors below rounding.

/// Steps, as a share of the smaller of scale and deviation.
const STEP: f64 = 0.5;

/// Logarithms of densities below that of the mode by this much add nothing.
const NOTHING: f64 = 42.0;

/// The most deviations of the Gaussian per scale of the noise. Beyond, sums would take for ever, and the noise says nothing.
const WIDEST: f64 = 1e4;

/// The mass of a Gaussian in an interval under logistic noise, and the derivatives of its logarithm by the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mass {
    /// `log Z`.
    pub log: f64,
    /// `d log Z / d mean`.
    pub slope: f64,
    /// `-d² log Z / d mean²`.
    pub curvature: f64,
    /// `1 - variance * curvature`: the fraction of the variance that is left.
    pub left: f64,
}

/// An interval under logistic noise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogisticInterval {
    /// The lower end, which may be minus infinity.
    pub low: f64,
    /// The upper end, which may be infinity.
    pub high: f64,
    /// The scale of the noise; positive.
    pub scale: f64,
}

impl LogisticInterval {
    /// `log g(x)`.
    pub fn log_likelihood(&self, x: f64) -> f64 {
        let (p, q) = self.ends(x);
        let width = (self.high - self.low) / self.scale;
        -softplus(-p) - softplus(q) + (-(-width).exp()).ln_1p()
    }

    /// The mass under `N(mean, variance)`. About 40 points, and in proportion more if the deviation exceeds the scale. Not a
    /// number if it does so more than ten thousand times; what learns from it then says that the prior is too wide.
    pub fn mass(&self, mean: f64, variance: f64) -> Mass {
        let too_wide = variance.sqrt() > WIDEST * self.scale;
        if too_wide || !(mean.is_finite() && variance.is_finite()) {
            return Mass { log: f64::NAN, slope: f64::NAN, curvature: f64::NAN, left: f64::NAN };
        }
        if variance == 0.0 {
            let (slope, curvature) = self.slopes(mean);
            return Mass { log: self.log_likelihood(mean), slope, curvature, left: 1.0 };
        }
        // In terms of the distance from the mean, which may be far larger than the deviation.
        let density = |off: f64| self.log_likelihood(mean + off) - 0.5 * off * off / variance;
        let mode = self.mode(mean, variance) - mean;
        let (sd, peak) = (variance.sqrt(), density(mode));
        let step = STEP * sd.min(self.scale);
        let mut sums = Sums::default();
        for direction in [1.0, -1.0] {
            let first = u32::from(direction < 0.0);
            for number in first.. {
                let along = direction * f64::from(number) * step;
                let height = density(mode + along) - peak;
                if height.is_nan() || height < -NOTHING {
                    break;
                }
                sums.add(height.exp(), along, self.slopes(mean + mode + along));
            }
        }
        let [off, square, slope, slope_square, curvature] = sums.means();
        let log = peak + (sums.total * step / sd).ln() - 0.5 * std::f64::consts::TAU.ln();
        let spread = (slope_square - slope * slope).max(0.0);
        Mass { log, slope, curvature: curvature - spread, left: (square - off * off) / variance }
    }

    /// The first derivative of `log g`, and minus the second.
    fn slopes(&self, x: f64) -> (f64, f64) {
        let (p, q) = self.ends(x);
        let (fp, fq) = (sigmoid(p), sigmoid(q));
        // Of F(p) + F(q) - 1, either half may be tiny.
        let slope = (fq - sigmoid(-p)) / self.scale;
        (slope, (fp * sigmoid(-p) + fq * sigmoid(-q)) / (self.scale * self.scale))
    }

    fn ends(&self, x: f64) -> (f64, f64) {
        ((self.high - x) / self.scale, (self.low - x) / self.scale)
    }

    /// Where `log g(x) - (x - mean)²/(2 variance)` is largest. Its slope falls strictly, and `|(log g)'| <= 1/scale` bounds the
    /// place: Newton's steps, halved towards the bounds where they leave them.
    fn mode(&self, mean: f64, variance: f64) -> f64 {
        let reach = variance / self.scale;
        let (mut low, mut high, mut x) = (mean - reach, mean + reach, mean);
        for _ in 0..200 {
            let (slope, curvature) = self.slopes(x);
            let rise = slope - (x - mean) / variance;
            if rise > 0.0 {
                low = x
            } else {
                high = x
            }
            let next = x + rise / (curvature + 1.0 / variance);
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            // The sum around a place near the mode is as exact as that around the mode.
            if (next - x).abs() <= 1e-3 * variance.sqrt().min(self.scale) {
                return next;
            }
            x = next;
        }
        x
    }
}

/// Sums over the points.
#[derive(Default)]
struct Sums {
    total: f64,
    weighted: [f64; 5],
}

impl Sums {
    fn add(&mut self, weight: f64, off: f64, (slope, curvature): (f64, f64)) {
        self.total += weight;
        let terms = [off, off * off, slope, slope * slope, curvature];
        self.weighted.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
    }

    fn means(&self) -> [f64; 5] {
        self.weighted.map(|sum| sum / self.total)
    }
}

/// `1 / (1 + exp(-z))`.
pub(crate) fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
}

/// `log(1 + exp(z))`.
fn softplus(z: f64) -> f64 {
    if z > 0.0 { z + (-z).exp().ln_1p() } else { z.exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mass, mean and variance of the tilted law by the midpoint rule over a fixed fine grid.
    fn by_midpoints(interval: &LogisticInterval, mean: f64, variance: f64) -> (f64, f64, f64) {
        let sd = variance.sqrt();
        let reach = 12.0 * sd + variance / interval.scale;
        let points = 400_000;
        let step = 2.0 * reach / f64::from(points);
        let cdf = |z: f64| if z.is_infinite() { f64::from(u8::from(z > 0.0)) } else { 1.0 / (1.0 + (-z).exp()) };
        let mut sums = [0.0; 3];
        for point in 0..points {
            let x = mean - reach + step * (f64::from(point) + 0.5);
            let likelihood = cdf((interval.high - x) / interval.scale) - cdf((interval.low - x) / interval.scale);
            let weight =
                likelihood * (-0.5 * (x - mean).powi(2) / variance).exp() / (sd * std::f64::consts::TAU.sqrt());
            sums.iter_mut().zip([1.0, x, x * x]).for_each(|(sum, power)| *sum += weight * power * step);
        }
        let average = sums[1] / sums[0];
        (sums[0], average, sums[2] / sums[0] - average * average)
    }

    #[test]
    fn moments_equal_the_integrals() {
        let ends = [(0.0, f64::INFINITY), (f64::NEG_INFINITY, 0.3), (-0.5, 0.7), (1.0, 1.2)];
        for (low, high) in ends {
            for scale in [0.3, 1.0, 4.0] {
                for (mean, variance) in [(0.0, 1.0), (-3.0, 0.01), (2.0, 9.0), (-1.0, 40.0)] {
                    let interval = LogisticInterval { low, high, scale };
                    let found = interval.mass(mean, variance);
                    let (mass, average, spread) = by_midpoints(&interval, mean, variance);
                    // Midpoint sums of 4e5 terms round at 1e-12; the difference of two logistics loses some more.
                    assert!(
                        (found.log - mass.ln()).abs() < 1e-9,
                        "{interval:?} {mean} {variance}: {found:?} {}",
                        mass.ln()
                    );
                    assert!((found.slope - (average - mean) / variance).abs() < 1e-8 / variance.min(1.0));
                    assert!((found.left - spread / variance).abs() < 1e-8, "{found:?} {}", spread / variance);
                    let other = 1.0 - variance * found.curvature;
                    assert!((found.left - other).abs() < 1e-9, "{interval:?} {mean} {variance}: {found:?} {other}");
                }
            }
        }
    }

    /// Far out, `F(x) = exp(x)`, so `Z = exp(m + v/2)`: all is known.
    #[test]
    fn far_tails() {
        let interval = LogisticInterval { low: 0.0, high: f64::INFINITY, scale: 1.0 };
        for (mean, variance) in [(-60.0, 1.0), (-900.0, 4.0), (-1e6, 25.0)] {
            let found = interval.mass(mean, variance);
            assert!((found.log - (mean + variance / 2.0)).abs() < 1e-9 * mean.abs(), "{found:?}");
            assert!(
                (found.slope - 1.0).abs() < 1e-12 && found.curvature.abs() < 1e-12 && (found.left - 1.0).abs() < 1e-9
            );
        }
        let certain = interval.mass(1e6, 1.0);
        assert!(certain.log.abs() < 1e-12 && certain.slope.abs() < 1e-12 && (certain.left - 1.0).abs() < 1e-9);
        let twin = interval.mass(0.0, 0.0);
        assert!((twin.log - 0.5_f64.ln()).abs() < 1e-15 && (twin.slope - 0.5).abs() < 1e-15 && twin.curvature == 0.25);
    }

    /// A prior that hides the noise is refused, and at once.
    #[test]
    fn too_wide() {
        let interval = LogisticInterval { low: 0.0, high: f64::INFINITY, scale: 1e-9 };
        assert!(interval.mass(0.0, 1.0).log.is_nan() && interval.mass(f64::NAN, 1.0).slope.is_nan());
    }

    /// The outcomes of a comparison with ties have probabilities that sum to one.
    #[test]
    fn masses_sum_to_one() {
        for (mean, variance) in [(0.0, 1.0), (0.7, 0.2), (-2.0, 30.0)] {
            let ends = [(f64::NEG_INFINITY, -0.4), (-0.4, 0.4), (0.4, f64::INFINITY)];
            let mass = |(low, high)| LogisticInterval { low, high, scale: 0.8 }.mass(mean, variance).log.exp();
            assert!((ends.map(mass).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}
