//! The worked example of AXPGP section 2.4, by hand: six papers, links (a, b) and (d, e).
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::Given;
use ordain::active::{expected_loss, pair_losses};
use ordain::data::{ItemId, Items};
use ordain::gp::{AnswerModel, Belief, EpParams, Incremental, RankingParams, rank};
use ordain::numeric::Matrix;

/// `(Laplacian + I)⁻¹`: for two linked items the inverse of [[2, -1], [-1, 2]], else 1.
fn prior() -> Arc<Given> {
    let linked = |i: usize, j: usize| matches!((i.min(j), i.max(j)), (0, 1) | (3, 4));
    let alone = |i: usize| matches!(i, 2 | 5);
    Arc::new(Given(Matrix::from_fn(6, 6, |i, j| match (i == j, linked(i, j)) {
        (true, _) if alone(i) => 1.0,
        (true, _) => 2.0 / 3.0,
        (false, true) => 1.0 / 3.0,
        (false, false) => 0.0,
    })))
}

fn order(belief: &dyn Belief) -> String {
    let items = Items::from_ids(["a", "b", "c", "d", "e", "f"]).unwrap();
    let ranked = rank(belief, &items, &RankingParams::default()).unwrap();
    ranked.iter().map(|ranked| items.id(ranked.item)).collect()
}

#[test]
fn the_paper_s_numbers() {
    let model = AnswerModel::default();
    let [_, b, c, _, e, f] = [0, 1, 2, 3, 4, 5].map(ItemId);
    let mut belief = Incremental::dense(prior()).unwrap();
    belief.observe(&model.preferred(b, e)).unwrap();
    let printed = [0.174, 0.348, 0.0, -0.174, -0.348, 0.0];
    for (mean, printed) in belief.mean().iter().zip(printed) {
        assert!((mean - printed).abs() < 0.0005, "{mean} {printed}");
    }

    // The largest expected loss is shared by exactly two pairs, (b, c) and (b, f).
    let losses = pair_losses(&belief, 1.0).unwrap();
    assert_eq!(losses.len(), 15);
    let mut largest: Vec<_> = losses
        .iter()
        .filter(|pair| pair.loss > losses[0].loss * (1.0 - 1e-12))
        .map(|pair| (pair.first, pair.second))
        .collect();
    largest.sort_unstable();
    assert_eq!(largest, [(b, c), (b, f)]);
    // With a gentle weight the pair of which least is known comes first.
    let gentle = pair_losses(&belief, 0.02).unwrap()[0];
    assert_eq!((gentle.first, gentle.second), (c, f));

    let answers = [model.preferred(b, e), model.preferred(b, f)];
    belief.observe(&answers[1]).unwrap();
    assert_eq!(order(&belief), "bacdef");
    assert_eq!(order(&EpParams::default().fit(prior(), &answers).unwrap()), "bacdef");
}

/// AXPGP eq. 28 against the integral it stands for (eqs. 26 and 27), by the midpoint rule on the wrong side of zero.
#[test]
fn expected_loss_is_the_integral() {
    const POINTS: i32 = 200_000;
    for (mean, variance) in [(0.0, 1.0), (0.7, 0.3), (-2.5, 4.0), (3.0, 0.5), (1e-3, 1e-2)] {
        let sd = f64::sqrt(variance);
        // Reflected so that the mean is not negative: the wrong side is then below zero.
        let mean = f64::abs(mean);
        let step = (mean + 14.0 * sd) / f64::from(POINTS);
        let integral: f64 = (0..POINTS)
            .map(|k| {
                let delta = -step * (f64::from(k) + 0.5);
                let density = (-0.5 * ((delta - mean) / sd).powi(2)).exp() / (sd * (2.0 * std::f64::consts::PI).sqrt());
                step * density * (delta - mean).powi(2)
            })
            .sum();
        // The midpoint rule's own error is of the order step².
        assert!((expected_loss(mean, variance) - integral).abs() < 1e-8 * variance, "{mean} {variance}");
    }
    assert_eq!(expected_loss(0.5, 0.0), 0.0);
}
