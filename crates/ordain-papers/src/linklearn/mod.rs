//! `linklearn`: a similarity learned from the links of an encyclopaedia, tested on collections without links.

mod findings;
mod metric;
mod settings;

use ordain::learn::LinkedTexts;
use ordain::text::{Bm25Params, Curves, Feedback, Weighting};
use ordain::{Result, Watch};
use serde::{Deserialize, Serialize};

use self::settings::{PAPER, SETTINGS, UNTRAINED, USES, okapi, on_links};
use crate::collections::classic::{self, Collection, MEASURES, SOURCES};
use crate::collections::wiki_schools;
use crate::data::{DataFile, DataFolder};
use crate::experiment::{Experiment, Job, Options, Place, Program, Progress};
use crate::findings::Findings;
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;

pub const EXPERIMENT: Experiment = Experiment {
    name: "linklearn",
    title: "A text similarity learned from hyperlinks",
    paper: "Grangier, Bengio: Exploiting hyperlinks to learn a retrieval model (LinkLearn)",
    figure: "figure 1 and table 1",
    duration: "30 minutes",
    claim: "A similarity learned from the links of Wikipedia ranks the documents of another collection for its queries better than \
            Okapi: precision at 10 by 11 %, the break-even point by 16 %, average precision by 18 %.",
    setting: "Trained on half of 300,000 articles, chosen by the links of the other half; 50 TREC-9 queries over the 24,823 documents of \
              TDT-2. Okapi's K and B were chosen on other queries.",
    design: &[
        "Training: Schools Wikipedia, 4,655 articles, title first. One half at random teaches; links of the other half choose hidden units, \
         rate and pass. Five seeds, each with its own halves.",
        "Tests: CACM, Cranfield, Medline and NPL, with English stems and without stop words. For each, Okapi's K and B are those \
         that have the highest mean average precision on the other three. Break-even point: precision after as many documents as are relevant.",
        "Feedback by similar documents: five documents with weight 2. RM3: 10 documents, 20 terms, half of the query. Fused: both scores with feedback by \
         similar documents, each divided by its largest.",
        "Significance: two-sided paired t-test over the queries of a collection, average precision; p-values are Holm's over the collections. Learned \
         values are means over seeds.",
        "The rival of eq. 8: one weight per term of a common vocabulary, from up to ten triples per teaching article, on unit vectors of Okapi \
         weights; measured by the links of the other half.",
    ],
    differences: &[
        "TDT-2, TREC-9 and the paper's Wikipedia are not available. Our articles are a sixtieth of theirs and are cut at 8,000 characters.",
        "The paper compares whole articles. Queries of people are short and abstracts are too, so weights learned between whole articles do not fit \
         them. The other settings close this gap.",
        "The paper weighs queries by the networks too. Here a word of a query weighs its count. The cost of an article is the mean over its pairs, not their sum; \
         inputs are logarithms, outputs positive, and steps are those of Adam.",
        "Settings, and the numbers of feedback by similar documents, were looked at on these four collections. The row of the setting that is chosen on the \
         other three collections shows what remains without the look at settings. Okapi has the same feedback.",
    ],
    data: &FILES,
    settings: 1,
    program: &Linked,
};

const FILES: [DataFile; 14] = {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = classic::FILES;
    [wiki_schools::DOCUMENTS, wiki_schools::LINKS, a, b, c, d, e, f, g, h, i, j, k, l]
};

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    articles: usize,
    links: usize,
    /// The passes of the validation curve.
    passes: usize,
    seeds: u64,
    collections: Vec<Tested>,
}

/// A collection to test on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Tested {
    name: String,
    documents: usize,
    queries: Vec<String>,
}

impl Plan {
    /// All queries, collection by collection: the number of the collection, and the query's.
    fn queries(&self) -> Vec<(usize, usize)> {
        let of = |(at, tested): (usize, &Tested)| (0..tested.queries.len()).map(move |query| (at, query));
        self.collections.iter().enumerate().flat_map(of).collect()
    }

    fn query_keys(&self) -> impl Iterator<Item = String> {
        self.queries().into_iter().map(|(collection, query)| {
            let tested = &self.collections[collection];
            format!("{},{}", tested.name, tested.queries[query])
        })
    }

    /// The average precision of every query with all constants of Okapi.
    fn grid(&self) -> Layout {
        let cells = okapi().into_iter().map(|Bm25Params { k1, b, .. }| format!("k1_{k1}_b_{b}"));
        Layout { columns: columns(["collection", "query"], cells), keys: self.query_keys().collect() }
    }

    fn untrained(&self) -> Layout {
        Layout { columns: columns(["collection", "query"], measures(&UNTRAINED)), keys: self.query_keys().collect() }
    }

    /// Ways to train, each with every seed.
    fn runs(&self) -> Vec<(usize, u64)> {
        (0..SETTINGS.len()).flat_map(|setting| (1..=self.seeds).map(move |seed| (setting, seed))).collect()
    }

