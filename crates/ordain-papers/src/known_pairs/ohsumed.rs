//! `xpgp-ohsumed`: XPGP's figure 2 on LETOR's OHSUMED.

use std::collections::BTreeSet;

use ordain::data::{Attributes, ItemId, Link, Relation};
use ordain::formats::read_letor;
use ordain::kernel::{Form, Kernel, VectorKernel, Vectors};
use ordain::{InputError, Result};
use rand::seq::SliceRandom;

use super::query::Query;
use super::{KnownPairs, Study};
use crate::data::{DataFile, DataFolder};
use crate::experiment::{Experiment, Options};

const ORIGIN: &str = "a part of LETOR's OHSUMED set (Microsoft Research; Liu et al. 2007, Hersh et al. 1994)";

const fn part(path: &'static str) -> DataFile {
    DataFile { path, form: "lines \"GRADE qid:QUERY 1:NUMBER 2:NUMBER ... #docid = ID\"", origin: ORIGIN }
}

const FILES: [DataFile; 5] = [
    part("letor-ohsumed/S1.txt.gz"),
    part("letor-ohsumed/S2.txt.gz"),
    part("letor-ohsumed/S3.txt.gz"),
    part("letor-ohsumed/S4.txt.gz"),
    part("letor-ohsumed/S5.txt.gz"),
];

pub const EXPERIMENT: Experiment = Experiment {
    name: "xpgp-ohsumed",
    title: "Relevance feedback on OHSUMED, with links by similarity",
    paper: "Kersting, Xu: Learning preferences with hidden common cause relations (XPGP)",
    figure: "figure 2",
    duration: "4 minutes",
    claim: "In all cases XPGP outperforms the models without links, significantly by the Wilcoxon rank-sum test \
            (p < 0.01), and most where few pairs are known; it cuts the mean error rate by 12 to 40 %. The two graph \
            kernels perform similarly.",
    setting: "10 random queries; 100, 150 or 200 known pairs; 20 reruns; error rate and AUC on the remaining pairs.",
    design: &[
        "Documents are those of LETOR for the query, with its 25 features, standardized within the query. A pair is any \
         two documents of different grade (0, 1, 2).",
        "The paper links documents by the cosine of their contents (keywords), which LETOR does not bring. Here every \
         document is linked to the 10 nearest by the cosine of the standardized feature vectors, where it is positive; \
         the cosine is the weight.",
        "10 queries to measure on and 10 others to tune on are drawn among those with 400 pairs or more.",
    ],
    differences: &[
        "The links are made of the same 25 numbers as the attributes, so they bring no information of their own, \
         which the paper's keyword similarities do. What links can add here is only a second shape of smoothness.",
        "With 100 pairs and more most documents of a query were seen in one, so that what is a document's own nearly \
         settles the matter: error rates are a few in a hundred, where the paper's axis reaches 0.3, and little is left to \
         cut.",
        "All Gaussian processes here have a part of a document's own. The paper's PGP has the kernel over attributes alone, \
         while the diagonal of XPGP's graph kernels acts as such a part, so that some of its gain need not come from links.",
        "The paper tunes by the evidence (EM-EP). Here that is only where the search may start. The evidence asks how well \
         the known pairs predict each other, few of which share a document, and so favours the attributes; the experiment \
         asks for pairs whose documents were mostly seen, where what is a document's own and its links count.",
    ],
    data: &FILES,
    settings: 2,
    program: &KnownPairs { claimed_cut: (0.12, 0.40), load },
};

/// Documents nearest by cosine that each is linked to.
const NEAREST: usize = 10;

/// Queries need as many pairs, so that at least half of them remain.
const LEAST_PAIRS: usize = 400;

fn load(folder: &DataFolder, options: Options) -> Result<Study> {
    let mut queries = Vec::new();
    for file in &FILES {
        queries.extend(read(folder, file)?);
    }
    let (measured, tuned_on, reruns, tuning_draws) = if options.quick { (3, 3, 2, 1) } else { (10, 10, 20, 3) };
    let mut usable: Vec<usize> = (0..queries.len()).filter(|&at| queries[at].pairs.len() >= LEAST_PAIRS).collect();
    if usable.len() < measured + tuned_on {
        let expected = format!("{} queries with {LEAST_PAIRS} pairs or more", measured + tuned_on);
        let error = InputError::new(folder.file(&FILES[0]), expected).found(format!("{} queries", usable.len()));
        return Err(error.into());
    }
    usable.shuffle(&mut options.seed.stream(0));
    Ok(Study {
        queries,
        known: vec![100, 150, 200],
        reruns,
        tuning_draws,
        tuned_on: vec![usable[measured..measured + tuned_on].to_vec()],
        measured: usable[..measured].iter().map(|&query| (query, 0)).collect(),
    })
}

/// The queries of a part.
fn read(folder: &DataFolder, file: &DataFile) -> Result<Vec<Query>> {
    let path = folder.file(file);
    let letor = read_letor(&path)?;
    let Some(groups) = letor.items.groups() else {
        return Err(InputError::new(&path, "lines with a qid").found("none").into());
    };
    let all = letor.items.attributes();
    let mut queries = Vec::with_capacity(groups.len());
    for group in 0..groups.len() {
        let members = groups.members(group);
        let values = members.iter().flat_map(|item| all.row(item.index())).copied().collect();
        let attributes = Attributes::new(all.names().to_vec(), members.len(), values)?;
        let relation = nearest_by_cosine(&attributes)?;
        let ids = members.iter().map(|&item| letor.items.id(item).to_owned()).collect();
        let grades: Vec<f64> = members.iter().map(|item| letor.grades[item.index()]).collect();
        queries.push(Query::new(groups.names()[group].clone(), ids, &attributes, relation, &grades)?);
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
    use ordain::numeric::Seed;

    use super::*;
    use crate::data::real_data;

    /// The published counts: 106 queries and 16,140 documents.
    #[test]
    fn the_set_as_published() {
        let Some(folder) = real_data(&FILES[0]) else { return };
        let study = load(&folder, Options { seed: Seed(1), quick: false }).unwrap();
        let documents: usize = study.queries.iter().map(|query| query.items.len()).sum();
        assert_eq!((study.queries.len(), documents), (106, 16_140));
        assert_eq!((study.measured.len(), study.tuned_on[0].len()), (10, 10));
        assert!(study.measured.iter().all(|(query, _)| !study.tuned_on[0].contains(query)));
    }

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
