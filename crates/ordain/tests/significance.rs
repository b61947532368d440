//! Tests of differences against scipy and arbitrary precision (`data/make_statistics.py`), against enumeration, and
//! against the law that p-values follow when there is no difference.
#![allow(clippy::unwrap_used)]

#[path = "common/statistics.rs"]
mod statistics;

use ordain::measure::{
    TestResult, bootstrap_mean_difference, bootstrap_ratio, holm, paired_t_test, randomisation_test, rank_sum_test,
    signed_rank_test,
};
use ordain::numeric::normal::cdf;
use ordain::numeric::student::two_sided_tail;
use ordain::numeric::{Seed, Stream};
use proptest::prelude::*;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use statistics::{Row, quarters, rows};

/// Relative to the larger of 1 and the value for statistics, to the value for p.
fn assert_equal(found: TestResult, row: &Row) {
    let p = row.other.unwrap();
    let of = format!("{} {:?} {:?}: {found:?} {} {p}", row.measure, row.first, row.second, row.statistic);
    assert!((found.statistic - row.statistic).abs() <= 1e-12 * row.statistic.abs().max(1.0), "{of}");
    assert!((found.p - p).abs() <= 1e-12 * p, "{of}");
}

fn normal(stream: &mut impl Rng, size: usize) -> Vec<f64> {
    (0..size).map(|_| stream.sample(StandardNormal)).collect()
}

fn zeros(size: usize) -> Vec<f64> {
    vec![0.0; size]
}

#[test]
fn the_tail_of_students_law_equals_the_table() {
    let mut worst = 0.0_f64;
    for line in include_str!("data/student.csv").lines().skip(1) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let (t, degrees, expected) = (cells[0], cells[1], cells[2]);
        let found = two_sided_tail(t, degrees);
        if expected < 1e-300 {
            assert!(found < 1e-299, "t = {t}, {degrees} degrees: {found:e}");
            continue;
        }
        let error = (found / expected - 1.0).abs();
        assert!(error <= 1e-12, "t = {t}, {degrees} degrees: {found:e} {expected:e} {error:e}");
        assert_eq!(found, two_sided_tail(-t, degrees));
        worst = worst.max(error);
    }
    println!("largest relative error {worst:.1e}");
}

#[test]
fn the_tail_of_students_law_at_its_ends() {
    assert_eq!(two_sided_tail(0.0, 3.0), 1.0);
    assert_eq!(two_sided_tail(f64::INFINITY, 3.0), 0.0);
    assert_eq!(two_sided_tail(f64::MAX, 30.0), 0.0);
    for (t, degrees) in [(f64::NAN, 3.0), (1.0, 0.0), (1.0, -1.0), (1.0, f64::NAN), (1.0, f64::INFINITY)] {
        assert!(two_sided_tail(t, degrees).is_nan());
    }
}

#[test]
fn tests_equal_scipy() {
    for row in rows("paired_t") {
        assert_equal(paired_t_test(&row.first, &row.second).unwrap(), &row);
    }
    for row in rows("signed_rank") {
        assert_equal(signed_rank_test(&row.first, &row.second).unwrap(), &row);
    }
    for row in rows("rank_sum") {
        assert_equal(rank_sum_test(&row.first, &row.second).unwrap(), &row);
    }
}

/// Twice the average rank of the size of every value, zeros left out.
fn doubled_ranks(values: &[f64]) -> Vec<usize> {
    let sizes: Vec<f64> = values.iter().map(|value| value.abs()).filter(|size| *size > 0.0).collect();
    let rank = |size: &f64| {
        let below = sizes.iter().filter(|other| *other < size).count();
        2 * below + sizes.iter().filter(|other| *other == size).count() + 1
    };
    sizes.iter().map(rank).collect()
}

#[test]
fn signed_ranks_equal_enumeration_with_ties_and_zeros() {
    let mut stream = Seed(21).stream(0);
    for case in 0..200 {
        let differences = quarters(&mut stream, 1 + case % 10, [2, 4, 20][case % 3]);
        let ranks = doubled_ranks(&differences);
        let n = ranks.len();
        let Ok(found) = signed_rank_test(&differences, &zeros(differences.len())) else {
            assert_eq!(n, 0);
            continue;
        };
        let sum = |bits: usize| (0..n).filter(|at| bits >> at & 1 == 1).map(|at| ranks[at]).sum::<usize>();
        let smaller = (2.0 * found.statistic) as usize;
        let as_small = (0..1_usize << n).filter(|&bits| sum(bits) <= smaller).count();
        let expected = (2.0 * as_small as f64 / (1_usize << n) as f64).min(1.0);
        assert_eq!(found.p, expected, "{differences:?}");
    }
}

