//! What is known of items before any answer.

use super::{Attributes, Groups, Scale};
use crate::{Error, Result};

/// Columns of numbers whose weighted sum is the prior mean of the utilities: a search engine's score, last year's
/// rating, a ranker's output.
///
/// ```
/// use ordain::data::{Attributes, Prior};
///
/// let score = Attributes::new(vec!["score".into()], 3, vec![0.5, -1.0, 2.0])?;
/// assert_eq!(Prior::new(score)?.with_weights(vec![2.0])?.mean(), [1.0, -2.0, 4.0]);
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Prior {
    columns: Attributes,
    weights: Vec<f64>,
}

impl Prior {
    /// These columns, each with weight 1.
    ///
    /// # Errors
    /// If there is no column.
    pub fn new(columns: Attributes) -> Result<Self> {
        if columns.is_empty() {
            return Err(Error::Data {
                what: "the columns of a prior",
                found: "none".into(),
                expected: "at least one".into(),
            });
        }
        let weights = vec![1.0; columns.len()];
        Ok(Self { columns, weights })
    }

    /// The same columns with these weights. They may be negative or 0.
    ///
    /// # Errors
    /// If there are not as many weights as columns, a weight is not finite, or an item's mean is not finite.
    pub fn with_weights(self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.columns.len() {
            return Err(Error::Data {
                what: "the weights of a prior",
                found: weights.len().to_string(),
                expected: format!("{}, one per column", self.columns.len()),
            });
        }
        if let Some(at) = weights.iter().position(|weight| !weight.is_finite()) {
            let name = Self::parameter(at);
            return Err(Error::Parameter { name, value: weights[at], expected: "a finite number" });
        }
        let out = Self { weights, ..self };
        match out.mean().into_iter().find(|mean| !mean.is_finite()) {
            Some(found) => Err(Error::Data {
                what: "the prior mean of an item",
                found: found.to_string(),
                expected: "a finite number".into(),
            }),
            None => Ok(out),
        }
    }

    /// The columns.
    pub fn columns(&self) -> &Attributes {
        &self.columns
    }

    /// The weights, one per column.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The prior mean of every item's utility.
    pub fn mean(&self) -> Vec<f64> {
        let mean = |item| self.columns.row(item).iter().zip(&self.weights).map(|(value, weight)| value * weight).sum();
        (0..self.columns.items()).map(mean).collect()
    }

    /// Columns of mean 0 and standard deviation 1, within each group if there are groups, with the same weights.
    ///
    /// # Errors
    /// If a column is constant within every group and so says nothing ([`Error::ConstantAttributes`]).
    pub fn standardized(self, groups: Option<&Groups>) -> Result<Self> {
        let scale = Scale::of(&self.columns, groups);
        let constant = self.columns.names().iter().enumerate().find(|(at, _)| scale.is_constant(*at));
        if let Some((_, name)) = constant.filter(|_| self.columns.items() > 1) {
            return Err(Error::ConstantAttributes { names: vec![name.clone()] });
        }
        Ok(Self { columns: self.columns.scaled(&scale, groups), ..self })
    }

    /// The same weights with the columns on this scale.
    #[must_use]
    pub fn scaled(self, scale: &Scale, groups: Option<&Groups>) -> Self {
        Self { columns: self.columns.scaled(scale, groups), ..self }
    }

    /// These items' columns, then the others'. The weights are those of these items.
    ///
    /// # Errors
    /// If the columns differ.
    pub(super) fn joined(&self, others: &Self) -> Result<Self> {
        Ok(Self { columns: self.columns.joined(&others.columns)?, weights: self.weights.clone() })
    }

    /// The name of a weight, such as `prior[0]`.
    pub fn parameter(column: usize) -> String {
        format!("prior[{column}]")
    }

    /// The column whose weight has this name; `None` if it is not the name of a weight.
    ///
    /// ```
    /// use ordain::data::Prior;
    /// assert_eq!(Prior::column_of("prior[3]"), Some(3));
    /// assert_eq!(Prior::column_of("kernel[0].weight"), None);
    /// ```
    pub fn column_of(parameter: &str) -> Option<usize> {
        parameter.strip_prefix("prior[")?.strip_suffix(']')?.parse().ok()
    }
}
