//! `ordain eval --bounds`: bounds on the error of runs, or of a fitted linear scorer, on queries not yet seen.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use ordain::InputError;
use ordain::data::{Attributes, Judgements, Run};
use ordain::formats::{Letor, read_letor};
use ordain::learn::{LabelledQuery, PairwiseRiskParams};
use ordain::measure::{
    CrossValidationBound, RankingClass, RatingCounts, hoeffding_slack, k_partite_error, pairwise_risk,
};
use serde::Serialize;

use crate::output::{self, Format};
use crate::working::working;
use crate::{Failure, Outcome};

/// The arguments of `--bounds`.
#[derive(Args)]
#[command(next_help_heading = "Bounds")]
pub struct BoundArguments {
    /// Bound the error on queries and documents not yet seen, instead of measuring
    ///
    /// Every run gets two bounds.
    ///
    /// Risk: the share of pairs of a relevant and another document of a query in the wrong order, with ties as one
    /// half. It is the mean over the queries that have such a pair. The bound is an upper bound on the expected risk.
    /// It holds if queries are drawn independently and the runs were made without these judgements.
    ///
    /// Error (k-partite): the share of pairs of different grade in the wrong order, over the documents of all queries
    /// together. The interval is for the expected error on documents with grades in the same proportions. It holds if
    /// single documents are drawn independently; documents of one query are not.
    ///
    /// The documents of a query are those that are judged, or that any run returns. A document without a judgement has
    /// grade 0. Documents that a run does not return are tied below all documents that it returns. Each bound holds for
    /// all given runs at once.
    #[arg(long, conflicts_with_all = ["measure", "ties", "complete", "per_query"])]
    pub bounds: bool,
    /// The probability that a bound holds
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = confidence, allow_negative_numbers = true, requires = "bounds")]
    confidence: f64,
    /// A pair weighs the difference of its grades, to this power
    #[arg(long, value_name = "POWER", default_value = "0", value_parser = alpha, allow_negative_numbers = true, requires = "bounds")]
    alpha: f64,
    /// Add the interval for a linear function of the features that was fitted on the lines of --letor
    ///
    /// It holds for all linear functions at once, so it is wide: with 25 features it says little below about 100,000
    /// lines.
    #[arg(long, requires_all = ["bounds", "letor"], conflicts_with_all = ["unlabelled", "qrels"])]
    linear: bool,
    /// Fit a linear scorer on --letor and bound its risk by means of this LETOR file; its grades are not read
    ///
    /// The scorer minimises the logistic loss over pairs. Every query counts the same. Features are scaled to 0..1
    /// within each query. Grades above 0 are relevant. The scorer is also fitted without each fold of the queries and
    /// tested on that fold. The unlabelled queries measure the distance between its rankings and those of the fold's
    /// scorers. Queries without a pair count as risk 0. The bound holds if all queries are drawn independently from one
    /// distribution.
    #[arg(long, value_name = "FILE", requires_all = ["bounds", "letor"], conflicts_with_all = ["alpha", "qrels"])]
    unlabelled: Option<PathBuf>,
    /// The number of folds into which the queries of --letor are dealt
    #[arg(long, value_name = "NUMBER", default_value = "5", value_parser = folds, requires = "unlabelled")]
    folds: usize,
}

fn confidence(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "expected a number between 0 and 1, such as 0.95".to_owned())
}

fn alpha(text: &str) -> Result<f64, String> {
    let power = text.parse::<f64>().ok().filter(|power| *power >= 0.0 && power.is_finite());
    power.ok_or_else(|| "expected 0 or more; 0 weighs all pairs the same".to_owned())
}

fn folds(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|folds| *folds >= 2).ok_or_else(|| "expected a whole number, 2 or more".to_owned())
}

impl BoundArguments {
    /// The file of unlabelled queries, if a scorer is to be fitted.
    pub fn unlabelled(&self) -> Option<&Path> {
        self.unlabelled.as_deref()
    }

    fn delta(&self) -> f64 {
        1.0 - self.confidence
    }
}

/// Bounds of a run.
#[derive(Serialize)]
struct RunBounds {
    name: String,
    /// The number of queries with a pair.
    queries: usize,
    risk: f64,
    risk_bound: f64,
    documents: u64,
    error: f64,
    error_from: f64,
    error_to: f64,
    /// The largest error that is possible. A bound that is not below it says nothing.
    #[serde(skip)]
    error_most: f64,
    #[serde(flatten)]
    linear: Option<LinearBounds>,
}

/// The interval for a linear function fitted on these lines.
#[derive(Serialize)]
struct LinearBounds {
    linear_from: f64,
    linear_to: f64,
}

#[derive(Serialize)]
struct RunReport<'a> {
    confidence: f64,
    alpha: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<usize>,
    runs: &'a [RunBounds],
}

