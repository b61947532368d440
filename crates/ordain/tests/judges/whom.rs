//! Questions for one judge, against a scan over all pairs that is written from the definition.

use std::collections::HashMap;

use ordain::active::AskOptions;
use ordain::data::{Answer, ItemId, Outcome};
use ordain::{Fitted, Inference, Model, Watch};

use crate::care::{Nature, World};
use crate::common::phi;

fn careful(sigma: f64) -> Nature {
    Nature { sigma, bias: 0.0, is_careless: false }
}

/// The noise of a judge on a difference, from the probability that the library gives to an answer of his: `Φ(mean / √(variance +
/// noise²))`. The probability falls with the noise, so halving finds it.
fn noise_of(fitted: &Fitted, judge: &str) -> f64 {
    let mean = fitted.belief().mean();
    let by = |one: &usize, other: &usize| mean[*one].total_cmp(&mean[*other]);
    let (first, second) = ((0..mean.len()).max_by(by).unwrap(), (0..mean.len()).min_by(by).unwrap());
    let [first, second] = [first, second].map(ItemId::new);
    let answer = Answer::new(first, Some(second), Outcome::First).unwrap().by(judge);
    let probability = fitted.log_probability(&answer).unwrap().unwrap().exp();
    let (difference, variance) = pair(fitted, first, second);
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..100 {
        let noise: f64 = 0.5 * (low + high);
        if phi(difference / (variance + noise * noise).sqrt()) > probability { low = noise } else { high = noise }
    }
    0.5 * (low + high)
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

/// The lead from which another answer of a judge tells nothing, as [`ordain::gp::AnswerModel::telling_lead`] states it for utilities with a
/// deviation of 1 and no lapses; `noise` is that on a difference.
fn enough(noise: f64) -> Option<f64> {
    let differ = (1.0 / (1.0 + 0.5 * noise * noise)).acos() / std::f64::consts::PI;
    let turned = 0.5 * (1.0 - (1.0 - 2.0 * differ).max(0.0).sqrt());
    (differ > 0.05).then(|| (99_f64.ln() / ((1.0 - turned) / turned).ln()).ceil())
}

/// How many answers of a pair are for the item with the smaller number, less those for the other.
fn leads(answers: &[Answer]) -> HashMap<(usize, usize), f64> {
    let mut leads = HashMap::new();
    for answer in answers {
        let (first, second) = (answer.first.index(), answer.second.unwrap().index());
        let sign = if (answer.outcome == Outcome::First) == (first < second) { 1.0 } else { -1.0 };
        *leads.entry((first.min(second), first.max(second))).or_default() += sign;
    }
    leads
}

/// Three judges of very different care are asked the pair that takes most entropy with their noise; pairs that were answered are asked
/// where the answers so far do not settle them for a judge like that. By EP, step by step, and in a session.
#[test]
fn the_pair_for_a_judge_by_a_scan() {
    let mut asked_again = 0;
    for task in [91, 92, 94] {
        let world = World::play(7, vec![careful(0.1), careful(0.4), careful(1.5)], 16, task);
        let model: Model = world.model(false);
        let found = model.fit(Inference::Ep, &Watch::NONE).unwrap().judges(&Watch::NONE).unwrap();
        // A priori it is one in twenty. Only a judge of whom it is more probable is taken for one.
        assert!(found.iter().all(|one| one.careless < 0.04), "the definition below has no blind answers");
        let options = |judge: Option<&str>| {
            AskOptions::default().with_strategy(Some("entropy".into())).with_judge(judge.map(str::to_owned))
        };
        let leads = leads(&world.answers);
        let mut noises = Vec::new();
        for judge in ["judge 000", "judge 001", "judge 002"] {
            for inference in [Inference::Ep, Inference::Incremental] {
                let mut fitted = model.fit(inference, &Watch::NONE).unwrap();
                assert_eq!(fitted.answer_model().lapse(), 0.0, "the definition below has no lapses");
                let noise = noise_of(&fitted, judge);
                noises.push(noise);
                let enough = enough(noise);
                let is_open = |pair: &(usize, usize)| {
                    leads.get(pair).is_none_or(|lead: &f64| enough.is_some_and(|enough| lead.abs() < enough))
                };
                let all = (0..7).flat_map(|one| (one + 1..7).map(move |other| (one, other))).filter(is_open);
                let score = |&(one, other): &(usize, usize)| {
                    let (difference, variance) = pair(&fitted, ItemId::new(one), ItemId::new(other));
                    told(difference, variance, noise)
                };
                let best = all.map(|pair| (score(&pair), pair)).max_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
                let asking = model.asking(&options(None)).unwrap();
                fitted.ask_judge(Some(judge)).unwrap();
                let question = fitted.ask_many(&asking, None, 1).unwrap()[0];
                let (one, other) = (question.first.index(), question.second.index());
                assert_eq!((one.min(other), one.max(other)), best.1, "{task} {judge} {inference}");
                // The noise was found by halving, from a probability with some 13 digits.
                assert!((question.score / best.0 - 1.0).abs() < 1e-6, "{question:?} {best:?}");
                asked_again += usize::from(leads.contains_key(&best.1));
                if inference == Inference::Incremental {
                    let session = model.session(&options(Some(judge)), None, &Watch::NONE).unwrap();
                    assert_eq!(session.ask_many(1).unwrap()[0], question, "{task} {judge}");
                }
            }
        }
        assert!(noises[0] < noises[4], "{noises:?}");
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
