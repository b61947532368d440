//! Means with their standard errors.

/// A mean over queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Its standard error; 0 for a single value.
    pub error: f64,
}

impl Mean {
    /// The mean of these values, of which there must be at least one.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let value = mean(values);
        let spread: f64 = values.iter().map(|other| (other - value).powi(2)).sum();
        let error = if values.len() > 1 { (spread / (count - 1.0) / count).sqrt() } else { 0.0 };
        Self { value, error }
    }
}

/// The mean of values; 0 if there are none.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
