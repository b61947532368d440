//! Steps of one utility after the other, where answers may be lapses; and of tied ones together.
//!
//! Without its sites, the belief is a Gaussian with the precision `Q = Σ⁻¹ - Σ_s τ_s d_s d_s'`. In it, one item given all others
//! has the variance `1 / Q_ii`, which is as wide as the prior leaves it. A slice along the ellipse of this one number (Murray, Adams
//! and MacKay 2010) crosses the places between the tops of the posterior, and only the item's own answers are looked at.
//!
//! Ties hold an item where the others are. So a set of tied items moves too, all by the same number: with `s` 1 for each of them and 0
//! for others, its variance is `1 / s'Qs`, and only the answers about one of them alone, or about one of them and another item, are looked at. The set is also turned
//! round its mean, as a Metropolis step: if lapses are possible, items in the opposite order are another top, and ties look the same.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::ellipse::{log_likelihood, slice};
use crate::gp::{Factor, Site};
use crate::numeric::dense::{Cholesky, dot};
use crate::numeric::{Matrix, Stream};

/// A share of the belief's precision that rounding may make of nothing.
const ROUNDING: f64 = 1e-6;

/// How every item moves if all others stay.
pub(super) struct OneByOne {
    /// `Q`, of which columns of items without answers are not used.
    precision: Matrix,
    /// The derivative of the logarithm of the Gaussian at the belief's mean.
    pull: Vec<f64>,
    /// The places of every item's observations, and its sign in them.
    of: Vec<Vec<(usize, f64)>>,
    /// The items that have observations and can move.
    free: Vec<usize>,
    /// The pairs of items that are tied.
    ties: Vec<(usize, usize)>,
}

/// Where a chain is: the deviations from the belief's `mean`, and those of the observed functionals, which are `centre` at the mean.
pub(super) struct Place<'a> {
    pub apart: &'a mut [f64],
    pub seen: &'a mut [f64],
    pub observed: &'a [Factor],
    pub centre: &'a [f64],
    pub mean: &'a [f64],
}

impl OneByOne {
    /// For draws given as deviations from the belief's mean, where the observed functionals are `centre`. `None` if the covariance is
    /// singular, so that items cannot move by themselves. `g³` operations.
    pub(super) fn new(covariance: Matrix, observed: &[Factor], centre: &[f64]) -> Option<Self> {
        let count = covariance.rows();
        let mut precision = Cholesky::factor(covariance).ok()?.inverse();
        let whole = precision.diagonal();
        let mut pull = vec![0.0; count];
        let mut of: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        let mut ties = Vec::new();
        for (place, (factor, centre)) in observed.iter().zip(centre).enumerate() {
            let count = f64::from(factor.count);
            let site = Site { precision: count * factor.site.precision, shift: count * factor.site.shift };
            factor.observation.functional.spread(site.precision * centre - site.shift, &mut pull);
            let functional = factor.observation.functional;
            for (item, sign) in functional.terms() {
                of[item as usize].push((place, sign));
                for (other, other_sign) in functional.terms() {
                    precision[(other as usize, item as usize)] -= sign * other_sign * site.precision;
                }
            }
            if let (Some((first, second)), true) = (functional.pair(), factor.observation.has_two_ends()) {
                ties.push((first as usize, second as usize));
            }
        }
        let is_free = |&item: &usize| !of[item].is_empty() && precision[(item, item)] > ROUNDING * whole[item];
        let free: Vec<usize> = (0..count).filter(is_free).collect();
        ties.retain(|(one, other)| is_free(one) && is_free(other));
        Some(Self { precision, pull, of, free, ties })
    }

    /// Moves every item once, and then sets of items that are tied.
    pub(super) fn sweep(&self, place: &mut Place, stream: &mut Stream) {
        for &item in &self.free {
            self.shift(&[item], &self.of[item], place, stream);
        }
        if self.ties.is_empty() {
            return;
        }
        for members in self.clusters(stream) {
            let inside = |item: u32| members.contains(&(item as usize));
            let changes = |&(at, _): &(usize, f64)| match place.observed[at].observation.functional.pair() {
                None => true,
                Some((first, second)) => inside(first) != inside(second),
            };
            let own: Vec<(usize, f64)> =
                members.iter().flat_map(|&item| &self.of[item]).copied().filter(changes).collect();
            self.shift(&members, &own, place, stream);
            self.reflect(&members, place, stream);
        }
    }

