//! Counting terms: documents come one at a time and are analysed in parallel.

use std::collections::HashMap;

use rayon::prelude::*;

use super::index::{DocumentId, Index, Posting, Vocabulary};
use super::tokens::{Analysis, lower_case, words};
use crate::{Error, Result};

/// Documents analysed by one thread at a time: enough to share the work on repeated words.
const CHUNK: usize = 256;
/// Bytes of text that wait for analysis; a few megabytes keep all threads busy.
const WAITING: usize = 8 << 20;

/// Makes an [`Index`] of documents that come one at a time.
///
/// Time is linear in the text. Chunks of 256 documents are analysed in parallel; the result does not depend on the
/// number of threads. Memory while building: twice that of the index, and 8 MiB of waiting text.
#[derive(Debug)]
pub struct IndexBuilder {
    analysis: Analysis,
    ids: Vec<Box<str>>,
    waiting: Vec<String>,
    waiting_bytes: usize,
    vocabulary: Vocabulary,
    counts: Counts,
}

impl IndexBuilder {
    /// An index without documents.
    pub fn new(analysis: Analysis) -> Self {
        Self {
            analysis,
            ids: Vec::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            vocabulary: Vocabulary::default(),
            counts: Counts::default(),
        }
    }

    /// Adds a document. Join several fields into one text, with a space or a line feed between.
    ///
    /// # Errors
    /// If there are 2³² documents already, or the text has 4 GiB or more.
    pub fn add(&mut self, id: impl Into<Box<str>>, text: impl Into<String>) -> Result<()> {
        let text = text.into();
        check_size("the text of a document", text.len(), "a length")?;
        self.add_id(id.into())?;
        self.waiting_bytes += text.len();
        self.waiting.push(text);
        if self.waiting_bytes >= WAITING {
            self.flush()?;
        }
        Ok(())
    }

    /// Adds a document with terms that were made elsewhere. They are not changed.
    ///
    /// # Errors
    /// If there are 2³² documents already, or the document has 2³² terms.
    pub fn add_terms<S: AsRef<str>>(
        &mut self,
        id: impl Into<Box<str>>,
        terms: impl IntoIterator<Item = S>,
    ) -> Result<()> {
        self.flush()?;
        let mut length = 0;
        for term in terms {
            self.counts.count(self.vocabulary.number(term.as_ref())?);
            length += 1;
        }
        check_size("a document", length, "a length")?;
        self.counts.end_document();
        self.add_id(id.into())
    }

    /// The index of all documents.
    ///
    /// # Errors
    /// If two documents have the same id.
    pub fn finish(mut self) -> Result<Index> {
        self.flush()?;
        let Self { analysis, ids, vocabulary, counts, .. } = self;
        let mut by_id: Vec<u32> = (0..ids.len() as u32).collect();
        by_id.par_sort_unstable_by_key(|&document| &ids[document as usize]);
        let same = |pair: &&[u32]| ids[pair[0] as usize] == ids[pair[1] as usize];
        if let Some(pair) = by_id.windows(2).find(same) {
            return Err(Error::Data {
                what: "document id",
                found: format!("{} twice", ids[pair[0] as usize]),
                expected: "each id once".into(),
            });
        }
        let (starts, postings) = counts.inverted(vocabulary.terms.len());
        let tokens = counts.lengths.iter().map(|&length| u64::from(length)).sum();
        Ok(Index { analysis, ids, by_id, lengths: counts.lengths, tokens, vocabulary, starts, postings })
    }

    fn add_id(&mut self, id: Box<str>) -> Result<()> {
        check_size("a collection", self.ids.len(), "a document number")?;
        self.ids.push(id);
        Ok(())
    }

