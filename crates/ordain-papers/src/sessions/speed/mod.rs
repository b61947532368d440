//! `axpgp-speed`: AXPGP's figure 3, what an answer costs with ratings, one step an answer and EP over all answers, and whether the
//! cheap step costs quality.
//!
//! Sessions are played one at a time on one thread, and a clock is read around asking and learning. What the clock says is not
//! the same twice: it has a file of its own, and everything else is as deterministic as elsewhere.

mod findings;

use std::time::Instant;

use ordain::active::{BeliefKind, Match, Mistakes, Rules, SessionParams, Strategy};
use ordain::data::Goal;
use ordain::gp::AnswerModel;
use ordain::numeric::Seed;
use ordain::{Error, Result};
use serde::{Deserialize, Serialize};

use super::drawn::{Believes, Drawn, JUDGE};
use super::{Problem, TUNED};
use crate::collections::letor;
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;
use crate::stream::Phase;

pub const EXPERIMENT: Experiment = Experiment {
    name: "axpgp-speed",
    title: "What an answer costs: ratings, one step an answer, EP over all answers",
    paper: "Xu, Kersting, Joachims: Fast active exploration for link-based preference learning with Gaussian processes \
            (AXPGP)",
    figure: "figure 3",
    duration: "5 minutes",
    claim: "Glicko is fastest in absolute time; the incremental update scales the same and is slower by a constant factor \
            only. It is much faster than the full update, scales better, and its MAP is not substantially lower.",
    setting: "30 random queries of OHSUMED and 10 of TREC; CPU time and MAP against the number of answers.",
    design: &[
        "30 random queries of LETOR's OHSUMED; the .gov collection is not available. Every session has one thread, and no \
         other session is played meanwhile.",
        "Time is what passes from asking for a pair to having learned its answer, by the clock; the median over queries is \
         shown, which a disturbance by other programs hardly moves.",
        "MAP counts grades 1 and 2 as relevant. The judge never errs; equal grades are told apart by uniform noise in \
         [-0.5, 0.5].",
        "The kernel is a squared exponential over the 25 attributes, standardized within the query, plus what is a document's \
         own, tuned on 20 other queries for the area under the MAP curve of sessions of 200 answers by expected regret. All beliefs but Glicko have \
         it; Glicko starts with Glickman's deviation.",
        "Every belief asks by two strategies: expected regret, our default for the order of the whole list, and the largest \
         expected loss with the weight that the paper prints.",
    ],
    differences: &[
        "Where the paper's full update sweeps the answers one at a time, EP here takes Newton steps on all of them in the span \
         of what was observed, so that it costs less than theirs would.",
        "Choosing the pair, which is exact over all pairs, is part of the time; the table shows it apart from learning.",
    ],
    data: &letor::OHSUMED,
    settings: 3,
    program: &Speed,
};

/// The program.
struct Speed;

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// Answers of a session, of which every so many are a stretch.
    answers: usize,
    /// The length of a stretch.
    stretch: usize,
    /// The queries that are played on.
    queries: Vec<String>,
    /// Their documents.
    documents: Vec<usize>,
    /// The average precision of each before any answer.
    before: Vec<f64>,
    /// The queries that the kernel was tuned on.
    tuned_on: Vec<String>,
}

/// The beliefs that are compared.
const BELIEFS: [BeliefKind; 4] = [BeliefKind::GLICKO, BeliefKind::Gp, BeliefKind::GpRefined, BeliefKind::GpFull];

/// By which strategies they ask.
const STRATEGIES: [&str; 2] = ["expected-regret", "expected-loss"];

fn strategy(position: usize, items: usize) -> Strategy {
    match position {
        0 => Strategy::for_goal(Goal::TopHeavy, items as f64),
        _ => Strategy::ExpectedLoss { focus: 1.0 },
    }
}

/// One session: a query, a strategy and a belief, by position.
#[derive(Clone, Copy)]
struct Played {
    query: usize,
    strategy: usize,
    belief: usize,
}

impl Plan {
    fn stretches(&self) -> usize {
        self.answers / self.stretch
    }

    fn sessions(&self) -> usize {
        self.queries.len() * STRATEGIES.len() * BELIEFS.len()
    }

    fn session(&self, at: usize) -> Played {
        let (strategy, belief) = (at / BELIEFS.len() % STRATEGIES.len(), at % BELIEFS.len());
        Played { query: at / (BELIEFS.len() * STRATEGIES.len()), strategy, belief }
    }

    /// Where a stretch of a session stands in the tables.
    fn row(&self, Played { query, strategy, belief }: Played, stretch: usize) -> usize {
        ((query * STRATEGIES.len() + strategy) * BELIEFS.len() + belief) * self.stretches() + stretch
    }

