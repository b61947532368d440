//! Draws that follow sharp answers: with the joint covariance and without it, they are of one law.

use std::sync::Arc;

use super::*;
use crate::data::{Attributes, Items};
use crate::gp::{AnswerModel, EpParams};
use crate::kernel::{Form, KernelSpec, Over, Rho, Shape, build};

/// The share of draws in which each item is above each other one, and the means of the utilities.
fn seen(draws: &Draws, count: usize) -> (Vec<f64>, Vec<f64>) {
    let all = match draws.laws[0].1.source {
        Source::Root(_) => draws.each(Seed(5), 0, &Watch::NONE, |drawn, _, _| drawn.to_vec()).unwrap(),
        Source::Paths(_) => draws.each_along_paths(Seed(5), 0, &Watch::NONE, |drawn, _, _| drawn.to_vec()).unwrap().0,
    };
    assert_eq!(all.len(), count);
    let n = all[0].len();
    let share =
        |one: usize, other: usize| all.iter().filter(|drawn| drawn[one] > drawn[other]).count() as f64 / count as f64;
    let above =
        (0..n).flat_map(|one| (0..n).map(move |other| (one, other))).map(|(one, other)| share(one, other)).collect();
    let mean = |item: usize| all.iter().map(|drawn| drawn[item]).sum::<f64>() / count as f64;
    (above, (0..n).map(mean).collect())
}

#[test]
fn sharp_answers_are_followed_without_the_joint_covariance() {
    let n = 9;
    let values: Vec<f64> = (0..n).map(|item| item as f64 * 0.7).collect();
    let attributes = Attributes::new(vec!["x".into()], n, values).unwrap();
    let items = Items::new((0..n).map(|item| item.to_string()).collect(), None, attributes).unwrap();
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(0.6) };
    let kernels = [
        KernelSpec::new(3.0, Shape::Vector { form, over: Over::Attributes }),
        KernelSpec::new(2.0, Shape::Independent),
    ];
    let kernel = Arc::new(build(&kernels, &items, &[]).unwrap());
    // Noise a thirtieth of the prior's deviation: the posterior is far from the Gaussian.
    let model = AnswerModel::new(0.1, 0.3).unwrap();
    let item = ItemId::new;
    let mut observations: Vec<_> = [(0, 3), (3, 5), (7, 3), (8, 7), (2, 8), (4, 6)]
        .map(|(winner, loser)| model.preferred(item(winner), item(loser)))
        .into();
    observations.push(model.tied(item(1), item(2)).unwrap());
    let belief = EpParams::default().fit(kernel, &observations).unwrap();
    let all: Vec<ItemId> = items.iter().collect();
    const COUNT: usize = 40_000;
    let by_root = Draws::prepared(&belief, &all, [COUNT, 64], |judge| judge.weight, n).unwrap();
    let by_paths = Draws::prepared(&belief, &all, [COUNT, 64], |judge| judge.weight, 1).unwrap();
    assert!(matches!(by_root.laws[0].1.source, Source::Root(_)) && !by_root.laws[0].1.observed.is_empty());
    assert!(matches!(by_paths.laws[0].1.source, Source::Paths(_)) && !by_paths.laws[0].1.observed.is_empty());
    let ((above, means), (others, other_means)) = (seen(&by_root, COUNT), seen(&by_paths, COUNT));
    // Chains are worth at least a tenth of their draws here: five standard errors of shares and of means of deviation 3.5.
    let error = 5.0 * (2.0 / (0.1 * COUNT as f64)).sqrt();
    for (one, other) in above.iter().zip(&others) {
        assert!((one - other).abs() < 0.5 * error, "{one} {other}");
    }
    for (one, other) in means.iter().zip(&other_means) {
        assert!((one - other).abs() < 3.5 * error, "{one} {other}");
    }
    // The belief's own Gaussian is of another law, or this test could not fail.
    let gaussian = belief.mean();
    let covariance = belief.covariance(&all).unwrap();
    let far = (0..n).flat_map(|one| (0..n).map(move |other| (one, other))).filter(|(one, other)| one != other);
    let far = far.map(|(one, other)| {
        let variance = covariance[(one, one)] + covariance[(other, other)] - 2.0 * covariance[(one, other)];
        let expected = crate::numeric::normal::cdf((gaussian[one] - gaussian[other]) / variance.sqrt());
        (expected - above[one * n + other]).abs()
    });
    assert!(far.fold(0.0, f64::max) > 0.5 * error);
}

/// A belief that was found loosely is not refused for it.
#[test]
fn a_loose_fixed_point_of_a_wide_prior_is_a_belief() {
    let n = 30;
    let values: Vec<f64> = (0..n).map(|item| item as f64 / n as f64).collect();
    let attributes = Attributes::new(vec!["x".into()], n, values).unwrap();
    let items = Items::new((0..n).map(|item| item.to_string()).collect(), None, attributes).unwrap();
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(2.0) };
    let kernels = [
        KernelSpec::new(3000.0, Shape::Vector { form, over: Over::Attributes }),
        KernelSpec::new(1000.0, Shape::Independent),
    ];
    let kernel = Arc::new(build(&kernels, &items, &[]).unwrap());
    let model = AnswerModel::default();
    let answers: Vec<_> =
        (0..600).map(|at| (at * 7 % n, (at * 11 + 1 + at / n) % n)).filter(|(one, other)| one != other).collect();
    let observations: Vec<_> = answers
        .iter()
        .map(|&(one, other)| model.preferred(ItemId::new(one.min(other)), ItemId::new(one.max(other))))
        .collect();
    let exact = EpParams::default().fit(kernel.clone(), &observations).unwrap();
    let loose = EpParams::default().with_tolerance(1e-3).fit(kernel, &observations).unwrap();
    let unit = exact.mean().iter().fold(0.0, |most: f64, mean| most.max(mean.abs()));
    for (one, other) in exact.mean().iter().zip(loose.mean()) {
        assert!((one - other).abs() < 0.02 * unit, "{one} {other}");
    }
}
