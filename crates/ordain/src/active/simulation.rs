//! A session against a known truth: how fast which ranking settles.

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Judge, Question, Session, SessionParams};
use crate::data::{Groups, ItemId};
use crate::gp::AnswerModel;
use crate::kernel::Kernel;
use crate::measure::retrieval::{Discount, Gain, average_precision, ndcg, reciprocal_rank};
use crate::measure::{JudgedList, kendall_tau_a, pair_error};
use crate::numeric::Seed;
use crate::{Error, Result};

/// What is true of the items.
#[derive(Debug, Clone)]
pub struct Truth {
    /// Every item's true utility, which decides what the judge says.
    utilities: Vec<f64>,
    /// Every item's grade, by which rankings are measured: 0 is not relevant.
    grades: Vec<i32>,
}

impl Truth {
    /// Grades, with utilities that break their ties by uniform noise in [-0.5, 0.5], as Radlinski and Joachims (2007) do.
    pub fn from_grades(grades: Vec<i32>, seed: Seed, task: u64) -> Self {
        let mut stream = seed.stream(task);
        let utilities = grades.iter().map(|&grade| f64::from(grade) + stream.random_range(-0.5..0.5)).collect();
        Self { utilities, grades }
    }

    /// Utilities, of which the best tenth of each group counts as relevant.
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

    /// How good a ranking by these utilities is, on average over the groups with at least two items.
    ///
    /// # Errors
    /// If a utility is NaN, there are not as many as items, or no group has two items.
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

/// What is known of items, of which the truth of a session is made.
#[derive(Debug, Clone, PartialEq)]
pub enum Facts {
    /// Grades, whose ties are broken anew in every session.
    Grades(Vec<i32>),
    /// Utilities.
    Utilities(Vec<f64>),
}

impl Facts {
    /// The truth of a session, with ties broken by this seed.
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

/// Sessions under the same conditions: the same truth, the same luck among equal pairs, and a judge with the same stream.
#[derive(Debug, Clone)]
pub struct Match {
    truth: Truth,
    asked: Seed,
    judged: Seed,
}

/// What all sessions of a match share.
pub struct Rules<'a> {
    /// The groups, if there are any.
    pub groups: Option<&'a Groups>,
    /// What sessions believe of the judge.
    pub model: AnswerModel,
    /// The judge.
    pub judge: Judge,
    /// How many answers are given.
    pub answers: usize,
}

impl Match {
    /// Conditions drawn from a stream.
    ///
    /// # Errors
    /// If a utility is not finite.
    pub fn draw(facts: &Facts, groups: Option<&Groups>, stream: &mut ChaCha8Rng) -> Result<Self> {
        let (broken, asked, judged) = (Seed(stream.random()), Seed(stream.random()), Seed(stream.random()));
        Ok(Self { truth: facts.truth(groups, broken)?, asked, judged })
    }

    /// Plays one session, whose seed is that of the match; gives the quality at every mark.
    ///
    /// # Errors
    /// If the session cannot ask or learn.
    pub fn play(
        &self,
        kernel: Arc<dyn Kernel>,
        params: SessionParams,
        rules: &Rules<'_>,
    ) -> Result<Vec<(usize, Quality)>> {
        self.watch(kernel, params, rules, |session| self.truth.measure(session.belief().mean(), rules.groups))
    }

    /// Plays the same session as [`Match::play`]; gives what `look` finds at every mark.
    ///
    /// # Errors
    /// If the session cannot ask or learn, or `look` fails.
    pub fn watch<T>(
        &self,
        kernel: Arc<dyn Kernel>,
        params: SessionParams,
        rules: &Rules<'_>,
        look: impl FnMut(&Session) -> Result<T>,
    ) -> Result<Vec<(usize, T)>> {
        let params = SessionParams { seed: self.asked, ..params };
        let mut session = Session::new(kernel, rules.groups.cloned(), rules.model, params)?;
        walk(&mut session, &self.truth, rules.answers, rules.judge, &mut self.judged.stream(0), look)
    }
}

/// How good a ranking is, by several measures; the larger the better.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Quality {
    /// Mean average precision of the relevant items.
    pub map: f64,
    /// Normalised discounted cumulative gain of the first ten, as `ndcg@10` is in `ordain eval`: an item gains its grade.
    pub ndcg10: f64,
    /// The reciprocal rank of the item that is truly best.
    pub best: f64,
    /// Kendall's tau with the truth.
    pub tau: f64,
    /// The share of pairs in the right order; equal utilities count half.
    pub accuracy: f64,
}

