//! Ratings: tables of what many users said.
//!
//! A table with the columns `user` (or `judge`, `worker`), `item` and `grade` (or `rating`) holds grades. Any table of
//! answers with a judge holds answers about pairs ([`super::read_answers`]). Other columns are ignored.

use std::collections::HashMap;
use std::path::Path;

use super::answers::{Layout, read_answer_items, read_answers};
use super::items::{Place, find_item};
use super::table::{LastLine, Rows, empty};
use crate::data::{Answer, GradeScale, ItemId, Items, Opinions, Ratings};
use crate::{Error, InputError, Result};

const USERS: [&str; 3] = ["user", "judge", "worker"];
const GRADES: [&str; 2] = ["grade", "rating"];

/// Reads what many users said. Without known items, the items are those that the file names, in order of first
/// appearance. Without a scale, it is the smallest one with all grades of the file. A user may grade an item more than once:
/// each grade counts.
///
/// # Errors
/// If the file cannot be read, has neither of the two forms, an item is unknown, or a grade is no whole number of the scale.
pub fn read_ratings(path: impl AsRef<Path>, known: Option<&Items>, scale: Option<GradeScale>) -> Result<Ratings> {
    let path = path.as_ref();
    let rows = Rows::open(path, LastLine::Free)?;
    let any = |names: &[&str]| names.iter().find_map(|name| rows.position(name));
    match (any(&USERS), rows.position("item"), any(&GRADES)) {
        (Some(user), Some(item), Some(grade)) => graded(rows, [user, item, grade], known, scale),
        _ if Layout::find(&rows).is_some() => answered(path, &rows, known),
        _ => {
            Err(InputError::new(path, "ratings: the columns user, item and grade; or a table of answers with a judge")
                .line(1)
                .found(rows.columns().join(","))
                .into())
        }
    }
}

/// Reads grades.
fn graded(
    mut rows: Rows,
    [user, item, grade]: [usize; 3],
    known: Option<&Items>,
    scale: Option<GradeScale>,
) -> Result<Ratings> {
    let path = rows.path().to_path_buf();
    let names: Vec<String> = [user, item, grade].map(|column| rows.columns()[column].clone()).to_vec();
    let mut items = Numbered::default();
    let mut users = Numbered::default();
    let mut said: Vec<(usize, usize, i32)> = Vec::new();
    while let Some(row) = rows.next()? {
        let wrong = |at: usize, expected: &str, found: &str| {
            InputError::new(&path, expected).line(row.line).column(&names[at]).found(found)
        };
        let (name, id, text) = (row.get(user), row.get(item), row.get(grade).trim());
        if name.is_empty() || id.is_empty() {
            let at = usize::from(!name.is_empty());
            return Err(wrong(at, if at == 0 { "the name of a user" } else { "the id of an item" }, "").into());
        }
        let value = whole(text).ok_or_else(|| {
            let error = wrong(2, "a whole number as the grade", text);
            Error::from(error.hint("round grades, or sort them into classes, first"))
        })?;
        if scale.is_some_and(|scale| scale.position(value).is_none()) {
            let expected = scale.map_or_else(String::new, |scale| format!("a grade from {scale}"));
            return Err(wrong(2, &expected, text).into());
        }
        let at = match known {
            Some(known) => {
                find_item(known, &Place { path: &path, line: Some(row.line), column: &names[1] }, id, None)?.index()
            }
            None => items.number(id),
        };
        said.push((users.number(name), at, value));
    }
    if said.is_empty() {
        return Err(empty(&path, "the first line names the columns user,item,grade; every other line is one grade"));
    }
    let scale = match scale {
        Some(scale) => scale,
        None => GradeScale::of(said.iter().map(|&(.., grade)| grade))
            .map_err(|error| Error::In { file: path.clone(), error: Box::new(error) })?,
    };
    let items = match known {
        Some(known) => known.clone(),
        None => Items::from_ids(items.names)?,
    };
    let mut opinions = vec![Opinions::default(); users.names.len()];
    for (user, item, grade) in said {
        // Checked above, or the scale was made of them.
        opinions[user].grades.extend(scale.position(grade).map(|grade| (ItemId::new(item), grade)));
    }
    Ratings::new(items, Some(scale), users.names.into_iter().zip(opinions).collect())
}

/// Reads answers about pairs, by judge.
fn answered(path: &Path, rows: &Rows, known: Option<&Items>) -> Result<Ratings> {
    if Layout::of(rows)?.judge.is_none() {
        return Err(InputError::new(path, "a column judge, which says whose answer it is")
            .line(1)
            .found(rows.columns().join(","))
            .into());
    }
    let items = match known {
        Some(known) => known.clone(),
        None => read_answer_items(path)?,
    };
    let log = read_answers(path, &items)?;
    let mut users = Numbered::default();
    let mut opinions: Vec<Opinions> = Vec::new();
    for answer in log.standing() {
        let user = users.number(answer.judge.as_deref().unwrap_or_default());
        opinions.resize_with(users.names.len(), Opinions::default);
        // Whose it is, the list says.
        opinions[user].answers.push(Answer { judge: None, time: None, ..answer.clone() });
    }
    Ratings::new(items, None, users.names.into_iter().zip(opinions).collect())
}

/// A whole number, also as `4.0`.
fn whole(text: &str) -> Option<i32> {
    let value: f64 = text.parse().ok()?;
    let range = f64::from(i32::MIN)..=f64::from(i32::MAX);
    (value.fract() == 0.0 && range.contains(&value)).then_some(value as i32)
}

/// Names, numbered in order of first appearance.
#[derive(Default)]
struct Numbered {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Numbered {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let next = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), next);
        next
    }
}
