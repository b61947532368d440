//! `axpgp-random`: AXPGP's figure 4, one model over several queries that asks actively or at random.

mod findings;

use ordain::Result;
use ordain::active::{Match, Mistakes, Rules, SessionParams, Strategy};
use ordain::data::{Goal, Groups};
use ordain::gp::AnswerModel;
use ordain::measure::JudgedList;
use ordain::measure::retrieval::average_precision;
use ordain::numeric::Seed;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::drawn::{Believes, Drawn, JUDGE, together};
use super::{Problem, TUNED};
use crate::collections::letor;
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::{Journal, Layout};
use crate::record::Record;
use crate::stream::Phase;

pub const EXPERIMENT: Experiment = Experiment {
    name: "axpgp-random",
    title: "One model over ten queries, asking actively or at random",
    paper: "Xu, Kersting, Joachims: Fast active exploration for link-based preference learning with Gaussian processes \
            (AXPGP)",
    figure: "figure 4",
    duration: "4 minutes",
    claim: "When a single model is learned over several queries, MAP grows significantly and substantially faster with \
            active learning than with random pairs, and varies much less from run to run.",
    setting: "A random sample of 10 queries of OHSUMED and of 5 of TREC; MAP against the number of answers, and its \
              variability over 10 runs.",
    design: &[
        "10 random queries of LETOR's OHSUMED; the .gov collection is not available. Only documents of one query are compared, \
         and ranks count within it; one kernel over the attributes of all documents carries what one query teaches over to \
         the others.",
        "The kernel is a squared exponential over the 25 attributes, standardized within the query, plus what is a document's \
         own, tuned on 20 other queries for the area under the MAP curve of sessions of 200 answers by expected regret.",
        "MAP counts grades 1 and 2 as relevant. The judge never errs; equal grades are told apart by uniform noise in \
         [-0.5, 0.5], which every run draws anew, for all strategies alike. No pair is asked twice.",
        "Active are expected regret, our default for the order of the whole list, whose emphasis on the top falls off over a \
         third of a query's list, and the largest expected loss (LELpair) with the weight exp(-rank) that the paper prints, \
         and with our gentler one.",
    ],
    differences: &[
        "The weight exp(-rank) that the paper prints leaves next to nothing for any document below the first few of a query, \
         while average precision needs the order of the whole list; how it and a gentler weight compare with random pairs \
         stands above.",
        "The paper's OHSUMED figures also use similarities of the documents' contents, which LETOR's files do not bring.",
    ],
    data: &letor::OHSUMED,
    settings: 3,
    program: &OneModel,
};

/// The program.
struct OneModel;

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// Answers of a session.
    answers: usize,
    /// It is measured after every so many.
    step: usize,
    /// Runs, each with ties broken anew.
    repeats: usize,
    /// The queries of the model.
    queries: Vec<String>,
    /// Their documents.
    documents: Vec<usize>,
    /// The average precision of each before any answer.
    before: Vec<f64>,
    /// The queries that the kernel was tuned on.
    tuned_on: Vec<String>,
}

/// A way to ask.
struct Way {
    /// Its name in files.
    name: &'static str,
    /// Its name for people.
    title: &'static str,
    /// The strategy for groups of this size on average.
    strategy: fn(f64) -> Strategy,
}

const WAYS: [Way; 4] = [
    Way {
        name: "expected-regret",
        title: "Expected regret, our default",
        strategy: |items| Strategy::for_goal(Goal::TopHeavy, items),
    },
    Way {
        name: "expected-loss-gentle",
        title: "Expected loss, gentle weight",
        strategy: |items| Strategy::ExpectedLoss {
            focus: Strategy::for_goal(Goal::TopHeavy, items).focus().unwrap_or(0.0),
        },
    },
    Way {
        name: "expected-loss",
        title: "Expected loss, printed weight",
        strategy: |_| Strategy::ExpectedLoss { focus: 1.0 },
    },
    Way { name: "random", title: "Random pairs", strategy: |_| Strategy::Random },
];

/// The position of our default.
const ACTIVE: usize = 0;

/// The position of random pairs, beside which the others are seen.
const RANDOM: usize = 3;

impl Plan {
    fn marks(&self) -> usize {
        self.answers / self.step
    }

    /// Rows of a session: every mark, every query.
    fn rows(&self) -> usize {
        self.marks() * self.queries.len()
    }

    /// The run and the way of a session.
    fn session(&self, at: usize) -> (usize, usize) {
        (at / WAYS.len(), at % WAYS.len())
    }

