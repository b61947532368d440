//! Experiments on error bounds: a bound beside the truth as the sample grows.
//!
//! The truth is exact because the distribution is the collection itself: every document (or query) of OHSUMED is equally likely, and
//! samples are drawn from it with replacement. So samples can also be larger than the collection, and the expected error of whatever
//! was learned is a mean over the collection.

pub mod k_partite;
pub mod unlabelled;

use ordain::data::{Attributes, ItemId};
use ordain::formats::read_letor;
use ordain::learn::LabelledQuery;
use ordain::measure::Mean;
use ordain::{InputError, Result};
use ordain_plot::{Across, Lines, Range, Series};

use crate::collections::letor::OHSUMED;
use crate::data::DataFolder;

/// How likely a bound may fail.
const DELTA: f64 = 0.05;

/// A query: its documents with features scaled to 0..1 within it, and their grades.
struct Judged {
    query: LabelledQuery,
    grades: Vec<u32>,
}

/// All queries, with the same features.
///
/// # Errors
/// If a file cannot be read, has no queries, no features or others than the first, or a grade is no whole number from 0.
fn read(folder: &DataFolder) -> Result<Vec<Judged>> {
    let mut queries: Vec<Judged> = Vec::new();
    for file in &OHSUMED {
        let path = folder.file(file);
        let letor = read_letor(&path)?;
        let Some(groups) = letor.items.groups() else {
            return Err(InputError::new(&path, "lines with a qid").found("none").into());
        };
        let features = letor.items.attributes().len();
        let first = queries.first().map_or(features.max(1), |first| first.query.attributes().len());
        if features != first {
            return Err(InputError::new(&path, format!("features 1 to {first}")).found(features.to_string()).into());
        }
        let scaled = letor.items.attributes().between_0_and_1(Some(groups));
        for group in 0..groups.len() {
            let members = groups.members(group);
            let grade = |item: &ItemId| -> Result<u32> {
                let grade = letor.grades[item.index()];
                if grade.fract() == 0.0 && (0.0..1e9).contains(&grade) {
                    return Ok(grade as u32);
                }
                Err(InputError::new(&path, "grades 0, 1, 2, ...").found(grade.to_string()).into())
            };
            let grades: Vec<u32> = members.iter().map(grade).collect::<Result<_>>()?;
            let values = members.iter().flat_map(|item| scaled.row(item.index())).copied().collect();
            let attributes = Attributes::new(scaled.names().to_vec(), members.len(), values)?;
            let relevant = grades.iter().map(|grade| *grade > 0).collect();
            queries.push(Judged { query: LabelledQuery::new(attributes, relevant)?, grades });
        }
    }
    Ok(queries)
}

/// A size in few characters: `300`, `10k`, `3M`.
fn short(size: usize) -> String {
    match size {
        0..1_000 => size.to_string(),
        1_000..1_000_000 => format!("{}k", size / 1_000),
        _ => format!("{}M", size / 1_000_000),
    }
}

/// A size with its thousands apart.
fn long(size: usize) -> String {
    let digits = size.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap_or_default()).collect();
    groups.join(",")
}

/// Lines over sizes, each a title and a mean for every size.
fn figure(title: &str, across: &str, sizes: &[usize], up: Range, series: Vec<(String, Vec<Mean>)>) -> String {
    let across = Across::Places(across.to_owned(), sizes.iter().copied().map(short).collect());
    let points = |means: Vec<Mean>| means.into_iter().enumerate().map(|(place, mean)| (place as f64, mean)).collect();
    let series = series.into_iter().map(|(title, means)| Series { title, points: points(means) }).collect();
    Lines { title: title.to_owned(), across, up, series }.draw()
}

/// The first size from which on a value stays below a limit.
fn from_where(sizes: &[usize], values: &[f64], limit: f64) -> Option<usize> {
    let last_above = values.iter().rposition(|value| *value >= limit);
    sizes.get(last_above.map_or(0, |at| at + 1)).copied()
}

/// "from 1,000 documents on", or that it never is.
fn said_from(size: Option<usize>, largest: usize, things: &str) -> String {
    match size {
        Some(size) => format!("from {} {things} on", long(size)),
        None => format!("not even with {} {things}", long(largest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_words() {
        assert_eq!([7, 300, 1_000, 30_000, 10_000_000].map(short), ["7", "300", "1k", "30k", "10M"]);
        assert_eq!([7, 300, 1_000, 30_000, 10_000_000].map(long), ["7", "300", "1,000", "30,000", "10,000,000"]);
    }

    #[test]
    fn where_a_bound_begins_to_say_something() {
        let sizes = [10, 100, 1000];
        assert_eq!(from_where(&sizes, &[2.0, 0.9, 0.5], 1.0), Some(100));
        assert_eq!(from_where(&sizes, &[0.9, 1.1, 0.5], 1.0), Some(1000));
        assert_eq!(from_where(&sizes, &[2.0, 1.5, 1.0], 1.0), None);
        assert_eq!(from_where(&sizes, &[0.3, 0.2, 0.1], 1.0), Some(10));
    }
}
