//! Graph priors without a factor, against factors of the same graphs.

use ordain::data::{Link, Relation};
use ordain::kernel::{Graph, Kernel, RegularizedLaplacian, Role};
use ordain::numeric::{Matrix, SolveMethod, SparseCholesky, SparseOrdering, SparseSolver};

use crate::tools::*;

fn graph(n: usize, links: Vec<Link>) -> Graph {
    Graph::new(n, &Relation::new(n, links).unwrap(), Role::Undirected).unwrap()
}

/// Each node links to this many ends of earlier links.
fn power_law(n: usize, links_each: usize) -> Vec<Link> {
    let mut numbers = Numbers(3);
    let mut ends: Vec<usize> = vec![0];
    let mut out = Vec::new();
    for node in 1..n {
        for _ in 0..links_each {
            let target = ends[numbers.below(ends.len())];
            if target != node {
                out.push(link(node, target, 1.0));
                ends.extend([node, target]);
            }
        }
    }
    out
}

fn cliques(n: usize, size: usize) -> Vec<Link> {
    let pairs = |first: usize| (first..first + size).flat_map(move |i| (first..i).map(move |j| (i, j)));
    let pairs: Vec<(usize, usize)> = (0..n / size).flat_map(|clique| pairs(clique * size)).collect();
    links(&pairs)
}

fn path(n: usize) -> Vec<Link> {
    (1..n).map(|i| link(i - 1, i, 1.0)).collect()
}

