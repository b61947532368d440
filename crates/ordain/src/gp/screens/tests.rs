//! Screens beside definitions, brute force, and another EP.

use super::*;
use crate::gp::ep::Evidence;
use crate::gp::{Belief, EpParams, Incremental};
use crate::kernel::{Asides, Given, Independent, WeightedSum};
use crate::numeric::Matrix;

const SIGMA: f64 = 0.6;

fn items(count: usize) -> Vec<ItemId> {
    (0..count).map(ItemId::new).collect()
}

fn cov(row: usize, column: usize) -> f64 {
    let own = if row == column { 0.4 + 0.1 * row as f64 } else { 0.0 };
    own + 0.8 * (-0.3 * row.abs_diff(column) as f64).exp()
}

fn kernel(count: usize) -> Arc<dyn Kernel> {
    let mean = (0..count).map(|item| 0.3 * (item as f64 * 1.7).sin()).collect();
    Arc::new(Given::new(mean, Matrix::from_fn(count, count, cov)).unwrap())
}

fn fit(kernel: &Arc<dyn Kernel>, model: &AnswerModel, answers: &[Answer]) -> crate::gp::Ep {
    let answers: Vec<&Answer> = answers.iter().collect();
    let (model, wide) = model.clone().seated(kernel, &answers).unwrap();
    let observations = model.observe_all(answers).unwrap();
    EpParams::default().with_tolerance(1e-12).fit(wide, &observations).unwrap()
}

fn model() -> AnswerModel {
    AnswerModel::new(SIGMA, 0.0).unwrap()
}

/// Own and shared noise add up to the covariance of `e_i - e_j`, for every kind and size of screen.
#[test]
fn noise_is_that_of_differences() {
    for shown in 3..=Answer::MOST_SHOWN {
        for answer in [Answer::best(&items(shown), ItemId(1)).unwrap(), Answer::order(&items(shown)).unwrap()] {
            let all = comparisons(&answer);
            assert_eq!(all.len(), shown - 1);
            let asides = asides_of(&answer);
            let shares = |Compared { shared, .. }: &Compared| {
                let mut out = vec![0.0; asides];
                shared.iter().filter(|(_, factor)| *factor != 0.0).for_each(|(at, factor)| out[*at] = *factor);
                out
            };
            for (row, one) in all.iter().enumerate() {
                for (column, other) in all.iter().enumerate() {
                    // Every item's noise has the variance 1: +1 for the better item, -1 for the other.
                    let sign = |pair: &[ItemId; 2], item| {
                        f64::from(u8::from(pair[0] == item)) - f64::from(u8::from(pair[1] == item))
                    };
                    let expected: f64 =
                        items(shown).iter().map(|&item| sign(&one.items, item) * sign(&other.items, item)).sum();
                    let shared: f64 = shares(one).iter().zip(shares(other)).map(|(a, b)| a * b).sum();
                    let found = shared + if row == column { one.own * other.own } else { 0.0 };
                    // Roots of sines near pi lose some digits.
                    assert!((found - expected).abs() < 1e-12, "{shown} {row} {column}: {found} {expected}");
                }
            }
        }
    }
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let before = permutations(count - 1);
    let insert = |at: usize| before.iter().map(move |one| [&one[..at], &[count - 1], &one[at..]].concat());
    (0..count).flat_map(insert).collect()
}

/// Whatever the judge's own order is, the probabilities of all that he may say add up to 1: by going through all of it.
#[test]
fn lapses_add_up() {
    for shown in 3..=6 {
        for turned in [0.0, 0.07, 0.3, 0.5] {
            let factor = |meant: bool| if meant { 1.0 - turned } else { turned };
            // His own order is 0, 1, 2, ...: of two items the smaller is preferred.
            let best: f64 = (0..shown)
                .map(|best| {
                    (0..shown).filter(|&other| other != best).map(|other| factor(best < other)).product::<f64>()
                })
                .sum();
            let orders: f64 = permutations(shown)
                .iter()
                .map(|said| said.windows(2).map(|pair| factor(pair[0] < pair[1])).product::<f64>())
                .sum();
            for (sum, is_order) in [(best, false), (orders, true)] {
                let found = Screen { shown: shown as u8, is_order }.log_share(turned);
                assert!((found + sum.ln()).abs() < 1e-13, "{shown} {turned} {is_order}: {found} {}", sum.ln());
            }
        }
    }
    // Two items: nothing is added, as in a plain answer.
    assert!(Screen { shown: 2, is_order: false }.log_share(0.3).abs() < 1e-15);
}

