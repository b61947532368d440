//! Does each kernel help? A model with and without it, by held-out answers and by evidence.
//!
//! Answers are dealt into folds; each fold is predicted by what the others teach. Answers on the same pair (or the same
//! single item) go into the same fold, as a judge who was heard on a pair all but says what the next will. All models
//! are measured on the same folds, so that their difference is paired, answer by answer.
//!
//! **Losses.** An answer that the belief gives the probability p has the log loss `-log p`. It is an error if another
//! outcome was more probable, and a share of one if several were equally so: half of one where nothing is known of two
//! items and ties do not exist.
//!
//! **Intervals** are by bootstrap over pairs, not over answers: answers on a pair are not independent. A draw
//! is divided by the answers on the pairs that it drew ([`bootstrap_ratio`]), so that pairs that were asked often sway it
//! no further than a mean can go. Folds share most of the answers that they learn from, and pairs share items, which the
//! bootstrap does not see: intervals are somewhat too narrow (Bengio, Grandvalet 2004).
//!
//! **Cost.** A fit of EP for every model and fold, in parallel; with tuning, about fifty each.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::{AnswerModel, Belief, EpParams, Functional, Observation, Problem, TuningParams};
use crate::data::{Answer, ItemId, Items, Outcome, Relation};
use crate::kernel::{KernelSpec, WeightedSum, build};
use crate::measure::{MeanInterval, bootstrap_ratio};
use crate::numeric::Seed;
use crate::params::setters;
use crate::{Error, Result};

/// How models are compared.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ComparisonParams {
    /// Into how many folds answers are dealt, at least two.
    pub folds: usize,
    /// How often they are dealt anew, 1 to 1000 times; losses are means over that.
    pub repeats: usize,
    /// Where the dealing and the bootstrap start.
    pub seed: Seed,
    /// The probability of the intervals.
    pub level: f64,
    /// Draws of the bootstrap.
    pub draws: usize,
    /// If given, every model is tuned anew before it is used: on all answers for the evidence, and on the answers of the
    /// other folds before a fold is predicted. It starts from the middle of the prior, not from the values that the
    /// kernels have: these may have been tuned on the very answers that are held out, and would lead back to where they
    /// led. If not given, all models are taken at the kernels' own values, and what is held out is so only if these were
    /// not tuned on it.
    pub tuning: Option<TuningParams>,
}

impl Default for ComparisonParams {
    fn default() -> Self {
        Self { folds: 10, repeats: 1, seed: Seed(1), level: 0.95, draws: 10_000, tuning: Some(TuningParams::default()) }
    }
}

setters! {
    ComparisonParams:
    with_folds = folds: usize,
    with_repeats = repeats: usize,
    with_seed = seed: Seed,
    with_level = level: f64,
    with_draws = draws: usize,
    with_tuning = tuning: Option<TuningParams>,
}

/// What a project's models are made of.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The kernels of the whole model.
    pub kernels: &'a [KernelSpec],
    /// The items.
    pub items: &'a Items,
    /// The relations that kernels name.
    pub relations: &'a [Relation],
    /// The answers that stand.
    pub answers: &'a [&'a Answer],
    /// How utilities become answers.
    pub model: AnswerModel,
}

/// A model with and without each of its kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The answers compared by; skips do not count.
    pub answers: usize,
    /// The different pairs and single items that they are on.
    pub pairs: usize,
    /// The model of all kernels,
    pub all: Score,
    /// and those without one, in the order of the kernels. Without the only kernel, all utilities are equal.
    pub without: Vec<Lack>,
}

/// How well a model does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The mean log loss of a held-out answer.
    pub log_loss: MeanInterval,
    /// The share of held-out answers that are errors.
    pub error: MeanInterval,
    /// The log evidence of all answers, at parameters tuned on the same answers if models are tuned.
    pub log_evidence: f64,
}

/// How well a model does without a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lack {
    /// By itself,
    pub score: Score,
    /// and less what the model of all kernels has: positive losses and a negative evidence say that the kernel helps.
    pub difference: Score,
}

impl ComparisonParams {
    /// Compares the model of all kernels with those without one. `watch` is told how many fits are done, and of how
    /// many.
    ///
    /// # Errors
    /// If there are fewer pairs than folds, a parameter is out of range, or a model cannot be fitted.
    pub fn compare(&self, setting: Setting<'_>, watch: impl Fn(usize, usize) + Sync) -> Result<Comparison> {
        let trials = trials(&setting)?;
        self.check(&trials)?;
        let models = (0..=setting.kernels.len()).map(|lack| Model::new(&setting, lack)).collect::<Result<Vec<_>>>()?;
        let jobs = models.len() * (1 + self.folds * self.repeats);
        let done = AtomicUsize::new(0);
        let tick = || watch(done.fetch_add(1, Ordering::Relaxed) + 1, jobs);

        let observations: Vec<Observation> = trials.iter().flat_map(|trial| trial.given()).collect();
        let evidences: Vec<f64> = models
            .par_iter()
            .map(|model| {
                let fitted = model.fit(&observations, self.tuning.as_ref())?;
                tick();
                Ok(fitted.log_evidence)
            })
            .collect::<Result<_>>()?;

        // The losses of each model by trial, summed over answers and repeats in a fixed order.
        let mut totals = vec![vec![Losses::default(); trials.len()]; models.len()];
        let cells: Vec<(usize, usize)> =
            (0..models.len()).flat_map(|model| (0..self.folds).map(move |fold| (model, fold))).collect();
        for repeat in 0..self.repeats {
            let deal = self.deal(trials.len(), repeat);
            let predicted: Vec<Vec<(usize, Losses)>> = cells
                .par_iter()
                .map(|&(model, fold)| {
                    let losses = models[model].predict(&trials, |trial| deal[trial] == fold, self.tuning.as_ref())?;
                    tick();
                    Ok(losses)
                })
                .collect::<Result<_>>()?;
            for (&(model, _), losses) in cells.iter().zip(predicted) {
                losses.into_iter().for_each(|(trial, loss)| totals[model][trial].add(loss));
            }
        }
        self.report(&trials, &totals, &evidences)
    }

