//! EP in coordinates: the fixed point of the sites, and its results.
//!
//! Write q for the cavity variances. With q held fixed, EP's condition on the means is $m = K D'\alpha$, where
//! $\alpha_s = \partial \log Z_s / \partial c_s$ at the cavity mean $c_s = d_s'm - q_s \alpha_s$. This is the
//! stationary point of a strictly concave function of m. Its Newton step is exactly "match every site to its tilted
//! moments, then solve for the mean".
//!
//! Two such steps, then fresh variances, converge quickly. Updating all sites and variances together (parallel EP)
//! circles for ever with very many answers on few items. Updating one site at a time costs `b²` per answer. It is the
//! last resort: thousands of judges who agree on a pair, with next to no noise, make the steps above collapse at first
//! and then creep.

mod apart;
mod careful;
mod folded;
mod unit_noise;

pub(in crate::gp) use apart::Apart;
use rayon::prelude::*;

use self::folded::{Folded, Precision};
use super::conditioning::Root;
use super::site::{Gaussian, Site};
use super::{Functional, Observation};
use crate::Result;
use crate::gp::observation::Slopes;
use crate::gp::{check_prior, prior_too_wide};
use crate::numeric::dense::{
    Cholesky, SemidefiniteFactor, add_scaled, dot, multiply_transposed, multiply_vector, squared, squared_distance,
};
use crate::numeric::{ConjugateGradients, Matrix, SparseMatrix, SymmetricOperator};

/// The largest ratio of the prior's pivots at which iterations may divide by the prior. It costs as many digits of what they
/// find, and the last iteration does not divide.
const MOST_CONDITION: f64 = 1e5;

/// The most that rounding may move at a fixed point.
const MOST_ROUNDING: f64 = 1e-6;

/// Sites and the Gaussian that they make with the prior, over the coordinates.
///
/// Let `K = F F'` with the upper triangular factor F, and R be the lower Cholesky factor of `I + F' A F`. The posterior
/// is `Σ = F (R R')⁻¹ F' = V' V` for `V = R⁻¹ F'`, which is lower triangular again. So nothing that could be singular
/// is inverted, variances are sums of squares, and triangles save half of the work.
#[derive(Clone)]
pub(super) struct State {
    /// The factor F of the coordinates that are kept, and R and V of these, if screens are folded.
    prior: SemidefiniteFactor,
    /// The screens whose asides are taken out by themselves.
    folded: Option<Folded>,
    /// The inverse of the prior, while iterations may use it ([`State::follow_by_precision`]).
    prior_precision: Option<Matrix>,
    /// The largest prior variance.
    widest: f64,
    /// Whether small sites count to their last digit beside large ones.
    is_careful: bool,
    /// The different observations, with functionals of coordinates.
    observations: Vec<Observation>,
    /// How many there are of each.
    counts: Vec<f64>,
    /// The site of one of each.
    sites: Vec<Site>,
    /// Every functional's marginal, and its cavity.
    marginals: Vec<Gaussian>,
    cavities: Vec<Gaussian>,
    /// The last moves of the cavity variances, as fractions.
    steps: Vec<f64>,
    /// The part of such a move that is made.
    damping: f64,
    mean: Vec<f64>,
    /// `(R R')⁻¹ F' D' nu`; F times it is the mean.
    inner: Matrix,
    /// `R`.
    cholesky: Cholesky,
    /// `V`, whose columns are the coordinates.
    root: Matrix,
    /// Memory for `F' A`: fresh pages in every iteration would cost as much as the arithmetic.
    scratch: Matrix,
}

