//! The rankers that are compared.

use ordain::data::Items;
use ordain::learn::{LambdaParams, LinearSvmParams, Ranker, Swap};
use ordain::measure::{Mean, Measure};
use ordain::numeric::Seed;

use super::Plan;

/// Makes a ranker for a plan that chooses by a measure.
type Learner = fn(&Plan, Seed, Measure) -> Box<dyn Ranker>;

/// A ranker in the comparison.
pub struct Contestant {
    pub name: &'static str,
    pub title: &'static str,
    /// What it learns by; none for the ensemble of those before it.
    pub learner: Option<Learner>,
    /// Whether it votes in the ensemble.
    pub votes: bool,
}

/// The hidden units of the network.
const HIDDEN: usize = 10;

/// All, in the order of the columns.
pub const CONTESTANTS: [Contestant; 7] = [
    Contestant {
        name: "lambda_ndcg",
        title: "lambdas for NDCG, linear",
        learner: Some(|plan, seed, measure| descent(plan, seed, measure, LambdaParams::lambdarank(Swap::ndcg()))),
        votes: true,
    },
    Contestant {
        name: "lambda_map",
        title: "lambdas for MAP, linear",
        learner: Some(|plan, seed, measure| {
            descent(plan, seed, measure, LambdaParams::lambdarank(Swap::AveragePrecision))
        }),
        votes: true,
    },
    Contestant {
        name: "lambda_wta",
        title: "lambdas for WTA, linear",
        learner: Some(|plan, seed, measure| descent(plan, seed, measure, LambdaParams::lambdarank(Swap::Winner))),
        votes: false,
    },
    Contestant {
        name: "ranknet",
        title: "RankNet, linear",
        learner: Some(|plan, seed, measure| descent(plan, seed, measure, LambdaParams::ranknet())),
        votes: true,
    },
    Contestant {
        name: "ranksvm",
        title: "ranking SVM, linear",
        learner: Some(|_, _, measure| Box::new(LinearSvmParams::default().with_measure(measure))),
        votes: true,
    },
    Contestant {
        name: "network_ndcg",
        title: "lambdas for NDCG, network",
        learner: Some(|plan, seed, measure| {
            descent(plan, seed, measure, LambdaParams::lambdarank(Swap::ndcg()).with_hidden(vec![HIDDEN]))
        }),
        votes: true,
    },
    Contestant { name: "ensemble", title: "ensemble", learner: None, votes: false },
];

fn descent(plan: &Plan, seed: Seed, measure: Measure, params: LambdaParams) -> Box<dyn Ranker> {
    Box::new(params.with_epochs(plan.epochs).with_restarts(plan.restarts).with_seed(seed).with_measure(measure))
}

/// The sum of several scores, each standardised within the query.
pub fn ensemble(scores: &[Vec<f64>], items: &Items) -> Vec<f64> {
    let mut out = vec![0.0; items.len()];
    let Some(groups) = items.groups() else { return out };
    for scores in scores {
        for group in 0..groups.len() {
            let members = groups.members(group);
            let own: Vec<f64> = members.iter().map(|item| scores[item.index()]).collect();
            let mean = Mean::of(&own).value;
            let deviation = (own.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / own.len() as f64).sqrt();
            for (item, score) in members.iter().zip(own) {
                out[item.index()] += if deviation > 0.0 { (score - mean) / deviation } else { 0.0 };
            }
        }
    }
    out
}
