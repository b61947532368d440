//! Sessions against the truth, to see how fast the order of the countries is found.

use std::sync::atomic::{AtomicUsize, Ordering};

use ordain::active::{
    Asking, BeliefKind, CertaintyParams, Contender, Curve, Facts, Ground, Judge, Match, Mistakes, Rules, SessionParams,
    Tournament, marks,
};
use ordain::kernel::{KernelSpec, Over, Shape};
use ordain::measure::Mean;
use ordain::numeric::Seed;
use ordain::{Model, Project};
use rayon::prelude::*;

use crate::Failure;
use crate::simulate::Measure;
use crate::simulate::picture::{Scale, picture};
use crate::working::Working;

/// The number of sessions per contender.
pub const SESSIONS: usize = 40;

/// The number of answers per session.
const ANSWERS: usize = 100;

/// The numbers of answers at which contenders are compared.
pub const MARKS: [usize; 4] = [10, 20, 50, 100];

/// The name of the contender with all parts.
pub const ORDAIN: &str = "Ordain";
const WITHOUT_LINKS: &str = "Ordain without neighbours";
const WITHOUT_ATTRIBUTES: &str = "Ordain without attributes";
const AT_RANDOM: &str = "Ordain with random pairs";
pub const RATINGS: &str = "Glicko with random pairs";

/// The parts of Ordain, each with the contender that lacks it.
const PARTS: [(&str, &str); 3] =
    [("neighbours", WITHOUT_LINKS), ("attributes", WITHOUT_ATTRIBUTES), ("asking", AT_RANDOM)];

/// What charts show, in percent.
pub const IN_ORDER: &str = "Pairs in the right order";

/// The results of the sessions.
pub struct Race {
    /// The contenders' names and curves, Ordain's first.
    pub curves: Vec<(String, Curve)>,
    /// The share of pairs in the right order that Ordain itself expects, after each number of answers.
    pub expected: Vec<(usize, Mean)>,
}

impl Race {
    /// Plays all sessions. In each session, all contenders meet the same judge with the same random draws.
    pub fn run(project: &Project, truth: &[f64], working: &Working) -> Result<Self, Failure> {
        let (model, ask) = (project.model(), project.model().ask());
        let rules = Tournament {
            answers: ANSWERS,
            repeats: SESSIONS,
            seed: Seed(ask.seed),
            goal: ask.goal,
            judge: Judge::from(model.answer_model()),
            mistakes: Mistakes::default(),
            model: model.answer_model().clone(),
            repeat: ask.repeat,
            watch: working.watch(),
        };
        let strategy = project.asking()?.strategy;
        let asking = Contender { belief: BeliefKind::Gp, strategy: strategy.name().into(), focus: strategy.focus() };
        let random = |belief| Contender { belief, strategy: "random".into(), focus: None };
        let facts = Facts::Utilities(utilities(truth));
        let ground = |model: &Model| -> Result<[Ground; 1], Failure> { Ok([model.ground(facts.clone())?]) };
        let full = ground(model)?;
        let all = [asking, random(BeliefKind::Gp), random(BeliefKind::GLICKO)];
        let names = [ORDAIN, AT_RANDOM, RATINGS].map(str::to_owned);
        let mut curves: Vec<(String, Curve)> = names.into_iter().zip(rules.play(&full, &all)?).collect();
        for (at, (name, kernels)) in (1..).zip(lesser(model.kernels())) {
            let lesser = Model::new(project.items().clone(), kernels)?.with_relations(model.relations().to_vec());
            let curve = rules.play(&ground(&lesser)?, &all[..1])?.remove(0);
            curves.insert(at, (name.to_owned(), curve));
        }
        let expected = expected(project.asking()?, &full[0], &rules, |over| working.progress(over, SESSIONS))?;
        Ok(Self { curves, expected })
    }

    /// All curves as a picture.
    pub fn picture(&self) -> String {
        let runs: Vec<(String, &Curve)> = self.curves.iter().map(|(name, curve)| (name.clone(), curve)).collect();
        picture(&runs, Measure::Accuracy, IN_ORDER, Scale::Percent)
    }

