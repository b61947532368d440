//! What `linklearn` found.

use std::fmt::Write;

use ordain::Result;
use ordain::measure::{Mean, holm, mean, paired_t_test};
use ordain_plot::{Across, Dots, Lines, Range, Series, html};

use super::settings::{DEFAULT, PAPER, SETTINGS, UNTRAINED, USES};
use super::{MEASURES, Plan, Tested, chosen};
use crate::findings::{Findings, Gist};
use crate::journal::Row;

/// The values of a method, query by query.
struct Method {
    title: String,
    /// `[measure][query]`, means over seeds where there are several; queries as in [`Plan::queries`].
    values: [Vec<f64>; MEASURES.len()],
    /// The mean over collections of the mean average precision, seed by seed.
    seeds: Vec<f64>,
}

/// The place of average precision among the measures.
const AP: usize = MEASURES.len() - 1;

/// The positions of a collection's queries.
fn positions(plan: &Plan, collection: usize) -> Vec<usize> {
    let queries = plan.queries();
    (0..queries.len()).filter(|&at| queries[at].0 == collection).collect()
}

impl Method {
    fn new(plan: &Plan, title: &str, seeds: &[Vec<&[Option<f64>]>]) -> Self {
        let value = |rows: &[&[Option<f64>]], query: usize, measure: usize| rows[query][measure].unwrap_or(f64::NAN);
        let over_seeds = |query: usize, measure: usize| {
            mean(&seeds.iter().map(|rows| value(rows, query, measure)).collect::<Vec<f64>>())
        };
        let queries = plan.queries().len();
        let of_seed = |rows: &Vec<&[Option<f64>]>| {
            let of = |collection: usize| {
                let values = positions(plan, collection).into_iter().map(|query| value(rows, query, AP));
                mean(&values.collect::<Vec<f64>>())
            };
            mean(&(0..plan.collections.len()).map(of).collect::<Vec<f64>>())
        };
        Self {
            title: title.to_owned(),
            values: [0, 1, 2].map(|measure| (0..queries).map(|query| over_seeds(query, measure)).collect()),
            seeds: seeds.iter().map(of_seed).collect(),
        }
    }

    /// The values of a collection.
    fn of(&self, plan: &Plan, collection: usize, measure: usize) -> Vec<f64> {
        positions(plan, collection).into_iter().map(|query| self.values[measure][query]).collect()
    }

    fn mean_of(&self, plan: &Plan, collection: usize, measure: usize) -> f64 {
        mean(&self.of(plan, collection, measure))
    }

    /// The mean over collections.
    fn mean(&self, plan: &Plan, measure: usize) -> f64 {
        let all = (0..plan.collections.len()).map(|collection| self.mean_of(plan, collection, measure));
        mean(&all.collect::<Vec<f64>>())
    }
}

/// All rows of the files.
struct Results<'a> {
    plan: &'a Plan,
    untrained: Vec<Method>,
    /// `[setting][use]`
    learned: Vec<Vec<Method>>,
    /// LinkLearn alone, on every collection with the setting that is best on the others.
    elsewhere: Method,
}

impl<'a> Results<'a> {
    fn new(plan: &'a Plan, okapi: &[Row], learned: &[Row]) -> Self {
        let width = MEASURES.len();
        let untrained = (0..UNTRAINED.len()).map(|at| {
            let rows: Vec<&[Option<f64>]> = okapi.iter().map(|row| &row[at * width..(at + 1) * width]).collect();
            Method::new(plan, UNTRAINED[at].1, &[rows])
        });
        let queries = plan.queries().len();
        let of_setting = |setting: usize| {
            let of_use = |at: usize| {
                let seeds: Vec<Vec<&[Option<f64>]>> = (0..plan.seeds as usize)
                    .map(|seed| {
                        let first = (setting * plan.seeds as usize + seed) * queries;
                        learned[first..first + queries].iter().map(|row| &row[at * width..(at + 1) * width]).collect()
                    })
                    .collect();
                Method::new(plan, USES[at].1, &seeds)
            };
            (0..USES.len()).map(of_use).collect::<Vec<Method>>()
        };
        let learned: Vec<Vec<Method>> = (0..SETTINGS.len()).map(of_setting).collect();
        let elsewhere = elsewhere(plan, &learned);
        Self { plan, untrained: untrained.collect(), learned, elsewhere }
    }

    fn okapi(&self) -> &Method {
        &self.untrained[0]
    }

