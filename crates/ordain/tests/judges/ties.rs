//! Judges who differ in how many things they call equal.

use ordain::data::{Answer, AnswerLog, Entry, ItemId, Items, Outcome};
use ordain::gp::AnswerModel;
use ordain::kernel::{KernelSpec, Shape};
use ordain::{Inference, Model, Watch};
use rand::RngExt;

use crate::common::{normal, phi, stream};

const ITEMS: usize = 20;
const JUDGES: usize = 24;

/// The logarithms of a judge's noise and of his width of ties.
type Nature = [f64; 2];

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (first, second) = (mean(one), mean(other));
    let product = |a: &[f64], b: &[f64], [a_mean, b_mean]: [f64; 2]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - a_mean) * (b - b_mean)).sum()
    };
    let [square, other_square] = [product(one, one, [first; 2]), product(other, other, [second; 2])];
    product(one, other, [first, second]) / (square * other_square).sqrt()
}

/// Who calls many things equal errs no less for that, and who calls nothing equal no more: noise and width are independent here, and found
/// apart. The probability of a tie is the judge's own too.
#[test]
fn ties_are_not_taken_for_care() {
    let mut stream = stream(31);
    let utilities: Vec<f64> = (0..ITEMS).map(|_| normal(&mut stream)).collect();
    let natures: Vec<Nature> =
        (0..JUDGES).map(|_| [0, 1].map(|_| 0.4_f64.ln() + stream.random_range(-1.4..1.4))).collect();
    let mut answers = Vec::new();
    for _ in 0..150 {
        for (number, nature) in natures.iter().enumerate() {
            let [sigma, width] = nature.map(f64::exp);
            let first = stream.random_range(0..ITEMS);
            let second = (first + stream.random_range(1..ITEMS)) % ITEMS;
            let seen = utilities[first] - utilities[second] + std::f64::consts::SQRT_2 * sigma * normal(&mut stream);
            let outcome = match seen {
                _ if seen > width => Outcome::First,
                _ if seen < -width => Outcome::Second,
                _ => Outcome::Tie,
            };
            let answer = Answer::new(ItemId::new(first), Some(ItemId::new(second)), outcome).unwrap();
            answers.push(answer.by(format!("judge {number:03}")));
        }
    }
    let items = Items::from_ids((0..ITEMS).map(|item| format!("item {item}"))).unwrap();
    let fitted = Model::new(items, vec![KernelSpec::new(1.0, Shape::Independent)])
        .unwrap()
        .with_answer_model(AnswerModel::learning(0.4).unwrap())
        .with_answers(AnswerLog::new(answers.into_iter().map(Entry::Answer).collect()).unwrap())
        .unwrap()
        .fit(Inference::Ep, &Watch::NONE)
        .unwrap();
    let found: Vec<f64> = fitted.judges(&Watch::NONE).unwrap().iter().map(|one| one.noise.value.ln()).collect();
    let [noise, widths] = [0, 1].map(|at| natures.iter().map(|nature| nature[at]).collect::<Vec<f64>>());
    let off: Vec<f64> = found.iter().zip(&noise).map(|(found, truth)| found - truth).collect();
    // A judge of 150 answers knows the logarithm of his noise to about a tenth, beside a deviation of .8 among judges: a correlation of .95
    // and more. Two deviations of a correlation of 24 independent pairs are .4.
    let (known, mistaken) = (correlation(&found, &noise), correlation(&off, &widths));
    assert!(known > 0.9, "{known}");
    assert!(mistaken.abs() < 0.4, "{mistaken}");
    // What he will say of two items is what his nature says, but for his width and theirs: the mean over pairs is known as a share of 150
    // answers is, to .04, and .15 is nearly four times that.
    let mut worst: f64 = 0.0;
    for (number, nature) in natures.iter().enumerate() {
        let [sigma, width] = nature.map(f64::exp);
        let scale = std::f64::consts::SQRT_2 * sigma;
        let mut mean_off = 0.0;
        for second in 1..ITEMS {
            let difference = utilities[0] - utilities[second];
            let truth = phi((width - difference) / scale) - phi((-width - difference) / scale);
            let tie = Answer::new(ItemId::new(0), Some(ItemId::new(second)), Outcome::Tie).unwrap();
            let said = fitted.log_probability(&tie.by(format!("judge {number:03}"))).unwrap().unwrap().exp();
            mean_off += (said - truth) / (ITEMS - 1) as f64;
        }
        worst = worst.max(mean_off.abs());
    }
    assert!(worst < 0.15, "{worst}");
}
