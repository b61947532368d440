//! LinkLearn beside a vectorised version in NumPy: one pass over the articles of Schools Wikipedia, and the whole training.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ordain::Watch;
use ordain::data::Items;
use ordain::formats::{Documents, DocumentsSpec, read_document_links};
use ordain::learn::{LinkLearnParams, LinkedTexts};
use ordain::text::{IndexBuilder, TermId};
use serde::{Deserialize, Serialize};

use crate::shared::{data, folder, machine, record, run};

/// The hidden units of each curve and the length of steps, on both sides.
const UNITS: usize = 5;
const RATE: f64 = 0.02;

/// Times and outcome of one side.
#[derive(Serialize, Deserialize)]
struct Found {
    /// Seconds per pass (all queries of the half that teaches, and the average precision of the other half's), or of the whole training.
    pass: f64,
    /// The average precision of links after the passes.
    precision: f64,
    #[serde(default)]
    versions: BTreeMap<String, String>,
}

/// The passes by which the time of one is measured.
const PASSES: usize = 3;

fn articles() -> Result<LinkedTexts, Box<dyn Error>> {
    let place = data().join("wiki-schools");
    let spec = DocumentsSpec { text: Some(["title", "text"].map(str::to_owned).to_vec()), ..DocumentsSpec::default() };
    let (mut ids, mut texts) = (Vec::new(), Vec::new());
    for document in Documents::open(place.join("docs.jsonl.gz"), &spec)? {
        let document = document?;
        ids.push(document.id);
        texts.push(document.text);
    }
    let (links, _) = read_document_links(place.join("links.tsv.gz"), &Items::from_ids(ids)?)?;
    Ok(LinkedTexts::new(texts, links)?)
}

/// The paper's setting with one run.
fn params() -> LinkLearnParams {
    LinkLearnParams::paper().with_hidden(vec![UNITS]).with_rates(vec![RATE]).with_patience(1000)
}

/// A pass of ours: what more passes take longer. The rest, such as cutting texts into words, is not of a pass.
pub fn ours() -> Result<(), Box<dyn Error>> {
    let articles = articles()?;
    let timed = |passes: usize| -> Result<(f64, f64), Box<dyn Error>> {
        let started = Instant::now();
        let model = params().with_epochs(passes).fit(&articles, &Watch::NONE)?;
        Ok((started.elapsed().as_secs_f64(), model.curve[passes - 1].validate))
    };
    let (first, _) = timed(1)?;
    let (all, precision) = timed(1 + PASSES)?;
    let found = Found { pass: (all - first) / PASSES as f64, precision, versions: BTreeMap::new() };
    serde_json::to_writer(std::io::stdout(), &found)?;
    Ok(())
}

/// The whole training in a setting, with all its runs.
pub fn whole(setting: &str) -> Result<(), Box<dyn Error>> {
    let articles = articles()?;
    let params = if setting == "paper" { LinkLearnParams::paper() } else { LinkLearnParams::default() };
    let started = Instant::now();
    let model = params.fit(&articles, &Watch::NONE)?;
    let pass = started.elapsed().as_secs_f64();
    let found = Found { pass, precision: model.link_precision, versions: BTreeMap::new() };
    serde_json::to_writer(std::io::stdout(), &found)?;
    Ok(())
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    if !data().join("wiki-schools/docs.jsonl.gz").exists() {
        println!("SKIPPED: no wiki-schools; set ORDAIN_DATA to the folder of public data");
        return Ok(());
    }
    let place = std::env::temp_dir().join(format!("ordain-linklearn-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let found = compare(python, &place);
    std::fs::remove_dir_all(&place)?;
    found
}

/// Writes both halves as NumPy reads them: by term the documents and frequencies, lengths, and links.
fn write(place: &Path, articles: &LinkedTexts) -> Result<(), Box<dyn Error>> {
    let params = params();
    for (half, name) in params.halves(articles).iter().zip(["teach", "choose"]) {
        let mut builder = IndexBuilder::new(params.analysis.clone());
        let mut places = vec![None; articles.len()];
        for (at, &document) in half.iter().enumerate() {
            builder.add(at.to_string(), articles.texts()[document as usize].as_str())?;
            places[document as usize] = Some(at as u32);
        }
        let index = builder.finish()?;
        let postings = (0..index.terms() as u32).map(|term| index.postings(TermId(term)));
        let numbers = |numbers: Vec<u32>| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let links = articles.links().iter().filter_map(|&(a, b)| Some([places[a as usize]?, places[b as usize]?]));
        let files = [
            ("counts", postings.clone().map(|postings| postings.len() as u32).collect()),
            ("documents", postings.clone().flatten().map(|posting| posting.document.0).collect()),
            ("frequencies", postings.flatten().map(|posting| posting.frequency).collect()),
            ("links", links.flatten().collect()),
        ];
        for (kind, of) in files {
            std::fs::write(place.join(format!("{name}.{kind}")), numbers(of))?;
        }
        std::fs::write(place.join(format!("{name}.size")), (half.len() as u32).to_le_bytes())?;
    }
    Ok(())
}

fn compare(python: &str, place: &Path) -> Result<(), Box<dyn Error>> {
    let articles = articles()?;
    write(place, &articles)?;
    let own = |threads: &str| {
        let mut command = Command::new(std::env::current_exe()?);
        run::<Found>(command.args(["ours", "linklearn"]).env("RAYON_NUM_THREADS", threads), "")
    };
    let (one, two) = (own("1")?, own("2")?);
    let script = folder().join("peers/linklearn.py");
    let sizes = [UNITS.to_string(), RATE.to_string(), PASSES.to_string()];
    let theirs: Found = run(Command::new(python).arg(script).arg(place).args(sizes), "")?;
    let mut report = String::from("| | a pass, s | as long | average precision of links |\n|---|---|---|---|\n");
    for (name, found) in [("NumPy, one thread", &theirs), ("Ordain, one thread", &one), ("Ordain, two threads", &two)] {
        writeln!(report, "| {name} | {:.2} | {:.2} | {:.4} |", found.pass, found.pass / theirs.pass, found.precision)?;
    }
    let mut whole =
        String::from("| the whole training, two threads | s | average precision of links |\n|---|---|---|\n");
    for (setting, title) in [("search", "default"), ("paper", "the paper's setting")] {
        let mut command = Command::new(std::env::current_exe()?);
        let found: Found = run(command.args(["ours", "linklearn", setting]).env("RAYON_NUM_THREADS", "2"), "")?;
        writeln!(whole, "| {title}, all four runs | {:.1} | {:.4} |", found.pass, found.precision)?;
    }
    let versions: Vec<String> = theirs.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    record(
        "linklearn",
        "LinkLearn beside NumPy",
        &format!(
            "`cargo xtask bench-peers linklearn` on {}; {}.\n\nSchools Wikipedia, the paper's setting: whole articles, hinge, {UNITS} hidden \
             units, Adam with steps of {RATE} after 32 queries. A pass: every article of one half as a query, and the average precision of the other half's \
             links. NumPy works query by query on all postings of its terms at once, with tables of distinct frequencies, \
             rarities and lengths; ours also keeps one number per document and frequency. It begins with other random curves, so precisions after {} passes are near, not equal. One run, each side in a process of \
             its own.\n\n{report}\n{whole}",
            machine()?,
            versions.join(", "),
            1 + PASSES,
        ),
    )
}
