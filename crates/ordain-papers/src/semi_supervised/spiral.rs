//! `ssgp-spiral`: SSGP's figure 1, one answer about the two ends of a spiral.

use std::fmt::Write;
use std::sync::Arc;

use ordain::Result;
use ordain::data::{Attributes, ItemId, Items, Newcomers};
use ordain::gp::{AnswerModel, Belief, EpParams};
use ordain::kernel::{build, build_with_newcomers};
use ordain_plot::{Contours, html};
use serde::{Deserialize, Serialize};

use super::{PAPER, Prior};
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::{Findings, Gist};
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;

pub const EXPERIMENT: Experiment = Experiment {
    name: "ssgp-spiral",
    title: "One answer about a spiral, with and without its unlabelled points",
    paper: PAPER,
    figure: "figure 1",
    duration: "a second",
    claim: "Semi-supervised Gaussian processes capture the density of the points, which changes the ranking function and its error bars.",
    setting: "35 points along a spiral, one labelled pair; kappa_o = 0.25, kappa = 4, sigma² = 0.01, a graph of 3 nearest neighbours. \
              Contours of the ranking function, supervised and semi-supervised, and of its error bars.",
    design: &[
        "No data. Point i of 0 to 34 is at the angle θ = √((π/2)² + ((3π)² - (π/2)²) i/34) and the radius θ/8, so points are evenly \
         spaced along the spiral. The answer is: 0 before 34.",
        "The functions are those of unseen points on a grid, under the belief after the answer.",
    ],
    differences: &["The paper does not print the points; these are its spiral as drawn."],
    data: &[],
    settings: 1,
    program: &Spiral,
};

struct Spiral;

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    points: usize,
    /// Points of the grid, along each side.
    grid: usize,
}

const PLAN: Plan = Plan { points: 35, grid: 81 };

/// The grid goes from minus to plus this.
const REACH: f64 = 1.6;

const KAPPA_O: f64 = 0.25;
const KAPPA: f64 = 4.0;
const NOISE: f64 = 0.1;

impl Program for Spiral {
    fn compute(&self, job: &Job<'_>, _: &mut dyn FnMut(Progress)) -> Result<()> {
        Record { general: job.general.clone(), plan: PLAN }.claim(&job.place.record())?;
        let mut journal = Journal::open(&job.place.file(".csv"), layout())?;
        let [supervised, semi_supervised] = Prior::ALL.map(believed);
        let (supervised, semi_supervised) = (supervised?, semi_supervised?);
        let row = |at: usize| {
            let ((x, y), (mean, sd), (warped, warped_sd)) = (place(at), supervised[at], semi_supervised[at]);
            Ok([x, y, mean, sd, warped, warped_sd].map(Some).to_vec())
        };
        journal.complete(0..supervised.len(), row, |_| {})
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        Ok(layout().read_finished(&place.file(".csv"))?.map(|rows| findings(&rows)))
    }
}

fn layout() -> Layout {
    let columns = ["place", "number", "x", "y", "mean", "sd", "warped_mean", "warped_sd"].map(str::to_owned).to_vec();
    let grid = PLAN.grid * PLAN.grid;
    let keys = (0..PLAN.points).map(|at| format!("point,{at}")).chain((0..grid).map(|at| format!("grid,{at}")));
    Layout { columns, keys: keys.collect() }
}

/// The points of the spiral, then those of the grid, row by row from the bottom.
fn place(at: usize) -> (f64, f64) {
    let Some(on_grid) = at.checked_sub(PLAN.points) else {
        let pi = std::f64::consts::PI;
        let (first, last) = ((pi / 2.0).powi(2), (3.0 * pi).powi(2));
        let theta = (first + (last - first) * at as f64 / (PLAN.points - 1) as f64).sqrt();
        return (theta / 8.0 * theta.cos(), theta / 8.0 * theta.sin());
    };
    let on_line = |step: usize| REACH * (2.0 * step as f64 / (PLAN.grid - 1) as f64 - 1.0);
    (on_line(on_grid % PLAN.grid), on_line(on_grid / PLAN.grid))
}

fn items(places: std::ops::Range<usize>) -> Result<Items> {
    let values = places.clone().map(place).flat_map(|(x, y)| [x, y]).collect();
    let attributes = Attributes::new(vec!["x".into(), "y".into()], places.len(), values)?;
    Items::new(places.map(|at| at.to_string()).collect(), None, attributes)
}

