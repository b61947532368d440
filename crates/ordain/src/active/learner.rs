//! A belief that learns the answers of a session.

use std::sync::Arc;

use super::{Glicko, Strategy};
use crate::data::{Answer, Outcome};
use crate::gp::{
    AnswerModel, Belief, CovarianceForm, Ep, EpParams, Incremental, Observation, UnderNoise, Workload, asides_of_all,
    last_due,
};
use crate::kernel::{Independent, Kernel, WeightedSum};
use crate::numeric::Matrix;
use crate::watch::{LEARNING, Step};
use crate::words::vocabulary;
use crate::{Error, Result, Watch};

/// The ways in which answers become a belief.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum BeliefKind {
    /// A Gaussian process that takes one step per answer ([`Incremental`]). It runs EP over all answers where an answer
    /// overthrows what was believed.
    Gp,
    /// A Gaussian process that takes one step per answer, and runs EP over all answers whenever their number has grown
    /// by a quarter.
    GpRefined,
    /// A Gaussian process with EP over all answers after every answer.
    GpFull,
    /// Glickman's ratings.
    Glicko {
        /// The deviation of every rating before the first answer. Glickman uses 350.
        deviation: f64,
    },
    /// A Gaussian process with independent items that takes one step per answer. Every item has the kernel's average
    /// variance.
    Independent,
}

vocabulary! { BeliefKind, "belief";
    Gp = "gp", "a Gaussian process that takes one step per answer";
    GpRefined = "gp-refined", "as gp, with all answers learned anew now and then";
    GpFull = "gp-full", "as gp, with all answers learned anew after each answer";
    Glicko { deviation: 350.0 } = "glicko", "Glickman's ratings of items by themselves";
    Independent = "independent", "a Gaussian process in which items are independent";
}

impl BeliefKind {
    /// Ratings with Glickman's own initial deviation.
    pub const GLICKO: Self = Self::Glicko { deviation: 350.0 };
}

/// A belief that learns answers, and perhaps the noise and the thresholds of judges.
#[derive(Clone)]
pub(super) struct Learner {
    kind: BeliefKind,
    /// The form of the covariances of a belief that takes steps, and the workload it serves.
    form: (CovarianceForm, Workload),
    /// The kernel of the items alone.
    items: Arc<dyn Kernel>,
    /// The kernel with asides for the judges so far, if there are asides.
    kernel: Arc<dyn Kernel>,
    /// The answer model, with what was learned of it so far.
    model: AnswerModel,
    /// The answers so far without skips.
    answers: Vec<Answer>,
    observations: Vec<Observation>,
    /// The number of observations in the latest run of EP.
    refined: usize,
    state: State,
}

#[derive(Clone)]
enum State {
    Steps(Box<Incremental>),
    Full(Box<Ep>),
    Ratings(Glicko),
}

/// Counts of answers, and of their votes, after each answer. Only what was told after the first `given` answers counts.
struct Counts {
    given: usize,
    votes: Vec<u64>,
}

impl Counts {
    /// Of answers without skips.
    fn of<'a>(answers: impl Iterator<Item = &'a Answer>, given: usize) -> Self {
        let mut sum = 0;
        let votes = answers.skip(given).map(|answer| {
            sum += answer.outcome.count();
            sum
        });
        Self { given, votes: votes.collect() }
    }

    /// Whether the model is learned after this many answers.
    fn is_due(&self, answers: usize) -> bool {
        let Some(told) = answers.checked_sub(self.given).filter(|&told| told > 0) else { return false };
        let before = told.checked_sub(2).map_or(0, |before| self.votes[before]);
        last_due(self.votes[told - 1]) > last_due(before)
    }
}