    /// All methods that are shown: Okapi's, the paper's, the default's.
    fn shown(&self) -> Vec<(&Method, String)> {
        let mut out: Vec<(&Method, String)> =
            self.untrained.iter().map(|method| (method, method.title.clone())).collect();
        out.push((&self.learned[PAPER][0], THE_PAPERS.into()));
        out.push((&self.elsewhere, "LinkLearn, setting chosen on the others".into()));
        out.extend(self.learned[DEFAULT].iter().map(|method| (method, method.title.clone())));
        out
    }

    /// The p-values of the differences between two methods, average precision over the queries of each collection, by Holm's method over the
    /// collections; none for a method and itself.
    fn p(&self, method: &Method, than: &Method) -> Result<Option<Vec<f64>>> {
        if method.values == than.values {
            return Ok(None);
        }
        let mut out = Vec::new();
        for collection in 0..self.plan.collections.len() {
            let (own, other) = (method.of(self.plan, collection, AP), than.of(self.plan, collection, AP));
            // Equal everywhere on one collection: nothing to test.
            out.push(if own == other { 1.0 } else { paired_t_test(&own, &other)?.p });
        }
        holm(&out).map(Some)
    }

    /// Every use of the default beside Okapi with the same feedback.
    fn pairs(&self) -> Vec<(&Method, &Method)> {
        self.learned[DEFAULT].iter().zip([0, 1, 2, 1]).map(|(own, than)| (own, &self.untrained[than])).collect()
    }
}

/// For every collection the values of the setting that is best on the others.
fn elsewhere(plan: &Plan, learned: &[Vec<Method>]) -> Method {
    let mut values: [Vec<f64>; MEASURES.len()] = Default::default();
    for collection in 0..plan.collections.len() {
        let others = |setting: &&Vec<Method>| -> f64 {
            (0..plan.collections.len())
                .filter(|&other| other != collection)
                .map(|other| setting[0].mean_of(plan, other, AP))
                .sum()
        };
        let best = learned.iter().max_by(|one, other| others(one).total_cmp(&others(other)));
        for (measure, values) in values.iter_mut().enumerate() {
            values.extend(best.into_iter().flat_map(|setting| setting[0].of(plan, collection, measure)));
        }
    }
    Method { title: String::new(), values, seeds: Vec::new() }
}

/// What is shown.
pub fn findings(plan: &Plan, rows: &[Vec<Row>]) -> Result<Findings> {
    let [grid, okapi, trained, learned, curve, metric] = rows else { unreachable!("six files are read") };
    let results = Results::new(plan, okapi, learned);
    let (figure, curve) = (figure(&results), drawn_curve(curve, trained));
    let mut measured = html::figures([
        (figure.as_str(), "Mean average precision; whiskers are standard errors over queries."),
        (curve.as_str(), "Average precision of links pass by pass, in the paper's setting (its figure 1)."),
    ]);
    let collections: Vec<&str> = plan.collections.iter().map(|tested| tested.name.as_str()).collect();
    let header: Vec<&str> = ["method"].into_iter().chain(collections.iter().copied()).chain(["mean"]).collect();
    for (measure, caption) in [
        (AP, "Average precision (AvgP); in brackets the p-value of the difference from Okapi."),
        (0, "Precision at 10 (P10)."),
        (1, "Break-even point of precision and recall (BEP)."),
    ] {
        let _ = writeln!(measured, "{}", html::table(caption, &header, &table(&results, measure)?));
    }
    let _ = writeln!(
        measured,
        "{}",
        html::table(
            "Gain of average precision over Okapi with the same feedback, and p-values.",
            &header,
            &gains(&results)?
        )
    );
    let _ = writeln!(
        measured,
        "{}",
        html::table(
            "Ways to train: average precision of links on the half that did not teach, of Okapi with its best constants there, and on the \
             collections; the deviation is over seeds.",
            &["setting", "links", "Okapi, links", "mean AvgP", "of Okapi's", "deviation"],
            &settings_rows(&results, trained)
        )
    );
    let _ = writeln!(
        measured,
        "{}",
        html::table(
            "One weight per term (eq. 8), within the vocabulary of the articles.",
            &["cost of a wrong triple", "average precision of links", "terms with a weight"],
            &metric_rows(metric)
        )
    );
    Ok(Findings {
        gist: gist(&results)?,
        measured,
        how: how(plan, grid),
        comparison: format!("<p>{}</p>", comparison(&results, trained)?),
        files: vec![
            ("-figure.svg".into(), figure),
            ("-curve.svg".into(), curve),
            ("-summary.csv".into(), csv(&results)?),
        ],
    })
}

