//! The names of measures.

use std::fmt;
use std::str::FromStr;

use super::list::JudgedList;
use super::retrieval::{
    Discount, Gain, average_precision, average_precision_at, binary_preference, expected_reciprocal_rank,
    inferred_average_precision, judged_at, ndcg, precision_at, r_precision, rank_biased_precision, recall_at,
    reciprocal_rank, reciprocal_rank_at, success_at, winner_takes_all,
};
use crate::words::suggestion;
use crate::{Error, Result};

/// A measure of one query's ranked documents. [`Measure::all`] lists them, and [`Measure::other_names`] other spellings.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Measure {
    /// Average precision; its mean over queries is MAP.
    AveragePrecision,
    /// Average precision of the first k places.
    AveragePrecisionAt(usize),
    /// Precision at k.
    PrecisionAt(usize),
    /// Recall at k.
    RecallAt(usize),
    /// R-precision, the break-even point of precision and recall.
    RPrecision,
    /// Reciprocal rank; its mean over queries is MRR.
    ReciprocalRank,
    /// Reciprocal rank among the first k places.
    ReciprocalRankAt(usize),
    /// Whether a relevant document is among the first k.
    SuccessAt(usize),
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
    /// Binary preference, which looks only at judged documents.
    BinaryPreference,
    /// Inferred average precision, for judgements of a sample.
    InferredAveragePrecision,
    /// The share of the first k documents that the judgements name. It says nothing of their order.
    JudgedAt(usize),
}

/// The highest grade of expected reciprocal rank, as in the TREC web track's own program.
const HIGHEST_GRADE: u32 = 4;

/// A measure's row of the table of names.
struct Row {
    /// How it is written, `k` standing for a number.
    written: &'static str,
    /// Other ways to write it.
    also: &'static [&'static str],
    /// What stands before the number: how it is shown, and then what else it may be.
    stems: &'static [&'static str],
    /// One line about it.
    description: &'static str,
    /// The measure with what is given behind `@`, if it takes that.
    read: fn(Option<&str>) -> Option<Measure>,
}

const AVERAGE_PRECISION: Row = Row {
    written: "map",
    also: &["ap"],
    stems: &["map", "ap"],
    description: "average precision; the mean over queries is MAP",
    read: |depth| depth.is_none().then_some(Measure::AveragePrecision),
};
const AVERAGE_PRECISION_AT: Row = Row {
    written: "map@k",
    also: &["ap@k", "map_cut_k"],
    stems: &["map", "ap", "map_cut"],
    description: "average precision of the first k places",
    read: |depth| places(depth?).map(Measure::AveragePrecisionAt),
};
const PRECISION: Row = Row {
    written: "p@k",
    also: &["P_k"],
    stems: &["p", "precision"],
    description: "precision of the first k places",
    read: |depth| places(depth?).map(Measure::PrecisionAt),
};
const RECALL: Row = Row {
    written: "recall@k",
    also: &["r@k", "recall_k"],
    stems: &["recall", "r"],
    description: "recall of the first k places",
    read: |depth| places(depth?).map(Measure::RecallAt),
};
const R_PRECISION: Row = Row {
    written: "rprec",
    also: &["bep"],
    stems: &["rprec", "r-precision", "bep", "break-even"],
    description: "precision of as many places as there are relevant documents, the break-even point",
    read: |depth| depth.is_none().then_some(Measure::RPrecision),
};
const RECIPROCAL_RANK: Row = Row {
    written: "mrr",
    also: &["rr", "recip_rank"],
    stems: &["mrr", "rr", "recip_rank"],
    description: "reciprocal rank of the first relevant document",
    read: |depth| depth.is_none().then_some(Measure::ReciprocalRank),
};
const RECIPROCAL_RANK_AT: Row = Row {
    written: "mrr@k",
    also: &["rr@k"],
    stems: &["mrr", "rr", "recip_rank"],
    description: "the same, 0 if no relevant document is among the first k",
    read: |depth| places(depth?).map(Measure::ReciprocalRankAt),
};
const SUCCESS: Row = Row {
    written: "success@k",
    also: &["success_k"],
    stems: &["success"],
    description: "whether a relevant document is among the first k",
    read: |depth| places(depth?).map(Measure::SuccessAt),
};
const BINARY_PREFERENCE: Row = Row {
    written: "bpref",
    also: &[],
    stems: &["bpref"],
    description: "binary preference: only judged documents count",
    read: |depth| depth.is_none().then_some(Measure::BinaryPreference),
};
const INFERRED_AVERAGE_PRECISION: Row = Row {
    written: "infap",
    also: &[],
    stems: &["infap"],
    description: "inferred average precision, if grade -1 marks the pool's unjudged documents",
    read: |depth| depth.is_none().then_some(Measure::InferredAveragePrecision),
};
const JUDGED: Row = Row {
    written: "judged@k",
    also: &[],
    stems: &["judged"],
    description: "share of the first k documents that the judgements name",
    read: |depth| places(depth?).map(Measure::JudgedAt),
};
const WINNER_TAKES_ALL: Row = Row {
    written: "wta",
    also: &[],
    stems: &["wta"],
    description: "whether the first place is not relevant, a cost",
    read: |depth| depth.is_none().then_some(Measure::WinnerTakesAll),
};
const NDCG: Row = Row {
    written: "ndcg@k",
    also: &["ndcg", "ndcg_cut_k"],
    stems: &["ndcg", "ndcg_cut"],
    description: "normalised discounted cumulative gain of the first k places, or of all",
    read: |depth| places_or_all(depth).map(|k| Measure::ndcg(k, Gain::Grade, Discount::Standard)),
};
const NDCG_EXPONENTIAL: Row = Row {
    written: "ndcg-exp@k",
    also: &["ndcg-burges@k"],
    stems: &["ndcg-exp", "ndcg-burges"],
    description: "the same with the gain 2^grade - 1",
    read: |depth| places_or_all(depth).map(|k| Measure::ndcg(k, Gain::Exponential, Discount::Standard)),
};
const NDCG_LETOR: Row = Row {
    written: "ndcg-letor@k",
    also: &[],
    stems: &["ndcg-letor"],
    description: "the same with the discount of LETOR's own tools",
    read: |depth| places_or_all(depth).map(|k| Measure::ndcg(k, Gain::Exponential, Discount::Letor)),
};
const EXPECTED_RECIPROCAL_RANK: Row = Row {
    written: "err@k",
    also: &["err"],
    stems: &["err"],
    description: "expected reciprocal rank of the first k places, or of all",
    read: |depth| places_or_all(depth).map(Measure::ExpectedReciprocalRank),
};
const RANK_BIASED_PRECISION: Row = Row {
    written: "rbp@0.8",
    also: &["rbp"],
    stems: &["rbp"],
    description: "rank-biased precision with this persistence",
    read: |depth| {
        let persistence = depth.map_or(Ok(USUAL_PERSISTENCE), str::parse).ok();
        persistence.filter(|p: &f64| *p > 0.0 && *p < 1.0).map(Measure::RankBiasedPrecision)
    },
};

