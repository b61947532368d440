//! The choice of a pair, by an exact scan over all pairs that may be asked.
//!
//! Scores that differ by less than a part in 1e9 count as equal, because rounding decides between them. The scan finds
//! all pairs that share the best score and draws one of them.

use std::collections::{HashMap, HashSet};

use rand::RngExt;

use super::Strategy;
use super::leads::Leads;
use super::look_ahead::look_ahead;
use super::pair_belief::{Answers, PairBelief, Score};
use super::pending::Pending;
use super::search::search;
use super::strategy::{Emphasis, Method};
use super::wrong_pairs::wrong_pairs;
use crate::Result;
use crate::data::{Answer, Groups, ItemId, Outcome};
use crate::gp::{AnswerModel, Belief, by_falling_mean};
use crate::numeric::Stream;

/// A pair worth asking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    /// The item ranked higher.
    pub first: ItemId,
    /// The item ranked lower.
    pub second: ItemId,
    /// The strategy's score. Pairs with larger scores are asked first. Scores are comparable only within a strategy.
    pub score: f64,
}

impl Question {
    /// Whether it is about these two items.
    pub(super) fn is_about(&self, first: ItemId, second: ItemId) -> bool {
        key(self.first, self.second) == key(first, second)
    }

    /// An answer to this question, without a judge.
    ///
    /// # Errors
    /// If the outcome is about a single item.
    pub fn answer(&self, outcome: Outcome) -> Result<Answer> {
        Answer::new(self.first, Some(self.second), outcome)
    }
}

/// Scores within this fraction of the best count as equal to it.
const EQUAL: f64 = 1e-9;

/// The pairs that may be asked: two items of one group, not excluded, and in the pool if there is a pool.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    groups: Option<Groups>,
    /// Pairs that are never asked.
    excluded: HashSet<(u32, u32)>,
    answered: Leads,
    /// Answered pairs, each with the number of ties less that of other answers.
    ties: HashMap<(u32, u32), i32>,
    /// The lead of ties from which two items are tied.
    enough: Option<u32>,
    pool: Option<HashSet<(u32, u32)>>,
}

impl Candidates {
    /// All pairs within groups, or all pairs of items if there are no groups.
    pub fn new(groups: Option<Groups>) -> Self {
        Self { groups, ..Self::default() }
    }

    /// Allows only the pairs of this pool.
    pub fn with_pool(mut self, pool: impl IntoIterator<Item = (ItemId, ItemId)>) -> Self {
        self.pool = Some(pool.into_iter().map(|(first, second)| key(first, second)).collect());
        self
    }

    /// Leaves out a pair.
    pub fn exclude(&mut self, first: ItemId, second: ItemId) {
        self.excluded.insert(key(first, second));
    }

    /// Leaves out the pairs of an answer: all of them always if it was skipped, otherwise those that it compares unless pairs may be asked
    /// again (`repeat`).
    pub fn rule_out(&mut self, answer: &Answer, repeat: bool) {
        let Some(second) = answer.second else { return };
        let judge = answer.judge.as_deref();
        if answer.outcome == Outcome::Skip {
            let items: Vec<ItemId> = answer.items().collect();
            let pairs =
                items.iter().enumerate().flat_map(|(at, &one)| items[at + 1..].iter().map(move |&two| (one, two)));
            pairs.for_each(|(one, two)| self.exclude(one, two));
        } else if answer.is_of_screen() {
            answer.preferences().into_iter().for_each(|(one, two)| self.count(one, two, Outcome::First, judge, repeat));
        } else {
            self.count(answer.first, second, answer.outcome, judge, repeat);
        }
    }

    /// Counts what was said of a pair.
    fn count(&mut self, first: ItemId, second: ItemId, outcome: Outcome, judge: Option<&str>, repeat: bool) {
        let tie = if outcome.plain() == Some(Outcome::Tie) { 1 } else { -1 };
        *self.ties.entry(key(first, second)).or_default() += tie;
        if !repeat {
            let lead = if first < second { lead(outcome) } else { -lead(outcome) };
            self.answered.add(key(first, second), judge, lead);
        }
    }

