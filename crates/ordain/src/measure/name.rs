//! The names of measures.

use std::fmt;
use std::str::FromStr;

use super::list::JudgedList;
use super::retrieval::{
    Discount, Gain, average_precision, expected_reciprocal_rank, ndcg, precision_at, r_precision,
    rank_biased_precision, recall_at, reciprocal_rank, winner_takes_all,
};
use crate::{Error, Result};

/// A measure of one query's ranked documents. [`Measure::NAMES`] lists its spellings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// Average precision; its mean over queries is MAP.
    AveragePrecision,
    /// Precision at k.
    PrecisionAt(usize),
    /// Recall at k.
    RecallAt(usize),
    /// R-precision, the break-even point of precision and recall.
    RPrecision,
    /// Reciprocal rank; its mean over queries is MRR.
    ReciprocalRank,
    /// Winner takes all, a cost.
    WinnerTakesAll,
    /// Normalised discounted cumulative gain of the first k places, or of all.
    Ndcg {
        /// The number of places; none for all.
        k: Option<usize>,
        /// The gain of a grade.
        gain: Gain,
        /// The discount of a place.
        discount: Discount,
    },
    /// Expected reciprocal rank of the first k places, or of all, with grades up to 4.
    ExpectedReciprocalRank(Option<usize>),
    /// Rank-biased precision with this persistence.
    RankBiasedPrecision(f64),
}

/// The highest grade of expected reciprocal rank, as in the TREC web track's own program.
const HIGHEST_GRADE: u32 = 4;

impl Measure {
    /// The names. `k` stands for a number; case does not matter.
    pub const NAMES: &'static str = "map (ap), p@k, recall@k (r@k), rprec (bep), mrr (rr, recip_rank), wta, \
        ndcg, ndcg@k, ndcg-exp@k (gain 2^grade - 1; also ndcg-burges@k), ndcg-letor@k, err, err@k, rbp, rbp@0.8; \
        trec_eval's P_k, recall_k and ndcg_cut_k too";

    /// The value for a list.
    ///
    /// # Errors
    /// If the measure has no closed form over open ties, or a grade is out of range.
    pub fn of(&self, list: &JudgedList) -> Result<f64> {
        let value = match *self {
            Self::AveragePrecision => average_precision(list),
            Self::PrecisionAt(k) => precision_at(list, k),
            Self::RecallAt(k) => recall_at(list, k),
            Self::RPrecision => r_precision(list),
            Self::ReciprocalRank => reciprocal_rank(list),
            Self::WinnerTakesAll => winner_takes_all(list),
            Self::Ndcg { k, gain, discount } => ndcg(list, k, gain, discount),
            Self::ExpectedReciprocalRank(k) => expected_reciprocal_rank(list, k, HIGHEST_GRADE)?,
            Self::RankBiasedPrecision(persistence) => rank_biased_precision(list, persistence)?,
        };
        if value.is_finite() {
            return Ok(value);
        }
        let highest = list.grades().iter().chain(list.ideal()).max().copied().unwrap_or(0);
        Err(Error::Data {
            what: "grades",
            found: highest.to_string(),
            expected: "at most 1023, beyond which 2^grade overflows".into(),
        })
    }

    /// Whether a larger value is better.
    pub fn is_gain(&self) -> bool {
        !matches!(self, Self::WinnerTakesAll)
    }
}

impl FromStr for Measure {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let lower = text.trim().to_ascii_lowercase();
        let (name, depth) = split(&lower);
        let number = |depth: &str| depth.parse::<usize>().ok().filter(|&k| k > 0);
        let depth_or_all = || match depth {
            None => Some(None),
            Some(depth) => number(depth).map(Some),
        };
        let found = match (name, depth) {
            ("map" | "ap", None) => Some(Self::AveragePrecision),
            ("p" | "precision", Some(depth)) => number(depth).map(Self::PrecisionAt),
            ("r" | "recall", Some(depth)) => number(depth).map(Self::RecallAt),
            ("rprec" | "r-precision" | "bep" | "break-even", None) => Some(Self::RPrecision),
            ("mrr" | "rr" | "recip_rank", None) => Some(Self::ReciprocalRank),
            ("wta", None) => Some(Self::WinnerTakesAll),
            ("ndcg" | "ndcg_cut", _) => depth_or_all().map(|k| Self::ndcg(k, Gain::Grade, Discount::Standard)),
            ("ndcg-exp" | "ndcg-burges", _) => {
                depth_or_all().map(|k| Self::ndcg(k, Gain::Exponential, Discount::Standard))
            }
            ("ndcg-letor", _) => depth_or_all().map(|k| Self::ndcg(k, Gain::Exponential, Discount::Letor)),
            ("err", _) => depth_or_all().map(Self::ExpectedReciprocalRank),
            ("rbp", None) => Some(Self::RankBiasedPrecision(0.8)),
            ("rbp", Some(depth)) => {
                depth.parse().ok().filter(|p: &f64| *p > 0.0 && *p < 1.0).map(Self::RankBiasedPrecision)
            }
            _ => None,
        };
        found.ok_or_else(|| Error::Data {
            what: "measure",
            found: format!("\"{text}\""),
            expected: format!("one of {}", Self::NAMES),
        })
    }
}

impl Measure {
    fn ndcg(k: Option<usize>, gain: Gain, discount: Discount) -> Self {
        Self::Ndcg { k, gain, discount }
    }
}

/// Name and depth of `name@depth` and of trec_eval's `name_depth`.
fn split(text: &str) -> (&str, Option<&str>) {
    if let Some((name, depth)) = text.split_once('@') {
        return (name, Some(depth));
    }
    match text.rsplit_once('_') {
        Some((name, depth)) if depth.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(depth)),
        _ => (text, None),
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with_depth = |f: &mut fmt::Formatter<'_>, name: &str, k: Option<usize>| match k {
            Some(k) => write!(f, "{name}@{k}"),
            None => f.write_str(name),
        };
        match *self {
            Self::AveragePrecision => f.write_str("map"),
            Self::PrecisionAt(k) => with_depth(f, "p", Some(k)),
            Self::RecallAt(k) => with_depth(f, "recall", Some(k)),
            Self::RPrecision => f.write_str("rprec"),
            Self::ReciprocalRank => f.write_str("mrr"),
            Self::WinnerTakesAll => f.write_str("wta"),
            Self::Ndcg { k, gain: Gain::Grade, .. } => with_depth(f, "ndcg", k),
            Self::Ndcg { k, discount: Discount::Standard, .. } => with_depth(f, "ndcg-exp", k),
            Self::Ndcg { k, discount: Discount::Letor, .. } => with_depth(f, "ndcg-letor", k),
            Self::ExpectedReciprocalRank(k) => with_depth(f, "err", k),
            Self::RankBiasedPrecision(persistence) => write!(f, "rbp@{persistence}"),
        }
    }
}
