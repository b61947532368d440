//! Thresholds between grades: the "pins" of ordinal regression (COR section 2.3).
//!
//! An item has grade k if its noisy utility lies between the cuts `b_k` and `b_k+1`; the first lower end is minus
//! infinity, the last upper end infinity. Cuts ascend, so learning works on free coordinates: the mean of the cuts, and
//! the logarithms of the gaps between them.

use crate::numeric::gaussian_mean;
use crate::numeric::normal::{self, Interval};
use crate::numeric::optimise::Lbfgs;
use crate::{Error, Result};

/// Ascending thresholds between grades: one fewer than there are grades.
#[derive(Debug, Clone, PartialEq)]
pub struct Cuts(Vec<f64>);

impl Cuts {
    /// These thresholds.
    ///
    /// # Errors
    /// If there is none, they do not ascend, or one is not finite.
    pub fn new(cuts: Vec<f64>) -> Result<Self> {
        if !cuts.is_empty() && cuts.iter().all(|cut| cut.is_finite()) && cuts.is_sorted_by(|one, other| one < other) {
            return Ok(Self(cuts));
        }
        let (found, expected) = (format!("{cuts:?}"), "at least one finite number, each above the one before".into());
        Err(Error::Data { what: "the thresholds of grades", found, expected })
    }

    /// The thresholds at which a normal law of this deviation gives every grade its share of these counts. A grade that
    /// was never given counts half. There are at least two grades.
    ///
    /// # Errors
    /// If there are fewer than two grades.
    pub fn of_counts(counts: &[usize], sd: f64) -> Result<Self> {
        let shares: Vec<f64> = counts.iter().map(|&count| (count as f64).max(0.5)).collect();
        let all: f64 = shares.iter().sum();
        let mut below = 0.0;
        let cut = |share: &f64| {
            below += share / all;
            sd * normal::quantile(below.min(1.0 - f64::EPSILON))
        };
        Self::new(shares[..shares.len().saturating_sub(1)].iter().map(cut).collect())
    }

    /// The number of grades.
    pub fn grades(&self) -> usize {
        self.0.len() + 1
    }

    /// The thresholds.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The ends of a grade, counted from 0.
    pub fn ends(&self, grade: usize) -> (f64, f64) {
        let low = grade.checked_sub(1).map_or(f64::NEG_INFINITY, |below| self.0[below]);
        (low, self.0.get(grade).copied().unwrap_or(f64::INFINITY))
    }

    /// The probability of every grade for a utility that is Gaussian with this mean and variance, and this noise.
    pub fn probabilities(&self, mean: f64, variance: f64, noise: f64) -> Vec<f64> {
        let sd = (variance + noise * noise).sqrt();
        let mass = |grade| {
            let (low, high) = self.ends(grade);
            Interval::standardized(low, high, mean, sd).log_mass().exp()
        };
        (0..self.grades()).map(mass).collect()
    }

    /// These thresholds in another unit of utility, counted from elsewhere.
    pub(super) fn placed(&self, factor: f64, shift: f64) -> Self {
        Self(self.0.iter().map(|cut| factor * cut + shift).collect())
    }

    /// The mean of the cuts, then the logarithms of the gaps.
    pub(super) fn coordinates(&self) -> Vec<f64> {
        let mean = self.0.iter().sum::<f64>() / self.0.len() as f64;
        [mean].into_iter().chain(self.0.windows(2).map(|pair| (pair[1] - pair[0]).ln())).collect()
    }

    /// The cuts with these coordinates; `None` if rounding leaves no gap.
    pub(super) fn from_coordinates(coordinates: &[f64]) -> Option<Self> {
        let mut at = 0.0;
        let mut cuts = vec![0.0];
        cuts.extend(coordinates[1..].iter().map(|gap| {
            at += gap.exp();
            at
        }));
        let mean = cuts.iter().sum::<f64>() / cuts.len() as f64;
        Self::new(cuts.into_iter().map(|cut| coordinates[0] + cut - mean).collect()).ok()
    }

    /// Derivatives by the cuts as derivatives by the coordinates.
    pub(super) fn by_coordinates(&self, by_cuts: &[f64]) -> Vec<f64> {
        let (count, all) = (by_cuts.len() as f64, by_cuts.iter().sum::<f64>());
        // A gap moves the cuts above it up, and all down by the mean of that.
        let mut above = all;
        let gaps = self.0.windows(2).zip(by_cuts).enumerate().map(|(below, (pair, slope))| {
            above -= slope;
            let moved = count - 1.0 - below as f64;
            (pair[1] - pair[0]) * (above - all * moved / count)
        });
        [all].into_iter().chain(gaps).collect()
    }
}

