//! Judges who favour the side where an item is shown.

use std::sync::Arc;

use ordain::active::{Session, SessionParams, Strategy};
use ordain::data::{Answer, AnswerLog, Entry, ItemId, Outcome};
use ordain::gp::{AnswerModel, Belief, CovarianceForm};
use ordain::kernel::Kernel;
use ordain::numeric::Matrix;
use rand::RngExt;

use crate::common::{Given, cholesky, draw, normal, smooth_kernel, stream};
use crate::naive::{Said, ep};

/// The deviations of a judge's own bias and of the common one, in units of the prior's deviation, as `gp/judges` states them.
const BIAS: [f64; 2] = [0.3, 0.15];

fn answer(first: usize, second: usize, outcome: Outcome, judge: &str) -> Answer {
    Answer::new(ItemId::new(first), Some(ItemId::new(second)), outcome).unwrap().by(judge)
}

/// Answers of some judges, each with a bias, about random pairs in random order.
fn answers(items: usize, count: usize, judges: &[(&str, f64)], task: u64) -> (Matrix, Vec<Answer>) {
    let mut stream = stream(task);
    let prior = smooth_kernel(items, 0.8, 0.6, &mut stream);
    let utilities = draw(&cholesky(&prior), &mut stream);
    let mut out = Vec::new();
    while out.len() < count {
        let (first, second) = (stream.random_range(0..items), stream.random_range(0..items));
        let (judge, bias) = judges[stream.random_range(0..judges.len())];
        if first != second {
            let seen = utilities[first] - utilities[second] + bias + 0.7 * normal(&mut stream);
            let outcome = match seen {
                _ if seen > 0.2 => Outcome::First,
                _ if seen < -0.2 => Outcome::Second,
                _ => Outcome::Tie,
            };
            out.push(answer(first, second, outcome, judge));
        }
    }
    (prior, out)
}

const JUDGES: [(&str, f64); 3] = [("ann", 0.5), ("bob", -0.3), ("cyd", 0.0)];

fn model() -> AnswerModel {
    AnswerModel::new(0.5, 0.2).unwrap().with_sides(true)
}

/// The same problem written out: the prior of items, of the biases of judges in the order in which they answered first, and of a stranger.
fn written_out(prior: &Matrix, answers: &[Answer]) -> (Matrix, Vec<Said>) {
    let n = prior.rows();
    let unit = (prior.diagonal().iter().sum::<f64>() / n as f64).sqrt();
    let mut judges: Vec<&str> = Vec::new();
    for answer in answers {
        let name = answer.judge.as_deref().unwrap_or("");
        if !judges.contains(&name) {
            judges.push(name);
        }
    }
    let size = n + judges.len() + 1;
    let variance = |share: f64| (share * unit).powi(2);
    let joint = Matrix::from_fn(size, size, |row, column| match (row < n, column < n) {
        (true, true) => prior[(row, column)],
        (false, false) if row == column => variance(BIAS[0]) + variance(BIAS[1]),
        (false, false) => variance(BIAS[1]),
        _ => 0.0,
    });
    let said = answers.iter().map(|answer| {
        let (sigma, width): (f64, f64) = (0.5, 0.2);
        let mut direction = vec![0.0; size];
        let judge = judges.iter().position(|name| *name == answer.judge.as_deref().unwrap_or("")).unwrap();
        direction[answer.first.index()] = 1.0;
        direction[answer.second.unwrap().index()] = -1.0;
        direction[n + judge] = 1.0;
        let (low, high) = match answer.outcome {
            Outcome::First => (width, f64::INFINITY),
            Outcome::Second => (f64::NEG_INFINITY, -width),
            _ => (-width, width),
        };
        Said { direction, low, high, noise: sigma * std::f64::consts::SQRT_2 }
    });
    (joint, said.collect())
}

fn session(prior: &Matrix, model: AnswerModel, form: CovarianceForm, answers: &[Answer]) -> Session {
    let kernel: Arc<dyn Kernel> = Arc::new(Given(prior.clone()));
    let params = SessionParams::new(Strategy::Entropy).with_repeat(true);
    let mut session = Session::new(kernel, None, model, params).unwrap().with_form(form).unwrap();
    session.resume(&AnswerLog::new(answers.iter().cloned().map(Entry::Answer).collect()).unwrap()).unwrap();
    session
}

