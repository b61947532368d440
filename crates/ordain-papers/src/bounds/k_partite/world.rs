//! Documents that samples are drawn from, and functions of them in a form in which errors on any sample are one pass.

use std::collections::BTreeMap;

use ordain::data::Attributes;
use ordain::measure::RatingCounts;
use ordain::numeric::Matrix;
use ordain::numeric::dense::{Cholesky, dot};
use ordain::{Error, Result};
use rand::{Rng, RngExt};

use crate::bounds::Judged;

/// All documents, equally likely.
pub struct World {
    /// Row by row.
    values: Vec<f64>,
    width: usize,
    /// The level of every document, from 0: the position of its grade in `grades`.
    levels: Vec<usize>,
    grades: Vec<u32>,
    counts: RatingCounts,
    features: Vec<Order>,
    truths: Vec<Misplaced>,
}

/// The penalty of least squares, relative to the size of the sample.
const PENALTY: f64 = 1e-3;

impl World {
    /// The documents of these queries, all of which have the same features, and some.
    ///
    /// # Errors
    /// If there are fewer than two grades.
    pub fn new(queries: &[Judged]) -> Result<Self> {
        let all: Vec<u32> = queries.iter().flat_map(|query| query.grades.iter().copied()).collect();
        let counts = RatingCounts::of(&all)?;
        let grades: Vec<u32> = counts.levels().iter().map(|&(grade, _)| grade).collect();
        let levels: Vec<usize> = all.iter().map(|grade| grades.partition_point(|other| other < grade)).collect();
        let tables = || queries.iter().map(|query| query.query.attributes());
        let width = tables().next().map_or(0, Attributes::len);
        let values = tables().flat_map(|table| (0..table.items()).flat_map(|item| table.row(item).to_vec())).collect();
        let mut world = Self { values, width, levels, grades, counts, features: Vec::new(), truths: Vec::new() };
        let everyone = vec![1; all.len()];
        for feature in 0..width {
            let scores: Vec<f64> = world.values.chunks_exact(width).map(|row| row[feature]).collect();
            let order = world.order(&scores);
            world.truths.push(order.misplaced(&everyone));
            world.features.push(order);
        }
        Ok(world)
    }

    pub fn documents(&self) -> usize {
        self.levels.len()
    }

    pub fn features(&self) -> usize {
        self.width
    }

    pub fn counts(&self) -> &RatingCounts {
        &self.counts
    }

    /// The order by a feature, the larger the better.
    pub fn feature(&self, feature: usize) -> &Order {
        &self.features[feature]
    }

    /// What it misplaces among all documents.
    pub fn feature_truth(&self, feature: usize) -> &Misplaced {
        &self.truths[feature]
    }

    /// How often each document is drawn in a sample of this size.
    pub fn draw(&self, size: usize, stream: &mut impl Rng) -> Vec<u32> {
        let mut times = vec![0; self.documents()];
        (0..size).for_each(|_| times[stream.random_range(0..self.levels.len())] += 1);
        times
    }

    /// The ratings of a sample.
    ///
    /// # Errors
    /// If it has one rating only.
    pub fn drawn(&self, times: &[u32]) -> Result<RatingCounts> {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for (&level, &times) in self.levels.iter().zip(times) {
            *counts.entry(self.grades[level]).or_default() += u64::from(times);
        }
        RatingCounts::new(counts)
    }

    /// Documents by scores.
    pub fn order(&self, scores: &[f64]) -> Order {
        let mut documents: Vec<u32> = (0..scores.len() as u32).collect();
        documents.sort_unstable_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
        let (mut levels, mut ends) = (Vec::with_capacity(documents.len()), Vec::new());
        for tied in documents.chunk_by(|&a, &b| scores[a as usize] == scores[b as usize]) {
            levels.extend(tied.iter().map(|&document| self.levels[document as usize] as u32));
            ends.push(levels.len());
        }
        Order { documents, levels, ends, grades: self.grades.clone() }
    }