    /// Sets of two or more items that are tied, directly or through others. A random share of the ties counts, so that small sets have their
    /// turn as well as large ones. Nothing depends on the utilities.
    fn clusters(&self, stream: &mut Stream) -> Vec<Vec<usize>> {
        let share: f64 = stream.random();
        let mut name: Vec<usize> = (0..self.of.len()).collect();
        for &(one, other) in &self.ties {
            let (one, other) = (name[one], name[other]);
            if one != other && stream.random::<f64>() < share {
                name.iter_mut().filter(|name| **name == other).for_each(|name| *name = one);
            }
        }
        let mut sets = vec![Vec::new(); name.len()];
        name.into_iter().enumerate().for_each(|(item, name)| sets[name].push(item));
        sets.retain(|set| set.len() > 1);
        sets
    }

    /// Turns the order of these items round: each goes to the other side of their mean, if the posterior there is above a random share of
    /// the present one.
    fn reflect(&self, items: &[usize], place: &mut Place, stream: &mut Stream) {
        let Place { apart, seen, observed, centre, mean } = place;
        let utility = |item: usize| mean[item] + apart[item];
        let middle = items.iter().map(|&item| utility(item)).sum::<f64>() / items.len() as f64;
        let mut moves = vec![0.0; apart.len()];
        items.iter().for_each(|&item| moves[item] = 2.0 * (middle - utility(item)));
        let gaussian = |&item: &usize| {
            let column = self.precision.column(item);
            moves[item] * (self.pull[item] - dot(column, apart) - 0.5 * dot(column, &moves))
        };
        let gain: f64 = items.iter().map(gaussian).sum();
        let mut own: Vec<usize> = items.iter().flat_map(|&item| &self.of[item]).map(|(at, _)| *at).collect();
        own.sort_unstable();
        own.dedup();
        let likelihood = |share: f64, least: f64| {
            let moved = |at: usize| share * observed[at].observation.functional.of(&moves);
            log_likelihood(own.iter().map(|&at| (&observed[at], centre[at] + seen[at] + moved(at))), least)
        };
        let least = likelihood(0.0, f64::NEG_INFINITY) - gain + stream.random::<f64>().ln();
        if likelihood(1.0, least) < least {
            return;
        }
        own.iter().for_each(|&at| seen[at] += observed[at].observation.functional.of(&moves));
        items.iter().for_each(|&item| apart[item] += moves[item]);
    }

    /// Moves these items by the same number. `own` are the places of the observations that change with it, and the items' sign in them.
    fn shift(&self, items: &[usize], own: &[(usize, f64)], place: &mut Place, stream: &mut Stream) {
        let Place { apart, seen, observed, centre, .. } = place;
        let (mut precision, mut pull) = (0.0, 0.0);
        for &item in items {
            let column = self.precision.column(item);
            precision += items.iter().map(|&other| column[other]).sum::<f64>();
            pull += self.pull[item] - dot(column, apart);
        }
        // The mean of the move in the Gaussian, given all other items.
        let mean = pull / precision;
        let fresh = stream.sample::<f64, _>(StandardNormal) / precision.sqrt();
        let moved = |angle: f64| mean * (1.0 - angle.cos()) + angle.sin() * fresh;
        let likelihood = |moved: f64, least: f64| {
            let value = |&(at, sign): &(usize, f64)| (&observed[at], centre[at] + seen[at] + sign * moved);
            log_likelihood(own.iter().map(value), least)
        };
        let least = likelihood(0.0, f64::NEG_INFINITY) + stream.random::<f64>().ln();
        let Some((angle, _)) = slice(|_| least, |angle, least| likelihood(moved(angle), least), stream) else {
            return;
        };
        let moved = moved(angle);
        items.iter().for_each(|&item| apart[item] += moved);
        own.iter().for_each(|&(at, sign)| seen[at] += sign * moved);
    }
}