/// Whether a belief whose model is learned learns all answers anew after this many: whenever the model is learned, and
/// eight to sixteen times while their number doubles. What was given with the model is learned at once, and does not count.
fn is_refreshed(answers: usize, counts: &Counts, items: usize) -> bool {
    const EIGHTH: u32 = 3;
    const OFTEN: usize = 4;
    if is_relearned(answers, items) {
        return true;
    }
    let Some(told) = answers.checked_sub(counts.given) else { return false };
    if told == 0 {
        return counts.given > 0;
    }
    let step = 1 << told.ilog2().saturating_sub(EIGHTH);
    counts.is_due(answers) || told.is_multiple_of(step.max(OFTEN))
}

/// Whether a belief that takes one step per answer learns all answers anew after this many: where there are very many answers per
/// item, most of them repeat others, and EP over the different ones costs less than a few steps per item.
fn is_relearned(answers: usize, items: usize) -> bool {
    const MANY: usize = 32;
    const EVERY: usize = 4;
    answers > MANY * items && answers.is_multiple_of((EVERY * items).max(1))
}

/// The number of answers from which EP is worth its cost.
const FIRST_REFINEMENT: usize = 10;

impl Learner {
    /// The belief before any answer. This strategy will ask it for pairs.
    pub(super) fn new(
        kind: BeliefKind,
        form: CovarianceForm,
        strategy: Strategy,
        kernel: Arc<dyn Kernel>,
        model: AnswerModel,
    ) -> Result<Self> {
        let items = if kind == BeliefKind::Independent { independent(kernel.as_ref())? } else { kernel };
        // Ratings are of items alone.
        let model = if matches!(kind, BeliefKind::Glicko { .. }) { model.with_sides(false) } else { model };
        Self::before(kind, (form, strategy.workload()), items, model, &[])
    }

    /// The belief before any answer, with asides for the judges of these.
    fn before(
        kind: BeliefKind,
        form: (CovarianceForm, Workload),
        items: Arc<dyn Kernel>,
        model: AnswerModel,
        answers: &[&Answer],
    ) -> Result<Self> {
        let (model, kernel) = model.seated(&items, answers)?;
        let model = model.learned(kernel.as_ref(), &[], &Watch::NONE)?;
        let state = prior(kind, form, &kernel)?;
        let (answers, observations) = (Vec::new(), Vec::new());
        Ok(Self { kind, form, items, kernel, model, answers, observations, refined: 0, state })
    }

    /// Changes the form of the covariances. The belief forgets all answers.
    pub(super) fn set_form(&mut self, form: CovarianceForm, strategy: Strategy) -> Result<()> {
        self.form = (form, strategy.workload());
        *self = self.fresh()?;
        Ok(())
    }

    /// The same before any answer.
    pub(super) fn fresh(&self) -> Result<Self> {
        self.fresh_for(&[])
    }

    /// The same before any answer, with asides for the judges of these.
    fn fresh_for(&self, answers: &[&Answer]) -> Result<Self> {
        Self::before(self.kind, self.form, self.items.clone(), self.model.clone(), answers)
    }

    /// Learns from answers, one after the other. If one cannot be learned, the belief has learned some of those before it.
    pub(super) fn learn_all(&mut self, answers: &[&Answer], watch: &Watch) -> Result<()> {
        let mut from = 0;
        let takes_asides = self.model.sides() || asides_of_all(answers.iter().copied()) > 0;
        if takes_asides && self.observations.is_empty() {
            *self = self.fresh_for(answers)?;
        }
        if self.adapts() && self.observations.is_empty() {
            // A belief that is refreshed does not depend on what it was before.
            let said: Vec<usize> = (0..answers.len()).filter(|&at| answers[at].outcome != Outcome::Skip).collect();
            let counts = Counts::of(said.iter().map(|&at| answers[at]), self.model.given());
            let last = (1..=said.len()).rev().find(|&count| is_refreshed(count, &counts, self.items.len()));
            let until = last.map_or(0, |count| said[count - 1] + 1);
            let mut there = self.fresh_for(answers)?;
            there.answers = said[..last.unwrap_or(0)].iter().map(|&at| answers[at].clone()).collect();
            there.model = there.model.after_screens(&there.answers);
            there.learn_model(watch)?;
            // Where EP does not converge, the way there matters.
            if until > 0 && there.refresh().is_ok() {
                (*self, from) = (there, until);
            }
        }
        if !self.adapts() && matches!(self.kind, BeliefKind::Gp | BeliefKind::Independent) {
            return self.step_through(&answers[from..], watch);
        }
        for (done, answer) in answers.iter().enumerate().skip(from) {
            watch.step(|| Step::new(LEARNING, done, answers.len()))?;
            self.learn(answer)?;
        }
        Ok(())
    }

