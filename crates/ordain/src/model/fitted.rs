//! What is believed after the answers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::memory::{self, Sizes};
use super::{Inference, Model, Ranking, ranked};
use crate::active::{
    Asking, Candidates, Certainty, CertaintyParams, Effort, Foreseen, GradeQuestion, Learned, Question, ScreenQuestion,
    certainty, choose_many, choose_screens, grade_instead, grade_is_closed, learn_in_session,
};
use crate::data::{Answer, Functional, ItemId, Items, Newcomers, check_item, check_pair};
use crate::gp::{
    AnswerModel, Belief, Ep, EpParams, GradePrediction, Incremental, JudgeSummary, Observation, OverNoises, Prediction,
    RankingParams, UnderNoise, asides_of_all, predict,
};
use crate::kernel::{Given, Kernel, build_with_newcomers};
use crate::numeric::Purpose;
use crate::watch::{LEARNING, Step};
use crate::{Result, Watch};

/// A belief over a model's items, and perhaps over newcomers.
pub struct Fitted {
    model: Model,
    /// The model's items and then newcomers, if there are any.
    joined: Option<Items>,
    belief: Box<dyn Belief>,
    /// The kernel over the items that the belief is about.
    kernel: Arc<dyn Kernel>,
    /// What is believed under every noise that the answers allow, once it was needed.
    noises: OnceLock<Vec<UnderNoise>>,
    /// How utilities become answers, with the noise that was learned if it is learned.
    answer_model: AnswerModel,
    /// The judge for whom questions are chosen, if it is for one, and how he answers.
    asked: (Option<String>, AnswerModel),
    learned: usize,
    /// The bytes that the belief takes.
    taken: u64,
}

impl Model {
    /// Learns from all standing answers.
    ///
    /// # Errors
    /// If a kernel cannot be evaluated, an answer cannot be learned, EP does not converge, or the watch stops it.
    pub fn fit(&self, inference: Inference, watch: &Watch) -> Result<Fitted> {
        let taken = self.room_for_belief(self.items.len(), inference)?;
        let learned = match inference {
            Inference::Ep => self.fit_ep(watch)?,
            Inference::Incremental => self.step_by_step(self.kernel()?, self.answer_model.clone(), watch)?,
        };
        Ok(learned.fitted(self.clone(), None, self.learned(), taken))
    }

    /// Learns from all standing answers, and believes accordingly of newcomers. What is believed of the model's own items is the
    /// same as without them.
    ///
    /// # Errors
    /// As [`Model::fit`].
    pub fn fit_with(&self, newcomers: Newcomers<'_>, inference: Inference, watch: &Watch) -> Result<Fitted> {
        let joint = Arc::new(build_with_newcomers(&self.kernels, &newcomers)?);
        let taken = self.room_for_belief(joint.len(), inference)?;
        let learned = match inference {
            Inference::Ep => {
                let (ep, answer_model, _) = self.run_ep(watch)?;
                let joint: Arc<dyn Kernel> = joint;
                let (answer_model, kernel) = answer_model.over(&joint);
                Learned { belief: Box::new(ep.with_newcomers(kernel.clone())?), answer_model, kernel }
            }
            // Steps are along known items, and the noise is in the unit of known items, so that newcomers change nothing
            // for those.
            Inference::Incremental => self.step_by_step(joint, self.answer_model_in_unit()?, watch)?,
        };
        Ok(learned.fitted(self.clone(), Some(newcomers.into_items()), self.learned(), taken))
    }

    /// The number of answers to learn from; skips do not count, and votes are one.
    fn learned(&self) -> usize {
        self.standing().into_iter().filter(|answer| !answer.is_skip()).count()
    }

    /// The bytes that a belief takes, if there is room for them.
    fn room_for_belief(&self, items: usize, inference: Inference) -> Result<u64> {
        let standing = self.standing();
        let needed = Sizes::new(items, &standing).of_belief(inference);
        let parts = || standing.iter().map(|answer| answer.parts()).sum::<usize>();
        let work = || format!("learning from {} answers about {items} items", parts());
        memory::check(work, needed, self.memory)?;
        Ok(needed)
    }

