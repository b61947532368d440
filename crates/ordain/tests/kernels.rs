//! Laws that every kernel keeps, and each kernel against a dense or brute-force computation written here.
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

use ordain::data::{Attributes, Items, Link, Relation};
use ordain::kernel::{
    Causes, CommonCause, Diffusion, DirectedLaplacian, Form, Graph, Kernel, KernelSpec, Over, RegularizedLaplacian,
    RelationSpec, Rho, Role, Shape, VectorKernel, Vectors, WeightedSum, build, relation_vectors,
};
use ordain::numeric::{Matrix, SolveMethod};
use ordain::{Error, Result};
use proptest::prelude::*;

// ---- tools ----

/// Numbers in [0, 1), the same in every run (Steele, Lea, Flood 2014).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as f64 / 2.0_f64.powi(64)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() * bound as f64) as usize
    }
}

fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), b.columns(), |i, j| (0..a.columns()).map(|k| a[(i, k)] * b[(k, j)]).sum())
}

/// By Gauss and Jordan with row exchanges.
fn inverse(matrix: &Matrix) -> Matrix {
    let n = matrix.rows();
    let mut a = matrix.clone();
    let mut out = Matrix::identity(n);
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs())).unwrap();
        for column in 0..n {
            let (x, y) = (a[(k, column)], a[(pivot, column)]);
            (a[(k, column)], a[(pivot, column)]) = (y, x);
            let (x, y) = (out[(k, column)], out[(pivot, column)]);
            (out[(k, column)], out[(pivot, column)]) = (y, x);
        }
        let scale = 1.0 / a[(k, k)];
        for column in 0..n {
            a[(k, column)] *= scale;
            out[(k, column)] *= scale;
        }
        for row in (0..n).filter(|&row| row != k) {
            let factor = a[(row, k)];
            for column in 0..n {
                let (x, y) = (a[(k, column)], out[(k, column)]);
                a[(row, column)] -= factor * x;
                out[(row, column)] -= factor * y;
            }
        }
    }
    out
}

/// Taylor's series of the matrix halved until it is small, squared back.
fn exponential(matrix: &Matrix) -> Matrix {
    let n = matrix.rows();
    let largest = matrix.values().iter().fold(0.0_f64, |largest, value| largest.max(value.abs())) * n as f64;
    let halvings = largest.max(1.0).log2().ceil() as i32 + 2;
    let small = Matrix::from_fn(n, n, |i, j| matrix[(i, j)] / 2.0_f64.powi(halvings));
    let mut term = Matrix::identity(n);
    let mut out = Matrix::identity(n);
    for k in 1..25 {
        term = multiply(&term, &small);
        term.values_mut().iter_mut().for_each(|value| *value /= f64::from(k));
        out = Matrix::from_fn(n, n, |i, j| out[(i, j)] + term[(i, j)]);
    }
    for _ in 0..halvings {
        out = multiply(&out, &out);
    }
    out
}