/// The bounds of runs. `judged` is the file of the judgements, `features` the number of features of a LETOR file.
pub fn of_runs(
    arguments: &BoundArguments,
    judged: &Path,
    (judgements, runs): (&Judgements, &[(PathBuf, Run)]),
    features: Option<usize>,
    format: Format,
) -> Outcome {
    let features = features.filter(|_| arguments.linear);
    let working = working("bounding");
    let pool = Pool::new(judgements, runs);
    let of = |(_, run): &(PathBuf, Run)| -> Result<RunBounds, Failure> {
        let sample = pool.sample(run)?;
        if sample.risks.is_empty() {
            let expected = format!("a query that run {} answers, with a relevant document and another", run.name);
            return Err(ordain::Error::from(InputError::new(judged, expected).found("none")).into());
        }
        Ok(sample.bounds(run, runs.len(), features, arguments)?)
    };
    let bounds: Vec<RunBounds> = runs.iter().map(of).collect::<Result<_, _>>()?;
    drop(working);
    match format {
        Format::Json => {
            let BoundArguments { confidence, alpha, .. } = *arguments;
            output::json(&RunReport { confidence, alpha, features, runs: &bounds })
        }
        Format::Csv => output::csv_table(&header(features), bounds.iter().map(|run| cells(run, f64::to_string))),
        Format::Table => show(&bounds, features, arguments),
    }
}

/// The documents of every judged query: those judged and those that any run returned, with ratings from 0.
struct Pool<'a> {
    queries: HashMap<&'a str, HashMap<&'a str, u32>>,
    /// Queries in the order of the judgements.
    order: Vec<&'a str>,
    /// Ratings above this one are relevant.
    none: u32,
}

impl<'a> Pool<'a> {
    fn new(judgements: &'a Judgements, runs: &'a [(PathBuf, Run)]) -> Self {
        let grades = judgements.queries.iter().flat_map(|(_, grades)| grades.values().copied());
        let least = grades.min().unwrap_or(0).min(0);
        let rating = |grade: i32| grade.abs_diff(least);
        let documents = |grades: &'a HashMap<String, i32>| {
            grades.iter().map(|(document, &grade)| (document.as_str(), rating(grade))).collect()
        };
        let mut queries: HashMap<&str, HashMap<&str, u32>> =
            judgements.queries.iter().map(|(query, grades)| (query.as_str(), documents(grades))).collect();
        for (_, run) in runs {
            for (query, rows) in &run.queries {
                if let Some(known) = queries.get_mut(query.as_str()) {
                    rows.iter().for_each(|row| _ = known.entry(run.document(row)).or_insert(rating(0)));
                }
            }
        }
        let order = judgements.queries.iter().map(|(query, _)| query.as_str()).collect();
        Self { queries, order, none: rating(0) }
    }

    /// The risks and pairs of a run, over the queries that it answers.
    fn sample(&self, run: &Run) -> ordain::Result<Sample> {
        let answered: HashMap<&str, usize> =
            run.queries.iter().enumerate().map(|(at, (query, _))| (query.as_str(), at)).collect();
        let mut sample = Sample::default();
        for query in &self.order {
            let Some(&at) = answered.get(query) else { continue };
            let rows = run.queries[at].1.iter();
            let scores: HashMap<&str, f64> = rows.map(|row| (run.document(row), row.score)).collect();
            let first = sample.scores.len();
            for (document, &rating) in &self.queries[query] {
                sample.scores.push(scores.get(document).copied().unwrap_or(f64::NEG_INFINITY));
                sample.ratings.push(rating);
            }
            let relevant: Vec<bool> = sample.ratings[first..].iter().map(|rating| *rating > self.none).collect();
            sample.risks.extend(pairwise_risk(&sample.scores[first..], &relevant)?);
        }
        Ok(sample)
    }
}

/// The data of the bounds. Documents have no order: everything is counted in whole numbers.
#[derive(Default)]
struct Sample {
    /// The risks of the queries with a pair.
    risks: Vec<f64>,
    scores: Vec<f64>,
    ratings: Vec<u32>,
}

