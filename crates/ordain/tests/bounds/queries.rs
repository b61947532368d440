//! UD's distance of rankings and its bounds over queries.

use ordain::measure::{CrossValidationBound, hoeffding_slack, pairwise_risk, ranking_gap};
use proptest::prelude::*;

/// The risk from its definition.
fn risk(scores: &[f64], relevant: &[bool]) -> f64 {
    let (mut wrong, mut pairs) = (0.0, 0.0);
    for (above, _) in scores.iter().zip(relevant).filter(|(_, is)| **is) {
        for (below, _) in scores.iter().zip(relevant).filter(|(_, is)| !**is) {
            wrong += if above < below {
                1.0
            } else if above == below {
                0.5
            } else {
                0.0
            };
            pairs += 1.0;
        }
    }
    wrong / pairs
}

fn labellings(documents: usize) -> impl Iterator<Item = Vec<bool>> {
    (1..(1_u32 << documents) - 1).map(move |bits| (0..documents).map(|at| bits >> at & 1 == 1).collect())
}

/// All orders of so many documents, as scores from 0.
fn permutations(documents: usize) -> Vec<Vec<f64>> {
    if documents == 0 {
        return vec![vec![]];
    }
    let with = |shorter: Vec<f64>| {
        (0..documents).map(move |at| {
            let mut longer = shorter.clone();
            longer.insert(at, (documents - 1) as f64);
            longer
        })
    };
    permutations(documents - 1).into_iter().flat_map(with).collect()
}

/// The largest difference of risks over all labellings, by counting: `first` has the documents in falling order, and of a labelling
/// the wrong pairs of the second are counted in one pass over its order.
fn largest_difference(first_wrong: &[u32], second: &[f64]) -> f64 {
    let documents = second.len();
    // The documents by falling score.
    let mut order = vec![0; documents];
    for (document, &score) in second.iter().enumerate() {
        order[documents - 1 - score as usize] = document;
    }
    let mut largest = f64::NEG_INFINITY;
    // All labels alike, first and last, make no pair.
    let labelled = first_wrong.iter().enumerate().take((1 << documents) - 1).skip(1);
    for (bits, &first_wrong) in labelled {
        let (mut wrong, mut others_above) = (0, 0);
        for &document in &order {
            if bits >> document & 1 == 1 {
                wrong += others_above;
            } else {
                others_above += 1;
            }
        }
        let pairs = others_above * (documents as u32 - others_above);
        largest = largest.max((f64::from(first_wrong) - f64::from(wrong)) / f64::from(pairs));
    }
    largest
}

/// For every two rankings of up to eight documents, the first being the identity without loss, the distance is the largest difference
/// of risks over all labellings: it bounds every one, and one attains it. Both are the same fraction, rounded once.
#[test]
fn the_distance_bounds_every_labelling_and_one_attains_it() {
    for documents in 2..=8 {
        let first: Vec<f64> = (0..documents).map(|at| (documents - 1 - at) as f64).collect();
        let first_wrong: Vec<u32> = (0..1_usize << documents)
            .map(|bits: usize| {
                let relevant = (0..documents).filter(|at| bits >> at & 1 == 1);
                relevant.map(|at| (0..at).filter(|above| bits >> above & 1 == 0).count() as u32).sum()
            })
            .collect();
        for second in permutations(documents) {
            let gap = ranking_gap(&first, &second).unwrap();
            assert_eq!(gap, largest_difference(&first_wrong, &second), "{second:?}");
        }
    }
}

/// Without the shortcut: both rankings any, and with ties, of which a pair is half wrong.
#[test]
fn any_two_rankings_and_ties() {
    let check = |first: &[f64], second: &[f64]| {
        let differences = labellings(first.len()).map(|labels| risk(first, &labels) - risk(second, &labels));
        let largest = differences.fold(f64::NEG_INFINITY, f64::max);
        // Two fractions and their difference.
        assert!((ranking_gap(first, second).unwrap() - largest).abs() < 1e-15, "{first:?} {second:?}");
    };
    for documents in 2..=5 {
        let all = permutations(documents);
        for first in &all {
            all.iter().for_each(|second| check(first, second));
        }
    }
    for documents in 2..=4_u32 {
        let values = documents.pow(documents);
        let scores = |code: u32| -> Vec<f64> {
            (0..documents).map(|at| f64::from(code / documents.pow(at) % documents)).collect()
        };
        for first in 0..values {
            (0..values).for_each(|second| check(&scores(first), &scores(second)));
        }
    }
}

