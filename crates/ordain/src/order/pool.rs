//! The pool of documents that experts returned for a query.

use std::collections::HashMap;

use super::{RankOrdering, Unretrieved};
use crate::{Error, Result};

/// All documents that some expert returned for a query, and each expert's list of them.
#[derive(Debug, Clone)]
pub struct Pool<'a> {
    documents: Vec<&'a str>,
    /// For every expert, documents with their scores.
    lists: Vec<Vec<(u32, f64)>>,
}

impl<'a> Pool<'a> {
    /// The pool of these lists of document ids and scores, one list per expert; the list is empty if an expert returned
    /// nothing. Documents are in rising order of their ids, whatever the order of the experts. `O(k log k)` for k rows.
    ///
    /// # Errors
    /// If a list has a document twice.
    pub fn new(lists: impl IntoIterator<Item = Vec<(&'a str, f64)>>) -> Result<Self> {
        let mut documents: Vec<&'a str> = Vec::new();
        // The number of every document, and the last list that had it.
        let mut known: HashMap<&'a str, (u32, usize)> = HashMap::new();
        let mut out = Vec::new();
        for (list, rows) in lists.into_iter().enumerate() {
            let mut own = Vec::with_capacity(rows.len());
            for (document, score) in rows {
                let next = documents.len() as u32;
                let (number, latest) = known.entry(document).or_insert((next, usize::MAX));
                if *latest == list {
                    let found = format!("document {document} twice in list {}", list + 1);
                    return Err(Error::Data { what: "run", found, expected: "each document once per query".into() });
                }
                *latest = list;
                own.push((*number, score));
                if *number == next {
                    documents.push(document);
                }
            }
            out.push(own);
        }
        let mut order: Vec<u32> = (0..documents.len() as u32).collect();
        order.sort_unstable_by_key(|&number| documents[number as usize]);
        let mut places = vec![0; documents.len()];
        order.iter().zip(0..).for_each(|(&number, place)| places[number as usize] = place);
        out.iter_mut().flatten().for_each(|(number, _)| *number = places[*number as usize]);
        Ok(Self { documents: order.iter().map(|&number| documents[number as usize]).collect(), lists: out })
    }

    /// The documents.
    pub fn documents(&self) -> &[&'a str] {
        &self.documents
    }

    /// Each expert's opinion on them.
    ///
    /// # Errors
    /// If a score is NaN.
    pub fn experts(&self, unretrieved: Unretrieved) -> Result<Vec<RankOrdering>> {
        let ordering =
            |list: &Vec<(u32, f64)>| RankOrdering::from_list(self.documents.len(), list.clone(), unretrieved);
        self.lists.iter().map(ordering).collect()
    }
}
