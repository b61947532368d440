//! Judges who differ in care.

use ordain::data::{Answer, AnswerLog, Entry, Functional, ItemId, Items, Outcome};
use ordain::gp::{AnswerModel, JudgeSummary, NoiseLaw, Observation};
use ordain::kernel::{KernelSpec, Shape};
use ordain::{Inference, Model, Watch};
use rand::RngExt;

use crate::common::{normal, phi, stream};

/// A crowd about independent items with a deviation of 1.
pub struct World {
    pub utilities: Vec<f64>,
    pub judges: Vec<Nature>,
    pub answers: Vec<Answer>,
}

/// What is true of a judge.
#[derive(Debug, Clone, Copy)]
pub struct Nature {
    pub sigma: f64,
    pub bias: f64,
    pub is_careless: bool,
}

impl World {
    /// Random pairs on random sides for every judge.
    pub fn play(items: usize, judges: Vec<Nature>, each: usize, task: u64) -> Self {
        let mut stream = stream(task);
        let utilities: Vec<f64> = (0..items).map(|_| normal(&mut stream)).collect();
        let mut answers = Vec::new();
        for _ in 0..each {
            for (number, nature) in judges.iter().enumerate() {
                let first = stream.random_range(0..items);
                let second = (first + stream.random_range(1..items)) % items;
                let seen = utilities[first] - utilities[second]
                    + nature.bias
                    + std::f64::consts::SQRT_2 * nature.sigma * normal(&mut stream);
                let says_first = if nature.is_careless { stream.random_bool(0.5) } else { seen > 0.0 };
                let outcome = if says_first { Outcome::First } else { Outcome::Second };
                let answer = Answer::new(ItemId::new(first), Some(ItemId::new(second)), outcome).unwrap();
                answers.push(answer.by(format!("judge {number:03}")));
            }
        }
        Self { utilities, judges, answers }
    }

    pub fn model(&self, sides: bool) -> Model {
        let ids: Vec<String> = (0..self.utilities.len()).map(|item| format!("item {item}")).collect();
        model(&ids, &self.answers, sides)
    }
}

fn model(ids: &[String], answers: &[Answer], sides: bool) -> Model {
    let items = Items::from_ids(ids.to_vec()).unwrap();
    let log = AnswerLog::new(answers.iter().cloned().map(Entry::Answer).collect()).unwrap();
    Model::new(items, vec![KernelSpec::new(1.0, Shape::Independent)])
        .unwrap()
        .with_answer_model(AnswerModel::learning(0.0).unwrap().with_sides(sides))
        .with_answers(log)
        .unwrap()
}

fn careful(sigma: f64) -> Nature {
    Nature { sigma, bias: 0.0, is_careless: false }
}

fn summaries(model: &Model) -> Vec<JudgeSummary> {
    model.fit(Inference::Ep, &Watch::NONE).unwrap().judges(&Watch::NONE).unwrap()
}

/// The integral of a function over the line, where it is a smooth bump within 25 of 0: the trapezoid rule is exact to rounding.
fn integral(function: impl Fn(f64) -> f64) -> f64 {
    (-5000..=5000).map(|at| function(f64::from(at) / 200.0)).sum::<f64>() / 200.0
}

/// Moments and evidence of answers that may be blind, or turned round, or both, by quadrature; and ties and intervals. Where the variance
/// would grow, it stays.
#[test]
fn blind_answers_by_quadrature() {
    let ends = [(0.0, f64::INFINITY), (f64::NEG_INFINITY, -0.3), (-0.3, 0.3), (0.2, 1.4)];
    for (heedless, lapse, noise, variance) in
        [(0.05, 0.0, 0.5, 1.0), (0.4, 0.0, 0.2, 2.0), (0.999, 0.0, 1.0, 0.3), (0.1, 0.2, 0.3, 1.0)]
    {
        for (low, high) in ends {
            for mean in [-3.0, -1.0, 0.0, 0.4, 2.0] {
                let observation = Observation {
                    functional: Functional::Item(0),
                    low,
                    high,
                    noise,
                    law: NoiseLaw::Normal,
                    // The opposite of an interval off the middle is another one; ties have none.
                    lapse: if low.is_finite() && high.is_finite() { 0.0 } else { lapse },
                    heedless,
                    blindly: 1.0 / 3.0,
                    ..Observation::NOTHING
                };
                let inside = |x: f64| phi((high - x) / noise) - phi((low - x) / noise);
                let said = |x: f64| {
                    let turned = phi((-low - x) / noise) - phi((-high - x) / noise);
                    let heeded = (1.0 - observation.lapse) * inside(x) + observation.lapse * turned;
                    (1.0 - heedless) * heeded + heedless / 3.0
                };
                let density = |x: f64| {
                    let off = x - mean;
                    (-0.5 * off * off / variance).exp() / (std::f64::consts::TAU * variance).sqrt() * said(x)
                };
                let mass = integral(density);
                let first = integral(|x| x * density(x)) / mass;
                let second = integral(|x| (x - first).powi(2) * density(x)) / mass;
                let found = observation.moments(mean, variance);
                let close = |found: f64, expected: f64| {
                    assert!((found - expected).abs() < 1e-9, "{observation:?} {mean}: {found} {expected}");
                };
                close(observation.log_mass(mean, variance), mass.ln());
                close(mean + variance * found.slope, first);
                close(variance * found.left, second.min(variance));
                close(1.0 - variance * found.curvature, found.left);
            }
        }
    }
}

