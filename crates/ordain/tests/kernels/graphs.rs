//! Kernels over links against dense and brute-force computations.

use ordain::Error;
use ordain::data::Relation;
use ordain::kernel::{Causes, CommonCause, Diffusion, DirectedLaplacian, Graph, Kernel, RegularizedLaplacian, Role};
use ordain::numeric::{Matrix, SolveMethod};

use crate::tools::*;

#[test]
fn relations_become_graphs() {
    let relation =
        Relation::new(4, vec![link(0, 1, 1.0), link(1, 0, 2.0), link(0, 1, 0.5), link(2, 2, 9.0), link(2, 1, 3.0)]);
    let relation = relation.unwrap();
    let weights = |role| {
        let graph = Graph::new(4, &relation, role).unwrap();
        Matrix::from_fn(4, 4, |i, j| graph.weights().get(i, j))
    };
    let symmetric = |entries: &[(usize, usize, f64)]| {
        let mut out = Matrix::zeros(4, 4);
        for &(i, j, weight) in entries {
            out[(i, j)] = weight;
            out[(j, i)] = weight;
        }
        out
    };
    assert_near(&weights(Role::Undirected), &symmetric(&[(0, 1, 3.5), (1, 2, 3.0)]), 0.0, "undirected");
    // 0 and 2 link to 1, with 1.5 and 3.
    assert_near(&weights(Role::Linking), &symmetric(&[(0, 2, 4.5)]), 0.0, "linking");
    // 1 and 2 are linked from 2, with 3 and 9.
    assert_near(&weights(Role::Linked), &symmetric(&[(1, 2, 27.0)]), 0.0, "linked");
    assert_near(&weights(Role::Bipartite), &weights(Role::Linking), 0.0, "bipartite");
    assert_eq!(Graph::new(4, &relation, Role::Undirected).unwrap().links(), 2);
}

#[test]
fn relations_that_do_not_fit_are_refused() {
    let bipartite = Relation::bipartite(3, 5, vec![link(0, 4, 1.0)]).unwrap();
    for role in [Role::Undirected, Role::Linked] {
        assert!(matches!(Graph::new(3, &bipartite, role), Err(Error::Data { .. })));
    }
    assert!(Graph::new(3, &bipartite, Role::Linking).is_ok());
    assert!(Graph::new(4, &bipartite, Role::Bipartite).is_err());
    assert!(DirectedLaplacian::new(3, &bipartite, 1.0, 1.0).is_err());
    // A hub of 20 000 items would join 400 million pairs.
    let hub = Relation::bipartite(20_000, 1, (0..20_000).map(|i| link(i, 0, 1.0)).collect()).unwrap();
    let error = Graph::new(20_000, &hub, Role::Bipartite).unwrap_err();
    assert!(matches!(error, Error::TooLarge { size: 400_000_000, limit: 200_000_000, .. }), "{error}");
    let heavy = Relation::new(2, vec![link(0, 1, 1e308), link(0, 1, 1e308)]).unwrap();
    assert!(matches!(Graph::new(2, &heavy, Role::Undirected), Err(Error::Data { .. })));
    assert!(DirectedLaplacian::new(2, &heavy, 1.0, 1.0).is_err());
}

fn dense_laplacian(graph: &Graph) -> Matrix {
    let n = graph.len();
    let degrees: Vec<f64> = (0..n).map(|i| (0..n).map(|j| graph.weights().get(i, j)).sum()).collect();
    Matrix::from_fn(n, n, |i, j| if i == j { degrees[i] } else { -graph.weights().get(i, j) })
}

#[test]
fn regularized_laplacian_against_the_dense_inverse() {
    for (name, relation) in relations() {
        for role in [Role::Undirected, Role::Linking] {
            let graph = Graph::new(relation.items(), &relation, role).unwrap();
            for (beta, iota) in [(1.0, 1.0), (0.3, 10.0), (7.0, 0.2)] {
                let laplacian = dense_laplacian(&graph);
                let precision = Matrix::from_fn(graph.len(), graph.len(), |i, j| {
                    beta * (laplacian[(i, j)] + if i == j { 1.0 / (iota * iota) } else { 0.0 })
                });
                let expected = inverse(&precision);
                for method in [SolveMethod::Automatic, SolveMethod::Factor, SolveMethod::Iterate] {
                    let kernel = RegularizedLaplacian::with_method(graph.clone(), beta, iota, method).unwrap();
                    // The condition is at most some thousands.
                    let tolerance = 1e-11 * largest(&expected).max(1e-300);
                    assert_near(&kernel.matrix().unwrap(), &expected, tolerance, name);
                }
            }
        }
    }
}

