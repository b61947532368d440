//! Kernels: the prior similarity of two items, from attributes, from links, and as weighted sums of these.
//!
//! [`build`] turns a project's [`KernelSpec`]s into one [`WeightedSum`]. Each part can also be made by itself. Parts
//! over vectors are [`VectorKernel`]s. Parts over links start from a [`Graph`]. No part but [`SemiSupervised`] and [`Given`] keeps a
//! matrix over the items. A column costs time and memory linear in the items and links, apart from the solves that its documentation
//! names.
//!
//! Every random choice has a fixed seed, and every sum has a fixed order. So values have the same bits in every run and
//! for any number of threads. The only random choices are the probes of variances that are estimated.

mod asides;
mod common_cause;
mod diffusion;
mod directed;
mod draws;
mod features;
mod given;
mod graph;
mod independent;
mod kinds;
mod laplacian;
mod neighbours;
mod newcomers;
mod semi_supervised;
mod spec;
mod sum;
mod text;
mod vector;
mod vectors;

pub(crate) use asides::{Asides, Block};
pub use common_cause::CommonCause;
pub use diffusion::Diffusion;
pub use directed::DirectedLaplacian;
pub use draws::PriorDraws;
#[cfg(test)]
pub(crate) use features::Waves;
pub use given::Given;
pub use graph::{Graph, relation_vectors};
pub use independent::Independent;
pub(crate) use kinds::KernelTable;
pub use kinds::{KernelKind, Key, Takes, WEIGHT};
pub use laplacian::RegularizedLaplacian;
pub use neighbours::neighbour_graph;
pub use newcomers::build_with_newcomers;
pub use semi_supervised::SemiSupervised;
pub use spec::{Causes, Form, KernelSpec, Over, ParameterName, RelationSpec, Rho, Role, Shape, set_parameters};
pub use sum::{WeightedSum, build};
pub use text::text_relation;
pub use vector::VectorKernel;
pub use vectors::Vectors;

use rayon::prelude::*;

use crate::data::Functional;
use crate::numeric::Matrix;
use crate::numeric::dense::{add_scaled, dot, squared, transpose};
use crate::{Error, Result};

/// One tunable number of a kernel. All parameters are positive, apart from the weights of a prior mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name as in the project file: `kappa`, `rho`, `rho[3]`, `beta`; `prior[0]` for a weight of the prior mean.
    pub name: String,
    /// The value.
    pub value: f64,
}

/// A Gaussian prior over a fixed set of items: its mean, and its covariance by columns. No method needs the whole
/// matrix.
///
/// Every covariance is symmetric and positive semidefinite. Most kernels have no mean of their own: [`WeightedSum`] adds
/// it.
pub trait Kernel: Send + Sync {
    /// The number of coordinates: the items, and the asides after them if there are any.
    fn len(&self) -> usize;

    /// The number of asides: coordinates after the items that answers are about too, such as a judge's bias towards a side. Most kernels
    /// have none.
    fn asides(&self) -> usize {
        0
    }

    /// The number of items.
    fn items(&self) -> usize {
        self.len() - self.asides()
    }

    /// Whether there is no item.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The prior mean of every item; `None` stands for 0.
    fn mean(&self) -> Option<&[f64]> {
        None
    }

    /// The derivatives of the mean by its weights, `[n, weights]`, if there is a mean. The mean is linear in its
    /// weights, which are the last parameters.
    fn mean_columns(&self) -> Option<&Matrix> {
        None
    }