/// Normal density and tail, by a continued fraction and a series of their own.
fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()
}

fn tail(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - tail(-z);
    }
    if z < 3.0 {
        let (mut term, mut sum, mut at) = (z, z, 1.0);
        while term.abs() > 1e-18 {
            at += 2.0;
            term *= z * z / at;
            sum += term;
        }
        return 0.5 - density(z) * sum;
    }
    let fraction = (1..200).rev().fold(z, |below, at| z + f64::from(at) / below);
    density(z) / fraction
}

/// The log probability that a Gaussian is positive in all coordinates, and its mean and covariance then, by sequential EP with
/// truncations: written for this test alone.
fn orthant(mean: &[f64], covariance: &Matrix) -> (f64, Vec<f64>, Matrix) {
    let n = mean.len();
    let (mut tau, mut nu) = (vec![0.0; n], vec![0.0; n]);
    let (mut m, mut s) = (mean.to_vec(), covariance.clone());
    let mut log = 0.0;
    for _ in 0..400 {
        log = 0.0;
        for at in 0..n {
            let q = 1.0 / (1.0 / s[(at, at)] - tau[at]);
            let c = q * (m[at] / s[(at, at)] - nu[at]);
            let z = c / q.sqrt();
            let ratio = density(z) / tail(-z);
            let (new_mean, new_variance) = (c + q.sqrt() * ratio, q * (1.0 - ratio * (ratio + z)));
            let (new_tau, new_nu) = (1.0 / new_variance - 1.0 / q, new_mean / new_variance - c / q);
            let change = new_tau - tau[at];
            let column: Vec<f64> = s.column(at).to_vec();
            let scale = change / (1.0 + change * column[at]);
            let step = (new_nu - nu[at] - change * m[at]) / (1.0 + change * column[at]);
            m.iter_mut().zip(&column).for_each(|(m, own)| *m += step * own);
            s = Matrix::from_fn(n, n, |row, other| s[(row, other)] - scale * column[row] * column[other]);
            (tau[at], nu[at]) = (new_tau, new_nu);
            // log of the zeroth moment and of the site's constant.
            log += tail(-z).ln()
                + 0.5 * (1.0 + q * new_tau).ln()
                + 0.5 * ((c * c * new_tau - 2.0 * c * new_nu - q * new_nu * new_nu) / (1.0 + q * new_tau));
        }
    }
    // The Gaussian integral of prior and sites, by eliminating one coordinate after the other.
    let (mut left_mean, mut left) = (mean.to_vec(), covariance.clone());
    for at in 0..n {
        let (c, q) = (left_mean[at], left[(at, at)]);
        log += -0.5 * (1.0 + q * tau[at]).ln()
            + 0.5 * (2.0 * c * nu[at] + q * nu[at] * nu[at] - tau[at] * c * c) / (1.0 + q * tau[at]);
        let column: Vec<f64> = left.column(at).to_vec();
        let (scale, step) = (tau[at] / (1.0 + tau[at] * q), (nu[at] - tau[at] * c) / (1.0 + tau[at] * q));
        left_mean.iter_mut().zip(&column).for_each(|(m, own)| *m += step * own);
        left = Matrix::from_fn(n, n, |row, other| left[(row, other)] - scale * column[row] * column[other]);
    }
    (log, m, s)
}

/// The differences of noisy utilities that an answer says are positive.
fn differences(answer: &Answer) -> Vec<(usize, usize)> {
    let of: Vec<usize> = answer.items().map(ItemId::index).collect();
    match answer.outcome {
        Outcome::Best => of[1..].iter().map(|&other| (of[0], other)).collect(),
        _ => of.windows(2).map(|pair| (pair[0], pair[1])).collect(),
    }
}

