//! Files that one process at a time may change.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use same_file::Handle;

use crate::watch::waiting;
use crate::{Error, Result};

/// Opens a file and takes its lock, so that no other process that asks for the lock changes the file until the handle is dropped.
///
/// While this waited, another process may have put a new file in the place of the one that was opened. What is written to the old
/// one would be lost, so the path must still name the locked file; else the new one is opened.
///
/// File systems without locks go without: one writer is the common case, and a refusal would lock people out of their own files.
pub(super) fn open_locked(path: &Path, options: &OpenOptions) -> Result<File> {
    for _ in 0..MOST_REPLACED {
        let file = options.open(path).map_err(|source| failed("open", path, source))?;
        lock(&file, path).map_err(|source| failed("lock", path, source))?;
        if names(path, &file).map_err(|source| failed("lock", path, source))? {
            return Ok(file);
        }
    }
    Err(failed("lock", path, io::Error::other("it is replaced over and over")))
}

/// How often a file may be replaced while its lock is waited for. Nobody replaces a file that often; a file system may have no
/// lasting identities.
const MOST_REPLACED: usize = 1000;

/// The error of a network file system on which nobody keeps locks.
const NO_LOCKS: i32 = if cfg!(target_os = "linux") { 37 } else { 77 };

/// Waits until no process changes the file. Without locks there is nothing to wait for.
pub(super) fn wait_for_writers(file: &File, path: &Path) {
    let waits = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let _told = waits.then(|| waiting(|| held(path)));
    if waits {
        let _ = file.lock_shared();
    }
}

/// Takes the lock of a file, and tells what it waits for if another process holds it.
fn lock(file: &File, path: &Path) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => return Ok(()),
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => return Ok(()),
        Err(TryLockError::Error(error)) if error.raw_os_error() == Some(NO_LOCKS) => return Ok(()),
        Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Interrupted => return Err(error),
        Err(_) => {}
    }
    let _told = waiting(|| held(path));
    loop {
        match file.lock() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

fn held(path: &Path) -> String {
    format!("the lock of {}, which another process holds", path.display())
}

/// Whether a path names an open file.
pub(super) fn names(path: &Path, file: &File) -> io::Result<bool> {
    let own = Handle::from_file(file.try_clone()?)?;
    match Handle::from_path(path) {
        Ok(named) => Ok(named == own),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

pub(super) fn failed(action: &'static str, path: &Path, source: io::Error) -> Error {
    Error::Io { action, path: path.to_path_buf(), source }
}
