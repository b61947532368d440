//! Sessions that are played against the inhabitants, to see how fast the order of the countries is found.

use std::sync::atomic::{AtomicUsize, Ordering};

use ordain::active::{
    AskOptions, BeliefKind, CertaintyParams, Contender, Curve, Facts, Ground, Judge, Strategy, Tournament,
};
use ordain::data::Goal;
use ordain::kernel::KernelSpec;
use ordain::measure::Mean;
use ordain::numeric::{Purpose, Seed};
use ordain::{Model, Project};
use rand::RngExt;
use rayon::prelude::*;

use crate::Failure;
use crate::working::Working;

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
    let (model, ask) = (project.model(), project.model().ask());
    let rules = Tournament {
        answers: ANSWERS,
        repeats: SESSIONS,
        seed: Seed(ask.seed),
        goal: ask.goal,
        judge: Judge::from(model.answer_model()),
        model: *model.answer_model(),
        repeat: ask.repeat,
        watch: working.watch(),
    };
    let contender = |belief, strategy: &str| Contender { belief, strategy: strategy.to_owned(), focus: None };
    let usual = Strategy::for_goal(rules.goal, truth.len() as f64).name();
    let linked = [
        contender(BeliefKind::Gp, usual),
        contender(BeliefKind::Gp, "random"),
        contender(BeliefKind::GLICKO, "random"),
    ];
    let ground = |model: &Model| -> Result<[Ground; 1], Failure> {
        Ok([Ground { groups: None, kernel: model.kernel()?, facts: Facts::Utilities(utilities(truth)) }])
    };
    let unlinked: Vec<KernelSpec> =
        model.kernels().iter().filter(|spec| spec.shape.relation().is_none()).cloned().collect();
    let names = [WITH_LINKS, "Ordain, pairs at random", RATINGS].map(str::to_owned);
    let mut curves: Vec<(String, Curve)> = names.into_iter().zip(rules.play(&ground(model)?, &linked)?).collect();
    // The example may have been changed to have no kernel but that of the borders.
    if !unlinked.is_empty() {
        let without = Model::new(project.items().clone(), unlinked)?;
        let curve = rules.play(&ground(&without)?, &linked[..1])?.into_iter();
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
    // Countries that are close cannot be told apart by asking once.
    let mut ask = project.model().ask().clone();
    (ask.repeat, ask.goal, ask.strategy, ask.focus) = (true, Goal::Top { k: FIRST }, None, None);
    let model = Model::new(project.items().clone(), project.model().kernels().to_vec())?
        .with_relations(project.model().relations().to_vec())
        .with_answer_model(*project.model().answer_model())
        .with_ask(ask);
    let judge = Judge::from(model.answer_model());
    let mut by_truth: Vec<usize> = (0..truth.len()).collect();
    by_truth.sort_by(|&a, &b| truth[b].total_cmp(&truth[a]));
    let over = AtomicUsize::new(2 * SESSIONS);
    let session = |task: usize| -> ordain::Result<Vec<(f64, f64)>> {
        // Streams apart from those of the race.
        let mut stream = Seed(model.ask().seed).stream(Purpose::TaskOf { kind: 1, task: task as u32 });
        let mut options = AskOptions::default();
        options.seed = Some(stream.random());
        let mut session = model.session(&options, None)?;
        let seed = session.params().seed;
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
