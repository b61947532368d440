//! `docs/data.md` lists the files that experiments read, and they are what it says.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ordain_papers::experiments;
use sha2::{Digest, Sha256};

/// A row of a table: the heading above it, the file, its SHA-256 and what reads it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    collection: String,
    path: String,
    sha256: String,
    read_by: String,
}

fn rows() -> Vec<Row> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data.md");
    let mut collection = "";
    let mut rows = Vec::new();
    let text = std::fs::read_to_string(page).unwrap();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            collection = heading;
        }
        let Some(cells) = line.strip_prefix("| `").and_then(|line| line.strip_suffix(" |")) else { continue };
        let [path, sha256, read_by] = cells.split(" | ").collect::<Vec<_>>()[..] else { panic!("three cells: {line}") };
        let [path, sha256] = [path, sha256].map(|cell| cell.trim_matches('`').to_owned());
        rows.push(Row { collection: collection.to_owned(), path, sha256, read_by: read_by.to_owned() });
    }
    rows
}

#[test]
fn the_page_lists_exactly_the_files_of_the_experiments() {
    let wanted: BTreeSet<[&str; 3]> = experiments()
        .iter()
        .flat_map(|experiment| experiment.data)
        .map(|file| [file.collection.name, file.path, file.sha256])
        .collect();
    let rows = rows();
    let listed: BTreeSet<[&str; 3]> = rows
        .iter()
        .filter(|row| row.read_by.contains("experiments"))
        .map(|row| [row.collection.as_str(), &row.path, &row.sha256])
        .collect();
    assert_eq!(listed, wanted);
    let paths: BTreeSet<&str> = rows.iter().map(|row| row.path.as_str()).collect();
    assert_eq!(paths.len(), rows.len(), "a file is listed twice");
}

/// Every file of the page, where the folder of public data is at hand.
#[test]
fn the_files_have_these_hashes() {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ORDAIN_DATA").map_or_else(beside, PathBuf::from);
    for Row { path, sha256, .. } in rows() {
        let Ok(bytes) = std::fs::read(folder.join(&path)) else {
            eprintln!("SKIPPED: no {path} in {}; set ORDAIN_DATA to the folder of public data", folder.display());
            continue;
        };
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, sha256, "{path}");
    }
}
