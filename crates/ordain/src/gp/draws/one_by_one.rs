//! Steps of one utility after the other, where answers may be lapses.
//!
//! Without its sites, the belief is a Gaussian with the precision `Q = Σ⁻¹ - Σ_s τ_s d_s d_s'`. In it, one item given all others
//! has the variance `1 / Q_ii`, which is as wide as the prior leaves it. A slice along the ellipse of this one number (Murray, Adams
//! and MacKay 2010) crosses the places between the tops of the posterior, and only the item's own answers are looked at.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::ellipse::{log_likelihood, slice};
use crate::gp::{Factor, Functional};
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
    /// The items that can move, each with the places of its observations and its sign in them.
    items: Vec<(usize, Vec<(usize, f64)>)>,
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
        for (place, (factor, centre)) in observed.iter().zip(centre).enumerate() {
            let site = factor.site;
            factor.observation.functional.spread(site.precision * centre - site.shift, &mut pull);
            let ends: &[(u32, f64)] = match factor.observation.functional {
                Functional::Item(item) => &[(item, 1.0)],
                Functional::Difference(first, second) => &[(first, 1.0), (second, -1.0)],
            };
            for &(item, sign) in ends {
                of[item as usize].push((place, sign));
                for &(other, other_sign) in ends {
                    precision[(other as usize, item as usize)] -= sign * other_sign * site.precision;
                }
            }
        }
        let free = |item: usize| precision[(item, item)] > ROUNDING * whole[item];
        let items = of.into_iter().enumerate().filter(|(item, own)| !own.is_empty() && free(*item)).collect();
        Some(Self { precision, pull, items })
    }

    /// Moves every item once. `apart` are the deviations, and `seen` the deviations of the observed functionals.
    pub(super) fn sweep(
        &self,
        apart: &mut [f64],
        seen: &mut [f64],
        observed: &[Factor],
        centre: &[f64],
        stream: &mut Stream,
    ) {
        for (item, own) in &self.items {
            let precision = self.precision[(*item, *item)];
            let present = apart[*item];
            // The mean given all others, whose part in the product is all but the item's own.
            let mean = present + (self.pull[*item] - dot(self.precision.column(*item), apart)) / precision;
            let from = present - mean;
            let fresh = stream.sample::<f64, _>(StandardNormal) / precision.sqrt();
            let moved = |angle: f64| mean + angle.cos() * from + angle.sin() * fresh - present;
            let likelihood = |moved: f64, least: f64| {
                let value =
                    |&(place, sign): &(usize, f64)| (&observed[place], centre[place] + seen[place] + sign * moved);
                log_likelihood(own.iter().map(value), least)
            };
            let least = likelihood(0.0, f64::NEG_INFINITY) + stream.random::<f64>().ln();
            let Some((angle, _)) = slice(|_| least, |angle, least| likelihood(moved(angle), least), stream) else {
                continue;
            };
            let moved = moved(angle);
            apart[*item] += moved;
            own.iter().for_each(|&(place, sign)| seen[place] += sign * moved);
        }
    }
}
