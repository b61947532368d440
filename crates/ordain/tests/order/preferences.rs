//! Preference functions against their definitions.

use ordain::data::ItemId;
use ordain::gp::{AnswerModel, Belief, Incremental};
use ordain::numeric::Matrix;
use ordain::order::{
    BeliefPreference, Both, Either, Feedback, Opposite, Preference, RankOrdering, Unretrieved, Weighted, agree,
    disagree,
};
use proptest::prelude::*;
use rand::RngExt;

use crate::common::{Given, normal, smooth_kernel, stream};
use crate::{Table, agreement, expert, weights};

/// LTOT section 2, word for word.
fn by_definition(scores: &[Option<f64>], unretrieved: Unretrieved, u: usize, v: usize) -> f64 {
    let rank = |item: usize| match unretrieved {
        Unretrieved::Last => Some(scores[item].unwrap_or(f64::NEG_INFINITY)),
        Unretrieved::Abstain => scores[item],
    };
    match (rank(u), rank(v)) {
        (Some(a), Some(b)) if a > b => 1.0,
        (Some(a), Some(b)) if a < b => 0.0,
        _ => 0.5,
    }
}

fn unretrieved() -> impl Strategy<Value = Unretrieved> {
    prop_oneof![Just(Unretrieved::Last), Just(Unretrieved::Abstain)]
}

