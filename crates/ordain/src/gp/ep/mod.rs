//! Batch expectation propagation (XPGP section 4.1, eqs. 6-12) with scalar sites.
//!
//! The likelihood of an observation touches the utilities only through the scalar $x_s = d_s'\xi$. So its site is
//! $\tilde Z_s \exp(-\tfrac12 \tau_s x_s^2 + \nu_s x_s)$: two numbers per observation. With $A = \sum_s \tau_s d_s
//! d_s'$ the approximate posterior is $N(m, \Sigma)$, $\Sigma = (K^{-1} + A)^{-1}$, $m = \Sigma \sum_s \nu_s d_s$.
//!
//! **Two equivalent forms.** All of this happens in the span of the observed functionals. The coordinates are either
//! the compared items or the distinct functionals, whichever are fewer (b of them), in every component of compared items
//! by itself. EP works on a b x b matrix, and the other items follow by conditioning. Let $c_i$ be the prior covariances
//! of item i with the coordinates, $A = E E'$,
//! $\sum_s \nu_s d_s = E \beta$ and $L L' = I + E' K E$ over the coordinates. Then
//!
//! $$ g_i = L^{-1} E' c_i, \qquad m_i = g_i' L^{-1} \beta, \qquad \Sigma_{ij} = K_{ij} - g_i' g_j . $$
//!
//! Nothing is divided by the prior, which smooth kernels make nearly singular. [`fixed_point`] gives the coordinates'
//! own covariance without taking a difference.
//!
//! So thousands of answers on hundreds of items, and hundreds of answers on thousands of items, both take the cheaper
//! form. Only prior columns of compared items are needed.
//!
//! **A prior mean** $m_0$ moves the observations in place of the prior: EP runs on $\xi - m_0$, whose functional lies
//! between `low` $- d_s'm_0$ and `high` $- d_s'm_0$. The sites in terms of $\xi$ then have the shift $\nu_s + \tau_s
//! d_s'm_0$.
//!
//! **Cost.** `2 b³/3` operations per iteration where the prior is well conditioned, `5 b³/3` elsewhere and in the last one,
//! and `O(t b)` for t different observations; about ten iterations (see `fixed_point.rs`). `n b` for the means of items never
//! compared, and `n b²` for their variances once these are asked for. Memory `6 b² + n b`, and as much again as `n b` for the
//! variances.

pub(in crate::gp) mod conditioning;
mod evidence;
mod fixed_point;
mod grouped;
mod parts;
mod site;
mod trust;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::belief::{centred_variances_of, root_of};
use super::{Belief, Factor, Functional, Observation, Paths, check_evidence, check_prior, prior_too_wide};
use crate::data::ItemId;
use crate::kernel::{Kernel, Solved};
use crate::numeric::Matrix;
use crate::numeric::dense::{add_scaled, dot, squared, transpose};
use crate::params::setters;
use crate::watch::{LEARNING, Step};
use crate::{Error, Result, Watch};

use conditioning::Conditioning;
pub(super) use evidence::{Evidence, Posterior, Pull};
pub(super) use fixed_point::Apart;
use fixed_point::State;
use grouped::Grouped;
use parts::Parts;
pub use site::Site;

/// Iterations that may go back and forth without a check on the steps.
const PATIENCE: usize = 60;

/// The most sweeps over the answers one by one. Ten thousand judges
/// who agree on a pair take a hundred, contradictions take ten.
pub(in crate::gp) const MOST_SWEEPS: usize = 500;

/// From this tolerance on, the last iteration may divide by the prior, which is right to eleven digits where it is done.
const DIVIDED: f64 = 1e-8;

/// Items whose exact variances are found together.
const EXACT_TOGETHER: usize = 128;

/// Sweeps after which the sites have about their final size.
const SWEEPS_TO_SETTLE: usize = 10;

/// When EP stops.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EpParams {
    /// EP stops when no observed functional's mean moves by more than this many standard deviations, and no variance by
    /// more than this fraction. Where the prior is very wide beside the noise, rounding sets the limit.
    pub tolerance: f64,
    /// EP gives up after this many iterations.
    pub max_iterations: usize,
    /// Sweeps over the answers one by one, where iterations over all of them together did not converge.
    pub(crate) max_sweeps: usize,
    /// Whether the coordinates are items in any case. Draws move items one by one where answers may be lapses or the noise is one
    /// of many.
    pub(crate) by_items: bool,
    /// Follows the iterations.
    pub watch: Watch,
}

