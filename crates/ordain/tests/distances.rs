//! Correlations, distances and errors against scipy and scikit-learn (`data/make_statistics.py`) and against their
//! definitions, pair by pair.
#![allow(clippy::unwrap_used)]

#[path = "common/statistics.rs"]
mod statistics;

use std::collections::HashSet;

use ordain::data::ItemId;
use ordain::measure::{
    Bins, NEUTRAL, OPTIMISTIC, auc, bucket_footrule, bucket_kendall, expected_calibration_error, footrule,
    k_partite_error, kendall_tau_a, kendall_tau_b, mean_absolute_error, normalised_footrule, pair_error, spearman_rho,
    top_footrule, top_footrule_at, top_kendall, wrong_pairs, zero_one_error,
};
use ordain::numeric::Seed;
use proptest::prelude::*;
use rand::{Rng, RngExt, seq::SliceRandom};
use statistics::{quarters, rows};

/// All values here are of order 1 and come from whole numbers by a few roundings.
fn assert_close(found: f64, expected: f64, of: &str) {
    assert!((found - expected).abs() <= 1e-12, "{of}: {found} {expected}");
}

/// Samples of all small sizes on grids from one step to many.
fn cases() -> impl Iterator<Item = (Vec<f64>, Vec<f64>)> {
    let mut stream = Seed(11).stream(0);
    (0..400).map(move |case| {
        let (size, grid) = (2 + case % 40, [1, 2, 5, 1000][case / 40 % 4]);
        (quarters(&mut stream, size, grid), quarters(&mut stream, size, grid))
    })
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (0..i).map(move |j| (j, i)))
}

/// -1, 0 or 1.
fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}

/// The average rank by counting.
fn rank(values: &[f64], at: usize) -> f64 {
    let below = values.iter().filter(|value| **value < values[at]).count() as f64;
    let equal = values.iter().filter(|value| **value == values[at]).count() as f64;
    below + (equal + 1.0) / 2.0
}

#[test]
fn correlations_equal_scipy() {
    for row in rows("correlation") {
        assert_close(kendall_tau_b(&row.first, &row.second).unwrap(), row.statistic, "tau-b");
        assert_close(spearman_rho(&row.first, &row.second).unwrap(), row.other.unwrap(), "rho");
    }
}

#[test]
fn areas_and_errors_equal_scikit_learn() {
    for row in rows("auc") {
        let positive: Vec<bool> = row.second.iter().map(|label| *label == 1.0).collect();
        assert_close(auc(&row.first, &positive).unwrap(), row.statistic, "auc");
        assert_close(1.0 - pair_error(&row.first, &row.second).unwrap(), row.statistic, "1 - pair error");
        let ratings: Vec<u32> = row.second.iter().map(|label| *label as u32 + 3).collect();
        let bipartite = k_partite_error(&row.first, &ratings, 2.5).unwrap();
        assert_close(1.0 - bipartite, row.statistic, "1 - bipartite error");
    }
    for row in rows("absolute") {
        assert_close(mean_absolute_error(&row.first, &row.second).unwrap(), row.statistic, "absolute");
    }
    for row in rows("zero_one") {
        assert_close(zero_one_error(&row.first, &row.second).unwrap(), row.statistic, "zero-one");
    }
}

#[test]
fn tau_a_equals_its_definition() {
    for (first, second) in cases() {
        let agreement: f64 =
            pairs(first.len()).map(|(i, j)| sign(first[i] - first[j]) * sign(second[i] - second[j])).sum();
        let expected = agreement / pairs(first.len()).count() as f64;
        assert_eq!(kendall_tau_a(&first, &second).unwrap(), expected);
    }
}

#[test]
fn footrule_equals_its_definition() {
    for (first, second) in cases() {
        let expected: f64 = (0..first.len()).map(|at| (rank(&first, at) - rank(&second, at)).abs()).sum();
        assert_eq!(footrule(&first, &second).unwrap(), expected);
        let share = normalised_footrule(&first, &second).unwrap();
        assert_eq!(share, expected / (first.len() * first.len() / 2) as f64);
        assert!((0.0..=1.0).contains(&share));
    }
}

