//! A ranking and how settled it is.

use crate::active::{Certainty, Foreseen, StopRule};
use crate::data::Goal;
use crate::gp::RankedItem;

/// A ranking of all items, and how settled it is in every group.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The items: groups in their order, items by rank.
    pub items: Vec<RankedItem>,
    /// How settled each group is.
    pub groups: Vec<Certainty>,
}

impl Ranking {
    /// The tier of every item from 1, in the order of [`Ranking::items`]. Items of one tier cannot be told apart from each other: none
    /// is better than another that stands below it with 90 % probability.
    pub fn tiers(&self) -> Vec<usize> {
        self.items.iter().map(|item| item.tier).collect()
    }

    /// The expected share of pairs in the wrong order, in the group where it is largest.
    pub fn wrong_pairs(&self) -> f64 {
        self.groups.iter().map(Certainty::error).fold(0.0, f64::max)
    }

    /// How settled it is and how far there is to go, in words.
    pub fn sentence(&self, rule: &StopRule, foreseen: Option<Foreseen>) -> String {
        let mut out = rule.sentence(self.probability(rule), self.groups.len());
        if rule.goal == Goal::WholeOrder {
            out += &format!(" (expected: {:.1} %)", 100.0 * self.wrong_pairs());
        }
        let Some(foreseen) = foreseen else { return out };
        let again = if foreseen.is_short() { "\nwith repeat = true under [ask], pairs are asked again" } else { "" };
        format!("{out}; {}{again}", foreseen.in_all())
    }

    /// The probability that a goal is reached, in the group where it is smallest.
    pub fn probability(&self, rule: &StopRule) -> f64 {
        rule.probability(&self.groups)
    }
}
