//! Weighted sums of kernels, built from specifications.

use super::{Contraction, Kernel, KernelSpec, Parameter, PriorDraws, Solved, no_such_parameter, positive, wrong_count};
use crate::data::{Functional, Items, Prior, Relation};
use crate::numeric::dense::{add_scaled, multiply_vector};
use crate::numeric::{Matrix, Stream};
use crate::{Error, Result};

/// `K = Σ weight_c² K_c`: the utility is the sum of independent parts, each multiplied by its weight (AXPGP eqs. 5 and 6,
/// XPGP section 7).
///
/// Its parameters are, part by part, the weight and then the part's own: `kernel[0].weight`, `kernel[0].kappa`, ...,
/// `kernel[1].weight`, .... The weights of the mean follow, if there is one: `prior[0]`, ....
pub struct WeightedSum {
    items: usize,
    parts: Vec<(f64, Box<dyn Kernel>)>,
    mean: Option<Mean>,
}

/// The standard deviation of a typical mean. Beside kernels of variance 1 it is half of theirs. Tuning keeps to weights
/// around this size, and columns that say the same would be fitted to noise without that. NDCG@10 before any answer, on
/// the first two parts of OHSUMED with weights and kernels learned on 100 or 300 answers about each other query, over 3 seeds: 0.474 and 0.492
/// with 1, 0.480 and 0.492 with ½, 0.486 and 0.480 with a fifth.
const TOGETHER: f64 = 0.5;

/// A prior mean that is linear in its weights.
struct Mean {
    /// `[n, weights]`.
    columns: Matrix,
    weights: Vec<f64>,
    /// The columns times the weights.
    values: Vec<f64>,
}

impl Mean {
    fn new(columns: Matrix, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != columns.columns() {
            return Err(wrong_count(weights.len(), columns.columns()));
        }
        let mut out = Self { values: Vec::new(), weights: Vec::new(), columns };
        out.set(&weights)?;
        Ok(out)
    }

    /// Takes other weights. If one is not finite or the mean is not, nothing changes.
    fn set(&mut self, weights: &[f64]) -> Result<()> {
        let values = multiply_vector(&self.columns, weights);
        let expected = "a number that leaves the prior mean finite";
        let wrong = weights.iter().position(|weight| !weight.is_finite());
        let wrong = wrong.or_else(|| values.iter().any(|value| !value.is_finite()).then_some(0));
        if let Some(at) = wrong {
            return Err(Error::Parameter { name: Prior::parameter(at), value: weights[at], expected });
        }
        (self.weights, self.values) = (weights.to_vec(), values);
        Ok(())
    }

    /// For every weight: the value at which all columns together vary by [`TOGETHER`].
    fn typical(&self) -> impl Iterator<Item = f64> {
        let (count, share) = (self.values.len() as f64, TOGETHER / (self.weights.len() as f64).sqrt());
        (0..self.weights.len()).map(move |at| {
            let column = self.columns.column(at);
            let mean = column.iter().map(|value| value / count).sum::<f64>();
            let variance = column.iter().map(|value| (value - mean).powi(2) / count).sum::<f64>();
            // A column that does not vary leaves its weight open, so any width will do.
            if variance.is_normal() { share / variance.sqrt() } else { share }
        })
    }
}

impl std::fmt::Debug for WeightedSum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WeightedSum").field("items", &self.items).field("parameters", &self.parameters()).finish()
    }
}

impl WeightedSum {
    /// The sum of these parts with their weights.
    ///
    /// # Errors
    /// If there is no part, a weight is not positive and finite, or the parts are over different numbers of items.
    pub fn new(parts: Vec<(f64, Box<dyn Kernel>)>) -> Result<Self> {
        let Some(items) = parts.first().map(|(_, part)| part.len()) else {
            return Err(Error::Data { what: "kernels", found: "none".into(), expected: "at least one".into() });
        };
        for (number, (weight, part)) in parts.iter().enumerate() {
            check_weight(number, *weight)?;
            if part.len() != items {
                return Err(Error::Data {
                    what: "the items of a kernel",
                    found: part.len().to_string(),
                    expected: format!("{items}, as in the first part"),
                });
            }
        }
        Ok(Self { items, parts, mean: None })
    }

    /// The same covariance around a mean: these columns, `[n, weights]`, times their weights.
    ///
    /// # Errors
    /// If the columns have other rows than there are items, there are not as many weights as columns, or the mean is
    /// not finite.
    pub fn with_mean(self, columns: Matrix, weights: Vec<f64>) -> Result<Self> {
        if columns.rows() != self.items {
            return Err(Error::Data {
                what: "the items of a prior mean",
                found: columns.rows().to_string(),
                expected: format!("{}, as in the kernel", self.items),
            });
        }
        Ok(Self { mean: Some(Mean::new(columns, weights)?), ..self })
    }

