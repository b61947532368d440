//! Some answers apart from all others: what the others believe of what they are about, and their evidence under that belief.
//!
//! With the covariance S and the mean m of the coordinates that the answers touch, and the precision A and the shifts b of their sites, the
//! belief without these sites has the covariance `S' = (S⁻¹ - A)⁻¹` and the mean `m + S' (A m - b)`. With `S = F F'`, `S' = F (I - F'A
//! F)⁻¹ F'`, so nothing that may be singular is inverted.
//!
//! EP over these answers alone, under that belief, gives the evidence of a judge for any care that he may take. The sites of all others
//! stay; the evidence is stationary in them.

use std::collections::BTreeMap;

use super::super::site::Site;
use super::State;
use crate::Result;
use crate::gp::{EpParams, Functional, Observation};
use crate::numeric::Matrix;
use crate::numeric::dense::{Cholesky, SemidefiniteFactor, add_scaled, multiply, multiply_vector, squared, transpose};

/// A squared difference beside its variance that is rounding: the others say nothing of the two items.
const SILENCE: f64 = 1e-12;

/// Answers, and the belief of all others.
pub(in crate::gp) struct Apart {
    covariance: Matrix,
    /// About the coordinates of the covariance, as deviations from the mean of the others.
    observations: Vec<Observation>,
    counts: Vec<u32>,
    /// The sites that were found last.
    sites: Vec<Site>,
    /// What all others expect of the difference of two items, without an aside; none for what compares none.
    differences: Vec<Option<f64>>,
}

impl State {
    /// These of the different observations, so many of each, apart from all others. `None` if rounding hides what the others say.
    pub(in crate::gp::ep) fn apart(&self, members: &[(usize, u32)]) -> Option<Apart> {
        let functionals: Vec<Functional> = members.iter().map(|&(at, _)| self.observations[at].functional).collect();
        let coordinates = Functional::items_of(&functionals);
        let axes = Functional::in_terms_of(&coordinates, &functionals);
        let size = coordinates.len();
        let mean: Vec<f64> = coordinates.iter().map(|&axis| self.mean[axis]).collect();
        let factor = SemidefiniteFactor::new(&squared(&self.root.select_columns(coordinates.iter().copied())));
        let (mut precision, mut shifts) = (Matrix::zeros(size, size), vec![0.0; size]);
        for (axis, &(at, count)) in axes.iter().zip(members) {
            let (site, count) = (self.sites[at], f64::from(count));
            axis.spread(count * site.shift, &mut shifts);
            for (column, sign) in axis.terms() {
                axis.spread(sign * count * site.precision, precision.column_mut(column as usize));
            }
        }
        let mut inner = multiply(factor.transpose(), &multiply(&precision, &transpose(factor.transpose())));
        inner.values_mut().iter_mut().for_each(|value| *value = -*value);
        (0..inner.rows()).for_each(|axis| inner[(axis, axis)] += 1.0);
        let mut root = factor.transpose().clone();
        Cholesky::factor(inner).ok()?.solve_lower_in_place(&mut root);
        let covariance = squared(&root);
        let mut pull = multiply_vector(&precision, &mean);
        add_scaled(&mut pull, -1.0, &shifts);
        let mut others = mean;
        add_scaled(&mut others, 1.0, &multiply_vector(&covariance, &pull));
        let from_others = |(functional, &(at, _)): (&Functional, &(usize, u32))| {
            let (known, one) = (functional.of(&others), self.observations[at]);
            let end = |end: f64| end - known;
            Observation {
                functional: *functional,
                low: end(one.low),
                high: end(one.high),
                middle: end(one.middle),
                ..one
            }
        };
        let site = |(functional, &(at, _)): (&Functional, &(usize, u32))| {
            let Site { precision, shift } = self.sites[at];
            Site { precision, shift: shift - precision * functional.of(&others) }
        };
        let each = || axes.iter().zip(members);
        // The middle is where neither item is favoured, counted from the prior mean.
        let difference = |(functional, &(at, _)): (&Functional, &(usize, u32))| {
            let (first, second) = functional.pair()?;
            let items = Functional::Difference(first, second);
            let known = items.of(&others) - self.observations[at].middle;
            let variance = items.variance(|one, other| covariance[(one, other)]);
            Some(if known * known <= SILENCE * variance { 0.0 } else { known })
        };
        let differences: Vec<Option<f64>> = each().map(difference).collect();
        let sound = covariance.values().iter().chain(&others).all(|value| value.is_finite());
        sound.then(|| Apart {
            observations: each().map(from_others).collect(),
            sites: each().map(site).collect(),
            differences,
            counts: members.iter().map(|(_, count)| *count).collect(),
            covariance,
        })
    }
}

impl Apart {
    /// The answers, each with its number.
    pub(in crate::gp) fn observations(&self) -> impl Iterator<Item = (&Observation, f64)> {
        self.observations.iter().zip(self.counts.iter().map(|&count| f64::from(count)))
    }

    /// How many of the pairs of which an item is preferred are such that all others prefer it too, and how many there are. Repeats, votes and
    /// the comparisons of one screen are one, in shares; what all others say nothing of is none. The coordinates must be items, and asides
    /// of screens.
    pub(in crate::gp) fn agreement(&self) -> (f64, f64) {
        let mut looks: BTreeMap<[u32; 2], [f64; 2]> = BTreeMap::new();
        for ((one, difference), &count) in self.observations.iter().zip(&self.differences).zip(&self.counts) {
            // A tie is about the middle.
            let side = match difference {
                Some(difference) if one.low >= one.middle => *difference,
                Some(difference) if one.high <= one.middle => -difference,
                _ => continue,
            };
            // A judge's bias is in all of his answers.
            let screen = one.functional.asides().next().filter(|_| one.is_on_screen()).map(|(aside, _)| [aside; 2]);
            let pair = one.functional.pair().map(|(first, second)| [first.min(second), first.max(second)]);
            if let Some(look) = screen.or(pair).filter(|_| side != 0.0) {
                let [agreeing, all] = looks.entry(look).or_default();
                *agreeing += f64::from(count) * f64::from(u8::from(side > 0.0));
                *all += f64::from(count);
            }
        }
        (looks.values().map(|[agreeing, all]| agreeing / all).sum(), looks.len() as f64)
    }

    /// The log evidence of these answers, each changed in this way, under the belief of the others; and its derivative by the logarithm of
    /// the noise of all of them.
    ///
    /// # Errors
    /// If EP does not converge.
    pub(in crate::gp) fn evidence(
        &mut self,
        params: &EpParams,
        change: impl Fn(&Observation) -> Observation,
    ) -> Result<(f64, f64)> {
        let observations: Vec<Observation> = self.observations.iter().map(change).collect();
        let sites = self.sites.clone();
        let mut state = State::from_sites(self.covariance.clone(), observations, &self.counts, sites)?;
        params.converge(&mut state)?;
        self.sites = state.sites().to_vec();
        let slope = |((slopes, one), count): ((crate::gp::observation::Slopes, &Observation), &f64)| {
            count * slopes.noise * one.noise
        };
        let by_noise = state.slopes().into_iter().zip(&state.observations).zip(&state.counts).map(slope).sum();
        Ok((state.log_evidence(), by_noise))
    }
}
