//! How near the goal is while questions are asked, and how many answers it takes.
//!
//! Forecasts are made while the judge thinks. A pipe does not think, so it gets none, and every run prints the same.

use std::thread::{self, JoinHandle};

use ordain::active::{Foreseen, Session, Span, Standing, StopRule};
use ordain::{Project, Watch};
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

use crate::{Failure, output};

/// The number of answers between two checks of the stop rule in a world. These checks are most of the cost.
const GRAIN: usize = 5;

/// The number of answers between two forecasts.
const EVERY: usize = 5;

/// The goal, and the progress towards it.
pub struct Progress {
    rule: StopRule,
    groups: usize,
    /// Whether somebody thinks between the questions.
    thinks: bool,
    /// The extent of forecasts; `None` if they would take too long.
    span: Option<Span>,
    latest: Option<Foreseen>,
    running: Option<JoinHandle<ordain::Result<Foreseen>>>,
}

impl Progress {
    pub fn new(project: &Project, thinks: bool) -> Result<Self, Failure> {
        let (items, answers) = (project.items(), project.model().answers().count());
        let asking = project.asking()?;
        let learns = project.model().answer_model().adapts();
        let span = Span::within(Span::BUDGET, GRAIN, items, answers, asking.strategy, learns);
        let groups = items.group_sizes().len();
        Ok(Self { rule: asking.rule, groups, thinks, span, latest: None, running: None })
    }

    /// The reason why certainty or forecasts are never shown, to be printed once.
    pub fn silence(&self, standing: Option<Standing>) -> Option<&'static str> {
        match (standing, self.span) {
            (None, _) => Some("certainty is left out: with so many items, counting it would make you wait"),
            (Some(_), None) if self.thinks => {
                Some("the forecast is left out: with so many items, it would take too long")
            }
            (Some(_), _) => None,
        }
    }

    /// Begins a new forecast if the latest one is some answers old.
    pub fn look_ahead(&mut self, session: &Session) -> Result<(), Failure> {
        let Some(span) = self.span.filter(|_| self.thinks) else { return Ok(()) };
        if let Some(thread) = self.running.take_if(|thread| thread.is_finished()) {
            self.latest = Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        let at = session.learned();
        let fresh = self.latest.as_ref().is_some_and(|latest| at.abs_diff(latest.given) < EVERY);
        if !fresh && self.running.is_none() {
            let outlook = session.outlook(span)?;
            // The forecast runs on one core, so that the next question does not wait for it.
            let alone = ThreadPoolBuilder::new().num_threads(1).build().map_err(no_thread)?;
            self.running = Some(thread::spawn(move || alone.install(|| outlook.look(&Watch::NONE))));
        }
        Ok(())
    }

    /// How sure the goal is, in words, where so many answers were given. `ordain rank` says the same number of the same answers, so the
    /// words are others where it would say another one.
    /// Of all answers, `gold` are about gold pairs: they count here as above a question, or it would show which they were.
    pub fn certainty(&self, standing: Standing, answers: usize, gold: usize) -> String {
        let sure = self.rule.sentence(standing.probability, self.groups);
        let after = match answers == standing.answers {
            true => String::new(),
            false => format!("after {}: ", output::count(standing.answers + gold, "answer")),
        };
        match standing.is_rough {
            true => format!("{after}about {sure} (a quick count; \"ordain rank\" counts well)"),
            false => after + &sure,
        }
    }

    /// The number of answers that the goal takes, in words.
    pub fn to_go(&self) -> Option<String> {
        self.latest.map(Foreseen::in_all)
    }
}

fn no_thread(error: ThreadPoolBuildError) -> ordain::Error {
    ordain::Error::Io { action: "start", path: "a thread".into(), source: std::io::Error::other(error) }
}
