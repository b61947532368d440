//! Learned weights against closed forms, an optimiser of another kind, and their bounds.

use ordain::order::{
    AnyLearner, Feedback, Fusion, Hedge, HedgeParams, Learner, Margin, MarginParams, Opposite, Preference,
    RankOrdering, Unretrieved, Weighted,
};
use proptest::prelude::*;
use rand::{Rng, RngExt};

use crate::common::stream;
use crate::{expert, weights};

/// A query: what the experts say, and what came back.
type Query = (Vec<RankOrdering>, Feedback);

/// Experts of different quality: each ranks by the grades and noise of its own.
fn query(experts: usize, noise: &[f64], stream: &mut impl Rng) -> Query {
    let n = stream.random_range(2..10);
    let grades: Vec<i32> = (0..n).map(|_| stream.random_range(0..3)).collect();
    let lists = (0..experts)
        .map(|at| {
            let score = |&grade: &i32| f64::from(grade) + noise[at] * (stream.random::<f64>() - 0.5);
            let scores: Vec<f64> = grades.iter().map(score).collect();
            let listed: Vec<Option<f64>> =
                scores.into_iter().map(|score| stream.random_bool(0.8).then_some(score)).collect();
            RankOrdering::from_scores(listed, Unretrieved::Last).unwrap()
        })
        .collect();
    (lists, Feedback::from_grades(&grades))
}

fn world(task: u64, rounds: usize) -> (usize, Vec<Query>) {
    let mut stream = stream(task);
    let experts = stream.random_range(2..7);
    let noise: Vec<f64> = (0..experts).map(|_| 10.0 * stream.random::<f64>()).collect();
    (experts, (0..rounds).map(|_| query(experts, &noise, &mut stream)).collect())
}