    fn check(&self, trials: &[Trial]) -> Result<()> {
        let wrong = |name: &str, value, expected| Err(Error::Parameter { name: name.into(), value, expected });
        if self.folds < 2 {
            return wrong("folds", self.folds as f64, "at least two");
        }
        // More would change nothing but the time.
        if !(1..=1000).contains(&self.repeats) {
            return wrong("repeats", self.repeats as f64, "1 to 1000");
        }
        if trials.len() < self.folds {
            return Err(Error::Data {
                what: "different pairs to compare models by",
                found: trials.len().to_string(),
                expected: format!("at least {}, one for each fold", self.folds),
            });
        }
        Ok(())
    }

    /// The fold of every trial: as equal in size as can be.
    fn deal(&self, trials: usize, repeat: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..trials).collect();
        order.shuffle(&mut self.seed.stream(repeat as u64));
        let mut fold = vec![0; trials];
        for (place, &trial) in order.iter().enumerate() {
            fold[trial] = place % self.folds;
        }
        fold
    }

    fn report(&self, trials: &[Trial], totals: &[Vec<Losses>], evidences: &[f64]) -> Result<Comparison> {
        let answers: usize = trials.iter().map(|trial| trial.answers.len()).sum();
        let sizes: Vec<f64> = trials.iter().map(|trial| (trial.answers.len() * self.repeats) as f64).collect();
        let interval = |loss: &dyn Fn(usize) -> f64| {
            let sums: Vec<f64> = (0..trials.len()).map(loss).collect();
            bootstrap_ratio(&sums, &sizes, self.level, self.draws, self.seed)
        };
        let score = |model: usize| -> Result<Score> {
            Ok(Score {
                log_loss: interval(&|trial| totals[model][trial].log)?,
                error: interval(&|trial| totals[model][trial].error)?,
                log_evidence: evidences[model],
            })
        };
        let difference = |model: usize| -> Result<Score> {
            Ok(Score {
                log_loss: interval(&|trial| totals[model][trial].log - totals[0][trial].log)?,
                error: interval(&|trial| totals[model][trial].error - totals[0][trial].error)?,
                log_evidence: evidences[model] - evidences[0],
            })
        };
        let lack = |model: usize| Ok(Lack { score: score(model)?, difference: difference(model)? });
        let without = (1..totals.len()).map(lack).collect::<Result<_>>()?;
        Ok(Comparison { answers, pairs: trials.len(), all: score(0)?, without })
    }
}

/// All answers on one pair, or on one single item.
struct Trial {
    functional: Functional,
    answers: Vec<Given>,
}

/// An answer: what could have been said, and which of these was.
struct Given {
    outcomes: Vec<Observation>,
    said: usize,
}

impl Trial {
    fn given(&self) -> impl Iterator<Item = Observation> {
        self.answers.iter().map(|given| given.outcomes[given.said])
    }
}

/// The answers by what they are on, in order of first appearance, so that the numbers of items do not matter.
fn trials(setting: &Setting<'_>) -> Result<Vec<Trial>> {
    let mut out: Vec<Trial> = Vec::new();
    let mut known: HashMap<Functional, usize> = HashMap::new();
    for answer in setting.answers {
        let Some(observation) = setting.model.observe(answer)? else { continue };
        let outcomes = outcomes(&setting.model, answer)?;
        let Some(said) = outcomes.iter().position(|outcome| *outcome == observation) else {
            unreachable!("what was said could be said")
        };
        let at = *known.entry(observation.functional).or_insert(out.len());
        if at == out.len() {
            out.push(Trial { functional: observation.functional, answers: Vec::new() });
        }
        out[at].answers.push(Given { outcomes, said });
    }
    Ok(out)
}

/// Everything that a judge could have said instead of skipping.
fn outcomes(model: &AnswerModel, answer: &Answer) -> Result<Vec<Observation>> {
    let words: &[Outcome] = match answer.second {
        None => &[Outcome::Good, Outcome::Bad],
        Some(_) if model.tie_width() > 0.0 => &[Outcome::First, Outcome::Second, Outcome::Tie],
        Some(_) => &[Outcome::First, Outcome::Second],
    };
    let said = words.iter().map(|&word| Answer::new(answer.first, answer.second, word));
    said.filter_map(|answer| answer.and_then(|answer| model.observe(&answer)).transpose()).collect()
}

