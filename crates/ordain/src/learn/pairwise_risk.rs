//! UD's linear scorer: minimises a smooth upper bound on the mean pairwise risk over queries (UD section 2).
//!
//! With attributes $\phi$ and weights $w$, and p relevant documents and q others in a query,
//!
//! $$\min_w \; \frac1n \sum_{\text{queries}} \frac{1}{pq} \sum_{i : y_i = 1} \sum_{j : y_j = 0}
//! \ln\bigl(1 + e^{-w'(\phi_i - \phi_j)}\bigr) + \frac{\lambda}{2} \lVert w \rVert^2.$$
//!
//! The logistic loss over ln 2 is never below the 0/1 loss of a pair, so the objective bounds the risk. Every query
//! counts the same, however many pairs it has. With scores $s = \Phi w$, a pair acts on two documents, so the gradient
//! of a query is $\Phi' c$ with one number per document. A step costs O(Σ p q + n d) for n documents of d attributes,
//! and no matrix of pairs is made.

use rayon::prelude::*;

use super::graded_lists::{GradedLists, List};
use super::network::Network;
use super::ranker::{Ranker, RankingModel, check_alike};
use crate::data::Attributes;
use crate::measure::{CrossValidationBound, Measure, pairwise_risk, ranking_gap};
use crate::numeric::dense::{add_scaled, dot};
use crate::numeric::optimise::Lbfgs;
use crate::params::setters;
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// The settings of UD's linear scorer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PairwiseRiskParams {
    /// The weight λ of half the squared norm. It is positive, so there is one optimum and it is finite. Default: 10⁻³,
    /// which ranks OHSUMED better than 10⁻¹ on attributes between 0 and 1 (`ordain reproduce ud-bounds`).
    pub penalty: f64,
    /// The fit stops when no entry of the gradient is larger. Default: 10⁻⁶.
    pub tolerance: f64,
    /// The fit fails after this many steps.
    pub max_steps: usize,
}

impl Default for PairwiseRiskParams {
    fn default() -> Self {
        Self { penalty: 1e-3, tolerance: 1e-6, max_steps: 10_000 }
    }
}

setters! {
    PairwiseRiskParams:
    with_penalty = penalty: f64,
    with_tolerance = tolerance: f64,
    with_max_steps = max_steps: usize,
}

/// A query whose documents are relevant or not.
#[derive(Debug, Clone)]
pub struct LabelledQuery {
    attributes: Attributes,
    relevant: Vec<bool>,
}

impl LabelledQuery {
    /// A query from its documents' attributes and labels. If all have the same label, the query teaches nothing.
    ///
    /// ```
    /// use ordain::data::Attributes;
    /// use ordain::learn::LabelledQuery;
    /// let attributes = Attributes::new(vec!["x".into()], 2, vec![0.5, 0.7])?;
    /// assert!(LabelledQuery::new(attributes.clone(), vec![true, false])?.has_pair());
    /// assert!(!LabelledQuery::new(attributes, vec![true, true])?.has_pair());
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are not as many labels as documents.
    pub fn new(attributes: Attributes, relevant: Vec<bool>) -> Result<Self> {
        if attributes.items() == relevant.len() {
            return Ok(Self { attributes, relevant });
        }
        Err(Error::Data {
            what: "a query",
            found: format!("{} labels", relevant.len()),
            expected: format!("{}, one per document", attributes.items()),
        })
    }

    /// The documents' attributes.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Whether each document is relevant.
    pub fn relevant(&self) -> &[bool] {
        &self.relevant
    }

    /// Whether there is a pair of a relevant document and another.
    pub fn has_pair(&self) -> bool {
        self.relevant.contains(&true) && self.relevant.contains(&false)
    }
}

/// A fitted linear scorer.
#[derive(Debug, Clone, PartialEq)]
pub struct PairwiseRisk {
    weights: Vec<f64>,
    objective: f64,
    steps: usize,
}

impl PairwiseRisk {
    /// The scores of documents, `Φ w`; the higher, the better.
    ///
    /// # Errors
    /// If the number of attributes differs from that of the training queries.
    pub fn score(&self, attributes: &Attributes) -> Result<Vec<f64>> {
        check_width(attributes.len(), self.weights.len())?;
        Ok((0..attributes.items()).map(|item| dot(attributes.row(item), &self.weights)).collect())
    }

