//! What the results of an experiment in a folder were made with, so that results made differently are never mixed.

use std::path::{Path, PathBuf};

use ordain::formats::write_whole;
use ordain::{Error, InputError, Result};
use serde::{Deserialize, Serialize};

use crate::data::Fingerprint;
use crate::journal::Layout;
use crate::models::{Model, Tuned};

/// Everything that decides the numbers of a known-pairs experiment, and what the report says of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its name.
    pub experiment: String,
    /// The version of the command.
    pub ordain: String,
    /// Rises when the experiment changes in a way that changes its numbers.
    pub settings: u32,
    /// What all random choices derive from.
    pub seed: u64,
    /// Whether this is the small version.
    pub quick: bool,
    /// The files that were read.
    pub data: Vec<Fingerprint>,
    /// The numbers of known pairs.
    pub known: Vec<usize>,
    /// How often known pairs are drawn anew.
    pub reruns: usize,
    /// How often they were drawn to tune by.
    pub tuning_draws: usize,
    /// The parts: which queries the models of each part were tuned on.
    pub tuned_on: Vec<Vec<String>>,
    /// The queries that models are measured on.
    pub queries: Vec<Measured>,
}

/// A query that models are measured on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Its name in the data.
    pub query: String,
    /// The part whose tuned models it takes.
    pub part: usize,
    /// The number of documents.
    pub documents: usize,
    /// The number of linked pairs of documents.
    pub links: usize,
    /// The number of pairs of a better and a worse document.
    pub pairs: usize,
}

/// The files of an experiment in an output folder.
pub struct Files {
    /// What it was made with.
    pub record: PathBuf,
    /// The tuned numbers.
    pub tuned: PathBuf,
    /// The cells.
    pub cells: PathBuf,
    /// The summary.
    pub summary: PathBuf,
    /// The figure of error rates.
    pub error: PathBuf,
    /// The figure of areas under the curve.
    pub auc: PathBuf,
}

impl Files {
    /// The files of this experiment in this folder.
    pub fn new(folder: &Path, experiment: &str) -> Self {
        let file = |ending: &str| folder.join(format!("{experiment}{ending}"));
        Self {
            record: file(".json"),
            tuned: file("-tuned.csv"),
            cells: file(".csv"),
            summary: file("-summary.csv"),
            error: file("-error.svg"),
            auc: file("-auc.svg"),
        }
    }
}

/// One cell: a query, a number of known pairs, a draw of them, a model.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// The position of the query among the measured ones.
    pub query: usize,
    /// The position of the number of known pairs.
    pub known: usize,
    /// The draw, from 0.
    pub rerun: usize,
    /// The model.
    pub model: Model,
}

impl Record {
    /// The table of tuned numbers: a row for every part, number of known pairs and model.
    pub fn tuned_layout(&self) -> Layout {
        let keys = self.tunings().map(|(part, known, model)| format!("{},{known},{}", part + 1, model.name()));
        Layout { columns: Tuned::COLUMNS, keys: keys.collect() }
    }

    /// What is tuned, in the order of the table: part, number of known pairs, model.
    pub fn tunings(&self) -> impl Iterator<Item = (usize, usize, Model)> {
        (0..self.tuned_on.len()).flat_map(move |part| {
            self.known.iter().flat_map(move |&known| Model::ALL.map(|model| (part, known, model)))
        })
    }

    /// Where the tuned numbers of a cell stand among [`Record::tunings`].
    pub fn tuning_of(&self, cell: Cell) -> usize {
        let part = self.queries[cell.query].part;
        (part * self.known.len() + cell.known) * Model::ALL.len() + cell.model as usize
    }

    /// The table of cells.
    pub fn cells_layout(&self) -> Layout {
        let key = |cell: Cell| {
            let (query, known) = (&self.queries[cell.query].query, self.known[cell.known]);
            format!("{query},{known},{},{}", cell.rerun + 1, cell.model.name())
        };
        Layout {
            columns: &["query", "known", "rerun", "model", "error", "auc"],
            keys: (0..self.queries.len() * self.cells_per_query()).map(|at| key(self.cell(at))).collect(),
        }
    }

    /// The cells of one query stand together; so many.
    pub fn cells_per_query(&self) -> usize {
        self.known.len() * self.reruns * Model::ALL.len()
    }

    /// The cell at a position of the table.
    pub fn cell(&self, at: usize) -> Cell {
        let models = Model::ALL.len();
        Cell {
            query: at / self.cells_per_query(),
            known: at / (models * self.reruns) % self.known.len(),
            rerun: at / models % self.reruns,
            model: Model::ALL[at % models],
        }
    }

    /// What to type to get the same again.
    pub fn command(&self) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        format!("ordain reproduce {}{quick} --seed {}", self.experiment, self.seed)
    }

    /// Reads what the results in a folder were made with; none if there are none.
    ///
    /// # Errors
    /// If the file cannot be read or does not say it.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::Io { action: "read", path: path.to_path_buf(), source }),
        };
        let record = serde_json::from_slice(&text).map_err(|error| {
            let mut wrong = InputError::new(path, "what the results beside it were made with").found(error.to_string());
            if error.line() > 0 {
                wrong = wrong.line(error.line() as u64);
            }
            wrong.hint("move the results away, or choose another folder with --out")
        })?;
        Ok(Some(record))
    }

    /// Writes it into the folder, or checks that what stands there says the same.
    ///
    /// # Errors
    /// If the results in the folder were made otherwise, or the file cannot be written.
    pub fn claim(&self, path: &Path) -> Result<()> {
        let Some(held) = Self::read(path)? else {
            return write_whole(path, |out| {
                serde_json::to_writer_pretty(&mut *out, self)?;
                out.write_all(b"\n")
            });
        };
        let Some((found, expected)) = self.difference(&held) else { return Ok(()) };
        let hint = "these results stay as they are: choose another folder with --out, or move them away";
        Err(InputError::new(path, expected).found(found).hint(hint).into())
    }

    /// What the folder holds and what was asked for, where they differ.
    fn difference(&self, held: &Self) -> Option<(String, String)> {
        let quick = |record: &Self| if record.quick { "a quick run" } else { "a full run" }.to_owned();
        let data = |record: &Self| {
            let differs = record.data.iter().find(|file| !(self.data.contains(file) && held.data.contains(file)));
            differs.map_or_else(String::new, |file| format!("{} with checksum {}", file.file, file.checksum))
        };
        let parts = [
            (held.seed.to_string(), format!("seed {}", self.seed)),
            (quick(held), quick(self)),
            (format!("ordain {}", held.ordain), format!("ordain {}", self.ordain)),
            (format!("settings {}", held.settings), format!("settings {}", self.settings)),
            (data(held), data(self)),
        ];
        let same = [
            held.seed == self.seed,
            held.quick == self.quick,
            held.ordain == self.ordain,
            held.settings == self.settings,
            held.data == self.data,
        ];
        let other = || ("other queries or numbers of pairs".to_owned(), "those of this version".to_owned());
        let first = parts.into_iter().zip(same).find(|(_, same)| !same).map(|(part, _)| part);
        first.or_else(|| (held != self).then(other))
    }
}
