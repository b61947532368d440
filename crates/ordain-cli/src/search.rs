//! `ordain search`: finds documents for queries, by BM25 or by learned weights.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, Table, presets};
use ordain::InputError;
use ordain::formats::{
    Documents, DocumentsSpec, Lines, Queries, QueryText, TextModel, check_outputs, fits_run, read_queries, write_whole,
};
use ordain::text::{Analysis, Bm25Params, Feedback, Hit, Index, IndexBuilder, Query, Stemmer, StopWords, Weighting};
use serde::Serialize;

use crate::output;
use crate::working::working;
use crate::{Failure, Outcome};

/// Search a collection of documents by BM25, or by weights learned from links
///
/// COLLECTION is JSONL, CSV or TSV (plain, gzip or zstd), with one document per row. Words follow Unicode's rules and
/// are put in lower case. English stop words are left out. The score is Okapi BM25. A word that df of N documents have
/// weighs ln(1 + (N - df + 0.5) / (df + 0.5)).
///
/// With --model, words are weighed, stemmed and left out as a model of "ordain train linklearn" says. With --feedback, the best
/// documents of a first search say what else to look for. similar: documents that are like the five best ones gain. rm3: the
/// query takes up 20 probable words of the ten best ones.
#[derive(Args)]
#[command(after_long_help = "Examples:
  ordain search papers.jsonl \"learning to rank\"
  ordain search papers.jsonl --queries queries.tsv --stem english --output bm25.run
  ordain search papers.jsonl --queries queries.tsv --feedback similar --output similar.run
  ordain search papers.jsonl \"learning to rank\" --model words.json
  ordain eval bm25.run --qrels qrels.txt")]
pub struct Arguments {
    /// The documents: one per row, with an id and text
    collection: PathBuf,
    /// The words to look for
    #[arg(value_name = "WORDS", conflicts_with = "queries")]
    words: Vec<String>,
    /// A file of queries: a table with the columns qid and text, or lines of a qid, a tab and the text without a header
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// The fields to search, e.g. title,abstract [default: every text field except the id]
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    text: Option<Vec<String>>,
    /// The field of ids
    #[arg(long, value_name = "FIELD", default_value = "id")]
    id: String,
    /// How many documents to find per query [default: 10; 1000 with --queries]
    #[arg(long, value_name = "K", value_parser = positive)]
    top: Option<usize>,
    /// Weigh words as "ordain train linklearn" learned it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["k1", "b", "stem", "stop"])]
    model: Option<PathBuf>,
    /// Let the best documents say what else to look for
    #[arg(long, value_enum)]
    feedback: Option<FeedbackWay>,
    /// Saturation: with a larger value, repetitions of a word count more
    #[arg(long, default_value_t = Bm25Params::default().k1)]
    k1: f64,
    /// How much long documents are held back, from 0 to 1
    #[arg(long, default_value_t = Bm25Params::default().b)]
    b: f64,
    /// Strip the endings of words by the rules of a language, e.g. english
    #[arg(long, value_name = "LANGUAGE", value_parser = stemmer)]
    stem: Option<Stemmer>,
    /// Words to leave out: a file of words, or none [default: English stop words]
    #[arg(long, value_name = "FILE|none")]
    stop: Option<PathBuf>,
    /// The name of the run [default: bm25, or linklearn with --model; then the way of --feedback]
    #[arg(long, value_name = "NAME")]
    tag: Option<String>,
    /// The form of the output [default: table; trec with --queries]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file instead of standard output; the file appears only when it is complete
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is done with the best documents of a first search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FeedbackWay {
    /// Documents that are like them gain
    Similar,
    /// The query takes up their words
    Rm3,
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// For programs: one object
    Json,
    /// For programs: one row per document, under a header
    Csv,
    /// For ordain eval and trec_eval: qid Q0 docid rank score tag
    Trec,
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&count| count > 0).ok_or_else(|| "expected a whole number above 0".into())
}