    /// Writes the prior variances `K_ii` to `out` (length n). The default computes n columns in parallel; some kernels
    /// are faster.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        let entry = |column: &mut Vec<f64>, (item, out): (usize, &mut f64)| {
            self.column(item, column)?;
            *out = column[item];
            Ok(())
        };
        out.par_iter_mut().enumerate().try_for_each_init(|| vec![0.0; self.len()], entry)
    }

    /// Writes the column `K_{. item}` to `out` (length n).
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn column(&self, item: usize, out: &mut [f64]) -> Result<()>;

    /// Writes some entries of a column, `K_{others, item}`, to `out`. They have the same bits as in the column. The
    /// cost is that of a whole column unless [`Kernel::has_cheap_entries`].
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        let mut column = vec![0.0; self.len()];
        self.column(item, &mut column)?;
        out.iter_mut().zip(others).for_each(|(out, &other)| *out = column[other as usize]);
        Ok(())
    }

    /// Whether an entry costs only its share of a column.
    fn has_cheap_entries(&self) -> bool {
        false
    }

    /// Whether [`Kernel::diagonal`] is exact. Over very many links it may be an estimate.
    fn has_exact_diagonal(&self) -> bool {
        true
    }

    /// A lower bound on the covariance of any two items, apart from rounding. It is 0 for most kernels and minus
    /// infinity if no bound is known.
    fn floor(&self) -> f64 {
        f64::NEG_INFINITY
    }

    /// Writes the columns of some items to the columns of `out` (n rows). Each has the same bits as by
    /// [`Kernel::column`]. The default computes them in parallel; some kernels are faster.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn columns(&self, items: &[usize], out: &mut Matrix) -> Result<()> {
        let columns = out.values_mut().par_chunks_mut(self.len().max(1)).zip(items);
        columns.try_for_each(|(column, &item)| self.column(item, column))
    }

    /// Writes the covariances of all items with some functionals of the utilities to the columns of `out` (n rows). The
    /// default takes one or two columns for each, in parallel; kernels that solve take one solve.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn along(&self, functionals: &[Functional], out: &mut Matrix) -> Result<()> {
        let write = |other: &mut Vec<f64>, (column, functional): (&mut [f64], &Functional)| match *functional {
            Functional::Item(item) => self.column(item as usize, column),
            _ => {
                other.resize(self.len(), 0.0);
                for (at, (item, sign)) in functional.terms().enumerate() {
                    if at == 0 {
                        self.column(item as usize, column)?;
                    } else {
                        self.column(item as usize, other)?;
                        add_scaled(column, sign, other);
                    }
                }
                Ok(())
            }
        };
        let columns = out.values_mut().par_chunks_mut(self.len().max(1)).zip(functionals);
        columns.try_for_each_init(Vec::new, write)
    }

    /// The covariances among some functionals: `b²` doubles for b of them, beside those among their m items.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn between(&self, functionals: &[Functional]) -> Result<Matrix> {
        let items = Functional::items_of(functionals);
        let among = self.among(&items)?;
        if functionals.len() == items.len() && functionals.iter().all(|one| matches!(one, Functional::Item(_))) {
            return Ok(among);
        }
        let axes = Functional::in_terms_of(&items, functionals);
        // The matrix among the items is symmetric, so its columns are its rows.
        Ok(functionals_of(&axes, &transpose(&functionals_of(&axes, &among))))
    }

    /// Prepares draws of the deviations from the mean. The default factors the whole matrix, with pivoting, as far as
    /// rounding: `n r²` operations and `n r` doubles for rank r, which must not be above 4000.
    ///
    /// # Errors
    /// If an iterative solve does not converge, or the matrix is too large for the method.
    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        draws::by_factor(self.len(), self.diagonal_of()?, |item, out| self.column(item, out))
    }

    /// The prior variances.
    ///
    /// # Errors
    /// As [`Kernel::diagonal`].
    fn diagonal_of(&self) -> Result<Vec<f64>> {
        let mut out = vec![0.0; self.len()];
        self.diagonal(&mut out)?;
        Ok(out)
    }

    /// The whole matrix: `n²` doubles. The default computes its columns in parallel; some kernels are faster.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn matrix(&self) -> Result<Matrix> {
        let n = self.len();
        let mut out = Matrix::zeros(n, n);
        let columns = out.values_mut().par_chunks_mut(n.max(1)).enumerate();
        columns.try_for_each(|(item, column)| self.column(item, column))?;
        Ok(out)
    }

    /// The parameters with their values, in a fixed order. The default has none.
    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    /// Sets the values of the parameters, in the order of [`Kernel::parameters`].
    ///
    /// # Errors
    /// If a value is not positive and finite, or a weight of the mean not finite. The kernel is then unchanged.
    fn set_parameters(&mut self, values: &[f64]) -> Result<()> {
        parameters_of::<0>(values).map(|_| ())
    }

    /// Writes the column `∂K_{. item} / ∂ parameter` (not of its logarithm) to `out` (length n).
    ///
    /// # Errors
    /// If an iterative solve does not converge, or the parameter does not exist.
    fn derivative_column(&self, parameter: usize, item: usize, out: &mut [f64]) -> Result<()> {
        let _ = (item, out);
        Err(no_such_parameter(parameter, 0))
    }

    /// The matrix among some items: `m²` doubles for m items.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn among(&self, items: &[usize]) -> Result<Matrix> {
        let mut out = Matrix::zeros(items.len(), items.len());
        let entries = |whole: &mut Vec<f64>, (column, &item): (&mut [f64], &usize)| {
            self.column(item, whole)?;
            column.iter_mut().zip(items).for_each(|(entry, &other)| *entry = whole[other]);
            Ok(())
        };
        let columns = out.values_mut().par_chunks_mut(items.len().max(1)).zip(items);
        columns.try_for_each_init(|| vec![0.0; self.len()], entries).map(|()| out)
    }

    /// The sums of the kernel and of its derivatives over pairs of items, weighted by a symmetric matrix. The gradient
    /// of an evidence needs nothing else of the covariance, which does not depend on the weights of the mean. The
    /// default goes by columns; some kernels are faster.
    ///
    /// # Errors
    /// As [`Kernel::derivative_column`].
    fn contract(&self, items: &[usize], weights: &Matrix) -> Result<Contraction> {
        let value = product_sum(&self.among(items)?, weights);
        let derivative = |parameter: usize| -> Result<f64> {
            let term = |whole: &mut Vec<f64>, (position, &item): (usize, &usize)| {
                self.derivative_column(parameter, item, whole)?;
                let pairs = items.iter().zip(weights.column(position));
                Ok(pairs.map(|(&other, weight)| weight * whole[other]).sum())
            };
            let columns = items.par_iter().enumerate().map_init(|| vec![0.0; self.len()], term);
            let terms: Vec<f64> = columns.collect::<Result<_>>()?;
            Ok(terms.into_iter().sum())
        };
        Ok(Contraction { value, derivatives: (0..self.parameters().len()).map(derivative).collect::<Result<_>>()? })
    }

    /// As [`Kernel::contract`], over pairs of functionals. The default goes by their items.
    ///
    /// # Errors
    /// As [`Kernel::contract`].
    fn contract_between(&self, functionals: &[Functional], weights: &Matrix) -> Result<Contraction> {
        let items = Functional::items_of(functionals);
        self.contract(&items, &over_items(weights, &Functional::in_terms_of(&items, functionals), items.len()))
    }

    /// As [`Kernel::between`], with what [`Kernel::contract_solved`] needs again. Kernels that solve keep the columns of all
    /// items: `n b` doubles. The default keeps nothing.
    ///
    /// # Errors
    /// As [`Kernel::between`].
    fn between_solved(&self, functionals: &[Functional]) -> Result<(Matrix, Solved)> {
        Ok((self.between(functionals)?, Solved::Nothing))
    }

    /// As [`Kernel::contract_between`] over the functionals of [`Kernel::between_solved`], without solving again.
    ///
    /// # Errors
    /// As [`Kernel::contract`].
    fn contract_solved(&self, functionals: &[Functional], weights: &Matrix, _solved: &Solved) -> Result<Contraction> {
        self.contract_between(functionals, weights)
    }

    /// The order of magnitude of every parameter that shapes the kernel. Tuning may start there and stays around it.
    /// `None` for a parameter that only scales the kernel (kappa, beta), because the weight does that already.
    ///
    /// # Errors
    /// If an iterative solve does not converge.
    fn typical(&self) -> Result<Vec<Option<f64>>> {
        Ok(vec![None; self.parameters().len()])
    }
}

