//! What `ud-bounds` found.

use std::fmt::Write;

use ordain::Result;
use ordain::measure::{Mean, hoeffding_slack};
use ordain_plot::{Range, html};

use super::{COLUMNS, DELTA, FOLDS, Plan};
use crate::bounds::{figure, from_where, long, said_from, short};
use crate::findings::{Findings, Gist};
use crate::journal::Row;

/// The samples of one penalty and one number of labelled queries.
struct Size {
    penalty: f64,
    labelled: usize,
    training: Mean,
    truth: Mean,
    folds: Mean,
    folds_slack: f64,
    distance: Mean,
    /// How far the expected risks of the function and of the folds' are apart.
    apart: Mean,
    /// By the number of unlabelled queries.
    bounds: Vec<Bound>,
    held_out: Bound,
    held_out_truth: Mean,
}

/// A bound over samples.
struct Bound {
    value: Mean,
    failures: usize,
}

impl Bound {
    fn new(values: &[f64], truths: &[f64]) -> Self {
        let failures = values.iter().zip(truths).filter(|(value, truth)| value < truth).count();
        Self { value: Mean::of(values), failures }
    }
}

/// What is shown.
pub fn findings(plan: &Plan, rows: &[Row]) -> Result<Findings> {
    let sizes: Vec<Size> =
        rows.chunks(plan.repeats).enumerate().map(|(at, rows)| Size::new(plan, at, rows)).collect::<Result<_>>()?;
    let of = |penalty: f64| sizes.iter().filter(move |size| size.penalty == penalty).collect::<Vec<_>>();
    let drawn: Vec<(f64, String)> =
        plan.penalties.iter().map(|&penalty| (penalty, bounds_figure(plan, &of(penalty)))).collect();
    let mut captions: Vec<(&str, String)> = drawn
        .iter()
        .map(|(penalty, svg)| {
            let caption = format!(
                "Penalty {penalty}: expected risk, and its bound with this many unlabelled queries. What is drawn at the upper edge \
                 is above 1 and says nothing; a risk of 0.5 is that of a random order."
            );
            (svg.as_str(), caption)
        })
        .collect();
    let parts = parts_figure(plan, &sizes);
    captions.push((&parts, "How far the rankings of the function and of the folds' are apart, by the distance D, beside how far their risks are.".into()));
    let figures = html::figures(captions.iter().map(|(svg, caption)| (*svg, caption.as_str())));
    let tables: String = plan.penalties.iter().map(|&penalty| table(plan, penalty, &of(penalty))).collect();
    let mut files = vec![("-summary.csv".to_owned(), csv(plan, &sizes)), ("-distance.svg".to_owned(), parts.clone())];
    files.extend(drawn.iter().map(|(penalty, svg)| (format!("-bound-{penalty}.svg"), svg.clone())));
    Ok(Findings {
        gist: gist(plan, &sizes),
        measured: format!("{figures}\n{tables}"),
        how: format!(
            "{} queries (left out, for want of a relevant document or of another: {}); {} samples for every penalty and number \
             of labelled queries. Numbers are means over samples ± their standard error.",
            plan.queries, plan.left_out, plan.repeats
        ),
        comparison: format!("<p>{}</p>", comparison(plan, &sizes)?),
        files,
    })
}

impl Size {
    fn new(plan: &Plan, at: usize, rows: &[Row]) -> Result<Self> {
        let (penalty, labelled) = plan.setting(at * plan.repeats);
        let column = |at: usize| -> Vec<f64> { rows.iter().map(|row| row[at].unwrap_or(f64::NAN)).collect() };
        let [training, truth, folds, folds_slack, folds_truth, distance, held_out, held_out_truth] =
            [0, 1, 2, 3, 4, 5, 6, 7].map(column);
        let bound = |(position, &unlabelled): (usize, &usize)| {
            let slack = hoeffding_slack(unlabelled, 2, DELTA)?;
            let gaps = column(COLUMNS.len() + position);
            let parts = folds.iter().zip(&folds_slack).zip(gaps);
            let values: Vec<f64> = parts.map(|((risk, risk_slack), gap)| risk + risk_slack + gap + slack).collect();
            Ok(Bound::new(&values, &truth))
        };
        let first_fold = labelled.div_ceil(FOLDS);
        let test_slack = hoeffding_slack(first_fold, 1, DELTA)?;
        let tested: Vec<f64> = held_out.iter().map(|risk| risk + test_slack).collect();
        Ok(Self {
            penalty,
            labelled,
            training: Mean::of(&training),
            truth: Mean::of(&truth),
            folds: Mean::of(&folds),
            folds_slack: Mean::of(&folds_slack).value,
            distance: Mean::of(&distance),
            apart: Mean::of(&truth.iter().zip(&folds_truth).map(|(a, b)| (a - b).abs()).collect::<Vec<_>>()),
            bounds: plan.unlabelled.iter().enumerate().map(bound).collect::<Result<_>>()?,
            held_out: Bound::new(&tested, &held_out_truth),
            held_out_truth: Mean::of(&held_out_truth),
        })
    }
}

