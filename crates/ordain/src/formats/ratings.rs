//! Ratings: tables of what many users said.
//!
//! A table with the columns `user` (or `judge`, `worker`), `item` and `grade` (or `rating`) holds grades. Any table of
//! answers with a judge holds answers about pairs ([`super::read_answers`]). Other columns are ignored.

use std::collections::HashMap;
use std::path::Path;

use super::answers::{Layout, read_answer_items, read_answers_on};
use super::items::{Place, find_item};
use super::table::{LastLine, Rows, empty};
use crate::data::{Answer, GradeScale, ItemId, Items, Opinions, Outcome, Ratings};
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
    match GradeTable::find(&rows) {
        Some(table @ GradeTable { user: Some(_), .. }) => graded(rows, &table, known, scale),
        _ if Layout::find(&rows).is_some() => answered(path, &rows, known, scale),
        _ => {
            Err(InputError::new(path, "ratings: the columns user, item and grade; or a table of answers with a judge")
                .line(1)
                .found(rows.columns().join(","))
                .into())
        }
    }
}

/// Reads the grades of a project: a table with the columns `item` and `grade`, perhaps `judge`, and `group` where ids alone do not
/// say. Without a scale, any whole number is a grade.
///
/// # Errors
/// If the file cannot be read or has other columns, an item is unknown, or a grade is no whole number of the scale.
pub(super) fn read_grades(path: &Path, items: &Items, scale: Option<GradeScale>) -> Result<Vec<Answer>> {
    let mut rows = Rows::open(path, LastLine::Free)?;
    let Some(table) = GradeTable::find(&rows) else {
        return Err(InputError::new(path, "grades: the columns item and grade, and perhaps judge")
            .line(1)
            .found(rows.columns().join(","))
            .into());
    };
    let mut out = Vec::new();
    table.each(&mut rows, scale, |row, place| {
        let item = find_item(items, &place, row.item, row.group)?;
        out.push(Answer::new(item, None, Outcome::Grade(row.grade))?.by(row.user));
        Ok(())
    })?;
    Ok(out)
}

/// The columns of a table of grades.
struct GradeTable {
    user: Option<usize>,
    item: usize,
    grade: usize,
    group: Option<usize>,
}

/// A row of a table of grades.
struct GradeRow<'a> {
    /// Empty if the table does not say.
    user: &'a str,
    item: &'a str,
    group: Option<&'a str>,
    grade: i32,
}

impl GradeTable {
    fn find(rows: &Rows) -> Option<Self> {
        let any = |names: &[&str]| names.iter().find_map(|name| rows.position(name));
        let (item, grade) = (rows.position("item")?, any(&GRADES)?);
        Some(Self { user: any(&USERS), item, grade, group: rows.position("group") })
    }

    /// Reads every row, with the place of its item.
    fn each(
        &self,
        rows: &mut Rows,
        scale: Option<GradeScale>,
        mut take: impl FnMut(GradeRow<'_>, Place<'_>) -> Result<()>,
    ) -> Result<()> {
        let path = rows.path().to_path_buf();
        let names = rows.columns().to_vec();
        while let Some(row) = rows.next()? {
            let wrong = |column: usize, expected: &str| {
                InputError::new(&path, expected).line(row.line).column(&names[column]).found(row.get(column))
            };
            let item = row.get(self.item);
            if item.is_empty() {
                return Err(wrong(self.item, "the id of an item").into());
            }
            let grade = whole(row.get(self.grade).trim()).ok_or_else(|| {
                let error = wrong(self.grade, "a whole number as the grade");
                Error::from(error.hint("round grades, or sort them into classes, first"))
            })?;
            if let Some(scale) = scale.filter(|scale| scale.position(grade).is_none()) {
                return Err(wrong(self.grade, &format!("a grade from {scale}")).into());
            }
            let user = self.user.map_or("", |user| row.get(user));
            let place = Place { path: &path, line: Some(row.line), column: &names[self.item] };
            take(GradeRow { user, item, group: self.group.map(|group| row.get(group)), grade }, place)?;
        }
        Ok(())
    }
}

/// Reads grades by user.
fn graded(mut rows: Rows, table: &GradeTable, known: Option<&Items>, scale: Option<GradeScale>) -> Result<Ratings> {
    let path = rows.path().to_path_buf();
    let column = table.user.map_or_else(String::new, |user| rows.columns()[user].clone());
    let mut items = Numbered::default();
    let mut users = Numbered::default();
    let mut said: Vec<(usize, usize, i32)> = Vec::new();
    table.each(&mut rows, scale, |row, place| {
        if row.user.is_empty() {
            let error = InputError::new(&path, "the name of a user").column(&column).found("");
            return Err(place.line.into_iter().fold(error, InputError::line).into());
        }
        let item = match known {
            Some(known) => find_item(known, &place, row.item, row.group)?.index(),
            None => items.number(row.item),
        };
        said.push((users.number(row.user), item, row.grade));
        Ok(())
    })?;
    if said.is_empty() {
        return Err(empty(&path, "the first line names the columns user,item,grade; every other line is one grade"));
    }
    let scale = match scale {
        Some(scale) => scale,
        None => scale_of(&path, said.iter().map(|&(.., grade)| grade))?,
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

/// The smallest scale with all these grades of a file.
pub(super) fn scale_of(path: &Path, grades: impl IntoIterator<Item = i32>) -> Result<GradeScale> {
    GradeScale::of(grades).map_err(|error| Error::In { file: path.to_path_buf(), error: Box::new(error) })
}

/// Reads answers by judge: about pairs, and grades among them.
fn answered(path: &Path, rows: &Rows, known: Option<&Items>, scale: Option<GradeScale>) -> Result<Ratings> {
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
    let log = read_answers_on(path, &items, scale)?;
    let standing = log.standing();
    let grades: Vec<i32> = standing.iter().filter_map(|answer| answer.outcome.grade()).collect();
    let scale = match scale {
        _ if grades.is_empty() => None,
        None => Some(scale_of(path, grades)?),
        scale => scale,
    };
    let mut users = Numbered::default();
    let mut opinions: Vec<Opinions> = Vec::new();
    for answer in standing {
        let user = users.number(answer.judge.as_deref().unwrap_or_default());
        opinions.resize_with(users.names.len(), Opinions::default);
        match answer.outcome.grade().and_then(|grade| scale?.position(grade)) {
            Some(grade) => opinions[user].grades.push((answer.first, grade)),
            // Whose it is, the list says.
            None => opinions[user].answers.push(Answer { judge: None, time: None, ..answer.clone() }),
        }
    }
    Ratings::new(items, scale, users.names.into_iter().zip(opinions).collect())
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
