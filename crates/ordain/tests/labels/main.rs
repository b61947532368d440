//! Rankings of labels: the bound of the online algorithm, scikit-learn, brute force, one suite for every learner, and the files.
//! Comparisons with scikit-learn need the interpreter that `cargo xtask test` prepares and names in `ORDAIN_PYTHON`.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod files;

use std::io::Write;
use std::process::{Command, Stdio};

use common::{normal, stream};
use ordain::Watch;
use ordain::data::Attributes;
use ordain::learn::labels::{
    Encoding, Features, ForestParams, LabelEvaluation, LabelLoss, LabelPreferences, LabelRanker, LabelledExamples,
    LogisticParams, NeighboursParams, OnlineParams, OnlineRanker, PairwiseParams, Target, expand,
};
use ordain::measure::{label_average_precision, label_coverage, label_ranking_loss, one_error};
use ordain::numeric::Seed;
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Every learner, quickly.
fn learners() -> Vec<(&'static str, Box<dyn LabelRanker>)> {
    let online = OnlineParams::default;
    vec![
        ("online", Box::new(online())),
        ("online, neighbouring pairs", Box::new(online().with_encoding(Encoding::default().adjacent()))),
        ("online, Fourier", Box::new(online().with_features(Features::Fourier { count: 100, width: 1.0 }))),
        ("online, kernel", Box::new(online().with_features(Features::Kernel { width: 1.0 }))),
        ("logistic", Box::new(LogisticParams::default())),
        ("pairwise", Box::new(PairwiseParams::default())),
        ("neighbours", Box::new(NeighboursParams::default())),
        ("forest", Box::new(ForestParams::default().with_trees(30))),
    ]
}

/// Random examples whose utilities are linear in three attributes; the fourth is constant.
fn utilities(task: u64, count: usize) -> (Attributes, Vec<[f64; 4]>) {
    let mut stream = stream(task);
    let rows: Vec<[f64; 3]> = (0..count).map(|_| [0; 3].map(|_| normal(&mut stream))).collect();
    let values = rows.iter().flat_map(|row| [row[0], row[1], row[2], 7.0]).collect();
    let names = ["x", "y", "z", "constant"].map(str::to_owned).to_vec();
    let of = |[x, y, z]: &[f64; 3]| [x + 0.5 * y, y - z, z + 0.2, -x - y - 0.3];
    (Attributes::new(names, count, values).unwrap(), rows.iter().map(of).collect())
}

fn order(utilities: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..utilities.len()).collect();
    order.sort_by(|&one, &other| utilities[other].total_cmp(&utilities[one]));
    order
}

fn above(utilities: &[f64]) -> Vec<usize> {
    order(utilities).into_iter().filter(|&label| utilities[label] > 0.0).collect()
}

/// The kinds of targets for the same utilities.
fn targets(kind: &str, utilities: &[f64]) -> Target {
    match kind {
        "class" => Target::Class(order(utilities)[0]),
        "set" => Target::Set(above(utilities)),
        "order" => Target::Order(order(utilities)),
        "top" => Target::Top(above(utilities)),
        _ => {
            // The first against the last, and on which side the first label lies.
            let order = order(utilities);
            let sides = if utilities[0] > 0.0 { [vec![0], vec![]] } else { [vec![], vec![0]] };
            let [relevant, irrelevant] = sides;
            Target::Partial(LabelPreferences { pairs: vec![(order[0], order[3])], relevant, irrelevant })
        }
    }
}

const KINDS: [&str; 5] = ["class", "set", "order", "top", "partial"];

fn examples(kind: &str, task: u64, count: usize) -> LabelledExamples {
    let (attributes, utilities) = utilities(task, count);
    let labels = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
    LabelledExamples::new(attributes, labels, utilities.iter().map(|of| targets(kind, of)).collect()).unwrap()
}