/// By Jacobi's rotations; ascending.
fn eigenvalues(matrix: &Matrix) -> Vec<f64> {
    let n = matrix.rows();
    let mut a = matrix.clone();
    for _ in 0..100 {
        let mut off = 0.0_f64;
        for p in 0..n {
            for q in p + 1..n {
                off = off.max(a[(p, q)].abs());
                if a[(p, q)] == 0.0 {
                    continue;
                }
                let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
                let sign = if theta >= 0.0 { 1.0 } else { -1.0 };
                let t = sign / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[(k, p)], a[(k, q)]);
                    (a[(k, p)], a[(k, q)]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[(p, k)], a[(q, k)]);
                    (a[(p, k)], a[(q, k)]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
        if off < 1e-300 {
            break;
        }
    }
    let mut out = a.diagonal();
    out.sort_by(f64::total_cmp);
    out
}

fn largest(matrix: &Matrix) -> f64 {
    matrix.values().iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

#[track_caller]
fn assert_near(found: &Matrix, expected: &Matrix, tolerance: f64, what: &str) {
    assert_eq!((found.rows(), found.columns()), (expected.rows(), expected.columns()), "{what}");
    for i in 0..found.rows() {
        for j in 0..found.columns() {
            let (x, y) = (found[(i, j)], expected[(i, j)]);
            assert!((x - y).abs() <= tolerance, "{what} ({i}, {j}): found {x}, expected {y}");
        }
    }
}

fn column_of(kernel: &dyn Kernel, item: usize) -> Vec<f64> {
    let mut out = vec![f64::NAN; kernel.len()];
    kernel.column(item, &mut out).unwrap();
    out
}

// ---- graphs ----

fn link(source: usize, target: usize, weight: f64) -> Link {
    Link { source: source as u32, target: target as u32, weight }
}

fn links(pairs: &[(usize, usize)]) -> Vec<Link> {
    pairs.iter().map(|&(source, target)| link(source, target, 1.0)).collect()
}

fn random_links(n: usize, count: usize, seed: u64) -> Vec<Link> {
    let mut numbers = Numbers(seed);
    (0..count).map(|_| link(numbers.below(n), numbers.below(n), 0.1 + 2.0 * numbers.next())).collect()
}

/// Graphs that go to extremes.
fn relations() -> Vec<(&'static str, Relation)> {
    let complete: Vec<_> = (0..6).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    let star: Vec<_> = (1..8).map(|i| (0, i)).collect();
    let path: Vec<_> = (1..7).map(|i| (i - 1, i)).collect();
    let cycle: Vec<_> = (0..7).map(|i| (i, (i + 1) % 7)).collect();
    let relation = |n: usize, links: Vec<Link>| Relation::new(n, links).unwrap();
    vec![
        ("no links", relation(5, vec![])),
        ("complete", relation(6, links(&complete))),
        ("star", relation(8, links(&star))),
        ("path", relation(7, links(&path))),
        ("cycle", relation(7, links(&cycle))),
        ("disconnected", relation(8, links(&[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6), (6, 3)]))),
        ("self-links", relation(4, links(&[(0, 0), (1, 1), (1, 2), (3, 3), (3, 3)]))),
        ("duplicates", relation(4, links(&[(0, 1), (0, 1), (1, 0), (2, 3), (3, 2)]))),
        ("weight 0", relation(3, vec![link(0, 1, 0.0), link(1, 2, 0.5)])),
        ("one item", relation(1, links(&[(0, 0)]))),
        ("no items", relation(0, vec![])),
        ("random", relation(13, random_links(13, 22, 7))),
        ("dense random", relation(11, random_links(11, 60, 8))),
    ]
}

/// Attributes with identical items 0 and 1, and a zero vector at item 2.
fn items(n: usize) -> Items {
    let mut numbers = Numbers(5 + n as u64);
    let mut values: Vec<f64> = (0..n * 5).map(|_| 2.0 * numbers.next() - 1.0).collect();
    if n > 2 {
        values.copy_within(0..5, 5);
        values[10..15].fill(0.0);
    }
    let names = (0..5).map(|k| format!("x{k}")).collect();
    let ids: Vec<String> = (0..n).map(|i| format!("item {i}")).collect();
    Items::new(ids, None, Attributes::new(names, n, values).unwrap()).unwrap()
}

fn vector_shapes() -> Vec<Shape> {
    let each = Rho::Each(vec![0.5, 1.0, 0.3, 2.0, 0.1]);
    let attributes = [
        Form::SquaredExponential { kappa: 1.3, rho: Rho::Shared(0.7) },
        Form::SquaredExponential { kappa: 0.7, rho: each.clone() },
        Form::Matern32 { kappa: 1.1, rho: Rho::Shared(0.9) },
        Form::Matern32 { kappa: 1.1, rho: each.clone() },
        Form::Matern52 { kappa: 0.8, rho: Rho::Shared(1.4) },
        Form::Matern52 { kappa: 0.8, rho: each },
        Form::Linear { kappa: 0.6 },
        Form::Polynomial { kappa: 0.6, offset: 0.5, degree: 3 },
        Form::Polynomial { kappa: 0.6, offset: 0.0, degree: 2 },
        Form::Cosine { kappa: 1.2 },
    ];
    let relation = [
        Form::SquaredExponential { kappa: 1.3, rho: Rho::Shared(0.7) },
        Form::Matern32 { kappa: 1.1, rho: Rho::Shared(0.9) },
        Form::Matern52 { kappa: 0.8, rho: Rho::Shared(1.4) },
        Form::Linear { kappa: 0.6 },
        Form::Polynomial { kappa: 0.6, offset: 0.5, degree: 2 },
        Form::Cosine { kappa: 1.2 },
    ];
    let mut out: Vec<Shape> =
        attributes.into_iter().map(|form| Shape::Vector { form, over: Over::Attributes }).collect();
    for role in [Role::Undirected, Role::Linking, Role::Linked] {
        let over = Over::Relation(RelationSpec { relation: 0, role });
        out.extend(relation.iter().map(|form| Shape::Vector { form: form.clone(), over }));
    }
    out
}

fn graph_shapes() -> Vec<Shape> {
    let mut out = vec![
        Shape::Independent,
        Shape::DirectedLaplacian { relation: 0, beta: 1.0, iota: 1.0 },
        Shape::DirectedLaplacian { relation: 0, beta: 0.5, iota: 3.0 },
    ];
    for role in [Role::Undirected, Role::Linking, Role::Linked, Role::Bipartite] {
        let relation = RelationSpec { relation: 0, role };
        out.extend([
            Shape::RegularizedLaplacian { relation, beta: 1.0, iota: 1.0 },
            Shape::RegularizedLaplacian { relation, beta: 0.4, iota: 2.5 },
            Shape::CommonCause { relation, causes: Causes::Cliques },
            Shape::CommonCause { relation, causes: Causes::Edges },
            Shape::Diffusion { relation, beta: 0.3 },
            Shape::Diffusion { relation, beta: 4.0 },
        ]);
    }
    out
}

fn shapes() -> Vec<Shape> {
    let mut out = vector_shapes();
    out.extend(graph_shapes());
    out
}

fn kernel_of(shape: &Shape, relation: &Relation) -> WeightedSum {
    let spec = KernelSpec { weight: 0.9, shape: shape.clone() };
    build(&[spec], &items(relation.items()), std::slice::from_ref(relation)).unwrap()
}

/// Some of everything.
fn sum_of_all(relation: &Relation) -> WeightedSum {
    let specs: Vec<KernelSpec> = shapes()
        .into_iter()
        .enumerate()
        .map(|(number, shape)| KernelSpec { weight: 0.5 + 0.1 * number as f64, shape })
        .collect();
    build(&specs, &items(relation.items()), std::slice::from_ref(relation)).unwrap()
}

// ---- laws ----

#[test]
fn columns_diagonal_and_matrix_agree_and_are_symmetric() {
    for (name, relation) in relations() {
        let everything = sum_of_all(&relation);
        let kernels = shapes().into_iter().map(|shape| (format!("{name}, {shape:?}"), kernel_of(&shape, &relation)));
        for (what, kernel) in kernels.chain([(format!("{name}, all"), everything)]) {
            let n = relation.items();
            assert_eq!(kernel.len(), n);
            let matrix = kernel.matrix().unwrap();
            // Rounding of the solves, relative to the largest value.
            let tolerance = 1e-12 * largest(&matrix).max(1e-300);
            let columns: Vec<Vec<f64>> = (0..n).map(|item| column_of(&kernel, item)).collect();
            assert_near(&Matrix::from_fn(n, n, |i, j| columns[j][i]), &matrix, tolerance, &what);
            assert_near(&Matrix::from_fn(n, n, |i, j| matrix[(j, i)]), &matrix, tolerance, &what);
            let mut diagonal = vec![f64::NAN; n];
            kernel.diagonal(&mut diagonal).unwrap();
            for (i, value) in diagonal.iter().enumerate() {
                assert!((value - matrix[(i, i)]).abs() <= tolerance, "{what}: {value} {}", matrix[(i, i)]);
            }
        }
    }
}

#[test]
fn all_kernels_are_positive_semidefinite() {
    for (name, relation) in relations() {
        for shape in shapes() {
            let values = eigenvalues(&kernel_of(&shape, &relation).matrix().unwrap());
            if let (Some(first), Some(last)) = (values.first(), values.last()) {
                assert!(*first >= -1e-10 * last && *last >= 0.0, "{name}, {shape:?}: {values:?}");
            }
        }
        let values = eigenvalues(&sum_of_all(&relation).matrix().unwrap());
        assert!(values.is_empty() || values[0] >= -1e-10 * values[values.len() - 1], "{name}");
    }
}

/// Central differences with a step of 6e-6 of the value, the cube root of an ulp: truncation and rounding are then
/// both some 1e-10 of the values, as the parameters are of the order of 1.
#[track_caller]
fn check_derivatives(kernel: &mut WeightedSum, what: &str) {
    let n = kernel.len();
    let values: Vec<f64> = kernel.parameters().into_iter().map(|parameter| parameter.value).collect();
    let scale = largest(&kernel.matrix().unwrap());
    for (number, parameter) in kernel.parameters().into_iter().enumerate() {
        let step = 6e-6 * parameter.value;
        let mut moved = values.clone();
        moved[number] = parameter.value + step;
        let up = moved[number];
        kernel.set_parameters(&moved).unwrap();
        let above = kernel.matrix().unwrap();
        moved[number] = parameter.value - step;
        kernel.set_parameters(&moved).unwrap();
        let width = up - moved[number];
        let below = kernel.matrix().unwrap();
        kernel.set_parameters(&values).unwrap();
        let expected = Matrix::from_fn(n, n, |i, j| (above[(i, j)] - below[(i, j)]) / width);
        let found = kernel.derivative_matrix(number).unwrap();
        let tolerance = 1e-6 * largest(&expected) + 1e-9 * scale;
        assert_near(&found, &expected, tolerance, &format!("{what}: {}", parameter.name));
        let mut column = vec![f64::NAN; n];
        for item in 0..n {
            kernel.derivative_column(number, item, &mut column).unwrap();
            for (row, value) in column.iter().enumerate() {
                assert!((value - found[(row, item)]).abs() <= 1e-12 * (largest(&found) + 1e-300), "{what}");
            }
        }
    }
    assert!(kernel.derivative_matrix(values.len()).is_err() || n == 0);
}

#[test]
fn derivatives_are_those_of_the_values() {
    for (name, relation) in relations() {
        for shape in shapes() {
            check_derivatives(&mut kernel_of(&shape, &relation), &format!("{name}, {shape:?}"));
        }
    }
    let (name, relation) = relations().pop().unwrap();
    check_derivatives(&mut sum_of_all(&relation), name);
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let relation = Relation::new(150, random_links(150, 500, 3)).unwrap();
    let compute = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let kernel = sum_of_all(&relation);
            let mut diagonal = vec![0.0; 150];
            kernel.diagonal(&mut diagonal).unwrap();
            (kernel.matrix().unwrap(), diagonal, column_of(&kernel, 17))
        })
    };
    let one = compute(1);
    assert!(one == compute(2) && one == compute(3));
}