    /// The weight of every attribute.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The value of the objective.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// The number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

impl PairwiseRiskParams {
    /// Fits queries. Same bits for any number of threads.
    ///
    /// ```
    /// use ordain::data::Attributes;
    /// use ordain::learn::{LabelledQuery, PairwiseRiskParams};
    ///
    /// let attributes = Attributes::new(vec!["x".into()], 3, vec![0.1, 0.9, 0.4])?;
    /// let query = LabelledQuery::new(attributes, vec![false, true, false])?;
    /// let scorer = PairwiseRiskParams::default().fit(std::slice::from_ref(&query))?;
    /// let scores = scorer.score(query.attributes())?;
    /// assert!(scores[1] > scores[2] && scores[2] > scores[0]);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no query has a pair of a relevant document and another, queries differ in their number of attributes, a
    /// parameter is not positive and finite, or the steps run out.
    pub fn fit(&self, queries: &[LabelledQuery]) -> Result<PairwiseRisk> {
        self.fit_drawn(queries, &(0..queries.len()).collect::<Vec<_>>())
    }

    /// Fits a sample of queries, given by their positions. A query that was drawn several times counts as often, at the
    /// cost of one.
    ///
    /// ```
    /// # use ordain::data::Attributes;
    /// # use ordain::learn::{LabelledQuery, PairwiseRiskParams};
    /// # let query = |a, b| LabelledQuery::new(Attributes::new(vec!["x".into()], 2, vec![a, b])?, vec![true, false]);
    /// let queries = [query(0.9, 0.1)?, query(0.2, 0.8)?];
    /// let mostly_the_first = PairwiseRiskParams::default().fit_drawn(&queries, &[0, 0, 1])?;
    /// assert!(mostly_the_first.weights()[0] > 0.0);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`PairwiseRiskParams::fit`]; also if there is no query at a position.
    pub fn fit_drawn(&self, queries: &[LabelledQuery], draws: &[usize]) -> Result<PairwiseRisk> {
        self.check()?;
        let mut times = vec![0_u32; queries.len()];
        for &draw in draws {
            *times.get_mut(draw).ok_or_else(|| no_query(draw, queries.len()))? += 1;
        }
        let drawn: Vec<(&LabelledQuery, f64)> = queries
            .iter()
            .zip(times)
            .filter(|(query, times)| *times > 0 && query.has_pair())
            .map(|(query, times)| (query, f64::from(times)))
            .collect();
        let Some((first, _)) = drawn.first() else {
            return Err(Error::Data {
                what: "queries to learn from",
                found: "none with both".into(),
                expected: "a query with a relevant document and one that is not".into(),
            });
        };
        let width = first.attributes.len();
        drawn.iter().try_for_each(|(query, _)| check_width(query.attributes.len(), width))?;
        let total: f64 = drawn.iter().map(|(_, times)| times).sum();
        let objective = |weights: &[f64], gradient: &mut [f64]| {
            let parts: Vec<(f64, Vec<f64>)> = drawn.par_iter().map(|(query, _)| smooth_risk(query, weights)).collect();
            let mut value = 0.5 * self.penalty * dot(weights, weights);
            gradient.iter_mut().zip(weights).for_each(|(slope, weight)| *slope = self.penalty * weight);
            for ((_, times), (risk, slopes)) in drawn.iter().zip(&parts) {
                value += times / total * risk;
                add_scaled(gradient, times / total, slopes);
            }
            value
        };
        let solver = Lbfgs { tolerance: self.tolerance, max_iterations: self.max_steps, ..Lbfgs::default() };
        let minimum = solver.minimise(vec![0.0; width], objective, |_| {});
        if minimum.converged {
            return Ok(PairwiseRisk { weights: minimum.at, objective: minimum.value, steps: minimum.iterations });
        }
        Err(Error::NotConverged {
            what: "the linear scorer",
            iterations: minimum.iterations,
            residual: crate::numeric::optimise::largest(&minimum.gradient),
            dimension: width,
        })
    }

