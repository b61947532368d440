use super::*;
use crate::Watch;
use crate::data::ItemId;
use crate::kernel::{Given, Kernel};
use crate::numeric::Matrix;
use crate::numeric::normal::cdf;

const CROWD: Crowd = Crowd { spread: 0.7, widths: 0.0, careless: 0.05, common: 0.0 };

fn params() -> EpParams {
    EpParams::default().with_watch(Watch::NONE)
}

/// So many answers of one judge for either of two items, with others' answers beside them.
fn answers(first: usize, second: usize) -> Vec<Answer> {
    let said = |outcome| Answer::new(ItemId::new(0), Some(ItemId::new(1)), outcome).unwrap().by("ann");
    let all = std::iter::repeat_n(Outcome::First, first).chain(std::iter::repeat_n(Outcome::Second, second));
    all.map(said).collect()
}

/// What `work` makes of ann's answers, apart from those of all others.
fn apart<T: Send>(kernel: &dyn Kernel, answers: &[Answer], noise: f64, work: impl Fn(Apart) -> T + Sync) -> T {
    let model = AnswerModel::new(noise, 0.0).unwrap();
    let owners: Vec<Option<u32>> =
        answers.iter().map(|one| (one.judge.as_deref() == Some("ann")).then_some(0)).collect();
    let mut evidence = Evidence::new(&model.observe_all(answers).unwrap(), kernel.items());
    let found = evidence.apart(&params(), kernel, &owners, 1, |_, apart| work(apart.unwrap())).unwrap();
    found.into_iter().next().unwrap()
}

/// The posterior of a judge's care by sums over the difference of the two items and over the logarithm of the factor: mean and deviation of
/// the logarithm, and the probability of being careless.
fn by_quadrature(mean: f64, variance: f64, lambda: f64, first: usize, second: usize) -> (f64, f64, f64) {
    let normal = |x: f64, sd: f64| (-0.5 * (x / sd).powi(2)).exp() / (sd * std::f64::consts::TAU.sqrt());
    let (steps, sd) = (4000, variance.sqrt());
    let step = 16.0 * sd / f64::from(steps);
    let evidence = |noise: f64| {
        let likelihood = |d: f64| cdf(d / noise).powi(first as i32) * cdf(-d / noise).powi(second as i32);
        let at = |k: i32| step * f64::from(k) - 8.0 * sd;
        (0..=steps).map(|k| step * normal(at(k), sd) * likelihood(mean + at(k))).sum::<f64>()
    };
    let [mut mass, mut one, mut two] = [0.0; 3];
    for k in -100..=100 {
        let log_factor = 0.07 * CROWD.spread * f64::from(k);
        let weight = 0.07 * CROWD.spread * normal(log_factor, CROWD.spread) * evidence(lambda * log_factor.exp());
        mass += weight;
        one += weight * log_factor;
        two += weight * log_factor * log_factor;
    }
    let blind = 0.5_f64.powi((first + second) as i32);
    let odds = blind / mass * CROWD.careless / (1.0 - CROWD.careless);
    (one / mass, (two / mass - (one / mass).powi(2)).sqrt(), odds / (1.0 + odds))
}

/// The care of a judge of two items. EP is exact for one answer, and the rule of seven nodes almost. Where answers contradict each other it
/// is off by little. Of a judge who never errs, the evidence of little noise is that of twelve equal half-lines, which EP knows to a tenth.
#[test]
fn care_equals_quadrature() {
    let kernel = Given::new(vec![0.8, 0.0], Matrix::from_fn(2, 2, |row, column| [[1.0, 0.1], [0.1, 0.7]][row][column]));
    let kernel = kernel.unwrap();
    for (first, second, exact) in [(1, 0, 5e-4), (0, 1, 5e-4), (9, 3, 5e-3), (5, 5, 5e-3), (2, 10, 5e-3), (12, 0, 0.15)]
    {
        let noise = 0.4;
        let found = apart(&kernel, &answers(first, second), noise, |apart| {
            let params = params();
            Judge { apart, params: &params, crowd: CROWD, at: Care::before(CROWD) }.care().unwrap()
        });
        let (mean, deviation, careless) = by_quadrature(0.8, 1.5, std::f64::consts::SQRT_2 * noise, first, second);
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < exact, "{first} {second}: {found} {expected}");
        };
        near(found.log_factor.0, mean);
        near(found.log_factor.1, deviation);
        near((found.careless / (1.0 - found.careless)).ln(), (careless / (1.0 - careless)).ln());
    }
}

/// The slope of the evidence of a judge's answers by the logarithm of his noise, beside others' answers and a prior mean, against central
/// differences.
#[test]
fn the_slope_by_noise_equals_differences() {
    let near = |row: usize, column: usize| 1.3 * (-0.4 * row.abs_diff(column) as f64).exp();
    let kernel = Given::new(vec![0.2, 0.0, -0.3, 0.1], Matrix::from_fn(4, 4, near)).unwrap();
    let said = [(0, 1, "first", "ann"), (1, 2, "second", "ann"), (0, 3, "first", "bob"), (2, 3, "second", "ann")];
    let more = [(3, 1, "first", "bob"), (0, 2, "first", ""), (0, 1, "second", "ann"), (2, 1, "7:3", "ann")];
    let answers: Vec<Answer> = said
        .into_iter()
        .chain(more)
        .map(|(first, second, outcome, judge)| {
            let answer = Answer::new(ItemId::new(first), Some(ItemId::new(second)), outcome.parse().unwrap());
            answer.unwrap().by(judge)
        })
        .collect();
    const STEP: f64 = 1e-4;
    for log_factor in [-1.0, 0.0, 0.8_f64] {
        let evidence = |at: f64| {
            apart(&kernel, &answers, 0.5, |mut apart| {
                let params = params();
                apart.evidence(&params, |one| Observation { noise: one.noise * at.exp(), ..*one }).unwrap()
            })
        };
        let (_, slope) = evidence(log_factor);
        let difference = (evidence(log_factor + STEP).0 - evidence(log_factor - STEP).0) / (2.0 * STEP);
        // The difference of two evidences of which each is right to twelve digits.
        assert!((slope - difference).abs() < 1e-6, "{log_factor}: {slope} {difference}");
    }
}

/// The mean of the factors that goes into the common noise leaves what every judge says as it was.
#[test]
fn centring_keeps_the_noise_of_every_judge() {
    let care = |mean, careless| Care { log_factor: (mean, 0.2), log_width: (0.0, 0.0), careless };
    let mut cares = [care(0.5, 0.0), care(-0.1, 0.5), care(0.4, 1.0)];
    let before = cares;
    let mean = centre(&mut cares, CROWD, |care| &mut care.log_factor.0);
    assert!((mean - (0.5 - 0.05) / 1.5).abs() < 1e-15);
    for (one, other) in cares.iter().zip(&before) {
        assert!((one.log_factor.0 + mean - other.log_factor.0).abs() < 1e-15);
    }
    // Where all seem careless, nobody's factor tells of the common noise.
    assert_eq!(centre(&mut [care(2.0, 1.0)], CROWD, |care| &mut care.log_factor.0), 0.0);
}
