//! Examples with what is known of their labels.

use std::collections::{HashMap, HashSet};

use super::target::{Encoding, LabelPreferences, Target};
use crate::data::Attributes;
use crate::error::listed;
use crate::formats::LabelTable;
use crate::{Error, Result};

/// Examples, their attributes, and what is known of their labels.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledExamples {
    attributes: Attributes,
    labels: Vec<String>,
    targets: Vec<Target>,
}

impl LabelledExamples {
    /// Examples with one target each.
    ///
    /// # Errors
    /// If there are not as many targets as rows of attributes, fewer than two labels, a label's name twice, or a target names an unknown label
    /// or contradicts itself; the error says in which example.
    pub fn new(attributes: Attributes, labels: Vec<String>, targets: Vec<Target>) -> Result<Self> {
        let wrong = |what, found: String, expected: String| Err(Error::Data { what, found, expected });
        if targets.len() != attributes.items() {
            let expected = format!("{}, one per row", attributes.items());
            return wrong("targets of examples", targets.len().to_string(), expected);
        }
        if labels.len() < 2 {
            return wrong("labels", labels.len().to_string(), "at least 2".into());
        }
        let mut seen = HashSet::new();
        if let Some(twice) = labels.iter().find(|label| !seen.insert(label.as_str())) {
            return wrong("labels", format!("{twice} twice"), "every label once".into());
        }
        for (at, target) in targets.iter().enumerate() {
            target.check(labels.len()).map_err(|error| Error::Data {
                what: "the labels of an example",
                found: format!("example {}: {error}", at + 1),
                expected: "labels without contradiction".into(),
            })?;
        }
        Ok(Self { attributes, labels, targets })
    }

    /// The attributes, one row per example.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The labels' names.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// What is known of each example's labels.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The number of examples.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Some of the examples.
    ///
    /// # Errors
    /// If there is no such example.
    pub fn some(&self, examples: &[usize]) -> Result<Self> {
        let mut values = Vec::with_capacity(examples.len() * self.attributes.len());
        for &example in examples {
            if example >= self.len() {
                return Err(Error::Data {
                    what: "examples",
                    found: format!("number {example}"),
                    expected: format!("numbers below {}", self.len()),
                });
            }
            values.extend_from_slice(self.attributes.row(example));
        }
        let attributes = Attributes::new(self.attributes.names().to_vec(), examples.len(), values)?;
        let targets = examples.iter().map(|&example| self.targets[example].clone()).collect();
        Ok(Self { attributes, labels: self.labels.clone(), targets })
    }

    /// These examples and others with the same attributes and labels behind them.
    ///
    /// # Errors
    /// If attributes or labels differ. Other classes are labels too.
    pub fn and(&self, others: &Self) -> Result<Self> {
        let (own, other) = (self.attributes.names(), others.attributes.names());
        if own != other {
            let differs = own.iter().zip(other).find(|(own, other)| own != other);
            let found = differs.map_or_else(|| format!("{} attributes", other.len()), |(_, other)| other.clone());
            let expected = differs.map_or_else(|| own.len().to_string(), |(own, _)| format!("{own} in its place"));
            return Err(Error::Data { what: "attributes of examples", found, expected });
        }
        let mut labels = self.labels.clone();
        if self.are_classes() && others.are_classes() {
            labels.extend(others.labels.iter().filter(|label| !self.labels.contains(label)).cloned());
        }
        let targets = others.targets_for(&labels)?;
        let rows = |examples: &Self| {
            (0..examples.len()).flat_map(|at| examples.attributes.row(at).to_vec()).collect::<Vec<f64>>()
        };
        let attributes = Attributes::new(own.to_vec(), self.len() + others.len(), [rows(self), rows(others)].concat())?;
        Self::new(attributes, labels, [self.targets.clone(), targets].concat())
    }

    fn are_classes(&self) -> bool {
        self.targets.iter().all(|target| matches!(target, Target::Class(_)))
    }

