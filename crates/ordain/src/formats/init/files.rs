//! How a project file names its files, and how TOML and a shell write words.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use super::Sketch;
use crate::{Error, InputError, Result};

/// The name of a file in the project: relative to the project's folder, or absolute if the two share only the root.
pub(super) fn named(sketch: &Sketch, file: &Path) -> Result<String> {
    let io = |source| Error::Io { action: "find", path: file.to_path_buf(), source };
    let full = std::path::absolute(file).map_err(io)?;
    let folder = if sketch.folder.as_os_str().is_empty() { Path::new(".") } else { &sketch.folder };
    let folder = std::path::absolute(folder).map_err(io)?;
    let name = match full.strip_prefix(&folder) {
        Ok(inside) => inside.to_path_buf(),
        Err(_) => relative(&folder, &full).unwrap_or(full),
    };
    match name.to_str() {
        Some(name) => Ok(quoted(name)),
        None => Err(InputError::new(file, "a file name in UTF-8").hint("rename the file").into()),
    }
}

/// The path from a folder to a file outside it, if they share more than the root.
fn relative(folder: &Path, file: &Path) -> Option<PathBuf> {
    // The file's own name stays as it is, even if it is a link.
    let (folder, place) = (resolved(folder)?, resolved(file.parent()?)?);
    let common = folder.components().zip(place.components()).take_while(|(one, other)| one == other);
    let common: PathBuf = common.map(|(one, _)| one).collect();
    if !common.components().any(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let up = folder.strip_prefix(&common).ok()?.components().map(|_| Component::ParentDir);
    let down = place.strip_prefix(&common).ok()?.components();
    Some(up.chain(down).collect::<PathBuf>().join(file.file_name()?))
}

/// A folder without `..` and symbolic links, which would make `..` lead elsewhere. It need not exist yet.
fn resolved(folder: &Path) -> Option<PathBuf> {
    match folder.canonicalize() {
        Ok(full) => Some(full),
        Err(_) => Some(resolved(folder.parent()?)?.join(folder.file_name()?)),
    }
}

/// A TOML string.
pub(in crate::formats) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// A word as a shell reads it back.
pub(super) fn typed(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+:,@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_the_folder() {
        let sketch = |folder: &str| Sketch { folder: folder.into(), ..Sketch::default() };
        assert_eq!(named(&sketch(""), Path::new("a b.csv")).unwrap(), "\"a b.csv\"");
        assert_eq!(named(&sketch("."), Path::new("./x.csv")).unwrap(), "\"x.csv\"");
        assert_eq!(named(&sketch("p"), Path::new("p/x.csv")).unwrap(), "\"x.csv\"");
        assert_eq!(named(&sketch("p"), Path::new("x.csv")).unwrap(), "\"../x.csv\"");
        assert_eq!(named(&sketch("p/q"), Path::new("r/x.csv")).unwrap(), "\"../../r/x.csv\"");
        assert_eq!(named(&sketch("src/../p"), Path::new("./src/x.csv")).unwrap(), "\"../src/x.csv\"");
        let far = if cfg!(windows) { "Z:\\x.csv" } else { "/x.csv" };
        assert_eq!(named(&sketch("p"), Path::new(far)).unwrap(), quoted(far));
    }

    #[test]
    fn every_text_becomes_the_same_text() {
        for text in ["", "plain", "a\"b", "back\\slash", "tab\tline\n", "\u{7f}\u{1}", "äß€𝄞", "''"] {
            let toml = format!("x = {}", quoted(text));
            let table = toml::de::DeTable::parse(&toml).unwrap();
            assert_eq!(table.get_ref().get("x").unwrap().get_ref().as_str(), Some(text));
        }
    }
}
