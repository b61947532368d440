use super::*;
use crate::Watch;
use crate::data::ItemId;
use crate::kernel::{Given, Kernel};
use crate::numeric::Matrix;

/// Six items, more alike the nearer, with a prior mean.
fn kernel() -> Given {
    let near = |row: usize, column: usize| 1.7 * (-0.5 * row.abs_diff(column) as f64).exp();
    Given::new(vec![0.3, 0.0, -0.4, 0.1, 0.0, 0.2], Matrix::from_fn(6, 6, near)).unwrap()
}

fn answer(first: usize, second: usize, outcome: &str, judge: &str) -> Answer {
    Answer::new(ItemId::new(first), Some(ItemId::new(second)), outcome.parse().unwrap()).unwrap().by(judge)
}

/// Every kind, both ways round, from named judges and one without a name.
fn answers() -> Vec<Answer> {
    [
        (0, 2, "first>", "ann"),
        (5, 1, "second>", "bob"),
        (3, 1, "first>>", "ann"),
        (2, 4, "second>>", ""),
        (0, 5, "first:0.8", "ann"),
        (4, 1, "first:0.3", "ann"),
        (2, 3, "first:0.99", "bob"),
        (3, 0, "first:0.5", ""),
        (1, 2, "7:2:3", ""),
        (4, 5, "tie", "bob"),
        (0, 1, "first", ""),
    ]
    .map(|(first, second, outcome, judge)| answer(first, second, outcome, judge))
    .to_vec()
}

/// The height and its slopes at some coordinates: gap, factor, shared scale and spread, and those of two judges.
fn height(at: &[f64], lapse: f64) -> (f64, Vec<f64>) {
    let kernel = kernel();
    let answers = if lapse > 0.0 { in_order() } else { answers() };
    let answers: Vec<&Answer> = answers.iter().collect();
    let model = AnswerModel::learning(0.3).unwrap().in_unit(1.3).with_noise(0.7).unwrap().with_lapse(lapse);
    let fit = Fit { kernel: &kernel, answers: &answers, unit: 1.3, watch: &Watch::NONE, prior: Default::default() };
    let coordinates = Coordinates::new(&model, 1.3, &answers);
    assert_eq!(coordinates.first.len(), at.len());
    let mut ascent = Ascent { fit: &fit, coordinates: &coordinates, evidence: None, stopped: None };
    let mut gradient = vec![0.0; at.len()];
    (ascent.height(at, &mut gradient), gradient)
}

/// Answers that contradict neither each other nor the prior mean: none of them is likely to be a lapse, so none has its site cut at 0,
/// where the evidence is not stationary.
fn in_order() -> Vec<Answer> {
    [
        (1, 0, "second>", "ann"),
        (0, 2, "first>>", "bob"),
        (2, 5, "second>>", ""),
        (4, 2, "first>", ""),
        (0, 3, "first:0.8", "ann"),
        (5, 4, "first:0.9", "bob"),
        (5, 2, "4:0", ""),
    ]
    .map(|(first, second, outcome, judge)| answer(first, second, outcome, judge))
    .to_vec()
}

/// EP's evidence and the prior, by threshold, factor, scales and spreads, against central differences; with lapses too.
#[test]
fn slopes_of_the_evidence_equal_differences() {
    const STEP: f64 = 1e-4;
    let at = [0.2, -0.15, 0.1, -0.5, 0.3, -0.2, -0.25, 0.15];
    for lapse in [0.0, 0.1] {
        let (_, slopes) = height(&at, lapse);
        for (coordinate, slope) in slopes.into_iter().enumerate() {
            let moved = |step: f64| {
                let mut at = at;
                at[coordinate] += step;
                height(&at, lapse).0
            };
            let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            // EP stops at 1e-5; its evidence is stationary there, so that the differences err by 1e-10 over the step.
            assert!(
                (slope - expected).abs() < 1e-5 * (1.0 + expected.abs()),
                "{lapse} {coordinate}: {slope} {expected}"
            );
        }
    }
}