/// Rows and potentials equal sums of single values; sums of n terms of at most 1.
fn rows_agree(preference: &impl Preference) {
    let n = preference.len();
    let plain = Table::of(preference);
    let (mut potentials, mut expected) = (vec![0.25; n], vec![0.25; n]);
    for item in 0..n {
        let (mut row, mut own) = (vec![1.0; n], vec![1.0; n]);
        preference.add_net(item, -0.7, &mut row);
        plain.add_net(item, -0.7, &mut own);
        assert!(row.iter().zip(&own).all(|(a, b)| (a - b).abs() < 1e-13));
    }
    preference.add_potentials(0.3, &mut potentials);
    plain.add_potentials(0.3, &mut expected);
    assert!(potentials.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
}

proptest! {
    #[test]
    fn rank_orderings_follow_their_scores(
        scores in prop::collection::vec(prop::option::of(-3..3_i32), 0..12),
        unretrieved in unretrieved(),
    ) {
        let scores: Vec<Option<f64>> = scores.into_iter().map(|score| score.map(f64::from)).collect();
        let ordering = RankOrdering::from_scores(scores.iter().copied(), unretrieved).unwrap();
        for u in 0..scores.len() {
            for v in 0..scores.len() {
                prop_assert_eq!(ordering.prefer(u, v), by_definition(&scores, unretrieved, u, v));
            }
            // From 1, equal scores sharing the better place.
            let place = scores[u].map(|own| 1 + scores.iter().flatten().filter(|&&other| other > own).count() as u32);
            prop_assert_eq!(ordering.place(u), place);
        }
        rows_agree(&ordering);
        let positions = scores.iter().map(|score| score.map(|score| 10.0 - score));
        prop_assert_eq!(Table::of(&RankOrdering::from_positions(positions, unretrieved).unwrap()).values,
            Table::of(&ordering).values);
    }

    #[test]
    fn combinations_follow_their_parts(task in 0..10_000_u64, unretrieved in unretrieved()) {
        let mut stream = stream(task);
        let n = stream.random_range(1..9);
        let experts: Vec<RankOrdering> = (0..3).map(|_| expert(n, 4, 0.3, unretrieved, &mut stream)).collect();
        let weights = weights(3, &mut stream);
        let weighted = Weighted::new(&experts, &weights).unwrap();
        rows_agree(&weighted);
        rows_agree(&Opposite(&experts[0]));
        rows_agree(&Both::new(&experts[0], &experts[1]).unwrap());
        let (a, b) = (&experts[0], &experts[1]);
        for u in 0..n {
            for v in 0..n {
                let sum: f64 = experts.iter().zip(&weights).map(|(expert, weight)| weight * expert.prefer(u, v)).sum();
                prop_assert!((weighted.prefer(u, v) - sum).abs() < 1e-15);
                prop_assert_eq!(Opposite(a).prefer(u, v), 1.0 - a.prefer(u, v));
                // De Morgan.
                let both = Both::new(Opposite(a), Opposite(b)).unwrap();
                prop_assert_eq!(Either::new(a, b).unwrap().prefer(u, v), 1.0 - both.prefer(u, v));
                prop_assert_eq!(Both::new(a, b).unwrap().prefer(u, v), a.prefer(u, v).min(b.prefer(u, v)));
            }
        }
    }

    /// LTOT equations 1 and 3: agreement by its definition, and what an order loses against what the preference loses.
    #[test]
    fn an_order_loses_little_more_than_its_preference(task in 0..10_000_u64) {
        let mut stream = stream(task);
        let n = stream.random_range(2..9);
        let experts: Vec<RankOrdering> = (0..3).map(|_| expert(n, 5, 0.2, Unretrieved::Last, &mut stream)).collect();
        let weights = weights(3, &mut stream);
        let preference = Weighted::new(&experts, &weights).unwrap();
        let mut order: Vec<usize> = (0..n).collect();
        rand::seq::SliceRandom::shuffle(&mut order[..], &mut stream);
        let (agree, disagree) = (agree(&order, &preference).unwrap(), disagree(&order, &preference).unwrap());
        prop_assert!((agree - agreement(&order, &preference)).abs() < 1e-12);
        prop_assert!((agree + disagree - (n * (n - 1) / 2) as f64).abs() < 1e-12);

        let grades: Vec<i32> = (0..n).map(|_| stream.random_range(0..3)).collect();
        let feedback = Feedback::from_grades(&grades);
        let as_expert = RankOrdering::from_positions(
            (0..n).map(|item| order.iter().position(|&other| other == item).map(|at| at as f64)), Unretrieved::Last).unwrap();
        if let (Some(own), Some(of_preference)) = (feedback.loss(&as_expert), feedback.loss(&preference)) {
            prop_assert!(own <= disagree / feedback.pairs().len() as f64 + of_preference + 1e-12);
        }
    }
}

#[test]
fn lists_that_are_none() {
    let list = |rows: Vec<(u32, f64)>| RankOrdering::from_list(3, rows, Unretrieved::Last).unwrap_err().to_string();
    assert!(list(vec![(0, 1.0), (2, 2.0), (0, 3.0)]).contains("item 0 twice"));
    assert!(list(vec![(3, 1.0)]).contains("item 3"));
    assert!(list(vec![(1, f64::NAN)]).contains("NaN"));
    let one = [expert(3, 2, 0.0, Unretrieved::Last, &mut stream(1))];
    assert!(Weighted::new(&one, &[0.5]).is_err() && Weighted::new(&one, &[0.5, 0.5]).is_err());
    assert!(Weighted::new(&one, &[f64::NAN]).is_err() && Weighted::new(&one[..0], &[]).is_err());
    assert!(agree(&[0, 1], &one[0]).is_err() && agree(&[0, 1, 1], &one[0]).is_err());
    let other = expert(2, 2, 0.0, Unretrieved::Last, &mut stream(2));
    assert!(Both::new(&one[0], &other).is_err() && Either::new(&one[0], &other).is_err());
    // 0 and -0 are the same score, infinite ones are in order.
    let zeros = RankOrdering::from_scores([Some(0.0), Some(-0.0), Some(f64::INFINITY)], Unretrieved::Last).unwrap();
    assert_eq!((zeros.prefer(0, 1), zeros.prefer(2, 0)), (0.5, 1.0));
}

/// Against draws from the belief itself: 200,000 of them, so a share is within 0.005 at more than four standard errors.
#[test]
fn a_belief_prefers_as_its_draws_do() {
    let mut stream = stream(3);
    let mut kernel = smooth_kernel(4, 1.0, 0.3, &mut stream);
    // Items 2 and 3 are twins.
    for item in 0..4 {
        let value = kernel[(item, 2)];
        kernel[(item, 3)] = value;
        kernel[(3, item)] = value;
    }
    kernel[(3, 3)] = kernel[(2, 2)];
    kernel[(2, 3)] = kernel[(2, 2)];
    kernel[(3, 2)] = kernel[(2, 2)];
    let model = AnswerModel::new(0.5, 0.0).unwrap();
    let mut belief = Incremental::dense(std::sync::Arc::new(Given(kernel))).unwrap();
    let id = |item: usize| ItemId::new(item);
    for (first, second) in [(0, 1), (2, 0), (2, 1)] {
        belief.observe(&model.preferred(id(first), id(second))).unwrap();
    }
    let items: Vec<ItemId> = (0..4).map(id).collect();
    let preference = BeliefPreference::new(&belief, &items).unwrap();
    let factor = lower(&belief.covariance(&items[..3]).unwrap());
    let mut wins = [[0.0; 3]; 3];
    const DRAWS: usize = 200_000;
    for _ in 0..DRAWS {
        let z: Vec<f64> = (0..3).map(|_| normal(&mut stream)).collect();
        let at = |i: usize| belief.mean()[i] + (0..=i).map(|k| factor[(i, k)] * z[k]).sum::<f64>();
        let utilities = [at(0), at(1), at(2)];
        for u in 0..3 {
            for v in 0..3 {
                wins[u][v] += f64::from(u8::from(utilities[u] > utilities[v]));
            }
        }
    }
    for (u, wins) in wins.iter().enumerate() {
        for (v, wins) in wins.iter().enumerate().filter(|(v, _)| *v != u) {
            assert!((preference.prefer(u, v) - wins / DRAWS as f64).abs() < 0.005);
            assert!((preference.prefer(u, v) + preference.prefer(v, u) - 1.0).abs() < 1e-15);
        }
    }
    assert_eq!((preference.prefer(2, 3), preference.prefer(1, 1)), (0.5, 0.5));
    assert!(BeliefPreference::new(&belief, &[id(4)]).is_err());
}

/// Cholesky, plainly.
fn lower(matrix: &Matrix) -> Matrix {
    let n = matrix.rows();
    let mut out = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let rest = matrix[(i, j)] - (0..j).map(|k| out[(i, k)] * out[(j, k)]).sum::<f64>();
            out[(i, j)] = if i == j { rest.sqrt() } else { rest / out[(j, j)] };
        }
    }
    out
}