/// The rows of a measure.
fn table(results: &Results<'_>, measure: usize) -> Result<Vec<Vec<String>>> {
    let mut out = Vec::new();
    for (method, title) in results.shown() {
        let mut row = vec![title];
        let p = if measure == AP { results.p(method, results.okapi())? } else { None };
        for collection in 0..results.plan.collections.len() {
            let value = format!("{:.4}", method.mean_of(results.plan, collection, measure));
            row.push(p.as_ref().map_or(value.clone(), |p| format!("{value} ({})", shown_p(p[collection]))));
        }
        row.push(format!("{:.4}", method.mean(results.plan, measure)));
        out.push(row);
    }
    Ok(out)
}

/// Each use of the default beside Okapi with the same feedback.
fn gains(results: &Results<'_>) -> Result<Vec<Vec<String>>> {
    let mut out = Vec::new();
    for (method, than) in results.pairs() {
        let mut row = vec![format!("{} – {}", method.title, than.title)];
        let p = results.p(method, than)?;
        for collection in 0..results.plan.collections.len() {
            let gain = method.mean_of(results.plan, collection, AP) - than.mean_of(results.plan, collection, AP);
            row.push(p.as_ref().map_or(String::new(), |p| format!("{gain:+.4} ({})", shown_p(p[collection]))));
        }
        row.push(html::signed(method.mean(results.plan, AP) - than.mean(results.plan, AP), 4));
        out.push(row);
    }
    Ok(out)
}

fn shown_p(p: f64) -> String {
    if p < 0.001 { "p < .001".into() } else { format!("p = {p:.3}") }
}

fn figure(results: &Results<'_>) -> String {
    let shown: Vec<(&Method, String)> =
        results.shown().into_iter().filter(|(_, title)| DRAWN.contains(&title.as_str())).collect();
    let row = |(at, tested): (usize, &Tested)| {
        let means = shown.iter().map(|(method, _)| Some(Mean::of(&method.of(results.plan, at, AP))));
        (tested.name.clone(), means.collect())
    };
    let rows: Vec<(String, Vec<Option<Mean>>)> = results.plan.collections.iter().enumerate().map(row).collect();
    let series = shown.iter().map(|(_, title)| title.clone()).collect();
    let (low, high) = Range::of_means(rows.iter().flat_map(|(_, means)| means.iter().flatten().copied()));
    let across = Range::new("Mean average precision", low, high);
    Dots { title: "Similar documents by collection".into(), across, series, rows }.draw()
}

/// The methods in the figure, which has room for as many colours.
const DRAWN: [&str; 6] = [UNTRAINED[0].1, UNTRAINED[1].1, THE_PAPERS, USES[0].1, USES[1].1, USES[3].1];

const THE_PAPERS: &str = "LinkLearn, the paper's setting";

fn drawn_curve(rows: &[Row], trained: &[Row]) -> String {
    let series = |title: &str, cell: usize| Series {
        title: title.into(),
        points: rows
            .iter()
            .zip(1..)
            .filter_map(|(row, pass)| Some((f64::from(pass), Mean { value: row[cell]?, error: 0.0 })))
            .collect(),
    };
    let okapi = trained[0][1].unwrap_or(f64::NAN);
    let level = Series {
        title: "Okapi, other half".into(),
        points: [1.0, rows.len() as f64].map(|pass| (pass, Mean { value: okapi, error: 0.0 })).to_vec(),
    };
    let series = vec![series("the half that does not teach", 1), series("the half that teaches", 0), level];
    let (low, high) = Range::of(&series);
    let up = Range::new("Average precision of links", low, high);
    let across = Across::UpTo("Passes over the links".into(), rows.len());
    Lines { title: "Learning the weights of words".into(), across, up, series }.draw()
}

/// The rows of the ways to train.
fn settings_rows(results: &Results<'_>, trained: &[Row]) -> Vec<Vec<String>> {
    let seeds = results.plan.seeds as usize;
    let row = |(at, setting): (usize, &super::settings::Setting)| {
        let of = |cell: usize| {
            let rows = &trained[at * seeds..(at + 1) * seeds];
            mean(&rows.iter().filter_map(|row| row[cell]).collect::<Vec<f64>>())
        };
        let method = &results.learned[at][0];
        let (own, okapi) = (method.mean(results.plan, AP), results.okapi().mean(results.plan, AP));
        vec![
            setting.title.to_owned(),
            format!("{:.4}", of(0)),
            format!("{:.4}", of(1)),
            format!("{own:.4}"),
            html::percent(own / okapi),
            deviation(&method.seeds).map_or("–".into(), |deviation| format!("{deviation:.4}")),
        ]
    };
    SETTINGS.iter().enumerate().map(row).collect()
}

/// The standard deviation over seeds, if there are several.
fn deviation(values: &[f64]) -> Option<f64> {
    (values.len() > 1).then(|| Mean::of(values).error * (values.len() as f64).sqrt())
}