#[test]
fn reversal_reaches_the_largest_footrule() {
    for n in 2..20 {
        let up: Vec<f64> = (0..n).map(f64::from).collect();
        let down: Vec<f64> = (0..n).rev().map(f64::from).collect();
        assert_eq!(normalised_footrule(&up, &down).unwrap(), 1.0);
    }
}

/// λ of the definition: 1 if the item that should be above scores below, one half if both score the same.
fn wrong(above: f64, below: f64) -> f64 {
    (1.0 - sign(above - below)) / 2.0
}

#[test]
fn pair_error_equals_its_definition() {
    for (scores, truth) in cases() {
        let comparable: Vec<_> = pairs(truth.len()).filter(|&(i, j)| truth[i] != truth[j]).collect();
        if comparable.is_empty() {
            assert!(pair_error(&scores, &truth).is_err());
            continue;
        }
        let ordered = comparable.iter().map(|&(i, j)| if truth[i] > truth[j] { (i, j) } else { (j, i) });
        let items: Vec<_> = ordered.clone().map(|(above, below)| (ItemId::new(above), ItemId::new(below))).collect();
        let total: f64 = ordered.map(|(above, below)| wrong(scores[above], scores[below])).sum();
        assert_eq!(pair_error(&scores, &truth).unwrap(), total / comparable.len() as f64);
        assert_eq!(wrong_pairs(&scores, &items).unwrap(), total);
    }
    assert_eq!(wrong_pairs(&[], &[]).unwrap(), 0.0);
    assert!(wrong_pairs(&[1.0], &[(ItemId(0), ItemId(1))]).is_err());
    assert!(wrong_pairs(&[1.0, f64::NAN], &[]).is_err());
}

#[test]
fn k_partite_error_equals_its_definition() {
    for (at, (scores, truth)) in cases().enumerate() {
        let alpha = [0.0, 0.5, 1.0, 2.0][at % 4];
        let ratings: Vec<u32> = truth.iter().map(|value| (value * 4.0) as i32 as u32 & 1023).collect();
        let (mut total, mut comparable) = (0.0, 0.0);
        for (i, j) in pairs(ratings.len()).flat_map(|(i, j)| [(i, j), (j, i)]) {
            if ratings[j] > ratings[i] {
                total += f64::from(ratings[j] - ratings[i]).powf(alpha) * wrong(scores[j], scores[i]);
                comparable += 1.0;
            }
        }
        match k_partite_error(&scores, &ratings, alpha) {
            // Sums of up to 800 weights in another order.
            Ok(found) => assert!((found - total / comparable).abs() <= 1e-12 * found, "{found} {total} {comparable}"),
            Err(_) => assert_eq!(comparable, 0.0),
        }
        if alpha == 0.0 && comparable > 0.0 {
            let truth: Vec<f64> = ratings.iter().map(|rating| f64::from(*rating)).collect();
            assert_eq!(k_partite_error(&scores, &ratings, alpha).unwrap(), pair_error(&scores, &truth).unwrap());
        }
    }
}

/// $K^{(p)}$ by the four cases of Fagin, Kumar and Sivakumar.
fn kendall_by_cases(first: &[u32], second: &[u32], penalty: f64) -> f64 {
    let all: Vec<u32> = first.iter().chain(second).copied().collect::<HashSet<_>>().into_iter().collect();
    let place = |list: &[u32], item: u32| list.iter().position(|other| *other == item);
    let cost = |(i, j): (usize, usize)| {
        let (a, b) = (all[i], all[j]);
        match ((place(first, a), place(first, b)), (place(second, a), place(second, b))) {
            ((Some(a1), Some(b1)), (Some(a2), Some(b2))) => f64::from(u8::from((a1 < b1) != (a2 < b2))),
            ((Some(a), Some(b)), (Some(_), None)) | ((Some(_), None), (Some(a), Some(b))) => f64::from(u8::from(b < a)),
            ((Some(a), Some(b)), (None, Some(_))) | ((None, Some(_)), (Some(a), Some(b))) => f64::from(u8::from(a < b)),
            ((Some(_), None), (None, Some(_))) | ((None, Some(_)), (Some(_), None)) => 1.0,
            _ => penalty,
        }
    };
    pairs(all.len()).map(cost).sum()
}