    /// The same covariance around the mean that is known of these items, if any.
    pub(super) fn with_prior_of(self, items: &Items) -> Result<Self> {
        let Some(prior) = items.prior() else { return Ok(self) };
        let columns = prior.columns();
        let matrix = Matrix::from_fn(columns.items(), columns.len(), |item, column| columns.row(item)[column]);
        self.with_mean(matrix, prior.weights().to_vec())
    }

    /// The parts with their weights.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = (f64, &dyn Kernel)> {
        self.parts.iter().map(|(weight, part)| (*weight, part.as_ref()))
    }

    /// Whether a parameter is the weight of a part.
    pub fn is_weight(&self, parameter: usize) -> bool {
        self.locate(parameter).is_ok_and(|(_, position)| position == 0)
    }

    /// Whether a parameter is a weight of the mean, which may be negative or 0.
    pub fn is_mean(&self, parameter: usize) -> bool {
        self.mean.is_some() && parameter >= self.of_parts()
    }

    /// The number of parameters of the parts.
    fn of_parts(&self) -> usize {
        self.parts.iter().map(|(_, part)| 1 + part.parameters().len()).sum()
    }

    /// `2 weight Σ W_ij (K_c)_ij` for a weight, `weight²` times the part's own for its parameters, 0 for a weight of
    /// the mean.
    fn contract_parts(&self, contract: impl Fn(usize, &dyn Kernel) -> Result<Contraction>) -> Result<Contraction> {
        let mut out = Contraction { value: 0.0, derivatives: Vec::new() };
        for (number, (weight, part)) in self.parts.iter().enumerate() {
            let own = contract(number, part.as_ref())?;
            out.value += weight * weight * own.value;
            out.derivatives.push(2.0 * weight * own.value);
            out.derivatives.extend(own.derivatives.into_iter().map(|derivative| weight * weight * derivative));
        }
        out.derivatives.extend(self.mean.iter().flat_map(|mean| mean.weights.iter().map(|_| 0.0)));
        Ok(out)
    }

    /// `out = Σ weight² write(part)`.
    fn accumulate(&self, out: &mut [f64], write: impl Fn(&dyn Kernel, &mut [f64]) -> Result<()>) -> Result<()> {
        let mut own = vec![0.0; if self.parts.len() > 1 { out.len() } else { 0 }];
        for (number, (weight, part)) in self.parts.iter().enumerate() {
            let scale = weight * weight;
            if number == 0 {
                write(part.as_ref(), out)?;
                out.iter_mut().for_each(|value| *value *= scale);
            } else {
                write(part.as_ref(), &mut own)?;
                out.iter_mut().zip(&own).for_each(|(out, own)| *out += scale * own);
            }
        }
        Ok(())
    }

    /// `Σ weight² matrix(part)`, of this size.
    fn add_up(&self, size: usize, matrix: impl Fn(&dyn Kernel) -> Result<Matrix>) -> Result<Matrix> {
        let mut out = Matrix::zeros(size, size);
        for (weight, part) in &self.parts {
            add_scaled(out.values_mut(), weight * weight, matrix(part.as_ref())?.values());
        }
        Ok(out)
    }

    /// The part of a parameter, and its position there: 0 for the weight.
    fn locate(&self, parameter: usize) -> Result<(usize, usize)> {
        let mut position = parameter;
        let mut count = 0;
        for (number, (_, part)) in self.parts.iter().enumerate() {
            let own = 1 + part.parameters().len();
            if position < own {
                return Ok((number, position));
            }
            position -= own;
            count += own;
        }
        Err(no_such_parameter(parameter, count))
    }
}

/// `out = Σ weight write(part)`. If there are several parts, beside as much memory for one of them.
fn add_parts(
    weights: impl Iterator<Item = f64>,
    out: &mut Matrix,
    mut write: impl FnMut(usize, &mut Matrix) -> Result<()>,
) -> Result<()> {
    let mut own = Matrix::zeros(0, 0);
    for (number, weight) in weights.enumerate() {
        if number == 0 {
            write(number, out)?;
            out.values_mut().iter_mut().for_each(|value| *value *= weight);
            continue;
        }
        if own.columns() != out.columns() {
            own = Matrix::zeros(out.rows(), out.columns());
        }
        write(number, &mut own)?;
        add_scaled(out.values_mut(), weight, own.values());
    }
    Ok(())
}

/// Draws of the parts, each with its weight.
struct Drawn<'a>(Vec<(f64, Box<dyn PriorDraws + 'a>)>);

impl PriorDraws for Drawn<'_> {
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        add_parts(self.0.iter().map(|(weight, _)| *weight), out, |number, out| self.0[number].1.draw(streams, out))
    }
}

