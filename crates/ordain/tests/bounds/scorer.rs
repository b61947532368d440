//! UD's linear scorer: its optimum against scikit-learn's, samples with repeats, folds, and what it refuses.

use std::io::Write;
use std::process::{Command, Stdio};

use ordain::data::Attributes;
use ordain::learn::{LabelledQuery, PairwiseRiskParams};
use ordain::numeric::Seed;
use rand::RngExt;

fn query(documents: usize, width: usize, task: u64) -> LabelledQuery {
    let mut stream = Seed(21).stream(task);
    let names = (0..width).map(|at| at.to_string()).collect();
    let values: Vec<f64> = (0..documents * width).map(|_| stream.random_range(0.0..1.0)).collect();
    let relevant =
        (0..documents).map(|at| at == 0 || (at > 1 && stream.random_bool(0.1 + 0.6 * values[at * width]))).collect();
    LabelledQuery::new(Attributes::new(names, documents, values).unwrap(), relevant).unwrap()
}

fn queries(count: u64, documents: usize, width: usize) -> Vec<LabelledQuery> {
    (0..count).map(|task| query(documents + task as usize % 3, width, task)).collect()
}

fn exact(penalty: f64) -> PairwiseRiskParams {
    PairwiseRiskParams::default().with_penalty(penalty).with_tolerance(1e-9)
}

fn distance(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// A gradient within 1e-9 of none and curvatures of the penalty at least: the optimum is within √d · 1e-9 / λ.
const NEAR: f64 = 1e-5;

#[test]
fn equals_scikit_learn() {
    let Ok(python) = std::env::var("ORDAIN_PYTHON") else {
        eprintln!("SKIPPED: ORDAIN_PYTHON is not set, so there is no scikit-learn; run `cargo xtask test`");
        return;
    };
    let settings = [(1, 2, 1, 1.0), (5, 8, 3, 0.1), (12, 30, 10, 1e-3)];
    let problems = settings.map(|(count, documents, width, penalty)| (queries(count, documents, width), penalty));
    let task = |(queries, penalty): &(Vec<LabelledQuery>, f64)| {
        let query = |query: &LabelledQuery| {
            let rows: Vec<&[f64]> = (0..query.relevant().len()).map(|item| query.attributes().row(item)).collect();
            serde_json::json!({ "attributes": rows, "relevant": query.relevant() })
        };
        serde_json::json!({ "queries": queries.iter().map(query).collect::<Vec<_>>(), "penalty": penalty })
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/oracles/pairwise_risk.py");
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let tasks: serde_json::Value = problems.iter().map(task).collect();
    child.stdin.take().unwrap().write_all(tasks.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let theirs: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for ((queries, penalty), theirs) in problems.iter().zip(theirs.as_array().unwrap()) {
        let scorer = exact(*penalty).fit(queries).unwrap();
        let weights: Vec<f64> = theirs["weights"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let objective = theirs["objective"].as_f64().unwrap();
        // Sums in another order; theirs is an optimum too.
        assert!((scorer.objective() - objective).abs() < 1e-10, "{} {objective}", scorer.objective());
        assert!(distance(scorer.weights(), &weights) < NEAR, "{:?} {weights:?}", scorer.weights());
    }
}

/// A query drawn twice is two queries, one without a pair is none, and the order does not matter.
#[test]
fn samples_with_repeats() {
    let mut all = queries(4, 9, 3);
    let none = LabelledQuery::new(all[0].attributes().clone(), vec![true; all[0].relevant().len()]).unwrap();
    all.push(none);
    let params = exact(1e-2);
    let drawn = params.fit_drawn(&all, &[2, 0, 2, 4, 2]).unwrap();
    let copied = params.fit(&[all[2].clone(), all[2].clone(), all[0].clone(), all[2].clone()]).unwrap();
    assert!(distance(drawn.weights(), copied.weights()) < NEAR);
    assert!((drawn.objective() - copied.objective()).abs() < 1e-12);
    assert!(drawn.steps() > 0);
}

#[test]
fn folds_are_dealt_in_turn_and_not_learned_from() {
    let all = queries(7, 6, 2);
    let draws: Vec<usize> = (0..7).collect();
    let params = exact(1e-2);
    let learned = params.cross_validate(&all, &draws, 3).unwrap();
    let held_out: Vec<Vec<usize>> = learned.folds.iter().map(|fold| fold.held_out.clone()).collect();
    assert_eq!(held_out, [vec![0, 3, 6], vec![1, 4], vec![2, 5]]);
    assert_eq!(learned.scorer, params.fit(&all).unwrap());
    assert_eq!(learned.folds[1].scorer, params.fit_drawn(&all, &[0, 2, 3, 5, 6]).unwrap());
    let risks = learned.risks(&all).unwrap();
    assert_eq!(risks.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2, 2]);
    learned.risks(&all[..3]).unwrap_err();
    for folds in [0, 1, 8] {
        params.cross_validate(&all, &draws, folds).unwrap_err();
    }
}

/// Also where the range overflows, or is the least there is, or nothing.
#[test]
fn attributes_between_0_and_1() {
    let scaled = |values: [f64; 3]| {
        let scaled = Attributes::new(vec!["x".into()], 3, values.to_vec()).unwrap().between_0_and_1(None);
        [0, 1, 2].map(|item| scaled.row(item)[0])
    };
    assert_eq!(scaled([-2.0, 6.0, 0.0]), [0.0, 1.0, 0.25]);
    assert_eq!(scaled([f64::MAX, -f64::MAX, 0.0]), [1.0, 0.0, 0.5]);
    assert_eq!(scaled([5e-324, 0.0, 0.0]), [1.0, 0.0, 0.0]);
    assert_eq!(scaled([7.0, 7.0, 7.0]), [0.0, 0.0, 0.0]);
    assert!(Attributes::none(3).between_0_and_1(None).is_empty());
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let all = queries(12, 20, 5);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| PairwiseRiskParams::default().fit(&all).unwrap())
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn bad_input_is_refused() {
    let all = queries(2, 5, 2);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        PairwiseRiskParams::default().with_penalty(bad).fit(&all).unwrap_err();
        PairwiseRiskParams::default().with_tolerance(bad).fit(&all).unwrap_err();
    }
    let params = PairwiseRiskParams::default();
    assert!(params.fit(&[]).unwrap_err().to_string().contains("a relevant document and one that is not"));
    assert!(params.fit_drawn(&all, &[0, 2]).unwrap_err().to_string().contains("position 2"));
    let narrow = query(5, 1, 0);
    params.fit(&[all[0].clone(), narrow.clone()]).unwrap_err();
    params.fit(&all).unwrap().score(narrow.attributes()).unwrap_err();
    LabelledQuery::new(narrow.attributes().clone(), vec![true]).unwrap_err();
    let stopped = params.with_max_steps(1).fit(&all).unwrap_err();
    assert!(stopped.to_string().contains("did not converge"), "{stopped}");
}
