//! The inverted index: for every term the documents that have it.

use std::collections::HashMap;
use std::sync::Arc;

use super::build::check_size;
use super::tokens::Analysis;
use crate::Result;

/// The position of a document in its [`Index`], from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentId(pub u32);

impl DocumentId {
    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a term in its [`Index`], from 0 in order of first appearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

impl TermId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A document that has a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// The document.
    pub document: DocumentId,
    /// The number of times that the term stands in it, at least one.
    pub frequency: u32,
}

/// Terms, each with its number; ids are given in order of first appearance.
#[derive(Debug, Clone, Default)]
pub(super) struct Vocabulary {
    pub(super) terms: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Vocabulary {
    pub(super) fn get(&self, term: &str) -> Option<u32> {
        self.numbers.get(term).copied()
    }

    /// The number of a term; a new number if the term was not seen before.
    ///
    /// # Errors
    /// If there are 2³² terms already.
    pub(super) fn number(&mut self, term: &str) -> Result<u32> {
        if let Some(number) = self.get(term) {
            return Ok(number);
        }
        check_size("a vocabulary", self.terms.len(), "a term's number")?;
        let number = self.terms.len() as u32;
        let term: Arc<str> = term.into();
        self.terms.push(Arc::clone(&term));
        self.numbers.insert(term, number);
        Ok(number)
    }
}

/// An inverted index with the statistics of its terms. [`super::IndexBuilder`] makes one.
///
/// Memory: 8 bytes per pair of a term and a document that has it, 8 bytes and the id per document, about 80 bytes and
/// the letters per term.
#[derive(Debug, Clone)]
pub struct Index {
    pub(super) analysis: Analysis,
    pub(super) ids: Vec<Box<str>>,
    /// The positions of documents, sorted by id.
    pub(super) by_id: Vec<u32>,
    pub(super) lengths: Vec<u32>,
    pub(super) tokens: u64,
    pub(super) vocabulary: Vocabulary,
    /// `[term]`: the beginning of its postings; one more entry for the end of the last.
    pub(super) starts: Vec<usize>,
    /// By term, and by document within a term.
    pub(super) postings: Vec<Posting>,
}

impl Index {
    /// The number of documents.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The analysis that makes terms of text.
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// The id of a document.
    pub fn id(&self, document: DocumentId) -> &str {
        &self.ids[document.index()]
    }

    /// The document with an id. `O(log n)`.
    pub fn document(&self, id: &str) -> Option<DocumentId> {
        let at = self.by_id.binary_search_by(|&document| (*self.ids[document as usize]).cmp(id)).ok()?;
        Some(DocumentId(self.by_id[at]))
    }

    /// The number of terms of a document, counting repeated ones.
    pub fn length(&self, document: DocumentId) -> u32 {
        self.lengths[document.index()]
    }

    /// The mean length of a document; 0 if there is none.
    pub fn mean_length(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.tokens as f64 / self.len() as f64 }
    }

    /// A length over the mean length; 1 if no document has a term.
    pub(super) fn relative(&self, length: u32) -> f64 {
        let mean = self.mean_length();
        if mean > 0.0 { f64::from(length) / mean } else { 1.0 }
    }

    /// The number of different terms.
    pub fn terms(&self) -> usize {
        self.vocabulary.terms.len()
    }

    /// The text of a term.
    pub fn term(&self, term: TermId) -> &str {
        &self.vocabulary.terms[term.index()]
    }

    /// The term with this text, in the form that the analysis gives it. `O(1)`.
    pub fn find_term(&self, term: &str) -> Option<TermId> {
        self.vocabulary.get(term).map(TermId)
    }

    /// The documents that have a term, in order. `O(1)`.
    pub fn postings(&self, term: TermId) -> &[Posting] {
        &self.postings[self.starts[term.index()]..self.starts[term.index() + 1]]
    }

    /// The number of documents that have a term.
    pub fn document_frequency(&self, term: TermId) -> usize {
        self.postings(term).len()
    }

    /// The number of times that a term stands in all documents.
    pub fn collection_frequency(&self, term: TermId) -> u64 {
        self.postings(term).iter().map(|posting| u64::from(posting.frequency)).sum()
    }

    /// The number of times that a term stands in a document. `O(log df)`.
    pub fn frequency(&self, term: TermId, document: DocumentId) -> u32 {
        let postings = self.postings(term);
        postings.binary_search_by_key(&document, |posting| posting.document).map_or(0, |at| postings[at].frequency)
    }

    /// The terms of every document. `O(postings)`.
    pub fn by_document(&self) -> Forward {
        let mut ends = vec![0; self.len()];
        self.postings.iter().for_each(|posting| ends[posting.document.index()] += 1);
        let mut before = 0;
        for end in &mut ends {
            // For now the beginning; each entry moves it on.
            before += std::mem::replace(end, before);
        }
        let mut entries = vec![(TermId(0), 0); self.postings.len()];
        for term in (0..self.terms() as u32).map(TermId) {
            for posting in self.postings(term) {
                let place = &mut ends[posting.document.index()];
                entries[*place] = (term, posting.frequency);
                *place += 1;
            }
        }
        Forward { ends, entries }
    }

    /// Makes a query from a text, cut into terms like the documents.
    pub fn query(&self, text: &str) -> Query {
        self.query_terms(self.analysis.terms(text))
    }

    /// Makes a query from terms, which are looked up unchanged.
    pub fn query_terms<S: AsRef<str>>(&self, terms: impl IntoIterator<Item = S>) -> Query {
        let mut length = 0;
        let known = terms.into_iter().inspect(|_| length += 1).filter_map(|term| self.find_term(term.as_ref()));
        let mut known: Vec<TermId> = known.collect();
        known.sort_unstable();
        let terms = known.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
        Query { terms, length }
    }

    /// The number of different terms of a query that stand in a document.
    pub fn matched(&self, query: &Query, document: DocumentId) -> usize {
        query.terms.iter().filter(|(term, _)| self.frequency(*term, document) > 0).count()
    }
}

/// The terms of every document of an index. 8 bytes per posting and 8 per document.
#[derive(Debug, Clone)]
pub struct Forward {
    /// `[document]`: the end of its entries.
    ends: Vec<usize>,
    entries: Vec<(TermId, u32)>,
}

impl Forward {
    /// The terms of a document, in order, each with its number of times.
    pub fn terms(&self, document: DocumentId) -> &[(TermId, u32)] {
        let at = document.index();
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.entries[start..self.ends[at]]
    }
}

/// A query as an index sees it. A document's score does not depend on the order of the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    terms: Vec<(TermId, u32)>,
    length: usize,
}

impl Query {
    /// The different terms of the query that the index has, each with its number of times in the query.
    pub fn terms(&self) -> &[(TermId, u32)] {
        &self.terms
    }

    /// The number of terms of the query, counting repeated and unknown ones. It is 0 for a query of stop words alone.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether no term is left.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}
