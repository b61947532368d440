//! The table of reference values that the tests of distances and of significance read.
#![allow(dead_code, clippy::unwrap_used)] // Every test file is a crate of its own and uses its part of this.

/// A row: measure, two samples, one or two values.
pub struct Row {
    pub measure: &'static str,
    pub first: Vec<f64>,
    pub second: Vec<f64>,
    pub statistic: f64,
    /// The p of a test, rho beside tau-b, or nothing.
    pub other: Option<f64>,
}

/// The rows of one measure, of which there are many.
pub fn rows(measure: &str) -> Vec<Row> {
    let table = include_str!("../data/statistics.csv").lines().skip(1);
    let rows: Vec<Row> = table.map(row).filter(|row| row.measure == measure).collect();
    assert!(rows.len() > 50, "{} rows of {measure}", rows.len());
    rows
}

fn row(line: &'static str) -> Row {
    let cells: Vec<&str> = line.split(',').collect();
    let numbers = |cell: &str| cell.split(' ').map(|number| number.parse().unwrap()).collect();
    let (first, second) = (numbers(cells[1]), numbers(cells[2]));
    Row { measure: cells[0], first, second, statistic: cells[3].parse().unwrap(), other: cells[4].parse().ok() }
}

/// Quarters up to `grid` of them either side of 0: sums are exact, and ties many where it is coarse.
pub fn quarters(stream: &mut impl rand::RngExt, size: usize, grid: i32) -> Vec<f64> {
    (0..size).map(|_| f64::from(stream.random_range(-grid..=grid)) / 4.0).collect()
}
