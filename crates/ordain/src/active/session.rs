//! Ask, be told, ask again.

use std::sync::Arc;

use rand::RngExt;

use super::learner::Learner;
use super::{
    Asking, BeliefKind, Candidates, Certainty, CertaintyParams, Outlook, Question, Span, StopRule, Strategy, certainty,
    choose, choose_many,
};
use crate::data::{Answer, AnswerLog, Groups, ItemId, check_pair};
use crate::gp::{AnswerModel, Belief, CovarianceForm, by_falling_mean};
use crate::kernel::Kernel;
use crate::numeric::{Purpose, Seed, Stream};
use crate::params::setters;
use crate::watch::{LEARNING, Step};
use crate::{Error, Result, Watch};

/// How a session works.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionParams {
    /// Which pair is asked.
    pub strategy: Strategy,
    /// How answers become a belief.
    pub belief: BeliefKind,
    /// Whether a pair that was answered may be asked again. One that was skipped is not asked again in any case.
    pub repeat: bool,
    /// What decides among pairs that are as good.
    pub seed: Seed,
}

impl SessionParams {
    /// A session that asks by this strategy: a Gaussian process, no pair again, seed 1.
    pub fn new(strategy: Strategy) -> Self {
        Self { strategy, belief: BeliefKind::Gp, repeat: false, seed: Seed(1) }
    }
}

setters! {
    SessionParams:
    with_belief = belief: BeliefKind,
    with_repeat = repeat: bool,
    with_seed = seed: Seed,
}

/// A belief that asks.
///
/// What it asks depends on the standing answers, the settings and the seed alone: a session that is resumed from its log, or that
/// took an answer back, asks what one would ask that was never interrupted or never heard the answer, to the last bit.
///
/// ```
/// use std::sync::Arc;
/// use ordain::active::{CertaintyParams, Session, SessionParams, StopRule, Strategy};
/// use ordain::data::{Answer, Goal, Outcome};
/// use ordain::gp::AnswerModel;
/// use ordain::kernel::Independent;
///
/// let params = SessionParams::new(Strategy::ExpectedLoss { focus: 0.1 });
/// let mut session = Session::new(Arc::new(Independent::new(4)), None, AnswerModel::default(), params)?;
/// while let Some(question) = session.ask()? {
///     // This judge prefers the item with the smaller number.
///     let outcome = if question.first < question.second { Outcome::First } else { Outcome::Second };
///     session.tell(Answer::new(question.first, Some(question.second), outcome)?)?;
/// }
/// assert!(session.belief().mean().is_sorted_by(|a, b| a > b));
///
/// // The whole order, but for one of the six pairs at most.
/// let rule = StopRule::new(Goal::WholeOrder).with_error(0.17).with_target(0.5);
/// assert!(session.is_settled(&rule, &CertaintyParams::default())?);
/// # Ok::<(), ordain::Error>(())
/// ```
pub struct Session {
    params: SessionParams,
    model: AnswerModel,
    groups: Option<Groups>,
    /// Pairs that may be asked, before any answer,
    allowed: Candidates,
    /// and now.
    candidates: Candidates,
    learner: Learner,
    answers: Vec<Answer>,
}

impl Session {
    /// A session about a kernel's items, in which no answer was given yet. Only items of the same group are compared.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, or the groups are of other items.
    pub fn new(
        kernel: Arc<dyn Kernel>,
        groups: Option<Groups>,
        model: AnswerModel,
        params: SessionParams,
    ) -> Result<Self> {
        let grouped: Option<usize> = groups.as_ref().map(|groups| groups.sizes().sum());
        if let Some(found) = grouped.filter(|&count| count != kernel.len()) {
            return Err(Error::Data {
                what: "the items of the groups",
                found: found.to_string(),
                expected: format!("{}, as many as the kernel has", kernel.len()),
            });
        }
        let learner = Learner::new(params.belief, CovarianceForm::Automatic, params.strategy, kernel, model)?;
        let allowed = Candidates::new(groups.clone());
        let candidates = allowed.clone();
        Ok(Self { params, model, groups, allowed, candidates, learner, answers: Vec::new() })
    }

