//! How near a session is to its goal, and the pairs that decide whether it is reached.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::certainty::{certainty_of, each_group};
use super::outlook::{is_quick, is_settled_quickly};
use super::pair_belief::Answers;
use super::{Certainty, CertaintyParams, Question, Session, StopRule, certainty};
use crate::Result;
use crate::data::{Goal, ItemId, Outcome};
use crate::gp::{Belief, Draws, OverNoises, RankingParams, UnderNoise, by_falling_mean};
use crate::numeric::{Seed, normal};

/// The number of draws from which a session counts how near the goal is.
pub(super) const QUICK_DRAWS: usize = 512;

/// The number of draws of a rough count, which is enough where the goal is far.
pub(super) const ROUGH_DRAWS: usize = 128;

/// The probability from which the goal is in sight.
const IN_SIGHT: f64 = 0.5;

/// More than averaging over judges adds to the probability.
const AVERAGING: f64 = 0.05;

/// How near a session is to its goal.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Standing {
    /// The probability that the goal is reached, in the group where it is smallest. If the noise is learned, it is the average over
    /// the noises that the answers allow.
    pub probability: f64,
    /// The number of answers that it is of, without skips.
    pub answers: usize,
    /// Whether it was counted from a few draws of the session's belief. If not, a ranking of these answers says the same number
    /// ([`Session::settled`]).
    pub is_rough: bool,
    /// Whether the stop rule is met. If the noise is learned, the probability at the learned noise must be near the target too.
    pub is_met: bool,
}

/// How often draws reach the goal.
#[derive(Clone)]
struct Reached {
    /// The share of draws that do, in the group where it is smallest.
    probability: f64,
    /// The pairs in the wrong order that keep the other draws of this group from it, the most frequent first; for a goal that needs a
    /// few items only.
    culprits: Vec<Question>,
}

/// What a session has counted, each when it was first needed.
#[derive(Clone, Default)]
pub(super) struct Counted {
    /// Since the latest answer.
    noises: OnceLock<Vec<UnderNoise>>,
    /// The pair to ask next, since the latest answer.
    pub(super) next: OnceLock<Option<Question>>,
    /// Since the last number of answers after which the goal is looked at.
    at_learned_noise: OnceLock<Option<Reached>>,
    over_noises: OnceLock<Option<Reached>>,
    stated: OnceLock<Option<Stated>>,
}

/// The probability that the goal is reached, as it is stated.
#[derive(Clone, Copy)]
struct Stated {
    probability: f64,
    is_rough: bool,
    /// The number of answers that it is of, with skips.
    after: usize,
}

impl Counted {
    /// Forgets what was seen when the goal was last looked at.
    fn look_anew(&mut self) {
        *self = Self { noises: std::mem::take(&mut self.noises), ..Self::default() };
    }

    /// Forgets what another answer changes. What is stated stays until it is counted again.
    pub(super) fn answered(&mut self, looks_now: bool, states_now: bool) {
        self.noises = OnceLock::new();
        self.next = OnceLock::new();
        if looks_now {
            let stated = self.stated.get().copied().flatten().filter(|stated| !states_now && !stated.is_rough);
            *self = Self {
                stated: stated.map_or_else(OnceLock::new, |stated| OnceLock::from(Some(stated))),
                ..Self::default()
            };
        }
    }
}

/// How often a session looks at its goal if the noise is learned, and counts what it states of it in any case.
#[derive(Clone, Copy)]
pub(super) struct Looks {
    /// Looks while the answers double, beyond twice as many answers. Certainty hardly changes with one answer out of hundreds.
    often: usize,
    /// The number of draws that decide. Draws of one chain are alike, so a small number says now and then, in one of many looks, that a
    /// goal is reached which is not.
    sure: usize,
    /// The number of answers at the first look.
    from: usize,
}

impl Looks {
    /// Of a session that a person answers.
    pub(super) const CLOSE: Self = Self { often: 32, sure: 4096, from: 0 };

