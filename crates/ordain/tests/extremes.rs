//! Settings and answers at the edge of what numbers can hold: an answer or an error, never a panic and never a NaN.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::*;
use ordain::data::ItemId;
use ordain::gp::{AnswerModel, Belief, EpParams, Incremental, predict};
use ordain::numeric::Matrix;
use rand::RngExt;

/// Independent items with this prior standard deviation.
fn independent(n: usize, scale: f64) -> Arc<Given> {
    Arc::new(Given(Matrix::from_fn(n, n, |i, j| if i == j { scale * scale } else { 0.0 })))
}

#[test]
fn settings_out_of_range_are_refused() {
    for noise in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200, 1e200] {
        assert!(AnswerModel::new(noise, 0.0).is_err(), "{noise}");
    }
    for tie_width in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(AnswerModel::new(1.0, tie_width).is_err(), "{tie_width}");
    }
    let model = AnswerModel::default();
    for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::NAN)] {
        assert!(model.graded(ItemId(0), low, high).is_err(), "{low} {high}");
    }
}

/// A tie so narrow that both of its ends round to the same number beside the mean.
#[test]
fn narrow_ties_far_out() {
    let model = AnswerModel::new(0.5, 1e-18).unwrap();
    let (a, b) = (ItemId(0), ItemId(1));
    let observations = [model.preferred(a, b), model.preferred(a, b), model.tied(a, b).unwrap()];
    let ep = EpParams::default().fit(independent(2, 1.0), &observations).unwrap();
    let prediction = predict(&ep, &model, a, b).unwrap();
    assert!(prediction.probability > 0.5 && prediction.tie > 0.0 && prediction.tie < 2e-18, "{prediction:?}");
    let mut incremental = Incremental::dense(independent(2, 1.0)).unwrap();
    observations.iter().for_each(|observation| incremental.observe(observation).unwrap());
    assert!(incremental.log_evidence().is_finite());
}

/// A prior a hundred million times wider than the noise: after a tie next to nothing of the variance is left, which
/// must not round to less than nothing.
#[test]
fn a_tie_under_a_wide_prior() {
    let model = AnswerModel::new(1e-3, 1e-3).unwrap();
    let tie = model.tied(ItemId(0), ItemId(1)).unwrap();
    let ep = EpParams::default().fit(independent(2, 1e5), &[tie]).unwrap();
    let (mean, variance) = ep.marginals().next().unwrap();
    // Of a flat prior the noise and the interval are left: 2 sigma² + (2 eps)² / 12.
    assert!(mean.abs() < 1e-12 && (variance / (2e-6 + 1e-6 / 3.0) - 1.0).abs() < 1e-9, "{mean} {variance}");
}

/// Contradictions under a prior so wide that its rounding is larger than the noise: an error, and the belief stays.
#[test]
fn rounding_larger_than_the_noise_is_an_error() {
    let model = AnswerModel::new(1e-4, 0.0).unwrap();
    let kernel = Arc::new(Given(smooth_kernel(5, 1e7, 0.0, &mut stream(1))));
    let mut belief = Incremental::dense(kernel).unwrap();
    let mut stream = stream(2);
    let failed = (0..500).any(|_| {
        let (winner, loser) = pair(5, &mut stream);
        let before = (belief.mean().to_vec(), belief.variances().to_vec(), belief.log_evidence());
        let result = belief.observe(&model.preferred(winner, loser));
        let after = (belief.mean().to_vec(), belief.variances().to_vec(), belief.log_evidence());
        assert!(after.2.is_finite() && (result.is_ok() || before == after));
        result.is_err()
    });
    assert!(failed);
}

/// A prior ten thousand times wider than the noise, and an item that was never judged but is the twin of one that was:
/// what is known of one is known of the other.
#[test]
fn twins_are_known_alike_under_a_wide_prior() {
    const WIDE: f64 = 1e4;
    let model = AnswerModel::new(0.5, 0.0).unwrap();
    let grade = model.graded(ItemId(0), 0.9 * WIDE - 1.0, 0.9 * WIDE + 1.0).unwrap();
    let kernel = Arc::new(Given(Matrix::from_fn(2, 2, |_, _| WIDE * WIDE)));
    let ep = EpParams::default().fit(kernel, &[grade; 300]).unwrap();
    let (mean, variance) = ep.marginals().next().unwrap();
    for item in 0..2 {
        // The prior is known to 1e-16 of 1e8, the noise is about 1, and 300 grades divide it by as many.
        assert!((ep.mean()[item] - mean).abs() < 1e-6 * variance.sqrt(), "{} {mean}", ep.mean()[item]);
        assert!((ep.variances()[item] / variance - 1.0).abs() < 1e-4, "{} {variance}", ep.variances()[item]);
    }
}

