//! The experts' lists, query by query.

use std::path::PathBuf;

use ordain::data::Run;
use ordain::formats::{LetorQueries, LetorRanks, RunQueries, RunQuery};

/// The source of the experts' lists.
pub enum Input {
    Runs(RunQueries),
    Letor(Box<LetorQueries>),
}

/// The experts' lists for a query.
pub enum Query {
    Runs(RunQuery),
    Letor(String, Box<LetorRanks>),
}

impl Input {
    pub fn runs(files: &[PathBuf]) -> ordain::Result<Self> {
        RunQueries::open(files).map(Self::Runs)
    }

    pub fn letor(files: &[PathBuf]) -> ordain::Result<Self> {
        LetorQueries::open(files).map(|letor| Self::Letor(Box::new(letor)))
    }

    /// The experts' names.
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Runs(runs) => runs.names().to_vec(),
            Self::Letor(letor) => (1..=letor.rankers()).map(|ranker| ranker.to_string()).collect(),
        }
    }

    /// The files of the experts, one per expert, if each expert is a run.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Runs(runs) => runs.files().map(PathBuf::from).collect(),
            Self::Letor(_) => Vec::new(),
        }
    }

    /// The next queries, at most this many; none at the end.
    pub fn batch(&mut self, most: usize) -> ordain::Result<Vec<Query>> {
        let mut out = Vec::new();
        while out.len() < most {
            let next = match self {
                Self::Runs(runs) => runs.next()?.map(Query::Runs),
                Self::Letor(letor) => letor.next()?.map(|(query, ranks)| Query::Letor(query, Box::new(ranks))),
            };
            match next {
                Some(query) => out.push(query),
                None => break,
            }
        }
        Ok(out)
    }
}

impl Query {
    pub fn name(&self) -> &str {
        match self {
            Self::Runs(runs) => &runs.query,
            Self::Letor(query, _) => query,
        }
    }

    /// Documents and scores: one list per expert, each with at most this many documents.
    pub fn lists(&self, depth: Option<usize>) -> Vec<Vec<(&str, f64)>> {
        let mut lists: Vec<Vec<(&str, f64)>> = match self {
            Self::Runs(runs) => runs.lists.iter().map(|list| list.as_ref().map_or_else(Vec::new, of_run)).collect(),
            Self::Letor(_, ranks) => (0..ranks.rankers).map(|ranker| of_ranker(ranks, ranker)).collect(),
        };
        if let Some(depth) = depth {
            for list in lists.iter_mut().filter(|list| list.len() > depth) {
                best_first(list);
                list.truncate(depth);
            }
        }
        lists
    }

    /// The first score that is infinite: the position of its expert, and its line and value.
    pub fn infinite(&self) -> Option<(usize, u64, f64)> {
        let Self::Runs(runs) = self else { return None };
        runs.lists.iter().enumerate().find_map(|(expert, list)| {
            let mut rows = list.as_ref()?.queries.iter().flat_map(|(_, rows)| rows);
            let row = rows.find(|row| row.score.is_infinite())?;
            Some((expert, row.line.into(), row.score))
        })
    }

    /// The first row of a document: the position of its expert, and its line.
    pub fn place_of(&self, document: &str) -> Option<(usize, u64)> {
        let Self::Runs(runs) = self else { return None };
        runs.lists.iter().enumerate().find_map(|(expert, list)| {
            let list = list.as_ref()?;
            let mut rows = list.queries.iter().flat_map(|(_, rows)| rows);
            let row = rows.find(|row| list.document(row) == document)?;
            Some((expert, row.line.into()))
        })
    }

    /// The documents and their grades, where they come with the lists.
    pub fn grades(&self) -> Option<(&[String], &[f64])> {
        match self {
            Self::Runs(_) => None,
            Self::Letor(_, ranks) => Some((ranks.items.ids(), &ranks.grades)),
        }
    }
}

/// Sorts by falling score; documents with equal scores keep their order.
pub fn best_first(list: &mut [(&str, f64)]) {
    list.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(std::cmp::Ordering::Equal));
}

/// The documents of a run of one query.
fn of_run(run: &Run) -> Vec<(&str, f64)> {
    run.queries.iter().flat_map(|(_, rows)| rows).map(|row| (run.document(row), row.score)).collect()
}

/// The documents that a ranker returned; the first rank gets the highest score.
fn of_ranker(ranks: &LetorRanks, ranker: usize) -> Vec<(&str, f64)> {
    let ids = ranks.items.ids().iter().enumerate();
    ids.filter_map(|(at, id)| Some((id.as_str(), -ranks.ranks(at)[ranker]?))).collect()
}
