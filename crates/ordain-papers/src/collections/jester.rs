//! Jester: jokes rated by many users.

use ordain::formats::Table;
use ordain::{Error, InputError, Result};

use crate::data::{DataCollection, DataFile, DataFolder};

/// The ratings.
pub const FILE: DataFile = DataFile {
    path: "ratings/jester5k/ratings.tsv.gz",
    form: "a table with the columns user, joke (both numbered from 0) and rating (-10 to 10)",
    collection: &DataCollection { name: "Jester", makers: "Goldberg, Roeder, Gupta, Perkins 2001" },
    sha256: "36acb27c52672e7f7fd2b639b719be8a151607fe35e7c4852e6af2d613f1c3d2",
};

/// The number of jokes.
pub const JOKES: usize = 100;

/// What one user said: jokes with their ratings.
pub type User = Vec<(usize, f64)>;

/// All users, in the order of the file.
///
/// # Errors
/// If the file cannot be read or a cell is no such number.
pub fn read(folder: &DataFolder) -> Result<Vec<User>> {
    let path = folder.file(&FILE);
    let table = Table::read(&path)?;
    let [user, joke, rating] = ["user", "joke", "rating"].map(|name| table.column(name));
    let (user, joke, rating) = (user?, joke?, rating?);
    let mut users: Vec<User> = Vec::new();
    for row in 0..table.len() {
        let wrong = |column: usize, expected: &str| {
            let error = InputError::new(&path, expected).line(table.line(row)).column(&table.columns()[column]);
            Error::from(error.found(table.cell(row, column)))
        };
        let whole = |column: usize, most: usize| {
            let number = table.cell(row, column).parse::<usize>().ok().filter(|&number| number < most);
            number.ok_or_else(|| wrong(column, "a number from 0"))
        };
        let (who, what) = (whole(user, 1 << 20)?, whole(joke, JOKES)?);
        let value = table.cell(row, rating).parse::<f64>().ok().filter(|value| value.is_finite());
        users.resize_with(users.len().max(who + 1), Vec::new);
        users[who].push((what, value.ok_or_else(|| wrong(rating, "a number"))?));
    }
    Ok(users)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::real_data;

    /// The published counts: 5,000 users, 363,209 ratings, at least 36 per user, from -9.95 to 9.90.
    #[test]
    fn the_set_as_published() {
        let Some(folder) = real_data(&FILE) else { return };
        let users = read(&folder).unwrap();
        assert_eq!((users.len(), users.iter().map(Vec::len).sum::<usize>()), (5000, 363_209));
        assert!(users.iter().all(|user| user.len() >= 36));
        let ends = users
            .iter()
            .flatten()
            .fold((0.0_f64, 0.0_f64), |(low, high), &(_, value)| (low.min(value), high.max(value)));
        assert_eq!(ends, (-9.95, 9.9));
    }
}
