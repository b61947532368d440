//! What every kernel keeps.

use ordain::data::{Attributes, Functional, Items, Link, Relation};
use ordain::kernel::{
    Causes, CommonCause, Form, Graph, Kernel, KernelSpec, Over, RelationSpec, Rho, Role, Shape, WeightedSum, build,
};
use ordain::numeric::Matrix;
use ordain::{Error, Result};
use proptest::prelude::*;

use crate::graphs::{brute_force_cliques, common_causes};
use crate::tools::*;

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
        let tolerance = 1e-6 * largest(&expected) + 1e-9 * scale;
        let found = derivative_of(kernel, number);
        assert_near(&found, &expected, tolerance, &format!("{what}: {}", parameter.name));
    }
    assert!(n == 0 || kernel.derivative_column(values.len(), 0, &mut vec![0.0; n]).is_err());
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

/// Some items, in no order, and weights over their pairs.
fn weighted_choice(n: usize) -> (Vec<usize>, Matrix) {
    let mut numbers = Numbers(n as u64);
    let mut chosen: Vec<usize> = (0..n).filter(|_| numbers.next() < 0.7).collect();
    chosen.reverse();
    let half = Matrix::from_fn(chosen.len(), chosen.len(), |_, _| numbers.next() - 0.5);
    let weights = Matrix::from_fn(chosen.len(), chosen.len(), |i, j| half[(i, j)] + half[(j, i)]);
    (chosen, weights)
}

#[test]
fn what_is_asked_of_some_items_is_part_of_the_whole() {
    for (name, relation) in relations() {
        let (chosen, weights) = weighted_choice(relation.items());
        let among = |whole: &Matrix| Matrix::from_fn(chosen.len(), chosen.len(), |i, j| whole[(chosen[i], chosen[j])]);
        let weighted = |some: &Matrix| -> f64 {
            some.values().iter().zip(weights.values()).map(|(value, weight)| value * weight).sum()
        };
        let contracted = |whole: &Matrix| weighted(&among(whole));
        // Every second one is the difference from the item before.
        let functional = |at: usize| match at % 2 {
            0 => Functional::Item(chosen[at] as u32),
            _ => Functional::Difference(chosen[at] as u32, chosen[at - 1] as u32),
        };
        let functionals: Vec<Functional> = (0..chosen.len()).map(functional).collect();
        let between = |whole: &Matrix| {
            let along = |j: usize| (0..whole.rows()).map(|i| functionals[j].of(whole.column(i))).collect::<Vec<f64>>();
            Matrix::from_fn(chosen.len(), chosen.len(), |i, j| functionals[i].of(&along(j)))
        };
        let everything = sum_of_all(&relation);
        let kernels = shapes().into_iter().map(|shape| (format!("{name}, {shape:?}"), kernel_of(&shape, &relation)));
        for (what, kernel) in kernels.chain([(format!("{name}, all"), everything)]) {
            let whole = kernel.matrix().unwrap();
            // Rounding of the solves, relative to the largest value.
            let tolerance = |whole: &Matrix| 1e-11 * largest(whole).max(1e-300);
            assert_near(&kernel.among(&chosen).unwrap(), &among(&whole), tolerance(&whole), &what);
            let found = kernel.contract(&chosen, &weights).unwrap();
            let pairs = (chosen.len() * chosen.len()) as f64;
            assert!((found.value - contracted(&whole)).abs() <= pairs * tolerance(&whole), "{what}");
            assert_eq!(found.derivatives.len(), kernel.parameters().len());
            for (number, found) in found.derivatives.into_iter().enumerate() {
                let whole = derivative_of(&kernel, number);
                let expected = contracted(&whole);
                assert!((found - expected).abs() <= pairs * tolerance(&whole), "{what}: {found} {expected}");
            }
            let (matrix, solved) = kernel.between_solved(&functionals).unwrap();
            for found in [matrix, kernel.between(&functionals).unwrap()] {
                assert_near(&found, &between(&whole), 4.0 * tolerance(&whole), &what);
            }
            let by_solved = kernel.contract_solved(&functionals, &weights, &solved).unwrap();
            for found in [by_solved, kernel.contract_between(&functionals, &weights).unwrap()] {
                assert!((found.value - weighted(&between(&whole))).abs() <= 4.0 * pairs * tolerance(&whole), "{what}");
                for (number, found) in found.derivatives.into_iter().enumerate() {
                    let whole = derivative_of(&kernel, number);
                    let expected = weighted(&between(&whole));
                    assert!((found - expected).abs() <= 4.0 * pairs * tolerance(&whole), "{what}: {found} {expected}");
                }
            }
            let typical = kernel.typical().unwrap();
            assert_eq!(typical.len(), kernel.parameters().len());
            assert!(typical.into_iter().flatten().all(|value| value.is_finite() && value > 0.0), "{what}");
        }
    }
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
            let (chosen, weights) = weighted_choice(150);
            let contraction = kernel.contract(&chosen, &weights).unwrap();
            (kernel.matrix().unwrap(), diagonal, column_of(&kernel, 17), contraction)
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
            let specs = [KernelSpec::new(1.0, shape)];
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
        let specs = [KernelSpec::new(1.0, first), KernelSpec::new(weight, second)];
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
    let missing = KernelSpec::new(1.0, laplacian(1.0));
    assert!(matches!(build(&[missing], &items(3), &[]), Err(Error::Data { .. })));
    let plain = Items::from_ids(["a", "b"]).unwrap();
    let specs = [KernelSpec::new(1.0, shape(Rho::Shared(1.0)))];
    assert!(matches!(build(&specs, &plain, &[]), Err(Error::Data { .. })));
}
