//! Errors of predicted values, labels and probabilities.
//!
//! All functions refuse slices of different lengths, empty slices and numbers that are not finite, with
//! [`Error::Data`](crate::Error::Data).

use super::ranks::{check_at_least, check_finite, check_lengths, compare, unusable};
use crate::{Error, Result};

fn check_some(first: usize, second: usize) -> Result<()> {
    check_lengths("predictions and truth", first, second)?;
    check_at_least("predictions", first, 1)
}

/// The mean of the absolute differences. O(n).
///
/// # Errors
///
/// Different lengths, nothing at all, numbers not finite.
pub fn mean_absolute_error(predicted: &[f64], truth: &[f64]) -> Result<f64> {
    check_some(predicted.len(), truth.len())?;
    check_finite("predictions", predicted)?;
    check_finite("truth", truth)?;
    let total: f64 = predicted.iter().zip(truth).map(|(a, b)| (a - b).abs()).sum();
    check_finite("sum of errors", &[total])?;
    Ok(total / predicted.len() as f64)
}

/// The share of wrong labels. O(n).
///
/// # Errors
///
/// Different lengths, nothing at all.
pub fn zero_one_error<T: PartialEq>(predicted: &[T], truth: &[T]) -> Result<f64> {
    check_some(predicted.len(), truth.len())?;
    let wrong = predicted.iter().zip(truth).filter(|(a, b)| a != b).count();
    Ok(wrong as f64 / predicted.len() as f64)
}

/// How probabilities are grouped for a comparison with the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bins {
    /// This many intervals of equal width. Each holds its lower end; the last also holds its upper end.
    EqualWidth(usize),
    /// This many groups of about equal size, in the order of probability. Equal probabilities stay together, in the
    /// group of the first of them, so the order of the items does not matter.
    EqualCount(usize),
}

/// The expected calibration error: the gap between the average probability and the frequency of the event in an item's
/// bin, averaged over all items. O(n log n).
///
/// ```
/// use ordain::measure::{Bins, expected_calibration_error};
/// let error = expected_calibration_error(&[0.75, 0.75, 0.25], &[true, false, false], Bins::EqualWidth(2))?;
/// assert_eq!(error, 0.25);
/// # Ok::<(), ordain::Error>(())
/// ```
///
/// # Errors
///
/// Different lengths, nothing at all, a probability outside 0 to 1, no bins.
pub fn expected_calibration_error(probabilities: &[f64], happened: &[bool], bins: Bins) -> Result<f64> {
    check_some(probabilities.len(), happened.len())?;
    if let Some(at) = probabilities.iter().position(|p| !(0.0..=1.0).contains(p)) {
        return Err(unusable("probabilities", format!("{} at position {at}", probabilities[at]), "between 0 and 1"));
    }
    let (Bins::EqualWidth(count) | Bins::EqualCount(count)) = bins;
    if count == 0 {
        return Err(Error::Parameter { name: "bins".to_owned(), value: 0.0, expected: "1 or more" });
    }
    let mut items: Vec<(f64, bool)> = probabilities.iter().copied().zip(happened.iter().copied()).collect();
    // Every group is a run of the ordered items.
    items.sort_by(|a, b| compare(&a.0, &b.0));
    let labels: Vec<usize> = match bins {
        Bins::EqualWidth(_) => items.iter().map(|item| ((item.0 * count as f64) as usize).min(count - 1)).collect(),
        Bins::EqualCount(_) => equal_count_labels(&items, count),
    };
    let mut total = 0.0;
    let mut start = 0;
    for label in labels.chunk_by(|a, b| a == b) {
        let bin = &items[start..start + label.len()];
        start += label.len();
        let expected: f64 = bin.iter().map(|item| item.0).sum();
        let events = bin.iter().filter(|item| item.1).count();
        total += (expected - events as f64).abs();
    }
    Ok(total / items.len() as f64)
}

/// The group of every item, in ascending order of probability.
fn equal_count_labels(sorted: &[(f64, bool)], count: usize) -> Vec<usize> {
    let mut labels = Vec::with_capacity(sorted.len());
    for run in sorted.chunk_by(|a, b| a.0 == b.0) {
        // Wide, as both factors may be large.
        let label = labels.len() as u128 * count as u128 / sorted.len() as u128;
        labels.resize(labels.len() + run.len(), label as usize);
    }
    labels
}
