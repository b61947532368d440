//! Draws of the prior against its covariance, and covariances with functionals against columns.

use ordain::data::{Attributes, Functional, Items};
use ordain::kernel::{Form, Kernel, Rho, VectorKernel, Vectors};
use ordain::numeric::{Matrix, Seed, Stream};

use crate::tools::*;

/// Sums of the products of all pairs of rows, over this many draws.
fn products(kernel: &dyn Kernel, rows: &[usize], count: usize) -> Matrix {
    const TOGETHER: usize = 1000;
    let draws = kernel.prior_draws().unwrap();
    let mut sums = Matrix::zeros(rows.len(), rows.len());
    for block in 0..count / TOGETHER {
        let mut streams: Vec<Stream> = (0..TOGETHER).map(|at| Seed(7).stream((block * TOGETHER + at) as u64)).collect();
        let mut out = Matrix::zeros(kernel.len(), TOGETHER);
        draws.draw(&mut streams, &mut out).unwrap();
        for draw in out.columns_mut() {
            for (j, &second) in rows.iter().enumerate() {
                for (i, &first) in rows.iter().enumerate() {
                    sums[(i, j)] += draw[first] * draw[second];
                }
            }
        }
    }
    sums
}

/// Every covariance of `rows`, to five standard errors.
fn check(kernel: &dyn Kernel, rows: &[usize], count: usize, what: &str) {
    let sums = products(kernel, rows, count);
    let expected = kernel.among(rows).unwrap();
    for j in 0..rows.len() {
        for i in 0..rows.len() {
            let found = sums[(i, j)] / count as f64;
            let square = expected[(i, i)] * expected[(j, j)] + expected[(i, j)].powi(2);
            let error = 5.0 * (square / count as f64).sqrt() + 1e-12;
            assert!((found - expected[(i, j)]).abs() <= error, "{what}: {found} {} ± {error}", expected[(i, j)]);
        }
    }
}

#[test]
fn draws_of_every_kernel_have_its_covariance() {
    for (name, relation) in relations() {
        let rows: Vec<usize> = (0..relation.items().min(12)).collect();
        for shape in shapes() {
            check(&kernel_of(&shape, &relation), &rows, 3_000, &format!("{name}, {shape:?}"));
        }
    }
    let (name, relation) = relations().pop().unwrap();
    let rows: Vec<usize> = (0..relation.items().min(6)).collect();
    check(&sum_of_all(&relation), &rows, 200_000, name);
}

/// Random waves, which serve from 2001 items on: items near and far, and all forms of distance.
#[test]
fn random_waves_have_the_covariance_of_the_kernel() {
    let (n, d) = (2001, 3);
    let mut numbers = Numbers(5);
    let values: Vec<f64> = (0..n * d).map(|_| 4.0 * numbers.next()).collect();
    let names = (0..d).map(|at| format!("x{at}")).collect();
    let items = Items::from_ids((0..n).map(|item| item.to_string())).unwrap();
    let items = items.with_attributes(Attributes::new(names, n, values).unwrap()).unwrap();
    let rows = [0, 1, 2, 3, 4, 5, 6, 7];
    let rho = Rho::Each(vec![0.3, 0.6, 0.9]);
    let forms = [
        Form::SquaredExponential { kappa: 1.5, rho: rho.clone() },
        Form::Matern32 { kappa: 1.0, rho: rho.clone() },
        Form::Matern52 { kappa: 0.5, rho },
    ];
    for form in forms {
        let vectors = Vectors::from_attributes(items.attributes()).unwrap();
        let kernel = VectorKernel::new(vectors, form).unwrap();
        check(&kernel, &rows, 8_000, &format!("{:?}", kernel.form()));
    }
}

#[test]
fn covariances_with_functionals() {
    for (name, relation) in relations() {
        let n = relation.items() as u32;
        let items = (0..n).map(Functional::Item);
        let pairs = (1..n).map(|item| Functional::Difference(item, item / 2));
        let functionals: Vec<Functional> = items.step_by(2).chain(pairs).collect();
        let everything = sum_of_all(&relation);
        let kernels = shapes().into_iter().map(|shape| (format!("{name}, {shape:?}"), kernel_of(&shape, &relation)));
        for (what, kernel) in kernels.chain([(format!("{name}, all"), everything)]) {
            let whole = kernel.matrix().unwrap();
            let mut found = Matrix::zeros(n as usize, functionals.len());
            kernel.along(&functionals, &mut found).unwrap();
            let expected =
                Matrix::from_fn(n as usize, functionals.len(), |row, at| functionals[at].of(whole.column(row)));
            // Rounding of the solves, relative to the largest value.
            let tolerance = 2e-11 * largest(&whole).max(1e-300);
            assert_near(&found, &expected, tolerance, &what);
            let between = kernel.between(&functionals).unwrap();
            let b = functionals.len();
            let expected = Matrix::from_fn(b, b, |row, at| functionals[row].of(expected.column(at)));
            assert_near(&between, &expected, 2.0 * tolerance, &what);
        }
    }
}
