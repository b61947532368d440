//! Kernels and prior means tuned on other queries than those they are simulated with.

use ordain::active::{Facts, Judge};
use ordain::data::{AnswerLog, Entry, ItemId};
use ordain::gp::{AnswerModel, TuningParams};
use ordain::kernel::{KernelSpec, Parameter};
use ordain::numeric::{Purpose, Seed};
use ordain::{Model, Result};
use rand::RngExt;
use rand::seq::index;

use super::problem::Query;

/// How queries are split: each part is played with parameters that are tuned on queries of the others.
#[derive(Clone, Copy)]
pub struct Split {
    /// The number of parts.
    pub parts: usize,
    /// The most queries that are tuned on.
    most: usize,
    /// The number of the judge's answers to random pairs of each query.
    answers: usize,
}

impl Split {
    /// For the few parameters of kernels. More queries hardly change the result.
    pub const KERNELS: Self = Self { parts: 2, most: 20, answers: 100 };
    /// For a prior mean, whose weights are as many as the attributes. They gain from every query.
    pub const PRIOR: Self = Self { parts: 5, most: 200, answers: 300 };
}

/// What is tuned, and on what.
#[derive(Clone, Copy)]
pub struct Tuning {
    /// How queries are split.
    pub split: Split,
    /// Whether kernels keep their parameters.
    pub hold_kernels: bool,
}

/// Tunes for one part of the queries on the others. The query with number n is in the part n modulo their number.
pub fn tune_for(
    part: usize,
    Tuning { split, hold_kernels }: Tuning,
    queries: &[Query],
    specs: &[KernelSpec],
    judge: Judge,
    model: &AnswerModel,
    seed: Seed,
) -> Result<Vec<Parameter>> {
    // Of two halves, each has the stream of the half that is tuned on.
    let mut stream = seed.stream(Purpose::Part((part + 1) % split.parts));
    let numbered = queries.iter().enumerate();
    let others: Vec<&Query> = numbered.filter(|(at, _)| at % split.parts != part).map(|(_, query)| query).collect();
    let mut models = Vec::new();
    for at in index::sample(&mut stream, others.len(), others.len().min(split.most)) {
        let query = others[at];
        let items = query.items.len();
        let truth = Facts::Grades(query.grades.clone()).truth(None, Seed(stream.random()))?;
        let mut answers = Vec::new();
        for _ in 0..split.answers {
            let first = stream.random_range(0..items);
            let second = (first + stream.random_range(1..items)) % items;
            let (first, second) = (ItemId::new(first), ItemId::new(second));
            answers.push(Entry::Answer(judge.compare(truth.utilities(), first, second, &mut stream)?));
        }
        let asked = Model::new(query.items.clone(), specs.to_vec())?.with_answer_model(model.clone());
        models.push(asked.with_answers(AnswerLog::new(answers)?)?);
    }
    let params = TuningParams::default().with_seed(seed).with_restarts(0).with_hold_kernels(hold_kernels);
    Ok(Model::tune_together(&models, &params)?.values())
}
