//! `ssgp-boston`: SSGP's figure 2, which of two houses is dearer.

use std::fmt::Write;
use std::sync::Arc;

use ordain::Result;
use ordain::active::{BeliefKind, Session, SessionParams, Strategy};
use ordain::data::{Answer, ItemId, Items, Outcome};
use ordain::gp::AnswerModel;
use ordain::kernel::{Kernel, build};
use ordain::measure::Mean;
use ordain::numeric::Seed;
use ordain_plot::{Across, Lines, Range, Series, html};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::{PAPER, Prior};
use crate::collections::boston::{self, FILE};
use crate::experiment::{Experiment, Job, Place, Program, Progress};
use crate::findings::{Findings, Gist};
use crate::journal::{Journal, Layout, Row};
use crate::record::Record;
use crate::stream::Phase;

pub const EXPERIMENT: Experiment = Experiment {
    name: "ssgp-boston",
    title: "Which house is dearer: pairs chosen by entropy or at random",
    paper: PAPER,
    figure: "figure 2",
    duration: "a minute",
    claim: "Pairs chosen by expected entropy do much better than random ones, supervised and semi-supervised. Semi-supervised learning is \
            slightly better than supervised learning after 30 pairs.",
    setting: "Boston Housing, 506 houses and 13 attributes; a pool of 1,000 random pairs; kappa_o = kappa = 0.0625, sigma² = 0.001, 3 \
              neighbours; error on all pairs, mean of 20 trials.",
    design: &[
        "The same data and numbers. Attributes are standardized. After every answer EP learns all of them anew. Every trial has a pool of \
         its own, which all four ways share.",
        "Pairs of equal price are neither asked nor counted.",
    ],
    differences: &[
        "The paper counts 127,765 pairs, which are all, equal prices included; it does not say how those count.",
        "It does not say how attributes are scaled.",
    ],
    data: &[FILE],
    settings: 1,
    program: &Boston,
};

struct Boston;

const KAPPA_O: f64 = 0.0625;
const KAPPA: f64 = 0.0625;

/// Pairs in a pool.
const POOL: usize = 1000;

/// Pairs that are asked, and the counts after which the error is measured.
const ASKED: usize = 100;
const EVERY: usize = 5;

/// The counts that the tables show.
const SHOWN: [usize; 4] = [10, 30, 50, 100];

/// The ways to choose.
const WAYS: [(&str, Strategy); 2] = [("entropy", Strategy::Entropy), ("random", Strategy::Random)];

/// What the results are made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    trials: usize,
    houses: usize,
    /// Pairs of different price.
    pairs: usize,
}

impl Plan {
    fn layout(&self) -> Layout {
        let counts = (EVERY..=ASKED).step_by(EVERY).map(|count| format!("after_{count}"));
        let columns = ["prior", "choice", "trial"].into_iter().map(str::to_owned).chain(counts).collect();
        let key = |at: usize| {
            let (prior, way) = self.cell(at);
            format!("{},{},{}", prior.name(), WAYS[way].0, at % self.trials + 1)
        };
        Layout { columns, keys: (0..Prior::ALL.len() * WAYS.len() * self.trials).map(key).collect() }
    }

    fn cell(&self, row: usize) -> (Prior, usize) {
        let cell = row / self.trials;
        (Prior::ALL[cell / WAYS.len()], cell % WAYS.len())
    }
}

impl Program for Boston {
    fn compute(&self, job: &Job<'_>, watch: &mut dyn FnMut(Progress)) -> Result<()> {
        let (items, prices) = boston::read(job.data)?;
        let trials = if job.options.quick { 2 } else { 20 };
        let plan = Plan { trials, houses: items.len(), pairs: different(&prices).count() };
        Record { general: job.general.clone(), plan: plan.clone() }.claim(&job.place.record())?;
        let mut journal = Journal::open(&job.place.file(".csv"), plan.layout())?.in_batches_of(4);
        let total = plan.layout().keys.len();
        watch(Progress { stage: "measuring", done: journal.done(), total });
        let kernels = Prior::ALL.map(|prior| kernel(prior, &items));
        let [supervised, semi_supervised] = kernels;
        let kernels = [supervised?, semi_supervised?];
        let compute = |at: usize| {
            let (prior, way) = plan.cell(at);
            let trial = Trial { prices: &prices, number: at % trials, seed: job.options.seed };
            trial.errors(&kernels[usize::from(prior == Prior::SemiSupervised)], WAYS[way].1)
        };
        journal.complete(0..total, compute, |done| watch(Progress { stage: "measuring", done, total }))
    }

