//! Okapi BM25.
//!
//! The score of document d for query q is
//!
//! ```text
//! Σ_t  qtf_t · idf_t · tf (k1 + 1) / (tf + k1 (1 - b + b |d| / mean length))      over the terms t of q,
//! idf_t = ln(1 + (N - df_t + 1/2) / (df_t + 1/2))
//! ```
//!
//! Here tf is the number of times that t stands in d, and qtf_t the number of times that it stands in q. Reference: S.
//! Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, Foundations and Trends in
//! Information Retrieval 3(4), 2009, equation 3.15. The factor k1 + 1 makes a single occurrence in a document of mean
//! length worth its idf.
//!
//! Deviations: the 1 inside the logarithm, as in Lucene; without it, a term of more than half of the documents would
//! count against those that have it. And no saturation of qtf (k3 = ∞), as queries are short.
//!
//! The best documents are found exactly, without scoring all. Once enough documents are known, terms that together
//! could not lift a document among them are looked up only in documents that have another term (MaxScore: H. Turtle and
//! J. Flood, Query evaluation: strategies and optimizations, Information Processing and Management 31(6), 1995). Sums
//! always go in one order, by the largest amount that a term can add, so scores have the same bits either way.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::index::{DocumentId, Index, Posting, Query, TermId};
use crate::params::setters;
use crate::{Error, Result};

/// The two constants of BM25.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Bm25Params {
    /// How slowly repetitions of a term saturate. 0 counts a term once, large values count in proportion. Default: 1.2.
    pub k1: f64,
    /// How much long documents are held back: from 0, not at all, to 1, in full. Default: 0.75.
    pub b: f64,
}

impl Default for Bm25Params {
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75 }
    }
}

setters! {
    Bm25Params:
    with_k1 = k1: f64,
    with_b = b: f64,
}

/// Beyond this k1, a score is proportional to the frequency up to rounding.
const LARGEST_K1: f64 = 1e9;

impl Bm25Params {
    /// BM25 over the documents of an index. `O(postings)`, in parallel.
    ///
    /// # Errors
    /// If `k1` is not between 0 and 1e9 or `b` not between 0 and 1.
    pub fn over(self, index: &Index) -> Result<Bm25<'_>> {
        self.check()?;
        let norms = index.lengths.iter().map(|&length| self.norm(index.relative(length)));
        let worths: Vec<Worth> = norms.map(Worth::new).collect();
        let peak = |term: u32| {
            let postings = index.postings(TermId(term)).iter();
            postings.map(|posting| worths[posting.document.index()].of(posting.frequency)).fold(0.0, f64::max)
        };
        let peaks = (0..index.terms() as u32).into_par_iter().map(peak).collect();
        Ok(Bm25 { index, params: self, worths, peaks })
    }

    /// Fails if a constant is out of range.
    pub(crate) fn check(self) -> Result<()> {
        check("k1", self.k1, LARGEST_K1, "a number from 0 to 1e9")?;
        check("b", self.b, 1.0, "a number from 0 to 1")
    }

    /// The number added to a frequency below the line, for a document of this length over the mean.
    pub(crate) fn norm(self, relative: f64) -> f64 {
        self.k1 * (1.0 - self.b + self.b * relative)
    }
}

/// The weight of a term that some of all documents have.
pub(super) fn idf(all: usize, having: usize) -> f64 {
    let (all, having) = (all as f64, having as f64);
    ((all - having + 0.5) / (having + 0.5)).ln_1p()
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

/// BM25 over the documents of an index. 40 bytes per document and 8 per term, beside the index.
#[derive(Debug, Clone)]
pub struct Bm25<'a> {
    index: &'a Index,
    params: Bm25Params,
    /// `[document]`
    worths: Vec<Worth>,
    /// `[term]`: the most that a frequency of the term is worth.
    peaks: Vec<f64>,
}

/// The worth of the frequencies of a term in a document.
#[derive(Debug, Clone)]
struct Worth {
    /// The worth of 1 to 4 occurrences. Most frequencies are that small, and a look-up is several times faster than a
    /// division.
    few: [f64; 4],
    /// The number added to a frequency below the line.
    norm: f64,
}

impl Worth {
    fn new(norm: f64) -> Self {
        Self { few: [1, 2, 3, 4].map(|frequency| saturated(frequency, norm)), norm }
    }