    /// The same session before its first answer, whose belief holds its covariances in this form.
    ///
    /// # Errors
    /// If there are answers already, or the kernel cannot be evaluated.
    pub fn with_form(mut self, form: CovarianceForm) -> Result<Self> {
        if !self.answers.is_empty() {
            return Err(Error::Data {
                what: "a session whose form is to be chosen",
                found: format!("{} answers", self.answers.len()),
                expected: "none yet".into(),
            });
        }
        self.learner.set_form(form, self.params.strategy)?;
        Ok(self)
    }

    /// The same session, which asks only these pairs.
    ///
    /// # Errors
    /// If a pair is of one item, of items that are not there, or of items of two groups.
    pub fn with_pool(mut self, pool: &[(ItemId, ItemId)]) -> Result<Self> {
        pool.iter().try_for_each(|&(first, second)| self.check_pair(first, second))?;
        self.allowed = self.allowed.with_pool(pool.iter().copied());
        self.candidates = self.candidates.with_pool(pool.iter().copied());
        Ok(self)
    }

    /// Learns the standing answers of a log, in their order.
    ///
    /// # Errors
    /// As [`Session::tell`]; the session has then learned the answers before the one that is wrong.
    pub fn resume(&mut self, log: &AnswerLog) -> Result<()> {
        self.resume_watched(log, &Watch::NONE)
    }

    /// As [`Session::resume`], followed by a watch.
    pub(crate) fn resume_watched(&mut self, log: &AnswerLog, watch: &Watch) -> Result<()> {
        let standing = log.standing();
        for (done, answer) in standing.iter().enumerate() {
            watch.step(|| Step::new(LEARNING, done, standing.len()))?;
            self.tell((*answer).clone())?;
        }
        Ok(())
    }

