//! Single entries, several columns, and the floor that no covariance is below.

use ordain::data::Relation;
use ordain::kernel::{Form, Kernel, Rho, Shape, WeightedSum};
use ordain::numeric::Matrix;
use proptest::prelude::*;

use crate::tools::{Numbers, column_of, kernel_of, link, relations, shapes, sum_of_all};

/// Entries and columns have the bits of single columns, and no covariance of two items is below the floor but for rounding: a
/// solve is exact to a few ulps of its largest entry, a series to 1e-12 of it.
fn check(kernel: &dyn Kernel, what: &str) {
    let n = kernel.len();
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let items: Vec<usize> = (0..n).rev().chain((0..n).step_by(2)).collect();
    let mut together = Matrix::zeros(n, items.len());
    kernel.columns(&items, &mut together).unwrap();
    for (position, &item) in items.iter().enumerate() {
        let column = column_of(kernel, item);
        assert_eq!(bits(&column), bits(together.column(position)), "{what}: columns, item {item}");
        // Out of order, and some twice.
        let others: Vec<u32> = (0..n + 3).map(|other| ((other * 5 + item) % n) as u32).collect();
        let mut entries = vec![f64::NAN; others.len()];
        kernel.entries(item, &others, &mut entries).unwrap();
        let expected: Vec<f64> = others.iter().map(|&other| column[other as usize]).collect();
        assert_eq!(bits(&entries), bits(&expected), "{what}: entries, item {item}");
        let largest = column.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let below = column.iter().enumerate().filter(|&(other, _)| other != item).map(|(_, value)| *value);
        let least = below.fold(f64::INFINITY, f64::min);
        assert!(least >= kernel.floor() - 1e-12 * largest, "{what}: item {item}, {least}");
        assert!(!kernel.floor().is_nan());
    }
}

#[test]
fn every_kernel_over_extreme_graphs() {
    for (name, relation) in relations() {
        for shape in shapes() {
            check(&kernel_of(&shape, &relation), &format!("{name}: {shape:?}"));
        }
        check(&sum_of_all(&relation), name);
    }
}

/// A part whose weight squares to nothing takes no part.
#[test]
fn a_weight_that_vanishes_leaves_the_floor() {
    let (_, relation) = relations().pop().unwrap();
    let linear = kernel_of(
        &Shape::Vector { form: Form::Linear { kappa: 1.0 }, over: ordain::kernel::Over::Attributes },
        &relation,
    );
    let own = ordain::kernel::Independent::new(relation.items());
    let sum = WeightedSum::new(vec![(1e-200, Box::new(linear)), (1.0, Box::new(own))]).unwrap();
    assert_eq!(sum.floor(), 0.0);
}

/// Other values for a shape's parameters.
fn with_values(kernel: &mut WeightedSum, numbers: &mut Numbers) {
    let values: Vec<f64> =
        kernel.parameters().iter().map(|one| one.value * (4.0 * numbers.next() - 2.0).exp()).collect();
    kernel.set_parameters(&values).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Random graphs, random parameters, every kind of kernel.
    #[test]
    fn every_kernel_over_random_graphs(n in 1_usize..28, links in 0_usize..90, seed in any::<u64>()) {
        let mut numbers = Numbers(seed);
        let links = (0..links).map(|_| link(numbers.below(n), numbers.below(n), 3.0 * numbers.next())).collect();
        let relation = Relation::new(n, links).unwrap();
        for shape in shapes() {
            let mut kernel = kernel_of(&shape, &relation);
            with_values(&mut kernel, &mut numbers);
            check(&kernel, &format!("{shape:?}"));
        }
        let each = Rho::Each((0..5).map(|_| 0.1 + 3.0 * numbers.next()).collect());
        let form = Form::Matern32 { kappa: 1.0, rho: each };
        check(&kernel_of(&Shape::Vector { form, over: ordain::kernel::Over::Attributes }, &relation), "each");
    }
}