#[test]
fn regularized_laplacian_by_both_methods_on_a_larger_graph() {
    let relation = Relation::new(600, random_links(600, 1500, 11)).unwrap();
    let graph = Graph::new(600, &relation, Role::Undirected).unwrap();
    let factor = RegularizedLaplacian::with_method(graph.clone(), 1.5, 3.0, SolveMethod::Factor).unwrap();
    let iterate = RegularizedLaplacian::with_method(graph.clone(), 1.5, 3.0, SolveMethod::Iterate).unwrap();
    assert!(factor.solver().fill().is_some() && iterate.solver().fill().is_none());
    assert!(RegularizedLaplacian::new(graph, 1.5, 3.0).unwrap().solver().fill().is_some());
    let matrix = factor.matrix().unwrap();
    let tolerance = 1e-12 * largest(&matrix);
    assert_near(&iterate.matrix().unwrap(), &matrix, tolerance, "matrix");
    for kernel in [&factor, &iterate] {
        let mut diagonal = vec![0.0; 600];
        kernel.diagonal(&mut diagonal).unwrap();
        for (i, value) in diagonal.iter().enumerate() {
            assert!((value - matrix[(i, i)]).abs() <= tolerance);
        }
    }
}

/// AXPGP section 2.4: papers a to f, links a-b and d-e. For a linked pair `Δ + I` is [[2, -1], [-1, 2]].
#[test]
fn six_papers() {
    let relation = Relation::new(6, links(&[(0, 1), (3, 4)])).unwrap();
    let graph = Graph::new(6, &relation, Role::Undirected).unwrap();
    let kernel = RegularizedLaplacian::new(graph, 1.0, 1.0).unwrap();
    let mut expected = Matrix::identity(6);
    for (i, j) in [(0, 1), (3, 4)] {
        expected[(i, i)] = 2.0 / 3.0;
        expected[(j, j)] = 2.0 / 3.0;
        expected[(i, j)] = 1.0 / 3.0;
        expected[(j, i)] = 1.0 / 3.0;
    }
    assert_near(&kernel.matrix().unwrap(), &expected, 1e-15, "six papers");
}

#[test]
fn an_iota_that_is_lost_beside_the_degrees_is_refused() {
    let graph = Graph::new(2, &Relation::new(2, links(&[(0, 1)])).unwrap(), Role::Undirected).unwrap();
    assert!(RegularizedLaplacian::new(graph.clone(), 1.0, 1e6).is_ok());
    for iota in [1e8, 1e200, 1e-200] {
        let error = RegularizedLaplacian::new(graph.clone(), 1.0, iota).unwrap_err();
        assert!(matches!(error, Error::Parameter { ref name, .. } if name == "iota"), "{error}");
    }
}

#[test]
fn diffusion_against_the_dense_exponential() {
    for (name, relation) in relations() {
        let graph = Graph::new(relation.items(), &relation, Role::Undirected).unwrap();
        let laplacian = dense_laplacian(&graph);
        for beta in [1e-6, 0.1, 1.0, 5.0, 40.0] {
            let kernel = Diffusion::new(&graph, beta).unwrap();
            let n = graph.len();
            let expected = exponential(&Matrix::from_fn(n, n, |i, j| -beta * laplacian[(i, j)]));
            // Squaring in `exponential` loses a few digits; the kernel itself keeps 1e-13.
            assert_near(&kernel.matrix().unwrap(), &expected, 1e-12, &format!("{name} {beta}"));
        }
    }
}

