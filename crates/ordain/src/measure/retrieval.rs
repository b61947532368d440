//! Measures of one query's ranked documents.
//!
//! Every measure is written once, for lists in which ties may stay open ([`Ties::Expected`](super::Ties)). It is then
//! the expected value over random orders of equal scores, in closed form (McSherry, Najork 2008). A settled list is the
//! case in which every document is a run of its own.
//!
//! A query without relevant documents has the value 0 in every measure, as in trec_eval. The exception is
//! [`winner_takes_all`], a cost, which is 1.

use std::sync::LazyLock;

use super::list::{Block, JudgedList, Standing};
use crate::{Error, Result};

/// The gain of a grade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gain {
    /// The grade itself, as in trec_eval.
    Grade,
    /// `2^grade - 1` (LambdaRank section 2, LETOR).
    Exponential,
}

impl Gain {
    pub(crate) fn of(self, grade: i32) -> f64 {
        let grade = grade.max(0);
        match self {
            Self::Grade => f64::from(grade),
            // Exact, and much faster than an exponential.
            Self::Exponential if grade < 63 => (1_u64 << grade) as f64 - 1.0,
            Self::Exponential => f64::from(grade).exp2() - 1.0,
        }
    }
}

/// The discount of a place, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discount {
    /// `1 / log2(1 + place)`: trec_eval's, and LambdaRank's up to a factor that normalisation removes.
    Standard,
    /// 1 at the first two places, then `1 / log2(place)`: LETOR's.
    Letor,
}

impl Discount {
    pub(crate) fn at(self, place: usize) -> f64 {
        match self {
            Self::Standard => logarithmic(1 + place),
            Self::Letor if place <= 2 => 1.0,
            Self::Letor => logarithmic(place),
        }
    }
}

/// `1 / log2(number)` from 2 on. Those of the first places are asked for all the time, so they are computed once.
fn logarithmic(number: usize) -> f64 {
    const KEPT: usize = 1024;
    static FIRST: LazyLock<Vec<f64>> = LazyLock::new(|| (0..KEPT).map(|number| 1.0 / (number as f64).log2()).collect());
    FIRST.get(number).copied().unwrap_or_else(|| 1.0 / (number as f64).log2())
}

/// The number of relevant documents among the first k; its expectation where ties are open.
fn relevant_among(list: &JudgedList, k: usize) -> f64 {
    let share = |block: Block<'_>| {
        let within = k.saturating_sub(block.before).min(block.len());
        block.relevant() as f64 * within as f64 / block.len() as f64
    };
    list.blocks().take_while(|block| block.before < k).map(share).sum()
}

/// The share of the first k places that hold relevant documents. Places beyond the end hold none.
pub fn precision_at(list: &JudgedList, k: usize) -> f64 {
    if k == 0 { 0.0 } else { relevant_among(list, k) / k as f64 }
}

/// The share of all relevant documents that are among the first k.
pub fn recall_at(list: &JudgedList, k: usize) -> f64 {
    if list.relevant() == 0 { 0.0 } else { relevant_among(list, k) / list.relevant() as f64 }
}

/// Precision after as many documents as are relevant. Precision and recall are equal there, so it is also the
/// break-even point (LinkLearn section 4).
pub fn r_precision(list: &JudgedList) -> f64 {
    precision_at(list, list.relevant())
}

/// The mean, over all relevant documents, of the precision at the document's place; 0 for a document that was not
/// retrieved.
pub fn average_precision(list: &JudgedList) -> f64 {
    average_precision_at(list, usize::MAX)
}

/// Average precision of the first k places: a relevant document beyond them counts as not retrieved.
pub fn average_precision_at(list: &JudgedList, k: usize) -> f64 {
    if list.relevant() == 0 {
        return 0.0;
    }
    let (mut sum, mut before) = (0.0, 0);
    for block in list.blocks().take_while(|block| block.before < k) {
        let relevant = block.relevant();
        if relevant > 0 {
            // A place in the run is relevant with probability `relevant / len`. Each place before it in the run is then
            // relevant with probability `(relevant - 1) / (len - 1)`.
            let likely = relevant as f64 / block.len() as f64;
            let others = if block.len() > 1 { (relevant - 1) as f64 / (block.len() - 1) as f64 } else { 0.0 };
            let precision = |at: usize| (before as f64 + 1.0 + at as f64 * others) / (block.before + at + 1) as f64;
            sum += likely * (0..block.len().min(k - block.before)).map(precision).sum::<f64>();
        }
        before += relevant;
    }
    sum / list.relevant() as f64
}