    fn findings(&self, place: Place<'_>) -> Result<Option<Findings>> {
        let Some(Record { plan, .. }) = Record::<Plan>::read(&place.record())? else { return Ok(None) };
        let rows = plan.layout().read_finished(&place.file(".csv"))?;
        Ok(rows.map(|rows| findings(&plan, &rows)))
    }
}

fn kernel(prior: Prior, items: &Items) -> Result<Arc<dyn Kernel>> {
    Ok(Arc::new(build(&[prior.kernel(KAPPA_O, KAPPA)], items, &[])?))
}

/// All pairs of different price.
fn different(prices: &[f64]) -> impl Iterator<Item = (usize, usize)> {
    let pairs = (0..prices.len()).flat_map(|one| (0..one).map(move |other| (other, one)));
    pairs.filter(|&(one, other)| prices[one] != prices[other])
}

/// One trial: a pool of pairs, from which some are asked.
struct Trial<'a> {
    prices: &'a [f64],
    number: usize,
    seed: Seed,
}

impl Trial<'_> {
    /// Random pairs of different price, none twice.
    fn pool(&self) -> Vec<(ItemId, ItemId)> {
        let mut stream = self.seed.stream(Phase::Measuring.of_match(0, self.number));
        let mut pool = std::collections::BTreeSet::new();
        while pool.len() < POOL {
            let [one, other] = [(); 2].map(|()| stream.random_range(0..self.prices.len()));
            if self.prices[one] != self.prices[other] {
                pool.insert((ItemId::new(one.min(other)), ItemId::new(one.max(other))));
            }
        }
        pool.into_iter().collect()
    }

    /// The errors after so many answers.
    fn errors(&self, kernel: &Arc<dyn Kernel>, strategy: Strategy) -> Result<Row> {
        let seed = Seed(self.seed.0 ^ Phase::Measuring.of_match(1, self.number));
        let params = SessionParams::new(strategy).with_belief(BeliefKind::GpFull).with_seed(seed);
        let model = AnswerModel::new(0.001_f64.sqrt(), 0.0)?;
        let mut session = Session::new(kernel.clone(), None, model, params)?.with_pool(&self.pool())?;
        let mut row = Row::new();
        for count in 1..=ASKED {
            if let Some(question) = session.ask()? {
                let dearer = self.prices[question.first.index()] > self.prices[question.second.index()];
                let outcome = if dearer { Outcome::First } else { Outcome::Second };
                session.tell(Answer::new(question.first, Some(question.second), outcome)?)?;
            }
            if count.is_multiple_of(EVERY) {
                row.push(Some(error(self.prices, session.belief().mean())));
            }
        }
        Ok(row)
    }
}

/// The share of pairs of different price that these utilities order wrongly. Equal utilities are half wrong.
fn error(prices: &[f64], utilities: &[f64]) -> f64 {
    let (mut wrong, mut all) = (0.0, 0.0);
    for (one, other) in different(prices) {
        let agree = (prices[one] - prices[other]) * (utilities[one] - utilities[other]);
        wrong += if agree < 0.0 { 1.0 } else { f64::from(u8::from(agree == 0.0)) / 2.0 };
        all += 1.0;
    }
    wrong / all
}

/// Errors of every prior and way, after every count that is measured.
fn means(plan: &Plan, rows: &[Row]) -> Vec<(String, Vec<Mean>)> {
    let cell = |rows: &[Row], at: usize| {
        let (prior, way) = plan.cell(at * plan.trials);
        let of = |column: usize| Mean::of(&rows.iter().map(|row| row[column].unwrap_or(f64::NAN)).collect::<Vec<_>>());
        (format!("{}, {}", prior.name(), WAYS[way].0), (0..ASKED / EVERY).map(of).collect())
    };
    rows.chunks(plan.trials).enumerate().map(|(at, rows)| cell(rows, at)).collect()
}

/// The semi-supervised error less the supervised one of the same trial, after every shown count, for a way.
fn gains(plan: &Plan, rows: &[Row], way: usize) -> Vec<Mean> {
    let at = |prior: usize, trial: usize| &rows[(prior * WAYS.len() + way) * plan.trials + trial];
    let of = |count: &usize| {
        let column = count / EVERY - 1;
        let number = |row: &Row| row[column].unwrap_or(f64::NAN);
        Mean::of(&(0..plan.trials).map(|trial| number(at(1, trial)) - number(at(0, trial))).collect::<Vec<_>>())
    };
    SHOWN.iter().map(of).collect()
}