/// The links with every item renamed.
fn renamed(relation: &Relation, name: &[usize]) -> Relation {
    let rename = |link: &Link| Link {
        source: name[link.source as usize] as u32,
        target: name[link.target as usize] as u32,
        weight: link.weight,
    };
    Relation::new(relation.items(), relation.links().iter().map(rename).collect()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn renaming_items_renames_the_matrix(
        (n, ends, name) in (1_usize..9).prop_flat_map(|n| {
            let ends = proptest::collection::vec((0..n, 0..n, 0.0..3.0_f64), 0..20);
            (Just(n), ends, Just((0..n).collect::<Vec<_>>()).prop_shuffle())
        }),
    ) {
        let relation = Relation::new(n, ends.iter().map(|&(i, j, weight)| link(i, j, weight)).collect()).unwrap();
        let other_relation = renamed(&relation, &name);
        let first = items(n);
        let mut rows = vec![Vec::new(); n];
        for (item, row) in first.iter().zip(0..) {
            rows[name[row]] = first.attributes().row(item.index()).to_vec();
        }
        let attributes = Attributes::new(first.attributes().names().to_vec(), n, rows.concat()).unwrap();
        let second = items(n).with_attributes(attributes).unwrap();
        for shape in shapes() {
            // A triangulation breaks ties by the order of the items.
            if matches!(shape, Shape::CommonCause { causes: Causes::Cliques, .. }) {
                continue;
            }
            let specs = [KernelSpec { weight: 1.0, shape }];
            let before = build(&specs, &first, std::slice::from_ref(&relation)).unwrap().matrix().unwrap();
            let after = build(&specs, &second, std::slice::from_ref(&other_relation)).unwrap().matrix().unwrap();
            let expected = Matrix::from_fn(n, n, |i, j| after[(name[i], name[j])]);
            // Sums in another order, and solves of condition up to 100.
            assert_near(&before, &expected, 1e-11 * largest(&expected).max(1e-300), &format!("{specs:?}"));
        }
    }

    #[test]
    fn cliques_of_chordal_graphs(
        parents in (1_usize..11).prop_flat_map(|n| {
            let one = |item: usize| (0..item.max(1), any::<bool>(), any::<bool>(), Just(item));
            let all: Vec<_> = (0..n).map(one).collect();
            (all, Just((0..n).collect::<Vec<_>>()).prop_shuffle())
        }),
    ) {
        // Each item links to a parent and perhaps to the parent's parent: chordal.
        let (parents, name) = parents;
        let n = parents.len();
        let mut pairs = Vec::new();
        let mut parent_of = vec![None; n];
        for &(parent, attached, grandparent, item) in &parents {
            if item == 0 || !attached {
                continue;
            }
            parent_of[item] = Some(parent);
            pairs.push((name[item], name[parent]));
            if let (true, Some(above)) = (grandparent, parent_of[parent]) {
                pairs.push((name[item], name[above]));
            }
        }
        let relation = Relation::new(n, links(&pairs)).unwrap();
        let graph = Graph::new(n, &relation, Role::Undirected).unwrap();
        let found = CommonCause::new(&graph, Causes::Cliques).unwrap().matrix().unwrap();
        assert_near(&found, &common_causes(n, &brute_force_cliques(&graph)), 1e-15, "cliques");
    }
}

// ---- vectors ----

fn example_vectors() -> (Vec<[f64; 5]>, Vectors) {
    let items = items(9);
    let rows = (0..9).map(|item| items.attributes().row(item).try_into().unwrap()).collect();
    (rows, Vectors::from_attributes(items.attributes()).unwrap())
}

#[test]
fn vector_kernels_against_their_formulas() {
    let (rows, vectors) = example_vectors();
    let rho = [0.5, 1.0, 0.3, 2.0, 0.1];
    let each = || Rho::Each(rho.to_vec());
    let distance = |x: &[f64; 5], y: &[f64; 5]| (0..5).map(|d| (rho[d] * (x[d] - y[d])).powi(2)).sum::<f64>().sqrt();
    let product = |x: &[f64; 5], y: &[f64; 5]| (0..5).map(|d| x[d] * y[d]).sum::<f64>();
    let length = |x: &[f64; 5]| product(x, x).sqrt();
    type Formula<'a> = Box<dyn Fn(&[f64; 5], &[f64; 5]) -> f64 + 'a>;
    let cases: Vec<(Form, Formula)> = vec![
        (
            Form::SquaredExponential { kappa: 1.5, rho: each() },
            Box::new(|x, y| 2.25 * (-0.5 * distance(x, y).powi(2)).exp()),
        ),
        (
            Form::Matern32 { kappa: 1.5, rho: each() },
            Box::new(|x, y| {
                let r = 3.0_f64.sqrt() * distance(x, y);
                2.25 * (1.0 + r) * (-r).exp()
            }),
        ),
        (
            Form::Matern52 { kappa: 1.5, rho: each() },
            Box::new(|x, y| {
                let r = 5.0_f64.sqrt() * distance(x, y);
                2.25 * (1.0 + r + r * r / 3.0) * (-r).exp()
            }),
        ),
        (Form::Linear { kappa: 1.5 }, Box::new(|x, y| 2.25 * product(x, y))),
        (
            Form::Polynomial { kappa: 1.5, offset: 0.3, degree: 4 },
            Box::new(|x, y| 2.25 * (product(x, y) + 0.3).powi(4)),
        ),
        (
            Form::Cosine { kappa: 1.5 },
            Box::new(|x, y| match length(x) * length(y) {
                0.0 if std::ptr::eq(x, y) => 2.25,
                0.0 => 0.0,
                lengths => 2.25 * product(x, y) / lengths,
            }),
        ),
    ];
    for (form, formula) in cases {
        let kernel = VectorKernel::new(vectors.clone(), form.clone()).unwrap();
        let expected = Matrix::from_fn(9, 9, |i, j| formula(&rows[i], &rows[j]));
        assert_near(&kernel.matrix().unwrap(), &expected, 1e-14 * largest(&expected), &format!("{form:?}"));
    }
}

#[test]
fn identical_vectors_are_exactly_alike_and_near_ones_nearly() {
    let (_, vectors) = example_vectors();
    let relation = Relation::new(4, vec![link(0, 2, 0.1), link(1, 2, 0.1), link(0, 3, 0.7), link(1, 3, 0.7)]).unwrap();
    let sparse = Vectors::from_rows(relation_vectors(4, &relation, Role::Linking).unwrap());
    for vectors in [vectors, sparse] {
        for form in [
            Form::SquaredExponential { kappa: 0.3, rho: Rho::Shared(1e3) },
            Form::Matern32 { kappa: 0.3, rho: Rho::Shared(1e3) },
            Form::Matern52 { kappa: 0.3, rho: Rho::Shared(1e3) },
            Form::Cosine { kappa: 0.3 },
        ] {
            let kernel = VectorKernel::new(vectors.clone(), form.clone()).unwrap();
            let column = column_of(&kernel, 0);
            assert_eq!((column[0], column[1]), (0.3 * 0.3, 0.3 * 0.3), "{form:?}");
        }
    }
    // A difference of 1e-9 beside 1e8 is lost in |x|² + |y|² - 2 x·y, but not in (x - y)².
    let names = vec!["x".to_string(), "y".to_string()];
    let attributes = Attributes::new(names, 2, vec![1e8, 0.0, 1e8, 1e-9]).unwrap();
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(1e9) };
    let kernel = VectorKernel::new(Vectors::from_attributes(&attributes).unwrap(), form).unwrap();
    assert!((column_of(&kernel, 0)[1] - (-0.5_f64).exp()).abs() < 1e-14);
}