    /// Says which pairs that were left out by an answer may be asked again after all: those that all answers together do not settle, each
    /// counted as much as this model trusts its judge, nor the own answers of the judge who is asked. Skipped pairs may not.
    pub fn ask_again(&mut self, model: &AnswerModel, judge: Option<&str>) {
        self.answered.trust(model, judge);
        // A noise that is out of range says nothing of how far a judge is to be trusted.
        self.enough = model.of_judge(judge).ok().and_then(|model| model.telling_lead());
    }

    /// Whether pairs that were left out by an answer may be asked again.
    pub(super) fn asks_again(&self) -> bool {
        self.answered.may_stay_open()
    }

    fn is_out(&self, key: &(u32, u32)) -> bool {
        self.excluded.contains(key) || self.answered.settle(key)
    }

    /// The number of pairs that may be asked, for this many items in all.
    pub(super) fn left(&self, items: usize) -> usize {
        let pairs = |size: usize| size * size.saturating_sub(1) / 2;
        let answered = self.answered.settled().filter(|key| !self.excluded.contains(*key)).count();
        let out = self.excluded.len() + answered;
        match (&self.pool, &self.groups) {
            (Some(pool), _) => pool.iter().filter(|key| !self.is_out(key)).count(),
            (None, None) => pairs(items).saturating_sub(out),
            (None, Some(groups)) => {
                let all: usize = (0..groups.len()).map(|group| pairs(groups.members(group).len())).sum();
                all.saturating_sub(out)
            }
        }
    }

    /// Whether a pair that was answered may be asked again if that is worth it: it is in the pool if there is one, and was not skipped.
    pub(super) fn allow_again(&self, first: usize, second: usize) -> bool {
        let key = key(ItemId::new(first), ItemId::new(second));
        !self.excluded.contains(&key) && self.pool.as_ref().is_none_or(|pool| pool.contains(&key))
    }

    /// Whether two items are a tie to the judge: one more answer about them would be a tie again, and tell nothing.
    pub(super) fn are_tied(&self, first: ItemId, second: ItemId) -> bool {
        let enough = i32::try_from(self.enough.unwrap_or(1)).unwrap_or(i32::MAX);
        self.ties.get(&key(first, second)).is_some_and(|&ties| ties >= enough)
    }

    /// Whether there are neither groups nor a pool.
    pub(super) fn are_all(&self) -> bool {
        self.groups.is_none() && self.pool.is_none()
    }

    /// Whether a pair may be asked.
    pub(super) fn allows(&self, first: usize, second: usize) -> bool {
        let key = key(ItemId::new(first), ItemId::new(second));
        !self.is_out(&key) && self.pool.as_ref().is_none_or(|pool| pool.contains(&key))
    }

    /// The items of every group, best first under this belief. Ties are broken by item id.
    pub(super) fn orders(&self, belief: &dyn Belief) -> Vec<Vec<usize>> {
        let mean = belief.mean();
        match &self.groups {
            None => vec![by_falling_mean(0..belief.len(), mean)],
            Some(groups) => {
                let members = |group: usize| groups.members(group).iter().map(|item| item.index());
                (0..groups.len()).map(|group| by_falling_mean(members(group), mean)).collect()
            }
        }
    }
}

/// The answers for the first item less those for the second: one answer, or its votes.
fn lead(outcome: Outcome) -> i32 {
    match (outcome, outcome.plain()) {
        (Outcome::Votes(votes), _) => votes.first() as i32 - votes.second() as i32,
        (_, Some(Outcome::First)) => 1,
        (_, Some(Outcome::Second)) => -1,
        _ => 0,
    }
}

fn key(first: ItemId, second: ItemId) -> (u32, u32) {
    (first.0.min(second.0), first.0.max(second.0))
}