/// On examples that nobody saw, all find most of what the target says.
#[test]
fn everyone_learns_everything() {
    for kind in KINDS {
        let (train, test) = (examples(kind, 1, 400), examples(kind, 2, 200));
        for (name, learner) in learners() {
            let model = learner.fit(&train, &Watch::NONE).unwrap();
            assert_eq!(model.is_calibrated(), matches!(kind, "set" | "top" | "partial"), "{name}, {kind}");
            let found = model.predict(test.attributes()).unwrap();
            let evaluation = LabelEvaluation::of(&found, test.targets(), 4).unwrap();
            if let Some(hamming) = evaluation.hamming {
                assert!(hamming < 0.15, "{name}, {kind}: Hamming {hamming}");
            }
            if let Some(tau) = evaluation.tau {
                assert!(tau > 0.6, "{name}, {kind}: tau {tau}");
            }
            if let Some(accuracy) = evaluation.accuracy {
                assert!(accuracy > 0.75, "{name}, {kind}: accuracy {accuracy}");
            }
        }
    }
}

#[test]
fn same_bits_on_one_thread_and_on_three() {
    // More than one part of the sums of logistic regression.
    let train = examples("top", 3, 1300);
    for (name, learner) in learners() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learner.fit(&train, &Watch::NONE).unwrap().predict(train.attributes()).unwrap())
        };
        assert_eq!(on(1), on(3), "{name}");
    }
}

/// Renaming labels renames predictions; the order of columns does not matter.
#[test]
fn labels_and_attributes_are_known_by_their_names() {
    let train = examples("set", 5, 80);
    let turned = |label: usize| 3 - label;
    let renamed: Vec<Target> = train
        .targets()
        .iter()
        .map(|target| match target {
            Target::Set(relevant) => Target::Set(relevant.iter().map(|&label| turned(label)).collect()),
            other => other.clone(),
        })
        .collect();
    let labels = ["d", "c", "b", "a"].map(str::to_owned).to_vec();
    let other = LabelledExamples::new(train.attributes().clone(), labels, renamed).unwrap();
    let rows: Vec<f64> = (0..train.len())
        .flat_map(|at| {
            let row = train.attributes().row(at);
            [row[2], row[0], row[3], row[1]]
        })
        .collect();
    let names = ["z", "x", "constant", "y"].map(str::to_owned).to_vec();
    let moved = Attributes::new(names, train.len(), rows).unwrap();
    for (name, learner) in learners() {
        let model = learner.fit(&train, &Watch::NONE).unwrap();
        let one = model.predict(train.attributes()).unwrap();
        assert_eq!(one, model.predict(&moved).unwrap(), "{name}");
        let two = learner.fit(&other, &Watch::NONE).unwrap().predict(train.attributes()).unwrap();
        for (one, two) in one.iter().zip(&two) {
            for label in 0..4 {
                // Sums run in another order; places of the neighbours' best order are whole numbers.
                let near = (one.utilities[label] - two.utilities[turned(label)]).abs() < 1e-4;
                assert!(near || name == "neighbours", "{name}: {one:?} {two:?}");
            }
        }
    }
}

