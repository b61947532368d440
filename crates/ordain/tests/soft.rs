//! Strengths, probabilities and votes: against quadrature, as repeated answers, in worlds where thresholds and temperatures are known, and
//! in sessions that resume and take back.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::{Given, cholesky, draw, normal, pair, phi, smooth_kernel, stream};
use ordain::active::{Session, SessionParams, Strategy};
use ordain::data::{Answer, AnswerLog, Entry, ItemId, Outcome, Probability};
use ordain::gp::{AnswerModel, Belief, EpParams, Incremental, Observation, RankingParams};
use ordain::kernel::{Kernel, KernelSpec};
use ordain::numeric::Matrix;
use ordain::{Inference, Model, Watch};
use proptest::prelude::*;
use rand::Rng;

fn said(first: usize, second: usize, outcome: &str) -> Answer {
    Answer::new(ItemId::new(first), Some(ItemId::new(second)), outcome.parse().unwrap()).unwrap()
}

fn log(answers: &[Answer]) -> AnswerLog {
    AnswerLog::new(answers.iter().cloned().map(Entry::Answer).collect()).unwrap()
}

fn one(model: &AnswerModel, answer: &Answer) -> Observation {
    let mut found = model.observe(answer).unwrap();
    let one = found.next().unwrap();
    assert!(found.next().is_none());
    one
}

/// The normal density, by its definition.
fn density(x: f64, mean: f64, sd: f64) -> f64 {
    (-0.5 * ((x - mean) / sd).powi(2)).exp() / (sd * std::f64::consts::TAU.sqrt())
}

/// What an outcome says of the noisy difference of its first item and its second: its probability, or the density of its probit,
/// for a model with this noise, width, threshold, scale and spread. Written from the definitions alone.
struct Definition {
    lambda: f64,
    width: f64,
    strong: f64,
    scale: f64,
    spread: f64,
}

impl Definition {
    fn of(model: &AnswerModel, judge: Option<&str>) -> Self {
        let reading = model.reading(judge);
        let (width, strong) = (model.tie_width(), model.strong_width());
        Self { lambda: model.lambda(), width, strong, scale: reading.scale, spread: reading.spread }
    }

    fn likelihood(&self, outcome: &str, difference: f64) -> f64 {
        let above = |end: f64| phi((difference - end) / self.lambda);
        match outcome {
            "first" => above(self.width),
            "first>" => above(self.width) - above(self.strong),
            "first>>" => above(self.strong),
            "tie" => above(-self.width) - above(self.width),
            "second>" => above(-self.strong) - above(-self.width),
            "second>>" => 1.0 - above(-self.strong),
            "second" => 1.0 - above(-self.width),
            stated => {
                let first: f64 = stated.strip_prefix("first:").unwrap().parse().unwrap();
                density(probit(first), difference / self.scale, self.spread)
            }
        }
    }
}

/// The number below which a standard normal one is with this probability, by bisection of another crate's law.
fn probit(share: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        *(if phi(middle) < share { &mut low } else { &mut high }) = middle;
    }
    low
}

/// Mass, mean and variance of a normal difference times its likelihood, by the trapezoidal rule, which converges faster than any power
/// here.
fn tilted(mean: f64, variance: f64, likelihood: impl Fn(f64) -> f64) -> [f64; 3] {
    let (sd, points) = (variance.sqrt(), 4000);
    let step = 20.0 * sd / f64::from(points);
    let [mut mass, mut first, mut second] = [0.0; 3];
    for at in 0..=points {
        let x = mean - 10.0 * sd + step * f64::from(at);
        let weight = step * density(x, mean, sd) * likelihood(x);
        mass += weight;
        first += weight * (x - mean);
        second += weight * (x - mean) * (x - mean);
    }
    let off = first / mass;
    [mass, mean + off, second / mass - off * off]
}

const WORDS: [&str; 10] =
    ["first", "first>", "first>>", "tie", "second>", "second>>", "second", "first:0.8", "first:0.5", "first:0.001"];

