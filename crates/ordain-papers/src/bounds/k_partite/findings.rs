//! What `kp-bounds` found.

use std::fmt::Write;

use ordain::measure::Mean;
use ordain_plot::{Range, html};

use super::{DELTA, Plan};
use crate::bounds::{figure, from_where, long, said_from};
use crate::findings::{Findings, Gist};
use crate::journal::Row;

/// The samples of one size.
struct Size {
    size: usize,
    features: Class,
    linear: Class,
    /// The sharper bound for linear functions.
    pooled: Bound,
}

/// What was chosen from a class.
struct Class {
    error: Mean,
    truth: Mean,
    /// How far the error was from the truth: of the finite class the largest over its functions.
    deviation: Mean,
    bound: Bound,
}

/// A bound over samples.
struct Bound {
    slack: Mean,
    /// Of the expected error.
    upper: Mean,
    failures: usize,
}

/// What is shown.
pub fn findings(plan: &Plan, rows: &[Row]) -> Findings {
    let chunks = plan.sizes.iter().zip(rows.chunks(plan.repeats));
    let sizes: Vec<Size> = chunks.map(|(&size, rows)| Size::new(size, rows)).collect();
    let (bounds, slacks) = (bounds_figure(plan, &sizes), slacks_figure(plan, &sizes));
    let figures = html::figures([
        (
            bounds.as_str(),
            "Expected errors and their bounds. What is drawn at the upper edge is above 1 and says nothing; an error of 0.5 is that of a random order.",
        ),
        (
            slacks.as_str(),
            "How far errors were from their expectations, and how far the theorems allow; means over samples.",
        ),
    ]);
    Findings {
        gist: gist(plan, &sizes),
        measured: format!("{figures}\n{}", table(plan, &sizes)),
        how: how(plan),
        comparison: format!("<p>{}</p>", comparison(plan, &sizes)),
        files: vec![
            ("-summary.csv".to_owned(), csv(&sizes)),
            ("-bound.svg".to_owned(), bounds),
            ("-slack.svg".to_owned(), slacks),
        ],
    }
}

impl Size {
    fn new(size: usize, rows: &[Row]) -> Self {
        let column = |at: usize| -> Vec<f64> { rows.iter().map(|row| row[at].unwrap_or(f64::NAN)).collect() };
        let [error, truth, largest, slack] = [1, 2, 3, 4].map(column);
        let features = Class {
            error: Mean::of(&error),
            truth: Mean::of(&truth),
            deviation: Mean::of(&largest),
            bound: Bound::new(&error, &slack, &largest),
        };
        let [error, truth, slack, pooled] = [5, 6, 7, 8].map(column);
        let deviation: Vec<f64> = error.iter().zip(&truth).map(|(error, truth)| (error - truth).abs()).collect();
        Self {
            size,
            features,
            linear: Class {
                error: Mean::of(&error),
                truth: Mean::of(&truth),
                deviation: Mean::of(&deviation),
                bound: Bound::new(&error, &slack, &deviation),
            },
            pooled: Bound::new(&error, &pooled, &deviation),
        }
    }
}

impl Bound {
    fn new(errors: &[f64], slacks: &[f64], deviations: &[f64]) -> Self {
        let upper: Vec<f64> = errors.iter().zip(slacks).map(|(error, slack)| error + slack).collect();
        // The theorems say "less than".
        let failures = deviations.iter().zip(slacks).filter(|(deviation, slack)| deviation >= slack).count();
        Self { slack: Mean::of(slacks), upper: Mean::of(&upper), failures }
    }
}

const FEATURE: &str = "best feature";
const LINEAR: &str = "linear";
const ACROSS: &str = "Documents in the sample";

fn bounds_figure(plan: &Plan, sizes: &[Size]) -> String {
    let of = |title: &str, value: fn(&Size) -> Mean| (title.to_owned(), sizes.iter().map(value).collect());
    let series = vec![
        of("best feature, theorem 1", |size| size.features.bound.upper),
        of("best feature, truth", |size| size.features.truth),
        of("linear, theorems 2, 3", |size| size.linear.bound.upper),
        of("linear, sharper", |size| size.pooled.upper),
        of("linear, truth", |size| size.linear.truth),
    ];
    figure("Bounds of the error", ACROSS, &plan.sizes, Range::new("Expected error", 0.0, 1.0), series)
}

fn slacks_figure(plan: &Plan, sizes: &[Size]) -> String {
    let of = |title: &str, value: fn(&Size) -> Mean| -> (String, Vec<Mean>) {
        (title.to_owned(), sizes.iter().map(value).collect())
    };
    let series = vec![
        of("theorem 1", |size| size.features.bound.slack),
        of("largest over the features", |size| size.features.deviation),
        of("theorems 2, 3", |size| size.linear.bound.slack),
        of("sharper", |size| size.pooled.slack),
        of("linear", |size| size.linear.deviation),
    ];
    let all = || series.iter().flat_map(|(_, means)| means).map(|mean| mean.value).filter(|value| *value > 0.0);
    let (low, high) = (all().fold(1.0, f64::min), all().fold(0.0, f64::max));
    figure(
        "How far bounds are from the error",
        ACROSS,
        &plan.sizes,
        Range::logarithmic("Distance to the error", low, high),
        series,
    )
}

