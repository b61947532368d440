//! Sessions that are played against the inhabitants, to see how fast the order of the countries is found.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ordain::active::{BeliefKind, CertaintyParams, Facts, Judge, Session, SessionParams, Strategy};
use ordain::data::Goal;
use ordain::formats::Project;
use ordain::gp::AnswerModel;
use ordain::kernel::{self, KernelSpec};
use ordain::numeric::{Purpose, Seed};
use ordain_papers::Mean;
use rand::RngExt;
use rayon::prelude::*;

use crate::Failure;
use crate::model::Working;
use crate::simulate::play::{Contender, Curve, Rules, play};
use crate::simulate::problem::Problem;

/// Sessions of every kind.
pub const SESSIONS: usize = 20;

/// Answers of a session,
const ANSWERS: usize = 100;

/// and of one that finds the first few.
const CLIMB: usize = 300;

/// How many are the first few.
pub const FIRST: usize = 5;

/// What is compared.
pub const WITH_LINKS: &str = "Ordain, with borders";
pub const WITHOUT_LINKS: &str = "Ordain, without borders";
pub const RATINGS: &str = "Glicko ratings, pairs at random";

/// How several kinds of sessions fare.
pub fn race(project: &Project, truth: &[f64], working: &Working) -> Result<Vec<(String, Curve)>, Failure> {
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
    let contender = |belief, strategy: &str| Contender { belief, strategy: strategy.to_owned(), focus: None };
    let usual = Strategy::for_goal(rules.goal, truth.len() as f64).name();
    let linked = [
        contender(BeliefKind::Gp, usual),
        contender(BeliefKind::Gp, "random"),
        contender(BeliefKind::GLICKO, "random"),
    ];
    let play = |kernels: &[KernelSpec], contenders: &[Contender], before: usize| -> Result<Vec<Curve>, Failure> {
        let kernel = Arc::new(kernel::build(kernels, &project.items, &project.relations)?);
        let problem = Problem { items: project.items.clone(), kernel, facts: Facts::Utilities(utilities(truth)) };
        Ok(play(&[problem], contenders, &rules, |over, of| working.progress(before + over, 3 * of))?)
    };
    let unlinked: Vec<KernelSpec> =
        project.kernels.iter().filter(|spec| spec.shape.relation().is_none()).cloned().collect();
    let names = [WITH_LINKS, "Ordain, pairs at random", RATINGS].map(str::to_owned);
    let mut curves: Vec<(String, Curve)> = names.into_iter().zip(play(&project.kernels, &linked, 0)?).collect();
    // The example may have been changed to have no kernel but that of the borders.
    if !unlinked.is_empty() {
        let curve = play(&unlinked, &linked[..1], SESSIONS)?.into_iter();
        curves.splice(1..1, curve.map(|curve| (WITHOUT_LINKS.to_owned(), curve)));
    }
    Ok(curves)
}

/// How sure sessions are of the first few after so many answers, and in which share of them it is so.
pub struct Step {
    pub answers: usize,
    pub said: Mean,
    pub right: Mean,
}

/// Plays sessions that find the first few.
pub fn climb(project: &Project, truth: &[f64], working: &Working) -> Result<Vec<Step>, Failure> {
    let truth = utilities(truth);
    let model = AnswerModel::new(project.noise, project.tie_width)?;
    let kernel = Arc::new(kernel::build(&project.kernels, &project.items, &project.relations)?);
    let mut by_truth: Vec<usize> = (0..truth.len()).collect();
    by_truth.sort_by(|&a, &b| truth[b].total_cmp(&truth[a]));
    let over = AtomicUsize::new(2 * SESSIONS);
    let session = |task: usize| -> ordain::Result<Vec<(f64, f64)>> {
        // Streams apart from those of the race.
        let mut stream = Seed(project.ask.seed).stream(Purpose::TaskOf { kind: 1, task: task as u32 });
        let strategy = Strategy::for_goal(Goal::Top { k: FIRST }, truth.len() as f64);
        let seed = Seed(stream.random());
        // Countries that are close cannot be told apart by asking once.
        let params = SessionParams::new(strategy).with_repeat(true).with_seed(seed);
        let mut session = Session::new(kernel.clone(), None, model, params)?;
        let mut steps = Vec::new();
        for answers in 0..=CLIMB {
            if answers % 10 == 0 {
                // Few draws: what is shown is a mean over sessions.
                let sure = session.certainty(&CertaintyParams::default().with_draws(256).with_seed(seed))?;
                let mean = session.belief().mean();
                let mut order: Vec<usize> = (0..truth.len()).collect();
                order.sort_by(|&a, &b| mean[b].total_cmp(&mean[a]));
                let right = order.iter().take(FIRST).all(|item| by_truth[..FIRST].contains(item));
                steps.push((sure[0].top(FIRST), f64::from(u8::from(right))));
            }
            let Some(question) = session.ask()? else { break };
            let judge = Judge::from(&model);
            session.tell(judge.compare(&truth, question.first, question.second, &mut stream)?)?;
        }
        working.progress(over.fetch_add(1, Ordering::Relaxed) + 1, 3 * SESSIONS);
        Ok(steps)
    };
    let sessions: Vec<Vec<(f64, f64)>> = (0..SESSIONS).into_par_iter().map(session).collect::<ordain::Result<_>>()?;
    let step = |at: usize| {
        let of = |value: fn(&(f64, f64)) -> f64| {
            Mean::of(&sessions.iter().map(|steps| value(&steps[at])).collect::<Vec<_>>())
        };
        Step { answers: 10 * at, said: of(|step| step.0), right: of(|step| step.1) }
    };
    Ok((0..sessions.iter().map(Vec::len).min().unwrap_or(0)).map(step).collect())
}

/// Inhabitants span several powers of ten: their logarithms, to mean 0 and variance 1, are on the scale that the model
/// expects.
fn utilities(inhabitants: &[f64]) -> Vec<f64> {
    let logs: Vec<f64> = inhabitants.iter().map(|count| count.ln()).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / count).sqrt();
    logs.iter().map(|log| (log - mean) / deviation).collect()
}
