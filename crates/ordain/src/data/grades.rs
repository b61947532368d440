//! Graded judgements of documents for queries, and runs that rank them.

/// Grades of documents, query by query, in the order of the file (TREC qrels).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judgements {
    /// The queries with their (document, grade) pairs.
    pub queries: Vec<(String, Vec<(String, i32)>)>,
}

/// One document in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// The document.
    pub document: String,
    /// The rank the file states.
    pub rank: i64,
    /// The score the file states.
    pub score: f64,
    /// The line it stands on, from 1.
    pub line: u64,
}

/// One system's ranked documents, query by query, in the order of the file (TREC run).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// The run's tag.
    pub name: String,
    /// The queries with their documents.
    pub queries: Vec<(String, Vec<RunRow>)>,
}
