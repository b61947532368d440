//! Means of functions under a Gaussian.

/// The mean of a function of `x ~ N(mean, variance)`, one number per entry that it adds to: `add(x, weight)` is called for
/// points whose weights sum to 1.
///
/// The points are equidistant. For a function that is analytic within `width` of the real axis, the error is about
/// `exp(-2π width / step)`, 1e-9 for steps of 0.3 widths; steps are 0.8 deviations if that is less, which the Gaussian itself allows
/// to 1e-13. 19 points, and in proportion more if the deviation exceeds 0.4 widths.
pub(crate) fn gaussian_mean(mean: f64, variance: f64, width: f64, mut add: impl FnMut(f64, f64)) {
    /// Deviations beyond which nothing is added: weights are below 1e-11 there.
    const REACH: f64 = 7.2;
    /// The smallest step in deviations: 14,400 points.
    const FINEST: f64 = 1e-3;
    let sd = variance.sqrt();
    // A function that is far narrower than the Gaussian is not seen in all detail.
    let step = (0.8 * sd).min((0.3 * width).max(FINEST * sd));
    if sd == 0.0 || step == 0.0 {
        return add(mean, 1.0);
    }
    let count = (REACH * sd / step).ceil() as i64;
    let share = step / (sd * std::f64::consts::TAU.sqrt());
    for number in -count..=count {
        let off = number as f64 * step;
        add(mean + off, share * (-0.5 * (off / sd) * (off / sd)).exp());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Powers, which are known, and a function with poles at `± i`.
    #[test]
    fn known_means() {
        for (mean, variance) in [(0.0, 1.0), (2.0, 0.25), (-1.0, 30.0), (3.0, 0.0)] {
            let mut sums = [0.0; 4];
            gaussian_mean(mean, variance, 1.0, |x, weight| {
                sums.iter_mut()
                    .zip([1.0, x, x * x, 1.0 / (1.0 + x * x)])
                    .for_each(|(sum, value)| *sum += weight * value);
            });
            for (found, expected) in sums.iter().zip([1.0, mean, mean * mean + variance]) {
                // What lies beyond the last points.
                assert!((found - expected).abs() < 1e-10 * (1.0 + expected.abs()), "{found} {expected}");
            }
            let mut points = 0;
            gaussian_mean(mean, variance, 1e-300, |_, _| points += 1);
            assert!(points <= 14_402, "never for ever: {points}");
            let mut fine = 0.0;
            gaussian_mean(mean, variance, 0.05, |x, weight| fine += weight / (1.0 + x * x));
            // exp(-2π / 0.3), times the residues at the poles.
            assert!((sums[3] - fine).abs() < 1e-8, "{} {fine}", sums[3]);
        }
    }
}