    fn layout(&self) -> Layout {
        let key = |at: usize| {
            let (repeat, way) = self.session(at / self.rows());
            let (mark, query) = (at % self.rows() / self.queries.len(), at % self.queries.len());
            format!("{},{},{},{}", repeat + 1, WAYS[way].name, (mark + 1) * self.step, self.queries[query])
        };
        let keys = (0..self.repeats * WAYS.len() * self.rows()).map(key).collect();
        Layout { columns: ["repeat", "strategy", "answers", "query", "ap"].map(str::to_owned).to_vec(), keys }
    }
}

impl Program for OneModel {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let quick = job.options.quick;
        let (played, tuned_on, repeats) = if quick { (3, 4, 3) } else { (10, 20, 10) };
        let drawn = Drawn::new(job.data, played, tuned_on, job.options.seed)?;
        let [queries, others] = drawn.names();
        let plan = Plan {
            answers: if quick { 100 } else { 1000 },
            step: if quick { 20 } else { 50 },
            repeats,
            queries,
            documents: drawn.sizes(),
            before: drawn.precision_before()?,
            tuned_on: others,
        };
        let record = Record { general: job.general.clone(), plan };
        record.claim(&job.place.record())?;
        let plan = record.plan;
        let mut journal = Journal::open(&job.place.file(".csv"), plan.layout())?.in_batches_of(plan.rows());
        watch(Progress { stage: "tuning", done: 0, total: 1 });
        let believes =
            drawn.tune(&job.place.file(TUNED), if job.options.quick { 60 } else { 200 }, job.options.seed)?;
        let all = together(&drawn.played)?;
        let total = plan.repeats * WAYS.len();
        let batch = rayon::current_num_threads();
        for first in (journal.done() / plan.rows()..total).step_by(batch) {
            watch(Progress { stage: "playing", done: first, total });
            let sessions = first..(first + batch).min(total);
            let one = |at: usize| play(&all, plan.session(at), &believes, &plan, job.options.seed);
            let played: Vec<Vec<f64>> = sessions.clone().into_par_iter().map(one).collect::<Result<_>>()?;
            let rows = sessions.start * plan.rows()..sessions.end * plan.rows();
            let row = |at: usize| Ok(vec![Some(played[at / plan.rows() - first][at % plan.rows()])]);
            journal.complete(rows, row, |_| {})?;
        }
        Ok(())
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let rows = plan.layout().read_finished(&place.file(".csv"))?;
        Ok(rows.map(|rows| findings::sum_up(&plan, &rows)))
    }
}

/// Plays a session; gives every query's average precision at every mark. All ways of a run meet the same truth.
fn play(
    all: &Problem,
    (repeat, way): (usize, usize),
    believes: &Believes,
    plan: &Plan,
    seed: Seed,
) -> Result<Vec<f64>> {
    let groups = all.items.groups();
    let conditions = Match::draw(&all.facts, groups, &mut seed.stream(Phase::Measuring.of_match(0, repeat)))?;
    let size = all.items.len() as f64 / plan.queries.len() as f64;
    let params = SessionParams::new((WAYS[way].strategy)(size));
    let rules = Rules {
        groups,
        model: AnswerModel::default(),
        judge: JUDGE,
        mistakes: Mistakes::default(),
        answers: plan.answers,
    };
    let mut game = conditions.begin(believes.kernel(all)?, params, &rules)?;
    let mut precisions = Vec::with_capacity(plan.rows());
    for answers in 1..=plan.answers {
        game.step()?;
        if answers % plan.step == 0 {
            precisions.extend(by_query(game.session.belief().mean(), conditions.truth().grades(), groups)?);
        }
    }
    Ok(precisions)
}

/// The average precision of every group.
fn by_query(utilities: &[f64], grades: &[i32], groups: Option<&Groups>) -> Result<Vec<f64>> {
    let one = |groups: &Groups, group: usize| {
        let members = groups.members(group).iter();
        let (scores, own): (Vec<f64>, Vec<i32>) =
            members.map(|item| (utilities[item.index()], grades[item.index()])).unzip();
        Ok(average_precision(&JudgedList::tied(&scores, &own, own.iter().copied())?))
    };
    groups.map_or(Ok(Vec::new()), |groups| (0..groups.len()).map(|group| one(groups, group)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Average precision by hand: two groups, ranks within each.
    #[test]
    fn every_query_by_itself() {
        let groups = Groups::new(["p", "p", "p", "q", "q"]);
        let found = by_query(&[3.0, 2.0, 1.0, -1.0, -2.0], &[1, 0, 2, 0, 1], Some(&groups)).unwrap();
        let expected = [(1.0 + 2.0 / 3.0) / 2.0, 0.5];
        // Sums of two numbers near 1.
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-15), "{found:?}");
    }
}
