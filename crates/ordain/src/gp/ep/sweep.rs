//! EP in coordinates: sweeps over the sites in blocks, and the exact posterior of given sites.

use super::{Functional, Observation};
use crate::gp::Moments;
use crate::numeric::Matrix;
use crate::numeric::dense::{Lu, lower_product_downdate, mirror_lower, multiply, multiply_vector};

/// The Gaussian factor `exp(-½ precision x² + shift x)` that stands for an observation of `x`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Site {
    /// `tau`, not negative since all likelihoods are log-concave.
    pub precision: f64,
    /// `nu`.
    pub shift: f64,
}

/// A Gaussian of one functional without one site.
struct Cavity {
    mean: f64,
    variance: f64,
}

impl Site {
    /// Takes the site out of a marginal. This form survives a variance of 0 (identical twins), where subtracting
    /// precisions would not.
    fn cavity(&self, mean: f64, variance: f64) -> Cavity {
        // The marginal variance is v / (1 + v tau) of the cavity's v, so this is positive; rounding must not undo that.
        let left = (1.0 - variance * self.precision).max(f64::EPSILON);
        Cavity { mean: (mean - variance * self.shift) / left, variance: variance / left }
    }

    /// The site whose product with the cavity has the moments of the tilted distribution (XPGP eqs. 9-12).
    fn matching(observation: &Observation, cavity: &Cavity) -> Self {
        let Moments { slope, curvature, .. } = observation.moments(cavity.mean, cavity.variance);
        // At least noise² / (noise² + variance), so positive.
        let left = 1.0 - cavity.variance * curvature;
        debug_assert!(curvature >= 0.0 && left > 0.0, "a log-concave likelihood has non-negative site precisions");
        Self { precision: curvature / left, shift: (slope + cavity.mean * curvature) / left }
    }

    /// This far of the way to another site.
    fn towards(&self, other: &Self, damping: f64) -> Self {
        Self {
            precision: self.precision + damping * (other.precision - self.precision),
            shift: self.shift + damping * (other.shift - self.shift),
        }
    }
}

/// What replacing a site does to the belief: `mean += gain * Σd`, `Σ -= scale * (Σd)(Σd)'`.
struct Step {
    gain: f64,
    scale: f64,
    /// How far the functional moves: its mean in standard deviations, or its variance as a fraction.
    change: f64,
}

impl Step {
    fn between(old: &Site, new: &Site, mean: f64, variance: f64) -> Self {
        let precision = new.precision - old.precision;
        let left = 1.0 + precision * variance;
        let gain = (new.shift - old.shift - precision * mean) / left;
        let change = (gain * variance.sqrt()).abs().max((precision * variance).abs());
        Self { gain, scale: precision / left, change }
    }
}

/// Sites and the Gaussian they make with the prior, over the coordinates.
pub(super) struct State {
    /// Prior covariance `[b, b]`.
    prior: Matrix,
    /// Observations whose functionals speak of coordinates.
    observations: Vec<Observation>,
    sites: Vec<Site>,
    mean: Vec<f64>,
    /// Posterior covariance `[b, b]`; between refreshes only its lower triangle is valid.
    covariance: Matrix,
    /// `log det (I + K A)` at the last refresh.
    log_det: f64,
}

/// Sites a block: enough for the block's update to run at the speed of a matrix product, few enough for the work within
/// the block to stay small beside it.
const BLOCK: usize = 32;

impl State {
    pub(super) fn new(prior: Matrix, observations: Vec<Observation>) -> Self {
        Self {
            mean: vec![0.0; prior.rows()],
            covariance: prior.clone(),
            sites: vec![Site::default(); observations.len()],
            prior,
            observations,
            log_det: 0.0,
        }
    }

    /// The number of coordinates.
    pub(super) fn len(&self) -> usize {
        self.mean.len()
    }

    /// Updates every site once, in order, and returns the largest change.
    ///
    /// Sites are taken in blocks. Within a block each update sees the ones before it, through the block's own small
    /// covariance; the large one then receives the whole block as one product of rank [`BLOCK`].
    pub(super) fn sweep(&mut self, damping: f64) -> f64 {
        let mut change: f64 = 0.0;
        for first in (0..self.observations.len()).step_by(BLOCK) {
            let last = (first + BLOCK).min(self.observations.len());
            change = change.max(self.sweep_block(first..last, damping));
        }
        change
    }