impl Default for EpParams {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_iterations: 500, max_sweeps: MOST_SWEEPS, by_items: false, watch: Watch::NONE }
    }
}

setters! {
    EpParams:
    with_tolerance = tolerance: f64,
    with_max_iterations = max_iterations: usize,
    with_watch = watch: Watch,
}

impl EpParams {
    /// Runs EP to its fixed point.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, EP does not converge, or the prior is so wide beside the noise that rounding
    /// hides the answers.
    pub fn fit(&self, kernel: Arc<dyn Kernel>, observations: &[Observation]) -> Result<Ep> {
        self.fit_from(None, kernel, observations)
    }

    /// As [`EpParams::fit`], starting from the sites of a belief from the same answers by another judge.
    pub(super) fn fit_from(
        &self,
        start: Option<&Ep>,
        kernel: Arc<dyn Kernel>,
        observations: &[Observation],
    ) -> Result<Ep> {
        observations.iter().try_for_each(|observation| observation.check(kernel.len()))?;
        let grouped = Grouped::new(observations);
        let basis = choose_basis(&grouped.observations, kernel.items(), self.by_items);
        let columns = match start.and_then(|start| start.columns_for(&kernel, &basis)) {
            Some(known) => known,
            None => Arc::new(basis_columns(kernel.as_ref(), &basis)?),
        };
        let placed = place(&apart(&grouped.observations, kernel.mean())?, &basis);
        let prior = restrict(&columns, &basis);
        let known = start.map(|start| start.state.sites()).filter(|sites| sites.len() == placed.len());
        let mut state = match known {
            Some(sites) => State::from_sites(prior.clone(), placed, &grouped.counts, sites.to_vec())?,
            None => State::new(prior.clone(), placed, &grouped.counts)?,
        };
        let grouped = Arc::new(grouped);
        let over = |state: State, iterations: usize| {
            Ep::over(kernel.clone(), basis.clone(), columns.clone(), state, grouped.clone(), iterations)
        };
        let iterations = self.converge(&mut state)?;
        let ep = over(state, iterations)?;
        let Err(refused) = trust::check(&ep, &prior, self.tolerance, |state| self.converge(state)) else {
            return Ok(ep);
        };
        let mut state = ep.state;
        if !state.be_careful() {
            return Err(refused);
        }
        let more = self.converge(&mut state)?;
        let ep = over(state, iterations + more)?;
        trust::check(&ep, &prior, self.tolerance, |state| self.converge(state))?;
        Ok(ep)
    }

    /// Iterates until the marginals stand still; returns the number of iterations.
    fn converge(&self, state: &mut State) -> Result<usize> {
        let (mut damping, mut last) = (1.0, f64::INFINITY);
        for iteration in 1..=self.max_iterations {
            self.watch.step(|| Step::new(LEARNING, iteration - 1, None))?;
            let Ok(change) = state.iterate(damping) else { break };
            let enough = self.tolerance.max(state.rounding());
            let may_divide = self.tolerance >= DIVIDED;
            if change <= enough && (state.is_exact() || may_divide) {
                return Ok(iteration);
            }
            // Changes fall by a nearly constant factor. The last iterations do not divide by the prior.
            if !may_divide && change * (change / last).min(1.0) <= enough {
                state.be_exact();
            }
            // The first steps may go back and forth. After them, a growing change calls for smaller steps.
            if iteration > PATIENCE && change > last {
                damping = f64::max(0.7 * damping, 0.1);
            }
            last = change;
        }
        state.forget();
        for sweep in 1..=self.max_sweeps {
            self.watch.step(|| Step::new(LEARNING, self.max_iterations + sweep - 1, None))?;
            last = state.sweep()?;
            if last <= self.tolerance.max(state.rounding()) {
                return Ok(self.max_iterations + sweep);
            }
            if sweep >= SWEEPS_TO_SETTLE && state.is_lost_in_rounding() {
                return Err(prior_too_wide());
            }
        }
        Err(Error::NotConverged {
            what: "expectation propagation",
            iterations: self.max_iterations + self.max_sweeps,
            residual: last,
            dimension: state.len(),
        })
    }
}