/// Six judges and one more whose noise is looked at: the posterior of its logarithm, by brute force over the utilities, the common noise
/// and the factor. Twice the utilities and twice the noise of all say the same, so the scale of a draw needs no other draw.
#[test]
fn noise_of_a_judge_by_brute_force() {
    // Six judges who agree, and one whose noise is looked at.
    let mut natures = vec![careful(0.3); 6];
    natures.push(careful(0.9));
    let world = World::play(5, natures, 40, 21);
    let model = world.model(false);
    let fitted = model.fit(Inference::Ep, &Watch::NONE).unwrap();
    let found = fitted.judges(&Watch::NONE).unwrap();
    let own = found.iter().find(|one| one.name.as_deref() == Some("judge 006")).unwrap();
    // Draws from a belief of all others, weighted to their posterior at the noises that were found for them.
    let others = model.clone().without_judges(&["judge 006".to_owned()]).unwrap();
    let belief = others.fit(Inference::Ep, &Watch::NONE).unwrap();
    let items: Vec<ItemId> = (0..5).map(ItemId::new).collect();
    let lower = crate::common::cholesky(&belief.belief().covariance(&items).unwrap());
    let common = fitted.answer_model().noise();
    // How much judges differ is learned too.
    let spread = fitted.answer_model().spread_of_judges().unwrap();
    assert!((0.3..1.0).contains(&spread), "{spread}");
    let said = |utilities: &[f64], answer: &Answer, sigma: f64| {
        let difference = utilities[answer.first.index()] - utilities[answer.second.unwrap().index()];
        let sign = if answer.outcome == Outcome::First { 1.0 } else { -1.0 };
        phi(sign * difference / (sigma * std::f64::consts::SQRT_2))
    };
    let is_own = |answer: &&Answer| answer.judge.as_deref() == Some("judge 006");
    let sigma_of = |answer: &Answer| found.iter().find(|one| one.name == answer.judge).unwrap().noise.value;
    let mut stream = stream(22);
    let draws: Vec<(f64, Vec<f64>)> = (0..20_000)
        .map(|_| {
            let z: Vec<f64> = (0..5).map(|_| normal(&mut stream)).collect();
            let apart = |row: usize| (0..5).map(|column| lower[(row, column)] * z[column]).sum::<f64>();
            let utilities: Vec<f64> = (0..5).map(|row| belief.belief().mean()[row] + apart(row)).collect();
            let drawn: f64 = z.iter().map(|z| 0.5 * z * z).sum();
            let told = world.answers.iter().filter(|answer| !is_own(answer));
            let log_said: f64 = told.map(|answer| said(&utilities, answer, sigma_of(answer)).ln()).sum();
            (drawn + log_said, utilities)
        })
        .collect();
    let most = draws.iter().fold(f64::NEG_INFINITY, |most, (log, _)| most.max(*log));
    let grid = || (-30..=30).map(|at| 0.1 * f64::from(at));
    // Of every draw: mass, first and second moment of the logarithm of a scale of all utilities and all noise, under their priors.
    let scales = |utilities: &[f64]| {
        let square: f64 = utilities.iter().map(|utility| utility * utility).sum();
        let weight = |scale: f64| {
            // The prior of the noise: log-normal around .03 with a factor of e².
            let off = ((common / 0.03).ln() + scale) / 2.0;
            (5.0 * scale - 0.5 * square * (2.0 * scale).exp() - 0.5 * off * off).exp()
        };
        moments(grid().map(|scale| (weight(scale), scale)))
    };
    let factors = |utilities: &[f64]| {
        let weight = |log_factor: f64| {
            let sigma = common * log_factor.exp();
            let own = world.answers.iter().filter(is_own).map(|answer| said(utilities, answer, sigma)).product::<f64>();
            own * (-0.5 * (log_factor / spread).powi(2)).exp()
        };
        moments(grid().map(|log_factor| (weight(log_factor), log_factor)))
    };
    let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
    for (log, utilities) in &draws {
        // Given the utilities, up to their scale, the scale and the factor are independent.
        let [(scale_mass, scale, scale_spread), (own_mass, own, own_spread)] = [scales(utilities), factors(utilities)];
        let weight = (log - most).exp() * scale_mass * own_mass;
        mass += weight;
        first += weight * (scale + own);
        second += weight * ((scale + own).powi(2) + scale_spread + own_spread);
    }
    let (mean, deviation) = (first / mass, (second / mass - (first / mass).powi(2)).sqrt());
    let found_mean = (own.noise.value / common).ln();
    let found_deviation = (own.noise.high / own.noise.low).ln() / 2.0 / 1.645;
    // EP is no exact integral, and the noises that were found are a turn later than those that it had.
    assert!((found_mean - mean).abs() < 0.25 * deviation, "{found_mean} {mean} {deviation}");
    assert!((found_deviation / deviation - 1.0).abs() < 0.15, "{found_deviation} {deviation}");
}