    fn fit_ep(&self, watch: &Watch) -> Result<Learned> {
        let (ep, answer_model, kernel) = self.run_ep(watch)?;
        Ok(Learned { belief: Box::new(ep), answer_model, kernel })
    }

    /// EP over all standing answers, with the noise that they tell if it is learned, and the kernel with the asides of judges.
    fn run_ep(&self, watch: &Watch) -> Result<(Ep, AnswerModel, Arc<dyn Kernel>)> {
        let (answer_model, kernel) = self.seated_answer_model(&self.standing(), watch)?;
        let observations = answer_model.observe_all(self.standing())?;
        let params = EpParams { watch: watch.clone(), ..EpParams::default() };
        Ok((params.fit(kernel.clone(), &observations)?, answer_model, kernel))
    }

    /// What a session believes, and the answer model that it has then.
    fn step_by_step(&self, kernel: Arc<dyn Kernel>, answer_model: AnswerModel, watch: &Watch) -> Result<Learned> {
        let standing = self.standing();
        if answer_model.adapts() || asides_of_all(standing.iter().copied()) > 0 {
            return learn_in_session(kernel, answer_model, &standing, watch);
        }
        let observations = &answer_model.observe_all(standing)?;
        let mut belief = Incremental::new(kernel.clone(), observations.len())?;
        let done = |done: usize| watch.step(|| Step::new(LEARNING, done, observations.len()));
        belief.learn_all(observations, &kernel, done)?;
        Ok(Learned { belief: Box::new(belief), answer_model, kernel })
    }
}

impl Learned {
    fn fitted(self, model: Model, joined: Option<Items>, learned: usize, taken: u64) -> Fitted {
        let Self { belief, answer_model, kernel } = self;
        let asked = (None, answer_model.clone());
        Fitted { model, joined, belief, kernel, noises: OnceLock::new(), answer_model, asked, learned, taken }
    }
}

impl Fitted {
    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What is believed.
    pub fn belief(&self) -> &dyn Belief {
        self.belief.as_ref()
    }

