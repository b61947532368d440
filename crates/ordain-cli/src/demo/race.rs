//! Sessions that are played against the truth, to see how fast the order of the countries is found.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ordain::active::{self, BeliefKind, CertaintyParams, Facts, Judge, Match, Session, SessionParams, Strategy};
use ordain::formats::Project;
use ordain::gp::AnswerModel;
use ordain::kernel::{self, KernelSpec, Over, Shape};
use ordain::numeric::Seed;
use ordain_papers::Mean;
use rayon::prelude::*;

use crate::Failure;
use crate::model::Working;
use crate::simulate::play::{Contender, Curve, Rules, play};
use crate::simulate::problem::Problem;

/// Sessions of every contender.
pub const SESSIONS: usize = 40;

/// Answers of a session.
const ANSWERS: usize = 100;

/// Where contenders are compared: answers given.
pub const MARKS: [usize; 4] = [10, 20, 50, 100];

/// The contenders.
pub const ORDAIN: &str = "Ordain";
const WITHOUT_LINKS: &str = "Ordain without neighbours";
const WITHOUT_ATTRIBUTES: &str = "Ordain without attributes";
const AT_RANDOM: &str = "Ordain with random pairs";
pub const RATINGS: &str = "Glicko with random pairs";

/// What Ordain has, and the contender that does without.
const PARTS: [(&str, &str); 3] =
    [("neighbours", WITHOUT_LINKS), ("attributes", WITHOUT_ATTRIBUTES), ("asking", AT_RANDOM)];

/// How the sessions went.
pub struct Race {
    /// The contenders' names and curves, Ordain's first.
    pub curves: Vec<(String, Curve)>,
    /// The share of pairs in the right order that Ordain itself expects, after so many answers.
    pub expected: Vec<(usize, Mean)>,
}

impl Race {
    /// Plays all sessions. The contenders of a session meet the same judge, with the same luck.
    pub fn run(project: &Project, truth: &[f64], working: &Working) -> Result<Self, Failure> {
        let model = AnswerModel::new(project.noise, project.tie_width)?;
        let rules = Rules {
            answers: ANSWERS,
            repeats: SESSIONS,
            seed: Seed(project.ask.seed),
            goal: project.ask.goal,
            judge: Judge::from(&model),
            model,
            repeat: project.ask.repeat,
        };
        let usual = Strategy::usual_name(rules.goal, project.ask.focus.is_some());
        let strategy = project.ask.strategy.as_deref().unwrap_or(usual);
        let asking = Contender { belief: BeliefKind::Gp, strategy: strategy.to_owned(), focus: project.ask.focus };
        let random = |belief| Contender { belief, strategy: "random".into(), focus: None };
        let facts = Facts::Utilities(utilities(truth));
        let problem = |kernels: &[KernelSpec]| -> Result<Problem, Failure> {
            let kernel = Arc::new(kernel::build(kernels, &project.items, &project.relations)?);
            Ok(Problem { items: project.items.clone(), kernel, facts: facts.clone() })
        };
        let full = problem(&project.kernels)?;
        let all = [asking, random(BeliefKind::Gp), random(BeliefKind::GLICKO)];
        let lesser = lesser(&project.kernels);
        let rounds = (2 + lesser.len()) * SESSIONS;
        let turn = |number: usize, problem: &Problem, contenders: &[Contender]| {
            let watch = |over, _| working.progress(number * SESSIONS + over, rounds);
            play(std::slice::from_ref(problem), contenders, &rules, watch)
        };
        let names = [ORDAIN, AT_RANDOM, RATINGS].map(str::to_owned);
        let mut curves: Vec<(String, Curve)> = names.into_iter().zip(turn(0, &full, &all)?).collect();
        for (at, (name, kernels)) in (1..).zip(&lesser) {
            let curve = turn(at, &problem(kernels)?, &all[..1])?.remove(0);
            curves.insert(at, ((*name).to_owned(), curve));
        }
        let expected = expected(&full, &all[0], &rules, |over| working.progress(rounds - SESSIONS + over, rounds))?;
        Ok(Self { curves, expected })
    }

