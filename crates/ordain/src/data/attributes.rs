//! The numbers that describe items.

use multiversion::multiversion;

use super::{Groups, ItemId};
use crate::error::listed;
use crate::{Error, Result};

/// A table of finite numbers: one row per item, one named column per attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributes {
    names: Vec<String>,
    items: usize,
    /// Row by row: `items * names.len()` values.
    values: Vec<f64>,
}

impl Attributes {
    /// A table from values in row order.
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

    /// A table without attributes, for this many items.
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

    /// These rows, then the others'.
    ///
    /// # Errors
    /// If the attributes differ.
    pub(super) fn joined(&self, others: &Self) -> Result<Self> {
        if self.names != others.names {
            return Err(Error::Data {
                what: "the attributes of further items",
                found: listed(&others.names),
                expected: listed(&self.names),
            });
        }
        let values = [self.values.as_slice(), &others.values].concat();
        Self::new(self.names.clone(), self.items + others.items, values)
    }

    /// The mean of every attribute over all items; 0 if there is no item.
    pub fn means(&self) -> Vec<f64> {
        let count = self.items as f64;
        let mean = |attribute: usize| (0..self.items).map(|item| self.row(item)[attribute] / count).sum();
        (0..self.len()).map(mean).collect()
    }

    /// Shifts and scales every attribute to mean 0 and standard deviation 1 (of the population: divided by the number
    /// of items), within each group if there are groups. An attribute that is constant within a group says nothing
    /// there and becomes 0.
    ///
    /// # Errors
    /// If there are attributes but every one is constant within every group, so that nothing would be left.
    pub fn standardized(&self, groups: Option<&Groups>) -> Result<Self> {
        let scale = Scale::of(self, groups);
        let informative = self.is_empty() || self.items <= 1 || scale.blocks.iter().flatten().any(Option::is_some);
        if informative {
            return Ok(self.scaled(&scale, groups));
        }
        Err(Error::ConstantAttributes { names: self.names.clone() })
    }

    /// Shifts and scales every attribute to lie between 0 and 1, within each group if there are groups, as LETOR's
    /// baselines do. An attribute that is constant within a group says nothing there and becomes 0. O(values).
    ///
    /// ```
    /// use ordain::data::{Attributes, Groups};
    /// let attributes = Attributes::new(vec!["x".into()], 4, vec![2.0, 6.0, 3.0, 7.0])?;
    /// let groups = Groups::new(["a", "a", "a", "b"]);
    /// let scaled = attributes.between_0_and_1(Some(&groups));
    /// assert_eq!([0, 1, 2, 3].map(|item| scaled.row(item)[0]), [0.0, 1.0, 0.25, 0.0]);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    #[must_use]
    pub fn between_0_and_1(&self, groups: Option<&Groups>) -> Self {
        let width = self.len();
        let group = |item: usize| groups.map_or(0, |groups| groups.of(ItemId::new(item)));
        let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); groups.map_or(1, Groups::len) * width];
        for (at, &value) in self.values.iter().enumerate() {
            let (low, high) = &mut ends[group(at / width) * width + at % width];
            (*low, *high) = (low.min(value), high.max(value));
        }
        let mut out = self.clone();
        for (at, value) in out.values.iter_mut().enumerate() {
            let (low, high) = ends[group(at / width) * width + at % width];
            // Huge values are halved, so that their range does not overflow. Halves of the smallest would be 0.
            let part = if (high - low).is_finite() { 1.0 } else { 0.5 };
            let above = |value: f64| part * value - part * low;
            *value = if high > low { above(*value) / above(high) } else { 0.0 };
        }
        out
    }

    /// Shifts and scales every attribute by the numbers of its group.
    ///
    /// # Panics
    /// If the scale has other groups or attributes.
    pub fn scaled(&self, scale: &Scale, groups: Option<&Groups>) -> Self {
        let mut out = self.clone();
        let rows = out.values.chunks_exact_mut(self.len().max(1)).enumerate();
        for (item, row) in rows {
            let block = &scale.blocks[groups.map_or(0, |groups| groups.of(ItemId::new(item)))];
            assert_eq!(block.len(), row.len());
            for (value, spread) in row.iter_mut().zip(block) {
                *value = spread.map_or(0.0, |Spread { largest, mean, sd }| (*value / largest - mean) / sd);
            }
        }
        out
    }
}

/// The shifts and scales that give attributes mean 0 and standard deviation 1, per group.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// `[group][attribute]`, with one group where items have none. None for an attribute that is constant there.
    blocks: Vec<Vec<Option<Spread>>>,
}

/// Mean and standard deviation, both of the attribute divided by its largest magnitude.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    largest: f64,
    mean: f64,
    sd: f64,
}

