//! Sessions against a known truth, to measure how fast a ranking settles.

use std::sync::Arc;

use rand::RngExt;

use super::{Judge, Question, Session, SessionParams};
use crate::data::{Answer, Groups, ItemId};
use crate::gp::AnswerModel;
use crate::kernel::Kernel;
use crate::measure::retrieval::{Discount, Gain, average_precision, ndcg, reciprocal_rank};
use crate::measure::{JudgedList, kendall_tau_a, pair_error};
use crate::numeric::{Seed, Stream};
use crate::words::vocabulary;
use crate::{Error, Result};

/// The truth about the items.
#[derive(Debug, Clone)]
pub struct Truth {
    /// Every item's true utility. It decides the judge's answers.
    utilities: Vec<f64>,
    /// Every item's grade, by which rankings are measured. Grade 0 is not relevant.
    grades: Vec<i32>,
}

impl Truth {
    /// A truth from grades. Utilities break ties of grades by uniform noise in [-0.5, 0.5], as Radlinski and Joachims
    /// (2007) do.
    pub fn from_grades(grades: Vec<i32>, seed: Seed, task: u64) -> Self {
        let mut stream = seed.stream(task);
        let utilities = grades.iter().map(|&grade| f64::from(grade) + stream.random_range(-0.5..0.5)).collect();
        Self { utilities, grades }
    }

    /// A truth from utilities. The best tenth of each group counts as relevant.
    ///
    /// # Errors
    /// If a utility is not finite.
    pub fn from_utilities(utilities: Vec<f64>, groups: Option<&Groups>) -> Result<Self> {
        if let Some(found) = utilities.iter().find(|utility| !utility.is_finite()) {
            return Err(Error::Data { what: "a true utility", found: found.to_string(), expected: "a number".into() });
        }
        let mut grades = vec![0; utilities.len()];
        for mut members in members(utilities.len(), groups) {
            members.sort_by(|a, b| utilities[b.index()].total_cmp(&utilities[a.index()]));
            let relevant = members.len().div_ceil(10);
            members[..relevant].iter().for_each(|item| grades[item.index()] = 1);
        }
        Ok(Self { utilities, grades })
    }

    /// Every item's true utility.
    pub fn utilities(&self) -> &[f64] {
        &self.utilities
    }

    /// Every item's grade.
    pub fn grades(&self) -> &[i32] {
        &self.grades
    }

    /// Measures a ranking by these utilities. The result is the average over the groups with at least two items.
    ///
    /// # Errors
    /// If a utility is NaN, their number is not that of the items, or no group has two items.
    pub fn measure(&self, utilities: &[f64], groups: Option<&Groups>) -> Result<Quality> {
        let mut sum = Quality::default();
        let mut count = 0;
        for group in members(self.utilities.len(), groups).into_iter().filter(|group| group.len() > 1) {
            sum = sum.plus(&self.measure_group(utilities, &group)?);
            count += 1;
        }
        if count == 0 {
            let expected = "a group of at least two".into();
            return Err(Error::Data { what: "items to rank", found: "no two in a group".into(), expected });
        }
        Ok(sum.scaled(1.0 / f64::from(count)))
    }

    fn measure_group(&self, utilities: &[f64], group: &[ItemId]) -> Result<Quality> {
        let of = |values: &[f64]| -> Vec<f64> { group.iter().map(|item| values[item.index()]).collect() };
        let (scores, truth) = (of(utilities), of(&self.utilities));
        let grades: Vec<i32> = group.iter().map(|item| self.grades[item.index()]).collect();
        let list = JudgedList::tied(&scores, &grades, grades.iter().copied())?;
        let best = (0..group.len()).max_by(|&a, &b| truth[a].total_cmp(&truth[b]));
        let only_best: Vec<i32> = (0..group.len()).map(|at| i32::from(Some(at) == best)).collect();
        Ok(Quality {
            map: average_precision(&list),
            ndcg10: ndcg(&list, Some(10), Gain::Grade, Discount::Standard),
            best: reciprocal_rank(&JudgedList::tied(&scores, &only_best, [1])?),
            tau: kendall_tau_a(&scores, &truth)?,
            accuracy: 1.0 - pair_error(&scores, &truth)?,
        })
    }
}

/// Known facts about items, from which the truth of a session is made.
#[derive(Debug, Clone, PartialEq)]
pub enum Facts {
    /// Grades. Every session breaks their ties anew.
    Grades(Vec<i32>),
    /// Utilities.
    Utilities(Vec<f64>),
}

impl Facts {
    /// The truth of a session. This seed decides how ties are broken.
    ///
    /// # Errors
    /// If a utility is not finite.
    pub fn truth(&self, groups: Option<&Groups>, seed: Seed) -> Result<Truth> {
        match self {
            Self::Grades(grades) => Ok(Truth::from_grades(grades.clone(), seed, 0)),
            Self::Utilities(utilities) => Truth::from_utilities(utilities.clone(), groups),
        }
    }
}