/// One over the place of the first relevant document; 0 if there is none.
pub fn reciprocal_rank(list: &JudgedList) -> f64 {
    reciprocal_rank_at(list, usize::MAX)
}

/// One over the place of the first relevant document if it is among the first k, else 0.
pub fn reciprocal_rank_at(list: &JudgedList, k: usize) -> f64 {
    let Some(block) = list.blocks().find(|block| block.relevant() > 0) else { return 0.0 };
    let (len, relevant) = (block.len(), block.relevant());
    // The probability that the first relevant document of the run is at `at`, from that of the place before: first
    // none, then one.
    let (mut none_yet, mut sum) = (1.0, 0.0);
    for at in (0..=len - relevant).take(k.saturating_sub(block.before)) {
        let here = relevant as f64 / (len - at) as f64;
        sum += none_yet * here / (block.before + at + 1) as f64;
        none_yet *= 1.0 - here;
    }
    sum
}

/// 1 if a relevant document is among the first k, else 0; with open ties, the probability of one.
pub fn success_at(list: &JudgedList, k: usize) -> f64 {
    let Some(block) = list.blocks().find(|block| block.relevant() > 0) else { return 0.0 };
    let within = k.saturating_sub(block.before).min(block.len());
    let rest = block.len() - block.relevant();
    // Each place within takes one of the documents that are left; none is relevant as long as it takes one of the rest.
    let none: f64 = (0..within).map(|at| rest.saturating_sub(at) as f64 / (block.len() - at) as f64).product();
    1.0 - none
}

/// The share of the first k documents that the judgements name; of all that were retrieved if these are fewer. 0 for an empty list.
pub fn judged_at(list: &JudgedList, k: usize) -> f64 {
    let share = |block: Block<'_>| {
        let within = (k - block.before).min(block.len());
        block.named() as f64 * within as f64 / block.len() as f64
    };
    let named: f64 = list.blocks().take_while(|block| block.before < k).map(share).sum();
    let places = k.min(list.grades().len());
    if places == 0 { 0.0 } else { named / places as f64 }
}

/// Binary preference (Buckley, Voorhees 2004, as trec_eval 9 computes it): how seldom judged documents that are not relevant precede relevant
/// ones. With R relevant documents and N judged ones that are not, a relevant document with n of these before it counts
/// 1 - min(n, R) / min(N, R). Documents without a judgement have no influence.
pub fn binary_preference(list: &JudgedList) -> f64 {
    let relevant = list.relevant();
    let most = list.rejected().min(relevant);
    let (mut sum, mut before) = (0.0, 0);
    for block in list.blocks() {
        let (found, rejected) = (block.relevant(), block.count(Standing::Rejected));
        if found > 0 {
            let kept = |n: usize| if n == 0 || most == 0 { 1.0 } else { 1.0 - n.min(most) as f64 / most as f64 };
            // In a random order, a document has each number of the others before it with the same probability.
            let mean = (0..=rejected).map(|n| kept(before + n)).sum::<f64>() / (rejected + 1) as f64;
            sum += found as f64 * mean;
        }
        before += rejected;
    }
    if relevant == 0 { 0.0 } else { sum / relevant as f64 }
}

/// What keeps the share of relevant documents among no judged ones defined, as in trec_eval.
const INFERENCE_EPSILON: f64 = 1e-5;