impl Quality {
    /// Every measure, in the order of their names in results: map, ndcg10, best, tau, accuracy.
    pub fn values(&self) -> [f64; 5] {
        [self.map, self.ndcg10, self.best, self.tau, self.accuracy]
    }

    /// From the values in that order.
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

/// The marks at which simulations are measured: every ten answers up to a hundred, every fifty beyond, and the last.
pub fn marks(answers: usize) -> Vec<usize> {
    (1..=answers).filter(|&at| at % (if at <= 100 { 10 } else { 50 }) == 0 || at == answers).collect()
}

/// Plays a session for this many answers by a judge who knows the truth. Returns the quality at every mark; where no pair is left to ask, as it stays.
///
/// # Errors
/// If the session cannot ask or learn.
pub fn simulate(
    session: &mut Session,
    truth: &Truth,
    groups: Option<&Groups>,
    answers: usize,
    judge: Judge,
    stream: &mut ChaCha8Rng,
) -> Result<Vec<(usize, Quality)>> {
    walk(session, truth, answers, judge, stream, |session| truth.measure(session.belief().mean(), groups))
}

/// Plays a session and looks at it at every mark.
fn walk<T>(
    session: &mut Session,
    truth: &Truth,
    answers: usize,
    judge: Judge,
    stream: &mut ChaCha8Rng,
    mut look: impl FnMut(&Session) -> Result<T>,
) -> Result<Vec<(usize, T)>> {
    let mut curve = Vec::new();
    let mut asked = 0;
    for mark in marks(answers) {
        while asked < mark {
            asked += 1;
            let Some(Question { first, second, .. }) = session.ask()? else { break };
            session.tell(judge.compare(truth.utilities(), first, second, stream)?)?;
        }
        curve.push((mark, look(session)?));
    }
    Ok(curve)
}

fn members(items: usize, groups: Option<&Groups>) -> Vec<Vec<ItemId>> {
    match groups {
        None => vec![(0..items).map(ItemId::new).collect()],
        Some(groups) => (0..groups.len()).map(|group| groups.members(group).to_vec()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::active::{BeliefKind, Strategy};
    use crate::kernel::Independent;

    /// Whoever looks sees the session that is played, at the marks.
    #[test]
    fn watching_changes_nothing() {
        let facts = Facts::Utilities((0..12).map(|item| f64::from(item) * 0.3).collect());
        let conditions = Match::draw(&facts, None, &mut Seed(7).stream(0)).unwrap();
        let model = AnswerModel::default();
        let rules = Rules { groups: None, model, judge: Judge::from(&model), answers: 25 };
        let params = || SessionParams {
            strategy: Strategy::named("random", None, crate::data::Goal::WholeOrder, 12.0).unwrap(),
            belief: BeliefKind::Gp,
            repeat: true,
            seed: Seed(0),
        };
        let kernel = Arc::new(Independent::new(12));
        let played = conditions.play(kernel.clone(), params(), &rules).unwrap();
        let look = |session: &Session| Ok((session.answers().len(), session.belief().mean().to_vec()));
        let seen = conditions.watch(kernel, params(), &rules, look).unwrap();
        assert_eq!(
            seen.iter().map(|&(mark, (answers, _))| (mark, answers)).collect::<Vec<_>>(),
            [(10, 10), (20, 20), (25, 25)]
        );
        for ((mark, quality), (also, (_, means))) in played.iter().zip(&seen) {
            // Twelve items in rising order: the right pairs can be counted.
            let pairs = (0..12).flat_map(|a| (a + 1..12).map(move |b| (a, b)));
            let right = pairs.map(|(a, b)| {
                if means[a] < means[b] {
                    1.0
                } else if means[a] == means[b] {
                    0.5
                } else {
                    0.0
                }
            });
            assert!((right.sum::<f64>() / 66.0 - quality.accuracy).abs() < 1e-12 && mark == also);
        }
    }
}