impl State {
    /// The state before any site. `prior` is the covariance of the coordinates, and there are so many of each observation.
    ///
    /// # Errors
    /// If the squares of the prior are not finite.
    pub(super) fn new(prior: Matrix, observations: Vec<Observation>, counts: &[u32]) -> Result<Self> {
        check_prior(prior.values())?;
        let size = prior.rows();
        let folded = Folded::find(&prior, &observations, counts);
        let kept = folded.as_ref().map_or(size, |folded| folded.kept);
        let prior = if kept < size { Matrix::from_fn(kept, kept, |row, column| prior[(row, column)]) } else { prior };
        let widest = prior.diagonal().into_iter().fold(0.0, f64::max);
        let prior = SemidefiniteFactor::new(&prior);
        let rank = prior.transpose().rows();
        let own_rows = folded.as_ref().map_or(0, |folded| folded.own_rows(size));
        let mut state = Self {
            folded,
            mean: vec![0.0; size],
            inner: Matrix::zeros(rank, 1),
            cholesky: Cholesky::identity(rank),
            root: Matrix::zeros(rank + own_rows, size),
            scratch: Matrix::zeros(rank, kept),
            sites: vec![Site::default(); observations.len()],
            marginals: Vec::new(),
            cavities: Vec::new(),
            steps: vec![0.0; observations.len()],
            damping: 1.0,
            prior_precision: prior.well_conditioned_inverse(MOST_CONDITION),
            widest,
            is_careful: false,
            prior,
            observations,
            counts: counts.iter().map(|&count| f64::from(count)).collect(),
        };
        state.set_root(|_, prior, root| root.clone_from(prior.transpose()));
        state.marginals = state.fresh_marginals();
        state.cavities = state.marginals.clone();
        Ok(state)
    }

    /// The state with these sites, found under this prior or one near it.
    ///
    /// # Errors
    /// If the prior is not finite, or its rounding hides the sites.
    pub(super) fn from_sites(
        prior: Matrix,
        observations: Vec<Observation>,
        counts: &[u32],
        sites: Vec<Site>,
    ) -> Result<Self> {
        let mut state = Self::new(prior, observations, counts)?;
        state.sites = sites;
        state.follow_sites()?;
        state.marginals = state.fresh_marginals();
        state.cavities =
            state.sites.iter().zip(&state.marginals).map(|(site, &marginal)| site.cavity(marginal)).collect();
        Ok(state)
    }

    /// The state under another prior, with other sites in place of these.
    ///
    /// # Errors
    /// As [`State::from_sites`].
    pub(super) fn elsewhere(&self, prior: Matrix, site: impl FnMut(&Site) -> Site) -> Result<Self> {
        let counts: Vec<u32> = self.counts.iter().map(|&count| count as u32).collect();
        let sites = self.sites.iter().map(site).collect();
        let mut other = Self::from_sites(prior, self.observations.clone(), &counts, sites)?;
        other.is_careful = self.is_careful;
        Ok(other)
    }

    /// The number of coordinates.
    pub(super) fn len(&self) -> usize {
        self.mean.len()
    }

    /// Two Newton steps for the means, then fresh variances. Returns the largest change of a functional: of its mean in
    /// standard deviations, or of its variance as a fraction. `b³` operations, `5 b³/3` where the first step needs a
    /// factorisation too, and `O(b)` per observation.
    pub(super) fn iterate(&mut self, damping: f64) -> Result<f64> {
        let before = self.sites.clone();
        self.match_sites()?;
        if self.approach_mean(&before).is_err() {
            self.follow_sites()?;
        }
        self.follow_mean();
        self.match_sites()?;
        self.check_careful()?;
        let change = self.settle()?;
        self.move_cavities(damping);
        Ok(change)
    }

    /// Forgets the sites, and no longer divides by the prior.
    pub(super) fn forget(&mut self) {
        self.prior_precision = None;
        self.sites.fill(Site::default());
        if let Some(folded) = &mut self.folded {
            folded.fold(&self.sites, &self.counts);
        }
        self.mean.fill(0.0);
        self.cholesky = Cholesky::identity(self.prior.transpose().rows());
        self.set_root(|_, prior, root| root.clone_from(prior.transpose()));
        self.marginals = self.fresh_marginals();
    }

