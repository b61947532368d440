//! Breakfast: what people like in the morning, in order, in six situations.

use ordain::formats::Lines;
use ordain::{Error, InputError, Result};

use crate::data::{DataCollection, DataFile, DataFolder};

/// The orders, one file per situation.
pub const FILES: [DataFile; 6] = [
    file("pairwise/preflib/00035-00000002.soc.gz", "ab80a7a08e9a3c9dfb04969bf899a00274d6287d9a2bcf7f8a69bde8d40c7045"),
    file("pairwise/preflib/00035-00000003.soc.gz", "b3e4c2c5c0e34ad07dd81f2698cb780ce1bd955a1f6c9a4a2360ecee95d2c804"),
    file("pairwise/preflib/00035-00000004.soc.gz", "9c1c51c7de26bb7d4e87a094050093f9011ea2764da4e8c9327ec428370855cd"),
    file("pairwise/preflib/00035-00000005.soc.gz", "b678988bee32ad3fd417ddebf0a3bd89fd3acb74342877094f83d4b5725c2d25"),
    file("pairwise/preflib/00035-00000006.soc.gz", "f81bdc29e527d78541f328ba86d48a12d74ce83c5f462ea98c8516fdd665b0a5"),
    file("pairwise/preflib/00035-00000007.soc.gz", "00304bad3e8902d2c8f76bc515acd5ba021405532e4a3084a91edca1211df166"),
];

const fn file(path: &'static str, sha256: &'static str) -> DataFile {
    const FORM: &str = "a PrefLib file of complete orders: comments, then lines such as 1: 3,1,2";
    const COLLECTION: &DataCollection = &DataCollection { name: "Breakfast", makers: "Green, Rao 1972, by PrefLib" };
    DataFile { path, form: FORM, collection: COLLECTION, sha256 }
}

/// The number of dishes.
pub const DISHES: usize = 15;

/// What one person likes: dishes, counted from 0, the best first.
pub type Order = Vec<usize>;

/// The orders of all persons in a situation.
///
/// # Errors
/// If the file cannot be read, or a line is not an order of all dishes.
pub fn read(folder: &DataFolder, situation: usize) -> Result<Vec<Order>> {
    let path = folder.file(&FILES[situation]);
    let mut lines = Lines::open(&path)?;
    let mut out = Vec::new();
    while let Some(line) = lines.next_line()? {
        if line.starts_with('#') {
            continue;
        }
        let Some((count, order)) = parsed(line) else {
            let error = InputError::new(&path, "a count, a colon and an order of 15 dishes").found(line);
            return Err(Error::from(error.line(lines.line())));
        };
        out.extend(std::iter::repeat_n(order, count));
    }
    Ok(out)
}

/// The number of persons and their order, as in `2: 3,1,2`.
fn parsed(line: &str) -> Option<(usize, Order)> {
    let (count, order) = line.split_once(':')?;
    let dish = |text: &str| text.trim().parse::<usize>().ok()?.checked_sub(1);
    let order = order.split(',').map(dish).collect::<Option<Order>>()?;
    let mut sorted = order.clone();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..DISHES).then_some((count.trim().parse().ok()?, order))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::real_data;

    /// The published counts: 42 persons in each of six situations.
    #[test]
    fn the_set_as_published() {
        for (situation, file) in FILES.iter().enumerate() {
            let Some(folder) = real_data(file) else { return };
            assert_eq!(read(&folder, situation).unwrap().len(), 42);
        }
    }

    #[test]
    fn lines() {
        let all: Vec<String> = (1..=DISHES).map(|dish| dish.to_string()).collect();
        assert_eq!(parsed(&format!("2: {}", all.join(","))), Some((2, (0..DISHES).collect())));
        for wrong in ["", "1", "1: 2,3", "x: 1", &format!("1: {},1", all[1..].join(",")).replace("15", "0")] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
