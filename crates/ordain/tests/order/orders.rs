//! Orders against brute force.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use ordain::order::{
    Preference, RankOrdering, Unretrieved, Weighted, agree, component_order, exact_order, greedy_order, improve,
    two_valued_order,
};
use rand::RngExt;
use rand::seq::SliceRandom;

use crate::common::stream;
use crate::{Table, agreement, expert, weights};

/// Sums of 45 numbers of at most 1.
const ROUNDING: f64 = 1e-12;

/// One of four kinds of problem: any values, a weighted tournament, weighted experts, and weighted experts that miss items.
fn instance(task: u64) -> Table {
    let mut stream = stream(task);
    let n = stream.random_range(2..=10);
    match task % 4 {
        0 => Table::new(n, |_, _| stream.random()),
        1 => {
            let values: Vec<f64> = (0..n * n).map(|_| stream.random()).collect();
            Table::new(n, |u, v| if u < v { values[u * n + v] } else { 1.0 - values[v * n + u] })
        }
        kind => {
            let count = stream.random_range(2..6);
            let missing = if kind == 2 { 0.0 } else { 0.4 };
            let unretrieved = if task % 8 < 4 { Unretrieved::Last } else { Unretrieved::Abstain };
            let experts: Vec<RankOrdering> =
                (0..count).map(|_| expert(n, 8, missing, unretrieved, &mut stream)).collect();
            let weights = weights(count, &mut stream);
            Table::of(&Weighted::new(&experts, &weights).unwrap())
        }
    }
}

/// LTOT theorem 2 and what is promised beyond it, on 1,000 random problems. The means are printed.
#[test]
fn a_thousand_orders_against_the_best() {
    let (mut sums, mut least, mut better) = ([0.0; 3], [1.0_f64; 3], [0; 2]);
    let (mut rest, mut count) = ([0.0; 3], 0);
    for task in 0..1000 {
        let preference = instance(task);
        let best = agreement(&exact_order(&preference).unwrap(), &preference);
        let greedy = greedy_order(&preference);
        let components = component_order(&preference);
        let mut local = components.clone();
        improve(&mut local, &preference).unwrap();
        let agreements = [greedy, components, local].map(|order| agree(&order, &preference).unwrap());
        let [greedy, components, local] = agreements;
        assert!(greedy >= 0.5 * best - ROUNDING, "task {task}");
        assert!(components >= greedy - ROUNDING && local >= components - ROUNDING && best >= local - ROUNDING);
        better[0] += usize::from(components > greedy + 1e-9);
        better[1] += usize::from(local > components + 1e-9);
        if best > 0.0 {
            for (at, agreement) in agreements.iter().enumerate() {
                sums[at] += agreement / best;
                least[at] = least[at].min(agreement / best);
                // Against the reverse of the best order, which agrees with what the best does not.
                let total: f64 = preference.values.iter().sum::<f64>() - 0.5 * preference.n as f64;
                let worst = total - best;
                if best - worst > 1e-9 {
                    rest[at] += (agreement - worst) / (best - worst);
                    count += usize::from(at == 0);
                }
            }
        }
    }
    let show = |name: &str, at: usize| {
        let (mean, own) = (sums[at] / 1000.0, rest[at] / count as f64);
        println!(
            "{name:10} mean share of the best agreement {mean:.5}, least {:.4}; of what is to be gained {own:.4}",
            least[at]
        );
    };
    println!(
        "1000 problems of 2 to 10 items; components better than greedy in {}, local moves better still in {}",
        better[0], better[1]
    );
    show("greedy", 0);
    show("components", 1);
    show("local", 2);
    assert!(better.iter().all(|&count| count > 10), "the refinements never had anything to do");
}

/// Every order of the items.
fn for_each_order(items: &mut Vec<usize>, from: usize, visit: &mut impl FnMut(&[usize])) {
    if from == items.len() {
        return visit(items);
    }
    for at in from..items.len() {
        items.swap(from, at);
        for_each_order(items, from + 1, visit);
        items.swap(from, at);
    }
}

fn brute_force(preference: &impl Preference) -> f64 {
    let best = Cell::new(f64::NEG_INFINITY);
    let visit = &mut |order: &[usize]| best.set(best.get().max(agreement(order, preference)));
    for_each_order(&mut (0..preference.len()).collect(), 0, visit);
    best.get()
}

#[test]
fn the_exact_order_is_the_best_of_all() {
    for preference in (0..400).map(instance).filter(|preference| preference.n <= 7) {
        let exact = agreement(&exact_order(&preference).unwrap(), &preference);
        assert!((exact - brute_force(&preference)).abs() < ROUNDING);
    }
    assert!(exact_order(&Table::new(21, |_, _| 0.5)).is_err());
    assert_eq!(exact_order(&Table::new(0, |_, _| 0.5)).unwrap(), Vec::<usize>::new());
}

/// LTOT section 3: experts of two values, of which some miss items, which are then the worse part.
#[test]
fn two_values_have_a_closed_form() {
    for task in 0..300 {
        let mut stream = stream(task);
        let (n, count) = (stream.random_range(1..8), stream.random_range(1..6));
        let experts: Vec<RankOrdering> = (0..count)
            .map(|at| {
                let (levels, missing) = if at % 2 == 0 { (2, 0.0) } else { (1, 0.4) };
                expert(n, levels, missing, Unretrieved::Last, &mut stream)
            })
            .collect();
        let weights = weights(count, &mut stream);
        let preference = Weighted::new(&experts, &weights).unwrap();
        let order = two_valued_order(&preference).unwrap();
        assert!((agreement(&order, &preference) - brute_force(&preference)).abs() < ROUNDING, "task {task}");
    }
    let three = [RankOrdering::from_scores([Some(1.0), Some(2.0), Some(3.0)], Unretrieved::Last).unwrap()];
    let partly = [RankOrdering::from_scores([Some(1.0), Some(2.0), None], Unretrieved::Abstain).unwrap()];
    let silent = [RankOrdering::from_scores([None, None], Unretrieved::Abstain).unwrap()];
    assert!(two_valued_order(&Weighted::new(&three, &[1.0]).unwrap()).is_none());
    assert!(two_valued_order(&Weighted::new(&partly, &[1.0]).unwrap()).is_none());
    assert_eq!(two_valued_order(&Weighted::new(&silent, &[1.0]).unwrap()), Some(vec![0, 1]));
}

