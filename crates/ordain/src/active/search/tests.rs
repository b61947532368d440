//! Bounds compared with pairs.
#![allow(clippy::unwrap_used)]

use proptest::prelude::{ProptestConfig, any, prop, prop_assert, proptest};

use super::*;
use crate::gp::AnswerModel;

const STRATEGIES: [Strategy; 8] = [
    Strategy::ExpectedLoss { focus: 0.3 },
    Strategy::ExpectedRegret { focus: 0.05 },
    Strategy::ExpectedRegret { focus: 0.0 },
    Strategy::TopRegret { k: 6 },
    Strategy::VarianceRatio,
    Strategy::Entropy,
    Strategy::BestOption,
    Strategy::OptimisticBest,
];

/// The places of items, by falling mean.
fn places(strategy: Strategy, numbers: &[(f64, f64, f64)]) -> Vec<Place> {
    let mut numbers = numbers.to_vec();
    numbers.sort_by(|one, other| other.0.total_cmp(&one.0));
    let place = |(row, &(mean, sd, taken)): (usize, &(f64, f64, f64))| {
        let weight = strategy.emphasis().at(row + 1);
        let (variance, mean) = (sd * sd, mean - numbers[0].0);
        let lower = strategy.lower_share() * weight;
        let (prior, largest) = (variance + taken * taken, f64::INFINITY);
        Place { mean, lowest_mean: mean, variance, sd, taken, prior, largest, weight, lower }
    };
    numbers.iter().enumerate().map(place).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// No pair of two blocks scores more than their bound, and no pair that may be among the best has less than the
    /// needed variance. This holds for all covariances that the floor and the removed variances allow.
    #[test]
    fn no_pair_is_above_the_bound_of_its_blocks(
        numbers in prop::collection::vec((-3.0..3.0, 0.0..2.0, 0.0..2.0), 2..14),
        split in any::<prop::sample::Index>(),
        shares in prop::collection::vec(0.0..1.0, 200),
        floor in prop::sample::select(vec![0.0, f64::NEG_INFINITY]),
        tie_width in prop::sample::select(vec![0.0, 0.05, 0.5, 3.0]),
        spread in prop::sample::select(vec![1.0, 1e-6]),
    ) {
        let numbers: Vec<(f64, f64, f64)> =
            numbers.into_iter().map(|(mean, sd, taken): (f64, f64, f64)| (spread * mean, sd, taken)).collect();
        let answers = Answers::new(&AnswerModel::new(0.7, tie_width).unwrap());
        for strategy in STRATEGIES {
            let scorer = Scorer { strategy, answers: &answers, floor };
            let places = places(strategy, &numbers);
            let (upper, lower) = places.split_at(1 + split.index(places.len() - 1));
            let join = |places: &[Place]| places[1..].iter().fold(places[0], |all, one| all.and(one));
            let blocks = [join(upper), join(lower)];
            let bound = scorer.bound(&blocks[0], &blocks[1]);
            let mut shares = shares.iter().cycle();
            let mut scored = Vec::new();
            for first in upper {
                for second in lower {
                    let least = (floor - first.taken * second.taken).max(-first.sd * second.sd);
                    let most = first.sd * second.sd;
                    let covariance = least + shares.next().unwrap() * (most - least).max(0.0);
                    let pair = pair(first, second, covariance);
                    let score = scorer.score(&pair);
                    let mut best = Best::default();
                    best.offer(score, (0, 1));
                    prop_assert!(best.may_take(bound), "{strategy}: {score:?} above {bound:?}");
                    prop_assert!(best.may_take(scorer.bound_at(&pair)), "{strategy}: {score:?}");
                    prop_assert!(best.may_take(scorer.close_bound_at(&pair)), "{strategy}: {score:?}");
                    scored.push((score, pair.variance, *first));
                }
            }
            let mut best = Best::default();
            scored.iter().enumerate().for_each(|(at, (score, ..))| best.offer(*score, (at, at)));
            for (score, variance, first) in scored {
                if best.may_take(score) {
                    let needed = scorer.needed_variance(&blocks[0], &blocks[1], &best, 6);
                    prop_assert!(variance >= needed, "{strategy}: {variance} below {needed}");
                    let needed = scorer.needed_variance(&first, &blocks[1], &best, 3);
                    prop_assert!(variance >= needed, "{strategy}: {variance} below {needed} of its row");
                }
            }
        }
    }
}