    /// The scores of all documents by the linear function that least squares finds for the grades of a sample.
    ///
    /// # Errors
    /// If the equations cannot be solved, which the penalty prevents.
    pub fn fit(&self, times: &[u32]) -> Result<Vec<f64>> {
        // The features and the grade, less their means; a constant would change no order.
        let size = self.width + 1;
        let extended = |document: usize, out: &mut [f64]| {
            out[..self.width].copy_from_slice(&self.values[document * self.width..][..self.width]);
            out[self.width] = f64::from(self.grades[self.levels[document]]);
        };
        let total: f64 = times.iter().map(|&times| f64::from(times)).sum();
        let (mut means, mut row) = (vec![0.0; size], vec![0.0; size]);
        let drawn = || times.iter().enumerate().filter(|(_, times)| **times > 0);
        for (document, &times) in drawn() {
            extended(document, &mut row);
            means.iter_mut().zip(&row).for_each(|(mean, value)| *mean += f64::from(times) / total * value);
        }
        let mut moments = Matrix::zeros(size, size);
        for (document, &times) in drawn() {
            extended(document, &mut row);
            row.iter_mut().zip(&means).for_each(|(value, mean)| *value -= mean);
            for (column, entries) in moments.columns_mut().enumerate() {
                let factor = f64::from(times) / total * row[column];
                entries.iter_mut().zip(&row).for_each(|(entry, value)| *entry += factor * value);
            }
        }
        let gram = Matrix::from_fn(self.width, self.width, |i, j| moments[(i, j)] + if i == j { PENALTY } else { 0.0 });
        let mut weights = Matrix::from_fn(self.width, 1, |i, _| moments[(i, self.width)]);
        let factor = Cholesky::factor(gram).map_err(|pivot| Error::NotPositiveDefinite {
            what: "the moments of the features",
            pivot,
            dimension: self.width,
        })?;
        factor.solve_in_place(&mut weights);
        Ok(self.values.chunks_exact(self.width).map(|row| dot(row, weights.column(0))).collect())
    }
}

/// Documents from the lowest score to the highest, ties together.
pub struct Order {
    documents: Vec<u32>,
    /// Their levels.
    levels: Vec<u32>,
    /// Where every run of ties ends.
    ends: Vec<usize>,
    grades: Vec<u32>,
}

impl Order {
    /// What is misplaced in a sample. O(n k) for k grades.
    pub fn misplaced(&self, times: &[u32]) -> Misplaced {
        let k = self.grades.len();
        let mut wrong = vec![0.0; k * k];
        // All are whole numbers or halves below 2^53.
        let (mut below, mut tied) = (vec![0.0; k], vec![0.0; k]);
        let mut start = 0;
        for &end in &self.ends {
            tied.fill(0.0);
            for (&document, &level) in self.documents[start..end].iter().zip(&self.levels[start..end]) {
                tied[level as usize] += f64::from(times[document as usize]);
            }
            for lower in (0..k).filter(|&lower| tied[lower] > 0.0) {
                for higher in lower + 1..k {
                    wrong[lower * k + higher] += tied[lower] * below[higher];
                }
            }
            for lower in 0..k {
                for higher in lower + 1..k {
                    wrong[lower * k + higher] += 0.5 * tied[lower] * tied[higher];
                }
            }
            below.iter_mut().zip(&tied).for_each(|(below, tied)| *below += tied);
            start = end;
        }
        for lower in 0..k {
            for higher in lower + 1..k {
                wrong[lower * k + higher] /= below[lower] * below[higher];
            }
        }
        Misplaced { grades: self.grades.clone(), shares: wrong }
    }
}

/// For each two grades the share of pairs in the wrong order, ties counting one half.
pub struct Misplaced {
    grades: Vec<u32>,
    shares: Vec<f64>,
}

impl Misplaced {
    /// Of a lower and a higher grade, both of which occur.
    pub fn share(&self, lower: u32, higher: u32) -> f64 {
        let at = |grade: u32| self.grades.partition_point(|other| *other < grade);
        self.shares[at(lower) * self.grades.len() + at(higher)]
    }
}

#[cfg(test)]
mod tests {
    use ordain::learn::LabelledQuery;
    use ordain::measure::k_partite_error;
    use ordain::numeric::Seed;

    use super::*;

    /// Two queries of twenty documents with two coarse features.
    fn world() -> World {
        let mut stream = Seed(1).stream(0);
        let mut query = || {
            let values: Vec<f64> = (0..40).map(|_| f64::from(stream.random_range(0..6))).collect();
            let grades: Vec<u32> =
                values.chunks(2).map(|row| u32::from(row[0] > 3.0) * 2 + u32::from(row[1] > 4.0)).collect();
            let attributes = Attributes::new(vec!["a".into(), "b".into()], 20, values).unwrap();
            let relevant = grades.iter().map(|grade| *grade > 0).collect();
            Judged { query: LabelledQuery::new(attributes, relevant).unwrap(), grades }
        };
        World::new(&[query(), query()]).unwrap()
    }

