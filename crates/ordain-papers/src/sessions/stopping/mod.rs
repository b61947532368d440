//! `stopping`: whether what Ordain says of its own certainty comes true, on documents that no model drew.
//!
//! Four worlds: OHSUMED as it is, two controls whose utilities are drawn from the prior, with a judge who errs as the model
//! says, where everything must be calibrated, and with one who never errs, as OHSUMED's does not; and OHSUMED once more with a model
//! that expects few errors.

mod findings;
mod pool;

use std::sync::Arc;

use ordain::Result;
use ordain::active::{
    CertaintyParams, ForecastParams, Judge, Match, Mistakes, Rules, SessionParams, StopRule, Strategy, Truth, forecast,
};
use ordain::data::Goal;
use ordain::gp::AnswerModel;
use ordain::kernel::Kernel;
use ordain::numeric::Seed;
use ordain::numeric::dense::{Cholesky, multiply_vector};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

use super::drawn::{Drawn, JUDGE, MIND};
use super::tuned::tune_once;
use super::{Problem, TUNED, Way};
use crate::collections::letor;
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;
use crate::stream::Phase;

pub const EXPERIMENT: Experiment = Experiment {
    name: "stopping",
    title: "Whether said probabilities, stop rules and forecasts come true",
    paper: "An experiment of our own",
    figure: "",
    duration: "5 minutes",
    claim: "Is the goal reached as often as Ordain says it is; is it reached with the wanted probability where the stop rule ends a \
            session; and does the number of answers that this takes lie in the forecast interval as often as it should?",
    setting: "Three goals: the best, the first five, the order of all pairs but a tenth; the said probability against the share \
              of sessions that are there, when a session stops, and forecasts of 80 % made after 20 and 50 answers.",
    design: &[
        "40 queries of LETOR's OHSUMED, of each 30 documents drawn at random, so that sessions come to an end. Grades are spread by \
         uniform noise in [-0.5, 0.5]; the judge never errs; no pair is asked twice.",
        "The kernel is a squared exponential over the 25 attributes, standardized within the query, plus what is a document's \
         own, tuned on 20 other queries by the evidence of 100 answers to random pairs of 30 documents. The noise of answers \
         stays 1, so that the weights say how wide utilities are beside it.",
        "Controls have the same queries and kernels, but utilities drawn from the prior: with a judge who errs as the model says, \
         of whom everything said must come true, and with one who never errs. OHSUMED is played once more with a model that is told \
         a tenth of the noise, since its judge never errs.",
        "Every goal is asked for by its default strategy, with the incremental belief. Certainty is looked at after every 5 \
         answers, from 1024 draws of the posterior. A session stops at the first look that says the target.",
        "A forecast is made if the rule is not met yet. It plays 9 worlds, of which the least and the largest number are the \
         interval: another world lies between them with probability 8/10. Numbers beyond what was played count as larger than all others.",
    ],
    differences: &[
        "Chance moves what is said: draws follow each other in a chain, and 1024 of them are worth 100 to 250 independent ones, \
         fewer with little noise. A session that stops at the first look above its target takes some of that chance for certainty.",
    ],
    data: &letor::OHSUMED,
    settings: 1,
    program: &Stopping,
};

/// The program.
struct Stopping;

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// Documents of a query.
    documents: usize,
    /// Answers of a session.
    answers: usize,
    /// Certainty is looked at after every so many.
    step: usize,
    /// Draws by which it is counted.
    draws: usize,
    /// The queries that are played on.
    queries: Vec<String>,
    /// The queries that the kernel was tuned on.
    tuned_on: Vec<String>,
    /// Forecasts are made after so many answers.
    forecasts: Vec<usize>,
    /// Worlds of a forecast.
    worlds: usize,
}

/// Where the truth comes from, and who tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum World {
    /// Grades of the collection; the judge never errs.
    Ohsumed,
    /// The prior; the judge errs as the model says.
    Model,
    /// The prior; the judge never errs.
    Sure,
    /// As OHSUMED, and the model is told that the judge hardly errs.
    Told,
}

impl World {
    const ALL: [Self; 4] = [Self::Ohsumed, Self::Model, Self::Sure, Self::Told];

