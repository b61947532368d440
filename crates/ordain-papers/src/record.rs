//! The conditions under which the results in a folder were made, so that different results are never mixed.

use std::path::Path;

use ordain::formats::write_whole;
use ordain::{Error, InputError, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::data::Fingerprint;

/// The conditions that every experiment has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct General {
    /// Its name.
    pub experiment: String,
    /// The version of the command.
    pub ordain: String,
    /// Rises when the experiment changes in a way that changes its numbers.
    pub settings: u32,
    /// The seed of all random choices.
    pub seed: u64,
    /// Whether this is the small version.
    pub quick: bool,
    /// The files that were read.
    pub data: Vec<Fingerprint>,
}

/// All conditions that decide the numbers of an experiment: the general part, and the plan of experiments of its kind.
/// One object in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record<P> {
    /// The part that all experiments have.
    #[serde(flatten)]
    pub general: General,
    /// The part of experiments of its kind.
    #[serde(flatten)]
    pub plan: P,
}

impl General {
    /// The command that makes the same results again.
    pub fn command(&self) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        format!("ordain reproduce {}{quick} --seed {}", self.experiment, self.seed)
    }

    /// Reads the general part of the record in a folder; none if there is none.
    ///
    /// # Errors
    /// If the file cannot be read or is not a record.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        read(path)
    }

    /// The first difference: the value in the folder and the requested one.
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
        parts.into_iter().zip(same).find(|(_, same)| !same).map(|(part, _)| part)
    }
}

impl<P: Serialize + DeserializeOwned + PartialEq> Record<P> {
    /// Reads the record in a folder; none if there is none.
    ///
    /// # Errors
    /// If the file cannot be read or is not a record.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        read(path)
    }

    /// Writes the record into its folder, which is created if needed, or checks that the record there is the same.
    ///
    /// # Errors
    /// If the results in the folder were made under other conditions, or the file cannot be written.
    pub fn claim(&self, path: &Path) -> Result<()> {
        // The general part first: the rest of another version may not be readable.
        let differs = match General::read(path)? {
            None => {
                if let Some(folder) = path.parent() {
                    let failed = |source| Error::Io { action: "create", path: folder.to_path_buf(), source };
                    std::fs::create_dir_all(folder).map_err(failed)?;
                }
                return write_whole(path, |out| {
                    serde_json::to_writer_pretty(&mut *out, self)?;
                    out.write_all(b"\n")
                });
            }
            Some(held) => self.general.difference(&held),
        };
        let other = || ("other queries or settings".to_owned(), "those of this version".to_owned());
        let differs = match differs {
            None => Self::read(path)?.filter(|held| held != self).map(|_| other()),
            differs => differs,
        };
        let Some((found, expected)) = differs else { return Ok(()) };
        let hint = "these results stay as they are: choose another folder with --out, or move them away";
        Err(InputError::new(path, expected).found(found).hint(hint).into())
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
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