fn coordinates(belief: &dyn Belief) -> Vec<ItemId> {
    (0..belief.len() + belief.asides().len()).map(ItemId::new).collect()
}

/// Beliefs, biases, their covariances and the evidence of EP over all answers, for more answers than items and fewer, in both forms; and
/// for as many judges that biases are folded into the items, and for fewer.
#[test]
fn beliefs_equal_the_problem_written_out() {
    // 64 answers of a model that is learned from are a count after which all are learned anew by EP.
    for (items, count) in [(6, 64), (20, 64), (30, 12), (5, 10)] {
        let (prior, answers) = answers(items, count, &JUDGES, count as u64);
        let (joint, said) = written_out(&prior, &answers);
        let expected = ep(&joint, &said);
        for form in [CovarianceForm::Dense, CovarianceForm::Lazy] {
            let session = session(&prior, model(), form, &answers);
            let belief = session.belief();
            let known = joint.rows();
            let mean = [belief.mean(), &belief.asides()[..known - items]].concat();
            let covariance = belief.covariance(&coordinates(belief)[..known]).unwrap();
            // EP stops at a change of 1e-9 of a deviation, and the other one at 1e-12.
            for one in 0..known {
                assert!(
                    (mean[one] - expected.mean[one]).abs() < 1e-7,
                    "{items} {form:?} {one}: {} {}",
                    mean[one],
                    expected.mean[one]
                );
                for other in 0..known {
                    let (found, wanted) = (covariance[(one, other)], expected.covariance[(one, other)]);
                    assert!((found - wanted).abs() < 1e-7, "{items} {form:?} {one} {other}: {found} {wanted}");
                }
            }
            let found = belief.log_evidence();
            assert!((found - expected.log_evidence).abs() < 1e-6, "{found} {}", expected.log_evidence);
        }
    }
}

/// Every bit that can be seen of the items and of the biases.
fn bits(session: &Session) -> Vec<u64> {
    let belief = session.belief();
    let covariance = belief.covariance(&coordinates(belief)).unwrap();
    let numbers = belief.mean().iter().chain(belief.variances()).chain(belief.asides()).chain(covariance.values());
    let mut out: Vec<u64> = numbers.map(|value| value.to_bits()).collect();
    let question = session.ask().unwrap();
    out.extend(question.iter().flat_map(|one| [one.first.0.into(), one.second.0.into(), one.score.to_bits()]));
    out
}

/// Judges come one by one, so that asides run out thrice, on the way and right before what is taken back.
#[test]
fn live_prefetched_resumed_and_undone_are_the_same() {
    let names: Vec<String> = (0..9).map(|number| format!("judge {number}")).collect();
    let (prior, mut told) = answers(12, 60, &[("", 0.0)], 5);
    for (at, answer) in told.iter_mut().enumerate() {
        *answer = answer.clone().by(names[(at * at) % (1 + at / 7)].as_str());
    }
    for (model, form) in [
        (model(), CovarianceForm::Dense),
        (model(), CovarianceForm::Lazy),
        (AnswerModel::learning(0.2).unwrap().with_sides(true), CovarianceForm::Dense),
    ] {
        let mut live = session(&prior, model.clone(), form, &[]);
        let mut fetched = live.clone();
        for (at, answer) in told.iter().enumerate() {
            live.tell(answer.clone()).unwrap();
            if let Some(question) = fetched.ask().unwrap() {
                fetched.prefetch(&question).unwrap();
            }
            fetched.tell(answer.clone()).unwrap();
            if at % 7 == 0 || at > 55 {
                let so_far = &told[..=at];
                assert_eq!(bits(&live), bits(&session(&prior, model.clone(), form, so_far)), "{at} resumed");
                assert_eq!(bits(&live), bits(&fetched), "{at} prefetched");
                let mut undone = live.clone();
                let more = answer_of_another(answer);
                undone.tell(more.clone()).unwrap();
                assert_eq!(undone.undo(more.judge.as_deref()).unwrap(), Some(more));
                assert_eq!(bits(&live), bits(&undone), "{at} undone");
            }
        }
    }
}

fn answer_of_another(answer: &Answer) -> Answer {
    answer.clone().turned().by("a newcomer")
}