fn star(n: usize) -> Vec<Link> {
    (1..n).map(|i| link(0, i, 1.0)).collect()
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Large enough for a second thread, with equal weights and with all different ones.
#[test]
fn columns_have_the_same_bits_alone_together_and_for_any_number_of_threads() {
    let weighted = graph(4000, random_links(4000, 16_000, 3));
    // The last hundred are components of their own, which are solved locally.
    let equal = graph(4100, power_law(4000, 5));
    for graph in [weighted, equal] {
        let n = graph.len();
        let kernel = RegularizedLaplacian::with_method(graph, 1.3, 2.0, SolveMethod::Iterate).unwrap();
        let items = [5, n - 1, 17, 18, 2000, n - 2, 0, 3999, 3998];
        let columns = |items: &[usize]| {
            let mut out = Matrix::zeros(n, items.len());
            kernel.columns(items, &mut out).unwrap();
            out
        };
        let together = in_pool(1, || columns(&items));
        assert_eq!(in_pool(3, || columns(&items)), together);
        for (place, &item) in items.iter().enumerate() {
            assert_eq!(column_of(&kernel, item), together.column(place));
        }
    }
}

/// The error of a solve in the norm of the matrix is below what was asked, the exact solution being that of a factor.
#[test]
fn the_bound_of_an_iterative_solve_holds() {
    let graphs = [
        ("power law", graph(2000, power_law(2000, 6))),
        ("random", graph(2000, random_links(2000, 5000, 1))),
        ("path", graph(2000, path(2000))),
        ("star", graph(2000, star(2000))),
    ];
    for (name, graph) in &graphs {
        for iota in [0.5, 3.0, 30.0] {
            let laplacian = graph.laplacian(1.0 / (iota * iota));
            let matrix = laplacian.to_matrix();
            let factor = SparseCholesky::new(&SparseOrdering::new(&matrix).unwrap(), &matrix).unwrap();
            let mut numbers = Numbers(9);
            let rhs: Vec<f64> = (0..2000).map(|_| numbers.next() - 0.5).collect();
            let mut exact = rhs.clone();
            factor.solve_in_place(&mut exact);
            let norm = |x: &[f64]| {
                let mut product = vec![0.0; x.len()];
                matrix.multiply(x, &mut product);
                x.iter().zip(&product).map(|(x, product)| x * product).sum::<f64>().sqrt()
            };
            for tolerance in [1e-2, 1e-5, 1e-8] {
                let mut found = rhs.clone();
                laplacian.solve_in_place(&mut found, tolerance).unwrap();
                let error: Vec<f64> = found.iter().zip(&exact).map(|(found, exact)| found - exact).collect();
                let relative = norm(&error) / norm(&exact);
                assert!(relative <= tolerance, "{name} {iota} {tolerance}: {relative}");
            }
        }
    }
}

/// No correlation is off by more than 1e-12, beside the rounding of the factor's own solution.
#[test]
fn columns_without_a_factor_agree_with_those_of_one() {
    let graphs = [
        ("power law", graph(3000, power_law(3000, 6))),
        ("cliques", graph(3000, cliques(3000, 60))),
        ("path", graph(3000, path(3000))),
        ("star", graph(3000, star(3000))),
        ("random", graph(3000, random_links(3000, 4000, 2))),
    ];
    for (name, graph) in graphs {
        for iota in [0.3, 1.0, 10.0] {
            let of = |method| RegularizedLaplacian::with_method(graph.clone(), 0.7, iota, method).unwrap();
            let (factor, iterate) = (of(SolveMethod::Factor), of(SolveMethod::Iterate));
            let variances = &factor.variances().unwrap().values;
            for item in [0, 1, 1500, 2999] {
                let pairs = column_of(&factor, item).into_iter().zip(column_of(&iterate, item));
                for (other, (exact, found)) in pairs.enumerate() {
                    let off = (exact - found).abs() / (variances[item] * variances[other]).sqrt();
                    // Rounding: ulps of the degrees beside 1 / iota², up to 3000 * 100 of them.
                    assert!(off <= 1e-12 + 1e-16 * 3000.0 * iota * iota, "{name} {iota} {item} {other}: {off}");
                }
            }
        }
    }
}

/// Above 4096 nodes variances are estimated. Errors in units of the stated ones must be those of a standard error from 32
/// probes: a mean square near 1 and few large ones. The nodes of a graph share the probes, so the mean square of
/// one graph varies more than that of independent errors would.
#[test]
fn estimated_variances_are_off_by_what_they_state() {
    let n = 4200;
    let graphs = [
        ("power law", graph(n, power_law(n, 5)), 0.02),
        ("cliques", graph(n, cliques(n, 80)), 0.01),
        // Long paths have long correlations, which random signs see badly; but such graphs have a factor.
        ("path", graph(n, path(n)), 1.0),
        ("star", graph(n, star(n)), 0.01),
        ("random", graph(n, random_links(n, 9000, 5)), 0.1),
    ];
    for (name, graph, most) in graphs {
        for iota in [0.7, 5.0] {
            let of = |method| RegularizedLaplacian::with_method(graph.clone(), 2.0, iota, method).unwrap();
            let (factor, iterate) = (of(SolveMethod::Factor), of(SolveMethod::Iterate));
            let (exact, found) = (factor.variances().unwrap(), iterate.variances().unwrap());
            assert!(exact.errors.iter().all(|&error| error == 0.0));
            let mut squares = 0.0;
            let (mut beyond, mut relative) = (0, 0.0);
            for ((exact, found), error) in exact.values.iter().zip(&found.values).zip(&found.errors) {
                // The solves of the probes are good to 1e-6 only.
                let off = ((found - exact).abs() - 1e-6 * exact).max(0.0);
                let score = if off > 0.0 { off / error } else { 0.0 };
                squares += score * score;
                beyond += usize::from(score > 4.0);
                relative += (off / exact).powi(2);
            }
            let (root, relative) = ((squares / n as f64).sqrt(), (relative / n as f64).sqrt());
            assert!(root <= 1.4 && beyond <= n / 100, "{name} {iota}: {root}, {beyond} beyond four");
            assert!(relative <= most, "{name} {iota}: {relative}");
        }
    }
}

#[test]
fn small_components_have_exact_variances() {
    // A large component, pairs, triangles and single nodes.
    let mut links = power_law(4500, 4);
    links.extend((0..50).flat_map(|pair| [link(4500 + 2 * pair, 4501 + 2 * pair, 0.5)]));
    links.extend((0..50).map(|k| 4600 + 3 * k).flat_map(|i| [link(i, i + 1, 2.0), link(i + 1, i + 2, 1.0)]));
    let graph = graph(4800, links);
    let of = |method| RegularizedLaplacian::with_method(graph.clone(), 1.0, 3.0, method).unwrap();
    let (factor, iterate) = (of(SolveMethod::Factor), of(SolveMethod::Iterate));
    let (exact, found) = (factor.variances().unwrap(), iterate.variances().unwrap());
    for node in 4500..4800 {
        assert_eq!(found.errors[node], 0.0);
        assert!((exact.values[node] - found.values[node]).abs() <= 1e-13 * exact.values[node]);
    }
    assert!(found.errors[..4500].iter().all(|&error| error > 0.0));
}

/// A crawl is local, so that its factor stays sparse however large it is; a random graph's does not.
#[test]
fn a_factor_is_found_where_there_is_one() {
    let automatic = |graph: &Graph| SparseSolver::new(graph.laplacian(1.0), SolveMethod::Automatic).unwrap();
    // Hubs of 300 pages each, which link to one another in a row.
    let n = 60_000;
    let sites = (0..n).map(|i| if i % 300 == 0 { (i, (i + 300) % n) } else { (i, i - i % 300) });
    let crawl = graph(n, links(&sites.collect::<Vec<_>>()));
    assert!(automatic(&crawl).fill().is_some_and(|fill| fill < 3 * n));
    let random = graph(n, random_links(n, 6 * n, 1));
    assert!(automatic(&random).fill().is_none());
}
