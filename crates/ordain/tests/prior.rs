//! A prior mean: against quadrature over all utilities, against the same problem in shifted coordinates, against
//! differences, and against the truth of simulated answers.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::*;
use ordain::data::{Answer, AnswerLog, Attributes, Entry, Groups, ItemId, Items, Newcomers, Outcome, Prior};
use ordain::gp::{
    AnswerModel, Belief, EpParams, Incremental, Observation, Problem, RankingParams, TuningMethod, TuningParams,
};
use ordain::kernel::{Form, Kernel, KernelSpec, Over, Parameter, Rho, Shape, WeightedSum, build};
use ordain::numeric::Matrix;
use ordain::{Inference, Model, Watch};
use rand::RngExt;

/// Items with two attributes and the columns of a prior, all drawn from a stream.
fn items(n: usize, columns: usize, task: u64) -> Items {
    let mut stream = stream(task);
    let mut table = |names: &[&str]| {
        let values = (0..n * names.len()).map(|_| normal(&mut stream)).collect();
        Attributes::new(names.iter().map(|name| (*name).to_owned()).collect(), n, values).unwrap()
    };
    let (attributes, prior) = (table(&["x", "y"]), table(&["score", "rating", "age"][..columns]));
    let ids = (0..n).map(|item| format!("i{item}")).collect();
    let items = Items::new(ids, None, attributes).unwrap();
    if columns == 0 { items } else { items.with_prior(Some(Prior::new(prior).unwrap())).unwrap() }
}

fn weighted(items: Items, weights: &[f64]) -> Items {
    let prior = items.prior().unwrap().clone().with_weights(weights.to_vec()).unwrap();
    items.with_prior(Some(prior)).unwrap()
}

fn specs() -> Vec<KernelSpec> {
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(0.7) };
    vec![KernelSpec::new(1.2, Shape::Vector { form, over: Over::Attributes }), KernelSpec::new(0.6, Shape::Independent)]
}

fn kernel(items: &Items) -> WeightedSum {
    build(&specs(), items, &[]).unwrap()
}

/// Answers of every kind about n items.
fn observations(n: usize, count: usize, task: u64) -> Vec<Observation> {
    let model = AnswerModel::new(0.5, 0.3).unwrap();
    let mut stream = stream(100 + task);
    let one = |at: usize| {
        let (first, second) = pair(n, &mut stream);
        match at % 5 {
            0 => model.tied(first, second).unwrap(),
            1 => model.good(first),
            2 => model.bad(first),
            _ => model.preferred(first, second),
        }
    };
    (0..count).map(one).collect()
}

/// Evidence, means and variances of the posterior over two or three utilities, by the trapezoidal rule on a grid. It
/// takes the prior from its matrix and its mean, and the likelihood from its definition.
fn integrated(covariance: &Matrix, mean: &[f64], observations: &[Observation]) -> (f64, Vec<f64>, Vec<f64>) {
    const POINTS: i32 = 120;
    const REACH: f64 = 7.0;
    let (n, lower) = (mean.len(), cholesky(covariance));
    let step = 2.0 * REACH / f64::from(POINTS);
    let (mut mass, mut first, mut second) = (0.0, vec![0.0; n], vec![0.0; n]);
    let sides = u32::try_from(POINTS + 1).unwrap();
    for number in 0..sides.pow(n as u32) {
        let z: Vec<f64> =
            (0..n).map(|axis| f64::from(number / sides.pow(axis as u32) % sides) * step - REACH).collect();
        let u: Vec<f64> = (0..n).map(|i| mean[i] + (0..=i).map(|k| lower[(i, k)] * z[k]).sum::<f64>()).collect();
        let density: f64 = z.iter().map(|z| (-0.5 * z * z).exp() * step / std::f64::consts::TAU.sqrt()).product();
        let weight = density * observations.iter().map(|one| likelihood(one, one.functional.of(&u))).product::<f64>();
        mass += weight;
        for i in 0..n {
            first[i] += weight * u[i];
            second[i] += weight * u[i] * u[i];
        }
    }
    let means: Vec<f64> = first.iter().map(|sum| sum / mass).collect();
    let variances = second.iter().zip(&means).map(|(sum, mean)| sum / mass - mean * mean).collect();
    (mass.ln(), means, variances)
}