#[test]
fn rank_sums_equal_enumeration() {
    let mut stream = Seed(22).stream(0);
    for (n, m) in (1..7).flat_map(|n| (1..7).map(move |m| (n, m))) {
        let (first, second) = (normal(&mut stream, n), normal(&mut stream, m));
        let all = [first.clone(), second.clone()].concat();
        // U of the subset the bits say, by counting pairs.
        let u = |bits: usize| {
            let inside = |at: usize| bits >> at & 1 == 1;
            let pairs = (0..n + m).flat_map(|i| (0..n + m).map(move |j| (i, j)));
            pairs.filter(|&(i, j)| inside(i) && !inside(j) && all[i] > all[j]).count()
        };
        let found = rank_sum_test(&first, &second).unwrap();
        let observed = u((1 << n) - 1);
        assert_eq!(found.statistic, observed as f64);
        let smaller = observed.min(n * m - observed);
        let subsets: Vec<usize> = (0..1_usize << (n + m)).filter(|bits| bits.count_ones() as usize == n).collect();
        let as_small = subsets.iter().filter(|bits| u(**bits) <= smaller).count();
        assert_eq!(found.p, (2.0 * (as_small as f64 / subsets.len() as f64)).min(1.0));
    }
}

#[test]
fn rank_sums_of_large_samples() {
    let mut stream = Seed(23).stream(0);
    // 8 against 20 000 is counted, where the approximation is good to about 0.01; 8 against 10⁶ has too many splits.
    for (many, tolerance) in [(20_000, 0.01), (1_000_000, 1e-12)] {
        let (first, second) = (normal(&mut stream, 8), normal(&mut stream, many));
        let found = rank_sum_test(&first, &second).unwrap();
        let middle = 4.0 * many as f64;
        let sd = (middle / 6.0 * (many + 9) as f64).sqrt();
        let approximate = 2.0 * cdf(-((found.statistic - middle).abs() - 0.5) / sd);
        assert!((found.p - approximate).abs() < tolerance, "{found:?} {approximate}");
    }
}

#[test]
fn randomisation_equals_enumeration() {
    let mut stream = Seed(24).stream(0);
    for case in 0..120 {
        let n = 1 + case % 12;
        let differences = quarters(&mut stream, n, [1, 4, 100][case % 3]);
        let sum = |bits: usize| -> f64 {
            (0..n).map(|at| if bits >> at & 1 == 1 { -differences[at] } else { differences[at] }).sum()
        };
        let as_far = (0..1_usize << n).filter(|&bits| sum(bits).abs() >= sum(0).abs()).count();
        let found = randomisation_test(&differences, &zeros(n), 1, Seed(0)).unwrap();
        assert_eq!(found.p, as_far as f64 / (1_usize << n) as f64);
        assert_eq!(found.statistic, sum(0) / n as f64);
    }
}

#[test]
fn sampled_randomisation_is_near_enumeration() {
    let mut stream = Seed(25).stream(0);
    for n in [17, 18] {
        let differences: Vec<f64> = normal(&mut stream, n).iter().map(|value| value + 0.4).collect();
        let sum = |bits: usize| -> f64 {
            (0..n).map(|at| if bits >> at & 1 == 1 { -differences[at] } else { differences[at] }).sum()
        };
        let as_far = (0..1_usize << n).filter(|&bits| sum(bits).abs() >= sum(0).abs()).count();
        let exact = as_far as f64 / (1_usize << n) as f64;
        let draws = 20_000;
        let found = randomisation_test(&differences, &zeros(n), draws, Seed(3)).unwrap().p;
        // Four standard deviations of a binomial frequency.
        assert!((found - exact).abs() < 4.0 * (exact * (1.0 - exact) / draws as f64).sqrt(), "{found} {exact}");
    }
}

#[test]
fn differences_equal_on_paper_are_as_far() {
    // 0.3 - 0.2 and 0.2 - 0.1 differ in their last digits; all sums of the observed size must count.
    let found = randomisation_test(&[0.3, 0.2, 0.1], &[0.2, 0.1, 0.2], 1, Seed(0)).unwrap();
    assert_eq!(found.p, 1.0);
    // Tenths of larger values are rounded more coarsely: 0.1, 0.2, -0.6, -0.3 on paper, with 10 of 16 sums as far.
    let (first, second) = ([1000.2, 1000.9, 1000.1, 1000.4], [1000.1, 1000.7, 1000.7, 1000.7]);
    assert_eq!(randomisation_test(&first, &second, 1, Seed(0)).unwrap().p, 10.0 / 16.0);
}