impl Sample {
    fn bounds(
        &self,
        run: &Run,
        runs: usize,
        features: Option<usize>,
        arguments: &BoundArguments,
    ) -> ordain::Result<RunBounds> {
        let (alpha, delta) = (arguments.alpha, arguments.delta());
        let risk = self.risks.iter().sum::<f64>() / self.risks.len() as f64;
        let counts = RatingCounts::of(&self.ratings)?;
        let error = k_partite_error(&self.scores, &self.ratings, alpha)?;
        let slack = counts.finite_class_slack(alpha, (runs as f64).ln(), delta)?;
        let linear = |attributes: usize| -> ordain::Result<LinearBounds> {
            let ln_shatter = RankingClass::LinearPooled { attributes }.ln_shatter(&counts.doubled());
            let slack = counts.shattered_slack(alpha, ln_shatter, delta)?;
            Ok(LinearBounds { linear_from: (error - slack).max(0.0), linear_to: error + slack })
        };
        Ok(RunBounds {
            name: run.name.clone(),
            queries: self.risks.len(),
            risk,
            risk_bound: risk + hoeffding_slack(self.risks.len(), runs, delta)?,
            documents: counts.total(),
            error,
            error_from: (error - slack).max(0.0),
            error_to: error + slack,
            error_most: counts.expected_error(alpha, |_, _| 1.0)?,
            linear: features.map(linear).transpose()?,
        })
    }
}

fn header(features: Option<usize>) -> Vec<String> {
    let mut header = vec!["run", "queries", "risk", "risk_bound", "documents", "error", "error_from", "error_to"];
    if features.is_some() {
        header.extend(["linear_from", "linear_to"]);
    }
    header.into_iter().map(str::to_owned).collect()
}

fn cells(run: &RunBounds, number: impl Fn(&f64) -> String) -> Vec<String> {
    let mut cells = vec![run.name.clone(), run.queries.to_string(), number(&run.risk), number(&run.risk_bound)];
    cells.push(run.documents.to_string());
    cells.extend([&run.error, &run.error_from, &run.error_to].map(&number));
    cells.extend(run.linear.iter().flat_map(|linear| [&linear.linear_from, &linear.linear_to]).map(number));
    cells
}

/// Adds a mark to a bound that says nothing, or a blank of the same width.
fn mark(cell: &mut String, nothing: bool) {
    cell.push_str(if nothing { " !" } else { "  " });
}

const NOTHING: &str = "! says nothing: the bound allows any error";

fn show(bounds: &[RunBounds], features: Option<usize>, arguments: &BoundArguments) -> Outcome {
    let mut some_say_nothing = false;
    let rows = bounds.iter().map(|run| {
        let mut row = cells(run, |value| output::fixed(*value, 4));
        row[0] = output::cut(&row[0], super::WIDEST);
        let mut marked = vec![(3, run.risk_bound >= 1.0), (7, run.error_to >= run.error_most)];
        marked.extend(run.linear.iter().map(|linear| (9, linear.linear_to >= run.error_most)));
        for (at, nothing) in marked {
            mark(&mut row[at], nothing);
            some_say_nothing |= nothing;
        }
        row
    });
    let rows = rows.collect();
    print(header(features).iter().map(|head| head.replace('_', " ")).collect(), rows)?;
    let (share, runs) = (percent(arguments.confidence), output::count(bounds.len(), "run"));
    output::note(format!(
        "risk: share of pairs of a query in the wrong order, mean over queries. With {share} confidence the expected risk is at most \
         the bound, for all of {runs} at once, if queries are drawn independently and no run was fitted on them."
    ));
    output::note(format!(
        "error: share of pairs of different grade in the wrong order, over all documents. With {share} confidence the expected error, \
         for grades in these proportions, is in the interval, for all of {runs} at once, if documents are drawn independently."
    ));
    if let Some(features) = features {
        output::note(format!(
            "linear: the same for any linear function of the {} that was fitted on these lines.",
            output::count(features, "feature")
        ));
    }
    if some_say_nothing {
        output::note(NOTHING);
    }
    Ok(())
}

fn print(header: Vec<String>, rows: Vec<Vec<String>>) -> Outcome {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let columns = header.len();
    table.set_header(header);
    table.add_rows(rows);
    for column in 1..columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    output::table(&table)
}

fn percent(share: f64) -> String {
    // Twelve digits hide the rounding of a decimal fraction.
    let shown = format!("{:.12}", 100.0 * share);
    format!("{} %", shown.trim_end_matches('0').trim_end_matches('.'))
}

#[derive(Serialize)]
struct LearnedReport {
    confidence: f64,
    features: usize,
    queries: usize,
    /// How many of them have only relevant documents, or none.
    without_pair: usize,
    folds: Vec<FoldReport>,
    risk: f64,
    risk_slack: f64,
    unlabelled: usize,
    distance: f64,
    distance_slack: f64,
    bound: f64,
}

#[derive(Serialize)]
struct FoldReport {
    queries: usize,
    risk: f64,
    slack: f64,
}

