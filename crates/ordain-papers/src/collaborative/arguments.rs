//! `cor-arguments`: who finds which argument more convincing, personally or pooled.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use ordain::Result;
use ordain::data::{Answer, Opinions, Outcome, Ratings};
use ordain::gp::{Belief, CollaborativeParams, NoiseLaw, predict};
use ordain::kernel::{Form, KernelSpec, Over, Rho, Shape, WeightedSum, build};
use ordain::learn::{Likeness, RatersModel, RatersParams};
use ordain::measure::{Mean, mean};
use ordain::numeric::Seed;
use ordain_plot::html;
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::PAPER;
use crate::collections::arguments::{self, ANNOTATIONS, FILE, PAIRS, Topic};
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::{Findings, Gist};
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;
use crate::stream::Phase;

pub const EXPERIMENT: Experiment = Experiment {
    name: "cor-arguments",
    title: "Which argument convinces whom: personal answers and pooled ones",
    paper: PAPER,
    figure: "section 5",
    duration: "half a minute",
    claim: "The model extends to answers about pairs, with a logistic likelihood as in RankNet. How it behaves is left open.",
    setting: "No experiment.",
    design: &[
        "UKPConvArg1: 32 topics of 25 to 35 arguments, 84,445 judgements by 3,815 workers. Each topic is learned by itself. Of the answers of \
         workers who gave at least 10 about a topic, every one is held out with probability 0.2; all others teach.",
        "Arguments are alike by five attributes of their texts, and have a part of their own.",
        "Pooled: all answers as those of one judge, with the noise of four that has the largest evidence. Alone: every worker by themselves. Shared: workers share \
         a prior, which is learned. Consensus: the shared mean, for everybody.",
        "Accuracy: of held-out answers that are no ties, how many are predicted. Log loss: of all held-out answers, with ties.",
    ],
    differences: &[],
    data: &[FILE, PAIRS, ANNOTATIONS],
    settings: 1,
    program: &Arguments,
};

struct Arguments;

/// Answers of a worker about a topic from which on some are held out.
const ENOUGH: usize = 10;

/// The share that is held out.
const HELD_OUT: f64 = 0.2;

/// The noises that are tried for one judge.
const NOISES: [f64; 4] = [0.5, 1.0, 2.0, 4.0];

/// The ways to predict.
const WAYS: [&str; 6] = ["pooled", "alone", "shared", "consensus", "alone, logistic", "shared, logistic"];

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    topics: Vec<String>,
    judgements: usize,
}

impl Plan {
    fn layout(&self) -> Layout {
        let measured = WAYS.iter().flat_map(|way| {
            let way = way.replace(", ", "_");
            [format!("{way}_accuracy"), format!("{way}_log_loss")]
        });
        let columns = ["topic", "held_out"].into_iter().map(str::to_owned).chain(measured).collect();
        Layout { columns, keys: self.topics.clone() }
    }
}

impl Program for Arguments {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let topics = arguments::read(job.data)?;
        let said = arguments::judgements(job.data, &topics)?;
        let count = if job.options.quick { 2 } else { topics.len() };
        let plan = Plan {
            topics: topics[..count].iter().map(|topic| topic.name.clone()).collect(),
            judgements: said[..count].iter().map(Vec::len).sum(),
        };
        Record { general: job.general.clone(), plan: plan.clone() }.claim(&job.place.record())?;
        let mut journal = Journal::open(&job.place.file(".csv"), plan.layout())?.in_batches_of(2);
        watch(Progress { stage: "measuring", done: journal.done(), total: count });
        let compute = |at: usize| Study::new(&topics[at], &said[at], job.options.seed, at)?.measure();
        journal.complete(0..count, compute, |done| watch(Progress { stage: "measuring", done, total: count }))
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let rows = plan.layout().read_finished(&place.file(".csv"))?;
        Ok(rows.map(|rows| findings(&plan, &rows)))
    }
}

