//! Files that appear complete or not at all.

use std::fs::{self, File, Permissions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use super::log::sync_folder;
use crate::{Error, Result};

/// Writes a complete file. `write` writes to a new file beside it, which then takes the name, and the permissions of
/// the old file. If anything fails, the old file stays unchanged. A link is followed to its file. Anything that is not
/// a file (a pipe, a device) is written to directly.
///
/// # Errors
/// If the folder or the file cannot be written to, or the file is read-only.
pub fn write_whole(path: impl AsRef<Path>, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let path = path.as_ref();
    let failed = |source| Error::Io { action: "write", path: path.to_path_buf(), source };
    let Ok(before) = fs::metadata(path) else { return replace(path, None, write).map_err(failed) };
    if before.is_file() {
        let behind = fs::canonicalize(path).map_err(failed)?;
        return replace(&behind, Some(before.permissions()), write).map_err(failed);
    }
    let mut out = BufWriter::new(File::options().write(true).open(path).map_err(failed)?);
    write(&mut out).and_then(|()| out.flush()).map_err(failed)
}

fn replace(
    path: &Path,
    permissions: Option<Permissions>,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    if permissions.as_ref().is_some_and(Permissions::readonly) {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let mut name = path.file_name().ok_or(ErrorKind::InvalidFilename)?.to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = File::create(&beside).and_then(|file| {
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        fs::rename(&beside, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written?;
    sync_folder(path);
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

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
}
