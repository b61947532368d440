//! Runs on OHSUMED with the topics of TREC-9's filtering track.

use super::cacm;
use crate::data::{DataCollection, DataFile};

const fn part(path: &'static str, form: &'static str, sha256: &'static str) -> DataFile {
    const COLLECTION: DataCollection = DataCollection {
        name: "OHSUMED runs",
        makers: "two student projects, on the topics and judgements of TREC-9's filtering track",
    };
    DataFile { path, form, collection: &COLLECTION, sha256 }
}

/// Nine systems' lists.
pub const RUNS: DataFile = part(
    "ohsumed-runs/runs.tsv.gz",
    cacm::RUNS.form,
    "15a81307e17662db9b1b9e5b411c6973d48f99704a101a3eb93d9fc5058ac74d",
);
/// Which documents are relevant.
pub const JUDGEMENTS: DataFile = part(
    "ohsumed-runs/qrels.tsv.gz",
    cacm::JUDGEMENTS.form,
    "a0bd7f8860c334fc39be2b364280c84e82b0057eb21a53f87323b7521db815b2",
);
