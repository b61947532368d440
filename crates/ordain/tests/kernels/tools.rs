//! Dense linear algebra by the textbook, graphs that go to extremes, and every kernel over them.

use ordain::data::{Attributes, Items, Link, Relation};
use ordain::kernel::{Causes, Form, Kernel, KernelSpec, Over, RelationSpec, Rho, Role, Shape, WeightedSum, build};
use ordain::numeric::Matrix;

/// Numbers in [0, 1), the same in every run (Steele, Lea, Flood 2014).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as f64 / 2.0_f64.powi(64)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() * bound as f64) as usize
    }
}

pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), b.columns(), |i, j| (0..a.columns()).map(|k| a[(i, k)] * b[(k, j)]).sum())
}

/// By Gauss and Jordan with row exchanges.
pub fn inverse(matrix: &Matrix) -> Matrix {
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
pub fn exponential(matrix: &Matrix) -> Matrix {
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
pub fn eigenvalues(matrix: &Matrix) -> Vec<f64> {
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

pub fn largest(matrix: &Matrix) -> f64 {
    matrix.values().iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

#[track_caller]
pub fn assert_near(found: &Matrix, expected: &Matrix, tolerance: f64, what: &str) {
    assert_eq!((found.rows(), found.columns()), (expected.rows(), expected.columns()), "{what}");
    for i in 0..found.rows() {
        for j in 0..found.columns() {
            let (x, y) = (found[(i, j)], expected[(i, j)]);
            assert!((x - y).abs() <= tolerance, "{what} ({i}, {j}): found {x}, expected {y}");
        }
    }
}

pub fn column_of(kernel: &dyn Kernel, item: usize) -> Vec<f64> {
    let mut out = vec![f64::NAN; kernel.len()];
    kernel.column(item, &mut out).unwrap();
    out
}

/// `∂K / ∂ parameter`.
pub fn derivative_of(kernel: &dyn Kernel, parameter: usize) -> Matrix {
    let n = kernel.len();
    let mut out = Matrix::zeros(n, n);
    for item in 0..n {
        kernel.derivative_column(parameter, item, out.column_mut(item)).unwrap();
    }
    out
}

pub fn link(source: usize, target: usize, weight: f64) -> Link {
    Link { source: source as u32, target: target as u32, weight }
}

pub fn links(pairs: &[(usize, usize)]) -> Vec<Link> {
    pairs.iter().map(|&(source, target)| link(source, target, 1.0)).collect()
}

pub fn random_links(n: usize, count: usize, seed: u64) -> Vec<Link> {
    let mut numbers = Numbers(seed);
    (0..count).map(|_| link(numbers.below(n), numbers.below(n), 0.1 + 2.0 * numbers.next())).collect()
}

/// Graphs that go to extremes.
pub fn relations() -> Vec<(&'static str, Relation)> {
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
pub fn items(n: usize) -> Items {
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

pub fn vector_shapes() -> Vec<Shape> {
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

pub fn graph_shapes() -> Vec<Shape> {
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

pub fn semi_supervised_shapes() -> Vec<Shape> {
    let each = Rho::Each(vec![0.5, 1.0, 0.3, 2.0, 0.1]);
    let forms = [
        (Form::SquaredExponential { kappa: 1.3, rho: Rho::Shared(0.7) }, 2, 1.0),
        (Form::Matern32 { kappa: 1.1, rho: each }, 3, 0.3),
        (Form::Linear { kappa: 0.6 }, 1, 2.0),
        (Form::Polynomial { kappa: 0.6, offset: 0.5, degree: 2 }, 100, 0.1),
    ];
    forms.into_iter().map(|(form, neighbours, strength)| Shape::SemiSupervised { form, neighbours, strength }).collect()
}

pub fn shapes() -> Vec<Shape> {
    let mut out = vector_shapes();
    out.extend(graph_shapes());
    out.extend(semi_supervised_shapes());
    out
}

pub fn kernel_of(shape: &Shape, relation: &Relation) -> WeightedSum {
    let spec = KernelSpec::new(0.9, shape.clone());
    build(&[spec], &items(relation.items()), std::slice::from_ref(relation)).unwrap()
}

/// Some of everything.
pub fn sum_of_all(relation: &Relation) -> WeightedSum {
    let specs: Vec<KernelSpec> = shapes()
        .into_iter()
        .enumerate()
        .map(|(number, shape)| KernelSpec::new(0.5 + 0.1 * number as f64, shape))
        .collect();
    build(&specs, &items(relation.items()), std::slice::from_ref(relation)).unwrap()
}