/// The pair that the strategy asks next, or `None` if no pair may be asked. The cost is `n²/2` pairs and one covariance
/// column per item. Strategies that look ahead cost more; see [`Strategy`].
///
/// # Errors
/// If the kernel cannot give a column.
pub fn choose(
    belief: &dyn Belief,
    model: &AnswerModel,
    strategy: Strategy,
    candidates: &Candidates,
    stream: &mut Stream,
) -> Result<Option<Question>> {
    let answers = Answers::new(model);
    let mut best = Best::default();
    match strategy.method() {
        Method::AnyPair => return Ok(any(&candidates.orders(belief), candidates, stream)),
        Method::WorstItem { focus } => return worst_of_worst_item(belief, focus, candidates, stream),
        Method::Ahead(what) => {
            let orders = candidates.orders(belief);
            let pairs = pairs(&orders, candidates);
            for (pair, score) in pairs.iter().zip(look_ahead(belief, &answers, what, &orders, &pairs)?) {
                best.offer((score, 0.0), *pair);
            }
        }
        Method::WrongPairs => best = wrong_pairs(belief, &answers, candidates, stream)?,
        Method::EachPair => best = search(belief, &answers, strategy, candidates, 1)?,
    }
    Ok(best.draw(stream))
}

/// Up to `count` different pairs to ask at the same time, the best first, while the pairs in `pending` await their
/// answers. There are fewer if fewer may be asked. Each pair is chosen from the belief that is expected once the pairs
/// before it are answered.
///
/// # Errors
/// If the kernel cannot give a column.
pub fn choose_many(
    belief: &dyn Belief,
    model: &AnswerModel,
    strategy: Strategy,
    mut candidates: Candidates,
    pending: &[(ItemId, ItemId)],
    count: usize,
    stream: &mut Stream,
) -> Result<Vec<Question>> {
    let answers = Answers::new(model);
    let mut belief = Pending::new(belief);
    let expect = |belief: &mut Pending<'_>, candidates: &mut Candidates, first, second| {
        candidates.exclude(first, second);
        belief.expect(first, second, |mean, variance| answers.curvature(mean, variance))
    };
    for &(first, second) in pending {
        expect(&mut belief, &mut candidates, first, second)?;
    }
    let mut out = Vec::new();
    while out.len() < count {
        let Some(question) = choose(&belief, model, strategy, &candidates, stream)? else { break };
        out.push(question);
        if out.len() < count {
            expect(&mut belief, &mut candidates, question.first, question.second)?;
        }
    }
    Ok(out)
}

/// The best pairs so far: those that share the best score, or some more.
#[derive(Debug, Clone)]
pub(super) struct Best {
    /// The number of pairs to find, and all that share the score of the last of them.
    wanted: usize,
    /// The score that a pair must reach: the best, or that of the last wanted pair.
    best: Option<Score>,
    pairs: Vec<(Score, (usize, usize))>,
}

impl Default for Best {
    fn default() -> Self {
        Self::of(1)
    }
}

impl Best {
    /// None yet of so many wanted pairs, at least one.
    pub(super) fn of(wanted: usize) -> Self {
        Self { wanted, best: None, pairs: Vec::new() }
    }

    /// Whether there is a pair.
    pub(super) fn is_some(&self) -> bool {
        self.best.is_some()
    }

    /// Whether a pair with this score, or with this bound on its score, may be among the best.
    pub(super) fn may_take(&self, score: Score) -> bool {
        self.best.is_none_or(|best| !behind(score, best))
    }

    /// Whether every pair whose first number is at most this score's is worse than the best.
    pub(super) fn is_past(&self, score: Score) -> bool {
        self.best.is_some_and(|best| clearly_below(score.0, best.0))
    }