#[test]
fn risks_and_distances_by_hand() {
    assert_eq!(pairwise_risk(&[1.0, 2.0, 3.0], &[true, false, false]).unwrap(), Some(1.0));
    assert_eq!(pairwise_risk(&[1.0, 1.0, 3.0], &[true, false, true]).unwrap(), Some(0.25));
    assert_eq!(pairwise_risk(&[], &[]).unwrap(), None);
    assert_eq!(pairwise_risk(&[1.0, 2.0], &[false, false]).unwrap(), None);
    assert_eq!((ranking_gap(&[], &[]).unwrap(), ranking_gap(&[1.0], &[5.0]).unwrap()), (0.0, 0.0));
    // The last of four moves to the top: it goes down by three, over 1 · 3 pairs.
    assert_eq!(ranking_gap(&[4.0, 3.0, 2.0, 1.0], &[4.0, 3.0, 2.0, 9.0]).unwrap(), 1.0);
    // Neighbours change places in the middle of four.
    assert_eq!(ranking_gap(&[4.0, 3.0, 2.0, 1.0], &[4.0, 2.0, 3.0, 1.0]).unwrap(), 1.0 / 3.0);
    pairwise_risk(&[f64::NAN], &[true]).unwrap_err();
    pairwise_risk(&[1.0], &[]).unwrap_err();
    ranking_gap(&[1.0], &[]).unwrap_err();
    ranking_gap(&[1.0, 2.0], &[1.0, f64::NAN]).unwrap_err();
}

#[test]
fn slacks_by_hand() {
    let ln = f64::ln;
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-15, "{found} {expected}");
    near(hoeffding_slack(8, 1, 0.5).unwrap(), (ln(2.0) / 16.0).sqrt());
    let bound = CrossValidationBound::new(&[vec![0.5, 1.0], vec![0.25], vec![0.0, 0.0]], &[0.25, 0.5], 0.1).unwrap();
    near(bound.risk(), (0.75 + 0.25 + 0.0) / 3.0);
    // δ/2K = 1/60 and δ/2 = 1/20.
    let (two, one) = ((ln(60.0) / 4.0).sqrt(), (ln(60.0) / 2.0).sqrt());
    near(bound.risk_slack(), (two + one + two) / 3.0);
    near(bound.gap, 0.375);
    near(bound.gap_slack, (ln(20.0) / 4.0).sqrt());
    near(bound.bound(), bound.risk() + bound.risk_slack() + bound.gap + bound.gap_slack);
    let queries: Vec<usize> = bound.folds.iter().map(|fold| fold.queries).collect();
    assert_eq!((queries, bound.unlabelled), (vec![2, 1, 2], 2));
}

#[test]
fn bad_bounds_are_refused() {
    let folds = [vec![0.5], vec![0.5]];
    CrossValidationBound::new(&folds[..1], &[0.1], 0.1).unwrap_err();
    CrossValidationBound::new(&folds, &[], 0.1).unwrap_err();
    CrossValidationBound::new(&[vec![0.5], vec![]], &[0.1], 0.1).unwrap_err();
    CrossValidationBound::new(&[vec![0.5], vec![f64::NAN]], &[0.1], 0.1).unwrap_err();
    CrossValidationBound::new(&folds, &[1.5], 0.1).unwrap_err();
    for delta in [0.0, 2.0, f64::NAN] {
        CrossValidationBound::new(&folds, &[0.1], delta).unwrap_err();
        hoeffding_slack(5, 1, delta).unwrap_err();
    }
    hoeffding_slack(0, 1, 0.1).unwrap_err();
    hoeffding_slack(5, 0, 0.1).unwrap_err();
}

fn scores(documents: usize) -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec((0..8_i32).prop_map(f64::from), documents)
}

fn rankings() -> impl Strategy<Value = [Vec<f64>; 3]> {
    (1..30_usize).prop_flat_map(|documents| [scores(documents), scores(documents), scores(documents)])
}

proptest! {
    #[test]
    fn the_distance_is_a_metric([a, b, c] in rankings()) {
        let gap = |one: &[f64], other: &[f64]| ranking_gap(one, other).unwrap();
        prop_assert!((0.0..=1.0).contains(&gap(&a, &b)));
        prop_assert_eq!(gap(&a, &a), 0.0);
        // Rounding of sums of fractions.
        prop_assert!((gap(&a, &b) - gap(&b, &a)).abs() < 1e-15);
        prop_assert!(gap(&a, &c) <= gap(&a, &b) + gap(&b, &c) + 1e-15);
    }

    /// Only the order counts, and not that of the documents.
    #[test]
    fn only_orders_count([a, b, _] in rankings()) {
        let bent = |scores: &[f64]| -> Vec<f64> { scores.iter().map(|x| x.powi(3) - 7.0).collect() };
        let turned = |scores: &[f64]| -> Vec<f64> { scores.iter().rev().copied().collect() };
        let gap = ranking_gap(&a, &b).unwrap();
        prop_assert_eq!(ranking_gap(&bent(&a), &b).unwrap(), gap);
        prop_assert_eq!(ranking_gap(&turned(&a), &turned(&b)).unwrap(), gap);
    }

    #[test]
    fn slacks_are_monotone(queries in 1..10_000_usize, functions in 1..50_usize, delta in 0.001..0.9) {
        let slack = hoeffding_slack(queries, functions, delta).unwrap();
        prop_assert!(hoeffding_slack(queries + 1, functions, delta).unwrap() < slack);
        prop_assert!(hoeffding_slack(queries, functions + 1, delta).unwrap() > slack);
        prop_assert!(hoeffding_slack(queries, functions, delta * 1.1).unwrap() < slack);
    }
}
