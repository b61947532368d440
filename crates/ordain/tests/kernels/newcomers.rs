//! Joint kernels over known items and newcomers against dense computations written here, and what they keep.

use ordain::data::{Attributes, Groups, ItemId, Items, Link, Newcomers, Relation};
use ordain::kernel::{Causes, Graph, Kernel, KernelSpec, Over, RelationSpec, Role, Shape, build, build_with_newcomers};
use ordain::numeric::Matrix;
use proptest::prelude::*;

use crate::tools::*;

/// Some items of a table, in this order.
fn chosen(all: &Items, rows: &[usize]) -> Items {
    let attributes = all.attributes();
    let values = rows.iter().flat_map(|&row| attributes.row(row).to_vec()).collect();
    let attributes = Attributes::new(attributes.names().to_vec(), rows.len(), values).unwrap();
    let ids = rows.iter().map(|&row| all.id(ItemId::new(row)).to_owned()).collect();
    Items::new(ids, None, attributes).unwrap()
}

/// The joint kernel of one part over the items of a relation, and newcomers with these links.
fn joint(shape: &Shape, relation: &Relation, newcomers: usize, links: &[Link]) -> Matrix {
    let order: Vec<usize> = (relation.items()..relation.items() + newcomers).collect();
    joint_in_order(shape, relation, &order, links)
}

/// The same for some of the newcomers in some order; links are numbered in that order.
fn joint_in_order(shape: &Shape, relation: &Relation, order: &[usize], links: &[Link]) -> Matrix {
    let n = relation.items();
    let everything = items(n + 4);
    let known = chosen(&everything, &(0..n).collect::<Vec<_>>());
    let all = Relation::new(n + order.len(), relation.links().iter().chain(links).copied().collect()).unwrap();
    let relations = [relation.clone()];
    let joined = known.joined(&chosen(&everything, order)).unwrap();
    let newcomers = Newcomers::new(&known, &relations, joined, vec![all]).unwrap();
    let spec = KernelSpec::new(0.9, shape.clone());
    build_with_newcomers(&[spec], &newcomers).unwrap().matrix().unwrap()
}

/// Four newcomers: one with a few known neighbours, two that know each other and one known item, one alone.
fn links_of_newcomers(n: usize) -> Vec<Link> {
    let mut out = vec![link(n + 1, n + 2, 0.8)];
    if n > 0 {
        out.extend([link(n, 0, 1.5), link(n / 2, n, 0.3), link(n, n - 1, 0.7), link(n + 2, n / 3, 2.0)]);
    }
    out
}

#[test]
fn known_items_keep_their_prior_and_all_is_positive_semidefinite() {
    for (name, relation) in relations() {
        let n = relation.items();
        for shape in shapes() {
            let what = format!("{name}, {shape:?}");
            let joint = joint(&shape, &relation, 4, &links_of_newcomers(n));
            let known = chosen(&items(n + 4), &(0..n).collect::<Vec<_>>());
            let spec = KernelSpec::new(0.9, shape.clone());
            let alone = build(&[spec], &known, std::slice::from_ref(&relation)).unwrap().matrix().unwrap();
            // Rounding of the solves: whole matrices are solved for in blocks, columns one by one.
            let tolerance = 1e-12 * largest(&joint);
            assert_near(&Matrix::from_fn(n, n, |i, j| joint[(i, j)]), &alone, tolerance, &what);
            assert_near(&Matrix::from_fn(n + 4, n + 4, |i, j| joint[(j, i)]), &joint, tolerance, &what);
            let values = eigenvalues(&joint);
            assert!(values[0] >= -1e-10 * values[n + 3] && values[0].is_finite(), "{what}: {values:?}");
        }
    }
}

/// Where the known items' vectors do not depend on the newcomers, the joint prior is that of all items.
#[test]
fn kernels_of_vectors_are_those_of_all_items() {
    for (name, relation) in relations() {
        let n = relation.items();
        let everything = items(n + 4);
        // Newcomers link, nobody links to them.
        let links: Vec<Link> = links_of_newcomers(n)
            .into_iter()
            .filter(|link| link.source >= n as u32 && link.target < n as u32)
            .collect();
        let all = Relation::new(n + 4, relation.links().iter().chain(&links).copied().collect()).unwrap();
        let fits = |shape: &Shape| match shape {
            Shape::Independent | Shape::Vector { over: Over::Attributes, .. } => true,
            Shape::Vector { over: Over::Relation(spec), .. } => spec.role == Role::Linking,
            _ => false,
        };
        for shape in shapes().into_iter().filter(fits) {
            let spec = KernelSpec::new(0.9, shape.clone());
            let expected = build(&[spec], &everything, std::slice::from_ref(&all)).unwrap().matrix().unwrap();
            assert_near(&joint(&shape, &relation, 4, &links), &expected, 0.0, &format!("{name}, {shape:?}"));
        }
    }
}