/// Parses the name of a stemmer.
pub fn stemmer(name: &str) -> Result<Stemmer, String> {
    name.parse().map_err(|_| format!("expected one of {}", Stemmer::names().collect::<Vec<_>>().join(", ")))
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Outcome {
    let format = arguments.format.unwrap_or(if arguments.queries.is_some() { Format::Trec } else { Format::Table });
    let tag = tag(arguments);
    if format == Format::Trec && !fits_run(&tag) {
        return Err(Failure::Usage {
            message: format!("--tag {tag:?}: a TREC run cannot hold a name with spaces"),
            hint: "write _ for the space",
        });
    }
    if let Some(output) = &arguments.output {
        let others = [("--queries", &arguments.queries), ("--stop", &arguments.stop), ("--model", &arguments.model)];
        let others = others.iter().filter_map(|(role, file)| Some((*role, file.as_deref()?)));
        let inputs: Vec<_> = others.chain([("the collection", arguments.collection.as_path())]).collect();
        check_outputs(&[("--output", output)], &inputs)?;
    }
    let queries = queries(arguments, format)?;
    let working = working("searching");
    let (analysis, weighting) = weighting(arguments)?;
    let collection = Collection::read(arguments, format, analysis)?;
    let index = &collection.index;
    let known: Vec<Query> = queries.iter().map(|query| index.query(&query.text)).collect();
    let top = arguments.top.unwrap_or(if arguments.queries.is_some() { 1000 } else { 10 });
    let hits = find(index, &weighting, arguments.feedback, &known, top)?;
    drop(working);
    if arguments.queries.is_none() && known[0].is_empty() {
        return Err(Failure::Usage {
            message: format!("no word is left of {:?}", queries[0].text),
            hint: "all its words are stop words or signs; --stop none keeps every word",
        });
    }
    warn(&queries, &known, &hits);
    let found = Found { collection: &collection, tag: &tag, queries: &queries, hits: &hits };
    match &arguments.output {
        Some(path) => write_whole(path, |out| found.write(format, out))?,
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            found.write(format, &mut out)?;
            out.flush()?;
        }
    }
    if arguments.output.is_some() || format == Format::Table {
        let total: usize = hits.iter().map(Vec::len).sum();
        output::note(format!("{} listed, of {} in the collection", output::count(total, "document"), index.len()));
    }
    Ok(())
}

/// The name of the run.
fn tag(arguments: &Arguments) -> String {
    let weights = if arguments.model.is_some() { "linklearn" } else { "bm25" };
    let feedback = match arguments.feedback {
        None => "",
        Some(FeedbackWay::Similar) => "-similar",
        Some(FeedbackWay::Rm3) => "-rm3",
    };
    arguments.tag.clone().unwrap_or_else(|| format!("{weights}{feedback}"))
}

/// How text becomes terms, and what they weigh.
fn weighting(arguments: &Arguments) -> Result<(Analysis, Weighting), Failure> {
    if let Some(file) = &arguments.model {
        let model = TextModel::load(file)?;
        return Ok((model.analysis, Weighting::Learned(model.curves)));
    }
    let analysis = Analysis { stop: stop_words(arguments.stop.as_deref())?, stem: arguments.stem };
    Ok((analysis, Weighting::Okapi(Bm25Params::default().with_k1(arguments.k1).with_b(arguments.b))))
}

/// The best documents of every query.
fn find(
    index: &Index,
    weighting: &Weighting,
    feedback: Option<FeedbackWay>,
    queries: &[Query],
    top: usize,
) -> Result<Vec<Vec<Hit>>, Failure> {
    let feedback = match (feedback, weighting) {
        // The search that need not score all documents.
        (None, Weighting::Okapi(params)) => return Ok(params.over(index)?.search_all(queries, top)),
        (None, Weighting::Learned(_)) => return Ok(weighting.over(index)?.search_all(queries, top)),
        (Some(FeedbackWay::Similar), _) => Feedback::SIMILAR,
        (Some(FeedbackWay::Rm3), _) => Feedback::RM3,
    };
    Ok(feedback.over(&weighting.over(index)?)?.search_all(queries, top))
}

