//! When to stop: the rule, and how often a session that went by it is right.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::{cholesky, draw, smooth_kernel, stream};
use ordain::active::{
    BeliefKind, CertaintyParams, Judge, Session, SessionParams, StopRule, Strategy, certainty, rank_with_certainty,
};
use ordain::data::{Attributes, Goal, GradeScale, Groups, ItemId, Items};
use ordain::gp::{AnswerModel, Belief, EpParams, Incremental, Observation, RankingParams, rank};
use ordain::kernel::Independent;
use ordain::numeric::dense::{multiply, multiply_vector};
use ordain::numeric::{Matrix, Seed, normal};
use rand::RngExt;

fn session(kernel: ordain::numeric::Matrix, seed: u64) -> Session {
    let params = SessionParams::new(Strategy::ExpectedLoss { focus: 0.3 })
        .with_belief(BeliefKind::GpFull)
        .with_repeat(true)
        .with_seed(Seed(seed));
    Session::new(Arc::new(common::Given(kernel)), None, AnswerModel::default(), params).unwrap()
}

/// Worlds drawn from the model: a session that stops at the first moment that meets the rule is right with the wanted
/// probability, although it looks after every answer.
#[test]
fn stopping_at_the_first_moment_is_calibrated() {
    let (n, worlds) = (8, 120_u32);
    let rules = [
        StopRule::new(Goal::Best).with_error(0.0).with_target(0.8),
        StopRule::new(Goal::Top { k: 3 }).with_error(0.0).with_target(0.7),
        StopRule::new(Goal::WholeOrder).with_error(0.15).with_target(0.8),
    ];
    for rule in rules {
        let (mut said, mut right, mut answers) = (0.0, 0.0, 0);
        for task in 0..worlds {
            let mut stream = stream(u64::from(task));
            let kernel = smooth_kernel(n, 2.0, 0.5, &mut stream);
            let utilities = draw(&cholesky(&kernel), &mut stream);
            let mut session = session(kernel, u64::from(task));
            let judge = Judge::from(&AnswerModel::default());
            let mut heard = Seed(13).stream(u64::from(task));
            let params = CertaintyParams::default();
            while !session.is_settled(&rule, &params).unwrap() && session.answers().len() < 150 {
                let question = session.ask().unwrap().unwrap();
                session.tell(judge.compare(&utilities, question.first, question.second, &mut heard).unwrap()).unwrap();
            }
            answers += session.answers().len();
            said += rule.probability(&session.certainty(&params).unwrap()) / f64::from(worlds);
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&a, &b| session.belief().mean()[b].total_cmp(&session.belief().mean()[a]));
            let above = |k: usize| order[..k].iter().all(|&a| order[k..].iter().all(|&b| utilities[a] > utilities[b]));
            let pairs = || (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            let wrong = pairs().filter(|&(i, j)| utilities[order[i]] < utilities[order[j]]).count() as f64;
            let is_right = match rule.goal {
                Goal::Best => above(1),
                Goal::Top { k } => above(k),
                Goal::WholeOrder => wrong <= rule.error * pairs().count() as f64,
                other => unreachable!("{other} is none of the goals here"),
            };
            right += f64::from(u8::from(is_right)) / f64::from(worlds);
        }
        println!("{rule:?}: said {said:.3}, right {right:.3}, {:.1} answers", answers as f64 / f64::from(worlds));
        // The standard error of a share of 120 is at most 0.043, and the draws' noise favours stopping a little early:
        // two of the one and one of the other, which is 0.013 for 1024 draws.
        assert!((said - right).abs() < 2.0 * 0.043 + 0.013, "{rule:?}: {said} {right}");
    }
}

