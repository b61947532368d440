//! Users who share a prior (COR) against the paper's formulas and closed forms, and what must hold at the edges.
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

use ordain::Result;
use ordain::data::{Answer, ItemId, Opinions, Outcome};
use ordain::gp::{
    AnswerModel, Belief, Collaborative, CollaborativeParams, Cuts, EpParams, GradeModel, NoiseLaw, Observation,
    OpinionModel, median_grade, mode_grade,
};
use ordain::kernel::{Given, Kernel};
use ordain::numeric::dense::{Cholesky, multiply, multiply_vector};
use ordain::numeric::{Matrix, Seed};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

const ITEMS: usize = 8;

fn covariance(items: usize) -> Matrix {
    let entry =
        |i: usize, j: usize| (-0.2 * (i as f64 - j as f64).powi(2)).exp() + 0.4 + if i == j { 0.2 } else { 0.0 };
    Matrix::from_fn(items, items, entry)
}

fn start() -> Given {
    Given::new(vec![3.0; ITEMS], covariance(ITEMS)).unwrap()
}

fn values(noise: f64) -> OpinionModel {
    let answers = AnswerModel::new(noise, 0.0).unwrap();
    OpinionModel { answers, grades: GradeModel::Values(vec![1.0, 2.0, 3.0, 4.0, 5.0]) }
}

fn ordinal() -> OpinionModel {
    let cuts = Cuts::new(vec![1.5, 2.5, 3.5, 4.5]).unwrap();
    OpinionModel { answers: AnswerModel::new(0.6, 0.0).unwrap(), grades: GradeModel::Ordinal(cuts) }
}

/// Users with a common taste: what they like falls with the number of the item, and each has a level.
fn users(count: usize) -> Vec<Opinions> {
    let mut stream = Seed(11).stream(3);
    (0..count)
        .map(|_| {
            let level: f64 = StandardNormal.sample(&mut stream);
            let mut grades = Vec::new();
            for item in 0..ITEMS {
                let noise: f64 = StandardNormal.sample(&mut stream);
                let value = 4.5 - 0.4 * item as f64 + 0.5 * level + 0.5 * noise;
                if stream.random::<f64>() < 0.6 {
                    grades.push((ItemId::new(item), (value.round().clamp(1.0, 5.0) - 1.0) as usize));
                }
            }
            Opinions { grades, answers: Vec::new() }
        })
        .collect()
}

fn learn(params: &CollaborativeParams, model: OpinionModel, users: Vec<Opinions>) -> Collaborative {
    params.fit(start(), model, users).unwrap()
}

/// COR section 3.1: a user's belief about values is Gaussian process regression, by the printed formula.
#[test]
fn values_are_regression() {
    let all = users(4);
    let learned = learn(&CollaborativeParams::default().with_rounds(0), values(0.5), all.clone());
    for (at, user) in all.iter().enumerate() {
        let belief = learned.belief(at).unwrap();
        let items: Vec<usize> = user.grades.iter().map(|(item, _)| item.index()).collect();
        let k = covariance(ITEMS);
        let noisy =
            Matrix::from_fn(items.len(), items.len(), |i, j| k[(items[i], items[j])] + if i == j { 0.25 } else { 0.0 });
        let inverse = Cholesky::factor(noisy.clone()).unwrap().inverse();
        let off: Vec<f64> = user.grades.iter().map(|&(_, grade)| grade as f64 + 1.0 - 3.0).collect();
        let alpha = multiply_vector(&inverse, &off);
        for item in 0..ITEMS {
            let own = Matrix::from_fn(1, items.len(), |_, j| k[(item, items[j])]);
            let mean = 3.0 + own.values().iter().zip(&alpha).map(|(k, a)| k * a).sum::<f64>();
            let through = multiply(&own, &inverse);
            let explained: f64 = through.values().iter().zip(own.values()).map(|(a, b)| a * b).sum();
            // EP is exact for Gaussian observations, but for rounding.
            assert!((belief.mean()[item] - mean).abs() < 1e-10, "{} {mean}", belief.mean()[item]);
            assert!((belief.variances()[item] - (k[(item, item)] - explained)).abs() < 1e-10);
        }
        // The evidence is that of a normal law.
        let cholesky = Cholesky::factor(noisy).unwrap();
        let square: f64 = off.iter().zip(&alpha).map(|(off, alpha)| off * alpha).sum();
        let expected = -0.5 * (square + cholesky.log_det() + items.len() as f64 * std::f64::consts::TAU.ln());
        assert!((belief.log_evidence() - expected).abs() < 1e-10, "{} {expected}", belief.log_evidence());
    }
}

