//! How sure the ranking is while questions are asked, and about how many are to come.
//!
//! What takes longer than the blink of an eye is done while the judge thinks.

use std::thread::{self, JoinHandle};

use ordain::active::{CertaintyParams, Foreseen, Session, Span, StopRule, certainty_cost};
use ordain::data::Items;
use ordain::numeric::Seed;
use ordain::{Project, Watch};
use rayon::ThreadPoolBuilder;

use crate::Failure;

/// Operations of a certainty, which is counted before every question: about a fifth of a second on two cores.
const CERTAINTY_BUDGET: f64 = 1.2e9;

/// How forecasts are made.
struct Manner {
    /// Operations of one, about 1e9 a second and core.
    budget: f64,
    /// Answers between two looks at the certainty of a world, which are most of the cost.
    grain: usize,
    /// Answers between two forecasts.
    every: usize,
}

/// Between two questions.
const AT_ONCE: Manner = Manner { budget: 1e8, grain: 20, every: 10 };

/// While the judge thinks.
const MEANWHILE: Manner = Manner { budget: 4e9, grain: 25, every: 50 };

/// The goal, and what is known of the way there.
pub struct Progress {
    rule: StopRule,
    /// Whether certainty is counted at all.
    countable: bool,
    /// How far forecasts look; none if they would take too long.
    span: Option<Span>,
    /// Whether they are made while the judge thinks.
    meanwhile: bool,
    /// Whether the judge is a program: one that reads a pipe hears the same at every run, and so waits for forecasts.
    patient: bool,
    latest: Option<Latest>,
    running: Option<(JoinHandle<ordain::Result<Foreseen>>, usize)>,
}

/// The latest forecast, and after how many answers it was made.
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

    /// The probability that the goal is reached in the group where it is least so; none if there are too many items.
    pub fn probability(&self, session: &Session) -> Result<Option<f64>, Failure> {
        let params = quick(session.params().seed);
        let count = || Ok(self.rule.probability(&session.certainty(&params)?));
        self.countable.then(count).transpose()
    }

    /// Whether this is as sure as was wanted.
    pub fn is_enough(&self, probability: Option<f64>) -> bool {
        probability.is_some_and(|probability| probability >= self.rule.target)
    }

    /// Why something is never said, to be said once.
    pub fn silence(&self) -> Option<&'static str> {
        match (self.countable, self.span) {
            (false, _) => {
                Some("so many items that counting how sure the ranking is would make you wait: it is left out")
            }
            (true, None) => Some("so many items that foreseeing how many answers are to go would take too long"),
            (true, Some(_)) => None,
        }
    }

    /// Looks ahead again if the latest forecast is some answers old.
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
            // On one core of its own, so that the next question does not wait for it.
            let alone = ThreadPoolBuilder::new().num_threads(1).build().map_err(std::io::Error::other)?;
            self.running = Some((thread::spawn(move || alone.install(|| outlook.look(&Watch::NONE))), at));
        } else {
            self.latest = Some(Latest { foreseen: outlook.look(&Watch::NONE)?, at });
        }
        Ok(())
    }

    /// How sure the goal is, in words.
    pub fn certainty(&self, probability: Option<f64>, items: &Items) -> Option<String> {
        probability.map(|probability| self.rule.sentence(probability, items.group_sizes().len()))
    }

    /// How many answers are still needed, in words.
    pub fn to_go(&self, answers: usize) -> Option<String> {
        self.latest.as_ref().map(|latest| latest.foreseen.to_go(answers as isize - latest.at as isize))
    }
}

/// How certainty is counted while the judge waits.
fn quick(seed: Seed) -> CertaintyParams {
    CertaintyParams::default().with_draws(512).with_seed(seed)
}