#[test]
fn sampled_p_is_never_zero() {
    // A random draw is as far once in 2⁴⁰ times or less.
    let found = randomisation_test(&[1.0; 42], &zeros(42), 99, Seed(0)).unwrap();
    assert_eq!(found.p, 0.01);
}

#[test]
fn threads_do_not_matter() {
    let mut stream = Seed(26).stream(0);
    let (first, second) = (normal(&mut stream, 100), normal(&mut stream, 100));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let test = randomisation_test(&first, &second, 3000, Seed(5)).unwrap();
            (test, bootstrap_mean_difference(&first, &second, 0.95, 3000, Seed(5)).unwrap())
        })
    };
    assert_eq!(on(1), on(2));
    assert_eq!(on(1), on(3));
}

#[test]
fn bootstrap_of_two_values_is_known() {
    // Means 0, 1/2 and 1 with chances 1/4, 1/2, 1/4.
    let at = |level| bootstrap_mean_difference(&[0.0, 1.0], &[0.0, 0.0], level, 4000, Seed(6)).unwrap();
    let (narrow, wide) = (at(0.4), at(0.9));
    assert_eq!((narrow.low, narrow.mean, narrow.high), (0.5, 0.5, 0.5));
    assert_eq!((wide.low, wide.mean, wide.high), (0.0, 0.5, 1.0));
}

#[test]
fn bootstrap_of_a_large_sample_is_the_normal_interval() {
    let values = normal(&mut Seed(27).stream(0), 1000);
    let found = bootstrap_mean_difference(&values, &zeros(1000), 0.95, 10_000, Seed(7)).unwrap();
    let squares: f64 = values.iter().map(|value| (value - found.mean).powi(2)).sum();
    let half = 1.96 * squares.sqrt() / 1000.0;
    // A 2.5% quantile of 10⁴ draws is known to about 3% of a standard deviation; four times that.
    let tolerance = 0.12 * half / 1.96;
    assert!((found.low - (found.mean - half)).abs() < tolerance, "{found:?} {half}");
    assert!((found.high - (found.mean + half)).abs() < tolerance, "{found:?} {half}");
}

#[test]
fn bootstrap_of_two_units_is_known() {
    // Ratios 0, 3/4 and 1 with chances 1/4, 1/2, 1/4.
    let at = |level| bootstrap_ratio(&[0.0, 3.0], &[1.0, 3.0], level, 4000, Seed(6)).unwrap();
    let (narrow, wide) = (at(0.4), at(0.9));
    assert_eq!((narrow.low, narrow.mean, narrow.high), (0.75, 0.75, 0.75));
    assert_eq!((wide.low, wide.mean, wide.high), (0.0, 0.75, 1.0));
}

#[test]
fn bootstrap_of_equal_units_is_that_of_means() {
    let values = normal(&mut Seed(28).stream(0), 50);
    let means = bootstrap_mean_difference(&values, &zeros(50), 0.95, 3000, Seed(8)).unwrap();
    assert_eq!(bootstrap_ratio(&values, &[1.0; 50], 0.95, 3000, Seed(8)).unwrap(), means);
    // A power of two changes no bit.
    let fourfold: Vec<f64> = values.iter().map(|value| 4.0 * value).collect();
    assert_eq!(bootstrap_ratio(&fourfold, &[4.0; 50], 0.95, 3000, Seed(8)).unwrap(), means);
}

/// The normal interval of a ratio, its error that of the residuals `total - ratio · size` (the delta method).
#[test]
fn bootstrap_of_many_units_is_the_normal_interval() {
    let mut stream = Seed(29).stream(0);
    let sizes: Vec<f64> = (0..2000).map(|_| f64::from(stream.random_range(1..=9_u8))).collect();
    let noise = normal(&mut stream, 2000);
    let totals: Vec<f64> = sizes.iter().zip(&noise).map(|(size, noise)| 0.5 * size + noise).collect();
    let found = bootstrap_ratio(&totals, &sizes, 0.95, 10_000, Seed(7)).unwrap();
    let size: f64 = sizes.iter().sum();
    assert!((found.mean - totals.iter().sum::<f64>() / size).abs() < 1e-12);
    let residuals = totals.iter().zip(&sizes).map(|(total, size)| (total - found.mean * size).powi(2));
    let half = 1.96 * residuals.sum::<f64>().sqrt() / size;
    // A 2.5% quantile of 10⁴ draws is known to about 3% of a standard deviation; four times that.
    let tolerance = 0.12 * half / 1.96;
    assert!((found.low - (found.mean - half)).abs() < tolerance, "{found:?} {half}");
    assert!((found.high - (found.mean + half)).abs() < tolerance, "{found:?} {half}");
}