    /// Of a session in a world of a forecast, of which there are many. It begins after this many answers.
    fn passing(from: usize) -> Self {
        Self { often: 16, sure: QUICK_DRAWS, from }
    }

    /// The last number of answers, up to this one, after which the goal is looked at: if 32 are often, after every answer up to 64, after
    /// every second one up to 128, after every fourth one up to 256, and so on.
    fn last(self, answers: usize) -> usize {
        let every = 1 << (answers / self.often).max(1).ilog2();
        (answers - answers % every).max(self.from)
    }
}

/// The items of a group that tell whether the goal is far: all, or some of many. For a goal that needs a few items, these are the first
/// ones and those that are most likely to belong there; among all items, the goal is at most as probable as among these. For others,
/// they stand at equal distances in the ranking.
fn telling(belief: &dyn Belief, goal: Goal, members: &[ItemId]) -> Vec<ItemId> {
    /// More items than this are many, of which so few tell enough.
    const MANY: usize = 150;
    const SOME: usize = 64;
    let first = first_of(goal);
    if members.len() <= MANY || first.is_some_and(|first| !(1..SOME).contains(&first)) {
        return members.to_vec();
    }
    let means: Vec<f64> = members.iter().map(|item| belief.mean()[item.index()]).collect();
    let order = by_falling_mean(0..members.len(), &means);
    let Some(first) = first else {
        return (0..SOME).map(|place| members[order[place * members.len() / SOME]]).collect();
    };
    let (inside, outside) = order.split_at(first);
    let last = means[inside[first - 1]];
    let behind = |at: usize| (last - means[at]) / belief.variances()[members[at].index()].max(f64::MIN_POSITIVE).sqrt();
    let mut others: Vec<usize> = outside.to_vec();
    others.sort_by(|&one, &other| behind(one).total_cmp(&behind(other)));
    inside.iter().chain(&others[..SOME - first]).map(|&at| members[at]).collect()
}

/// The number of first items that a goal needs, if it needs a few only.
fn first_of(goal: Goal) -> Option<usize> {
    match goal {
        Goal::Best => Some(1),
        Goal::Top { k } => Some(k),
        Goal::WholeOrder | Goal::TopHeavy => None,
    }
}

/// In a draw of utilities, the worst of the first items in this order and the best of the others, if the first are not the best.
fn culprit(drawn: &[f64], first: &[usize], others: &[usize]) -> Option<(usize, usize)> {
    let by_utility = |one: &usize, other: &usize| drawn[*one].total_cmp(&drawn[*other]);
    let worst = first.iter().copied().min_by(by_utility)?;
    let best = others.iter().copied().max_by(by_utility)?;
    (drawn[best] >= drawn[worst]).then_some((worst, best))
}

/// Pairs of items by their places as questions, the most frequent first. The score is the share of draws.
fn by_frequency(drawn: &[Option<(usize, usize)>], items: &[ItemId]) -> Vec<Question> {
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    drawn.iter().flatten().for_each(|&pair| *counts.entry(pair).or_default() += 1);
    let question = |((one, other), count): ((usize, usize), usize)| {
        let score = count as f64 / drawn.len() as f64;
        Question { first: items[one], second: items[other], score }
    };
    let mut out: Vec<Question> = counts.into_iter().map(question).collect();
    out.sort_by(|one, other| other.score.total_cmp(&one.score));
    out
}