/// $F^{(\ell)}$ by its definition.
fn footrule_by_places(first: &[u32], second: &[u32], location: f64) -> f64 {
    let all: HashSet<u32> = first.iter().chain(second).copied().collect();
    let place = |list: &[u32], item: u32| {
        list.iter().position(|other| *other == item).map_or(location, |place| place as f64 + 1.0)
    };
    all.into_iter().map(|item| (place(first, item) - place(second, item)).abs()).sum()
}

fn top_list(stream: &mut impl Rng, size: usize, items: u32) -> Vec<u32> {
    let mut all: Vec<u32> = (0..items).collect();
    all.shuffle(stream);
    all.truncate(size);
    all
}

#[test]
fn top_list_distances_equal_their_definitions() {
    let mut stream = Seed(12).stream(0);
    for case in 0..500 {
        let (k, other) = (case % 12, if case % 3 == 0 { case % 7 } else { case % 12 });
        let items = stream.random_range(12..40);
        let (first, second) = (top_list(&mut stream, k, items), top_list(&mut stream, other, items));
        for penalty in [OPTIMISTIC, NEUTRAL, 1.0] {
            let expected = kendall_by_cases(&first, &second, penalty);
            assert_eq!(top_kendall(&first, &second, penalty).unwrap(), expected, "{first:?} {second:?} {penalty}");
            assert_eq!(top_kendall(&second, &first, penalty).unwrap(), expected);
        }
        let location = k.max(other) as f64 + 1.5;
        let expected = footrule_by_places(&first, &second, location);
        assert_eq!(top_footrule_at(&first, &second, location).unwrap(), expected);
        if k == other {
            let expected = footrule_by_places(&first, &second, k as f64 + 1.0);
            assert_eq!(top_footrule(&first, &second).unwrap(), expected);
        }
        assert_eq!(top_footrule(&first, &second).unwrap(), top_footrule(&second, &first).unwrap());
    }
}

/// A random order of `0..n` cut into buckets.
fn buckets(stream: &mut impl Rng, n: u32) -> Vec<Vec<u32>> {
    let mut buckets = vec![vec![]];
    for item in top_list(stream, n as usize, n) {
        if stream.random_bool(0.4) {
            buckets.push(vec![]);
        }
        buckets.last_mut().unwrap().push(item);
    }
    buckets
}

/// The bucket of every item of `0..n`.
fn bucket_of(buckets: &[Vec<u32>], n: u32) -> Vec<f64> {
    (0..n).map(|item| buckets.iter().position(|bucket| bucket.contains(&item)).unwrap() as f64).collect()
}

#[test]
fn bucket_distances_equal_their_definitions() {
    let mut stream = Seed(13).stream(0);
    for case in 0..300 {
        let n = case % 25;
        let (first, second) = (buckets(&mut stream, n), buckets(&mut stream, n));
        let (a, b) = (bucket_of(&first, n), bucket_of(&second, n));
        for penalty in [OPTIMISTIC, 0.25, NEUTRAL] {
            let cost = |(i, j): (usize, usize)| match (sign(a[i] - a[j]), sign(b[i] - b[j])) {
                (x, y) if x == y => 0.0,
                (x, y) if x * y == 0.0 => penalty,
                _ => 1.0,
            };
            let expected: f64 = pairs(n as usize).map(cost).sum();
            assert_eq!(bucket_kendall(&first, &second, penalty).unwrap(), expected);
        }
        let expected: f64 = (0..n as usize).map(|at| (rank(&a, at) - rank(&b, at)).abs()).sum();
        let found = bucket_footrule(&first, &second).unwrap();
        assert_eq!(found, expected);
        // Theorem of Fagin et al. 2004, after Diaconis and Graham.
        let kendall = bucket_kendall(&first, &second, NEUTRAL).unwrap();
        assert!(kendall <= found && found <= 2.0 * kendall);
    }
}

#[test]
fn bucket_distances_are_metrics() {
    let mut stream = Seed(16).stream(0);
    for case in 0..300 {
        let n = 2 + case % 8;
        let [a, b, c] = [(); 3].map(|()| buckets(&mut stream, n));
        let kendall = |a: &[Vec<u32>], b: &[Vec<u32>]| bucket_kendall(a, b, NEUTRAL).unwrap();
        let footrule = |a: &[Vec<u32>], b: &[Vec<u32>]| bucket_footrule(a, b).unwrap();
        assert!(kendall(&a, &c) <= kendall(&a, &b) + kendall(&b, &c));
        assert!(footrule(&a, &c) <= footrule(&a, &b) + footrule(&b, &c));
        assert_eq!((kendall(&a, &a), footrule(&a, &a)), (0.0, 0.0));
    }
}