/// The queries: from a file, or the words on the command line as query 1.
fn queries(arguments: &Arguments, format: Format) -> Result<Vec<QueryText>, Failure> {
    let Some(path) = &arguments.queries else {
        if arguments.words.is_empty() {
            return Err(Failure::Usage {
                message: "nothing to look for".into(),
                hint: "write words after the collection, or name a file of queries with --queries",
            });
        }
        return Ok(vec![QueryText { line: 0, id: "1".into(), text: arguments.words.join(" ") }]);
    };
    let Queries { queries, header } = read_queries(path)?;
    if let (false, Some(first)) = (header, queries.first()) {
        output::note(format!(
            "{} has no header: its lines are a qid, a tab and the text, from query {} on",
            path.display(),
            first.id
        ));
    }
    if format == Format::Trec {
        for query in &queries {
            check_id(path, query.line, "qid", &query.id)?;
        }
    }
    Ok(queries)
}

/// Fails if a TREC run cannot hold the id.
fn check_id(path: &Path, line: u64, column: &str, id: &str) -> Outcome {
    if fits_run(id) {
        return Ok(());
    }
    let error = InputError::new(path, "an id without spaces, for a TREC run").line(line).column(column);
    let hint = "write _ for the space, or choose another --format: table, json or csv";
    Err(ordain::Error::from(error.found(id).hint(hint)).into())
}

/// Warns about queries that found nothing, with the reason.
fn warn(queries: &[QueryText], known: &[Query], hits: &[Vec<Hit>]) {
    for ((query, known), _) in queries.iter().zip(known).zip(hits).filter(|(_, hits)| hits.is_empty()) {
        let why = if known.is_empty() { "no word is left of it" } else { "none of its words is in the collection" };
        output::warn(format!("nothing found for query {}: {why}", query.id));
    }
}

/// The documents that are searched.
struct Collection {
    index: Index,
    /// The beginning of every text, if texts are shown.
    beginnings: Option<Vec<String>>,
}

/// The most bytes of a text that are shown.
const BEGINNING: usize = 200;

impl Collection {
    fn read(arguments: &Arguments, format: Format, analysis: Analysis) -> Result<Self, Failure> {
        let path = &arguments.collection;
        let mut builder = IndexBuilder::new(analysis);
        let mut beginnings = (format == Format::Table || format == Format::Json).then(Vec::new);
        let spec = DocumentsSpec { id: arguments.id.clone(), text: arguments.text.clone() };
        let mut any_text = false;
        for document in Documents::open(path, &spec)? {
            let document = document?;
            any_text |= !document.text.trim().is_empty();
            if format == Format::Trec {
                check_id(path, document.line, &arguments.id, &document.id)?;
            }
            if let Some(beginnings) = &mut beginnings {
                beginnings.push(beginning(&document.text));
            }
            builder.add(document.id, document.text)?;
        }
        if !any_text {
            return Err(no_text(path, arguments.text.as_deref()));
        }
        Ok(Self { index: builder.finish()?, beginnings })
    }

    fn beginning(&self, hit: &Hit) -> &str {
        self.beginnings.as_ref().map_or("", |all| &all[hit.document.index()])
    }
}

/// The error for a collection without text.
fn no_text(path: &Path, fields: Option<&[String]>) -> Failure {
    let (found, hint) = match fields {
        Some(fields) => (format!("nothing in {}", fields.join(", ")), "name other fields with --text"),
        None => {
            ("no field that holds text".into(), "name the fields to search with --text; numbers count as text there")
        }
    };
    ordain::Error::from(InputError::new(path, "documents with text").found(found).hint(hint)).into()
}

