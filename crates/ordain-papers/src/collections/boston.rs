//! Boston Housing: 506 towns and tracts, 13 attributes and a price.

use ordain::data::{Attributes, Items};
use ordain::formats::Table;
use ordain::{Error, InputError, Result};

use crate::data::{DataCollection, DataFile, DataFolder};

/// The table.
pub const FILE: DataFile = DataFile {
    path: "boston-housing/boston.csv",
    form: "CSV: 13 columns of numbers, and the price in the column MEDV",
    collection: &DataCollection { name: "Boston Housing", makers: "Harrison, Rubinfeld 1978" },
    sha256: "79ac716620024011b03c0c44d2bf99069b8173649181926d9109c25475a3804c",
};

/// The column of the price.
const PRICE: &str = "MEDV";

/// The houses with standardized attributes, and their prices.
///
/// # Errors
/// If the file cannot be read or a cell is no number.
pub fn read(folder: &DataFolder) -> Result<(Items, Vec<f64>)> {
    let path = folder.file(&FILE);
    let table = Table::read(&path)?;
    let price = table.column(PRICE)?;
    let number = |row: usize, column: usize| {
        let cell = table.cell(row, column);
        let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
        let wrong = || InputError::new(&path, "a number").line(table.line(row)).found(cell);
        value.ok_or_else(|| Error::from(wrong()))
    };
    let columns: Vec<usize> = (0..table.columns().len()).filter(|&column| column != price).collect();
    let cells = (0..table.len()).flat_map(|row| columns.iter().map(move |&column| (row, column)));
    let values = cells.map(|(row, column)| number(row, column)).collect::<Result<Vec<f64>>>()?;
    let names = columns.iter().map(|&column| table.columns()[column].to_owned()).collect();
    let attributes = Attributes::new(names, table.len(), values)?.standardized(None)?;
    let ids = (0..table.len()).map(|row| (row + 1).to_string()).collect();
    let prices = (0..table.len()).map(|row| number(row, price)).collect::<Result<_>>()?;
    Ok((Items::new(ids, None, attributes)?, prices))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::real_data;

    /// As its makers describe it: 506 houses, 13 attributes, prices from 5 to 50, 22.53 on average.
    #[test]
    fn the_set_as_published() {
        let Some(folder) = real_data(&FILE) else { return };
        let (items, prices) = read(&folder).unwrap();
        assert_eq!((items.len(), items.attributes().len(), prices.len()), (506, 13, 506));
        assert!((prices.iter().sum::<f64>() / 506.0 - 22.53).abs() < 0.005);
        assert!(prices.iter().all(|price| (5.0..=50.0).contains(price)));
    }
}
