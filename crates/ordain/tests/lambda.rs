//! Lambdas: gradients against differences of costs, weights against swaps done one by one, and the question whether there is a cost.
#![allow(clippy::unwrap_used)]

mod common;

use common::stream;
use ordain::learn::{
    Failure, Lambda, MarginLambda, PairLambda, Regularised, Swap, check_lambda, cross_entropy, gradients, loop_integral,
};
use ordain::measure::JudgedList;
use ordain::measure::retrieval::{Discount, Gain, average_precision, ndcg, reciprocal_rank, winner_takes_all};
use rand::RngExt;

/// Grades and different scores of a random query.
fn query(task: u64, size: usize) -> (Vec<i32>, Vec<f64>) {
    let mut stream = stream(task);
    let grades = (0..size).map(|_| stream.random_range(0..4)).collect();
    let scores = (0..size).map(|_| stream.random_range(-2.0..2.0)).collect();
    (grades, scores)
}

fn better_pairs(grades: &[i32]) -> Vec<(usize, usize)> {
    let all = (0..grades.len()).flat_map(|one| (0..grades.len()).map(move |other| (one, other)));
    all.filter(|&(one, other)| grades[one] > grades[other]).collect()
}

/// The gradient of a cost by central differences. The step balances rounding with the third derivative: errors are about 1e-10.
fn differences(cost: impl Fn(&[f64]) -> f64, scores: &[f64]) -> Vec<f64> {
    let step = 1e-5;
    let at = |moved: usize, by: f64| {
        let mut scores = scores.to_vec();
        scores[moved] += by;
        cost(&scores)
    };
    (0..scores.len()).map(|moved| (at(moved, step) - at(moved, -step)) / (2.0 * step)).collect()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
    }
}

/// RankNet's cost written out: the cross entropy of every pair of different grades.
fn ranknet_cost(grades: &[i32], scores: &[f64], steepness: f64, confidence: f64) -> f64 {
    let cost = |(one, other): (usize, usize)| {
        let before = 1.0 / (1.0 + (-steepness * (scores[one] - scores[other])).exp());
        -confidence * before.ln() - (1.0 - confidence) * (1.0 - before).ln()
    };
    better_pairs(grades).into_iter().map(cost).sum()
}

#[test]
fn ranknet_descends_the_cross_entropy() {
    for (task, size) in [0, 1, 2, 3, 9, 40].into_iter().enumerate() {
        let (grades, scores) = query(task as u64, size);
        for (steepness, confidence) in [(1.0, 1.0), (2.0, 1.0), (1.0, 0.7)] {
            let lambda = PairLambda::new(Swap::Pairs).with_steepness(steepness).with_confidence(confidence);
            let [gradient, curvature] = gradients(&lambda, &grades, &scores).unwrap();
            let expected = differences(|scores| ranknet_cost(&grades, scores, steepness, confidence), &scores);
            assert_near(&gradient, &expected, 1e-7);
            let slope = |at: usize| {
                let own = |moved: &[f64]| gradients(&lambda, &grades, moved).unwrap()[0][at];
                differences(own, &scores)[at]
            };
            let expected: Vec<f64> = (0..size).map(slope).collect();
            assert_near(&curvature, &expected, 1e-7);
        }
    }
}

/// Pairs that judges are so sure of have the gradient of their cross entropy, and a pair without doubt that of RankNet.
#[test]
fn explicit_pairs_have_their_own_confidence() {
    let (grades, scores) = query(7, 12);
    let sure: Vec<(usize, usize, f64)> =
        better_pairs(&grades).into_iter().map(|(one, other)| (one, other, 1.0)).collect();
    let whole = gradients(&PairLambda::new(Swap::Pairs), &grades, &scores).unwrap();
    let explicit = cross_entropy(&scores, &sure).unwrap();
    assert_near(&explicit[0], &whole[0], 1e-14);
    assert_near(&explicit[1], &whole[1], 1e-14);
    let pairs = [(0, 1, 0.9), (3, 2, 0.5), (1, 0, 0.2)];
    let cost = |scores: &[f64]| {
        let one = |&(first, second, confidence): &(usize, usize, f64)| {
            let before = 1.0 / (1.0 + (scores[second] - scores[first]).exp());
            -confidence * before.ln() - (1.0 - confidence) * (1.0 - before).ln()
        };
        pairs.iter().map(one).sum()
    };
    assert_near(&cross_entropy(&scores, &pairs).unwrap()[0], &differences(cost, &scores), 1e-7);
    for wrong in [(0, 12, 0.5), (0, 1, 1.5), (0, 1, f64::NAN)] {
        assert!(cross_entropy(&scores, &[wrong]).is_err());
    }
}

