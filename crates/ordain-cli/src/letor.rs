//! LETOR files as `train` and `score` read them.

use std::path::{Path, PathBuf};

use ordain::formats::{Letor, read_letors};
use ordain::{InputError, Result};

/// Files with their grades as whole numbers, all with the features of the file with most.
pub fn graded(paths: &[PathBuf]) -> Result<Vec<(Letor, Vec<i32>)>> {
    let files = read_letors(paths, None)?;
    let graded = |(letor, path): (Letor, &PathBuf)| {
        if letor.items.attributes().is_empty() {
            return Err(InputError::new(path, "lines with features, such as \"2 qid:1 1:0.5\"").found("none").into());
        }
        let grades = letor.whole_grades(path)?;
        Ok((letor, grades))
    };
    files.into_iter().zip(paths).map(graded).collect()
}

/// These files in the role of an option, for [`ordain::formats::check_outputs`].
pub fn roles<'a>(role: &'static str, paths: &'a [PathBuf]) -> impl Iterator<Item = (&'static str, &'a Path)> {
    paths.iter().map(move |path| (role, path.as_path()))
}