    fn sweep_block(&mut self, block: std::ops::Range<usize>, damping: f64) -> f64 {
        let observations = &self.observations[block.clone()];
        let size = observations.len();
        // Σ d for every site of the block as the block finds it, [b, k]; then what is left of it inside the block.
        let directions = self.directions(observations);
        let mut inner =
            Matrix::from_fn(size, size, |row, column| observations[row].functional.of(directions.column(column)));
        let mut means: Vec<f64> = observations.iter().map(|one| one.functional.of(&self.mean)).collect();
        // Column a says how Σd of site a, at its turn, is made of the columns of `directions`.
        let mut mixing = Matrix::identity(size);
        let (mut gains, mut scales) = (vec![0.0; size], vec![0.0; size]);
        let mut largest: f64 = 0.0;

        for a in 0..size {
            let (mean, variance) = (means[a], inner[(a, a)].max(0.0));
            let site = &mut self.sites[block.start + a];
            let target = Site::matching(&observations[a], &site.cavity(mean, variance));
            let new = site.towards(&target, damping);
            let step = Step::between(site, &new, mean, variance);
            *site = new;
            largest = largest.max(step.change / damping);
            (gains[a], scales[a]) = (step.gain, step.scale);

            let moved = inner.column(a).to_vec();
            for later in a + 1..size {
                let factor = step.scale * moved[later];
                means[later] += step.gain * moved[later];
                for row in a + 1..size {
                    inner[(row, later)] -= factor * moved[row];
                }
                for row in 0..=a {
                    mixing[(row, later)] -= factor * mixing[(row, a)];
                }
            }
        }

        let mixed = multiply(&directions, &mixing);
        let mut scaled = mixed.clone();
        for (column, &scale) in scaled.columns_mut().zip(&scales) {
            column.iter_mut().for_each(|entry| *entry *= scale);
        }
        lower_product_downdate(&mut self.covariance, &scaled, &mixed);
        for (entry, moved) in self.mean.iter_mut().zip(multiply_vector(&mixed, &gains)) {
            *entry += moved;
        }
        largest
    }

    /// `Σ d` for each observation, `[b, k]`.
    fn directions(&self, observations: &[Observation]) -> Matrix {
        let mut out = Matrix::zeros(self.len(), observations.len());
        for (column, observation) in out.columns_mut().zip(observations) {
            match observation.functional {
                Functional::Item(item) => add_symmetric_column(&self.covariance, item, 1.0, column),
                Functional::Difference(first, second) => {
                    add_symmetric_column(&self.covariance, first, 1.0, column);
                    add_symmetric_column(&self.covariance, second, -1.0, column);
                }
            }
        }
        out
    }

    /// Computes the Gaussian of the present sites afresh, `Σ = (I + K A)⁻¹ K`, and returns the largest change that
    /// updating any one site would now make.
    pub(super) fn refresh(&mut self) -> f64 {
        let mut matrix = self.times_sites(&self.prior);
        for i in 0..self.len() {
            matrix[(i, i)] += 1.0;
        }
        let lu = Lu::factor(matrix);
        self.log_det = lu.log_abs_det();
        self.covariance.values_mut().copy_from_slice(self.prior.values());
        lu.solve_in_place(&mut self.covariance);
        symmetrize(&mut self.covariance);
        let mut shifts = vec![0.0; self.len()];
        for (observation, site) in self.observations.iter().zip(&self.sites) {
            observation.functional.spread(site.shift, &mut shifts);
        }
        self.mean = multiply_vector(&self.covariance, &shifts);
        self.each()
            .map(|(observation, site, mean, variance)| {
                let target = Site::matching(observation, &site.cavity(mean, variance));
                Step::between(site, &target, mean, variance).change
            })
            .fold(0.0, f64::max)
    }

    /// Every observation with its site and the mean and variance of its functional.
    fn each(&self) -> impl Iterator<Item = (&Observation, &Site, f64, f64)> {
        self.observations.iter().zip(&self.sites).map(|(observation, site)| {
            let (mean, variance) = self.marginal(observation.functional);
            (observation, site, mean, variance)
        })
    }

    /// Mean and variance of a functional, from a refreshed state.
    fn marginal(&self, functional: Functional) -> (f64, f64) {
        let entry = |row: u32, column: u32| self.covariance[(row as usize, column as usize)];
        let variance = match functional {
            Functional::Item(item) => entry(item, item),
            Functional::Difference(first, second) => {
                entry(first, first) + entry(second, second) - 2.0 * entry(first, second)
            }
        };
        (functional.of(&self.mean), variance.max(0.0))
    }

