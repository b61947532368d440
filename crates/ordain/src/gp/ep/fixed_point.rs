//! EP in coordinates: the fixed point of the sites, and what it says.
//!
//! Write q for the cavity variances. With q held fixed, EP's condition on the means is that
//! $m = K D'\alpha$, where $\alpha_s = \partial \log Z_s / \partial c_s$ at the cavity mean $c_s = d_s'm - q_s \alpha_s$:
//! the stationary point of a strictly concave function of m, whose Newton step is exactly "match every site to its
//! tilted moments, then solve for the mean". Two such steps before the variances are looked at again make the
//! iteration converge quickly even where updating all sites and all variances together (parallel EP) circles for ever,
//! as it does with very many answers on few items, and where one site at a time would cost `b²` an answer.

use super::{Functional, Observation};
use crate::gp::Moments;
use crate::numeric::dense::{Cholesky, SemidefiniteFactor, dot, multiply, multiply_vector, symmetrize, transpose};
use crate::numeric::{ConjugateGradients, Matrix, SymmetricOperator};
use crate::{Error, Result};

/// The Gaussian factor `exp(-½ precision x² + shift x)` that stands for an observation of `x`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Site {
    /// `tau`, not negative since all likelihoods are log-concave.
    pub precision: f64,
    /// `nu`.
    pub shift: f64,
}

/// A Gaussian of one functional.
#[derive(Debug, Clone, Copy)]
struct Gaussian {
    mean: f64,
    variance: f64,
}

impl Site {
    /// The marginal without this site. This form survives a variance of 0 (identical twins), where subtracting
    /// precisions would not.
    fn cavity(&self, marginal: Gaussian) -> Gaussian {
        // The marginal variance is v / (1 + v tau) of the cavity's v, so this is positive; rounding must not undo that.
        let left = (1.0 - marginal.variance * self.precision).max(f64::EPSILON);
        let mean = (marginal.mean - marginal.variance * self.shift) / left;
        Gaussian { mean, variance: marginal.variance / left }
    }

    /// The site whose product with the cavity has the moments of the tilted distribution (XPGP eqs. 9-12).
    fn matching(observation: &Observation, cavity: Gaussian) -> Self {
        let Moments { slope, curvature, left } = observation.moments(cavity.mean, cavity.variance);
        assert!(curvature >= 0.0 && left > 0.0, "a log-concave likelihood has non-negative site precisions");
        Self { precision: curvature / left, shift: (slope + cavity.mean * curvature) / left }
    }
}

/// Sites and the Gaussian they make with the prior, over the coordinates.
///
/// With the prior's upper triangular factor `K = F F'` and the lower Cholesky factor R of `I + F' A F`, the posterior is
/// `Σ = F (R R')⁻¹ F' = V' V` for `V = R⁻¹ F'`, lower triangular again: nothing is inverted that could be
/// singular, variances are sums of squares, and triangles save half of the work.
pub(super) struct State {
    prior: SemidefiniteFactor,
    /// Observations whose functionals speak of coordinates.
    observations: Vec<Observation>,
    sites: Vec<Site>,
    /// Every functional's marginal, and its cavity.
    marginals: Vec<Gaussian>,
    cavities: Vec<Gaussian>,
    mean: Vec<f64>,
    /// `V`, whose columns are the coordinates.
    root: Matrix,
    /// `log det (I + K A)`.
    log_det: f64,
}

impl State {
    /// No site says anything yet. `prior` is the covariance of the coordinates.
    pub(super) fn new(prior: Matrix, observations: Vec<Observation>) -> Self {
        let size = prior.rows();
        let prior = SemidefiniteFactor::new(&prior);
        let mut state = Self {
            mean: vec![0.0; size],
            root: prior.transpose().clone(),
            sites: vec![Site::default(); observations.len()],
            marginals: Vec::new(),
            cavities: Vec::new(),
            prior,
            observations,
            log_det: 0.0,
        };
        state.marginals = state.observations.iter().map(|one| state.marginal(one.functional)).collect();
        state.cavities = state.marginals.clone();
        state
    }

    /// The number of coordinates.
    pub(super) fn len(&self) -> usize {
        self.mean.len()
    }