    /// Matches one site after the other to the Gaussian that all others make at that moment, then takes fresh means and
    /// variances from the sites. Returns what [`State::iterate`] returns. `2 b²` operations per observation.
    ///
    /// Twins differ by rounding alone, of which nothing can be learned. Their sites stay empty: the precisions of sharp
    /// ones would bring their rounding into what twins have in common.
    pub(super) fn sweep(&mut self) -> Result<f64> {
        /// A squared part of a standard deviation that is rounding.
        const NOTHING: f64 = 64.0 * f64::EPSILON * f64::EPSILON;
        for ((observation, site), &count) in self.observations.iter().zip(&mut self.sites).zip(&self.counts) {
            let along = match observation.functional {
                Functional::Item(item) => self.root.column(item as usize).to_vec(),
                Functional::Difference(first, second) => {
                    let (first, second) = (self.root.column(first as usize), self.root.column(second as usize));
                    if squared_distance(first, second) <= NOTHING * dot(first, first) {
                        continue;
                    }
                    first.iter().zip(second).map(|(first, second)| first - second).collect()
                }
                beside @ (Functional::Beside(..) | Functional::OnScreen(..)) => {
                    let mut along = vec![0.0; self.root.rows()];
                    let column = |axis: u32| self.root.column(axis as usize);
                    beside.terms().for_each(|(axis, sign)| add_scaled(&mut along, sign, column(axis)));
                    along
                }
            };
            let marginal = Gaussian { mean: observation.functional.of(&self.mean), variance: dot(&along, &along) };
            let before = std::mem::replace(site, site.matching_all(observation, marginal, count)?);
            let precision = count * (site.precision - before.precision);
            // The marginal has at least the precision of its old site, so this is positive; rounding must not undo that.
            let grown = (1.0 + precision * marginal.variance).max(f64::EPSILON);
            let step = (count * (site.shift - before.shift) - precision * marginal.mean) / grown;
            // The covariance V' V loses precision / grown times the square of V' along. Of V itself this takes the
            // part that leaves 1 / grown of the squared length along it.
            let part = if marginal.variance > 0.0 { (1.0 - grown.sqrt().recip()) / marginal.variance } else { 0.0 };
            for (mean, column) in self.mean.iter_mut().zip(self.root.columns_mut()) {
                let own = dot(&along, column);
                *mean += step * own;
                add_scaled(column, -part * own, &along);
            }
        }
        let change = self.settle()?;
        self.cavities = self.sites.iter().zip(&self.marginals).map(|(site, &marginal)| site.cavity(marginal)).collect();
        Ok(change)
    }

    /// Takes means and variances from the sites. Returns the largest change of a functional.
    fn settle(&mut self) -> Result<f64> {
        self.follow_sites()?;
        let fresh = self.fresh_marginals();
        let mut change: f64 = 0.0;
        for ((observation, old), new) in self.observations.iter().zip(&self.marginals).zip(&fresh) {
            // Twins have no variance at all. There, rounding is measured against the noise.
            let variance = new.variance.max(1e-12 * observation.noise.powi(2));
            // A difference of means has the rounding of both. The tolerance is some millions of it.
            let rounding = match observation.functional {
                Functional::Item(_) => 0.0,
                compared => {
                    let part = |(axis, factor): (u32, f64)| (factor * self.mean[axis as usize]).abs();
                    f64::EPSILON * compared.terms().map(part).sum::<f64>()
                }
            };
            let moved = (new.mean - old.mean).abs() / variance.sqrt().max(1e10 * rounding);
            let grown = (new.variance - old.variance).abs() / variance;
            // Taking the maximum would ignore NaN.
            if !(moved.is_finite() && grown.is_finite()) {
                return Err(prior_too_wide());
            }
            change = change.max(moved).max(grown);
        }
        self.marginals = fresh;
        Ok(change)
    }

    /// Takes the mean and the root of the covariance from the sites.
    fn follow_sites(&mut self) -> Result<()> {
        if let Some(folded) = &mut self.folded {
            folded.fold(&self.sites, &self.counts);
        }
        if self.prior_precision.is_some() && self.follow_by_precision().is_ok() {
            return Ok(());
        }
        self.prior_precision = None;
        self.solve_mean()?;
        self.set_root(|cholesky, prior, root| prior.divided_by(cholesky, root));
        Ok(())
    }

    /// Sets the root of the covariance of the kept coordinates, and what follows for all.
    fn set_root(&mut self, fill: impl FnOnce(&Cholesky, &SemidefiniteFactor, &mut Matrix)) {
        let Some(folded) = &mut self.folded else { return fill(&self.cholesky, &self.prior, &mut self.root) };
        if folded.root.rows() == 0 {
            folded.root = Matrix::zeros(self.prior.transpose().rows(), folded.kept);
            folded.fold(&self.sites, &self.counts);
        }
        fill(&self.cholesky, &self.prior, &mut folded.root);
        folded.unfold_root(&mut self.root);
    }

