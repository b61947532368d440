//! What a measure changes by if two documents change places.

use super::Scored;
use crate::measure::retrieval::{Discount, Gain};

/// The measure by which a pair of documents is weighed: the size of its change if the two change places and all others stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Swap {
    /// All pairs of different grades weigh 1: RankNet.
    Pairs,
    /// Normalised discounted cumulative gain of the first k places, or of all. The gain is `2^grade - 1`, the discount
    /// `1 / log2(1 + place)`.
    Ndcg {
        /// The number of places.
        k: Option<usize>,
    },
    /// Average precision. Grades of at least 1 are relevant.
    AveragePrecision,
    /// The reciprocal rank of the first relevant document.
    ReciprocalRank,
    /// Whether the first document is relevant ("winner takes all").
    Winner,
}

impl Swap {
    /// NDCG of all places.
    pub fn ndcg() -> Self {
        Self::Ndcg { k: None }
    }
}

/// Gains and discounts of a query's documents, which are sorted by falling grade; divided so that products are changes of NDCG: `|gain_i - gain_j| |discount_i -
/// discount_j|`. All gains are 0 if nothing is relevant.
pub(super) fn ndcg(query: &Scored<'_>, k: Option<usize>, sorted: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let places = query.grades.len();
    let counted = k.unwrap_or(places);
    let discount = |rank: usize| if rank < counted { Discount::Standard.at(rank + 1) } else { 0.0 };
    let by_place: Vec<f64> = (0..places).map(discount).collect();
    let mut gains: Vec<f64> = sorted.iter().map(|&document| Gain::Exponential.of(query.grades[document])).collect();
    let best: f64 = gains.iter().zip(&by_place).map(|(gain, discount)| gain * discount).sum();
    let scale = if best > 0.0 { 1.0 / best } else { 0.0 };
    gains.iter_mut().for_each(|gain| *gain *= scale);
    (gains, sorted.iter().map(|&document| by_place[query.ranks[document]]).collect())
}

/// What average precision changes by, from sums over the places before each document.
///
/// With `c` relevant documents up to place `k`, counted from 1, and `h` the sum of `1 / place` over those: a relevant document adds `c / k`
/// where it stands. If it comes from place b up to place a, where an irrelevant document was, it adds `(c_a + 1) / a` there, and each relevant
/// document between them one more before it, `h_b - 1/b - h_a` in all. The other direction is alike.
pub(super) struct Precision {
    places: Vec<f64>,
    /// `c / k - h` at the document's place.
    here: Vec<f64>,
    relevant: Vec<bool>,
    /// One over the number of relevant documents.
    share: f64,
}

impl Precision {
    pub(super) fn new(query: &Scored<'_>) -> Self {
        let count = query.grades.len();
        let relevant: Vec<bool> = query.grades.iter().map(|grade| *grade > 0).collect();
        let mut by_rank = vec![0; count];
        query.ranks.iter().enumerate().for_each(|(document, rank)| by_rank[*rank] = document);
        let mut here = vec![0.0; count];
        let (mut found, mut reciprocals) = (0.0, 0.0);
        for (rank, document) in by_rank.into_iter().enumerate() {
            let place = (rank + 1) as f64;
            if relevant[document] {
                found += 1.0;
                reciprocals += 1.0 / place;
            }
            here[document] = found / place - reciprocals;
        }
        let share = if found > 0.0 { 1.0 / found } else { 0.0 };
        Self { places: query.ranks.iter().map(|rank| (rank + 1) as f64).collect(), here, relevant, share }
    }

    /// The change for a better document and a worse one.
    pub(super) fn change(&self, better: usize, worse: usize) -> f64 {
        if self.relevant[better] == self.relevant[worse] {
            return 0.0;
        }
        // Only the better one is relevant.
        let (from, to) = (self.places[better], self.places[worse]);
        let change = if to < from {
            self.here[worse] + 1.0 / to - (self.here[better] + 1.0 / from)
        } else {
            self.here[better] - self.here[worse]
        };
        change * self.share
    }
}

/// What the reciprocal rank changes by, or whether the first document is relevant: both look at the first relevant document only.
pub(super) struct First<'a> {
    query: Scored<'a>,
    /// The places of the first and of the second relevant document, from 1; infinite if there is none.
    first: f64,
    second: f64,
    /// The value of a place.
    value: fn(f64) -> f64,
}

impl<'a> First<'a> {
    pub(super) fn reciprocal(query: &Scored<'a>) -> Self {
        Self::new(query, |place| 1.0 / place)
    }

    pub(super) fn winner(query: &Scored<'a>) -> Self {
        Self::new(query, |place| if place == 1.0 { 1.0 } else { 0.0 })
    }

    fn new(query: &Scored<'a>, value: fn(f64) -> f64) -> Self {
        let relevant = query.grades.iter().zip(query.ranks).filter(|(grade, _)| **grade > 0);
        let (mut first, mut second) = (f64::INFINITY, f64::INFINITY);
        for place in relevant.map(|(_, rank)| (rank + 1) as f64) {
            second = second.min(place.max(first));
            first = first.min(place);
        }
        Self { query: *query, first, second, value }
    }

    /// The change for a better document and a worse one.
    pub(super) fn change(&self, better: usize, worse: usize) -> f64 {
        if (self.query.grades[better] > 0) == (self.query.grades[worse] > 0) {
            return 0.0;
        }
        let [from, to] = [better, worse].map(|document| (self.query.ranks[document] + 1) as f64);
        // Without the better one, the first relevant document is the second, if it was the first itself.
        let others = if from == self.first { self.second } else { self.first };
        ((self.value)(others.min(to)) - (self.value)(self.first)).abs()
    }
}