/// EP is an approximation where answers share items. With this noise it errs by less than a hundredth in means and
/// evidence and by less than three in variances, while leaving out the prior mean, or half of it, moves means by tenths.
#[test]
fn ep_equals_integration() {
    for (n, count) in [(2, 1), (2, 4), (3, 3), (3, 6)] {
        for task in 0..3 {
            let items = weighted(items(n, 2, task), &[0.8, -0.6]);
            let (kernel, seen) = (kernel(&items), observations(n, count, task));
            let mean = items.prior().unwrap().mean();
            let (evidence, means, variances) = integrated(&kernel.matrix().unwrap(), &mean, &seen);
            let ep = EpParams::default().fit(Arc::new(kernel), &seen).unwrap();
            assert!(distance(ep.mean(), &means) < 1e-2, "{n} {count}: {:?} {means:?}", ep.mean());
            assert!(distance(ep.variances(), &variances) < 3e-2, "{n} {count}: {:?} {variances:?}", ep.variances());
            assert!((ep.log_evidence() - evidence).abs() < 1e-2, "{n} {count}: {} {evidence}", ep.log_evidence());
        }
    }
}

/// One answer is exact, however far the prior mean is from it, and if it may be a lapse. Then its moments may be those of no Gaussian:
/// the mean is exact all the same unless the site would widen the belief.
#[test]
fn one_answer_is_exact() {
    let lapses = [(0.0, 0.0), (1.0, 0.0), (-3.0, 0.0), (8.0, 0.0), (0.3, 0.2), (-0.5, 0.2), (1.0, 0.1)];
    for (weight, lapse) in lapses {
        let items = weighted(items(4, 1, 5), &[weight]);
        let kernel = Arc::new(kernel(&items));
        for seen in observations(4, 5, 5).into_iter().map(|seen| Observation { lapse, ..seen }) {
            let (matrix, prior) = (kernel.matrix().unwrap(), items.prior().unwrap().mean());
            let along: Vec<f64> = (0..4).map(|item| seen.functional.of(matrix.column(item))).collect();
            let variance = seen.functional.of(&along);
            let centre = seen.functional.of(&prior);
            let (mass, mean, _) = tilted(&seen, centre, variance);
            let expected: Vec<f64> =
                (0..4).map(|item| prior[item] + along[item] / variance * (mean - centre)).collect();
            let ep = EpParams::default().fit(kernel.clone(), &[seen]).unwrap();
            // The quadrature's own rounding, beside utilities of size ten.
            assert!(distance(ep.mean(), &expected) < 1e-8, "{weight}: {:?} {expected:?}", ep.mean());
            assert!((ep.log_evidence() - mass.ln()).abs() < 1e-7, "{weight}");
            for mut steps in [Incremental::dense(kernel.clone()).unwrap(), Incremental::lazy(kernel.clone()).unwrap()] {
                steps.observe(&seen).unwrap();
                assert!(distance(steps.mean(), ep.mean()) < 1e-9);
                assert!((steps.log_evidence() - ep.log_evidence()).abs() < 1e-9);
            }
        }
    }
}

/// A mean moves answers in place of the prior: the same answers with moved ends, without a mean, give the same belief,
/// moved.
#[test]
fn a_mean_is_a_shift() {
    let with = weighted(items(12, 3, 2), &[0.7, -0.4, 0.2]);
    let (mean, without) = (with.prior().unwrap().mean(), with.clone().with_prior(None).unwrap());
    for count in [3, 40] {
        let lapses = |at: usize| if at.is_multiple_of(3) { 0.1 } else { 0.0 };
        let seen: Vec<Observation> = observations(12, count, 2)
            .into_iter()
            .enumerate()
            .map(|(at, one)| Observation { lapse: lapses(at), ..one })
            .collect();
        let moved: Vec<Observation> = seen
            .iter()
            .map(|one| {
                let known = one.functional.of(&mean);
                Observation { low: one.low - known, high: one.high - known, middle: -known, ..*one }
            })
            .collect();
        let one = EpParams::default().fit(Arc::new(kernel(&with)), &seen).unwrap();
        let other = EpParams::default().fit(Arc::new(kernel(&without)), &moved).unwrap();
        let expected: Vec<f64> = other.mean().iter().zip(&mean).map(|(mean, known)| mean + known).collect();
        assert!(distance(one.mean(), &expected) < 1e-12 && distance(one.variances(), other.variances()) < 1e-12);
        assert!((one.log_evidence() - other.log_evidence()).abs() < 1e-10);
        // The factors speak of the utilities: the prior times the sites is the belief.
        for ((mean, _), seen) in one.marginals().zip(&seen) {
            assert!((mean - seen.functional.of(one.mean())).abs() < 1e-10);
        }
        for factor in one.factors() {
            let same = seen.iter().filter(|seen| **seen == factor.observation).count();
            assert!(same > 0 && same == factor.count as usize);
        }
        let pull = |site: ordain::gp::Site, at: f64| site.shift - site.precision * at;
        for ((one, other), ((at, _), (moved_at, _))) in
            one.sites().into_iter().zip(other.sites()).zip(one.marginals().zip(other.marginals()))
        {
            assert!((one.precision - other.precision).abs() < 1e-9 * other.precision.max(1.0));
            assert!((pull(one, at) - pull(other, moved_at)).abs() < 1e-9);
        }
    }
}

