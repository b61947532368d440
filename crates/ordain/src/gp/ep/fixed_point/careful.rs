//! Sharp sites beside blunt ones: what sums of their precisions would hide, and how to do without such sums.

use super::State;
use crate::Result;
use crate::gp::{Functional, prior_too_wide};
use crate::numeric::Matrix;
use crate::numeric::dense::{Cholesky, least_squares, multiply_transposed};

impl State {
    /// The part of a variance that rounding of the summed precisions `A` may move. A sharp site of two items that are nearly twins hides
    /// the blunt ones that say where both are.
    pub(in crate::gp::ep) fn rounding_of_precisions(&self) -> f64 {
        if self.observations.iter().all(|observation| matches!(observation.functional, Functional::Item(_))) {
            return 0.0;
        }
        let mut precisions = vec![0.0; self.len()];
        for ((observation, site), count) in self.observations.iter().zip(&self.sites).zip(&self.counts) {
            let terms = observation.functional.terms();
            terms.for_each(|(axis, factor)| precisions[axis as usize] += factor * factor * count * site.precision);
        }
        let part = |(precision, (_, variance)): (f64, (f64, f64))| f64::EPSILON * precision * variance;
        precisions.into_iter().zip(self.coordinates()).map(part).fold(0.0, f64::max)
    }

    /// Counts small sites to their last digit beside large ones from now on, and goes on from the same sites. Returns whether it can:
    /// a site without precision has no place among least squares, and neither has a screen that is folded.
    pub(in crate::gp::ep) fn be_careful(&mut self) -> bool {
        self.be_exact();
        self.is_careful = self.fits_least_squares();
        self.is_careful
    }

    /// Whether every site that shifts has a precision, and all coordinates take part.
    fn fits_least_squares(&self) -> bool {
        self.folded.is_none() && self.sites.iter().all(|site| site.precision > 0.0 || site.shift == 0.0)
    }

    /// Fails if small sites are counted to their last digit and one has lost its precision, as an answer that may be a lapse can.
    pub(super) fn check_careful(&self) -> Result<()> {
        if self.is_careful && !self.fits_least_squares() { Err(prior_too_wide()) } else { Ok(()) }
    }

    /// Whether it does.
    pub(in crate::gp::ep) fn is_careful(&self) -> bool {
        self.is_careful
    }

    /// As [`State::solve_mean`], from the rows of `I` and of `T^½ D F`, whose squares are not formed. `2 (t + b) b²` operations.
    pub(super) fn solve_by_least_squares(&mut self) {
        let factor = self.prior.transpose();
        let rank = factor.rows();
        let mut rows = Matrix::zeros(rank + self.sites.len(), rank);
        let mut right = vec![0.0; rows.rows()];
        (0..rank).for_each(|axis| rows[(axis, axis)] = 1.0);
        for (at, ((observation, site), count)) in
            self.observations.iter().zip(&self.sites).zip(&self.counts).enumerate()
        {
            let root = (count * site.precision).sqrt();
            if root == 0.0 {
                continue;
            }
            right[rank + at] = count * site.shift / root;
            for axis in 0..rank {
                let along = match observation.functional {
                    Functional::Item(item) => factor[(axis, item as usize)],
                    Functional::Difference(first, second) => {
                        factor[(axis, first as usize)] - factor[(axis, second as usize)]
                    }
                    beside @ (Functional::Beside(..) | Functional::OnScreen(..)) => {
                        beside.terms().map(|(coordinate, sign)| sign * factor[(axis, coordinate as usize)]).sum()
                    }
                };
                rows[(rank + at, axis)] = root * along;
            }
        }
        let (triangle, solution) = least_squares(&rows, &right);
        self.cholesky = Cholesky::of_triangle(&triangle);
        self.mean = multiply_transposed(factor, &solution);
        self.inner.values_mut().copy_from_slice(&solution);
    }
}