    /// `matrix * A`, with `A = Σ_s tau_s d_s d_s'`: `b` operations an observation.
    fn times_sites(&self, matrix: &Matrix) -> Matrix {
        let mut out = Matrix::zeros(matrix.rows(), self.len());
        for (observation, site) in self.observations.iter().zip(&self.sites) {
            match observation.functional {
                Functional::Item(item) => {
                    let item = item as usize;
                    for (out, entry) in out.column_mut(item).iter_mut().zip(matrix.column(item)) {
                        *out += site.precision * entry;
                    }
                }
                Functional::Difference(first, second) => {
                    let (first, second) = (first as usize, second as usize);
                    for row in 0..matrix.rows() {
                        let moved = site.precision * (matrix[(row, first)] - matrix[(row, second)]);
                        out[(row, first)] += moved;
                        out[(row, second)] -= moved;
                    }
                }
            }
        }
        out
    }

    /// `P = A - A Σ A`, from a refreshed state.
    pub(super) fn shrink(&self) -> Matrix {
        let half = self.times_sites(&self.covariance);
        let half = Matrix::from_fn(half.columns(), half.rows(), |row, column| half[(column, row)]);
        let inner = self.times_sites(&half);
        let mut out = self.times_sites(&Matrix::identity(self.len()));
        for (out, inner) in out.values_mut().iter_mut().zip(inner.values()) {
            *out -= inner;
        }
        symmetrize(&mut out);
        out
    }

    /// `w`, with which prior columns make the posterior mean; from a refreshed state.
    pub(super) fn weights(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        for (observation, site, mean, _) in self.each() {
            observation.functional.spread(site.shift - site.precision * mean, &mut out);
        }
        out
    }

    /// EP's approximation to the log probability of the observations, from a refreshed state: the sites' constants
    /// $\log\tilde Z_s$, which match the zeroth moments of the tilted distributions, and the Gaussian integral
    /// $-\tfrac12 \log|I + K A| + \tfrac12 \nu' D m$. With cavity mean c and variance q,
    /// $\log\tilde Z_s = \log Z_s + \tfrac12\log(1 + q\tau) - \tfrac{2 c\nu + q\nu^2 - \tau c^2}{2(1 + q\tau)}$.
    pub(super) fn log_evidence(&self) -> f64 {
        let constants: f64 = self
            .each()
            .map(|(observation, site, mean, variance)| {
                let (tau, nu) = (site.precision, site.shift);
                let cavity = site.cavity(mean, variance);
                let grown = 1.0 + cavity.variance * tau;
                let quadratic = 2.0 * cavity.mean * nu + cavity.variance * nu * nu - tau * cavity.mean * cavity.mean;
                let log_mass = observation.moments(cavity.mean, cavity.variance).log_mass;
                log_mass + 0.5 * grown.ln() - 0.5 * quadratic / grown + 0.5 * nu * mean
            })
            .sum();
        constants - 0.5 * self.log_det
    }

    /// The coordinates' variances, from a refreshed state.
    pub(super) fn variances(&self) -> Vec<f64> {
        self.covariance.diagonal().into_iter().map(|variance| variance.max(0.0)).collect()
    }

    /// The sites and the means and variances of their functionals.
    pub(super) fn into_sites(self) -> (Vec<Site>, Vec<(f64, f64)>) {
        let marginals = self.observations.iter().map(|one| self.marginal(one.functional)).collect();
        (self.sites, marginals)
    }
}

/// Adds a column of a symmetric matrix of which only the lower triangle is valid.
fn add_symmetric_column(matrix: &Matrix, column: u32, factor: f64, onto: &mut [f64]) {
    let column = column as usize;
    for (before, out) in onto[..column].iter_mut().enumerate() {
        *out += factor * matrix[(column, before)];
    }
    for (out, entry) in onto[column..].iter_mut().zip(&matrix.column(column)[column..]) {
        *out += factor * entry;
    }
}

/// Averages away the rounding by which a symmetric matrix differs from its transpose.
fn symmetrize(matrix: &mut Matrix) {
    for column in 0..matrix.columns() {
        for row in column + 1..matrix.rows() {
            matrix[(row, column)] = 0.5 * (matrix[(row, column)] + matrix[(column, row)]);
        }
    }
    mirror_lower(matrix);
}