#[test]
fn far_apart_is_not_nan() {
    let attributes = Attributes::new(vec!["x".into()], 3, vec![-1e308, 0.0, 1e308]).unwrap();
    let vectors = Vectors::from_attributes(&attributes).unwrap();
    for rho in [Rho::Shared(2.0), Rho::Each(vec![2.0])] {
        for form in [
            Form::SquaredExponential { kappa: 1.0, rho: rho.clone() },
            Form::Matern32 { kappa: 1.0, rho: rho.clone() },
            Form::Matern52 { kappa: 1.0, rho: rho.clone() },
        ] {
            let kernel = VectorKernel::new(vectors.clone(), form).unwrap();
            assert_eq!(kernel.matrix().unwrap(), Matrix::identity(3));
            assert_eq!(kernel.derivative_matrix(1).unwrap(), Matrix::zeros(3, 3));
        }
    }
    assert!(VectorKernel::new(vectors.clone(), Form::Linear { kappa: 1.0 }).is_err());
    let cosine = VectorKernel::new(vectors, Form::Cosine { kappa: 1.0 }).unwrap();
    assert_eq!(column_of(&cosine, 0), [1.0, 0.0, -1.0]);
}

#[test]
fn a_relation_as_a_vector() {
    let relation = Relation::bipartite(3, 2, vec![link(0, 0, 2.0), link(1, 0, 3.0), link(1, 1, 1.0), link(2, 1, 0.5)]);
    let rows = relation_vectors(3, &relation.unwrap(), Role::Bipartite).unwrap();
    let linear = VectorKernel::new(Vectors::from_rows(rows.clone()), Form::Linear { kappa: 1.0 }).unwrap();
    let expected = [[4.0, 6.0, 0.0], [6.0, 10.0, 0.5], [0.0, 0.5, 0.25]];
    assert_near(&linear.matrix().unwrap(), &Matrix::from_fn(3, 3, |i, j| expected[i][j]), 0.0, "linear");
    let each = Form::Matern32 { kappa: 1.0, rho: Rho::Each(vec![1.0, 1.0]) };
    assert!(matches!(VectorKernel::new(Vectors::from_rows(rows), each), Err(Error::Data { .. })));
}

