//! Hyperparameters: gradients against differences, two methods to one optimum, and parameters found again.
#![allow(clippy::unwrap_used)]

mod common;
#[allow(dead_code)]
#[path = "kernels/tools.rs"]
mod tools;

use std::sync::{Arc, Mutex};

use common::{cholesky, draw, judge, normal, pair, stream};
use ordain::data::{Attributes, ItemId, Items, Relation};
use ordain::gp::{AnswerModel, Belief, EpParams, Observation, Problem, TuningMethod, TuningParams};
use ordain::kernel::{Form, Kernel, KernelSpec, Over, RelationSpec, Rho, Role, Shape, WeightedSum, build};
use ordain::numeric::{Matrix, Seed};
use ordain::{Error, Watch};
use tools::{kernel_of, random_links, relations, shapes, sum_of_all};

/// Answers, ties and single judgements on n items.
fn observations(n: usize, count: usize, task: u64) -> Vec<Observation> {
    let mut stream = stream(task);
    let model = AnswerModel::new(0.6, 0.2).unwrap();
    let utilities: Vec<f64> = (0..n).map(|_| normal(&mut stream)).collect();
    let mut out: Vec<Observation> =
        (0..count).map(|_| judge(&model, 0.2, &utilities, pair(n, &mut stream), &mut stream)).collect();
    out.extend([model.good(ItemId::new(0)), model.bad(ItemId::new(n - 1))]);
    out
}

/// The slope of EP's log evidence by central differences, Richardson's step and half of it: the error is of the fourth
/// order in a step of 1e-3, some 1e-11, and EP's own, stopped at 1e-9 in the sites, counts with its square.
fn slope(kernel: &mut dyn FnMut(f64) -> f64, at: f64) -> f64 {
    let mut central = |step: f64| (kernel(at * (1.0 + step)) - kernel(at * (1.0 - step))) / (2.0 * at * step);
    let (wide, narrow) = (central(2e-3), central(1e-3));
    (4.0 * narrow - wide) / 3.0
}

#[track_caller]
fn check_gradient(make: &dyn Fn() -> WeightedSum, observations: &[Observation], what: &str) {
    let fit = |kernel: WeightedSum| EpParams::default().fit(Arc::new(kernel), observations).unwrap();
    let found = fit(make()).evidence_gradient().unwrap();
    let parameters = make().parameters();
    assert_eq!(found.len(), parameters.len(), "{what}");
    let values: Vec<f64> = parameters.iter().map(|parameter| parameter.value).collect();
    for (number, parameter) in parameters.iter().enumerate() {
        let mut evidence = |value: f64| {
            let mut moved = values.clone();
            moved[number] = value;
            let mut kernel = make();
            kernel.set_parameters(&moved).unwrap();
            fit(kernel).log_evidence()
        };
        let expected = slope(&mut evidence, parameter.value);
        let found = found[number];
        let tolerance = 1e-7 * (1.0 + expected.abs());
        assert!((found - expected).abs() <= tolerance, "{what}, {}: {found} {expected}", parameter.name);
    }
}

/// Few answers make differences the coordinates, many make the items, and those between make some of each.
#[test]
fn evidence_gradients_of_every_kernel_against_differences() {
    let (name, relation) = relations().into_iter().find(|(name, _)| *name == "random").unwrap();
    for count in [4, 12, 30] {
        let observations = observations(relation.items(), count, count as u64);
        for shape in shapes() {
            check_gradient(&|| kernel_of(&shape, &relation), &observations, &format!("{name}, {shape:?}, {count}"));
        }
        check_gradient(&|| sum_of_all(&relation), &observations, &format!("all, {count}"));
    }
}

