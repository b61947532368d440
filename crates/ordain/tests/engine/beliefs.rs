//! Beliefs in both forms against `n x n` updates.

use std::sync::Arc;

use ordain::data::ItemId;
use ordain::gp::{AnswerModel, Belief, Incremental};
use ordain::kernel::Kernel;
use ordain::numeric::Seed;
use rand::RngExt;

use crate::common::{distance, normal};
use crate::plain::Plain;
use crate::problems::{linked, linked_without_floor, near_twins, random};

/// Every number that a belief gives is that of the updates here, to 1e-9: means, variances, columns, covariances of some items, entries one by one, the
/// evidence. Returns the largest difference.
fn compare(belief: &Incremental, plain: &mut Plain) -> f64 {
    let n = plain.n;
    let k = plain.covariance().to_vec();
    let variances: Vec<f64> = (0..n).map(|item| k[item * n + item]).collect();
    let mut largest = distance(belief.mean(), &plain.mean).max(distance(belief.variances(), &variances));
    let mut column = vec![0.0; n];
    let covariances = belief.covariances().unwrap();
    for item in 0..n {
        belief.column(ItemId::new(item), &mut column).unwrap();
        largest = largest.max(distance(&column, &k[item * n..(item + 1) * n]));
        let others = [(item * 7 + 3) % n, item, (item * 5 + 1) % n].map(|other| other as u32);
        let mut entries = [0.0; 3];
        covariances.entries(item, &others, &mut entries).unwrap();
        // They have the bits of the column.
        assert_eq!(entries.map(f64::to_bits), others.map(|other| column[other as usize].to_bits()));
    }
    let some: Vec<ItemId> = (0..n).step_by(3).map(ItemId::new).collect();
    let among = belief.covariance(&some).unwrap();
    for (i, one) in some.iter().enumerate() {
        for (j, other) in some.iter().enumerate() {
            largest = largest.max((among[(i, j)] - k[one.index() * n + other.index()]).abs());
        }
    }
    // A sum of 2,000 numbers.
    let evidence = (belief.log_evidence() - plain.log_evidence).abs() / (1.0 + plain.log_evidence.abs());
    largest.max(evidence)
}

/// What answers took bounds every covariance from below, but for rounding.
fn is_above_its_bound(belief: &Incremental, plain: &mut Plain) {
    let covariances = belief.covariances().unwrap();
    let taken = |item: usize| (covariances.prior_variances()[item] - belief.variances()[item]).max(0.0);
    let (n, floor) = (plain.n, covariances.floor());
    let k = plain.covariance();
    for i in 0..n {
        for j in 0..i {
            let least =
                (floor - (taken(i) * taken(j)).sqrt()).max(-(belief.variances()[i] * belief.variances()[j]).sqrt());
            assert!(k[i * n + j] >= least - 1e-10, "{i} {j}: {} {least}", k[i * n + j]);
        }
    }
}

/// 2,000 answers about the first `about` items.
fn learn(kernel: Arc<dyn Kernel>, about: usize, seed: u64) -> f64 {
    let model = AnswerModel::default();
    let mut stream = Seed(seed).stream(5);
    let utilities: Vec<f64> = (0..about).map(|_| normal(&mut stream)).collect();
    let mut plain = Plain::new(kernel.as_ref(), model.lambda());
    let (mut lazy, mut dense) = (Incremental::lazy(kernel.clone()).unwrap(), Incremental::dense(kernel).unwrap());
    let mut largest = 0.0_f64;
    for step in 1..=2000 {
        let i = stream.random_range(0..about);
        let j = (i + stream.random_range(1..about)) % about;
        let first = utilities[i] - utilities[j] + model.lambda() * normal(&mut stream) > 0.0;
        let (winner, loser) = if first { (i, j) } else { (j, i) };
        plain.observe(winner, loser);
        let observation = model.preferred(ItemId::new(winner), ItemId::new(loser));
        lazy.observe(&observation).unwrap();
        dense.observe(&observation).unwrap();
        if [1, 15, 16, 17, 64, 130, 700, 2000].contains(&step) {
            let (one, other) = (compare(&lazy, &mut plain), compare(&dense, &mut plain));
            assert!(one < 1e-9 && other < 1e-9, "after {step} answers: lazy {one:e}, dense {other:e}");
            is_above_its_bound(&lazy, &mut plain);
            is_above_its_bound(&dense, &mut plain);
            largest = largest.max(one).max(other);
        }
    }
    largest
}

/// Ten items are answered about again and again: their terms are compacted dozens of times.
#[test]
fn few_items_answered_again_and_again() {
    for (name, kernel) in problems(240) {
        println!("{name}, 10 items: {:.1e}", learn(kernel, 10, 1));
    }
}

/// A third of the items: compacted now and then, and never dense.
#[test]
fn a_third_of_the_items() {
    for (name, kernel) in problems(240) {
        println!("{name}, 80 items: {:.1e}", learn(kernel, 80, 2));
    }
}

/// All items: all covariances are formed in the end.
#[test]
fn all_items() {
    for (name, kernel) in problems(150) {
        println!("{name}, all items: {:.1e}", learn(kernel, 150, 3));
    }
}

fn problems(n: usize) -> [(&'static str, Arc<dyn Kernel>); 4] {
    [
        ("attributes", random(n, 4, 1)),
        ("near twins", near_twins(n, 2)),
        ("links", linked(n, 2 * n, 3)),
        ("links and a linear part", linked_without_floor(n, n, 4)),
    ]
}

/// What an item was told about by itself comes through the same.
#[test]
fn single_items_in_both_forms() {
    let model = AnswerModel::default();
    for kernel in [random(120, 3, 5), linked(120, 200, 6)] {
        let (mut lazy, mut dense) = (Incremental::lazy(kernel.clone()).unwrap(), Incremental::dense(kernel).unwrap());
        let mut stream = Seed(9).stream(0);
        for _ in 0..300 {
            let item = ItemId::new(stream.random_range(0..20));
            let observation = if stream.random_bool(0.5) { model.good(item) } else { model.bad(item) };
            lazy.observe(&observation).unwrap();
            dense.observe(&observation).unwrap();
        }
        assert!(distance(lazy.mean(), dense.mean()) < 1e-9);
        assert!(distance(lazy.variances(), dense.variances()) < 1e-9);
        assert!((lazy.log_evidence() - dense.log_evidence()).abs() < 1e-9 * dense.log_evidence().abs());
    }
}
