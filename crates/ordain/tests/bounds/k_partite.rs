//! KP's constants and rank-shatter coefficients.

use std::collections::HashSet;

use ordain::measure::{RankingClass, RatingCounts, k_partite_error};
use ordain::numeric::Seed;
use proptest::prelude::*;
use rand::RngExt;

fn near(found: f64, expected: f64) {
    // A dozen operations of rounding.
    assert!((found - expected).abs() <= 1e-14 * expected.abs(), "{found} {expected}");
}

/// Six documents of rating 1, three of 2 and one of 4: shares .6, .3 and .1, γ = .18 + .06 + .03 = .27.
fn ten() -> RatingCounts {
    RatingCounts::of(&[1, 1, 2, 1, 1, 4, 2, 1, 2, 1]).unwrap()
}

#[test]
fn constants_by_hand() {
    let counts = ten();
    assert_eq!(counts, RatingCounts::new([(4, 1), (1, 2), (3, 0), (2, 3), (1, 4)]).unwrap());
    assert_eq!((counts.levels(), counts.total()), ([(1, 6), (2, 3), (4, 1)].as_slice(), 10));
    near(counts.gamma(), 0.27);
    let check = |alpha: f64, tops: [f64; 3]| {
        for (found, top) in counts.sensitivities(alpha).unwrap().iter().zip(tops) {
            near(*found, top / 0.27);
        }
        let square = (0.6 * tops[0].powi(2) + 0.3 * tops[1].powi(2) + 0.1 * tops[2].powi(2)) / (0.27 * 0.27);
        // Twenty-five functions, delta one tenth: ln 500 = ln 25 + ln 20.
        let finite = counts.finite_class_slack(alpha, 25.0_f64.ln(), 0.1).unwrap();
        near(finite, (500.0_f64.ln() / 20.0 * square).sqrt());
        let shattered = counts.shattered_slack(alpha, 7.0, 0.1).unwrap();
        near(shattered, (8.0 * (7.0 + 40.0_f64.ln()) / 10.0 * square).sqrt());
    };
    check(0.0, [0.4, 0.7, 0.9]);
    // Distances 1 and 3; 1 and 2; 3 and 2.
    check(1.0, [0.3 + 0.3, 0.6 + 0.2, 1.8 + 0.6]);
    check(2.0, [0.3 + 0.9, 0.6 + 0.4, 5.4 + 1.2]);
    near(counts.expected_error(1.0, |l, m| f64::from(l) / f64::from(m)).unwrap(), {
        (0.18 * 1.0 * 0.5 + 0.06 * 3.0 * 0.25 + 0.03 * 2.0 * 0.5) / 0.27
    });
}

#[test]
fn shatter_bounds_by_hand() {
    let (counts, e) = (ten(), std::f64::consts::E);
    near(RankingClass::Any.ln_shatter(&counts), (18 + 6 + 3) as f64 * 3.0_f64.ln());
    let linear = |d| RankingClass::Linear { attributes: d }.ln_shatter(&counts);
    let pooled = |d| RankingClass::LinearPooled { attributes: d }.ln_shatter(&counts);
    near(linear(1), (36.0 * e).ln() + (12.0 * e).ln() + 3.0_f64.ln().mul_add(3.0, 0.0).min((6.0 * e).ln()));
    near(pooled(1), (54.0 * e).ln());
    // Three differences in fifty dimensions have 27 patterns, where the printed form would say (6e/50)^50 < 1.
    near(linear(50), 27.0 * 3.0_f64.ln());
    near(pooled(50), 27.0 * 3.0_f64.ln());
    assert_eq!((linear(0), pooled(0)), (0.0, 0.0));
    // So many documents that their pairs overflow 64 bits.
    let many = RatingCounts::new([(0, 1 << 40), (1, 1 << 41)]).unwrap();
    near(RankingClass::Linear { attributes: 2 }.ln_shatter(&many), 2.0 * (1.0 + 81.0 * 2.0_f64.ln()));
}

/// One document at the origin and N along different axes: a linear function gives every one of the 3^N patterns.
#[test]
fn all_patterns_of_independent_differences_are_allowed_for() {
    for attributes in 1..60 {
        for others in 1..=attributes as u64 {
            let counts = RatingCounts::new([(0, 1), (1, others)]).unwrap();
            let patterns = others as f64 * 3.0_f64.ln();
            for class in [RankingClass::Linear { attributes }, RankingClass::LinearPooled { attributes }] {
                assert!(class.ln_shatter(&counts) >= patterns - 1e-12, "{others} in {attributes}");
            }
        }
    }
}

pub type Point = (i64, i64);

