//! Random streams: one a task, derived from one seed, the same on every machine and for any number of threads.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The number all randomness of a run is derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream of one task.
    pub fn stream(self, task: u64) -> ChaCha8Rng {
        let mut stream = ChaCha8Rng::seed_from_u64(self.0);
        stream.set_stream(task);
        stream
    }
}