#[test]
fn refusals() {
    let train = examples("set", 6, 20);
    let never: Vec<Target> = train.targets().iter().map(|_| Target::Set(vec![0, 1, 3])).collect();
    let never = LabelledExamples::new(train.attributes().clone(), train.labels().to_vec(), never).unwrap();
    assert_eq!(never.untaught(), [2]);
    let none = train.some(&[]).unwrap();
    for (name, learner) in learners() {
        let refused = |examples: &LabelledExamples| learner.fit(examples, &Watch::NONE).unwrap_err().to_string();
        assert!(refused(&never).contains("none in which label c occurs"), "{name}");
        assert!(refused(&none).contains("no example"), "{name}");
        let stop = Watch::default().stop_when(|| true);
        assert!(matches!(learner.fit(&train, &stop), Err(ordain::Error::Cancelled { .. })), "{name}");
        let model = learner.fit(&train, &Watch::NONE).unwrap();
        let other = Attributes::new(vec!["x".into()], 1, vec![0.0]).unwrap();
        assert!(model.predict(&other).unwrap_err().to_string().contains("none that is called y"), "{name}");
    }
    let twice =
        LabelledExamples::new(train.attributes().clone(), vec!["a".into(), "a".into()], train.targets().to_vec());
    assert!(twice.unwrap_err().to_string().contains("a twice"));
    // Single labels say nothing of others.
    let alone: Vec<Target> = (0..train.len()).map(|at| Target::Order(vec![at % 4])).collect();
    let alone = LabelledExamples::new(train.attributes().clone(), train.labels().to_vec(), alone).unwrap();
    for (name, learner) in learners() {
        let error = learner.fit(&alone, &Watch::NONE).unwrap_err().to_string();
        assert!(error.contains("none that compares two labels"), "{name}: {error}");
    }
    let (zero, wide) = (OnlineParams::default().with_epochs(0), Features::Kernel { width: f64::NAN });
    for params in [zero, OnlineParams::default().with_features(wide)] {
        assert!(params.fit(&train, &Watch::NONE).is_err());
    }
    assert!(ForestParams::default().with_tried(0.0).fit(&train, &Watch::NONE).is_err());
    assert!(NeighboursParams::default().with_neighbours(vec![]).fit(&train, &Watch::NONE).is_err());
    assert!(LogisticParams::default().with_penalties(vec![-1.0]).fit(&train, &Watch::NONE).is_err());
}

/// Every label or none is legal.
#[test]
fn all_and_none() {
    let (attributes, _) = utilities(7, 30);
    let all = |at: usize| if at.is_multiple_of(2) { Target::Set(vec![0, 1, 2, 3]) } else { Target::Set(vec![]) };
    let labels = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
    let train = LabelledExamples::new(attributes, labels, (0..30).map(all).collect()).unwrap();
    for (name, learner) in learners() {
        let found = learner.fit(&train, &Watch::NONE).unwrap().predict(train.attributes()).unwrap();
        assert!(found.iter().flat_map(|found| &found.utilities).all(|utility| utility.is_finite()), "{name}");
    }
}

/// A separable stream: examples of norm at most 1 whose constraints all hold with some margin under weights of norm 1.
fn separable(kind: &str, task: u64, margin: f64) -> Vec<(Vec<f64>, Target)> {
    let mut stream = stream(task);
    let mut truth: Vec<f64> = (0..4 * 5).map(|_| normal(&mut stream)).collect();
    let norm = truth.iter().map(|weight| weight * weight).sum::<f64>().sqrt();
    truth.iter_mut().for_each(|weight| *weight /= norm);
    let mut out = Vec::new();
    while out.len() < 300 {
        let mut example: Vec<f64> = (0..5).map(|_| normal(&mut stream)).collect();
        let norm = example.iter().map(|value| value * value).sum::<f64>().sqrt();
        example.iter_mut().for_each(|value| *value /= norm);
        let of: Vec<f64> =
            truth.chunks(5).map(|weights| weights.iter().zip(&example).map(|(w, x)| w * x).sum()).collect();
        let target = targets(kind, &of);
        let known = Encoding::default().preferences(&target, 4);
        let across = known.relevant.iter().flat_map(|&one| known.irrelevant.iter().map(move |&other| (one, other)));
        let wide = known.pairs.iter().copied().chain(across).all(|(one, other)| of[one] - of[other] >= margin)
            && known.relevant.iter().all(|&label| of[label] >= margin)
            && known.irrelevant.iter().all(|&label| of[label] <= -margin);
        if wide {
            out.push((example, target));
        }
    }
    out
}