/// The belief at EP's fixed point. Its factors are the different observations, each with its count.
#[derive(Clone)]
pub struct Ep {
    kernel: Arc<dyn Kernel>,
    /// The coordinates, ascending.
    basis: Vec<Functional>,
    /// The way to other items, if not every item is a coordinate. Clones share it.
    others: Option<Arc<Others>>,
    state: State,
    /// The observations. Clones share them.
    grouped: Arc<Grouped>,
    factors: Vec<Factor>,
    mean: Vec<f64>,
    /// Those of all items if every item is a coordinate; else they are found when they are first asked for.
    variances: OnceLock<Vec<f64>>,
    log_evidence: f64,
    iterations: usize,
}

/// What the coordinates say about all items.
struct Others {
    /// The items' prior covariances with the coordinates, `[n, b]`.
    columns: Arc<Matrix>,
    conditioning: Arc<Conditioning>,
    /// The items' prior variances.
    prior: Vec<f64>,
    /// `L⁻¹ E' c_i` of every item, `[rank of A, n]`, once it was needed.
    reduction: OnceLock<Matrix>,
}

impl Others {
    fn reduction(&self) -> &Matrix {
        self.reduction.get_or_init(|| self.conditioning.reduction(&transpose(&self.columns)))
    }

    /// The reduction of some items.
    fn reduction_of(&self, items: &[ItemId]) -> Matrix {
        let row = |at: usize, axis: usize| self.columns[(items[at].index(), axis)];
        self.conditioning.reduction(&Matrix::from_fn(self.columns.columns(), items.len(), |axis, at| row(at, axis)))
    }
}

impl Ep {
    /// The belief about all items of the kernel, from a fixed point over the coordinates. `columns` are the items'
    /// prior covariances with the coordinates, `[n, b]`.
    fn over(
        kernel: Arc<dyn Kernel>,
        basis: Vec<Functional>,
        columns: Arc<Matrix>,
        state: State,
        grouped: Arc<Grouped>,
        iterations: usize,
    ) -> Result<Self> {
        let n = kernel.len();
        let (mut mean, variances) = (vec![0.0; n], OnceLock::new());
        let mut others = None;
        if is_everything(&basis, n) {
            let _ = variances.set(state.coordinates().map(|(_, variance)| variance).collect());
        } else {
            let mut prior = vec![0.0; n];
            kernel.diagonal(&mut prior)?;
            check_prior(&prior)?;
            let conditioning = Arc::new(Conditioning::new(&state, &restrict(&columns, &basis))?);
            mean = conditioning.means(&columns);
            others = Some(Arc::new(Others { columns, conditioning, prior, reduction: OnceLock::new() }));
        }
        for (axis, (own_mean, _)) in basis.iter().zip(state.coordinates()) {
            if let Functional::Item(item) = axis {
                mean[*item as usize] = own_mean;
            }
        }
        let log_evidence = state.log_evidence();
        check_evidence(log_evidence)?;
        let each = grouped.observations.iter().zip(state.sites()).zip(&grouped.counts);
        let mut factors: Vec<Factor> =
            each.map(|((&observation, &site), &count)| Factor { observation, site, count }).collect();
        if let Some(prior) = kernel.mean() {
            add_scaled(&mut mean, 1.0, prior);
            factors.iter_mut().for_each(|factor| {
                factor.site.shift += factor.site.precision * factor.observation.functional.of(prior)
            });
        }
        Ok(Self { kernel, basis, others, state, grouped, factors, mean, variances, log_evidence, iterations })
    }