/// Hundreds of judges who agree: updating all sites together overshoots, and small steps would take hundreds of
/// iterations.
#[test]
fn unanimous_judges_take_few_iterations() {
    let model = AnswerModel::new(0.2, 0.0).unwrap();
    for (n, scale, most) in [(2, 1.0, 40), (3, 5.0, 60), (5, 20.0, 80)] {
        let mut stream = stream(n as u64);
        let answers: Vec<_> = (0..600)
            .map(|_| {
                let (i, j) = pair(n, &mut stream);
                model.preferred(i.min(j), i.max(j))
            })
            .collect();
        let ep = EpParams::default().fit(independent(n, scale), &answers).unwrap();
        assert!(ep.iterations() <= most, "{n} {scale}: {}", ep.iterations());
        assert!(ep.mean().windows(2).all(|pair| pair[0] > pair[1]));
    }
}

/// A kernel whose values overflow is an error, not a belief made of NaN.
#[test]
fn infinite_priors_are_errors() {
    let answers = [AnswerModel::default().preferred(ItemId(0), ItemId(1))];
    for value in [f64::INFINITY, f64::NAN] {
        let kernel = Arc::new(Given(Matrix::from_fn(2, 2, |i, j| if i == j { value } else { 0.0 })));
        assert!(EpParams::default().fit(kernel.clone(), &answers).is_err());
        assert!(Incremental::dense(kernel).unwrap().observe(&answers[0]).is_err());
    }
}

/// A prior far wider than the noise, and items that were never judged: an answer or an error.
#[test]
fn uncompared_items_under_a_very_wide_prior() {
    for (scale, noise) in [(1e5, 1.0), (1e8, 1.0), (1e9, 1e-3), (1e12, 1e-6), (1e100, 1.0), (1e150, 1e-3)] {
        let model = AnswerModel::new(noise, 0.0).unwrap();
        let kernel = Arc::new(Given(smooth_kernel(12, scale, 0.1 * scale, &mut stream(3))));
        let mut stream = stream(4);
        let answers: Vec<_> = (0..60)
            .map(|_| {
                let (winner, loser) = pair(6, &mut stream);
                model.preferred(winner, loser)
            })
            .collect();
        if let Ok(ep) = EpParams::default().fit(kernel, &answers) {
            assert!(ep.mean().iter().chain(ep.variances()).all(|value| value.is_finite()), "{scale} {noise}");
        }
    }
}

/// Hundreds of random problems of every shape, with scales and noises within a factor of ten of 1: EP finds its fixed
/// point in all of them.
#[test]
fn random_problems_converge() {
    for run in 0..400 {
        let stream = &mut stream(10_000 + run);
        let n = [1, 2, 3, 5, 12, 40][stream.random_range(0..6)];
        let scale = 10_f64.powf(stream.random_range(-1.0..1.0));
        let noise = 10_f64.powf(stream.random_range(-0.75..0.75));
        let kernel = match run % 4 {
            0 => smooth_kernel(n, scale, 0.3 * scale, stream),
            1 => smooth_kernel(n, scale, 0.0, stream),
            2 => Matrix::from_fn(n, n, |i, j| if i / 2 == j / 2 { scale * scale } else { 0.0 }),
            _ => {
                let attribute: Vec<f64> = (0..n).map(|_| normal(stream)).collect();
                Matrix::from_fn(n, n, |i, j| scale * scale * attribute[i] * attribute[j])
            }
        };
        let model = AnswerModel::new(noise, 0.2 * noise).unwrap();
        let count = [1, 3, 20, 150, 600][stream.random_range(0..5)];
        let agreed = stream.random_bool(0.5);
        let answers: Vec<_> = (0..count)
            .map(|_| {
                if n == 1 || stream.random_bool(0.2) {
                    let item = ItemId::new(stream.random_range(0..n));
                    return if stream.random_bool(0.5) { model.good(item) } else { model.bad(item) };
                }
                let (i, j) = pair(n, stream);
                match stream.random_range(0..5) {
                    0 => model.tied(i, j).unwrap(),
                    _ if agreed => model.preferred(i.min(j), i.max(j)),
                    _ => model.preferred(i, j),
                }
            })
            .collect();
        let ep = EpParams::default().fit(Arc::new(Given(kernel)), &answers).unwrap();
        assert!(ep.mean().iter().chain(ep.variances()).all(|value| value.is_finite()), "run {run}");
    }
}
