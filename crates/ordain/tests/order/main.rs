//! Orders, fusion, and learned weights against definitions, brute force and their own bounds.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "the helpers of tests are tests too")]

#[path = "../common/mod.rs"]
mod common;

mod fusion;
mod learners;
mod orders;
mod preferences;

use ordain::order::{Preference, RankOrdering, Unretrieved};
use rand::{Rng, RngExt};

/// A preference that is nothing but its values.
struct Table {
    n: usize,
    values: Vec<f64>,
}

impl Table {
    fn new(n: usize, mut value: impl FnMut(usize, usize) -> f64) -> Self {
        let values = (0..n * n).map(|at| if at / n == at % n { 0.5 } else { value(at / n, at % n) }).collect();
        Self { n, values }
    }

    /// Every number of another preference.
    fn of(preference: &impl Preference) -> Self {
        Self::new(preference.len(), |u, v| preference.prefer(u, v))
    }
}

impl Preference for Table {
    fn len(&self) -> usize {
        self.n
    }

    fn prefer(&self, u: usize, v: usize) -> f64 {
        self.values[u * self.n + v]
    }
}

/// An expert with scores of a few levels, some items missing.
fn expert(n: usize, levels: u32, missing: f64, unretrieved: Unretrieved, stream: &mut impl Rng) -> RankOrdering {
    let scores: Vec<Option<f64>> = (0..n)
        .map(|_| (stream.random::<f64>() >= missing).then(|| f64::from(stream.random_range(0..levels))))
        .collect();
    RankOrdering::from_scores(scores, unretrieved).unwrap()
}

/// Positive weights that are one together.
fn weights(count: usize, stream: &mut impl Rng) -> Vec<f64> {
    let raw: Vec<f64> = (0..count).map(|_| -(1.0 - stream.random::<f64>()).ln() + 1e-3).collect();
    let sum: f64 = raw.iter().sum();
    raw.iter().map(|weight| weight / sum).collect()
}

/// AGREE from its definition.
fn agreement(order: &[usize], preference: &impl Preference) -> f64 {
    let mut sum = 0.0;
    for (at, &u) in order.iter().enumerate() {
        for &v in &order[at + 1..] {
            sum += preference.prefer(u, v);
        }
    }
    sum
}
