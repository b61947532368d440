//! LinkLearn: a similarity of texts, learned from the links between documents (D. Grangier and S. Bengio, Exploiting
//! hyperlinks to learn a retrieval model, NIPS 2005 workshop on learning to rank).
//!
//! A document is taken to be more like the documents that it is linked with, in either direction, than like all others
//! (eq. 2). The weight of a term in a document is the product of three one-input networks, of the term's frequency, of
//! its rarity and of the document's length (eq. 3, [`Curves`]). The networks know no term, so they apply to any
//! collection. Descent takes a document as a query, scores all others through the inverted index, and adds up what
//! every pair of a linked and a not linked document asks for (eq. 7 or eqs. 9 to 11). Curves are evaluated once per
//! distinct frequency, rarity and length.
//!
//! Two halves of the documents at random, without the links between them: one teaches, and after every pass the mean
//! average precision of the links of the other decides when to stop, and which hidden units and step length to take.
//!
//! Deviations, in all settings: the cost of a document is the mean over its pairs, not the sum (eqs. 5 and 7), so that documents with
//! many links do not outweigh the others. Inputs are logarithms, outputs are positive ([`Curve`](crate::text::Curve)). Steps are those of Adam
//! after 32 documents. A query of people is weighed by its counts, not by the curves.
//!
//! Settings. The paper's setting compares whole documents. Queries of people are short, and so are many documents. So by
//! default the first words of a document are its query, with their counts as the query's weights, and documents are cut to random
//! lengths. `docs/decisions/learn.md` has the figures.

mod descent;
mod loss;
mod task;
#[cfg(test)]
mod tests;

use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use self::descent::{Found, Run, link_precision};
pub use self::loss::LinkLoss;
use self::task::Task;
use super::ranker::{Epoch, first_best};
use crate::numeric::{Purpose, Seed};
use crate::params::setters;
use crate::text::{Analysis, Bm25Params, Curves, Stemmer, words};
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// Documents and the links between them.
#[derive(Debug, Clone)]
pub struct LinkedTexts {
    texts: Vec<String>,
    /// From the smaller position to the larger, each pair once.
    links: Vec<(u32, u32)>,
}

impl LinkedTexts {
    /// Texts with links between their positions. The direction of a link does not matter, a repeated link counts once,
    /// and a link from a document to itself is left out.
    ///
    /// # Errors
    /// If a link leads to no text.
    pub fn new(texts: Vec<String>, links: impl IntoIterator<Item = (u32, u32)>) -> Result<Self> {
        let mut pairs: Vec<(u32, u32)> =
            links.into_iter().map(|(a, b)| (a.min(b), a.max(b))).filter(|(a, b)| a != b).collect();
        pairs.sort_unstable();
        pairs.dedup();
        if let Some((source, target)) = pairs.iter().find(|(_, last)| *last as usize >= texts.len()) {
            return Err(Error::Data {
                what: "links between documents",
                found: format!("{source} to {target}"),
                expected: format!("positions below {}", texts.len()),
            });
        }
        Ok(Self { texts, links: pairs })
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The texts.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The pairs of linked documents, the smaller position first.
    pub fn links(&self) -> &[(u32, u32)] {
        &self.links
    }

    /// Some documents, by their positions, with the links between them.
    fn part(&self, positions: &[u32]) -> Self {
        let mut places = vec![None; self.texts.len()];
        positions.iter().zip(0_u32..).for_each(|(&position, place)| places[position as usize] = Some(place));
        let links = self.links.iter().filter_map(|&(a, b)| {
            let (a, b) = (places[a as usize]?, places[b as usize]?);
            Some((a.min(b), a.max(b)))
        });
        let texts = positions.iter().map(|&position| self.texts[position as usize].clone()).collect();
        Self { texts, links: links.collect() }
    }
}

/// The query that stands for a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkQueries {
    /// The whole document, weighed like all others (the paper's setting).
    Whole,
    /// Its first words. They weigh what they count.
    FirstWords(u32),
}

