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
use crate::collections::{cacm, letor, ohsumed_runs};
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
    duration: "1 minute",
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
        "Margin's weight of the initial weights, λ = 0.1, was chosen after figures on these collections had been seen; a table has what \
         others give. The steepness of its loss follows from reading PREF as a probability. Hedge's β is the paper's.",
        "The best experts are chosen in hindsight, on the queries that they are measured on; what is learned is measured on \
         queries that were held out.",
    ],
    data: &FILES,
    settings: 1,
    program: &Metasearch,
};

/// What Hedge multiplies a weight by for a loss of 1 (LTOT section 5).
const BETA: f64 = 0.5;

const FILES: [DataFile; 9] = {
    let [a, b, c, d, e] = letor::MQ2008_AGG;
    [cacm::RUNS, cacm::JUDGEMENTS, ohsumed_runs::RUNS, ohsumed_runs::JUDGEMENTS, a, b, c, d, e]
};

/// All three collections.
///
/// # Errors
/// If a file cannot be read or does not fit the others.
fn load(folder: &DataFolder) -> Result<Vec<Collection>> {
    Ok(vec![
        Collection::of_runs(folder, ("cacm", "CACM"), (&cacm::RUNS, &cacm::JUDGEMENTS))?,
        Collection::of_runs(folder, ("ohsumed", "OHSUMED"), (&ohsumed_runs::RUNS, &ohsumed_runs::JUDGEMENTS))?,
        Collection::of_ranks(folder, ("mq2008", "MQ2008-agg"), &letor::MQ2008_AGG)?,
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
        Self {
            click_orders,
            full_orders,
            priors: training::priors(),
            collections: collections.iter().map(Searched::new).collect(),
        }
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

#[cfg(test)]
mod tests {
    use ordain::numeric::Seed;
    use ordain::order::{Feedback, RankOrdering, Unretrieved};
    use rand::RngExt;
    use rayon::prelude::*;

    use super::searches::Query;
    use super::summary::System;
    use super::*;
    use crate::data::real_data;
    use crate::journal::Row;

    /// What becomes of a collection when nothing is kept in files.
    fn rows(plan: &Plan, collection: &Collection) -> (Lessons, Vec<Row>) {
        let parts = plan.collections[0].parts();
        let train = |training: &training::Training| Ok(training.run(0, collection, Seed(1))?.row());
        let trained: Vec<Row> = plan.trainings(parts).par_iter().map(train).collect::<Result<_>>().unwrap();
        let lessons = Lessons::new(plan, parts, &trained).unwrap();
        let queries = collection.queries.iter().map(|query| measure(query, &lessons)).collect::<Result<_>>().unwrap();
        (lessons, queries)
    }

    fn plan(collection: &Collection) -> Plan {
        Plan {
            click_orders: 2,
            full_orders: 1,
            priors: training::priors(),
            collections: vec![Searched::new(collection)],
        }
    }

    /// Twenty queries of six documents, the fourth of which alone is relevant; the last of three experts is always right, the
    /// others return documents by chance.
    fn made_up() -> Collection {
        let mut stream = Seed(3).stream(0);
        let mut query = |part: usize| {
            let mut chance = |_| Some(stream.random::<f64>());
            let mut lists = [0; 3].map(|_| (0..6).map(&mut chance).collect::<Vec<Option<f64>>>());
            lists[2] = vec![None, None, None, Some(1.0), None, Some(0.5)];
            let grades = vec![0, 0, 0, 1, 0, 0];
            Query {
                name: part.to_string(),
                part,
                full: Feedback::from_grades(&grades),
                grades,
                experts: lists
                    .into_iter()
                    .map(|scores| RankOrdering::from_scores(scores, Unretrieved::Last).unwrap())
                    .collect(),
                scored: None,
            }
        };
        let queries = (0..20).map(&mut query).collect();
        let experts = ["a", "b", "right"].map(str::to_owned).to_vec();
        Collection { name: "made-up", title: "made up", experts, queries, dropped: 0 }
    }

    #[test]
    fn an_expert_that_is_always_right_is_found() {
        let collection = made_up();
        let plan = plan(&collection);
        let (lessons, queries) = rows(&plan, &collection);
        let summary = Summary::new(&plan, &plan.collections[0], &lessons, &queries, 1).unwrap();
        for system in [System::MARGIN, System::HEDGE, System::BestAverage, System::BestCompleted] {
            let line = summary.line(system);
            assert_eq!((line.average.mean, line.top), (1.0, [20; 3]), "{system:?}");
            assert!(line.expert.as_ref().is_none_or(|expert| expert == "right"));
        }
        for weights in &summary.weights {
            assert!(weights[2] > 0.8 && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{weights:?}");
        }
        assert_eq!(summary.wrong.experts[2], 0.0);
        // Five pairs of a query, and the average of experts by chance is not 0.
        assert!(summary.wrong.experts[0] > 0.1 && summary.line(System::Naive).average.mean > 1.5);
        assert!(summary.passes.iter().all(|(_, trained)| trained.loss <= trained.bound));
        let [greedy, components, local] = [0, 1, 2].map(|at| summary.orders[at].agreement);
        assert!(greedy <= components && components <= local && local <= 1.0);
    }

    /// The documents, their order, what is cut and what is dropped, from files of a few lines.
    #[test]
    fn reading_runs_and_ranks() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
            std::fs::write(path, packed.finish().unwrap()).unwrap();
        };
        let mut runs = "run\tqid\tdocid\trank\tscore\n".to_owned();
        for rank in 1..=31 {
            runs.push_str(&format!("x\tq1\td{:02}\t{rank}\t7\n", 40 - rank));
        }
        runs.push_str("y\tq1\td09\t1\t3\ny\tq1\td10\t2\t2\nx\tq2\ta\t1\t1\ny\tq3\tb\t1\t1\ny\tq3\tc\t2\t1\n");
        write("classic-ir/cacm/runs.tsv.gz", &runs);
        let qrels = "qid\tdocid\trel\nq1\td10\t1\nq1\td09\t0\nq2\tb\t1\nq3\tc\t2\nq4\td\t1\n";
        write("classic-ir/cacm/qrels.tsv.gz", qrels);
        let data = DataFolder::new(folder.path(), "a test");
        let files = (&cacm::RUNS, &cacm::JUDGEMENTS);
        let read = Collection::of_runs(&data, ("cacm", "CACM"), files).unwrap();
        assert_eq!((read.experts, read.dropped), (vec!["x".to_owned(), "y".to_owned()], 2));
        let names: Vec<(&str, usize)> = read.queries.iter().map(|query| (query.name.as_str(), query.part)).collect();
        assert_eq!(names, [("q1", 0), ("q3", 1)]);
        let query = &read.queries[0];
        // d09 to d39: the run's 31st is d09, which it does not reach; the other expert has it.
        assert_eq!((query.grades.len(), query.grades[1], query.relevant()), (31, 1, 1));
        assert_eq!((query.experts[0].place(1), query.experts[0].place(0)), (Some(30), None));
        assert_eq!((query.own_rank(0), query.own_rank(1)), (30.0, 2.0));
        // All scores are equal, places are not.
        assert_eq!(query.scored.as_ref().unwrap()[0].place(1), Some(1));
        assert_eq!((read.queries[1].own_rank(0), read.queries[1].own_rank(1)), (31.0, 2.0));

        for part in 1..=5 {
            let lines = format!(
                "0 qid:{part} 1:7 2:NULL #docid = a\n2 qid:{part} 1:NULL 2:9 #docid = b\n1 qid:{part} 1:9 2:NULL #docid = c\n\
                 0 qid:{0} 1:1 2:1 #docid = d\n",
                part + 5
            );
            write(&format!("letor-agg/mq2008-agg/A{part}.txt.gz"), &lines);
        }
        let read = Collection::of_ranks(&data, ("mq2008", "MQ2008-agg"), &letor::MQ2008_AGG).unwrap();
        assert_eq!((read.queries.len(), read.dropped, read.experts.len()), (5, 5, 2));
        let query = &read.queries[3];
        assert_eq!((query.part, query.own_rank(0), query.own_rank(1)), (3, 2.0, 1.0));

        write("letor-agg/mq2008-agg/A2.txt.gz", "1 qid:9 1:1 #docid = a\n");
        let error =
            Collection::of_ranks(&data, ("mq2008", "MQ2008-agg"), &letor::MQ2008_AGG).err().unwrap().to_string();
        assert!(error.contains("A2.txt.gz") && error.contains("2 rankers"), "{error}");
        write("classic-ir/cacm/qrels.tsv.gz", "qid\tdocid\trel\nq3\tc\t2\n");
        let error = Collection::of_runs(&data, ("cacm", "CACM"), files).err().unwrap().to_string();
        assert!(error.contains("runs.tsv.gz") && error.contains("two queries"), "{error}");
    }

    /// The numbers of queries, and what must come out: figures of an independent program (Python, float64), from which
    /// ties alone can part these in the second digit.
    #[test]
    fn on_real_data() {
        let Some(folder) = real_data(&cacm::RUNS) else { return };
        let expected =
            [("cacm", 52, 3.44, 3.44, 3.31), ("ohsumed", 63, 1.73, 1.79, 1.63), ("mq2008", 564, 3.55, 2.41, 2.08)];
        for (collection, (name, queries, best, hedge, margin)) in load(&folder).unwrap().iter().zip(expected) {
            assert_eq!((collection.name, collection.queries.len()), (name, queries));
            let plan = Plan {
                click_orders: 1,
                full_orders: 1,
                priors: training::priors(),
                collections: vec![Searched::new(collection)],
            };
            let (lessons, queries) = rows(&plan, collection);
            let summary = Summary::new(&plan, &plan.collections[0], &lessons, &queries, 1).unwrap();
            let average = |system| summary.line(system).average.mean;
            for (system, value) in [(System::BestAverage, best), (System::HEDGE, hedge), (System::MARGIN, margin)] {
                assert!((average(system) - value).abs() < 0.05, "{name}: {system:?} {}", average(system));
            }
            for line in summary.rivals() {
                assert!(line.above_margin.mean > 0.0, "{name}: {:?} {:?}", line.system, line.above_margin);
            }
            assert!(summary.passes.iter().all(|(_, trained)| trained.loss <= trained.bound), "{name}");
        }
    }
}