/// With values, log likelihood plus log prior never falls, with little shrinkage and with much.
#[test]
fn em_of_values_rises() {
    for shrinkage in [0.5, 3.0] {
        let params = CollaborativeParams::default().with_rounds(40).with_shrinkage(shrinkage);
        let learned = learn(&params, values(0.5), users(30));
        let objective: Vec<f64> = learned.rounds().iter().map(|round| round.log_evidence + round.log_prior).collect();
        assert_eq!(objective.len(), 41);
        for pair in objective.windows(2) {
            assert!(pair[1] >= pair[0] - 1e-9 * pair[0].abs(), "{pair:?}");
        }
        assert!(objective[40] > objective[0] + 1.0);
    }
}

/// What users agree on is found, and users differ from it: both kinds of grades, ordinal with thresholds.
#[test]
fn the_common_taste_is_found() {
    for model in [values(0.5), ordinal()] {
        let learned = learn(&CollaborativeParams::default(), model, users(60));
        let consensus = learned.consensus().unwrap();
        assert!(consensus.mean().windows(2).all(|pair| pair[0] > pair[1]), "{:?}", consensus.mean());
        // 60 users know their mean far better than any one user is known.
        let personal = learned.belief(0).unwrap();
        for item in 0..ITEMS {
            assert!(consensus.variances()[item] < 0.3 * personal.variances()[item]);
        }
    }
}

/// The spread of the shared mean is that of a Gaussian model in which it is one more unknown: with values and held Σ, the
/// posterior of h has the precision `π Σ⁻¹ + Σ_j U_j (Σ_jj + σ²)⁻¹ U_j'`.
#[test]
fn consensus_by_its_precision() {
    let all = users(5);
    let params = CollaborativeParams::default().with_rounds(0).with_mean_shrinkage(2.0);
    let consensus = learn(&params, values(0.7), all.clone()).consensus().unwrap();
    let k = covariance(ITEMS);
    let mut precision = Cholesky::factor(k.clone()).unwrap().inverse();
    precision.values_mut().iter_mut().for_each(|value| *value *= 2.0);
    for user in &all {
        let items: Vec<usize> = user.grades.iter().map(|(item, _)| item.index()).collect();
        let noisy =
            Matrix::from_fn(items.len(), items.len(), |i, j| k[(items[i], items[j])] + if i == j { 0.49 } else { 0.0 });
        let inverse = Cholesky::factor(noisy).unwrap().inverse();
        for (i, &row) in items.iter().enumerate() {
            for (j, &column) in items.iter().enumerate() {
                precision[(row, column)] += inverse[(i, j)];
            }
        }
    }
    let expected = Cholesky::factor(precision).unwrap().inverse();
    for item in 0..ITEMS {
        assert!((consensus.variances()[item] - expected[(item, item)]).abs() < 1e-10);
    }
}

/// A user without data has the prior; so has a new one. A new user with a known one's opinions has that one's belief, but for
/// their own thresholds.
#[test]
fn users_without_data_and_new_users() {
    let mut all = users(20);
    all.push(Opinions::default());
    for model in [values(0.5), ordinal()] {
        let learned = learn(&CollaborativeParams::default(), model, all.clone());
        for belief in [learned.belief(20).unwrap(), learned.belief_of(&Opinions::default()).unwrap()] {
            assert_eq!(belief.mean(), learned.prior().mean().unwrap());
            assert_eq!(belief.variances(), learned.prior().covariance().diagonal());
        }
        let (known, new) = (learned.belief(3).unwrap(), learned.belief_of(&all[3]).unwrap());
        for item in 0..ITEMS {
            assert!((known.mean()[item] - new.mean()[item]).abs() < 0.2);
        }
    }
    let nowhere = Opinions { grades: vec![(ItemId(99), 0)], answers: Vec::new() };
    let unknown = Opinions { grades: vec![(ItemId(0), 5)], answers: Vec::new() };
    for wrong in [nowhere, unknown] {
        assert!(CollaborativeParams::default().fit(start(), ordinal(), vec![wrong.clone()]).is_err());
        assert!(learn(&CollaborativeParams::default(), ordinal(), all.clone()).belief_of(&wrong).is_err());
    }
}

