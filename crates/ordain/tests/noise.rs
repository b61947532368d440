//! The noise that is learned from answers: against a fine grid of evidences, in worlds where it is known, and in sessions that resume
//! and take back.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::{Given, cholesky, draw, smooth_kernel, stream};
use ordain::active::{Judge, Session, SessionParams, Strategy};
use ordain::data::{Answer, AnswerLog, Entry, ItemId, Outcome};
use ordain::gp::{AnswerModel, Belief, EpParams};
use ordain::kernel::Kernel;
use ordain::numeric::{Matrix, Seed};
use rand::RngExt;

/// A world drawn from a prior of this deviation, and a judge whose noise is this share of it.
struct World {
    kernel: Matrix,
    utilities: Vec<f64>,
    judge: Judge,
}

impl World {
    fn draw(n: usize, deviation: f64, share: f64, tie_width: f64, task: u64) -> Self {
        let mut stream = stream(task);
        let smooth = smooth_kernel(n, deviation, 0.5, &mut stream);
        // Half of the variance is each item's own. The variances of a smooth kernel are all the same.
        let kernel = Matrix::from_fn(n, n, |i, j| if i == j { smooth[(i, i)] } else { 0.5 * smooth[(i, j)] });
        let utilities = draw(&cholesky(&kernel), &mut stream);
        let deviation = kernel[(0, 0)].sqrt();
        let judge = Judge { noise: std::f64::consts::SQRT_2 * share * deviation, tie_width: tie_width * deviation };
        Self { kernel, utilities, judge }
    }

    fn deviation(&self) -> f64 {
        self.kernel[(0, 0)].sqrt()
    }

    fn kernel(&self) -> Arc<dyn Kernel> {
        Arc::new(Given(self.kernel.clone()))
    }

    /// Answers about random pairs.
    fn answers(&self, count: usize, task: u64) -> Vec<Answer> {
        let mut stream = Seed(17).stream(task);
        let n = self.utilities.len();
        let mut one = || {
            let first = stream.random_range(0..n);
            let second = (first + stream.random_range(1..n)) % n;
            self.judge.compare(&self.utilities, ItemId::new(first), ItemId::new(second), &mut stream).unwrap()
        };
        (0..count).map(|_| one()).collect()
    }

    fn session(&self, strategy: Strategy, tie_width: f64) -> Session {
        let model = AnswerModel::learning(tie_width).unwrap();
        Session::new(self.kernel(), None, model, SessionParams::new(strategy)).unwrap()
    }

    /// The noise that a session learns, as a share of the deviation.
    fn learned(&self, answers: &[Answer]) -> f64 {
        let mut session = self.session(Strategy::Random, 0.0);
        session.resume(&log(answers)).unwrap();
        session.model().noise() / self.deviation()
    }
}

fn log(answers: &[Answer]) -> AnswerLog {
    let mut log = AnswerLog::default();
    answers.iter().for_each(|answer| log.push(Entry::Answer(answer.clone())).unwrap());
    log
}

/// The posterior mean of the logarithm of the noise, by the trapezoid rule on a grid twenty times as fine.
#[test]
fn the_noise_is_the_posterior_mean() {
    for (task, share) in [(1, 0.02), (2, 0.2), (3, 0.7)] {
        let world = World::draw(12, 3.0, share, 0.0, task);
        // 49 is a count after which the noise is learned.
        let answers = world.answers(49, task);
        let (low, high) = (0.003_f64.ln(), 3.0_f64.ln());
        let heights: Vec<(f64, f64)> = (0..=200)
            .map(|at| {
                let logarithm = low + (high - low) * f64::from(at) / 200.0;
                let model = AnswerModel::new(logarithm.exp() * world.deviation(), 0.0).unwrap();
                let ep = EpParams::default().fit(world.kernel(), &model.observe_all(&answers).unwrap()).unwrap();
                let off = (logarithm - 0.03_f64.ln()) / 2.0;
                (logarithm, ep.log_evidence() - 0.5 * off * off)
            })
            .collect();
        let most = heights.iter().map(|(_, height)| *height).fold(f64::NEG_INFINITY, f64::max);
        let weight = |at: usize| if at == 0 || at == 200 { 0.5 } else { 1.0 } * (heights[at].1 - most).exp();
        let total: f64 = (0..=200).map(weight).sum();
        let mean: f64 = (0..=200).map(|at| weight(at) * heights[at].0).sum::<f64>() / total;
        let learned = world.learned(&answers).ln();
        // The steps of our grid are 0.77 wide; a smooth function's sum at such steps is off by far less.
        assert!((learned - mean).abs() < 0.1, "{share}: {learned} {mean}");
    }
}

/// Before ten answers, the noise is in the middle of its prior.
#[test]
fn few_answers_teach_nothing_about_noise() {
    let world = World::draw(8, 2.0, 0.5, 0.0, 4);
    for count in [0, 1, 9] {
        assert!((world.learned(&world.answers(count, 4)) - 0.03).abs() < 1e-12);
    }
    assert!((world.learned(&world.answers(10, 4)) - 0.03).abs() > 1e-3);
}

