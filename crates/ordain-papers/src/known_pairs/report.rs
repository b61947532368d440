//! What a known-pairs experiment found: its tables, figures and words.

use std::fmt::Write;

use ordain_plot::{Across, Lines, Range, Series, html};

use super::models::Model;
use super::plan::{Paired, Plan};
use super::summary::{Entry, SIGNIFICANT, Summary};
use crate::findings::{Findings, Gist};
use crate::query::per_query;

/// What is shown of a summary.
pub fn findings(plan: &Plan, summary: &Summary, claimed_cut: Option<(f64, f64)>) -> Findings {
    let (error, auc) = (figure(summary, Measure::Error), figure(summary, Measure::Auc));
    let figures = html::figures([
        (error.as_str(), "Error rate on the remaining pairs; lower is better."),
        (auc.as_str(), "Area under the ROC curve of the remaining pairs; higher is better."),
    ]);
    Findings {
        gist: gist(summary),
        measured: format!("{figures}\n{}", tables(summary)),
        how: measured(plan),
        comparison: format!("<p>{}</p>", comparison(summary, claimed_cut)),
        files: vec![
            ("-summary.csv".to_owned(), summary.csv()),
            ("-error.svg".to_owned(), error),
            ("-auc.svg".to_owned(), auc),
        ],
    }
}

/// Error rates, and their change beside PGP.
fn gist(summary: &Summary) -> Gist {
    let titles = summary.models.iter().map(|model| format!("{}  ", model.title()));
    let row = |(position, known): (usize, &usize)| {
        let cell = |model: Model| {
            let entry = summary.entry(position, model);
            let star = if entry.differs_from_pgp() { "*" } else { " " };
            // Adding 0 takes the sign off a negative zero.
            let percent = (-100.0 * entry.cut).round() + 0.0;
            let change = if model == Model::Pgp { String::new() } else { format!("{percent:+} %{star}") };
            format!("{:.3} {change:>7}", entry.error.value)
        };
        std::iter::once(known.to_string()).chain(summary.models.iter().map(|&model| cell(model))).collect()
    };
    Gist {
        title: "error rate on the remaining pairs, change beside PGP".to_owned(),
        header: std::iter::once("known pairs".to_owned()).chain(titles).collect(),
        rows: summary.known.iter().enumerate().map(row).collect(),
        note: "* differs from PGP (signed-rank test over the queries' means, p < 0.01)".to_owned(),
    }
}

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Error,
    Auc,
}

/// In the paper's layout: a measure against the number of known pairs.
fn figure(summary: &Summary, measure: Measure) -> String {
    let models = summary.models.iter().copied().filter(|model| measure == Measure::Error || model.is_soft());
    let value = |known: usize, model: Model| {
        let entry = summary.entry(known, model);
        if measure == Measure::Error { Some(entry.error) } else { entry.auc }
    };
    let series = |model: Model| {
        let points = (0..summary.known.len()).filter_map(|known| Some((known as f64, value(known, model)?)));
        Series { title: model.title().to_owned(), points: points.collect() }
    };
    let series: Vec<Series> = models.map(series).collect();
    let (low, high) = Range::of(&series);
    // Errors are seen from 0; areas to 1, the best there is.
    let (title, name, range) = match measure {
        Measure::Error => ("Wrongly predicted pairs", "Error rate", (0.0, high)),
        Measure::Auc => ("Predicted probabilities", "Area under the ROC curve", (low, 1.0)),
    };
    let counts = summary.known.iter().map(ToString::to_string).collect();
    let (across, up) = (Across::Places("Number of known pairs".to_owned(), counts), Range::new(name, range.0, range.1));
    Lines { title: title.into(), across, up, series }.draw()
}

/// How large the experiment was, and how it measured.
fn measured(plan: &Plan) -> String {
    let queries = plan.queries.len();
    let per = |count: fn(&Paired) -> usize| per_query(&plan.queries, count);
    let tuned: Vec<String> = plan.tuned_on.iter().map(|part| part.len().to_string()).collect();
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
        per(|query| query.measured.items),
        per(|query| query.measured.links),
        per(|query| query.pairs),
        plan.reruns,
        tuned.join(" and "),
        plan.tuning_draws,
    )
}