/// Several screens and a pair beside another EP over the differences of noisy utilities, each screen with noise of its own: evidence, means
/// and covariances of the items. Both stand at the same fixed point, because noise that one comparison alone has may be split off it.
#[test]
fn screens_equal_an_ep_over_noisy_utilities() {
    let n = 6;
    let pick = |some: &[usize]| some.iter().map(|&item| ItemId::new(item)).collect::<Vec<_>>();
    let answers = vec![
        Answer::best(&pick(&[0, 2, 3, 5]), ItemId(3)).unwrap(),
        Answer::order(&pick(&[4, 1, 0, 2, 5])).unwrap(),
        Answer::new(ItemId(2), Some(ItemId(4)), Outcome::Second).unwrap(),
        Answer::best(&pick(&[0, 2, 3, 5]), ItemId(3)).unwrap(),
        Answer::order(&pick(&[5, 3, 1])).unwrap(),
    ];
    let kernel = kernel(n);
    // Every difference: the items, and the noise of its own screen.
    let mut rows: Vec<(usize, (usize, usize))> = Vec::new();
    for (screen, answer) in answers.iter().enumerate() {
        let own = match answer.outcome {
            Outcome::Second => vec![(answer.second.unwrap().index(), answer.first.index())],
            _ => differences(answer),
        };
        rows.extend(own.into_iter().map(|pair| (screen, pair)));
    }
    let sign = |(better, other): (usize, usize), item: usize| {
        f64::from(u8::from(better == item)) - f64::from(u8::from(other == item))
    };
    let with_item = |pair: (usize, usize), item: usize| cov(item, pair.0) - cov(item, pair.1);
    let covariance = Matrix::from_fn(rows.len(), rows.len(), |row, column| {
        let ((screen, one), (other_screen, other)) = (rows[row], rows[column]);
        let noise: f64 = (0..n).map(|item| sign(one, item) * sign(other, item)).sum();
        let noise = if screen == other_screen { SIGMA * SIGMA * noise } else { 0.0 };
        with_item(other, one.0) - with_item(other, one.1) + noise
    });
    let prior = kernel.mean().unwrap();
    let mean: Vec<f64> = rows.iter().map(|&(_, (better, other))| prior[better] - prior[other]).collect();
    let (log, after, spread) = orthant(&mean, &covariance);
    let found = fit(&kernel, &model(), &answers);
    assert!((found.log_evidence() - log).abs() < 1e-8, "{} {log}", found.log_evidence());
    // The items follow from the differences by regression.
    let inverse = crate::numeric::dense::Cholesky::factor(covariance).unwrap().inverse();
    let weights = |item: usize| -> Vec<f64> {
        let with: Vec<f64> = rows.iter().map(|&(_, pair)| with_item(pair, item)).collect();
        (0..rows.len()).map(|row| (0..rows.len()).map(|other| inverse[(row, other)] * with[other]).sum()).collect()
    };
    let all = found.covariance(&items(n)).unwrap();
    for item in 0..n {
        let own = weights(item);
        let expected: f64 = prior[item] + (0..rows.len()).map(|row| own[row] * (after[row] - mean[row])).sum::<f64>();
        assert!((found.mean()[item] - expected).abs() < 1e-8, "{item}: {} {expected}", found.mean()[item]);
        for other in 0..n {
            let theirs = weights(other);
            let mut expected = cov(item, other);
            for row in 0..rows.len() {
                expected -= own[row] * with_item(rows[row].1, other);
                for column in 0..rows.len() {
                    expected += own[row] * spread[(row, column)] * theirs[column];
                }
            }
            assert!((all[(item, other)] - expected).abs() < 1e-8, "{item} {other}: {} {expected}", all[(item, other)]);
        }
    }
}