    /// Two Newton steps for the means, then fresh variances. Returns the largest change of a functional: of its mean in
    /// standard deviations, or of its variance as a fraction. `5 b³/3` operations and `O(b)` an observation.
    pub(super) fn iterate(&mut self, damping: f64) -> Result<f64> {
        let before = self.sites.clone();
        self.match_sites();
        if self.approach_mean(&before).is_err() {
            self.solve_mean()?;
        }
        self.follow_mean();
        self.match_sites();
        let cholesky = self.solve_mean()?;
        self.log_det = cholesky.log_det();
        self.root = self.prior.divided_by(&cholesky);

        let mut change: f64 = 0.0;
        for at in 0..self.observations.len() {
            let (old, new) = (self.marginals[at], self.marginal(self.observations[at].functional));
            // Twins have no variance at all: there, rounding is measured against the noise.
            let variance = new.variance.max(1e-12 * self.observations[at].noise.powi(2));
            change = change.max((new.mean - old.mean).abs() / variance.sqrt());
            change = change.max((new.variance - old.variance).abs() / variance);
            self.marginals[at] = new;
            let (cavity, target) = (&mut self.cavities[at], self.sites[at].cavity(new));
            cavity.mean += damping * (target.mean - cavity.mean);
            cavity.variance += damping * (target.variance - cavity.variance);
        }
        Ok(change)
    }

    fn match_sites(&mut self) {
        for ((site, observation), &cavity) in self.sites.iter_mut().zip(&self.observations).zip(&self.cavities) {
            *site = Site::matching(observation, cavity);
        }
    }

    /// Moves the cavity means along with the mean, their variances held: `c = d'm (1 + q tau) - q nu`.
    fn follow_mean(&mut self) {
        for ((cavity, site), observation) in self.cavities.iter_mut().zip(&self.sites).zip(&self.observations) {
            let mean = observation.functional.of(&self.mean);
            cavity.mean = mean * (1.0 + cavity.variance * site.precision) - cavity.variance * site.shift;
        }
    }

    /// Moves the mean to what the present sites make of it, to a thousandth of the way, which is all that the step after
    /// it can use. The Gaussian of the sites `before` is here the prior, on which the sites' changes act: with
    /// `y` from `(I + V ΔA V') y = V Σ_s (Δnu_s - Δtau_s d_s'm) d_s`, the mean moves by `V' y`. As the sites settle the
    /// matrix comes near the identity, so a few conjugate gradients of `O(b²)` replace a factorisation.
    fn approach_mean(&mut self, before: &[Site]) -> Result<()> {
        const ENOUGH: ConjugateGradients = ConjugateGradients { tolerance: 1e-3, iterations: 12 };
        let mut pull = vec![0.0; self.len()];
        let mut changes = Vec::with_capacity(before.len());
        for ((observation, site), old) in self.observations.iter().zip(&self.sites).zip(before) {
            let change = site.precision - old.precision;
            let mean = observation.functional.of(&self.mean);
            observation.functional.spread(site.shift - old.shift - change * mean, &mut pull);
            changes.push((observation.functional, change));
        }
        let operator = SiteChanges { root: &self.root, changes };
        let mut along = vec![0.0; self.root.rows()];
        ENOUGH.solve(&operator, &multiply_vector(&self.root, &pull), &mut along)?;
        for (item, mean) in self.mean.iter_mut().enumerate() {
            *mean += dot(self.root.column(item), &along);
        }
        Ok(())
    }

    /// The mean that the present sites make with the prior, `F (I + F' A F)⁻¹ F' D' nu`, and the factor R.
    fn solve_mean(&mut self) -> Result<Cholesky> {
        let factor = self.prior.transpose();
        let matrix = self.prior.identity_plus(&self.times_sites(factor));
        let cholesky = Cholesky::factor(matrix).map_err(|pivot| Error::NotPositiveDefinite {
            what: "I + F'AF, with the prior K = FF' and the answers' precision A",
            pivot,
            dimension: factor.rows(),
        })?;
        let mut shifts = vec![0.0; self.len()];
        for (observation, site) in self.observations.iter().zip(&self.sites) {
            observation.functional.spread(site.shift, &mut shifts);
        }
        let mut inner = Matrix::zeros(factor.rows(), 1);
        inner.values_mut().copy_from_slice(&multiply_vector(factor, &shifts));
        cholesky.solve_in_place(&mut inner);
        for (item, mean) in self.mean.iter_mut().enumerate() {
            *mean = dot(factor.column(item), inner.values());
        }
        Ok(cholesky)
    }

    fn marginal(&self, functional: Functional) -> Gaussian {
        let variance = match functional {
            Functional::Item(item) => square(self.root.column(item as usize)),
            Functional::Difference(first, second) => {
                square_of_difference(self.root.column(first as usize), self.root.column(second as usize))
            }
        };
        Gaussian { mean: functional.of(&self.mean), variance }
    }