/// Points in the plane, links among near ones, and a kernel of each kind of part over them.
fn plane(n: usize, weights: [f64; 3], rho: f64, iota: f64, task: u64) -> WeightedSum {
    let mut stream = stream(1000 + task);
    let values: Vec<f64> = (0..2 * n).map(|_| normal(&mut stream)).collect();
    let attributes = Attributes::new(vec!["x".into(), "y".into()], n, values).unwrap();
    let ids: Vec<String> = (0..n).map(|i| i.to_string()).collect();
    let items = Items::new(ids, None, attributes).unwrap();
    let relation = Relation::new(n, random_links(n, 3 * n, 77 + task)).unwrap();
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(rho) };
    let spec = RelationSpec { relation: 0, role: Role::Undirected };
    let specs = [
        KernelSpec::new(weights[0], Shape::Vector { form, over: Over::Attributes }),
        KernelSpec::new(weights[1], Shape::RegularizedLaplacian { relation: spec, beta: 1.0, iota }),
        KernelSpec::new(weights[2], Shape::Independent),
    ];
    build(&specs, &items, &[relation]).unwrap()
}

/// A problem whose answers follow its kernel.
fn simulated(kernel: WeightedSum, answers: usize, task: u64) -> Problem {
    let observations = answered(&kernel, answers, task);
    Problem::new(kernel, observations)
}

/// Answers that follow a kernel.
fn answered(kernel: &WeightedSum, answers: usize, task: u64) -> Vec<Observation> {
    let mut stream = stream(task);
    let utilities = draw(&cholesky(&kernel.matrix().unwrap()), &mut stream);
    let model = AnswerModel::default();
    let n = kernel.len();
    (0..answers).map(|_| judge(&model, 0.0, &utilities, pair(n, &mut stream), &mut stream)).collect()
}

fn values(problem: &Problem) -> Vec<f64> {
    problem.kernel.parameters().iter().map(|parameter| parameter.value).collect()
}

#[test]
fn both_methods_reach_the_same_optimum() {
    let start = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    let run = |method, tolerance, max_iterations| {
        let mut problems: Vec<Problem> =
            (0..2).map(|group| simulated(plane(25, [2.0, 2.0, 0.7], 0.8, 0.8, group), 150, 5 + group)).collect();
        problems.iter_mut().for_each(|problem| problem.kernel.set_parameters(&start).unwrap());
        let params = TuningParams::default()
            .with_method(method)
            .with_restarts(0)
            .with_tolerance(tolerance)
            .with_max_iterations(max_iterations);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let heard = seen.clone();
        let watch = Watch::default().report(move |step| heard.lock().unwrap().extend(step.value));
        let tuned = params.clone().with_watch(watch).tune(&mut problems).unwrap();
        // Both only ever climb; EM up to EP's approximation.
        let seen = seen.lock().unwrap();
        assert!(seen.len() > 2 && seen.is_sorted_by(|before, after| *after >= before - 1e-6), "{seen:?}");
        assert!(tuned.converged && tuned.log_evidence > tuned.log_evidence_before + 1.0, "{tuned:?}");
        let sds = params.uncertainty(&mut problems).unwrap();
        (tuned, values(&problems[1]), sds)
    };
    const SLOPE: f64 = 1e-4;
    let (ascent, found, sds) = run(TuningMethod::Ascent, SLOPE, 200);
    let (em, also, _) = run(TuningMethod::EmEp, SLOPE, 2000);
    // With the inverse curvature C, whose entries are at most sd_i sd_j, a slope moves the i-th logarithm by at most
    // Σ_j C_ij slope from the optimum; both methods stop within that of it.
    let all: f64 = sds.iter().sum();
    let tuned = [0, 2, 3, 5, 6];
    for (position, sd) in tuned.into_iter().zip(&sds) {
        let apart = (found[position] / also[position]).ln().abs();
        assert!(apart < 2.0 * SLOPE * sd * all, "{apart}: {found:?} {also:?}");
    }
    assert!((ascent.log_evidence - em.log_evidence).abs() < 1e-6 * ascent.log_evidence.abs());
    println!("{} evaluations by ascent, {} rounds of EM-EP", ascent.evaluations, em.evaluations);
}

