//! Fusion against definitions, and what experts return together.

use std::collections::HashMap;

use ordain::order::{Fusion, Pool, Preference, RankOrdering, Unretrieved, Weighted, agree};
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;

use crate::common::stream;
use crate::{expert, weights};

/// The classical methods, from scores, each written from its definition.
fn by_definition(method: Fusion, scores: &[Vec<Option<f64>>]) -> Vec<f64> {
    let n = scores[0].len();
    let mut out = vec![0.0; n];
    for list in scores {
        let present: Vec<f64> = list.iter().flatten().copied().collect();
        let low = present.iter().copied().fold(f64::INFINITY, f64::min);
        let high = present.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for item in 0..n {
            let Some(own) = list[item] else {
                // Items that are missing share what is left of the points: 0, 1, ..., n - present - 1.
                if method == Fusion::Borda {
                    out[item] += (n - present.len() - 1) as f64 / 2.0;
                }
                continue;
            };
            let above = present.iter().filter(|&&other| other > own).count() as f64;
            let level = present.iter().filter(|&&other| other == own).count() as f64;
            out[item] += match method {
                // n - 1 points for the first of n; equals share.
                Fusion::Borda => n as f64 - 1.0 - above - (level - 1.0) / 2.0,
                Fusion::ReciprocalRank => 1.0 / (60.0 + above + 1.0),
                _ if high > low => (own - low) / (high - low),
                _ => 1.0,
            };
        }
    }
    if method == Fusion::CombMnz {
        for (item, out) in out.iter_mut().enumerate() {
            *out *= scores.iter().filter(|list| list[item].is_some()).count() as f64;
        }
    }
    out
}

proptest! {
    #[test]
    fn the_usual_methods_by_definition(task in 0..100_000_u64) {
        let mut stream = stream(task);
        let (n, count) = (stream.random_range(1..12), stream.random_range(1..5));
        let lists: Vec<Vec<Option<f64>>> = (0..count)
            .map(|_| (0..n).map(|_| stream.random_bool(0.7).then(|| f64::from(stream.random_range(0..6)))).collect())
            .collect();
        let experts: Vec<RankOrdering> = lists
            .iter()
            .map(|list| RankOrdering::from_scores(list.iter().copied(), Unretrieved::Last).unwrap())
            .collect();
        let equal = vec![1.0 / count as f64; count];
        for method in [Fusion::Borda, Fusion::CombSum, Fusion::CombMnz, Fusion::ReciprocalRank] {
            let fused = method.order(&experts, &equal).unwrap();
            let expected = by_definition(method, &lists);
            for (item, score) in fused.order.iter().zip(&fused.scores) {
                // Sums of a few numbers; equals are told apart to 1e-12 of the largest.
                prop_assert!((score - expected[*item]).abs() < 1e-11 * (1.0 + expected[*item].abs()), "{method:?}");
            }
            prop_assert!(fused.scores.windows(2).all(|pair| pair[0] >= pair[1]));
        }
        let preference = Weighted::new(&experts, &equal).unwrap();
        let majority = |u: usize, v: usize| {
            let net = preference.prefer(u, v) - preference.prefer(v, u);
            if net > 1e-9 { 1.0 } else if net < -1e-9 { -1.0 } else { 0.0 }
        };
        let copeland = Fusion::Copeland.order(&experts, &equal).unwrap();
        for (&item, &score) in copeland.order.iter().zip(&copeland.scores) {
            let expected: f64 = (0..n).map(|other| majority(item, other)).sum();
            prop_assert!((score - expected).abs() < 1e-9);
        }
    }

    /// The order of the experts does not matter, and every method gives every item once.
    #[test]
    fn experts_in_any_order(task in 0..100_000_u64) {
        let mut stream = stream(task);
        let n = stream.random_range(1..15);
        let mut experts: Vec<RankOrdering> = (0..4).map(|_| expert(n, 6, 0.3, Unretrieved::Last, &mut stream)).collect();
        let equal = [0.25; 4];
        let before: Vec<Vec<usize>> =
            Fusion::all().iter().map(|method| method.order(&experts, &equal).unwrap().order).collect();
        experts.shuffle(&mut stream);
        for (method, before) in Fusion::all().iter().zip(before) {
            let fused = method.order(&experts, &equal).unwrap();
            prop_assert_eq!(&fused.order, &before, "{:?}", method);
            let mut sorted = fused.order;
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..n).collect::<Vec<_>>());
        }
    }

    /// The refined orders agree at least as well.
    #[test]
    fn refinement_only_improves(task in 0..100_000_u64) {
        let mut stream = stream(task);
        let experts: Vec<RankOrdering> = (0..5).map(|_| expert(20, 20, 0.3, Unretrieved::Last, &mut stream)).collect();
        let weights = weights(5, &mut stream);
        let preference = Weighted::new(&experts, &weights).unwrap();
        let of = |method: Fusion| agree(&method.order(&experts, &weights).unwrap().order, &preference).unwrap();
        let (greedy, components, local) = (of(Fusion::Greedy), of(Fusion::Components), of(Fusion::Local));
        prop_assert!(components >= greedy - 1e-9 && local >= components - 1e-9);
    }

    /// A pool against sets of documents.
    #[test]
    fn pools_hold_what_was_returned(task in 0..100_000_u64) {
        let mut stream = stream(task);
        let names: Vec<String> = (0..8).map(|at| format!("d{at}")).collect();
        let lists: Vec<Vec<(&str, f64)>> = (0..3)
            .map(|_| {
                let mut own: Vec<&str> = names.iter().map(String::as_str).collect();
                own.shuffle(&mut stream);
                own.truncate(stream.random_range(0..8));
                own.into_iter().map(|name| (name, stream.random::<f64>())).collect()
            })
            .collect();
        let pool = Pool::new(lists.clone()).unwrap();
        let mut all: Vec<&str> = lists.iter().flatten().map(|row| row.0).collect();
        all.sort_unstable();
        all.dedup();
        prop_assert_eq!(pool.documents(), &all[..]);
        for (expert, list) in pool.experts(Unretrieved::Abstain).unwrap().iter().zip(&lists) {
            let scores: HashMap<&str, f64> = list.iter().copied().collect();
            prop_assert_eq!(expert.ranked().len(), list.len());
            for &(item, score) in expert.ranked() {
                prop_assert_eq!(scores[all[item as usize]], score);
            }
        }
    }
}