/// Dense, lazy and learned anew: all start from the mean, and the forms agree step by step. EP over all answers is what
/// steps that were learned anew have.
#[test]
fn all_forms_agree() {
    let items = weighted(items(30, 2, 3), &[1.0, 0.5]);
    let kernel: Arc<dyn Kernel> = Arc::new(kernel(&items));
    let mut dense = Incremental::dense(kernel.clone()).unwrap();
    let mut lazy = Incremental::lazy(kernel.clone()).unwrap();
    assert_eq!(dense.mean(), items.prior().unwrap().mean());
    assert_eq!(dense.mean(), lazy.mean());
    assert_eq!(dense.mean(), EpParams::default().fit(kernel.clone(), &[]).unwrap().mean());
    for one in observations(30, 50, 3) {
        dense.observe(&one).unwrap();
        lazy.observe(&one).unwrap();
        assert!(distance(dense.mean(), lazy.mean()) < 1e-9);
        assert!(distance(dense.variances(), lazy.variances()) < 1e-9);
    }
}

fn answers(n: usize, count: usize, utilities: &[f64], task: u64) -> AnswerLog {
    let mut stream = stream(task);
    let one = |_| {
        let (first, second) = pair(n, &mut stream);
        let noisy = utilities[first.index()] - utilities[second.index()] + normal(&mut stream);
        let outcome = if noisy > 0.0 { Outcome::First } else { Outcome::Second };
        Entry::Answer(Answer::new(first, Some(second), outcome).unwrap())
    };
    AnswerLog::new((0..count).map(one).collect()).unwrap()
}

fn order(mean: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..mean.len()).collect();
    order.sort_by(|&a, &b| mean[b].total_cmp(&mean[a]));
    order
}

/// Without answers the ranking is the order of the column; a negative weight turns it round.
#[test]
fn zero_answers_give_the_order_of_the_column() {
    let items = items(40, 1, 4);
    let column: Vec<f64> = (0..40).map(|item| items.prior().unwrap().columns().row(item)[0]).collect();
    for (weight, sign) in [(1.0, 1.0), (0.01, 1.0), (-2.0, -1.0)] {
        let model = Model::new(weighted(items.clone(), &[weight]), specs()).unwrap();
        let signed: Vec<f64> = column.iter().map(|value| sign * value).collect();
        for inference in [Inference::Ep, Inference::Incremental] {
            let fitted = model.fit(inference, &Watch::NONE).unwrap();
            let ranked = fitted.rank(&RankingParams::default()).unwrap();
            let ranked: Vec<usize> = ranked.items.iter().map(|one| one.item.index()).collect();
            assert_eq!(ranked, order(&signed));
        }
    }
}

/// The belief about an item does not depend on its number.
#[test]
fn permuting_items_permutes_beliefs() {
    let n = 15;
    let items = weighted(items(n, 2, 6), &[0.9, -0.3]);
    let turn = |item: usize| (item * 7 + 3) % n;
    let back: Vec<usize> = {
        let mut back = vec![0; n];
        (0..n).for_each(|item| back[turn(item)] = item);
        back
    };
    let rows = |table: &Attributes| {
        let values = back.iter().flat_map(|&item| table.row(item).to_vec()).collect();
        Attributes::new(table.names().to_vec(), n, values).unwrap()
    };
    let ids = back.iter().map(|&item| items.ids()[item].clone()).collect();
    let prior = items.prior().unwrap();
    let turned_prior = Prior::new(rows(prior.columns())).unwrap().with_weights(prior.weights().to_vec()).unwrap();
    let turned = Items::new(ids, None, rows(items.attributes())).unwrap().with_prior(Some(turned_prior)).unwrap();
    let model = AnswerModel::default();
    let mut stream = stream(8);
    let pairs: Vec<(ItemId, ItemId)> = (0..25).map(|_| pair(n, &mut stream)).collect();
    let fit = |items: &Items, place: &dyn Fn(ItemId) -> ItemId| {
        let seen: Vec<Observation> = pairs.iter().map(|&(a, b)| model.preferred(place(a), place(b))).collect();
        EpParams::default().fit(Arc::new(kernel(items)), &seen).unwrap().mean().to_vec()
    };
    let here = fit(&items, &|item| item);
    let there = fit(&turned, &|item| ItemId::new(turn(item.index())));
    for item in 0..n {
        assert!((here[item] - there[turn(item)]).abs() < 1e-9);
    }
}

