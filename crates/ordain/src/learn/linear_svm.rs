//! The linear ranking SVM with the squared hinge, in the primal (Chapelle, Keerthi 2010), without forming all pairs.
//!
//! $$\min_w \; \frac{\lambda}{2} \lVert w \rVert^2 + \frac1P \sum_{\text{queries}} \sum_{g_i > g_j} \max(0,\, 1 - s_i + s_j)^2,
//! \qquad s = X w,$$
//!
//! over all P pairs of documents of one query whose grades differ. A pair counts if $s_j > s_i - 1$. So with the documents of a query in the
//! order of their scores, the pairs of each document are those of lower grade up to some place. A Fenwick tree over grades holds how many
//! there are, the sum of their scores and that of the squares: `O(n log n)` per query and step for n documents, whatever the number of grades
//! (Lee, Lin 2014).

use rayon::prelude::*;

use super::graded_lists::{GradedLists, List};
use super::network::Network;
use super::ranker::{Parts, Ranker, RankingModel, check_gain, first_best, parts};
use crate::measure::Measure;
use crate::numeric::dense::{add_scaled, dot};
use crate::numeric::optimise::{Lbfgs, largest};
use crate::params::setters;
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// The settings of the linear ranking SVM. Same bits for any number of threads. A step costs `O(n (d + log n))` for n documents with d
/// attributes.
///
/// ```
/// use ordain::Watch;
/// use ordain::data::{Attributes, Items};
/// use ordain::learn::{GradedLists, LinearSvmParams, Ranker, Scaling};
///
/// let attributes = Attributes::new(vec!["x".into()], 3, vec![0.1, 0.9, 0.4])?;
/// let items = Items::new(["a", "b", "c"].map(str::to_owned).to_vec(), None, attributes)?;
/// let lists = GradedLists::new(&items, &[0, 2, 1], Scaling::AsGiven)?;
/// let model = LinearSvmParams::default().fit(&lists, None, &Watch::NONE)?;
/// assert!(model.weights().is_some_and(|weights| weights[0] > 0.0));
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LinearSvmParams {
    /// The weights λ of half the squared norm, of which the best is chosen.
    pub penalties: Vec<f64>,
    /// The fit stops when no entry of the gradient is larger. The weights are then within this, times the root of their number, over the
    /// penalty, of the optimum.
    pub tolerance: f64,
    /// The fit fails after this many steps.
    pub max_steps: usize,
    /// The measure by which to choose.
    pub measure: Measure,
}

impl Default for LinearSvmParams {
    fn default() -> Self {
        let penalties = (-5..=2).map(|power| 10.0_f64.powi(power)).collect();
        Self { penalties, tolerance: 1e-6, max_steps: 10_000, measure: Measure::AveragePrecision }
    }
}

setters! {
    LinearSvmParams:
    with_penalties = penalties: Vec<f64>,
    with_tolerance = tolerance: f64,
    with_max_steps = max_steps: usize,
    with_measure = measure: Measure,
}

impl Ranker for LinearSvmParams {
    fn fit(&self, train: &GradedLists, validate: Option<&GradedLists>, watch: &Watch) -> Result<RankingModel> {
        self.check()?;
        let Parts { train, validate } = parts(train, validate)?;
        let lists = train.teaching()?;
        let problem = Problem::new(&lists);
        let mut found = Vec::new();
        let mut start = vec![0.0; train.names().len()];
        // From the largest penalty on, each begins where the last one ended.
        let mut penalties = self.penalties.clone();
        penalties.sort_unstable_by(|one, other| other.total_cmp(one));
        for (done, &penalty) in penalties.iter().enumerate() {
            watch.step(|| Step::new("training", done, penalties.len()).detail(format!("penalty {penalty}")))?;
            let weights = problem.minimise(self, penalty, start, watch)?;
            start = weights.clone();
            let network = Network::linear(weights);
            found.push((network.measured(&validate, self.measure)?, network));
        }
        let best = first_best(found.iter().map(|(value, _)| *value));
        let (value, network) = found.swap_remove(best);
        Ok(RankingModel {
            learner: "ranksvm".into(),
            scaling: train.scaling(),
            features: train.names().to_vec(),
            importance: network.importance(&lists),
            chosen: vec![("penalty".into(), penalties[best])],
            curve: Vec::new(),
            measure: self.measure,
            measured: [network.measured(&train, self.measure)?, value],
            network,
        })
    }
}

