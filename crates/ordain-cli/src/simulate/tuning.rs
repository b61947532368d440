//! Kernels tuned on other queries than those they are simulated with.

use ordain::active::{Facts, Judge};
use ordain::data::{AnswerLog, Entry, ItemId};
use ordain::gp::{AnswerModel, TuningParams};
use ordain::kernel::{KernelSpec, Parameter};
use ordain::numeric::{Purpose, Seed};
use ordain::{Model, Result};
use rand::RngExt;
use rand::seq::index;

use super::problem::Query;

/// The most queries that a half is tuned on. More queries hardly change the result.
const QUERIES: usize = 20;

/// The number of the judge's answers to random pairs of each query.
const ANSWERS: usize = 100;

/// Tunes on one half of the queries, for use on the other half. Half 0 has the queries with even numbers.
pub fn tune_on(
    half: usize,
    queries: &[Query],
    specs: &[KernelSpec],
    judge: Judge,
    model: &AnswerModel,
    seed: Seed,
) -> Result<Vec<Parameter>> {
    let mut stream = seed.stream(Purpose::Half(half));
    let half: Vec<&Query> = queries.iter().skip(half).step_by(2).collect();
    let mut models = Vec::new();
    for at in index::sample(&mut stream, half.len(), half.len().min(QUERIES)) {
        let query = half[at];
        let items = query.items.len();
        let truth = Facts::Grades(query.grades.clone()).truth(None, Seed(stream.random()))?;
        let mut answers = Vec::new();
        for _ in 0..ANSWERS {
            let first = stream.random_range(0..items);
            let second = (first + stream.random_range(1..items)) % items;
            let (first, second) = (ItemId::new(first), ItemId::new(second));
            answers.push(Entry::Answer(judge.compare(truth.utilities(), first, second, &mut stream)?));
        }
        let asked = Model::new(query.items.clone(), specs.to_vec())?.with_answer_model(*model);
        models.push(asked.with_answers(AnswerLog::new(answers)?)?);
    }
    let params = TuningParams::default().with_seed(seed).with_restarts(0);
    Ok(Model::tune_together(&models, &params)?.values())
}
