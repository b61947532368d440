//! Kernels over vectors against their formulas.

use ordain::Error;
use ordain::data::{Attributes, Relation};
use ordain::kernel::{Form, Kernel, Rho, Role, VectorKernel, Vectors, relation_vectors};
use ordain::numeric::Matrix;

use crate::tools::*;

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
            assert_eq!(derivative_of(&kernel, 1), Matrix::zeros(3, 3));
            let contraction = kernel.contract(&[0, 1, 2], &Matrix::identity(3)).unwrap();
            assert_eq!((contraction.value, contraction.derivatives), (3.0, vec![6.0, 0.0]));
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
