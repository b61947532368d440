//! Plays default projects to their stop rule: how many answers they take, how often they are right, and what they said and forecast.
//!
//! `cargo run --release -p ordain-bench --bin stopping -- [SESSIONS] [NAME...]`. A name is that of a setting, a judge, a goal or a
//! strategy; only those that are named are played, or all. Prints tables in Markdown.

#![allow(clippy::print_stdout, clippy::print_stderr)] // It prints tables.

mod setting;
mod table;

use ordain::active::{AskOptions, Judge, Session, Span};
use ordain::data::{Answer, Goal};
use ordain::numeric::Seed;
use ordain::{Result, Watch};
use rand::{Rng, RngExt};
use rayon::prelude::*;

use self::setting::{Setting, World};
use self::table::{Cell, Played};

/// A judge: which share of answers is turned round, and whether the same pair always is.
#[derive(Clone, Copy)]
struct Manner {
    name: &'static str,
    share: f64,
    persist: bool,
}

const JUDGES: [Manner; 5] = [
    Manner { name: "never-wrong", share: 0.0, persist: false },
    Manner { name: "10%-answers", share: 0.1, persist: false },
    Manner { name: "20%-answers", share: 0.2, persist: false },
    Manner { name: "10%-pairs", share: 0.1, persist: true },
    Manner { name: "20%-pairs", share: 0.2, persist: true },
];

const GOALS: [(&str, Goal); 3] =
    [("best", Goal::Best), ("top-5", Goal::Top { k: 5 }), ("whole-order", Goal::WholeOrder)];

/// The goal's own strategy, and random pairs.
const STRATEGIES: [(&str, Option<&str>); 2] = [("own", None), ("random", Some("random"))];

/// A session ends after this many answers per item.
const ANSWERS_PER_ITEM: usize = 10;

/// The shares of the way at which forecasts are made.
const WAY: [f64; 3] = [0.25, 0.5, 0.75];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sessions = arguments.iter().find_map(|word| word.parse().ok()).unwrap_or(200);
    let forecasts = arguments.iter().any(|word| word == "forecasts");
    let wanted = |names: &[&str], name: &str| {
        let named: Vec<&String> = arguments.iter().filter(|word| names.contains(&word.as_str())).collect();
        named.is_empty() || named.iter().any(|word| *word == name)
    };
    let mut cells = Vec::new();
    for setting in Setting::ALL.into_iter().filter(|one| wanted(&Setting::ALL.map(Setting::name), one.name())) {
        for manner in JUDGES.into_iter().filter(|one| wanted(&JUDGES.map(|one| one.name), one.name)) {
            for (goal_name, goal) in GOALS.into_iter().filter(|one| wanted(&GOALS.map(|one| one.0), one.0)) {
                for (name, strategy) in STRATEGIES.into_iter().filter(|one| wanted(&STRATEGIES.map(|one| one.0), one.0))
                {
                    let options =
                        AskOptions::default().with_goal(Some(goal)).with_strategy(strategy.map(str::to_owned));
                    let one = |number: usize| play(setting, manner, &options, number, forecasts && name == "own");
                    let played = (0..sessions).into_par_iter().map(one).collect::<Result<Vec<Played>>>()?;
                    let cell =
                        Cell { setting: setting.name(), judge: manner.name, goal: goal_name, strategy: name, played };
                    eprintln!("{}", cell.row());
                    cells.push(cell);
                }
            }
        }
    }
    table::print(&cells);
    Ok(())
}

/// Plays a session to its end.
fn play(setting: Setting, manner: Manner, options: &AskOptions, number: usize, forecasts: bool) -> Result<Played> {
    let world = setting.world(number, manner.share)?;
    let options = options.clone().with_seed(Some(number as u64));
    let mut session = world.model.session(&options, None, &Watch::NONE)?;
    let mut heard = Heard::new(&world, manner, number);
    let most = ANSWERS_PER_ITEM * world.utilities.len();
    let mut stopped = session.is_done()?;
    while !stopped && session.answers().len() < most {
        let Some(question) = session.ask()? else { break };
        session.tell(heard.answer(&question)?)?;
        stopped = session.is_done()?;
    }
    let rule = world.model.asking(&options)?.rule;
    let (answers, given) = (session.answers().len(), world.model.answers().standing().len());
    let mut foreseen = Vec::new();
    if forecasts && stopped {
        for share in WAY {
            let at = given + ((answers - given) as f64 * share).round() as usize;
            foreseen.push(forecast(&world, &options, session.answers(), at)?.map(|ends| (ends, answers - at)));
        }
    }
    Ok(Played {
        answers,
        stopped,
        right: rule.holds(session.belief().mean(), world.model.items().groups(), &world.utilities)?,
        stated: session.standing()?.map_or(f64::NAN, |standing| standing.probability),
        foreseen,
    })
}

/// The forecast interval after the first `at` answers; `None` if it cannot be told.
fn forecast(world: &World, options: &AskOptions, answers: &[Answer], at: usize) -> Result<Option<table::Ends>> {
    let mut session: Session = world.model.session(options, None, &Watch::NONE)?;
    for answer in &answers[session.answers().len()..at] {
        session.tell(answer.clone())?;
    }
    let learns = session.model().learns();
    let Some(span) = Span::within(4e9, 5, world.model.items(), at, session.params().strategy, learns) else {
        return Ok(None);
    };
    let found = session.outlook(span)?.look(&Watch::NONE)?.forecast;
    Ok(found.median.map(|_| (found.low, found.high)))
}

/// A judge at work.
struct Heard<'a> {
    world: &'a World,
    manner: Manner,
    judge: Judge,
    seed: Seed,
    stream: ordain::numeric::Stream,
}

impl<'a> Heard<'a> {
    fn new(world: &'a World, manner: Manner, number: usize) -> Self {
        let seed = Seed(1_000_000 + number as u64);
        Self { world, manner, judge: world.judge, seed, stream: seed.stream(0) }
    }

    fn answer(&mut self, question: &ordain::active::Question) -> Result<Answer> {
        let (first, second) = (question.first, question.second);
        let answer = self.judge.compare(&self.world.utilities, first, second, &mut self.stream)?;
        let pair = (u64::from(first.min(second).0) << 32) | u64::from(first.max(second).0);
        let mut own = self.seed.stream(1 + pair);
        let stream: &mut dyn Rng = if self.manner.persist { &mut own } else { &mut self.stream };
        Ok(if stream.random::<f64>() < self.manner.share { answer.turned() } else { answer })
    }
}