/// Probability, mean and variance of "the first is best of three" by brute force: a sum over a grid of three utilities, and of the noise
/// of the first. Beside it EP over the screen, and EP over two independent pairs.
#[test]
fn a_screen_of_three_beside_brute_force() {
    const STEPS: i32 = 90;
    let prior = [0.2, -0.1, 0.4];
    let spread: [f64; 3] = [1.0, 0.7, 1.3];
    let kernel: Arc<dyn Kernel> = Arc::new(
        Given::new(
            prior.to_vec(),
            Matrix::from_fn(3, 3, |row, column| if row == column { spread[row].powi(2) } else { 0.0 }),
        )
        .unwrap(),
    );
    // Sums over equidistant points converge exponentially for Gaussians: steps of 0.15 deviations, to 6.75 of them.
    let width = 0.15;
    let point = |at: i32| width * f64::from(at - STEPS / 2);
    let weight = |at: i32| width * density(point(at));
    // Given y of the first, the others are independent.
    let (mut mass, mut first, mut second) = (0.0, [0.0; 3], [0.0; 3]);
    for u in 0..=STEPS {
        for e in 0..=STEPS {
            let utility = prior[0] + spread[0] * point(u);
            let y = utility + SIGMA * point(e);
            let below: Vec<[f64; 3]> = [1, 2]
                .map(|item| {
                    // Over ξ_i by its own grid.
                    let mut out = [0.0; 3];
                    for at in 0..=STEPS {
                        let own = prior[item] + spread[item] * point(at);
                        let share = weight(at) * tail((own - y) / SIGMA);
                        out[0] += share;
                        out[1] += share * own;
                        out[2] += share * own * own;
                    }
                    out
                })
                .to_vec();
            let own = weight(u) * weight(e);
            let both = own * below[0][0] * below[1][0];
            mass += both;
            first[0] += both * utility;
            second[0] += both * utility * utility;
            for at in [0, 1] {
                first[at + 1] += own * below[at][1] * below[1 - at][0];
                second[at + 1] += own * below[at][2] * below[1 - at][0];
            }
        }
    }
    let screen = fit(&kernel, &model(), &[Answer::best(&items(3), ItemId(0)).unwrap()]);
    let pairs = [1, 2].map(|other| Answer::new(ItemId(0), Some(ItemId::new(other)), Outcome::First).unwrap());
    let pairs = fit(&kernel, &model(), &pairs);
    let mut lines = format!(
        "log probability {:.5}, EP {:.5}, pairs {:.5}\n",
        mass.ln(),
        screen.log_evidence(),
        pairs.log_evidence()
    );
    for item in 0..3 {
        let (mean, variance) = (first[item] / mass, second[item] / mass - (first[item] / mass).powi(2));
        lines += &format!(
            "item {item}: mean {mean:.4}, EP {:.4}, pairs {:.4}; variance {variance:.4}, EP {:.4}, pairs {:.4}\n",
            screen.mean()[item],
            pairs.mean()[item],
            screen.variances()[item],
            pairs.variances()[item]
        );
        // EP's own error: a few thousandths where two truncations meet.
        assert!((screen.mean()[item] - mean).abs() < 0.005, "{lines}");
        assert!((screen.variances()[item] - variance).abs() < 0.01, "{lines}");
    }
    assert!((screen.log_evidence() - mass.ln()).abs() < 0.003, "{lines}");
    // Independent pairs count the noise of the first item twice: they say more than was said.
    let (mean, variance) = (first[0] / mass, second[0] / mass - (first[0] / mass).powi(2));
    assert!(pairs.mean()[0] > mean + 0.02 && pairs.variances()[0] < variance - 0.01, "{lines}");
    println!("{lines}");
}

/// Alike items: each of k is best with probability 1/k, and each order has 1/k!. EP knows orthants of three to within a few tenths of a per
/// cent, and larger ones to a few per cent.
#[test]
fn alike_items_are_best_alike() {
    for (shown, error) in [(3, 0.01), (4, 0.02), (6, 0.05)] {
        let kernel: Arc<dyn Kernel> = Arc::new(Independent::new(shown));
        let best = fit(&kernel, &model(), &[Answer::best(&items(shown), ItemId(0)).unwrap()]).log_evidence();
        assert!((best + (shown as f64).ln()).abs() < error, "{shown}: {} {}", best.exp(), 1.0 / shown as f64);
    }
    let kernel: Arc<dyn Kernel> = Arc::new(Independent::new(4));
    let order = fit(&kernel, &model(), &[Answer::order(&items(4)).unwrap()]).log_evidence();
    assert!((order + 24.0_f64.ln()).abs() < 0.03, "{} {}", order.exp(), 1.0 / 24.0);
}

