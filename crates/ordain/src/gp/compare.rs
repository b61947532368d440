//! Does each kernel help? Compares the model with and without it, by held-out answers and by evidence.
//!
//! Answers are dealt into folds. Each fold is predicted from the others. Answers on the same pair (or the same single
//! item) go into the same fold, because one answer on a pair nearly determines the next. All models are measured on the
//! same folds, so their difference is paired, answer by answer.
//!
//! **Losses.** An answer with the predicted probability p has the log loss `-log p`. It is an error if another outcome
//! was more probable. If several outcomes were equally probable, it is a share of an error: one half where nothing is
//! known about two items and ties do not exist. Every vote is an answer. Weak and strong preferences are outcomes of their own. A stated
//! probability p is learned as it is, and counts as the share p of an answer for the first item and the rest of one for the second: so
//! its loss is never below its own entropy.
//!
//! **Intervals** come from a bootstrap over pairs, not over answers: answers on a pair are not independent. Each draw
//! is divided by the number of answers on its pairs ([`bootstrap_ratio`]), so a pair with many answers moves it no
//! further than a mean can go. Folds share most of their training answers, and pairs share items. The bootstrap does
//! not see this, so intervals are somewhat too narrow (Bengio, Grandvalet 2004).
//!
//! **Cost.** One fit of EP per model and fold, in parallel; with tuning, about fifty each, or five where more than a thousand
//! coordinates are tuned.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::tuning::Summit;
use super::{AnswerModel, Belief, EpParams, Functional, Observation, Problem, TuningParams};
use crate::data::{Answer, ItemId, Items, Outcome, Prior, Relation, TIE_WIDTH};
use crate::kernel::{KernelSpec, WeightedSum, build};
use crate::measure::{MeanInterval, bootstrap_ratio};
use crate::numeric::Seed;
use crate::params::setters;
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// How models are compared.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ComparisonParams {
    /// The number of folds, at least two.
    pub folds: usize,
    /// How often answers are dealt anew, 1 to 1000 times. Losses are means over these.
    pub repeats: usize,
    /// The seed of the dealing and of the bootstrap.
    pub seed: Seed,
    /// The probability of the intervals.
    pub level: f64,
    /// The number of bootstrap draws.
    pub draws: usize,
    /// If given, every model is tuned anew before use: on all answers for the evidence, and on the answers of the other
    /// folds before a fold is predicted. Tuning starts from the middle of the prior, not from the kernels' present
    /// values, since these may have been tuned on the held-out answers. Where starts would not take all answers
    /// ([`TuningParams`]), the folds of a model start at its maximum for all answers, and climb to one for their own.
    ///
    /// If not given, all models keep the kernels' values. Answers are then truly held out only if the values were not
    /// tuned on them.
    pub tuning: Option<TuningParams>,
    /// Follows the fits.
    pub watch: Watch,
}

impl Default for ComparisonParams {
    fn default() -> Self {
        Self {
            folds: 10,
            repeats: 1,
            seed: Seed(1),
            level: 0.95,
            draws: 10_000,
            tuning: Some(TuningParams::default()),
            watch: Watch::NONE,
        }
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
    with_watch = watch: Watch,
}

/// The parts of a project's models.
#[derive(Debug, Clone)]
pub struct Setting<'a> {
    /// The kernels of the whole model.
    pub kernels: &'a [KernelSpec],
    /// The items.
    pub items: &'a Items,
    /// The relations that kernels name.
    pub relations: &'a [Relation],
    /// The standing answers.
    pub answers: &'a [&'a Answer],
    /// How utilities become answers.
    pub model: AnswerModel,
}

/// A model with and without each of its kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The number of answers compared; skips do not count.
    pub answers: usize,
    /// The number of different pairs and single items among them.
    pub pairs: usize,
    /// The model of all kernels.
    pub all: Score,
    /// The models without one kernel, in the order of the kernels. Without the only kernel, utilities are their prior
    /// means: all equal where items have no prior.
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
    /// The score of this model.
    pub score: Score,
    /// This score minus that of the model of all kernels. Positive losses and a negative evidence say that the kernel
    /// helps.
    pub difference: Score,
}

