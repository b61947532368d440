//! EP and the incremental belief against quadrature, brute force, sampling, and each other.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::sync::Arc;

use common::*;
use ordain::data::ItemId;
use ordain::gp::{AnswerModel, Belief, EpParams, Functional, Incremental, Observation};
use ordain::numeric::Matrix;
use rand::RngExt;

const TIE: f64 = 0.4;

/// One observation of each kind on four items.
fn single_observations() -> Vec<(&'static str, Observation)> {
    let model = AnswerModel::new(0.8, TIE).unwrap();
    let (a, b) = (ItemId(1), ItemId(3));
    vec![
        ("first", model.preferred(a, b)),
        ("second", model.preferred(b, a)),
        ("tie", model.tied(a, b).unwrap()),
        ("good", model.good(a)),
        ("bad", model.bad(b)),
        ("grade", model.graded(a, -0.3, 1.1).unwrap()),
        ("top grade", model.graded(b, 1.7, f64::INFINITY).unwrap()),
    ]
}

/// Covariance of every item with a functional.
fn covariances(kernel: &Matrix, functional: Functional) -> Vec<f64> {
    (0..kernel.rows()).map(|i| functional.of(kernel.column(i))).collect()
}

/// One observation: EP is exact, so mean, variances and evidence must equal quadrature. 1e-10 leaves room for the
/// quadrature's own rounding over 8000 points.
#[test]
fn one_observation_equals_quadrature() {
    let kernel = smooth_kernel(4, 1.3, 0.6, &mut stream(1));
    for (name, observation) in single_observations() {
        let along = covariances(&kernel, observation.functional);
        let variance = observation.functional.of(&along);
        let (mass, mean, left) = tilted(&observation, 0.0, variance);
        let expected_mean: Vec<f64> = along.iter().map(|c| c / variance * mean).collect();
        let expected_variance: Vec<f64> =
            (0..4).map(|i| kernel[(i, i)] - (along[i] / variance).powi(2) * (variance - left)).collect();

        let given = Arc::new(Given(kernel.clone()));
        let ep = EpParams::default().fit(given.clone(), &[observation]).unwrap();
        assert!(distance(ep.mean(), &expected_mean) < 1e-10, "{name}: mean");
        assert!(distance(ep.variances(), &expected_variance) < 1e-10, "{name}: variance");
        assert!((ep.log_evidence() - mass.ln()).abs() < 1e-10, "{name}: evidence");

        let mut incremental = Incremental::dense(given).unwrap();
        incremental.observe(&observation).unwrap();
        assert!(distance(ep.mean(), incremental.mean()) < 1e-12, "{name}: incremental mean");
        assert!(distance(ep.variances(), incremental.variances()) < 1e-12, "{name}: incremental variance");
        assert!((ep.log_evidence() - incremental.log_evidence()).abs() < 1e-12, "{name}: incremental evidence");
    }
}

/// Many observations of all kinds: at EP's fixed point every site's tilted moments, by quadrature, equal the marginals.
#[test]
fn fixed_point_matches_tilted_moments() {
    let mut stream = stream(2);
    let model = AnswerModel::new(0.7, TIE).unwrap();
    for (n, answers) in [(4, 60), (12, 40), (30, 12)] {
        let kernel = smooth_kernel(n, 2.0, 0.5, &mut stream);
        let utilities = draw(&cholesky(&kernel), &mut stream);
        let mut observations: Vec<Observation> =
            (0..answers).map(|_| judge(&model, TIE, &utilities, pair(n, &mut stream), &mut stream)).collect();
        observations.push(model.good(ItemId(0)));
        observations.push(model.bad(ItemId(0)));
        observations.push(model.graded(ItemId(1), -0.5, 0.5).unwrap());
        let ep = EpParams::default().fit(Arc::new(Given(kernel)), &observations).unwrap();
        for ((observation, site), (mean, variance)) in observations.iter().zip(ep.sites()).zip(ep.marginals()) {
            assert!(site.precision >= 0.0);
            let cavity = 1.0 / (1.0 / variance - site.precision);
            let (_, tilted_mean, tilted_variance) =
                tilted(observation, cavity * (mean / variance - site.shift), cavity);
            assert!((mean - tilted_mean).abs() < 1e-8, "{mean} {tilted_mean}");
            assert!((variance - tilted_variance).abs() < 1e-8, "{variance} {tilted_variance}");
        }
    }
}

