//! Experiments in which sessions ask a judge who knows the truth (AXPGP section 3): how fast their rankings become good.

pub mod axpgp;
mod curves;
mod drawn;
pub mod one_model;
mod plan;
pub mod speed;
pub mod stopping;
pub mod strategies;
mod tuned;

use std::sync::Arc;

use ordain::active::{BeliefKind, Facts, Match, Mistakes, Rules, SessionParams, Strategy, marks};
use ordain::data::{Goal, Items, Relation};
use ordain::gp::AnswerModel;
use ordain::kernel::Kernel;
use ordain::numeric::Seed;
use ordain::{Error, Result};

use self::drawn::JUDGE;
use self::plan::Plan;
use self::tuned::Tuned;
pub use self::tuned::{Mind, Tuning, Way};
use crate::experiment::{Place, Progress};
use crate::journal::{Journal, Row};
use crate::query::{Measured, Query};
use crate::stream::Phase;

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

    /// The quality of an order that knows nothing, by [`plan::MEASURES`]: the mean over all orders, whichever truth is drawn.
    ///
    /// # Errors
    /// If a utility is not a number.
    pub fn before(&self) -> Result<[f64; plan::MEASURES.len()]> {
        let truth = self.facts.truth(self.items.groups(), Seed(0))?;
        let values = truth.measure(&vec![0.0; self.items.len()], self.items.groups())?.values();
        Ok(std::array::from_fn(|measure| values[measure]))
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
        let params = SessionParams::new(strategy).with_belief(self.belief);
        let rules =
            Rules { groups: None, model: AnswerModel::default(), judge: JUDGE, mistakes: Mistakes::default(), answers };
        let curve = conditions.play(self.kernel.clone(), params, &rules)?;
        let of = |at: usize| curve.iter().map(move |(_, quality)| Some(quality.values()[at]));
        Ok((0..plan::MEASURES.len()).flat_map(of).collect())
    }
}