/// The joint density is that of the known items times that of the newcomers given them, so that the joint precision is
/// a sum of matrices that can be written down.
#[test]
fn a_regularized_laplacian_by_its_precision() {
    for (name, relation) in relations() {
        let (n, k) = (relation.items(), 4);
        for role in [Role::Undirected, Role::Linking, Role::Linked] {
            for (beta, iota) in [(1.0, 1.0), (0.4, 2.5)] {
                let links = links_of_newcomers(n);
                let all = Relation::new(n + k, relation.links().iter().chain(&links).copied().collect()).unwrap();
                let before = Graph::new(n, &relation, role).unwrap();
                let after = Graph::new(n + k, &all, role).unwrap();
                let weight = |i: usize, j: usize| after.weights().get(i, j);
                let degree = |i: usize| (0..n + k).map(|j| weight(i, j)).sum::<f64>();
                let shift = 1.0 / (iota * iota);
                // beta (D_N + I / iota² - W_NN), and beta W_NO.
                let own = Matrix::from_fn(k, k, |i, j| {
                    beta * if i == j { degree(n + i) + shift } else { -weight(n + i, n + j) }
                });
                let cross = Matrix::from_fn(k, n, |i, j| beta * weight(n + i, j));
                let back = multiply(&inverse(&own), &cross);
                let spread = Matrix::from_fn(n, n, |i, j| (0..k).map(|l| cross[(l, i)] * back[(l, j)]).sum());
                let old: Vec<f64> = (0..n).map(|i| (0..n).map(|j| before.weights().get(i, j)).sum()).collect();
                let precision = Matrix::from_fn(n + k, n + k, |i, j| match (i.checked_sub(n), j.checked_sub(n)) {
                    (Some(i), Some(j)) => own[(i, j)],
                    (Some(i), None) => -cross[(i, j)],
                    (None, Some(j)) => -cross[(j, i)],
                    (None, None) => {
                        let own = if i == j { old[i] + shift } else { -before.weights().get(i, j) };
                        beta * own + spread[(i, j)]
                    }
                });
                let mut expected = inverse(&precision);
                expected.values_mut().iter_mut().for_each(|value| *value *= 0.9 * 0.9);
                let relation_spec = RelationSpec { relation: 0, role };
                let shape = Shape::RegularizedLaplacian { relation: relation_spec, beta, iota };
                // Two inverses of matrices whose condition is below 1e3.
                let tolerance = 1e-11 * largest(&expected);
                assert_near(&joint(&shape, &relation, k, &links), &expected, tolerance, &format!("{name}, {role:?}"));
            }
        }
    }
}

/// One newcomer on a path: the enlarged kernel, its conditional and the joint prior, all dense.
#[test]
fn a_diffusion_kernel_by_its_landmarks() {
    let n = 6;
    let path: Vec<Link> = (1..n).map(|i| link(i - 1, i, 1.0)).collect();
    let relation = Relation::new(n, path.clone()).unwrap();
    let fresh = [link(n, 1, 0.5), link(n, 4, 2.0)];
    let laplacian = |size: usize, links: &[Link]| {
        let mut out = Matrix::zeros(size, size);
        for &Link { source, target, weight } in links {
            let (i, j) = (source as usize, target as usize);
            out[(i, i)] += weight;
            out[(j, j)] += weight;
            out[(i, j)] -= weight;
            out[(j, i)] -= weight;
        }
        Matrix::from_fn(size, size, |i, j| -0.7 * out[(i, j)])
    };
    let known = exponential(&laplacian(n, &path));
    let enlarged = exponential(&laplacian(n + 1, &[path, fresh.to_vec()].concat()));
    let landmarks = [1, 4];
    let among = inverse(&Matrix::from_fn(2, 2, |i, j| enlarged[(landmarks[i], landmarks[j])]));
    let coefficients: Vec<f64> =
        (0..2).map(|i| (0..2).map(|j| among[(i, j)] * enlarged[(landmarks[j], n)]).sum()).collect();
    let residual = enlarged[(n, n)] - (0..2).map(|i| coefficients[i] * enlarged[(landmarks[i], n)]).sum::<f64>();
    let cross: Vec<f64> = (0..n).map(|i| (0..2).map(|l| coefficients[l] * known[(i, landmarks[l])]).sum()).collect();
    let own = residual + (0..2).map(|l| coefficients[l] * cross[landmarks[l]]).sum::<f64>();
    let expected = Matrix::from_fn(n + 1, n + 1, |i, j| {
        0.81 * match (i == n, j == n) {
            (true, true) => own,
            (true, false) => cross[j],
            (false, true) => cross[i],
            _ => known[(i, j)],
        }
    });
    let shape = Shape::Diffusion { relation: RelationSpec { relation: 0, role: Role::Undirected }, beta: 0.7 };
    assert_near(&joint(&shape, &relation, 1, &fresh), &expected, 1e-13, "diffusion");
}