/// Users who give one grade to everything, and a grade that nobody gives: all stays finite, and every grade possible.
#[test]
fn one_grade_for_everything_and_a_grade_that_nobody_gives() {
    let everything =
        |grade| Opinions { grades: (0..ITEMS).map(|item| (ItemId::new(item), grade)).collect(), answers: Vec::new() };
    for model in [values(0.5), ordinal()] {
        for extra in [vec![], users(10)] {
            let mut all: Vec<Opinions> = vec![everything(4), everything(4), everything(0)];
            all.extend(extra.into_iter().map(|mut user| {
                // Nobody gives the grade in the middle.
                user.grades.iter_mut().filter(|(_, grade)| *grade == 2).for_each(|(_, grade)| *grade = 3);
                user
            }));
            let learned = learn(&CollaborativeParams::default().with_rounds(30), model.clone(), all);
            let (high, low) = (learned.belief(0).unwrap(), learned.belief(2).unwrap());
            for item in 0..ITEMS {
                let (mean, variance) = (high.mean()[item], high.variances()[item]);
                assert!(mean.is_finite() && variance > 0.0 && mean > low.mean()[item]);
                let shares = learned.model_of(0).probabilities(mean, variance);
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && shares.iter().all(|&share| share > 0.0));
                assert_eq!(median_grade(&shares), 4);
                assert_eq!(mode_grade(&shares), 4);
            }
        }
    }
}

#[test]
fn decisions() {
    assert_eq!(median_grade(&[0.2, 0.3, 0.5]), 1);
    assert_eq!(median_grade(&[0.1, 0.2, 0.7]), 2);
    assert_eq!(mode_grade(&[0.3, 0.3, 0.2, 0.2]), 0);
    assert_eq!(median_grade(&[0.0, 0.0]), 1);
    // Values are rounded: the shares are masses between the middles.
    let shares = values(0.5).probabilities(2.2, 0.11);
    let sd = 0.6_f64;
    let cdf = |z: f64| 0.5 * errorfunctions::RealErrorFunctions::erfc(-z / std::f64::consts::SQRT_2);
    assert!((shares[1] - (cdf((2.5 - 2.2) / sd) - cdf((1.5 - 2.2) / sd))).abs() < 1e-12);
    assert!((shares[4] - (1.0 - cdf((4.5 - 2.2) / sd))).abs() < 1e-12);
}

/// More items, by the regression of the prior at the start; a twin of a known item is that item.
#[test]
fn new_items() {
    let learned = learn(&CollaborativeParams::default(), ordinal(), users(25));
    let k = covariance(ITEMS + 2);
    // The last item is a twin of item 2.
    let of = |item: usize| if item == ITEMS + 1 { 2 } else { item };
    let joint = Matrix::from_fn(ITEMS + 2, ITEMS + 2, |i, j| k[(of(i), of(j))]);
    let more = learned.with_items(&Given::new(vec![3.0; ITEMS + 2], joint.clone()).unwrap()).unwrap();
    let inverse = Cholesky::factor(covariance(ITEMS)).unwrap().inverse();
    let cross = Matrix::from_fn(1, ITEMS, |_, j| joint[(ITEMS, j)]);
    let regression = multiply(&cross, &inverse);
    let moved: Vec<f64> = learned.prior().mean().unwrap().iter().map(|mean| mean - 3.0).collect();
    let mean = 3.0 + regression.values().iter().zip(&moved).map(|(share, moved)| share * moved).sum::<f64>();
    assert!((more.prior().mean().unwrap()[ITEMS] - mean).abs() < 1e-9);
    for user in 0..5 {
        let (before, after) = (learned.belief(user).unwrap(), more.belief(user).unwrap());
        for item in 0..ITEMS {
            assert!((before.mean()[item] - after.mean()[item]).abs() < 1e-8);
        }
        assert!((after.mean()[ITEMS + 1] - after.mean()[2]).abs() < 1e-8);
        assert!((after.variances()[ITEMS + 1] - after.variances()[2]).abs() < 1e-8);
    }
    let (before, after) = (learned.consensus().unwrap(), more.consensus().unwrap());
    assert!((before.variances()[4] - after.variances()[4]).abs() < 1e-8);
    let wrong = Given::new(vec![3.0; ITEMS + 1], Matrix::identity(ITEMS + 1)).unwrap();
    assert!(learned.with_items(&wrong).unwrap_err().to_string().contains("a covariance of"), "other covariances");
    assert!(learned.with_items(&Given::new(vec![0.0; 2], Matrix::identity(2)).unwrap()).is_err());
}

/// Other orders of users, and other numbers of threads: the same.
#[test]
fn users_in_any_order() {
    let (mut all, params) = (users(15), CollaborativeParams::default().with_rounds(5));
    let first = learn(&params, ordinal(), all.clone());
    all.reverse();
    let second = learn(&params, ordinal(), all.clone());
    for item in 0..ITEMS {
        let [one, other] = [&first, &second].map(|learned| learned.prior().mean().unwrap()[item]);
        assert!((one - other).abs() < 1e-9);
        assert!((first.belief(2).unwrap().mean()[item] - second.belief(12).unwrap().mean()[item]).abs() < 1e-8);
    }
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let third = alone.install(|| learn(&params, ordinal(), all));
    assert_eq!(third.prior(), second.prior(), "to the bit");
}

