//! LETOR's OHSUMED, MQ2008 and MQ2008-agg.

use std::collections::BTreeSet;

use ordain::data::{Attributes, ItemId, Link, Relation};
use ordain::formats::read_letor;
use ordain::kernel::{Form, Kernel, VectorKernel, Vectors};
use ordain::{InputError, Result};

use crate::data::{DataCollection, DataFile, DataFolder};
use crate::query::Query;

const FORM: &str = "lines \"GRADE qid:QUERY 1:NUMBER 2:NUMBER ... #docid = ID\"";

const fn ohsumed(path: &'static str, sha256: &'static str) -> DataFile {
    const COLLECTION: DataCollection =
        DataCollection { name: "LETOR OHSUMED", makers: "Microsoft Research; Liu et al. 2007, Hersh et al. 1994" };
    DataFile { path, form: FORM, collection: &COLLECTION, sha256 }
}

const fn mq2008(path: &'static str, sha256: &'static str) -> DataFile {
    const COLLECTION: DataCollection =
        DataCollection { name: "LETOR MQ2008", makers: "Microsoft Research; Qin, Liu 2013" };
    DataFile { path, form: FORM, collection: &COLLECTION, sha256 }
}

const fn mq2008_agg(path: &'static str, sha256: &'static str) -> DataFile {
    const COLLECTION: DataCollection =
        DataCollection { name: "LETOR MQ2008-agg", makers: "Microsoft Research; Qin, Liu 2013" };
    let form = "lines \"GRADE qid:QUERY 1:RANK 2:NULL ... #docid = ID\"";
    DataFile { path, form, collection: &COLLECTION, sha256 }
}

/// OHSUMED: 106 queries, 25 features, grades 0 to 2.
pub const OHSUMED: [DataFile; 5] = [
    ohsumed("letor-ohsumed/S1.txt.gz", "6bc7cfab96d2546c98c389e188e61b4ce6837a3020cef5135d4bc249ddba4b05"),
    ohsumed("letor-ohsumed/S2.txt.gz", "cf38c22dd587d3018c96d8c7c48d1effe16992419575bd5a3afbe2afa83b23ec"),
    ohsumed("letor-ohsumed/S3.txt.gz", "2ee079642298c0995d0599d240dc1afa584a202e692847ec30e0d3f57337579d"),
    ohsumed("letor-ohsumed/S4.txt.gz", "4c4951fb896675a62c3e11527d33f9ec251753ef2810bf8c08bf07a0070844c8"),
    ohsumed("letor-ohsumed/S5.txt.gz", "ff390435ca5ab414818c1e7304fa9fb4c9bf55f6f11c3c94325c4ae07d86b4ec"),
];

/// MQ2008: 784 queries, 46 features, grades 0 to 2.
pub const MQ2008: [DataFile; 5] = [
    mq2008("letor-mq2008/S1.txt.gz", "10212482d6f19ef538242c119d951445ec0b1d486b9d5cf8d83c7f52e4d4026d"),
    mq2008("letor-mq2008/S2.txt.gz", "939b7307823c281098fcdf203455fccc93edc95c9367d00906d595fdfe9271db"),
    mq2008("letor-mq2008/S3.txt.gz", "032216a93a46abc681260be09f3d359f02de76e3099dbf667eaaa60b6a41c6b7"),
    mq2008("letor-mq2008/S4.txt.gz", "c7bc4ddf6645c84232b5e7055ef00678fc6fbbd7946e6a166aa483af76868085"),
    mq2008("letor-mq2008/S5.txt.gz", "1b76af5009fc175033f6490bd1b8d116e14168bf5bc7d4b20e0aad86e23b5381"),
];

/// LETOR's own results on OHSUMED.
pub const OHSUMED_PUBLISHED: DataFile = DataFile {
    form: "algorithm,set,fold,metric,value",
    ..ohsumed(
        "letor-ohsumed/published_baselines.csv",
        "8dc4f69951d76cc48bbfc848d50669db5e8572a679afaf3181cca0b162495a73",
    )
};

/// Scores of eight rankers that others trained on MQ2008.
pub const MQ2008_SCORES: DataFile = DataFile {
    form: "part, qid, docid, label and a score per ranker, separated by tabs",
    ..mq2008(
        "letor-mq2008/learned_ranker_scores.tsv.gz",
        "d50edb533a9d5ed9851ad2e767cece2066d523d9ac9a058011dab2c29f58fa2a",
    )
};

/// MQ2008-agg: 25 rankers' ranks of the documents of MQ2008.
pub const MQ2008_AGG: [DataFile; 5] = [
    mq2008_agg("letor-agg/mq2008-agg/A1.txt.gz", "80cc251ad8bf162efc728708b17c19a871ae748292414ee2aa8984214eff3ca5"),
    mq2008_agg("letor-agg/mq2008-agg/A2.txt.gz", "9ef327f5ff7bfd03780a611d627858b3297c98eba5c98fff3f0d984a3ef58bab"),
    mq2008_agg("letor-agg/mq2008-agg/A3.txt.gz", "71d66a9e6c28dd59bfa2caf6095ca42050838d6da343bf151b1b5d4c5077d9a9"),
    mq2008_agg("letor-agg/mq2008-agg/A4.txt.gz", "8d2b5d6d431842df3b38cbcaf8a10d75afda043a2ba49db25fef2cfec4c945e0"),
    mq2008_agg("letor-agg/mq2008-agg/A5.txt.gz", "ad11bb95bb53971ab416dddf4e6e7025cf3f8df8f771aba59279936a398cf610"),
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