    /// `matrix * A`, with `A = Σ_s tau_s d_s d_s'`: `O(b)` an observation.
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
                    let (to_first, to_second) = out.two_columns_mut(first, second);
                    let from = matrix.column(first).iter().zip(matrix.column(second));
                    for ((to_first, to_second), (first, second)) in to_first.iter_mut().zip(to_second).zip(from) {
                        let moved = site.precision * (first - second);
                        *to_first += moved;
                        *to_second -= moved;
                    }
                }
            }
        }
        out
    }

    /// `P = A - A Σ A = A - (V A)' (V A)`.
    pub(super) fn shrink(&self) -> Matrix {
        let half = self.times_sites(&self.root);
        let inner = multiply(&transpose(&half), &half);
        let mut out = self.times_sites(&Matrix::identity(self.len()));
        for (out, inner) in out.values_mut().iter_mut().zip(inner.values()) {
            *out -= inner;
        }
        symmetrize(&mut out);
        out
    }

    /// `w`, with which prior columns make the posterior mean.
    pub(super) fn weights(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        for ((observation, site), marginal) in self.observations.iter().zip(&self.sites).zip(&self.marginals) {
            observation.functional.spread(site.shift - site.precision * marginal.mean, &mut out);
        }
        out
    }

    /// EP's approximation to the log probability of the observations: the sites' constants $\log\tilde Z_s$, which match
    /// the zeroth moments of the tilted distributions, and the Gaussian integral
    /// $-\tfrac12 \log|I + K A| + \tfrac12 \nu' D m$. With cavity mean c and variance q,
    /// $\log\tilde Z_s = \log Z_s + \tfrac12\log(1 + q\tau) - \tfrac{2 c\nu + q\nu^2 - \tau c^2}{2(1 + q\tau)}$.
    pub(super) fn log_evidence(&self) -> f64 {
        let constant = |((observation, site), &marginal): ((&Observation, &Site), &Gaussian)| {
            let (tau, nu) = (site.precision, site.shift);
            let Gaussian { mean: c, variance: q } = site.cavity(marginal);
            let grown = 1.0 + q * tau;
            let quadratic = 2.0 * c * nu + q * nu * nu - tau * c * c;
            observation.log_mass(c, q) + 0.5 * grown.ln() - 0.5 * quadratic / grown + 0.5 * nu * marginal.mean
        };
        let constants: f64 = self.observations.iter().zip(&self.sites).zip(&self.marginals).map(constant).sum();
        constants - 0.5 * self.log_det
    }

    /// The coordinates' variances.
    pub(super) fn variances(&self) -> Vec<f64> {
        (0..self.len()).map(|item| square(self.root.column(item))).collect()
    }

    /// The sites, one an observation, in their order.
    pub(super) fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Mean and variance of every observation's functional.
    pub(super) fn marginals(&self) -> impl Iterator<Item = (f64, f64)> {
        self.marginals.iter().map(|marginal| (marginal.mean, marginal.variance))
    }
}

/// `I + V ΔA V'`: what changes of site precisions do to a Gaussian with covariance `V' V`, in its own coordinates.
struct SiteChanges<'a> {
    root: &'a Matrix,
    changes: Vec<(Functional, f64)>,
}

impl SymmetricOperator for SiteChanges<'_> {
    fn size(&self) -> usize {
        self.root.rows()
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        let items = self.root.columns();
        let spread: Vec<f64> = (0..items).map(|item| dot(self.root.column(item), x)).collect();
        let mut pulled = vec![0.0; items];
        for &(functional, change) in &self.changes {
            functional.spread(change * functional.of(&spread), &mut pulled);
        }
        let moved = multiply_vector(self.root, &pulled);
        for (out, (x, moved)) in out.iter_mut().zip(x.iter().zip(moved)) {
            *out = x + moved;
        }
    }

    fn preconditioner(&self) -> Vec<f64> {
        vec![1.0; self.size()]
    }
}

fn square(vector: &[f64]) -> f64 {
    dot(vector, vector)
}

/// `|left - right|²`, in eight interleaved partial sums as in [`dot`].
fn square_of_difference(left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (left_blocks, left_rest) = left.as_chunks::<8>();
    let (right_blocks, right_rest) = right.as_chunks::<8>();
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        for lane in 0..8 {
            sums[lane] += (left[lane] - right[lane]).powi(2);
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(left, right)| (left - right).powi(2)).sum();
    sums.iter().sum::<f64>() + rest
}
