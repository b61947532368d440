//! The normal law against tables of 25 digits made with arbitrary precision (`data/make_normal.py`,
//! `data/make_interval.py`).
#![allow(clippy::unwrap_used)]

use ordain::numeric::normal::{cdf, density, hazard, log_cdf, log_mass, truncated};

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
        let found = truncated(low, high);
        // A log near 0 is known to rounding in the probability, not in the log.
        let error = (log_mass(low, high) - log_probability).abs();
        assert!(error <= 1e-13 * log_probability.abs().max(1.0), "({low}, {high}): log mass off by {error:e}");
        // Means and variances are sums around numbers of the size of the interval's ends, or of 1.
        let scale = low.abs().min(high.abs()).max(1.0);
        assert!((found.mean - mean).abs() <= 1e-13 * scale, "({low}, {high}): {} {mean}", found.mean);
        assert!((found.shrinkage - (1.0 - variance)).abs() <= 1e-13, "({low}, {high}): {}", found.shrinkage);
    }
}

#[test]
fn open_ends() {
    let everything = truncated(f64::NEG_INFINITY, f64::INFINITY);
    assert_eq!((everything.mean, everything.shrinkage), (0.0, 0.0));
    assert_eq!(log_mass(f64::NEG_INFINITY, f64::INFINITY), 0.0);
    let (above, below) = (truncated(1.5, f64::INFINITY), truncated(f64::NEG_INFINITY, -1.5));
    assert_eq!((above.mean, above.shrinkage), (-below.mean, below.shrinkage));
    assert_eq!(log_mass(1.5, f64::INFINITY), log_cdf(-1.5));
}
