//! Searching by BM25 beside bm25s and rank_bm25, over the same terms.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ordain::formats::{Documents, DocumentsSpec, read_queries};
use ordain::numeric::Seed;
use ordain::text::{Analysis, Bm25Params, IndexBuilder, Query};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::shared::{data, folder, machine, median, peak_mb, record, run};

const REPEATS: usize = 5;
const TOP: usize = 10;

/// Terms of documents and queries.
#[derive(Serialize, Deserialize)]
struct Collection {
    documents: Vec<Vec<String>>,
    queries: Vec<Vec<String>>,
    top: usize,
    k1: f64,
    b: f64,
}

/// What searching took.
#[derive(Serialize, Deserialize)]
struct Searched {
    index_seconds: Vec<f64>,
    search_seconds: Vec<f64>,
    /// How many queries `search_seconds` are for.
    queries: usize,
    /// The process' largest resident memory, and what of it was there before the index.
    peak_mb: f64,
    base_mb: f64,
    /// Documents and scores of every query, best first; none if the scores are of another formula.
    found: Vec<Vec<(u32, f64)>>,
    #[serde(default)]
    versions: BTreeMap<String, String>,
}

impl Collection {
    fn new(documents: Vec<Vec<String>>, queries: Vec<Vec<String>>) -> Self {
        let Bm25Params { k1, b, .. } = Bm25Params::default();
        Self { documents, queries, top: TOP, k1, b }
    }

    /// NPL with stems, if the folder of public data is at hand.
    fn npl() -> Result<Option<Self>, Box<dyn Error>> {
        let place = data().join("classic-ir/npl");
        if !place.exists() {
            println!("SKIPPED: no {}; set ORDAIN_DATA to the folder of public data", place.display());
            return Ok(None);
        }
        let analysis = Analysis { stem: Some("english".parse()?), ..Analysis::default() };
        let mut documents = Vec::new();
        for document in Documents::open(place.join("docs.jsonl.gz"), &DocumentsSpec::default())? {
            documents.push(analysis.terms(&document?.text));
        }
        let queries = read_queries(place.join("queries.tsv.gz"))?.queries;
        let queries = queries.iter().map(|query| analysis.terms(&query.text)).collect();
        Ok(Some(Self::new(documents, queries)))
    }

    /// 100,000 documents of 20 to 180 words and 1,000 queries of 2 to 8 from 200,000 words, of which the r-th is used in
    /// proportion to about 1/r, as in natural language.
    fn synthetic() -> Self {
        const WORDS: f64 = 200_000.0;
        let mut stream = Seed(6).stream(0);
        let mut text = |least: usize, most: usize| -> Vec<String> {
            let length = stream.random_range(least..=most);
            (0..length).map(|_| format!("t{}", WORDS.powf(stream.random::<f64>()) as usize)).collect()
        };
        let documents = (0..100_000).map(|_| text(20, 180)).collect();
        let queries = (0..1000).map(|_| text(2, 8)).collect();
        Self::new(documents, queries)
    }

    fn write(&self, file: &Path) -> Result<(), Box<dyn Error>> {
        let mut out = BufWriter::new(File::create(file)?);
        serde_json::to_writer(&mut out, self)?;
        out.flush()?;
        Ok(())
    }
}