pub(super) fn check_weight(number: usize, weight: f64) -> Result<()> {
    let name = format!("kernel[{number}].weight");
    positive(&name, weight)?;
    if (weight * weight).is_finite() {
        return Ok(());
    }
    Err(Error::Parameter { name, value: weight, expected: "a number whose square is in range" })
}

/// Adds the kernel's number to an error about a parameter.
pub(super) fn of_kernel(number: usize, error: Error) -> Error {
    match error {
        Error::Parameter { name, value, expected } => {
            Error::Parameter { name: format!("kernel[{number}].{name}"), value, expected }
        }
        error => error,
    }
}

impl Kernel for WeightedSum {
    fn len(&self) -> usize {
        self.items
    }

    fn mean(&self) -> Option<&[f64]> {
        self.mean.as_ref().map(|mean| mean.values.as_slice())
    }

    fn mean_columns(&self) -> Option<&Matrix> {
        self.mean.as_ref().map(|mean| &mean.columns)
    }

    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        self.accumulate(out, |part, out| part.diagonal(out))
    }

    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        self.accumulate(out, |part, out| part.column(item, out))
    }

    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        self.accumulate(out, |part, out| part.entries(item, others, out))
    }

    fn has_cheap_entries(&self) -> bool {
        self.parts.iter().all(|(_, part)| part.has_cheap_entries())
    }

    fn has_exact_diagonal(&self) -> bool {
        self.parts.iter().all(|(_, part)| part.has_exact_diagonal())
    }

    fn floor(&self) -> f64 {
        // The square of a tiny weight is 0, and 0 times minus infinity would be NaN.
        let scales = self.parts.iter().map(|(weight, part)| (weight * weight, part)).filter(|(scale, _)| *scale > 0.0);
        scales.map(|(scale, part)| scale * part.floor()).sum()
    }

    fn columns(&self, items: &[usize], out: &mut Matrix) -> Result<()> {
        let weights = self.parts.iter().map(|(weight, _)| weight * weight);
        add_parts(weights, out, |number, out| self.parts[number].1.columns(items, out))
    }

    fn along(&self, functionals: &[Functional], out: &mut Matrix) -> Result<()> {
        let weights = self.parts.iter().map(|(weight, _)| weight * weight);
        add_parts(weights, out, |number, out| self.parts[number].1.along(functionals, out))
    }

    fn between(&self, functionals: &[Functional]) -> Result<Matrix> {
        self.add_up(functionals.len(), |part| part.between(functionals))
    }

    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        let parts = self.parts.iter().map(|(weight, part)| Ok((*weight, part.prior_draws()?)));
        Ok(Box::new(Drawn(parts.collect::<Result<_>>()?)))
    }

    fn matrix(&self) -> Result<Matrix> {
        self.add_up(self.items, |part| part.matrix())
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut out = Vec::new();
        for (number, (weight, part)) in self.parts.iter().enumerate() {
            out.push(Parameter { name: format!("kernel[{number}].weight"), value: *weight });
            out.extend(part.parameters().into_iter().map(|Parameter { name, value }| {
                let name = format!("kernel[{number}].{name}");
                Parameter { name, value }
            }));
        }
        let weights = self.mean.iter().flat_map(|mean| &mean.weights).enumerate();
        out.extend(weights.map(|(at, &value)| Parameter { name: Prior::parameter(at), value }));
        out
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<()> {
        let before: Vec<f64> = self.parameters().into_iter().map(|parameter| parameter.value).collect();
        if values.len() != before.len() {
            return Err(wrong_count(values.len(), before.len()));
        }
        let mut first = 0;
        let mut ranges = Vec::with_capacity(self.parts.len());
        for (number, (_, part)) in self.parts.iter().enumerate() {
            check_weight(number, values[first])?;
            let count = part.parameters().len();
            ranges.push(first + 1..first + 1 + count);
            first += 1 + count;
        }
        for (number, range) in ranges.iter().enumerate() {
            if let Err(error) = self.parts[number].1.set_parameters(&values[range.clone()]) {
                // These parts had valid values before, so they take them again.
                for (part, range) in self.parts.iter_mut().zip(&ranges).take(number) {
                    part.1.set_parameters(&before[range.clone()])?;
                }
                return Err(of_kernel(number, error));
            }
        }
        if let Some(Err(error)) = self.mean.as_mut().map(|mean| mean.set(&values[first..])) {
            for (part, range) in self.parts.iter_mut().zip(&ranges) {
                part.1.set_parameters(&before[range.clone()])?;
            }
            return Err(error);
        }
        for ((weight, _), range) in self.parts.iter_mut().zip(&ranges) {
            *weight = values[range.start - 1];
        }
        Ok(())
    }

    /// `2 weight K_c` for a weight, `weight²` times the part's own for its parameters, 0 for a weight of the mean.
    fn derivative_column(&self, parameter: usize, item: usize, out: &mut [f64]) -> Result<()> {
        if self.is_mean(parameter) && parameter < self.parameters().len() {
            out.fill(0.0);
            return Ok(());
        }
        let (number, position) = self.locate(parameter)?;
        let (weight, part) = &self.parts[number];
        let scale = if position == 0 {
            part.column(item, out)?;
            2.0 * weight
        } else {
            part.derivative_column(position - 1, item, out)?;
            weight * weight
        };
        out.iter_mut().for_each(|value| *value *= scale);
        Ok(())
    }

    fn among(&self, items: &[usize]) -> Result<Matrix> {
        self.add_up(items.len(), |part| part.among(items))
    }

    fn contract(&self, items: &[usize], weights: &Matrix) -> Result<Contraction> {
        self.contract_parts(|_, part| part.contract(items, weights))
    }

    fn contract_between(&self, functionals: &[Functional], weights: &Matrix) -> Result<Contraction> {
        self.contract_parts(|_, part| part.contract_between(functionals, weights))
    }

    fn between_solved(&self, functionals: &[Functional]) -> Result<(Matrix, Solved)> {
        let mut out = Matrix::zeros(functionals.len(), functionals.len());
        let mut solved = Vec::with_capacity(self.parts.len());
        for (weight, part) in &self.parts {
            let (matrix, own) = part.between_solved(functionals)?;
            add_scaled(out.values_mut(), weight * weight, matrix.values());
            solved.push(own);
        }
        Ok((out, Solved::Parts(solved)))
    }

    fn contract_solved(&self, functionals: &[Functional], weights: &Matrix, solved: &Solved) -> Result<Contraction> {
        let Solved::Parts(solved) = solved else { return self.contract_between(functionals, weights) };
        self.contract_parts(|number, part| part.contract_solved(functionals, weights, &solved[number]))
    }

    /// For a weight: the value that gives its part an average variance of 1. For the weights of the mean: the values
    /// that give it half of this deviation.
    fn typical(&self) -> Result<Vec<Option<f64>>> {
        let mut out = Vec::new();
        let mut variances = vec![0.0; self.items];
        for (_, part) in &self.parts {
            part.diagonal(&mut variances)?;
            let mean = variances.iter().sum::<f64>() / self.items as f64;
            // Items without attributes, or no items, have no variance to scale.
            out.push(Some(if mean > 0.0 { 1.0 / mean.sqrt() } else { 1.0 }));
            out.extend(part.typical()?);
        }
        out.extend(self.mean.iter().flat_map(|mean| mean.typical()).map(Some));
        Ok(out)
    }
}