    /// Fits a sample of queries, and all but one fold of them for each of K folds. Queries are dealt into folds in
    /// turn: a fold has ⌊n/K⌋ queries or one more. The order of the queries must not depend on their labels. Costs K +
    /// 1 fits.
    ///
    /// ```
    /// # use ordain::data::Attributes;
    /// # use ordain::learn::{LabelledQuery, PairwiseRiskParams};
    /// # let query = |a| LabelledQuery::new(Attributes::new(vec!["x".into()], 2, vec![a, 0.5])?, vec![true, false]);
    /// let queries = [query(0.9)?, query(0.8)?, query(0.7)?];
    /// let learned = PairwiseRiskParams::default().cross_validate(&queries, &[0, 1, 2], 3)?;
    /// assert_eq!(learned.folds[1].held_out, [1]);
    /// assert_eq!(learned.risks(&queries)?, [[0.0], [0.0], [0.0]]);
    /// assert_eq!(learned.gap(queries[0].attributes())?, 0.0);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`PairwiseRiskParams::fit_drawn`]; also if there are fewer than two folds, or fewer queries than folds.
    pub fn cross_validate(&self, queries: &[LabelledQuery], draws: &[usize], folds: usize) -> Result<CrossValidated> {
        if folds < 2 || draws.len() < folds {
            return Err(Error::Parameter {
                name: "folds".into(),
                value: folds as f64,
                expected: "at least 2, and at most the number of queries",
            });
        }
        let part = |fold: usize, inside: bool| -> Vec<usize> {
            let dealt = draws.iter().enumerate().filter(|(at, _)| (at % folds == fold) == inside);
            dealt.map(|(_, &draw)| draw).collect()
        };
        let without = |fold: usize| {
            let scorer = self.fit_drawn(queries, &part(fold, false))?;
            Ok(Fold { scorer, held_out: part(fold, true) })
        };
        Ok(CrossValidated {
            scorer: self.fit_drawn(queries, draws)?,
            folds: (0..folds).into_par_iter().map(without).collect::<Result<_>>()?,
        })
    }

    fn check(&self) -> Result<()> {
        for (name, value) in [("penalty", self.penalty), ("tolerance", self.tolerance)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::Parameter { name: name.into(), value, expected: "a positive, finite number" });
            }
        }
        Ok(())
    }
}

/// Grades of at least 1 are relevant. Nothing is chosen, so the lists to validate with are only measured.
impl Ranker for PairwiseRiskParams {
    fn fit(&self, train: &GradedLists, validate: Option<&GradedLists>, watch: &Watch) -> Result<RankingModel> {
        const MEASURE: Measure = Measure::AveragePrecision;
        watch.step(|| Step::new("training", 0, 1))?;
        validate.map_or(Ok(()), |validate| check_alike(train, validate))?;
        let query = |list: List<'_>| {
            let attributes = Attributes::new(train.names().to_vec(), list.grades.len(), list.rows.to_vec())?;
            LabelledQuery::new(attributes, list.grades.iter().map(|grade| *grade > 0).collect())
        };
        let queries: Vec<LabelledQuery> = (0..train.len()).map(|at| query(train.list(at))).collect::<Result<_>>()?;
        let network = Network::linear(PairwiseRiskParams::fit(self, &queries)?.weights);
        let measured = network.measured(train, MEASURE)?;
        Ok(RankingModel {
            learner: "pairwise-risk".into(),
            scaling: train.scaling(),
            features: train.names().to_vec(),
            importance: network.importance(&train.teaching()?),
            chosen: vec![("penalty".into(), self.penalty)],
            curve: Vec::new(),
            measure: MEASURE,
            measured: [measured, validate.map_or(Ok(measured), |lists| network.measured(lists, MEASURE))?],
            network,
        })
    }
}

/// A scorer learned from all queries, and one learned without each fold.
#[derive(Debug, Clone)]
pub struct CrossValidated {
    /// The scorer learned from all queries.
    pub scorer: PairwiseRisk,
    /// The folds.
    pub folds: Vec<Fold>,
}

/// A scorer learned without a fold, and the positions of the fold's queries.
#[derive(Debug, Clone)]
pub struct Fold {
    /// The scorer learned from the other folds.
    pub scorer: PairwiseRisk,
    /// The queries of the fold.
    pub held_out: Vec<usize>,
}

