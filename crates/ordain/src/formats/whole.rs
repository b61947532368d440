//! Files that appear complete or not at all.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::lock::names;
use crate::{Error, Result};

/// Writes a complete file. `write` writes to a new file beside it, which then takes the name, and the owner and permissions of
/// the old file. If anything fails, the old file stays unchanged. A link is followed to its file. Anything that is not
/// a file (a pipe, a device) is written to directly.
///
/// # Errors
/// If the folder or the file cannot be written to, or the file is read-only, or has other names: they would go on to name the old
/// one.
pub fn write_whole(path: impl AsRef<Path>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let path = path.as_ref();
    let written = match fs::metadata(path) {
        Ok(about) if about.is_file() => replace(path, write),
        Ok(_) => write_through(path, write),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Beside::create(path).and_then(|beside| beside.fill(write)?.put(|new| fs::rename(new, path)))
        }
        Err(error) => Err(error),
    };
    written.map_err(|source| Error::Io { action: "write", path: path.to_path_buf(), source })
}

/// Writes a complete file under a name that nothing has yet.
///
/// # Errors
/// If there is something of this name, which stays as it is, or the folder cannot be written to.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let take_name = |new: &Path| match fs::hard_link(new, path) {
        // If the second name stays, the next file in this folder clears it away.
        Ok(()) => {
            let _ = fs::remove_file(new);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // A file system without second names. A file that appears between this look and the next call would be replaced.
        Err(_) if path.symlink_metadata().is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(new, path),
    };
    let written = Beside::create(path).and_then(|beside| beside.fill(|out| out.write_all(bytes))?.put(take_name));
    written.map_err(|source| Error::Io { action: "create", path: path.to_path_buf(), source })
}

fn write_through(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(File::options().write(true).open(path)?);
    write(&mut out)?;
    out.flush()
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let behind = fs::canonicalize(path)?;
    let beside = Beside::create(&behind)?;
    let before = fs::metadata(&behind)?;
    if before.permissions().readonly() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    inherit(&beside.file, &before)?;
    beside.fill(write)?.put(|new| fs::rename(new, &behind))
}

/// Gives a file the owner and the permissions of the one that it replaces.
#[cfg(unix)]
fn inherit(file: &File, before: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    if before.nlink() > 1 {
        return Err(io::Error::other(format!(
            "the file has {} names (hard links), and the others would go on to name the old text; make it a file of its own first: \
             copy it, and move the copy over it",
            before.nlink()
        )));
    }
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (before.uid(), before.gid()) {
        // Only root may give a file away. Whoever may replace a colleague's file at least leaves it to the same group.
        let _ =
            fchown(file, Some(before.uid()), Some(before.gid())).or_else(|_| fchown(file, None, Some(before.gid())));
    }
    // Last, because a change of owner takes permissions away.
    file.set_permissions(before.permissions())
}

/// Gives a file the permissions of the one that it replaces.
#[cfg(not(unix))]
fn inherit(file: &File, before: &Metadata) -> io::Result<()> {
    file.set_permissions(before.permissions())
}

/// A file in the making beside the place where it will stand. It is locked while it is made, so one that is not locked belongs to a
/// process that died. It is removed if it is dropped before it has its name.
struct Beside {
    path: PathBuf,
    file: File,
    /// Whether it is still to be removed.
    open: bool,
}

/// How the names of files in the making begin and end. They do not hold the name of the file, which may be as long as names can be.
const NAME: [&str; 2] = [".ordain-", ".new"];

