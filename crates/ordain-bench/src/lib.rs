//! The problems that benches and side-by-side runs share.

pub mod battles;
pub mod fresh;
pub mod graphs;
pub mod projects;
mod world;

use std::sync::Arc;

use ordain::data::{Attributes, ItemId, Items};
use ordain::gp::{AnswerModel, Observation};
use ordain::kernel::{self, Form, Kernel, KernelSpec, Over, Rho, Shape, WeightedSum};
use ordain::numeric::Seed;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

pub use world::World;

/// Items with 25 attributes and answers by a judge whose utilities are a sum of a few waves along them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Problem {
    /// A row an item.
    pub attributes: Vec<Vec<f64>>,
    /// Winner and loser of every answer.
    pub pairs: Vec<[u32; 2]>,
    /// The prior standard deviation of a utility.
    pub scale: f64,
    /// The length over which utilities vary.
    pub length: f64,
}

/// Attributes of every problem.
const ATTRIBUTES: usize = 25;
/// Waves that make up the true utilities.
const WAVES: usize = 12;

impl Problem {
    /// A problem of this size; the same for the same size.
    pub fn new(items: usize, answers: usize) -> Self {
        Self::along(items, answers, |_| 1.0)
    }

    /// A problem in which each attribute matters 0.75 times as much as the one before.
    pub fn of_few_attributes(items: usize, answers: usize) -> Self {
        Self::along(items, answers, |attribute| 3.0 * 0.75_f64.powi(attribute as i32))
    }

    /// A problem whose utilities vary along the attributes in these proportions.
    fn along(items: usize, answers: usize, relevance: impl Fn(usize) -> f64) -> Self {
        let mut stream = Seed(2026).stream((items * 1_000_003 + answers) as u64);
        let mut normal = || -> f64 { stream.sample(StandardNormal) };
        let (scale, length) = (3.0, 5.0);
        let attributes: Vec<Vec<f64>> = (0..items).map(|_| (0..ATTRIBUTES).map(|_| normal()).collect()).collect();
        // A random-feature draw from (about) the prior that is fitted: waves with frequencies of scale 1/length.
        let waves: Vec<(Vec<f64>, f64, f64)> = (0..WAVES)
            .map(|_| {
                let direction = (0..ATTRIBUTES).map(|attribute| relevance(attribute) * normal() / length).collect();
                (direction, std::f64::consts::PI * normal(), normal())
            })
            .collect();
        let utility = |row: &Vec<f64>| -> f64 {
            let wave = |(direction, phase, height): &(Vec<f64>, f64, f64)| {
                let along: f64 = direction.iter().zip(row).map(|(d, x)| d * x).sum();
                height * (along + phase).cos()
            };
            scale * (2.0 / WAVES as f64).sqrt() * waves.iter().map(wave).sum::<f64>()
        };
        let utilities: Vec<f64> = attributes.iter().map(utility).collect();
        let mut stream = Seed(2027).stream((items * 1_000_003 + answers) as u64);
        let pairs = (0..answers)
            .map(|_| {
                let first = stream.random_range(0..items);
                let second = (first + stream.random_range(1..items)) % items;
                let noise: f64 = stream.sample(StandardNormal);
                let first_wins = utilities[first] - utilities[second] + std::f64::consts::SQRT_2 * noise > 0.0;
                let (winner, loser) = if first_wins { (first, second) } else { (second, first) };
                [winner as u32, loser as u32]
            })
            .collect();
        Self { attributes, pairs, scale, length }
    }

    /// The squared exponential kernel of the items.
    ///
    /// # Panics
    /// If the problem is not one of [`Problem::new`].
    pub fn kernel(&self) -> Arc<dyn Kernel> {
        let form = Form::SquaredExponential { kappa: self.scale, rho: Rho::Shared(1.0 / self.length) };
        Arc::new(self.kernel_of(form))
    }

    /// The squared exponential kernel with a length for every attribute, all of them the root of twice their number.
    ///
    /// # Panics
    /// If the problem is not one of [`Problem::new`].
    pub fn separate_lengths(&self) -> WeightedSum {
        let rho = 1.0 / (2.0 * ATTRIBUTES as f64).sqrt();
        self.kernel_of(Form::SquaredExponential { kappa: 1.0, rho: Rho::Each(vec![rho; ATTRIBUTES]) })
    }

    fn kernel_of(&self, form: Form) -> WeightedSum {
        let names = (0..ATTRIBUTES).map(|k| format!("x{k}")).collect();
        let count = self.attributes.len();
        let attributes = Attributes::new(names, count, self.attributes.concat()).expect("a rectangular table");
        let ids = (0..count).map(|item| item.to_string()).collect();
        let items = Items::new(ids, None, attributes).expect("different ids");
        let spec = KernelSpec::new(1.0, Shape::Vector { form, over: Over::Attributes });
        kernel::build(&[spec], &items, &[]).expect("a valid kernel")
    }

    /// The answers, by a judge with noise 1 on each utility.
    ///
    /// # Panics
    /// Never: the noise is positive.
    pub fn observations(&self) -> Vec<Observation> {
        let model = AnswerModel::new(1.0, 0.0).expect("positive noise");
        self.pairs.iter().map(|&[winner, loser]| model.preferred(ItemId(winner), ItemId(loser))).collect()
    }
}
