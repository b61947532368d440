//! The biases of judges, folded into the items.
//!
//! A priori the biases of J judges have the covariance `v I + c 11'`, and every answer speaks of one of them. With `T_j` and `u_j` the sums of
//! the precisions and the shifts of a judge's sites, and `g_j` that of precisions times differences of items, the biases have given the items
//! the precision
//!
//! $$ Q = D - κ 11', \qquad D_j = 1/v + T_j, \qquad κ = \frac{c / v^2}{1 + J c / v} $$
//!
//! and the mean `Q⁻¹ (u - G'x)`, and `Q⁻¹ = D⁻¹ + ρ D⁻¹ 11' D⁻¹` with `ρ = κ / (1 - κ Σ_j 1 / D_j)` (Sherman and Morrison). So a round costs what
//! the judges' items are, squared, and the square of all items: it is linear in the judges.

use super::{Functional, Observation, ROUNDING, Site};
use crate::numeric::Matrix;
use crate::numeric::dense::add_scaled;

/// As many judges per item make it worth while: below, the biases among the coordinates cost less than twice as much.
const WORTH: f64 = 0.25;

/// The largest variance beside that of the noise. What an answer says of items is what it says less what is put down to its judge, and this
/// is how many digits such a difference may cost.
const WIDEST: f64 = 1e5;

/// The biases, and what the sites say of them.
#[derive(Clone)]
pub(super) struct Biases {
    /// The variance of each by itself, and the one that all have in common.
    own: f64,
    common: f64,
    /// The coordinate of the first; all others follow.
    first: usize,
    members: Vec<Member>,
    judges: Vec<Judge>,
    /// `Σ_j g_j / D_j`, of every kept coordinate.
    shared: Vec<f64>,
    /// `κ` and `ρ`.
    ratios: [f64; 2],
}

/// An answer.
#[derive(Clone)]
struct Member {
    observation: usize,
    judge: usize,
    difference: Functional,
    /// The places of its two items among the judge's.
    places: [usize; 2],
}

#[derive(Clone, Default)]
struct Judge {
    /// The items that he compared.
    items: Vec<u32>,
    /// `g_j`, of these.
    pull: Vec<f64>,
    /// `D_j`.
    precision: f64,
    /// `u_j`.
    told: f64,
    /// `(Q⁻¹ u)_j`.
    shift: f64,
}

impl Biases {
    /// The biases, if the coordinates from some one to `end` are such, nothing else is about these, and taking them out pays.
    pub(super) fn find(prior: &Matrix, observations: &[Observation], end: usize) -> Option<Self> {
        let aside = |one: &Observation| match one.functional {
            Functional::Beside(_, _, aside) => Some(aside as usize),
            _ => None,
        };
        let first = observations.iter().filter_map(aside).min()?;
        let count = end.checked_sub(first)?;
        let is_about_items = |one: &Observation| {
            let known = if aside(one).is_some() { end } else { first };
            let pair_is_of_items = one.functional.pair().is_none_or(|(a, b)| (a.max(b) as usize) < first);
            pair_is_of_items && (one.is_on_screen() || one.functional.items().all(|at| (at as usize) < known))
        };
        let widest = prior.diagonal().into_iter().fold(0.0, f64::max);
        let is_blunt = |one: &Observation| widest <= WIDEST * one.noise * one.noise;
        let pays = count as f64 >= WORTH * first as f64;
        if !pays || !observations.iter().all(|one| is_about_items(one) && is_blunt(one)) {
            return None;
        }
        let common = if count > 1 { prior[(first + 1, first)] } else { 0.0 };
        let own = prior[(first, first)] - common;
        let expected = |row: usize, column: usize| match (row >= first && row < end, row == column) {
            (_, true) => own + common,
            (true, false) => common,
            (false, false) => 0.0,
        };
        let is_usual = |column: usize| {
            let entries = prior.column(column).iter().enumerate();
            entries.into_iter().all(|(row, entry)| (entry - expected(row, column)).abs() <= ROUNDING * own)
        };
        if !(own > 0.0 && common >= 0.0 && (first..end).all(is_usual)) {
            return None;
        }
        let mut judges = vec![Judge::default(); count];
        let mut members = Vec::new();
        for (observation, one) in observations.iter().enumerate() {
            if let Functional::Beside(left, right, aside) = one.functional {
                let judge = aside as usize - first;
                judges[judge].items.extend([left, right]);
                let difference = Functional::Difference(left, right);
                members.push(Member { observation, judge, difference, places: [0; 2] });
            }
        }
        for judge in &mut judges {
            judge.items.sort_unstable();
            judge.items.dedup();
            judge.pull = vec![0.0; judge.items.len()];
        }
        for member in &mut members {
            let place = |item: u32| judges[member.judge].items.partition_point(|&own| own < item);
            if let Some((left, right)) = member.difference.pair() {
                member.places = [place(left), place(right)];
            }
        }
        Some(Self { own, common, first, members, judges, shared: vec![0.0; first], ratios: [0.0; 2] })
    }

