//! Rankers that descend along lambdas, query by query: LambdaRank and RankNet.

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::adam::Adam;
use super::graded_lists::{GradedLists, List};
use super::lambda::{Lambda, PairLambda, Swap, Workspace};
use super::network::{Activity, Network};
use super::ranker::{Epoch, MOST_LAYERS, Parts, Ranker, RankingModel, check_gain, first_best, parts};
use crate::measure::Measure;
use crate::numeric::{Seed, Stream};
use crate::params::setters;
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// Descent along lambdas. A run passes over the queries in random order, takes a step of Adam (Kingma and Ba 2015) after each, and keeps the
/// mean of the weights over the pass. After every pass the measure is taken on the queries to validate with; the best pass counts, and a run
/// ends when there was none for some time. Runs with other step lengths and other beginnings compete.
///
/// Same bits for any number of threads: a run is one thread's work. A pass costs `O(n d)` for n documents with d attributes, or times the
/// hidden units, and what the lambda costs: for [`PairLambda`] a few operations per pair of different grades.
///
/// ```
/// use ordain::Watch;
/// use ordain::data::{Attributes, Groups, Items};
/// use ordain::learn::{GradedLists, LambdaParams, Ranker, Scaling, Swap};
///
/// let attributes = Attributes::new(vec!["x".into()], 4, vec![0.1, 0.9, 0.3, 0.2])?;
/// let items = Items::new(["a", "b", "c", "d"].map(str::to_owned).to_vec(), Some(Groups::new(["q1", "q1", "q2", "q2"])), attributes)?;
/// let lists = GradedLists::new(&items, &[0, 1, 1, 0], Scaling::Standard)?;
/// let model = LambdaParams::lambdarank(Swap::ndcg()).with_epochs(5).fit(&lists, None, &Watch::NONE)?;
/// let scores = model.score(items.attributes(), items.groups())?;
/// assert!(scores[1] > scores[0] && scores[2] > scores[3]);
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LambdaParams<L = PairLambda> {
    /// The forces on the documents.
    pub lambda: L,
    /// The name of the learner, for the model.
    pub name: String,
    /// The units of each hidden layer; none for linear scores.
    pub hidden: Vec<usize>,
    /// The lengths of Adam's steps, of which the best is chosen.
    pub rates: Vec<f64>,
    /// The number of beginnings: other orders of the queries, and other random weights.
    pub restarts: usize,
    /// The most passes over the queries.
    pub epochs: usize,
    /// A run ends after this many passes without a better one, at least 1.
    pub patience: usize,
    /// The measure by which to choose.
    pub measure: Measure,
    /// The seed of all beginnings.
    pub seed: Seed,
}

setters! {
    LambdaParams<L>:
    with_hidden = hidden: Vec<usize>,
    with_rates = rates: Vec<f64>,
    with_restarts = restarts: usize,
    with_epochs = epochs: usize,
    with_patience = patience: usize,
    with_measure = measure: Measure,
    with_seed = seed: Seed,
}

impl LambdaParams {
    /// Lambdas weighed by the change of a measure.
    pub fn lambdarank(swap: Swap) -> Self {
        Self::new("lambdarank", PairLambda::new(swap))
    }

    /// RankNet: all pairs weigh the same.
    pub fn ranknet() -> Self {
        Self::new("ranknet", PairLambda::new(Swap::Pairs))
    }
}

impl<L: Lambda> LambdaParams<L> {
    /// Descent along these lambdas.
    pub fn new(name: impl Into<String>, lambda: L) -> Self {
        Self {
            lambda,
            name: name.into(),
            hidden: Vec::new(),
            rates: vec![0.001, 0.01, 0.1],
            restarts: 5,
            epochs: 200,
            patience: 20,
            measure: Measure::AveragePrecision,
            seed: Seed(1),
        }
    }

    fn check(&self) -> Result<()> {
        self.lambda.check()?;
        let parameter = |name: &str, value: f64, expected| Err(Error::Parameter { name: name.into(), value, expected });
        if let Some(&rate) = self.rates.iter().find(|rate| !(rate.is_finite() && **rate > 0.0)) {
            return parameter("rate", rate, "a positive, finite number");
        }
        if self.rates.is_empty() || self.restarts == 0 || self.epochs == 0 || self.patience == 0 {
            return parameter("the number of rates, restarts, epochs or patience", 0.0, "at least 1 of each");
        }
        if self.hidden.len() > MOST_LAYERS {
            return parameter("the number of hidden layers", self.hidden.len() as f64, "at most 2");
        }
        if self.hidden.contains(&0) {
            return parameter("the units of a hidden layer", 0.0, "at least 1");
        }
        check_gain(self.measure)
    }

    /// Fails if the lambdas push nothing anywhere, though grades differ: those of MAP do not see a difference between grades 1 and 2.
    fn check_forces(&self, lists: &[List<'_>]) -> Result<()> {
        let mut workspace = Workspace::default();
        let pushes = |list: &List<'_>| {
            let forces = workspace.forces(&self.lambda, list.grades, &vec![0.0; list.grades.len()]);
            forces.lambdas.iter().any(|lambda| *lambda != 0.0)
        };
        if lists.iter().any(pushes) {
            return Ok(());
        }
        Err(Error::Data {
            what: "queries to learn from",
            found: "no pair of documents that differ to the measure to improve".into(),
            expected: "a query with a relevant document, of grade 1 or more, and another one".into(),
        })
    }
}

/// The name of this work for a [`Watch`].
const TRAINING: &str = "training";

