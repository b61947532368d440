//! What stands beside a LETOR file: scores, one per line, or TREC runs.

use std::path::Path;

use super::letor::scores_of;
use super::source::Lines;
use super::table::empty;
use super::trec::{RUN, runs_of};
use crate::Result;
use crate::data::Run;

/// The content of a file that orders the documents of a LETOR file.
#[derive(Debug, Clone, PartialEq)]
pub enum Scored {
    /// Scores, one per line of the LETOR file.
    Scores(Vec<f64>),
    /// TREC runs, whose documents are named.
    Runs(Vec<Run>),
}

/// Reads scores, one per line as [`read_scores`](super::read_scores) does, or runs as [`read_runs`](super::read_runs) does. The first line
/// decides: runs have six cells with `Q0` as the second or a word as the last, or a header with `qid`.
///
/// # Errors
/// Like [`read_scores`](super::read_scores) or [`read_runs`](super::read_runs).
pub fn read_scores_or_runs(path: impl AsRef<Path>) -> Result<Scored> {
    let path = path.as_ref();
    let mut lines = Lines::open(path)?;
    let Some(first) = lines.next_content()?.map(str::to_owned) else {
        return Err(empty(path, "write a score for every line of the LETOR file, or a TREC run"));
    };
    if is_run(&first) {
        Ok(Scored::Runs(runs_of(RUN.begin(path, lines, first)?)?))
    } else {
        Ok(Scored::Scores(scores_of(lines, first)?))
    }
}

/// Whether the first line of a file is one of a run.
fn is_run(first: &str) -> bool {
    if first.split('\t').any(|name| name.trim() == "qid") {
        return true;
    }
    let cells: Vec<&str> = first.split_ascii_whitespace().collect();
    matches!(cells[..], [_, second, _, _, _, tag] if second.eq_ignore_ascii_case("q0") || tag.parse::<f64>().is_err())
}