/// LambdaRank eqs. 4 to 9, with the margin 1, where the cost is smooth at equal scores too.
#[test]
fn margins_have_the_cost_of_the_paper() {
    let lambda = MarginLambda { margin: 1.0 };
    for (task, size) in [2, 3, 10].into_iter().enumerate() {
        let (grades, scores) = query(20 + task as u64, size);
        let cost = |scores: &[f64]| {
            better_pairs(&grades).into_iter().map(|(one, other)| lambda.cost(scores[one] - scores[other])).sum()
        };
        // Differences across a kink of the slope are off by the step at most.
        assert_near(&gradients(&lambda, &grades, &scores).unwrap()[0], &differences(cost, &scores), 1e-4);
    }
    // By hand, for margins 1 and 2: in the wrong order, within the margin, beyond it.
    let cases = [
        (1.0, -0.5, 1.0, 0.0),
        (1.0, 0.25, 0.75, 1.0),
        (1.0, 1.5, 0.0, 0.0),
        (2.0, -0.5, 1.0, 0.0),
        (2.0, 0.5, 1.5, 1.0),
    ];
    for (margin, lead, force, bend) in cases {
        let [gradient, curvature] = gradients(&MarginLambda { margin }, &[1, 0], &[lead, 0.0]).unwrap();
        assert_eq!((gradient, curvature), (vec![-force, force], vec![bend, bend]), "{margin} {lead}");
    }
}

/// What a measure changes by if two documents change places, by doing it.
fn swapped(measure: impl Fn(&JudgedList) -> f64, grades: &[i32], scores: &[f64], one: usize, other: usize) -> f64 {
    let value = |scores: &[f64]| measure(&JudgedList::given(scores, grades, grades.iter().copied()).unwrap());
    let mut moved = scores.to_vec();
    moved.swap(one, other);
    (value(scores) - value(&moved)).abs()
}

type Measured = Box<dyn Fn(&JudgedList) -> f64>;

#[test]
fn pairs_weigh_what_a_swap_changes() {
    let discounted = |k| move |list: &JudgedList| ndcg(list, k, Gain::Exponential, Discount::Standard);
    let measures: [(Swap, Measured); 6] = [
        (Swap::ndcg(), Box::new(discounted(None))),
        (Swap::Ndcg { k: Some(3) }, Box::new(discounted(Some(3)))),
        (Swap::AveragePrecision, Box::new(average_precision)),
        (Swap::ReciprocalRank, Box::new(reciprocal_rank)),
        (Swap::Winner, Box::new(winner_takes_all)),
        (Swap::Pairs, Box::new(|_| f64::NAN)),
    ];
    for task in 0..40 {
        let (mut grades, scores) = query(100 + task, 2 + task as usize % 11);
        if task % 10 == 0 {
            // Nothing is relevant.
            grades.iter_mut().for_each(|grade| *grade = -1);
            grades[0] = 0;
        }
        for (swap, measure) in &measures {
            let mut expected = vec![0.0; grades.len()];
            for (one, other) in better_pairs(&grades) {
                let weight = match swap {
                    Swap::Pairs => 1.0,
                    _ => swapped(measure, &grades, &scores, one, other),
                };
                let force = weight / (1.0 + (scores[one] - scores[other]).exp());
                expected[one] -= force;
                expected[other] += force;
            }
            let lambda = PairLambda::new(*swap);
            let [gradient, curvature] = gradients(&lambda, &grades, &scores).unwrap();
            // Sums of a few dozen terms below 1.
            assert_near(&gradient, &expected, 1e-13);
            // No ranks change within the step, as random scores are farther apart.
            let own = |at: usize| differences(|moved| gradients(&lambda, &grades, moved).unwrap()[0][at], &scores)[at];
            assert_near(&curvature, &(0..grades.len()).map(own).collect::<Vec<f64>>(), 1e-8);
        }
    }
}