/// Sums over the rows of a block, attribute by attribute, so that rows are read as they lie.
#[derive(Default)]
struct Sums {
    largest: Vec<f64>,
    mean: Vec<f64>,
    squares: Vec<f64>,
    differs: Vec<bool>,
}

impl Sums {
    /// The spreads of all attributes over some items; none for an attribute that is constant there.
    fn spreads(&mut self, attributes: &Attributes, block: &[usize]) -> Vec<Option<Spread>> {
        let Some(&first) = block.first() else { return vec![None; attributes.len()] };
        let Self { largest, mean, squares, differs } = self;
        for sums in [&mut *largest, &mut *mean, &mut *squares] {
            sums.clear();
            sums.resize(attributes.len(), 0.0);
        }
        differs.clear();
        differs.resize(attributes.len(), false);
        let rows = || block.iter().map(|&item| attributes.row(item));
        rows().for_each(|row| look(row, attributes.row(first), largest, differs));
        // Scaled by the largest magnitude first, so that neither the sum nor the squares overflow.
        let count = block.len() as f64;
        rows().for_each(|row| add_shares(row, largest, count, mean));
        rows().for_each(|row| add_squares(row, largest, mean, squares));
        let spread = |at: usize| Spread { largest: largest[at], mean: mean[at], sd: (squares[at] / count).sqrt() };
        (0..attributes.len()).map(|at| differs[at].then(|| spread(at))).collect()
    }
}

/// Notes the largest magnitudes, and where a row differs from the first.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn look(row: &[f64], first: &[f64], largest: &mut [f64], differs: &mut [bool]) {
    for ((value, first), (largest, differs)) in row.iter().zip(first).zip(largest.iter_mut().zip(differs)) {
        *largest = largest.max(value.abs());
        *differs |= value != first;
    }
}

/// Adds a row's share of the mean. An attribute of zeros has none, and no spread.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn add_shares(row: &[f64], largest: &[f64], count: f64, mean: &mut [f64]) {
    for ((value, largest), mean) in row.iter().zip(largest).zip(mean) {
        *mean += value / largest / count;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn add_squares(row: &[f64], largest: &[f64], mean: &[f64], squares: &mut [f64]) {
    for (((value, largest), mean), square) in row.iter().zip(largest).zip(mean).zip(squares) {
        let from_mean = value / largest - mean;
        *square += from_mean * from_mean;
    }
}

impl Scale {
    /// The scale on which these attributes are standardized.
    pub fn of(attributes: &Attributes, groups: Option<&Groups>) -> Self {
        let blocks: Vec<Vec<usize>> = match groups {
            Some(groups) => {
                (0..groups.len()).map(|group| groups.members(group).iter().map(|item| item.index()).collect()).collect()
            }
            None => vec![(0..attributes.items()).collect()],
        };
        let mut sums = Sums::default();
        Self { blocks: blocks.iter().map(|block| sums.spreads(attributes, block)).collect() }
    }

    /// Of every group, in order, and every attribute: what it is divided by, then the mean and the standard deviation. None for one that
    /// is constant there.
    pub fn blocks(&self) -> Vec<Vec<Option<[f64; 3]>>> {
        let numbers = |spread: &Option<Spread>| spread.map(|Spread { largest, mean, sd }| [largest, mean, sd]);
        self.blocks.iter().map(|block| block.iter().map(numbers).collect()).collect()
    }

    /// The scale that has these [`blocks`](Self::blocks).
    pub fn of_blocks(blocks: &[Vec<Option<[f64; 3]>>]) -> Self {
        let spread = |numbers: &Option<[f64; 3]>| numbers.map(|[largest, mean, sd]| Spread { largest, mean, sd });
        Self { blocks: blocks.iter().map(|block| block.iter().map(spread).collect()).collect() }
    }

    /// Whether an attribute is constant in every group.
    pub(super) fn is_constant(&self, attribute: usize) -> bool {
        self.blocks.iter().all(|block| block[attribute].is_none())
    }

    /// The scale for items that join the items of this scale, whose groups are `known`. A known group keeps its scale,
    /// so nothing changes for its items. A new group gets its own scale.
    pub fn for_newcomers(&self, known: Option<&Groups>, attributes: &Attributes, groups: Option<&Groups>) -> Self {
        let (Some(known), Some(groups)) = (known, groups) else { return self.clone() };
        let mut out = Self::of(attributes, Some(groups));
        for (block, name) in out.blocks.iter_mut().zip(groups.names()) {
            if let Some(group) = known.find(name) {
                block.clone_from(&self.blocks[group]);
            }
        }
        out
    }
}
