//! Experiments in which sessions ask a judge who knows the truth (AXPGP section 3): how fast their rankings become good.

pub mod axpgp;
mod curves;
mod drawn;
pub mod one_model;
mod plan;
pub mod speed;
pub mod strategies;
mod tuned;

use std::sync::Arc;

use ordain::active::{BeliefKind, Facts, Judge, Match, Rules, SessionParams, Strategy, marks};
use ordain::data::{Goal, Items, Relation};
use ordain::gp::AnswerModel;
use ordain::kernel::{Graph, Kernel, Role};
use ordain::numeric::Seed;
use ordain::{Error, Result};

use self::plan::{Measured, Plan};
use self::tuned::Tuned;
pub use self::tuned::{Mind, Tuning, Way};
use crate::experiment::{Place, Progress};
use crate::journal::{Journal, Row};
use crate::query::Query;

/// Items whose order is to be found.
pub struct Problem {
    /// Its name in the data.
    pub name: String,
    /// The items with their attributes, standardized.
    pub items: Items,
    /// How they are linked.
    pub relation: Relation,
    /// What is true of them.
    pub facts: Facts,
}

impl Problem {
    /// A query whose documents have whole grades.
    ///
    /// # Errors
    /// If a grade is not whole.
    pub fn graded(query: Query) -> Result<Self> {
        let whole = |&grade: &f64| {
            let expected = || "whole numbers".into();
            let wrong = || Error::Data { what: "grades", found: grade.to_string(), expected: expected() };
            (grade.fract() == 0.0 && grade.abs() < 1e6).then_some(grade as i32).ok_or_else(wrong)
        };
        let grades = query.grades.iter().map(whole).collect::<Result<_>>()?;
        let Query { name, items, relation, .. } = query;
        Ok(Self { name, items, relation, facts: Facts::Grades(grades) })
    }
}

/// Who explores: a belief, tuned, that asks by a strategy.
pub struct Contender {
    /// Its name in files.
    pub name: &'static str,
    /// Which pairs it asks.
    pub asks: Asks,
    /// The position of its belief among the tuned ones.
    pub tuned: usize,
}

/// Which pairs are asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Asks {
    /// By this strategy.
    By(Strategy),
    /// By the strategy that suits this goal.
    For(Goal),
    /// By the strategy of this name, with the emphasis on the top that suits this goal.
    Named(&'static str, Goal),
}

impl Asks {
    /// The strategy for so many items.
    ///
    /// # Errors
    /// If there is no strategy of this name.
    pub fn strategy(self, items: usize) -> Result<Strategy> {
        match self {
            Self::By(strategy) => Ok(strategy),
            Self::For(goal) => Ok(Strategy::for_goal(goal, items as f64)),
            Self::Named(name, goal) => Strategy::named(name, None, goal, items as f64),
        }
    }
}

/// What is to be done: problems, who explores them, and which beliefs are tuned on which of them.
pub struct Study {
    /// All problems.
    pub problems: Vec<Problem>,
    /// The beliefs that are tuned, each once for every part.
    pub tuned: Vec<Tuning>,
    /// Who explores.
    pub contenders: Vec<Contender>,
    /// Answers in a session.
    pub answers: usize,
    /// Sessions of every contender on every problem.
    pub repeats: usize,
    /// The parts: problems to tune on.
    pub tuned_on: Vec<Vec<usize>>,
    /// Problems to measure on, each with the part whose beliefs it takes, which are not tuned on it.
    pub measured: Vec<(usize, usize)>,
}

/// Purposes of random streams, so that no two share one.
const TUNING: u64 = 1;
const MEASURING: u64 = 2;

/// The stream of a match: a purpose, a problem and a number of the match.
fn task(purpose: u64, problem: usize, number: usize) -> u64 {
    purpose << 60 | (problem as u64) << 24 | number as u64
}

/// How the names of the tables of sessions and of tuned numbers end.
const SESSIONS: &str = ".csv";
const TUNED: &str = "-tuned.csv";

/// A tuned belief about a problem, ready to explore it.
struct Prepared {
    kernel: Arc<dyn Kernel>,
    belief: BeliefKind,
}

impl Prepared {
    /// The values at every mark of a session by a strategy under the conditions of a match: every measure's curve after the
    /// other.
    fn play(&self, conditions: &Match, asks: Asks, answers: usize) -> Result<Row> {
        let strategy = asks.strategy(self.kernel.len())?;
        let params = SessionParams { strategy, belief: self.belief, repeat: false, seed: Seed(0) };
        let judge = Judge { noise: 0.0, tie_width: 0.0 };
        let rules = Rules { groups: None, model: AnswerModel::default(), judge, answers };
        let curve = conditions.play(self.kernel.clone(), params, &rules)?;
        let of = |at: usize| curve.iter().map(move |(_, quality)| Some(quality.values()[at]));
        Ok((0..plan::MEASURES.len()).flat_map(of).collect())
    }
}