    /// Takes a step per answer, where nothing else is learned.
    fn step_through(&mut self, answers: &[&Answer], watch: &Watch) -> Result<()> {
        let observations = self.model.observe_more(answers.iter().copied())?;
        let State::Steps(steps) = &mut self.state else { return Ok(()) };
        let (known, items) = (self.observations.len(), self.items.len());
        self.observations.extend(&observations);
        self.answers.extend(answers.iter().filter(|answer| !answer.is_skip()).map(|&answer| answer.clone()));
        self.model = self.model.clone().after_screens(answers.iter().copied());
        let mut from = 0;
        // A belief that is learned anew does not depend on what it was before. Where EP does not converge, the way there matters.
        let due = |count: &usize| is_relearned(known + count, items);
        for count in (1..=observations.len()).rev().filter(due) {
            if let Ok(anew) = steps.anew(&self.kernel, self.observations[..known + count].to_vec()) {
                (**steps, from) = (anew, count);
                break;
            }
        }
        let done = |done: usize| watch.step(|| Step::new(LEARNING, from + done, observations.len()));
        steps.learn_all(&observations[from..], &self.kernel, done)
    }

    /// Whether the model is learned with the utilities. Ratings have their own.
    fn adapts(&self) -> bool {
        self.model.adapts() && !matches!(self.state, State::Ratings(_))
    }

    /// Learns the model that fits the answers up to the last count after which it is learned.
    fn learn_model(&mut self, watch: &Watch) -> Result<()> {
        let answers: Vec<&Answer> = self.answers.iter().collect();
        self.model = self.model.clone().learned(self.kernel.as_ref(), &answers, watch)?;
        Ok(())
    }

    /// Learns all answers anew by EP.
    fn refresh(&mut self) -> Result<()> {
        let observations = self.model.observe_all(&self.answers)?;
        self.state = match &self.state {
            State::Steps(steps) => State::Steps(Box::new(steps.anew(&self.kernel, observations.clone())?)),
            State::Full(_) => State::Full(Box::new(EpParams::default().fit(self.kernel.clone(), &observations)?)),
            State::Ratings(_) => return Ok(()),
        };
        self.refined = observations.len();
        self.observations = observations;
        Ok(())
    }

    /// Learns from an answer. Skips teach nothing. If the answer cannot be learned, the belief stays as it was.
    pub(super) fn learn(&mut self, answer: &Answer) -> Result<()> {
        if !self.model.has_room_for(answer) {
            return self.learn_with_more_asides(answer);
        }
        let observations: Vec<Observation> = self.model.observe(answer)?.collect();
        if observations.is_empty() {
            return Ok(());
        }
        let before = self.model.clone();
        let Some(model) = before.clone().seating(answer) else { return self.learn_with_more_asides(answer) };
        self.model = model;
        self.answers.push(answer.clone());
        let learned = if self.adapts() { self.learn_with_model(answer) } else { self.step_each(answer, &observations) };
        match learned {
            Ok(()) => self.model = self.model.clone().after_screens([answer]),
            Err(_) => {
                self.answers.pop();
                self.model = before;
            }
        }
        learned
    }