fn metric_rows(rows: &[Row]) -> Vec<Vec<String>> {
    let keys = super::metric::layout().keys;
    let row = |(key, row): (String, &Row)| {
        let number =
            |cell: usize, digits: usize| row[cell].map_or("–".to_owned(), |value| format!("{value:.digits$}"));
        vec![key, number(0, 4), number(1, 0)]
    };
    keys.into_iter().zip(rows).map(row).collect()
}

fn gist(results: &Results<'_>) -> Result<Gist> {
    let collections = results.plan.collections.iter().map(|tested| tested.name.clone());
    Ok(Gist {
        title: "Mean average precision; * differs from Okapi (p < 0.05, Holm)".into(),
        header: ["method".to_owned()].into_iter().chain(collections).chain(["mean".to_owned()]).collect(),
        rows: starred(results)?,
        note: "K and B of Okapi are chosen on the other collections".into(),
    })
}

fn starred(results: &Results<'_>) -> Result<Vec<Vec<String>>> {
    let mut out = Vec::new();
    for (method, title) in results.shown() {
        let mut row = vec![title];
        let p = results.p(method, results.okapi())?;
        for collection in 0..results.plan.collections.len() {
            let star = if p.as_ref().is_some_and(|p| p[collection] < 0.05) { "*" } else { "" };
            row.push(format!("{:.4}{star}", method.mean_of(results.plan, collection, AP)));
        }
        row.push(format!("{:.4}", method.mean(results.plan, AP)));
        out.push(row);
    }
    Ok(out)
}

fn how(plan: &Plan, grid: &[Row]) -> String {
    let okapi = chosen(plan, grid);
    let one = |(tested, okapi): (&Tested, &ordain::text::Bm25Params)| {
        let (name, documents, queries) = (&tested.name, tested.documents, tested.queries.len());
        format!("{name}: {documents} documents, {queries} queries, K {}, B {}", okapi.k1, okapi.b)
    };
    let collections: Vec<String> = plan.collections.iter().zip(&okapi).map(one).collect();
    format!(
        "{} articles, {} linked pairs, {} seeds. {}.",
        plan.articles,
        plan.links,
        plan.seeds,
        collections.join("; ")
    )
}

fn comparison(results: &Results<'_>, trained: &[Row]) -> Result<String> {
    let (plan, okapi) = (results.plan, results.okapi());
    let mut out = String::new();
    let links =
        |cell: usize| mean(&trained[..plan.seeds as usize].iter().filter_map(|row| row[cell]).collect::<Vec<f64>>());
    let papers = results.learned[PAPER][0].mean(plan, AP) / okapi.mean(plan, AP);
    let _ = write!(
        out,
        "In the paper's setting, links are found with average precision {:.3}, against {:.3} of Okapi with its best constants there. On the \
         collections this is {} of Okapi's mean average precision; the paper says 118 %. ",
        links(0),
        links(1),
        html::percent(papers),
    );
    let beside_okapi = results.shown().into_iter().skip(1).map(|(method, title)| (method, okapi, title));
    let feedback = results.pairs().into_iter().skip(1);
    let beside_feedback =
        feedback.map(|(method, than)| (method, than, format!("{} beside {}", method.title, than.title)));
    for (method, than, title) in beside_okapi.chain(beside_feedback) {
        let (mut above, mut better, mut worse) = (0, 0, 0);
        let p = results.p(method, than)?;
        for collection in 0..plan.collections.len() {
            let gain = method.mean_of(plan, collection, AP) - than.mean_of(plan, collection, AP);
            let significant = p.as_ref().is_some_and(|p| p[collection] < 0.05);
            above += usize::from(gain >= 0.0);
            better += usize::from(significant && gain > 0.0);
            worse += usize::from(significant && gain < 0.0);
        }
        let change = html::change(method.mean(plan, AP) / than.mean(plan, AP) - 1.0);
        let _ = write!(
            out,
            "{title}: {change}, at or above on {above} of {}, significantly above on {better}, below on {worse}. ",
            plan.collections.len()
        );
    }
    Ok(out)
}

fn csv(results: &Results<'_>) -> Result<String> {
    let mut out = "method,collection,p10,bep,ap,p\n".to_owned();
    for (method, title) in results.shown() {
        let p = results.p(method, results.okapi())?;
        for (at, tested) in results.plan.collections.iter().enumerate() {
            let p = p.as_ref().map_or(String::new(), |p| p[at].to_string());
            let [p10, bep, ap] = [0, 1, 2].map(|measure| method.mean_of(results.plan, at, measure));
            let _ = writeln!(out, "\"{title}\",{},{p10},{bep},{ap},{p}", tested.name);
        }
    }
    Ok(out)
}
