//! What many users said of items: grades, and answers about pairs.

use std::collections::HashMap;

use super::{Answer, ItemId, Items, check_item};
use crate::{Error, Result};

/// The grades that can be given: all whole numbers from a lowest to a highest. The higher, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GradeScale {
    lowest: i32,
    highest: i32,
}

/// The most grades of a scale.
const MOST_GRADES: i64 = 100;

impl GradeScale {
    /// A scale with these ends.
    ///
    /// # Errors
    /// If it has fewer than two grades, or more than 100.
    pub fn new(lowest: i32, highest: i32) -> Result<Self> {
        if (2..=MOST_GRADES).contains(&(i64::from(highest) - i64::from(lowest) + 1)) {
            return Ok(Self { lowest, highest });
        }
        let found = format!("{lowest} to {highest}");
        Err(Error::Data { what: "a scale of grades", found, expected: format!("from 2 to {MOST_GRADES} grades") })
    }

    /// The smallest scale with all these grades. One grade alone gets a second one above it.
    ///
    /// # Errors
    /// If there is none, or they are too many.
    pub fn of(grades: impl IntoIterator<Item = i32>) -> Result<Self> {
        let ends =
            grades.into_iter().fold((i32::MAX, i32::MIN), |(low, high), grade| (low.min(grade), high.max(grade)));
        match ends {
            (low, high) if low == high => Self::new(low, high.saturating_add(1)),
            (low, high) => Self::new(low, high),
        }
    }

    /// The lowest grade.
    pub fn lowest(self) -> i32 {
        self.lowest
    }

    /// The highest grade.
    pub fn highest(self) -> i32 {
        self.highest
    }

    /// The number of grades.
    pub fn count(self) -> usize {
        (self.highest - self.lowest) as usize + 1
    }

    /// The position of a grade, counted from 0; none if it is not on the scale.
    pub fn position(self, grade: i32) -> Option<usize> {
        (self.lowest..=self.highest).contains(&grade).then(|| (grade - self.lowest) as usize)
    }

    /// The grade at a position.
    pub fn grade(self, position: usize) -> i32 {
        self.lowest + position as i32
    }

    /// All grades, from the lowest up.
    pub fn grades(self) -> impl Iterator<Item = i32> {
        self.lowest..=self.highest
    }
}

impl Default for GradeScale {
    /// From 1 to 5.
    fn default() -> Self {
        Self { lowest: 1, highest: 5 }
    }
}

impl std::fmt::Display for GradeScale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} to {}", self.lowest, self.highest)
    }
}

/// What one user said of the items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Opinions {
    /// Items with their grades, as positions on the scale.
    pub grades: Vec<(ItemId, usize)>,
    /// Answers about pairs.
    pub answers: Vec<Answer>,
}

impl Opinions {
    /// Fails unless they are about some of so many items and grades.
    pub(crate) fn check(&self, items: usize, grades: usize) -> Result<()> {
        self.answers.iter().try_for_each(|answer| answer.check(items, None))?;
        for &(item, grade) in &self.grades {
            check_item(item, items)?;
            if grade >= grades {
                let expected = format!("one of {grades} grades, counted from 0");
                return Err(Error::Data { what: "a grade", found: grade.to_string(), expected });
            }
        }
        Ok(())
    }
}

/// What many users said of items.
#[derive(Debug, Clone)]
pub struct Ratings {
    items: Items,
    scale: Option<GradeScale>,
    users: Vec<String>,
    opinions: Vec<Opinions>,
}

impl Ratings {
    /// Users by name, each with their opinions. The scale is that of their grades, if there are any.
    ///
    /// # Errors
    /// If a name stands twice, or an item or a grade is not there.
    pub fn new(items: Items, scale: Option<GradeScale>, users: Vec<(String, Opinions)>) -> Result<Self> {
        let mut seen = HashMap::new();
        for (at, (name, opinions)) in users.iter().enumerate() {
            opinions.check(items.len(), scale.map_or(0, GradeScale::count))?;
            if seen.insert(name.as_str(), at).is_some() {
                let found = format!("the user \"{name}\" twice");
                return Err(Error::Data { what: "ratings", found, expected: "every user once".into() });
            }
        }
        let (users, opinions) = users.into_iter().unzip();
        Ok(Self { items, scale, users, opinions })
    }

    /// The items.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// The scale of grades, if there are grades.
    pub fn scale(&self) -> Option<GradeScale> {
        self.scale
    }

    /// The users' names.
    pub fn users(&self) -> &[String] {
        &self.users
    }

    /// What every user said, in the same order.
    pub fn opinions(&self) -> &[Opinions] {
        &self.opinions
    }

    /// The position of a user.
    pub fn user(&self, name: &str) -> Option<usize> {
        self.users.iter().position(|user| user == name)
    }

    /// How often every grade was given.
    pub fn counts(&self) -> Vec<usize> {
        let mut out = vec![0; self.scale.map_or(0, GradeScale::count)];
        self.opinions.iter().flat_map(|user| &user.grades).for_each(|&(_, grade)| out[grade] += 1);
        out
    }
}
