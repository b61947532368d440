//! What several test files share: a kernel given by its matrix, random problems, and quadrature that knows nothing of
//! the code under test.
#![allow(dead_code, clippy::unwrap_used)] // Every test file is a crate of its own and uses its part of this.

use std::sync::Arc;

use ordain::data::ItemId;
use ordain::gp::{AnswerModel, Observation};
use ordain::kernel::{Kernel, Parameter};
use ordain::numeric::{Matrix, Seed};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

/// A kernel that is nothing but a matrix.
pub struct Given(pub Matrix);

impl Kernel for Given {
    fn len(&self) -> usize {
        self.0.rows()
    }

    fn diagonal(&self, out: &mut [f64]) -> ordain::Result<()> {
        out.copy_from_slice(&self.0.diagonal());
        Ok(())
    }

    fn column(&self, item: usize, out: &mut [f64]) -> ordain::Result<()> {
        out.copy_from_slice(self.0.column(item));
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    fn set_parameters(&mut self, _: &[f64]) -> ordain::Result<()> {
        Ok(())
    }

    fn derivative_column(&self, _: usize, _: usize, out: &mut [f64]) -> ordain::Result<()> {
        out.fill(0.0);
        Ok(())
    }
}

pub fn stream(task: u64) -> impl Rng {
    Seed(7).stream(task)
}

pub fn normal(stream: &mut impl Rng) -> f64 {
    stream.sample(StandardNormal)
}

/// A squared exponential of random points in the plane, plus something of each item's own.
pub fn smooth_kernel(n: usize, scale: f64, own: f64, stream: &mut impl Rng) -> Matrix {
    let points: Vec<(f64, f64)> = (0..n).map(|_| (normal(stream), normal(stream))).collect();
    Matrix::from_fn(n, n, |i, j| {
        let (dx, dy) = (points[i].0 - points[j].0, points[i].1 - points[j].1);
        let own = if i == j { own * own } else { 0.0 };
        scale * scale * (-0.5 * (dx * dx + dy * dy)).exp() + own
    })
}

/// The lower Cholesky factor, by the textbook.
pub fn cholesky(matrix: &Matrix) -> Matrix {
    let n = matrix.rows();
    let mut lower = Matrix::zeros(n, n);
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|k| lower[(i, k)] * lower[(j, k)]).sum();
            let left = matrix[(i, j)] - sum;
            lower[(i, j)] = if i == j { left.max(0.0).sqrt() } else { left / lower[(j, j)] };
        }
    }
    lower
}

/// Utilities drawn from N(0, L L').
pub fn draw(lower: &Matrix, stream: &mut impl Rng) -> Vec<f64> {
    let n = lower.rows();
    let noise: Vec<f64> = (0..n).map(|_| normal(stream)).collect();
    (0..n).map(|i| (0..=i).map(|k| lower[(i, k)] * noise[k]).sum()).collect()
}

/// Two different items at random.
pub fn pair(n: usize, stream: &mut impl Rng) -> (ItemId, ItemId) {
    let first = stream.random_range(0..n);
    let second = (first + stream.random_range(1..n)) % n;
    (ItemId::new(first), ItemId::new(second))
}

/// A judge's word on two items, as the model says judges speak.
pub fn judge(
    model: &AnswerModel,
    tie_width: f64,
    utilities: &[f64],
    (i, j): (ItemId, ItemId),
    stream: &mut impl Rng,
) -> Observation {
    let noisy = utilities[i.index()] - utilities[j.index()] + model.lambda() * normal(stream);
    if noisy > tie_width {
        model.preferred(i, j)
    } else if noisy < -tie_width {
        model.preferred(j, i)
    } else {
        model.tied(i, j).unwrap()
    }
}

/// A random problem: a kernel and answers drawn from the model.
pub fn problem(n: usize, answers: usize, scale: f64, task: u64) -> (Arc<Given>, Vec<Observation>) {
    let mut stream = stream(task);
    let kernel = smooth_kernel(n, scale, 0.5, &mut stream);
    let utilities = draw(&cholesky(&kernel), &mut stream);
    let model = AnswerModel::default();
    let observations =
        (0..answers).map(|_| judge(&model, 0.0, &utilities, pair(n, &mut stream), &mut stream)).collect();
    (Arc::new(Given(kernel)), observations)
}

/// Phi by another crate's erfc: the tests' own likelihood.
pub fn phi(z: f64) -> f64 {
    0.5 * errorfunctions::RealErrorFunctions::erfc(-z / std::f64::consts::SQRT_2)
}

/// The likelihood of an observation of a functional with value x, from the definition.
pub fn likelihood(observation: &Observation, x: f64) -> f64 {
    let Observation { low, high, noise, lapse, .. } = *observation;
    let within = |low: f64, high: f64| {
        let at = |bound: f64| (bound - x) / noise;
        // From the side where the tails do not cancel.
        if at(low) > 0.0 { phi(-at(low)) - phi(-at(high)) } else { phi(at(high)) - phi(at(low)) }
    };
    // The opposite answer, turned round with this probability.
    if lapse == 0.0 { within(low, high) } else { (1.0 - lapse) * within(low, high) + lapse * within(-high, -low) }
}

/// Mass, mean and variance of `N(x; mean, variance) * likelihood(x)`, by the trapezoidal rule, which converges faster
/// than any power for smooth integrands that vanish at both ends.
pub fn tilted(observation: &Observation, mean: f64, variance: f64) -> (f64, f64, f64) {
    const POINTS: i32 = 8000;
    let sd = variance.sqrt();
    // The likelihood pulls the mass at most a few tens of noise away from the mean.
    let reach = 14.0 * sd;
    let step = 2.0 * reach / f64::from(POINTS);
    let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
    for k in 0..=POINTS {
        let offset = -reach + step * f64::from(k);
        let weight = (-0.5 * (offset / sd).powi(2)).exp() * likelihood(observation, mean + offset);
        mass += weight;
        first += weight * offset;
        second += weight * offset * offset;
    }
    let (shift, square) = (first / mass, second / mass);
    let norm = step / (sd * (2.0 * std::f64::consts::PI).sqrt());
    (mass * norm, mean + shift, square - shift * shift)
}

/// The largest absolute difference.
pub fn distance(left: &[f64], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).map(|(left, right)| (left - right).abs()).fold(0.0, f64::max)
}