    /// The next pair; none if no pair is left. Asking again without an answer gives the same pair.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    pub fn ask(&self) -> Result<Option<Question>> {
        let mut stream = self.choice_after(self.answers.len());
        choose(self.belief(), &self.model, self.params.strategy, &self.candidates, &mut stream)
    }

    /// Does in advance what the answer to a question, and the question after it, will need, while the judge thinks: solves for
    /// columns of kernels over links, for either outcome. Changes nothing but how long [`Session::tell`] and [`Session::ask`] take; where
    /// the kernel gives its covariances one by one there is nothing to do.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    pub fn prefetch(&self, question: &Question) -> Result<()> {
        let Some(steps) = self.learner.steps().filter(|steps| steps.has_dear_columns()) else { return Ok(()) };
        steps.prefetch(question.first, question.second)?;
        let mut candidates = self.candidates.clone();
        if !self.params.repeat {
            candidates.exclude(question.first, question.second);
        }
        for (winner, loser) in [(question.first, question.second), (question.second, question.first)] {
            let mut after = steps.clone();
            after.observe(&self.model.preferred(winner, loser))?;
            // What it looks at stays at hand.
            let mut stream = self.choice_after(self.answers.len() + 1);
            if let Some(next) = choose(&after, &self.model, self.params.strategy, &candidates, &mut stream)? {
                after.prefetch(next.first, next.second)?;
            }
        }
        Ok(())
    }

    /// This many different pairs that are worth asking at once, the best first; fewer if fewer are left. Each is chosen as if the answers
    /// to those before it had come, as far as one can tell without them.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    pub fn ask_many(&self, count: usize) -> Result<Vec<Question>> {
        self.ask_beside(&[], count)
    }

    /// As [`Session::ask_many`], while these pairs are already being asked elsewhere.
    ///
    /// # Errors
    /// If a pair is none, or the kernel cannot give a column.
    pub fn ask_beside(&self, pending: &[(ItemId, ItemId)], count: usize) -> Result<Vec<Question>> {
        pending.iter().try_for_each(|&(first, second)| self.check_pair(first, second))?;
        let mut stream = self.choice_after(self.answers.len());
        let strategy = self.params.strategy;
        choose_many(self.belief(), &self.model, strategy, self.candidates.clone(), pending, count, &mut stream)
    }

    /// Learns an answer, whether or not it was asked for.
    ///
    /// # Errors
    /// If items are not there or not of one group, it is a tie and ties have no width, or the belief cannot take it. The
    /// session is then as it was.
    pub fn tell(&mut self, answer: Answer) -> Result<()> {
        answer.check(self.belief().len(), self.groups.as_ref())?;
        self.learner.learn(&answer)?;
        self.candidates.rule_out(&answer, self.params.repeat);
        self.answers.push(answer);
        Ok(())
    }

    /// Takes back the latest standing answer of a judge, which is returned; none if there is none. The session is then exactly the one
    /// that never heard it: everything is learned again without it.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated. The session is then as it was.
    pub fn undo(&mut self, judge: Option<&str>) -> Result<Option<Answer>> {
        let Some(at) = self.answers.iter().rposition(|answer| answer.judge.as_deref() == judge) else {
            return Ok(None);
        };
        let mut learner = self.learner.fresh()?;
        let mut candidates = self.allowed.clone();
        for answer in self.answers.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, answer)| answer) {
            learner.learn(answer)?;
            candidates.rule_out(answer, self.params.repeat);
        }
        (self.learner, self.candidates) = (learner, candidates);
        Ok(Some(self.answers.remove(at)))
    }

    /// How settled the ranking of every group is.
    ///
    /// # Errors
    /// As [`certainty()`].
    pub fn certainty(&self, params: &CertaintyParams) -> Result<Vec<Certainty>> {
        certainty(self.belief(), self.groups.as_ref(), params)
    }

    /// Whether enough was answered.
    ///
    /// # Errors
    /// As [`certainty()`].
    pub fn is_settled(&self, rule: &StopRule, params: &CertaintyParams) -> Result<bool> {
        Ok(rule.is_met(&self.certainty(params)?))
    }

    /// What is believed now.
    pub fn belief(&self) -> &dyn Belief {
        self.learner.belief()
    }

    /// Which item of a question stands left and which right. It is drawn, so that no habit of the judge favours either.
    pub fn sides(&self, question: &Question) -> [ItemId; 2] {
        let mut stream = self.params.seed.stream(Purpose::Sides { answers: self.answers.len() });
        let (first, second) = (question.first, question.second);
        if stream.random::<bool>() { [first, second] } else { [second, first] }
    }

    /// The items ranked first among those of an item's group, at most so many.
    pub fn first_few(&self, item: ItemId, count: usize) -> Vec<ItemId> {
        let mean = self.belief().mean();
        let order = match &self.groups {
            None => by_falling_mean(0..mean.len(), mean),
            Some(groups) => by_falling_mean(groups.members(groups.of(item)).iter().map(|item| item.index()), mean),
        };
        order.into_iter().take(count).map(ItemId::new).collect()
    }

    /// What a forecast from here needs, for somebody who asks under these settings.
    ///
    /// # Errors
    /// If the belief cannot give its covariances.
    pub fn outlook(&self, rule: StopRule, span: Span) -> Result<Outlook> {
        let SessionParams { strategy, repeat, seed, .. } = self.params;
        let asking = Asking { goal: rule.goal, strategy, repeat, seed };
        Outlook::new(self.belief(), self.groups.as_ref(), self.model, &asking, self.candidates.clone(), rule, span)
    }

    /// The standing answers in order, skips included.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// The settings.
    pub fn params(&self) -> &SessionParams {
        &self.params
    }

    /// What decides among equally good pairs after so many answers.
    fn choice_after(&self, answers: usize) -> Stream {
        self.params.seed.stream(Purpose::Choice { answers })
    }

    fn check_pair(&self, first: ItemId, second: ItemId) -> Result<()> {
        check_pair(first, second, self.belief().len(), self.groups.as_ref())
    }
}
