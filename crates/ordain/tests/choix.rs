//! With independent items EP equals `choix.ep_pairwise`, another implementation. Needs the interpreter that
//! `cargo xtask test` prepares and names in `ORDAIN_PYTHON`.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use common::*;
use ordain::data::ItemId;
use ordain::gp::{AnswerModel, Belief, EpParams};
use ordain::numeric::Matrix;

#[test]
fn independent_items_equal_choix() {
    let Ok(python) = std::env::var("ORDAIN_PYTHON") else {
        eprintln!("SKIPPED: ORDAIN_PYTHON is not set, so there is no choix to compare with; run `cargo xtask test`");
        return;
    };
    let model = AnswerModel::default();
    for (n, answers, alpha) in [(2, 1, 1.0), (12, 30, 0.5), (30, 400, 0.1), (60, 40, 2.0)] {
        let mut stream = stream(n as u64);
        let pairs: Vec<(ItemId, ItemId)> = (0..answers).map(|_| pair(n, &mut stream)).collect();
        let observations: Vec<_> = pairs.iter().map(|&(winner, loser)| model.preferred(winner, loser)).collect();
        let prior = Matrix::from_fn(n, n, |i, j| if i == j { 1.0 / alpha } else { 0.0 });
        let ep = EpParams::default().fit(Arc::new(Given(prior)), &observations).unwrap();

        let pairs: Vec<[u32; 2]> = pairs.iter().map(|(winner, loser)| [winner.0, loser.0]).collect();
        let task = serde_json::json!({ "n": n, "pairs": pairs, "alpha": alpha, "model": "probit" });
        let theirs = ask(&python, &task);
        let numbers = |value: &serde_json::Value| -> Vec<f64> {
            value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
        };
        // The fixed point is the same one; both sides stop within about 1e-9 of it.
        assert!(distance(ep.mean(), &numbers(&theirs["mean"])) < 1e-6, "n = {n}: means");
        let mut column = vec![0.0; n];
        for item in 0..n {
            ep.column(ItemId::new(item), &mut column).unwrap();
            assert!(distance(&column, &numbers(&theirs["cov"][item])) < 1e-6, "n = {n}: covariances");
        }
    }
}

fn ask(python: &str, task: &serde_json::Value) -> serde_json::Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/oracles/choix_ep.py");
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(task.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}