    fn trained(&self) -> Layout {
        let cells = ["link_precision", "okapi_precision", "hidden", "rate", "epochs"].map(str::to_owned);
        let keys = self.runs().into_iter().map(|(setting, seed)| format!("{},{seed}", SETTINGS[setting].name));
        Layout { columns: columns(["setting", "seed"], cells), keys: keys.collect() }
    }

    fn learned(&self) -> Layout {
        let keys = self.runs().into_iter().flat_map(|(setting, seed)| {
            self.query_keys().map(move |key| format!("{},{seed},{key}", SETTINGS[setting].name))
        });
        Layout { columns: columns(["setting", "seed", "collection", "query"], measures(&USES)), keys: keys.collect() }
    }

    fn curve(&self) -> Layout {
        Layout {
            columns: columns(["pass"], ["train", "validate"].map(str::to_owned)),
            keys: (1..=self.passes).map(|pass| pass.to_string()).collect(),
        }
    }
}

fn columns<const N: usize>(keys: [&str; N], cells: impl IntoIterator<Item = String>) -> Vec<String> {
    keys.into_iter().map(str::to_owned).chain(cells).collect()
}

fn measures(uses: &[(&str, &str)]) -> Vec<String> {
    uses.iter().flat_map(|(name, _)| ["p10", "bep", "ap"].map(|measure| format!("{name}_{measure}"))).collect()
}

/// The files of results.
const GRID: &str = "-grid.csv";
const UNTRAINED_FILE: &str = "-okapi.csv";
const TRAINED: &str = "-trained.csv";
const LEARNED: &str = "-learned.csv";
const CURVE: &str = "-curve.csv";
const METRIC: &str = "-metric.csv";

/// All that is read.
struct Data {
    articles: LinkedTexts,
    collections: Vec<Collection>,
}

impl Data {
    fn read(folder: &DataFolder, options: Options) -> Result<Self> {
        let (articles, queries) = if options.quick { (400, 5) } else { (usize::MAX, usize::MAX) };
        let mut collections = Vec::new();
        for source in &SOURCES {
            let mut collection = Collection::read(folder, source)?;
            collection.queries.truncate(queries);
            collections.push(collection);
        }
        Ok(Self { articles: wiki_schools::read(folder, articles)?, collections })
    }

    fn plan(&self, options: Options) -> Plan {
        let tested = |collection: &Collection| Tested {
            name: collection.name.to_owned(),
            documents: collection.index.len(),
            queries: collection.queries.iter().map(|query| query.name.clone()).collect(),
        };
        let (passes, seeds) = if options.quick { (5, 1) } else { (60, 5) };
        Plan {
            articles: self.articles.len(),
            links: self.articles.links().len(),
            passes,
            seeds,
            collections: self.collections.iter().map(tested).collect(),
        }
    }
}

/// The constants of Okapi that are best on average over the other collections, for every collection.
fn chosen(plan: &Plan, grid: &[Row]) -> Vec<Bm25Params> {
    let queries = plan.queries();
    let mean = |collection: usize, cell: usize| {
        let of = queries.iter().zip(grid).filter(|((own, _), _)| *own == collection);
        let values: Vec<f64> = of.filter_map(|(_, row)| row[cell]).collect();
        ordain::measure::mean(&values)
    };
    let all = okapi();
    let best = |collection: usize| {
        let others = |cell: usize| -> f64 {
            (0..plan.collections.len()).filter(|&other| other != collection).map(|other| mean(other, cell)).sum()
        };
        let values: Vec<f64> = (0..all.len()).map(others).collect();
        let best = (0..all.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best });
        all[best]
    };
    (0..plan.collections.len()).map(best).collect()
}

/// The program.
struct Linked;

impl Program for Linked {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let data = Data::read(job.data, job.options)?;
        let record = Record { general: job.general.clone(), plan: data.plan(job.options) };
        record.claim(&job.place.record())?;
        let plan = &record.plan;
        let queries = plan.queries();
        let seed = |seed: u64| job.options.seed.0.wrapping_add(seed - 1);

        let mut grid = Journal::open(&job.place.file(GRID), plan.grid())?;
        grid.complete(
            0..queries.len(),
            |at| grid_row(&data, queries[at]),
            |done| {
                watch(Progress { stage: "Okapi", done, total: queries.len() });
            },
        )?;
        let okapi = chosen(plan, grid.rows());
        let mut untrained = Journal::open(&job.place.file(UNTRAINED_FILE), plan.untrained())?;
        for (at, collection) in data.collections.iter().enumerate() {
            let weighting = Weighting::Okapi(okapi[at]);
            let weighted = weighting.over(&collection.index)?;
            let (similar, rm3) = (Feedback::SIMILAR.over(&weighted)?, Feedback::RM3.over(&weighted)?);
            let first = queries.iter().take_while(|(own, _)| *own < at).count();
            let row = |row: usize| {
                let judged = &collection.queries[row - first];
                let query = &judged.query;
                let all = [weighted.scores(query), similar.scores(query), rm3.scores(query)];
                cells(all.iter().map(|scores| judged.measure(scores)))
            };
            untrained.complete(first..first + collection.queries.len(), row, |_| {})?;
        }

