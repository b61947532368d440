//! Files that must not be one and the same.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{InputError, Result};

/// A file with its part in the work, as in "another place for --output than for --qrels".
pub type Role<'a> = (&'a str, &'a Path);

/// Fails if a file to be written is also a file to be read, or would be written twice. Two names are one file if they
/// lead to the same place, through whatever folders, symbolic links or hard links. A file that does not exist yet has a
/// place too. Devices and pipes are never the same: what is written to them is not read from them.
///
/// # Errors
/// If two files are the same. Nothing has been written then.
pub fn check_apart(outputs: &[Role<'_>], inputs: &[Role<'_>]) -> Result<()> {
    for (at, &(role, path)) in outputs.iter().enumerate() {
        let Some(own) = Identity::of(path) else { continue };
        let others = outputs[..at].iter().chain(inputs);
        let same = others.into_iter().find(|(_, other)| Identity::of(other).as_ref() == Some(&own));
        if let Some((other, _)) = same {
            return Err(InputError::new(path, format!("another place for {role} than for {other}"))
                .hint("both names lead to the same place, and what is read there would be overwritten")
                .into());
        }
    }
    Ok(())
}

/// The same, and fails if the folder of a file to be written does not exist: nobody wants to hear of it after the work.
///
/// # Errors
/// If a folder does not exist, or two files are the same. Nothing has been written then.
pub fn check_outputs(outputs: &[Role<'_>], inputs: &[Role<'_>]) -> Result<()> {
    for (role, path) in outputs {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(InputError::new(path, format!("a place in a folder that exists, for {role}"))
                .hint("create the folder, or name another")
                .into());
        }
    }
    check_apart(outputs, inputs)
}

/// Two names of the same file have the same identity.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// The device and the number of a file that exists.
    #[cfg(unix)]
    Number(u64, u64),
    Place(PathBuf),
}

impl Identity {
    /// The identity of a file or a folder, whether it exists or not; none for anything else.
    fn of(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(found) if found.is_file() || found.is_dir() => Some(Self::of_existing(path, &found)),
            Ok(_) => None,
            Err(_) => Some(Self::Place(place(path))),
        }
    }

    #[cfg(unix)]
    fn of_existing(_: &Path, found: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self::Number(found.dev(), found.ino())
    }

    #[cfg(not(unix))]
    fn of_existing(path: &Path, _: &fs::Metadata) -> Self {
        Self::Place(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()))
    }
}

/// The place of a file that does not exist, by its folder, which may.
fn place(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = full.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, full.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => full,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(output: &Path, input: &Path) -> bool {
        check_apart(&[("--output", output)], &[("the items", input)]).is_ok()
    }

    #[test]
    fn names_of_one_file() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::write(at("a"), "a").unwrap();
        fs::write(at("b"), "a").unwrap();
        fs::create_dir(at("sub")).unwrap();
        assert!(apart(&at("a"), &at("b")) && apart(&at("new"), &at("a")) && apart(&at("new"), &at("newer")));
        assert!(!apart(&at("a"), &at("a")) && !apart(&at("sub/../a"), &at("a")));
        assert!(!apart(&at("new"), &at("new")) && !apart(&at("sub/../new"), &at("./new")));
        assert!(!apart(&at("sub"), &at("./sub/")));
        let twice = check_apart(&[("--output", &at("new")), ("--state", &at("./new"))], &[]).unwrap_err();
        assert!(twice.to_string().ends_with("new: expected another place for --state than for --output"), "{twice}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::write(at("a"), "a").unwrap();
        fs::create_dir(at("sub")).unwrap();
        std::os::unix::fs::symlink("a", at("soft")).unwrap();
        std::os::unix::fs::symlink("sub", at("folder")).unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        assert!(!apart(&at("soft"), &at("a")) && !apart(&at("hard"), &at("soft")));
        assert!(!apart(&at("folder/new"), &at("sub/new")) && apart(&at("folder/new"), &at("new")));
        let null = Path::new("/dev/null");
        assert!(apart(null, null));
    }
}