/// The bound of CLR: on separable streams the losses sum up to at most 2 Λ R² / γ², with Λ = R = 1. So the updates end.
#[test]
fn losses_are_bounded_on_separable_streams() {
    let margin = 0.05;
    for (number, kind) in KINDS.iter().enumerate() {
        for encoding in [Encoding::default(), Encoding::default().adjacent(), Encoding::default().lowest_only()] {
            for loss in [LabelLoss::ZeroOne, LabelLoss::Hamming, LabelLoss::Kendall, LabelLoss::Footrule] {
                let examples = separable(kind, 100 + number as u64, margin);
                let mut ranker = OnlineRanker::new(4, 5);
                if loss.of(&[0.0; 4], &examples[0].1).is_err() {
                    continue;
                }
                let (mut total, mut last) = (0.0, f64::INFINITY);
                while last > 0.0 {
                    last = 0.0;
                    for (example, target) in &examples {
                        last += ranker.learn(example, target, encoding, loss).unwrap();
                    }
                    total += last;
                    assert!(total <= 2.0 / (margin * margin), "{kind}, {loss}: {total}");
                }
                assert!(total > 0.0, "{kind}, {loss}");
            }
        }
    }
}

/// Algorithm 1 as the paper prints it, with its mean over steps: loss · β / c.
#[test]
fn the_algorithm_as_printed() {
    for kind in KINDS {
        for encoding in [Encoding::ALL, Encoding::ALL.adjacent(), Encoding::ALL.lowest_only()] {
            let loss = LabelLoss::Kendall;
            let stream = separable(kind, 200, 0.0);
            let mut ranker = OnlineRanker::new(4, 5);
            let mut weights = [[0.0; 5]; 4];
            let mut sum = [[0.0; 5]; 4];
            for (example, target) in &stream {
                let utilities: Vec<f64> =
                    weights.iter().map(|of| of.iter().zip(example).map(|(w, x)| w * x).sum::<f64>()).collect();
                let suffered = loss.of(&utilities, target).unwrap();
                let known = encoding.preferences(target, 4);
                let (mut beta, mut c) = ([0.0; 4], 0.0);
                let mut pairs = known.pairs.clone();
                for &r in &known.relevant {
                    pairs.extend(known.irrelevant.iter().map(|&s| (r, s)));
                }
                for (r, s) in pairs {
                    if utilities[r] <= utilities[s] {
                        beta[r] += 1.0;
                        beta[s] -= 1.0;
                        c += 1.0;
                    }
                }
                for &r in &known.relevant {
                    if utilities[r] <= 0.0 {
                        beta[r] += 1.0;
                        c += 1.0;
                    }
                }
                for &r in &known.irrelevant {
                    if utilities[r] >= 0.0 {
                        beta[r] -= 1.0;
                        c += 1.0;
                    }
                }
                if suffered > 0.0 {
                    for label in 0..4 {
                        for at in 0..5 {
                            weights[label][at] += suffered * beta[label] / c * example[at];
                        }
                    }
                }
                for (sum, weights) in sum.iter_mut().flatten().zip(weights.iter().flatten()) {
                    *sum += weights;
                }
                assert!((ranker.learn(example, target, encoding, loss).unwrap() - suffered).abs() < 1e-12);
            }
            let near = |ours: Vec<f64>, theirs: &[[f64; 5]; 4], share: f64| {
                ours.iter().zip(theirs.iter().flatten()).all(|(one, other)| (one - share * other).abs() < 1e-10)
            };
            assert!(near(ranker.clone().into_weights(false), &weights, 1.0), "{kind}");
            assert!(near(ranker.into_weights(true), &sum, 1.0 / stream.len() as f64), "{kind}");
        }
    }
    let mut ranker = OnlineRanker::new(2, 3);
    for wrong in [&[1.0, 2.0][..], &[], &[1.0, f64::NAN, 0.0]] {
        assert!(ranker.learn(wrong, &Target::Class(0), Encoding::ALL, LabelLoss::ZeroOne).is_err());
    }
}