impl Session {
    /// How near the goal was when that was last counted: after the latest answer, or after one of the last few if there are more than
    /// 64 ([`Standing::answers`]). `None` if the session has no stop rule, or if there are so many items that a first count would take more than a fifth of a
    /// second.
    ///
    /// The number is that of a ranking of the same answers, unless [`Standing::is_rough`]: there such a count would take too long too.
    ///
    /// # Errors
    /// As [`certainty`](super::certainty()).
    pub fn standing(&self) -> Result<Option<Standing>> {
        let Some(rule) = self.params.rule else { return Ok(None) };
        if self.counted.stated.get().is_none() {
            let _ = self.counted.stated.set(self.stated(&rule)?);
        }
        let Some(Stated { probability, is_rough, after }) = self.counted.stated.get().copied().flatten() else {
            return Ok(None);
        };
        let answers = self.answers[..after].iter().filter(|answer| answer.outcome != Outcome::Skip).count();
        let is_met = self.is_near()? && probability >= rule.target;
        Ok(Some(Standing { probability, is_met, answers, is_rough }))
    }

    /// The number that is stated: by a count as for a ranking where that is quick, else by a quick count.
    fn stated(&self, rule: &StopRule) -> Result<Option<Stated>> {
        let settled = |session: &Self| match session.is_settled_quickly() {
            true => session.settled(session.params.seed).map(Some),
            false => Ok(None),
        };
        let after = self.looks.last(self.answers.len());
        // Where EP does not converge, there is no ranking that could say something else.
        if self.looks.sure > QUICK_DRAWS
            && let Ok(Some(groups)) = self.after(after, settled)
        {
            return Ok(Some(Stated { probability: rule.probability(&groups), is_rough: false, after }));
        }
        let after = self.looked_at();
        let rough = |reached: &Reached| Stated { probability: reached.probability, is_rough: true, after };
        Ok(self.over_all_noises(rule)?.map(rough))
    }

    /// How settled the ranking of every group is: what [`Model::fit`](crate::Model::fit) by EP and a
    /// [`ranking`](crate::gp::RankingParams::for_items) with this seed say after the same answers.
    ///
    /// # Errors
    /// As [`certainty`](super::certainty()), or if EP does not converge.
    pub fn settled(&self, seed: Seed) -> Result<Vec<Certainty>> {
        let draws = RankingParams::for_items(self.belief().len()).draws;
        let params = CertaintyParams::default().with_draws(draws).with_seed(seed);
        match self.learner.all_at_once()? {
            Some(belief) => {
                let over = OverNoises { belief: &belief, noises: self.noises()? };
                certainty(&over, self.groups.as_ref(), &params)
            }
            None => self.certainty(&params),
        }
    }

    /// Whether [`Session::settled`] takes at most about a fifth of a second on two cores.
    fn is_settled_quickly(&self) -> bool {
        let sizes = || match &self.groups {
            Some(groups) => groups.sizes().collect(),
            None => vec![self.belief().len()],
        };
        is_settled_quickly(&sizes(), self.answers.len(), RankingParams::for_items(self.belief().len()).draws)
    }

    /// How often the goal is reached under all noises that the answers allow; `None` if counting would take too long.
    fn over_all_noises(&self, rule: &StopRule) -> Result<Option<&Reached>> {
        let count = |session: &Self| {
            let Some(params) = session.quick_count(QUICK_DRAWS) else { return Ok(None) };
            let belief = session.over_noises()?;
            let reached = session.reached(&belief, rule, &params)?;
            let sure = session.looks.sure;
            if reached.probability < rule.target || !session.model().learns() || sure <= QUICK_DRAWS {
                return Ok(Some(reached));
            }
            session.reached(&belief, rule, &params.with_draws(sure)).map(Some)
        };
        if self.counted.over_noises.get().is_none() {
            let _ = self.counted.over_noises.set(self.when_looked_at(count)?);
        }
        Ok(self.counted.over_noises.get().and_then(Option::as_ref))
    }

    /// What a session finds that has only the answers up to the last look at the goal. Only a session that was resumed after it must
    /// learn them again.
    fn when_looked_at<T>(&self, find: impl Fn(&Self) -> Result<T>) -> Result<T> {
        self.after(self.looked_at(), find)
    }