/// Probability and moments of every outcome equal quadrature, whichever item stands first.
#[test]
fn moments_and_masses_equal_quadrature() {
    let model = AnswerModel::new(0.6, 0.3).unwrap();
    let definition = Definition::of(&model, None);
    for (mean, variance) in [(0.0, 1.0), (0.7, 0.05), (-1.4, 3.0), (3.0, 0.4)] {
        for word in WORDS {
            let [mass, tilted_mean, tilted_variance] = tilted(mean, variance, |x| definition.likelihood(word, x));
            for turned in [false, true] {
                let answer = if turned { said(4, 1, word) } else { said(1, 4, word) };
                let observation = one(&model, &answer);
                // The standard form has the smaller item first.
                let sign = if turned { -1.0 } else { 1.0 };
                let log_mass = observation.log_mass(sign * mean, variance);
                let moments = observation.moments(sign * mean, variance);
                // The rule is exact to rounding, of probabilities down to 1e-6.
                assert!((log_mass - mass.ln()).abs() < 1e-9, "{word} {mean} {variance}: {log_mass} {}", mass.ln());
                let found = sign * mean + variance * moments.slope;
                assert!((found - sign * tilted_mean).abs() < 1e-8, "{word} {mean} {variance}: {found} {tilted_mean}");
                let left = variance * moments.left;
                assert!((left - tilted_variance).abs() < 1e-8, "{word} {mean} {variance}: {left} {tilted_variance}");
            }
        }
    }
}

/// A lapse turns a strength round: `(1 - lapse) p + lapse q`. What cannot be one is a reading.
#[test]
fn strengths_may_be_lapses_and_readings_are_none() {
    let model = AnswerModel::new(0.6, 0.3).unwrap();
    let definition = Definition::of(&model, None);
    let (mean, variance, lapse) = (0.8, 1.3, 0.15);
    for (word, opposite) in [("first>", "second>"), ("second>>", "first>>"), ("tie", "tie")] {
        let observation = Observation { lapse, ..one(&model, &said(0, 1, word)) };
        let likelihood =
            |x: f64| (1.0 - lapse) * definition.likelihood(word, x) + lapse * definition.likelihood(opposite, x);
        let [mass, tilted_mean, _] = tilted(mean, variance, likelihood);
        assert!((observation.log_mass(mean, variance) - mass.ln()).abs() < 1e-9, "{word}");
        let moments = observation.moments(mean, variance);
        assert!((mean + variance * moments.slope - tilted_mean).abs() < 1e-8, "{word}");
    }
    assert_eq!(one(&model, &said(0, 1, "first:0.8")).lapse, 0.0);
}

/// Whatever is believed of a difference, its strengths and ties sum to one, and its readings integrate to one over their probits: the
/// density has its Jacobian. A unit of utility that is twice as large changes neither.
#[test]
fn total_probability_is_one() {
    for factor in [1.0, 2.0, 1e3] {
        let model = AnswerModel::new(0.6 * factor, 0.3 * factor).unwrap();
        for (mean, variance) in [(0.0, 0.3), (0.7, 0.05), (-0.5, 0.8)] {
            let (mean, variance) = (factor * mean, factor * factor * variance);
            let mass = |word: &str| one(&model, &said(0, 1, word)).log_mass(mean, variance).exp();
            let five: f64 = ["first>", "first>>", "tie", "second>", "second>>"].map(mass).iter().sum();
            assert!((five - 1.0).abs() < 1e-12, "{five}");
            assert!((mass("first>") + mass("first>>") - mass("first")).abs() < 1e-12);
            let (steps, step) = (-690..=690, 0.01);
            let read = |at: i32| {
                let share = Probability::new(phi(step * f64::from(at))).unwrap();
                model.stated(ItemId(0), ItemId(1), share, None).log_mass(mean, variance).exp()
            };
            let all: f64 = steps.map(|at| step * read(at)).sum();
            // Beyond 6.9, which is as far as twelve decimals reach, there is less than 1e-7.
            assert!((all - 1.0).abs() < 1e-6, "{mean} {variance}: {all}");
        }
    }
}