/// A grade of an item whose utility is believed to be Gaussian.
#[derive(Debug, Clone, Copy)]
pub(super) struct Graded {
    /// The grade, counted from 0.
    pub grade: usize,
    /// The mean of the utility.
    pub mean: f64,
    /// Its variance.
    pub variance: f64,
}

/// The expected log likelihood of grades under beliefs that are held (COR eq. 2), with its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expected {
    pub value: f64,
    /// By every cut.
    pub by_cuts: Vec<f64>,
}

impl Expected {
    pub fn of(graded: &[Graded], cuts: &Cuts, noise: f64) -> Self {
        let mut out = Self { value: 0.0, by_cuts: vec![0.0; cuts.0.len()] };
        for &Graded { grade, mean, variance } in graded {
            let (low, high) = cuts.ends(grade);
            // The logarithm of a difference of normal tails is analytic within about two deviations of the noise.
            gaussian_mean(mean, variance, 2.0 * noise, |utility, weight| {
                let log_mass = Interval::standardized(low, high, utility, noise).log_mass();
                out.value += weight * log_mass;
                // The density at an end over the mass between: 0 at infinite ends.
                let edge = |end: f64| {
                    let z = (end - utility) / noise;
                    weight * (-0.5 * z * z - log_mass).exp() / (std::f64::consts::TAU.sqrt() * noise)
                };
                if let Some(slope) = out.by_cuts.get_mut(grade) {
                    *slope += edge(high);
                }
                if let Some(slope) = grade.checked_sub(1).and_then(|below| out.by_cuts.get_mut(below)) {
                    *slope -= edge(low);
                }
            });
        }
        out
    }
}

/// Where cuts are expected before grades tell: around these coordinates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CutsPrior {
    pub centre: Vec<f64>,
    /// The standard deviation of the mean of the cuts, and of the logarithm of a gap.
    pub spread: [f64; 2],
}

impl CutsPrior {
    fn spread_of(&self, coordinate: usize) -> f64 {
        self.spread[coordinate.min(1)]
    }

    /// The logarithm of its density up to a constant. Adds the derivatives to `gradient`.
    pub fn log_density(&self, coordinates: &[f64], gradient: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (at, ((value, centre), slope)) in coordinates.iter().zip(&self.centre).zip(gradient).enumerate() {
            let spread = self.spread_of(at);
            let off = (value - centre) / spread;
            *slope -= off / spread;
            sum -= 0.5 * off * off;
        }
        sum
    }