/// A newcomer by itself has the prior of an item by itself, and nothing in common with the known ones.
#[test]
fn a_newcomer_without_links() {
    let relation = Relation::new(13, random_links(13, 22, 7)).unwrap();
    for shape in graph_shapes() {
        let joint = joint(&shape, &relation, 1, &[]);
        let expected = match shape {
            Shape::RegularizedLaplacian { beta, iota, .. } => iota * iota / beta,
            // Jumps join all items: what the kernel itself says of an item without links.
            Shape::DirectedLaplacian { .. } => {
                let enlarged = Relation::new(14, relation.links().to_vec()).unwrap();
                column_of(&kernel_of(&shape, &enlarged), 13)[13] / 0.81
            }
            _ => 1.0,
        };
        assert!((joint[(13, 13)] - 0.81 * expected).abs() < 1e-12 && joint[(13, 13)] > 0.0, "{shape:?}");
        assert!((0..13).all(|item| joint[(item, 13)] == 0.0), "{shape:?}");
    }
}

/// The order of newcomers is the order of their rows, and strangers among them do not disturb each other.
#[test]
fn newcomers_are_told_apart() {
    for (name, relation) in relations() {
        let n = relation.items();
        let links = links_of_newcomers(n);
        let order = [n + 3, n + 1, n, n + 2];
        let renumber = |item: u32| {
            let at = order.iter().position(|&newcomer| newcomer == item as usize);
            at.map_or(item, |at| (n + at) as u32)
        };
        let moved: Vec<Link> = links
            .iter()
            .map(|link| Link { source: renumber(link.source), target: renumber(link.target), ..*link })
            .collect();
        let alone: Vec<Link> =
            links.iter().filter(|link| [link.source, link.target].contains(&(n as u32))).copied().collect();
        for shape in shapes() {
            let what = format!("{name}, {shape:?}");
            let all = joint(&shape, &relation, 4, &links);
            let tolerance = 1e-11 * largest(&all);
            let at = |item: usize| if item < n { item } else { order[item - n] };
            let expected = Matrix::from_fn(n + 4, n + 4, |i, j| all[(at(i), at(j))]);
            assert_near(&joint_in_order(&shape, &relation, &order, &moved), &expected, tolerance, &what);
            // In a projection the first newcomer may share a target or a source with another.
            let role = match &shape {
                Shape::RegularizedLaplacian { relation, .. }
                | Shape::CommonCause { relation, .. }
                | Shape::Diffusion { relation, .. }
                | Shape::Vector { over: Over::Relation(relation), .. } => relation.role,
                _ => Role::Undirected,
            };
            if role == Role::Undirected {
                let expected = Matrix::from_fn(n + 1, n + 1, |i, j| all[(i, j)]);
                assert_near(&joint(&shape, &relation, 1, &alone), &expected, tolerance, &what);
            }
        }
    }
}

