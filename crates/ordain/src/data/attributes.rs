//! The numbers that describe items.

use super::Groups;
use crate::{Error, Result};

/// A table of finite numbers, one row an item, one named column an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributes {
    names: Vec<String>,
    items: usize,
    /// Row by row: `items * names.len()` values.
    values: Vec<f64>,
}

impl Attributes {
    /// A table from values given row by row.
    ///
    /// # Errors
    /// If the number of values is not items times attributes, or a value is not finite.
    pub fn new(names: Vec<String>, items: usize, values: Vec<f64>) -> Result<Self> {
        if values.len() != items * names.len() {
            return Err(Error::Data {
                what: "attribute values",
                found: values.len().to_string(),
                expected: format!("{items} x {}", names.len()),
            });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::Data {
                what: "attribute values",
                found: format!("{} in row {} of {}", values[at], at / names.len(), names[at % names.len()]),
                expected: "finite numbers".into(),
            });
        }
        Ok(Self { names, items, values })
    }

    /// No attributes for this many items.
    pub fn none(items: usize) -> Self {
        Self { names: Vec::new(), items, values: Vec::new() }
    }

    /// The attributes' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The number of attributes.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether items have no attributes.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// One item's attributes.
    pub fn row(&self, item: usize) -> &[f64] {
        let width = self.names.len();
        &self.values[item * width..(item + 1) * width]
    }

    /// Every attribute shifted and scaled to mean 0 and standard deviation 1 (of the population, i.e. divided by the
    /// number of items), within each group where there are groups. An attribute that is constant within a group says
    /// nothing there and becomes 0.
    ///
    /// # Errors
    /// If there are attributes but every one is constant within every group, so that nothing would be left.
    pub fn standardized(&self, groups: Option<&Groups>) -> Result<Self> {
        let mut out = self.clone();
        let mut informative = self.is_empty() || self.items <= 1;
        let everything: Vec<usize> = (0..self.items).collect();
        let blocks: Vec<Vec<usize>> = match groups {
            Some(groups) => {
                (0..groups.len()).map(|group| groups.members(group).iter().map(|item| item.index()).collect()).collect()
            }
            None => vec![everything],
        };
        for block in &blocks {
            for attribute in 0..self.len() {
                informative |= out.standardize_block(block, attribute);
            }
        }
        if informative {
            return Ok(out);
        }
        Err(Error::Data {
            what: "attributes",
            found: format!("only constant columns ({})", self.names.join(", ")),
            expected: "at least one attribute that differs between items".into(),
        })
    }

    /// Standardizes one attribute over some items in place; says whether it varied.
    fn standardize_block(&mut self, block: &[usize], attribute: usize) -> bool {
        let width = self.names.len();
        let at = |item: usize| item * width + attribute;
        let Some(&first) = block.first() else { return false };
        // Scaled by the largest magnitude first, so that neither the sum nor the squares overflow.
        let largest = block.iter().map(|&item| self.values[at(item)].abs()).fold(0.0, f64::max);
        let constant = block.iter().all(|&item| self.values[at(item)] == self.values[at(first)]);
        if constant {
            for &item in block {
                self.values[at(item)] = 0.0;
            }
            return false;
        }
        let count = block.len() as f64;
        let mean = block.iter().map(|&item| self.values[at(item)] / largest / count).sum::<f64>();
        let square = |item: &usize| (self.values[at(*item)] / largest - mean).powi(2);
        let sd = (block.iter().map(square).sum::<f64>() / count).sqrt();
        for &item in block {
            self.values[at(item)] = (self.values[at(item)] / largest - mean) / sd;
        }
        true
    }
}