fn items(count: usize) -> ordain::data::Items {
    ordain::data::Items::from_ids((0..count).map(|item| format!("i{item}"))).unwrap()
}

fn independent(count: usize, model: AnswerModel, answers: &[Answer]) -> Model {
    let kernel = KernelSpec::independent(1.5);
    Model::new(items(count), vec![kernel]).unwrap().with_answer_model(model).with_answers(log(answers)).unwrap()
}

/// Seven votes for the first, two for neither and three for the second are twelve answers, to the bit: the belief, the noise that is
/// learned, certainty and rank intervals.
#[test]
fn votes_are_repeated_answers_to_the_bit() {
    let votes = [(0, 1, 7, 2, 3), (1, 2, 1, 0, 5), (3, 2, 4, 1, 0), (0, 3, 6, 0, 4)];
    let counted: Vec<Answer> = votes
        .iter()
        .map(|(first, second, one, tie, other)| said(*first, *second, &format!("{one}:{tie}:{other}")))
        .collect();
    let mut repeated = Vec::new();
    for &(first, second, one, tie, other) in &votes {
        for (word, count) in [("first", one), ("tie", tie), ("second", other)] {
            repeated.extend((0..count).map(|_| said(first, second, word)));
        }
    }
    // 33 answers: the noise was learned after the last of them.
    assert_eq!(repeated.len(), 33);
    for model in [AnswerModel::new(0.7, 0.4).unwrap(), AnswerModel::learning(0.4).unwrap()] {
        let [one, other] = [&counted, &repeated]
            .map(|answers| independent(5, model.clone(), answers).fit(Inference::Ep, &Watch::NONE).unwrap());
        assert_eq!(one.answer_model(), other.answer_model());
        assert_eq!(one.belief().mean(), other.belief().mean());
        assert_eq!(one.belief().variances(), other.belief().variances());
        assert_eq!(one.belief().log_evidence(), other.belief().log_evidence());
        let params = RankingParams::default().with_draws(256);
        let [one, other] = [one, other].map(|fitted| fitted.rank(&params).unwrap());
        assert_eq!(one.items, other.items);
    }
}

/// One step for many votes is EP of as many answers about one pair; with very many, the predicted share is theirs.
#[test]
fn a_step_of_votes_is_ep() {
    for (votes, noise) in [("7:0", 0.7), ("40:0", 0.1), ("1000000:0", 0.7), ("1:0", 2.0)] {
        let answers = [said(0, 1, votes)];
        let model = AnswerModel::new(noise, 0.0).unwrap();
        let observations = model.observe_all(&answers).unwrap();
        let kernel: Arc<dyn Kernel> = Arc::new(Given(Matrix::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 0.3 })));
        let ep = EpParams::default().fit(kernel.clone(), &observations).unwrap();
        let mut steps = Incremental::dense(kernel).unwrap();
        steps.observe(&observations[0]).unwrap();
        for item in 0..2 {
            // EP stops where a round moves by 1e-9 of a deviation. Many equal answers with little noise creep, a hundredth of the way in
            // each round.
            assert!((steps.mean()[item] - ep.mean()[item]).abs() < 1e-6, "{votes}: {:?} {:?}", steps.mean(), ep.mean());
            assert!((steps.variances()[item] - ep.variances()[item]).abs() < 1e-6, "{votes}");
        }
        let (one, other) = (steps.log_evidence(), ep.log_evidence());
        assert!((one - other).abs() < 1e-5 * (1.0 + other.abs()), "{votes}: {one} {other}");
    }
    let answers = [said(0, 1, "700000:300000")];
    for inference in [Inference::Ep, Inference::Incremental] {
        let fitted = independent(2, AnswerModel::default(), &answers).fit(inference, &Watch::NONE).unwrap();
        let share = fitted.predict(ItemId(0), ItemId(1)).unwrap().probability;
        // A million votes leave a deviation of .0005.
        assert!((share - 0.7).abs() < 2e-3, "{share}");
    }
}