/// Items left out one at a time and taken for newcomers: their variance and covariances with the others are nearer to
/// those of the whole graph by landmarks than by averages of the neighbours, given what an average lacks of the
/// variance that items have on average.
#[test]
fn landmarks_are_nearer_than_averages() {
    let n = 40;
    let relation_spec = RelationSpec { relation: 0, role: Role::Undirected };
    let shapes = [
        Shape::CommonCause { relation: relation_spec, causes: Causes::Edges },
        Shape::Diffusion { relation: relation_spec, beta: 0.3 },
        Shape::DirectedLaplacian { relation: 0, beta: 1.0, iota: 1.0 },
    ];
    let all = random_links(n, 80, 3);
    for shape in shapes {
        let (mut by_landmarks, mut by_averages) = (Vec::new(), Vec::new());
        for left_out in 0..n {
            let place = |item: u32| match item as usize {
                item if item == left_out => n - 1,
                item if item == n - 1 => left_out,
                item => item,
            };
            let moved = all.iter().map(|one| link(place(one.source), place(one.target), one.weight));
            let touches = |one: &Link| one.source as usize == n - 1 || one.target as usize == n - 1;
            let (fresh, old): (Vec<Link>, Vec<Link>) = moved.partition(touches);
            let relation = Relation::new(n - 1, old).unwrap();
            let whole = Relation::new(n, [relation.links().to_vec(), fresh.clone()].concat()).unwrap();
            let neighbours = Graph::new(n, &whole, Role::Undirected).unwrap();
            let (others, weights) = neighbours.neighbours(n - 1);
            let total: f64 = weights.iter().sum();
            if others.is_empty() {
                continue;
            }
            let spec = KernelSpec::new(0.9, shape.clone());
            let whole = build(&[spec], &items(n), &[whole]).unwrap().matrix().unwrap();
            let joint = joint(&shape, &relation, 1, &fresh);
            let mean = |value: &dyn Fn(usize) -> f64| {
                let terms = others.iter().zip(weights).map(|(&other, weight)| weight * value(other as usize));
                terms.sum::<f64>() / total
            };
            let usual = (0..n - 1).map(|item| joint[(item, item)]).sum::<f64>() / (n - 1) as f64;
            let average = |item: usize| match item {
                item if item == n - 1 => mean(&|other| mean(&|another| joint[(other, another)])).max(usual),
                item => mean(&|other| joint[(item, other)]),
            };
            let off = |value: &dyn Fn(usize) -> f64| {
                let error: f64 = (0..n).map(|item| (value(item) - whole[(item, n - 1)]).powi(2)).sum();
                (error / (0..n).map(|item| whole[(item, n - 1)].powi(2)).sum::<f64>()).sqrt()
            };
            by_landmarks.push(off(&|item| joint[(item, n - 1)]));
            by_averages.push(off(&average));
        }
        let median = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let (landmarks, averages) = (median(&mut by_landmarks), median(&mut by_averages));
        println!("{shape:?}: {landmarks:.3} by landmarks, {averages:.3} by averages");
        assert!(landmarks < averages, "{shape:?}: {landmarks} {averages}");
    }
}

#[test]
fn newcomers_that_do_not_fit_are_refused() {
    let ids = |ids: &[&str]| Items::from_ids(ids.iter().copied()).unwrap();
    let known = ids(&["a", "b"]);
    let relations = [Relation::new(2, links(&[(0, 1)])).unwrap()];
    let with = |items: &[&str], all: Vec<Relation>| Newcomers::new(&known, &relations, ids(items), all).map(|_| ());
    let of = |pairs: &[(usize, usize)]| vec![Relation::new(3, links(pairs)).unwrap()];
    let all = ["a", "b", "c"];
    assert!(with(&all, of(&[(0, 1), (2, 0)])).is_ok());
    assert!(with(&["b", "a", "c"], of(&[(0, 1)])).is_err(), "another order");
    assert!(with(&["a"], of(&[(0, 1)])).is_err(), "known items left out");
    assert!(with(&all, of(&[(2, 0)])).is_err(), "known links left out");
    assert!(with(&all, of(&[(0, 1), (1, 0)])).is_err(), "a link among known items");
    assert!(with(&all, vec![relations[0].clone()]).is_err(), "no place for the newcomer");
    assert!(with(&all, Vec::new()).is_err(), "no relation");

    assert!(known.joined(&ids(&["a"])).is_err(), "the id of a known item");
    let tall = Attributes::new(vec!["height".into()], 1, vec![2.0]).unwrap();
    let tall = Items::new(vec!["c".into()], None, tall).unwrap();
    assert!(known.joined(&tall).is_err(), "other attributes");
    let grouped = Items::new(vec!["c".into()], Some(Groups::new(["q"])), Attributes::none(1)).unwrap();
    assert!(known.joined(&grouped).is_err(), "groups");
}

proptest! {
    #[test]
    fn any_newcomers_make_a_positive_semidefinite_kernel(
        n in 1_usize..8,
        old in proptest::collection::vec((0_usize..8, 0_usize..8, 0.0_f64..3.0), 0..16),
        fresh in proptest::collection::vec((0_usize..4, 0_usize..12, any::<bool>(), 0.0_f64..3.0), 0..12),
    ) {
        let old = old.into_iter().map(|(i, j, weight)| link(i % n, j % n, weight)).collect();
        let relation = Relation::new(n, old).unwrap();
        let fresh: Vec<Link> = fresh
            .into_iter()
            .map(|(newcomer, other, out, weight)| {
                let (newcomer, other) = (n + newcomer, other % (n + 4));
                if out { link(newcomer, other, weight) } else { link(other, newcomer, weight) }
            })
            .collect();
        for shape in graph_shapes() {
            let values = eigenvalues(&joint(&shape, &relation, 4, &fresh));
            let (least, most) = (values[0], values[n + 3]);
            prop_assert!(least >= -1e-9 * most && most.is_finite(), "{shape:?}: {values:?}");
        }
    }
}
