//! Columns that touch few rows, solved there.
//!
//! The column of a node lives on its component. Where the component is large, the column fades with every link it
//! crosses, by `W_ij / A_ii` at most, and beyond some distance it is nothing beside the tolerance. So the system is solved
//! on the nodes around, as if the column were 0 elsewhere. What that leaves is known: a residual `r_j = Σ W_jk x_k` at the
//! nodes just outside, whose error in the norm of `A` is at most `|r| / √shift`.

use std::collections::HashMap;

use super::ShiftedLaplacian;
use crate::Result;

/// The most rows and links of a local solve: a few milliseconds.
const MOST_ENTRIES: usize = 1 << 16;

/// ... and at most this part of the whole, so that attempts in vain cost little beside the solve of the whole.
const PART_OF_WHOLE: usize = 16;

/// The nodes around one, by distance.
struct Neighbourhood {
    nodes: Vec<u32>,
    places: HashMap<u32, u32>,
    /// Where the outermost nodes start.
    outermost: usize,
    /// Rows and links.
    entries: usize,
}

impl Neighbourhood {
    fn new(node: usize, matrix: &ShiftedLaplacian) -> Self {
        let (nodes, places) = (vec![node as u32], HashMap::from([(node as u32, 0)]));
        Self { nodes, places, outermost: 0, entries: 1 + matrix.links().row(node).0.len() }
    }

    /// Adds the nodes one link further out, unless rows and links would become more than these. Whether it did; if there
    /// are no such nodes, `outermost` is the number of nodes.
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

    /// The squared norm of the residual outside that a solution inside leaves.
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
    /// Writes a column of the inverse, if few rows hold all of it that the tolerance (as in
    /// [`ShiftedLaplacian::solve_in_place`]) lets one see; if not, `out` is left as it is. Whether it was written depends on
    /// nothing but matrix, item and tolerance.
    ///
    /// # Errors
    /// As [`ShiftedLaplacian::solve_in_place`].
    pub(super) fn local_column(&self, item: usize, tolerance: f64, out: &mut [f64]) -> Result<bool> {
        let most = ((self.size() + self.links().stored()) / PART_OF_WHOLE).min(MOST_ENTRIES);
        let mut around = Neighbourhood::new(item, self);
        let mut tried = 0;
        while around.grow(self, most) {
            // Each attempt has twice the entries of the one before, so the last costs as much as all others.
            if !around.is_component() && around.entries < 2 * tried.max(16) {
                continue;
            }
            tried = around.entries;
            let mut x = vec![0.0; around.nodes.len()];
            x[0] = 1.0;
            // Half of the tolerance is for what is solved inside, half for what is cut.
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
