//! How well the held-out queries are ordered.

use ordain::order::{Fusion, RankOrdering, Unretrieved, Weighted, agree, greedy_order};
use ordain::{Error, Result};

use super::plan::{ON_ALL, Plan};
use super::searches::Query;
use super::training::{OTHER_PRIORS, Source, Teachable, Trained, Training};
use crate::journal::Row;

/// The fusions that learn nothing, in the order of their columns.
pub const RIVALS: [Fusion; 5] =
    [Fusion::Borda, Fusion::CombSum, Fusion::CombMnz, Fusion::ReciprocalRank, Fusion::Copeland];

/// All trainings on a collection, and what was learned.
pub struct Lessons {
    trainings: Vec<Training>,
    trained: Vec<Trained>,
}

impl Lessons {
    /// From the rows of the table of trainings.
    ///
    /// # Errors
    /// If a number is missing.
    pub fn new(plan: &Plan, parts: usize, rows: &[Row]) -> Result<Self> {
        let trained = rows.iter().map(Trained::from_row).collect::<Option<_>>().ok_or_else(|| Error::Data {
            what: "learned weights",
            found: "a row that lacks a number".into(),
            expected: "four numbers and a weight an expert; move the files away".into(),
        })?;
        Ok(Self { trainings: plan.trainings(parts), trained })
    }

    /// What was learned on all queries, in the order of [`ON_ALL`].
    pub fn on_all(&self) -> &[Trained] {
        &self.trained[..ON_ALL.len()]
    }

    /// What a learner learned from one source without a part: in the order of the file, or in all random orders.
    pub fn without(
        &self,
        part: usize,
        learner: Teachable,
        source: Source,
        random: bool,
    ) -> impl Iterator<Item = &Trained> {
        let wanted = move |training: &Training| {
            (training.held_out, training.learner, training.source) == (Some(part), learner, source)
                && training.order.is_some() == random
        };
        self.trainings.iter().zip(&self.trained).filter(move |(training, _)| wanted(training)).map(|(_, found)| found)
    }
}

/// The row of a query in its table.
///
/// # Errors
/// If weights are not those of the experts.
pub fn measure(query: &Query, lessons: &Lessons) -> Result<Row> {
    let weights = |learner, source, random| {
        lessons.without(query.part, learner, source, random).map(|trained| trained.weights.as_slice())
    };
    let greedy = |weights: &[f64]| Ok(query.rank(greedy_order(&Weighted::new(&query.experts, weights)?)));
    let ranks = |learner, source, random| weights(learner, source, random).map(greedy).collect::<Result<Vec<f64>>>();
    let one = |learner| {
        weights(learner, Source::Full, false).next().ok_or_else(|| Error::Data {
            what: "learned weights",
            found: format!("none without part {}", query.part + 1),
            expected: "those of a training".into(),
        })
    };
    let (margin, hedge) = (one(Teachable::Margin)?, one(Teachable::Hedge)?);
    let equal = vec![1.0 / query.experts.len() as f64; query.experts.len()];

    let by_margin = |fusion: Fusion| Ok(fusion.order(&query.experts, margin)?.order);
    let orders = [Fusion::Greedy, Fusion::Components, Fusion::Local].map(by_margin).into_iter();
    let orders: Vec<Vec<usize>> = orders.collect::<Result<_>>()?;
    let rival = |fusion: Fusion| Ok(query.rank(fusion.order(experts_for(query, fusion), &equal)?.order));

    let mut row = vec![
        query.rank(orders[0].iter().copied()),
        median(ranks(Teachable::Margin, Source::Clicks, true)?),
        greedy(hedge)?,
        median(ranks(Teachable::Hedge, Source::Clicks, true)?),
        greedy(&equal)?,
        query.rank(orders[1].iter().copied()),
        query.rank(orders[2].iter().copied()),
    ];
    row.extend(RIVALS.into_iter().map(rival).collect::<Result<Vec<f64>>>()?);
    let preference = Weighted::new(&query.experts, margin)?;
    let pairs = (query.grades.len() * (query.grades.len() - 1) / 2).max(1) as f64;
    for order in &orders {
        row.push(agree(order, &preference)? / pairs);
    }
    let mut row: Row = row.into_iter().map(Some).collect();
    let mixtures = [margin, hedge, &equal].map(|weights| Weighted::new(&query.experts, weights));
    let mixtures: Vec<Weighted<'_, RankOrdering>> = mixtures.into_iter().collect::<Result<_>>()?;
    row.extend(mixtures.iter().map(|mixture| query.full.loss(mixture)));
    for mixture in &mixtures {
        row.push(query.full.loss(&follows(&greedy_order(mixture))?));
    }
    for at in 0..OTHER_PRIORS.len() {
        row.push(Some(greedy(one(Teachable::MarginPrior(at))?)?));
    }
    row.extend(ranks(Teachable::Margin, Source::Full, true)?.into_iter().map(Some));
    row.extend((0..query.experts.len()).map(|expert| Some(query.own_rank(expert))));
    row.extend(query.experts.iter().map(|expert| Some(query.rank(greedy_order(expert)))));
    row.extend(query.experts.iter().map(|expert| query.full.loss(expert)));
    Ok(row)
}

/// The preference of an order.
fn follows(order: &[usize]) -> Result<RankOrdering> {
    let places = order.iter().enumerate().map(|(at, &item)| (item as u32, -(at as f64))).collect();
    RankOrdering::from_list(order.len(), places, Unretrieved::Last)
}

/// Sums of scores need scores, where there are some.
fn experts_for(query: &Query, fusion: Fusion) -> &[RankOrdering] {
    match (&query.scored, fusion) {
        (Some(scored), Fusion::CombSum | Fusion::CombMnz) => scored,
        _ => &query.experts,
    }
}

/// The middle value, or the mean of the two middle ones; there is one at least.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    0.5 * (values[last / 2] + values[last.div_ceil(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![7.0]), 7.0);
        assert_eq!(median(vec![9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![9.0, 1.0, 2.0, 31.0]), 5.5);
    }
}