/// Three items by quadrature on a grid in the whitened utilities.
#[test]
fn three_items_near_brute_force() {
    const POINTS: i32 = 160;
    const REACH: f64 = 6.5;
    for task in 0..4 {
        let (kernel, observations) = problem(3, 12, 1.5, 100 + task);
        let lower = cholesky(&kernel.0);
        let step = 2.0 * REACH / f64::from(POINTS);
        let at = |k: i32| -REACH + step * f64::from(k);
        // Distinct observations with their counts: a likelihood is evaluated once for each.
        let mut distinct: Vec<(Observation, i32)> = Vec::new();
        for observation in &observations {
            match distinct.iter_mut().find(|(other, _)| other == observation) {
                Some((_, count)) => *count += 1,
                None => distinct.push((*observation, 1)),
            }
        }
        let (mut mass, mut first, mut second) = (0.0, [0.0; 3], [0.0; 3]);
        for a in 0..=POINTS {
            for b in 0..=POINTS {
                for c in 0..=POINTS {
                    let z = [at(a), at(b), at(c)];
                    let x: [f64; 3] = std::array::from_fn(|i| (0..=i).map(|k| lower[(i, k)] * z[k]).sum());
                    let mut weight = (-0.5 * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2])).exp();
                    for (observation, count) in &distinct {
                        weight *= likelihood(observation, observation.functional.of(&x)).powi(*count);
                    }
                    mass += weight;
                    for i in 0..3 {
                        first[i] += weight * x[i];
                        second[i] += weight * x[i] * x[i];
                    }
                }
            }
        }
        let log_evidence = (mass * (step / (2.0 * std::f64::consts::PI).sqrt()).powi(3)).ln();
        let mean: Vec<f64> = first.iter().map(|sum| sum / mass).collect();
        let sd: Vec<f64> = (0..3).map(|i| (second[i] / mass - mean[i] * mean[i]).sqrt()).collect();
        report(&format!("n = 3, problem {task}"), kernel, &observations, &mean, &sd, log_evidence);
    }
}

/// Five items by a million importance samples from EP's own posterior, widened so that the weights stay bounded.
#[test]
fn five_items_near_importance_sampling() {
    const SAMPLES: u32 = 1_000_000;
    const WIDER: f64 = 1.3;
    for task in 0..2 {
        let n = 5;
        let (kernel, observations) = problem(n, 20, 1.5, 200 + task);
        let ep = EpParams::default().fit(kernel.clone(), &observations).unwrap();
        let items: Vec<ItemId> = (0..n).map(ItemId::new).collect();
        let (proposal, prior) = (cholesky(&ep.covariance(&items).unwrap()), cholesky(&kernel.0));
        let log_det = |lower: &Matrix| lower.diagonal().iter().map(|pivot| pivot.ln()).sum::<f64>();
        let constant = log_det(&proposal) + n as f64 * WIDER.ln() - log_det(&prior);
        let mut stream = stream(300 + task);
        let (mut mass, mut first, mut second) = (0.0, vec![0.0; n], vec![0.0; n]);
        for _ in 0..SAMPLES {
            let noise: Vec<f64> = (0..n).map(|_| normal(&mut stream)).collect();
            let x: Vec<f64> = (0..n)
                .map(|i| ep.mean()[i] + WIDER * (0..=i).map(|k| proposal[(i, k)] * noise[k]).sum::<f64>())
                .collect();
            // prior(x) / proposal(x), by forward substitution.
            let mut white = vec![0.0; n];
            for i in 0..n {
                let sum: f64 = (0..i).map(|k| prior[(i, k)] * white[k]).sum();
                white[i] = (x[i] - sum) / prior[(i, i)];
            }
            let square = |vector: &[f64]| vector.iter().map(|v| v * v).sum::<f64>();
            let mut weight = (constant - 0.5 * square(&white) + 0.5 * square(&noise)).exp();
            for observation in &observations {
                weight *= likelihood(observation, observation.functional.of(&x));
            }
            mass += weight;
            for i in 0..n {
                first[i] += weight * x[i];
                second[i] += weight * x[i] * x[i];
            }
        }
        let mean: Vec<f64> = first.iter().map(|sum| sum / mass).collect();
        let sd: Vec<f64> = (0..n).map(|i| (second[i] / mass - mean[i] * mean[i]).sqrt()).collect();
        let log_evidence = (mass / f64::from(SAMPLES)).ln();
        report(&format!("n = 5, problem {task}"), kernel, &observations, &mean, &sd, log_evidence);
    }
}

