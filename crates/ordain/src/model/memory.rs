//! The memory that work takes, estimated before it is taken.

use std::collections::HashSet;

use super::Inference;
use crate::data::Items;
use crate::gp::{CovarianceForm, Observation, Workload};
use crate::{Error, Result};

/// Bytes of a number.
const NUMBER: u64 = 8;

/// Bytes per item that a ranking keeps of each draw: its rank, and where the order is right.
const PER_DRAW: u64 = 8;

/// Refuses work that needs more than there is, if that is known.
pub(super) fn check(work: impl FnOnce() -> String, needed: u64, available: Option<u64>) -> Result<()> {
    match available {
        Some(available) if needed > available => Err(Error::Memory { work: work(), needed, available }),
        _ => Ok(()),
    }
}

/// The bytes of a belief about n items: `6 b² + 2 n b` numbers for EP over b coordinates, `2 n²` for steps with all
/// covariances, and `n` per answer or twice per compared item for steps without.
pub(super) fn of_belief(items: usize, observations: &[Observation], inference: Inference) -> u64 {
    let functionals: HashSet<_> = observations.iter().map(|observation| observation.functional).collect();
    let compared: HashSet<u32> = functionals.iter().flat_map(|functional| functional.items()).collect();
    let workload = Workload::Answers(observations.len());
    let (n, answers, compared) = (items as u64, observations.len() as u64, compared.len() as u64);
    let numbers = match inference {
        Inference::Ep => {
            let coordinates = compared.min(functionals.len() as u64);
            6 * coordinates * coordinates + 2 * n * coordinates
        }
        Inference::Incremental if CovarianceForm::Automatic.is_dense(items, workload) => 2 * n * n,
        Inference::Incremental => n * answers.min(2 * compared),
    };
    NUMBER * numbers
}

/// The bytes of a ranking: two matrices over the largest group, or three blocks of draws if it is larger than such matrices
/// should be, and all draws.
pub(super) fn of_ranking(items: &Items, draws: usize) -> u64 {
    /// Up to this many items there are matrices.
    const MATRICES: u64 = 2000;
    /// Draws of a block: at least these, and so many utilities.
    const BLOCK: (u64, u64) = (32, 1 << 24);
    let largest = items.group_sizes().into_iter().max().unwrap_or(0) as u64;
    let work = if largest <= MATRICES { 2 * largest * largest } else { 3 * BLOCK.1.max(BLOCK.0 * largest) };
    NUMBER * work + PER_DRAW * draws as u64 * largest
}