#[test]
fn diffusion_preserves_what_is_there() {
    // Each column of exp(-beta Δ) sums to 1, and the entry of a linked pair is known: (1 ± exp(-2 beta)) / 2.
    let relation = Relation::new(40, random_links(40, 90, 4)).unwrap();
    let graph = Graph::new(40, &relation, Role::Undirected).unwrap();
    for beta in [0.01, 1.0, 100.0, 1e4] {
        let kernel = Diffusion::new(&graph, beta).unwrap();
        for item in 0..40 {
            let column = column_of(&kernel, item);
            let biggest = column.iter().copied().fold(0.0, f64::max);
            let total: f64 = column.iter().sum();
            assert!((total - 1.0).abs() <= 1e-13 * 40.0, "{beta}: {total}");
            assert!(column.iter().all(|&value| value >= -1e-13 * biggest), "{beta}");
        }
    }
    let pair = Graph::new(2, &Relation::new(2, links(&[(0, 1)])).unwrap(), Role::Undirected).unwrap();
    for beta in [0.001, 0.5, 3.0, 1e6] {
        let column = column_of(&Diffusion::new(&pair, beta).unwrap(), 0);
        let spread = (-2.0 * beta).exp();
        assert!((column[0] - (1.0 + spread) / 2.0).abs() <= 1e-13);
        assert!((column[1] - (1.0 - spread) / 2.0).abs() <= 1e-13);
    }
    assert!(matches!(Diffusion::new(&pair, 1e200), Err(Error::Parameter { .. })));
}

#[test]
fn directed_laplacian_against_the_definition() {
    for (name, relation) in relations() {
        let n = relation.items();
        let mut weights = Matrix::zeros(n, n);
        for link in relation.links() {
            weights[(link.source as usize, link.target as usize)] += link.weight;
        }
        let steps = Matrix::from_fn(n, n, |i, j| {
            let total: f64 = (0..n).map(|j| weights[(i, j)]).sum();
            let jump = 1.0 / n as f64;
            if total > 0.0 { 0.85 * weights[(i, j)] / total + 0.15 * jump } else { jump }
        });
        let (beta, iota) = (0.7, 2.0);
        let kernel = DirectedLaplacian::new(n, &relation, beta, iota).unwrap();
        let stationary = kernel.stationary();
        for j in 0..n {
            let after: f64 = (0..n).map(|i| stationary[i] * steps[(i, j)]).sum();
            assert!((after - stationary[j]).abs() <= 1e-14, "{name}");
        }
        assert!(n == 0 || (stationary.iter().sum::<f64>() - 1.0).abs() <= 1e-14);
        let part = |i: usize, j: usize| (stationary[i] / stationary[j]).sqrt() * steps[(i, j)];
        let identity = Matrix::identity(n);
        let laplacian = Matrix::from_fn(n, n, |i, j| identity[(i, j)] - 0.5 * (part(i, j) + part(j, i)));
        if n > 0 {
            let spectrum = eigenvalues(&laplacian);
            assert!(spectrum[0].abs() <= 1e-14 && spectrum[n - 1] <= 2.0 + 1e-14, "{name}: {spectrum:?}");
        }
        let precision = Matrix::from_fn(n, n, |i, j| beta * (laplacian[(i, j)] + identity[(i, j)] / (iota * iota)));
        let expected = inverse(&precision);
        assert_near(&kernel.matrix().unwrap(), &expected, 1e-11 * largest(&expected).max(1e-300), name);
    }
}

#[test]
fn direction_matters() {
    let forth = Relation::new(3, links(&[(0, 1), (0, 2)])).unwrap();
    let back = Relation::new(3, links(&[(1, 0), (2, 0)])).unwrap();
    let kernel = |relation| DirectedLaplacian::new(3, relation, 1.0, 1.0).unwrap().matrix().unwrap();
    assert!((kernel(&forth)[(1, 2)] - kernel(&back)[(1, 2)]).abs() > 1e-3);
}

