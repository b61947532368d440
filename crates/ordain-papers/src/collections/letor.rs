//! LETOR's OHSUMED and MQ2008.

use std::collections::BTreeSet;

use ordain::data::{Attributes, ItemId, Link, Relation};
use ordain::formats::read_letor;
use ordain::kernel::{Form, Kernel, VectorKernel, Vectors};
use ordain::{InputError, Result};

use crate::data::{DataFile, DataFolder};
use crate::query::Query;

const FORM: &str = "lines \"GRADE qid:QUERY 1:NUMBER 2:NUMBER ... #docid = ID\"";

const fn ohsumed(path: &'static str) -> DataFile {
    let origin = "a part of LETOR's OHSUMED set (Microsoft Research; Liu et al. 2007, Hersh et al. 1994)";
    DataFile { path, form: FORM, origin }
}

const fn mq2008(path: &'static str) -> DataFile {
    DataFile { path, form: FORM, origin: "a part of LETOR 4.0's MQ2008 set (Microsoft Research; Qin, Liu 2013)" }
}

/// OHSUMED: 106 queries, 25 features, grades 0 to 2.
pub const OHSUMED: [DataFile; 5] = [
    ohsumed("letor-ohsumed/S1.txt.gz"),
    ohsumed("letor-ohsumed/S2.txt.gz"),
    ohsumed("letor-ohsumed/S3.txt.gz"),
    ohsumed("letor-ohsumed/S4.txt.gz"),
    ohsumed("letor-ohsumed/S5.txt.gz"),
];

/// MQ2008: 784 queries, 46 features, grades 0 to 2.
pub const MQ2008: [DataFile; 5] = [
    mq2008("letor-mq2008/S1.txt.gz"),
    mq2008("letor-mq2008/S2.txt.gz"),
    mq2008("letor-mq2008/S3.txt.gz"),
    mq2008("letor-mq2008/S4.txt.gz"),
    mq2008("letor-mq2008/S5.txt.gz"),
];

/// Documents nearest by cosine that each is linked to.
const NEAREST: usize = 10;

/// The queries of all parts.
///
/// # Errors
/// If a file cannot be read.
pub fn read_all(folder: &DataFolder, files: &[DataFile]) -> Result<Vec<Query>> {
    read_some(folder, files, |_| true)
}

/// Those whose documents have grades that will do.
///
/// # Errors
/// If a file cannot be read.
pub fn read_some(folder: &DataFolder, files: &[DataFile], will_do: impl Fn(&[f64]) -> bool) -> Result<Vec<Query>> {
    let mut queries = Vec::new();
    for file in files {
        queries.extend(read(folder, file, &will_do)?);
    }
    Ok(queries)
}

/// The queries of a part.
fn read(folder: &DataFolder, file: &DataFile, will_do: &impl Fn(&[f64]) -> bool) -> Result<Vec<Query>> {
    let path = folder.file(file);
    let letor = read_letor(&path)?;
    let Some(groups) = letor.items.groups() else {
        return Err(InputError::new(&path, "lines with a qid").found("none").into());
    };
    let all = letor.items.attributes();
    let mut queries = Vec::with_capacity(groups.len());
    for group in 0..groups.len() {
        let members = groups.members(group);
        let grades: Vec<f64> = members.iter().map(|item| letor.grades[item.index()]).collect();
        if !will_do(&grades) {
            continue;
        }
        let values = members.iter().flat_map(|item| all.row(item.index())).copied().collect();
        let attributes = Attributes::new(all.names().to_vec(), members.len(), values)?;
        let relation = nearest_by_cosine(&attributes)?;
        let ids = members.iter().map(|&item| letor.items.id(item).to_owned()).collect();
        queries.push(Query::new(groups.names()[group].clone(), ids, &attributes, relation, grades)?);
    }
    Ok(queries)
}

/// Every document linked to the nearest ones by the cosine of standardized attributes, which is the weight.
fn nearest_by_cosine(attributes: &Attributes) -> Result<Relation> {
    let vectors = Vectors::from_attributes(&attributes.standardized(None)?)?;
    let cosine = VectorKernel::new(vectors, Form::Cosine { kappa: 1.0 })?.matrix()?;
    let n = attributes.items();
    // A link counts once, whether one end chose it or both.
    let mut linked = BTreeSet::new();
    for item in 0..n {
        let column = cosine.column(item);
        let mut others: Vec<usize> = (0..n).filter(|&other| other != item && column[other] > 0.0).collect();
        others.sort_by(|&a, &b| column[b].total_cmp(&column[a]).then(a.cmp(&b)));
        linked.extend(others.into_iter().take(NEAREST).map(|other| (item.min(other), item.max(other))));
    }
    let link = |(source, target): (usize, usize)| Link {
        source: ItemId::new(source).0,
        target: ItemId::new(target).0,
        weight: cosine[(source, target)],
    };
    Relation::new(n, linked.into_iter().map(link).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three directions: two near each other, one alone, and one the opposite of the first.
    #[test]
    fn nearest_have_positive_cosines() {
        let values = vec![1.0, 0.0, 1.0, 0.1, -1.0, 0.0, 0.0, -0.1];
        let attributes = Attributes::new(vec!["x".into(), "y".into()], 4, values).unwrap();
        let standardized = attributes.standardized(None).unwrap();
        let cosine = |a: usize, b: usize| {
            let dot = |a: usize, b: usize| -> f64 {
                standardized.row(a).iter().zip(standardized.row(b)).map(|(a, b)| a * b).sum()
            };
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        let relation = nearest_by_cosine(&attributes).unwrap();
        let linked = |a: u32, b: u32| relation.links().iter().find(|link| (link.source, link.target) == (a, b));
        for a in 0..4 {
            for b in a + 1..4 {
                match linked(a, b) {
                    // A few roundings of numbers near 1.
                    Some(link) => assert!((link.weight - cosine(a as usize, b as usize)).abs() < 1e-14),
                    None => assert!(cosine(a as usize, b as usize) <= 0.0),
                }
                assert!(linked(b, a).is_none());
            }
        }
        assert!(linked(0, 1).is_some() && linked(0, 2).is_none());
    }
}
