//! Settings and answers at the edge of what numbers can hold: an answer or an error, never a panic and never a NaN.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::*;
use ordain::data::{ItemId, Items};
use ordain::gp::{AnswerModel, Belief, EpParams, Incremental, Observation, RankingParams, predict, rank};
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

/// Observations made by hand that cannot be: an error, whoever learns them.
#[test]
fn observations_that_cannot_be_are_refused() {
    let sound = AnswerModel::default().preferred(ItemId(0), ItemId(1));
    let nowhere = AnswerModel::default().preferred(ItemId(0), ItemId(7));
    let wrong = [
        nowhere,
        Observation { high: sound.low - 1.0, ..sound },
        Observation { low: f64::INFINITY, ..sound },
        Observation { low: f64::NAN, ..sound },
        Observation { noise: 0.0, ..sound },
        Observation { noise: f64::NAN, ..sound },
        Observation { noise: f64::INFINITY, ..sound },
    ];
    for observation in wrong {
        assert!(EpParams::default().fit(independent(2, 1.0), &[sound, observation]).is_err(), "{observation:?}");
        let mut steps = Incremental::new(independent(2, 1.0), 1).unwrap();
        assert!(steps.observe(&observation).is_err(), "{observation:?}");
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

/// Steps under a prior of any width: they stay where the prior lets them be, or an error says that they are lost.
#[test]
fn steps_under_a_very_wide_prior() {
    for scale in [1.0, 1e5, 1e8, 1e12, 1e50, 1e75] {
        let model = AnswerModel::new(0.7, 1.0).unwrap();
        let points: Vec<f64> = {
            let mut stream = stream(3);
            (0..20).map(|_| scale * normal(&mut stream)).collect()
        };
        let linear = Matrix::from_fn(20, 20, |i, j| points[i] * points[j]);
        for kernel in [linear, smooth_kernel(20, scale, 0.1 * scale, &mut stream(5))] {
            let mut belief = Incremental::dense(Arc::new(Given(kernel))).unwrap();
            let mut stream = stream(4);
            for _ in 0..200 {
                let (first, second) = pair(20, &mut stream);
                let tied = stream.random_bool(0.1);
                let said = if tied { model.tied(first, second).unwrap() } else { model.preferred(first, second) };
                if belief.observe(&said).is_err() {
                    break;
                }
                let farthest = belief.mean().iter().fold(0.0, |most: f64, mean| most.max(mean.abs()));
                assert!(farthest < 100.0 * scale, "{scale:e}: {farthest:e}");
            }
        }
    }
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

/// A kernel whose values or their products overflow is an error, not a belief made of NaN.
#[test]
fn infinite_priors_are_errors() {
    let answers = [AnswerModel::default().preferred(ItemId(0), ItemId(1))];
    for value in [f64::INFINITY, f64::NAN, 1e160] {
        let kernel = Arc::new(Given(Matrix::from_fn(2, 2, |i, j| if i == j { value } else { 0.0 })));
        assert!(EpParams::default().fit(kernel.clone(), &answers).is_err());
        assert!(EpParams::default().fit(kernel.clone(), &[]).is_err());
        assert!(Incremental::dense(kernel.clone()).is_err() && Incremental::lazy(kernel).is_err());
    }
}

/// Answers whose probability has no logarithm, since nearly everything should be a tie: a finite evidence or an error.
#[test]
fn impossible_answers_are_errors() {
    let mut said = Vec::new();
    for (noise, width) in [(1.0, 1e100), (1.0, 1e155), (1e-6, 1e100), (1e-6, 1e149), (1e-6, 1e300)] {
        let model = AnswerModel::new(noise, width).unwrap();
        let (tie, first) = (model.tied(ItemId(0), ItemId(1)).unwrap(), model.preferred(ItemId(0), ItemId(1)));
        for scale in [1.0, 1e6, 1e12] {
            for count in [1, 300] {
                let answers: Vec<Observation> = std::iter::once(tie).chain(vec![first; count]).collect();
                let mut steps = Incremental::dense(independent(2, scale)).unwrap();
                let stepped = answers.iter().try_for_each(|answer| steps.observe(answer));
                assert!(steps.log_evidence().is_finite(), "{noise} {width} {scale} {count}");
                said.extend(stepped.err());
                match EpParams::default().fit(independent(2, scale), &answers) {
                    Ok(ep) => assert!(ep.log_evidence().is_finite(), "{noise} {width} {scale} {count}"),
                    Err(error) => said.push(error),
                }
            }
        }
    }
    assert!(said.iter().any(|error| error.to_string().contains("a smaller tie_width")), "{said:?}");
}

/// A prior far wider than the noise, and items that were never judged: an answer or an error.
#[test]
fn uncompared_items_under_a_very_wide_prior() {
    for (scale, noise) in [(1e5, 1.0), (1e8, 1.0), (1e9, 1e-3), (1e12, 1e-6), (1e50, 1.0), (1e75, 1e-3)] {
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

/// A prior without variance, for all items or for some: what has none stays at the prior mean, and the others do what
/// they do without it.
#[test]
fn a_prior_without_variance() {
    let model = AnswerModel::new(0.5, 0.1).unwrap();
    for with_variance in [0, 1, 3] {
        let own = |i: usize| if i < with_variance { 1.0 + i as f64 } else { 0.0 };
        let kernel = Arc::new(Given(Matrix::from_fn(5, 5, |i, j| if i == j { own(i) } else { 0.0 })));
        let mut answers = vec![model.good(ItemId(0)), model.bad(ItemId(4)), model.tied(ItemId(1), ItemId(4)).unwrap()];
        let pairs = (0..5).flat_map(|i| (0..i).map(move |j| (ItemId::new(j), ItemId::new(i))));
        answers.extend(pairs.map(|(winner, loser)| model.preferred(winner, loser)));
        let ep = EpParams::default().fit(kernel.clone(), &answers).unwrap();
        let mut beliefs: Vec<Box<dyn Belief>> = vec![Box::new(ep)];
        for incremental in [Incremental::dense(kernel.clone()), Incremental::lazy(kernel.clone())] {
            let mut incremental = incremental.unwrap();
            answers.iter().for_each(|answer| incremental.observe(answer).unwrap());
            beliefs.push(Box::new(incremental));
        }
        let all: Vec<ItemId> = (0..5).map(ItemId).collect();
        for belief in &beliefs {
            let covariance = belief.covariance(&all).unwrap();
            for item in 0..5 {
                let (mean, variance) = (belief.mean()[item], belief.variances()[item]);
                assert_eq!(variance > 0.0 && mean != 0.0, item < with_variance, "{item}: {mean} {variance}");
                assert!((covariance[(item, item)] - variance).abs() <= 1e-12);
            }
            assert!(belief.log_evidence().is_finite());
            let ranked =
                rank(belief.as_ref(), &Items::from_ids(["a", "b", "c", "d", "e"]).unwrap(), &RankingParams::default());
            // Items without variance are in no order, so each may stand at any of their places.
            let last = ranked.unwrap().into_iter().find(|ranked| ranked.item == ItemId(4)).unwrap();
            assert!(last.rank_high >= 5 && last.rank_low <= with_variance + 1, "{last:?}");
        }
        // Without any variance the evidence is the chance of answers about equal items.
        if with_variance == 0 {
            let expected: f64 = answers.iter().map(|answer| answer.log_mass(0.0, 0.0)).sum();
            beliefs.iter().for_each(|belief| assert!((belief.log_evidence() - expected).abs() < 1e-12));
        }
    }
}

/// Twins far from 0 whose judges contradict each other with little noise: their difference is known to the rounding of
/// their means, which is not small beside the noise. Nothing is learned of it.
#[test]
fn sharp_contradictions_about_twins_far_from_zero() {
    let model = AnswerModel::new(4e-6, 0.0).unwrap();
    let kernel = Arc::new(Given(Matrix::from_fn(8, 8, |_, _| 2.0)));
    for seed in 0..20 {
        let mut stream = stream(seed);
        let pairs = (0..30).map(|_| pair(8, &mut stream));
        let mut answers: Vec<_> = pairs.map(|(winner, loser)| model.preferred(winner, loser)).collect();
        answers.extend([model.good(ItemId(2)), model.good(ItemId(5))]);
        let ep = EpParams::default().fit(kernel.clone(), &answers).unwrap();
        assert!(ep.mean().iter().all(|mean| (mean - ep.mean()[0]).abs() < 1e-14 && *mean > 1.0), "{:?}", ep.mean());
    }
}

/// Thousands of judges of one pair with next to no noise, agreed or not: EP finds its fixed point. There, the prior and
/// all sites make the marginal, and replacing any site by its answer leaves the marginal's moments, by quadrature.
#[test]
fn thousands_of_sharp_answers_on_one_pair() {
    for (count, wrong_every, scale, noise) in
        [(10_000, usize::MAX, 1.0, 1e-9), (1000, 10, 1e-6, 1e-9), (500, 2, 1.0, 1e-6), (300, 7, 1e3, 1e-3)]
    {
        let model = AnswerModel::new(noise, 0.0).unwrap();
        let (a, b) = (ItemId(0), ItemId(1));
        let agrees = |at: usize| !(at + 1).is_multiple_of(wrong_every);
        let answer = |at: usize| if agrees(at) { model.preferred(a, b) } else { model.preferred(b, a) };
        let answers: Vec<_> = (0..count).map(answer).collect();
        let ep = EpParams::default().fit(independent(2, scale), &answers).unwrap();
        let (mean, variance) = ep.marginals().next().unwrap();
        let precision: f64 = 0.5 / (scale * scale) + ep.sites().iter().map(|site| site.precision).sum::<f64>();
        let shift: f64 = ep.sites().iter().map(|site| site.shift).sum();
        // Rounding is 2e-16 of the precision that the answers add to the prior's, as said where EP stops.
        let near = 1e-8 + 1e-15 * 2.0 * scale * scale / variance;
        assert!((variance * precision - 1.0).abs() < near, "{count}: {variance} {precision}");
        assert!((mean - shift / precision).abs() < near * variance.sqrt(), "{count}: {mean}");
        for at in [0, 1, count / 2, count - 2, count - 1] {
            let site = ep.sites()[at];
            let left = 1.0 - variance * site.precision;
            let cavity = ((mean - variance * site.shift) / left, variance / left);
            let (tilted_mean, tilted_variance) = after(agrees(at), cavity, 2.0 * noise * noise);
            assert!((tilted_mean - mean).abs() < near * variance.sqrt(), "{count}, {at}: {tilted_mean} {mean}");
            assert!((tilted_variance / variance - 1.0).abs() < near, "{count}, {at}: {tilted_variance} {variance}");
        }
    }
}

/// Mean and variance of a Gaussian after x plus noise was seen above 0, or below. The noisy value is a Gaussian cut at
/// 0, integrated by Simpson's rule; x follows from it by regression.
fn after(above: bool, (mean, variance): (f64, f64), noise: f64) -> (f64, f64) {
    const STEPS: usize = 20_000;
    let sign = if above { 1.0 } else { -1.0 };
    let (mean, sd) = (sign * mean, (variance + noise).sqrt());
    let middle = mean / sd;
    let from = (middle - 12.0).max(0.0);
    // Where the density has fallen by e⁻⁷² from its largest value beyond 0, without cancellation.
    let reach = if middle < 0.0 { 144.0 / ((middle * middle + 144.0).sqrt() - middle) } else { middle + 12.0 - from };
    let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
    for step in 0..=STEPS {
        let y = from + reach * step as f64 / STEPS as f64;
        let ends = if step == 0 || step == STEPS { 1.0 } else { 2.0 + 2.0 * (step % 2) as f64 };
        let top = middle.max(0.0);
        let density = ends * (-0.5 * (y - top) * (y + top - 2.0 * middle)).exp();
        mass += density;
        first += density * y;
        second += density * y * y;
    }
    let (seen, spread) = (first / mass, second / mass - (first / mass).powi(2));
    let share = variance / (sd * sd);
    (sign * (mean + share * (seen * sd - mean)), share * noise + share * variance * spread)
}
