//! Is the belief as sure as it should be? Draws from the model, a few hundred answers each, and a look at what the
//! belief says of the truth it never saw.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::*;
use ordain::gp::{AnswerModel, Belief, EpParams, Incremental, predict};

const DRAWS: u64 = 2000;
const ITEMS: usize = 20;
const ANSWERS: usize = 200;
const HELD_OUT: usize = 150;

/// What one belief says over all draws.
#[derive(Default)]
struct Tally {
    /// Predicted probability and whether it came true, for held-out answers.
    predictions: Vec<(f64, bool)>,
    /// Where in the belief the truth lies, as a quantile: of one item's utility and of one difference a draw, so that
    /// the quantiles are independent.
    utilities: Vec<f64>,
    differences: Vec<f64>,
}

impl Tally {
    fn add(&mut self, belief: &dyn Belief, model: &AnswerModel, utilities: &[f64], draw: u64) {
        let mut stream = stream(2_000_000 + draw);
        for _ in 0..HELD_OUT {
            let (i, j) = pair(ITEMS, &mut stream);
            let noisy = utilities[i.index()] - utilities[j.index()] + model.lambda() * normal(&mut stream);
            self.predictions.push((predict(belief, model, i, j).unwrap().probability, noisy > 0.0));
        }
        let (i, j) = pair(ITEMS, &mut stream);
        let sd = belief.variances()[i.index()].sqrt();
        self.utilities.push(phi((utilities[i.index()] - belief.mean()[i.index()]) / sd));
        let mut column = vec![0.0; ITEMS];
        belief.column(i, &mut column).unwrap();
        let difference = |values: &[f64]| values[i.index()] - values[j.index()];
        let variance = belief.variances()[i.index()] + belief.variances()[j.index()] - 2.0 * column[j.index()];
        self.differences.push(phi((difference(utilities) - difference(belief.mean())) / variance.sqrt()));
    }

    /// Expected calibration error over ten bins of the predicted probability.
    fn calibration_error(&self) -> f64 {
        let mut bins = [(0.0, 0.0, 0.0); 10];
        for &(probability, came_true) in &self.predictions {
            let bin = &mut bins[((probability * 10.0) as usize).min(9)];
            *bin = (bin.0 + 1.0, bin.1 + probability, bin.2 + f64::from(u8::from(came_true)));
        }
        bins.iter().map(|(_, predicted, seen)| (predicted - seen).abs()).sum::<f64>() / self.predictions.len() as f64
    }
}

/// The largest distance between the empirical distribution of the values and the uniform one (Kolmogorov-Smirnov).
fn distance_from_uniform(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let gap = |(k, &value): (usize, &f64)| (value - k as f64 / count).max((k as f64 + 1.0) / count - value);
    sorted.iter().enumerate().map(gap).fold(0.0, f64::max)
}

/// How much narrower the belief is than it should be: the standard deviation of the truth's place in it, which is 1 for
/// an exact posterior.
fn spread(quantiles: &[f64]) -> f64 {
    // Uniform quantiles have variance 1/12; to first order the ratio of the deviations is that of the standard normal.
    let mean = quantiles.iter().sum::<f64>() / quantiles.len() as f64;
    (12.0 * quantiles.iter().map(|q| (q - mean).powi(2)).sum::<f64>() / quantiles.len() as f64).sqrt()
}

#[test]
fn beliefs_are_calibrated() {
    let model = AnswerModel::default();
    let (mut ep_tally, mut incremental_tally) = (Tally::default(), Tally::default());
    for draw_number in 0..DRAWS {
        let mut stream = stream(1_000_000 + draw_number);
        let kernel = smooth_kernel(ITEMS, 1.5, 0.5, &mut stream);
        let utilities = draw(&cholesky(&kernel), &mut stream);
        let observations: Vec<_> =
            (0..ANSWERS).map(|_| judge(&model, 0.0, &utilities, pair(ITEMS, &mut stream), &mut stream)).collect();
        let kernel = Arc::new(Given(kernel));
        let ep = EpParams::default().fit(kernel.clone(), &observations).unwrap();
        ep_tally.add(&ep, &model, &utilities, draw_number);
        let mut incremental = Incremental::dense(kernel).unwrap();
        for observation in &observations {
            incremental.observe(observation).unwrap();
        }
        incremental_tally.add(&incremental, &model, &utilities, draw_number);
    }
    // One in a hundred exact posteriors exceeds this.
    let critical = 1.628 / (DRAWS as f64).sqrt();
    for (name, tally) in [("ep", &ep_tally), ("incremental", &incremental_tally)] {
        let error = tally.calibration_error();
        let (utilities, differences) =
            (distance_from_uniform(&tally.utilities), distance_from_uniform(&tally.differences));
        println!(
            "{name}: calibration error {error:.4} over {} held-out answers; posterior ranks off uniform by {utilities:.3} \
             (utilities, spread {:.3}) and {differences:.3} (differences, spread {:.3}); 1 % level {critical:.3}",
            tally.predictions.len(),
            spread(&tally.utilities),
            spread(&tally.differences),
        );
        assert!(error < 0.02, "{name}: calibration error {error}");
        assert!(utilities < critical && differences < critical, "{name}: posterior ranks are not uniform");
    }
}
