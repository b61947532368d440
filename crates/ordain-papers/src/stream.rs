//! The random streams of the experiments: what the bits of a stream's number say. Another number means other results.

/// What a stream is drawn for, so that tuning and measuring never share one.
#[derive(Debug, Clone, Copy)]
pub enum Phase {
    /// Tuning.
    Tuning = 1,
    /// Measuring.
    Measuring = 2,
}

impl Phase {
    /// The stream of a match about a problem.
    pub fn of_match(self, problem: usize, number: usize) -> u64 {
        (self as u64) << 60 | (problem as u64) << 24 | number as u64
    }

    /// The stream by which so many pairs of a query are made known.
    pub fn of_pairs(self, query: usize, known: usize, rerun: usize) -> u64 {
        (self as u64) << 60 | (query as u64) << 40 | (known as u64) << 16 | rerun as u64
    }
}

/// The stream of an order of a collection's queries, one part of which may be held out.
pub fn of_order(collection: usize, held_out: Option<usize>, order: usize) -> u64 {
    let part = held_out.map_or(0, |part| part as u64 + 1);
    (collection as u64) << 56 | part << 32 | order as u64
}