    /// The curve of a contender.
    pub fn curve(&self, name: &str) -> Option<&Curve> {
        self.curves.iter().find(|(other, _)| other == name).map(|(_, curve)| curve)
    }

    /// The gain in the share of pairs in the right order by each part, at every mark.
    pub fn gains(&self) -> Vec<(&'static str, Vec<Mean>)> {
        let at = |name: &str, answers: usize| {
            let point = self.curve(name)?.points.iter().find(|point| point.answers == answers)?;
            Some(Mean { value: point.mean.accuracy, error: point.error?.accuracy })
        };
        let gain = |without: &str, answers: usize| {
            let (with, without) = (at(ORDAIN, answers)?, at(without, answers)?);
            // The error for independent sessions. They share their random draws, so this is somewhat too large.
            Some(Mean { value: with.value - without.value, error: with.error.hypot(without.error) })
        };
        let gains = |&(part, without): &(&'static str, &str)| {
            let marks: Option<Vec<Mean>> = MARKS.iter().map(|&answers| gain(without, answers)).collect();
            Some((part, marks?))
        };
        PARTS.iter().filter_map(gains).collect()
    }
}

/// The kernels without those over links, and without those over attributes. A variant is left out if it has no kernels
/// or lacks none.
fn lesser(all: &[KernelSpec]) -> Vec<(&'static str, Vec<KernelSpec>)> {
    let without = |part: fn(&Shape) -> bool| -> Vec<KernelSpec> {
        all.iter().filter(|spec| !part(&spec.shape)).cloned().collect()
    };
    let links = without(|shape| shape.relation().is_some());
    let attributes = without(|shape| matches!(shape, Shape::Vector { over: Over::Attributes, .. }));
    let both = [(WITHOUT_LINKS, links), (WITHOUT_ATTRIBUTES, attributes)];
    both.into_iter().filter(|(_, kernels)| !kernels.is_empty() && kernels.len() < all.len()).collect()
}

/// The share that Ordain expects of itself, in the sessions of the tournament.
fn expected(
    asking: Asking,
    ground: &Ground,
    rules: &Tournament,
    watch: impl Fn(usize) + Sync,
) -> Result<Vec<(usize, Mean)>, Failure> {
    let params = SessionParams::new(asking.strategy).with_repeat(asking.repeat);
    let of_match = Rules {
        groups: None,
        model: rules.model.clone(),
        judge: rules.judge,
        mistakes: rules.mistakes,
        answers: rules.answers,
    };
    let shown: Vec<usize> = std::iter::once(0).chain(marks(rules.answers)).collect();
    let over = AtomicUsize::new(0);
    // Few draws suffice, because a mean over sessions is shown.
    let draws = CertaintyParams::default().with_draws(64).with_seed(rules.seed);
    let session = |task: usize| -> ordain::Result<Vec<f64>> {
        let conditions = Match::draw(&ground.facts, None, &mut rules.seed.stream(task as u64))?;
        let mut game = conditions.begin(ground.kernel.clone(), params.clone(), &of_match)?;
        let mut said = Vec::new();
        for answers in 0..=rules.answers {
            if answers > 0 {
                game.step()?;
            }
            if shown.contains(&answers) {
                said.push(1.0 - game.session.certainty(&draws)?[0].error());
            }
        }
        watch(over.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(said)
    };
    let sessions: Vec<Vec<f64>> = (0..rules.repeats).into_par_iter().map(session).collect::<ordain::Result<_>>()?;
    let mark = |(at, answers): (usize, usize)| {
        let said: Vec<f64> = sessions.iter().map(|said| said[at]).collect();
        (answers, Mean::of(&said))
    };
    Ok(shown.into_iter().enumerate().map(mark).collect())
}

/// The truth, scaled to mean 0 and variance 1 as the model expects.
fn utilities(truth: &[f64]) -> Vec<f64> {
    let count = truth.len() as f64;
    let mean = truth.iter().sum::<f64>() / count;
    let deviation = (truth.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    truth.iter().map(|value| (value - mean) / deviation).collect()
}
