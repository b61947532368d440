//! The front door without files: items, what makes them alike, how judges answer, and the answers so far.
//!
//! A [`Model`] is plain data. Clones share items, relations and answers, so they are cheap, and threads may use them at once.
//! [`Model::fit`] gives what is believed, to rank and to predict by. [`Model::session`] gives a belief that asks;
//! [`Model::rank`] and [`Model::predict`] take its belief too. Whoever keeps answers in a database hands them in by
//! [`Model::with_answers`] and [`Model::add`]; a folder's answers are kept by [`Project`](crate::Project).

mod fitted;
mod judges;
mod memory;
mod ranking;
mod tally;

use std::sync::{Arc, OnceLock};

pub use fitted::Fitted;
pub use judges::JudgeReport;
pub use ranking::Ranking;
pub use tally::{Agreement, Tally};

use self::memory::Sizes;
use crate::active::{
    AskOptions, Asking, BeliefKind, Facts, GoldScore, Ground, Session, SessionParams, gold_question, gold_scores,
    rank_with_certainty,
};
use crate::data::{
    Answer, AnswerLog, Ask, Entry, Gold, GradeScale, ItemId, Items, Outcome, Prior, Relation, TIE_WIDTH, check_item,
    check_pair,
};
use crate::gp::{
    AnswerModel, Belief, Comparison, ComparisonParams, Observation, Prediction, Problem, RankingParams, Setting, Tuned,
    TuningParams, asides_of_all, predict,
};
use crate::kernel::{Kernel, KernelSpec, Parameter, WeightedSum, build, set_parameters};
use crate::words::vocabulary;
use crate::{Error, Result, Watch};

/// How answers become a belief.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inference {
    /// Expectation propagation over all answers at once.
    Ep,
    /// One step per answer, in the order of the answers: what a session believes.
    Incremental,
}

vocabulary! { Inference, "way to learn";
    Ep = "ep", "expectation propagation over all answers at once";
    Incremental = "incremental", "one step per answer, in the order of the log, as `ordain ask` learns";
}

/// Items, relations, kernels, how judges answer, and the answers so far. The crate's first page shows one at work.
#[derive(Debug, Clone)]
pub struct Model {
    items: Arc<Items>,
    relations: Arc<[Relation]>,
    kernels: Vec<KernelSpec>,
    answer_model: AnswerModel,
    answers: Arc<AnswerLog>,
    /// Grades that are known besides the answers. They count as earlier.
    given: Arc<[Answer]>,
    /// Pairs whose answer is known, and the share of questions that are about them.
    gold: (Arc<Gold>, f64),
    ask: Ask,
    /// The bytes of memory that work may take, if they are known.
    memory: Option<u64>,
    /// Built when it is first needed.
    kernel: OnceLock<Arc<WeightedSum>>,
}

impl Model {
    /// A model of items that nothing was answered about. Kernels over relations find these by [`Model::with_relations`].
    ///
    /// # Errors
    /// If there is no kernel.
    pub fn new(items: Items, kernels: Vec<KernelSpec>) -> Result<Self> {
        if kernels.is_empty() {
            return Err(Error::Data { what: "kernels", found: "none".into(), expected: "at least one".into() });
        }
        Ok(Self {
            items: Arc::new(items),
            relations: Arc::new([]),
            kernels,
            answer_model: AnswerModel::default(),
            answers: Arc::default(),
            given: Arc::new([]),
            gold: (Arc::default(), 0.0),
            ask: Ask::default(),
            memory: None,
            kernel: OnceLock::new(),
        })
    }

    /// The same model, whose kernels find these relations by their position.
    pub fn with_relations(self, relations: Vec<Relation>) -> Self {
        Self { relations: relations.into(), kernel: OnceLock::new(), ..self }
    }

    /// The same model, whose judges answer in this way.
    pub fn with_answer_model(self, answer_model: AnswerModel) -> Self {
        Self { answer_model, ..self }
    }