    /// Adds a pair if it is among the best.
    pub(super) fn offer(&mut self, score: Score, pair: (usize, usize)) {
        if !self.may_take(score) {
            return;
        }
        if self.wanted > 1 {
            self.pairs.push((score, pair));
            return self.narrow();
        }
        let better = |best: Score| behind(best, score) || best.partial_cmp(&score).is_none_or(|order| order.is_lt());
        if self.best.is_none_or(better) {
            self.best = Some(score);
            self.pairs.retain(|(other, _)| !behind(*other, score));
        }
        self.pairs.push((score, pair));
    }

    /// Lets go of pairs that are behind the wanted ones, now and then.
    fn narrow(&mut self) {
        // Each time, at least half of the pairs had come since the last time or share one score.
        if self.pairs.len() < 2 * self.wanted || !self.pairs.len().is_power_of_two() {
            return;
        }
        if let Some(last) = self.last_wanted() {
            self.best = Some(last);
            self.pairs.retain(|(other, _)| !behind(*other, last));
        }
    }

    /// The score of the last wanted pair, or of the last pair if there are fewer.
    fn last_wanted(&mut self) -> Option<Score> {
        let last = self.wanted.min(self.pairs.len()).checked_sub(1)?;
        let falling = |one: &(Score, _), other: &(Score, _)| {
            let ((first, second), (other_first, other_second)) = (one.0, other.0);
            other_first.total_cmp(&first).then(other_second.total_cmp(&second))
        };
        Some(self.pairs.select_nth_unstable_by(last, falling).1.0)
    }

    /// The wanted pairs in any order, the item ranked higher first in each. Of the pairs that share the score of the last
    /// wanted one, some are drawn.
    pub(super) fn some(mut self, stream: &mut Stream) -> Vec<(usize, usize)> {
        let Some(last) = self.last_wanted() else { return Vec::new() };
        let enough = self.pairs.into_iter().filter(|(score, _)| !behind(*score, last));
        let (mut out, mut tied): (Vec<_>, Vec<_>) = enough.partition(|(score, _)| behind(last, *score));
        // The draws must not depend on the order in which the pairs were found.
        tied.sort_by_key(|&(_, (first, second))| (first.min(second), first.max(second)));
        while out.len() < self.wanted && !tied.is_empty() {
            out.push(tied.swap_remove(stream.random_range(0..tied.len())));
        }
        out.into_iter().map(|(_, pair)| pair).collect()
    }

    /// One of the best pairs, drawn uniformly.
    pub(super) fn draw(mut self, stream: &mut Stream) -> Option<Question> {
        // The draw must not depend on the order in which the pairs were found.
        self.pairs.sort_by_key(|&(_, (first, second))| (first.min(second), first.max(second)));
        let at = if self.pairs.len() > 1 { stream.random_range(0..self.pairs.len()) } else { 0 };
        self.pairs.get(at).map(|&((score, _), (first, second))| Question {
            first: ItemId::new(first),
            second: ItemId::new(second),
            score,
        })
    }
}

/// Whether a score is worse than another by more than rounding.
fn behind(score: Score, best: Score) -> bool {
    clearly_below(score.0, best.0) || (!clearly_below(best.0, score.0) && clearly_below(score.1, best.1))
}

/// Whether a number is below another by more than rounding. All finite numbers are below infinity; `∞ - EQUAL ∞` would
/// hide this.
fn clearly_below(one: f64, other: f64) -> bool {
    one < other - EQUAL * other.abs().min(f64::MAX)
}

/// All pairs that may be asked. The item ranked higher comes first.
fn pairs(orders: &[Vec<usize>], candidates: &Candidates) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for order in orders {
        for (row, &first) in order.iter().enumerate() {
            let rest = order[row + 1..].iter().map(|&second| (first, second));
            out.extend(rest.filter(|&(first, second)| candidates.allows(first, second)));
        }
    }
    out
}