impl Study {
    /// Cuts problems into two halves at random, of which each is measured with what is tuned on at most this many of the
    /// other.
    pub fn halves(order: &[usize], tuned_on: usize) -> (Vec<Vec<usize>>, Vec<(usize, usize)>) {
        let (first, second) = order.split_at(order.len() / 2);
        let some = |half: &[usize]| half.iter().copied().take(tuned_on).collect::<Vec<_>>();
        let mut measured: Vec<(usize, usize)> = first.iter().map(|&problem| (problem, 0)).collect();
        measured.extend(second.iter().map(|&problem| (problem, 1)));
        measured.sort_unstable();
        (vec![some(second), some(first)], measured)
    }

    /// What the results will have been made with.
    ///
    /// # Errors
    /// If the links of a problem cannot be a graph.
    pub fn plan(&self) -> Result<Plan> {
        let measured = |&(problem, part): &(usize, usize)| {
            let problem = &self.problems[problem];
            let links = Graph::new(problem.items.len(), &problem.relation, Role::Undirected)?.links();
            Ok(Measured { query: problem.name.clone(), part, items: problem.items.len(), links })
        };
        let names = |part: &Vec<usize>| part.iter().map(|&at| self.problems[at].name.clone()).collect();
        Ok(Plan {
            answers: self.answers,
            repeats: self.repeats,
            contenders: self.contenders.iter().map(|contender| contender.name.to_owned()).collect(),
            tuned: self.tuned.iter().map(|tuning| tuning.name.to_owned()).collect(),
            tuned_on: self.tuned_on.iter().map(names).collect(),
            queries: self.measured.iter().map(measured).collect::<Result<_>>()?,
        })
    }

    /// Tunes and measures what is still missing. Results have the same bits for any number of threads.
    ///
    /// # Errors
    /// If results cannot be computed, or read and written.
    pub fn run(&self, plan: &Plan, seed: Seed, place: Place<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let mut sessions = Journal::open(&place.file(SESSIONS), plan.sessions_layout())?;
        let tuned = self.tune(plan, seed, place, watch)?;
        let (per_query, total) = (plan.sessions_per_query(), plan.sessions_layout().keys.len());
        watch(Progress { stage: "measuring", done: sessions.done(), total });
        for (at, &(position, part)) in self.measured.iter().enumerate() {
            let rows = at * per_query..(at + 1) * per_query;
            if rows.end <= sessions.done() {
                continue;
            }
            let problem = &self.problems[position];
            let prepare = |(tuning, of): (&Tuned, &Tuning)| tuning.prepare(of.mind, problem);
            let own = tuned[part * self.tuned.len()..].iter().zip(&self.tuned);
            let prepared: Vec<Prepared> = own.map(prepare).collect::<Result<_>>()?;
            let compute = |at: usize| {
                let (repeat, contender) = plan.session(at);
                let conditions =
                    Match::draw(&problem.facts, None, &mut seed.stream(task(MEASURING, position, repeat)))?;
                let contender = &self.contenders[contender];
                prepared[contender.tuned].play(&conditions, contender.asks, self.answers)
            };
            sessions.complete(rows, compute, |done| watch(Progress { stage: "measuring", done, total }))?;
        }
        Ok(())
    }

    /// The tuned numbers of every part and belief.
    fn tune(&self, plan: &Plan, seed: Seed, place: Place<'_>, watch: &mut dyn FnMut(Progress)) -> Result<Vec<Tuned>> {
        let path = place.file(TUNED);
        let mut journal = Journal::open(&path, plan.tuned_layout())?.in_batches_of(rayon::current_num_threads());
        let total = self.tuned_on.len() * self.tuned.len();
        watch(Progress { stage: "tuning", done: journal.done(), total });
        let compute = |at: usize| {
            let problems = self.tuned_on[at / self.tuned.len()].iter();
            let examples: Vec<(&Problem, u64)> =
                problems.map(|&problem| (&self.problems[problem], task(TUNING, problem, 0))).collect();
            Ok(self.tuned[at % self.tuned.len()].tune(&examples, seed)?.row())
        };
        journal.complete(0..total, compute, |done| watch(Progress { stage: "tuning", done, total }))?;
        let read = |row: &Row| {
            Tuned::from_row(row).ok_or_else(|| Error::Data {
                what: "tuned numbers",
                found: format!("{row:?} in {}", path.display()),
                expected: "a score at least; move the file away".into(),
            })
        };
        journal.rows().iter().map(read).collect()
    }
}

/// The area under a measure's curve over so many answers, as a share of what it could be: every mark counts as much as the
/// answers that led to it.
fn area(values: &[Option<f64>], answers: usize) -> f64 {
    let (mut area, mut before) = (0.0, 0);
    for (mark, value) in marks(answers).into_iter().zip(values) {
        area += (mark - before) as f64 * value.unwrap_or(0.0);
        before = mark;
    }
    area / before.max(1) as f64
}
