//! The documents of many queries with their grades, as rankers learn from them.

use crate::data::{Attributes, Groups, Items, Scale};
use crate::formats::{HIGHEST_GRADE, Letor};
use crate::measure::{JudgedList, Measure, mean};
use crate::words::vocabulary;
use crate::{Error, Result};

/// How attributes are shifted and scaled within each query before a ranker sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// To mean 0 and standard deviation 1.
    #[default]
    Standard,
    /// To lie between 0 and 1.
    Between0And1,
    /// As they are.
    AsGiven,
}

vocabulary! { Scaling, "scaling";
    Standard = "standard", "mean 0 and standard deviation 1 within each query";
    Between0And1 = "between-0-and-1", "between 0 and 1 within each query";
    AsGiven = "as-given", "as they are";
}

impl Scaling {
    /// The attributes, scaled within each group. One that is constant within a query becomes 0 there, unless attributes stay as they are.
    pub fn of(self, attributes: &Attributes, groups: Option<&Groups>) -> Attributes {
        match self {
            Self::Standard => attributes.scaled(&Scale::of(attributes, groups), groups),
            Self::Between0And1 => attributes.between_0_and_1(groups),
            Self::AsGiven => attributes.clone(),
        }
    }
}

/// Graded documents, query by query.
#[derive(Debug, Clone)]
pub struct GradedLists {
    names: Vec<String>,
    scaling: Scaling,
    /// Row by row; the documents of a query stand together.
    values: Vec<f64>,
    grades: Vec<i32>,
    /// The end of each query's documents.
    ends: Vec<usize>,
}

impl GradedLists {
    /// Documents with one grade each. Groups are the queries; without groups, all documents are one query.
    ///
    /// # Errors
    /// If there are not as many grades as items, no items, no attributes, or a grade beyond 1023, where `2^grade` overflows.
    pub fn new(items: &Items, grades: &[i32], scaling: Scaling) -> Result<Self> {
        let wrong = |found: String, expected: String| Error::Data { what: "graded lists", found, expected };
        if items.len() != grades.len() {
            return Err(wrong(format!("{} grades", grades.len()), format!("{}, one per item", items.len())));
        }
        if items.is_empty() || items.attributes().is_empty() {
            return Err(wrong("no items or no attributes".into(), "items with attributes to rank them by".into()));
        }
        if let Some(&grade) = grades.iter().find(|grade| **grade > HIGHEST_GRADE) {
            return Err(wrong(format!("grade {grade}"), format!("grades up to {HIGHEST_GRADE}")));
        }
        let attributes = scaling.of(items.attributes(), items.groups());
        let members: Vec<Vec<usize>> = match items.groups() {
            None => vec![(0..items.len()).collect()],
            Some(groups) => {
                let members = |group| groups.members(group).iter().map(|item| item.index()).collect();
                (0..groups.len()).map(members).collect()
            }
        };
        let mut ends = Vec::with_capacity(members.len());
        let mut sorted = Vec::with_capacity(grades.len());
        let mut values = Vec::with_capacity(grades.len() * attributes.len());
        for item in members.iter().inspect(|of| ends.push(ends.last().unwrap_or(&0) + of.len())).flatten() {
            sorted.push(grades[*item]);
            values.extend_from_slice(attributes.row(*item));
        }
        Ok(Self { names: attributes.names().to_vec(), scaling, values, grades: sorted, ends })
    }

    /// The queries of LETOR files, in the order of the files.
    ///
    /// # Errors
    /// If files differ in their features, there is no file, or no feature.
    pub fn from_letor(files: &[(Letor, Vec<i32>)], scaling: Scaling) -> Result<Self> {
        let mut lists = files.iter().map(|(letor, grades)| Self::new(&letor.items, grades, scaling));
        let none = || Error::Data { what: "graded lists", found: "no file".into(), expected: "at least one".into() };
        let mut all = lists.next().ok_or_else(none)??;
        for more in lists {
            let more = more?;
            check_same_names("graded lists", &all.names, &more.names)?;
            let before = all.grades.len();
            all.values.extend(more.values);
            all.grades.extend(more.grades);
            all.ends.extend(more.ends.iter().map(|end| before + end));
        }
        Ok(all)
    }

    /// The attributes' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How attributes are scaled.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// Some of the queries.
    pub(super) fn some(&self, queries: &[usize]) -> Self {
        let mut out = Self { values: Vec::new(), grades: Vec::new(), ends: Vec::new(), ..self.clone() };
        for &query in queries {
            let list = self.list(query);
            out.values.extend_from_slice(list.rows);
            out.grades.extend_from_slice(list.grades);
            out.ends.push(out.grades.len());
        }
        out
    }

