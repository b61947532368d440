//! The report: one page that needs nothing beside it.

use crate::experiment::Experiment;
use crate::findings::Findings;
use crate::mean::Mean;
use crate::record::General;

const STYLE: &str = include_str!("report.css");

/// The page of these sections.
pub fn page(sections: &[String]) -> String {
    let body = if sections.is_empty() { "<p>No results yet.</p>".to_owned() } else { sections.concat() };
    let body = format!("<h1>The papers' experiments, run again</h1>\n{body}");
    document("Ordain: the papers' experiments", "", &body)
}

/// A page that needs nothing beside it, in light and dark, with CSS beyond the usual; title and body are HTML.
pub fn document(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// The section of an experiment; one without findings is not finished.
pub fn section(experiment: &Experiment, general: &General, findings: Option<&Findings>) -> String {
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

/// The paper, and where in it.
fn origin(experiment: &Experiment) -> String {
    if experiment.is_own() {
        return escape(experiment.paper);
    }
    format!("{}, {}", escape(experiment.paper), experiment.figure)
}

fn list(points: &[&str]) -> String {
    let points: String = points.iter().map(|point| format!("<li>{}</li>\n", escape(point))).collect();
    format!("<ul>\n{points}</ul>")
}

/// Pictures side by side, each with what it shows.
pub fn figures<'a>(figures: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let figure = |(svg, caption): (&str, &str)| {
        format!("<figure>\n{}\n<figcaption>{caption}</figcaption>\n</figure>\n", svg.trim())
    };
    format!("<div class=\"figures\">\n{}</div>", figures.into_iter().map(figure).collect::<String>())
}

/// A picture over the whole width, with what it shows.
pub fn wide_figure(svg: &str, caption: &str) -> String {
    format!("<figure class=\"whole\">\n{}\n<figcaption>{caption}</figcaption>\n</figure>\n", svg.trim())
}

/// A table whose first column heads the rows. Cells are HTML.
pub fn table(caption: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let heads: String = header.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    let row = |row: &Vec<String>| {
        let cells: String = row[1..].iter().map(|cell| format!("<td>{cell}</td>")).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", row[0])
    };
    let rows: String = rows.iter().map(row).collect();
    format!(
        "<div class=\"wide\"><table>\n<caption>{caption}</caption>\n<thead><tr>{heads}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// A mean and its standard error.
pub fn mean(mean: Mean) -> String {
    format!("{:.3} <small>± {:.3}</small>", mean.value, mean.error)
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    let rounded = (100.0 * share).round();
    if rounded < 0.0 { format!("−{} %", -rounded) } else { format!("{} %", rounded.abs()) }
}

/// With its sign, whichever it is.
pub fn change(share: f64) -> String {
    let plus = if (100.0 * share).round() > 0.0 { "+" } else { "" };
    format!("{plus}{}", percent(share))
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

/// Text as HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