impl Study {
    /// Cuts problems in a random order into two halves, of which each is measured with what is tuned on at most this many of
    /// the other.
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
            Measured::new(&problem.name, part, &problem.items, &problem.relation)
        };
        let names = |part: &Vec<usize>| part.iter().map(|&at| self.problems[at].name.clone()).collect();
        Ok(Plan {
            answers: self.answers,
            repeats: self.repeats,
            contenders: self.contenders.iter().map(|contender| contender.name.to_owned()).collect(),
            tuned: self.tuned.iter().map(|tuning| tuning.name.to_owned()).collect(),
            tuned_on: self.tuned_on.iter().map(names).collect(),
            queries: self.measured.iter().map(measured).collect::<Result<_>>()?,
            before: self.measured.iter().map(|&(at, _)| self.problems[at].before()).collect::<Result<_>>()?,
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
                    Match::draw(&problem.facts, None, &mut seed.stream(Phase::Measuring.of_match(position, repeat)))?;
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
                problems.map(|&problem| (&self.problems[problem], Phase::Tuning.of_match(problem, 0))).collect();
            Ok(self.tuned[at % self.tuned.len()].tune(&examples, seed)?.row())
        };
        journal.complete(0..total, compute, |done| watch(Progress { stage: "tuning", done, total }))?;
        journal.rows().iter().map(|row| Tuned::read(row, &path)).collect()
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ordain::active::{Session, Truth};
    use ordain::data::{Answer, Attributes, ItemId, Link, Outcome};
    use rand::RngExt;

    use super::*;

    fn problem() -> Problem {
        let names = vec!["x".to_owned()];
        let values: Vec<f64> = (0..8).map(|at| f64::from(at * at % 7)).collect();
        let attributes = Attributes::new(names, 8, values).unwrap().standardized(None).unwrap();
        let links = (0..7).map(|at| Link { source: at, target: at + 1, weight: 1.0 }).collect();
        Problem {
            name: "q".into(),
            items: Items::new((0..8).map(|at| at.to_string()).collect(), None, attributes).unwrap(),
            relation: Relation::new(8, links).unwrap(),
            facts: Facts::Grades(vec![0, 1, 2, 0, 1, 0, 0, 2]),
        }
    }

    /// Before any answer, the best of eight is at each place alike: its reciprocal rank is an eighth of 1 + 1/2 + ... + 1/8.
    #[test]
    fn nothing_known_by_hand() {
        let [map, _, best] = problem().before().unwrap();
        let expected = (1..=8).map(|place| 1.0 / f64::from(place)).sum::<f64>() / 8.0;
        // Sums of eight numbers below 1.
        assert!((best - expected).abs() < 1e-14, "{best} {expected}");
        // Four of eight are relevant.
        assert!((0.5..0.75).contains(&map), "{map}");
    }

    #[test]
    fn areas_by_hand() {
        assert_eq!(area(&[Some(0.25), Some(0.5)], 20), 0.375);
        // Ten tens at 1 and one fifty at 0.
        let values: Vec<Option<f64>> = (0..11).map(|at| Some(f64::from(at < 10))).collect();
        assert_eq!(area(&values, 150), 100.0 / 150.0);
    }

    /// A session played by hand, question by question, gives the same values.
    #[test]
    fn a_session_by_hand() {
        let problem = problem();
        let asks = Asks::For(Goal::TopHeavy);
        let tuning = Tuning { name: "gp", mind: Mind::Gp { attributes: true, links: true }, way: Way::Evidence(10) };
        let tuned = tuning.tune(&[(&problem, 3)], Seed(1)).unwrap();
        let prepared = tuned.prepare(tuning.mind, &problem).unwrap();
        let conditions = Match::draw(&problem.facts, None, &mut Seed(1).stream(7)).unwrap();
        let row = prepared.play(&conditions, asks, 20).unwrap();

        let mut stream = Seed(1).stream(7);
        let (broken, asked): (u64, u64) = (stream.random(), stream.random());
        let Facts::Grades(grades) = &problem.facts else { unreachable!() };
        let truth = Truth::from_grades(grades.clone(), Seed(broken), 0);
        let strategy = asks.strategy(8).unwrap();
        let params = SessionParams::new(strategy).with_seed(Seed(asked));
        let mut session = Session::new(prepared.kernel.clone(), None, AnswerModel::default(), params).unwrap();
        let mut values = Vec::new();
        for answers in 1..=20 {
            let question = session.ask().unwrap().unwrap();
            let utility = |item: ItemId| truth.utilities()[item.index()];
            let better = utility(question.first) > utility(question.second);
            let outcome = if better { Outcome::First } else { Outcome::Second };
            let answer = Answer::new(question.first, Some(question.second), outcome).unwrap();
            session.tell(answer).unwrap();
            if answers % 10 == 0 {
                values.push(truth.measure(session.belief().mean(), None).unwrap());
            }
        }
        let expected =
            [values[0].map, values[1].map, values[0].ndcg10, values[1].ndcg10, values[0].best, values[1].best];
        assert_eq!(row, expected.map(Some).to_vec());
    }

    /// Whatever a belief is made of, its tuned numbers land where they belong and survive their row.
    #[test]
    fn tuned_numbers_of_every_mind() {
        let problem = problem();
        for mind in [
            Mind::Glicko,
            Mind::Gp { attributes: false, links: false },
            Mind::Gp { attributes: true, links: false },
            Mind::Gp { attributes: false, links: true },
            Mind::Gp { attributes: true, links: true },
        ] {
            let asks = Asks::For(Goal::TopHeavy);
            let simulated = Tuning { name: "x", mind, way: Way::Simulation(asks, 20) };
            let tuned = simulated.tune(&[(&problem, 1)], Seed(1)).unwrap();
            assert_eq!(Tuned::read(&tuned.row(), Path::new("tuned.csv")).unwrap(), tuned);
            assert_eq!(Tuned::columns().len(), 2 + tuned.row().len());
            let conditions = Match::draw(&problem.facts, None, &mut Seed(1).stream(1)).unwrap();
            let row = tuned.prepare(mind, &problem).unwrap().play(&conditions, asks, 20).unwrap();
            // The score is what its numbers give.
            assert!((area(&row, 20) - tuned.row().last().unwrap().unwrap()).abs() < 1e-12);
            if mind != Mind::Glicko {
                let by_evidence =
                    Tuning { name: "x", mind, way: Way::Evidence(15) }.tune(&[(&problem, 1)], Seed(1)).unwrap();
                let same = by_evidence.row().iter().zip(tuned.row()).all(|(a, b)| a.is_some() == b.is_some());
                assert!(same, "{mind:?}");
            }
        }
    }
}