/// Where majorities have no cycle, the components are single items and their order is the best one; greedy can miss it.
#[test]
fn majorities_without_cycles_are_followed() {
    let mut missed = 0;
    for task in 0..200 {
        let mut stream = stream(task);
        let n = stream.random_range(2..40);
        let mut hidden: Vec<usize> = (0..n).collect();
        hidden.shuffle(&mut stream);
        let place = |item: usize| hidden.iter().position(|&other| other == item).unwrap();
        let strength: Vec<f64> = (0..n * n).map(|_| 0.5 + 0.5 * (1e-6 + stream.random::<f64>()).min(1.0)).collect();
        let preference = Table::new(n, |u, v| {
            let value = strength[u.min(v) * n + u.max(v)];
            if place(u) < place(v) { value } else { 1.0 - value }
        });
        assert_eq!(component_order(&preference), hidden);
        missed += usize::from(greedy_order(&preference) != hidden);
    }
    assert!(missed > 50, "{missed}");
}

/// Renaming the items renames the order, where no two items are level.
#[test]
fn names_do_not_matter() {
    for task in 0..200 {
        let mut stream = stream(task);
        let n = stream.random_range(1..30);
        let values: Vec<f64> = (0..n * n).map(|_| stream.random()).collect();
        let preference = Table::new(n, |u, v| values[u * n + v]);
        let mut names: Vec<usize> = (0..n).collect();
        names.shuffle(&mut stream);
        // Item `names[i]` of the other is item i of this.
        let mut renamed = Table::new(n, |_, _| 0.5);
        for u in 0..n {
            for v in 0..n {
                renamed.values[names[u] * n + names[v]] = preference.values[u * n + v];
            }
        }
        let translate = |order: Vec<usize>| -> Vec<usize> { order.into_iter().map(|item| names[item]).collect() };
        assert_eq!(translate(greedy_order(&preference)), greedy_order(&renamed));
        assert_eq!(translate(component_order(&preference)), component_order(&renamed));
    }
}

/// Counts the rows that it is asked for.
struct Counting<'a, P> {
    inner: &'a P,
    rows: AtomicUsize,
    potentials: AtomicUsize,
}

impl<P: Preference> Preference for Counting<'_, P> {
    fn len(&self) -> usize {
        self.inner.len()
    }

    fn prefer(&self, _: usize, _: usize) -> f64 {
        panic!("single values are not asked for");
    }

    fn add_net(&self, item: usize, weight: f64, out: &mut [f64]) {
        self.rows.fetch_add(1, Ordering::Relaxed);
        self.inner.add_net(item, weight, out);
    }

    fn add_potentials(&self, weight: f64, out: &mut [f64]) {
        self.potentials.fetch_add(1, Ordering::Relaxed);
        self.inner.add_potentials(weight, out);
    }
}

/// n rows and one pass over the potentials, which are O(n) an expert: O(n² N) in all, and nothing of pairs is kept.
#[test]
fn greedy_asks_for_every_row_once() {
    let mut stream = stream(1);
    let experts: Vec<RankOrdering> = (0..5).map(|_| expert(300, 200, 0.3, Unretrieved::Last, &mut stream)).collect();
    let weights = weights(5, &mut stream);
    let preference = Weighted::new(&experts, &weights).unwrap();
    let counting = Counting { inner: &preference, rows: AtomicUsize::new(0), potentials: AtomicUsize::new(0) };
    let order = greedy_order(&counting);
    assert_eq!((counting.rows.into_inner(), counting.potentials.into_inner()), (300, 1));

    // LTOT figure 1, line by line.
    let mut left: Vec<usize> = (0..300).collect();
    for &next in &order {
        let potential = |v: usize| left.iter().map(|&u| preference.prefer(v, u) - preference.prefer(u, v)).sum::<f64>();
        let largest = left.iter().map(|&v| potential(v)).fold(f64::NEG_INFINITY, f64::max);
        assert!(potential(next) > largest - 2e-9);
        left.retain(|&item| item != next);
    }
}

/// No item can be moved to its gain, and equals stay as they are.
#[test]
fn improved_orders_stand_still() {
    for task in 0..200 {
        let preference = instance(task);
        let mut order: Vec<usize> = (0..preference.n).collect();
        improve(&mut order, &preference).unwrap();
        let best = agreement(&order, &preference);
        for from in 0..order.len() {
            for to in 0..order.len() {
                let mut moved = order.clone();
                let item = moved.remove(from);
                moved.insert(to, item);
                assert!(agreement(&moved, &preference) < best + 1e-8);
            }
        }
    }
    let mut order = vec![2, 0, 1];
    improve(&mut order, &Table::new(3, |_, _| 0.5)).unwrap();
    assert_eq!(order, [2, 0, 1]);
    assert_eq!(greedy_order(&Table::new(3, |_, _| 0.5)), [0, 1, 2]);
    assert!(improve(&mut [0, 0], &Table::new(2, |_, _| 0.5)).is_err());
}