/// Over draws of the parameters from the prior that tuning assumes, and of answers from the model, the true logarithms
/// lie around the tuned ones as Laplace's approximation says.
#[test]
fn parameters_are_recovered_within_their_uncertainty() {
    const DRAWS: u64 = 60;
    let mut scores: Vec<Vec<f64>> = Vec::new();
    for task in 0..DRAWS {
        let params = TuningParams::default().with_restarts(1).with_spread(0.7).with_tolerance(1e-3);
        let mut kernel = plane(60, [1.0; 3], 1.0, 1.0, task);
        // What tuning calls typical: weights of a variance of 1 once the shapes are typical.
        let mut truth = values(&Problem::new(plane(60, [1.0; 3], 1.0, 1.0, task), vec![]));
        let tuned = [0, 2, 3, 5, 6];
        let shapes = kernel.typical().unwrap();
        truth[2] = shapes[2].unwrap();
        truth[5] = shapes[5].unwrap();
        kernel.set_parameters(&truth).unwrap();
        let typical = kernel.typical().unwrap();
        let mut stream = stream(500 + task);
        for position in tuned {
            truth[position] = typical[position].unwrap() * (params.spread * normal(&mut stream)).exp();
        }
        kernel.set_parameters(&truth).unwrap();
        let mut problems = [simulated(kernel, 400, 2000 + task)];
        params.tune(&mut problems).unwrap();
        let found = values(&problems[0]);
        assert_eq!((found[1], found[4]), (1.0, 1.0), "kappa and beta are held");
        let sds = params.uncertainty(&mut problems).unwrap();
        let score = |(position, sd): (&usize, &f64)| (truth[*position] / found[*position]).ln() / sd;
        scores.push(tuned.iter().zip(&sds).map(score).collect());
    }
    let all: Vec<f64> = scores.concat();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let square = all.iter().map(|z| z * z).sum::<f64>() / all.len() as f64;
    let within = all.iter().filter(|z| z.abs() < 1.96).count() as f64 / all.len() as f64;
    println!("{} scores: mean {mean:.3}, mean square {square:.3}, within 95 %: {within:.3}", all.len());
    for parameter in 0..5 {
        let squares: f64 = scores.iter().map(|z| z[parameter] * z[parameter]).sum();
        println!("parameter {parameter}: mean square {:.3}", squares / DRAWS as f64);
    }
    // Were all 300 scores independent, their mean would be within 0.06, their mean square within 0.08 of 1 and the share
    // within 0.013 of 0.95 by one standard deviation; the five of a draw may all go together, which makes it √5 times as
    // much: two of those for each.
    assert!(within > 0.95 - 2.0 * 0.029 && (square - 1.0).abs() < 2.0 * 0.18 && mean.abs() < 2.0 * 0.13);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut problems = [
                simulated(plane(30, [2.0, 1.0, 0.5], 0.8, 0.8, 0), 120, 0),
                simulated(plane(30, [2.0, 1.0, 0.5], 0.8, 0.8, 1), 20, 1),
            ];
            let tuned = TuningParams::default().tune(&mut problems).unwrap();
            (tuned.log_evidence, values(&problems[0]))
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

/// The width of ties is found with the rest, from a start far off: the objective is stationary there by differences that know nothing of the
/// gradient, with and without a prior mean. With lapses too, the width is near the judge's own.
#[test]
fn the_width_of_ties_is_tuned() {
    let n = 40;
    for (lapse, with_mean) in [(0.0, false), (0.1, false), (0.0, true)] {
        let kernel = || {
            let kernel = plane(n, [1.5, 0.8, 1.0], 1.0, 1.0, 9);
            let column = |item: usize, _: usize| item as f64 / n as f64 - 0.5;
            if with_mean { kernel.with_mean(Matrix::from_fn(n, 1, column), vec![1.0]).unwrap() } else { kernel }
        };
        let truth = 0.8;
        let mut stream = stream(70);
        let utilities = draw(&cholesky(&kernel().matrix().unwrap()), &mut stream);
        let model = AnswerModel::new(0.5, truth).unwrap();
        let observations: Vec<Observation> = (0..500)
            .map(|_| Observation { lapse, ..judge(&model, truth, &utilities, pair(n, &mut stream), &mut stream) })
            .collect();
        // The same answers, as they are heard under another width.
        let heard = |width: f64| -> Vec<Observation> {
            let end = |end: f64| if end.is_finite() { width * end.signum() } else { end };
            observations.iter().map(|one| Observation { low: end(one.low), high: end(one.high), ..*one }).collect()
        };
        let start = 3.0;
        let params = TuningParams::default().with_restarts(0).with_tolerance(1e-4);
        let mut problems = [Problem::new(kernel(), heard(start)).with_tie_width(start)];
        let tuned = params.tune(&mut problems).unwrap();
        // Where lapses cut sites at 0, the evidence is not quite stationary in them, and ascent ends short of the tolerance.
        let cut = lapse > 0.0;
        assert!(if cut { tuned.gradient < 0.2 } else { tuned.converged }, "{lapse}: {}", tuned.gradient);
        let width = tuned.parameters.last().unwrap();
        assert_eq!((width.name.as_str(), width.before), ("tie_width", start));
        // About 150 ties tell their share to 8 %; five of these, and as much for what lapses hide.
        assert!((width.value / truth).ln().abs() < 0.4, "{lapse}: {}", width.value);
        if cut {
            continue;
        }
        let found: Vec<f64> = values(&problems[0]);
        let at = |width: f64| {
            let mut kernel = kernel();
            kernel.set_parameters(&found).unwrap();
            let mut problems = [Problem::new(kernel, heard(width)).with_tie_width(width)];
            params.clone().with_max_iterations(0).tune(&mut problems).unwrap().log_posterior_before
        };
        let (step, middle) = (0.01_f64, at(width.value));
        let (up, down) = (at(width.value * step.exp()), at(width.value * (-step).exp()));
        assert!(middle > up && middle > down, "{lapse}: {down} {middle} {up}");
        // A slope of the tolerance, and the third derivative times the square of the step.
        assert!(((up - down) / (2.0 * step)).abs() < 0.05, "{lapse}: {down} {middle} {up}");
        // The evidence is stationary in EP's sites, which start elsewhere here.
        assert!(
            (tuned.log_posterior - middle).abs() < 1e-9 * middle.abs(),
            "{lapse}: {} {middle}",
            tuned.log_posterior
        );
    }
    // The paper's method holds it, and so does a kernel that is held.
    let kernel = || plane(n, [1.5, 0.8, 1.0], 1.0, 1.0, 9);
    let problem = || [Problem::new(kernel(), observations(n, 60, 3)).with_tie_width(0.2)];
    let params = TuningParams::default().with_restarts(0).with_max_iterations(2);
    let has_width = |params: &TuningParams| {
        params.tune(&mut problem()).unwrap().parameters.iter().any(|one| one.name == "tie_width")
    };
    assert!(has_width(&params));
    assert!(!has_width(&params.with_method(TuningMethod::EmEp)));
}

/// A thousand answers show the way, and the end is a maximum for all of them.
#[test]
fn many_answers_are_all_counted_in_the_end() {
    let (n, count) = (1600, 1300);
    let ids: Vec<String> = (0..n).map(|i| i.to_string()).collect();
    let items = Items::new(ids, None, Attributes::none(n)).unwrap();
    let kernel = || build(&[KernelSpec::new(1.0, Shape::Independent)], &items, &[]).unwrap();
    let observations = answered(&kernel(), count, 31);
    let mut problems = [Problem::new(kernel(), observations.clone())];
    let params = TuningParams::default().with_restarts(0);
    let tuned = params.tune(&mut problems).unwrap();
    assert!(tuned.converged, "{}", tuned.gradient);
    let best = tuned.parameters[0].value;
    let at = |value: f64| {
        let mut kernel = kernel();
        kernel.set_parameters(&[value]).unwrap();
        let mut problems = [Problem::new(kernel, observations.clone())];
        params.clone().with_max_iterations(0).tune(&mut problems).unwrap().log_posterior_before
    };
    assert!(at(best) > at(1.05 * best) && at(best) > at(best / 1.05), "{best}");
    assert!((at(best) - tuned.log_posterior).abs() < 1e-6);
}

/// A single answer says nothing of lengths, and a thousand consistent ones nothing of an upper bound of the weight: the
/// prior keeps both in range.
#[test]
fn nothing_runs_away() {
    let model = AnswerModel::default();
    let ordered: Vec<Observation> =
        (0..1000).map(|k| model.preferred(ItemId::new(k % 29 + 1), ItemId::new(k % 29))).collect();
    for observations in [vec![model.preferred(ItemId::new(0), ItemId::new(1))], ordered] {
        let mut problems = [Problem::new(plane(30, [1.0; 3], 1.0, 1.0, 3), observations)];
        let tuned = TuningParams::default().tune(&mut problems).unwrap();
        assert!(tuned.converged, "{tuned:?}");
        // Three standard deviations of the prior, from centres within a factor of ten of 1.
        assert!(values(&problems[0]).iter().all(|value| (1e-3..1e3).contains(value)), "{tuned:?}");
    }
}

/// Weights grow with the noise, and nothing else changes.
#[test]
fn the_unit_of_utility_does_not_matter() {
    let run = |unit: f64| {
        let kernel = plane(30, [2.0, 1.0, 0.5], 0.8, 0.8, 0);
        let mut observations = answered(&kernel, 120, 0);
        observations.iter_mut().for_each(|observation| observation.noise *= unit);
        let mut problem = Problem::new(kernel, observations);
        let start: Vec<f64> = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]
            .iter()
            .zip(values(&problem))
            .map(|(weight, value)| if *weight > 0.0 { value * unit } else { value })
            .collect();
        problem.kernel.set_parameters(&start).unwrap();
        let mut problems = [problem];
        let params = TuningParams::default().with_tolerance(1e-6).with_restarts(0);
        let tuned = params.tune(&mut problems).unwrap();
        (tuned.log_evidence, values(&problems[0]))
    };
    let (one, ten) = (run(1.0), run(10.0));
    assert!((one.0 - ten.0).abs() < 1e-8 * one.0.abs());
    for (position, (one, ten)) in one.1.iter().zip(&ten.1).enumerate() {
        let unit = if [0, 3, 6].contains(&position) { 10.0 } else { 1.0 };
        assert!((ten / (unit * one) - 1.0).abs() < 1e-5, "{position}: {one} {ten}");
    }
}