/// What is solved for the covariances among some functionals and needed again for a contraction.
#[derive(Debug, Clone)]
pub enum Solved {
    /// Nothing.
    Nothing,
    /// The covariances of all items with the functionals, `[n, b]`.
    Columns(Matrix),
    /// Of every part of a sum.
    Parts(Vec<Solved>),
}

/// Weighted sums over pairs of items: of the kernel, and of its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct Contraction {
    /// `Σ_ij W_ij K_ij`.
    pub value: f64,
    /// `Σ_ij W_ij ∂K_ij / ∂ parameter`, for every parameter.
    pub derivatives: Vec<f64>,
}

/// `Σ_ij left_ij right_ij`.
fn product_sum(left: &Matrix, right: &Matrix) -> f64 {
    dot(left.values(), right.values())
}

/// Returns the value if it is positive and finite.
fn positive(name: &str, value: f64) -> Result<f64> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(Error::Parameter { name: name.into(), value, expected: "a positive, finite number" })
}

/// The values as an array, if their number is that of the parameters.
fn parameters_of<const COUNT: usize>(values: &[f64]) -> Result<[f64; COUNT]> {
    values.try_into().map_err(|_| wrong_count(values.len(), COUNT))
}

fn wrong_count(found: usize, expected: usize) -> Error {
    Error::Data { what: "kernel parameters", found: found.to_string(), expected: expected.to_string() }
}

fn no_such_parameter(found: usize, count: usize) -> Error {
    Error::Data {
        what: "the position of a kernel parameter",
        found: found.to_string(),
        expected: format!("below {count}"),
    }
}

