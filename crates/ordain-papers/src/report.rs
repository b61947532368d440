//! The report: one page on all experiments of a folder.

use std::path::{Path, PathBuf};

use ordain::Result;
use ordain_plot::html::{document, escape, list};

use crate::experiment::{Experiment, Place, write_text};
use crate::findings::Findings;
use crate::record::General;
use crate::registry::experiments;

/// Writes the report on all experiments that were begun in a folder. Returns its path.
///
/// # Errors
/// If results cannot be read or the report cannot be written.
pub fn write_report(folder: &Path) -> Result<PathBuf> {
    let mut sections = Vec::new();
    for experiment in experiments() {
        let place = Place { folder, experiment: experiment.name };
        let Some(general) = General::read(&place.record())? else { continue };
        sections.push(section(experiment, &general, experiment.program.findings(place)?.as_ref()));
    }
    let path = folder.join("report.html");
    write_text(&path, &page(&sections))?;
    Ok(path)
}

/// The page of these sections.
fn page(sections: &[String]) -> String {
    let body = if sections.is_empty() { "<p>No results yet.</p>".to_owned() } else { sections.concat() };
    let body = format!("<h1>The papers' experiments, run again</h1>\n{body}");
    document("Ordain: the papers' experiments", "", &body)
}

/// The section of an experiment. Without findings, the experiment is not finished.
fn section(experiment: &Experiment, general: &General, findings: Option<&Findings>) -> String {
    let mut out = String::new();
    let mut put = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    put(format!("<section id=\"{0}\">\n<h2>{1} <code>{0}</code></h2>", experiment.name, escape(experiment.title)));
    put(format!("<p class=\"source\">{}</p>", origin(experiment)));
    if general.quick {
        let text = "A quick run: few queries and reruns, to see that everything works. Its figures are no result.";
        put(format!("<p class=\"notice\">{text}</p>"));
    }
    let (claim, setting) =
        if experiment.is_own() { ("The question", "The setting") } else { ("The paper's claim", "Its setting") };
    put(format!("<h3>{claim}</h3>\n<p>{}</p>", escape(experiment.claim)));
    put(format!("<p>{setting}: {}</p>", escape(experiment.setting)));
    let Some(findings) = findings else {
        let text = "This run is not finished. The command below goes on where it stopped.";
        put(format!("<p class=\"notice\">{text}</p>\n{}</section>", source(experiment, general)));
        return out;
    };
    put(format!("<h3>What was measured</h3>\n{}", findings.measured));
    put(format!("<h3>How</h3>\n{}\n<p>{}</p>", list(experiment.design), findings.how));
    let differences = if experiment.is_own() { "What came out" } else { "Where and why they differ" };
    put(format!("<h3>{differences}</h3>\n{}", findings.comparison));
    if !experiment.differences.is_empty() {
        put(list(experiment.differences));
    }
    put(source(experiment, general));
    put("</section>".to_owned());
    out
}

/// The paper, and the place in it.
fn origin(experiment: &Experiment) -> String {
    if experiment.is_own() {
        return escape(experiment.paper);
    }
    format!("{}, {}", escape(experiment.paper), experiment.figure)
}

/// Seed, command and data.
fn source(experiment: &Experiment, general: &General) -> String {
    let file = |file: &crate::data::Fingerprint| {
        format!("<li><code>{}</code>, {} bytes, FNV-1a {}</li>\n", escape(&file.file), file.bytes, file.checksum)
    };
    let mut collections: Vec<String> = experiment.data.iter().map(|file| file.collection.to_string()).collect();
    collections.dedup();
    let data = if collections.is_empty() {
        String::new()
    } else {
        format!(
            "<details><summary>Data</summary>\n<p>Files of {}.</p>\n<ul>\n{}</ul></details>\n",
            escape(&collections.join(", ")),
            general.data.iter().map(file).collect::<String>()
        )
    };
    format!(
        "<h3>To run it again</h3>\n<pre><code>{}</code></pre>\n<p>Seed {}, Ordain {}, settings {}. Every number is in \
         <code>{}*.csv</code>.</p>\n{data}",
        escape(&general.command()),
        general.seed,
        escape(&general.ordain),
        general.settings,
        experiment.name,
    )
}
