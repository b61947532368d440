//! Pseudo-relevance feedback: the best documents for a query say what else to look for.
//!
//! Two ways, both over any [`Weighting`](super::Weighting):
//!
//! - similar: the score is `score(q, d) / max + weight Σ_f p_f cos(f, d)`. Here f runs over the best documents, p_f is f's share of
//!   their scores, and cos is the cosine of the weighting's own similarity of documents. Scores spread to documents that
//!   are like the best ones (F. Diaz, Regularizing ad hoc retrieval scores, CIKM 2005). This is the use of a similarity that was learned
//!   between documents.
//! - RM3: the query becomes `weight q + (1 - weight) p(t)`, where `p(t) = Σ_f p_f tf_tf / length_f` over the most
//!   probable terms (N. Abdul-Jaleel and others, UMass at TREC 2004; relevance models: V. Lavrenko and W. B. Croft, SIGIR
//!   2001). Deviation: p_f is the share of the score, as scores here are not log-likelihoods.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::bm25::Hit;
use super::index::{Forward, Query, TermId};
use super::weighting::{TermVectors, Weighted, best};
use crate::{Error, Result};

/// What is done with the best documents of a first search.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Feedback {
    /// Documents that are like the best ones gain.
    Similar {
        /// The number of best documents.
        documents: usize,
        /// The weight of the likeness, beside the best score, which counts 1.
        weight: f64,
    },
    /// The query takes up the most probable terms of the best ones.
    Rm3 {
        /// The number of best documents.
        documents: usize,
        /// The number of terms.
        terms: usize,
        /// The share of the query itself.
        weight: f64,
    },
}

impl Feedback {
    /// Five documents with weight 2, found on CACM, Cranfield, Medline and NPL. Larger weights score higher on average, but hurt short queries.
    pub const SIMILAR: Self = Self::Similar { documents: 5, weight: 2.0 };
    /// The usual numbers: 10 documents, 20 terms, half of the query.
    pub const RM3: Self = Self::Rm3 { documents: 10, terms: 20, weight: 0.5 };

    fn check(self) -> Result<()> {
        let (weight, most, expected) = match self {
            Self::Similar { weight, .. } => (weight, f64::MAX, "a finite number, at least 0"),
            Self::Rm3 { weight, .. } => (weight, 1.0, "a number from 0 to 1"),
        };
        if (0.0..=most).contains(&weight) {
            return Ok(());
        }
        Err(Error::Parameter { name: "the weight of feedback".into(), value: weight, expected })
    }

    /// Feedback over the documents of an index. `O(postings)`.
    ///
    /// # Errors
    /// If the weight is out of range.
    pub fn over<'a>(self, weighted: &'a Weighted<'a>) -> Result<WithFeedback<'a>> {
        self.check()?;
        let kind = match self {
            Self::Similar { documents: count, weight } => Kind::Similar { count, weight, vectors: weighted.vectors() },
            Self::Rm3 { documents: count, terms, weight } => {
                Kind::Rm3 { count, terms, weight, documents: weighted.index().by_document() }
            }
        };
        Ok(WithFeedback { weighted, kind })
    }
}

/// A search with feedback. 16 bytes per posting, or 8 for RM3, beside the weighting.
#[derive(Debug, Clone)]
pub struct WithFeedback<'a> {
    weighted: &'a Weighted<'a>,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Similar { count: usize, weight: f64, vectors: TermVectors },
    Rm3 { count: usize, terms: usize, weight: f64, documents: Forward },
}

impl WithFeedback<'_> {
    /// The score of every document. If no document has a term of the query, all scores are 0.
    ///
    /// Linear in the documents, and in the postings of the terms of the query and of those that the best documents add.
    pub fn scores(&self, query: &Query) -> Vec<f64> {
        let first = self.weighted.scores(query);
        match &self.kind {
            Kind::Similar { count, weight, vectors } => self.similar(first, *count, *weight, vectors),
            Kind::Rm3 { count, terms, weight, documents } => {
                let best = shares(&first, *count);
                if best.is_empty() { first } else { self.rm3(query, &best, *terms, *weight, documents) }
            }
        }
    }

    /// The `top` best documents, best first; equal scores in the order of the index. Documents that neither have a term of the query nor
    /// share one with the best documents are not among them.
    pub fn search(&self, query: &Query, top: usize) -> Vec<Hit> {
        best(&self.scores(query), top)
    }

    /// [`WithFeedback::search`] for many queries in parallel.
    pub fn search_all(&self, queries: &[Query], top: usize) -> Vec<Vec<Hit>> {
        queries.par_iter().map(|query| self.search(query, top)).collect()
    }

    fn similar(&self, mut scores: Vec<f64>, count: usize, weight: f64, vectors: &TermVectors) -> Vec<f64> {
        let best = shares(&scores, count);
        let Some((first, _)) = best.first() else { return scores };
        let highest = first.score;
        let mut middle: BTreeMap<TermId, f64> = BTreeMap::new();
        for (hit, share) in &best {
            for &(term, value) in vectors.row(hit.document) {
                *middle.entry(term).or_default() += share * value;
            }
        }
        // Σ_f p_f cos(f, d) is the product of d's vector with the mean of theirs. `add_up` multiplies by importances
        // and worths, and d's vector is √importance worth over its norm.
        let mut likeness = vec![0.0; scores.len()];
        let terms = middle.into_iter().map(|(term, value)| (term, value / self.weighted.importance(term).sqrt()));
        self.weighted.add_up(terms, &mut likeness);
        for ((score, likeness), norm) in scores.iter_mut().zip(&likeness).zip(vectors.norms()) {
            *score = *score / highest + if *likeness > 0.0 { weight * likeness / norm } else { 0.0 };
        }
        scores
    }

    fn rm3(&self, query: &Query, best: &[(Hit, f64)], terms: usize, weight: f64, documents: &Forward) -> Vec<f64> {
        let mut probable: BTreeMap<TermId, f64> = BTreeMap::new();
        for (hit, share) in best {
            let length = f64::from(self.weighted.index().length(hit.document));
            for &(term, frequency) in documents.terms(hit.document) {
                *probable.entry(term).or_default() += share * f64::from(frequency) / length;
            }
        }
        let mut probable: Vec<(TermId, f64)> = probable.into_iter().collect();
        // A stable sort: equal probabilities stay in order of term.
        probable.sort_by(|one, other| other.1.total_cmp(&one.1));
        probable.truncate(terms);
        let all: f64 = probable.iter().map(|(_, probability)| probability).sum();
        let known: f64 = query.terms().iter().map(|(_, repeats)| f64::from(*repeats)).sum();
        let mut mixed: BTreeMap<TermId, f64> =
            probable.into_iter().map(|(term, probability)| (term, (1.0 - weight) * probability / all)).collect();
        for &(term, repeats) in query.terms() {
            *mixed.entry(term).or_default() += weight * f64::from(repeats) / known;
        }
        let mut scores = vec![0.0; self.weighted.index().len()];
        self.weighted.add_up(mixed, &mut scores);
        scores
    }
}

/// The best documents with their shares of the sum of their scores.
fn shares(scores: &[f64], count: usize) -> Vec<(Hit, f64)> {
    let best = best(scores, count);
    let all: f64 = best.iter().map(|hit| hit.score).sum();
    best.into_iter().map(|hit| (hit, hit.score / all)).collect()
}