/// The slopes of one log probability by its ends, or its value, and its noise equal differences, with and without lapses.
#[test]
fn slopes_of_one_answer_equal_differences() {
    const STEP: f64 = 1e-5;
    let model = AnswerModel::new(0.7, 0.3).unwrap();
    for lapse in [0.0, 0.2] {
        for word in ["first>", "second>", "first>>", "second>>", "first", "tie", "first:0.8"] {
            let said = model.observe(&answer(0, 1, word, "")).unwrap().next().unwrap();
            let observation = Observation { lapse: if said.is_value() { 0.0 } else { lapse }, ..said };
            let (mean, variance) = (0.4, 1.3);
            let slopes = observation.slopes(mean, variance);
            let moved = |low: f64, high: f64, noise: f64| {
                let moved = Observation {
                    low: observation.low + low,
                    high: observation.high + high,
                    noise: observation.noise + noise,
                    ..observation
                };
                moved.log_mass(mean, variance)
            };
            let difference =
                |[low, high, noise]: [f64; 3]| (moved(low, high, noise) - moved(-low, -high, -noise)) / (2.0 * STEP);
            let by_low = if said.is_value() { [STEP, STEP, 0.0] } else { [STEP, 0.0, 0.0] };
            // The second derivative times the step squared, and rounding over the step: 1e-9.
            let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-8, "{lapse} {word}: {one} {other}");
            near(slopes.noise, difference([0.0, 0.0, STEP]));
            if observation.low.is_finite() {
                near(slopes.low, difference(by_low));
            }
            if observation.high.is_finite() && !said.is_value() {
                near(slopes.high, difference([0.0, STEP, 0.0]));
            }
        }
    }
}

/// Held noise has stated constants, and a learned one begins with the prior's unit. Nothing is learned of answers that are not there.
#[test]
fn constants_of_held_noise() {
    let held = AnswerModel::new(0.5, 0.2).unwrap();
    let lambda = held.lambda();
    assert_eq!(held.strong_width(), 0.2 + lambda);
    assert_eq!(held.reading(Some("ann")), Reading { scale: lambda, spread: 0.5 });
    assert_eq!(held.temperature(None), 1.0);
    let answers = answers();
    let answers: Vec<&Answer> = answers.iter().collect();
    assert_eq!(held.clone().learned(&kernel(), &answers, &Watch::NONE).unwrap(), held);
    let learned = AnswerModel::learning(0.2).unwrap().learned(&kernel(), &[], &Watch::NONE).unwrap();
    let unit = learned.unit().unwrap();
    // Half of all differences of independent utilities are larger.
    let deviation = std::f64::consts::SQRT_2 * unit;
    assert!((2.0 * cdf(-(learned.strong_width() - 0.2) / deviation) - 0.5).abs() < 1e-12);
    assert_eq!(learned.reading(None).scale, deviation);
    // The threshold is above any width of ties, also where the gap is lost in rounding.
    let wide = AnswerModel::new(1e-9, 1e12).unwrap();
    assert!(wide.strong_width() > wide.tie_width());
}

/// Twice the weights and twice the noise is the same model: thresholds and scales are twice as large, temperatures are the same.
#[test]
fn the_unit_does_not_matter() {
    let answers = answers();
    let answers: Vec<&Answer> = answers.iter().cycle().take(15).collect();
    let learned = |factor: f64| {
        let mean = kernel().mean().unwrap().iter().map(|mean| factor * mean).collect();
        let (kernel, width) = (kernel(), 0.3 * factor);
        let covariance = Matrix::from_fn(6, 6, |row, column| factor * factor * kernel.covariance()[(row, column)]);
        let kernel = Given::new(mean, covariance).unwrap();
        AnswerModel::learning(width).unwrap().learned(&kernel, &answers, &Watch::NONE).unwrap()
    };
    let (one, many) = (learned(1.0), learned(1000.0));
    // L-BFGS stops at a slope of .01, on ways that differ by rounding alone.
    let near = |one: f64, many: f64| assert!((many / one - 1.0).abs() < 1e-6, "{one} {many}");
    near(one.strong_width(), many.strong_width() / 1000.0);
    for judge in [None, Some("ann"), Some("bob")] {
        near(one.temperature(judge), many.temperature(judge));
        near(one.reading(judge).spread, many.reading(judge).spread);
    }
}
