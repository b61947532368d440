//! Weights of terms in documents: Okapi's or learned ones.
//!
//! A weighting gives every term of a collection an importance and every pair of a term and a document a worth. The
//! score of a document for a query and the similarity of two documents are
//!
//! ```text
//! score(q, d) = Σ_t qtf_t importance_t worth_td          similarity(a, b) = Σ_t importance_t worth_ta worth_tb
//! ```
//!
//! The similarity is a product of vectors with the entries `√importance worth`. So it is positive semidefinite by
//! construction, and so is its cosine.
//!
//! | weighting | importance | worth |
//! |---|---|---|
//! | Okapi | `(k1 + 1) idf`, as in [`Bm25`](super::Bm25) | `tf / (tf + k1 (1 - b + b length / mean length))` |
//! | learned | `idf curve(ln N / df)²` | `tf curve(ln tf) · length curve(ln length / mean length)` |
//!
//! Learned weights are those of LinkLearn (eq. 3), where the similarity is the product of such weights of both texts. A
//! query's own worths are its counts.

use rayon::prelude::*;

use super::bm25::{Best, Bm25Params, Hit, idf, saturated};
use super::curve::Curves;
use super::index::{DocumentId, Index, Posting, Query, TermId};
use crate::Result;

/// A way to weigh the terms of documents.
#[derive(Debug, Clone, PartialEq)]
pub enum Weighting {
    /// Okapi BM25.
    Okapi(Bm25Params),
    /// Learned from links.
    Learned(Curves),
}

impl Default for Weighting {
    fn default() -> Self {
        Self::Okapi(Bm25Params::default())
    }
}

impl Weighting {
    /// This weighting over the documents of an index. `O(postings)`.
    ///
    /// # Errors
    /// If the constants of Okapi are out of range.
    pub fn over<'a>(&self, index: &'a Index) -> Result<Weighted<'a>> {
        if let Self::Okapi(params) = self {
            params.check()?;
        }
        let importance = |term: u32| self.importance(index.len(), index.document_frequency(TermId(term)));
        let importance = (0..index.terms() as u32).map(importance).collect();
        let worths = Worths::new(self, index);
        let worth = |posting: &Posting| worths.of(posting.document, posting.frequency);
        let by_posting = index.postings.par_iter().map(worth).collect();
        Ok(Weighted { index, weighting: self.clone(), importance, worths, by_posting })
    }

    /// The worth of a term that stands so often in a text of this length over the mean.
    fn worth(&self, frequency: u32, relative: f64) -> f64 {
        match self {
            Self::Okapi(params) => saturated(frequency, params.norm(relative)),
            Self::Learned(curves) => curves.tf.at(f64::from(frequency).ln()) * curves.length.at(relative.ln()),
        }
    }

    /// The importance of a term that some of all documents have.
    fn importance(&self, all: usize, having: usize) -> f64 {
        match self {
            Self::Okapi(params) => (params.k1 + 1.0) * idf(all, having),
            Self::Learned(curves) => curves.idf.at((all as f64 / having as f64).ln()).powi(2),
        }
    }
}

/// The worths of frequencies in documents.
#[derive(Debug, Clone)]
enum Worths {
    /// `[document]`: the number added to a frequency below the line.
    Okapi { norms: Vec<f64> },
    /// The worths of frequencies from 1 on, before the factor of the document.
    Learned { few: Vec<f64>, curves: Curves, factors: Vec<f64> },
}

/// Frequencies whose worths are tabulated.
const FEW: u32 = 256;

impl Worths {
    fn new(weighting: &Weighting, index: &Index) -> Self {
        let lengths = index.lengths.iter().map(|&length| index.relative(length));
        match weighting {
            Weighting::Okapi(params) => Self::Okapi { norms: lengths.map(|length| params.norm(length)).collect() },
            Weighting::Learned(curves) => Self::Learned {
                few: (1..=FEW).map(|frequency| curves.tf.at(f64::from(frequency).ln())).collect(),
                factors: lengths.map(|length| curves.length.at(length.ln())).collect(),
                curves: curves.clone(),
            },
        }
    }

    fn of(&self, document: DocumentId, frequency: u32) -> f64 {
        match self {
            Self::Okapi { norms } => saturated(frequency, norms[document.index()]),
            Self::Learned { few, curves, factors } => {
                let tf = few.get(frequency as usize - 1).copied();
                tf.unwrap_or_else(|| curves.tf.at(f64::from(frequency).ln())) * factors[document.index()]
            }
        }
    }
}

