//! The rival of LinkLearn's eq. 8: one weight per term, within one vocabulary.

use std::collections::HashSet;
use std::path::Path;

use ordain::learn::{Closer, DiagonalMetricParams, LinkLearnParams, LinkedTexts};
use ordain::measure::{JudgedList, Measure, mean};
use ordain::numeric::{Purpose, SparseMatrix};
use ordain::text::{IndexBuilder, Weighting};
use ordain::{Result, Watch};
use rand::RngExt;
use rayon::prelude::*;

use crate::journal::{Journal, Layout};

/// The costs of a triple in the wrong order that are tried; none stands for the vectors without weights.
const COSTS: [Option<f64>; 5] = [None, Some(1.0), Some(10.0), Some(100.0), Some(1000.0)];

/// At most so many triples per teaching document.
const TRIPLES: usize = 10;

/// The table: the mean average precision of the links of the half that did not teach, and how many terms have a weight.
pub fn layout() -> Layout {
    let key = |cost: &Option<f64>| cost.map_or("none".to_owned(), |cost| cost.to_string());
    Layout {
        columns: ["cost", "link_precision", "terms"].map(str::to_owned).to_vec(),
        keys: COSTS.iter().map(key).collect(),
    }
}

/// The documents as unit vectors of Okapi weights, cut into the same halves as for LinkLearn.
struct Halves {
    rows: [SparseMatrix; 2],
    linked: [Vec<HashSet<u32>>; 2],
}

/// Learns and measures what is missing.
///
/// # Errors
/// If the descent does not converge, or results cannot be written.
pub fn compute(articles: &LinkedTexts, params: &LinkLearnParams, file: &Path) -> Result<()> {
    let mut journal = Journal::open(file, layout())?.in_batches_of(1);
    if journal.done() == COSTS.len() {
        return Ok(());
    }
    let halves = Halves::new(articles, params)?;
    let triples = halves.triples(params);
    let row = |at: usize| {
        let [teach, choose] = &halves.rows;
        let Some(cost) = COSTS[at] else { return Ok(vec![Some(halves.precision(choose)?), None]) };
        let metric = DiagonalMetricParams::default().with_cost(cost).fit(teach, &triples, &Watch::NONE)?;
        let terms = metric.weights().iter().filter(|weight| **weight > 0.0).count();
        Ok(vec![Some(halves.precision(&metric.stretch(choose))?), Some(terms as f64)])
    };
    journal.complete(0..COSTS.len(), row, |_| {})
}

impl Halves {
    fn new(articles: &LinkedTexts, params: &LinkLearnParams) -> Result<Self> {
        let mut builder = IndexBuilder::new(params.analysis.clone());
        for (at, text) in articles.texts().iter().enumerate() {
            builder.add(at.to_string(), text.as_str())?;
        }
        let index = builder.finish()?;
        let vectors = Weighting::default().over(&index)?.vectors();
        let halves = params.halves(articles);
        let rows = |half: &Vec<u32>| {
            let entries = half.iter().enumerate().flat_map(|(row, &document)| {
                vectors.rows()[document as usize].iter().map(move |&(term, value)| (row as u32, term.0, value))
            });
            SparseMatrix::from_entries(half.len(), index.terms(), &entries.collect::<Vec<_>>())
        };
        let linked = |half: &Vec<u32>| {
            let mut places = vec![None; articles.len()];
            half.iter().zip(0_u32..).for_each(|(&document, place)| places[document as usize] = Some(place));
            let mut linked = vec![HashSet::new(); half.len()];
            for &(a, b) in articles.links() {
                if let (Some(a), Some(b)) = (places[a as usize], places[b as usize]) {
                    linked[a as usize].insert(b);
                    linked[b as usize].insert(a);
                }
            }
            linked
        };
        Ok(Self { rows: [rows(&halves[0])?, rows(&halves[1])?], linked: [linked(&halves[0]), linked(&halves[1])] })
    }

    /// "A document is closer to a linked one than to another", at random.
    fn triples(&self, params: &LinkLearnParams) -> Vec<Closer> {
        let linked = &self.linked[0];
        let mut stream = params.seed.stream(Purpose::TaskOf { kind: 3, task: 0 });
        let mut out = Vec::new();
        for (document, own) in linked.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
            let mut sorted: Vec<u32> = own.iter().copied().collect();
            sorted.sort_unstable();
            for _ in 0..TRIPLES {
                let near = sorted[stream.random_range(0..sorted.len())];
                let far = stream.random_range(0..linked.len() as u32);
                if far as usize != document && !own.contains(&far) {
                    out.push([document as u32, near, far]);
                }
            }
        }
        out
    }

    /// The mean average precision of links by rising distance, in the half that did not teach.
    fn precision(&self, rows: &SparseMatrix) -> Result<f64> {
        let by_term = rows.transposed();
        let squares: Vec<f64> =
            (0..rows.rows()).map(|row| rows.row(row).1.iter().map(|value| value * value).sum()).collect();
        let one = |document: usize| -> Result<Option<f64>> {
            let linked = &self.linked[1][document];
            if linked.is_empty() {
                return Ok(None);
            }
            // Minus the squared distance; the document's own square is the same for all.
            let mut scores: Vec<f64> = squares.iter().map(|square| -square).collect();
            let (terms, values) = rows.row(document);
            for (&term, value) in terms.iter().zip(values) {
                let (others, worths) = by_term.row(term as usize);
                others.iter().zip(worths).for_each(|(&other, worth)| scores[other as usize] += 2.0 * value * worth);
            }
            let others: Vec<usize> = (0..scores.len()).filter(|&other| other != document).collect();
            let kept: Vec<f64> = others.iter().map(|&other| scores[other]).collect();
            let grades: Vec<i32> = others.iter().map(|&other| i32::from(linked.contains(&(other as u32)))).collect();
            let list = JudgedList::given(&kept, &grades, grades.iter().copied())?;
            Measure::AveragePrecision.of(&list).map(Some)
        };
        let all: Vec<Option<f64>> = (0..rows.rows()).into_par_iter().map(one).collect::<Result<_>>()?;
        Ok(mean(&all.into_iter().flatten().collect::<Vec<f64>>()))
    }
}
