//! A share with its interval.

use super::MeanInterval;
use crate::numeric::normal;

/// The share `count / of` with Wilson's interval (1927) of this level: all shares p of which the observed one is at most
/// `z √(p (1 - p) / of)` away. It is sound for few observations and at 0 and 1. Of none, the share is one half, and the interval is all.
pub fn share_interval(count: usize, of: usize, level: f64) -> MeanInterval {
    if of == 0 {
        return MeanInterval { low: 0.0, mean: 0.5, high: 1.0 };
    }
    let (number, z) = (of as f64, normal::quantile(0.5 + 0.5 * level.clamp(0.0, 1.0 - f64::EPSILON)));
    let (mean, part) = (count as f64 / number, z * z / number);
    let middle = (mean + 0.5 * part) / (1.0 + part);
    let half = (mean * (1.0 - mean) * part + 0.25 * part * part).sqrt() / (1.0 + part);
    MeanInterval { low: (middle - half).max(0.0), mean, high: (middle + half).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends are where the distance is `z` deviations, by the definition; none but all is no less than nothing.
    #[test]
    fn ends_are_those_of_the_definition() {
        for (count, of) in [(0, 5), (3, 7), (9, 10), (10, 10), (480, 1000)] {
            let MeanInterval { low, mean, high } = share_interval(count, of, 0.9);
            assert!(low <= mean && mean <= high && (0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high));
            for end in [low, high].into_iter().filter(|end| 1e-9 < *end && *end < 1.0 - 1e-9) {
                // The 95 % quantile of the normal law, from a table.
                let deviations = (mean - end).abs() / (end * (1.0 - end) / of as f64).sqrt();
                assert!((deviations - 1.644_853_626_951_472_7).abs() < 1e-9, "{count} of {of}: {deviations}");
            }
        }
        assert_eq!(share_interval(0, 0, 0.9), MeanInterval { low: 0.0, mean: 0.5, high: 1.0 });
    }
}