    /// The published counts: 16,140 documents, 25 features, three grades; and their truth by the library's own count of pairs.
    #[test]
    fn the_set_as_published() {
        let Some(folder) = crate::data::real_data(&crate::collections::letor::OHSUMED[0]) else { return };
        let world = World::new(&crate::bounds::read(&folder).unwrap()).unwrap();
        assert_eq!((world.documents(), world.features()), (16_140, 25));
        assert_eq!(world.counts().levels(), [(0, 11_303), (1, 2_585), (2, 2_252)]);
        let ratings: Vec<u32> = world.levels.iter().map(|&level| world.grades[level]).collect();
        for feature in [0, 10, 24] {
            let scores: Vec<f64> = world.values.chunks(25).map(|row| row[feature]).collect();
            let truth = world.feature_truth(feature);
            let found = world.counts().expected_error(1.0, |l, m| truth.share(l, m)).unwrap();
            assert!((found - k_partite_error(&scores, &ratings, 1.0).unwrap()).abs() < 1e-14);
        }
    }

    /// Errors by multiplicities are those of the sample written out.
    #[test]
    fn errors_of_samples() {
        let world = world();
        for size in [10, 40, 1000] {
            let times = world.draw(size, &mut Seed(2).stream(size as u64));
            assert_eq!(times.iter().sum::<u32>() as usize, size);
            let written = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
                (0..40).flat_map(|at| std::iter::repeat_n(of(at), times[at] as usize)).collect()
            };
            let ratings: Vec<u32> =
                written(&|at| f64::from(world.grades[world.levels[at]])).iter().map(|grade| *grade as u32).collect();
            let scores = world.fit(&times).unwrap();
            for (order, scores) in [
                (world.feature(0), written(&|at| world.values[2 * at])),
                (world.feature(1), written(&|at| world.values[2 * at + 1])),
                (&world.order(&scores), written(&|at| scores[at])),
            ] {
                let misplaced = order.misplaced(&times);
                for alpha in [0.0, 1.0] {
                    let counts = world.drawn(&times).unwrap();
                    let found = counts.expected_error(alpha, |l, m| misplaced.share(l, m)).unwrap();
                    let expected = k_partite_error(&scores, &ratings, alpha).unwrap();
                    // A handful of roundings.
                    assert!((found - expected).abs() < 1e-14, "{found} {expected}");
                }
            }
        }
    }

    /// The fitted function makes the penalised squares least: nothing near it is better.
    #[test]
    fn least_squares() {
        let world = world();
        let times = world.draw(100, &mut Seed(3).stream(0));
        let scores = world.fit(&times).unwrap();
        // The weights from two documents and the penalty they pay.
        let weights = {
            let row = |at: usize| (world.values[2 * at], world.values[2 * at + 1]);
            let (first, second) = (0..40)
                .flat_map(|a| (0..40).map(move |b| (a, b)))
                .find(|&(a, b)| (row(a).0 * row(b).1 - row(a).1 * row(b).0).abs() > 1.0)
                .unwrap();
            let ((a, b), (c, d)) = (row(first), row(second));
            let determinant = a * d - b * c;
            let (s, t) = (scores[first], scores[second]);
            [(s * d - b * t) / determinant, (a * t - s * c) / determinant]
        };
        let objective = |weights: [f64; 2]| {
            let residual = |at: usize| {
                let grade = f64::from(world.grades[world.levels[at]]);
                grade - weights[0] * world.values[2 * at] - weights[1] * world.values[2 * at + 1]
            };
            let mean = (0..40).map(|at| f64::from(times[at]) * residual(at)).sum::<f64>() / 100.0;
            let squares = (0..40).map(|at| f64::from(times[at]) * (residual(at) - mean).powi(2)).sum::<f64>() / 100.0;
            squares + PENALTY * (weights[0].powi(2) + weights[1].powi(2))
        };
        let least = objective(weights);
        for (dx, dy) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)] {
            assert!(objective([weights[0] + dx, weights[1] + dy]) > least);
        }
    }
}
