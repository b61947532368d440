//! Sessions: ask a pair, learn the answer, ask again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rand::RngExt;

use super::grade_question::{grade_instead, grade_is_closed};
use super::learner::Learner;
use super::standing::{Counted, Looks};
use super::{
    BeliefKind, Candidates, Certainty, CertaintyParams, GradeQuestion, Outlook, Question, ScreenQuestion, Span,
    StopRule, Strategy, certainty, choose, choose_many, choose_screens,
};
use crate::data::{Answer, AnswerLog, Groups, ItemId, Outcome, check_pair};
use crate::gp::{AnswerModel, Belief, CovarianceForm, by_falling_mean};
use crate::kernel::Kernel;
use crate::numeric::{Purpose, Seed, Stream};
use crate::params::setters;
use crate::watch::{LEARNING, Step};
use crate::{Error, Result, Watch};

/// Parameters of a session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionParams {
    /// The strategy that chooses the pairs.
    pub strategy: Strategy,
    /// The way in which answers become a belief.
    pub belief: BeliefKind,
    /// Whether a pair that was answered may be asked again. If the noise is learned, a pair may be asked again in any case while another
    /// answer tells something ([`AnswerModel::telling_lead`]), or if it decides the goal. A skipped pair is never asked again.
    pub repeat: bool,
    /// Whether single items may be asked for their grade. The answer model must have grades.
    pub grades: bool,
    /// The seed of the draws among equally good pairs.
    pub seed: Seed,
    /// The rule that ends the session. If the noise is learned, the session asks answers again where only an inconsistent judge
    /// stands between it and the goal ([`Session::standing`]).
    pub rule: Option<StopRule>,
    /// The judge for whom questions are chosen, by what is known of his noise; any judge if there is none.
    pub judge: Option<String>,
}

impl SessionParams {
    /// Parameters for this strategy: a Gaussian process, no pair twice, seed 1, no stop rule.
    pub fn new(strategy: Strategy) -> Self {
        Self { strategy, belief: BeliefKind::Gp, repeat: false, grades: false, seed: Seed(1), rule: None, judge: None }
    }
}

setters! {
    SessionParams:
    with_belief = belief: BeliefKind,
    with_repeat = repeat: bool,
    with_grades = grades: bool,
    with_seed = seed: Seed,
    with_rule = rule: Option<StopRule>,
    with_judge = judge: Option<String>,
}

/// A belief that asks questions and learns the answers.
///
/// The next pair depends only on the standing answers, the settings and the seed. A session that is resumed from its log
/// asks exactly the pairs that an uninterrupted one would ask. A session that took back an answer asks exactly the pairs
/// that it would ask if it had never heard that answer. Both hold to the last bit.
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
/// // The whole order, with at most one of the six pairs wrong.
/// let rule = StopRule::new(Goal::WholeOrder).with_error(0.17).with_target(0.5);
/// assert!(session.is_settled(&rule, &CertaintyParams::default())?);
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Clone)]
pub struct Session {
    pub(super) params: SessionParams,
    pub(super) groups: Option<Groups>,
    /// The pairs that may be asked before any answer.
    pub(super) allowed: Candidates,
    /// The pairs that may be asked now.
    pub(super) candidates: Candidates,
    pub(super) learner: Learner,
    pub(super) answers: Vec<Answer>,
    /// How it looks at its goal.
    pub(super) looks: Looks,
    /// What was counted since the latest answer.
    pub(super) counted: Counted,
    /// The sessions after either answer to the present question, if they were prepared.
    ahead: Ahead,
}

/// The sessions after either answer. A clone has none.
#[derive(Default)]
struct Ahead(Mutex<Option<Box<[Session; 2]>>>);

impl Clone for Ahead {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Ahead {
    fn lock(&self) -> MutexGuard<'_, Option<Box<[Session; 2]>>> {
        // Nothing can panic while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&mut self) -> Option<Box<[Session; 2]>> {
        self.lock().take()
    }
}

/// Whether two answers prefer the same of the same two items.
fn says_the_same(one: &Answer, other: &Answer) -> bool {
    let turned = |answer: &Answer| {
        let second = answer.second?;
        match answer.outcome {
            Outcome::First => Some((answer.first, second)),
            Outcome::Second => Some((second, answer.first)),
            _ => None,
        }
    };
    turned(one).is_some_and(|one| turned(other) == Some(one))
}