impl LinearSvmParams {
    fn check(&self) -> Result<()> {
        let positive =
            self.penalties.iter().chain([&self.tolerance]).find(|value| !(value.is_finite() && **value > 0.0));
        if let Some(&value) = positive {
            return Err(Error::Parameter {
                name: "penalty or tolerance".into(),
                value,
                expected: "a positive, finite number",
            });
        }
        if self.penalties.is_empty() {
            return Err(Error::Parameter {
                name: "the number of penalties".into(),
                value: 0.0,
                expected: "at least 1",
            });
        }
        check_gain(self.measure)
    }
}

struct Problem<'a> {
    lists: &'a [List<'a>],
    /// The places of every list's grades among those that occur, and how many there are.
    levels: Vec<(Vec<usize>, usize)>,
    /// The number of pairs whose grades differ.
    pairs: f64,
}

impl<'a> Problem<'a> {
    fn new(lists: &'a [List<'a>]) -> Self {
        let levels: Vec<(Vec<usize>, usize)> = lists.iter().map(|list| levels(list.grades)).collect();
        let pairs = levels.iter().map(|(levels, count)| pairs(levels, *count)).sum();
        Self { lists, levels, pairs }
    }

    fn minimise(&self, params: &LinearSvmParams, penalty: f64, start: Vec<f64>, watch: &Watch) -> Result<Vec<f64>> {
        let width = start.len();
        let mut stopped = None;
        let objective = |weights: &[f64], slopes: &mut [f64]| {
            if let Err(error) = watch.silent().step(|| Step::new("training", 0, None)) {
                stopped = Some(error);
                return f64::NAN;
            }
            let part = |(list, (levels, count)): (&List<'_>, &(Vec<usize>, usize))| {
                let mut scores: Vec<f64> = list.rows().map(|row| dot(row, weights)).collect();
                // Only differences count, and sums of squares of large scores would lose them.
                let middle = scores.iter().sum::<f64>() / scores.len() as f64;
                scores.iter_mut().for_each(|score| *score -= middle);
                let (loss, pull) = hinge(&scores, levels, *count);
                let mut slopes = vec![0.0; width];
                list.rows().zip(&pull).for_each(|(row, pull)| add_scaled(&mut slopes, *pull, row));
                (loss, slopes)
            };
            let parts: Vec<(f64, Vec<f64>)> = self.lists.par_iter().zip(&self.levels).map(part).collect();
            slopes.iter_mut().zip(weights).for_each(|(slope, weight)| *slope = penalty * weight);
            let mut value = 0.5 * penalty * dot(weights, weights);
            for (loss, own) in &parts {
                value += loss / self.pairs;
                add_scaled(slopes, 1.0 / self.pairs, own);
            }
            value
        };
        let solver = Lbfgs { tolerance: params.tolerance, max_iterations: params.max_steps, ..Lbfgs::default() };
        let minimum = solver.minimise(start, objective, |_| {});
        if let Some(error) = stopped {
            return Err(error);
        }
        if minimum.converged {
            return Ok(minimum.at);
        }
        Err(Error::NotConverged {
            what: "the linear ranking SVM",
            iterations: minimum.iterations,
            residual: largest(&minimum.gradient),
            dimension: width,
        })
    }
}

/// The place of every grade among those that occur, from the lowest, and how many there are.
fn levels(grades: &[i32]) -> (Vec<usize>, usize) {
    let mut known = grades.to_vec();
    known.sort_unstable();
    known.dedup();
    (grades.iter().map(|grade| known.partition_point(|other| other < grade)).collect(), known.len())
}

/// The number of pairs whose levels differ.
fn pairs(levels: &[usize], count: usize) -> f64 {
    let mut sizes = vec![0.0; count];
    levels.iter().for_each(|&level| sizes[level] += 1.0);
    let all = levels.len() as f64;
    0.5 * (all * all - sizes.iter().map(|size| size * size).sum::<f64>())
}

