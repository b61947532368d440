//! Dense or lazy: the one place that decides how a belief holds its covariances.
//!
//! What the belief says is the same in both forms but for rounding; time and memory are not.

/// How a belief that takes one step per answer holds its covariances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CovarianceForm {
    /// Whichever is expected to be faster for the number of items and what the belief is for.
    #[default]
    Automatic,
    /// All of them: `n²` doubles, `n²` operations per answer.
    Dense,
    /// As they are asked for ([`super::Incremental::lazy`]): `n` doubles per answer, and a few times `n` operations where questions keep to
    /// few items.
    Lazy,
}

impl CovarianceForm {
    /// Whether all covariances of so many items are held.
    pub(crate) fn is_dense(self, items: usize, workload: Workload) -> bool {
        match self {
            Self::Automatic => items <= workload.dense_up_to(),
            Self::Dense => true,
            Self::Lazy => false,
        }
    }
}

/// The most items whose covariances are all held: 800 MB.
const MOST_DENSE: usize = 10_000;

/// What a belief is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Workload {
    /// It learns so many answers and is then looked at.
    Answers(usize),
    /// Between answers, pairs are looked for all over the matrix.
    Questions,
    /// Between answers, pairs of the first few items are looked for.
    TopQuestions,
}

impl Workload {
    /// The most items for which the dense form is expected to be faster.
    fn dense_up_to(self) -> usize {
        match self {
            // Up to 1000 items it is at any number of answers, as 8 MB stay in the cache; beyond, once there are as many
            // answers as items.
            Self::Answers(count) => count.clamp(1000, MOST_DENSE),
            // 128 MB.
            Self::Questions => 4000,
            // Few columns are needed, and all covariances of 300 items cost as much to keep as these.
            Self::TopQuestions => 300,
        }
    }
}

/// Whether a belief in lazy form, which has so many rank-one terms, is to form all covariances: once there are as many terms as items,
/// as long as there are not too many items.
pub(super) fn has_outgrown_lazy(items: usize, terms: usize) -> bool {
    terms >= items && items <= MOST_DENSE
}