/// A session that was interrupted asks and believes the same, with a prior too, and starts from the prior's order.
#[test]
fn replay_equals_live() {
    let items = weighted(items(20, 2, 9), &[1.0, 0.4]);
    let truth = items.prior().unwrap().mean();
    let model = Model::new(items.clone(), specs()).unwrap();
    let mut live = model.session(&Default::default(), None, &Watch::NONE).unwrap();
    assert_eq!(live.belief().mean(), truth);
    let mut log = Vec::new();
    for _ in 0..25 {
        let question = live.ask().unwrap().unwrap();
        // The opposite of the prior, so that steps are long and all is learned anew.
        let first = truth[question.first.index()] < truth[question.second.index()];
        let outcome = if first { Outcome::First } else { Outcome::Second };
        let answer = Answer::new(question.first, Some(question.second), outcome).unwrap();
        live.tell(answer.clone()).unwrap();
        log.push(Entry::Answer(answer));
        let model = model.clone().with_answers(AnswerLog::new(log.clone()).unwrap()).unwrap();
        let replayed = model.session(&Default::default(), None, &Watch::NONE).unwrap();
        assert_eq!(replayed.belief().mean(), live.belief().mean());
        assert_eq!(replayed.ask().unwrap(), live.ask().unwrap());
    }
}

/// The gradient by every parameter, weights of the mean among them, against differences of the evidence.
#[test]
fn gradients_equal_differences() {
    for (count, task) in [(4, 0), (30, 1)] {
        let mut kernel = kernel(&weighted(items(10, 3, task), &[0.7, -0.4, 0.0]));
        let seen = observations(10, count, task);
        let params = EpParams::default().with_tolerance(1e-12);
        let evidence = |kernel: WeightedSum| params.fit(Arc::new(kernel), &seen).unwrap();
        let copy = |values: &[f64]| {
            let mut copy = self::kernel(&weighted(items(10, 3, task), &[0.0; 3]));
            copy.set_parameters(values).unwrap();
            copy
        };
        let values: Vec<f64> = kernel.parameters().iter().map(|one| one.value).collect();
        kernel.set_parameters(&values).unwrap();
        let gradient = evidence(kernel).evidence_gradient().unwrap();
        assert_eq!(gradient.len(), values.len());
        for at in 0..values.len() {
            const STEP: f64 = 1e-5;
            let moved = |sign: f64| {
                let mut values = values.clone();
                values[at] += sign * STEP;
                evidence(copy(&values)).log_evidence()
            };
            let slope = (moved(1.0) - moved(-1.0)) / (2.0 * STEP);
            // Central differences err by the square of the step, and by rounding over the step.
            assert!((gradient[at] - slope).abs() < 1e-6 * slope.abs().max(1.0), "{at}: {} {slope}", gradient[at]);
        }
    }
}

/// Tuning recovers the weights of the mean that the answers were drawn with: sign, size, and which column is worthless.
#[test]
fn tuning_recovers_the_weights() {
    let truth = [1.5, -1.0, 0.0];
    let (mut log, mut models) = (0, Vec::new());
    for task in 0..6 {
        let items = weighted(items(40, 3, 20 + task), &truth);
        let kernel = kernel(&items);
        let own = draw(&cholesky(&kernel.matrix().unwrap()), &mut stream(40 + task));
        let utilities: Vec<f64> = own.iter().zip(items.prior().unwrap().mean()).map(|(own, mean)| own + mean).collect();
        let answers = answers(40, 150, &utilities, 60 + task);
        log += answers.standing().len();
        models.push(Model::new(weighted(items, &[1.0; 3]), specs()).unwrap().with_answers(answers).unwrap());
    }
    assert_eq!(log, 900);
    for method in [TuningMethod::Ascent, TuningMethod::EmEp] {
        let params = TuningParams::default().with_restarts(0).with_method(method);
        let tuned = Model::tune_together(&models, &params).unwrap();
        let found: Vec<f64> =
            tuned.values().iter().filter(|one| Prior::column_of(&one.name).is_some()).map(|one| one.value).collect();
        // The posterior of a weight has a deviation of about 0.15 here, and the width of its prior draws it to 0.
        assert!(distance(&found, &truth) < 0.5, "{method:?}: {found:?}");
        assert!(found[0] > 0.9 && found[1] < -0.6, "{method:?}: {found:?}");
        assert!(tuned.log_posterior > tuned.log_posterior_before);
    }
}