#[test]
fn bad_units_are_refused() {
    let with = |totals: &[f64], sizes: &[f64]| bootstrap_ratio(totals, sizes, 0.9, 10, Seed(0));
    assert!(with(&[1.0, 2.0], &[1.0, 3.0]).is_ok());
    assert!(with(&[1.0], &[1.0]).is_err());
    assert!(with(&[1.0, 2.0], &[1.0, 2.0, 3.0]).is_err());
    assert!(with(&[1.0, f64::MAX], &[1.0, 1.0]).is_err());
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(with(&[1.0, bad], &[1.0, 1.0]).is_err());
        assert!(with(&[1.0, 1.0], &[1.0, bad]).is_err());
    }
    for size in [0.0, -1.0] {
        assert!(with(&[1.0, 1.0], &[1.0, size]).is_err());
    }
    assert!(bootstrap_ratio(&[1.0, 2.0], &[1.0, 1.0], 1.0, 10, Seed(0)).is_err());
    assert!(bootstrap_ratio(&[1.0, 2.0], &[1.0, 1.0], 0.9, 0, Seed(0)).is_err());
}

/// The largest gap between the distribution of the p-values and the uniform one (Kolmogorov and Smirnov).
fn gap_to_uniform(mut p_values: Vec<f64>) -> f64 {
    p_values.sort_by(f64::total_cmp);
    let n = p_values.len() as f64;
    let gap = |(at, p): (usize, &f64)| (p - at as f64 / n).abs().max((p - (at + 1) as f64 / n).abs());
    p_values.iter().enumerate().map(gap).fold(0.0, f64::max)
}

const SAMPLES: usize = 2000;

/// The gap that uniform p-values exceed once in a thousand times, and the step of a discrete law.
fn largest_gap(step: f64) -> f64 {
    1.95 / (SAMPLES as f64).sqrt() + step
}

fn simulate(mut p_of: impl FnMut(u64, &mut Stream) -> f64) -> Vec<f64> {
    let mut stream = Seed(28).stream(0);
    (0..SAMPLES as u64).map(|sample| p_of(sample, &mut stream)).collect()
}

#[test]
fn p_of_the_t_test_is_uniform_without_a_difference() {
    for n in [2, 3, 10, 40] {
        let p_values = simulate(|_, stream| paired_t_test(&normal(stream, n), &normal(stream, n)).unwrap().p);
        let gap = gap_to_uniform(p_values);
        assert!(gap < largest_gap(0.0), "{n} pairs: {gap}");
    }
}

#[test]
fn p_of_the_randomisation_test_is_uniform_without_a_difference() {
    // Exact with steps of 2⁻¹¹; sampled with steps of 1/200.
    for (n, step) in [(12, 0.5_f64.powi(11)), (20, 1.0 / 200.0)] {
        let p_of = |sample, stream: &mut Stream| {
            randomisation_test(&normal(stream, n), &normal(stream, n), 199, Seed(sample)).unwrap().p
        };
        let gap = gap_to_uniform(simulate(p_of));
        assert!(gap < largest_gap(step), "{n} pairs: {gap}");
    }
}

#[test]
fn rank_tests_reject_no_more_often_than_they_say() {
    for n in [6, 12, 60] {
        let signed = simulate(|_, stream| signed_rank_test(&normal(stream, n), &normal(stream, n)).unwrap().p);
        let sums = simulate(|_, stream| rank_sum_test(&normal(stream, n), &normal(stream, n)).unwrap().p);
        for (p_values, level) in [(&signed, 0.05), (&signed, 0.2), (&sums, 0.05), (&sums, 0.2)] {
            let rejected = p_values.iter().filter(|p| **p <= level).count() as f64 / SAMPLES as f64;
            // Three standard deviations.
            assert!(rejected < level + 3.0 * (level * (1.0 - level) / SAMPLES as f64).sqrt(), "{n}: {rejected}");
        }
    }
}