    /// Sets the mean of the kept coordinates, and what follows for all.
    fn set_mean(&mut self, kept: Vec<f64>) {
        let size = self.len();
        self.mean = match &self.folded {
            Some(folded) => folded.unfolded_mean(kept, size),
            None => kept,
        };
    }

    /// As [`State::follow_sites`], by the precision of the posterior: `Σ⁻¹ = K⁻¹ + A = M M'`, so that `V = M⁻¹`. `2 b³/3` operations
    /// in place of `5 b³/3`, for priors that are far from singular.
    fn follow_by_precision(&mut self) -> Result<()> {
        let Some(prior) = &self.prior_precision else { return Ok(()) };
        let mut matrix = std::mem::replace(&mut self.cholesky, Cholesky::identity(0)).into_matrix();
        matrix.values_mut().copy_from_slice(prior.values());
        self.kept_precision().add_to(1.0, &mut matrix);
        let size = matrix.rows();
        match Cholesky::factor(matrix) {
            Ok(cholesky) => self.cholesky = cholesky,
            Err(_) => {
                self.cholesky = Cholesky::identity(size);
                return Err(prior_too_wide());
            }
        }
        self.set_root(|cholesky, _, root| cholesky.invert_lower(root));
        let root = self.folded.as_ref().map_or(&self.root, |folded| &folded.root);
        let mean = multiply_transposed(root, &multiply_vector(root, &self.kept_shifts()));
        self.set_mean(mean);
        Ok(())
    }

    /// Does not divide by the prior from now on.
    pub(super) fn be_exact(&mut self) {
        self.prior_precision = None;
    }

    /// Whether the last iteration did not divide by the prior.
    pub(super) fn is_exact(&self) -> bool {
        self.prior_precision.is_none()
    }

    /// Moves the cavities towards the values that sites and marginals give, at most this part of the way.
    ///
    /// Where very many answers bear on few items, the whole way would overshoot, back and forth and ever farther. To
    /// first order each step is `mu` times the one before. Going the part `damping / (1 - mu)` of the way would have
    /// reached the end (Aitken's relaxation, with a Rayleigh quotient for `mu`), so the next step goes that part.
    fn move_cavities(&mut self, most: f64) {
        /// Steps in the same direction are trusted to shrink by at least this factor.
        const LARGEST: f64 = 0.5;
        /// The smallest part of the way, however wild the quotient.
        const SMALLEST: f64 = 0.1;
        let targets: Vec<Gaussian> =
            self.sites.iter().zip(&self.marginals).map(|(site, &marginal)| site.cavity(marginal)).collect();
        let (mut along, mut square) = (0.0, 0.0);
        for (((step, cavity), target), count) in
            self.steps.iter_mut().zip(&self.cavities).zip(&targets).zip(&self.counts)
        {
            let fraction = if target.variance > 0.0 { 1.0 - cavity.variance / target.variance } else { 0.0 };
            along += count * fraction * *step;
            square += count * *step * *step;
            *step = fraction;
        }
        if square > 0.0 {
            let mu = (along / square).min(LARGEST);
            self.damping = (self.damping / (1.0 - mu)).clamp(SMALLEST, most);
        }
        for (cavity, target) in self.cavities.iter_mut().zip(&targets) {
            cavity.mean += self.damping * (target.mean - cavity.mean);
            cavity.variance += self.damping * (target.variance - cavity.variance);
        }
    }

    fn match_sites(&mut self) -> Result<()> {
        for ((site, observation), &cavity) in self.sites.iter_mut().zip(&self.observations).zip(&self.cavities) {
            *site = Site::matching(observation, cavity)?;
        }
        Ok(())
    }

    /// Moves the cavity means along with the mean, their variances held: `c = d'm (1 + q tau) - q nu`.
    fn follow_mean(&mut self) {
        for ((cavity, site), observation) in self.cavities.iter_mut().zip(&self.sites).zip(&self.observations) {
            let mean = observation.functional.of(&self.mean);
            cavity.mean = mean * (1.0 + cavity.variance * site.precision) - cavity.variance * site.shift;
        }
    }

