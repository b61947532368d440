//! `ordain train linklearn`: learns the weights of words from links between documents.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, Table, presets};
use ordain::InputError;
use ordain::data::Items;
use ordain::formats::{Documents, DocumentsSpec, TextModel, TextTraining, check_outputs, read_document_links};
use ordain::learn::{Epoch, LinkLearnParams, LinkLearned, LinkedTexts};
use ordain::numeric::Seed;
use ordain::text::{Analysis, Bm25Params, Curves, Stemmer};
use serde::Serialize;

use crate::output::{self, Format};
use crate::simulate::picture;
use crate::working::working;
use crate::{Failure, Outcome, chart, search, train};

/// The options of linklearn alone.
#[derive(Args)]
pub struct LinkArguments {
    /// The documents, for linklearn: one per row, with an id and text
    #[arg(long, value_name = "FILE")]
    pub docs: Option<PathBuf>,
    /// The links between them, for linklearn: source and target, by id
    #[arg(long, value_name = "FILE")]
    pub links: Option<PathBuf>,
    /// The fields that hold the text, for linklearn, such as title,body; the title first [default: every text field
    /// except the id]
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub text: Option<Vec<String>>,
    /// The field of ids, for linklearn [default: id]
    #[arg(long, value_name = "FIELD")]
    pub id: Option<String>,
    /// What linklearn is to compare [default: search]
    #[arg(long, value_enum)]
    pub setting: Option<Setting>,
    /// Strip the endings of words by the rules of a language, for linklearn, or none [default: english]
    #[arg(long, value_name = "LANGUAGE|none", value_parser = stem)]
    pub stem: Option<Stem>,
    /// Words to leave out, for linklearn: a file of words, or none [default: English stop words]
    #[arg(long, value_name = "FILE|none")]
    pub stop: Option<PathBuf>,
}

/// Which endings are stripped, if any.
#[derive(Debug, Clone, Copy)]
pub struct Stem(Option<Stemmer>);

fn stem(text: &str) -> Result<Stem, String> {
    if text == "none" {
        return Ok(Stem(None));
    }
    search::stemmer(text).map(|stemmer| Stem(Some(stemmer))).map_err(|expected| format!("{expected}, or none"))
}

/// A way to train.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Setting {
    /// Queries of a few words with documents of any length
    Search,
    /// Whole documents, as in the paper
    Paper,
}

/// What the command was asked for.
pub struct Task<'a> {
    pub links: &'a LinkArguments,
    pub output: &'a PathBuf,
    pub plot: Option<&'a PathBuf>,
    pub hidden: Option<&'a [usize]>,
    pub rates: Option<&'a [f64]>,
    pub epochs: Option<u32>,
    pub patience: Option<u32>,
    pub seed: Option<u64>,
    pub format: Format,
}

#[derive(Serialize)]
struct Report {
    learner: &'static str,
    #[serde(flatten)]
    training: TextTraining,
    /// Links to or from documents that are not there.
    left_out: usize,
    /// The average precision of links that Okapi BM25 reaches in the same place.
    okapi_precision: f64,
    weights: Vec<Weight>,
    curve: Vec<Epoch>,
}

/// A value of a curve, relative to its usual point.
#[derive(Serialize)]
struct Weight {
    of: &'static str,
    at: f64,
    weight: f64,
}

/// Runs the learner.
pub fn run(task: &Task<'_>) -> Outcome {
    let (Some(docs), Some(links)) = (&task.links.docs, &task.links.links) else {
        return Err(Failure::Usage {
            message: "linklearn needs documents and the links between them".into(),
            hint: "name both files: --docs docs.jsonl --links links.csv",
        });
    };
    let plot = task.plot.map(|path| ("--plot", path.as_path()));
    let outputs: Vec<_> = [("--output", task.output.as_path())].into_iter().chain(plot).collect();
    let stop = task.links.stop.as_deref().map(|path| ("--stop", path));
    let inputs: Vec<_> = [("--docs", docs.as_path()), ("--links", links.as_path())].into_iter().chain(stop).collect();
    check_outputs(&outputs, &inputs)?;
    let params = params(task)?;
    let working = working("learning from links");
    let spec =
        DocumentsSpec { id: task.links.id.clone().unwrap_or_else(|| "id".into()), text: task.links.text.clone() };
    let (mut ids, mut texts) = (Vec::new(), Vec::new());
    for document in Documents::open(docs, &spec)? {
        let document = document?;
        ids.push(document.id);
        texts.push(document.text);
    }
    let (pairs, left_out) = read_document_links(links, &Items::from_ids(ids)?)?;
    if pairs.is_empty() {
        let error = InputError::new(links, "links between the documents").found("none whose two ends are documents");
        let hint = "the cells of source and target must be ids of --docs; --id names their field";
        return Err(ordain::Error::from(error.hint(hint)).into());
    }
    let documents = LinkedTexts::new(texts, pairs)?;
    let in_links = |error| match error {
        error @ ordain::Error::Data { .. } => ordain::Error::In { file: links.clone(), error: Box::new(error) },
        error => error,
    };
    let learned = params.fit(&documents, &working.watch()).map_err(in_links)?;
    let okapi = params.okapi_precision(&documents, &[Bm25Params::default()], &working.watch())?[0];
    drop(working);
    let LinkLearned { curves, link_precision, taught, hidden, rate, epochs, curve } = learned;
    let training = TextTraining { documents: documents.len(), links: taught, link_precision, hidden, rate, epochs };
    let weights = weights(&curves);
    TextModel { analysis: params.analysis, curves, training: training.clone() }.save(task.output)?;
    if let Some(file) = task.plot {
        picture::write(file, &train::drawn("Average precision of links", &curve))?;
    }
    let report = Report { learner: "linklearn", training, left_out, okapi_precision: okapi, weights, curve };
    match task.format {
        Format::Json => output::json(&report),
        Format::Csv => output::csv(&report.weights),
        Format::Table => show(&report),
    }?;
    conclude(&report, task.output);
    Ok(())
}

