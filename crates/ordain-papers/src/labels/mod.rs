//! `clr`: rankings of labels on multi-label and label-ranking sets, and what encodings and losses change.

mod findings;
mod methods;

use ordain::learn::labels::{LabelEvaluation, LabelModel, LabelRanker, LabelledExamples, OnlineParams, Target};
use ordain::numeric::{Purpose, Seed};
use ordain::{Result, Watch};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use self::methods::{ENCODINGS, LOSSES, METHODS};
use crate::collections::labels;
use crate::data::{DataFile, DataFolder};
use crate::experiment::{Experiment, Job, Options, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;

pub const EXPERIMENT: Experiment = Experiment {
    name: "clr",
    title: "Rankings of labels with a zero point",
    paper: "Brinker, Hüllermeier: Calibrated label ranking (CLR)",
    figure: "sections 3 and 4",
    duration: "3 minutes",
    claim: "A zero label calibrates label rankings, so that they also say which labels are relevant. Which constraints an order becomes, \
            and which loss scales a step, decide what is learned; how, the paper leaves to later work.",
    setting: "Preliminary results are called promising and not shown.",
    design: &[
        "Multi-label: emotions (593 examples, 10 folds, five times) and scene (1,211 examples to learn from, 1,196 to test). Label ranking: the eleven \
         sets of Cheng, Hühn and Hüllermeier; 10 folds, five times for sets of up to 3,000 examples. Folds are random, the same for \
         all methods. Attributes are standardised by the examples that teach, and a constant is appended.",
        "No method is tuned on these sets, but for what it chooses itself from the examples that teach: the number of neighbours, and the \
         penalty of logistic regressions. Algorithm 1 passes five times, with the zero-one loss and all pairs.",
        "Encodings and losses: from every label ranking a top ranking is made in which the better half of the labels is relevant; \
         algorithm 1 learns from it with each encoding and loss, one time 10 folds, at most 2,000 examples per set.",
    ],
    differences: &["The paper shows no experiment, so there is nothing to differ from."],
    data: &FILES,
    settings: 1,
    program: &Labels,
};

const FILES: [DataFile; 14] = {
    let [
        (_, _, a),
        (_, _, b),
        (_, _, c),
        (_, _, d),
        (_, _, e),
        (_, _, f),
        (_, _, g),
        (_, _, h),
        (_, _, i),
        (_, _, j),
        (_, _, k),
    ] = labels::RANKINGS;
    let [l, m] = labels::SCENE;
    [labels::EMOTIONS, l, m, a, b, c, d, e, f, g, h, i, j, k]
};

/// The number of folds.
const FOLDS: usize = 10;

/// Sets of at most this many examples are divided five times.
const REPEATED: usize = 3000;

/// What is measured of sets.
const OF_SETS: [&str; 3] = ["hamming", "ranking_loss", "one_error"];

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// The examples of emotions, and those of scene to test.
    emotions: usize,
    scene: usize,
    orders: Vec<Ranked>,
    /// At most this many examples of a set.
    most: usize,
    /// The repetitions of ten folds for small sets.
    repetitions: usize,
}

/// A label-ranking set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Ranked {
    name: String,
    examples: usize,
    attributes: usize,
    labels: usize,
}

impl Plan {
    /// The folds of a set: its number, the repetition and the fold.
    fn cells(&self) -> Vec<(usize, usize, usize)> {
        let of = |(at, ranked): (usize, &Ranked)| {
            let repetitions = if ranked.examples <= REPEATED { self.repetitions } else { 1 };
            (0..repetitions).flat_map(move |repetition| (0..FOLDS).map(move |fold| (at, repetition, fold)))
        };
        self.orders.iter().enumerate().flat_map(of).collect()
    }

    fn orders_layout(&self) -> Layout {
        let columns = ["set", "repetition", "fold"].map(str::to_owned).into_iter();
        let key = |(set, repetition, fold): (usize, usize, usize)| {
            format!("{},{},{}", self.orders[set].name, repetition + 1, fold + 1)
        };
        Layout {
            columns: columns.chain(METHODS.iter().map(|method| method.name.to_owned())).collect(),
            keys: self.cells().into_iter().map(key).collect(),
        }
    }

