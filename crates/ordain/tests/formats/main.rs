//! Formats: what is written is read back equal, and whatever is wrong is reported with its place.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod formats_answers;
mod formats_fuzz;
mod formats_log;
mod formats_numbers;
mod formats_parameters;
#[cfg(feature = "parquet")]
mod formats_parquet;
mod formats_project;
mod formats_queries;
mod formats_ranking;
mod formats_ratings;
mod formats_real;
mod formats_reference;
mod formats_tables;
mod formats_text;

use std::path::PathBuf;

use ordain::{Error, InputError};

/// A folder of its own for a test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Every file with its bytes, to see that nothing was written.
    fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut out: Vec<_> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), std::fs::read(&path).unwrap_or_default()))
            .collect();
        out.sort();
        out
    }
}

/// Fails if this process ever held more than so many mebibytes, where the system tells.
#[track_caller]
fn check_memory(mebibytes: u64) {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kibibytes: u64 = peak.trim().trim_end_matches("kB").trim().parse().unwrap();
    assert!(kibibytes < mebibytes << 10, "{} MiB", kibibytes >> 10);
}

/// The error about a file's content, with the place checked to be in `file`.
#[track_caller]
fn input<T>(result: Result<T, Error>, file: &str) -> InputError {
    match result.err().expect("an error") {
        Error::Input(error) => {
            assert!(error.file.ends_with(file), "{error}");
            *error
        }
        other => panic!("not an input error: {other}"),
    }
}

/// Checks place, token and a part of the hint.
#[track_caller]
fn check(error: &InputError, line: u64, column: &str, found: &str, hint: &str) {
    assert_eq!(error.line, Some(line), "{error} ({:?})", error.hint);
    assert_eq!(error.column.as_deref(), Some(column), "{error}");
    assert_eq!(error.found.as_deref(), Some(found), "{error}");
    assert!(error.hint.as_deref().unwrap_or_default().contains(hint), "{error} hint {:?}", error.hint);
}