    /// The coordinate of the first bias.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Takes the biases out of these sites.
    pub(super) fn fold(&mut self, sites: &[Site], counts: &[f64]) {
        for judge in &mut self.judges {
            judge.pull.fill(0.0);
            (judge.precision, judge.told) = (self.own.recip(), 0.0);
        }
        for Member { observation, judge, places: [left, right], .. } in &self.members {
            let (site, count, judge) = (sites[*observation], counts[*observation], &mut self.judges[*judge]);
            let precision = count * site.precision;
            judge.precision += precision;
            judge.told += count * site.shift;
            judge.pull[*left] += precision;
            judge.pull[*right] -= precision;
        }
        self.shared.fill(0.0);
        for judge in &self.judges {
            for (&item, pull) in judge.items.iter().zip(&judge.pull) {
                self.shared[item as usize] += pull / judge.precision;
            }
        }
        let share = self.common / self.own;
        let kappa = share / self.own / (1.0 + self.judges.len() as f64 * share);
        let variances: f64 = self.judges.iter().map(|judge| judge.precision.recip()).sum();
        self.ratios = [kappa, kappa / (1.0 - kappa * variances)];
        let told: Vec<f64> = self.judges.iter().map(|judge| judge.told).collect();
        let solved = self.solve(&told);
        self.judges.iter_mut().zip(solved).for_each(|(judge, shift)| judge.shift = shift);
    }

    /// `Q⁻¹ x`.
    fn solve(&self, x: &[f64]) -> Vec<f64> {
        let alone = self.judges.iter().zip(x).map(|(judge, x)| x / judge.precision);
        let together = self.ratios[1] * alone.clone().sum::<f64>();
        alone.zip(&self.judges).map(|(alone, judge)| alone + together / judge.precision).collect()
    }

    /// The logarithm of the determinant of `Q` times the prior's covariance.
    pub(super) fn log_det(&self) -> f64 {
        let count = self.judges.len() as f64;
        let alone: f64 = self.judges.iter().map(|judge| (self.own * judge.precision).ln()).sum();
        let [kappa, rho] = self.ratios;
        // 1 - κ Σ 1 / D_j is κ / ρ.
        let together = if rho > 0.0 { (kappa / rho).ln() } else { 0.0 };
        alone + (count * self.common / self.own).ln_1p() + together
    }

    /// Adds the precision that these sites have for the kept coordinates.
    pub(super) fn add_precision(&self, sites: &[Site], counts: &[f64], out: &mut Matrix) {
        for Member { observation, difference, .. } in &self.members {
            let precision = counts[*observation] * sites[*observation].precision;
            difference.terms().for_each(|(at, sign)| difference.spread(sign * precision, out.column_mut(at as usize)));
        }
        for judge in &self.judges {
            for (&item, pull) in judge.items.iter().zip(&judge.pull) {
                let column = out.column_mut(item as usize);
                for (&other, own) in judge.items.iter().zip(&judge.pull) {
                    column[other as usize] -= pull * own / judge.precision;
                }
            }
        }
        for (column, pull) in out.columns_mut().zip(&self.shared) {
            add_scaled(column, -self.ratios[1] * pull, &self.shared);
        }
    }

    /// Adds the shifts that these sites have for the kept coordinates.
    pub(super) fn add_shifts(&self, sites: &[Site], counts: &[f64], out: &mut [f64]) {
        for Member { observation, difference, .. } in &self.members {
            difference.spread(counts[*observation] * sites[*observation].shift, out);
        }
        for judge in &self.judges {
            for (&item, pull) in judge.items.iter().zip(&judge.pull) {
                out[item as usize] -= pull * judge.shift;
            }
        }
    }

    /// Writes the means of the biases, beside those of the kept coordinates.
    pub(super) fn unfold_mean(&self, mean: &mut [f64]) {
        let left = |judge: &Judge| {
            let explained: f64 =
                judge.items.iter().zip(&judge.pull).map(|(&item, pull)| pull * mean[item as usize]).sum();
            judge.told - explained
        };
        let solved = self.solve(&self.judges.iter().map(left).collect::<Vec<_>>());
        mean[self.first..][..solved.len()].copy_from_slice(&solved);
    }

    /// The number of rows that biases have of their own in a root of the covariance.
    pub(super) fn rows(&self) -> usize {
        self.judges.len() + 1
    }

    /// Writes the columns of the biases into a root of the covariance whose first rows are `root`, of the kept coordinates. Their own rows
    /// begin at `from`: one each, of `D⁻¹`, and one for all, of `ρ D⁻¹ 11' D⁻¹`.
    pub(super) fn unfold_root(&self, root: &Matrix, from: usize, out: &mut Matrix) {
        let rank = root.rows();
        let mut together = vec![0.0; rank];
        for (item, pull) in self.shared.iter().enumerate().filter(|(_, pull)| **pull != 0.0) {
            add_scaled(&mut together, *pull, root.column(item));
        }
        for (at, judge) in self.judges.iter().enumerate() {
            let column = out.column_mut(self.first + at);
            add_scaled(&mut column[..rank], -self.ratios[1] / judge.precision, &together);
            for (&item, pull) in judge.items.iter().zip(&judge.pull) {
                add_scaled(&mut column[..rank], -pull / judge.precision, root.column(item as usize));
            }
            column[from + at] = judge.precision.sqrt().recip();
            column[from + self.judges.len()] = self.ratios[1].sqrt() / judge.precision;
        }
    }

    /// The variance of a comparison beside a bias, from a root of the covariance of all coordinates with so many rows of kept ones. Of the
    /// rows that are the biases' own, two are not 0.
    pub(super) fn variance_beside(&self, root: &Matrix, rank: usize, [left, right, aside]: [usize; 3]) -> f64 {
        let at = |axis: usize| &root.column(axis)[..rank];
        let rows = at(left).iter().zip(at(right)).zip(at(aside));
        let kept: f64 = rows.map(|((left, right), aside)| (left - right + aside).powi(2)).sum();
        let precision = self.judges[aside - self.first].precision;
        kept + (1.0 + self.ratios[1] / precision) / precision
    }
}