/// What a prefetched session learned of the side of the usual judge is not taken for what another judge said, or of the other side.
#[test]
fn a_prefetched_answer_is_that_of_its_judge_and_side() {
    let (prior, told) = answers(8, 20, &JUDGES, 3);
    for turned in [false, true] {
        for judge in ["ann", "bob"] {
            let mut fetched = session(&prior, model(), CovarianceForm::Dense, &told);
            let question = fetched.ask().unwrap().unwrap();
            fetched.prefetch(&question).unwrap();
            let [mut left, mut right] = fetched.sides(&question);
            if turned {
                std::mem::swap(&mut left, &mut right);
            }
            let answer = answer(left.index(), right.index(), Outcome::First, judge);
            fetched.tell(answer.clone()).unwrap();
            let all: Vec<Answer> = told.iter().cloned().chain([answer]).collect();
            assert_eq!(bits(&fetched), bits(&session(&prior, model(), CovarianceForm::Dense, &all)));
        }
    }
}

/// Draws follow the posterior of biases too: the probability of being the best, beside draws of the prior that are weighted by the
/// likelihood of the answers.
#[test]
fn certainty_equals_weighted_draws_from_the_prior() {
    const DRAWS: usize = 400_000;
    let (prior, answers) = answers(4, 14, &[("ann", 0.6), ("bob", -0.2)], 8);
    let (joint, said) = written_out(&prior, &answers);
    let mut stream = stream(9);
    let lower = cholesky(&joint);
    let (mut total, mut squares, mut best) = (0.0, 0.0, [0.0; 4]);
    for _ in 0..DRAWS {
        let x = draw(&lower, &mut stream);
        let weight: f64 = said
            .iter()
            .map(|said| {
                let value: f64 = said.direction.iter().zip(&x).map(|(one, other)| one * other).sum();
                crate::common::phi((said.high - value) / said.noise)
                    - crate::common::phi((said.low - value) / said.noise)
            })
            .product();
        let first = (0..4).max_by(|&one, &other| x[one].total_cmp(&x[other])).unwrap();
        best[first] += weight;
        total += weight;
        squares += weight * weight;
    }
    let session = session(&prior, model(), CovarianceForm::Dense, &answers);
    let items = ordain::data::Items::from_ids(["a", "b", "c", "d"]).unwrap();
    let params = ordain::gp::RankingParams::default().with_top(Some(1)).with_draws(16_384);
    for ranked in ordain::gp::rank(session.belief(), &items, &params).unwrap() {
        let expected = best[ranked.item.index()] / total;
        // Four standard errors of either: of the effective number of weighted draws, and of draws in chains, which count for a quarter.
        let effective = total * total / squares;
        let error = 4.0 * (0.25 / effective + 4.0 * 0.25 / 16_384.0_f64).sqrt();
        assert!((ranked.top.unwrap() - expected).abs() < error, "{} {expected} {error}", ranked.top.unwrap());
    }
}

/// A judge who favours the left strongly, to whom the worse item is shown left more often: without sides the order comes out wrong.
#[test]
fn a_bias_is_told_from_utilities() {
    let items = 10;
    let prior = Matrix::from_fn(items, items, |row, column| f64::from(u8::from(row == column)));
    let mut stream = stream(11);
    let mut told = Vec::new();
    for _ in 0..400 {
        let (one, other) = (stream.random_range(0..items), stream.random_range(0..items));
        if one == other {
            continue;
        }
        // The item with the smaller number is better by a tenth per place.
        let worse_left = stream.random_bool(0.8);
        let (left, right) = if (one > other) == worse_left { (one, other) } else { (other, one) };
        let seen = 0.1 * (right as f64 - left as f64) + 0.8 + 0.3 * normal(&mut stream);
        told.push(answer(left, right, if seen > 0.0 { Outcome::First } else { Outcome::Second }, "ann"));
    }
    let model = AnswerModel::new(0.2, 0.0).unwrap();
    let wrong = |model: AnswerModel| {
        let session = session(&prior, model, CovarianceForm::Dense, &told);
        let mean = session.belief().mean().to_vec();
        (0..items)
            .flat_map(|one| (one + 1..items).map(move |other| (one, other)))
            .filter(|&(one, other)| mean[one] < mean[other])
            .count()
    };
    let (known, unknown) = (wrong(model.clone().with_sides(true)), wrong(model));
    // Neighbours are a third of the noise apart, and 80 answers about each put some wrong.
    assert!(known <= 5 && unknown > 30, "{known} {unknown}");
}