impl Session {
    /// A session about a kernel's items, without answers. Only items of the same group are compared.
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
        Ok(Self {
            params,
            groups,
            allowed,
            candidates,
            learner,
            answers: Vec::new(),
            looks: Looks::CLOSE,
            counted: Counted::default(),
            ahead: Ahead::default(),
        })
    }

    /// Chooses the form in which the belief holds its covariances. The session must have no answers yet.
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
        self.forget();
        Ok(self)
    }

    /// Restricts the session to these pairs.
    ///
    /// # Errors
    /// If a pair names an item twice, an unknown item, or items of two groups.
    pub fn with_pool(mut self, pool: &[(ItemId, ItemId)]) -> Result<Self> {
        pool.iter().try_for_each(|&(first, second)| self.check_pair(first, second))?;
        self.allowed = self.allowed.with_pool(pool.iter().copied());
        self.candidates = self.candidates.with_pool(pool.iter().copied());
        self.forget();
        Ok(self)
    }

    /// Never asks these pairs.
    pub(crate) fn without_pairs(mut self, pairs: &[(ItemId, ItemId)]) -> Self {
        for &(first, second) in pairs {
            self.allowed.exclude(first, second);
            self.candidates.exclude(first, second);
        }
        self.forget();
        self
    }

    /// Learns the standing answers of a log, in their order.
    ///
    /// # Errors
    /// As [`Session::tell`]. The session has then learned none of them, or those before the wrong one if it had answers already.
    pub fn resume(&mut self, log: &AnswerLog) -> Result<()> {
        self.resume_watched(&log.standing(), &Watch::NONE)
    }

    /// As [`Session::resume`], followed by a watch.
    pub(crate) fn resume_watched(&mut self, standing: &[&Answer], watch: &Watch) -> Result<()> {
        if !self.answers.is_empty() {
            for (done, answer) in standing.iter().enumerate() {
                watch.step(|| Step::new(LEARNING, done, standing.len()))?;
                self.tell((*answer).clone())?;
            }
            return Ok(());
        }
        let (count, groups) = (self.belief().len(), self.groups.as_ref());
        standing.iter().try_for_each(|answer| answer.check(count, groups))?;
        let mut learner = self.learner.fresh()?;
        learner.learn_all(standing, watch)?;
        self.learner = learner;
        standing.iter().for_each(|answer| self.candidates.rule_out(answer, self.params.repeat));
        self.candidates.ask_again(self.learner.model(), self.params.judge.as_deref());
        self.answers = standing.iter().map(|&answer| answer.clone()).collect();
        self.forget();
        Ok(())
    }

    /// The next pair, or `None` if no pair is left. Asking again without an answer gives the same pair.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    pub fn ask(&self) -> Result<Option<Question>> {
        if self.counted.next.get().is_none() {
            // If another thread was faster, it found the same.
            let _ = self.counted.next.set(self.chosen()?);
        }
        Ok(self.counted.next.get().copied().flatten())
    }

    /// The item of a pair that is worth asking whose grade tells more than comparing the two, if there is one and grades are asked.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    pub fn grade_instead(&self, question: &Question) -> Result<Option<GradeQuestion>> {
        let asked = |item| grade_is_closed(&self.answers, item, self.params.repeat);
        match self.params.grades {
            true => grade_instead(self.belief(), self.model(), question, asked),
            false => Ok(None),
        }
    }

    fn chosen(&self) -> Result<Option<Question>> {
        if let Some(decisive) = self.decisive()? {
            return Ok(Some(decisive));
        }
        let mut stream = self.choice_after(self.answers.len());
        choose(self.belief(), &self.asked_model()?, self.params.strategy, &self.candidates, &mut stream)
    }

    /// How the judge answers for whom questions are chosen.
    fn asked_model(&self) -> Result<AnswerModel> {
        self.model().of_judge(self.params.judge.as_deref())
    }

    /// Prepares the next step while the judge thinks: for either outcome, the session learns it, chooses the next pair and counts how
    /// near the goal is. This only makes [`Session::tell`] and [`Session::ask`] faster. Takes the memory of two more sessions until
    /// the answer; where columns of kernels over links are dear, only these are kept.
    ///
    /// # Errors
    /// If an outcome cannot be learned, or the kernel cannot give a column.
    pub fn prefetch(&self, question: &Question) -> Result<()> {
        let dear = self.learner.steps().filter(|steps| steps.has_dear_columns());
        if let Some(steps) = dear {
            steps.prefetch(question.first, question.second)?;
        }
        // As the judge to come would give it, if the question is shown to him.
        let judge = self.judge_to_come();
        let [left, right] = self.sides(question);
        let after = |outcome: Outcome| -> Result<Self> {
            let mut after = self.clone();
            after.tell(Answer::new(left, Some(right), outcome)?.by(judge.as_str()))?;
            let next = after.ask()?;
            if let (Some(next), Some(steps)) = (next, after.learner.steps().filter(|_| dear.is_some())) {
                steps.prefetch(next.first, next.second)?;
            }
            if dear.is_none() {
                after.standing()?;
            }
            Ok(after)
        };
        let (first, second) = rayon::join(|| after(Outcome::First), || after(Outcome::Second));
        let ahead = [first?, second?];
        if dear.is_none() {
            *self.ahead.lock() = Some(Box::new(ahead));
        }
        Ok(())
    }

    /// The session after this answer, if it was prepared.
    fn prepared(&mut self, answer: &Answer) -> Option<Self> {
        let ahead = self.ahead.take()?;
        let (learns, sides) = (self.model().learns(), self.model().sides());
        let is_known = |last: &Answer| {
            says_the_same(last, answer)
                && (!(learns || sides) || last.judge == answer.judge)
                && (!sides || last.first == answer.first)
        };
        let is_same = |session: &Self| session.answers.last().is_some_and(is_known);
        let mut session = ahead.into_iter().find(is_same)?;
        *session.answers.last_mut()? = answer.clone();
        Some(session)
    }

    /// Up to `count` different pairs to ask at the same time, the best first. There are fewer if fewer are left. Each
    /// pair is chosen from the belief that is expected once the pairs before it are answered.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    pub fn ask_many(&self, count: usize) -> Result<Vec<Question>> {
        self.ask_beside(&[], count)
    }

    /// Up to `count` screens of this many items to show at the same time, the best first: see [`choose_screens`]. The first grows from the pair
    /// that [`Session::ask`] names.
    ///
    /// # Errors
    /// As [`choose_screens`].
    pub fn ask_screens(&self, shown: usize, count: usize) -> Result<Vec<ScreenQuestion>> {
        let mut stream = self.choice_after(self.answers.len());
        let Some(seed) = self.ask()? else { return Ok(Vec::new()) };
        let (strategy, candidates) = (self.params.strategy, self.candidates.clone());
        let model = self.asked_model()?;
        choose_screens(self.belief(), &model, strategy, candidates, Some(seed), [shown, count], &mut stream)
    }

    /// The items of a screen in the order in which they are shown, drawn at random.
    pub fn arranged(&self, screen: &ScreenQuestion) -> Vec<ItemId> {
        screen.shuffled(&mut self.params.seed.stream(Purpose::Sides { answers: self.answers.len() }))
    }

    /// As [`Session::ask_many`], while the pairs in `pending` are already being asked elsewhere.
    ///
    /// # Errors
    /// If a pending pair is not valid, or the kernel cannot give a column.
    pub fn ask_beside(&self, pending: &[(ItemId, ItemId)], count: usize) -> Result<Vec<Question>> {
        pending.iter().try_for_each(|&(first, second)| self.check_pair(first, second))?;
        let mut stream = self.choice_after(self.answers.len());
        let mut pending = pending.to_vec();
        let is_pending = |pair: &Question| pending.iter().any(|&(first, second)| pair.is_about(first, second));
        let decisive = if count > 0 { self.decisive()?.filter(|pair| !is_pending(pair)) } else { None };
        pending.extend(decisive.map(|pair| (pair.first, pair.second)));
        let (candidates, strategy) = (self.candidates.clone(), self.params.strategy);
        let count = count - usize::from(decisive.is_some());
        let model = self.asked_model()?;
        let more = choose_many(self.belief(), &model, strategy, candidates, &pending, count, &mut stream)?;
        Ok(decisive.into_iter().chain(more).collect())
    }

    /// Learns an answer, whether or not the session asked for it.
    ///
    /// # Errors
    /// If an item is unknown, the items are of two groups, the answer is a tie and ties have no width, or the belief
    /// cannot learn it. The session then stays as it was.
    pub fn tell(&mut self, answer: Answer) -> Result<()> {
        answer.check(self.belief().len(), self.groups.as_ref())?;
        if let Some(prepared) = self.prepared(&answer) {
            *self = prepared;
            return Ok(());
        }
        self.learner.learn(&answer)?;
        self.candidates.rule_out(&answer, self.params.repeat);
        self.candidates.ask_again(self.learner.model(), self.params.judge.as_deref());
        self.answers.push(answer);
        self.ahead = Ahead::default();
        self.counted.answered(self.looks_now(), self.states_now());
        Ok(())
    }

    /// Takes back and returns the latest standing answer of a judge, or `None` if there is none. Grades that were given with the model are
    /// not taken back. The session learns all
    /// other answers again, so it is exactly the session that never heard this one.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated. The session is then as it was.
    pub fn undo(&mut self, judge: Option<&str>) -> Result<Option<Answer>> {
        let given = self.model().given();
        let told = self.answers.get(given..).unwrap_or_default();
        let Some(at) = told.iter().rposition(|answer| answer.judge.as_deref() == judge).map(|at| given + at) else {
            return Ok(None);
        };
        let mut others = self.answers.clone();
        let taken = others.remove(at);
        *self = self.with_answers(others)?;
        Ok(Some(taken))
    }

    /// The session with these answers in place of its own.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated, or an answer cannot be learned.
    pub(super) fn with_answers(&self, answers: Vec<Answer>) -> Result<Self> {
        let mut learner = self.learner.fresh()?;
        let mut candidates = self.allowed.clone();
        learner.learn_all(&answers.iter().collect::<Vec<_>>(), &Watch::NONE)?;
        answers.iter().for_each(|answer| candidates.rule_out(answer, self.params.repeat));
        candidates.ask_again(learner.model(), self.params.judge.as_deref());
        Ok(Self {
            params: self.params.clone(),
            groups: self.groups.clone(),
            allowed: self.allowed.clone(),
            candidates,
            learner,
            answers,
            looks: self.looks,
            counted: Counted::default(),
            ahead: Ahead::default(),
        })
    }

    /// Counts how settled the ranking of every group is.
    ///
    /// # Errors
    /// As [`certainty()`].
    pub fn certainty(&self, params: &CertaintyParams) -> Result<Vec<Certainty>> {
        certainty(&self.over_noises()?, self.groups.as_ref(), params)
    }

    /// Forgets what was counted before the latest answer.
    fn forget(&mut self) {
        self.counted = Counted::default();
        self.ahead = Ahead::default();
    }

    /// Whether the stop rule is met.
    ///
    /// # Errors
    /// As [`certainty()`].
    pub fn is_settled(&self, rule: &StopRule, params: &CertaintyParams) -> Result<bool> {
        Ok(rule.is_met(&self.certainty(params)?))
    }

    /// The current belief.
    pub fn belief(&self) -> &dyn Belief {
        self.learner.belief()
    }

    /// The answer model, with the noise that was learned so far if it is learned.
    pub fn model(&self) -> &AnswerModel {
        self.learner.model()
    }

    /// The items of a question in the order in which they are shown: left, right. The order is drawn at random, so a
    /// judge's preference for a side favours neither item.
    pub fn sides(&self, question: &Question) -> [ItemId; 2] {
        let mut stream = self.params.seed.stream(Purpose::Sides { answers: self.answers.len() });
        let (first, second) = (question.first, question.second);
        if stream.random::<bool>() { [first, second] } else { [second, first] }
    }

    /// An answer to a question, said of the items in the order in which they are shown, if that matters to the session.
    pub(super) fn as_shown(&self, question: &Question, answer: Answer) -> Answer {
        if self.model().sides() { answer.shown(self.sides(question)[0]) } else { answer }
    }

    /// The name of the judge who is expected to answer next: for whom questions are chosen, or who answered last. Empty if the session does
    /// not tell judges apart.
    pub(super) fn judge_to_come(&self) -> String {
        let tells_apart = self.model().sides() || self.model().learns();
        let latest = || self.answers.last().and_then(|answer| answer.judge.clone());
        let judge = self.params.judge.clone().or_else(latest);
        judge.filter(|_| tells_apart).unwrap_or_default()
    }

    /// The first `count` items in the ranking of this item's group, or fewer if the group is smaller.
    pub fn first_few(&self, item: ItemId, count: usize) -> Vec<ItemId> {
        let mean = self.belief().mean();
        let order = match &self.groups {
            None => by_falling_mean(0..mean.len(), mean),
            Some(groups) => by_falling_mean(groups.members(groups.of(item)).iter().map(|item| item.index()), mean),
        };
        order.into_iter().take(count).map(ItemId::new).collect()
    }

    /// Everything that a forecast from here needs.
    ///
    /// # Errors
    /// If there are more than 20,000 items.
    pub fn outlook(&self, span: Span) -> Result<Outlook> {
        // A session that learns the noise asks the pairs that decide the goal again.
        let decides = self.model().learns() && self.params.rule.is_some();
        let again = self.params.repeat || self.candidates.asks_again() || decides;
        Outlook::new(self.clone(), (!again).then(|| self.candidates.left(self.belief().len())), span)
    }

    /// The standing answers in order, including skips.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// The number of standing answers that were learned. Skips are no answers.
    pub fn learned(&self) -> usize {
        self.answers.iter().filter(|answer| !answer.is_skip()).count()
    }

    /// The parameters.
    pub fn params(&self) -> &SessionParams {
        &self.params
    }

    /// The random stream that decides among equally good pairs after this many answers.
    fn choice_after(&self, answers: usize) -> Stream {
        self.params.seed.stream(Purpose::Choice { answers })
    }

    fn check_pair(&self, first: ItemId, second: ItemId) -> Result<()> {
        check_pair(first, second, self.belief().len(), self.groups.as_ref())
    }
}
