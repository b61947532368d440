//! `xpgp-ohsumed`: XPGP's figure 2 on LETOR's OHSUMED.

use ordain::{InputError, Result};
use rand::seq::SliceRandom;

use super::models::Model;
use super::{KnownPairs, Study};
use crate::collections::letor;
use crate::data::DataFolder;
use crate::experiment::{Experiment, Options};

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
    data: &letor::OHSUMED,
    settings: 2,
    program: &KnownPairs { claimed_cut: Some((0.12, 0.40)), load },
};

/// Queries need as many pairs, so that at least half of them remain.
const LEAST_PAIRS: usize = 400;

/// The queries and the way to draw among them.
///
/// # Errors
/// If files cannot be read or have too few queries.
pub fn load(folder: &DataFolder, options: Options) -> Result<Study> {
    let queries = letor::read_all(folder, &letor::OHSUMED)?;
    let (measured, tuned_on, reruns, tuning_draws) = if options.quick { (3, 3, 2, 1) } else { (10, 10, 20, 3) };
    let mut usable: Vec<usize> = (0..queries.len()).filter(|&at| queries[at].pairs.len() >= LEAST_PAIRS).collect();
    if usable.len() < measured + tuned_on {
        let expected = format!("{} queries with {LEAST_PAIRS} pairs or more", measured + tuned_on);
        let error =
            InputError::new(folder.file(&letor::OHSUMED[0]), expected).found(format!("{} queries", usable.len()));
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
        models: Model::PAPER.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use ordain::numeric::Seed;

    use super::*;
    use crate::data::real_data;

    /// The published counts: 106 queries and 16,140 documents.
    #[test]
    fn the_set_as_published() {
        let Some(folder) = real_data(&letor::OHSUMED[0]) else { return };
        let study = load(&folder, Options { seed: Seed(1), quick: false }).unwrap();
        let documents: usize = study.queries.iter().map(|query| query.items.len()).sum();
        assert_eq!((study.queries.len(), documents), (106, 16_140));
        assert_eq!((study.measured.len(), study.tuned_on[0].len()), (10, 10));
        assert!(study.measured.iter().all(|(query, _)| !study.tuned_on[0].contains(query)));
    }
}
