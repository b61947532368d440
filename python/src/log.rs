//! The file in which a model in memory keeps answers.

use std::path::PathBuf;

use ordain::data::Items;
use ordain::formats::{AnswerWriter, read_answers};
use pyo3::prelude::*;

use crate::answers::{self, Said, Tuple};
use crate::door::Engine;
use crate::failure::Outcome;
use crate::long::quick;

/// An answer log that a model in memory keeps in a file.
#[pyclass(module = "ordain._core")]
pub struct Log {
    path: PathBuf,
    items: Items,
    writer: AnswerWriter,
}

#[pymethods]
impl Log {
    /// Opens a log of answers about these items, or begins one.
    #[new]
    fn new(path: PathBuf, engine: &Engine, py: Python<'_>) -> Outcome<Self> {
        let items = engine.items(py)?;
        let writer = quick(py, || Ok(AnswerWriter::open(&path, &items)?))?;
        Ok(Self { path, items, writer })
    }

    /// The answers that stand.
    fn standing(&self, py: Python<'_>) -> Outcome<Vec<Tuple>> {
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        let log = quick(py, || Ok(read_answers(&self.path, &self.items)?))?;
        Ok(log.standing().into_iter().map(answers::answer_tuple).collect())
    }

    /// Appends an answer. It is on the disk when this returns.
    #[pyo3(signature = (first, second, outcome, judge=None, time=None, others=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "one call from one place, with names")]
    fn append(
        &mut self,
        py: Python<'_>,
        first: i64,
        second: i64,
        outcome: &str,
        judge: Option<String>,
        time: Option<String>,
        others: Vec<i64>,
    ) -> Outcome<()> {
        let entry = Said(first, second, &others, outcome).entry(judge, time, self.items.len())?;
        let (writer, items) = (&mut self.writer, &self.items);
        quick(py, move || Ok(writer.append(&entry, items)?))
    }
}
