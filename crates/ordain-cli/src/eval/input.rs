//! What `ordain eval` reads: judgements, and runs with their names.

use std::path::{Path, PathBuf};

use ordain::InputError;
use ordain::data::{Judgements, Run};
use ordain::formats::{Scored, read_letor_judgements, read_qrels, read_runs, read_scores_or_runs, told_apart};

use super::Arguments;
use crate::Failure;

/// What was read.
pub struct Input {
    pub judgements: Judgements,
    /// Every run with its file.
    pub runs: Vec<(PathBuf, Run)>,
    /// How many features a LETOR file has.
    pub features: Option<usize>,
}

impl Input {
    /// Reads the files that the arguments name.
    pub fn read(arguments: &Arguments) -> Result<Self, Failure> {
        let mut input = if arguments.letor.is_empty() {
            let judgements = read_qrels(arguments.qrels.as_deref().unwrap_or(Path::new("")))?;
            let mut runs = Vec::new();
            for path in &arguments.runs {
                runs.extend(read_runs(path)?.into_iter().map(|run| (path.clone(), run)));
            }
            Self { judgements, runs, features: None }
        } else {
            Self::letor(&arguments.letor, &arguments.runs)?
        };
        let tagged: Vec<(PathBuf, String)> =
            input.runs.iter().map(|(path, run)| (path.clone(), run.name.clone())).collect();
        for ((_, run), name) in input.runs.iter_mut().zip(told_apart(&tagged)) {
            run.name = name;
        }
        Ok(input)
    }

    /// Judgements of LETOR files, and files of scores or runs beside them.
    fn letor(letor: &[PathBuf], runs: &[PathBuf]) -> Result<Self, Failure> {
        let data = read_letor_judgements(letor)?;
        let mut out = Vec::new();
        for path in runs {
            match read_scores_or_runs(path)? {
                Scored::Runs(runs) => out.extend(runs.into_iter().map(|run| (path.clone(), run))),
                Scored::Scores(scores) => {
                    if scores.len() != data.documents.len() {
                        let expected = format!("{} scores, one per line of {}", data.documents.len(), listed(letor));
                        let error = InputError::new(path, expected).found(scores.len().to_string());
                        return Err(
                            ordain::Error::from(error.hint("or a TREC run: qid Q0 docid rank score tag")).into()
                        );
                    }
                    let mut run = Run::new(path.file_stem().unwrap_or_default().to_string_lossy());
                    run.queries =
                        data.judgements.queries.iter().map(|(query, _)| (query.clone(), Vec::new())).collect();
                    for (line, ((query, document), &score)) in data.documents.iter().zip(&scores).enumerate() {
                        if !run.push(*query, document, 0, score, line as u64 + 1) {
                            let error = InputError::new(&letor[0], "at most 4 GiB of document ids");
                            return Err(ordain::Error::from(error).into());
                        }
                    }
                    out.push((path.clone(), run));
                }
            }
        }
        Ok(Self { judgements: data.judgements, runs: out, features: Some(data.values) })
    }
}

/// The names of files, with commas between.
pub fn listed(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}