const ACROSS: &str = "Labelled queries";

fn bounds_figure(plan: &Plan, sizes: &[&Size]) -> String {
    let of = |value: &dyn Fn(&Size) -> Mean| -> Vec<Mean> { sizes.iter().map(|size| value(size)).collect() };
    let mut series: Vec<(String, Vec<Mean>)> = plan
        .unlabelled
        .iter()
        .enumerate()
        .map(|(at, &count)| (format!("bound, {} unlabelled", short(count)), of(&|size| size.bounds[at].value)))
        .collect();
    series.push(("bound by holding out".to_owned(), of(&|size| size.held_out.value)));
    series.push(("truth".to_owned(), of(&|size| size.truth)));
    figure("Bounds of the risk", ACROSS, &plan.labelled, Range::new("Expected risk", 0.0, 1.0), series)
}

fn parts_figure(plan: &Plan, sizes: &[Size]) -> String {
    let series = plan.penalties.iter().flat_map(|&penalty| {
        let own = || sizes.iter().filter(move |size| size.penalty == penalty);
        [
            (format!("D, penalty {penalty}"), own().map(|size| size.distance).collect::<Vec<_>>()),
            (format!("risks, penalty {penalty}"), own().map(|size| size.apart).collect()),
        ]
    });
    let series: Vec<(String, Vec<Mean>)> = series.collect();
    let all = || series.iter().flat_map(|(_, means)| means).map(|mean| mean.value).filter(|value| *value > 0.0);
    let (low, high) = (all().fold(1.0, f64::min).max(1e-5), all().fold(0.0, f64::max));
    figure(
        "How far bounds are from the risk",
        ACROSS,
        &plan.labelled,
        Range::logarithmic("Distance to the risk", low, high),
        series,
    )
}

fn gist(plan: &Plan, sizes: &[Size]) -> Gist {
    let number = |mean: Mean| format!("{:.3}", mean.value);
    let row = |size: &Size| {
        let mut row = vec![size.penalty.to_string(), long(size.labelled), number(size.truth), number(size.folds)];
        row.push(format!("{:.3}", size.folds_slack));
        row.push(number(size.distance));
        row.extend(size.bounds.iter().map(|bound| number(bound.value)));
        row.push(number(size.held_out.value));
        row.push((size.bounds.iter().map(|bound| bound.failures).sum::<usize>()).to_string());
        row
    };
    let mut header: Vec<String> = ["penalty", "labelled", "truth", "folds", "slack", "D"].map(str::to_owned).to_vec();
    header.extend(plan.unlabelled.iter().map(|&count| format!("bound, {} unl.", short(count))));
    header.extend(["held out", "fails"].map(str::to_owned));
    Gist {
        title: "expected risk, parts of the bound and the bound, means over samples".to_owned(),
        header,
        rows: sizes.iter().map(row).collect(),
        note: format!(
            "fails: in how many of {} samples with any number of unlabelled queries the bound is below the truth; theory allows {:.1} \
             for each number",
            plan.repeats,
            DELTA * plan.repeats as f64
        ),
    }
}

fn table(plan: &Plan, penalty: f64, sizes: &[&Size]) -> String {
    let bounds: Vec<String> =
        plan.unlabelled.iter().map(|&count| format!("bound, {} unlabelled", long(count))).collect();
    let mut heads = vec!["labelled", "training risk", "expected risk", "folds' risk", "slack", "D"];
    heads.extend(bounds.iter().map(String::as_str));
    heads.extend(["held out: expected", "held out: bound", "failures"]);
    let row = |size: &&Size| {
        let mut row = vec![
            long(size.labelled),
            html::mean(size.training),
            html::mean(size.truth),
            html::mean(size.folds),
            format!("{:.3}", size.folds_slack),
            html::mean(size.distance),
        ];
        row.extend(size.bounds.iter().map(|bound| html::mean(bound.value)));
        row.extend([html::mean(size.held_out_truth), html::mean(size.held_out.value)]);
        row.push(size.bounds.iter().map(|bound| bound.failures).sum::<usize>().to_string());
        row
    };
    html::table(&format!("Penalty {penalty}"), &heads, &sizes.iter().map(row).collect::<Vec<_>>())
}