impl ComparisonParams {
    /// Compares the model of all kernels with those without one.
    ///
    /// # Errors
    /// If there are fewer pairs than folds, a parameter is out of range, or a model cannot be fitted.
    pub fn compare(&self, setting: Setting<'_>) -> Result<Comparison> {
        if let Some(screen) = setting.answers.iter().find(|answer| answer.outcome.is_choice()) {
            return Err(Error::Data {
                what: "the answers to compare models by",
                found: format!("a choice among several items (\"{}\")", screen.outcome),
                expected: "answers about one item or two, which can be held out one by one".into(),
            });
        }
        let trials = trials(&setting)?;
        self.check(&trials)?;
        let models = (0..=setting.kernels.len()).map(|lack| Model::new(&setting, lack)).collect::<Result<Vec<_>>>()?;
        let jobs = models.len() * (1 + self.folds * self.repeats);
        let done = AtomicUsize::new(0);
        let tick = || self.watch.step(|| Step::new("comparing", done.fetch_add(1, Ordering::Relaxed) + 1, jobs));
        let how = self.how();

        let observations: Vec<Observation> = trials.iter().flat_map(|trial| trial.given()).collect();
        let (evidences, summits): (Vec<f64>, Vec<Option<Summit>>) = models
            .par_iter()
            .map(|model| {
                let fitted = model.fit(&observations, &how, None)?;
                tick()?;
                Ok((fitted.log_evidence, fitted.summit))
            })
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .unzip();

        // The losses of each model per trial, summed over answers and repeats in a fixed order.
        let mut totals = vec![vec![Losses::default(); trials.len()]; models.len()];
        let cells: Vec<(usize, usize)> =
            (0..models.len()).flat_map(|model| (0..self.folds).map(move |fold| (model, fold))).collect();
        for repeat in 0..self.repeats {
            let deal = self.deal(trials.len(), repeat);
            let predicted: Vec<Vec<(usize, Losses)>> = cells
                .par_iter()
                .map(|&(model, fold)| {
                    let losses =
                        models[model].predict(&trials, |trial| deal[trial] == fold, &how, summits[model].as_ref())?;
                    tick()?;
                    Ok(losses)
                })
                .collect::<Result<_>>()?;
            for (&(model, _), losses) in cells.iter().zip(predicted) {
                losses.into_iter().for_each(|(trial, loss)| totals[model][trial].add(loss));
            }
        }
        self.report(&trials, &totals, &evidences)
    }

    /// How each model is fitted. A fit is one step here, so it only looks whether to stop.
    fn how(&self) -> How {
        let watch = self.watch.silent();
        let tuning = self.tuning.as_ref().map(|tuning| TuningParams { watch: watch.clone(), ..tuning.clone() });
        How { ep: EpParams { watch, ..EpParams::default() }, tuning }
    }

    fn check(&self, trials: &[Trial]) -> Result<()> {
        let wrong = |name: &str, value, expected| Err(Error::Parameter { name: name.into(), value, expected });
        if self.folds < 2 {
            return wrong("folds", self.folds as f64, "at least two");
        }
        // More repeats change nothing but the time.
        if !(1..=1000).contains(&self.repeats) {
            return wrong("repeats", self.repeats as f64, "1 to 1000");
        }
        if trials.len() < self.folds {
            return Err(Error::Data {
                what: "different pairs to compare models by",
                found: trials.len().to_string(),
                expected: format!("at least {}, one per fold", self.folds),
            });
        }
        Ok(())
    }

    /// The fold of every trial; folds are as equal in size as possible.
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
        let answers: usize = trials.iter().map(Trial::count).sum();
        let sizes: Vec<f64> = trials.iter().map(|trial| (trial.count() * self.repeats) as f64).collect();
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

/// How a model is fitted.
struct How {
    ep: EpParams,
    tuning: Option<TuningParams>,
}

/// All answers on one pair, or on one single item.
struct Trial {
    functional: Functional,
    answers: Vec<Given>,
}

/// An answer: what is learned from it, and what it is measured by.
struct Given {
    learned: Observation,
    /// Its possible outcomes.
    outcomes: Vec<Observation>,
    /// How often each of them was said, where it was: once, as often as there were votes, or shares of once.
    said: Vec<(usize, f64)>,
}

impl Given {
    /// How many answers it is.
    fn count(&self) -> usize {
        self.learned.count as usize
    }
}

impl Trial {
    fn given(&self) -> impl Iterator<Item = Observation> {
        self.answers.iter().map(|given| given.learned)
    }

