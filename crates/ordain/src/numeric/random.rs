//! Random streams: one per task, derived from one seed, the same on every machine and for any number of threads.
//!
//! A seed has 2⁶⁴ streams, and a [`Purpose`] names one. Two purposes may share a stream only if no run uses both with one seed.

use std::convert::Infallible;

use rand::TryRng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The number all randomness of a run is derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream for a purpose; a plain number is that of a [`Purpose::Task`].
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

/// What a stream is for. The numbers are part of the contract: another number means other results for the same seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// One of many tasks of a kind, where a run has one kind: starts, folds, resamples, probes, matches. Stream n.
    Task(u64),
    /// One of many tasks of one of several kinds. Stream `2³² kind + n`; kind 0 shares the streams of [`Purpose::Task`].
    TaskOf {
        /// Which kind.
        kind: u32,
        /// Which task of it.
        task: u32,
    },
    /// A batch of draws from the belief about a group. Stream `2³² group + batch`.
    Draws {
        /// Which group.
        group: u32,
        /// Which batch.
        batch: u32,
    },
    /// Which of several equally good pairs is asked after so many answers. Stream n, below 2⁶².
    Choice {
        /// The standing answers.
        answers: usize,
    },
    /// Which item of a pair is shown on the left after so many answers. Stream `2⁶² + n`.
    Sides {
        /// The standing answers.
        answers: usize,
    },
    /// A world that a forecast plays in. Stream `2⁶³ + n`.
    World(usize),
    /// One half of the queries, on which parameters are tuned for the other. Stream `2⁶⁴ - 1 - n`.
    Half(usize),
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
            Self::World(world) => 1 << 63 | world as u64,
            Self::Half(half) => u64::MAX - half as u64,
        }
    }
}

impl From<u64> for Purpose {
    fn from(task: u64) -> Self {
        Self::Task(task)
    }
}

/// A stream of random numbers (ChaCha with eight rounds). It is a generator of the `rand` crate, whose distributions draw from it.
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

    /// The numbers of streams, on which the results of every earlier run rest.
    #[test]
    fn purposes_keep_their_streams() {
        let streams = [
            (Purpose::Task(5), 5),
            (Purpose::TaskOf { kind: 1, task: 3 }, 0x1_0000_0003),
            (Purpose::Draws { group: 2, batch: 7 }, 0x2_0000_0007),
            (Purpose::Choice { answers: 9 }, 9),
            (Purpose::Sides { answers: 9 }, 0x4000_0000_0000_0009),
            (Purpose::World(4), 0x8000_0000_0000_0004),
            (Purpose::Half(1), 0xffff_ffff_ffff_fffe),
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
