//! How sure the ranking is while questions are asked, and how many more answers are needed.
//!
//! Slow work is done while the judge thinks.

use std::thread::{self, JoinHandle};

use ordain::active::{CertaintyParams, Foreseen, Session, Span, StopRule, certainty_cost};
use ordain::data::Items;
use ordain::numeric::Seed;
use ordain::{Project, Watch};
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

use crate::Failure;

/// The operations allowed for a count of certainty, which happens before every question: about a fifth of a second on
/// two cores.
const CERTAINTY_BUDGET: f64 = 1.2e9;

/// The way in which forecasts are made.
struct Manner {
    /// The operations allowed for one forecast, at about 1e9 operations per second and core.
    budget: f64,
    /// The number of answers between two counts of certainty in a world. These counts are most of the cost.
    grain: usize,
    /// The number of answers between two forecasts.
    every: usize,
}

/// Forecasts that are made between two questions.
const AT_ONCE: Manner = Manner { budget: 1e8, grain: 20, every: 10 };

/// Forecasts that are made while the judge thinks.
const MEANWHILE: Manner = Manner { budget: 4e9, grain: 25, every: 50 };

/// The goal, and the progress towards it.
pub struct Progress {
    rule: StopRule,
    /// Whether certainty is counted at all.
    countable: bool,
    /// The extent of forecasts; `None` if they would take too long.
    span: Option<Span>,
    /// Whether forecasts are made while the judge thinks.
    meanwhile: bool,
    /// Whether to wait for forecasts. This is so when input is a pipe, so every run prints the same.
    patient: bool,
    latest: Option<Latest>,
    running: Option<(JoinHandle<ordain::Result<Foreseen>>, usize)>,
}

/// The latest forecast, and the number of answers when it was made.
struct Latest {
    foreseen: Foreseen,
    at: usize,
}

impl Progress {
    pub fn new(rule: StopRule, project: &Project, patient: bool) -> Result<Self, Failure> {
        let (items, answers) = (project.items(), project.model().answers().standing().len());
        let asking = project.asking()?;
        let span = |manner: &Manner| Span::within(manner.budget, manner.grain, items, answers, asking.strategy);
        let at_once = span(&AT_ONCE);
        let countable = certainty_cost(items, answers, quick(asking.seed).draws) <= CERTAINTY_BUDGET;
        let span = at_once.or_else(|| span(&MEANWHILE)).filter(|_| countable);
        Ok(Self { rule, countable, span, meanwhile: at_once.is_none(), patient, latest: None, running: None })
    }

    /// The probability that the goal is reached, in the group where it is smallest; `None` if there are too many items.
    pub fn probability(&self, session: &Session) -> Result<Option<f64>, Failure> {
        let params = quick(session.params().seed);
        let count = || Ok(self.rule.probability(&session.certainty(&params)?));
        self.countable.then(count).transpose()
    }

    /// Whether this probability reaches the target.
    pub fn is_enough(&self, probability: Option<f64>) -> bool {
        probability.is_some_and(|probability| probability >= self.rule.target)
    }

    /// The reason why certainty or forecasts are never shown, to be printed once.
    pub fn silence(&self) -> Option<&'static str> {
        match (self.countable, self.span) {
            (false, _) => Some("certainty is left out: with so many items, counting it would make you wait"),
            (true, None) => Some("the forecast is left out: with so many items, it would take too long"),
            (true, Some(_)) => None,
        }
    }

    /// Makes a new forecast if the latest one is some answers old.
    pub fn look_ahead(&mut self, session: &Session) -> Result<(), Failure> {
        let Some(span) = self.span else { return Ok(()) };
        let at = session.answers().len();
        if let Some((thread, then)) = self.running.take_if(|(thread, _)| self.patient || thread.is_finished()) {
            let foreseen = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            self.latest = Some(Latest { foreseen, at: then });
        }
        let every = if self.meanwhile { MEANWHILE } else { AT_ONCE }.every;
        let fresh = self.latest.as_ref().is_some_and(|latest| at.abs_diff(latest.at) < every);
        if fresh || self.running.is_some() {
            return Ok(());
        }
        let outlook = session.outlook(self.rule, span)?;
        if self.meanwhile {
            // The forecast runs on one core, so that the next question does not wait for it.
            let alone = ThreadPoolBuilder::new().num_threads(1).build().map_err(no_thread)?;
            self.running = Some((thread::spawn(move || alone.install(|| outlook.look(&Watch::NONE))), at));
        } else {
            self.latest = Some(Latest { foreseen: outlook.look(&Watch::NONE)?, at });
        }
        Ok(())
    }

    /// The certainty of the goal, in words.
    pub fn certainty(&self, probability: Option<f64>, items: &Items) -> Option<String> {
        probability.map(|probability| self.rule.sentence(probability, items.group_sizes().len()))
    }

    /// The number of answers still needed, in words.
    pub fn to_go(&self, answers: usize) -> Option<String> {
        self.latest.as_ref().map(|latest| latest.foreseen.to_go(answers as isize - latest.at as isize))
    }
}

fn no_thread(error: ThreadPoolBuildError) -> ordain::Error {
    ordain::Error::Io { action: "start", path: "a thread".into(), source: std::io::Error::other(error) }
}

/// Parameters for a count of certainty while the judge waits.
fn quick(seed: Seed) -> CertaintyParams {
    CertaintyParams::default().with_draws(512).with_seed(seed)
}
