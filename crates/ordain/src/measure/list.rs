//! A query's documents as a measure sees them: grades in ranked order, and all grades of the judgements.

use crate::words::vocabulary;
use crate::{Error, Result};

/// How documents with equal scores are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// By falling document id, byte by byte, as trec_eval does.
    #[default]
    Trec,
    /// In the order of the input, as LETOR's own tools do.
    Given,
    /// Averaged over all orders: a measure is its expected value over random orders of equal scores.
    Expected,
}

vocabulary! { Ties, "order of equal scores";
    Trec = "trec", "by falling document id, as trec_eval does";
    Given = "given", "as they stand in the file";
    Expected = "expected", "in every order at once: expected values";
}

/// Grades in ranked order, and all grades of the query's judgements.
///
/// Documents without a judgement have grade 0. Grades of at least 1 are relevant; negative grades count as 0. Three measures look
/// closer, as trec_eval does: for bpref, inferred average precision and the share of judged documents, a negative grade means that
/// the document is in the pool but was not judged, and [`JudgedList::with_named`] says which documents the judgements name at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedList {
    grades: Vec<i32>,
    /// The end of each run of equal scores. None if every document has its own place.
    blocks: Option<Vec<usize>>,
    /// The positive grades of the judgements, falling.
    ideal: Vec<i32>,
    /// The number of documents that were judged and are not relevant, retrieved or not.
    rejected: usize,
    /// Whether the judgements name each document, in ranked order. None if they name all.
    named: Option<Vec<bool>>,
}

/// A run of documents whose scores are equal, in a list where ties are left open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    /// Documents before it.
    pub(super) before: usize,
    /// The grades in it.
    pub(super) grades: &'a [i32],
    /// Whether the judgements name each of them. None if they name all.
    named: Option<&'a [bool]>,
}

/// What the judgements say of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Relevant,
    /// Judged, and not relevant.
    Rejected,
    /// In the pool, but not judged.
    Unjudged,
    /// Not named at all.
    Unknown,
}

impl Block<'_> {
    pub(super) fn len(&self) -> usize {
        self.grades.len()
    }

    /// The number of its relevant documents.
    pub(super) fn relevant(&self) -> usize {
        self.grades.iter().filter(|&&grade| grade > 0).count()
    }

    /// The number of its documents that the judgements name.
    pub(super) fn named(&self) -> usize {
        self.named.map_or(self.len(), |named| named.iter().filter(|&&named| named).count())
    }

    /// The number of its documents of which the judgements say this.
    pub(super) fn count(&self, standing: Standing) -> usize {
        (0..self.len()).filter(|&at| self.standing(at) == standing).count()
    }

    /// What the judgements say of one of its documents.
    pub(super) fn standing(&self, at: usize) -> Standing {
        match self.grades[at] {
            1.. => Standing::Relevant,
            _ if self.named.is_some_and(|named| !named[at]) => Standing::Unknown,
            0 => Standing::Rejected,
            _ => Standing::Unjudged,
        }
    }
}

impl JudgedList {
    /// A list whose order is settled, from the grades in ranked order and the grades of all judged documents.
    pub fn ranked(grades: Vec<i32>, judged: impl IntoIterator<Item = i32>) -> Self {
        let mut rejected = 0;
        let mut ideal: Vec<i32> = judged
            .into_iter()
            .inspect(|&grade| rejected += usize::from(grade == 0))
            .filter(|&grade| grade > 0)
            .collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self { grades, blocks: None, ideal, rejected, named: None }
    }

    /// The same list, with what the judgements name: one value per document, in the order of [`JudgedList::grades`]. Without it, they
    /// name all documents. One that they do not name has grade 0.
    ///
    /// # Errors
    /// If the number of values is not that of the documents.
    pub fn with_named(self, named: Vec<bool>) -> Result<Self> {
        if named.len() != self.grades.len() {
            let (found, expected) = (named.len().to_string(), format!("{}, one per document", self.grades.len()));
            return Err(Error::Data { what: "named documents", found, expected });
        }
        Ok(Self { named: Some(named), ..self })
    }

    /// A list from scores and grades in which ties stay open: measures are expected values over the orders of equal
    /// scores.
    ///
    /// # Errors
    /// If the numbers of scores and grades differ, or a score is NaN.
    pub fn tied(scores: &[f64], grades: &[i32], judged: impl IntoIterator<Item = i32>) -> Result<Self> {
        let order = falling(scores, grades)?;
        let ends = (1..=order.len()).filter(|&end| end == order.len() || scores[order[end]] != scores[order[end - 1]]);
        let blocks = Some(ends.collect());
        let grades = order.iter().map(|&at| grades[at]).collect();
        Ok(Self { blocks, ..Self::ranked(grades, judged) })
    }

    /// A list from scores and grades. Equal scores keep the given order.
    ///
    /// # Errors
    /// If the numbers of scores and grades differ, or a score is NaN.
    pub fn given(scores: &[f64], grades: &[i32], judged: impl IntoIterator<Item = i32>) -> Result<Self> {
        let order = falling(scores, grades)?;
        Ok(Self::ranked(order.iter().map(|&at| grades[at]).collect(), judged))
    }

    /// The grades in ranked order. Within open ties the order has no meaning.
    pub fn grades(&self) -> &[i32] {
        &self.grades
    }

    /// The number of relevant documents in the judgements, retrieved or not.
    pub fn relevant(&self) -> usize {
        self.ideal.len()
    }

    /// The number of documents that were judged and are not relevant, retrieved or not.
    pub(super) fn rejected(&self) -> usize {
        self.rejected
    }

    /// The positive grades of the judgements, falling.
    pub(super) fn ideal(&self) -> &[i32] {
        &self.ideal
    }

    /// Whether some document's place is left open.
    pub(super) fn is_open(&self) -> bool {
        self.blocks.as_ref().is_some_and(|blocks| blocks.len() < self.grades.len())
    }

    /// The runs of equal scores in order; single documents where the order is settled.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        let count = self.blocks.as_ref().map_or(self.grades.len(), Vec::len);
        let end = |block: usize| self.blocks.as_ref().map_or(block + 1, |blocks| blocks[block]);
        (0..count).map(move |block| {
            let before = if block == 0 { 0 } else { end(block - 1) };
            let within = before..end(block);
            let named = self.named.as_ref().map(|named| &named[within.clone()]);
            Block { before, grades: &self.grades[within], named }
        })
    }
}

/// Positions by falling score; equal scores keep their order.
fn falling(scores: &[f64], grades: &[i32]) -> Result<Vec<usize>> {
    if scores.len() != grades.len() {
        let (found, expected) = (format!("{} scores", scores.len()), format!("{}, one per grade", grades.len()));
        return Err(Error::Data { what: "scores", found, expected });
    }
    if let Some(at) = scores.iter().position(|score| score.is_nan()) {
        return Err(Error::Data { what: "scores", found: format!("NaN at position {at}"), expected: "numbers".into() });
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    // `partial_cmp` and not `total_cmp`: 0 and -0 are equal scores.
    order.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap_or(std::cmp::Ordering::Equal));
    Ok(order)
}