#[test]
fn a_top_list_is_a_bucket_order_with_the_rest_at_the_end() {
    let mut stream = Seed(14).stream(0);
    for k in 1..10 {
        let (first, second) = (top_list(&mut stream, k, 12), top_list(&mut stream, k, 12));
        // Only items of either list: then the pairs tied in exactly one order are those of the fourth case.
        let all: HashSet<u32> = first.iter().chain(&second).copied().collect();
        let order = |list: &[u32]| -> Vec<Vec<u32>> {
            let rest = all.iter().copied().filter(|item| !list.contains(item)).collect();
            list.iter().map(|item| vec![*item]).chain([rest]).collect()
        };
        for penalty in [OPTIMISTIC, NEUTRAL] {
            let found = bucket_kendall(&order(&first), &order(&second), penalty).unwrap();
            assert_eq!(found, top_kendall(&first, &second, penalty).unwrap());
        }
    }
}

#[test]
fn calibration_error_equals_its_definition() {
    let mut stream = Seed(15).stream(0);
    for case in 0..200 {
        let (n, bins) = (1 + case % 50, 1 + case % 11);
        let probabilities: Vec<f64> = (0..n).map(|_| f64::from(stream.random_range(0..=64_u8)) / 64.0).collect();
        let happened: Vec<bool> = probabilities.iter().map(|p| stream.random_bool(*p)).collect();
        let mut expected = 0.0;
        for bin in 0..bins {
            let inside = |p: f64| {
                let at = p * bins as f64;
                (at >= bin as f64 && at < (bin + 1) as f64) || (p == 1.0 && bin + 1 == bins)
            };
            let members = || (0..n).filter(|&at| inside(probabilities[at]));
            let gap: f64 = members().map(|at| probabilities[at] - f64::from(u8::from(happened[at]))).sum();
            expected += gap.abs() / n as f64;
        }
        let found = expected_calibration_error(&probabilities, &happened, Bins::EqualWidth(bins)).unwrap();
        assert_close(found, expected, "calibration");
    }
}

#[test]
fn equal_count_bins_hold_equal_counts_and_keep_ties_together() {
    // Two bins of two, off by 0.4 and 0.3 in sum.
    let bins = Bins::EqualCount(2);
    let found = expected_calibration_error(&[0.9, 0.1, 0.3, 0.8], &[true, false, false, true], bins).unwrap();
    assert_close(found, 0.7 / 4.0, "two bins");
    let one = expected_calibration_error(&[0.5; 4], &[true, true, false, false], bins).unwrap();
    assert_eq!(one, 0.0);
    // A run of ties that straddles the middle belongs to the first half: 0.1, 0.5, 0.5 and then 0.9, off by 0.1 each.
    let straddling = expected_calibration_error(&[0.5, 0.9, 0.1, 0.5], &[true, true, false, false], bins).unwrap();
    assert_close(straddling, 0.2 / 4.0, "straddling");
}