/// In worlds of the model, the noise is found again; a judge who never errs is seen as such.
#[test]
fn the_noise_is_found_again() {
    const WORLDS: u64 = 30;
    for share in [0.1, 0.3, 1.0] {
        let off = |task: u64| {
            let world = World::draw(20, 2.0, share, 0.0, 100 + task);
            (world.learned(&world.answers(200, task)) / share).ln()
        };
        let off: Vec<f64> = (0..WORLDS).map(off).collect();
        let mean = off.iter().sum::<f64>() / WORLDS as f64;
        let spread = (off.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / WORLDS as f64).sqrt();
        println!("{share}: off by {mean:.3}, spread {spread:.3}");
        // The prior's middle is 0.03, which pulls by about a standard deviation over the spread of the prior.
        assert!(mean.abs() < 0.35 && spread < 0.8, "{share}: {mean} {spread}");
    }
    let never = World::draw(20, 2.0, 1e-6, 0.0, 7);
    let learned = never.learned(&never.answers(200, 7));
    assert!(learned < 0.03, "{learned}");
}

/// Whether told one by one, resumed or taken back, a session believes and asks the same, to the bit.
#[test]
fn a_session_depends_on_its_answers_alone() {
    for (strategy, tie_width) in [(Strategy::WrongPairs, 0.0), (Strategy::TopRegret { k: 3 }, 0.3)] {
        let world = World::draw(14, 2.0, 0.2, tie_width, 8);
        let mut live = world.session(strategy, tie_width);
        let mut stream = Seed(3).stream(1_u64);
        for count in 1..=70 {
            let question = live.ask().unwrap().unwrap();
            let (first, second) = (question.first, question.second);
            let answer = world.judge.compare(&world.utilities, first, second, &mut stream).unwrap();
            let answer = if count % 9 == 0 { question.answer(Outcome::Skip).unwrap() } else { answer };
            live.tell(answer).unwrap();
            if count % 7 != 0 && count != 70 {
                continue;
            }
            let same = |other: &Session| {
                assert_eq!(other.belief().mean(), live.belief().mean(), "{count}");
                assert_eq!(other.belief().variances(), live.belief().variances(), "{count}");
                assert_eq!(other.belief().log_evidence(), live.belief().log_evidence(), "{count}");
                assert_eq!((other.model(), other.ask().unwrap()), (live.model(), live.ask().unwrap()), "{count}");
            };
            let mut resumed = world.session(strategy, tie_width);
            resumed.resume(&log(live.answers())).unwrap();
            same(&resumed);
            resumed.tell(world.answers(1, 99).remove(0)).unwrap();
            resumed.undo(None).unwrap();
            same(&resumed);
        }
    }
}

/// Utilities in another unit: the noise is in that unit, and the questions are the same.
#[test]
fn the_unit_does_not_matter() {
    let world = World::draw(10, 2.0, 0.2, 0.0, 9);
    let other = World {
        kernel: Matrix::from_fn(10, 10, |i, j| 49.0 * world.kernel[(i, j)]),
        ..World::draw(10, 2.0, 0.2, 0.0, 9)
    };
    let answers = world.answers(40, 9);
    let [mut one, mut scaled] = [&world, &other].map(|world| world.session(Strategy::WrongPairs, 0.0));
    for session in [&mut one, &mut scaled] {
        session.resume(&log(&answers)).unwrap();
    }
    assert!((scaled.model().noise() / one.model().noise() / 7.0 - 1.0).abs() < 1e-6);
    let pair = |session: &Session| session.ask().unwrap().map(|question| (question.first, question.second));
    assert_eq!(pair(&one), pair(&scaled));
}

/// A pair is asked again of a judge who contradicts himself, and never of one who does not. Skipped pairs are left alone.
#[test]
fn pairs_are_asked_again_of_the_inconsistent_alone() {
    for (share, again) in [(1e-6, false), (1.0, true)] {
        let world = World::draw(5, 2.0, share, 0.0, 11);
        let mut session = world.session(Strategy::TopRegret { k: 2 }, 0.0);
        let answers: Vec<Answer> = world.answers(60, 11);
        session.resume(&log(&answers)).unwrap();
        assert_eq!(session.model().tells_again(), again, "{share}: {}", session.model().noise());
        // All ten pairs were answered.
        assert_eq!(session.ask().unwrap().is_some(), again);
        if let Some(question) = session.ask().unwrap() {
            session.tell(question.answer(Outcome::Skip).unwrap()).unwrap();
            let next = session.ask().unwrap().unwrap();
            assert_ne!((next.first, next.second), (question.first, question.second));
        }
    }
}

/// Ties: their width is learned too.
#[test]
fn the_width_of_ties_is_learned() {
    let world = World::draw(20, 2.0, 0.1, 0.4, 12);
    let answers = world.answers(200, 12);
    assert!(answers.iter().filter(|answer| answer.outcome == Outcome::Tie).count() > 20);
    for start in [0.05, 0.4, 3.0] {
        let mut session = world.session(Strategy::Random, start * world.deviation());
        session.resume(&log(&answers)).unwrap();
        let found = session.model().tie_width() / world.deviation();
        // Factors of 2 from the start.
        assert!((0.2..0.8).contains(&found), "from {start}: {found}");
    }
}
