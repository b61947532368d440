//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use super::log::sync_folder;
use crate::{Error, Result};

/// Writes a file in full: what `write` writes goes to a new file beside it, which then takes the name, and the
/// permissions of a file that had it. If anything fails,
/// a file that was there before stays as it was.
///
/// # Errors
/// If the folder or the file cannot be written to.
pub fn write_whole(path: impl AsRef<Path>, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let path = path.as_ref();
    let failed = |source| Error::Io { action: "write", path: path.to_path_buf(), source };
    if path.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    let mut name = path.file_name().ok_or_else(|| failed(std::io::ErrorKind::InvalidFilename.into()))?.to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = File::create(&beside).and_then(|file| {
        if let Ok(before) = fs::metadata(path) {
            file.set_permissions(before.permissions())?;
        }
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        fs::rename(&beside, path)
    });
    written.map_err(|source| {
        let _ = fs::remove_file(&beside);
        failed(source)
    })?;
    sync_folder(path);
    Ok(())
}