    /// Analyses the waiting documents, chunk by chunk, and adds up the chunks in order.
    fn flush(&mut self) -> Result<()> {
        let chunks: Vec<Chunk> =
            self.waiting.par_chunks(CHUNK).map(|texts| Chunk::new(texts, &self.analysis)).collect::<Result<_>>()?;
        for Chunk { vocabulary, counts } in chunks {
            let numbers: Vec<u32> =
                vocabulary.terms.iter().map(|term| self.vocabulary.number(term)).collect::<Result<_>>()?;
            self.counts.append(&counts, &numbers);
        }
        self.waiting.clear();
        self.waiting_bytes = 0;
        Ok(())
    }
}

/// Fails unless the size is below 2³².
pub(super) fn check_size(what: &str, size: usize, method: &'static str) -> Result<()> {
    let limit = u32::MAX as usize;
    if size < limit { Ok(()) } else { Err(Error::TooLarge { what: what.into(), size, limit, method }) }
}

/// Terms counted in documents, in order of document and first appearance.
#[derive(Debug, Default)]
struct Counts {
    /// `[document]`: the number of terms, counting repeated ones.
    lengths: Vec<u32>,
    /// `[document]`: the end of its entries.
    ends: Vec<usize>,
    /// A term and its frequency in the document.
    entries: Vec<(u32, u32)>,
    /// `[term]`: its frequency in the document that is being counted.
    current: Vec<u32>,
    length: u32,
}

impl Counts {
    fn count(&mut self, term: u32) {
        let at = term as usize;
        if at >= self.current.len() {
            self.current.resize(at + 1, 0);
        }
        if self.current[at] == 0 {
            self.entries.push((term, 0));
        }
        self.current[at] = self.current[at].saturating_add(1);
        self.length = self.length.saturating_add(1);
    }

    fn end_document(&mut self) {
        let start = self.ends.last().copied().unwrap_or(0);
        for (term, frequency) in &mut self.entries[start..] {
            *frequency = std::mem::take(&mut self.current[*term as usize]);
        }
        self.ends.push(self.entries.len());
        self.lengths.push(std::mem::take(&mut self.length));
    }

    /// Adds the documents of a chunk. `numbers` maps its terms to ours.
    fn append(&mut self, chunk: &Self, numbers: &[u32]) {
        let before = self.entries.len();
        self.entries.extend(chunk.entries.iter().map(|&(term, frequency)| (numbers[term as usize], frequency)));
        self.ends.extend(chunk.ends.iter().map(|end| before + end));
        self.lengths.extend_from_slice(&chunk.lengths);
    }

    /// Entries by term, then by document: the beginning of each term's entries, and all entries.
    fn inverted(&self, terms: usize) -> (Vec<usize>, Vec<Posting>) {
        let mut starts = vec![0; terms + 1];
        for &(term, _) in &self.entries {
            starts[term as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut postings = vec![Posting { document: DocumentId(0), frequency: 0 }; self.entries.len()];
        let mut start = 0;
        for (document, &end) in self.ends.iter().enumerate() {
            for &(term, frequency) in &self.entries[start..end] {
                let place = &mut next[term as usize];
                postings[*place] = Posting { document: DocumentId(document as u32), frequency };
                *place += 1;
            }
            start = end;
        }
        (starts, postings)
    }
}

/// Documents counted separately, with their own numbering of terms.
struct Chunk {
    vocabulary: Vocabulary,
    counts: Counts,
}

impl Chunk {
    fn new(texts: &[String], analysis: &Analysis) -> Result<Self> {
        let mut chunk = Self { vocabulary: Vocabulary::default(), counts: Counts::default() };
        // A word is looked up among the stop words and stemmed once per chunk.
        let mut known: HashMap<String, Option<u32>> = HashMap::new();
        let mut lower = String::new();
        for text in texts {
            for (_, word) in words(text) {
                lower_case(word, &mut lower);
                let term = match known.get(&lower) {
                    Some(term) => *term,
                    None => {
                        let term = analysis.term(&lower).map(|term| chunk.vocabulary.number(&term)).transpose()?;
                        known.insert(lower.clone(), term);
                        term
                    }
                };
                if let Some(term) = term {
                    chunk.counts.count(term);
                }
            }
            chunk.counts.end_document();
        }
        Ok(chunk)
    }
}