/// A column of the derivative of `K = [beta (M + I / iota²)]⁻¹` by beta (0) or iota (1). It is `-K / beta`, or `(2 /
/// iota³) (M + I / iota²)⁻¹ K`. `solve` solves with `M + I / iota²`. The cost is one solve, or two for iota.
fn derivative_of_inverse(
    kernel: &impl Kernel,
    [beta, iota]: [f64; 2],
    solve: impl Fn(&[f64], &mut [f64]) -> Result<()>,
    (parameter, item): (usize, usize),
    out: &mut [f64],
) -> Result<()> {
    let scale = match parameter {
        0 => {
            kernel.column(item, out)?;
            -1.0 / beta
        }
        1 => {
            let mut column = vec![0.0; kernel.len()];
            kernel.column(item, &mut column)?;
            solve(&column, out)?;
            2.0 / iota.powi(3)
        }
        _ => return Err(no_such_parameter(parameter, 2)),
    };
    out.iter_mut().for_each(|value| *value *= scale);
    Ok(())
}

/// Columns of a block: a few megabytes for most kernels, and enough to share out.
const TOGETHER: usize = 128;

/// Writes the columns of a kernel along some functionals, as [`Kernel::along`].
type Along<'a> = &'a dyn Fn(&[Functional], &mut Matrix) -> Result<()>;

/// The covariances among some functionals, for kernels whose columns are solved in blocks.
fn between_by_blocks(n: usize, functionals: &[Functional], along: Along<'_>) -> Result<Matrix> {
    let b = functionals.len();
    let mut out = Matrix::zeros(b, b);
    let mut whole = Matrix::zeros(0, 0);
    for (out, chosen) in out.values_mut().chunks_mut((b * TOGETHER).max(1)).zip(functionals.chunks(TOGETHER)) {
        if whole.columns() != chosen.len() {
            whole = Matrix::zeros(n, chosen.len());
        }
        along(chosen, &mut whole)?;
        out.par_chunks_exact_mut(b).enumerate().for_each(|(at, column)| {
            let whole = whole.column(at);
            column.iter_mut().zip(functionals).for_each(|(entry, functional)| *entry = functional.of(whole));
        });
    }
    Ok(out)
}

/// The contraction of `K = [beta (M + I / iota²)]⁻¹`, by the rules of [`derivative_of_inverse`] but with one solve per
/// functional: `Σ W_ij (K K)_ij` is made of products of columns. `columns` are those along the functionals, `[n, b]`; the cost is
/// `n b²` operations.
fn contract_inverse(
    [beta, iota]: [f64; 2],
    functionals: &[Functional],
    weights: &Matrix,
    columns: &Matrix,
) -> Contraction {
    let value = product_sum(&functionals_of(functionals, columns), weights);
    let square = product_sum(&squared(columns), weights);
    Contraction { value, derivatives: vec![-value / beta, 2.0 * beta / iota.powi(3) * square] }
}

/// The functionals of every column, `[functionals, columns]`.
fn functionals_of(functionals: &[Functional], columns: &Matrix) -> Matrix {
    let b = functionals.len();
    let mut out = Matrix::zeros(b, columns.columns());
    out.values_mut().par_chunks_mut(b.max(1)).enumerate().for_each(|(at, out)| {
        let column = columns.column(at);
        out.iter_mut().zip(functionals).for_each(|(entry, functional)| *entry = functional.of(column));
    });
    out
}

/// `D' M D` for a matrix over coordinates whose functionals are the rows of D.
pub(crate) fn over_items(matrix: &Matrix, axes: &[Functional], items: usize) -> Matrix {
    let spread = |from: &Matrix| {
        let mut out = Matrix::zeros(items, from.columns());
        out.values_mut().par_chunks_mut(items.max(1)).enumerate().for_each(|(at, column)| {
            axes.iter().zip(from.column(at)).for_each(|(functional, &value)| functional.spread(value, column));
        });
        out
    };
    spread(&transpose(&spread(matrix)))
}

/// The matrix among some items, for kernels whose columns are solved in blocks. `n` doubles per column of a block.
fn among_by_blocks(kernel: &impl Kernel, items: &[usize]) -> Result<Matrix> {
    let mut out = Matrix::zeros(items.len(), items.len());
    let blocks = out.values_mut().chunks_mut((items.len() * TOGETHER).max(1)).zip(items.chunks(TOGETHER));
    let mut whole = Matrix::zeros(0, 0);
    for (out, chosen) in blocks {
        if whole.columns() != chosen.len() {
            whole = Matrix::zeros(kernel.len(), chosen.len());
        }
        kernel.columns(chosen, &mut whole)?;
        for (column, whole) in out.chunks_exact_mut(items.len()).zip(whole.columns_mut()) {
            column.iter_mut().zip(items).for_each(|(entry, &other)| *entry = whole[other]);
        }
    }
    Ok(out)
}

fn named(name: &str, value: f64) -> Parameter {
    Parameter { name: name.into(), value }
}