    /// What is believed, for joint draws.
    fn over_noises(&self, watch: &Watch) -> Result<OverNoises<'_>> {
        if self.noises.get().is_none() {
            let noises = self.answer_model.under_noises(&self.kernel, &self.model.standing(), watch)?;
            // If another thread was faster, it found the same.
            let _ = self.noises.set(noises);
        }
        Ok(OverNoises { belief: self.belief(), noises: self.noises.get().map_or(&[], Vec::as_slice) })
    }

    /// The items that the belief is about: the model's, then newcomers.
    pub fn items(&self) -> &Items {
        self.joined.as_ref().unwrap_or(&self.model.items)
    }

    /// The number of answers that the belief learned from; skips do not count.
    pub fn learned(&self) -> usize {
        self.learned
    }

    /// Whether some items are newcomers.
    pub fn has_newcomers(&self) -> bool {
        self.joined.is_some()
    }

    /// Whether an item is a newcomer.
    pub fn is_new(&self, item: ItemId) -> bool {
        item.index() >= self.model.items.len()
    }

    /// Ranks all items and counts how settled the ranking is, from the same draws.
    ///
    /// # Errors
    /// As [`rank`](crate::gp::rank).
    pub fn rank(&self, params: &RankingParams) -> Result<Ranking> {
        let left = self.model.memory.map(|memory| memory.saturating_sub(self.taken));
        ranked(&self.over_noises(&params.watch)?, self.items(), params, left)
    }

    /// What a judge would say of two items.
    ///
    /// # Errors
    /// If an item is not there, or a kernel cannot give a column.
    pub fn predict(&self, first: ItemId, second: ItemId) -> Result<Prediction> {
        [first, second].into_iter().try_for_each(|item| check_item(item, self.belief.len()))?;
        predict(self.belief(), &self.answer_model, first, second)
    }

    /// The log probability of an answer that the belief has not learned, from its own judge: by his noise, his care and his bias. Of a stated
    /// probability it is the density of its probit; of votes the sum, each by itself. `None` for a skip.
    ///
    /// # Errors
    /// If an item is not there, the answer cannot be, or a kernel cannot give a column.
    pub fn log_probability(&self, answer: &Answer) -> Result<Option<f64>> {
        answer.check(self.belief.len(), self.items().groups())?;
        if answer.outcome.is_choice() {
            return self.log_probability_of_screen(answer).map(Some);
        }
        let observations: Vec<Observation> = self.answer_model.observe(answer)?.collect();
        let each = |one: &Observation| Ok(f64::from(one.count) * self.log_probability_of(one)?);
        if observations.is_empty() { Ok(None) } else { observations.iter().map(each).sum::<Result<f64>>().map(Some) }
    }

    /// As EP has it, for noise that no screen before it had.
    fn log_probability_of_screen(&self, answer: &Answer) -> Result<f64> {
        let items: Vec<ItemId> = answer.items().collect();
        let means = items.iter().map(|item| self.belief.mean()[item.index()]).collect();
        let kernel: Arc<dyn Kernel> = Arc::new(Given::new(means, self.belief.covariance(&items)?)?);
        let place = |item: &ItemId| items.iter().position(|own| own == item).map(ItemId::new);
        let alone = answer.of_others(|item| place(&item).unwrap_or(item));
        let (model, kernel) = self.answer_model.clone().for_screen(&kernel, &alone);
        let observations: Vec<Observation> = model.observe(&alone)?.collect();
        Ok(EpParams::default().fit(kernel, &observations)?.log_evidence())
    }

    fn log_probability_of(&self, observation: &Observation) -> Result<f64> {
        let belief = self.belief();
        let coordinates = Functional::items_of(&[observation.functional]);
        let mean =
            |at: &usize| if *at < belief.len() { belief.mean()[*at] } else { belief.asides()[*at - belief.len()] };
        let means: Vec<f64> = coordinates.iter().map(mean).collect();
        let covariance = belief.covariance(&coordinates.iter().map(|&at| ItemId::new(at)).collect::<Vec<_>>())?;
        let functional = Functional::in_terms_of(&coordinates, &[observation.functional]).swap_remove(0);
        // Rounding may leave a hair below zero for twins.
        let variance = functional.variance(|one, other| covariance[(one, other)]).max(0.0);
        Ok(observation.log_mass(functional.of(&means), variance))
    }

    /// What a judge would say of each of these pairs: for every pair the same as [`Fitted::predict`]. Pairs share the threads.
    ///
    /// # Errors
    /// As [`Fitted::predict`], or if the watch stops it.
    pub fn predict_many(&self, pairs: &[(ItemId, ItemId)], watch: &Watch) -> Result<Vec<Prediction>> {
        let done = AtomicUsize::new(0);
        let one = |&(first, second): &(ItemId, ItemId)| {
            watch.step(|| Step::new("predicting", done.fetch_add(1, Ordering::Relaxed), pairs.len()))?;
            self.predict(first, second)
        };
        pairs.par_iter().map(one).collect()
    }

    /// The grade that a judge would give to an item; `None` if the model has no grades. Without a name, it is any judge.
    ///
    /// # Errors
    /// If the item is not there.
    pub fn predict_grade(&self, item: ItemId, judge: Option<&str>) -> Result<Option<GradePrediction>> {
        check_item(item, self.belief.len())?;
        Ok(self.answer_model.grading().map(|grading| grading.predict(self.belief(), item, judge)))
    }

    /// The item of a pair whose grade tells more than comparing the two, if there is one and grades are asked.
    ///
    /// # Errors
    /// If a kernel cannot give a column.
    pub fn grade_instead(&self, asking: &Asking, question: &Question) -> Result<Option<GradeQuestion>> {
        if !asking.grades {
            return Ok(None);
        }
        let standing = self.model.standing();
        let asked = |item| grade_is_closed(standing.iter().copied(), item, asking.repeat);
        grade_instead(self.belief(), &self.answer_model, question, asked)
    }

    /// How utilities become answers, with the noise that was learned if it is learned.
    pub fn answer_model(&self) -> &AnswerModel {
        &self.answer_model
    }

    /// How settled the ranking of every group is.
    ///
    /// # Errors
    /// As [`certainty()`].
    pub fn certainty(&self, params: &CertaintyParams) -> Result<Vec<Certainty>> {
        certainty(&self.over_noises(&params.watch)?, self.items().groups(), params)
    }

    /// Questions are for this judge from now on, by what is known of his noise.
    ///
    /// # Errors
    /// If his noise is out of range.
    pub fn ask_judge(&mut self, judge: Option<&str>) -> Result<()> {
        self.asked = (judge.map(str::to_owned), self.answer_model.of_judge(judge)?);
        Ok(())
    }

    /// What the answers say of every judge, by name; who has none comes first. One run of EP, and some of each judge's own answers.
    ///
    /// # Errors
    /// If EP does not converge, or the watch stops it.
    pub fn judges(&self, watch: &Watch) -> Result<Vec<JudgeSummary>> {
        self.answer_model.summaries(&self.kernel, &self.model.standing(), watch)
    }

    /// This many pairs that are worth asking at once under this belief, the best first; fewer if fewer are left. Nobody is asked
    /// about newcomers, so there are none where newcomers are.
    ///
    /// # Errors
    /// If a pair of the pool is none, or a kernel cannot give a column.
    pub fn ask_many(&self, asking: &Asking, pool: Option<&[(ItemId, ItemId)]>, count: usize) -> Result<Vec<Question>> {
        if self.has_newcomers() {
            return Ok(Vec::new());
        }
        let items = &self.model.items;
        let check = |&(first, second): &(ItemId, ItemId)| check_pair(first, second, items.len(), items.groups());
        pool.unwrap_or_default().iter().try_for_each(check)?;
        let mut stream = asking.seed.stream(Purpose::Choice { answers: self.model.standing().len() });
        let candidates = self.candidates(asking, pool);
        choose_many(self.belief(), &self.asked.1, asking.strategy, candidates, &[], count, &mut stream)
    }

    /// This many screens of so many items that are worth showing at once under this belief: see [`choose_screens`]. None where newcomers are.
    ///
    /// # Errors
    /// As [`choose_screens`], or if a pair of the pool is none.
    pub fn ask_screens(
        &self,
        asking: &Asking,
        pool: Option<&[(ItemId, ItemId)]>,
        shown: usize,
        count: usize,
    ) -> Result<Vec<ScreenQuestion>> {
        if self.has_newcomers() {
            return Ok(Vec::new());
        }
        let items = &self.model.items;
        let check = |&(first, second): &(ItemId, ItemId)| check_pair(first, second, items.len(), items.groups());
        pool.unwrap_or_default().iter().try_for_each(check)?;
        let mut stream = asking.seed.stream(Purpose::Choice { answers: self.model.standing().len() });
        let candidates = self.candidates(asking, pool);
        choose_screens(self.belief(), &self.asked.1, asking.strategy, candidates, None, [shown, count], &mut stream)
    }

    /// Forecasts how many more answers it takes until the rule is met. None if it is met already, the effort is too small to say
    /// anything, or there are newcomers: nobody is asked about those.
    ///
    /// # Errors
    /// As [`forecast`](crate::active::forecast()), or if the watch stops it.
    pub fn forecast(
        &self,
        ranking: &Ranking,
        asking: &Asking,
        effort: Effort,
        watch: &Watch,
    ) -> Result<Option<Foreseen>> {
        if self.has_newcomers() || asking.rule.is_met(&ranking.groups) {
            return Ok(None);
        }
        let Some(span) = effort.span(&self.model.items, self.learned, asking.strategy, self.answer_model.adapts())
        else {
            return Ok(None);
        };
        self.model.session_as(asking, None, None, &watch.silent())?.outlook(span)?.look(watch).map(Some)
    }

    /// The pairs that may be asked after the answers so far.
    fn candidates(&self, asking: &Asking, pool: Option<&[(ItemId, ItemId)]>) -> Candidates {
        let mut candidates = Candidates::new(self.model.items.groups().cloned());
        self.model.gold().pairs().iter().for_each(|&(first, second)| candidates.exclude(first, second));
        for answer in self.model.standing() {
            candidates.rule_out(answer, asking.repeat);
        }
        candidates.ask_again(&self.answer_model, self.asked.0.as_deref());
        match pool {
            Some(pool) => candidates.with_pool(pool.iter().copied()),
            None => candidates,
        }
    }
}
