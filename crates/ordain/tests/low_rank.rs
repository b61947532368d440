//! Priors of low rank, from far narrower to far wider than the noise: the belief is right, or it is refused with its reason.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::Given;
use ordain::data::ItemId;
use ordain::gp::{AnswerModel, Belief, EpParams};
use ordain::numeric::Matrix;

/// The part of the largest mean or deviation that a result may be off.
const RIGHT: f64 = 1e-6;

struct Problem {
    scale: f64,
    prior: Matrix,
    answers: Vec<(ItemId, ItemId)>,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

/// The problems of `data/make_low_rank.py`, with their beliefs in extended precision.
fn problems() -> Vec<Problem> {
    let numbers = |field: &str| field.split(' ').map(|number| number.parse().unwrap()).collect::<Vec<f64>>();
    let read = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let [scale, rank, rows, answers, means, deviations] = fields[..] else { panic!("{line}") };
        let (scale, rank, rows): (f64, usize, _) = (scale.parse().unwrap(), rank.parse().unwrap(), numbers(rows));
        let product =
            |i: usize, j: usize| (0..rank).map(|axis| rows[i * rank + axis] * rows[j * rank + axis]).sum::<f64>();
        let items = rows.len() / rank;
        let answers = numbers(answers).chunks(2).map(|pair| (ItemId(pair[0] as u32), ItemId(pair[1] as u32))).collect();
        Problem {
            scale,
            prior: Matrix::from_fn(items, items, |i, j| scale * scale * product(i, j)),
            answers,
            means: numbers(means),
            deviations: numbers(deviations),
        }
    };
    include_str!("data/low_rank.csv").lines().map(read).collect()
}

/// The belief is right or refused. Up to a thousand times the noise it is never refused, and beyond that seldom.
#[test]
fn right_or_refused() {
    let model = AnswerModel::default();
    let (mut right, mut refused, problems) = (0, 0, problems());
    for (number, problem) in problems.iter().enumerate() {
        let observations: Vec<_> = problem.answers.iter().map(|&(a, b)| model.preferred(a, b)).collect();
        let ep = match EpParams::default().fit(Arc::new(Given(problem.prior.clone())), &observations) {
            Ok(ep) => ep,
            Err(reason) => {
                assert!(problem.scale > 1e3, "problem {number}, scale {}: {reason}", problem.scale);
                let reason = reason.to_string();
                assert!(
                    reason.contains("the prior beside the noise") || reason.contains("did not converge"),
                    "{reason}"
                );
                refused += 1;
                continue;
            }
        };
        let largest = |values: &[f64]| values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let spread = largest(&problem.deviations);
        let unit = largest(&problem.means).max(spread);
        for (item, (mean, variance)) in ep.mean().iter().zip(ep.variances()).enumerate() {
            let (off, too_wide) = (mean - problem.means[item], variance.sqrt() - problem.deviations[item]);
            assert!(off.abs() <= RIGHT * unit, "problem {number}, scale {}: mean {off}", problem.scale);
            assert!(too_wide.abs() <= RIGHT * spread, "problem {number}, scale {}: {too_wide}", problem.scale);
        }
        right += 1;
    }
    eprintln!("{right} right, {refused} refused");
    assert!(problems.len() == 1000 && right >= 850, "{right} of {}", problems.len());
}