        let runs = plan.runs();
        let mut trained = Journal::open(&job.place.file(TRAINED), plan.trained())?;
        let mut learned = Journal::open(&job.place.file(LEARNED), plan.learned())?;
        for (at, &(setting, number)) in runs.iter().enumerate() {
            watch(Progress { stage: "training and testing", done: at, total: runs.len() });
            let rows = at * queries.len()..(at + 1) * queries.len();
            if learned.done() >= rows.end && trained.done() > at {
                continue;
            }
            let params = SETTINGS[setting].params(seed(number));
            let model = params.fit(&data.articles, &Watch::NONE)?;
            let rival = params.okapi_precision(&data.articles, &on_links(), &Watch::NONE)?;
            let rival = rival.into_iter().fold(0.0, f64::max);
            let facts = [model.link_precision, rival, model.hidden as f64, model.rate, model.epochs as f64];
            trained.complete(at..at + 1, |_| Ok(facts.map(Some).to_vec()), |_| {})?;
            test(&data, &model.curves, &okapi, &mut learned, rows.start)?;
        }

        let mut curve = Journal::open(&job.place.file(CURVE), plan.curve())?;
        if curve.done() < plan.passes {
            watch(Progress { stage: "validation curve", done: 0, total: 1 });
            // Until the end, whether it gets better or not.
            let params = SETTINGS[PAPER].params(seed(1)).with_epochs(plan.passes).with_patience(plan.passes);
            let model = params.with_hidden(vec![5]).with_rates(vec![0.02]).fit(&data.articles, &Watch::NONE)?;
            let row = |at: usize| Ok(vec![Some(model.curve[at].train), Some(model.curve[at].validate)]);
            curve.complete(0..plan.passes, row, |_| {})?;
        }
        watch(Progress { stage: "diagonal metric", done: 0, total: 1 });
        metric::compute(&data.articles, &SETTINGS[PAPER].params(seed(1)), &job.place.file(METRIC))
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let layouts = [
            (plan.grid(), GRID),
            (plan.untrained(), UNTRAINED_FILE),
            (plan.trained(), TRAINED),
            (plan.learned(), LEARNED),
            (plan.curve(), CURVE),
            (metric::layout(), METRIC),
        ];
        let mut rows = Vec::new();
        for (layout, file) in layouts {
            let Some(of) = layout.read_finished(&place.file(file))? else { return Ok(None) };
            rows.push(of);
        }
        findings::findings(&plan, &rows).map(Some)
    }
}

/// The average precision of a query with all constants of Okapi.
fn grid_row(data: &Data, (collection, query): (usize, usize)) -> Result<Row> {
    let collection = &data.collections[collection];
    let judged = &collection.queries[query];
    let mut row = Row::new();
    for params in okapi() {
        let mut scores = vec![0.0; collection.index.len()];
        let hits = params.over(&collection.index)?.scores(&judged.query);
        hits.iter().for_each(|hit| scores[hit.document.index()] = hit.score);
        row.push(Some(judged.measure(&scores)?[MEASURES.len() - 1]));
    }
    Ok(row)
}

fn cells(all: impl Iterator<Item = Result<[f64; MEASURES.len()]>>) -> Result<Row> {
    let measured: Vec<[f64; MEASURES.len()]> = all.collect::<Result<_>>()?;
    Ok(measured.concat().into_iter().map(Some).collect())
}

/// Tests a trained model on all queries, whose rows begin at `start`.
fn test(data: &Data, curves: &Curves, okapi: &[Bm25Params], journal: &mut Journal, start: usize) -> Result<()> {
    let mut first = start;
    for (collection, okapi) in data.collections.iter().zip(okapi) {
        let end = first + collection.queries.len();
        if journal.done() < end {
            let learned = Weighting::Learned(curves.clone()).over(&collection.index)?;
            let (similar, rm3) = (Feedback::SIMILAR.over(&learned)?, Feedback::RM3.over(&learned)?);
            let rival = Weighting::Okapi(*okapi).over(&collection.index)?;
            let rival = Feedback::SIMILAR.over(&rival)?;
            let row = |at: usize| {
                let judged = &collection.queries[at - first];
                let query = &judged.query;
                let similar = similar.scores(query);
                let fused = fused(&similar, &rival.scores(query));
                let all = [learned.scores(query), similar, rm3.scores(query), fused];
                cells(all.iter().map(|scores| judged.measure(scores)))
            };
            journal.complete(first..end, row, |_| {})?;
        }
        first = end;
    }
    Ok(())
}

/// The sum of two scores, each divided by its largest.
fn fused(one: &[f64], other: &[f64]) -> Vec<f64> {
    let scale = |scores: &[f64]| {
        let largest = scores.iter().copied().fold(0.0, f64::max);
        if largest > 0.0 { largest.recip() } else { 0.0 }
    };
    let (first, second) = (scale(one), scale(other));
    one.iter().zip(other).map(|(one, other)| first * one + second * other).collect()
}