    /// The targets with other numbers for the labels: their places in a list that has them all.
    ///
    /// # Errors
    /// If a label is not in the list, or the list has others. Not so for classes: an unknown one gets a number behind all in the list.
    pub fn targets_for(&self, labels: &[String]) -> Result<Vec<Target>> {
        let are_classes = self.are_classes();
        let place = |name: &String| {
            let behind = are_classes.then_some(labels.len());
            labels.iter().position(|label| label == name).or(behind).ok_or_else(|| Error::Data {
                what: "labels of examples",
                found: name.clone(),
                expected: format!("one of {}", listed(labels)),
            })
        };
        let places = self.labels.iter().map(place).collect::<Result<Vec<usize>>>()?;
        if places.len() != labels.len() && !are_classes {
            return Err(Error::Data {
                what: "labels of examples",
                found: self.labels.len().to_string(),
                expected: labels.len().to_string(),
            });
        }
        let moved = |list: &[usize]| list.iter().map(|&label| places[label]).collect::<Vec<usize>>();
        let renamed = |target: &Target| match target {
            Target::Class(class) => Target::Class(places[*class]),
            Target::First(list) => Target::First(moved(list)),
            Target::Set(list) => Target::Set(moved(list)),
            Target::Order(list) => Target::Order(moved(list)),
            Target::Top(list) => Target::Top(moved(list)),
            Target::Partial(known) => Target::Partial(LabelPreferences {
                pairs: known.pairs.iter().map(|&(one, other)| (places[one], places[other])).collect(),
                relevant: moved(&known.relevant),
                irrelevant: moved(&known.irrelevant),
            }),
        };
        Ok(self.targets.iter().map(renamed).collect())
    }

    /// The labels that no example teaches: never relevant, ranked or compared.
    pub fn untaught(&self) -> Vec<usize> {
        (0..self.labels.len()).filter(|&label| !self.targets.iter().any(|target| target.teaches(label))).collect()
    }

    /// Whether the zero point is known: some example says which labels are relevant.
    pub(super) fn has_zero(&self) -> bool {
        self.targets.iter().any(Target::has_zero)
    }

    /// Fails unless there is something to learn for every label.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |found: String, expected: &str| {
            Err(Error::Data { what: "examples to learn from", found, expected: expected.into() })
        };
        if self.is_empty() || self.attributes.is_empty() {
            return wrong("no example or no attribute".into(), "examples with attributes");
        }
        let says_something = |target: &Target| {
            let known = Encoding::ALL.preferences(target, self.labels.len());
            target.has_zero() || !known.pairs.is_empty()
        };
        if !self.targets.iter().any(says_something) {
            return wrong(
                "none that compares two labels".into(),
                "an example that orders labels or says which are relevant",
            );
        }
        match self.untaught().first() {
            Some(&label) => {
                wrong(format!("none in which label {} occurs", self.labels[label]), "every label in some example")
            }
            None => Ok(()),
        }
    }
}

/// What the label columns of tables hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelKind {
    /// One column: the class.
    Classes,
    /// 0 and 1: whether each label is relevant.
    Sets,
    /// Whole numbers from 1: the place of each label in an order, 1 is best.
    Orders,
    /// The same, and 0 for labels that are irrelevant.
    Tops,
}

/// The most classes. A column with more values is a measured number.
const MOST_CLASSES: usize = 1000;

impl LabelKind {
    /// What some tables hold, taken together: one that has only 0 and 1 may be part of a file of orders.
    ///
    /// # Errors
    /// If a cell fits none of the kinds, with its place.
    pub fn of(tables: &[LabelTable]) -> Result<Self> {
        if tables.iter().all(|table| table.labels().len() == 1) {
            return Ok(Self::Classes);
        }
        let (mut largest, mut has_zero) = (0, false);
        for table in tables {
            for mark in marks(table)?.into_iter().flatten().flatten() {
                largest = largest.max(mark);
                has_zero |= mark == 0;
            }
        }
        Ok(if largest <= 1 {
            Self::Sets
        } else if has_zero {
            Self::Tops
        } else {
            Self::Orders
        })
    }
}