/// Answers about pairs of users who agree, by both laws: the consensus is the common order, users with their own taste have
/// their own.
#[test]
fn pairs_and_personal_orders() -> Result<()> {
    let mut stream = Seed(2).stream(8);
    let answers = |turned: bool, stream: &mut ordain::numeric::Stream| -> Vec<Answer> {
        let pairs = (0..ITEMS as u32).flat_map(|i| (0..i).map(move |j| (j, i)));
        let some: Vec<(u32, u32)> = pairs.filter(|_| stream.random::<f64>() < 0.5).collect();
        let outcome = if turned { Outcome::Second } else { Outcome::First };
        some.iter().map(|&(i, j)| Answer::new(ItemId(i), Some(ItemId(j)), outcome).unwrap()).collect()
    };
    let mut all: Vec<Opinions> =
        (0..14).map(|_| Opinions { grades: Vec::new(), answers: answers(false, &mut stream) }).collect();
    all.push(Opinions { grades: Vec::new(), answers: answers(true, &mut stream) });
    let flat = Given::new(vec![0.0; ITEMS], covariance(ITEMS))?;
    for law in [NoiseLaw::Normal, NoiseLaw::Logistic] {
        let model = OpinionModel { answers: AnswerModel::new(0.5, 0.0)?.with_law(law), ..ordinal() };
        let learned = CollaborativeParams::default().fit(flat.clone(), model, all.clone())?;
        let falls = |mean: &[f64]| mean.windows(2).all(|pair| pair[0] > pair[1]);
        assert!(falls(learned.consensus()?.mean()), "{law}");
        assert!(falls(learned.belief(0)?.mean()), "{law}");
        let contrary = learned.belief(14)?;
        assert!(contrary.mean()[0] < contrary.mean()[ITEMS - 1], "{law}");
    }
    Ok(())
}

/// Grades and answers of one user in one belief: EP over both.
#[test]
fn grades_and_answers_together() {
    let answer = Answer::new(ItemId(1), Some(ItemId(0)), Outcome::First).unwrap();
    let both = Opinions { grades: vec![(ItemId(0), 2), (ItemId(1), 2)], answers: vec![answer] };
    let learned = learn(&CollaborativeParams::default().with_rounds(0), ordinal(), vec![both]);
    let belief = learned.belief(0).unwrap();
    assert!(belief.mean()[1] > belief.mean()[0]);
    assert_eq!(belief.factors().len(), 3);
}

/// A logistic answer: EP's fixed point has the tilted moments, by the trapezoidal rule with the logistic function itself.
#[test]
fn logistic_sites_match_their_moments() {
    let model = AnswerModel::new(0.5, 0.2).unwrap().with_law(NoiseLaw::Logistic);
    let observations: Vec<Observation> = vec![
        model.preferred(ItemId(0), ItemId(1)),
        model.preferred(ItemId(1), ItemId(2)),
        model.tied(ItemId(2), ItemId(5)).unwrap(),
        model.good(ItemId(4)),
        model.preferred(ItemId(0), ItemId(2)),
    ];
    let flat = Given::new(vec![0.0; ITEMS], covariance(ITEMS)).unwrap();
    let ep = EpParams::default().fit(std::sync::Arc::new(flat), &observations).unwrap();
    for ((observation, site), (mean, variance)) in observations.iter().zip(ep.sites()).zip(ep.marginals()) {
        let left = 1.0 - variance * site.precision;
        let (m, v) = ((mean - variance * site.shift) / left, variance / left);
        let cdf = |end: f64, x: f64| 1.0 / (1.0 + (-(end - x) / observation.noise).exp());
        let (points, reach) = (20_000, 14.0 * v.sqrt());
        let mut sums = [0.0; 3];
        for point in 0..=points {
            let x = m - reach + 2.0 * reach * f64::from(point) / f64::from(points);
            let likelihood = cdf(observation.high, x) - cdf(observation.low, x);
            let weight = likelihood * (-0.5 * (x - m).powi(2) / v).exp();
            sums.iter_mut().zip([1.0, x, x * x]).for_each(|(sum, power)| *sum += weight * power);
        }
        let tilted = sums[1] / sums[0];
        // EP stops at 1e-9.
        assert!((tilted - mean).abs() < 1e-8, "{tilted} {mean}");
        assert!((sums[2] / sums[0] - tilted * tilted - variance).abs() < 1e-8);
    }
    // All outcomes of a pair together.
    let (first, tie) = model.outcome_probabilities(0.4, 0.3);
    let (second, same) = model.outcome_probabilities(-0.4, 0.3);
    assert!((first + tie + second - 1.0).abs() < 1e-12 && (tie - same).abs() < 1e-12);
}