    /// The cuts that maximise expected log likelihood plus log prior, from these on. Never worse than these. They are found to a
    /// slope of 1e-4 nats: the beliefs move on anyway.
    pub fn fit(&self, from: &Cuts, graded: &[Graded], noise: f64) -> Cuts {
        let minimiser = Lbfgs { tolerance: 1e-4, max_iterations: 100, longest: 1.0, ..Lbfgs::default() };
        let objective = |at: &[f64], gradient: &mut [f64]| {
            let Some(cuts) = Cuts::from_coordinates(at) else { return f64::INFINITY };
            let expected = Expected::of(graded, &cuts, noise);
            gradient.copy_from_slice(&cuts.by_coordinates(&expected.by_cuts));
            let log_prior = self.log_density(at, gradient);
            gradient.iter_mut().for_each(|slope| *slope = -*slope);
            -expected.value - log_prior
        };
        let found = minimiser.minimise(from.coordinates(), objective, |_| {});
        Cuts::from_coordinates(&found.at).unwrap_or_else(|| from.clone())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn graded() -> Vec<Graded> {
        let one = |(grade, mean, variance)| Graded { grade, mean, variance };
        [(0, -0.5, 0.4), (1, -0.1, 0.01), (2, 0.7, 1.3), (3, 0.2, 0.2), (3, 2.5, 0.9), (1, 1.0, 4.0)].map(one).to_vec()
    }

    fn cuts() -> Cuts {
        Cuts::new(vec![-0.8, 0.1, 0.9]).unwrap()
    }

    #[test]
    fn coordinates_and_back() {
        let back = Cuts::from_coordinates(&cuts().coordinates()).unwrap();
        for (one, other) in back.values().iter().zip(cuts().values()) {
            assert!((one - other).abs() < 1e-15);
        }
        assert!(Cuts::new(vec![]).is_err() && Cuts::new(vec![1.0, 1.0]).is_err() && Cuts::new(vec![f64::NAN]).is_err());
        assert_eq!(Cuts::from_coordinates(&[1e20, -50.0]), None, "no gap is left");
    }

    /// Shares of a normal law.
    #[test]
    fn counts_become_cuts() {
        let cuts = Cuts::of_counts(&[10, 30, 60], 2.0).unwrap();
        let found = cuts.probabilities(0.0, 3.0, 1.0);
        for (found, expected) in found.iter().zip([0.1, 0.3, 0.6]) {
            assert!((found - expected).abs() < 1e-12, "{found}");
        }
        // A grade that nobody gave keeps a little probability.
        let found = Cuts::of_counts(&[10, 0, 9], 1.0).unwrap().probabilities(0.0, 0.0, 1.0);
        assert!(found[1] > 0.01 && (found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(Cuts::of_counts(&[5], 1.0).is_err());
    }

    /// The mean of `log(Φ(u) - Φ(l))` by the midpoint rule with another crate's normal law.
    #[test]
    fn expectations_equal_integrals() {
        let phi = |z: f64| 0.5 * errorfunctions::RealErrorFunctions::erfc(-z / std::f64::consts::SQRT_2);
        for noise in [0.6, 1.0] {
            let mut sum = 0.0;
            for Graded { grade, mean, variance } in graded() {
                let ((low, high), points) = (cuts().ends(grade), 20_000);
                let (sd, reach) = (variance.sqrt(), 9.0 * variance.sqrt());
                let step = 2.0 * reach / f64::from(points);
                for point in 0..points {
                    let off = -reach + step * (f64::from(point) + 0.5);
                    let at = |end: f64| (end - mean - off) / noise;
                    // From the side where the tails do not cancel.
                    let mass =
                        if at(low) > 0.0 { phi(-at(low)) - phi(-at(high)) } else { phi(at(high)) - phi(at(low)) };
                    let weight = step / sd / std::f64::consts::TAU.sqrt() * (-0.5 * (off / sd).powi(2)).exp();
                    sum += weight * mass.ln();
                }
            }
            let found = Expected::of(&graded(), &cuts(), noise).value;
            // What steps of 0.3 widths leave.
            assert!((found - sum).abs() < 1e-7 * sum.abs(), "{noise}: {found} {sum}");
        }
    }

    /// Slopes by cuts and by coordinates against central differences.
    #[test]
    fn slopes_equal_differences() {
        const STEP: f64 = 1e-5;
        let value = |cuts: &Cuts| Expected::of(&graded(), cuts, 0.7).value;
        let found = Expected::of(&graded(), &cuts(), 0.7);
        // Differences of numbers around 10 with a step of 1e-5: rounding 1e-10, truncation as much.
        let near = |found: f64, above: f64, below: f64| {
            let expected = (above - below) / (2.0 * STEP);
            assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{found} {expected}");
        };
        for cut in 0..3 {
            let moved = |step: f64| {
                let mut values = cuts().0;
                values[cut] += step;
                value(&Cuts(values))
            };
            near(found.by_cuts[cut], moved(STEP), moved(-STEP));
        }
        let by_coordinates = cuts().by_coordinates(&found.by_cuts);
        for (at, slope) in by_coordinates.into_iter().enumerate() {
            let moved = |step: f64| {
                let mut coordinates = cuts().coordinates();
                coordinates[at] += step;
                value(&Cuts::from_coordinates(&coordinates).unwrap())
            };
            near(slope, moved(STEP), moved(-STEP));
        }
    }

    /// With ample data drawn at these cuts and certain utilities, these cuts are found.
    #[test]
    fn cuts_are_found() {
        let mut graded = Vec::new();
        // Utilities on a grid, and the noise at its own quantiles.
        for utility in (-40..=40).map(|at| f64::from(at) / 10.0) {
            for part in 0..40 {
                let value = utility + 0.5 * normal::quantile((f64::from(part) + 0.5) / 40.0);
                let grade = cuts().values().iter().filter(|&&cut| value > cut).count();
                graded.push(Graded { grade, mean: utility, variance: 0.0 });
            }
        }
        let start = Cuts::new(vec![-2.0, 0.0, 2.0]).unwrap();
        let prior = CutsPrior { centre: start.coordinates(), spread: [10.0, 10.0] };
        let found = prior.fit(&start, &graded, 0.5);
        for (found, expected) in found.values().iter().zip(cuts().values()) {
            assert!((found - expected).abs() < 0.02, "{found} {expected}");
        }
        // Without grades, the prior decides; with a narrow prior too.
        assert_eq!(prior.fit(&start, &[], 0.5), start);
        let narrow = CutsPrior { spread: [1e-6, 1e-6], ..prior };
        assert!((narrow.fit(&start, &graded, 0.5).values()[0] + 2.0).abs() < 1e-3);
    }
}
