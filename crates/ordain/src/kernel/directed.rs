//! The regularized Laplacian of directed links.
//!
//! A walker follows the links. From an item with links it takes one of them with probability 0.85, by weight, and jumps
//! to any item with probability 0.15. From an item without links it always jumps. With `P` the matrix of these steps,
//! `φ` its stationary distribution and `Φ = diag φ`, Chung (*Laplacians and the Cheeger inequality for directed
//! graphs*, 2005) defines
//!
//! `L = I - (Φ^½ P Φ^-½ + Φ^-½ P' Φ^½) / 2`,
//!
//! which is symmetric with spectrum in [0, 2]. The kernel is `K = [beta (L + I / iota²)]⁻¹` (XPGP section 7 names the
//! idea, not the formula). A link from an item to itself is a step like any other. Repeated links add up. A link of
//! weight 0 is no link.
//!
//! Jumps make `P` dense, but only by a matrix of rank one: `P = 0.85 S + u 1' / n`, with `S` the sparse matrix of
//! followed links and `u` the probability of a jump (0.15, or 1 without links). So `A = L + I / iota²` is
//!
//! `A = (1 + 1 / iota²) I - B - (a b' + b a') / 2`, `B = 0.425 (Φ^½ S Φ^-½ + Φ^-½ S' Φ^½)`, `a = Φ^½ u`, `b = Φ^-½ 1 / n`,
//!
//! and no matrix over all pairs of items is formed. The condition of `A` is at most `1 + 2 iota²`, so conjugate
//! gradients take a few dozen steps for moderate iota. Derivatives are those of [`super::RegularizedLaplacian`].

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::graph::too_heavy;
use super::laplacian::shift_of;
use super::{
    Contraction, Kernel, Parameter, PriorDraws, Role, between_by_blocks, contract_inverse, derivative_of_inverse,
    named, parameters_of, positive, relation_vectors,
};
use crate::data::{Functional, Relation};
use crate::numeric::conjugate_gradients::dot;
use crate::numeric::{ConjugateGradients, Matrix, SparseMatrix, Stream, SymmetricOperator};
use crate::{Error, Result};

/// The probability of a jump at an item with links: the usual constant of random surfers (Brin, Page 1998).
const JUMP: f64 = 0.15;

/// The change of the stationary distribution, summed over the items, at which its iteration stops.
const STATIONARY_TOLERANCE: f64 = 1e-14;

/// The distance to the stationary distribution falls by a factor of 0.85 per step, so after this many steps it is below
/// 1e-16. An item that very many others link to is a long sum, whose rounding may keep the change above the tolerance.
const MOST_STEPS: usize = 230;

/// `[beta (L + I / iota²)]⁻¹` with Chung's directed Laplacian `L`.
#[derive(Debug, Clone)]
pub struct DirectedLaplacian {
    operator: Shifted,
    /// `S`.
    steps: SparseMatrix,
    /// `u`.
    jumps: Vec<f64>,
    stationary: Vec<f64>,
    beta: f64,
    iota: f64,
}

/// `A` of the module's documentation.
#[derive(Debug, Clone)]
struct Shifted {
    /// `B`.
    sparse: SparseMatrix,
    /// `a`.
    left: Vec<f64>,
    /// `b`.
    right: Vec<f64>,
    /// `1 + 1 / iota²`.
    diagonal: f64,
}

impl SymmetricOperator for Shifted {
    fn size(&self) -> usize {
        self.left.len()
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        self.sparse.multiply(x, out);
        let along_left = 0.5 * dot(&self.left, x);
        let along_right = 0.5 * dot(&self.right, x);
        for (((out, x), left), right) in out.iter_mut().zip(x).zip(&self.left).zip(&self.right) {
            *out = self.diagonal * x - *out - along_right * left - along_left * right;
        }
    }

    fn preconditioner(&self) -> Vec<f64> {
        let own = self.sparse.diagonal();
        let values = own.iter().zip(&self.left).zip(&self.right);
        values.map(|((own, left), right)| self.diagonal - own - left * right).collect()
    }
}