    fn sets_layout(&self) -> Layout {
        let columns = ["set", "repetition", "fold"].map(str::to_owned).into_iter();
        let measures = METHODS.iter().flat_map(|method| OF_SETS.map(|measure| format!("{}_{measure}", method.name)));
        let divisions = (1..=self.repetitions).flat_map(|repetition| (1..=FOLDS).map(move |fold| (repetition, fold)));
        let keys = divisions.map(|(repetition, fold)| format!("emotions,{repetition},{fold}"));
        Layout { columns: columns.chain(measures).collect(), keys: keys.chain(["scene,1,1".to_owned()]).collect() }
    }

    fn encodings_layout(&self) -> Layout {
        let columns = ["set", "fold"].map(str::to_owned).into_iter();
        let cells = (0..ENCODINGS.len()).flat_map(|encoding| {
            LOSSES
                .iter()
                .flat_map(move |loss| LOSSES.iter().map(move |measured| format!("{encoding}_{loss}_{measured}")))
        });
        let keys = self.orders.iter().flat_map(|ranked| (1..=FOLDS).map(move |fold| format!("{},{fold}", ranked.name)));
        Layout { columns: columns.chain(cells).collect(), keys: keys.collect() }
    }
}

/// All examples.
struct Examples {
    emotions: LabelledExamples,
    scene: [LabelledExamples; 2],
    orders: Vec<(&'static str, LabelledExamples)>,
}

impl Examples {
    fn read(folder: &DataFolder) -> Result<Self> {
        let [train, test] = &labels::SCENE;
        let mut orders = Vec::new();
        for (name, count, file) in &labels::RANKINGS {
            orders.push((*name, labels::read(folder, file, *count)?));
        }
        Ok(Self {
            emotions: labels::sets(folder, &labels::EMOTIONS)?,
            scene: [labels::sets(folder, train)?, labels::sets(folder, test)?],
            orders,
        })
    }

    fn plan(&self, options: Options) -> Plan {
        let (most, repetitions) = if options.quick { (200, 1) } else { (usize::MAX, 5) };
        let ranked = |(name, examples): &(&str, LabelledExamples)| Ranked {
            name: (*name).to_owned(),
            examples: examples.len().min(most),
            attributes: examples.attributes().len(),
            labels: examples.labels().len(),
        };
        Plan {
            emotions: self.emotions.len().min(most),
            scene: self.scene[1].len().min(most),
            orders: self.orders.iter().map(ranked).collect(),
            most,
            repetitions,
        }
    }
}

/// The examples that teach and those that test in a fold of ten, by a random division of so many random examples.
fn fold(
    examples: &LabelledExamples,
    most: usize,
    seed: Seed,
    division: u32,
    fold: usize,
) -> Result<[LabelledExamples; 2]> {
    let mut order: Vec<usize> = (0..examples.len()).collect();
    order.shuffle(&mut seed.stream(Purpose::TaskOf { kind: 1, task: division }));
    order.truncate(most);
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (at, example) in order.into_iter().enumerate() {
        if at % FOLDS == fold { test.push(example) } else { train.push(example) }
    }
    Ok([examples.some(&train)?, examples.some(&test)?])
}

fn evaluated(model: &LabelModel, test: &LabelledExamples) -> Result<LabelEvaluation> {
    LabelEvaluation::of(&model.predict(test.attributes())?, test.targets(), test.labels().len())
}

/// What every method reaches.
fn compared(
    [train, test]: &[LabelledExamples; 2],
    seed: Seed,
    measured: impl Fn(&LabelEvaluation) -> Vec<Option<f64>>,
    width: usize,
) -> Result<Row> {
    let mut row = Row::new();
    for method in &METHODS {
        if train.len() > method.most {
            row.extend(vec![None; width]);
            continue;
        }
        let model = (method.ranker)(seed).fit(train, &Watch::NONE)?;
        row.extend(measured(&evaluated(&model, test)?));
    }
    Ok(row)
}

/// The better half of every order as a top ranking.
fn halves(examples: &LabelledExamples) -> Result<LabelledExamples> {
    let half = |target: &Target| match target {
        Target::Order(order) => Target::Top(order[..order.len().div_ceil(2)].to_vec()),
        other => other.clone(),
    };
    let targets = examples.targets().iter().map(half).collect();
    LabelledExamples::new(examples.attributes().clone(), examples.labels().to_vec(), targets)
}

/// Every loss of the test examples, by encoding and loss that algorithm 1 learned with.
fn encoded([train, test]: &[LabelledExamples; 2], seed: Seed) -> Result<Row> {
    let (train, test) = (halves(train)?, halves(test)?);
    let mut row = Row::new();
    for (_, encoding) in ENCODINGS {
        for loss in LOSSES {
            let params = OnlineParams::default().with_encoding(encoding).with_loss(loss).with_seed(seed);
            let found = params.fit(&train, &Watch::NONE)?.predict(test.attributes())?;
            for measured in LOSSES {
                let mut sum = 0.0;
                for (found, target) in found.iter().zip(test.targets()) {
                    sum += measured.of(&found.utilities, target)?;
                }
                row.push(Some(sum / test.len() as f64));
            }
        }
    }
    Ok(row)
}

/// The experiment's program.
struct Labels;

/// The three files of results.
const PARTS: [&str; 3] = ["-sets.csv", "-orders.csv", "-encodings.csv"];

/// At most this many examples of a set are used to compare encodings.
const ENCODED: usize = 2000;

impl Program for Labels {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let examples = Examples::read(job.data)?;
        let record = Record { general: job.general.clone(), plan: examples.plan(job.options) };
        record.claim(&job.place.record())?;
        let (plan, seed) = (&record.plan, job.options.seed);
        let cells = plan.cells();
        let sets = plan.repetitions * FOLDS + 1;
        let total = sets + cells.len() + plan.orders.len() * FOLDS;
        let mut told = |stage, before: usize, done| watch(Progress { stage, done: before + done, total });

