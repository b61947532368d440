//! The variances of a graph prior: the diagonal of the inverse of a [`ShiftedLaplacian`]. The inverse itself is too
//! large to hold.
//!
//! With a factor they are exact ([`SparseCholesky::inverse_diagonal`](super::SparseCholesky::inverse_diagonal)).
//! Without one they are exact up to 4096 nodes, by that many solves. Beyond, solves with random signs `z` estimate
//! `K_ii` (Bekas, Kokiopoulou, Saad, *An estimator for the diagonal of a matrix*, 2007): `z_i (M z)_i` has the mean
//! `M_ii` and the variance `Σ_{j ≠ i} M_ij²`. The known parts of `K` are subtracted first, so that little is left off
//! the diagonal:
//!
//! - On a component of c nodes the vector of ones is an eigenvector of `K` with eigenvalue 1 / shift. So
//!   `K = 11' / (c shift) + P K P`, where `P` takes away the mean; for small shifts the first part is most of `K`.
//! - Paths of up to two links, `B = G + G W G + G W G W G` with `G = diag(A)⁻¹`, the first terms of the series of `K`. The
//!   diagonal of `P B P` is known, `B_ii - (2 / c) (B 1)_i + 1'B1 / c²`, with `B_ii = G_ii + G_ii² Σ_j W_ij² G_jj`.
//!
//! The probes estimate `P (K - B) P`. Their spread gives the standard error of each variance. Estimates are kept within
//! certain bounds. The lower bound is `1 / (A_ii - Σ_j W_ij² / A_jj)`: the paths that return after two links. The upper
//! bound is `1 / (shift + Σ_j W_ij shift / (W_ij + shift))`: the variance if the neighbours had no other links, since
//! links only lower it. Components of up to 64 nodes are solved exactly.

use rand::RngExt;
use rayon::prelude::*;

use super::random::Seed;
use super::sparse_solver::dense_inverse;
use super::{ShiftedLaplacian, SparseSolver};
use crate::Result;

/// The most nodes without a factor for which all columns are solved.
const MOST_EXACT: usize = 4096;

/// The most nodes of a component whose variances are computed by a dense inverse.
const SMALL_COMPONENT: usize = 64;

/// Random right-hand sides.
const PROBES: usize = 32;

/// Probes that are solved together.
const TOGETHER: usize = 8;

/// The tolerance of their solves. The error of so few probes is far larger.
const PROBE_TOLERANCE: f64 = 1e-6;

/// The seed of the signs. Fixed, so that a prior is the same in every run.
const SEED: Seed = Seed(0x7661_7269);

/// The diagonal of an inverse.
#[derive(Debug, Clone, PartialEq)]
pub struct InverseDiagonal {
    /// The entries.
    pub values: Vec<f64>,
    /// The standard error of each entry; 0 if it is exact.
    pub errors: Vec<f64>,
}

impl InverseDiagonal {
    fn exact(values: Vec<f64>) -> Self {
        let errors = vec![0.0; values.len()];
        Self { values, errors }
    }
}

impl SparseSolver {
    /// Whether [`SparseSolver::inverse_diagonal`] is exact.
    pub fn has_exact_diagonal(&self) -> bool {
        self.factor().is_some() || self.matrix().size() <= MOST_EXACT
    }

    /// The diagonal of the inverse. With a factor: one recursion over it. Without one: n solves up to 4096 rows;
    /// beyond, estimates from 32 solves, with their standard errors. The result is the same in every run.
    ///
    /// # Errors
    /// Like [`SparseSolver::solve`].
    pub fn inverse_diagonal(&self) -> Result<InverseDiagonal> {
        if let Some(factor) = self.factor() {
            return Ok(InverseDiagonal::exact(factor.inverse_diagonal()));
        }
        let n = self.matrix().size();
        if n <= MOST_EXACT {
            let entry = |column: &mut Vec<f64>, item: usize| -> Result<f64> {
                self.columns(&[item], column)?;
                Ok(column[item])
            };
            let values = (0..n).into_par_iter().map_init(|| vec![0.0; n], entry);
            return Ok(InverseDiagonal::exact(values.collect::<Result<_>>()?));
        }
        self.matrix().estimate_inverse_diagonal()
    }
}

impl ShiftedLaplacian {
    /// Estimates the diagonal as the head of the module says.
    ///
    /// # Errors
    /// Like [`ShiftedLaplacian::solve_in_place`].
    fn estimate_inverse_diagonal(&self) -> Result<InverseDiagonal> {
        let n = self.size();
        let components = Components::new(self);
        let known = self.known_part(&components);
        let (mut sums, mut squares) = (vec![0.0; n], vec![0.0; n]);
        for first in (0..PROBES).step_by(TOGETHER) {
            let signs: Vec<Vec<f64>> = (first..first + TOGETHER).into_par_iter().map(|probe| signs(probe, n)).collect();
            let mut centred = signs.concat();
            centred.par_chunks_mut(n).for_each(|column| components.centre(column));
            let mut left: Vec<Vec<f64>> = centred.par_chunks(n).map(|column| self.short_paths(column)).collect();
            self.solve_in_place(&mut centred, PROBE_TOLERANCE)?;
            left.par_iter_mut().zip(centred.par_chunks(n)).for_each(|(short, solved)| {
                short.iter_mut().zip(solved).for_each(|(short, solved)| *short = solved - *short);
                components.centre(short);
            });
            for (signs, left) in signs.iter().zip(&left) {
                for i in 0..n {
                    let term = signs[i] * left[i];
                    sums[i] += term;
                    squares[i] += term * term;
                }
            }
        }
        let count = PROBES as f64;
        let mut values: Vec<f64> = known.iter().zip(&sums).map(|(known, sum)| known + sum / count).collect();
        let spread =
            |(sum, square): (&f64, &f64)| ((square - sum * sum / count).max(0.0) / (count * (count - 1.0))).sqrt();
        let mut errors: Vec<f64> = sums.iter().zip(&squares).map(spread).collect();
        for (i, value) in values.iter_mut().enumerate() {
            let [least, most] = self.bounds(i);
            // The two are equal at the hub of a star, up to rounding.
            *value = value.max(least).min(most);
        }
        for nodes in components.small() {
            let inverse = dense_inverse(&self.part(nodes).to_matrix())?;
            for (place, &node) in nodes.iter().enumerate() {
                values[node as usize] = inverse[(place, place)];
                errors[node as usize] = 0.0;
            }
        }
        Ok(InverseDiagonal { values, errors })
    }