/// All maximal cliques, by looking at every set of items.
pub fn brute_force_cliques(graph: &Graph) -> Vec<u32> {
    let n = graph.len();
    let linked = |i: usize, j: usize| graph.weights().get(i, j) > 0.0;
    let members = |set: u32| (0..n).filter(move |&i| set >> i & 1 == 1);
    let is_clique = |set: u32| members(set).all(|i| members(set).all(|j| i == j || linked(i, j)));
    let cliques: Vec<u32> = (1..1_u32 << n).filter(|&set| is_clique(set)).collect();
    let maximal = |set: u32| !cliques.iter().any(|&other| other != set && other & set == set);
    cliques.iter().copied().filter(|&set| maximal(set)).collect()
}

/// The covariance of items that share causes, each cause a set of items.
pub fn common_causes(n: usize, causes: &[u32]) -> Matrix {
    let shared = |i: usize, j: usize| causes.iter().filter(|&cause| cause >> i & 1 == 1 && cause >> j & 1 == 1).count();
    Matrix::from_fn(n, n, |i, j| shared(i, j) as f64 / ((shared(i, i) * shared(j, j)) as f64).sqrt())
}

#[test]
fn common_causes_by_edges_against_the_incidence() {
    for (name, relation) in relations() {
        let n = relation.items();
        let graph = Graph::new(n, &relation, Role::Undirected).unwrap();
        let mut causes: Vec<u32> = Vec::new();
        for i in 0..n {
            causes.extend((0..i).filter(|&j| graph.weights().get(i, j) > 0.0).map(|j| 1 << i | 1 << j));
            if graph.neighbours(i).0.is_empty() {
                causes.push(1 << i);
            }
        }
        let kernel = CommonCause::new(&graph, Causes::Edges).unwrap();
        assert_near(&kernel.matrix().unwrap(), &common_causes(n, &causes), 1e-15, name);
    }
}

#[test]
fn common_causes_by_cliques() {
    // These graphs are chordal, or have only one way to be made so up to what is checked.
    for (name, relation) in relations() {
        if ["cycle", "disconnected", "random", "dense random"].contains(&name) {
            continue;
        }
        let n = relation.items();
        let graph = Graph::new(n, &relation, Role::Undirected).unwrap();
        let kernel = CommonCause::new(&graph, Causes::Cliques).unwrap();
        let expected = common_causes(n, &brute_force_cliques(&graph));
        assert_near(&kernel.matrix().unwrap(), &expected, 1e-15, name);
    }
    // A square takes one chord: two triangles, which share the chord's ends.
    let square = Relation::new(5, links(&[(0, 1), (1, 2), (2, 3), (3, 0)])).unwrap();
    let graph = Graph::new(5, &square, Role::Undirected).unwrap();
    let found = CommonCause::new(&graph, Causes::Cliques).unwrap().matrix().unwrap();
    let with = |i: u32, j: u32| common_causes(5, &[0b1111 & !(1 << i), 0b1111 & !(1 << j), 0b10000]);
    let (first, second) = (with(0, 2), with(1, 3));
    let near = |expected: &Matrix| found.values().iter().zip(expected.values()).all(|(x, y)| (x - y).abs() < 1e-15);
    assert!(near(&first) || near(&second), "{found:?}");
}

#[test]
fn triangulation_keeps_every_link_in_a_clique() {
    for seed in 0..20 {
        let relation = Relation::new(30, random_links(30, 45, seed)).unwrap();
        let graph = Graph::new(30, &relation, Role::Undirected).unwrap();
        let kernel = CommonCause::new(&graph, Causes::Cliques).unwrap();
        for i in 0..30 {
            let column = column_of(&kernel, i);
            assert_eq!(column[i], 1.0);
            assert!(graph.neighbours(i).0.iter().all(|&j| column[j as usize] > 0.0));
        }
        assert!(eigenvalues(&kernel.matrix().unwrap())[0] >= -1e-12);
    }
}

#[test]
fn a_triangulation_that_explodes_is_refused() {
    // A random graph of mean degree 12: a core of thousands of items becomes one clique.
    let n = 30_000;
    let relation = Relation::new(n, random_links(n, 6 * n, 1)).unwrap();
    let graph = Graph::new(n, &relation, Role::Undirected).unwrap();
    let error = CommonCause::new(&graph, Causes::Cliques).unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    assert!(CommonCause::new(&graph, Causes::Edges).is_ok());
}
