//! Evaluates runs against judgements, query by query.
//!
//! This works like trec_eval: scores order the documents, and ranks that a run states are ignored. Documents without a
//! judgement count as not relevant. A query counts if it is both judged and answered, or, with
//! [`EvaluationParams::complete`], if it is judged. (trec_eval keeps scores in single precision; here they are compared
//! as doubles.)

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt;

use rayon::prelude::*;

use super::list::{JudgedList, Ties};
use super::name::Measure;
use crate::data::{Judgements, Run, RunFault, RunRow};
use crate::params::setters;
use crate::{Error, Result};

/// The measures, and how they are taken.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EvaluationParams {
    /// The measures.
    pub measures: Vec<Measure>,
    /// The order of equal scores.
    pub ties: Ties,
    /// Whether judged queries that a run did not answer count, as if the run had found nothing.
    pub complete: bool,
}

impl EvaluationParams {
    /// These measures, of the queries that a run answers, with ties as in trec_eval.
    pub fn new(measures: Vec<Measure>) -> Self {
        Self { measures, ties: Ties::default(), complete: false }
    }
}

setters! {
    EvaluationParams:
    with_ties = ties: Ties,
    with_complete = complete: bool,
}

/// Values of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvaluation {
    /// The run's tag.
    pub name: String,
    /// `[measure][query]`, with queries as in the judgements. None where a query does not count.
    pub values: Vec<Vec<Option<f64>>>,
    /// Warnings about the run.
    pub warnings: Vec<Warning>,
}

impl RunEvaluation {
    /// The mean of a measure over the queries that count; 0 if none does.
    pub fn mean(&self, measure: usize) -> f64 {
        let values: Vec<f64> = self.values[measure].iter().flatten().copied().collect();
        if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
    }

    /// The number of queries that count.
    pub fn counted(&self) -> usize {
        self.values.first().map_or(0, |values| values.iter().flatten().count())
    }
}

/// Something odd about a run. trec_eval ignores it silently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// Judged queries without a document in the run.
    NotAnswered(Vec<String>),
    /// Queries in the run without judgements.
    NotJudged(Vec<String>),
    /// Ranks that contradict the scores. The scores decide.
    RanksDisagree {
        /// The first such line.
        line: u32,
        /// Its query.
        query: String,
        /// The number of such queries.
        queries: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnswered(queries) => write!(f, "no documents for {}", counted(queries, "judged query")),
            Self::NotJudged(queries) => write!(f, "no judgements for {}, left out", counted(queries, "query")),
            Self::RanksDisagree { line, query, queries } => write!(
                f,
                "line {line}, query {query}: the rank contradicts the score, and the score decides (so in {queries} {})",
                if *queries == 1 { "query" } else { "queries" }
            ),
        }
    }
}

/// `3 queries (a, b, c)`, the first few named.
fn counted(queries: &[String], word: &str) -> String {
    const SHOWN: usize = 5;
    let plural = if queries.len() == 1 { word.to_owned() } else { word.replace("query", "queries") };
    let named = queries.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if queries.len() > SHOWN { ", …" } else { "" };
    format!("{} {plural} ({named}{more})", queries.len())
}

/// Measures of several runs over the same judgements.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The judged queries, in order.
    pub queries: Vec<String>,
    /// The runs.
    pub runs: Vec<RunEvaluation>,
}

/// Measures runs against judgements. `O(d log d)` for a query of d documents, queries in parallel.
///
/// # Errors
/// If a document occurs twice for a query or a score is NaN (the error names line and query), or a measure cannot be
/// taken.
pub fn evaluate(runs: &[Run], judgements: &Judgements, params: &EvaluationParams) -> Result<Evaluation> {
    let runs = runs.iter().map(|run| evaluate_run(run, judgements, params)).collect::<Result<_>>()?;
    Ok(Evaluation { queries: judgements.queries.iter().map(|(query, _)| query.clone()).collect(), runs })
}

