//! Tournaments: several ways to ask play sessions against known truths, and their mean quality is compared.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{
    BeliefKind, Ending, Facts, Judge, Match, Mistakes, Quality, Rules, SessionParams, StopRule, Strategy, marks,
};
use crate::data::{Goal, Groups};
use crate::gp::AnswerModel;
use crate::kernel::Kernel;
use crate::numeric::Seed;
use crate::watch::Step;
use crate::{Result, Watch};

/// The ground of a session: items with their kernel, and known facts about them.
#[derive(Clone)]
pub struct Ground {
    /// The groups, if there are any.
    pub groups: Option<Groups>,
    /// The kernel over the items.
    pub kernel: Arc<dyn Kernel>,
    /// The known facts about the items.
    pub facts: Facts,
}

impl Ground {
    /// The average number of items per group.
    fn mean_group_size(&self) -> f64 {
        self.kernel.len() as f64 / self.groups.as_ref().map_or(1, Groups::len).max(1) as f64
    }
}

/// A belief that asks by a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// The way in which answers become a belief.
    pub belief: BeliefKind,
    /// The name of the strategy.
    pub strategy: String,
    /// The strategy's focus. Default: the usual focus for the goal.
    pub focus: Option<f64>,
}

impl Contender {
    fn strategy(&self, goal: Goal, ground: &Ground) -> Result<Strategy> {
        Strategy::named(&self.strategy, self.focus, goal, ground.mean_group_size())
    }

    /// The focus of the strategy, if it is the same on all grounds.
    fn common_focus(&self, goal: Goal, grounds: &[Ground]) -> Result<Option<f64>> {
        let all: Vec<Option<f64>> =
            grounds.iter().map(|ground| Ok(self.strategy(goal, ground)?.focus())).collect::<Result<_>>()?;
        Ok(all.first().copied().flatten().filter(|focus| all.iter().all(|other| *other == Some(*focus))))
    }
}

/// A tournament.
#[derive(Debug, Clone)]
pub struct Tournament {
    /// Answers per session.
    pub answers: usize,
    /// The number of sessions of every contender on every ground.
    pub repeats: usize,
    /// The seed of all random choices.
    pub seed: Seed,
    /// The goal of the answers.
    pub goal: Goal,
    /// The judge.
    pub judge: Judge,
    /// The mistakes that the judge makes on top of the noise.
    pub mistakes: Mistakes,
    /// The contenders' answer model.
    pub model: AnswerModel,
    /// Whether a pair may be asked again.
    pub repeat: bool,
    /// Follows the sessions and can cancel them.
    pub watch: Watch,
}

/// The results of a contender.
#[derive(Debug, Clone)]
pub struct Curve {
    /// The focus of its strategy, if it has one and it is the same on all grounds.
    pub focus: Option<f64>,
    /// The results at every mark.
    pub points: Vec<Point>,
}

/// The result of a contender after some answers.
#[derive(Debug, Clone)]
pub struct Point {
    /// The number of answers.
    pub answers: usize,
    /// The mean over all sessions.
    pub mean: Quality,
    /// The standard errors of the means; `None` if there is only one session.
    pub error: Option<Quality>,
}

impl Tournament {
    /// Plays every contender on every ground. In each repeat on a ground, all contenders meet the same truth and a
    /// judge with the same random stream. Curves begin before the first answer: without a prior, all items are equal there.
    ///
    /// # Errors
    /// If a strategy cannot be made, a session cannot ask or learn, or the watch stops it.
    pub fn play(&self, grounds: &[Ground], contenders: &[Contender]) -> Result<Vec<Curve>> {
        let marks: Vec<usize> = std::iter::once(0).chain(marks(self.answers)).collect();
        let rounds = self.rounds(grounds, contenders, None, |conditions, ground, params, rules| {
            conditions.play_to(&marks, ground.kernel.clone(), params, rules)
        })?;
        let curve = |(at, contender): (usize, &Contender)| {
            let own: Vec<&[(usize, Quality)]> = rounds.iter().map(|round| round[at].as_slice()).collect();
            Ok(Curve { focus: contender.common_focus(self.goal, grounds)?, points: points(&own, grounds.len()) })
        };
        contenders.iter().enumerate().map(curve).collect()
    }

