//! The folder of public data, and what an experiment needs of it.

use std::path::{Path, PathBuf};

use ordain::{Error, InputError, Result};
use serde::{Deserialize, Serialize};

/// A file that an experiment reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataFile {
    /// Its place in the folder of data.
    pub path: &'static str,
    /// How it is written.
    pub form: &'static str,
    /// What it is and where such data comes from.
    pub origin: &'static str,
}

/// The folder that holds public data.
#[derive(Debug, Clone)]
pub struct DataFolder {
    path: PathBuf,
    /// What named the folder, for errors.
    named_by: &'static str,
}

/// A file as it was read: its place, its length and a checksum, so that results of different data are not mixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Its place in the folder of data.
    pub file: String,
    /// Its length.
    pub bytes: usize,
    /// FNV-1a, 64 bits, in hexadecimal.
    pub checksum: String,
}

impl DataFolder {
    /// The folder at this place, and what named it ("--data", say), which errors repeat.
    pub fn new(path: impl Into<PathBuf>, named_by: &'static str) -> Self {
        Self { path: path.into(), named_by }
    }

    /// The folder's place.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file is.
    pub(crate) fn file(&self, file: &DataFile) -> PathBuf {
        self.path.join(file.path)
    }

    /// The fingerprints of files, all of which must be there.
    ///
    /// # Errors
    /// If one is missing or cannot be read; the error says where it was looked for and where such data comes from.
    pub(crate) fn fingerprints(&self, files: &[DataFile]) -> Result<Vec<Fingerprint>> {
        files.iter().map(|file| self.fingerprint(file, files)).collect()
    }

    fn fingerprint(&self, file: &DataFile, all: &[DataFile]) -> Result<Fingerprint> {
        let path = self.file(file);
        let bytes = std::fs::read(&path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => self.missing(file, all),
            _ => Error::Io { action: "read", path, source },
        })?;
        let checksum = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Ok(Fingerprint { file: file.path.into(), bytes: bytes.len(), checksum: format!("{checksum:016x}") })
    }

    fn missing(&self, file: &DataFile, all: &[DataFile]) -> Error {
        let expected = format!("{}, {}; but there is no such file", file.form, file.origin);
        let all: Vec<&str> = all.iter().map(|file| file.path).collect();
        let hint = format!(
            "the folder {} is from {}, and must hold {}; name another one with --data or in the variable ORDAIN_DATA \
             (ordain reproduce --help says how the files are written)",
            self.path.display(),
            self.named_by,
            all.join(", ")
        );
        InputError::new(self.file(file), expected).hint(hint).into()
    }
}

/// The folder of public data, if it is at hand: `ORDAIN_DATA`, or `shared/data` beside the workspace.
#[cfg(test)]
pub(crate) fn real_data(file: &DataFile) -> Option<DataFolder> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = DataFolder::new(std::env::var_os("ORDAIN_DATA").map_or_else(beside, PathBuf::from), "a test");
    if folder.file(file).exists() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no {}; set ORDAIN_DATA to the folder of public data", folder.file(file).display());
    None
}