/// Errors with their reduction and marks, and areas.
fn tables(summary: &Summary) -> String {
    let error = |known: usize, model: Model| {
        let entry = summary.entry(known, model);
        let cut = if model == Model::Pgp { String::new() } else { format!("<br><b>{}</b>", html::change(-entry.cut)) };
        format!("{}{cut}{}", html::mean(entry.error), marks(entry))
    };
    let area = |known: usize, model: Model| {
        let entry = summary.entry(known, model);
        let mark = if entry.p_auc.is_some_and(|p| p < SIGNIFICANT) { " <sup>r</sup>" } else { "" };
        entry.auc.map_or_else(String::new, |auc| format!("{}{mark}", html::mean(auc)))
    };
    let svm = if summary.models.contains(&Model::Svm) { ", <sup>†</sup> against the SVM" } else { "" };
    let note = format!(
        "Means over queries ± their standard error, and the change of the mean error beside PGP's. <sup>*</sup>: p &lt; \
         0.01 against PGP in the signed-rank test over the queries' means. The rank-sum test over all queries and reruns, which XPGP's \
         authors use, p &lt; 0.01: <sup>r</sup> against PGP{svm}. Reruns of one query are no independent sample, so it makes \
         differences look surer than they are."
    );
    let soft: Vec<Model> = summary.models.iter().copied().filter(|model| model.is_soft()).collect();
    format!(
        "{}{}<p class=\"note\">{note}</p>",
        table("Error rate", summary, &summary.models, error),
        table("AUC", summary, &soft, area)
    )
}

fn table(name: &str, summary: &Summary, models: &[Model], cell: impl Fn(usize, Model) -> String) -> String {
    let header: Vec<&str> = std::iter::once("known").chain(models.iter().map(|model| model.title())).collect();
    let row = |(known, count): (usize, &usize)| {
        std::iter::once(format!("{count} pairs")).chain(models.iter().map(|&model| cell(known, model))).collect()
    };
    html::table(name, &header, &summary.known.iter().enumerate().map(row).collect::<Vec<_>>())
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
fn comparison<'a>(summary: &'a Summary, claimed_cut: Option<(f64, f64)>) -> String {
    let mut out = String::new();
    let has_svm = summary.models.contains(&Model::Svm);
    let compared = summary.models.iter().copied().filter(|model| ![Model::Pgp, Model::Svm].contains(model));
    for model in compared {
        let all: Vec<&Entry> = (0..summary.known.len()).map(|known| summary.entry(known, model)).collect();
        let pgp = |known: usize| summary.entry(known, Model::Pgp);
        let svm = |known: usize| summary.entry(known, Model::Svm);
        let cuts = |of: &dyn Fn(usize, &Entry) -> f64| {
            let cuts = all.iter().enumerate().map(|(known, entry)| html::percent(of(known, entry)));
            cuts.collect::<Vec<String>>().join(" / ")
        };
        let counts: Vec<String> = summary.known.iter().map(ToString::to_string).collect();
        let sure = |p: fn(&Entry) -> Option<f64>, than: &dyn Fn(usize) -> &'a Entry| {
            all.iter().enumerate().filter(|(known, entry)| entry.is_better(p(entry), than(*known))).count()
        };
        let _ = write!(
            out,
            "{} cuts the mean error of PGP by {} at {} known pairs, significantly so by the rank-sum test at {} of these {} \
             numbers and by the test over queries at {}",
            model.title(),
            cuts(&|_, entry| entry.cut),
            counts.join(" / "),
            sure(|entry| entry.p_pgp, &pgp),
            all.len(),
            sure(|entry| entry.p_queries, &pgp),
        );
        if has_svm {
            let _ = write!(
                out,
                ", and that of the SVM by {}, significantly so by that test at {}",
                cuts(&|known, entry| 1.0 - entry.error.value / svm(known).error.value),
                sure(|entry| entry.p_svm, &svm),
            );
        }
        out.push_str(". ");
    }
    if let Some((low, high)) = claimed_cut {
        let _ = write!(out, "The paper says {:.0} to {:.0} % beside PGP.", 100.0 * low, 100.0 * high);
    }
    out
}