#[test]
fn what_cannot_be_tuned() {
    let params = TuningParams::default();
    assert!(matches!(params.tune(&mut []), Err(Error::Data { .. })));
    let mut nothing = [Problem::new(plane(5, [1.0; 3], 1.0, 1.0, 0), vec![])];
    assert!(matches!(params.tune(&mut nothing), Err(Error::Data { .. })));
    // One kernel has a length for each attribute, the other has one for both.
    let items = tools::items(5);
    let one = |rho| {
        let form = Form::SquaredExponential { kappa: 1.0, rho };
        let specs = [KernelSpec::new(1.0, Shape::Vector { form, over: Over::Attributes })];
        Problem::new(build(&specs, &items, &[]).unwrap(), observations(5, 3, 0))
    };
    let mut two = [one(Rho::Shared(1.0)), one(Rho::Each(vec![1.0; 5]))];
    assert!(matches!(params.tune(&mut two), Err(Error::Data { .. })));
    // Twins without anything of their own: EM-EP inverts the prior, and says so.
    let em = TuningParams::default().with_method(TuningMethod::EmEp).with_restarts(0).with_seed(Seed(3));
    let mut twins = [one(Rho::Shared(1.0))];
    let before = values(&twins[0]);
    assert!(matches!(em.tune(&mut twins), Err(Error::NotPositiveDefinite { .. })));
    assert_eq!(values(&twins[0]), before, "kernels keep their values");
    let wide = TuningParams::default().with_spread(f64::INFINITY);
    assert!(matches!(wide.tune(&mut twins), Err(Error::Parameter { .. })));
}
