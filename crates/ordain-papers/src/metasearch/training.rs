//! Learning weights on some queries of a collection, in some order.

use ordain::Result;
use ordain::numeric::Seed;
use ordain::order::{AnyLearner, Feedback, Hedge, HedgeParams, Learner, Margin, MarginParams, Weighted, greedy_order};
use rand::seq::SliceRandom;

use super::searches::{Collection, Query};
use crate::stream::of_order;

/// Who learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Teachable {
    /// By the margin of the combined preference.
    Margin,
    /// The same with another weight of the initial weights: the one of [`OTHER_PRIORS`] at this position.
    MarginPrior(usize),
    /// By each expert's own loss, with β = ½.
    Hedge,
}

/// Weights of the initial weights that margin is tried with beside its own.
pub const OTHER_PRIORS: [f64; 4] = [0.01, 0.03, 1.0, 10.0];

/// Its own, and the others.
pub fn priors() -> Vec<f64> {
    [MarginParams::default().prior].into_iter().chain(OTHER_PRIORS).collect()
}

/// What from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Every document is preferred to all of a lower grade.
    Full,
    /// The first relevant document of the list shown is clicked: it is preferred to all before it.
    Clicks,
}

/// A training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Training {
    /// Who learns.
    pub learner: Teachable,
    /// What from.
    pub source: Source,
    /// The part that is held out; none if nothing is.
    pub held_out: Option<usize>,
    /// The number of the random order of the queries, from 0; none for the order of the file.
    pub order: Option<usize>,
}

/// What was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// The cumulative loss of the weighted experts.
    pub loss: f64,
    /// What it cannot exceed.
    pub bound: f64,
    /// That of the expert which lost least.
    pub least: f64,
    /// How many queries had feedback.
    pub rounds: f64,
    /// The weights in the end.
    pub weights: Vec<f64>,
}

impl Teachable {
    /// Its name in files.
    pub fn name(self) -> String {
        match self {
            Self::Margin => "margin".into(),
            Self::MarginPrior(at) => format!("margin_prior_{}", OTHER_PRIORS[at]),
            Self::Hedge => "hedge".into(),
        }
    }

    /// One that has seen nothing.
    fn untaught(self, experts: usize) -> Result<AnyLearner> {
        let margin = |params: MarginParams| Margin::new(experts, &params).map(AnyLearner::Margin);
        Ok(match self {
            Self::Margin => margin(MarginParams::default())?,
            Self::MarginPrior(at) => margin(MarginParams::default().with_prior(OTHER_PRIORS[at]))?,
            Self::Hedge => AnyLearner::Hedge(Hedge::new(experts, &HedgeParams::default().with_beta(super::BETA))?),
        })
    }
}

impl Source {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Clicks => "clicks",
        }
    }
}

impl Training {
    /// Learns online on a collection, which has this number: the clicks on a query depend on the weights of the moment. The
    /// stream of an order is the same for both learners and both sources, so that they see the same orders.
    ///
    /// # Errors
    /// If weights cannot be found.
    pub fn run(&self, number: usize, collection: &Collection, seed: Seed) -> Result<Trained> {
        let mut queries: Vec<&Query> =
            collection.queries.iter().filter(|query| Some(query.part) != self.held_out).collect();
        if let Some(order) = self.order {
            queries.shuffle(&mut seed.stream(of_order(number, self.held_out, order)));
        }
        let mut learner = self.learner.untaught(collection.experts.len())?;
        for query in queries {
            match self.source {
                Source::Full => learner.learn(&query.experts, &query.full)?,
                Source::Clicks => learner.learn(&query.experts, &clicks(query, &learner.weights())?)?,
            };
        }
        Ok(Trained {
            loss: learner.loss(),
            bound: learner.bound(),
            least: learner.losses().iter().copied().fold(f64::INFINITY, f64::min),
            rounds: learner.rounds() as f64,
            weights: learner.weights(),
        })
    }
}

/// What a click on the first relevant document says when documents are shown in the greedy order of these weights.
fn clicks(query: &Query, weights: &[f64]) -> Result<Feedback> {
    let shown = greedy_order(&Weighted::new(&query.experts, weights)?);
    let Some(at) = query.first_relevant(shown.iter().copied()) else { return Ok(Feedback::default()) };
    Feedback::from_clicks(&shown[..=at], &[shown[at]])
}