    /// What a session finds that has only so many of the answers.
    fn after<T>(&self, answers: usize, find: impl Fn(&Self) -> Result<T>) -> Result<T> {
        match answers {
            all if all == self.answers.len() => find(self),
            some => find(&self.with_answers(self.answers[..some].to_vec())?),
        }
    }

    /// The same session in a world of a forecast: it looks at its goal now, and less often from here on.
    pub(super) fn in_passing(&self) -> Self {
        let mut session = self.clone();
        session.looks = Looks::passing(self.answers.len());
        session.counted.look_anew();
        session
    }

    /// Whether the goal is looked at after the latest answer.
    pub(super) fn looks_now(&self) -> bool {
        self.looked_at() == self.answers.len()
    }

    /// Whether what is stated is counted after the latest answer.
    pub(super) fn states_now(&self) -> bool {
        self.looks.last(self.answers.len()) == self.answers.len()
    }

    /// The number of answers when the goal was last looked at. If the noise is held, a look costs little.
    pub(super) fn looked_at(&self) -> usize {
        let answers = self.answers.len();
        if self.model().learns() { self.looks.last(answers) } else { answers }
    }

    /// Parameters for a count of certainty, if it is quick enough to be made before every question.
    fn quick_count(&self, draws: usize) -> Option<CertaintyParams> {
        let quick = is_quick(self.belief().len(), self.groups.as_ref(), self.answers.len(), draws);
        quick.then(|| CertaintyParams::default().with_draws(draws).with_seed(self.params.seed))
    }

    /// Whether the stop rule is met; false if the session has none, or too many items to count. Where the goal is far, this is
    /// faster than [`Session::standing`].
    ///
    /// # Errors
    /// As [`certainty`](super::certainty()).
    pub fn is_done(&self) -> Result<bool> {
        Ok(self.is_near()? && self.standing()?.is_some_and(|standing| standing.is_met))
    }

    /// Whether the goal may be reached, by the probability at the learned noise.
    pub(super) fn is_near(&self) -> Result<bool> {
        let Some(rule) = self.params.rule else { return Ok(false) };
        Ok(self.at_learned_noise(&rule)?.is_some_and(|reached| reached.probability >= rule.target - AVERAGING))
    }

    /// How often the goal is reached at the learned noise; `None` if it is far, or if counting would take too long. A rough count comes
    /// first.
    fn at_learned_noise(&self, rule: &StopRule) -> Result<Option<&Reached>> {
        /// Five standard errors of the rough count.
        const ROUGHLY: f64 = 0.15;
        let least = IN_SIGHT.min(rule.target - ROUGHLY);
        let count = |session: &Self| {
            let Some(params) = session.quick_count(ROUGH_DRAWS) else { return Ok(None) };
            let rough = session.reached(session.belief(), rule, &params)?;
            if rough.probability < rule.target - AVERAGING - ROUGHLY {
                // Enough to know what keeps it from the goal.
                return Ok(Some(rough).filter(|rough| rough.probability >= least));
            }
            session.reached(session.belief(), rule, &params.with_draws(QUICK_DRAWS)).map(Some)
        };
        if self.counted.at_learned_noise.get().is_none() {
            let _ = self.counted.at_learned_noise.set(self.when_looked_at(count)?);
        }
        Ok(self.counted.at_learned_noise.get().and_then(Option::as_ref))
    }