/// Scores so far apart that exponentials overflow.
#[test]
fn far_scores_are_no_trouble() {
    let [gradient, curvature] = gradients(&PairLambda::new(Swap::Pairs), &[2, 1, 0], &[-1e6, 0.0, 1e308]).unwrap();
    assert_eq!(gradient, [-2.0, 0.0, 2.0]);
    assert_eq!(curvature, [0.0, 0.0, 0.0]);
}

#[test]
fn wrong_scores_are_refused() {
    let lambda = PairLambda::new(Swap::Pairs);
    let error = |grades: &[i32], scores: &[f64]| gradients(&lambda, grades, scores).unwrap_err().to_string();
    assert_eq!(error(&[1, 0], &[0.5]), "the scores of a query: found 1 scores, expected 2, one per grade");
    assert_eq!(error(&[1], &[f64::NAN]), "the scores of a query: found NaN for document 0, expected finite numbers");
    assert!(check_lambda(&lambda, &[1, 0], &[0.0, 0.0]).is_err());
    assert!(check_lambda(&lambda, &[1, 0], &[0.3, 0.1 + 0.2]).is_err());
    assert!(gradients(&lambda.with_steepness(-1.0), &[1, 0], &[0.0, 0.1]).is_err());
    assert!(loop_integral(&lambda, &[1, 0], &[0.0, 0.1], [0, 0], 1.0).is_err());
}

const GRADES: [i32; 3] = [2, 1, 0];
const CORNER: [f64; 3] = [0.1, 0.2, -0.4];

/// The square on which the first two change places: integrated by hand with 20 digits, the NDCG lambdas leave 0.025254.
#[test]
fn ndcg_has_no_cost() {
    let ndcg = PairLambda::new(Swap::ndcg());
    let around =
        |lambda: &dyn Lambda, corner: &[f64], side| loop_integral(lambda, &GRADES, corner, [0, 1], side).unwrap();
    assert!((around(&ndcg, &CORNER, 0.5) - 0.025_254).abs() < 1e-6);
    // No ranks swap on these squares: above, and far from each other.
    assert!(around(&ndcg, &[1.0, 0.2, -0.4], 0.1).abs() < 1e-12);
    assert!(around(&ndcg, &[0.1, 2.0, -0.4], 0.2).abs() < 1e-12);
    assert!(around(&PairLambda::new(Swap::Pairs), &CORNER, 0.5).abs() < 1e-12);
    // The force has a kink at the margin, within a panel of the rule: its error is the square of the panel.
    assert!(around(&MarginLambda { margin: 1.0 }, &CORNER, 0.5).abs() < 1e-5);
}

