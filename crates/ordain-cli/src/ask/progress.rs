//! How near the goal is while questions are asked, and how many answers it takes.
//!
//! Slow work is done while the judge thinks.

use std::thread::{self, JoinHandle};

use ordain::active::{Foreseen, Session, Span, Standing, StopRule};
use ordain::{Project, Watch};
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

use crate::Failure;

/// The way in which forecasts are made.
struct Manner {
    /// The operations allowed for one forecast, at about 1e9 operations per second and core.
    budget: f64,
    /// The number of answers between two checks of the stop rule in a world. These checks are most of the cost.
    grain: usize,
    /// The number of answers between two forecasts.
    every: usize,
}

/// Forecasts that somebody waits for, as when input is a pipe.
const AT_ONCE: Manner = Manner { budget: 3e8, grain: 5, every: 20 };

/// Forecasts that are made while the judge thinks.
const MEANWHILE: Manner = Manner { budget: 2e10, grain: 5, every: 5 };

/// The goal, and the progress towards it.
pub struct Progress {
    rule: StopRule,
    groups: usize,
    /// The extent of forecasts and the answers between them; `None` if they would take too long.
    span: Option<(Span, usize)>,
    /// Whether to wait for forecasts. This is so when input is a pipe, so every run prints the same.
    patient: bool,
    latest: Option<Foreseen>,
    running: Option<JoinHandle<ordain::Result<Foreseen>>>,
}

impl Progress {
    pub fn new(project: &Project, patient: bool) -> Result<Self, Failure> {
        let (items, answers) = (project.items(), project.model().answers().standing().len());
        let asking = project.asking()?;
        let Manner { budget, grain, every } = if patient { AT_ONCE } else { MEANWHILE };
        let learns = project.model().answer_model().learns();
        let span = Span::within(budget, grain, items, answers, asking.strategy, learns).map(|span| (span, every));
        let groups = items.group_sizes().len();
        Ok(Self { rule: asking.rule, groups, span, patient, latest: None, running: None })
    }

    /// The reason why certainty or forecasts are never shown, to be printed once.
    pub fn silence(&self, standing: Option<Standing>) -> Option<&'static str> {
        match (standing, self.span) {
            (None, _) => Some("certainty is left out: with so many items, counting it would make you wait"),
            (Some(_), None) => Some("the forecast is left out: with so many items, it would take too long"),
            (Some(_), Some(_)) => None,
        }
    }

    /// Makes a new forecast if the latest one is some answers old.
    pub fn look_ahead(&mut self, session: &Session) -> Result<(), Failure> {
        let Some((span, every)) = self.span else { return Ok(()) };
        let at = session.answers().len();
        if let Some(thread) = self.running.take_if(|thread| thread.is_finished()) {
            self.latest = Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        let fresh = self.latest.as_ref().is_some_and(|latest| at.abs_diff(latest.given) < every);
        if fresh || self.running.is_some() {
            return Ok(());
        }
        let outlook = session.outlook(span)?;
        if self.patient {
            self.latest = Some(outlook.look(&Watch::NONE)?);
        } else {
            // The forecast runs on one core, so that the next question does not wait for it.
            let alone = ThreadPoolBuilder::new().num_threads(1).build().map_err(no_thread)?;
            self.running = Some(thread::spawn(move || alone.install(|| outlook.look(&Watch::NONE))));
        }
        Ok(())
    }

    /// How sure the goal is, in words.
    pub fn certainty(&self, standing: Standing) -> String {
        self.rule.sentence(standing.probability, self.groups)
    }

    /// The number of answers that the goal takes, in words.
    pub fn to_go(&self) -> Option<String> {
        self.latest.as_ref().map(|latest| latest.in_all())
    }
}

fn no_thread(error: ThreadPoolBuildError) -> ordain::Error {
    ordain::Error::Io { action: "start", path: "a thread".into(), source: std::io::Error::other(error) }
}
