//! Attribute kernels that follow the shape of the data: semi-supervised Gaussian processes (SSGP section 2.1).
//!
//! Items that no answer speaks of still say where items are. A graph joins nearest neighbours, and utilities that differ
//! along its links are improbable, `exp(-½ strength Σ_links (f_i - f_j)²)` (SSGP eq. 4). With the attribute kernel
//! `Σ` and the graph's Laplacian `L` the prior becomes (SSGP eq. 5)
//!
//! `K = (Σ⁻¹ + strength L)⁻¹ = F (I + strength F' L F)⁻¹ F'`, `Σ = F F'`.
//!
//! The second form divides by nothing that could be singular: with the lower Cholesky factor R of the bracket,
//! `K = V' V` for `V = R⁻¹ F'`, which is what is kept. Items that are not in the graph have zeros in L. Their entries
//! are then `k(x, z) - k_x' (I + strength L Σ)⁻¹ strength L k_z`, the paper's prior for unseen points.
//!
//! Derivatives: `-K L K` by the strength; `W' ∂Σ W` by a parameter of Σ, where `W = (I + strength L Σ)⁻¹ = I - strength L
//! K`.

use std::sync::Arc;

use super::draws::{ByRoot, PriorDraws};
use super::{Contraction, Graph, Kernel, Parameter, VectorKernel, named, no_such_parameter, positive, product_sum};
use crate::numeric::dense::{
    Cholesky, SemidefiniteFactor, add_scaled, dot, mirror_lower, multiply, multiply_sparse, multiply_transposed,
    multiply_vector, squared, transpose,
};
use crate::numeric::{Matrix, SparseMatrix};
use crate::{Error, Result};

/// The key of the strength in a project file, inside its table.
pub(super) const STRENGTH: &str = "semi_supervised.strength";

/// Up to this many items, the attribute kernel is factored as a whole matrix: 1.6 gigabytes and half a minute. Beyond,
/// by columns, which is as exact and takes less if its rank is far below the number of items.
const MOST_WHOLE: usize = 8_192;

/// The most entries of a factor by columns: 0.8 gigabytes, of which there are three.
const MOST_ENTRIES: usize = 100_000_000;

/// The most operations of a factor by columns: about a minute.
const MOST_OPERATIONS: usize = 100_000_000_000;

/// A kernel over attributes, warped by a graph of the items.
#[derive(Debug, Clone)]
pub struct SemiSupervised {
    attributes: VectorKernel,
    /// `L`, with zeros for items that are not in the graph.
    laplacian: Arc<SparseMatrix>,
    strength: f64,
    /// `V`, of size rank x n.
    root: Matrix,
}

impl SemiSupervised {
    /// The attribute kernel, warped by a graph of its first items.
    ///
    /// `5 n³/3` operations and `3 n²` memory for up to 8,192 items; beyond, `2 n r²` and `3 n r` for a kernel of rank
    /// r. A column costs `n r`.
    ///
    /// # Errors
    /// If the strength is not positive and finite, the graph has more items than the kernel, there are more than 8,192
    /// items and the kernel's rank is too large ([`Error::TooLarge`]), or the strength so large that rounding hides the
    /// attribute kernel.
    pub fn new(attributes: VectorKernel, graph: &Graph, strength: f64) -> Result<Self> {
        let n = attributes.len();
        let diagonal = graph.degrees().into_iter().zip(0_u32..).map(|(degree, item)| (item, item, degree));
        let entries: Vec<_> = graph.entries().map(|(i, j, weight)| (i, j, -weight)).chain(diagonal).collect();
        let laplacian = Arc::new(SparseMatrix::from_entries(n, n, &entries)?);
        let root = root(&attributes, &laplacian, strength)?;
        Ok(Self { attributes, laplacian, strength, root })
    }

    /// The kernel without the graph.
    pub fn attributes(&self) -> &VectorKernel {
        &self.attributes
    }

    /// `K x`.
    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        multiply_transposed(&self.root, &multiply_vector(&self.root, x))
    }

    /// `strength L x`.
    fn pull(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        self.laplacian.multiply(x, &mut out);
        out.iter_mut().for_each(|value| *value *= self.strength);
        out
    }

    /// `∂Σ x`, by a parameter of the attribute kernel. All its columns.
    fn multiply_slope(&self, parameter: usize, x: &[f64]) -> Result<Vec<f64>> {
        let (mut out, mut column) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        for (item, &factor) in x.iter().enumerate() {
            self.attributes.derivative_column(parameter, item, &mut column)?;
            add_scaled(&mut out, factor, &column);
        }
        Ok(out)
    }
}

/// `V = R⁻¹ F'`.
fn root(attributes: &VectorKernel, laplacian: &SparseMatrix, strength: f64) -> Result<Matrix> {
    positive(STRENGTH, strength)?;
    let factor = factor(attributes)?;
    let (rank, n) = (factor.transpose().rows(), factor.transpose().columns());
    let mut through = Matrix::zeros(rank, n);
    multiply_sparse(factor.transpose(), &laplacian.map(|_, _, value| strength * value), &mut through);
    let mut inner = Matrix::zeros(rank, rank);
    factor.identity_plus(&through, &mut inner);
    // All its eigenvalues are at least 1, unless rounding is larger than that.
    let too_strong = |_| Error::Parameter {
        name: STRENGTH.into(),
        value: strength,
        expected: "a number beside which rounding does not hide the attribute kernel",
    };
    let cholesky = Cholesky::factor(inner).map_err(too_strong)?;
    factor.divided_by(&cholesky, &mut through);
    Ok(through)
}

