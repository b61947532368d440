//! The sites as observations with unit noise, from which other items follow.

use super::{Root, State};
use crate::gp::Functional;
use crate::gp::ep::parts::Parts;
use crate::numeric::Matrix;
use crate::numeric::dense::{Cholesky, SemidefiniteFactor, add_scaled, multiply_sparse, multiply_vector, transpose};

/// With asides, a pivot below this part of its diagonal may be rounding alone: then pivots are chosen.
const SINGULAR: f64 = 1e-10;

impl State {
    /// The sites as observations with unit noise: `E` with `E E' = A`, `beta` with `E beta = D' nu`, and the part of `D' nu` that is
    /// from sites without precision, if there is one.
    pub(in crate::gp::ep) fn as_unit_noise(&self) -> (Root, Vec<f64>, Option<Vec<f64>>) {
        let loose = self.shifts_of(|precision| precision == 0.0);
        let loose = Some(loose).filter(|loose| loose.iter().any(|&shift| shift != 0.0));
        if self.observations.iter().all(|observation| matches!(observation.functional, Functional::Item(_))) {
            let mut precisions = vec![0.0; self.len()];
            for ((observation, site), count) in self.observations.iter().zip(&self.sites).zip(&self.counts) {
                observation.functional.spread(count * site.precision, &mut precisions);
            }
            let roots: Vec<f64> = precisions.iter().map(|precision: &f64| precision.sqrt()).collect();
            let shifts = self.shifts_of(|precision| precision > 0.0);
            let target = shifts.iter().zip(&roots).map(|(shift, &root)| if root > 0.0 { shift / root } else { 0.0 });
            let target = target.collect();
            return (Root::Diagonal(roots), target, loose);
        }
        let (factor, target) = self.precision_factor();
        let target = target.values().to_vec();
        if !self.has_asides() {
            return (Root::Dense(factor), target, loose);
        }
        // What pivots left out of the precision is rounding beside the rest. Of the shifts it may not be.
        let mut left = self.shifts();
        add_scaled(&mut left, -1.0, &multiply_vector(&factor, &target));
        let rounding =
            f64::EPSILON * left.len() as f64 * self.shifts().iter().fold(0.0, |most, shift| shift.abs().max(most));
        let is_loose = left.iter().any(|shift| shift.abs() > rounding);
        (Root::Dense(factor), target, is_loose.then_some(left))
    }

    /// Whether observations are about asides.
    fn has_asides(&self) -> bool {
        self.observations.iter().any(|one| one.functional.asides().next().is_some())
    }

    /// `E` with `E E' = A`, `[b, rank]`, and `beta` with `E beta = D' nu`: the sites as that many observations with
    /// unit noise.
    ///
    /// A is singular: shifting all items of a connected part changes nothing, unless one of them was judged by itself.
    /// One item of each such part is left out of the factorisation. The rest is definite, and the Schur complement of
    /// the items left out is exactly zero.
    /// With asides, more than that may change nothing, and then pivots decide what is left out.
    fn precision_factor(&self) -> (Matrix, Matrix) {
        let mut precision = Matrix::zeros(self.len(), self.len());
        multiply_sparse(&Matrix::identity(self.len()), &self.precision(), &mut precision);
        let shifts = self.shifts_of(|precision| precision > 0.0);
        let grounded = self.grounded();
        let (grounded, free): (Vec<usize>, Vec<usize>) = (0..self.len()).partition(|&axis| grounded[axis]);
        let part = |rows: &[usize], columns: &[usize]| {
            Matrix::from_fn(rows.len(), columns.len(), |row, column| precision[(rows[row], columns[column])])
        };
        let definite = Cholesky::factor(part(&free, &free)).ok().filter(|cholesky| {
            let kept =
                |(at, &axis): (usize, &usize)| cholesky.lower()[(at, at)].powi(2) > SINGULAR * precision[(axis, axis)];
            !self.has_asides() || free.iter().enumerate().all(kept)
        });
        let Some(cholesky) = definite else {
            // Precisions differ so much that some are rounding beside others, or an aside is not told from its items.
            let factor = match self.has_asides() {
                true => SemidefiniteFactor::up_to(&precision, self.len() as f64 * f64::EPSILON),
                false => SemidefiniteFactor::new(&precision),
            };
            let target = factor.solve(Matrix::from_fn(self.len(), 1, |axis, _| shifts[axis]));
            return (transpose(factor.transpose()), target);
        };
        let mut across = part(&free, &grounded);
        cholesky.solve_lower_in_place(&mut across);
        let mut target = Matrix::from_fn(free.len(), 1, |row, _| shifts[free[row]]);
        cholesky.solve_lower_in_place(&mut target);
        let mut factor = Matrix::zeros(self.len(), free.len());
        for column in 0..free.len() {
            for (row, &axis) in free.iter().enumerate() {
                factor[(axis, column)] = cholesky.lower()[(row, column)];
            }
            for (row, &axis) in grounded.iter().enumerate() {
                factor[(axis, column)] = across[(column, row)];
            }
        }
        (factor, target)
    }

    /// One coordinate, the last, of every part that only differences hold together. Moving a part changes no aside.
    fn grounded(&self) -> Vec<bool> {
        let mut parts = Parts::apart(self.len());
        let counted = || self.observations.iter().zip(&self.sites).filter(|(_, site)| site.precision > 0.0);
        for (observation, _) in counted() {
            if let Some((first, second)) = observation.functional.pair() {
                parts.join(first as usize, second as usize);
            }
        }
        let mut grounded: Vec<bool> = (0..self.len()).map(|axis| parts.of(axis) == axis).collect();
        for (observation, _) in counted() {
            observation.functional.asides().for_each(|(aside, _)| grounded[aside as usize] = false);
        }
        for (observation, _) in counted() {
            if let Functional::Item(item) = observation.functional {
                grounded[parts.of(item as usize)] = false;
            }
        }
        grounded
    }
}
