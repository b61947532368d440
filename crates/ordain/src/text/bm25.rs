//! Okapi BM25.
//!
//! The score of document d for query q is
//!
//! ```text
//! Σ_t  qtf_t · idf_t · tf (k1 + 1) / (tf + k1 (1 - b + b |d| / mean length))      over the terms t of q,
//! idf_t = ln(1 + (N - df_t + 1/2) / (df_t + 1/2))
//! ```
//!
//! with tf how often t stands in d and qtf_t how often in q. Reference: S. Robertson and H. Zaragoza, The Probabilistic
//! Relevance Framework: BM25 and Beyond, Foundations and Trends in Information Retrieval 3(4), 2009, equation 3.15, with
//! the factor k1 + 1 that makes a single occurrence in a document of mean length worth its idf.
//!
//! Deviations: the 1 inside the logarithm, as in Lucene, without which a term of more than half of the documents would
//! count against those that have it; and no saturation of qtf (k3 = ∞), as queries are short.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::index::{DocumentId, Index, Posting, Query, TermId};
use crate::{Error, Result};

/// The two constants of BM25.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25Params {
    /// How slowly repetitions of a term saturate: 0 counts a term once, large values in proportion; 1.2 by default.
    pub k1: f64,
    /// How much long documents are held back: from 0 for not at all to 1 for in full; 0.75 by default.
    pub b: f64,
}

impl Default for Bm25Params {
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75 }
    }
}

/// Beyond this k1 a score is in proportion to the frequency to within rounding.
const LARGEST_K1: f64 = 1e9;

impl Bm25Params {
    /// BM25 over the documents of an index. `O(documents)`.
    ///
    /// # Errors
    /// If `k1` is not between 0 and 1e9 or `b` not between 0 and 1.
    pub fn over(self, index: &Index) -> Result<Bm25<'_>> {
        check("k1", self.k1, LARGEST_K1, "a number from 0 to 1e9")?;
        check("b", self.b, 1.0, "a number from 0 to 1")?;
        let mean = index.mean_length();
        let relative = |length: u32| if mean > 0.0 { f64::from(length) / mean } else { 1.0 };
        let norms = index.lengths.iter().map(|&length| self.k1 * (1.0 - self.b + self.b * relative(length)));
        Ok(Bm25 { index, params: self, norms: norms.collect() })
    }
}

fn check(name: &str, value: f64, largest: f64, expected: &'static str) -> Result<()> {
    if (0.0..=largest).contains(&value) {
        return Ok(());
    }
    Err(Error::Parameter { name: name.into(), value, expected })
}

/// A document found for a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The document.
    pub document: DocumentId,
    /// Its score, above 0.
    pub score: f64,
}

/// BM25 over the documents of an index: 8 bytes a document beside it.
#[derive(Debug, Clone)]
pub struct Bm25<'a> {
    index: &'a Index,
    params: Bm25Params,
    /// `[document]`: what is added to a frequency below the line.
    norms: Vec<f64>,
}

/// Documents whose scores are summed at a time: they fit the fastest cache, together with their norms.
const BLOCK: usize = 2048;

impl Bm25<'_> {
    /// What a term is worth: `ln(1 + (N - df + 1/2) / (df + 1/2))`, above 0.
    pub fn idf(&self, term: TermId) -> f64 {
        let (all, having) = (self.index.len() as f64, self.index.document_frequency(term) as f64);
        ((all - having + 0.5) / (having + 0.5)).ln_1p()
    }

    /// The `top` best documents, best first; equal ones in the order of the index. Documents without a term of the query
    /// are not among them.
    ///
    /// Time: linear in the postings of the query's terms, and in the blocks of documents these touch.
    pub fn search(&self, query: &Query, top: usize) -> Vec<Hit> {
        let mut best = Best::new(top);
        self.blocks(query, |first, scores| best.offer(first, scores));
        best.into_hits()
    }

    /// [`Bm25::search`] for many queries in parallel.
    pub fn search_all(&self, queries: &[Query], top: usize) -> Vec<Vec<Hit>> {
        queries.par_iter().map(|query| self.search(query, top)).collect()
    }

    /// The score of every document with a term of the query, in the order of the index.
    pub fn scores(&self, query: &Query) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.blocks(query, |first, scores| {
            let found = scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
            hits.extend(found.map(|(at, &score)| Hit { document: DocumentId(first + at as u32), score }));
        });
        hits
    }

    /// Sums the scores of all documents, block by block; blocks without any are left out. `each` is given the first
    /// document of a block and the scores from there on.
    fn blocks(&self, query: &Query, mut each: impl FnMut(u32, &[f64])) {
        let factor = |(term, repeats): &(TermId, u32)| f64::from(*repeats) * self.idf(*term) * (self.params.k1 + 1.0);
        let mut lists: Vec<(f64, &[Posting])> =
            query.terms().iter().map(|term| (factor(term), self.index.postings(term.0))).collect();
        let mut scores = [0.0; BLOCK];
        while let Some(next) = lists.iter().filter_map(|(_, list)| list.first()).map(|first| first.document.0).min() {
            let first = next - next % BLOCK as u32;
            let norms = &self.norms[first as usize..];
            let norms = &norms[..norms.len().min(BLOCK)];
            for (factor, list) in &mut lists {
                *list = add(*factor, list, first, norms, &mut scores);
            }
            each(first, &scores[..norms.len()]);
            scores.fill(0.0);
        }
    }
}

/// Adds a term's part to the scores of the block of documents that begins with `first`; the postings beyond are left.
fn add<'p>(factor: f64, list: &'p [Posting], first: u32, norms: &[f64], scores: &mut [f64; BLOCK]) -> &'p [Posting] {
    for (at, posting) in list.iter().enumerate() {
        let place = (posting.document.0 - first) as usize;
        let (Some(norm), Some(score)) = (norms.get(place), scores.get_mut(place)) else { return &list[at..] };
        let frequency = f64::from(posting.frequency);
        *score += factor * (frequency / (frequency + norm));
    }
    &[]
}

/// The best documents so far, the worst of them at the top of the heap.
struct Best {
    top: usize,
    heap: BinaryHeap<Worst>,
}

/// A hit ordered by how bad it is: the lower score, then the later document.
struct Worst(Hit);

impl Best {
    fn new(top: usize) -> Self {
        Self { top, heap: BinaryHeap::new() }
    }

    /// Documents come in order, so that of equal scores the first to come stays.
    fn offer(&mut self, first: u32, scores: &[f64]) {
        if self.top == 0 {
            return;
        }
        let mut threshold = self.threshold();
        for (at, &score) in scores.iter().enumerate() {
            if score > threshold {
                if self.heap.len() == self.top {
                    self.heap.pop();
                }
                self.heap.push(Worst(Hit { document: DocumentId(first + at as u32), score }));
                threshold = self.threshold();
            }
        }
    }

    /// What a score must exceed.
    fn threshold(&self) -> f64 {
        if self.heap.len() < self.top { 0.0 } else { self.heap.peek().map_or(0.0, |worst| worst.0.score) }
    }

    fn into_hits(self) -> Vec<Hit> {
        self.heap.into_sorted_vec().into_iter().map(|worst| worst.0).collect()
    }
}

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.total_cmp(&self.0.score).then(self.0.document.cmp(&other.0.document))
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Worst {}
