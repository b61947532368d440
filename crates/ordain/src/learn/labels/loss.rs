//! What a wrong ranking of the labels costs, from 0 to 1.

use super::target::{Encoding, LabelPreferences, Target};
use super::{argsort, places};
use crate::measure::{NEUTRAL, top_footrule_at, top_kendall};
use crate::words::vocabulary;
use crate::{Error, Result};

/// What a predicted ranking costs beside the target. All lie between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelLoss {
    /// 1 unless everything that is known is predicted.
    #[default]
    ZeroOne,
    /// The share of labels on the wrong side of the zero point; for a class, on the wrong side of the first place.
    Hamming,
    /// The share of pairs in the wrong order; for sets and single constraints the zero point is one of the ranked. For top rankings the distance of the lists, each ended by the zero point (Fagin, Kumar,
    /// Sivakumar 2003; penalty one half), over the number of pairs of labels and the zero point.
    Kendall,
    /// The sum of the differences of places over its largest value. For top rankings, labels that are left out stand behind all.
    Footrule,
}

vocabulary! { LabelLoss, "loss";
    ZeroOne = "zero-one", "1 unless everything is right";
    Hamming = "hamming", "the share of labels on the wrong side of the zero point";
    Kendall = "kendall", "the share of pairs in the wrong order";
    Footrule = "footrule", "the differences of places, over their largest sum";
}

impl LabelLoss {
    /// The loss of these utilities, one per label. Equal utilities keep the order of the labels, and a label is above the zero point if its
    /// utility is positive (CLR definition 3.2).
    ///
    /// # Errors
    /// If the target names a label that is not there, or the loss says nothing of such a target: Hamming of an order, the footrule of a set or
    /// of single constraints.
    pub fn of(self, utilities: &[f64], target: &Target) -> Result<f64> {
        target.check(utilities.len())?;
        self.of_known(utilities, target)
    }

    /// The same for a target that was checked.
    pub(super) fn of_known(self, utilities: &[f64], target: &Target) -> Result<f64> {
        let labels = utilities.len();
        let none = |kind: &str| {
            Err(Error::Data {
                what: "the loss",
                found: format!("{self} for {kind}"),
                expected: "a loss that is defined for it".into(),
            })
        };
        Ok(match (self, target) {
            (Self::ZeroOne, _) => f64::from(!is_right(utilities, target)),
            (Self::Hamming, Target::Class(class)) => {
                if argsort(utilities).first() == Some(class) {
                    0.0
                } else {
                    (2.0 / labels as f64).min(1.0)
                }
            }
            (Self::Hamming, Target::Set(relevant) | Target::Top(relevant)) => {
                let wrong = (0..labels).filter(|label| relevant.contains(label) != (utilities[*label] > 0.0)).count();
                wrong as f64 / labels as f64
            }
            (Self::Hamming, Target::First(first)) => {
                let missed = first.iter().filter(|label| places(utilities)[**label] >= first.len()).count();
                share(2 * missed, labels)
            }
            (Self::Hamming, Target::Order(_)) => return none("an order"),
            (Self::Hamming, Target::Partial(_)) if !target.has_zero() => return none("an order"),
            (Self::Hamming, Target::Partial(known)) => {
                let missed = known.relevant.iter().filter(|label| utilities[**label] <= 0.0).count();
                let wrong = known.irrelevant.iter().filter(|label| utilities[**label] > 0.0).count();
                share(missed + wrong, known.relevant.len() + known.irrelevant.len())
            }
            (Self::Kendall, Target::Class(class)) => {
                let place = places(utilities)[*class];
                share(place, labels - 1)
            }
            (Self::Kendall, Target::First(_) | Target::Set(_)) => {
                wrong_share(utilities, &Encoding::ALL.preferences(target, labels))
            }
            (Self::Kendall, Target::Order(order)) => {
                let place = places(utilities);
                let inversions = order
                    .iter()
                    .enumerate()
                    .map(|(at, one)| order[at + 1..].iter().filter(|other| place[*one] > place[**other]).count());
                share(inversions.sum(), pairs(order.len()))
            }
            (Self::Kendall, Target::Top(order)) => {
                // The zero point ends both lists: without it, lists of one label and of none would be equal.
                let with_zero = |list: &[usize]| list.iter().copied().chain([labels]).collect::<Vec<usize>>();
                top_kendall(&with_zero(&top(utilities)), &with_zero(order), NEUTRAL)? / pairs(labels + 1) as f64
            }
            (Self::Kendall, Target::Partial(known)) => wrong_share(utilities, known),
            (Self::Footrule, Target::Order(order)) => {
                // Labels of which nothing is known are left out of the prediction too.
                let place = places(utilities);
                let mut found = order.clone();
                found.sort_unstable_by_key(|label| place[*label]);
                let moved = found.iter().enumerate().map(|(at, label)| {
                    order.iter().position(|other| other == label).map_or(0, |place| place.abs_diff(at))
                });
                share(moved.sum(), order.len() * order.len() / 2)
            }
            (Self::Footrule, Target::Top(order)) => {
                // Both lists are of at most d labels, and what is left out stands at d + 1: lists without a common label are the furthest apart.
                let found = top(utilities);
                let behind = labels as f64 + 1.0;
                let alone = |count: usize| (0..count).map(|place| behind - (place + 1) as f64).sum::<f64>();
                let most = (0..=labels).map(|count| alone(count) + alone(labels - count)).fold(0.0, f64::max);
                top_footrule_at(&found, order, behind)? / most
            }
            (Self::Footrule, Target::Class(_)) => return none("a class"),
            (Self::Footrule, Target::First(_) | Target::Set(_)) => return none("a set"),
            (Self::Footrule, Target::Partial(_)) => return none("single constraints"),
        })
    }
}