        let mut journal = Journal::open(&job.place.file(PARTS[0]), plan.sets_layout())?.in_batches_of(2);
        let of_sets = |found: &LabelEvaluation| vec![found.hamming, found.ranking_loss, found.one_error];
        let compute = |at: usize| {
            let parts = if at + 1 < sets {
                fold(&examples.emotions, plan.most, seed, (at / FOLDS) as u32, at % FOLDS)?
            } else {
                let [train, test] = &examples.scene;
                // Evenly spread: the file is sorted by labels.
                let some = |examples: &LabelledExamples| {
                    let count = examples.len().min(plan.most);
                    examples.some(&(0..count).map(|at| at * examples.len() / count).collect::<Vec<usize>>())
                };
                [some(train)?, some(test)?]
            };
            compared(&parts, seed, of_sets, OF_SETS.len())
        };
        journal.complete(0..sets, compute, |done| told("multi-label sets", 0, done))?;

        let mut journal = Journal::open(&job.place.file(PARTS[1]), plan.orders_layout())?.in_batches_of(2);
        let compute = |at: usize| {
            let (set, repetition, number) = cells[at];
            let division = ((set + 1) * plan.repetitions + repetition) as u32;
            let parts = fold(&examples.orders[set].1, plan.most, seed, division, number)?;
            compared(&parts, seed, |found| vec![found.tau], 1)
        };
        journal.complete(0..cells.len(), compute, |done| told("label rankings", sets, done))?;

        let mut journal = Journal::open(&job.place.file(PARTS[2]), plan.encodings_layout())?.in_batches_of(2);
        let compute = |at: usize| {
            let division = ((at / FOLDS + 1) * plan.repetitions) as u32;
            let most = plan.most.min(ENCODED);
            encoded(&fold(&examples.orders[at / FOLDS].1, most, seed, division, at % FOLDS)?, seed)
        };
        let before = sets + cells.len();
        journal.complete(0..plan.orders.len() * FOLDS, compute, |done| told("encodings and losses", before, done))
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let layouts = [plan.sets_layout(), plan.orders_layout(), plan.encodings_layout()];
        let mut rows = Vec::new();
        for (layout, part) in layouts.iter().zip(PARTS) {
            let Some(of) = layout.read_finished(&place.file(part))? else { return Ok(None) };
            rows.push(of);
        }
        Ok(Some(findings::findings(&plan, &rows)))
    }
}