    /// The belief about all items of a larger kernel. The kernel's first items are the known ones, with the same prior,
    /// as in [`crate::kernel::build_with_newcomers`]. Nothing is learned anew: newcomers were never compared, so the
    /// sites stay, and conditioning is enough. `3 n b²` operations and the prior columns of the coordinates.
    ///
    /// # Errors
    /// If the kernel has fewer items, gives the coordinates other covariances or means, or cannot be evaluated.
    pub fn with_newcomers(&self, kernel: Arc<dyn Kernel>) -> Result<Self> {
        /// Solves differ by rounding from kernel to kernel. Other parameters differ by far more.
        const SAME: f64 = 1e-6;
        let wrong = |found: String, expected: String| Error::Data { what: "the prior with newcomers", found, expected };
        let known = self.kernel.items();
        if kernel.items() < known || kernel.asides() != self.kernel.asides() {
            let found = format!("{} items and {} asides", kernel.items(), kernel.asides());
            return Err(wrong(
                found,
                format!("the {known} known ones and newcomers, and {} asides", self.kernel.asides()),
            ));
        }
        // Asides come after all items.
        let newcomers = (kernel.items() - known) as u32;
        let moved = |at: u32| if at as usize >= known { at + newcomers } else { at };
        let observed = Functional::items_of(&self.basis);
        let there: Vec<usize> = observed.iter().map(|&item| moved(item as u32) as usize).collect();
        let (here, there) = (self.kernel.among(&observed)?, kernel.among(&there)?);
        let largest = here.diagonal().into_iter().fold(0.0, f64::max);
        let mut pairs = here.values().iter().zip(there.values());
        if let Some((here, there)) = pairs.find(|(a, b)| (*a - *b).abs() > SAME * largest) {
            return Err(wrong(
                format!("a covariance of {there} where items were compared"),
                format!("{here}, as when it was learned"),
            ));
        }
        if let Some(item) = observed
            .iter()
            .find(|&&item| item < known && mean_of(self.kernel.as_ref(), item) != mean_of(kernel.as_ref(), item))
        {
            return Err(wrong(
                format!("a mean of {} where items were compared", mean_of(kernel.as_ref(), *item)),
                format!("{}, as when it was learned", mean_of(self.kernel.as_ref(), *item)),
            ));
        }
        let basis: Vec<Functional> = self.basis.iter().map(|axis| axis.of_others(moved)).collect();
        let columns = Arc::new(basis_columns(kernel.as_ref(), &basis)?);
        let mut grouped = self.grouped.clone();
        if kernel.asides() > 0 {
            let functionals = Arc::make_mut(&mut grouped).observations.iter_mut().map(|one| &mut one.functional);
            functionals.for_each(|functional| *functional = functional.of_others(moved));
        }
        Self::over(kernel, basis, columns, self.state.clone(), grouped, self.iterations)
    }

    /// The sites, one per observation, in the same order.
    pub fn sites(&self) -> Vec<Site> {
        let sites: Vec<Site> = self.factors.iter().map(|factor| factor.site).collect();
        self.grouped.each(&sites)
    }

    /// Mean and variance of every observation's functional under the belief.
    pub fn marginals(&self) -> impl Iterator<Item = (f64, f64)> {
        let prior = self.kernel.mean();
        let known =
            self.factors.iter().map(|factor| prior.map_or(0.0, |prior| factor.observation.functional.of(prior)));
        let each = self.state.marginals().zip(known).map(|((mean, variance), known)| (mean + known, variance));
        self.grouped.each(&each.collect::<Vec<_>>()).into_iter()
    }

    /// The derivative of the log evidence by every parameter of the kernel (XPGP eq. 16, without its inverses of K).
    ///
    /// # Errors
    /// If the kernel cannot be evaluated.
    pub fn evidence_gradient(&self) -> Result<Vec<f64>> {
        let pulls = evidence::Pulls::of(&self.state);
        evidence::gradient(self.kernel.as_ref(), &self.basis, &pulls, &Solved::Nothing)
    }

    /// The number of iterations.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The items' prior covariances with these coordinates, if they are the same as here.
    fn columns_for(&self, kernel: &Arc<dyn Kernel>, basis: &[Functional]) -> Option<Arc<Matrix>> {
        let known = self.others.as_ref().filter(|_| Arc::ptr_eq(&self.kernel, kernel) && self.basis == basis)?;
        Some(known.columns.clone())
    }

    /// The variances of the items, and of the asides after them.
    fn all_variances(&self) -> &[f64] {
        self.variances.get_or_init(|| {
            let Some(others) = &self.others else { return Vec::new() };
            let (reduction, mut out) = (others.reduction(), others.prior.clone());
            for (item, variance) in out.iter_mut().enumerate() {
                // Rounding may leave a hair below zero where nothing is left to learn.
                *variance = (*variance - dot(reduction.column(item), reduction.column(item))).max(0.0);
            }
            for (axis, (_, variance)) in self.basis.iter().zip(self.state.coordinates()) {
                if let Functional::Item(item) = axis {
                    out[*item as usize] = variance;
                }
            }
            out
        })
    }

    /// The coordinate of an item, if it is one.
    fn coordinate(&self, item: ItemId) -> Option<usize> {
        self.basis.binary_search(&Functional::Item(item.0)).ok()
    }
}

impl Belief for Ep {
    fn mean(&self) -> &[f64] {
        &self.mean[..self.kernel.items()]
    }

