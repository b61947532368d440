//! Queries with what every expert returned for them.

use std::collections::HashMap;

use ordain::data::Run;
use ordain::formats::{read_letor_ranks, read_qrels, read_runs};
use ordain::order::{Feedback, Pool, RankOrdering, Unretrieved};
use ordain::{InputError, Result};

use crate::data::{DataFile, DataFolder};

/// How deep an expert's list is taken (LTOT section 5).
pub const DEPTH: usize = 30;

/// From this grade on a document is relevant.
const RELEVANT: i32 = 1;

/// Queries and the experts that were asked them.
pub struct Collection {
    /// Its name in files.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The names of the experts.
    pub experts: Vec<String>,
    /// The queries for which some expert returned a relevant document, in the order of the file.
    pub queries: Vec<Query>,
    /// How many others there are.
    pub dropped: usize,
}

/// A query: its documents are numbered from 0, in an order that favours no expert.
pub struct Query {
    /// Its name in the data.
    pub name: String,
    /// The part that is held out with it.
    pub part: usize,
    /// Of every document.
    pub grades: Vec<i32>,
    /// What every expert says, by the place that it gave each document.
    pub experts: Vec<RankOrdering>,
    /// The same by the score that it gave, where there are scores.
    pub scored: Option<Vec<RankOrdering>>,
    /// All that the grades say.
    pub full: Feedback,
}

impl Query {
    /// A query from its documents' grades and what each expert says of them; none if no expert returned a relevant one.
    fn new(
        name: String,
        part: usize,
        grades: Vec<i32>,
        experts: Vec<RankOrdering>,
        scored: Option<Vec<RankOrdering>>,
    ) -> Option<Self> {
        let found = experts.iter().flat_map(RankOrdering::ranked).any(|&(item, _)| grades[item as usize] >= RELEVANT);
        let full = Feedback::from_grades(&grades);
        found.then_some(Self { name, part, grades, experts, scored, full })
    }

    /// Where in a list of documents the first relevant one stands, from 0.
    pub fn first_relevant(&self, list: impl IntoIterator<Item = usize>) -> Option<usize> {
        list.into_iter().position(|item| self.grades[item] >= RELEVANT)
    }

    /// The rank of the first relevant document in a list, from 1; 31 if it is not among the first 30.
    pub fn rank(&self, list: impl IntoIterator<Item = usize>) -> f64 {
        self.first_relevant(list.into_iter().take(DEPTH)).unwrap_or(DEPTH) as f64 + 1.0
    }

    /// That in an expert's own list.
    pub fn own_rank(&self, expert: usize) -> f64 {
        self.rank(self.experts[expert].ranked().iter().map(|&(item, _)| item as usize))
    }

    /// How many documents are relevant.
    pub fn relevant(&self) -> usize {
        self.grades.iter().filter(|&&grade| grade >= RELEVANT).count()
    }
}

impl Collection {
    /// Runs and judgements; every query is a part of its own.
    ///
    /// # Errors
    /// If a file cannot be read, or does not hold what is wanted.
    pub fn of_runs(
        folder: &DataFolder,
        (name, title): (&'static str, &'static str),
        (runs, judgements): (&DataFile, &DataFile),
    ) -> Result<Self> {
        let path = folder.file(runs);
        let (runs, judgements) = (read_runs(&path)?, read_qrels(folder.file(judgements))?);
        let lists: Vec<Lists<'_>> = runs.iter().map(Lists::new).collect();
        let experts = runs.iter().map(|run| run.name.clone()).collect();
        let mut queries = Vec::new();
        let mut dropped = 0;
        for (query, grades) in &judgements.queries {
            let positions = Pool::new(lists.iter().map(|lists| lists.of(query, |rank, _| -f64::from(rank))))?;
            let scores = Pool::new(lists.iter().map(|lists| lists.of(query, |_, score| score)))?;
            let of = |document: &&str| grades.get(*document).copied().unwrap_or(0);
            let found = Query::new(
                query.clone(),
                queries.len(),
                positions.documents().iter().map(of).collect(),
                positions.experts(Unretrieved::Last)?,
                Some(scores.experts(Unretrieved::Last)?),
            );
            dropped += usize::from(found.is_none());
            queries.extend(found);
        }
        Self { name, title, experts, queries, dropped }.checked(&path)
    }

    /// LETOR rank aggregation files, each a part.
    ///
    /// # Errors
    /// If a file cannot be read, or does not hold what is wanted.
    pub fn of_ranks(
        folder: &DataFolder,
        (name, title): (&'static str, &'static str),
        files: &[DataFile],
    ) -> Result<Self> {
        let mut out = Self { name, title, experts: Vec::new(), queries: Vec::new(), dropped: 0 };
        for (part, file) in files.iter().enumerate() {
            let path = folder.file(file);
            let ranks = read_letor_ranks(&path)?;
            let wrong = |expected: &str, found: String| InputError::new(&path, expected).found(found);
            let groups = ranks.items.groups().ok_or_else(|| wrong("lines with a qid", "none".to_owned()))?;
            if part == 0 {
                out.experts = (1..=ranks.rankers).map(|ranker| ranker.to_string()).collect();
            } else if ranks.rankers != out.experts.len() {
                let expected = format!("{} rankers, as in the first part", out.experts.len());
                return Err(wrong(&expected, ranks.rankers.to_string()).into());
            }
            for (group, name) in groups.names().iter().enumerate() {
                let members = groups.members(group);
                let expert = |ranker: usize| {
                    let places = members.iter().map(|item| ranks.ranks(item.index())[ranker]);
                    RankOrdering::from_positions(places, Unretrieved::Last)
                };
                let grades = members.iter().map(|item| ranks.grades[item.index()] as i32).collect();
                let experts = (0..ranks.rankers).map(expert).collect::<Result<_>>()?;
                let found = Query::new(name.clone(), part, grades, experts, None);
                out.dropped += usize::from(found.is_none());
                out.queries.extend(found);
            }
        }
        out.checked(&folder.file(&files[0]))
    }

    /// There must be two parts, or nothing is left to learn from.
    fn checked(self, path: &std::path::Path) -> Result<Self> {
        let held_out = |query: &Query| self.queries.iter().all(|other| other.part == query.part);
        if self.queries.first().is_none_or(held_out) {
            let expected =
                "two queries or more, in parts of their own, for which an expert returned a relevant document";
            return Err(InputError::new(path, expected).found(self.queries.len().to_string()).into());
        }
        Ok(self)
    }
}

/// The lists of a run, by query.
struct Lists<'a> {
    run: &'a Run,
    position: HashMap<&'a str, usize>,
}

impl<'a> Lists<'a> {
    fn new(run: &'a Run) -> Self {
        let position = run.queries.iter().enumerate().map(|(at, (query, _))| (query.as_str(), at));
        Self { run, position: position.collect() }
    }

    /// The documents that it returned first for a query, each with a score made of its rank and its score.
    fn of(&self, query: &str, score: impl Fn(i32, f64) -> f64) -> Vec<(&'a str, f64)> {
        let Some(&at) = self.position.get(query) else { return Vec::new() };
        let mut rows: Vec<_> = self.run.queries[at].1.iter().collect();
        rows.sort_by_key(|row| row.rank);
        rows.into_iter().take(DEPTH).map(|row| (self.run.document(row), score(row.rank, row.score))).collect()
    }
}
