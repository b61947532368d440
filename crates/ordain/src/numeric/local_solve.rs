//! Solves columns that touch few rows on those rows alone.
//!
//! The column of a node lives on its component. In a large component the column fades with every link, by at most `W_ij
//! / A_ii`. Beyond some distance it is nothing beside the tolerance. So the system is solved on the nodes around, as if
//! the column were 0 elsewhere. The remaining error is known: a residual `r_j = Σ W_jk x_k` at the nodes just outside,
//! with an error in the norm of `A` of at most `|r| / √shift`.

use std::collections::HashMap;

use super::ShiftedLaplacian;
use crate::Result;

/// The most rows and links of a local solve: a few milliseconds.
const MOST_ENTRIES: usize = 1 << 16;

/// The largest part of the whole for a local solve, so that failed attempts cost little beside a solve of the whole.
const PART_OF_WHOLE: usize = 16;

/// The nodes around one, by distance.
struct Neighbourhood {
    nodes: Vec<u32>,
    places: HashMap<u32, u32>,
    /// The position of the first outermost node.
    outermost: usize,
    /// The number of rows and links.
    entries: usize,
}

impl Neighbourhood {
    fn new(node: usize, matrix: &ShiftedLaplacian) -> Self {
        let (nodes, places) = (vec![node as u32], HashMap::from([(node as u32, 0)]));
        Self { nodes, places, outermost: 0, entries: 1 + matrix.links().row(node).0.len() }
    }

    /// Adds the nodes one link further out, unless there would be more rows and links than `most`. Returns whether it
    /// did. If there are no such nodes, `outermost` is the number of nodes.
    fn grow(&mut self, matrix: &ShiftedLaplacian, most: usize) -> bool {
        let from = std::mem::replace(&mut self.outermost, self.nodes.len());
        for place in from..self.outermost {
            for &other in matrix.links().row(self.nodes[place] as usize).0 {
                if let std::collections::hash_map::Entry::Vacant(vacant) = self.places.entry(other) {
                    vacant.insert(self.nodes.len() as u32);
                    self.nodes.push(other);
                    self.entries += 1 + matrix.links().row(other as usize).0.len();
                    if self.entries > most {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn is_component(&self) -> bool {
        self.outermost == self.nodes.len()
    }

    /// The squared norm of the residual outside, for a solution inside.
    fn residual_outside(&self, matrix: &ShiftedLaplacian, x: &[f64]) -> f64 {
        let mut outside: HashMap<u32, f64> = HashMap::new();
        let mut order = Vec::new(); // sums in a fixed order
        for (&node, x) in self.nodes[self.outermost..].iter().zip(&x[self.outermost..]) {
            let (others, weights) = matrix.links().row(node as usize);
            for (&other, weight) in others.iter().zip(weights).filter(|(other, _)| !self.places.contains_key(other)) {
                *outside.entry(other).or_insert_with(|| {
                    order.push(other);
                    0.0
                }) += weight * x;
            }
        }
        order.iter().map(|other| outside[other].powi(2)).sum()
    }
}

impl ShiftedLaplacian {
    /// Writes a column of the inverse if few rows hold all of it within the tolerance (as in
    /// [`ShiftedLaplacian::solve_in_place`]). Otherwise `out` is unchanged. The choice depends only on matrix, item and
    /// tolerance.
    ///
    /// # Errors
    /// Like [`ShiftedLaplacian::solve_in_place`].
    pub(super) fn local_column(&self, item: usize, tolerance: f64, out: &mut [f64]) -> Result<bool> {
        let most = ((self.size() + self.links().stored()) / PART_OF_WHOLE).min(MOST_ENTRIES);
        let mut around = Neighbourhood::new(item, self);
        let mut tried = 0;
        while around.grow(self, most) {
            // Each attempt has twice the entries of the one before, so the last one costs as much as all others.
            if !around.is_component() && around.entries < 2 * tried.max(16) {
                continue;
            }
            tried = around.entries;
            let mut x = vec![0.0; around.nodes.len()];
            x[0] = 1.0;
            // Half of the tolerance is for the solve inside, half for the part that is cut off.
            self.part(&around.nodes).solve_in_place(&mut x, tolerance / 2.0)?;
            let cut = around.residual_outside(self, &x);
            if cut <= (tolerance / 2.0).powi(2) * x[0] * self.shift() {
                around.nodes.iter().zip(x).for_each(|(&node, x)| out[node as usize] = x);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::numeric::SparseMatrix;

    fn laplacian(n: u32, links: impl Iterator<Item = (u32, u32)>, shift: f64) -> ShiftedLaplacian {
        let entries: Vec<_> = links.flat_map(|(i, j)| [(i, j, 1.0), (j, i, 1.0)]).collect();
        ShiftedLaplacian::new(Arc::new(SparseMatrix::from_entries(n as usize, n as usize, &entries).unwrap()), shift)
    }

    /// The solution of `(2 + shift) x_i - x_{i-1} - x_{i+1} = [i = 0]` is `r^|i| / (1 / r - r)`, `r + 1 / r = 2 + shift`.
    #[test]
    fn a_column_that_fades_along_a_cycle() {
        let n = 20_000;
        for shift in [0.1, 1.0, 20.0] {
            let cycle = laplacian(n, (0..n).map(|i| (i, (i + 1) % n)), shift);
            let ratio = 1.0 + 0.5 * shift - ((1.0 + 0.5 * shift).powi(2) - 1.0_f64).sqrt();
            let variance = 1.0 / (1.0 / ratio - ratio);
            let mut out = vec![0.0; n as usize];
            assert!(cycle.local_column(7, 1e-12, &mut out).unwrap());
            for (node, found) in out.iter().enumerate() {
                let distance = node.abs_diff(7).min(n as usize - node.abs_diff(7));
                let expected = variance * ratio.powi(distance as i32);
                // The tolerance, and some roundings of a solve whose condition is at most 40.
                assert!((found - expected).abs() <= 2e-12 * variance, "{shift} {node}: {found} {expected}");
            }
        }
    }

    #[test]
    fn a_small_component_is_solved_whole() {
        // Stars of ten nodes; for one of them by Schur: the hub has 1 / (9 + s - 9 / (1 + s)).
        let shift = 1e-4;
        let stars = laplacian(3000, (0..3000).filter(|i| i % 10 > 0).map(|i| (i - i % 10, i)), shift);
        let mut out = vec![0.0; 3000];
        assert!(stars.local_column(120, 1e-12, &mut out).unwrap());
        let hub = 1.0 / (9.0 + shift - 9.0 / (1.0 + shift));
        for (node, found) in out.iter().enumerate() {
            let expected = match node {
                120 => hub,
                121..130 => hub / (1.0 + shift),
                _ => 0.0,
            };
            // An ulp of the degrees is 1e-11 of the shift.
            assert!((found - expected).abs() <= 2e-11 * hub, "{node}: {found} {expected}");
        }
    }

    #[test]
    fn a_column_that_goes_everywhere_is_left_alone() {
        let n = 5000_u32;
        let links = (1..n).flat_map(|i| (0..4).map(move |k| (i, i.wrapping_mul(2_654_435_761 + 2 * k) % i)));
        let everywhere = laplacian(n, links, 0.01);
        let mut out = vec![0.0; n as usize];
        assert!(!everywhere.local_column(77, 1e-12, &mut out).unwrap());
        assert!(out.iter().all(|&value| value == 0.0));
    }
}