/// Prints how far EP and the incremental belief are from the truth, and holds EP to the bounds.
fn report(name: &str, kernel: Arc<Given>, observations: &[Observation], mean: &[f64], sd: &[f64], log_evidence: f64) {
    let off = |belief: &dyn Belief| {
        let errors = (0..mean.len()).map(|i| (belief.mean()[i] - mean[i]).abs() / sd[i]);
        let spread = (0..mean.len()).map(|i| (belief.variances()[i].sqrt() / sd[i] - 1.0).abs());
        let evidence = (belief.log_evidence() - log_evidence).abs() / observations.len() as f64;
        (errors.fold(0.0, f64::max), spread.fold(0.0, f64::max), evidence)
    };
    let ep = EpParams::default().fit(kernel.clone(), observations).unwrap();
    let mut incremental = Incremental::dense(kernel).unwrap();
    for observation in observations {
        incremental.observe(observation).unwrap();
    }
    for (method, belief) in [("ep", &ep as &dyn Belief), ("incremental", &incremental)] {
        let (mean, sd, evidence) = off(belief);
        println!(
            "{name}, {method}: mean off by {mean:.1e} sd, sd by {sd:.1e}, log evidence by {evidence:.1e} an answer"
        );
    }
    let (mean_error, _, evidence_error) = off(&ep);
    assert!(mean_error < 0.05 && evidence_error < 0.02, "{name}");
}

/// The order of the answers does not matter to EP beyond its tolerance; the names of the items do not either.
#[test]
fn order_and_names_do_not_matter() {
    for (n, answers) in [(15, 120), (40, 25)] {
        let (kernel, observations) = problem(n, answers, 2.0, 400 + n as u64);
        let ep = EpParams::default().fit(kernel.clone(), &observations).unwrap();
        let mut shuffled = observations.clone();
        let mut stream = stream(401);
        for last in (1..shuffled.len()).rev() {
            shuffled.swap(last, stream.random_range(0..=last));
        }
        let other = EpParams::default().fit(kernel.clone(), &shuffled).unwrap();
        assert!(distance(ep.mean(), other.mean()) < 1e-8);
        assert!(distance(ep.variances(), other.variances()) < 1e-8);
        assert!((ep.log_evidence() - other.log_evidence()).abs() < 1e-8);

        // Item i becomes item n - 1 - i.
        let renamed = |item: u32| n as u32 - 1 - item;
        let mirrored = Matrix::from_fn(n, n, |i, j| kernel.0[(n - 1 - i, n - 1 - j)]);
        let mirror = |observation: &Observation| match observation.functional {
            Functional::Item(item) => Observation { functional: Functional::Item(renamed(item)), ..*observation },
            Functional::Difference(i, j) => Observation {
                functional: Functional::Difference(renamed(j), renamed(i)),
                low: -observation.high,
                high: -observation.low,
                ..*observation
            },
            Functional::Beside(i, j, aside) => {
                Observation { functional: Functional::Beside(renamed(i), renamed(j), aside), ..*observation }
            }
            Functional::OnScreen(..) => unreachable!("no answer here is of a screen"),
        };
        let observations: Vec<Observation> = observations.iter().map(mirror).collect();
        let other = EpParams::default().fit(Arc::new(Given(mirrored)), &observations).unwrap();
        let back: Vec<f64> = other.mean().iter().rev().copied().collect();
        assert!(distance(ep.mean(), &back) < 1e-8);
    }
}

/// An observation of an item with so much noise that it says nothing.
fn vague(item: u32, noise: f64) -> Observation {
    let (law, high) = (ordain::gp::NoiseLaw::Normal, f64::INFINITY);
    Observation { functional: Functional::Item(item), low: 0.0, high, noise, law, ..Observation::NOTHING }
}