/// l-multilabel classification: so many labels come first, and no zero point is known.
#[test]
fn so_many_labels_come_first() {
    let first = |task: u64, count: usize| {
        let (attributes, utilities) = utilities(task, count);
        let labels = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let targets = utilities.iter().map(|of| Target::First(order(of)[..2].to_vec())).collect();
        LabelledExamples::new(attributes, labels, targets).unwrap()
    };
    let (train, test) = (first(20, 400), first(21, 200));
    for (name, learner) in learners() {
        let model = learner.fit(&train, &Watch::NONE).unwrap();
        assert!(!model.is_calibrated(), "{name}");
        let found = model.predict(test.attributes()).unwrap();
        let wrong: f64 = found
            .iter()
            .zip(test.targets())
            .map(|(found, target)| LabelLoss::Hamming.of(&found.utilities, target).unwrap())
            .sum();
        assert!(wrong / 200.0 < 0.15, "{name}: {wrong}");
        let evaluation = LabelEvaluation::of(&found, test.targets(), 4).unwrap();
        assert!(evaluation.ranking_loss.is_some() && evaluation.hamming.is_none(), "{name}");
    }
}

/// With a kernel the algorithm is the linear one on any features whose products are the kernel, here the rows of its Cholesky factor.
#[test]
fn the_kernel_is_linear_in_its_features() {
    let train = examples("top", 8, 40);
    let width = 0.8;
    let params = OnlineParams::default().with_features(Features::Kernel { width }).with_seed(Seed(5));
    let found = params.fit(&train, &Watch::NONE).unwrap().predict(train.attributes()).unwrap();
    // Standardised by hand: the constant attribute says nothing, and counts as one of four.
    let count = train.len();
    let column = |at: usize| (0..count).map(|row| train.attributes().row(row)[at]).collect::<Vec<f64>>();
    let standard = |values: Vec<f64>| {
        let mean = values.iter().sum::<f64>() / count as f64;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count as f64).sqrt();
        values.into_iter().map(|value| (value - mean) / deviation).collect::<Vec<f64>>()
    };
    let columns = [0, 1, 2].map(|at| standard(column(at)));
    let kernel = |one: usize, other: usize| {
        let distance: f64 = columns.iter().map(|values| (values[one] - values[other]).powi(2)).sum();
        1.0 + (-distance / (2.0 * 4.0 * width * width)).exp()
    };
    let mut factor = vec![vec![0.0; count]; count];
    for row in 0..count {
        for at in 0..=row {
            let product: f64 = (0..at).map(|k| factor[row][k] * factor[at][k]).sum();
            let left: f64 = kernel(row, at) - product;
            factor[row][at] = if at == row { left.sqrt() } else { left / factor[at][at] };
        }
    }
    let mut ranker = OnlineRanker::new(4, count);
    let mut stream = Seed(5).stream(0);
    let mut order: Vec<usize> = (0..count).collect();
    let mut sums = vec![[0.0; 4]; count];
    for _ in 0..5 {
        order.shuffle(&mut stream);
        for &at in &order {
            ranker.learn(&factor[at], &train.targets()[at], Encoding::default(), LabelLoss::ZeroOne).unwrap();
            for (sums, row) in sums.iter_mut().zip(&factor) {
                sums.iter_mut().zip(ranker.utilities(row)).for_each(|(sum, utility)| *sum += utility);
            }
        }
    }
    for (found, sums) in found.iter().zip(&sums) {
        for (found, sum) in found.utilities.iter().zip(sums) {
            // The factor loses some digits, since near examples are nearly alike.
            assert!((found - sum / (5 * count) as f64).abs() < 1e-6, "{found} {}", sum / (5 * count) as f64);
        }
    }
}