/// Groups that are tuned by themselves are tuned as models of their own would be together.
#[test]
fn groups_by_themselves_are_models_of_their_own() {
    let (n, groups) = (12, 4);
    let all = items(n * groups, 2, 31);
    let names = Groups::new((0..n * groups).map(|item| format!("g{}", item / n)));
    let together = Items::new(all.ids().to_vec(), Some(names), all.attributes().clone()).unwrap();
    let together = together.with_prior(all.prior().cloned()).unwrap();
    let part = |table: &Attributes, group: usize| {
        let values = (group * n..(group + 1) * n).flat_map(|item| table.row(item).to_vec()).collect();
        Attributes::new(table.names().to_vec(), n, values).unwrap()
    };
    let (mut entries, mut models) = (Vec::new(), Vec::new());
    // The last group has no answers.
    for group in 0..groups - 1 {
        let ids = all.ids()[group * n..(group + 1) * n].to_vec();
        let prior = Prior::new(part(all.prior().unwrap().columns(), group)).unwrap();
        let own = Items::new(ids, None, part(all.attributes(), group)).unwrap().with_prior(Some(prior)).unwrap();
        let utilities = own.prior().unwrap().mean();
        let log = answers(n, 30, &utilities, 70 + group as u64);
        for answer in log.standing() {
            let place = |item: ItemId| ItemId::new(item.index() + group * n);
            let answer = Answer::new(place(answer.first), answer.second.map(place), answer.outcome).unwrap();
            entries.push(Entry::Answer(answer));
        }
        models.push(Model::new(own, specs()).unwrap().with_answers(log).unwrap());
    }
    let log = AnswerLog::new(entries).unwrap();
    let model = Model::new(together, specs()).unwrap().with_answers(log).unwrap();
    for method in [TuningMethod::Ascent, TuningMethod::EmEp] {
        let params = TuningParams::default().with_restarts(0).with_tolerance(1e-5).with_method(method);
        let one = model.tune(&params.clone().with_by_group(true)).unwrap();
        let other = Model::tune_together(&models, &params).unwrap();
        assert_eq!(one.parameters.len(), other.parameters.len());
        assert!((one.log_evidence_before - other.log_evidence_before).abs() < 1e-8);
        for (one, other) in one.parameters.iter().zip(&other.parameters) {
            assert_eq!(one.name, other.name);
            // Typical sizes are of all items or of a group's, so the priors on the parameters differ a little.
            assert!((one.value - other.value).abs() < 0.05 * other.value.abs().max(0.5), "{one:?} {other:?}");
        }
    }
    let ungrouped = &models[0];
    assert!(ungrouped.tune(&TuningParams::default().with_by_group(true)).is_err());
}

/// The deviations that go with tuned weights are of the weights themselves: a second opinion by differences.
#[test]
fn uncertainty_is_of_the_weights() {
    let items = weighted(items(25, 1, 33), &[1.0]);
    let utilities = items.prior().unwrap().mean();
    let answers = answers(25, 80, &utilities, 34);
    let model = Model::new(items, specs()).unwrap().with_answers(answers).unwrap();
    let params = TuningParams::default().with_restarts(0).with_tolerance(1e-4);
    let tuned = model.tune(&params).unwrap();
    let best = model.with_parameters(&tuned.values()).unwrap();
    let spreads = best.uncertainty(&params).unwrap();
    let at = tuned.parameters.iter().position(|one| one.name == "prior[0]").unwrap();
    let weight = tuned.parameters[at].value;
    // Along the weight alone the log evidence falls by half at one deviation or later: other parameters may follow.
    let evidence = |value: f64| {
        let parameter = Parameter { name: "prior[0]".into(), value };
        let model = best.clone().with_parameters(&[parameter]).unwrap();
        model.fit(Inference::Ep, &Watch::NONE).unwrap().belief().log_evidence()
    };
    let fall = evidence(weight) - evidence(weight + spreads[at]);
    assert!(fall > 0.1 && fall < 3.0, "{fall} at {weight} ± {}", spreads[at]);
}

