//! Means with their standard errors.

/// A mean and its standard error.
///
/// ```
/// let found = ordain::measure::Mean::of(&[1.0, 2.0, 6.0]);
/// // The standard deviation is √7.
/// assert_eq!((found.value, found.error), (3.0, (7.0_f64 / 3.0).sqrt()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Its standard error; 0 for a single value.
    pub error: f64,
}

impl Mean {
    /// The mean of values, of which there is at least one. O(n).
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let value = mean(values);
        let squares: f64 = values.iter().map(|other| (other - value) * (other - value)).sum();
        let error = if values.len() > 1 { (squares / (count - 1.0) / count).sqrt() } else { 0.0 };
        Self { value, error }
    }
}

/// The mean of values, 0 of none. O(n).
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
