//! LETOR and SVMlight: `<grade> qid:<group> <feature>:<value> ... # docid = <id> ...`, one line per document.
//!
//! Items keep the order of the lines. The lines of one query need not stand together; groups are numbered in order of
//! first appearance. Features count from 1 and ascend; a missing feature is 0. The id follows `docid =` in the comment;
//! without it, the id is `<qid>:<line>`. Files without any `qid` have no groups, and line numbers as ids.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::source::Lines;
use super::table::empty;
use crate::data::{Attributes, Groups, Items};
use crate::{Error, InputError, Result};

/// Graded items of a LETOR file.
#[derive(Debug, Clone)]
pub struct Letor {
    /// The documents. Attributes are the features, named by their numbers; groups are the queries.
    pub items: Items,
    /// One grade per item.
    pub grades: Vec<f64>,
    /// The line of every item, from 1.
    pub lines: Vec<u64>,
}

/// Graded items with the ranks that several rankers gave them (LETOR's rank aggregation sets).
#[derive(Debug, Clone)]
pub struct LetorRanks {
    /// The documents, without attributes; groups are the queries.
    pub items: Items,
    /// One grade per item.
    pub grades: Vec<f64>,
    /// The number of rankers.
    pub rankers: usize,
    ranks: Vec<Option<f64>>,
}

impl LetorRanks {
    /// The ranks that the rankers gave an item; none if a ranker did not return it.
    pub fn ranks(&self, item: usize) -> &[Option<f64>] {
        &self.ranks[item * self.rankers..(item + 1) * self.rankers]
    }
}

/// Reads a file of scores, one per line, such as a ranker writes beside a LETOR file. If a line has several cells, the
/// last counts.
///
/// # Errors
/// If the file cannot be read or is empty, or a score is not a number.
pub fn read_scores(path: impl AsRef<Path>) -> Result<Vec<f64>> {
    let path = path.as_ref();
    let mut lines = Lines::open(path)?;
    match lines.next_content()?.map(str::to_owned) {
        Some(first) => scores_of(lines, first),
        None => Err(empty(path, "write a score for every line of the LETOR file")),
    }
}

/// The scores of a file whose first line was taken already.
pub(super) fn scores_of(mut lines: Lines, first: String) -> Result<Vec<f64>> {
    let path = lines.path().to_path_buf();
    let score = |number: u64, line: &str| -> Result<f64> {
        let cell = line.split_ascii_whitespace().next_back().unwrap_or_default();
        let score = cell.parse::<f64>().ok().filter(|score| !score.is_nan());
        score.ok_or_else(|| InputError::new(&path, "a score: a number").line(number).found(cell).into())
    };
    let mut scores = vec![score(lines.line(), &first)?];
    while let Some((number, line)) = lines.next_numbered()? {
        scores.push(score(number, line)?);
    }
    Ok(scores)
}

/// Reads a LETOR or SVMlight file.
///
/// # Lines
/// Items keep the order of the lines; the lines of one query need not stand together, and groups are numbered in order of
/// first appearance. Features count from 1 and ascend; one that is not given is 0. The id is what stands after `docid =`
/// in the comment, else `<qid>:<line>`. Files without any `qid` have no groups, and ids that are line numbers.
///
/// # Errors
/// If the file cannot be read or is empty, a line does not have this form, or a document occurs twice in a query.
pub fn read_letor(path: impl AsRef<Path>) -> Result<Letor> {
    let path = path.as_ref();
    let (rows, lines) = read_rows(path, number)?;
    let width = rows.width(path)?;
    rows.graded(width, lines)
}

/// Reads several LETOR or SVMlight files that have the same features, such as the parts of a collection. All have as many features as the
/// file with most, or as many as `features` says. No query is in two files.
///
/// # Errors
/// Like [`read_letor`]; also if two files have a query of one name, a file has a feature beyond `features`, or no line of it names the last of
/// these.
pub fn read_letors(paths: &[impl AsRef<Path>], features: Option<usize>) -> Result<Vec<Letor>> {
    let read = |path: &Path| read_rows(path, number).map(|rows| (path.to_path_buf(), rows));
    let files = paths.iter().map(|path| read(path.as_ref())).collect::<Result<Vec<_>>>()?;
    check_queries(&files)?;
    let width = features.unwrap_or_else(|| files.iter().map(|(_, (rows, _))| rows.largest as usize).max().unwrap_or(0));
    let graded = |(path, (rows, lines)): (PathBuf, Rows<f64>)| {
        if let Some((row, feature)) = rows.beyond(width) {
            let expected = format!("features from 1 to {width}");
            return Err(InputError::new(&path, expected).line(lines[row]).found(feature.to_string()).into());
        }
        if features.is_some_and(|features| (rows.largest as usize) < features) {
            let error = InputError::new(&path, format!("features up to {width}"))
                .found(format!("features up to {}", rows.largest));
            return Err(error.hint(format!("if the others are 0 in all lines, write {width}:0 in one of them")).into());
        }
        rows.check_dense(&path, width)?;
        rows.graded(width, lines)
    };
    files.into_iter().map(graded).collect()
}

