//! The evidence as a function of the kernel's parameters. Tuning climbs it.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::fixed_point::{Apart, State};
use super::grouped::Grouped;
use super::site::Site;
use super::{EpParams, Functional, Observation, apart, choose_basis, place};
use crate::Result;
use crate::gp::observation::Slopes;
use crate::kernel::{Kernel, Solved, over_items};
use crate::numeric::Matrix;
use crate::numeric::dense::squared;

/// The observations of one problem whose prior has open parameters. Only observed items are looked at. Every fixed
/// point starts from the one before.
#[derive(Debug, Clone)]
pub(in crate::gp) struct Evidence {
    basis: Vec<Functional>,
    grouped: Grouped,
    /// The sites at the last fixed point, one per different observation, of the utilities themselves: they hardly move with the prior
    /// mean.
    sites: Option<Vec<Site>>,
}

/// The belief about the observed items.
pub(in crate::gp) struct Posterior {
    /// The observed items.
    pub items: Vec<usize>,
    /// Their covariance.
    pub covariance: Matrix,
    /// Their mean.
    pub mean: Vec<f64>,
}

/// What the observations of one problem pull at its prior.
pub(in crate::gp) struct Pull {
    pub log_evidence: f64,
    /// The observed items.
    pub items: Vec<usize>,
    /// `w = K⁻¹ (m - m0)` of the observed items: the derivative of the log evidence by the prior mean.
    pub on_mean: Vec<f64>,
    /// `w w' - (K + A⁻¹)⁻¹` among them: twice the derivative by the prior covariance.
    pub on_covariance: Matrix,
    /// Mean and variance of every observation's functional.
    pub marginals: Vec<(f64, f64)>,
}

impl Evidence {
    /// Uses the coordinates that make EP cheapest.
    pub(in crate::gp) fn new(observations: &[Observation], n: usize) -> Self {
        Self::over(choose_basis(observations, n, false), observations)
    }

    /// Uses the observed items as coordinates.
    pub(in crate::gp) fn of_items(observations: &[Observation]) -> Self {
        let items = observations.iter().flat_map(|observation| observation.functional.items());
        let mut basis: Vec<Functional> = items.map(Functional::Item).collect();
        basis.sort_unstable();
        basis.dedup();
        Self::over(basis, observations)
    }

    fn over(basis: Vec<Functional>, observations: &[Observation]) -> Self {
        Self { basis, grouped: Grouped::new(observations), sites: None }
    }

    /// The same answers by another judge. The sites stay as the start of the next fixed point, unless it is to start afresh.
    pub(in crate::gp) fn observe(&mut self, observations: Vec<Observation>, afresh: bool) {
        let before = self.grouped.counts.len();
        self.grouped = Grouped::new(&observations);
        if afresh || self.grouped.counts.len() != before {
            self.sites = None;
        }
    }