/// Conditions that several sessions share: the truth, the draws among equally good pairs, and the judge's random
/// stream.
#[derive(Debug, Clone)]
pub struct Match {
    truth: Truth,
    asked: Seed,
    judged: Seed,
}

/// The rules that all sessions of a match share.
pub struct Rules<'a> {
    /// The groups, if there are any.
    pub groups: Option<&'a Groups>,
    /// The answer model of the sessions.
    pub model: AnswerModel,
    /// The judge.
    pub judge: Judge,
    /// The mistakes that the judge makes on top of the noise.
    pub mistakes: Mistakes,
    /// The number of answers per session.
    pub answers: usize,
}

/// Mistakes: answers that are turned round, whatever the utilities. Ties stay.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mistakes {
    /// The share of answers that are turned round.
    pub share: f64,
    /// Whether the judge makes the same mistake whenever the same pair is asked.
    pub persist: bool,
}

/// How a session ended that was played to its stop rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ending {
    /// The number of answers.
    pub answers: usize,
    /// Whether the rule was met. If not, the session ended for want of answers or pairs.
    pub stopped: bool,
    /// Whether the goal was truly reached.
    pub right: bool,
    /// The probability that was stated.
    pub stated: f64,
}

impl Match {
    /// Draws the conditions from a stream.
    ///
    /// # Errors
    /// If a utility is not finite.
    pub fn draw(facts: &Facts, groups: Option<&Groups>, stream: &mut Stream) -> Result<Self> {
        Self::with_truth(stream, |seed| facts.truth(groups, seed))
    }

    /// Draws the conditions from a stream. `truth` makes the truth from the seed that it receives.
    ///
    /// # Errors
    /// If the truth cannot be made.
    pub fn with_truth(stream: &mut Stream, truth: impl FnOnce(Seed) -> Result<Truth>) -> Result<Self> {
        let (broken, asked, judged) = (Seed(stream.random()), Seed(stream.random()), Seed(stream.random()));
        Ok(Self { truth: truth(broken)?, asked, judged })
    }

    /// The truth about the items.
    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// The seed of the match's sessions.
    pub fn seed(&self) -> Seed {
        self.asked
    }

    /// Begins a session with the seed of the match. The session does not end after `rules.answers` answers.
    ///
    /// # Errors
    /// If the session cannot be made.
    pub fn begin(&self, kernel: Arc<dyn Kernel>, params: SessionParams, rules: &Rules<'_>) -> Result<Game<'_>> {
        let params = SessionParams { seed: self.asked, ..params };
        let session = Session::new(kernel, rules.groups.cloned(), rules.model.clone(), params)?;
        let Rules { judge, mistakes, .. } = *rules;
        Ok(Game { session, truth: &self.truth, judge, mistakes, judged: self.judged, stream: self.judged.stream(0) })
    }

    /// Plays one session with the seed of the match until its stop rule is met, or for as many answers as the rules say.
    ///
    /// # Errors
    /// If the session has no stop rule or too many items to count, or cannot ask or learn.
    pub fn play_to_stop(&self, kernel: Arc<dyn Kernel>, params: SessionParams, rules: &Rules<'_>) -> Result<Ending> {
        let Some(rule) = params.rule else {
            return Err(Error::Data {
                what: "a session to its end",
                found: "no stop rule".into(),
                expected: "one".into(),
            });
        };
        let mut game = self.begin(kernel, params, rules)?;
        let mut answers = 0;
        let mut stopped = game.session.is_done()?;
        while !stopped && answers < rules.answers && game.step()?.is_some() {
            answers += 1;
            stopped = game.session.is_done()?;
        }
        let Some(standing) = game.session.standing()? else {
            let (found, expected) =
                (format!("{} items", self.truth.utilities.len()), "fewer, to count certainty".into());
            return Err(Error::Data { what: "a session to its end", found, expected });
        };
        let right = rule.holds(game.session.belief().mean(), rules.groups, &self.truth.utilities)?;
        Ok(Ending { answers, stopped, right, stated: standing.probability })
    }

    /// Plays one session with the seed of the match, for as many answers as the rules say. Returns the quality at every
    /// mark. If no pair is left to ask, the quality stays as it is.
    ///
    /// # Errors
    /// If the session cannot ask or learn.
    pub fn play(
        &self,
        kernel: Arc<dyn Kernel>,
        params: SessionParams,
        rules: &Rules<'_>,
    ) -> Result<Vec<(usize, Quality)>> {
        self.play_to(&marks(rules.answers), kernel, params, rules)
    }

    /// Plays one session with the seed of the match. Returns the quality at each of these marks, which ascend.
    pub(super) fn play_to(
        &self,
        marks: &[usize],
        kernel: Arc<dyn Kernel>,
        params: SessionParams,
        rules: &Rules<'_>,
    ) -> Result<Vec<(usize, Quality)>> {
        let mut game = self.begin(kernel, params, rules)?;
        let mut curve = Vec::new();
        let mut answers = 0;
        for &mark in marks {
            while answers < mark {
                answers += 1;
                game.step()?;
            }
            curve.push((mark, self.truth.measure(game.session.belief().mean(), rules.groups)?));
        }
        Ok(curve)
    }
}

/// A session of a [`Match`] in progress. A judge who knows the truth answers its questions.
pub struct Game<'a> {
    /// The session.
    pub session: Session,
    truth: &'a Truth,
    judge: Judge,
    mistakes: Mistakes,
    judged: Seed,
    stream: Stream,
}