    /// Its name in files.
    fn name(self) -> &'static str {
        ["ohsumed", "model", "model-sure", "ohsumed-told"][self as usize]
    }

    /// Its name for people.
    fn title(self) -> &'static str {
        ["OHSUMED", "Drawn from the model", "Drawn, judge never errs", "OHSUMED, a tenth of the noise"][self as usize]
    }

    /// What is believed of the judge.
    fn model(self) -> Result<AnswerModel> {
        match self {
            Self::Told => AnswerModel::new(0.1 * std::f64::consts::FRAC_1_SQRT_2, 0.0),
            Self::Ohsumed | Self::Model | Self::Sure => Ok(AnswerModel::default()),
        }
    }

    /// Who tells the truth.
    fn judge(self) -> Judge {
        match self {
            Self::Model => Judge::from(&AnswerModel::default()),
            Self::Ohsumed | Self::Sure | Self::Told => JUDGE,
        }
    }
}

/// A goal: its name in files, its name for people, and the goal.
type Aim = (&'static str, &'static str, Goal);

const GOALS: [Aim; 3] = [
    ("best", "Best", Goal::Best),
    ("top5", "First five", Goal::Top { k: 5 }),
    ("whole-order", "Whole order", Goal::WholeOrder),
];

/// The share of pairs that may be in the wrong order.
const ERROR: f64 = 0.1;

/// The probabilities at which sessions stop.
const TARGETS: [f64; 3] = [0.7, 0.8, 0.9];

/// The one that forecasts are about, and the probability of their intervals.
const FORECAST_TARGET: f64 = 0.8;
const LEVEL: f64 = 0.8;

/// One session, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Played {
    query: usize,
    world: usize,
    goal: usize,
}

impl Plan {
    fn sessions(&self) -> usize {
        self.queries.len() * World::ALL.len() * GOALS.len()
    }

    fn session(&self, at: usize) -> Played {
        let (world, goal) = (at / GOALS.len() % World::ALL.len(), at % GOALS.len());
        Played { query: at / (GOALS.len() * World::ALL.len()), world, goal }
    }

    fn looks(&self) -> usize {
        self.answers / self.step
    }

    fn key(&self, at: usize) -> String {
        let Played { query, world, goal } = self.session(at);
        format!("{},{},{}", self.queries[query], World::ALL[world].name(), GOALS[goal].0)
    }

    /// One row a session: what is said and whether it is true at every look, then the ends of every forecast.
    fn layout(&self) -> Layout {
        let looks = || (1..=self.looks()).map(|look| look * self.step);
        let said = looks().map(|answers| format!("said_{answers}"));
        let reached = looks().map(|answers| format!("reached_{answers}"));
        let ends =
            self.forecasts.iter().flat_map(|at| [format!("made_{at}"), format!("low_{at}"), format!("high_{at}")]);
        let first = ["query", "world", "goal"].map(str::to_owned);
        Layout {
            columns: first.into_iter().chain(said).chain(reached).chain(ends).collect(),
            keys: (0..self.sessions()).map(|at| self.key(at)).collect(),
        }
    }
}

impl Program for Stopping {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let (played, tuned_on, answers, worlds) = if job.options.quick { (3, 4, 60, 9) } else { (40, 20, 120, 9) };
        let seed = job.options.seed;
        let drawn = Drawn::new(job.data, played, tuned_on, seed)?;
        let [queries, others] = drawn.names();
        let forecasts = if job.options.quick { vec![20] } else { vec![20, 50] };
        let plan = Plan { documents: 30, answers, step: 5, draws: 1024, queries, tuned_on: others, forecasts, worlds };
        let record = Record { general: job.general.clone(), plan };
        record.claim(&job.place.record())?;
        let plan = record.plan;
        let mut journal = Journal::open(&job.place.file(".csv"), plan.layout())?.in_batches_of(8);
        watch(Progress { stage: "tuning", done: 0, total: 1 });
        let pools = pool::draw(&drawn.played, plan.documents, seed.stream(Phase::Measuring.of_match(0, 1)))?;
        let others = pool::draw(&drawn.tuned_on, plan.documents, seed.stream(Phase::Tuning.of_match(0, 1)))?;
        let tuned = tune_once(&job.place.file(TUNED), MIND, Way::Evidence(100), &others, seed)?;
        let total = plan.sessions();
        watch(Progress { stage: "playing", done: journal.done(), total });
        let one = |at: usize| {
            let session = plan.session(at);
            let kernel = tuned.prepare(MIND, &pools[session.query])?.kernel;
            play(&pools[session.query], kernel, session, &plan, seed)
        };
        journal.complete(0..total, one, |done| watch(Progress { stage: "playing", done, total }))
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let rows = plan.layout().read_finished(&place.file(".csv"))?;
        Ok(rows.map(|rows| findings::sum_up(&plan, &rows)))
    }
}