/// Inferred average precision (Yilmaz, Aslam 2006, as trec_eval computes it), for judgements of a sample of the pool: documents of the
/// pool that were not judged, with negative grades, count as relevant in the proportion of the judged ones before the same place.
/// Documents that the judgements do not name count as not relevant. Without negative grades, it is average precision, up to
/// roundings of 1e-5.
///
/// # Errors
/// If ties are open: there is no closed form for them.
pub fn inferred_average_precision(list: &JudgedList) -> Result<f64> {
    if list.is_open() {
        return Err(open("inferred average precision"));
    }
    let (mut relevant, mut rejected, mut unjudged, mut sum) = (0_usize, 0_usize, 0_usize, 0.0);
    for block in list.blocks() {
        match block.standing(0) {
            Standing::Unknown => {}
            Standing::Unjudged => unjudged += 1,
            Standing::Rejected => rejected += 1,
            Standing::Relevant => {
                // The document itself, and the share of the pool before it times the share of relevant ones among the judged.
                let pool = (relevant + rejected + unjudged) as f64;
                let judged = (relevant + rejected) as f64;
                let share = (relevant as f64 + INFERENCE_EPSILON) / (judged + 2.0 * INFERENCE_EPSILON);
                sum += (1.0 + pool * share) / (block.before + 1) as f64;
                relevant += 1;
            }
        }
    }
    Ok(if list.relevant() == 0 { 0.0 } else { sum / list.relevant() as f64 })
}

/// The error of a measure that needs an order of all documents.
fn open(what: &'static str) -> Error {
    Error::Data {
        what,
        found: "equal scores whose order is left open".into(),
        expected: "an order of all documents: it has no closed form over random orders".into(),
    }
}

/// The cost 0 if the first document is relevant, else 1 (LambdaRank section 2).
pub fn winner_takes_all(list: &JudgedList) -> f64 {
    1.0 - precision_at(list, 1)
}

/// Discounted cumulative gain of the first k places, or of all, divided by that of the best order of all judged
/// documents.
pub fn ndcg(list: &JudgedList, k: Option<usize>, gain: Gain, discount: Discount) -> f64 {
    let k = k.unwrap_or(usize::MAX);
    let best: f64 =
        list.ideal().iter().take(k).enumerate().map(|(at, &grade)| gain.of(grade) * discount.at(at + 1)).sum();
    if best == 0.0 {
        return 0.0;
    }
    let mut sum = 0.0;
    for block in list.blocks().take_while(|block| block.before < k) {
        let gains: f64 = block.grades.iter().map(|&grade| gain.of(grade)).sum();
        if gains > 0.0 {
            let places = block.before + 1..=(block.before + block.len()).min(k);
            sum += gains / block.len() as f64 * places.map(|place| discount.at(place)).sum::<f64>();
        }
    }
    sum / best
}

/// Expected reciprocal rank (Chapelle et al. 2009): a user walks down the first k places, and grade g satisfies them
/// with probability `(2^g - 1) / 2^highest`.
///
/// # Errors
/// If a grade is above the highest, or ties are open: there is no closed form for them.
pub fn expected_reciprocal_rank(list: &JudgedList, k: Option<usize>, highest: u32) -> Result<f64> {
    if list.is_open() {
        return Err(open("expected reciprocal rank"));
    }
    let scale = f64::from(highest).exp2();
    let (mut going_on, mut sum) = (1.0, 0.0);
    for (at, &grade) in list.grades().iter().take(k.unwrap_or(usize::MAX)).enumerate() {
        if i64::from(grade) > i64::from(highest) {
            return Err(Error::Data {
                what: "grades",
                found: grade.to_string(),
                expected: format!("at most {highest}, the highest grade"),
            });
        }
        let satisfied = Gain::Exponential.of(grade) / scale;
        sum += going_on * satisfied / (at + 1) as f64;
        going_on *= 1.0 - satisfied;
    }
    Ok(sum)
}

/// Rank-biased precision (Moffat, Zobel 2008): the mean relevance for a user who goes on to the next place with this
/// probability.
///
/// # Errors
/// If the persistence is not between 0 and 1.
pub fn rank_biased_precision(list: &JudgedList, persistence: f64) -> Result<f64> {
    if !(persistence > 0.0 && persistence < 1.0) {
        return Err(Error::Parameter { name: "persistence".into(), value: persistence, expected: "between 0 and 1" });
    }
    let weight = |block: Block<'_>| {
        // The places' weights are a geometric series.
        let first = persistence.powf(block.before as f64);
        let whole = first * (1.0 - persistence.powf(block.len() as f64));
        block.relevant() as f64 / block.len() as f64 * whole
    };
    Ok(list.blocks().map(weight).sum())
}