    /// The same model, which judges judges by pairs whose answer is known. This share of questions is about them
    /// ([`Model::gold_question`]). Nothing about items is learned from answers about these pairs, and no strategy asks them.
    ///
    /// # Errors
    /// If a pair is not of two items of one group, or the share is not from 0 to 1.
    pub fn with_gold(self, gold: Gold, rate: f64) -> Result<Self> {
        if !(0.0..=1.0).contains(&rate) {
            return Err(Error::Parameter { name: "gold_rate".into(), value: rate, expected: "a share from 0 to 1" });
        }
        let (count, groups) = (self.items.len(), self.items.groups());
        gold.pairs().iter().try_for_each(|&(first, second)| check_pair(first, second, count, groups))?;
        Ok(Self { gold: (Arc::new(gold), rate), ..self })
    }

    /// The same model with these settings for asking.
    pub fn with_ask(self, ask: Ask) -> Self {
        Self { ask, ..self }
    }

    /// The same model, which refuses to fit, rank, ask, tune or compare where that needs more than this many bytes of memory.
    pub fn with_memory(self, bytes: Option<u64>) -> Self {
        Self { memory: bytes, ..self }
    }

    /// The same model with these answers in place of those it had.
    ///
    /// # Errors
    /// If an answer is about an item that is not there, or compares items of two groups.
    pub fn with_answers(self, answers: AnswerLog) -> Result<Self> {
        let (count, groups) = (self.items.len(), self.items.groups());
        answers.standing().into_iter().try_for_each(|answer| answer.check(count, groups))?;
        Ok(Self { answers: Arc::new(answers), ..self })
    }

    /// The same model without the answers of these judges, as if they had never answered.
    ///
    /// # Errors
    /// If one of them is not among the judges of the answers.
    pub fn without_judges(self, names: &[String]) -> Result<Self> {
        let answers = self.answers.without_judges(names)?;
        self.with_answers(answers)
    }

    /// The same model, whose judges may grade items too. These grades are known besides the answers, and count as earlier.
    ///
    /// # Errors
    /// If something else than a grade is given, or a grade is about an item that is not there or is not on the scale.
    pub fn with_grades(self, scale: GradeScale, given: Vec<Answer>) -> Result<Self> {
        for answer in &given {
            answer.check(self.items.len(), self.items.groups())?;
            if !matches!(answer.outcome, Outcome::Grade(grade) if scale.position(grade).is_some()) {
                let found = answer.outcome.to_string();
                return Err(Error::Data { what: "a given grade", found, expected: format!("a grade from {scale}") });
            }
        }
        Ok(Self { answer_model: self.answer_model.with_given_grades(scale, given.len())?, given: given.into(), ..self })
    }

    /// The same model, whose judges do not grade.
    pub(crate) fn without_grades(self) -> Self {
        Self { answer_model: self.answer_model.without_grades(), given: Arc::new([]), ..self }
    }

