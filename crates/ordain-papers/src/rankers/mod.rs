//! `letor`: rankers learned from graded lists on OHSUMED and MQ2008, and LambdaRank's argument on a list of 1,000 documents.

mod argument;
mod contestants;
mod findings;
mod published;

use ordain::formats::{Letor, read_letors};
use ordain::learn::{GradedLists, Scaling};
use ordain::measure::Measure;
use ordain::measure::retrieval::{Discount, Gain};
use ordain::numeric::Seed;
use ordain::{InputError, Result, Watch};
use serde::{Deserialize, Serialize};

use self::contestants::CONTESTANTS;
use self::published::{Given, Published};
use crate::collections::letor;
use crate::data::{DataFile, DataFolder};
use crate::experiment::{Experiment, Job, Options, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;

pub const EXPERIMENT: Experiment = Experiment {
    name: "letor",
    title: "Rankers learned from graded lists beside those published",
    paper: "Burges: Ranking as learning structured outputs (LambdaRank)",
    figure: "section 3",
    duration: "2 minutes",
    claim: "Smooth costs over pairs solve the wrong problem: of a list of 1,000 documents, 996 pairs fewer can be wrong while the winner \
            is lost. Where a measure cannot be differentiated, it is enough to say how documents should move (lambdas).",
    setting: "No experiment. The list of 1,000 documents is the paper's.",
    design: &[
        "OHSUMED: 106 queries, 25 features. MQ2008: 784 queries, 46 features. Five folds each: three parts teach, one chooses, one tests. \
         Features are standardised within each query. Step lengths, beginnings, passes and penalties are chosen by MAP on the part that \
         chooses, and by nothing else.",
        "MAP counts grades from 1 on as relevant. NDCG@10 is LETOR's: gain 2^grade - 1, discount 1 at the first two places. Equal scores \
         keep the order of the file. A query without a relevant document counts as 0. Figures are means over folds of means over queries.",
        "Lambdas: linear scores, pairs weighed by the change of NDCG, of average precision or of the winner. RankNet weighs all pairs the \
         same. The ranking SVM is linear with the squared hinge. The network has one hidden layer of 10 units and lambdas for NDCG. The \
         ensemble adds the scores of all but the one for the winner, each trained twice, chosen by MAP and by NDCG@10, and standardised \
         within the query.",
        "Beside them: on OHSUMED the figures that LETOR published; on MQ2008 the scores of eight rankers that others trained on the same \
         folds.",
    ],
    differences: &["The paper has no experiment, so there is nothing to differ from."],
    data: &FILES,
    settings: 1,
    program: &Rankers,
};

const FILES: [DataFile; 12] = {
    let [a, b, c, d, e] = letor::OHSUMED;
    let [f, g, h, i, j] = letor::MQ2008;
    [a, b, c, d, e, letor::OHSUMED_PUBLISHED, f, g, h, i, j, letor::MQ2008_SCORES]
};

/// The number of parts of a collection.
const PARTS: usize = 5;

/// What is measured, in this order.
const MEASURES: [(&str, Measure); 3] = [
    ("map", Measure::AveragePrecision),
    ("ndcg10", Measure::Ndcg { k: Some(10), gain: Gain::Exponential, discount: Discount::Letor }),
    ("wta", Measure::PrecisionAt(1)),
];

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// Passes over the queries, beginnings.
    epochs: usize,
    restarts: usize,
    collections: Vec<Tested>,
}

/// What is known of a collection before anything is learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Tested {
    name: String,
    title: String,
    features: usize,
    documents: usize,
    /// The queries of each part.
    queries: Vec<Vec<String>>,
    /// Queries with one grade only.
    one_grade_only: usize,
    /// Means that others published.
    published: Vec<Published>,
    /// Rankers whose scores others published.
    given: Vec<String>,
}

impl Tested {
    fn layout(&self) -> Layout {
        let keys = self.queries.iter().enumerate();
        let keys = keys.flat_map(|(part, queries)| queries.iter().map(move |query| format!("{},{query}", part + 1)));
        let ours = CONTESTANTS.iter().map(|contestant| contestant.name.to_owned());
        let columns = ours.chain(self.given.iter().cloned());
        let columns = columns.flat_map(|name| MEASURES.map(|(measure, _)| format!("{name}_{measure}")));
        let columns = ["part".to_owned(), "query".to_owned()].into_iter().chain(columns).collect();
        Layout { columns, keys: keys.collect() }
    }

    /// The rows of a part.
    fn rows(&self, part: usize) -> std::ops::Range<usize> {
        let before: usize = self.queries[..part].iter().map(Vec::len).sum();
        before..before + self.queries[part].len()
    }
}

/// A collection: its parts, and what others found on it.
struct Collection {
    name: &'static str,
    title: &'static str,
    parts: Vec<(Letor, Vec<i32>)>,
    published: Vec<Published>,
    given: Option<Given>,
}

impl Collection {
    fn read(
        folder: &DataFolder,
        (name, title): (&'static str, &'static str),
        files: &[DataFile; PARTS],
    ) -> Result<Self> {
        let paths: Vec<_> = files.iter().map(|file| folder.file(file)).collect();
        let mut parts = Vec::new();
        for (letor, path) in read_letors(&paths, None)?.into_iter().zip(&paths) {
            if letor.items.groups().is_none() {
                return Err(InputError::new(path, "lines with a qid").found("none").into());
            }
            let grades = letor.whole_grades(path)?;
            parts.push((letor, grades));
        }
        Ok(Self { name, title, parts, published: Vec::new(), given: None })
    }

