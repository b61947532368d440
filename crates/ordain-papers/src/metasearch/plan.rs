//! What the results are made with, and how their tables are laid out.

use serde::{Deserialize, Serialize};

use super::searches::{Collection, Query};
use super::training::{OTHER_PRIORS, Source, Teachable, Trained, Training};
use crate::journal::{Layout, Row};

/// Everything beside the general part that decides the numbers, and what the report says of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// How many random orders of the training queries clicks are learned in.
    pub click_orders: usize,
    /// How many random orders full feedback is learned in, beside the order of the file.
    pub full_orders: usize,
    /// The weights of the initial weights that margin learns with: its own, and others to see what that matters.
    pub priors: Vec<f64>,
    /// The collections.
    pub collections: Vec<Searched>,
}

/// A collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// Its name in files.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// The experts.
    pub experts: Vec<String>,
    /// The queries.
    pub queries: Vec<Asked>,
    /// How many other queries there are, which no expert solves.
    pub dropped: usize,
}

/// A query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Its name in the data.
    pub query: String,
    /// The part that is held out with it.
    pub part: usize,
    /// The number of documents that some expert returned.
    pub documents: usize,
    /// How many of them are relevant.
    pub relevant: usize,
}

impl Searched {
    /// What is recorded of a collection.
    pub fn new(collection: &Collection) -> Self {
        let asked = |query: &Query| Asked {
            query: query.name.clone(),
            part: query.part,
            documents: query.grades.len(),
            relevant: query.relevant(),
        };
        Self {
            name: collection.name.to_owned(),
            title: collection.title.to_owned(),
            experts: collection.experts.clone(),
            queries: collection.queries.iter().map(asked).collect(),
            dropped: collection.dropped,
        }
    }

    /// The number of parts that are held out, one after the other.
    pub fn parts(&self) -> usize {
        self.queries.iter().map(|query| query.part + 1).max().unwrap_or(0)
    }
}

/// Rows of the table of trainings before those of the first part: both learners from both sources on all queries.
pub const ON_ALL: [(Teachable, Source); 4] = [
    (Teachable::Margin, Source::Full),
    (Teachable::Margin, Source::Clicks),
    (Teachable::Hedge, Source::Full),
    (Teachable::Hedge, Source::Clicks),
];

impl Plan {
    /// The trainings on a collection in the order of its table: first on all queries in the order of the file, then for every
    /// part that is held out.
    pub fn trainings(&self, parts: usize) -> Vec<Training> {
        let on_all =
            ON_ALL.into_iter().map(|(learner, source)| Training { learner, source, held_out: None, order: None });
        on_all.chain((0..parts).flat_map(|part| self.trainings_of(part))).collect()
    }

    /// The trainings without a part. What Hedge learns from full feedback does not depend on the order.
    fn trainings_of(&self, part: usize) -> impl Iterator<Item = Training> {
        let with = move |learner, source, order| Training { learner, source, held_out: Some(part), order };
        let full = [Teachable::Margin, Teachable::Hedge].map(|learner| with(learner, Source::Full, None));
        let priors = (0..OTHER_PRIORS.len()).map(move |at| with(Teachable::MarginPrior(at), Source::Full, None));
        let orders = (0..self.full_orders).map(move |order| with(Teachable::Margin, Source::Full, Some(order)));
        let clicks = move |learner| move |order| with(learner, Source::Clicks, Some(order));
        let (margin, hedge) = (clicks(Teachable::Margin), clicks(Teachable::Hedge));
        full.into_iter()
            .chain(priors)
            .chain(orders)
            .chain((0..self.click_orders).map(margin))
            .chain((0..self.click_orders).map(hedge))
    }

    /// The table of trainings of a collection.
    pub fn trained_layout(&self, searched: &Searched) -> Layout {
        let key = |training: Training| {
            let held_out = training.held_out.map_or_else(|| "none".to_owned(), |part| (part + 1).to_string());
            let order = training.order.map_or_else(|| "file".to_owned(), |order| (order + 1).to_string());
            format!("{held_out},{},{},{order}", training.learner.name(), training.source.name())
        };
        let columns = ["held_out", "learner", "feedback", "order", "loss", "bound", "least_loss", "rounds"];
        let weights = searched.experts.iter().map(|expert| format!("weight {expert}"));
        Layout {
            columns: columns.map(str::to_owned).into_iter().chain(weights).collect(),
            keys: self.trainings(searched.parts()).into_iter().map(key).collect(),
        }
    }

    /// The table of queries of a collection.
    pub fn queries_layout(&self, searched: &Searched) -> Layout {
        let orders = (1..=self.full_orders).map(|order| format!("margin_order_{order}"));
        let priors = (0..OTHER_PRIORS.len()).map(|at| Teachable::MarginPrior(at).name());
        let of = |what: &'static str| searched.experts.iter().map(move |expert| format!("{what} {expert}"));
        let shares = AGREEMENTS.into_iter().chain(LOSSES).chain(MISORDERED);
        let fixed = ["query", "part"].into_iter().chain(METHODS).chain(shares).map(str::to_owned);
        Layout {
            columns: fixed
                .chain(priors)
                .chain(orders)
                .chain(of("rank"))
                .chain(of("completed"))
                .chain(of("wrong"))
                .collect(),
            keys: searched.queries.iter().map(|asked| format!("{},{}", asked.query, asked.part + 1)).collect(),
        }
    }
}

/// Whose ranks the table of queries holds, in the order of its columns.
pub const METHODS: [&str; 12] = [
    "margin_full",
    "margin_clicks",
    "hedge_full",
    "hedge_clicks",
    "equal",
    "margin_components",
    "margin_local",
    "borda",
    "combsum",
    "combmnz",
    "rrf",
    "copeland",
];

/// Shares of the preference that orders by margin's weights agree with.
pub const AGREEMENTS: [&str; 3] = ["agree_greedy", "agree_components", "agree_local"];

/// Shares of wrong pairs: of the weighted experts, whose mean it is (LTOT equation 2), and of their greedy order.
pub const LOSSES: [&str; 3] = ["wrong_margin", "wrong_hedge", "wrong_equal"];
pub const MISORDERED: [&str; 3] = ["misordered_margin", "misordered_hedge", "misordered_equal"];

impl Trained {
    /// As a row of its table.
    pub fn row(&self) -> Row {
        let first = [self.loss, self.bound, self.least, self.rounds];
        first.iter().chain(&self.weights).copied().map(Some).collect()
    }

    /// From a row of its table; none if a number is missing.
    pub fn from_row(row: &Row) -> Option<Self> {
        let all: Vec<f64> = row.iter().copied().collect::<Option<_>>()?;
        let (&[loss, bound, least, rounds], weights) = all.split_first_chunk::<4>()?;
        Some(Self { loss, bound, least, rounds, weights: weights.to_vec() })
    }
}
