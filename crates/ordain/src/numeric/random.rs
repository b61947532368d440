//! Random streams: one per task, derived from one seed. They are the same on every machine and for any number of
//! threads.
//!
//! A seed has 2⁶⁴ streams. A [`Purpose`] names one of them. Two purposes may share a stream only if no run uses both
//! with one seed.

use std::convert::Infallible;

use rand::TryRng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The seed of all random choices of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream for a purpose. A plain number means [`Purpose::Task`].
    ///
    /// ```
    /// use ordain::numeric::{Purpose, Seed};
    /// use rand::RngExt;
    ///
    /// let first: u64 = Seed(7).stream(Purpose::Sides { answers: 0 }).random();
    /// let again: u64 = Seed(7).stream(Purpose::Sides { answers: 0 }).random();
    /// let other: u64 = Seed(7).stream(Purpose::Choice { answers: 0 }).random();
    /// assert!(first == again && first != other);
    /// ```
    pub fn stream(self, purpose: impl Into<Purpose>) -> Stream {
        let mut stream = ChaCha8Rng::seed_from_u64(self.0);
        stream.set_stream(purpose.into().number());
        Stream(stream)
    }
}

/// The purpose of a stream. The stream numbers are part of the contract: other numbers would give other results for the
/// same seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// One of many tasks, in a run with one kind of tasks: starts, folds, resamples, probes, matches. Stream n.
    Task(u64),
    /// One of many tasks of one of several kinds. Stream `2³² kind + n`; kind 0 shares the streams of [`Purpose::Task`].
    TaskOf {
        /// The number of the kind.
        kind: u32,
        /// The number of the task within its kind.
        task: u32,
    },
    /// A batch of draws from the belief about a group. Stream `2³² group + batch`.
    Draws {
        /// The number of the group.
        group: u32,
        /// The number of the batch.
        batch: u32,
    },
    /// The draw among equally good pairs after n answers. Stream n, below 2⁶².
    Choice {
        /// The number of standing answers, n.
        answers: usize,
    },
    /// The draw of the item that is shown on the left after n answers. Stream `2⁶² + n`.
    Sides {
        /// The number of standing answers, n.
        answers: usize,
    },
    /// The draw whether a gold pair is asked after n answers, and which. Stream `3 2⁶² + n`.
    Gold {
        /// The number of standing answers, n.
        answers: usize,
    },
    /// A world of a forecast. Stream `2⁶³ + n`.
    World(usize),
    /// A part of the queries, for which parameters are tuned on others. Stream `2⁶⁴ - 1 - n`.
    Part(usize),
}

impl Purpose {
    fn number(self) -> u64 {
        match self {
            Self::Task(task) => task,
            Self::TaskOf { kind: high, task: low } | Self::Draws { group: high, batch: low } => {
                u64::from(high) << 32 | u64::from(low)
            }
            Self::Choice { answers } => answers as u64,
            Self::Sides { answers } => 1 << 62 | answers as u64,
            Self::Gold { answers } => 3 << 62 | answers as u64,
            Self::World(world) => 1 << 63 | world as u64,
            Self::Part(part) => u64::MAX - part as u64,
        }
    }
}

impl From<u64> for Purpose {
    fn from(task: u64) -> Self {
        Self::Task(task)
    }
}

/// A stream of random numbers (ChaCha with eight rounds). It is a generator of the `rand` crate, so that crate's
/// distributions can draw from it.
#[derive(Debug, Clone)]
pub struct Stream(ChaCha8Rng);

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// The numbers of streams. The results of every earlier run depend on them.
    #[test]
    fn purposes_keep_their_streams() {
        let streams = [
            (Purpose::Task(5), 5),
            (Purpose::TaskOf { kind: 1, task: 3 }, 0x1_0000_0003),
            (Purpose::Draws { group: 2, batch: 7 }, 0x2_0000_0007),
            (Purpose::Choice { answers: 9 }, 9),
            (Purpose::Sides { answers: 9 }, 0x4000_0000_0000_0009),
            (Purpose::Gold { answers: 6 }, 0xc000_0000_0000_0006),
            (Purpose::World(4), 0x8000_0000_0000_0004),
            (Purpose::Part(1), 0xffff_ffff_ffff_fffe),
        ];
        for (purpose, number) in streams {
            let mut plain = ChaCha8Rng::seed_from_u64(11);
            plain.set_stream(number);
            let mut stream = Seed(11).stream(purpose);
            for _ in 0..3 {
                assert_eq!(stream.random::<u64>(), plain.random::<u64>(), "{purpose:?}");
                assert_eq!(stream.random_range(0..10_u8), plain.random_range(0..10_u8), "{purpose:?}");
            }
        }
    }
}