impl CrossValidated {
    /// The risk of every query of each fold by the fold's scorer. A query without a pair has risk 0: no ranking can get
    /// it wrong.
    ///
    /// # Errors
    /// If there is no query at a position, or a query has another number of attributes.
    pub fn risks(&self, queries: &[LabelledQuery]) -> Result<Vec<Vec<f64>>> {
        let of_fold = |fold: &Fold| -> Result<Vec<f64>> {
            // A query that was drawn several times is scored once.
            let mut known = vec![None; queries.len()];
            for &at in &fold.held_out {
                let query = queries.get(at).ok_or_else(|| no_query(at, queries.len()))?;
                if known[at].is_none() {
                    let risk = pairwise_risk(&fold.scorer.score(&query.attributes)?, &query.relevant)?;
                    known[at] = Some(risk.unwrap_or(0.0));
                }
            }
            Ok(fold.held_out.iter().filter_map(|&at| known[at]).collect())
        };
        self.folds.iter().map(of_fold).collect()
    }

    /// The largest possible difference in risk between the scorer's ranking of a query and those of the folds' scorers,
    /// on average over the folds ([`ranking_gap`]). Needs no labels. O(K n (d + log n)).
    ///
    /// # Errors
    /// If the query has another number of attributes.
    pub fn gap(&self, attributes: &Attributes) -> Result<f64> {
        let scores = self.scorer.score(attributes)?;
        let mut total = 0.0;
        for fold in &self.folds {
            total += ranking_gap(&scores, &fold.scorer.score(attributes)?)?;
        }
        Ok(total / self.folds.len() as f64)
    }

    /// UD's bound on the expected risk of the scorer learned from all queries. It holds with probability `1 - delta` if
    /// these and the unlabelled queries were drawn independently from one distribution. Queries without a pair count as
    /// risk 0.
    ///
    /// ```
    /// use ordain::data::Attributes;
    /// use ordain::learn::{LabelledQuery, PairwiseRiskParams};
    ///
    /// let documents = |shift: f64| Attributes::new(vec!["x".into()], 3, vec![0.1, 0.7 + shift, 0.4]);
    /// let query = |at: u32| LabelledQuery::new(documents(f64::from(at) / 100.0)?, vec![false, true, false]);
    /// let queries: Vec<LabelledQuery> = (0..20).map(query).collect::<Result<_, _>>()?;
    /// let all: Vec<usize> = (0..20).collect();
    /// let learned = PairwiseRiskParams::default().cross_validate(&queries, &all, 5)?;
    /// let bound = learned.bound(&queries, &[documents(0.05)?, documents(0.07)?], 0.05)?;
    /// assert_eq!((bound.risk(), bound.gap), (0.0, 0.0));
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no unlabelled query, attributes differ in number, or `delta` is not above 0 and at most 1.
    pub fn bound(
        &self,
        queries: &[LabelledQuery],
        unlabelled: &[Attributes],
        delta: f64,
    ) -> Result<CrossValidationBound> {
        let gaps: Vec<f64> = unlabelled.par_iter().map(|query| self.gap(query)).collect::<Result<_>>()?;
        CrossValidationBound::new(&self.risks(queries)?, &gaps, delta)
    }
}

fn no_query(position: usize, queries: usize) -> Error {
    let (found, expected) = (format!("the position {position}"), format!("positions below {queries}"));
    Error::Data { what: "a sample of queries", found, expected }
}

fn check_width(found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::Data { what: "attributes", found: found.to_string(), expected: format!("{expected}, like the others") })
}

/// Factors between 1 and 2 whose product is surely finite.
const FACTORS: usize = 512;

/// The mean logistic loss over the pairs of a query, and its gradient.
fn smooth_risk(query: &LabelledQuery, weights: &[f64]) -> (f64, Vec<f64>) {
    let scores: Vec<f64> = (0..query.relevant.len()).map(|item| dot(query.attributes.row(item), weights)).collect();
    let of = |kind: bool| -> Vec<usize> { (0..scores.len()).filter(|&item| query.relevant[item] == kind).collect() };
    let (relevant, others) = (of(true), of(false));
    let below: Vec<f64> = others.iter().map(|&item| scores[item]).collect();
    let mut pulled = vec![0.0; others.len()];
    let mut pull = vec![0.0; scores.len()];
    let mut loss = 0.0;
    for &item in &relevant {
        let (part, pushed) = losses(scores[item], &below, &mut pulled);
        loss += part;
        pull[item] = -pushed;
    }
    for (&item, pulled) in others.iter().zip(pulled) {
        pull[item] = pulled;
    }
    let scale = 1.0 / (relevant.len() as f64 * others.len() as f64);
    let mut gradient = vec![0.0; weights.len()];
    for (item, pull) in pull.into_iter().enumerate() {
        add_scaled(&mut gradient, scale * pull, query.attributes.row(item));
    }
    (scale * loss, gradient)
}

