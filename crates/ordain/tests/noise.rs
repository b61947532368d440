//! The noise that is learned from answers: against a fine grid of evidences, in worlds where it is known, and in sessions that resume
//! and take back.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::{Given, cholesky, draw, smooth_kernel, stream};
use ordain::active::{
    BeliefKind, CertaintyParams, ForecastParams, Judge, Session, SessionParams, StopRule, Strategy, forecast,
};
use ordain::data::{Answer, AnswerLog, Entry, Goal, ItemId, Outcome};
use ordain::gp::{AnswerModel, Belief, EpParams, Functional, NoiseLaw, Observation};
use ordain::kernel::Kernel;
use ordain::numeric::{Matrix, Seed, normal};
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

    /// The answer model that a session learns.
    fn learned_model(&self, answers: &[Answer]) -> AnswerModel {
        let mut session = self.session(Strategy::Random, 0.0);
        session.resume(&log(answers)).unwrap();
        session.model().clone()
    }

    /// The noise that a session learns, as a share of the deviation.
    fn learned(&self, answers: &[Answer]) -> f64 {
        self.learned_model(answers).noise() / self.deviation()
    }
}

/// The probability that two answers about a random pair differ, for a noise as a share of the deviation, and a lapse.
fn contradiction(share: f64, lapse: f64) -> f64 {
    let meant = (1.0 / (1.0 + share * share)).acos() / std::f64::consts::PI;
    let turned = 2.0 * lapse * (1.0 - lapse);
    meant * (1.0 - turned) + (1.0 - meant) * turned
}

fn log(answers: &[Answer]) -> AnswerLog {
    let mut log = AnswerLog::default();
    answers.iter().for_each(|answer| log.push(Entry::Answer(answer.clone())).unwrap());
    log
}

