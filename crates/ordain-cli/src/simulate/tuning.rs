//! Kernels tuned on queries that are not simulated with them.

use ordain::Result;
use ordain::active::{Facts, Judge};
use ordain::data::ItemId;
use ordain::gp::{AnswerModel, Problem, TunedParameter, TuningParams};
use ordain::kernel::{KernelSpec, build};
use ordain::numeric::{Purpose, Seed};
use rand::RngExt;
use rand::seq::index;

use super::problem::Query;

/// Queries that a half is tuned on, at most: more hardly change what is found.
const QUERIES: usize = 20;

/// Answers of the judge to random pairs of each.
const ANSWERS: usize = 100;

/// Tunes on one half of the queries, 0 for those with even numbers, what is meant for the other.
pub fn tune_on(
    half: usize,
    queries: &[Query],
    specs: &[KernelSpec],
    judge: Judge,
    model: &AnswerModel,
    seed: Seed,
) -> Result<Vec<TunedParameter>> {
    let mut stream = seed.stream(Purpose::Half(half));
    let half: Vec<&Query> = queries.iter().skip(half).step_by(2).collect();
    let mut problems = Vec::new();
    for at in index::sample(&mut stream, half.len(), half.len().min(QUERIES)) {
        let query = half[at];
        let items = query.items.len();
        let truth = Facts::Grades(query.grades.clone()).truth(None, Seed(stream.random()))?;
        let mut observations = Vec::new();
        for _ in 0..ANSWERS {
            let first = stream.random_range(0..items);
            let second = (first + stream.random_range(1..items)) % items;
            let (first, second) = (ItemId::new(first), ItemId::new(second));
            observations.extend(model.observe(&judge.compare(truth.utilities(), first, second, &mut stream)?)?);
        }
        problems.push(Problem { kernel: build(specs, &query.items, &[])?, observations });
    }
    let params = TuningParams::default().with_seed(seed).with_restarts(0);
    Ok(params.tune(&mut problems, |_| {})?.parameters)
}
