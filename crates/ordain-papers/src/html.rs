//! The report: one page that needs nothing beside it.

use std::fmt::Write;

use crate::experiment::Experiment;
use crate::models::Model;
use crate::plot;
use crate::record::Record;
use crate::summary::{Entry, Mean, SIGNIFICANT, Summary};

const STYLE: &str = include_str!("report.css");

/// The page of these sections.
pub fn page(sections: &[String]) -> String {
    let body = if sections.is_empty() { "<p>No results yet.</p>".to_owned() } else { sections.concat() };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Ordain: the papers' experiments</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>The papers' experiments, run again</h1>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// The section of an experiment; without a summary it says how far the run is from its end.
pub fn section(experiment: &Experiment, record: &Record, summary: Option<&Summary>) -> String {
    let mut out = String::new();
    let mut put = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    put(format!("<section id=\"{0}\">\n<h2>{1} <code>{0}</code></h2>", experiment.name, escape(experiment.title)));
    put(format!("<p class=\"source\">{}, {}</p>", escape(experiment.paper), experiment.figure));
    if record.quick {
        let text = "A quick run: few queries and reruns, to see that everything works. Its figures are no result.";
        put(format!("<p class=\"notice\">{text}</p>"));
    }
    put(format!("<h3>The paper's claim</h3>\n<p>{}</p>", escape(experiment.claim)));
    put(format!("<p>Its setting: {}</p>", escape(experiment.setting)));
    let Some(summary) = summary else {
        let text = "This run is not finished. The command below goes on where it stopped.";
        put(format!("<p class=\"notice\">{text}</p>\n{}</section>", source(experiment, record)));
        return out;
    };
    put(format!("<h3>What was measured</h3>\n{}\n{}", figures(summary), tables(summary)));
    put(format!("<h3>How</h3>\n{}\n<p>{}</p>", list(experiment.design), measured(record)));
    put(format!("<h3>Where and why they differ</h3>\n<p>{}</p>", comparison(experiment, summary)));
    put(list(experiment.differences));
    put(source(experiment, record));
    put("</section>".to_owned());
    out
}

fn list(points: &[&str]) -> String {
    let points: String = points.iter().map(|point| format!("<li>{}</li>\n", escape(point))).collect();
    format!("<ul>\n{points}</ul>")
}

/// How large the experiment was, and how it measured.
fn measured(record: &Record) -> String {
    let queries = record.queries.len();
    let per = |count: fn(&crate::record::Measured) -> usize| {
        record.queries.iter().map(count).sum::<usize>() as f64 / queries.max(1) as f64
    };
    let tuned: Vec<String> = record.tuned_on.iter().map(|part| part.len().to_string()).collect();
    format!(
        "{queries} queries with on average {:.0} documents, {:.0} linked pairs of documents and {:.0} pairs of a better and \
         a worse document; {} draws of known pairs each. The error rate is the share of all remaining pairs put in the wrong \
         order, equal utilities counting one half. For the AUC every remaining pair is shown in both directions and scored by \
         the predicted probability of \"first before second\"; the SVM predicts none.</p>\n<p>All models were tuned alike, once \
         for every number of known pairs: for the least error on the remaining pairs of {} other queries with {} draws of \
         known pairs each. Tuned are, of the Gaussian processes, the weights of the attributes, of what is a document's own \
         and of the links, the inverse length over attributes and the reach of the Laplacian; of the SVM its C and the \
         inverse width of its RBF kernel. The search goes by factors of 4, 2 and √2 from the better of plain values and of \
         what the known pairs alone suggest: the evidence for the processes, 5-fold cross-validation for the SVM.",
        per(|query| query.documents),
        per(|query| query.links),
        per(|query| query.pairs),
        record.reruns,
        tuned.join(" and "),
        record.tuning_draws,
    )
}

fn figures(summary: &Summary) -> String {
    let figure = |measure, caption: &str| {
        format!("<figure>\n{}\n<figcaption>{caption}</figcaption>\n</figure>\n", plot::draw(summary, measure).trim())
    };
    format!(
        "<div class=\"figures\">\n{}{}</div>",
        figure(plot::Measure::Error, "Error rate on the remaining pairs; lower is better."),
        figure(plot::Measure::Auc, "Area under the ROC curve of the remaining pairs; higher is better.")
    )
}

/// Errors with their reduction and marks, and areas.
fn tables(summary: &Summary) -> String {
    let shown = |mean: Mean| format!("{:.3} <small>± {:.3}</small>", mean.value, mean.error);
    let error = |known: usize, model: Model| {
        let entry = summary.entry(known, model);
        let cut = if model == Model::Pgp { String::new() } else { format!("<br><b>{}</b>", change(-entry.cut)) };
        format!("{}{cut}{}", shown(entry.error), marks(entry))
    };
    let area = |known: usize, model: Model| {
        let entry = summary.entry(known, model);
        let mark = if entry.p_auc.is_some_and(|p| p < SIGNIFICANT) { " <sup>r</sup>" } else { "" };
        entry.auc.map_or_else(String::new, |auc| format!("{}{mark}", shown(auc)))
    };
    let note = "Means over queries ± their standard error, and the change of the mean error beside PGP's. <sup>*</sup>: p &lt; \
                0.01 against PGP in the signed-rank test over the queries' means. The paper's test is Wilcoxon's rank-sum \
                test over all queries and reruns, p &lt; 0.01: <sup>r</sup> against PGP, <sup>†</sup> against the SVM. Reruns \
                of one query are no independent sample, so it makes differences look surer than they are.";
    let soft: Vec<Model> = Model::ALL.into_iter().filter(|model| model.is_soft()).collect();
    format!(
        "{}{}<p class=\"note\">{note}</p>",
        table("Error rate", summary, &Model::ALL, error),
        table("AUC", summary, &soft, area)
    )
}

fn table(name: &str, summary: &Summary, models: &[Model], cell: impl Fn(usize, Model) -> String) -> String {
    let heads: String = models.iter().map(|model| format!("<th scope=\"col\">{}</th>", model.title())).collect();
    let row = |(known, count): (usize, &usize)| {
        let cells: String = models.iter().map(|&model| format!("<td>{}</td>", cell(known, model))).collect();
        format!("<tr><th scope=\"row\">{count} pairs</th>{cells}</tr>\n")
    };
    let rows: String = summary.known.iter().enumerate().map(row).collect();
    format!(
        "<div class=\"wide\"><table>\n<caption>{name}</caption>\n<thead><tr><th scope=\"col\">known</th>{heads}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn marks(entry: &Entry) -> String {
    let significant = |p: Option<f64>| p.is_some_and(|p| p < SIGNIFICANT);
    let mut marks = Vec::new();
    if entry.differs_from_pgp() {
        marks.push("*");
    }
    if significant(entry.p_pgp) {
        marks.push("r");
    }
    if significant(entry.p_svm) {
        marks.push("†");
    }
    if marks.is_empty() { String::new() } else { format!(" <sup>{}</sup>", marks.join(" ")) }
}

/// What came out beside what the paper says.
fn comparison<'a>(experiment: &Experiment, summary: &'a Summary) -> String {
    let mut out = String::new();
    for model in [Model::CommonCause, Model::Laplacian] {
        let all: Vec<&Entry> = (0..summary.known.len()).map(|known| summary.entry(known, model)).collect();
        let pgp = |known: usize| summary.entry(known, Model::Pgp);
        let svm = |known: usize| summary.entry(known, Model::Svm);
        let cuts = |of: &dyn Fn(usize, &Entry) -> f64| {
            let cuts = all.iter().enumerate().map(|(known, entry)| percent(of(known, entry)));
            cuts.collect::<Vec<String>>().join(" / ")
        };
        let counts: Vec<String> = summary.known.iter().map(ToString::to_string).collect();
        let sure = |p: fn(&Entry) -> Option<f64>, than: &dyn Fn(usize) -> &'a Entry| {
            all.iter().enumerate().filter(|(known, entry)| entry.is_better(p(entry), than(*known))).count()
        };
        let _ = write!(
            out,
            "{} cuts the mean error of PGP by {} at {} known pairs, significantly so by the paper's test at {} of these {} \
             numbers and by the test over queries at {}, and that of the SVM by {}, significantly so by the paper's test \
             at {}. ",
            model.title(),
            cuts(&|_, entry| entry.cut),
            counts.join(" / "),
            sure(|entry| entry.p_pgp, &pgp),
            all.len(),
            sure(|entry| entry.p_queries, &pgp),
            cuts(&|known, entry| 1.0 - entry.error.value / svm(known).error.value),
            sure(|entry| entry.p_svm, &svm),
        );
    }
    let (low, high) = experiment.claimed_cut;
    let _ = write!(out, "The paper says {:.0} to {:.0} % beside PGP.", 100.0 * low, 100.0 * high);
    out
}

fn percent(share: f64) -> String {
    let rounded = (100.0 * share).round();
    if rounded < 0.0 { format!("−{} %", -rounded) } else { format!("{} %", rounded.abs()) }
}

/// With its sign, whichever it is.
fn change(share: f64) -> String {
    let plus = if (100.0 * share).round() > 0.0 { "+" } else { "" };
    format!("{plus}{}", percent(share))
}

/// Seed, command and data.
fn source(experiment: &Experiment, record: &Record) -> String {
    let file = |file: &crate::data::Fingerprint| {
        format!("<li><code>{}</code>, {} bytes, FNV-1a {}</li>\n", escape(&file.file), file.bytes, file.checksum)
    };
    let origin = experiment.data.first().map_or("", |file| file.origin);
    format!(
        "<h3>To run it again</h3>\n<pre><code>{}</code></pre>\n<p>Seed {}, Ordain {}, settings {}. Every number is in \
         <code>{}.csv</code>.</p>\n<details><summary>Data</summary>\n<p>Each is {}.</p>\n<ul>\n{}</ul></details>\n",
        escape(&record.command()),
        record.seed,
        escape(&record.ordain),
        record.settings,
        experiment.name,
        escape(origin),
        record.data.iter().map(file).collect::<String>()
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