/// LinkLearn's settings.
///
/// Same bits for any number of threads. A pass costs two operations per query and posting of the query's terms, and a few per query and
/// document, for the cross-entropy times the query's links. Memory: a copy of the texts until their terms are counted; then about 40 bytes per
/// posting, or 60 with whole documents as queries.
///
/// ```
/// use ordain::Watch;
/// use ordain::learn::{LinkLearnParams, LinkedTexts};
///
/// // Two topics, each with a word of its own beside words that both have.
/// let texts = (0..60).map(|at| format!("topic{} word{} word{}", at % 2, at % 7, at % 5)).collect();
/// let links = (0..60).flat_map(|at| [(at, (at + 2) % 60), (at, (at + 8) % 60), (at, (at + 14) % 60)]);
/// let texts = LinkedTexts::new(texts, links)?;
/// let learned = LinkLearnParams::default().fit(&texts, &Watch::NONE)?;
/// // Nothing but the topic tells linked documents apart: at random the precision would be about 0.2.
/// assert!(learned.link_precision > 0.25);
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LinkLearnParams {
    /// How text becomes terms. Default: English stop words and stems.
    pub analysis: Analysis,
    /// The query that stands for a document. Default: its first 8 words.
    pub queries: LinkQueries,
    /// The least and the most words of a document. Documents are cut after a number between, whose logarithm is uniform. Default: 20 and 2,000.
    pub lengths: Option<(u32, u32)>,
    /// What a pair of documents in the wrong order costs. Default: cross-entropy.
    pub loss: LinkLoss,
    /// The numbers of hidden units per curve, of which the best is chosen. Default: 3 and 5.
    pub hidden: Vec<usize>,
    /// The lengths of Adam's steps, of which the best is chosen. Default: 0.01 and 0.02.
    pub rates: Vec<f64>,
    /// The most passes over the documents. Default: 30.
    pub epochs: usize,
    /// A run ends after this many passes without a better one, at least 1. Default: 5.
    pub patience: usize,
    /// The seed of the halves, of the lengths and of all beginnings. Default: 1.
    pub seed: Seed,
}

impl Default for LinkLearnParams {
    fn default() -> Self {
        Self {
            analysis: Analysis { stem: Some(Stemmer::ENGLISH), ..Analysis::default() },
            queries: LinkQueries::FirstWords(8),
            lengths: Some((20, 2000)),
            loss: LinkLoss::CrossEntropy,
            hidden: vec![3, 5],
            rates: vec![0.01, 0.02],
            epochs: 30,
            patience: 5,
            seed: Seed(1),
        }
    }
}

setters! {
    LinkLearnParams:
    with_analysis = analysis: Analysis,
    with_queries = queries: LinkQueries,
    with_lengths = lengths: Option<(u32, u32)>,
    with_loss = loss: LinkLoss,
    with_hidden = hidden: Vec<usize>,
    with_rates = rates: Vec<f64>,
    with_epochs = epochs: usize,
    with_patience = patience: usize,
    with_seed = seed: Seed,
}

/// A similarity that was learned from links.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkLearned {
    /// The three curves.
    pub curves: Curves,
    /// The mean average precision of links, on the half of the documents by which the curves were chosen.
    pub link_precision: f64,
    /// The number of linked pairs within the half that taught.
    pub taught: usize,
    /// The hidden units that were chosen.
    pub hidden: usize,
    /// The rate that was chosen.
    pub rate: f64,
    /// The passes after which the curves were taken, from 1.
    pub epochs: usize,
    /// The mean average precision of links pass by pass, where it learned and where it was chosen.
    pub curve: Vec<Epoch>,
}

impl LinkLearnParams {
    /// The paper's setting: whole documents, compared by the hinge (eq. 7). A pass takes several times as long as one of the
    /// default.
    pub fn paper() -> Self {
        Self { queries: LinkQueries::Whole, lengths: None, loss: LinkLoss::Hinge, ..Self::default() }
    }

    fn check(&self) -> Result<()> {
        let parameter = |name: &str, value: f64, expected| Err(Error::Parameter { name: name.into(), value, expected });
        if let Some(&rate) = self.rates.iter().find(|rate| !(rate.is_finite() && **rate > 0.0)) {
            return parameter("rate", rate, "a positive, finite number");
        }
        if self.rates.is_empty() || self.hidden.is_empty() || self.epochs == 0 || self.patience == 0 {
            return parameter("the number of rates, hidden units, epochs or patience", 0.0, "at least 1 of each");
        }
        if let Some(&units) = self.hidden.iter().find(|units| !(1..=MOST_UNITS).contains(*units)) {
            return parameter("hidden", units as f64, "a number of units from 1 to 1000");
        }
        if self.queries == LinkQueries::FirstWords(0) {
            return parameter("the words of a query", 0.0, "at least 1");
        }
        match self.lengths {
            Some((least, most)) if least == 0 || least > most => {
                parameter("the least number of words", f64::from(least), "at least 1 and at most the largest number")
            }
            _ => Ok(()),
        }
    }

