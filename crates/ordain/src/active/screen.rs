//! Screens: several items to choose the best of, or to put into order.
//!
//! A screen grows from the pair that the strategy would ask. The next item is the one whose pairs with those on the screen have the largest
//! summed score, under the strategy's own score of a pair: so every goal shows what its loss is about. Pairs that may not be asked again
//! count nothing, and two items that must not be compared are never shown together.

use rand::RngExt;

use super::choice::{Best, Candidates};
use super::pair_belief::Answers;
use super::pending::Pending;
use super::search::Rows;
use super::search::bounds::{Place, pair};
use super::strategy::Method;
use super::wrong_pairs::StandIns;
use super::{Question, Strategy, choose};
use crate::data::{Answer, ItemId};
use crate::gp::{AnswerModel, Belief, Covariances};
use crate::numeric::Stream;
use crate::{Error, Result};

/// Several items that are worth showing together.
#[derive(Debug, Clone, PartialEq)]
pub struct ScreenQuestion {
    /// The items: the best pair, then those that were added.
    pub items: Vec<ItemId>,
    /// The summed scores of its pairs. Comparable only within a strategy and a number of items.
    pub score: f64,
}

impl ScreenQuestion {
    /// The answer that this item is the best, without a judge.
    ///
    /// # Errors
    /// If it is not among those shown.
    pub fn best(&self, item: ItemId) -> Result<Answer> {
        Answer::best(&self.items, item)
    }

    /// The answer of a judge who says nothing.
    ///
    /// # Errors
    /// If the items are not a screen.
    pub fn skip(&self) -> Result<Answer> {
        Answer::skipped(&self.items)
    }

    /// The items in the order in which they are shown, drawn at random.
    pub fn shuffled(&self, stream: &mut Stream) -> Vec<ItemId> {
        let mut out = self.items.clone();
        // What is drawn must not depend on how the screen grew.
        out.sort_unstable();
        for at in (1..out.len()).rev() {
            out.swap(at, stream.random_range(0..=at));
        }
        out
    }
}

/// Fails unless this strategy can choose more than two items to show together.
///
/// # Errors
/// If it looks ahead: it would try every answer about every screen.
pub fn check_screens(strategy: Strategy) -> Result<()> {
    if !matches!(strategy.method(), Method::Ahead(_)) {
        return Ok(());
    }
    Err(Error::Data {
        what: "a choice among several items",
        found: strategy.name().to_owned(),
        expected: "a strategy that does not try every answer, such as wrong-pairs, entropy or expected-loss".into(),
    })
}

/// Up to `count` screens of this many items to show at the same time, the best first. There are fewer if fewer are left, and a screen has
/// fewer items if no more may be shown with them. The first grows from `seed` if it is given. Each is chosen from the belief that is
/// expected once those before it are answered.
///
/// # Errors
/// If fewer than two or more than 32 items are wanted, the strategy looks ahead, or the kernel cannot give a column.
pub fn choose_screens(
    belief: &dyn Belief,
    model: &AnswerModel,
    strategy: Strategy,
    mut candidates: Candidates,
    seed: Option<Question>,
    [shown, count]: [usize; 2],
    stream: &mut Stream,
) -> Result<Vec<ScreenQuestion>> {
    let wrong = |found: String, expected: &str| {
        Err(Error::Data { what: "a choice among several items", found, expected: expected.into() })
    };
    if !(2..=Answer::MOST_SHOWN).contains(&shown) {
        return wrong(format!("{shown} items"), "from 2 to 32 items");
    }
    check_screens(strategy)?;
    let answers = Answers::new(model);
    let mut belief = Pending::new(belief);
    let mut out: Vec<ScreenQuestion> = Vec::new();
    while out.len() < count {
        let seed = match seed.filter(|_| out.is_empty()) {
            Some(seed) => Some(seed),
            None => choose(&belief, model, strategy, &candidates, stream)?,
        };
        let Some(seed) = seed else { break };
        let screen = Growth::new(&belief, &answers, strategy, &candidates)?.from(seed, shown, stream)?;
        let items = screen.items.clone();
        out.push(screen);
        if out.len() == count {
            break;
        }
        for (at, &first) in items.iter().enumerate() {
            for &second in &items[at + 1..] {
                candidates.exclude(first, second);
            }
        }
        for &other in &items[1..] {
            belief.expect(items[0], other, |mean, variance| answers.curvature(mean, variance))?;
        }
    }
    Ok(out)
}

/// How pairs are scored while a screen grows.
struct Growth<'a> {
    belief: &'a dyn Belief,
    rows: Rows<'a>,
    answers: &'a Answers,
    candidates: &'a Candidates,
    /// The score of a pair; none if all are alike.
    scorer: Option<Strategy>,
    /// The share of the lower place's weight.
    strategy: Strategy,
    /// What the pairs of a short list are scored by, if the strategy makes one.
    stand_ins: Option<StandIns>,
}

