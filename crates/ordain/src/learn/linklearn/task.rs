//! Documents to rank, and their queries, prepared for descent: every distinct frequency, rarity and length has a number,
//! so that curves are evaluated once for each.

use std::collections::HashMap;

use super::LinkedTexts;
use crate::Result;
use crate::text::{Analysis, Bm25Params, Curves, DocumentId, IndexBuilder, TermId};

/// Half of the documents, with their queries.
pub(super) struct Task {
    /// `[term]`: the beginning of its postings; one more entry for the end of the last.
    starts: Vec<usize>,
    /// By term: the document, and the number of its worth.
    postings: Vec<(u32, u32)>,
    /// `[worth]`: the document, and the number of the frequency.
    worths: Vec<(u32, u32)>,
    /// `[frequency]`: the logarithm.
    frequencies: Vec<f64>,
    /// `[rarity]`: the logarithm of all documents over those that have the term.
    rarities: Vec<f64>,
    /// `[term]`: the number of its rarity.
    rarity_of: Vec<u32>,
    /// `[length]`: the logarithm of the length over the mean.
    lengths: Vec<f64>,
    /// `[document]`: the number of its length.
    length_of: Vec<u32>,
    queries: Vec<Query>,
}

/// A document as a query.
pub(super) struct Query {
    pub(super) own: u32,
    /// The documents linked with it, in order.
    pub(super) linked: Vec<u32>,
    /// Terms, each with its weight in the query.
    pub(super) terms: Vec<(u32, Weight)>,
}

/// The weight of a term in a query.
#[derive(Clone, Copy)]
pub(super) enum Weight {
    /// The number of times that it stands there.
    Count(f64),
    /// The worth with this number: that of the term in the document itself.
    Worth(u32),
}

/// The values of the curves: what depends on the parameters.
pub(super) struct Values {
    pub(super) worths: Vec<f64>,
    /// `[rarity]`: the square of the curve.
    pub(super) importances: Vec<f64>,
}

/// Distinct values in order, and the number of each one's value.
fn numbered<K: Ord + Copy + std::hash::Hash>(keys: impl Iterator<Item = K> + Clone) -> (Vec<K>, Vec<u32>) {
    let mut distinct: Vec<K> = keys.clone().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let numbers: HashMap<K, u32> = distinct.iter().copied().zip(0..).collect();
    let of = keys.map(|key| numbers[&key]).collect();
    (distinct, of)
}

impl Task {
    pub(super) fn new(documents: &LinkedTexts, queries: Option<&[String]>, analysis: &Analysis) -> Result<Self> {
        let mut builder = IndexBuilder::new(analysis.clone());
        for (at, text) in documents.texts.iter().enumerate() {
            builder.add(at.to_string(), text.as_str())?;
        }
        let index = builder.finish()?;
        let by_document = index.by_document();
        let (terms, all) = ((0..index.terms() as u32).map(TermId), (0..index.len() as u32).map(DocumentId));
        let (rarities, rarity_of) = numbered(terms.clone().map(|term| index.document_frequency(term)));
        let (lengths, length_of) = numbered(all.clone().map(|document| index.length(document)));
        let entries =
            all.clone().flat_map(|document| by_document.terms(document).iter().map(move |entry| (document, entry)));
        let (pairs, worth_of) = numbered(entries.clone().map(|(document, &(_, frequency))| (document, frequency)));
        let (frequencies, frequency_of) = numbered(pairs.iter().map(|(_, frequency)| *frequency));
        let worths =
            pairs.iter().zip(&frequency_of).map(|((document, _), &frequency)| (document.0, frequency)).collect();

        let mut starts = vec![0];
        starts.extend(terms.scan(0, |end, term| {
            *end += index.document_frequency(term);
            Some(*end)
        }));
        let mut next = starts.clone();
        let mut postings = vec![(0, 0); worth_of.len()];
        for ((document, &(term, _)), &worth) in entries.clone().zip(&worth_of) {
            let place = &mut next[term.index()];
            postings[*place] = (document.0, worth);
            *place += 1;
        }

        let mut linked = vec![Vec::new(); index.len()];
        for &(a, b) in &documents.links {
            linked[a as usize].push(b);
            linked[b as usize].push(a);
        }
        let mut rows: Vec<Vec<(u32, Weight)>> = vec![Vec::new(); index.len()];
        match queries {
            None => entries.zip(&worth_of).for_each(|((document, &(term, _)), &worth)| {
                rows[document.index()].push((term.0, Weight::Worth(worth)))
            }),
            Some(texts) => rows.iter_mut().zip(texts).for_each(|(row, text)| {
                let query = index.query(text);
                row.extend(query.terms().iter().map(|&(term, count)| (term.0, Weight::Count(f64::from(count)))));
            }),
        }
        let query = |((own, terms), mut linked): ((u32, Vec<_>), Vec<u32>)| {
            linked.sort_unstable();
            // A document that is linked with all others says nothing about their order.
            let tells = (1..index.len() - 1).contains(&linked.len());
            (!terms.is_empty() && tells).then_some(Query { own, linked, terms })
        };
        let count = index.len() as f64;
        Ok(Self {
            starts,
            postings,
            worths,
            frequencies: frequencies.into_iter().map(|frequency| f64::from(frequency).ln()).collect(),
            rarities: rarities.into_iter().map(|having| (count / having as f64).ln()).collect(),
            rarity_of,
            // A document without terms has no worth, so its length is of no account.
            lengths: lengths.into_iter().map(|length| (f64::from(length.max(1)) / index.mean_length()).ln()).collect(),
            length_of,
            queries: (0..).zip(rows).zip(linked).filter_map(query).collect(),
        })
    }

