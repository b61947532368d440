//! Plays default projects to their stop rule: how many answers they take, how often they are right, and what they said and forecast.
//!
//! `cargo run --release -p ordain-bench --bin stopping -- FILE [SESSIONS] [forecasts] [NAME...]`. FILE keeps every session that was
//! played; what it has already is not played again. A name is that of a setting, a judge, a goal or a strategy; only those that are
//! named are played, or all. Forecasts need a FILE of their own. Prints tables of all that FILE has, in Markdown.

#![allow(clippy::print_stdout, clippy::print_stderr)] // It prints tables.

mod setting;
mod table;

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use ordain::active::{AskOptions, Judge, Session, Span};
use ordain::data::{Answer, Goal};
use ordain::numeric::Seed;
use ordain::{Error, Result, Watch};
use rand::{Rng, RngExt};
use rayon::prelude::*;

use self::setting::{Setting, World};
use self::table::Played;

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

/// Sessions of a kind that are played before those of the next kind have their turn, so that all kinds advance alike.
const TURN: usize = 20;

fn main() -> ExitCode {
    match Wanted::named(std::env::args().skip(1)).and_then(|wanted| run(&wanted)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// What is to be played.
struct Wanted {
    file: PathBuf,
    sessions: usize,
    forecasts: bool,
    names: Vec<String>,
}

impl Wanted {
    fn named(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let refused =
            |found: String, expected: &str| Error::Data { what: "stopping", found, expected: expected.into() };
        let file = arguments.next().ok_or_else(|| refused("no file".into(), "the file that keeps what was played"))?;
        let known: Vec<&str> = (Setting::ALL.map(Setting::name).into_iter())
            .chain(JUDGES.map(|one| one.name))
            .chain(GOALS.map(|one| one.0))
            .chain(STRATEGIES.map(|one| one.0))
            .collect();
        let mut wanted = Self { file: file.into(), sessions: 200, forecasts: false, names: Vec::new() };
        for word in arguments {
            match word.parse() {
                Ok(sessions) => wanted.sessions = sessions,
                Err(_) if word == "forecasts" => wanted.forecasts = true,
                Err(_) if known.contains(&word.as_str()) => wanted.names.push(word),
                Err(_) => return Err(refused(word, &format!("a number, forecasts or one of {}", known.join(", ")))),
            }
        }
        Ok(wanted)
    }

    /// Whether one of these names is played: if it is named, or if none of them is.
    fn has(&self, names: &[&str], name: &str) -> bool {
        let named: Vec<&String> = self.names.iter().filter(|word| names.contains(&word.as_str())).collect();
        named.is_empty() || named.iter().any(|word| *word == name)
    }

    /// The kinds of sessions to play.
    fn kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        for setting in Setting::ALL.into_iter().filter(|one| self.has(&Setting::ALL.map(Setting::name), one.name())) {
            for judge in JUDGES.into_iter().filter(|one| self.has(&JUDGES.map(|one| one.name), one.name)) {
                for goal in GOALS.into_iter().filter(|one| self.has(&GOALS.map(|one| one.0), one.0)) {
                    let strategies = STRATEGIES.into_iter().filter(|one| self.has(&STRATEGIES.map(|one| one.0), one.0));
                    kinds.extend(strategies.map(|strategy| Kind { setting, judge, goal, strategy }));
                }
            }
        }
        kinds
    }
}

/// A kind of session.
#[derive(Clone, Copy)]
struct Kind {
    setting: Setting,
    judge: Manner,
    goal: (&'static str, Goal),
    strategy: (&'static str, Option<&'static str>),
}

impl Kind {
    fn names(&self) -> [String; 4] {
        [self.setting.name(), self.judge.name, self.goal.0, self.strategy.0].map(str::to_owned)
    }
}

/// Plays what the file does not have yet, and prints the tables of all that it has then.
fn run(wanted: &Wanted) -> Result<()> {
    let failed = |source: std::io::Error| Error::Io { action: "keep sessions in", path: wanted.file.clone(), source };
    let mut kept = OpenOptions::new().create(true).read(true).append(true).open(&wanted.file).map_err(failed)?;
    let mut text = String::new();
    kept.read_to_string(&mut text).map_err(failed)?;
    // A last line that was cut off when the process was killed is played again. Anything else that is no session is another's file.
    let (whole, cut_off) = text.split_at(text.rfind('\n').map_or(0, |end| end + 1));
    let foreign = || failed(std::io::Error::other("it has lines that are no sessions"));
    if !cut_off.is_empty() && !cut_off.starts_with("{\"kind\"") {
        return Err(foreign());
    }
    let mut played: Vec<Played> =
        whole.lines().map(|line| serde_json::from_str(line).map_err(|_| foreign())).collect::<Result<_>>()?;
    kept.set_len(whole.len() as u64).map_err(failed)?;
    let mut done: BTreeSet<([String; 4], usize)> = played.iter().map(|one| (one.kind.clone(), one.number)).collect();
    let kinds = wanted.kinds();
    for first in (0..wanted.sessions).step_by(TURN) {
        for kind in &kinds {
            let numbers: Vec<usize> = (first..wanted.sessions.min(first + TURN))
                .filter(|number| done.insert((kind.names(), *number)))
                .collect();
            let one = |number: usize| play(kind, number, wanted.forecasts);
            let more = numbers.into_par_iter().map(one).collect::<Result<Vec<Played>>>()?;
            for one in &more {
                let line = serde_json::to_string(one).map_err(std::io::Error::from).map_err(failed)?;
                writeln!(kept, "{line}").map_err(failed)?;
            }
            played.extend(more);
        }
        eprintln!("{} sessions of every kind", wanted.sessions.min(first + TURN));
    }
    table::print(&played);
    Ok(())
}

/// Plays a session to its end.
fn play(kind: &Kind, number: usize, forecasts: bool) -> Result<Played> {
    let world = kind.setting.world(number, kind.judge.share)?;
    let strategy = kind.strategy.1.map(str::to_owned);
    let options =
        AskOptions::default().with_goal(Some(kind.goal.1)).with_strategy(strategy).with_seed(Some(number as u64));
    let mut session = world.model.session(&options, None, &Watch::NONE)?;
    let mut heard = Heard::new(&world, kind.judge, number);
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
        kind: kind.names(),
        number,
        answers,
        stopped,
        right: rule.holds(session.belief().mean(), world.model.items().groups(), &world.utilities)?,
        stated: session.standing()?.map(|standing| standing.probability),
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
    let Some(span) = Span::within(Span::BUDGET, 5, world.model.items(), at, session.params().strategy, learns) else {
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