fn pairs(count: usize) -> usize {
    count * count.saturating_sub(1) / 2
}

/// The share of constraints that do not hold, among the pairs of labels and of labels with the zero point.
fn wrong_share(utilities: &[f64], known: &LabelPreferences) -> f64 {
    let place = places(utilities);
    let pairs = known.ordered().filter(|(one, other)| place[*one] > place[*other]).count();
    let missed = known.relevant.iter().filter(|label| utilities[**label] <= 0.0).count();
    let wrong = known.irrelevant.iter().filter(|label| utilities[**label] > 0.0).count();
    share(pairs + missed + wrong, known.ordered().count() + known.relevant.len() + known.irrelevant.len())
}

fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

/// The labels above the zero point, best first.
pub(super) fn top(utilities: &[f64]) -> Vec<usize> {
    argsort(utilities).into_iter().filter(|&label| utilities[label] > 0.0).collect()
}

/// Whether everything that is known is predicted.
fn is_right(utilities: &[f64], target: &Target) -> bool {
    let sides =
        |relevant: &[usize]| (0..utilities.len()).all(|label| relevant.contains(&label) == (utilities[label] > 0.0));
    match target {
        Target::Class(class) => argsort(utilities).first() == Some(class),
        Target::First(first) => {
            let place = places(utilities);
            first.iter().all(|label| place[*label] < first.len())
        }
        Target::Set(relevant) => sides(relevant),
        Target::Top(order) => sides(order) && top(utilities) == *order,
        Target::Order(order) => {
            let place = places(utilities);
            order.windows(2).all(|pair| place[pair[0]] < place[pair[1]])
        }
        Target::Partial(known) => {
            let place = places(utilities);
            known.ordered().all(|(one, other)| place[one] < place[other])
                && known.relevant.iter().all(|&label| utilities[label] > 0.0)
                && known.irrelevant.iter().all(|&label| utilities[label] <= 0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, for the order 2, 0, 1 with labels 2 and 0 above the zero point.
    #[test]
    fn losses_by_hand() {
        let utilities = [0.5, -1.0, 2.0];
        let of = |loss: LabelLoss, target: Target| loss.of(&utilities, &target).unwrap();
        use LabelLoss::{Footrule, Hamming, Kendall, ZeroOne};
        assert_eq!(of(ZeroOne, Target::Top(vec![2, 0])), 0.0);
        assert_eq!(of(ZeroOne, Target::Top(vec![0, 2])), 1.0);
        assert_eq!(of(ZeroOne, Target::Set(vec![0, 2])), 0.0);
        assert_eq!(of(ZeroOne, Target::Class(2)), 0.0);
        assert_eq!(of(Hamming, Target::Set(vec![1, 2])), 2.0 / 3.0);
        assert_eq!(of(Kendall, Target::Order(vec![1, 0, 2])), 1.0);
        assert_eq!(of(Kendall, Target::Order(vec![0, 1])), 0.0);
        assert_eq!(of(Kendall, Target::Class(1)), 1.0);
        // Two pairs of labels and three sides, all wrong; and two labels of three above the zero point.
        assert_eq!(of(Kendall, Target::Set(vec![1])), 1.0);
        assert_eq!(of(Kendall, Target::Set(vec![])), 2.0 / 3.0);
        assert_eq!(of(Kendall, Target::First(vec![1])), 1.0);
        assert_eq!(of(ZeroOne, Target::First(vec![0, 2])), 0.0);
        assert_eq!(of(Hamming, Target::First(vec![0, 1])), 2.0 / 3.0);
        assert!(Kendall.of(&utilities, &Target::Class(3)).is_err());
        // The lists (2, 0, zero) and (0, zero): 2 is before both others in one and behind both in the other; six pairs in all.
        assert_eq!(of(Kendall, Target::Top(vec![0])), 2.0 / 6.0);
        assert_eq!(of(Footrule, Target::Order(vec![0, 2, 1])), 2.0 / 4.0);
        assert!(Hamming.of(&utilities, &Target::Order(vec![0, 1, 2])).is_err());
        let known = LabelPreferences { pairs: vec![(0, 2)], relevant: vec![0], irrelevant: vec![1] };
        // Wrong: 0 before 2. Right: 0 before 1, 0 above and 1 below the zero point.
        assert_eq!(of(Kendall, Target::Partial(known.clone())), 0.25);
        assert_eq!(of(ZeroOne, Target::Partial(known)), 1.0);
    }

    /// Over all utilities of four labels with distinct places, no loss leaves [0, 1], each comes near to 1, and all that look at the order
    /// are 0 for the target alone.
    #[test]
    fn losses_lie_between_0_and_1() {
        let utilities: Vec<Vec<f64>> = permutations(4)
            .into_iter()
            .flat_map(|order| {
                (0..=4).map(move |above| order.iter().map(|&at| above as f64 - 0.5 - at as f64).collect())
            })
            .collect();
        let tops: Vec<Target> =
            permutations(4).iter().flat_map(|order| (0..=4).map(|l| Target::Top(order[..l].to_vec()))).collect();
        for loss in [LabelLoss::ZeroOne, LabelLoss::Hamming, LabelLoss::Kendall, LabelLoss::Footrule] {
            let mut largest: f64 = 0.0;
            for target in &tops {
                for utilities in &utilities {
                    let value = loss.of(utilities, target).unwrap();
                    assert!((0.0..=1.0).contains(&value), "{loss}: {value}");
                    if loss != LabelLoss::Hamming {
                        assert_eq!(value == 0.0, is_right(utilities, target), "{loss} {target:?} {utilities:?}");
                    }
                    largest = largest.max(value);
                }
            }
            assert!(largest >= 0.9, "{loss}: {largest}");
        }
    }

    fn permutations(count: usize) -> Vec<Vec<usize>> {
        if count == 0 {
            return vec![Vec::new()];
        }
        let insert = |shorter: Vec<usize>| {
            (0..count).map(move |at| {
                let mut longer = shorter.clone();
                longer.insert(at, count - 1);
                longer
            })
        };
        permutations(count - 1).into_iter().flat_map(insert).collect()
    }
}