/// How a made-up judge answers.
#[derive(Clone, Copy)]
struct Voice {
    name: &'static str,
    temperature: f64,
    spread: f64,
}

/// A world with noise, width of ties and threshold of strong preferences in units of the prior's deviation.
struct World {
    kernel: Matrix,
    utilities: Vec<f64>,
    lambda: f64,
    width: f64,
    strong: f64,
}

impl World {
    fn draw(task: u64) -> Self {
        let mut stream = stream(task);
        let kernel = smooth_kernel(30, 1.0, 0.8, &mut stream);
        let utilities = draw(&cholesky(&kernel), &mut stream);
        let deviation = kernel[(0, 0)].sqrt();
        Self { kernel, utilities, lambda: 0.4 * deviation, width: 0.15 * deviation, strong: 1.0 * deviation }
    }

    fn difference(&self, (first, second): (ItemId, ItemId)) -> f64 {
        self.utilities[first.index()] - self.utilities[second.index()]
    }

    /// Strengths from noisy differences.
    fn strengths(&self, count: usize, task: u64) -> Vec<Answer> {
        let mut stream = stream(task);
        let mut one = || {
            let pair = pair(30, &mut stream);
            let heard = self.difference(pair) + self.lambda * normal(&mut stream);
            let outcome = match heard.abs() {
                size if size < self.width => Outcome::Tie,
                size if size < self.strong => Outcome::FirstWeakly,
                _ => Outcome::FirstStrongly,
            };
            let outcome = if heard < 0.0 { outcome.turned() } else { outcome };
            Answer::new(pair.0, Some(pair.1), outcome).unwrap()
        };
        (0..count).map(|_| one()).collect()
    }

    /// Probabilities as a judge reads them.
    fn readings(&self, voice: Voice, count: usize, task: u64) -> Vec<Answer> {
        let mut stream = stream(task);
        let mut one = || {
            let pair = pair(30, &mut stream);
            let probit = self.difference(pair) / (self.lambda * voice.temperature) + voice.spread * normal(&mut stream);
            let outcome = Outcome::probability(phi(probit)).unwrap();
            Answer::new(pair.0, Some(pair.1), outcome).unwrap().by(voice.name)
        };
        (0..count).map(|_| one()).collect()
    }

    fn kernel(&self) -> Arc<dyn Kernel> {
        Arc::new(Given(self.kernel.clone()))
    }

    fn session(&self, answers: &[Answer]) -> Session {
        let model = AnswerModel::learning(0.1 * self.kernel[(0, 0)].sqrt()).unwrap();
        let params = SessionParams::new(Strategy::Random);
        let mut session = Session::new(self.kernel(), None, model, params).unwrap();
        session.resume(&log(answers)).unwrap();
        session
    }
}

/// The threshold between weak and strong, and the width of ties, are those of the judge.
#[test]
fn the_threshold_of_strength_is_found() {
    for task in 0..4 {
        let world = World::draw(100 + task);
        let session = world.session(&world.strengths(400, 200 + task));
        let (strong, width) = (session.model().strong_width(), session.model().tie_width());
        // Of 400 answers some hundred lie near a threshold.
        let near = |found: f64, truth: f64, within: f64| {
            assert!((found / truth).ln().abs() < within, "{found} {truth} {:?}", session.model());
        };
        // Thirty items know the size of their utilities to `1/√60`: three deviations of that.
        near(strong, world.strong, 0.4);
        // The ratio does not depend on it. Of 400 answers some hundred lie near a threshold.
        near(strong / session.model().lambda(), world.strong / world.lambda, 0.25);
        near(width / strong, world.width / world.strong, 0.6);
    }
}