    /// The worth of a frequency, from 0 to 1.
    fn of(&self, frequency: u32) -> f64 {
        self.few.get(frequency as usize - 1).copied().unwrap_or_else(|| saturated(frequency, self.norm))
    }
}

/// `frequency / (frequency + norm)`.
pub(super) fn saturated(frequency: u32, norm: f64) -> f64 {
    let frequency = f64::from(frequency);
    frequency / (frequency + norm)
}

/// Documents whose scores are summed at a time. They fit the fastest cache, together with the worths of frequencies.
const BLOCK: usize = 1024;

/// Scores looked at together.
const STRIDE: usize = 16;

impl Bm25<'_> {
    /// The weight of a term: `ln(1 + (N - df + 1/2) / (df + 1/2))`, above 0.
    pub fn idf(&self, term: TermId) -> f64 {
        idf(self.index.len(), self.index.document_frequency(term))
    }

    /// The `top` best documents, best first; equal scores in the order of the index. Documents without a term of the
    /// query are not among them.
    ///
    /// Time is at most linear in the postings of the query's terms and in the documents of the blocks that these touch.
    /// The smaller `top`, the fewer are looked at.
    pub fn search(&self, query: &Query, top: usize) -> Vec<Hit> {
        let mut lists = self.lists(query);
        let rest = rest(&lists);
        let mut best = Best::new(top);
        let mut scores = [0.0; BLOCK];
        // A document that is in none of the first `needed` lists can no longer be among the best.
        let mut needed = if top == 0 { 0 } else { lists.len() };
        while let Some(first) = next_block(&lists[..needed]) {
            let (some, others) = lists.split_at_mut(needed);
            let worths = self.block(first);
            some.iter_mut().for_each(|list| list.add(first, worths, &mut scores));
            let mut floor = floor(best.threshold(), rest[needed]);
            for (at, few) in scores.chunks(STRIDE).enumerate() {
                // Usually none of a few documents is good enough. This check needs no branch per document.
                if !few.iter().fold(false, |any, &score| any | (score > floor)) {
                    continue;
                }
                for (at, &score) in (at * STRIDE..).zip(few) {
                    if score <= floor {
                        continue;
                    }
                    let document = DocumentId(first + at as u32);
                    let threshold = best.threshold();
                    if let Some(score) = complete(score, document, &worths[at], others, &rest[needed..], threshold) {
                        best.push(Hit { document, score });
                        floor = self::floor(best.threshold(), rest[needed]);
                    }
                }
            }
            scores.fill(0.0);
            while needed > 0 && out_of_reach(rest[needed - 1], best.threshold()) {
                needed -= 1;
            }
        }
        best.into_hits()
    }

    /// [`Bm25::search`] for many queries in parallel.
    pub fn search_all(&self, queries: &[Query], top: usize) -> Vec<Vec<Hit>> {
        queries.par_iter().map(|query| self.search(query, top)).collect()
    }

    /// The score of every document with a term of the query, in the order of the index.
    pub fn scores(&self, query: &Query) -> Vec<Hit> {
        let mut lists = self.lists(query);
        let mut hits = Vec::new();
        let mut scores = [0.0; BLOCK];
        while let Some(first) = next_block(&lists) {
            let worths = self.block(first);
            lists.iter_mut().for_each(|list| list.add(first, worths, &mut scores));
            let found = scores[..worths.len()].iter().enumerate().filter(|(_, score)| **score > 0.0);
            hits.extend(found.map(|(at, &score)| Hit { document: DocumentId(first + at as u32), score }));
            scores.fill(0.0);
        }
        hits
    }

    /// The terms of a query by the largest amount that they can add, the largest first.
    fn lists(&self, query: &Query) -> Vec<List<'_>> {
        let list = |&(term, repeats): &(TermId, u32)| {
            let factor = f64::from(repeats) * self.idf(term) * (self.params.k1 + 1.0);
            List { factor, most: factor * self.peaks[term.index()], postings: self.index.postings(term) }
        };
        let mut lists: Vec<List<'_>> = query.terms().iter().map(list).collect();
        // A stable sort: equal amounts stay in order of term.
        lists.sort_by(|a, b| b.most.total_cmp(&a.most));
        lists
    }

    /// The block that begins with this document.
    fn block(&self, first: u32) -> &[Worth] {
        let worths = &self.worths[first as usize..];
        &worths[..worths.len().min(BLOCK)]
    }
}