/// The sum of `ln (1 + exp(-(score - other)))` over some others. Adds the slope of each to `pulled`, and returns their
/// sum too.
///
/// With the gap `m` a loss is `max(0, -m) + ln(1 + exp(-|m|))`, which cannot overflow. One logarithm serves a product
/// of factors.
fn losses(score: f64, others: &[f64], pulled: &mut [f64]) -> (f64, f64) {
    let (mut loss, mut pushed) = (0.0, 0.0);
    for (others, pulled) in others.chunks(FACTORS).zip(pulled.chunks_mut(FACTORS)) {
        let mut product = 1.0;
        for (other, pulled) in others.iter().zip(pulled) {
            let gap = score - other;
            let small = (-gap.abs()).exp();
            let factor = 1.0 + small;
            product *= factor;
            loss += (-gap).max(0.0);
            let slope = if gap > 0.0 { small } else { 1.0 } / factor;
            *pulled += slope;
            pushed += slope;
        }
        loss += product.ln();
    }
    (loss, pushed)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::numeric::Seed;

    fn query(documents: usize, width: usize, task: u64) -> LabelledQuery {
        let mut stream = Seed(3).stream(task);
        let names = (0..width).map(|at| at.to_string()).collect();
        let values = (0..documents * width).map(|_| stream.random_range(-1.0..1.0)).collect();
        let relevant = (0..documents).map(|at| at == 0 || (at > 1 && stream.random_bool(0.3))).collect();
        LabelledQuery::new(Attributes::new(names, documents, values).unwrap(), relevant).unwrap()
    }

    /// The loss from its definition, and the gradient by differences.
    #[test]
    fn loss_and_gradient() {
        for (documents, width, scale) in [(2, 1, 1.0), (9, 3, 1.0), (40, 5, 1.0), (900, 2, 30.0)] {
            let query = query(documents, width, documents as u64);
            let weights: Vec<f64> = (0..width).map(|at| scale * (at as f64 - 0.7)).collect();
            let direct = |weights: &[f64]| {
                let score = |item: usize| dot(query.attributes.row(item), weights);
                let items = || 0..documents;
                let pairs = items()
                    .filter(|&i| query.relevant[i])
                    .flat_map(|i| items().filter(|&j| !query.relevant[j]).map(move |j| (i, j)));
                let losses: Vec<f64> = pairs.map(|(i, j)| (score(j) - score(i)).exp().ln_1p()).collect();
                losses.iter().sum::<f64>() / losses.len() as f64
            };
            let (loss, gradient) = smooth_risk(&query, &weights);
            // Sums of up to 2e5 numbers in another order.
            assert!((loss - direct(&weights)).abs() < 1e-11 * loss.max(1.0), "{loss} {}", direct(&weights));
            for at in 0..width {
                // Central differences: the step squared times a third derivative below 1, and rounding over the step.
                let step = 1e-5;
                let moved = |by: f64| {
                    let mut weights = weights.clone();
                    weights[at] += by;
                    direct(&weights)
                };
                let slope = (moved(step) - moved(-step)) / (2.0 * step);
                assert!((gradient[at] - slope).abs() < 1e-8, "{} {slope}", gradient[at]);
            }
        }
    }

    /// Gaps that would overflow an exponential.
    #[test]
    fn far_apart() {
        let attributes = Attributes::new(vec!["x".into()], 2, vec![1e6, -1e6]).unwrap();
        let query = LabelledQuery::new(attributes, vec![false, true]).unwrap();
        assert_eq!(smooth_risk(&query, &[1.0]), (2e6, vec![2e6]));
        assert_eq!(smooth_risk(&query, &[-1.0]), (0.0, vec![0.0]));
    }
}