    /// The log evidence under this kernel, and its derivative by every parameter.
    pub(in crate::gp) fn evaluate(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<(f64, Vec<f64>)> {
        let (state, solved) = self.fixed_point_solved(params, kernel)?;
        let (log_evidence, pulls) = (state.log_evidence(), Pulls::of(&state));
        // Its matrices make room for those of the kernel's parts.
        drop(state);
        Ok((log_evidence, gradient(kernel, &self.basis, &pulls, &solved)?))
    }

    /// The log evidence under this kernel.
    pub(in crate::gp) fn log_evidence(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<f64> {
        Ok(self.fixed_point(params, kernel)?.log_evidence())
    }

    /// As [`Evidence::evaluate`], with the derivative by the width of ties.
    pub(in crate::gp) fn evaluate_with_width(
        &mut self,
        params: &EpParams,
        kernel: &dyn Kernel,
    ) -> Result<(f64, Vec<f64>, f64)> {
        let (state, solved) = self.fixed_point_solved(params, kernel)?;
        let each = self.grouped.observations.iter().zip(&self.grouped.counts).zip(state.slopes());
        let by_width = each.map(|((one, &count), slopes)| f64::from(count) * one.by_tie_width(&slopes)).sum();
        let (log_evidence, pulls) = (state.log_evidence(), Pulls::of(&state));
        drop(state);
        Ok((log_evidence, gradient(kernel, &self.basis, &pulls, &solved)?, by_width))
    }

    /// The same answers under another width of ties. The next fixed point starts from the last one's sites.
    pub(in crate::gp) fn set_tie_width(&mut self, width: f64) {
        self.grouped.observations.iter_mut().for_each(|one| *one = one.with_tie_width(width));
    }

    /// The number of observations.
    pub(in crate::gp) fn count(&self) -> usize {
        self.grouped.of.len()
    }

    /// The logarithm of the largest evidence that there can be. It is above 0 only for densities of values.
    pub(in crate::gp) fn log_most(&self) -> f64 {
        let each = self.grouped.observations.iter().zip(&self.grouped.counts);
        each.map(|(one, &count)| f64::from(count) * one.log_most()).sum()
    }

    /// The coordinates.
    pub(in crate::gp) fn basis(&self) -> &[Functional] {
        &self.basis
    }

    /// The log evidence under a prior with these covariances among the coordinates and this mean, and the sites, one per observation.
    pub(in crate::gp) fn sites(
        &mut self,
        params: &EpParams,
        prior: Matrix,
        mean: Option<&[f64]>,
    ) -> Result<(f64, Vec<Site>)> {
        let state = self.fixed_point_under(params, prior, mean)?;
        let sites = self.sites.as_ref().map_or_else(Vec::new, |sites| self.grouped.each(sites));
        Ok((state.log_evidence(), sites))
    }

    /// The log evidence under this kernel, and its derivatives by what every observation is made of.
    pub(in crate::gp) fn slopes(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<(f64, Vec<Slopes>)> {
        let state = self.fixed_point(params, kernel)?;
        Ok((state.log_evidence(), self.grouped.each(&state.slopes())))
    }

    /// What `work` makes of the observations of every owner, apart from those of all others, at the fixed point under this kernel. An owner
    /// has nothing apart if he has no observation, or rounding hides what the others say.
    pub(in crate::gp) fn apart<T: Send>(
        &mut self,
        params: &EpParams,
        kernel: &dyn Kernel,
        owners: &[Option<u32>],
        count: usize,
        work: impl Fn(usize, Option<Apart>) -> T + Sync,
    ) -> Result<Vec<T>> {
        let state = self.fixed_point(params, kernel)?;
        let mut members = vec![BTreeMap::<usize, u32>::new(); count];
        for ((owner, &place), &said) in owners.iter().zip(&self.grouped.of).zip(&self.grouped.said) {
            if let Some(owner) = owner {
                let known = members[*owner as usize].entry(place as usize).or_default();
                *known = known.saturating_add(said);
            }
        }
        let members: Vec<Vec<(usize, u32)>> = members.into_iter().map(|own| own.into_iter().collect()).collect();
        let one = |(owner, own): (usize, &Vec<(usize, u32)>)| {
            work(owner, if own.is_empty() { None } else { state.apart(own) })
        };
        Ok(members.par_iter().enumerate().map(one).collect())
    }

    /// The log evidence under this kernel, and the belief; for coordinates that are items.
    pub(in crate::gp) fn believe(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<(f64, Posterior)> {
        let state = self.fixed_point(params, kernel)?;
        let covariance = squared(state.root());
        let (items, mut mean) = (Functional::items_of(&self.basis), state.mean().to_vec());
        if let Some(prior) = kernel.mean() {
            mean.iter_mut().zip(&items).for_each(|(mean, &item)| *mean += prior[item]);
        }
        Ok((state.log_evidence(), Posterior { items, covariance, mean }))
    }

    /// What the observations pull at this prior.
    pub(in crate::gp) fn pull(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<Pull> {
        let state = self.fixed_point(params, kernel)?;
        let items = Functional::items_of(&self.basis);
        let axes = Functional::in_terms_of(&items, &self.basis);
        let mut on_mean = vec![0.0; items.len()];
        axes.iter().zip(state.pull_on_mean()).for_each(|(axis, pull)| axis.spread(pull, &mut on_mean));
        let prior = kernel.mean();
        let known = self.grouped.observations.iter().map(|one| prior.map_or(0.0, |prior| one.functional.of(prior)));
        let marginals = state.marginals().zip(known).map(|((mean, variance), known)| (mean + known, variance));
        let marginals = self.grouped.each(&marginals.collect::<Vec<_>>());
        Ok(Pull {
            log_evidence: state.log_evidence(),
            on_covariance: over_items(&state.pull_on_prior(), &axes, items.len()),
            marginals,
            items,
            on_mean,
        })
    }

    fn fixed_point(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<State> {
        self.fixed_point_under(params, kernel.between(&self.basis)?, kernel.mean())
    }

    /// The fixed point, and what was solved for its prior.
    fn fixed_point_solved(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<(State, Solved)> {
        let (prior, solved) = kernel.between_solved(&self.basis)?;
        Ok((self.fixed_point_under(params, prior, kernel.mean())?, solved))
    }

    fn fixed_point_under(&mut self, params: &EpParams, prior: Matrix, mean: Option<&[f64]>) -> Result<State> {
        let placed = place(&apart(&self.grouped.observations, mean)?, &self.basis);
        let counts = &self.grouped.counts;
        let mut state = match self.sites.take() {
            Some(sites) => State::from_sites(prior, placed, counts, self.moved(sites, mean, -1.0))?,
            None => State::new(prior, placed, counts)?,
        };
        params.converge(&mut state)?;
        self.sites = Some(self.moved(state.sites().to_vec(), mean, 1.0));
        Ok(state)
    }

    /// Sites of deviations from a mean as sites of the utilities, or the other way round with the sign -1.
    fn moved(&self, mut sites: Vec<Site>, mean: Option<&[f64]>, sign: f64) -> Vec<Site> {
        if let Some(mean) = mean {
            for (site, observation) in sites.iter_mut().zip(&self.grouped.observations) {
                site.shift += sign * site.precision * observation.functional.of(mean);
            }
        }
        sites
    }
}

/// What the sites of a fixed point pull at the prior.
pub(super) struct Pulls {
    /// [`State::pull_on_prior`].
    on_prior: Matrix,
    /// [`State::pull_on_mean`].
    on_mean: Vec<f64>,
}

impl Pulls {
    /// `b³` operations.
    pub(super) fn of(state: &State) -> Self {
        Self { on_prior: state.pull_on_prior(), on_mean: state.pull_on_mean() }
    }
}

/// The derivative of the log evidence by every parameter of the kernel.
///
/// For a weight of the mean `m0 = X w` it is `x_c' K⁻¹ (m - m0)`: at the fixed point the sites count as constants, as in
/// [`State::pull_on_prior`], and what remains is the derivative of a Gaussian by its mean. Without an inverse of the
/// prior, `K⁻¹ (m - m0) = Σ_s (nu_s - tau_s d_s'm) d_s`.
pub(super) fn gradient(kernel: &dyn Kernel, basis: &[Functional], pulls: &Pulls, solved: &Solved) -> Result<Vec<f64>> {
    let mut out = kernel.contract_solved(basis, &pulls.on_prior, solved)?.derivatives;
    out.iter_mut().for_each(|derivative| *derivative *= 0.5);
    if let Some(columns) = kernel.mean_columns() {
        let first = out.len() - columns.columns();
        for (at, derivative) in out[first..].iter_mut().enumerate() {
            *derivative = basis.iter().zip(&pulls.on_mean).map(|(axis, pull)| pull * axis.of(columns.column(at))).sum();
        }
    }
    Ok(out)
}