/// Indexes and searches a collection in this process.
pub fn ours(file: &str) -> Result<(), Box<dyn Error>> {
    let collection: Collection = serde_json::from_reader(BufReader::new(File::open(file)?))?;
    let ids: Vec<String> = (0..collection.documents.len()).map(|at| at.to_string()).collect();
    let params = Bm25Params::default().with_k1(collection.k1).with_b(collection.b);
    let base_mb = peak_mb()?;
    let (mut index_seconds, mut search_seconds, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        let started = Instant::now();
        let mut builder = IndexBuilder::new(Analysis::default());
        for (id, document) in ids.iter().zip(&collection.documents) {
            builder.add_terms(id.as_str(), document)?;
        }
        let index = builder.finish()?;
        let bm25 = params.over(&index)?;
        index_seconds.push(started.elapsed().as_secs_f64());
        let started = Instant::now();
        let queries: Vec<Query> = collection.queries.iter().map(|query| index.query_terms(query)).collect();
        let hits = bm25.search_all(&queries, collection.top);
        search_seconds.push(started.elapsed().as_secs_f64());
        found = hits.iter().map(|hits| hits.iter().map(|hit| (hit.document.0, hit.score)).collect()).collect();
    }
    let searched = Searched {
        index_seconds,
        search_seconds,
        queries: collection.queries.len(),
        peak_mb: peak_mb()?,
        base_mb,
        found,
        versions: BTreeMap::new(),
    };
    serde_json::to_writer(std::io::stdout(), &searched)?;
    Ok(())
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let temporary = std::env::temp_dir().join(format!("ordain-peers-search-{}", std::process::id()));
    std::fs::create_dir_all(&temporary)?;
    let (mut report, mut versions) = (String::new(), BTreeMap::new());
    let file = temporary.join("collection.json");
    if let Some(npl) = Collection::npl()? {
        npl.write(&file)?;
        versions.extend(one_collection(python, "NPL, stemmed", &npl, &file, &mut report)?);
    }
    let synthetic = Collection::synthetic();
    synthetic.write(&file)?;
    versions.extend(one_collection(python, "Synthetic", &synthetic, &file, &mut report)?);
    std::fs::remove_dir_all(&temporary)?;
    let versions: Vec<String> = versions.into_iter().map(|(name, version)| format!("{name} {version}")).collect();
    record(
        "search",
        "Searching by BM25 beside bm25s and rank_bm25",
        &format!(
            "`cargo xtask bench-peers search` on {}; {}.\n\n\
             The same terms are given to all, in memory; {TOP} documents a query, both cores at everyone's disposal, each \
             side in a process of its own. Medians of {REPEATS}; rank_bm25 searches 20 of the queries once. Ratio: how many \
             times as long as ours. Memory: largest resident, and how much of it came after the terms were read.\n\n\
             bm25s (method lucene, which has our idf) and Ordain find the same {TOP} documents for every query but where \
             scores are equal to rounding, and their scores agree to a relative 1e-6, which is what bm25s's single precision \
             allows; ours are doubles. rank_bm25 has another idf.\n\n{report}",
            machine()?,
            versions.join(", ")
        ),
    )
}

/// A table of all sides over one collection.
fn one_collection(
    python: &str,
    name: &str,
    collection: &Collection,
    file: &Path,
    report: &mut String,
) -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let script = folder().join("peers/bm25.py");
    let theirs = |library: &str| -> Result<Searched, Box<dyn Error>> {
        run(Command::new(python).arg(&script).arg(library).arg(file).arg(REPEATS.to_string()), "")
    };
    let ours: Searched = run(Command::new(std::env::current_exe()?).args(["ours", "search"]).arg(file), "")?;
    let mut sides = Vec::new();
    for library in ["rank_bm25", "bm25s", "bm25s-numba"] {
        sides.push((library, theirs(library)?));
    }
    sides.push(("Ordain", ours));
    let ours = &sides[sides.len() - 1].1;
    let a_query = |side: &Searched| median(&side.search_seconds) / side.queries as f64;
    let (documents, queries) = (collection.documents.len(), collection.queries.len());
    write!(report, "## {name}: {documents} documents, {queries} queries\n\n")?;
    report.push_str("| | index, ms | ratio | queries/s | ratio | peak memory, MB |\n|---|---|---|---|---|---|\n");
    for (name, side) in &sides {
        if !side.found.is_empty() {
            agree(name, side, ours)?;
        }
        writeln!(
            report,
            "| {name} | {:.0} | {:.1} | {:.0} | {:.1} | {:.0} (+{:.0}) |",
            1e3 * median(&side.index_seconds),
            median(&side.index_seconds) / median(&ours.index_seconds),
            1.0 / a_query(side),
            a_query(side) / a_query(ours),
            side.peak_mb,
            side.peak_mb - side.base_mb
        )?;
    }
    report.push('\n');
    Ok(sides.into_iter().flat_map(|(_, side)| side.versions).collect())
}

/// An error unless both sides found the same documents, up to the order of equal scores.
fn agree(name: &str, theirs: &Searched, ours: &Searched) -> Result<(), Box<dyn Error>> {
    /// Single precision, summed over a few terms.
    const ROUNDING: f64 = 1e-6;
    for (query, (theirs, ours)) in theirs.found.iter().zip(&ours.found).enumerate() {
        for (place, (&(document, score), &(own, own_score))) in theirs.iter().zip(ours).enumerate() {
            let equal = (score - own_score).abs() <= ROUNDING * own_score;
            let last = ours[ours.len() - 1].1;
            let found = ours.iter().any(|&(other, _)| other == document) || score - last <= ROUNDING * last;
            if !equal || !found {
                return Err(format!(
                    "query {query}, place {place}: {name} has {document} ({score}), ours is {own} ({own_score})"
                )
                .into());
            }
        }
    }
    Ok(())
}