/// The group that is least sure decides.
#[test]
fn every_group_counts() {
    let groups = Groups::new(["a", "a", "b", "b"]);
    let params = SessionParams::new(Strategy::Random).with_repeat(true).with_seed(Seed(1));
    let model = AnswerModel::default();
    let mut session = Session::new(Arc::new(Independent::new(4)), Some(groups), model, params).unwrap();
    let rule = StopRule::new(Goal::Best).with_error(0.0).with_target(0.9);
    let own = CertaintyParams::default();
    let probability = |session: &Session| rule.probability(&session.certainty(&own).unwrap());
    let first_wins = |session: &mut Session, first: usize| {
        let [first, second] = [first, first + 1].map(ordain::data::ItemId::new);
        let answer = ordain::data::Answer::new(first, Some(second), ordain::data::Outcome::First).unwrap();
        (0..30).for_each(|_| session.tell(answer.clone()).unwrap());
    };
    first_wins(&mut session, 0);
    // A coin's toss for the second group, within four standard errors.
    assert!((probability(&session) - 0.5).abs() < 4.0 * 0.5 / 32.0);
    assert!(!session.is_settled(&rule, &own).unwrap());
    first_wins(&mut session, 2);
    assert!(probability(&session) >= 0.9 && session.is_settled(&rule, &own).unwrap());
}

/// One pass over the draws says what two would, to the bit, in groups and without.
#[test]
fn the_ranking_and_its_certainty_at_once() {
    let kernel = smooth_kernel(9, 2.0, 0.5, &mut stream(5));
    let mut session = session(kernel, 5);
    let mut heard = Seed(14).stream(0);
    for _ in 0..10 {
        let question = session.ask().unwrap().unwrap();
        let truth: Vec<f64> = (0..9).map(f64::from).collect();
        let judge = Judge { noise: 0.5, tie_width: 0.0 };
        session.tell(judge.compare(&truth, question.first, question.second, &mut heard).unwrap()).unwrap();
    }
    let ids: Vec<String> = (0..9).map(|item| format!("item {item}")).collect();
    for groups in [None, Some(Groups::new(["a", "b", "a", "b", "c", "a", "b", "a", "b"]))] {
        let items = Items::new(ids.clone(), groups, Attributes::none(9)).unwrap();
        let params = RankingParams::default().with_draws(300).with_top(Some(2)).with_seed(Seed(3));
        let (ranked, sure) = rank_with_certainty(session.belief(), &items, &params).unwrap();
        assert_eq!(ranked, rank(session.belief(), &items, &params).unwrap());
        let own = CertaintyParams::default().with_draws(300).with_seed(Seed(3));
        assert_eq!(sure, certainty(session.belief(), items.groups(), &own).unwrap());
    }
}

/// Where utilities are wide beside the noise, a Gaussian cannot follow what answers say: it would give a tenth to b after "a before
/// b". Certainty equals a weighting of draws from the prior by the likelihood, for either belief.
#[test]
fn certainty_is_that_of_the_posterior() {
    let (n, width) = (5, 20.0);
    let model = AnswerModel::default();
    let kernel = || Arc::new(common::Given(Matrix::from_fn(n, n, |i, j| if i == j { width * width } else { 100.0 })));
    let pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (1, 3), (0, 4), (2, 4)];
    let observations: Vec<Observation> =
        pairs.iter().map(|&(a, b)| model.preferred(ItemId::new(a), ItemId::new(b))).collect();
    let mut steps = Incremental::dense(kernel()).unwrap();
    observations.iter().for_each(|observation| steps.observe(observation).unwrap());
    let ep = EpParams::default().fit(kernel(), &observations).unwrap();

    // Items 0 to 4 are in this order by both means.
    let (mut right, mut total) = ([0.0; 4], 0.0);
    let (factor, mut stream) = (cholesky(&kernel().0), stream(3));
    for _ in 0..400_000 {
        let drawn = draw(&factor, &mut stream);
        let weight: f64 = pairs.iter().map(|&(a, b)| normal::cdf((drawn[a] - drawn[b]) / model.lambda())).product();
        total += weight;
        for (at, right) in right.iter_mut().enumerate() {
            let (above, below) = drawn.split_at(at + 1);
            let is_right = above.iter().all(|a| below.iter().all(|b| a > b));
            *right += if is_right { weight } else { 0.0 };
        }
    }
    for belief in [&steps as &dyn Belief, &ep] {
        assert!(belief.mean().is_sorted_by(|a, b| a > b));
        let sure =
            &certainty(belief, None, &CertaintyParams::default().with_draws(16384).with_seed(Seed(2))).unwrap()[0];
        for (at, right) in right.iter().enumerate() {
            let (found, expected) = (sure.top(at + 1), right / total);
            println!("first {}: {found:.4}, by weighting {expected:.4}", at + 1);
            // The weighting's standard error is some 0.003 (one draw in 120 has the order), the chain's half of it.
            assert!((found - expected).abs() < 0.01, "first {}: {found} {expected}", at + 1);
            assert!(expected > 0.9);
        }
    }
}