/// Items that were never compared: fitting them along equals conditioning on the ones that were. The oracle is a fit
/// in which every item is a coordinate, because each was "observed" with noise so large that it says nothing.
#[test]
fn uncompared_items_follow_by_conditioning() {
    let n = 25;
    let (kernel, observations) = problem(n, 9, 1.5, 500);
    let ep = EpParams::default().fit(kernel.clone(), &observations).unwrap();
    let vague = |item| vague(item, 1e9);
    let mut everything = observations.clone();
    everything.extend((0..n as u32).map(vague));
    let whole = EpParams::default().fit(kernel.clone(), &everything).unwrap();
    // What the vague observations say is of the order 1e-9.
    assert!(distance(ep.mean(), whole.mean()) < 1e-7);
    assert!(distance(ep.variances(), whole.variances()) < 1e-7);
    let items: Vec<ItemId> = (0..n).map(ItemId::new).collect();
    let (left, right) = (ep.covariance(&items).unwrap(), whole.covariance(&items).unwrap());
    assert!(distance(left.values(), right.values()) < 1e-7);
    let mut column = vec![0.0; n];
    for (position, &item) in items.iter().enumerate() {
        ep.column(item, &mut column).unwrap();
        assert!(distance(&column, left.column(position)) < 1e-12);
        assert!((column[position] - ep.variances()[position]).abs() < 1e-12);
    }
}

/// Coordinates of every kind at once (single items, differences, a cycle of differences that makes the prior over them
/// singular, repeated functionals, ties and grades), against the fit in which every item is a coordinate.
#[test]
fn mixed_coordinates_equal_items() {
    let n = 14;
    let kernel = Arc::new(Given(smooth_kernel(n, 1.5, 0.5, &mut stream(510))));
    let model = AnswerModel::new(0.6, TIE).unwrap();
    let [a, b, c, d, e] = [0, 1, 4, 5, 6].map(ItemId);
    let mut observations = vec![model.preferred(a, b); 3];
    observations.extend([model.tied(a, b).unwrap(), model.tied(a, b).unwrap(), model.good(a), model.good(a)]);
    observations.extend([model.graded(c, -0.2, 0.9).unwrap(), model.bad(c)]);
    observations.extend([model.preferred(d, e), model.preferred(e, ItemId(7)), model.preferred(ItemId(7), d)]);
    observations.extend([model.tied(ItemId(8), ItemId(9)).unwrap(), model.preferred(ItemId(11), ItemId(10))]);
    let ep = EpParams::default().fit(kernel.clone(), &observations).unwrap();
    let vague = |item| vague(item, 1e9);
    let mut everything = observations.clone();
    everything.extend((0..n as u32).map(vague));
    let whole = EpParams::default().fit(kernel, &everything).unwrap();
    // What the vague observations say is of the order 1e-9; each has probability one half.
    assert!(distance(ep.mean(), whole.mean()) < 1e-7);
    assert!(distance(ep.variances(), whole.variances()) < 1e-7);
    let items: Vec<ItemId> = (0..n).rev().map(ItemId::new).collect();
    let (left, right) = (ep.covariance(&items).unwrap(), whole.covariance(&items).unwrap());
    assert!(distance(left.values(), right.values()) < 1e-7);
    let mut column = vec![0.0; n];
    for (position, &item) in items.iter().enumerate() {
        ep.column(item, &mut column).unwrap();
        column.reverse();
        assert!(distance(&column, left.column(position)) < 1e-12);
    }
    assert!((whole.log_evidence() - n as f64 * 0.5_f64.ln() - ep.log_evidence()).abs() < 1e-7);
}

/// The same under a kernel so smooth that its matrix is singular to rounding: nothing may be divided by it.
#[test]
fn uncompared_items_under_a_smooth_kernel() {
    let (n, compared) = (200, 60);
    let kernel = Arc::new(Given(Matrix::from_fn(n, n, |i, j| {
        let distance = 3.0 * (i as f64 - j as f64) / n as f64;
        (-0.5 * distance * distance).exp()
    })));
    let model = AnswerModel::default();
    let mut stream = stream(501);
    let mut observations: Vec<Observation> = (0..300)
        .map(|_| {
            let (i, j) = pair(compared, &mut stream);
            model.preferred(i, j)
        })
        .collect();
    let ep = EpParams::default().fit(kernel.clone(), &observations).unwrap();
    let vague = |item| vague(item, 1e12);
    observations.extend((0..n as u32).map(vague));
    let whole = EpParams::default().fit(kernel, &observations).unwrap();
    let items: Vec<ItemId> = (0..n).map(ItemId::new).collect();
    let (left, right) = (ep.covariance(&items).unwrap(), whole.covariance(&items).unwrap());
    // 200 observations with noise 1e12 say about 1e-10 of the mean; EP stops within 1e-9.
    assert!(distance(ep.mean(), whole.mean()) < 2e-9);
    assert!(distance(left.values(), right.values()) < 2e-9);
}