/// The numbers in the label columns, row by row; none where nothing is known.
fn marks(table: &LabelTable) -> Result<Vec<Vec<Option<u32>>>> {
    const HIGHEST: f64 = 1e6;
    let mark = |row: usize, label: usize| match table.mark(row, label) {
        None => Ok(None),
        // Some files write 1.0.
        Some(cell) => match cell.parse::<f64>() {
            Ok(value) if value.fract() == 0.0 && (0.0..=HIGHEST).contains(&value) => Ok(Some(value as u32)),
            _ => Err(Error::from(table.wrong(row, label, "0 or 1, or a place from 1"))),
        },
    };
    (0..table.len()).map(|row| (0..table.labels().len()).map(|label| mark(row, label)).collect()).collect()
}

impl LabelledExamples {
    /// The examples of a table. An empty cell, or `?`, says nothing of a label. Two labels of one place are not compared.
    ///
    /// # Errors
    /// If a cell does not fit the kind, with its place, or there are more than 1,000 classes.
    pub fn from_table(table: &LabelTable, kind: LabelKind) -> Result<Self> {
        if kind == LabelKind::Classes {
            return Self::classes(table);
        }
        let labels: Vec<String> = table.labels().map(str::to_owned).collect();
        let target = |marks: &Vec<Option<u32>>| match kind {
            LabelKind::Sets => set(marks),
            _ => order(marks, kind == LabelKind::Tops),
        };
        Self::new(table.attributes().clone(), labels, marks(table)?.iter().map(target).collect())
    }

    /// One column: every value that occurs is a label.
    fn classes(table: &LabelTable) -> Result<Self> {
        let mut labels: Vec<String> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut targets = Vec::with_capacity(table.len());
        for row in 0..table.len() {
            let class = table.mark(row, 0);
            let class = class.ok_or_else(|| Error::from(table.wrong(row, 0, "the class of the example")))?;
            let at = *places.entry(class).or_insert_with(|| {
                labels.push(class.to_owned());
                labels.len() - 1
            });
            if at >= MOST_CLASSES {
                let expected = format!("at most {MOST_CLASSES} classes");
                let hint = "is this column a number that was measured? choose the columns that are labels";
                return Err(table.wrong(row, 0, expected).hint(hint).into());
            }
            targets.push(Target::Class(at));
        }
        Self::new(table.attributes().clone(), labels, targets)
    }
}

/// The labels with some mark.
fn marked(marks: &[Option<u32>], is: impl Fn(Option<u32>) -> bool) -> Vec<usize> {
    (0..marks.len()).filter(|&label| is(marks[label])).collect()
}

/// Marks of 0 and 1.
fn set(marks: &[Option<u32>]) -> Target {
    let relevant = marked(marks, |mark| mark == Some(1));
    if marks.iter().all(Option::is_some) {
        return Target::Set(relevant);
    }
    let irrelevant = marked(marks, |mark| mark == Some(0));
    Target::Partial(LabelPreferences { pairs: Vec::new(), relevant, irrelevant })
}

/// Places; if there is a zero point, 0 is below it and all others above.
fn order(marks: &[Option<u32>], has_zero: bool) -> Target {
    let mut ranked = marked(marks, |mark| mark.is_some_and(|mark| mark > 0));
    ranked.sort_by_key(|&label| marks[label]);
    let tied = ranked.windows(2).any(|pair| marks[pair[0]] == marks[pair[1]]);
    if !tied && !has_zero {
        return Target::Order(ranked);
    }
    if !tied && marks.iter().all(Option::is_some) {
        return Target::Top(ranked);
    }
    let before =
        |one: usize| ranked.iter().filter(move |&&other| marks[one] < marks[other]).map(move |&other| (one, other));
    let pairs = ranked.iter().flat_map(|&one| before(one)).collect();
    let irrelevant = marked(marks, |mark| mark == Some(0));
    let relevant = if has_zero { ranked.clone() } else { Vec::new() };
    Target::Partial(LabelPreferences { pairs, relevant, irrelevant })
}