/// A belief is its prior times the sites of its factors: `K - Σ = Σ A K` and `m = Σ Σ_s ν_s d_s`.
#[test]
fn factors_make_the_belief() {
    let n = 7;
    let kernel = smooth_kernel(n, 9.0, 0.5, &mut stream(8));
    let model = AnswerModel::new(0.4, 0.2).unwrap();
    let [a, b, c, d] = [0, 2, 3, 6].map(ItemId::new);
    let mut observations = vec![model.preferred(a, b), model.good(c), model.preferred(b, d), model.preferred(d, c)];
    observations.push(model.tied(a, d).unwrap());
    let mut steps = Incremental::dense(Arc::new(common::Given(kernel.clone()))).unwrap();
    observations.iter().for_each(|observation| steps.observe(observation).unwrap());
    let ep = EpParams::default().fit(Arc::new(common::Given(kernel.clone())), &observations).unwrap();
    let learned = Incremental::from_belief(&ep).unwrap();
    for belief in [&steps as &dyn Belief, &ep, &learned] {
        let kept: Vec<Observation> = belief.factors().iter().map(|factor| factor.observation).collect();
        assert_eq!(kept, observations);
        let items: Vec<ItemId> = (0..n).map(ItemId::new).collect();
        let covariance = belief.covariance(&items).unwrap();
        let (mut precisions, mut shifts) = (Matrix::zeros(n, n), vec![0.0; n]);
        for factor in belief.factors() {
            let mut direction = vec![0.0; n];
            factor.observation.functional.spread(1.0, &mut direction);
            factor.observation.functional.spread(factor.site.shift, &mut shifts);
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                precisions[(i, j)] += factor.site.precision * direction[i] * direction[j];
            }
        }
        let lost = multiply(&multiply(&covariance, &precisions), &kernel);
        let mean = multiply_vector(&covariance, &shifts);
        // Numbers near 10 after a few products; EP stops at 1e-9.
        for i in 0..n {
            assert!((mean[i] - belief.mean()[i]).abs() < 1e-7, "{} {}", mean[i], belief.mean()[i]);
            for j in 0..n {
                assert!((lost[(i, j)] - (kernel[(i, j)] - covariance[(i, j)])).abs() < 1e-7);
            }
        }
    }
}

/// Five items, of which the first two and the last two are the wrong way round: 2 of 10 pairs.
#[test]
fn goals_by_hand() {
    let (means, truth) = ([5.0, 4.0, 3.0, 2.0, 1.0], [4.0, 5.0, 3.0, 1.0, 2.0]);
    let holds = |goal, truth: &[f64]| StopRule::new(goal).holds(&means, None, truth).unwrap();
    assert!(!holds(Goal::Best, &truth) && !holds(Goal::Top { k: 1 }, &truth));
    assert!(holds(Goal::Top { k: 2 }, &truth) && holds(Goal::Top { k: 9 }, &truth));
    // One wrong pair of ten is a tenth, which is allowed; two are not.
    assert!(!holds(Goal::WholeOrder, &truth) && holds(Goal::WholeOrder, &[5.0, 4.0, 3.0, 1.0, 2.0]));
    // The weights of the places are e^-0.6, e^-1.2, ..., and so many pairs begin there: 4, 3, 2, 1. The last pair has 0.026 of
    // their sum, the first 0.156.
    assert!(holds(Goal::TopHeavy, &[5.0, 4.0, 3.0, 1.0, 2.0]) && !holds(Goal::TopHeavy, &[4.0, 5.0, 3.0, 2.0, 1.0]));
    // In groups, every group counts.
    let groups = Groups::new(["a", "a", "b", "b", "b"]);
    let best = |truth: &[f64]| StopRule::new(Goal::Best).holds(&means, Some(&groups), truth).unwrap();
    assert!(best(&[2.0, 1.0, 9.0, 8.0, 7.0]) && !best(&[2.0, 1.0, 8.0, 9.0, 7.0]));
    assert!(StopRule::new(Goal::Best).holds(&means, None, &truth[1..]).is_err());
}