/// Derivatives of the evidence by the noise, and by the weight of a kernel, beside central differences.
#[test]
fn gradients_equal_differences() {
    let n = 6;
    let pick = |some: &[usize]| some.iter().map(|&item| ItemId::new(item)).collect::<Vec<_>>();
    let answers = [
        Answer::best(&pick(&[0, 2, 3, 5]), ItemId(3)).unwrap(),
        Answer::order(&pick(&[4, 1, 0, 2])).unwrap(),
        Answer::new(ItemId(1), Some(ItemId(3)), Outcome::First).unwrap(),
    ];
    let all: Vec<&Answer> = answers.iter().collect();
    let params = EpParams::default().with_tolerance(1e-12);
    let at = |noise: f64, weight: f64| {
        let parts: Vec<(f64, Box<dyn Kernel>)> = vec![(weight, Box::new(Independent::new(n)))];
        let sum: Arc<dyn Kernel> = Arc::new(WeightedSum::new(parts).unwrap());
        let (model, wide) = AnswerModel::new(noise, 0.0).unwrap().seated(&sum, &all).unwrap();
        let observations = model.observe_all(all.iter().copied()).unwrap();
        let (log, derivatives) = Evidence::new(&observations, n).evaluate(&params, wide.as_ref()).unwrap();
        let (_, slopes) = Evidence::new(&observations, n).slopes(&params, wide.as_ref()).unwrap();
        let by_noise: f64 =
            observations.iter().zip(&slopes).map(|(one, slopes)| slopes.noise * one.noise / noise).sum();
        (log, by_noise, derivatives[0])
    };
    let (_, by_noise, by_weight) = at(SIGMA, 1.1);
    let step = 1e-4;
    let by_step = (at(SIGMA + step, 1.1).0 - at(SIGMA - step, 1.1).0) / (2.0 * step);
    // Central differences: the square of the step, and rounding over it.
    assert!((by_noise - by_step).abs() < 1e-6, "{by_noise} {by_step}");
    let by_step = (at(SIGMA, 1.1 + step).0 - at(SIGMA, 1.1 - step).0) / (2.0 * step);
    assert!((by_weight - by_step).abs() < 1e-6, "{by_weight} {by_step}");
}

/// A first step is EP's first sweep: dense and lazy forms agree with each other, and with EP to what steps differ by.
#[test]
fn steps_know_screens_in_both_forms() {
    let kernel = kernel(7);
    let answers: Vec<Answer> = [(0, [0, 1, 2, 3]), (4, [4, 2, 6, 0]), (5, [5, 3, 1, 6])]
        .map(|(best, shown)| Answer::best(&shown.map(ItemId::new), ItemId::new(best)).unwrap())
        .to_vec();
    let all: Vec<&Answer> = answers.iter().collect();
    let (model, wide) = model().seated(&kernel, &all).unwrap();
    let observations = model.observe_all(all).unwrap();
    let ep = fit(&kernel, &self::model(), &answers);
    let (mut dense, mut lazy) = (Incremental::dense(wide.clone()).unwrap(), Incremental::lazy(wide).unwrap());
    for one in &observations {
        dense.observe(one).unwrap();
        lazy.observe(one).unwrap();
    }
    for item in 0..7 {
        assert!((dense.mean()[item] - lazy.mean()[item]).abs() < 1e-12);
        assert!((dense.variances()[item] - lazy.variances()[item]).abs() < 1e-12);
        // One pass of steps is near EP.
        assert!((dense.mean()[item] - ep.mean()[item]).abs() < 0.1, "{} {}", dense.mean()[item], ep.mean()[item]);
    }
}

/// A model that has no room for screens says so, and so does logistic noise.
#[test]
fn what_cannot_be_is_refused() {
    let best = Answer::best(&items(3), ItemId(0)).unwrap();
    assert!(model().observe(&best).unwrap_err().to_string().contains("choice among several"));
    let kernel = kernel(3);
    let logistic = model().with_law(NoiseLaw::Logistic);
    let (logistic, _) = logistic.seated(&kernel, &[&best]).unwrap();
    assert!(logistic.observe(&best).unwrap_err().to_string().contains("normal noise"));
    let wide = Asides::beside(kernel, vec![Block { count: 1, own: 1.0, common: 0.0 }]);
    assert_eq!(wide.asides(), 1);
}