/// Judges who overstate, understate and state as it is are told apart, and one who states .99 for everything is hardly believed.
#[test]
fn temperatures_are_found() {
    let voices = [
        Voice { name: "bold", temperature: 0.5, spread: 0.3 },
        Voice { name: "fair", temperature: 1.0, spread: 0.3 },
        Voice { name: "shy", temperature: 2.0, spread: 0.3 },
    ];
    for task in 0..3 {
        let world = World::draw(300 + task);
        let mut answers = world.strengths(250, 400 + task);
        for (at, voice) in voices.iter().enumerate() {
            answers.extend(world.readings(*voice, 120, 500 + 10 * task + at as u64));
        }
        // One who says .99 whatever the difference, for the better item of two.
        let certain = world.readings(Voice { name: "sure", temperature: 1.0, spread: 0.3 }, 60, 600 + task);
        answers.extend(certain.into_iter().map(|answer| {
            let outcome = Outcome::probability(0.99).unwrap();
            let better = answer.outcome.plain() == Some(Outcome::First);
            Answer { outcome: if better { outcome } else { outcome.turned() }, ..answer }
        }));
        // The noise is learned after 549 answers of these 550.
        let mut shuffled = stream(800 + task);
        answers.sort_by_cached_key(|_| shuffled.next_u64());
        let session = world.session(&answers[..550]);
        let model = session.model();
        let found = voices.map(|voice| model.temperature(Some(voice.name)));
        for (voice, found) in voices.iter().zip(found) {
            // The noise itself is known to some 15 %, and the temperature is relative to it.
            assert!((found / voice.temperature).ln().abs() < 0.4, "{} {found}", voice.name);
        }
        // Ratios do not depend on the noise.
        assert!(
            (found[1] / found[0] / 2.0).ln().abs() < 0.2 && (found[2] / found[1] / 2.0).ln().abs() < 0.2,
            "{found:?}"
        );
        let spread = |name: &str| model.reading(Some(name)).spread;
        assert!(spread("sure") > 1.5 * spread("fair"), "{} {}", spread("sure"), spread("fair"));
        assert_eq!(model.reading(Some("a stranger")), model.reading(None));
    }
}

/// A session with all kinds of answers is the same told one by one, resumed, and with an answer taken back.
#[test]
fn sessions_resume_and_take_back_to_the_bit() {
    let world = World::draw(700);
    let voice = Voice { name: "ann", temperature: 1.0, spread: 0.4 };
    let (strengths, readings) = (world.strengths(30, 701), world.readings(voice, 30, 702));
    let mut answers: Vec<Answer> = strengths.into_iter().zip(readings).flat_map(|(one, other)| [one, other]).collect();
    answers.insert(7, said(3, 4, "2:1:1"));
    answers.insert(30, said(5, 9, "0:4"));
    answers.insert(31, said(8, 2, "skip"));
    for learning in [true, false] {
        let model = if learning { AnswerModel::learning(0.2).unwrap() } else { AnswerModel::new(0.4, 0.2).unwrap() };
        let new = || Session::new(world.kernel(), None, model.clone(), SessionParams::new(Strategy::Random)).unwrap();
        let mut live = new();
        for (count, answer) in answers.iter().enumerate() {
            live.tell(answer.clone()).unwrap();
            if count % 9 == 4 {
                let mut resumed = new();
                resumed.resume(&log(&answers[..=count])).unwrap();
                same(&live, &resumed);
            }
        }
        let mut undone = new();
        undone.resume(&log(&answers)).unwrap();
        undone.tell(said(0, 9, "first:0.9").by("bob")).unwrap();
        undone.tell(said(1, 9, "3:3")).unwrap();
        assert!(undone.undo(Some("bob")).unwrap().is_some() && undone.undo(None).unwrap().is_some());
        same(&live, &undone);
    }
}

fn same(one: &Session, other: &Session) {
    assert_eq!(one.belief().mean(), other.belief().mean());
    assert_eq!(one.belief().variances(), other.belief().variances());
    assert_eq!(one.model(), other.model());
    assert_eq!(one.ask().unwrap(), other.ask().unwrap());
}