#[test]
fn the_pair_without_a_cost_is_named() {
    let check = |lambda: &dyn Lambda| check_lambda(lambda, &GRADES, &CORNER).unwrap();
    for swap in [Swap::ndcg(), Swap::Ndcg { k: Some(1) }] {
        let found = check(&PairLambda::new(swap));
        assert!(matches!(found.failure, Some(Failure::Swap { pair: [1, 0], .. })), "{swap:?}: {found:?}");
    }
    for cost in [&PairLambda::new(Swap::Pairs) as &dyn Lambda, &MarginLambda { margin: 1.0 }] {
        let found = check(cost);
        assert!(found.has_cost() && found.is_convex);
    }
    // A force that grows where the order becomes right has a cost, C(-1) = 1, C(0) = 0, C(1) = -1.5, which is not convex.
    let found = check(&MarginLambda { margin: 2.0 });
    assert!(found.has_cost() && !found.is_convex);
    // Close to each other, and far from 0.
    for scores in [[0.1, 0.1 + 1e-7, -0.4], [1e6, 1e6 + 1e-3, 1e6 - 1.0]] {
        let ranknet = check_lambda(&PairLambda::new(Swap::Pairs), &GRADES, &scores).unwrap();
        assert!(ranknet.has_cost() && ranknet.is_convex, "{scores:?}: {ranknet:?}");
        let ndcg = check_lambda(&PairLambda::new(Swap::ndcg()), &GRADES, &scores).unwrap();
        assert!(!ndcg.has_cost(), "{scores:?}");
    }
    // A wind that turns: the first is pushed by the second one's score, but not the second by the first one's.
    struct Wind;
    impl Lambda for Wind {
        fn add(&self, query: &ordain::learn::Scored<'_>, forces: &mut ordain::learn::Forces) {
            forces.lambdas[0] += query.scores[1];
        }
    }
    let found = check(&Wind);
    assert!(
        matches!(found.failure, Some(Failure::Asymmetry { pair: [0, 1], difference }) if (difference - 1.0).abs() < 1e-6)
    );
}

/// A hill has a cost that is not convex. Enough of the regulariser makes it so; too little does not.
#[test]
fn the_regulariser_makes_costs_convex() {
    #[derive(Clone, Copy)]
    struct Hill;
    impl Lambda for Hill {
        fn add(&self, query: &ordain::learn::Scored<'_>, forces: &mut ordain::learn::Forces) {
            for (at, score) in query.scores.iter().enumerate() {
                forces.lambdas[at] += score;
                forces.curvatures[at] -= 1.0;
            }
        }
    }
    for (alpha, convex) in [(0.0, false), (0.5, false), (1.5, true)] {
        let found = check_lambda(&Regularised { lambda: Hill, alpha }, &GRADES, &CORNER).unwrap();
        assert!(found.has_cost());
        assert_eq!(found.is_convex, convex, "{alpha}");
        let [_, curvature] = gradients(&Regularised { lambda: Hill, alpha }, &GRADES, &CORNER).unwrap();
        assert_near(&curvature, &[alpha - 1.0; 3], 1e-15);
    }
}

/// The paper's example: a relevant document first and another last of 1,000, then second and third. 996 pairs fewer are wrong, and the winner
/// is lost. Lambdas for the winner push where RankNet's do not.
#[test]
fn the_winner_of_a_thousand_documents() {
    let mut grades = vec![0; 1000];
    (grades[0], grades[999]) = (1, 1);
    let first_and_last: Vec<f64> = (0..1000).map(|place| -f64::from(place)).collect();
    let mut second_and_third = first_and_last.clone();
    (second_and_third[0], second_and_third[999]) = (-1.25, -1.75);
    let wrong =
        |scores: &[f64]| better_pairs(&grades).iter().filter(|(one, other)| scores[*one] < scores[*other]).count();
    assert_eq!((wrong(&first_and_last), wrong(&second_and_third)), (998, 2));
    let cost = |scores: &[f64]| winner_takes_all(&JudgedList::given(scores, &grades, grades.iter().copied()).unwrap());
    assert_eq!((cost(&first_and_last), cost(&second_and_third)), (0.0, 1.0));
    // RankNet hardly holds the winner and pushes the last one up against 998 documents. For the winner, nothing is gained by that.
    let pushes = |swap| {
        let [gradient, _] = gradients(&PairLambda::new(swap), &grades, &first_and_last).unwrap();
        (-gradient[0], -gradient[999])
    };
    let (first, last) = pushes(Swap::Pairs);
    assert!(first < 1.0 && last > 997.0);
    let (first, last) = pushes(Swap::Winner);
    assert!(first > 0.4 && last == 0.0);
    // NDCG is between them.
    let (held, pushed) = pushes(Swap::ndcg());
    assert!(held / pushed > 5.0 / 998.0);
}