impl<L: Lambda> Ranker for LambdaParams<L> {
    fn fit(&self, train: &GradedLists, validate: Option<&GradedLists>, watch: &Watch) -> Result<RankingModel> {
        self.check()?;
        let Parts { train, validate } = parts(train, validate)?;
        let lists = train.teaching()?;
        self.check_forces(&lists)?;
        let starts: Vec<(f64, usize)> =
            self.rates.iter().flat_map(|&rate| (0..self.restarts).map(move |restart| (rate, restart))).collect();
        let passes = Passes { done: AtomicUsize::new(0), of: starts.len() * self.epochs, runs: starts.len(), watch };
        let others = train.sum_of_others(self.measure)?;
        let run = |&(rate, restart): &(f64, usize)| {
            let run = Run { params: self, train: &train, validate: &validate, lists: &lists, others, rate };
            run.descend(self.seed.stream(restart as u64), &passes)
        };
        let mut runs: Vec<Found> = starts.par_iter().map(run).collect::<Result<_>>()?;
        let best = first_best(runs.iter().map(|found| found.value));
        let Found { network, best: epoch, curve, .. } = runs.swap_remove(best);
        if network.weights.iter().all(|weight| *weight == 0.0) {
            return Err(Error::Data {
                what: "attributes to learn from",
                found: "none that moves the scores".into(),
                expected: "an attribute that differs within a query".into(),
            });
        }
        let (rate, restart) = starts[best];
        Ok(RankingModel {
            learner: self.name.clone(),
            scaling: train.scaling(),
            features: train.names().to_vec(),
            importance: network.importance(&lists),
            measured: [network.measured(&train, self.measure)?, curve[epoch].validate],
            network,
            chosen: vec![
                ("rate".into(), rate),
                ("restart".into(), restart as f64),
                ("epochs".into(), (epoch + 1) as f64),
            ],
            curve,
            measure: self.measure,
        })
    }
}

/// The passes of all runs, which several threads take.
struct Passes<'a> {
    done: AtomicUsize,
    of: usize,
    runs: usize,
    watch: &'a Watch,
}

impl Passes<'_> {
    /// Says that so many passes are over, or need not be made.
    fn add(&self, passes: usize) -> Result<()> {
        let done = self.done.fetch_add(passes, Ordering::Relaxed) + passes;
        self.watch.step(|| Step::new(TRAINING, done, self.of).detail(format!("{} runs", self.runs)))
    }
}

/// What a run found.
struct Found {
    value: f64,
    network: Network,
    /// The pass that was best.
    best: usize,
    curve: Vec<Epoch>,
}

/// One run of descent.
struct Run<'a, L> {
    params: &'a LambdaParams<L>,
    train: &'a GradedLists,
    validate: &'a GradedLists,
    lists: &'a [List<'a>],
    /// The sum of the measure over the queries that teach nothing.
    others: f64,
    rate: f64,
}

impl<L: Lambda> Run<'_, L> {
    fn descend(&self, mut stream: Stream, passes: &Passes<'_>) -> Result<Found> {
        let params = self.params;
        let mut network = Network::new(self.train.names().len(), &params.hidden, &mut stream);
        let mut adam = Adam::new(network.weights.len(), self.rate);
        let mut descent = Descent::default();
        let mut order: Vec<usize> = (0..self.lists.len()).collect();
        let mut found = Found { value: f64::NEG_INFINITY, network: network.clone(), best: 0, curve: Vec::new() };
        passes.add(0)?;
        for epoch in 0..params.epochs {
            order.shuffle(&mut stream);
            let lists = order.iter().map(|&list| &self.lists[list]);
            let mean = descent.pass(params, lists, &mut network, &mut adam)?;
            check_squares(&adam)?;
            let mean = network.at(mean);
            let train = (descent.measured + self.others) / self.train.len() as f64;
            let validate = mean.measured(self.validate, params.measure)?;
            found.curve.push(Epoch { train, validate });
            passes.add(1)?;
            if validate > found.value {
                found = Found { value: validate, network: mean, best: epoch, ..found };
            }
            if epoch - found.best >= params.patience {
                break;
            }
        }
        passes.add(params.epochs - found.curve.len())?;
        Ok(found)
    }
}

/// Memory that is used again for every query.
#[derive(Default)]
struct Descent {
    activity: Activity,
    workspace: Workspace,
    slopes: Vec<f64>,
    /// The sum of the measure over the queries of the last pass, each before the step that it taught.
    measured: f64,
}

impl Descent {
    /// A step after each query. Returns the mean of the weights over the steps.
    fn pass<'a, L: Lambda>(
        &mut self,
        params: &LambdaParams<L>,
        lists: impl ExactSizeIterator<Item = &'a List<'a>>,
        network: &mut Network,
        adam: &mut Adam,
    ) -> Result<Vec<f64>> {
        let share = 1.0 / lists.len() as f64;
        self.measured = 0.0;
        let mut mean = vec![0.0; network.weights.len()];
        for list in lists {
            network.scores(list.rows, &mut self.activity);
            let forces = self.workspace.forces(&params.lambda, list.grades, &self.activity.scores);
            self.slopes.clear();
            self.slopes.resize(network.weights.len(), 0.0);
            network.add_slopes(list.rows, &self.activity, &forces.lambdas, &mut self.slopes);
            adam.climb(&mut network.weights, &self.slopes);
            self.measured += self.workspace.measured(params.measure, list.grades)?;
            crate::numeric::dense::add_scaled(&mut mean, share, &network.weights);
        }
        Ok(mean)
    }
}

/// Fails if squares of slopes overflowed: steps would be 0 from then on.
fn check_squares(adam: &Adam) -> Result<()> {
    if adam.is_finite() {
        return Ok(());
    }
    Err(Error::Data {
        what: "attributes to learn from",
        found: "values so large that the squares of slopes overflow".into(),
        expected: "smaller values; scaling within each query gives them".into(),
    })
}
