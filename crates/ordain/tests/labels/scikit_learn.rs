//! Measures and regressions beside scikit-learn's.

use std::io::Write;
use std::process::{Command, Stdio};

use super::*;

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
