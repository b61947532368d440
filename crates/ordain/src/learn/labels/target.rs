//! What is known of the labels of an example, and how it becomes constraints (CLR sections 2 and 3).

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Constraints on the utilities of an example's labels: the sets R, P and N of CLR section 2. A label is its number, from 0.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LabelPreferences {
    /// The first label of a pair has the higher utility.
    pub pairs: Vec<(usize, usize)>,
    /// Labels above the zero point.
    pub relevant: Vec<usize>,
    /// Labels below the zero point.
    pub irrelevant: Vec<usize>,
}

impl LabelPreferences {
    /// Every pair of labels that the utilities must order: the pairs, and every relevant label before every irrelevant one.
    pub(super) fn ordered(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let across = self.relevant.iter().flat_map(|&one| self.irrelevant.iter().map(move |&other| (one, other)));
        self.pairs.iter().copied().chain(across)
    }

    /// All labels that are named, some of them several times.
    pub(super) fn named(&self) -> impl Iterator<Item = usize> + '_ {
        let alone = self.relevant.iter().chain(&self.irrelevant);
        alone.chain(self.pairs.iter().flat_map(|(one, other)| [one, other])).copied()
    }

    /// Fails if a label is beyond the last, or no utilities can satisfy all constraints.
    fn check(&self, labels: usize) -> Result<()> {
        let wrong =
            |found: String, expected: &str| Err(Error::Data { what: "preferences", found, expected: expected.into() });
        if let Some(label) = self.named().find(|label| *label >= labels) {
            return wrong(format!("label {label}"), &format!("labels from 0 to {}", labels.saturating_sub(1)));
        }
        if let Some(label) = self.relevant.iter().find(|label| self.irrelevant.contains(label)) {
            return wrong(format!("label {label} among the relevant and the irrelevant"), "a label on one side only");
        }
        // Relevant labels are before the zero point, which is before the irrelevant ones.
        let mut after = vec![Vec::new(); labels + 1];
        self.pairs.iter().for_each(|&(one, other)| after[one].push(other));
        self.relevant.iter().for_each(|&label| after[label].push(labels));
        after[labels].extend(&self.irrelevant);
        match cycle(&after) {
            None => Ok(()),
            Some(cycle) => {
                let name = |&at: &usize| if at == labels { "the zero point".into() } else { at.to_string() };
                let path: Vec<String> = cycle.iter().chain(cycle.first()).map(name).collect();
                wrong(format!("a cycle: {}", path.join(" before ")), "preferences that an order can satisfy")
            }
        }
    }
}

/// The nodes of a cycle in their order, if there is one.
fn cycle(after: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut before = vec![0; after.len()];
    after.iter().flatten().for_each(|&node| before[node] += 1);
    let mut ready: Vec<usize> = (0..after.len()).filter(|&node| before[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &next in &after[node] {
            before[next] -= 1;
            if before[next] == 0 {
                ready.push(next);
            }
        }
    }
    // What is left has a node before it that is left. Walking back must come round.
    let mut node = before.iter().position(|count| *count > 0)?;
    let mut walk: Vec<usize> = Vec::new();
    loop {
        if let Some(from) = walk.iter().position(|&earlier| earlier == node) {
            let mut cycle = walk.split_off(from);
            cycle.reverse();
            return Some(cycle);
        }
        walk.push(node);
        node = (0..after.len()).find(|&other| before[other] > 0 && after[other].contains(&node))?;
    }
}

/// What is known of the labels of one example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// One label is right, all others are not.
    Class(usize),
    /// The labels that come first, in whatever order. No zero point is known: l-multilabel classification, where their number is.
    First(Vec<usize>),
    /// The relevant labels; all others are irrelevant. None or all may be relevant.
    Set(Vec<usize>),
    /// Labels, best first. Nothing is known of labels that are left out.
    Order(Vec<usize>),
    /// The relevant labels, best first; all others are irrelevant (CLR definition 3.1).
    Top(Vec<usize>),
    /// Any constraints that do not contradict each other.
    Partial(LabelPreferences),
}

impl Target {
    /// Fails if a label is beyond the last or named twice, or constraints contradict each other.
    pub(super) fn check(&self, labels: usize) -> Result<()> {
        let list: &[usize] = match self {
            Self::Partial(preferences) => return preferences.check(labels),
            Self::Class(label) => std::slice::from_ref(label),
            Self::First(list) | Self::Set(list) | Self::Order(list) | Self::Top(list) => list,
        };
        let mut seen = vec![false; labels];
        for &label in list {
            if label >= labels || std::mem::replace(&mut seen[label], true) {
                return Err(Error::Data {
                    what: "the labels of an example",
                    found: format!("label {label}"),
                    expected: format!("labels from 0 to {}, each once", labels.saturating_sub(1)),
                });
            }
        }
        Ok(())
    }

    /// Whether it says something of a label other than that it is not relevant.
    pub(super) fn teaches(&self, label: usize) -> bool {
        match self {
            Self::Class(class) => *class == label,
            Self::First(list) | Self::Set(list) | Self::Order(list) | Self::Top(list) => list.contains(&label),
            Self::Partial(known) => {
                known.relevant.contains(&label) || known.pairs.iter().any(|(one, other)| [one, other].contains(&&label))
            }
        }
    }