fn findings(plan: &Plan, rows: &[Row]) -> Findings {
    let means = means(plan, rows);
    let shown = |means: &[Mean]| SHOWN.iter().map(|count| means[count / EVERY - 1]).collect::<Vec<Mean>>();
    let text = |mean: &Mean| format!("{:.3} ± {:.3}", mean.value, mean.error);
    let line = |(name, means): &(String, Vec<Mean>)| {
        [name.clone()].into_iter().chain(shown(means).iter().map(text)).collect::<Vec<String>>()
    };
    let header: Vec<String> =
        ["prior, choice".to_owned()].into_iter().chain(SHOWN.map(|count| format!("{count} pairs"))).collect();
    let gain = |way: usize| {
        let name = format!("semi-supervised less supervised, {}", WAYS[way].0);
        let signed = |mean: &Mean| format!("{:+.3} ± {:.3}", mean.value, mean.error).replace('-', "−");
        [name].into_iter().chain(gains(plan, rows, way).iter().map(signed)).collect::<Vec<String>>()
    };
    let table: Vec<Vec<String>> = means.iter().map(line).chain((0..WAYS.len()).map(gain)).collect();
    let series: Vec<Series> = means
        .iter()
        .map(|(name, means)| {
            // Without an answer all are equal, so half of the pairs are wrong.
            let begin = (0.0, Mean { value: 0.5, error: 0.0 });
            let points = means.iter().enumerate().map(|(at, mean)| (((at + 1) * EVERY) as f64, *mean));
            Series { title: name.clone(), points: std::iter::once(begin).chain(points).collect() }
        })
        .collect();
    let (low, high) = Range::of(&series);
    let across = Across::UpTo("Pairs asked".into(), ASKED);
    let up = Range::new("Share of pairs predicted wrongly", low, high);
    let svg = Lines { title: "Error on pairs of different price".into(), across, up, series }.draw();
    let mut measured =
        html::figures([(svg.as_str(), "Error on all pairs of different price, with its standard error.")]);
    let heads: Vec<&str> = header.iter().map(String::as_str).collect();
    let _ = writeln!(measured, "{}", html::table("Error and its standard error, over trials.", &heads, &table));
    Findings {
        comparison: comparison(&means, &gains(plan, rows, 0)),
        gist: Gist {
            title: "Share of pairs predicted wrongly".into(),
            header,
            rows: table,
            note: "means and standard errors over trials".into(),
        },
        measured,
        how: format!("<p>{} trials, {} houses, {} pairs of different price.</p>", plan.trials, plan.houses, plan.pairs),
        files: vec![(".svg".into(), svg)],
    }
}

fn comparison(means: &[(String, Vec<Mean>)], gains: &[Mean]) -> String {
    let last = |at: usize| means[at].1.last().map_or(f64::NAN, |mean| mean.value);
    let mut out = String::new();
    for (at, prior) in Prior::ALL.iter().enumerate() {
        let (entropy, random) = (last(at * WAYS.len()), last(at * WAYS.len() + 1));
        let name = prior.name();
        let _ = write!(
            out,
            "<p>{name}: after {ASKED} pairs the error is {entropy:.3} by entropy and {random:.3} at random.</p>"
        );
    }
    let after: Vec<String> = SHOWN
        .iter()
        .zip(gains)
        .map(|(count, gain)| format!("{:+.3} ± {:.3} after {count}", gain.value, gain.error))
        .collect();
    let _ = write!(
        out,
        "<p>By entropy, semi-supervised less supervised error: {} pairs. The paper says slightly better after 30.</p>",
        after.join(", ").replace('-', "−")
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_by_hand() {
        let prices = [3.0, 1.0, 1.0, 2.0];
        assert_eq!(different(&prices).count(), 5);
        assert_eq!(error(&prices, &prices), 0.0);
        assert_eq!(error(&prices, &[0.0; 4]), 0.5);
        // Of 0 over 1, 0 over 2, 3 over 1, 3 over 2 and 0 over 3, the last is wrong.
        assert_eq!(error(&prices, &[3.0, 1.0, 1.5, 4.0]), 0.2);
    }

    /// Pools have different pairs of different prices, and the same trial has the same pool.
    #[test]
    fn pools() {
        let prices: Vec<f64> = (0..80).map(|at| f64::from(at % 40)).collect();
        let trial = |number| Trial { prices: &prices, number, seed: Seed(1) }.pool();
        let pool = trial(0);
        assert!(pool.len() == POOL && pool.iter().all(|&(a, b)| a < b && prices[a.index()] != prices[b.index()]));
        assert!(pool == trial(0) && pool != trial(1));
    }
}