fn gist(plan: &Plan, sizes: &[Size]) -> Gist {
    let header =
        ["documents", "feature", "truth", "theorem 1", "fails", "linear", "truth", "theorem 3", "sharper", "fails"];
    let number = |mean: Mean| format!("{:.3}", mean.value);
    let row = |size: &Size| {
        let Size { features, linear, pooled, .. } = size;
        vec![
            long(size.size),
            number(features.error),
            number(features.truth),
            number(features.bound.upper),
            features.bound.failures.to_string(),
            number(linear.error),
            number(linear.truth),
            number(linear.bound.upper),
            number(pooled.upper),
            linear.bound.failures.max(pooled.failures).to_string(),
        ]
    };
    Gist {
        title: "error in the sample, expected error and its upper bound, means over samples".to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: sizes.iter().map(row).collect(),
        note: format!(
            "fails: in how many of {} samples; theory allows {:.0}",
            plan.repeats,
            DELTA * plan.repeats as f64
        ),
    }
}

fn table(plan: &Plan, sizes: &[Size]) -> String {
    let cells = |size: &Size, class: &Class, sharper: Option<&Bound>| {
        let mut row =
            vec![long(size.size), html::mean(class.error), html::mean(class.truth), html::mean(class.bound.upper)];
        row.extend(sharper.map(|bound| html::mean(bound.upper)));
        row.push(format!("{:.5}", class.deviation.value));
        let failures = class.bound.failures.max(sharper.map_or(0, |bound| bound.failures));
        row.push(format!("{failures} of {}", plan.repeats));
        row
    };
    let heads = ["documents", "error in the sample", "expected error", "upper bound", "deviation", "failures"];
    let features: Vec<Vec<String>> = sizes.iter().map(|size| cells(size, &size.features, None)).collect();
    let linear: Vec<Vec<String>> = sizes.iter().map(|size| cells(size, &size.linear, Some(&size.pooled))).collect();
    let with_sharper = [&heads[..4], &["sharper bound"], &heads[4..]].concat();
    format!(
        "{}{}",
        html::table("The best of the single features; deviation and failures over all of them", &heads, &features),
        html::table("A linear function fitted on the sample", &with_sharper, &linear)
    )
}

fn csv(sizes: &[Size]) -> String {
    let mut out = "size,class,error,truth,deviation,bound,slack,upper,failures\n".to_owned();
    for size in sizes {
        let Size { features, linear, pooled, .. } = size;
        for (name, class, theorem, bound) in [
            (FEATURE, features, "theorem 1", &features.bound),
            (LINEAR, linear, "theorem 3", &linear.bound),
            (LINEAR, linear, "sharper", pooled),
        ] {
            let _ = writeln!(
                out,
                "{},{name},{},{},{},{theorem},{},{},{}",
                size.size,
                class.error.value,
                class.truth.value,
                class.deviation.value,
                bound.slack.value,
                bound.upper.value,
                bound.failures
            );
        }
    }
    out
}

fn how(plan: &Plan) -> String {
    let grades: Vec<String> =
        plan.grades.iter().map(|(grade, count)| format!("{} of grade {grade}", long(*count as usize))).collect();
    format!(
        "{} documents ({}) with {} features; {} samples of every size. Numbers are means over samples ± their standard error.",
        long(plan.documents),
        grades.join(", "),
        plan.features,
        plan.repeats
    )
}

/// In words: where each bound begins to say something, and how much too wide it is.
fn comparison(plan: &Plan, sizes: &[Size]) -> String {
    let (Some(largest), Some(last)) = (plan.sizes.last().copied(), sizes.last()) else { return String::new() };
    let from = |upper: fn(&Size) -> f64, limit: f64| {
        let values: Vec<f64> = sizes.iter().map(upper).collect();
        said_from(from_where(&plan.sizes, &values, limit), largest, "documents")
    };
    let failures: usize = sizes
        .iter()
        .map(|size| size.features.bound.failures + size.linear.bound.failures.max(size.pooled.failures))
        .sum();
    let samples = plan.repeats * plan.sizes.len();
    let wide = |slack: Mean, deviation: Mean| format!("{:.0}", slack.value / deviation.value);
    format!(
        "Theorem 1 for the {} features is below 1 {}, and below 0.5, the error of a random order, {}. Theorem 3 for linear functions \
         is below 1 {} and below 0.5 {}; with the sharper count of orders it is so {} and {}. Bounds fell short of the truth in \
         {failures} of {} cases, where theory allows {:.0}. They are wide: with {} documents theorem 1 allows {} times the largest \
         deviation of any feature, and theorem 3 {} times that of the fitted function. The expected error is then {:.3} for the linear \
         function and {:.3} for the best feature; what can be guaranteed is {:.3} (theorem 3), {:.3} (sharper) and {:.3}. That is the \
         price of choosing among more functions.",
        plan.features,
        from(|size| size.features.bound.upper.value, 1.0),
        from(|size| size.features.bound.upper.value, 0.5),
        from(|size| size.linear.bound.upper.value, 1.0),
        from(|size| size.linear.bound.upper.value, 0.5),
        from(|size| size.pooled.upper.value, 1.0),
        from(|size| size.pooled.upper.value, 0.5),
        2 * samples,
        DELTA * 2.0 * samples as f64,
        long(largest),
        wide(last.features.bound.slack, last.features.deviation),
        wide(last.linear.bound.slack, last.linear.deviation),
        last.linear.truth.value,
        last.features.truth.value,
        last.linear.bound.upper.value,
        last.pooled.upper.value,
        last.features.bound.upper.value,
    )
}
