//! The evidence as a function of the kernel's parameters. Tuning climbs it.

use super::fixed_point::{Site, State};
use super::{EpParams, Functional, Observation, choose_basis, place};
use crate::Result;
use crate::kernel::Kernel;
use crate::numeric::Matrix;
use crate::numeric::dense::{add_scaled, multiply, transpose};

/// The observations of one problem whose prior has open parameters. Only observed items are looked at. Every fixed
/// point starts from the one before.
#[derive(Debug, Clone)]
pub(in crate::gp) struct Evidence {
    basis: Vec<Functional>,
    placed: Vec<Observation>,
    sites: Option<Vec<Site>>,
}

/// The belief about the observed items.
pub(in crate::gp) struct Posterior {
    /// The observed items.
    pub items: Vec<usize>,
    /// `Σ + m m'` over them.
    pub second_moments: Matrix,
}

impl Evidence {
    /// Uses the coordinates that make EP cheapest.
    pub(in crate::gp) fn new(observations: &[Observation], n: usize) -> Self {
        Self::over(choose_basis(observations, n), observations)
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
        let placed = place(observations, &basis);
        Self { basis, placed, sites: None }
    }

    /// The log evidence under this kernel, and its derivative by every parameter.
    pub(in crate::gp) fn evaluate(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<(f64, Vec<f64>)> {
        let state = self.fixed_point(params, kernel)?;
        Ok((state.log_evidence(), gradient(kernel, &self.basis, &state)?))
    }

    /// The log evidence under this kernel, and the sites, one per observation.
    pub(in crate::gp) fn sites(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<(f64, Vec<Site>)> {
        let state = self.fixed_point(params, kernel)?;
        Ok((state.log_evidence(), state.sites().to_vec()))
    }

    /// The log evidence under this kernel, and the belief; for coordinates that are items.
    pub(in crate::gp) fn believe(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<(f64, Posterior)> {
        let state = self.fixed_point(params, kernel)?;
        let mut second_moments = multiply(&transpose(state.root()), state.root());
        for (column, &own) in second_moments.columns_mut().zip(state.mean()) {
            add_scaled(column, own, state.mean());
        }
        Ok((state.log_evidence(), Posterior { items: items_of(&self.basis), second_moments }))
    }

    fn fixed_point(&mut self, params: &EpParams, kernel: &dyn Kernel) -> Result<State> {
        let items = items_of(&self.basis);
        let mut prior = kernel.among(&items)?;
        if items.len() != self.basis.len() || self.basis.iter().any(|axis| matches!(axis, Functional::Difference(..))) {
            let axes = in_terms_of(&items, &self.basis);
            let half = Matrix::from_fn(items.len(), axes.len(), |row, axis| axes[axis].of(prior.column(row)));
            prior = Matrix::from_fn(axes.len(), axes.len(), |row, column| axes[row].of(half.column(column)));
        }
        let mut state = match self.sites.take() {
            Some(sites) => State::from_sites(prior, self.placed.clone(), sites)?,
            None => State::new(prior, self.placed.clone())?,
        };
        params.converge(&mut state)?;
        self.sites = Some(state.sites().to_vec());
        Ok(state)
    }
}

/// The items that the coordinates touch, ascending.
pub(super) fn items_of(basis: &[Functional]) -> Vec<usize> {
    let mut items: Vec<usize> = basis.iter().flat_map(|axis| axis.items()).map(|item| item as usize).collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// The coordinates with positions in place of items.
fn in_terms_of(items: &[usize], basis: &[Functional]) -> Vec<Functional> {
    let at = |item: u32| items.partition_point(|&other| other < item as usize) as u32;
    let place = |axis: &Functional| match *axis {
        Functional::Item(item) => Functional::Item(at(item)),
        Functional::Difference(first, second) => Functional::Difference(at(first), at(second)),
    };
    basis.iter().map(place).collect()
}

/// The derivative of the log evidence by every parameter of the kernel.
pub(super) fn gradient(kernel: &dyn Kernel, basis: &[Functional], state: &State) -> Result<Vec<f64>> {
    let items = items_of(basis);
    let pull = over_items(&state.pull_on_prior(), &in_terms_of(&items, basis), items.len());
    let mut out = kernel.contract(&items, &pull)?.derivatives;
    out.iter_mut().for_each(|derivative| *derivative *= 0.5);
    Ok(out)
}

/// `D' M D` for a matrix over coordinates whose functionals are the rows of D.
fn over_items(matrix: &Matrix, axes: &[Functional], items: usize) -> Matrix {
    let mut half = Matrix::zeros(items, axes.len());
    for (axis, column) in half.columns_mut().enumerate() {
        axes.iter().zip(matrix.column(axis)).for_each(|(functional, &value)| functional.spread(value, column));
    }
    let half = transpose(&half);
    let mut out = Matrix::zeros(items, items);
    for (item, column) in out.columns_mut().enumerate() {
        axes.iter().zip(half.column(item)).for_each(|(functional, &value)| functional.spread(value, column));
    }
    out
}