/// Whoever makes these sees the weights: every assertion contradicts what the weighted experts say, or in some worlds only the best
/// expert so far, or flips a coin, or alternates.
fn adversary(task: u64, round: usize, weights: &[f64], losses: &[f64], stream: &mut impl Rng) -> Query {
    let n = stream.random_range(2..6);
    let experts: Vec<RankOrdering> =
        (0..weights.len()).map(|_| expert(n, n as u32, 0.2, Unretrieved::Last, stream)).collect();
    let mixed = Weighted::new(&experts, weights).unwrap();
    let best = (0..losses.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap();
    let against: &dyn Preference = match task % 4 {
        0 => &mixed,
        1 => &experts[best],
        2 if round.is_multiple_of(2) => &experts[0],
        2 => &experts[1],
        _ => &experts[stream.random_range(0..weights.len())],
    };
    let mut pairs = Vec::new();
    for u in 0..n {
        for v in 0..n {
            if u != v && against.prefer(u, v) < 0.5 - 1e-12 {
                pairs.push((u as u32, v as u32));
            }
        }
    }
    (experts, Feedback::new(pairs).unwrap())
}

/// The margin's loss of a mixture, from its definition.
fn margin_loss(mixture: &[f64], (experts, feedback): &Query) -> f64 {
    let margin = |&(u, v): &(u32, u32)| {
        let of = |(weight, expert): (&f64, &RankOrdering)| weight * (2.0 * expert.prefer(u as usize, v as usize) - 1.0);
        mixture.iter().zip(experts).map(of).sum::<f64>()
    };
    let pairs = feedback.pairs();
    pairs.iter().map(|pair| (1.0 + (-2.0 * margin(pair)).exp()).ln()).sum::<f64>() / pairs.len().max(1) as f64
}

/// The mixture of least total loss, by exponentiated gradient with slopes from differences: slow, and nothing like the learner.
fn best_mixture(count: usize, queries: &[Query]) -> Vec<f64> {
    let total = |mixture: &[f64]| queries.iter().map(|query| margin_loss(mixture, query)).sum::<f64>();
    let mut mixture = vec![1.0 / count as f64; count];
    for step in 0..150 {
        let slopes: Vec<f64> = (0..count)
            .map(|at| {
                let shifted = |by: f64| {
                    let mut other = mixture.clone();
                    other[at] += by;
                    total(&other)
                };
                (shifted(1e-6) - shifted(-1e-6)) / 2e-6
            })
            .collect();
        let rate = 4.0 / (queries.len() as f64 * (1.0 + f64::from(step)).sqrt());
        let raw: Vec<f64> = mixture.iter().zip(&slopes).map(|(weight, slope)| weight * (-rate * slope).exp()).collect();
        let sum: f64 = raw.iter().sum();
        mixture = raw.iter().map(|weight| weight / sum).collect();
    }
    mixture
}

/// `w_i ∝ w_i¹ β^L_i`, and losses by LTOT equation 2.
#[test]
fn hedge_by_its_formula() {
    for task in 0..50 {
        let (experts, queries) = world(task, 30);
        let initial = weights(experts, &mut stream(task + 1000));
        let params = HedgeParams::default().with_beta(0.7).with_initial(Some(initial.clone()));
        let mut hedge = Hedge::new(experts, &params).unwrap();
        let mut totals = vec![0.0; experts];
        let mut own = 0.0;
        for (lists, feedback) in &queries {
            let now = hedge.weights();
            let expected = feedback.loss(&Weighted::new(lists, &now).unwrap());
            let round = hedge.learn(lists, feedback).unwrap();
            assert_eq!(round.is_some(), expected.is_some());
            if let (Some(loss), Some(expected)) = (round, expected) {
                assert!((loss - expected).abs() < 1e-14);
                own += expected;
                for (total, list) in totals.iter_mut().zip(lists) {
                    *total += feedback.loss(list).unwrap();
                }
            }
        }
        let raw: Vec<f64> = initial.iter().zip(&totals).map(|(weight, loss)| weight * 0.7_f64.powf(*loss)).collect();
        let sum: f64 = raw.iter().sum();
        assert!(hedge.weights().iter().zip(&raw).all(|(weight, raw)| (weight - raw / sum).abs() < 1e-13));
        assert!((hedge.loss() - own).abs() < 1e-12);
        let equal = Hedge::new(experts, &HedgeParams::default()).unwrap();
        // a_β min L + c_β ln N with nothing lost yet.
        assert!((equal.bound() - 2.0 * (experts as f64).ln()).abs() < 1e-14);
    }
}

/// A thousand sequences: half of them random, half made by an adversary who sees the weights. The margin's loss is also held
/// against the best mixture in hindsight and random ones. The tightest bounds are printed.
#[test]
fn bounds_are_never_violated() {
    // Sums of a hundred losses.
    const ROUNDING: f64 = 1e-10;
    let (mut hedge_tightest, mut margin_tightest, mut mixture_tightest) = (0.0_f64, 0.0_f64, 0.0_f64);
    for task in 0..1000 {
        let rounds = 1 + (task as usize * 7) % 60;
        let (experts, random) = world(task, rounds);
        let mut stream = stream(task + 5000);
        let initial = (task % 3 == 0).then(|| weights(experts, &mut stream));
        let beta = [0.5, 0.9, 0.05][task as usize % 3];
        let mut hedge =
            Hedge::new(experts, &HedgeParams::default().with_beta(beta).with_initial(initial.clone())).unwrap();
        let prior = [0.1, 1.0, 10.0, 0.01][task as usize % 4];
        let start = initial.clone();
        let mut margin =
            Margin::new(experts, &MarginParams::default().with_prior(prior).with_initial(initial)).unwrap();
        let mut seen: Vec<Query> = Vec::new();
        for (round, query) in random.into_iter().enumerate() {
            let hostile = task % 2 == 1;
            let for_hedge = if hostile {
                &adversary(task / 2, round, &hedge.weights(), hedge.losses(), &mut stream)
            } else {
                &query
            };
            hedge.learn(&for_hedge.0, &for_hedge.1).unwrap();
            let for_margin = if hostile {
                adversary(task / 2, round, &margin.weights(), margin.losses(), &mut stream)
            } else {
                query
            };
            margin.learn(&for_margin.0, &for_margin.1).unwrap();
            if !for_margin.1.is_empty() {
                seen.push(for_margin);
            }
            assert!(hedge.loss() <= hedge.bound() + ROUNDING, "Hedge in {task}");
            assert!(
                margin.loss() <= margin.bound() + ROUNDING,
                "margin in {task}: {} {}",
                margin.loss(),
                margin.bound()
            );
        }
        hedge_tightest = hedge_tightest.max(hedge.loss() / hedge.bound());
        margin_tightest = margin_tightest.max(margin.loss() / margin.bound());
        // What is known in advance of the part of the bound that grows: a N ln(1 + c T/λ).
        let rounds = margin.rounds() as f64;
        let in_advance = 7.5 * experts as f64 * (1.0 + 0.87 * rounds / prior).ln();
        let start = start.unwrap_or_else(|| vec![1.0 / experts as f64; experts]);
        assert!(margin.regret_bound(&start).unwrap() <= in_advance + ROUNDING, "what moved in {task}");
        let mut mixtures: Vec<Vec<f64>> = (0..5).map(|_| weights(experts, &mut stream)).collect();
        if task % 10 < 2 && !seen.is_empty() {
            mixtures.push(best_mixture(experts, &seen));
        }
        for mixture in mixtures {
            let theirs: f64 = seen.iter().map(|query| margin_loss(&mixture, query)).sum();
            let bound = theirs + margin.regret_bound(&mixture).unwrap();
            assert!(margin.loss() <= bound + ROUNDING, "a mixture in {task}");
            mixture_tightest = mixture_tightest.max(margin.loss() / bound);
        }
    }
    println!(
        "1000 sequences; largest loss / bound: Hedge {hedge_tightest:.3}, margin {margin_tightest:.3}, against mixtures {mixture_tightest:.3}"
    );
}

/// The weights settle on the mixture that another optimiser finds for all queries at once.
#[test]
fn margin_finds_the_best_mixture() {
    for task in 0..10 {
        let (experts, queries) = world(task, 300);
        let mut margin = Margin::new(experts, &MarginParams::default()).unwrap();
        let mut used: Vec<Query> = Vec::new();
        for query in queries {
            if margin.learn(&query.0, &query.1).unwrap().is_some() {
                used.push(query);
            }
        }
        let mean =
            |mixture: &[f64]| used.iter().map(|query| margin_loss(mixture, query)).sum::<f64>() / used.len() as f64;
        let (own, best) = (mean(&margin.weights()), mean(&best_mixture(experts, &used)));
        let single = (0..experts).map(|at| margin.losses()[at] / used.len() as f64).fold(f64::INFINITY, f64::min);
        // Parabolas below the loss are not the loss: weights learned online are a little off the optimum.
        assert!(own < best + 0.002 && own <= single + 1e-9, "{own} {best} {single}");
    }
}

/// The first round in closed form for two experts of opposite minds: with `w = (½ + z, ½ - z)` the margin is `2 z`, from 0, its parabola is
/// known, and the condition of the optimum can be solved by bisection.
#[test]
fn the_first_round_by_bisection() {
    let right = RankOrdering::from_scores([Some(2.0), Some(1.0)], Unretrieved::Last).unwrap();
    let wrong = RankOrdering::from_scores([Some(1.0), Some(2.0)], Unretrieved::Last).unwrap();
    let feedback = Feedback::new(vec![(0, 1)]).unwrap();
    for prior in [0.01, 0.1, 1.0, 100.0] {
        let mut margin = Margin::new(2, &MarginParams::default().with_prior(prior)).unwrap();
        margin.learn(&[right.clone(), wrong.clone()], &feedback).unwrap();
        // ℓ(0) = ln 2, ℓ'(0) = -1; the parabola meets ℓ at 1.
        let curvature = 2.0 * ((1.0 + (-2.0_f64).exp()).ln() - 2.0_f64.ln() + 1.0);
        let slope = |z: f64| -2.0 + curvature * 4.0 * z + prior * ((0.5 + z) / (0.5 - z)).ln();
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 { high = middle } else { low = middle }
        }
        assert!((margin.weights()[0] - 0.5 - low).abs() < 1e-9, "{prior}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Written and read in the middle, a learner goes on with the same bits; so does one that never stopped.
    #[test]
    fn resumed_is_uninterrupted(task in 0..10_000_u64, stop in 0..20_usize, hedge in any::<bool>()) {
        let (experts, queries) = world(task, 20);
        let mut whole = if hedge {
            AnyLearner::Hedge(Hedge::new(experts, &HedgeParams::default()).unwrap())
        } else {
            AnyLearner::Margin(Margin::new(experts, &MarginParams::default()).unwrap())
        };
        let mut parts = whole.clone();
        for (at, (lists, feedback)) in queries.iter().enumerate() {
            if at == stop {
                let text = serde_json::to_string(&parts).unwrap();
                parts = serde_json::from_str(&text).unwrap();
                parts.check().unwrap();
            }
            whole.learn(lists, feedback).unwrap();
            parts.learn(lists, feedback).unwrap();
        }
        prop_assert_eq!(&whole, &parts);
        prop_assert!((whole.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    /// Naming the experts in another order names the weights in another order.
    #[test]
    fn experts_in_any_order(task in 0..10_000_u64) {
        let (experts, queries) = world(task, 25);
        let mut forward = Margin::new(experts, &MarginParams::default()).unwrap();
        let mut backward = forward.clone();
        for (lists, feedback) in &queries {
            forward.learn(lists, feedback).unwrap();
            let reversed: Vec<RankOrdering> = lists.iter().rev().cloned().collect();
            backward.learn(&reversed, feedback).unwrap();
        }
        let other = backward.weights();
        // Where the optimum is flat, rounding moves the weights by its root.
        prop_assert!(forward.weights().iter().zip(other.iter().rev()).all(|(a, b)| (a - b).abs() < 1e-6));
        prop_assert!((forward.loss() - backward.loss()).abs() < 1e-8);
    }
}

fn both(experts: usize) -> [AnyLearner; 2] {
    [
        AnyLearner::Hedge(Hedge::new(experts, &HedgeParams::default()).unwrap()),
        AnyLearner::Margin(Margin::new(experts, &MarginParams::default()).unwrap()),
    ]
}

#[test]
fn nothing_is_learned_from_nothing() {
    let (experts, queries) = world(1, 3);
    for mut learner in both(experts) {
        let before = learner.clone();
        assert_eq!(learner.learn(&queries[0].0, &Feedback::default()).unwrap(), None);
        assert_eq!(learner, before);
        // A click on the first place says nothing.
        let shown = Fusion::Greedy.order(&queries[0].0, &learner.weights()).unwrap().order;
        assert!(Feedback::from_clicks(&shown, &shown[..1]).unwrap().is_empty());
        assert!(Feedback::from_clicks(&shown, &[]).unwrap().is_empty());
        assert!(Feedback::from_grades(&[1, 1, 1]).is_empty());
        // Wrong input leaves it as it was.
        assert!(learner.learn(&queries[0].0[..1], &queries[0].1).is_err());
        assert!(learner.learn(&queries[0].0, &Feedback::new(vec![(0, 99)]).unwrap()).is_err());
        assert_eq!(learner, before);
    }
}

#[test]
fn clicks_beat_what_was_passed_over() {
    let pairs = |shown: &[usize], clicked: &[usize]| Feedback::from_clicks(shown, clicked).unwrap().pairs().to_vec();
    assert_eq!(pairs(&[3, 1, 0, 2], &[0]), [(0, 3), (0, 1)]);
    // Two clicks say nothing of each other; clicking twice says no more than once.
    assert_eq!(pairs(&[3, 1, 0, 2], &[2, 1, 1]), [(1, 3), (2, 3), (2, 0)]);
    // Part of the items may have been shown.
    assert_eq!(pairs(&[7, 5], &[5]), [(5, 7)]);
    assert!(Feedback::from_clicks(&[1, 2], &[3]).is_err());
    assert!(Feedback::from_clicks(&[1, 2, 1], &[2]).is_err());
    assert!(Feedback::new(vec![(1, 1)]).is_err());
}

/// Each pair asserted both ways: Hedge learns nothing, since every expert loses ½; the margin learner moves to where experts
/// cancel, since any confidence is wrong half of the time.
#[test]
fn contradictions() {
    let yes = RankOrdering::from_scores([Some(2.0), Some(1.0)], Unretrieved::Last).unwrap();
    let no = RankOrdering::from_scores([Some(1.0), Some(2.0)], Unretrieved::Last).unwrap();
    let contradiction = Feedback::new(vec![(0, 1), (1, 0)]).unwrap();
    for mut learner in both(3) {
        for _ in 0..200 {
            learner.learn(&[yes.clone(), yes.clone(), no.clone()], &contradiction).unwrap();
        }
        let weights = learner.weights();
        match learner {
            AnyLearner::Hedge(_) => assert!(weights.iter().all(|weight| (weight - 1.0 / 3.0).abs() < 1e-12)),
            AnyLearner::Margin(_) => {
                assert!((weights[0] - 0.25).abs() < 1e-3 && (weights[2] - 0.5).abs() < 1e-3, "{weights:?}");
            }
        }
    }
}

/// An expert that never has an opinion loses ½, or ln 2, every time, and is left behind by any that knows something.
#[test]
fn an_expert_without_opinions() {
    let knows = RankOrdering::from_scores([Some(2.0), Some(1.0)], Unretrieved::Abstain).unwrap();
    let silent = RankOrdering::from_scores([None, None], Unretrieved::Abstain).unwrap();
    let feedback = Feedback::new(vec![(0, 1)]).unwrap();
    for mut learner in both(2) {
        for _ in 0..50 {
            learner.learn(&[knows.clone(), silent.clone()], &feedback).unwrap();
        }
        let lost = if matches!(learner, AnyLearner::Hedge(_)) { 0.5 } else { 2.0_f64.ln() };
        assert!((learner.losses()[1] - 50.0 * lost).abs() < 1e-12);
        assert!(learner.weights()[1] < 1e-3, "{:?}", learner.weights());
    }
}

/// An expert is wrong for so long that its weight is no number above 0 any more, and comes back when the tables turn.
#[test]
fn weights_that_underflow() {
    let first = RankOrdering::from_scores([Some(2.0), Some(1.0)], Unretrieved::Last).unwrap();
    let second = RankOrdering::from_scores([Some(1.0), Some(2.0)], Unretrieved::Last).unwrap();
    let experts = [first, second];
    for mut learner in both(2) {
        for _ in 0..3000 {
            learner.learn(&experts, &Feedback::new(vec![(0, 1)]).unwrap()).unwrap();
        }
        assert!(learner.weights()[1] < 1e-300, "{:?}", learner.weights());
        let text = serde_json::to_string(&learner).unwrap();
        let read: AnyLearner = serde_json::from_str(&text).unwrap();
        assert_eq!(read, learner);
        assert!(text.contains(&format!("\"learn\":\"{}\"", learner.learning())), "{text}");
        for _ in 0..9000 {
            learner.learn(&experts, &Feedback::new(vec![(1, 0)]).unwrap()).unwrap();
        }
        assert!(learner.weights()[1] > 0.7, "{:?}", learner.weights());
        assert!(learner.loss() <= learner.bound() + 1e-6);
    }
}

#[test]
fn learners_that_are_none() {
    assert!(Hedge::new(0, &HedgeParams::default()).is_err() && Margin::new(0, &MarginParams::default()).is_err());
    for beta in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(Hedge::new(2, &HedgeParams::default().with_beta(beta)).is_err());
    }
    for prior in [0.0, 1e-7, -1.0, f64::INFINITY, f64::NAN] {
        assert!(Margin::new(2, &MarginParams::default().with_prior(prior)).is_err());
    }
    for initial in [vec![1.0], vec![0.5, 0.6], vec![1.0, 0.0], vec![1.5, -0.5]] {
        assert!(Hedge::new(2, &HedgeParams::default().with_initial(Some(initial.clone()))).is_err());
        assert!(Margin::new(2, &MarginParams::default().with_initial(Some(initial))).is_err());
    }
    assert!(Margin::new(2, &MarginParams::default()).unwrap().regret_bound(&[1.0]).is_err());
    // Files that are not what was written.
    let text = serde_json::to_string(&both(2)[1]).unwrap();
    let broken =
        |from: &str, to: &str| serde_json::from_str::<AnyLearner>(&text.replace(from, to)).map(|read| read.check());
    assert!(broken("\"prior\":0.1", "\"prior\":-1").unwrap().is_err());
    assert!(broken("\"slope\":[0.0,0.0]", "\"slope\":[0.0]").unwrap().is_err());
    assert!(broken("\"losses\":[0.0,0.0]", "\"losses\":[0.0,-1.0]").unwrap().is_err());
    assert!(broken("\"initial\":[-0.69", "\"initial\":[-0.19").unwrap().is_err());
    assert!(broken("\"margin\"", "\"magic\"").is_err());
}

/// What learns from one kind of preference learns from several at once, and from opposites: an expert that is always wrong is worth
/// as much turned round.
#[test]
fn experts_of_any_kind() {
    let right = RankOrdering::from_scores([Some(2.0), Some(1.0), Some(0.0)], Unretrieved::Last).unwrap();
    let wrong = RankOrdering::from_scores([Some(0.0), Some(1.0), Some(2.0)], Unretrieved::Last).unwrap();
    let turned = Opposite(wrong);
    let experts: [&dyn Preference; 2] = [&right, &turned];
    let mut margin = Margin::new(2, &MarginParams::default()).unwrap();
    for _ in 0..10 {
        margin.learn(&experts, &Feedback::from_grades(&[2, 1, 0])).unwrap();
    }
    assert!((margin.weights()[0] - 0.5).abs() < 1e-9);
}