/// What is true in a world.
fn truth(world: World, problem: &Problem, kernel: &dyn Kernel, seed: Seed) -> Result<Truth> {
    if matches!(world, World::Ohsumed | World::Told) {
        return problem.facts.truth(None, seed);
    }
    let factor = Cholesky::factor(kernel.matrix()?).map_err(|at| ordain::Error::Data {
        what: "the prior",
        found: format!("no variance left for item {at}"),
        expected: "documents with utilities of their own".into(),
    })?;
    let mut stream = seed.stream(0);
    let normal: Vec<f64> = (0..kernel.len()).map(|_| stream.sample(StandardNormal)).collect();
    Truth::from_utilities(multiply_vector(factor.lower(), &normal), None)
}

/// Plays a session to its end, whatever is said on the way; gives its row. All goals of a world meet the same truth.
fn play(problem: &Problem, kernel: Arc<dyn Kernel>, played: Played, plan: &Plan, seed: Seed) -> Result<Row> {
    let world = World::ALL[played.world];
    let mut stream = seed.stream(Phase::Measuring.of_match(played.query, 2 + played.world));
    let conditions = Match::with_truth(&mut stream, |seed| truth(world, problem, kernel.as_ref(), seed))?;
    let truth = conditions.truth().utilities();
    let goal = GOALS[played.goal].2;
    // The strategy of the recorded results: whole orders were asked for as the goal top-heavy is now.
    let asked = if goal == Goal::WholeOrder { Goal::TopHeavy } else { goal };
    let strategy = Strategy::for_goal(asked, truth.len() as f64);
    let rules = Rules {
        groups: None,
        model: world.model()?,
        judge: world.judge(),
        mistakes: Mistakes::default(),
        answers: plan.answers,
    };
    let rule = StopRule::new(goal).with_error(ERROR).with_target(FORECAST_TARGET);
    let mut game = conditions.begin(kernel, SessionParams::new(strategy).with_rule(Some(rule)), &rules)?;
    let (mut said, mut reached, mut ends) = (Row::new(), Row::new(), Row::new());
    for answers in 1..=plan.answers {
        game.step()?;
        if answers % plan.step != 0 {
            continue;
        }
        let params = CertaintyParams::default().with_draws(plan.draws).with_seed(conditions.seed());
        let probability = rule.probability(&game.session.certainty(&params)?);
        said.push(Some(probability));
        reached.push(Some(f64::from(rule.holds(game.session.belief().mean(), None, truth)?)));
        if !plan.forecasts.contains(&answers) {
            continue;
        }
        let made = probability < rule.target;
        ends.push(Some(f64::from(made)));
        if !made {
            ends.extend([None; 2]);
            continue;
        }
        let params = ForecastParams::default()
            .with_worlds(plan.worlds)
            .with_most(plan.answers - answers)
            .with_every(plan.step)
            .with_level(LEVEL)
            .with_seed(conditions.seed());
        let found = forecast(&game.session, &params)?;
        ends.extend([found.low, found.high].map(|end| end.map(|end| end as f64)));
    }
    Ok([said, reached, ends].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows and their keys go together, and nobody is left out.
    #[test]
    fn sessions_have_places() {
        let plan = findings::tests::plan();
        let layout = plan.layout();
        assert_eq!(layout.keys.len(), plan.sessions());
        assert_eq!(layout.keys[13], "q,ohsumed,top5");
        assert_eq!(plan.session(13), Played { query: 1, world: 0, goal: 1 });
        assert_eq!(layout.columns.len(), 3 + 2 * plan.looks() + 3 * plan.forecasts.len());
    }
}