    /// How often draws of a belief reach the goal. If the noise is learned, only a count that decides looks at all of many items.
    fn reached(&self, belief: &dyn Belief, rule: &StopRule, params: &CertaintyParams) -> Result<Reached> {
        let decides = params.draws > QUICK_DRAWS || !self.model().learns();
        let of_group = |members: &[ItemId], group| {
            let items = if decides { members.to_vec() } else { telling(belief, rule.goal, members) };
            let Some(first) = first_of(rule.goal) else {
                let probability = certainty_of(belief, &items, group, params)?.probability(rule.goal, rule.error);
                return Ok(Reached { probability, culprits: Vec::new() });
            };
            let own: Vec<f64> = items.iter().map(|item| belief.mean()[item.index()]).collect();
            let order = by_falling_mean(0..items.len(), &own);
            let (inside, outside) = order.split_at(first.min(order.len()));
            let culprit = |drawn: &mut [f64], _: usize, _: &mut _| culprit(drawn, inside, outside);
            let drawn = Draws::new(belief, &items, params.draws)?.each(params.seed, group, &params.watch, culprit)?;
            let probability = drawn.iter().filter(|culprit| culprit.is_none()).count() as f64 / drawn.len() as f64;
            Ok(Reached { probability, culprits: by_frequency(&drawn, &items) })
        };
        let groups = each_group(belief.len(), self.groups.as_ref(), of_group)?;
        let least = groups.into_iter().min_by(|one, other| one.probability.total_cmp(&other.probability));
        // Where there is nothing to rank, nothing is wrong.
        Ok(least.unwrap_or(Reached { probability: 1.0, culprits: Vec::new() }))
    }

    /// The pair that is asked because the goal is in sight: the one that keeps most draws from it, whether or not it was answered
    /// before. If all items are to be ordered, pairs are only asked again: the goal is reached at the learned noise, but the judge may be
    /// less consistent than that, and the least sure answers tell.
    pub(super) fn decisive(&self) -> Result<Option<Question>> {
        // A held noise is believed.
        let Some(rule) = self.params.rule.filter(|_| self.model().learns()) else { return Ok(None) };
        let Some(learned) = self.at_learned_noise(&rule)? else { return Ok(None) };
        let near = self.is_near()?;
        let reached = if near { self.over_all_noises(&rule)?.unwrap_or(learned) } else { learned };
        if reached.culprits.is_empty() {
            let in_doubt = near && learned.probability >= rule.target && reached.probability < rule.target;
            return if in_doubt { self.least_sure_answer() } else { Ok(None) };
        }
        // After a few answers since the last look, the next pairs have their turn.
        let turn = self.answers.len() - self.looked_at();
        let allowed = |pair: &&Question| self.candidates.allow_again(pair.first.index(), pair.second.index());
        match reached.culprits.iter().filter(allowed).nth(turn).copied() {
            Some(pair) if self.candidates.are_tied(pair.first, pair.second) => self.telling_apart(&pair),
            pair => Ok(pair),
        }
    }

    /// Two items are a tie to the judge, so another one must tell which is better: the pair of one of them and a third item whose answer
    /// is expected to take most from the variance of the difference. `None` if no such pair may be asked. Two columns, and `n` operations.
    fn telling_apart(&self, tied: &Question) -> Result<Option<Question>> {
        let (belief, answers) = (self.belief(), Answers::new(self.model()));
        let (mean, variances) = (belief.mean(), belief.variances());
        let [own, other] = [tied.first, tied.second].map(|item| -> Result<Vec<f64>> {
            let mut column = vec![0.0; belief.len()];
            belief.column(item, &mut column).map(|()| column)
        });
        let (own, other) = (own?, other?);
        let [i, j] = [tied.first, tied.second].map(ItemId::index);
        let difference = |k: usize| own[k] - other[k];
        let mut best: Option<Question> = None;
        for (item, column) in [(i, &own), (j, &other)] {
            for third in (0..belief.len()).filter(|&third| third != i && third != j) {
                if !self.candidates.allows(item, third) || !self.are_of_one_group(item, third) {
                    continue;
                }
                let variance = (variances[item] + variances[third] - 2.0 * column[third]).max(0.0);
                let shared = difference(item) - difference(third);
                let score = answers.curvature(mean[item] - mean[third], variance) * shared * shared;
                if best.is_none_or(|best| score > best.score) {
                    best = Some(Question { first: ItemId::new(item), second: ItemId::new(third), score });
                }
            }
        }
        Ok(best)
    }

