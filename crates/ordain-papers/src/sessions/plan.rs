//! What the results of sessions are made with, and how their tables are laid out.

use ordain::active::marks;
use serde::{Deserialize, Serialize};

use super::tuned::Tuned;
use crate::journal::Layout;
use crate::query::Measured;

/// Everything beside the general part that decides the numbers, and what the report says of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Answers in a session.
    pub answers: usize,
    /// Sessions of every contender on every query.
    pub repeats: usize,
    /// Who explores.
    pub contenders: Vec<String>,
    /// The beliefs that are tuned.
    pub tuned: Vec<String>,
    /// The parts: which queries the beliefs of each part were tuned on.
    pub tuned_on: Vec<Vec<String>>,
    /// The queries that contenders are measured on.
    pub queries: Vec<Measured>,
    /// Of every query, [`MEASURES`] of an order that knows nothing: the quality after 0 answers.
    pub before: Vec<[f64; MEASURES.len()]>,
}

/// What is measured at every mark, in the order of [`ordain::active::Quality::values`].
pub const MEASURES: [&str; 3] = ["map", "ndcg10", "best"];

impl Plan {
    /// The table of tuned numbers: a row for every part and belief.
    pub fn tuned_layout(&self) -> Layout {
        let key = |part: usize| self.tuned.iter().map(move |name| format!("{},{name}", part + 1));
        Layout { columns: Tuned::columns(), keys: (0..self.tuned_on.len()).flat_map(key).collect() }
    }

    /// The table of sessions.
    pub fn sessions_layout(&self) -> Layout {
        let marks = marks(self.answers);
        let curves = MEASURES.iter().flat_map(|measure| marks.iter().map(move |mark| format!("{measure}_{mark}")));
        let columns = ["query", "repeat", "contender"].map(str::to_owned).into_iter().chain(curves).collect();
        let key = |at: usize| {
            let (repeat, contender) = self.session(at);
            let query = &self.queries[at / self.sessions_per_query()].query;
            format!("{query},{},{}", repeat + 1, self.contenders[contender])
        };
        Layout { columns, keys: (0..self.queries.len() * self.sessions_per_query()).map(key).collect() }
    }

    /// The sessions of one query stand together; so many.
    pub fn sessions_per_query(&self) -> usize {
        self.repeats * self.contenders.len()
    }

    /// The repeat and the contender of a row of the table.
    pub fn session(&self, at: usize) -> (usize, usize) {
        (at / self.contenders.len() % self.repeats, at % self.contenders.len())
    }
}