    fn keys(&self) -> Vec<String> {
        let key = |at: usize| {
            let Played { query, strategy, belief } = self.session(at / self.stretches());
            let answers = (at % self.stretches() + 1) * self.stretch;
            format!("{},{},{},{answers}", self.queries[query], STRATEGIES[strategy], BELIEFS[belief].name())
        };
        (0..self.sessions() * self.stretches()).map(key).collect()
    }

    fn quality(&self) -> Layout {
        Layout {
            columns: ["query", "strategy", "belief", "answers", "map"].map(str::to_owned).to_vec(),
            keys: self.keys(),
        }
    }

    fn times(&self) -> Layout {
        let columns = ["query", "strategy", "belief", "answers", "ask_seconds", "learn_seconds"];
        Layout { columns: columns.map(str::to_owned).to_vec(), keys: self.keys() }
    }
}

const TIMES: &str = "-times.csv";

impl Program for Speed {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let (played, tuned_on, answers) = if job.options.quick { (3, 4, 60) } else { (30, 20, 200) };
        let seed = job.options.seed;
        let drawn = Drawn::new(job.data, played, tuned_on, seed)?;
        let [queries, others] = drawn.names();
        let (documents, before) = (drawn.sizes(), drawn.precision_before()?);
        let plan = Plan { answers, stretch: 10, queries, documents, before, tuned_on: others };
        let record = Record { general: job.general.clone(), plan };
        record.claim(&job.place.record())?;
        let plan = record.plan;
        let mut quality = Journal::open(&job.place.file(".csv"), plan.quality())?;
        let mut times = Journal::open(&job.place.file(TIMES), plan.times())?;
        watch(Progress { stage: "tuning", done: 0, total: 1 });
        let believes = drawn.tune(&job.place.file(TUNED), if job.options.quick { 60 } else { 200 }, seed)?;
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| Error::Data {
            what: "a thread of its own",
            found: error.to_string(),
            expected: "one that the system grants".into(),
        })?;
        let total = plan.sessions();
        for at in 0..total {
            watch(Progress { stage: "playing", done: at, total });
            let rows = at * plan.stretches()..(at + 1) * plan.stretches();
            if quality.done().min(times.done()) >= rows.end {
                continue;
            }
            let session = plan.session(at);
            let query = &drawn.played[session.query];
            let stretches = one_thread.install(|| play(query, session, &believes, &plan, seed))?;
            let row = |of: fn(&Stretch) -> Row| {
                let (first, stretches) = (rows.start, &stretches);
                move |at: usize| Ok(of(&stretches[at - first]))
            };
            quality.complete(rows.clone(), row(|stretch| vec![Some(stretch.map)]), |_| {})?;
            times.complete(rows.clone(), row(|stretch| vec![Some(stretch.ask), Some(stretch.learn)]), |_| {})?;
        }
        Ok(())
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let quality = plan.quality().read_finished(&place.file(".csv"))?;
        let times = plan.times().read_finished(&place.file(TIMES))?;
        let (Some(quality), Some(times)) = (quality, times) else { return Ok(None) };
        findings::sum_up(&plan, &quality, &times).map(Some)
    }
}

/// How a session stood after some answers, and what one of the last few had cost on average.
struct Stretch {
    map: f64,
    /// Seconds to choose the pair.
    ask: f64,
    /// Seconds to learn the answer.
    learn: f64,
}

/// Plays a session. Truth and ties are those of the query, whatever the strategy and the belief.
fn play(query: &Problem, played: Played, believes: &Believes, plan: &Plan, seed: Seed) -> Result<Vec<Stretch>> {
    let conditions = Match::draw(&query.facts, None, &mut seed.stream(Phase::Measuring.of_match(played.query, 0)))?;
    let params = SessionParams::new(strategy(played.strategy, query.items.len())).with_belief(BELIEFS[played.belief]);
    let rules = Rules {
        groups: None,
        model: AnswerModel::default(),
        judge: JUDGE,
        mistakes: Mistakes::default(),
        answers: plan.answers,
    };
    let mut game = conditions.begin(believes.kernel(query)?, params, &rules)?;
    let mut stretches = Vec::with_capacity(plan.stretches());
    for _ in 0..plan.stretches() {
        let (mut ask, mut learn) = (0.0, 0.0);
        for _ in 0..plan.stretch {
            // A step of the game, with a clock around either half.
            let start = Instant::now();
            let question = game.session.ask()?;
            ask += start.elapsed().as_secs_f64();
            let Some(question) = question else { break };
            let answer = game.judge(&question)?;
            let start = Instant::now();
            game.session.tell(answer)?;
            learn += start.elapsed().as_secs_f64();
        }
        let map = conditions.truth().measure(game.session.belief().mean(), None)?.map;
        let count = plan.stretch as f64;
        stretches.push(Stretch { map, ask: ask / count, learn: learn / count });
    }
    Ok(stretches)
}