/// `F`.
fn factor(attributes: &VectorKernel) -> Result<SemidefiniteFactor> {
    let n = attributes.len();
    if n <= MOST_WHOLE {
        return Ok(SemidefiniteFactor::new(&attributes.matrix()?));
    }
    let mut variances = vec![0.0; n];
    attributes.diagonal(&mut variances)?;
    let most = (MOST_ENTRIES / n).min((MOST_OPERATIONS / n).isqrt());
    let column = |item: usize, out: &mut [f64]| attributes.column(item, out);
    SemidefiniteFactor::by_columns(variances, most, column)?.ok_or_else(|| Error::TooLarge {
        what: format!("the rank of a semi-supervised kernel over {n} items"),
        size: most + 1,
        limit: most,
        method: "its factorisation (a smoother kernel, of smaller rho or fewer attributes, has a smaller rank)",
    })
}

impl Kernel for SemiSupervised {
    fn len(&self) -> usize {
        self.attributes.len()
    }

    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        out.iter_mut().enumerate().for_each(|(item, out)| {
            let own = self.root.column(item);
            *out = dot(own, own);
        });
        Ok(())
    }

    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(&multiply_transposed(&self.root, self.root.column(item)));
        Ok(())
    }

    fn entries(&self, item: usize, others: &[u32], out: &mut [f64]) -> Result<()> {
        let own = self.root.column(item);
        out.iter_mut().zip(others).for_each(|(out, &other)| *out = dot(self.root.column(other as usize), own));
        Ok(())
    }

    fn has_cheap_entries(&self) -> bool {
        true
    }

    fn matrix(&self) -> Result<Matrix> {
        Ok(products(&self.root))
    }

    fn among(&self, items: &[usize]) -> Result<Matrix> {
        Ok(products(&self.root.select_columns(items.iter().copied())))
    }

    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        Ok(Box::new(ByRoot(transpose(&self.root))))
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut out = self.attributes.parameters();
        out.push(named(STRENGTH, self.strength));
        out
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<()> {
        let Some((&strength, own)) = values.split_last() else { return Err(super::wrong_count(0, 1)) };
        let mut attributes = self.attributes.clone();
        attributes.set_parameters(own)?;
        self.root = root(&attributes, &self.laplacian, strength)?;
        (self.attributes, self.strength) = (attributes, strength);
        Ok(())
    }

    /// `n r` by the strength; by other parameters, all columns of the attribute kernel's derivative.
    fn derivative_column(&self, parameter: usize, item: usize, out: &mut [f64]) -> Result<()> {
        let own = self.attributes.parameters().len();
        self.column(item, out)?;
        let pulled = self.pull(out);
        if parameter == own {
            out.copy_from_slice(&self.multiply(&pulled));
            out.iter_mut().for_each(|value| *value /= -self.strength);
            return Ok(());
        }
        if parameter > own {
            return Err(no_such_parameter(parameter, own + 1));
        }
        let mut through: Vec<f64> = pulled.iter().map(|value| -value).collect();
        through[item] += 1.0;
        let slope = self.multiply_slope(parameter, &through)?;
        out.copy_from_slice(&slope);
        add_scaled(out, -1.0, &self.multiply(&self.pull(&slope)));
        Ok(())
    }

    /// With `B = W_{. items}`, the sum over the items is that of the attribute kernel over all items, weighted by `B
    /// weights B'`: `n² m` operations and `n²` memory for m items.
    ///
    /// # Errors
    /// If there are more than 8,192 items ([`Error::TooLarge`]).
    fn contract(&self, items: &[usize], weights: &Matrix) -> Result<Contraction> {
        let n = self.len();
        if n > MOST_WHOLE {
            return Err(Error::TooLarge {
                what: "a semi-supervised kernel".into(),
                size: n,
                limit: MOST_WHOLE,
                method: "tuning",
            });
        }
        let columns = multiply(&transpose(&self.root), &self.root.select_columns(items.iter().copied()));
        let among = Matrix::from_fn(items.len(), items.len(), |row, column| columns[(items[row], column)]);
        let value = product_sum(&among, weights);
        let mut pulled = Matrix::zeros(n, items.len()); // strength L K_{. items}
        for (out, column) in pulled.columns_mut().zip(columns.values().chunks_exact(n.max(1))) {
            out.copy_from_slice(&self.pull(column));
        }
        let by_strength = -product_sum(&multiply(&transpose(&columns), &pulled), weights) / self.strength;
        let mut through = pulled; // B
        through.values_mut().iter_mut().for_each(|value| *value = -*value);
        for (column, &item) in items.iter().enumerate() {
            through[(item, column)] += 1.0;
        }
        let everywhere = multiply(&multiply(&through, weights), &transpose(&through));
        let everything: Vec<usize> = (0..n).collect();
        let mut derivatives = self.attributes.contract(&everything, &everywhere)?.derivatives;
        derivatives.push(by_strength);
        Ok(Contraction { value, derivatives })
    }

    /// For the strength: a link that weighs as much as the prior of an item.
    fn typical(&self) -> Result<Vec<Option<f64>>> {
        let mut variances = vec![0.0; self.len()];
        self.attributes.diagonal(&mut variances)?;
        let mean = variances.iter().sum::<f64>() / self.len().max(1) as f64;
        let mut out = self.attributes.typical()?;
        out.push(Some(if mean > 0.0 { 1.0 / mean } else { 1.0 }));
        Ok(out)
    }
}

/// `V' V`, exactly symmetric.
fn products(root: &Matrix) -> Matrix {
    let mut out = squared(root);
    mirror_lower(&mut out);
    out
}
