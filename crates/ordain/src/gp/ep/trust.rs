//! Whether the digits of a fixed point hold.
//!
//! A covariance is known to its last digit and no better. Where the prior is far wider than the noise, and nearly singular, that
//! digit may decide. Or iterations creep, and stand still only as far as anyone can see. So where rounding could matter, EP runs
//! again: from other sites, with every prior covariance moved by its last digit at random. A belief that moves with it is refused.

use rand::RngExt;

use super::site::Site;
use super::{Conditioning, Ep, Others, State};
use crate::Result;
use crate::gp::{Functional, prior_too_wide};
use crate::numeric::dense::dot;
use crate::numeric::{Matrix, Seed, Stream};

/// The part of a variance, or of a standard deviation, that rounding may move without a check.
const HARMLESS: f64 = 1e-9;

/// The part of the largest mean or deviation that the last digits may move, unless EP itself is looser.
const MOST: f64 = 1e-7;

/// The relative size of a last digit. Sums of a few products have some of them.
const LAST_DIGIT: f64 = f64::EPSILON;

/// The part of a site by which the other start differs at most.
const ELSEWHERE: f64 = 0.01;

/// Runs with moved digits. With one, two wrong beliefs of three thousand problems stood still by chance.
const RUNS: u64 = 2;

/// Refuses a fixed point whose digits do not hold, and what it says of other items. `prior` is the covariance of the coordinates, and
/// `converge` goes to a fixed point, to a change of `tolerance`. Where the prior is very wide, the cost is that of EP twice more, and `n b²` operations for n other
/// items; else none.
///
/// # Errors
/// If they do not.
pub(super) fn check<T>(
    ep: &Ep,
    prior: &Matrix,
    tolerance: f64,
    converge: impl Fn(&mut State) -> Result<T>,
) -> Result<()> {
    /// A fixed point is off by some of the last change.
    const CHANGES: f64 = 10.0;
    let most = MOST.max(CHANGES * tolerance);
    let reaches = reaches(ep, prior);
    let state = &ep.state;
    let worst = |(axis, reach): (usize, &f64)| LAST_DIGIT * reach * reach / prior[(axis, axis)];
    let digits = reaches.iter().enumerate().map(worst).filter(|part| part.is_finite()).fold(0.0, f64::max);
    // Least squares do not add up precisions. Conditioning does.
    let adds_precisions = !state.is_careful() || ep.others.is_some();
    if adds_precisions && state.rounding_of_precisions() > MOST {
        return Err(prior_too_wide());
    }
    if state.rounding().max(digits) <= HARMLESS && !state.is_careful() {
        return Ok(());
    }
    let (means, deviations) = of_items(ep, state, ep.others.as_ref().map(|others| others.conditioning.as_ref()));
    let spread = largest(&deviations);
    let unit = largest(&means).max(spread);
    let stand = |one: &[f64], other: &[f64], unit: f64| {
        one.iter().zip(other).all(|(one, other)| (one - other).abs() <= most * unit)
    };
    for run in 0..RUNS {
        let mut stream = Seed(0).stream(run);
        let moved_prior = moved(prior, &reaches, &mut stream);
        let mut again = state.elsewhere(moved_prior.clone(), |site| {
            let part = 1.0 + ELSEWHERE * stream.random::<f64>();
            Site { precision: part * site.precision, shift: part * site.shift }
        })?;
        converge(&mut again)?;
        let conditioning = match &ep.others {
            Some(_) => Some(Conditioning::new(&again, &moved_prior)?),
            None => None,
        };
        let (moved_means, moved_deviations) = of_items(ep, &again, conditioning.as_ref());
        if !stand(&means, &moved_means, unit) || !stand(&deviations, &moved_deviations, spread) {
            return Err(prior_too_wide());
        }
    }
    // Last digits of the covariances of items with coordinates, each with its own sign.
    let Some(others) = &ep.others else { return Ok(()) };
    let digits = LAST_DIGIT * others.conditioning.weight_along(&reaches) * largest(&others.prior).sqrt();
    if digits <= MOST * unit { Ok(()) } else { Err(prior_too_wide()) }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

/// The items' means, less the prior's, and their deviations.
fn of_items(ep: &Ep, state: &State, conditioning: Option<&Conditioning>) -> (Vec<f64>, Vec<f64>) {
    let own = state.coordinates().map(|(mean, variance)| (mean, variance.sqrt()));
    let (Some(others), Some(conditioning)) = (&ep.others, conditioning) else { return own.unzip() };
    let (mut means, mut deviations) = (conditioning.means(&others.columns), others.deviations_under(conditioning));
    for (axis, (mean, deviation)) in ep.basis.iter().zip(own) {
        if let Functional::Item(item) = axis {
            (means[*item as usize], deviations[*item as usize]) = (mean, deviation);
        }
    }
    (means, deviations)
}

/// The sum of the prior deviations of every coordinate's items.
fn reaches(ep: &Ep, prior: &Matrix) -> Vec<f64> {
    let deviation = |axis: usize, item: u32| match &ep.others {
        Some(others) => others.prior[item as usize].sqrt(),
        None => prior[(axis, axis)].sqrt(),
    };
    let reach = |(axis, functional): (usize, &Functional)| {
        functional.terms().map(|(item, factor)| factor.abs() * deviation(axis, item)).sum()
    };
    ep.basis.iter().enumerate().map(reach).collect()
}

/// A symmetric matrix with every entry moved by the last digit of what it was found from.
fn moved(prior: &Matrix, reaches: &[f64], stream: &mut Stream) -> Matrix {
    let mut out = prior.clone();
    for column in 0..prior.columns() {
        for row in 0..=column {
            let digit = LAST_DIGIT * reaches[row] * reaches[column] * stream.random_range(-1.0..1.0);
            out[(row, column)] += digit;
            out[(column, row)] = out[(row, column)];
        }
    }
    out
}

impl Others {
    /// The items' standard deviations. `n b²` operations.
    fn deviations_under(&self, conditioning: &Conditioning) -> Vec<f64> {
        /// Items at a time.
        const TOGETHER: usize = 1024;
        let (n, b) = (self.columns.rows(), self.columns.columns());
        let mut out = Vec::with_capacity(n);
        for from in (0..n).step_by(TOGETHER) {
            let count = TOGETHER.min(n - from);
            let covariances = Matrix::from_fn(b, count, |axis, at| self.columns[(from + at, axis)]);
            let reduction = conditioning.reduction(&covariances);
            let left = |at: usize| self.prior[from + at] - dot(reduction.column(at), reduction.column(at));
            out.extend((0..count).map(|at| left(at).max(0.0).sqrt()));
        }
        out
    }
}