    fn asides(&self) -> &[f64] {
        &self.mean[self.kernel.items()..]
    }

    /// The first call finds them: `n b²` operations and `n b` memory.
    fn variances(&self) -> &[f64] {
        &self.all_variances()[..self.kernel.items()]
    }

    fn column(&self, item: ItemId, out: &mut [f64]) -> Result<()> {
        if let Some(others) = &self.others {
            let mut whole = vec![0.0; self.kernel.len()];
            self.kernel.column(item.index(), &mut whole)?;
            out.copy_from_slice(&whole[..out.len()]);
            let own = others.reduction_of(&[item]);
            for (other, entry) in out.iter_mut().enumerate() {
                *entry -= dot(others.reduction().column(other), own.column(0));
            }
        }
        if let Some(own) = self.coordinate(item) {
            for (other, axis) in self.basis.iter().enumerate() {
                if let Functional::Item(item) = axis
                    && let Some(entry) = out.get_mut(*item as usize)
                {
                    *entry = self.state.covariance(other, own);
                }
            }
        }
        Ok(())
    }

    fn covariance(&self, items: &[ItemId]) -> Result<Matrix> {
        let mut out = Matrix::zeros(items.len(), items.len());
        if let Some(others) = &self.others {
            out = self.kernel.among(&items.iter().map(|item| item.index()).collect::<Vec<_>>())?;
            let chosen = others.reduction_of(items);
            add_scaled(out.values_mut(), -1.0, squared(&chosen).values());
        }
        let coordinates: Vec<(usize, usize)> =
            items.iter().enumerate().filter_map(|(at, &item)| Some((at, self.coordinate(item)?))).collect();
        let own = self.state.root().select_columns(coordinates.iter().map(|&(_, coordinate)| coordinate));
        let own = squared(&own);
        for (column, &(to_column, _)) in coordinates.iter().enumerate() {
            for (row, &(to_row, _)) in coordinates.iter().enumerate() {
                out[(to_row, to_column)] = own[(row, column)];
            }
        }
        Ok(out)
    }

    fn root(&self, items: &[ItemId]) -> Result<Matrix> {
        if self.others.is_some() {
            return Ok(root_of(&self.covariance(items)?));
        }
        Ok(transpose(&self.state.root().select_columns(items.iter().map(|item| item.index()))))
    }

    fn variances_of(&self, items: &[ItemId]) -> Result<Vec<f64>> {
        if self.others.is_none() || self.variances.get().is_some() {
            return Ok(items.iter().map(|item| self.all_variances()[item.index()]).collect());
        }
        let some = items.chunks(EXACT_TOGETHER).map(|items| Ok(self.covariance(items)?.diagonal()));
        Ok(some.collect::<Result<Vec<_>>>()?.concat())
    }

    /// Where every item is a coordinate: from the rows of the root, less their mean, so that nothing cancels.
    fn centred_variances(&self, items: &[ItemId]) -> Result<Vec<f64>> {
        if self.others.is_some() {
            return Ok(centred_variances_of(&self.covariance(items)?));
        }
        let mut rows = self.state.root().select_columns(items.iter().map(|item| item.index()));
        let mut mean = vec![0.0; rows.rows()];
        (0..items.len()).for_each(|at| add_scaled(&mut mean, 1.0 / items.len() as f64, rows.column(at)));
        rows.columns_mut().for_each(|row| add_scaled(row, -1.0, &mean));
        Ok((0..items.len()).map(|at| dot(rows.column(at), rows.column(at))).collect())
    }

    fn paths(&self) -> Result<Option<Paths>> {
        Ok(self.others.as_ref().map(|others| Paths {
            kernel: self.kernel.clone(),
            basis: self.basis.clone(),
            columns: others.columns.clone(),
            conditioning: others.conditioning.clone(),
        }))
    }

    fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    fn factors(&self) -> &[Factor] {
        &self.factors
    }

    fn factor_variances(&self) -> Result<Vec<f64>> {
        Ok(self.state.marginals().map(|(_, variance)| variance).collect())
    }
}