    /// Learns from linked documents.
    ///
    /// # Errors
    /// If a parameter is out of range, no link lies within a half of the documents whose queries have a word, or the
    /// watch stops the work.
    pub fn fit(&self, documents: &LinkedTexts, watch: &Watch) -> Result<LinkLearned> {
        self.check()?;
        let [teach, choose] = self.halves(documents);
        let (train, validate) = (self.task(documents, &teach)?, self.task(documents, &choose)?);
        let starts: Vec<(usize, f64)> =
            self.hidden.iter().flat_map(|&units| self.rates.iter().map(move |&rate| (units, rate))).collect();
        let run = |(at, &(units, rate)): (usize, &(usize, f64))| {
            let run = Run { params: self, train: &train, validate: &validate, rate, of: starts.len(), at, watch };
            run.descend(units, self.seed.stream(Purpose::TaskOf { kind: 1, task: at as u32 }))
        };
        let mut runs: Vec<Found> = starts.iter().enumerate().map(run).collect::<Result<_>>()?;
        let best = first_best(runs.iter().map(|found| found.precision));
        let Found { precision, curves, best: epoch, curve } = runs.swap_remove(best);
        let (hidden, rate) = starts[best];
        let taught = self.taught(documents);
        Ok(LinkLearned { curves, link_precision: precision, taught, hidden, rate, epochs: epoch + 1, curve })
    }

    /// The number of linked pairs within the half that teaches.
    fn taught(&self, documents: &LinkedTexts) -> usize {
        documents.part(&self.halves(documents)[0]).links.len()
    }

    /// The mean average precision of links that Okapi's weights reach where [`LinkLearned::link_precision`] is measured: with these
    /// queries and documents, on the half that does not teach. Whole documents are compared by products of Okapi weights
    /// (LinkLearn section 2), so rarity counts twice as in the learned similarity.
    ///
    /// # Errors
    /// As [`LinkLearnParams::fit`], and if a constant is out of range.
    pub fn okapi_precision(&self, documents: &LinkedTexts, okapi: &[Bm25Params], watch: &Watch) -> Result<Vec<f64>> {
        self.check()?;
        let [_, choose] = self.halves(documents);
        let task = self.task(documents, &choose)?;
        let one = |(at, &params): (usize, &Bm25Params)| {
            watch.step(|| Step::new("measuring Okapi", at, okapi.len()))?;
            Ok(link_precision(&task, &task.okapi(params)?))
        };
        okapi.iter().enumerate().map(one).collect()
    }

    /// The positions of the half of the documents that teaches, and of the half to choose by.
    pub fn halves(&self, documents: &LinkedTexts) -> [Vec<u32>; 2] {
        let mut order: Vec<u32> = (0..documents.len() as u32).collect();
        order.shuffle(&mut self.seed.stream(Purpose::TaskOf { kind: 0, task: 0 }));
        let choose = order.split_off(order.len() / 2);
        [order, choose]
    }

    /// Some documents, by their positions, prepared for descent.
    fn task(&self, documents: &LinkedTexts, part: &[u32]) -> Result<Task> {
        let task = Task::new(&self.cut(documents, part), self.query_texts(documents, part).as_deref(), &self.analysis)?;
        if task.queries().is_empty() {
            return Err(Error::Data {
                what: "linked documents",
                found: format!("{} documents in one half, and none with words and a link to some of them", part.len()),
                expected: "enough links that each half of the documents, drawn at random, has some of its own".into(),
            });
        }
        Ok(task)
    }

    /// Documents of random lengths, each from a stream of its own.
    fn cut(&self, documents: &LinkedTexts, part: &[u32]) -> LinkedTexts {
        let mut out = documents.part(part);
        let Some((least, most)) = self.lengths else { return out };
        let (least, most) = (f64::from(least), f64::from(most));
        out.texts.par_iter_mut().zip(part).for_each(|(text, &document)| {
            let share: f64 = self.seed.stream(Purpose::TaskOf { kind: 2, task: document }).random();
            let length = (least * (most / least).powf(share)).round() as usize;
            text.truncate(first_words(text, length).len());
        });
        out
    }

    /// The queries of the documents; `None` for whole documents.
    fn query_texts(&self, documents: &LinkedTexts, part: &[u32]) -> Option<Vec<String>> {
        match self.queries {
            LinkQueries::Whole => None,
            LinkQueries::FirstWords(count) => {
                let texts = part.iter().map(|&document| documents.texts[document as usize].as_str());
                Some(texts.map(|text| first_words(text, count as usize).to_owned()).collect())
            }
        }
    }
}

/// Beyond this, a curve has more units than there are points to tell them apart.
const MOST_UNITS: usize = 1000;

/// The beginning of a text, with its first words.
fn first_words(text: &str, count: usize) -> &str {
    let end = count.checked_sub(1).and_then(|last| words(text).nth(last)).map(|(at, word)| at + word.len());
    if count == 0 { "" } else { &text[..end.unwrap_or(text.len())] }
}
