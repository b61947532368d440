//! Rankings of labels: the bound of the online algorithm, scikit-learn, brute force, one suite for every learner, and the files.
//! Comparisons with scikit-learn need the interpreter that `cargo xtask test` prepares and names in `ORDAIN_PYTHON`.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod files;
mod online;
mod scikit_learn;

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
