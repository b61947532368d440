//! A belief and a choice by the textbook: `n x n` rank-one updates, and every pair looked at.

use std::collections::HashSet;
use std::f64::consts::{PI, SQRT_2};

use errorfunctions::RealErrorFunctions;
use ordain::active::Strategy;
use ordain::kernel::Kernel;
use rayon::prelude::*;

pub fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

pub fn cdf(x: f64) -> f64 {
    0.5 * RealErrorFunctions::erfc(-x / SQRT_2)
}

/// A Gaussian belief that is told who won.
pub struct Plain {
    pub n: usize,
    pub lambda: f64,
    pub mean: Vec<f64>,
    pub log_evidence: f64,
    /// Row by row, less what is awaited.
    k: Vec<f64>,
    /// Curvatures and directions that have not been taken off yet: together they cost one pass over the matrix.
    awaited: Vec<(f64, Vec<f64>)>,
}

impl Plain {
    pub fn new(kernel: &dyn Kernel, lambda: f64) -> Self {
        let n = kernel.len();
        let mut k = vec![0.0; n * n];
        for (item, row) in k.chunks_exact_mut(n).enumerate() {
            kernel.column(item, row).unwrap();
        }
        Self { n, lambda, mean: vec![0.0; n], log_evidence: 0.0, k, awaited: Vec::new() }
    }

    pub fn row(&self, item: usize) -> Vec<f64> {
        let mut row = self.k[item * self.n..(item + 1) * self.n].to_vec();
        for (curvature, a) in &self.awaited {
            row.iter_mut().zip(a).for_each(|(entry, other)| *entry -= curvature * a[item] * other);
        }
        row
    }

    /// The errata's scalar form of AXPGP eqs. 22-24.
    pub fn observe(&mut self, winner: usize, loser: usize) {
        let a: Vec<f64> = self.row(winner).iter().zip(self.row(loser)).map(|(one, other)| one - other).collect();
        let sd = (a[winner] - a[loser] + self.lambda * self.lambda).sqrt();
        let z = (self.mean[winner] - self.mean[loser]) / sd;
        let r = density(z) / cdf(z);
        self.log_evidence += cdf(z).ln();
        self.mean.iter_mut().zip(&a).for_each(|(mean, a)| *mean += r / sd * a);
        self.awaited.push((r * (z + r) / (sd * sd), a));
        if self.awaited.len() == 32 {
            self.settle();
        }
    }

    fn settle(&mut self) {
        let awaited = std::mem::take(&mut self.awaited);
        self.k.par_chunks_mut(self.n).enumerate().for_each(|(item, row)| {
            for (curvature, a) in &awaited {
                row.iter_mut().zip(a).for_each(|(entry, other)| *entry -= curvature * a[item] * other);
            }
        });
    }

    /// All covariances now, row by row.
    pub fn covariance(&mut self) -> &[f64] {
        self.settle();
        &self.k
    }
}

/// All pairs under a strategy; items of different groups are not compared.
pub struct Scan<'a> {
    n: usize,
    lambda: f64,
    mean: &'a [f64],
    k: &'a [f64],
    strategy: Strategy,
    groups: &'a [usize],
    /// What the rank of every item counts; the best mean of its group.
    places: Vec<(f64, f64)>,
}

impl<'a> Scan<'a> {
    /// `groups` holds every item's.
    pub fn new(plain: &'a mut Plain, strategy: Strategy, groups: &'a [usize]) -> Self {
        plain.settle();
        let mut places = vec![(0.0, 0.0); plain.n];
        for group in groups.iter().collect::<HashSet<_>>() {
            let mut order: Vec<usize> = (0..plain.n).filter(|&item| groups[item] == *group).collect();
            order.sort_by(|&a, &b| plain.mean[b].total_cmp(&plain.mean[a]));
            // Rounding parts no ranks.
            let least = 1e-12 * (plain.mean[order[0]] - plain.mean[order[order.len() - 1]]);
            let (mut rank, mut best) = (1, plain.mean[order[0]]);
            for (row, &item) in order.iter().enumerate() {
                if best - plain.mean[item] > least {
                    (rank, best) = (row + 1, plain.mean[item]);
                }
                places[item] = (counts(strategy, rank), plain.mean[order[0]]);
            }
        }
        let Plain { n, lambda, mean, k, .. } = plain;
        Self { n: *n, lambda: *lambda, mean, k, strategy, groups, places }
    }