/// What predictions of held-out answers cost.
#[derive(Debug, Clone, Copy, Default)]
struct Losses {
    log: f64,
    error: f64,
}

impl Losses {
    fn add(&mut self, other: Self) {
        self.log += other.log;
        self.error += other.error;
    }

    /// Of one answer, when its functional is believed to have this mean and variance.
    fn of(given: &Given, mean: f64, variance: f64) -> Self {
        /// Probabilities this close are the same but for rounding.
        const SAME: f64 = 1e-12;
        let logs: Vec<f64> = given.outcomes.iter().map(|outcome| outcome.log_mass(mean, variance)).collect();
        let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let likely = |log: f64| log.exp() >= best.exp() - SAME;
        let said = logs[given.said];
        let share = logs.iter().filter(|&&log| likely(log)).count() as f64;
        Self { log: -said, error: if likely(said) { 1.0 - 1.0 / share } else { 1.0 } }
    }
}

/// Some of the kernels.
struct Model<'a> {
    setting: &'a Setting<'a>,
    specs: Vec<KernelSpec>,
    /// None if there is no kernel: then all utilities are 0.
    kernel: Option<Arc<WeightedSum>>,
}

/// A model that has learned.
struct Fitted {
    /// None if there is no kernel: then all utilities are 0.
    belief: Option<super::Ep>,
    log_evidence: f64,
}

impl<'a> Model<'a> {
    /// All kernels for 0, else those without this one, counted from 1.
    fn new(setting: &'a Setting<'a>, lack: usize) -> Result<Self> {
        let kept = setting.kernels.iter().enumerate().filter(|(number, _)| number + 1 != lack);
        let specs: Vec<KernelSpec> = kept.map(|(_, spec)| spec.clone()).collect();
        let kernel = if specs.is_empty() { None } else { Some(build(&specs, setting.items, setting.relations)?) };
        Ok(Self { setting, specs, kernel: kernel.map(Arc::new) })
    }

    /// Learns; tunes before that if told how.
    fn fit(&self, observations: &[Observation], tuning: Option<&TuningParams>) -> Result<Fitted> {
        let Some(kernel) = &self.kernel else {
            let log_evidence = observations.iter().map(|observation| observation.log_mass(0.0, 0.0)).sum();
            return Ok(Fitted { belief: None, log_evidence });
        };
        let kernel = match tuning {
            Some(tuning) => Arc::new(self.tuned(observations, tuning)?),
            None => kernel.clone(),
        };
        let belief = EpParams::default().fit(kernel, observations)?;
        Ok(Fitted { log_evidence: belief.log_evidence(), belief: Some(belief) })
    }

    /// The kernel tuned on these observations and on nothing else: whatever its values were tuned on before is forgotten.
    fn tuned(&self, observations: &[Observation], tuning: &TuningParams) -> Result<WeightedSum> {
        let kernel = build(&self.specs, self.setting.items, self.setting.relations)?;
        let mut problem = [Problem { kernel, observations: observations.to_vec() }];
        tuning.set_typical(&mut problem)?;
        tuning.tune(&mut problem, |_| ())?;
        let [problem] = problem;
        Ok(problem.kernel)
    }

    /// The losses of the trials held out, having learned from the others.
    fn predict(
        &self,
        trials: &[Trial],
        held_out: impl Fn(usize) -> bool,
        tuning: Option<&TuningParams>,
    ) -> Result<Vec<(usize, Losses)>> {
        let learned = trials.iter().enumerate().filter(|(number, _)| !held_out(*number));
        let observations: Vec<Observation> = learned.flat_map(|(_, trial)| trial.given()).collect();
        let fitted = self.fit(&observations, tuning)?;
        let mut column = vec![0.0; self.setting.items.len()];
        let mut out = Vec::new();
        for (number, trial) in trials.iter().enumerate().filter(|(number, _)| held_out(*number)) {
            let (mean, variance) = match &fitted.belief {
                Some(belief) => marginal(belief, trial.functional, &mut column)?,
                None => (0.0, 0.0),
            };
            let mut losses = Losses::default();
            trial.answers.iter().for_each(|given| losses.add(Losses::of(given, mean, variance)));
            out.push((number, losses));
        }
        Ok(out)
    }
}

/// Mean and variance of a functional. `scratch` holds a column.
fn marginal(belief: &dyn Belief, functional: Functional, scratch: &mut [f64]) -> Result<(f64, f64)> {
    let mean = functional.of(belief.mean());
    let variances = belief.variances();
    Ok(match functional {
        Functional::Item(item) => (mean, variances[item as usize]),
        Functional::Difference(first, second) => {
            belief.column(ItemId(first), scratch)?;
            let (first, second) = (first as usize, second as usize);
            // Rounding may leave a hair below zero for twins.
            (mean, (variances[first] + variances[second] - 2.0 * scratch[second]).max(0.0))
        }
    })
}