/// The first words of a text, on one line.
fn beginning(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if out.len() + word.len() >= BEGINNING {
            out.push('…');
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The words to leave out: of a file, none, or English ones.
pub fn stop_words(file: Option<&Path>) -> Result<StopWords, Failure> {
    match file {
        None => Ok(StopWords::english()),
        Some(none) if none.as_os_str() == "none" => Ok(StopWords::none()),
        Some(file) => read_stop_words(file),
    }
}

/// Reads words separated by blanks or line feeds.
fn read_stop_words(path: &Path) -> Result<StopWords, Failure> {
    let mut lines = Lines::open(path)?;
    let mut words = Vec::new();
    while let Some(line) = lines.next_content()? {
        words.extend(line.split_whitespace().map(str::to_owned));
    }
    Ok(StopWords::new(words))
}

/// The documents found for every query.
struct Found<'a> {
    collection: &'a Collection,
    tag: &'a str,
    queries: &'a [QueryText],
    hits: &'a [Vec<Hit>],
}

#[derive(Serialize)]
struct Report<'a> {
    queries: Vec<QueryReport<'a>>,
}

#[derive(Serialize)]
struct QueryReport<'a> {
    qid: &'a str,
    text: &'a str,
    hits: Vec<HitReport<'a>>,
}

#[derive(Serialize)]
struct HitReport<'a> {
    rank: usize,
    id: &'a str,
    score: f64,
    text: &'a str,
}

#[derive(Serialize)]
struct Row<'a> {
    qid: &'a str,
    rank: usize,
    id: &'a str,
    score: f64,
}

impl Found<'_> {
    fn write(&self, format: Format, mut out: &mut dyn Write) -> std::io::Result<()> {
        match format {
            Format::Trec => {
                for row in self.rows() {
                    let Row { qid, rank, id, score } = row;
                    writeln!(out, "{qid} Q0 {id} {rank} {score} {}", self.tag)?;
                }
                Ok(())
            }
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                for row in self.rows() {
                    writer.serialize(row)?;
                }
                writer.flush()
            }
            Format::Json => {
                serde_json::to_writer_pretty(&mut out, &self.report())?;
                writeln!(out)
            }
            Format::Table if self.hits.iter().all(Vec::is_empty) => Ok(()),
            Format::Table => writeln!(out, "{}", output::drawn(&self.table())),
        }
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.queries.iter().zip(self.hits).flat_map(|(query, hits)| {
            hits.iter().enumerate().map(|(at, hit)| Row {
                qid: &query.id,
                rank: at + 1,
                id: self.collection.index.id(hit.document),
                score: hit.score,
            })
        })
    }

    fn report(&self) -> Report<'_> {
        let hit = |(at, hit): (usize, &Hit)| HitReport {
            rank: at + 1,
            id: self.collection.index.id(hit.document),
            score: hit.score,
            text: self.collection.beginning(hit),
        };
        let queries = self.queries.iter().zip(self.hits).map(|(query, hits)| QueryReport {
            qid: &query.id,
            text: &query.text,
            hits: hits.iter().enumerate().map(hit).collect(),
        });
        Report { queries: queries.collect() }
    }

    fn table(&self) -> Table {
        /// The widest column of names.
        const WIDEST: usize = 30;
        let several = self.queries.len() > 1;
        let rows: Vec<(Row<'_>, &Hit)> = self.rows().zip(self.hits.iter().flatten()).collect();
        let widest = |name: &dyn Fn(&Row<'_>) -> String| {
            rows.iter().map(|(row, _)| unicode_width::UnicodeWidthStr::width(name(row).as_str())).max().unwrap_or(0)
        };
        let id = |row: &Row<'_>| output::cut(row.id, WIDEST);
        let qid = |row: &Row<'_>| output::cut(row.qid, WIDEST);
        // Rank and score take up to 15 columns, with the space around them.
        let names = widest(&id) + if several { widest(&qid).max(5) + 2 } else { 0 };
        let room = output::columns().saturating_sub(names.max(2) + 2 + 15 + 2);
        // If the room is too small, a text gets lines of its own.
        let room = if room < 10 { 2 * output::columns() } else { room };
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let header = ["query", "rank", "id", "score", "text"];
        table.set_header(header.iter().skip(usize::from(!several)));
        for (row, hit) in &rows {
            let text = output::cut(self.collection.beginning(hit), room);
            let cells = [qid(row), row.rank.to_string(), id(row), output::fixed(row.score, 3), text];
            table.add_row(cells.into_iter().skip(usize::from(!several)));
        }
        for column in [usize::from(several), 2 + usize::from(several)] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }
}
