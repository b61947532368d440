//! Kernels to ask about.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use ordain::data::{Attributes, Link, Relation};
use ordain::formats::{Table, read_letor};
use ordain::kernel::{
    Form, Graph, Independent, Kernel, RegularizedLaplacian, Rho, Role, VectorKernel, Vectors, WeightedSum,
};
use ordain::numeric::Seed;
use rand::{Rng, RngExt};

use crate::common::normal;

/// Public data, where they are at hand.
fn data(path: &str) -> Option<PathBuf> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("ORDAIN_DATA").map_or_else(default, PathBuf::from).join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: no {}; set ORDAIN_DATA to the folder of public data", path.display());
    None
}

pub fn attributes(rows: &[Vec<f64>]) -> Attributes {
    let names = (0..rows[0].len()).map(|number| format!("x{number}")).collect();
    Attributes::new(names, rows.len(), rows.concat()).unwrap()
}

/// Squared exponential of these, plus something of each item's own.
fn smooth(attributes: &Attributes, rho: f64, own: f64) -> Arc<dyn Kernel> {
    let form = Form::SquaredExponential { kappa: 1.5, rho: Rho::Shared(rho) };
    let vector = VectorKernel::new(Vectors::from_attributes(attributes).unwrap(), form).unwrap();
    let parts: Vec<(f64, Box<dyn Kernel>)> =
        vec![(1.0, Box::new(vector)), (own, Box::new(Independent::new(attributes.items())))];
    Arc::new(WeightedSum::new(parts).unwrap())
}

pub fn points(n: usize, count: usize, stream: &mut impl Rng) -> Vec<Vec<f64>> {
    (0..n).map(|_| (0..count).map(|_| normal(stream)).collect()).collect()
}

/// Items with so many attributes.
pub fn random(n: usize, count: usize, seed: u64) -> Arc<dyn Kernel> {
    let mut stream = Seed(seed).stream(0);
    smooth(&attributes(&points(n, count, &mut stream)), 1.0 / (count as f64).sqrt(), 0.3)
}

/// Pairs of items that differ by a ten-millionth in their attributes, and have nothing of their own.
pub fn near_twins(n: usize, seed: u64) -> Arc<dyn Kernel> {
    let mut stream = Seed(seed).stream(0);
    let mut rows = points(n, 3, &mut stream);
    for item in (1..n).step_by(2) {
        rows[item] = rows[item - 1].iter().map(|value| value + 1e-7 * normal(&mut stream)).collect();
    }
    let form = Form::SquaredExponential { kappa: 1.5, rho: Rho::Shared(0.7) };
    Arc::new(VectorKernel::new(Vectors::from_attributes(&attributes(&rows)).unwrap(), form).unwrap())
}

pub fn random_relation(n: usize, links: usize, seed: u64) -> Relation {
    let mut stream = Seed(seed).stream(1);
    let mut link = || Link {
        source: stream.random_range(0..n as u32),
        target: stream.random_range(0..n as u32),
        weight: stream.random_range(0.2..2.0),
    };
    Relation::new(n, (0..links).map(|_| link()).collect()).unwrap()
}

/// A regularized Laplacian and something of each item's own: columns come by solves.
fn linked_by(relation: &Relation) -> Arc<dyn Kernel> {
    let n = relation.items();
    let graph = Graph::new(n, relation, Role::Undirected).unwrap();
    let laplacian = RegularizedLaplacian::new(graph, 0.5, 2.0).unwrap();
    let parts: Vec<(f64, Box<dyn Kernel>)> = vec![(1.0, Box::new(laplacian)), (0.5, Box::new(Independent::new(n)))];
    Arc::new(WeightedSum::new(parts).unwrap())
}

/// Links at random.
pub fn linked(n: usize, links: usize, seed: u64) -> Arc<dyn Kernel> {
    linked_by(&random_relation(n, links, seed))
}

/// Links and a linear part, of which no covariance is a bound.
pub fn linked_without_floor(n: usize, links: usize, seed: u64) -> Arc<dyn Kernel> {
    let graph = Graph::new(n, &random_relation(n, links, seed), Role::Undirected).unwrap();
    let laplacian = RegularizedLaplacian::new(graph, 0.5, 2.0).unwrap();
    let vectors = Vectors::from_attributes(&attributes(&points(n, 3, &mut Seed(seed).stream(2)))).unwrap();
    let linear = VectorKernel::new(vectors, Form::Linear { kappa: 0.5 }).unwrap();
    Arc::new(WeightedSum::new(vec![(1.0, Box::new(laplacian)), (1.0, Box::new(linear))]).unwrap())
}

/// The first queries of LETOR OHSUMED with 140 to 160 documents, with their 25 attributes standardized.
pub fn ohsumed(count: usize) -> Option<Vec<Arc<dyn Kernel>>> {
    let letor = read_letor(data("letor-ohsumed/S1.txt.gz")?).unwrap();
    let groups = letor.items.groups().unwrap();
    let members = (0..groups.len()).map(|group| groups.members(group)).filter(|all| (140..=160).contains(&all.len()));
    let kernel = |members: &[ordain::data::ItemId]| {
        let rows: Vec<Vec<f64>> =
            members.iter().map(|item| letor.items.attributes().row(item.index()).to_vec()).collect();
        smooth(&attributes(&rows).standardized(None).unwrap(), 0.2, 0.3)
    };
    let kernels: Vec<_> = members.take(count).map(kernel).collect();
    assert_eq!(kernels.len(), count);
    Some(kernels)
}

/// The 3,204 documents of CACM and what links them; or only those that are linked.
pub fn cacm(linked_only: bool) -> Option<Arc<dyn Kernel>> {
    let table = Table::read(data("classic-ir/cacm/relations.tsv.gz")?).unwrap();
    let [doc, other, kind, weight] = ["doc", "other", "type", "weight"].map(|name| table.column(name).unwrap());
    let rows: Vec<usize> = (0..table.len())
        .filter(|&row| table.cell(row, kind) == "link" && table.cell(row, doc) != table.cell(row, other))
        .collect();
    let name = |row: usize, column: usize| table.cell(row, column).parse::<u32>().unwrap();
    let linked: BTreeSet<u32> = rows.iter().flat_map(|&row| [name(row, doc), name(row, other)]).collect();
    let documents: Vec<u32> = if linked_only { linked.into_iter().collect() } else { (1..=3204).collect() };
    let number = |name: u32| documents.binary_search(&name).unwrap() as u32;
    let link = |row: usize| Link {
        source: number(name(row, doc)),
        target: number(name(row, other)),
        weight: table.cell(row, weight).parse().unwrap(),
    };
    Some(linked_by(&Relation::new(documents.len(), rows.into_iter().map(link).collect()).unwrap()))
}