    /// Of the difference of two items.
    fn variance(&self, i: usize, j: usize) -> f64 {
        self.k[i * self.n + i] + self.k[j * self.n + j] - 2.0 * self.k[i * self.n + j]
    }

    /// What the strategy makes of a pair, from its definition; a second number decides among equals.
    pub fn score(&self, i: usize, j: usize) -> (f64, f64) {
        let variance = self.variance(i, j).max(0.0);
        let (sd, distance) = (variance.sqrt(), (self.mean[i] - self.mean[j]).abs());
        let (high, low) = (self.places[i].0.max(self.places[j].0), self.places[i].0.min(self.places[j].0));
        let t = distance / sd;
        if variance == 0.0 && !matches!(self.strategy, Strategy::BestOption | Strategy::OptimisticBest) {
            return (0.0, 0.0);
        }
        let score = match self.strategy {
            Strategy::ExpectedLoss { .. } => high * variance * (cdf(-t) + t * density(t)),
            Strategy::ExpectedRegret { .. } => (high - 0.5 * low) * sd * (density(t) - t * cdf(-t)),
            Strategy::TopRegret { .. } => {
                (high - 0.5 * low) * variance * variance * ((1.0 + t * t) * cdf(-t) - t * density(t))
            }
            Strategy::VarianceRatio => return (variance / (distance * distance), variance),
            Strategy::Entropy => self.entropy(distance, variance),
            Strategy::BestOption => self.best_option(i, j, sd),
            Strategy::OptimisticBest => self.best_option(i, j, 2.0 * sd),
            _ => unreachable!("no score of single pairs"),
        };
        (score, 0.0)
    }

    fn best_option(&self, i: usize, j: usize, sd: f64) -> f64 {
        let level = self.places[i].1;
        let [x, y] = [i, j].map(|item| self.mean[item] - level);
        if sd == 0.0 {
            return x.max(y);
        }
        let t = (x - y) / sd;
        x * cdf(t) + y * cdf(-t) + sd * density(t)
    }

    fn entropy(&self, distance: f64, variance: f64) -> f64 {
        let whole = variance + self.lambda * self.lambda;
        let z = distance / whole.sqrt();
        let part = |z: f64| {
            let r = density(z) / cdf(z);
            -0.5 * cdf(z) * (1.0 - r * (z + r) * variance / whole).ln()
        };
        part(z) + part(-z)
    }

    /// What no pair of such a variance scores more than; only to save time. Answers say less than a measurement with the same
    /// noise, and the wrong side of no difference is never more than half.
    fn at_most(&self, weight: f64, variance: f64) -> f64 {
        match self.strategy {
            Strategy::ExpectedLoss { .. } => weight * variance * 0.5,
            Strategy::ExpectedRegret { .. } => weight * variance.sqrt() * 0.4,
            Strategy::TopRegret { .. } => weight * variance * variance * 0.5,
            Strategy::Entropy => 0.5 * (variance / (self.lambda * self.lambda)).ln_1p(),
            _ => f64::INFINITY,
        }
    }

    /// The largest score of the pairs that may be asked.
    pub fn best(&self, allowed: impl Fn(usize, usize) -> bool + Sync) -> (f64, f64) {
        let n = self.n;
        let row = |i: usize| {
            let mut best = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            for j in i + 1..n {
                let weight = self.places[i].0.max(self.places[j].0);
                if self.at_most(weight, self.variance(i, j)) < best.0
                    || self.groups[i] != self.groups[j]
                    || !allowed(i, j)
                {
                    continue;
                }
                let score = self.score(i, j);
                if score > best {
                    best = score;
                }
            }
            best
        };
        let larger = |one: (f64, f64), other: (f64, f64)| if other > one { other } else { one };
        (0..n).into_par_iter().map(row).reduce(|| (f64::NEG_INFINITY, f64::NEG_INFINITY), larger)
    }
}

/// What a rank counts.
fn counts(strategy: Strategy, rank: usize) -> f64 {
    let rank = rank as f64;
    match strategy {
        Strategy::ExpectedLoss { focus } | Strategy::ExpectedRegret { focus } if focus > 0.0 => (-focus * rank).exp(),
        Strategy::TopRegret { k } => {
            if rank <= k as f64 {
                1.0 / (rank + 1.0).log2()
            } else {
                0.0
            }
        }
        _ => 1.0,
    }
}