/// A judge whose grades waver by half of the prior's deviation, and whose comparisons are better: sessions that ask for grades too are
/// right about as often as they say. The prior of the noise of grades must be cautious for that.
#[test]
fn noisy_grades_do_not_end_sessions_too_soon() {
    let (n, worlds) = (10, 16_u32);
    let rule = StopRule::new(Goal::WholeOrder);
    let (mut said, mut right, mut met) = (0.0, 0.0, 0.0_f64);
    for task in 0..worlds {
        let mut stream = stream(u64::from(task));
        let kernel = Matrix::from_fn(n, n, |i, j| if i == j { 9.0 } else { 0.0 });
        let utilities = draw(&cholesky(&kernel), &mut stream);
        let model = AnswerModel::learning(0.0).unwrap().with_grades(GradeScale::default()).unwrap();
        let params = SessionParams::new(Strategy::WrongPairs).with_grades(true).with_rule(Some(rule));
        let mut session = Session::new(Arc::new(common::Given(kernel)), None, model, params).unwrap();
        let judge = Judge { noise: 0.3 * std::f64::consts::SQRT_2, tie_width: 0.0 };
        let mut heard = Seed(14).stream(u64::from(task));
        while session.answers().len() < 150 && !session.standing().unwrap().unwrap().is_met {
            let question = session.ask().unwrap().unwrap();
            let answer = match session.grade_instead(&question).unwrap() {
                Some(grade) => {
                    let noise = 1.5 * normal::quantile(heard.random::<f64>().clamp(1e-12, 1.0 - 1e-12));
                    let seen = utilities[grade.item.index()] + noise;
                    let above = [-2.5, -0.8, 0.8, 2.5].iter().filter(|&&cut| seen > cut).count();
                    grade.answer(Some(1 + above as i32)).unwrap()
                }
                None => judge.compare(&utilities, question.first, question.second, &mut heard).unwrap(),
            };
            session.tell(answer).unwrap();
        }
        let standing = session.standing().unwrap().unwrap();
        if standing.is_met {
            let mean = session.belief().mean();
            let pairs = || (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            let wrong = pairs().filter(|&(i, j)| (mean[i] > mean[j]) != (utilities[i] > utilities[j])).count();
            right += f64::from(u8::from(wrong as f64 <= rule.error * pairs().count() as f64));
            said += standing.probability;
            met += 1.0;
        }
    }
    assert!(met > 0.8 * f64::from(worlds), "{met} sessions reached the goal");
    let (said, right) = (said / met, right / met);
    // Two and a half standard errors of a share near 0.93.
    assert!(right > said - 2.5 * (0.93 * 0.07 / met).sqrt(), "said {said}, right {right} of {met}");
}

/// A judge who never errs calls the two best items alike. One tie is enough: what the judge says of a third item tells which is better, and
/// asking again tells nothing.
#[test]
fn a_tie_is_not_asked_again() {
    // The first beats the third item by more than the width of a tie, the second does not.
    let (width, mut utilities) = (0.5, vec![2.0, 1.65, 1.45]);
    utilities.extend((0..17).map(|item| 0.8 - 0.15 * f64::from(item)));
    let judge = Judge { noise: 0.0, tie_width: width };
    let rule = StopRule::new(Goal::Best).with_error(0.0).with_target(0.9);
    for seed in 0..5 {
        let params =
            SessionParams::new(Strategy::OptimisticBest).with_rule(Some(rule)).with_repeat(false).with_seed(Seed(seed));
        let kernel = Arc::new(Independent::new(utilities.len()));
        let mut session = Session::new(kernel, None, AnswerModel::learning(width).unwrap(), params).unwrap();
        let mut heard = Seed(14).stream(seed);
        while !session.is_done().unwrap() {
            let question = session.ask().unwrap().unwrap();
            let answer = judge.compare(&utilities, question.first, question.second, &mut heard).unwrap();
            session.tell(answer).unwrap();
            // Every pair once would be 190.
            assert!(session.answers().len() < 100, "seed {seed} does not come to an end");
        }
        let best = |answer: &&ordain::data::Answer| answer.first.0.max(answer.second.unwrap().0) == 1;
        let asked = session.answers().iter().filter(best).count();
        assert!(asked <= 2, "seed {seed} asks {asked} times");
        let mean = session.belief().mean();
        assert!(mean[1..].iter().all(|other| *other < mean[0]), "seed {seed}: {mean:?}");
    }
}
