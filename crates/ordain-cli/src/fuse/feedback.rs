//! The feedback on a query: judgements, grades or clicks.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use ordain::InputError;
use ordain::data::Run;
use ordain::formats::{Table, check_query, read_qrels, read_run};
use ordain::order::Feedback;

use super::Arguments;
use super::input::{Query, best_first};
use crate::output;

/// The source of the feedback.
pub enum Source {
    Nothing,
    /// The judged documents of every query.
    Qrels(PathBuf, HashMap<String, HashMap<String, i32>>),
    /// The grades that come with the lists.
    Grades,
    Clicks(Clicks),
}

/// Clicks, and the run that was shown, if it is known.
pub struct Clicks {
    file: PathBuf,
    /// The clicked documents of every query, with their lines. Queries that were fused are taken out.
    clicked: HashMap<String, Vec<(u64, String)>>,
    shown: Option<Shown>,
}

/// The run that was shown.
struct Shown {
    run: Run,
    /// The position of a query in the run.
    places: HashMap<String, usize>,
}

impl Source {
    pub fn read(arguments: &Arguments) -> ordain::Result<Self> {
        if let Some(file) = &arguments.qrels {
            return Ok(Self::Qrels(file.clone(), read_qrels(file)?.queries.into_iter().collect()));
        }
        if let Some(file) = &arguments.clicks {
            let shown = arguments.shown.as_deref().map(Shown::read).transpose()?;
            return Ok(Self::Clicks(Clicks { file: file.clone(), clicked: read_clicks(file)?, shown }));
        }
        Ok(if arguments.letor.is_empty() { Self::Nothing } else { Self::Grades })
    }

    /// The feedback on a query. `documents` are in rising order, `shown` is the order in which they were shown.
    pub fn feedback(&mut self, query: &Query, documents: &[&str], shown: &[usize]) -> ordain::Result<Feedback> {
        match self {
            Self::Nothing => Ok(Feedback::default()),
            Self::Qrels(_, queries) => Ok(queries.get(query.name()).map_or_else(Feedback::default, |grades| {
                let grade = |document: &&str| grades.get(*document).copied().unwrap_or(0);
                Feedback::from_grades(&documents.iter().map(grade).collect::<Vec<i32>>())
            })),
            Self::Grades => Ok(query.grades().map_or_else(Feedback::default, |(ids, grades)| {
                let levels = levels(grades);
                let levels: HashMap<&str, i32> = ids.iter().map(String::as_str).zip(levels).collect();
                Feedback::from_grades(&documents.iter().map(|document| levels[document]).collect::<Vec<i32>>())
            })),
            Self::Clicks(clicks) => clicks.feedback(query.name(), documents, shown),
        }
    }

    /// Warns about feedback that was of no use.
    pub fn warn(&self, queries: usize, rounds: u64) {
        const NAMED: usize = 5;
        if let Self::Clicks(clicks) = self {
            let mut left: Vec<&str> = clicks.clicked.keys().map(String::as_str).collect();
            left.sort_unstable();
            if !left.is_empty() {
                let more = if left.len() > NAMED { ", …" } else { "" };
                let named = left.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
                let file = clicks.file.display();
                let count = if left.len() == 1 { "1 query".to_owned() } else { format!("{} queries", left.len()) };
                output::warn(format!("{file}: clicks on {count} that no run has ({named}{more}), left out"));
            }
        }
        let file = match self {
            Self::Qrels(file, _) => file.display().to_string(),
            Self::Clicks(clicks) => clicks.file.display().to_string(),
            Self::Nothing | Self::Grades => return,
        };
        if queries > 0 && rounds == 0 {
            output::warn(format!("{file} teaches nothing on these queries; check that its ids are those of the runs"));
        }
    }
}

/// Grades by their order: 0 for the lowest.
fn levels(grades: &[f64]) -> Vec<i32> {
    let mut all = grades.to_vec();
    all.sort_by(f64::total_cmp);
    all.dedup();
    grades.iter().map(|grade| all.partition_point(|other| other < grade) as i32).collect()
}

fn read_clicks(file: &Path) -> ordain::Result<HashMap<String, Vec<(u64, String)>>> {
    let table = Table::read(file)?;
    let (query, document) = (table.column("qid")?, table.column("docid")?);
    let mut out: HashMap<String, Vec<(u64, String)>> = HashMap::new();
    for row in 0..table.len() {
        let click = (table.line(row), table.cell(row, document).trim().to_owned());
        out.entry(table.cell(row, query).trim().to_owned()).or_default().push(click);
    }
    Ok(out)
}

impl Clicks {
    fn feedback(&mut self, query: &str, documents: &[&str], fused: &[usize]) -> ordain::Result<Feedback> {
        let Some(clicked) = self.clicked.remove(query) else { return Ok(Feedback::default()) };
        let shown: Vec<&str> = match &self.shown {
            Some(shown) => shown.of(query),
            None => fused.iter().map(|&item| documents[item]).collect(),
        };
        let known: HashSet<&str> = shown.iter().copied().collect();
        if let Some((line, document)) = clicked.iter().find(|(_, document)| !known.contains(&**document)) {
            let expected = format!("one of the {} documents that were shown for query {query}", shown.len());
            let hint = match self.shown {
                Some(_) => "clicks are on documents of the run that --shown names",
                None => "give the run that was really shown with --shown RUN, or write more documents with --top",
            };
            return Err(InputError::new(&self.file, expected)
                .line(*line)
                .column("docid")
                .found(document)
                .hint(hint)
                .into());
        }
        // A document that was shown but that no expert returned teaches nothing.
        let item = |document: &str| documents.binary_search(&document).ok();
        let shown: Vec<usize> = shown.into_iter().filter_map(item).collect();
        let clicked: Vec<usize> = clicked.iter().filter_map(|(_, document)| item(document)).collect();
        Feedback::from_clicks(&shown, &clicked)
    }
}

impl Shown {
    fn read(file: &Path) -> ordain::Result<Self> {
        let run = read_run(file)?;
        (0..run.queries.len()).try_for_each(|query| check_query(file, &run, query))?;
        let places = run.queries.iter().enumerate().map(|(at, (query, _))| (query.clone(), at)).collect();
        Ok(Self { run, places })
    }

    /// The documents of a query as they were shown.
    fn of(&self, query: &str) -> Vec<&str> {
        let Some(&at) = self.places.get(query) else { return Vec::new() };
        let mut list: Vec<(&str, f64)> =
            self.run.queries[at].1.iter().map(|row| (self.run.document(row), row.score)).collect();
        best_first(&mut list);
        list.into_iter().map(|(document, _)| document).collect()
    }
}