    /// How many answers there are.
    fn count(&self) -> usize {
        self.answers.iter().map(Given::count).sum()
    }
}

/// The answers grouped by pair or single item, in order of first appearance, so the numbering of items does not matter.
fn trials(setting: &Setting<'_>) -> Result<Vec<Trial>> {
    let mut out: Vec<Trial> = Vec::new();
    let mut known: HashMap<Functional, usize> = HashMap::new();
    for answer in setting.answers {
        for learned in setting.model.observe(answer)? {
            let outcomes = outcomes(&setting.model, answer)?;
            let said = said(&setting.model, answer, &learned, &outcomes)?;
            let at = *known.entry(learned.functional).or_insert(out.len());
            if at == out.len() {
                out.push(Trial { functional: learned.functional, answers: Vec::new() });
            }
            out[at].answers.push(Given { learned, outcomes, said });
        }
    }
    Ok(out)
}

/// Which of the outcomes an answer is, and how often.
fn said(
    model: &AnswerModel,
    answer: &Answer,
    learned: &Observation,
    outcomes: &[Observation],
) -> Result<Vec<(usize, f64)>> {
    let place = |one: Observation| match outcomes.iter().position(|outcome| *outcome == one) {
        Some(place) => place,
        None => unreachable!("what was said could be said"),
    };
    if let Outcome::Probability(share) = answer.outcome {
        let plain = [Outcome::First, Outcome::Second].map(|outcome| Answer { outcome, ..answer.clone() });
        let shares = [share.value(), share.opposite().value()];
        return Ok(model.observe_all(&plain)?.into_iter().map(place).zip(shares).collect());
    }
    Ok(vec![(place(Observation { count: 1, ..*learned }), f64::from(learned.count))])
}

/// All outcomes that a judge could have given instead of skipping.
fn outcomes(model: &AnswerModel, answer: &Answer) -> Result<Vec<Observation>> {
    let grades = model.grading().map(|grading| grading.scale().grades().map(Outcome::Grade));
    let tie = (model.tie_width() > 0.0).then_some(Outcome::Tie);
    let words: Vec<Outcome> = match (answer.outcome, answer.second) {
        (Outcome::Grade(_), _) => grades.into_iter().flatten().collect(),
        (_, None) => vec![Outcome::Good, Outcome::Bad],
        (Outcome::FirstWeakly | Outcome::SecondWeakly | Outcome::FirstStrongly | Outcome::SecondStrongly, _) => {
            let strengths =
                [Outcome::FirstWeakly, Outcome::SecondWeakly, Outcome::FirstStrongly, Outcome::SecondStrongly];
            strengths.into_iter().chain(tie).collect()
        }
        (_, Some(_)) => [Outcome::First, Outcome::Second].into_iter().chain(tie).collect(),
    };
    let possible: Vec<Answer> = words.into_iter().map(|outcome| Answer { outcome, ..answer.clone() }).collect();
    model.observe_all(&possible)
}

/// The losses of predictions of held-out answers.
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

    /// The losses of one answer, under this mean and variance of its functional, and this width of ties if it was tuned.
    fn of(given: &Given, mean: f64, variance: f64, tie_width: Option<f64>) -> Self {
        /// Probabilities this close differ only by rounding.
        const SAME: f64 = 1e-12;
        let logs: Vec<f64> =
            given.outcomes.iter().map(|outcome| under(tie_width, outcome).log_mass(mean, variance)).collect();
        let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let likely = |log: f64| log.exp() >= best.exp() - SAME;
        let share = logs.iter().filter(|&&log| likely(log)).count() as f64;
        let mut losses = Self::default();
        for &(said, times) in &given.said {
            let error = if likely(logs[said]) { 1.0 - 1.0 / share } else { 1.0 };
            losses.add(Self { log: -logs[said] * times, error: error * times });
        }
        losses
    }
}

/// A model of some of the kernels.
struct Model<'a> {
    setting: &'a Setting<'a>,
    specs: Vec<KernelSpec>,
    /// None if there is no kernel: then utilities are their prior means.
    kernel: Option<Arc<WeightedSum>>,
    /// The prior mean of every item; None stands for 0.
    prior: Option<Vec<f64>>,
}

/// A tuned kernel, the width of ties if that was tuned, and where tuning ended.
type AsTuned = (Arc<WeightedSum>, Option<f64>, Option<Summit>);

/// A fitted model.
struct Fitted {
    /// None if there is no kernel: then utilities are their prior means.
    belief: Option<super::Ep>,
    log_evidence: f64,
    /// The width of ties, if it was tuned.
    tie_width: Option<f64>,
    /// Where tuning ended.
    summit: Option<Summit>,
}