// ---- graphs ----

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
fn brute_force_cliques(graph: &Graph) -> Vec<u32> {
    let n = graph.len();
    let linked = |i: usize, j: usize| graph.weights().get(i, j) > 0.0;
    let members = |set: u32| (0..n).filter(move |&i| set >> i & 1 == 1);
    let is_clique = |set: u32| members(set).all(|i| members(set).all(|j| i == j || linked(i, j)));
    let cliques: Vec<u32> = (1..1_u32 << n).filter(|&set| is_clique(set)).collect();
    let maximal = |set: u32| !cliques.iter().any(|&other| other != set && other & set == set);
    cliques.iter().copied().filter(|&set| maximal(set)).collect()
}

/// The covariance of items that share causes, each cause a set of items.
fn common_causes(n: usize, causes: &[u32]) -> Matrix {
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

// ---- sums ----

#[test]
fn sums_add_their_parts() {
    let relation = Relation::new(13, random_links(13, 22, 7)).unwrap();
    let sum = sum_of_all(&relation);
    let mut expected = Matrix::zeros(13, 13);
    for (weight, part) in sum.parts() {
        let own = part.matrix().unwrap();
        expected.values_mut().iter_mut().zip(own.values()).for_each(|(out, own)| *out += weight * weight * own);
    }
    assert_near(&sum.matrix().unwrap(), &expected, 1e-13 * largest(&expected), "sum");
}

#[test]
fn sums_name_their_parameters() {
    let shape = |rho| Shape::Vector { form: Form::SquaredExponential { kappa: 1.0, rho }, over: Over::Attributes };
    let relation = Relation::new(3, links(&[(0, 1)])).unwrap();
    let laplacian = |iota| Shape::RegularizedLaplacian {
        relation: RelationSpec { relation: 0, role: Role::Undirected },
        beta: 1.0,
        iota,
    };
    let sum = |first: Shape, second: Shape, weight: f64| -> Result<WeightedSum> {
        let specs = [KernelSpec { weight: 1.0, shape: first }, KernelSpec { weight, shape: second }];
        build(&specs, &items(3), std::slice::from_ref(&relation))
    };
    let mut kernel = sum(shape(Rho::Shared(0.5)), laplacian(2.0), 3.0).unwrap();
    let names: Vec<String> = kernel.parameters().into_iter().map(|parameter| parameter.name).collect();
    let expected = ["[0].weight", "[0].kappa", "[0].rho", "[1].weight", "[1].beta", "[1].iota"];
    assert_eq!(names, expected.map(|name| format!("kernel{name}")));

    // A change that a later part refuses leaves everything as it was.
    let before = (kernel.parameters(), kernel.matrix().unwrap());
    let error = kernel.set_parameters(&[2.0, 2.0, 2.0, 2.0, 2.0, 1e200]).unwrap_err();
    assert!(matches!(&error, Error::Parameter { name, .. } if name == "kernel[1].iota"), "{error}");
    assert_eq!((kernel.parameters(), kernel.matrix().unwrap()), before);
    assert!(kernel.set_parameters(&[1.0; 5]).is_err());
    kernel.set_parameters(&[2.0; 6]).unwrap();
    assert!(kernel.parameters().iter().all(|parameter| parameter.value == 2.0));

    for (result, name) in [
        (sum(shape(Rho::Shared(0.0)), laplacian(1.0), 1.0), "kernel[0].rho"),
        (sum(shape(Rho::Each(vec![1.0, 1.0, f64::NAN, 1.0, 1.0])), laplacian(1.0), 1.0), "kernel[0].rho[2]"),
        (sum(shape(Rho::Shared(1.0)), laplacian(-1.0), 1.0), "kernel[1].iota"),
        (sum(shape(Rho::Shared(1.0)), laplacian(1.0), f64::INFINITY), "kernel[1].weight"),
        (sum(shape(Rho::Shared(1.0)), laplacian(1.0), 0.0), "kernel[1].weight"),
    ] {
        let error = result.unwrap_err();
        assert!(matches!(&error, Error::Parameter { name: found, .. } if found == name), "{error}");
    }
    assert!(matches!(sum(shape(Rho::Each(vec![1.0])), laplacian(1.0), 1.0), Err(Error::Data { .. })));
    assert!(matches!(build(&[], &items(3), &[]), Err(Error::Data { .. })));
    let missing = KernelSpec { weight: 1.0, shape: laplacian(1.0) };
    assert!(matches!(build(&[missing], &items(3), &[]), Err(Error::Data { .. })));
    let plain = Items::from_ids(["a", "b"]).unwrap();
    let specs = [KernelSpec { weight: 1.0, shape: shape(Rho::Shared(1.0)) }];
    assert!(matches!(build(&specs, &plain, &[]), Err(Error::Data { .. })));
}