impl DirectedLaplacian {
    /// The kernel of a relation among this many items. The direction of links counts.
    ///
    /// # Errors
    /// If the relation is not among these items, a parameter is not positive and finite, or iota is so large that `1 /
    /// iota²` is lost beside the spectrum.
    pub fn new(items: usize, relation: &Relation, beta: f64, iota: f64) -> Result<Self> {
        let beta = positive("beta", beta)?;
        let shift = shift_of(iota, 1.0)?;
        if relation.targets() != items {
            return Err(Error::Data {
                what: "a directed relation",
                found: format!("links to {} other things", relation.targets()),
                expected: format!("links among {items} items"),
            });
        }
        let links = relation_vectors(items, relation, Role::Linking)?;
        let sums: Vec<f64> = (0..items).map(|item| links.row(item).1.iter().sum()).collect();
        if let Some(sum) = sums.iter().find(|sum| !sum.is_finite()) {
            return Err(too_heavy(*sum));
        }
        let steps = links.map(|row, _, weight| weight / sums[row]);
        let jumps: Vec<f64> = sums.iter().map(|&sum| if sum > 0.0 { JUMP } else { 1.0 }).collect();
        let stationary = stationary(&steps, &jumps);
        let roots: Vec<f64> = stationary.iter().map(|value| value.sqrt()).collect();
        // Both halves add the same two numbers, and addition commutes: symmetric to the last bit.
        let mut entries = Vec::with_capacity(2 * steps.stored());
        for row in 0..items {
            let (columns, values) = steps.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                let half = 0.5 * (1.0 - JUMP) * value * roots[row] / roots[column as usize];
                entries.push((row as u32, column, half));
                entries.push((column, row as u32, half));
            }
        }
        let sparse = SparseMatrix::from_entries(items, items, &entries)?;
        let left = roots.iter().zip(&jumps).map(|(root, jump)| root * jump).collect();
        let right = roots.iter().map(|root| 1.0 / (root * items as f64)).collect();
        let operator = Shifted { sparse, left, right, diagonal: 1.0 + shift };
        Ok(Self { operator, steps, jumps, stationary, beta, iota })
    }

    /// The stationary distribution of the walk: the share of time at each item.
    pub fn stationary(&self) -> &[f64] {
        &self.stationary
    }

    fn solve(&self, rhs: &[f64], x: &mut [f64]) -> Result<()> {
        ConjugateGradients::default().solve(&self.operator, rhs, x).map(|_| ())
    }
}

/// The distribution that a step does not change, `φ = 0.85 S' φ + (u'φ) 1 / n`, by repeated steps.
fn stationary(steps: &SparseMatrix, jumps: &[f64]) -> Vec<f64> {
    let n = steps.rows();
    let backward = steps.transposed();
    let mut now = vec![1.0 / n as f64; n];
    let mut next = vec![0.0; n];
    for _ in 0..MOST_STEPS {
        backward.multiply(&now, &mut next);
        let jumped = dot(&now, jumps) / n as f64;
        next.iter_mut().for_each(|value| *value = (1.0 - JUMP) * *value + jumped);
        let total: f64 = next.iter().sum();
        next.iter_mut().for_each(|value| *value /= total);
        let change: f64 = now.iter().zip(&next).map(|(now, next)| (now - next).abs()).sum();
        std::mem::swap(&mut now, &mut next);
        if change <= STATIONARY_TOLERANCE || n == 0 {
            break;
        }
    }
    now
}