/// Mass, mean and variance of weighted numbers.
fn moments(each: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64, f64) {
    let mass: f64 = each.clone().map(|(weight, _)| weight).sum();
    let mean = each.clone().map(|(weight, value)| weight * value).sum::<f64>() / mass;
    (mass, mean, each.map(|(weight, value)| weight * (value - mean).powi(2)).sum::<f64>() / mass)
}

/// Forty judges of 80 answers: the noise is found, its interval holds the truth, and judges who answer blindly are known.
#[test]
fn a_crowd_is_told_apart() {
    let natures: Vec<Nature> = (0..40)
        .map(|number| Nature {
            sigma: 0.3 * 4_f64.powf(2.0 * (number as f64 + 0.5) / 40.0 - 1.0),
            bias: 0.0,
            is_careless: number % 10 == 5,
        })
        .collect();
    let world = World::play(30, natures, 80, 31);
    let found = summaries(&world.model(false));
    assert_eq!(found.len(), 40);
    let (mut inside, mut errors, mut count) = (0, 0.0, 0);
    for (one, nature) in found.iter().zip(&world.judges) {
        assert_eq!(one.answers, 80);
        assert_eq!(one.careless > 0.5, nature.is_careless, "{one:?} {nature:?}");
        if nature.is_careless {
            continue;
        }
        inside += usize::from((one.noise.low..=one.noise.high).contains(&nature.sigma));
        errors += (one.noise.value / nature.sigma).ln().powi(2);
        count += 1;
        assert!(one.agreement.unwrap() > 0.2, "{one:?}");
    }
    // Of 36 intervals that hold 90 %, at least 28 hold in 99 % of cases.
    assert!(inside >= 28, "{inside} of {count}");
    // 80 answers leave a fifth to a half of an e-fold: who hardly errs may have any small noise.
    assert!((errors / count as f64).sqrt() < 0.45, "{}", (errors / count as f64).sqrt());
}

/// Where sides are known, biases of half a deviation are found with their intervals, and noise besides.
#[test]
fn biases_are_told_apart_from_noise() {
    let natures: Vec<Nature> =
        (0..12).map(|number| Nature { sigma: 0.3, bias: [0.5, -0.5, 0.0][number % 3], is_careless: false }).collect();
    let world = World::play(20, natures, 100, 41);
    let found = summaries(&world.model(true));
    let mut inside = 0;
    for (one, nature) in found.iter().zip(&world.judges) {
        let bias = one.bias.unwrap();
        inside += usize::from((bias.low..=bias.high).contains(&nature.bias));
        // Three deviations: .08 of a hundred answers, and .07 of the scale of twenty utilities, which half a deviation shares.
        assert!((bias.value - nature.bias).abs() < 0.32, "{one:?} {nature:?}");
    }
    // Of 12 intervals that hold 90 %, at least 8 hold in 99.6 % of cases.
    assert!(inside >= 8, "{inside} of 12");
    assert!(summaries(&world.model(false)).iter().all(|one| one.bias.is_none()));
}