    /// Moves the mean to that of the present sites, to a thousandth of the way; the next step can use no more. The
    /// Gaussian of the sites `before` serves as the prior, and the changes of the sites act on it: with `y` from `(I +
    /// V ΔA V') y = V Σ_s (Δnu_s - Δtau_s d_s'm) d_s`, the mean moves by `V' y`. As the sites settle, the matrix
    /// approaches the identity, so a few conjugate gradients of `O(b²)` replace a factorisation.
    fn approach_mean(&mut self, before: &[Site]) -> Result<()> {
        const ENOUGH: ConjugateGradients = ConjugateGradients { tolerance: 1e-3, iterations: 12 };
        let mut pull = vec![0.0; self.len()];
        let mut changes = Vec::with_capacity(before.len());
        for (((observation, site), old), count) in
            self.observations.iter().zip(&self.sites).zip(before).zip(&self.counts)
        {
            let change = count * (site.precision - old.precision);
            let mean = observation.functional.of(&self.mean);
            observation.functional.spread(count * (site.shift - old.shift) - change * mean, &mut pull);
            changes.push((observation.functional, change));
        }
        let operator = SiteChanges { root: &self.root, changes };
        let mut along = vec![0.0; self.root.rows()];
        ENOUGH.solve(&operator, &multiply_vector(&self.root, &pull), &mut along)?;
        add_scaled(&mut self.mean, 1.0, &multiply_transposed(&self.root, &along));
        Ok(())
    }

    /// The mean that the present sites give with the prior, `F (I + F' A F)⁻¹ F' D' nu`, and the factor R.
    fn solve_mean(&mut self) -> Result<()> {
        if self.is_careful {
            self.solve_by_least_squares();
            return Ok(());
        }
        let factor = self.prior.transpose();
        let precision = self.kept_precision();
        let mut matrix = std::mem::replace(&mut self.cholesky, Cholesky::identity(0)).into_matrix();
        precision.left_times(factor, &mut self.scratch);
        self.prior.identity_plus(&self.scratch, &mut matrix);
        // All its eigenvalues are at least 1, unless rounding is larger than that.
        self.cholesky = Cholesky::factor(matrix).map_err(|_| prior_too_wide())?;
        let along = multiply_vector(factor, &self.kept_shifts());
        self.inner.values_mut().copy_from_slice(&along);
        self.cholesky.solve_in_place(&mut self.inner);
        let mean = multiply_transposed(factor, self.inner.values());
        self.set_mean(mean);
        Ok(())
    }

    fn fresh_marginals(&self) -> Vec<Gaussian> {
        self.observations.par_iter().with_min_len(128).map(|one| self.marginal(one.functional)).collect()
    }

    fn marginal(&self, functional: Functional) -> Gaussian {
        let variance = match functional {
            Functional::Item(item) => self.covariance(item as usize, item as usize),
            Functional::Difference(first, second) => {
                squared_distance(self.root.column(first as usize), self.root.column(second as usize))
            }
            Functional::Beside(first, second, aside) => {
                if let Some(known) =
                    self.folded.as_ref().and_then(|folded| folded.variance_beside(functional, &self.root))
                {
                    return Gaussian { mean: functional.of(&self.mean), variance: known };
                }
                let at = |axis: u32| self.root.column(axis as usize);
                let rows = at(first).iter().zip(at(second)).zip(at(aside));
                rows.map(|((first, second), aside)| (first - second + aside).powi(2)).sum()
            }
            Functional::OnScreen(..) => {
                let along = self.along(functional);
                dot(&along, &along)
            }
        };
        Gaussian { mean: functional.of(&self.mean), variance }
    }

    /// `V d`.
    fn along(&self, functional: Functional) -> Vec<f64> {
        let mut along = vec![0.0; self.root.rows()];
        functional.terms().for_each(|(axis, sign)| add_scaled(&mut along, sign, self.root.column(axis as usize)));
        along
    }

    /// `A = Σ_s tau_s d_s d_s'`.
    fn precision(&self) -> SparseMatrix {
        SparseMatrix::from_entries(self.len(), self.len(), &self.precision_entries(|_| true))
            .unwrap_or_else(|_| unreachable!("functionals speak of coordinates"))
    }

