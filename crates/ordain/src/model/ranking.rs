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
    /// The probability with which tiers are told apart.
    const LEVEL: f64 = 0.9;

    /// The tier of every item from 1, in the order of [`Ranking::items`]. All items above the end of a tier are better than all
    /// items below it with at least 90 % probability; items of one tier cannot be told apart yet.
    pub fn tiers(&self) -> Vec<usize> {
        let of_group = |group: &Certainty| {
            let sizes = group.tiers(Self::LEVEL).into_iter().enumerate();
            sizes.flat_map(|(tier, size)| std::iter::repeat_n(tier + 1, size)).collect::<Vec<_>>()
        };
        let mut groups = self.groups.iter().map(of_group);
        let mut own = Vec::new();
        let tier = |item: &RankedItem| {
            if item.rank == 1 {
                own = groups.next().unwrap_or_default();
            }
            own.get(item.rank - 1).copied().unwrap_or(1)
        };
        self.items.iter().map(tier).collect()
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
