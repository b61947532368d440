//! One order from many experts, and the experts' weights.

use numpy::{PyArray1, PyReadonlyArray2};
use ordain::order::{
    ExpertState, ExpertWeights, Feedback, Fusion, HedgeParams, MarginParams, RankOrdering, Unretrieved, agree,
    exact_order,
};
use pyo3::prelude::*;

use crate::failure::{Outcome, unfit};
use crate::long::quick;

/// The orders of experts: one row of scores per expert, NaN where it did not return an item.
fn experts(scores: &PyReadonlyArray2<'_, f64>, unretrieved: &str) -> Outcome<Vec<RankOrdering>> {
    let unretrieved: Unretrieved = unretrieved.parse()?;
    let scores = scores.as_array();
    let one = |row: numpy::ndarray::ArrayView1<'_, f64>| {
        RankOrdering::from_scores(row.iter().map(|&score| Some(score).filter(|score| !score.is_nan())), unretrieved)
    };
    Ok(scores.rows().into_iter().map(one).collect::<ordain::Result<_>>()?)
}

/// One order of the items of several experts, best first, with scores that fall. `method` is a way to fuse, or "exact".
#[pyfunction]
#[expect(clippy::type_complexity, reason = "two arrays")]
pub fn fuse<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray2<'py, f64>,
    weights: Vec<f64>,
    method: &str,
    unretrieved: &str,
) -> Outcome<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>)> {
    let experts = experts(&scores, unretrieved)?;
    let (order, scores) = quick(py, || {
        if method == "exact" {
            let order = exact_order(&ordain::order::Weighted::new(&experts, &weights)?)?;
            let scores = (0..order.len()).map(|at| (order.len() - at) as f64).collect();
            return Ok((order, scores));
        }
        let fused = method.parse::<Fusion>()?.order(&experts, &weights)?;
        Ok((fused.order, fused.scores))
    })?;
    let order = order.into_iter().map(|item| item as i64).collect();
    Ok((PyArray1::from_vec(py, order), PyArray1::from_vec(py, scores)))
}

/// The share of the experts' weighted preferences that an order agrees with.
#[pyfunction]
pub fn order_agreement(
    scores: PyReadonlyArray2<'_, f64>,
    weights: Vec<f64>,
    order: Vec<usize>,
    unretrieved: &str,
) -> Outcome<f64> {
    let experts = experts(&scores, unretrieved)?;
    Ok(agree(&order, &ordain::order::Weighted::new(&experts, &weights)?)?)
}

/// Weights of experts that are learned from feedback, query by query.
#[pyclass(module = "ordain._core")]
pub struct Experts {
    weights: ExpertWeights,
}

impl Experts {
    fn state(&self) -> Outcome<&ExpertState> {
        match &self.weights {
            ExpertWeights::Learned(state) => Ok(state),
            ExpertWeights::Fixed(_) => Err(unfit("weights of experts", "fixed ones", "learned ones")),
        }
    }
}

#[pymethods]
impl Experts {
    /// Begins to learn, by "hedge" with this `rate` as β, or by "margin" with this `rate` as the prior.
    #[new]
    #[pyo3(signature = (names, learn, rate=None, initial=None))]
    fn new(names: Vec<String>, learn: &str, rate: Option<f64>, initial: Option<Vec<f64>>) -> Outcome<Self> {
        let initial = initial.map(|weights| ordain::order::scaled_weights(&weights, &names)).transpose()?;
        let state = match learn {
            "hedge" => {
                let mut params = HedgeParams::default().with_initial(initial);
                params.beta = rate.unwrap_or(params.beta);
                ExpertState::by_hedge(names, params)?
            }
            "margin" => {
                let mut params = MarginParams::default().with_initial(initial);
                params.prior = rate.unwrap_or(params.prior);
                ExpertState::by_margin(names, params)?
            }
            other => return Err(unfit("a way to learn weights", other, "hedge or margin")),
        };
        Ok(Self { weights: ExpertWeights::Learned(state) })
    }

    /// Learns from a query: the experts' scores of its items, and pairs of a better and a worse item.
    fn learn(
        &mut self,
        query: &str,
        scores: PyReadonlyArray2<'_, f64>,
        pairs: Vec<(u32, u32)>,
        unretrieved: &str,
    ) -> Outcome<()> {
        let experts = experts(&scores, unretrieved)?;
        Ok(self.weights.learn(query, &experts, &Feedback::new(pairs)?)?)
    }

    /// The present weights.
    fn weights(&self) -> Vec<f64> {
        self.weights.now()
    }

    /// How many queries had feedback, what the weighted experts lost, what they could have lost at most, and what each lost alone.
    fn losses(&self) -> (u64, f64, Option<f64>, Vec<f64>) {
        let weights = &self.weights;
        (weights.rounds(), weights.loss(), weights.bound(), weights.losses().to_vec())
    }

    /// The whole state as JSON, as `ordain fuse` keeps it.
    fn to_json(&self) -> Outcome<String> {
        Ok(self.state()?.to_json()?)
    }

    /// Goes on from such a state.
    #[staticmethod]
    fn from_json(text: &str) -> Outcome<Self> {
        Ok(Self { weights: ExpertWeights::Learned(ExpertState::from_json(text)?) })
    }
}

/// All pairs of items whose grades differ, the better first.
#[pyfunction]
pub fn pairs_of_grades(grades: Vec<i32>) -> Vec<(u32, u32)> {
    Feedback::from_grades(&grades).pairs().to_vec()
}

/// What clicks say: a clicked item is better than those that were shown before it and not clicked.
#[pyfunction]
pub fn pairs_of_clicks(shown: Vec<usize>, clicked: Vec<usize>) -> Outcome<Vec<(u32, u32)>> {
    Ok(Feedback::from_clicks(&shown, &clicked)?.pairs().to_vec())
}
