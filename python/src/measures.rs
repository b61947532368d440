//! How good rankings are, from arrays.

use std::ops::Range;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1};
use ordain::measure::{self, JudgedList, Measure, Ties};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::failure::{Outcome, unfit};
use crate::learners::ranges;
use crate::long::quick;

/// The names of all measures, each with one line about it.
#[pyfunction]
pub fn measure_names() -> Vec<(String, String)> {
    Measure::all().iter().map(|measure| (measure.name().to_owned(), measure.description().to_owned())).collect()
}

/// Every measure of every query: one row per query. The documents of a query stand together; `ends` says where each ends. `judged` are the
/// grades of all judged documents of every query with their ends, if not all of them are here, and `named` says which documents are judged.
#[pyfunction]
#[pyo3(signature = (scores, grades, ends, names, ties, judged=None, named=None))]
#[expect(clippy::too_many_arguments, reason = "one call from one place, with names")]
pub fn evaluate<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray1<'py, f64>,
    grades: PyReadonlyArray1<'py, i32>,
    ends: PyReadonlyArray1<'py, i64>,
    names: Vec<String>,
    ties: &str,
    judged: Option<(PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i64>)>,
    named: Option<PyReadonlyArray1<'py, bool>>,
) -> Outcome<Bound<'py, PyArray2<f64>>> {
    let measures = names.iter().map(|name| name.parse::<Measure>()).collect::<ordain::Result<Vec<_>>>()?;
    let ties: Ties = ties.parse()?;
    let (scores, grades) = (slice(&scores)?, slice(&grades)?);
    let ranges = ranges(&ends, scores.len())?;
    if grades.len() != scores.len() {
        return Err(unfit("grades", grades.len().to_string(), format!("{}, one per score", scores.len())));
    }
    let judged = match &judged {
        None => None,
        Some((grades, ends)) => Some((slice(grades)?, crate::learners::ranges(ends, slice(grades)?.len())?)),
    };
    let named = named.as_ref().map(slice).transpose()?;
    if judged.as_ref().is_some_and(|(_, of)| of.len() != ranges.len())
        || named.is_some_and(|of| of.len() != scores.len())
    {
        return Err(unfit("judgements", "other lengths", "one list per query, and one word per document"));
    }
    let rows = quick(py, || {
        let one = |(at, range): (usize, &Range<usize>)| -> ordain::Result<Vec<f64>> {
            let (scores, grades) = (&scores[range.clone()], &grades[range.clone()]);
            let all = match &judged {
                Some((judged, ranges)) => &judged[ranges[at].clone()],
                None => grades,
            };
            let known = all.iter().copied();
            let mut list = match ties {
                Ties::Expected => JudgedList::tied(scores, grades, known)?,
                _ => JudgedList::given(scores, grades, known)?,
            };
            if let Some(named) = named {
                // In the order of the list: by falling score.
                let mut order: Vec<usize> = range.clone().collect();
                let score = |&at: &usize| scores[at - range.start];
                order.sort_by(|a, b| score(b).partial_cmp(&score(a)).unwrap_or(std::cmp::Ordering::Equal));
                list = list.with_named(order.into_iter().map(|at| named[at]).collect())?;
            }
            measures.iter().map(|measure| measure.of(&list)).collect()
        };
        Ok(ranges.par_iter().enumerate().map(|(at, range)| one((at, range))).collect::<ordain::Result<Vec<_>>>()?)
    })?;
    let shape = (rows.len(), measures.len());
    let values: Vec<f64> = rows.into_iter().flatten().collect();
    let array = Array2::from_shape_vec(shape, values);
    Ok(array.map_err(|error| unfit("measures", error.to_string(), "one row per query"))?.into_pyarray(py))
}

/// The caller's memory.
fn slice<'a, T: numpy::Element>(array: &'a PyReadonlyArray1<'_, T>) -> Outcome<&'a [T]> {
    array.as_slice().map_err(|_| unfit("an array", "one in pieces", "one in a row"))
}

/// How two lists of numbers agree, by the name of a measure.
#[pyfunction]
pub fn agreement(name: &str, first: PyReadonlyArray1<'_, f64>, second: PyReadonlyArray1<'_, f64>) -> Outcome<f64> {
    let (first, second) = (first.as_array().to_vec(), second.as_array().to_vec());
    Ok(match name {
        "kendall_tau_a" => measure::kendall_tau_a(&first, &second)?,
        "kendall_tau_b" => measure::kendall_tau_b(&first, &second)?,
        "spearman_rho" => measure::spearman_rho(&first, &second)?,
        "footrule" => measure::footrule(&first, &second)?,
        "normalised_footrule" => measure::normalised_footrule(&first, &second)?,
        "pair_error" => measure::pair_error(&first, &second)?,
        "auc" => measure::auc(&first, &second.iter().map(|&one| one != 0.0).collect::<Vec<_>>())?,
        other => return Err(unfit("a measure of agreement", other, "one that is known")),
    })
}

/// Tests whether two lists of numbers differ: the statistic and the p-value.
#[pyfunction]
pub fn significance(
    name: &str,
    first: PyReadonlyArray1<'_, f64>,
    second: PyReadonlyArray1<'_, f64>,
    draws: usize,
    seed: u64,
) -> Outcome<(f64, f64)> {
    let (first, second) = (first.as_array().to_vec(), second.as_array().to_vec());
    let found = match name {
        "paired_t_test" => measure::paired_t_test(&first, &second)?,
        "signed_rank_test" => measure::signed_rank_test(&first, &second)?,
        "rank_sum_test" => measure::rank_sum_test(&first, &second)?,
        "randomisation_test" => measure::randomisation_test(&first, &second, draws, ordain::numeric::Seed(seed))?,
        other => return Err(unfit("a test", other, "one that is known")),
    };
    Ok((found.statistic, found.p))
}

/// Holm's correction of p-values for their number.
#[pyfunction]
pub fn holm(p_values: Vec<f64>) -> Outcome<Vec<f64>> {
    Ok(measure::holm(&p_values)?)
}

/// Bounds on the error of a bipartite ranking from its ratings: by a finite class of functions.
#[pyfunction]
pub fn hoeffding_slack(samples: usize, functions: usize, delta: f64) -> Outcome<f64> {
    Ok(measure::hoeffding_slack(samples, functions, delta)?)
}

/// A bound on the error of every function of a finite class on items with these ratings.
#[pyfunction]
pub fn rating_slack(ratings: Vec<u32>, alpha: f64, ln_functions: f64, delta: f64) -> Outcome<f64> {
    Ok(measure::RatingCounts::of(&ratings)?.finite_class_slack(alpha, ln_functions, delta)?)
}
