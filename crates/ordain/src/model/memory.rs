//! The memory that work takes, estimated before it is taken.

use std::collections::HashSet;

use super::Inference;
use crate::data::{Answer, ItemId, Items, Outcome};
use crate::gp::{BLOCK, CovarianceForm, LARGEST_GROUP, OF_A_BLOCK, Workload, asides_of_all};
use crate::{Error, Result};

/// Bytes of a number.
const NUMBER: u64 = 8;

/// The numbers of columns that known answers need next, each twice, unless a block of them is more.
const NEXT_COLUMNS: u64 = 1 << 23;

/// Bytes per item that a ranking keeps of each draw: its rank, and where the order is right.
const PER_DRAW: u64 = 8;

/// Refuses work that needs more than there is, if that is known.
pub(super) fn check(work: impl FnOnce() -> String, needed: u64, available: Option<u64>) -> Result<()> {
    match available {
        Some(available) if needed > available => Err(Error::Memory { work: work(), needed, available }),
        _ => Ok(()),
    }
}

/// The sizes that memory grows with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    items: u64,
    /// The different things that answers say: of votes up to three.
    answers: u64,
    /// The items that answers are about.
    compared: u64,
    /// The coordinates of EP: these items, or the different pairs if there are fewer. Components may save some.
    coordinates: u64,
}

impl Sizes {
    /// Of answers that count, about so many items.
    pub(super) fn new(items: usize, answers: &[&Answer]) -> Self {
        let told = answers.iter().copied().filter(|answer| answer.outcome != Outcome::Skip);
        let pair = |answer: &&Answer| {
            let second = answer.second.unwrap_or(answer.first);
            (answer.first.min(second), answer.first.max(second))
        };
        let (on_screens, of_two): (Vec<&Answer>, Vec<&Answer>) = told.partition(|answer| answer.is_of_screen());
        let functionals: HashSet<(ItemId, ItemId)> = of_two.iter().map(pair).collect();
        let compared: HashSet<ItemId> = of_two.iter().chain(&on_screens).flat_map(|answer| answer.items()).collect();
        let of_screens: usize = on_screens.iter().map(|answer| answer.parts()).sum();
        let parts: usize = of_screens + of_two.iter().map(|answer| answer.parts()).sum::<usize>();
        // As many asides are set aside as the next power of two.
        let asides = asides_of_all(on_screens.iter().copied());
        let asides = if asides == 0 { 0 } else { asides.next_power_of_two() };
        let (compared, answers) = ((compared.len() + asides) as u64, parts as u64);
        let functionals = (functionals.len() + of_screens) as u64;
        Self { items: (items + asides) as u64, answers, compared, coordinates: compared.min(functionals) }
    }

    /// The numbers of steps: `n` per answer, or twice per compared item.
    fn of_steps(self) -> u64 {
        self.items * self.answers.min(2 * self.compared)
    }

    /// The bytes of a belief: `6 b² + 2 n b` numbers for EP over b coordinates, `2 n²` for steps with all covariances, and `n` per
    /// answer or twice per compared item for steps without.
    pub(super) fn of_belief(self, inference: Inference) -> u64 {
        let (n, b) = (self.items, self.coordinates);
        let workload = Workload::Answers(self.answers as usize);
        NUMBER
            * match inference {
                Inference::Ep => 6 * b * b + 2 * n * b,
                Inference::Incremental if CovarianceForm::Automatic.is_dense(n as usize, workload) => 2 * n * n,
                Inference::Incremental => self.of_steps(),
            }
    }

    /// The bytes of a session: steps, and the columns that it keeps, 256 MB of those in use; where they are expensive, of the prior at
    /// most 2048 in a gigabyte, and those of known answers that come next. Or all covariances of few items.
    pub(super) fn of_session(self, columns_are_cheap: bool) -> u64 {
        let n = self.items;
        if CovarianceForm::Automatic.is_dense(n as usize, Workload::Questions) {
            return NUMBER * 2 * n * n;
        }
        let prior = if columns_are_cheap { 0 } else { (NUMBER * 2048 * n).min(1 << 30) };
        let ahead = if columns_are_cheap { 0 } else { NUMBER * NEXT_COLUMNS.max(64 * n) };
        NUMBER * self.of_steps() + prior + ahead + (256 << 20)
    }

    /// The bytes of a tuning: twelve matrices over the coordinates, and the columns of links along them.
    pub(super) fn of_tuning(self, columns_are_cheap: bool) -> u64 {
        let columns = if columns_are_cheap { 0 } else { self.items };
        NUMBER * (12 * self.coordinates + columns) * self.coordinates
    }

    /// The bytes of a comparison of models on every thread: a tuning and a belief.
    pub(super) fn of_comparison(self, columns_are_cheap: bool) -> u64 {
        self.of_tuning(columns_are_cheap) + self.of_belief(Inference::Ep)
    }
}

/// The bytes of a ranking: two matrices over the largest group, or three blocks of draws of all items if it is larger than such
/// matrices should be, and all draws.
pub(super) fn of_ranking(items: &Items, draws: usize) -> u64 {
    let largest = items.group_sizes().into_iter().max().unwrap_or(0);
    let matrices = largest <= LARGEST_GROUP;
    let work = if matrices { 2 * largest * largest } else { 3 * BLOCK.max(OF_A_BLOCK.0 * items.len()) };
    NUMBER * work as u64 + PER_DRAW * (draws * largest) as u64
}
