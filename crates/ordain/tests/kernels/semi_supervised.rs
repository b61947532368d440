//! Semi-supervised kernels and graphs of neighbours against definitions, written here without any of their shortcuts,
//! and the spiral of SSGP figure 1.

use std::sync::Arc;

use ordain::data::{Attributes, ItemId, Items, Newcomers, Relation};
use ordain::gp::{AnswerModel, Belief, EpParams};
use ordain::kernel::{
    Form, Graph, Kernel, KernelSpec, Over, Rho, Role, SemiSupervised, Shape, VectorKernel, Vectors, build,
    build_with_newcomers, neighbour_graph,
};
use ordain::numeric::Matrix;
use proptest::prelude::*;

use crate::tools::*;

fn attributes(dimensions: usize, values: Vec<f64>) -> Attributes {
    let names = (0..dimensions).map(|k| format!("x{k}")).collect();
    Attributes::new(names, values.len() / dimensions, values).unwrap()
}

fn items_with(attributes: Attributes) -> Items {
    Items::new((0..attributes.items()).map(|i| i.to_string()).collect(), None, attributes).unwrap()
}

/// Whether two items are linked: one is among the other's nearest, by sorting all distances.
fn links_by_sorting(attributes: &Attributes, neighbours: usize) -> Vec<(usize, usize)> {
    let n = attributes.items();
    let distance = |a: usize, b: usize| -> f64 {
        attributes.row(a).iter().zip(attributes.row(b)).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let nearest = |item: usize| {
        let mut others: Vec<usize> = (0..n).filter(|&other| other != item).collect();
        others.sort_by(|&a, &b| distance(item, a).total_cmp(&distance(item, b)).then(a.cmp(&b)));
        others.truncate(neighbours);
        others
    };
    let mut out: Vec<(usize, usize)> = (0..n)
        .flat_map(|item| nearest(item).into_iter().flat_map(move |other| [(item, other), (other, item)]))
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

fn links_of(graph: &Graph) -> Vec<(usize, usize)> {
    (0..graph.len())
        .flat_map(|item| graph.neighbours(item).0.iter().map(move |&other| (item, other as usize)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Also with many equal distances, identical items, and more neighbours than items.
    #[test]
    fn neighbours_are_the_nearest(
        n in 0_usize..150, dimensions in 1_usize..7, neighbours in 1_usize..12, coarse in any::<bool>(), seed in any::<u64>(),
    ) {
        let mut numbers = Numbers(seed);
        let mut value = || if coarse { (3.0 * numbers.next()).floor() } else { numbers.next() };
        let attributes = attributes(dimensions, (0..n * dimensions).map(|_| value()).collect());
        let graph = neighbour_graph(&attributes, neighbours).unwrap();
        prop_assert_eq!(graph.len(), n);
        prop_assert_eq!(links_of(&graph), links_by_sorting(&attributes, neighbours));
        prop_assert!((0..n).all(|item| graph.neighbours(item).1.iter().all(|&weight| weight == 1.0)));
    }
}

/// As many neighbours as items, and more: all are linked. One item and no items have no links.
#[test]
fn as_many_neighbours_as_items() {
    let mut numbers = Numbers(3);
    for n in [0_usize, 1, 2, 17, 40] {
        let points = attributes(2, (0..2 * n).map(|_| numbers.next()).collect());
        for neighbours in [n.max(1), n + 5, usize::MAX] {
            let graph = neighbour_graph(&points, neighbours).unwrap();
            assert_eq!(graph.links(), n * n.saturating_sub(1) / 2);
        }
    }
    let many = attributes(1, (0..20_000).map(f64::from).collect());
    let refused = neighbour_graph(&many, 20_000).unwrap_err();
    assert!(refused.to_string().contains("the graph of 19999 neighbours of 20000 items"), "{refused}");
}

/// Values whose squares overflow are far apart, and nothing else.
#[test]
fn far_apart() {
    let points = attributes(1, vec![-1e300, 0.0, 1.0, 1e300]);
    assert_eq!(links_of(&neighbour_graph(&points, 1).unwrap()), links_by_sorting(&points, 1));
}

/// `L`, by its definition.
fn laplacian(attributes: &Attributes, neighbours: usize) -> Matrix {
    let mut out = Matrix::zeros(attributes.items(), attributes.items());
    for (i, j) in links_by_sorting(attributes, neighbours) {
        out[(i, j)] -= 1.0;
        out[(i, i)] += 1.0;
    }
    out
}

fn scaled(matrix: &Matrix, factor: f64) -> Matrix {
    Matrix::from_fn(matrix.rows(), matrix.columns(), |i, j| factor * matrix[(i, j)])
}

fn plus(left: &Matrix, right: &Matrix) -> Matrix {
    Matrix::from_fn(left.rows(), left.columns(), |i, j| left[(i, j)] + right[(i, j)])
}

/// `Σ - Σ (I + s L Σ)⁻¹ s L Σ` for all items, where L is over the first: the paper's prior for unseen points.
fn by_definition(attribute_kernel: &Matrix, laplacian: &Matrix, strength: f64) -> Matrix {
    let n = attribute_kernel.rows();
    let inside = |i: usize, j: usize| i < laplacian.rows() && j < laplacian.rows();
    let links = Matrix::from_fn(n, n, |i, j| if inside(i, j) { strength * laplacian[(i, j)] } else { 0.0 });
    let identity = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    let pulled = multiply(&links, attribute_kernel);
    let middle = multiply(&inverse(&plus(&identity, &pulled)), &pulled);
    plus(attribute_kernel, &scaled(&multiply(attribute_kernel, &middle), -1.0))
}

/// Every form, singular ones too, by the paper's formula; and the definite ones by inverting twice (SSGP eq. 5).
#[test]
fn the_prior_by_its_definition() {
    for n in [1_usize, 2, 9, 24] {
        let items = items(n);
        for shape in semi_supervised_shapes() {
            let Shape::SemiSupervised { form, neighbours, strength } = &shape else { unreachable!() };
            let plain = Shape::Vector { form: form.clone(), over: Over::Attributes };
            let plain = build(&[KernelSpec::new(1.0, plain)], &items, &[]).unwrap().matrix().unwrap();
            let found = build(&[KernelSpec::new(1.0, shape.clone())], &items, &[]).unwrap().matrix().unwrap();
            let laplacian = laplacian(items.attributes(), *neighbours);
            let expected = by_definition(&plain, &laplacian, *strength);
            // Elimination loses as many digits as the bracket has; its condition is below 1e3 here.
            assert_near(&found, &expected, 1e-11 * largest(&plain), &format!("{n}, {shape:?}"));
            // Items 0 and 1 are identical where there are three or more, so nothing is definite there.
            if n == 2 && matches!(form, Form::SquaredExponential { .. } | Form::Matern32 { .. }) {
                let twice = inverse(&plus(&inverse(&plain), &scaled(&laplacian, *strength)));
                assert_near(&found, &twice, 1e-11, &format!("{n}, {shape:?}"));
            }
        }
    }
}

/// Newcomers are no part of the graph: their prior is the paper's for unseen points, and that of the others stays.
#[test]
fn unseen_points() {
    let everything = items(15);
    let rows = |range: std::ops::Range<usize>| {
        attributes(5, range.flat_map(|row| everything.attributes().row(row).to_vec()).collect())
    };
    let known = items_with(rows(0..11));
    let fresh = Items::new((11..15).map(|i| i.to_string()).collect(), None, rows(11..15)).unwrap();
    let newcomers = Newcomers::new(&known, &[], known.joined(&fresh).unwrap(), vec![]).unwrap();
    for shape in semi_supervised_shapes() {
        let Shape::SemiSupervised { form, neighbours, strength } = &shape else { unreachable!() };
        let plain = Shape::Vector { form: form.clone(), over: Over::Attributes };
        let plain = build(&[KernelSpec::new(1.0, plain)], &everything, &[]).unwrap().matrix().unwrap();
        let expected = by_definition(&plain, &laplacian(known.attributes(), *neighbours), *strength);
        let found = build_with_newcomers(&[KernelSpec::new(1.0, shape.clone())], &newcomers).unwrap().matrix().unwrap();
        assert_near(&found, &expected, 1e-11 * largest(&plain), &format!("{shape:?}"));
    }
}

/// More items than are factored as a whole matrix: the column `x` of an item still solves `x + strength Σ L x = Σ e`.
#[test]
fn many_items_of_a_smooth_kernel() {
    let n = 8_300;
    let points = attributes(1, (0..n).map(|i| (i as f64 / n as f64 - 0.5) * 6.0).collect());
    let graph = neighbour_graph(&points, 2).unwrap();
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(1.0) };
    let plain = VectorKernel::new(Vectors::from_attributes(&points).unwrap(), form).unwrap();
    let kernel = SemiSupervised::new(plain.clone(), &graph, 0.05).unwrap();
    let column = column_of(&kernel, 1234);
    let mut pulled = vec![0.0; n];
    for (item, pulled) in pulled.iter_mut().enumerate() {
        let others = graph.neighbours(item).0;
        *pulled = 0.05 * others.iter().map(|&other| column[item] - column[other as usize]).sum::<f64>();
    }
    let target = column_of(&plain, 1234);
    let mut own = vec![0.0; n];
    for row in [0, 1, 1234, 4000, n - 1] {
        plain.column(row, &mut own).unwrap();
        let product: f64 = own.iter().zip(&pulled).map(|(own, pulled)| own * pulled).sum();
        assert!((column[row] + product - target[row]).abs() < 1e-9, "{row}");
    }
    let weights = Matrix::zeros(1, 1);
    assert!(kernel.contract(&[0], &weights).unwrap_err().to_string().contains("tuning"));
}

/// A rough kernel over many items has a rank that no factor can hold.
#[test]
fn many_items_of_a_rough_kernel() {
    let n = 1_000_000;
    let points = attributes(1, (0..n).map(f64::from).collect());
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(10.0) };
    let rough = VectorKernel::new(Vectors::from_attributes(&points).unwrap(), form).unwrap();
    let nothing = Graph::new(n as usize, &Relation::new(n as usize, vec![]).unwrap(), Role::Undirected).unwrap();
    let refused = SemiSupervised::new(rough, &nothing, 1.0).unwrap_err();
    assert!(refused.to_string().contains("the rank of a semi-supervised kernel over 1000000 items"), "{refused}");
}

/// The 35 points of SSGP figure 1.
fn spiral() -> Attributes {
    let pi = std::f64::consts::PI;
    let (first, last) = ((pi / 2.0).powi(2), (3.0 * pi).powi(2));
    let point = |i: u32| {
        let theta = (first + (last - first) * f64::from(i) / 34.0).sqrt();
        [theta / 8.0 * theta.cos(), theta / 8.0 * theta.sin()]
    };
    attributes(2, (0..35).flat_map(point).collect())
}

/// The share of the 595 pairs that a belief from the one answer "0 before 34" orders as they lie on the spiral, and the
/// means of both.
fn one_answer(shape: Shape) -> (f64, f64, f64) {
    let items = items_with(spiral());
    let kernel = Arc::new(build(&[KernelSpec::new(1.0, shape)], &items, &[]).unwrap());
    let answer = AnswerModel::new(0.1, 0.0).unwrap().preferred(ItemId(0), ItemId(34));
    let belief = EpParams::default().fit(kernel, &[answer]).unwrap();
    let mean = belief.mean();
    let right = (0..35).flat_map(|i| (0..i).map(move |j| (j, i))).filter(|&(j, i)| mean[j] > mean[i]).count();
    (right as f64 / 595.0, mean[0], mean[34])
}

/// Along the spiral the semi-supervised order is right everywhere, and the plain one is not. The figures are those of a
/// reference implementation, stated to so many digits.
#[test]
fn the_spiral() {
    let form = Form::SquaredExponential { kappa: 0.5, rho: Rho::Shared(2.0) };
    let (right, first, last) = one_answer(Shape::SemiSupervised { form: form.clone(), neighbours: 3, strength: 1.0 });
    assert_eq!(right, 1.0);
    assert!((first - 0.25431).abs() < 1e-5 && (last + 0.23080).abs() < 1e-5, "{first} {last}");
    let (right, ..) = one_answer(Shape::Vector { form, over: Over::Attributes });
    assert!((right - 0.726).abs() < 0.002, "{right}");
}

/// Whatever is answered has some evidence, and over all outcomes of three answers the evidences sum to one: they are
/// normalised by the warped prior. By the plain one each would be less by the same factor, `|I + L Σ|^½`.
#[test]
fn evidences_sum_to_one() {
    let form = Form::SquaredExponential { kappa: 1.0, rho: Rho::Shared(1.0) };
    let shape = Shape::SemiSupervised { form, neighbours: 3, strength: 1.0 };
    let kernel = Arc::new(build(&[KernelSpec::new(1.0, shape)], &items_with(spiral()), &[]).unwrap());
    let model = AnswerModel::new(0.3, 0.0).unwrap();
    let pairs = [(0, 34), (10, 20), (5, 25)];
    let mut sum = 0.0;
    for outcome in 0..8_u32 {
        let answers: Vec<_> = pairs
            .iter()
            .enumerate()
            .map(|(at, &(a, b))| if outcome >> at & 1 == 0 { (a, b) } else { (b, a) })
            .map(|(winner, loser)| model.preferred(ItemId(winner), ItemId(loser)))
            .collect();
        sum += EpParams::default().fit(kernel.clone(), &answers).unwrap().log_evidence().exp();
    }
    // EP is near the truth, not at it.
    assert!((sum - 1.0).abs() < 0.01, "{sum}");
}