/// Three documents, two lists, worked out by hand.
#[test]
fn by_hand() {
    let pool = Pool::new([vec![("b", 9.0), ("a", 7.0), ("c", 5.0)], vec![("c", 0.9), ("b", 0.4)]]).unwrap();
    let experts = pool.experts(Unretrieved::Last).unwrap();
    let names = |method: Fusion| -> Vec<&str> {
        let fused = method.order(&experts, &[0.5, 0.5]).unwrap();
        fused.order.iter().map(|&item| pool.documents()[item]).collect()
    };
    let reciprocal = Fusion::ReciprocalRank.order(&experts, &[0.5, 0.5]).unwrap();
    // b: 1/61 + 1/62; c: 1/63 + 1/61; a: 1/62.
    let expected = [1.0 / 61.0 + 1.0 / 62.0, 1.0 / 61.0 + 1.0 / 63.0, 1.0 / 62.0];
    assert!(reciprocal.scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!(names(Fusion::ReciprocalRank), ["b", "c", "a"]);
    // b: 1 + 0, c: 0 + 1, a: 0.5; equals in the order of the pool.
    assert_eq!(names(Fusion::CombSum), ["b", "c", "a"]);
    // b and c stand in both lists.
    assert_eq!(Fusion::CombMnz.order(&experts, &[0.5, 0.5]).unwrap().scores, [2.0, 2.0, 0.5]);
    // b: 2 + 1, c: 0 + 2, a: 1 + 0.
    assert_eq!(Fusion::Borda.order(&experts, &[0.5, 0.5]).unwrap().scores, [3.0, 2.0, 1.0]);
    // LTOT's order is numbered from the end.
    assert_eq!(Fusion::Greedy.order(&experts, &[1.0, 0.0]).unwrap().scores, [3.0, 2.0, 1.0]);
    // b is one ahead of a and level with c, which are level with each other.
    assert_eq!(names(Fusion::Greedy), ["b", "a", "c"]);
}

#[test]
fn odd_lists() {
    let twice = Pool::new([vec![("a", 1.0)], vec![("b", 2.0), ("a", 1.0), ("b", 0.0)]]).unwrap_err();
    assert!(twice.to_string().contains("document b twice in list 2"), "{twice}");
    let nan = Pool::new([vec![("a", f64::NAN)]]).unwrap().experts(Unretrieved::Last).unwrap_err();
    assert!(nan.to_string().contains("NaN"));

    // An expert that returned nothing changes nothing but the weight of the others.
    let lists = [vec![("a", 3.0), ("b", 2.0), ("c", 1.0)], vec![("b", 3.0), ("a", 1.0)], vec![]];
    for unretrieved in [Unretrieved::Last, Unretrieved::Abstain] {
        let with = Pool::new(lists.clone()).unwrap().experts(unretrieved).unwrap();
        for &method in Fusion::all() {
            let fused = method.order(&with, &[0.25, 0.25, 0.5]).unwrap();
            assert_eq!(fused.order, method.order(&with[..2], &[0.5, 0.5]).unwrap().order, "{method:?}");
        }
    }
    // Nobody returned anything.
    let nothing = Pool::new([vec![], vec![]]).unwrap().experts(Unretrieved::Last).unwrap();
    for &method in Fusion::all() {
        assert!(method.order(&nothing, &[0.5, 0.5]).unwrap().order.is_empty());
    }
    let infinite = [RankOrdering::from_scores([Some(f64::INFINITY), Some(0.0)], Unretrieved::Last).unwrap()];
    assert!(Fusion::CombSum.order(&infinite, &[1.0]).is_err());
    assert_eq!(Fusion::Greedy.order(&infinite, &[1.0]).unwrap().order, [0, 1]);
}