impl Game<'_> {
    /// The judge's answer to a question.
    ///
    /// # Errors
    /// If the question names one item twice.
    pub fn judge(&mut self, question: &Question) -> Result<Answer> {
        let answer = self.judge.compare(self.truth.utilities(), question.first, question.second, &mut self.stream)?;
        let answer = if self.mistakes.share > 0.0 && self.is_mistaken(question) { answer.turned() } else { answer };
        Ok(self.session.as_shown(question, answer))
    }

    /// Whether the judge is mistaken about a pair.
    fn is_mistaken(&mut self, question: &Question) -> bool {
        let Mistakes { share, persist } = self.mistakes;
        let drawn: f64 = if persist {
            let (low, high) = (question.first.min(question.second), question.first.max(question.second));
            // Stream 0 is that of the noise.
            self.judged.stream(1 + (u64::from(low.0) << 32 | u64::from(high.0))).random()
        } else {
            self.stream.random()
        };
        drawn < share
    }

    /// One step: the session asks, the judge answers, the session learns. Returns the question, or `None` if no pair is
    /// left.
    ///
    /// # Errors
    /// If the session cannot ask or learn.
    pub fn step(&mut self) -> Result<Option<Question>> {
        let Some(question) = self.session.ask()? else { return Ok(None) };
        let answer = self.judge(&question)?;
        self.session.tell(answer)?;
        Ok(Some(question))
    }
}

/// The quality of a ranking by several measures. Larger is better for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Quality {
    /// Mean average precision of the relevant items.
    pub map: f64,
    /// Normalised discounted cumulative gain of the first ten items, as `ndcg@10` in `ordain eval`: an item gains its
    /// grade.
    pub ndcg10: f64,
    /// The reciprocal rank of the item that is truly best.
    pub best: f64,
    /// Kendall's tau with the truth.
    pub tau: f64,
    /// The share of pairs in the right order; equal utilities count half.
    pub accuracy: f64,
}

/// The measures of a [`Quality`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QualityMeasure {
    /// Mean average precision.
    Map,
    /// Normalised discounted cumulative gain of the first ten items.
    Ndcg10,
    /// The reciprocal rank of the item that is truly best.
    Best,
    /// Kendall's tau with the truth.
    Tau,
    /// The share of pairs in the right order.
    Accuracy,
}

vocabulary! { QualityMeasure, "measure";
    Map = "map", "mean average precision";
    Ndcg10 = "ndcg10", "NDCG@10";
    Best = "best", "reciprocal rank of the best";
    Tau = "tau", "Kendall's tau with the truth";
    Accuracy = "accuracy", "share of pairs in the right order";
}

impl QualityMeasure {
    /// The value of this measure.
    pub fn of(self, quality: &Quality) -> f64 {
        match self {
            Self::Map => quality.map,
            Self::Ndcg10 => quality.ndcg10,
            Self::Best => quality.best,
            Self::Tau => quality.tau,
            Self::Accuracy => quality.accuracy,
        }
    }
}

impl Quality {
    /// The values of all measures, in the order map, ndcg10, best, tau, accuracy.
    pub fn values(&self) -> [f64; 5] {
        [self.map, self.ndcg10, self.best, self.tau, self.accuracy]
    }

    /// A quality from its values, in the order of [`Quality::values`].
    pub fn from_values([map, ndcg10, best, tau, accuracy]: [f64; 5]) -> Self {
        Self { map, ndcg10, best, tau, accuracy }
    }

    fn plus(self, other: &Self) -> Self {
        let (mut sum, other) = (self.values(), other.values());
        sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        Self::from_values(sum)
    }

    fn scaled(self, factor: f64) -> Self {
        Self::from_values(self.values().map(|value| value * factor))
    }
}

/// The marks at which simulations are measured: every ten answers up to a hundred, every fifty beyond, and the last
/// answer.
pub fn marks(answers: usize) -> Vec<usize> {
    (1..=answers).filter(|&at| at % (if at <= 100 { 10 } else { 50 }) == 0 || at == answers).collect()
}

fn members(items: usize, groups: Option<&Groups>) -> Vec<Vec<ItemId>> {
    match groups {
        None => vec![(0..items).map(ItemId::new).collect()],
        Some(groups) => (0..groups.len()).map(|group| groups.members(group).to_vec()).collect(),
    }
}