/// `A = L + I / iota²`, and with `f = Φ^-½ x` (Chung 2005, theorem 1) `x'Lx = ½ Σ φ_i P_ij (f_i - f_j)²`. A followed link
/// is the row `√(½ φ_i P_ij) (e_i - e_j)` of a root. The jumps add up to `½ Σ h_i (f_i - mean f)²` with `h_i = φ_i u_i + φ'u /
/// n`, whose root is diagonal but for the mean. So a normal number per link and two per item have the covariance A, and one
/// solve makes it that of the kernel.
impl PriorDraws for &DirectedLaplacian {
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        let n = self.len();
        let jumping: f64 = self.stationary.iter().zip(&self.jumps).map(|(share, jump)| share * jump).sum::<f64>();
        let (shift, scale) = (1.0 / self.iota, 1.0 / self.beta.sqrt());
        out.values_mut().par_chunks_mut(n.max(1)).zip(streams).try_for_each(|(column, stream)| {
            let mut right = vec![0.0; n];
            for ((right, share), jump) in right.iter_mut().zip(&self.stationary).zip(&self.jumps) {
                let spread = (0.5 * (share * jump + jumping / n as f64)).sqrt();
                *right = spread * stream.sample::<f64, _>(StandardNormal);
            }
            let mean = right.iter().sum::<f64>() / n as f64;
            right.iter_mut().for_each(|right| *right -= mean);
            for row in 0..n {
                let (columns, values) = self.steps.row(row);
                for (&other, value) in columns.iter().zip(values) {
                    let spread = (0.5 * (1.0 - JUMP) * self.stationary[row] * value).sqrt();
                    let apart = spread * stream.sample::<f64, _>(StandardNormal);
                    right[row] += apart;
                    right[other as usize] -= apart;
                }
            }
            for (right, share) in right.iter_mut().zip(&self.stationary) {
                *right = *right / share.sqrt() + shift * stream.sample::<f64, _>(StandardNormal);
            }
            self.solve(&right, column)?;
            column.iter_mut().for_each(|value| *value *= scale);
            Ok(())
        })
    }
}

impl Kernel for DirectedLaplacian {
    fn len(&self) -> usize {
        self.stationary.len()
    }

    /// The floor is 0: `A` is positive only on the diagonal.
    fn floor(&self) -> f64 {
        0.0
    }

    /// One solve.
    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        let mut unit = vec![0.0; self.len()];
        unit[item] = 1.0;
        self.solve(&unit, out)?;
        out.iter_mut().for_each(|value| *value /= self.beta);
        Ok(())
    }

    /// One solve for each.
    fn along(&self, functionals: &[Functional], out: &mut Matrix) -> Result<()> {
        let columns = out.values_mut().par_chunks_mut(self.len().max(1)).zip(functionals);
        columns.try_for_each(|(column, functional)| {
            let mut right = vec![0.0; self.len()];
            functional.spread(1.0 / self.beta, &mut right);
            self.solve(&right, column)
        })
    }

    fn between(&self, functionals: &[Functional]) -> Result<Matrix> {
        between_by_blocks(self.len(), functionals, &|some, out| self.along(some, out))
    }

    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        Ok(Box::new(self))
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![named("beta", self.beta), named("iota", self.iota)]
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<()> {
        let [beta, iota] = parameters_of(values)?;
        let beta = positive("beta", beta)?;
        let shift = shift_of(iota, 1.0)?;
        self.operator.diagonal = 1.0 + shift;
        self.beta = beta;
        self.iota = iota;
        Ok(())
    }

    /// One solve for beta, two for iota.
    fn derivative_column(&self, parameter: usize, item: usize, out: &mut [f64]) -> Result<()> {
        let solve = |rhs: &[f64], x: &mut [f64]| self.solve(rhs, x).map(|_| ());
        derivative_of_inverse(self, [self.beta, self.iota], solve, (parameter, item), out)
    }
    fn contract(&self, items: &[usize], weights: &Matrix) -> Result<Contraction> {
        let items: Vec<Functional> = items.iter().map(|&item| Functional::Item(item as u32)).collect();
        self.contract_between(&items, weights)
    }

    fn contract_between(&self, functionals: &[Functional], weights: &Matrix) -> Result<Contraction> {
        let mut columns = Matrix::zeros(self.len(), functionals.len());
        self.along(functionals, &mut columns)?;
        Ok(contract_inverse([self.beta, self.iota], functionals, weights, &columns))
    }

    /// As for undirected links, with degree 1.
    fn typical(&self) -> Result<Vec<Option<f64>>> {
        Ok(vec![None, Some(2.0)])
    }
}