    /// Whether it says which labels are relevant.
    pub(super) fn has_zero(&self) -> bool {
        match self {
            Self::Set(_) | Self::Top(_) => true,
            Self::Class(_) | Self::First(_) | Self::Order(_) => false,
            Self::Partial(preferences) => !(preferences.relevant.is_empty() && preferences.irrelevant.is_empty()),
        }
    }
}

/// Which constraints an order becomes. Constraints that follow from others may be left out, and what is left decides what an error costs (CLR
/// section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Encoding {
    /// All pairs of an order, not only those of neighbours.
    pub all_pairs: bool,
    /// Of the relevant labels, only the lowest must be above the zero point and above the irrelevant ones. For [`Target::Top`].
    pub lowest_only: bool,
}

impl Default for Encoding {
    /// All pairs, every relevant label.
    fn default() -> Self {
        Self::ALL
    }
}

impl Encoding {
    /// All pairs, every relevant label.
    pub const ALL: Self = Self { all_pairs: true, lowest_only: false };

    /// Pairs of neighbours only, as Har-Peled, Roth and Zimak propose.
    #[must_use]
    pub const fn adjacent(self) -> Self {
        Self { all_pairs: false, ..self }
    }

    /// Of the relevant labels of a top ranking only the lowest.
    #[must_use]
    pub const fn lowest_only(self) -> Self {
        Self { lowest_only: true, ..self }
    }

    /// The constraints of an example with so many labels.
    pub fn preferences(self, target: &Target, labels: usize) -> LabelPreferences {
        let others = |list: &[usize]| (0..labels).filter(|label| !list.contains(label)).collect::<Vec<usize>>();
        match target {
            Target::Partial(preferences) => preferences.clone(),
            Target::Class(class) => {
                let pairs = others(&[*class]).into_iter().map(|other| (*class, other)).collect();
                LabelPreferences { pairs, ..LabelPreferences::default() }
            }
            Target::First(first) => {
                let others = others(first);
                let pairs = first.iter().flat_map(|&one| others.iter().map(move |&other| (one, other))).collect();
                LabelPreferences { pairs, ..LabelPreferences::default() }
            }
            Target::Set(relevant) => {
                LabelPreferences { pairs: Vec::new(), irrelevant: others(relevant), relevant: relevant.clone() }
            }
            Target::Order(order) => LabelPreferences { pairs: self.pairs(order), ..LabelPreferences::default() },
            Target::Top(order) => {
                let first = if self.lowest_only { order.len().saturating_sub(1) } else { 0 };
                LabelPreferences {
                    pairs: self.pairs(order),
                    irrelevant: others(order),
                    relevant: order[first..].to_vec(),
                }
            }
        }
    }

    fn pairs(self, order: &[usize]) -> Vec<(usize, usize)> {
        let reach = if self.all_pairs { order.len() } else { 1 };
        let from = |(at, &one): (usize, &usize)| {
            order[at + 1..].iter().take(reach).map(move |&other| (one, other)).collect::<Vec<_>>()
        };
        order.iter().enumerate().flat_map(from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of CLR section 3: (1,2,3,4,5,6) predicted as (6,2,3,4,5,1).
    #[test]
    fn the_first_and_the_last_change_places() {
        for d in 3..=12_usize {
            let truth: Vec<usize> = (0..d).collect();
            let mut found = truth.clone();
            found.swap(0, d - 1);
            let mut place = vec![0; d];
            found.iter().enumerate().for_each(|(at, &label)| place[label] = at);
            let wrong = |encoding: Encoding| {
                let pairs = encoding.preferences(&Target::Order(truth.clone()), d).pairs;
                let wrong = pairs.iter().filter(|(one, other)| place[*one] > place[*other]).count();
                (wrong, pairs.len())
            };
            let (adjacent, all) = (wrong(Encoding::default().adjacent()), wrong(Encoding::default()));
            if d == 6 {
                assert_eq!((adjacent, all), ((2, 5), (9, 15)));
            }
            let share = |(wrong, of): (usize, usize)| wrong as f64 / of as f64;
            let ratio = 2.0 - 3.0 / d as f64;
            assert!((share(all) / share(adjacent) - ratio).abs() < 1e-12, "{d} labels");
        }
    }

    #[test]
    fn contradictions_are_named() {
        let check = |pairs: &[(usize, usize)], relevant: &[usize], irrelevant: &[usize]| {
            let preferences = LabelPreferences {
                pairs: pairs.to_vec(),
                relevant: relevant.to_vec(),
                irrelevant: irrelevant.to_vec(),
            };
            Target::Partial(preferences).check(5).map_err(|error| error.to_string())
        };
        assert!(check(&[(0, 1), (1, 2), (0, 2)], &[0], &[2]).is_ok());
        let error = check(&[(4, 0), (0, 1), (1, 2), (2, 0)], &[], &[]).unwrap_err();
        let named = ["0 before 1 before 2 before 0", "1 before 2 before 0 before 1", "2 before 0 before 1 before 2"];
        assert!(named.iter().any(|cycle| error.contains(cycle)), "{error}");
        let error = check(&[(1, 3), (3, 2)], &[2], &[1]).unwrap_err();
        assert!(error.contains("the zero point"), "an irrelevant label before a relevant one: {error}");
        assert!(check(&[(1, 1)], &[], &[]).unwrap_err().contains("1 before 1"));
        assert!(check(&[], &[1], &[1]).unwrap_err().contains("one side only"));
        assert!(check(&[(0, 5)], &[], &[]).unwrap_err().contains("label 5"));
        assert!(Target::Order(vec![0, 1, 0]).check(3).is_err());
    }
}