/// Builds the kernel of a project's specifications, around the mean that is known of the items.
///
/// ```
/// use ordain::data::{Items, Link, Relation};
/// use ordain::kernel::{Kernel, KernelSpec, RelationSpec, Role, Shape, build};
///
/// let items = Items::from_ids(["a", "b", "c"])?;
/// let cites = Relation::new(3, vec![Link { source: 0, target: 1, weight: 1.0 }])?;
/// let relation = RelationSpec { relation: 0, role: Role::Undirected };
/// let shape = Shape::RegularizedLaplacian { relation, beta: 1.0, iota: 1.0 };
/// let kernel = build(&[KernelSpec::new(1.0, shape)], &items, &[cites])?;
///
/// let mut column = [0.0; 3];
/// kernel.column(0, &mut column)?;
/// assert!((column[0] - 2.0 / 3.0).abs() < 1e-15 && (column[1] - 1.0 / 3.0).abs() < 1e-15 && column[2] == 0.0);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
/// If there is no specification, a parameter is out of range (named as in `kernel[0].rho`), a relation does not exist or
/// does not fit its role, or a part is too large for its method.
pub fn build(specs: &[KernelSpec], items: &Items, relations: &[Relation]) -> Result<WeightedSum> {
    let mut parts = Vec::with_capacity(specs.len());
    for (number, spec) in specs.iter().enumerate() {
        check_weight(number, spec.weight)?;
        let part = spec.shape.build(items, relations).map_err(|error| of_kernel(number, error))?;
        parts.push((spec.weight, part));
    }
    WeightedSum::new(parts)?.with_prior_of(items)
}

/// The relation with this number.
pub(super) fn relation_at(relations: &[Relation], number: usize) -> Result<&Relation> {
    relations.get(number).ok_or_else(|| Error::Data {
        what: "the relation of a kernel",
        found: format!("number {number}"),
        expected: format!("one of {} relations", relations.len()),
    })
}