/// Fails if two files have a query of one name: its documents would be two queries.
pub(super) fn check_queries<V>(files: &[(PathBuf, Rows<V>)]) -> Result<()> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (at, (path, (rows, lines))) in files.iter().enumerate() {
        for (query, &line) in rows.queries.iter().zip(lines) {
            let Some(query) = query.as_deref() else { continue };
            let first = *known.entry(query).or_insert(at);
            if first != at {
                let error =
                    InputError::new(path, "queries that no other file has").line(line).found(format!("qid:{query}"));
                return Err(error.hint(format!("it is also in {}", files[first].0.display())).into());
            }
        }
    }
    Ok(())
}

/// Reads a LETOR rank aggregation file, where a value is the rank that a ranker gave, or `NULL`.
///
/// # Errors
/// Like [`read_letor`].
pub fn read_letor_ranks(path: impl AsRef<Path>) -> Result<LetorRanks> {
    let path = path.as_ref();
    let (rows, _) = read_rows(path, rank)?;
    let rankers = rows.width(path)?;
    rows.ranked(rankers)
}

/// A rank, or none if the ranker gave none.
pub(super) fn rank(text: &str) -> Option<Option<f64>> {
    match text {
        "NULL" => Some(None),
        text => number(text).map(Some),
    }
}

impl Sparse<f64> {
    /// Graded items with this many features; one that is not given is 0.
    fn graded(self, width: usize, lines: Vec<u64>) -> Result<Letor> {
        let values = self.dense(width, 0.0);
        let names = (1..=width).map(|feature| feature.to_string()).collect();
        let (ids, groups, grades) = self.finish();
        let attributes = Attributes::new(names, ids.len(), values)?;
        Ok(Letor { items: Items::new(ids, groups, attributes)?, grades, lines })
    }
}

/// The highest grade that rankers and measures can use: `2^grade` overflows beyond it.
pub(crate) const HIGHEST_GRADE: i32 = 1023;

impl Letor {
    /// The grades as whole numbers, which measures need. `path` is the file that they were read from.
    ///
    /// # Errors
    /// If a grade is not a whole number, or is beyond 1023.
    pub fn whole_grades(&self, path: impl AsRef<Path>) -> Result<Vec<i32>> {
        let whole = |(&grade, &line): (&f64, &u64)| {
            let known = grade.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(HIGHEST_GRADE)).contains(&grade);
            let wrong = || {
                let expected = format!("a whole number up to {HIGHEST_GRADE} as the grade");
                InputError::new(&path, expected).line(line).column(1).found(grade.to_string())
            };
            if known { Ok(grade as i32) } else { Err(wrong().into()) }
        };
        self.grades.iter().zip(&self.lines).map(whole).collect()
    }
}

impl Sparse<Option<f64>> {
    /// The ranks of this many rankers.
    pub(super) fn ranked(self, rankers: usize) -> Result<LetorRanks> {
        let ranks = self.dense(rankers, None);
        let (ids, groups, grades) = self.finish();
        let attributes = Attributes::none(ids.len());
        Ok(LetorRanks { items: Items::new(ids, groups, attributes)?, grades, rankers, ranks })
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// The lines of a file. Features are still sparse, because the largest is not known before the end.
pub(super) struct Sparse<V> {
    pub(super) ids: Vec<String>,
    pub(super) queries: Vec<Option<String>>,
    grades: Vec<f64>,
    features: Vec<(u32, V)>,
    /// The end of the features of each line.
    ends: Vec<usize>,
    pub(super) largest: u32,
}

impl<V> Default for Sparse<V> {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            queries: Vec::new(),
            grades: Vec::new(),
            features: Vec::new(),
            ends: Vec::new(),
            largest: 0,
        }
    }
}

/// Feature numbers beyond this are refused, because attributes are held densely.
const MOST_FEATURES: u32 = 100_000;

/// The number of dense values that is always allowed: a gibibyte.
const FREE_VALUES: usize = 1 << 27;

impl<V: Copy> Sparse<V> {
    /// The number of features, if that many fit.
    fn width(&self, path: &Path) -> Result<usize> {
        self.check_dense(path, self.largest as usize)
    }

    /// Fails unless the dense table of this many features stays in proportion to the file.
    pub(super) fn check_dense(&self, path: &Path, width: usize) -> Result<usize> {
        let values = width.saturating_mul(self.ids.len());
        if values > FREE_VALUES && values / 100 > self.features.len() {
            return Err(Error::TooLarge {
                what: format!("{} made dense", path.display()),
                size: values,
                limit: FREE_VALUES,
                method: "the table of attributes",
            });
        }
        Ok(width)
    }

    /// The first row with a feature beyond this one, and the feature.
    fn beyond(&self, width: usize) -> Option<(usize, u32)> {
        let place = self.features.iter().position(|(feature, _)| *feature as usize > width)?;
        Some((self.ends.partition_point(|end| *end <= place), self.features[place].0))
    }

