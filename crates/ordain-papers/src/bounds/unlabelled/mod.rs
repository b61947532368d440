//! `ud-bounds`: UD's cross-validation bound beside the truth on OHSUMED.

mod findings;

use ordain::learn::{LabelledQuery, PairwiseRisk, PairwiseRiskParams};
use ordain::measure::{CrossValidationBound, mean, pairwise_risk};
use ordain::{InputError, Result};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::DELTA;
use crate::collections::letor;
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;

pub const EXPERIMENT: Experiment = Experiment {
    name: "ud-bounds",
    title: "A cross-validation bound with unlabelled queries beside the truth, as both grow",
    paper: "Usunier, Truong, Amini, Gallinari: Ranking with unlabeled data: a first study (UD)",
    figure: "equation 2",
    duration: "2 minutes",
    claim: "With probability 1 - delta the expected pairwise risk of the function learned from all labelled queries is at most the \
            mean bound of those learned without a fold, each tested on its fold, plus how far the rankings are apart on unlabelled \
            queries. Since they are learned by the same algorithm from nearly the same queries, the latter should be small.",
    setting: "No experiment; the bound holds for every distribution.",
    design: &[
        "The distribution is OHSUMED itself: each of its queries that has a relevant document (grade 1 or 2) and another is equally \
         likely, and labelled and unlabelled queries are drawn with replacement. So the expected risk is known exactly, and samples \
         can be larger than the collection.",
        "The learner is UD's linear scorer, the logistic loss of pairs made least with every query counting the same, on features \
         scaled to 0..1 within the query; with a weak and a strong penalty, which makes it more stable. Five folds, delta = 0.05.",
        "Beside it: a bound without unlabelled queries, by holding out. The function learned without the first fold is tested on it \
         and is the one that is used (Hoeffding).",
    ],
    differences: &[
        "UD draws one of the folds by lot for every unlabelled query; here the mean over all folds is taken, which has the same \
         expectation, less variance, and leaves the bound as it is.",
    ],
    data: &letor::OHSUMED,
    settings: 1,
    program: &Unlabelled,
};

/// The program.
struct Unlabelled;

const FOLDS: usize = 5;

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// Queries to draw from.
    queries: usize,
    /// Queries without a pair, which were left out.
    left_out: usize,
    /// Penalties of the scorer.
    penalties: Vec<f64>,
    /// Numbers of labelled queries.
    labelled: Vec<usize>,
    /// Numbers of unlabelled queries.
    unlabelled: Vec<usize>,
    /// Samples of every size.
    repeats: usize,
}

/// How the name of the table of samples ends.
const SAMPLES: &str = ".csv";

/// The columns that do not depend on the number of unlabelled queries.
const COLUMNS: [&str; 8] = [
    "training_risk",
    "truth",
    "folds_risk",
    "folds_slack",
    "folds_truth",
    "distance_truth",
    "held_out_risk",
    "held_out_truth",
];

impl Plan {
    fn layout(&self) -> Layout {
        let keys = (0..self.samples()).map(|at| {
            let (penalty, labelled) = self.setting(at);
            format!("{penalty},{labelled},{}", at % self.repeats + 1)
        });
        let columns = ["penalty", "labelled", "repeat"].into_iter().chain(COLUMNS).map(str::to_owned);
        let distances = self.unlabelled.iter().map(|unlabelled| format!("distance_{unlabelled}"));
        Layout { columns: columns.chain(distances).collect(), keys: keys.collect() }
    }

    fn samples(&self) -> usize {
        self.penalties.len() * self.labelled.len() * self.repeats
    }

    /// The penalty and the number of labelled queries of a sample.
    fn setting(&self, at: usize) -> (f64, usize) {
        let size = at / self.repeats;
        (self.penalties[size / self.labelled.len()], self.labelled[size % self.labelled.len()])
    }
}

impl Program for Unlabelled {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let all = super::read(job.data)?;
        let read = all.len();
        let queries: Vec<LabelledQuery> =
            all.into_iter().map(|judged| judged.query).filter(LabelledQuery::has_pair).collect();
        if queries.is_empty() {
            let path = job.data.file(&letor::OHSUMED[0]);
            return Err(InputError::new(path, "a query with a relevant document and another").found("none").into());
        }
        let (labelled, unlabelled, repeats) = if job.options.quick {
            (vec![10, 100, 1_000], vec![100, 10_000], 4)
        } else {
            (vec![10, 30, 100, 300, 1_000, 3_000, 10_000], vec![100, 1_000, 10_000, 100_000], 50)
        };
        let (penalties, left_out) = (vec![1e-3, 1e-1], read - queries.len());
        let plan = Plan { queries: queries.len(), left_out, penalties, labelled, unlabelled, repeats };
        let record = Record { general: job.general.clone(), plan };
        record.claim(&job.place.record())?;
        let plan = &record.plan;
        let mut journal = Journal::open(&job.place.file(SAMPLES), plan.layout())?;
        let total = plan.samples();
        watch(Progress { stage: "learning", done: journal.done(), total });
        let compute = |at: usize| {
            let (penalty, labelled) = plan.setting(at);
            row(&queries, penalty, labelled, &plan.unlabelled, &mut job.options.seed.stream(at as u64))
        };
        journal.complete(0..total, compute, |done| watch(Progress { stage: "learning", done, total }))
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let rows = plan.layout().read_finished(&place.file(SAMPLES))?;
        rows.map(|rows| findings::findings(&plan, &rows)).transpose()
    }
}

/// Everything about one sample.
fn row(
    queries: &[LabelledQuery],
    penalty: f64,
    labelled: usize,
    unlabelled: &[usize],
    stream: &mut impl Rng,
) -> Result<Row> {
    // Differences in risk below 1e-4 are of no account here.
    let params = PairwiseRiskParams::default().with_penalty(penalty).with_tolerance(1e-5);
    let mut draw = |count: usize| -> Vec<usize> { (0..count).map(|_| stream.random_range(0..queries.len())).collect() };
    let draws = draw(labelled);
    let learned = params.cross_validate(queries, &draws, FOLDS)?;
    let own = risks(&learned.scorer, queries)?;
    let folds =
        learned.folds.iter().map(|fold| Ok(mean(&risks(&fold.scorer, queries)?))).collect::<Result<Vec<f64>>>()?;
    let gaps: Vec<f64> = queries.iter().map(|query| learned.gap(query.attributes())).collect::<Result<_>>()?;
    let tested = learned.risks(queries)?;
    let training: Vec<f64> = draws.iter().map(|&at| own[at]).collect();
    let bound = CrossValidationBound::new(&tested, &gaps, DELTA)?;
    let mut row = vec![
        mean(&training),
        mean(&own),
        bound.risk(),
        bound.risk_slack(),
        mean(&folds),
        mean(&gaps),
        mean(&tested[0]),
        folds[0],
    ];
    for &count in unlabelled {
        let drawn: Vec<f64> = draw(count).into_iter().map(|at| gaps[at]).collect();
        row.push(mean(&drawn));
    }
    Ok(row.into_iter().map(Some).collect())
}

fn risks(scorer: &PairwiseRisk, queries: &[LabelledQuery]) -> Result<Vec<f64>> {
    let risk =
        |query: &LabelledQuery| Ok(pairwise_risk(&scorer.score(query.attributes())?, query.relevant())?.unwrap_or(0.0));
    queries.iter().map(risk).collect()
}
