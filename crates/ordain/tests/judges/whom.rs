//! Questions for one judge, against a scan over all pairs that is written from the definition.

use std::collections::HashMap;

use ordain::active::{AskOptions, Session, SessionParams, Strategy};
use ordain::data::{Answer, ItemId, Outcome};
use ordain::{Fitted, Inference, Model, Watch};

use crate::care::{Nature, World};
use crate::common::phi;

fn careful(sigma: f64) -> Nature {
    Nature { sigma, bias: 0.0, is_careless: false }
}

/// The noise of a judge on a difference, and the probability h that he does not look, from the probabilities `(1 - h) Φ(mean / √(variance +
/// noise²)) + h / 2` that the library gives to answers of his. How far they are from one half, beside each other, does not depend on h, and
/// grows with the noise for a large difference beside a small one, so halving finds it.
fn habit_of(fitted: &Fitted, judge: &str) -> (f64, f64) {
    let mean = fitted.belief().mean();
    let apart = |&(one, other): &(usize, usize)| (mean[one] - mean[other]).abs();
    let pairs = || (0..mean.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let by = |one: &(usize, usize), other: &(usize, usize)| apart(one).total_cmp(&apart(other));
    let ends = [pairs().max_by(by).unwrap(), pairs().min_by(by).unwrap()].map(|(one, other)| {
        let (first, second) = if mean[one] > mean[other] { (one, other) } else { (other, one) };
        [ItemId::new(first), ItemId::new(second)]
    });
    let off = ends.map(|[first, second]| {
        let answer = Answer::new(first, Some(second), Outcome::First).unwrap().by(judge);
        fitted.log_probability(&answer).unwrap().unwrap().exp() - 0.5
    });
    let differences = ends.map(|[first, second]| pair(fitted, first, second));
    let careful = |noise: f64| {
        differences.map(|(difference, variance)| phi(difference / (variance + noise * noise).sqrt()) - 0.5)
    };
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..100 {
        let noise: f64 = 0.5 * (low + high);
        let [large, small] = careful(noise);
        if large / small < off[0] / off[1] { low = noise } else { high = noise }
    }
    let noise = 0.5 * (low + high);
    (noise, (1.0 - off[0] / careful(noise)[0]).max(0.0))
}

/// The mean and the variance of a difference.
fn pair(fitted: &Fitted, first: ItemId, second: ItemId) -> (f64, f64) {
    let covariance = fitted.belief().covariance(&[first, second]).unwrap();
    let mean = fitted.belief().mean();
    let variance = covariance[(0, 0)] + covariance[(1, 1)] - 2.0 * covariance[(0, 1)];
    (mean[first.index()] - mean[second.index()], variance)
}

/// The entropy that an answer with this noise takes from the difference, moments matched.
fn told(difference: f64, variance: f64, noise: f64) -> f64 {
    let spread = (variance + noise * noise).sqrt();
    let density = |z: f64| (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    let after = |sign: f64| {
        let z = sign * difference / spread;
        let hazard = density(z) / phi(z);
        -0.5 * phi(z) * (1.0 - variance * hazard * (z + hazard) / (spread * spread)).ln()
    };
    after(1.0) + after(-1.0)
}

/// The logarithm of the odds that an answer is not turned round, for utilities with a deviation of 1 and no lapses; `noise` is that on a
/// difference, and he does not look with probability `heedless`. `None` if the judge would contradict himself about at most one random pair in twenty.
fn log_odds((noise, heedless): (f64, f64)) -> Option<f64> {
    let differ = (1.0 / (1.0 + 0.5 * noise * noise)).acos() / std::f64::consts::PI;
    let turned = 0.5 * (1.0 - (1.0 - 2.0 * differ).max(0.0).sqrt());
    let (differ, turned) = ((1.0 - heedless) * differ + 0.5 * heedless, (1.0 - heedless) * turned + 0.5 * heedless);
    (differ > 0.05).then(|| ((1.0 - turned) / turned).ln())
}

/// How many answers of a pair are for the item with the smaller number, less those for the other, by judge.
fn leads(answers: &[Answer]) -> HashMap<(usize, usize), HashMap<&str, f64>> {
    let mut leads: HashMap<_, HashMap<_, f64>> = HashMap::new();
    for answer in answers {
        let (first, second) = (answer.first.index(), answer.second.unwrap().index());
        let sign = if (answer.outcome == Outcome::First) == (first < second) { 1.0 } else { -1.0 };
        let judge = answer.judge.as_deref().unwrap();
        *leads.entry((first.min(second), first.max(second))).or_default().entry(judge).or_default() += sign;
    }
    leads
}

/// Whether answers with these leads settle a pair for a judge: one of a judge who hardly contradicts himself does, or odds of 99 by all
/// answers together, or by his own if he looks.
fn settle(leads: &HashMap<&str, f64>, judge: &str, habits: &HashMap<&str, (f64, f64)>) -> bool {
    let all: Option<f64> = leads.iter().map(|(by, lead)| Some(log_odds(habits[by])? * lead)).sum();
    let own = leads.get(judge).map(|lead| log_odds((habits[judge].0, 0.0)).map_or(f64::INFINITY, |odds| odds * lead));
    let largest = all.unwrap_or(f64::INFINITY).abs().max(own.unwrap_or_default().abs());
    largest >= 99_f64.ln()
}

/// Three judges of very different care are asked the pair that takes most entropy with their noise; pairs that were answered are asked
/// where neither all answers so far settle them nor his own. By EP, step by step, and in a session.
#[test]
fn the_pair_for_a_judge_by_a_scan() {
    let mut asked_again = 0;
    for task in [91, 92, 94] {
        let world = World::play(7, vec![careful(0.1), careful(0.4), careful(1.5)], 16, task);
        let model: Model = world.model(false);
        let found = model.fit(Inference::Ep, &Watch::NONE).unwrap().judges(&Watch::NONE).unwrap();
        // A priori it is one in twenty. Only a judge of whom it is more probable is taken for one.
        assert!(found.iter().all(|one| one.careless < 0.04), "the definition below has no blind answers");
        let options = AskOptions::default().with_strategy(Some("entropy".into()));
        let leads = leads(&world.answers);
        let judges = ["judge 000", "judge 001", "judge 002"];
        for judge in judges {
            for inference in [Inference::Ep, Inference::Incremental] {
                let mut fitted = model.fit(inference, &Watch::NONE).unwrap();
                assert_eq!(fitted.answer_model().lapse(), 0.0, "the definition above has no lapses");
                let habits = HashMap::from(judges.map(|judge| (judge, habit_of(&fitted, judge))));
                assert!(habits["judge 000"].0 < habits["judge 002"].0, "{habits:?}");
                let noise = habits[judge].0;
                let is_open =
                    |pair: &(usize, usize)| leads.get(pair).is_none_or(|leads| !settle(leads, judge, &habits));
                let all = (0..7).flat_map(|one| (one + 1..7).map(move |other| (one, other))).filter(is_open);
                let score = |&(one, other): &(usize, usize)| {
                    let (difference, variance) = pair(&fitted, ItemId::new(one), ItemId::new(other));
                    told(difference, variance, noise)
                };
                let best = all.map(|pair| (score(&pair), pair)).max_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
                let asking = model.asking(&options).unwrap();
                fitted.ask_judge(Some(judge)).unwrap();
                let question = fitted.ask_many(&asking, None, 1).unwrap()[0];
                let (one, other) = (question.first.index(), question.second.index());
                assert_eq!((one.min(other), one.max(other)), best.1, "{task} {judge} {inference}");
                // The noise was found by halving, from a probability with some 13 digits.
                assert!((question.score / best.0 - 1.0).abs() < 1e-6, "{question:?} {best:?} {habits:?}");
                asked_again += usize::from(leads.contains_key(&best.1));
                if inference == Inference::Incremental {
                    // Without a goal, no pair is asked because it decides one.
                    let params = SessionParams::new(Strategy::Entropy).with_judge(Some(judge.to_owned()));
                    let kernel = model.kernel().unwrap();
                    let mut session = Session::new(kernel, None, model.answer_model().clone(), params).unwrap();
                    session.resume(model.answers()).unwrap();
                    assert_eq!(session.ask_many(1).unwrap()[0], question, "{task} {judge}");
                }
            }
        }
    }
    assert!(asked_again > 0, "no pair went to a second judge");
}

/// Somebody of whom nothing is known is asked as any judge is.
#[test]
fn a_stranger_is_any_judge() {
    let world = World::play(8, vec![careful(0.2), careful(0.8)], 20, 98);
    let session = |judge: Option<&str>| {
        let options = AskOptions::default().with_judge(judge.map(str::to_owned));
        world.model(false).session(&options, None, &Watch::NONE).unwrap()
    };
    assert_eq!(session(Some("stranger")).ask_many(5).unwrap(), session(None).ask_many(5).unwrap());
}