/// Fits a linear scorer and bounds its risk.
pub fn of_scorer(arguments: &BoundArguments, letor: &Path, unlabelled: &Path, format: Format) -> Outcome {
    let working = working("fitting");
    let labelled = queries(&read_letor(letor)?)?;
    let features = labelled[0].attributes().len();
    if labelled.len() < arguments.folds {
        let expected = format!("{} queries, one per fold (--folds)", arguments.folds);
        let error = InputError::new(letor, expected).found(labelled.len().to_string());
        return Err(ordain::Error::from(error).into());
    }
    let without: Vec<Attributes> =
        queries(&read_letor(unlabelled)?)?.into_iter().map(|query| query.attributes().clone()).collect();
    if without[0].len() != features {
        let error = InputError::new(unlabelled, format!("{features} features, as in {}", letor.display()));
        return Err(ordain::Error::from(error.found(without[0].len().to_string())).into());
    }
    let draws: Vec<usize> = (0..labelled.len()).collect();
    let learned = PairwiseRiskParams::default().cross_validate(&labelled, &draws, arguments.folds);
    let learned = learned.map_err(|error| match error {
        ordain::Error::Data { found, expected, .. } => InputError::new(letor, expected).found(found).into(),
        other => other,
    })?;
    let bound = learned.bound(&labelled, &without, arguments.delta())?;
    drop(working);
    let without_pair = labelled.iter().filter(|query| !query.has_pair()).count();
    match format {
        Format::Json => output::json(&LearnedReport {
            confidence: arguments.confidence,
            features,
            queries: labelled.len(),
            without_pair,
            folds: bound
                .folds
                .iter()
                .map(|fold| FoldReport { queries: fold.queries, risk: fold.risk, slack: fold.slack })
                .collect(),
            risk: bound.risk(),
            risk_slack: bound.risk_slack(),
            unlabelled: bound.unlabelled,
            distance: bound.gap,
            distance_slack: bound.gap_slack,
            bound: bound.bound(),
        }),
        Format::Csv => output::csv_table(&PARTS.map(str::to_owned), parts(&bound, labelled.len(), f64::to_string)),
        Format::Table => {
            let mut rows = parts(&bound, labelled.len(), |value| output::fixed(*value, 4));
            let nothing = bound.bound() >= 1.0;
            for (at, row) in rows.iter_mut().rev().enumerate() {
                mark(&mut row[4], at == 0 && nothing);
            }
            print(PARTS.map(|part| part.replace('_', " ")).to_vec(), rows)?;
            output::note(format!(
                "With {} confidence, a linear scorer of {} fitted on all of {} puts at most the share in the last line of pairs of a relevant \
                 and another document of a query in the wrong order, on average over queries like these.",
                percent(arguments.confidence),
                output::count(features, "feature"),
                letor.display()
            ));
            output::note(
                "folds: the risk of the scorer fitted without a fold, on that fold. distance: an upper bound on the difference in risk \
                 between the rankings of these scorers and of the final one, on the unlabelled queries.",
            );
            if without_pair > 0 {
                output::note(format!("Labelled queries without such a pair count as risk 0: {without_pair}."));
            }
            if nothing {
                output::note(NOTHING);
            }
            Ok(())
        }
    }
}

const PARTS: [&str; 5] = ["part", "queries", "value", "slack", "at_most"];

/// The parts of a bound, then their sum.
fn parts(bound: &CrossValidationBound, queries: usize, number: impl Fn(&f64) -> String) -> Vec<Vec<String>> {
    let row = |part: String, queries: String, value: f64, slack: f64| {
        vec![part, queries, number(&value), number(&slack), number(&(value + slack))]
    };
    let mut rows: Vec<Vec<String>> = bound
        .folds
        .iter()
        .enumerate()
        .map(|(at, fold)| row(format!("fold {}", at + 1), fold.queries.to_string(), fold.risk, fold.slack))
        .collect();
    rows.push(row("folds".to_owned(), queries.to_string(), bound.risk(), bound.risk_slack()));
    rows.push(row("distance".to_owned(), bound.unlabelled.to_string(), bound.gap, bound.gap_slack));
    let (value, slack) = (bound.risk() + bound.gap, bound.risk_slack() + bound.gap_slack);
    rows.push(row("bound".to_owned(), String::new(), value, slack));
    rows
}

/// The queries of a LETOR file, with features scaled to 0..1 within each. A file without query ids is one query.
fn queries(letor: &Letor) -> ordain::Result<Vec<LabelledQuery>> {
    let groups = letor.items.groups();
    let scaled = letor.items.attributes().between_0_and_1(groups);
    let everyone: Vec<_> = letor.items.iter().collect();
    let count = groups.map_or(1, |groups| groups.len());
    let query = |at: usize| {
        let members = groups.map_or(&everyone[..], |groups| groups.members(at));
        let values = members.iter().flat_map(|item| scaled.row(item.index())).copied().collect();
        let attributes = Attributes::new(scaled.names().to_vec(), members.len(), values)?;
        LabelledQuery::new(attributes, members.iter().map(|item| letor.grades[item.index()] > 0.0).collect())
    };
    (0..count).map(query).collect()
}