/// The two forms of the incremental covariance are the same numbers.
#[test]
fn dense_equals_directions() {
    let n = 40;
    let (kernel, observations) = problem(n, 300, 2.0, 600);
    let mut dense = Incremental::dense(kernel.clone()).unwrap();
    let mut directions = Incremental::lazy(kernel).unwrap();
    for observation in &observations {
        dense.observe(observation).unwrap();
        directions.observe(observation).unwrap();
    }
    // Rounding over 300 steps.
    assert!(distance(dense.mean(), directions.mean()) < 1e-11);
    assert!(distance(dense.variances(), directions.variances()) < 1e-11);
    let (mut left, mut right) = (vec![0.0; n], vec![0.0; n]);
    dense.column(ItemId(3), &mut left).unwrap();
    directions.column(ItemId(3), &mut right).unwrap();
    assert!(distance(&left, &right) < 1e-11);
}

/// Identical twins, contradictory and very many repeated answers, strong priors: all ordinary.
#[test]
fn hard_cases_converge() {
    let model = AnswerModel::default();
    let (a, b, c) = (ItemId(0), ItemId(1), ItemId(2));
    // a and b are the same thing: the prior is singular, and their order cannot be learned.
    let twins = Matrix::from_fn(3, 3, |i, j| if i == j || i + j == 1 { 1.0 } else { 0.0 });
    let answers = vec![model.preferred(a, b), model.preferred(a, c), model.preferred(c, b), model.preferred(b, c)];
    let ep = EpParams::default().fit(Arc::new(Given(twins)), &answers).unwrap();
    assert!((ep.mean()[0] - ep.mean()[1]).abs() < 1e-12);

    // The same question a thousand times, three in ten the other way; a prior a hundred times wider than the noise.
    let wide = Matrix::from_fn(3, 3, |i, j| if i == j { 1e4 } else { 0.0 });
    let answers: Vec<Observation> =
        (0..1000).map(|k| if k % 10 < 3 { model.preferred(b, a) } else { model.preferred(a, b) }).collect();
    let ep = EpParams::default().fit(Arc::new(Given(wide.clone())), &answers).unwrap();
    // The maximum of the likelihood, Phi(x) = 0.7, at x = 0.5244; its standard error is about 0.04.
    assert!((ep.mean()[0] - ep.mean()[1] - 0.5244).abs() < 0.01, "{}", ep.mean()[0] - ep.mean()[1]);

    // Everybody agrees: nothing but the prior holds the items back.
    let answers = vec![model.preferred(a, b); 500];
    let ep = EpParams::default().fit(Arc::new(Given(wide)), &answers).unwrap();
    assert!(ep.mean()[0] > 1.0 && ep.mean().iter().all(|mean| mean.is_finite()));

    // No answers at all: the prior.
    let (kernel, _) = problem(6, 0, 1.0, 700);
    let ep = EpParams::default().fit(kernel.clone(), &[]).unwrap();
    assert_eq!(ep.mean(), [0.0; 6]);
    assert_eq!(ep.variances(), kernel.0.diagonal());
    assert_eq!(ep.log_evidence(), 0.0);
}

/// Same bits for one thread and for two.
#[test]
fn threads_do_not_change_bits() {
    let (kernel, observations) = problem(260, 700, 2.0, 800);
    let fit = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| EpParams::default().fit(kernel.clone(), &observations).unwrap())
    };
    let (one, two) = (fit(1), fit(2));
    assert_eq!(one.mean(), two.mean());
    assert_eq!(one.variances(), two.variances());
    assert_eq!(one.log_evidence(), two.log_evidence());
}
