//! The regularized Laplacian of a graph.
//!
//! `K = [beta (Δ + I / iota²)]⁻¹`, `Δ = D - W` (XPGP eq. 2, AXPGP eq. 3; Zhu, Kandola, Lafferty, Ghahramani 2005). The
//! matrix in brackets is sparse, so `K` is known by solves. [`SparseSolver`] factors if the factor stays sparse, else
//! it iterates. With `A = Δ + I / iota²` and `K = A⁻¹ / beta`,
//!
//! - `∂K/∂beta = -K / beta`,
//! - `∂K/∂iota = -A⁻¹ (∂A/∂iota) A⁻¹ / beta = (2 / (beta iota³)) A⁻¹ A⁻¹ = (2 beta / iota³) K K`.

use std::sync::OnceLock;

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::{
    Contraction, Graph, Kernel, Parameter, PriorDraws, Solved, among_by_blocks, between_by_blocks, contract_inverse,
    derivative_of_inverse, functionals_of, named, parameters_of, positive,
};
use crate::data::Functional;
use crate::numeric::{InverseDiagonal, Matrix, SolveMethod, SparseSolver, Stream};
use crate::{Error, Result};

/// `[beta (Δ + I / iota²)]⁻¹` over a graph's items.
#[derive(Debug, Clone)]
pub struct RegularizedLaplacian {
    graph: Graph,
    beta: f64,
    iota: f64,
    /// The solver for `Δ + I / iota²`.
    solver: SparseSolver,
    variances: OnceLock<InverseDiagonal>,
}

impl RegularizedLaplacian {
    /// The kernel of a graph, by the method that suits the graph.
    ///
    /// # Errors
    /// If a parameter is not positive and finite, or iota is so large that `1 / iota²` is lost beside the degrees.
    pub fn new(graph: Graph, beta: f64, iota: f64) -> Result<Self> {
        Self::with_method(graph, beta, iota, SolveMethod::Automatic)
    }

    /// The kernel of a graph, by the given method.
    ///
    /// # Errors
    /// Like [`RegularizedLaplacian::new`]; also [`Error::TooLarge`] if a factor was asked for and does not fit.
    pub fn with_method(graph: Graph, beta: f64, iota: f64, method: SolveMethod) -> Result<Self> {
        let beta = positive("beta", beta)?;
        let largest = graph.degrees().into_iter().fold(0.0, f64::max);
        let shift = shift_of(iota, largest)?;
        let solver = SparseSolver::new(graph.laplacian(shift), method)?;
        Ok(Self { graph, beta, iota, solver, variances: OnceLock::new() })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The solver for the precision `Δ + I / iota²`, without beta.
    pub fn solver(&self) -> &SparseSolver {
        &self.solver
    }

    /// The prior variances with their standard errors, computed once. They are exact up to 4096 items (by n solves) and
    /// wherever there is a factor (by one recursion over it). Otherwise 32 solves estimate them.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    pub fn variances(&self) -> Result<&InverseDiagonal> {
        if let Some(known) = self.variances.get() {
            return Ok(known);
        }
        let mut found = self.solver.inverse_diagonal()?;
        found.values.iter_mut().chain(&mut found.errors).for_each(|value| *value /= self.beta);
        Ok(self.variances.get_or_init(|| found))
    }

    /// The columns along very many functionals: as [`Kernel::along`], but for rounding.
    fn all_along(&self, functionals: &[Functional]) -> Result<Matrix> {
        let mut out = Matrix::zeros(self.len(), functionals.len());
        let Some(wide) = self.solver.wide() else { return self.along(functionals, &mut out).map(|()| out) };
        out.columns_mut().zip(functionals).for_each(|(column, one)| one.spread(1.0 / self.beta, column));
        wide.solve_in_place(out.values_mut());
        Ok(out)
    }
}

/// The smallest `1 / iota²` beside the largest degree, 2⁻⁴⁰. The rounding of the degrees, 2⁻⁵³, then moves the variance
/// that a whole component shares by less than one part in a thousand.
const LEAST_SHIFT: f64 = 1.0 / (1_u64 << 40) as f64;

/// `1 / iota²`, if it is not lost beside the largest degree.
pub(super) fn shift_of(iota: f64, largest: f64) -> Result<f64> {
    let iota = positive("iota", iota)?;
    let shift = (1.0 / iota) / iota;
    if !(shift.is_finite() && shift > 0.0) {
        return Err(Error::Parameter {
            name: "iota".into(),
            value: iota,
            expected: "a number whose square is in range",
        });
    }
    if shift < LEAST_SHIFT * largest {
        let expected = "a number so small that 1 / iota² is not lost beside the largest degree";
        return Err(Error::Parameter { name: "iota".into(), value: iota, expected });
    }
    Ok(shift)
}

/// The tolerance of the solves behind draws. The error of any number of draws is far larger.
const DRAWN: f64 = 1e-6;