/// One topic: answers that teach, and answers that test.
struct Study<'a> {
    topic: &'a Topic,
    kernel: WeightedSum,
    taught: Vec<(String, Opinions)>,
    tests: Vec<Vec<Answer>>,
}

impl<'a> Study<'a> {
    fn new(topic: &'a Topic, said: &[(String, Answer)], seed: Seed, number: usize) -> Result<Self> {
        let mut by_worker: BTreeMap<&str, Vec<&Answer>> = BTreeMap::new();
        said.iter().for_each(|(worker, answer)| by_worker.entry(worker).or_default().push(answer));
        let mut stream = seed.stream(Phase::Measuring.of_match(number, 0));
        let (mut taught, mut tests) = (Vec::new(), Vec::new());
        for (worker, answers) in by_worker {
            let enough = answers.len() >= ENOUGH;
            let (test, teach): (Vec<&Answer>, Vec<&Answer>) =
                answers.into_iter().partition(|_| enough && stream.random::<f64>() < HELD_OUT);
            let answers = teach.into_iter().cloned().collect();
            taught.push((worker.to_owned(), Opinions { grades: Vec::new(), answers }));
            tests.push(test.into_iter().cloned().collect());
        }
        let form =
            Form::SquaredExponential { kappa: 1.0, rho: Rho::usual(topic.items.attributes().len(), Over::Attributes) };
        let kernels =
            [KernelSpec::new(1.0, Shape::Vector { form, over: Over::Attributes }), KernelSpec::independent(0.5)];
        Ok(Self { topic, kernel: build(&kernels, &topic.items, &[])?, taught, tests })
    }

    fn train(&self, params: &RatersParams, users: Vec<(String, Opinions)>) -> Result<RatersModel> {
        params.train(Ratings::new(self.topic.items.clone(), None, users)?, Likeness::Kernel(&self.kernel))
    }

    fn measure(&self) -> Result<Row> {
        let params = |shared: bool, law: NoiseLaw| {
            RatersParams::default().with_law(law).with_shared(CollaborativeParams::default().with_learn_prior(shared))
        };
        let [alone, shared] =
            [false, true].map(|shared| self.train(&params(shared, NoiseLaw::Normal), self.taught.clone()));
        let [alone_logistic, shared_logistic] =
            [false, true].map(|shared| self.train(&params(shared, NoiseLaw::Logistic), self.taught.clone()));
        let (alone, shared, alone_logistic, shared_logistic) = (alone?, shared?, alone_logistic?, shared_logistic?);
        let pooled = self.pooled()?;
        let (everybody, consensus) = (Arc::new(pooled.learned().belief(0)?), Arc::new(shared.learned().consensus()?));
        let mut row: Row = vec![Some(self.tests.iter().map(Vec::len).sum::<usize>() as f64)];
        row.extend(self.errors(&pooled, |_| Ok(everybody.clone()))?);
        row.extend(self.errors(&alone, |user| Ok(Arc::new(alone.learned().belief(user)?)))?);
        row.extend(self.errors(&shared, |user| Ok(Arc::new(shared.learned().belief(user)?)))?);
        row.extend(self.errors(&shared, |_| Ok(consensus.clone()))?);
        row.extend(self.errors(&alone_logistic, |user| Ok(Arc::new(alone_logistic.learned().belief(user)?)))?);
        row.extend(self.errors(&shared_logistic, |user| Ok(Arc::new(shared_logistic.learned().belief(user)?)))?);
        Ok(row)
    }

    /// All answers as those of one judge, with the noise that has the largest evidence.
    fn pooled(&self) -> Result<RatersModel> {
        let answers: Vec<Answer> = self.taught.iter().flat_map(|(_, opinions)| opinions.answers.clone()).collect();
        let everybody = vec![("everybody".to_owned(), Opinions { grades: Vec::new(), answers })];
        let shared = CollaborativeParams::default().with_rounds(0);
        let with = |noise| {
            let params = RatersParams::default().with_noise(Some(noise)).with_shared(shared.clone());
            self.train(&params, everybody.clone())
        };
        let mut best = with(NOISES[0])?;
        let evidence = |model: &RatersModel| model.learned().rounds()[0].log_evidence;
        for noise in &NOISES[1..] {
            let other = with(*noise)?;
            if evidence(&other) > evidence(&best) {
                best = other;
            }
        }
        Ok(best)
    }