    pub(super) fn queries(&self) -> &[Query] {
        &self.queries
    }

    pub(super) fn documents(&self) -> usize {
        self.length_of.len()
    }

    /// The values of curves.
    pub(super) fn values(&self, curves: &Curves) -> Values {
        let frequencies: Vec<f64> = self.frequencies.iter().map(|&x| curves.tf.at(x)).collect();
        let lengths: Vec<f64> = self.lengths.iter().map(|&x| curves.length.at(x)).collect();
        let worth = |&(document, frequency): &(u32, u32)| {
            frequencies[frequency as usize] * lengths[self.length_of[document as usize] as usize]
        };
        Values {
            worths: self.worths.iter().map(worth).collect(),
            importances: self.rarities.iter().map(|&x| curves.idf.at(x).powi(2)).collect(),
        }
    }

    /// The values that Okapi gives: `idf = ln(N / df)` (LinkLearn section 2), squared if both texts are weighed.
    pub(super) fn okapi(&self, params: Bm25Params) -> Result<Values> {
        params.check()?;
        let worth = |&(document, frequency): &(u32, u32)| {
            let frequency = self.frequencies[frequency as usize].exp();
            let length = self.lengths[self.length_of[document as usize] as usize].exp();
            frequency / (frequency + params.norm(length))
        };
        let whole = self.queries.iter().flat_map(|query| &query.terms).any(|term| matches!(term.1, Weight::Worth(_)));
        Ok(Values {
            worths: self.worths.iter().map(worth).collect(),
            importances: self.rarities.iter().map(|idf| idf.powi(if whole { 2 } else { 1 })).collect(),
        })
    }

    /// The score of every document for a query.
    pub(super) fn score(&self, query: &Query, values: &Values, scores: &mut Vec<f64>) {
        scores.clear();
        scores.resize(self.documents(), 0.0);
        for &(term, weight) in &query.terms {
            let factor = values.weight(weight) * values.importances[self.rarity_of[term as usize] as usize];
            for &(document, worth) in self.postings(term) {
                scores[document as usize] += factor * values.worths[worth as usize];
            }
        }
    }

    /// Adds what pulls at the scores of a query pull at the values.
    pub(super) fn add_pulls(&self, query: &Query, values: &Values, pulls: &[f64], out: &mut Values) {
        for &(term, weight) in &query.terms {
            let rarity = self.rarity_of[term as usize] as usize;
            let (own, importance) = (values.weight(weight), values.importances[rarity]);
            let mut sum = 0.0;
            for &(document, worth) in self.postings(term) {
                let pull = pulls[document as usize];
                sum += pull * values.worths[worth as usize];
                out.worths[worth as usize] += own * importance * pull;
            }
            out.importances[rarity] += own * sum;
            if let Weight::Worth(worth) = weight {
                out.worths[worth as usize] += importance * sum;
            }
        }
    }

    /// What pulls at the values pull at the numbers of the curves: of frequency, rarity and length, in this order.
    pub(super) fn slopes(&self, curves: &Curves, pulls: &Values) -> [Vec<f64>; 3] {
        let frequencies: Vec<f64> = self.frequencies.iter().map(|&x| curves.tf.at(x)).collect();
        let lengths: Vec<f64> = self.lengths.iter().map(|&x| curves.length.at(x)).collect();
        let (mut at_frequencies, mut at_lengths) = (vec![0.0; frequencies.len()], vec![0.0; lengths.len()]);
        for (&(document, frequency), pull) in self.worths.iter().zip(&pulls.worths) {
            let (frequency, length) = (frequency as usize, self.length_of[document as usize] as usize);
            at_frequencies[frequency] += pull * lengths[length];
            at_lengths[length] += pull * frequencies[frequency];
        }
        let at_rarities: Vec<f64> =
            self.rarities.iter().zip(&pulls.importances).map(|(&x, pull)| 2.0 * curves.idf.at(x) * pull).collect();
        let parts = [
            (&curves.tf, &self.frequencies, at_frequencies),
            (&curves.idf, &self.rarities, at_rarities),
            (&curves.length, &self.lengths, at_lengths),
        ];
        parts.map(|(curve, points, pulls)| {
            let mut slopes = vec![0.0; curve.numbers().len()];
            points.iter().zip(pulls).for_each(|(&x, pull)| curve.add_slopes(x, pull, &mut slopes));
            slopes
        })
    }

    /// Values of this size that are all 0.
    pub(super) fn no_pulls(&self) -> Values {
        Values { worths: vec![0.0; self.worths.len()], importances: vec![0.0; self.rarities.len()] }
    }

    fn postings(&self, term: u32) -> &[(u32, u32)] {
        &self.postings[self.starts[term as usize]..self.starts[term as usize + 1]]
    }
}

impl Values {
    fn weight(&self, weight: Weight) -> f64 {
        match weight {
            Weight::Count(count) => count,
            Weight::Worth(worth) => self.worths[worth as usize],
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        let parts = [(&mut self.worths, &other.worths), (&mut self.importances, &other.importances)];
        for (own, other) in parts {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        }
    }
}
