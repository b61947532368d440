//! `ltot-metasearch`: search engines and other rankers combined by weights that are learned from feedback (LTOT section 5).

mod measuring;
mod plan;
mod report;
mod searches;
mod summary;
mod training;

use ordain::Result;

use self::measuring::{Lessons, measure};
use self::plan::{Plan, Searched};
use self::searches::Collection;
use self::summary::Summary;
use crate::collections::cacm;
use crate::data::{DataFile, DataFolder};
use crate::experiment::{Experiment, Job, Options, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::Journal;
use crate::record::Record;

pub const EXPERIMENT: Experiment = Experiment {
    name: "ltot-metasearch",
    title: "Combining search engines by learned weights",
    paper: "Cohen, Schapire, Singer: Learning to order things (LTOT)",
    figure: "table 1",
    duration: "4 minutes",
    claim: "The learned system (Hedge) performs much better than a naive search, and at least as well as, perhaps slightly better \
            than, any single expert; almost as well from clicks as from full feedback. From clicks, the average rank of the \
            relevant document is 36 % and 46 % below that of the naive search in its two domains.",
    setting: "16 and 22 query expansions as experts, 210 and 290 queries with one relevant document each, 30 documents a list; \
              β = 0.5, leave-one-out; for clicks the median rank over 100 random orders of the training queries.",
    design: &[
        "CACM: 4 engines' lists, cut at 30 documents. OHSUMED: 9 systems' lists on the topics of TREC-9, cut at 30. \
         MQ2008-agg: 25 rankers' places of LETOR's judged documents, in five parts. Leave-one-out on the first two; on the third \
         each part is ordered by what was learned on the other four.",
        "As in the paper a document that an expert did not return is below all that it returned, a query that no expert \
         solves is left out, and a rank beyond 30 counts as 31. Documents of grade 1 and more are relevant, and what is ranked is \
         the first of them. Where the list of an expert has no relevant document its rank is 31.",
        "Experts are compared by the places of their lists; CombSUM and CombMNZ add scores where the lists have some.",
        "Full feedback prefers every document to all of a lower grade. A click is on the first relevant document of the list \
         that the weights of the moment give. Both learn online, one pass over the training queries: full feedback in the order of \
         the file, clicks in random orders, over which the median is taken query by query.",
        "Margin is ours: weights by the logistic loss of the combined preference's margin. Hedge's loss is linear in the weights, so \
         in the end they go to a single expert.",
    ],
    differences: &[
        "The paper's queries have one relevant document, these have several, so that the first of them is found sooner and \
         ranks are lower. Full feedback is then about all relevant documents, most of which the rank of the first does not \
         depend on.",
        "Experts of MQ2008-agg return a third of the documents on average. By the paper's rule a query without a relevant document in \
         an expert's list counts as 31; the line \"its list completed\" ranks all other documents after that list and is the \
         fairer comparison there.",
        "The best experts are chosen in hindsight, on the queries that they are measured on; what is learned is measured on \
         queries that were held out.",
    ],
    data: &FILES,
    settings: 1,
    program: &Metasearch,
};

/// What Hedge multiplies a weight by for a loss of 1 (LTOT section 5).
const BETA: f64 = 0.5;

const RUNS: &str = "a table with the columns run, qid, docid, rank and score";

const CACM_RUNS: DataFile =
    DataFile { path: "classic-ir/cacm/runs.tsv.gz", form: RUNS, origin: cacm::JUDGEMENTS.origin };

const OHSUMED: &str = "a file of runs on OHSUMED with the topics of TREC-9's filtering track, or of their judgements";
const OHSUMED_RUNS: DataFile = DataFile { path: "ohsumed-runs/runs.tsv.gz", form: RUNS, origin: OHSUMED };
const OHSUMED_JUDGEMENTS: DataFile =
    DataFile { path: "ohsumed-runs/qrels.tsv.gz", form: cacm::JUDGEMENTS.form, origin: OHSUMED };

const fn ranks(path: &'static str) -> DataFile {
    let form = "lines \"GRADE qid:QUERY 1:RANK 2:NULL ... #docid = ID\"";
    DataFile { path, form, origin: "a part of LETOR 4.0's MQ2008-agg set (Microsoft Research; Qin, Liu 2013)" }
}

const RANKS: [DataFile; 5] = [
    ranks("letor-agg/mq2008-agg/A1.txt.gz"),
    ranks("letor-agg/mq2008-agg/A2.txt.gz"),
    ranks("letor-agg/mq2008-agg/A3.txt.gz"),
    ranks("letor-agg/mq2008-agg/A4.txt.gz"),
    ranks("letor-agg/mq2008-agg/A5.txt.gz"),
];

const FILES: [DataFile; 9] =
    [CACM_RUNS, cacm::JUDGEMENTS, OHSUMED_RUNS, OHSUMED_JUDGEMENTS, RANKS[0], RANKS[1], RANKS[2], RANKS[3], RANKS[4]];

/// All three collections.
///
/// # Errors
/// If a file cannot be read or does not fit the others.
fn load(folder: &DataFolder) -> Result<Vec<Collection>> {
    Ok(vec![
        Collection::of_runs(folder, ("cacm", "CACM"), (&CACM_RUNS, &cacm::JUDGEMENTS))?,
        Collection::of_runs(folder, ("ohsumed", "OHSUMED"), (&OHSUMED_RUNS, &OHSUMED_JUDGEMENTS))?,
        Collection::of_ranks(folder, ("mq2008", "MQ2008-agg"), &RANKS)?,
    ])
}

/// The experiment's program.
struct Metasearch;

/// How the names of a collection's tables end: trainings and queries.
fn trained_file(place: Place<'_>, searched: &Searched) -> std::path::PathBuf {
    place.file(&format!("-{}-trained.csv", searched.name))
}

fn queries_file(place: Place<'_>, searched: &Searched) -> std::path::PathBuf {
    place.file(&format!("-{}.csv", searched.name))
}

impl Plan {
    fn new(collections: &[Collection], options: Options) -> Self {
        let (click_orders, full_orders) = if options.quick { (3, 2) } else { (100, 20) };
        Self { click_orders, full_orders, collections: collections.iter().map(Searched::new).collect() }
    }
}

impl Program for Metasearch {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let collections = load(job.data)?;
        let record = Record { general: job.general.clone(), plan: Plan::new(&collections, job.options) };
        record.claim(&job.place.record())?;
        let plan = &record.plan;
        let trainings = |searched: &Searched| plan.trainings(searched.parts()).len();
        let total = plan.collections.iter().map(trainings).sum();
        let mut before = 0;
        let mut rows = Vec::new();
        for (number, (collection, searched)) in collections.iter().zip(&plan.collections).enumerate() {
            let mut journal = Journal::open(&trained_file(job.place, searched), plan.trained_layout(searched))?;
            let all = plan.trainings(searched.parts());
            watch(Progress { stage: "learning", done: before + journal.done(), total });
            let compute = |at: usize| Ok(all[at].run(number, collection, job.options.seed)?.row());
            let told = |done| watch(Progress { stage: "learning", done: before + done, total });
            journal.complete(0..all.len(), compute, told)?;
            before += all.len();
            rows.push(journal.rows().to_vec());
        }
        let total = plan.collections.iter().map(|searched| searched.queries.len()).sum();
        let mut before = 0;
        for ((collection, searched), rows) in collections.iter().zip(&plan.collections).zip(&rows) {
            let lessons = Lessons::new(plan, searched.parts(), rows)?;
            let mut journal = Journal::open(&queries_file(job.place, searched), plan.queries_layout(searched))?;
            let compute = |at: usize| measure(&collection.queries[at], &lessons);
            let told = |done| watch(Progress { stage: "measuring", done: before + done, total });
            journal.complete(0..collection.queries.len(), compute, told)?;
            before += collection.queries.len();
        }
        Ok(())
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, general }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let mut summaries = Vec::new();
        for searched in &plan.collections {
            let trained = plan.trained_layout(searched).read_finished(&trained_file(place, searched))?;
            let queries = plan.queries_layout(searched).read_finished(&queries_file(place, searched))?;
            let (Some(trained), Some(queries)) = (trained, queries) else { return Ok(None) };
            let lessons = Lessons::new(&plan, searched.parts(), &trained)?;
            summaries.push(Summary::new(&plan, searched, &lessons, &queries, general.seed)?);
        }
        Ok(Some(report::findings(&plan, &summaries)))
    }
}