/// Against all examples and all orders, one by one.
#[test]
fn neighbours_by_brute_force() {
    for kind in ["order", "top", "set"] {
        let (train, test) = (examples(kind, 9, 50), examples(kind, 10, 20));
        let found = NeighboursParams::default().with_neighbours(vec![7]).fit(&train, &Watch::NONE).unwrap();
        let found = found.predict(test.attributes()).unwrap();
        let spread = |at: usize| {
            let values: Vec<f64> = (0..train.len()).map(|row| train.attributes().row(row)[at]).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
        };
        let spreads = [0, 1, 2].map(spread);
        for (at, found) in found.iter().enumerate() {
            let row = test.attributes().row(at);
            let distance = |other: usize| -> f64 {
                let other = train.attributes().row(other);
                (0..3).map(|k| ((row[k] - other[k]) / spreads[k]).powi(2)).sum()
            };
            let mut near: Vec<usize> = (0..train.len()).collect();
            near.sort_by(|&one, &other| distance(one).total_cmp(&distance(other)));
            let has_zero = kind != "order";
            let ranked = if has_zero { 5 } else { 4 };
            let against = |order: &[usize]| {
                let place = |label: usize| order.iter().position(|other| *other == label).unwrap();
                let wrong = |&example: &usize| {
                    let known = Encoding::default().preferences(&train.targets()[example], 4);
                    let across =
                        known.relevant.iter().flat_map(|&one| known.irrelevant.iter().map(move |&other| (one, other)));
                    let zero = known
                        .relevant
                        .iter()
                        .map(|&label| (label, 4))
                        .chain(known.irrelevant.iter().map(|&label| (4, label)));
                    let all = known.pairs.iter().copied().chain(across).chain(zero.filter(|_| has_zero));
                    all.filter(|(one, other)| place(*one) > place(*other)).count()
                };
                near[..7].iter().map(wrong).sum::<usize>()
            };
            let least = permutations(ranked).iter().map(|order| against(order)).min().unwrap();
            let mut own = found.order();
            if let Some(relevant) = found.relevant() {
                own.insert(relevant, 4);
            }
            assert_eq!(against(&own), least, "{kind}: {own:?}");
        }
    }
}