    /// Accuracy without ties, and log loss, of all held-out answers.
    fn errors<B: Belief>(&self, model: &RatersModel, belief: impl Fn(usize) -> Result<Arc<B>>) -> Result<Row> {
        let answers = &model.learned().model().answers;
        let (mut right, mut decided, mut loss, mut count) = (0.0, 0.0_f64, 0.0, 0.0_f64);
        for (user, tests) in self.tests.iter().enumerate().filter(|(_, tests)| !tests.is_empty()) {
            let belief = belief(user)?;
            for answer in tests {
                let Some(second) = answer.second else { continue };
                let prediction = predict(belief.as_ref(), answers, answer.first, second)?;
                let share = match answer.outcome {
                    Outcome::First => prediction.probability,
                    Outcome::Tie => prediction.tie,
                    _ => 1.0 - prediction.probability - prediction.tie,
                };
                loss -= share.max(1e-12).ln();
                count += 1.0;
                if answer.outcome != Outcome::Tie {
                    let first = prediction.probability > 1.0 - prediction.probability - prediction.tie;
                    right += f64::from(u8::from(first == (answer.outcome == Outcome::First)));
                    decided += 1.0;
                }
            }
        }
        Ok(vec![(decided > 0.0).then(|| right / decided), (count > 0.0).then(|| loss / count)])
    }
}

/// A measure of a way, topic by topic.
fn column(rows: &[Row], way: usize, measure: usize) -> Vec<f64> {
    rows.iter().map(|row| row[1 + 2 * way + measure].unwrap_or(f64::NAN)).collect()
}

fn findings(plan: &Plan, rows: &[Row]) -> Findings {
    let less = |way: usize, measure: usize| {
        let (own, pooled) = (column(rows, way, measure), column(rows, 0, measure));
        Mean::of(&own.iter().zip(pooled).map(|(own, pooled)| own - pooled).collect::<Vec<_>>())
    };
    let line = |way: usize| {
        let signed = |mean: Mean| format!("{:+.4} ± {:.4}", mean.value, mean.error).replace('-', "−");
        let cell = |measure: usize| format!("{:.4}", mean(&column(rows, way, measure)));
        let beside = |measure: usize| if way == 0 { String::new() } else { signed(less(way, measure)) };
        vec![WAYS[way].to_owned(), cell(0), beside(0), cell(1), beside(1)]
    };
    let header = ["way", "accuracy", "less pooled", "log loss", "less pooled"];
    let table: Vec<Vec<String>> = (0..WAYS.len()).map(line).collect();
    let measured = html::table(
        "Means over topics, and differences to pooled answers with their standard errors.",
        &header,
        &table,
    );
    let mut comparison = String::new();
    for way in [2, 5] {
        let (accuracy, loss) = (less(way, 0), less(way, 1));
        let _ = write!(
            comparison,
            "<p>{}: accuracy {} ± {:.3} and log loss {} ± {:.3} beside pooled answers.</p>",
            WAYS[way],
            html::signed(accuracy.value, 3),
            accuracy.error,
            html::signed(loss.value, 3),
            loss.error
        );
    }
    let held_out: f64 = rows.iter().map(|row| row[0].unwrap_or(0.0)).sum();
    Findings {
        gist: Gist {
            title: "Held-out answers of workers".into(),
            header: header.map(str::to_owned).to_vec(),
            rows: table,
            note: "differences with their standard errors over topics".into(),
        },
        measured,
        how: format!(
            "<p>{} topics, {} judgements, of which {held_out} were held out.</p>",
            plan.topics.len(),
            plan.judgements
        ),
        comparison,
        files: Vec::new(),
    }
}