/// The sum of the squared hinges of all pairs, and its derivative by every score.
fn hinge(scores: &[f64], levels: &[usize], count: usize) -> (f64, Vec<f64>) {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&one, &other| scores[one].total_cmp(&scores[other]).then(one.cmp(&other)));
    let mut pull = vec![0.0; scores.len()];
    let mut loss = 0.0;
    // For each document, those of lower level that score more than its score less 1: from the highest scores down.
    let mut worse = Sums::new(count);
    let mut waiting = order.iter().rev().peekable();
    for &better in order.iter().rev() {
        while let Some(&other) = waiting.next_if(|&&other| scores[other] > scores[better] - 1.0) {
            worse.add(levels[other], scores[other]);
        }
        let [count, sum, squares] = worse.below(levels[better]);
        let lead = 1.0 - scores[better];
        loss += count * lead * lead + 2.0 * lead * sum + squares;
        pull[better] -= 2.0 * (count * lead + sum);
    }
    // The same for each document and those of higher level, from the lowest scores up.
    let mut better = Sums::new(count);
    let mut waiting = order.iter().peekable();
    for &worse in &order {
        while let Some(&other) = waiting.next_if(|&&other| scores[other] < scores[worse] + 1.0) {
            better.add(count - 1 - levels[other], scores[other]);
        }
        let [count, sum, _] = better.below(count - 1 - levels[worse]);
        pull[worse] += 2.0 * (count * (1.0 + scores[worse]) - sum);
    }
    (loss, pull)
}

/// Numbers, sums and sums of squares of scores by level (Fenwick 1994).
struct Sums(Vec<[f64; 3]>);

impl Sums {
    fn new(levels: usize) -> Self {
        Self(vec![[0.0; 3]; levels + 1])
    }

    fn add(&mut self, level: usize, score: f64) {
        let mut at = level + 1;
        while at < self.0.len() {
            self.0[at].iter_mut().zip([1.0, score, score * score]).for_each(|(sum, value)| *sum += value);
            at += at & at.wrapping_neg();
        }
    }

    /// The sums over all levels below this one.
    fn below(&self, level: usize) -> [f64; 3] {
        let (mut out, mut at) = ([0.0; 3], level);
        while at > 0 {
            out.iter_mut().zip(self.0[at]).for_each(|(sum, value)| *sum += value);
            at &= at - 1;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::numeric::Seed;

    /// All pairs, one by one.
    fn all_pairs(scores: &[f64], grades: &[i32]) -> (f64, Vec<f64>) {
        let (mut loss, mut pull) = (0.0, vec![0.0; scores.len()]);
        for (one, other) in (0..scores.len()).flat_map(|one| (0..scores.len()).map(move |other| (one, other))) {
            let short = 1.0 - scores[one] + scores[other];
            if grades[one] > grades[other] && short > 0.0 {
                loss += short * short;
                pull[one] -= 2.0 * short;
                pull[other] += 2.0 * short;
            }
        }
        (loss, pull)
    }

    #[test]
    fn order_statistics_equal_all_pairs() {
        for (task, size) in [0, 1, 2, 3, 17, 64].into_iter().enumerate() {
            let mut stream = Seed(5).stream(task as u64);
            let grades: Vec<i32> = (0..size).map(|_| stream.random_range(0..4)).collect();
            // Some scores are equal, and some pairs are exactly at the margin.
            let scores: Vec<f64> = (0..size).map(|_| f64::from(stream.random_range(-8..8_i32)) / 4.0).collect();
            let (levels, count) = levels(&grades);
            let (found, expected) = (hinge(&scores, &levels, count), all_pairs(&scores, &grades));
            assert!((found.0 - expected.0).abs() <= 1e-12 * expected.0.abs());
            for (found, expected) in found.1.iter().zip(&expected.1) {
                assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()));
            }
            let different = |one: usize, other: usize| grades[one] > grades[other];
            let counted = (0..size).map(|one| (0..size).filter(|&other| different(one, other)).count()).sum::<usize>();
            assert_eq!(pairs(&levels, count), counted as f64);
        }
    }
}