    /// Learns everything anew, with twice as many asides as before: for the judge of this answer, or for its screen, there is none left.
    fn learn_with_more_asides(&mut self, answer: &Answer) -> Result<()> {
        let answers: Vec<&Answer> = self.answers.iter().chain([answer]).collect();
        let mut anew = self.fresh_for(&answers)?;
        anew.learn_all(&answers, &Watch::NONE)?;
        *self = anew;
        Ok(())
    }

    /// Learns from the latest answer, where the model is learned too.
    fn learn_with_model(&mut self, answer: &Answer) -> Result<()> {
        let (count, counts) = (self.answers.len(), Counts::of(self.answers.iter(), self.model.given()));
        if counts.is_due(count) {
            self.learn_model(&Watch::NONE)?;
        }
        // If EP does not converge, a step is the best there is.
        if is_refreshed(count, &counts, self.items.len()) && self.refresh().is_ok() {
            return Ok(());
        }
        let observations: Vec<Observation> = self.model.observe(answer)?.collect();
        self.step_each(answer, &observations)
    }

    /// Learns from the observations that an answer made, or from none of them.
    fn step_each(&mut self, answer: &Answer, observations: &[Observation]) -> Result<()> {
        if let (State::Ratings(ratings), true) = (&mut self.state, answer.outcome.is_choice()) {
            // Ratings count the comparisons of a screen as games.
            answer.preferences().into_iter().for_each(|(better, other)| ratings.compare(better, other, 1.0));
            self.observations.extend(observations);
            return Ok(());
        }
        if let (State::Ratings(ratings), Some(second)) = (&mut self.state, answer.second) {
            let share = match answer.outcome {
                Outcome::Probability(share) => share.value(),
                Outcome::Votes(votes) => votes.share(),
                // A tie is half of a victory.
                other => match other.plain() {
                    Some(Outcome::First) => 1.0,
                    plain => f64::from(plain == Some(Outcome::Tie)) / 2.0,
                },
            };
            ratings.compare(answer.first, second, share);
            self.observations.extend(observations);
            return Ok(());
        }
        let before = (observations.len() > 1).then(|| self.clone());
        let learned = observations.iter().try_for_each(|&observation| self.step(answer, observation));
        if let (Err(_), Some(before)) = (&learned, before) {
            *self = before;
        }
        learned
    }

    /// Learns from one more observation, which an answer made.
    fn step(&mut self, answer: &Answer, observation: Observation) -> Result<()> {
        match &mut self.state {
            State::Ratings(_) => {
                return Err(Error::Data {
                    what: "an answer for ratings",
                    found: answer.outcome.to_string(),
                    expected: "a comparison of two items".into(),
                });
            }
            State::Steps(steps) => {
                let due = self.refined + (self.refined / 4).max(FIRST_REFINEMENT);
                if self.kind == BeliefKind::GpRefined && self.observations.len() + 1 >= due {
                    let ep = fit_with(&self.kernel, &mut self.observations, observation)?;
                    **steps = Incremental::from_belief(&ep)?;
                    self.refined = self.observations.len();
                } else {
                    steps.learn(&observation, &self.kernel)?;
                    self.observations.push(observation);
                    if is_relearned(self.observations.len(), self.items.len())
                        && let Ok(anew) = steps.anew(&self.kernel, self.observations.clone())
                    {
                        **steps = anew;
                    }
                }
            }
            State::Full(ep) => **ep = fit_with(&self.kernel, &mut self.observations, observation)?,
        }
        Ok(())
    }

    /// What EP over all answers at once believes, if that is not what this belief is anyway. Ratings have no such thing.
    pub(super) fn all_at_once(&self) -> Result<Option<Ep>> {
        match &self.state {
            State::Ratings(_) | State::Full(_) => Ok(None),
            State::Steps(_) if self.adapts() => {
                let observations = self.model.observe_all(&self.answers)?;
                EpParams::default().fit(self.kernel.clone(), &observations).map(Some)
            }
            State::Steps(_) => EpParams::default().fit(self.kernel.clone(), &self.observations).map(Some),
        }
    }

