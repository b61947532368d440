//! Graphs in which a few items have very many links.

use std::time::Instant;

use ordain::Error;
use ordain::data::Relation;
use ordain::kernel::{Diffusion, DirectedLaplacian, Graph, Kernel, Role};
use ordain::numeric::Matrix;

use crate::tools::*;

/// Item 0 in the middle, linked with all others.
fn star(n: usize) -> Vec<(usize, usize)> {
    (1..n).map(|leaf| (leaf, 0)).collect()
}

fn graph(n: usize, pairs: &[(usize, usize)]) -> Graph {
    Graph::new(n, &Relation::new(n, links(pairs)).unwrap(), Role::Undirected).unwrap()
}

/// The stationary distribution of a walk on a star solves two linear equations.
#[test]
fn directed_laplacian_of_stars() {
    for leaves in [2, 300, 1000, 10_000] {
        let (n, share) = (leaves + 1, leaves as f64 / (leaves + 1) as f64);
        let inward = Relation::new(n, links(&star(n))).unwrap();
        let outward = Relation::new(n, links(&star(n).iter().map(|&(a, b)| (b, a)).collect::<Vec<_>>())).unwrap();
        // With h for the middle: jumps come from it always and from leaves at times, so 1 - h = share (0.15 + 0.85 h).
        let inward_middle = (1.0 - 0.15 * share) / (1.0 + 0.85 * share);
        // Jumps come from leaves always and from the middle at times: h = (1 - 0.85 h) / n.
        let outward_middle = 1.0 / (n as f64 + 0.85);
        for (relation, middle) in [(inward, inward_middle), (outward, outward_middle)] {
            let kernel = DirectedLaplacian::new(n, &relation, 1.0, 1.0).unwrap();
            let found = kernel.stationary();
            // Sums of ten thousand terms.
            assert!((found[0] / middle - 1.0).abs() < 1e-11, "{leaves}: {} {middle}", found[0]);
            let leaf = (1.0 - middle) / leaves as f64;
            assert!(found[1..].iter().all(|value| (value / leaf - 1.0).abs() < 1e-11), "{leaves}");
            assert!(column_of(&kernel, 0).iter().all(|value| value.is_finite()));
        }
    }
}

/// A star's Laplacian has the eigenvalues 0, 1 and n, with known vectors.
#[test]
fn diffusion_on_stars() {
    for n in [3, 300, 1000, 200_000] {
        let kernel = Diffusion::new(&graph(n, &star(n)), 0.7).unwrap();
        let (all, slow, fast) = (1.0 / n as f64, (-0.7_f64).exp(), (-0.7 * n as f64).exp());
        let among = 1.0 / (n - 1) as f64;
        let [middle, spoke] = [all + fast * (1.0 - all), all * (1.0 - fast)];
        let [own, other] = [all + slow * (1.0 - among) + fast * all * among, all - slow * among + fast * all * among];
        // Products of the Laplacian round to 2e-16 of n.
        let near = 1e-13 + 1e-15 * n as f64 * all.max(1e-3);
        let [from_middle, from_leaf] = [0, n - 1].map(|item| column_of(&kernel, item));
        let is_near = |found: f64, expected: f64| assert!((found - expected).abs() <= near, "{n}: {found} {expected}");
        is_near(from_middle[0], middle);
        from_middle[1..].iter().for_each(|&found| is_near(found, spoke));
        is_near(from_leaf[0], spoke);
        from_leaf[1..n - 1].iter().for_each(|&found| is_near(found, other));
        is_near(from_leaf[n - 1], own);
        let mut variances = vec![0.0; n];
        kernel.diagonal(&mut variances).unwrap();
        is_near(variances[0], middle);
        variances[1..].iter().for_each(|&found| is_near(found, own));
    }
}

/// Stars with more links, against the dense exponential; nothing of their spectra is simple.
#[test]
fn diffusion_on_graphs_with_hubs() {
    let n = 120;
    let ring: Vec<_> = (1..n).map(|at| (at, at % (n - 1) + 1)).collect();
    let two: Vec<_> = (2..n).map(|leaf| (leaf, leaf % 2)).chain([(0, 1)]).collect();
    // A star whose leaves are joined to a long path: eigenvalues as near to 0 as they get beside a large one.
    let comet: Vec<_> = (1..n).map(|at| if at < 80 { (at, 0) } else { (at, at - 1) }).collect();
    for (name, pairs) in [
        ("wheel", [star(n), ring].concat()),
        ("two stars", two),
        ("comet", comet),
        ("star and pairs", [star(n), vec![(3, 4), (7, 20), (20, 21)]].concat()),
    ] {
        let graph = graph(n, &pairs);
        let degrees = graph.degrees();
        for beta in [3.0, 20.0, 400.0] {
            let kernel = Diffusion::new(&graph, beta).unwrap();
            let exponent =
                |i: usize, j: usize| beta * (graph.weights().get(i, j) - if i == j { degrees[i] } else { 0.0 });
            let expected = exponential(&Matrix::from_fn(n, n, exponent));
            // Squaring in `exponential` doubles its error fourteen times.
            let found = kernel.matrix().unwrap();
            assert_near(&found, &expected, 1e-10, &format!("{name} {beta}"));
            let mut variances = vec![0.0; n];
            kernel.diagonal(&mut variances).unwrap();
            let off = |(item, variance): (usize, &f64)| (variance - found[(item, item)]).abs();
            assert!(variances.iter().enumerate().map(off).fold(0.0, f64::max) < 1e-12, "{name} {beta}");
        }
    }
}

/// A wheel of 200,000 items has no two alike: its variances would take days, so they are refused at once.
#[test]
fn diffusion_that_would_take_days_is_refused() {
    let n = 200_000;
    let ring = (1..n).map(|at| (at, at % (n - 1) + 1));
    let kernel = Diffusion::new(&graph(n, &star(n).into_iter().chain(ring).collect::<Vec<_>>()), 1.0).unwrap();
    let started = Instant::now();
    let error = kernel.diagonal(&mut vec![0.0; n]).unwrap_err();
    assert!(matches!(&error, Error::Data { found, .. } if found.contains("operations")), "{error}");
    assert!(started.elapsed().as_secs() < 10);
}