/// The coordinates, ascending: of every component of compared items the items or the distinct functionals, whichever are fewer; all
/// compared items if they are wanted, if answers may be lapses, or if there are screens, whose functionals change with the noise. If nearly all of the `n` items were compared, all items: carrying a
/// few more along costs less than conditioning. Of the asides, only those that observations are about.
fn choose_basis(observations: &[Observation], n: usize, by_items: bool) -> Vec<Functional> {
    /// At this share of all items, ten more rounds on them cost as much as conditioning the others.
    const NEARLY_ALL: f64 = 0.9;
    let distinct: HashSet<Functional> = observations.iter().map(|observation| observation.functional).collect();
    let distinct: Vec<Functional> = distinct.into_iter().collect();
    let items = Functional::items_of(&distinct);
    let asides = items.len() - items.partition_point(|&item| item < n);
    let compared = items.len() - asides;
    let mut basis: Vec<Functional> = if n + asides <= distinct.len() && compared as f64 >= NEARLY_ALL * n as f64 {
        let asides = items[compared..].iter().map(|&aside| aside as u32);
        (0..n as u32).chain(asides).map(Functional::Item).collect()
    } else if by_items || observations.iter().any(|one| one.may_lapse() || one.is_on_screen()) {
        items.into_iter().map(|item| Functional::Item(item as u32)).collect()
    } else {
        fewest(&distinct, &items)
    };
    basis.sort_unstable();
    basis
}

/// The functionals of components that are trees, where there is one fewer than items, or several fewer if there are asides. The items of
/// other components: there a functional follows from others, which would make the prior singular.
fn fewest(distinct: &[Functional], items: &[usize]) -> Vec<Functional> {
    let placed = Functional::in_terms_of(items, distinct);
    let mut parts = Parts::apart(items.len());
    for functional in &placed {
        let mut touched = functional.items();
        if let Some(first) = touched.next() {
            touched.for_each(|other| parts.join(first as usize, other as usize));
        }
    }
    let of_items: Vec<usize> = (0..items.len()).map(|place| parts.of(place)).collect();
    let of_functionals: Vec<usize> =
        placed.iter().filter_map(|one| one.items().next()).map(|place| of_items[place as usize]).collect();
    let mut spare = vec![0_isize; items.len()];
    of_items.iter().for_each(|&own| spare[own] += 1);
    of_functionals.iter().for_each(|&own| spare[own] -= 1);
    let in_trees = distinct.iter().zip(&of_functionals).filter(|(_, own)| spare[**own] > 0).map(|(one, _)| *one);
    let others = items.iter().zip(&of_items).filter(|(_, own)| spare[**own] <= 0);
    in_trees.chain(others.map(|(&item, _)| Functional::Item(item as u32))).collect()
}

/// The observations in terms of the deviations from a prior mean.
fn apart(observations: &[Observation], mean: Option<&[f64]>) -> Result<Vec<Observation>> {
    let Some(mean) = mean else { return Ok(observations.to_vec()) };
    let apart = |one: &Observation| {
        let known = one.functional.of(mean);
        let (low, high) = (one.low - known, one.high - known);
        // Beside a mean that is far larger, an interval may be less than rounding.
        let middle = one.middle - known;
        if low < high || one.is_value() { Ok(Observation { low, high, middle, ..*one }) } else { Err(prior_too_wide()) }
    };
    observations.iter().map(apart).collect()
}

/// The prior mean of an item.
fn mean_of(kernel: &dyn Kernel, item: usize) -> f64 {
    kernel.mean().map_or(0.0, |mean| mean[item])
}

/// Prior covariances of all items with the coordinates, `[n, b]`.
fn basis_columns(kernel: &dyn Kernel, basis: &[Functional]) -> Result<Matrix> {
    if is_everything(basis, kernel.len()) {
        return kernel.matrix();
    }
    let mut columns = Matrix::zeros(kernel.len(), basis.len());
    kernel.along(basis, &mut columns)?;
    Ok(columns)
}

/// Whether the coordinates are all items.
fn is_everything(basis: &[Functional], n: usize) -> bool {
    basis.len() == n && basis.iter().all(|axis| matches!(axis, Functional::Item(_)))
}

/// The prior covariances among the coordinates, `[b, b]`.
fn restrict(columns: &Matrix, basis: &[Functional]) -> Matrix {
    Matrix::from_fn(basis.len(), basis.len(), |row, column| basis[row].of(columns.column(column)))
}

/// The observations in terms of the coordinates.
fn place(observations: &[Observation], basis: &[Functional]) -> Vec<Observation> {
    let place = |one: &Observation| Observation { functional: one.functional.within(basis), ..*one };
    observations.iter().map(place).collect()
}
