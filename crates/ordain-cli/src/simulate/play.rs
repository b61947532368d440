//! Sessions played against the truth, and their mean quality.

use std::sync::atomic::{AtomicUsize, Ordering};

use ordain::Result;
use ordain::active::{self, BeliefKind, Judge, Match, Quality, SessionParams, Strategy};
use ordain::data::Goal;
use ordain::gp::AnswerModel;
use ordain::numeric::Seed;
use rayon::prelude::*;

use super::problem::Problem;

/// What is compared: a belief that asks by a strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    pub belief: BeliefKind,
    pub strategy: String,
    /// What suits the goal if not given.
    pub focus: Option<f64>,
}

impl Contender {
    fn strategy(&self, goal: Goal, problem: &Problem) -> Result<Strategy> {
        Strategy::named(&self.strategy, self.focus, goal, problem.group_size())
    }

    /// The focus of its strategy, if that is the same for all problems.
    fn common_focus(&self, goal: Goal, problems: &[Problem]) -> Result<Option<f64>> {
        let all: Vec<Option<f64>> =
            problems.iter().map(|problem| Ok(self.strategy(goal, problem)?.focus())).collect::<Result<_>>()?;
        Ok(all.first().copied().flatten().filter(|focus| all.iter().all(|other| *other == Some(*focus))))
    }
}

/// How sessions are played.
pub struct Rules {
    pub answers: usize,
    /// Sessions of every contender on every problem.
    pub repeats: usize,
    pub seed: Seed,
    pub goal: Goal,
    pub judge: Judge,
    /// What the contenders believe of the judge.
    pub model: AnswerModel,
    /// Whether a pair may be asked again.
    pub repeat: bool,
}

/// How a contender did.
pub struct Curve {
    pub focus: Option<f64>,
    pub points: Vec<Point>,
}

/// How a contender did after so many answers.
pub struct Point {
    pub answers: usize,
    pub mean: Quality,
    /// Standard errors of the means; none if there is but one session.
    pub error: Option<Quality>,
}

/// Plays every contender on every problem. All contenders of a problem and repeat meet the same truth and a judge with the
/// same stream. `watch` hears how many such rounds of how many are over.
///
/// # Errors
/// If a strategy cannot be made, or a session cannot ask or learn.
pub fn play(
    problems: &[Problem],
    contenders: &[Contender],
    rules: &Rules,
    watch: impl Fn(usize, usize) + Sync,
) -> Result<Vec<Curve>> {
    let total = problems.len() * rules.repeats;
    let over = AtomicUsize::new(0);
    let round = |task: usize| -> Result<Vec<Vec<(usize, Quality)>>> {
        let problem = &problems[task % problems.len()];
        let groups = problem.items.groups();
        let conditions = Match::draw(&problem.facts, groups, &mut rules.seed.stream(task as u64))?;
        let of_match = active::Rules { groups, model: rules.model, judge: rules.judge, answers: rules.answers };
        let one = |contender: &Contender| {
            let params = SessionParams::new(contender.strategy(rules.goal, problem)?)
                .with_belief(contender.belief)
                .with_repeat(rules.repeat)
                .with_seed(rules.seed);
            conditions.play(problem.kernel.clone(), params, &of_match)
        };
        let curves = contenders.iter().map(one).collect::<Result<_>>()?;
        watch(over.fetch_add(1, Ordering::Relaxed) + 1, total);
        Ok(curves)
    };
    let rounds: Vec<Vec<Vec<(usize, Quality)>>> = (0..total).into_par_iter().map(round).collect::<Result<_>>()?;
    let curve = |(at, contender): (usize, &Contender)| {
        let own: Vec<&[(usize, Quality)]> = rounds.iter().map(|round| round[at].as_slice()).collect();
        Ok(Curve { focus: contender.common_focus(rules.goal, problems)?, points: points(&own, problems.len()) })
    };
    contenders.iter().enumerate().map(curve).collect()
}

/// Means over sessions at every mark; a problem's sessions follow each other at this distance. Repeats of a problem are
/// alike, so the standard error is that of the problems' means, or of the repeats where there is but one problem.
fn points(curves: &[&[(usize, Quality)]], problems: usize) -> Vec<Point> {
    let marks = curves.first().map_or(0, |curve| curve.len());
    let point = |mark: usize| {
        let values: Vec<[f64; 5]> = curves.iter().map(|curve| curve[mark].1.values()).collect();
        let samples: Vec<[f64; 5]> = match problems {
            1 => values,
            _ => (0..problems).map(|at| mean(values.iter().skip(at).step_by(problems))).collect(),
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
    fn errors_are_those_of_the_problems() {
        let curve = |value: f64| vec![(10, Quality::from_values([value; 5]))];
        // Two problems, two repeats: means 0.2 and 0.6 of the problems.
        let curves = [curve(0.1), curve(0.5), curve(0.3), curve(0.7)];
        let curves: Vec<&[(usize, Quality)]> = curves.iter().map(Vec::as_slice).collect();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
        let two = points(&curves, 2);
        close(two[0].mean.map, 0.4);
        // A standard deviation of 0.4 / √2 over √2.
        close(two[0].error.unwrap().tau, 0.2);
        let one = points(&curves, 1);
        close(one[0].mean.best, 0.4);
        close(one[0].error.unwrap().map, (0.2_f64 / 3.0 / 4.0).sqrt());
        assert!(points(&curves[..1], 1)[0].error.is_none());
    }
}