    /// The beliefs under all noises that the answers allow.
    pub(super) fn under_noises(&self) -> Result<Vec<UnderNoise>> {
        let answers: Vec<&Answer> = self.answers.iter().collect();
        self.model.under_noises(&self.kernel, &answers, &Watch::NONE)
    }

    /// The answer model, with the noise that was learned so far if it is learned.
    pub(super) fn model(&self) -> &AnswerModel {
        &self.model
    }

    /// The belief that takes one step per answer, if it is one.
    pub(super) fn steps(&self) -> Option<&Incremental> {
        match &self.state {
            State::Steps(steps) => Some(steps.as_ref()),
            State::Full(_) | State::Ratings(_) => None,
        }
    }

    /// The current belief.
    pub(super) fn belief(&self) -> &dyn Belief {
        match &self.state {
            State::Steps(steps) => steps.as_ref(),
            State::Full(ep) => ep.as_ref(),
            State::Ratings(ratings) => ratings,
        }
    }
}

/// A belief, how utilities become answers, and the kernel of the coordinates that the belief is about.
pub(crate) struct Learned {
    pub(crate) belief: Box<dyn Belief>,
    pub(crate) answer_model: AnswerModel,
    pub(crate) kernel: Arc<dyn Kernel>,
}

/// What a session believes after these answers if the model is learned, the answer model that it has learned, and the kernel with the
/// asides of judges if there are any.
pub(crate) fn learn_in_session(
    kernel: Arc<dyn Kernel>,
    model: AnswerModel,
    answers: &[&Answer],
    watch: &Watch,
) -> Result<Learned> {
    let mut learner = Learner::new(BeliefKind::Gp, CovarianceForm::Automatic, Strategy::Random, kernel, model)?;
    learner.learn_all(answers, watch)?;
    let belief: Box<dyn Belief> = match learner.state {
        State::Steps(steps) => steps,
        State::Full(ep) => ep,
        State::Ratings(ratings) => Box::new(ratings),
    };
    Ok(Learned { belief, answer_model: learner.model, kernel: learner.kernel })
}

/// Runs EP over the observations and one more, and then adds that one to them. If it cannot be learned, the
/// observations stay as they were.
fn fit_with(kernel: &Arc<dyn Kernel>, observations: &mut Vec<Observation>, one: Observation) -> Result<Ep> {
    observations.push(one);
    let fitted = EpParams::default().fit(kernel.clone(), observations);
    if fitted.is_err() {
        observations.pop();
    }
    fitted
}

fn prior(kind: BeliefKind, (form, workload): (CovarianceForm, Workload), kernel: &Arc<dyn Kernel>) -> Result<State> {
    Ok(match kind {
        BeliefKind::Gp | BeliefKind::GpRefined | BeliefKind::Independent => {
            State::Steps(Box::new(Incremental::in_form(kernel.clone(), form, workload)?))
        }
        BeliefKind::GpFull => State::Full(Box::new(EpParams::default().fit(kernel.clone(), &[])?)),
        BeliefKind::Glicko { deviation } => State::Ratings(Glicko::new(kernel.items(), deviation)),
    })
}

/// A kernel of independent items. Every item has its own mean and the average variance of the given kernel.
fn independent(kernel: &dyn Kernel) -> Result<Arc<dyn Kernel>> {
    let mut variances = vec![0.0; kernel.len()];
    kernel.diagonal(&mut variances)?;
    let mean = variances.iter().sum::<f64>() / variances.len().max(1) as f64;
    let part: Box<dyn Kernel> = Box::new(Independent::new(kernel.len()));
    // If all variances are 0, the weight must still be positive.
    let alone = WeightedSum::new(vec![(mean.sqrt().max(f64::MIN_POSITIVE.sqrt()), part)])?;
    Ok(Arc::new(match kernel.mean() {
        Some(known) => alone.with_mean(Matrix::from_fn(known.len(), 1, |item, _| known[item]), vec![1.0])?,
        None => alone,
    }))
}
