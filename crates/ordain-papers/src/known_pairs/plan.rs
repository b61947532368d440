//! What the results of a known-pairs experiment are made with, and how its tables are laid out.

use serde::{Deserialize, Serialize};

use super::models::{Model, Tuned};
use crate::journal::Layout;
use crate::query::Measured;

/// Everything beside the general part that decides the numbers of a known-pairs experiment, and what the report says of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The numbers of known pairs.
    pub known: Vec<usize>,
    /// How often known pairs are drawn anew.
    pub reruns: usize,
    /// How often they were drawn to tune by.
    pub tuning_draws: usize,
    /// The parts: which queries the models of each part were tuned on.
    pub tuned_on: Vec<Vec<String>>,
    /// The queries that models are measured on.
    pub queries: Vec<Paired>,
    /// The models, in the order of the tables. Records without them have the paper's.
    #[serde(default = "paper_models")]
    pub models: Vec<Model>,
}

fn paper_models() -> Vec<Model> {
    Model::PAPER.to_vec()
}

/// A query that models are measured on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// What is said of every measured query.
    #[serde(flatten)]
    pub measured: Measured,
    /// The number of pairs of a better and a worse item.
    pub pairs: usize,
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

impl Plan {
    /// The table of tuned numbers: a row for every part, number of known pairs and model.
    pub fn tuned_layout(&self) -> Layout {
        let keys = self.tunings().map(|(part, known, model)| format!("{},{known},{}", part + 1, model.name()));
        let columns = ["part", "known", "model"].into_iter().chain(Tuned::COLUMNS);
        let columns = columns.chain(self.has_text().then_some(Tuned::TEXT_COLUMN));
        Layout { columns: columns.map(str::to_owned).collect(), keys: keys.collect() }
    }

    /// What is tuned, in the order of the table: part, number of known pairs, model.
    pub fn tunings(&self) -> impl Iterator<Item = (usize, usize, Model)> {
        (0..self.tuned_on.len()).flat_map(move |part| {
            self.known.iter().flat_map(move |&known| self.models.iter().map(move |&model| (part, known, model)))
        })
    }

    /// Where the tuned numbers of a cell stand among [`Plan::tunings`].
    pub fn tuning_of(&self, cell: Cell) -> usize {
        let part = self.queries[cell.query].measured.part;
        (part * self.known.len() + cell.known) * self.models.len() + self.place(cell.model)
    }

    /// The place of a model in the tables.
    pub fn place(&self, model: Model) -> usize {
        self.models.iter().position(|own| *own == model).unwrap_or_else(|| unreachable!("{model:?} is not planned"))
    }

    /// Whether a model is over texts.
    pub fn has_text(&self) -> bool {
        self.models.iter().any(|model| model.words().is_some())
    }

    /// The table of cells.
    pub fn cells_layout(&self) -> Layout {
        let key = |cell: Cell| {
            let (query, known) = (&self.queries[cell.query].measured.query, self.known[cell.known]);
            format!("{query},{known},{},{}", cell.rerun + 1, cell.model.name())
        };
        Layout {
            columns: ["query", "known", "rerun", "model", "error", "auc"].map(str::to_owned).to_vec(),
            keys: (0..self.queries.len() * self.cells_per_query()).map(|at| key(self.cell(at))).collect(),
        }
    }

    /// The cells of one query stand together; so many.
    pub fn cells_per_query(&self) -> usize {
        self.known.len() * self.reruns * self.models.len()
    }

    /// The cell at a position of the table.
    pub fn cell(&self, at: usize) -> Cell {
        let models = self.models.len();
        Cell {
            query: at / self.cells_per_query(),
            known: at / (models * self.reruns) % self.known.len(),
            rerun: at / models % self.reruns,
            model: self.models[at % models],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records that call items documents are read, and say items when they are written.
    #[test]
    fn records_of_either_word() {
        let text = |word: &str| format!(r#"{{"query":"q","part":1,"{word}":5,"links":2,"pairs":6}}"#);
        let measured = Measured { query: "q".into(), part: 1, items: 5, links: 2 };
        let expected = Paired { measured, pairs: 6 };
        for word in ["documents", "items"] {
            assert_eq!(serde_json::from_str::<Paired>(&text(word)).unwrap(), expected);
        }
        assert_eq!(serde_json::to_string(&expected).unwrap(), text("items"));
    }
}