/// The persistence of rank-biased precision where none is given, as in ir_measures.
const USUAL_PERSISTENCE: f64 = 0.8;

/// A number of places.
fn places(depth: &str) -> Option<usize> {
    depth.parse().ok().filter(|&k| k > 0)
}

fn places_or_all(depth: Option<&str>) -> Option<Option<usize>> {
    match depth {
        None => Some(None),
        Some(depth) => places(depth).map(Some),
    }
}

impl Measure {
    /// Every measure, each with its usual parameters: ten places where it takes a number of them.
    pub const fn all() -> &'static [Self] {
        const TEN: Option<usize> = Some(10);
        const ALL: [Measure; 17] = [
            Measure::AveragePrecision,
            Measure::AveragePrecisionAt(10),
            Measure::PrecisionAt(10),
            Measure::RecallAt(10),
            Measure::RPrecision,
            Measure::ReciprocalRank,
            Measure::ReciprocalRankAt(10),
            Measure::SuccessAt(10),
            Measure::WinnerTakesAll,
            Measure::ndcg(TEN, Gain::Grade, Discount::Standard),
            Measure::ndcg(TEN, Gain::Exponential, Discount::Standard),
            Measure::ndcg(TEN, Gain::Exponential, Discount::Letor),
            Measure::ExpectedReciprocalRank(TEN),
            Measure::RankBiasedPrecision(USUAL_PERSISTENCE),
            Measure::BinaryPreference,
            Measure::InferredAveragePrecision,
            Measure::JudgedAt(10),
        ];
        &ALL
    }

    /// How it is written; `k` stands for a number.
    pub fn name(self) -> &'static str {
        self.row().written
    }

    /// Other ways in which people write it; `k` stands for a number.
    pub fn other_names(self) -> &'static [&'static str] {
        self.row().also
    }

    /// One line about it, without a full stop.
    pub fn description(self) -> &'static str {
        self.row().description
    }

    fn row(self) -> &'static Row {
        match self {
            Self::AveragePrecision => &AVERAGE_PRECISION,
            Self::AveragePrecisionAt(_) => &AVERAGE_PRECISION_AT,
            Self::PrecisionAt(_) => &PRECISION,
            Self::RecallAt(_) => &RECALL,
            Self::RPrecision => &R_PRECISION,
            Self::ReciprocalRank => &RECIPROCAL_RANK,
            Self::ReciprocalRankAt(_) => &RECIPROCAL_RANK_AT,
            Self::SuccessAt(_) => &SUCCESS,
            Self::WinnerTakesAll => &WINNER_TAKES_ALL,
            Self::Ndcg { gain: Gain::Grade, .. } => &NDCG,
            Self::Ndcg { gain: Gain::Exponential, discount: Discount::Standard, .. } => &NDCG_EXPONENTIAL,
            Self::Ndcg { gain: Gain::Exponential, discount: Discount::Letor, .. } => &NDCG_LETOR,
            Self::ExpectedReciprocalRank(_) => &EXPECTED_RECIPROCAL_RANK,
            Self::RankBiasedPrecision(_) => &RANK_BIASED_PRECISION,
            Self::BinaryPreference => &BINARY_PREFERENCE,
            Self::InferredAveragePrecision => &INFERRED_AVERAGE_PRECISION,
            Self::JudgedAt(_) => &JUDGED,
        }
    }

    /// The value for a list.
    ///
    /// # Errors
    /// If the measure has no closed form over open ties, or a grade is out of range.
    pub fn of(&self, list: &JudgedList) -> Result<f64> {
        let value = match *self {
            Self::AveragePrecision => average_precision(list),
            Self::AveragePrecisionAt(k) => average_precision_at(list, k),
            Self::PrecisionAt(k) => precision_at(list, k),
            Self::RecallAt(k) => recall_at(list, k),
            Self::RPrecision => r_precision(list),
            Self::ReciprocalRank => reciprocal_rank(list),
            Self::ReciprocalRankAt(k) => reciprocal_rank_at(list, k),
            Self::SuccessAt(k) => success_at(list, k),
            Self::WinnerTakesAll => winner_takes_all(list),
            Self::Ndcg { k, gain, discount } => ndcg(list, k, gain, discount),
            Self::ExpectedReciprocalRank(k) => expected_reciprocal_rank(list, k, HIGHEST_GRADE)?,
            Self::RankBiasedPrecision(persistence) => rank_biased_precision(list, persistence)?,
            Self::BinaryPreference => binary_preference(list),
            Self::InferredAveragePrecision => inferred_average_precision(list)?,
            Self::JudgedAt(k) => judged_at(list, k),
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
        // Some names have a row with a number and one without.
        let mut rows = Self::all().iter().map(|measure| measure.row()).filter(|row| row.stems.contains(&name));
        rows.find_map(|row| (row.read)(depth)).ok_or_else(|| {
            // Names are compared, not numbers.
            let written = if depth.is_some() { format!("{name}@k") } else { name.to_owned() };
            let hint = suggestion(&written, Self::all().iter().map(|measure| measure.name()));
            Error::UnknownWord { what: "measure", found: text.to_owned(), hint }
        })
    }
}

