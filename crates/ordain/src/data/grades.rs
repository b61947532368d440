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
    /// Where its id stands in the run's text.
    document: (u32, u32),
    /// The rank the file states.
    pub rank: i32,
    /// The line it stands on, from 1; the last line that fits, beyond four billion.
    pub line: u32,
    /// The score the file states.
    pub score: f64,
}

/// One system's ranked documents, query by query, in the order of the file (TREC run). The ids stand in one piece of
/// memory: 24 bytes a row and the text.
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

    /// Adds a document to the query at this position of [`Run::queries`]; says whether the run's text could still hold
    /// its id, which it can up to 4 GiB.
    #[must_use]
    pub fn push(&mut self, query: usize, document: &str, rank: i32, score: f64, line: u64) -> bool {
        let start = self.documents.len();
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(start + document.len())) else { return false };
        self.documents.push_str(document);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.queries[query].1.push(RunRow { document: (start, end), rank, line, score });
        true
    }

    /// A run of the query at this position alone.
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
}
