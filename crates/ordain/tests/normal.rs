//! The normal law against tables of 25 digits made with arbitrary precision (`data/make_normal.py`,
//! `data/make_interval.py`).
#![allow(clippy::unwrap_used)]

use ordain::numeric::normal::{Interval, cdf, density, hazard, log_cdf, quantile};

/// Rows of a table; values beyond the range of doubles parse to 0 or to a denormal.
fn table(text: &str) -> impl Iterator<Item = Vec<f64>> {
    text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
}

/// Relative error, where a result that underflows gradually may be off by its last representable digit.
fn close(found: f64, expected: f64, relative: f64) -> bool {
    let smallest = f64::from_bits(1);
    (found - expected).abs() <= (relative * expected.abs()).max(smallest)
}

#[test]
fn tails_equal_the_table() {
    let mut worst = [0.0_f64; 3];
    for row in table(include_str!("data/normal.csv")) {
        let [z, log_phi, rate, curvature] = row[..] else { panic!("four columns") };
        let found = hazard(z);
        let pairs = [(log_cdf(z), log_phi), (found.rate, rate), (found.curvature, curvature)];
        for (at, (found, expected)) in pairs.into_iter().enumerate() {
            assert!(close(found, expected, 1e-13), "z = {z}, column {at}: {found:e} {expected:e}");
            if expected.abs() > 1e-300 {
                worst[at] = worst[at].max((found / expected - 1.0).abs());
            }
        }
    }
    println!("largest relative errors: log Phi {:.1e}, hazard {:.1e}, curvature {:.1e}", worst[0], worst[1], worst[2]);
}

#[test]
fn density_and_distribution_agree_with_the_table() {
    for row in table(include_str!("data/normal.csv")) {
        let (z, log_phi, rate) = (row[0], row[1], row[2]);
        // Exponentiating the table's log costs digits in proportion to its size.
        let tolerance = 1e-13 * (1.0 + log_phi.abs());
        assert!(close(cdf(z), log_phi.exp(), tolerance), "z = {z}");
        // Where the table's exponential is denormal, the hazard multiplies its rounding.
        let rounding = rate * f64::from_bits(1);
        assert!((density(z) - rate * log_phi.exp()).abs() <= tolerance * density(z) + rounding, "z = {z}");
    }
}

#[test]
fn intervals_equal_the_table() {
    for row in table(include_str!("data/interval.csv")) {
        let [low, high, log_probability, mean, variance] = row[..] else { panic!("five columns") };
        let interval = Interval::new(low, high);
        let found = interval.moments();
        // A log near 0 is known to rounding in the probability, not in the log.
        let error = (interval.log_mass() - log_probability).abs();
        assert!(error <= 1e-13 * log_probability.abs().max(1.0), "({low}, {high}): log mass off by {error:e}");
        // Means and variances are sums around numbers of the size of the interval's ends, or of 1.
        let scale = low.abs().min(high.abs()).max(1.0);
        assert!((found.mean - mean).abs() <= 1e-13 * scale, "({low}, {high}): {} {mean}", found.mean);
        assert!((found.shrinkage - (1.0 - variance)).abs() <= 1e-13, "({low}, {high}): {}", found.shrinkage);
        // The ends were rounded, so the width of a narrow interval is known to an ulp of the ends.
        let rounding = 1e-16 * low.abs() / (high - low);
        let tolerance = 1e-12 + 4.0 * rounding;
        assert!((found.variance / variance - 1.0).abs() <= tolerance, "({low}, {high}): {}", found.variance);
        // An interval from 5 or more on and 1000 wide is as good as one without an end.
        if low >= 5.0 && high == low + 1000.0 {
            let open = Interval::new(low, f64::INFINITY).moments();
            assert!((open.variance / variance - 1.0).abs() <= 2e-12, "({low}, inf): {}", open.variance);
        }
    }
}

#[test]
fn open_ends() {
    let everything = Interval::new(f64::NEG_INFINITY, f64::INFINITY);
    let found = everything.moments();
    assert_eq!((found.mean, found.variance, found.shrinkage), (0.0, 1.0, 0.0));
    assert_eq!(everything.log_mass(), 0.0);
    let (above, below) = (Interval::new(1.5, f64::INFINITY), Interval::new(f64::NEG_INFINITY, -1.5));
    let (right, left) = (above.moments(), below.moments());
    assert_eq!((right.mean, right.variance, right.shrinkage), (-left.mean, left.variance, left.shrinkage));
    assert_eq!(above.log_mass(), log_cdf(-1.5));
}

/// Where the ends of an interval round to the same number, its width is still known: the mass is the density times the
/// width, the mean is the place, and nothing of the variance is left but `width² / 12`.
#[test]
fn narrow_and_far() {
    for (half, mean, sd) in [(1e-12, 1e8, 1.0), (1e-18, 0.5, 1.0), (1e-3, -3e30, 1e10), (1e-320, 0.0, 1e10)] {
        let interval = Interval::standardized(-half, half, mean, sd);
        let (found, place) = (interval.moments(), -mean / sd);
        assert!((found.mean - place).abs() <= f64::MIN_POSITIVE && found.shrinkage == 1.0, "{found:?}");
        let width = (2.0 * half / sd).max(f64::MIN_POSITIVE);
        let expected = width.ln() - 0.5 * place * place - 0.5 * std::f64::consts::TAU.ln();
        assert!((interval.log_mass() / expected - 1.0).abs() < 1e-13, "{half} {mean} {sd}");
    }
    // Ends beyond the range of squares are as good as those at its edge.
    for (low, high) in [(1e300, f64::INFINITY), (1e300, 2e300), (-2e300, -1e300), (f64::NEG_INFINITY, -1e300)] {
        let interval = Interval::standardized(low, high, 0.0, 1e-100);
        let found = interval.moments();
        assert!(found.mean.is_finite() && found.variance >= 0.0 && interval.log_mass().is_finite(), "{low} {high}");
    }
}

/// Quantiles of tables, and the inverse of the law itself.
#[test]
fn quantiles() {
    // To all digits, as every table has them.
    for (probability, expected) in [
        (0.5, 0.0),
        (0.975, 1.959_963_984_540_054_f64),
        (0.95, 1.644_853_626_951_472_7),
        (0.01, -2.326_347_874_040_841),
    ] {
        let found = quantile(probability);
        // A probability is known to half an ulp of 1, which the slope of the law divides.
        assert!((found - expected).abs() <= 1e-14, "{found}");
    }
    for at in -370..=80 {
        let z = f64::from(at) / 10.0;
        let back = quantile(cdf(z));
        // Above 0 the probability is known only to an ulp of 1.
        let lost = if z > 0.0 { 1e-16 / density(z) } else { 0.0 };
        assert!((back - z).abs() <= 1e-14 * (1.0 + z.abs()) + 2.0 * lost, "{z} {back}");
    }
    assert_eq!((quantile(0.0), quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    assert!(quantile(-0.1).is_nan() && quantile(1.1).is_nan() && quantile(f64::NAN).is_nan());
}