/// Mean and deviation at every place after the answer.
fn believed(prior: Prior) -> Result<Vec<(f64, f64)>> {
    let all = PLAN.points + PLAN.grid * PLAN.grid;
    let (points, grid) = (items(0..PLAN.points)?, items(PLAN.points..all)?);
    let kernels = [prior.kernel(KAPPA_O, KAPPA)];
    let kernel = Arc::new(build(&kernels, &points, &[])?);
    let answer = AnswerModel::new(NOISE, 0.0)?.preferred(ItemId::new(0), ItemId::new(PLAN.points - 1));
    let belief = EpParams::default().fit(kernel, &[answer])?;
    let newcomers = Newcomers::new(&points, &[], points.joined(&grid)?, Vec::new())?;
    let belief = belief.with_newcomers(Arc::new(build_with_newcomers(&kernels, &newcomers)?))?;
    Ok(belief.mean().iter().zip(belief.variances()).map(|(&mean, variance)| (mean, variance.sqrt())).collect())
}

/// The share of pairs that are in the order of the spiral.
fn right(means: &[f64]) -> f64 {
    let pairs = || (0..means.len()).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
    pairs().filter(|&(earlier, later)| means[earlier] > means[later]).count() as f64 / pairs().count() as f64
}

fn findings(rows: &[Row]) -> Findings {
    let column = |column: usize| rows.iter().map(|row| row[column].unwrap_or(f64::NAN)).collect::<Vec<f64>>();
    let [supervised, warped] = [2, 4].map(|mean| column(mean)[..PLAN.points].to_vec());
    let ends = |means: &[f64]| [means[0], means[PLAN.points - 1]].map(|mean| format!("{mean:.5}"));
    let row = |prior: Prior, means: &[f64]| {
        let [first, last] = ends(means);
        vec![prior.name().to_owned(), format!("{:.3}", right(means)), first, last]
    };
    let header = ["prior", "pairs in order", "mean of point 0", "mean of point 34"];
    let gist = Gist {
        title: "The order of 35 points after the answer \"0 before 34\"".into(),
        header: header.map(str::to_owned).to_vec(),
        rows: vec![row(Prior::Supervised, &supervised), row(Prior::SemiSupervised, &warped)],
        note: String::new(),
    };
    let points: Vec<(f64, f64)> = (0..PLAN.points).map(place).collect();
    let picture = |title: &str, values: Vec<f64>| {
        let ends = [0, PLAN.points - 1].map(|at| (points[at].0, points[at].1, at.to_string()));
        Contours {
            title: title.into(),
            names: ["First attribute", "Second attribute"].map(str::to_owned),
            across: (-REACH, REACH),
            up: (-REACH, REACH),
            rows: values[PLAN.points..].chunks(PLAN.grid).map(<[f64]>::to_vec).collect(),
            points: points.clone(),
            marked: ends.to_vec(),
        }
        .draw()
    };
    let pictures = [
        ("supervised", 2, "Supervised: mean", "The mean utility without the graph."),
        ("semi-supervised", 4, "Semi-supervised: mean", "The mean utility with the graph of neighbours."),
        ("error-bars", 5, "Semi-supervised: standard deviation", "Its standard deviation."),
    ]
    .map(|(name, at, title, caption)| (name, picture(title, column(at)), caption));
    let mut measured = html::figures(pictures.iter().map(|(_, svg, caption)| (svg.as_str(), *caption)));
    let _ = writeln!(measured, "{}", html::table("The order of the points.", &header, &gist.rows));
    let comparison = format!(
        "<p>With the graph {:.1} % of the pairs are in the order of the spiral, without it {:.1} %. The paper shows the same by pictures \
         alone.</p>",
        100.0 * right(&warped),
        100.0 * right(&supervised)
    );
    Findings {
        gist,
        measured,
        how: format!("<p>{} points and a grid of {} by {}.</p>", PLAN.points, PLAN.grid, PLAN.grid),
        comparison,
        files: pictures.into_iter().map(|(name, svg, _)| (format!("-{name}.svg"), svg)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of a reference implementation, to the digits that it states.
    #[test]
    fn figures_of_the_spiral() {
        let means = |prior| believed(prior).unwrap().into_iter().map(|(mean, _)| mean).collect::<Vec<f64>>();
        let warped = means(Prior::SemiSupervised);
        assert_eq!(right(&warped[..PLAN.points]), 1.0);
        assert!((warped[0] - 0.25431).abs() < 1e-5 && (warped[PLAN.points - 1] + 0.23080).abs() < 1e-5);
        assert!((right(&means(Prior::Supervised)[..PLAN.points]) - 0.726).abs() < 0.002);
    }

    /// Far from all points, what is believed is the prior.
    #[test]
    fn far_away() {
        let (x, y) = place(PLAN.points);
        assert_eq!((x, y), (-REACH, -REACH));
        for prior in Prior::ALL {
            let (mean, sd) = believed(prior).unwrap()[PLAN.points];
            // The nearest point is 1.5 away, where the kernel is kappa_o exp(-2 · 1.5²).
            assert!(mean.abs() < 0.01 && (sd - KAPPA_O.sqrt()).abs() < 0.01, "{mean} {sd}");
        }
    }
}