impl Measure {
    const fn ndcg(k: Option<usize>, gain: Gain, discount: Discount) -> Self {
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
        f.write_str(self.row().stems[0])?;
        match *self {
            Self::AveragePrecisionAt(k)
            | Self::PrecisionAt(k)
            | Self::RecallAt(k)
            | Self::ReciprocalRankAt(k)
            | Self::SuccessAt(k)
            | Self::JudgedAt(k)
            | Self::Ndcg { k: Some(k), .. }
            | Self::ExpectedReciprocalRank(Some(k)) => write!(f, "@{k}"),
            Self::RankBiasedPrecision(persistence) => write!(f, "@{persistence}"),
            Self::AveragePrecision
            | Self::RPrecision
            | Self::ReciprocalRank
            | Self::WinnerTakesAll
            | Self::BinaryPreference
            | Self::InferredAveragePrecision
            | Self::Ndcg { k: None, .. }
            | Self::ExpectedReciprocalRank(None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to write a measure is read, and what is shown is read as the same measure.
    #[test]
    fn every_name_is_read() {
        for &measure in Measure::all() {
            assert_eq!(measure.to_string().parse::<Measure>().unwrap(), measure);
            for name in std::iter::once(measure.name()).chain(measure.other_names().iter().copied()) {
                let written = name.replace("@k", "@7").replace("_k", "_7");
                let found = written.parse::<Measure>().unwrap();
                assert_eq!(found.name(), measure.name(), "{written}");
            }
        }
        assert!("p".parse::<Measure>().is_err() && "rprec@3".parse::<Measure>().is_err());
        assert_eq!(
            "ndcgg@10".parse::<Measure>().unwrap_err().hint().unwrap().split('?').next(),
            Some("did you mean \"ndcg@k\"")
        );
    }
}