/// The differences of all comparable documents.
fn differences(points: &[(Point, u32)]) -> Vec<Point> {
    let pairs = points.iter().flat_map(|a| points.iter().map(move |b| (a, b)));
    pairs.filter(|((_, l), (_, m))| l < m).map(|(((ax, ay), _), ((bx, by), _))| (bx - ax, by - ay)).collect()
}

/// A linear function of two attributes for every way in which one can decide these differences, by turning it around once, in whole
/// numbers; some ways several times.
pub fn turned_around(differences: &[Point]) -> Vec<Point> {
    let mut directions: Vec<Point> =
        differences.iter().filter(|v| **v != (0, 0)).flat_map(|&(x, y)| [(-y, x), (y, -x), (x, y), (-x, -y)]).collect();
    directions.sort_by(|a, b| (a.1 as f64).atan2(a.0 as f64).total_cmp(&(b.1 as f64).atan2(b.0 as f64)));
    // Neighbours are at most a right angle apart, so their sum is between them.
    let next: Vec<Point> = directions.iter().cycle().skip(1).take(directions.len()).copied().collect();
    let between: Vec<Point> = directions.iter().zip(next).map(|(a, b)| (a.0 + b.0, a.1 + b.1)).collect();
    [directions, between, vec![(0, 0)]].concat()
}

/// All patterns of signs that a linear function of two attributes can give.
fn patterns_in_the_plane(differences: &[Point]) -> HashSet<Vec<i64>> {
    let pattern = |w: Point| differences.iter().map(|v| (w.0 * v.0 + w.1 * v.1).signum()).collect();
    turned_around(differences).into_iter().map(pattern).collect()
}

#[test]
fn linear_functions_in_the_plane_and_on_a_line() {
    let mut tightest = f64::INFINITY;
    for task in 0..2000 {
        let mut stream = Seed(11).stream(task);
        let (size, levels, width) =
            (stream.random_range(2..8), stream.random_range(2..5_u32), stream.random_range(1..20));
        let mut point = || (stream.random_range(-width..=width), stream.random_range(-width..=width));
        let points: Vec<(Point, u32)> = (0..size).map(|at| (point(), at % levels)).collect();
        let counts = RatingCounts::of(&points.iter().map(|point| point.1).collect::<Vec<_>>()).unwrap();
        let all = differences(&points);
        let found = patterns_in_the_plane(&all).len() as f64;
        for class in [
            RankingClass::Linear { attributes: 2 },
            RankingClass::LinearPooled { attributes: 2 },
            RankingClass::Any,
            // As many functions as patterns, by definition.
            RankingClass::Finite { ln_functions: found.ln() },
        ] {
            assert!(found.ln() <= class.ln_shatter(&counts) + 1e-12, "{class:?} {points:?} {found}");
        }
        tightest = tightest.min(RankingClass::LinearPooled { attributes: 2 }.ln_shatter(&counts) - found.ln());
        let line: Vec<Point> = all.iter().map(|&(x, _)| (x, 0)).collect();
        let found = patterns_in_the_plane(&line).len();
        assert!(found <= 3 && (found as f64).ln() <= RankingClass::Linear { attributes: 1 }.ln_shatter(&counts));
    }
    // Two documents: three patterns, and the bound says so too.
    assert!(tightest.abs() < 1e-12, "{tightest}");
}

/// N lines through the origin cut the plane into 2 N sectors with 2 N rays between them around one point.
#[test]
fn the_enumeration_itself() {
    let lines: Vec<Point> = vec![(1, 0), (3, 1), (0, 5), (-2, 1), (7, -3)];
    for count in 2..=lines.len() {
        assert_eq!(patterns_in_the_plane(&lines[..count]).len(), 4 * count + 1);
    }
    assert_eq!(patterns_in_the_plane(&[(1, 0), (2, 0), (-3, 0)]).len(), 3);
    assert_eq!(patterns_in_the_plane(&[(0, 0)]).len(), 1);
}

fn some_counts() -> impl Strategy<Value = Vec<(u32, u64)>> {
    proptest::collection::btree_map(0..9_u32, 1..500_u64, 2..6).prop_map(|counts| counts.into_iter().collect())
}