    /// The same model with these values of its parameters: those of the kernels by names as in `kernel[0].weight`, the
    /// weights of the prior as in `prior[0]`, the width of ties `tie_width`.
    ///
    /// # Errors
    /// If there is no such parameter, or a value is not positive and finite; a weight of the prior need only be finite.
    pub fn with_parameters(mut self, parameters: &[Parameter]) -> Result<Self> {
        let (widths, parameters): (Vec<_>, Vec<_>) = parameters.iter().cloned().partition(|one| one.name == TIE_WIDTH);
        for Parameter { name, value } in widths {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::Parameter { name, value, expected: "a positive, finite number" });
            }
            self.answer_model = self.answer_model.beginning_with_tie_width(value)?;
        }
        let (weights, others): (Vec<_>, Vec<_>) =
            parameters.into_iter().partition(|one| Prior::column_of(&one.name).is_some());
        set_parameters(&mut self.kernels, &others)?;
        if !weights.is_empty() {
            let items = Arc::unwrap_or_clone(self.items);
            let prior = with_weights(items.prior(), &weights)?;
            self.items = Arc::new(items.with_prior(Some(prior))?);
        }
        Ok(Self { kernel: OnceLock::new(), ..self })
    }

    /// The items.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// The relations.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The parts of the utility.
    pub fn kernels(&self) -> &[KernelSpec] {
        &self.kernels
    }

    /// How utilities become answers.
    pub fn answer_model(&self) -> &AnswerModel {
        &self.answer_model
    }

    /// All that was ever answered.
    pub fn answers(&self) -> &AnswerLog {
        &self.answers
    }

    /// What is learned from: the grades that were given, then the standing answers, with skips. Answers about gold pairs are none of
    /// them.
    pub(crate) fn standing(&self) -> Vec<&Answer> {
        let told = self.answers.standing().into_iter().filter(|answer| !self.gold.0.is_about(answer));
        self.given.iter().chain(told).collect()
    }

    /// The pairs whose answer is known.
    pub fn gold(&self) -> &Gold {
        &self.gold.0
    }

    /// The share of questions that are about gold pairs.
    pub fn gold_rate(&self) -> f64 {
        self.gold.1
    }

    /// The gold pair to ask a judge in place of the next question, left and right, if it is time for one. Every judge is asked each pair
    /// once at most. It depends on the standing answers and on the seed alone, so a resumed session asks the same. With a pool, only
    /// its pairs are asked.
    pub fn gold_question(
        &self,
        asking: &Asking,
        judge: Option<&str>,
        pool: Option<&[(ItemId, ItemId)]>,
    ) -> Option<[ItemId; 2]> {
        let (gold, rate) = &self.gold;
        let in_pool =
            |first, second| pool.is_none_or(|pool| pool.contains(&(first, second)) || pool.contains(&(second, first)));
        gold_question(gold, *rate, &self.answers.standing(), judge, in_pool, asking.seed)
    }

    /// How every judge answered about gold pairs, by name, with intervals of this level. Judges who were asked none are left out.
    pub fn gold_scores(&self, level: f64) -> Vec<GoldScore> {
        gold_scores(&self.gold.0, &self.answers.standing(), level)
    }

    /// What is said about asking.
    pub fn ask(&self) -> &Ask {
        &self.ask
    }

    /// How alike the items are: the weighted sum of the kernels. It is built once.
    ///
    /// # Errors
    /// If a kernel does not fit the items or relations.
    pub fn kernel(&self) -> Result<Arc<WeightedSum>> {
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(build(&self.kernels, &self.items, &self.relations)?);
        Ok(self.kernel.get_or_init(|| kernel).clone())
    }

    /// The settings of a session: what this model says about asking, unless the options say otherwise.
    ///
    /// # Errors
    /// If there is no such strategy, or it takes no focus and one is given.
    pub fn asking(&self, options: &AskOptions) -> Result<Asking> {
        Ok(Asking::resolve(&self.ask, options, &self.items)?)
    }

    /// A session that has learned the standing answers one by one. It asks only pairs of the pool, if there is one.
    ///
    /// # Errors
    /// As [`Model::asking`], or if a kernel cannot be evaluated, an answer cannot be learned, a pair of the pool is none, or the watch
    /// stops it.
    pub fn session(&self, options: &AskOptions, pool: Option<&[(ItemId, ItemId)]>, watch: &Watch) -> Result<Session> {
        self.session_as(&self.asking(options)?, options.judge.clone(), pool, watch)
    }

    /// A session with these settings.
    fn session_as(
        &self,
        asking: &Asking,
        judge: Option<String>,
        pool: Option<&[(ItemId, ItemId)]>,
        watch: &Watch,
    ) -> Result<Session> {
        let kernel = self.kernel()?;
        self.room_for("a session", |sizes| sizes.of_session(kernel.has_cheap_entries()))?;
        let Asking { rule, strategy, repeat, grades, seed } = *asking;
        let params = SessionParams { strategy, belief: BeliefKind::Gp, repeat, grades, seed, rule: Some(rule), judge };
        let mut session = Session::new(kernel, self.items.groups().cloned(), self.answer_model.clone(), params)?
            .without_pairs(self.gold.0.pairs());
        if let Some(pool) = pool {
            session = session.with_pool(pool)?;
        }
        session.resume_watched(&self.standing(), watch)?;
        Ok(session)
    }

    /// Ranks the items by a belief about them, as that of a session, and counts how settled the ranking is.
    ///
    /// # Errors
    /// As [`rank`](crate::gp::rank), or if the belief is about other items.
    pub fn rank(&self, belief: &dyn Belief, params: &RankingParams) -> Result<Ranking> {
        ranked(belief, &self.items, params, self.memory)
    }

    /// What a judge would say of two items under a belief about them, as that of a session. If the noise is learned, this
    /// learns it from the standing answers every time; [`Fitted::predict`] does so once.
    ///
    /// # Errors
    /// If an item is not there, or a kernel cannot give a column.
    pub fn predict(&self, belief: &dyn Belief, first: ItemId, second: ItemId) -> Result<Prediction> {
        [first, second].into_iter().try_for_each(|item| check_item(item, belief.len()))?;
        predict(belief, &self.learned_answer_model(&Watch::NONE)?, first, second)
    }

    /// What simulated sessions are played on: the items, and what is true of them.
    ///
    /// # Errors
    /// If a kernel does not fit the items or relations.
    pub fn ground(&self, facts: Facts) -> Result<Ground> {
        Ok(Ground { groups: self.items.groups().cloned(), kernel: self.kernel()?, facts })
    }

    /// Learns the kernels' parameters, the weights of the prior and, where there are ties, their width from the answers. [`Model::with_parameters`] makes a model of what was found.
    ///
    /// # Errors
    /// As [`TuningParams::tune`].
    pub fn tune(&self, params: &TuningParams) -> Result<Tuned> {
        let cheap = self.kernel()?.has_cheap_entries();
        self.room_for("tuning", |sizes| sizes.of_tuning(cheap))?;
        params.tune(&mut [self.problem(params)?])
    }

    /// The standard deviations of the logarithms of the tuned parameters, or of the weights of the prior themselves, at the
    /// values that they have now: in the order of [`Tuned::parameters`].
    ///
    /// # Errors
    /// As [`TuningParams::uncertainty`].
    pub fn uncertainty(&self, params: &TuningParams) -> Result<Vec<f64>> {
        params.uncertainty(&mut [self.problem(params)?])
    }

    /// Learns parameters that several models share, each from its own answers. Their evidences multiply.
    ///
    /// # Errors
    /// As [`TuningParams::tune`].
    pub fn tune_together(models: &[Self], params: &TuningParams) -> Result<Tuned> {
        params.tune(&mut models.iter().map(|model| model.problem(params)).collect::<Result<Vec<_>>>()?)
    }

    /// Compares this model with those that lack one of its kernels. Folds share the threads, but only as many as there is room for.
    ///
    /// # Errors
    /// As [`ComparisonParams::compare`].
    pub fn compare(&self, params: &ComparisonParams) -> Result<Comparison> {
        let cheap = self.kernel()?.has_cheap_entries();
        self.room_for("comparing models", |sizes| sizes.of_comparison(cheap))?;
        let setting = Setting {
            kernels: &self.kernels,
            items: &self.items,
            relations: &self.relations,
            answers: &self.standing(),
            model: self.learned_answer_model(&params.watch)?,
        };
        let each = Sizes::new(self.items.len(), &self.standing()).of_comparison(cheap).max(1);
        let room = self.memory.map_or(u64::MAX, |available| available / each);
        if room >= rayon::current_num_threads() as u64 {
            return params.compare(setting);
        }
        let no_room = |_| Error::Memory { work: "a thread".into(), needed: each, available: 0 };
        let fewer = rayon::ThreadPoolBuilder::new().num_threads(room as usize).build().map_err(no_room)?;
        fewer.install(|| params.compare(setting))
    }

    /// Refuses work for which there is no room.
    fn room_for(&self, work: &str, needed: impl FnOnce(Sizes) -> u64) -> Result<()> {
        let Some(available) = self.memory else { return Ok(()) };
        let answers = self.standing();
        let work = || format!("{work} with {} answers about {} items", answers.len(), self.items.len());
        memory::check(work, needed(Sizes::new(self.items.len(), &answers)), Some(available))
    }

    /// What the standing answers say; skips say nothing. Choices among several items speak of coordinates after the items, with which only a
    /// belief of [`Model::fit`] or a session can do something.
    ///
    /// # Errors
    /// As [`Model::learned_answer_model`], or if an answer is a tie and ties have no width.
    pub fn observations(&self) -> Result<Vec<Observation>> {
        self.learned_answer_model(&Watch::NONE)?.observe_all(self.standing())
    }

    /// How utilities become answers, with the noise that the standing answers tell if it is to be learned. It says nothing of sides: a
    /// belief that knows the judges' biases has a model of its own ([`Fitted::answer_model`]).
    ///
    /// # Errors
    /// If a kernel cannot be evaluated, an answer cannot be learned, or the watch stops it.
    pub fn learned_answer_model(&self, watch: &Watch) -> Result<AnswerModel> {
        let standing = self.standing();
        let learned = match self.answer_model.adapts() {
            true => self.seated_answer_model(&standing, watch)?.0.without_sides(),
            false => self.answer_model.clone(),
        };
        if asides_of_all(standing.iter().copied()) == 0 {
            return Ok(learned);
        }
        let kernel: Arc<dyn Kernel> = self.kernel()?;
        Ok(learned.seated(&kernel, &standing)?.0)
    }

    /// How utilities become answers before any answer.
    fn answer_model_in_unit(&self) -> Result<AnswerModel> {
        Ok(self.seated_answer_model(&[], &Watch::NONE)?.0)
    }

    /// How utilities become answers after these, and the kernel with the asides of judges if there are any.
    fn seated_answer_model(&self, answers: &[&Answer], watch: &Watch) -> Result<(AnswerModel, Arc<dyn Kernel>)> {
        let kernel: Arc<dyn Kernel> = self.kernel()?;
        if !self.answer_model.adapts() && asides_of_all(answers.iter().copied()) == 0 {
            return Ok((self.answer_model.clone(), kernel));
        }
        let (model, kernel) = self.answer_model.clone().seated(&kernel, answers)?;
        Ok((model.learned(kernel.as_ref(), answers, watch)?, kernel))
    }

    /// Whether some standing answer is a tie although ties have no width, so that nothing can be learned from it.
    pub fn ties_need_width(&self) -> bool {
        self.answer_model.tie_width() == 0.0 && self.standing().iter().any(|answer| answer.outcome.has_tie())
    }

    /// Adds an entry to the answers.
    ///
    /// # Errors
    /// As [`Model::with_answers`], or if an undo has nothing to take back.
    pub fn add(&mut self, entry: Entry) -> Result<()> {
        if let Entry::Answer(answer) = &entry {
            answer.check(self.items.len(), self.items.groups())?;
        }
        Arc::make_mut(&mut self.answers).push(entry.tidy())
    }

    fn problem(&self, params: &TuningParams) -> Result<Problem> {
        let kernel = build(&self.kernels, &self.items, &self.relations)?;
        let answer_model = self.learned_answer_model(&Watch::NONE)?;
        let observations = answer_model.observe_all(self.standing())?;
        let asides = asides_of_all(self.standing());
        let problem = Problem::new(kernel, observations).with_tie_width(answer_model.tie_width()).with_asides(asides);
        match self.items.groups() {
            _ if !params.by_group => Ok(problem),
            Some(groups) => Ok(problem.by_group(groups)),
            None => Err(Error::Data {
                what: "the groups that are tuned by themselves",
                found: "none".into(),
                expected: "items in groups".into(),
            }),
        }
    }
}

