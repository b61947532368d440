//! LETOR files as judgements: documents and grades, without the values, which may be features or the ranks of several rankers.

use std::path::Path;

use super::letor::{check_queries, rank, read_rows};
use crate::data::{ItemId, Judgements};
use crate::{InputError, Result};

/// The graded documents of LETOR files. Values are checked and left out, so files of features and of ranks are read alike.
#[derive(Debug, Clone)]
pub struct LetorJudgements {
    /// The grades of every query. A file without queries is the one query `1`.
    pub judgements: Judgements,
    /// The document of every line, in the order of the files and lines: the position of its query, and its id.
    pub documents: Vec<(usize, String)>,
    /// The number of values: features, or rankers.
    pub values: usize,
}

/// Reads the documents and grades of LETOR or SVMlight files: with features, or with the ranks that several rankers gave, where `NULL` stands
/// for none (LETOR's rank aggregation sets). Ids are those of [`read_letor`](super::read_letor).
///
/// # Errors
/// If a file cannot be read or is empty, a line does not have the form, a grade is not a whole number, a document occurs twice in a query,
/// or two files have a query of one name.
pub fn read_letor_judgements(paths: &[impl AsRef<Path>]) -> Result<LetorJudgements> {
    // Ranks allow all that features do, and NULL.
    let read = |path: &Path| read_rows(path, |text| rank(text).map(|_| ())).map(|rows| (path.to_path_buf(), rows));
    let files = paths.iter().map(|path| read(path.as_ref())).collect::<Result<Vec<_>>>()?;
    check_queries(&files)?;
    let mut out = LetorJudgements { judgements: Judgements::default(), documents: Vec::new(), values: 0 };
    for (path, (rows, lines)) in files {
        let first = out.judgements.queries.len();
        let values = rows.largest as usize;
        let (ids, groups, grades) = rows.finish();
        let names = groups.as_ref().map_or_else(|| vec!["1".to_owned()], |groups| groups.names().to_vec());
        out.judgements.queries.extend(names.into_iter().map(|name| (name, Default::default())));
        for (at, (id, grade)) in ids.into_iter().zip(grades).enumerate() {
            let query = first + groups.as_ref().map_or(0, |groups| groups.of(ItemId(at as u32)));
            let grade = whole_grade(&path, lines[at], grade)?;
            out.judgements.queries[query].1.insert(id.clone(), grade);
            out.documents.push((query, id));
        }
        out.values = out.values.max(values);
    }
    Ok(out)
}

/// The grade on a line of a LETOR file as a whole number, which measures need. LETOR allows any number.
///
/// # Errors
/// If it is not a whole number.
pub fn whole_grade(path: &Path, line: u64, grade: f64) -> Result<i32> {
    if grade.fract() == 0.0 && grade.abs() <= f64::from(i32::MAX) {
        return Ok(grade as i32);
    }
    Err(InputError::new(path, "whole numbers as grades").line(line).column(1).found(grade.to_string()).into())
}
