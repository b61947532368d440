//! Choices among several: the best of a screen of k items, or their order, as one observation.
//!
//! The judge sees the noisy utilities `y_i = ξ_i + e_i`, with `e_i ~ N(0, σ²)` drawn once per item and screen, and says which is largest,
//! or how they stand. A comparison of two items has the noise `e_i - e_j`. Two comparisons on a screen share some of it, and independent
//! pairs would count it twice.
//!
//! **Best of k.** "b is best" says `ξ_b - ξ_i + e_b - e_i > 0` for every other item i. Given `e_b`, these are independent, and every `e_i`
//! takes part in one of them. So `e_b = σ u` is an aside, a coordinate beside the items with `u ~ N(0, 1)`, and `σ` is the own noise of every
//! comparison. One aside per screen, and nothing is left out.
//!
//! **Order of k.** Neighbours are compared: `ξ_j - ξ_{j+1} + e_j - e_{j+1} > 0` for j = 1 .. k-1. The covariance of the noise is `σ² T`,
//! where T has 2 on its diagonal and -1 beside it. Its smallest eigenvalue is `c = 2 - 2 cos θ`, `θ = π / k`. So every comparison has the own
//! noise `σ √c`, as large as it can be, and shares `σ L u` with its neighbours, `L L' = T - c I`. L has two diagonals,
//!
//! $$ L_{jj}^2 = \frac{\sin (j+1) θ}{\sin jθ}, \qquad L_{j,j-1} = -1 / L_{j-1,j-1}, $$
//!
//! and `L_jj` ends with 0. So k - 2 asides are enough, each of which two comparisons share.
//!
//! Own noise is positive, so every comparison is an observation like any other, and EP, steps, draws and evidence are what they are for
//! a judge's bias. Asides are in units of the noise: the prior does not know it, and nothing changes when it is learned anew.
//!
//! **Lapses.** If each comparison with the best item may be turned round with probability ε, the item at place r of the judge's own order is chosen
//! with probability `ε^{r-1} (1-ε)^{k-r} / N`. `N = Σ_r ε^{r-1} (1-ε)^{k-r}` whatever the utilities, because every order of the noisy utilities
//! gives the same sum. In the same way, an order has `N = Σ_d A(k,d) ε^d (1-ε)^{k-1-d}` with Euler's numbers of permutations of k with d
//! descents. So lapses are those of single comparisons, and the evidence counts `1/N` per screen. A careless judge, with ε = 1/2, chooses each of
//! k items, or of k! orders, alike.
//!
//! **Ties** have no place on a screen: the judge chooses, however little the items differ, so its comparisons have no width. Noise must be
//! normal.

use std::sync::Arc;

use super::{AnswerModel, NoiseLaw, Observation};
use crate::data::{Answer, Functional, ItemId, Outcome, Shared};
use crate::kernel::{Block, Kernel};
use crate::{Error, Result};

/// The asides of screens.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Screens {
    /// The coordinate of the first.
    first: u32,
    /// How many are set aside.
    capacity: usize,
    /// How many the screens so far take.
    taken: usize,
}

/// A screen whose first comparison an observation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Screen {
    /// The number of its items.
    shown: u8,
    /// Whether their order was said, not only the best.
    is_order: bool,
}

impl Screen {
    /// The logarithm of `1/N` for this share of comparisons that are turned round.
    pub(super) fn log_share(self, turned: f64) -> f64 {
        let weights: Vec<f64> = if self.is_order { descents(self.shown.into()) } else { vec![1.0; self.shown.into()] };
        let most = weights.len() as i32 - 1;
        let term =
            |(at, weight): (usize, &f64)| weight * turned.powi(at as i32) * (1.0 - turned).powi(most - at as i32);
        -weights.iter().enumerate().map(term).sum::<f64>().ln()
    }
}

/// Euler's numbers: how many orders of so many things have 0, 1, 2 ... descents.
fn descents(things: usize) -> Vec<f64> {
    let mut counts = vec![1.0];
    for many in 2..=things {
        let count = |at: usize| counts.get(at).copied().unwrap_or(0.0);
        let before = |at: usize| if at == 0 { 0.0 } else { counts[at - 1] };
        counts = (0..many).map(|at| (at + 1) as f64 * count(at) + (many - at) as f64 * before(at)).collect();
    }
    counts
}

/// The number of asides that an answer takes.
pub(super) fn asides_of(answer: &Answer) -> usize {
    match answer.outcome {
        Outcome::Best => 1,
        Outcome::Order => answer.others.len(),
        _ => 0,
    }
}

/// The number of asides that answers take.
pub(crate) fn asides_of_all<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> usize {
    answers.into_iter().map(asides_of).sum()
}