proptest! {
    #[test]
    fn slacks_are_monotone(levels in some_counts(), alpha in 0.0..3.0, ln in 0.0..50.0, delta in 0.001..1.0) {
        let counts = RatingCounts::new(levels.clone()).unwrap();
        let more = RatingCounts::new(levels.iter().map(|&(l, n)| (l, 3 * n))).unwrap();
        for of in [RatingCounts::finite_class_slack, RatingCounts::shattered_slack] {
            let slack = of(&counts, alpha, ln, delta).unwrap();
            prop_assert!(of(&more, alpha, ln, delta).unwrap() < slack);
            prop_assert!(of(&counts, alpha, ln + 1.0, delta).unwrap() > slack);
            prop_assert!(of(&counts, alpha, ln, delta / 2.0).unwrap() > slack);
            // Three times the sample at the same skew: a third of the square. Rounding.
            let ratio = of(&more, alpha, ln, delta).unwrap() / slack;
            prop_assert!((ratio - (1.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        }
        let class = |attributes| RankingClass::Linear { attributes }.ln_shatter(&counts);
        let pooled = |attributes| RankingClass::LinearPooled { attributes }.ln_shatter(&counts);
        for attributes in 1..40 {
            prop_assert!(pooled(attributes) <= class(attributes));
            prop_assert!(class(attributes) <= RankingClass::Any.ln_shatter(&counts) * (1.0 + 1e-12));
            let of_more = RankingClass::Linear { attributes }.ln_shatter(&more);
            prop_assert!(of_more >= class(attributes));
        }
    }

    /// Only differences of ratings count, and two ratings one apart have one weight.
    #[test]
    fn invariances(levels in some_counts(), shift in 0..1000_u32, alpha in 0.0..3.0) {
        let counts = RatingCounts::new(levels.clone()).unwrap();
        let shifted = RatingCounts::new(levels.iter().rev().map(|&(l, n)| (l + shift, n))).unwrap();
        prop_assert_eq!(counts.sensitivities(alpha).unwrap(), shifted.sensitivities(alpha).unwrap());
        let two = RatingCounts::new([(shift, levels[0].1), (shift + 1, levels[1].1)]).unwrap();
        prop_assert_eq!(two.sensitivities(alpha).unwrap(), two.sensitivities(0.0).unwrap());
        prop_assert!((counts.skew().iter().sum::<f64>() - 1.0).abs() < 1e-15 * 6.0);
    }

    /// The empirical error is the expected one of the sample itself (definitions 1 and 2).
    #[test]
    fn definitions_agree(items in proptest::collection::vec((0..5_u32, 0..6_i32), 2..40), alpha in 0.0..2.0) {
        let ratings: Vec<u32> = items.iter().map(|item| item.0).collect();
        let scores: Vec<f64> = items.iter().map(|item| f64::from(item.1)).collect();
        let Ok(counts) = RatingCounts::of(&ratings) else { return Ok(()) };
        let misplaced = |lower: u32, higher: u32| {
            let of = |rating| items.iter().filter(move |item| item.0 == rating).map(|item| item.1);
            let pairs = of(lower).flat_map(|a| of(higher).map(move |b| (a, b)));
            let (mut wrong, mut count) = (0.0, 0.0);
            for (a, b) in pairs {
                wrong += if a > b { 1.0 } else if a == b { 0.5 } else { 0.0 };
                count += 1.0;
            }
            wrong / count
        };
        let expected = counts.expected_error(alpha, misplaced).unwrap();
        let empirical = k_partite_error(&scores, &ratings, alpha).unwrap();
        prop_assert!((expected - empirical).abs() <= 1e-13 * empirical.max(1.0), "{} {}", expected, empirical);
    }
}

#[test]
fn bad_input_is_refused() {
    for ratings in [vec![], vec![3], vec![2, 2, 2]] {
        assert!(RatingCounts::of(&ratings).unwrap_err().to_string().contains("two that occur"));
    }
    RatingCounts::new([(0, u64::MAX), (1, 1)]).unwrap_err();
    let counts = ten();
    for delta in [0.0, -0.1, 1.1, f64::NAN] {
        counts.finite_class_slack(0.0, 1.0, delta).unwrap_err();
        counts.shattered_slack(0.0, 1.0, delta).unwrap_err();
    }
    for ln in [-1.0, f64::NAN, f64::INFINITY] {
        counts.finite_class_slack(0.0, ln, 0.1).unwrap_err();
        counts.shattered_slack(0.0, ln, 0.1).unwrap_err();
    }
    for alpha in [-1.0, f64::NAN, f64::INFINITY, 1e4] {
        counts.finite_class_slack(alpha, 0.0, 0.1).unwrap_err();
        assert!(counts.sensitivities(alpha).is_err() && counts.expected_error(alpha, |_, _| 1.0).is_err());
    }
    // The least delta there is has a logarithm like any other.
    assert!(counts.finite_class_slack(0.0, 0.0, f64::MIN_POSITIVE).unwrap().is_finite());
}
