//! Gold pairs: when they are asked, and what they say of judges.

use std::collections::{BTreeMap, HashSet};

use rand::RngExt;

use crate::data::{Answer, Gold, ItemId};
use crate::measure::{MeanInterval, share_interval};
use crate::numeric::{Purpose, Seed};

/// How a judge answered about gold pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldScore {
    /// The judge, if he has a name.
    pub judge: Option<String>,
    /// The answers about gold pairs, without skips.
    pub answers: usize,
    /// Those that are right.
    pub right: usize,
    /// The share that is right, with Wilson's interval.
    pub share: MeanInterval,
}

/// The gold pair to ask a judge in place of the next question, left and right, if it is time for one: with this probability, and one of
/// those that this judge was not asked yet. It depends on the standing answers and the seed alone. A pair that was skipped is not
/// asked again.
pub(crate) fn gold_question(
    gold: &Gold,
    rate: f64,
    standing: &[&Answer],
    judge: Option<&str>,
    allowed: impl Fn(ItemId, ItemId) -> bool,
    seed: Seed,
) -> Option<[ItemId; 2]> {
    if gold.is_empty() || rate == 0.0 {
        return None;
    }
    let mut stream = seed.stream(Purpose::Gold { answers: standing.len() });
    if stream.random::<f64>() >= rate {
        return None;
    }
    let key = |first: ItemId, second: ItemId| (first.min(second), first.max(second));
    let own = standing.iter().filter(|answer| answer.judge.as_deref() == judge);
    let asked: HashSet<_> = own
        .filter(|answer| !answer.is_of_screen())
        .filter_map(|answer| Some(key(answer.first, answer.second?)))
        .collect();
    let is_open =
        |(first, second): &&(ItemId, ItemId)| !asked.contains(&key(*first, *second)) && allowed(*first, *second);
    let open: Vec<_> = gold.pairs().iter().filter(is_open).collect();
    if open.is_empty() {
        return None;
    }
    let &(first, second) = open[stream.random_range(0..open.len())];
    Some(if stream.random::<bool>() { [first, second] } else { [second, first] })
}

/// What every judge said of gold pairs, by name; those who said nothing of them are left out. The interval has this level.
pub(crate) fn gold_scores(gold: &Gold, standing: &[&Answer], level: f64) -> Vec<GoldScore> {
    let mut counts: BTreeMap<Option<&str>, [usize; 2]> = BTreeMap::new();
    for answer in standing {
        if let Some(right) = gold.is_right(answer) {
            let [answers, all_right] = counts.entry(answer.judge.as_deref()).or_default();
            *answers += 1;
            *all_right += usize::from(right);
        }
    }
    let score = |(judge, [answers, right]): (Option<&str>, [usize; 2])| GoldScore {
        judge: judge.map(str::to_owned),
        answers,
        right,
        share: share_interval(right, answers, level),
    };
    counts.into_iter().map(score).collect()
}