    /// Adds the lines of another file.
    pub(super) fn append(&mut self, mut other: Self) {
        let before = self.features.len();
        self.ids.append(&mut other.ids);
        self.queries.append(&mut other.queries);
        self.grades.append(&mut other.grades);
        self.features.append(&mut other.features);
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.largest = self.largest.max(other.largest);
    }

    fn dense(&self, width: usize, zero: V) -> Vec<V> {
        let mut out = vec![zero; width * self.ids.len()];
        let mut start = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            for &(feature, value) in &self.features[start..end] {
                out[row * width + feature as usize - 1] = value;
            }
            start = end;
        }
        out
    }

    pub(super) fn finish(self) -> (Vec<String>, Option<Groups>, Vec<f64>) {
        let queries: Option<Vec<String>> = self.queries.into_iter().collect();
        (self.ids, queries.map(Groups::new), self.grades)
    }
}

/// The documents of a file, and the line of each.
pub(super) type Rows<V> = (Sparse<V>, Vec<u64>);

pub(super) fn read_rows<V: Copy>(path: &Path, value: impl Fn(&str) -> Option<V>) -> Result<Rows<V>> {
    let mut lines = Lines::open(path)?;
    let mut out = Sparse::default();
    let mut places = Vec::new();
    let mut number = 0;
    while let Some(text) = lines.next_line()? {
        number += 1;
        if (Line { path, number }).read(text, &value, &mut out)? {
            places.push(number);
        }
    }
    if out.ids.is_empty() {
        return Err(without_lines(path));
    }
    check_documents(path, &out, &places)?;
    Ok((out, places))
}

pub(super) fn without_lines(path: &Path) -> Error {
    empty(path, "write a line for every document, for example 2 qid:1 1:0.5 2:0.1")
}

pub(super) struct Line<'a> {
    pub(super) path: &'a Path,
    pub(super) number: u64,
}

impl Line<'_> {
    pub(super) fn wrong(&self, column: usize, found: &str, expected: &str) -> Error {
        InputError::new(self.path, expected).line(self.number).column(column).found(found).into()
    }

    /// Adds the document of a line; none if the line is only a comment.
    pub(super) fn read<V>(&self, text: &str, value: impl Fn(&str) -> Option<V>, out: &mut Sparse<V>) -> Result<bool> {
        let (body, comment) = text.split_once('#').unwrap_or((text, ""));
        if body.trim().is_empty() {
            return Ok(false);
        }
        let mut tokens = body.split_ascii_whitespace().enumerate().peekable();
        let grade = tokens.next().map_or("", |(_, token)| token);
        out.grades.push(number(grade).ok_or_else(|| self.wrong(1, grade, "a grade: a finite number"))?);
        let query = tokens.next_if(|(_, token)| token.starts_with("qid:")).map(|(_, token)| token[4..].to_owned());
        if query.as_deref() == Some("") || out.queries.last().is_some_and(|last| last.is_some() != query.is_some()) {
            let found = body.split_ascii_whitespace().nth(1).unwrap_or_default();
            return Err(self.wrong(2, found, "qid: and a query, on every line or on none"));
        }
        let mut last = 0;
        for (at, token) in tokens {
            let (feature, value) =
                feature(token, &value).ok_or_else(|| self.wrong(at + 1, token, "feature:value with a finite value"))?;
            if feature <= last || feature > MOST_FEATURES {
                let expected = format!("features from 1 to {MOST_FEATURES}, ascending");
                return Err(self.wrong(at + 1, token, &expected));
            }
            last = feature;
            out.features.push((feature, value));
        }
        out.largest = out.largest.max(last);
        out.ends.push(out.features.len());
        out.ids.push(match (docid(comment), &query) {
            (Some(id), _) => id.to_owned(),
            (None, Some(query)) => format!("{query}:{}", self.number),
            (None, None) => self.number.to_string(),
        });
        out.queries.push(query);
        Ok(true)
    }
}

fn feature<V>(token: &str, value: impl Fn(&str) -> Option<V>) -> Option<(u32, V)> {
    let (feature, text) = token.split_once(':')?;
    Some((feature.parse().ok()?, value(text)?))
}

/// The id in a comment such as `docid = GX008-86-4444840 inc = 1`.
fn docid(comment: &str) -> Option<&str> {
    let (_, rest) = comment.split_once("docid")?;
    rest.trim_start().strip_prefix('=')?.split_ascii_whitespace().next()
}

pub(super) fn check_documents<V>(path: &Path, rows: &Sparse<V>, places: &[u64]) -> Result<()> {
    let mut seen: HashMap<(Option<&str>, &str), u64> = HashMap::with_capacity(rows.ids.len());
    for ((id, query), &line) in rows.ids.iter().zip(&rows.queries).zip(places) {
        if let Some(first) = seen.insert((query.as_deref(), id), line) {
            return Err(InputError::new(path, "each document once per query")
                .line(line)
                .column("docid")
                .found(id)
                .hint(format!("line {first} has the same document"))
                .into());
        }
    }
    Ok(())
}