    /// As [`Tournament::play`], but every session ends when the rule is met, or after `answers` answers. Returns the endings of
    /// every contender.
    ///
    /// # Errors
    /// As [`Tournament::play`], or if there are too many items to count certainty before every question.
    pub fn play_to_stop(
        &self,
        grounds: &[Ground],
        contenders: &[Contender],
        rule: StopRule,
    ) -> Result<Vec<Vec<Ending>>> {
        let rounds = self.rounds(grounds, contenders, Some(rule), |conditions, ground, params, rules| {
            conditions.play_to_stop(ground.kernel.clone(), params, rules)
        })?;
        Ok((0..contenders.len()).map(|at| rounds.iter().map(|round| round[at]).collect()).collect())
    }

    /// The results of `play` for every contender, in every repeat on every ground.
    fn rounds<T: Send>(
        &self,
        grounds: &[Ground],
        contenders: &[Contender],
        rule: Option<StopRule>,
        play: impl Fn(&Match, &Ground, SessionParams, &Rules<'_>) -> Result<T> + Sync,
    ) -> Result<Vec<Vec<T>>> {
        let total = grounds.len() * self.repeats;
        let over = AtomicUsize::new(0);
        let Self { judge, mistakes, answers, repeat, seed, .. } = *self;
        let round = |task: usize| -> Result<Vec<T>> {
            let ground = &grounds[task % grounds.len()];
            let groups = ground.groups.as_ref();
            let conditions = Match::draw(&ground.facts, groups, &mut seed.stream(task as u64))?;
            let rules = Rules { groups, model: self.model.clone(), judge, mistakes, answers };
            let one = |contender: &Contender| {
                let strategy = contender.strategy(self.goal, ground)?;
                let params =
                    SessionParams { belief: contender.belief, repeat, seed, rule, ..SessionParams::new(strategy) };
                play(&conditions, ground, params, &rules)
            };
            let results = contenders.iter().map(one).collect::<Result<_>>()?;
            self.watch.step(|| Step::new("playing sessions", over.fetch_add(1, Ordering::Relaxed) + 1, total))?;
            Ok(results)
        };
        (0..total).into_par_iter().map(round).collect()
    }
}

/// The means over sessions at every mark. The sessions of one ground lie `grounds` apart in `curves`. Repeats on one
/// ground are alike, so the standard error is that of the grounds' means, or that of the repeats if there is only one
/// ground.
fn points(curves: &[&[(usize, Quality)]], grounds: usize) -> Vec<Point> {
    let marks = curves.first().map_or(0, |curve| curve.len());
    let point = |mark: usize| {
        let values: Vec<[f64; 5]> = curves.iter().map(|curve| curve[mark].1.values()).collect();
        let samples: Vec<[f64; 5]> = match grounds {
            1 => values,
            _ => (0..grounds).map(|at| mean(values.iter().skip(at).step_by(grounds))).collect(),
        };
        let centre = mean(samples.iter());
        let error = (samples.len() > 1).then(|| standard_error(&samples, &centre));
        Point { answers: curves[0][mark].0, mean: Quality::from_values(centre), error: error.map(Quality::from_values) }
    };
    (0..marks).map(point).collect()
}

fn mean<'a>(values: impl Iterator<Item = &'a [f64; 5]>) -> [f64; 5] {
    let (mut sum, mut count) = ([0.0; 5], 0.0);
    for value in values {
        sum.iter_mut().zip(value).for_each(|(sum, value)| *sum += value);
        count += 1.0;
    }
    sum.map(|sum| sum / count)
}

fn standard_error(samples: &[[f64; 5]], mean: &[f64; 5]) -> [f64; 5] {
    let count = samples.len() as f64;
    let of = |measure: usize| {
        let squares: f64 = samples.iter().map(|sample| (sample[measure] - mean[measure]).powi(2)).sum();
        (squares / (count - 1.0) / count).sqrt()
    };
    std::array::from_fn(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_the_grounds() {
        let curve = |value: f64| vec![(10, Quality::from_values([value; 5]))];
        // Two grounds with two repeats each. The grounds' means are 0.2 and 0.6.
        let curves = [curve(0.1), curve(0.5), curve(0.3), curve(0.7)];
        let curves: Vec<&[(usize, Quality)]> = curves.iter().map(Vec::as_slice).collect();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
        let two = points(&curves, 2);
        close(two[0].mean.map, 0.4);
        // The standard deviation 0.4 / √2, divided by √2.
        close(two[0].error.unwrap().tau, 0.2);
        let one = points(&curves, 1);
        close(one[0].mean.best, 0.4);
        close(one[0].error.unwrap().map, (0.2_f64 / 3.0 / 4.0).sqrt());
        assert!(points(&curves[..1], 1)[0].error.is_none());
    }
}