impl Beside {
    fn create(path: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = folder_of(path);
        path.file_name().ok_or(ErrorKind::InvalidFilename)?;
        clear(folder);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}{}-{number}{}", NAME[0], std::process::id(), NAME[1]);
            let new = folder.join(name);
            let file = match File::create_new(&new) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            let beside = Self { path: new, file, open: true };
            // Without locks nobody clears the folder. With them, somebody who does may have been quicker.
            if beside.file.lock().is_err() || names(&beside.path, &beside.file)? {
                return Ok(beside);
            }
        }
    }

    fn fill(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Self> {
        let mut out = BufWriter::new(&self.file);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        self.file.sync_all()?;
        Ok(self)
    }

    /// Gives it its name by `take_name`, which also takes the old one away.
    fn put(mut self, take_name: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        take_name(&self.path)?;
        self.open = false;
        sync_folder(&self.path);
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if self.open {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The folder in which a file stands.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the name of a new file survive a crash, where the system allows it.
pub(super) fn sync_folder(path: &Path) {
    // Windows cannot open folders; there the name is durable with the file.
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
}

/// Removes what processes that died left in a folder. This is tidying: what cannot be removed stays.
pub(super) fn clear(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let in_the_making = |name: &str| name.starts_with(NAME[0]) && name.ends_with(NAME[1]);
    for path in entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(in_the_making))
        .map(|entry| entry.path())
    {
        let Ok(file) = File::options().read(true).write(true).open(&path) else { continue };
        if file.try_lock().is_ok() && names(&path, &file).is_ok_and(|same| same) {
            let _ = fs::remove_file(&path);
        }
    }
}
#[cfg(all(test, unix))]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, symlink};

    use super::*;

    fn text(text: &str) -> impl FnOnce(&mut dyn Write) -> std::io::Result<()> {
        move |out| out.write_all(text.as_bytes())
    }

    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        write_whole(&link, text("new")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        write_whole("/dev/null", text("gone")).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn what_cannot_be_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "old").unwrap();
        let broken = |out: &mut dyn Write| out.write_all(b"half").and(Err(ErrorKind::Other.into()));
        assert!(write_whole(&file, broken).is_err());
        fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
        assert!(write_whole(&file, text("new")).is_err());
        assert!(write_whole(folder.path(), text("new")).is_err());
        assert!(write_whole(folder.path().join("no/such"), text("new")).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_keeps_its_owner_and_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o664)).unwrap();
        // Only root may give files away; for anybody else the owner is the same all along.
        let _ = chown(&file, Some(1234), Some(2345));
        let before = fs::metadata(&file).unwrap();
        write_whole(&file, text("new")).unwrap();
        let after = fs::metadata(&file).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!((after.uid(), after.gid(), after.mode()), (before.uid(), before.gid(), before.mode()));
    }

    #[test]
    fn a_file_with_two_names_is_not_parted_from_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let [file, other] = ["file", "other"].map(|name| folder.path().join(name));
        fs::write(&file, "old").unwrap();
        fs::hard_link(&file, &other).unwrap();
        let error = write_whole(&file, text("new")).unwrap_err().to_string();
        assert!(error.contains("2 names"), "{error}");
        assert_eq!([&file, &other].map(|path| fs::read_to_string(path).unwrap()), ["old", "old"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn the_longest_name_will_do() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("n".repeat(255));
        for written in ["first", "second"] {
            write_whole(&file, text(written)).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), written);
        }
    }

    #[test]
    fn what_the_dead_left_is_cleared_and_what_the_living_make_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [dead, living, foreign, file] =
            [".ordain-1-0.new", ".ordain-2-0.new", "file.3.new", "file"].map(|name| folder.path().join(name));
        for path in [&dead, &living, &foreign] {
            fs::write(path, "half").unwrap();
        }
        let lock = File::open(&living).unwrap();
        lock.lock().unwrap();
        write_whole(&file, text("whole")).unwrap();
        assert_eq!([&dead, &living, &foreign, &file].map(|path| path.exists()), [false, true, true, true]);
    }

    #[test]
    fn a_new_file_takes_no_name_that_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        write_new(&file, b"first").unwrap();
        symlink("nowhere", &link).unwrap();
        for path in [&file, &link] {
            let Err(Error::Io { source, .. }) = write_new(path, b"second") else { panic!("{path:?} was taken") };
            assert_eq!(source.kind(), ErrorKind::AlreadyExists);
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        // A second name that a crash left beside the first is no reason to refuse the next change.
        fs::hard_link(&file, folder.path().join(".ordain-1-0.new")).unwrap();
        write_whole(&file, text("third")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "third");
    }
}
