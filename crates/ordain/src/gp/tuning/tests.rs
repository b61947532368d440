use rand::RngExt;
use rand_distr::StandardNormal;

use super::*;
use crate::data::{Answer, Attributes, Items, Outcome};
use crate::gp::AnswerModel;
use crate::kernel::{Kernel, KernelSpec, Shape, build};

/// Items of their own, with a width of 1, and answers about random pairs.
fn problem(items: usize, answers: usize) -> (impl Fn() -> WeightedSum, Vec<Observation>) {
    let ids: Vec<String> = (0..items).map(|item| item.to_string()).collect();
    let all = Items::new(ids, None, Attributes::none(items)).unwrap();
    let kernel = move || build(&[KernelSpec::new(1.0, Shape::Independent)], &all, &[]).unwrap();
    let mut stream = Seed(71).stream(0);
    let utilities: Vec<f64> = (0..items).map(|_| stream.sample(StandardNormal)).collect();
    let model = AnswerModel::new(0.5, 0.0).unwrap();
    let mut answer = || {
        let first = stream.random_range(0..items);
        let second = (first + stream.random_range(1..items)) % items;
        let seen = utilities[first] - utilities[second] + model.lambda() * stream.sample::<f64, _>(StandardNormal);
        let outcome = if seen > 0.0 { Outcome::First } else { Outcome::Second };
        let answer = Answer::new(ItemId(first as u32), Some(ItemId(second as u32)), outcome).unwrap();
        model.observe(&answer).unwrap().next().unwrap()
    };
    (kernel, (0..answers).map(|_| answer()).collect())
}

/// Where some of the answers are climbed from the summit of all, their own maximum is found, in fewer evaluations.
#[test]
fn a_climb_from_another_summit_ends_at_its_own() {
    let (kernel, all) = problem(2400, 1400);
    let params = TuningParams::default().with_restarts(0).with_tolerance(1e-4);
    let (_, summit) = params.tune_from(&mut [Problem::new(kernel(), all.clone())], None).unwrap();
    let summit = summit.unwrap();
    let some = all[..1200].to_vec();
    let mut here = [Problem::new(kernel(), some.clone())];
    let (from_summit, _) = params.tune_from(&mut here, Some(&summit)).unwrap();
    let mut alone = [Problem::new(kernel(), some)];
    let (from_start, _) = params.tune_from(&mut alone, None).unwrap();
    assert!(from_summit.converged && from_start.converged);
    let [found, expected] = [&here, &alone].map(|[problem]| problem.kernel.parameters()[0].value);
    // Both slopes are below the tolerance, and the curvature is hundreds.
    assert!((found / expected).ln().abs() < 1e-5, "{found} {expected}");
    assert!((from_summit.log_posterior - from_start.log_posterior).abs() < 1e-6);
    assert!(from_summit.evaluations < from_start.evaluations, "{}", from_summit.evaluations);
    assert_ne!(summit.space.values(&summit.at)[0], found);
}

/// The curvature that a thousand answers tell, in proportion, beside that of all.
#[test]
fn the_curvature_of_some_answers_stands_for_all() {
    let (kernel, all) = problem(2400, 1400);
    let params = TuningParams::default();
    let mut problems = [Problem::new(kernel(), all)];
    let space = Space::new(&mut problems, &params).unwrap();
    let at = space.start();
    let mut ascent = Ascent::new(&space, &mut problems, params.ep());
    let exact = ascent.curvature_by_differences(&at).unwrap()[(0, 0)];
    ascent.thin(Seed(1));
    assert!(ascent.is_thinned());
    ascent.take_all(&at).unwrap();
    assert!(!ascent.is_thinned());
    let estimate = ascent.into_curvature().unwrap().lower()[(0, 0)].powi(2);
    // Fewer answers share items, so they tell somewhat less each.
    assert!((estimate / exact).ln().abs() < 0.5, "{estimate} {exact}");
}