/// A weighting over the documents of an index. 8 bytes per posting, term and document, beside the index.
#[derive(Debug, Clone)]
pub struct Weighted<'a> {
    index: &'a Index,
    weighting: Weighting,
    importance: Vec<f64>,
    worths: Worths,
    /// The worths of the postings of the index.
    by_posting: Vec<f64>,
}

impl<'a> Weighted<'a> {
    /// The index.
    pub fn index(&self) -> &'a Index {
        self.index
    }

    /// The importance of a term, above 0.
    pub fn importance(&self, term: TermId) -> f64 {
        self.importance[term.index()]
    }

    /// The worth of a term that stands so often in a document, at least once; above 0.
    pub fn worth(&self, document: DocumentId, frequency: u32) -> f64 {
        self.worths.of(document, frequency)
    }

    /// Writes the score of every document to `out`, for terms with their worths in the query. Documents without such a
    /// term get 0. Linear in the documents and in the postings of the terms.
    pub(super) fn add_up(&self, query: impl IntoIterator<Item = (TermId, f64)>, out: &mut [f64]) {
        out.fill(0.0);
        for (term, own) in query {
            let factor = own * self.importance[term.index()];
            let worths = &self.by_posting[self.index.starts[term.index()]..];
            for (posting, worth) in self.index.postings(term).iter().zip(worths) {
                out[posting.document.index()] += factor * worth;
            }
        }
    }

    /// The score of every document; 0 without a term of the query.
    pub fn scores(&self, query: &Query) -> Vec<f64> {
        let mut scores = vec![0.0; self.index.len()];
        self.add_up(query.terms().iter().map(|&(term, repeats)| (term, f64::from(repeats))), &mut scores);
        scores
    }

    /// The `top` best documents, best first; equal scores in the order of the index. Documents without a term of the
    /// query are not among them.
    pub fn search(&self, query: &Query, top: usize) -> Vec<Hit> {
        best(&self.scores(query), top)
    }

    /// [`Weighted::search`] for many queries in parallel.
    pub fn search_all(&self, queries: &[Query], top: usize) -> Vec<Vec<Hit>> {
        queries.par_iter().map(|query| self.search(query, top)).collect()
    }

    /// The documents as sparse vectors of length 1, whose products are the cosines of their similarity. A document
    /// without terms has an empty one.
    pub fn vectors(&self) -> TermVectors {
        let documents = self.index.by_document();
        let row = |document: u32| {
            let document = DocumentId(document);
            let entry = |&(term, frequency): &(TermId, u32)| {
                (term, self.importance(term).sqrt() * self.worth(document, frequency))
            };
            unit(documents.terms(document).iter().map(entry).collect())
        };
        let (rows, norms) = (0..self.index.len() as u32).into_par_iter().map(row).unzip();
        TermVectors { rows, norms }
    }

    /// A text as such a vector. Words that the collection does not have are left out.
    pub fn vector(&self, text: &str) -> Vec<(TermId, f64)> {
        let query = self.index.query(text);
        let length = self.index.relative(query.len() as u32);
        let entry = |&(term, frequency): &(TermId, u32)| {
            (term, self.importance(term).sqrt() * self.weighting.worth(frequency, length))
        };
        unit(query.terms().iter().map(entry).collect()).0
    }
}

/// The vector with this direction and length 1, and its length before; the empty one stays.
fn unit(mut row: Vec<(TermId, f64)>) -> (Vec<(TermId, f64)>, f64) {
    let length = row.iter().map(|(_, value)| value * value).sum::<f64>().sqrt();
    row.iter_mut().for_each(|(_, value)| *value /= length);
    (row, length)
}

/// One sparse vector of length 1 per document, in order of term. 16 bytes per posting.
#[derive(Debug, Clone)]
pub struct TermVectors {
    rows: Vec<Vec<(TermId, f64)>>,
    /// The lengths that the vectors had.
    norms: Vec<f64>,
}

impl TermVectors {
    /// The vector of a document.
    pub fn row(&self, document: DocumentId) -> &[(TermId, f64)] {
        &self.rows[document.index()]
    }

    /// The lengths of the vectors before they got length 1; 0 for a document without terms.
    pub(super) fn norms(&self) -> &[f64] {
        &self.norms
    }

    /// All vectors, in the order of the index.
    pub fn rows(&self) -> &[Vec<(TermId, f64)>] {
        &self.rows
    }
}

/// The `top` best documents with a score above 0.
pub(super) fn best(scores: &[f64], top: usize) -> Vec<Hit> {
    let mut best = Best::new(top);
    for (document, &score) in scores.iter().enumerate() {
        if top > 0 && score > best.threshold() {
            best.push(Hit { document: DocumentId(document as u32), score });
        }
    }
    best.into_hits()
}