    /// The queries in which grades differ.
    pub(super) fn teach(&self) -> Vec<usize> {
        (0..self.len()).filter(|&query| self.list(query).teaches()).collect()
    }

    /// All rows, one after the other.
    pub(super) fn rows(&self) -> &[f64] {
        &self.values
    }

    /// The number of queries.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no query.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of documents.
    pub fn documents(&self) -> usize {
        self.grades.len()
    }

    /// Whether a document is relevant: of grade 1 or more.
    pub(super) fn has_relevant(&self) -> bool {
        self.grades.iter().any(|grade| *grade > 0)
    }

    /// The number of queries in which all documents have one grade. They teach nothing.
    pub fn one_grade_only(&self) -> usize {
        self.len() - self.teach().len()
    }

    /// A query.
    pub(super) fn list(&self, query: usize) -> List<'_> {
        let from = if query == 0 { 0 } else { self.ends[query - 1] };
        let (to, width) = (self.ends[query], self.names.len());
        List { rows: &self.values[from * width..to * width], width, grades: &self.grades[from..to] }
    }

    /// The sum of a measure over the queries that teach nothing: their order does not matter, so no scores are needed.
    pub(super) fn sum_of_others(&self, measure: Measure) -> Result<f64> {
        let others = (0..self.len()).map(|query| self.list(query)).filter(|list| !list.teaches());
        others.map(|list| measure_of(measure, &vec![0.0; list.grades.len()], list.grades)).sum()
    }

    /// The queries that teach something.
    pub(super) fn teaching(&self) -> Result<Vec<List<'_>>> {
        let lists: Vec<List<'_>> = self.teach().into_iter().map(|query| self.list(query)).collect();
        if lists.is_empty() {
            return Err(Error::Data {
                what: "queries to learn from",
                found: format!("{} queries, each with one grade only", self.len()),
                expected: "a query whose documents differ in grade".into(),
            });
        }
        Ok(lists)
    }

    /// The mean of a measure over all queries for these scores, in the order of the lists. Equal scores keep the order of the file, as in
    /// LETOR's own tools; a query without a relevant document counts as 0.
    ///
    /// # Errors
    /// If there are not as many scores as documents, one is not a number, or the measure refuses a grade.
    pub fn measure(&self, measure: Measure, scores: &[f64]) -> Result<f64> {
        Ok(mean(&self.measures(measure, scores)?))
    }

    /// The same for every query.
    ///
    /// # Errors
    /// As [`GradedLists::measure`].
    pub fn measures(&self, measure: Measure, scores: &[f64]) -> Result<Vec<f64>> {
        if scores.len() != self.documents() {
            return Err(Error::Data {
                what: "scores",
                found: scores.len().to_string(),
                expected: format!("{}, one per document", self.documents()),
            });
        }
        let mut from = 0;
        let of = |&to: &usize| {
            let own = std::mem::replace(&mut from, to)..to;
            measure_of(measure, &scores[own.clone()], &self.grades[own])
        };
        self.ends.iter().map(of).collect()
    }
}

/// A measure of one query. Equal scores keep their order.
fn measure_of(measure: Measure, scores: &[f64], grades: &[i32]) -> Result<f64> {
    measure.of(&JudgedList::given(scores, grades, grades.iter().copied())?)
}

/// Fails unless some lists have the attributes of others, in their order.
pub(super) fn check_same_names(what: &'static str, expected: &[String], found: &[String]) -> Result<()> {
    let differ = |found: String, expected: String| Err(Error::Data { what, found, expected });
    if let Some((expected, found)) = expected.iter().zip(found).find(|(expected, found)| expected != found) {
        return differ(format!("attribute {found}"), format!("{expected} in its place, as in the lists before"));
    }
    if expected.len() != found.len() {
        return differ(format!("{} attributes", found.len()), format!("{}, as in the lists before", expected.len()));
    }
    Ok(())
}

/// The documents of one query.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    /// Row by row.
    pub(super) rows: &'a [f64],
    pub(super) width: usize,
    pub(super) grades: &'a [i32],
}

impl<'a> List<'a> {
    /// Whether grades differ.
    pub(super) fn teaches(&self) -> bool {
        self.grades.iter().any(|grade| *grade != self.grades[0])
    }

    pub(super) fn rows(&self) -> std::slice::ChunksExact<'a, f64> {
        self.rows.chunks_exact(self.width)
    }
}