#[test]
fn bad_input_is_refused() {
    let nan = [1.0, f64::NAN];
    let good = [1.0, 2.0];
    for measure in
        [kendall_tau_a, kendall_tau_b, spearman_rho, footrule, normalised_footrule, pair_error, mean_absolute_error]
    {
        assert!(measure(&nan, &good).is_err());
        assert!(measure(&good, &nan).is_err());
        assert!(measure(&good, &good[..1]).is_err());
        assert!(measure(&[], &[]).is_err());
        assert!(measure(&good, &good).is_ok());
    }
    assert!(kendall_tau_b(&[1.0, 1.0], &good).is_err());
    assert!(spearman_rho(&good, &[0.0, -0.0]).is_err());
    assert!(auc(&good, &[true, true]).is_err());
    assert!(auc(&nan, &[true, false]).is_err());
    assert!(k_partite_error(&good, &[1, 1], 1.0).is_err());
    assert!(k_partite_error(&good, &[5, 1], 1e9).is_err());
    for alpha in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(k_partite_error(&good, &[1, 2], alpha).is_err());
    }
    assert!(top_kendall(&[1, 1], &[2, 3], 0.0).is_err());
    assert!(top_kendall(&[1, 2], &[2, 3], -0.1).is_err());
    assert!(top_footrule(&[1, 2], &[3, 3]).is_err());
    assert!(top_footrule_at(&[1, 2], &[3, 4], 2.0).is_err());
    assert!(top_footrule_at(&[1, 2], &[3, 4], f64::NAN).is_err());
    assert!(bucket_kendall(&[vec![1, 1]], &[vec![1]], 0.5).is_err());
    assert!(bucket_footrule(&[vec![1, 2]], &[vec![1], vec![3]]).is_err());
    assert!(bucket_footrule(&[vec![1, 2]], &[vec![1]]).is_err());
    assert!(zero_one_error::<u8>(&[], &[]).is_err());
    assert!(expected_calibration_error(&[1.1], &[true], Bins::EqualWidth(3)).is_err());
    assert!(expected_calibration_error(&[f64::NAN], &[true], Bins::EqualCount(3)).is_err());
    assert!(expected_calibration_error(&[0.1], &[true], Bins::EqualWidth(0)).is_err());
}

#[test]
fn infinities_are_ordered() {
    let values = [f64::NEG_INFINITY, 0.0, f64::INFINITY];
    assert_eq!(kendall_tau_a(&values, &[1.0, 2.0, 3.0]).unwrap(), 1.0);
    assert_eq!(pair_error(&values, &[1.0, 2.0, 3.0]).unwrap(), 0.0);
}

/// Two lists of a few values each, for many ties, and a permutation of their places.
fn tied_samples() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Vec<usize>)> {
    (2..60_usize).prop_flat_map(|n| {
        let values = || proptest::collection::vec((-4..4_i32).prop_map(|value| f64::from(value) / 2.0), n);
        (values(), values(), Just((0..n).collect::<Vec<_>>()).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn symmetric_and_odd((first, second, _) in tied_samples()) {
        let reversed: Vec<f64> = second.iter().map(|value| -value).collect();
        for tau in [kendall_tau_a, kendall_tau_b, spearman_rho] {
            if let Ok(found) = tau(&first, &second) {
                prop_assert_eq!(found, tau(&second, &first).unwrap());
                prop_assert_eq!(-found, tau(&first, &reversed).unwrap());
                prop_assert!(found.abs() <= 1.0);
            }
        }
        if let Ok(own) = kendall_tau_b(&first, &first) {
            prop_assert_eq!(own, 1.0);
            prop_assert_eq!(spearman_rho(&first, &first).unwrap(), 1.0);
        }
        prop_assert_eq!(footrule(&first, &second).unwrap(), footrule(&second, &first).unwrap());
        if let Ok(error) = pair_error(&first, &second) {
            let other = pair_error(&first, &reversed).unwrap();
            prop_assert!((error + other - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn the_order_of_items_does_not_matter((first, second, order) in tied_samples()) {
        let permute = |values: &[f64]| -> Vec<f64> { order.iter().map(|&at| values[at]).collect() };
        for measure in [kendall_tau_a, kendall_tau_b, spearman_rho, footrule, pair_error] {
            prop_assert_eq!(measure(&first, &second).ok(), measure(&permute(&first), &permute(&second)).ok());
        }
    }

    #[test]
    fn only_the_order_of_values_matters((first, second, _) in tied_samples()) {
        let stretched: Vec<f64> = first.iter().map(|value| value.exp()).collect();
        for measure in [kendall_tau_a, kendall_tau_b, spearman_rho, footrule, pair_error] {
            prop_assert_eq!(measure(&first, &second).ok(), measure(&stretched, &second).ok());
        }
    }
}

#[test]
fn large_samples_are_counted_fast_and_exactly() {
    let n = 200_000;
    let up: Vec<f64> = (0..n).map(f64::from).collect();
    let down: Vec<f64> = (0..n).rev().map(f64::from).collect();
    assert_eq!(kendall_tau_b(&up, &down).unwrap(), -1.0);
    assert_eq!(spearman_rho(&up, &down).unwrap(), -1.0);
    assert_eq!(pair_error(&up, &down).unwrap(), 1.0);
    assert_eq!(normalised_footrule(&up, &down).unwrap(), 1.0);
}