    /// Those of A that are from some of the sites.
    fn precision_entries(&self, wanted: impl Fn(usize) -> bool) -> Vec<(u32, u32, f64)> {
        let mut entries = Vec::with_capacity(4 * self.sites.len());
        let each = self.observations.iter().zip(&self.sites).zip(&self.counts).enumerate();
        for (_, ((observation, site), count)) in each.filter(|(at, _)| wanted(*at)) {
            let tau = count * site.precision;
            match observation.functional {
                Functional::Item(item) => entries.push((item, item, tau)),
                Functional::Difference(first, second) => entries.extend([
                    (first, first, tau),
                    (second, second, tau),
                    (first, second, -tau),
                    (second, first, -tau),
                ]),
                beside @ (Functional::Beside(..) | Functional::OnScreen(..)) => {
                    for (row, sign) in beside.terms() {
                        entries.extend(beside.terms().map(|(column, other)| (row, column, sign * other * tau)));
                    }
                }
            }
        }
        entries
    }

    /// `D' nu`.
    fn shifts(&self) -> Vec<f64> {
        self.shifts_of(|_| true)
    }

    /// `D' nu` of the sites with such precisions.
    fn shifts_of(&self, wanted: impl Fn(f64) -> bool) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        for ((observation, site), count) in self.observations.iter().zip(&self.sites).zip(&self.counts) {
            if wanted(site.precision) {
                observation.functional.spread(count * site.shift, &mut out);
            }
        }
        out
    }

    /// `V`, whose columns' products are the covariances of the coordinates.
    pub(super) fn root(&self) -> &Matrix {
        &self.root
    }

    /// The covariance of two coordinates.
    pub(super) fn covariance(&self, first: usize, second: usize) -> f64 {
        dot(self.root.column(first), self.root.column(second))
    }

    /// The coordinates' means and variances.
    pub(super) fn coordinates(&self) -> impl Iterator<Item = (f64, f64)> {
        self.mean.iter().enumerate().map(|(axis, &mean)| (mean, self.covariance(axis, axis)))
    }

    /// The part of a standard deviation, or of a variance, that rounding may move. The sites add precisions to the
    /// prior's, which is 1 in the coordinates that F maps from; they are known to this part of it. At most a millionth:
    /// beyond that, standing still would be luck.
    pub(super) fn rounding(&self) -> f64 {
        // Precisions count in units of the prior's.
        let unit = if self.prior_precision.is_some() { self.widest } else { 1.0 };
        let precision = unit * self.cholesky.largest_pivot();
        let part = if self.is_careful { precision.sqrt() } else { precision };
        (f64::EPSILON * part).min(MOST_ROUNDING)
    }

    /// Whether rounding moves more than that.
    pub(super) fn is_lost_in_rounding(&self) -> bool {
        self.rounding() >= MOST_ROUNDING
    }

    /// EP's approximation to the log probability of the observations: the sites' constants $\log\tilde Z_s$, which
    /// match the zeroth moments of the tilted distributions, plus the Gaussian integral $-\tfrac12 \log|I + K A| +
    /// \tfrac12 \nu' D m$. With cavity mean c and variance q, $\log\tilde Z_s = \log Z_s + \tfrac12\log(1 + q\tau) -
    /// \tfrac{2 c\nu + q\nu^2 - \tau c^2}{2(1 + q\tau)}$. The marginal mean is $m = (c + q\nu)/(1 + q\tau)$, so the
    /// fraction and $\tfrac12\nu m$ add up to $-\tfrac12 c (\nu - \tau m)$.
    pub(super) fn log_evidence(&self) -> f64 {
        let constant = |(((observation, site), &marginal), count): (((&Observation, &Site), &Gaussian), &f64)| {
            let Gaussian { mean: c, variance: q } = site.cavity(marginal);
            let pull = site.shift - site.precision * marginal.mean;
            count * (observation.log_mass(c, q) + 0.5 * (q * site.precision).ln_1p() - 0.5 * c * pull)
        };
        let each = self.observations.iter().zip(&self.sites).zip(&self.marginals).zip(&self.counts);
        let constants: f64 = each.map(constant).sum();
        // `|I + K A| = |K| |K⁻¹ + A|`.
        let prior = if self.prior_precision.is_some() { self.prior.log_det() } else { 0.0 };
        let folded = self.folded.as_ref().map_or(0.0, Folded::log_det);
        constants - 0.5 * (self.cholesky.log_det() + prior + folded)
    }

    /// The derivatives of the log evidence by what one of each different observation is made of. At the fixed point the evidence is stationary in the
    /// sites, so those of the tilted distributions' constants are all.
    pub(super) fn slopes(&self) -> Vec<Slopes> {
        let each = self.observations.iter().zip(&self.sites).zip(&self.marginals);
        let slopes = each.map(|((observation, site), &marginal)| {
            let Gaussian { mean, variance } = site.cavity(marginal);
            let slopes = observation.slopes(mean, variance);
            let by_shared = self.by_shared_noise(observation.functional, *site, marginal);
            Slopes { noise: slopes.noise + by_shared / observation.noise, ..slopes }
        });
        slopes.collect()
    }

    /// The derivative of the log evidence by the logarithm of the noise that a comparison shares with others on its screen; 0 for what
    /// shares none. With the sites held, it is that of a Gaussian by the functional d: `(nu - tau m_d) m_s - tau Cov(d, s)`, for the share
    /// s of the functional that is noise.
    fn by_shared_noise(&self, functional: Functional, site: Site, marginal: Gaussian) -> f64 {
        let Functional::OnScreen(first, second, _) = functional else { return 0.0 };
        let difference = Functional::Difference(first, second);
        let (along, items) = (self.along(functional), self.along(difference));
        let mean = marginal.mean - difference.of(&self.mean);
        let covariance: f64 = along.iter().zip(&items).map(|(all, items)| all * (all - items)).sum();
        (site.shift - site.precision * marginal.mean) * mean - site.precision * covariance
    }

    /// The symmetric matrix G for which `½ Σ_ij G_ij ∂K_ij/∂θ` is the derivative of the log evidence by any parameter
    /// of the prior. At the fixed point the evidence is stationary in the sites, so they count as constants. What
    /// remains is the derivative of a Gaussian, `G = w w' - (K + A⁻¹)⁻¹` with `w = K⁻¹ m`. Without inverses of the
    /// prior, `w = D' nu - A m` and `(K + A⁻¹)⁻¹ = A - A Σ A`. `b³` operations.
    pub(super) fn pull_on_prior(&self) -> Matrix {
        let precision = self.kept_precision();
        let root = self.folded.as_ref().map_or(&self.root, |folded| &folded.root);
        let kept = root.columns();
        let mut through = Matrix::zeros(root.rows(), kept);
        precision.left_times(root, &mut through);
        let mut out = squared(&through);
        let pull = self.pull(&precision);
        for (column, &own) in out.columns_mut().zip(&pull) {
            add_scaled(column, own, &pull);
        }
        precision.add_to(-1.0, &mut out);
        if kept == self.len() {
            return out;
        }
        let at = |row: usize, column: usize| if row.max(column) < kept { out[(row, column)] } else { 0.0 };
        Matrix::from_fn(self.len(), self.len(), at)
    }

    /// The derivative of the log evidence by the prior mean of the coordinates, `w = K⁻¹ m`. The law of folded asides is fixed, and nothing
    /// pulls at it.
    pub(super) fn pull_on_mean(&self) -> Vec<f64> {
        let mut out = self.pull(&self.kept_precision());
        out.resize(self.len(), 0.0);
        out
    }

    /// `D' nu - A m`, for the precision A.
    fn pull(&self, precision: &Precision) -> Vec<f64> {
        let shifts = self.kept_shifts();
        let explained = precision.times(&self.mean[..shifts.len()]);
        shifts.iter().zip(&explained).map(|(shift, explained)| shift - explained).collect()
    }

    /// The coordinates' means.
    pub(super) fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The sites, one per different observation, in the same order.
    pub(super) fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Mean and variance of every different observation's functional.
    pub(super) fn marginals(&self) -> impl Iterator<Item = (f64, f64)> {
        self.marginals.iter().map(|marginal| (marginal.mean, marginal.variance))
    }
}

/// `I + V ΔA V'`: the effect of changed site precisions on a Gaussian with covariance `V' V`, in its own coordinates.
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
        let spread = multiply_transposed(self.root, x);
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
