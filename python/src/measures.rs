//! How good rankings are, from arrays.

use numpy::{PyArray2, PyReadonlyArray1};
use numpy::ndarray::Array2;
use numpy::IntoPyArray;
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

/// Every measure of every query: one row per query. The documents of a query stand together; `ends` says where each ends.
#[pyfunction]
pub fn evaluate<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray1<'py, f64>,
    grades: PyReadonlyArray1<'py, i32>,
    ends: PyReadonlyArray1<'py, i64>,
    names: Vec<String>,
    ties: &str,
) -> Outcome<Bound<'py, PyArray2<f64>>> {
    let measures = names.iter().map(|name| name.parse::<Measure>()).collect::<ordain::Result<Vec<_>>>()?;
    let ties: Ties = ties.parse()?;
    let ranges = ranges(&ends, scores.as_array().len())?;
    // A view of the caller's memory where it is contiguous.
    let (scores, grades) = (scores.as_array(), grades.as_array());
    let (scores, grades) = (scores.as_standard_layout(), grades.as_standard_layout());
    let (Some(scores), Some(grades)) = (scores.as_slice(), grades.as_slice()) else {
        return Err(unfit("scores", "an array in pieces", "one in a row"));
    };
    if grades.len() != scores.len() {
        return Err(unfit("grades", grades.len().to_string(), format!("{}, one per score", scores.len())));
    }
    let rows = quick(py, || {
        let one = |range: &std::ops::Range<usize>| -> ordain::Result<Vec<f64>> {
            let (scores, grades) = (&scores[range.clone()], &grades[range.clone()]);
            let judged = grades.iter().copied();
            let list = match ties {
                Ties::Expected => JudgedList::tied(scores, grades, judged)?,
                _ => JudgedList::given(scores, grades, judged)?,
            };
            measures.iter().map(|measure| measure.of(&list)).collect()
        };
        Ok(ranges.par_iter().map(one).collect::<ordain::Result<Vec<_>>>()?)
    })?;
    let shape = (rows.len(), measures.len());
    let values: Vec<f64> = rows.into_iter().flatten().collect();
    let array = Array2::from_shape_vec(shape, values).map_err(|error| unfit("measures", error.to_string(), "one per query"))?;
    Ok(array.into_pyarray(py))
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
