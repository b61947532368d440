//! The folder of public data, and the files that experiments read there.

use std::fmt;
use std::path::{Path, PathBuf};

use ordain::{Error, InputError, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A public collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataCollection {
    /// Its name, which is also its heading in `docs/data.md`.
    pub name: &'static str,
    /// Its makers.
    pub makers: &'static str,
}

/// A file that an experiment reads. `docs/data.md` lists all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataFile {
    /// Its place in the folder of data.
    pub path: &'static str,
    /// Its format.
    pub form: &'static str,
    /// The collection that it belongs to.
    pub collection: &'static DataCollection,
    /// The SHA-256 of the file that the recorded results were made with, in hexadecimal.
    pub sha256: &'static str,
}

impl DataFile {
    /// Whether these are the bytes that the recorded results were made with.
    fn is_recorded(&self, bytes: &[u8]) -> bool {
        let hash = Sha256::digest(bytes);
        hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>() == self.sha256
    }
}

impl fmt::Display for DataCollection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.makers)
    }
}

/// The folder that holds public data.
#[derive(Debug, Clone)]
pub struct DataFolder {
    path: PathBuf,
    /// The setting that named the folder, for errors.
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
    /// The folder at this path, and the setting that named it (such as "--data"), which errors repeat.
    pub fn new(path: impl Into<PathBuf>, named_by: &'static str) -> Self {
        Self { path: path.into(), named_by }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file.
    pub(crate) fn file(&self, file: &DataFile) -> PathBuf {
        self.path.join(file.path)
    }

    /// The files that exist but differ from those of the recorded results.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn differing<'a>(&self, files: &'a [DataFile]) -> Result<Vec<&'a DataFile>> {
        let mut differing = Vec::new();
        for file in files {
            if self.read(file)?.is_some_and(|bytes| !file.is_recorded(&bytes)) {
                differing.push(file);
            }
        }
        Ok(differing)
    }

    /// The fingerprints of files, which must all exist.
    ///
    /// # Errors
    /// If files are missing (the error names all of them), or one cannot be read.
    pub(crate) fn fingerprints(&self, files: &[DataFile]) -> Result<Vec<Fingerprint>> {
        let (mut fingerprints, mut missing) = (Vec::new(), Vec::new());
        for file in files {
            match self.read(file)? {
                Some(bytes) => fingerprints.push(Fingerprint::of(file, &bytes)),
                None => missing.push(file),
            }
        }
        if missing.is_empty() { Ok(fingerprints) } else { Err(self.without(&missing, files.len())) }
    }

    /// The content of a file; none if it does not exist.
    fn read(&self, file: &DataFile) -> Result<Option<Vec<u8>>> {
        let path = self.file(file);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Io { action: "read", path, source }),
        }
    }

    fn without(&self, missing: &[&DataFile], all: usize) -> Error {
        let mut expected = format!(
            "{all} files for this experiment, but {} missing:",
            match missing.len() {
                1 => "1 is".to_owned(),
                many => format!("{many} are"),
            }
        );
        for file in missing {
            expected.push_str(&format!("\n  {}, of {}", file.path, file.collection.name));
        }
        let hint = format!(
            "docs/data.md says where to get each file. The folder {} is from {}; name another one with --data or in the \
             variable ORDAIN_DATA",
            self.path.display(),
            self.named_by
        );
        InputError::new(&self.path, expected).hint(hint).into()
    }
}

impl Fingerprint {
    fn of(file: &DataFile, bytes: &[u8]) -> Self {
        let checksum = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self { file: file.path.into(), bytes: bytes.len(), checksum: format!("{checksum:016x}") }
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