/// A term of a query with its remaining postings.
struct List<'a> {
    factor: f64,
    /// The largest amount that it adds to a score.
    most: f64,
    postings: &'a [Posting],
}

impl List<'_> {
    /// Adds the term's part to the scores of the block that begins with `first`, and moves beyond it.
    fn add(&mut self, first: u32, worths: &[Worth], scores: &mut [f64; BLOCK]) {
        // Postings before the block belong to documents that other terms have decided.
        self.seek(DocumentId(first));
        for (at, posting) in self.postings.iter().enumerate() {
            let place = (posting.document.0 - first) as usize;
            let (Some(worth), Some(score)) = (worths.get(place), scores.get_mut(place)) else {
                self.postings = &self.postings[at..];
                return;
            };
            *score += self.factor * worth.of(posting.frequency);
        }
        self.postings = &[];
    }

    /// The term's part of the score of a document. Documents must come in order.
    fn part(&mut self, document: DocumentId, worth: &Worth) -> f64 {
        self.seek(document);
        match self.postings.first() {
            Some(posting) if posting.document == document => self.factor * worth.of(posting.frequency),
            _ => 0.0,
        }
    }

    /// Moves to the first posting that is not before a document, by doubling steps and then halving them.
    fn seek(&mut self, document: DocumentId) {
        let mut step = 1;
        while self.postings.get(step - 1).is_some_and(|posting| posting.document < document) {
            step *= 2;
        }
        let within = &self.postings[step / 2..self.postings.len().min(step)];
        let passed = step / 2 + within.partition_point(|posting| posting.document < document);
        self.postings = &self.postings[passed..];
    }
}

/// `[i]`: the largest amount that the lists from the i-th on add together; 0 at the end.
fn rest(lists: &[List<'_>]) -> Vec<f64> {
    let mut rest = vec![0.0; lists.len() + 1];
    for (at, list) in lists.iter().enumerate().rev() {
        rest[at] = rest[at + 1] + list.most;
    }
    rest
}

/// The beginning of the first block that has a document ahead.
fn next_block(lists: &[List<'_>]) -> Option<u32> {
    let next = lists.iter().filter_map(|list| list.postings.first()).map(|posting| posting.document.0).min()?;
    Some(next - next % BLOCK as u32)
}

/// Whether a score of at most `most` certainly does not exceed the threshold, however sums are rounded. Rounding is at
/// most 2⁻⁵² per term, far less than this margin for any query.
fn out_of_reach(most: f64, threshold: f64) -> bool {
    most * (1.0 + 1e-9) <= threshold
}

/// A score below which a document stays below the threshold, even with the rest added.
fn floor(threshold: f64, rest: f64) -> f64 {
    (threshold * (1.0 - 1e-8) - rest).max(0.0)
}

/// Adds the parts of the other terms to a score; none if it does not exceed the threshold.
fn complete(
    mut score: f64,
    document: DocumentId,
    worth: &Worth,
    others: &mut [List<'_>],
    rest: &[f64],
    threshold: f64,
) -> Option<f64> {
    for (list, rest) in others.iter_mut().zip(rest) {
        if out_of_reach(score + rest, threshold) {
            return None;
        }
        score += list.part(document, worth);
    }
    (score > threshold).then_some(score)
}

/// The best documents so far, the worst of them at the top of the heap.
pub(super) struct Best {
    top: usize,
    heap: BinaryHeap<Worst>,
}

/// A hit, ordered from bad to good: the lower score, then the later document.
struct Worst(Hit);

impl Best {
    pub(super) fn new(top: usize) -> Self {
        Self { top, heap: BinaryHeap::new() }
    }

    /// The score that a hit must exceed. Documents come in order, so the first of equal scores stays.
    pub(super) fn threshold(&self) -> f64 {
        if self.heap.len() < self.top { 0.0 } else { self.heap.peek().map_or(0.0, |worst| worst.0.score) }
    }

    /// Adds a hit that exceeds the threshold.
    pub(super) fn push(&mut self, hit: Hit) {
        if self.heap.len() < self.top {
            self.heap.push(Worst(hit));
        } else if let Some(mut worst) = self.heap.peek_mut() {
            *worst = Worst(hit);
        }
    }

    pub(super) fn into_hits(self) -> Vec<Hit> {
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