/// The posterior mean of the logarithm of the noise, by the trapezoid rule on a grid twenty times as fine.
#[test]
fn the_noise_is_the_posterior_mean() {
    // With much noise, lapses would be believed.
    for (task, share) in [(1, 0.02), (2, 0.2), (3, 0.3)] {
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

/// In worlds of the model, the judge's consistency is found again; a judge who never errs is seen as such. Much noise looks like lapses, so
/// judges are compared by how often they contradict themselves.
#[test]
fn the_noise_is_found_again() {
    const WORLDS: u64 = 30;
    for share in [0.1, 0.3, 1.0] {
        let off = |task: u64| {
            let world = World::draw(20, 2.0, share, 0.0, 100 + task);
            let model = world.learned_model(&world.answers(200, task));
            (contradiction(model.noise() / world.deviation(), model.lapse()) / contradiction(share, 0.0)).ln()
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
    let kinds = [
        (Strategy::WrongPairs, 0.0, BeliefKind::Gp),
        (Strategy::TopRegret { k: 3 }, 0.3, BeliefKind::Gp),
        (Strategy::Entropy, 0.0, BeliefKind::GpRefined),
    ];
    for (strategy, tie_width, belief) in kinds {
        let world = World::draw(14, 2.0, 0.2, tie_width, 8);
        let new = || {
            let params = SessionParams::new(strategy).with_belief(belief);
            Session::new(world.kernel(), None, AnswerModel::learning(tie_width).unwrap(), params).unwrap()
        };
        let mut live = new();
        let mut stream = Seed(3).stream(1_u64);
        for count in 1..=70 {
            let question = live.ask().unwrap().unwrap();
            let (first, second) = (question.first, question.second);
            let answer = world.judge.compare(&world.utilities, first, second, &mut stream).unwrap();
            let answer = if count % 9 == 0 { question.answer(Outcome::Skip).unwrap() } else { answer };
            live.tell(answer).unwrap();
            // After 12 answers they are learned anew, so the next is a step.
            if count % 7 != 0 && count != 13 {
                continue;
            }
            let same = |other: &Session| {
                assert_eq!(other.model(), live.model(), "{count} {strategy}");
                assert_eq!(other.belief().mean(), live.belief().mean(), "{count}");
                assert_eq!(other.belief().variances(), live.belief().variances(), "{count}");
                assert_eq!(other.belief().log_evidence(), live.belief().log_evidence(), "{count}");
                assert_eq!((other.model(), other.ask().unwrap()), (live.model(), live.ask().unwrap()), "{count}");
            };
            let mut resumed = new();
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
        assert_eq!(session.model().telling_lead().is_some(), again, "{share}: {}", session.model().noise());
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
    // Answers know the width beside the spread of these utilities, which is not that of the prior.
    let spread = (world.utilities.iter().map(|utility| utility * utility).sum::<f64>() / 20.0).sqrt();
    for start in [0.05, 0.4, 3.0] {
        let mut session = world.session(Strategy::Random, start * world.deviation());
        session.resume(&log(&answers)).unwrap();
        let found = session.model().tie_width() * spread / world.deviation().powi(2);
        // About 60 ties know the width to a seventh; two of these.
        assert!((found / 0.4).ln().abs() < 0.28, "from {start}: {found}");
    }
}

/// The integral of a function over the line, where it is a smooth bump within 12 of 0: the trapezoid rule is exact to rounding.
fn integral(function: impl Fn(f64) -> f64) -> f64 {
    (-2400..=2400).map(|at| function(f64::from(at) / 200.0)).sum::<f64>() / 200.0
}

/// The moments of answers that may be lapses, by quadrature. Where the variance would grow, it stays.
#[test]
fn lapses_by_quadrature() {
    for (lapse, noise, variance, width) in
        [(0.03, 0.5, 1.0, 0.0), (0.1, 0.2, 2.0, 0.0), (0.25, 1.0, 0.3, 0.0), (0.1, 0.3, 1.0, 0.7), (0.3, 1.0, 0.5, 0.2)]
    {
        for mean in [-3.0, -1.0, 0.0, 0.4, 2.0] {
            let about = |low: f64, high: f64| Observation {
                functional: Functional::Item(0),
                low,
                high,
                noise,
                law: NoiseLaw::Normal,
                lapse,
                ..Observation::NOTHING
            };
            let observation = about(width, f64::INFINITY);
            let density = |x: f64| {
                let off = x - mean;
                let said = |inside: f64| normal::cdf((inside - width) / noise);
                (-0.5 * off * off / variance).exp() / (std::f64::consts::TAU * variance).sqrt()
                    * ((1.0 - lapse) * said(x) + lapse * said(-x))
            };
            let mass = integral(density);
            let first = integral(|x| x * density(x)) / mass;
            let second = integral(|x| (x - first).powi(2) * density(x)) / mass;
            let found = observation.moments(mean, variance);
            let close = |found: f64, expected: f64| {
                assert!((found - expected).abs() < 1e-9, "{lapse} {noise} {variance} {mean}: {found} {expected}");
            };
            close(observation.log_mass(mean, variance), mass.ln());
            close(mean + variance * found.slope, first);
            close(variance * found.left, second.min(variance));
            close(1.0 - variance * found.curvature, found.left);
            let outcomes = [observation, about(f64::NEG_INFINITY, -width), about(-width, width)];
            let outcomes = outcomes.iter().filter(|outcome| outcome.low < outcome.high);
            close(outcomes.map(|outcome| outcome.log_mass(mean, variance).exp()).sum(), 1.0);
        }
    }
}

/// Judges as the grid has them: noise as a share of the deviation, lapse, prior weight.
fn judges() -> Vec<(f64, f64, f64)> {
    let mut out = Vec::new();
    let rows = [(0.0, 0.04, 0), (0.03, 0.06, 2), (0.1, 0.3, 2), (0.2, 0.3, 2), (0.3, 0.3, 2)];
    for (lapse, prior, first) in rows {
        let step = first.max(1);
        for at in (first..10).step_by(step) {
            let share = 0.003 * 1000_f64.powf(at as f64 / 9.0);
            let off = (share / 0.03).ln() / 2.0;
            let width = if at == 0 || at == 9 { 0.5 } else { step as f64 };
            out.push((share, lapse, prior * width * (-0.5 * off * off).exp()));
        }
    }
    out
}

/// Certainty is averaged over all judges that the answers allow, and over the widths of ties: it is a weighting of draws from the prior
/// by the likelihood of the answers under every judge and width.
#[test]
fn certainty_is_averaged_over_judges() {
    // In both cases one of the answers contradicts the others.
    let decided = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (1, 3), (4, 0), (2, 4), (0, 3), (1, 4), (0, 1)];
    let decided = decided.map(|(a, b)| (a, b, Outcome::First));
    averaged(&decided, &[0.0], 200_000, 0.04);
    let with_ties = [1, 3, 7].into_iter().fold(decided, |mut out, at| {
        out[at].2 = Outcome::Tie;
        out
    });
    // Widths of equal prior probability around the first one, which is 0.5; and less exact, since every draw is weighted for each.
    let widths: Vec<f64> = (-2..=2).map(|at| 0.5 * (f64::from(at) * 0.6).exp()).collect();
    averaged(&with_ties, &widths, 60_000, 0.05);
}

/// Compares certainty after these answers with a weighting of draws. Widths of ties are shares of the deviation.
fn averaged(pairs: &[(usize, usize, Outcome)], widths: &[f64], draws: usize, tolerance: f64) {
    let n = 5;
    let world = World::draw(n, 2.0, 0.3, 0.0, 13);
    let answer =
        |&(a, b, said): &(usize, usize, Outcome)| Answer::new(ItemId::new(a), Some(ItemId::new(b)), said).unwrap();
    let answers: Vec<Answer> = pairs.iter().map(answer).collect();
    let mut session = world.session(Strategy::Random, widths[widths.len() / 2] * world.deviation());
    session.resume(&log(&answers)).unwrap();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| session.belief().mean()[b].total_cmp(&session.belief().mean()[a]));

    let (factor, mut stream) = (cholesky(&world.kernel), stream(3));
    let (mut right, mut total) = ([0.0; 4], 0.0);
    for _ in 0..draws {
        let drawn = draw(&factor, &mut stream);
        let likelihood = |&(share, lapse, prior): &(f64, f64, f64), width: f64| {
            let noise = std::f64::consts::SQRT_2 * share * world.deviation();
            let said = |difference: f64| normal::cdf((difference - width * world.deviation()) / noise);
            let one = |&(a, b, outcome): &(usize, usize, Outcome)| {
                let (first, second) = (said(drawn[a] - drawn[b]), said(drawn[b] - drawn[a]));
                if outcome == Outcome::Tie { 1.0 - first - second } else { (1.0 - lapse) * first + lapse * second }
            };
            prior * pairs.iter().map(one).product::<f64>()
        };
        let each = |judge: &_| widths.iter().map(|&width| likelihood(judge, width)).sum::<f64>();
        let weight: f64 = judges().iter().map(each).sum();
        total += weight;
        for (at, right) in right.iter_mut().enumerate() {
            let (above, below) = order.split_at(at + 1);
            let is_right = above.iter().all(|&a| below.iter().all(|&b| drawn[a] > drawn[b]));
            *right += if is_right { weight } else { 0.0 };
        }
    }
    let params = CertaintyParams::default().with_draws(16384).with_seed(Seed(2));
    let sure = &session.certainty(&params).unwrap()[0];
    for (at, right) in right.iter().enumerate() {
        let (found, expected) = (sure.top(at + 1), right / total);
        // EP's evidence decides the weights of the judges; it is good to some hundredths. Judges below 0.1 % are left out.
        assert!((found - expected).abs() < tolerance, "first {}: {found} {expected}", at + 1);
    }
}

/// Beyond 64 answers the goal is not looked at after each of them. A session that is resumed between two looks goes on as the one that
/// was never interrupted.
#[test]
fn sessions_resume_between_two_looks() {
    let rule = StopRule::new(Goal::Top { k: 3 });
    let world = World::draw(12, 2.0, 1e-6, 0.0, 300);
    let params = SessionParams::new(Strategy::TopRegret { k: 3 }).with_rule(Some(rule));
    let new = || Session::new(world.kernel(), None, AnswerModel::learning(0.0).unwrap(), params.clone()).unwrap();
    let (mut session, mut stream) = (new(), Seed(6).stream(0));
    while session.answers().len() < 70 {
        let question = session.ask().unwrap().unwrap();
        let answer = world.judge.compare(&world.utilities, question.first, question.second, &mut stream).unwrap();
        session.tell(if stream.random::<f64>() < 0.2 { answer.turned() } else { answer }).unwrap();
        if session.answers().len() > 63 {
            let mut resumed = new();
            resumed.resume(&log(session.answers())).unwrap();
            assert_eq!(resumed.standing().unwrap(), session.standing().unwrap());
            assert_eq!(resumed.ask().unwrap(), session.ask().unwrap());
        }
    }
}

/// A forecast is a function of the answers: what was looked at before it, and the number of threads, do not matter. The judge's first
/// answer may be about one item. The median is within the interval.
#[test]
fn forecasts_depend_on_the_answers_alone() {
    let rule = StopRule::new(Goal::Top { k: 2 });
    let world = World::draw(8, 2.0, 0.1, 0.0, 301);
    let params = SessionParams::new(Strategy::TopRegret { k: 2 }).with_rule(Some(rule));
    let new = || Session::new(world.kernel(), None, AnswerModel::learning(0.0).unwrap(), params.clone()).unwrap();
    let good = Answer::new(ItemId(0), None, Outcome::Good).unwrap();
    // Between two looks of a session, and between two of a world.
    let answers: Vec<Answer> = [good].into_iter().chain(world.answers(68, 301)).collect();
    let looked = |threads: usize, looks: bool| {
        let mut session = new();
        session.resume(&log(&answers)).unwrap();
        if looks {
            session.standing().unwrap();
            session.ask().unwrap();
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let params = ForecastParams::default().with_worlds(9).with_most(60);
        pool.install(|| forecast(&session, &params)).unwrap()
    };
    let found = looked(1, false);
    assert_eq!(found, looked(1, true));
    assert_eq!(found, looked(3, true));
    let end = |end: Option<usize>| end.unwrap_or(usize::MAX);
    assert!(found.low.is_some() && end(found.low) <= end(found.median) && end(found.median) <= end(found.high));
}

/// Sessions with a stop rule, of judges who never err and who press the wrong key now and then: they stop right,
/// and depend on their answers alone.
#[test]
fn sessions_stop_when_the_judge_is_known() {
    const SESSIONS: u64 = 10;
    let rule = StopRule::new(Goal::Top { k: 3 });
    for lapse in [0.0, 0.1] {
        let (mut right, mut stopped) = (0, 0);
        for task in 0..SESSIONS {
            let world = World::draw(12, 2.0, 1e-6, 0.0, 200 + task);
            let params = SessionParams::new(Strategy::TopRegret { k: 3 }).with_rule(Some(rule)).with_seed(Seed(task));
            let new =
                || Session::new(world.kernel(), None, AnswerModel::learning(0.0).unwrap(), params.clone()).unwrap();
            let mut session = new();
            let mut stream = Seed(5).stream(task);
            while !session.is_done().unwrap() && session.answers().len() < 120 {
                let Some(question) = session.ask().unwrap() else { break };
                let answer =
                    world.judge.compare(&world.utilities, question.first, question.second, &mut stream).unwrap();
                session.tell(if stream.random::<f64>() < lapse { answer.turned() } else { answer }).unwrap();
            }
            stopped += u64::from(session.is_done().unwrap());
            let holds = rule.holds(session.belief().mean(), None, &world.utilities).unwrap();
            right += u64::from(session.is_done().unwrap() && holds);
            let mut resumed = new();
            resumed.resume(&log(session.answers())).unwrap();
            assert_eq!(resumed.standing().unwrap(), session.standing().unwrap());
            assert_eq!(resumed.ask().unwrap(), session.ask().unwrap());
        }
        println!("lapse {lapse}: {right} of {stopped} stopped sessions right, of {SESSIONS}");
        // A share of 0.9 of 10 has the standard error 0.095; two of these.
        assert!(right as f64 >= 0.7 * stopped as f64 && stopped * 2 >= SESSIONS, "{lapse}: {right} of {stopped}");
    }
}

/// Of many items, some tell how far the goal is: nearly what a count over all of them says. Certainties of 512 and 2,048 draws differ by
/// chance: chains count for a quarter of their draws, so five standard errors are 0.25. For goals about the whole order, which 64
/// items are looked at adds to it.
#[test]
fn some_of_many_items_tell() {
    let world = World::draw(400, 1.0, 0.05, 0.0, 400);
    let heard = log(&world.answers(400, 400));
    for (goal, error) in [
        (Goal::Best, 0.1),
        (Goal::Top { k: 3 }, 0.1),
        (Goal::WholeOrder, 0.15),
        (Goal::TopHeavy, 0.15),
        (Goal::Top { k: 0 }, 0.1),
    ] {
        // It is never reached, so only some of the items are looked at.
        let rule = StopRule::new(goal).with_error(error).with_target(1.1);
        let params = SessionParams::new(Strategy::Random).with_rule(Some(rule));
        let mut session = Session::new(world.kernel(), None, AnswerModel::learning(0.0).unwrap(), params).unwrap();
        session.resume(&heard).unwrap();
        // A ranking of them would take too long before every question.
        let standing = session.standing().unwrap().unwrap();
        assert!(standing.is_rough);
        let some = standing.probability;
        let params = CertaintyParams::default().with_draws(2048);
        let all = rule.probability(&session.certainty(&params).unwrap());
        println!("{goal}: {some:.3}, and {all:.3} by all items");
        assert!((some - all).abs() < 0.25, "{goal}: {some} {all}");
    }
}

/// Ratings have no noise to learn, and hear every answer.
#[test]
fn ratings_hear_all() {
    let world = World::draw(6, 2.0, 0.1, 0.0, 14);
    let answers = world.answers(40, 14);
    let belief = |model: AnswerModel| {
        let params = SessionParams::new(Strategy::Random).with_belief(BeliefKind::GLICKO);
        let mut session = Session::new(world.kernel(), None, model, params).unwrap();
        session.resume(&log(&answers)).unwrap();
        session.belief().mean().to_vec()
    };
    assert_eq!(belief(AnswerModel::learning(0.0).unwrap()), belief(AnswerModel::default()));
}