/// The order of the answers and the names of judges do not matter, and twice the weights and twice the noise is the same crowd.
#[test]
fn names_do_not_matter_and_few_answers_say_little() {
    let world = World::play(8, vec![careful(0.2), careful(0.8), careful(0.4)], 33, 51);
    let found = summaries(&world.model(false));
    let renamed: Vec<Answer> = world
        .answers
        .iter()
        .map(|one| {
            let name = one.judge.clone().unwrap();
            one.clone().by(match name.as_str() {
                "judge 000" => "zoe",
                "judge 001" => "ann",
                _ => "mia",
            })
        })
        .collect();
    let other = summaries(&World { answers: renamed, ..world }.model(false));
    for (one, name) in found.iter().zip(["zoe", "ann", "mia"]) {
        let same = other.iter().find(|other| other.name.as_deref() == Some(name)).unwrap();
        // Sums in another order.
        assert!((one.noise.value / same.noise.value - 1.0).abs() < 1e-3, "{one:?} {same:?}");
        assert!((one.careless - same.careless).abs() < 1e-3);
    }
    // A judge of two answers stays near the common noise, and may be anything.
    let mut world = World::play(8, vec![careful(0.3); 4], 40, 52);
    let two: Vec<Answer> = world.answers[..2].iter().map(|one| one.clone().by("new")).collect();
    world.answers.extend(two);
    let model = world.model(false);
    let found = summaries(&model);
    let new = found.iter().find(|one| one.name.as_deref() == Some("new")).unwrap();
    assert!(new.noise.high / new.noise.low > 3.0, "{new:?}");
    assert!(new.careless > 0.001 && new.careless < 0.2, "{new:?}");
}

/// Without a judge is as if he had never answered, to the bit; and nobody who never answered can be left out.
#[test]
fn without_a_judge() {
    let world = World::play(8, vec![careful(0.2), careful(0.8), careful(0.4)], 30, 61);
    let model = world.model(true);
    let without = model.clone().without_judges(&["judge 001".to_owned()]).unwrap();
    let kept: Vec<Answer> =
        world.answers.iter().filter(|one| one.judge.as_deref() != Some("judge 001")).cloned().collect();
    let never = World { answers: kept, ..world }.model(true);
    for inference in [Inference::Ep, Inference::Incremental] {
        let bits = |model: &Model| -> Vec<u64> {
            let fitted = model.fit(inference, &Watch::NONE).unwrap();
            let belief = fitted.belief();
            belief.mean().iter().chain(belief.variances()).map(|value| value.to_bits()).collect()
        };
        assert_eq!(bits(&without), bits(&never));
    }
    let error = model.without_judges(&["judge 01".to_owned()]).unwrap_err().to_string();
    assert!(error.contains("\"judge 01\""), "{error}");
}

/// Nobody named, or one judge: the same bits as a model that knows nothing of judges.
#[test]
fn one_judge_is_as_none() {
    let world = World::play(6, vec![careful(0.3)], 60, 71);
    let nameless: Vec<Answer> = world.answers.iter().map(|one| one.clone().by("")).collect();
    let bits = |model: Model| -> Vec<u64> {
        let fitted = model.fit(Inference::Incremental, &Watch::NONE).unwrap();
        let belief = fitted.belief();
        belief.mean().iter().chain(belief.variances()).map(|value| value.to_bits()).collect()
    };
    let named = bits(world.model(false));
    assert_eq!(named, bits(World { answers: nameless, ..world }.model(false)));
}

/// A session that resumes, or takes an answer back, knows its judges as one that went on; and asks a careless and a careful judge by what
/// it knows of each.
#[test]
fn sessions_with_judges_are_the_same_however_they_came() {
    use ordain::active::AskOptions;
    let natures = vec![careful(0.2), careful(0.2), careful(1.0), Nature { sigma: 1.0, bias: 0.4, is_careless: true }];
    let world = World::play(10, natures, 14, 81);
    for sides in [false, true] {
        let whole = world.model(sides);
        let start = |answers: &[Answer]| {
            let log = AnswerLog::new(answers.iter().cloned().map(Entry::Answer).collect()).unwrap();
            whole.clone().with_answers(log).unwrap().session(&AskOptions::default(), None, &Watch::NONE).unwrap()
        };
        let mut live = start(&[]);
        for (at, answer) in world.answers.iter().enumerate() {
            live.tell(answer.clone()).unwrap();
            if at % 11 == 10 {
                let resumed = start(&world.answers[..=at]);
                assert_eq!(live.belief().mean(), resumed.belief().mean(), "{at}");
                assert_eq!(live.belief().variances(), resumed.belief().variances(), "{at}");
                assert_eq!(live.ask().unwrap(), resumed.ask().unwrap(), "{at}");
                let mut undone = start(&world.answers[..=at]);
                undone.tell(answer.clone().by("one more")).unwrap();
                undone.undo(Some("one more")).unwrap();
                assert_eq!(live.belief().mean(), undone.belief().mean(), "{at}");
            }
        }
        let of = |judge: &str| {
            let options = AskOptions::default().with_judge(Some(judge.to_owned()));
            whole.session(&options, None, &Watch::NONE).unwrap().ask().unwrap().unwrap()
        };
        // The same belief, but what an answer of this judge would tell is another thing.
        assert!(of("judge 000").score != of("judge 002").score);
    }
}