fn csv(plan: &Plan, sizes: &[Size]) -> String {
    let mut out = "penalty,labelled,training_risk,truth,folds_risk,folds_slack,distance,held_out_truth,held_out_bound,\
                   held_out_failures"
        .to_owned();
    for count in &plan.unlabelled {
        let _ = write!(out, ",bound_{count},failures_{count}");
    }
    out.push('\n');
    for size in sizes {
        let _ = write!(
            out,
            "{},{},{},{},{},{},{},{},{},{}",
            size.penalty,
            size.labelled,
            size.training.value,
            size.truth.value,
            size.folds.value,
            size.folds_slack,
            size.distance.value,
            size.held_out_truth.value,
            size.held_out.value.value,
            size.held_out.failures
        );
        for bound in &size.bounds {
            let _ = write!(out, ",{},{}", bound.value.value, bound.failures);
        }
        out.push('\n');
    }
    out
}

/// In words: where the bound begins to say something, where it ends, and what holding out would have given.
fn comparison(plan: &Plan, sizes: &[Size]) -> Result<String> {
    let mut out = String::new();
    let (Some(&most), Some(&largest)) = (plan.unlabelled.last(), plan.labelled.last()) else { return Ok(out) };
    for &penalty in &plan.penalties {
        let own: Vec<&Size> = sizes.iter().filter(|size| size.penalty == penalty).collect();
        let Some(last) = own.last() else { continue };
        let from = |limit: f64, value: &dyn Fn(&Size) -> f64| {
            let values: Vec<f64> = own.iter().map(|size| value(size)).collect();
            said_from(from_where(&plan.labelled, &values, limit), largest, "labelled queries")
        };
        let full = |size: &Size| size.bounds.last().map_or(f64::NAN, |bound| bound.value.value);
        let each: Vec<String> = last.bounds.iter().map(|bound| format!("{:.3}", bound.value.value)).collect();
        let counts: Vec<String> = plan.unlabelled.iter().map(|&count| long(count)).collect();
        let _ = write!(
            out,
            "With a penalty of {penalty} and {} unlabelled queries the bound is below 1 {} and below 0.5, the risk of a random order, \
             {}. With {} labelled queries it is {} for {} unlabelled ones, where the expected risk is {:.3}; more unlabelled queries \
             cannot bring it below {:.3}, the sum of the folds' risk, their slack and D. Without any unlabelled query, the function \
             learned without one fold and tested on it has an expected risk of {:.3} and a bound of {:.3}, below 0.5 {}. ",
            long(most),
            from(1.0, &full),
            from(0.5, &full),
            long(largest),
            each.join(" / "),
            counts.join(" / "),
            last.truth.value,
            last.folds.value + last.folds_slack + last.distance.value,
            last.held_out_truth.value,
            last.held_out.value.value,
            from(0.5, &|size| size.held_out.value.value),
        );
    }
    let failures: usize = sizes.iter().flat_map(|size| &size.bounds).map(|bound| bound.failures).sum();
    let last_sizes = sizes.iter().filter(|size| size.labelled == largest);
    let times: Vec<String> = last_sizes.map(|size| format!("{:.0}", size.distance.value / size.apart.value)).collect();
    let (weak, strong) = sizes.split_at(plan.labelled.len());
    let smaller = weak.iter().zip(strong).filter(|(weak, strong)| strong.distance.value < weak.distance.value).count();
    let tighter = sizes
        .iter()
        .filter(|size| size.bounds.iter().all(|bound| size.held_out.value.value < bound.value.value))
        .count();
    let held_out: usize = sizes.iter().map(|size| size.held_out.failures).sum();
    let (bounds, samples) = (plan.samples() * plan.unlabelled.len(), plan.samples());
    let _ = write!(
        out,
        "The bound was below the truth in {failures} of {bounds} cases, where theory allows {:.0}, and that by holding out in \
         {held_out} of {samples}, where it allows {:.0}. D allows for the worst labels there could be, and so is {} times the \
         difference in expected risk with {} labelled queries; the stronger penalty, which makes the learner more stable, makes D smaller at {smaller} of \
         {} sizes. The simple bound by holding out has no such part, and the slack of one fold alone: it was the tighter one at \
         {tighter} of {} settings.",
        DELTA * bounds as f64,
        DELTA * samples as f64,
        times.join(" and "),
        long(largest),
        plan.labelled.len(),
        sizes.len()
    );
    Ok(out)
}