    /// The curve of a contender.
    pub fn curve(&self, name: &str) -> Option<&Curve> {
        self.curves.iter().find(|(other, _)| other == name).map(|(_, curve)| curve)
    }

    /// What each part adds to the share of pairs in the right order, at every mark.
    pub fn gains(&self) -> Vec<(&'static str, Vec<Mean>)> {
        let at = |name: &str, answers: usize| {
            let point = self.curve(name)?.points.iter().find(|point| point.answers == answers)?;
            Some(Mean { value: point.mean.accuracy, error: point.error?.accuracy })
        };
        let gain = |without: &str, answers: usize| {
            let (with, without) = (at(ORDAIN, answers)?, at(without, answers)?);
            // As if the sessions had nothing in common. They share their luck, so this is rather too much.
            Some(Mean { value: with.value - without.value, error: with.error.hypot(without.error) })
        };
        let gains = |&(part, without): &(&'static str, &str)| {
            let marks: Option<Vec<Mean>> = MARKS.iter().map(|&answers| gain(without, answers)).collect();
            Some((part, marks?))
        };
        PARTS.iter().filter_map(gains).collect()
    }
}

/// The kernels without those over links, and without those over attributes, where that leaves some and leaves some out.
fn lesser(all: &[KernelSpec]) -> Vec<(&'static str, Vec<KernelSpec>)> {
    let without = |part: fn(&Shape) -> bool| -> Vec<KernelSpec> {
        all.iter().filter(|spec| !part(&spec.shape)).cloned().collect()
    };
    let links = without(|shape| shape.relation().is_some());
    let attributes = without(|shape| matches!(shape, Shape::Vector { over: Over::Attributes, .. }));
    let both = [(WITHOUT_LINKS, links), (WITHOUT_ATTRIBUTES, attributes)];
    both.into_iter().filter(|(_, kernels)| !kernels.is_empty() && kernels.len() < all.len()).collect()
}

/// What Ordain expects of itself, in the sessions that [`play`] plays.
fn expected(
    problem: &Problem,
    contender: &Contender,
    rules: &Rules,
    watch: impl Fn(usize) + Sync,
) -> Result<Vec<(usize, Mean)>, Failure> {
    let groups = problem.items.groups();
    let of_match = active::Rules { groups, model: rules.model, judge: rules.judge, answers: rules.answers };
    let over = AtomicUsize::new(0);
    let session = |task: usize| -> ordain::Result<Vec<(usize, f64)>> {
        let conditions = Match::draw(&problem.facts, groups, &mut rules.seed.stream(task as u64))?;
        let strategy = Strategy::named(&contender.strategy, contender.focus, rules.goal, problem.group_size())?;
        let params = SessionParams { strategy, belief: contender.belief, repeat: rules.repeat, seed: rules.seed };
        // Few draws: what is shown is a mean over sessions.
        let draws = CertaintyParams { draws: 64, seed: rules.seed };
        let right = |session: &Session| Ok(1.0 - session.certainty(&draws)?[0].error());
        let curve = conditions.watch(problem.kernel.clone(), params, &of_match, right)?;
        watch(over.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(curve)
    };
    let sessions: Vec<Vec<(usize, f64)>> =
        (0..rules.repeats).into_par_iter().map(session).collect::<ordain::Result<_>>()?;
    let mark = |(at, answers): (usize, usize)| {
        let said: Vec<f64> = sessions.iter().map(|curve| curve[at].1).collect();
        (answers, Mean::of(&said))
    };
    Ok(active::marks(rules.answers).into_iter().enumerate().map(mark).collect())
}

/// The truth to mean 0 and variance 1: the scale that the model expects.
fn utilities(truth: &[f64]) -> Vec<f64> {
    let count = truth.len() as f64;
    let mean = truth.iter().sum::<f64>() / count;
    let deviation = (truth.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    truth.iter().map(|value| (value - mean) / deviation).collect()
}