/// `Δ = B'B`, where a link of weight w between i and j is the row `√w (e_i - e_j)` of B. So `r = B'e + e' / iota` with
/// standard normal e and e' has the covariance A, and `A⁻¹ r / √beta` has that of the kernel: a normal number per link and
/// item, and one solve.
impl PriorDraws for &RegularizedLaplacian {
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        let n = self.len();
        let (own, scale) = (1.0 / self.iota, 1.0 / self.beta.sqrt());
        out.values_mut().par_chunks_mut(n.max(1)).zip(streams).for_each(|(column, stream)| {
            column.iter_mut().for_each(|value| *value = own * stream.sample::<f64, _>(StandardNormal));
            for item in 0..n {
                let (others, weights) = self.graph.neighbours(item);
                let later = others.partition_point(|&other| other as usize <= item);
                for (&other, weight) in others[later..].iter().zip(&weights[later..]) {
                    let apart = weight.sqrt() * stream.sample::<f64, _>(StandardNormal);
                    column[item] += apart;
                    column[other as usize] -= apart;
                }
            }
        });
        self.solver.solve_many(out.values_mut(), DRAWN)?;
        out.values_mut().iter_mut().for_each(|value| *value *= scale);
        Ok(())
    }
}

impl Kernel for RegularizedLaplacian {
    fn len(&self) -> usize {
        self.graph.len()
    }

    /// [`RegularizedLaplacian::variances`].
    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(&self.variances()?.values);
        Ok(())
    }

    /// One solve.
    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        self.solver.columns(&[item], out)?;
        out.iter_mut().for_each(|value| *value /= self.beta);
        Ok(())
    }

    fn has_exact_diagonal(&self) -> bool {
        self.solver.has_exact_diagonal()
    }

    /// The floor is 0: this is the inverse of a matrix that is positive only on the diagonal.
    fn floor(&self) -> f64 {
        0.0
    }

    /// In blocks.
    fn columns(&self, items: &[usize], out: &mut Matrix) -> Result<()> {
        self.solver.columns(items, out.values_mut())?;
        out.values_mut().iter_mut().for_each(|value| *value /= self.beta);
        Ok(())
    }

    /// One solve for each.
    fn along(&self, functionals: &[Functional], out: &mut Matrix) -> Result<()> {
        let pair = |functional: &Functional| match *functional {
            Functional::Item(item) => (item as usize, None),
            Functional::Difference(first, second) => (first as usize, Some(second as usize)),
            Functional::Beside(..) | Functional::OnScreen(..) => unreachable!("a kernel over links has no asides"),
        };
        self.solver.differences(&functionals.iter().map(pair).collect::<Vec<_>>(), out.values_mut())?;
        out.values_mut().iter_mut().for_each(|value| *value /= self.beta);
        Ok(())
    }

    fn among(&self, items: &[usize]) -> Result<Matrix> {
        among_by_blocks(self, items)
    }

    fn between(&self, functionals: &[Functional]) -> Result<Matrix> {
        between_by_blocks(self.len(), functionals, &|some, out| self.along(some, out))
    }

    fn between_solved(&self, functionals: &[Functional]) -> Result<(Matrix, Solved)> {
        let columns = self.all_along(functionals)?;
        Ok((functionals_of(functionals, &columns), Solved::Columns(columns)))
    }

    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        Ok(Box::new(self))
    }

    /// n solves, in parallel by blocks.
    fn matrix(&self) -> Result<Matrix> {
        let mut out = self.solver.inverse()?;
        out.values_mut().iter_mut().for_each(|value| *value /= self.beta);
        Ok(out)
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![named("beta", self.beta), named("iota", self.iota)]
    }

    /// Another iota needs a new factor, in the known order. Another beta costs nothing.
    fn set_parameters(&mut self, values: &[f64]) -> Result<()> {
        let [beta, iota] = parameters_of(values)?;
        let beta = positive("beta", beta)?;
        if iota != self.iota {
            let degrees = self.graph.degrees();
            let shift = shift_of(iota, degrees.iter().copied().fold(0.0, f64::max))?;
            self.solver = self.solver.with_shift(shift)?;
            self.iota = iota;
        }
        self.beta = beta;
        self.variances = OnceLock::new();
        Ok(())
    }

    /// One solve for beta, two for iota.
    fn derivative_column(&self, parameter: usize, item: usize, out: &mut [f64]) -> Result<()> {
        let solve = |rhs: &[f64], x: &mut [f64]| self.solver.solve(rhs, x);
        derivative_of_inverse(self, [self.beta, self.iota], solve, (parameter, item), out)
    }
    fn contract(&self, items: &[usize], weights: &Matrix) -> Result<Contraction> {
        let items: Vec<Functional> = items.iter().map(|&item| Functional::Item(item as u32)).collect();
        self.contract_between(&items, weights)
    }

    fn contract_between(&self, functionals: &[Functional], weights: &Matrix) -> Result<Contraction> {
        let solved = Solved::Columns(self.all_along(functionals)?);
        self.contract_solved(functionals, weights, &solved)
    }

    fn contract_solved(&self, functionals: &[Functional], weights: &Matrix, solved: &Solved) -> Result<Contraction> {
        let Solved::Columns(columns) = solved else { return self.contract_between(functionals, weights) };
        Ok(contract_inverse([self.beta, self.iota], functionals, weights, columns))
    }

    /// If 1 / iota² is a quarter of the mean degree, utilities agree over a few links.
    fn typical(&self) -> Result<Vec<Option<f64>>> {
        let mean = self.graph.weights().values().iter().sum::<f64>() / self.len().max(1) as f64;
        Ok(vec![None, Some(if mean > 0.0 { 2.0 / mean.sqrt() } else { 1.0 })])
    }
}