fn evaluate_run(run: &Run, judgements: &Judgements, params: &EvaluationParams) -> Result<RunEvaluation> {
    let answered: HashMap<&str, usize> =
        run.queries.iter().enumerate().map(|(at, (query, _))| (&**query, at)).collect();
    let judged: HashSet<&str> = judgements.queries.iter().map(|(query, _)| &**query).collect();
    // [query]: the result of each.
    let results: Vec<Option<QueryResult>> = judgements
        .queries
        .par_iter()
        .map(|(query, grades)| {
            let Some(&at) = answered.get(&**query) else { return Ok(None) };
            evaluate_query(run, at, grades, params).map(Some)
        })
        .collect::<Result<_>>()?;

    let value = |result: &Option<QueryResult>, measure: usize| match result {
        Some(result) => Some(result.values[measure]),
        // A run that finds nothing has the value 0, or the largest cost.
        None => params.complete.then(|| if params.measures[measure].is_gain() { 0.0 } else { 1.0 }),
    };
    let values = (0..params.measures.len())
        .map(|measure| results.iter().map(|result| value(result, measure)).collect())
        .collect();

    let mut warnings = Vec::new();
    let unanswered: Vec<String> = judgements
        .queries
        .iter()
        .zip(&results)
        .filter(|(_, result)| result.is_none())
        .map(|((query, _), _)| query.clone())
        .collect();
    if !unanswered.is_empty() {
        warnings.push(Warning::NotAnswered(unanswered));
    }
    let unjudged: Vec<String> =
        run.queries.iter().map(|(query, _)| query).filter(|query| !judged.contains(&***query)).cloned().collect();
    if !unjudged.is_empty() {
        warnings.push(Warning::NotJudged(unjudged));
    }
    let disagree: Vec<(u32, &String)> = judgements
        .queries
        .iter()
        .zip(&results)
        .filter_map(|((query, _), result)| Some((result.as_ref()?.disagrees?, query)))
        .collect();
    if let Some((line, query)) = disagree.iter().min() {
        let (line, query) = (*line, (*query).clone());
        warnings.push(Warning::RanksDisagree { line, query, queries: disagree.len() });
    }
    Ok(RunEvaluation { name: run.name.clone(), values, warnings })
}

struct QueryResult {
    values: Vec<f64>,
    /// The first line on which rank and score contradict each other.
    disagrees: Option<u32>,
}

fn evaluate_query(
    run: &Run,
    at: usize,
    grades: &HashMap<String, i32>,
    params: &EvaluationParams,
) -> Result<QueryResult> {
    let rows = &run.queries[at].1;
    check(run, at)?;
    let mut order: Vec<&RunRow> = rows.iter().collect();
    let by_score = |a: &&RunRow, b: &&RunRow| b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal);
    match params.ties {
        Ties::Trec => order.sort_by(|a, b| by_score(a, b).then_with(|| run.document(b).cmp(run.document(a)))),
        Ties::Given | Ties::Expected => order.sort_by(by_score),
    }
    let contradicts = |pair: &&[&RunRow]| pair[0].score > pair[1].score && pair[0].rank > pair[1].rank;
    let disagrees = order.windows(2).filter(contradicts).map(|pair| pair[0].line.min(pair[1].line)).min();

    let judgements: Vec<Option<i32>> = order.iter().map(|row| grades.get(run.document(row)).copied()).collect();
    let found: Vec<i32> = judgements.iter().map(|grade| grade.unwrap_or(0)).collect();
    let named = judgements.iter().map(Option::is_some).collect();
    let judged = grades.values().copied();
    let list = match params.ties {
        Ties::Expected => {
            let scores: Vec<f64> = order.iter().map(|row| row.score).collect();
            JudgedList::tied(&scores, &found, judged)?
        }
        Ties::Trec | Ties::Given => JudgedList::ranked(found, judged),
    };
    // The documents are in falling order of their scores already, and stay so.
    let list = list.with_named(named)?;
    let values = params.measures.iter().map(|measure| measure.of(&list)).collect::<Result<_>>()?;
    Ok(QueryResult { values, disagrees })
}

/// Fails unless every document occurs once, with a score.
fn check(run: &Run, query: usize) -> Result<()> {
    let name = &run.queries[query].0;
    let wrong = |found: String, expected: &str| Err(Error::Data { what: "run", found, expected: expected.into() });
    match run.fault(query) {
        None => Ok(()),
        Some(RunFault::NoScore(row)) => {
            let found =
                format!("the score NaN of document {} for query {name} on line {}", run.document(row), row.line);
            wrong(found, "a number")
        }
        Some(RunFault::Twice(first, second)) => {
            let lines = format!("lines {} and {}", first.line, second.line);
            let found = format!("document {} for query {name} on {lines}", run.document(second));
            wrong(found, "each document once per query")
        }
    }
}
