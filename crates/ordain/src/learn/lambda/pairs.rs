//! Forces between every two documents of different grades.

use super::swap::{self, First, Precision, Swap};
use super::{Forces, Lambda, Scored, check_scores, in_range};
use crate::{Error, Result};

/// Pushes every two documents of different grades apart.
///
/// With the probability $P = 1 / (1 + e^{-\sigma (s_i - s_j)})$ that the better document i is before j, and $\bar P$ the probability that
/// it should be, a pair has the cross entropy of RankNet as its cost, and the force is $\sigma (\bar P - P)$ times its weight ([`Swap`]).
///
/// A query of n documents takes n exponentials and a division per pair of different grades.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PairLambda {
    /// The weight of a pair.
    pub swap: Swap,
    /// How steep the probability is, σ.
    pub steepness: f64,
    /// The probability that the document of the higher grade should be before the other, above one half and at most 1. Below 1, a pair
    /// pulls together if the lead is too large.
    pub confidence: f64,
}

impl PairLambda {
    /// With steepness and confidence 1.
    pub fn new(swap: Swap) -> Self {
        Self { swap, steepness: 1.0, confidence: 1.0 }
    }

    /// The same with another steepness.
    pub fn with_steepness(mut self, steepness: f64) -> Self {
        self.steepness = steepness;
        self
    }

    /// The same with another confidence in every pair.
    pub fn with_confidence(mut self, confidence: f64) -> Self {
        self.confidence = confidence;
        self
    }
}

/// Scores that are further apart than this have exponentials that overflow.
const WIDEST: f64 = 600.0;

impl Lambda for PairLambda {
    fn add(&self, query: &Scored<'_>, forces: &mut Forces) {
        let sorted = Sorted::new(self, query);
        match self.swap {
            Swap::Pairs => sorted.add(forces, |_, _, weights| weights.fill(1.0)),
            Swap::Ndcg { k } => {
                let (gains, discounts) = swap::ndcg(query, k, &sorted.documents);
                sorted.add(forces, |better, from, weights| {
                    let worse = gains[from..].iter().zip(&discounts[from..]);
                    for (weight, (gain, discount)) in weights.iter_mut().zip(worse) {
                        *weight = (gains[better] - gain) * (discounts[better] - discount).abs();
                    }
                });
            }
            Swap::AveragePrecision => {
                let precision = Precision::new(query);
                sorted.add_each(forces, |better, worse| precision.change(better, worse));
            }
            Swap::ReciprocalRank => {
                let first = First::reciprocal(query);
                sorted.add_each(forces, |better, worse| first.change(better, worse));
            }
            Swap::Winner => {
                let first = First::winner(query);
                sorted.add_each(forces, |better, worse| first.change(better, worse));
            }
        }
    }

    fn check(&self) -> Result<()> {
        in_range("steepness", self.steepness, self.steepness > 0.0, "a positive, finite number")?;
        let is_sure = self.confidence > 0.5 && self.confidence <= 1.0;
        in_range("confidence", self.confidence, is_sure, "a number above one half and at most 1")
    }
}

/// The documents of a query by falling grade, so that all that are worse than one stand together.
struct Sorted {
    documents: Vec<usize>,
    /// For each grade, the end of its documents.
    ends: Vec<usize>,
    /// `σ s`, and `e^{σ s}` up to a factor, which is of no use if scores are too far apart.
    scores: Vec<f64>,
    exponentials: Vec<f64>,
    too_wide: bool,
    steepness: f64,
    /// The probability that a pair of different grades should be the other way round.
    doubt: f64,
}