    /// `B x`.
    fn short_paths(&self, x: &[f64]) -> Vec<f64> {
        let scale = |x: &mut [f64]| x.iter_mut().zip(self.inverse()).for_each(|(x, inverse)| *x *= inverse);
        let mut path = x.to_vec();
        scale(&mut path);
        let mut out = path.clone();
        let mut next = vec![0.0; x.len()];
        for _ in 0..2 {
            let rows = path.as_chunks().0;
            next.par_iter_mut().enumerate().for_each(|(row, next)| [*next] = self.linked::<1>(row, rows));
            scale(&mut next);
            out.iter_mut().zip(&next).for_each(|(out, next)| *out += next);
            std::mem::swap(&mut path, &mut next);
        }
        out
    }

    /// The diagonal of `11' / (c shift) + P B P`.
    fn known_part(&self, components: &Components) -> Vec<f64> {
        let through = self.short_paths(&vec![1.0; self.size()]);
        let totals = components.sums(&through);
        let entry = |i: usize| {
            let count = components.size_of(i);
            let own = self.inverse()[i];
            let short = own + own * own * self.returns(i);
            1.0 / (count * self.shift()) + short - 2.0 * through[i] / count
                + totals[components.label[i] as usize] / (count * count)
        };
        (0..self.size()).into_par_iter().map(entry).collect()
    }

    /// `Σ_j W_ij² / A_jj`.
    fn returns(&self, row: usize) -> f64 {
        let (others, weights) = self.links().row(row);
        others.iter().zip(weights).map(|(&other, weight)| weight * weight * self.inverse()[other as usize]).sum()
    }

    /// Certain lower and upper bounds on the variance of a node.
    fn bounds(&self, row: usize) -> [f64; 2] {
        let shift = self.shift();
        let alone: f64 = self.links().row(row).1.iter().map(|weight| weight * (shift / (weight + shift))).sum();
        [1.0 / (self.diagonal()[row] - self.returns(row)), 1.0 / (shift + alone)]
    }
}

/// Random signs; the same for the same probe.
fn signs(probe: usize, count: usize) -> Vec<f64> {
    let mut stream = SEED.stream(probe as u64);
    let mut bits = 0_u64;
    let mut sign = |place: usize| {
        if place.is_multiple_of(64) {
            bits = stream.random();
        }
        if bits >> (place % 64) & 1 == 1 { 1.0 } else { -1.0 }
    };
    (0..count).map(&mut sign).collect()
}

/// The connected components of a graph.
struct Components {
    /// The component of each node.
    label: Vec<u32>,
    /// The nodes, component by component, and the start of each component; one more start than components.
    nodes: Vec<u32>,
    starts: Vec<usize>,
}

impl Components {
    fn new(matrix: &ShiftedLaplacian) -> Self {
        let n = matrix.size();
        let mut out = Self { label: vec![u32::MAX; n], nodes: Vec::with_capacity(n), starts: vec![0] };
        let mut next = 0;
        for start in 0..n {
            if out.label[start] != u32::MAX {
                continue;
            }
            let own = out.starts.len() as u32 - 1;
            out.label[start] = own;
            out.nodes.push(start as u32);
            while next < out.nodes.len() {
                for &other in matrix.links().row(out.nodes[next] as usize).0 {
                    if out.label[other as usize] == u32::MAX {
                        out.label[other as usize] = own;
                        out.nodes.push(other);
                    }
                }
                next += 1;
            }
            out.starts.push(next);
        }
        out
    }

    /// The nodes of each component.
    fn each(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|range| &self.nodes[range[0]..range[1]])
    }

    fn small(&self) -> impl Iterator<Item = &[u32]> {
        self.each().filter(|nodes| nodes.len() <= SMALL_COMPONENT)
    }

    /// The number of nodes in a node's component.
    fn size_of(&self, node: usize) -> f64 {
        let label = self.label[node] as usize;
        (self.starts[label + 1] - self.starts[label]) as f64
    }

    /// The sum over each component.
    fn sums(&self, x: &[f64]) -> Vec<f64> {
        self.each().map(|nodes| nodes.iter().map(|&node| x[node as usize]).sum()).collect()
    }

    /// Subtracts the mean of each component.
    fn centre(&self, x: &mut [f64]) {
        let sums = self.sums(x);
        let means: Vec<f64> = self.each().zip(sums).map(|(nodes, sum)| sum / nodes.len() as f64).collect();
        x.iter_mut().zip(&self.label).for_each(|(x, &label)| *x -= means[label as usize]);
    }
}