/// Newcomers have the mean of their columns, and the belief about known items stays.
#[test]
fn newcomers_have_a_mean() {
    let known = weighted(items(10, 2, 50), &[0.8, -0.5]);
    let more = items(4, 2, 51);
    let ids = (0..4).map(|item| format!("new{item}")).collect();
    let more = Items::new(ids, None, more.attributes().clone()).unwrap().with_prior(more.prior().cloned()).unwrap();
    let joined = known.joined(&more).unwrap();
    let expected: Vec<f64> = joined.prior().unwrap().mean();
    let utilities = known.prior().unwrap().mean();
    for count in [0, 20] {
        let model = Model::new(known.clone(), specs()).unwrap();
        let model = model.with_answers(answers(10, count, &utilities, 52)).unwrap();
        for inference in [Inference::Ep, Inference::Incremental] {
            let alone = model.fit(inference, &Watch::NONE).unwrap();
            let newcomers = Newcomers::new(model.items(), &[], joined.clone(), Vec::new()).unwrap();
            let all = model.fit_with(newcomers, inference, &Watch::NONE).unwrap();
            assert!(distance(&all.belief().mean()[..10], alone.belief().mean()) < 1e-9);
            if count == 0 {
                assert!(distance(all.belief().mean(), &expected) < 1e-15);
            }
        }
    }
    assert!(Newcomers::new(&known, &[], joined.with_prior(None).unwrap(), Vec::new()).is_err());
}

/// Weights by name, and what is no weight.
#[test]
fn weights_by_name() {
    let model = Model::new(items(5, 2, 60), specs()).unwrap();
    let set = |name: &str, value: f64| model.clone().with_parameters(&[Parameter { name: name.into(), value }]);
    assert_eq!(set("prior[1]", -2.0).unwrap().items().prior().unwrap().weights(), [1.0, -2.0]);
    assert!(set("prior[1]", 0.0).is_ok() && set("kernel[0].weight", 2.0).is_ok());
    for (name, value) in [("prior[2]", 1.0), ("prior[0]", f64::NAN), ("prior[x]", 1.0), ("prior[0]", f64::INFINITY)] {
        assert!(set(name, value).is_err(), "{name} {value}");
    }
    let without = Model::new(items(5, 0, 60), specs()).unwrap();
    let error = without.with_parameters(&[Parameter { name: "prior[0]".into(), value: 1.0 }]).unwrap_err();
    assert!(error.to_string().contains("the items have no prior"), "{error}");
    assert!(Prior::new(Attributes::none(3)).is_err());
    let mut kernel = kernel(model.items());
    let before = kernel.parameters();
    let mut values: Vec<f64> = before.iter().map(|one| one.value).collect();
    (values[0], *values.last_mut().unwrap()) = (5.0, f64::NAN);
    assert!(kernel.set_parameters(&values).is_err());
    assert_eq!(kernel.parameters(), before, "nothing changes then");
}

/// A mean that is out of all proportion is an error or a belief, never a panic or a number that is none.
#[test]
fn extreme_means() {
    let mut stream = stream(70);
    for exponent in [3, 8, 20, 150, 300] {
        let items = items(6, 1, 71);
        let weight = 10_f64.powi(exponent) * stream.random_range(0.5..1.0);
        let Ok(prior) = items.prior().unwrap().clone().with_weights(vec![weight]) else { continue };
        let kernel: Arc<dyn Kernel> = Arc::new(kernel(&items.with_prior(Some(prior)).unwrap()));
        for seen in observations(6, 10, 72).chunks(3) {
            if let Ok(ep) = EpParams::default().fit(kernel.clone(), seen) {
                assert!(ep.mean().iter().chain(ep.variances()).all(|value| value.is_finite()));
            }
            let mut steps = Incremental::dense(kernel.clone()).unwrap();
            for one in seen {
                let _refused = steps.observe(one);
            }
            assert!(steps.mean().iter().all(|value| value.is_finite()));
        }
    }
    let problem = Problem::new(kernel(&items(3, 1, 73)), Vec::new());
    assert!(TuningParams::default().tune(&mut [problem]).is_err());
}