impl Sorted {
    fn new(lambda: &PairLambda, query: &Scored<'_>) -> Self {
        let grades = query.grades;
        let mut documents: Vec<usize> = (0..grades.len()).collect();
        documents.sort_by_key(|&at| std::cmp::Reverse(grades[at]));
        let changes =
            |place: &usize| *place == documents.len() || grades[documents[*place - 1]] != grades[documents[*place]];
        let ends = (1..=documents.len()).filter(changes).collect();
        let scores: Vec<f64> = documents.iter().map(|&at| lambda.steepness * query.scores[at]).collect();
        let (low, high) =
            scores.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &at| (low.min(at), high.max(at)));
        let middle = 0.5 * (low + high);
        let exponentials = scores.iter().map(|score| (score - middle).exp()).collect();
        let PairLambda { steepness, confidence, .. } = *lambda;
        Self {
            documents,
            ends,
            scores,
            exponentials,
            too_wide: high - low > WIDEST,
            steepness,
            doubt: 1.0 - confidence,
        }
    }

    /// Adds the forces of all pairs with these weights of a better and a worse document.
    fn add_each(&self, forces: &mut Forces, weight: impl Fn(usize, usize) -> f64) {
        self.add(forces, |better, from, weights| {
            let worse = self.documents[from..].iter();
            weights.iter_mut().zip(worse).for_each(|(out, &worse)| *out = weight(self.documents[better], worse));
        });
    }

    /// The same with a function that writes the weights of a better document and all from a place on, by places among the sorted ones.
    fn add(&self, forces: &mut Forces, weights: impl Fn(usize, usize, &mut [f64])) {
        let count = self.documents.len();
        let mut total = Forces::none(count);
        let (mut weight, mut wrong) = (vec![0.0; count], vec![0.0; count]);
        let mut start = 0;
        for &end in &self.ends {
            for better in start..end {
                let (weight, wrong) = (&mut weight[end..], &mut wrong[end..]);
                weights(better, end, weight);
                self.wrong(better, end, wrong);
                let (lambdas, curvatures) = (&mut total.lambdas[end..], &mut total.curvatures[end..]);
                let own = push(weight, wrong, self.doubt, lambdas, curvatures);
                total.lambdas[better] += own[0];
                total.curvatures[better] += own[1];
            }
            start = end;
        }
        for (place, &document) in self.documents.iter().enumerate() {
            forces.lambdas[document] += self.steepness * total.lambdas[place];
            forces.curvatures[document] += self.steepness * self.steepness * total.curvatures[place];
        }
    }

    /// The probabilities that each document from a place on is before the better one.
    fn wrong(&self, better: usize, from: usize, out: &mut [f64]) {
        if self.too_wide {
            let worse = self.scores[from..].iter();
            out.iter_mut().zip(worse).for_each(|(out, worse)| *out = 1.0 / (1.0 + (self.scores[better] - worse).exp()));
        } else {
            shares(self.exponentials[better], &self.exponentials[from..], out);
        }
    }
}

/// `other / (own + other)` for every other number.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn shares(own: f64, others: &[f64], out: &mut [f64]) {
    for (out, &other) in out.iter_mut().zip(others) {
        *out = other / (own + other);
    }
}

/// Takes the force of each pair from the worse document, adds its curvature, and returns the sums of both, in eight interleaved parts.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn push(weights: &[f64], wrong: &[f64], doubt: f64, lambdas: &mut [f64], curvatures: &mut [f64]) -> [f64; 2] {
    const LANES: usize = 8;
    let (mut forces, mut bends) = ([0.0; LANES], [0.0; LANES]);
    let worse = lambdas.chunks_mut(LANES).zip(curvatures.chunks_mut(LANES));
    for ((weights, wrong), (lambdas, curvatures)) in weights.chunks(LANES).zip(wrong.chunks(LANES)).zip(worse) {
        for lane in 0..lambdas.len() {
            let force = weights[lane] * (wrong[lane] - doubt);
            let bend = weights[lane] * wrong[lane] * (1.0 - wrong[lane]);
            forces[lane] += force;
            bends[lane] += bend;
            lambdas[lane] -= force;
            curvatures[lane] += bend;
        }
    }
    [forces.iter().sum(), bends.iter().sum()]
}

/// RankNet's gradient and curvature for explicit pairs, each with the probability that its first document should be before its second:
/// for judges who say how sure they are, or who compared a pair several times.
///
/// ```
/// use ordain::learn::cross_entropy;
/// // Two of three judges prefer document 0, so the cost is least where it leads by ln 2.
/// let [gradient, _] = cross_entropy(&[2.0_f64.ln(), 0.0], &[(0, 1, 2.0 / 3.0)])?;
/// assert!(gradient[0].abs() < 1e-15);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
/// If a score is not finite, a pair names a document that is not there, or a probability is not between 0 and 1.
pub fn cross_entropy(scores: &[f64], pairs: &[(usize, usize, f64)]) -> Result<[Vec<f64>; 2]> {
    check_scores(&vec![0; scores.len()], scores)?;
    let mut out = [vec![0.0; scores.len()], vec![0.0; scores.len()]];
    for &(first, second, confidence) in pairs {
        let known = first < scores.len() && second < scores.len();
        if !known || !(0.0..=1.0).contains(&confidence) {
            return Err(Error::Data {
                what: "a pair",
                found: format!("({first}, {second}, {confidence})"),
                expected: format!("two documents from 0 to {} and a probability", scores.len().saturating_sub(1)),
            });
        }
        let before = 1.0 / (1.0 + (scores[second] - scores[first]).exp());
        let bend = before * (1.0 - before);
        out[0][first] += before - confidence;
        out[0][second] -= before - confidence;
        out[1][first] += bend;
        out[1][second] += bend;
    }
    Ok(out)
}