/// A pair that may be asked, drawn uniformly.
fn any(orders: &[Vec<usize>], candidates: &Candidates, stream: &mut Stream) -> Option<Question> {
    /// After this many draws without success few pairs are left, so all are listed.
    const DRAWS: usize = 100;
    let count = |order: &Vec<usize>| order.len() * order.len().saturating_sub(1) / 2;
    let total: usize = orders.iter().map(count).sum();
    if total == 0 {
        return None;
    }
    let question = |first: usize, second: usize| Question {
        first: ItemId::new(first),
        second: ItemId::new(second),
        score: 1.0 / total as f64,
    };
    for _ in 0..DRAWS {
        let mut at = stream.random_range(0..total);
        let order = orders.iter().find(|order| {
            let own = count(order);
            let here = at < own;
            at -= if here { 0 } else { own };
            here
        })?;
        let first = stream.random_range(0..order.len());
        let second = (first + stream.random_range(1..order.len())) % order.len();
        let (first, second) = (order[first.min(second)], order[first.max(second)]);
        if candidates.allows(first, second) {
            return Some(question(first, second));
        }
    }
    let left = pairs(orders, candidates);
    (!left.is_empty()).then(|| {
        let (first, second) = left[stream.random_range(0..left.len())];
        question(first, second)
    })
}

/// Takes the item whose pairs have the largest summed expected loss, and of its pairs that may be asked the one with
/// the largest expected loss (Radlinski, Joachims 2007).
fn worst_of_worst_item(
    belief: &dyn Belief,
    focus: f64,
    candidates: &Candidates,
    stream: &mut Stream,
) -> Result<Option<Question>> {
    let (mean, variances) = (belief.mean(), belief.variances());
    let mut best = Best::default();
    let mut own: Vec<Best> = vec![Best::default(); belief.len()];
    let mut column = vec![0.0; belief.len()];
    for order in &candidates.orders(belief) {
        let mut sums = vec![0.0; order.len()];
        let weights = Emphasis::Focus(focus).weights(order, mean);
        for (row, &first) in order.iter().enumerate() {
            belief.column(ItemId::new(first), &mut column)?;
            let weight = weights[row];
            for (other, &second) in order.iter().enumerate().skip(row + 1) {
                let variance = variances[first] + variances[second] - 2.0 * column[second];
                let loss = PairBelief { means: [mean[first], mean[second]], variance, weight }.loss();
                sums[row] += loss;
                sums[other] += loss;
                if candidates.allows(first, second) {
                    own[first].offer((loss, 0.0), (first, second));
                    own[second].offer((loss, 0.0), (first, second));
                }
            }
        }
        for (&item, &sum) in order.iter().zip(&sums) {
            if !own[item].pairs.is_empty() {
                best.offer((sum, 0.0), (item, item));
            }
        }
    }
    let Some(Question { first: item, .. }) = best.draw(stream) else { return Ok(None) };
    Ok(std::mem::take(&mut own[item.index()]).draw(stream))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(scores: &[Score]) -> Vec<usize> {
        let mut best = Best::default();
        scores.iter().enumerate().for_each(|(number, &score)| best.offer(score, (number, number)));
        best.pairs.into_iter().map(|(_, (number, _))| number).collect()
    }

    /// A finite score is below an infinite one for any second numbers.
    #[test]
    fn nothing_finite_is_as_good_as_infinity() {
        let infinity = f64::INFINITY;
        assert_eq!(best(&[(3.0, 9.0), (infinity, 1.0), (4.0, 8.0)]), [1]);
        assert_eq!(best(&[(infinity, 1.0), (infinity, 2.0), (5.0, 7.0), (infinity, 2.0)]), [1, 3]);
        let mut one = Best::default();
        one.offer((3.0, 9.0), (0, 1));
        assert!(one.may_take((infinity, 1.0)) && !one.is_past((infinity, 1.0)));
    }

    /// The second number decides between first numbers that differ only by rounding. Pairs may come in any order.
    #[test]
    fn the_second_number_decides_in_any_order() {
        let (wide, narrow) = ((1.0 - 1e-12, 7.0), (1.0, 5.0));
        assert_eq!(best(&[wide, narrow]), [0]);
        assert_eq!(best(&[narrow, wide]), [1]);
    }
}