    fn tested(&self) -> Result<Tested> {
        let names = |letor: &Letor| letor.items.groups().map_or(Vec::new(), |groups| groups.names().to_vec());
        let lists = GradedLists::from_letor(&self.parts, Scaling::AsGiven)?;
        Ok(Tested {
            name: self.name.into(),
            title: self.title.into(),
            features: lists.names().len(),
            documents: lists.documents(),
            queries: self.parts.iter().map(|(letor, _)| names(letor)).collect(),
            one_grade_only: lists.one_grade_only(),
            published: self.published.clone(),
            given: self.given.as_ref().map_or(Vec::new(), |given| given.rankers.clone()),
        })
    }

    /// The lists of some parts.
    fn lists(&self, parts: &[usize]) -> Result<GradedLists> {
        let some: Vec<(Letor, Vec<i32>)> = parts.iter().map(|&part| self.parts[part].clone()).collect();
        GradedLists::from_letor(&some, Scaling::Standard)
    }

    /// The measures of every query of a part, by all contestants, who learn from the three parts after it and choose by the fourth.
    fn test(&self, plan: &Plan, part: usize, seed: Seed, mut told: impl FnMut(usize)) -> Result<Vec<Row>> {
        let after = |by: usize| (part + by) % PARTS;
        let (train, validate) = (self.lists(&[after(1), after(2), after(3)])?, self.lists(&[after(4)])?);
        let items = &self.parts[part].0.items;
        let lists = self.lists(&[part])?;
        let mut all: Vec<Vec<f64>> = Vec::new();
        let mut votes: Vec<Vec<f64>> = Vec::new();
        for (done, contestant) in CONTESTANTS.iter().enumerate() {
            told(done);
            let Some(learner) = contestant.learner else {
                all.push(contestants::ensemble(&votes, items));
                continue;
            };
            let scores = |(_, measure): (&str, Measure)| -> Result<Vec<f64>> {
                let model = learner(plan, seed, measure).fit(&train, Some(&validate), &Watch::NONE)?;
                model.score(items.attributes(), items.groups())
            };
            let [map, ndcg10, _] = MEASURES;
            let own = scores(map)?;
            if contestant.votes {
                votes.extend([own.clone(), scores(ndcg10)?]);
            }
            all.push(own);
        }
        if let Some(given) = &self.given {
            all.extend(given.scores(part, items)?);
        }
        let by_query = |scores: &Vec<f64>| -> Result<Vec<Vec<f64>>> {
            // Lists stand query by query, scores in the order of the file.
            let scores: Vec<f64> = items.groups().map_or_else(
                || scores.clone(),
                |groups| {
                    let members = (0..groups.len()).flat_map(|group| groups.members(group));
                    members.map(|item| scores[item.index()]).collect()
                },
            );
            MEASURES.iter().map(|(_, measure)| lists.measures(*measure, &scores)).collect()
        };
        let measured: Vec<Vec<Vec<f64>>> = all.iter().map(by_query).collect::<Result<_>>()?;
        let row = |query: usize| measured.iter().flatten().map(|values| Some(values[query])).collect();
        Ok((0..lists.len()).map(row).collect())
    }
}

/// Both collections.
fn load(folder: &DataFolder) -> Result<Vec<Collection>> {
    let mut ohsumed = Collection::read(folder, ("ohsumed", "OHSUMED"), &letor::OHSUMED)?;
    ohsumed.published = published::read(&folder.file(&letor::OHSUMED_PUBLISHED))?;
    let mut mq2008 = Collection::read(folder, ("mq2008", "MQ2008"), &letor::MQ2008)?;
    mq2008.given = Some(Given::read(&folder.file(&letor::MQ2008_SCORES))?);
    Ok(vec![ohsumed, mq2008])
}

/// The experiment's program.
struct Rankers;

fn file(place: Place<'_>, tested: &Tested) -> std::path::PathBuf {
    place.file(&format!("-{}.csv", tested.name))
}

impl Plan {
    fn new(collections: &[Collection], options: Options) -> Result<Self> {
        let (epochs, restarts) = if options.quick { (10, 1) } else { (200, 5) };
        let collections = collections.iter().map(Collection::tested).collect::<Result<_>>()?;
        Ok(Self { epochs, restarts, collections })
    }
}

impl Program for Rankers {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let collections = load(job.data)?;
        let record = Record { general: job.general.clone(), plan: Plan::new(&collections, job.options)? };
        record.claim(&job.place.record())?;
        let plan = &record.plan;
        let total = collections.len() * PARTS * CONTESTANTS.len();
        for (number, (collection, tested)) in collections.iter().zip(&plan.collections).enumerate() {
            let mut journal = Journal::open(&file(job.place, tested), tested.layout())?;
            for part in 0..PARTS {
                let rows = tested.rows(part);
                if journal.done() >= rows.end {
                    continue;
                }
                let before = (number * PARTS + part) * CONTESTANTS.len();
                let told = |done| watch(Progress { stage: "learning", done: before + done, total });
                let measured = collection.test(plan, part, job.options.seed, told)?;
                journal.complete(rows.clone(), |at| Ok(measured[at - rows.start].clone()), |_| {})?;
            }
        }
        Ok(())
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, general }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let mut rows = Vec::new();
        for tested in &plan.collections {
            let Some(of) = tested.layout().read_finished(&file(place, tested))? else { return Ok(None) };
            rows.push(of);
        }
        findings::findings(&plan, &rows, Seed(general.seed)).map(Some)
    }
}