/// A comparison on a screen. Noise is in units of that on one utility.
struct Compared {
    /// The better item, and the other.
    items: [ItemId; 2],
    /// The deviation of its own noise.
    own: f64,
    /// The asides of the screen that take part, each with its factor.
    shared: [(usize, f64); 2],
}

/// The comparisons of a screen.
fn comparisons(answer: &Answer) -> Vec<Compared> {
    let items: Vec<ItemId> = answer.items().collect();
    if answer.outcome == Outcome::Best {
        return items[1..]
            .iter()
            .map(|&other| Compared { items: [items[0], other], own: 1.0, shared: [(0, 1.0), (0, 0.0)] })
            .collect();
    }
    let angle = std::f64::consts::PI / items.len() as f64;
    let own = (2.0 - 2.0 * angle.cos()).sqrt();
    let sine = |at: usize| (at as f64 * angle).sin();
    let last = items.len() - 1;
    let comparison = |at: usize| {
        let before = (at.saturating_sub(2), if at > 1 { -(sine(at - 1) / sine(at)).sqrt() } else { 0.0 });
        let here = (at - 1, (sine(at + 1) / sine(at)).sqrt());
        let shared = match at {
            1 => [here, (0, 0.0)],
            _ if at == last => [before, (0, 0.0)],
            _ => [before, here],
        };
        Compared { items: [items[at - 1], items[at]], own, shared }
    };
    (1..=last).map(comparison).collect()
}

impl Screens {
    /// Room for the screens of these answers, of which none is learned.
    pub(super) fn for_all(answers: &[&Answer]) -> Self {
        let needed = asides_of_all(answers.iter().copied());
        Self { capacity: if needed == 0 { 0 } else { needed.next_power_of_two() }, ..Self::default() }
    }

    /// The asides, if there are any.
    pub(super) fn block(&self) -> Option<Block> {
        (self.capacity > 0).then_some(Block { count: self.capacity, own: 1.0, common: 0.0 })
    }

    /// The same from this coordinate on.
    pub(super) fn from(self, first: u32) -> Self {
        Self { first, ..self }
    }
}

impl AnswerModel {
    /// What an answer says of a screen, of which the asides so far take so many; nothing if it is about none.
    pub(super) fn observe_screen(&self, answer: &Answer, taken: usize) -> Result<Vec<Observation>> {
        if !answer.outcome.is_choice() {
            return Ok(Vec::new());
        }
        let refused = |found: &str, expected: &str| {
            Err(Error::Data { what: "a choice among several items", found: found.into(), expected: expected.into() })
        };
        if self.law() != NoiseLaw::Normal {
            return refused("a judge with logistic noise", "normal noise, which comparisons on one screen can share");
        }
        if taken + asides_of(answer) > self.screens.capacity {
            return refused(
                "a belief about items alone",
                "one that a model or a session learned, with noise that a screen shares",
            );
        }
        let first = self.screens.first + taken as u32;
        let screen = Screen { shown: (answer.others.len() + 2) as u8, is_order: answer.outcome == Outcome::Order };
        let (noise, lapse) = (self.noise(), self.lapse());
        let observation = |Compared { items: [better, other], own, shared }: Compared| Observation {
            functional: Functional::OnScreen(
                better.0,
                other.0,
                Shared::new(shared.map(|(at, _)| first + at as u32), shared.map(|(_, factor)| noise * factor)),
            ),
            low: 0.0,
            noise: noise * own,
            lapse,
            ..Observation::NOTHING
        };
        let mut out: Vec<Observation> = comparisons(answer).into_iter().map(observation).collect();
        if let Some(one) = out.first_mut() {
            one.screen = Some(screen);
        }
        Ok(out.into_iter().map(|one| self.heard(one, answer)).collect())
    }

    /// The same model with asides for the screen of one answer and for nothing else, and a kernel of its items with these beside them.
    pub(crate) fn for_screen(mut self, kernel: &Arc<dyn Kernel>, answer: &Answer) -> (Self, Arc<dyn Kernel>) {
        (self.screens, self.sides) = (Screens::for_all(&[answer]), false);
        self.over(kernel)
    }

    /// The number of asides that screens take that were learned.
    pub(super) fn taken_by_screens(&self) -> usize {
        self.screens.taken
    }

    /// The same model after the screens of these answers.
    pub(crate) fn after_screens<'a>(mut self, answers: impl IntoIterator<Item = &'a Answer>) -> Self {
        self.screens.taken += asides_of_all(answers);
        self
    }

    /// Whether there is an aside left for the screen of an answer, if it is about one.
    pub(crate) fn has_room_for(&self, answer: &Answer) -> bool {
        self.screens.taken + asides_of(answer) <= self.screens.capacity
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