proptest! {
    /// Every outcome that can be made is read as it is written, turns round and back, and its opposite is exact.
    #[test]
    fn outcomes_are_read_as_they_are_written(
        units in 0_u64..=1_000_000_000_000, votes in prop::array::uniform3(0_u32..=1_000_000), grade in any::<i32>()
    ) {
        let share = units as f64 / 1e12;
        let mut outcomes = vec![Outcome::probability(share).unwrap(), Outcome::Grade(grade)];
        outcomes.extend(ordain::data::Votes::new(votes[0], votes[1], votes[2]).ok().map(Outcome::Votes));
        outcomes.extend(Outcome::WORDS.map(|(_, outcome)| outcome));
        for outcome in outcomes {
            prop_assert_eq!(outcome.to_string().parse::<Outcome>().unwrap(), outcome);
            prop_assert_eq!(outcome.turned().turned(), outcome);
            prop_assert_eq!(outcome.turned().count(), outcome.count());
        }
        let opposite: Outcome = format!("second:{share}").parse().unwrap();
        prop_assert_eq!(opposite, Outcome::probability(share).unwrap().turned());
        if let Outcome::Probability(stated) = Outcome::probability(share).unwrap() {
            prop_assert_eq!(stated.value(), share);
        }
    }

    /// Any text is an outcome or an error that names it.
    #[test]
    fn any_text_is_an_outcome_or_an_error(text in "(first|second|)[:>]{0,3}[-0-9:.eE+ ]{0,12}") {
        match text.parse::<Outcome>() {
            Ok(outcome) => prop_assert_eq!(outcome.to_string().parse::<Outcome>().unwrap(), outcome),
            Err(error) => prop_assert!(error.to_string().contains("expected"), "{}", error),
        }
    }
}

/// 0 and 1 are plain answers, also where they are rounded; other numbers are refused.
#[test]
fn numbers_at_the_ends() {
    let read = |text: &str| text.parse::<Outcome>();
    assert_eq!(read("first:1").unwrap(), Outcome::First);
    assert_eq!(read("first:0").unwrap(), Outcome::Second);
    assert_eq!(read("second:1.0").unwrap(), Outcome::Second);
    assert_eq!(read("first:0.9999999999999").unwrap(), Outcome::First);
    assert_eq!(read("first:1e-3").unwrap().to_string(), "first:0.001");
    assert_eq!(read("second:0.8").unwrap(), read("first:0.2").unwrap());
    assert_eq!(read("7:0:3").unwrap().to_string(), "7:3");
    assert_eq!(read("1000000:0").unwrap().count(), 1_000_000);
    for (text, expected) in [
        ("first:1.2", "a probability from 0 to 1"),
        ("first:-0.1", "a probability from 0 to 1"),
        ("second:nan", "a probability from 0 to 1"),
        ("first:", "a probability from 0 to 1"),
        ("first:80%", "a probability from 0 to 1"),
        ("0:0", "at least one vote"),
        ("0:0:0", "at least one vote"),
        ("-1:3", "whole numbers of votes that are not negative"),
        ("7:", "whole numbers of votes that are not negative"),
        ("7:1.5", "whole numbers of votes that are not negative"),
        ("1:2:3:4", "two or three numbers of votes"),
        ("1000001:0", "at most 1000000 votes of a kind"),
        ("99999999999999999999:0", "at most 1000000 votes of a kind"),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!(error.to_string(), format!("found \"{text}\", expected {expected}"));
        assert!(error.hint().unwrap().starts_with("write for example"), "{text}");
    }
    let unknown = read("firts>").unwrap_err();
    assert!(unknown.hint().unwrap().starts_with("did you mean \"first>\"?"), "{unknown:?}");
    assert!(Probability::new(1.0).is_err() && Probability::new(f64::NAN).is_err());
}
