//! What is known of two judges of three items, beside a sampler that knows nothing of Gaussian approximations.

use std::collections::BTreeMap;

use ordain::data::Outcome;
use ordain::{Inference, Watch};
use rand::RngExt;

use crate::care::{Nature, World};
use crate::common::{normal, phi, stream};

/// Utilities of three items, biases of two judges, logarithms of their noise beside the common one, and that of the common noise beside the
/// one that was found.
type Point = [f64; 8];

/// What is given: the common noise that was found, and the deviation of the logarithms of noise.
struct Posterior {
    /// Item on the left, item on the right, judge: how often the left was preferred, and how often the right.
    cells: BTreeMap<[usize; 3], [f64; 2]>,
    common: f64,
    spread: f64,
}

impl Posterior {
    fn log_density(&self, x: &Point) -> f64 {
        let [own, shared] = [0.3_f64.powi(2), 0.15_f64.powi(2)];
        let utilities: f64 = x[..3].iter().map(|one| -0.5 * one * one).sum();
        // Two biases with variance `own + shared` and covariance `shared`: their sum and their difference are independent.
        let [sum, difference] = [x[3] + x[4], x[3] - x[4]];
        let biases = -0.5 * sum * sum / (2.0 * own + 4.0 * shared) - 0.5 * difference * difference / (2.0 * own);
        let factors: f64 = x[5..7].iter().map(|one| -0.5 * (one / self.spread).powi(2)).sum();
        // The prior of the noise: log-normal around .03 with a factor of e².
        let common = -0.5 * (((self.common / 0.03).ln() + x[7]) / 2.0).powi(2);
        let said = self.cells.iter().map(|(&[left, right, judge], [for_left, for_right])| {
            let noise = std::f64::consts::SQRT_2 * self.common * (x[5 + judge] + x[7]).exp();
            let z = (x[left] - x[right] + x[3 + judge]) / noise;
            let part = |count: &f64, z: f64| if *count > 0.0 { count * phi(z).ln() } else { 0.0 };
            part(for_left, z) + part(for_right, -z)
        });
        utilities + biases + factors + common + said.sum::<f64>()
    }

    /// Means and deviations of the biases, and of the logarithms of the judges' noise: Metropolis' random walk, one coordinate after the other.
    fn sample(&self) -> [(f64, f64); 4] {
        const STEPS: Point = [0.3, 0.3, 0.3, 0.25, 0.25, 0.5, 0.5, 0.4];
        const WARM_UP: usize = 5_000;
        const SWEEPS: usize = 150_000;
        let mut stream = stream(77);
        let mut x = Point::default();
        let mut height = self.log_density(&x);
        let (mut first, mut second) = ([0.0; 4], [0.0; 4]);
        for sweep in 0..WARM_UP + SWEEPS {
            for at in 0..x.len() {
                let mut moved = x;
                moved[at] += STEPS[at] * normal(&mut stream);
                let there = self.log_density(&moved);
                if stream.random::<f64>().ln() < there - height {
                    (x, height) = (moved, there);
                }
            }
            if sweep >= WARM_UP {
                let seen = [x[3], x[4], x[5] + x[7], x[6] + x[7]];
                for (at, value) in seen.into_iter().enumerate() {
                    first[at] += value / SWEEPS as f64;
                    second[at] += value * value / SWEEPS as f64;
                }
            }
        }
        std::array::from_fn(|at| (first[at], (second[at] - first[at] * first[at]).sqrt()))
    }
}

#[test]
fn two_judges_and_three_items_by_a_sampler() {
    let nature = |sigma, bias| Nature { sigma, bias, is_careless: false };
    for (task, each, natures) in
        [(92, 50, [nature(0.3, 0.4), nature(0.9, -0.3)]), (92, 100, [nature(0.5, 0.0), nature(0.5, 0.5)])]
    {
        let world = World::play(3, natures.to_vec(), each, task);
        let fitted = world.model(true).fit(Inference::Ep, &Watch::NONE).unwrap();
        let judges = fitted.judges(&Watch::NONE).unwrap();
        assert!(judges.iter().all(|one| one.careless < 0.02), "{judges:?}");
        assert_eq!(fitted.answer_model().lapse(), 0.0);
        let common = fitted.answer_model().noise();
        let mut posterior =
            Posterior { cells: BTreeMap::new(), common, spread: fitted.answer_model().spread_of_judges().unwrap() };
        for answer in &world.answers {
            let judge = usize::from(answer.judge.as_deref() == Some("judge 001"));
            let cell = [answer.first.index(), answer.second.unwrap().index(), judge];
            posterior.cells.entry(cell).or_default()[usize::from(answer.outcome == Outcome::Second)] += 1.0;
        }
        let estimate = |low: f64, high: f64| (0.5 * (low + high), (high - low) / 2.0 / 1.644_853_626_951_472_7);
        let bias = |at: usize| judges[at].bias.map(|one| estimate(one.low, one.high)).unwrap();
        let noise = |at: usize| estimate((judges[at].noise.low / common).ln(), (judges[at].noise.high / common).ln());
        let found = [bias(0), bias(1), noise(0), noise(1)];
        for (at, ((mean, deviation), (truth, spread))) in found.into_iter().zip(posterior.sample()).enumerate() {
            // Normal intervals at one noise of all others, with a share for the scale, of a posterior that is skewed after so few answers. The
            // sampler's own error is about .02 deviations.
            assert!((mean - truth).abs() < 0.3 * spread, "{each} {at}: {mean} {truth} ± {spread}");
            assert!((deviation / spread).ln().abs() < 0.2, "{each} {at}: {deviation} {spread}");
        }
    }
}