/// A prior with these values of some of its weights.
fn with_weights(prior: Option<&Prior>, values: &[Parameter]) -> Result<Prior> {
    let known = prior.map_or(&[][..], Prior::weights);
    let mut weights = known.to_vec();
    for Parameter { name, value } in values {
        let place = Prior::column_of(name).and_then(|column| weights.get_mut(column));
        *place.ok_or_else(|| unknown_weight(name, known.len()))? = *value;
    }
    let prior = prior.ok_or_else(|| unknown_weight(&Prior::parameter(0), 0))?;
    prior.clone().with_weights(weights)
}

fn unknown_weight(name: &str, columns: usize) -> Error {
    let expected = match columns {
        0 => "a parameter of a kernel, as the items have no prior".into(),
        1 => "prior[0], as the prior has one column".into(),
        columns => format!("prior[0] to prior[{}]", columns - 1),
    };
    Error::Data { what: "the name of a parameter", found: name.to_owned(), expected }
}

/// The ranking of items by a belief, and how settled it is.
fn ranked(belief: &dyn Belief, items: &Items, params: &RankingParams, memory: Option<u64>) -> Result<Ranking> {
    memory::check(|| format!("ranking {} items", items.len()), memory::of_ranking(items, params.draws), memory)?;
    if belief.len() != items.len() {
        return Err(Error::Data {
            what: "the items of a belief",
            found: belief.len().to_string(),
            expected: format!("{}, as many as are ranked", items.len()),
        });
    }
    let (items, groups) = rank_with_certainty(belief, items, params)?;
    Ok(Ranking { items, groups })
}