/// Whether the step-down procedure at this level rejects each hypothesis.
fn step_down(p_values: &[f64], level: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut rejected = vec![false; p_values.len()];
    for (at, test) in order.into_iter().enumerate() {
        if (p_values.len() - at) as f64 * p_values[test] > level {
            break;
        }
        rejected[test] = true;
    }
    rejected
}

#[test]
fn holm_is_the_level_at_which_the_procedure_rejects() {
    let mut stream = Seed(29).stream(0);
    for case in 0..200 {
        // Powers of two times small numbers keep the products exact; many are tied.
        let p_values: Vec<f64> = (0..case % 15).map(|_| f64::from(stream.random_range(0..=256_u16)) / 4096.0).collect();
        let corrected = holm(&p_values).unwrap();
        for (at, level) in corrected.iter().enumerate() {
            assert!(step_down(&p_values, *level)[at]);
            assert!(*level == 0.0 || !step_down(&p_values, level - 1e-9)[at]);
        }
    }
    assert_eq!(holm(&[0.9, 0.8]).unwrap(), [1.0, 1.0]);
}

#[test]
fn bad_input_is_refused() {
    let good = [1.0, 2.0, 4.0];
    let randomisation = |a: &[f64], b: &[f64]| randomisation_test(a, b, 10, Seed(0));
    let bootstrap = |a: &[f64], b: &[f64]| {
        let interval = bootstrap_mean_difference(a, b, 0.9, 10, Seed(0))?;
        Ok(TestResult { statistic: interval.mean, p: 1.0 })
    };
    type Test<'a> = &'a dyn Fn(&[f64], &[f64]) -> ordain::Result<TestResult>;
    let paired: [Test; 4] = [&paired_t_test, &signed_rank_test, &randomisation, &bootstrap];
    for test in paired {
        assert!(test(&good, &[0.0, 3.0, 1.0]).is_ok());
        assert!(test(&good, &good[..2]).is_err());
        assert!(test(&[f64::MAX, 1.0, 1.0], &[-f64::MAX, 0.0, 0.0]).is_err());
    }
    for test in [&paired[..], &[&rank_sum_test]].concat() {
        assert!(test(&[], &[]).is_err());
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(test(&[1.0, bad, 3.0], &good).is_err());
            assert!(test(&good, &[1.0, bad, 3.0]).is_err());
        }
    }
    assert!(paired_t_test(&good, &good).is_err());
    assert!(paired_t_test(&[1.0], &[2.0]).is_err());
    // All differences are 0.1 on paper.
    assert!(paired_t_test(&[0.3, 0.2, 1.1], &[0.2, 0.1, 1.0]).is_err());
    assert!(signed_rank_test(&good, &good).is_err());
    assert_eq!(randomisation_test(&good, &good, 10, Seed(0)).unwrap(), TestResult { statistic: 0.0, p: 1.0 });
    assert_eq!(rank_sum_test(&[1.0; 20], &[1.0; 30]).unwrap(), TestResult { statistic: 300.0, p: 1.0 });
    assert!(randomisation_test(&good, &good, 0, Seed(0)).is_err());
    assert!(bootstrap_mean_difference(&good, &good, 0.9, 0, Seed(0)).is_err());
    for level in [0.0, 1.0, f64::NAN] {
        assert!(bootstrap_mean_difference(&good, &good, level, 10, Seed(0)).is_err());
    }
    assert!(holm(&[0.5, 1.5]).is_err());
    assert!(holm(&[f64::NAN]).is_err());
    assert_eq!(holm(&[]).unwrap(), Vec::<f64>::new());
}

/// Two samples on a coarse grid and a permutation of their places.
fn samples() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Vec<usize>)> {
    (2..70_usize).prop_flat_map(|n| {
        let values = || proptest::collection::vec((-9..9_i32).prop_map(|value| f64::from(value) / 4.0), n);
        (values(), values(), Just((0..n).collect::<Vec<_>>()).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn sides_and_order_do_not_change_p((first, second, order) in samples()) {
        let permute = |values: &[f64]| -> Vec<f64> { order.iter().map(|&at| values[at]).collect() };
        for test in [paired_t_test, signed_rank_test, rank_sum_test] {
            let Ok(found) = test(&first, &second) else { continue };
            prop_assert!((0.0..=1.0).contains(&found.p));
            prop_assert_eq!(found.p, test(&second, &first).unwrap().p);
            let permuted = test(&permute(&first), &permute(&second)).unwrap();
            // Sums in another order.
            prop_assert!((found.p - permuted.p).abs() <= 1e-11 * found.p);
        }
    }
}
