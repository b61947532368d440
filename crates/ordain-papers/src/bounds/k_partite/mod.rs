//! `kp-bounds`: KP's theorems beside the truth on OHSUMED.

mod findings;
mod world;

use ordain::Result;
use ordain::measure::{RankingClass, RatingCounts};
use serde::{Deserialize, Serialize};

use self::world::World;
use super::DELTA;
use crate::collections::letor;
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;

pub const EXPERIMENT: Experiment = Experiment {
    name: "kp-bounds",
    title: "Bounds on the k-partite ranking error beside the truth, as the sample grows",
    paper: "Rajaram, Agarwal: Generalization bounds for k-partite ranking (KP)",
    figure: "theorems 1 to 3",
    duration: "15 seconds",
    claim: "With probability 1 - delta the empirical error of a function chosen by the sample is within the bound of its expected \
            error: for a finite class by its size (theorem 1), for linear functions by their rank-shatter coefficient, which grows \
            polynomially with the sample (theorems 2 and 3).",
    setting: "No experiment; the theorems hold for every distribution.",
    design: &[
        "The distribution is OHSUMED itself: each of its graded documents (16,140 with 25 features, grades 0 to 2) is equally \
         likely, and samples are drawn with replacement. So the expected error is known exactly, and samples can be larger than \
         the collection.",
        "Finite class: the features one by one, of which the one with the least error in the sample is chosen. The bound must hold \
         for all of them at once; it fails if any feature's error deviates by more.",
        "Linear functions: least squares of the grade on the features with a penalty of a thousandth, fitted on the sample.",
        "Features are scaled to 0..1 within the query. All pairs of different grade weigh the same (alpha = 0), and delta is 0.05.",
    ],
    differences: &[
        "Theorem 3 multiplies over the pairs of ratings. All comparable differences of documents taken together as one arrangement \
         of hyperplanes need only one factor; that sharper bound, which is ours, is shown beside it.",
        "What the theorems bound is the error at the skew of the sample (definition 2), and that is what is shown as the truth.",
    ],
    data: &letor::OHSUMED,
    settings: 1,
    program: &KPartite,
};

/// The program.
struct KPartite;

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// Sizes of samples.
    sizes: Vec<usize>,
    /// Samples of every size.
    repeats: usize,
    /// Documents to draw from.
    documents: usize,
    /// Their features.
    features: usize,
    /// Their grades and how often each occurs.
    grades: Vec<(u32, u64)>,
}

/// How the name of the table of samples ends.
const SAMPLES: &str = ".csv";

impl Plan {
    fn layout(&self) -> Layout {
        let of_size = |size: &usize| (1..=self.repeats).map(|repeat| format!("{size},{repeat}")).collect::<Vec<_>>();
        let columns = ["size", "repeat"].into_iter().chain(COLUMNS);
        Layout { columns: columns.map(str::to_owned).collect(), keys: self.sizes.iter().flat_map(of_size).collect() }
    }
}

const COLUMNS: [&str; 9] = [
    "feature",
    "feature_error",
    "feature_truth",
    "feature_largest_deviation",
    "feature_slack",
    "linear_error",
    "linear_truth",
    "linear_slack",
    "linear_pooled_slack",
];

impl Program for KPartite {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let world = World::new(&super::read(job.data)?)?;
        let (sizes, repeats): (Vec<usize>, usize) = if job.options.quick {
            (vec![100, 10_000, 1_000_000], 20)
        } else {
            ((2..7).flat_map(|power| [10_usize.pow(power), 3 * 10_usize.pow(power)]).chain([10_000_000]).collect(), 200)
        };
        let plan = Plan {
            sizes,
            repeats,
            documents: world.documents(),
            features: world.features(),
            grades: world.counts().levels().to_vec(),
        };
        let record = Record { general: job.general.clone(), plan };
        record.claim(&job.place.record())?;
        let plan = &record.plan;
        let mut journal = Journal::open(&job.place.file(SAMPLES), plan.layout())?;
        let total = plan.sizes.len() * plan.repeats;
        watch(Progress { stage: "drawing samples", done: journal.done(), total });
        let compute = |at: usize| {
            let mut stream = job.options.seed.stream(at as u64);
            row(&world, &world.draw(plan.sizes[at / plan.repeats], &mut stream))
        };
        journal.complete(0..total, compute, |done| watch(Progress { stage: "drawing samples", done, total }))
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let rows = plan.layout().read_finished(&place.file(SAMPLES))?;
        Ok(rows.map(|rows| findings::findings(&plan, &rows)))
    }
}

/// Everything about one sample, given how often each document was drawn.
fn row(world: &World, times: &[u32]) -> Result<Row> {
    let counts = world.drawn(times)?;
    let at_skew = |counts: &RatingCounts, misplaced: &world::Misplaced| {
        counts.expected_error(0.0, |lower, higher| misplaced.share(lower, higher))
    };
    let mut chosen: Option<(usize, f64, f64)> = None;
    let mut largest = 0.0_f64;
    for feature in 0..world.features() {
        let error = at_skew(&counts, &world.feature(feature).misplaced(times))?;
        let truth = at_skew(&counts, world.feature_truth(feature))?;
        largest = largest.max((error - truth).abs());
        if chosen.is_none_or(|(_, least, _)| error < least) {
            chosen = Some((feature, error, truth));
        }
    }
    let ln_functions = (world.features() as f64).ln();
    let linear = world.order(&world.fit(times)?);
    let slack = |class: RankingClass| counts.shattered_slack(0.0, class.ln_shatter(&counts.doubled()), DELTA);
    let attributes = world.features();
    Ok(vec![
        chosen.map(|(feature, ..)| (feature + 1) as f64),
        chosen.map(|(_, error, _)| error),
        chosen.map(|(.., truth)| truth),
        Some(largest),
        Some(counts.finite_class_slack(0.0, ln_functions, DELTA)?),
        Some(at_skew(&counts, &linear.misplaced(times))?),
        Some(at_skew(&counts, &linear.misplaced(&vec![1; world.documents()]))?),
        Some(slack(RankingClass::Linear { attributes })?),
        Some(slack(RankingClass::LinearPooled { attributes })?),
    ])
}