impl<'a> Model<'a> {
    /// All kernels for 0, else all but this one, counted from 1.
    fn new(setting: &'a Setting<'a>, lack: usize) -> Result<Self> {
        let kept = setting.kernels.iter().enumerate().filter(|(number, _)| number + 1 != lack);
        let specs: Vec<KernelSpec> = kept.map(|(_, spec)| spec.clone()).collect();
        let kernel = if specs.is_empty() { None } else { Some(build(&specs, setting.items, setting.relations)?) };
        let prior = setting.items.prior().map(Prior::mean);
        Ok(Self { setting, specs, kernel: kernel.map(Arc::new), prior })
    }

    /// Fits the model; tunes it first if that is wanted, from where it is best with all answers if there are very many.
    fn fit(&self, observations: &[Observation], how: &How, summit: Option<&Summit>) -> Result<Fitted> {
        let Some(kernel) = &self.kernel else {
            let certain = |one: &Observation| f64::from(one.count) * one.log_mass(self.prior_mean(one.functional), 0.0);
            let log_evidence = observations.iter().map(certain).sum();
            return Ok(Fitted { belief: None, log_evidence, tie_width: None, summit: None });
        };
        let (kernel, tie_width, summit) = match &how.tuning {
            Some(tuning) => self.tuned(observations, tuning, summit)?,
            None => (kernel.clone(), None, None),
        };
        let observations: Vec<Observation> = observations.iter().map(|one| under(tie_width, one)).collect();
        let belief = how.ep.fit(kernel, &observations)?;
        Ok(Fitted { log_evidence: belief.log_evidence(), belief: Some(belief), tie_width, summit })
    }

    /// The prior mean of a functional.
    fn prior_mean(&self, functional: Functional) -> f64 {
        self.prior.as_ref().map_or(0.0, |mean| functional.of(mean))
    }

    /// The kernel, and the width of ties if there are some, tuned on these observations alone: earlier tuning is forgotten.
    fn tuned(&self, observations: &[Observation], tuning: &TuningParams, summit: Option<&Summit>) -> Result<AsTuned> {
        let kernel = build(&self.specs, self.setting.items, self.setting.relations)?;
        let problem = Problem::new(kernel, observations.to_vec()).with_tie_width(self.setting.model.tie_width());
        let mut problem = [match self.setting.items.groups().filter(|_| tuning.by_group) {
            Some(groups) => problem.by_group(groups),
            None => problem,
        }];
        // The space of a summit has these values as its start.
        if summit.is_none() {
            tuning.set_typical(&mut problem)?;
        }
        let (tuned, summit) = tuning.tune_from(&mut problem, summit)?;
        let [problem] = problem;
        let tie_width = tuned.parameters.iter().find(|one| one.name == TIE_WIDTH).map(|one| one.value);
        Ok((Arc::new(problem.kernel), tie_width, summit))
    }

    /// The losses of the held-out trials, after learning from the others.
    fn predict(
        &self,
        trials: &[Trial],
        held_out: impl Fn(usize) -> bool,
        how: &How,
        summit: Option<&Summit>,
    ) -> Result<Vec<(usize, Losses)>> {
        let learned = trials.iter().enumerate().filter(|(number, _)| !held_out(*number));
        let observations: Vec<Observation> = learned.flat_map(|(_, trial)| trial.given()).collect();
        let fitted = self.fit(&observations, how, summit)?;
        let mut column = vec![0.0; self.setting.items.len()];
        let mut out = Vec::new();
        for (number, trial) in trials.iter().enumerate().filter(|(number, _)| held_out(*number)) {
            let (mean, variance) = match &fitted.belief {
                Some(belief) => marginal(belief, trial.functional, &mut column)?,
                None => (self.prior_mean(trial.functional), 0.0),
            };
            let mut losses = Losses::default();
            trial.answers.iter().for_each(|given| losses.add(Losses::of(given, mean, variance, fitted.tie_width)));
            out.push((number, losses));
        }
        Ok(out)
    }
}

/// An observation under another width of ties, if there is one.
fn under(tie_width: Option<f64>, observation: &Observation) -> Observation {
    tie_width.map_or(*observation, |width| observation.with_tie_width(width))
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
        Functional::Beside(..) | Functional::OnScreen(..) => unreachable!("folds are learned without asides"),
    })
}