/// With many labels the order is searched for. Neighbours who agree decide it, and labels of which nothing is known stand by their numbers.
#[test]
fn neighbours_of_many_labels() {
    let attributes = Attributes::new(vec!["x".into()], 6, vec![0.0, 0.1, 0.2, 9.0, 9.1, 9.2]).unwrap();
    let labels: Vec<String> = (0..30).map(|label| format!("l{label}")).collect();
    let order: Vec<usize> = (0..30).map(|at| at * 7 % 30).collect();
    let target = |at: usize| Target::Order(if at < 3 { order.clone() } else { order.iter().rev().copied().collect() });
    let train = LabelledExamples::new(attributes.clone(), labels.clone(), (0..6).map(target).collect()).unwrap();
    let params = NeighboursParams::default().with_neighbours(vec![3]);
    let found = params.fit(&train, &Watch::NONE).unwrap().predict(&attributes).unwrap();
    assert_eq!(found[0].order(), order);
    assert!(found[5].order().iter().rev().eq(&order));
    let few: Vec<String> = labels[..6].to_vec();
    let two = |at: usize| Target::Order(if at < 3 { vec![5, 0] } else { vec![1, 2, 3, 4] });
    let train = LabelledExamples::new(attributes.clone(), few, (0..6).map(two).collect()).unwrap();
    let found = params.fit(&train, &Watch::NONE).unwrap().predict(&attributes).unwrap();
    assert_eq!(found[0].order().into_iter().filter(|label| (1..5).contains(label)).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let insert = |shorter: Vec<usize>| {
        (0..count).map(move |at| {
            let mut longer = shorter.clone();
            longer.insert(at, count - 1);
            longer
        })
    };
    permutations(count - 1).into_iter().flat_map(insert).collect()
}

/// The expanded examples are classified as they should be exactly if the utilities satisfy the constraints.
#[test]
fn expanded_constraints() {
    let known = LabelPreferences { pairs: vec![(2, 0)], relevant: vec![2], irrelevant: vec![1, 3] };
    let expanded = expand(&known);
    // (2,0), (2,1) and (2,3) on both sides, one relevant and two irrelevant labels.
    assert_eq!(expanded.len(), 2 * 3 + 3);
    let example = [1.5, -2.0];
    assert_eq!(expanded[0].vector(&example, 4), [-1.5, 2.0, 0.0, 0.0, 1.5, -2.0, 0.0, 0.0]);
    assert!(expanded[0].positive && !expanded[1].positive);
    assert_eq!(expanded[1].vector(&example, 4), [1.5, -2.0, 0.0, 0.0, -1.5, 2.0, 0.0, 0.0]);
    let weights = [0.0, 0.1, -1.0, 0.0, 1.0, 0.0, -0.1, 0.3];
    let right = expanded.iter().filter(|binary| {
        let product: f64 = binary.vector(&example, 4).iter().zip(&weights).map(|(x, w)| x * w).sum();
        (product > 0.0) == binary.positive
    });
    assert_eq!(right.count(), expanded.len(), "utilities -0.2, -1.5, 1.5 and -0.75 satisfy all");
}

fn ask(python: &str, task: &serde_json::Value) -> serde_json::Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/oracles/labels.py");
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(task.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The relevant labels and the scores of some examples.
type Case = (Vec<Vec<usize>>, Vec<Vec<f64>>);

/// Random scores of few values, so that many are equal, and random sets, some of them empty or whole.
#[test]
fn measures_equal_scikit_learn() {
    let Ok(python) = std::env::var("ORDAIN_PYTHON") else {
        eprintln!("SKIPPED: ORDAIN_PYTHON is not set, so there is no scikit-learn; run `cargo xtask test`");
        return;
    };
    let mut stream = stream(11);
    let cases: Vec<Case> = (0..30)
        .map(|case| {
            let labels = 2 + case % 5;
            let examples = 1 + case;
            let truth = (0..examples)
                .map(|at| (0..labels).filter(|_| at % 4 == 0 && at > 0 || stream.random_bool(0.4)).collect())
                .collect();
            let scores = (0..examples)
                .map(|_| (0..labels).map(|_| f64::from(stream.random_range(-3..=3)) / 2.0).collect())
                .collect();
            (truth, scores)
        })
        .collect();
    let task = |(truth, scores): &Case| {
        let labels = scores[0].len();
        let truth: Vec<Vec<u8>> =
            truth.iter().map(|set| (0..labels).map(|label| u8::from(set.contains(&label))).collect()).collect();
        serde_json::json!({ "truth": truth, "scores": scores })
    };
    let measures: Vec<serde_json::Value> = cases.iter().map(task).collect();
    let theirs = ask(&python, &serde_json::json!({ "measures": measures, "regressions": [] }));
    for ((truth, scores), theirs) in cases.iter().zip(theirs["measures"].as_array().unwrap()) {
        let labels = scores[0].len();
        let targets: Vec<Target> = truth.iter().map(|set| Target::Set(set.clone())).collect();
        let found: Vec<_> = scores.iter().map(|scores| predicted(scores)).collect();
        let ours = serde_json::to_value(LabelEvaluation::of(&found, &targets, labels).unwrap()).unwrap();
        for name in ["hamming", "ranking_loss", "coverage", "average_precision", "micro_f1", "macro_f1"] {
            let (one, other) = (ours[name].as_f64().unwrap(), theirs[name].as_f64().unwrap());
            assert!((one - other).abs() < 1e-12, "{name}: {one} beside {other}");
        }
    }
}

/// A prediction with these utilities: that of a learner who knows nothing but a bias has them for any example.
fn predicted(utilities: &[f64]) -> ordain::learn::labels::LabelPrediction {
    ordain::learn::labels::LabelPrediction::new(utilities.to_vec(), None, true)
}

/// Joint logistic regression is the regression on the expanded examples, and each vote of the pairs that on the pair's examples.
#[test]
fn regressions_equal_scikit_learn() {
    let Ok(python) = std::env::var("ORDAIN_PYTHON") else {
        eprintln!("SKIPPED: ORDAIN_PYTHON is not set, so there is no scikit-learn; run `cargo xtask test`");
        return;
    };
    let train = examples("top", 12, 60);
    let penalty = 0.05;
    let count = train.len();
    let columns: Vec<Vec<f64>> = (0..3)
        .map(|at| {
            let values: Vec<f64> = (0..count).map(|row| train.attributes().row(row)[at]).collect();
            let mean = values.iter().sum::<f64>() / count as f64;
            let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count as f64).sqrt();
            values.into_iter().map(|value| (value - mean) / deviation).collect()
        })
        .collect();
    let row = |at: usize| vec![columns[0][at], columns[1][at], columns[2][at], 0.0, 1.0];
    let (mut rows, mut sides, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (at, target) in train.targets().iter().enumerate() {
        for binary in expand(&Encoding::default().preferences(target, 4)) {
            weights.push(1.0);
            sides.push(i32::from(binary.positive));
            rows.push(binary.vector(&row(at), 4));
        }
    }
    let joint =
        serde_json::json!({ "rows": rows, "sides": sides, "weights": weights, "penalty": penalty, "examples": count });
    // The first label beside the zero point.
    let first: Vec<i32> = train
        .targets()
        .iter()
        .map(|target| i32::from(matches!(target, Target::Top(order) if order.contains(&0))))
        .collect();
    let all: Vec<Vec<f64>> = (0..count).map(row).collect();
    let zero = serde_json::json!({ "rows": all, "sides": first, "weights": vec![1.0; count], "penalty": penalty, "examples": count });
    let theirs = ask(&python, &serde_json::json!({ "measures": [], "regressions": [joint, zero] }));
    let weights = |at: usize| -> Vec<f64> {
        theirs["regressions"][at].as_array().unwrap().iter().map(|weight| weight.as_f64().unwrap()).collect()
    };
    let tolerance = 1e-7;
    let ours = LogisticParams::default().with_penalties(vec![penalty]).with_tolerance(tolerance);
    let ours = ours.fit(&train, &Watch::NONE).unwrap().predict(train.attributes()).unwrap();
    let pairwise = PairwiseParams::default().with_penalties(vec![penalty]).with_tolerance(tolerance);
    let pairwise = pairwise.fit(&train, &Watch::NONE).unwrap().predict(train.attributes()).unwrap();
    let (joint, zero) = (weights(0), weights(1));
    for at in 0..count {
        let product = |weights: &[f64]| weights.iter().zip(row(at)).map(|(weight, value)| weight * value).sum::<f64>();
        for label in 0..4 {
            let theirs = product(&joint[5 * label..5 * (label + 1)]);
            // A gradient of 1e-7 leaves weights within 1e-7 / penalty, and theirs stops at a like one.
            assert!((ours[at].utilities[label] - theirs).abs() < 1e-5, "{} {theirs}", ours[at].utilities[label]);
        }
        let share = 1.0 / (1.0 + (-product(&zero)).exp());
        assert!((pairwise[at].probabilities.as_ref().unwrap()[0] - share).abs() < 1e-5);
    }
}

proptest! {
    /// Measures by their definitions, in other words: with places that count equal scores against the ranking.
    #[test]
    fn measures_by_definition(
        scores in prop::collection::vec(-2_i8..=2, 1..8),
        bits in any::<u8>(),
    ) {
        let scores: Vec<f64> = scores.iter().map(|score| f64::from(*score)).collect();
        let relevant: Vec<bool> = (0..scores.len()).map(|at| bits >> at & 1 == 1).collect();
        let rank = |at: usize| scores.iter().filter(|other| **other >= scores[at]).count();
        let of = |kind: bool| (0..scores.len()).filter(|&at| relevant[at] == kind).collect::<Vec<usize>>();
        let coverage = of(true).iter().map(|&at| rank(at)).max().unwrap_or(0);
        prop_assert_eq!(label_coverage(&scores, &relevant), coverage as f64);
        let wrong = of(true).iter().flat_map(|&one| of(false).into_iter().map(move |other| (one, other)))
            .filter(|(one, other)| scores[*one] <= scores[*other]).count();
        let pairs = of(true).len() * of(false).len();
        prop_assert_eq!(label_ranking_loss(&scores, &relevant), if pairs == 0 { 0.0 } else { wrong as f64 / pairs as f64 });
        let lowest_of_the_best = of(false).iter().any(|&at| (0..scores.len()).all(|other| scores[other] <= scores[at]));
        prop_assert_eq!(one_error(&scores, &relevant), f64::from(u8::from(lowest_of_the_best)));
        let precision = label_average_precision(&scores, &relevant);
        prop_assert!((0.0..=1.0).contains(&precision));
    }
}