fn params(task: &Task<'_>) -> Result<LinkLearnParams, Failure> {
    let mut params = match task.links.setting.unwrap_or(Setting::Search) {
        Setting::Search => LinkLearnParams::default(),
        Setting::Paper => LinkLearnParams::paper(),
    };
    params.analysis = Analysis {
        stop: search::stop_words(task.links.stop.as_deref())?,
        stem: task.links.stem.map_or(params.analysis.stem, |Stem(stemmer)| stemmer),
    };
    params.hidden = task.hidden.map_or(params.hidden, <[usize]>::to_vec);
    params.rates = task.rates.map_or(params.rates, <[f64]>::to_vec);
    params.epochs = task.epochs.map_or(params.epochs, |epochs| epochs as usize);
    params.patience = task.patience.map_or(params.patience, |patience| patience as usize);
    params.seed = task.seed.map_or(params.seed, Seed);
    Ok(params)
}

/// What was learned, at points that say something to people.
fn weights(curves: &Curves) -> Vec<Weight> {
    let tf = [1.0, 2.0, 3.0, 5.0, 10.0, 30.0].map(|times: f64| {
        let weight = curves.tf.at(times.ln()) / curves.tf.at(0.0);
        Weight { of: "times in the document", at: times, weight }
    });
    // A query multiplies its words' weights with those of the documents, so rarity counts twice.
    let idf = [0.5, 0.1, 0.01, 0.001].map(|share: f64| {
        let weight = (curves.idf.at(-share.ln()) / curves.idf.at(-0.01_f64.ln())).powi(2);
        Weight { of: "share of documents with the word", at: share, weight }
    });
    let length = [0.125, 0.5, 1.0, 2.0, 8.0].map(|length: f64| {
        let weight = curves.length.at(length.ln()) / curves.length.at(0.0);
        Weight { of: "length over the mean", at: length, weight }
    });
    tf.into_iter().chain(idf).chain(length).collect()
}

fn show(report: &Report) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["a word's", "at", "weight"]);
    let mut before = "";
    for Weight { of, at, weight } in &report.weights {
        let name = if *of == before { "" } else { *of };
        table.add_row([name.to_owned(), at.to_string(), output::fixed(*weight, 3)]);
        before = of;
    }
    for column in 1..3 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::table(&table)?;
    if report.curve.len() > 1 {
        output::text(chart::draw(
            &train::lines(&report.curve),
            "passes",
            "average precision of links",
            output::columns(),
        ))?;
    }
    Ok(())
}

fn conclude(report: &Report, file: &std::path::Path) {
    let TextTraining { documents, links, link_precision, hidden, rate, epochs } = &report.training;
    let left_out = match report.left_out {
        0 => String::new(),
        1 => "; 1 link to or from another document left out".into(),
        count => format!("; {count} links to or from other documents left out"),
    };
    let (links, documents) = (output::count(*links, "linked pair"), output::count(*documents, "document"));
    output::note(format!("learned from {links} within half of {documents}{left_out}"));
    output::note(format!("chosen by the links of the other half: hidden {hidden}, rate {rate}, epochs {epochs}"));
    let (learned, okapi) = (output::fixed(*link_precision, 4), output::fixed(report.okapi_precision, 4));
    output::note(format!("average precision of these links: {learned}; Okapi BM25 (k1 1.2, b 0.75): {okapi}"));
    output::note(format!("written to {}", output::shown(&file.to_string_lossy())));
}