impl<'a> Growth<'a> {
    /// So many items are on the short list of a strategy that makes one.
    const SHORT: usize = 50;

    fn new(
        belief: &'a dyn Belief,
        answers: &'a Answers,
        strategy: Strategy,
        candidates: &'a Candidates,
    ) -> Result<Self> {
        let rows = Rows::new(belief);
        let mut stand_ins = None;
        let scorer = match strategy.method() {
            Method::AnyPair => None,
            Method::WorstItem { focus } => Some(Strategy::ExpectedLoss { focus }),
            Method::WrongPairs => {
                stand_ins = StandIns::of(belief, belief.covariances().unwrap_or(&rows), candidates)?;
                Some(Strategy::Entropy)
            }
            Method::EachPair | Method::Ahead(_) => Some(strategy),
        };
        Ok(Self { belief, rows, answers, candidates, scorer, strategy, stand_ins })
    }

    fn covariances(&self) -> &dyn Covariances {
        self.belief.covariances().unwrap_or(&self.rows)
    }

    /// The screen that grows from a pair.
    fn from(&self, seed: Question, shown: usize, stream: &mut Stream) -> Result<ScreenQuestion> {
        let mut screen = ScreenQuestion { items: vec![seed.first, seed.second], score: seed.score };
        let orders = self.candidates.orders(self.belief);
        let Some(order) = orders.into_iter().find(|order| order.contains(&seed.first.index())) else {
            return Ok(screen);
        };
        let places = self.places(&order);
        // The sum of what the pairs with those on the screen score, per item of the order; none where an item must not be there.
        let mut sums: Vec<Option<f64>> = order.iter().map(|_| Some(0.0)).collect();
        for &item in &screen.items {
            self.add(item, &order, &places, &mut sums)?;
        }
        while screen.items.len() < shown {
            let mut best = Best::default();
            for (place, score) in self.finalists(&screen.items, &order, &sums)? {
                best.offer((score, 0.0), (order[place], order[place]));
            }
            let Some(next) = best.draw(stream) else { break };
            screen.items.push(next.first);
            screen.score += next.score;
            self.add(next.first, &order, &places, &mut sums)?;
        }
        Ok(screen)
    }

    /// The places of a group, best first.
    fn places(&self, order: &[usize]) -> Vec<Place> {
        let (mean, variances) = (self.belief.mean(), self.belief.variances());
        let weights = self.strategy.emphasis().weights(order, mean);
        let level = order.first().map_or(0.0, |&best| mean[best]);
        let place = |(&item, weight): (&usize, f64)| Place {
            lower: self.strategy.lower_share() * weight,
            weight,
            ..Place::new(mean[item] - level, variances[item], variances[item])
        };
        order.iter().zip(weights).map(place).collect()
    }

    /// Adds the scores of all pairs with an item to the sums of the other items.
    fn add(&self, item: ItemId, order: &[usize], places: &[Place], sums: &mut [Option<f64>]) -> Result<()> {
        let others: Vec<u32> = order.iter().map(|&other| other as u32).collect();
        let mut covariances = vec![0.0; order.len()];
        self.covariances().entries(item.index(), &others, &mut covariances)?;
        let Some(own) = order.iter().position(|&other| other == item.index()) else { return Ok(()) };
        for (at, sum) in sums.iter_mut().enumerate() {
            if at == own || !self.candidates.allow_again(item.index(), order[at]) {
                *sum = None;
            }
            if let (Some(sum), Some(scorer), true) = (sum, self.scorer, self.candidates.allows(item.index(), order[at]))
            {
                let belief = pair(&places[own.min(at)], &places[own.max(at)], covariances[at]);
                *sum += belief.score(scorer, self.answers).0;
            }
        }
        Ok(())
    }

    /// The items that may be shown with those on a screen, with what each would add to its score.
    fn finalists(&self, shown: &[ItemId], order: &[usize], sums: &[Option<f64>]) -> Result<Vec<(usize, f64)>> {
        let is_new = |at: usize| {
            self.scorer.is_none() || shown.iter().any(|item| self.candidates.allows(item.index(), order[at]))
        };
        let mut all: Vec<(usize, f64)> =
            sums.iter().enumerate().filter_map(|(at, sum)| Some((at, (*sum)?))).filter(|&(at, _)| is_new(at)).collect();
        let Some(stand_ins) = &self.stand_ins else { return Ok(all) };
        all.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        all.truncate(Self::SHORT);
        for (at, score) in &mut all {
            *score = 0.0;
            for item in shown.iter().map(|item| item.index()).filter(|&item| self.candidates.allows(item, order[*at])) {
                *score += stand_ins.score(self.belief, self.covariances(), self.answers, item, order[*at])?;
            }
        }
        Ok(all)
    }
}
