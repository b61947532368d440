//! Projects as `ordain init` writes them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use ordain::formats::Sketch;
use ordain::{Error, Model, Project, Result};

/// The model of the project that `init` writes for a table of this name, with these lists of links.
///
/// # Errors
/// If the table cannot be written to a temporary folder, or is none of items or answers.
pub fn project(name: &str, table: &str, relations: &[PathBuf]) -> Result<Model> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("ordain-fresh-{}-{number}", std::process::id()));
    let made = in_folder(&folder, name, table, relations);
    let _ = std::fs::remove_dir_all(&folder);
    made
}

/// A table of so many items without attributes.
pub fn plain_table(items: usize) -> String {
    std::iter::once("id\n".to_owned()).chain((0..items).map(|item| format!("i{item}\n"))).collect()
}

fn in_folder(folder: &Path, name: &str, table: &str, relations: &[PathBuf]) -> Result<Model> {
    let file = folder.join(name);
    let write = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, table));
    write.map_err(|source| Error::Io { action: "write", path: file.clone(), source })?;
    let sketch = Sketch { folder: folder.to_path_buf(), file, relations: relations.to_vec(), ..Sketch::default() };
    let (path, _) = Project::create(&sketch)?;
    Ok(Project::open(path)?.model().clone())
}
