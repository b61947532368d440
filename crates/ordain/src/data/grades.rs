//! Graded judgements of documents for queries, and runs that rank them.

use std::collections::HashMap;

/// Grades of documents, query by query, in the order of the file (TREC qrels).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judgements {
    /// The queries with the grades of their judged documents.
    pub queries: Vec<(String, HashMap<String, i32>)>,
}

/// One document in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunRow {
    /// The place of its id in the run's text.
    document: (u32, u32),
    /// The rank in the file.
    pub rank: i32,
    /// Its line in the file, from 1; the largest number that fits, beyond four billion.
    pub line: u32,
    /// The score in the file.
    pub score: f64,
}

/// A fault in the rows of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunFault<'a> {
    /// The score of a document is NaN.
    NoScore(&'a RunRow),
    /// A document occurs twice.
    Twice(&'a RunRow, &'a RunRow),
}

/// One system's ranked documents, query by query, in the order of the file (TREC run). All ids stand in one piece of
/// memory: 24 bytes per row, and the text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// The run's tag.
    pub name: String,
    /// The queries with their documents.
    pub queries: Vec<(String, Vec<RunRow>)>,
    documents: String,
}

impl Run {
    /// A run without documents.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The id of a row's document.
    pub fn document(&self, row: &RunRow) -> &str {
        &self.documents[row.document.0 as usize..row.document.1 as usize]
    }

    /// Adds a document to the query at this position of [`Run::queries`]. Returns false if the run's text cannot hold
    /// its id, beyond 4 GiB.
    #[must_use]
    pub fn push(&mut self, query: usize, document: &str, rank: i32, score: f64, line: u64) -> bool {
        let start = self.documents.len();
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(start + document.len())) else { return false };
        self.documents.push_str(document);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.queries[query].1.push(RunRow { document: (start, end), rank, line, score });
        true
    }

    /// A run with only the query at this position.
    pub fn only_query(&self, query: usize) -> Self {
        let (name, rows) = &self.queries[query];
        let mut documents = String::new();
        let moved = |row: &RunRow| {
            let start = documents.len() as u32;
            documents.push_str(self.document(row));
            RunRow { document: (start, documents.len() as u32), ..*row }
        };
        let rows = rows.iter().map(moved).collect();
        Self { name: self.name.clone(), queries: vec![(name.clone(), rows)], documents }
    }

    /// The fault of the query at this position, if it has one: every document should occur once, with a score. `O(k log
    /// k)`.
    pub fn fault(&self, query: usize) -> Option<RunFault<'_>> {
        let rows = &self.queries[query].1;
        if let Some(row) = rows.iter().find(|row| row.score.is_nan()) {
            return Some(RunFault::NoScore(row));
        }
        // Equal documents meet in hash order. Sorting hashes is faster than filling a set.
        let mut hashed: Vec<(u64, u32)> =
            rows.iter().zip(0..).map(|(row, at)| (hash(self.document(row).as_bytes()), at)).collect();
        hashed.sort_unstable();
        let twice = |equals: &[(u64, u32)]| {
            let row = |at: usize| &rows[equals[at].1 as usize];
            let first = |at: usize| (0..at).map(row).find(|first| self.document(first) == self.document(row(at)));
            (1..equals.len()).find_map(|at| Some((first(at)?, row(at))))
        };
        let faults = hashed.chunk_by(|a, b| a.0 == b.0).filter_map(twice);
        faults.min_by_key(|(_, second)| second.line).map(|(first, second)| RunFault::Twice(first, second))
    }
}

/// FNV-1a, eight bytes at a time, which is enough for short ids.
fn hash(text: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let (blocks, rest) = text.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mix = |hash: u64, block: &[u8; 8]| {
        let mixed = (hash ^ u64::from_le_bytes(*block)).wrapping_mul(PRIME);
        mixed ^ (mixed >> 29)
    };
    blocks.iter().chain([&last]).fold(0xcbf2_9ce4_8422_2325 ^ text.len() as u64, mix)
}
