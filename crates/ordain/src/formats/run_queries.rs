//! Several runs at once, query by query, so that no file is held in memory.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::trec::{FormRows, RUN, push, read_runs, told_apart, wrong};
use crate::data::{Run, RunFault, RunRow};
use crate::{Error, InputError, Result};

/// The lists of all runs for a query.
#[derive(Debug, Clone, PartialEq)]
pub struct RunQuery {
    /// The query.
    pub query: String,
    /// One list per run, with this query alone; none if a run does not have it.
    pub lists: Vec<Option<Run>>,
}

/// The queries of several runs in turn: those of the first file in its order, then those that it lacks in the order of
/// the second, and so on.
///
/// Files are read side by side. A query that a file has before its turn waits in memory. Nothing waits if all files
/// have the same queries in the same order. A whole file waits if it lacks a query that comes early. A file of several
/// runs is held whole.
pub struct RunQueries {
    sources: Vec<Source>,
    names: Vec<String>,
    /// The file whose order counts now.
    leader: usize,
}

impl RunQueries {
    /// Opens all runs of these files. Files are read twice, first for their tags. A pipe is held whole instead.
    ///
    /// # Errors
    /// If a file cannot be read or is empty, or a line does not have the form.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Self> {
        let mut sources = Vec::new();
        for path in paths {
            sources.extend(Source::open(path.as_ref())?);
        }
        let tagged: Vec<(PathBuf, String)> =
            sources.iter().map(|source| (source.path.clone(), source.tag.clone())).collect();
        let names = told_apart(&tagged);
        Ok(Self { sources, names, leader: 0 })
    }

    /// The names of the runs: their tags, or `FILE:TAG` where tags are equal.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The files of the runs, one per run.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().map(|source| source.path.as_path())
    }

    /// The next query, or none at the end.
    ///
    /// # Errors
    /// If a line does not have the form, the lines of a query stand apart, a document occurs twice for a query, or a
    /// score is NaN.
    #[expect(clippy::should_implement_trait, reason = "after an error there is no next one")]
    pub fn next(&mut self) -> Result<Option<RunQuery>> {
        while let Some(first) = self.sources.get_mut(self.leader) {
            let Some(block) = first.first()? else {
                self.leader += 1;
                continue;
            };
            let query = block.queries[0].0.clone();
            // Files before the leader have ended. Errors are checked in order, so that the same one is always reported.
            let others = self.sources[self.leader + 1..].par_iter_mut().map(|source| source.take(&query));
            let others: Vec<Result<Option<Run>>> = others.collect();
            let mut lists = vec![None; self.leader];
            lists.push(Some(block));
            for list in others {
                lists.push(list?);
            }
            return Ok(Some(RunQuery { query, lists }));
        }
        Ok(None)
    }
}

/// One run, cut into its queries.
struct Source {
    path: PathBuf,
    tag: String,
    blocks: Blocks,
    /// Queries that were read but not yet asked for, and their order.
    ahead: HashMap<String, Run>,
    order: VecDeque<String>,
}

enum Blocks {
    /// A file of one run.
    Lines(Box<BlockLines>),
    /// A run in memory, and the position of its next query.
    Held { run: Run, next: usize },
}

/// The lines of a file of one run.
struct BlockLines {
    rows: FormRows<5>,
    /// The query whose first line has been read.
    begun: Option<Run>,
    /// All queries so far.
    seen: HashSet<String>,
}

impl Source {
    /// The runs of a file.
    fn open(path: &Path) -> Result<Vec<Self>> {
        let source =
            |tag, blocks| Self { path: path.to_path_buf(), tag, blocks, ahead: HashMap::new(), order: VecDeque::new() };
        if let Some(tag) = only_tag(path)? {
            let lines = BlockLines { rows: RUN.open(path)?, begun: None, seen: HashSet::new() };
            return Ok(vec![source(tag, Blocks::Lines(Box::new(lines)))]);
        }
        let held = |run: Run| source(run.name.clone(), Blocks::Held { run, next: 0 });
        Ok(read_runs(path)?.into_iter().map(held).collect())
    }

    /// The first query that was not yet taken.
    fn first(&mut self) -> Result<Option<Run>> {
        while let Some(query) = self.order.pop_front() {
            if let Some(block) = self.ahead.remove(&query) {
                return Ok(Some(block));
            }
        }
        self.read()
    }

    /// A query, wherever it stands.
    fn take(&mut self, query: &str) -> Result<Option<Run>> {
        if let Some(block) = self.ahead.remove(query) {
            return Ok(Some(block));
        }
        while let Some(block) = self.read()? {
            let name = &block.queries[0].0;
            if name == query {
                return Ok(Some(block));
            }
            self.order.push_back(name.clone());
            self.ahead.insert(name.clone(), block);
        }
        Ok(None)
    }

    /// The next query of the file.
    fn read(&mut self) -> Result<Option<Run>> {
        let block = match &mut self.blocks {
            Blocks::Lines(lines) => lines.read(&self.tag)?,
            Blocks::Held { run, next } => {
                *next += 1;
                (*next <= run.queries.len()).then(|| run.only_query(*next - 1))
            }
        };
        if let Some(block) = &block {
            check_query(&self.path, block, 0)?;
        }
        Ok(block)
    }
}

/// The tag of a file that holds one run; none if it holds several, or can be read only once.
fn only_tag(path: &Path) -> Result<Option<String>> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut rows = RUN.open(path)?;
    let mut first: Option<String> = None;
    while let Some((_, [.., tag])) = rows.next()? {
        match &first {
            None => first = Some(tag.text.to_owned()),
            Some(first) if first == tag.text => {}
            Some(_) => return Ok(None),
        }
    }
    Ok(first)
}

impl BlockLines {
    /// The lines of the next query.
    fn read(&mut self, tag: &str) -> Result<Option<Run>> {
        let path = self.rows.path().to_path_buf();
        let mut block = self.begun.take();
        while let Some((line, cells)) = self.rows.next()? {
            let query = cells[0];
            if let Some(block) = block.as_mut().filter(|block| block.queries[0].0 == query.text) {
                push(&path, block, 0, line, &cells)?;
                continue;
            }
            if !self.seen.insert(query.text.to_owned()) {
                return Err(apart(wrong(&path, line, query, "the lines of a query together"), "sort -s -k1,1"));
            }
            let mut next = Run::new(tag);
            next.queries.push((query.text.to_owned(), Vec::new()));
            push(&path, &mut next, 0, line, &cells)?;
            if let Some(whole) = block.replace(next) {
                self.begun = block;
                return Ok(Some(whole));
            }
        }
        Ok(block)
    }
}

/// Adds the hint how to bring lines together.
pub(super) fn apart(error: Error, command: &str) -> Error {
    match error {
        Error::Input(error) => error.hint(format!("it has lines further up: {command} brings them together")).into(),
        other => other,
    }
}

/// Fails unless every document of a query occurs once, with a score. The error names the file.
pub fn check_query(path: &Path, run: &Run, query: usize) -> Result<()> {
    let name = &run.queries[query].0;
    let wrong = |row: &RunRow, expected: &str| InputError::new(path, expected).line(row.line.into());
    Err(match run.fault(query) {
        None => return Ok(()),
        Some(RunFault::NoScore(row)) => wrong(row, "a score: a number")
            .found(format!("the score NaN of document {} for query {name}", run.document(row)))
            .hint("leave out documents without a score"),
        Some(RunFault::Twice(first, second)) => wrong(second, "each document once per query")
            .found(format!("document {} again for query {name}", run.document(second)))
            .hint(format!("line {} has the same document", first.line)),
    }
    .into())
}