    fn are_of_one_group(&self, first: usize, second: usize) -> bool {
        let group = |item: usize| self.groups.as_ref().map(|groups| groups.of(ItemId::new(item)));
        group(first) == group(second)
    }

    /// The answered pair whose order is least sure, of those that were asked least often.
    fn least_sure_answer(&self) -> Result<Option<Question>> {
        let mut times: BTreeMap<(ItemId, ItemId), usize> = BTreeMap::new();
        for answer in self.answers.iter().filter(|answer| answer.outcome != Outcome::Skip) {
            let of_two = answer.second.filter(|_| !answer.is_of_screen()).map(|second| (answer.first, second));
            for (first, second) in answer.preferences().into_iter().chain(of_two) {
                *times.entry((first.min(second), first.max(second))).or_default() += 1;
            }
        }
        times.retain(|&(first, second), _| self.candidates.allow_again(first.index(), second.index()));
        let fewest = times.values().min().copied();
        let pairs = times.into_iter().filter(|(_, count)| Some(*count) == fewest).map(|(pair, _)| pair);
        self.least_sure(pairs)
    }

    /// The two items of least sure order between which the goal is still open: the first and another one, one of the first k and one
    /// of the others, or any two. `None` if the session has no stop rule, or no group has two such items.
    ///
    /// # Errors
    /// If the kernel cannot give a column.
    pub fn undecided(&self) -> Result<Option<Question>> {
        let Some(rule) = self.params.rule else { return Ok(None) };
        let mut pairs = Vec::new();
        for order in self.allowed.orders(self.belief()) {
            let items: Vec<ItemId> = order.into_iter().map(ItemId::new).collect();
            let until = match rule.goal {
                Goal::Best => 1,
                Goal::Top { k } => k.min(items.len()),
                // Neighbours are less sure than others, if anything.
                Goal::WholeOrder | Goal::TopHeavy => {
                    pairs.extend(items.windows(2).map(|pair| (pair[0], pair[1])));
                    continue;
                }
            };
            let (inside, outside) = items.split_at(until);
            pairs.extend(inside.iter().flat_map(|&one| outside.iter().map(move |&other| (one, other))));
        }
        self.least_sure(pairs.into_iter())
    }

    /// The pair whose order is least sure. Its score is the probability that the order is wrong.
    fn least_sure(&self, pairs: impl Iterator<Item = (ItemId, ItemId)>) -> Result<Option<Question>> {
        let belief = self.belief();
        let (mean, variances) = (belief.mean(), belief.variances());
        let (mut column, mut of) = (vec![0.0; belief.len()], None);
        let mut best: Option<Question> = None;
        for (one, other) in pairs {
            if of != Some(one) {
                belief.column(one, &mut column)?;
                of = Some(one);
            }
            let (i, j) = (one.index(), other.index());
            let variance = (variances[i] + variances[j] - 2.0 * column[j]).max(f64::MIN_POSITIVE);
            let score = normal::cdf(-(mean[i] - mean[j]).abs() / variance.sqrt());
            if best.is_none_or(|best| score > best.score) {
                let (first, second) = if mean[i] >= mean[j] { (one, other) } else { (other, one) };
                best = Some(Question { first, second, score });
            }
        }
        Ok(best)
    }

    /// The belief, and the same under all noises that the answers allow.
    pub(super) fn over_noises(&self) -> Result<OverNoises<'_>> {
        Ok(OverNoises { belief: self.belief(), noises: self.noises()? })
    }

    /// The beliefs under all noises that the answers allow.
    fn noises(&self) -> Result<&[UnderNoise]> {
        if self.counted.noises.get().is_none() {
            let noises = self.learner.under_noises()?;
            // If another thread was faster, it found the same.
            let _ = self.counted.noises.set(noises);
        }
        Ok(self.counted.noises.get().map_or(&[], Vec::as_slice))
    }
}
